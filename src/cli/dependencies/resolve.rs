//! `olmdex resolve`

use std::io::{BufWriter, Write as _};

use clap::Args;

use crate::ask::{ResolutionWish, Resolutions, resolutions};
use crate::cli::args::formats::{Formats, JSON, OutputFormat, YAML};
use crate::cli::args::namespace::NamespaceOptions;
use crate::cli::args::part::with_documents;
use crate::cli::print::resolution::{write_list, write_obstacles, write_refusal, write_resolution, write_tree};
use crate::cli::print::table::write_data;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::screen::screen;
use crate::diag::{counted, printable};
use crate::resolve::{Outcome, Position, ResolutionAnswer};

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "The operators, the steps, and the unchanged operators"),
    (OutputFormat::Wide, "The same, not cut to fit a terminal"),
    (OutputFormat::Tree, "Which operator pulls in which"),
    JSON,
    YAML,
]);

/// Resolve namespaces as OLM Classic does: what it installs, and why
///
/// Without `--namespace`, all namespaces of the manifests and of the wishes are resolved, each by itself as OLM does
/// it, and conflicts between them are reported. Manifests are the output of
/// `kubectl get subscriptions,clusterserviceversions,catalogsources,operatorgroups -o yaml`, or a directory of them,
/// for example of a must-gather. Exits with 1 if the namespace cannot be resolved, or never becomes stable.
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
    /// Show where OLM itself may give another answer, and why
    #[arg(long)]
    show_olm_quirks: bool,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
}

pub(crate) fn run(context: &Context, args: &ResolveArgs) -> CommandResult {
    let index = args.namespace.open(context, &[])?;
    let worlds = args.namespace.question(context)?.worlds(&index)?;
    worlds.warnings.iter().for_each(|it| context.reporter.warning(it));
    let has_skipped = worlds.has_skipped;
    let options = args.namespace.options();
    let wish = ResolutionWish { until_stable: args.until_stable, shows_quirks: args.show_olm_quirks, options };
    let mut found = resolutions(&index, worlds, &wish)?;
    let upgraded: Vec<String> = found.upgraded_packages().into_iter().cloned().collect();
    if !upgraded.is_empty() {
        with_documents(&index, context, &args.namespace.ask, &upgraded, |index| found.warn_of_definitions(index))?;
    }
    // People read below the choice what comes after it.
    let is_below = |text: &str| {
        let mut afterwards = found.answers.iter().flat_map(|it| &it.afterwards);
        screen().width.is_some() && !args.output.is_data() && afterwards.any(|it| text.starts_with(&it.text))
    };
    found.warnings().into_iter().filter(|text| !is_below(text)).for_each(|text| context.reporter.warning(text));
    let Resolutions { answers, is_good, is_of_several, failure } = found;
    // A skipped namespace may change or not, so nothing is folded beside one.
    let folds = is_of_several && !has_skipped && args.output == OutputFormat::Table;
    print(args, answers, is_of_several, folds)?;
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    // A skipped namespace was not resolved, so the answer is not complete.
    Ok(if is_good && !has_skipped { Exit::Yes } else { Exit::No })
}

fn print(
    args: &ResolveArgs,
    answers: Vec<ResolutionAnswer>,
    is_of_several: bool,
    folds: bool,
) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let is_for_people = screen().width.is_some();
    match args.output {
        format if format.is_data() => write_data(format, "Resolution", answers, &mut out)?,
        _ => {
            let is_alone =
                |it: &ResolutionAnswer| answers.iter().filter(|other| other.namespace == it.namespace).count() == 1;
            let (unchanged, answers): (Vec<&ResolutionAnswer>, Vec<&ResolutionAnswer>) =
                answers.iter().partition(|it| folds && is_alone(it) && changes_nothing(it));
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
                write_obstacles(&answer.obstacles, &mut out)?;
                match (args.output, answer.outcome) {
                    (OutputFormat::Tree, Outcome::Resolved) => write_tree(answer, &mut out)?,
                    (format, Outcome::Resolved) => write_resolution(answer, format, &mut out)?,
                    (_, Outcome::Unsatisfiable | Outcome::Failed) => write_refusal(answer, &mut out)?,
                }
                if is_for_people && !answer.afterwards.is_empty() {
                    writeln!(out)?;
                    write_obstacles(&answer.afterwards, &mut out)?;
                }
                write_list("OLM may choose otherwise", &answer.quirks, &mut out)?;
                if let Some(before) = answer.installed_before {
                    let when =
                        if before == 0 { "at the beginning".to_owned() } else { format!("after generation {before}") };
                    let names = printable(&answer.installed.join(", ")).into_owned();
                    writeln!(out, "\n{names} was already installed, {when}: the namespace never becomes stable.")?;
                }
            }
            if !unchanged.is_empty() {
                let names: Vec<&str> = unchanged.iter().map(|it| it.namespace.as_str()).collect();
                let before = if answers.is_empty() { "" } else { "\n" };
                let (n, names) = (counted(names.len() as u64, "namespace"), names.join(", "));
                writeln!(out, "{before}Unchanged: {n} ({}); `-o wide` lists them", printable(&names))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Whether everything in a namespace stays and is up to date.
fn changes_nothing(answer: &ResolutionAnswer) -> bool {
    let has_choice = answer
        .kept
        .iter()
        .flat_map(|it| &it.because)
        .any(|it| !it.preferred_to.is_empty() || !it.passed_over_operators.is_empty());
    answer.outcome == Outcome::Resolved
        && answer.operators.is_empty()
        && !answer.kept.is_empty()
        && answer.behind.is_empty()
        && answer.standings.iter().all(|it| it.position == Position::Head)
        && answer.quirks.is_empty()
        && answer.obstacles.is_empty()
        && (answer.afterwards.is_empty() || screen().width.is_none())
        && answer.installed_before.is_none()
        && !has_choice
}
