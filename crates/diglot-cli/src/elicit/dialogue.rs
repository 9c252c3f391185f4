//! Who can ask the user, and what may come of it; the terminal is one, and tests have another.

use crate::output::plain;

/// Why the user has left a prompt without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// By Esc, which asks what is meant.
    Escape,
    /// By Ctrl-C, or because the terminal is gone.
    Interrupt,
}

/// What the user decided.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// To answer, with this content; an address has none.
    Accept(Option<serde_json::Map<String, serde_json::Value>>),
    /// To say no.
    Decline,
    /// To say nothing.
    Cancel,
}

/// Something that can ask the user, one question after the other.
pub(super) trait Dialogue {
    /// Shows lines; ours may be styled.
    fn say(&mut self, text: &str);

    /// Asks for a line of text; Enter on nothing takes the default, where there is one.
    fn text(
        &mut self,
        label: &str,
        help: &str,
        default: Option<&str>,
        initial: &str,
    ) -> Result<String, Leave>;

    /// Asks for one of several options and returns its place.
    fn choose(&mut self, label: &str, help: &str, options: &[String], at: usize) -> Result<usize, Leave>;

    /// Asks for some of several options and returns their places.
    fn choose_some(
        &mut self,
        label: &str,
        help: &str,
        options: &[String],
        chosen: &[usize],
    ) -> Result<Vec<usize>, Leave>;

    /// Opens an address in the user's browser.
    fn open(&mut self, address: &str) -> std::io::Result<()>;
}

/// Returns a text of the server on one line, with nothing in it that could move the cursor.
pub(super) fn shown(text: &str) -> String {
    plain(text).replace('\n', "⏎").replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_the_server_stays_on_its_line() {
        assert_eq!(shown("a\nb\u{9b}c\td"), "a⏎b\u{fffd}c d");
    }
}
