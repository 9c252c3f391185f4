//! The tools of the demo server, but for the one that moves its clock.

use std::time::Duration;

use diglot::server::Json;
use diglot::types::{LoggingLevel, ToolAnnotations};
use diglot::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::icon::icon;

#[derive(Deserialize, JsonSchema)]
struct Pair {
    /// One of the numbers.
    a: i64,
    /// The other one.
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Makes `add`, whose result is text and structure: the bare number, and one that has its name.
pub(super) fn add() -> Tool {
    let add = |Pair { a, b }: Pair, _: Context| {
        let sum = a.checked_add(b).map(|sum| Json(Sum { sum }).with_text(sum.to_string()));
        std::future::ready(sum.ok_or_else(|| ToolError::new("the sum does not fit into 64 bits")))
    };
    Tool::new("add", add)
        .title("Add")
        .description("Adds two integers.")
        .annotations(harmless())
        .icons([icon("#272", "+")])
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What is said again.
    text: String,
}

/// Makes `echo`, whose result is text alone.
pub(super) fn echo() -> Tool {
    Tool::new("echo", |Echo { text }: Echo, _: Context| std::future::ready(text))
        .title("Echo")
        .description("Says the text again.")
        .annotations(harmless())
        .icons([icon("#727", "…")])
}

#[derive(Deserialize, JsonSchema)]
struct Ask {
    /// What the user is asked.
    #[serde(default = "go_on")]
    question: String,
}

fn go_on() -> String {
    "Go on?".to_owned()
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Whether you agree.
    yes: bool,
}

/// Makes `confirm`, which asks the user in the way of the client's era.
pub(super) fn confirm() -> Tool {
    let confirm = async |Ask { question }: Ask, cx: Context| -> Result<&'static str, ToolError> {
        let Confirm { yes } = cx.elicit("confirm", question).await?;
        Ok(if yes { "confirmed" } else { "not confirmed" })
    };
    Tool::new("confirm", confirm)
        .title("Confirm")
        .description("Asks the user a question that yes or no answers.")
        .annotations(harmless())
        .icons([icon("#722", "?")])
}

#[derive(Deserialize, JsonSchema)]
#[serde(default)]
struct Count {
    /// How far to count.
    #[schemars(range(min = 1, max = 1000))]
    to: u16,
    /// The pause before each number, in milliseconds.
    #[schemars(range(max = 10_000))]
    pause: u16,
}

impl Default for Count {
    fn default() -> Self {
        Self { to: 5, pause: 200 }
    }
}

/// Makes `count`, which takes its time and tells its progress.
pub(super) fn count() -> Tool {
    let count = async |Count { to, pause }: Count, cx: Context| {
        for number in 1..=to {
            tokio::time::sleep(Duration::from_millis(pause.into())).await;
            let message = format!("{number} of {to}");
            cx.progress(number.into(), Some(to.into()), Some(&message));
            cx.log(LoggingLevel::Debug, Some("count"), message);
        }
        format!("counted to {to}")
    };
    Tool::new("count", count)
        .title("Count")
        .description("Counts slowly and tells how far it has come.")
        .annotations(harmless())
        .icons([icon("#277", "123")])
}

#[derive(Deserialize, JsonSchema)]
struct Fail {
    /// What the tool complains about.
    #[serde(default = "told_to")]
    message: String,
}

fn told_to() -> String {
    "this tool always fails".to_owned()
}

/// Makes `fail`, which reports an error to the model.
pub(super) fn fail() -> Tool {
    let fail =
        |Fail { message }: Fail, _: Context| std::future::ready(Err::<String, _>(ToolError::new(message)));
    Tool::new("fail", fail)
        .title("Fail")
        .description("Reports an error.")
        .annotations(harmless())
        .icons([icon("#a22", "!")])
}

/// Says that a tool changes nothing and stays at home.
fn harmless() -> ToolAnnotations {
    ToolAnnotations::new().read_only_hint(true).open_world_hint(false)
}
