//! The process group of a child: whatever it starts is signalled with it.

#[cfg(unix)]
pub(super) use self::unix::Group;

#[cfg(not(unix))]
pub(super) use self::other::Group;

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, PoisonError};

    use rustix::process::{Pid, Signal, kill_process_group};

    /// A process group that is led by a child.
    ///
    /// Its number is forgotten when it was killed for good, since the system may give it to others then.
    #[derive(Debug)]
    pub(in crate::transport::child) struct Group(Mutex<Option<Pid>>);

    impl Group {
        /// Takes the id of a child that was started as the leader of a group.
        pub(in crate::transport::child) fn of(leader: Option<u32>) -> Self {
            let pid = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
            Self(Mutex::new(pid))
        }

        /// Asks every member to end, and tells whether there is a way to ask.
        pub(in crate::transport::child) fn terminate(&self) -> bool {
            self.signal(Signal::TERM);
            true
        }

        /// Kills every member.
        pub(in crate::transport::child) fn kill(&self) {
            self.signal(Signal::KILL);
        }

        /// Kills the members that are left when the leader is gone.
        pub(in crate::transport::child) fn disband(&self) {
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
}

#[cfg(not(unix))]
mod other {
    /// A child whose descendants cannot be signalled with it; it is killed by dropping its handle.
    #[derive(Debug)]
    pub(in crate::transport::child) struct Group;

    impl Group {
        /// Takes the id of a child.
        pub(in crate::transport::child) fn of(_leader: Option<u32>) -> Self {
            Self
        }

        /// Tells that there is no way to ask.
        pub(in crate::transport::child) fn terminate(&self) -> bool {
            false
        }

        /// Leaves the kill to the handle.
        pub(in crate::transport::child) fn kill(&self) {}

        /// Leaves the kill to the handle.
        pub(in crate::transport::child) fn disband(&self) {}
    }
}
