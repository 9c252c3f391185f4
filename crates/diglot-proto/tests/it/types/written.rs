//! What the builders make, and what is written of it.

use diglot_proto::jsonrpc::Id;
use diglot_proto::types::*;

use super::{json, raw};

#[test]
fn a_text_is_content_and_a_result() {
    assert_eq!(json(Content::from("a")), r#"{"type":"text","text":"a"}"#);
    assert_eq!(json(ToolResult::from("a")), r#"{"content":[{"type":"text","text":"a"}]}"#);
    assert_eq!(json(ToolResult::failed("no")), r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#);
}

#[test]
fn a_result_is_the_same_from_its_own_writer() {
    let mut odd = TextContent::new("x");
    odd.extra.insert("y", raw("1"));
    let results = [
        ToolResult::new([]),
        ToolResult::from("a \"quoted\" line\n\u{1}\u{7f} é \u{1f600}, and more of it"),
        ToolResult::failed("no").structured(raw(r#"{"a": 1}"#)).meta(raw(r#"{"b":2}"#)),
        ToolResult::new([
            Content::text("one"),
            Content::Text(TextContent::new("two").annotations(Annotations::new().priority(0.5))),
            Content::Text(odd),
            Content::image("AA==", "image/png"),
        ]),
    ];
    for result in results {
        let expected = json(&result);
        assert_eq!(String::from_utf8(result.into_json().unwrap()).unwrap(), expected);
    }
    let annotations = Annotations::new().priority(f64::NAN);
    let bad = ToolResult::new([Content::Text(TextContent::new("x").annotations(annotations))]);
    assert!(bad.into_json().is_err());
}

#[test]
fn what_is_not_set_is_not_written() {
    assert_eq!(json(Tool::new("t", raw("{}"))), r#"{"name":"t","inputSchema":{}}"#);
    assert_eq!(json(ServerCapabilities::new().tools(ListCapability::new())), r#"{"tools":{}}"#);
    assert_eq!(json(SubscriptionFilter::new()), "{}");
}

#[test]
fn members_are_written_in_the_order_of_the_schema() {
    let tool = Tool::new("t", raw("{}")).meta(raw(r#"{"a":1}"#)).description("d").title("T");
    assert_eq!(json(tool), r#"{"name":"t","title":"T","description":"d","inputSchema":{},"_meta":{"a":1}}"#);
}

#[test]
fn members_of_ones_own_are_written_last() {
    let mut resource = Resource::new("file:///a", "a");
    resource.extra.insert("x", raw("1"));
    resource.extra.insert("y", raw("2"));
    resource.extra.insert("x", raw("3"));
    assert_eq!(json(&resource), r#"{"uri":"file:///a","name":"a","x":3,"y":2}"#);
    assert_eq!(resource.extra.remove("x").unwrap().get(), "3");
    assert_eq!(resource.extra.find("y").unwrap().get(), "2");
}

#[test]
fn an_integral_number_is_written_without_a_fraction() {
    let told = ProgressParams::tell(Id::from(7), Progress::new(50).total(100).message("half"));
    assert_eq!(json(told), r#"{"progressToken":7,"progress":50,"total":100,"message":"half"}"#);
    assert_eq!(json(Annotations::new().priority(0.25)), r#"{"priority":0.25}"#);
}

#[test]
fn a_number_that_json_has_no_word_for_is_an_error() {
    assert!(serde_json::to_string(&ProgressParams::new(Id::from(1), f64::NAN)).is_err());
}

#[test]
fn one_piece_of_a_conversation_is_written_alone() {
    let message = SamplingMessage::user("a");
    assert_eq!(json(message), r#"{"role":"user","content":{"type":"text","text":"a"}}"#);
    let message = SamplingMessage::new(Role::User, ["a".into(), "b".into()]);
    assert!(json(message).starts_with(r#"{"role":"user","content":[{"#));
}

#[test]
fn a_result_that_asks_for_input_says_so() {
    let mut requests = InputRequests::new();
    let form = RequestedSchema::form().field("name", StringSchema::new());
    requests.push("who", ElicitParams::from(ElicitFormParams::new("Who?", form.to_raw())));
    let result = InputRequiredResult::new().input_requests(requests).request_state("s");
    assert_eq!(
        json(result),
        r#"{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}},"requestState":"s"}"#
    );
}

#[test]
fn a_completion_is_cut_to_what_an_answer_may_have() {
    let completion = Completion::of_many((0..101).map(|number| number.to_string()));
    assert_eq!((completion.values.len(), completion.total, completion.has_more), (100, Some(101), true));
    assert_eq!(json(Completion::of_many(["a"])), r#"{"values":["a"],"total":1}"#);
}

#[test]
fn levels_are_compared_by_how_grave_they_are() {
    assert!(LoggingLevel::Error.is_at_least(&LoggingLevel::Warning));
    assert!(!LoggingLevel::Info.is_at_least(&LoggingLevel::Notice));
    assert!(LoggingLevel::from("loud").is_at_least(&LoggingLevel::Emergency));
    assert!(LoggingLevel::Debug.is_at_least(&LoggingLevel::from("loud")));
}

#[test]
fn what_the_reader_kept_beside_the_members_is_not_written() {
    let text = r#"{"tools":[{"name":"a","inputSchema":{}},5]}"#;
    let list = ListToolsResult::read(&raw(text)).unwrap();
    assert!(list.tools[0].raw.is_some());
    assert_eq!(json(list), r#"{"tools":[{"name":"a","inputSchema":{}}]}"#);
}

#[test]
fn an_answer_of_the_user_reads_as_a_type_only_if_it_was_accepted() {
    let accepted = ElicitResult::accept(raw(r#"{"a":1}"#));
    let expected = Some([("a".to_owned(), 1)].into());
    assert_eq!(accepted.parse::<std::collections::BTreeMap<String, i64>>().unwrap(), expected);
    assert_eq!(ElicitResult::decline().parse::<i64>().unwrap(), None);
}
