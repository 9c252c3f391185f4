//! The classification of inbound messages, as tables: a message, a head, an offer, and what comes of it.

mod legacy;
mod modern;
mod refused;

use std::borrow::Cow;

use diglot_proto::http::mirror::Field;
use diglot_proto::jsonrpc::{Message, Parsed, parse};
use diglot_proto::lifecycle::classify::{Head, Inbound, Offer, Rejection, classify};
use diglot_proto::version::Revision;
use serde_json::{Value, json};

const LEGACY: &[Revision] =
    &[Revision::V2025_11_25, Revision::V2025_06_18, Revision::V2025_03_26, Revision::V2024_11_05];
const DUAL: Offer<'_> = Offer::new(true, LEGACY);
const MODERN: Offer<'_> = Offer::new(true, &[]);
const OLD: Offer<'_> = Offer::new(false, LEGACY);

const ALL: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Headers by name and value.
type Headers<'h> = &'h [(&'h str, &'h str)];

/// What became of a message.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// The method, and what the request is about.
    Modern(&'static str, Option<String>),
    /// The method, and the revision that the header states.
    Legacy(Option<&'static str>, Option<&'static str>),
    /// The method, and the revision that the header states.
    Notification(Option<&'static str>, Option<&'static str>),
    Response,
    /// The status, the code, and the id as JSON.
    Rejected(u16, i64, Option<String>),
}

fn rejected(status: u16, code: i64) -> Outcome {
    Outcome::Rejected(status, code, Some("1".into()))
}

fn message(text: &str) -> Message<'_> {
    match parse(text.as_bytes()) {
        Ok(Parsed::One(message)) => message,
        other => panic!("{text}: {other:?}"),
    }
}

fn head<'h>(headers: Headers<'h>) -> Head<'h> {
    Head::read(|name| headers.iter().filter(move |(own, _)| *own == name).map(|(_, value)| value.as_bytes()))
}

fn outcome(inbound: Inbound<'_>) -> Outcome {
    let word = |revision: Option<Revision>| revision.map(Revision::as_str);
    match inbound {
        Inbound::Modern(modern) => {
            assert_eq!(modern.revision, Revision::V2026_07_28);
            assert!(modern.envelope.odd.is_none() && modern.envelope.client_capabilities.is_some());
            let method = modern.method.map_or("beyond the specification", |method| method.as_str());
            Outcome::Modern(method, modern.name.map(Cow::into_owned))
        }
        Inbound::Legacy(legacy) => {
            Outcome::Legacy(legacy.method.map(|method| method.as_str()), word(legacy.revision))
        }
        Inbound::Notification(notification) => Outcome::Notification(
            notification.method.map(|method| method.as_str()),
            word(notification.revision),
        ),
        Inbound::Response(_) => Outcome::Response,
        Inbound::Rejected(Rejection { id, error, status, .. }) => {
            Outcome::Rejected(status, error.code, id.map(|id| id.to_string()))
        }
        other => panic!("{other:?}"),
    }
}

fn by_http(text: &Value, headers: Headers<'_>, offer: &Offer<'_>) -> Outcome {
    outcome(classify(&message(&text.to_string()), Some(&head(headers)), offer))
}

fn by_pipe(text: &Value, offer: &Offer<'_>) -> Outcome {
    outcome(classify(&message(&text.to_string()), None, offer))
}

fn rejection(text: &Value, headers: Option<Headers<'_>>, offer: &Offer<'_>) -> Rejection {
    match classify(&message(&text.to_string()), headers.map(head).as_ref(), offer) {
        Inbound::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    }
}

fn data(rejection: &Rejection) -> Value {
    let data = rejection.error.data.as_ref().expect("data");
    serde_json::from_str(data.get()).expect("JSON")
}

/// A request with id 1 and these parameters.
fn bare(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The envelope of a version.
fn envelope(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request with id 1, these parameters and an envelope.
fn modern(method: &str, mut params: Value) -> Value {
    params.as_object_mut().expect("an object").insert("_meta".into(), envelope("2026-07-28"));
    bare(method, params)
}

#[test]
fn a_head_holds_each_header_once_or_says_why_not() {
    let head = head(&[
        ("mcp-protocol-version", " 2026-07-28\t"),
        ("mcp-method", "tools/list"),
        ("mcp-method", "tools/list"),
        ("mcp-name", "caf\u{e9}"),
        ("mcp-session-id", "s"),
    ]);
    assert_eq!(head.protocol_version, Field::One("2026-07-28"));
    assert_eq!(head.method, Field::Many);
    assert_eq!(head.name, Field::Malformed);
    assert_eq!(Head::default().name, Field::Absent);
}
