//! The origins of a catalog's documents.

use super::stream::Syntax;

/// The origin of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Index of the file in its [`Input`](super::Input).
    pub file: u32,
    /// Line of its first byte, from 1.
    pub line: u32,
    /// Column of its first byte, in characters from 1.
    pub column: u32,
    /// How it is written.
    pub syntax: Syntax,
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
}
