//! Directories of a repository, and the differences between two of them.
//!
//! A directory is named by the digest of its content, so two with the same name are not looked into: a day's change of
//! a large catalog takes a few objects.
//!
//! For safety, this module deliberately reads no file, and follows no link.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::GitError;
use olmdex_text::encoding::hex::hex;

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    mode: u32,
    pub(super) digest: String,
}

const DIRECTORY: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
/// Another repository.
const MODULE: u32 = 0o160_000;
/// The part of a mode that is a kind.
const KIND: u32 = 0o170_000;

impl Entry {
    pub(super) fn is_directory(&self) -> bool {
        self.mode & KIND == DIRECTORY
    }

    fn is_module(&self) -> bool {
        self.mode & KIND == MODULE
    }

    fn is_link(&self) -> bool {
        self.mode & KIND == LINK
    }
}

/// A directory: its entries by their names.
#[derive(Debug, Default)]
pub(super) struct Tree(BTreeMap<Vec<u8>, Entry>);

impl Tree {
    /// Reads git's form: mode, blank, name, a zero byte, and the `digest_len` bytes of the digest.
    pub(super) fn parse(mut bytes: &[u8], digest_len: usize) -> Result<Self, GitError> {
        let unexpected = || GitError::Unexpected {
            command: "cat-file".to_owned(),
            message: "an object is not a directory".to_owned(),
        };
        let mut entries = BTreeMap::new();
        while !bytes.is_empty() {
            let blank = bytes.iter().position(|it| *it == b' ').ok_or_else(unexpected)?;
            let mode = std::str::from_utf8(&bytes[..blank]).ok().and_then(|it| u32::from_str_radix(it, 8).ok());
            let rest = &bytes[blank + 1..];
            let end = rest.iter().position(|it| *it == 0).ok_or_else(unexpected)?;
            let digest = rest.get(end + 1..end + 1 + digest_len).ok_or_else(unexpected)?;
            let name = rest[..end].to_vec();
            if name.is_empty() || name.contains(&b'/') || name == b"." || name == b".." {
                return Err(unexpected());
            }
            entries.insert(name, Entry { mode: mode.ok_or_else(unexpected)?, digest: hex(digest) });
            bytes = &rest[end + 1 + digest_len..];
        }
        Ok(Self(entries))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Vec<u8>, &Entry)> {
        self.0.iter()
    }
}

/// Directories that were read: of a day's change most are those of the day before.
#[derive(Debug, Default)]
pub(super) struct Trees {
    known: HashMap<String, Arc<Tree>>,
    n_entries: usize,
}

/// The number of entries that are kept.
const MAX_ENTRIES: usize = 200_000;

impl Trees {
    pub(super) fn get(&self, digest: &str) -> Option<Arc<Tree>> {
        self.known.get(digest).map(Arc::clone)
    }

    pub(super) fn keep(&mut self, digest: &str, tree: &Arc<Tree>) {
        self.n_entries += tree.0.len() + 1;
        if self.n_entries > MAX_ENTRIES {
            self.known.clear();
            self.n_entries = tree.0.len() + 1;
        }
        self.known.insert(digest.to_owned(), Arc::clone(tree));
    }
}

/// A file that differs between two directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Components of its path.
    pub components: Vec<Vec<u8>>,
    /// The file in the second one; `None` if it is not there.
    pub file: Option<FileObject>,
}

/// A file in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileObject {
    /// The digest that names its content.
    pub digest: String,
    /// Whether it is a link.
    pub is_link: bool,
}

/// The depth to which directories are searched: no path that a system accepts is deeper.
const MAX_DEPTH: usize = 2_048;

/// Two directories at one path; one of them may be absent.
struct Pair {
    components: Vec<Vec<u8>>,
    old: Option<String>,
    new: Option<String>,
}

