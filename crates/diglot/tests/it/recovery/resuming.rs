//! The stream of a legacy request that ends before the answer: taken up again after the last event that came.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::error::{LossCause, TransportFault};
use diglot::{Client, ClientBuilder, Error, Limits, Mode};
use serde_json::json;

use super::site::{Reply, Seen, Site, begin_session, result, stream, text, typed};

/// What comes before anything else, and names the place to go on from.
const PRIMING: &str = "id: event-1\nretry: 500\ndata:\n\n";

fn builder() -> ClientBuilder {
    Client::builder("tests", "1.2.3").mode(Mode::Legacy).timeout(Duration::from_secs(3600))
}

/// An event with the answer to the call, which is the third request.
fn answer() -> String {
    let message = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": []}});
    format!("id: last\ndata: {message}\n\n")
}

fn progress(step: u32) -> String {
    let params = json!({"progressToken": 2, "progress": step});
    let message = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
    format!("id: step-{step}\ndata: {message}\n\n")
}

/// A legacy server that answers the call and then every GET in turn by what is given; past the end it fails to.
fn site(replies: Vec<Reply>) -> Site {
    let replies = Mutex::new(VecDeque::from(replies));
    Site::new(move |seen: &Seen| match seen.method.as_str() {
        "initialize" => begin_session(seen, "one"),
        "notifications/initialized" | "notifications/cancelled" => text(202, ""),
        "tools/list" => result(seen, &json!({"tools": []})),
        "DELETE" => text(200, ""),
        _ => replies.lock().unwrap().pop_front().unwrap_or_else(|| text(503, "")),
    })
}

