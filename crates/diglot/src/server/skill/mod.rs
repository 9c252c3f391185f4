//! Skills: directories of files that teach a model something, by the extension `io.modelcontextprotocol/skills`.
//!
//! A skill is held whole, with its digests made once, so that what is listed and what is read can never differ, and
//! nothing that a client asks for leads to the file system.

mod address;
mod answer;
mod directory;
mod error;
mod media;
pub(crate) mod shelf;

use std::path::Path;
use std::sync::Arc;

use diglot_proto::types::{self, SKILL_BYTES, SKILL_FILES, SkillResource, SkillResources, is_skill_name};
use serde_json::value::to_raw_value;

use crate::server::builder::Server;
use crate::server::hub::Change;
use crate::skill::{self, SKILL_FILE};

pub(crate) use answer::answer;
pub use error::SkillError;

use directory::{Tree, size};
use shelf::{SkillEntry, SkillFile};

/// A skill that a server offers: a `SKILL.md` with YAML frontmatter, and whatever files belong to it.
///
/// Its address is `skill://PREFIX/NAME/SKILL.md`, by the `name` of its frontmatter.
#[derive(Clone, Debug)]
pub struct Skill {
    prefix: String,
    /// The files by their paths, `SKILL.md` included.
    files: Vec<(String, Arc<[u8]>)>,
    /// The name of the directory that it was read from, which has to be its own.
    directory: Option<String>,
}

impl Skill {
    /// Begins a skill with the text of its `SKILL.md`.
    pub fn new(text: impl Into<String>) -> Self {
        let file = (SKILL_FILE.to_owned(), text.into().into_bytes().into());
        Self { prefix: String::new(), files: vec![file], directory: None }
    }

    /// Reads a skill from a directory, once, with all files in it and below it but those whose names begin with a dot.
    ///
    /// # Errors
    ///
    /// Something cannot be read, leads out of the directory, or is larger than hosts need to accept (`SKILL_FILES`,
    /// `SKILL_BYTES`).
    pub fn directory(path: impl AsRef<Path>) -> Result<Self, SkillError> {
        directory::read(path.as_ref()).map(Self::of)
    }

    fn of(Tree { name, files }: Tree) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path, bytes.into())).collect();
        Self { prefix: String::new(), files, directory: Some(name) }
    }

    /// Adds a file, or puts it in the place of one of the same path, which is relative and divided by `/`.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let path = path.into();
        self.files.retain(|(known, _)| *known != path);
        self.files.push((path, bytes.into().into()));
        self
    }

    /// Sets what stands before the name in the address, such as `acme/billing`; nothing unless set.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Checks the whole and makes of it what clients are told.
    fn entry(mut self) -> Result<SkillEntry, SkillError> {
        self.files.sort_by(|(one, _), (other, _)| one.cmp(other));
        let main = self.files.iter().find(|(path, _)| path == SKILL_FILE).ok_or(SkillError::NoSkillFile)?;
        let frontmatter = skill::read(&main.1).map_err(SkillError::Frontmatter)?;
        let text =
            |member: &str| frontmatter.get(member).and_then(|value| value.as_str()).unwrap_or_default();
        let name = text("name").to_owned();
        if !is_skill_name(&name) || self.directory.as_ref().is_some_and(|directory| *directory != name) {
            return Err(SkillError::Name { name, directory: self.directory });
        }
        let description = text("description").to_owned();
        if description.is_empty() {
            return Err(SkillError::NoDescription { name });
        }
        let total: u64 = self.files.iter().map(|(_, bytes)| size(bytes)).sum();
        if self.files.len() > SKILL_FILES {
            return Err(SkillError::TooManyFiles { limit: SKILL_FILES });
        }
        if total > SKILL_BYTES {
            return Err(SkillError::TooLarge { limit: SKILL_BYTES });
        }
        let mut root = "skill:/".to_owned();
        for segment in self.prefix.split('/').filter(|segment| !segment.is_empty()).chain([name.as_str()]) {
            root += &format!("/{}", address::encode(segment, &self.prefix)?);
        }
        let mut files = Vec::with_capacity(self.files.len());
        for (path, bytes) in self.files {
            files.push(Arc::new(SkillFile::new(address::join(&root, &path)?, &path, bytes)));
        }
        let resources = files
            .iter()
            .map(|file| SkillResource::new(file.uri.as_str(), skill::digest(&file.bytes), size(&file.bytes)));
        let resources = SkillResources::Listed(resources.collect());
        let frontmatter = to_raw_value(&frontmatter).expect("JSON serialises");
        let definition = types::Skill::new(format!("{root}/{SKILL_FILE}"), frontmatter, resources);
        Ok(SkillEntry { definition, name, description, files })
    }
}

