//! No bytes panic the envelope, what it accepts can be written and read again, and results decode.

#![no_main]

use diglot_proto::http::headers::{decode_value, encode_value, mirrored_name};
use diglot_proto::jsonrpc::{
    Id, Message, Parsed, ReplyId, Unreadable, parse, recover_id, write_error, write_notification,
    write_request, write_result,
};
use diglot_proto::meta::{Envelope, RequestMeta, progress_token, server_info, subscription_id};
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

fuzz_target!(|bytes: &[u8]| {
    let recovered = recover_id(bytes);
    match parse(bytes) {
        Ok(Parsed::One(message)) => {
            if let Some(id) = id(&message) {
                assert_eq!(recovered.as_ref(), Some(id), "the two readers agree on the id");
            }
            accepted(&message);
        }
        Ok(Parsed::Batch(messages)) => {
            for message in messages {
                match message {
                    Ok(message) => accepted(&message),
                    Err(unreadable) => refused(&unreadable),
                }
            }
        }
        Ok(_) => unreachable!(),
        Err(unreadable) => refused(&unreadable),
    }
});

fn id<'m>(message: &'m Message<'_>) -> Option<&'m Id> {
    match message {
        Message::Request(request) => Some(&request.id),
        Message::Response(response) => match &response.id {
            ReplyId::Id(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

fn refused(unreadable: &Unreadable) {
    assert!(!unreadable.to_string().contains(['\n', '\r', '\u{1b}']));
}

fn accepted(message: &Message<'_>) {
    if let Some(line) = write(message) {
        assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
        let Ok(Parsed::One(again)) = parse(&line) else { panic!("what is written is a message") };
        assert_eq!(write(&again), Some(line), "what is written stays the same");
    }
    match message {
        Message::Request(request) => {
            parameters(request.params.as_deref());
            if let Some(name) = mirrored_name(&request.method, request.params.as_deref()) {
                assert_eq!(decode_value(&encode_value(&name)).expect("decodes"), name);
            }
        }
        Message::Notification(notification) => {
            parameters(notification.params.as_deref());
            if let Some(params) = notification.params.as_deref() {
                progress_token(params);
                subscription_id(params);
            }
        }
        Message::Response(response) => {
            if let Ok(result) = &response.outcome {
                decodes(result);
                server_info(result);
            }
        }
        _ => unreachable!(),
    }
}

fn write(message: &Message<'_>) -> Option<Vec<u8>> {
    Some(match message {
        Message::Request(request) => write_request(&request.id, &request.method, request.params.as_deref()),
        Message::Notification(notification) => {
            write_notification(&notification.method, notification.params.as_deref())
        }
        Message::Response(response) => match (&response.id, &response.outcome) {
            (ReplyId::Id(id), Ok(result)) => write_result(id, result),
            (ReplyId::Id(id), Err(error)) => write_error(Some(id), error),
            (_, Ok(_)) => return None,
            // Without an id only the reserved codes are still a response.
            (_, Err(error)) if (-32768..=-32000).contains(&error.code) => write_error(None, error),
            (_, Err(_)) => return None,
        },
        _ => unreachable!(),
    })
}

fn parameters(params: Option<&RawValue>) {
    RequestMeta::read(params);
    let capabilities = serde_json::value::to_raw_value(&()).expect("JSON");
    let envelope = Envelope::new("2026-07-28", &capabilities);
    if let Ok(applied) = envelope.apply(params) {
        assert_eq!(RequestMeta::read(Some(&applied)).protocol_version.as_deref(), Some("2026-07-28"));
    }
}

/// A number beyond a double is the one thing that passes through and does not decode.
fn decodes(raw: &RawValue) {
    if let Err(error) = serde_json::from_str::<serde_json::Value>(raw.get()) {
        assert!(error.to_string().starts_with("number out of range"), "{error}");
    }
}
