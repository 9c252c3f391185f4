//! Functions that run in a way in which no handler does.

use std::future::Future;

use diglot::tool;

#[tool]
fn returned(a: i64) -> impl Future<Output = i64> {
    async move { a }
}

#[tool]
async unsafe fn feared(a: i64) -> i64 {
    a
}

fn main() {}
