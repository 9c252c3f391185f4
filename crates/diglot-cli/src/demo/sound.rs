//! The sound servers of the tour: the SDK's own, with one tool, in the eras that each is to speak.

use diglot::server::Eras;
use diglot::{Context, Revision, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a sound server speaks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sound {
    /// The modern era alone.
    Modern,
    /// Both eras.
    Both,
    /// The legacy era alone.
    Legacy,
    /// The first revision alone, whose transport over HTTP is HTTP+SSE.
    Oldest,
}

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

impl Sound {
    /// Makes a server of this kind.
    pub(super) fn server(self, name: &str) -> Server {
        let add = |Pair { a, b }: Pair, _: Context| {
            std::future::ready(a.checked_add(b).ok_or_else(|| ToolError::new("a and b have no sum")))
        };
        let server = Server::new(name, "1.0.0").tool(Tool::new("add", add).description("Adds two integers"));
        match self {
            Self::Modern => server.eras(Eras::Modern),
            Self::Both => server,
            Self::Legacy => server.eras(Eras::Legacy),
            Self::Oldest => server.eras(Eras::Legacy).legacy_revisions(&[Revision::V2024_11_05]),
        }
    }
}
