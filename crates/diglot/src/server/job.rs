//! One request that is to be answered, with all its facts; and the facts that a handler may look up.

use std::any::Any;
use std::sync::Arc;

use diglot_proto::http::mirror::Field;
use diglot_proto::jsonrpc::{Id, RpcError, codes};
use diglot_proto::meta::RequestMeta;
use diglot_proto::method::Method;
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

use crate::server::outlet::Outlet;
use crate::server::session::Session;

/// One classified request, ready to be run.
pub(crate) struct Job {
    pub(crate) id: Id,
    pub(crate) method: Method,
    pub(crate) params: Option<Box<RawValue>>,
    /// Shared with the handler's context.
    pub(crate) caller: Arc<Caller>,
    pub(crate) outlet: Arc<dyn Outlet>,
}

impl Job {
    /// Returns the parameters, where the method cannot do without any.
    pub(crate) fn params(&self) -> Result<&RawValue, RpcError> {
        self.params.as_deref().ok_or_else(|| invalid(format!("{} needs parameters", self.method.as_str())))
    }
}

/// Makes the error of parameters that do not fit their method.
pub(crate) fn invalid(what: impl Into<String>) -> RpcError {
    RpcError::new(codes::INVALID_PARAMS, what)
}

/// Who asks, by which rules, and over what.
pub(crate) struct Caller {
    pub(crate) revision: Revision,
    /// What the envelope says; in the legacy era what `initialize` said.
    pub(crate) client: Option<Box<RawValue>>,
    pub(crate) capabilities: Box<RawValue>,
    /// The level from which on the request wants messages logged, by rank; nothing where it wants none.
    pub(crate) log_rank: Option<u8>,
    /// The token of the request's progress, as the client wrote it.
    pub(crate) progress_token: Option<Box<RawValue>>,
    /// The legacy session, where there is one.
    pub(crate) session: Option<Arc<Session>>,
    pub(crate) facts: Facts,
}

/// What a binding knows of a request beside the message.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// Who the caller is, as whatever authenticates requests says.
    pub(crate) principal: Option<Arc<str>>,
    /// What the binding hands on to handlers: the head of an HTTP request, say.
    pub(crate) parts: Option<Arc<dyn Parts>>,
}

/// What a binding knows of a request beside its message, such as the head of an HTTP request.
pub(crate) trait Parts: Send + Sync {
    /// Returns what the request says in a header, where there are headers.
    fn field(&self, name: &str) -> Field<'_>;

    /// Returns the whole, for handlers that know its type.
    fn as_any(&self) -> &dyn Any;
}

impl Caller {
    /// Takes what a modern request says of itself.
    pub(crate) fn modern(revision: Revision, envelope: &RequestMeta<'_>, facts: Facts) -> Self {
        let level = envelope.log_level.as_deref().map(diglot_proto::types::LoggingLevel::from);
        Self {
            revision,
            client: envelope.client_info.map(ToOwned::to_owned),
            capabilities: envelope.client_capabilities.map_or_else(empty, ToOwned::to_owned),
            log_rank: level.map(|level| level.rank().unwrap_or_default()),
            progress_token: envelope.progress_token.map(ToOwned::to_owned),
            session: None,
            facts,
        }
    }

    /// Takes what is known of a legacy client; without a session nothing but the revision is.
    pub(crate) fn legacy(
        revision: Revision,
        session: Option<Arc<Session>>,
        params: Option<&RawValue>,
        facts: Facts,
    ) -> Self {
        Self {
            revision,
            client: session.as_ref().and_then(|session| session.client.clone()),
            capabilities: session.as_ref().map_or_else(empty, |session| session.capabilities.clone()),
            log_rank: session.as_ref().map(|session| session.level()),
            progress_token: RequestMeta::read(params).progress_token.map(ToOwned::to_owned),
            session,
            facts,
        }
    }

    pub(crate) fn era(&self) -> Era {
        self.revision.era()
    }
}

fn empty() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")
}
