//! The suite of building.

use crate::{Failure, Options};

/// Runs it.
pub(crate) fn run(_: &Options) -> Result<(), Failure> {
    Ok(())
}
