//! Legacy sessions over HTTP that the server has lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use diglot::error::{LossCause, Reopening};
use diglot::types::LoggingLevel;
use diglot::{Client, ClientBuilder, Era, Error, Limits, Mode};
use serde_json::json;

use super::Heard;
use super::site::{Reply, Seen, Site, begin_session, discovery, error, result, stream, text, typed};

fn builder() -> ClientBuilder {
    Client::builder("tests", "1.2.3").mode(Mode::Legacy)
}

/// How a server refuses what comes from a session that it does not know.
type Shape = Box<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// A server whose sessions are numbered, and which knows none but the latest, and that only while a test lets it.
struct Forgetful {
    site: Site,
    sessions: Arc<AtomicUsize>,
    /// The sessions up to this one are forgotten.
    forgotten: Arc<AtomicUsize>,
}

impl Forgetful {
    /// Makes a server that refuses what comes from a session that it forgot in the given way.
    fn refusing(refusal: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let (sessions, forgotten) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (minted, gone) = (sessions.clone(), forgotten.clone());
        let site = Site::new(move |seen| {
            if seen.method == "initialize" {
                let number = minted.fetch_add(1, Ordering::SeqCst) + 1;
                return begin_session(seen, &number.to_string());
            }
            let session: usize = seen.session.as_ref().expect("a session is sent").parse().unwrap();
            match seen.method.as_str() {
                _ if session <= gone.load(Ordering::SeqCst) => refusal(seen),
                "notifications/initialized" => text(202, ""),
                "tools/list" => result(seen, &json!({"tools": []})),
                "tools/call" => result(seen, &json!({"content": []})),
                "logging/setLevel" => result(seen, &json!({})),
                _ => text(500, ""),
            }
        });
        Self { site, sessions, forgotten }
    }

    fn new() -> Self {
        Self::refusing(|_| text(404, "Session not found"))
    }

    /// Forgets every session that there is.
    fn forget(&self) {
        self.forgotten.store(self.sessions.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    async fn connect(&self, builder: ClientBuilder) -> Client {
        builder.connect(self.site.transport()).await.unwrap()
    }
}

#[tokio::test]
async fn every_shape_of_a_dead_session_is_opened_anew_and_a_safe_request_repeated() {
    let shapes: [fn(&Seen) -> Reply; 8] = [
        |_| text(404, ""),
        |_| typed(404, "text/html", "<html><title>Not Found</title></html>"),
        |seen| error(404, &seen.message["id"], -32001, "Session not found"),
        |_| error(400, &json!(null), -32000, "Bad Request: No valid session ID provided"),
        |_| error(400, &json!("server-error"), -32600, "Bad Request: Missing session ID"),
        |_| text(401, "Unauthorized: Session not found"),
        |_| text(409, "Conflict: unknown session"),
        |_| error(503, &json!(null), -32603, "No valid session ID provided"),
    ];
    for shape in shapes {
        let server = Forgetful::refusing(shape);
        let heard = Heard::default();
        let client = server.connect(builder().on_reconnect(heard.listener())).await;
        server.forget();
        client.list_tools().await.unwrap();
        assert_eq!(
            server.site.methods(2),
            ["tools/list", "initialize", "notifications/initialized", "tools/list"]
        );
        let sessions: Vec<_> = server.site.seen().into_iter().map(|seen| seen.session).collect();
        let (one, two) = (Some("1".to_owned()), Some("2".to_owned()));
        assert_eq!(sessions, [None, one.clone(), one, None, two.clone(), two]);
        assert_eq!(heard.all(), ["try 1 in 0ns", "open at 2025-11-25"]);
        assert_eq!(client.era(), Era::Legacy);
    }
}

#[tokio::test]
async fn a_demand_for_credentials_opens_nothing_anew() {
    let challenged = |_: &Seen| {
        let Reply::Whole(mut response) = text(401, "Unauthorized: Session not found") else { unreachable!() };
        response.headers_mut().insert("www-authenticate", "Bearer".parse().unwrap());
        Reply::Whole(response)
    };
    let shapes: [Shape; 4] = [
        Box::new(challenged),
        Box::new(|_| text(401, "Your session has expired, please sign in")),
        Box::new(|_| text(401, "")),
        Box::new(|_| text(403, "Session not found")),
    ];
    for shape in shapes {
        let server = Forgetful::refusing(shape);
        let client = server.connect(builder()).await;
        server.forget();
        let error = client.list_tools().await.unwrap_err();
        assert!(matches!(error, Error::Unauthorized(_)), "{error:?}");
        assert_eq!(server.site.count("initialize"), 1);
    }
}

#[tokio::test]
async fn an_error_without_a_session_or_in_a_good_answer_opens_nothing_anew() {
    let site = Site::new(|seen| match seen.method.as_str() {
        "initialize" => result(seen, &super::site::initialization()),
        "notifications/initialized" => text(202, ""),
        "tools/list" => text(404, "Session not found"),
        _ => error(200, &seen.message["id"], -32001, "Session not found"),
    });
    let client = builder().connect(site.transport()).await.unwrap();
    assert!(matches!(client.list_tools().await.unwrap_err(), Error::Http(_)));
    assert!(matches!(client.call_tool("play", ()).await.unwrap_err(), Error::Rpc(_)));
    assert_eq!(site.count("initialize"), 1);
}

/// As a gateway does that strips headers: the id of the first session never comes.
#[tokio::test]
async fn a_session_whose_id_was_lost_on_the_way_is_opened_anew() {
    let site = Site::new(|seen| match (seen.method.as_str(), &seen.session) {
        ("initialize", _) if seen.message["id"] == 1 => result(seen, &super::site::initialization()),
        ("initialize", _) => begin_session(seen, "two"),
        (_, None) => error(400, &json!(null), -32600, "Bad Request: Mcp-Session-Id header is required"),
        ("notifications/initialized", _) => text(202, ""),
        _ => result(seen, &json!({"tools": []})),
    });
    let client = builder().connect(site.transport()).await.unwrap();
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(site.count("initialize"), 2);
    assert_eq!(site.seen().last().unwrap().session.as_deref(), Some("two"));
}

async fn fifty_requests_on_a_dead_session() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    let mut asked = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let client = client.clone();
        asked.spawn(async move { client.list_tools().await });
    }
    while let Some(answer) = asked.join_next().await {
        answer.unwrap().unwrap();
    }
    assert_eq!(server.site.count("initialize"), 2);
}

