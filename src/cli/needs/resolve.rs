//! `olmdex resolve`

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::args::formats::{DataFormat, choices};
use crate::cli::args::namespace::{NamespaceOptions, Worlds};
use crate::cli::print::resolution::{write_list, write_refusal, write_table, write_tree};
use crate::cli::print::table::write_data;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cluster::ClusterExtension;
use crate::diag::printable;
use crate::index::Index;
use crate::index::query::Filter;
use crate::resolve::{
    ClusterFacts, Course, Failure, Generation, IndexRows, Options, Outcome, Position, Resolution, ResolutionAnswer,
    Size, Verdict, World, across, after, generations, quirks, repairs, resolve, standings, steps,
};
use crate::upgrade::compat::Claims;
use crate::upgrade::unsafe_definitions;

/// Formats of resolutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResolveFormat {
    Table,
    Wide,
    Tree,
    Data(DataFormat),
}

choices! { ResolveFormat =>
    Table: "table" | "text", "The set, the steps, and what stays as it is";
    Wide: "wide", "The same, whole on a terminal too";
    Tree: "tree", "Who brings whom";
    Data(DataFormat::Json);
    Data(DataFormat::Yaml);
}

/// Resolve namespaces as OLM Classic does: what is installed and upgraded, and why
///
/// Without `--namespace`, all namespaces of the manifests and of what is to be installed are resolved, each by itself as OLM does it, and
/// conflicts between them are said.
/// Manifests are what `kubectl get subscriptions,clusterserviceversions,catalogsources,operatorgroups -o yaml` prints, or a
/// directory of them, for example of a must-gather. Exits with 1 if the namespace cannot be resolved, or never becomes stable.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex resolve --install kiali
  olmdex resolve --cluster must-gather/ -i community=my-catalog/
  olmdex resolve --cluster must-gather/ --install kiali/stable --until-stable -o json")]
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
    let Worlds { worlds, facts, warnings, cluster, has_skipped } = args.namespace.worlds(context, &index)?;
    let refused = cluster.extensions.iter().filter_map(ClusterExtension::version_refusal);
    warnings.into_iter().chain(refused).for_each(|it| context.reporter.warning(&it));
    let mut timings = Timings { load: started.elapsed(), ..Timings::default() };
    let options = args.namespace.options();
    let (mut all, mut ends, mut failure) = (Vec::new(), Vec::new(), None);
    let mut is_good = true;
    let is_of_several = worlds.len() > 1;
    for world in worlds {
        let rows = IndexRows::new(&index, &world);
        let Answered { answers, end, failure: own } =
            answers(args, (&world, &facts), (&index, &rows), &options, &mut timings)?;
        let is_stranded = |it: &ResolutionAnswer| it.standings.iter().any(|it| it.position == Position::Stranded);
        is_good &= answers
            .last()
            .is_none_or(|it| it.outcome == Outcome::Resolved && it.installed_before.is_none() && !is_stranded(it));
        all.extend(answers);
        ends.push(end.unwrap_or((world, None)));
        failure = failure.or(own);
    }
    let mut answers = all;
    let crossings = if is_of_several { across(&cluster, &ends) } else { Vec::new() };
    for crossing in &crossings {
        // What it is about is only so when all is done.
        for namespace in &crossing.namespaces {
            if let Some(last) = answers.iter_mut().rfind(|it| it.namespace == *namespace) {
                last.warnings.push(crossing.text.clone());
            }
        }
    }
    for answer in &mut answers {
        for operator in answer.operators.iter().filter(|it| it.is_upgrade) {
            let step = (operator.replaces.as_str(), operator.name.as_str());
            let changes = unsafe_definitions(&index, &operator.catalog, step)?;
            answer.warnings.extend(changes.into_iter().map(|it| format!("the step to {}: {it}", operator.name)));
        }
    }
    let mut said = BTreeSet::new();
    for warning in answers.iter().flat_map(|it| &it.warnings).filter(|it| said.insert(*it)) {
        context.reporter.warning(warning);
    }
    print(args, answers, is_of_several)?;
    if args.timings {
        let ms = |it: Duration| format!("{:.2} ms", it.as_secs_f64() * 1e3);
        let Timings { load, universe, solve, entries } = timings;
        let words = format!("load {}, universe {} ({entries} entries), solve {}", ms(load), ms(universe), ms(solve));
        context.reporter.note(&words);
    }
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    // What was passed over was not resolved.
    Ok(if is_good && !has_skipped { Exit::Yes } else { Exit::No })
}

/// The answers about a namespace.
struct Answered {
    answers: Vec<ResolutionAnswer>,
    /// The namespace before its last resolution, and that resolution.
    end: Option<(World, Option<Resolution>)>,
    /// Why there is no further answer, if a limit of ours is in the way.
    failure: Option<Failure>,
}

/// The answers about a namespace, generation after generation.
fn answers(
    args: &ResolveArgs,
    (world, facts): (&World, &ClusterFacts),
    (index, rows): (&Index, &IndexRows<'_>),
    options: &Options,
    timings: &mut Timings,
) -> Result<Answered, CommandError> {
    let course = if args.until_stable {
        generations(world, rows, options)
    } else {
        match resolve(world, rows, options) {
            Ok(verdict) => Course { generations: vec![one(world, verdict)], failure: None },
            Err(failure) => Course { generations: Vec::new(), failure: Some(failure) },
        }
    };
    let mut at = world.clone();
    let (mut answers, mut end) = (Vec::new(), None);
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
                end = Some((at.clone(), Some(resolution.clone())));
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
            Ok(Answered { answers, end, failure: None })
        }
        Some(failure) if answers.is_empty() => Err(failure.into()),
        failure => Ok(Answered { answers, end, failure }),
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

fn print(args: &ResolveArgs, answers: Vec<ResolutionAnswer>, is_of_several: bool) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.output {
        ResolveFormat::Data(format) => write_data(format, "Resolution", answers, &mut out)?,
        ResolveFormat::Table | ResolveFormat::Wide | ResolveFormat::Tree => {
            for (idx, answer) in answers.iter().enumerate() {
                if idx > 0 {
                    writeln!(out)?;
                }
                if is_of_several && (idx == 0 || answers[idx - 1].namespace != answer.namespace) {
                    writeln!(out, "Namespace {}", printable(&answer.namespace))?;
                }
                let n_of_namespace = answers.iter().filter(|it| it.namespace == answer.namespace).count();
                if n_of_namespace > 1 {
                    writeln!(out, "Generation {}", answer.generation)?;
                }
                match (args.output, answer.outcome) {
                    (ResolveFormat::Tree, Outcome::Resolved) => write_tree(answer, &mut out)?,
                    (format, Outcome::Resolved) => write_table(answer, format == ResolveFormat::Wide, &mut out)?,
                    (_, Outcome::Unsatisfiable | Outcome::Failed) => write_refusal(answer, &mut out)?,
                }
                write_list("OLM may differ", &answer.quirks, &mut out)?;
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
