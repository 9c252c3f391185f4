//! Results that a modern server lets the client keep: how long, until what, and what is never kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use diglot::{Client, ClientBuilder, Limits};
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, initialization};

/// A server whose results say how often each thing was asked for, and may be kept for a minute.
fn counting() -> Scripted {
    let count = Arc::new(AtomicU32::new(0));
    Scripted::new(move |method, message| {
        let next = || count.fetch_add(1, Ordering::Relaxed);
        let cursor = message["params"]["cursor"].as_str();
        match method {
            "server/discover" => Reply::result(&discovery()),
            "initialize" => Reply::result(&initialization()),
            "tools/list" => Reply::result(&match cursor {
                None => kept(json!({"tools": [{"name": format!("a{}", next())}], "nextCursor": "2"}), 60_000),
                _ => kept(json!({"tools": [{"name": format!("b{}", next())}]}), 10_000),
            }),
            "resources/read" => {
                let uri = &message["params"]["uri"];
                let text = next().to_string();
                Reply::result(&kept(json!({"contents": [{"uri": uri, "text": text}]}), 60_000))
            }
            "change" => {
                let lines = [
                    message["params"]["tell"].to_string(),
                    r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete"}}"#.to_owned(),
                ];
                Reply::Lines(lines.to_vec())
            }
            _ if message.get("id").is_none() => Reply::Silence,
            _ => Reply::result(&json!({"resultType": "complete", "content": []})),
        }
    })
}

fn kept(mut result: Value, milliseconds: u64) -> Value {
    result["resultType"] = json!("complete");
    result["ttlMs"] = json!(milliseconds);
    result["cacheScope"] = json!("private");
    result
}

async fn connect(server: &Scripted, builder: ClientBuilder) -> Client {
    server.connect(builder).await.unwrap()
}

async fn names(client: &Client) -> String {
    let list = client.list_tools().await.unwrap();
    list.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ")
}

async fn read(client: &Client, uri: &str) -> String {
    let raw = client.read_resource(uri).await.unwrap().raw.unwrap();
    let result: Value = serde_json::from_str(raw.get()).unwrap();
    result["contents"][0]["text"].as_str().unwrap().to_owned()
}

