//! The client: one API over both eras.
//!
//! [`Client::builder`] starts; `connect` negotiates by the rules of [`crate::lifecycle`]. After that the era is a
//! fact of the agreement that each request carries, and no method of the client behaves differently by it.

mod arguments;
mod ask;
mod builder;
mod cache;
mod call;
mod clock;
mod connect;
mod discover;
mod failure;
mod input;
mod list;
mod live;
mod losses;
mod memory;
mod notices;
mod observers;
mod options;
mod others;
mod reconnect;
mod recover;
mod remedy;
mod request;
mod restore;
mod serve;
mod settings;
mod skills;
mod subscription;
mod task;
mod tools;
mod trace;
mod tries;
mod wire;

use std::sync::Arc;

use diglot_proto::lifecycle::Negotiation;
use diglot_proto::types::{Implementation, ServerCapabilities};
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

pub use arguments::Arguments;
pub use builder::ClientBuilder;
pub use call::CallTool;
pub use diglot_proto::meta::{BadTraceContext, TraceContext};
pub use input::{ElicitationHandler, RootsHandler, SamplingHandler};
pub use list::{
    ListPrompts, ListResourceTemplates, ListResources, ListTools, PromptList, PromptPage, PromptPages,
    ResourceList, ResourcePage, ResourcePages, ResourceTemplateList, ResourceTemplatePage,
    ResourceTemplatePages, ToolList, ToolPage, ToolPages,
};
pub use memory::{EraMemory, EraRecord, EraStore, EraVerdict};
pub use others::{Complete, CustomRequest, GetPrompt, ReadResource};
pub use reconnect::{Reconnect, ReconnectStep, Restart};
pub use skills::{SkillContents, SkillList, Skills};
pub use subscription::{Change, Interruption, Subscription};
pub use task::{OnDrop, Started, TaskHandle};

use live::Inner;

/// A connection to one server, of whichever era.
///
/// Clones share the connection; requests may run at the same time from any of them. When the last clone is
/// dropped, the wire is cut and a child process is killed; [`close`](Self::close) ends it in good order.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

impl Client {
    /// Returns the era that was agreed on.
    pub fn era(&self) -> Era {
        self.revision().era()
    }

    /// Returns the revision that was agreed on.
    pub fn revision(&self) -> Revision {
        self.inner.live().agreement.revision
    }

    /// Returns the versions that the server says it speaks, in its words; a legacy server names the one that it chose.
    pub fn supported_versions(&self) -> Vec<String> {
        self.inner.live().agreement.supported_versions.clone()
    }

    /// Returns the server's name and version, unless it does not identify itself.
    pub fn server(&self) -> Option<Implementation> {
        self.inner.live().agreement.server.clone()
    }

    /// Returns what the server says it can do.
    pub fn capabilities(&self) -> ServerCapabilities {
        ServerCapabilities::read(&self.inner.live().agreement.capabilities)
            .unwrap_or_else(|_| ServerCapabilities::new())
    }

    /// Returns the server's capabilities as it wrote them.
    pub fn raw_capabilities(&self) -> Box<RawValue> {
        self.inner.live().agreement.capabilities.clone()
    }

    /// Returns the server's guidance for a model, where it gives any.
    pub fn instructions(&self) -> Option<String> {
        self.inner.live().agreement.instructions.clone()
    }

    /// Returns the whole `DiscoverResult` or `InitializeResult` as it came.
    pub fn raw_agreement(&self) -> Box<RawValue> {
        self.inner.live().agreement.raw.clone()
    }

    /// Returns every step that led to the agreement.
    pub fn negotiation(&self) -> Negotiation {
        self.inner.live().negotiation.clone()
    }

    /// Names the wire in use: `stdio`, `streamable-http`, `http+sse`, or a word of a custom transport.
    pub fn transport_name(&self) -> &'static str {
        self.inner.live().transport_name
    }

    /// Drops all results that were kept because the server lets them be.
    ///
    /// Whoever changes the credentials that a client sends should call it: what is private belongs to the old ones.
    pub fn clear_cache(&self) {
        self.inner.cache.forget(|_| true);
    }

    /// Closes the connection in good order: it ends a legacy session and waits, within bounds, for a child to exit.
    ///
    /// Requests that are still open fail, subscriptions end, and nothing is opened anew after it.
    pub async fn close(&self) {
        self.inner.recovery.stop();
        self.inner.settings.listens.close();
        self.inner.live().wire.connection.close().await;
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let live = self.inner.live();
        f.debug_struct("Client")
            .field("transport", &live.transport_name)
            .field("revision", &live.agreement.revision)
            .field("server", &live.agreement.server)
            .finish_non_exhaustive()
    }
}
