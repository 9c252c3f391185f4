//! An argument of a prompt that is not read of a text.

use diglot::prompt;

#[prompt]
async fn greet(names: Vec<String>) -> String {
    names.join(" ")
}

fn main() {}
