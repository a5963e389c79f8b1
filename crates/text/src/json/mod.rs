//! JSON as catalogs use it: text to a flat parsed document, and back.
//!
//! The reader follows Go's `encoding/json`, with which the real tools read catalogs: 10,000 levels of nesting,
//! duplicate keys (the last one counts), lone surrogates replaced by U+FFFD, numbers as IEEE-754 doubles. `serde_json`
//! differs in each of these, recurses on the stack and builds a tree; this reader makes one flat vector that is reused
//! for the next document, and copies no text. A document that is made or changed is a [`Tree`].

mod expansion;
mod indent;
mod locate;
mod number;
mod paths;
mod read;
mod scan;
mod split;
mod step;
mod text;
mod tree;
mod value;
mod write;

pub(crate) use expansion::has_too_many_values;
pub(crate) use expansion::may_be_token;
pub use expansion::{EXPANDS_TOO_FAR, Expansion, is_expansion_limit_reached, lift_expansion_limit};
pub use indent::{indent, unindent};
pub use locate::{FoundOffset, locate_all};
pub use number::write_number;
pub use paths::Paths;
pub use read::{MAX_DEPTH, ReadError, ReadErrorKind, Reader};
pub(crate) use scan::is_plain;
pub use split::{ObjectEnd, ObjectScanner};
pub use step::Step;
pub use text::{decode_utf8, fold_eq, looks_like_object, write_string, write_string_html};
pub use tree::Tree;
pub use value::{Kind, Value};
pub use write::{
    Anchor, Layout, quoted, write_compact, write_pretty, write_pretty_noting, write_raw_numbers, write_unstructured,
};
