//! Methods that share a state.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use diglot::{Context, Server, tools};
use serde_json::json;

use super::stage::{ask, call, prompt};

/// A sum that all calls share.
#[derive(Default)]
struct Register {
    sum: AtomicI64,
}

#[tools]
impl Register {
    const SIGN: i64 = -1;

    /// Adds to the sum.
    #[tool(idempotent = false)]
    async fn add(
        &self,
        /// What to add.
        term: i64,
    ) -> i64 {
        self.sum.fetch_add(term, Ordering::Relaxed) + term
    }

    #[diglot::tool(name = "minus")]
    fn subtract(self: Arc<Self>, cx: Context, #[serde(rename = "from")] term: i64) -> String {
        let term = term * Self::SIGN;
        format!("{} ({})", self.sum.fetch_add(term, Ordering::Relaxed) + term, cx.era())
    }

    /// Asks why.
    #[prompt]
    pub(crate) async fn explain(&self, tone: Option<String>) -> String {
        format!("Why is it {}? {}", self.now(), tone.unwrap_or_default())
    }

    fn now(&self) -> i64 {
        self.sum.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn calls_share_the_state() {
    let register = Arc::new(Register::default());
    let server = Server::new("t", "0").tools(Arc::clone(&register));
    assert_eq!(call(server.clone(), "add", json!({ "term": 5 })).await, "5");
    assert_eq!(call(server.clone(), "minus", json!({ "from": 2 })).await, "3 (modern)");
    assert_eq!(prompt(server.clone(), "explain", json!({ "tone": "Gently." })).await, "Why is it 3? Gently.");
    assert_eq!(register.now(), 3);
}

#[tokio::test]
async fn tools_are_listed_in_their_order_with_their_docs() {
    let answer = ask(Server::new("t", "0").tools(Register::default()), "tools/list", json!({})).await;
    let tools = &answer["result"]["tools"];
    assert_eq!(tools[0]["name"], "add");
    assert_eq!(tools[0]["description"], "Adds to the sum.");
    assert_eq!(tools[0]["inputSchema"]["properties"]["term"]["description"], "What to add.");
    assert_eq!(tools[0]["annotations"], json!({ "idempotentHint": false }));
    assert_eq!(tools[1]["name"], "minus");
    assert_eq!(tools[1]["inputSchema"]["required"], json!(["from"]));
    assert_eq!(tools[2], json!(null));
}

/// State of any type.
struct Shown<T, const N: usize>(T);

#[tools]
impl<T: Display, const N: usize> Shown<T, N>
where
    T: Clone + Send + Sync + 'static,
{
    #[tool]
    async fn show(&self) -> String {
        self.0.clone().to_string().repeat(N)
    }
}

#[tokio::test]
async fn a_block_may_be_generic() {
    let server = Server::new("t", "0").tools(Shown::<_, 2>("ab"));
    assert_eq!(call(server, "show", json!({})).await, "abab");
}
