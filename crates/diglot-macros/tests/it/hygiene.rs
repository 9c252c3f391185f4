//! Names of the author's that the written code must not meet, under every lint that there is.

#![deny(missing_docs, nonstandard_style, unreachable_pub, unused, clippy::pedantic)]

/// Types by the names that the written code could use.
mod names {
    pub(super) struct Arguments;
    pub(super) struct Arc;
    pub(super) struct Context;
    pub(super) struct Prompt;
    pub(super) struct PromptArguments;
    pub(super) struct Server;
    pub(super) struct Tool;
    pub(super) struct Tools;
}

use names::{Arc, Arguments, Context, Prompt, PromptArguments, Server, Tool, Tools};

/// Has arguments by the names of locals.
#[::diglot::tool(read_only)]
pub(crate) async fn locals(
    arguments: i64,
    state: i64,
    server: Option<i64>,
    self_: i64,
    cx: i64,
    context: ::diglot::Context,
) -> i64 {
    std::future::ready(context).await;
    arguments + state + self_ + cx + server.unwrap_or_default()
}

/// Has arguments by the names of locals.
#[::diglot::prompt]
pub(crate) fn asked(arguments: String, state: i64, cx: Option<u8>, _context: ::diglot::Context) -> String {
    _ = (state, cx);
    arguments
}

/// A state whose methods have the names of those of an `Arc`.
#[derive(Clone)]
pub(crate) struct State;

#[::diglot::tools]
impl State {
    /// Has the name of a method of `Arc`.
    #[tool]
    pub(crate) async fn clone(&self, state: i64, server: i64) -> i64 {
        std::future::ready(state + server).await
    }

    /// Has the name of what the trait has.
    #[prompt]
    pub(crate) fn register(self: std::sync::Arc<Self>, arguments: String) -> String {
        drop(self);
        arguments
    }
}

#[test]
fn names_do_not_meet() {
    _ = (Arc, Arguments, Context, Prompt, PromptArguments, Server, Tool, Tools);
    let server = ::diglot::Server::new("t", "0").tool(locals::tool()).prompt(asked::prompt());
    let server = server.tools(State);
    let shown = format!("{server:?}");
    assert_eq!(shown, r#"Server { tools: ["locals", "clone"], .. }"#);
}
