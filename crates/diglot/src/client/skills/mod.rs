//! Skills of a server: listed and fetched, and read with their content held against what the server said of it.

mod contents;
mod verify;

use std::collections::HashSet;
use std::ops::Deref;

use diglot_proto::method::SKILLS_EXTENSION;
use diglot_proto::object::Object;
use diglot_proto::types::{
    Fault, GetSkillResult, LeftOut, ListSkillsResult, ReadDirectoryResult, Resource, Skill,
};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Client;
use crate::error::{Error, ProtocolError, SkillFault, SkillRefused, Violation};
use crate::skill::SKILL_FILE;

pub use contents::SkillContents;

impl Client {
    /// Returns the way to the server's skills.
    pub fn skills(&self) -> Skills {
        Skills { client: self.clone() }
    }
}

/// The skills of a server (extension `io.modelcontextprotocol/skills`).
///
/// Nothing is fetched ahead of need: listing reads no file, and a file is read when it is asked for. What comes is held
/// against its digest, its size and its frontmatter, and refused where it differs. That makes content agree with what a
/// user approved; it does not make a server trustworthy, and what a skill says stays untrusted input of a model.
#[derive(Clone, Debug)]
pub struct Skills {
    client: Client,
}

/// The skills of a server, and what had to be left out of the list.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SkillList {
    /// The skills, in the server's order; two of them may share a name.
    pub skills: Vec<Skill>,
    /// The entries by which no skill may be loaded, with the reason.
    pub left_out: Vec<LeftOut>,
    /// How many pages the list had.
    pub pages: usize,
}

impl SkillList {
    /// Finds a skill by the address of its `SKILL.md`.
    pub fn find(&self, uri: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.uri == uri)
    }
}

impl Deref for SkillList {
    type Target = [Skill];

    fn deref(&self) -> &[Skill] {
        &self.skills
    }
}

impl IntoIterator for SkillList {
    type Item = Skill;
    type IntoIter = std::vec::IntoIter<Skill>;

    fn into_iter(self) -> Self::IntoIter {
        self.skills.into_iter()
    }
}

impl Skills {
    /// Tells whether the server offers skills.
    pub fn is_offered(&self) -> bool {
        self.client.capabilities().extension(SKILLS_EXTENSION).is_some()
    }

    /// Tells whether the server also lists directories.
    pub fn lists_directories(&self) -> bool {
        let capabilities = self.client.capabilities();
        let settings = capabilities.extension(SKILLS_EXTENSION).and_then(Object::read);
        settings.and_then(|settings| settings.parse::<bool>("directoryRead")).unwrap_or(false)
    }

    /// Lists the skills that the server publishes, all pages of it; there may be more, to be got by their addresses.
    ///
    /// # Errors
    ///
    /// The server offers no skills, or the list goes on past a limit or in a circle.
    pub async fn list(&self) -> Result<SkillList, Error> {
        const METHOD: &str = "skills/list";
        self.must_be(self.is_offered(), METHOD)?;
        let limits = &self.client.inner.settings.limits;
        let mut list = SkillList::default();
        let pages = Pages::new(METHOD);
        list.pages = pages
            .fetch(&self.client, json!({}), |page| {
                let page = ListSkillsResult::read(page)?;
                let before = list.skills.len() + list.left_out.len();
                list.left_out.extend(page.left_out);
                for skill in page.skills {
                    match skill.check() {
                        Ok(()) => list.skills.push(skill),
                        Err(fault) => {
                            let raw = skill.raw.as_deref().unwrap_or(&skill.frontmatter);
                            list.left_out.push(LeftOut::new(raw, before, fault));
                        }
                    }
                }
                let count = list.skills.len() + list.left_out.len();
                Ok((page.next_cursor, count <= limits.list_items))
            })
            .await?;
        Ok(list)
    }

    /// Gets what the server says of one skill, by the address of its `SKILL.md`, whether it is listed or not.
    ///
    /// # Errors
    ///
    /// The server offers no skills or not this one, or what it says breaks a rule.
    pub async fn get(&self, uri: &str) -> Result<Skill, Error> {
        const METHOD: &str = "skills/get";
        self.must_be(self.is_offered(), METHOD)?;
        let result = self.client.request(METHOD, Some(params(&json!({ "uri": uri })))).await?;
        let skill = GetSkillResult::read(&result).map_err(|fault| wrong(METHOD, &fault))?.skill;
        if skill.uri != uri {
            return Err(refused(uri, SkillFault::OtherContents));
        }
        skill.check().map_err(|fault| refused(uri, SkillFault::Entry(fault)))?;
        Ok(skill)
    }

