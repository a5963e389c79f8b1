//! `olmdex why-not`

use std::collections::BTreeSet;

use clap::Args;

use crate::cli::args::bundle::Target;
use crate::cli::args::name::NameArgument;
use crate::cli::args::questions::{Channels, Given, Questions};
use crate::cli::args::upgrade::{UpgradeOptions, bundle_words, installed_words, manager_headers};
use crate::cli::print::sheet::Sheet;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandResult, Exit};
use crate::diag::grouped;
use crate::index::query::Reach;
use crate::upgrade::{Condition, WhyNot, classic_why_not, v1_why_not};

/// Explain why OLM does not take a version, and what would make it
///
/// With `-o csv` and `-o markdown`: all conditions. Exits with 1 if every generation of OLM that was asked takes it, or if
/// OLM v1 resolves to it and then refuses it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex why-not keda@2.10.1 --installed 2.8.1
  olmdex why-not keda.v2.10.1 --installed keda.v2.8.1 --channel stable --olm classic
  olmdex why-not keda@2.10.1 -o json
  olmdex why-not keda@2.10.1 --cluster must-gather/")]
pub(crate) struct WhyNotArgs {
    /// The version that is wanted: PKG@VERSION, the name of a bundle, PKG/CHANNEL (its head) or PKG (the head of its default
    /// channel)
    #[arg(value_name = "PKG@VERSION")]
    name: String,
    /// What is installed: a version, a bundle's name, or NAME@VERSION for what no catalog holds. Default: nothing
    #[arg(long, value_name = "BUNDLE")]
    installed: Option<String>,
    /// The version range of a ClusterExtension (OLM v1)
    #[arg(long, value_name = "RANGE")]
    version: Option<String>,
    #[command(flatten)]
    options: UpgradeOptions,
}

pub(crate) fn run(context: &Context, args: &WhyNotArgs) -> CommandResult {
    let given = Given {
        name: Some(&args.name),
        installed: args.installed.as_deref(),
        version: args.version.as_ref(),
        channels: Channels::One,
        names_target: true,
    };
    let all = args.options.questions(context, &given)?;
    let Questions { index, questions, has_left_out } = &all;
    let wanted = match NameArgument::parse(&args.name) {
        NameArgument::Version(_, version) => version,
        _ => Target::find(index, &args.options.ask.catalog, &args.name)?.bundle,
    };
    let mut answers = Vec::new();
    for question in questions {
        let (view, asked) = (&question.view, &question.asked);
        let target = all.bundle(question, &wanted)?;
        if let Some(graph) = view.graphs.first().filter(|_| question.classic()) {
            answers.push(classic_why_not(view, graph, asked, &target).look_up(index)?);
        }
        if question.v1() {
            // The ways that work may be in other channels.
            let catalogs = &args.options.ask.catalog;
            let to = BTreeSet::from([target.0.clone()]);
            let within = match &asked.installed {
                Some(installed) => view.names_between(index, (catalogs, &[]), installed, &to, 1)?,
                None => Reach::Unknown,
            };
            answers.push(v1_why_not(view, asked, &target, &within));
        }
    }
    let is_taken = answers.iter().all(|it| it.is_taken) || answers.iter().any(|it| it.refusal.is_some());
    args.options.print("WhyNot", answers, sheet)?;
    Ok(if is_taken || *has_left_out { Exit::No } else { Exit::Yes })
}

fn sheet(answer: &WhyNot) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    sheet.line("bundle", &bundle_words(&answer.bundle, &answer.version));
    sheet.line("installed", &answer.installed.as_ref().map(installed_words).unwrap_or_default());
    let now = match (&answer.instead, answer.is_taken) {
        (_, true) => "OLM takes it".to_owned(),
        (None, false) if answer.refusal.is_some() => {
            let refusal = answer.refusal.as_deref().unwrap_or_default();
            format!("OLM v1 resolves to it and refuses it: {refusal}")
        }
        (Some(instead), false) if answer.installed.as_ref().is_some_and(|it| it.name == *instead) => {
            format!("OLM keeps {instead}")
        }
        (Some(instead), false) => format!("OLM takes {instead} instead"),
        (None, false) => "OLM takes nothing".to_owned(),
    };
    sheet.line("now", &now);
    let is_installed = answer.installed.as_ref().is_some_and(|it| it.name == answer.bundle);
    if !answer.is_taken && !is_installed && answer.ways.is_empty() {
        sheet.line("fix", "none: no channel, version range or policy makes OLM take it");
    }
    sheet.table("Fixes", &["FIX"], answer.ways.iter().map(|it| vec![it.clone()]).collect());
    let row = |it: &Condition| {
        let left = it.left.map(|it| it.to_string()).unwrap_or_default();
        let is_met = if it.is_met { "yes" } else { "no" }.to_owned();
        let (olm, bundle) = (answer.olm.as_str().to_owned(), answer.bundle.clone());
        let rest = [bundle, it.condition.clone(), is_met, left, it.fact.clone()];
        [olm, answer.package.clone()].into_iter().chain(answer.managed_by.clone()).chain(rest).collect()
    };
    let headers =
        [manager_headers(answer.managed_by.as_ref()), vec!["BUNDLE", "CONDITION", "MET", "BUNDLES LEFT", "REASON"]]
            .concat();
    sheet.main(&headers, answer.conditions.iter().map(row).collect());
    sheet.table("Conditions", &["CONDITION", "MET", "BUNDLES LEFT", "REASON"], conditions(answer));
    sheet
}

/// How many conditions that are not met, and how many that are, somebody in a hurry reads.
const SHOWN: usize = 6;

/// The rows of the conditions: what is not met first, of several channels that of the one where most else is met.
fn conditions(answer: &WhyNot) -> Vec<Vec<String>> {
    let mut n_met = 0;
    let mut unmet: Vec<(usize, &Condition)> = Vec::new();
    for it in &answer.conditions {
        if it.is_met {
            n_met += 1;
        } else {
            unmet.push((n_met, it));
            // The next channel begins from nothing.
            n_met = 0;
        }
    }
    unmet.sort_by_key(|it| std::cmp::Reverse(it.0));
    let unmet: Vec<&Condition> = unmet.into_iter().map(|it| it.1).collect();
    let met: Vec<&Condition> = answer.conditions.iter().filter(|it| it.is_met).collect();
    let mut rows = Vec::new();
    for (conditions, is_met) in [(unmet, "no"), (met, "yes")] {
        for it in conditions.iter().take(SHOWN) {
            let left = it.left.map(|it| it.to_string()).unwrap_or_default();
            rows.push(vec![it.condition.clone(), is_met.to_owned(), left, it.fact.clone()]);
        }
        if let Some(n_more @ 1..) = conditions.len().checked_sub(SHOWN) {
            let more = format!("{} more; `-o json` has all", grouped(n_more as u64));
            rows.push(vec![more, is_met.to_owned(), String::new(), String::new()]);
        }
    }
    rows
}
