//! The official suite's questions over a pipe, at every legacy revision.

use serde_json::Value;

use super::stage::Peer;
use crate::scenarios::{LEGACY, Link, play, server};

impl Link for Peer {
    async fn say(&mut self, message: Value) {
        Peer::say(self, &message.to_string()).await;
    }

    async fn hear(&mut self) -> Value {
        Peer::hear(self).await
    }
}

#[tokio::test]
async fn every_scenario_of_the_suite_passes_over_a_pipe_at_every_legacy_revision() {
    for revision in LEGACY {
        let mut peer = Peer::of(server());
        play(&mut peer, revision, "pipe").await;
        assert!(peer.end().await.is_empty());
    }
}
