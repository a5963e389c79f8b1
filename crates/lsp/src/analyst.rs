//! The thread that analyses: it reads changed texts, reports the names in them as soon as it knows them, and then the
//! findings.
//!
//! One analysis runs and at most one waits. A change that comes meanwhile is added to the one that waits, which then
//! starts from the newest texts; findings that it will make anew are not made for the older ones. The server answers
//! from the last report.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::catalog::{Catalog, Key};
use super::documents::{Documents, Group};
use super::findings::{self, FindingsByFile};
use super::lines::{Encoding, Lines, Range};
use super::protocol;
use super::queue::Queue;
use super::report::{Analysed, FileReport, Names, Report};
use super::selection::{Besides, Choosing};
use olmdex_base::diag::{Finding, end_column};

/// The time that a directory is taken to have the files that it had.
pub(super) const LISTED_FOR: Duration = Duration::from_secs(2);

/// The size that the first thread of a program has.
const STACK: usize = 8 << 20;

/// The wanted results for a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AnalysisDepth {
    Names,
    /// The names, and the findings.
    Findings,
}

/// The work of an analysis.
#[derive(Debug)]
pub(super) struct Job {
    /// The number of the last change that it knows.
    pub(super) number: u64,
    pub(super) documents: Documents,
    pub(super) groups: BTreeMap<Group, AnalysisDepth>,
    /// Whether files may have changed, options among them.
    pub(super) are_files_new: bool,
    /// Whether directories have to be looked at again.
    pub(super) are_listings_old: bool,
}

/// The next step. Tests stop an analysis there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Names,
    Findings,
    Report,
}

#[derive(Debug, Default)]
struct Waiting {
    job: Option<Job>,
    is_over: bool,
}

#[derive(Debug, Default)]
struct Slot {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No change under the lock can be left half done.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; `None` once no more can come.
    fn take(&self) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if waiting.is_over {
                return None;
            }
            if let Some(job) = waiting.job.take() {
                return Some(job);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the findings of a group will be made anew, or are no longer wanted.
    fn is_superseded(&self, group: &Group) -> bool {
        let waiting = self.lock();
        let is_wanted = |it: &Job| it.groups.get(group) == Some(&AnalysisDepth::Findings);
        waiting.is_over || waiting.job.as_ref().is_some_and(is_wanted)
    }
}

/// The server's end of the thread.
#[derive(Debug)]
pub(super) struct Analyst {
    slot: Arc<Slot>,
}

impl Analyst {
    /// Starts the thread, which puts its results into a queue.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(
        queue: Arc<Queue>,
        choosing: Choosing,
        before: impl Fn(Stage) + Send + 'static,
    ) -> io::Result<Self> {
        let slot = Arc::new(Slot::default());
        let own = Arc::clone(&slot);
        // It is not waited for: a client that ends the server does not wait for an analysis.
        std::thread::Builder::new().name("lsp-analyst".to_owned()).stack_size(STACK).spawn(move || {
            let end = OnPanic(queue);
            let mut worker = Worker { slot: own, choosing, catalogs: BTreeMap::new() };
            while let Some(job) = worker.slot.take() {
                worker.analyse(&job, &end.0, &before);
            }
        })?;
        Ok(Self { slot })
    }

    /// Submits a job. It is merged with the waiting one and replaces it.
    pub(super) fn submit(&self, mut job: Job) {
        let mut waiting = self.slot.lock();
        if let Some(older) = waiting.job.take() {
            for (group, depth) in older.groups {
                let it = job.groups.entry(group).or_insert(depth);
                *it = depth.max(*it);
            }
            job.are_files_new |= older.are_files_new;
            job.are_listings_old |= older.are_listings_old;
        }
        waiting.job = Some(job);
        self.slot.changed.notify_all();
    }
}

impl Drop for Analyst {
    fn drop(&mut self) {
        self.slot.lock().is_over = true;
        self.slot.changed.notify_all();
    }
}

/// A server whose analysis has failed must not wait for it.
struct OnPanic(Arc<Queue>);

impl Drop for OnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.report(Analysed::Lost);
        }
    }
}

/// A catalog, and the time when its directory was listed.
#[derive(Debug)]
struct CachedCatalog {
    catalog: Arc<Catalog>,
    listed: Option<Instant>,
}

struct Worker {
    slot: Arc<Slot>,
    choosing: Choosing,
    catalogs: BTreeMap<Group, CachedCatalog>,
}

