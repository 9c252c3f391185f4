//! Methods that do not share their state.

use diglot::tools;

struct Calculator {
    sum: i64,
}

#[tools]
impl Calculator {
    #[tool]
    async fn without(a: i64) -> i64 {
        a
    }

    #[tool]
    async fn alone(&mut self, a: i64) -> i64 {
        self.sum += a;
        self.sum
    }

    #[prompt]
    async fn consumed(self) -> String {
        self.sum.to_string()
    }
}

fn main() {}
