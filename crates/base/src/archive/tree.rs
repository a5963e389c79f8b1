//! The sum of the entries of archives: names below a root.
//!
//! A name is followed as by a process that has the tree as its root: through links, with `..` stopping at the root. No
//! path of the system is ever made of one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::entries::{Entry, EntryKind};
use super::error::ArchiveError;
use super::limits::{EntryWeight, Limit, Limits};
use super::name::{clean, join, split};
use super::shown::shown;
use crate::file::Text;
use olmdex_text::budget::{Allowance, Budget};

/// The number of links that are followed on the way to a file, as by Linux.
const HOPS: usize = 40;

/// The steps that each entry earns: more than one takes whose parents are there already.
const EARNED: u64 = 64;

/// The bytes of a path that are copied or compared in a step.
const STEP: usize = 64;

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
#[derive(Debug)]
pub struct Tree {
    /// By path, without a slash in front; the root is not in it.
    nodes: BTreeMap<Box<[u8]>, TreeNode>,
    limits: Limits,
    weight: EntryWeight,
    /// The work of following links and removing entries, and the bytes that links repeat.
    budget: Budget,
    /// Directories in which the archive with a number has removed the entries of the archives before it.
    opaque: HashSet<(Vec<u8>, u32)>,
    /// The files that were read through a link: the first time repeats nothing.
    linked: Mutex<HashSet<Vec<u8>>>,
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
    /// A limit of the whole tree.
    #[error("{0}")]
    Limit(Limit),
}

impl LinkError {
    /// The error of an archive: a limit as it is, and the others in the words of the entry that leads there.
    fn or_limit(self, words: impl FnOnce(Self) -> ArchiveError) -> ArchiveError {
        match self {
            Self::Limit(limit) => ArchiveError::Limit(limit),
            error => words(error),
        }
    }
}

impl Tree {
    /// An empty one.
    pub fn new(limits: Limits) -> Self {
        let budget = Budget::new(Allowance { steps: limits.steps, bytes: limits.linked });
        Self {
            nodes: BTreeMap::new(),
            limits,
            weight: EntryWeight::default(),
            budget,
            opaque: HashSet::new(),
            linked: Mutex::default(),
            climbing: Vec::new(),
        }
    }

    /// Adds an entry of the archive with this number. `text` is its content, if it is kept.
    ///
    /// # Errors
    /// [`ArchiveError::Entry`] if another entry is in its place, or its target is not there; [`ArchiveError::Limit`].
    pub fn add(&mut self, entry: &Entry, text: Option<Text>, archive: u32) -> Result<(), ArchiveError> {
        self.budget.earn(EARNED);
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
        let nowhere = |error| ArchiveError::entry(name, format!("leads nowhere: {error}"));
        self.place_below(&path).map(Some).map_err(|error| error.or_limit(nowhere))
    }

    fn place_below(&self, path: &[u8]) -> Result<Vec<u8>, LinkError> {
        let (above, last) = split(path);
        Ok(join(&self.directory_for(above)?, last))
    }

    fn hard_link(&self, name: &[u8], target: &[u8]) -> Result<TreeEntry, ArchiveError> {
        let nowhere = |why: &str| ArchiveError::entry(name, format!("is a hard link to `{}`, {why}", shown(target)));
        let place = self.place_below(&clean(target).0);
        let path = place.map_err(|error| error.or_limit(|error| nowhere(&error.to_string())))?;
        match self.nodes.get(&*path).map(|it| &it.node) {
            Some(TreeEntry::Directory) => Err(nowhere("which is a directory")),
            Some(TreeEntry::Left(None)) => Ok(TreeEntry::Left(Some(path.into()))),
            Some(node) => {
                if let TreeEntry::File(text) = node {
                    self.repeat(text).map_err(ArchiveError::Limit)?;
                }
                Ok(node.clone())
            }
            None => Err(nowhere("but no entry before it has that name")),
        }
    }

    /// Counts the bytes of a file that is read under another name.
    fn repeat(&self, text: &Text) -> Result<(), Limit> {
        self.budget.keep(text.len()).map_err(|_| Limit::Linked(self.limits.linked))
    }

    fn spend(&self, n_steps: usize) -> Result<(), Limit> {
        self.budget.spend(n_steps as u64).map_err(|_| Limit::Steps)
    }

    /// Removes a name, and all below it.
    pub fn remove(&mut self, path: &[u8]) {
        self.nodes.remove(path);
        self.retain_below(path, |_| false);
    }

    /// Removes the entries below a directory that come from another archive.
    ///
    /// # Errors
    /// [`ArchiveError::Limit`]
    pub fn remove_others_below(&mut self, path: &[u8], archive: u32) -> Result<(), ArchiveError> {
        self.opaque.insert((path.to_vec(), archive));
        let n_steps = self.nodes_below(path).map(|(path, _)| 1 + path.len() / STEP).sum();
        self.spend(n_steps).map_err(ArchiveError::Limit)?;
        self.retain_below(path, |it| it.archive == archive);
        let kept: Vec<_> = self.below(path).map(|(path, _)| path.to_vec()).collect();
        kept.iter().try_for_each(|path| self.make_parents(path, archive))
    }

