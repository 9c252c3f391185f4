//! What a run shows: medians, and how many times the first program each of them is.

use std::fmt::Write as _;

/// What was measured of one program, round by round; each round has one value for each figure.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) rounds: Vec<Vec<f64>>,
}

/// Writes a table; the first line is the one that the others are compared with.
pub(crate) fn write(figures: &[&str], lines: &[Line]) -> String {
    let mut text = String::from("| |");
    for figure in figures {
        let _ = write!(text, " {figure} | × |");
    }
    text.push_str("\n|---|");
    text.push_str(&"---|---|".repeat(figures.len()));
    text.push('\n');
    for line in lines {
        let _ = write!(text, "| {} |", line.name);
        for at in 0..figures.len() {
            let value = median(line, at);
            let base = lines.first().and_then(|line| median(line, at));
            match (value, base) {
                (Some(value), Some(base)) => {
                    let _ = write!(text, " {} | {:.2} |", number(value), value / base);
                }
                _ => text.push_str(" – | – |"),
            }
        }
        text.push('\n');
    }
    text
}

fn median(line: &Line, at: usize) -> Option<f64> {
    let mut values: Vec<f64> = line.rounds.iter().filter_map(|round| round.get(at).copied()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Writes a number with three digits that count.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
