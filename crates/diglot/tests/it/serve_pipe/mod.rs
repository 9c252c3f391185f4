//! Serving over pipes, in both eras: what the client's end of the pipe hears.

mod clients;
mod elicit;
mod failures;
mod forms;
mod handlers;
mod legacy;
mod limits;
mod modern;
mod scenarios;
mod spelling;
pub(crate) mod stage;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod unix;
