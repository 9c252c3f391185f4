//! What servers ask of the client, in both eras: the same handlers, the same program.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diglot::jsonrpc::RpcError;
use diglot::types::{CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, Root};
use diglot::{Client, ClientBuilder, Error, Limits};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, initialization};

fn form() -> Value {
    json!({"mode": "form", "message": "Sure?", "requestedSchema": {"type": "object",
        "properties": {"yes": {"type": "boolean"}, "note": {"type": "string", "default": "none"}}, "required": ["yes"]}})
}

/// A modern server that asks for what the tool is named after, and answers with what it got.
fn modern() -> Scripted {
    Scripted::new(|method, message| {
        let params = &message["params"];
        let asks = match params["name"].as_str() {
            Some("form") => json!({"q": {"method": "elicitation/create", "params": form()}}),
            Some("model") => json!({"m": {"method": "sampling/createMessage", "params": question()}}),
            Some("roots") => json!({"r": {"method": "roots/list"}}),
            Some("all") => json!({
                "q": {"method": "elicitation/create", "params": form()},
                "m": {"method": "sampling/createMessage", "params": question()},
                "r": {"method": "roots/list"}
            }),
            _ => json!({}),
        };
        match (method, params.get("inputResponses")) {
            ("server/discover", _) => Reply::result(&discovery()),
            ("tools/call", None) => Reply::result(
                &json!({"resultType": "input_required", "inputRequests": asks, "requestState": "s\u{e9}"}),
            ),
            ("tools/call", Some(answers)) => {
                assert_eq!(params["requestState"], "s\u{e9}");
                let text = answers.to_string();
                Reply::result(&json!({"resultType": "complete", "content": [{"type": "text", "text": text}]}))
            }
            _ => Reply::error(-32601, "no"),
        }
    })
}

fn question() -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": "2+2?"}}], "maxTokens": 10})
}

