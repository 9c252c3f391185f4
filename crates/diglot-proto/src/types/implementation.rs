//! Who a client or a server says it is.

use std::fmt;

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

impl fmt::Display for Implementation {
    /// Writes the name and, where there is one, the version: `calculator 1.0.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "{} {}", self.name, self.version),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Implementation;

    #[test]
    fn a_program_is_shown_by_its_name_and_its_version() {
        assert_eq!(Implementation::new("calculator", "1.0.0").to_string(), "calculator 1.0.0");
        assert_eq!(Implementation::new("calculator", "").to_string(), "calculator");
    }
}