/// Lets the server tell of a change, and returns when the client has heard of it.
async fn tell(client: &Client, method: &str, params: Value) {
    let notification = json!({"jsonrpc": "2.0", "method": method, "params": params});
    let params = serde_json::value::to_raw_value(&json!({"tell": notification})).unwrap();
    client.request("change", Some(params)).await.unwrap();
    // The notification belongs to no request, so another task hears it.
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn each_page_is_kept_for_as_long_as_the_server_says_of_it() {
    let server = counting();
    let client = connect(&server, builder()).await;
    assert_eq!(names(&client).await, "a0 b1");
    assert_eq!(names(&client).await, "a0 b1");
    tokio::time::advance(Duration::from_millis(9_999)).await;
    assert_eq!(names(&client).await, "a0 b1");
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(names(&client).await, "a0 b2");
    tokio::time::advance(Duration::from_secs(50)).await;
    assert_eq!(names(&client).await, "a3 b4");
    assert_eq!(server.sent("tools/list").len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_kept_by_its_address() {
    let server = counting();
    let client = connect(&server, builder()).await;
    assert_eq!(read(&client, "file:///a").await, "0");
    assert_eq!(read(&client, "file:///b").await, "1");
    assert_eq!(read(&client, "file:///a").await, "0");
    let fresh = client.read_resource("file:///a").fresh().await.unwrap().raw.unwrap();
    assert!(fresh.get().contains(r#""text":"2""#), "{fresh}");
    assert_eq!(read(&client, "file:///a").await, "2");
}

#[tokio::test(start_paused = true)]
async fn a_notification_drops_what_it_is_about_and_nothing_else() {
    let client = connect(&counting(), builder()).await;
    assert_eq!(names(&client).await, "a0 b1");
    assert_eq!(
        (read(&client, "file:///a").await, read(&client, "file:///b").await),
        ("2".into(), "3".into())
    );
    tell(&client, "notifications/resources/updated", json!({"uri": "file:///a"})).await;
    assert_eq!(
        (read(&client, "file:///a").await, read(&client, "file:///b").await),
        ("4".into(), "3".into())
    );
    assert_eq!(names(&client).await, "a0 b1");
    tell(&client, "notifications/prompts/list_changed", json!({})).await;
    assert_eq!(names(&client).await, "a0 b1");
    tell(&client, "notifications/tools/list_changed", json!({})).await;
    assert_eq!(names(&client).await, "a5 b6");
    client.clear_cache();
    assert_eq!(names(&client).await, "a7 b8");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_where_the_host_or_the_limits_say_so() {
    for builder in [builder().cache(false), builder().limits(Limits::default().cache(0, 1 << 20))] {
        let client = connect(&counting(), builder).await;
        assert_eq!(names(&client).await, "a0 b1");
        assert_eq!(names(&client).await, "a2 b3");
    }
    let short = Limits::default().cache_age(Duration::from_secs(1));
    let client = connect(&counting(), builder().limits(short)).await;
    assert_eq!(names(&client).await, "a0 b1");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(names(&client).await, "a2 b3");
}

#[tokio::test(start_paused = true)]
async fn a_legacy_result_is_never_kept() {
    let client = connect(&counting(), builder().mode(diglot::Mode::Legacy)).await;
    assert_eq!(names(&client).await, "a0 b1");
    assert_eq!(names(&client).await, "a2 b3");
}

#[tokio::test(start_paused = true)]
async fn a_request_with_meta_of_its_own_passes_the_cache_by() {
    let client = connect(&counting(), builder()).await;
    assert_eq!(read(&client, "file:///a").await, "0");
    client.read_resource("file:///a").meta("example.org/tenant", "b").await.unwrap();
    assert_eq!(read(&client, "file:///a").await, "0");
    client.ping().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_result_that_took_rounds_of_input_is_not_kept() {
    let server = Scripted::new(|method, message| match method {
        "server/discover" => Reply::result(&discovery()),
        _ if message["params"].get("requestState").is_none() => {
            Reply::result(&json!({"resultType": "input_required", "requestState": "s"}))
        }
        _ => Reply::result(&kept(json!({"contents": []}), 60_000)),
    });
    let client = connect(&server, builder()).await;
    for _ in 0..2 {
        client.read_resource("file:///a").await.unwrap();
    }
    assert_eq!(server.sent("resources/read").len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_list_begins_anew_where_the_cursor_of_a_page_that_was_kept_is_refused() {
    let count = AtomicU32::new(0);
    let server = Scripted::new(move |method, message| match (method, message["params"]["cursor"].as_str()) {
        ("server/discover", _) => Reply::result(&discovery()),
        (_, None) => {
            let cursor = format!("c{}", count.fetch_add(1, Ordering::Relaxed));
            Reply::result(&kept(json!({"tools": [{"name": cursor}], "nextCursor": cursor}), 60_000))
        }
        (_, Some("c0")) if count.load(Ordering::Relaxed) == 1 && message["id"] != 3 => {
            Reply::error(-32602, "the cursor is unknown")
        }
        (_, Some(cursor)) => {
            Reply::result(&json!({"resultType": "complete", "tools": [{"name": format!("after {cursor}")}]}))
        }
    });
    let client = connect(&server, builder()).await;
    assert_eq!(names(&client).await, "c0 after c0");
    assert_eq!(names(&client).await, "c1 after c1");
}

#[tokio::test]
async fn pages_are_taken_one_by_one_with_all_that_they_say() {
    let server = counting();
    let client = connect(&server, builder()).await;
    let mut pages = client.list_tools().pages();
    let first = pages.next().await.unwrap().unwrap();
    assert_eq!(server.sent("tools/list").len(), 1);
    assert_eq!((first.tools[0].name.as_str(), first.next_cursor.as_deref()), ("a0", Some("2")));
    assert!(first.raw.get().contains(r#""ttlMs":60000"#), "{}", first.raw);
    let second = pages.next().await.unwrap().unwrap();
    assert_eq!((second.tools[0].name.as_str(), second.next_cursor), ("b1", None));
    assert!(pages.next().await.unwrap().is_none());
    let rest = client.list_tools().cursor("2").await.unwrap();
    assert_eq!((rest.len(), rest.pages), (1, 1));
}