impl Worker {
    fn analyse(&mut self, job: &Job, queue: &Queue, before: &impl Fn(Stage)) {
        if job.are_files_new {
            self.choosing.forget();
        }
        if job.are_listings_old {
            for it in self.catalogs.values_mut() {
                it.listed = None;
            }
        }
        self.catalogs.retain(|group, _| job.documents.is_used(group));
        before(Stage::Names);
        let used = || job.groups.keys().filter(|it| job.documents.is_used(it));
        let names: Vec<Names> = used().filter_map(|group| self.names(group, job)).collect();
        queue.report(Analysed::Names(names));
        before(Stage::Findings);
        let mut reports = Vec::new();
        for (group, depth) in &job.groups {
            if *depth == AnalysisDepth::Names || self.slot.is_superseded(group) {
                continue;
            }
            reports.push(if job.documents.is_used(group) {
                self.report(group, job)
            } else {
                Report { group: group.clone(), files: Vec::new(), remarks: Vec::new() }
            });
        }
        before(Stage::Report);
        queue.report(Analysed::Findings(reports));
    }

    /// The names of a group, if names are looked up in it as a whole.
    fn names(&mut self, group: &Group, job: &Job) -> Option<Names> {
        let root = match group {
            Group::Catalog(root) => Some(root.clone()),
            Group::Alone(_) | Group::Template(_) => None,
            Group::Bundle(_) => return None,
        };
        let new = || CachedCatalog { catalog: Arc::new(Catalog::new(root)), listed: None };
        let it = self.catalogs.entry(group.clone()).or_insert_with(new);
        let catalog = Arc::make_mut(&mut it.catalog);
        let listed = it.listed.filter(|it| it.elapsed() <= LISTED_FOR);
        if listed.is_none() {
            catalog.list();
        }
        catalog.refresh(&job.documents.texts_of(group));
        let listed = listed.unwrap_or_else(Instant::now);
        it.listed = Some(listed);
        Some(Names { group: group.clone(), number: job.number, catalog: Arc::clone(&it.catalog), listed })
    }

    fn report(&mut self, group: &Group, job: &Job) -> Report {
        let documents = &job.documents;
        let (besides, problem) = self.choosing.besides(group.directory());
        let mut remarks: Vec<String> = problem.into_iter().collect();
        if self.catalogs.get(group).is_some_and(|it| it.catalog.is_too_large()) {
            let directory = group.directory().map(|it| it.display().to_string()).unwrap_or_default();
            remarks.push(format!("{directory} has too many files: olmdex reads only the open documents"));
        }
        let mut files = Vec::new();
        for (key, findings) in self.found(group, documents, &besides) {
            let findings = self.choosing.chosen(group.directory(), findings);
            let shown = documents.with_text(&key, |text, lines| {
                let range = |it: &Finding| range_of(it, text, lines, documents.encoding);
                findings.iter().map(|it| protocol::diagnostic(it, range(it))).collect()
            });
            files.push(file_report(&key, documents, shown));
        }
        // An open document without findings hears so.
        let mut known: Vec<Key> = files.iter().map(|it| it.key.clone()).collect();
        known.sort();
        let own = documents.open.iter().filter(|it| it.1.group.as_ref() == Some(group));
        let silent = own.filter(|it| known.binary_search(it.0).is_err());
        files.extend(silent.map(|it| file_report(it.0, documents, Vec::new())));
        Report { group: group.clone(), files, remarks }
    }

    /// The findings about a group, only those of documents that belong to it.
    fn found(&self, group: &Group, documents: &Documents, besides: &Besides) -> FindingsByFile {
        let texts = documents.texts_of(group);
        let mut found = match group {
            Group::Bundle(directory) => findings::of_bundle(directory, &texts, &besides.validators),
            Group::Template(key) => match texts.get(key) {
                Some(it) => findings::of_template(key, &it.text),
                None => FindingsByFile::new(),
            },
            Group::Catalog(_) | Group::Alone(_) => match self.catalogs.get(group) {
                Some(it) => findings::of_catalog(&it.catalog, &texts, &besides.practices),
                None => FindingsByFile::new(),
            },
        };
        found.retain(|key, _| documents.owner(key).is_none_or(|it| it == group));
        found
    }
}

fn file_report(key: &Key, documents: &Documents, shown: Vec<Value>) -> FileReport {
    let open = documents.open.get(key);
    FileReport {
        key: key.clone(),
        uri: documents.uri(key),
        serial: open.map(|it| it.serial),
        version: open.and_then(|it| it.version),
        shown,
    }
}

/// The range of a finding in a text, in the units of the protocol.
fn range_of(finding: &Finding, text: &str, lines: &Lines, encoding: Encoding) -> Range {
    let Some(place) = &finding.place else { return Range::default() };
    let start = lines.offset_of(text, place.line, place.column);
    let (line_start, line) = lines.line_of(text, start);
    let line_end = line_start + line.len();
    // A place without a text gets the text of its line.
    let of_line = olmdex_base::diag::Place { source: Some(line.to_owned()), source_column: 1, ..place.clone() };
    let end = end_column(&of_line).map_or(line_end, |it| lines.offset_of(text, place.line, it));
    lines.range(text, start..end.clamp(start, line_end.max(start)), encoding)
}
