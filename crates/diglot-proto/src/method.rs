//! Every method of every revision: a table, one row a method.
//!
//! Which methods a revision has depends on the direction too: `ping` went both ways, `notifications/progress` goes only
//! to the client in the modern era. The facts are those of the schemas; `tasks/*` of the modern era are those of the
//! tasks extension, and skills are an extension in both eras.

use std::fmt;

use self::Direction::{Both, ToClient, ToServer};
use crate::version::Era;
use crate::version::Revision::{self, V2025_06_18, V2025_11_25};

/// Says which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
    /// Either way.
    Both,
}

impl Direction {
    /// Says whether a client may send it.
    pub const fn is_to_server(self) -> bool {
        matches!(self, Self::ToServer | Self::Both)
    }

    /// Says whether a server may send it.
    pub const fn is_to_client(self) -> bool {
        matches!(self, Self::ToClient | Self::Both)
    }
}

/// Says whether a method expects a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// It does.
    Request,
    /// It does not.
    Notification,
}

/// Makes of each row a variant, its name in both directions, and its facts.
macro_rules! methods {
    ($($(#[$about:meta])* $variant:ident $name:literal => $row:expr,)*) => {
        /// Names a method of any revision.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$about])* $variant,)*
        }

        impl Method {
            /// Lists every method.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Finds a method by its name on the wire, or `None` where no revision has it.
            pub fn parse(name: &str) -> Option<Self> {
                Some(match name {
                    $($name => Self::$variant,)*
                    _ => return None,
                })
            }

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => $row,)*
                }
            }
        }
    };
}

methods! {
    // Opening
    /// Opens a legacy session.
    Initialize "initialize" => request().legacy(ToServer),
    /// Ends the opening of a legacy session.
    Initialized "notifications/initialized" => notification().legacy(ToServer),
    /// Asks a modern server what it is and which revisions it has.
    Discover "server/discover" => request().modern(ToServer).safe(),
    /// Asks whether the peer is there.
    Ping "ping" => request().legacy(Both).safe(),

    // Tools
    /// Lists the tools.
    ListTools "tools/list" => request().legacy(ToServer).modern(ToServer).safe(),
    /// Calls a tool.
    CallTool "tools/call" => request().legacy(ToServer).modern(ToServer),
    /// Tells that the list of tools has changed.
    ToolsChanged "notifications/tools/list_changed" => notification().legacy(ToClient).modern(ToClient),

    // Resources
    /// Lists the resources.
    ListResources "resources/list" => request().legacy(ToServer).modern(ToServer).safe(),
    /// Lists the templates of resources.
    ListResourceTemplates "resources/templates/list" => request().legacy(ToServer).modern(ToServer).safe(),
    /// Reads a resource.
    ReadResource "resources/read" => request().legacy(ToServer).modern(ToServer).safe(),
    /// Asks to be told when a resource changes.
    Subscribe "resources/subscribe" => request().legacy(ToServer),
    /// Asks no longer to be told.
    Unsubscribe "resources/unsubscribe" => request().legacy(ToServer),
    /// Tells that the list of resources has changed.
    ResourcesChanged "notifications/resources/list_changed" => notification().legacy(ToClient).modern(ToClient),
    /// Tells that a resource has changed.
    ResourceUpdated "notifications/resources/updated" => notification().legacy(ToClient).modern(ToClient),

    // Prompts and completion
    /// Lists the prompts.
    ListPrompts "prompts/list" => request().legacy(ToServer).modern(ToServer).safe(),
    /// Gets a prompt.
    GetPrompt "prompts/get" => request().legacy(ToServer).modern(ToServer).safe(),
    /// Tells that the list of prompts has changed.
    PromptsChanged "notifications/prompts/list_changed" => notification().legacy(ToClient).modern(ToClient),
    /// Asks how an argument may go on.
    Complete "completion/complete" => request().legacy(ToServer).modern(ToServer).safe(),

    // During a request
    /// Tells that a request is no longer wanted.
    Cancelled "notifications/cancelled" => notification().legacy(Both).modern(Both),
    /// Tells how far a request has come.
    Progress "notifications/progress" => notification().legacy(Both).modern(ToClient),
    /// Carries a log message.
    LogMessage "notifications/message" => notification().legacy(ToClient).modern(ToClient),
    /// Sets from which level on log messages are sent.
    SetLevel "logging/setLevel" => request().legacy(ToServer),

    // Subscriptions
    /// Opens a stream of notifications.
    Listen "subscriptions/listen" => request().modern(ToServer),
    /// Confirms what a stream of notifications will carry.
    Acknowledged "notifications/subscriptions/acknowledged" => notification().modern(ToClient),

    // Input
    /// Asks the client for a model's answer.
    CreateMessage "sampling/createMessage" => request().legacy(ToClient).embedded(),
    /// Asks the client for its roots.
    ListRoots "roots/list" => request().legacy(ToClient).embedded().safe(),
    /// Tells that the list of roots has changed.
    RootsChanged "notifications/roots/list_changed" => notification().legacy(ToServer),
    /// Asks the user something.
    Elicit "elicitation/create" => request().legacy(ToClient).since(V2025_06_18).embedded(),
    /// Tells that the user is done at a URL.
    ElicitationComplete "notifications/elicitation/complete" => notification().legacy(ToClient).since(V2025_11_25),

    // Tasks
    /// Asks how a task stands.
    GetTask "tasks/get" => request().legacy(Both).since(V2025_11_25).modern(ToServer).extension(TASKS_EXTENSION).safe(),
    /// Answers what a task has asked.
    UpdateTask "tasks/update" => request().modern(ToServer).extension(TASKS_EXTENSION),
    /// Asks a task to stop.
    CancelTask "tasks/cancel" => request().legacy(Both).since(V2025_11_25).modern(ToServer).extension(TASKS_EXTENSION),
    /// Waits for the result of a task.
    GetTaskResult "tasks/result" => request().legacy(Both).since(V2025_11_25).safe(),
    /// Lists the tasks.
    ListTasks "tasks/list" => request().legacy(Both).since(V2025_11_25).safe(),
    /// Tells how a task stands, in revision 2025-11-25.
    TaskStatus "notifications/tasks/status" => notification().legacy(Both).since(V2025_11_25),
    /// Tells how a task stands, by the extension.
    TaskUpdated "notifications/tasks" => notification().modern(ToClient).extension(TASKS_EXTENSION),

    // Skills
    /// Lists the skills.
    ListSkills "skills/list" => request().legacy(ToServer).modern(ToServer).extension(SKILLS_EXTENSION).safe(),
    /// Gets what the server says of one skill.
    GetSkill "skills/get" => request().legacy(ToServer).modern(ToServer).extension(SKILLS_EXTENSION).safe(),
    /// Lists what is directly in a directory.
    ReadDirectory "resources/directory/read" =>
        request().legacy(ToServer).modern(ToServer).extension(SKILLS_EXTENSION).safe(),
}

