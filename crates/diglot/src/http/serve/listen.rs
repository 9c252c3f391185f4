//! The stream of a legacy session that belongs to no request, and streams that are taken up again after a break.

use std::sync::Arc;

use diglot_proto::http::headers::LAST_EVENT_ID;
use diglot_proto::jsonrpc;
use http::StatusCode;
use serde_json::value::{RawValue, to_raw_value};

use crate::http::serve::answering::{EventBody, Handler};
use crate::http::serve::endpoint::{Endpoint, Letter, header};
use crate::http::serve::frame;
use crate::http::serve::live::{Lane, Live};
use crate::http::serve::reply::{self, Reply};
use crate::server::events::UNSOLICITED;
use crate::server::hub::Change;

impl Endpoint {
    /// Opens the stream of a session, or takes up the one that broke.
    ///
    /// A client that opens the unsolicited stream a second time has lost the first one, which ends.
    pub(super) async fn listen(&self, letter: &Letter) -> Reply {
        let Some(sessions) = &self.sessions else { return reply::not_allowed("POST") };
        if !letter.accept.event_stream {
            return reply::not_acceptable(None, "the client must accept text/event-stream");
        }
        let live = match self.session(sessions, letter, None).await {
            Ok(live) => live,
            Err(refusal) => return refusal,
        };
        let (stream, event) = match header(&letter.parts.headers, LAST_EVENT_ID) {
            None => (UNSOLICITED, None),
            Some(id) => match frame::read_id(id) {
                Some((stream, event)) => (stream, Some(event)),
                None => {
                    return reply::invalid(StatusCode::BAD_REQUEST, None, "Bad Request: unknown event id");
                }
            },
        };
        let Some(reading) = live.streams.attach(stream, event) else {
            let what = "Bad Request: the stream of this event is not kept any more";
            return reply::invalid(StatusCode::BAD_REQUEST, None, what);
        };
        let lane = Lane::read_by(live.clone(), reading);
        let mut head = Vec::new();
        lane.prime(&mut head);
        if head.is_empty() {
            // Something has to come at once, or proxies hold back the head.
            head.extend_from_slice(frame::COMMENT);
        }
        let handler = match stream {
            UNSOLICITED => self.tell_changes(live),
            // The request runs elsewhere, or has ended.
            _ => Box::pin(std::future::pending()),
        };
        EventBody::listening(handler, lane, head, self.settings.silence).reply()
    }

    /// Makes what tells a session of changes, until the server ends or the client is too slow.
    pub(super) fn tell_changes(&self, live: Arc<Live>) -> Handler {
        let subscriber = live.subscriber(&self.core.hub, self.core.settings.queued_changes);
        Box::pin(async move {
            while let Ok(change) = subscriber.next().await {
                live.streams.push(UNSOLICITED, told(&change));
            }
            live.unsubscribe();
            None
        })
    }
}

fn told(change: &Change) -> Vec<u8> {
    let (method, uri) = match change {
        Change::Tools => ("notifications/tools/list_changed", None),
        Change::Prompts => ("notifications/prompts/list_changed", None),
        Change::Resources => ("notifications/resources/list_changed", None),
        Change::Resource(uri) => ("notifications/resources/updated", Some(uri)),
    };
    let params: Option<Box<RawValue>> =
        uri.map(|uri| to_raw_value(&serde_json::json!({ "uri": **uri })).expect("text serialises"));
    jsonrpc::write_notification(method, params.as_deref())
}
