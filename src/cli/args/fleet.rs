//! A directory of many clusters: each file, archive or directory directly in it is one, and they are read in parallel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cluster::{self, Archives, Cluster};
use crate::diag::printable;
use crate::file::system_words;

/// A cluster by the name of its file or directory, or why it cannot be read.
type Read = (String, Result<Cluster, String>);

/// Takes a cluster by its name, or why it cannot be read.
pub(crate) type Sink<'s> = dyn FnMut(&str, Result<Cluster, String>) -> Result<(), CommandError> + 's;

/// Reads the clusters of a directory, and hands them over by name. At most twice as many are in memory as are read at
/// once.
pub(crate) fn each_cluster(context: &Context, directory: &Path, sink: &mut Sink<'_>) -> Result<(), CommandError> {
    let paths = clusters_in(directory)?;
    let archives = context.opener.archives();
    let n_threads = thread::available_parallelism().map_or(1, |it| it.get()).min(paths.len());
    let (wanted, queue) = mpsc::sync_channel::<usize>(2 * n_threads);
    let (found, results) = mpsc::sync_channel::<(usize, Read)>(2 * n_threads);
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        for _ in 0..n_threads {
            let (found, queue, paths) = (found.clone(), &queue, paths.as_slice());
            scope.spawn(move || read_wanted(queue, paths, archives, &found));
        }
        drop(found);
        hand_over(paths.len(), n_threads, wanted, &results, sink)
    })
}

/// Reads one cluster after another, on request.
fn read_wanted(
    queue: &Mutex<Receiver<usize>>,
    paths: &[PathBuf],
    archives: Archives<'_>,
    found: &SyncSender<(usize, Read)>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Some((number, path)) = next.ok().and_then(|it| Some((it, paths.get(it)?))) else { return };
        let read = match path.is_symlink() {
            // The directory may come from others, so its links must not show files outside of it.
            true => Err(format!("`{}` is a symbolic link, which olmdex does not follow", path.display())),
            false => cluster::read(path, archives).map_err(|error| error.to_string()),
        };
        // The receiver may have given up.
        if found.send((number, (name_of(path), read))).is_err() {
            return;
        }
    }
}

/// Hands results over in their order, and asks for the next ones.
fn hand_over(
    n_all: usize,
    n_threads: usize,
    wanted: SyncSender<usize>,
    results: &Receiver<(usize, Read)>,
    sink: &mut Sink<'_>,
) -> Result<(), CommandError> {
    let mut n_asked = 0;
    let mut ask = |n_done: usize| {
        while n_asked < n_all && n_asked < n_done + 2 * n_threads {
            if wanted.send(n_asked).is_err() {
                break;
            }
            n_asked += 1;
        }
    };
    let mut waiting: BTreeMap<usize, Read> = BTreeMap::new();
    let mut n_done = 0;
    ask(0);
    while n_done < n_all {
        let Ok((number, read)) = results.recv() else { break };
        waiting.insert(number, read);
        while let Some((name, read)) = waiting.remove(&n_done) {
            sink(&name, read)?;
            n_done += 1;
        }
        ask(n_done);
    }
    Ok(())
}

/// The clusters directly in a directory, by name. Hidden files are not clusters.
fn clusters_in(directory: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let shown = printable(&directory.to_string_lossy()).into_owned();
    let unreadable = |error: std::io::Error| {
        let error = CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)));
        error.help("`--fleet` takes a directory that holds one must-gather, archive or file of manifests per cluster")
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    if paths.is_empty() {
        let error = CommandError::new(Exit::Input, format!("`{shown}` has no clusters"));
        return Err(error.help("each file, archive or directory at its top level is one cluster"));
    }
    Ok(paths)
}

/// The name of a cluster: that of its directory, or of its file without the endings of manifests and archives.
fn name_of(path: &Path) -> String {
    const ENDINGS: [&str; 8] = [".yaml", ".yml", ".json", ".tar.gz", ".tar.xz", ".tgz", ".txz", ".tar"];
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match ENDINGS.iter().find_map(|it| name.strip_suffix(it)) {
        Some(stem) if !stem.is_empty() && !path.is_dir() => stem.to_owned(),
        _ => name,
    }
}
