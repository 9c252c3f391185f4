//! A user whose keys are written down beforehand.

use super::dialogue::{Dialogue, Leave};

/// What the user does at one prompt.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// Types a text and presses Enter; an empty one takes the default, where there is one.
    Type(&'static str),
    /// Presses Enter on what is shown.
    Enter,
    /// Takes an option.
    Pick(usize),
    /// Marks these options and no others.
    Mark(&'static [usize]),
    Escape,
    Interrupt,
}

/// The user, with what was seen.
#[derive(Debug)]
pub(super) struct Scripted {
    keys: std::collections::VecDeque<Key>,
    said: Vec<String>,
    /// What stood in each line of text at first.
    pub(super) initials: Vec<String>,
    /// The addresses that were opened.
    pub(super) opened: Vec<String>,
    /// Whether a browser can be started.
    pub(super) has_browser: bool,
}

impl Scripted {
    pub(super) fn new(keys: &[Key]) -> Self {
        let keys = keys.iter().copied().collect();
        Self { keys, said: Vec::new(), initials: Vec::new(), opened: Vec::new(), has_browser: true }
    }

    pub(super) fn is_done(&self) -> bool {
        self.keys.is_empty()
    }

    /// Tells whether a line was said that holds these words.
    pub(super) fn said(&self, words: &str) -> bool {
        self.said.iter().any(|line| anstream::adapter::strip_str(line).to_string().contains(words))
    }

    fn next(&mut self) -> Result<Key, Leave> {
        match self.keys.pop_front().expect("a key is left") {
            Key::Escape => Err(Leave::Escape),
            Key::Interrupt => Err(Leave::Interrupt),
            key => Ok(key),
        }
    }
}

impl Dialogue for Scripted {
    fn say(&mut self, text: &str) {
        self.said.push(text.to_owned());
    }

    fn text(&mut self, label: &str, _: &str, default: Option<&str>, initial: &str) -> Result<String, Leave> {
        self.initials.push(initial.to_owned());
        match self.next()? {
            Key::Type("") | Key::Enter => Ok(default.unwrap_or_default().to_owned()),
            Key::Type(text) => Ok(text.to_owned()),
            other => panic!("{label} asks for text, and the user does {other:?}"),
        }
    }

    fn choose(&mut self, label: &str, _: &str, options: &[String], at: usize) -> Result<usize, Leave> {
        match self.next()? {
            Key::Enter => Ok(at),
            Key::Pick(place) if place < options.len() => Ok(place),
            other => panic!("{label} offers {options:?}, and the user does {other:?}"),
        }
    }

    fn choose_some(
        &mut self,
        label: &str,
        _: &str,
        _: &[String],
        chosen: &[usize],
    ) -> Result<Vec<usize>, Leave> {
        match self.next()? {
            Key::Enter => Ok(chosen.to_vec()),
            Key::Mark(places) => Ok(places.to_vec()),
            other => panic!("{label} offers several, and the user does {other:?}"),
        }
    }

    fn open(&mut self, address: &str) -> std::io::Result<()> {
        self.opened.push(address.to_owned());
        match self.has_browser {
            true => Ok(()),
            false => Err(std::io::Error::other("no browser")),
        }
    }
}
