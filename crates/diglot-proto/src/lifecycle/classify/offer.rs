//! What a server offers, as far as classification depends on it.

use crate::method::Method;
use crate::version::{Era, Revision};

/// Says which eras and revisions a server has.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Offer<'o> {
    /// Whether the server has the modern era, with every modern revision of this crate.
    pub modern: bool,
    /// The legacy revisions that the server has; modern ones among them do not count.
    pub legacy: &'o [Revision],
    /// Methods that no specification has and the server answers in the modern era.
    pub methods: &'o [&'o str],
}

impl<'o> Offer<'o> {
    /// Makes an offer without methods beyond the specification.
    pub const fn new(modern: bool, legacy: &'o [Revision]) -> Self {
        Self { modern, legacy, methods: &[] }
    }

    /// Sets the methods beyond the specification.
    #[must_use]
    pub const fn methods(mut self, methods: &'o [&'o str]) -> Self {
        self.methods = methods;
        self
    }

    /// Says whether the server has the legacy era.
    pub fn is_legacy(&self) -> bool {
        self.legacy.iter().any(|revision| revision.era() == Era::Legacy)
    }

    /// Says whether the server has a revision.
    pub fn has(&self, revision: Revision) -> bool {
        match revision.era() {
            Era::Modern => self.modern,
            Era::Legacy => self.legacy.contains(&revision),
        }
    }

    /// Returns the revisions of the server, newest first.
    ///
    /// This is what `server/discover` lists and what a refusal of a version lists, so that the two agree.
    pub fn supported(&self) -> impl Iterator<Item = Revision> {
        Revision::ALL.iter().rev().copied().filter(|revision| self.has(*revision))
    }

    /// Says whether clients may send a method in one of the server's revisions that fits.
    pub(super) fn has_method(&self, method: Method, fits: impl Fn(Revision) -> bool) -> bool {
        self.supported().any(|own| fits(own) && method.direction(own).is_some_and(|way| way.is_to_server()))
    }
}
