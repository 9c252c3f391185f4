//! Why something cannot be read, and what a list had to leave out for it.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use crate::object::Object;

/// Says which member something cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The member on the wire; empty where the whole is no object.
    pub member: &'static str,
    /// What is wrong, as a clause: "it has no name".
    pub reason: &'static str,
}

impl Fault {
    pub(crate) const NOT_AN_OBJECT: Self = Self::new("", "it is not an object");
    pub(crate) const SHAPE: Self = Self::new("", "it has another shape");

    pub(crate) const fn new(member: &'static str, reason: &'static str) -> Self {
        Self { member, reason }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)
    }
}

impl std::error::Error for Fault {}

/// Why an item of a list is left out: it lacks what no reader can do without, or breaks a rule of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The item's place in the list, from 0; where pages are read together, over all of them.
    pub index: usize,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: Cow<'static, str>,
}

impl LeftOut {
    /// Reports an item by its place and by its name, if it has one.
    pub fn new(item: &RawValue, index: usize, fault: Fault) -> Self {
        let name = Object::read(item).and_then(|object| object.string("name"));
        Self { index, name, reason: fault.reason.into() }
    }

    /// Reports an item that could be read and still cannot be used, by its place, its name and the reason.
    pub fn unusable(index: usize, name: impl Into<String>, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { index, name: Some(name.into()), reason: reason.into() }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name:?} (item {}) is left out: {}", self.index, self.reason),
            None => write!(f, "item {} is left out: {}", self.index, self.reason),
        }
    }
}
