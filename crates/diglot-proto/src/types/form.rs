//! The form of an elicitation: fields of a few kinds, each a small JSON Schema.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number as AnyNumber;
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::shape::Field;
use crate::types::{
    Fault, LeftOut, LegacyTitledEnum, TitledMultiSelect, TitledSingleSelect, UntitledMultiSelect,
    UntitledSingleSelect,
};

words! {
    /// Names the form of a text.
    StringFormat {
        /// An address for mail.
        Email "email",
        /// A URI.
        Uri "uri",
        /// A day.
        Date "date",
        /// A day and a time.
        DateTime "date-time",
    }
}

record! {
    /// A field for text.
    StringSchema {
        ["type" = "string"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be entered.
        optional description: String = "description";
        /// How many characters it has at least.
        optional min_length: u64 = "minLength";
        /// How many characters it has at most.
        optional max_length: u64 = "maxLength";
        /// The form of the text.
        optional format: StringFormat = "format";
        /// What stands there at first.
        optional default: String = "default";
    }
}

words! {
    /// Says which numbers a field takes.
    NumberKind {
        /// Any.
        Number "number",
        /// Whole ones.
        Integer "integer",
    }
}

record! {
    /// A field for a number.
    NumberSchema {
        /// Which numbers it takes.
        required kind: NumberKind = "type";
        /// A name for people.
        optional title: String = "title";
        /// What is to be entered.
        optional description: String = "description";
        /// The least that it takes.
        optional minimum: AnyNumber = "minimum";
        /// The most that it takes.
        optional maximum: AnyNumber = "maximum";
        /// What stands there at first.
        optional default: AnyNumber = "default";
    }
}

record! {
    /// A field for yes or no.
    BooleanSchema {
        ["type" = "boolean"]
        /// A name for people.
        optional title: String = "title";
        /// What is to be answered.
        optional description: String = "description";
        /// What stands there at first.
        optional default: bool = "default";
    }
}

/// A field of a form (`schema`, "PrimitiveSchemaDefinition").
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PrimitiveSchema {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several words.
    Select(UntitledSingleSelect),
    /// One of several words that have names for people.
    TitledSelect(TitledSingleSelect),
    /// Some of several words.
    MultiSelect(UntitledMultiSelect),
    /// Some of several words that have names for people.
    TitledMultiSelect(TitledMultiSelect),
    /// One of several words with names for people, in the spelling of revision 2025-06-18.
    LegacySelect(LegacyTitledEnum),
    /// A field that this crate does not know, as it came.
    Other(Box<RawValue>),
}

impl PrimitiveSchema {
    /// Reads a field by its `type` and by the members that only some kinds have.
    ///
    /// # Errors
    ///
    /// [`Fault`] names what it lacks.
    pub fn read(raw: &RawValue) -> Result<Self, Fault> {
        let object = Object::read(raw).ok_or(Fault::NOT_AN_OBJECT)?;
        let has = |name| object.member(name).is_some();
        let of_items = |name| object.object("items").is_some_and(|items| items.member(name).is_some());
        match object.string("type").as_deref() {
            Some("string") if has("oneOf") => TitledSingleSelect::read(raw).map(Self::TitledSelect),
            Some("string") if has("enumNames") => LegacyTitledEnum::read(raw).map(Self::LegacySelect),
            Some("string") if has("enum") => UntitledSingleSelect::read(raw).map(Self::Select),
            Some("string") => StringSchema::read(raw).map(Self::String),
            Some("number" | "integer") => NumberSchema::read(raw).map(Self::Number),
            Some("boolean") => BooleanSchema::read(raw).map(Self::Boolean),
            Some("array") if of_items("anyOf") => TitledMultiSelect::read(raw).map(Self::TitledMultiSelect),
            Some("array") if of_items("enum") => UntitledMultiSelect::read(raw).map(Self::MultiSelect),
            Some(_) => Ok(Self::Other(raw.to_owned())),
            None => Err(Fault::new("type", "it has no type")),
        }
    }
}

impl Serialize for PrimitiveSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(schema) => schema.serialize(serializer),
            Self::Number(schema) => schema.serialize(serializer),
            Self::Boolean(schema) => schema.serialize(serializer),
            Self::Select(schema) => schema.serialize(serializer),
            Self::TitledSelect(schema) => schema.serialize(serializer),
            Self::MultiSelect(schema) => schema.serialize(serializer),
            Self::TitledMultiSelect(schema) => schema.serialize(serializer),
            Self::LegacySelect(schema) => schema.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl Field for PrimitiveSchema {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        Self::read(raw)
    }
}

macro_rules! from_fields {
    ($($variant:ident($schema:ident),)+) => {
        $(impl From<$schema> for PrimitiveSchema {
            fn from(schema: $schema) -> Self {
                Self::$variant(schema)
            }
        })+
    };
}

from_fields! {
    String(StringSchema),
    Number(NumberSchema),
    Boolean(BooleanSchema),
    Select(UntitledSingleSelect),
    TitledSelect(TitledSingleSelect),
    MultiSelect(UntitledMultiSelect),
    TitledMultiSelect(TitledMultiSelect),
    LegacySelect(LegacyTitledEnum),
}

/// The fields of a form by their names, in their order.
#[derive(Clone, Debug, Default)]
pub struct FormFields(Vec<(Box<str>, PrimitiveSchema)>);

impl FormFields {
    /// Adds a field at the end.
    pub fn push(&mut self, name: impl Into<Box<str>>, field: impl Into<PrimitiveSchema>) {
        self.0.push((name.into(), field.into()));
    }

    /// Returns the field of a name.
    pub fn find(&self, name: &str) -> Option<&PrimitiveSchema> {
        self.0.iter().find(|(key, _)| **key == *name).map(|(_, field)| field)
    }

    /// Walks over the names and fields in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PrimitiveSchema)> {
        self.0.iter().map(|(name, field)| (&**name, field))
    }
}

impl Serialize for FormFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.iter().try_for_each(|(name, field)| map.serialize_entry(name, field))?;
        map.end()
    }
}

impl Field for FormFields {
    /// Reads the fields one by one; a malformed one stays raw, so that the client can say that it cannot show it.
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        let object = Object::read(raw).ok_or(Fault::SHAPE)?;
        let read = |field: &RawValue| {
            PrimitiveSchema::read(field).unwrap_or_else(|_| PrimitiveSchema::Other(field.to_owned()))
        };
        Ok(Self(object.iter().map(|(name, field)| (name.into(), read(field))).collect()))
    }
}

record! {
    /// The form of an elicitation: a flat object schema.
    RequestedSchema {
        ["type" = "object"]
        /// The dialect, where it is named.
        optional schema: String = "$schema";
        /// The fields.
        lenient properties: FormFields = "properties";
        /// The names of the fields that must be filled.
        list required: Vec<String> = "required";
    }
}

impl RequestedSchema {
    /// Makes a form without fields.
    pub fn form() -> Self {
        Self::new(FormFields::default())
    }

    /// Adds a field that must be filled.
    #[must_use]
    pub fn field(mut self, name: &str, field: impl Into<PrimitiveSchema>) -> Self {
        self.required.push(name.to_owned());
        self.optional_field(name, field)
    }

    /// Adds a field that may stay empty.
    #[must_use]
    pub fn optional_field(mut self, name: &str, field: impl Into<PrimitiveSchema>) -> Self {
        self.properties.push(name, field);
        self
    }

    /// Writes the form as raw JSON, as [`ElicitFormParams`](crate::types::ElicitFormParams) holds it.
    pub fn to_raw(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(self).expect("a form holds texts and finite numbers")
    }
}
