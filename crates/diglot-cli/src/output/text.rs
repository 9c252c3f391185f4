//! Text of servers on a terminal: made harmless, measured, cut and wrapped.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Replaces what could move the cursor, change colours or reorder a line; line ends and tabs stay.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| match c {
        '\n' | '\t' => false,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    };
    match text.contains(is_harmful) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.replace("\r\n", "\n").replace(is_harmful, "\u{fffd}")),
    }
}

/// Returns the first line that says something, made harmless.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    plain(line).replace('\t', " ")
}

/// Returns how many columns a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.width()
}

/// Cuts a text to a number of columns.
pub(crate) fn shorten(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < width
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push('…');
    Cow::Owned(cut)
}

/// Fills a text with spaces up to a number of columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Breaks a text into lines of a number of columns at most, between words where it can.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if !line.is_empty() && line.width() + c.width().unwrap_or(0) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_made_harmless() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c\u{9b}d"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d");
        assert_eq!(plain("two\nlines\tand é"), "two\nlines\tand é");
    }

    #[test]
    fn the_first_line_skips_empty_ones() {
        assert_eq!(first_line("\n\n  Adds. \nMore."), "Adds.");
        assert_eq!(first_line(""), "");
    }

    #[test]
    fn a_text_is_cut_by_columns() {
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abcd", 4), "abcd");
        assert_eq!(shorten("漢字漢字", 5), "漢字…");
    }

    #[test]
    fn a_text_wraps_between_words_and_within_long_ones() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