impl Server {
    /// Offers a skill.
    ///
    /// # Panics
    ///
    /// Panics if the skill breaks a rule; [`add_skill`](Self::add_skill) returns that as an error.
    #[must_use]
    #[track_caller]
    pub fn skill(self, skill: Skill) -> Self {
        if let Err(error) = self.add_skill(skill) {
            panic!("the skill cannot be offered: {error}");
        }
        self
    }

    /// Offers every skill in a directory and below it: each directory that has a `SKILL.md` is one.
    ///
    /// The way from the directory to a skill is the beginning of its address, and skills may lie in skills. What is read
    /// is kept: a change in the file system shows when it is read again.
    ///
    /// # Errors
    ///
    /// A skill cannot be read or breaks a rule, or there is none.
    pub fn skills_directory(self, path: impl AsRef<Path>) -> Result<Self, SkillError> {
        for (prefix, tree) in directory::find(path.as_ref())? {
            self.add_skill(Skill::of(tree).prefix(prefix))?;
        }
        Ok(self)
    }

    /// Adds a skill while the server runs, or puts it in the place of one of the same address; subscribers hear of it.
    ///
    /// Its `SKILL.md` is also listed as a resource, for hosts that know of no skills.
    ///
    /// # Errors
    ///
    /// The skill breaks a rule: of its frontmatter, its name, its paths or its size.
    pub fn add_skill(&self, skill: Skill) -> Result<(), SkillError> {
        let entry = skill.entry()?;
        self.change_catalog(Change::Resources, |catalog| {
            catalog.resources.insert(entry.resource());
            catalog.skills.insert(entry);
        });
        Ok(())
    }

    /// Removes a skill while the server runs, by the address of its `SKILL.md`, and tells whether there was one.
    pub fn remove_skill(&self, uri: &str) -> bool {
        self.removed(Change::Resources, |catalog| {
            let was_there = catalog.skills.remove(uri);
            if was_there {
                catalog.resources.remove(uri);
            }
            was_there
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "---\nname: greet\ndescription: Says hello\nmetadata:\n  version: 2\n---\nSay hello.\n";

    #[test]
    fn an_entry_tells_all_of_a_skill() {
        let skill = Skill::new(TEXT).file("references/A b.md", "x").prefix("acme/hr");
        let entry = skill.entry().unwrap();
        entry.definition.check().unwrap();
        assert_eq!(entry.definition.uri, "skill://acme/hr/greet/SKILL.md");
        assert_eq!(
            entry.definition.frontmatter.get(),
            r#"{"description":"Says hello","metadata":{"version":2},"name":"greet"}"#
        );
        let file = entry.definition.find("skill://acme/hr/greet/references/A%20b.md").unwrap();
        assert_eq!((file.size, file.digest.as_str()), (1, skill::digest(b"x").as_str()));
    }

    #[test]
    fn what_breaks_a_rule_is_no_entry() {
        let fault = |skill: Skill| skill.entry().err().map(|error| error.to_string()).unwrap_or_default();
        let wanted = [
            (Skill::new("Say hello."), "frontmatter"),
            (Skill::new("---\nname: Greet\ndescription: x\n---\n"), "\"Greet\""),
            (Skill::new("---\nname: greet\n---\n"), "description"),
            (Skill::new(TEXT).file("../x", "x"), "../x"),
            (Skill::new(TEXT).file("/x", "x"), "/x"),
            (Skill::new(TEXT).file("a//b", "x"), "a//b"),
            (Skill::new(TEXT).prefix("a/../b"), ".."),
            (Skill::new(TEXT).file("x", vec![0; 16 * 1024 * 1024]), "16777216"),
            ((0..SKILL_FILES).fold(Skill::new(TEXT), |skill, at| skill.file(format!("{at}"), "")), "512"),
        ];
        for (skill, word) in wanted {
            let said = fault(skill);
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}
