//! Separates code from comments and strings, keeping every byte where it was.
//!
//! Offsets into either half are offsets into the file, so a rule can look in one and report on the other.

/// A file in two halves of equal length: what is not of the half is blank.
pub struct Halves {
    /// The code; of a string or character literal only the quotes are left.
    pub code: String,
    /// The comments, with their slashes.
    pub comments: String,
}

/// Splits `text` into its code and its comments.
pub fn split(text: &str) -> Halves {
    let bytes = text.as_bytes();
    let mut code = String::with_capacity(text.len());
    let mut comments = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = piece(bytes, at);
        let slice = &text[at..end];
        match kind {
            Kind::Code => {
                code.push_str(slice);
                blank(slice, &mut comments);
            }
            Kind::Comment => {
                blank(slice, &mut code);
                comments.push_str(slice);
            }
            Kind::Literal => {
                quotes_only(slice, &mut code);
                blank(slice, &mut comments);
            }
        }
        at = end;
    }
    Halves { code, comments }
}

/// What a piece of the file is.
#[derive(PartialEq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// Reads the piece that begins at `at`; its end is always a character boundary past `at`.
fn piece(bytes: &[u8], at: usize) -> (Kind, usize) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        return (Kind::Comment, at + length);
    }
    if rest.starts_with(b"/*") {
        return (Kind::Comment, at + block_comment(rest));
    }
    if let Some(length) = raw_string(bytes, at) {
        return (Kind::Literal, at + length);
    }
    match rest[0] {
        b'"' => (Kind::Literal, at + string(rest)),
        b'\'' => match character(rest) {
            Some(length) => (Kind::Literal, at + length),
            None => (Kind::Code, at + 1),
        },
        _ => (Kind::Code, at + character_width(rest)),
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of the raw string at `at`, from its first hash or quote after `r`.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let prefixed = at >= 1 && bytes[at - 1] == b'r';
    let starts_word = at < 2 || !is_word(bytes[at - 2]) || {
        matches!(bytes[at - 2], b'b' | b'c') && (at < 3 || !is_word(bytes[at - 3]))
    };
    if !prefixed || !starts_word {
        return None;
    }
    let rest = &bytes[at..];
    let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let mut end = hashes + 1;
    while end < rest.len() {
        let closes = rest[end] == b'"'
            && rest[end + 1..].iter().take(hashes).filter(|&&byte| byte == b'#').count() == hashes;
        end += 1;
        if closes {
            return Some(end + hashes);
        }
    }
    Some(rest.len())
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a character literal, or none where the quote begins a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        let close = rest.iter().skip(3).position(|&byte| byte == b'\'')?;
        return Some(close + 4);
    }
    let width = character_width(rest.get(1..)?);
    (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

fn character_width(rest: &[u8]) -> usize {
    match rest.first() {
        Some(0xF0..) => 4,
        Some(0xE0..) => 3,
        Some(0xC0..) => 2,
        _ => 1,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn blank(slice: &str, half: &mut String) {
    half.extend(slice.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

/// Keeps the first and the last quote of a literal.
fn quotes_only(slice: &str, half: &mut String) {
    let first = slice.find(['"', '\'']);
    let last = slice.rfind(['"', '\'']);
    half.extend(slice.bytes().enumerate().map(|(at, byte)| match byte {
        b'\n' => '\n',
        b'\'' | b'"' if Some(at) == first || Some(at) == last => char::from(byte),
        _ => ' ',
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let halves = split(text);
        assert_eq!(halves.code.len(), text.len());
        assert_eq!(halves.comments.len(), text.len());
        halves.code.trim_end().to_owned()
    }

    #[test]
    fn comments_leave_the_code() {
        assert_eq!(code("a // b\nc/* /* b */ */c"), "a     \nc             c");
        assert_eq!(split("a // b\nc").comments, "  // b\n ");
    }

    #[test]
    fn strings_keep_their_quotes() {
        assert_eq!(code(r#"f("a\"b", 1)"#), r#"f("    ", 1)"#);
        assert_eq!(code("r\"a // b\" c"), "r\"      \" c");
        assert_eq!(code("br#\"a\"b\"# c"), "br \"   \"  c");
    }

    #[test]
    fn a_lifetime_is_not_a_character() {
        assert_eq!(code("<'a> '{' '\\'' 'é' x"), "<'a> ' ' '  ' '  ' x");
    }

    #[test]
    fn a_raw_identifier_is_not_a_string() {
        assert_eq!(code("r#type, \"x\""), "r#type, \" \"");
        assert_eq!(code("for\"a\""), "for\" \"");
    }
}
