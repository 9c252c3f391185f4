//! Scenarios in which the server asks the user.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diglot::types::{ElicitParams, ElicitResult};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::case::{Case, Failure, equal, text};

/// Accepts a form without filling it, so that its defaults are what is sent.
pub(crate) async fn defaults(case: Case) -> Result<(), Failure> {
    let asked = Counter::default();
    let client = case.client().on_elicitation(asked.answering("{}"));
    let client = case.connect(client).await?;
    text(&client.call_tool("test_client_elicitation_defaults", ()).await?)?;
    equal("how often the user was asked", &asked.count(), &1)?;
    client.close().await;
    Ok(())
}

/// Answers what tools ask with a state and without one, and meanwhile calls one that asks nothing.
pub(crate) async fn request_state(case: Case) -> Result<(), Failure> {
    let asked = Counter::default();
    let client = case.client().on_elicitation(asked.answering(r#"{"confirmed":true}"#));
    let client = case.connect(client).await?;
    client.list_tools().await?;
    let call = |tool: &'static str| client.call_tool(tool, json!({}));
    let (with_state, unrelated) =
        tokio::join!(call("test_mrtr_echo_state").into_future(), call("test_mrtr_unrelated").into_future());
    equal("the answer", text(&with_state?)?.as_str(), "echo-state-ok")?;
    equal("the answer", text(&unrelated?)?.as_str(), "unrelated-ok")?;
    for (tool, answer) in
        [("test_mrtr_no_state", "no-state-ok"), ("test_mrtr_no_result_type", "no-result-type-test-ok")]
    {
        equal("the answer", text(&call(tool).await?)?.as_str(), answer)?;
    }
    equal("how often the user was asked", &asked.count(), &2)?;
    client.close().await;
    Ok(())
}

/// Counts what the user is asked.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl Counter {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Makes a user who accepts with what is entered.
    fn answering(
        &self,
        entered: &'static str,
    ) -> impl Fn(ElicitParams) -> std::future::Ready<ElicitResult> + Send + Sync + 'static {
        let count = self.0.clone();
        move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(ElicitResult::accept(raw(entered)))
        }
    }
}

fn raw(json: &str) -> Box<RawValue> {
    serde_json::from_str(json).or_else(|_| to_raw_value(json)).expect("text serialises")
}
