//! Texts as others take them: in addresses, in digits, on command lines.
//!
//! What it deliberately does not do: JSON and YAML have modules of their own.

pub mod hex;
pub mod percent;
pub mod shell;