/// The differences between the files of two directories.
pub(super) fn differences(
    old: Option<&str>,
    new: &str,
    mut read: impl FnMut(&str) -> Result<Arc<Tree>, GitError>,
) -> Result<Vec<FileChange>, GitError> {
    let mut changes = Vec::new();
    let mut pairs = vec![Pair { components: Vec::new(), old: old.map(str::to_owned), new: Some(new.to_owned()) }];
    let empty = Arc::new(Tree::default());
    while let Some(Pair { components, old, new }) = pairs.pop() {
        if old == new {
            continue;
        }
        if components.len() > MAX_DEPTH {
            let message = format!("directories are more than {MAX_DEPTH} deep");
            return Err(GitError::Unexpected { command: "cat-file".to_owned(), message });
        }
        let old = old.map_or_else(|| Ok(Arc::clone(&empty)), |it| read(&it))?;
        let new = new.map_or_else(|| Ok(Arc::clone(&empty)), |it| read(&it))?;
        let names: std::collections::BTreeSet<&Vec<u8>> = old.0.keys().chain(new.0.keys()).collect();
        for name in names {
            let (before, after) = (old.0.get(name), new.0.get(name));
            if before == after {
                continue;
            }
            let mut components = components.clone();
            components.push(name.clone());
            let directory = |it: Option<&Entry>| it.filter(|it| it.is_directory()).map(|it| it.digest.clone());
            let file = |it: Option<&Entry>| {
                let it = it.filter(|it| !it.is_directory() && !it.is_module())?;
                Some(FileObject { digest: it.digest.clone(), is_link: it.is_link() })
            };
            if file(before) != file(after) {
                changes.push(FileChange { components: components.clone(), file: file(after) });
            }
            let (old, new) = (directory(before), directory(after));
            if old != new {
                pairs.push(Pair { components, old, new });
            }
        }
    }
    changes.sort_by(|a, b| a.components.cmp(&b.components));
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: &str, name: &str, byte: u8) -> Vec<u8> {
        [mode.as_bytes(), b" ", name.as_bytes(), &[0], &[byte; 20]].concat()
    }

    fn name_of(byte: u8) -> String {
        format!("{byte:02x}").repeat(20)
    }

    fn shown(changes: &[FileChange]) -> Vec<String> {
        let path = |it: &FileChange| {
            let path = String::from_utf8(it.components.join(&b'/')).unwrap();
            let file = it.file.as_ref();
            format!("{path} {}", file.map_or("gone", |it| if it.is_link { "link" } else { "file" }))
        };
        changes.iter().map(path).collect()
    }

    #[test]
    fn only_what_differs_is_read() {
        let trees: HashMap<String, Vec<u8>> = HashMap::from([
            (name_of(1), [entry("40000", "a", 3), entry("40000", "b", 4), entry("160000", "m", 9)].concat()),
            (name_of(2), [entry("40000", "a", 3), entry("40000", "b", 5), entry("120000", "l", 8)].concat()),
            (name_of(4), [entry("100644", "x", 6), entry("100644", "y", 7)].concat()),
            (name_of(5), [entry("40000", "x", 10), entry("100755", "y", 7)].concat()),
            (name_of(10), entry("100644", "z", 6)),
        ]);
        let mut n_read = 0;
        let mut read = |digest: &str| {
            n_read += 1;
            // `a` is the same in both, and not there at all.
            Tree::parse(&trees[digest], 20).map(Arc::new)
        };
        let changes = differences(Some(&name_of(1)), &name_of(2), &mut read).unwrap();
        assert_eq!(shown(&changes), ["b/x gone", "b/x/z file", "l link"]);
        assert_eq!(n_read, 5);
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        for bytes in [
            b"40000".to_vec(),
            b"40000 a".to_vec(),
            b"4x a\0aaaaaaaaaaaaaaaaaaaa".to_vec(),
            b"40000 a\0short".to_vec(),
            entry("100644", "..", 1),
            entry("100644", "a/b", 1),
            entry("100644", "", 1),
        ] {
            assert!(Tree::parse(&bytes, 20).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn directories_that_never_end_do_not_recurse() {
        // Each holds itself, which only a wrong digest can say.
        let read = |_: &str| Tree::parse(&entry("40000", "d", 1), 20).map(Arc::new);
        assert!(differences(None, &name_of(1), read).is_err());
    }
}
