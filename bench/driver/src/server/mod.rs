//! The suite of the server: what answering costs, in time, instructions, allocations and memory.

mod calls;
mod memory;
mod pipes;

use crate::peers::{
    AXUM, HYPER, OURS, OURS_AXUM, OURS_STDIO, RMCP, RMCP_MACROS, RMCP_PIPES, RMCP_SSE, RMCP_STDIO,
    RMCP_STDIO_MACROS, STDIO,
};
use crate::row::{Goal, Row};

const CPU: &[&str] = &["µs of CPU a request"];
const COUNT: &[&str] = &["instructions a request", "allocations a request"];
const KIB: &[&str] = &["KiB each"];

/// Every row.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    Row { name: "short", about: "tools/call, short, modern, 64 connections", figures: CPU, is_count: false,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_SSE, &RMCP_MACROS, &OURS, &OURS_AXUM], measure: calls::short,
          goals: &[Goal { figure: 0, of: &OURS, than: Some(&AXUM), most: 1.5 },
                   Goal { figure: 0, of: &OURS_AXUM, than: Some(&AXUM), most: 1.5 }] },
    Row { name: "short-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_SSE, &RMCP_MACROS, &OURS, &OURS_AXUM], measure: calls::short_count,
          goals: &[Goal { figure: 0, of: &OURS, than: None, most: 60_000.0 },
                   Goal { figure: 1, of: &OURS, than: None, most: 50.0 }] },
    Row { name: "tail", about: "tools/call, short, modern, 256 connections", is_count: false,
          figures: &["ms, median", "ms, 99 %"],
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_SSE, &RMCP_MACROS, &OURS], measure: calls::tail,
          goals: &[Goal { figure: 1, of: &OURS, than: Some(&AXUM), most: 2.0 }] },
    Row { name: "session", about: "tools/call, short, legacy, 64 connections, a session each", figures: CPU, is_count: false,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_MACROS, &OURS], measure: calls::session,
          goals: &[Goal { figure: 0, of: &OURS, than: Some(&AXUM), most: 1.8 }] },
    Row { name: "session-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&AXUM, &HYPER, &RMCP, &RMCP_MACROS, &OURS], measure: calls::session_count, goals: &[] },
    Row { name: "large", about: "tools/call, 64 KiB there and back, modern, 16 connections", figures: CPU, is_count: false,
          peers: &[&HYPER, &AXUM, &RMCP, &RMCP_MACROS, &OURS], measure: calls::large,
          goals: &[Goal { figure: 0, of: &OURS, than: Some(&HYPER), most: 1.0 }] },
    Row { name: "large-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&HYPER, &AXUM, &RMCP, &OURS], measure: calls::large_count, goals: &[] },
    Row { name: "answer", about: "tools/call, 64 KiB back, modern, 16 connections", figures: CPU, is_count: false,
          peers: &[&HYPER, &AXUM, &RMCP, &RMCP_MACROS, &OURS], measure: calls::answer,
          goals: &[Goal { figure: 0, of: &OURS, than: Some(&HYPER), most: 1.0 }] },
    Row { name: "list", about: "tools/list, 50 tools, modern, 64 connections; the floor has the bytes ready", figures: CPU, is_count: false,
          peers: &[&HYPER, &AXUM, &RMCP, &RMCP_MACROS, &OURS], measure: calls::list,
          goals: &[Goal { figure: 0, of: &OURS, than: Some(&HYPER), most: 1.2 }] },
    Row { name: "list-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&HYPER, &AXUM, &RMCP, &RMCP_MACROS, &OURS], measure: calls::list_count, goals: &[] },
    Row { name: "stdio", about: "tools/call, short, modern, over pipes, one at a time", figures: CPU, is_count: false,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &RMCP_STDIO_MACROS, &OURS_STDIO], measure: pipes::one,
          goals: &[Goal { figure: 0, of: &OURS_STDIO, than: None, most: 25.0 }] },
    Row { name: "stdio-64", about: "the same, 64 outstanding", figures: CPU, is_count: false,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &RMCP_STDIO_MACROS, &OURS_STDIO], measure: pipes::many,
          goals: &[Goal { figure: 0, of: &OURS_STDIO, than: None, most: 5.0 }] },
    Row { name: "stdio-count", about: "the same, counted", figures: COUNT, is_count: true,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &RMCP_STDIO_MACROS, &OURS_STDIO], measure: pipes::counted, goals: &[] },
    Row { name: "flood", about: "200 000 calls over pipes whose answers nobody reads for 3 seconds: what memory grows by", figures: &["MiB"], is_count: true,
          peers: &[&STDIO, &RMCP_STDIO, &RMCP_PIPES, &OURS_STDIO], measure: pipes::flood,
          goals: &[Goal { figure: 0, of: &OURS_STDIO, than: None, most: 8.0 }] },
    Row { name: "idle", about: "an idle legacy session without a connection", figures: KIB, is_count: false,
          peers: &[&RMCP, &OURS], measure: memory::idle,
          goals: &[Goal { figure: 0, of: &OURS, than: None, most: 1.0 }] },
    Row { name: "stream", about: "an idle legacy session with its GET stream, connection included", figures: KIB, is_count: false,
          peers: &[&HYPER, &RMCP, &OURS], measure: memory::stream,
          goals: &[Goal { figure: 0, of: &OURS, than: None, most: 16.0 }] },
    Row { name: "listen", about: "an open subscriptions/listen stream, connection included", figures: KIB, is_count: false,
          peers: &[&HYPER, &RMCP, &OURS], measure: memory::listen,
          goals: &[Goal { figure: 0, of: &OURS, than: None, most: 16.0 }] },
    Row { name: "change", about: "one change told to 5 000 streams", figures: &["µs of CPU a stream"], is_count: false,
          peers: &[&HYPER, &RMCP, &OURS], measure: memory::change,
          goals: &[Goal { figure: 0, of: &OURS, than: Some(&HYPER), most: 1.3 }] },
];
