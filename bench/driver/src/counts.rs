//! Instructions and allocations per request, as callgrind counts them: the difference of two runs, divided.
//!
//! Unlike time these do not depend on what else the machine does.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::Failure;

/// What callgrind counted in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counts {
    /// Instructions in user space.
    pub(crate) instructions: f64,
    /// Calls of the allocator that give memory out: `malloc`, `calloc`, `realloc` and their aligned forms.
    pub(crate) allocations: f64,
}

const ALLOCATORS: &[&str] = &["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"];

impl Counts {
    /// Returns what each of a number of requests cost, given a run without them.
    pub(crate) fn since(self, earlier: Self, requests: u64) -> Self {
        let each = |later: f64, earlier: f64| (later - earlier) / requests as f64;
        Self {
            instructions: each(self.instructions, earlier.instructions),
            allocations: each(self.allocations, earlier.allocations),
        }
    }
}

/// Reads the file that callgrind wrote at the end of a run.
pub(crate) fn read(file: &Path) -> Result<Counts, Failure> {
    parse(&fs::read_to_string(file)?).ok_or_else(|| format!("{} has no total", file.display()).into())
}

fn parse(text: &str) -> Option<Counts> {
    // A name is written once, `(7) malloc`, and after that by its number alone.
    let mut names: HashMap<&str, &str> = HashMap::new();
    let (mut is_allocator, mut instructions, mut allocations) = (false, None, 0.0);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("cfn=").or_else(|| line.strip_prefix("fn=")) {
            let (number, name) = name.split_once(' ').unwrap_or((name, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            if line.starts_with("cfn=") {
                let name = names.get(number).copied().unwrap_or_default();
                // A function that calls itself is written with its depth.
                is_allocator = ALLOCATORS.contains(&name.split('\'').next().unwrap_or_default());
            }
        } else if let Some(calls) = line.strip_prefix("calls=").filter(|_| is_allocator) {
            allocations += calls.split(' ').next()?.parse::<f64>().ok()?;
        } else if let Some(total) = line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")) {
            instructions = total.trim().parse().ok();
        }
    }
    Some(Counts { instructions: instructions?, allocations })
}

#[cfg(test)]
mod tests {
    use super::{Counts, parse};

    #[test]
    fn calls_of_the_allocator_are_counted_by_name_and_by_number() {
        let text = "fn=(1) main\n1 5\ncfn=(2) malloc\ncalls=3 0\n1 30\ncfn=(4) memcpy\ncalls=9 0\n1 9\nfn=(2)\n0 3\n\nfn=(3) other\ncfn=(2)\ncalls=4 0\n1 40\ntotals: 90\n";
        assert_eq!(parse(text), Some(Counts { instructions: 90.0, allocations: 7.0 }));
    }
}
