//! Words and marks of blanked code, and the paths in them.

/// A word, `::`, a literal or a single mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    /// As it stands.
    pub text: &'a str,
    /// Its offset in the file.
    pub at: usize,
}

impl Token<'_> {
    /// Whether this is a name, a keyword or a number.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    }
}

/// Splits blanked code into tokens; a string literal is one token that begins with `"`.
pub fn read(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |close| close + 2)
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(Token { text: &rest[..length], at });
        at += length;
    }
    tokens
}

/// The index of the bracket that closes the one at `open`, or of the last token.
pub fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    tokens.len() - 1
}

/// A path that the code names.
#[derive(Debug, PartialEq)]
pub struct Named<'a> {
    /// Its words, without a glob's star.
    pub segments: Vec<&'a str>,
    /// The name it takes here; none for a glob and for a path outside `use`.
    pub name: Option<&'a str>,
    /// Where it stands.
    pub at: usize,
    /// How it stands there.
    pub place: Place,
}

/// Where a path stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A private import.
    Import,
    /// An import that is visible elsewhere.
    Reexport,
    /// In code.
    Code,
    /// In code, as the name of a macro.
    Macro,
}

/// Lists every path of the tokens: each leaf of each `use`, and each `a::b` in code. One that begins with `::` is left out.
pub fn paths<'a>(tokens: &[Token<'a>]) -> Vec<Named<'a>> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let text_at = |index: usize| tokens.get(index).map_or("", |token| token.text);
        let previous = if index == 0 { "" } else { text_at(index - 1) };
        if text_at(index) == "use" && text_at(index + 1) != "<" {
            let public = previous == "pub"
                || (previous == ")" && tokens[..index].iter().rev().take(4).any(|token| token.text == "pub"));
            let place = if public { Place::Reexport } else { Place::Import };
            index = use_tree(tokens, index + 1, &[], place, &mut found);
        } else if tokens[index].is_word() && text_at(index + 1) == "::" && !matches!(previous, "::" | ".") {
            index = code_path(tokens, index, &mut found);
        } else {
            index += 1;
        }
    }
    found
}

/// Reads one branch of a `use` tree and returns the index past it.
fn use_tree<'a>(
    tokens: &[Token<'a>],
    mut index: usize,
    prefix: &[&'a str],
    place: Place,
    found: &mut Vec<Named<'a>>,
) -> usize {
    let mut segments = prefix.to_vec();
    let at = tokens.get(index).map_or(0, |token| token.at);
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token.text {
            "::" if segments.is_empty() => segments.push("::"),
            "::" => {}
            "{" => {
                while tokens.get(index).is_some_and(|token| token.text != "}") {
                    index = use_tree(tokens, index, &segments, place, found);
                    index += usize::from(tokens.get(index).is_some_and(|token| token.text == ","));
                }
                return index + 1;
            }
            "*" => {
                push(found, Named { segments, name: None, at, place });
                return index;
            }
            "as" => {
                let name = tokens.get(index).map(|token| token.text);
                push(found, Named { segments, name, at, place });
                return index + 1;
            }
            "self" if !prefix.is_empty() => {}
            _ if token.is_word() => segments.push(token.text),
            _ => {
                index -= 1;
                break;
            }
        }
    }
    let name = segments.last().copied();
    push(found, Named { segments, name, at, place });
    index
}

fn push<'a>(found: &mut Vec<Named<'a>>, named: Named<'a>) {
    if named.segments.first().is_some_and(|first| *first != "::") {
        found.push(named);
    }
}

fn code_path<'a>(tokens: &[Token<'a>], mut index: usize, found: &mut Vec<Named<'a>>) -> usize {
    let at = tokens[index].at;
    let mut segments = vec![tokens[index].text];
    index += 1;
    while tokens.get(index).is_some_and(|token| token.text == "::")
        && tokens.get(index + 1).is_some_and(Token::is_word)
    {
        segments.push(tokens[index + 1].text);
        index += 2;
    }
    let place = match tokens.get(index) {
        Some(token) if token.text == "!" => Place::Macro,
        _ => Place::Code,
    };
    if segments.len() > 1 {
        found.push(Named { segments, name: None, at, place });
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(code: &str) -> Vec<String> {
        paths(&read(code)).iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn a_use_tree_is_every_leaf() {
        assert_eq!(joined("use a::{b::{C, d as e}, self, f::*};"), ["a::b::C", "a::b::d", "a", "a::f"]);
    }

    #[test]
    fn a_path_in_code_ends_at_its_generics() {
        assert_eq!(joined("let x = crate::a::B::<T>::new(self::c::D);"), ["crate::a::B", "self::c::D"]);
    }

    #[test]
    fn a_path_from_the_extern_prelude_is_left_out() {
        assert_eq!(joined("use ::http::Uri; let x = ::http::Uri::new();"), Vec::<String>::new());
    }

    #[test]
    fn an_import_says_how_it_is_seen() {
        let code = "use a::B; pub use c::D as E; pub(crate) use f::G; h::i!()";
        let found: Vec<_> = paths(&read(code)).iter().map(|path| (path.place, path.name)).collect();
        let expected = [
            (Place::Import, Some("B")),
            (Place::Reexport, Some("E")),
            (Place::Reexport, Some("G")),
            (Place::Macro, None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_bracket_finds_its_partner() {
        let tokens = read("a(b[c]{d})e");
        assert_eq!(tokens[closing(&tokens, 1)].at, 9);
    }
}
