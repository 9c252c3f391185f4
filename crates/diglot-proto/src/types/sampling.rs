//! Sampling: a server asks its client's model to say something.

use serde_json::value::RawValue;

use crate::types::{Role, SamplingContent, TaskMetadata, Tool};

record! {
    /// One message of a conversation (`client/sampling`).
    SamplingMessage {
        /// Who says it.
        required role: Role = "role";
        /// What is said, in one piece or several; one is written alone, as every revision reads it.
        required content: Vec<SamplingContent> as OneOrMany = "content";
    } with meta, left_out
}

impl SamplingMessage {
    /// Makes a message of the user.
    pub fn user(content: impl Into<SamplingContent>) -> Self {
        Self::new(Role::User, [content.into()])
    }

    /// Makes a message of the model.
    pub fn assistant(content: impl Into<SamplingContent>) -> Self {
        Self::new(Role::Assistant, [content.into()])
    }
}

record! {
    /// Hints at a model.
    ModelHint {
        /// A name, or a part of one, such as `sonnet`.
        optional name: String = "name";
    }
}

record! {
    /// Says which model the server would like; the client decides.
    ModelPreferences {
        /// Names of models, the most wanted first.
        list hints: Vec<ModelHint> = "hints";
        /// How much it matters that the model is cheap, from 0 to 1.
        optional cost_priority: f64 as Number = "costPriority";
        /// How much it matters that the model is fast, from 0 to 1.
        optional speed_priority: f64 as Number = "speedPriority";
        /// How much it matters that the model is able, from 0 to 1.
        optional intelligence_priority: f64 as Number = "intelligencePriority";
    }
}

words! {
    /// Says what of other conversations the client is to bring in; deprecated, best left out.
    IncludeContext {
        /// Nothing.
        None "none",
        /// What belongs to this server.
        ThisServer "thisServer",
        /// What belongs to any server.
        AllServers "allServers",
    }
}

words! {
    /// Says whether the model may call tools.
    ToolChoiceMode {
        /// As it likes.
        Auto "auto",
        /// It must call one.
        Required "required",
        /// It must not.
        None "none",
    }
}

record! {
    /// Says how the model is to deal with tools.
    ToolChoice {
        /// Whether it may call them; as it likes where this is absent.
        optional mode: ToolChoiceMode = "mode";
    }
}

record! {
    /// The parameters of `sampling/createMessage` (`client/sampling`).
    CreateMessageParams {
        /// The conversation so far.
        required messages: Vec<SamplingMessage> = "messages";
        /// Which model the server would like.
        optional model_preferences: ModelPreferences = "modelPreferences";
        /// What the model is to be told before; the client may change it or leave it out.
        optional system_prompt: String = "systemPrompt";
        /// What of other conversations is to be brought in.
        optional include_context: IncludeContext = "includeContext";
        /// How freely the model is to choose its words.
        optional temperature: f64 as Number = "temperature";
        /// How many tokens the answer may have.
        required max_tokens: u64 = "maxTokens";
        /// Texts at which the model is to stop.
        list stop_sequences: Vec<String> = "stopSequences";
        /// What the model's provider is to be told, an object.
        optional metadata: Box<RawValue> as AnyObject = "metadata";
        /// Tools that the model may call; the server runs them.
        list tools: Vec<Tool> = "tools";
        /// How the model is to deal with them.
        optional tool_choice: ToolChoice = "toolChoice";
        /// Asks that the request run as a task, in revision 2025-11-25.
        optional task: TaskMetadata = "task";
    } with meta, left_out
}

record! {
    /// What the client's model said.
    CreateMessageResult {
        /// Who says it: the model.
        required role: Role = "role";
        /// What is said, in one piece or several.
        required content: Vec<SamplingContent> as OneOrMany = "content";
        /// The name of the model; empty where a peer leaves it out.
        lenient model: String = "model";
        /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the provider.
        optional stop_reason: String = "stopReason";
    } with meta, left_out
}
