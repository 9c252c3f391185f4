//! What a child writes to its stderr: always read, so that it never waits, and kept only in part.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

use crate::limits::Limits;

/// A function that is called with every line.
pub(super) type OnLine = Arc<dyn Fn(&str) + Send + Sync>;

/// How many bytes are read at once.
const CHUNK: usize = 8 * 1024;

/// The last lines of a child's stderr.
pub(super) struct Tail {
    most_lines: usize,
    most_bytes: usize,
    on_line: Option<OnLine>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    /// The line under way, up to the limit.
    current: Vec<u8>,
    /// Whether a lone carriage return ended the last line, so that the next one is written over it.
    is_overwritten: bool,
}

impl Tail {
    /// Begins with nothing.
    pub(super) fn new(limits: &Limits, on_line: Option<OnLine>) -> Self {
        Self {
            most_lines: limits.stderr_lines,
            most_bytes: limits.stderr_line_bytes,
            on_line,
            state: Mutex::default(),
        }
    }

    /// Reads all that comes until the end.
    pub(super) async fn follow(self: Arc<Self>, mut stderr: ChildStderr) {
        let mut chunk = [0; CHUNK];
        loop {
            match stderr.read(&mut chunk).await {
                Ok(0) => break,
                Ok(read) => self.push(chunk.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.push(b"\n");
    }

    /// Returns the last lines, oldest first; the one under way is the last of them.
    pub(super) fn lines(&self) -> Vec<String> {
        let state = self.state();
        let current = Some(clean(&state.current)).filter(|line| !line.is_empty());
        let kept = state.lines.len().saturating_sub(usize::from(state.is_overwritten && current.is_some()));
        let mut lines: Vec<String> = state.lines.iter().take(kept).cloned().chain(current).collect();
        lines.drain(..lines.len().saturating_sub(self.most_lines));
        lines
    }

    fn push(&self, mut chunk: &[u8]) {
        while let Some(at) = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (text, rest) = chunk.split_at(at);
            self.extend(text);
            self.end_line(rest.first() == Some(&b'\r'));
            chunk = rest.get(1..).unwrap_or_default();
        }
        self.extend(chunk);
    }

    fn extend(&self, text: &[u8]) {
        let mut state = self.state();
        let room = self.most_bytes.saturating_sub(state.current.len());
        state.current.extend_from_slice(text.get(..room).unwrap_or(text));
    }

    fn end_line(&self, is_return: bool) {
        let mut state = self.state();
        let line = clean(&state.current);
        state.current.clear();
        if line.is_empty() {
            // The second half of CR LF lets the line stand.
            state.is_overwritten &= is_return;
            return;
        }
        if state.is_overwritten {
            state.lines.pop_back();
        }
        state.is_overwritten = is_return;
        state.lines.push_back(line.clone());
        while state.lines.len() > self.most_lines {
            state.lines.pop_front();
        }
        drop(state);
        if let Some(on_line) = &self.on_line {
            on_line(&line);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a line of bytes safe to show: valid text without escape sequences, control and direction characters.
fn clean(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            '\t' => clean.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            character if character.is_control() => {}
            character => clean.push(character),
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// Skips the rest of an escape sequence: of colours and cursors, of titles and links, or a short one.
fn skip_escape(characters: &mut std::str::Chars<'_>) {
    match characters.next() {
        Some('[') => {
            characters.find(|character| matches!(character, '\u{40}'..='\u{7e}'));
        }
        Some(']' | 'P' | '_' | '^' | 'X') => skip_string(characters),
        Some('\u{20}'..='\u{2f}') => {
            characters.find(|character| matches!(character, '\u{30}'..='\u{7e}'));
        }
        _ => {}
    }
}

/// Skips to the end of a string that BEL or ESC `\` ends.
fn skip_string(characters: &mut std::str::Chars<'_>) {
    if characters.find(|character| matches!(character, '\u{7}' | '\u{1b}')) == Some('\u{1b}') {
        characters.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(lines: usize, bytes: usize) -> Tail {
        Tail::new(&Limits::default().stderr(lines, bytes), None)
    }

    #[test]
    fn the_last_lines_are_kept_and_the_unfinished_one_is_the_last() {
        let tail = tail(2, 100);
        tail.push(b"one\ntwo\r\n\n  \nthr");
        assert_eq!(tail.lines(), ["two", "thr"]);
        tail.push(b"ee\n");
        assert_eq!(tail.lines(), ["two", "three"]);
    }

    #[test]
    fn a_long_line_is_cut_and_costs_no_more_than_the_limit() {
        let tail = tail(2, 10);
        for _ in 0..1000 {
            tail.push(&[b'x'; 1000]);
        }
        assert!(tail.state().current.capacity() <= 20);
        tail.push(b"\nnext\n");
        assert_eq!(tail.lines(), ["xxxxxxxxxx", "next"]);
    }

    #[test]
    fn a_progress_bar_is_one_line() {
        let tail = tail(10, 100);
        tail.push(b"start\n10%\r50%\r");
        assert_eq!(tail.lines(), ["start", "50%"]);
        tail.push(b"9");
        assert_eq!(tail.lines(), ["start", "9"]);
        tail.push(b"0%\r");
        tail.push(b"\ndone\n");
        assert_eq!(tail.lines(), ["start", "90%", "done"]);
    }

    #[test]
    fn escape_sequences_and_broken_text_do_not_reach_a_terminal() {
        let shown = |bytes: &[u8]| clean(bytes);
        assert_eq!(shown(b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07after\x1b(B."), "red after.");
        assert_eq!(shown(b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x08\x00end\t!"), "link end !");
        assert_eq!(shown(b"caf\xe9 \xe2\x80\xaetxt"), "caf\u{fffd} txt");
        assert_eq!(shown(b"cut \x1b[3"), "cut");
    }
}
