//! The `diglot` command.
//!
//! Each command is a module with a `run`; this one reads the line, runs the command until it ends or is interrupted,
//! and turns its ending into output and an exit status.

mod args;
mod assignment;
mod call;
mod closest;
mod complete;
mod completions;
mod config;
mod connect;
mod content;
mod demo;
mod elicit;
mod failure;
mod interrupt;
mod list;
mod listen;
mod output;
mod probe;
mod prompt;
mod read;
mod resolve;
mod roots;
mod serve;
mod tap;
mod target;
mod trace;
mod usage;
mod verbose;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use args::{Args, Command};
use connect::Session;
use output::Ending;

/// How long the end of the process waits for what cannot be stopped, such as a read of stdin.
const LAST_WAIT: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let command = match Args::try_parse() {
        Ok(args) => args.command,
        Err(error) => return usage::refuse(&error).into(),
    };
    verbose::speak(command.look().verbose, command.look().color);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return usage::no_runtime(&error).into(),
    };
    if let Command::Demo(demo) = &command {
        let look = &demo.look;
        return runtime.block_on(demo::run(look.json, output::is_colored(look.color)));
    }
    let exit = match &command {
        Command::Serve(serve) => runtime.block_on(serve::run(serve)),
        command => runtime.block_on(drive(command)),
    };
    runtime.shutdown_timeout(LAST_WAIT);
    exit.into()
}

/// Runs a command to its end, or until it is interrupted, and closes what it opened.
async fn drive(command: &Command) -> u8 {
    let session = Session::default();
    let ending = tokio::select! {
        ending = run(command, &session) => ending,
        exit = interrupt::interrupted() => {
            elicit::restore();
            interrupt::impatient(session.close()).await;
            return match command {
                // There is no other way to say that one has heard enough.
                Command::Listen(_) if exit == interrupt::INTERRUPTED => 0,
                _ => exit,
            };
        }
    };
    elicit::restore();
    let exit = ending.print(command.look().color);
    interrupt::impatient(session.close()).await;
    exit
}

async fn run(command: &Command, session: &Session) -> Ending {
    let ending = match command {
        Command::Probe(probe) => return probe::run(probe, session).await,
        Command::Call(call) => call::run(call, session).await,
        Command::List(list) => list::run(list, session).await,
        Command::Listen(listening) => listen::run(listening, session).await,
        Command::Read(read) => read::run(read, session).await,
        Command::Prompt(prompt) => prompt::run(prompt, session).await,
        Command::Complete(complete) => complete::run(complete, session).await,
        Command::Completions(completions) => return completions::run(completions),
        Command::Demo(_) | Command::Serve(_) => unreachable!("they have no session and run by themselves"),
    };
    ending.unwrap_or_else(|failure| Ending::failed(failure, command.look().json))
}
