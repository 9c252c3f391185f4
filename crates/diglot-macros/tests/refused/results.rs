//! Results that say nothing to a model.

use diglot::{prompt, tool};

struct Sum(i64);

#[tool]
async fn add(a: i64, b: i64) -> Sum {
    Sum(a + b)
}

#[prompt]
async fn greet(name: String) -> Sum {
    Sum(name.len() as i64)
}

fn main() {}
