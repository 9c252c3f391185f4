//! No message and no head panics the classifier, its refusals are bounded lines, and mirrored parameters round-trip.

#![no_main]

use diglot_proto::http::accept::Accept;
use diglot_proto::http::mirror::Field;
use diglot_proto::http::param::ParamHeaders;
use diglot_proto::jsonrpc::{Message, Parsed, parse};
use diglot_proto::lifecycle::classify::{
    Head, Inbound, Offer, Rejection, admit_batch, classify, classify_in_batch,
};
use diglot_proto::version::Revision;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    is_http: bool,
    offers_modern: bool,
    offers_legacy: bool,
    version: Vec<&'a [u8]>,
    method: Vec<&'a [u8]>,
    name: Vec<&'a [u8]>,
    schema: &'a [u8],
    text: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let legacy: &[Revision] = if input.offers_legacy { Revision::ALL } else { &[] };
    let offer = Offer::new(input.offers_modern, legacy);
    let head = input.is_http.then(|| {
        Head::read(|header| match header {
            "mcp-protocol-version" => input.version.iter().copied(),
            "mcp-method" => input.method.iter().copied(),
            _ => input.name.iter().copied(),
        })
    });
    Accept::read(input.name.iter().copied());
    match parse(input.text) {
        Ok(Parsed::One(message)) => {
            inbound(&message, classify(&message, head.as_ref(), &offer));
            if let Message::Request(request) = &message {
                mirrored(input.schema, request.params.as_deref(), input.name.first().copied());
            }
        }
        Ok(Parsed::Batch(messages)) => {
            if let Err(rejection) = admit_batch(head.as_ref(), &offer) {
                refused(&rejection);
            }
            for message in messages.iter().flatten() {
                inbound(message, classify_in_batch(message, head.as_ref(), &offer));
            }
        }
        Ok(_) => unreachable!(),
        Err(unreadable) => refused(&Rejection::from(&unreadable)),
    }
});

fn inbound(message: &Message<'_>, inbound: Inbound<'_>) {
    if let Inbound::Rejected(rejection) = inbound {
        refused(&rejection);
        let is_request = matches!(message, Message::Request(_));
        assert_eq!(
            rejection.id.is_some(),
            is_request,
            "a request is refused by its id, and nothing else has one"
        );
    }
}

fn refused(rejection: &Rejection) {
    assert!(matches!(rejection.status, 400 | 404));
    assert!(rejection.error.message.len() < 2000);
    assert!(!rejection.error.message.contains(char::is_control));
    parse(&rejection.body()).expect("a refusal is a message");
}

fn mirrored(schema: &[u8], arguments: Option<&RawValue>, header: Option<&[u8]>) {
    let Ok(schema) = serde_json::from_slice::<&RawValue>(schema) else { return };
    let Ok(params) = ParamHeaders::compile(schema) else { return };
    // Any header may be refused; those that the client makes may not.
    _ = params.verify(arguments, |_| Field::read(header));
    if let Ok(headers) = params.extract(arguments) {
        let field = |name: &str| {
            Field::read(headers.iter().filter(|(own, _)| *own == name).map(|(_, value)| value.as_bytes()))
        };
        params.verify(arguments, field).expect("what the client sends the server accepts");
    }
}
