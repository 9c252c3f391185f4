//! The challenges of `WWW-Authenticate`: what the server wants to see before it answers.
//!
//! RFC 9110, section 11.6.1, read leniently: deployed servers forget commas between parameters and quotes around
//! addresses.

use super::is_token_byte;

/// How many challenges are read from one response.
pub const MAX_CHALLENGES: usize = 16;

/// How many bytes of challenges are read from one response.
pub const MAX_CHALLENGE_BYTES: usize = 8 * 1024;

/// Holds one challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme as it was sent; compare it by [`Challenge::is`].
    pub scheme: String,
    /// The parameters in their order, names in lower case, values without quotes and escapes.
    pub params: Vec<(String, String)>,
    /// The single value that some schemes have in place of parameters.
    pub token68: Option<String>,
}

impl Challenge {
    /// Says whether the scheme is this one, without regard to case.
    pub fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// Returns a parameter by its name in lower case; the first one if it is repeated.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the address of the protected resource metadata (RFC 9728).
    pub fn resource_metadata(&self) -> Option<&str> {
        self.param("resource_metadata")
    }

    /// Returns the scopes that the request needs, separated by spaces (RFC 6750).
    pub fn scope(&self) -> Option<&str> {
        self.param("scope")
    }

    /// Returns the error code, such as `invalid_token` or `insufficient_scope` (RFC 6750).
    pub fn error(&self) -> Option<&str> {
        self.param("error")
    }

    /// Returns what the server says about the error (RFC 6750).
    pub fn error_description(&self) -> Option<&str> {
        self.param("error_description")
    }
}

/// Reads the values of all `WWW-Authenticate` headers of a response, several challenges in one value too.
///
/// What cannot be read is skipped. At most [`MAX_CHALLENGES`] are read, from at most [`MAX_CHALLENGE_BYTES`].
pub fn parse_challenges<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<Challenge> {
    let mut challenges = Vec::new();
    let mut left = MAX_CHALLENGE_BYTES;
    for value in values {
        let value = value.get(..value.floor_char_boundary(left)).unwrap_or_default();
        left -= value.len();
        read_value(value, &mut challenges);
        if left == 0 || challenges.len() == MAX_CHALLENGES {
            break;
        }
    }
    challenges
}

fn read_value(value: &str, challenges: &mut Vec<Challenge>) {
    let mut reader = Reader { rest: value };
    // A parameter belongs to a challenge of the same header.
    let mut open = false;
    loop {
        reader.skip(|byte| byte == b',' || is_space(byte));
        if reader.rest.is_empty() {
            return;
        }
        let word = reader.take(is_token_byte);
        if word.is_empty() {
            reader.take(|byte| byte != b',');
            continue;
        }
        if let Some(value) = reader.parameter() {
            if let Some(challenge) = challenges.last_mut().filter(|_| open) {
                challenge.params.push((word.to_ascii_lowercase(), value));
            }
            continue;
        }
        if challenges.len() == MAX_CHALLENGES {
            return;
        }
        challenges.push(Challenge { scheme: word.to_owned(), params: Vec::new(), token68: reader.token68() });
        open = true;
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes the bytes that fit; they must fit or not by whole characters.
    fn take(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let end = self.rest.bytes().position(|byte| !fits(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn skip(&mut self, fits: impl Fn(u8) -> bool) {
        self.take(fits);
    }

    /// Takes `= value`, or nothing where no equals sign is next.
    fn parameter(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start_matches([' ', '\t']).strip_prefix('=')?;
        self.skip(is_space);
        match self.rest.strip_prefix('"') {
            Some(inner) => {
                self.rest = inner;
                Some(self.quoted())
            }
            // A token by the grammar; an address without quotes in the field.
            None => Some(self.take(|byte| byte != b',' && !is_space(byte)).to_owned()),
        }
    }

    /// Takes the rest of a quoted string, to the end where the closing quote is missing.
    fn quoted(&mut self) -> String {
        let mut text = String::new();
        let mut characters = self.rest.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => break,
                '\\' => text.extend(characters.next()),
                _ => text.push(character),
            }
        }
        self.rest = characters.as_str();
        text
    }

    /// Takes the single value of a scheme, or nothing where parameters or another challenge follow.
    fn token68(&mut self) -> Option<String> {
        let spaced = self.rest.strip_prefix(' ')?.trim_start_matches(' ');
        let mut ahead = Reader { rest: spaced };
        let body = ahead.take(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte));
        let padding = ahead.take(|byte| byte == b'=');
        let after = ahead.rest.trim_start_matches([' ', '\t']);
        if body.is_empty() || !(after.is_empty() || after.starts_with(',')) {
            return None;
        }
        self.rest = ahead.rest;
        Some(format!("{body}{padding}"))
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
