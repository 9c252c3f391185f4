//! Sends a call that may become a task.

use std::sync::Arc;

use diglot_proto::jsonrpc::codes;
use diglot_proto::object::Object;
use diglot_proto::types::tasks::Task;
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

use crate::client::live::Inner;
use crate::client::request::{Call, Options, Reply};
use crate::client::task::wire;
use crate::error::Error;

/// What a call came to at first.
pub(in crate::client) enum Begun {
    /// Its result.
    Done(Box<RawValue>),
    /// A task.
    Task(Task),
}

/// Sends a call that may become a task; `prefers` says whether a legacy server is asked for one at first.
///
/// A modern server decides by itself. A legacy one has to be asked with the call, and answers with an unknown method
/// (`-32601`) where its tool will not, or will only, run so: then the other way is right, and nothing was done yet.
pub(in crate::client) async fn begin(
    inner: &Arc<Inner>,
    call: Call,
    options: Options,
    prefers: bool,
) -> Result<Begun, Error> {
    let live = inner.live();
    if live.agreement.revision.era() == Era::Modern {
        let options = Options { takes_task: true, ..options };
        return match inner.begin(&call, options).await? {
            Reply::Complete(result) => Ok(Begun::Done(result)),
            Reply::Task(task) => Ok(Begun::Task(wire::created(inner, &task)?)),
        };
    }
    let declared = Object::read(&live.agreement.capabilities).and_then(|declared| declared.object("tasks"));
    let requests = declared.and_then(|tasks| tasks.object("requests"));
    let tools = requests.and_then(|requests| requests.object("tools"));
    let has_tasks =
        live.agreement.revision == Revision::V2025_11_25 && tools.is_some_and(|tools| tools.has("call"));
    if !has_tasks {
        return inner.request(&call, options).await.map(Begun::Done);
    }
    let augmented =
        Call { params: call.params.as_deref().map(augmented), method: call.method.clone(), ..call };
    let (first, second) = if prefers { (augmented, call) } else { (call, augmented) };
    let (timeout, takes_task) = (options.timeout, options.takes_task);
    let result = match inner.request(&first, options).await {
        Err(Error::Rpc(error)) if error.code == codes::METHOD_NOT_FOUND => {
            inner.request(&second, Options { timeout, takes_task, on_progress: None }).await?
        }
        outcome => outcome?,
    };
    match wire::is_legacy_task(&result) {
        true => Ok(Begun::Task(wire::created(inner, &result)?)),
        false => Ok(Begun::Done(result)),
    }
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