/// The name of the extension that brings tasks to the modern era.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The name of the extension that brings skills; servers of either era declare it.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

impl Method {
    /// Says whether the method expects a response.
    pub const fn kind(self) -> Kind {
        self.row().kind
    }

    /// Returns which way the method goes in a revision, or `None` where the revision does not have it.
    ///
    /// The three input requests are not messages of the modern era; see [`Method::is_input_request`].
    pub fn direction(self, revision: Revision) -> Option<Direction> {
        let row = self.row();
        match revision.era() {
            Era::Legacy => row.legacy.filter(|_| row.since.is_none_or(|since| revision >= since)),
            Era::Modern => row.modern,
        }
    }

    /// Says whether a modern server asks this inside a result, in place of sending a request.
    pub const fn is_input_request(self) -> bool {
        self.row().embedded
    }

    /// Returns the extension that a modern peer must have declared for this method.
    pub fn extension(self) -> Option<&'static str> {
        self.row().extension
    }

    /// Says whether sending the request once more can do no harm, because it only reads.
    ///
    /// A request whose connection broke may have been carried out; only these are sent again unasked.
    pub const fn safe(self) -> bool {
        self.row().safe
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the table says about a method.
struct Row {
    kind: Kind,
    legacy: Option<Direction>,
    /// The first legacy revision that has it; the oldest one if there is nothing here.
    since: Option<Revision>,
    modern: Option<Direction>,
    embedded: bool,
    /// The extension that it is of, in the modern era; the legacy one may have it by itself.
    extension: Option<&'static str>,
    safe: bool,
}

const fn row(kind: Kind) -> Row {
    Row { kind, legacy: None, since: None, modern: None, embedded: false, extension: None, safe: false }
}

const fn request() -> Row {
    row(Kind::Request)
}

const fn notification() -> Row {
    row(Kind::Notification)
}

impl Row {
    const fn legacy(self, direction: Direction) -> Self {
        Self { legacy: Some(direction), ..self }
    }

    const fn since(self, revision: Revision) -> Self {
        Self { since: Some(revision), ..self }
    }

    const fn modern(self, direction: Direction) -> Self {
        Self { modern: Some(direction), ..self }
    }

    const fn embedded(self) -> Self {
        Self { embedded: true, ..self }
    }

    const fn extension(self, name: &'static str) -> Self {
        Self { extension: Some(name), ..self }
    }

    const fn safe(self) -> Self {
        Self { safe: true, ..self }
    }
}
