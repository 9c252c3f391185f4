//! Parameters that are no argument.

use diglot::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

#[tool]
async fn tuple((a, b): (i64, i64)) -> i64 {
    a + b
}

#[tool]
async fn nameless(_: i64) {}

#[tool]
async fn beside(Pair { a, b }: Pair, c: i64) -> i64 {
    a + b + c
}

#[tool]
async fn two(#[args] one: Pair, #[args] two: Pair) -> i64 {
    one.a + two.b
}

#[tool]
async fn conditional(#[cfg(unix)] a: i64) -> i64 {
    a
}

fn main() {}
