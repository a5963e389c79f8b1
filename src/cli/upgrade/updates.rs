//! `olmdex updates`

use clap::Args;

use super::path::add_headline;
use crate::ask::{OlmSet, PathQuestion, Question as _, State, UpdatesQuestion, UpgradeOptions};
use crate::cli::args::upgrade::{AskedOptions, TARGET_HEADERS, installed_words, manager_headers, target_row};
use crate::cli::print::diagnosis::add_obstacle;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult};
use crate::cli::terminal::screen::screen;
use crate::upgrade::{Olm, Target, Updates, Verdict};

/// Show what OLM would install or upgrade to next, and the alternatives
///
/// With `-o name`, `-o csv` and `-o markdown`: the bundle that OLM takes, then the others that the catalog permits.
/// Exits with 1 if every chosen generation of OLM is stuck; being at the head is fine.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex updates keda@2.10.1
  olmdex updates keda/stable --installed keda.v2.10.1 --olm classic
  olmdex updates keda --installed keda.v1.0.9@1.0.9 --version '<3' --olm v1 -o json
  olmdex updates keda --installed 2.10.1 --as-documented --catalog community -i index.db
  olmdex updates --cluster must-gather/")]
pub(crate) struct UpdatesArgs {
    #[command(flatten)]
    question: UpdatesQuestion,
    #[command(flatten)]
    asked: AskedOptions,
}

pub(crate) fn run(context: &Context, args: &UpdatesArgs) -> CommandResult {
    let questions = args.asked.questions(&args.question, |question, name| question.name = Some(name));
    args.asked.ask_and(context, &questions, &args.question.options.catalog, sheet, |state, answers| {
        Ok([outlooks(state, answers, &args.question.options.catalog)?, Vec::new()])
    })
}

/// Where the installed bundles can go in the end, for people who asked about few.
fn outlooks(state: &State<'_>, answers: &[Updates], named: &[String]) -> Result<Vec<Sheet>, CommandError> {
    let mut sheets = Vec::new();
    let of_classic = || answers.iter().filter(|answer| answer.olm == Olm::Classic && answer.managed_by.is_none());
    for answer in of_classic().filter(|_| screen().width.is_some() && answers.len() <= FEW) {
        let Some(installed) = &answer.installed else { continue };
        let options = UpgradeOptions {
            catalog: answer.catalog.as_ref().map_or_else(|| named.to_vec(), |name| vec![name.clone()]),
            channel: answer.channels.clone(),
            olm: OlmSet::from(Olm::Classic),
            ..UpgradeOptions::default()
        };
        let (name, installed) = (Some(answer.package.clone()), Some(installed.name.clone()));
        let question = PathQuestion { name, installed, options, ..PathQuestion::default() };
        for path in &question.ask(state)?.items {
            let mut sheet = Sheet::default();
            add_headline(&mut sheet, path, answer.catalog.as_deref());
            sheets.push(sheet);
        }
    }
    Ok(sheets)
}

/// So many answers have their outlooks before them.
const FEW: usize = 8;

/// More rows of alternatives are folded on a terminal.
const SHOWN: usize = 6;

/// The first rows, and how many follow up to which.
fn folded(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let (first, others) = rows.split_at(rows.len().min(SHOWN));
    let mut few = first.to_vec();
    if let Some(last) = others.last() {
        let version = last.get(1).cloned().unwrap_or_default();
        few.push(vec![format!("⋯ {} more, to {version}; `-o wide` has all", others.len())]);
    }
    few.iter_mut().for_each(|row| row.resize(TARGET_HEADERS.len(), String::new()));
    few
}

fn sheet(answer: &Updates) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("version", &answer.version_range);
    sheet.line("installed", &answer.installed.as_ref().map(installed_words).unwrap_or_default());
    let bundle = answer.target.as_ref().map_or("", |it| it.bundle.as_str());
    let now = match answer.verdict {
        Verdict::Install => format!("installs {bundle}"),
        Verdict::Update => format!("upgrades to {bundle}"),
        Verdict::Current => "stays: up to date".to_owned(),
        Verdict::Stuck => "stays: no upgrade available".to_owned(),
        Verdict::Error => "fails".to_owned(),
        Verdict::Held => "stays: the namespace keeps OLM from the upgrade".to_owned(),
        Verdict::Refused => "installs nothing: OLM v1 refuses the resolved version".to_owned(),
    };
    sheet.line("now", &now);
    sheet.line("reason", &answer.reason);
    add_obstacle(&mut sheet, answer.obstacle.as_ref());
    let is_taken = matches!(answer.verdict, Verdict::Install | Verdict::Update);
    let unknown = answer.target.as_ref().filter(|_| is_taken && answer.olm == Olm::V1).and_then(|it| it.unknown);
    sheet.line("unknown", unknown.unwrap_or_default());
    // The absence of a deprecation needs no words.
    for condition in answer.conditions.iter().filter(|it| it.status == "True" && it.kind != "Deprecated") {
        sheet.line(&condition.kind, &condition.message);
    }
    let taken = answer.target.iter().filter(|_| matches!(answer.verdict, Verdict::Install | Verdict::Update));
    let all: Vec<(&str, &Target)> =
        taken.map(|it| ("yes", it)).chain(answer.others.iter().map(|it| ("no", it))).collect();
    sheet.list_names(all.iter().map(|it| it.1.bundle.clone()));
    let headers: Vec<&str> =
        [manager_headers(answer.managed_by.as_ref()), vec!["TAKEN"], TARGET_HEADERS.to_vec()].concat();
    let row = |(is_taken, target): &(&str, &Target)| {
        let first = [answer.olm.as_str().to_owned(), answer.package.clone()];
        let rest = [(*is_taken).to_owned()].into_iter().chain(target_row(target));
        first.into_iter().chain(answer.managed_by.clone()).chain(rest).collect()
    };
    sheet.main(&headers, all.iter().map(row).collect());
    let others: Vec<Vec<String>> = answer.others.iter().map(target_row).collect();
    let few = folded(&others);
    sheet.table("Also permitted", &TARGET_HEADERS, others);
    if !few.is_empty() {
        sheet.for_people("Also permitted", &TARGET_HEADERS, few);
    }
    sheet
}
