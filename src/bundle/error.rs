//! Why a directory is not a bundle.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::file::system_words;

/// Why a directory cannot be read as a bundle.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// A file or directory cannot be read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// No manifest has a kind.
    #[error("`manifests/` has no object of Kubernetes")]
    NoObjects,
    /// No manifest is a ClusterServiceVersion.
    #[error("`manifests/` has no ClusterServiceVersion")]
    NoCsv,
    /// No file of `metadata/` has the annotations of a bundle.
    #[error("`metadata/` has no file with the annotations of a bundle")]
    NoAnnotations,
    /// The ClusterServiceVersion owns what the manifests do not provide, or its APIs cannot be read.
    #[error("bundle `{bundle}` {message}")]
    Apis {
        /// The bundle.
        bundle: String,
        /// What is wrong.
        message: String,
        /// The words of opm.
        opm: String,
    },
    /// A definition cannot be decoded.
    #[error("{message}")]
    Definition {
        /// What is wrong.
        message: String,
        /// The words of opm.
        opm: String,
    },
    /// A property or dependency does not fit its type.
    #[error("bundle `{bundle}`: {message}")]
    Property {
        /// The bundle.
        bundle: String,
        /// What is wrong.
        message: String,
        /// The words of opm.
        opm: String,
    },
}

impl BundleError {
    /// The words of opm, without the reference in front.
    #[must_use]
    pub fn opm(&self) -> String {
        match self {
            Self::Unreadable { path, error } => format!("open {}: {error}", path.display()),
            Self::NoObjects => "no bundle objects found".to_owned(),
            Self::NoCsv => "no csv in bundle".to_owned(),
            Self::NoAnnotations => "Could not find annotations file".to_owned(),
            Self::Apis { bundle, opm, .. } => format!("error checking provided apis in bundle {bundle}: {opm}"),
            Self::Definition { opm, .. } => opm.clone(),
            Self::Property { bundle, opm, .. } => format!("get properties for bundle \"{bundle}\": {opm}"),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound => "check the path",
            Self::Unreadable { .. } => "check the permissions of the file and of the directories above it",
            Self::NoObjects | Self::NoCsv => "put the ClusterServiceVersion and its definitions into `manifests/`",
            Self::NoAnnotations => {
                "add `metadata/annotations.yaml` with `operators.operatorframework.io.bundle.package.v1`"
            }
            Self::Apis { .. } => "add the definition to `manifests/`, or correct what the ClusterServiceVersion owns",
            Self::Definition { .. } => "correct the CustomResourceDefinition",
            Self::Property { .. } => "correct the value in `metadata/`, or the annotation `olm.properties`",
        }
        .to_owned()
    }
}
