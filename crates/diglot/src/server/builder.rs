//! Making a server, and changing it while it runs.

use std::sync::Arc;
use std::time::Duration;

use diglot_proto::types::Implementation;
use diglot_proto::version::{Era, Revision};

use crate::schema::Checker;
use crate::server::catalog::ToolEntry;
use crate::server::completion::Typed;
use crate::server::core::{Core, SharedCatalog};
use crate::server::hub::{Change, ChangeFeed, Hub};
use crate::server::request_state::Seal;
use crate::server::settings::{CacheHint, Eras, Settings};
use crate::server::task::Tasks;
use crate::server::{
    CompletionHandler, Context, Prompt, Resource, ResourceTemplate, TaskLimits, TaskStore, Tool,
};

/// A server: what it offers, and by which rules.
///
/// Clones are the same server: what one adds, all offer, and those who listen hear of it.
#[derive(Clone)]
pub struct Server {
    settings: Settings,
    catalog: Arc<SharedCatalog>,
    hub: Arc<Hub>,
    state_keys: Vec<[u8; 32]>,
    tasks: Arc<Tasks>,
}

impl Server {
    /// Begins a server with the name and version that it tells clients.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self::identified(&Implementation::new(name, version))
    }

    /// Begins a server that says more of itself than a name and a version.
    pub fn identified(identity: &Implementation) -> Self {
        Self {
            settings: Settings::new(identity),
            catalog: Arc::default(),
            hub: Arc::default(),
            state_keys: Vec::new(),
            tasks: Arc::new(Tasks::new(TaskLimits::default(), None)),
        }
    }

    /// Offers a tool.
    ///
    /// # Panics
    ///
    /// Panics if one of its schemas is no JSON Schema; [`add_tool`](Self::add_tool) returns that as an error.
    #[must_use]
    #[track_caller]
    pub fn tool(self, tool: Tool) -> Self {
        if let Err(error) = self.add_tool(tool) {
            panic!("{error}");
        }
        self
    }

    /// Offers a resource.
    #[must_use]
    pub fn resource(self, resource: Resource) -> Self {
        self.add_resource(resource);
        self
    }

    /// Offers a family of resources.
    #[must_use]
    pub fn resource_template(self, template: ResourceTemplate) -> Self {
        self.catalog.change(|catalog| catalog.templates.insert(template));
        self
    }

    /// Offers a prompt.
    #[must_use]
    pub fn prompt(self, prompt: Prompt) -> Self {
        self.add_prompt(prompt);
        self
    }

    /// Completes the arguments of a prompt.
    #[must_use]
    pub fn complete_prompt(self, name: &str, handler: impl CompletionHandler) -> Self {
        self.complete(format!("prompt:{name}"), handler)
    }

    /// Completes the variables of a resource template.
    #[must_use]
    pub fn complete_template(self, template: &str, handler: impl CompletionHandler) -> Self {
        self.complete(format!("template:{template}"), handler)
    }

    fn complete(self, what: String, handler: impl CompletionHandler) -> Self {
        self.catalog.change(|catalog| catalog.completions.insert(what, Arc::new(Typed(handler))));
        self
    }

    /// Adds a tool while the server runs, or puts it in the place of one of the same name; subscribers hear of it.
    ///
    /// # Errors
    ///
    /// One of its schemas is no JSON Schema, or its `x-mcp-header` annotations break their rules.
    pub fn add_tool(&self, tool: Tool) -> Result<(), BadTool> {
        let entry = compile(tool)?;
        if entry.tool.plan.is_possible() {
            self.tasks.offer();
        }
        self.catalog.change(|catalog| catalog.tools.insert(entry));
        self.hub.publish(Change::Tools);
        Ok(())
    }

    /// Removes a tool while the server runs, and tells whether there was one.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.removed(Change::Tools, |catalog| catalog.tools.remove(name))
    }

    /// Adds a resource while the server runs.
    pub fn add_resource(&self, resource: Resource) {
        self.catalog.change(|catalog| catalog.resources.insert(resource));
        self.hub.publish(Change::Resources);
    }

    /// Removes a resource while the server runs, and tells whether there was one.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.removed(Change::Resources, |catalog| catalog.resources.remove(uri))
    }

    /// Adds a prompt while the server runs.
    pub fn add_prompt(&self, prompt: Prompt) {
        self.catalog.change(|catalog| catalog.prompts.insert(prompt));
        self.hub.publish(Change::Prompts);
    }

    /// Removes a prompt while the server runs, and tells whether there was one.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.removed(Change::Prompts, |catalog| catalog.prompts.remove(name))
    }

    /// Tells subscribers that the contents of a resource changed.
    pub fn resource_changed(&self, uri: &str) {
        self.hub.publish(Change::Resource(uri.into()));
    }

    /// Changes what is offered, and tells those who listen.
    pub(crate) fn change_catalog(
        &self,
        change: Change,
        act: impl FnOnce(&mut crate::server::catalog::Catalog),
    ) {
        self.catalog.change(act);
        self.hub.publish(change);
    }

    pub(crate) fn removed(
        &self,
        change: Change,
        act: impl FnOnce(&mut crate::server::catalog::Catalog) -> bool,
    ) -> bool {
        let was_there = self.catalog.change(act);
        if was_there {
            self.hub.publish(change);
        }
        was_there
    }

    /// Tells clients' models how to use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into());
        self
    }

    /// Sets which eras the server speaks; both unless set.
    #[must_use]
    pub fn eras(mut self, eras: Eras) -> Self {
        self.settings.eras = eras;
        self
    }

    /// Sets which legacy revisions the server speaks; all unless set. Modern ones in the list are passed over.
    #[must_use]
    pub fn legacy_revisions(mut self, revisions: &[Revision]) -> Self {
        self.settings.legacy =
            revisions.iter().copied().filter(|revision| revision.era() == Era::Legacy).collect();
        self
    }

    /// Sets whether modern results carry the server's name and version; they do unless set.
    #[must_use]
    pub fn shows_identity(mut self, shows: bool) -> Self {
        self.settings.shows_identity = shows;
        self
    }

    /// Sets how many items a page of a list has; 1 000 unless set.
    #[must_use]
    pub fn page_size(mut self, items: usize) -> Self {
        self.settings.page_size = items;
        self
    }

    /// Sets how lists may be cached; not at all unless set.
    #[must_use]
    pub fn list_cache(mut self, hint: CacheHint) -> Self {
        self.settings.list_cache = hint;
        self
    }

    /// Sets how the contents of resources may be cached, where the resource does not say; not at all unless set.
    #[must_use]
    pub fn read_cache(mut self, hint: CacheHint) -> Self {
        self.settings.read_cache = hint;
        self
    }

    /// Sets how the answer to `server/discover` may be cached; not at all unless set.
    #[must_use]
    pub fn discover_cache(mut self, hint: CacheHint) -> Self {
        self.settings.discover_cache = hint;
        self
    }

    /// Sets the keys that seal request states: the first seals, all open, so that keys can be rotated.
    ///
    /// Several processes behind one address need the same keys. Without any, each process draws its own.
    #[must_use]
    pub fn request_state_keys(mut self, keys: &[[u8; 32]]) -> Self {
        self.state_keys = keys.to_vec();
        self
    }

    /// Sets how long a request state is good; 15 minutes unless set.
    #[must_use]
    pub fn request_state_lifetime(mut self, lifetime: Duration) -> Self {
        self.settings.state_lifetime = lifetime;
        self
    }

    /// Shares changes with other processes that serve the same endpoint.
    #[must_use]
    pub fn change_feed(self, feed: impl ChangeFeed) -> Self {
        self.hub.connect(Arc::new(feed));
        self
    }

    /// Sets the longest message that a pipe takes, in bytes; 4 MiB unless set.
    ///
    /// A longer one is refused, and the pipe goes on.
    #[must_use]
    pub fn message_bytes(mut self, bytes: usize) -> Self {
        self.settings.pipe.message_bytes = bytes;
        self
    }

    /// Sets how many requests one pipe has under way before it reads no more; 1 024 unless set, and at least one.
    #[must_use]
    pub fn requests_at_once(mut self, requests: usize) -> Self {
        self.settings.pipe.requests = requests.max(1);
        self
    }

    /// Sets how long requests under way may take once a pipe's input has ended; 5 seconds unless set.
    #[must_use]
    pub fn drain_time(mut self, time: Duration) -> Self {
        self.settings.pipe.drain = time;
        self
    }

    /// Sets whether a server on the standard streams ends in good order on SIGTERM and SIGINT; it does unless set.
    ///
    /// Signals that were listened for once are never again left to the operating system.
    #[must_use]
    pub fn ends_on_signals(mut self, ends: bool) -> Self {
        self.settings.ends_on_signals = ends;
        self
    }

    /// Sets what tasks may take; set it before [`task_store`](Self::task_store).
    #[must_use]
    pub fn task_limits(mut self, limits: TaskLimits) -> Self {
        self.tasks = Arc::new(self.tasks.with_limits(limits, None));
        self
    }

    /// Sets where tasks are kept, so that other processes behind the same address know of them; in memory unless set.
    #[must_use]
    pub fn task_store(mut self, store: impl TaskStore) -> Self {
        let limits = self.tasks.limits().clone();
        self.tasks = Arc::new(self.tasks.with_limits(limits, Some(Arc::new(store))));
        self
    }

    /// Cancels the tasks that run in this process, and waits until that is recorded, for no longer than 5 seconds.
    ///
    /// A server on the standard streams does so by itself at its end; for others it is to be done before the process
    /// ends. When the last clone of a server is dropped, its tasks are cut off too.
    pub async fn end_tasks(&self) {
        self.tasks.end_and_wait().await;
    }

    /// Ends every subscription in good order, as before the process ends.
    pub fn end_subscriptions(&self) {
        self.hub.shut_down();
    }

    /// Returns the inside that bindings work with.
    pub(crate) fn core(&self) -> Arc<Core> {
        Arc::new(Core {
            server: Arc::new(self.clone()),
            settings: self.settings.clone(),
            hub: self.hub.clone(),
            seal: Seal::new(&self.state_keys),
            catalog: self.catalog.clone(),
            tasks: self.tasks.clone(),
        })
    }
}

