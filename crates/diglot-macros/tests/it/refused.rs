//! What the attributes refuse, and in which words.
//!
//! `TRYBUILD=overwrite cargo test -p diglot-macros` writes the words anew. Some of them are rustc's, and are those of
//! the version that the workspace names in `rust-version`.

#[test]
fn a_fault_is_told_at_its_place_and_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
