//! The request and the answer, before it is sent.

use olmdex_index::{Index, IndexError};

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct CatalogRequest<'q> {
    /// The method as it was sent.
    pub method: &'q str,
    /// Path and query as they were sent.
    pub target: &'q str,
    /// Names, in any case, and values.
    pub headers: &'q [(&'q str, &'q str)],
    /// The beginning of the body, which only GraphQL looks at.
    pub body: &'q [u8],
}

impl CatalogRequest<'_> {
    /// The value of a header; the first counts.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|it| it.0.eq_ignore_ascii_case(name)).map(|it| it.1)
    }

    /// The encodings that the client takes.
    pub(super) fn accepted(&self) -> &str {
        self.header("Accept-Encoding").unwrap_or_default()
    }
}

/// The answer to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// The body before it is compressed.
    pub body: Vec<Piece>,
    /// How it is to be compressed.
    pub encoding: Encoding,
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// Bytes of a document's line, from one to before another.
    Document { id: i64, from: u64, to: u64 },
}

impl Piece {
    /// The number of bytes that it has.
    pub fn len(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Document { from, to, .. } => to.saturating_sub(*from),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its bytes.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn bytes(&self, index: &Index) -> Result<Vec<u8>, IndexError> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::Document { id, from, to } => {
                let mut line = index.served_text(*id)?.into_bytes();
                line.push(b'\n');
                let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(line.len());
                let (from, to) = (at(*from), at(*to));
                Ok(line.get(from..to).unwrap_or_default().to_vec())
            }
        }
    }
}

/// The compression of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Not at all.
    None,
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
}
