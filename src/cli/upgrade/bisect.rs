//! `olmdex bisect`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{
    AskError, Bisection, PackageName, UpgradeQuestion, bisect, findings_of_rules, no_package, rules_named,
};
use crate::cli::args::moment::must_have_states;
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
    #[arg(value_name = "PKG[@VERSION]")]
    name: String,
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
    let mut index = args.ask.open_about(context, [&args.name])?;
    must_have_states(&index)?;
    let name = PackageName::parse(&args.name);
    let is_of_version = name.installed.is_some();
    if !is_of_version && (args.installed.is_some() || !args.channel.is_empty()) {
        let message = "`--installed` and `--channel` need the version that OLM should take";
        return Err(CommandError::usage(message).help("name it as PKG@VERSION"));
    }
    if is_of_version && !args.rule.is_empty() {
        return Err(CommandError::usage("`--rule` applies to a whole package").help("leave the version out"));
    }
    let rules = rules(&args.rule)?;
    let mut rows = Vec::new();
    for catalog in index.catalog_names()? {
        if !args.ask.catalog.is_empty() && !args.ask.catalog.contains(&catalog) {
            continue;
        }
        let mut is_bad = |index: &Index| match is_of_version {
            true => not_taken(args, index, &catalog),
            false => findings(index, &catalog, &name.package, &rules),
        };
        rows.extend(bisect(&mut index, &catalog, &name.package, &mut is_bad)?);
    }
    if rows.is_empty() {
        return Err(no_package(&index, &name.package)?.into());
    }
    let is_good = rows.iter().all(|it| it.is_good);
    table::print(rows, &args.rows)?;
    Ok(if is_good { Exit::Yes } else { Exit::No })
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

fn findings(index: &Index, catalog: &str, package: &str, rules: &[&Rule]) -> Result<Vec<String>, AskError> {
    let found = findings_of_rules(index, catalog, package, rules)?;
    Ok(found.into_iter().map(|it| format!("{}: {}", it.rule.id, it.message)).collect())
}

/// Why OLM does not take the version; nothing, if it does.
fn not_taken(args: &BisectArgs, index: &Index, catalog: &str) -> Result<Vec<String>, AskError> {
    let question = UpgradeQuestion {
        names_target: true,
        name: Some(args.name.clone()),
        installed: args.installed.clone(),
        channels: args.channel.clone(),
        catalogs: vec![catalog.to_owned()],
        ..UpgradeQuestion::default()
    };
    match question.why_not(index, &mut |_| {}) {
        Ok(answers) if answers.is_negative => Ok(Vec::new()),
        Ok(answers) => {
            let conditions = answers.answers.iter().flat_map(|it| &it.conditions).filter(|it| !it.is_met);
            let mut reasons: Vec<String> = conditions.map(|it| it.fact.clone()).collect();
            reasons.dedup();
            if reasons.is_empty() {
                reasons.push("OLM does not take it".to_owned());
            }
            Ok(reasons)
        }
        Err(AskError::Index(error)) => Err(AskError::Index(error)),
        // It is not there, or not in that channel.
        Err(error) => Ok(vec![error.to_string()]),
    }
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
