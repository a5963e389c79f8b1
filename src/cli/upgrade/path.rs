//! `olmdex path`

use clap::Args;

use super::why_not;
use crate::ask::{OlmSet, Outlook, OutlookVerdict, PathQuestion, Question as _, UpgradeOptions, WhyNotQuestion};
use crate::cli::args::upgrade::{AskedOptions, TARGET_HEADERS, installed_words, manager_headers, target_row, told};
use crate::cli::print::diagnosis::add_obstacle;
use crate::cli::print::headline::Sign;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::cli::terminal::screen::screen;
use crate::fbc::without_v;
use crate::namespace::Effect;
use crate::upgrade::classic::Step;
use crate::upgrade::v1::ResolveError;
use crate::upgrade::{Field, PathStep, Permit, UpgradePath};
use crate::version::{Version, version_or_name};

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
    #[command(flatten)]
    question: PathQuestion,
    /// For people: also why OLM does not take the end, as `why-not` says it
    #[arg(long, hide = true)]
    reasons: bool,
    /// Also for files and pipes: the answer in a sentence
    #[arg(long, hide = true, alias = "steps", overrides_with = "outlook")]
    outlook: bool,
    #[command(flatten)]
    asked: AskedOptions,
}

pub(crate) fn run(context: &Context, args: &PathArgs) -> CommandResult {
    let catalogs = &args.question.options.catalog;
    let questions = args.asked.questions(&args.question, |question, name| question.name = Some(name));
    let sheet = |answer: &UpgradePath| {
        let mut sheet = sheet(answer);
        if args.outlook {
            sheet.headline_for_all();
        }
        sheet
    };
    args.asked.ask_and(context, &questions, catalogs, sheet, |state, answers| {
        let Some(to) = args.question.to.as_ref().filter(|_| args.reasons) else { return Ok(Default::default()) };
        let mut sheets = Vec::new();
        let leads_there = |it: &UpgradePath| it.steps.last().map(|step| &step.target.bundle) == it.to.as_ref();
        for answer in answers.iter().filter(|it| !it.is_reached && !leads_there(it) && !lacks_catalog(&it.reason)) {
            let is_version = Version::parse(without_v(to)).is_ok();
            let question = WhyNotQuestion {
                name: if is_version { format!("{}@{to}", answer.package) } else { to.clone() },
                // The installed bundle of a cluster has its obstacles.
                installed: Some(answer.from.name.clone()).filter(|_| answer.managed_by.is_none()),
                options: UpgradeOptions {
                    olm: OlmSet::from(answer.olm),
                    catalog: answer.catalog.as_ref().map_or_else(|| catalogs.clone(), |name| vec![name.clone()]),
                    ..args.question.options.clone()
                },
                ..WhyNotQuestion::default()
            };
            let found = told(context, question.ask(state))?.items;
            let own = found.iter().filter(|it| it.managed_by == answer.managed_by);
            sheets.extend(own.map(|it| why_not::below_the_way(it, answer.catalog.as_deref())));
        }
        Ok([Vec::new(), sheets])
    })
}

/// Whether OLM v1 would need one of the given catalogs, of which no cluster has two: those of several OpenShifts.
pub(super) fn lacks_catalog(reason: &str) -> bool {
    reason.contains(ResolveError::SEVERAL_CATALOGS)
}

/// The outlook of OLM Classic in a sentence.
pub(super) fn add_headline(sheet: &mut Sheet, answer: &UpgradePath, catalogs: &str) {
    if let Some(outlook) = &answer.outlook {
        let sign = match outlook.verdict {
            OutlookVerdict::Arrived | OutlookVerdict::Upgrades => Sign::Good,
            OutlookVerdict::Ahead if answer.to.is_none() => Sign::Good,
            _ if outlook.is_stuck() => Sign::Bad,
            _ => Sign::Fair,
        };
        let stop = answer.obstacle.as_ref().filter(|it| it.effect == Effect::Stops);
        let (sign, stop) = match stop {
            Some(stop) => (Sign::Bad, format!(", but OLM takes no step: {}", stop.text)),
            None => (sign, String::new()),
        };
        // The channel decides nothing else.
        let is_elsewhere = answer.to.is_some() && !answer.is_reached;
        let assumed = match outlook.verdict {
            _ if !answer.channels.is_empty() || outlook.channel.is_empty() => String::new(),
            OutlookVerdict::ChangeChannel => format!(" (from channel `{}`)", outlook.channel),
            // Without a channel, OLM goes on to another one.
            OutlookVerdict::Upgrades if is_elsewhere => format!(" in channel `{}`", outlook.channel),
            _ => String::new(),
        };
        let of = if catalogs.is_empty() { String::new() } else { format!(" of {catalogs}") };
        sheet.headline(sign, format!("{}{of}: {}{assumed}{stop}", answer.package, outlook.sentence()));
    }
}

