//! What a client and a server say they can do, in either era.

use serde_json::value::{RawValue, to_raw_value};

use crate::object::Object;
use crate::types::Members;

record! {
    /// A capability that can tell when its list changes.
    ListCapability {
        /// Whether it tells so.
        flag list_changed: bool = "listChanged";
    }
}

record! {
    /// A server's capability to offer resources.
    ResourcesCapability {
        /// Whether it tells when a single resource changes.
        flag subscribe: bool = "subscribe";
        /// Whether it tells when the list changes.
        flag list_changed: bool = "listChanged";
    }
}

record! {
    /// Says which calls of tools can run as tasks.
    ToolTasks {
        /// `tools/call`.
        optional call: Members as Declared = "call";
    }
}

record! {
    /// Says which requests to a server can run as tasks.
    ServerTaskRequests {
        /// Those about tools.
        optional tools: ToolTasks as Declared = "tools";
    }
}

record! {
    /// A server's capability to run requests as tasks, in revision 2025-11-25.
    ServerTasksCapability {
        /// `tasks/list`.
        optional list: Members as Declared = "list";
        /// `tasks/cancel`.
        optional cancel: Members as Declared = "cancel";
        /// The requests that can run so.
        optional requests: ServerTaskRequests as Declared = "requests";
    }
}

record! {
    /// The capabilities of a server.
    ///
    /// They form an open set: a server may declare words of its own, and extensions live under `extensions`. A
    /// capability that is declared as `true` reads as an empty one.
    ServerCapabilities {
        /// Capabilities that no revision has, by name.
        optional experimental: Members = "experimental";
        /// Log messages.
        optional logging: Members as Declared = "logging";
        /// Completion of arguments.
        optional completions: Members as Declared = "completions";
        /// Prompts.
        optional prompts: ListCapability as Declared = "prompts";
        /// Resources.
        optional resources: ResourcesCapability as Declared = "resources";
        /// Tools.
        optional tools: ListCapability as Declared = "tools";
        /// Requests that run as tasks, in revision 2025-11-25.
        optional tasks: ServerTasksCapability as Declared = "tasks";
        /// Extensions, by their identifiers, with their settings.
        optional extensions: Members = "extensions";
    }
}

impl ServerCapabilities {
    /// Tells whether a capability is declared, such as `tools`, `resources` or `prompts`.
    pub fn has(&self, name: &str) -> bool {
        Object::read(&self.to_raw()).is_some_and(|object| object.member(name).is_some())
    }

    /// Tells whether a capability declares a feature, such as `resources` with `subscribe`.
    pub fn declares(&self, name: &str, feature: &str) -> bool {
        let raw = self.to_raw();
        let object = Object::read(&raw).and_then(|object| object.object(name));
        object.and_then(|capability| capability.parse::<bool>(feature)).unwrap_or(false)
    }

    /// Returns the names of all declared capabilities, those of the specification first.
    pub fn names(&self) -> Vec<String> {
        let raw = self.to_raw();
        let object = Object::read(&raw).unwrap_or_default();
        let declared = object.iter().filter(|(_, value)| !matches!(value.get(), "null" | "false"));
        declared.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the settings of an extension, by its identifier, where the server declares it.
    pub fn extension(&self, identifier: &str) -> Option<&RawValue> {
        self.extensions.as_ref()?.find(identifier).filter(|settings| settings.get() != "null")
    }

    /// Writes them as raw JSON.
    pub fn to_raw(&self) -> Box<RawValue> {
        to_raw_value(self).expect("capabilities hold raw JSON and booleans")
    }
}

record! {
    /// A client's capability to ask its model.
    SamplingCapability {
        /// Bringing in what other conversations hold.
        optional context: Members as Declared = "context";
        /// Letting the model call tools.
        optional tools: Members as Declared = "tools";
    }
}

record! {
    /// A client's capability to ask its user.
    ElicitationCapability {
        /// By a form.
        optional form: Members as Declared = "form";
        /// At an address.
        optional url: Members as Declared = "url";
    }
}

impl ElicitationCapability {
    /// Tells whether the client shows forms; one that says nothing of modes does.
    pub fn has_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }
}

record! {
    /// Says which samplings can run as tasks.
    SamplingTasks {
        /// `sampling/createMessage`.
        optional create_message: Members as Declared = "createMessage";
    }
}

record! {
    /// Says which elicitations can run as tasks.
    ElicitationTasks {
        /// `elicitation/create`.
        optional create: Members as Declared = "create";
    }
}

record! {
    /// Says which requests to a client can run as tasks.
    ClientTaskRequests {
        /// Samplings.
        optional sampling: SamplingTasks as Declared = "sampling";
        /// Elicitations.
        optional elicitation: ElicitationTasks as Declared = "elicitation";
    }
}

record! {
    /// A client's capability to run requests as tasks, in revision 2025-11-25.
    ClientTasksCapability {
        /// `tasks/list`.
        optional list: Members as Declared = "list";
        /// `tasks/cancel`.
        optional cancel: Members as Declared = "cancel";
        /// The requests that can run so.
        optional requests: ClientTaskRequests as Declared = "requests";
    }
}

record! {
    /// The capabilities of a client.
    ///
    /// A capability that is declared as `true` reads as an empty one.
    ClientCapabilities {
        /// Capabilities that no revision has, by name.
        optional experimental: Members = "experimental";
        /// Roots.
        optional roots: ListCapability as Declared = "roots";
        /// Asking the model.
        optional sampling: SamplingCapability as Declared = "sampling";
        /// Asking the user.
        optional elicitation: ElicitationCapability as Declared = "elicitation";
        /// Requests that run as tasks, in revision 2025-11-25.
        optional tasks: ClientTasksCapability as Declared = "tasks";
        /// Extensions, by their identifiers, with their settings.
        optional extensions: Members = "extensions";
    }
}

impl ClientCapabilities {
    /// Writes them as raw JSON.
    pub fn to_raw(&self) -> Box<RawValue> {
        to_raw_value(self).expect("capabilities hold raw JSON and booleans")
    }
}
