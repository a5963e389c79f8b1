//! Why a question has no answer, in the words that clients know (`docs/behaviour/serving.md` B.3).

use thiserror::Error;

use olmdex_index::IndexError;
use olmdex_version::Quoted;

/// The reasons why a question has no answer.
#[derive(Debug, Error)]
pub enum Refusal {
    /// There is no such package.
    #[error("package {} not found", Quoted(.0))]
    Package(String),
    /// There is no such package, in the words of the search for a successor.
    #[error("package {0} not found")]
    PlainPackage(String),
    /// The package has no such channel.
    #[error("package {}, channel {} not found", Quoted(.0), Quoted(.1))]
    Channel(String, String),
    /// The channel has no such bundle.
    #[error("package {}, channel {}, bundle {} not found", Quoted(.0), Quoted(.1), Quoted(.2))]
    Bundle(String, String, String),
    /// Nothing in the channel replaces the bundle.
    #[error("no entry found for package {}, channel {}", Quoted(.0), Quoted(.1))]
    NoSuccessor(String, String),
    /// Nothing replaces the bundle.
    #[error("no channel entries found that replace {0}")]
    NoEntries(String),
    /// Nothing provides the API.
    #[error("no channel entries found that provide {0}")]
    NoProvider(String),
    /// No head of a default channel provides the API.
    #[error("no entry found that provides {0}")]
    NoDefaultProvider(String),
    /// The question has no schema.
    #[error("schema is required")]
    NoSchema,
    /// A schema or a package is not written as one.
    #[error("invalid custom schema query: invalid {what} {}: must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$", Quoted(.text))]
    NotAName {
        /// The kind: a schema or a package.
        what: &'static str,
        /// The text of the question.
        text: String,
    },
    /// The request has no question.
    #[error("invalid MessageRequest: <nil>")]
    NoQuestion,
    /// A document in the index does not have the form that the checks demand.
    #[error("bundle {}: {message}", Quoted(.bundle))]
    Unreadable { bundle: String, message: String },
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// The status that a refusal has over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// 2, which the real server gives for everything that it does not find.
    Unknown,
    /// 3
    InvalidArgument,
    /// 13
    Internal,
}

impl Refusal {
    /// The status that it has over the wire.
    pub fn code(&self) -> Code {
        match self {
            Self::NoSchema | Self::NotAName { .. } | Self::NoQuestion => Code::InvalidArgument,
            Self::Index(_) | Self::Unreadable { .. } => Code::Internal,
            _ => Code::Unknown,
        }
    }
}
