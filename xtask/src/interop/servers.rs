//! The servers: one row a configuration, with what the client must find there.
//!
//! A new server is a row here, and a program in `interop/` if no released one exists. The table may grow beyond the
//! usual length of a file.

use self::Reach::{Http, HttpSse, OneSession, Stdio};
use super::program::Program::{Everything, Node, Python, Rust, Venv};
use super::program::{House, LEGACY, MODERN, Program, Settled};
use super::visits::Visit::{self, Everything as Demo, None as Short, Offers, OffersAlone, PythonOffers};

/// How the client reaches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Stdio,
    /// Streamable HTTP at `/mcp`.
    Http,
    /// Streamable HTTP at `/mcp`, from a server that takes one session in its life: it is started anew for each command.
    OneSession,
    /// The HTTP+SSE transport of the first revision, at `/sse`.
    HttpSse,
}

impl Reach {
    pub(crate) fn path(self) -> &'static str {
        if self == HttpSse { "/sse" } else { "/mcp" }
    }

    /// The transport's name in the client's output.
    pub(crate) fn transport(self) -> &'static str {
        match self {
            Stdio => "stdio",
            Http | OneSession => "streamable-http",
            HttpSse => "http+sse",
        }
    }
}

/// One tool call, and what its text must contain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) text: &'static str,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerRow {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// Words for the program, split at white space.
    pub(crate) words: &'static str,
    pub(crate) reach: Reach,
    pub(crate) settled: Settled,
    pub(crate) call: Call,
    pub(crate) visit: Visit,
}

const ADD: Call = Call { tool: "add", arguments: &["a=2", "b=3"], text: "5" };
const SUM: Call = Call { tool: "get-sum", arguments: &["a=2", "b=3"], text: "The sum of 2 and 3 is 5." };
const CONVERT: Call = Call {
    tool: "convert_time",
    arguments: &["source_timezone=UTC", "time=12:00", "target_timezone=Asia/Tokyo"],
    text: "+9.0h",
};

const MCP1: Program = Python("mcp1", "mcp1_server.py");
const MCP2: Program = Python("mcp2", "mcp2_server.py");
const TIME: Program = Venv("time", "mcp-server-time");
const RMCP2: Program = Rust("interop-rmcp-2");
const RMCP3: Program = Rust("interop-rmcp-3");

/// The released legacy configurations that a client must reach under the standard policy: these, and how many of each.
pub(crate) const RELEASED_LEGACY: [(&str, usize); 3] =
    [("rmcp 2.2", 3), ("mcp 1.30", 5), ("TypeScript 1.32", 4)];

/// Every server.
#[rustfmt::skip]
pub(crate) const SERVERS: &[ServerRow] = &[
    row("everything stdio",         Everything,                  "stdio",              Stdio,      LEGACY, SUM, Demo),
    row("everything http",          Everything,                  "streamableHttp",     Http,       LEGACY, SUM, Demo),
    row("everything sse",           Everything,                  "sse",                HttpSse,    LEGACY, SUM, Demo),
    row("TypeScript 1.32 stateful", Node("sdk-1-stateful.mjs"),  "",                   Http,       LEGACY, ADD, Offers),
    row("TypeScript 1.32 stateless",Node("sdk-1-stateless.mjs"), "",                   Http,       LEGACY, ADD, OffersAlone),
    row("TypeScript 1.32 bare",     Node("sdk-1-bare.mjs"),      "",                   OneSession, LEGACY, ADD, Offers),
    row("TypeScript 1.32 stdio",    Node("sdk-1-stdio.mjs"),     "",                   Stdio,      LEGACY, ADD, Offers),
    row("TypeScript 2.4 http",      Node("sdk-2-http.mjs"),      "",                   Http,       MODERN, ADD, Offers),
    row("TypeScript 2.4 modern sse",Node("sdk-2-http.mjs"),      "--modern-only --sse",Http,       MODERN, ADD, Offers),
    row("TypeScript 2.4 sessions",  Node("sdk-2-sessions.mjs"),  "",                   Http,       LEGACY, ADD, Offers),
    row("TypeScript 2.4 stdio",     Node("sdk-2-stdio.mjs"),     "",                   Stdio,      MODERN, ADD, Offers),
    row("mcp 1.30 stateful sse",    MCP1,                        "stateful-sse",       Http,       LEGACY, ADD, PythonOffers),
    row("mcp 1.30 stateful json",   MCP1,                        "stateful-json",      Http,       LEGACY, ADD, OffersAlone),
    row("mcp 1.30 stateless sse",   MCP1,                        "stateless-sse",      Http,       LEGACY, ADD, OffersAlone),
    row("mcp 1.30 stateless json",  MCP1,                        "stateless-json",     Http,       LEGACY, ADD, OffersAlone),
    row("mcp 1.30 stdio",           MCP1,                        "stdio",              Stdio,      LEGACY, ADD, PythonOffers),
    row("mcp 2.3 http",             MCP2,                        "http",               Http,       MODERN, ADD, PythonOffers),
    row("mcp 2.3 stdio",            MCP2,                        "stdio",              Stdio,      MODERN, ADD, PythonOffers),
    row("mcp-server-time stdio",    TIME,                        "--local-timezone UTC", Stdio,    MODERN, CONVERT, Short),
    row("rmcp 2.2 stateful",        RMCP2,                       "stateful",           Http,       LEGACY, ADD, Offers),
    row("rmcp 2.2 stateless",       RMCP2,                       "stateless",          Http,       LEGACY, ADD, OffersAlone),
    row("rmcp 2.2 stdio",           RMCP2,                       "stdio",              Stdio,      LEGACY, ADD, Offers),
    row("rmcp 3.11 http",           RMCP3,                       "http",               Http,       MODERN, ADD, Offers),
    row("rmcp 3.11 stdio",          RMCP3,                       "stdio",              Stdio,      MODERN, ADD, Offers),
];

const fn row(
    name: &'static str,
    program: Program,
    words: &'static str,
    reach: Reach,
    settled: Settled,
    call: Call,
    visit: Visit,
) -> ServerRow {
    ServerRow { name, program, words, reach, settled, call, visit }
}

impl ServerRow {
    /// Whether the server is one of the released legacy configurations that are counted.
    pub(crate) fn is_released_legacy(&self) -> bool {
        RELEASED_LEGACY.iter().any(|(family, _)| self.name.starts_with(&format!("{family} ")))
    }

    /// The command line, with the port where the server's own options take one.
    ///
    /// The reference server takes its port from the variable `PORT` instead.
    pub(crate) fn command(&self, house: &House, port: Option<u16>) -> Vec<String> {
        let mut command = self.program.command(house);
        command.extend(self.words.split_whitespace().map(str::to_owned));
        if let (Some(port), false) = (port, self.program == Everything) {
            command.extend(["--port".to_owned(), port.to_string()]);
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_of_released_legacy_configurations_is_complete() {
        for (family, count) in RELEASED_LEGACY {
            let rows = SERVERS.iter().filter(|row| row.name.starts_with(&format!("{family} ")));
            assert_eq!(rows.count(), count, "{family}");
        }
    }

    #[test]
    fn a_released_legacy_configuration_is_expected_to_be_legacy() {
        assert!(SERVERS.iter().filter(|row| row.is_released_legacy()).all(|row| row.settled == LEGACY));
    }

    #[test]
    fn no_two_servers_share_a_name() {
        let mut names: Vec<_> = SERVERS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SERVERS.len());
    }
}
