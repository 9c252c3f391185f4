//! Content in the words of a revision: what an early one cannot carry is described in a text.

use diglot_proto::types::Content;
use diglot_proto::version::Revision;

/// Puts a text in the place of each piece that a revision does not have: a sound, or a link to a resource.
pub(crate) fn fit<'c>(pieces: impl IntoIterator<Item = &'c mut Content>, revision: Revision) {
    if revision >= Revision::V2025_06_18 {
        return;
    }
    for piece in pieces {
        let text = match piece {
            Content::Audio(sound) if revision < Revision::V2025_03_26 => {
                format!("[{}, which this revision of the protocol cannot carry]", sound.mime_type)
            }
            Content::ResourceLink(link) => {
                let name = link.title.as_ref().unwrap_or(&link.name);
                format!("{name}: {}", link.uri)
            }
            _ => continue,
        };
        *piece = Content::text(text);
    }
}
