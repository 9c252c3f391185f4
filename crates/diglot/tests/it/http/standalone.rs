//! The stream on which a legacy server says what belongs to no request.
//!
//! Where time matters, an HTTP client in memory plays the server, so that the clock can be paused.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use diglot::error::TransportFault;
use diglot::http::{Body, BoxError, HttpClient};
use diglot::transport::{Connection, Transport};
use diglot::{Limits, StreamableHttp};
use tokio::time::Instant;

use super::net::{Net, event, initialize, legacy, result, shown};
use super::server::{Reply, Request};
use super::suite;
use crate::played::{status, stream};

suite!(what_the_server_says_on_it_is_heard, a_server_without_one_is_asked_once);

const NOTICE: &str = r#"{"jsonrpc":"2.0","method":"notice/1"}"#;

/// A server whose stream says one thing and stays open.
fn talking(request: &Request) -> Reply {
    match request.method.as_str() {
        "GET" => Reply::stream().chunk(event(NOTICE)).hold(),
        "POST" if request.body.contains("initialize") => {
            Reply::whole(200, "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n", result(1))
        }
        _ => Reply::empty(202),
    }
}

async fn what_the_server_says_on_it_is_heard(net: Net) {
    let site = net.serve(talking).await;
    let connection = site.connect().await;
    connection.send(initialize(1)).await.unwrap().next().await;
    drop(connection.send(legacy(2, "ping")).await);
    assert!(connection.attend().await.unwrap());
    assert_eq!(shown(&connection.unsolicited().await.unwrap()), "notice/1");
    let requests = site.record.requests();
    let get = requests.iter().find(|request| request.method == "GET").unwrap();
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    assert_eq!(get.header("mcp-session-id"), Some("s1"));
    assert_eq!(get.header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!(get.header("last-event-id"), None);
    connection.close().await;
    assert!(connection.unsolicited().await.is_none());
}

async fn a_server_without_one_is_asked_once(net: Net) {
    for status in [405, 404, 400, 406, 501] {
        let site = net.reply(Reply::empty(status)).await;
        let connection = site.connect().await;
        for _ in 0..3 {
            assert!(!connection.attend().await.unwrap(), "{status}");
        }
        assert!(connection.unsolicited().await.is_none());
        assert_eq!(site.record.requests().len(), 1);
    }
}

/// An HTTP client in memory: a list of streams, and what was asked of it and when.
#[derive(Clone)]
struct Played {
    plays: Arc<Mutex<VecDeque<Play>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// When a GET came, and the id that it carried.
type Asked = (Instant, Option<String>);

/// What comes back to one GET; after the last of them nobody listens at the address.
#[derive(Clone)]
enum Play {
    /// A stream that says this and ends.
    Ends(String),
    /// A stream that says this and goes on.
    Holds(String),
    Status(u16),
    Refused,
}

impl Played {
    fn new(plays: impl IntoIterator<Item = Play>) -> Self {
        Self { plays: Arc::new(Mutex::new(plays.into_iter().collect())), asked: Arc::default() }
    }

    async fn connect(&self) -> Box<dyn Connection> {
        let transport = StreamableHttp::over("http://localhost/mcp", self.clone()).unwrap();
        transport.open(&Limits::default()).await.unwrap()
    }

    /// The ids that were sent along, one a GET.
    fn ids(&self) -> Vec<Option<String>> {
        self.asked.lock().unwrap().iter().map(|(_, id)| id.clone()).collect()
    }

    /// How long it took from each GET to the next, in milliseconds.
    fn waits(&self) -> Vec<u128> {
        let asked = self.asked.lock().unwrap();
        asked.windows(2).map(|pair| pair[1].0.duration_since(pair[0].0).as_millis()).collect()
    }
}

impl HttpClient for Played {
    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Body>, BoxError> {
        let id = request.headers().get("last-event-id").map(|id| id.to_str().unwrap().to_owned());
        self.asked.lock().unwrap().push((Instant::now(), id));
        let play = self.plays.lock().unwrap().pop_front().unwrap_or(Play::Refused);
        Ok(match play {
            Play::Ends(text) => stream(text, true),
            Play::Holds(text) => stream(text, false),
            Play::Status(code) => status(code),
            Play::Refused => return Err(std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into()),
        })
    }
}

fn notice(number: usize, fields: &str) -> String {
    format!("{fields}data: {{\"jsonrpc\":\"2.0\",\"method\":\"notice/{number}\"}}\n\n")
}

async fn heard(connection: &dyn Connection, count: usize) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        all.push(connection.unsolicited().await.map_or("the end".to_owned(), |inbound| shown(&inbound)));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn it_is_taken_up_after_the_last_event_and_the_time_that_the_server_names() {
    let client = Played::new([
        Play::Ends(notice(1, "retry: 3000\nid: a\n")),
        // A priming event moves the place too.
        Play::Ends("id: b\ndata:\n\n".to_owned()),
        Play::Holds(notice(2, "id: c\n")),
    ]);
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    assert_eq!(heard(&*connection, 2).await, ["notice/1", "notice/2"]);
    assert_eq!(client.ids(), [None, Some("a".to_owned()), Some("b".to_owned())]);
    assert_eq!(client.waits(), [3000, 3000]);
}

#[tokio::test(start_paused = true)]
async fn without_ids_the_reader_is_told_that_something_may_be_missed() {
    let client = Played::new([Play::Ends(notice(1, "")), Play::Holds(notice(2, ""))]);
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    assert_eq!(heard(&*connection, 3).await, ["notice/1", "missed", "notice/2"]);
    assert_eq!(client.ids(), [None, None]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_wants_to_be_asked_at_once_is_not_hammered() {
    let plays = (0..20).map(|number| Play::Ends(notice(number, "retry: 0\n")));
    let client = Played::new(plays);
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    while connection.unsolicited().await.is_some() {}
    assert!(client.waits()[..19].iter().all(|wait| *wait == 100), "{:?}", client.waits());
}

#[tokio::test(start_paused = true)]
async fn tries_that_bring_nothing_are_bounded_and_wait_longer_each_time() {
    let client = Played::new([Play::Ends(notice(1, ""))]);
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    assert_eq!(heard(&*connection, 2).await, ["notice/1", "the end"]);
    assert_eq!(client.waits(), [500, 1000, 2000, 4000, 8000]);
    let error = connection.attend().await.unwrap_err();
    assert_eq!(error.fault, TransportFault::Refused);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_at_once_each_time_is_given_up() {
    let client = Played::new((0..100).map(|_| Play::Ends(": nothing\n\n".to_owned())));
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    while connection.unsolicited().await.is_some() {}
    assert_eq!(client.ids().len(), 6);
    assert_eq!(connection.attend().await.unwrap_err().fault, TransportFault::StreamLost);
}

#[tokio::test(start_paused = true)]
async fn a_place_that_the_server_has_forgotten_is_given_up_before_the_stream_is() {
    let client =
        Played::new([Play::Ends(notice(1, "id: a\n")), Play::Status(400), Play::Holds(notice(2, ""))]);
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    assert_eq!(heard(&*connection, 3).await, ["notice/1", "missed", "notice/2"]);
    assert_eq!(client.ids(), [None, Some("a".to_owned()), None]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_it_was_open_ends_it_with_its_status() {
    for status in [401, 403, 404] {
        let client = Played::new([Play::Ends(notice(1, "")), Play::Status(status)]);
        let connection = client.connect().await;
        assert!(connection.attend().await.unwrap());
        assert_eq!(heard(&*connection, 2).await, ["notice/1", "the end"]);
        let error = connection.attend().await.unwrap_err();
        assert_eq!((error.fault, error.status), (TransportFault::StreamLost, Some(status)));
        assert_eq!(client.ids().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_busy_is_asked_again() {
    let client = Played::new([Play::Status(503), Play::Status(429), Play::Holds(notice(1, ""))]);
    let connection = client.connect().await;
    // Whoever asks is not kept waiting.
    assert!(connection.attend().await.unwrap());
    assert_eq!(heard(&*connection, 1).await, ["notice/1"]);
    assert_eq!(client.waits(), [500, 1000]);
}

#[tokio::test(start_paused = true)]
async fn a_close_ends_it() {
    let client = Played::new([Play::Holds(notice(1, ""))]);
    let connection = client.connect().await;
    assert!(connection.attend().await.unwrap());
    connection.close().await;
    while let Some(inbound) = connection.unsolicited().await {
        assert_eq!(shown(&inbound), "notice/1");
    }
}