    /// Whether [`Self::remove_others_below`] was called with this archive before, so that nothing of others is left.
    pub fn is_opaque(&self, path: &[u8], archive: u32) -> bool {
        self.opaque.contains(&(path.to_vec(), archive))
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
    pub fn archive_of(&self, path: &[u8]) -> Option<u32> {
        self.nodes.get(path).map(|it| it.archive)
    }

    /// Names of entries that would have climbed over the root.
    pub fn climbing(&self) -> &[String] {
        &self.climbing
    }

    fn make_parents(&mut self, path: &[u8], archive: u32) -> Result<(), ArchiveError> {
        let mut missing = Vec::new();
        for (at, _) in path.iter().enumerate().rev().filter(|it| *it.1 == b'/') {
            let above = &path[..at];
            self.spend(1 + at / STEP).map_err(ArchiveError::Limit)?;
            match self.nodes.get(above).map(|it| &it.node) {
                // Those above it were made before it.
                Some(TreeEntry::Directory) => break,
                Some(_) => return Err(ArchiveError::entry(path, "leads through a file")),
                None => missing.push(above),
            }
        }
        missing.into_iter().rev().try_for_each(|above| self.insert(above.to_vec(), TreeEntry::Directory, archive))
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
        // No key of a directory leads through a link.
        if let Some(TreeNode { node: TreeEntry::Directory, .. }) = self.nodes.get(path) {
            return Ok(path.to_vec());
        }
        self.follow(path, true).map(|(path, _)| path)
    }

    /// The target of a path.
    ///
    /// # Errors
    /// [`LinkError`]
    pub fn find(&self, path: &[u8]) -> Result<PathTarget<'_>, LinkError> {
        let asked = path;
        let (path, placed) = self.follow(path, false)?;
        if let Some(TreeNode { node: TreeEntry::File(text), .. }) = placed
            && path != asked
            && !self.linked.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone())
        {
            self.repeat(text).map_err(LinkError::Limit)?;
        }
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
                    self.spend(1 + done.len() / STEP).map_err(LinkError::Limit)?;
                    done = split(&done).0.to_vec();
                    continue;
                }
                _ => {}
            }
            let next = join(&done, &component);
            self.spend(1 + next.len() / STEP).map_err(LinkError::Limit)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The result of adding entries, and of reading all of them.
    fn build(entries: impl IntoIterator<Item = (String, EntryKind, Option<Text>)>) -> Result<Tree, ArchiveError> {
        let mut tree = Tree::new(Limits::default());
        for (name, kind, text) in entries {
            tree.add(&Entry { name: name.into_bytes(), kind, size: 0, at: 0 }, text, 0)?;
        }
        Ok(tree)
    }

    fn limit_of(result: Result<Tree, ArchiveError>) -> Option<Limit> {
        match result {
            Err(ArchiveError::Limit(limit)) => Some(limit),
            _ => None,
        }
    }

    const DIRECTORY: EntryKind = EntryKind::Directory;

    /// Finding S7: each of these took seconds to minutes for a layer of a few kilobytes.
    #[test]
    fn links_take_steps() {
        let link = |number: usize| {
            let next = if number < 37 { format!("L{}", number + 1) } else { "a".to_owned() };
            let target = format!("{}{next}", "a/../".repeat(780));
            (format!("L{number}"), EntryKind::Link(target.into_bytes()), None)
        };
        let chain = || std::iter::once(("a".to_owned(), DIRECTORY, None)).chain((0..38).map(link));
        let through = |n: usize| (0..n).map(|number| (format!("L0/{number}"), DIRECTORY, None));
        assert!(build(chain().chain(through(10))).is_ok());
        assert_eq!(limit_of(build(chain().chain(through(1_000)))), Some(Limit::Steps));
        let targets = (0..1_000).map(|number| (format!("h{number}"), EntryKind::HardLink(b"L0/none".to_vec()), None));
        let file = ("a/none".to_owned(), EntryKind::File, Some(Text::Bytes(Arc::from(&b"x"[..]))));
        assert_eq!(limit_of(build(chain().chain([file]).chain(targets))), Some(Limit::Steps));
    }

    #[test]
    fn names_in_deep_directories_take_few_steps() {
        let deep = vec!["d"; 1_000].join("/");
        let tree = build((0..2_000).map(|number| (format!("{deep}/{number}"), EntryKind::File, None))).unwrap();
        assert_eq!(tree.below(b"").count(), 3_000);
    }

    #[test]
    fn whiteouts_take_steps() {
        let files = (0..10_000).map(|number| (format!("d/{number}"), DIRECTORY, None));
        let mut tree = build(files).unwrap();
        tree.remove_others_below(b"d", 0).unwrap();
        assert!(tree.is_opaque(b"d", 0) && !tree.is_opaque(b"d", 1) && !tree.is_opaque(b"e", 0));
        let deep = "d/".repeat(1_500);
        let files = (0..3_000).map(|number| (format!("{deep}{number}"), DIRECTORY, None));
        let mut tree = build(files).unwrap();
        let refused = (0..1_500).find_map(|level| tree.remove_others_below(&deep.as_bytes()[..2 * level + 1], 0).err());
        assert!(matches!(refused, Some(ArchiveError::Limit(Limit::Steps))));
    }

    #[test]
    fn links_repeat_few_bytes() {
        let text = || Some(Text::Bytes(Arc::from(vec![b'x'; 10 << 20])));
        let file = || std::iter::once(("f".to_owned(), EntryKind::File, text()));
        let hard = |n: usize| (0..n).map(|number| (format!("h{number}"), EntryKind::HardLink(b"f".to_vec()), None));
        assert!(build(file().chain(hard(6))).is_ok());
        assert_eq!(limit_of(build(file().chain(hard(7)))), Some(Limit::Linked(64 << 20)));
        let soft = |n: usize| (0..n).map(|number| (format!("s{number}"), EntryKind::Link(b"f".to_vec()), None));
        let tree = build(file().chain(soft(7))).unwrap();
        let found: Vec<bool> = (0..7).map(|number| tree.find(format!("s{number}").as_bytes()).is_ok()).collect();
        // The first one is the only reading so far.
        assert_eq!(found, [true, true, true, true, true, true, true]);
        assert!(tree.find(b"s0").is_err());
        assert!(tree.find(b"f").is_ok(), "its own name repeats nothing");
    }
}
