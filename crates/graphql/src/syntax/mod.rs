//! From text to a document.

pub(crate) mod ast;
mod definition;
mod lexer;
mod parser;
pub(crate) mod print;
pub(crate) mod source;

pub(crate) use lexer::SyntaxError;
pub(crate) use parser::Parser;
