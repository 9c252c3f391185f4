//! Whether two JSON texts say the same: the order of members and the spelling of numbers and texts do not matter.
//!
//! Numbers are compared digit by digit, never as floats, so that a large integer that lost its end differs.

use std::collections::BTreeSet;

use diglot_proto::object::Object;
use serde_json::value::RawValue;

/// Members, each with a value that means the same as its absence.
pub type Absences = BTreeSet<(String, String)>;

/// Finds the first place where the written text says something else than the original.
///
/// A member that is missing in the written text is forgiven where the original has the value that means the same.
pub fn difference(original: &RawValue, written: &RawValue, absences: &Absences) -> Option<String> {
    compare(original, written, absences, String::new())
}

fn compare(original: &RawValue, written: &RawValue, absences: &Absences, path: String) -> Option<String> {
    let same = match (first(original), first(written)) {
        (b'{', b'{') => return objects(original, written, absences, &path),
        (b'[', b'[') => return arrays(original, written, absences, &path),
        (b'"', b'"') => text(original) == text(written),
        (b'-' | b'0'..=b'9', b'-' | b'0'..=b'9') => number(original.get()) == number(written.get()),
        _ => original.get() == written.get(),
    };
    (!same).then(|| format!("at `{path}` {} became {}", shown(original), shown(written)))
}

fn objects(original: &RawValue, written: &RawValue, absences: &Absences, path: &str) -> Option<String> {
    let members = |raw| Object::read(raw).unwrap_or_default();
    let (original, written) = (members(original), members(written));
    let value = |object: &Object<'_>, name: &str| -> Option<String> {
        object.iter().filter(|(own, _)| *own == name).map(|(_, value)| value.get().to_owned()).last()
    };
    for (name, _) in written.iter() {
        if value(&original, name).is_none() {
            return Some(format!("at `{path}` there is a new member `{name}`"));
        }
    }
    for (name, was) in original.iter() {
        let inner = format!("{path}/{name}");
        match value(&written, name) {
            Some(is) => {
                let is = RawValue::from_string(is).expect("a member's value is JSON");
                if let Some(difference) = compare(was, &is, absences, inner) {
                    return Some(difference);
                }
            }
            None if absences.contains(&(name.to_owned(), was.get().to_owned())) => {}
            None => return Some(format!("`{inner}` is lost")),
        }
    }
    None
}

fn arrays(original: &RawValue, written: &RawValue, absences: &Absences, path: &str) -> Option<String> {
    let items =
        |raw: &RawValue| -> Vec<Box<RawValue>> { serde_json::from_str(raw.get()).unwrap_or_default() };
    let (original, written) = (items(original), items(written));
    if original.len() != written.len() {
        return Some(format!("at `{path}` {} items became {}", original.len(), written.len()));
    }
    let pairs = original.iter().zip(&written).enumerate();
    pairs.map(|(at, (was, is))| compare(was, is, absences, format!("{path}/{at}"))).find_map(|found| found)
}

fn first(raw: &RawValue) -> u8 {
    raw.get().as_bytes().first().copied().unwrap_or(b' ')
}

fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn shown(raw: &RawValue) -> String {
    raw.get().chars().take(80).collect()
}

/// Brings a number into one spelling: its sign, its significant digits, and the power of ten of the last of them.
fn number(token: &str) -> (bool, String, i64) {
    let (negative, token) = match token.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return (false, String::new(), 0);
    }
    let dropped = digits.len() - digits.trim_end_matches('0').len();
    let power = exponent.parse::<i64>().unwrap_or(0) - fraction.len() as i64 + dropped as i64;
    (negative, significant.to_owned(), power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(original: &str, written: &str) -> Option<String> {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let absences = Absences::from([("flag".to_owned(), "false".to_owned())]);
        difference(&raw(original), &raw(written), &absences)
    }

    #[test]
    fn other_spellings_are_the_same() {
        for (original, written) in [
            (r#"{"a":1,"b":2}"#, r#"{"b":2, "a":1}"#),
            (r#"{"a":50}"#, r#"{"a":50.0}"#),
            ("[100, 0.5, -0]", "[1e2,5e-1,0]"),
            (r#""\u0041\/""#, r#""A/""#),
            (r#"{"flag":false}"#, "{}"),
        ] {
            assert_eq!(found(original, written), None, "{original}");
        }
    }

    #[test]
    fn anything_else_is_a_difference() {
        for (original, written) in [
            ("9007199254740993", "9007199254740992"),
            ("1", "-1"),
            ("null", "false"),
            (r#"{"a":1}"#, "{}"),
            ("{}", r#"{"a":1}"#),
            (r#"{"flag":true}"#, "{}"),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            (r#""1""#, "1"),
        ] {
            assert!(found(original, written).is_some(), "{original}");
        }
    }

    #[test]
    fn a_difference_says_where_it_is() {
        assert_eq!(found(r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":2}]}"#).unwrap(), "at `/a/0/b` 1 became 2");
    }
}
