//! `olmdex bundle`

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::bundle::rules::{Contents, Options, Validation, Validator, sdk, selector, table};
use crate::check::practice::Profile;
use crate::cli::args::choice::{ChoiceOptions, Whole, profiles, report};
use crate::cli::args::formats::{Formats, GITHUB, GITLAB, JSON, JUNIT, OutputFormat, SARIF};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::words::SourceOption;
use crate::cli::print::findings::{print_chosen, unopened};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::compose::Choice;
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::{Finding, Rule, Severity, Tally, counted};
use crate::json::Tree;
use crate::version::Quoted;
use crate::{crd, edit};

/// Check bundle directories: every problem at once, each with its place
///
/// A bundle directory has `manifests/` and `metadata/`: one version of an operator.
///
/// The command has the rules of `opm alpha bundle validate` and `operator-sdk bundle validate`, with their levels, and
/// goes on where those stop. Exits with 0 if there are no errors, with 1 if there are, with 3 if a directory cannot be
/// read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex bundle my-bundle/
  olmdex bundle my-bundle/ --suite operatorhub,good-practices -o sarif > findings.sarif
  olmdex bundle my-bundle/ --with my-catalog/
  olmdex bundle my-bundle/ --suite alpha-deprecated-apis --optional-values k8s-version=1.25")]
pub(crate) struct BundleArgs {
    /// Bundle directories
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the findings
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
    /// Also run these validators: a suite (`operatorframework`, `all`) or a validator (`operatorhub`, `community`, …)
    #[arg(long, value_name = "SUITE,…", value_delimiter = ',', value_parser = parse_suite)]
    suite: Vec<Suite>,
    /// As `--suite`, with operator-sdk's labels: `suite=operatorframework`, `name=good-practices`; may be repeated
    #[arg(long, value_name = "LABELS", value_parser = parse_labels)]
    select_optional: Vec<Suite>,
    /// Also run the validators of the pipelines that a bundle should pass: those of `community` and `certified`;
    /// default: `profile` in olmdex.toml
    #[arg(long, alias = "profile", value_name = "PIPELINE,…", value_delimiter = ',', value_parser = profiles(), conflicts_with = "compat")]
    pipeline: Vec<Profile>,
    /// Values for validators: `k8s-version=1.25`, `index-path=bundle.Dockerfile`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',', value_parser = parse_value)]
    optional_values: Vec<(Key, String)>,
    /// Also check whether the bundles can join this catalog: names, edges, dependencies, definitions
    #[arg(long, value_name = "SOURCE", conflicts_with = "compat")]
    with: Option<PathBuf>,
    /// Give the verdict of another tool, in olmdex's words: as its lines, or as its document with `-o json-alpha1`
    #[arg(long, value_name = "TOOL")]
    compat: Option<Tool>,
    #[command(flatten)]
    choice: ChoiceOptions,
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "For people"),
    JSON,
    SARIF,
    GITHUB,
    GITLAB,
    JUNIT,
    (OutputFormat::JsonAlpha1, "operator-sdk's document, with `--as operator-sdk`"),
]);

/// Another tool whose output can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    /// operator-sdk: the same findings with its names for them, and an end at the same errors
    OperatorSdk,
}

/// Validators that a word stands for.
#[derive(Debug, Clone)]
struct Suite(Vec<Validator>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    KubernetesVersion,
    IndexPath,
    /// operator-sdk passes all values to all validators, which use those that they know.
    Other,
}

fn parse_suite(text: &str) -> Result<Suite, String> {
    selector::suite(text).map(Suite).map_err(|error| format!("{error}; {}", error.help()))
}

fn parse_labels(text: &str) -> Result<Suite, String> {
    selector::select(text).map(Suite).map_err(|error| format!("{error}; {}", error.help()))
}

fn parse_value(text: &str) -> Result<(Key, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    let key = match key {
        "k8s-version" => Key::KubernetesVersion,
        "index-path" => Key::IndexPath,
        _ => Key::Other,
    };
    Ok((key, value.to_owned()))
}

pub(crate) fn run(context: &Context, args: &BundleArgs) -> CommandResult {
    let options = options(args)?;
    let config = if args.compat.is_none() { args.choice.config(context, &args.directories)? } else { None };
    let of_config = config.as_ref().map(|it| it.profiles.as_slice()).unwrap_or_default();
    let profiles = if args.pipeline.is_empty() { of_config } else { &args.pipeline };
    let mut validators = selector::of_profiles(&profiles.iter().map(|it| it.name()).collect::<Vec<_>>());
    for it in args.suite.iter().chain(&args.select_optional).flat_map(|it| &it.0) {
        if it.is_optional() && !validators.contains(it) {
            validators.push(*it);
        }
    }
    validators.sort();
    match (args.compat, args.output) {
        (Some(Tool::OperatorSdk), _) => as_sdk(context, args, &validators, &options),
        (None, OutputFormat::JsonAlpha1) => {
            let error = CommandError::usage("`-o json-alpha1` works only with `--as operator-sdk`");
            Err(error.help("use `-o json`"))
        }
        (None, _) => {
            let choice = args.choice.choice(context, config.as_ref(), Whole::Other)?;
            own(context, args, &validators, &options, &choice)
        }
    }
}

