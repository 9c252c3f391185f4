//! The words behind `cargo xtask conformance`.

use super::checks::Side;

/// How to call the chore.
pub(crate) const USAGE: &str = "[server|client] [--repeat N] [--self-check] [SCENARIO]";

/// What is to be run.
#[derive(Debug)]
pub(crate) struct Options {
    /// The one side, or both.
    side: Option<Side>,
    /// A word that the names of the scenarios have in them.
    pub(crate) filter: Option<String>,
    /// How often everything is run.
    pub(crate) rounds: usize,
    /// Whether a client that does nothing takes the client's place.
    pub(crate) is_self_check: bool,
}

impl Options {
    /// Reads the words; the error says how to use them.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let wrong = |what: &str| format!("{what}\nusage: cargo xtask conformance {USAGE}");
        let mut options = Self { side: None, filter: None, rounds: 1, is_self_check: false };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "server" if options.side.is_none() => options.side = Some(Side::Server),
                "client" if options.side.is_none() => options.side = Some(Side::Client),
                "--self-check" => options.is_self_check = true,
                "--repeat" => {
                    let rounds = words.next().and_then(|rounds| rounds.parse().ok());
                    let rounds = rounds.filter(|rounds| (1..=1_000).contains(rounds));
                    options.rounds = rounds.ok_or_else(|| wrong("--repeat needs a number from 1 to 1000"))?;
                }
                flag if flag.starts_with('-') => return Err(wrong(&format!("{flag} is no option"))),
                name if options.filter.is_none() => options.filter = Some(name.to_owned()),
                name => return Err(wrong(&format!("{name} is one scenario too many"))),
            }
        }
        Ok(options)
    }

    /// Whether a side is to be run.
    pub(crate) fn has(&self, side: Side) -> bool {
        self.side.is_none_or(|only| only == side)
    }

    /// Whether a scenario is to be run.
    pub(crate) fn wants(&self, scenario: &str) -> bool {
        self.filter.as_deref().is_none_or(|filter| scenario.contains(filter))
    }

    /// Whether nothing is left out.
    pub(crate) fn is_whole(&self) -> bool {
        self.filter.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_words_choose_a_side_and_a_scenario() {
        let options = read("client --repeat 3 tools_call").unwrap();
        assert!(options.has(Side::Client) && !options.has(Side::Server));
        assert!(options.wants("tools_call") && !options.wants("initialize") && !options.is_whole());
        assert_eq!((options.rounds, options.is_self_check), (3, false));
        let options = read("").unwrap();
        assert!(options.has(Side::Client) && options.has(Side::Server) && options.is_whole());
    }

    #[test]
    fn a_wrong_word_shows_the_usage() {
        for line in ["--repeat", "--repeat 0", "--fast", "one two"] {
            assert!(read(line).unwrap_err().contains(USAGE), "{line}");
        }
    }
}
