//! What a file of a skill holds.

/// A file of a skill, verified.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkillContents {
    /// Where it is.
    pub uri: String,
    /// The media type, where the server tells it.
    pub mime_type: Option<String>,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl SkillContents {
    /// Returns the text, where it is UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}
