//! A server that changes while it runs, over HTTP. Run: `cargo run -p diglot --example subscriptions`.
//!
//! Clients that subscribe to `demo://seconds`, or want to hear of new tools, are told: modern ones on the stream of
//! `subscriptions/listen`, legacy ones on that of their session.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use diglot::http::HttpServer;
use diglot::server::Resource;
use diglot::{Context, Server, Tool};

const SECONDS: &str = "demo://seconds";

/// Counts the seconds and tells subscribers of each; every tenth one brings a tool.
async fn run_clock(server: Server, seconds: Arc<AtomicU64>) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        let now = seconds.fetch_add(1, Ordering::Relaxed) + 1;
        server.resource_changed(SECONDS);
        if now.is_multiple_of(10) && now <= 100 {
            let tool = Tool::new(format!("since_{now}"), |_: Context| std::future::ready("I am new here."));
            server.add_tool(tool).expect("a tool without arguments has a good schema");
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = Arc::new(AtomicU64::new(0));
    let shown = seconds.clone();
    let read =
        move |_: String, _: Context| std::future::ready(format!("{} seconds", shown.load(Ordering::Relaxed)));
    let server = Server::new("clock", "1.0.0").resource(Resource::new(SECONDS, "seconds", read));
    // Clones are the same server.
    tokio::spawn(run_clock(server.clone(), seconds));
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    let listener = HttpServer::bind(server, address).await?;
    eprintln!("listening on {}", listener.url());
    let stop = async {
        // Without signals the server runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    // On Ctrl-C the streams end with a result, so that clients know that nothing was lost.
    Ok(listener.with_graceful_shutdown(stop).serve().await?)
}
