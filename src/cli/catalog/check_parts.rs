//! Tables of a check: the parts of a repository with the number of findings in each of their checks, and the tasks of
//! pipelines.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::check::pipeline::{is_dockerfile, rules};
use crate::cli::print::table::write_aligned;
use crate::cli::terminal::error::CommandError;
use crate::diag::envelope::{CheckedPart, PipelineVerdict, TaskResult, TaskVerdict};
use crate::diag::{Finding, Place, Tally, counted, printable_line};
use crate::source::Recognized;

/// The columns that a finding counts in.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    valid: bool,
    graph: bool,
    pipeline: bool,
}

/// A finding, but for its part.
type Key = (&'static str, Option<Place>, String);

/// The parts, with the part and the checks that each finding is of.
#[derive(Debug, Default)]
pub(super) struct CheckedParts {
    /// Whether they are asked for: only a directory of several has parts.
    pub(super) are_wanted: bool,
    parts: Vec<CheckedPart>,
    columns: BTreeMap<Key, VecDeque<(usize, Columns)>>,
}

impl CheckedParts {
    /// The number of parts so far.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Adds a part with the findings about it; those of a pipeline name its check.
    pub(super) fn add(&mut self, path: &Path, kind: &Recognized, has_pipelines: bool, findings: &[Finding]) {
        let kind = match kind {
            _ if is_dockerfile(path) => "image",
            Recognized::Catalog => "catalog",
            Recognized::Templates => "template",
            Recognized::Bundles(_) => "bundle",
            Recognized::Repository => "operators",
            Recognized::Legacy => "legacy",
            Recognized::Settings => "settings",
            Recognized::Manifests => "manifests",
            Recognized::ImageSets => "imageset",
        };
        self.parts.push(CheckedPart {
            part: path.to_string_lossy().into_owned(),
            kind: kind.to_owned(),
            valid: Some(Tally::default()),
            graph: None,
            pipeline: has_pipelines.then(Tally::default),
        });
        // A pipeline also refuses what opm and the SDK refuse.
        let columns = |it: &Finding| {
            let is_of_pipeline = rules::ALL.iter().any(|rule| rule.id == it.rule.id);
            Columns { valid: !is_of_pipeline, graph: false, pipeline: has_pipelines && it.check.is_some() }
        };
        self.note(self.parts.len() - 1, findings, columns);
    }

    /// Adds the findings about the upgrade graphs of a part.
    pub(super) fn add_graph(&mut self, part: usize, findings: &[Finding]) {
        if let Some(part) = self.parts.get_mut(part) {
            part.graph.get_or_insert_default();
        }
        self.note(part, findings, |_| Columns { graph: true, ..Columns::default() });
    }

    fn note(&mut self, part: usize, findings: &[Finding], columns: impl Fn(&Finding) -> Columns) {
        // Several images may have the same file, and its findings.
        for finding in findings.iter().filter(|_| self.are_wanted) {
            self.columns.entry(key(finding)).or_default().push_back((part, columns(finding)));
        }
    }

    /// The parts with the numbers of their findings among those that are shown.
    pub(super) fn counted(mut self, shown: &[Finding]) -> Option<Vec<CheckedPart>> {
        for finding in shown {
            let Some((part, columns)) = self.columns.get_mut(&key(finding)).and_then(VecDeque::pop_front) else {
                continue;
            };
            let Some(part) = self.parts.get_mut(part) else { continue };
            let places = [
                (columns.valid, &mut part.valid),
                (columns.graph, &mut part.graph),
                (columns.pipeline, &mut part.pipeline),
            ];
            for (_, tally) in places.into_iter().filter(|it| it.0) {
                let tally = tally.get_or_insert_default();
                let one = Tally::of(std::slice::from_ref(finding));
                tally.errors += one.errors;
                tally.warnings += one.warnings;
            }
        }
        self.are_wanted.then_some(self.parts)
    }
}

fn key(finding: &Finding) -> Key {
    (finding.rule.id, finding.place.clone(), finding.message.clone())
}

/// Prints the table of parts; the column of pipelines only if one was asked.
pub(super) fn print_parts(parts: &[CheckedPart]) -> Result<(), CommandError> {
    let has_pipelines = parts.iter().any(|part| part.pipeline.is_some());
    let cell = |tally: &Option<Tally>| match tally {
        None => "-".to_owned(),
        Some(Tally { errors: 0, warnings: 0 }) => "ok".to_owned(),
        Some(Tally { errors: 0, warnings }) => counted(*warnings as u64, "warning"),
        Some(Tally { errors, warnings: 0 }) => counted(*errors as u64, "error"),
        Some(tally) => tally.to_string(),
    };
    let row = |part: &CheckedPart| {
        let name = printable_line(&part.part).into_owned();
        let cells = [name, part.kind.clone(), cell(&part.valid), cell(&part.graph), cell(&part.pipeline)];
        cells.into_iter().take(if has_pipelines { 5 } else { 4 }).collect::<Vec<String>>()
    };
    let headers = ["PART", "KIND", "VALID", "GRAPH", "PIPELINE"].map(str::to_owned);
    let headers = headers.into_iter().take(if has_pipelines { 5 } else { 4 }).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    write_aligned(Some(headers), &parts.iter().map(row).collect::<Vec<_>>(), 3, &mut out)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Prints the tasks of each pipeline that judge something.
pub(super) fn print_tasks(pipelines: &[PipelineVerdict]) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for PipelineVerdict { pipeline, tasks, .. } in pipelines {
        let is_listed = |task: &&TaskVerdict| task.result != TaskResult::JudgesNothing;
        let listed: Vec<&TaskVerdict> = tasks.iter().filter(is_listed).collect();
        let n_others = (tasks.len() - listed.len()) as u64;
        let mut rows: Vec<Vec<String>> = listed.into_iter().flat_map(rows_of_task).collect();
        if n_others > 0 {
            rows.push(vec![counted(n_others, "other task"), "judge nothing".to_owned()]);
        }
        write_aligned(Some(vec![pipeline.to_uppercase(), "RESULT".to_owned()]), &rows, 3, &mut out)?;
        writeln!(out)?;
    }
    Ok(out.flush()?)
}

/// A task with its result; each reason after the first has a row of its own.
fn rows_of_task(task: &TaskVerdict) -> Vec<Vec<String>> {
    let result = match task.result {
        TaskResult::Passed => "passed".to_owned(),
        TaskResult::Failed if task.reasons.is_empty() => format!("failed: {}", counted(task.errors as u64, "error")),
        TaskResult::Failed => format!("failed: {}; not checked", counted(task.errors as u64, "error")),
        TaskResult::NotChecked => "not checked".to_owned(),
        TaskResult::NotRun => "not run".to_owned(),
        TaskResult::JudgesNothing => "judges nothing".to_owned(),
    };
    let mut reasons = task.reasons.iter().map(|why| printable_line(why).into_owned());
    let indent = " ".repeat(result.len() + 2);
    let first = reasons.next().map_or(result.clone(), |why| format!("{result}: {why}"));
    let mut rows = vec![vec![task.task.clone(), first]];
    rows.extend(reasons.map(|why| vec![String::new(), format!("{indent}{why}")]));
    rows
}
