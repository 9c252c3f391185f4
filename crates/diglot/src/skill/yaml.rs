//! YAML as JSON, by the core schema of YAML 1.2: one document, bounded, of plain values.
//!
//! The parser tells events; what they mean is decided here, so that nothing that a file says can make it grow.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

/// The deepest nesting.
const DEPTH: usize = 32;

/// The most values, those that aliases repeat included.
const VALUES: usize = 10_000;

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) what: String,
}

/// Reads the one document of a text; an empty text is `null`.
pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Fault { line: error.marker().line(), what: error.info().to_owned() })?;
        reader.take(event, &span).map_err(|what| Fault { line: span.start.line(), what: what.to_owned() })?;
    }
    Ok(reader.document.unwrap_or(Value::Null))
}

/// What is known between two events.
#[derive(Default)]
struct Reader {
    /// What is still open, the outermost first.
    open: Vec<Open>,
    document: Option<Value>,
    /// What anchors name, with how many values it has.
    anchors: HashMap<usize, (Value, usize)>,
    values: usize,
}

/// A collection that is still open.
struct Open {
    anchor: usize,
    /// How many values there were when it began.
    before: usize,
    kind: Kind,
}

enum Kind {
    Sequence(Vec<Value>),
    /// The members, and the key that waits for its value.
    Mapping(Map<String, Value>, Option<String>),
}

impl Reader {
    fn take(&mut self, event: Event<'_>, _: &Span) -> Result<(), &'static str> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if tag.is_some() {
                    return Err(TAG);
                }
                if let Some(Open { kind: Kind::Mapping(_, key @ None), .. }) = self.open.last_mut() {
                    // A member of an object has a text for its name, however it is written.
                    *key = Some(text.into_owned());
                    return self.count(1);
                }
                let value = match style {
                    ScalarStyle::Plain => plain(&text)?,
                    _ => Value::String(text.into_owned()),
                };
                self.count(1)?;
                self.put(value, anchor, 1)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, tag.is_some(), Kind::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(anchor, tag.is_some(), Kind::Mapping(Map::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { anchor, before, kind }) = self.open.pop() else { return Err(ODD) };
                let value = match kind {
                    Kind::Sequence(items) => Value::Array(items),
                    Kind::Mapping(members, _) => Value::Object(members),
                };
                self.put(value, anchor, self.values - before)
            }
            Event::Alias(anchor) => {
                let (value, size) =
                    self.anchors.get(&anchor).ok_or("an alias stands inside what it names")?;
                let (value, size) = (value.clone(), *size);
                self.count(size)?;
                self.put(value, 0, size)
            }
            Event::DocumentStart(_) if self.document.is_some() => Err("there is a second document"),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, anchor: usize, has_tag: bool, kind: Kind) -> Result<(), &'static str> {
        if has_tag {
            return Err(TAG);
        }
        if self.open.len() >= DEPTH {
            return Err("it is nested too deeply");
        }
        if let Some(Open { kind: Kind::Mapping(_, None), .. }) = self.open.last() {
            return Err("the name of a member is no text");
        }
        let before = self.values;
        self.count(1)?;
        self.open.push(Open { anchor, before, kind });
        Ok(())
    }

    fn count(&mut self, values: usize) -> Result<(), &'static str> {
        self.values = self.values.saturating_add(values);
        if self.values > VALUES { Err("it has too many values") } else { Ok(()) }
    }

    /// Puts a value where it belongs.
    fn put(&mut self, value: Value, anchor: usize, size: usize) -> Result<(), &'static str> {
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.document = Some(value),
            Some(Kind::Sequence(items)) => items.push(value),
            Some(Kind::Mapping(members, key)) => {
                let key = key.take().ok_or("the name of a member is no text")?;
                if members.insert(key, value).is_some() {
                    return Err("a member is there twice");
                }
            }
        }
        Ok(())
    }
}

const TAG: &str = "a tag has no place here";
const ODD: &str = "what ends here did not begin";

/// Reads a scalar without quotes by the core schema.
fn plain(text: &str) -> Result<Value, &'static str> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_beyond_json(text) => return Err("JSON has no such number"),
        _ => match number(text) {
            Some(number) => Value::Number(number),
            None => Value::String(text.to_owned()),
        },
    })
}

fn is_beyond_json(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(text, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN")
}

fn number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok();
    if let Some(digits) = text.strip_prefix("0x").filter(|digits| !digits.starts_with(['+', '-'])) {
        return radix(digits, 16).map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o").filter(|digits| !digits.starts_with(['+', '-'])) {
        return radix(digits, 8).map(Number::from);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = unsigned.contains(|c: char| c.is_ascii_digit())
        && unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if !is_number {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Ok(whole) = text.strip_prefix('+').unwrap_or(text).parse::<i64>() {
            return Some(Number::from(whole));
        }
        if let Ok(whole) = unsigned.parse::<u64>() {
            return Some(Number::from(whole)).filter(|_| !text.starts_with('-'));
        }
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_scalars_are_read_by_the_core_schema() {
        for (text, value) in [
            ("null", json!(null)),
            ("~", json!(null)),
            ("", json!(null)),
            ("true", json!(true)),
            ("FALSE", json!(false)),
            ("yes", json!("yes")),
            ("off", json!("off")),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-7", json!(-7)),
            ("007", json!(7)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1.5", json!(1.5)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("2024-01-01", json!("2024-01-01")),
            ("1.2.3", json!("1.2.3")),
            ("1_000", json!("1_000")),
            ("e3", json!("e3")),
            ("0x", json!("0x")),
            ("'12'", json!("12")),
            ("\"true\"", json!("true")),
        ] {
            assert_eq!(read(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn collections_and_blocks_keep_what_they_hold() {
        let text = "name: a\nmetadata:\n  version: \"1.0\"\n  tags: [x, 2]\nlong: >-\n  one\n  two\nkept: |\n  a\n  b\n3: three\n";
        let value = json!({
            "name": "a",
            "metadata": { "version": "1.0", "tags": ["x", 2] },
            "long": "one two",
            "kept": "a\nb\n",
            "3": "three",
        });
        assert_eq!(read(text), Ok(value));
    }

    #[test]
    fn an_alias_repeats_what_its_anchor_names() {
        assert_eq!(read("a: &x [1, 2]\nb: *x\n"), Ok(json!({ "a": [1, 2], "b": [1, 2] })));
    }

    #[test]
    fn what_would_grow_without_bound_is_refused() {
        let deep = "[".repeat(DEPTH + 1);
        let mut laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, last) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")] {
            laughs += &format!("{name}: &{name} [{}]\n", vec![format!("*{last}"); 10].join(", "));
        }
        for text in [deep.as_str(), laughs.as_str()] {
            assert!(read(text).is_err(), "{text:.40}");
        }
    }

    #[test]
    fn what_json_cannot_say_is_refused_with_its_line() {
        for text in ["a: 1\nb: .nan", "a: 1\nb: !secret x", "a: 1\na: 2", "a: 1\n[x]: 2", "a: 1\n---\nb: 2"] {
            assert_eq!(read(text).map_err(|fault| fault.line > 0).err(), Some(true), "{text:?}");
        }
        assert!(read("a: [1").is_err());
        assert!(read("a: *nothing").is_err());
    }
}
