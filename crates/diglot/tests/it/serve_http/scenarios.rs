//! The official suite's questions over HTTP+SSE, at every legacy revision.

use std::collections::VecDeque;

use diglot::http::{Body, HttpService};
use serde_json::Value;

use super::desk::{ask_for, bare, messages, next, post, send};
use crate::recording::Talk;
use crate::scenarios::{LEGACY, Link, play, server};

/// A client of the deprecated transport, played by hand: it says by POST what it hears on the one stream.
struct Old {
    service: HttpService,
    stream: Body,
    address: String,
    heard: VecDeque<Value>,
    talk: Talk,
}

impl Old {
    async fn open(revision: &str) -> Self {
        let service = server().into_http_service().http_sse("/sse", "/messages");
        let mut request = bare("GET", &[("accept", "text/event-stream")]);
        *request.uri_mut() = "/sse".parse().unwrap();
        let mut stream = send(&service, request).await.into_body();
        let endpoint = next(&mut stream).await;
        let address = endpoint.lines().find_map(|line| line.strip_prefix("data: ")).unwrap().to_owned();
        let talk = Talk::at(Some(revision.to_owned()));
        Self { service, stream, address, heard: VecDeque::new(), talk }
    }
}

impl Link for Old {
    async fn say(&mut self, message: Value) {
        self.talk.heard(&message);
        let mut request = post(&message, &[]);
        *request.uri_mut() = self.address.parse().unwrap();
        assert_eq!(ask_for(&self.service, request).await.status, 202);
    }

    async fn hear(&mut self) -> Value {
        loop {
            if let Some(message) = self.heard.pop_front() {
                self.talk.said(&message);
                return message;
            }
            self.heard.extend(messages(&next(&mut self.stream).await));
        }
    }
}

#[tokio::test]
async fn every_scenario_of_the_suite_passes_over_http_and_sse_at_every_legacy_revision() {
    for revision in LEGACY {
        let mut old = Old::open(revision.as_str()).await;
        play(&mut old, revision, "http+sse").await;
    }
}
