//! Which redirects are followed, with what, and how the others are told.

use diglot::Limits;
use diglot::error::{RedirectReason, TransportFault};
use diglot::transport::Transport;

use super::net::{Net, all_shown, collect, modern, result};
use super::server::{Reply, Request};
use super::suite;

suite!(
    a_redirect_that_keeps_the_request_is_followed_within_the_origin,
    a_redirect_that_drops_the_body_is_an_error,
    a_redirect_to_another_origin_is_an_error_that_names_it,
    a_redirect_to_nowhere_is_an_error,
    a_redirect_without_a_target_is_told_as_such,
    redirects_without_end_are_an_error,
);

/// Redirects everything but `/there/?a=1`; `HOST` stands for the server's own.
fn moving(status: u16, location: &'static str) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    move |request| match request.path.as_str() {
        "/there/?a=1" => Reply::json(200, &result(1)),
        _ => {
            let location = location.replace("HOST", request.header("host").unwrap());
            Reply::whole(status, &format!("Location: {location}\r\n"), "moved")
        }
    }
}

async fn a_redirect_that_keeps_the_request_is_followed_within_the_origin(net: Net) {
    for (status, location) in [
        (307, "/there/?a=1"),
        (308, "/there/?a=1"),
        (307, "../there/./?a=1"),
        (307, "//HOST/there/?a=1"),
        (308, "HTTP://HOST/there/?a=1#x"),
    ] {
        let site = net.serve(moving(status, location)).await;
        let transport = site.transport("/mcp/x").bearer("token").unwrap();
        let connection = transport.open(&Limits::default()).await.unwrap();
        let all = collect(connection.send(modern(1, "ping")).await.unwrap()).await.unwrap();
        assert_eq!(all_shown(&all), ["result 1"], "{location}");
        let (first, second) = (site.record.request(1).await, site.record.request(2).await);
        assert_eq!((&second.method, &second.body), (&first.method, &first.body));
        assert_eq!(second.headers, first.headers);
        assert_eq!(second.header("authorization"), Some("Bearer token"));
    }
}

async fn refused(net: &Net, status: u16, location: &'static str) -> (String, RedirectReason) {
    let site = net.serve(moving(status, location)).await;
    let error = site.ask(modern(1, "ping")).await.unwrap_err();
    assert_eq!((error.status, error.sent), (Some(status), false));
    match error.fault {
        TransportFault::Redirect { location, reason } => (location.replace(&site.host(), "HOST"), reason),
        fault => panic!("{fault:?}"),
    }
}

async fn a_redirect_that_drops_the_body_is_an_error(net: Net) {
    for status in [301, 302, 303] {
        let expected = ("http://HOST/there/".to_owned(), RedirectReason::LosesTheBody);
        assert_eq!(refused(&net, status, "/there/?a=1").await, expected);
    }
}

async fn a_redirect_to_another_origin_is_an_error_that_names_it(net: Net) {
    for (status, location, shown) in [
        (307, "http://other.example/mcp?key=secret", "http://other.example/mcp"),
        (308, "https://HOST/there/", "https://HOST/there/"),
        (302, "//other.example/", "http://other.example/"),
        (307, "http://me:secret@HOST/there/", "http://HOST/there/"),
        (307, "http://HOST:1/", "http://HOST:1/"),
    ] {
        let (shown_location, reason) = refused(&net, status, location).await;
        // A port after a port is no port.
        if reason != RedirectReason::NoTarget {
            assert_eq!((shown_location.as_str(), reason), (shown, RedirectReason::OtherOrigin));
        }
    }
}

async fn a_redirect_to_nowhere_is_an_error(net: Net) {
    for location in ["", "http://", "mailto:me"] {
        assert_eq!(refused(&net, 307, location).await.1, RedirectReason::NoTarget);
    }
}

async fn a_redirect_without_a_target_is_told_as_such(net: Net) {
    let site = net.reply(Reply::empty(307)).await;
    let told = site.ask(modern(1, "ping")).await.unwrap_err().to_string();
    assert!(told.ends_with(" redirects without saying where to"), "{told}");
}

async fn redirects_without_end_are_an_error(net: Net) {
    let site = net.serve(moving(307, "/round")).await;
    let error = site.ask(modern(1, "ping")).await.unwrap_err();
    assert_eq!(error.status, Some(307));
    assert!(matches!(error.fault, TransportFault::Redirect { reason: RedirectReason::TooMany, .. }));
    assert_eq!(site.record.requests().len(), 6);
}
