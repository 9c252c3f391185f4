//! What a server asks of the user while it answers: a form, or consent to open an address.
//!
//! `field.rs` and `format.rs` know what may be answered, `form.rs` and `address.rs` hold the conversation with
//! anything that can ask, and `terminal.rs` is the terminal. Whatever comes from the server is shown without its
//! control characters, between lines that say that the server asks.

mod address;
mod dialogue;
mod field;
mod form;
mod format;
#[cfg(test)]
mod scripted;
mod terminal;

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use anstream::ColorChoice;
use diglot::types::{ElicitParams, ElicitResult};
use diglot::{ClientBuilder, Implementation};

use crate::output::{first_line, plain, warn};

pub(crate) use terminal::{is_held, restore};

use dialogue::{Answer, Dialogue};
use terminal::{Held, Terminal};

/// Answers what the server of one connection asks; clones are the same.
#[derive(Clone)]
pub(crate) struct Asker {
    shared: Arc<Shared>,
}

struct Shared {
    color: ColorChoice,
    /// Why nothing is asked, where nothing is.
    refusal: Option<&'static str>,
    who: Mutex<String>,
    /// Held by the question of the moment, since there is one terminal.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Asker {
    /// Makes one that asks at the terminal, where there is one and the user wants to be asked.
    pub(crate) fn new(color: ColorChoice, no_input: bool) -> Self {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        let refusal = match (no_input, is_terminal) {
            (true, _) => Some("--no-input is given"),
            (false, false) => Some("there is no terminal to ask at"),
            (false, true) if std::env::var_os("TERM").is_some_and(|term| term == "dumb") => {
                Some("the terminal is too simple to ask at")
            }
            (false, true) => None,
        };
        let shared = Shared { color, refusal, who: Mutex::default(), turn: Arc::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Declares to servers that they may ask.
    pub(crate) fn offer(&self, builder: ClientBuilder) -> ClientBuilder {
        let (form, address) = (self.clone(), self.clone());
        builder
            .on_elicitation(move |params| form.clone().answer(params))
            .on_url_elicitation(move |params| address.clone().answer(params))
    }

    /// Says whose questions these are: what the server calls itself, and where it is.
    pub(crate) fn name_server(&self, server: Option<&Implementation>, target: &str) {
        let name = server.map(|server| format!("{:?} at ", first_line(&server.name))).unwrap_or_default();
        *self.shared.who.lock().unwrap_or_else(PoisonError::into_inner) =
            format!("the server {name}{}", first_line(target));
    }

    fn who(&self) -> String {
        self.shared.who.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn answer(self, params: ElicitParams) -> ElicitResult {
        let (who, color) = (self.who(), self.shared.color);
        if let Some(why) = self.shared.refusal {
            let asked = message(&params).map(first_line).unwrap_or_default();
            warn(color, &format!("{who} asks: {asked}\n  declined, because {why}"));
            return ElicitResult::decline();
        }
        let turn = self.shared.turn.clone().lock_owned().await;
        // If nobody waits for the answer any more, this gives the terminal back.
        let held = Held::begin();
        let asking = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            ask(&params, &who, &mut Terminal::new(color))
        });
        let asked = asking.await;
        if asked.is_ok() {
            held.end();
        }
        let answer = asked.unwrap_or(Answer::Cancel);
        match answer {
            Answer::Accept(content) => accepted(content),
            Answer::Decline => ElicitResult::decline(),
            Answer::Cancel => ElicitResult::cancel(),
        }
    }
}

fn accepted(content: Option<serde_json::Map<String, serde_json::Value>>) -> ElicitResult {
    match content.map(|content| serde_json::value::to_raw_value(&content)) {
        Some(Ok(content)) => ElicitResult::accept(content),
        Some(Err(_)) => ElicitResult::cancel(),
        None => ElicitResult::new(diglot::types::ElicitAction::Accept),
    }
}

/// Asks the user one question of the server.
fn ask(params: &ElicitParams, who: &str, dialogue: &mut dyn Dialogue) -> Answer {
    dialogue.say(&headline(who, message(params).unwrap_or_default()));
    match params {
        ElicitParams::Form(form) => match field::read(&form.requested_schema) {
            Ok(fields) => form::fill(&fields, dialogue),
            Err(why) => {
                dialogue
                    .say(&format!("Its form cannot be shown: {why}. It is told that there is no answer."));
                Answer::Cancel
            }
        },
        ElicitParams::Url(url) => address::consent(&url.url, dialogue),
        _ => {
            dialogue
                .say("It asks in a way that this version does not know. It is told that there is no answer.");
            Answer::Cancel
        }
    }
}

fn message(params: &ElicitParams) -> Option<&str> {
    match params {
        ElicitParams::Form(form) => Some(&form.message),
        ElicitParams::Url(url) => Some(&url.message),
        _ => None,
    }
}

/// Returns what the server says, each line marked as the server's.
fn headline(who: &str, message: &str) -> String {
    let message = plain(message);
    let lines: String = message.lines().map(|line| format!("\n  │ {line}")).collect();
    format!("{who} asks:{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_server_is_marked_as_its() {
        let headline = headline("the server \"x\" at ./x", "One\u{1b}[2J\nyour shell asks:");
        assert_eq!(headline, "the server \"x\" at ./x asks:\n  │ One\u{fffd}[2J\n  │ your shell asks:");
    }
}
