//! Errors of an answer, with their places and paths.

use olmdex_text::json::write_string_html;

use crate::syntax::source::{Lines, Location};

/// A step of a path into an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    Name(String),
    Number(usize),
}

/// An error.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    /// The message. It may have bytes that are no character.
    pub(crate) message: Vec<u8>,
    /// The places in the query.
    pub(crate) at: Vec<usize>,
    pub(crate) path: Vec<PathStep>,
}

impl Fault {
    pub(crate) fn new(message: impl Into<Vec<u8>>, at: Vec<usize>) -> Self {
        Self { message: message.into(), at, path: Vec::new() }
    }

    /// About how many bytes it has in an answer.
    pub(crate) fn size(&self) -> usize {
        self.message.len() + 24 * self.at.len() + 64
    }
}

/// An answer without data.
pub(crate) fn refusal(text: &str, faults: &[Fault]) -> Vec<u8> {
    let mut out = b"{\"data\":null".to_vec();
    end(text, faults, &mut out);
    out
}

/// Writes the errors behind the data.
pub(crate) fn end(text: &str, faults: &[Fault], out: &mut Vec<u8>) {
    if !faults.is_empty() {
        let lines = Lines::new(text);
        out.extend_from_slice(b",\"errors\":[");
        for (number, fault) in faults.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            write_fault(fault, &lines, out);
        }
        out.push(b']');
    }
    out.extend_from_slice(b"}\n");
}

fn write_fault(fault: &Fault, lines: &Lines, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"message\":");
    write_bytes(&fault.message, out);
    out.extend_from_slice(b",\"locations\":[");
    for (number, at) in fault.at.iter().enumerate() {
        let Location { line, column } = lines.locate(*at);
        let comma = if number > 0 { "," } else { "" };
        out.extend_from_slice(format!("{comma}{{\"line\":{line},\"column\":{column}}}").as_bytes());
    }
    out.push(b']');
    if !fault.path.is_empty() {
        out.extend_from_slice(b",\"path\":[");
        for (number, step) in fault.path.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            match step {
                PathStep::Name(name) => write_string_html(name, out),
                PathStep::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            }
        }
        out.push(b']');
    }
    out.push(b'}');
}

/// A string of JSON as Go writes it: a byte that is not a character becomes an escape, where a replacement character
/// would be written literally.
fn write_bytes(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in text.utf8_chunks() {
        let start = out.len();
        write_string_html(chunk.valid(), out);
        out.remove(start);
        out.pop();
        chunk.invalid().iter().for_each(|_| out.extend_from_slice(b"\\ufffd"));
    }
    out.push(b'"');
}
