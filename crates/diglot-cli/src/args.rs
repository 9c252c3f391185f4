//! The command line: what may be written, and how it is read.
//!
//! Header values are no business of clap, whose errors repeat what they refuse; `target.rs` reads them.

mod duration;
mod requests;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use diglot::{Downgrade, Mode, Revision};

pub(crate) use requests::{Asking, Call, Complete, Prompt, Read};

const TARGETS: &str = "\
A TARGET is one of
  http(s)://HOST[:PORT]/PATH      a server behind an address
  unix:///PATH.sock[:/HTTP/PATH]  a server behind a Unix socket
  -- CMD [ARGS…]                  a server as a child process, at the end of the line
  NAME                            a server of a host's configuration file (see --config)";

const EXITS: &str = "\
Exit status: 0 connected or done, 1 refused or broken, 2 usage, 3 not reached, 4 credentials, 5 the tool reports an error";

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "diglot",
    version,
    about = "Talks to any Model Context Protocol server, of either era.",
    after_help = format!("{TARGETS}\n\n{EXITS}")
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Says what a server is, and how that was found out.
    #[command(after_help = TARGETS, override_usage = "diglot probe [OPTIONS] TARGET")]
    Probe(Probe),
    /// Calls a tool.
    #[command(after_help = TARGETS, override_usage = "\
diglot call [OPTIONS] TARGET TOOL [KEY=VALUE… | KEY:=JSON… | -]
       diglot call [OPTIONS] TOOL [KEY=VALUE… | KEY:=JSON… | -] -- CMD [ARGS…]")]
    Call(Call),
    /// Lists what a server offers.
    #[command(after_help = TARGETS, override_usage = "\
diglot list [OPTIONS] TARGET [tools|resources|prompts|templates]
       diglot list [OPTIONS] [WHAT] -- CMD [ARGS…]")]
    List(List),
    /// Tells what changes at a server, a line a change, until it is interrupted.
    #[command(after_help = TARGETS, override_usage = "\
diglot listen [OPTIONS] TARGET [--resource URI]… [--tools] [--prompts] [--resources]
       diglot listen [OPTIONS] [--resource URI]… -- CMD [ARGS…]")]
    Listen(Listening),
    /// Reads a resource.
    #[command(after_help = TARGETS, override_usage = "\
diglot read [OPTIONS] TARGET URI
       diglot read [OPTIONS] URI -- CMD [ARGS…]")]
    Read(Read),
    /// Gets a prompt, filled by its arguments.
    #[command(after_help = TARGETS, override_usage = "\
diglot prompt [OPTIONS] TARGET NAME [KEY=VALUE…]
       diglot prompt [OPTIONS] NAME [KEY=VALUE…] -- CMD [ARGS…]")]
    Prompt(Prompt),
    /// Asks how an argument of a prompt, or a variable of a resource template, may go on.
    #[command(after_help = TARGETS, override_usage = "\
diglot complete [OPTIONS] TARGET prompt NAME ARGUMENT [VALUE]
       diglot complete [OPTIONS] TARGET template URI VARIABLE [VALUE]
       diglot complete [OPTIONS] prompt|template … -- CMD [ARGS…]")]
    Complete(Complete),
    /// Writes the completions of a shell for this command to stdout.
    Completions(Completions),
    /// Shows what Diglot does: servers of both eras, and some broken ones, inside this process.
    Demo(Demo),
    /// Serves a few useful tools in both eras, for trying clients on; over stdin and stdout unless told otherwise.
    Serve(Serve),
}

/// The arguments of `serve`.
#[derive(clap::Args, Debug)]
pub(crate) struct Serve {
    /// Serves the demo server, which is the only one there is.
    #[arg(long, required = true)]
    pub(crate) demo: bool,
    #[command(flatten)]
    pub(crate) listen: Listen,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// Where clients come in.
#[derive(clap::Args, Debug)]
#[group(multiple = false)]
pub(crate) struct Listen {
    /// Serves one client over stdin and stdout, which is the default.
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Serves HTTP at this address and the path /mcp; port 0 lets the system choose.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) http: Option<SocketAddr>,
    /// Serves HTTP over a Unix socket at this path.
    #[cfg(unix)]
    #[arg(long, value_name = "PATH")]
    pub(crate) unix: Option<PathBuf>,
}

/// The arguments of `completions`.
#[derive(clap::Args, Debug)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// The arguments of `demo`.
#[derive(clap::Args, Debug)]
pub(crate) struct Demo {
    #[command(flatten)]
    pub(crate) look: Look,
}

impl Listen {
    /// Returns the path of the Unix socket, where there is one.
    pub(crate) fn socket(&self) -> Option<&Path> {
        #[cfg(unix)]
        return self.unix.as_deref();
        #[cfg(not(unix))]
        None
    }
}

