//! How the value of a member is read and written.
//!
//! [`Field`] is for types that have one form on the wire. A [`Shape`] is named in a record's row where the type alone
//! does not tell the form: a number that must be finite, raw JSON that must be an object, one item or several.

use std::collections::BTreeMap;

use serde::ser::{Error, Serialize, SerializeMap};
use serde_json::Number as AnyNumber;
use serde_json::value::RawValue;

use crate::jsonrpc::{Id, peek};
use crate::types::{Fault, Implementation, LeftOut};

/// Describes a member that a type reads and writes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Member {
    /// The name on the wire.
    pub name: &'static str,
    /// What the type of its value knows, where that is an object with members of its own.
    pub members: &'static [Member],
    /// The value that means the same as none, so that it is not written: `false`, `[]`, or empty where there is none.
    pub same_as_absent: &'static str,
    /// Whether the member is passed over, because another layer reads and writes it.
    pub is_passed: bool,
}

impl Member {
    pub(crate) const fn new(name: &'static str, members: &'static [Self]) -> Self {
        Self { name, members, same_as_absent: "", is_passed: false }
    }

    pub(crate) const fn passed(name: &'static str) -> Self {
        Self { name, members: &[], same_as_absent: "", is_passed: true }
    }

    pub(crate) const fn of<S: Shape<T>, T>(kind: &'static str, name: &'static str) -> Self {
        let same_as_absent = match kind.as_bytes() {
            b"flag" => "false",
            b"list" => "[]",
            _ => "",
        };
        Self { name, members: S::MEMBERS, same_as_absent, is_passed: false }
    }
}

/// Reads and writes a type that has one form on the wire.
pub(crate) trait Field: Serialize + Sized {
    /// The members, where the form is an object that the type takes apart.
    const MEMBERS: &'static [Member] = &[];

    /// Reads a value; what a list leaves out goes to the report.
    fn read_field(raw: &RawValue, report: &mut Vec<LeftOut>) -> Result<Self, Fault>;
}

/// Reads and writes a member's value in one of the forms that its type can have.
pub(crate) trait Shape<T> {
    const MEMBERS: &'static [Member] = &[];

    /// Reads a value, or nothing where it has another shape.
    fn read(raw: &RawValue, report: &mut Vec<LeftOut>) -> Option<T>;

    fn write<M: SerializeMap>(value: &T, name: &'static str, map: &mut M) -> Result<(), M::Error>;
}

/// Says what a member that should be there reads as when it is not.
pub(crate) trait Absent<T> {
    fn absent(self) -> T;
}

/// The one form of a [`Field`].
#[derive(Default)]
pub(crate) struct Plain;

impl<T: Field> Shape<T> for Plain {
    const MEMBERS: &'static [Member] = T::MEMBERS;

    fn read(raw: &RawValue, report: &mut Vec<LeftOut>) -> Option<T> {
        T::read_field(raw, report).ok()
    }

