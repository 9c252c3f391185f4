//! `diglot complete`: how an argument of a prompt, or a variable of a template, may go on.

use std::collections::BTreeMap;

use diglot::types::{
    CompleteArgument, CompleteContext, CompleteParams, CompleteResult, Completion, PromptReference,
    Reference, ResourceTemplate, ResourceTemplateReference,
};
use serde_json::value::to_raw_value;

use crate::args::Complete;
use crate::assignment;
use crate::closest::closest;
use crate::connect::{Connected, Session, open};
use crate::failure::{Failure, Kind};
use crate::output::{DIM, Ending, note, plain, raw_line, warn};
use crate::prompt;

/// Whose argument is to go on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Whose<'a> {
    /// A prompt's, by its name.
    Prompt(&'a str),
    /// A template's, by its address.
    Template(&'a str),
}

/// What the words say.
#[derive(Debug, PartialEq)]
struct Words<'a> {
    target: Option<&'a str>,
    whose: Whose<'a>,
    argument: &'a str,
    value: &'a str,
}

/// Asks for completions and tells them one a line.
pub(crate) async fn run(complete: &Complete, session: &Session) -> Result<Ending, Failure> {
    let words = read_words(&complete.words, !complete.options.child.is_empty())?;
    let with: Vec<&str> = complete.with.iter().map(String::as_str).collect();
    let params = params(&words, &assignment::texts(&with)?);
    let connected = open(session, words.target, &complete.options).await?;
    let params = to_raw_value(&params).map_err(|error| Failure::usage(error.to_string()))?;
    let raw = match connected.client.request("completion/complete", Some(params)).await {
        Ok(raw) => raw,
        Err(error) => {
            let failure = connected.failure(&error);
            return Err(match &error {
                diglot::Error::Rpc(_) => match what_is_wrong(&connected, &words).await {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                },
                _ => failure,
            });
        }
    };
    let look = &complete.options.look;
    let read = CompleteResult::read(&raw).map(|result| result.completion);
    let completion = read.map_err(|fault| {
        let wrong = format!("the server's completion cannot be read: {}", fault.reason);
        Failure::new(Kind::ProtocolError, wrong).with(&connected.target)
    })?;
    if completion.values.is_empty()
        && let Some(hint) = what_is_wrong(&connected, &words).await
    {
        warn(look.color, &hint);
    }
    if look.json {
        return Ok(Ending::good(raw_line(Some(&raw))));
    }
    if let Some(rest) = rest(&completion) {
        note(look.color, &format!("{DIM}{rest}{DIM:#}\n"));
    }
    Ok(Ending::good(completion.values.iter().map(|value| one_line(value)).collect::<String>()))
}

/// Reads `[TARGET] prompt|template NAME ARGUMENT [VALUE]`; with a child process there is no TARGET.
fn read_words(words: &[String], has_child: bool) -> Result<Words<'_>, Failure> {
    let mut words = words.iter().map(String::as_str);
    let target = if has_child { None } else { words.next() };
    if target.is_none() && !has_child {
        return Err(Failure::usage("there is no target"));
    }
    let kind = words.next().unwrap_or_default();
    let (Some(name), Some(argument)) = (words.next(), words.next()) else {
        return Err(Failure::usage(
            "a completion is of prompt NAME ARGUMENT [VALUE], or of template URI VARIABLE [VALUE]",
        ));
    };
    let whose = match kind {
        "prompt" => Whose::Prompt(name),
        "template" => Whose::Template(name),
        other => {
            return Err(Failure::usage(format!(
                "{other:?} has nothing to complete; possible values: prompt, template"
            )));
        }
    };
    let value = words.next().unwrap_or_default();
    match words.next() {
        Some(extra) => Err(Failure::usage(format!("{extra:?} is one word too many"))),
        None => Ok(Words { target, whose, argument, value }),
    }
}

fn params(words: &Words<'_>, with: &BTreeMap<&str, &str>) -> CompleteParams {
    let reference = match words.whose {
        Whose::Prompt(name) => Reference::Prompt(PromptReference::new(name)),
        Whose::Template(uri) => Reference::Resource(ResourceTemplateReference::new(uri)),
    };
    let params = CompleteParams::new(reference, CompleteArgument::new(words.argument, words.value));
    if with.is_empty() {
        return params;
    }
    let settled: BTreeMap<String, String> =
        with.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    params.context(CompleteContext::new().arguments(settled))
}

/// Returns a value on a line of its own, for scripts that read lines.
fn one_line(value: &str) -> String {
    format!("{}\n", plain(value).replace('\n', " "))
}

/// Says how many values there are beside those that came.
fn rest(completion: &Completion) -> Option<String> {
    let told = completion.values.len() as u64;
    match completion.total.filter(|total| *total > told) {
        Some(total) => Some(format!("{told} of {total}; type more of the value to see the others")),
        None if completion.has_more => {
            Some("there are more; type more of the value to see the others".to_owned())
        }
        None => None,
    }
}