impl Context {
    /// Returns the server that runs the handler: what is added to it or removed from it, all clients hear of.
    ///
    /// ```
    /// use diglot::{Context, Server, Tool};
    ///
    /// async fn grow(cx: Context) -> &'static str {
    ///     let added = cx.server().add_tool(Tool::new("more", async |_: Context| "more"));
    ///     if added.is_ok() { "there is more now" } else { "there is no more" }
    /// }
    ///
    /// let server = Server::new("growing", "1.0.0").tool(Tool::new("grow", grow));
    /// # drop(server);
    /// ```
    pub fn server(&self) -> &Server {
        self.inner.server.downcast_ref().expect("a handler is run by a server")
    }
}

fn compile(tool: Tool) -> Result<ToolEntry, BadTool> {
    let bad = |what: String| BadTool { name: tool.name().to_owned(), what };
    let checker = Checker::compile(&tool.definition.input_schema).map_err(bad)?;
    if let Some(schema) = &tool.definition.output_schema {
        Checker::compile(schema).map_err(bad)?;
    }
    let headers = diglot_proto::http::param::ParamHeaders::compile(&tool.definition.input_schema)
        .map_err(|error| bad(error.to_string()))?;
    Ok(ToolEntry { tool, checker, headers })
}

/// A tool that cannot be offered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadTool {
    /// The tool's name.
    pub name: String,
    what: String,
}

impl std::fmt::Display for BadTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the tool {:?} cannot be offered: {}", self.name, self.what)
    }
}

impl std::error::Error for BadTool {}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools: Vec<String> =
            self.catalog.now().tools.iter().map(|entry| entry.tool.name().to_owned()).collect();
        f.debug_struct("Server").field("tools", &tools).finish_non_exhaustive()
    }
}
