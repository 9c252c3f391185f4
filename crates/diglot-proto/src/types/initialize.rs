//! The legacy opening: what a client asks for, what a server is and which revision it chose.
//!
//! A server writes an [`InitializeResult`]; the negotiation reads an [`Initialization`], which demands less.

use std::fmt;

use serde_json::value::RawValue;

use crate::object::Object;
use crate::types::discover::empty_object;
use crate::types::{ClientCapabilities, Implementation, ServerCapabilities};

record! {
    /// The parameters of `initialize`.
    InitializeParams {
        /// The version that the client would like.
        required protocol_version: String = "protocolVersion";
        /// What the client can do.
        lenient capabilities: ClientCapabilities = "capabilities";
        /// Who the client says it is; empty where it does not.
        lenient client_info: Implementation as Identity = "clientInfo";
    } with meta
}

record! {
    /// The answer to `initialize`, as a server writes it.
    InitializeResult {
        /// The version that the server chose.
        required protocol_version: String = "protocolVersion";
        /// What the server can do.
        lenient capabilities: ServerCapabilities = "capabilities";
        /// Who the server says it is; empty where it does not.
        lenient server_info: Implementation as Identity = "serverInfo";
        /// Guidance for a model on how to use the server.
        optional instructions: String = "instructions";
    } with meta
}

/// A usable `InitializeResult` (`basic/lifecycle` of the legacy revisions).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Initialization {
    /// The version that the server chose, in its word.
    pub protocol_version: String,
    /// The server's capabilities as it wrote them; `{}` where it wrote none.
    pub capabilities: Box<RawValue>,
    /// The server's name and version, unless it gave none.
    pub server: Option<Implementation>,
    /// Guidance for a model on how to use the server.
    pub instructions: Option<String>,
    /// The whole result as it came.
    pub raw: Box<RawValue>,
}

/// Why a result is no usable `InitializeResult`: it names no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InitializationFault;

impl fmt::Display for InitializationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer to initialize names no protocolVersion")
    }
}

impl std::error::Error for InitializationFault {}

impl Initialization {
    /// Reads a result leniently: everything but the version may be missing or odd.
    pub fn read(result: &RawValue) -> Result<Self, InitializationFault> {
        let object = Object::read(result).ok_or(InitializationFault)?;
        Ok(Self {
            protocol_version: object.string("protocolVersion").ok_or(InitializationFault)?,
            capabilities: object.raw_object("capabilities").map_or_else(empty_object, ToOwned::to_owned),
            server: object.member("serverInfo").and_then(|info| Implementation::read(info).ok()),
            instructions: object.string("instructions"),
            raw: result.to_owned(),
        })
    }
}
