//! Requests of a connected client: results, progress, time, cancellation, and what is bounded.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::error::{Phase, Violation};
use diglot::{Client, Error, Limits};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, tools};

async fn each_era(script: fn(&str, &Value) -> Reply) -> Vec<(Client, Scripted)> {
    let modern = Scripted::new(move |method, message| match method {
        "server/discover" => Reply::result(&discovery()),
        _ => script(method, message),
    });
    let legacy = Scripted::new(move |method, message| match method {
        "initialize" => Reply::result(&super::initialization()),
        "server/discover" => Reply::error(-32601, "no"),
        _ => script(method, message),
    });
    let mut clients = Vec::new();
    for server in [modern, legacy] {
        clients.push((server.connect(builder()).await.unwrap(), server));
    }
    clients
}

#[tokio::test]
async fn arguments_go_out_and_come_back_byte_for_byte() {
    let text = r#"{"z":9007199254740993,"a":1.0,"n":-0,"s":"\u00e9\/","list":[1e2]}"#;
    for (client, _) in each_era(|method, message| match method {
        "tools/call" => Reply::result(&json!({"content": []})),
        _ => tools(method, message),
    })
    .await
    {
        let arguments = RawValue::from_string(text.to_owned()).unwrap();
        let result = client.call_tool("echo", arguments).await.unwrap();
        assert!(!result.is_error);
    }
    // The scripted server parses what it gets, so the bytes are looked at on the wire.
    let (transport, end) = diglot::transport::memory_pair();
    let connecting = tokio::spawn(builder().mode(diglot::Mode::Modern).connect(transport));
    let (reader, mut writer) = tokio::io::split(end);
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(reader));
    lines.next_line().await.unwrap();
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": discovery()}).to_string() + "\n";
    tokio::io::AsyncWriteExt::write_all(&mut writer, answer.as_bytes()).await.unwrap();
    let client = connecting.await.unwrap().unwrap();
    let arguments = RawValue::from_string(text.to_owned()).unwrap();
    let call = tokio::spawn(async move { client.call_tool("echo", arguments).await });
    let line = lines.next_line().await.unwrap().unwrap();
    assert!(line.contains(&format!(r#""arguments":{text}"#)), "{line}");
    let structured = r#"{"big":9007199254740993,"one":1.0}"#;
    let answer =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"structuredContent\":{structured}}}}}\n");
    tokio::io::AsyncWriteExt::write_all(&mut writer, answer.as_bytes()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap().structured.unwrap().get(), structured);
}

#[tokio::test]
async fn results_are_read_as_types() {
    for (client, _) in each_era(|method, message| match method {
        "tools/call" => Reply::result(&message["params"]["arguments"]),
        _ => tools(method, message),
    })
    .await
    {
        let answer = async |result: Value| client.call_tool("any", result).await.unwrap();
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        assert_eq!(answer(text("3")).await.parse::<i64>().unwrap(), 3);
        assert_eq!(answer(text("three")).await.parse::<String>().unwrap(), "three");
        assert_eq!(answer(json!({"structuredContent": {"result": 3}})).await.parse::<i64>().unwrap(), 3);
        assert_eq!(
            answer(json!({"content": [], "structuredContent": [1, 2]})).await.parse::<Vec<u8>>().unwrap(),
            [1, 2]
        );
        assert!(answer(text("x")).await.parse::<i64>().is_err());
        let failed = answer(json!({"isError": true, "content": [{"type": "text", "text": "no disk"}]})).await;
        assert!(failed.is_error);
        assert_eq!(failed.parse::<String>().unwrap_err().to_string(), "the tool reports an error: no disk");
        assert!(answer(json!({"content": null, "structuredContent": null})).await.content.is_empty());
    }
}

#[tokio::test]
async fn progress_is_heard_in_order_and_only_when_asked_for() {
    for (client, server) in each_era(tools).await {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = heard.clone();
        let call =
            client.call_tool("slow", ()).on_progress(move |p| listener.lock().unwrap().push(p.to_string()));
        assert!(call.await.unwrap().structured.is_some());
        assert_eq!(*heard.lock().unwrap(), ["1/3", "2/3", "3/3"]);
        client.call_tool("echo", json!({})).await.unwrap();
        let calls = server.sent("tools/call");
        assert!(calls[0]["params"]["_meta"]["progressToken"].is_i64());
        assert!(calls[1]["params"]["_meta"].get("progressToken").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_cancelled_and_the_client_goes_on() {
    for (client, server) in each_era(tools).await {
        let error = client.call_tool("hang", ()).timeout(Duration::from_secs(5)).await.unwrap_err();
        let Error::Timeout(detail) = error else { panic!("{error:?}") };
        assert_eq!((detail.phase, detail.after), (Phase::Request, Duration::from_secs(5)));
        client.call_tool("echo", json!({})).await.unwrap();
        let id = server.sent("tools/call")[0]["id"].clone();
        let cancelled = server.sent("notifications/cancelled");
        assert_eq!(cancelled.len(), 1);
        assert_eq!(cancelled[0]["params"]["requestId"], id);
    }
}

#[tokio::test]
async fn dropping_a_call_withdraws_it() {
    for (client, server) in each_era(tools).await {
        let mut call = Box::pin(client.call_tool("hang", ()).into_future());
        // The slow call is sent first, so the quick one's answer says that it was.
        tokio::select! {
            biased;
            _ = &mut call => panic!("it hangs"),
            result = client.call_tool("echo", json!({})).into_future() => { result.unwrap(); }
        }
        drop(call);
        client.call_tool("echo", json!({})).await.unwrap();
        assert_eq!(server.sent("notifications/cancelled").len(), 1);
    }
}

#[tokio::test]
async fn calls_that_are_open_when_the_server_goes_fail_at_once() {
    for (client, _) in each_era(tools).await {
        let (hanging, dying) = tokio::join!(
            client.call_tool("hang", ()).into_future(),
            client.call_tool("die", ()).into_future()
        );
        for error in [hanging.unwrap_err(), dying.unwrap_err()] {
            assert!(matches!(&error, Error::Transport(detail) if detail.sent), "{error:?}");
            assert!(error.to_string().contains("may have acted"), "{error}");
        }
        assert!(client.call_tool("echo", json!({})).await.is_err());
    }
}

#[tokio::test]
async fn a_list_takes_all_pages_and_leaves_out_what_is_malformed() {
    for (client, _) in each_era(|_, message| match message["params"]["cursor"].as_str() {
        None => {
            Reply::result(&json!({"tools": [{"name": "a"}, {"title": "nameless"}, 7], "nextCursor": "2"}))
        }
        Some("2") => Reply::result(&json!({"tools": [{"name": "b", "inputSchema": []}], "nextCursor": "3"})),
        Some(_) => {
            Reply::result(&json!({"tools": [{"name": "c", "inputSchema": {"x": 1}}], "nextCursor": ""}))
        }
    })
    .await
    {
        let list = client.list_tools().await.unwrap();
        let names: Vec<_> = list.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, list.pages), (vec!["a", "c"], 3));
        let left_out: Vec<_> = list.left_out.iter().map(ToString::to_string).collect();
        let expected = [
            "item 1 is left out: it has no name",
            "item 2 is left out: it is not an object",
            "\"b\" (item 3) is left out: its inputSchema has another shape",
        ];
        assert_eq!(left_out, expected);
    }
}

#[tokio::test]
async fn a_list_without_end_meets_a_limit() {
    let forever = |_: &str, message: &Value| {
        let page = message["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u32>().unwrap());
        Reply::result(&json!({"tools": [{"name": "a"}], "nextCursor": (page + 1).to_string()}))
    };
    let server = Scripted::new(move |method, message| match method {
        "server/discover" => Reply::result(&discovery()),
        _ => forever(method, message),
    });
    for (limits, name) in
        [(Limits::default().list(10, 100), "10 items"), (Limits::default().list(100, 10), "10 pages")]
    {
        let client = server.connect(builder().limits(limits)).await.unwrap();
        let error = client.list_tools().await.unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let circle = Scripted::new(|method, _| match method {
        "server/discover" => Reply::result(&discovery()),
        _ => Reply::result(&json!({"tools": [], "nextCursor": "again"})),
    });
    let error = circle.connect(builder()).await.unwrap().list_tools().await.unwrap_err();
    assert!(
        matches!(&error, Error::Protocol(detail) if matches!(detail.violation, Violation::RepeatedCursor)),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_error_of_the_server_keeps_its_code_message_and_data() {
    for (client, _) in each_era(|_, _| {
        Reply::line(
            r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"full","data":{"free":0}}}"#,
        )
    })
    .await
    {
        let Err(Error::Rpc(error)) = client.call_tool("x", ()).await else { panic!("no error") };
        assert_eq!((error.code, error.message.as_str()), (-32000, "full"));
        assert_eq!(error.data.unwrap().get(), r#"{"free":0}"#);
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused_before_anything_is_sent() {
    let server = Scripted::modern();
    let client = server.connect(builder()).await.unwrap();
    let error = client.call_tool("echo", json!([1])).await.unwrap_err();
    assert_eq!(error.to_string(), "the arguments cannot be sent: they are JSON, and not an object");
    assert_eq!(server.methods(), ["server/discover"]);
}

#[tokio::test]
async fn a_modern_result_of_an_unknown_type_is_not_used() {
    let server = Scripted::new(|method, _| match method {
        "server/discover" => Reply::result(&discovery()),
        _ => Reply::result(&json!({"resultType": "later", "content": []})),
    });
    let error = server.connect(builder()).await.unwrap().call_tool("x", ()).await.unwrap_err();
    assert!(error.to_string().contains("later"), "{error}");
}

#[tokio::test]
async fn a_thousand_calls_at_once_get_their_own_answers() {
    for (client, _) in each_era(tools).await {
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..1000_u32 {
            let call = client.call_tool("echo", json!({ "n": number })).into_future();
            calls.spawn(async move { (number, call.await.unwrap().text()) });
        }
        let mut seen = HashSet::new();
        while let Some(answer) = calls.join_next().await {
            let (number, text) = answer.unwrap();
            assert_eq!(text, format!(r#"{{"n":{number}}}"#));
            seen.insert(number);
        }
        assert_eq!(seen.len(), 1000);
    }
}
