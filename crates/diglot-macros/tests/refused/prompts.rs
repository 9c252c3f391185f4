//! Arguments that a prompt cannot have.

use diglot::prompt;

struct Pair {
    a: i64,
}

#[prompt]
async fn whole(Pair { a }: Pair) -> String {
    a.to_string()
}

#[prompt]
async fn marked(#[args] pair: Pair) -> String {
    pair.a.to_string()
}

#[prompt]
async fn renamed(#[serde(rename = "b")] a: String) -> String {
    a
}

fn main() {}
