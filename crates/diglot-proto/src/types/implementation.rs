//! Who a client or a server says it is.

use crate::types::Icon;

record! {
    /// The name and version of a client or a server, as it gives them.
    ///
    /// Nobody verifies them: they are for display and logs, never for decisions (`basic/index`, "_meta"). An absent
    /// version reads as the empty string.
    #[derive(PartialEq, Eq)]
    Implementation {
        /// The program's name.
        required name: String = "name";
        /// A name for people, where it differs.
        optional title: String = "title";
        /// The program's version, in whatever form it uses.
        lenient version: String = "version";
        /// What the program does.
        optional description: String = "description";
        /// Where to read more about it.
        optional website_url: String = "websiteUrl";
        /// Pictures of it.
        list icons: Vec<Icon> = "icons";
    }
}
