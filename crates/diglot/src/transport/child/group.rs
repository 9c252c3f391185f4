//! The process group of a child: whatever it starts is signalled with it.

use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// A process group that is led by a child.
///
/// Its number is forgotten when it was killed for good, since the system may give it to others then.
#[derive(Debug)]
pub(super) struct Group(Mutex<Option<Pid>>);

impl Group {
    /// Takes the id of a child that was started as the leader of a group.
    pub(super) fn of(leader: Option<u32>) -> Self {
        let pid = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self(Mutex::new(pid))
    }

    /// Asks every member to end, and tells whether there is a way to ask.
    pub(super) fn terminate(&self) -> bool {
        self.signal(Signal::TERM);
        true
    }

    /// Kills every member.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Kills the members that are left when the leader is gone.
    pub(super) fn disband(&self) {
        self.kill();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn signal(&self, signal: Signal) {
        let leader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(leader) = *leader {
            // It fails where nobody is left, which is just as well.
            let _ = kill_process_group(leader, signal);
        }
    }
}
