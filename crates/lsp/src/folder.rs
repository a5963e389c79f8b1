//! The files that make one catalog: those of the directory that holds the file, and those below it.
//!
//! A package whose parts lie in directories of their own has its `olm.package` above them. So while none of the files
//! has one, the directory above is looked at, as long as it is part of the workspace.
//!
//! For safety, this module deliberately reads no more than the beginning of files, enters no link, and stops at its
//! limits. If a directory is too large, only the file's own directory counts, and then only the documents that are
//! open.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::kind::is_text_name;
use olmdex_base::file::{open_regular, read_regular_of};
use olmdex_fbc::{Ignore, Stamp};

/// The number of directory entries that are examined.
const MAX_ENTRIES: usize = 20_000;

/// The number of files that a catalog may have here.
const MAX_FILES: usize = 4_000;

/// The number of bytes that they may have together.
const MAX_BYTES: u64 = 512 << 20;

/// The depth to which directories are entered.
const MAX_DEPTH: usize = 6;

/// The number of directories above the file's own that are examined.
const MAX_ABOVE: usize = 3;

/// The largest file of patterns that is read.
const MAX_IGNORE: u64 = 1 << 20;

/// The part of a file that is searched for an `olm.package`.
const PEEK: u64 = 1 << 20;

/// The files of a directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The files with their stamps, in the order of their paths.
    pub(super) files: BTreeMap<PathBuf, Stamp>,
    /// Whether there are more files than the limit; then none are listed here.
    pub(super) is_too_large: bool,
}

/// The directory of the catalog that a file belongs to.
pub(super) fn root_of(file: &Path, workspace: &[PathBuf]) -> Option<PathBuf> {
    let own = file.parent()?;
    let mut directory = own;
    for _ in 0..=MAX_ABOVE {
        let listing = list(directory);
        if listing.is_too_large {
            break;
        }
        if listing.files.keys().any(|it| has_package(it)) {
            return Some(directory.to_owned());
        }
        // A root of the workspace is not gone beyond.
        let is_inside = workspace.iter().any(|it| directory.starts_with(it) && directory != it);
        match directory.parent() {
            Some(above) if is_inside => directory = above,
            _ => break,
        }
    }
    Some(own.to_owned())
}

/// Whether the beginning of a file has the document of a package.
fn has_package(path: &Path) -> bool {
    let mut text = Vec::new();
    let read = open_regular(path).and_then(|it| it.take(PEEK).read_to_end(&mut text));
    read.is_ok() && memchr::memmem::find(&text, b"olm.package").is_some_and(|_| has_package_line(&text))
}

fn has_package_line(text: &[u8]) -> bool {
    let blank = |it: &&u8| !matches!(**it, b' ' | b'\t' | b'"' | b'\'' | b',' | b'{' | b'\r');
    text.split(|it| *it == b'\n').any(|line| {
        // Bundles have properties of that name, but no schema.
        let bare: Vec<u8> = line.iter().filter(blank).copied().collect();
        bare.starts_with(b"schema:olm.package") && !bare.starts_with(b"schema:olm.package.")
    })
}

/// The files below a directory that may be part of a catalog.
pub(super) fn list(root: &Path) -> Listing {
    let mut listing = Listing::default();
    let mut ignore = Ignore::default();
    let mut found: Vec<(Vec<Vec<u8>>, PathBuf, Stamp)> = Vec::new();
    let mut open: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
    let (mut n_entries, mut n_bytes) = (0, 0_u64);
    while let Some(components) = open.pop() {
        let directory = root.join(components.iter().map(|it| OsStr::from_bytes(it)).collect::<PathBuf>());
        // A directory that cannot be listed has no files for us.
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.filter_map(Result::ok) {
            n_entries += 1;
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if name == ".indexignore" {
                let text = read_regular_of(&entry.path(), MAX_IGNORE).unwrap_or_default();
                // A line that is too long is a finding of `validate`; here the file is ignored.
                let _ = ignore.add_file(&components, &text);
                continue;
            }
            if name.as_bytes().starts_with(b".") {
                continue;
            }
            let inner: Vec<Vec<u8>> = components.iter().cloned().chain([name.as_bytes().to_vec()]).collect();
            if kind.is_dir() {
                if inner.len() <= MAX_DEPTH {
                    open.push(inner);
                }
            } else if is_text_name(Path::new(&name))
                && let Ok(metadata) = std::fs::metadata(entry.path())
                && metadata.is_file()
            {
                n_bytes = n_bytes.saturating_add(metadata.len());
                found.push((inner, entry.path(), Stamp::of(&metadata)));
            }
            if n_entries > MAX_ENTRIES || found.len() > MAX_FILES || n_bytes > MAX_BYTES {
                return Listing { is_too_large: true, ..Listing::default() };
            }
        }
    }
    listing.files = found.into_iter().filter(|it| !ignore.hides(&it.0)).map(|it| (it.1, it.2)).collect();
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_by_their_schema() {
        for (text, is_one) in [
            ("---\nschema: olm.package\nname: a\n", true),
            ("{\n    \"schema\": \"olm.package\",\n", true),
            ("{\"schema\":\"olm.package\",\"name\":\"a\"}", true),
            ("properties:\n- type: olm.package\n", false),
            ("schema: olm.bundle\n", false),
        ] {
            assert_eq!(has_package_line(text.as_bytes()), is_one, "{text}");
        }
    }
}