/// How long passed before each GET since the request before it, in milliseconds.
fn waits(site: &Site) -> Vec<u64> {
    let seen = site.seen();
    let pairs = seen.windows(2).filter(|pair| pair[1].method == "GET");
    pairs.map(|pair| u64::try_from((pair[1].at - pair[0].at).as_millis()).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_answer_comes_on_a_get_after_the_last_event_and_not_before_its_time() {
    for breaks in [false, true] {
        let site = site(vec![stream(&[PRIMING], breaks), stream(&[&answer()], false)]);
        let client = builder().connect(site.transport()).await.unwrap();
        client.call_tool("wait", ()).await.unwrap();
        assert_eq!((waits(&site), site.methods(2)), (vec![500], vec!["tools/call".into(), "GET".into()]));
        let get = site.seen().pop().unwrap();
        assert_eq!(get.last_event_id.as_deref(), Some("event-1"));
        assert_eq!((get.session.as_deref(), get.version.as_deref()), (Some("one"), Some("2025-11-25")));
        assert_eq!(get.path, "/mcp");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_may_end_in_the_middle_of_an_event_and_again_and_again() {
    let (first, second) = (progress(1), progress(2));
    let site = site(vec![
        stream(&[PRIMING, &first, "id: lost\ndata: {\"half"], true),
        stream(&[&second], false),
        stream(&["retry: 700\n\n"], false),
        stream(&[&answer()], false),
    ]);
    let client = builder().connect(site.transport()).await.unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let call = client.call_tool("wait", ());
    call.on_progress(move |progress| listener.lock().unwrap().push(progress.progress)).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [1.0, 2.0]);
    let ids: Vec<_> = site.seen().into_iter().filter_map(|seen| seen.last_event_id).collect();
    assert_eq!(
        (ids, waits(&site)),
        (["step-1", "step-2", "step-2"].map(str::to_owned).to_vec(), vec![500, 500, 700])
    );
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_bounded_whatever_the_server_names() {
    for (retry, waited) in [("", 500), ("retry: 0\n", 100), ("retry: 99999999999999999999\n", 60_000)] {
        let priming = format!("id: 1\n{retry}data:\n\n");
        let site = site(vec![stream(&[&priming], false), stream(&[&answer()], false)]);
        let client = builder().connect(site.transport()).await.unwrap();
        client.call_tool("wait", ()).await.unwrap();
        assert_eq!(waits(&site), [waited]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_names_no_place_to_go_on_from_fails_its_request_alone() {
    let site = site(vec![stream(&[": hello\n\ndata:\n\n"], false)]);
    let client = builder().connect(site.transport()).await.unwrap();
    assert!(matches!(client.call_tool("wait", ()).await.unwrap_err(), Error::Protocol(_)));
    client.list_tools().await.unwrap();
    assert_eq!((site.count("GET"), site.count("initialize")), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn tries_that_bring_nothing_come_to_an_end() {
    let nothing = || stream(&[], false);
    let site = site(vec![stream(&[PRIMING], false), nothing(), text(503, ""), Reply::Fail("down".into())]);
    let limits = Limits::default().resume_tries(4);
    let client = builder().limits(limits).connect(site.transport()).await.unwrap();
    let error = client.call_tool("wait", ()).await.unwrap_err();
    let Error::Transport(detail) = &error else { panic!("{error:?}") };
    assert_eq!((&detail.fault, detail.sent, detail.status), (&TransportFault::StreamLost, true, Some(503)));
    assert!(error.to_string().contains("the server may have acted on it"), "{error}");
    assert_eq!(waits(&site), [500, 500, 1000, 2000]);
    client.list_tools().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_the_get_is_not_asked_again() {
    for status in [204, 400, 405, 406, 501] {
        let site = site(vec![stream(&[PRIMING], false), text(status, "")]);
        let client = builder().connect(site.transport()).await.unwrap();
        let error = client.call_tool("wait", ()).await.unwrap_err();
        assert!(matches!(&error, Error::Transport(detail) if detail.sent), "{error:?}");
        assert_eq!(site.count("GET"), 1, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn progress_ends_the_row_of_vain_tries() {
    let mut replies = vec![stream(&[PRIMING], false)];
    for number in 0..50 {
        replies.push(stream(&[&format!("id: {number}\ndata:\n\n")], false));
        replies.push(text(503, ""));
    }
    replies.push(stream(&[&answer()], false));
    let site = site(replies);
    let limits = Limits::default().resume_tries(2);
    let client = builder().limits(limits).connect(site.transport()).await.unwrap();
    client.call_tool("wait", ()).await.unwrap();
    assert_eq!(site.count("GET"), 101);
}

#[tokio::test(start_paused = true)]
async fn the_rest_may_come_as_a_whole() {
    let message = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": []}}).to_string();
    let site = site(vec![stream(&[PRIMING], false), typed(200, "application/json", &message)]);
    builder().connect(site.transport()).await.unwrap().call_tool("wait", ()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_gone_by_then_is_opened_anew_and_an_accepted_call_not_repeated() {
    let site = site(vec![stream(&[PRIMING], false), text(404, "Session not found")]);
    let client = builder().connect(site.transport()).await.unwrap();
    let error = client.call_tool("wait", ()).await.unwrap_err();
    let Error::Lost(lost) = &error else { panic!("{error:?}") };
    assert!(lost.may_have_acted && matches!(lost.cause, LossCause::Session(_)), "{lost}");
    assert_eq!((site.count("tools/call"), site.count("initialize"), site.count("DELETE")), (1, 2, 0));
    client.list_tools().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_meanwhile_cancels_the_request_and_ends_the_tries() {
    let site = site(vec![stream(&[PRIMING], false)]);
    let client = builder().connect(site.transport()).await.unwrap();
    let call = client.call_tool("wait", ()).timeout(Duration::from_millis(200));
    assert!(matches!(call.await.unwrap_err(), Error::Timeout(_)));
    tokio::time::sleep(Duration::from_secs(60)).await; // paused clock
    assert_eq!(site.methods(2), ["tools/call", "notifications/cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_tries() {
    let site = site(vec![stream(&[PRIMING], false)]);
    let client = builder().connect(site.transport()).await.unwrap();
    let (called, ()) = tokio::join!(client.call_tool("wait", ()), async {
        tokio::time::sleep(Duration::from_millis(200)).await; // paused clock
        client.close().await;
    });
    let Error::Transport(detail) = called.unwrap_err() else { panic!("the wire was closed") };
    assert_eq!((detail.fault, detail.sent, site.count("GET")), (TransportFault::Ended, true, 0));
}
