//! Arguments that borrow, or are no single type.

use diglot::{Context, tool};

#[tool]
async fn lent(text: &str, other: Option<&'static str>) -> usize {
    text.len() + other.map_or(0, str::len)
}

#[tool]
async fn any(text: impl Into<String>, many: Vec<impl Into<String>>) -> String {
    many.into_iter().fold(text.into(), |text, more| text + &more.into())
}

#[tool]
async fn looks(cx: &Context) -> String {
    cx.era().to_string()
}

fn main() {}
