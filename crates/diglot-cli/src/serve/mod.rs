//! `diglot serve --demo`: a server of both eras, for trying clients on.

mod clock;
mod offer;
mod texts;
mod tools;

use crate::args::Serve;

pub(crate) async fn run(_: &Serve) -> u8 {
    let _ = offer::server().serve_pipe(tokio::io::stdin(), tokio::io::stdout()).await;
    0
}
