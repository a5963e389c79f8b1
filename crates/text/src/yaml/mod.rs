//! YAML as catalogs use it: text to JSON, and JSON to text, in the dialect of go-yaml v2.
//!
//! A file is split into documents by its lines, each document is composed from libyaml's events straight into JSON
//! text, and all later steps work on JSON. Positions are found by a second walk, only when something is wrong. The
//! rules are in `docs/behaviour/fbc.md` 1.3, 1.4 and Appendix B.

mod after_json;
mod alias;
mod compose;
mod dialect;
mod emit;
mod error;
mod events;
mod fast;
mod fault;
mod lint;
mod locate;
mod nodes;
mod number;
mod order;
mod origins;
mod pieces;
mod scalar;
mod shorten;
mod split;
mod style;
mod utf16;

pub use after_json::{AfterJson, after_json};
pub use compose::{Document, to_json, to_json_and_rest, to_json_with_floats, to_json_within};
pub use emit::{INDENT, YamlWriteError, write, write_charged};
pub use error::{YamlError, YamlErrorKind};
#[cfg(fuzzing)]
pub use fast::compare;
pub use lint::{LintProblem, lint};
pub use locate::{FoundPosition, Position, locate_all};
pub use nodes::{NodeKind, YamlNode, nodes};
pub use number::{float_as_text, number_as_text};
pub use origins::ValueOrigins;
pub use scalar::{Scalar, TagError, resolve, resolve_plain};
pub use split::{Chunk, SplitError, SplitProgress, Splitter, split};
pub use utf16::{is_utf16, utf16_text};
