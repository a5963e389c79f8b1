//! `olmdex standings`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{Question as _, StandingsQuestion, State, VersionStanding};
use crate::cli::args::name::refuse_path;
use crate::cli::args::sources::SourceOptions;
use crate::cli::args::upgrade::{answers, named_alike, told};
use crate::cli::print::answers::print_more;
use crate::cli::print::headline::Sign;
use crate::cli::print::sheet::Sheet;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::diag::counted;
use crate::upgrade::Standing;
use crate::version::version_or_name;

/// Show for every version whether upgrades lead to the newest
///
/// The newest is that of the default channel, unless `--to` names another version. Counts the fewest upgrades of OLM
/// Classic, with changes of the channel if need be.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex standings keda -i my-catalog/
  olmdex standings keda --stuck -i my-catalog/ -o name
  olmdex standings keda --to 2.10.1 -o json")]
pub(crate) struct StandingsArgs {
    #[command(flatten)]
    question: StandingsQuestion,
    /// More of them. Those that exist are answered, the others are errors, and the exit code is 4
    #[arg(id = "more", value_name = "PKG[@VERSION|/CHANNEL]", hide = true)]
    more: Vec<String>,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &StandingsArgs) -> CommandResult {
    // The sentence before the rows of people is about all versions.
    let is_for_people = args.rows.are_for_people();
    let asked = StandingsQuestion { stuck: args.question.stuck && !is_for_people, ..args.question.clone() };
    let questions = named_alike(&asked, &args.more, |question, name| question.name = name);
    let names: Vec<String> = questions.iter().map(|question| question.name.clone()).collect();
    let index = args.sources.of_catalogs(&args.question.catalog).open_part(context, &names)?;
    let (items, end) = answers(context, &questions, |question| {
        refuse_path(&index, &question.name)?;
        told(context, question.ask(&State::of(&index)))
    })?;
    if args.question.stuck && !items.iter().any(|item| item.standing == Standing::DeadEnd) {
        context.reporter.note("no version is stuck");
    }
    if is_for_people {
        print_more(&runs(&items, args.question.stuck), true)?;
        context.reporter.note("`-o wide` lists each version with its channels");
    } else {
        table::print(items, &args.rows)?;
    }
    end
}

/// A sheet for each package in each catalog, with a row for each run of versions for which the same is true, highest
/// first; or only for those that are stuck. Catalogs in which all is the same share one.
pub(super) fn runs(items: &[VersionStanding], only_stuck: bool) -> Vec<Sheet> {
    let of_catalogs = items.chunk_by(|a, b| (&a.catalog, &a.package) == (&b.catalog, &b.package));
    let mut groups: Vec<(Vec<&str>, &[VersionStanding])> = Vec::new();
    for items in of_catalogs {
        let Some(first) = items.first() else { continue };
        let is_same = |known: &&mut (Vec<&str>, &[VersionStanding])| {
            known.1.first().is_some_and(|other| other.package == first.package)
                && known.1.iter().map(facts).eq(items.iter().map(facts))
        };
        match groups.iter_mut().find(is_same) {
            Some((catalogs, _)) => catalogs.push(&first.catalog),
            None => groups.push((vec![&first.catalog], items)),
        }
    }
    groups.into_iter().map(|(catalogs, items)| sheet(&catalogs.join(", "), items, only_stuck)).collect()
}

/// All that a run says of a version.
fn facts(item: &VersionStanding) -> (&str, &str, Standing, Option<usize>) {
    (&item.goal, &item.bundle, item.standing, item.n_upgrades)
}

fn sheet(catalogs: &str, items: &[VersionStanding], only_stuck: bool) -> Sheet {
    let mut sheet = Sheet::default();
    let Some(VersionStanding { package, goal, goal_version, .. }) = items.first() else { return sheet };
    let goal = version_or_name(goal_version, goal);
    let name = |item: &VersionStanding| version_or_name(&item.version, &item.bundle).to_owned();
    let row = |run: &[VersionStanding]| {
        let (Some(high), Some(low)) = (run.first(), run.last()) else { return Vec::new() };
        let versions = if run.len() == 1 { name(high) } else { format!("{} – {}", name(low), name(high)) };
        vec![versions, run.len().to_string(), VersionStanding::in_words(run)]
    };
    let runs = items.chunk_by(VersionStanding::is_like);
    let is_shown = |run: &&[VersionStanding]| !only_stuck || run.iter().any(|item| item.standing == Standing::DeadEnd);
    let rows = runs.filter(is_shown).map(row).collect();
    let n_arriving = items.iter().filter(|item| item.standing == Standing::Reaches).count();
    let is_stuck = items.iter().any(|item| item.standing == Standing::DeadEnd);
    let of_all = counted(items.len() as u64, "version");
    let sentence = format!("{package} of {catalogs}: {n_arriving} of {of_all} can get to {goal}");
    sheet.headline(if is_stuck { Sign::Fair } else { Sign::Good }, sentence);
    sheet.table("Fewest upgrades, with changes of the channel", &["VERSIONS", "N", &format!("TO {goal}")], rows);
    sheet
}

impl Row for VersionStanding {
    const KIND: &'static str = StandingsQuestion::KIND;

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |item| Cow::from(&item.catalog)),
        wide("PACKAGE", |item| Cow::from(&item.package)),
        column("VERSION", |item| Cow::from(&item.version)),
        column("BUNDLE", |item| Cow::from(&item.bundle)),
        column("CHANNELS", |item| item.channels.join(",").into()),
        column("GOAL", |item| Cow::from(version_or_name(&item.goal_version, &item.goal))),
        column("STANDING", |item| VersionStanding::in_words(std::slice::from_ref(item)).into()),
        wide("UPGRADES", |item| item.n_upgrades.map(|n| n.to_string()).unwrap_or_default().into()),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
