//! What one inbound message asks of the server: classified, and taken off the buffer that it came in.

use std::sync::Arc;

use diglot_proto::jsonrpc::{Id, Message, Response};
use diglot_proto::lifecycle::classify::{self, Head, Inbound, Refused, Rejection};
use diglot_proto::method::Method;
use diglot_proto::object::Object;
use diglot_proto::version::Revision;
use serde_json::value::RawValue;

use crate::server::core::Core;
use crate::server::job::{Caller, Facts, Job};
use crate::server::outlet::Outlet;
use crate::server::session::Session;

/// What a message asks for.
pub(crate) enum Intake {
    /// A request that is ready to be run, whatever came before it.
    Modern(Work),
    /// `initialize`, which opens a legacy session.
    Initialize(Id, Option<Box<RawValue>>),
    /// A request of a legacy session.
    Legacy(LegacyWork),
    /// The withdrawal of a request by its id.
    Cancel(Id),
    /// The answer of a legacy client to a request of ours.
    Answer(Response<'static>),
    /// A notification that asks for nothing.
    Noted,
    /// A message that is refused.
    Refused(Rejection),
}

/// A request with its caller, which only lacks the way out for what it emits.
pub(crate) struct Work {
    pub(crate) id: Id,
    pub(crate) method: Method,
    params: Option<Box<RawValue>>,
    pub(crate) caller: Caller,
}

/// A legacy request, whose session is still to be found.
pub(crate) struct LegacyWork {
    pub(crate) id: Id,
    method: Option<Method>,
    name: String,
    params: Option<Box<RawValue>>,
    /// What the `MCP-Protocol-Version` header says, where there is one.
    revision: Option<Revision>,
}

impl Work {
    /// Adds the way out.
    pub(crate) fn through(self, outlet: Arc<dyn Outlet>) -> Job {
        Job { id: self.id, method: self.method, params: self.params, caller: Arc::new(self.caller), outlet }
    }
}

impl LegacyWork {
    /// Adds the session, or the revision by which a request without one is answered if it names none itself.
    ///
    /// # Errors
    ///
    /// The method is unknown in the legacy era.
    pub(crate) fn of(self, session: Result<Arc<Session>, Revision>, facts: Facts) -> Result<Work, Rejection> {
        let (session, revision) = match session {
            Ok(session) => (Some(session.clone()), session.revision),
            Err(revision) => (None, self.revision.unwrap_or(revision)),
        };
        let is_offered = |method: &Method| method.direction(revision).is_some_and(|way| way.is_to_server());
        let Some(method) = self.method.filter(is_offered) else {
            let mut rejection = Refused::method_not_found(&self.name).of(self.id);
            // Legacy errors come in a success: the status codes for them are of the modern era.
            rejection.status = 200;
            return Err(rejection);
        };
        let caller = Caller::legacy(revision, session, self.params.as_deref(), facts);
        Ok(Work { id: self.id, method, params: self.params, caller })
    }
}

/// Classifies a message, alone; `head` is that of the HTTP request, or nothing on a pipe.
pub(crate) fn take_in(core: &Core, message: &Message<'_>, head: Option<&Head<'_>>, facts: &Facts) -> Intake {
    take(classify::classify(message, head, &core.offer()), facts)
}

/// Classifies a message of a batch that was admitted.
pub(crate) fn take_in_batch(
    core: &Core,
    message: &Message<'_>,
    head: Option<&Head<'_>>,
    facts: &Facts,
) -> Intake {
    take(classify::classify_in_batch(message, head, &core.offer()), facts)
}

fn take(inbound: Inbound<'_>, facts: &Facts) -> Intake {
    match inbound {
        Inbound::Modern(modern) => {
            let request = modern.request;
            // Only methods that a revision has are modern requests; extensions come as their own methods later.
            let Some(method) = modern.method else {
                return Intake::Refused(Refused::method_not_found(&request.method).of(request.id.clone()));
            };
            Intake::Modern(Work {
                id: request.id.clone(),
                method,
                params: request.params.as_deref().map(ToOwned::to_owned),
                caller: Caller::modern(modern.revision, &modern.envelope, facts.clone()),
            })
        }
        Inbound::Legacy(legacy) => {
            let request = legacy.request;
            let params = request.params.as_deref().map(ToOwned::to_owned);
            match legacy.method {
                Some(Method::Initialize) => Intake::Initialize(request.id.clone(), params),
                method => Intake::Legacy(LegacyWork {
                    id: request.id.clone(),
                    method,
                    name: request.method.to_string(),
                    params,
                    revision: legacy.revision,
                }),
            }
        }
        Inbound::Notification(inbound) => match inbound.method {
            Some(Method::Cancelled) => {
                let params =
                    inbound.notification.params.as_deref().and_then(Object::read).unwrap_or_default();
                params.parse::<Id>("requestId").map_or(Intake::Noted, Intake::Cancel)
            }
            _ => Intake::Noted,
        },
        Inbound::Response(response) => Intake::Answer(response.clone().into_owned()),
        Inbound::Rejected(rejection) => Intake::Refused(rejection),
        _ => Intake::Noted,
    }
}
