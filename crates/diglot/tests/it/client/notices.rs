//! Notifications: the host hears them whichever way they come, as they came, and holds up nobody.

use std::sync::{Arc, Mutex};

use diglot::types::LoggingLevel;
use diglot::{ClientBuilder, Limits};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Reply, Scripted, builder, discovery, initialization, tools};

/// A server of each era that says these lines before it answers `tools/call`.
fn each_era(lines: fn() -> Vec<String>) -> [Scripted; 2] {
    let script = move |opening: fn(&str) -> Reply| {
        Scripted::new(move |method, message| match method {
            "tools/call" => {
                let mut lines = lines();
                lines.push(r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#.to_owned());
                Reply::Lines(lines)
            }
            "server/discover" | "initialize" => opening(method),
            _ => tools(method, message),
        })
    };
    let modern = script(|_| Reply::result(&discovery()));
    let legacy = script(|method| match method {
        "initialize" => Reply::result(&initialization()),
        _ => Reply::error(-32601, "no"),
    });
    [modern, legacy]
}

/// What a host heard, and a way to wait for more of it.
#[derive(Clone, Default)]
struct Heard {
    all: Arc<Mutex<Vec<String>>>,
    more: Arc<Notify>,
}

impl Heard {
    fn note(&self, text: String) {
        self.all.lock().unwrap().push(text);
        self.more.notify_one();
    }

    fn all(&self) -> Vec<String> {
        self.all.lock().unwrap().clone()
    }

    async fn until(&self, is_enough: impl Fn(&[String]) -> bool) -> Vec<String> {
        loop {
            let all = self.all();
            if is_enough(&all) {
                return all;
            }
            self.more.notified().await;
        }
    }

    fn listening(&self, builder: ClientBuilder) -> ClientBuilder {
        let heard = self.clone();
        builder.on_notification(move |method, params| {
            heard.note(format!("{method} {}", params.map_or("", |params| params.get())));
        })
    }
}

fn notification(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

#[tokio::test]
async fn a_notification_that_nobody_knows_reaches_the_host_byte_for_byte() {
    let raw = r#"{"n":9007199254740993,"one":1.0,"_meta":{"x/y":"\u00e9"}}"#;
    for server in each_era(|| {
        let raw = r#"{"n":9007199254740993,"one":1.0,"_meta":{"x/y":"\u00e9"}}"#;
        vec![
            format!(r#"{{"jsonrpc":"2.0","method":"x/custom","params":{raw}}}"#),
            notification("x/bare", &Value::Null),
            notification("notifications/tools/list_changed", &json!({})),
        ]
    }) {
        let heard = Heard::default();
        let client = server.connect(heard.listening(builder())).await.unwrap();
        client.call_tool("any", ()).await.unwrap();
        let all = heard.until(|all| all.len() == 3).await;
        let expected = [format!("x/custom {raw}"), "x/bare ".to_owned()];
        assert_eq!(all[..2], expected);
        assert_eq!(all[2], "notifications/tools/list_changed {}");
    }
}

#[tokio::test]
async fn a_log_message_reaches_the_host_as_a_type() {
    for server in each_era(|| {
        let message = json!({"level": "warning", "logger": "disk", "data": {"free": 3}});
        vec![
            notification("notifications/message", &json!({"data": "no level"})),
            notification("notifications/message", &message),
        ]
    }) {
        let heard = Heard::default();
        let noted = heard.clone();
        let builder = builder().on_log(move |message| {
            assert_eq!(message.level, LoggingLevel::Warning);
            noted.note(format!("{:?} {}", message.logger, message.data));
        });
        let client = server.connect(builder).await.unwrap();
        client.call_tool("any", ()).await.unwrap();
        assert_eq!(heard.until(|all| !all.is_empty()).await, [r#"Some("disk") {"free":3}"#]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_takes_its_time_holds_up_no_request_and_loses_the_oldest() {
    for server in each_era(|| (0..3000).map(|n| notification("x/flood", &json!(n))).collect()) {
        let heard = Heard::default();
        let noted = heard.clone();
        let (release, stuck) = std::sync::mpsc::channel::<()>();
        let stuck = Mutex::new(stuck);
        let builder =
            builder().limits(Limits::default().queued_messages(10)).on_notification(move |_, params| {
                // Waits until the sender is gone.
                let _ = tokio::task::block_in_place(|| stuck.lock().unwrap().recv());
                noted.note(params.unwrap().to_string());
            });
        let client = server.connect(builder).await.unwrap();
        client.call_tool("any", ()).await.unwrap();
        drop(release);
        let all = heard.until(|all| all.last().is_some_and(|last| last == "2999")).await;
        // The one that was stuck, and two queues of ten: the wire's and the host's.
        assert!(all.len() <= 1 + 2 * 10, "{}", all.len());
    }
}

#[tokio::test]
async fn what_is_said_before_the_handshake_is_over_is_heard_too() {
    let heard = Heard::default();
    let server = Scripted::new(|method, message| match method {
        "initialize" => {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": initialization()});
            Reply::Lines(vec![notification("x/early", &json!({})), answer.to_string()])
        }
        "server/discover" => Reply::error(-32601, "no"),
        _ => tools(method, message),
    });
    let _client = server.connect(heard.listening(builder())).await.unwrap();
    assert_eq!(heard.until(|all| !all.is_empty()).await, ["x/early {}"]);
}
