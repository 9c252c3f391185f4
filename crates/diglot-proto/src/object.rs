//! A JSON object read leniently: its members stay raw until someone asks for one.
//!
//! Every type of the protocol is read through this, so that one odd member never loses its neighbours.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of one JSON object, in their order, each still raw.
///
/// Where a name occurs twice the last one counts, as in `JSON.parse`.
#[derive(Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// Reads an object, or nothing where the text is some other JSON value.
    pub fn read(text: &'a RawValue) -> Option<Self> {
        serde_json::from_str(text.get()).ok()
    }

    /// Returns a member, unless it is absent or `null`.
    pub fn member(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)?;
        (found.get() != "null").then_some(found)
    }

    /// Tells whether a member is there, even as `null`.
    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(key, _)| key == name)
    }

    /// Reads a member as any type, or nothing where it is absent or of another shape.
    pub fn parse<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.member(name)?.get()).ok()
    }

    /// Reads a member that is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        self.parse(name)
    }

    /// Reads a member that is an object.
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::read(self.member(name)?)
    }

    /// Returns a member that is an object, as it came.
    pub fn raw_object(&self, name: &str) -> Option<&'a RawValue> {
        self.member(name).filter(|value| value.get().starts_with('{'))
    }

    /// Reads a member that is an array, its elements still raw.
    pub fn array(&self, name: &str) -> Option<Vec<&'a RawValue>> {
        self.parse(name)
    }

    /// Reads the strings of an array and leaves out what is no string.
    pub fn strings(&self, name: &str) -> Option<Vec<String>> {
        Some(self.array(name)?.iter().filter_map(|item| serde_json::from_str(item.get()).ok()).collect())
    }

    /// Walks over the members in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.members.iter().map(|(key, value)| (key.as_ref(), *value))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Object { members })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A member's name, borrowed unless it holds escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
