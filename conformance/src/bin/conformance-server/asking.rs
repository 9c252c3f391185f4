//! Tools that ask the client in the middle of a call: its user, its model, its roots.
//!
//! They are written once for both eras; the scenarios of each era call some of them.

use diglot::types::{
    BooleanSchema, CreateMessageParams, ElicitFormParams, ElicitResult, EnumOption, LegacyTitledEnum,
    NumberKind, NumberSchema, RequestedSchema, SamplingMessage, StringSchema, TitledMultiSelect,
    TitledSingleSelect, UntitledMultiSelect, UntitledSingleSelect,
};
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

/// The name of the only question of a tool.
const QUESTION: &str = "question";

/// Adds the tools.
pub(crate) fn add_to(server: Server) -> Server {
    server
        .tool(Tool::new("test_sampling", sample).description("Asks the client's model"))
        .tool(Tool::new("test_elicitation", elicit).description("Asks the user for a name and an address"))
        .tool(
            Tool::new("test_elicitation_sep1034_defaults", defaults)
                .description("Asks the user with a form that has defaults"),
        )
        .tool(
            Tool::new("test_elicitation_sep1330_enums", choices)
                .description("Asks the user with every kind of choice"),
        )
        .tool(Tool::new("test_missing_capability", sampled).description("Needs the capability sampling"))
        .tool(Tool::new("test_streaming_elicitation", streaming).description("Tells progress, then asks"))
}

/// Asks the client's model and returns what it says.
pub(crate) async fn ask_model(cx: &Context, name: &str, prompt: String) -> Result<String, ToolError> {
    let params = CreateMessageParams::new([SamplingMessage::user(prompt)], 100u64);
    let answer = cx.sample(name, params).await?;
    Ok(answer.content.iter().filter_map(|piece| piece.as_text()).collect())
}

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    /// What the model is asked.
    prompt: String,
}

async fn sample(Prompt { prompt }: Prompt, cx: Context) -> Result<String, ToolError> {
    Ok(format!("LLM response: {}", ask_model(&cx, QUESTION, prompt).await?))
}

async fn sampled(cx: Context) -> Result<String, ToolError> {
    ask_model(&cx, QUESTION, "Say anything.".to_owned()).await
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// What the user is asked.
    message: String,
}

async fn elicit(Message { message }: Message, cx: Context) -> Result<String, ToolError> {
    let form = RequestedSchema::form()
        .field("username", StringSchema::new().description("User's response"))
        .field("email", StringSchema::new().description("User's email address"));
    let answer = ask_user(&cx, &message, form).await?;
    Ok(told("User response", &answer))
}

async fn streaming(cx: Context) -> Result<String, ToolError> {
    cx.progress(1.0, None, Some("about to ask"));
    let form = RequestedSchema::form().field("name", StringSchema::new());
    Ok(told("User response", &ask_user(&cx, "What is your name?", form).await?))
}

async fn ask_user(cx: &Context, message: &str, form: RequestedSchema) -> Result<ElicitResult, ToolError> {
    cx.elicit_form(QUESTION, ElicitFormParams::new(message, form.to_raw())).await
}

fn told(what: &str, answer: &ElicitResult) -> String {
    let content = answer.content.as_ref().map_or("{}", |content| content.get());
    format!("{what}: action={}, content={content}", answer.action.as_str())
}

async fn defaults(cx: Context) -> Result<String, ToolError> {
    let mut score = NumberSchema::new(NumberKind::Number);
    score.default = serde_json::Number::from_f64(95.5);
    let status = UntitledSingleSelect::new(words(["active", "inactive", "pending"]));
    let form = RequestedSchema::form()
        .optional_field("name", StringSchema::new().default("John Doe"))
        .optional_field("age", NumberSchema::new(NumberKind::Integer).default(30))
        .optional_field("score", score)
        .optional_field("status", status.default("active"))
        .optional_field("verified", BooleanSchema::new().default(true));
    let answer = ask_user(&cx, "Please review and update the form", form).await?;
    Ok(told("Elicitation completed", &answer))
}

async fn choices(cx: Context) -> Result<String, ToolError> {
    let options = || words(["option1", "option2", "option3"]);
    let legacy = LegacyTitledEnum::new(words(["opt1", "opt2", "opt3"])).names(words([
        "Option One",
        "Option Two",
        "Option Three",
    ]));
    let form = RequestedSchema::form()
        .optional_field("untitledSingle", UntitledSingleSelect::new(options()))
        .optional_field("titledSingle", TitledSingleSelect::new(titled("Option")))
        .optional_field("legacyEnum", legacy)
        .optional_field("untitledMulti", UntitledMultiSelect::new(options()))
        .optional_field("titledMulti", TitledMultiSelect::new(titled("Choice")));
    let answer = ask_user(&cx, "Please choose", form).await?;
    Ok(told("Elicitation completed", &answer))
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

fn titled(kind: &str) -> Vec<EnumOption> {
    let options = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
    options.map(|(value, place)| EnumOption::new(value, format!("{place} {kind}"))).to_vec()
}
