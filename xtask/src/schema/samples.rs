//! What the builders make is valid by the schemas.

use diglot_proto::jsonrpc::Id;
use diglot_proto::types::*;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::document::Document;
use super::failure::Failure;

const ALL: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const SINCE_2025_06_18: &[&str] = &["2025-06-18", "2025-11-25", "2026-07-28"];
const SINCE_2025_11_25: &[&str] = &["2025-11-25", "2026-07-28"];
const ONLY_2025_11_25: &[&str] = &["2025-11-25"];
const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN: &[&str] = &["2026-07-28"];

/// A value that a builder made, with the definition and the revisions by which it must be valid.
struct Sample {
    definition: &'static str,
    revisions: &'static [&'static str],
    value: Value,
}

/// Checks every sample by every revision that it is for.
pub fn check(documents: &[Document]) -> (usize, Vec<Failure>) {
    let samples = samples();
    let mut failures = Vec::new();
    for sample in &samples {
        for document in documents.iter().filter(|own| sample.revisions.contains(&own.revision.as_str())) {
            let faults = document.faults(sample.definition, &sample.value);
            let failure = |what| Failure::new(&document.revision, sample.definition, "(built)", what);
            failures.extend(faults.into_iter().map(failure));
        }
    }
    (samples.len(), failures)
}

fn samples() -> Vec<Sample> {
    [listed(), returned(), asked(), opened(), told()].into_iter().flatten().collect()
}

