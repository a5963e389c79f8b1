//! `olmdex why-not`

use clap::Args;

use crate::ask::WhyNotQuestion;
use crate::cli::args::upgrade::{AskedOptions, bundle_words, installed_words, manager_headers};
use crate::cli::print::diagnosis::add_obstacle;
use crate::cli::print::headline::Sign;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::cli::terminal::screen::screen;
use crate::diag::{counted, grouped};
use crate::namespace::Effect;
use crate::upgrade::{Condition, Olm, WhyNot};

/// Explain why OLM does not take a version, and what would make OLM take it
///
/// Exits with 0 if the answer has a reason, and with 1 if OLM takes the version. With `-o csv` and `-o markdown`: all
/// conditions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex why-not keda@2.10.1 --installed 2.8.1
  olmdex why-not keda.v2.10.1 --installed keda.v2.8.1 --channel stable --olm classic
  olmdex why-not keda@2.10.1 -o json
  olmdex why-not keda@2.10.1 --cluster must-gather/

Exit codes:
  0  OLM does not take it, and the answer says why
  1  every generation of OLM that was asked takes it, or OLM v1 resolves to it and then refuses it
  2 to 5  as in every command: usage, input, a name that does not exist, a limit")]
pub(crate) struct WhyNotArgs {
    #[command(flatten)]
    question: WhyNotQuestion,
    #[command(flatten)]
    asked: AskedOptions,
}

pub(crate) fn run(context: &Context, args: &WhyNotArgs) -> CommandResult {
    let questions = args.asked.questions(&args.question, |question, name| question.name = name);
    args.asked.ask(context, &questions, &args.question.options.catalog, sheet)
}

fn sheet(answer: &WhyNot) -> Sheet {
    laid_out(answer, false, None)
}

/// The answer below that about the upgrades to the version. A terminal shows its conditions only if details are wanted.
pub(super) fn below_the_way(answer: &WhyNot, catalog: Option<&str>) -> Sheet {
    laid_out(answer, screen().width.is_some() && !screen().wants_places, catalog)
}

fn laid_out(answer: &WhyNot, is_brief: bool, of: Option<&str>) -> Sheet {
    let mut sheet = Sheet::default();
    if !is_brief {
        sheet.line("OLM", answer.olm.as_str());
        sheet.line("package", &answer.package);
    }
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    if !is_brief {
        sheet.line("bundle", &bundle_words(&answer.bundle, &answer.version));
        sheet.line("installed", &answer.installed.as_ref().map(installed_words).unwrap_or_default());
    }
    let now = match (&answer.instead, answer.is_taken) {
        (_, true) => "OLM takes it".to_owned(),
        _ if answer.obstacle.as_ref().is_some_and(|it| it.effect == Effect::Stops) => {
            "OLM takes nothing: the namespace keeps it from any upgrade".to_owned()
        }
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
    let sign = if answer.is_taken { Sign::Good } else { Sign::Bad };
    let verb = if answer.is_taken { "takes" } else { "does not take" };
    sheet.headline(
        sign,
        format!(
            "{} {verb} {}{}",
            if answer.olm == Olm::V1 { "OLM v1" } else { "OLM Classic" },
            answer.bundle,
            of.map(|it| format!(" of {it}")).unwrap_or_default()
        ),
    );
    sheet.line("now", &now);
    add_obstacle(&mut sheet, answer.obstacle.as_ref());
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
    let rows = conditions(answer);
    match rows.first().filter(|row| is_brief && row[1] == "no") {
        Some(unmet) => {
            sheet.line("because", &unmet[3]);
            sheet.line("more", &format!("`-v` shows all {}", counted(answer.conditions.len() as u64, "condition")));
        }
        None => sheet.table("Conditions", &["CONDITION", "MET", "BUNDLES LEFT", "REASON"], rows),
    }
    sheet
}

/// The highest number of unmet conditions, and of met ones, that are shown to a reader in a hurry.
const SHOWN: usize = 6;

/// The rows of the conditions: unmet ones first, beginning with the channel in which the most other conditions are met.
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
