//! The files of a catalog directory, in the order in which the real tools take them (`docs/behaviour/fbc.md` 1.1).

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::defect::{Defect, DefectKind, Spot};
use super::ignore::{FILE_NAME, Ignore};
use super::input_file::{InputFile, unreadable};
use olmdex_base::file::Text;

/// A file that the walk has met.
struct Candidate {
    /// Components below the root.
    components: Vec<Vec<u8>>,
    file: InputFile,
}

/// A file of a directory that is not one of the system's.
#[derive(Debug)]
pub struct TreeFile {
    /// Components of its path below the root of the catalog.
    pub components: Vec<Vec<u8>>,
    /// Its content, or the reason why there is none.
    pub text: Result<Text, io::Error>,
}

/// The repository that may contain a catalog.
const GIT: &[u8] = b".git";

/// The result of [`walk`].
pub(super) struct Walked {
    pub(super) files: Vec<InputFile>,
    /// Whether `.git` at the root was left out, although no ignore file hides it.
    pub(super) skips_git: bool,
}

/// Lists the files below `root` that are part of the catalog: all but `.git` at the root, unless `keeps_git`, all but
/// `.indexignore` files and the files that those hide, depth first, the entries of each directory sorted by the bytes
/// of their names. Links to files are listed, links to directories too, but not entered. An entry that cannot be listed
/// is in the list with its defect.
///
/// # Errors
/// If `root` itself cannot be listed.
pub(super) fn walk(root: &Path, keeps_git: bool) -> io::Result<Walked> {
    let mut candidates = Vec::new();
    let mut entries = sorted_entries(root)?;
    let n_entries = entries.len();
    // A worktree has a file of that name.
    entries.retain(|it| keeps_git || it.name != GIT);
    let has_git = entries.len() < n_entries;
    // Directories still to list, innermost last, as iterators over their sorted entries.
    let mut open = vec![(Vec::new(), entries.into_iter())];
    while let Some((components, entries)) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            continue;
        };
        let mut inner = components.clone();
        inner.push(entry.name.clone());
        let path = root.join(inner.iter().map(|it| OsStr::from_bytes(it)).collect::<PathBuf>());
        if !entry.is_directory {
            let relative = relative_text(&inner);
            let file = match entry.is_link {
                true => InputFile::linked(&path, relative, root),
                false => InputFile::in_directory(&path, relative),
            };
            candidates.push(Candidate { file, components: inner });
            continue;
        }
        match sorted_entries(&path) {
            Ok(entries) => open.push((inner, entries.into_iter())),
            Err(error) => {
                let defect = unreadable("open", &relative_text(&inner), &error);
                candidates.push(Candidate {
                    file: InputFile::unreadable(&path.to_string_lossy(), defect),
                    components: inner,
                });
            }
        }
    }
    let (files, ignore) = keep(candidates);
    Ok(Walked { skips_git: has_git && !hides_git(&ignore), files })
}

/// The files of a tree that are part of the catalog, in their order.
pub(super) fn kept(root: &str, mut files: Vec<TreeFile>, keeps_git: bool) -> Walked {
    let n_files = files.len();
    files.retain(|it| keeps_git || it.components.first().is_none_or(|it| it != GIT));
    let has_git = files.len() < n_files;

    let mut candidates: Vec<Candidate> = files
        .into_iter()
        .map(|it| {
            let relative = relative_text(&it.components);
            let shown = format!("{root}/{relative}");
            let file = match it.text {
                Ok(text) => InputFile::of_text(shown, relative, text),
                Err(error) => InputFile::unreadable(&shown, unreadable("open", &relative, &error)),
            };
            Candidate { components: it.components, file }
        })
        .collect();
    candidates.sort_by(|a, b| a.components.cmp(&b.components));
    let (files, ignore) = keep(candidates);
    Walked { skips_git: has_git && !hides_git(&ignore), files }
}

/// Files of the system at other paths: those that are part of the catalog, in their order.
pub(super) fn placed<'f>(files: impl Iterator<Item = (&'f str, &'f Path)>) -> Walked {
    let candidate = |(relative, path): (&str, &Path)| Candidate {
        components: relative.split('/').map(|part| part.as_bytes().to_vec()).collect(),
        file: InputFile::in_directory(path, relative.to_owned()),
    };
    let mut candidates: Vec<Candidate> = files.map(candidate).collect();
    candidates.sort_by(|a, b| a.components.cmp(&b.components));
    Walked { files: keep(candidates).0, skips_git: false }
}

/// Reads the ignore files and drops the files that they hide.
fn keep(candidates: Vec<Candidate>) -> (Vec<InputFile>, Ignore) {
    let mut ignore = Ignore::default();
    let mut files = Vec::new();
    let is_ignore_file = |it: &Candidate| it.components.last().is_some_and(|name| name == FILE_NAME.as_bytes());
    for it in candidates.iter().filter(|it| is_ignore_file(it)) {
        if it.file.is_unreadable() {
            files.push(it.file.clone());
            continue;
        }
        let domain = &it.components[..it.components.len() - 1];
        let defect = match it.file.whole() {
            Ok(text) => ignore.add_file(domain, &text).err().map(|error| Defect {
                at: Spot::Line(error.line, 1),
                kind: DefectKind::Unreadable {
                    message: error.to_string(),
                    opm: "bufio.Scanner: token too long".to_owned(),
                },
            }),
            Err(error) => Some(unreadable("open", &relative_text(&it.components), &error)),
        };
        if let Some(defect) = defect {
            files.push(InputFile::unreadable(&it.file.shown, defect));
        }
    }
    for it in candidates {
        if !is_ignore_file(&it) && !ignore.hides(&it.components) {
            files.push(it.file);
        }
    }
    (files, ignore)
}

/// Whether leaving `.git` out makes no difference, since its files are hidden anyway.
fn hides_git(ignore: &Ignore) -> bool {
    ignore.hides(&[GIT.to_vec()]) || ignore.hides(&[GIT.to_vec(), b"HEAD".to_vec()])
}

struct Entry {
    name: Vec<u8>,
    is_directory: bool,
    is_link: bool,
}

fn sorted_entries(directory: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        // The type of the entry itself: a link to a directory is not one.
        let kind = entry.file_type()?;
        let (is_directory, is_link) = (kind.is_dir(), kind.is_symlink());
        entries.push(Entry { name: entry.file_name().as_bytes().to_vec(), is_directory, is_link });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn relative_text(components: &[Vec<u8>]) -> String {
    components.iter().map(|it| String::from_utf8_lossy(it)).collect::<Vec<_>>().join("/")
}
