//! Hears of changes at a server. Run: `cargo run -p diglot --example listen -- http://127.0.0.1:8000/mcp`, beside the
//! example `subscriptions`.
//!
//! It asks for every list that the server tells of, and for the resources that are named after the address. The server
//! may be of either era.

#![expect(clippy::print_stdout, reason = "printing the changes is what it is for")]

use diglot::client::Change;
use diglot::types::SubscriptionFilter;
use diglot::{Client, StreamableHttp};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let url = words.next().unwrap_or_else(|| "http://127.0.0.1:8000/mcp".to_owned());
    let client = Client::builder("listen", "1.0.0").connect(StreamableHttp::new(&url)?).await?;
    let wanted = SubscriptionFilter::offered_by(&client.capabilities())
        .resource_subscriptions(words.collect::<Vec<_>>());
    let mut changes = client.listen(wanted.clone()).await?;
    let missing = wanted.without(&changes.acknowledged());
    if !missing.is_empty() {
        eprintln!("the server does not tell of {}", serde_json::to_string(&missing)?);
    }
    eprintln!("listening to {url}");
    while let Some(change) = changes.next().await {
        match change? {
            Change::Tools => println!("there are {} tools", client.list_tools().await?.len()),
            Change::Resource(uri) => {
                let read = client.read_resource(&uri).await?;
                println!(
                    "{uri}: {}",
                    read.contents.first().and_then(|part| part.as_text()).unwrap_or_default()
                );
            }
            // Whatever matters is to be read again.
            other => println!("{other}"),
        }
    }
    client.close().await;
    Ok(())
}
