//! What people see of a command line: no secrets, and not too much.
//!
//! Arguments cannot be trusted to be harmless, so what looks like a secret is masked, rather too often than too seldom.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

const MASK: &str = "***";

/// Words in the name of a flag, variable, header or key whose value is a secret.
const SECRET: [&str; 10] =
    ["token", "key", "secret", "password", "passwd", "passphrase", "pwd", "auth", "credential", "cookie"];

/// The most characters that are shown of an argument, and of the whole.
const ARGUMENT: usize = 80;
const WHOLE: usize = 200;

/// A command line with its secrets masked. Its `Display` is cut short.
pub(super) struct CommandLine {
    program: String,
    arguments: Vec<String>,
}

impl CommandLine {
    /// Masks the secrets of a command line.
    pub(super) fn new(program: &OsStr, arguments: &[OsString]) -> Self {
        let mut next = Next::Plain;
        let mut masked = |argument: &OsString| {
            let argument = argument.to_string_lossy();
            let shown = next.mask(&argument);
            next = Next::after(&argument);
            shown
        };
        Self {
            program: program.to_string_lossy().into_owned(),
            arguments: arguments.iter().map(&mut masked).collect(),
        }
    }

    /// Returns a key that is the same for the same program, arguments and directory, secrets aside.
    pub(super) fn key(&self, directory: Option<&Path>) -> String {
        let directory = directory.map(Path::to_string_lossy).unwrap_or_default();
        let parts = std::iter::once(self.program.as_str())
            .chain(self.arguments.iter().map(String::as_str))
            .chain(std::iter::once(&*directory));
        let path = Path::new(&self.program);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        format!("stdio:{name}#{:016x}", fnv1a(parts))
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = quoted(&self.program);
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(&quoted(&cut(argument, ARGUMENT)));
        }
        f.write_str(&cut(&line, WHOLE))
    }
}

/// How the next argument is to be read, which the one before it says.
#[derive(Clone, Copy)]
enum Next {
    Plain,
    Secret,
    /// `Name: value` or `NAME=value`, of which only the name is shown.
    Pair,
}

impl Next {
    fn after(argument: &str) -> Self {
        match argument {
            "-H" | "--header" | "-e" | "--env" => Self::Pair,
            _ if argument.starts_with('-') && !argument.contains('=') && is_secret(argument) => Self::Secret,
            _ => Self::Plain,
        }
    }

    fn mask(self, argument: &str) -> String {
        match self {
            // A flag without a value stood before this one.
            Self::Secret if !argument.starts_with("--") => MASK.to_owned(),
            Self::Pair => match argument.find(['=', ':']) {
                Some(at) => masked_after(argument, at + 1),
                None => without_secrets(argument),
            },
            _ => without_secrets(argument),
        }
    }
}

/// Masks the first value with a secret name in an argument and all after it, and the credentials of URLs.
fn without_secrets(argument: &str) -> String {
    let named = argument.match_indices(['=', ':']).find(|(at, _)| is_secret(name_before(argument, *at)));
    let bearer = argument.to_ascii_lowercase().find("bearer ").map(|at| at + "bearer ".len());
    let named = named.map(|(at, _)| at + 1);
    match named.into_iter().chain(bearer).min() {
        Some(at) => without_credentials(&masked_after(argument, at)),
        None => without_credentials(argument),
    }
}

fn masked_after(argument: &str, at: usize) -> String {
    let head = argument.get(..at).unwrap_or_default();
    let space = if head.ends_with(':') { " " } else { "" };
    format!("{head}{space}{MASK}")
}

/// Returns the word before an `=` or `:`, whatever quotes stand between.
fn name_before(text: &str, at: usize) -> &str {
    let text = text.get(..at).unwrap_or_default().trim_end_matches(['"', '\'', '\\', ' ']);
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
    let start = text.trim_end_matches(is_name).len();
    text.get(start..).unwrap_or_default()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|word| name.contains(word))
}

