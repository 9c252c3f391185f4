//! The `diglot` command.

fn main() {}
