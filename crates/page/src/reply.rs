//! The reply with a page, and the reasons why there is none.

use thiserror::Error;

pub use olmdex_base::http::Reply;
use olmdex_index::IndexError;

/// Why there is no such page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PageError {
    /// No page has such an address.
    #[error("there is no page at this address")]
    NoPage,
    /// The address is too long.
    #[error("the address is longer than 8 KB")]
    TooLong,
    /// The method is not one that reads.
    #[error("method not allowed: use GET or HEAD")]
    Method,
    /// The value of a parameter is not valid.
    #[error("parameter `{name}`: {why}")]
    Parameter { name: String, why: String },
    /// Something that was named is not there.
    #[error("there is no {what} `{name}`{near}")]
    Unknown {
        /// Its kind.
        what: &'static str,
        name: String,
        /// The name that was probably meant, with its address.
        meant: Option<Box<(String, String)>>,
        /// The end of the sentence: the nearest name, or who has it; may be empty.
        near: String,
    },
    /// The answer would be larger than a page may be.
    #[error("{0}")]
    TooLarge(String),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// It cannot be worked out.
    #[error("{0}")]
    Failed(String),
}

impl PageError {
    pub(super) fn parameter(name: &str, why: &str) -> Self {
        Self::Parameter { name: name.to_owned(), why: why.to_owned() }
    }

    /// A list has no such page.
    pub(super) fn after_last(n_pages: usize) -> Self {
        Self::parameter("page", &format!("the last page is {n_pages}"))
    }

    /// Its status of HTTP.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::NoPage | Self::Unknown { .. } => 404,
            Self::Parameter { .. } => 400,
            Self::Method => 405,
            Self::TooLong => 414,
            Self::TooLarge(_) => 422,
            Self::Index(_) | Self::Failed(_) => 500,
        }
    }
}
