//! What peers get wrong, and what is made of it.

use diglot_proto::types::*;

use super::{json, raw};

#[test]
fn a_tool_result_without_content_is_empty() {
    for text in ["{}", r#"{"content":null}"#, r#"{"content":"odd"}"#, r#"{"_meta":{"a":1}}"#] {
        let result = ToolResult::read(&raw(text)).unwrap();
        assert!(result.content.is_empty() && !result.is_error, "{text}");
        assert!(json(&result).starts_with(r#"{"content":[]"#), "{text}");
    }
}

#[test]
fn an_explicit_null_is_a_structured_result() {
    let result = ToolResult::read(&raw(r#"{"content":[],"structuredContent":null}"#)).unwrap();
    assert_eq!(result.structured.as_deref().map(|raw| raw.get()), Some("null"));
    assert_eq!(result.parse::<Option<i64>>().unwrap(), None);
}

#[test]
fn an_odd_cache_member_does_not_lose_the_list() {
    let text = r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"cacheScope":"","ttlMs":-1}"#;
    let list = ListToolsResult::read(&raw(text)).unwrap();
    assert_eq!((list.tools.len(), list.cache_scope, list.ttl_ms), (1, None, None));
}

#[test]
fn an_integral_float_is_a_number_of_milliseconds() {
    let list = ListToolsResult::read(&raw(r#"{"tools":[],"ttlMs":3e5}"#)).unwrap();
    assert_eq!(list.ttl_ms, Some(300_000));
}

#[test]
fn one_malformed_tool_is_reported_and_does_not_lose_the_others() {
    let text = r#"{"tools":[{"name":"a"},{"title":"no name"},5,{"name":"b","inputSchema":"odd"},{"name":"c","inputSchema":{}}]}"#;
    let list = ListToolsResult::read(&raw(text)).unwrap();
    let names: Vec<&str> = list.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a", "c"]);
    let left_out: Vec<String> = list.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(
        left_out,
        [
            "item 1 is left out: it has no name",
            "item 2 is left out: it is not an object",
            "\"b\" (item 3) is left out: its inputSchema has another shape",
        ]
    );
}

#[test]
fn a_tool_without_an_input_schema_takes_any_object() {
    let tool = Tool::read(&raw(r#"{"name":"a"}"#)).unwrap();
    assert_eq!(tool.input_schema.get(), r#"{"type":"object"}"#);
    let tool = Tool::read(&raw(r#"{"name":"a","inputSchema":{"properties":{}}}"#)).unwrap();
    assert_eq!(tool.input_schema.get(), r#"{"properties":{}}"#);
}

#[test]
fn a_list_that_is_no_array_is_a_fault() {
    let fault = ListToolsResult::read(&raw(r#"{"tools":{}}"#)).unwrap_err();
    assert_eq!((fault.member, fault.reason), ("tools", "its tools has another shape"));
    assert!(ListToolsResult::read(&raw("{}")).unwrap().tools.is_empty());
}

#[test]
fn content_of_an_unknown_type_is_kept_as_it_came() {
    let text = r#"{"content":[{"type":"hologram","n":1.0},{"type":"text","text":"a"},{"type":"text"}]}"#;
    let result = ToolResult::read(&raw(text)).unwrap();
    assert!(
        matches!(&result.content[0], Content::Other(raw) if raw.get() == r#"{"type":"hologram","n":1.0}"#)
    );
    assert_eq!(result.text(), "a");
    assert_eq!(result.left_out[0].to_string(), "item 2 is left out: it has no text");
    assert_eq!(result.raw.as_deref().map(|raw| raw.get()), Some(text));
}

#[test]
fn a_null_feature_is_not_declared() {
    let text =
        r#"{"tools":{"listChanged":null},"resources":{"subscribe":true},"logging":true,"x":{},"prompts":5}"#;
    let capabilities = ServerCapabilities::read(&raw(text)).unwrap();
    assert!(capabilities.has("tools") && !capabilities.declares("tools", "listChanged"));
    assert!(capabilities.declares("resources", "subscribe"));
    assert_eq!(capabilities.names(), ["logging", "resources", "tools", "x"]);
}

#[test]
fn an_identity_may_be_missing_or_odd() {
    for text in [r#"{"protocolVersion":"2025-11-25"}"#, r#"{"protocolVersion":"2025-11-25","serverInfo":5}"#]
    {
        let result = InitializeResult::read(&raw(text)).unwrap();
        assert_eq!(result.server_info, Implementation::new("", ""));
    }
}

#[test]
fn an_odd_optional_member_reads_as_absent_and_is_not_written() {
    let text =
        r#"{"name":"a","title":5,"icons":{},"annotations":[],"_meta":"odd","inputSchema":{"type":"object"}}"#;
    let tool = Tool::read(&raw(text)).unwrap();
    assert_eq!(json(&tool), r#"{"name":"a","inputSchema":{"type":"object"}}"#);
}

#[test]
fn odd_parameters_that_change_the_meaning_of_a_call_are_a_fault() {
    let fault = CallToolParams::read(&raw(r#"{"name":"a","arguments":"odd"}"#)).unwrap_err();
    assert_eq!(fault.member, "arguments");
    assert!(CallToolParams::read(&raw(r#"{"name":"a","arguments":null}"#)).unwrap().arguments.is_none());
    assert_eq!(ListParams::read(&raw(r#"{"cursor":5}"#)).unwrap_err().member, "cursor");
    assert_eq!(CallToolParams::read(&raw("{}")).unwrap_err().to_string(), "it has no name");
}

#[test]
fn arguments_of_a_prompt_that_are_no_texts_read_as_their_text() {
    let params =
        GetPromptParams::read(&raw(r#"{"name":"p","arguments":{"a":1.50,"b":true,"c":{}}}"#)).unwrap();
    let arguments: Vec<_> = params.arguments.unwrap().into_iter().collect();
    assert_eq!(arguments, [("a".into(), "1.50".into()), ("b".into(), "true".into())]);
}

#[test]
fn an_unknown_word_is_kept() {
    let role = SamplingMessage::read(&raw(r#"{"role":"narrator","content":{"type":"text","text":"a"}}"#))
        .unwrap()
        .role;
    assert_eq!(role, Role::Other("narrator".into()));
    assert_eq!(json(role), r#""narrator""#);
}

#[test]
fn a_request_for_input_that_cannot_be_read_is_kept_so_that_it_can_be_answered() {
    let text = r#"{"inputRequests":{"a":{"method":"x/y"},"b":{"method":"elicitation/create","params":{}}}}"#;
    let requests = InputRequiredResult::read(&raw(text)).unwrap().input_requests.unwrap();
    assert!(requests.iter().all(|(_, request)| matches!(request, InputRequest::Other(_))));
    assert_eq!(requests.len(), 2);
}

#[test]
fn a_form_keeps_the_fields_that_nobody_can_show() {
    let text = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object"},"c":5},"required":["a"]}"#;
    let form = RequestedSchema::read(&raw(text)).unwrap();
    assert!(matches!(form.properties.find("a"), Some(PrimitiveSchema::String(_))));
    assert!(matches!(form.properties.find("b"), Some(PrimitiveSchema::Other(_))));
    assert_eq!(json(form), text);
}

#[test]
fn parameters_without_a_mode_are_a_form() {
    let text = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
    assert!(matches!(ElicitParams::read(&raw(text)).unwrap(), ElicitParams::Form(_)));
}

#[test]
fn a_type_that_is_passed_over_is_not_kept() {
    let result = ToolResult::read(&raw(r#"{"resultType":"complete","content":[],"more":1}"#)).unwrap();
    assert_eq!(json(&result), r#"{"content":[],"more":1}"#);
}

#[test]
fn deep_content_is_read_without_deep_recursion() {
    let inner = r#"{"type":"tool_result","toolUseId":"1","content":["#.repeat(40);
    let text = format!("{inner}{}", "]}".repeat(40));
    let content = SamplingContent::read(&raw(&text)).unwrap();
    assert!(
        matches!(content, SamplingContent::ToolResult(result) if matches!(result.content[0], Content::Other(_)))
    );
}
