//! Listing what a server offers: all pages at once, or one after the other.

mod walk;

use std::ops::Deref;
use std::sync::Arc;

use diglot_proto::object::Object;
use diglot_proto::types::{Fault, LeftOut, Prompt, Resource, ResourceTemplate, Tool};
use serde_json::value::RawValue;

use self::walk::Walk;
use crate::client::Client;
use crate::client::cache::Caching;
use crate::client::live::Inner;
use crate::client::options::{Options, request};
use crate::error::{Error, Violation};

/// Makes the list of one kind of item: its types, and the method of the client that fetches it.
macro_rules! list {
    (
        $list:ident, $page:ident, $pages:ident, $request:ident of $item:ident as $items:ident by $key:ident:
        $words:literal, $method:ident, $wire:literal, $member:literal, $judge:path
    ) => {
        #[doc = concat!("The ", $words, " of a server, and what had to be left out of the list.")]
        #[derive(Clone, Debug, Default)]
        #[non_exhaustive]
        pub struct $list {
            /// The items, in the server's order.
            pub $items: Vec<$item>,
            /// The items that cannot be used, with the reason: one bad item does not lose the others.
            pub left_out: Vec<LeftOut>,
            /// How many pages the list had.
            pub pages: usize,
        }

        impl $list {
            #[doc = concat!("Finds one of the ", $words, " by its `", stringify!($key), "`.")]
            pub fn find(&self, $key: &str) -> Option<&$item> {
                self.$items.iter().find(|item| item.$key == $key)
            }
        }

        impl Deref for $list {
            type Target = [$item];

            fn deref(&self) -> &[$item] {
                &self.$items
            }
        }

        impl IntoIterator for $list {
            type Item = $item;
            type IntoIter = std::vec::IntoIter<$item>;

            fn into_iter(self) -> Self::IntoIter {
                self.$items.into_iter()
            }
        }

        #[doc = concat!("One page of the ", $words, " of a server.")]
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $page {
            /// The items, in the server's order.
            pub $items: Vec<$item>,
            /// The items that cannot be used, with the reason; their places count from the first page on.
            pub left_out: Vec<LeftOut>,
            /// The cursor of the next page, where there is one.
            pub next_cursor: Option<String>,
            /// The whole result as it came, its `_meta` and how long it stays fresh included.
            pub raw: Box<RawValue>,
        }

        #[doc = concat!("The pages of the ", $words, " of a server, which are fetched one after the other.")]
        #[derive(Debug)]
        pub struct $pages {
            walk: Walk,
        }

        impl $pages {
            /// Fetches the next page; nothing after the last one.
            ///
            /// After an error, the same page can be asked for again.
            ///
            /// # Errors
            ///
            /// A list that goes on past [`Limits::list_items`](crate::Limits::list_items) or
            /// [`Limits::list_pages`](crate::Limits::list_pages), or that repeats a cursor, is a protocol error.
            pub async fn next(&mut self) -> Result<Option<$page>, Error> {
                let Some(page) = self.walk.next().await? else { return Ok(None) };
                let (mut $items, mut left_out) = (Vec::new(), Vec::new());
                let reader = Reader { member: $member, read: $item::read, judge: $judge };
                let before = self.walk.items();
                let count = reader
                    .items(self.walk.inner(), &page.result, before, &mut $items, &mut left_out)
                    .map_err(|violation| self.walk.fault(violation))?;
                self.walk.count(count)?;
                Ok(Some($page { $items, left_out, next_cursor: page.next_cursor, raw: page.result }))
            }
        }

        #[doc = concat!("A request for the ", $words, " of a server: set options, then await it.\n\n")]
        /// Awaited, it fetches all pages; they can also be taken one by one. A time-out is that of one page.
        #[must_use = "a request does nothing until it is awaited"]
        pub struct $request {
            inner: Arc<Inner>,
            cursor: Option<String>,
            options: Options,
        }

        impl $request {
            /// Asks the server in any case, also for pages that are still fresh.
            pub fn fresh(mut self) -> Self {
                self.options.caching = Caching::Renew;
                self
            }

            /// Begins at a cursor that an earlier page gave.
            pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
                self.cursor = Some(cursor.into());
                self
            }

            /// Takes the pages one by one.
            pub fn pages(self) -> $pages {
                $pages { walk: Walk::new(self.inner, $wire, self.cursor, self.options) }
            }

            async fn run(self) -> Result<$list, Error> {
                let mut pages = self.pages();
                pages.walk.may_restart = true;
                let mut list = $list::default();
                while let Some(page) = pages.next().await? {
                    if pages.walk.has_restarted() {
                        list = $list::default();
                    }
                    list.$items.extend(page.$items);
                    list.left_out.extend(page.left_out);
                    list.pages += 1;
                }
                Ok(list)
            }
        }

        request!($request -> $list);

        impl Client {
            #[doc = concat!("Lists the ", $words, " of the server: all pages of it, once it is awaited.\n\n")]
            /// The request takes options, and its pages can be taken one by one.
            ///
            /// Pages that a modern server lets the client keep are not asked for again while they are fresh.
            ///
            /// # Errors
            ///
            /// A list that goes on past [`Limits::list_items`](crate::Limits::list_items) or
            /// [`Limits::list_pages`](crate::Limits::list_pages), or that repeats a cursor, is a protocol error.
            pub fn $method(&self) -> $request {
                let options = Options { caching: Caching::Use, ..Options::default() };
                $request { inner: self.inner.clone(), cursor: None, options }
            }
        }
    };
}

