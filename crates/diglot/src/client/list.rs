//! Listing what a server offers, all pages of it.

use std::collections::HashSet;
use std::ops::Deref;

use diglot_proto::object::Object;
use diglot_proto::types::{Fault, LeftOut, Prompt, Resource, ResourceTemplate, Tool};
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Client;
use crate::client::request::{Call, Options};
use crate::error::{Error, ProtocolError, Violation};

/// Makes the list of one kind of item: the type, and the method of the client that fetches it.
macro_rules! list {
    ($list:ident, $item:ident, $items:ident, $method:ident, $wire:literal, $member:literal, $key:ident, $words:literal) => {
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

        impl Client {
            /// Lists what the server offers of this kind, all pages of it.
            ///
            /// # Errors
            ///
            /// A list that goes on past [`Limits::list_items`](crate::Limits::list_items) or
            /// [`Limits::list_pages`](crate::Limits::list_pages), or that repeats a cursor, is a protocol error.
            pub async fn $method(&self) -> Result<$list, Error> {
                let mut list = $list::default();
                let reader = Reader { member: $member, read: $item::read };
                list.pages = self.pages($wire, &reader, &mut list.$items, &mut list.left_out).await?;
                Ok(list)
            }
        }
    };
}

list!(ToolList, Tool, tools, list_tools, "tools/list", "tools", name, "tools");
list!(ResourceList, Resource, resources, list_resources, "resources/list", "resources", uri, "resources");
list!(
    ResourceTemplateList,
    ResourceTemplate,
    templates,
    list_resource_templates,
    "resources/templates/list",
    "resourceTemplates",
    uri_template,
    "resource templates"
);
list!(PromptList, Prompt, prompts, list_prompts, "prompts/list", "prompts", name, "prompts");

/// How the items of one list are found in a page and read.
struct Reader<T> {
    member: &'static str,
    read: fn(&RawValue) -> Result<T, Fault>,
}

impl Client {
    /// Fetches all pages of a list and returns how many there were.
    async fn pages<T>(
        &self,
        method: &'static str,
        reader: &Reader<T>,
        items: &mut Vec<T>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<usize, Error> {
        let limits = &self.inner.settings.limits;
        let fault = |violation| Error::from(ProtocolError::new(violation, method));
        let mut seen = HashSet::new();
        let mut cursor: Option<String> = None;
        for page in 1.. {
            let params = cursor.as_deref().map(cursor_params);
            let call = Call { method: method.into(), params, is_safe: true, takes_input: false };
            let result = self.inner.request(&call, Options::default()).await?;
            cursor = reader.page(&result, items, left_out).map_err(fault)?;
            if items.len() + left_out.len() > limits.list_items {
                return Err(fault(Violation::OverLimit("items", limits.list_items)));
            }
            match &cursor {
                None => return Ok(page),
                Some(cursor) if !seen.insert(cursor.clone()) => return Err(fault(Violation::RepeatedCursor)),
                Some(_) if page >= limits.list_pages => break,
                Some(_) => {}
            }
        }
        Err(fault(Violation::OverLimit("pages", limits.list_pages)))
    }
}

impl<T> Reader<T> {
    /// Takes one page into the list and returns the cursor of the next.
    fn page(
        &self,
        page: &RawValue,
        items: &mut Vec<T>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Option<String>, Violation> {
        let object = Object::read(page).ok_or(Violation::WrongShape("it is not an object"))?;
        let found = match object.member(self.member) {
            None => Vec::new(),
            Some(_) => {
                object.array(self.member).ok_or(Violation::WrongShape("its items are not an array"))?
            }
        };
        for item in found {
            match (self.read)(item) {
                Ok(item) => items.push(item),
                Err(fault) => left_out.push(LeftOut::new(item, items.len() + left_out.len(), fault)),
            }
        }
        // Some servers end a list with an empty cursor instead of none.
        Ok(object.string("nextCursor").filter(|cursor| !cursor.is_empty()))
    }
}

fn cursor_params(cursor: &str) -> Box<RawValue> {
    let params = std::collections::BTreeMap::from([("cursor", cursor)]);
    to_raw_value(&params).expect("text serialises")
}
