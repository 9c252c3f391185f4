//! A program under measurement: started on one core, its time and memory read from outside, ended in good order.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::Failure;

/// The core of the programs that are measured; the load and the other end have the other one.
const CORE: &str = "1";

/// A running program: a server, or a client that is told what to do over its pipes.
pub(crate) struct Server {
    child: Child,
    pid: Pid,
    /// Where it listens, if it does.
    pub(crate) address: String,
    /// The end of its pipes, if it has them.
    pub(crate) pipes: Option<(ChildStdin, ChildStdout)>,
}

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub(crate) struct How {
    /// Where callgrind writes its counts, if they are wanted.
    pub(crate) counts: Option<PathBuf>,
    /// Whether it stays on the core of the driver, as the other end of what is measured does.
    pub(crate) is_other_end: bool,
}

impl Server {
    /// Starts a program that prints its address as its first line.
    pub(crate) fn http(program: &Path, arguments: &[&str], how: &How) -> Result<Self, Failure> {
        let mut child = command(program, arguments, how).stdin(Stdio::null()).spawn()?;
        let mut address = String::new();
        let output = child.stdout.take().ok_or("the program has no output")?;
        BufReader::new(output).read_line(&mut address)?;
        let address = address.trim().to_owned();
        if address.is_empty() {
            return Err(format!("{} did not say where it listens", program.display()).into());
        }
        Ok(Self { pid: pid(&child)?, child, address, pipes: None })
    }

    /// Starts a program that talks over its pipes.
    pub(crate) fn stdio(program: &Path, arguments: &[&str], how: &How) -> Result<Self, Failure> {
        let mut child = command(program, arguments, how).stdin(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        Ok(Self { pid: pid(&child)?, child, address: String::new(), pipes })
    }

    /// Returns the processor time that the program has used, in all its threads, in user space and in the kernel.
    pub(crate) fn used(&self) -> Result<Duration, Failure> {
        let time = clock_gettime(clock_getcpuclockid(self.pid)?)?;
        Ok(Duration::from(time))
    }

    /// Returns the resident memory in bytes.
    pub(crate) fn resident(&self) -> Result<f64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("no memory is told")?;
        Ok(kib.parse::<f64>()? * 1024.0)
    }

    /// Ends the program and waits until it is gone.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        drop(self.pipes.take());
        // It may have gone by itself.
        let _ = kill(self.pid, Signal::SIGTERM);
        self.child.wait()?;
        Ok(())
    }
}

fn pid(child: &Child) -> Result<Pid, Failure> {
    Ok(Pid::from_raw(i32::try_from(child.id())?))
}

/// Holds the program to one core, where `taskset` is there to do it, and counts its instructions if that is wanted.
fn command(program: &Path, arguments: &[&str], how: &How) -> Command {
    let mut words: Vec<String> = Vec::new();
    if has("taskset") && !how.is_other_end {
        words.extend(["taskset", "-c", CORE].map(str::to_owned));
    }
    if let Some(counts) = &how.counts {
        words.extend(["valgrind", "--tool=callgrind", "-q"].map(str::to_owned));
        words.push(format!("--callgrind-out-file={}", counts.display()));
    }
    words.push(program.display().to_string());
    words.extend(arguments.iter().map(|&word| word.to_owned()));
    let mut words = words.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Tells whether a command is there.
pub(crate) fn has(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
