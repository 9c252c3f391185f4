//! Sends a call that may become a task.

use std::sync::Arc;

use diglot_proto::jsonrpc::codes;
use diglot_proto::object::Object;
use diglot_proto::types::tasks::Task;
use diglot_proto::version::Revision;
use serde_json::value::RawValue;

use crate::client::live::Inner;
use crate::client::options::Options;
use crate::client::request::{Call, Reply};
use crate::client::task::wire;
use crate::error::Error;

/// What a call came to at first.
pub(in crate::client) enum Begun {
    /// Its result.
    Done(Box<RawValue>),
    /// A task.
    Task(Box<Task>),
}

/// Sends a call that may become a task, where its options say so; `prefers` says whether a legacy server is asked for
/// one at first.
///
/// A modern server decides by itself. A legacy one has to be asked with the call, and answers with an unknown method
/// (`-32601`) where its tool will not, or will only, run so: then the other way is right, and nothing was done yet.
pub(in crate::client) async fn begin(
    inner: &Arc<Inner>,
    call: &Call,
    options: &mut Options,
    prefers: bool,
) -> Result<Begun, Error> {
    let augmented = match options.takes_task && has_legacy_tasks(inner) {
        true => call.params.as_deref().map(augmented),
        false => None,
    };
    let Some(augmented) = augmented else {
        return match inner.answered(call, options).await?.reply {
            Reply::Task(task) if options.takes_task => {
                Ok(Begun::Task(Box::new(wire::created(inner, &task)?)))
            }
            reply => reply.complete(&call.method).map(Begun::Done),
        };
    };
    let augmented = Call { params: Some(augmented), method: call.method.clone(), ..*call };
    let (first, second) = if prefers { (&augmented, call) } else { (call, &augmented) };
    let answered = match inner.answered(first, options).await {
        Err(Error::Rpc(error)) if error.code == codes::METHOD_NOT_FOUND => {
            inner.answered(second, options).await?
        }
        outcome => outcome?,
    };
    let result = answered.reply.complete(&call.method)?;
    match wire::is_legacy_task(&result) {
        true => Ok(Begun::Task(Box::new(wire::created(inner, &result)?))),
        false => Ok(Begun::Done(result)),
    }
}

/// Tells whether the server is one of the revision that had tasks, and has them for calls.
fn has_legacy_tasks(inner: &Inner) -> bool {
    let live = inner.live();
    let declared = Object::read(&live.agreement.capabilities).and_then(|declared| declared.object("tasks"));
    let requests = declared.and_then(|tasks| tasks.object("requests"));
    let tools = requests.and_then(|requests| requests.object("tools"));
    live.agreement.revision == Revision::V2025_11_25 && tools.is_some_and(|tools| tools.has("call"))
}

/// Adds to the parameters of a call that it is to run as a task.
fn augmented(params: &RawValue) -> Box<RawValue> {
    let members = params.get().trim();
    let members =
        members.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default().trim();
    let separator = if members.is_empty() { "" } else { "," };
    let text = format!("{{{members}{separator}\"task\":{{}}}}");
    RawValue::from_string(text).unwrap_or_else(|_| params.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_keeps_its_parameters_byte_for_byte() {
        let params = RawValue::from_string(r#"{"name":"t","arguments":{"n":1.0}}"#.to_owned()).unwrap();
        assert_eq!(augmented(&params).get(), r#"{"name":"t","arguments":{"n":1.0},"task":{}}"#);
    }
}
