//! The form that a type becomes, in the spelling of each revision that can ask for one.

use diglot::server::{Server, form_of};
use diglot::types::{ElicitFormParams, ElicitUrlParams, RequestedSchema, StringSchema};
use diglot::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::Peer;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Size {
    Small,
    VeryLarge,
}

#[derive(Deserialize, JsonSchema)]
enum Colour {
    /// Like the sky
    Blue,
    #[schemars(title = "Rouge")]
    Red,
}

/// An order, with a field of every kind.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "most of its fields are only asked for")]
struct Order {
    /// Who orders
    #[schemars(title = "Name", length(min = 1, max = 40))]
    who: String,
    #[schemars(range(max = 9))]
    count: u8,
    weight: Option<f64>,
    #[schemars(email)]
    mail: Option<String>,
    #[serde(default = "usual")]
    note: String,
    #[serde(default)]
    gift: bool,
    size: Size,
    /// Which one
    colour: Option<Colour>,
    #[serde(default)]
    sizes: Vec<Size>,
    colours: Option<Vec<Colour>>,
}

fn usual() -> String {
    "none".to_owned()
}

#[test]
fn a_type_becomes_a_flat_form_with_everything_that_its_schema_says() {
    let form: Value = serde_json::from_str(form_of::<Order>().unwrap().to_raw().get()).unwrap();
    let colours = json!([{ "const": "Blue", "title": "Like the sky" }, { "const": "Red", "title": "Rouge" }]);
    let expected = json!({
        "type": "object",
        "properties": {
            "who": {
                "type": "string", "title": "Name", "description": "Who orders", "minLength": 1, "maxLength": 40,
            },
            "count": { "type": "integer", "minimum": 0, "maximum": 9 },
            "weight": { "type": "number" },
            "mail": { "type": "string", "format": "email" },
            "note": { "type": "string", "default": "none" },
            "gift": { "type": "boolean", "default": false },
            "size": { "type": "string", "enum": ["small", "very-large"] },
            "colour": { "type": "string", "description": "Which one", "oneOf": colours },
            "sizes": { "type": "array", "items": { "type": "string", "enum": ["small", "very-large"] } },
            "colours": { "type": "array", "items": { "anyOf": colours } },
        },
        "required": ["who", "count", "size"],
    });
    assert_eq!(form, expected, "{form:#}");
}

#[test]
fn what_must_be_filled_comes_first_and_in_the_order_of_the_type() {
    let form = form_of::<Order>().unwrap();
    let names: Vec<&str> = form.properties.iter().map(|(name, _)| name).collect();
    assert_eq!(names[..3], ["who", "count", "size"]);
}

#[derive(JsonSchema)]
struct Nested {
    #[expect(dead_code, reason = "only its schema is looked at")]
    inner: Order,
}

#[derive(JsonSchema)]
struct Listed {
    #[expect(dead_code, reason = "only its schema is looked at")]
    words: Vec<String>,
}

#[derive(JsonSchema)]
struct Endless {
    #[expect(dead_code, reason = "only its schema is looked at")]
    next: Option<Box<Endless>>,
}

#[derive(JsonSchema)]
struct Anything {
    #[expect(dead_code, reason = "only its schema is looked at")]
    value: Value,
}

#[test]
fn a_type_that_is_no_form_is_refused_with_its_field() {
    let told = |bad: Result<RequestedSchema, diglot::server::BadForm>| bad.unwrap_err().to_string();
    for (told, expected) in [
        (
            told(form_of::<Nested>()),
            r#"the type Nested cannot be asked for as a form: its field "inner" is an object"#,
        ),
        (told(form_of::<Listed>()), r#"its field "words" is a list of something other than choices"#),
        (told(form_of::<Endless>()), r#"its field "next" "#),
        (
            told(form_of::<Anything>()),
            r#"its field "value" is neither a text, a number, a boolean nor a choice"#,
        ),
        (told(form_of::<String>()), "it is no struct with named fields"),
        (told(form_of::<Colour>()), "it is no struct with named fields"),
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

async fn nested(cx: Context) -> Result<&'static str, ToolError> {
    #[derive(Deserialize, JsonSchema)]
    struct Outer {
        #[expect(dead_code, reason = "it is never asked for")]
        inner: Order,
    }
    cx.elicit::<Outer>("outer", "?").await?;
    Ok("asked")
}

async fn order(cx: Context) -> Result<String, ToolError> {
    let order: Order = cx.elicit("order", "What?").await?;
    Ok(format!("{} {}", order.count, order.who))
}

#[derive(Deserialize, JsonSchema)]
struct Plain {
    who: String,
    #[serde(default)]
    gift: bool,
    colour: Option<Colour>,
    #[serde(default = "usual")]
    note: String,
}

async fn plain(cx: Context) -> Result<String, ToolError> {
    let plain: Plain = cx.elicit("plain", "What?").await?;
    Ok(format!("{} {} {} {}", plain.who, plain.gift, plain.colour.is_some(), plain.note))
}

async fn page(cx: Context) -> Result<&'static str, ToolError> {
    cx.elicit_url("page", ElicitUrlParams::new("Look", "https://example.com")).await?;
    Ok("looked")
}

async fn raw(cx: Context) -> Result<&'static str, ToolError> {
    let mut form = RequestedSchema::form().field("a", StringSchema::new());
    let nested = serde_json::value::to_raw_value(&json!({ "type": "object" })).unwrap();
    form.properties.push("b", diglot::types::PrimitiveSchema::read(&nested).unwrap());
    cx.elicit_form("raw", ElicitFormParams::new("?", form.to_raw())).await?;
    Ok("asked")
}

fn shop() -> Server {
    Server::new("shop", "1")
        .tool(Tool::new("nested", nested))
        .tool(Tool::new("order", order))
        .tool(Tool::new("plain", plain))
        .tool(Tool::new("page", page))
        .tool(Tool::new("raw", raw))
}

fn call(name: &str, capabilities: &str) -> String {
    let meta = format!(
        r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities}}}"#
    );
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}",{meta}}}}}"#)
}