#[tokio::test]
async fn fifty_requests_on_a_dead_session_share_one_initialize() {
    fifty_requests_on_a_dead_session().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_requests_on_a_dead_session_share_one_initialize_on_many_threads_too() {
    for _ in 0..50 {
        fifty_requests_on_a_dead_session().await;
    }
}

#[tokio::test]
async fn fifty_requests_share_the_failure_of_one_initialize_too() {
    let alive = Arc::<AtomicUsize>::default();
    let begun = alive.clone();
    let site = Site::new(move |seen| match seen.method.as_str() {
        "initialize" if begun.fetch_add(1, Ordering::SeqCst) == 0 => begin_session(seen, "1"),
        "initialize" => text(503, "down for maintenance"),
        "notifications/initialized" => text(202, ""),
        _ => text(404, ""),
    });
    let client = builder().connect(site.transport()).await.unwrap();
    let mut asked = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let client = client.clone();
        asked.spawn(async move { client.list_tools().await.unwrap_err() });
    }
    while let Some(error) = asked.join_next().await {
        let Error::Lost(lost) = error.unwrap() else { panic!("the session is lost") };
        let Reopening::Failed(why) = lost.reopening else { panic!("{lost}") };
        assert_eq!(why.http_status(), Some(503));
    }
    assert_eq!(site.count("initialize"), 2);
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_end_the_reopening() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    let impatient = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    while server.site.count("initialize") < 2 {
        tokio::task::yield_now().await;
    }
    impatient.abort();
    client.list_tools().await.unwrap();
    assert_eq!(server.site.count("initialize"), 2);
}

