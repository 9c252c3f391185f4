//! Names that are close to a misspelled one.

/// The most names that are offered.
const MOST: usize = 3;

/// Returns the names that may be meant, the closest first.
pub(crate) fn closest<'a>(name: &str, names: &[&'a str]) -> Vec<&'a str> {
    let wanted = folded(name);
    let mut close: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|other| {
            let candidate = folded(other);
            let is_part = !wanted.is_empty() && (candidate.contains(&wanted) || wanted.contains(&candidate));
            let distance = if is_part { 1 } else { distance(&wanted, &candidate) };
            (distance <= 1 + wanted.chars().count() / 4).then_some((distance, *other))
        })
        .collect();
    close.sort_by_key(|(distance, _)| *distance);
    close.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Returns a name without the marks between its words, in small letters.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// Counts the edits from one name to another (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, c) in from.chars().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(&to) {
            let above = *cell;
            left = (left + 1).min(above + 1).min(diagonal + usize::from(c != *other));
            diagonal = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (from, to, edits) in [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0)]
        {
            assert_eq!(distance(from, to), edits, "{from} {to}");
        }
    }

    #[test]
    fn close_names_are_offered() {
        let names = ["get-weather", "list_files", "add", "get_forecast"];
        assert_eq!(closest("get_wether", &names), ["get-weather"]);
        assert_eq!(closest("files", &names), ["list_files"]);
        assert_eq!(closest("zzz", &names), Vec::<&str>::new());
    }
}
