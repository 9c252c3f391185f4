//! Skills, of the extension `io.modelcontextprotocol/skills`: directories of files that teach a model something.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::jsonrpc::peek;
use crate::object::Object;
use crate::types::shape::Field;
use crate::types::{Fault, LeftOut, Resource};

/// How many files a skill may have for every host to load it.
pub const SKILL_FILES: usize = 512;

/// How many bytes the files of a skill may have together for every host to load it: 16 MiB.
pub const SKILL_BYTES: u64 = 16 * 1024 * 1024;

/// The media type of a directory, among resources.
pub const DIRECTORY_TYPE: &str = "inode/directory";

/// The end of the address of a skill.
const SKILL_FILE: &str = "/SKILL.md";

/// The word for files that change by themselves.
const DYNAMIC: &str = "dynamic";

record! {
    /// A file of a skill, with the digest and the size of what it holds.
    SkillResource {
        /// Where it is.
        required uri: String = "uri";
        /// The SHA-256 of its bytes: `sha256:` and 64 digits of lower-case hexadecimal.
        required digest: String = "digest";
        /// How many bytes it has, before any encoding.
        required size: u64 = "size";
    }
}

/// The files of a skill.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SkillResources {
    /// All of them, `SKILL.md` included.
    Listed(Vec<SkillResource>),
    /// They are made when they are read, so that nothing can be said of them beforehand.
    Dynamic,
}

record! {
    /// What a server says of one skill: all that a host needs to show it, to have it approved, and to verify its files.
    Skill {
        /// Where its `SKILL.md` is.
        required uri: String = "uri";
        /// The frontmatter of `SKILL.md` as a JSON object, every member of it.
        required frontmatter: Box<RawValue> as AnyObject = "frontmatter";
        /// Its files.
        required resources: SkillResources = "resources";
    } with raw
}

record! {
    /// The answer to `skills/list`.
    ListSkillsResult {
        /// The skills of this page.
        expected skills: Vec<Skill> = "skills";
    } with page, cache, result, meta, left_out
}

record! {
    /// The parameters of `skills/get`.
    GetSkillParams {
        /// Where the `SKILL.md` of the skill is.
        required uri: String = "uri";
    } with meta
}

record! {
    /// The answer to `skills/get`.
    GetSkillResult {
        /// The skill.
        required skill: Skill = "skill";
    } with cache, result, meta
}

record! {
    /// The parameters of `resources/directory/read`.
    ReadDirectoryParams {
        /// Where the directory is, without a slash at the end.
        required uri: String = "uri";
        /// The cursor of the page, where it is not the first.
        optional cursor: String = "cursor";
    } with meta
}

record! {
    /// The answer to `resources/directory/read`.
    ReadDirectoryResult {
        /// What is directly in the directory; a directory in it has the media type [`DIRECTORY_TYPE`].
        expected resources: Vec<Resource> = "resources";
    } with page, result, meta, left_out
}

impl Skill {
    /// Returns the name of the skill, which is a label and no identifier; empty where the frontmatter has none.
    pub fn name(&self) -> String {
        self.text("name")
    }

    /// Returns what the skill is for; empty where the frontmatter does not say.
    pub fn description(&self) -> String {
        self.text("description")
    }

    fn text(&self, member: &str) -> String {
        Object::read(&self.frontmatter).and_then(|object| object.string(member)).unwrap_or_default()
    }

    /// Returns the directory of the skill, without a slash at the end.
    pub fn root(&self) -> &str {
        self.uri.strip_suffix(SKILL_FILE).unwrap_or(&self.uri)
    }

    /// Finds what the skill says of one of its files.
    pub fn find(&self, uri: &str) -> Option<&SkillResource> {
        match &self.resources {
            SkillResources::Listed(files) => files.iter().find(|file| file.uri == uri),
            SkillResources::Dynamic => None,
        }
    }

    /// Whether an address lies in the directory of the skill; one that climbs or repeats a slash does not.
    pub fn contains(&self, uri: &str) -> bool {
        let path = uri.strip_prefix(self.root()).and_then(|rest| rest.strip_prefix('/'));
        path.is_some_and(|path| path.split('/').all(|segment| !matches!(segment, "" | "." | "..")))
    }

    /// Checks the rules by which a host may load the skill.
    ///
    /// # Errors
    ///
    /// [`Fault`] names the member that breaks one: the address, the frontmatter, or the files.
    pub fn check(&self) -> Result<(), Fault> {
        let uri = |reason| Fault::new("uri", reason);
        let frontmatter = |reason| Fault::new("frontmatter", reason);
        let Some((root, name)) = self.uri.strip_suffix(SKILL_FILE).and_then(|root| root.rsplit_once('/'))
        else {
            return Err(uri("its uri does not end in a name and /SKILL.md"));
        };
        if !root.contains(":/") {
            return Err(uri("its uri has no scheme"));
        }
        if !is_skill_name(name) {
            return Err(uri("its name is not made of 1 to 64 lower-case letters, digits and single hyphens"));
        }
        if self.name() != name {
            return Err(frontmatter("the name in its frontmatter is not the one in its uri"));
        }
        if self.description().is_empty() {
            return Err(frontmatter("its frontmatter has no description"));
        }
        match &self.resources {
            SkillResources::Listed(files) => self.check_files(files),
            SkillResources::Dynamic => Ok(()),
        }
    }

    fn check_files(&self, files: &[SkillResource]) -> Result<(), Fault> {
        let fault = |reason| Err(Fault::new("resources", reason));
        let mut seen = BTreeSet::new();
        for file in files {
            if !self.contains(&file.uri) {
                return fault("one of its files is not in its directory");
            }
            if !seen.insert(file.uri.as_str()) {
                return fault("one of its files is listed twice");
            }
            if !is_digest(&file.digest) {
                return fault("the digest of one of its files is no SHA-256");
            }
        }
        match seen.contains(self.uri.as_str()) {
            true => Ok(()),
            false => fault("its files lack its SKILL.md"),
        }
    }
}

/// Whether a text can be the name of a skill: 1 to 64 lower-case letters, digits and single hyphens, none at an end.
pub fn is_skill_name(name: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&name.len())
        && name.bytes().all(is_good)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

fn is_digest(digest: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    digest.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.bytes().all(is_digit))
}

impl Serialize for SkillResources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(files) => files.serialize(serializer),
            Self::Dynamic => serializer.serialize_str(DYNAMIC),
        }
    }
}

/// The list counts as a whole: where one entry cannot be read, nobody knows what the skill is.
impl Field for SkillResources {
    fn read_field(raw: &RawValue, _: &mut Vec<LeftOut>) -> Result<Self, Fault> {
        if peek::text(raw).as_deref() == Some(DYNAMIC) {
            return Ok(Self::Dynamic);
        }
        let files: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_| Fault::SHAPE)?;
        files.into_iter().map(SkillResource::read).collect::<Result<_, _>>().map(Self::Listed)
    }
}
