//! What every command needs besides its arguments.
//!
//! What it deliberately does not do: no options of single commands.

use crate::cli::speak::report::Reporter;

/// What every command needs.
pub(crate) struct Context {
    pub(crate) reporter: Reporter,
}
