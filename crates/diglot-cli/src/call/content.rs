//! What a tool returned, for people: text as text, and the rest named or saved.

mod files;
mod pretty;

use std::io::IsTerminal;
use std::path::Path;

use anstream::ColorChoice;
use diglot::types::{Content, ResourceContents, ToolResult};

use crate::output::{first_line, note, plain, warn};

/// A result as it is printed.
pub(super) struct Told {
    pub(super) text: String,
    /// Whether something could not be saved.
    pub(super) is_incomplete: bool,
}

/// Tells a result; what is no text is saved in the folder, or else a line on stderr says that it came.
pub(super) fn told(result: &ToolResult, tool: &str, folder: Option<&Path>, color: ColorChoice) -> Told {
    let mut told = Told { text: String::new(), is_incomplete: false };
    for piece in &result.content {
        match piece {
            Content::Text(content) => told.line(&content.text),
            Content::Image(image) => told.bytes(&image.data, &image.mime_type, tool, folder, color),
            Content::Audio(sound) => told.bytes(&sound.data, &sound.mime_type, tool, folder, color),
            Content::ResourceLink(link) => told.line(&link.uri),
            Content::Resource(embedded) => told.contents(&embedded.resource, tool, folder, color),
            other => told.line(&serde_json::to_string(other).unwrap_or_default()),
        }
    }
    if told.text.is_empty()
        && let Some(structured) = &result.structured
    {
        told.line(&pretty::pretty(structured.get()));
    }
    if std::io::stdout().is_terminal() {
        told.text = plain(&told.text).into_owned();
    }
    told
}

impl Told {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn contents(
        &mut self,
        contents: &ResourceContents,
        tool: &str,
        folder: Option<&Path>,
        color: ColorChoice,
    ) {
        match contents {
            ResourceContents::Text(text) => self.line(&text.text),
            ResourceContents::Blob(blob) => {
                let mime_type = blob.mime_type.as_deref().unwrap_or_default();
                self.bytes(&blob.blob, mime_type, tool, folder, color);
            }
            _ => {}
        }
    }

    fn bytes(&mut self, data: &str, mime_type: &str, tool: &str, folder: Option<&Path>, color: ColorChoice) {
        let kind = match first_line(mime_type) {
            kind if kind.is_empty() => "data of no stated type".to_owned(),
            kind => kind,
        };
        let Some(folder) = folder else {
            let size = files::decoded_length(data);
            return note(color, &format!("{kind}, {size} bytes: save it with --output DIR\n"));
        };
        match files::save(folder, tool, mime_type, data) {
            Ok(path) => note(color, &format!("saved {kind} to {}\n", path.display())),
            Err(error) => {
                self.is_incomplete = true;
                warn(color, &format!("{kind} could not be saved in {}: {error}", folder.display()));
            }
        }
    }
}
