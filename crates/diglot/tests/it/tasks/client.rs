//! The client's side of tasks: looking, answering, leaving, and coming back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::client::{OnDrop, Started};
use diglot::http::{HttpServer, StreamableHttp};
use diglot::transport::MemoryTransport;
use diglot::types::{ElicitParams, ElicitResult, Members, TaskStatus};
use diglot::{Client, ClientBuilder, Error, Server, Transport};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::script::{Scripted, task, text};
use super::stage::{Desk, TASKS};

pub(super) fn in_memory(server: &Server) -> MemoryTransport {
    let server = server.clone();
    MemoryTransport::new(move || {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(server.clone().serve_pipe(reader, writer));
        client
    })
}

pub(super) fn builder() -> ClientBuilder {
    Client::builder("t", "1").tasks(OnDrop::Cancel).on_elicitation(async |params: ElicitParams| {
        let ElicitParams::Form(form) = params else { return ElicitResult::decline() };
        let content = match form.message.as_str() {
            "Age?" | "How old?" => json!({ "age": 36 }),
            _ => json!({ "name": "Ada" }),
        };
        ElicitResult::accept(to_raw_value(&content).unwrap())
    })
}

async fn connect(transport: impl Transport) -> Client {
    builder().connect(transport).await.unwrap()
}

/// A server whose task stands as a function says, by how often it was looked at.
fn looked_at(stands: impl Fn(usize) -> Option<Value> + Send + Sync + 'static) -> Scripted {
    let looks = AtomicUsize::new(0);
    Scripted::new(move |method, _| match method {
        "tools/call" => task("task", "working", json!({})),
        "tasks/get" => stands(looks.fetch_add(1, Ordering::SeqCst)),
        "tasks/cancel" | "tasks/update" => Some(json!({ "result": { "resultType": "complete" } })),
        _ => Some(json!({ "error": { "code": -32601, "message": "no" } })),
    })
}

fn done() -> Option<Value> {
    task("complete", "completed", json!({ "result": text("done") }))
}

#[tokio::test(start_paused = true)]
async fn a_call_is_awaited_to_the_end_of_its_task_and_its_questions_are_answered() {
    let client = connect(in_memory(&Desk::default().server())).await;
    for (tool, said) in [
        ("plain", "at once"),
        ("job", "done"),
        ("greet", "hello Ada"),
        ("survey", "Ada is 36"),
        ("ask_first", "Ada is 36"),
    ] {
        assert_eq!(client.call_tool(tool, json!({})).await.unwrap().text(), said, "{tool}");
    }
    assert!(client.call_tool("fail", json!({})).await.unwrap().is_error);
    let Err(Error::Rpc(error)) = client.call_tool("refuse", json!({})).await else { panic!("it is refused") };
    assert_eq!((error.code, &*error.message), (-32602, "not like this"));
}

#[tokio::test]
async fn the_same_program_works_over_http() {
    let listener = HttpServer::bind(Desk::default().server(), ("127.0.0.1", 0)).await.unwrap();
    let url = listener.url();
    tokio::spawn(listener.serve());
    let client = connect(StreamableHttp::new(&url).unwrap()).await;
    assert_eq!(client.call_tool("survey", json!({})).await.unwrap().text(), "Ada is 36");
    let Started::Task(handle) = client.call_tool("wait", json!({})).start().await.unwrap() else {
        panic!("it is a task")
    };
    assert!(!handle.status().await.unwrap().is_over());
    handle.cancel().await.unwrap();
    assert!(matches!(handle.wait().await, Err(Error::Cancelled)));
}

#[tokio::test]
async fn a_client_that_does_not_want_tasks_declares_none_and_takes_none() {
    let server = Scripted::new(|_, _| task("task", "working", json!({})));
    let client = Client::builder("t", "1").connect(server.transport()).await.unwrap();
    let Err(Error::Protocol(error)) = client.call_tool("x", json!({})).await else {
        panic!("it is no result")
    };
    assert!(error.to_string().contains("\"task\""), "{error}");
    let declared = |message: &Value| {
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"].clone()
    };
    assert_eq!(declared(&server.sent("tools/call")[0].1), Value::Null);
    let call = client.call_tool("x", json!({})).tasks(OnDrop::Leave).start().await.unwrap();
    assert!(matches!(call, Started::Task(_)));
    assert_eq!(declared(&server.sent("tools/call")[1].1), json!({ TASKS: {} }));
}

