//! `olmdex resolve`

use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::cli::args::formats::DataFormat;
use crate::cli::args::namespace::NamespaceOptions;
use crate::cli::print::table::{write_aligned, write_data};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::diag::{Place, printable};
use crate::index::Index;
use crate::index::query::Filter;
use crate::resolve::{
    ClusterFacts, Course, Failure, Generation, IndexRows, Named, Options, Outcome, Position, Resolution,
    ResolutionAnswer, Sentence, Size, Verdict, World, after, generations, quirks, repairs, resolve, standings, steps,
    with_origin,
};
use crate::upgrade::compat::Claims;
use crate::upgrade::unsafe_definitions;

/// Formats of resolutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResolveFormat {
    Table,
    Tree,
    Data(DataFormat),
}

impl ValueEnum for ResolveFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Table, Self::Tree, Self::Data(DataFormat::Json), Self::Data(DataFormat::Yaml)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Table => {
                let table = PossibleValue::new("table").aliases(["wide", "text"]);
                Some(table.help("The set, the steps, what stays behind"))
            }
            Self::Tree => Some(PossibleValue::new("tree").help("Who brings whom")),
            Self::Data(format) => format.to_possible_value(),
        }
    }
}

/// Resolve a namespace as OLM Classic does: what is installed and upgraded together, because of what, and what happens
///
/// Manifests are what `kubectl get subscriptions,clusterserviceversions,catalogsources,operatorgroups -o yaml` prints, or a
/// directory of them, for example of a must-gather. Exits with 1 if the namespace cannot be resolved, or never becomes stable.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex resolve --install keda -i community=catalog/
  olmdex resolve --cluster cluster.yaml -i redhat-operators=rh.db -i community-operators=community.db
  olmdex resolve --cluster must-gather/ -n my-operators --install kiali/stable --until-stable -o json")]
pub(crate) struct ResolveArgs {
    #[command(flatten)]
    namespace: NamespaceOptions,
    /// Resolve again and again until nothing changes, and show each generation
    #[arg(long)]
    until_stable: bool,
    /// Say where OLM itself may give another answer, and why
    #[arg(long)]
    show_olm_quirks: bool,
    /// Print how long reading, the reachable universe and solving took
    #[arg(long)]
    timings: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = ResolveFormat::Table)]
    output: ResolveFormat,
}

/// Times of the parts of an answer.
#[derive(Debug, Default)]
struct Timings {
    load: Duration,
    universe: Duration,
    solve: Duration,
    entries: usize,
}

impl Timings {
    fn add(&mut self, size: &Size) {
        self.universe += size.universe;
        self.solve += size.solve;
        self.entries = self.entries.max(size.entries);
    }
}

pub(crate) fn run(context: &Context, args: &ResolveArgs) -> CommandResult {
    let started = Instant::now();
    let index = args.namespace.ask.open(context)?;
    let (world, facts, warnings) = args.namespace.world(&index)?;
    warnings.iter().for_each(|it| context.reporter.warning(it));
    let rows = IndexRows::new(&index, &world);
    let mut timings = Timings { load: started.elapsed(), ..Timings::default() };
    let options = args.namespace.options();
    let (mut answers, failure) = answers(args, (&world, &facts), (&index, &rows), &options, &mut timings)?;
    for answer in &mut answers {
        for operator in answer.operators.iter().filter(|it| it.is_upgrade) {
            let step = (operator.replaces.as_str(), operator.name.as_str());
            let changes = unsafe_definitions(&index, &operator.catalog, step)?;
            answer.warnings.extend(changes.into_iter().map(|it| format!("the step to {}: {it}", operator.name)));
        }
    }
    let outcome = answers.last().map_or(Outcome::Resolved, |it| it.outcome);
    let is_stranded = answers.last().is_some_and(|it| it.standings.iter().any(|it| it.position == Position::Stranded));
    let is_endless = answers.last().is_some_and(|it| it.installed_before.is_some());
    for warning in answers.iter().flat_map(|it| &it.warnings) {
        context.reporter.warning(warning);
    }
    print(args, answers)?;
    if args.timings {
        let ms = |it: Duration| format!("{:.2} ms", it.as_secs_f64() * 1e3);
        let Timings { load, universe, solve, entries } = timings;
        let words = format!("load {}, universe {} ({entries} entries), solve {}", ms(load), ms(universe), ms(solve));
        context.reporter.note(&words);
    }
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    Ok(if outcome == Outcome::Resolved && !is_endless && !is_stranded { Exit::Yes } else { Exit::No })
}

