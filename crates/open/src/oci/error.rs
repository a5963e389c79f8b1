//! Why an image cannot be read.

use std::io;

use thiserror::Error;

use super::digest::Digest;
use super::reference::ReferenceError;
use olmdex_base::archive::{ArchiveError, LIFT_LIMITS};
use olmdex_base::file::system_words;

/// The reasons why an image cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OciError {
    /// The system could not read something.
    #[error("{}", system_words(.0))]
    Io(io::Error),
    /// A file or blob of the image is not there.
    #[error("{0} is missing")]
    Missing(String),
    /// Bytes are not those of their digest.
    #[error("the content of {expected} does not match its digest: it has {found}")]
    WrongDigest { expected: Digest, found: Digest },
    /// A blob has more bytes than its manifest states.
    #[error("{digest} has more than the {size} bytes that its manifest says")]
    TooLong { digest: Digest, size: u64 },
    /// A copy in the cache is damaged, and nothing may be fetched.
    #[error("the cached blob `{}` is damaged", .0.display())]
    DamagedCopy(std::path::PathBuf),
    /// A document does not have the form that it should have.
    #[error("the {what} {message}")]
    Document { what: &'static str, message: String },
    /// Several images could be meant, or none is.
    #[error("{message}")]
    Choice { message: String, help: String },
    /// A layer cannot be read.
    #[error("layer {number} of {count}: {error}")]
    Layer {
        /// Its number, from 1.
        number: usize,
        /// Their number.
        count: usize,
        /// The fault.
        error: ArchiveError,
    },
    /// A layer is encrypted.
    #[error("layer {number} of {count} is encrypted")]
    Encrypted {
        /// Its number, from 1.
        number: usize,
        /// Their number.
        count: usize,
    },
    /// An archive of an image cannot be read.
    #[error(transparent)]
    Archive(ArchiveError),
    /// The image is not one for OLM.
    #[error("{0}")]
    NotForOlm(String),
    /// The path in a label does not exist, or has the wrong kind.
    #[error("{} names `{path}` in the image: {message}", naming(.label))]
    Labelled {
        /// The label, or the option in its place.
        label: &'static str,
        /// Its value, escaped.
        path: String,
        /// The fault.
        message: String,
    },
    /// It is not the name of an image.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// Something is wrong with a registry, or with its configuration.
    #[error("{message}")]
    Registry { message: String },
    /// A server sends or takes too little to get anywhere.
    #[error("`{host}` is too slow: {message}")]
    TooSlow {
        /// The server.
        host: String,
        /// The expectation that it did not meet.
        message: String,
    },
    /// A registry cannot be reached.
    #[error("`{host}` cannot be reached: {message}")]
    Network { host: String, message: String },
    /// A registry does not let us read an image, or write one.
    #[error("`{host}` refuses access to `{name}`")]
    Refused {
        /// The registry.
        host: String,
        /// The image.
        name: String,
        /// Whether credentials were found for it.
        had_credentials: bool,
    },
    /// A registry has no such image.
    #[error("no image `{0}`")]
    Unknown(String),
    /// A policy of this machine demands a signature, or refuses everything.
    #[error("the signature policy of this machine {} `{reference}`", if *.is_rejected { "rejects" } else { "demands a signature of" })]
    Signature {
        /// The image.
        reference: String,
        /// Whether it is rejected in any case.
        is_rejected: bool,
    },
    /// It is not in the cache, and nothing may be fetched.
    #[error("`{0}` is not in the cache, and `--offline` forbids fetching it")]
    Offline(String),
    /// It is larger than anything that was meant to be read.
    #[error("{0}")]
    Limit(String),
}

impl OciError {
    pub(super) fn registry(message: impl Into<String>) -> Self {
        Self::Registry { message: message.into() }
    }

    pub(super) fn document(what: &'static str, message: impl Into<String>) -> Self {
        Self::Document { what, message: message.into() }
    }

    /// A document that is not the JSON that it should be. It may hold anything, so the message gives only the place.
    pub(super) fn undecodable(what: &'static str, error: &serde_json::Error) -> Self {
        Self::document(what, format!("cannot be decoded: {}", place_of(error)))
    }

    /// Wraps it in an error of reading, from which [`Self::from`] takes it again.
    pub(super) fn into_io(self) -> io::Error {
        match self {
            Self::Io(error) => error,
            other => io::Error::other(other),
        }
    }