fn sample(definition: &'static str, revisions: &'static [&'static str], built: impl Serialize) -> Sample {
    let value = serde_json::to_value(built).expect("samples hold texts and finite numbers");
    Sample { definition, revisions, value }
}

/// Adds what the answering layer writes into every modern result.
fn complete(mut sample: Sample) -> Sample {
    sample.value["resultType"] = json!("complete");
    sample
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a value serialises")
}

fn icon() -> Icon {
    Icon::new("https://example.com/i.png").mime_type("image/png").sizes(["48x48".into()]).theme("dark")
}

fn annotations() -> Annotations {
    Annotations::new().audience([Role::User]).priority(1).last_modified("2026-07-28T00:00:00Z")
}

fn tool() -> Tool {
    Tool::new("add", raw(&json!({ "type": "object" })))
        .title("Add")
        .description("Adds")
        .output_schema(raw(&json!({ "type": "object" })))
        .annotations(ToolAnnotations::new().title("Add").read_only_hint(true).destructive_hint(false))
        .execution(ToolExecution::new().task_support(TaskSupport::Optional))
        .icons([icon()])
        .meta(raw(&json!({ "a": 1 })))
}

fn listed() -> Vec<Sample> {
    let argument = PromptArgument::new("code").title("Code").description("The code").required(true);
    let prompt = Prompt::new("review").title("Review").arguments([argument]).icons([icon()]);
    let resource = Resource::new("file:///a", "a").title("A").size(3u64).annotations(annotations());
    let template = ResourceTemplate::new("file:///{a}", "a").mime_type("text/plain").icons([icon()]);
    let tools = ListToolsResult::new([tool()]).next_cursor("2").ttl_ms(5u64).cache_scope(CacheScope::Public);
    let page = ListResourcesResult::new([resource.clone()]).ttl_ms(0u64).cache_scope(CacheScope::Private);
    let prompts = ListPromptsResult::new([prompt.clone()]).ttl_ms(0u64).cache_scope(CacheScope::Private);
    let templates =
        ListResourceTemplatesResult::new([template.clone()]).ttl_ms(0u64).cache_scope(CacheScope::Private);
    vec![
        sample("Tool", ALL, tool()),
        sample("Prompt", ALL, prompt),
        sample("Resource", ALL, resource),
        sample("ResourceTemplate", ALL, template),
        complete(sample("ListToolsResult", ALL, tools)),
        complete(sample("ListResourcesResult", ALL, page)),
        complete(sample("ListPromptsResult", ALL, prompts)),
        complete(sample("ListResourceTemplatesResult", ALL, templates)),
        sample("ListRootsResult", ALL, ListRootsResult::new([Root::new("file:///a").name("A")])),
    ]
}

fn returned() -> Vec<Sample> {
    let embedded = Content::resource(ResourceContents::text("file:///a", "a").mime_type("text/plain"));
    let bytes = Content::resource(ResourceContents::blob("file:///b", "YQ=="));
    let text = TextContent::new("hello").annotations(annotations());
    let everywhere = [text.into(), Content::image("YQ==", "image/png"), embedded, bytes];
    let newer = [Content::audio("YQ==", "audio/wav"), Content::resource_link("file:///a", "a")];
    let messages = [PromptMessage::user("hello"), PromptMessage::assistant(everywhere[1].clone())];
    let contents = ReadResourceResult::new([ResourceContents::text("file:///a", "a")]);
    let contents = contents.ttl_ms(1u64).cache_scope(CacheScope::Private);
    let structured = ToolResult::from("1").structured(raw(&json!({ "sum": 1 })));
    let many = CompleteResult::new(Completion::of_many((0..300).map(|number| number.to_string())));
    vec![
        complete(sample("CallToolResult", ALL, ToolResult::new(everywhere))),
        complete(sample("CallToolResult", ALL, ToolResult::failed("no"))),
        complete(sample("CallToolResult", SINCE_2025_06_18, ToolResult::new(newer))),
        complete(sample("CallToolResult", SINCE_2025_06_18, structured)),
        complete(sample("GetPromptResult", ALL, GetPromptResult::new(messages).description("Review"))),
        complete(sample("ReadResourceResult", ALL, contents)),
        complete(sample("CompleteResult", ALL, many)),
        sample("CreateTaskResult", ONLY_2025_11_25, CreateTaskResult::new(task())),
        sample("ListTasksResult", ONLY_2025_11_25, ListTasksResult::new([task()])),
    ]
}

fn task() -> Task {
    let at = "2025-11-25T00:00:00Z";
    Task::new("t", TaskStatus::Working, at, at, None).poll_interval(500u64).status_message("at work")
}

fn form() -> RequestedSchema {
    let titled = [EnumOption::new("#f00", "Red"), EnumOption::new("#0f0", "Green")];
    let number = NumberSchema::new(NumberKind::Integer).minimum(1).maximum(9).default(5);
    let text = StringSchema::new().title("Mail").format(StringFormat::Email).min_length(3u64).default("a@b");
    RequestedSchema::form()
        .field("mail", text)
        .field("sure", BooleanSchema::new().default(false))
        .optional_field("count", number)
        .optional_field("word", UntitledSingleSelect::new(["a".into(), "b".into()]))
        .optional_field("colour", TitledSingleSelect::new(titled.clone()).default("#f00"))
        .optional_field("words", UntitledMultiSelect::new(vec!["a".into()]).max_items(1u64))
        .optional_field("colours", TitledMultiSelect::new(titled.to_vec()).default(["#f00".into()]))
        .optional_field("old", LegacyTitledEnum::new(["a".into()]).names(["A".into()]))
}

fn sampling() -> CreateMessageParams {
    let hints = ModelPreferences::new().hints([ModelHint::new().name("small")]).cost_priority(0.5);
    CreateMessageParams::new([SamplingMessage::user("hello")], 100u64)
        .model_preferences(hints)
        .system_prompt("Be brief.")
        .include_context(IncludeContext::None)
        .temperature(1)
        .stop_sequences(["end".into()])
        .metadata(raw(&json!({})))
}

fn asked() -> Vec<Sample> {
    let form = ElicitFormParams::new("Who?", form().to_raw()).mode(ElicitMode::Form);
    let url = ElicitUrlParams::new("Please log in", "https://example.com").elicitation_id("e");
    let mut requests = InputRequests::new();
    requests.push("who", ElicitParams::from(form.clone()));
    requests.push("say", sampling());
    requests.push("where", InputRequest::ListRoots);
    let required = InputRequiredResult::new().input_requests(requests).request_state("s");
    let used = ToolUseContent::new("1", "add", raw(&json!({ "a": 1 })));
    let result = ToolResultContent::new("1", [Content::text("2")]).is_error(true);
    let talk = [
        SamplingMessage::assistant(SamplingContent::from(used)),
        SamplingMessage::user(SamplingContent::from(result)),
    ];
    let with_tools = CreateMessageParams::new(talk, 5u64)
        .tools([tool()])
        .tool_choice(ToolChoice::new().mode(ToolChoiceMode::Auto));
    let said = CreateMessageResult::new(Role::Assistant, ["hello".into()], "model").stop_reason("endTurn");
    let request = |params: Value| json!({ "method": "sampling/createMessage", "params": params });
    let old = serde_json::to_value(sampling()).map(request).expect("samples serialise");
    vec![
        sample("ElicitRequestFormParams", SINCE_2025_11_25, form),
        sample("ElicitRequestURLParams", SINCE_2025_11_25, url),
        sample("ElicitResult", SINCE_2025_06_18, ElicitResult::accept(raw(&json!({ "mail": "a@b" })))),
        sample("ElicitResult", SINCE_2025_06_18, ElicitResult::decline()),
        sample("InputRequiredResult", MODERN, required),
        sample("CreateMessageRequestParams", SINCE_2025_11_25, with_tools),
        sample("CreateMessageRequest", &["2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"], old),
        sample("CreateMessageResult", ALL, said),
    ]
}

fn opened() -> Vec<Sample> {
    let name = Implementation::new("demo", "1.0.0").title("Demo").website_url("https://example.com");
    let server = ServerCapabilities::new()
        .logging(Members::new())
        .completions(Members::new())
        .prompts(ListCapability::new())
        .resources(ResourcesCapability::new().subscribe(true))
        .tools(ListCapability::new().list_changed(true));
    let client = ClientCapabilities::new()
        .roots(ListCapability::new().list_changed(true))
        .sampling(SamplingCapability::new().tools(Members::new()))
        .elicitation(ElicitationCapability::new().form(Members::new()));
    let discovered = DiscoverResult::new(["2026-07-28".into()], server.clone())
        .instructions("Use it.")
        .ttl_ms(1u64)
        .cache_scope(CacheScope::Public);
    let begin = InitializeParams::new("2025-11-25", client.clone(), name.clone());
    vec![
        sample("ServerCapabilities", ALL, server.clone()),
        sample("ClientCapabilities", ALL, client),
        sample("Implementation", ALL, name.clone().icons([icon()])),
        complete(sample("DiscoverResult", MODERN, discovered)),
        sample("InitializeRequestParams", ONLY_2025_11_25, begin),
        sample("InitializeResult", LEGACY, InitializeResult::new("2025-11-25", server, name)),
    ]
}

fn told() -> Vec<Sample> {
    let progress = ProgressParams::tell(Id::from("t"), Progress::new(1).total(2).message("half"));
    let filter =
        SubscriptionFilter::new().tools_list_changed(true).resource_subscriptions(["file:///a".into()]);
    vec![
        sample("ProgressNotificationParams", SINCE_2025_11_25, progress),
        sample(
            "CancelledNotificationParams",
            SINCE_2025_11_25,
            CancelledParams::of_request(3).reason("late"),
        ),
        sample(
            "LoggingMessageNotificationParams",
            SINCE_2025_11_25,
            LogMessageParams::new(LoggingLevel::Info, raw(&json!("up"))).logger("main"),
        ),
        sample(
            "ResourceUpdatedNotificationParams",
            SINCE_2025_11_25,
            ResourceUpdatedParams::new("file:///a"),
        ),
        sample(
            "SubscriptionsAcknowledgedNotificationParams",
            MODERN,
            AcknowledgedParams::new(filter.clone()),
        ),
        sample("SubscriptionFilter", MODERN, filter),
        sample(
            "CallToolRequestParams",
            ONLY_2025_11_25,
            CallToolParams::new("add").arguments(raw(&json!({}))),
        ),
        sample("SetLevelRequestParams", ONLY_2025_11_25, SetLevelParams::new(LoggingLevel::Debug)),
    ]
}
