//! Inputs that cases share, found although a record of more cases does not repeat them.
//!
//! A record in `$OLMDEX_GOLDEN` may hold only questions and answers. Missing inputs come from the whole record beside
//! the repository, or else from the sample.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use crate::outcome::{Case, Folder, Outcome};

/// Each kind whose cases share inputs, run with the questions and answers alone.
pub(crate) const FOLDER: Folder = Folder { name: "inputs", run };

/// Set while cases of the sample run without their inputs: the whole record has other inputs under some of the same
/// names.
static IS_SAMPLE_FIRST: AtomicBool = AtomicBool::new(false);

/// The whole record beside the repository, and the sample.
pub(crate) fn records() -> [PathBuf; 2] {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut records = [package.join("../shared/golden"), package.join("fixtures/recorded")];
    if IS_SAMPLE_FIRST.load(Ordering::Relaxed) {
        records.reverse();
    }
    records
}

/// The path of a shared input, below the root of the cases or of another record; below the root if it does not exist.
pub(crate) fn shared(root: &Path, relative: &str) -> PathBuf {
    let own = root.join(relative);
    let mut others = records().into_iter().map(|it| it.join(relative));
    if own.exists() { own } else { others.find(|it| it.exists()).unwrap_or(own) }
}

/// A file or directory of an area of `authoring`, which may be packed: below the folder of the cases or in another
/// record.
pub(crate) fn shared_in_area(folder: &Path, area: &str, relative: &str) -> PathBuf {
    let own = folder.join(relative);
    if own.exists() {
        return own;
    }
    let mut others = records().into_iter().filter_map(|it| area_of(&it, area)).map(|it| it.join(relative));
    others.find(|it| it.exists()).unwrap_or(own)
}

/// The folder of an area, unpacked once for the whole run if it is an archive; `None` if it is neither.
pub(crate) fn area_of(root: &Path, area: &str) -> Option<PathBuf> {
    static UNPACKED: Mutex<BTreeMap<PathBuf, Option<tempfile::TempDir>>> = Mutex::new(BTreeMap::new());
    let folder = root.join("authoring").join(area);
    if folder.is_dir() {
        return Some(folder);
    }
    let archive = root.join("authoring").join(format!("{area}.tar.zst"));
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let scratch =
        unpacked.entry(archive).or_insert_with_key(|it| it.is_file().then(|| unpack(it).expect("a readable archive")));
    scratch.as_ref().map(|it| it.path().to_owned())
}

/// Unpacks an archive into a directory that lasts as long as the value.
pub(crate) fn unpack(archive: &Path) -> io::Result<tempfile::TempDir> {
    if !archive.is_file() {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    let scratch = tempfile::tempdir()?;
    unpack_into(archive, scratch.path())?;
    Ok(scratch)
}

/// Unpacks an archive into an existing directory.
pub(crate) fn unpack_into(archive: &Path, directory: &Path) -> io::Result<()> {
    tar::Archive::new(zstd::stream::Decoder::new(fs::File::open(archive)?)?).unpack(directory)
}

/// A kind, and its files that are questions and answers.
const SHARING: &[(&Folder, &[&str])] = &[
    (&crate::catalogd::FOLDER, &["catalogd/http.jsonl"]),
    (&crate::grpc::FOLDER, &["grpc/*"]),
    (&crate::lifecycle::FOLDER, &["lifecycle/matching.jsonl", "lifecycle/validation.jsonl"]),
    (&crate::update_graph::FOLDER, &["update-graph/edges.jsonl"]),
    (&crate::v1::FOLDER, &["v1/in/*", "v1/out/*"]),
    (&crate::v1::BULK, &["v1/*"]),
    (&crate::imageset::FOLDER, &["authoring/imageset/cases.jsonl"]),
    (&crate::imageset_repairs::FOLDER, &["authoring/repairs.json"]),
    (&crate::catalogs::FOLDER, &["catalogs/*"]),
    (&crate::images::FOLDER, &["oci/cases.jsonl"]),
    (&crate::resolution::CLASSIC, &["classic/in/*", "classic/out/*", "classic/canon/*"]),
];

/// The number of passing cases is the same with and without the inputs.
fn run(root: &Path) -> Vec<Case> {
    let passed = |cases: &[Case]| cases.iter().filter(|it| it.outcome == Outcome::Passed).count();
    let case = |(folder, files): &(&Folder, &[&str])| {
        let bare = tempfile::tempdir().expect("a scratch directory");
        let bare_root = bare.path().join("record");
        for file in *files {
            copy(root, &bare_root, file).expect("a copy of the recording");
        }
        IS_SAMPLE_FIRST.store(true, Ordering::Relaxed);
        let alone = (folder.run)(&bare_root);
        IS_SAMPLE_FIRST.store(false, Ordering::Relaxed);
        if alone.is_empty() {
            return None;
        }
        Some(Case::run(format!("inputs/{}", folder.name), || {
            Outcome::of_equal(&passed(&alone), &passed(&(folder.run)(root)))
        }))
    };
    // The whole record takes minutes, and finds its inputs in the same ways.
    if root.ends_with("fixtures/recorded") { SHARING.iter().filter_map(case).collect() } else { Vec::new() }
}

/// Copies a file, or with `*` all files of a directory.
fn copy(from: &Path, to: &Path, name: &str) -> io::Result<()> {
    let (directory, pattern) = name.rsplit_once('/').unwrap_or(("", name));
    let Ok(listing) = fs::read_dir(from.join(directory)) else { return Ok(()) };
    fs::create_dir_all(to.join(directory))?;
    for entry in listing {
        let entry = entry?;
        let is_wanted = pattern == "*" || *entry.file_name() == *pattern;
        if is_wanted && entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(directory).join(entry.file_name()))?;
        }
    }
    Ok(())
}
