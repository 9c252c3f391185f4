//! Calls of tools that go on as tasks, on the server and on the client, in both eras.

mod bounds;
mod client;
mod legacy;
mod listening;
mod modern;
mod script;
mod stage;
mod stores;
