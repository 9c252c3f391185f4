//! The requests that await their answers, by id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diglot_proto::jsonrpc::{Id, ReplyId};

use crate::error::TransportError;
use crate::transport::exchange::Slot;

/// The requests that await their answers.
#[derive(Default)]
pub(super) struct Requests {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<Id, Open>,
    /// Why there will be no answers any more.
    failure: Option<TransportError>,
}

struct Open {
    slot: Arc<Slot>,
    is_opening: bool,
}

impl Requests {
    /// Adds a request, unless the wire has failed.
    pub(super) fn open(&self, id: Id, slot: Arc<Slot>, is_opening: bool) -> Result<(), TransportError> {
        let mut table = self.table();
        if let Some(failure) = &table.failure {
            return Err(failure.again());
        }
        // An id is never used twice; if one is, the older request cannot be told from the newer and ends.
        if let Some(older) = table.open.insert(id, Open { slot, is_opening }) {
            older.slot.end(None);
        }
        Ok(())
    }

    /// Forgets a request, and tells whether it was still open.
    pub(super) fn withdraw(&self, id: &Id, slot: &Arc<Slot>) -> bool {
        let mut table = self.table();
        let is_open = table.open.get(id).is_some_and(|open| Arc::ptr_eq(&open.slot, slot));
        if is_open {
            table.open.remove(id);
        }
        is_open
    }

    /// Removes the request that a response answers.
    pub(super) fn settle(&self, id: &ReplyId) -> Option<Arc<Slot>> {
        let mut table = self.table();
        let key = table.key(id)?;
        table.open.remove(&key).map(|open| open.slot)
    }

    /// Removes the probe or `initialize` if it is the only open request: an error without an id is its own.
    pub(super) fn settle_lone_opening(&self) -> Option<Arc<Slot>> {
        let mut table = self.table();
        let is_lone = table.open.len() == 1 && table.open.values().all(|open| open.is_opening);
        match is_lone {
            true => table.open.drain().next().map(|(_, open)| open.slot),
            false => None,
        }
    }

    /// Finds the request that a notification names.
    pub(super) fn find(&self, id: &ReplyId) -> Option<Arc<Slot>> {
        let table = self.table();
        let key = table.key(id)?;
        table.open.get(&key).map(|open| Arc::clone(&open.slot))
    }

    /// Tells whether no request is open.
    pub(super) fn is_empty(&self) -> bool {
        self.table().open.is_empty()
    }

    /// Tells whether so few requests are open that theirs would rarely be written together.
    pub(super) fn are_few(&self) -> bool {
        const FEW: usize = 4;
        self.table().open.len() <= FEW
    }

    /// Ends every open request, and refuses those to come. Only the first failure counts.
    pub(super) fn end(&self, error: &TransportError) {
        let mut table = self.table();
        if table.failure.is_some() {
            return;
        }
        table.failure = Some(error.again());
        let open = std::mem::take(&mut table.open);
        drop(table);
        for request in open.into_values() {
            request.slot.end(Some(error.again().after_sending()));
        }
    }

    /// Returns why there will be no answers any more, once that is so.
    pub(super) fn failure(&self) -> Option<TransportError> {
        self.table().failure.as_ref().map(TransportError::again)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing in here panics while it holds the lock, so a poisoned one still holds what it should.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Finds the open id that a returned one means: the same one, else the same number in another spelling.
    fn key(&self, id: &ReplyId) -> Option<Id> {
        let is_open = |id: &Id| self.open.contains_key(id);
        if let ReplyId::Id(id) = id
            && is_open(id)
        {
            return Some(id.clone());
        }
        let number = id.as_number()?;
        let as_number = Some(Id::Number(number)).filter(is_open);
        as_number.or_else(|| Some(Id::from(number.to_string())).filter(is_open))
    }
}
