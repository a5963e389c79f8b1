//! Why a source cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::git::GitError;
use crate::oci::OciError;
use olmdex_base::archive::ArchiveError;
use olmdex_base::diag::counted;
use olmdex_base::file::system_words;
use olmdex_bundle::bundle::BundleError;
use olmdex_legacy::LegacyError;

/// The reasons why a source cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is nothing of that name.
    #[error("`{}` does not exist", .0.display())]
    NotFound(PathBuf),
    /// A revision does not have it.
    #[error("git knows no `{}`", .0.trim_start_matches("git:"))]
    NotInRevision(String),
    /// A revision cannot be read.
    #[error("cannot read `{name}`: {error}")]
    Git { name: String, error: GitError },
    /// It cannot be opened or read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable { path: PathBuf, error: io::Error },
    /// It is a bundle directory that cannot be read.
    #[error("`{}` is not a bundle: {error}", .path.display())]
    Bundle { path: PathBuf, error: BundleError },
    /// It is not a catalog, but has bundles one level down.
    #[error("`{}` is not a catalog: {}", .path.display(), inner(.bundles))]
    Nested { path: PathBuf, bundles: Vec<PathBuf> },
    /// It is an archive of no catalog, but of bundles one level down.
    #[error("`{}` is not a catalog: {}", .path.display(), inner(.bundles))]
    NestedInArchive {
        path: PathBuf,
        /// The bundles, at least one, below the top of the archive.
        bundles: Vec<PathBuf>,
    },
    /// It can be read, and is not a bundle.
    #[error("`{0}` is not a bundle")]
    NotABundle(String),
    /// A catalog is made of it, of a template or a Dockerfile, and that cannot be asked.
    #[error("`{}` {why}", .path.display())]
    Unmade {
        path: PathBuf,
        /// Its kind, and the reason why it cannot be asked.
        why: String,
        /// The remedy.
        help: String,
    },
    /// It is an image that cannot be read.
    #[error("cannot read the image `{name}`: {error}")]
    Image { name: String, error: OciError },
    /// It is an archive that cannot be read.
    #[error("cannot read the archive `{}`: {error}", .path.display())]
    Archive { path: PathBuf, error: ArchiveError },
    /// It is an image in another place.
    #[error("olmdex does not read images from `{transport}`")]
    Transport {
        /// The place, as the transport of a reference names it.
        transport: &'static str,
        /// Its name there.
        reference: String,
    },
    /// It is a legacy catalog that cannot be read.
    #[error(transparent)]
    Legacy(#[from] LegacyError),
}

impl SourceError {
    /// Whether a limit was reached, and not something wrong.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Image { error, .. } => error.is_limit(),
            Self::Archive { error, .. } => error.is_limit(),
            Self::Git { error, .. } => matches!(error, GitError::Limit(_)),
            _ => false,
        }
    }

    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::NotFound(_) => {
                "name a catalog directory, a JSON or YAML file, an image, an index.db, or `-` for standard input"
                    .to_owned()
            }
            Self::NotInRevision(_) | Self::Git { .. } => {
                "write `git:REF:PATH` inside of the repository; PATH begins at its root, as for `git show REF:PATH`"
                    .to_owned()
            }
            Self::Unreadable { error, .. } if error.kind() == io::ErrorKind::Other => {
                "olmdex does not read pipes, sockets and devices; use `-` for standard input".to_owned()
            }
            Self::Unreadable { error, .. } if error.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => {
                "raise the limit of open files (`ulimit -n`)".to_owned()
            }
            Self::Unreadable { .. } => "check the permissions of the file and of the directories above it".to_owned(),
            Self::Bundle { error, .. } => error.help(),
            Self::Unmade { help, .. } => help.clone(),
            Self::NotABundle(_) => {
                "name a directory with `manifests/` and `metadata/`, or the image of a bundle".to_owned()
            }
            Self::Nested { bundles, .. } if bundles.len() == 1 => {
                format!("name the inner directory: `{}`", bundles[0].display())
            }
            Self::Nested { path, .. } => {
                format!("name the bundles themselves: `olmdex render {}`", path.join("*/").display())
            }
            Self::NestedInArchive { bundles, .. } => match bundles.as_slice() {
                [only] => format!("unpack it, and name `{}`", only.display()),
                _ => "unpack it, and name the bundles themselves".to_owned(),
            },
            Self::Image { error, .. } => error.help(),
            Self::Archive { error, .. } => OciError::help_of(error),
            Self::Transport { transport, reference } => {
                format!("copy it first: `skopeo copy {transport}{reference} oci:image`, then name `oci:image`")
            }
            Self::Legacy(error) => error.help().unwrap_or_else(|| "`olmdex check` says more".to_owned()),
        }
    }
}

/// The list of the bundles in a directory.
fn inner(bundles: &[PathBuf]) -> String {
    match bundles {
        [] => "it has bundles".to_owned(),
        [only] => format!("`{}` is a bundle", only.display()),
        [first, ..] => {
            format!("it has {}, `{}` is the first", counted(bundles.len() as u64, "bundle"), first.display())
        }
    }
}

/// The system's number, the same on Linux, macOS and the BSDs, for "this process has too many files open".
const TOO_MANY_OPEN_FILES: i32 = 24;

pub(super) fn unreadable(path: &Path, error: io::Error) -> SourceError {
    match error.kind() {
        io::ErrorKind::NotFound => SourceError::NotFound(path.to_owned()),
        _ => SourceError::Unreadable { path: path.to_owned(), error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_open_files_are_no_matter_of_permissions() {
        let help = |number: i32| {
            let error = io::Error::from_raw_os_error(number);
            SourceError::Unreadable { path: PathBuf::from("catalog"), error }.help()
        };
        assert!(help(TOO_MANY_OPEN_FILES).contains("ulimit -n"));
        assert!(help(13).contains("permissions"));
    }
}
