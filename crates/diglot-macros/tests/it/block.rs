//! Methods that share a state.

use diglot::{Context, Server, tools};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Default)]
struct Calculator {
    sum: AtomicI64,
}

#[tools]
impl Calculator {
    const ONE: i64 = 1;

    /// Adds to the sum.
    #[tool]
    async fn add(&self, a: i64, _cx: Context) -> i64 {
        self.sum.fetch_add(a, Ordering::Relaxed) + a * Self::ONE
    }

    #[tool(name = "now")]
    fn sum(self: Arc<Self>) -> i64 {
        self.sum.load(Ordering::Relaxed)
    }

    /// Greets somebody.
    #[prompt]
    async fn greet(&self, name: String) -> String {
        format!("Hello, {name}")
    }

    fn helper() {}
}

#[test]
fn it_registers() {
    Calculator::helper();
    let server = Server::new("a", "1").tools(Arc::new(Calculator::default()));
    assert_eq!(format!("{server:?}"), r#"Server { tools: ["add", "now"], .. }"#);
}
