//! What clients are told of a tool.

use diglot::server::Json;
use diglot::{Context, tool};
use serde_json::{Value, json};

use super::stage::told;

/// Adds two integers.
///
/// Numbers that are too large wrap around.
#[tool]
async fn add(
    /// The first term.
    a: i64,
    /// The second term;
    /// zero unless given.
    b: Option<i64>,
) -> i64 {
    a.wrapping_add(b.unwrap_or_default())
}

#[test]
fn parameters_and_their_docs_are_the_schema() {
    let expected = json!({
        "name": "add",
        "description": "Adds two integers.\n\nNumbers that are too large wrap around.",
        "inputSchema": {
            "title": "add",
            "type": "object",
            "properties": {
                "a": { "description": "The first term.", "type": "integer", "format": "int64" },
                "b": {
                    "description": "The second term;\nzero unless given.",
                    "type": ["integer", "null"],
                    "format": "int64",
                },
            },
            "required": ["a"],
        },
    });
    assert_eq!(told(&add::tool()), expected);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    /// The first.
    a: u8,
    b: u8,
}

#[tool]
async fn taken_apart(_: Context, Pair { a, b }: Pair) -> u8 {
    a + b
}

#[tool]
async fn kept_whole(#[args] pair: Pair) -> u8 {
    pair.a + pair.b
}

#[test]
fn a_struct_is_the_schema_as_it_is() {
    let by_hand = diglot::Tool::new("kept_whole", |pair: Pair, _: Context| async move { pair.a + pair.b });
    assert_eq!(told(&kept_whole::tool()), told(&by_hand));
    assert_eq!(told(&taken_apart::tool())["inputSchema"], told(&by_hand)["inputSchema"]);
}

const TITLE: &str = "Removal";

/// Is not told.
#[tool(
    name = "files/remove",
    title = TITLE,
    description = concat!("Removes ", "a file."),
    read_only = false,
    destructive,
    idempotent = true,
    open_world = false,
)]
async fn remove(#[schemars(length(min = 1))] path: String) {
    drop(path);
}

#[test]
fn keys_are_told() {
    let told = told(&remove::tool());
    assert_eq!(told["name"], "files/remove");
    assert_eq!(told["title"], "Removal");
    assert_eq!(told["description"], "Removes a file.");
    let hints = json!({
        "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false,
    });
    assert_eq!(told["annotations"], hints);
    assert_eq!(told["inputSchema"]["properties"]["path"], json!({ "type": "string", "minLength": 1 }));
}

/// A sum.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sum {
    sum: i64,
}

/// Sums.
#[doc = concat!("All", " of them.")]
#[tool(read_only)]
fn sum(
    terms: Vec<i64>,
    #[serde(default, rename = "start")] r#mut: i64,
) -> Result<Json<Sum>, std::fmt::Error> {
    Ok(Json(Sum { sum: terms.into_iter().sum::<i64>() + r#mut }))
}

#[test]
fn a_structured_result_has_a_schema_and_docs_may_be_made_by_macros() {
    let told = told(&sum::tool());
    assert_eq!(told["description"], "Sums.\nAll of them.");
    assert_eq!(told["outputSchema"]["properties"]["sum"]["type"], "integer");
    assert_eq!(told["inputSchema"]["required"], json!(["terms"]));
    assert_eq!(told["inputSchema"]["properties"]["start"]["default"], 0);
}

#[tool]
async fn r#await() {}

#[test]
fn what_is_not_said_is_not_told() {
    let told = told(&r#await::tool());
    assert_eq!(told["name"], "await");
    assert_eq!(told["inputSchema"]["type"], "object");
    for key in ["title", "description", "annotations", "outputSchema"] {
        assert_eq!(told.get(key), None::<&Value>, "{key}");
    }
}
