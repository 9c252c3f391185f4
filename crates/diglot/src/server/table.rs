//! Tables by name, and the lists of them as bytes that are made once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use diglot_proto::version::Era;
use serde::Serialize;

/// Items in the order in which they were added, found by name.
pub(crate) struct Table<T> {
    items: Vec<Arc<T>>,
    index: HashMap<String, usize>,
    /// The first page of the list, in both spellings.
    pages: Arc<[OnceLock<Bytes>; 2]>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { items: Vec::new(), index: HashMap::new(), pages: Arc::default() }
    }
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), index: self.index.clone(), pages: self.pages.clone() }
    }
}

/// An item of a list.
pub(crate) trait Listed {
    /// What is serialised.
    type Definition: Serialize;

    /// The name under which the item is found; it also marks its place in cursors.
    fn key(&self) -> &str;

    /// What clients are told, in the spelling of their era.
    fn definition(&self, era: Era) -> std::borrow::Cow<'_, Self::Definition>
    where
        Self::Definition: Clone;
}

impl<T: Listed> Table<T>
where
    T::Definition: Clone,
{
    /// Adds an item, or puts it in the place of one of the same name.
    pub(crate) fn insert(&mut self, item: T) {
        self.pages = Arc::default();
        let item = Arc::new(item);
        match self.index.get(item.key()) {
            Some(at) => {
                if let Some(place) = self.items.get_mut(*at) {
                    *place = item;
                }
            }
            None => {
                self.index.insert(item.key().to_owned(), self.items.len());
                self.items.push(item);
            }
        }
    }

    /// Removes an item and tells whether there was one.
    pub(crate) fn remove(&mut self, key: &str) -> bool {
        let Some(at) = self.index.remove(key) else { return false };
        self.pages = Arc::default();
        self.items.remove(at);
        for place in self.index.values_mut().filter(|place| **place > at) {
            *place -= 1;
        }
        true
    }

    pub(crate) fn find(&self, key: &str) -> Option<&Arc<T>> {
        self.items.get(*self.index.get(key)?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.items.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns a page as an object, or nothing where the cursor is none of ours.
    pub(crate) fn page(&self, name: &str, cursor: Option<&str>, size: usize, era: Era) -> Option<Bytes> {
        let start = match cursor {
            None => {
                let page = self.pages.get(usize::from(era == Era::Modern))?;
                return Some(page.get_or_init(|| self.write_page(name, 0, size, era)).clone());
            }
            Some(cursor) => self.index.get(&read_cursor(cursor)?)? + 1,
        };
        Some(self.write_page(name, start, size, era))
    }

    fn write_page(&self, name: &str, start: usize, size: usize, era: Era) -> Bytes {
        let mut page = format!("{{\"{name}\":[").into_bytes();
        let items = self.items.iter().skip(start).take(size.max(1));
        let mut last = None;
        for (at, item) in items.enumerate() {
            if at > 0 {
                page.push(b',');
            }
            // What was made of strings and raw JSON always serialises.
            page.extend(serde_json::to_vec(item.definition(era).as_ref()).unwrap_or_else(|_| b"{}".to_vec()));
            last = Some((start + at, item));
        }
        page.push(b']');
        if let Some((at, item)) = last.filter(|(at, _)| at + 1 < self.items.len()) {
            debug_assert!(at < self.items.len());
            page.extend_from_slice(format!(",\"nextCursor\":\"{}\"", write_cursor(item.key())).as_bytes());
        }
        page.push(b'}');
        page.into()
    }
}

/// A cursor is the last key of its page in hexadecimal digits: opaque, and good as long as the key is.
pub(crate) fn write_cursor(key: &str) -> String {
    key.bytes().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn read_cursor(cursor: &str) -> Option<String> {
    let digits: Vec<char> = cursor.chars().collect();
    let byte = |pair: &[char]| match pair {
        [high, low] => u8::try_from(high.to_digit(16)? * 16 + low.to_digit(16)?).ok(),
        _ => None,
    };
    String::from_utf8(digits.chunks(2).map(byte).collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{read_cursor, write_cursor};

    #[test]
    fn a_cursor_reads_back_and_nonsense_does_not() {
        for key in ["a", "", "näme/with:signs"] {
            assert_eq!(read_cursor(&write_cursor(key)).as_deref(), Some(key));
        }
        for nonsense in ["6", "zz", "6g", "ff", "é1"] {
            assert_eq!(read_cursor(nonsense), None, "{nonsense}");
        }
    }
}
