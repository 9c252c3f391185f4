//! Listing tools, all pages of them.

use std::collections::HashSet;
use std::ops::Deref;

use diglot_proto::types::{LeftOut, ListToolsResult, Tool};
use serde_json::value::{RawValue, to_raw_value};

use crate::client::Client;
use crate::client::request::{Call, Options};
use crate::error::{Error, ProtocolError, Violation};

/// The tools of a server, and what had to be left out of the list.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolList {
    /// The tools, in the server's order.
    pub tools: Vec<Tool>,
    /// The items that cannot be used, with the reason: one bad tool does not lose the others.
    pub left_out: Vec<LeftOut>,
    /// How many pages the list had.
    pub pages: usize,
}

impl ToolList {
    /// Finds a tool by its name.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl Deref for ToolList {
    type Target = [Tool];

    fn deref(&self) -> &[Tool] {
        &self.tools
    }
}

impl IntoIterator for ToolList {
    type Item = Tool;
    type IntoIter = std::vec::IntoIter<Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.tools.into_iter()
    }
}

impl Client {
    /// Lists the server's tools, all pages of them.
    ///
    /// # Errors
    ///
    /// A list that goes on past [`Limits::list_items`](crate::Limits::list_items) or
    /// [`Limits::list_pages`](crate::Limits::list_pages), or that repeats a cursor, is a protocol error.
    pub async fn list_tools(&self) -> Result<ToolList, Error> {
        const METHOD: &str = "tools/list";
        let limits = &self.inner.settings.limits;
        let fault = |violation| Error::from(ProtocolError::new(violation, METHOD));
        let mut list = ToolList::default();
        let mut seen = HashSet::new();
        let mut cursor: Option<String> = None;
        loop {
            let params = cursor.as_deref().map(cursor_params);
            let call = Call { method: METHOD.into(), params, is_safe: true };
            let page = self.inner.request(&call, Options::default()).await?;
            cursor = read_page(&page, &mut list).map_err(fault)?;
            list.pages += 1;
            if list.tools.len() + list.left_out.len() > limits.list_items {
                return Err(fault(Violation::OverLimit("items", limits.list_items)));
            }
            match &cursor {
                None => return Ok(list),
                Some(cursor) if !seen.insert(cursor.clone()) => return Err(fault(Violation::RepeatedCursor)),
                Some(_) if list.pages >= limits.list_pages => {
                    return Err(fault(Violation::OverLimit("pages", limits.list_pages)));
                }
                Some(_) => {}
            }
        }
    }
}

/// Takes one page into the list and returns the cursor of the next.
fn read_page(page: &RawValue, list: &mut ToolList) -> Result<Option<String>, Violation> {
    let read = ListToolsResult::read(page).map_err(|fault| Violation::WrongShape(fault.reason))?;
    let before = list.tools.len() + list.left_out.len();
    list.tools.extend(read.tools);
    list.left_out.extend(read.left_out.into_iter().map(|mut left_out| {
        left_out.index += before;
        left_out
    }));
    // Some servers end a list with an empty cursor instead of none.
    Ok(read.next_cursor.filter(|cursor| !cursor.is_empty()))
}

fn cursor_params(cursor: &str) -> Box<RawValue> {
    let params = std::collections::BTreeMap::from([("cursor", cursor)]);
    to_raw_value(&params).expect("text serialises")
}
