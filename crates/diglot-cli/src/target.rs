//! A server and the way to it, as the command line or a configuration file gives them.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::args::HttpWire;

/// A server and the way to it.
#[derive(Debug, PartialEq)]
pub(crate) enum Target {
    /// A server behind an address.
    Http(Http),
    /// A child process.
    Child(Child),
}

/// A server that is spoken to over HTTP.
#[derive(Debug, PartialEq)]
pub(crate) struct Http {
    pub(crate) place: Place,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) bearer: Option<String>,
    pub(crate) wire: HttpWire,
}

/// Where an HTTP server listens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// At an address.
    Address(String),
    /// At a Unix socket, with the path of HTTP.
    Socket(PathBuf, String),
}

/// A server that is started.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Child {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) folder: Option<PathBuf>,
}

/// What was found, with what the user should know about how.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) target: Target,
    pub(crate) warnings: Vec<String>,
}

impl Found {
    /// Takes a target that needs no word about it.
    pub(crate) fn of(target: Target) -> Self {
        Self { target, warnings: Vec::new() }
    }
}

/// Shows a word of the command line that may be an address: without query, fragment and credentials.
pub(crate) fn shown(word: &str) -> String {
    let word = word.split(['?', '#']).next().unwrap_or_default();
    match word.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        None => word.to_owned(),
    }
}
