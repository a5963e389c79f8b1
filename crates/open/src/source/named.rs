//! A source as a user wrote it: a path, or an image by its transport.
//!
//! If the whole text exists as a path, it is that path. A name in a registry needs its transport in front, so a slip
//! never reaches a network.

use std::path::{Path, PathBuf};

use crate::oci::{Digest, ImageSelector};

/// The named source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// Something in the file system, recognized by its content.
    Path(PathBuf),
    /// An image of a layout in a directory: `oci:DIR[:TAG][@DIGEST]`.
    Layout(PathBuf, ImageSelector),
    /// An image of an archive: `oci-archive:FILE[:TAG]`, `docker-archive:FILE[:NAME]`.
    Archive(PathBuf, ImageSelector),
    /// An image in a directory of skopeo's: `dir:DIR`.
    Skopeo(PathBuf),
    /// A directory or file in a revision of the repository around the current directory: `git:REF:PATH`.
    Revision(String, String),
    /// An image in a registry or in the storage of an engine, with the transport.
    Elsewhere(&'static str, String),
}

impl Named {
    /// Takes the text apart.
    pub(super) fn parse(path: &Path) -> Self {
        let whole = || Self::Path(path.to_owned());
        let Some(text) = path.to_str().filter(|_| path.symlink_metadata().is_err()) else { return whole() };
        if let Some(rest) = text.strip_prefix("oci:") {
            let (path, wanted) = split(rest);
            return Self::Layout(path, wanted);
        }
        for transport in ["oci-archive:", "docker-archive:"] {
            if let Some(rest) = text.strip_prefix(transport) {
                let (path, wanted) = split(rest);
                return Self::Archive(path, wanted);
            }
        }
        if let Some(rest) = text.strip_prefix("dir:") {
            return Self::Skopeo(PathBuf::from(rest));
        }
        if let Some((reference, below)) = text.strip_prefix("git:").and_then(|rest| rest.split_once(':')) {
            return Self::Revision(reference.to_owned(), below.to_owned());
        }
        for transport in ["docker://", "containers-storage:", "docker-daemon:"] {
            if let Some(rest) = text.strip_prefix(transport) {
                return Self::Elsewhere(transport, rest.to_owned());
            }
        }
        whole()
    }
}

/// Whether a path is a part of a revision: `git:REF:PATH`.
pub fn is_revision(path: &Path) -> bool {
    matches!(Named::parse(path), Named::Revision(..))
}

/// The path that a source has, in the file system or in a revision, and the tag of an image there, unless a digest is
/// named; `None` if it is in a registry or an engine.
pub fn path_and_tag(name: &Path) -> Option<(PathBuf, Option<String>)> {
    match Named::parse(name) {
        Named::Path(path) | Named::Skopeo(path) => Some((path, None)),
        Named::Layout(path, wanted) | Named::Archive(path, wanted) => {
            Some((path, wanted.tag.filter(|_| wanted.digest.is_none())))
        }
        Named::Revision(_, below) => Some((PathBuf::from(below), None)),
        Named::Elsewhere(..) => None,
    }
}

/// The path in the file system of a source that a user or a file named; `None` if it is in a registry, an engine or a
/// revision.
pub fn local_path(name: &Path) -> Option<PathBuf> {
    match Named::parse(name) {
        Named::Path(path) | Named::Layout(path, _) | Named::Archive(path, _) | Named::Skopeo(path) => Some(path),
        Named::Revision(..) | Named::Elsewhere(..) => None,
    }
}

/// Takes `PATH[:TAG][@DIGEST]` apart: the longest beginning that exists is the path.
fn split(text: &str) -> (PathBuf, ImageSelector) {
    let mut wanted = ImageSelector::default();
    let mut rest = text;
    if let Some((before, digest)) = rest.rsplit_once('@')
        && let Ok(digest) = digest.parse::<Digest>()
    {
        wanted.digest = Some(digest);
        rest = before;
    }
    let mut end = rest.len();
    while Path::new(&rest[..end]).symlink_metadata().is_err() {
        match rest[..end].rfind(':') {
            Some(at) => end = at,
            None => return (PathBuf::from(rest), wanted),
        }
    }
    wanted.tag = rest.get(end + 1..).filter(|it| !it.is_empty()).map(str::to_owned);
    (PathBuf::from(&rest[..end]), wanted)
}
