//! Roots: the places that a client lets a server work in.

record! {
    /// A place that a server may work in (`client/roots`).
    Root {
        /// Where it is, a `file:` address.
        required uri: String = "uri";
        /// A name for people.
        optional name: String = "name";
    } with meta
}

record! {
    /// The answer to `roots/list`.
    ListRootsResult {
        /// The roots.
        expected roots: Vec<Root> = "roots";
    } with meta, left_out
}
