//! The suite of the client: what a call costs the program that makes it.
//!
//! All of them call the same server, Diglot's, which has the core of the driver; the client has the other one.

mod pipe;
mod proxy;
mod told;
mod web;

use crate::peers::{
    CLIENT_HYPER, CLIENT_OURS, CLIENT_OURS_HYPER, CLIENT_OURS_STDIO, CLIENT_PIPE, CLIENT_REQWEST,
    CLIENT_RMCP, CLIENT_RMCP_MODERN, CLIENT_RMCP_POOLED, CLIENT_RMCP_STDIO,
};
use crate::row::{Goal, Row};

const CPU: &[&str] = &["µs of CPU a call"];
const COUNT: &[&str] = &["instructions a call", "allocations a call"];

/// Every row.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    Row { name: "connect", about: "connect over HTTP and make 21 calls, one after the other", is_count: false,
          figures: &["requests until the first call is answered", "TCP connections until then", "in all", "ms of CPU until then"],
          peers: &[&CLIENT_HYPER, &CLIENT_REQWEST, &CLIENT_RMCP, &CLIENT_RMCP_POOLED, &CLIENT_RMCP_MODERN, &CLIENT_OURS_HYPER, &CLIENT_OURS],
          measure: web::connect,
          goals: &[Goal { figure: 2, of: &CLIENT_OURS, than: None, most: 1.0 }] },
    Row { name: "http", about: "tools/call, short, over HTTP, one after the other", figures: CPU, is_count: false,
          peers: &[&CLIENT_HYPER, &CLIENT_REQWEST, &CLIENT_RMCP, &CLIENT_RMCP_POOLED, &CLIENT_RMCP_MODERN, &CLIENT_OURS_HYPER, &CLIENT_OURS],
          measure: web::sequential,
          goals: &[Goal { figure: 0, of: &CLIENT_OURS_HYPER, than: Some(&CLIENT_HYPER), most: 1.5 },
                   Goal { figure: 0, of: &CLIENT_OURS, than: Some(&CLIENT_REQWEST), most: 1.2 }] },
    Row { name: "http-64", about: "the same, 64 at once", figures: CPU, is_count: false,
          peers: &[&CLIENT_HYPER, &CLIENT_REQWEST, &CLIENT_RMCP, &CLIENT_RMCP_POOLED, &CLIENT_RMCP_MODERN, &CLIENT_OURS_HYPER, &CLIENT_OURS],
          measure: web::at_once,
          goals: &[Goal { figure: 0, of: &CLIENT_OURS_HYPER, than: Some(&CLIENT_HYPER), most: 1.5 },
                   Goal { figure: 0, of: &CLIENT_OURS, than: Some(&CLIENT_REQWEST), most: 1.2 }] },
    Row { name: "http-count", about: "one after the other, counted", figures: COUNT, is_count: true,
          peers: &[&CLIENT_HYPER, &CLIENT_REQWEST, &CLIENT_RMCP, &CLIENT_RMCP_POOLED, &CLIENT_RMCP_MODERN, &CLIENT_OURS_HYPER, &CLIENT_OURS],
          measure: web::counted, goals: &[] },
    Row { name: "stdio", about: "tools/call, short, over pipes, one after the other", figures: CPU, is_count: false,
          peers: &[&CLIENT_PIPE, &CLIENT_RMCP_STDIO, &CLIENT_OURS_STDIO], measure: pipe::sequential,
          goals: &[Goal { figure: 0, of: &CLIENT_OURS_STDIO, than: None, most: 12.0 }] },
    Row { name: "stdio-64", about: "the same, 64 at once", figures: CPU, is_count: false,
          peers: &[&CLIENT_PIPE, &CLIENT_RMCP_STDIO, &CLIENT_OURS_STDIO], measure: pipe::at_once,
          goals: &[Goal { figure: 0, of: &CLIENT_OURS_STDIO, than: None, most: 6.0 }] },
    Row { name: "stdio-count", about: "64 at once, counted", figures: COUNT, is_count: true,
          peers: &[&CLIENT_PIPE, &CLIENT_RMCP_STDIO, &CLIENT_OURS_STDIO], measure: pipe::counted, goals: &[] },
];
