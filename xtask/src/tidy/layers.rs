//! The table of layers: which rooms of a crate each of its rooms may import.
//!
//! A room is a module; the longest name that fits decides. A room may always import from the same top room, and naming
//! a room grants what is below it. A new room needs a row, and the row is the decision.

/// A crate and the rows of its rooms.
pub struct Layers {
    /// The sources of the crate.
    pub folder: &'static str,
    /// Its rooms from the lowest up, each with the rooms that it may import.
    pub rooms: &'static [(&'static str, &'static [&'static str])],
}

/// Every crate whose rooms have layers.
#[rustfmt::skip]
pub const LAYERS: &[Layers] = &[
    Layers { folder: "crates/diglot-proto/src/", rooms: &[
        ("version",        &[]),
        ("lines",          &[]),
        ("object",         &[]),
        ("jsonrpc",        &["version"]),
        ("meta",           &["version", "jsonrpc"]),
        ("types",          &["version", "object", "jsonrpc", "meta"]),
        ("method",         &["version", "jsonrpc", "meta", "types"]),
        ("wire",           &["version", "jsonrpc", "meta", "types", "method"]),
        ("http",           &["version", "lines", "jsonrpc", "meta", "types", "method"]),
        ("http::sse",      &["lines"]),
        ("http::response", &["version", "jsonrpc"]),
        ("http::resume",   &[]),
        ("ledger",         &["version", "jsonrpc", "meta", "types", "method", "wire"]),
        ("input",          &["version", "jsonrpc", "meta", "types", "method", "wire"]),
        ("subscribe",      &["version", "jsonrpc", "meta", "types", "method", "wire"]),
        ("cache",          &["version", "jsonrpc", "meta", "types", "method", "wire"]),
        ("lifecycle",      &["version", "object", "jsonrpc", "meta", "types", "method", "wire", "http"]),
    ] },
    Layers { folder: "crates/diglot/src/", rooms: &[
        ("future",         &[]),
        ("readme",         &[]),
        ("error",          &[]),
        ("limits",         &[]),
        ("schema",         &[]),
        ("skill",          &["error"]),
        ("transport",      &["future", "error", "limits"]),
        ("client",         &["future", "error", "limits", "schema", "skill", "transport"]),
        ("server",         &["future", "error", "limits", "schema", "skill"]),
        ("http",           &["future", "error", "limits", "transport"]),
        ("http::serve",    &["future", "error", "limits", "server"]),
        ("__private",      &["server"]),
        ("auth",           &["future", "error", "limits", "transport", "http"]),
    ] },
];

impl Layers {
    /// Finds the layers of the crate that has the file.
    pub fn of(path: &str) -> Option<&'static Self> {
        LAYERS.iter().find(|layers| path.starts_with(layers.folder))
    }

    /// Finds the row that decides for the module.
    pub fn row(&self, module: &str) -> Option<&(&'static str, &'static [&'static str])> {
        self.rooms.iter().filter(|(room, _)| is_in(module, room)).max_by_key(|(room, _)| room.len())
    }

    /// Whether the row lets a module of its room import `target`.
    pub fn allows(row: &(&str, &[&str]), target: &str) -> bool {
        is_in(target, top(row.0)) || row.1.iter().any(|room| is_in(target, room))
    }
}

/// Whether the module is the room or below it.
fn is_in(module: &str, room: &str) -> bool {
    module == room || module.strip_prefix(room).is_some_and(|rest| rest.starts_with("::"))
}

/// The first word of a room's name.
fn top(room: &str) -> &str {
    room.split("::").next().unwrap_or(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_grants_only_rooms_above_it() {
        for layers in LAYERS {
            for (index, (room, grants)) in layers.rooms.iter().enumerate() {
                for grant in *grants {
                    let above = layers.rooms[..index].iter().any(|(above, _)| above == grant);
                    assert!(above, "{room} may import {grant}, which has no row above it");
                }
            }
        }
    }

    #[test]
    fn the_longest_name_decides() {
        let layers = Layers::of("crates/diglot-proto/src/http/sse.rs").unwrap();
        assert_eq!(layers.row("http::response").unwrap().0, "http::response");
        assert_eq!(layers.row("http::headers").unwrap().0, "http");
        assert!(layers.row("https").is_none());
    }

    #[test]
    fn a_room_may_import_its_own_kind() {
        let layers = Layers::of("crates/diglot-proto/src/http/sse.rs").unwrap();
        let row = layers.row("http::sse").unwrap();
        assert!(Layers::allows(row, "http::response"));
        assert!(!Layers::allows(row, "jsonrpc"));
    }
}
