//! The legacy sessions of this process: found by their secret ids, bound to whoever opened them, and ended when idle.
//!
//! An idle session costs its entry here and nothing else. One task sweeps for all of them, and only while there are any.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use tokio::time::Instant;

use crate::http::serve::live::Live;
use crate::server::events::{Keep, Total};
use crate::server::session::Session;
use crate::server::session_store::{self, SessionLimits, SessionStore};

/// How long the task waits at most before it looks for idle sessions, and forgets events that were read.
const SWEEP: Duration = Duration::from_secs(120);

/// How long it waits at least.
const SOONEST: Duration = Duration::from_secs(1);

/// How many sessions are chosen at a time to give way, one after the other.
const LEAVING: usize = 256;

/// The longest id that is looked for.
const MOST_ID_BYTES: usize = 256;

/// All sessions.
pub(super) struct Sessions {
    limits: SessionLimits,
    keep: Keep,
    store: Option<Arc<dyn SessionStore>>,
    began: Instant,
    table: RwLock<HashMap<Box<str>, Arc<Live>>>,
    /// The sessions that are to give way next, the idlest last, each with when it was used last.
    leaving: Mutex<Vec<(u64, Box<str>)>>,
    is_swept: AtomicBool,
    random: SystemRandom,
}

impl Sessions {
    pub(super) fn new(limits: SessionLimits, store: Option<Arc<dyn SessionStore>>) -> Arc<Self> {
        let keep = Keep {
            events: limits.kept_events,
            bytes: limits.kept_bytes,
            all: Arc::new(Total::new(limits.all_kept_bytes)),
        };
        Arc::new(Self {
            limits,
            keep,
            store,
            began: Instant::now(),
            table: RwLock::default(),
            leaving: Mutex::default(),
            is_swept: AtomicBool::new(false),
            random: SystemRandom::new(),
        })
    }

    /// Opens a session; nothing where there are too many that are in use.
    pub(super) async fn open(
        self: &Arc<Self>,
        session: Option<Session>,
        principal: Option<Arc<str>>,
    ) -> Option<Arc<Live>> {
        let live = Arc::new(Live::new(self.id(), principal, session, self.keep.clone(), self.began));
        self.save(&live).await;
        self.enter(live.clone()).then_some(live)
    }

    /// Finds the session of an id that belongs to the caller.
    pub(super) async fn find(self: &Arc<Self>, id: &str, principal: Option<&str>) -> Option<Arc<Live>> {
        let found = self.read().get(id).cloned();
        let live = match found {
            Some(live) => live,
            None => self.load(id).await?,
        };
        if live.principal.as_deref() != principal {
            return None;
        }
        if live.is_idle_for(self.limits.idle) {
            self.end(&live).await;
            return None;
        }
        live.touch();
        Some(live)
    }

    /// Ends a session.
    pub(super) async fn end(&self, live: &Live) {
        self.leave(live);
        if let Some(store) = &self.store
            && let Err(error) = store.remove(&live.id).await
        {
            tracing::warn!(%error, "the record of a session cannot be removed");
        }
    }

    /// Ends a session that no other process knows.
    pub(super) fn leave(&self, live: &Live) {
        self.write().remove(&live.id);
        live.end();
    }

    /// Keeps the record of a session whose state changed, where there is a store.
    pub(super) async fn save(&self, live: &Live) {
        let Some((store, session)) = self.store.as_ref().zip(live.session()) else { return };
        let record = session_store::record(session, live.principal.as_deref());
        if let Err(error) = store.save(&live.id, record, self.limits.idle).await {
            tracing::warn!(%error, "the record of a session cannot be kept");
        }
    }

    /// Ends all of them in this process; their records stay.
    pub(super) fn end_all(&self) {
        for (_, live) in self.write().drain() {
            live.end();
        }
    }

    async fn load(self: &Arc<Self>, id: &str) -> Option<Arc<Live>> {
        let store = self.store.as_ref().filter(|_| id.len() <= MOST_ID_BYTES)?;
        let record = store.load(id).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the record of a session cannot be read");
            None
        })?;
        let (session, principal) = session_store::revive(&record)?;
        let principal = principal.map(Arc::from);
        let live = Live::new(id.to_owned(), principal, Some(session), self.keep.clone(), self.began);
        self.enter(Arc::new(live));
        // Another request may have been faster.
        self.read().get(id).cloned()
    }

    /// Adds a session unless its id is there already; tells whether it is there now.
    fn enter(self: &Arc<Self>, live: Arc<Live>) -> bool {
        let displaced = {
            let mut table = self.write();
            let displaced = match table.len() < self.limits.sessions {
                true => None,
                false => match self.idlest(&table) {
                    Some(id) => table.remove(&id),
                    None => return false,
                },
            };
            table.entry(live.id.clone()).or_insert(live);
            displaced
        };
        if let Some(displaced) = displaced {
            displaced.end();
        }
        self.sweep_from_now_on();
        true
    }

    /// Returns the id of the session that nobody reads from and that was idle longest.
    ///
    /// The whole table is looked at once for many: a session that was not used meanwhile is still among the idlest.
    fn idlest(&self, table: &HashMap<Box<str>, Arc<Live>>) -> Option<Box<str>> {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        for is_looked_up in [false, true] {
            while let Some((used, id)) = leaving.pop() {
                if table.get(&id).is_some_and(|live| live.used() == used && !live.is_in_use()) {
                    return Some(id);
                }
            }
            if !is_looked_up {
                let idle = table.values().filter(|live| !live.is_in_use());
                leaving.extend(idle.map(|live| (live.used(), live.id.clone())));
                leaving.sort_unstable_by(|one, other| other.cmp(one));
                let most = leaving.len().saturating_sub(LEAVING);
                leaving.drain(..most);
            }
        }
        None
    }

    fn sweep_from_now_on(self: &Arc<Self>) {
        if self.is_swept.swap(true, Ordering::AcqRel) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            self.is_swept.store(false, Ordering::Release);
            return;
        };
        runtime.spawn(sweep(Arc::downgrade(self), self.limits.idle.clamp(SOONEST, SWEEP)));
    }

    /// Ends what is idle; tells whether any session is left.
    fn sweep(&self) -> bool {
        let mut ended = Vec::new();
        let is_left = {
            let mut table = self.write();
            table.retain(|_, live| {
                live.streams.age();
                let is_over = live.is_idle_for(self.limits.idle);
                if is_over {
                    ended.push(live.clone());
                }
                !is_over
            });
            if table.is_empty() {
                self.is_swept.store(false, Ordering::Release);
            }
            !table.is_empty()
        };
        ended.iter().for_each(|live| live.end());
        is_left
    }

    /// Draws an id of 128 bits.
    fn id(&self) -> String {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes).expect("the system has randomness");
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<Box<str>, Arc<Live>>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<Box<str>, Arc<Live>>> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sweep(sessions: Weak<Sessions>, period: Duration) {
    loop {
        tokio::time::sleep(period).await;
        let Some(sessions) = sessions.upgrade() else { return };
        if !sessions.sweep() {
            return;
        }
    }
}
