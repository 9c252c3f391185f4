//! The negotiation: the table of policies by values, and the machine step by step.

mod machine;
mod table;

use std::time::Duration;

use diglot_proto::http::response::{Body, read};
use diglot_proto::jsonrpc::{self, Id, Message, Parsed};
use diglot_proto::lifecycle::{
    Asked, Binding, Downgrade, Evidence, FailureKind, Mode, Negotiator, Opening, Seen, Step,
};
use diglot_proto::version::Revision;

/// The id of every request in these tests.
const ID: Id = Id::Number(7);

/// What a negotiation does next, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Modern,
    Probe,
    Legacy(Revision),
    HttpSse,
    Fails(FailureKind),
}

impl Next {
    fn of(step: &Step) -> Self {
        match step {
            Step::Agreed(_) => Self::Modern,
            Step::Probe { .. } => Self::Probe,
            Step::Initialize { revision, .. } => Self::Legacy(*revision),
            Step::OpenHttpSse => Self::HttpSse,
            Step::Failed(failure) => Self::Fails(failure.kind),
            other => panic!("an unknown step: {other:?}"),
        }
    }
}

/// A line that a server wrote to the pipe, as evidence.
fn line(text: &str, asked: Asked) -> Evidence {
    let text = text.replace("$ID", "7");
    let Ok(Parsed::One(Message::Response(response))) = jsonrpc::parse(text.as_bytes()) else {
        panic!("{text} is no response")
    };
    Evidence::pipe(Seen::response(&response, &ID, asked)).excerpt(text.clone())
}

/// An HTTP answer as evidence.
fn http(status: u16, content_type: Option<&str>, body: &str, asked: Asked) -> Evidence {
    let body = body.replace("$ID", "7");
    let seen = match read(status, content_type, body.as_bytes()) {
        Body::Rpc(Parsed::One(Message::Response(response))) => Seen::response(&response, &ID, asked),
        Body::Rpc(_) | Body::OtherJson => Seen::OtherJson,
        Body::Unreadable(_) => Seen::Unreadable,
        Body::WebPage(title) => Seen::WebPage(title),
        Body::Text => Seen::Text,
        Body::Empty if (200..300).contains(&status) => Seen::NoAnswer,
        Body::Empty => Seen::Empty,
        other => panic!("an unknown body: {other:?}"),
    };
    Evidence::http(status, seen)
}

fn json(status: u16, body: &str) -> Evidence {
    http(status, Some("application/json"), body, Asked::Discover)
}

fn opening(binding: Binding, downgrade: Downgrade) -> Opening {
    let mut opening = Opening::new(binding);
    opening.downgrade = downgrade;
    opening.reopens = true;
    opening.http_sse = binding == Binding::Http;
    opening
}

fn negotiator(opening: Opening) -> Negotiator {
    Negotiator::new(opening).expect("the settings do not contradict each other")
}

const MOMENT: Duration = Duration::from_millis(3);

fn with_mode(binding: Binding, mode: Mode) -> Opening {
    let mut opening = opening(binding, Downgrade::Standard);
    opening.mode = mode;
    opening
}

fn initialized(version: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"protocolVersion":"{version}","capabilities":{{}}}}}}"#)
}

fn discovered(versions: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"supportedVersions":[{versions}],"capabilities":{{}}}}}}"#
    )
}

fn refused(versions: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":-32022,"message":"Unsupported protocol version","data":{{"supported":[{versions}]}}}}}}"#
    )
}

fn error(code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"{message}"}}}}"#)
}

fn void(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}
