//! Starting programs on Windows: `npx` is a `.cmd` there, which only a shell would find by that name.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tokio::process::Command;

const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// Begins a command that opens no console window.
pub(super) fn command(program: &OsStr) -> Command {
    let mut command = match look_up(Path::new(program)) {
        // The standard library runs batch files by their full name, and escapes their arguments.
        Some(path) => Command::new(path),
        None => Command::new(program),
    };
    command.creation_flags(CREATE_NO_WINDOW);
    command
}

/// Finds a bare word on the path, with each of the extensions that programs have.
fn look_up(program: &Path) -> Option<PathBuf> {
    if program.components().count() != 1 || program.extension().is_some() {
        return None;
    }
    let extensions = env::var("PATHEXT").unwrap_or_else(|_| ".COM;.EXE;.BAT;.CMD".to_owned());
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .flat_map(|folder| {
            extensions.split(';').filter(|extension| !extension.is_empty()).map(move |extension| {
                let mut name = folder.join(program).into_os_string();
                name.push(extension);
                PathBuf::from(name)
            })
        })
        .find(|path| path.is_file())
}
