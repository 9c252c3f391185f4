//! Functions as tools and prompts: attributes that write calls of Diglot's builder, and nothing else.
//!
//! `diglot` re-exports them under its feature `macros`; each one's page shows the code that it writes.

mod alone;
mod block;
mod docs;
mod function;
mod keys;
mod parameters;
mod write;

use proc_macro::TokenStream;

use crate::keys::Kind;

/// Makes a tool of a function: `add` stays the function that it was, and `add::tool()` makes a tool of it.
///
/// ```
/// use diglot::{Server, tool};
///
/// /// Adds two integers.
/// #[tool(title = "Addition", read_only)]
/// async fn add(
///     /// The first term.
///     a: i64,
///     /// The second term; zero unless given.
///     b: Option<i64>,
/// ) -> i64 {
///     a + b.unwrap_or(0)
/// }
///
/// let server = Server::new("calculator", "1.0.0").tool(add::tool());
/// ```
///
/// What it writes beside the function:
///
/// ```
/// # use diglot::{Context, Tool, types::ToolAnnotations};
/// # async fn add(a: i64, b: Option<i64>) -> i64 { a + b.unwrap_or(0) }
/// # #[expect(non_camel_case_types, reason = "the tool is named like its function")]
/// enum add {}
///
/// impl add {
///     fn tool() -> Tool {
///         #[derive(serde::Deserialize, schemars::JsonSchema)]
///         #[serde(rename = "add")]
///         struct Arguments {
///             /// The first term.
///             a: i64,
///             /// The second term; zero unless given.
///             b: Option<i64>,
///         }
///         Tool::new("add", |arguments: Arguments, _: Context| async move {
///             add(arguments.a, arguments.b).await
///         })
///         .title("Addition")
///         .description("Adds two integers.")
///         .annotations(ToolAnnotations::new().read_only_hint(true))
///     }
/// }
/// # let _ = add::tool();
/// ```
///
/// A function is a value, so the type beside it may have its name and is imported with it; it has the visibility and
/// the `#[cfg]`s of the function. A module or a type of that name in the same place clashes with it. `serde` and
/// `schemars` are those of Diglot: a function whose arguments are of common types needs neither as a dependency.
///
/// # Parameters
///
/// | Parameter | What it is |
/// |---|---|
/// | `a: i64` | An argument of that name; its doc comment is its description. An `Option` may be left out. |
/// | `Pair { a, b }: Pair` | All the arguments as one struct, taken apart. |
/// | `#[args] pair: Pair` | The same, kept whole. |
/// | `cx: Context` | The context of the request, at any place: a type whose last word is `Context`. |
///
/// On an argument, `#[serde(…)]` and `#[schemars(…)]` go to its field, as in `#[schemars(range(min = 1))] epochs: u32`.
/// Arguments own what they have, and their struct derives `serde::Deserialize` and `schemars::JsonSchema`.
///
/// # Keys
///
/// | Key | What it sets |
/// |---|---|
/// | `name = "…"` | The name; that of the function unless set. |
/// | `title = "…"` | The name for people. |
/// | `description = "…"` | The description, in the place of the doc comment. |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | A hint; `destructive = false` says that it does not hold. |
///
/// Texts may be any expression, such as `include_str!("…")`.
///
/// # The function
///
/// It is `async`, and its future is `Send`. A function that is not `async` runs where it is called, so it should be
/// short. It returns what a [`ToolHandler`] may: a text, a number, `Json<T>`, a `Result` whose error is shown to the
/// model, and so on. It is not generic; a closure handed to [`Tool::new`] may be.
///
/// A method is marked in the same way, and its block with [`tools`](macro@tools).
///
/// [`ToolHandler`]: https://docs.rs/diglot/latest/diglot/server/trait.ToolHandler.html
/// [`Tool::new`]: https://docs.rs/diglot/latest/diglot/struct.Tool.html#method.new
#[proc_macro_attribute]
pub fn tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    alone::expand(Kind::Tool, keys.into(), item.into()).into()
}

