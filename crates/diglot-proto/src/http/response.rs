//! What an HTTP response means.
