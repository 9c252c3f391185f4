//! The arguments of the commands that send one request and tell its result.

use std::path::PathBuf;

use super::Options;

/// The arguments of `call`.
#[derive(clap::Args, Debug)]
pub(crate) struct Call {
    /// The server and the tool, then its arguments; the server's tool list says how a VALUE is typed.
    #[arg(value_name = "TARGET TOOL KEY=VALUE")]
    pub(crate) words: Vec<String>,
    /// The arguments as one JSON object, sent as it is; `-` in place of KEY=VALUE reads it from stdin.
    #[arg(long, value_name = "JSON")]
    pub(crate) json_args: Option<String>,
    /// A folder to save images and sounds in.
    #[arg(long, visible_alias = "save-dir", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// The arguments of `read`.
#[derive(clap::Args, Debug)]
pub(crate) struct Read {
    /// The server and the address of the resource.
    #[arg(value_name = "TARGET URI")]
    pub(crate) words: Vec<String>,
    /// A file to write the contents to, or a folder that is there, for several contents; `-` is stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// The arguments of `prompt`.
#[derive(clap::Args, Debug)]
pub(crate) struct Prompt {
    /// The server and the prompt, then its arguments, which are text.
    #[arg(value_name = "TARGET NAME KEY=VALUE")]
    pub(crate) words: Vec<String>,
    /// A folder to save images and sounds in.
    #[arg(long, visible_alias = "save-dir", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// The arguments of `complete`.
#[derive(clap::Args, Debug)]
pub(crate) struct Complete {
    /// The server; `prompt` and its name, or `template` and its address; the argument; what is typed of it so far.
    #[arg(value_name = "TARGET prompt|template NAME ARGUMENT VALUE")]
    pub(crate) words: Vec<String>,
    /// An argument that is settled already, which the server may go by; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) with: Vec<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What a server may ask of the user while it answers.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Asking {
    /// Never asks anything at the terminal: what a server asks is declined.
    #[arg(long)]
    pub(crate) no_input: bool,
    /// A folder that the server may work in, told to it as a root; may be given several times.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
}