    /// Reads the `SKILL.md` of a skill and verifies it, its frontmatter included.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub async fn load(&self, skill: &Skill) -> Result<SkillContents, Error> {
        self.read(skill, SKILL_FILE).await
    }

    /// Reads a file of a skill, by its path in the skill or by its address, and verifies it.
    ///
    /// # Errors
    ///
    /// [`Error::Skill`] says what differs: the size, the digest, a member of the frontmatter, or that the file is not
    /// listed. What differs must not be used; [`get`](Self::get) tells whether the skill has changed.
    pub async fn read(&self, skill: &Skill, file: &str) -> Result<SkillContents, Error> {
        let uri = match file.contains("://") {
            true => file.to_owned(),
            false => format!("{}/{file}", skill.root()),
        };
        let limits = &self.client.inner.settings.limits;
        verify::may_be_read(skill, &uri, limits).map_err(|fault| refused(&uri, fault))?;
        let result = self.client.read_resource(&uri).await?;
        verify::contents(skill, &uri, result, limits).map_err(|fault| refused(&uri, fault))
    }

    /// Lists what is directly in a directory now, all pages of it; a directory in it has the media type
    /// `inode/directory`.
    ///
    /// A file that a skill does not list is none of the skill, even if it is here.
    ///
    /// # Errors
    ///
    /// The server lists no directories or not this one, or the list goes on past a limit or in a circle.
    pub async fn directory(&self, uri: &str) -> Result<Vec<Resource>, Error> {
        const METHOD: &str = "resources/directory/read";
        self.must_be(self.lists_directories(), METHOD)?;
        let limits = &self.client.inner.settings.limits;
        let mut children = Vec::new();
        Pages::new(METHOD)
            .fetch(&self.client, json!({ "uri": uri }), |page| {
                let page = ReadDirectoryResult::read(page)?;
                children.extend(page.resources);
                Ok((page.next_cursor, children.len() <= limits.list_items))
            })
            .await?;
        Ok(children)
    }

    fn must_be(&self, offered: bool, method: &str) -> Result<(), Error> {
        match offered {
            true => Ok(()),
            false => Err(refused(method, SkillFault::NotOffered)),
        }
    }
}

/// All pages of one list.
struct Pages {
    method: &'static str,
    seen: HashSet<String>,
}

impl Pages {
    fn new(method: &'static str) -> Self {
        Self { method, seen: HashSet::new() }
    }

    /// Fetches page after page, and returns how many there were; the function takes one, and tells the next cursor and
    /// whether there are not too many items.
    async fn fetch(
        mut self,
        client: &Client,
        mut asked: serde_json::Value,
        mut take: impl FnMut(&RawValue) -> Result<(Option<String>, bool), Fault>,
    ) -> Result<usize, Error> {
        let limits = &client.inner.settings.limits;
        let fault = |violation| Error::from(ProtocolError::new(violation, self.method));
        for page in 1..=limits.list_pages {
            let result = client.request(self.method, Some(params(&asked))).await?;
            let (cursor, is_within) = take(&result).map_err(|fault| wrong(self.method, &fault))?;
            if !is_within {
                return Err(fault(Violation::OverLimit("items", limits.list_items)));
            }
            // Some servers end a list with an empty cursor instead of none.
            let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(page) };
            if !self.seen.insert(cursor.clone()) {
                return Err(fault(Violation::RepeatedCursor));
            }
            if let Some(asked) = asked.as_object_mut() {
                asked.insert("cursor".to_owned(), cursor.into());
            }
        }
        Err(fault(Violation::OverLimit("pages", limits.list_pages)))
    }
}

fn params(value: &serde_json::Value) -> Box<RawValue> {
    to_raw_value(value).expect("JSON serialises")
}

fn refused(uri: &str, fault: SkillFault) -> Error {
    SkillRefused { uri: uri.to_owned(), fault }.into()
}

fn wrong(method: &'static str, fault: &Fault) -> Error {
    let mut error =
        ProtocolError::new(Violation::WrongShape("a member is missing or of another shape"), method);
    error.excerpt = fault.to_string();
    error.into()
}
