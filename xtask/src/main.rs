//! The project's chores, run as `cargo xtask CHORE`.

fn main() {}
