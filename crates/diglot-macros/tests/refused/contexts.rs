//! A context too many.

use diglot::{Context, tool};

#[tool]
async fn doubled(one: Context, two: diglot::Context) -> bool {
    one.era() == two.era()
}

fn main() {}
