//! Legacy catalogs on the command line: opens them, and reports remarks about them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cli::args::formats::Compat;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::{Finding, Severity};
use crate::legacy::{self, Fidelity, LegacyCatalog, Problem};
use crate::source;

/// How a file below schema 9 is read.
pub(crate) fn fidelity(compat: Option<Compat>) -> Fidelity {
    if compat.is_some() { Fidelity::Opm } else { Fidelity::Kept }
}

/// Whether a source is a legacy catalog.
pub(crate) fn is_legacy(path: &Path) -> bool {
    path.is_file() && legacy::is_legacy(path)
}

/// An index has tables of the same names, so SQLite's message about it would mislead.
pub(crate) fn refuse_index(path: &Path) -> Result<(), CommandError> {
    if !source::is_index(path) {
        return Ok(());
    }
    let shown = path.display();
    let message = format!("`{shown}` is an olmdex index, not a legacy catalog");
    let help = format!("convert it to a legacy catalog first: olmdex export --legacy {shown} -O legacy.db");
    Err(CommandError::new(Exit::Input, message).help(help))
}

/// Opens a legacy catalog and reports the remarks about it.
pub(crate) fn open(context: &Context, path: &Path, compat: Option<Compat>) -> Result<LegacyCatalog, CommandError> {
    let catalog = LegacyCatalog::open(path, context.opener.scratch(), fidelity(compat))?;
    report(context, catalog.findings());
    Ok(catalog)
}

/// Shows findings; only the first of many about one rule, unless the user wants details.
pub(crate) fn report(context: &Context, findings: &[Finding]) {
    const SHOWN: usize = 5;
    if context.reporter.is_quiet() {
        return;
    }
    let mut n_of: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let n = n_of.entry(finding.rule.id).or_default();
        *n += 1;
        if *n <= SHOWN || context.reporter.is_verbose() {
            context.reporter.finding(finding);
        }
    }
    for (rule, n) in n_of {
        if n > SHOWN && !context.reporter.is_verbose() {
            context.reporter.warning(&format!("{} more findings of {rule}; `--verbose` shows them", n - SHOWN));
        }
    }
}

/// Shows the findings that keep packages out, and all others only if the user wants details.
pub(crate) fn report_errors(context: &Context, findings: &[Finding]) {
    let wanted = |it: &&Finding| it.rule.severity == Severity::Error || context.reporter.is_verbose();
    report(context, &findings.iter().filter(wanted).cloned().collect::<Vec<_>>());
}

/// The reason why a catalog cannot be read as a whole, if there is one.
pub(crate) fn refusal(remarks: &[Finding]) -> Option<String> {
    remarks.iter().find(|it| it.rule.severity == Severity::Error).map(|it| it.message.clone())
}

/// Reports which packages were left out, and why.
pub(crate) fn left_out<'p>(context: &Context, problems: impl IntoIterator<Item = &'p Problem>) {
    let mut said: BTreeSet<Option<&str>> = BTreeSet::new();
    for problem in problems {
        // A problem of all broken packages together is reported for each of them.
        if (problem.package.is_none() && problem.is_verdict) || !said.insert(problem.package.as_deref()) {
            continue;
        }
        let message = problem.words(" is left out");
        context.reporter.finding(&legacy::rules::INCONVERTIBLE.finding(message));
    }
}
