//! Legacy catalogs on the command line: opens them, and reports remarks about them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::args::formats::Compat;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::{Finding, Severity, counted};
use crate::legacy::{self, Fidelity, LegacyCatalog, Problem};
use crate::source::{self, Opener};

/// The place of the database in an image. The help of the image mentions it: it is an option for old images only.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PathInImage {
    /// The path of the database in the image, if the image has no label that says it
    #[arg(id = "path_in_image", long = "path", value_name = "PATH")]
    pub(crate) path: Option<String>,
}

/// A legacy catalog that a user named: a file, or the database of an image.
pub(crate) struct FoundDatabase {
    /// The file, which is a temporary one for an image.
    pub(crate) file: PathBuf,
    /// The name that the user gave.
    shown: PathBuf,
    /// Kept for the temporary file.
    image: Option<Opener>,
}

impl FoundDatabase {
    /// Finds the file that a name stands for. `None` if the name stands for something else that holds no database.
    pub(crate) fn look(
        context: &Context,
        named: &Path,
        within: &PathInImage,
        opener: Opener,
    ) -> Result<Option<Self>, CommandError> {
        let opener = opener.with_database(within.path.clone());
        let shown = named.to_owned();
        if let Some((file, remarks)) = opener.database(named)? {
            remarks.iter().for_each(|finding| context.reporter.finding(finding));
            return Ok(Some(Self { file, shown, image: Some(opener) }));
        }
        if within.path.is_some() {
            let message = format!("`--path` names a file in an image, and `{}` is not an image", named.display());
            return Err(CommandError::usage(message));
        }
        let is_image = source::local_path(named).is_none_or(|path| path != named);
        let is_other = is_image || named.is_dir();
        Ok((!is_other).then(|| Self { file: shown.clone(), shown, image: None }))
    }

    /// Finds the file of a legacy catalog. `instead` is what to do with a catalog that is not a legacy one.
    pub(crate) fn find(
        context: &Context,
        named: &Path,
        within: &PathInImage,
        instead: &str,
    ) -> Result<Self, CommandError> {
        let found = Self::look(context, named, within, context.opener.preferring_databases())?;
        let found = found.ok_or_else(|| {
            let message = format!("`{}` is not a legacy SQLite catalog", named.display());
            CommandError::new(Exit::Input, message).help(instead)
        })?;
        if source::is_index(&found.file) {
            return Err(is_an_index(named));
        }
        Ok(found)
    }

    /// Whether it is in an image, where nothing can be changed.
    pub(crate) fn is_in_image(&self) -> bool {
        self.image.is_some()
    }

    /// An error about the file, with the name that the user knows.
    pub(crate) fn called(&self, error: impl Into<CommandError>) -> CommandError {
        let error = error.into();
        match &self.image {
            Some(_) => error.renamed(&self.file.to_string_lossy(), &self.shown.to_string_lossy()),
            None => error,
        }
    }
}

/// How a file below schema 9 is read.
pub(crate) fn fidelity(compat: Option<Compat>) -> Fidelity {
    if compat.is_some() { Fidelity::Opm } else { Fidelity::Kept }
}

/// Whether a source is a legacy catalog.
pub(crate) fn is_legacy(path: &Path) -> bool {
    path.is_file() && legacy::is_legacy(path)
}

/// An index has tables of the same names, so SQLite's message about it would mislead.
fn is_an_index(path: &Path) -> CommandError {
    let shown = path.display();
    let message = format!("`{shown}` is an olmdex index, not a legacy catalog");
    let help = format!("convert it to a legacy catalog first: `olmdex export {shown} --to legacy -O legacy.db`");
    CommandError::new(Exit::Input, message).help(help)
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
            let more = counted((n - SHOWN) as u64, "more finding");
            context.reporter.warning(&format!("{more} of {rule}; `--verbose` shows all"));
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
