//! What can change at a server, and which notification says so.

use std::fmt;

use diglot_proto::jsonrpc::Notification;
use diglot_proto::object::Object;
use diglot_proto::types::{ServerCapabilities, SubscriptionFilter};

/// Something that changed at the server.
///
/// Several changes of the same thing that nobody has taken yet are told once: what counts is to read it again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// A resource, by its URI; it can be one below the one that was asked for.
    Resource(String),
    /// Changes may have been missed, so whatever matters is to be read again.
    Interrupted(Interruption),
}

/// Why changes may have been missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Interruption {
    /// The stream that brings them broke off, and is there again.
    StreamLost,
    /// The connection was opened anew, and the subscription with it.
    Reconnected,
    /// More of them waited than [`Limits::queued_messages`](crate::Limits::queued_messages) allows, and the oldest were
    /// dropped.
    Overflow,
}

impl Change {
    /// Reads the change that a notification tells of, where it tells of one.
    pub(super) fn of(notification: &Notification<'_>) -> Option<Self> {
        Some(match &*notification.method {
            "notifications/tools/list_changed" => Self::Tools,
            "notifications/prompts/list_changed" => Self::Prompts,
            "notifications/resources/list_changed" => Self::Resources,
            "notifications/resources/updated" => {
                let params = Object::read(notification.params.as_deref()?)?;
                Self::Resource(params.string("uri")?)
            }
            _ => return None,
        })
    }

    /// Tells whether a filter asks for it. Any resource may be below one that was asked for.
    pub(super) fn is_wanted(&self, filter: &SubscriptionFilter) -> bool {
        match self {
            Self::Tools => filter.tools_list_changed,
            Self::Prompts => filter.prompts_list_changed,
            Self::Resources => filter.resources_list_changed,
            Self::Resource(_) => !filter.resource_subscriptions.is_empty(),
            Self::Interrupted(_) => true,
        }
    }

    /// Returns how much it takes to keep, in bytes.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Resource(uri) => uri.len(),
            _ => 0,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tools => f.write_str("the list of tools has changed"),
            Self::Prompts => f.write_str("the list of prompts has changed"),
            Self::Resources => f.write_str("the list of resources has changed"),
            Self::Resource(uri) => write!(f, "the resource {uri} has changed"),
            Self::Interrupted(why) => write!(f, "changes may have been missed: {why}"),
        }
    }
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StreamLost => "the stream broke off and is there again",
            Self::Reconnected => "the connection was opened anew",
            Self::Overflow => "too many of them waited unread",
        })
    }
}

/// Returns what a legacy server can tell of, by its capabilities.
pub(super) fn offered(wanted: &SubscriptionFilter, capabilities: &ServerCapabilities) -> SubscriptionFilter {
    let lists = SubscriptionFilter::offered_by(capabilities);
    let subscribes = capabilities.resources.as_ref().is_some_and(|resources| resources.subscribe);
    let resources = if subscribes { wanted.resource_subscriptions.clone() } else { Vec::new() };
    SubscriptionFilter::new()
        .tools_list_changed(wanted.tools_list_changed && lists.tools_list_changed)
        .prompts_list_changed(wanted.prompts_list_changed && lists.prompts_list_changed)
        .resources_list_changed(wanted.resources_list_changed && lists.resources_list_changed)
        .resource_subscriptions(resources)
}
