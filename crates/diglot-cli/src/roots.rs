//! `--root DIR`: the folders that a server may work in.

use std::path::{Path, PathBuf};

use diglot::types::Root;
use url::Url;

use crate::failure::Failure;

/// Reads folders, which must be there, as roots with absolute addresses.
pub(crate) fn read(folders: &[PathBuf]) -> Result<Vec<Root>, Failure> {
    folders.iter().map(|folder| root(folder)).collect()
}

fn root(folder: &Path) -> Result<Root, Failure> {
    let wrong = |what: String| Failure::usage(format!("--root {}: {what}", folder.display()));
    let path = folder.canonicalize().map_err(|error| wrong(error.to_string()))?;
    if !path.is_dir() {
        return Err(wrong("it is no folder".to_owned()));
    }
    let uri = Url::from_file_path(&path).map_err(|()| wrong("it has no address".to_owned()))?;
    let root = Root::new(uri.as_str());
    Ok(match path.file_name() {
        Some(name) => root.name(name.to_string_lossy()),
        None => root,
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_root_with_an_escaped_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b é");
        std::fs::create_dir(&path).unwrap();
        let roots = read(&[path]).unwrap();
        let [root] = roots.as_slice() else { panic!("{roots:?}") };
        assert!(root.uri.starts_with("file:///") && root.uri.ends_with("/a%20b%20%C3%A9"), "{}", root.uri);
        assert_eq!(root.name.as_deref(), Some("a b é"));
    }

    #[test]
    fn what_is_no_folder_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(read(&[file.path().to_owned()]).unwrap_err().message.ends_with("it is no folder"));
        assert!(read(&["/no/such/folder".into()]).is_err());
    }
}
