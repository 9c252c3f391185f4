//! The skills of a server as clients see them: entries, files and directories.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use diglot_proto::types::{self, DIRECTORY_TYPE, ReadResourceResult, ResourceContents};
use diglot_proto::version::Era;

use super::media::media_type;
use crate::future::BoxFuture;
use crate::server::resource::AnyResource;
use crate::server::table::{Listed, Table};
use crate::server::{Context, Resource, ToolError};

/// A skill with all that it holds.
pub(crate) struct SkillEntry {
    pub(super) definition: types::Skill,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) files: Vec<Arc<SkillFile>>,
}

/// One file, ready to be sent.
pub(crate) struct SkillFile {
    pub(super) uri: String,
    pub(super) bytes: Arc<[u8]>,
    media_type: &'static str,
}

/// The skills of a server, and their files by address.
#[derive(Clone, Default)]
pub(crate) struct SkillShelf {
    pub(crate) entries: Table<SkillEntry>,
    /// The files of all skills; one that lies in two of them is here once.
    files: HashMap<String, Arc<SkillFile>>,
    /// Whether there ever was one: what was declared once is answered from then on.
    is_offered: bool,
}

impl SkillFile {
    pub(super) fn new(uri: String, path: &str, bytes: Arc<[u8]>) -> Self {
        let media_type = media_type(path, &bytes);
        Self { uri, bytes, media_type }
    }

    fn definition(&self) -> types::Resource {
        let name = self.uri.rsplit('/').next().unwrap_or_default();
        let size = u64::try_from(self.bytes.len()).unwrap_or(u64::MAX);
        types::Resource::new(self.uri.as_str(), name).mime_type(self.media_type).size(size)
    }
}

impl SkillEntry {
    /// Makes the resource that `SKILL.md` is for hosts without skills.
    pub(super) fn resource(&self) -> Resource {
        let main = self.files.iter().find(|file| file.uri == self.definition.uri).cloned();
        let main = main.expect("an entry is only made of files with a SKILL.md");
        let mut definition = main.definition();
        definition.name.clone_from(&self.name);
        definition.description = Some(self.description.clone());
        Resource { definition, handler: main, cache: None }
    }
}

impl Listed for SkillEntry {
    type Definition = types::Skill;

    fn key(&self) -> &str {
        &self.definition.uri
    }

    fn definition(&self, _era: Era) -> std::borrow::Cow<'_, Self::Definition> {
        std::borrow::Cow::Borrowed(&self.definition)
    }
}

impl AnyResource for SkillFile {
    fn read(
        &self,
        uri: String,
        _: Option<&str>,
        _: Context,
    ) -> BoxFuture<'static, Result<ReadResourceResult, ToolError>> {
        let contents = match std::str::from_utf8(&self.bytes) {
            Ok(text) => ResourceContents::text(uri, text),
            Err(_) => ResourceContents::blob(uri, STANDARD.encode(&self.bytes)),
        };
        let result = ReadResourceResult::new([contents.mime_type(self.media_type)]);
        Box::pin(std::future::ready(Ok(result)))
    }
}

impl SkillShelf {
    pub(super) fn insert(&mut self, entry: SkillEntry) {
        self.entries.insert(entry);
        self.is_offered = true;
        self.settle();
    }

    pub(super) fn remove(&mut self, uri: &str) -> bool {
        let was_there = self.entries.remove(uri);
        self.settle();
        was_there
    }

    /// Gathers the files anew: one may lie in two skills, and only one of them be gone.
    fn settle(&mut self) {
        let files = self.entries.iter().flat_map(|entry| &entry.files);
        self.files = files.map(|file| (file.uri.clone(), file.clone())).collect();
    }

    /// Whether the extension is declared.
    pub(crate) fn is_offered(&self) -> bool {
        self.is_offered
    }

    /// Finds a file by its address.
    pub(crate) fn find(&self, uri: &str) -> Option<&Arc<SkillFile>> {
        self.files.get(uri)
    }

    /// Lists what is directly in a directory, or gives nothing where it is none.
    pub(super) fn directory(&self, uri: &str) -> Option<BTreeMap<String, types::Resource>> {
        let mut children = BTreeMap::new();
        for file in self.files.values() {
            let below = file.uri.strip_prefix(uri).and_then(|rest| rest.strip_prefix('/'));
            match below.map(|below| below.split_once('/')) {
                None => {}
                Some(None) => {
                    children.insert(file.uri.clone(), file.definition());
                }
                Some(Some((name, _))) => {
                    let child = format!("{uri}/{name}");
                    let folder = types::Resource::new(child.as_str(), name).mime_type(DIRECTORY_TYPE);
                    children.insert(child, folder);
                }
            }
        }
        // `skill:` and `skill:/` end in the middle of what divides the scheme from the rest.
        let is_address = uri.split_once("://").is_some_and(|(_, path)| !path.is_empty());
        (is_address && !children.is_empty()).then_some(children)
    }
}
