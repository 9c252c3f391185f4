//! `diglot list`: what a server offers.

use std::collections::BTreeMap;

use anstyle::Style;
use diglot::types::LeftOut;
use diglot::{Client, Error};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::List;
use crate::connect::{Session, open};
use crate::failure::Failure;
use crate::output::{BOLD, DIM, Ending, Table, columns, first_line, json_line, warn};

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Tools,
    Resources,
    Prompts,
    Templates,
}

impl What {
    const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Prompts, Self::Templates];

    /// The word on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
            Self::Templates => "templates",
        }
    }

    /// The member of the protocol's result, which is the key for scripts too.
    fn member(self) -> &'static str {
        match self {
            Self::Templates => "resourceTemplates",
            other => other.word(),
        }
    }
}

/// A list of any kind, in the words that a table shows.
#[derive(Default)]
struct Listing {
    items: Vec<Item>,
    left_out: Vec<LeftOut>,
}

struct Item {
    name: String,
    title: Option<String>,
    about: Option<String>,
    raw: Option<Box<RawValue>>,
}

/// Lists what a server offers of one kind.
pub(crate) async fn run(list: &List, session: &Session) -> Result<Ending, Failure> {
    let (target, what) = read_words(&list.words, !list.options.child.is_empty())?;
    let connected = open(session, target, &list.options).await?;
    let listing = fetch(&connected.client, what).await.map_err(|error| connected.failure(&error))?;
    let look = &list.options.look;
    listing.left_out.iter().for_each(|left_out| warn(look.color, &left_out.to_string()));
    Ok(Ending::good(match look.json {
        true => told_to_scripts(&listing, what),
        false => told(&listing, what, columns()),
    }))
}

/// Reads `[TARGET] [WHAT]`; with a child process there is no TARGET.
fn read_words(words: &[String], has_child: bool) -> Result<(Option<&str>, What), Failure> {
    let mut words = words.iter().map(String::as_str);
    let target = if has_child { None } else { words.next() };
    let what = match words.next() {
        None => What::Tools,
        Some(word) => What::ALL.into_iter().find(|what| what.word() == word).ok_or_else(|| {
            let known: Vec<_> = What::ALL.into_iter().map(What::word).collect();
            Failure::usage(format!("{word:?} cannot be listed; possible values: {}", known.join(", ")))
        })?,
    };
    match words.next() {
        Some(extra) => Err(Failure::usage(format!("{extra:?} is one word too many"))),
        None => Ok((target, what)),
    }
}

async fn fetch(client: &Client, what: What) -> Result<Listing, Error> {
    /// Takes a list of the library; the name of an item is the member that is used to ask for it.
    macro_rules! listing {
        ($list:expr, $items:ident, $name:ident) => {{
            let list = $list;
            let items = list.$items.into_iter().map(|item| Item {
                name: item.$name,
                title: item.title,
                about: item.description,
                raw: item.raw,
            });
            Listing { items: items.collect(), left_out: list.left_out }
        }};
    }
    Ok(match what {
        What::Tools => listing!(client.list_tools().await?, tools, name),
        What::Resources => listing!(client.list_resources().await?, resources, uri),
        What::Prompts => listing!(client.list_prompts().await?, prompts, name),
        What::Templates => listing!(client.list_resource_templates().await?, templates, uri_template),
    })
}

fn told_to_scripts(listing: &Listing, what: What) -> String {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Part<'a> {
        Items(Vec<&'a RawValue>),
        LeftOut(Vec<Left<'a>>),
    }
    #[derive(Serialize)]
    struct Left<'a> {
        index: usize,
        name: Option<&'a str>,
        reason: &'a str,
    }
    let items = listing.items.iter().filter_map(|item| item.raw.as_deref()).collect();
    let left_out = listing.left_out.iter().map(|item| Left {
        index: item.index,
        name: item.name.as_deref(),
        reason: &item.reason,
    });
    let parts = [(what.member(), Part::Items(items)), ("leftOut", Part::LeftOut(left_out.collect()))];
    json_line(&BTreeMap::from(parts))
}

fn told(listing: &Listing, what: What, width: usize) -> String {
    if listing.items.is_empty() {
        return format!("{DIM}no {}{DIM:#}\n", what.word());
    }
    let mut table = Table::default();
    for item in &listing.items {
        let about = item.about.as_deref().map(first_line).filter(|about| !about.is_empty());
        let about = match (item.title.as_deref().map(first_line), about) {
            (Some(title), Some(about)) if title != about => format!("{title}: {about}"),
            (title, about) => about.or(title).unwrap_or_default(),
        };
        table.row([(first_line(&item.name), BOLD), (about, Style::new())]);
    }
    table.render(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str], has_child: bool) -> Result<(Option<String>, What), String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let (target, what) = read_words(&words, has_child).map_err(|failure| failure.message)?;
        Ok((target.map(str::to_owned), what))
    }

    #[test]
    fn words_are_a_target_and_what_to_list() {
        let address = || Some("http://a".to_owned());
        assert_eq!(read(&["http://a", "tools"], false), Ok((address(), What::Tools)));
        assert_eq!(read(&["http://a", "templates"], false), Ok((address(), What::Templates)));
        assert_eq!(read(&["tools"], false), Ok((Some("tools".into()), What::Tools)));
        assert_eq!(read(&["prompts"], true), Ok((None, What::Prompts)));
        assert_eq!(read(&[], true), Ok((None, What::Tools)));
    }

    #[test]
    fn what_cannot_be_listed_is_refused_with_what_can() {
        assert!(
            read(&["a", "pets"], false)
                .unwrap_err()
                .ends_with("possible values: tools, resources, prompts, templates")
        );
        assert!(read(&["tools", "tools"], true).is_err());
    }
}
