//! The load over pipes: one line at a time, or many that wait for their answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use crate::Failure;
use crate::http::Until;
use crate::request::{self, Over, Template, Text};

/// The first id.
const FIRST: u64 = 100_000_000;

/// The two ends of a server's pipes.
pub(crate) struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    template: Template,
    next: u64,
}

impl Pipes {
    /// Takes the pipes of a server and makes the first call.
    pub(crate) fn open(pipes: Option<(ChildStdin, ChildStdout)>) -> Result<Self, Failure> {
        let (input, output) = pipes.ok_or("the server has no pipes")?;
        let template = request::call(Over::Pipe, "tool_25", &Text::Short);
        let output = BufReader::with_capacity(256 * 1024, output);
        let mut pipes = Self { input, output, template, next: FIRST };
        pipes.one_at_a_time(Until::Count(1))?;
        Ok(pipes)
    }

    /// Waits for each answer before the next call; returns how many calls were made.
    pub(crate) fn one_at_a_time(&mut self, until: Until) -> Result<u64, Failure> {
        let begun = Instant::now();
        let mut made = 0;
        let mut line = Vec::new();
        while is_on(until, made, begun) {
            self.input.write_all(self.template.with_id(self.next))?;
            line.clear();
            self.output.read_until(b'\n', &mut line)?;
            let id = format!("\"id\":{}", self.next);
            let has = |text: &str| memchr::memmem::find(&line, text.as_bytes()).is_some();
            if !has(&id) || !has("\"result\":{") || has("\"isError\":true") {
                return Err(format!("a bad answer: {}", String::from_utf8_lossy(&line)).into());
            }
            self.next += 1;
            made += 1;
        }
        Ok(made)
    }

    /// Keeps a number of calls waiting; returns how many were made.
    pub(crate) fn outstanding(&mut self, most: u64, until: Until) -> Result<u64, Failure> {
        let begun = Instant::now();
        let (mut made, mut answered) = (0, 0);
        let mut batch = Vec::new();
        let mut buffer = vec![0; 256 * 1024];
        loop {
            batch.clear();
            while made - answered < most && is_on(until, made, begun) {
                batch.extend_from_slice(self.template.with_id(self.next));
                self.next += 1;
                made += 1;
            }
            if made == answered {
                return Ok(made);
            }
            self.input.write_all(&batch)?;
            let read = self.output.read(&mut buffer)?;
            let answers = buffer.get(..read).unwrap_or_default();
            answered += memchr::memchr_iter(b'\n', answers).count() as u64;
            if read == 0 || memchr::memmem::find(answers, b"\"error\"").is_some() {
                return Err(format!("a bad answer: {}", String::from_utf8_lossy(answers)).into());
            }
        }
    }

    /// Writes calls and reads no answer, for as long as the server takes them, up to a number.
    ///
    /// Returns the thread that writes; it ends when the server does.
    pub(crate) fn flood(self, calls: u64) -> (std::thread::JoinHandle<()>, BufReader<ChildStdout>) {
        let Self { mut input, output, mut template, next, .. } = self;
        let writer = std::thread::spawn(move || {
            for id in next..next + calls {
                if input.write_all(template.with_id(id)).is_err() {
                    return;
                }
            }
        });
        (writer, output)
    }
}

fn is_on(until: Until, made: u64, begun: Instant) -> bool {
    match until {
        Until::Count(count) => made < count,
        // The clock is looked at now and then only.
        Until::Time(time) => !made.is_multiple_of(16) || begun.elapsed() < time,
    }
}
