//! `diglot prompt`: a prompt of a server, filled by its arguments.

use std::collections::BTreeMap;

use diglot::types::{GetPromptResult, Prompt as Listed};

use crate::args::Prompt;
use crate::assignment;
use crate::closest::closest;
use crate::connect::{Connected, Session, open_asking};
use crate::content::Teller;
use crate::failure::Failure;
use crate::output::{Ending, raw_line};

/// The words of a prompt: the server, the prompt, its arguments.
#[derive(Debug, PartialEq)]
struct Words<'a> {
    target: Option<&'a str>,
    name: &'a str,
    arguments: BTreeMap<&'a str, &'a str>,
}

/// Gets a prompt and tells its messages.
pub(crate) async fn run(prompt: &Prompt, session: &Session) -> Result<Ending, Failure> {
    let words = read_words(&prompt.words, !prompt.options.child.is_empty())?;
    let connected = open_asking(session, words.target, &prompt.options, &prompt.asking).await?;
    let arguments = serde_json::to_value(&words.arguments).unwrap_or_default();
    let result = match connected.client.prompt(words.name, arguments).await {
        Ok(result) => result,
        Err(error) => {
            let failure = connected.failure(&error);
            return Err(match (&error, failure.hint.is_some()) {
                (diglot::Error::Rpc(_), false) => advised(failure, &connected, &words).await,
                _ => failure,
            });
        }
    };
    let look = &prompt.options.look;
    if look.json {
        return Ok(Ending::good(raw_line(result.raw.as_deref())));
    }
    let teller = Teller::new(words.name, prompt.output.as_deref(), look.color);
    let (stdout, is_incomplete) = told(teller, &result).end();
    Ok(Ending { stdout, failure: None, exit: u8::from(is_incomplete) })
}

/// Reads `[TARGET] NAME [KEY=VALUE…]`; with a child process there is no TARGET.
fn read_words(words: &[String], has_child: bool) -> Result<Words<'_>, Failure> {
    let mut words = words.iter().map(String::as_str);
    let target = if has_child { None } else { words.next() };
    let Some(name) = words.next() else {
        return Err(match target {
            None if !has_child => Failure::usage("there is no target and no prompt"),
            _ => Failure::usage("there is no prompt to get").hint("diglot list TARGET prompts shows them"),
        });
    };
    let rest: Vec<&str> = words.collect();
    Ok(Words { target, name, arguments: assignment::texts(&rest)? })
}

fn told<'a>(mut teller: Teller<'a>, result: &GetPromptResult) -> Teller<'a> {
    let mut speaker = None;
    for message in &result.messages {
        if speaker != Some(&message.role) {
            if speaker.is_some() {
                teller.line("");
            }
            teller.line(&format!("{}:", message.role.as_str()));
            speaker = Some(&message.role);
        }
        teller.piece(&message.content);
    }
    teller
}

/// Asks whether the server lists the prompt, and says what may have been meant, or what it takes.
async fn advised(failure: Failure, connected: &Connected, words: &Words<'_>) -> Failure {
    let Ok(prompts) = connected.client.list_prompts().await else { return failure };
    let hint = match prompts.find(words.name) {
        Some(prompt) => what_it_takes(prompt, &words.arguments),
        None => Some(not_listed(&prompts, words.name)),
    };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Says that the server lists no prompt of a name, and which ones are close.
pub(crate) fn not_listed(prompts: &[Listed], name: &str) -> String {
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    match closest(name, &names).as_slice() {
        [] if names.is_empty() => "the server lists no prompts at all".to_owned(),
        [] => format!("the server lists no prompt {name:?}; diglot list TARGET prompts shows them"),
        names => format!("the server lists no prompt {name:?}; did you mean {}?", names.join(" or ")),
    }
}

/// Says which arguments are missing or unknown, where some are.
fn what_it_takes(prompt: &Listed, given: &BTreeMap<&str, &str>) -> Option<String> {
    let names: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
    let is_missing = |name: &str| !given.contains_key(name);
    let required = prompt.arguments.iter().filter(|argument| argument.required);
    let missing: Vec<&str> =
        required.map(|argument| argument.name.as_str()).filter(|name| is_missing(name)).collect();
    if !missing.is_empty() {
        return Some(format!("the prompt needs {}", missing.join(", ")));
    }
    let unknown = given.keys().find(|key| !names.contains(*key))?;
    Some(match closest(unknown, &names).as_slice() {
        [] if names.is_empty() => format!("the prompt takes no arguments, and {unknown} is given"),
        [] => format!("the prompt has no argument {unknown}; it takes {}", names.join(", ")),
        close => format!("the prompt has no argument {unknown}; did you mean {}?", close.join(" or ")),
    })
}

#[cfg(test)]
mod tests {
    use anstream::ColorChoice;
    use diglot::types::{PromptArgument, PromptMessage};

    use super::*;
    use crate::output::Stdout;

    #[test]
    fn messages_stand_below_their_speaker() {
        let messages = [PromptMessage::user("a"), PromptMessage::user("b"), PromptMessage::assistant("c")];
        let (stdout, _) =
            told(Teller::new("p", None, ColorChoice::Never), &GetPromptResult::new(messages)).end();
        assert_eq!(stdout, Stdout::Exact(b"user:\na\nb\n\nassistant:\nc\n".to_vec()));
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        let name = |name: &str| PromptArgument::new(name);
        let prompt = Listed::new("p").arguments([name("language").required(true), name("style")]);
        let says =
            |given: &[(&'static str, &'static str)]| what_it_takes(&prompt, &given.iter().copied().collect());
        assert_eq!(says(&[]).unwrap(), "the prompt needs language");
        assert_eq!(
            says(&[("language", "a"), ("stile", "b")]).unwrap(),
            "the prompt has no argument stile; did you mean style?"
        );
        assert_eq!(says(&[("language", "a"), ("style", "b")]), None);
    }

    #[test]
    fn every_value_is_text() {
        let words = ["greet", "n=1", "x:=1"].map(str::to_owned);
        assert_eq!(read_words(&words[..2], true).unwrap().arguments, BTreeMap::from([("n", "1")]));
        assert!(read_words(&words, true).unwrap_err().message.contains("x=VALUE"));
        assert!(read_words(&words[..1], false).is_err());
    }
}
