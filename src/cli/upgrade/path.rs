//! `olmdex path`

use clap::Args;

use crate::ask::{Channels, FewestWish, PathWish, Paths, UpgradeQuestion};
use crate::cli::args::upgrade::{
    TARGET_HEADERS, UpgradeOptions, installed_words, manager_headers, parse_minor, target_row,
};
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::constraint::openshift::Minor;
use crate::upgrade::{Field, PathStep, UpgradePath};

/// Show the upgrades that OLM makes from a version, one after another
///
/// OLM v1 takes the highest permitted version at each step. `--shortest` shows the fewest steps instead, over all
/// channels, with the field to set before each: the channel of the Subscription, or the version of the
/// ClusterExtension. With `-o name`, `-o csv` and `-o markdown`: the steps, path after path. Exits with 1 if the path
/// does not lead to the wanted version.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex path keda@2.8.1
  olmdex path keda/stable --installed keda.v2.8.1 --to 2.10.1 --olm classic
  olmdex path keda@2.8.1 --to 2.10.1 --shortest --alternatives 3 --avoid-deprecated -o json
  olmdex path keda --cluster must-gather/")]
pub(crate) struct PathArgs {
    /// The package; a version or bundle is the installed one, a channel is the Subscription's. Default: every operator
    /// of `--cluster`
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present = "cluster")]
    name: Option<String>,
    /// Installed bundle at which the path begins: a version, a bundle's name, or NAME@VERSION for a bundle that no
    /// catalog holds
    #[arg(long, value_name = "BUNDLE", alias = "from")]
    installed: Option<String>,
    /// End of the path: a version or a bundle's name. Default: as far as possible
    #[arg(long, value_name = "BUNDLE")]
    to: Option<String>,
    /// Show the fewest steps. `--channel`, which may be repeated then, names the usable channels, the Subscription's
    /// own first
    #[arg(long)]
    shortest: bool,
    /// With --shortest: up to this many paths, the shortest first
    #[arg(long, value_name = "K", requires = "shortest", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    alternatives: u16,
    /// With --shortest: avoid deprecated bundles
    #[arg(long, requires = "shortest")]
    avoid_deprecated: bool,
    /// With --shortest: avoid bundles that state that they do not support this version of OpenShift
    #[arg(long, value_name = "VERSION", requires = "shortest", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// With --alternatives: highest number of steps to examine
    #[arg(long, value_name = "N", requires = "alternatives", default_value_t = 5_000_000)]
    max_work: u64,
    #[command(flatten)]
    options: UpgradeOptions,
}

pub(crate) fn run(context: &Context, args: &PathArgs) -> CommandResult {
    if args.shortest && args.to.is_none() {
        let error = CommandError::usage("`--shortest` needs a target: the fewest steps to which version?");
        return Err(error.help("add `--to VERSION`; without `--shortest`, the path goes as far as OLM upgrades"));
    }
    let (question, index) = args.options.question(context, args.name.as_ref())?;
    let may_name = if args.shortest { Channels::Several } else { Channels::One };
    let question = UpgradeQuestion { installed: args.installed.clone(), may_name, ..question };
    let fewest = FewestWish {
        at_most: args.alternatives,
        avoids_deprecated: args.avoid_deprecated,
        openshift: args.openshift,
        max_work: args.max_work,
    };
    let wish = PathWish { to: args.to.clone(), fewest: args.shortest.then_some(fewest) };
    let warn = &mut |text: &str| context.reporter.warning(text);
    let Paths { answers, has_left_out, gave_up } = question.paths(&index, &wish, warn)?;
    let is_reached = answers.iter().any(|it| it.is_reached);
    args.options.print("UpgradePath", answers, sheet)?;
    if gave_up {
        let error = CommandError::new(Exit::Limit, "the search reached its limit before it found all alternatives");
        return Err(error.help("raise the limit with `--max-work`"));
    }
    Ok(if is_reached && !has_left_out { Exit::Yes } else { Exit::No })
}

fn sheet(answer: &UpgradePath) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("from", &installed_words(&answer.from));
    sheet.line("to", answer.to.as_deref().unwrap_or_default());
    sheet.line("end", &answer.reason);
    let headers: Vec<&str> = TARGET_HEADERS.into_iter().chain(["SET FIRST"]).collect();
    let rows: Vec<Vec<String>> = answer.steps.iter().map(step_row).collect();
    sheet.list_names(answer.steps.iter().map(|it| it.target.bundle.clone()));
    let of_answer = |(number, row): (usize, &Vec<String>)| {
        let first = [answer.olm.as_str().to_owned(), answer.package.clone()];
        let rest = [(number + 1).to_string()].into_iter().chain(row.iter().cloned());
        first.into_iter().chain(answer.managed_by.clone()).chain(rest).collect()
    };
    let all_headers = [manager_headers(answer.managed_by.as_ref()), vec!["STEP"], headers.clone()].concat();
    sheet.main(&all_headers, rows.iter().enumerate().map(of_answer).collect());
    let few = folded(answer, &rows);
    if answer.steps.is_empty() {
        return sheet;
    }
    sheet.table_with_few("Steps", &headers, rows, few);
    sheet
}

/// The highest number of plain steps in a row that a terminal shows in full; of a longer run it shows the first and the
/// last.
const TOLD: usize = 4;

/// The rows of steps, with runs of plain steps folded: each of these replaces the one before, and needs no setting and
/// no warning.
fn folded(answer: &UpgradePath, rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let is_plain = |it: &PathStep| {
        let target = &it.target;
        let is_calm = !target.is_deprecated && target.refusal.is_none() && target.refused_for.is_none();
        is_calm && it.set.is_empty() && target.permits.iter().all(|it| it.field == Field::Replaces)
    };
    let both: Vec<(&PathStep, &Vec<String>)> = answer.steps.iter().zip(rows).collect();
    let mut few = Vec::new();
    for run in both.chunk_by(|a, b| is_plain(a.0) && is_plain(b.0) && a.0.target.catalog == b.0.target.catalog) {
        match run {
            [first, between @ .., last] if run.len() > TOLD => {
                let span = |it: &[(&PathStep, &Vec<String>)]| match (it.first(), it.last()) {
                    (Some(low), Some(high)) => format!("{} … {}", low.0.target.version, high.0.target.version),
                    _ => String::new(),
                };
                few.push(first.1.clone());
                // Keep the cells that are the same in all rows of the run.
                let mut row: Vec<String> =
                    first.1.iter().zip(last.1).map(|(a, b)| if a == b { a.clone() } else { String::new() }).collect();
                for (cell, text) in row.iter_mut().zip([format!("⋯ {} more upgrades", between.len()), span(between)])
                {
                    *cell = text;
                }
                few.push(row);
                few.push(last.1.clone());
            }
            all => few.extend(all.iter().map(|it| it.1.clone())),
        }
    }
    few
}

/// The row of a step: that of its target, and the field to set before it.
fn step_row(step: &PathStep) -> Vec<String> {
    let set: Vec<String> = step.set.iter().map(|it| format!("{}: {}", it.field, it.value)).collect();
    target_row(&step.target).into_iter().chain([set.join(", ")]).collect()
}
