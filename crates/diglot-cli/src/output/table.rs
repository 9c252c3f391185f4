//! A table whose columns are as wide as they need be and whose last column wraps.

use anstyle::Style;

use super::text::{shorten, width_of, wrap};

/// The narrowest last column that still reads well beside the others.
const NARROWEST: usize = 24;

/// The widest column that is not the last.
const WIDEST: usize = 44;

/// Rows of cells, each with a style; the cells are plain text already.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [(String, Style); N]) {
        self.rows.push(cells.into());
    }

    /// Lays the rows out within a width; where the last column has no room, it goes below its row.
    pub(crate) fn render(&self, width: usize) -> String {
        let widths = self.widths();
        let before: usize = widths.iter().map(|width| width + 2).sum();
        let beside = width.checked_sub(before + 1).filter(|left| *left >= NARROWEST);
        self.rows.iter().map(|row| line(row, &widths, beside, width)).collect()
    }

    /// Returns the widths of all columns but the last.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(|row| row.len().saturating_sub(1)).max().unwrap_or(0);
        let widest = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.map(|(text, _)| width_of(text)).max().unwrap_or(0).min(WIDEST)
        };
        (0..columns).map(widest).collect()
    }
}

fn line(row: &[(String, Style)], widths: &[usize], beside: Option<usize>, width: usize) -> String {
    let Some(((last, style), cells)) = row.split_last() else { return String::new() };
    let mut out = String::new();
    for ((text, style), width) in cells.iter().zip(widths) {
        let text = shorten(text, *width);
        // The space stays outside the style, so that a row without a last cell ends where its text does.
        let space = " ".repeat(width.saturating_sub(width_of(&text)) + 2);
        out.push_str(&format!("{style}{text}{style:#}{space}"));
    }
    let indent = match beside {
        Some(_) => widths.iter().map(|width| width + 2).sum(),
        None => 4,
    };
    for (at, text) in wrap(last, beside.unwrap_or(width.saturating_sub(indent + 1)).max(1)).iter().enumerate()
    {
        if at > 0 || beside.is_none() {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(&format!("{style}{text}{style:#}"));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let plain = |text: &str| (text.to_owned(), Style::new());
        let mut table = Table::default();
        table.row([plain("1"), plain("server/discover"), plain("it answers with an error of old servers")]);
        table.row([plain("2"), plain("initialize"), plain("done")]);
        table
    }

    #[test]
    fn the_last_column_wraps_beside_the_others() {
        let expected = "\
1  server/discover  it answers with an error of
                    old servers
2  initialize       done
";
        assert_eq!(table().render(50), expected);
    }

    #[test]
    fn without_room_the_last_column_goes_below() {
        let expected = "\
1  server/discover
    it answers with an error of
    old servers
2  initialize
    done
";
        assert_eq!(table().render(35), expected);
    }
}
