//! The tables that are printed: what came of each row, and below them what went wrong.

use std::time::Duration;

/// What came of one row.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) name: &'static str,
    /// The columns between the name and the time.
    pub(crate) cells: Vec<String>,
    /// How long the runs of the client took together.
    pub(crate) elapsed: Duration,
    pub(crate) faults: Vec<String>,
}

impl Report {
    pub(crate) fn passed(&self) -> bool {
        self.faults.is_empty()
    }

    fn line(&self) -> Vec<String> {
        let mut line = vec![self.name.to_owned()];
        line.extend(self.cells.iter().cloned());
        line.push(self.elapsed.as_millis().to_string());
        line.push(if self.passed() { "" } else { "FAILED" }.to_owned());
        line
    }
}

/// One table with its columns aligned, and the faults of its rows below.
pub(crate) fn table(title: &str, columns: &[&str], reports: &[Report]) -> String {
    let head = [&[title], columns, &["ms", ""]].concat().into_iter().map(str::to_owned).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(reports.iter().map(Report::line)).collect();
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(String::len).max();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().enumerate();
        let aligned: Vec<_> =
            cells.map(|(column, cell)| format!("{cell:<0$}", width(column).unwrap_or_default())).collect();
        text += aligned.join("  ").trim_end();
        text.push('\n');
    }
    for report in reports {
        for fault in &report.faults {
            text += &format!("\n{}: {}\n", report.name, fault.trim_end());
        }
    }
    text
}

/// A cell for a value that may not have been seen.
pub(crate) fn seen(value: Option<&str>) -> String {
    value.unwrap_or("-").to_owned()
}

/// A cell for a step.
pub(crate) fn mark(well: bool) -> String {
    if well { "ok" } else { "FAIL" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let report = |name, cell: &str, faults| Report {
            name,
            cells: vec![cell.to_owned()],
            elapsed: Duration::from_millis(7),
            faults,
        };
        let reports = [report("a", "ok", vec![]), report("longer", "FAIL", vec!["call: no".to_owned()])];
        assert_eq!(
            table("server", &["call"], &reports),
            "server  call  ms\na       ok    7\nlonger  FAIL  7   FAILED\n\nlonger: call: no\n"
        );
    }
}
