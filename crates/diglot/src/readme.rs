//! Compiles the examples of the README, whenever the documentation is tested.

#[doc = include_str!("../../../README.md")]
struct Readme;
