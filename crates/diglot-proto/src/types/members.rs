//! Named raw values in their order: what a type does not know, and the maps that are open by design.

use std::collections::BTreeSet;
use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::shape::Field;
use crate::types::{Fault, LeftOut};

/// Holds named values, each still raw, in their order; a name occurs once.
#[derive(Clone, Default)]
pub struct Members(Vec<(Box<str>, Box<RawValue>)>);

impl Members {
    /// Makes an empty map.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Reads an object; where a name occurs twice the last value counts.
    ///
    /// # Errors
    ///
    /// Anything but an object is a [`Fault`].
    pub fn read(text: &RawValue) -> Result<Self, Fault> {
        let object = Object::read(text).ok_or(Fault::NOT_AN_OBJECT)?;
        let mut members = Self::new();
        for (name, value) in object.iter() {
            members.append(name, value);
        }
        members.settle();
        Ok(members)
    }

    /// Returns the value of a name.
    pub fn find(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(key, _)| **key == *name).map(|(_, value)| &**value)
    }

    /// Sets the value of a name, at the end unless the name is there.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: Box<RawValue>) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Removes a name and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Box<RawValue>> {
        let place = self.0.iter().position(|(key, _)| **key == *name)?;
        Some(self.0.remove(place).1)
    }

    /// Walks over the names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a name that may be there already; [`settle`](Self::settle) ends this.
    pub(crate) fn append(&mut self, name: &str, value: &RawValue) {
        self.0.push((name.into(), value.to_owned()));
    }

    /// Keeps the last of the values that share a name.
    pub(crate) fn settle(&mut self) {
        if self.0.len() < 2 {
            return;
        }
        let mut seen = BTreeSet::new();
        let fresh: Vec<bool> = self.0.iter().rev().map(|(name, _)| seen.insert(&**name)).collect();
        if fresh.contains(&false) {
            let mut fresh = fresh.into_iter().rev();
            self.0.retain(|_| fresh.next().unwrap_or(true));
        }
    }

    pub(crate) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(&**name, value))
    }
}

impl<N: Into<Box<str>>> FromIterator<(N, Box<RawValue>)> for Members {
    fn from_iter<I: IntoIterator<Item = (N, Box<RawValue>)>>(items: I) -> Self {
        let mut members = Self(items.into_iter().map(|(name, value)| (name.into(), value)).collect());
        members.settle();
        members
    }
}

/// Compares the texts of the values; another spelling of the same value differs.
impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        let texts = |members: &Self| -> Vec<(Box<str>, Box<str>)> {
            members.iter().map(|(name, value)| (name.into(), value.get().into())).collect()
        };
        self.len() == other.len() && texts(self) == texts(other)
    }
}

impl Eq for Members {}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, value)| (name, value.get()))).finish()
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.write(&mut map)?;
        map.end()
    }
}

impl Field for Members {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        Self::read(raw)
    }
}
