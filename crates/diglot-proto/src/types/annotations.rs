//! For whom something is, and how much it matters.

words! {
    /// Says on whose side of a conversation something stands.
    Role {
        /// The person.
        User "user",
        /// The model.
        Assistant "assistant",
    }
}

record! {
    /// Tells a client how to treat content or a resource.
    Annotations {
        /// For whom it is meant; nobody in particular where it is empty.
        list audience: Vec<Role> = "audience";
        /// How much it matters, from 0 (optional) to 1 (required).
        optional priority: f64 as Number = "priority";
        /// When it was last changed, as an ISO 8601 date.
        optional last_modified: String = "lastModified";
    }
}
