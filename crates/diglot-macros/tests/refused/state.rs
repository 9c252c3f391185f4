//! State that calls cannot share.

use std::rc::Rc;

use diglot::tools;

struct Local(Rc<i64>);

#[tools]
impl Local {
    #[tool]
    async fn value(&self) -> i64 {
        *self.0
    }
}

struct Lent<'a>(&'a str);

#[tools]
impl Lent<'_> {
    #[tool]
    async fn text(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
