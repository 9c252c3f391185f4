//! What users are told of servers that fail them: what to do next, and none of their secrets.

use crate::run::{run, run_in};
use crate::site::{Answer, Request, Site};

const TOKEN: &str = "tok-0123456789";
const COOKIE: &str = "c00kie-abcdef";

const JSON: &str = "content-type: application/json\r\n";

/// Answers with an error that gives back what it was sent; the id is the request's, as it stands in the text.
fn echo(request: &Request) -> Answer {
    let text = format!("no {TOKEN}, no {COOKIE}");
    let error = format!(r#"{{"code":-32603,"message":"{text}","data":{{"token":"{TOKEN}"}}}}"#);
    (200, JSON, format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, request.id()))
}

#[test]
fn a_secret_that_a_server_sends_back_is_shown_nowhere() {
    const CHALLENGE: &str = "www-authenticate: Bearer error=\"tok-0123456789\", scope=\"c00kie-abcdef\"\r\n";
    const MOVED: &str = "location: http://tok-0123456789.example/c00kie-abcdef?tok-0123456789\r\n";
    const EVENTS: &str = "content-type: text/event-stream\r\n";
    let refusal = |request: &Request| echo(request).2;
    let unknown = |request: &Request| {
        let result = format!(r#"{{"resultType":"{TOKEN}","supportedVersions":["2026-07-28"]}}"#);
        (200, JSON, format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id()))
    };
    let listed = |request: &Request| {
        let error = format!(r#"{{"code":-32022,"message":"no","data":{{"supported":["{TOKEN}"]}}}}"#);
        (200, JSON, format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, request.id()))
    };
    let sites = [
        Site::new(echo),
        Site::new(move |request| (400, JSON, refusal(request))),
        Site::new(move |request| (500, JSON, refusal(request))),
        Site::new(move |request| (200, EVENTS, format!("data: {}\n\n", refusal(request)))),
        Site::new(unknown),
        Site::new(listed),
        Site::always(401, CHALLENGE, COOKIE),
        Site::always(307, MOVED, ""),
        Site::always(200, "content-type: text/html\r\n", "<title>tok-0123456789 c00kie-abcdef</title>"),
        Site::always(400, "content-type: text/plain\r\n", "tok-0123456789 c00kie-abcdef"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (authorization, cookie) = (format!("Authorization: Bearer {TOKEN}"), format!("Cookie: sid={COOKIE}"));
    for (number, site) in sites.iter().enumerate() {
        for form in ["--json", "--color=never"] {
            let words = ["probe", form, "--trace", "t", "--header", &authorization, "--header", &cookie];
            let ran = run_in(folder.path(), &[words.as_slice(), &[&site.url]].concat(), "");
            let trace = std::fs::read_to_string(folder.path().join("t")).unwrap();
            assert_ne!(ran.exit, 0, "{}", ran.told());
            for secret in [TOKEN, COOKIE] {
                assert!(!ran.told().contains(secret), "site {number}: {}", ran.told());
                assert!(!trace.contains(secret), "site {number}: {trace}");
            }
        }
    }
}

#[test]
fn a_hint_fits_what_was_asked_for() {
    const HELD: &str = "content-type: text/event-stream\r\n";
    let page = Site::always(404, "content-type: text/html\r\n", "<title>Cannot POST /</title>");
    let forbidden = Site::always(403, "", "");
    let old = Site::always(200, HELD, "event: endpoint\ndata: /messages\n\n");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/mcp", silent.local_addr().unwrap());
    let table: [(&[&str], &str, &str); 6] = [
        (&[&page.url], "the path may be wrong", "/mcp"),
        (&[&forbidden.url], "it may want credentials", "another host"),
        (&["--header", "x-key: 12345678", &forbidden.url], "the credentials are known", ""),
        (&["--transport", "streamable-http", &old.url], "leave out --transport streamable-http", ""),
        (&["--probe-timeout", "50ms", &silent], "--downgrade lenient takes silence", "--probe-timeout"),
        (&["--probe-timeout", "50ms", "--mode", "modern", &silent], "--probe-timeout sets the wait", ""),
    ];
    for (words, beginning, more) in table {
        let ran = run(&[&["probe", "--json"], words].concat());
        let hint = ran.json()["error"]["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.starts_with(beginning) && hint.contains(more), "{words:?}: {}", ran.told());
    }
}
