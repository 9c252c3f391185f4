//! What every request may ask for: its own `_meta`, time, progress, log level, in one shape for all methods.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::types::LoggingLevel;
use diglot::{Client, Error, Limits};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, initialization, tools};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Answers every method with a result that has all that any of them needs.
fn anything(method: &str, message: &Value) -> Reply {
    match method {
        _ if message.get("id").is_none() => Reply::Silence,
        "server/discover" => Reply::result(&discovery()),
        "initialize" => Reply::result(&initialization()),
        _ => Reply::result(&json!({
            "resultType": "complete", "tools": [], "resources": [], "resourceTemplates": [], "prompts": [],
            "content": [], "contents": [], "messages": [], "completion": {"values": []}
        })),
    }
}

async fn each_era() -> Vec<(Client, Scripted)> {
    let mut clients = Vec::new();
    for mode in [diglot::Mode::Modern, diglot::Mode::Legacy] {
        let server = Scripted::new(anything);
        clients.push((server.connect(builder().mode(mode)).await.unwrap(), server));
    }
    clients
}

/// Sends one request of every kind, with options that are set by the same words.
macro_rules! every_kind {
    ($client:ident, $request:ident => $options:expr) => {{
        macro_rules! send {
            ($start:expr) => {{
                let $request = $start;
                $options.await.unwrap();
            }};
        }
        send!($client.call_tool("t", json!({"a": 1})));
        send!($client.read_resource("file:///a"));
        send!($client.prompt("p", ()));
        send!($client.complete_prompt("p", "a", "v"));
        send!($client.complete_template("t", "a", "v"));
        send!($client.list_tools());
        send!($client.list_resources());
        send!($client.list_resource_templates());
        send!($client.list_prompts());
        send!($client.request("custom/thing", None));
    }};
}

#[tokio::test]
async fn every_kind_of_request_takes_the_same_options_in_each_era() {
    for (client, server) in each_era().await {
        let exact = RawValue::from_string(r#"{"n":1.0,"big":9007199254740993}"#.to_owned()).unwrap();
        let before = server.methods().len();
        every_kind!(client, request => request
            .meta("example.org/tag", &exact)
            .timeout(Duration::from_secs(5))
            .timeout_reset_on_progress(Duration::from_secs(50))
            .log_level(LoggingLevel::Debug)
            .on_progress(|_| {})
            .on_log(|_| {}));
        let messages = server.saw.lock().unwrap()[before..].to_vec();
        assert_eq!(messages.len(), 10);
        for message in messages {
            let meta = &message["params"]["_meta"];
            assert_eq!(
                meta["example.org/tag"],
                json!({"n": 1.0, "big": 9_007_199_254_740_993_u64}),
                "{message}"
            );
            assert!(meta["progressToken"].is_number(), "{message}");
            match client.era() {
                diglot::Era::Modern => assert_eq!(meta[LEVEL], "debug", "{message}"),
                _ => assert!(meta.get(LEVEL).is_none(), "{message}"),
            }
        }
    }
}

#[tokio::test]
async fn what_the_protocol_says_in_meta_cannot_be_replaced() {
    let (client, server) = each_era().await.remove(0);
    client.call_tool("t", ()).meta(VERSION, "1999-01-01").meta("x", 1).await.unwrap();
    let meta = &server.sent("tools/call")[0]["params"]["_meta"];
    assert_eq!((&meta[VERSION], &meta["x"]), (&json!("2026-07-28"), &json!(1)));
}

#[tokio::test]
async fn meta_that_is_no_json_is_the_error_of_the_request_and_nothing_is_sent() {
    let (client, server) = each_era().await.remove(0);
    let odd = std::collections::HashMap::from([((1, 2), 3)]);
    let error = client.read_resource("file:///a").meta("x", odd).await.unwrap_err();
    assert!(matches!(error, Error::Arguments(_)), "{error:?}");
    assert_eq!(server.methods(), ["server/discover"]);
}

/// A server that tells of progress every time that it is nudged, and of nothing else.
async fn working(limits: Limits) -> (Client, Scripted) {
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::result(&discovery()),
        "tools/call" => Reply::Silence,
        "nudge" => {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": message["params"]["token"], "progress": message["id"]}});
            Reply::Lines(vec![
                progress.to_string(),
                r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete"}}"#.to_owned(),
            ])
        }
        _ => tools(method, message),
    });
    (server.connect(builder().limits(limits)).await.unwrap(), server)
}

