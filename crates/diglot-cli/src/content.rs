//! The content of results, for people: text as text, and the rest named, shown or saved.

mod files;
mod inline;
mod pretty;

use std::io::IsTerminal;
use std::path::Path;

use anstream::ColorChoice;
use diglot::types::{Content, ResourceContents, ResourceLink, ToolResult};

use crate::output::{Stdout, first_line, note, plain, warn};

pub(crate) use files::{decoded, save};
pub(crate) use inline::Graphics;

/// Tells content piece by piece.
pub(crate) struct Teller<'a> {
    /// What files are named by.
    name: &'a str,
    /// Where images, sounds and other bytes are saved.
    folder: Option<&'a Path>,
    color: ColorChoice,
    is_terminal: bool,
    graphics: Graphics,
    text: String,
    /// Whether something could not be saved.
    is_incomplete: bool,
}

impl<'a> Teller<'a> {
    /// Begins with nothing told; bytes are saved in the folder, or else a line on stderr says that they came.
    pub(crate) fn new(name: &'a str, folder: Option<&'a Path>, color: ColorChoice) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let graphics = if is_terminal { Graphics::of_environment() } else { Graphics::None };
        Self { name, folder, color, is_terminal, graphics, text: String::new(), is_incomplete: false }
    }

    /// Tells the result of a tool; its structure stands in where there is nothing else.
    pub(crate) fn result(mut self, result: &ToolResult) -> Self {
        result.content.iter().for_each(|piece| self.piece(piece));
        if self.text.is_empty()
            && let Some(structured) = &result.structured
        {
            self.line(&pretty::pretty(structured.get()));
        }
        self
    }

    /// Tells one piece of content.
    pub(crate) fn piece(&mut self, piece: &Content) {
        match piece {
            Content::Text(content) => self.line(&content.text),
            Content::Image(image) => self.bytes(&image.data, &image.mime_type),
            Content::Audio(sound) => self.bytes(&sound.data, &sound.mime_type),
            Content::ResourceLink(link) => self.line(&told_link(link)),
            Content::Resource(embedded) => {
                self.line(&headline(&embedded.resource));
                self.contents(&embedded.resource);
            }
            other => self.line(&serde_json::to_string(other).unwrap_or_default()),
        }
    }

    /// Tells what a resource holds.
    pub(crate) fn contents(&mut self, contents: &ResourceContents) {
        match contents {
            ResourceContents::Text(text) => self.line(&text.text),
            ResourceContents::Blob(blob) => {
                self.bytes(&blob.blob, blob.mime_type.as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Tells a line, or several, of a server's or of our own.
    pub(crate) fn line(&mut self, text: &str) {
        match self.is_terminal {
            true => self.text.push_str(&plain(text)),
            false => self.text.push_str(text),
        }
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Returns what is to be printed, and whether something could not be saved.
    pub(crate) fn end(self) -> (Stdout, bool) {
        (Stdout::Exact(self.text.into_bytes()), self.is_incomplete)
    }

    fn bytes(&mut self, data: &str, mime_type: &str) {
        let kind = kind_of(mime_type);
        let Some(folder) = self.folder else {
            return match self.graphics.draw(data, mime_type) {
                Some(picture) => self.text.push_str(&picture),
                None => {
                    let size = files::decoded_length(data);
                    note(self.color, &format!("{kind}, {size} bytes: save it with --output DIR\n"));
                }
            };
        };
        let saved = decoded(data).and_then(|bytes| save(folder, self.name, mime_type, &bytes));
        match saved {
            Ok(path) => note(self.color, &format!("saved {kind} to {}\n", path.display())),
            Err(error) => {
                self.is_incomplete = true;
                warn(self.color, &format!("{kind} could not be saved in {}: {error}", folder.display()));
            }
        }
    }
}

/// Names a media type, which may be missing.
pub(crate) fn kind_of(mime_type: &str) -> String {
    match first_line(mime_type) {
        kind if kind.is_empty() => "data of no stated type".to_owned(),
        kind => kind,
    }
}

/// Returns the line that stands before the contents of a resource.
pub(crate) fn headline(contents: &ResourceContents) -> String {
    let mime_type = match contents {
        ResourceContents::Text(text) => text.mime_type.as_deref(),
        ResourceContents::Blob(blob) => blob.mime_type.as_deref(),
        _ => None,
    };
    let mime_type = mime_type.map(|kind| format!(", {}", first_line(kind))).unwrap_or_default();
    format!("[resource {}{mime_type}]", first_line(contents.uri()))
}

/// Returns a link as its address, followed by what the server says of it.
fn told_link(link: &ResourceLink) -> String {
    let name = link.title.as_deref().unwrap_or(&link.name);
    let about = [Some(name), link.description.as_deref(), link.mime_type.as_deref()];
    let about: Vec<String> =
        about.into_iter().flatten().map(first_line).filter(|text| !text.is_empty()).collect();
    match about.as_slice() {
        [] => format!("[link {}]", first_line(&link.uri)),
        about => format!("[link {}] {}", first_line(&link.uri), about.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use diglot::types::{BlobResourceContents, TextResourceContents};

    use super::*;

    fn told<const N: usize>(content: [Content; N]) -> String {
        let teller = Teller {
            is_terminal: true,
            graphics: Graphics::None,
            ..Teller::new("t", None, ColorChoice::Never)
        };
        match teller.result(&ToolResult::new(content)).end() {
            (Stdout::Exact(bytes), false) => String::from_utf8(bytes).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn links_and_embedded_resources_have_their_address() {
        let link = ResourceLink::new("file:///a", "a").title("The a").mime_type("text/plain");
        let text = TextResourceContents::new("file:///b", "inside").mime_type("text/plain");
        let blob = BlobResourceContents::new("file:///c", "aGk=");
        assert_eq!(
            told([link.into(), Content::resource(text), Content::resource(blob)]),
            "[link file:///a] The a, text/plain\n[resource file:///b, text/plain]\ninside\n[resource file:///c]\n"
        );
    }

    #[test]
    fn escape_sequences_do_not_reach_a_terminal() {
        let link = ResourceLink::new("file:///\u{1b}[2J", "\u{9b}31m");
        assert_eq!(
            told([Content::text("a\u{1b}]0;title\u{7}b"), link.into()]),
            "a\u{fffd}]0;title\u{fffd}b\n[link file:///\u{fffd}[2J] \u{fffd}31m\n"
        );
    }
}
