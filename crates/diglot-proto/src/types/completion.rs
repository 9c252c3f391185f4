//! Completion: how an argument that the user is typing may go on.

use std::collections::BTreeMap;

record! {
    /// Refers to a prompt.
    PromptReference {
        ["type" = "ref/prompt"]
        /// The name of the prompt.
        required name: String = "name";
        /// A name for people.
        optional title: String = "title";
    }
}

record! {
    /// Refers to a template of resources, or to one resource.
    ResourceTemplateReference {
        ["type" = "ref/resource"]
        /// The address, or the template of addresses.
        required uri: String = "uri";
    }
}

tagged! {
    /// Says whose argument is to be completed.
    Reference by "type" {
        /// A prompt's.
        Prompt(PromptReference) "ref/prompt",
        /// A template's.
        Resource(ResourceTemplateReference) "ref/resource",
    }
}

record! {
    /// The argument that is to be completed.
    CompleteArgument {
        /// Its name.
        required name: String = "name";
        /// What is typed so far.
        required value: String = "value";
    }
}

record! {
    /// What the client knows besides.
    CompleteContext {
        /// The arguments that are settled already.
        optional arguments: BTreeMap<String, String> = "arguments";
    }
}

record! {
    /// The parameters of `completion/complete`.
    CompleteParams {
        /// Whose argument it is.
        required reference: Reference = "ref";
        /// The argument.
        required argument: CompleteArgument = "argument";
        /// What the client knows besides.
        optional context: CompleteContext = "context";
    } with meta
}

record! {
    /// How an argument may go on.
    Completion {
        /// The values, the likeliest first; at most [`Completion::MOST_VALUES`] of them.
        lenient values: Vec<String> = "values";
        /// How many there are in all.
        optional total: u64 = "total";
        /// Whether there are more than the values here.
        flag has_more: bool = "hasMore";
    }
}

impl Completion {
    /// How many values one answer may have.
    pub const MOST_VALUES: usize = 100;

    /// Makes a completion of the first of these values, and says how many there are.
    pub fn of_many<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        let total = values.len();
        values.truncate(Self::MOST_VALUES);
        Self::new(values).total(total as u64).has_more(total > Self::MOST_VALUES)
    }
}

record! {
    /// The answer to `completion/complete`.
    CompleteResult {
        /// How the argument may go on.
        required completion: Completion = "completion";
    } with result, meta
}
