//! `olmdex path`

use std::collections::{BTreeSet, HashMap};

use clap::Args;

use crate::cli::args::questions::{Channels, Given, UpgradeQuestion};
use crate::cli::args::upgrade::{TARGET_HEADERS, UpgradeOptions, bundle, installed_words, parse_minor, target_row};
use crate::cli::print::sheet::Sheet;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::constraint::openshift::Minor;
use crate::diag::counted;
use crate::index::Index;
use crate::index::query::Reach;
use crate::upgrade::compat::{Claims, judge};
use crate::upgrade::{
    Effort, Generation, InstalledBundle, PackageView, PathStep, Target, UpgradePath, Wish, classic_path,
    classic_shortest, v1_path, v1_shortest,
};

/// Show the upgrades that OLM makes from a version, one after another
///
/// OLM v1 takes the highest version that is permitted at each step. `--shortest` shows the fewest steps instead,
/// over all channels, with what must be set before each: the channel of the Subscription, or the version of the
/// ClusterExtension. With `-o name`, `-o csv` and `-o markdown`: the steps, path after path. Exits with 1 if the path does not
/// get there.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex path keda@2.8.1
  olmdex path keda/stable --installed keda.v2.8.1 --to 2.10.1 --olm classic
  olmdex path keda@2.8.1 --to 2.10.1 --shortest --alternatives 3 --avoid-deprecated -o json
  olmdex path keda --cluster must-gather/")]
pub(crate) struct PathArgs {
    /// The package; with a version or bundle, what is installed; with a channel, the Subscription's. Default: every
    /// operator of `--cluster`
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present = "cluster")]
    name: Option<String>,
    /// What is installed, where the path begins: a version, a bundle's name, or NAME@VERSION for what no catalog holds
    #[arg(long, value_name = "BUNDLE", alias = "from")]
    installed: Option<String>,
    /// Where to end: a version or a bundle's name. Default: as far as possible
    #[arg(long, value_name = "BUNDLE")]
    to: Option<String>,
    /// The fewest steps. `--channel`, which may be repeated then, names the channels that may be used, the
    /// Subscription's own first
    #[arg(long)]
    shortest: bool,
    /// With --shortest: up to this many paths, the shortest first
    #[arg(long, value_name = "K", requires = "shortest", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    alternatives: u16,
    /// With --shortest: avoid deprecated bundles
    #[arg(long, requires = "shortest")]
    avoid_deprecated: bool,
    /// With --shortest: avoid bundles that say they do not support this version of OpenShift
    #[arg(long, value_name = "VERSION", requires = "shortest", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// With --alternatives: how many steps to examine at most
    #[arg(long, value_name = "N", requires = "alternatives", default_value_t = 5_000_000)]
    max_work: u64,
    #[command(flatten)]
    options: UpgradeOptions,
}

pub(crate) fn run(context: &Context, args: &PathArgs) -> CommandResult {
    if args.shortest && args.to.is_none() {
        let error = CommandError::usage("`--shortest` needs an end: the fewest steps to which version?");
        return Err(error.help("add `--to VERSION`; without `--shortest`, the path goes as far as OLM goes"));
    }
    let given = Given {
        name: args.name.as_deref(),
        installed: args.installed.as_deref(),
        version: None,
        channels: if args.shortest { Channels::Several } else { Channels::One },
        names_target: false,
    };
    let (index, questions) = args.options.questions(context, &given)?;
    let mut answers = Vec::new();
    let mut gave_up = false;
    for question in &questions {
        gave_up |= answer(args, &index, question, &mut answers)?;
    }
    let is_reached = answers.iter().any(|it| it.is_reached);
    args.options.print("UpgradePath", answers, sheet)?;
    if gave_up {
        let error = CommandError::new(Exit::Limit, "not all alternatives were found: the search reached its limit");
        return Err(error.help("a higher `--max-work` allows for more"));
    }
    Ok(if is_reached { Exit::Yes } else { Exit::No })
}

/// Answers one question; whether the search gave up.
fn answer(
    args: &PathArgs,
    index: &Index,
    question: &UpgradeQuestion,
    answers: &mut Vec<UpgradePath>,
) -> Result<bool, CommandError> {
    let (view, asked) = (&question.view, &question.asked);
    let Some(from) = &asked.installed else {
        let error = CommandError::usage(format!(
            "nothing of `{}` is installed, so there is no start for the path",
            view.package
        ));
        return Err(error.help("name it: `PKG@VERSION`, or `--installed BUNDLE`"));
    };
    let to = args.to.as_deref().map(|it| bundle(view, it)).transpose()?.map(|it| it.0);
    let mut gave_up = false;
    if let (true, Some(to)) = (args.shortest, &to) {
        let edges = (args.options.ask.catalog.as_slice(), asked.channels.as_slice());
        let within = view.names_between(index, edges, from, &BTreeSet::from([to.clone()]), args.alternatives)?;
        if question.classic()
            && let Some(graph) = view.graphs.first()
        {
            let find = |wish: &Wish<'_>| classic_shortest(view, graph, asked, from, wish);
            let (found, is_spent) = shortest(args, question, Generation::Classic, (from, to), &within, find);
            answers.extend(found);
            gave_up |= is_spent;
        }
        if question.v1() {
            let find = |wish: &Wish<'_>| v1_shortest(view, asked, from, wish);
            let (found, is_spent) = shortest(args, question, Generation::V1, (from, to), &within, find);
            answers.extend(found);
            gave_up |= is_spent;
        }
    } else {
        if question.classic() {
            let graph = view.graphs.first();
            answers.extend(graph.map(|it| classic_path(view, it, asked, from, to.as_deref())));
        }
        if question.v1() {
            answers.push(v1_path(view, asked, from, to.as_deref()));
        }
    }
    Ok(gave_up)
}