/// The arguments of `probe`.
#[derive(clap::Args, Debug)]
pub(crate) struct Probe {
    /// The server.
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// The arguments of `list`.
#[derive(clap::Args, Debug)]
pub(crate) struct List {
    /// The server, and what to list: tools (unless said otherwise), resources, prompts or templates.
    #[arg(value_name = "TARGET WHAT")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// The arguments of `listen`.
#[derive(clap::Args, Debug)]
pub(crate) struct Listening {
    /// The server.
    pub(crate) target: Option<String>,
    /// Asks for changes of one resource; may be given several times.
    #[arg(long, value_name = "URI")]
    pub(crate) resource: Vec<String>,
    /// Asks for changes of the list of tools; with nothing asked for, every list that the server offers is.
    #[arg(long)]
    pub(crate) tools: bool,
    /// Asks for changes of the list of prompts.
    #[arg(long)]
    pub(crate) prompts: bool,
    /// Asks for changes of the list of resources.
    #[arg(long)]
    pub(crate) resources: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What every command that connects understands.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// The eras to use: modern never falls back, legacy never probes.
    #[arg(long, default_value = "auto", value_parser = modes())]
    pub(crate) mode: Mode,
    /// The one revision to speak.
    #[arg(long, value_name = "REVISION", value_parser = revisions())]
    pub(crate) protocol_version: Option<Revision>,
    /// When to fall back to the legacy era.
    #[arg(long, default_value = "standard", value_parser = policies())]
    pub(crate) downgrade: Downgrade,
    /// The HTTP transport.
    #[arg(long, default_value = "auto", value_parser = wires())]
    pub(crate) transport: HttpWire,
    /// How long the probe may take.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration::parse)]
    pub(crate) probe_timeout: Duration,
    /// How long `initialize` may take, the start of a slow server included.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    pub(crate) initialize_timeout: Duration,
    /// How long any other request may take.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    pub(crate) timeout: Duration,
    /// A header to send with every HTTP request; may be given several times.
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// The environment variable that holds a bearer token.
    #[arg(long, value_name = "VAR")]
    pub(crate) bearer_env: Option<String>,
    /// The configuration file that TARGET names a server of; without it, the files of known hosts are searched.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Writes every message and HTTP exchange to a file, a JSON object a line, with secrets cut out.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) look: Look,
    /// The server as a child process: the command after `--`.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) child: Vec<OsString>,
}

/// How results look.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Look {
    /// Prints one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// When to use colour.
    #[arg(long, default_value = "auto", value_parser = colors())]
    pub(crate) color: ColorChoice,
    /// Says on stderr what happens: each step, request and recovery; twice (-vv) every message as well.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The HTTP transports to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HttpWire {
    /// Streamable HTTP, and HTTP+SSE where the server has only that.
    Auto,
    /// Streamable HTTP alone.
    Streamable,
    /// The deprecated HTTP+SSE alone.
    Sse,
}

impl Command {
    /// Returns how the command's results are to look.
    pub(crate) fn look(&self) -> &Look {
        match self {
            Self::Probe(probe) => &probe.options.look,
            Self::Call(call) => &call.options.look,
            Self::List(list) => &list.options.look,
            Self::Listen(listening) => &listening.options.look,
            Self::Read(read) => &read.options.look,
            Self::Prompt(prompt) => &prompt.options.look,
            Self::Complete(complete) => &complete.options.look,
            Self::Completions(completions) => &completions.look,
            Self::Demo(demo) => &demo.look,
            Self::Serve(serve) => &serve.look,
        }
    }
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["auto", "modern", "legacy"]).map(|word| match word.as_str() {
        "modern" => Mode::Modern,
        "legacy" => Mode::Legacy,
        _ => Mode::Auto,
    })
}

fn policies() -> impl TypedValueParser<Value = Downgrade> {
    PossibleValuesParser::new(["conservative", "standard", "lenient"]).map(|word| match word.as_str() {
        "conservative" => Downgrade::Conservative,
        "lenient" => Downgrade::Lenient,
        _ => Downgrade::Standard,
    })
}

fn wires() -> impl TypedValueParser<Value = HttpWire> {
    PossibleValuesParser::new(["auto", "streamable-http", "sse"]).map(|word| match word.as_str() {
        "streamable-http" => HttpWire::Streamable,
        "sse" => HttpWire::Sse,
        _ => HttpWire::Auto,
    })
}

fn revisions() -> impl TypedValueParser<Value = Revision> {
    let words = Revision::ALL.iter().map(|revision| revision.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}

fn colors() -> impl TypedValueParser<Value = ColorChoice> {
    PossibleValuesParser::new(["auto", "always", "never"]).map(|word| match word.as_str() {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        _ => ColorChoice::Auto,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(words: &[&str]) -> Call {
        let words = ["diglot", "call"].iter().chain(words);
        match Args::try_parse_from(words).map(|args| args.command) {
            Ok(Command::Call(call)) => call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn what_follows_two_dashes_is_the_child() {
        let call = call(&["add", "a=-1", "--json", "-", "--", "./server", "--json", "-v"]);
        assert_eq!(call.words, ["add", "a=-1", "-"]);
        assert_eq!(call.options.child, ["./server", "--json", "-v"]);
        assert!(call.options.look.json);
        assert_eq!(call.options.look.verbose, 0);
    }

    #[test]
    fn options_stand_anywhere_before_it() {
        let call = call(&["http://localhost/mcp", "--mode", "legacy", "add", "--timeout", "1.5m", "a=1"]);
        assert_eq!(call.words, ["http://localhost/mcp", "add", "a=1"]);
        assert_eq!(call.options.mode, Mode::Legacy);
        assert_eq!(call.options.timeout, Duration::from_secs(90));
    }
}
