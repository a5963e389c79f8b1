//! Questions about catalogs as tools for assistants, over the Model Context Protocol.
//!
//! The SDK (`rmcp`) has the protocol: versions, framing and errors. This crate has the tools: each is one question of
//! [`olmdex_ask`], the same that a command asks, so both give the same answer.
//!
//! # How a call is answered
//!
//! 1. [`server`](serve) finds the tool, and reads its arguments; arguments that the schema does not allow are an error
//!    of the protocol.
//! 2. `question::asked` makes a tool of each question of `ask`: its schema, its answer, and the command that gives the
//!    same. Tools whose command is no such question have a file for each topic.
//! 3. `page` cuts the answer into pages of less than 4 KiB of text, with a cursor for the rest. Nothing is left out in
//!    silence.
//! 4. `escape` makes the texts of catalogs harmless: they are JSON between two marks that they cannot contain.
//!
//! This crate deliberately decides nothing, writes nothing, and opens no source.

mod answer;
mod escape;
#[cfg(feature = "http")]
mod http;
mod page;
mod question;
mod resource;
mod server;
mod tool;
mod world;

#[cfg(feature = "http")]
pub use http::{HttpAssistant, PATH as HTTP_PATH};
pub use server::{Assistant, serve, serve_streams};
pub use tool::{input_schema, names, output_schema};
pub use world::{CatalogWord, SqlProcess, SqlRows, World};
