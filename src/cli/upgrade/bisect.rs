//! `olmdex bisect`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{BisectQuestion, Bisection, PackageName, rules_named};
use crate::cli::args::moment::must_have_states;
use crate::cli::args::name::of_each;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::Rule;
use crate::index::Index;
use olmdex_text::encoding::hex::short;

/// Find the last day on which something was good, and the commit that broke it
///
/// A package is good if it has no findings about its upgrades (`check-graph`), or none of `--rule`, which takes any
/// rule of `check-graph` and `validate`; with a version, if OLM takes that version (`why-not`) from the installed
/// bundle. The index has the past of catalogs (`build --git`). Exits with 1 if a catalog is not good now.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex bisect keda -i past.db
  olmdex bisect keda -i past.db --rule W0801
  olmdex bisect keda -i past.db --rule unknown-field
  olmdex bisect keda@2.10.1 --installed 2.8.1 -i past.db -o json")]
pub(crate) struct BisectArgs {
    /// The package, or the version that OLM should take
    #[arg(value_name = "PKG[@VERSION]", required = true)]
    names: Vec<String>,
    /// Installed bundle: a version, or a bundle's name. Default: none
    #[arg(long, value_name = "BUNDLE")]
    installed: Option<String>,
    /// Channel to follow; may be repeated
    #[arg(long, value_name = "CHANNEL")]
    channel: Vec<String>,
    /// Only findings of this rule, by identifier or name; may be repeated
    #[arg(long, value_name = "RULE", conflicts_with_all = ["installed", "channel"])]
    rule: Vec<String>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &BisectArgs) -> CommandResult {
    args.ask.refuse_day("`bisect` covers all days")?;
    let mut index = args.ask.open_about(context, &args.names)?;
    must_have_states(&index)?;
    let rules = rules(&args.rule)?;
    let (rows, exit) = of_each(context, &args.names, |name| bisected(&mut index, args, &rules, name))?;
    table::print(rows.into_iter().flatten().collect(), &args.rows)?;
    Ok(exit)
}

fn bisected(
    index: &mut Index,
    args: &BisectArgs,
    rules: &[&'static Rule],
    text: &str,
) -> Result<(Vec<Bisection>, Exit), CommandError> {
    let name = PackageName::parse(text);
    let is_of_version = name.installed.is_some();
    if !is_of_version && (args.installed.is_some() || !args.channel.is_empty()) {
        let message = "`--installed` and `--channel` need the version that OLM should take";
        return Err(CommandError::usage(message).help("name it as PKG@VERSION"));
    }
    if is_of_version && !args.rule.is_empty() {
        return Err(CommandError::usage("`--rule` applies to a whole package").help("leave the version out"));
    }
    let question = BisectQuestion {
        package: &name.package,
        target: is_of_version.then_some(text),
        installed: args.installed.as_deref(),
        channels: &args.channel,
        rules,
        catalogs: &args.ask.catalog,
    };
    let rows = question.answer(index)?;
    let is_good = rows.iter().all(|it| it.is_good);
    Ok((rows, if is_good { Exit::Yes } else { Exit::No }))
}

/// The named rules, of those that judge upgrades or documents.
fn rules(names: &[String]) -> Result<Vec<&'static Rule>, CommandError> {
    let judging = [crate::upgrade::rules::ALL, &crate::check::all_rules()].concat();
    let mut all = Vec::new();
    for name in names {
        let mut named = rules_named(name)?;
        named.retain(|it| judging.iter().any(|rule| rule.id == it.id));
        if named.is_empty() {
            let error =
                CommandError::new(Exit::NotFound, format!("`{name}` is not a rule of `check-graph` or `validate`"));
            return Err(error.help("`olmdex explain all` lists the rules"));
        }
        all.extend(named);
    }
    Ok(all)
}

impl Row for Bisection {
    const KIND: &'static str = "BisectList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        wide("PACKAGE", |it| Cow::from(&it.package)),
        column("NOW", |it| if it.is_good { "good" } else { "bad" }.into()),
        column("LAST GOOD", |it| it.last_good.as_ref().map_or("never", |it| &it.day).into()),
        column("FIRST BAD", |it| it.first_bad.as_ref().map_or("", |it| &it.day).into()),
        column("COMMIT", |it| it.first_bad.as_ref().map_or("", |it| short(&it.commit)).into()),
        column("SUBJECT", |it| it.first_bad.as_ref().map_or("", |it| &it.subject).into()),
        column("BECAUSE", |it| it.reasons.first().map_or("", String::as_str).into()),
    ];

    fn name(&self) -> String {
        self.catalog.clone()
    }
}
