//! The JSON-RPC envelope.
