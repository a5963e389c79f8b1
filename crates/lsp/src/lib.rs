//! The language server: the knowledge of this program about catalogs, templates and bundles, in an editor while they
//! are written.
//!
//! | part | what it does |
//! |---|---|
//! | `frame`, `queue`, `protocol` | messages: on the stream, waiting, as data |
//! | `lines`, `uri` | places and addresses, in the editor's words |
//! | `tree`, `symbols`, `analysis` | the names and findings of a document, kept as long as its text is the same |
//! | `kind`, `folder`, `catalog`, `documents`, `workspace` | the kind of an open document, and the files that belong to it |
//! | `analyst`, `report` | the thread that analyses changes, and its reports |
//! | `findings`, `selection` | the findings, by the rules of `validate`, `check-graph`, `template` and `bundle`, as `olmdex.toml` chooses |
//! | `cursor`, `fields`, `completion`, `metadata` | the proposals for a place, also in a text that cannot be parsed |
//! | `definition`, `hover`, `rename` | where a name leads, what it does, and another name for it |
//! | `bundles` | the same in bundle directories, as far as the neighbouring directories show it |
//! | `question` | questions about a place, and the answers |
//! | `server` | the life of a server |
//!
//! [`serve()`] speaks the Language Server Protocol 3.17 over a pair of streams. The messages are written down here and
//! not taken from a crate: a reader must not take memory for a length that nobody has sent yet, and must survive an
//! invalid message.
//!
//! After a key only the changed document is read again, and it is judged together with the known facts about the
//! others. So the cost of a key grows with the document that is written, and only slightly with the catalog.
//!
//! This crate deliberately writes no file and asks no network. It reports nothing about documents that are not OLM's,
//! and answers no question about a place that it does not know.
//!
//! # How an editor is answered
//!
//! One thread reads messages into a queue of bounded size, a second analyses (`lsp::analyst`), a third answers. One
//! analysis runs and at most one waits, with the newest texts: a key is analysed at once, and those that come meanwhile
//! are analysed together. Waiting for a pause took longer than the analysis. An analysis first reports the names, then
//! the findings; a question waits for the names for a tenth of a second, then it is answered from the earlier ones
//! (`Catalog::follow`): a name counts if it lies wholly in the equal start or the equal end of the two texts, at the
//! place where it is now. `rename` waits until the names are those of the text, and is answered with `ContentModified`
//! if the text changes first. Nothing waits for the analysis, so a server ends at once.
//!
//! A document is known by the digest of its text: `fbc::load` asks for each whether it is known (`Consumer::recall`),
//! so after a key only the changed document is parsed, inspected, checked for good practice and searched for names, and
//! `check::Checker` judges the facts of all of them again. Places of findings are kept with the document, too. The
//! graphs are those of `index::query`, made of the same facts, so `check_graph` and hover texts come from the engines
//! that answer the commands.
//!
//! A document that cannot be read keeps its earlier names, at places that follow from the equal start and the equal end
//! of the text. Completion parses nothing: it reads the indentation, or the brackets, up to the place. Fields and their
//! descriptions are those of `schema/`.

mod actions;
mod analysis;
mod analyst;
mod bundles;
mod catalog;
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
mod metadata;
mod protocol;
mod question;
mod queue;
mod rename;
mod report;
mod selection;
mod server;
mod symbols;
mod tree;
mod uri;
mod workspace;

pub use frame::FrameError;
pub use selection::{ConfigFile, Options};
pub use server::{End, LspError, serve};
