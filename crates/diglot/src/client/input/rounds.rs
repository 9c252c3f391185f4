//! The rounds of a modern request that asks for input first (`basic/patterns/mrtr`).

use diglot_proto::jsonrpc::RpcError;
use diglot_proto::object::Object;
use diglot_proto::types::{InputRequest, InputRequests};
use serde_json::value::{RawValue, to_raw_value};

use super::Handlers;

/// What a server wants before it goes on.
pub(crate) struct Round {
    /// The questions; there may be none, and then only the state goes back.
    requests: Option<InputRequests>,
    /// The state to be sent back, as its raw JSON string.
    state: Option<Box<RawValue>>,
}

impl Round {
    /// Reads a result that asks for input, or nothing where it asks for nothing and keeps no state.
    pub(crate) fn read(result: &RawValue) -> Option<Self> {
        let object = Object::read(result)?;
        let requests = object.member("inputRequests").map(InputRequests::read).transpose().ok()?;
        let state = object.member("requestState").filter(|state| state.get().starts_with('"'));
        (requests.is_some() || state.is_some())
            .then(|| Self { requests, state: state.map(ToOwned::to_owned) })
    }

    /// Returns how many questions there are.
    pub(crate) fn len(&self) -> usize {
        self.requests.as_ref().map_or(0, |requests| requests.iter().count())
    }

    /// Answers all requests of the round, at the same time.
    ///
    /// # Errors
    ///
    /// One of them cannot be answered, with its name.
    pub(crate) async fn answer(
        &self,
        handlers: &Handlers,
    ) -> Result<Vec<(String, Box<RawValue>)>, (String, RpcError)> {
        let mut answering = tokio::task::JoinSet::new();
        let requests = self.requests.iter().flat_map(InputRequests::iter);
        for (at, (name, request)) in requests.enumerate() {
            let (name, request, handlers) = (name.to_owned(), InputRequest::clone(request), handlers.clone());
            answering.spawn(async move { (at, name, handlers.answer(request).await) });
        }
        let mut answers = Vec::new();
        while let Some(done) = answering.join_next().await {
            // A handler that panicked brings its caller down with it, as if it had been called in place.
            let (at, name, answer) =
                done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            match answer {
                Ok(answer) => answers.push((at, name, answer)),
                Err(error) => return Err((name, error)),
            }
        }
        answers.sort_by_key(|(at, ..)| *at);
        Ok(answers.into_iter().map(|(_, name, answer)| (name, answer)).collect())
    }
}

/// Writes the parameters of the next pass: the original ones with the answers and the state, byte for byte otherwise.
pub(crate) fn next_params(
    params: Option<&RawValue>,
    round: &Round,
    answers: &[(String, Box<RawValue>)],
) -> Box<RawValue> {
    let original = params.map_or("{}", RawValue::get).trim();
    let members =
        original.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default().trim();
    let mut text = String::with_capacity(original.len() + 256);
    text.push('{');
    text.push_str(members);
    let mut add = |name: &str, value: &str| {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&format!("\"{name}\":{value}"));
    };
    if round.requests.is_some() {
        let written: Vec<String> = answers
            .iter()
            .filter_map(|(name, answer)| {
                Some(format!("{}:{}", serde_json::to_string(name).ok()?, answer.get()))
            })
            .collect();
        add("inputResponses", &format!("{{{}}}", written.join(",")));
    }
    if let Some(state) = &round.state {
        add("requestState", state.get());
    }
    text.push('}');
    RawValue::from_string(text).unwrap_or_else(|_| to_raw_value(&()).expect("null is JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn the_next_pass_keeps_the_parameters_and_the_state_byte_for_byte() {
        let result = raw(r#"{"inputRequests":{"q":{"method":"roots/list"}},"requestState":"a\u00e9\/b"}"#);
        let round = Round::read(&result).unwrap();
        let params = raw(r#"{"name":"t","arguments":{"n":1.0,"big":9007199254740993}}"#);
        let next = next_params(Some(&params), &round, &[("q".to_owned(), raw(r#"{"roots":[]}"#))]);
        assert_eq!(
            next.get(),
            r#"{"name":"t","arguments":{"n":1.0,"big":9007199254740993},"inputResponses":{"q":{"roots":[]}},"requestState":"a\u00e9\/b"}"#
        );
    }

    #[test]
    fn a_round_without_requests_sends_only_the_state() {
        let round = Round::read(&raw(r#"{"requestState":"s"}"#)).unwrap();
        assert_eq!(next_params(None, &round, &[]).get(), r#"{"requestState":"s"}"#);
        assert!(Round::read(&raw("{}")).is_none());
    }
}