list!(ToolList, ToolPage, ToolPages, ListTools of Tool as tools by name:
    "tools", list_tools, "tools/list", "tools", judge_tool);
list!(ResourceList, ResourcePage, ResourcePages, ListResources of Resource as resources by uri:
    "resources", list_resources, "resources/list", "resources", approve);
list!(ResourceTemplateList, ResourceTemplatePage, ResourceTemplatePages, ListResourceTemplates
    of ResourceTemplate as templates by uri_template:
    "resource templates", list_resource_templates, "resources/templates/list", "resourceTemplates", approve);
list!(PromptList, PromptPage, PromptPages, ListPrompts of Prompt as prompts by name:
    "prompts", list_prompts, "prompts/list", "prompts", approve);

/// Says why an item cannot be used although it could be read.
type Judge<T> = fn(&Inner, &T) -> Option<(String, String)>;

/// How the items of one list are found in a page and read.
struct Reader<T> {
    member: &'static str,
    read: fn(&RawValue) -> Result<T, Fault>,
    judge: Judge<T>,
}

impl<T> Reader<T> {
    /// Takes the items of a page, and returns how many there were. The first is at a place in the list.
    fn items(
        &self,
        inner: &Inner,
        page: &RawValue,
        first: usize,
        items: &mut Vec<T>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<usize, Violation> {
        let object = Object::read(page).ok_or(Violation::WrongShape("it is not an object"))?;
        let found = match object.member(self.member) {
            None => Vec::new(),
            Some(_) => {
                object.array(self.member).ok_or(Violation::WrongShape("its items are not an array"))?
            }
        };
        for (at, raw) in (first..).zip(&found) {
            match (self.read)(raw) {
                Err(fault) => left_out.push(LeftOut::new(raw, at, fault)),
                Ok(item) => match (self.judge)(inner, &item) {
                    None => items.push(item),
                    Some((name, reason)) => left_out.push(LeftOut::unusable(at, name, reason)),
                },
            }
        }
        Ok(found.len())
    }
}

fn approve<T>(_: &Inner, _: &T) -> Option<(String, String)> {
    None
}

/// Learns what calls have to know of a tool. Over modern HTTP, one whose parameters cannot be mirrored is left out.
fn judge_tool(inner: &Inner, tool: &Tool) -> Option<(String, String)> {
    let known = inner.tools.learn(tool);
    let fault = known.fault().filter(|_| inner.live().mirrors_params())?;
    tracing::warn!(tool = tool.name, %fault, "a tool is left out");
    Some((tool.name.clone(), fault.to_string()))
}
