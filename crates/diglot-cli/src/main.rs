//! The `diglot` command.

mod demo;

fn main() -> std::process::ExitCode {
    let json = std::env::args().any(|argument| argument == "--json");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime starts wherever the process does").block_on(demo::run(json, false))
}
