//! The language server: what this program knows of catalogs, templates and bundles, in an editor while they are written.
//!
//! | part | what it does |
//! |---|---|
//! | `frame`, `queue`, `protocol` | messages: on the stream, waiting, as data |
//! | `lines`, `uri` | places and addresses, in the editor's words |
//! | `tree`, `mention`, `analysis` | what a document names and what is wrong with it, kept as long as its text is the same |
//! | `kind`, `folder`, `catalog`, `documents`, `workspace` | what an open document is, and what belongs to it |
//! | `analyst`, `report` | the thread that analyses what has changed, and what it says |
//! | `findings`, `choosing` | what is wrong, by the rules of `validate`, `check-graph`, `template` and `bundle validate`, as `olmdex.toml` chooses |
//! | `cursor`, `fields`, `completion`, `metadata` | what can stand at a place, also in a text that cannot be parsed |
//! | `definition`, `hover`, `rename` | where a name leads, what it does, and another name for it |
//! | `bundles` | the same in bundle directories, as far as those beside them say it |
//! | `question` | what is asked about a place, and the answers |
//! | `server` | the life of a server |
//!
//! [`serve()`] speaks the Language Server Protocol 3.17 over a pair of streams. The messages are written down here and not
//! taken from a crate: a reader must not take memory for a length that nobody has sent yet, and outlive a message that is none.
//!
//! After a key only the document that has changed is read again, and of the others what is known of them is judged together. So what a key
//! costs grows with the document that is written, and only slightly with the catalog.
//!
//! What it deliberately does not do: it writes no file and asks no network. It says nothing about documents that are not OLM's, and
//! answers no question about a place that it does not know.

mod analysis;
mod analyst;
mod bundles;
mod catalog;
mod choosing;
mod completion;
mod cursor;
mod definition;
mod documents;
mod fields;
mod findings;
mod folder;
mod frame;
mod graph;
mod hover;
mod kind;
mod lines;
mod mention;
mod metadata;
mod protocol;
mod question;
mod queue;
mod rename;
mod report;
mod server;
mod tree;
mod uri;
mod workspace;

pub use choosing::{ConfigFile, Options};
pub use frame::FrameError;
pub use server::{End, LspError, serve};
