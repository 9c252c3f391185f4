//! `diglot listen`: what changes at a server, a line a change, until it is interrupted.

use std::io;

use anstream::ColorChoice;
use diglot::client::{Change, Interruption};
use diglot::types::SubscriptionFilter;
use serde::Serialize;

use crate::args::{Listening, Look};
use crate::connect::{Session, open};
use crate::failure::{Failure, Kind};
use crate::output::{DIM, Ending, emit, json_line, note, plain, warn};

/// A change as scripts get it.
#[derive(Serialize)]
struct Told<'a> {
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

/// Listens until the server ends it, or until nobody reads any more.
pub(crate) async fn run(listening: &Listening, session: &Session) -> Result<Ending, Failure> {
    let look = &listening.options.look;
    let target = target(listening)?;
    let connected = open(session, target, &listening.options).await?;
    let wanted = wanted(listening, &SubscriptionFilter::offered_by(&connected.client.capabilities()));
    if wanted.is_empty() {
        let failure = Failure::new(Kind::ProtocolError, "the server does not declare to tell of any change");
        return Err(failure.hint("name what to ask for, such as --resource URI").with(&connected.target));
    }
    let subscribed = connected.client.listen(wanted.clone()).await;
    let mut changes = subscribed.map_err(|error| connected.failure(&error))?;
    let acknowledged = changes.acknowledged();
    if acknowledged.is_empty() {
        let what = words(&wanted).join(", ");
        let failure = Failure::new(Kind::ProtocolError, format!("the server does not tell of {what}"));
        return Err(failure.with(&connected.target));
    }
    let refused = words(&wanted.without(&acknowledged));
    if !refused.is_empty() {
        warn(look.color, &format!("the server does not tell of {}", refused.join(", ")));
    }
    let heard = words(&acknowledged).join(", ");
    let line = format!("listening to {} for {heard}; Ctrl-C ends it", connected.target);
    note(look.color, &format!("{DIM}{}{DIM:#}\n", plain(&line)));
    while let Some(change) = changes.next().await {
        let change = change.map_err(|error| connected.failure(&error))?;
        match print(&change, look) {
            Ok(()) => {}
            // The reader has enough; that is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(error) => return Err(Failure::usage(format!("the changes cannot be written: {error}"))),
        }
    }
    ended(look.color);
    changes.close().await;
    Ok(Ending::good(String::new()))
}

/// Reads `[TARGET]`; with a child process there is none.
fn target(listening: &Listening) -> Result<Option<&str>, Failure> {
    match (&listening.target, listening.options.child.is_empty()) {
        (Some(extra), false) => Err(Failure::usage(format!("{extra:?} is one word too many"))),
        (target, _) => Ok(target.as_deref()),
    }
}

/// Returns what to ask for: what the line names, else all that is offered.
fn wanted(listening: &Listening, offered: &SubscriptionFilter) -> SubscriptionFilter {
    let named = SubscriptionFilter::new()
        .tools_list_changed(listening.tools)
        .prompts_list_changed(listening.prompts)
        .resources_list_changed(listening.resources)
        .resource_subscriptions(listening.resource.clone());
    if named.is_empty() { offered.clone() } else { named }
}

/// Names what a filter holds.
fn words(filter: &SubscriptionFilter) -> Vec<String> {
    let lists = [
        (filter.tools_list_changed, "tools"),
        (filter.prompts_list_changed, "prompts"),
        (filter.resources_list_changed, "resources"),
    ];
    let lists = lists.into_iter().filter(|(is_there, _)| *is_there).map(|(_, word)| word.to_owned());
    lists.chain(filter.resource_subscriptions.iter().cloned()).collect()
}

fn print(change: &Change, look: &Look) -> io::Result<()> {
    match look.json {
        true => emit(look.color, &json_line(&told(change))),
        false => emit(look.color, &format!("{}\n", plain(&change.to_string()))),
    }
}

fn told(change: &Change) -> Told<'_> {
    let told = |change| Told { change, uri: None, why: None };
    match change {
        Change::Tools => told("tools"),
        Change::Prompts => told("prompts"),
        Change::Resources => told("resources"),
        Change::Resource(uri) => Told { uri: Some(uri), ..told("resource") },
        Change::Interrupted(why) => Told { why: Some(reason(*why)), ..told("interrupted") },
        _ => told("other"),
    }
}

fn reason(why: Interruption) -> &'static str {
    match why {
        Interruption::StreamLost => "stream-lost",
        Interruption::Reconnected => "reconnected",
        Interruption::Overflow => "overflow",
        _ => "other",
    }
}

fn ended(color: ColorChoice) {
    note(color, &format!("{DIM}there are no more changes to hear of{DIM:#}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_one_line_of_json() {
        let line = |change: Change| json_line(&told(&change));
        assert_eq!(line(Change::Tools), "{\"change\":\"tools\"}\n");
        assert_eq!(
            line(Change::Resource("file:///a".to_owned())),
            "{\"change\":\"resource\",\"uri\":\"file:///a\"}\n"
        );
        assert_eq!(
            line(Change::Interrupted(Interruption::Reconnected)),
            "{\"change\":\"interrupted\",\"why\":\"reconnected\"}\n"
        );
    }
}