    /// Whether a limit was reached, and not something wrong.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Limit(_) => true,
            Self::Layer { error, .. } | Self::Archive(error) => error.is_limit(),
            _ => false,
        }
    }

    /// The advice about an archive.
    pub fn help_of(error: &ArchiveError) -> String {
        match error {
            it if it.is_limit() => LIFT_LIMITS.to_owned(),
            ArchiveError::Io(_) => {
                "check the permissions, and the space in the directory for temporary files".to_owned()
            }
            ArchiveError::NotATar(_) => "name a tar archive, an image, or a catalog that is not compressed".to_owned(),
            ArchiveError::Compression(_) => "compress it with gzip, zstd or xz instead".to_owned(),
            _ => "build or copy the archive again".to_owned(),
        }
    }

    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            it if it.is_limit() => LIFT_LIMITS.to_owned(),
            Self::Io(_) => "check the permissions, and the space in the directory for temporary files".to_owned(),
            Self::Missing(_) | Self::WrongDigest { .. } | Self::TooLong { .. } => {
                "the image is damaged: copy it again".to_owned()
            }
            Self::DamagedCopy(_) => {
                "run the command once without `--offline` to fetch the blob again; `olmdex cache prune --older-than 0` \
                empties the cache"
                    .to_owned()
            }
            Self::Choice { help, .. } => help.clone(),
            Self::Encrypted { .. } => "decrypt the image while you copy it: `skopeo copy --decryption-key …`".to_owned(),
            Self::NotForOlm(_) => {
                "images of OLM have a label: `operators.operatorframework.io.index.configs.v1` for a catalog, `…index.database.v1` for a legacy one, `…bundle.package.v1` for a bundle; `doctor`, `migrate`, `legacy` and `pull` read a legacy one without the label if `--path` names its file, as in `--path /database/index.db`".to_owned()
            }
            Self::Reference(ReferenceError::Short(name)) => {
                format!("name the registry too: `docker://docker.io/{name}` or `docker://quay.io/{name}`")
            }
            Self::Reference(_) => "write a name as `docker://HOST/NAME:TAG` or `docker://HOST/NAME@DIGEST`".to_owned(),
            Self::Registry { .. } => "check the name, and the registry's settings on this machine".to_owned(),
            Self::TooSlow { .. } => "try again later, or fetch the image from a mirror (`--mirrors`)".to_owned(),
            Self::Network { .. } => {
                "check the name and the network; use `--plain-http` for registries without TLS, and \
                `--tls-verify=false` for self-signed certificates".to_owned()
            }
            Self::Refused { had_credentials: true, .. } => {
                "the credentials that olmdex found do not allow it: log in with `skopeo login` or `podman \
                login`".to_owned()
            }
            Self::Refused { host, .. } => {
                format!("olmdex found no credentials: log in with `skopeo login {host}`, or name a file with \
                    `--authfile`")
            }
            Self::Unknown(_) => "check the registry, the name and the tag".to_owned(),
            Self::Signature { reference, .. } => format!(
                "olmdex verifies no signatures; copy it with a tool that does: `skopeo copy docker://{reference} oci:image`, then name `oci:image`"
            ),
            Self::Offline(_) => "run the command once without `--offline`".to_owned(),
            Self::Labelled { label, .. } if label.starts_with('-') => {
                "name the file of the database, as in `--path /database/index.db`".to_owned()
            }
            Self::Labelled { .. } => "correct the label, or the path in the image".to_owned(),
            Self::Document { .. } | Self::Layer { .. } | Self::Archive(_) | Self::Limit(_) => {
                "build or copy the image again".to_owned()
            }
        }
    }
}

/// A label, or the option in its place, in words.
fn naming(label: &str) -> String {
    if label.starts_with('-') { format!("`{label}`") } else { format!("the label `{label}`") }
}

/// The place of an error in JSON, without any of the text.
pub(super) fn place_of(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

impl From<io::Error> for OciError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::Other => error.downcast::<Self>().unwrap_or_else(Self::Io),
            _ => Self::Io(error),
        }
    }
}

impl From<ArchiveError> for OciError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Io(error) => error.into(),
            other => Self::Archive(other),
        }
    }
}
