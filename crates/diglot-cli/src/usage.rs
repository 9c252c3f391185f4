//! A command line that cannot be read: told to people on stderr, and to scripts as the object that they wait for.

use clap::error::ErrorKind;

use crate::failure::{Failure, Kind};
use crate::output::{Ending, note};

/// Tells why a line is refused, or gives the help that it asks for, and returns the exit status.
pub(crate) fn refuse(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Ending::good(text).print(anstream::ColorChoice::Auto);
    }
    note(anstream::ColorChoice::Auto, &text);
    if wants_json() {
        let ending = Ending::failed(Failure::usage(summary(&text)), true);
        return Ending { failure: None, ..ending }.print(anstream::ColorChoice::Never);
    }
    Kind::Usage.exit()
}

/// Tells that the process cannot even begin.
pub(crate) fn no_runtime(error: &std::io::Error) -> u8 {
    note(anstream::ColorChoice::Auto, &format!("error: the system does not let diglot start: {error}\n"));
    1
}

/// Tells whether `--json` is among the arguments, before those of a child process.
fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Returns what is wrong without the usage that follows it.
fn summary(text: &str) -> String {
    let ends = ["\n\nUsage:", "\n\nFor more information"];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}
