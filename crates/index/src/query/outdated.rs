//! Catalogs whose sources on this machine have changed since the index was written.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Index, IndexError, build_cache};
use olmdex_base::file::Cache;
use olmdex_fbc::Input;

/// A catalog that is older than its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outdated {
    /// The catalog.
    pub catalog: String,
    /// The source that it was built from.
    pub source: String,
    /// The file of it that was changed last.
    pub newest: String,
}

impl Index {
    /// The time at which its file was written, if it is a file.
    pub fn written(&self) -> Option<SystemTime> {
        modified(self.path())
    }

    /// The catalogs whose sources are on this machine and newer than the index, by name. This looks at each file of the
    /// sources, and reads none; `cache` is that of [`crate::Builder::with_cache`]. `composed` gives the sources of a
    /// composed catalog, by the composing file and the name of the catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn outdated(
        &self,
        cache: Option<&Cache>,
        composed: &dyn Fn(&Path, &str) -> Vec<PathBuf>,
    ) -> Result<Vec<Outdated>, IndexError> {
        let Some(written) = self.written() else { return Ok(Vec::new()) };
        let sql = "SELECT name, source, source_digest FROM catalog ORDER BY name";
        let rows: Vec<(String, String, Vec<u8>)> =
            self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut outdated = Vec::new();
        for (catalog, source, digest) in rows {
            let Some(place) = self.place(&source) else { continue };
            let parts = source.rsplit_once('#').map(|it| composed(&place, it.1)).unwrap_or_default();
            let all = std::iter::once(&place).chain(&parts).filter_map(|it| newest(it));
            let Some((_, newest)) = all.max().filter(|it| it.0 > written) else { continue };
            let is_same = |cache: &Cache| {
                let input = input(&place);
                input.and_then(|it| build_cache::recall(cache, &it, &source)).is_some_and(|it| it.0[..] == digest[..])
            };
            if !cache.is_some_and(is_same) {
                outdated.push(Outdated { newest: newest.display().to_string(), catalog, source });
            }
        }
        Ok(outdated)
    }

    /// The path of a source: beside the index, or in the directory of the command. Catalogs of an index are named
    /// behind a `#`.
    fn place(&self, source: &str) -> Option<PathBuf> {
        let source = source.rsplit_once('#').map_or(source, |it| it.0);
        let beside = self.path().parent().unwrap_or(Path::new("")).join(source);
        [beside, PathBuf::from(source)].into_iter().find(|it| it.exists())
    }
}

/// A source with more entries than this is not a catalog: the maker of the index may have named `/`.
const MAX_ENTRIES: usize = 20_000;

/// The file at or below a path that was changed last. Links to directories are not followed. None if there are too
/// many.
fn newest(path: &Path) -> Option<(SystemTime, PathBuf)> {
    let mut newest = modified(path).map(|it| (it, path.to_owned()));
    let mut open = if path.is_dir() { vec![path.to_owned()] } else { Vec::new() };
    let mut n_entries = 0;
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).ok()?.filter_map(Result::ok) {
            n_entries += 1;
            if n_entries > MAX_ENTRIES {
                return None;
            }
            if entry.file_type().is_ok_and(|it| it.is_dir()) {
                open.push(entry.path());
            } else if let Some(time) = modified(&entry.path()) {
                newest = newest.max(Some((time, entry.path())));
            }
        }
    }
    newest
}

/// The files of a source.
fn input(path: &Path) -> Option<Input> {
    if path.is_dir() { Input::directory(path).ok() } else { Some(Input::file(path)) }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.modified().ok()
}
