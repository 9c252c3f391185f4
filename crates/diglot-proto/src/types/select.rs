//! The fields of a form that offer a choice, in their several spellings.

record! {
    /// One choice with a name for people.
    EnumOption {
        /// The word that stands for it.
        required value: String = "const";
        /// The name for people; empty where a peer leaves it out.
        lenient title: String = "title";
    }
}

record! {
    /// A field that takes one of several words.
    UntitledSingleSelect {
        ["type" = "string"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be chosen.
        optional description: String = "description";
        /// The words.
        required values: Vec<String> = "enum";
        /// What is chosen at first.
        optional default: String = "default";
    }
}

record! {
    /// A field that takes one of several words, which have names for people.
    TitledSingleSelect {
        ["type" = "string"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be chosen.
        optional description: String = "description";
        /// The words and their names.
        required options: Vec<EnumOption> = "oneOf";
        /// What is chosen at first.
        optional default: String = "default";
    }
}

record! {
    /// The words that a field takes some of.
    UntitledItems {
        ["type" = "string"]
        /// The words.
        required values: Vec<String> = "enum";
    }
}

record! {
    /// The words that a field takes some of, with names for people.
    TitledItems {
        /// The words and their names.
        required options: Vec<EnumOption> = "anyOf";
    }
}

record! {
    /// A field that takes some of several words.
    UntitledMultiSelect {
        ["type" = "array"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be chosen.
        optional description: String = "description";
        /// How many are to be chosen at least.
        optional min_items: u64 = "minItems";
        /// How many are to be chosen at most.
        optional max_items: u64 = "maxItems";
        /// The words.
        required items: UntitledItems = "items";
        /// What is chosen at first.
        list default: Vec<String> = "default";
    }
}

record! {
    /// A field that takes some of several words, which have names for people.
    TitledMultiSelect {
        ["type" = "array"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be chosen.
        optional description: String = "description";
        /// How many are to be chosen at least.
        optional min_items: u64 = "minItems";
        /// How many are to be chosen at most.
        optional max_items: u64 = "maxItems";
        /// The words and their names.
        required items: TitledItems = "items";
        /// What is chosen at first.
        list default: Vec<String> = "default";
    }
}

record! {
    /// A field that takes one of several words, whose names for people stand apart.
    ///
    /// Revision 2025-06-18 knows no other spelling; later ones keep it for old servers.
    LegacyTitledEnum {
        ["type" = "string"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be chosen.
        optional description: String = "description";
        /// The words.
        required values: Vec<String> = "enum";
        /// The names for people, in the order of the words.
        list names: Vec<String> = "enumNames";
        /// What is chosen at first.
        optional default: String = "default";
    }
}

impl From<Vec<String>> for UntitledItems {
    fn from(values: Vec<String>) -> Self {
        Self::new(values)
    }
}

impl From<Vec<EnumOption>> for TitledItems {
    fn from(options: Vec<EnumOption>) -> Self {
        Self::new(options)
    }
}
