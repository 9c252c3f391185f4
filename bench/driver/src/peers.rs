//! The programs that are measured, and how they are built.

use std::path::PathBuf;
use std::process::Command;

use crate::Failure;
use crate::child::{How, Server};

/// A program in one of its forms.
#[derive(Debug)]
pub(crate) struct Peer {
    /// What the tables call it.
    pub(crate) name: &'static str,
    package: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
}

const fn peer(
    name: &'static str,
    package: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
) -> Peer {
    Peer { name, package, program, arguments }
}

pub(crate) static HYPER: Peer = peer("floor: hyper", "floor", "floor-hyper", &[]);
pub(crate) static AXUM: Peer = peer("floor: axum", "floor", "floor-axum", &[]);
pub(crate) static STDIO: Peer = peer("floor: blocking", "floor", "floor-stdio", &[]);
pub(crate) static RMCP: Peer = peer("rmcp, JSON", "peer-rmcp", "peer-rmcp", &["http", "--json"]);
pub(crate) static RMCP_SSE: Peer = peer("rmcp, SSE", "peer-rmcp", "peer-rmcp", &["http"]);
pub(crate) static RMCP_MACROS: Peer =
    peer("rmcp, macros", "peer-rmcp", "peer-rmcp", &["http", "--json", "--macros"]);
pub(crate) static RMCP_STDIO: Peer = peer("rmcp, stdio()", "peer-rmcp", "peer-rmcp", &["stdio"]);
pub(crate) static RMCP_PIPES: Peer = peer("rmcp, stdio_pipes()", "peer-rmcp", "peer-rmcp", &["pipes"]);
pub(crate) static RMCP_STDIO_MACROS: Peer =
    peer("rmcp, stdio(), macros", "peer-rmcp", "peer-rmcp", &["stdio", "--macros"]);
pub(crate) static OURS: Peer = peer("Diglot", "ours", "ours", &["http"]);
pub(crate) static OURS_AXUM: Peer = peer("Diglot in axum", "ours", "ours", &["axum"]);
pub(crate) static OURS_STDIO: Peer = peer("Diglot", "ours", "ours", &["stdio"]);

pub(crate) static CLIENT_HYPER: Peer = peer("hyper", "client-floor", "client-floor", &["hyper"]);
pub(crate) static CLIENT_REQWEST: Peer = peer("reqwest", "client-floor", "client-floor", &["reqwest"]);
pub(crate) static CLIENT_PIPE: Peer = peer("blocking", "client-floor", "client-floor", &["pipe"]);
pub(crate) static CLIENT_RMCP: Peer = peer("rmcp, stock", "client-rmcp", "client-rmcp", &["stock"]);
pub(crate) static CLIENT_RMCP_POOLED: Peer = peer("rmcp, pooled", "client-rmcp", "client-rmcp", &["pooled"]);
pub(crate) static CLIENT_RMCP_MODERN: Peer =
    peer("rmcp, pooled, modern", "client-rmcp", "client-rmcp", &["modern"]);
pub(crate) static CLIENT_RMCP_STDIO: Peer = peer("rmcp", "client-rmcp", "client-rmcp", &["stdio"]);
pub(crate) static CLIENT_OURS: Peer = peer("Diglot, stock", "client-ours", "client-ours", &["stock"]);
pub(crate) static CLIENT_OURS_HYPER: Peer =
    peer("Diglot over hyper", "client-ours", "client-ours", &["hyper"]);
pub(crate) static CLIENT_OURS_STDIO: Peer = peer("Diglot", "client-ours", "client-ours", &["stdio"]);

/// The users' crates that are built: each a workspace of its own, below `samples/`.
pub(crate) static SAMPLE_STDIO_FLOOR: Peer = peer("floor: blocking", "", "stdio-floor", &[]);
pub(crate) static SAMPLE_STDIO_RMCP: Peer = peer("rmcp, macros", "", "stdio-rmcp", &[]);
pub(crate) static SAMPLE_STDIO_OURS: Peer = peer("Diglot, macros", "", "stdio-ours", &[]);
pub(crate) static SAMPLE_HTTP_FLOOR: Peer = peer("floor: hyper", "", "http-floor", &[]);
pub(crate) static SAMPLE_HTTP_RMCP: Peer = peer("rmcp, macros", "", "http-rmcp", &[]);
pub(crate) static SAMPLE_HTTP_OURS: Peer = peer("Diglot, macros", "", "http-ours", &[]);
pub(crate) static SAMPLE_TLS_OURS: Peer = peer("Diglot, macros", "", "tls-ours", &[]);

impl Peer {
    /// Returns the folder of a user's crate.
    pub(crate) fn sample(&self) -> PathBuf {
        folder().join("samples").join(self.program)
    }

    /// Starts the program as a client that waits to be told what to do, with a server to go to.
    pub(crate) fn client(&self, server: &[&str], how: &How) -> Result<Server, Failure> {
        let arguments: Vec<&str> = self.arguments.iter().chain(server).copied().collect();
        Server::stdio(&self.path(), &arguments, how)
    }

    /// Starts the program as a server over HTTP.
    pub(crate) fn http(&self, how: &How) -> Result<Server, Failure> {
        Server::http(&self.path(), self.arguments, how)
    }

    /// Starts the program as a server over pipes.
    pub(crate) fn stdio(&self, how: &How) -> Result<Server, Failure> {
        Server::stdio(&self.path(), self.arguments, how)
    }

    /// Returns the words that start the program as a server over pipes.
    pub(crate) fn words(&self) -> Vec<String> {
        let path = self.path().display().to_string();
        std::iter::once(path).chain(self.arguments.iter().map(|&word| word.to_owned())).collect()
    }

    fn path(&self) -> PathBuf {
        folder().join("target/release").join(self.program)
    }
}

/// Returns the folder of this workspace.
pub(crate) fn folder() -> PathBuf {
    let driver = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    driver.parent().map(ToOwned::to_owned).unwrap_or(driver)
}

/// Builds the programs, each by itself, so that none gets the features that another asks for.
pub(crate) fn build<'a>(peers: impl IntoIterator<Item = &'a &'static Peer>) -> Result<(), Failure> {
    let mut packages: Vec<&str> =
        peers.into_iter().map(|peer| peer.package).filter(|name| !name.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    for package in packages {
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--release", "--package", package])
            .arg("--target-dir")
            .arg(folder().join("target"))
            .current_dir(folder())
            .status()?;
        if !status.success() {
            return Err(format!("{package} does not build").into());
        }
    }
    Ok(())
}
