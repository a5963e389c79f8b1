//! Runs the recorded cases of the real systems, if they are there, and counts how many get the same answer.
//!
//! The cases are no part of the repository. They are looked for in `$OLMDEX_GOLDEN`, then beside the repository in
//! `../shared/golden`; without them this test says so and succeeds.
//!
//! ```text
//! cargo test --test conformance                        all that is implemented
//! cargo test --test conformance -- ranges              folders whose names contain `ranges`
//! OLMDEX_CONFORMANCE_VERBOSE=1 cargo test ...          every failure, not just the first 20 of a folder
//! ```
//!
//! To add a folder: a module with a `FOLDER`, and its name in [`FOLDERS`]. Cases come from the files that are found,
//! never from a list, because any part of the folder may be missing and there may be more of it elsewhere. A case that
//! differs for a good reason goes into `known-differences.tsv`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the report of a test that has its own main function")]

mod catalogs;
mod cel;
mod classic;
mod command;
mod crd;
mod fbc_commands;
mod fbc_skiprange;
mod fbc_tables;
mod legacy;
mod observed;
mod outcome;
mod ranges;
mod resolution;
mod solver;
mod v1;
mod versions;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use outcome::{Case, Folder, KnownDifferences, Outcome, Standing};

const FOLDERS: &[Folder] = &[
    ranges::FOLDER,
    versions::FOLDER,
    fbc_commands::LOADING,
    fbc_commands::WALK,
    fbc_commands::VALIDATE,
    fbc_skiprange::FOLDER,
    fbc_tables::FOLDER,
    fbc_commands::TYPED,
    fbc_commands::RENDER,
    fbc_commands::LIST,
    catalogs::FOLDER,
    legacy::WHOLE,
    legacy::EDGE,
    legacy::HISTORIC,
    legacy::SCHEMAS,
    legacy::MIGRATE,
    v1::FOLDER,
    v1::BULK,
    v1::VALUES,
    crd::FOLDER,
    classic::REGISTRY,
    classic::STEPS,
    solver::FOLDER,
    cel::FOLDER,
    resolution::CLASSIC,
    resolution::FUZZ,
    resolution::GENERATIONS,
];

/// The name under which test runners know this test.
const TEST_NAME: &str = "conformance";
/// How many failures of a folder are shown unless all are asked for.
const SHOWN_FAILURES: usize = 20;

fn main() -> ExitCode {
    let arguments = Arguments::parse(env::args().skip(1));
    if arguments.is_list {
        if !arguments.is_ignored_only {
            println!("{TEST_NAME}: test");
        }
        return ExitCode::SUCCESS;
    }
    if arguments.is_ignored_only {
        return ExitCode::SUCCESS;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = golden(package);
    if !root.is_dir() {
        println!("skipped: no recorded cases in {}; OLMDEX_GOLDEN names another folder", root.display());
        return ExitCode::SUCCESS;
    }
    let known = match KnownDifferences::read(&package.join("tests/conformance/known-differences.tsv")) {
        Ok(known) => known,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };

    let is_verbose = env::var_os("OLMDEX_CONFORMANCE_VERBOSE").is_some_and(|value| value == "1");
    let mut total = Tally::default();
    for folder in FOLDERS.iter().filter(|folder| arguments.selects(folder.name)) {
        let tally = report(folder, &(folder.run)(&root), &known, is_verbose);
        total.add(&tally);
    }
    println!("{}", total.line("total"));
    println!("{} passed, {} failed", total.passed, total.failed + total.stale);
    if total.failed + total.stale == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where the recorded cases are, if they are there.
fn golden(package: &Path) -> PathBuf {
    let named = env::var_os("OLMDEX_GOLDEN").filter(|value| !value.is_empty()).map(PathBuf::from);
    named.unwrap_or_else(|| package.join("../shared/golden"))
}

/// Prints the line of a folder, its failures and its stale differences.
fn report(folder: &Folder, cases: &[Case], known: &KnownDifferences, is_verbose: bool) -> Tally {
    let mut tally = Tally::default();
    let mut details = Vec::new();
    for case in cases {
        let standing = known.standing(case);
        tally.count(standing);
        match (standing, &case.outcome) {
            (Standing::Failed, Outcome::Failed(reason)) => details.push(format!("  FAILED {}\n    {reason}", case.id)),
            (Standing::Stale, _) => details.push(format!("  STALE  {}\n    it passes; take it off the list", case.id)),
            (Standing::NotRunnable, Outcome::NotRunnable(why)) if is_verbose => {
                details.push(format!("  NOT RUNNABLE {}\n    {why}", case.id));
            }
            _ => {}
        }
    }
    println!("{}", tally.line(folder.name));
    let shown = if is_verbose { details.len() } else { SHOWN_FAILURES.min(details.len()) };
    for detail in &details[..shown] {
        println!("{detail}");
    }
    if shown < details.len() {
        println!("  … and {} more (OLMDEX_CONFORMANCE_VERBOSE=1 shows all)", details.len() - shown);
    }
    tally
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

/// What of the standard test harness's command line matters here.
#[derive(Default)]
struct Arguments {
    is_list: bool,
    is_ignored_only: bool,
    filters: Vec<String>,
}

impl Arguments {
    fn parse(arguments: impl Iterator<Item = String>) -> Self {
        /// Options whose value is an argument of its own.
        const WITH_VALUE: &[&str] =
            &["--format", "--test-threads", "--color", "--skip", "--logfile", "--shuffle-seed", "-Z"];
        let mut parsed = Self::default();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => parsed.is_list = true,
                "--ignored" => parsed.is_ignored_only = true,
                option if WITH_VALUE.contains(&option) => drop(arguments.next()),
                option if option.starts_with('-') => {}
                _ => parsed.filters.push(argument),
            }
        }
        parsed
    }

    /// The name of the test as a whole selects every folder, since that is how test runners ask for it.
    fn selects(&self, folder: &str) -> bool {
        self.filters.is_empty()
            || self.filters.iter().any(|filter| filter == TEST_NAME || folder.contains(filter.as_str()))
    }
}