/// The shortest ways of one generation of OLM as answers; one that says so if there are none.
fn shortest(
    args: &PathArgs,
    question: &UpgradeQuestion,
    olm: Generation,
    (from, to): (&InstalledBundle, &str),
    within: &Reach,
    find: impl Fn(&Wish<'_>) -> Vec<Vec<PathStep>>,
) -> (Vec<UpgradePath>, bool) {
    let view = &question.view;
    let limits = Limits::new(args, view, olm);
    let effort = if args.alternatives > 1 { Effort::of(args.max_work) } else { Effort::default() };
    let wish = Wish {
        is_goal: &|it| it.bundle == to,
        is_allowed: &|it| !limits.refuse(it),
        at_most: usize::from(args.alternatives),
        within,
        effort: &effort,
    };
    let answer = |is_reached: bool, steps: Vec<PathStep>, reason: String| UpgradePath {
        olm,
        package: view.package.clone(),
        channels: question.asked.channels.clone(),
        from: from.clone(),
        to: Some(to.to_owned()),
        is_reached,
        steps,
        reason,
    };
    if from.name == to {
        return (vec![answer(true, Vec::new(), format!("{to} is installed"))], false);
    }
    let mut answers: Vec<UpgradePath> = find(&wish)
        .into_iter()
        .map(|steps| {
            let reason = condition(olm, &steps);
            answer(true, steps, reason)
        })
        .collect();
    if answers.is_empty() {
        let limited = if limits.is_any() { ", with these limits" } else { "" };
        answers.push(answer(false, Vec::new(), format!("no edges that OLM follows lead to {to}{limited}")));
    }
    (answers, effort.is_spent())
}

/// What must be done for OLM to go a way.
fn condition(olm: Generation, steps: &[PathStep]) -> String {
    let n_steps = counted(steps.len() as u64, "step");
    let by_hand = match olm {
        // Else OLM would go on in the channel before it is changed.
        Generation::Classic if steps.iter().skip(1).any(|it| !it.set.is_empty()) => {
            ", with installPlanApproval: Manual, so that OLM waits for each change"
        }
        _ => "",
    };
    format!("{n_steps}, if these fields are set before each{by_hand}")
}

/// What a way may not lead over.
struct Limits<'v> {
    olm: Generation,
    avoids_deprecated: bool,
    openshift: Option<Minor>,
    /// What a bundle of a catalog says it is made for, only if that is asked.
    claims: HashMap<(&'v str, &'v str), Vec<Claims>>,
}

impl<'v> Limits<'v> {
    fn new(args: &PathArgs, view: &'v PackageView, olm: Generation) -> Self {
        let mut claims: HashMap<(&str, &str), Vec<Claims>> = HashMap::new();
        for graph in view.graphs.iter().filter(|_| args.openshift.is_some()) {
            for bundle in &graph.bundles {
                claims.entry((&graph.catalog, &bundle.name)).or_default().push(Claims::from(bundle));
            }
        }
        Self { olm, avoids_deprecated: args.avoid_deprecated, openshift: args.openshift, claims }
    }

    fn is_any(&self) -> bool {
        self.avoids_deprecated || self.openshift.is_some()
    }

    fn refuse(&self, target: &Target) -> bool {
        if self.avoids_deprecated && target.is_deprecated {
            return true;
        }
        let Some(openshift) = self.openshift else { return false };
        let of_bundle = self.claims.get(&(target.catalog.as_str(), target.bundle.as_str()));
        of_bundle.into_iter().flatten().any(|it| !judge(it, self.olm, openshift, openshift).verdict.may_stay())
    }
}

fn sheet(answer: &UpgradePath) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("from", &installed_words(&answer.from));
    sheet.line("to", answer.to.as_deref().unwrap_or_default());
    sheet.line("end", &answer.reason);
    let headers: Vec<&str> = TARGET_HEADERS.into_iter().chain(["SET FIRST"]).collect();
    let rows: Vec<Vec<String>> = answer.steps.iter().map(step_row).collect();
    sheet.list_names(answer.steps.iter().map(|it| it.target.bundle.clone()));
    let of_answer = |(number, row): (usize, &Vec<String>)| {
        let first = [answer.olm.as_str().to_owned(), answer.package.clone(), (number + 1).to_string()];
        first.into_iter().chain(row.iter().cloned()).collect()
    };
    let all_headers = [vec!["OLM", "PACKAGE", "STEP"], headers.clone()].concat();
    sheet.main(&all_headers, rows.iter().enumerate().map(of_answer).collect());
    sheet.table("Steps", &headers, rows);
    sheet
}

/// The row of a step: that of its target, and what to set before it.
fn step_row(step: &PathStep) -> Vec<String> {
    let set: Vec<String> = step.set.iter().map(|it| format!("{}: {}", it.field, it.value)).collect();
    target_row(&step.target).into_iter().chain([set.join(", ")]).collect()
}
