//! Progress on stderr: a line that is written over on a terminal, and lines below each other elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use diglot::types::Progress;

use crate::args::Look;
use crate::elicit;
use crate::output::{first_line, note, shorten};

/// How long progress is watched before its rate is told.
const LEAST: Duration = Duration::from_secs(1);

/// How many cells the bar has.
const CELLS: usize = 24;

/// The widest line of progress.
const WIDEST: usize = 79;

/// Tells whether anybody would see progress; asking for it without need costs the server work.
pub(super) fn wanted(look: &Look) -> bool {
    std::io::stderr().is_terminal() || look.verbose > 0
}

/// The line of progress; clones write to the same one, and the last one clears it.
#[derive(Clone)]
pub(super) struct Bar {
    line: Arc<Line>,
}

struct Line {
    color: ColorChoice,
    is_terminal: bool,
    shown: Mutex<Shown>,
}

/// What was shown so far.
#[derive(Default)]
struct Shown {
    text: Option<String>,
    /// The first progress that came, and when.
    first: Option<(Instant, f64)>,
}

impl Bar {
    pub(super) fn new(color: ColorChoice) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { line: Arc::new(Line { color, is_terminal, shown: Mutex::default() }) }
    }

    /// Shows how far the call has come.
    pub(super) fn show(&self, progress: &Progress) {
        if elicit::is_held() {
            return;
        }
        let mut shown = self.line.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, from) = *shown.first.get_or_insert_with(|| (Instant::now(), progress.progress));
        let text = drawn(progress, rate(progress.progress - from, began.elapsed()));
        if shown.text.as_ref() == Some(&text) {
            return;
        }
        match self.line.is_terminal {
            true => note(self.line.color, &format!("\r\x1b[2K{text}")),
            false => note(self.line.color, &format!("progress: {text}\n")),
        }
        shown.text = Some(text);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let shown = self.shown.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.is_terminal && shown.text.is_some() {
            note(self.color, "\r\x1b[2K");
        }
    }
}

/// Returns how much is done a second, once that can be told.
fn rate(done: f64, elapsed: Duration) -> Option<f64> {
    let rate = done / elapsed.as_secs_f64();
    (elapsed >= LEAST && rate.is_finite() && rate > 0.0).then_some(rate)
}

fn drawn(progress: &Progress, rate: Option<f64>) -> String {
    let message = progress.message.as_deref().map(first_line).unwrap_or_default();
    let text = match progress.total.filter(|total| *total > 0.0) {
        Some(total) => {
            let part = (progress.progress / total).clamp(0.0, 1.0);
            let full = (0..CELLS).filter(|cell| (*cell as f64) < part * CELLS as f64).count();
            let bar: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
            format!("{bar} {:3.0}% {message}", part * 100.0)
        }
        None => {
            let rate = rate.map(|rate| format!(", {} a second", rounded(rate))).unwrap_or_default();
            let done = rounded(progress.progress);
            if message.is_empty() { format!("{done}{rate}") } else { format!("{done}{rate}: {message}") }
        }
    };
    shorten(text.trim_end(), WIDEST).into_owned()
}

/// Writes a number with as many digits as say something.
fn rounded(number: f64) -> String {
    let digits = if number.abs() < 10.0 { 2 } else { 1 };
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(params: &str) -> String {
        drawn(&Progress::read(serde_json::from_str(params).unwrap()).unwrap(), None)
    }

    #[test]
    fn a_total_makes_a_bar() {
        assert_eq!(
            of(r#"{"progress": 1, "total": 2, "message": "half\nway"}"#),
            format!("{}{}  50% half", "█".repeat(12), "░".repeat(12))
        );
        assert_eq!(of(r#"{"progress": 5, "total": 2}"#), format!("{} 100%", "█".repeat(24)));
    }

    #[test]
    fn without_a_total_the_number_stands() {
        assert_eq!(of(r#"{"progress": 3.5, "total": 0, "message": "rows"}"#), "3.5: rows");
        assert_eq!(of(r#"{"progress": 1200}"#), "1200");
    }

    #[test]
    fn without_a_total_the_rate_is_told_once_it_can_be() {
        let progress = Progress::new(120.0).message("rows");
        assert_eq!(drawn(&progress, rate(119.0, Duration::from_secs(4))), "120, 29.8 a second: rows");
        assert_eq!(rate(119.0, Duration::from_millis(20)), None);
        assert_eq!(rate(0.0, Duration::from_secs(4)), None);
        assert_eq!(rate(f64::INFINITY, Duration::from_secs(4)), None);
    }
}