fn options(args: &BundleArgs) -> Result<Options, CommandError> {
    let mut options = Options::default();
    for (key, value) in &args.optional_values {
        match key {
            Key::KubernetesVersion => options.k8s_version.clone_from(value),
            Key::IndexPath => options.index_path = Some(PathBuf::from(value)),
            Key::Other => {}
        }
    }
    // The variable of operator-sdk.
    if let Some(path) = std::env::var_os("OPERATOR_BUNDLE_CATEGORIES").filter(|it| !it.is_empty()) {
        let path = PathBuf::from(path);
        options.categories = Some(Options::read_categories(&path).map_err(|why| {
            let what = format!("cannot read the categories in `{}`: {why}", path.display());
            CommandError::new(Exit::Input, what)
                .help("OPERATOR_BUNDLE_CATEGORIES must name a file that holds {\"categories\": […]}")
        })?);
    }
    Ok(options)
}

/// Our report.
fn own(
    context: &Context,
    args: &BundleArgs,
    optional: &[Validator],
    options: &Options,
    choice: &Choice,
) -> CommandResult {
    let format = args.output;
    let mut rules: Vec<&'static Rule> = table::ALL.to_vec();
    let index = match &args.with {
        Some(path) => {
            rules.extend([edit::rules::ALL, crd::rules::ALL].concat());
            Some(AskOptions::of_sources(std::slice::from_ref(path)).open(context)?)
        }
        None => None,
    };
    let mut findings: Vec<Finding> = Vec::new();
    for directory in &args.directories {
        let contents = match Contents::read(directory) {
            Ok(contents) => contents,
            Err(error) => return Err(unopened(format, &rules, &findings, directory, unreadable(&error))),
        };
        let validation = Validation::new(&contents);
        findings.extend(validation.findings(optional, options));
        if let Some(index) = &index {
            match validation.newcomer() {
                Some(newcomer) => findings.extend(edit::join(index, &newcomer)?),
                None => {
                    let what = format!("{} has no package or no ClusterServiceVersion", directory.display());
                    context.reporter.warning(&format!("{what}, so it was not compared with the catalog"));
                }
            }
        }
    }
    let chosen = choice.apply(findings, &Scope { rules: &rules, packages: &[], is_whole: false })?;
    let printed = print_chosen(context, format, &rules, &chosen, args.choice.all, FindingsMetadata::default());
    unless_reader_left(printed)?;
    report(context, choice, &chosen);
    if format == OutputFormat::Table && !context.reporter.is_quiet() {
        note(context, args.directories.len(), chosen.tally(), chosen.has_hidden_errors());
    }
    Ok(if chosen.is_refused() { Exit::No } else { Exit::Yes })
}

fn note(context: &Context, n: usize, tally: Tally, has_hidden: bool) {
    let what = counted(n as u64, "bundle");
    let valid = if has_hidden { "valid except for hidden errors" } else { "valid" };
    context.reporter.note(&match tally {
        Tally { errors: 0, warnings: 0 } => format!("{what}: {valid}"),
        Tally { errors: 0, .. } => format!("{what}: {valid}, {tally}"),
        _ => format!("{what}: invalid, {tally}"),
    });
}

fn unreadable(error: &crate::bundle::BundleError) -> CommandError {
    CommandError::new(Exit::Input, error.to_string()).help(error.help())
}

/// Prints the verdict of operator-sdk, a document for each bundle.
fn as_sdk(context: &Context, args: &BundleArgs, optional: &[Validator], options: &Options) -> CommandResult {
    if args.choice.is_given() {
        let error = CommandError::usage(
            "`--as operator-sdk` gives the verdict of operator-sdk: you cannot choose its findings",
        );
        return Err(error.help("leave out `--as`, or the options about findings"));
    }
    if !matches!(args.output, OutputFormat::JsonAlpha1 | OutputFormat::Table) {
        return Err(CommandError::usage("`--as operator-sdk` works only with `-o json-alpha1`, `-o table` or no `-o`"));
    }
    context.reporter.note("messages are olmdex's; names of findings and verdicts are operator-sdk's");
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut is_refused = false;
    for directory in &args.directories {
        let contents = Contents::read(directory).map_err(|error| unreadable(&error))?;
        let outputs = match sdk::outputs(&Validation::new(&contents), optional, options) {
            Ok(outputs) => outputs,
            Err(error) => {
                context.reporter.plain(&format!("level=fatal msg={}", Quoted(&error)));
                is_refused = true;
                continue;
            }
        };
        is_refused |= outputs.iter().any(|it| it.level == Severity::Error);
        match args.output {
            OutputFormat::JsonAlpha1 => out.write_all(sdk_document(&outputs).as_bytes())?,
            _ => sdk_text(context, &outputs),
        }
    }
    out.flush()?;
    Ok(if is_refused { Exit::No } else { Exit::Yes })
}

fn sdk_document(outputs: &[sdk::Output]) -> String {
    let passed = !outputs.iter().any(|it| it.level == Severity::Error);
    let output =
        |it: &sdk::Output| Tree::object().with("type", it.level.word()).with("message", Tree::html(&it.to_string()));
    let all = if outputs.is_empty() { Tree::Raw("null".to_owned()) } else { Tree::list(outputs.iter().map(output)) };
    Tree::object().with("passed", passed).with("outputs", all).indented(4) + "\n"
}

fn sdk_text(context: &Context, outputs: &[sdk::Output]) {
    for output in outputs {
        context.reporter.plain(&format!("level={} msg={}", output.level.word(), Quoted(&output.to_string())));
    }
    if !outputs.iter().any(|it| it.level == Severity::Error) {
        context.reporter.plain("level=info msg=\"All validation tests have completed successfully\"");
    }
}
