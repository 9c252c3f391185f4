//! Line framing.
