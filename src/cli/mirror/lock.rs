//! `olmdex lock`

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::ask::{LockQuestion, Verdict, WorkOptions, asked_of_lock, one_of, wishes_of_cluster};
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::lock_file::{LockFile, read_lock, refuse_unknown_catalog};
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::text::{misread, text_of};
use crate::cli::args::upgrade::{ended, told};
use crate::cli::print::difference::print_difference;
use crate::cli::print::table::{self, Column, Row, RowOptions, column};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::diag::counted;
use crate::file::{finish_left, read_regular_of, system_words, write_over};
use crate::lock::{Ask, Drift, DriftKind, Lock, LockChange, update, verify};
use crate::mirror::{self, Configuration, Dialect};
use crate::upgrade::Olm;

/// Pin operators to bundles, and see later what has changed
///
/// Writes operators.lock: for each operator its catalog, channel, bundle and images, with digests of their content in
/// the catalog. Exits with 1 if a dependency is missing.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  olmdex lock keda/stable kiali -i my-catalog/
  olmdex lock --cluster must-gather/ --dry-run
  olmdex lock 'keda@>=2.9.0 <2.10.0' --olm v1 --dry-run -i my-catalog/
  olmdex lock verify -i my-catalog/
  olmdex lock update keda --dry-run -i my-catalog/"
)]
pub(crate) struct LockArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// The operators: PKG, PKG/CHANNEL, PKG@VERSION, or with a range, PKG/CHANNEL@RANGE
    #[arg(value_name = "PKG[/CHANNEL][@RANGE]")]
    names: Vec<String>,
    /// Also the operators of an ImageSetConfiguration; `-i REFERENCE=SOURCE` names the source of one of its catalogs
    #[arg(short = 'c', long = "imageset", value_name = "FILE|-")]
    imageset: Option<PathBuf>,
    /// Also the bundles that a cluster has installed: its manifests, a must-gather, or `@` and a context, which `oc` or
    /// `kubectl` read; may be repeated. The other operators are locked to the newest bundle
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// The generation of OLM that installs them
    #[arg(long, value_parser = one_of::<Olm>(), default_value = "classic")]
    olm: Olm,
    /// Also lock the bundles that OLM Classic installs with them
    #[arg(long)]
    with_deps: bool,
    /// List the images, instead of their digest only
    #[arg(long, hide_long_help = true)]
    list_images: bool,
    /// Print the changes, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    file: LockFile,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    ask: AskOptions,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Verify(VerifyArgs),
    Update(UpdateArgs),
}

/// Compare the locked bundles with the present catalogs
///
/// Names bundles that are gone, bundles and images with other content under their names, other edges, deprecations, and
/// newer heads, the gravest first. Exits with 1 if there is any difference.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex lock verify -i my-catalog/
  olmdex lock verify --omit newer-head,deprecated -i my-catalog/
  olmdex lock verify -o json -i my-catalog/")]
struct VerifyArgs {
    /// Kinds that are fine
    #[arg(long, alias = "ignore", value_parser = one_of::<DriftKind>(), value_name = "KIND,…", value_delimiter = ',')]
    omit: Vec<DriftKind>,
    #[command(flatten)]
    file: LockFile,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

/// Lock newer bundles, as far as OLM upgrades to them from the locked ones
///
/// Prints each step. Bundles that OLM cannot upgrade stay as they are, with the reason; the exit code is 1 if that
/// concerns `--precise`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex lock update --dry-run -i my-catalog/
  olmdex lock update keda --dry-run -i my-catalog/
  olmdex lock update keda --precise 2.10.1 --dry-run -i my-catalog/")]
struct UpdateArgs {
    /// The packages. Default: all that are locked
    #[arg(value_name = "PKG")]
    packages: Vec<String>,
    /// The version to update to
    #[arg(long, value_name = "VERSION", requires = "packages")]
    precise: Option<String>,
    /// Print the changes, and write nothing; with `-o json` and similar formats, as data
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    file: LockFile,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

impl Row for Drift {
    const KIND: &'static str = "LockDrift";

    const COLUMNS: &'static [Column<Self>] = &[
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("LOCKED", |it| Cow::from(&it.bundle)),
        column("DRIFT", |it| it.kind.as_str().into()),
        column("MESSAGE", |it| Cow::from(&it.message)),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}

impl Row for LockChange {
    const KIND: &'static str = "LockChange";

    const COLUMNS: &'static [Column<Self>] = &[
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("FROM", |it| Cow::from(&it.from)),
        column("STEPS", |it| {
            let steps: Vec<&str> = it.steps.iter().map(|it| it.bundle.as_str()).collect();
            let way = match (steps.is_empty(), it.from == it.to, it.to.as_str()) {
                (true, true, _) => "stays".to_owned(),
                (true, false, "") => "dropped".to_owned(),
                (true, false, to) => format!("added {to}"),
                (false, ..) => steps.join(" → "),
            };
            way.into()
        }),
        column("REASON", |it| Cow::from(&it.reason)),
    ];

