//! Runs recorded cases of the real systems and counts how many get the same answer.
//!
//! A sample of every kind of case is in `fixtures/recorded` and always runs. The whole record is not part of the
//! repository: the test reads it from `$OLMDEX_GOLDEN`, else from beside the repository in `../shared/golden`. Inputs
//! that `$OLMDEX_GOLDEN` lacks are taken from `../shared/golden` and the sample. The report ends with the cases that
//! were run and those that were not.
//!
//! ```text
//! cargo test --test conformance                        all that is implemented
//! cargo test --test conformance -- ranges              folders whose names contain `ranges`
//! OLMDEX_CONFORMANCE_VERBOSE=1 cargo test ...          every failure, not just the first 20 of a folder
//! ```
//!
//! To add a folder: a module with a `FOLDER`, its name in [`FOLDERS`], and some cases in the sample, since a folder
//! without any there is an error. Cases come from the files that are found, never from a list, because any part of the
//! whole record may be missing and there may be more of it elsewhere. A case that differs for a good reason goes into
//! `known-differences.tsv`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the report of a test that has its own main function")]

mod breaking;
mod bundles;
mod catalogd;
mod catalogs;
mod cel;
mod classic;
mod command;
mod crd;
mod fbc_commands;
mod fbc_skiprange;
mod fbc_tables;
mod grpc;
mod images;
mod imageset;
mod imageset_repairs;
mod inputs;
mod legacy;
mod lifecycle;
mod observed;
mod one_truth;
mod outcome;
mod plan;
mod ranges;
mod report;
mod repositories;
mod resolution;
mod scaffolding;
mod serving;
mod solver;
mod template_edits;
mod templates;
mod update_graph;
mod v1;
mod validation;
mod verdicts;
mod versions;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use outcome::{Folder, KnownDifferences};
use report::Report;

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
    fbc_commands::BUNDLE,
    bundles::FOLDER,
    bundles::MUTANTS,
    images::FOLDER,
    validation::FOLDER,
    imageset::FOLDER,
    imageset_repairs::FOLDER,
    fbc_commands::LIST,
    scaffolding::FOLDER,
    serving::FOLDER,
    templates::COMMANDS,
    templates::AUTHORING,
    template_edits::FOLDER,
    repositories::FOLDER,
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
    one_truth::FOLDER,
    grpc::FOLDER,
    catalogd::FOLDER,
    lifecycle::FOLDER,
    update_graph::FOLDER,
    plan::FOLDER,
    breaking::FOLDER,
    inputs::FOLDER,
];

/// The name under which test runners know this test.
const TEST_NAME: &str = "conformance";
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
    let known = match KnownDifferences::read(&package.join("tests/conformance/known-differences.tsv")) {
        Ok(known) => known,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let is_verbose = env::var_os("OLMDEX_CONFORMANCE_VERBOSE").is_some_and(|value| value == "1");
    let selected: Vec<&Folder> = FOLDERS.iter().filter(|folder| arguments.selects(folder.name)).collect();
    let mut report = Report::new(&known, is_verbose);

    report.open("fixtures/recorded");
    for folder in &selected {
        let cases = (folder.run)(&package.join("fixtures/recorded"));
        report.folder(folder.name, &cases);
        if cases.is_empty() {
            report.missing(folder.name);
        }
    }
    let (name, whole) = whole_record(package);
    if whole.is_dir() {
        report.open(&name);
        for folder in &selected {
            report.folder(folder.name, &(folder.run)(&whole));
        }
        report.not_asked(&name, &whole, FOLDERS);
    } else {
        report.note(format!("{name} is not here: only the recorded sample was run"));
    }
    if selected.len() < FOLDERS.len() {
        report.note(format!(
            "{} of {} folders, which were not selected",
            FOLDERS.len() - selected.len(),
            FOLDERS.len()
        ));
    }
    if report.close() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The place of the whole record, if it exists, and the place's name.
fn whole_record(package: &Path) -> (String, PathBuf) {
    match env::var_os("OLMDEX_GOLDEN").filter(|value| !value.is_empty()).map(PathBuf::from) {
        Some(named) => (named.display().to_string(), named),
        None => ("../shared/golden".to_owned(), package.join("../shared/golden")),
    }
}

/// The part of the standard test harness's command line that matters here.
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

    /// The name of the whole test selects every folder, since test runners ask for it in this way.
    fn selects(&self, folder: &str) -> bool {
        self.filters.is_empty()
            || self.filters.iter().any(|filter| filter == TEST_NAME || folder.contains(filter.as_str()))
    }
}