/// The answers, and why there is no further one if a limit of ours is in the way.
fn answers(
    args: &ResolveArgs,
    (world, facts): (&World, &ClusterFacts),
    (index, rows): (&Index, &IndexRows<'_>),
    options: &Options,
    timings: &mut Timings,
) -> Result<(Vec<ResolutionAnswer>, Option<Failure>), CommandError> {
    let course = if args.until_stable {
        generations(world, rows, options)
    } else {
        match resolve(world, rows, options) {
            Ok(verdict) => Course { generations: vec![one(world, verdict)], failure: None },
            Err(failure) => Course { generations: Vec::new(), failure: Some(failure) },
        }
    };
    let mut at = world.clone();
    let mut answers = Vec::new();
    for (number, generation) in course.generations.iter().enumerate() {
        let mut answer = ResolutionAnswer::new(&at, generation, number + 1);
        match &generation.verdict {
            Verdict::Resolved(resolution) => {
                timings.add(&resolution.size);
                answer.add_standings(standings(&at, rows, resolution)?);
                answer.warnings.extend(misfits(index, facts, &at, resolution)?);
                if args.show_olm_quirks {
                    answer.quirks = quirks(&at, rows, options, resolution)?;
                }
                at = after(&at, resolution, &generation.steps);
            }
            Verdict::Unsatisfiable(conflict) => {
                timings.add(&conflict.size);
                answer.add_repairs(repairs(&at, rows, options, conflict)?);
            }
        }
        answers.push(answer);
    }
    // What was done before a resolution failed stays done.
    match course.failure {
        Some(failure @ (Failure::Refused(_) | Failure::Constraint(_) | Failure::Several(_))) => {
            answers.push(ResolutionAnswer::of_failure(&at, &failure, answers.len() + 1));
            Ok((answers, None))
        }
        Some(failure) if answers.is_empty() => Err(failure.into()),
        failure => Ok((answers, failure)),
    }
}

/// What of the operators that are to be installed does not suit the cluster.
fn misfits(
    index: &Index,
    facts: &ClusterFacts,
    world: &World,
    resolution: &Resolution,
) -> Result<Vec<String>, CommandError> {
    let mut misfits = Vec::new();
    if facts.is_empty() {
        return Ok(misfits);
    }
    for operator in &resolution.operators {
        let Some(catalog) = world.catalogs.get(operator.catalog) else { continue };
        let filter = Filter { catalogs: vec![catalog.name.clone()], ..Filter::default() };
        let graphs = index.package_graphs(&filter, &operator.package)?;
        let bundle = graphs.iter().flat_map(|it| &it.bundles).find(|it| it.name == operator.name);
        misfits.extend(bundle.iter().flat_map(|it| facts.misfits(operator, &Claims::from(*it))));
    }
    Ok(misfits)
}

fn one(world: &World, verdict: Verdict) -> Generation {
    let (steps, next) = match &verdict {
        Verdict::Resolved(resolution) => {
            let steps = steps(world, resolution);
            let next = after(world, resolution, &steps);
            (steps, next)
        }
        Verdict::Unsatisfiable(_) => (crate::resolve::Steps::default(), world.clone()),
    };
    let mut installed: Vec<String> =
        next.installed.iter().filter(|it| !it.is_copied).map(|it| it.name.clone()).collect();
    installed.sort();
    Generation { verdict, steps, installed, repeats: None }
}

fn print(args: &ResolveArgs, answers: Vec<ResolutionAnswer>) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.output {
        ResolveFormat::Data(format) => write_data(format, "Resolution", answers, &mut out)?,
        ResolveFormat::Table | ResolveFormat::Tree => {
            for (idx, answer) in answers.iter().enumerate() {
                if answers.len() > 1 {
                    writeln!(out, "{}Generation {}", if idx > 0 { "\n" } else { "" }, answer.generation)?;
                }
                match (args.output, answer.outcome) {
                    (ResolveFormat::Tree, Outcome::Resolved) => tree(answer, &mut out)?,
                    (_, Outcome::Resolved) => table(answer, &mut out)?,
                    (_, Outcome::Unsatisfiable | Outcome::Failed) => refusal(answer, &mut out)?,
                }
                list("OLM may differ", &answer.quirks, &mut out)?;
                if let Some(before) = answer.installed_before {
                    let when =
                        if before == 0 { "at the beginning".to_owned() } else { format!("after generation {before}") };
                    let names = printable(&answer.installed.join(", ")).into_owned();
                    writeln!(out, "\n{names} was installed before, {when}: this never becomes stable.")?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn list(title: &str, items: &[String], out: &mut impl Write) -> Result<(), CommandError> {
    if !items.is_empty() {
        writeln!(out, "\n{title}:")?;
        for item in items {
            writeln!(out, "  {}", printable(item))?;
        }
    }
    Ok(())
}

fn table(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    if answer.operators.is_empty() && answer.kept.is_empty() {
        writeln!(out, "There is nothing to install in the namespace {}.", printable(&answer.namespace))?;
        return Ok(());
    }
    let headers = ["OPERATOR", "VERSION", "CATALOG", "CHANNEL", "ACTION", "BECAUSE"].map(str::to_owned).to_vec();
    let because = |reasons: &[crate::resolve::BecauseAnswer]| {
        let words = |it: &crate::resolve::BecauseAnswer| match (it.subscription.as_str(), it.required_by.as_str()) {
            ("", "") => "it is installed".to_owned(),
            ("", by) => format!("{by} requires {}", it.requirement),
            (subscription, _) => format!("Subscription {subscription}"),
        };
        reasons.iter().map(words).collect::<Vec<_>>().join("; ")
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for it in &answer.operators {
        let action = match (answer.steps.bundles.contains(&it.name), it.is_upgrade) {
            (false, _) => "none".to_owned(),
            (true, true) => format!("replaces {}", it.replaces),
            (true, false) => "install".to_owned(),
        };
        let (name, version) = (it.name.clone(), it.version.clone());
        rows.push(vec![name, version, it.catalog.clone(), it.channel.clone(), action, because(&it.because)]);
    }
    for it in &answer.kept {
        let empty = String::new;
        let (name, version) = (it.name.clone(), it.version.clone());
        rows.push(vec![name, version, empty(), empty(), "stays".to_owned(), because(&it.because)]);
    }
    write_aligned(Some(headers), &rows, 3, out)?;
    list("Steps", &step_words(answer), out)?;
    providers(answer, out)?;
    standing(answer, out)?;
    behind(answer, out)
}

/// Why requirements are met by these operators and not by others.
fn providers(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    let mut lines: Vec<String> = Vec::new();
    let of_new = answer.operators.iter().map(|it| (&it.name, &it.because));
    for (name, because) in of_new.chain(answer.kept.iter().map(|it| (&it.name, &it.because))) {
        for it in because.iter().filter(|it| !it.preferred_to.is_empty() || !it.passed_over_operators.is_empty()) {
            lines.push(format!("{name} for {}, which requires {}", it.required_by, it.requirement));
            if !it.passed_over_operators.is_empty() {
                let why = if it.is_shared { "it is needed anyway" } else { "those cannot be installed here" };
                lines.push(format!("  instead of {}: {why}", alternatives(&it.passed_over_operators)));
            }
            for preferred in &it.preferred_to {
                let reason = preferred.by.reason();
                lines.push(format!("  preferred to {}: {reason}", alternatives(&preferred.operators)));
            }
        }
    }
    list("Providers", &lines, out)
}

/// Candidates with where they come from; of many the first.
fn alternatives(all: &[Named]) -> String {
    const SHOWN: usize = 4;
    let words = |it: &Named| with_origin(&it.name, &it.channel, &it.catalog);
    let mut shown: Vec<String> = all.iter().take(SHOWN).map(words).collect();
    if all.len() > SHOWN {
        shown.push(format!("{} more (`-o json` has all)", all.len() - SHOWN));
    }
    shown.join(", ")
}

/// What OLM does, in words.
fn step_words(answer: &ResolutionAnswer) -> Vec<String> {
    let steps = &answer.steps;
    if answer.operators.is_empty() {
        return vec!["none: nothing changes".to_owned()];
    }
    if !steps.install_plan {
        let why = "no InstallPlan is made, because no existing Subscription changes";
        let lost = if steps.bundles.is_empty() { "" } else { ": what is missing is resolved, but not installed" };
        return vec![format!("{why}{lost}")];
    }
    let mut words = vec![if steps.needs_approval {
        "an InstallPlan is made, and waits for approval, because a Subscription of the namespace is Manual".to_owned()
    } else {
        "an InstallPlan is made and approved at once".to_owned()
    }];
    words.extend(steps.bundles.iter().map(|it| format!("{it} is unpacked and installed")));
    words.extend(steps.new_subscriptions.iter().map(|it| {
        let (package, channel, source) = (&it.package, &it.channel, &it.source);
        format!("Subscription {} is made: {package}, channel {channel}, from {source}, {}", it.name, it.starting)
    }));
    words.extend(steps.updated_subscriptions.iter().map(|it| match it.installed.as_str() {
        "" => format!("Subscription {} gets {}", it.name, it.current),
        old => format!("Subscription {} goes from {old} to {}", it.name, it.current),
    }));
    words
}

/// Where Subscriptions stand that get nothing new; `behind` speaks of those that are held.
fn standing(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    let said = answer.standings.iter().filter(|it| it.position != Position::Held);
    let words = said.map(|it| match it.position {
        Position::Stranded => format!("Subscription {}: no update available: {}", it.subscription, it.reason),
        Position::Head | Position::Held => format!("Subscription {}: up to date: {}", it.subscription, it.reason),
    });
    list("No change", &words.collect::<Vec<_>>(), out)
}

fn behind(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    for it in &answer.behind {
        let (name, gets, wanted) = (printable(&it.subscription), printable(&it.gets), printable(&it.wanted));
        writeln!(out, "\nSubscription {name} has {gets} and not {wanted}:")?;
        sentences(&it.because, out)?;
        if it.is_choice {
            writeln!(out, "  It competes with what was chosen before.")?;
        }
    }
    Ok(())
}

fn sentences(all: &[Sentence], out: &mut impl Write) -> Result<(), CommandError> {
    for (idx, it) in all.iter().enumerate() {
        let place = match &it.place {
            Place { file, .. } if file.is_empty() => String::new(),
            Place { file, line, .. } => format!("  [{file}:{line}]"),
        };
        let word = if idx == 0 { "because" } else { "and" };
        writeln!(out, "  {word} {}{}", printable(&it.text), printable(&place))?;
    }
    Ok(())
}

fn refusal(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(out, "The namespace {} cannot be resolved:", printable(&answer.namespace))?;
    if let Some(failure) = &answer.failure {
        writeln!(out, "  {}", printable(&failure.olm_message))?;
        let single = std::slice::from_ref(failure);
        let parts = if failure.parts.is_empty() { single } else { failure.parts.as_slice() };
        for part in parts {
            if !failure.parts.is_empty() {
                writeln!(out, "  - {}", printable(&part.olm_message))?;
            }
            let indent = if failure.parts.is_empty() { "" } else { "  " };
            if !part.operator.is_empty() {
                let place = format!("{} [{}:{}]", part.operator, part.file, part.line);
                writeln!(out, "  {indent}in {}", printable(&place))?;
            }
            if !part.help.is_empty() {
                writeln!(out, "  {indent}{}", printable(&part.help))?;
            }
        }
    }
    let Some(conflict) = &answer.conflict else { return Ok(()) };
    sentences(&conflict.because, out)?;
    writeln!(out, "  so OLM changes nothing at all in this namespace.")?;
    let repair = |it: &crate::resolve::Repair| match it.installs.as_slice() {
        [] => format!("{}; then nothing is left to install", it.change),
        installs => format!("{}; then OLM installs {}", it.change, installs.join(", ")),
    };
    list("One of these changes helps", &conflict.repairs.iter().map(repair).collect::<Vec<_>>(), out)?;
    writeln!(out, "\nOLM says:\n  {}", printable(&conflict.olm_message))?;
    Ok(())
}

/// Who brings whom: below each Subscription what it brings, and below that what that needs.
fn tree(answer: &ResolutionAnswer, out: &mut impl Write) -> Result<(), CommandError> {
    let reasons = |name: &str| -> Vec<crate::resolve::BecauseAnswer> {
        let of_new = answer.operators.iter().filter(|it| it.name == name).flat_map(|it| &it.because);
        of_new.chain(answer.kept.iter().filter(|it| it.name == name).flat_map(|it| &it.because)).cloned().collect()
    };
    let names: Vec<&str> = answer
        .operators
        .iter()
        .map(|it| it.name.as_str())
        .chain(answer.kept.iter().map(|it| it.name.as_str()))
        .collect();
    let mut shown: Vec<&str> = Vec::new();
    // Each line: how deep, and what stands there. Roots first.
    for root in &names {
        for reason in reasons(root).iter().filter(|it| it.required_by.is_empty()) {
            let words = match reason.subscription.as_str() {
                "" => "installed".to_owned(),
                subscription => format!("Subscription {subscription}"),
            };
            writeln!(out, "{}", printable(&words))?;
            let mut open = vec![(1, *root, String::new())];
            while let Some((depth, name, why)) = open.pop() {
                let operator = answer.operators.iter().find(|it| it.name == name);
                let from = operator
                    .map_or_else(|| " (installed)".to_owned(), |it| format!(" ({} of {})", it.channel, it.catalog));
                let is_shown = shown.contains(&name);
                let more = if is_shown { ", see above" } else { "" };
                let line = format!("{name}{from}{more}{why}");
                writeln!(out, "{}{}", "  ".repeat(depth), printable(&line))?;
                if is_shown {
                    continue;
                }
                shown.push(name);
                let needed = names.iter().rev().flat_map(|needed| {
                    let by: Vec<_> = reasons(needed).into_iter().filter(|it| it.required_by == name).collect();
                    by.into_iter().rev().map(move |it| (depth + 1, *needed, format!("  because of {}", it.requirement)))
                });
                open.extend(needed);
            }
        }
    }
    Ok(())
}
