//! The stand-in for a process group where the system has none.

/// A child whose descendants cannot be signalled with it; it is killed by dropping its handle.
#[derive(Debug)]
pub(super) struct Group;

impl Group {
    /// Takes the id of a child.
    pub(super) fn of(_leader: Option<u32>) -> Self {
        Self
    }

    /// Tells that there is no way to ask.
    pub(super) fn terminate(&self) -> bool {
        false
    }

    /// Leaves the kill to the handle.
    pub(super) fn kill(&self) {}

    /// Leaves the kill to the handle.
    pub(super) fn disband(&self) {}
}
