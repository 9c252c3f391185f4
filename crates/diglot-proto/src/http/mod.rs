//! The rules of the HTTP bindings as functions of heads and bodies: headers out, meanings in.

pub mod accept;
pub mod headers;
pub mod mirror;
pub mod param;
pub mod response;
pub mod resume;
pub mod session;
pub mod sse;
