//! Layers, applied one after the other to an empty tree (`docs/behaviour/serving.md` A.2).

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::digest::Digest;
use super::document::Descriptor;
use super::error::OciError;
use super::image::ImageOptions;
use super::store::{Store, read_again_if_damaged};
use super::verified::{Hashed, Verified};
use olmdex_base::archive::{
    ArchiveError, Decompressed, Entries, Entry, EntryKind, Limit, Limits, Spool, Tree, TreeEntry, clean, shown,
};
use olmdex_base::file::Text;

/// The prefix of a name's last component that marks a removal.
pub(super) const WHITEOUT: &[u8] = b".wh.";

/// The last component of a name that removes everything that lower layers have in its directory.
pub(super) const OPAQUE: &str = ".wh..wh..opq";

/// The remarks about a layer.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Names that climb over the root.
    pub(super) climbing: Vec<String>,
    /// The numbers of layers whose digest, when decompressed, differs from the configuration.
    pub(super) wrong_diff_ids: Vec<usize>,
    /// Numbers of layers that are shorter than the manifest says.
    pub(super) short: Vec<usize>,
    /// Files below the wanted directories that a whiteout above them removed.
    pub(super) removed_from_above: Vec<String>,
}

/// Entries in their order, with the contents that are wanted.
type EntryList = Vec<(Entry, Option<Text>)>;

/// The content of a layer.
struct Layer {
    entries: EntryList,
    is_short: bool,
    diff_id: Option<Digest>,
}

/// Applies layers. Contents are kept of files at or below one of the `roots`, which are cleaned paths.
pub(super) fn apply(
    store: &dyn Store,
    layers: &[Descriptor],
    diff_ids: &[String],
    roots: &[Vec<u8>],
    options: &ImageOptions,
) -> Result<(Tree, Remarks), OciError> {
    let count = layers.len();
    if count > options.layer_limit {
        return Err(OciError::Limit(format!("the image has {count} layers, more than {}", options.layer_limit)));
    }
    let used = Used::default();
    let read: Vec<Result<Layer, OciError>> = layers
        .par_iter()
        .enumerate()
        .map(|(idx, descriptor)| {
            let layer = || read(store, descriptor, roots, options, &used);
            read_again_if_damaged(store, descriptor, layer).map_err(|error| match error {
                OciError::Archive(ArchiveError::NotATar(_) | ArchiveError::Damaged { .. })
                    if descriptor.media_type.ends_with("+encrypted") =>
                {
                    OciError::Encrypted { number: idx + 1, count }
                }
                OciError::Archive(error) => OciError::Layer { number: idx + 1, count, error },
                other => other,
            })
        })
        .collect();
    let mut tree = Tree::new(options.limits);
    let mut remarks = Remarks::default();
    for (idx, layer) in read.into_iter().enumerate() {
        let layer = layer?;
        let number = u32::try_from(idx).unwrap_or(u32::MAX);
        if layer.is_short {
            remarks.short.push(idx + 1);
        }
        if layer.diff_id.is_some_and(|found| diff_ids.get(idx).is_none_or(|it| *it != found.to_string())) {
            remarks.wrong_diff_ids.push(idx + 1);
        }
        for (entry, text) in layer.entries {
            let result = add(&mut tree, &entry, text, number, roots, &mut remarks);
            result.map_err(|error| OciError::Layer { number: idx + 1, count, error })?;
        }
    }
    remarks.climbing = tree.climbing().to_vec();
    Ok((tree, remarks))
}

fn add(
    tree: &mut Tree,
    entry: &Entry,
    text: Option<Text>,
    layer: u32,
    roots: &[Vec<u8>],
    remarks: &mut Remarks,
) -> Result<(), ArchiveError> {
    let name = entry.name.strip_suffix(b"/").unwrap_or(&entry.name);
    let at = name.iter().rposition(|&byte| byte == b'/').map_or(0, |it| it + 1);
    let (above, base) = name.split_at(at);
    let Some(removed) = base.strip_prefix(WHITEOUT) else { return tree.add(entry, text, layer) };
    if base == OPAQUE.as_bytes() {
        let directory = tree.place(&[above, b"x"].concat())?.unwrap_or_default();
        let directory = directory.strip_suffix(b"x").unwrap_or(&directory);
        let directory = directory.strip_suffix(b"/").unwrap_or(directory).to_vec();
        if tree.is_opaque(&directory, layer) {
            return Ok(());
        }
        note_removed(tree, &directory, Some(layer), roots, remarks);
        return tree.remove_others_below(&directory, layer);
    }
    if removed.starts_with(WHITEOUT) {
        // Notes of aufs.
        return Ok(());
    }
    if removed.is_empty() || matches!(removed, b"." | b"..") {
        let message = "is a whiteout without a name".to_owned();
        return Err(ArchiveError::Entry { name: shown(&entry.name), message });
    }
    if let Some(path) = tree.place(&[above, removed].concat())? {
        note_removed(tree, &path, None, roots, remarks);
        tree.remove(&path);
    }
    Ok(())
}

