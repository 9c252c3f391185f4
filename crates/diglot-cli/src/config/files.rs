//! Where the known hosts keep their configuration, nearest first.

use std::path::{Path, PathBuf};

/// The files that a project can have, from its folder.
const OF_PROJECTS: &[&[&str]] = &[&[".mcp.json"], &[".vscode", "mcp.json"], &[".cursor", "mcp.json"]];

/// The most folders that are looked through on the way up.
const HIGHEST: usize = 64;

/// Looks up an environment variable.
type Variables = Box<dyn Fn(&str) -> Option<String>>;

/// What a configuration can lean on.
pub(super) struct Surroundings {
    /// The working directory; of a project's file, the project's folder.
    pub(super) folder: PathBuf,
    pub(super) home: Option<PathBuf>,
    pub(super) variables: Variables,
}

/// What the variables of one file stand for.
pub(super) struct Within<'a> {
    /// The folder of the project that the file belongs to, or the working directory.
    pub(super) folder: PathBuf,
    pub(super) home: Option<&'a Path>,
    pub(super) variables: &'a dyn Fn(&str) -> Option<String>,
}

impl Surroundings {
    pub(super) fn of_this_process() -> Self {
        Self {
            folder: std::env::current_dir().unwrap_or_default(),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            variables: Box::new(|name| std::env::var(name).ok()),
        }
    }

    /// Sees the surroundings from a file.
    pub(super) fn within(&self, file: &Path) -> Within<'_> {
        let project = OF_PROJECTS.iter().find_map(|parts| {
            let own: PathBuf = parts.iter().collect();
            file.ends_with(&own).then(|| file.ancestors().nth(parts.len())).flatten()
        });
        let folder = project.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(&self.folder);
        Within { folder: folder.to_owned(), home: self.home.as_deref(), variables: &self.variables }
    }
}

/// Lists the files that may hold servers; most of them do not exist.
pub(super) fn known(surroundings: &Surroundings) -> Vec<PathBuf> {
    let of_project = |folder: &Path| {
        let folder = folder.to_owned();
        OF_PROJECTS.iter().map(move |parts| parts.iter().fold(folder.clone(), |path, part| path.join(part)))
    };
    let mut files: Vec<PathBuf> =
        surroundings.folder.ancestors().take(HIGHEST).flat_map(of_project).collect();
    if let Some(home) = &surroundings.home {
        files.push(home.join(".claude.json"));
        files.push(home.join(".cursor").join("mcp.json"));
        if let Some(settings) = settings(home, &surroundings.variables) {
            files.push(settings.join("Claude").join("claude_desktop_config.json"));
            files.push(settings.join("Code").join("User").join("mcp.json"));
            files.push(settings.join("Code").join("User").join("settings.json"));
        }
    }
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

/// Returns the folder where the platform keeps the settings of programs.
fn settings(home: &Path, variables: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return Some(home.join("Library").join("Application Support"));
    }
    let variable = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
    let set = variables(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.or_else(|| cfg!(not(windows)).then(|| home.join(".config")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(folder: &str) -> Surroundings {
        Surroundings { folder: folder.into(), home: Some("/me".into()), variables: Box::new(|_| None) }
    }

    #[test]
    fn the_nearest_file_comes_first() {
        let files = known(&surroundings("/a/b"));
        let at = |path: &str| files.iter().position(|file| file == Path::new(path));
        let places =
            ["/a/b/.mcp.json", "/a/b/.vscode/mcp.json", "/a/.mcp.json", "/.mcp.json", "/me/.claude.json"];
        let places: Vec<_> = places.iter().map(|place| at(place).expect("it is listed")).collect();
        assert!(places.is_sorted(), "{files:?}");
    }

    #[test]
    fn the_folder_of_a_project_is_the_one_that_its_file_is_for() {
        let surroundings = surroundings("/a/b");
        assert_eq!(surroundings.within(Path::new("/a/.vscode/mcp.json")).folder, Path::new("/a"));
        assert_eq!(surroundings.within(Path::new("/a/.mcp.json")).folder, Path::new("/a"));
        assert_eq!(surroundings.within(Path::new("/me/.claude.json")).folder, Path::new("/a/b"));
    }
}
