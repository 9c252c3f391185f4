//! The limits on what a peer can grow, each with a name and a default.

use std::time::Duration;

/// Sizes and counts past which an answer, a list or a queue is refused.
///
/// Every limit has a default that real servers stay far below; an error that a limit causes names it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The largest message, body, line or event, in bytes: 64 MiB.
    pub message_bytes: usize,
    /// The longest excerpt in errors and trails, in bytes: 8 KiB.
    pub excerpt_bytes: usize,
    /// The most items of a list over all its pages: 100 000.
    pub list_items: usize,
    /// The most pages of a list: 1 000.
    pub list_pages: usize,
    /// The most files of a skill that is loaded: 512, which every server may count on.
    pub skill_files: usize,
    /// The most bytes that the files of a skill have together: 16 MiB, which every server may count on.
    pub skill_bytes: u64,
    /// The most notifications that wait for their reader; the oldest is dropped past it: 1 024.
    pub queued_messages: usize,
    /// The most lines that are kept of a child's stderr: 50.
    pub stderr_lines: usize,
    /// The longest line that is kept of a child's stderr, in bytes: 4 KiB.
    pub stderr_line_bytes: usize,
    /// The most bytes that wait to be written to a pipe before senders wait: 4 MiB.
    pub unsent_bytes: usize,
    /// The shortest time between two looks at a task, whatever the server suggests: 100 ms.
    pub task_poll_shortest: Duration,
    /// The time between two looks at a task where the server suggests none: 1 second.
    pub task_poll_default: Duration,
    /// The longest time between two looks at a task, whatever the server suggests: 1 minute.
    pub task_poll_longest: Duration,
    /// The longest time that a task is waited for, where the call does not say: 1 day.
    pub task_time: Duration,
    /// The most questions that one task may ask: 1 000.
    pub task_inputs: usize,
    /// The most requests of a client that await their answers at once: 16 384.
    pub open_requests: usize,
    /// The most rounds of input of one request: 32. A server that asks for more is taken to ask for ever.
    pub input_rounds: usize,
    /// The most requests for input in one round, and the most requests of a legacy server that are answered at the same
    /// time: 64.
    pub input_requests: usize,
    /// The most results that are kept because the server lets them be: 1 024; the least used goes first. With 0 there
    /// is no cache.
    pub cache_entries: usize,
    /// The most memory for results that are kept, in bytes: 16 MiB. A larger result is not kept.
    pub cache_bytes: usize,
    /// The longest time that a result is kept, whatever the server says: 24 hours.
    pub cache_age: Duration,
    /// The most memory for what is remembered of listed tools, in bytes of their schemas: 16 MiB. Tools past it are
    /// called without being checked, and with headers only after their server has asked for them.
    pub known_tool_bytes: usize,
    /// The most times in a minute that a lost connection is opened anew, tries that fail included: 10.
    pub reopenings_per_minute: usize,
    /// The most times in a row that a wire that ended is opened anew, such as a process that exits: 5.
    ///
    /// One that lasted for a minute ends the row, and so does a minute without a try.
    pub restarts_in_a_row: usize,
    /// How long the first reopening of a wire that ended waits; each further one in a row twice as long: 500 ms.
    pub restart_wait: Duration,
    /// The longest that the reopening of a wire that ended waits: 30 s.
    pub restart_wait_most: Duration,
    /// The most tries in a row to take a broken event stream up again that bring nothing: 5.
    pub resume_tries: usize,
    /// How long the first of them waits where the server names no time; each further one twice as long: 500 ms.
    pub resume_wait: Duration,
    /// The shortest that any of them waits, whatever the server names: 100 ms.
    pub resume_wait_least: Duration,
    /// The longest that any of them waits, whatever the server names: 60 s.
    pub resume_wait_most: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 64 * 1024 * 1024,
            excerpt_bytes: 8 * 1024,
            list_items: 100_000,
            list_pages: 1_000,
            skill_files: diglot_proto::types::SKILL_FILES,
            skill_bytes: diglot_proto::types::SKILL_BYTES,
            queued_messages: 1_024,
            stderr_lines: 50,
            stderr_line_bytes: 4 * 1024,
            unsent_bytes: 4 * 1024 * 1024,
            task_poll_shortest: Duration::from_millis(100),
            task_poll_default: Duration::from_secs(1),
            task_poll_longest: Duration::from_secs(60),
            task_time: Duration::from_secs(24 * 60 * 60),
            task_inputs: 1_000,
            open_requests: 16 * 1024,
            input_rounds: 32,
            input_requests: 64,
            cache_entries: 1_024,
            cache_bytes: 16 * 1024 * 1024,
            cache_age: Duration::from_secs(24 * 60 * 60),
            known_tool_bytes: 16 * 1024 * 1024,
            reopenings_per_minute: 10,
            restarts_in_a_row: 5,
            restart_wait: Duration::from_millis(500),
            restart_wait_most: Duration::from_secs(30),
            resume_tries: 5,
            resume_wait: Duration::from_millis(500),
            resume_wait_least: Duration::from_millis(100),
            resume_wait_most: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// Sets the largest message, in bytes.
    #[must_use]
    pub fn message_bytes(mut self, bytes: usize) -> Self {
        self.message_bytes = bytes;
        self
    }

    /// Sets the longest excerpt in errors and trails, in bytes.
    #[must_use]
    pub fn excerpt_bytes(mut self, bytes: usize) -> Self {
        self.excerpt_bytes = bytes;
        self
    }

    /// Sets the most items and the most pages of a list.
    #[must_use]
    pub fn list(mut self, items: usize, pages: usize) -> Self {
        self.list_items = items;
        self.list_pages = pages;
        self
    }

    /// Sets the most files of a skill, and the most bytes that they have together.
    #[must_use]
    pub fn skill(mut self, files: usize, bytes: u64) -> Self {
        self.skill_files = files;
        self.skill_bytes = bytes;
        self
    }

    /// Sets the most notifications that wait for their reader.
    #[must_use]
    pub fn queued_messages(mut self, messages: usize) -> Self {
        self.queued_messages = messages;
        self
    }

    /// Sets the time between two looks at a task: at least, where the server suggests none, and at most.
    #[must_use]
    pub fn task_poll(mut self, shortest: Duration, default: Duration, longest: Duration) -> Self {
        self.task_poll_shortest = shortest;
        self.task_poll_default = default;
        self.task_poll_longest = longest;
        self
    }

    /// Sets the longest time that a task is waited for, where the call does not say.
    #[must_use]
    pub fn task_time(mut self, longest: Duration) -> Self {
        self.task_time = longest;
        self
    }

    /// Sets the most questions that one task may ask.
    #[must_use]
    pub fn task_inputs(mut self, questions: usize) -> Self {
        self.task_inputs = questions;
        self
    }

    /// Sets how much is kept of a child's stderr: lines, and bytes a line.
    #[must_use]
    pub fn stderr(mut self, lines: usize, line_bytes: usize) -> Self {
        self.stderr_lines = lines;
        self.stderr_line_bytes = line_bytes;
        self
    }

    /// Sets the most times in a minute that a lost connection is opened anew; 0 turns it off.
    #[must_use]
    pub fn reopenings_per_minute(mut self, times: usize) -> Self {
        self.reopenings_per_minute = times;
        self
    }

    /// Sets how often in a row a broken event stream is taken up again in vain; 0 turns it off.
    #[must_use]
    pub fn resume_tries(mut self, tries: usize) -> Self {
        self.resume_tries = tries;
        self
    }

    /// Sets how long it is waited before a broken event stream is taken up again: where the server names no time, and
    /// at least and at most whatever it names.
    #[must_use]
    pub fn resume_waits(mut self, first: Duration, least: Duration, most: Duration) -> Self {
        (self.resume_wait, self.resume_wait_least, self.resume_wait_most) = (first, least, most);
        self
    }

    /// Sets how often in a row a wire that ended is opened anew, and how long the first and the last of them wait.
    #[must_use]
    pub fn restarts(mut self, in_a_row: usize, first_wait: Duration, longest_wait: Duration) -> Self {
        self.restarts_in_a_row = in_a_row;
        self.restart_wait = first_wait;
        self.restart_wait_most = longest_wait;
        self
    }

    /// Sets the most bytes that wait to be written to a pipe.
    #[must_use]
    pub fn unsent_bytes(mut self, bytes: usize) -> Self {
        self.unsent_bytes = bytes;
        self
    }

    /// Sets the most requests that await their answers at once.
    #[must_use]
    pub fn open_requests(mut self, requests: usize) -> Self {
        self.open_requests = requests;
        self
    }

    /// Sets the most rounds of input of one request, and the most requests for input at once.
    #[must_use]
    pub fn input(mut self, rounds: usize, requests: usize) -> Self {
        self.input_rounds = rounds;
        self.input_requests = requests;
        self
    }

    /// Sets the most results that are kept, and the most memory for them, in bytes.
    #[must_use]
    pub fn cache(mut self, entries: usize, bytes: usize) -> Self {
        self.cache_entries = entries;
        self.cache_bytes = bytes;
        self
    }

    /// Sets the longest time that a result is kept.
    #[must_use]
    pub fn cache_age(mut self, age: Duration) -> Self {
        self.cache_age = age;
        self
    }

    /// Sets the most memory for what is remembered of listed tools, in bytes.
    #[must_use]
    pub fn known_tool_bytes(mut self, bytes: usize) -> Self {
        self.known_tool_bytes = bytes;
        self
    }
}
