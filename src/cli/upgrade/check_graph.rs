//! `olmdex check-graph`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::no_package;
use crate::check;
use crate::cli::args::choice::{ChoiceOptions, Whole, report, report_unchecked, select_help};
use crate::cli::args::name::whole_package;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::findings::{FindingFormat, print_chosen, unopened};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::{Finding, Rule, Severity};
use crate::index::Index;
use crate::index::query::Filter;
use crate::upgrade::{check_packages, rules};

/// Check that every version can be upgraded, and that upgrade graphs make sense
///
/// With `--old`, only what is new against an older catalog: versions that could be upgraded there and cannot be any more, channels that are
/// gone, and other findings that the older catalog does not have. What makes a catalog invalid for `validate` is a finding here too. Exits
/// with 1 if there are findings, warnings included, and if a package could not be checked because it is invalid, even if its errors are
/// hidden.
/// `olmdex explain W0802` explains a rule.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex check-graph keda
  olmdex check-graph -i my-catalog/ -o sarif > findings.sarif
  olmdex check-graph -i my-catalog/ --old old-catalog/
  olmdex check-graph -i my-catalog/ --ignore W0805 --all")]
pub(crate) struct CheckGraphArgs {
    /// The package; without one, all of them
    #[arg(value_name = "PKG")]
    package: Option<String>,
    /// The catalog as it was: show only what is new against it
    #[arg(long, value_name = "SOURCE")]
    old: Option<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
    /// Format of the findings
    #[arg(short, long, value_enum, default_value_t = FindingFormat::Text)]
    output: FindingFormat,
    #[command(flatten)]
    choice: ChoiceOptions,
}

pub(crate) fn run(context: &Context, args: &CheckGraphArgs) -> CommandResult {
    if args.output == FindingFormat::Yaml {
        return Err(CommandError::usage("`check-graph` prints text, JSON, SARIF or workflow commands"));
    }
    args.ask.refuse_paths(&args.package)?;
    let sources: Vec<PathBuf> = args.ask.sources()?.into_iter().map(|it| it.path).collect();
    let choice = args.choice.open(context, &sources, Whole::Catalogs)?;
    let failed = |source: &Path, error| unopened(args.output, rules::ALL, &[], source, error);
    let first = sources.first().cloned().unwrap_or_default();
    let judged = |ask: &AskOptions| ask.look(context).and_then(|it| it.import_judged(context));
    let (index, mut findings) = judged(&args.ask).map_err(|error| failed(&first, error))?;
    let old = match &args.old {
        None => None,
        Some(path) => {
            let old = judged(&AskOptions::of_sources(std::slice::from_ref(path)));
            let (old, errors) = old.map_err(|error| failed(path, error))?;
            if old.catalog_names()?.len() > 1 {
                let error = CommandError::usage(format!("`{}` has several catalogs", path.display()));
                return Err(error.help("give a source with one catalog"));
            }
            Some((old, errors))
        }
    };
    let (old, old_errors) = old.map_or((None, Vec::new()), |(old, errors)| (Some(old), errors));
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let mut packages = match &args.package {
        Some(package) => vec![whole_package(context, &index, package)?],
        None => index.package_names()?,
    };
    if let (Some(old), None) = (&old, &args.package) {
        packages.extend(old.package_names()?);
        packages.sort();
        packages.dedup();
    }
    let is_blank = packages.is_empty() && findings.is_empty() && !has_documents(&index, &filter)?;
    // What belongs to no package may belong to this one.
    let is_asked = |it: &Finding| args.package.is_none() || it.package.is_none() || it.package == args.package;
    findings.retain(is_asked);
    // What was wrong before is not new, but what depends on it cannot be told all the same.
    let is_old = |it: &Finding| {
        let is_same =
            |old: &&Finding| (old.rule.id, &old.package, &old.message) == (it.rule.id, &it.package, &it.message);
        old_errors.iter().any(|it| is_same(&it))
    };
    let mut unchecked: Vec<Finding> = findings.extract_if(.., |it| is_old(it)).collect();
    // A channel of the older catalog that is merely invalid had no upgrades to lose.
    unchecked.extend(old_errors.iter().filter(|it| is_asked(it) && check::is_unread(it.rule)).cloned());
    for (package, found) in packages.iter().zip(check_packages(&index, &filter, old.as_ref(), &packages)?) {
        match found {
            Some(mut found) => findings.append(&mut found),
            None if args.package.is_some() && findings.is_empty() => return Err(no_package(&index, package)?.into()),
            // It may be what cannot be read, or in a catalog that is not asked.
            None => {}
        }
    }
    let errors = check::all_rules().into_iter().filter(|it| it.severity == Severity::Error);
    let applied: Vec<&Rule> = rules::ALL.iter().copied().chain(errors).collect();
    let is_whole = args.ask.catalog.is_empty();
    let scope = Scope { rules: &applied, package: args.package.as_deref(), is_whole };
    let chosen = choice.apply(findings, &scope)?;
    let printed = print_chosen(context, args.output, &applied, &chosen, args.choice.all, FindingsMetadata::default());
    unless_reader_left(printed)?;
    report(context, &choice, &chosen);
    if is_blank {
        // A pipeline that checks nothing must not pass.
        let error = CommandError::new(Exit::No, "nothing to check: the catalog holds no documents");
        return Err(error.help("name the directory or the file of the catalog with `-i`"));
    }
    let is_blocking = |it: &Finding| it.rule.severity == Severity::Error || it.rule.id == rules::NO_ORDER.id;
    let is_shown = |of: &Finding| chosen.findings.iter().any(|it| is_blocking(it) && it.package == of.package);
    let blocks = |it: &&Finding| is_blocking(it) && !is_shown(it);
    let is_hidden = report_unchecked(context, chosen.unselected.iter().filter(blocks), select_help);
    let in_old = |_: &str| "the older catalog has the same errors: `olmdex validate` shows them".to_owned();
    let is_unchecked = report_unchecked(context, unchecked.iter(), in_old) || is_hidden;
    Ok(if chosen.findings.is_empty() && !is_unchecked { Exit::Yes } else { Exit::No })
}

/// Whether a catalog holds anything; asked where it holds no packages.
fn has_documents(index: &Index, filter: &Filter) -> Result<bool, CommandError> {
    let mut found = false;
    index.documents(filter, |_, _| {
        found = true;
        Ok::<(), CommandError>(())
    })?;
    Ok(found)
}
