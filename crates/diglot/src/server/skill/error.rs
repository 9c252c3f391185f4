//! Why a skill cannot be offered.

use std::fmt;
use std::path::PathBuf;

use crate::error::FrontmatterError;

/// A skill that cannot be offered.
#[derive(Debug)]
#[non_exhaustive]
pub enum SkillError {
    /// The directory cannot be read.
    Io {
        /// What was read.
        path: PathBuf,
        /// Why it could not be.
        source: std::io::Error,
    },
    /// There is no `SKILL.md`.
    NoSkillFile,
    /// No directory in this one has a `SKILL.md`.
    NoSkill {
        /// The directory.
        path: PathBuf,
    },
    /// The frontmatter of `SKILL.md` cannot be read.
    Frontmatter(FrontmatterError),
    /// The name breaks the rules of names, or is not that of the directory.
    Name {
        /// The name in the frontmatter; empty where there is none.
        name: String,
        /// The name of the directory, where the skill was read from one.
        directory: Option<String>,
    },
    /// The frontmatter does not say what the skill is for.
    NoDescription {
        /// The name of the skill.
        name: String,
    },
    /// The path of a file, or the prefix, is no plain relative path.
    Path {
        /// The path.
        path: String,
    },
    /// A link leads out of the directory, or to another directory.
    Outside {
        /// Where the link is.
        path: PathBuf,
    },
    /// What is there is neither a file nor a directory, or its name is not UTF-8.
    Odd {
        /// Where it is.
        path: PathBuf,
    },
    /// There are more files than every host accepts.
    TooManyFiles {
        /// The limit.
        limit: usize,
    },
    /// The files have more bytes together than every host accepts.
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// Directories are nested more deeply than the limit.
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, .. } => write!(f, "{} cannot be read", path.display()),
            Self::NoSkillFile => f.write_str("it has no SKILL.md"),
            Self::NoSkill { path } => write!(f, "there is no SKILL.md in {} or below it", path.display()),
            Self::Frontmatter(_) => f.write_str("the frontmatter of SKILL.md cannot be read"),
            Self::Name { name, directory: Some(directory) } if name != directory => {
                write!(
                    f,
                    "its name is {name:?} and that of its directory {directory:?}; they have to be the same"
                )
            }
            Self::Name { name, .. } => write!(
                f,
                "its name {name:?} is not made of 1 to 64 lower-case letters, digits and single hyphens"
            ),
            Self::NoDescription { name } => write!(f, "the frontmatter of {name} has no description"),
            Self::Path { path } => write!(f, "{path:?} is no plain relative path, divided by slashes"),
            Self::Outside { path } => {
                write!(f, "the link {} leads out of the skill, or to a directory", path.display())
            }
            Self::Odd { path } => write!(f, "{} is no plain file with a name in UTF-8", path.display()),
            Self::TooManyFiles { limit } => write!(f, "it has more than the limit of {limit} files"),
            Self::TooLarge { limit } => write!(f, "its files have more than the limit of {limit} bytes"),
            Self::TooDeep { limit } => write!(f, "its directories are nested more than {limit} deep"),
        }
    }
}

impl std::error::Error for SkillError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Frontmatter(error) => Some(error),
            _ => None,
        }
    }
}