/// Makes a prompt of a function: `greet` stays the function that it was, and `greet::prompt()` makes a prompt of it.
///
/// ```
/// use diglot::{Server, prompt};
///
/// /// Greets somebody.
/// #[prompt]
/// async fn greet(
///     /// Whom to greet.
///     name: String,
///     times: Option<u32>,
/// ) -> String {
///     format!("Say hello to {name}, {} times.", times.unwrap_or(1))
/// }
///
/// let server = Server::new("greeter", "1.0.0").prompt(greet::prompt());
/// ```
///
/// What it writes beside the function:
///
/// ```
/// # use diglot::{Context, types::PromptArgument, server::{IntoPrompt, Prompt, PromptArguments}};
/// # async fn greet(name: String, times: Option<u32>) -> String { format!("{name} {times:?}") }
/// # #[expect(non_camel_case_types, reason = "the tool is named like its function")]
/// enum greet {}
///
/// impl greet {
///     fn prompt() -> Prompt {
///         Prompt::new("greet", |arguments: PromptArguments, _: Context| async move {
///             greet(arguments.parse::<String>("name")?, arguments.parse_optional::<u32>("times")?)
///                 .await
///                 .into_prompt()
///         })
///         .description("Greets somebody.")
///         .declare(PromptArgument::new("name").description("Whom to greet.").required(true))
///         .declare(PromptArgument::new("times").required(false))
///     }
/// }
/// # let _ = greet::prompt();
/// ```
///
/// Each parameter but the context is an argument, which clients send as a text: its type is read of one by
/// [`FromStr`](std::str::FromStr), and an `Option` may be left out. The keys are `name`, `title` and `description`; all
/// else is as with [`tool`](macro@tool).
#[proc_macro_attribute]
pub fn prompt(keys: TokenStream, item: TokenStream) -> TokenStream {
    alone::expand(Kind::Prompt, keys.into(), item.into()).into()
}

/// Makes tools and prompts of the methods of an impl block that are marked with `#[tool]` and `#[prompt]`.
///
/// All calls share one value of the type, and may run at the same time.
///
/// ```
/// use std::sync::atomic::{AtomicI64, Ordering};
///
/// use diglot::{Server, tools};
///
/// #[derive(Default)]
/// struct Register {
///     sum: AtomicI64,
/// }
///
/// #[tools]
/// impl Register {
///     /// Adds to the sum, and returns what it is then.
///     #[tool]
///     async fn add(&self, term: i64) -> i64 {
///         self.sum.fetch_add(term, Ordering::Relaxed) + term
///     }
///
///     /// Asks for an explanation of the sum.
///     #[prompt]
///     async fn explain(&self) -> String {
///         format!("Why is the sum {}?", self.sum.load(Ordering::Relaxed))
///     }
/// }
///
/// let server = Server::new("register", "1.0.0").tools(Register::default());
/// ```
///
/// What it writes beside the block:
///
/// ```
/// # use std::sync::{Arc, atomic::{AtomicI64, Ordering}};
/// # use diglot::{Context, Server, Tool, server::{Prompt, PromptArguments, Tools}};
/// # #[derive(Default)]
/// # struct Register { sum: AtomicI64 }
/// # impl Register {
/// #     async fn add(&self, term: i64) -> i64 { self.sum.fetch_add(term, Ordering::Relaxed) + term }
/// #     async fn explain(&self) -> String { String::new() }
/// # }
/// impl Tools for Register {
///     fn register(self: Arc<Self>, server: Server) -> Server {
///         let server = server.tool({
///             let state = Arc::clone(&self);
///             #[derive(serde::Deserialize, schemars::JsonSchema)]
///             #[serde(rename = "add")]
///             struct Arguments {
///                 term: i64,
///             }
///             Tool::new("add", move |arguments: Arguments, _: Context| {
///                 let state = Arc::clone(&state);
///                 async move { Self::add(&state, arguments.term).await }
///             })
///             .description("Adds to the sum, and returns what it is then.")
///         });
///         let server = server.prompt({
///             let state = Arc::clone(&self);
///             Prompt::new("explain", move |_: PromptArguments, _: Context| {
///                 let state = Arc::clone(&state);
///                 async move { Self::explain(&state).await }
///             })
///             .description("Asks for an explanation of the sum.")
///         });
///         server
///     }
/// }
/// # let _ = Server::new("register", "1.0.0").tools(Register::default());
/// ```
///
/// A marked method takes `&self`, or `self: Arc<Self>` where it hands the state on; otherwise it is as with
/// [`tool`](macro@tool) and [`prompt`](macro@prompt). The block may be generic, as `impl<D: Database> Notes<D>` is, as
/// long as no argument has one of its parameters. The type is `Send`, `Sync` and `'static`, and has one such block.
#[proc_macro_attribute]
pub fn tools(keys: TokenStream, item: TokenStream) -> TokenStream {
    block::expand(&keys.into(), item.into()).into()
}
