//! `olmdex updates`

use std::collections::BTreeSet;

use clap::Args;

use super::path::{add_headline, lacks_catalog};
use super::standings;
use crate::ask::{
    OlmSet, Outlook, PathQuestion, Question as _, StandingsQuestion, State, UpdatesQuestion, UpgradeOptions,
};
use crate::cli::args::upgrade::{AskedOptions, TARGET_HEADERS, few, installed_words, manager_headers, target_row};
use crate::cli::print::diagnosis::add_obstacle;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult};
use crate::cli::terminal::screen::screen;
use crate::upgrade::{Olm, Target, Updates, UpgradePath, Verdict};
use crate::version::version_or_name;

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
    /// Also for files and pipes: where the installed version can go in the end
    #[arg(long, hide = true)]
    outlook: bool,
    #[command(flatten)]
    asked: AskedOptions,
}

pub(crate) fn run(context: &Context, args: &UpdatesArgs) -> CommandResult {
    let questions = args.asked.questions(&args.question, |question, name| question.name = Some(name));
    args.asked.ask_and(context, &questions, &args.question.options.catalog, sheet, |state, answers| {
        if answers.len() > FEW || !(args.outlook || screen().width.is_some()) {
            return Ok(Default::default());
        }
        let mut outlooks = outlooks(state, answers, &args.question.options.catalog)?;
        if args.outlook {
            outlooks.iter_mut().for_each(Sheet::headline_for_all);
        }
        let standings = if screen().width.is_some() {
            standings_of(state, answers, &args.question.options.catalog)?
        } else {
            Vec::new()
        };
        Ok([outlooks, standings])
    })
}

/// Where the installed bundles can go in the end, for people who asked about few. Catalogs in which it is the same
/// share a sentence.
fn outlooks(state: &State<'_>, answers: &[Updates], named: &[String]) -> Result<Vec<Sheet>, CommandError> {
    let mut found: Vec<(UpgradePath, Vec<String>)> = Vec::new();
    for answer in answers.iter().filter(|answer| answer.olm == Olm::Classic && answer.managed_by.is_none()) {
        let Some(installed) = &answer.installed else { continue };
        let options = UpgradeOptions {
            catalog: answer.catalog.as_ref().map_or_else(|| named.to_vec(), |name| vec![name.clone()]),
            channel: answer.channels.clone(),
            olm: OlmSet::from(Olm::Classic),
            ..UpgradeOptions::default()
        };
        let (name, installed) = (Some(answer.package.clone()), Some(installed.name.clone()));
        let question = PathQuestion { name, installed, options, ..PathQuestion::default() };
        for path in question.ask(state)?.items {
            let is_same = |known: &&mut (UpgradePath, Vec<String>)| {
                known.0.package == path.package
                    && known.0.from.name == path.from.name
                    && known.0.outlook.as_ref().map(Outlook::sentence) == path.outlook.as_ref().map(Outlook::sentence)
            };
            match found.iter_mut().find(is_same) {
                Some((_, catalogs)) => catalogs.extend(answer.catalog.clone()),
                None => found.push((path, answer.catalog.iter().cloned().collect())),
            }
        }
    }
    let sheet = |(path, catalogs): &(UpgradePath, Vec<String>)| {
        let mut sheet = Sheet::default();
        add_headline(&mut sheet, path, &catalogs.join(", "));
        sheet
    };
    Ok(found.iter().map(sheet).collect())
}

/// Which versions of the packages can get to the newest, for people who named no installed one.
fn standings_of(state: &State<'_>, answers: &[Updates], named: &[String]) -> Result<Vec<Sheet>, CommandError> {
    let alone = answers.iter().filter(|answer| answer.installed.is_none() && answer.managed_by.is_none());
    let packages: BTreeSet<&String> = alone.map(|answer| &answer.package).collect();
    let mut items = Vec::new();
    for package in packages {
        let question =
            StandingsQuestion { name: package.clone(), catalog: named.to_vec(), ..StandingsQuestion::default() };
        items.extend(question.ask(&State::of(&**state.index))?.items);
    }
    Ok(standings::runs(&items, false))
}

/// So many answers have their outlooks before them.
const FEW: usize = 8;

/// The entry that makes OLM upgrade, without its place; `None` if the target does not say.
fn reason(target: &Target) -> Option<String> {
    let permit = target.permits.first()?;
    Some(format!("`{}: {}` in {}", permit.field.as_str(), permit.value, permit.channel))
}

fn sheet(answer: &Updates) -> Sheet {
    let mut sheet = Sheet::aside(lacks_catalog(&answer.reason));
    sheet.line("OLM", answer.olm.as_str());
    let is_brief = screen().width.is_some() && !screen().wants_places;
    let is_said = is_brief && answer.installed.is_some() && answer.managed_by.is_none();
    sheet.line("package", if is_said { "" } else { &answer.package });
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("version", &answer.version_range);
    sheet.line("installed", &answer.installed.as_ref().map(installed_words).unwrap_or_default());
    let bundle = answer.target.as_ref().map_or("", |it| it.bundle.as_str());
    let now = match answer.verdict {
        Verdict::Install => format!("installs {bundle}"),
        Verdict::Update => format!("upgrades to {bundle}"),
        // The sentence above says whether the channel ends too early.
        Verdict::Current if is_brief => "stays: its channel has nothing higher".to_owned(),
        Verdict::Current => "stays: up to date".to_owned(),
        Verdict::Stuck => "stays: no upgrade available".to_owned(),
        Verdict::Error => "fails".to_owned(),
        Verdict::Held => "stays: the namespace keeps OLM from the upgrade".to_owned(),
        Verdict::Refused => "installs nothing: OLM v1 refuses the resolved version".to_owned(),
    };
    sheet.line("now", &now);
    let brief = answer.target.as_ref().filter(|_| is_brief && answer.verdict == Verdict::Update).and_then(reason);
    sheet.line("reason", brief.as_ref().unwrap_or(&answer.reason));
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
    if is_brief {
        let mut seen = BTreeSet::new();
        let names = answer.others.iter().map(|it| version_or_name(&it.version, &it.bundle).to_owned());
        let names: Vec<String> = names.filter(|name| seen.insert(name.clone())).collect();
        sheet.line("also", &few(&names));
    } else {
        sheet.table("Also permitted", &TARGET_HEADERS, answer.others.iter().map(target_row).collect());
    }
    sheet
}
