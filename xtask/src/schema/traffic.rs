//! Recorded messages are valid by the schema of their revision.
//!
//! A file has one JSON object a line: `revision`, `from` (`client` or `server`), `message`, and for a response the
//! `method` of its request. A request or a notification is held against the definition of its method, if the side that
//! sent it has such a method; a result against the definition of its method's result; everything against its envelope.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::document::Document;
use super::failure::Failure;

/// The file being read.
struct Recording<'a> {
    documents: &'a [Document],
    /// The methods of the requests so far, by the side that sent them and the id.
    asked: BTreeMap<(String, String), String>,
}

/// Checks every message of a file.
pub fn check(documents: &[Document], file: &str, text: &str) -> (usize, Vec<Failure>) {
    let mut recording = Recording { documents, asked: BTreeMap::new() };
    let mut failures = Vec::new();
    let mut count = 0;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{file}:{}", index + 1);
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            failures.push(Failure::new("?", "line", &place, "it is not JSON"));
            continue;
        };
        let revision = line["revision"].as_str().unwrap_or("?");
        let mut messages = vec![&line["message"]];
        if let (Value::Array(batch), "2025-03-26") = (&line["message"], revision) {
            messages = batch.iter().collect();
        }
        for message in messages {
            count += 1;
            let faults = recording.faults(&line, revision, message);
            let failure =
                |(definition, what): (String, String)| Failure::new(revision, &definition, &place, what);
            failures.extend(faults.into_iter().map(failure));
        }
    }
    (count, failures)
}

impl Recording<'_> {
    /// Returns what is wrong with a message, each with the definition that says so.
    fn faults(&mut self, line: &Value, revision: &str, message: &Value) -> Vec<(String, String)> {
        let fault = |what: &str| vec![("line".to_owned(), what.to_owned())];
        let Some(document) = self.documents.iter().find(|document| document.revision == revision) else {
            return fault("its revision has no schema");
        };
        let from = match line["from"].as_str() {
            Some(from @ ("client" | "server")) => from,
            _ => return fault("it comes neither from the client nor from the server"),
        };
        let id = message.get("id").map(Value::to_string);
        let definitions = match (message["method"].as_str(), id) {
            (Some(method), Some(id)) => {
                self.asked.insert((from.to_owned(), id), method.to_owned());
                self.of_call(document, from, "Request", method)
            }
            (Some(method), None) => self.of_call(document, from, "Notification", method),
            (None, _) if message.get("error").is_some() => Ok(of_error(document, message)),
            (None, id) => {
                let to = if from == "client" { "server" } else { "client" };
                let asked = id.and_then(|id| self.asked.get(&(to.to_owned(), id)).cloned());
                let method = line["method"].as_str().map(str::to_owned).or(asked);
                return of_result(document, message, method.as_deref());
            }
        };
        match definitions {
            Ok(definitions) => {
                let message = with_readable_id(message);
                definitions.into_iter().flat_map(|name| named(document, &name, &message)).collect()
            }
            Err(what) => fault(&what),
        }
    }

    /// Names the definitions of a request or a notification.
    fn of_call(
        &self,
        document: &Document,
        from: &str,
        kind: &str,
        method: &str,
    ) -> Result<Vec<String>, String> {
        let mut names = vec![format!("JSONRPC{kind}")];
        let side = if from == "client" { "Client" } else { "Server" };
        let union = format!("{side}{kind}");
        match call(document, method, Some(&union)) {
            Some(name) => names.push(name),
            // A method that no schema has may be an extension's.
            None if self.documents.iter().any(|document| call(document, method, None).is_some()) => {
                return Err(format!("{union} has no {method}"));
            }
            None => {}
        }
        Ok(names)
    }
}

/// Finds the definition of a method, among those of a union if one is given.
fn call(document: &Document, method: &str, union: Option<&str>) -> Option<String> {
    let is_of = |definition: &Value| definition["properties"]["method"]["const"] == method;
    let Some(union) = union else {
        return document.definitions().find(|(_, value)| is_of(value)).map(|(name, _)| name.to_owned());
    };
    let definition = document.definition(union);
    if is_of(definition) {
        return Some(union.to_owned());
    }
    let members = definition["anyOf"].as_array().into_iter().flatten();
    let references = members.chain(std::iter::once(definition)).filter_map(|member| member["$ref"].as_str());
    let names = references.filter_map(|reference| reference.rsplit('/').next());
    names.filter(|name| is_of(document.definition(name))).map(str::to_owned).next()
}

/// Names the definitions of an error: its envelope, and that of its code where there is one.
fn of_error(document: &Document, message: &Value) -> Vec<String> {
    let code = &message["error"]["code"];
    let has_code = |definition: &Value| {
        let parts = definition["properties"]["error"]["allOf"].as_array().into_iter().flatten();
        parts.filter_map(|part| part["properties"]["code"].get("const")).any(|own| own == code)
    };
    let special =
        document.definitions().filter(|(_, value)| has_code(value)).map(|(name, _)| name.to_owned());
    let envelope = ["JSONRPCErrorResponse", "JSONRPCError"].into_iter().find(|name| document.has(name));
    envelope.map(str::to_owned).into_iter().chain(special).collect()
}

