//! Tools of a type that has state, over stdin and stdout. Run: `cargo run -p diglot --example stateful`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use diglot::server::Json;
use diglot::{Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What all calls share.
#[derive(Default)]
struct Basket {
    fruits: Mutex<BTreeMap<String, u32>>,
}

#[derive(Deserialize, JsonSchema)]
struct Fruit {
    /// What kind of fruit it is.
    name: String,
    /// How many of them.
    #[serde(default = "one")]
    count: u32,
}

fn one() -> u32 {
    1
}

#[derive(Serialize, JsonSchema)]
struct Contents {
    fruits: BTreeMap<String, u32>,
}

impl Basket {
    fn put(&self, Fruit { name, count }: Fruit) -> Json<Contents> {
        let fruits = &mut *self.fruits.lock().unwrap_or_else(PoisonError::into_inner);
        let place = fruits.entry(name).or_default();
        *place = place.saturating_add(count);
        Json(Contents { fruits: fruits.clone() })
    }

    fn take(&self, Fruit { name, count }: Fruit) -> Result<Json<Contents>, ToolError> {
        let fruits = &mut *self.fruits.lock().unwrap_or_else(PoisonError::into_inner);
        let there = fruits.get(&name).copied().unwrap_or_default();
        let rest = there.checked_sub(count);
        let rest = rest.ok_or_else(|| ToolError::new(format!("there are only {there} of {name}")))?;
        fruits.insert(name, rest);
        Ok(Json(Contents { fruits: fruits.clone() }))
    }

    /// Makes tools that share the basket.
    fn tools(self: Arc<Self>) -> [Tool; 2] {
        let (one, other) = (self.clone(), self);
        let put = move |fruit: Fruit, _: Context| std::future::ready(one.put(fruit));
        let take = move |fruit: Fruit, _: Context| std::future::ready(other.take(fruit));
        [
            Tool::new("put", put).description("Puts fruits into the basket"),
            Tool::new("take", take).description("Takes fruits out of the basket"),
        ]
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = Arc::new(Basket::default()).tools();
    let server = tools.into_iter().fold(Server::new("basket", "1.0.0"), Server::tool);
    Ok(server.serve_stdio().await?)
}
