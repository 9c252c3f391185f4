//! A server as a child process, over its stdin and stdout.
//!
//! The child leads a process group of its own, so that whatever it starts ends with it.

#[cfg(unix)]
mod group;
#[cfg(not(unix))]
#[path = "lone.rs"]
mod group;
mod keeper;
mod shown;
mod stderr;
#[cfg(windows)]
mod windows;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};

use self::keeper::Keeper;
use self::shown::CommandLine;
use self::stderr::OnLine;
use crate::error::{TransportError, TransportFault};
use crate::limits::Limits;
use crate::transport::{Binding, BoxFuture, Connection, Transport};

/// How long a child may take to end by itself, and then on SIGTERM, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// A command that is started as a server, once for each connection.
///
/// It inherits the environment and the working directory unless told otherwise. Its stderr is always read: the last
/// lines stand in the error when it ends. Dropping the connection kills it at once, closing it gives it time.
pub struct ChildProcess {
    program: OsString,
    arguments: Vec<OsString>,
    /// What changes in the environment; nothing for a variable is its removal.
    variables: Vec<(OsString, Option<OsString>)>,
    inherits: bool,
    directory: Option<PathBuf>,
    on_stderr: Option<OnLine>,
    grace: Duration,
}

impl ChildProcess {
    /// Names the program: a path, or a word that is looked up on the path.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            variables: Vec::new(),
            inherits: true,
            directory: None,
            on_stderr: None,
            grace: GRACE,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), None));
        self
    }

    /// Removes every environment variable that is inherited or was set before.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.variables.clear();
        self.inherits = false;
        self
    }

    /// Sets the directory that the server works in.
    #[must_use]
    pub fn current_dir(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Hands every line of the server's stderr to a function, which must not block.
    ///
    /// A line comes without control characters and cut at the limit of
    /// [`Limits::stderr_line_bytes`](crate::Limits::stderr_line_bytes).
    #[must_use]
    pub fn on_stderr(mut self, on_line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(on_line));
        self
    }

    /// Sets how long the server may take to end when its input is closed, and again on SIGTERM: 2 s each.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    fn command_line(&self) -> CommandLine {
        CommandLine::new(&self.program, &self.arguments)
    }

    fn spawn(&self) -> io::Result<Child> {
        let mut command = self.command();
        if !self.inherits {
            command.env_clear();
        }
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.args(&self.arguments).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    }

    #[cfg(unix)]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.process_group(0);
        command
    }

    #[cfg(windows)]
    fn command(&self) -> Command {
        windows::command(&self.program)
    }

    #[cfg(not(any(unix, windows)))]
    fn command(&self) -> Command {
        Command::new(&self.program)
    }

    fn not_started(&self, error: io::Error) -> TransportError {
        let fault = match error.kind() {
            // The same error says that the directory or a script's interpreter is missing.
            io::ErrorKind::NotFound if !self.is_there() && self.has_directory() => {
                TransportFault::CommandNotFound
            }
            _ => TransportFault::NotStarted,
        };
        TransportError::new(fault, self.target()).because(error)
    }

    fn is_there(&self) -> bool {
        let path = Path::new(&self.program);
        path.components().count() > 1 && path.exists()
    }

    fn has_directory(&self) -> bool {
        self.directory.as_ref().is_none_or(|directory| directory.is_dir())
    }
}

impl Transport for ChildProcess {
    fn binding(&self) -> Binding {
        Binding::Pipe
    }

    fn open<'a>(&'a self, limits: &'a Limits) -> BoxFuture<'a, Result<Box<dyn Connection>, TransportError>> {
        Box::pin(async move {
            let child = self.spawn().map_err(|error| self.not_started(error))?;
            Ok(Keeper::start(child, self.target(), self.grace, self.on_stderr.clone(), limits))
        })
    }

    /// Names the command, cut short and with what looks like a secret in its arguments masked.
    fn target(&self) -> String {
        self.command_line().to_string()
    }

    fn name(&self) -> &'static str {
        "stdio"
    }

    /// Returns a key of the program and its arguments; what is masked in them does not count.
    fn key(&self) -> Option<String> {
        Some(self.command_line().key(self.directory.as_deref()))
    }
}

impl fmt::Debug for ChildProcess {
    // Arguments and variables may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildProcess")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("variables", &self.variables.len())
            .finish_non_exhaustive()
    }
}
