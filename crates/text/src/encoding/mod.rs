//! Texts as others take them: in addresses, in digits, on command lines.

pub mod hex;
pub mod percent;
pub mod shell;
pub mod varint;
