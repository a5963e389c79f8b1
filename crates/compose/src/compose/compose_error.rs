//! Why a catalog cannot be composed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::diag::{Finding, Listed, closest, closest_of_same_numbers, counted};
use olmdex_base::file::system_words;
use olmdex_fbc::RereadError;
use olmdex_index::IndexError;
use olmdex_open::source::{ImagesError, SourceError};

/// The reason why a catalog cannot be composed. Places are those of the component in the file that names the catalog.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// A source of a component cannot be opened.
    #[error("{place}: {source}")]
    Unopened { place: String, source: Box<SourceError> },
    /// An index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The place of a template's bundles cannot be opened.
    #[error("{place}: {error}")]
    Images { place: String, error: Box<ImagesError> },
    /// A file was changed while it was read.
    #[error(transparent)]
    Reread(#[from] RereadError),
    /// A template cannot be read.
    #[error("{place}: cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable { place: String, path: PathBuf, error: io::Error },
    /// A template is wrong, or bundles of it are missing.
    #[error("`{template}` cannot be rendered: {}", counted(.findings.len() as u64, "error"))]
    Template { template: String, findings: Vec<Finding> },
    /// The manifests of a bundle of a template cannot be migrated.
    #[error("{place}: {words}")]
    Unmigratable { place: String, words: String },
    /// A catalog of an index is named, and the source is no index.
    #[error("{place}: `catalog` chooses from an index, and `{}` is not one", .origin.display())]
    NotAnIndex { place: String, origin: PathBuf, catalog: String },
    /// An index does not have the named catalog, or has several and none is named.
    #[error("{place}: {}", which(.index, .wanted.as_deref(), .names.len()))]
    WhichCatalog {
        place: String,
        index: PathBuf,
        /// The name in the file, if there is one.
        wanted: Option<String>,
        /// The catalogs of the index.
        names: Vec<String>,
    },
    /// A named package or channel does not exist.
    #[error("{place}: {}", absent(.origin, .package, .channel.as_deref()))]
    NotThere { place: String, origin: PathBuf, package: String, channel: Option<String>, known: Vec<String> },
    /// The wanted part of a package would not be a package.
    #[error("{place}: {words}")]
    Filter { place: String, words: String },
    /// Two components have a package.
    #[error("catalog `{catalog}`: package `{package}` is in {first} and in {second}")]
    Twice { catalog: String, package: String, first: String, second: String },
}

fn which(index: &std::path::Path, wanted: Option<&str>, n: usize) -> String {
    match wanted {
        Some(wanted) => format!("`{}` has no catalog `{wanted}`", index.display()),
        None => format!("`{}` has {}, but the component takes one", index.display(), counted(n as u64, "catalog")),
    }
}

fn absent(source: &std::path::Path, package: &str, channel: Option<&str>) -> String {
    match channel {
        Some(channel) => format!("package `{package}` of `{}` has no channel `{channel}`", source.display()),
        None => format!("`{}` has no package `{package}`", source.display()),
    }
}

impl ComposeError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unopened { source, .. } => source.help(),
            Self::Index(error) => return error.help(),
            Self::Images { .. } | Self::Template { .. } => return None,
            Self::Unmigratable { .. } => {
                "correct the ClusterServiceVersion of the bundle, or leave out `migrate-level`".to_owned()
            }
            Self::Reread(_) => "compose it again when no process writes to its files".to_owned(),
            Self::Unreadable { .. } => {
                "check the path of the template, which is relative to the file that names it".to_owned()
            }
            Self::NotAnIndex { .. } => "leave `catalog` out".to_owned(),
            Self::WhichCatalog { wanted, names, .. } => {
                let meant = wanted.as_deref().and_then(|it| closest(it, names.iter().map(String::as_str)));
                match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if names.is_empty() => "build the index first".to_owned(),
                    None => format!("choose one with `catalog`: {}", Listed::quoted(names)),
                }
            }
            Self::NotThere { package, channel, known, .. } => {
                let wanted = channel.as_ref().unwrap_or(package);
                match closest_of_same_numbers(wanted, known.iter().map(String::as_str)) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if channel.is_some() => format!("it has {}", Listed::quoted(known)),
                    None => "`olmdex list packages -i SOURCE` shows what there is".to_owned(),
                }
            }
            Self::Filter { .. } => {
                "change the selection; `default-channel` sets another default channel, and `olmdex mirror filter --explain` \
                shows what a range keeps"
                    .to_owned()
            }
            Self::Twice { .. } => {
                "choose the packages of each component with `packages`, so that only one has it".to_owned()
            }
        })
    }
}
