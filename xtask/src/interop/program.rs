//! What runs a peer: a file of `interop/` or a released program, and where its pieces lie.

use std::path::{Path, PathBuf};

use self::Program::{Everything, Inspector, Node, Python, Rust, Venv};

/// Where the pieces lie.
#[derive(Debug, Clone)]
pub(crate) struct House {
    /// The checkout.
    pub(crate) root: PathBuf,
    /// What the runner builds and installs, outside of the sources.
    pub(crate) target: PathBuf,
}

impl House {
    pub(crate) fn node(&self) -> PathBuf {
        self.root.join("interop/node")
    }

    pub(crate) fn inspector(&self) -> PathBuf {
        self.node().join("inspector")
    }

    pub(crate) fn venv(&self, name: &str) -> PathBuf {
        self.target.join(format!("interop/venv-{name}"))
    }

    pub(crate) fn rust(&self) -> PathBuf {
        self.target.join("interop/rust")
    }

    /// Where the output of a step or a row goes.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.target.join("interop/logs").join(name.replace([' ', '.'], "-"))
    }
}

/// What runs a peer, and so what has to be installed for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// A file of `interop/node`.
    Node(&'static str),
    /// The released reference server, held to the loopback interface.
    Everything,
    /// The script of `interop/node` that drives the MCP Inspector, which is installed apart.
    Inspector,
    /// A virtual environment and a file of `interop/python` that runs in it.
    Python(&'static str, &'static str),
    /// A virtual environment and a command that a package put there.
    Venv(&'static str, &'static str),
    /// A binary of `interop/rust`.
    Rust(&'static str),
}

impl Program {
    /// The command line, without the words of a row.
    pub(crate) fn command(self, house: &House) -> Vec<String> {
        let file = |path: &Path| path.to_string_lossy().into_owned();
        let own = |name: &str| file(&house.node().join(name));
        let node = |words: &[&str]| [&["node"], words].concat().iter().map(ToString::to_string).collect();
        match self {
            Node(script) => node(&[&own(script)]),
            Everything => node(&[
                "--import",
                &format!("file://{}", own("loopback.mjs")),
                &own("node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
            ]),
            Inspector => node(&[&own("client-inspector.mjs")]),
            Python(venv, script) => {
                vec![
                    file(&house.venv(venv).join("bin/python")),
                    file(&house.root.join("interop/python").join(script)),
                ]
            }
            Venv(venv, name) => vec![file(&house.venv(venv).join("bin").join(name))],
            Rust(binary) => vec![file(&house.rust().join("release").join(binary))],
        }
    }

    /// The virtual environment that the program runs in.
    pub(crate) fn venv(self) -> Option<&'static str> {
        match self {
            Python(venv, _) | Venv(venv, _) => Some(venv),
            Node(_) | Everything | Inspector | Rust(_) => None,
        }
    }
}

/// The era and the revision that two peers must settle on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) era: &'static str,
    pub(crate) revision: &'static str,
}

pub(crate) const MODERN: Settled = Settled { era: "modern", revision: "2026-07-28" };
pub(crate) const LEGACY: Settled = Settled { era: "legacy", revision: "2025-11-25" };

impl Settled {
    /// Compares what a program said with what it had to settle on; the error says where they differ.
    pub(crate) fn check(self, era: Option<&str>, revision: Option<&str>) -> Result<(), String> {
        same("era", era, self.era)?;
        same("protocolVersion", revision, self.revision)
    }
}

/// Compares one value that a program printed with the one that it had to.
pub(crate) fn same(key: &str, found: Option<&str>, wanted: &str) -> Result<(), String> {
    if found == Some(wanted) {
        return Ok(());
    }
    Err(format!("{key} is {}, not {wanted}", found.unwrap_or("missing")))
}