/// Masks what stands between `://` and `@`.
fn without_credentials(argument: &str) -> String {
    let mut shown = String::with_capacity(argument.len());
    let mut rest = argument;
    while let Some((scheme, after)) = rest.split_once("://") {
        shown.push_str(scheme);
        shown.push_str("://");
        let end = after
            .find(|character: char| matches!(character, '/' | '?' | '#') || character.is_whitespace())
            .unwrap_or(after.len());
        let (authority, tail) = after.split_at(end);
        match authority.rsplit_once('@') {
            Some((_, host)) => shown.extend([MASK, "@", host]),
            None => shown.push_str(authority),
        }
        rest = tail;
    }
    shown.push_str(rest);
    shown
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Quotes what would be more words than one, and escapes what would not be visible.
fn quoted(word: &str) -> String {
    let mut shown = String::with_capacity(word.len());
    for character in word.chars() {
        match character.is_control() {
            true => shown.extend(character.escape_debug()),
            false => shown.push(character),
        }
    }
    match shown.is_empty() || shown.contains(char::is_whitespace) {
        true => format!("'{shown}'"),
        false => shown,
    }
}

/// Hashes parts by FNV-1a, which is the same in every process and on every machine.
fn fnv1a<'a>(parts: impl Iterator<Item = &'a str>) -> u64 {
    let bytes = parts.flat_map(|part| part.bytes().chain(std::iter::once(0)));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> CommandLine {
        let arguments: Vec<OsString> = words.iter().skip(1).map(OsString::from).collect();
        CommandLine::new(OsStr::new(words.first().expect("a program")), &arguments)
    }

    fn shown(words: &[&str]) -> String {
        line(words).to_string()
    }

    #[test]
    fn harmless_arguments_are_shown() {
        assert_eq!(shown(&["npx", "-y", "some-server", "--port=80"]), "npx -y some-server --port=80");
        assert_eq!(shown(&["a b", "", "c\td"]), "'a b' '' c\\td");
        assert_eq!(shown(&["x", "https://example.com:80/mcp"]), "x https://example.com:80/mcp");
    }

    #[test]
    fn values_with_a_secret_name_are_masked() {
        for (argument, expected) in [
            ("--api-key=hunter2", "--api-key=***"),
            ("--GITHUB_TOKEN=hunter2", "--GITHUB_TOKEN=***"),
            ("DB_PASSWORD=hunter2", "DB_PASSWORD=***"),
            ("Authorization: Bearer hunter2", "'Authorization: ***'"),
            ("https://x.example/mcp?api_key=hunter2&mode=fast", "https://x.example/mcp?api_key=***"),
            ("postgres://user:hunter2@db.example/data", "postgres://***@db.example/data"),
            (r#"{"apiKey": "hunter2"}"#, r#"'{"apiKey": ***'"#),
            ("X: bearer hunter2", "'X: bearer ***'"),
        ] {
            assert_eq!(shown(&["server", argument]), format!("server {expected}"));
        }
    }

    #[test]
    fn the_argument_after_a_secret_flag_is_masked() {
        assert_eq!(shown(&["s", "--token", "hunter2", "--port", "1"]), "s --token *** --port 1");
        assert_eq!(shown(&["s", "--auth", "--port", "1"]), "s --auth --port 1");
        assert_eq!(shown(&["s", "--header", "X-Custom: hunter2"]), "s --header 'X-Custom: ***'");
        assert_eq!(shown(&["docker", "run", "-e", "A=hunter2", "image"]), "docker run -e A=*** image");
    }

    #[test]
    fn a_long_command_is_cut() {
        let long = "x".repeat(1000);
        let text = shown(&["s", &long, &long, &long, &long]);
        assert_eq!(text.chars().count(), WHOLE + 1);
        assert!(text.starts_with("s xxx") && text.ends_with('…'));
    }

    #[test]
    fn a_key_tells_commands_apart_and_holds_no_secret() {
        let key = |words: &[&str]| line(words).key(None);
        assert_eq!(key(&["/usr/bin/server", "a"]), key(&["/usr/bin/server", "a"]));
        assert!(key(&["/usr/bin/server", "a"]).starts_with("stdio:server#"));
        assert_ne!(key(&["server", "a", "b"]), key(&["server", "ab"]));
        assert_ne!(key(&["server"]), line(&["server"]).key(Some(Path::new("/tmp"))));
        assert_eq!(key(&["server", "--token=1"]), key(&["server", "--token=2"]));
        assert_eq!(fnv1a(std::iter::empty()), 0xcbf2_9ce4_8422_2325);
    }
}
