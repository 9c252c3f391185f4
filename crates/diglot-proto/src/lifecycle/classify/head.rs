//! The part of an HTTP head that classification looks at.

use crate::http::headers::{METHOD, NAME, PROTOCOL_VERSION};
use crate::http::mirror::Field;

/// Holds the headers of a request that say what it is.
///
/// `Mcp-Session-Id` and `Last-Event-ID` are not among them: they mean nothing to a modern request, and what they mean to a
/// legacy one is the business of its session.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Head<'h> {
    /// `MCP-Protocol-Version`.
    pub protocol_version: Field<'h>,
    /// `Mcp-Method`.
    pub method: Field<'h>,
    /// `Mcp-Name`.
    pub name: Field<'h>,
}

impl<'h> Head<'h> {
    /// Reads the head; `values` returns all values of a header, whose name it gets in lower case.
    pub fn read<V>(values: impl Fn(&'static str) -> V) -> Self
    where
        V: IntoIterator<Item = &'h [u8]>,
    {
        Self {
            protocol_version: Field::read(values(PROTOCOL_VERSION)),
            method: Field::read(values(METHOD)),
            name: Field::read(values(NAME)),
        }
    }
}
