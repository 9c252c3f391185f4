//! Subscriptions over HTTP that break off: the streams of both eras, and the sessions of the legacy one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::client::{Change, Interruption, Subscription};
use diglot::types::{ElicitParams, ElicitResult, SubscriptionFilter};
use diglot::{Client, Error, Mode, StreamableHttp};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{builder, discovery, initialization};
use crate::played::{Played, event, json, message, status, stream};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn result(message: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
}

fn changed() -> String {
    event(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
}

fn acknowledged(message: &Value) -> String {
    let params = json!({"_meta": {ID: message["id"]}, "notifications": message["params"]["notifications"]});
    event(&json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}))
}

/// What a server does with the streams of one kind, by their number from 0.
type Streams = fn(usize, &Value) -> http::Response<diglot::http::Body>;

/// A server over HTTP, and when its streams were asked for.
#[derive(Clone, Default)]
struct Site {
    asked: Arc<Mutex<Vec<Instant>>>,
    subscribed: Arc<Mutex<Vec<String>>>,
    sessions: Arc<AtomicUsize>,
    answers: Arc<Mutex<Vec<Value>>>,
}

impl Site {
    fn next_stream(&self) -> usize {
        let mut asked = self.asked.lock().unwrap();
        asked.push(Instant::now());
        asked.len() - 1
    }

    fn waits(&self) -> Vec<u128> {
        let asked = self.asked.lock().unwrap();
        asked.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_millis()).collect()
    }

    async fn modern(&self, streams: Streams) -> Client {
        let site = self.clone();
        let played = Played::new(move |request| {
            let message = message(request);
            match message["method"].as_str().unwrap_or_default() {
                "server/discover" => json(&result(&message, &discovery())),
                "subscriptions/listen" => streams(site.next_stream(), &message),
                _ => status(404),
            }
        });
        let transport = StreamableHttp::over("http://localhost/mcp", played).unwrap();
        builder().mode(Mode::Modern).connect(transport).await.unwrap()
    }

    /// A legacy server that knows the last session it began; what a stream says is given by `streams`.
    fn legacy(&self, streams: Streams) -> StreamableHttp {
        let site = self.clone();
        let played = Played::new(move |request| {
            let message = message(request);
            let current = site.sessions.load(Ordering::Relaxed);
            let session = request.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
            let is_known = session == Some(format!("s{current}"));
            if message["method"] == "initialize" {
                let number = site.sessions.fetch_add(1, Ordering::Relaxed) + 1;
                let mut opened = initialization();
                opened["capabilities"]["resources"] = json!({"subscribe": true});
                let mut response = json(&result(&message, &opened));
                response.headers_mut().insert("mcp-session-id", format!("s{number}").parse().unwrap());
                return response;
            }
            if !is_known {
                return status(404);
            }
            match (request.method().as_str(), message["method"].as_str()) {
                ("GET", _) => streams(site.next_stream(), &message),
                ("POST", Some("resources/subscribe")) => {
                    let uri = message["params"]["uri"].as_str().unwrap().to_owned();
                    site.subscribed.lock().unwrap().push(format!("{} {uri}", session.unwrap()));
                    json(&result(&message, &json!({})))
                }
                ("POST", Some("x/forget")) => {
                    site.sessions.fetch_add(10, Ordering::Relaxed);
                    status(202)
                }
                ("POST", None) => {
                    site.answers.lock().unwrap().push(message);
                    status(202)
                }
                ("POST", Some(_)) if message.get("id").is_some() => {
                    json(&result(&message, &json!({"tools": []})))
                }
                _ => status(202),
            }
        });
        StreamableHttp::over("http://localhost/mcp", played).unwrap()
    }
}

fn tools() -> SubscriptionFilter {
    SubscriptionFilter::new().tools_list_changed(true)
}

async fn next(changes: &mut Subscription) -> Change {
    let next = tokio::time::timeout(Duration::from_secs(300), changes.next()).await;
    next.expect("it comes").expect("it goes on").expect("it does not fail")
}

#[tokio::test(start_paused = true)]
async fn a_modern_stream_that_breaks_off_is_asked_for_again_and_the_host_is_told() {
    let site = Site::default();
    let client = site
        .modern(|number, message| match number {
            0 => stream(acknowledged(message) + &changed(), true),
            1 => status(503),
            2 => stream(acknowledged(message) + &changed(), false),
            _ => panic!("it goes on"),
        })
        .await;
    let mut changes = client.listen(tools()).await.unwrap();
    assert_eq!(next(&mut changes).await, Change::Tools);
    assert_eq!(next(&mut changes).await, Change::Interrupted(Interruption::StreamLost));
    assert_eq!(next(&mut changes).await, Change::Tools);
    assert_eq!(site.waits(), [500, 1000]);
}

