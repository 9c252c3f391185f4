//! Collects the annotations of an input schema in one pass over its text.
//!
//! The walk knows which keywords hold schemas, which hold schemas by name, and which hold plain data: a property may be
//! called `x-mcp-header`, and a default value may have a member of that name.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::annotation::{ANNOTATION, BadAnnotation, BadAnnotationKind, MAX_PARAM_HEADERS};
use super::parameter::{Param, Primitive};
use crate::http::headers::{PARAM_PREFIX, is_token_byte};
use crate::http::mirror::quoted;
use crate::jsonrpc::peek;

/// Returns the annotated parameters in the order of the schema.
pub(super) fn read(schema: &RawValue) -> Result<Vec<Param>, BadAnnotation> {
    let mut walk = Walk::default();
    let mut deserializer = serde_json::Deserializer::from_str(schema.get());
    let root = Node { walk: &mut walk, reach: Reach::Root, shape: Shape::Schema };
    match root.deserialize(&mut deserializer) {
        Ok(()) => Ok(walk.found),
        Err(_) => {
            let unreadable = walk.bad(BadAnnotationKind::Unreadable);
            Err(walk.failure.unwrap_or(unreadable))
        }
    }
}

#[derive(Default)]
struct Walk {
    /// The keys that lead to where the walk is; elements of arrays have none.
    keys: Vec<Box<str>>,
    found: Vec<Param>,
    failure: Option<BadAnnotation>,
}

/// How the walk came to a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Root,
    /// Through `properties` alone, so that every other key is the name of a property.
    Properties,
    Elsewhere,
}

impl Walk {
    fn bad(&self, kind: BadAnnotationKind) -> BadAnnotation {
        BadAnnotation { place: quoted(&self.keys.join("/")), kind }
    }

    fn annotate(
        &mut self,
        reach: Reach,
        name: &RawValue,
        primitive: Option<&RawValue>,
    ) -> Result<(), BadAnnotationKind> {
        let name = peek::text(name).ok_or(BadAnnotationKind::NotText)?;
        if name.is_empty() {
            return Err(BadAnnotationKind::Empty);
        }
        if !name.bytes().all(is_token_byte) {
            return Err(BadAnnotationKind::NotToken);
        }
        if reach != Reach::Properties {
            return Err(BadAnnotationKind::Misplaced);
        }
        let primitive = primitive.and_then(self::primitive).ok_or(BadAnnotationKind::Type)?;
        let header = [PARAM_PREFIX, &name.to_ascii_lowercase()].concat().into_boxed_str();
        if self.found.iter().any(|param| param.header == header) {
            return Err(BadAnnotationKind::Repeated);
        }
        if self.found.len() == MAX_PARAM_HEADERS {
            return Err(BadAnnotationKind::TooMany);
        }
        let path = self.keys.iter().skip(1).step_by(2).cloned().collect();
        let label = ["Mcp-Param-", &name].concat().into_boxed_str();
        self.found.push(Param { path, header, label, primitive });
        Ok(())
    }
}

/// Reads the type of a parameter, which may allow `null` besides.
fn primitive(raw: &RawValue) -> Option<Primitive> {
    let named = |name: &str| match name {
        "string" => Some(Primitive::Text),
        "integer" => Some(Primitive::Integer),
        "boolean" => Some(Primitive::Boolean),
        _ => None,
    };
    if let Some(name) = peek::text(raw) {
        return named(&name);
    }
    let names: Vec<Cow<'_, str>> = serde_json::from_str(raw.get()).ok()?;
    match names.as_slice() {
        [one] => named(one),
        [one, null] if null == "null" => named(one),
        [null, one] if null == "null" => named(one),
        _ => None,
    }
}

/// One value of the schema's text that may have annotations in it.
struct Node<'w> {
    walk: &'w mut Walk,
    reach: Reach,
    shape: Shape,
}

/// Says how to read an object.
#[derive(Clone, Copy)]
enum Shape {
    /// Its keys are keywords.
    Schema,
    /// Its keys are names and its values schemas.
    Names,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Node<'_> {
    fn names<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { walk, reach, .. } = self;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            walk.keys.push(key.into());
            map.next_value_seed(Node { walk: &mut *walk, reach, shape: Shape::Schema })?;
            walk.keys.pop();
        }
        Ok(())
    }

    fn schema<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { walk, reach, .. } = self;
        let (mut annotation, mut kind) = (None, None);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                ANNOTATION => annotation = Some(map.next_value::<&RawValue>()?),
                "type" => kind = Some(map.next_value::<&RawValue>()?),
                keyword => match below(keyword, reach) {
                    Some((reach, shape)) => {
                        walk.keys.push(keyword.into());
                        map.next_value_seed(Node { walk: &mut *walk, reach, shape })?;
                        walk.keys.pop();
                    }
                    None => drop(map.next_value::<IgnoredAny>()?),
                },
            }
        }
        let Some(annotation) = annotation else { return Ok(()) };
        walk.annotate(reach, annotation, kind).map_err(|kind| {
            walk.failure = Some(walk.bad(kind));
            A::Error::custom("a bad annotation")
        })
    }
}

/// Says how to go on below a keyword, or `None` where it holds no schemas.
fn below(keyword: &str, reach: Reach) -> Option<(Reach, Shape)> {
    Some(match keyword {
        "properties" if reach != Reach::Elsewhere => (Reach::Properties, Shape::Names),
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas"
        | "dependencies" => (Reach::Elsewhere, Shape::Names),
        "const" | "default" | "dependentRequired" | "enum" | "example" | "examples" | "required" => {
            return None;
        }
        _ => (Reach::Elsewhere, Shape::Schema),
    })
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a schema")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match self.shape {
            Shape::Schema => self.schema(map),
            Shape::Names => self.names(map),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        let Self { walk, .. } = self;
        let mut more = Some(());
        while more.is_some() {
            let element = Node { walk: &mut *walk, reach: Reach::Elsewhere, shape: Shape::Schema };
            more = sequence.next_element_seed(element)?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
