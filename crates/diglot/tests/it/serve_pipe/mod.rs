//! Serving over pipes, in both eras: what the client's end of the pipe hears.

mod clients;
mod stage;
