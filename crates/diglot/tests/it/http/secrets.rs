//! A secret in a header or an address shows up nowhere.

use diglot::Limits;
use diglot::transport::Transport;

use super::net::{Net, collect, event, modern};
use super::server::Reply;
use super::suite;

suite!(no_secret_shows_in_debug_replies_or_errors);

const TOKEN: &str = "tok-9f8e7d6c";
const KEY: &str = "key-1a2b3c4d";
const QUERY: &str = "q-5e6f7a8b";

fn assert_clean(shown: &str) {
    for secret in [TOKEN, KEY, QUERY] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

async fn no_secret_shows_in_debug_replies_or_errors(net: Net) {
    let echo = format!("no such key: {KEY}; you sent Bearer {TOKEN}");
    let page = format!("<html><title>{TOKEN} {KEY}</title></html>");
    let refusal = format!(
        r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-1,"message":"{echo}","data":{{"key":"{KEY}"}}}}}}"#
    );
    let moved = format!("Location: http://other.example/{KEY}?{QUERY}\r\n");
    for reply in [
        Reply::whole(403, "Content-Type: text/plain\r\n", &echo),
        Reply::whole(200, "Content-Type: text/html\r\n", &page),
        Reply::json(200, &format!(r#"{{"echo":"{echo}"}}"#)),
        Reply::json(200, &refusal),
        Reply::json(400, &refusal),
        Reply::events(&event(&refusal)),
        Reply::whole(401, &format!("WWW-Authenticate: Bearer scope=\"{KEY}\"\r\n"), ""),
        Reply::whole(307, &moved, ""),
        Reply::raw("nonsense\r\n\r\n").close(),
        Reply::default().close(),
    ] {
        let site = net.reply(reply).await;
        let transport = site.transport(&format!("/mcp?{QUERY}")).bearer(TOKEN).unwrap();
        let transport = transport.header("X-Api-Key", KEY).unwrap();
        assert_clean(&format!("{transport:?} {} {:?}", transport.target(), transport.key()));
        let connection = transport.open(&Limits::default()).await.unwrap();
        match connection.send(modern(1, "ping")).await {
            Ok(exchange) => assert_clean(&format!("{:?}", collect(exchange).await)),
            Err(error) => {
                assert_clean(&format!("{error:?}"));
                let mut cause: Option<&dyn std::error::Error> = Some(&error);
                while let Some(error) = cause {
                    assert_clean(&error.to_string());
                    cause = error.source();
                }
            }
        }
    }
}

#[test]
fn an_address_with_credentials_is_refused_and_not_shown() {
    let error =
        diglot::http::StreamableHttp::new("https://me:tok-9f8e7d6c@example.com/mcp?q-5e6f7a8b").unwrap_err();
    assert_clean(&format!("{error} {error:?}"));
    assert!(error.to_string().contains("https://example.com/mcp"), "{error}");
}
