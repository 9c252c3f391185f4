//! Finds values by their paths in raw arguments, all of them in one pass.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::parameter::Param;

/// Returns the value of each parameter; the parameters must be in the order of their paths.
///
/// Where a key is repeated the last one counts, as everywhere.
pub(super) fn find<'a>(params: &[Param], arguments: Option<&'a RawValue>) -> Vec<Option<&'a RawValue>> {
    let mut found = vec![None; params.len()];
    if let Some(arguments) = arguments
        && !params.is_empty()
    {
        descend(Object { params, found: &mut found, depth: 0 }, arguments);
    }
    found
}

/// The parameters whose paths lead through one object, and what has been found of them.
struct Object<'p, 'a> {
    params: &'p [Param],
    found: &'p mut [Option<&'a RawValue>],
    /// How many steps of each path lead to the object; every path has more.
    depth: usize,
}

fn descend<'a>(object: Object<'_, 'a>, value: &'a RawValue) {
    if value.get().starts_with('{') {
        let mut deserializer = serde_json::Deserializer::from_str(value.get());
        // A raw value is JSON already, so that only a repeated reading could fail here, and then nothing is found.
        drop(deserializer.deserialize_map(object));
    }
}

impl<'de> Visitor<'de> for Object<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { params, found, depth } = self;
        while let Some(place) = map.next_key_seed(Place { params, depth })? {
            let below = params.get(place.clone()).unwrap_or_default();
            if below.is_empty() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let found = found.get_mut(place).unwrap_or_default();
            found.fill(None);
            let value: &RawValue = map.next_value()?;
            // A shorter path sorts before the longer ones that begin with it, and paths differ.
            let ends = below.partition_point(|param| param.path.len() == depth + 1);
            let (here, deeper) = found.split_at_mut_checked(ends).unwrap_or_default();
            here.fill(Some(value));
            if let Some(params) = below.get(ends..).filter(|params| !params.is_empty()) {
                descend(Object { params, found: deeper, depth: depth + 1 }, value);
            }
        }
        Ok(())
    }
}

/// Finds the parameters whose next step is a key, without copying it.
struct Place<'p> {
    params: &'p [Param],
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Range<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Place<'_> {
    type Value = Range<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        let step = |param: &Param| param.path.get(self.depth).map(|step| (**step).cmp(key));
        let start = self.params.partition_point(|param| step(param).is_some_and(|order| order.is_lt()));
        let end = self.params.partition_point(|param| step(param).is_some_and(|order| order.is_le()));
        Ok(start..end)
    }
}
