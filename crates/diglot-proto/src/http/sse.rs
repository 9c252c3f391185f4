//! A reader of event streams.
