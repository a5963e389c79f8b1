//! `olmdex diagnose`

use std::path::PathBuf;

use clap::Args;

use crate::ask::{DiagnoseQuestion, Question as _, light_builder};
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::formats::{Formats, JSON, JSONL, OutputFormat, YAML};
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::{SourceOptions, default_source};
use crate::cli::args::upgrade::{ended, told};
use crate::cli::print::diagnosis;
use crate::cli::print::table::write_data;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult};
use crate::index::WholeOrLight;

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "A row for each operator, then each obstacle with its remedies"),
    JSON,
    JSONL,
    YAML,
    (OutputFormat::Markdown, "A page in Markdown, for a ticket"),
]);

/// Find out why operators of a cluster are stuck, and what helps
///
/// For each namespace, in the order in which OLM asks: CatalogSources, the OperatorGroup, InstallPlans, the resolution,
/// ClusterServiceVersions and their conditions; likewise for ClusterExtensions of OLM v1. A change that concerns the
/// resolution was tried by resolving the namespace with it. Without a catalog, the objects of the cluster alone count.
/// Exits with 1 if an operator is stuck, and with 4 if a name is not in the cluster.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex diagnose --cluster must-gather/
  olmdex diagnose keda --cluster must-gather/ -i community-operators=my-catalog/
  olmdex diagnose --cluster must-gather/ -o markdown")]
pub(crate) struct DiagnoseArgs {
    #[command(flatten)]
    question: DiagnoseQuestion,
    /// Manifests of the cluster, as `kubectl get -o yaml` or a must-gather has them: a file, a directory or `-`; or `@`
    /// and a context, which `oc` or `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", required = true)]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    #[command(flatten)]
    sources: SourceOptions,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
}

pub(crate) fn run(context: &Context, args: &DiagnoseArgs) -> CommandResult {
    let sources = args.sources.of_catalogs(&args.question.catalog);
    let cluster = named_cluster(context, &args.cluster, Asked::Operators)?;
    let index = match !sources.is_given() && default_source().is_err() {
        true => {
            context.reporter.note("no catalog given: resolution is not asked; name catalogs with `-i`");
            WholeOrLight::Light(light_builder().into_index().map_err(crate::ask::AskError::from)?)
        }
        false => sources.open_followed(context)?,
    };
    let state = args.source_map.state(&*index, &sources, cluster.as_ref());
    let answer = told(context, args.question.ask(&state))?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match args.output {
        format if format.is_data() => {
            write_data(format, DiagnoseQuestion::KIND, answer.items, &mut out)?;
        }
        format => diagnosis::write(&answer.items, format == OutputFormat::Markdown, &mut out)?,
    }
    std::io::Write::flush(&mut out).map_err(CommandError::from)?;
    ended(context, answer.verdict)
}
