//! `diglot list`: what a server offers.

use anstyle::Style;
use diglot::client::ToolList;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::List;
use crate::connect::{Session, open};
use crate::failure::Failure;
use crate::output::{BOLD, DIM, Ending, Table, columns, first_line, json_line, warn};

/// The lists to choose from.
const LISTS: &[&str] = &["tools"];

/// Lists a server's tools.
pub(crate) async fn run(list: &List, session: &Session) -> Result<Ending, Failure> {
    let target = read_words(&list.words, !list.options.child.is_empty())?;
    let connected = open(session, target, &list.options).await?;
    let tools = connected.client.list_tools().await.map_err(|error| connected.failure(&error))?;
    let look = &list.options.look;
    tools.left_out.iter().for_each(|left_out| warn(look.color, &left_out.to_string()));
    Ok(Ending::good(match look.json {
        true => told_to_scripts(&tools),
        false => told(&tools, columns()),
    }))
}

/// Reads `[TARGET] [WHAT]`; with a child process there is no TARGET.
fn read_words(words: &[String], has_child: bool) -> Result<Option<&str>, Failure> {
    let mut words = words.iter().map(String::as_str);
    let target = if has_child { None } else { words.next() };
    if let Some(what) = words.next()
        && !LISTS.contains(&what)
    {
        return Err(Failure::usage(format!(
            "{what:?} cannot be listed; possible values: {}",
            LISTS.join(", ")
        )));
    }
    match words.next() {
        Some(extra) => Err(Failure::usage(format!("{extra:?} is one word too many"))),
        None => Ok(target),
    }
}

fn told_to_scripts(tools: &ToolList) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Report<'a> {
        tools: Vec<&'a RawValue>,
        left_out: Vec<LeftOut<'a>>,
    }
    #[derive(Serialize)]
    struct LeftOut<'a> {
        index: usize,
        name: Option<&'a str>,
        reason: &'static str,
    }
    let left_out = tools.left_out.iter().map(|item| LeftOut {
        index: item.index,
        name: item.name.as_deref(),
        reason: item.reason,
    });
    json_line(&Report {
        tools: tools.iter().filter_map(|tool| tool.raw.as_deref()).collect(),
        left_out: left_out.collect(),
    })
}

fn told(tools: &ToolList, width: usize) -> String {
    if tools.is_empty() {
        return format!("{DIM}no tools{DIM:#}\n");
    }
    let mut table = Table::default();
    for tool in tools.iter() {
        let about = tool.description.as_deref().map(first_line).filter(|about| !about.is_empty());
        let about = match (tool.title.as_deref().map(first_line), about) {
            (Some(title), Some(about)) if title != about => format!("{title}: {about}"),
            (title, about) => about.or(title).unwrap_or_default(),
        };
        table.row([(first_line(&tool.name), BOLD), (about, Style::new())]);
    }
    table.render(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str], has_child: bool) -> Result<Option<String>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let target = read_words(&words, has_child).map_err(|failure| failure.message)?;
        Ok(target.map(str::to_owned))
    }

    #[test]
    fn words_are_a_target_and_what_to_list() {
        assert_eq!(read(&["http://a", "tools"], false), Ok(Some("http://a".into())));
        assert_eq!(read(&["tools"], false), Ok(Some("tools".into())));
        assert_eq!(read(&["tools"], true), Ok(None));
        assert_eq!(read(&[], true), Ok(None));
    }

    #[test]
    fn what_cannot_be_listed_is_refused_with_what_can() {
        assert!(read(&["a", "prompts"], false).unwrap_err().ends_with("possible values: tools"));
        assert!(read(&["tools", "tools"], true).is_err());
    }
}