#[tokio::test(start_paused = true)]
async fn the_client_looks_as_often_as_the_server_suggests_within_its_limits() {
    for (suggested, milliseconds) in [
        (json!(5_000), 5_000),
        (json!(0), 100),
        (json!(3_600_000_000_u64), 60_000),
        (json!(null), 1_000),
        (json!("soon"), 1_000),
    ] {
        let members = json!({ "pollIntervalMs": suggested });
        let server = looked_at(move |look| match look {
            0..4 => task("complete", "working", members.clone()),
            _ => done(),
        });
        let client = connect(server.transport()).await;
        assert_eq!(client.call_tool("x", json!({})).await.unwrap().text(), "done");
        let looks = server.sent("tasks/get");
        assert_eq!(looks.len(), 5);
        for pair in looks.windows(2) {
            let between = pair[1].0.duration_since(pair[0].0).as_millis();
            assert!(between >= milliseconds && between < milliseconds + 5, "{suggested}: {between}");
        }
        assert_eq!(looks[0].1["params"]["taskId"], "t-1");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_are_answered_at_the_same_time_and_each_of_them_once() {
    let asks = |keys: &[&str]| -> Value {
        let form = json!({ "mode": "form", "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
        let request = json!({ "method": "elicitation/create", "params": form });
        keys.iter().map(|key| ((*key).to_owned(), request.clone())).collect::<serde_json::Map<_, _>>().into()
    };
    // The server is slow to see answers: it goes on asking for a while.
    let server = looked_at(move |look| match look {
        0..3 => task("complete", "input_required", json!({ "inputRequests": asks(&["a", "b"]) })),
        3..6 => task("complete", "input_required", json!({ "inputRequests": asks(&["b", "c"]) })),
        _ => done(),
    });
    let shown = Arc::new(AtomicUsize::new(0));
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let builder = Client::builder("t", "1").tasks(OnDrop::Cancel).on_elicitation({
        let (shown, both) = (shown.clone(), both.clone());
        move |_: ElicitParams| {
            let (shown, both) = (shown.clone(), both.clone());
            async move {
                // The first two wait for each other: they are shown at the same time or never.
                if shown.fetch_add(1, Ordering::SeqCst) < 2 {
                    both.wait().await;
                }
                ElicitResult::accept(to_raw_value(&json!({})).unwrap())
            }
        }
    });
    let client = builder.connect(server.transport()).await.unwrap();
    assert_eq!(client.call_tool("x", json!({})).await.unwrap().text(), "done");
    assert_eq!(shown.load(Ordering::SeqCst), 3);
    let mut answered: Vec<String> = server
        .sent("tasks/update")
        .iter()
        .flat_map(|(_, message)| {
            message["params"]["inputResponses"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        })
        .collect();
    answered.sort();
    assert_eq!(answered, ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_asks_for_what_nobody_can_answer_is_given_up_and_cancelled() {
    let requests = json!({ "inputRequests": { "m": { "method": "roots/list" } } });
    let server = looked_at(move |_| task("complete", "input_required", requests.clone()));
    let client = connect(server.transport()).await;
    assert!(matches!(client.call_tool("x", json!({})).await, Err(Error::Protocol(_))));
    server.has_seen("tasks/cancel").await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_asks_without_end_meets_a_limit() {
    let server = looked_at(|look| {
        let request = json!({ "method": "elicitation/create", "params": {
            "message": "?", "requestedSchema": { "type": "object", "properties": {} },
        } });
        task("complete", "input_required", json!({ "inputRequests": { format!("q{look}"): request } }))
    });
    let limits = diglot::Limits::default().task_inputs(3);
    let client = builder().limits(limits).connect(server.transport()).await.unwrap();
    let Err(Error::Protocol(error)) = client.call_tool("x", json!({})).await else { panic!("it has an end") };
    assert!(error.to_string().contains("task_inputs"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_cancels_its_task_or_leaves_it() {
    let server = looked_at(|_| task("complete", "working", json!({})));
    let client = connect(server.transport()).await;
    for on_drop in [OnDrop::Leave, OnDrop::Cancel] {
        assert_eq!(server.sent("tasks/cancel").len(), 0);
        let call = client.call_tool("x", json!({})).tasks(on_drop).into_future();
        let ended = tokio::time::timeout(Duration::from_secs(10), call).await;
        assert!(ended.is_err());
        tokio::time::sleep(Duration::from_secs(1)).await; // paused clock
    }
    assert_eq!(server.sent("tasks/cancel")[0].1["params"]["taskId"], "t-1");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_never_ends_is_given_up_when_its_time_is_over() {
    let server = looked_at(|_| task("complete", "working", json!({})));
    let limits = diglot::Limits::default().task_time(Duration::from_secs(100));
    let client = builder().limits(limits).connect(server.transport()).await.unwrap();
    let began = Instant::now();
    let call = client.call_tool("x", json!({})).timeout(Duration::from_secs(30));
    assert!(matches!(call.await, Err(Error::Timeout(_))));
    assert_eq!(began.elapsed().as_secs(), 30);
    server.has_seen("tasks/cancel").await;
    assert!(matches!(client.call_tool("x", json!({})).await, Err(Error::Timeout(_))));
    assert_eq!(began.elapsed().as_secs(), 30 + 100);
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_is_made_again() {
    let server = looked_at(|look| match look {
        0 => task("complete", "working", json!({})),
        1..3 => None,
        _ => done(),
    });
    let client = connect(server.transport()).await;
    assert_eq!(client.call_tool("x", json!({})).await.unwrap().text(), "done");
    let server = looked_at(|_| None);
    let client = connect(server.transport()).await;
    assert!(matches!(client.call_tool("x", json!({})).await, Err(Error::Timeout(_))));
    assert_eq!(server.sent("tasks/get").len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_task_ends_as_its_status_says() {
    let ended = async |status: &'static str, more: Value| {
        let server = looked_at(move |_| task("complete", status, more.clone()));
        let client = connect(server.transport()).await;
        client.call_tool("x", json!({})).await
    };
    assert!(matches!(ended("cancelled", json!({})).await, Err(Error::Cancelled)));
    let failed = ended("failed", json!({ "error": { "code": -5, "message": "no" } })).await;
    assert!(matches!(failed, Err(Error::Rpc(error)) if error.code == -5));
    for (status, more) in [
        ("completed", json!({})),
        ("completed", json!({ "result": 5 })),
        ("failed", json!({})),
        ("completed", json!({ "taskId": "another", "result": {} })),
    ] {
        assert!(matches!(ended(status, more).await, Err(Error::Protocol(_))), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_notice_is_faster_than_the_next_look() {
    let desk = Desk::default();
    let client = connect(in_memory(&desk.server())).await;
    let limits = diglot::server::TaskLimits::default().poll_interval(Duration::from_secs(60));
    let slow = connect(in_memory(&desk.server().task_limits(limits))).await;
    drop(client);
    let began = Instant::now();
    let call = tokio::spawn(slow.call_tool("wait", json!({})).into_future());
    tokio::time::sleep(Duration::from_secs(70)).await; // paused clock
    desk.gate.notify_one();
    assert_eq!(call.await.unwrap().unwrap().text(), "waited");
    assert!(began.elapsed() < Duration::from_secs(71), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_task_is_taken_up_again_by_its_id() {
    let desk = Desk::default();
    let server = desk.server();
    let client = connect(in_memory(&server)).await;
    let Started::Done(done) = client.call_tool("plain", json!({})).start().await.unwrap() else {
        panic!("it is no task")
    };
    assert_eq!(done.text(), "at once");
    let Started::Task(handle) = client.call_tool("wait", json!({})).start().await.unwrap() else {
        panic!("it is a task")
    };
    assert_eq!(handle.first().unwrap().status, TaskStatus::Working);
    let id = handle.id().to_owned();
    assert!(!format!("{handle:?}").contains(&id), "an id is as good as a password");
    drop((handle, client));
    let client = connect(in_memory(&server)).await;
    desk.has_begun(1).await;
    assert_eq!(client.task(&id).status().await.unwrap().status, TaskStatus::Working);
    desk.gate.notify_one();
    assert_eq!(client.task(&id).wait().await.unwrap().text(), "waited");
    assert!(matches!(client.task("nope").wait().await, Err(Error::Rpc(error)) if error.code == -32602));
}

#[tokio::test(start_paused = true)]
async fn a_program_may_answer_by_itself_and_hear_how_the_task_stands() {
    let desk = Desk::default();
    let client = connect(in_memory(&desk.server())).await;
    let Started::Task(handle) = client.call_tool("greet", json!({})).start().await.unwrap() else {
        panic!("it is a task")
    };
    while handle.status().await.unwrap().status != TaskStatus::InputRequired {
        tokio::task::yield_now().await;
    }
    let mut responses = Members::new();
    let answer = json!({ "action": "accept", "content": { "name": "Grace" } });
    responses.insert("name", to_raw_value(&answer).unwrap());
    handle.respond(&responses).await.unwrap();
    assert_eq!(handle.wait_for(Duration::from_secs(60)).await.unwrap().text(), "hello Grace");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let call = client.call_tool("greet", json!({}));
    call.on_task(move |task| listener.lock().unwrap().push(task.status.clone())).await.unwrap();
    let heard = heard.lock().unwrap();
    assert_eq!((heard.first(), heard.last()), (Some(&TaskStatus::Working), Some(&TaskStatus::Completed)));
}
