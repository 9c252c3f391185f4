//! Calls of tools that go on as tasks, on the server and on the client, in both eras.

mod bounds;
mod listening;
mod modern;
mod stage;
mod stores;
