//! Functions that exist under a condition, or are seen elsewhere.

use diglot::{Server, tool, tools};

mod inner {
    use diglot::tool;

    /// Sees the whole crate.
    #[tool]
    pub(crate) async fn shown() {}

    #[tool]
    pub(super) async fn seen_above() {}
}

use inner::shown;

#[tool]
#[cfg(not(test))]
async fn absent() -> NoSuchType {}

#[tool]
#[cfg(test)]
async fn absent() {}

struct Empty;

#[tools]
impl Empty {
    #[tool]
    #[cfg(not(test))]
    async fn other(&self) -> NoSuchType {}

    #[cfg(test)]
    #[tool]
    async fn other(&self, a: Option<i64>) {
        let _ = a;
    }
}

/// Does what others do better.
#[tool]
#[deprecated = "others do it better"]
#[must_use]
fn outdated() -> i64 {
    0
}

#[test]
fn what_is_written_exists_where_the_function_does() {
    let server = Server::new("t", "0").tool(shown::tool()).tool(inner::seen_above::tool());
    let server = server.tool(absent::tool()).tool(outdated::tool()).tools(Empty);
    assert_eq!(
        format!("{server:?}"),
        r#"Server { tools: ["shown", "seen_above", "absent", "outdated", "other"], .. }"#
    );
}
