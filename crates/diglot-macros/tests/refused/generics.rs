//! Functions whose arguments have no type of their own.

use diglot::tool;

#[tool]
async fn generic<T: ToString>(value: T) -> String {
    value.to_string()
}

#[tool]
async fn lent<'a>(text: &'a str) -> String {
    text.to_owned()
}

#[tool]
async fn of_a_length<const N: usize>(values: [u8; N]) -> usize {
    values.len()
}

fn main() {}