fn sheet(answer: &UpgradePath) -> Sheet {
    let mut sheet = Sheet::aside(lacks_catalog(&answer.reason));
    add_headline(&mut sheet, answer, answer.catalog.as_deref().unwrap_or_default());
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("from", &installed_words(&answer.from));
    sheet.line("to", answer.to.as_deref().unwrap_or_default());
    sheet.line("end", &answer.reason);
    add_obstacle(&mut sheet, answer.obstacle.as_ref());
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
    sheet.table("Steps", &headers, rows);
    let way = answer.outlook.as_ref().map(Outlook::way);
    match way.filter(|way| way.verdict == OutlookVerdict::ChangeChannel) {
        // People want the way that arrives, and not the one that the channel goes by itself.
        Some(outlook) => {
            let mut channel = outlook.channel.clone();
            let row = |step: &Step| {
                let set =
                    if channel == step.channel { String::new() } else { format!("spec.channel: {}", step.channel) };
                channel.clone_from(&step.channel);
                // A step that replaces the one before needs no words.
                let is_told = |permit: &&Permit| permit.field != Field::Replaces;
                let because = step.permits.first().filter(is_told);
                let because = because.map(|permit| format!("{} {}", permit.field.as_str(), permit.value));
                let version = version_or_name(&step.version, &step.bundle);
                vec![version.to_owned(), step.channel.clone(), set, because.unwrap_or_default()]
            };
            let headers = ["VERSION", "CHANNEL", "SET FIRST", "BECAUSE"];
            let upgrades = outlook.at_once.as_deref().unwrap_or(outlook).upgrades.iter().map(row).collect();
            sheet.for_people("Steps, with the change of the channel", &headers, upgrades);
        }
        None => {
            sheet.for_people("Steps", &PEOPLES_HEADERS, few.into_iter().map(|row| for_people(answer, row)).collect());
        }
    }
    sheet
}

/// The headers of steps for people at a terminal.
const PEOPLES_HEADERS: [&str; 7] = ["VERSION", "CATALOG", "CHANNEL", "SET FIRST", "BECAUSE", "PLACE", "STATUS"];

/// The row of a step for people: a reason that every step has is left out.
fn for_people(answer: &UpgradePath, row: Vec<String>) -> Vec<String> {
    let mut cells = row.into_iter();
    let mut next = || cells.next().unwrap_or_default();
    let (bundle, version, catalog, channel, because, place, status, set) =
        (next(), next(), next(), next(), next(), next(), next(), next());
    let is_plain = because.starts_with("replaces ") && !because.contains(';');
    // A fold says how many it is for.
    let version = match (bundle.starts_with('⋯'), version.is_empty()) {
        (true, _) => format!("{bundle}: {version}"),
        (false, true) => bundle,
        (false, false) => version,
    };
    let because = if is_plain { String::new() } else { because };
    // A line above the table says it.
    let catalog = if answer.catalog.as_ref() == Some(&catalog) { String::new() } else { catalog };
    let place = if screen().wants_places { place } else { String::new() };
    vec![version, catalog, channel, set, because, place, status]
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
    // A change of the channel is no plain step.
    let shares = |a: &PathStep, b: &PathStep| {
        a.target.catalog == b.target.catalog && a.target.channels.iter().any(|name| b.target.channels.contains(name))
    };
    for run in both.chunk_by(|a, b| is_plain(a.0) && is_plain(b.0) && shares(a.0, b.0)) {
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
