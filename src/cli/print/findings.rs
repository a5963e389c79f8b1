//! Findings on standard output, in the format that was asked for.

use std::io::{BufWriter, Write as _};

use crate::cli::args::formats::OutputFormat;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::compose::Chosen;
use crate::diag::envelope::{Envelope, FindingsMetadata, VERSION};
use crate::diag::json::FindingJson;
use crate::diag::repeated::{Representative, shown};
use crate::diag::text::Elsewhere;
use crate::diag::{Finding, Rule, github, gitlab, junit, sarif, text};

/// Prints findings on standard output, with the applied rules if the format has them.
pub(crate) fn print_findings(
    context: &Context,
    format: OutputFormat,
    applied: &[&'static Rule],
    findings: &[Finding],
) -> Result<(), CommandError> {
    let metadata = FindingsMetadata::default();
    write_findings(context, format, applied, findings, true, metadata)
}

/// Prints the chosen findings: for people only the first of many alike, unless they want all; as data, all.
pub(crate) fn print_chosen(
    context: &Context,
    format: OutputFormat,
    applied: &[&'static Rule],
    chosen: &Chosen,
    all: bool,
    metadata: FindingsMetadata,
) -> Result<(), CommandError> {
    let hidden = chosen.hidden.iter().map(|it| (it.by.clone(), it.tally.errors + it.tally.warnings));
    let hidden = (!chosen.hidden.is_empty()).then(|| hidden.collect());
    let metadata = FindingsMetadata { hidden, ..metadata };
    write_findings(context, format, applied, &chosen.findings, all, metadata)
}

fn write_findings(
    context: &Context,
    format: OutputFormat,
    applied: &[&'static Rule],
    findings: &[Finding],
    all: bool,
    metadata: FindingsMetadata,
) -> Result<(), CommandError> {
    if let Some(error) = CommandError::of_limit() {
        return Err(error);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match format {
        OutputFormat::Json => {
            let items: Vec<FindingJson> = findings.iter().map(FindingJson::from).collect();
            let metadata = FindingsMetadata { count: items.len(), ..metadata };
            Envelope::with("Findings", metadata, items).write(&mut out)?;
        }
        OutputFormat::Sarif => {
            serde_json::to_writer_pretty(&mut out, &sarif::log(findings, &[], applied, VERSION))
                .map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        OutputFormat::Gitlab => gitlab::report(findings, &mut out)?,
        OutputFormat::Junit => out.write_all(junit::findings(findings).as_bytes())?,
        OutputFormat::Github => {
            for finding in findings {
                writeln!(out, "{}", github::finding(finding))?;
            }
        }
        _ => {
            let color = context.reporter.stdout_color();
            let elsewhere = Elsewhere { names: "`-o json`", findings: "`--all`" };
            for Representative { finding, n_more } in wanted(findings, all) {
                writeln!(out, "{}", text::finding_of_many(finding, n_more, elsewhere, color))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// The findings that are shown to people.
pub(crate) fn wanted(findings: &[Finding], all: bool) -> Vec<Representative<'_>> {
    if all { findings.iter().map(|finding| Representative { finding, n_more: 0 }).collect() } else { shown(findings) }
}

/// Passes on the reason why a source cannot be opened. A format of whole documents still gets a document, with the
/// findings so far and the failure as a result of its own: an empty file would look like a clean catalog.
pub(crate) fn unopened(
    format: OutputFormat,
    applied: &[&'static Rule],
    findings: &[Finding],
    source: &std::path::Path,
    error: CommandError,
) -> CommandError {
    if format != OutputFormat::Sarif || error.exit != Exit::Input {
        return error;
    }
    let failure = sarif::Failure {
        source: source.display().to_string(),
        message: error.message(),
        rule: crate::check::rules::UNREADABLE_FILE,
        exit_code: error.exit.code(),
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let log = sarif::log(findings, std::slice::from_ref(&failure), applied, VERSION);
    let written = serde_json::to_writer_pretty(&mut out, &log).map_err(std::io::Error::from);
    match written.and_then(|()| writeln!(out)).and_then(|()| out.flush()) {
        Ok(()) => error,
        Err(failed) => failed.into(),
    }
}
