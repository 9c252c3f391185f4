//! No HTTP answer panics its reading, and no answer keeps a negotiation going for ever.

#![no_main]

use std::time::Duration;

use diglot_proto::http::headers::{essence, parse_challenges};
use diglot_proto::http::response::{Body, excerpt, manner, page_title, read, sniff};
use diglot_proto::jsonrpc::{Id, Message, Parsed};
use diglot_proto::lifecycle::{Asked, Binding, Downgrade, Evidence, Negotiator, Opening, Seen, Step};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

/// An HTTP answer as a server or a proxy might give it.
#[derive(Debug, Arbitrary)]
struct Answer<'a> {
    status: u16,
    content_type: Option<&'a str>,
    challenge: &'a str,
    policy: u8,
    limit: u8,
    body: &'a [u8],
}

fuzz_target!(|answer: Answer<'_>| {
    let status = 100 + answer.status % 500;
    manner(status, answer.content_type);
    sniff(answer.body);
    page_title(answer.body);
    answer.content_type.map(essence);
    parse_challenges([answer.challenge]);
    let text = excerpt(answer.body, usize::from(answer.limit));
    assert!(!text.chars().any(char::is_control));
    // Each byte can become a replacement character of three; the ellipsis is one more.
    assert!(text.len() <= usize::from(answer.limit) * 3 + 3);
    negotiate(&answer, status);
});

fn negotiate(answer: &Answer<'_>, status: u16) {
    let mut opening = Opening::new(Binding::Http);
    opening.http_sse = true;
    opening.reopens = true;
    opening.downgrade = match answer.policy % 3 {
        0 => Downgrade::Conservative,
        1 => Downgrade::Standard,
        _ => Downgrade::Lenient,
    };
    let mut negotiator = Negotiator::new(opening).expect("the settings do not contradict each other");
    let mut step = negotiator.start();
    for _ in 0..20 {
        let asked = match step {
            Step::Probe { .. } => Asked::Discover,
            Step::Initialize { .. } | Step::OpenHttpSse => Asked::Initialize,
            _ => return,
        };
        step = negotiator.observe(evidence(answer, status, asked), Duration::ZERO);
    }
    panic!("the negotiation goes on: {:?}", negotiator.negotiation());
}

fn evidence(answer: &Answer<'_>, status: u16, asked: Asked) -> Evidence {
    let seen = match read(status, answer.content_type, answer.body) {
        Body::Rpc(Parsed::One(Message::Response(response))) => Seen::response(&response, &Id::Number(1), asked),
        Body::Rpc(_) | Body::OtherJson => Seen::OtherJson,
        Body::Unreadable(_) => Seen::Unreadable,
        Body::WebPage(title) => Seen::WebPage(title),
        Body::Text => Seen::Text,
        _ => Seen::Empty,
    };
    Evidence::http(status, seen)
}
