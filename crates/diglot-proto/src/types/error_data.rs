//! What some errors say besides their code and message, in their `data`.

use crate::types::{ClientCapabilities, ElicitUrlParams};

record! {
    /// The data of an unsupported version's error.
    UnsupportedVersionData {
        /// The versions that the server speaks.
        expected supported: Vec<String> = "supported";
        /// The version that was asked for.
        lenient requested: String = "requested";
    }
}

record! {
    /// The data of a missing capability's error.
    MissingCapabilityData {
        /// The capabilities without which the server cannot serve the request.
        required required_capabilities: ClientCapabilities = "requiredCapabilities";
    }
}

record! {
    /// The data of the error that asks for elicitations at an address first, in revision 2025-11-25.
    UrlElicitationRequiredData {
        /// The elicitations that must be over before the request is sent again.
        required elicitations: Vec<ElicitUrlParams> = "elicitations";
    }
}