async fn elicited(params: ElicitParams) -> ElicitResult {
    let ElicitParams::Form(_) = params else { return ElicitResult::decline() };
    ElicitResult::accept(RawValue::from_string(r#"{"yes":true}"#.to_owned()).unwrap())
}

async fn sampled(_: CreateMessageParams) -> Result<CreateMessageResult, RpcError> {
    let result =
        r#"{"role":"assistant","content":{"type":"text","text":"4"},"model":"m","stopReason":"endTurn"}"#;
    Ok(CreateMessageResult::read(&RawValue::from_string(result.to_owned()).unwrap()).unwrap())
}

fn answering() -> ClientBuilder {
    builder()
        .on_elicitation(elicited)
        .on_sampling(sampled)
        .on_roots(|| async { vec![Root::new("file:///home")] })
}

#[tokio::test]
async fn a_modern_server_is_asked_again_with_the_answers() {
    let server = modern();
    let client = server.connect(answering()).await.unwrap();
    let answer = async |tool: &str| -> Value {
        let text = client.call_tool(tool, json!({"n": 1})).await.unwrap().text();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(
        answer("form").await,
        json!({"q": {"action": "accept", "content": {"yes": true, "note": "none"}}})
    );
    assert_eq!(answer("roots").await, json!({"r": {"roots": [{"uri": "file:///home"}]}}));
    let all = answer("all").await;
    assert_eq!(all["m"]["content"]["text"], "4");
    assert_eq!(all.as_object().unwrap().len(), 3);
    let calls = server.sent("tools/call");
    assert_eq!(calls[0]["params"]["arguments"], calls[1]["params"]["arguments"]);
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    let declared = &calls[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*declared, json!({"elicitation": {}, "sampling": {}, "roots": {}}));
}

#[tokio::test]
async fn a_legacy_server_is_answered_while_its_answer_is_awaited() {
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::error(-32601, "no"),
        "initialize" => Reply::result(&initialization()),
        "tools/call" => Reply::Lines(vec![
            json!({"jsonrpc": "2.0", "id": 70, "method": "elicitation/create", "params": form()}).to_string(),
            json!({"jsonrpc": "2.0", "id": 71, "method": "sampling/createMessage", "params": question()})
                .to_string(),
            json!({"jsonrpc": "2.0", "id": 72, "method": "roots/list"}).to_string(),
            json!({"jsonrpc": "2.0", "id": 73, "method": "tasks/unheard-of"}).to_string(),
        ]),
        // The last of the client's four answers lets the call end; its own id is 3.
        "" if message["id"] == 73 => Reply::line(r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#),
        _ => Reply::Silence,
    });
    let client = server.connect(answering()).await.unwrap();
    client.call_tool("any", ()).await.unwrap();
    client.notify("notifications/roots/list_changed", None).await.unwrap();
    let answers: Vec<Value> = {
        let saw = server.saw.lock().unwrap();
        saw.iter().filter(|message| message.get("method").is_none()).cloned().collect()
    };
    let answer = |id: i64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(answer(70)["result"], json!({"action": "accept", "content": {"yes": true, "note": "none"}}));
    assert_eq!(answer(71)["result"]["model"], "m");
    assert_eq!(answer(72)["result"], json!({"roots": [{"uri": "file:///home"}]}));
    assert_eq!(answer(73)["error"]["code"], -32601);
    assert_eq!(
        server.sent("initialize")[0]["params"]["capabilities"],
        json!({"elicitation": {}, "sampling": {}, "roots": {}})
    );
}

#[tokio::test]
async fn what_no_handler_is_set_for_fails_the_call_and_nothing_else() {
    let server = modern();
    let client = server.connect(builder()).await.unwrap();
    let error = client.call_tool("form", ()).await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
    assert!(error.to_string().contains("this client does not offer"), "{error}");
    assert_eq!(client.call_tool("none", ()).await.unwrap().text(), "{}");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_its_form_counts_as_cancelled() {
    let server = modern();
    let wrong = |_: ElicitParams| async {
        ElicitResult::accept(RawValue::from_string(r#"{"yes":"perhaps"}"#.to_owned()).unwrap())
    };
    let client = server.connect(builder().on_elicitation(wrong)).await.unwrap();
    let text = client.call_tool("form", ()).await.unwrap().text();
    assert_eq!(text, r#"{"q":{"action":"cancel"}}"#);
}

#[tokio::test]
async fn a_server_that_asks_for_ever_meets_a_limit() {
    let server = Scripted::new(|method, _| match method {
        "server/discover" => Reply::result(&discovery()),
        _ => Reply::result(&json!({"resultType": "input_required", "requestState": "more"})),
    });
    let client = server.connect(builder()).await.unwrap();
    let error = client.call_tool("any", ()).await.unwrap_err();
    assert!(error.to_string().contains("32 rounds of input"), "{error}");
    let error = client.list_tools().await.unwrap_err();
    assert!(error.to_string().contains("which this method may not"), "{error}");
}

#[tokio::test]
async fn several_questions_of_a_round_are_answered_at_the_same_time() {
    let waiting = Arc::new(AtomicUsize::new(0));
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let server = Scripted::new(|method, message| match (method, message["params"].get("inputResponses")) {
        ("server/discover", _) => Reply::result(&discovery()),
        (_, None) => Reply::result(&json!({"resultType": "input_required", "inputRequests": {
            "a": {"method": "elicitation/create", "params": form()},
            "b": {"method": "elicitation/create", "params": form()}}})),
        (_, Some(_)) => Reply::result(&json!({"content": []})),
    });
    let handler = {
        let (waiting, barrier) = (waiting.clone(), barrier.clone());
        move |params: ElicitParams| {
            let (waiting, barrier) = (waiting.clone(), barrier.clone());
            async move {
                waiting.fetch_add(1, Ordering::SeqCst);
                // Neither answer comes before both questions were asked.
                barrier.wait().await;
                elicited(params).await
            }
        }
    };
    let client: Client = server.connect(builder().on_elicitation(handler)).await.unwrap();
    client.call_tool("any", ()).await.unwrap();
    assert_eq!(waiting.load(Ordering::SeqCst), 2);
    assert!(server.sent("tools/call")[1]["params"].get("requestState").is_none());
}

#[tokio::test]
async fn the_other_methods_read_their_results() {
    for opening in ["modern", "legacy"] {
        let server = Scripted::new(move |method, message| match method {
            "server/discover" if opening == "modern" => Reply::result(&discovery()),
            "initialize" => Reply::result(&initialization()),
            "resources/list" => {
                Reply::result(&json!({"resources": [{"uri": "r://1", "name": "one"}, {"name": "no uri"}]}))
            }
            "resources/templates/list" => {
                Reply::result(&json!({"resourceTemplates": [{"uriTemplate": "r://{id}", "name": "t"}]}))
            }
            "prompts/list" => Reply::result(&json!({"prompts": [{"name": "greet"}]})),
            "resources/read" => {
                Reply::result(&json!({"contents": [{"uri": message["params"]["uri"], "text": "hello"}]}))
            }
            "prompts/get" => Reply::result(&json!({"messages": [
                {"role": "user", "content": {"type": "text", "text": message["params"]["arguments"]["name"]}}]})),
            "completion/complete" => Reply::result(&json!({"completion": {"values": ["ann", "anna"]}})),
            "ping" | "logging/setLevel" | "x/custom" => {
                Reply::result(&json!({"echo": message["params"]["x"]}))
            }
            _ => Reply::error(-32601, "no"),
        });
        let client = server.connect(builder()).await.unwrap();
        let resources = client.list_resources().await.unwrap();
        assert_eq!((resources.find("r://1").unwrap().name.as_str(), resources.left_out.len()), ("one", 1));
        assert_eq!(client.list_resource_templates().await.unwrap()[0].uri_template, "r://{id}");
        assert!(client.list_prompts().await.unwrap().find("greet").is_some());
        assert_eq!(client.read_resource("r://1").await.unwrap().contents.len(), 1);
        let prompt = client.prompt("greet", json!({"name": "Ann"})).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("Ann"));
        assert_eq!(client.complete_prompt("greet", "name", "an").await.unwrap().values, ["ann", "anna"]);
        client.ping().await.unwrap();
        client.set_log_level(diglot::types::LoggingLevel::Warning).await.unwrap();
        let params = RawValue::from_string(r#"{"x":1.0}"#.to_owned()).unwrap();
        let custom = client.request("x/custom", Some(params)).await.unwrap();
        assert!(custom.get().contains("\"echo\":1.0"), "{custom}");
        let level = &server.sent("x/custom")[0]["params"]["_meta"]["io.modelcontextprotocol/logLevel"];
        match opening {
            "modern" => assert_eq!(*level, "warning"),
            _ => assert_eq!(server.sent("logging/setLevel")[0]["params"], json!({"level": "warning"})),
        }
    }
}

/// The handler answers nobody before the last request has been refused.
#[tokio::test]
async fn a_legacy_server_that_asks_too_much_at_once_is_refused_by_the_limit() {
    const MOST: usize = 3;
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::error(-32601, "no"),
        "initialize" => Reply::result(&initialization()),
        "tools/call" => Reply::Lines(
            (0..=MOST)
                .map(|at| json!({"jsonrpc": "2.0", "id": 70 + at, "method": "roots/list"}).to_string())
                .collect(),
        ),
        // The last of the answers lets the call end; its own id is 3.
        "" if message["result"]["roots"].is_array() && message["id"] == 70 + MOST - 1 => {
            Reply::line(r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#)
        }
        _ => Reply::Silence,
    });
    let refused = Arc::new(tokio::sync::Semaphore::new(0));
    let waiting = refused.clone();
    let builder = builder().limits(Limits::default().input(8, MOST)).on_roots(move || {
        let waiting = waiting.clone();
        async move {
            waiting.acquire().await.unwrap().forget();
            vec![Root::new("file:///one")]
        }
    });
    let client = server.connect(builder).await.unwrap();
    let call = tokio::spawn(client.call_tool("any", ()).into_future());
    let refusal = loop {
        let saw = server.saw.lock().unwrap().clone();
        if let Some(refusal) = saw.into_iter().find(|message| message.get("error").is_some()) {
            break refusal;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(refusal["id"], 70 + MOST);
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("3 requests") && message.contains("input_requests"), "{message}");
    refused.add_permits(MOST);
    call.await.unwrap().unwrap();
}