#[tokio::test(start_paused = true)]
async fn progress_starts_the_time_anew_up_to_a_most() {
    let (client, _) = working(Limits::default()).await;
    let began = tokio::time::Instant::now();
    let heard = Arc::new(Mutex::new(0));
    let listener = heard.clone();
    let call = client
        .call_tool("hang", ())
        .timeout(Duration::from_secs(10))
        .timeout_reset_on_progress(Duration::from_secs(25))
        .on_progress(move |_| *listener.lock().unwrap() += 1);
    let call = tokio::spawn(call.into_future());
    // The call has the id 2. It is nudged after 8, 16 and 24 seconds.
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(8)).await; // paused clock
        let params = RawValue::from_string(r#"{"token":2}"#.to_owned()).unwrap();
        client.request("nudge", Some(params)).await.unwrap();
    }
    let Error::Timeout(detail) = call.await.unwrap().unwrap_err() else { panic!("no time-out") };
    assert_eq!((detail.after, *heard.lock().unwrap()), (Duration::from_secs(25), 3));
    assert_eq!(began.elapsed().as_secs(), 25);
}

#[tokio::test(start_paused = true)]
async fn progress_changes_no_time_that_is_not_told_to_start_anew() {
    let (client, _) = working(Limits::default()).await;
    let call = client.call_tool("hang", ()).timeout(Duration::from_secs(10)).on_progress(|_| {});
    let call = tokio::spawn(call.into_future());
    tokio::time::sleep(Duration::from_secs(8)).await; // paused clock
    let params = RawValue::from_string(r#"{"token":2}"#.to_owned()).unwrap();
    client.request("nudge", Some(params)).await.unwrap();
    let began = tokio::time::Instant::now();
    call.await.unwrap().unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 2);
}

#[tokio::test]
async fn a_time_that_no_clock_can_hold_is_for_ever() {
    let (client, _) = each_era().await.remove(0);
    client.call_tool("t", ()).timeout(Duration::MAX).timeout_reset_on_progress(Duration::MAX).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_open_than_the_limit_allows() {
    let (client, server) = working(Limits::default().open_requests(2)).await;
    let open = [client.call_tool("hang", ()), client.call_tool("hang", ())];
    let open = open.map(|call| tokio::spawn(call.timeout(Duration::from_secs(5)).into_future()));
    tokio::time::sleep(Duration::from_secs(1)).await; // paused clock
    let error = client.call_tool("hang", ()).await.unwrap_err();
    assert!(matches!(error, Error::OverLimit("open requests", 2)), "{error:?}");
    assert!(error.to_string().contains("2 open requests"), "{error}");
    for call in open {
        assert!(matches!(call.await.unwrap(), Err(Error::Timeout(_))));
    }
    client.call_tool("echo", json!({})).timeout(Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(server.sent("tools/call").len(), 3);
}

#[tokio::test]
async fn rounds_of_input_and_the_requests_in_one_have_limits_with_names() {
    let asking = |questions: usize| {
        Scripted::new(move |method, _| match method {
            "server/discover" => Reply::result(&discovery()),
            _ => {
                let questions = (0..questions).map(|at| (at.to_string(), json!({"method": "roots/list"})));
                let questions: serde_json::Map<_, _> = questions.collect();
                Reply::result(&json!({"resultType": "input_required", "inputRequests": questions}))
            }
        })
    };
    let limits = Limits::default().input(3, 2);
    let builder = || builder().limits(limits.clone()).on_roots(async || Vec::new());
    let server = asking(2);
    let error = server.connect(builder()).await.unwrap().call_tool("t", ()).await.unwrap_err();
    assert!(error.to_string().contains("3 rounds of input"), "{error}");
    assert_eq!(server.sent("tools/call").len(), 4);
    let error = asking(3).connect(builder()).await.unwrap().call_tool("t", ()).await.unwrap_err();
    assert!(error.to_string().contains("2 requests for input"), "{error}");
}
