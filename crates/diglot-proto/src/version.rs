//! Revisions and eras.
