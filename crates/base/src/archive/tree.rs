//! The sum of the entries of archives: names below a root.
//!
//! A name is followed as by a process that has the tree as its root: through links, with `..` stopping at the root. No
//! path of the system is ever made of one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;

use thiserror::Error;

use super::entries::{Entry, EntryKind};
use super::error::ArchiveError;
use super::limits::{EntryWeight, Limits};
use super::name::{clean, join, split};
use super::shown::shown;
use crate::file::Text;

/// The number of links that are followed on the way to a file, as by Linux.
const HOPS: usize = 40;

/// The entry of a name.
#[derive(Debug, Clone)]
pub enum TreeEntry {
    /// A directory.
    Directory,
    /// A file.
    File(Text),
    /// A file whose content was not asked for, with its name in the archive if that is another one.
    Left(Option<Box<[u8]>>),
    /// A symbolic link to a path, as it is written.
    Link(Box<[u8]>),
    /// A device or a pipe.
    Special(&'static str),
}

#[derive(Debug, Clone)]
struct TreeNode {
    node: TreeEntry,
    /// Which archive it is of.
    archive: u32,
}

/// A tree of names.
#[derive(Debug, Default)]
pub struct Tree {
    /// By path, without a slash in front; the root is not in it.
    nodes: BTreeMap<Box<[u8]>, TreeNode>,
    limits: Limits,
    weight: EntryWeight,
    /// Entries whose names would have climbed over the root.
    climbing: Vec<String>,
}

/// The target of a path.
#[derive(Debug, Clone)]
pub enum PathTarget<'t> {
    /// A directory, with its path without links.
    Directory(Vec<u8>),
    /// A file.
    File(&'t Text),
    /// A file whose content was left out, with its name in the archive.
    Left(Cow<'t, [u8]>),
    /// A device or a pipe.
    Special(&'static str),
}

/// The reasons why a path leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    /// There is no such entry.
    #[error("no such file or directory")]
    NotFound,
    /// Something on the way is not a directory.
    #[error("not a directory")]
    NotADirectory,
    /// More than 40 links.
    #[error("too many levels of symbolic links")]
    TooManyLinks,
}

impl Tree {
    /// An empty one.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Adds an entry of the archive with this number. `text` is its content, if it is kept.
    ///
    /// # Errors
    /// [`ArchiveError::Entry`] if another entry is in its place, or its target is not there; [`ArchiveError::Limit`].
    pub fn add(&mut self, entry: &Entry, text: Option<Text>, archive: u32) -> Result<(), ArchiveError> {
        let Some(path) = self.place(&entry.name)? else { return Ok(()) };
        let node = match &entry.kind {
            EntryKind::Directory => {
                if !matches!(self.nodes.get(&*path), Some(TreeNode { node: TreeEntry::Directory, .. })) {
                    self.remove(&path);
                }
                TreeEntry::Directory
            }
            EntryKind::File => match text {
                Some(text) => TreeEntry::File(text),
                None => {
                    let name = clean(&entry.name).0;
                    TreeEntry::Left((name != path).then(|| name.into()))
                }
            },
            EntryKind::Link(target) => TreeEntry::Link(target.as_slice().into()),
            EntryKind::HardLink(target) => self.hard_link(&entry.name, target)?,
            EntryKind::Special(what) => TreeEntry::Special(what),
        };
        if !matches!(node, TreeEntry::Directory) {
            self.remove(&path);
        }
        self.make_parents(&path, archive)?;
        self.insert(path, node, archive)
    }

    /// The path that a name leads to, its last component not followed; `None` for the root itself.
    ///
    /// # Errors
    /// [`ArchiveError::Entry`] if it leads through a file.
    pub fn place(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, ArchiveError> {
        let (path, has_climbed) = clean(name);
        if has_climbed {
            self.climbing.push(shown(name));
        }
        if path.is_empty() {
            return Ok(None);
        }
        self.place_below(&path).map(Some).map_err(|error| ArchiveError::entry(name, format!("leads nowhere: {error}")))
    }

    fn place_below(&self, path: &[u8]) -> Result<Vec<u8>, LinkError> {
        let (above, last) = split(path);
        Ok(join(&self.directory_for(above)?, last))
    }

    fn hard_link(&self, name: &[u8], target: &[u8]) -> Result<TreeEntry, ArchiveError> {
        let nowhere = |why: &str| ArchiveError::entry(name, format!("is a hard link to `{}`, {why}", shown(target)));
        let path = self.place_below(&clean(target).0).map_err(|error| nowhere(&error.to_string()))?;
        match self.nodes.get(&*path).map(|it| &it.node) {
            Some(TreeEntry::Directory) => Err(nowhere("which is a directory")),
            Some(TreeEntry::Left(None)) => Ok(TreeEntry::Left(Some(path.into()))),
            Some(node) => Ok(node.clone()),
            None => Err(nowhere("but no entry before it has that name")),
        }
    }

    /// Removes a name, and all below it.
    pub fn remove(&mut self, path: &[u8]) {
        self.nodes.remove(path);
        self.retain_below(path, |_| false);
    }

    /// Removes the entries below a directory that come from another archive.
    pub fn remove_others_below(&mut self, path: &[u8], archive: u32) -> Result<(), ArchiveError> {
        self.retain_below(path, |it| it.archive == archive);
        let kept: Vec<_> = self.below(path).map(|(path, _)| path.to_vec()).collect();
        kept.iter().try_for_each(|path| self.make_parents(path, archive))
    }

    fn retain_below(&mut self, path: &[u8], keep: impl Fn(&TreeNode) -> bool) {
        let gone: Vec<Box<[u8]>> =
            self.nodes_below(path).filter(|(_, it)| !keep(it)).map(|(path, _)| path.clone()).collect();
        for path in gone {
            self.nodes.remove(&path);
        }
    }

    fn nodes_below(&self, path: &[u8]) -> impl Iterator<Item = (&Box<[u8]>, &TreeNode)> {
        // Everything that starts with `path/`; `0` is the byte after `/`.
        let from: Bound<Box<[u8]>> = match path {
            [] => Bound::Unbounded,
            _ => Bound::Included([path, b"/"].concat().into()),
        };
        let to: Bound<Box<[u8]>> = match path {
            [] => Bound::Unbounded,
            _ => Bound::Excluded([path, b"0"].concat().into()),
        };
        self.nodes.range((from, to))
    }

    /// The entries below a directory, by path.
    pub fn below(&self, path: &[u8]) -> impl Iterator<Item = (&[u8], &TreeEntry)> {
        self.nodes_below(path).map(|(path, it)| (&**path, &it.node))
    }

    /// The number of the archive that a path comes from.
    #[must_use]
    pub fn archive_of(&self, path: &[u8]) -> Option<u32> {
        self.nodes.get(path).map(|it| it.archive)
    }

    /// Names of entries that would have climbed over the root.
    #[must_use]
    pub fn climbing(&self) -> &[String] {
        &self.climbing
    }

    fn make_parents(&mut self, path: &[u8], archive: u32) -> Result<(), ArchiveError> {
        for (at, _) in path.iter().enumerate().filter(|it| *it.1 == b'/') {
            let above = &path[..at];
            match self.nodes.get(above).map(|it| &it.node) {
                Some(TreeEntry::Directory) => {}
                Some(_) => return Err(ArchiveError::entry(path, "leads through a file")),
                None => self.insert(above.to_vec(), TreeEntry::Directory, archive)?,
            }
        }
        Ok(())
    }

    fn insert(&mut self, path: Vec<u8>, node: TreeEntry, archive: u32) -> Result<(), ArchiveError> {
        let target = match &node {
            TreeEntry::Link(target) | TreeEntry::Left(Some(target)) => target.len(),
            _ => 0,
        };
        self.weight.add(path.len() + target, &self.limits).map_err(ArchiveError::Limit)?;
        self.nodes.insert(path.into(), TreeNode { node, archive });
        Ok(())
    }

    /// The directory of a path that need not be there yet, without links.
    fn directory_for(&self, path: &[u8]) -> Result<Vec<u8>, LinkError> {
        self.follow(path, true).map(|(path, _)| path)
    }

    /// The target of a path.
    ///
    /// # Errors
    /// [`LinkError`]
    pub fn find(&self, path: &[u8]) -> Result<PathTarget<'_>, LinkError> {
        let (path, placed) = self.follow(path, false)?;
        match placed.map(|it| &it.node) {
            None if path.is_empty() => Ok(PathTarget::Directory(path)),
            None | Some(TreeEntry::Link(_)) => Err(LinkError::NotFound),
            Some(TreeEntry::Directory) => Ok(PathTarget::Directory(path)),
            Some(TreeEntry::File(text)) => Ok(PathTarget::File(text)),
            Some(TreeEntry::Left(Some(name))) => Ok(PathTarget::Left(Cow::Borrowed(name))),
            Some(TreeEntry::Left(None)) => Ok(PathTarget::Left(Cow::Owned(path))),
            Some(TreeEntry::Special(what)) => Ok(PathTarget::Special(what)),
        }
    }

    /// Follows a path through all links, to a path without any and its entry. A missing entry counts as a directory
    /// that can be made, if `may_be_missing` allows that.
    fn follow(&self, path: &[u8], may_be_missing: bool) -> Result<(Vec<u8>, Option<&TreeNode>), LinkError> {
        let mut hops = 0;
        let mut done: Vec<u8> = Vec::new();
        // The components still to follow, the next one last.
        let mut todo: Vec<Vec<u8>> = components(path);
        while let Some(component) = todo.pop() {
            match component.as_slice() {
                b"" | b"." => continue,
                b".." => {
                    done = split(&done).0.to_vec();
                    continue;
                }
                _ => {}
            }
            let next = join(&done, &component);
            match self.nodes.get(&*next).map(|it| &it.node) {
                Some(TreeEntry::Link(target)) => {
                    hops += 1;
                    if hops > HOPS {
                        return Err(LinkError::TooManyLinks);
                    }
                    if target.starts_with(b"/") {
                        done.clear();
                    }
                    todo.extend(components(target));
                }
                Some(TreeEntry::Directory) => done = next,
                Some(_) if todo.iter().all(|it| matches!(it.as_slice(), b"")) && !may_be_missing => done = next,
                Some(_) => return Err(LinkError::NotADirectory),
                None if may_be_missing => done = next,
                None => return Err(LinkError::NotFound),
            }
        }
        let placed = self.nodes.get(&*done);
        Ok((done, placed))
    }
}

/// The components of a path, the first one last.
fn components(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|&byte| byte == b'/').rev().map(<[u8]>::to_vec).collect()
}
