//! Subscriptions against scripted servers: what is sent, what is heard, and what breaks off.
//!
//! A server says on its own account whatever the notification `x/say` tells it to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use diglot::client::{Change, Interruption, Restart, Subscription};
use diglot::error::{Phase, Violation};
use diglot::types::SubscriptionFilter;
use diglot::{Client, Error, Limits, Mode};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::{Reply, Scripted, builder, discovery, initialization, tools};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn notification(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

fn changed(id: &Value) -> String {
    notification("notifications/tools/list_changed", &json!({"_meta": {ID: id}}))
}

fn updated(id: &Value, uri: &str) -> String {
    notification("notifications/resources/updated", &json!({"_meta": {ID: id}, "uri": uri}))
}

fn acknowledged(id: &Value, filter: &Value) -> String {
    let params = json!({"_meta": {ID: id}, "notifications": filter});
    notification("notifications/subscriptions/acknowledged", &params)
}

fn said(message: &Value) -> Reply {
    let lines = message["params"]["lines"].as_array().unwrap();
    Reply::Lines(lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect())
}

/// A modern server that answers `subscriptions/listen` by a function.
fn modern_by(answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Scripted {
    Scripted::new(move |method, message| match method {
        "server/discover" => Reply::result(&discovery()),
        "subscriptions/listen" => answer(message),
        "x/say" => said(message),
        _ => tools(method, message),
    })
}

/// A modern server that acknowledges what is asked.
fn modern() -> Scripted {
    modern_by(|message| Reply::line(acknowledged(&message["id"], &message["params"]["notifications"])))
}

/// A legacy server that tells of tools and of resources other than `x:secret`.
fn legacy() -> Scripted {
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    Scripted::new(move |method, message| match method {
        "initialize" => {
            let mut result = initialization();
            result["capabilities"] = capabilities.clone();
            Reply::result(&result)
        }
        "resources/subscribe" if message["params"]["uri"] == "x:secret" => Reply::error(-32602, "no such"),
        "resources/subscribe" | "resources/unsubscribe" => Reply::result(&json!({})),
        "x/say" => said(message),
        "tools/call" if message["params"]["name"] == "die" => Reply::LastWords(Vec::new()),
        _ => tools(method, message),
    })
}

async fn connect(server: &Scripted) -> Client {
    let mode = if server.serves_legacy() { Mode::Legacy } else { Mode::Modern };
    server.connect(builder().mode(mode)).await.unwrap()
}

impl Scripted {
    fn serves_legacy(&self) -> bool {
        let probe = json!({"id": 0, "method": "server/discover"});
        matches!((self.script)("server/discover", &probe), Reply::Lines(lines) if lines[0].contains("error"))
    }

    /// The id of the last `subscriptions/listen`.
    fn subscription(&self) -> Value {
        self.sent("subscriptions/listen").last().unwrap()["id"].clone()
    }
}

async fn say(client: &Client, lines: &[String]) {
    let params = to_raw_value(&json!({ "lines": lines })).unwrap();
    client.notify("x/say", Some(params)).await.unwrap();
}

fn all_tools() -> SubscriptionFilter {
    SubscriptionFilter::new().tools_list_changed(true)
}

fn resources(uris: &[&str]) -> SubscriptionFilter {
    let uris: Vec<String> = uris.iter().map(|uri| (*uri).to_owned()).collect();
    SubscriptionFilter::new().resource_subscriptions(uris)
}

async fn next(changes: &mut Subscription) -> Change {
    let next = tokio::time::timeout(Duration::from_secs(300), changes.next()).await;
    next.expect("it comes").expect("it goes on").expect("it does not fail")
}

fn resource(uri: &str) -> Change {
    Change::Resource(uri.to_owned())
}

#[tokio::test]
async fn the_filter_is_sent_and_what_the_server_grants_is_told() {
    let server = modern_by(|message| {
        Reply::line(acknowledged(&message["id"], &json!({"resourceSubscriptions": ["x:1"]})))
    });
    let client = connect(&server).await;
    let wanted = all_tools().resource_subscriptions(vec!["x:1".to_owned(), "x:2".to_owned()]);
    let changes = client.listen(wanted).await.unwrap();
    let sent = &server.sent("subscriptions/listen")[0]["params"];
    assert_eq!(
        sent["notifications"],
        json!({"toolsListChanged": true, "resourceSubscriptions": ["x:1", "x:2"]})
    );
    assert_eq!(sent["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    let granted = changes.acknowledged();
    assert!(!granted.tools_list_changed);
    assert_eq!(granted.resource_subscriptions, ["x:1"]);
}

#[tokio::test]
async fn what_belongs_to_another_subscription_is_dropped() {
    let server = modern();
    let client = connect(&server).await;
    let mut one = client.listen(resources(&["x:1"])).await.unwrap();
    let first = server.subscription();
    let mut two = client.listen(resources(&["x:1"])).await.unwrap();
    let second = server.subscription();
    let lines = [
        updated(&json!(4711), "x:foreign"),
        updated(&first, "x:first"),
        updated(&second, "x:second"),
        // Nobody asked for these.
        changed(&first),
    ];
    say(&client, &lines).await;
    assert_eq!(next(&mut one).await, resource("x:first"));
    assert_eq!(next(&mut two).await, resource("x:second"));
    say(&client, &[updated(&first, "x:last"), updated(&second, "x:last")]).await;
    assert_eq!(next(&mut one).await, resource("x:last"));
    assert_eq!(next(&mut two).await, resource("x:last"));
}

#[tokio::test]
async fn a_careless_server_that_names_no_subscription_is_heard() {
    let server = modern();
    let client = connect(&server).await;
    let mut changes = client.listen(all_tools()).await.unwrap();
    say(&client, &[notification("notifications/tools/list_changed", &Value::Null)]).await;
    assert_eq!(next(&mut changes).await, Change::Tools);
}

#[tokio::test]
async fn what_comes_before_the_acknowledgement_is_not_lost() {
    let server = modern_by(|message| {
        let id = &message["id"];
        Reply::Lines(vec![changed(id), acknowledged(id, &json!({"toolsListChanged": true}))])
    });
    let client = connect(&server).await;
    let mut changes = client.listen(all_tools()).await.unwrap();
    assert_eq!(next(&mut changes).await, Change::Tools);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_acknowledges_is_not_waited_for_for_ever() {
    let server = modern_by(|_| Reply::Silence);
    let client = connect(&server).await;
    match client.listen(all_tools()).await.unwrap_err() {
        Error::Timeout(error) => {
            assert_eq!((error.phase, error.method.as_str()), (Phase::Request, "subscriptions/listen"));
        }
        other => panic!("{other:?}"),
    }
    // What is given up is withdrawn; a later request is behind it on the wire.
    client.list_tools().await.unwrap();
    assert_eq!(server.sent("notifications/cancelled")[0]["params"]["requestId"], server.subscription());
}

#[tokio::test]
async fn a_refusal_is_the_servers_error() {
    let client = connect(&modern_by(|_| Reply::error(-32601, "no such method"))).await;
    match client.listen(all_tools()).await.unwrap_err() {
        Error::Rpc(error) => assert_eq!(error.code, -32601),
        other => panic!("{other:?}"),
    }
    let early = modern_by(|_| Reply::result(&json!({"resultType": "complete"})));
    match connect(&early).await.listen(all_tools()).await.unwrap_err() {
        Error::Protocol(error) => assert!(matches!(error.violation, Violation::WrongShape(_))),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn dropping_it_withdraws_it_and_so_does_closing_it() {
    let server = modern();
    let client = connect(&server).await;
    drop(client.listen(all_tools()).await.unwrap());
    let first = server.subscription();
    client.listen(all_tools()).await.unwrap().close().await;
    let second = server.subscription();
    client.list_tools().await.unwrap();
    let mut withdrawn: Vec<Value> =
        server.sent("notifications/cancelled").iter().map(|it| it["params"]["requestId"].clone()).collect();
    withdrawn.sort_by_key(Value::as_i64);
    assert_eq!(withdrawn, [first, second]);
}

#[tokio::test]
async fn the_server_ends_it_by_its_result_or_by_a_cancellation() {
    for by_result in [true, false] {
        let server = modern();
        let client = connect(&server).await;
        let mut changes = client.listen(all_tools()).await.unwrap();
        let id = server.subscription();
        let end = match by_result {
            true => {
                json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": {ID: id}}})
                    .to_string()
            }
            false => notification("notifications/cancelled", &json!({"requestId": id})),
        };
        say(&client, &[changed(&id), end]).await;
        assert_eq!(next(&mut changes).await, Change::Tools);
        assert!(changes.next().await.is_none());
        assert!(changes.next().await.is_none());
    }
}

#[tokio::test]
async fn an_error_of_the_server_ends_it_and_is_told_once() {
    let server = modern();
    let client = connect(&server).await;
    let mut changes = client.listen(all_tools()).await.unwrap();
    let error =
        json!({"jsonrpc": "2.0", "id": server.subscription(), "error": {"code": -32603, "message": "oh"}});
    say(&client, &[error.to_string()]).await;
    assert!(matches!(changes.next().await, Some(Err(Error::Rpc(error))) if error.code == -32603));
    assert!(changes.next().await.is_none());
}

#[tokio::test]
async fn a_flood_waits_as_one_change_and_a_slow_host_hears_that_it_missed_some() {
    for server in [modern(), legacy()] {
        let mode = if server.serves_legacy() { Mode::Legacy } else { Mode::Modern };
        let limits = Limits::default().queued_messages(100);
        let client = server.connect(builder().mode(mode).limits(limits)).await.unwrap();
        let filter = all_tools().resource_subscriptions(vec!["x:1".to_owned()]);
        let mut changes = client.listen(filter).await.unwrap();
        let id = match mode {
            Mode::Legacy => Value::Null,
            _ => server.subscription(),
        };
        // The host takes nothing while the server says this; the answer comes after all of it.
        say(&client, &vec![changed(&id); 5000]).await;
        client.list_tools().await.unwrap();
        let many: Vec<String> = (0..5000).map(|number| updated(&id, &format!("x:{number}"))).collect();
        say(&client, &many).await;
        client.list_tools().await.unwrap();
        let mut all = Vec::new();
        while all.last() != Some(&resource("x:4999")) {
            all.push(next(&mut changes).await);
        }
        assert!(all.len() <= 300, "{}", all.len());
        assert!(all.iter().any(|change| matches!(change, Change::Interrupted(_))));
    }
}

#[tokio::test]
async fn a_legacy_server_is_asked_once_a_resource_and_told_when_nobody_listens_any_more() {
    let server = legacy();
    let client = connect(&server).await;
    let mut one = client.listen(resources(&["x:1", "x:2"])).await.unwrap();
    let two = client.listen(resources(&["x:2", "x:2", "x:3"])).await.unwrap();
    let uris = |method: &str| -> Vec<Value> {
        server.sent(method).iter().map(|message| message["params"]["uri"].clone()).collect()
    };
    assert_eq!(uris("resources/subscribe"), ["x:1", "x:2", "x:3"]);
    two.close().await;
    assert_eq!(uris("resources/unsubscribe"), ["x:3"]);
    say(&client, &[updated(&Value::Null, "x:2")]).await;
    assert_eq!(next(&mut one).await, resource("x:2"));
    one.close().await;
    assert_eq!(uris("resources/unsubscribe"), ["x:3", "x:1", "x:2"]);
    // The next one asks anew.
    let _again = client.listen(resources(&["x:1"])).await.unwrap();
    assert_eq!(uris("resources/subscribe").len(), 4);
}

#[tokio::test]
async fn a_legacy_server_grants_what_its_capabilities_declare_and_its_answers_allow() {
    let server = legacy();
    let client = connect(&server).await;
    let wanted = all_tools()
        .prompts_list_changed(true)
        .resource_subscriptions(vec!["x:1".to_owned(), "x:secret".to_owned()]);
    let changes = client.listen(wanted).await.unwrap();
    let granted = changes.acknowledged();
    assert!(granted.tools_list_changed && !granted.prompts_list_changed);
    assert_eq!(granted.resource_subscriptions, ["x:1"]);
    changes.close().await;
    assert_eq!(server.sent("resources/unsubscribe").len(), 1);
}

#[tokio::test]
async fn a_resource_below_one_that_was_asked_for_is_heard_by_whoever_may_mean_it() {
    let server = legacy();
    let client = connect(&server).await;
    let mut one = client.listen(resources(&["x:1"])).await.unwrap();
    let mut two = client.listen(resources(&["x:2"])).await.unwrap();
    say(&client, &[updated(&Value::Null, "x:1"), updated(&Value::Null, "x:2/below")]).await;
    assert_eq!(next(&mut one).await, resource("x:1"));
    assert_eq!(next(&mut one).await, resource("x:2/below"));
    assert_eq!(next(&mut two).await, resource("x:2/below"));
}

/// A server that dies of the tool `die`, whose processes are counted.
fn mortal(base: &Scripted) -> (Scripted, Arc<AtomicUsize>) {
    let starts = Arc::<AtomicUsize>::default();
    let (script, counted) = (base.script.clone(), starts.clone());
    let server = Scripted::new(move |method, message| {
        if matches!(method, "server/discover" | "initialize") {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        match method {
            "x/die" => Reply::LastWords(Vec::new()),
            _ => script(method, message),
        }
    });
    (server, starts)
}

#[tokio::test(start_paused = true)]
async fn it_outlives_the_process_where_that_is_started_again() {
    for base in [modern(), legacy()] {
        let mode = if base.serves_legacy() { Mode::Legacy } else { Mode::Modern };
        let (server, _) = mortal(&base);
        let client = server.connect(builder().mode(mode).restart(Restart::OnExit)).await.unwrap();
        let mut changes = client.listen(resources(&["x:1"])).await.unwrap();
        client.notify("x/die", None).await.unwrap();
        assert_eq!(next(&mut changes).await, Change::Interrupted(Interruption::Reconnected));
        assert_eq!(changes.acknowledged().resource_subscriptions, ["x:1"]);
        let asked = match mode {
            Mode::Legacy => "resources/subscribe",
            _ => "subscriptions/listen",
        };
        assert_eq!(server.sent(asked).len(), 2);
        let id = match mode {
            Mode::Legacy => Value::Null,
            _ => server.subscription(),
        };
        say(&client, &[updated(&id, "x:1")]).await;
        assert_eq!(next(&mut changes).await, resource("x:1"));
    }
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_process_where_that_stays_away() {
    for base in [modern(), legacy()] {
        let mode = if base.serves_legacy() { Mode::Legacy } else { Mode::Modern };
        let (server, starts) = mortal(&base);
        let client = server.connect(builder().mode(mode)).await.unwrap();
        let mut changes = client.listen(all_tools()).await.unwrap();
        let before = starts.load(Ordering::Relaxed);
        client.notify("x/die", None).await.unwrap();
        let error = changes.next().await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Transport(_)), "{error:?}");
        assert!(changes.next().await.is_none());
        assert_eq!(starts.load(Ordering::Relaxed), before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_take_the_end_in_time_holds_up_no_close() {
    let is_silent = Arc::<AtomicBool>::default();
    let (script, silent) = (legacy().script, is_silent.clone());
    let server = Scripted::new(move |method, message| match silent.load(Ordering::Relaxed) {
        true => Reply::Silence,
        false => script(method, message),
    });
    let client = connect(&server).await;
    let changes = client.listen(resources(&["x:1"])).await.unwrap();
    is_silent.store(true, Ordering::Relaxed);
    let closing = tokio::time::timeout(Duration::from_secs(11), changes.close());
    closing.await.expect("it is bounded");
}
