//! A server that is a function of the method and the parameters, and notes when it was asked what.

use std::sync::{Arc, Mutex};

use diglot::transport::MemoryTransport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::Instant;

type Script = dyn Fn(&str, &Value) -> Option<Value> + Send + Sync;

/// A scripted modern server; where its function returns nothing, it says nothing.
#[derive(Clone)]
pub(super) struct Scripted {
    script: Arc<Script>,
    pub(super) saw: Arc<Mutex<Vec<(Instant, Value)>>>,
}

impl Scripted {
    pub(super) fn new(script: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), saw: Arc::default() }
    }

    pub(super) fn transport(&self) -> MemoryTransport {
        let server = self.clone();
        MemoryTransport::new(move || {
            let (client, end) = tokio::io::duplex(64 * 1024);
            let server = server.clone();
            tokio::spawn(async move {
                let (reader, mut writer) = tokio::io::split(end);
                let mut lines = BufReader::new(reader).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    let message: Value = serde_json::from_str(&line).unwrap();
                    server.saw.lock().unwrap().push((Instant::now(), message.clone()));
                    let Some(mut answer) = server.answer(&message).filter(|_| message["id"].is_number())
                    else {
                        continue;
                    };
                    answer["jsonrpc"] = "2.0".into();
                    answer["id"] = message["id"].clone();
                    if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
            client
        })
    }

    fn answer(&self, message: &Value) -> Option<Value> {
        let method = message["method"].as_str().unwrap_or_default();
        if method == "server/discover" {
            return Some(json!({ "result": {
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
            } }));
        }
        (self.script)(method, &message["params"])
    }

    /// Returns the requests of a method with the moments at which they came.
    pub(super) fn sent(&self, method: &str) -> Vec<(Instant, Value)> {
        let saw = self.saw.lock().unwrap();
        saw.iter().filter(|(_, message)| message["method"] == method).cloned().collect()
    }

    /// Waits until a method was sent.
    pub(super) async fn has_seen(&self, method: &str) {
        for _ in 0..100_000 {
            if !self.sent(method).is_empty() {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("{method} was not sent");
    }
}

/// Makes a task as it stands, with more members.
pub(super) fn task(kind: &str, status: &str, more: Value) -> Option<Value> {
    let mut task = json!({
        "resultType": kind, "taskId": "t-1", "status": status, "ttlMs": null,
        "createdAt": "2026-07-28T10:00:00Z", "lastUpdatedAt": "2026-07-28T10:00:00Z",
    });
    for (name, value) in more.as_object().unwrap() {
        task[name] = value.clone();
    }
    Some(json!({ "result": task }))
}

/// A result with one text.
pub(super) fn text(text: &str) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}
