//! Two tools of one name.

use diglot::tools;

struct Calculator;

#[tools]
impl Calculator {
    #[tool]
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    #[tool(name = "add")]
    async fn sum(&self, terms: Vec<i64>) -> i64 {
        terms.iter().sum()
    }

    #[prompt(name = "add")]
    async fn a_prompt_may_have_the_name(&self) -> String {
        String::new()
    }

    #[tool(name = "minus")]
    async fn subtract(&self, a: i64, b: i64) -> i64 {
        a - b
    }

    #[tool]
    async fn minus(&self, a: i64) -> i64 {
        -a
    }
}

fn main() {}
