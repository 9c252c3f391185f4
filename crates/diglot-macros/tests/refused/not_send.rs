//! A future that cannot move to another thread.

use std::rc::Rc;

use diglot::tool;

#[tool]
async fn counts(a: i64) -> i64 {
    let shared = Rc::new(a);
    std::future::ready(()).await;
    *shared
}

fn main() {}
