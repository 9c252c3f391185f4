//! Skills whose content is not what the server said of it.

use std::fmt;

use diglot_proto::types::Fault;

/// A skill, or a file of one, that must not be used.
///
/// Where the content differs, the skill may have changed since it was listed: get it again, and let the user approve it
/// again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkillRefused {
    /// The address of the file, or of the skill.
    pub uri: String,
    /// What is wrong with it.
    pub fault: SkillFault,
}

/// What is wrong with a skill, or with one of its files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SkillFault {
    /// The server does not declare the extension, or not the part of it that is needed.
    NotOffered,
    /// What the server says of the skill breaks a rule.
    Entry(Fault),
    /// The file is not one of those that the skill lists.
    Unlisted,
    /// The server did not send the file, but something else.
    OtherContents,
    /// What was sent as Base64 is none.
    NotBase64,
    /// The file has another size than the skill says.
    Size {
        /// What the skill says, in bytes.
        said: u64,
        /// What came, in bytes.
        found: u64,
    },
    /// The file has another digest than the skill says.
    Digest {
        /// What the skill says.
        said: String,
        /// That of what came.
        found: String,
    },
    /// The frontmatter of `SKILL.md` cannot be read.
    Unreadable(FrontmatterError),
    /// A member of the frontmatter differs from what the skill says.
    Frontmatter {
        /// The member.
        member: String,
    },
    /// The skill is larger than a limit: its name, and what it is set to.
    OverLimit(&'static str, u64),
}

impl fmt::Display for SkillRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = &self.uri;
        match &self.fault {
            SkillFault::NotOffered => write!(f, "{uri} cannot be asked for: the server does not offer it"),
            SkillFault::Entry(fault) => write!(f, "the skill {uri} is not usable: {fault}"),
            SkillFault::Unlisted => write!(f, "{uri} is none of the files that the skill lists"),
            SkillFault::OtherContents => write!(f, "the server sent something else than {uri}"),
            SkillFault::NotBase64 => write!(f, "{uri} was sent as Base64 and is none"),
            SkillFault::Size { said, found } => {
                write!(f, "{uri} has {found} bytes, and the skill says {said}")
            }
            SkillFault::Digest { said, found } => {
                write!(f, "{uri} has the digest {found}, and the skill says {said}")
            }
            SkillFault::Unreadable(_) => write!(f, "{uri} is no SKILL.md"),
            SkillFault::Frontmatter { member } => {
                write!(f, "the frontmatter of {uri} differs from what the skill says of it in {member:?}")
            }
            SkillFault::OverLimit(name, limit) => {
                write!(f, "the skill {uri} goes past the limit of {limit} {name}")
            }
        }
    }
}

impl std::error::Error for SkillRefused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            SkillFault::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<SkillRefused> for super::Error {
    fn from(error: SkillRefused) -> Self {
        Self::Skill(Box::new(error))
    }
}

/// Why a `SKILL.md` has no frontmatter that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrontmatterError {
    /// The file is not UTF-8.
    NotText,
    /// The file does not begin with a line of three hyphens.
    Missing,
    /// No second line of three hyphens ends it.
    Unended,
    /// It is longer than the limit, in bytes.
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// It is no YAML, or YAML that has no place here.
    Yaml {
        /// The line in the file, from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// It is YAML, and not a mapping.
    NotAMapping,
}

impl fmt::Display for FrontmatterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => f.write_str("it is not UTF-8"),
            Self::Missing => f.write_str("it does not begin with frontmatter, that is with a line `---`"),
            Self::Unended => f.write_str("no line `---` ends its frontmatter"),
            Self::TooLong { limit } => write!(f, "its frontmatter is longer than {limit} bytes"),
            Self::Yaml { line, what } => write!(f, "its frontmatter is wrong in line {line}: {what}"),
            Self::NotAMapping => f.write_str("its frontmatter is no mapping of names to values"),
        }
    }
}

impl std::error::Error for FrontmatterError {}
