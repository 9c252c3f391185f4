//! `-v`: what the library does, as lines that people read; `-vv` has the messages beside them (see `trace.rs`).

use std::fmt::{self, Debug, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anstream::ColorChoice;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::output::{DIM, ODD, note, plain};
use crate::trace::Secrets;

/// What no line may hold; there is one server for each run of the command.
static HIDDEN: Mutex<Option<Secrets>> = Mutex::new(None);

/// Lets the library tell on stderr what it does.
pub(crate) fn speak(verbose: u8, color: ColorChoice) {
    let level = match verbose {
        0 => return,
        1 => Level::DEBUG,
        _ => Level::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .event_format(Lines { began: Instant::now(), color })
        // The lines go out by the way of all others, which knows about colour.
        .with_writer(std::io::sink)
        .init();
}

/// Cuts the secrets of a server out of every line from now on.
pub(crate) fn hide(secrets: &Secrets) {
    *HIDDEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(secrets.clone());
}

/// Writes events as lines: when, what, and the facts in brackets.
struct Lines {
    began: Instant,
    color: ColorChoice,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, _: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        // Other libraries may log what is secret.
        if !event.metadata().target().starts_with("diglot") {
            return Ok(());
        }
        let mut said = Said::default();
        event.record(&mut said);
        let ms = self.began.elapsed().as_millis();
        let is_warning = *event.metadata().level() <= Level::WARN;
        note(self.color, &line(ms, is_warning, &said));
        Ok(())
    }
}

fn line(ms: u128, is_warning: bool, said: &Said) -> String {
    let hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
    let clean = |text: &str| match &*hidden {
        Some(secrets) => plain(&secrets.cut(text)).replace('\n', " "),
        None => plain(text).replace('\n', " "),
    };
    let warning = if is_warning { format!("{ODD}warning{ODD:#}: ") } else { String::new() };
    let facts = match said.facts.as_str() {
        "" => String::new(),
        facts => format!(" {DIM}({}){DIM:#}", clean(facts)),
    };
    format!("{DIM}{ms:>6} ms{DIM:#}  {warning}{}{facts}\n", clean(&said.message))
}

/// What an event says.
#[derive(Default)]
struct Said {
    message: String,
    facts: String,
}

impl Said {
    fn add(&mut self, name: &str, value: fmt::Arguments<'_>) {
        if name == "message" {
            self.message = value.to_string();
            return;
        }
        let comma = if self.facts.is_empty() { "" } else { ", " };
        // Writing to a text cannot fail.
        let _ = match name.strip_suffix("_ms") {
            Some(_) => write!(self.facts, "{comma}{value} ms"),
            None => write!(self.facts, "{comma}{} {value}", name.trim_start_matches("is_")),
        };
    }
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field.name(), format_args!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), format_args!("{value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_when_and_what_and_has_its_facts_in_brackets() {
        let mut said = Said::default();
        said.add("message", format_args!("a request\n\u{1b}[2J is over"));
        said.add("method", format_args!("tools/call"));
        said.add("elapsed_ms", format_args!("8"));
        let told = anstream::adapter::strip_str(&line(12, false, &said)).to_string();
        assert_eq!(told, "    12 ms  a request \u{fffd}[2J is over (method tools/call, 8 ms)\n");
        assert!(line(12, true, &said).contains("warning"));
    }
}