/// Asks whether the server lists what is to be completed, and says what may have been meant.
async fn what_is_wrong(connected: &Connected, words: &Words<'_>) -> Option<String> {
    match words.whose {
        Whose::Prompt(name) => {
            let prompts = connected.client.list_prompts().await.ok()?;
            let Some(prompt) = prompts.find(name) else { return Some(prompt::not_listed(&prompts, name)) };
            let names: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
            unknown_argument("prompt", words.argument, &names)
        }
        Whose::Template(uri) => {
            let templates = connected.client.list_resource_templates().await.ok()?;
            match templates.find(uri) {
                Some(template) => {
                    unknown_argument("template", words.argument, &variables(&template.uri_template))
                }
                None => Some(not_listed(&templates, uri)),
            }
        }
    }
}

fn unknown_argument(kind: &str, name: &str, names: &[&str]) -> Option<String> {
    if names.contains(&name) {
        return None;
    }
    Some(match closest(name, names).as_slice() {
        [] if names.is_empty() => format!("the {kind} takes nothing that could be completed"),
        [] => format!("the {kind} has no {name:?}; it takes {}", names.join(", ")),
        close => format!("the {kind} has no {name:?}; did you mean {}?", close.join(" or ")),
    })
}

fn not_listed(templates: &[ResourceTemplate], uri: &str) -> String {
    let uris: Vec<&str> = templates.iter().map(|template| template.uri_template.as_str()).collect();
    match closest(uri, &uris).as_slice() {
        [] if uris.is_empty() => "the server lists no templates at all".to_owned(),
        [] => format!("the server lists no template {uri:?}; diglot list TARGET templates shows them"),
        close => format!("the server lists no template {uri:?}; did you mean {}?", close.join(" or ")),
    }
}

/// Returns the variables of a template (RFC 6570), without operators and modifiers.
fn variables(template: &str) -> Vec<&str> {
    let expressions = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let names = expressions.flat_map(|(expression, _)| {
        expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(',')
    });
    names.map(|name| name.split([':', '*']).next().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str], has_child: bool) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read_words(&words, has_child).map(|words| format!("{words:?}")).map_err(|failure| failure.message)
    }

    #[test]
    fn the_words_name_what_goes_on() {
        let words = ["prompt", "greet", "name", "A"].map(str::to_owned);
        let expected = Words { target: None, whose: Whose::Prompt("greet"), argument: "name", value: "A" };
        assert_eq!(read_words(&words, true).unwrap(), expected);
        let words = ["http://a", "template", "a://{b}", "b"].map(str::to_owned);
        let expected =
            Words { target: Some("http://a"), whose: Whose::Template("a://{b}"), argument: "b", value: "" };
        assert_eq!(read_words(&words, false).unwrap(), expected);
        assert!(read(&["tool", "a", "b"], true).unwrap_err().ends_with("possible values: prompt, template"));
        for words in [&["prompt", "a"][..], &[], &["prompt", "a", "b", "c", "d"]] {
            assert!(read(words, true).is_err(), "{words:?}");
        }
    }

    #[test]
    fn what_is_settled_goes_with_the_question() {
        let words = Words { target: None, whose: Whose::Prompt("p"), argument: "a", value: "v" };
        let written = serde_json::to_string(&params(&words, &BTreeMap::from([("k", "1")]))).unwrap();
        assert_eq!(
            written,
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"k":"1"}}}"#
        );
    }

    #[test]
    fn the_variables_of_a_template_are_known() {
        assert_eq!(variables("a://{b}/{+c,d:3}{?e*}"), ["b", "c", "d", "e"]);
        assert_eq!(variables("a://b{"), Vec::<&str>::new());
    }

    #[test]
    fn an_unknown_argument_is_told_with_the_known_ones() {
        let told = |name, names: &[&str]| unknown_argument("prompt", name, names);
        assert_eq!(told("name", &["name"]), None);
        assert_eq!(told("nmae", &["name"]).unwrap(), "the prompt has no \"nmae\"; did you mean name?");
        assert_eq!(told("x", &["name", "style"]).unwrap(), "the prompt has no \"x\"; it takes name, style");
        assert_eq!(told("x", &[]).unwrap(), "the prompt takes nothing that could be completed");
    }

    #[test]
    fn more_values_are_said_to_be_there() {
        assert_eq!(rest(&Completion::new(["a".to_owned()])), None);
        assert!(rest(&Completion::new(["a".to_owned()]).total(9u64)).unwrap().starts_with("1 of 9"));
        assert!(rest(&Completion::new(["a".to_owned()]).has_more(true)).is_some());
    }
}