#[tokio::test(start_paused = true)]
async fn a_modern_stream_that_brings_nothing_is_given_up_with_the_reason() {
    let site = Site::default();
    let client = site
        .modern(|number, message| match number {
            0 => stream(acknowledged(message), true),
            _ => status(503),
        })
        .await;
    let mut changes = client.listen(tools()).await.unwrap();
    match changes.next().await.unwrap().unwrap_err() {
        Error::Http(error) => assert_eq!(error.status, 503),
        other => panic!("{other:?}"),
    }
    assert!(changes.next().await.is_none());
    assert_eq!(site.waits(), [500, 1000, 2000, 4000, 8000]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_next_stream_is_final() {
    for code in [400, 401, 403] {
        let site = Site::default();
        let streams: Streams = match code {
            400 => {
                |number, message| if number == 0 { stream(acknowledged(message), true) } else { status(400) }
            }
            401 => {
                |number, message| if number == 0 { stream(acknowledged(message), true) } else { status(401) }
            }
            _ => {
                |number, message| if number == 0 { stream(acknowledged(message), true) } else { status(403) }
            }
        };
        let client = site.modern(streams).await;
        let mut changes = client.listen(tools()).await.unwrap();
        let error = changes.next().await.unwrap().unwrap_err();
        assert_eq!(error.http_status(), Some(code), "{error:?}");
        assert!(changes.next().await.is_none());
        assert_eq!(site.waits().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_legacy_server_is_opened_for_the_first_who_listens() {
    let site = Site::default();
    let client =
        builder().mode(Mode::Legacy).connect(site.legacy(|_, _| stream(changed(), false))).await.unwrap();
    client.list_tools().await.unwrap();
    assert!(site.asked.lock().unwrap().is_empty());
    let mut one = client.listen(tools()).await.unwrap();
    let _two = client.listen(tools()).await.unwrap();
    assert_eq!(next(&mut one).await, Change::Tools);
    assert_eq!(site.asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_legacy_server_is_opened_for_handlers_and_its_requests_are_answered() {
    let site = Site::default();
    let transport = site.legacy(|_, _| {
        let question = json!({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": {
            "message": "Sure?", "requestedSchema": {"type": "object", "properties": {"yes": {"type": "boolean"}}}}});
        stream(event(&question), false)
    });
    let asked = Arc::new(tokio::sync::Notify::new());
    let told = asked.clone();
    let builder = builder().mode(Mode::Legacy).on_elicitation(move |_: ElicitParams| {
        told.notify_one();
        async { ElicitResult::accept(RawValue::from_string(r#"{"yes":true}"#.to_owned()).unwrap()) }
    });
    let _client = builder.connect(transport).await.unwrap();
    asked.notified().await;
    while site.answers.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let answer = site.answers.lock().unwrap()[0].clone();
    assert_eq!((&answer["id"], &answer["result"]["content"]["yes"]), (&json!("q1"), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_without_a_stream_grants_nothing() {
    let site = Site::default();
    let client = builder().mode(Mode::Legacy).connect(site.legacy(|_, _| status(405))).await.unwrap();
    let wanted = tools().resource_subscriptions(vec!["x:1".to_owned()]);
    let changes = client.listen(wanted).await.unwrap();
    assert!(changes.acknowledged().is_empty());
    assert!(site.subscribed.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_legacy_stream_that_breaks_off_is_taken_up_and_the_host_is_told() {
    let site = Site::default();
    let transport = site.legacy(|number, _| match number {
        0 => stream(changed(), true),
        _ => stream(changed(), false),
    });
    let client = builder().mode(Mode::Legacy).connect(transport).await.unwrap();
    let mut changes = client.listen(tools()).await.unwrap();
    assert_eq!(next(&mut changes).await, Change::Tools);
    assert_eq!(next(&mut changes).await, Change::Interrupted(Interruption::StreamLost));
    assert_eq!(next(&mut changes).await, Change::Tools);
}

#[tokio::test(start_paused = true)]
async fn a_legacy_stream_that_is_given_up_ends_the_subscription() {
    let site = Site::default();
    let transport = site.legacy(|number, _| match number {
        0 => stream(changed(), true),
        _ => status(503),
    });
    let client = builder().mode(Mode::Legacy).connect(transport).await.unwrap();
    let mut changes = client.listen(tools()).await.unwrap();
    assert_eq!(next(&mut changes).await, Change::Tools);
    let error = changes.next().await.unwrap().unwrap_err();
    assert_eq!(error.http_status(), Some(503), "{error:?}");
    assert!(changes.next().await.is_none());
    // The rest of the client goes on.
    client.list_tools().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lost_session_is_found_out_by_its_stream_and_everything_is_set_up_again() {
    let site = Site::default();
    let transport = site.legacy(|number, _| match number {
        0 => stream(changed(), true),
        _ => stream(changed(), false),
    });
    let client = builder().mode(Mode::Legacy).connect(transport).await.unwrap();
    let wanted = tools().resource_subscriptions(vec!["x:1".to_owned()]);
    let mut changes = client.listen(wanted).await.unwrap();
    assert_eq!(next(&mut changes).await, Change::Tools);
    // The server forgets the session before the stream is taken up again.
    client.notify("x/forget", None).await.unwrap();
    let told = tokio::time::timeout(Duration::from_secs(60), next(&mut changes)).await.unwrap();
    assert_eq!(told, Change::Interrupted(Interruption::Reconnected));
    assert_eq!(next(&mut changes).await, Change::Tools);
    let subscribed = site.subscribed.lock().unwrap().clone();
    assert_eq!(subscribed.len(), 2);
    assert!(subscribed[0].starts_with("s1 ") && !subscribed[1].starts_with("s1 "), "{subscribed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_a_request_finds_lost_takes_its_subscriptions_along() {
    let site = Site::default();
    let client =
        builder().mode(Mode::Legacy).connect(site.legacy(|_, _| stream(String::new(), false))).await.unwrap();
    let mut changes = client
        .listen(SubscriptionFilter::new().resource_subscriptions(vec!["x:1".to_owned()]))
        .await
        .unwrap();
    client.notify("x/forget", None).await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(next(&mut changes).await, Change::Interrupted(Interruption::Reconnected));
    assert_eq!(site.subscribed.lock().unwrap().len(), 2);
    assert_eq!(site.asked.lock().unwrap().len(), 2);
}
