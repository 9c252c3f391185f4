//! What is done at a server beside listing and calling: the steps of the visitor, one table a family.
//!
//! The steps are those of `interop/visitor`, in its JSON.

use serde_json::{Value, json};

/// The steps of one visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Nothing more to do there.
    None,
    /// What the programs here offer: a resource, a prompt, and a tool that asks the user.
    Offers,
    /// The same from a server in Python, which has a spelling of its own for yes.
    PythonOffers,
    /// The same of a server that has no way to ask: one without sessions, or one that answers with JSON alone.
    OffersAlone,
    /// What the reference server offers.
    Everything,
}

impl Visit {
    /// Returns the steps, as the visitor takes them.
    pub(crate) fn steps(self) -> Option<Value> {
        let greeting = json!({ "read": { "uri": "test://greeting", "text": "Hello" } });
        let greet = json!({ "prompt": { "prompt": "greet", "arguments": { "name": "Ada" }, "text": "Ada" } });
        let ask = |text| json!({ "call": { "name": "ask", "tool": "ask", "text": text } });
        match self {
            Self::None => None,
            Self::Offers => Some(json!([greeting, greet, ask("yes = true")])),
            Self::PythonOffers => Some(json!([greeting, greet, ask("yes = True")])),
            Self::OffersAlone => Some(json!([greeting, greet])),
            Self::Everything => Some(everything()),
        }
    }
}

fn everything() -> Value {
    let call = |name: &str, tool: &str, arguments: Value, text: &str| json!({ "call": { "name": name, "tool": tool, "arguments": arguments, "text": text } });
    json!([
        { "read": { "uri": "demo://resource/dynamic/text/1", "text": "1" } },
        { "prompt": { "prompt": "args-prompt", "arguments": { "city": "Ulm" }, "text": "Ulm" } },
        { "complete": {
            "prompt": "completable-prompt", "argument": "department", "value": "E", "among": "Engineering"
        } },
        { "call": {
            "name": "progress", "tool": "trigger-long-running-operation", "arguments": { "duration": 0.2, "steps": 2 },
            "text": "completed", "progress": 2
        } },
        call("ask", "trigger-elicitation-request", json!({}), "42"),
        call("ask-url", "trigger-url-elicitation", json!({ "url": "https://example.com/" }), "accept"),
        call("sample", "trigger-sampling-request", json!({ "prompt": "The answer?" }), "Forty-two"),
        call("roots", "get-roots-list", json!({}), "file:///visited"),
    ])
}
