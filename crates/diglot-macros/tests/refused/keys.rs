//! Keys that an attribute does not have.

use diglot::{prompt, tool};

#[tool(readonly)]
async fn unknown() {}

#[tool(name = "a", name = "b")]
async fn twice() {}

#[tool(title)]
async fn no_text() {}

#[tool(destructive = "no")]
async fn no_flag() {}

#[prompt(read_only)]
async fn of_a_tool() -> String {
    String::new()
}

fn main() {}