fn legacy(name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}

#[tokio::test]
async fn a_form_that_cannot_be_shown_fails_the_request_whoever_asks() {
    for capabilities in ["{}", r#"{"elicitation":{}}"#] {
        let mut peer = Peer::of(shop());
        let refused = peer.ask(&call("nested", capabilities)).await;
        assert_eq!(refused["error"]["code"], -32603, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(r#"its field "inner" is an object"#));
        let refused = peer.ask(&call("raw", capabilities)).await;
        assert!(refused["error"]["message"].as_str().unwrap().contains(r#"its field "b""#), "{refused}");
    }
}

#[tokio::test]
async fn the_first_revision_with_forms_gets_its_own_spelling() {
    let mut peer = Peer::of(shop());
    peer.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let asked = peer.ask(&legacy("plain")).await;
    assert_eq!(
        asked["params"],
        json!({
            "message": "What?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "who": { "type": "string" },
                    "gift": { "type": "boolean", "default": false },
                    "colour": { "type": "string", "enum": ["Blue", "Red"], "enumNames": ["Like the sky", "Rouge"] },
                    "note": { "type": "string" },
                },
                "required": ["who"],
            },
        }),
        "{asked:#}"
    );
    let refused = peer.ask(&legacy("order").replace("\"id\":1", "\"id\":2")).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("takes several choices"), "{refused}");
}

#[tokio::test]
async fn the_last_legacy_revision_is_asked_in_the_modern_spelling() {
    let mut peer = Peer::of(shop());
    peer.initialize("2025-11-25", r#"{"elicitation":{"form":{},"url":{}}}"#).await;
    let asked = peer.ask(&legacy("order")).await;
    let form: Value = serde_json::from_str(form_of::<Order>().unwrap().to_raw().get()).unwrap();
    assert_eq!(asked["params"]["requestedSchema"], form);
    let asked = peer.ask(&legacy("page").replace("\"id\":1", "\"id\":2")).await;
    assert_eq!(asked["params"]["mode"], "url");
    assert_eq!(asked["params"]["elicitationId"].as_str().unwrap().len(), 32, "{asked}");
}

#[tokio::test]
async fn a_client_is_asked_only_in_the_modes_that_it_has() {
    let mut peer = Peer::of(shop());
    for (tool, capabilities, missing) in [
        ("order", "{}", json!({ "elicitation": {} })),
        ("order", r#"{"elicitation":{"url":{}}}"#, json!({ "elicitation": { "form": {} } })),
        ("page", r#"{"elicitation":{}}"#, json!({ "elicitation": { "url": {} } })),
    ] {
        let refused = peer.ask(&call(tool, capabilities)).await;
        assert_eq!(refused["error"]["code"], -32021, "{refused}");
        assert_eq!(refused["error"]["data"]["requiredCapabilities"], missing);
    }
    let asked = peer.ask(&call("page", r#"{"elicitation":{"url":{}}}"#)).await;
    let question = &asked["result"]["inputRequests"]["page"]["params"];
    assert_eq!(question, &json!({ "mode": "url", "message": "Look", "url": "https://example.com" }));
}

#[tokio::test]
async fn a_client_of_an_earlier_revision_is_asked_where_it_declares_that_it_can_be() {
    for revision in ["2024-11-05", "2025-03-26"] {
        // Not recorded: no schema of these revisions has the question.
        let mut peer = Peer::of(shop()).unrecorded();
        peer.initialize(revision, r#"{"elicitation":{}}"#).await;
        let asked = peer.ask(&legacy("plain")).await;
        let colour = &asked["params"]["requestedSchema"]["properties"]["colour"];
        assert_eq!(colour["enumNames"][0], "Like the sky", "{asked}");
        let mut peer = Peer::of(shop());
        peer.initialize(revision, "{}").await;
        let refused = peer.ask(&legacy("plain")).await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
    }
}

#[tokio::test]
async fn an_answer_beyond_the_limits_of_the_form_is_asked_for_once_more() {
    let mut peer = Peer::of(shop());
    let first = peer.ask(&call("order", r#"{"elicitation":{}}"#)).await;
    let answer = |count: u8| json!({ "order": { "action": "accept", "content": { "who": "Ann", "count": count, "size": "small" } } });
    let retry = |answers: &Value, state: &Value| {
        let more = format!(r#""name":"order","inputResponses":{answers},"requestState":{state}"#);
        call("order", r#"{"elicitation":{}}"#).replace(r#""name":"order""#, &more)
    };
    let again = peer.ask(&retry(&answer(10), &first["result"]["requestState"])).await;
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    let done = peer.ask(&retry(&answer(9), &again["result"]["requestState"])).await;
    assert_eq!(done["result"]["content"][0]["text"], "9 Ann", "{done}");
}
