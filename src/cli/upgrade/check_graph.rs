//! `olmdex check-graph`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::args::name::unknown_package;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::findings::{FindingFormat, print_findings, unopened};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::index::query::Filter;
use crate::upgrade::{check_packages, rules};

/// Check that every version can be upgraded: the rules of a good upgrade graph
///
/// With `--old`, every version of an older catalog must be upgradable in this one. Exits with 1 if there are findings,
/// or if a package breaks a rule of `validate`.
/// `olmdex validate --explain W0802` explains a rule.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex check-graph keda
  olmdex check-graph -i my-catalog/ -o sarif > findings.sarif
  olmdex check-graph -i new-catalog/ --old old-catalog/")]
pub(crate) struct CheckGraphArgs {
    /// The package; without one, all of them
    #[arg(value_name = "PKG")]
    package: Option<String>,
    /// The catalog as it was: what is installed from it must be upgradable
    #[arg(long, value_name = "SOURCE")]
    old: Option<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
    /// Format of the findings
    #[arg(short, long, value_enum, default_value_t = FindingFormat::Text)]
    output: FindingFormat,
}

pub(crate) fn run(context: &Context, args: &CheckGraphArgs) -> CommandResult {
    if args.output == FindingFormat::Yaml {
        return Err(CommandError::usage("`check-graph` prints text, JSON, SARIF or workflow commands"));
    }
    let failed = |source: &Path, error| unopened(args.output, rules::ALL, &[], source, error);
    let first = || args.ask.sources().ok().and_then(|it| it.into_iter().next()).map(|it| it.path);
    let index = args.ask.open(context).map_err(|error| failed(&first().unwrap_or_default(), error))?;
    let old = match &args.old {
        None => None,
        Some(path) => {
            let old = AskOptions::of_sources(std::slice::from_ref(path)).open(context);
            let old = old.map_err(|error| failed(path, error))?;
            if old.catalog_names()?.len() > 1 {
                let error = CommandError::usage(format!("`{}` holds several catalogs", path.display()));
                return Err(error.help("give one that holds one"));
            }
            Some(old)
        }
    };
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let mut packages = match &args.package {
        Some(package) => vec![package.clone()],
        None => index.package_names()?,
    };
    if let (Some(old), None) = (&old, &args.package) {
        packages.extend(old.package_names()?);
        packages.sort();
        packages.dedup();
    }
    let broken = index.broken_packages(&filter)?;
    let mut findings = Vec::new();
    for (package, found) in packages.iter().zip(check_packages(&index, &filter, old.as_ref(), &packages)?) {
        match found {
            Some(mut found) => findings.append(&mut found),
            None => return Err(unknown_package(&index, package)?),
        }
    }
    print_findings(context, args.output, rules::ALL, &findings)?;
    // What breaks a rule of `validate` may lack what this looks at.
    let is_broken = packages.iter().any(|it| broken.contains(it));
    Ok(if findings.is_empty() && !is_broken { Exit::Yes } else { Exit::No })
}
