//! Looks inside raw JSON without decoding the rest of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Returns the values of some members of an object, each still raw, in the order of the keys asked for.
///
/// Where a key is repeated the last one counts, as in `JSON.parse`. Nothing may follow the object.
pub(crate) fn members<'a, const N: usize>(
    object: &'a str,
    keys: &[&str; N],
) -> serde_json::Result<[Option<&'a RawValue>; N]> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    let found = deserializer.deserialize_map(MembersVisitor { keys })?;
    deserializer.end()?;
    Ok(found)
}

/// Returns the value of one member, or `None` where there is no such member or the JSON is no object.
pub(crate) fn member<'a>(object: &'a RawValue, key: &str) -> Option<&'a RawValue> {
    let [found] = members(object.get(), &[key]).ok()?;
    found
}

/// Returns the text of a JSON string, or `None` where the JSON is no string.
///
/// It borrows unless the string has escapes.
pub(crate) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}

pub(crate) fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

pub(crate) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// Names the JSON type of a text by its first byte.
pub(crate) fn json_type(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Reads a JSON number that is integral and within 64 bits, in whatever spelling.
///
/// Exact: it never passes through a float, so `9007199254740993.0` keeps its last digit.
pub(crate) fn integer(token: &str) -> Option<i64> {
    if let Ok(number) = token.parse() {
        return Some(number);
    }
    let (negative, token) = match token.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if whole.is_empty() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let leading = digits().take_while(|digit| *digit == b'0').count();
    if leading == whole.len() + fraction.len() {
        return Some(0);
    }
    // How many significant digits stand before the point once the exponent has moved it.
    let point = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?
        + exponent.parse::<i32>().map(i64::from).ok()?;
    let before = usize::try_from(point).ok().filter(|before| *before <= 19)?;
    let significant = || digits().skip(leading);
    if significant().skip(before).any(|digit| digit != b'0') {
        return None;
    }
    let magnitude = significant()
        .chain(std::iter::repeat(b'0'))
        .take(before)
        .fold(0_i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

struct MembersVisitor<'k, const N: usize> {
    keys: &'k [&'k str; N],
}

impl<'de, const N: usize> Visitor<'de> for MembersVisitor<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(place) = map.next_key_seed(PlaceOf(self.keys))? {
            match place.and_then(|place| found.get_mut(place)) {
                Some(slot) => *slot = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Finds a key among words without copying it.
struct PlaceOf<'k>(&'k [&'k str]);

impl<'de> DeserializeSeed<'de> for PlaceOf<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for PlaceOf<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|word| *word == key))
    }
}