#[tokio::test]
async fn a_call_is_not_repeated_and_its_error_says_that_the_connection_is_open_again() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    let error = client.call_tool("pay", ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server does not know the session any more (HTTP status 404: Session not found); the connection is open \
         again, and tools/call was not repeated by itself: send it again if that does no harm"
    );
    let Error::Lost(lost) = &error else { panic!("{error:?}") };
    assert!(matches!(lost.cause, LossCause::Session(_)) && matches!(lost.reopening, Reopening::Done));
    assert!(!lost.may_have_acted);
    assert_eq!((server.site.count("tools/call"), server.site.count("initialize")), (1, 2));
    client.call_tool("pay", ()).await.unwrap();
}

#[tokio::test]
async fn a_call_that_its_caller_says_is_repeatable_is_repeated() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    client.call_tool("look", ()).repeatable().await.unwrap();
    assert_eq!((server.site.count("tools/call"), server.site.count("initialize")), (2, 2));
}

#[tokio::test]
async fn a_notification_that_meets_a_dead_session_opens_it_anew_and_is_not_sent_again() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    let error = client.notify("notifications/roots/list_changed", None).await.unwrap_err();
    assert!(matches!(&error, Error::Lost(lost) if matches!(lost.reopening, Reopening::Done)), "{error:?}");
    assert_eq!(server.site.methods(2)[..2], ["notifications/roots/list_changed", "initialize"]);
    client.list_tools().await.unwrap();
    assert_eq!(server.site.count("initialize"), 2);
}

#[tokio::test]
async fn a_call_that_a_failing_server_lost_may_have_been_acted_on() {
    let server = Forgetful::refusing(|_| text(500, "upstream: session not found"));
    let client = server.connect(builder()).await;
    server.forget();
    let error = client.call_tool("pay", ()).await.unwrap_err();
    assert!(error.to_string().ends_with("; the server may have acted on tools/call"), "{error}");
    assert_eq!(server.site.count("tools/call"), 1);
}

#[tokio::test]
async fn the_log_level_is_set_again_before_any_request() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    client.set_log_level(LoggingLevel::Info).await.unwrap();
    client.set_log_level(LoggingLevel::Warning).await.unwrap();
    server.forget();
    client.list_tools().await.unwrap();
    let expected =
        ["tools/list", "initialize", "notifications/initialized", "logging/setLevel", "tools/list"];
    assert_eq!(server.site.methods(4), expected);
    assert_eq!(server.site.seen()[7].message["params"]["level"], "warning");
    let seen = server.site.seen().remove(7);
    assert_eq!((seen.session.as_deref(), seen.version.as_deref()), (Some("2"), Some("2025-11-25")));
    assert_eq!(seen.last_event_id, None);
}

