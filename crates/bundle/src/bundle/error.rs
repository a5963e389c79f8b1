//! Why a directory is not a bundle.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::diag::Place;
use olmdex_base::file::system_words;

/// The reasons why a directory cannot be read as a bundle.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// A file or directory cannot be read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable { path: PathBuf, error: io::Error },
    /// No manifest has a kind.
    #[error("`manifests/` has no Kubernetes object")]
    NoObjects,
    /// No manifest is a ClusterServiceVersion.
    #[error("`manifests/` has no ClusterServiceVersion")]
    NoCsv,
    /// No file of `metadata/` has the annotations of a bundle.
    #[error("`metadata/` has no file with bundle annotations")]
    NoAnnotations,
    /// The ClusterServiceVersion owns definitions that the manifests do not provide, or its APIs cannot be read.
    #[error("bundle `{bundle}` {message}")]
    Apis { bundle: String, message: String, opm: String },
    /// An entry that the ClusterServiceVersion requires is not a definition.
    #[error("bundle `{bundle}` {message}")]
    Required { bundle: String, message: String, opm: String },
    /// A manifest does not fit the type that opm decodes it into.
    #[error("{}{message}", at(.place, .field))]
    Misfit {
        /// Its place: the file below the bundle.
        place: Box<Place>,
        /// The field, or empty.
        field: String,
        /// The error in it.
        message: String,
        /// The words of opm.
        opm: String,
    },
    /// A property or dependency does not fit its type.
    #[error("{}{message}", before(.place, .bundle))]
    Property {
        bundle: String,
        /// Its place, if it is in a file of `metadata/`.
        place: Option<Box<Place>>,
        /// The fault.
        message: String,
        /// The words of opm.
        opm: String,
    },
}

/// A place in front of a message.
fn place(place: &Place) -> String {
    format!("{}:{}:{}: ", place.file, place.line, place.column)
}

/// The text before a message: the place, or the bundle if there is none.
fn before(of: &Option<Box<Place>>, bundle: &str) -> String {
    of.as_ref().map_or_else(|| format!("bundle `{bundle}`: "), |it| place(it))
}

/// A place and a field in front of a message.
fn at(of: &Place, field: &str) -> String {
    match field {
        "" => format!("{}the document ", place(of)),
        field => format!("{}`{field}` ", place(of)),
    }
}

impl BundleError {
    /// The words of opm, without the reference in front.
    pub fn opm(&self) -> String {
        match self {
            Self::Unreadable { path, error } => format!("open {}: {error}", path.display()),
            Self::NoObjects => "no bundle objects found".to_owned(),
            Self::NoCsv => "no csv in bundle".to_owned(),
            Self::NoAnnotations => "Could not find annotations file".to_owned(),
            Self::Apis { bundle, opm, .. } => format!("error checking provided apis in bundle {bundle}: {opm}"),
            Self::Misfit { opm, .. } => opm.clone(),
            Self::Required { bundle, opm, .. } | Self::Property { bundle, opm, .. } => {
                format!("get properties for bundle \"{bundle}\": {opm}")
            }
        }
    }

    /// The error, without its place.
    pub fn reason(&self) -> String {
        match self {
            Self::Property { message, .. } => message.clone(),
            Self::Misfit { field, message, .. } if !field.is_empty() => format!("`{field}` {message}"),
            other => other.to_string(),
        }
    }

    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound => "check the path",
            Self::Unreadable { .. } => "check the permissions of the file and of the directories above it",
            Self::NoObjects | Self::NoCsv => "put the ClusterServiceVersion and its definitions into `manifests/`",
            Self::NoAnnotations => {
                "add `metadata/annotations.yaml` with `operators.operatorframework.io.bundle.package.v1`"
            }
            Self::Apis { .. } => {
                "add the definition to `manifests/`, or correct the owned definitions of the ClusterServiceVersion"
            }
            Self::Required { .. } => "correct the name in `spec.customresourcedefinitions.required`",
            Self::Misfit { .. } => "give the field a value of its type; `olmdex check` lists all findings",
            Self::Property { .. } => "correct the value in `metadata/`, or the annotation `olm.properties`",
        }
        .to_owned()
    }
}