    fn write<M: SerializeMap>(value: &T, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(name, value)
    }
}

impl<T: Default> Absent<T> for Plain {
    fn absent(self) -> T {
        T::default()
    }
}

/// Makes a shape of raw JSON: what it admits, and what its absence stands for.
macro_rules! raw_shape {
    ($(#[$about:meta])* $name:ident, $admits:expr, $absent:literal) => {
        $(#[$about])*
        #[derive(Default)]
        pub(crate) struct $name;

        impl Shape<Box<RawValue>> for $name {
            fn read(raw: &RawValue, _: &mut Vec<LeftOut>) -> Option<Box<RawValue>> {
                let admits: fn(&RawValue) -> bool = $admits;
                admits(raw).then(|| raw.to_owned())
            }

            fn write<M: SerializeMap>(
                value: &Box<RawValue>,
                name: &'static str,
                map: &mut M,
            ) -> Result<(), M::Error> {
                map.serialize_entry(name, value)
            }
        }

        impl Absent<Box<RawValue>> for $name {
            fn absent(self) -> Box<RawValue> {
                RawValue::from_string($absent.to_owned()).expect("the literal is JSON")
            }
        }
    };
}

raw_shape! {
    /// Any JSON, an explicit `null` too.
    AnyValue, |_| true, "null"
}
raw_shape! {
    /// An object.
    AnyObject, peek::is_object, "{}"
}
raw_shape! {
    /// The schema of a tool's arguments, an object.
    ObjectSchema, peek::is_object, r#"{"type":"object"}"#
}

/// A number that JSON can write; an integral one is written without a fraction.
#[derive(Default)]
pub(crate) struct Number;

impl Shape<f64> for Number {
    fn read(raw: &RawValue, _: &mut Vec<LeftOut>) -> Option<f64> {
        serde_json::from_str::<f64>(raw.get()).ok().filter(|number| number.is_finite())
    }

    fn write<M: SerializeMap>(value: &f64, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        /// Up to here every integer is a float of its own.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() {
            return Err(M::Error::custom("a number in JSON must be finite"));
        }
        match value.fract() == 0.0 && value.abs() <= EXACT {
            true => map.serialize_entry(name, &(*value as i64)),
            false => map.serialize_entry(name, value),
        }
    }
}

/// A number of milliseconds, or `null` for no limit.
#[derive(Default)]
pub(crate) struct Nullable;

impl Shape<Option<u64>> for Nullable {
    fn read(raw: &RawValue, report: &mut Vec<LeftOut>) -> Option<Option<u64>> {
        match peek::is_null(raw) {
            true => Some(None),
            false => u64::read_field(raw, report).ok().map(Some),
        }
    }

    fn write<M: SerializeMap>(value: &Option<u64>, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(name, value)
    }
}

impl Absent<Option<u64>> for Nullable {
    fn absent(self) -> Option<u64> {
        None
    }
}

/// A capability, which some peers declare as `true` in place of an object.
#[derive(Default)]
pub(crate) struct Declared;

impl<T: Field + Default> Shape<T> for Declared {
    const MEMBERS: &'static [Member] = T::MEMBERS;

    fn read(raw: &RawValue, report: &mut Vec<LeftOut>) -> Option<T> {
        match raw.get() {
            "true" => Some(T::default()),
            _ => Plain::read(raw, report),
        }
    }

    fn write<M: SerializeMap>(value: &T, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(name, value)
    }
}

/// An identity, which some peers leave out; it is empty then.
#[derive(Default)]
pub(crate) struct Identity;

impl Shape<Implementation> for Identity {
    const MEMBERS: &'static [Member] = Implementation::MEMBERS;

    fn read(raw: &RawValue, report: &mut Vec<LeftOut>) -> Option<Implementation> {
        Plain::read(raw, report)
    }

    fn write<M: SerializeMap>(
        value: &Implementation,
        name: &'static str,
        map: &mut M,
    ) -> Result<(), M::Error> {
        map.serialize_entry(name, value)
    }
}

impl Absent<Implementation> for Identity {
    fn absent(self) -> Implementation {
        Implementation::new("", "")
    }
}

/// One item, or an array of items; a single one is written alone, as every revision reads it.
#[derive(Default)]
pub(crate) struct OneOrMany;

impl<T: Field> Shape<Vec<T>> for OneOrMany {
    fn read(raw: &RawValue, report: &mut Vec<LeftOut>) -> Option<Vec<T>> {
        match raw.get().starts_with('[') {
            true => Vec::read_field(raw, report).ok(),
            false => T::read_field(raw, report).ok().map(|item| vec![item]),
        }
    }

    fn write<M: SerializeMap>(value: &Vec<T>, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        match value.as_slice() {
            [one] => map.serialize_entry(name, one),
            many => map.serialize_entry(name, many),
        }
    }
}

/// Keeps what was read as it came.
#[expect(clippy::unnecessary_wraps, reason = "a field that is nothing where the value was made here")]
pub(crate) fn keep_raw(text: &RawValue, _: &mut Vec<LeftOut>) -> Option<Box<RawValue>> {
    Some(text.to_owned())
}

/// Keeps the report of what was left out.
pub(crate) fn keep_report(_: &RawValue, report: &mut Vec<LeftOut>) -> Vec<LeftOut> {
    std::mem::take(report)
}

impl Field for String {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        peek::text(raw).map(std::borrow::Cow::into_owned).ok_or(Fault::SHAPE)
    }
}

impl Field for bool {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        raw.get().parse().map_err(|_| Fault::SHAPE)
    }
}

/// An integral float such as `3e5` counts too, since some languages write one.
impl Field for u64 {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        let float = || raw.get().parse::<f64>().ok().filter(|float| float.fract() == 0.0 && *float >= 0.0);
        raw.get().parse().ok().or_else(|| float().map(|float| float as Self)).ok_or(Fault::SHAPE)
    }
}

impl Field for AnyNumber {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        serde_json::from_str(raw.get()).map_err(|_| Fault::SHAPE)
    }
}

impl Field for Id {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        serde_json::from_str(raw.get()).map_err(|_| Fault::SHAPE)
    }
}

impl<T: Field> Field for Box<T> {
    const MEMBERS: &'static [Member] = T::MEMBERS;

    fn read_field(raw: &RawValue, report: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        T::read_field(raw, report).map(Self::new)
    }
}

/// Items are read one by one: an odd one is reported and does not lose the others.
impl<T: Field> Field for Vec<T> {
    fn read_field(raw: &RawValue, report: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_| Fault::SHAPE)?;
        let mut read = Self::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            match T::read_field(item, &mut Vec::new()) {
                Ok(item) => read.push(item),
                Err(fault) => report.push(LeftOut::new(item, index, fault)),
            }
        }
        Ok(read)
    }
}

/// Arguments that are texts by the schema: a number or a boolean is taken as its text, anything else is left out.
impl Field for BTreeMap<String, String> {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        let object = crate::object::Object::read(raw).ok_or(Fault::SHAPE)?;
        let texts = object.iter().filter_map(|(name, value)| {
            let text = match value.get().as_bytes().first()? {
                b'"' => peek::text(value)?.into_owned(),
                b'{' | b'[' | b'n' => return None,
                _ => value.get().to_owned(),
            };
            Some((name.to_owned(), text))
        });
        Ok(texts.collect())
    }
}
