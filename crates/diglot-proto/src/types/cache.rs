//! How long and how far a result may be cached.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::jsonrpc::peek;
use crate::types::shape::Field;
use crate::types::{Fault, LeftOut};

/// How far a cached result may be shared, as `server/utilities/caching` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheScope {
    /// Only within one authorization context.
    #[default]
    Private,
    /// With anyone.
    Public,
}

impl CacheScope {
    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
        }
    }
}

impl Serialize for CacheScope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Field for CacheScope {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        match peek::text(raw).as_deref() {
            Some("public") => Ok(Self::Public),
            Some("private") => Ok(Self::Private),
            _ => Err(Fault::SHAPE),
        }
    }
}
