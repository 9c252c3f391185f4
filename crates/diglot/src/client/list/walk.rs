//! The way through the pages of a list, within its limits.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use diglot_proto::object::Object;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::live::Inner;
use crate::client::options::Options;
use crate::client::request::Call;
use crate::error::{Error, ProtocolError, Violation};

/// The way through the pages of a list.
pub(super) struct Walk {
    inner: Arc<Inner>,
    method: &'static str,
    options: Options,
    /// Where the walk began, as a cursor.
    start: Option<String>,
    next: Next,
    /// The cursors that were given, so that a circle is noticed.
    seen: HashSet<String>,
    items: usize,
    pages: usize,
    /// Whether a page was answered from the cache.
    has_kept: bool,
    /// Whether the walk may begin anew, for somebody who has not seen its pages yet.
    pub(super) may_restart: bool,
    /// Whether it began anew since the page before.
    has_restarted: bool,
}

/// Which page comes next.
enum Next {
    First,
    At(String),
    Nothing,
}

/// One page as it came.
pub(super) struct Page {
    pub(super) result: Box<RawValue>,
    pub(super) next_cursor: Option<String>,
}

impl Walk {
    /// Begins at the first page, or at a cursor.
    pub(super) fn new(
        inner: Arc<Inner>,
        method: &'static str,
        cursor: Option<String>,
        options: Options,
    ) -> Self {
        let next = cursor.clone().map_or(Next::First, Next::At);
        Self {
            inner,
            method,
            options,
            start: cursor,
            next,
            seen: HashSet::new(),
            items: 0,
            pages: 0,
            has_kept: false,
            may_restart: false,
            has_restarted: false,
        }
    }

    /// Fetches the next page; nothing after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<Page>, Error> {
        self.has_restarted = false;
        let fetched = match self.fetch().await {
            // The cursor came with a page that was kept, and the server may not know it any more.
            Some(Err(Error::Rpc(error))) if self.has_kept => {
                tracing::debug!(%error, "a cursor of a page that was kept is refused");
                self.inner.cache.forget_lists(&[self.method]);
                match self.may_restart {
                    true => {
                        self.restart();
                        self.fetch().await
                    }
                    false => Some(Err(Error::Rpc(error))),
                }
            }
            fetched => fetched,
        };
        let Some(result) = fetched.transpose()? else { return Ok(None) };
        let next_cursor = next_cursor(&result);
        let limit = self.inner.settings.limits.list_pages;
        self.pages += 1;
        match &next_cursor {
            None => self.next = Next::Nothing,
            Some(cursor) if !self.seen.insert(cursor.clone()) => {
                return Err(self.fault(Violation::RepeatedCursor));
            }
            Some(_) if self.pages >= limit => {
                return Err(self.fault(Violation::OverLimit("pages", limit)));
            }
            Some(cursor) => self.next = Next::At(cursor.clone()),
        }
        Ok(Some(Page { result, next_cursor }))
    }

    /// Counts the items of a page.
    pub(super) fn count(&mut self, items: usize) -> Result<(), Error> {
        let limit = self.inner.settings.limits.list_items;
        self.items += items;
        match self.items > limit {
            true => Err(self.fault(Violation::OverLimit("items", limit))),
            false => Ok(()),
        }
    }

    /// Returns how many items were counted.
    pub(super) fn items(&self) -> usize {
        self.items
    }

    /// Tells whether the page that was fetched last is the first one again.
    pub(super) fn has_restarted(&self) -> bool {
        self.has_restarted
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Makes the error of a list that breaks a rule.
    pub(super) fn fault(&self, violation: Violation) -> Error {
        ProtocolError::new(violation, self.method).into()
    }

    async fn fetch(&mut self) -> Option<Result<Box<RawValue>, Error>> {
        let params = match &self.next {
            Next::First => None,
            Next::At(cursor) => Some(cursor_params(cursor)),
            Next::Nothing => return None,
        };
        let call = Call { method: self.method.into(), params, is_safe: true, takes_input: false };
        let fetched = self.inner.fetch(&call, &mut self.options).await;
        Some(fetched.map(|fetched| {
            self.has_kept |= fetched.is_kept;
            fetched.result
        }))
    }

    fn restart(&mut self) {
        self.next = self.start.clone().map_or(Next::First, Next::At);
        self.seen.clear();
        self.items = 0;
        self.pages = 0;
        self.has_kept = false;
        self.has_restarted = true;
    }
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("method", &self.method)
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

/// Some servers end a list with an empty cursor instead of none.
fn next_cursor(page: &RawValue) -> Option<String> {
    Object::read(page)?.string("nextCursor").filter(|cursor| !cursor.is_empty())
}

fn cursor_params(cursor: &str) -> Box<RawValue> {
    let params = std::collections::BTreeMap::from([("cursor", cursor)]);
    to_raw_value(&params).expect("text serialises")
}
