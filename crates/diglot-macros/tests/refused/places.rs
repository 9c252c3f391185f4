//! Attributes in places where they do not belong.

use diglot::{prompt, tool, tools};

#[tool]
struct Add;

#[prompt]
mod greet {}

#[tools]
struct Calculator;

#[tools]
impl Clone for Calculator {
    fn clone(&self) -> Self {
        Self
    }
}

struct Empty;

#[tools]
impl Empty {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

struct Keyed;

#[tools(name = "keyed")]
impl Keyed {
    #[tool = "add"]
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

struct Alone;

impl Alone {
    #[tool]
    async fn add(&self, /** The first. */ a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {}
