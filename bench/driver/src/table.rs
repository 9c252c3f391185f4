//! What a run shows: medians, how many times the first program each of them is, and whether the goals are reached.

use std::fmt::Write as _;

use crate::peers::Peer;
use crate::row::{Goal, Row};

/// The head of the table of goals.
pub(crate) const GOALS: &str =
    "**goals**\n\n| row | figure | of | goal | measured | |\n|---|---|---|---|---|---|\n";

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
                (Some(value), Some(base)) if base > 0.0 => {
                    let _ = write!(text, " {} | {:.2} |", number(value), value / base);
                }
                (Some(value), _) => {
                    let _ = write!(text, " {} | – |", number(value));
                }
                _ => text.push_str(" – | – |"),
            }
        }
        text.push('\n');
    }
    text
}

/// Writes the line of a goal, which says by how much it is missed where it is.
pub(crate) fn goal(row: &Row, goal: &Goal, lines: &[Line]) -> String {
    let of = |peer: &Peer| {
        let line = lines.iter().find(|line| line.name == peer.name)?;
        median(line, goal.figure)
    };
    let figure = row.figures.get(goal.figure).copied().unwrap_or_default();
    let aim = match goal.than {
        Some(than) => format!("≤ {} × {}", number(goal.most), than.name),
        None => format!("≤ {}", number(goal.most)),
    };
    let measured = match goal.than {
        Some(than) => of(goal.of).zip(of(than)).map(|(value, base)| value / base),
        None => of(goal.of),
    };
    let (measured, verdict) = match measured {
        Some(measured) if measured <= goal.most => (number(measured), "reached".to_owned()),
        Some(measured) => {
            (number(measured), format!("missed by {:.0} %", (measured / goal.most - 1.0) * 100.0))
        }
        None => ("–".to_owned(), "not measured".to_owned()),
    };
    format!("| {} | {figure} | {} | {aim} | {measured} | {verdict} |\n", row.name, goal.of.name)
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

#[cfg(test)]
mod tests {
    use super::{Line, goal, write};
    use crate::peers::{AXUM, OURS};
    use crate::row::{Goal, Row};

    fn lines() -> Vec<Line> {
        let line =
            |name, values: &[f64]| Line { name, rounds: values.iter().map(|value| vec![*value]).collect() };
        vec![line(AXUM.name, &[9.0, 10.0, 50.0]), line(OURS.name, &[14.0, 15.0, 16.0])]
    }

    #[test]
    fn a_table_shows_medians_and_how_many_times_the_first_they_are() {
        assert!(
            write(&["µs"], &lines()).ends_with("| floor: axum | 10.0 | 1.00 |\n| Diglot | 15.0 | 1.50 |\n")
        );
    }

    #[test]
    fn a_goal_is_reached_or_says_by_how_much_it_is_missed() {
        static PEERS: [&crate::peers::Peer; 2] = [&AXUM, &OURS];
        let row = Row {
            name: "short",
            about: "",
            figures: &["µs"],
            peers: &PEERS,
            is_count: false,
            measure: |_| Ok(Vec::new()),
            goals: &[],
        };
        let aim = |than, most| goal(&row, &Goal { figure: 0, of: &OURS, than, most }, &lines());
        assert!(aim(Some(&AXUM), 1.5).ends_with("| ≤ 1.50 × floor: axum | 1.50 | reached |\n"));
        assert!(aim(None, 10.0).ends_with("| ≤ 10.0 | 15.0 | missed by 50 % |\n"));
    }
}
