//! Skills as they lie in the file system.
//!
//! Links are followed to files within the skill and nowhere else, sizes are known before anything is read, and what
//! begins with a dot stays where it is: `.git` and `.env` are not for clients.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use diglot_proto::types::{SKILL_BYTES, SKILL_FILES};

use super::error::SkillError;
use crate::skill::SKILL_FILE;

/// How deeply directories may be nested.
const DEPTH: usize = 32;

/// How many entries of directories are looked at in search of skills.
const ENTRIES: usize = 100_000;

/// A directory that was read.
pub(super) struct Tree {
    /// Its name.
    pub(super) name: String,
    /// Its files by their paths in it.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

/// Reads the directory of one skill.
pub(super) fn read(path: &Path) -> Result<Tree, SkillError> {
    let root = fs::canonicalize(path).map_err(io(path))?;
    let mut found = Found { root: root.clone(), files: Vec::new(), bytes: 0 };
    found.walk(&root, "", 0)?;
    if !found.files.iter().any(|(path, _)| path == SKILL_FILE) {
        return Err(SkillError::NoSkillFile);
    }
    let name = root.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    Ok(Tree { name: name.ok_or(SkillError::Odd { path: root })?, files: found.files })
}

/// Reads every skill in a directory and below it, each with the way to it.
pub(super) fn find(path: &Path) -> Result<Vec<(String, Tree)>, SkillError> {
    let root = fs::canonicalize(path).map_err(io(path))?;
    let mut skills = Vec::new();
    let mut entries = 0;
    let mut waiting = vec![(root.clone(), Vec::<String>::new())];
    while let Some((folder, way)) = waiting.pop() {
        if way.len() > DEPTH {
            return Err(SkillError::TooDeep { limit: DEPTH });
        }
        let mut is_skill = false;
        for (path, name) in list(&folder)? {
            entries += 1;
            if entries > ENTRIES {
                return Err(SkillError::TooManyFiles { limit: ENTRIES });
            }
            is_skill |= name == SKILL_FILE;
            if fs::symlink_metadata(&path).map_err(io(&path))?.is_dir() {
                let deeper = way.iter().cloned().chain([name]).collect();
                waiting.push((path, deeper));
            }
        }
        if is_skill {
            // The last step of the way is the name; where there is none, the directory itself is the skill.
            let prefix = way.split_last().map(|(_, prefix)| prefix.join("/")).unwrap_or_default();
            skills.push((way, prefix, read(&folder)?));
        }
    }
    skills.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    match skills.is_empty() {
        true => Err(SkillError::NoSkill { path: root }),
        false => Ok(skills.into_iter().map(|(_, prefix, tree)| (prefix, tree)).collect()),
    }
}

/// What was found of a skill so far.
struct Found {
    root: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    bytes: u64,
}

impl Found {
    fn walk(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), SkillError> {
        if depth > DEPTH {
            return Err(SkillError::TooDeep { limit: DEPTH });
        }
        for (path, name) in list(folder)? {
            let relative = format!("{prefix}{name}");
            let kind = fs::symlink_metadata(&path).map_err(io(&path))?.file_type();
            if kind.is_dir() {
                self.walk(&path, &format!("{relative}/"), depth + 1)?;
            } else if kind.is_symlink() {
                let target = fs::canonicalize(&path).map_err(io(&path))?;
                if !target.starts_with(&self.root) || !target.is_file() {
                    return Err(SkillError::Outside { path });
                }
                self.add(&target, relative)?;
            } else if kind.is_file() {
                self.add(&path, relative)?;
            } else {
                return Err(SkillError::Odd { path });
            }
        }
        Ok(())
    }

    /// Reads a file, and no more of it than may be: it can grow while it is read.
    fn add(&mut self, path: &Path, relative: String) -> Result<(), SkillError> {
        if self.files.len() >= SKILL_FILES {
            return Err(SkillError::TooManyFiles { limit: SKILL_FILES });
        }
        let too_large = || SkillError::TooLarge { limit: SKILL_BYTES };
        let left = SKILL_BYTES - self.bytes;
        let file = File::open(path).map_err(io(path))?;
        if file.metadata().map_err(io(path))?.len() > left {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        file.take(left + 1).read_to_end(&mut bytes).map_err(io(path))?;
        self.bytes += size(&bytes);
        if self.bytes > SKILL_BYTES {
            return Err(too_large());
        }
        self.files.push((relative, bytes));
        Ok(())
    }
}

/// Counts bytes in the type of sizes.
pub(super) fn size(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Lists what is in a directory, by name, without what begins with a dot.
fn list(folder: &Path) -> Result<Vec<(PathBuf, String)>, SkillError> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(io(folder))? {
        let path = entry.map_err(io(folder))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Err(SkillError::Odd { path });
        };
        if !name.starts_with('.') {
            let name = name.to_owned();
            entries.push((path, name));
        }
    }
    entries.sort();
    Ok(entries)
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> SkillError + '_ {
    |source| SkillError::Io { path: path.to_owned(), source }
}
