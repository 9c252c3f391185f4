//! Tools whose schemas matter: one that must be listed as it is, and one whose argument is mirrored into a header.

use diglot::{Context, Server, Tool};
use serde_json::value::RawValue;

/// A schema with keywords of 2020-12 that must survive.
const RICH: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        }
    },
    "properties": {
        "name": { "type": "string" },
        "address": { "$ref": "#/$defs/address" },
        "contactMethod": { "type": "string", "enum": ["phone", "email"] },
        "phone": { "type": "string" },
        "email": { "type": "string" }
    },
    "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
    "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
    "then": { "required": ["phone"] },
    "else": { "required": ["email"] },
    "additionalProperties": false
}"##;

/// A schema with an argument that HTTP clients repeat in `Mcp-Param-Region`.
const MIRRORED: &str = r#"{
    "type": "object",
    "properties": { "region": { "type": "string", "description": "Where", "x-mcp-header": "Region" } }
}"#;

/// Adds the tools.
pub(crate) fn add_to(server: Server) -> Server {
    server
        .tool(
            Tool::raw("json_schema_2020_12_tool", raw(RICH), say_again)
                .description("Tool with JSON Schema 2020-12 features"),
        )
        .tool(Tool::raw("test_x_mcp_header", raw(MIRRORED), say_again).description("Has a mirrored argument"))
}

async fn say_again(arguments: Box<RawValue>, _: Context) -> String {
    arguments.get().to_owned()
}

fn raw(json: &str) -> Box<RawValue> {
    serde_json::from_str(json).expect("the schemas above are JSON")
}