#[tokio::test]
async fn what_cannot_be_set_again_is_told_and_does_not_keep_the_session_closed() {
    let counted = Arc::<AtomicUsize>::default();
    let site = Site::new(move |seen| match seen.method.as_str() {
        "initialize" => begin_session(seen, &(counted.fetch_add(1, Ordering::SeqCst) + 1).to_string()),
        "notifications/initialized" => text(202, ""),
        "logging/setLevel" if seen.session.as_deref() == Some("1") => result(seen, &json!({})),
        "tools/list" if seen.session.as_deref() == Some("2") => result(seen, &json!({"tools": []})),
        "tools/list" => text(404, ""),
        _ => error(200, &seen.message["id"], -32601, "Method not found"),
    });
    let heard = Heard::default();
    let client = builder().on_reconnect(heard.listener()).connect(site.transport()).await.unwrap();
    client.set_log_level(LoggingLevel::Info).await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(heard.all().last().unwrap(), r#"open without ["logging/setLevel"]"#);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_loses_every_session_is_opened_anew_so_often_a_minute() {
    let site = Site::new(|seen| match seen.method.as_str() {
        "initialize" => begin_session(seen, "1"),
        "notifications/initialized" => text(202, ""),
        _ => text(404, ""),
    });
    let heard = Heard::default();
    let builder = builder().limits(Limits::default().reopenings_per_minute(3)).on_reconnect(heard.listener());
    let client = builder.connect(site.transport()).await.unwrap();
    for _ in 0..3 {
        // It is repeated once, and then the answer stands.
        assert!(matches!(client.list_tools().await.unwrap_err(), Error::Http(_)));
    }
    let error = client.list_tools().await.unwrap_err();
    let Error::Lost(lost) = &error else { panic!("{error:?}") };
    let Reopening::OverLimit { limit, most } = lost.reopening else { panic!("{lost}") };
    assert_eq!((limit, most), ("reopenings_per_minute", 3));
    assert!(error.to_string().contains("limit reopenings_per_minute, 3"), "{error}");
    assert_eq!((site.count("initialize"), heard.all().last().map(String::as_str)), (4, Some("GaveUp")));
    tokio::time::advance(Duration::from_secs(60)).await; // paused clock
    client.list_tools().await.unwrap_err();
    assert_eq!(site.count("initialize"), 5);
}

#[tokio::test]
async fn a_server_that_turned_modern_is_no_silent_change_of_era() {
    let counted = Arc::<AtomicUsize>::default();
    let site = Site::new(move |seen| match seen.method.as_str() {
        "initialize" if counted.fetch_add(1, Ordering::SeqCst) == 0 => begin_session(seen, "1"),
        "initialize" => {
            let data = json!({"supported": ["2026-07-28"]});
            let error = json!({"code": -32022, "message": "Unsupported protocol version", "data": data});
            let body = json!({"jsonrpc": "2.0", "id": seen.message["id"], "error": error});
            typed(400, "application/json", &body.to_string())
        }
        "server/discover" if seen.session.is_none() && counted.load(Ordering::SeqCst) > 0 => {
            result(seen, &discovery())
        }
        "server/discover" => error(200, &seen.message["id"], -32601, "Method not found"),
        "notifications/initialized" => text(202, ""),
        _ => text(404, ""),
    });
    let client = Client::builder("tests", "1").connect(site.transport()).await.unwrap();
    assert_eq!(client.era(), Era::Legacy);
    let error = client.list_tools().await.unwrap_err();
    let Error::Lost(lost) = &error else { panic!("{error:?}") };
    let Reopening::Failed(why) = &lost.reopening else { panic!("{lost}") };
    assert!(matches!(**why, Error::Incompatible(_)), "{why:?}");
    assert_eq!((client.era(), site.count("server/discover")), (Era::Legacy, 1));
}

#[tokio::test]
async fn a_dead_session_is_not_ended_a_second_time() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    client.list_tools().await.unwrap();
    assert_eq!(server.site.count("DELETE"), 0);
    client.close().await;
    let last = server.site.seen().pop().unwrap();
    assert_eq!((last.method.as_str(), last.session.as_deref()), ("DELETE", Some("2")));
}

#[tokio::test]
async fn what_was_under_way_on_the_dead_session_fails_or_is_repeated() {
    let counted = Arc::<AtomicUsize>::default();
    let site = Site::new(move |seen| match (seen.method.as_str(), seen.session.as_deref()) {
        ("initialize", _) => begin_session(seen, &(counted.fetch_add(1, Ordering::SeqCst) + 1).to_string()),
        ("notifications/initialized", _) => text(202, ""),
        ("tools/call" | "prompts/list", Some("1")) => Reply::Hang,
        ("tools/list", Some("1")) => text(404, ""),
        ("tools/list", _) => result(seen, &json!({"tools": []})),
        ("prompts/list", _) => result(seen, &json!({"prompts": []})),
        _ => stream(&[], false),
    });
    let client = builder().connect(site.transport()).await.unwrap();
    let (call, prompts, tools) = tokio::join!(client.call_tool("pay", ()), client.list_prompts(), async {
        while site.count("tools/call") + site.count("prompts/list") < 2 {
            tokio::task::yield_now().await;
        }
        client.list_tools().await
    });
    tools.unwrap();
    prompts.unwrap();
    let Error::Lost(lost) = call.unwrap_err() else { panic!("the session is lost") };
    assert!(lost.may_have_acted && matches!(lost.cause, LossCause::Session(_)), "{lost}");
    assert_eq!((site.count("initialize"), site.count("tools/call")), (2, 1));
}

#[tokio::test]
async fn a_closed_client_opens_nothing_anew() {
    let server = Forgetful::new();
    let client = server.connect(builder()).await;
    server.forget();
    client.close().await;
    assert!(matches!(client.list_tools().await.unwrap_err(), Error::Transport(_)));
    assert_eq!(server.site.count("initialize"), 1);
}
