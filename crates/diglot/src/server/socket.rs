//! A listening Unix socket for one user, whose file comes and goes with it.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

/// A listening socket; dropping it removes its file.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) listener: UnixListener,
    path: PathBuf,
    /// The device and number of the file, by which it is told from one that took its place.
    file: (u64, u64),
}

impl Socket {
    /// Listens at a path, at which only this user may connect.
    ///
    /// The file of a server that is gone is replaced; one that is alive, or is no socket, is left alone.
    pub(crate) fn bind(path: &Path) -> io::Result<Self> {
        make_way(path)?;
        let listener = listen(path)?;
        let metadata = fs::symlink_metadata(path)?;
        Ok(Self { listener, path: path.to_owned(), file: (metadata.dev(), metadata.ino()) })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let is_ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == self.file);
        if is_ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, path = %self.path.display(), "the socket's file cannot be removed");
        }
    }
}

/// Makes sure that nobody listens at the path.
fn make_way(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the path is taken by something else"));
    }
    match net::UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens at the path")),
    }
}

/// Begins to listen, in a directory that nobody else may enter, and then moves the socket's file to its place.
///
/// So there is no moment at which another user could connect, and none without a file where an old one was.
fn listen(path: &Path) -> io::Result<UnixListener> {
    let mut directory = path.as_os_str().to_owned();
    // A short name, since the whole path of a socket has little more than 100 bytes.
    directory.push(format!(".{:x}", std::process::id()));
    let directory = PathBuf::from(directory);
    DirBuilder::new().mode(0o700).create(&directory)?;
    let hidden = directory.join("s");
    let listener = UnixListener::bind(&hidden).and_then(|listener| {
        fs::set_permissions(&hidden, Permissions::from_mode(0o600))?;
        fs::rename(&hidden, path)?;
        Ok(listener)
    });
    if listener.is_err() {
        // There may be none.
        let _ = fs::remove_file(&hidden);
    }
    fs::remove_dir(&directory)?;
    listener
}
