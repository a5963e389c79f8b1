//! The report: a line per folder, its failures, and at the end the cases that were run and those that were not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::outcome::{Case, Folder, KnownDifferences, Outcome, Standing};

/// How many failures of a folder are shown by default.
const SHOWN_FAILURES: usize = 20;
/// How many reasons for not running cases are shown.
const SHOWN_REASONS: usize = 12;

/// Prints results as they come, and counts them for the end.
pub(crate) struct Report<'k> {
    known: &'k KnownDifferences,
    is_verbose: bool,
    /// The places of cases, each with the sum of its folders.
    places: Vec<(String, Tally)>,
    /// Why cases were not run, and how many.
    reasons: BTreeMap<String, usize>,
    /// Kinds of cases that the sample lacks.
    missing: Vec<String>,
    notes: Vec<String>,
}

impl<'k> Report<'k> {
    pub(crate) fn new(known: &'k KnownDifferences, is_verbose: bool) -> Self {
        Self { known, is_verbose, places: Vec::new(), reasons: BTreeMap::new(), missing: Vec::new(), notes: Vec::new() }
    }

    /// Starts with the cases of another place.
    pub(crate) fn open(&mut self, place: &str) {
        println!("{place}:");
        self.places.push((place.to_owned(), Tally::default()));
    }

    /// Prints the line of a folder, its failures and its stale differences.
    pub(crate) fn folder(&mut self, name: &str, cases: &[Case]) {
        let mut tally = Tally::default();
        let mut details = Vec::new();
        for case in cases {
            let standing = self.known.standing(case);
            tally.count(standing);
            match (standing, &case.outcome) {
                (Standing::Failed, Outcome::Failed(why)) => details.push(format!("  FAILED {}\n    {why}", case.id)),
                (Standing::Stale, _) => {
                    details.push(format!("  STALE  {}\n    it passes; take it off the list", case.id));
                }
                (Standing::NotRunnable, Outcome::NotRunnable(why)) => {
                    *self.reasons.entry(why.clone()).or_default() += 1;
                    if self.is_verbose {
                        details.push(format!("  NOT RUNNABLE {}\n    {why}", case.id));
                    }
                }
                _ => {}
            }
        }
        println!("{}", tally.line(name));
        let shown = if self.is_verbose { details.len() } else { SHOWN_FAILURES.min(details.len()) };
        for detail in &details[..shown] {
            println!("{detail}");
        }
        if shown < details.len() {
            println!("  … and {} more (OLMDEX_CONFORMANCE_VERBOSE=1 shows all)", details.len() - shown);
        }
        if let Some((_, sum)) = self.places.last_mut() {
            sum.add(&tally);
        }
    }

    /// Reports that the sample has no case of a kind, which is an error.
    pub(crate) fn missing(&mut self, name: &str) {
        println!("  FAILED fixtures/recorded has no case of this kind");
        self.missing.push(name.to_owned());
    }

    /// Keeps a sentence for the end.
    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Notes the directories of the whole record that none of the folders reads.
    pub(crate) fn not_asked(&mut self, name: &str, whole: &Path, folders: &[Folder]) {
        let is_asked = |directory: &str| {
            let within = format!("{directory}/");
            folders.iter().any(|it| it.name == directory || it.name.starts_with(&within))
        };
        let mut others = Vec::new();
        for directory in directories(whole) {
            if !is_asked(&directory) {
                others.push(directory);
            } else if directory == "fbc" {
                let inner = directories(&whole.join(&directory)).into_iter().map(|it| format!("{directory}/{it}"));
                others.extend(inner.filter(|it| !is_asked(it)));
            }
        }
        if !others.is_empty() {
            self.note(format!("{name} has folders that nothing here runs: {}", others.join(", ")));
        }
    }

    /// Prints the end, and returns whether all results are as expected.
    pub(crate) fn close(self) -> bool {
        let mut total = Tally::default();
        println!("what was run:");
        for (place, sum) in &self.places {
            println!("{}", sum.line(&format!("  {place}")));
            total.add(sum);
        }
        println!("what was not run:");
        let mut reasons: Vec<(&String, &usize)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(why, n)| (std::cmp::Reverse(**n), *why));
        for (why, n) in reasons.iter().take(SHOWN_REASONS) {
            println!("  {n} {}: {why}", if **n == 1 { "case" } else { "cases" });
        }
        let n_more: usize = reasons.iter().skip(SHOWN_REASONS).map(|(_, n)| **n).sum();
        if n_more > 0 {
            println!("  {n_more} cases for other reasons (OLMDEX_CONFORMANCE_VERBOSE=1 shows all)");
        }
        for note in &self.notes {
            println!("  {note}");
        }
        if reasons.is_empty() && self.notes.is_empty() {
            println!("  nothing: every case was run");
        }
        println!("{}", total.line("total"));
        let n_failed = total.failed + total.stale + self.missing.len();
        println!("{} passed, {n_failed} failed", total.passed);
        n_failed == 0
    }
}

/// The names of the directories in a directory, sorted.
fn directories(path: &Path) -> Vec<String> {
    let Ok(listing) = fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<String> = listing
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[derive(Default)]
struct Tally {
    passed: usize,
    known: usize,
    failed: usize,
    not_runnable: usize,
    stale: usize,
}

impl Tally {
    fn count(&mut self, standing: Standing) {
        *match standing {
            Standing::Passed => &mut self.passed,
            Standing::Known => &mut self.known,
            Standing::Failed => &mut self.failed,
            Standing::NotRunnable => &mut self.not_runnable,
            Standing::Stale => &mut self.stale,
        } += 1;
    }

    fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.known += other.known;
        self.failed += other.failed;
        self.not_runnable += other.not_runnable;
        self.stale += other.stale;
    }

    fn line(&self, name: &str) -> String {
        let Self { passed, known, failed, not_runnable, stale } = self;
        let stale = if *stale == 0 { String::new() } else { format!("  stale {stale}") };
        format!("{name}  passed {passed}  known {known}  failed {failed}  not runnable {not_runnable}{stale}")
    }
}