/// Notes the files of a wanted directory that are removed with a directory above it: catalogd ignores that entry.
fn note_removed(tree: &Tree, path: &[u8], kept: Option<u32>, roots: &[Vec<u8>], remarks: &mut Remarks) {
    let is_above = |root: &&Vec<u8>| {
        let is_below = root.strip_prefix(path).is_some_and(|it| path.is_empty() || it.is_empty() || it[0] == b'/');
        // An opaque directory that is the wanted one itself is seen.
        is_below && !(kept.is_some() && root.as_slice() == path)
    };
    for root in roots.iter().filter(is_above) {
        let files = tree.below(root).filter(|(path, node)| {
            kept.is_none_or(|layer| tree.archive_of(path) != Some(layer)) && !matches!(node, TreeEntry::Directory)
        });
        remarks.removed_from_above.extend(files.map(|it| shown(it.0)));
    }
}

/// The bytes that the layers of an image have used together.
#[derive(Default)]
struct Used {
    /// Bytes of content, which has a limit.
    total: AtomicU64,
    /// Bytes of names, which have a limit of their own.
    names: AtomicU64,
}

/// Reads one layer: all of its names, and the contents that are wanted.
fn read(
    store: &dyn Store,
    descriptor: &Descriptor,
    roots: &[Vec<u8>],
    options: &ImageOptions,
    used: &Used,
) -> Result<Layer, OciError> {
    let mut verified = Verified::new(store.blob(descriptor)?, descriptor.digest.clone(), descriptor.size);
    let (entries, diff_id) = match read_entries(&mut verified, roots, options, used) {
        Ok(it) => it,
        Err(error) => {
            // If the bytes are the wrong ones, that is the error; the error in reading them does not matter.
            verified.finish()?;
            return Err(error);
        }
    };
    let is_short = !verified.finish()? && descriptor.size != u64::MAX;
    Ok(Layer { entries, is_short, diff_id })
}

/// The entries of a layer, and its digest when it is decompressed, if it can be decompressed to the end.
fn read_entries(
    bytes: &mut dyn Read,
    roots: &[Vec<u8>],
    options: &ImageOptions,
    used: &Used,
) -> Result<(EntryList, Option<Digest>), OciError> {
    let limits = options.limits;
    let plain = Metered { inner: Decompressed::new(bytes, limits)?, total: &used.total, limit: options.image_limit };
    let mut entries = Entries::new(Hashed::new(plain), limits);
    let mut spool = Spool::new(&options.scratch);
    let mut all = Vec::new();
    while let Some(entry) = entries.next_entry()? {
        let target =
            if let EntryKind::Link(target) | EntryKind::HardLink(target) = &entry.kind { target.len() } else { 0 };
        let bytes = Limits::ENTRY + (entry.name.len() + target) as u64;
        // All layers are in memory at once.
        if used.names.fetch_add(bytes, Ordering::Relaxed) + bytes > limits.names {
            return Err(ArchiveError::Limit(Limit::Names(limits.names)).into());
        }
        let is_wanted = entry.kind == EntryKind::File && is_below(&clean(&entry.name).0, roots);
        let text = if is_wanted {
            Some(spool.keep(&mut entries.content(), entry.size).map_err(ArchiveError::from)?)
        } else {
            None
        };
        all.push((entry, text));
    }
    all.shrink_to_fit();
    // The bytes after the end of the archive matter only to its digest.
    let mut rest = entries.into_inner();
    let diff_id = std::io::copy(&mut rest, &mut std::io::sink()).ok().map(|_| rest.finish());
    Ok((all, diff_id))
}

/// Counts the total size of all layers of an image.
struct Metered<'t, R> {
    inner: R,
    total: &'t AtomicU64,
    limit: u64,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buffer)?;
        if self.total.fetch_add(n as u64, Ordering::Relaxed).saturating_add(n as u64) > self.limit {
            let message = format!("the layers are larger than {} MiB when decompressed", self.limit >> 20);
            return Err(OciError::Limit(message).into_io());
        }
        Ok(n)
    }
}

/// Whether a path is one of the roots, or below one.
fn is_below(path: &[u8], roots: &[Vec<u8>]) -> bool {
    roots.iter().any(|root| {
        root.is_empty() || path.strip_prefix(root.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    })
}
