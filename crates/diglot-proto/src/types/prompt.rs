//! Prompts: templates of messages that a server offers.

use std::collections::BTreeMap;

use crate::types::{Content, Icon, Members, Role};

record! {
    /// An argument that a prompt takes.
    PromptArgument {
        /// The name in programs.
        required name: String = "name";
        /// A name for people.
        optional title: String = "title";
        /// What it is.
        optional description: String = "description";
        /// Whether the prompt cannot do without it.
        flag required: bool = "required";
    }
}

record! {
    /// A prompt that a server offers (`server/prompts`).
    Prompt {
        /// The name in programs.
        required name: String = "name";
        /// A name for people.
        optional title: String = "title";
        /// What it is for.
        optional description: String = "description";
        /// The arguments that fill it.
        list arguments: Vec<PromptArgument> = "arguments";
        /// Pictures of it.
        list icons: Vec<Icon> = "icons";
    } with meta, raw
}

record! {
    /// One message of a prompt.
    PromptMessage {
        /// Who says it.
        required role: Role = "role";
        /// What is said.
        required content: Content = "content";
    }
}

impl PromptMessage {
    /// Makes a message of the user.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content)
    }

    /// Makes a message of the model.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

record! {
    /// The answer to `prompts/list`.
    ListPromptsResult {
        /// The prompts of this page.
        expected prompts: Vec<Prompt> = "prompts";
    } with page, cache, result, meta, left_out
}

record! {
    /// The parameters of `prompts/get`.
    GetPromptParams {
        /// The name of the prompt.
        required name: String = "name";
        /// The arguments that fill it; a number or a boolean reads as its text.
        checked arguments: BTreeMap<String, String> = "arguments";
        /// What the client says to the requests of an earlier [`InputRequiredResult`](crate::types::InputRequiredResult).
        checked input_responses: Members = "inputResponses";
        /// The state that came with them, as it came.
        checked request_state: String = "requestState";
    } with meta
}

record! {
    /// The answer to `prompts/get`.
    GetPromptResult {
        /// What the prompt is for.
        optional description: String = "description";
        /// The messages of the filled prompt.
        expected messages: Vec<PromptMessage> = "messages";
    } with result, meta, raw, left_out
}
