//! The YAML that catalogs are written in, scanned by bytes: the events of libyaml at libyaml's places, many times
//! faster.
//!
//! Block mappings and sequences, plain and quoted scalars, literal and folded blocks, flow collections on one line,
//! comments and a document mark on top are read here. Every other form, and every error, is [`Declined`], and the text
//! goes to libyaml from its first byte: an event is the same as libyaml's or there is none. So a [`Sink`] must be able
//! to begin again.
//!
//! | file | what it does |
//! |---|---|
//! | `event` | the events, and their receiver |
//! | `admit` | looks a text over: UTF-8, no control characters, no line breaks but newlines |
//! | `cursor` | steps through a text and knows the line |
//! | `plain`, `quoted`, `literal` | scalars |
//! | `flow` | collections in brackets |
//! | `block` | collections by indentation, and the document |

mod admit;
mod block;
mod cursor;
mod event;
mod flow;
mod literal;
mod plain;
mod quoted;
#[cfg(any(test, fuzzing))]
#[path = "tests/side_by_side.rs"]
mod side_by_side;

pub(super) use block::scan;
pub(super) use event::{Declined, Event, EventBody, Sink, Style};
#[cfg(fuzzing)]
pub use side_by_side::compare;

#[cfg(test)]
mod tests;
