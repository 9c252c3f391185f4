//! What the demo server offers: a little of everything, so that a client can be tried out whole.

use std::time::Duration;

use diglot::Server;
use diglot::server::CacheHint;
use diglot::types::Implementation;

use super::clock::Clock;
use super::icon::icon;
use super::{texts, tools};

/// What models are told of the server.
const INSTRUCTIONS: &str = "A server for trying clients on. `add` and `echo` answer at once, `count` takes its time and \
    tells its progress, `confirm` asks the user, `fail` fails. Subscribe to demo://clock and call `tick` to see it change.";

/// Makes the server.
pub(super) fn server() -> Server {
    let identity = Implementation::new("diglot-demo", env!("CARGO_PKG_VERSION"))
        .title("Diglot demo")
        .description("Speaks both eras of the Model Context Protocol")
        .icons([icon("#27a", "dg")]);
    let clock = Clock::new();
    Server::identified(&identity)
        .instructions(INSTRUCTIONS)
        .discover_cache(CacheHint::public(Duration::from_secs(60)))
        .tool(tools::add())
        .tool(tools::echo())
        .tool(tools::confirm())
        .tool(tools::count())
        .tool(tools::fail())
        .tool(clock.tick())
        .resource(texts::greeting())
        .resource(clock.resource())
        .resource_template(texts::notes())
        .complete_template(texts::NOTES, texts::complete_note)
        .prompt(texts::greet())
        .complete_prompt("greet", texts::complete_name)
}
