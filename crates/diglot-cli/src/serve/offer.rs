//! What the demo server offers: a little of everything, so that a client can be tried out whole.

use std::time::Duration;

use diglot::Server;
use diglot::server::CacheHint;
use diglot::types::{Icon, Implementation};

use super::clock::Clock;
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
    let server = Server::identified(&identity)
        .instructions(INSTRUCTIONS)
        .discover_cache(CacheHint::public(Duration::from_secs(60)));
    let clock = Clock::new();
    server
        .clone()
        .tool(tools::add())
        .tool(tools::echo())
        .tool(tools::confirm())
        .tool(tools::count())
        .tool(tools::fail())
        .tool(clock.tick(server))
        .resource(texts::greeting())
        .resource(clock.resource())
        .resource_template(texts::notes())
        .complete_template(texts::NOTES, texts::complete_note)
        .prompt(texts::greet())
        .complete_prompt("greet", texts::complete_name)
}

/// Draws an icon: a coloured square with a word in it.
pub(super) fn icon(color: &str, word: &str) -> Icon {
    let color = color.replace('#', "%23");
    let source = format!(
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>\
         <rect width='24' height='24' rx='5' fill='{color}'/><text x='12' y='16' font-size='11' \
         text-anchor='middle' fill='white'>{word}</text></svg>"
    );
    let source = source.replace(' ', "%20").replace('<', "%3C").replace('>', "%3E");
    Icon::new(source).mime_type("image/svg+xml").sizes(["any".to_owned()])
}
