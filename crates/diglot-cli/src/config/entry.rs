//! One server of a configuration file.

use std::path::Path;

use serde_json::{Map, Value};

use crate::args::HttpWire;
use crate::target::{Child, Http, Place, Target};

use super::expand::expand;
use super::files::Within;
use super::jsonc;

/// A server as its file has it, not yet looked into.
pub(super) struct Entry {
    pub(super) name: String,
    body: Value,
}

/// Reads the servers of a file; `folder` picks the projects of a file that knows several.
pub(super) fn servers(text: &str, folder: &Path) -> Result<Vec<Entry>, String> {
    let file: Value = jsonc::read(text)?;
    let mut servers = Vec::new();
    let mut take = |from: &Value| {
        for key in ["mcpServers", "servers"] {
            for (name, body) in from.get(key).and_then(Value::as_object).into_iter().flatten() {
                servers.push(Entry { name: name.clone(), body: body.clone() });
            }
        }
    };
    // Claude Code keeps what a user set for one project here, and it goes before what holds everywhere.
    let projects = file.get("projects").and_then(Value::as_object);
    for above in folder.ancestors() {
        let project = above.to_str().and_then(|above| projects?.get(above));
        project.into_iter().for_each(&mut take);
    }
    take(&file);
    // The settings of VS Code had them in here.
    file.get("mcp").into_iter().for_each(&mut take);
    match file.is_object() {
        true => Ok(servers),
        false => Err("line 1, column 1: it is not an object".to_owned()),
    }
}

impl Entry {
    /// Tells how the server is reached, its variables replaced.
    pub(super) fn target(&self, within: &Within<'_>) -> Result<Target, String> {
        let body = self.body.as_object().ok_or("it is not an object")?;
        let kind = text(body, "type", within)?.or(text(body, "transport", within)?).unwrap_or_default();
        let url = [text(body, "url", within)?, text(body, "serverUrl", within)?].into_iter().flatten().next();
        match (url, text(body, "command", within)?) {
            (Some(_), Some(_)) if kind.is_empty() => Err("it has both a command and a url".to_owned()),
            (Some(url), command) if kind != "stdio" || command.is_none() => http(url, &kind, body, within),
            (_, Some(command)) => child(command, body, within),
            (None, None) => Err("it has neither a command nor a url".to_owned()),
            (Some(_), None) => Err("it has no command".to_owned()),
        }
    }
}

fn http(url: String, kind: &str, body: &Map<String, Value>, within: &Within<'_>) -> Result<Target, String> {
    let wire = match kind {
        "" | "http" | "remote" => HttpWire::Auto,
        "streamable-http" | "streamableHttp" | "streamable_http" => HttpWire::Streamable,
        "sse" => HttpWire::Sse,
        other => {
            return Err(format!(
                "its type {other:?} is unknown; known are stdio, http, streamable-http, sse"
            ));
        }
    };
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err("its url begins with neither http:// nor https://".to_owned());
    }
    let headers = table(body, "headers", within)?;
    Ok(Target::Http(Http { place: Place::Address(url), headers, bearer: None, wire }))
}

fn child(command: String, body: &Map<String, Value>, within: &Within<'_>) -> Result<Target, String> {
    let args = match body.get("args") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(args)) => {
            let arg = |arg: &Value| match arg {
                Value::String(arg) => expand(arg, within).map(Into::into),
                Value::Number(_) | Value::Bool(_) => Ok(arg.to_string().into()),
                _ => Err("one of its args is no text".to_owned()),
            };
            args.iter().map(arg).collect::<Result<_, _>>()?
        }
        Some(_) => return Err("its args are not an array".to_owned()),
    };
    let folder = text(body, "cwd", within)?.map(|folder| within.folder.join(folder));
    Ok(Target::Child(Child { program: command.into(), args, env: table(body, "env", within)?, folder }))
}

fn text(body: &Map<String, Value>, key: &str, within: &Within<'_>) -> Result<Option<String>, String> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => expand(text, within).map(Some),
        Some(_) => Err(format!("its {key} is no text")),
    }
}

fn table(body: &Map<String, Value>, key: &str, within: &Within<'_>) -> Result<Vec<(String, String)>, String> {
    let rows = match body.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(rows)) => rows,
        Some(_) => return Err(format!("its {key} are not an object")),
    };
    let row = |(name, value): (&String, &Value)| match value {
        Value::String(value) => Ok(Some((name.clone(), expand(value, within)?))),
        Value::Number(_) | Value::Bool(_) => Ok(Some((name.clone(), value.to_string()))),
        Value::Null => Ok(None),
        _ => Err(format!("{name} of its {key} is no text")),
    };
    rows.iter().filter_map(|pair| row(pair).transpose()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(body: &str) -> Result<Target, String> {
        let variables = |name: &str| (name == "KEY").then(|| "k".to_owned());
        let within = Within { folder: "/project".into(), home: None, variables: &variables };
        let text = format!("{{\"mcpServers\": {{\"a\": {body}}}}}");
        servers(&text, Path::new("/project"))?.first().expect("there is one").target(&within)
    }

    #[test]
    fn a_command_comes_with_its_arguments_and_environment() {
        let target = target(
            r#"{"command": "npx", "args": ["-y", "${KEY}", 5], "env": {"A": "${env:KEY}", "B": null}, "cwd": "sub"}"#,
        );
        let expected = Child {
            program: "npx".into(),
            args: vec!["-y".into(), "k".into(), "5".into()],
            env: vec![("A".into(), "k".into())],
            folder: Some("/project/sub".into()),
        };
        assert_eq!(target, Ok(Target::Child(expected)));
    }

    #[test]
    fn a_type_picks_the_transport() {
        for (kind, wire) in [
            ("", HttpWire::Auto),
            (r#""type": "http","#, HttpWire::Auto),
            (r#""type": "streamable-http","#, HttpWire::Streamable),
            (r#""type": "sse","#, HttpWire::Sse),
        ] {
            let found =
                target(&format!(r#"{{{kind} "url": "https://a/mcp", "headers": {{"X": "${{KEY}}"}}}}"#));
            let Ok(Target::Http(http)) = found else { panic!("{found:?}") };
            assert_eq!((http.wire, http.headers), (wire, vec![("X".to_owned(), "k".to_owned())]));
        }
    }

    #[test]
    fn an_entry_that_cannot_be_used_says_why() {
        for (body, why) in [
            ("5", "not an object"),
            ("{}", "neither"),
            (r#"{"command": "a", "url": "http://b"}"#, "both"),
            (r#"{"type": "carrier-pigeon", "url": "http://b"}"#, "carrier-pigeon"),
            (r#"{"command": "a", "args": "b"}"#, "args"),
            (r#"{"url": "${input:address}"}"#, "${input:address}"),
            (r#"{"url": "ws://b"}"#, "http://"),
        ] {
            let told = target(body).expect_err("it cannot be used");
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn what_is_set_for_the_project_goes_first() {
        let text = r#"{"projects": {"/project": {"mcpServers": {"a": {"command": "near"}}},
            "/other": {"mcpServers": {"b": {}}}}, "mcpServers": {"a": {"command": "far"}}}"#;
        let servers = servers(text, Path::new("/project/sub")).unwrap();
        assert_eq!(servers.len(), 2);
        assert_eq!(servers[0].body["command"], "near");
    }
}