/// Holds a result against its envelope and against what its method demands.
fn of_result(document: &Document, message: &Value, method: Option<&str>) -> Vec<(String, String)> {
    let envelope = ["JSONRPCResultResponse", "JSONRPCResponse"].into_iter().find(|name| document.has(name));
    let mut faults: Vec<(String, String)> =
        envelope.into_iter().flat_map(|name| named(document, name, message)).collect();
    let Some(name) = method.and_then(|method| call(document, method, None)) else {
        if method.is_none() {
            faults.push(("line".to_owned(), "nothing says which request it answers".to_owned()));
        }
        return faults;
    };
    let result = &message["result"];
    let stem = name.strip_suffix("Request").unwrap_or(&name);
    // The response's own definition is no help: whatever is no answer passes there as a request for input.
    let asks = result["resultType"] == "input_required";
    let is_task = result.get("task").is_some();
    let own = format!("{stem}Result");
    let names = [(asks, "InputRequiredResult"), (is_task, "CreateTaskResult"), (true, &*own)];
    let named_by = names.into_iter().find(|(applies, name)| *applies && document.has(name));
    faults.extend(named(document, named_by.map_or("EmptyResult", |(_, name)| name), result));
    faults
}

fn named(document: &Document, name: &str, value: &Value) -> Vec<(String, String)> {
    document.faults(name, value).into_iter().map(|fault| (name.to_owned(), fault)).collect()
}

/// Returns the message, with an id where an error has none, be it absent or `null`.
///
/// Who cannot read a request does not know its id; the schemas of the early revisions have no word for that.
fn with_readable_id(message: &Value) -> Value {
    let mut message = message.clone();
    if message.get("error").is_some() && message.get("id").is_none_or(Value::is_null) {
        message["id"] = json!(0);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call_of(method: &str, params: &Value) -> Value {
        json!({
            "type": "object",
            "properties": { "method": { "const": method }, "params": params },
            "required": ["method", "params"],
        })
    }

    fn documents() -> Vec<Document> {
        let envelope = json!({ "type": "object", "required": ["jsonrpc"] });
        let params = json!({ "type": "object", "required": ["a"] });
        vec![Document::new(
            "2025-03-26",
            json!({
                "definitions": {
                    "JSONRPCRequest": envelope, "JSONRPCNotification": envelope,
                    "JSONRPCResponse": envelope, "JSONRPCError": envelope,
                    "ClientRequest": { "anyOf": [{ "$ref": "#/definitions/DoRequest" }] },
                    "ServerRequest": { "anyOf": [{ "$ref": "#/definitions/EmptyResult" }] },
                    "ClientNotification": { "anyOf": [{ "$ref": "#/definitions/DoneNotification" }] },
                    "DoRequest": call_of("do", &params),
                    "DoneNotification": call_of("done", &json!({})),
                    "DoResult": { "type": "object", "required": ["b"] },
                    "EmptyResult": {},
                },
            }),
        )]
    }

    fn failures(lines: &[Value]) -> Vec<String> {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        check(&documents(), "f", &text.join("\n")).1.iter().map(ToString::to_string).collect()
    }

    fn line(from: &str, message: Value) -> Value {
        json!({ "revision": "2025-03-26", "from": from, "message": message })
    }

    #[test]
    fn a_request_is_held_against_its_method() {
        let ask = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "do", "params": params });
        assert!(failures(&[line("client", ask(json!({ "a": 1 })))]).is_empty());
        let found = failures(&[line("client", ask(json!({})))]);
        assert_eq!(found, [r#"2025-03-26 DoRequest f:1: "a" is a required property at `/params`"#]);
    }

    #[test]
    fn the_other_side_may_not_send_it() {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "do", "params": { "a": 1 } });
        assert_eq!(failures(&[line("server", message)]), ["2025-03-26 line f:1: ServerRequest has no do"]);
    }

    #[test]
    fn a_method_that_no_schema_has_is_held_against_its_envelope() {
        let found = failures(&[line("client", json!({ "id": 1, "method": "own" }))]);
        assert_eq!(found, [r#"2025-03-26 JSONRPCRequest f:1: "jsonrpc" is a required property at ``"#]);
    }

    #[test]
    fn a_result_is_held_against_the_method_of_its_request() {
        let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "do", "params": { "a": 1 } });
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        let wanted = r#""b" is a required property at ``"#;
        let found = failures(&[line("client", ask), line("server", answer.clone())]);
        assert_eq!(found, [format!("2025-03-26 DoResult f:2: {wanted}")]);
        let mut named = line("server", answer.clone());
        named["method"] = json!("do");
        assert_eq!(failures(&[named]), [format!("2025-03-26 DoResult f:1: {wanted}")]);
        let found = failures(&[line("server", answer)]);
        assert_eq!(found, ["2025-03-26 line f:1: nothing says which request it answers"]);
    }

    #[test]
    fn a_batch_is_looked_at_one_by_one() {
        let done = json!({ "jsonrpc": "2.0", "method": "done", "params": {} });
        let (count, found) = check(
            &documents(),
            "f",
            &line("client", json!([done, { "method": "done", "params": {} }])).to_string(),
        );
        assert_eq!((count, found.len()), (2, 1));
    }

    #[test]
    fn a_line_that_says_nothing_is_found() {
        assert_eq!(check(&documents(), "f", "no").1.len(), 1);
        assert_eq!(
            failures(&[json!({ "revision": "1999-01-01" })]),
            ["1999-01-01 line f:1: its revision has no schema"]
        );
    }
}
