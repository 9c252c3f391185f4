//! The clients: one row a configuration, with what it must settle on with `diglot serve --demo`.
//!
//! A new client is a row here, and a program in `interop/` that prints one line of JSON. The table may grow beyond the
//! usual length of a file.

use self::Asks::{Everything, ListAndCall};
use self::Wire::{Http, Stdio};
use super::program::Program::{Inspector, Node, Python, Rust};
use super::program::{LEGACY, MODERN, Program, Settled};

/// How the client reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The client starts the server.
    Stdio,
    /// Streamable HTTP at `/mcp`.
    Http,
}

/// How far a client goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// It lists and calls tools, reads a resource, gets a prompt and answers a question.
    Everything,
    /// It lists and calls tools, and does not say which revision it found.
    ListAndCall,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientRow {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// Words for the program, split at white space.
    pub(crate) words: &'static str,
    pub(crate) wire: Wire,
    pub(crate) settled: Settled,
    pub(crate) asks: Asks,
}

const TYPESCRIPT1: Program = Node("client-1.mjs");
const TYPESCRIPT2: Program = Node("client-2.mjs");
const REMOTE: Program = Node("client-remote.mjs");
const MCP1: Program = Python("mcp1", "mcp1_client.py");
const MCP2: Program = Python("mcp2", "mcp2_client.py");
const RMCP2: Program = Rust("interop-rmcp-2-client");
const RMCP3: Program = Rust("interop-rmcp-3-client");

/// Every client.
#[rustfmt::skip]
pub(crate) const CLIENTS: &[ClientRow] = &[
    row("TypeScript 1.32 http",         TYPESCRIPT1, "",           Http,  LEGACY, Everything),
    row("TypeScript 1.32 stdio",        TYPESCRIPT1, "",           Stdio, LEGACY, Everything),
    row("TypeScript 2.4 legacy http",   TYPESCRIPT2, "legacy",     Http,  LEGACY, Everything),
    row("TypeScript 2.4 legacy stdio",  TYPESCRIPT2, "legacy",     Stdio, LEGACY, Everything),
    row("TypeScript 2.4 auto http",     TYPESCRIPT2, "auto",       Http,  MODERN, Everything),
    row("TypeScript 2.4 auto stdio",    TYPESCRIPT2, "auto",       Stdio, MODERN, Everything),
    row("TypeScript 2.4 pinned http",   TYPESCRIPT2, "2026-07-28", Http,  MODERN, Everything),
    row("TypeScript 2.4 pinned stdio",  TYPESCRIPT2, "2026-07-28", Stdio, MODERN, Everything),
    row("Inspector 2.12 legacy http",   Inspector,   "legacy",     Http,  LEGACY, ListAndCall),
    row("Inspector 2.12 legacy stdio",  Inspector,   "legacy",     Stdio, LEGACY, ListAndCall),
    row("Inspector 2.12 modern http",   Inspector,   "modern",     Http,  MODERN, ListAndCall),
    row("Inspector 2.12 modern stdio",  Inspector,   "modern",     Stdio, MODERN, ListAndCall),
    row("mcp-remote 0.15 legacy",       REMOTE,      "legacy",     Http,  LEGACY, Everything),
    row("mcp-remote 0.15 auto",         REMOTE,      "auto",       Http,  MODERN, Everything),
    row("mcp 1.30 http",                MCP1,        "",           Http,  LEGACY, Everything),
    row("mcp 1.30 stdio",               MCP1,        "",           Stdio, LEGACY, Everything),
    row("mcp 2.3 legacy http",          MCP2,        "legacy",     Http,  LEGACY, Everything),
    row("mcp 2.3 legacy stdio",         MCP2,        "legacy",     Stdio, LEGACY, Everything),
    row("mcp 2.3 auto http",            MCP2,        "auto",       Http,  MODERN, Everything),
    row("mcp 2.3 auto stdio",           MCP2,        "auto",       Stdio, MODERN, Everything),
    row("mcp 2.3 pinned http",          MCP2,        "2026-07-28", Http,  MODERN, Everything),
    row("mcp 2.3 pinned stdio",         MCP2,        "2026-07-28", Stdio, MODERN, Everything),
    row("rmcp 2.2 http",                RMCP2,       "",           Http,  LEGACY, Everything),
    row("rmcp 2.2 stdio",               RMCP2,       "",           Stdio, LEGACY, Everything),
    row("rmcp 3.11 initialize http",    RMCP3,       "initialize", Http,  LEGACY, Everything),
    row("rmcp 3.11 initialize stdio",   RMCP3,       "initialize", Stdio, LEGACY, Everything),
    row("rmcp 3.11 auto http",          RMCP3,       "auto",       Http,  MODERN, Everything),
    row("rmcp 3.11 auto stdio",         RMCP3,       "auto",       Stdio, MODERN, Everything),
    row("rmcp 3.11 discover http",      RMCP3,       "discover",   Http,  MODERN, Everything),
    row("rmcp 3.11 discover stdio",     RMCP3,       "discover",   Stdio, MODERN, Everything),
];

const fn row(
    name: &'static str,
    program: Program,
    words: &'static str,
    wire: Wire,
    settled: Settled,
    asks: Asks,
) -> ClientRow {
    ClientRow { name, program, words, wire, settled, asks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_clients_share_a_name() {
        let mut names: Vec<_> = CLIENTS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CLIENTS.len());
    }

    #[test]
    fn every_name_that_says_a_wire_says_the_one_it_runs_over() {
        for row in CLIENTS {
            assert!(!row.name.ends_with("stdio") || row.wire == Stdio, "{}", row.name);
            assert!(!row.name.ends_with("http") || row.wire == Http, "{}", row.name);
        }
    }
}
