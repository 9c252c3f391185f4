//! What the visitor answers when it is asked.

use diglot::ClientBuilder;
use diglot::jsonrpc::RpcError;
use diglot::types::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, PrimitiveSchema, RequestedSchema,
    Root,
};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

/// The model that the visitor says it has.
const MODEL: &str = "the-visitors-model";

/// Sets every handler.
pub(crate) fn give(builder: ClientBuilder) -> ClientBuilder {
    builder
        .on_elicitation(fill)
        .on_url_elicitation(|_| async { ElicitResult::new(diglot::types::ElicitAction::Accept) })
        .on_sampling(sample)
        .on_roots(|| async { vec![Root::new("file:///visited").name("visited")] })
}

/// Fills a form: yes to every question, the defaults where there are any, and something that fits elsewhere.
async fn fill(params: ElicitParams) -> ElicitResult {
    let ElicitParams::Form(form) = params else { return ElicitResult::decline() };
    let Ok(schema) = RequestedSchema::read(&form.requested_schema) else { return ElicitResult::cancel() };
    let mut content = Map::new();
    for (name, field) in schema.properties.iter() {
        let value = match field {
            PrimitiveSchema::Boolean(field) if field.default.is_none() => json!(true),
            PrimitiveSchema::String(field) if field.default.is_none() && wants(&schema, name) => json!("Ada"),
            // The client adds what has a default; what is left out may be.
            _ => continue,
        };
        content.insert(name.to_owned(), value);
    }
    match to_raw_value(&Value::Object(content)) {
        Ok(content) => ElicitResult::accept(content),
        Err(_) => ElicitResult::cancel(),
    }
}

fn wants(schema: &RequestedSchema, name: &str) -> bool {
    schema.required.iter().any(|required| required == name)
}

async fn sample(_: CreateMessageParams) -> Result<CreateMessageResult, RpcError> {
    let answer = json!({
        "role": "assistant", "content": { "type": "text", "text": "Forty-two." }, "model": MODEL, "stopReason": "endTurn"
    });
    let unreadable = |what: String| RpcError::new(diglot::jsonrpc::codes::INTERNAL_ERROR, what);
    let raw = to_raw_value(&answer).map_err(|error| unreadable(error.to_string()))?;
    CreateMessageResult::read(&raw).map_err(|fault| unreadable(fault.to_string()))
}