    fn name(&self) -> String {
        self.to.clone()
    }
}

pub(crate) fn run(context: &Context, args: &LockArgs) -> CommandResult {
    match &args.verb {
        Some(Verb::Verify(args)) => return run_verify(context, args),
        Some(Verb::Update(args)) => return run_update(context, args),
        None => {}
    }
    let mut asked = args.ask.clone();
    let mut wishes = args.names.iter().map(|it| ask(it, args.olm)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.imageset {
        let text = text_of(path)?;
        let configuration = mirror::decode(&text, Dialect::Named);
        let configuration = configuration.map_err(|error| misread(path, &text, Dialect::Named, &error))?;
        asked = asked.of_configuration(&configuration.operators)?;
        wishes.extend(of_configuration(&configuration, args.olm));
    }
    if wishes.is_empty() && args.cluster.is_empty() {
        let error = CommandError::usage("nothing to lock: neither a package, a configuration nor a cluster given");
        return Err(error.help("name packages, an ImageSetConfiguration with `-c FILE`, or a cluster with `--cluster`"));
    }
    let index = asked.open_about(context, &args.names)?;
    let mut verdict = Verdict::Yes;
    if !args.cluster.is_empty() {
        let cluster = named_cluster(context, &args.cluster, Asked::Operators)?;
        let state = args.source_map.state(&index, &asked, cluster.as_ref());
        let installed = told(context, wishes_of_cluster(&state, &args.ask.catalog))?;
        wishes.extend(installed.items);
        verdict = installed.verdict;
        if wishes.is_empty() {
            return ended(context, verdict);
        }
    }
    let question = LockQuestion {
        catalogs: &args.ask.catalog,
        wishes,
        lists_images: args.list_images,
        dependencies: args.with_deps.then(|| args.work.options()),
    };
    let answer = question.answer(&index)?;
    let path = args.file.path();
    let old = match read_regular_of(path, LockFile::MAX_LEN) {
        Ok(text) => {
            let text = String::from_utf8_lossy(&text).into_owned();
            // A file of that name with other content is not replaced.
            read_lock(path, &text)?;
            text
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(CommandError::new(
                Exit::Input,
                format!("cannot read `{}`: {}", path.display(), system_words(&error)),
            ));
        }
    };
    write(context, path, &old, &answer.lock, args.dry_run)?;
    let exit = say_missing(context, &answer.missing);
    Ok(match ended(context, verdict)? {
        Exit::Yes => exit,
        part => part,
    })
}

/// Reports demands that nothing meets.
fn say_missing(context: &Context, missing: &[String]) -> Exit {
    missing.iter().for_each(|it| context.reporter.warning(it));
    if missing.is_empty() { Exit::Yes } else { Exit::No }
}

/// Writes a lock if it has changed.
fn write(context: &Context, path: &Path, old: &str, lock: &Lock, dry_run: bool) -> Result<(), CommandError> {
    let new = lock.text();
    let operators = counted(lock.operators.len() as u64, "operator");
    if dry_run {
        return print_difference(context, path, 1, old, &new);
    }
    if old == new {
        finish_left(std::iter::once(path));
        context.reporter.note(&format!("{} is up to date: {operators}", path.display()));
        return Ok(());
    }
    interrupt::undo_writes(context);
    // Without a lock there is no earlier content.
    let before = (!old.is_empty() || path.exists()).then_some(old.as_bytes());
    write_over(path, before, new.as_bytes())?;
    context.reporter.note(&format!("wrote {}: {operators}", path.display()));
    Ok(())
}

/// Reads a name as a wish.
fn ask(text: &str, olm: Olm) -> Result<Ask, CommandError> {
    asked_of_lock(text, olm).ok_or_else(|| CommandError::usage(format!("`{text}` does not name a package")))
}

/// The wishes of an ImageSetConfiguration.
fn of_configuration(configuration: &Configuration, olm: Olm) -> Vec<Ask> {
    let mut asks = Vec::new();
    for package in configuration.operators.iter().flat_map(|it| &it.packages) {
        let mut add = |channel: &str, range: &mirror::Range| {
            let constraint = range.exact().map_or_else(|| range.text().trim().to_owned(), str::to_owned);
            let (package, channel) = (package.name.clone(), channel.to_owned());
            asks.push(Ask { package, channel, constraint, olm, installed: None });
        };
        if package.channels.is_empty() {
            add("", &package.range);
        }
        for channel in &package.channels {
            add(&channel.name, if channel.range.is_empty() { &package.range } else { &channel.range });
        }
    }
    asks
}

fn run_verify(context: &Context, args: &VerifyArgs) -> CommandResult {
    let (lock, _) = args.file.read()?;
    let index = args.ask.open(context)?;
    let mut drifts = verify(&index, &lock).map_err(|it| refuse_unknown_catalog(&args.file, it))?;
    drifts.retain(|it| !args.omit.contains(&it.kind));
    let is_clean = drifts.is_empty();
    if is_clean && !args.rows.is_data() {
        let operators = counted(lock.operators.len() as u64, "operator");
        context.reporter.note(&format!("{operators}: as locked"));
        return Ok(Exit::Yes);
    }
    table::print(drifts, &args.rows)?;
    Ok(if is_clean { Exit::Yes } else { Exit::No })
}

fn run_update(context: &Context, args: &UpdateArgs) -> CommandResult {
    let (lock, old) = args.file.read()?;
    let index = args.ask.open(context)?;
    let made = update(&index, &lock, &args.packages, args.precise.as_deref(), &args.work.options())
        .map_err(|it| refuse_unknown_catalog(&args.file, it))?;
    if made.is_refused {
        let reasons = made.changes.iter().map(|it| format!("{}: {}", it.package, it.reason));
        let reasons: Vec<String> = reasons.collect();
        let error = CommandError::new(Exit::No, format!("OLM cannot reach it: {}", reasons.join("; ")));
        return Err(error.help("`olmdex upgrades --steps` shows where the upgrades lead; nothing was written"));
    }
    let is_shown_as_data = args.rows.is_data();
    if !args.dry_run || is_shown_as_data {
        table::print(made.changes, &args.rows)?;
    }
    if args.dry_run && is_shown_as_data {
        return Ok(say_missing(context, &made.missing));
    }
    write(context, args.file.path(), &old, &made.lock, args.dry_run)?;
    Ok(say_missing(context, &made.missing))
}
