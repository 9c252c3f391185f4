//! Processes that end when they should: a command with a time limit, and a server that dies with its owner.
//!
//! Both run below a small shell that holds a pipe from this process. When the pipe closes, by `Drop`, by a panic or
//! because this process was killed, the shell ends what it started. Unix only.

use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The pause between two looks at a process or a port.
const POLL: Duration = Duration::from_millis(20);

/// How long a server may take to accept connections.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long a server may take to end after it was asked to.
const STOP_LIMIT: Duration = Duration::from_secs(3);

/// How long one run of a client may take.
pub(crate) const COMMAND_LIMIT: Duration = Duration::from_secs(90);

/// How much of a process's output a report repeats, in characters.
const TAIL: usize = 1500;

/// Runs the words behind it until they end, or until the standard input does.
const GUARD: &str = r#"exec 3<&0
"$@" </dev/null 3<&- & peer=$!
(while read -r _ <&3; do :; done; kill "$peer" 2>/dev/null) & watch=$!
wait "$peer"; status=$?; kill "$watch" 2>/dev/null; exit "$status""#;

/// What a finished command left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
}

impl Finished {
    /// Reads the one JSON value on standard output; a failed command still prints one where its contract says so.
    pub(crate) fn object(&self) -> Result<Value, String> {
        let Self { status, stdout, stderr, .. } = self;
        serde_json::from_str(stdout).map_err(|error| {
            format!("no JSON on standard output ({status}): {error}\n{}", tail(&format!("{stdout}{stderr}")))
        })
    }
}

/// Runs words to their end, or kills what they started at the limit.
///
/// The error names the command and shows the end of its output; an exit status other than zero is not an error here.
pub(crate) fn run(words: &[String], limit: Duration, log: &Path) -> Result<Finished, String> {
    let (out, err) = (log.with_extension("out"), log.with_extension("err"));
    let shown = words.join(" ");
    let begun = Instant::now();
    let mut child = spawn(&mut guarded(words), &out, &err)?;
    let status = wait(&mut child, limit).map_err(|error| format!("waiting for `{shown}`: {error}"))?;
    let elapsed = begun.elapsed();
    let Some(status) = status else {
        kill_group(&mut child);
        return Err(format!("`{shown}` did not end within {} s\n{}", limit.as_secs(), tails(&out, &err)));
    };
    Ok(Finished { status, stdout: text(&out), stderr: text(&err), elapsed })
}

/// Runs a step of the installation, which has to succeed, and gives its standard output.
///
/// It stays in this process's group, so that an interrupt at the terminal reaches it too.
pub(crate) fn run_well(command: &mut Command, log: &Path) -> Result<String, String> {
    let (out, err) = (log.with_extension("out"), log.with_extension("err"));
    let status = spawn(command.stdin(Stdio::null()), &out, &err)?.wait();
    match status {
        Ok(status) if status.success() => Ok(text(&out)),
        Ok(status) => Err(format!("`{}` failed ({status})\n{}", show(command), tails(&out, &err))),
        Err(error) => Err(format!("waiting for `{}`: {error}", show(command))),
    }
}

/// A server that is accepting connections; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Server {
    guard: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts the command that `words` gives for a free port, and waits until it accepts connections.
    pub(crate) fn start(words: impl Fn(u16) -> Vec<String>, log: &Path) -> Result<Self, String> {
        let port = free_port().map_err(|error| format!("finding a free port: {error}"))?;
        let words = words(port);
        let (out, err) = (log.with_extension("out"), log.with_extension("err"));
        let guard = spawn(guarded(&words).env("PORT", port.to_string()), &out, &err)?;
        let mut server = Self { guard, port };
        server
            .await_ready()
            .map_err(|fault| format!("`{}` {fault}\n{}", words.join(" "), tails(&out, &err)))?;
        Ok(server)
    }

    fn await_ready(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        while begun.elapsed() < START_LIMIT {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return Ok(());
            }
            if let Ok(Some(status)) = self.guard.try_wait() {
                return Err(format!("ended before it accepted a connection ({status})"));
            }
            sleep(POLL);
        }
        Err(format!("did not accept a connection within {} s", START_LIMIT.as_secs()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        if !matches!(wait(&mut self.guard, STOP_LIMIT), Ok(Some(_))) {
            kill_group(&mut self.guard);
        }
    }
}

/// The end of a long text.
pub(crate) fn tail(text: &str) -> String {
    let text = text.trim_end();
    let skip = text.chars().count().saturating_sub(TAIL);
    let mark = if skip > 0 { "…" } else { "" };
    mark.chars().chain(text.chars().skip(skip)).collect()
}

fn guarded(words: &[String]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", GUARD, "sh"]).args(words).stdin(Stdio::piped());
    // A proxy of the machine must not stand between the client and the loopback interface.
    command.env("NO_PROXY", "127.0.0.1,localhost").env("no_proxy", "127.0.0.1,localhost");
    own_group(&mut command);
    command
}

fn spawn(command: &mut Command, out: &Path, err: &Path) -> Result<Child, String> {
    let file =
        |path: &Path| File::create(path).map_err(|error| format!("creating {}: {error}", path.display()));
    command.stdout(file(out)?).stderr(file(err)?);
    command.spawn().map_err(|error| format!("starting `{}`: {error}", show(command)))
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= limit {
            return Ok(None);
        }
        sleep(POLL);
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Kills a child and, where groups exist, everything in its group.
fn kill_group(child: &mut Child) {
    if cfg!(unix) {
        // The standard library can make a group and cannot kill one. A failure leaves the direct kill below.
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn tails(out: &Path, err: &Path) -> String {
    tail(&format!("{}{}", text(out), text(err)))
}

fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    if read.is_ok() { String::from_utf8_lossy(&bytes).into_owned() } else { String::new() }
}
