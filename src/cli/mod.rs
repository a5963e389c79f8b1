//! The command line: arguments, formats, exit codes. One file a command; the work is done by the library.
//!
//! Only this module prints, reads the environment and decides how the program ends.

mod args;
mod author;
mod catalog;
mod exporting;
mod legacy;
mod mirror;
mod needs;
mod platform;
mod print;
#[cfg(feature = "serve")]
mod serving;
mod shell;
mod speak;
mod upgrade;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use args::images::ImageArgs;
use author::{bundle, edits, generate, init, lsp, release, repo, simulate, template};
use catalog::{build, diff, history, image, info, list, render, search, show, sql, validate};
#[cfg(feature = "oci")]
use catalog::{cache, pull, push};
use exporting::export;
use legacy::{doctor, edit, migrate};
use mirror::{filter, holdings, lock, outdated, renovate};
use needs::{crd_check, deps, explain_message, images, provides, requires, resolve, why};
use platform::{lifecycle, plan, platform_path};
#[cfg(feature = "serve")]
use serving::serve;
use shell::{completion, elsewhere, groups, man};
use speak::context::Context;
use speak::error::{CommandError, CommandResult, Exit};
use speak::interrupt;
use speak::pager;
use speak::report::{ColorChoice, LogFormat, Reporter};
use speak::screen;
use upgrade::{check_graph, compat, graph, path, updates, why_not, z_stream};

/// Index, check, query and render Operator Lifecycle Manager (OLM) catalogs
#[derive(Debug, Parser)]
#[command(name = "olmdex", version = version(), max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Use colours: `auto` (on a terminal, unless `NO_COLOR` is set), `always` or `never`
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        value_enum,
        default_value_t = ColorChoice::Auto,
        value_name = "WHEN",
        hide_possible_values = true,
        hide_default_value = true
    )]
    color: ColorChoice,
    /// Print data and errors only
    #[arg(short, long, global = true, help_heading = "Global options")]
    quiet: bool,
    /// Print details
    #[arg(short, long, global = true, help_heading = "Global options")]
    verbose: bool,
    /// Format of messages on standard error: `text`, or `json`, one object per line
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        value_enum,
        default_value_t = LogFormat::Text,
        value_name = "FORMAT",
        hide_possible_values = true,
        hide_default_value = true
    )]
    log_format: LogFormat,
    /// Print long answers to the terminal as they are, not through `$OLMDEX_PAGER`, `$PAGER` or `less`
    #[arg(long, global = true, help_heading = "Global options")]
    no_pager: bool,
    /// Threads that read catalogs. Default: one per processor
    #[arg(long, global = true, help_heading = "Global options", value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    images: ImageArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::BuildArgs),
    Validate(validate::ValidateArgs),
    Render(render::RenderArgs),
    Image(image::ImageCommandArgs),
    Migrate(migrate::MigrateArgs),
    Export(export::ExportArgs),
    Legacy(edit::LegacyArgs),
    Doctor(doctor::DoctorArgs),
    #[cfg(feature = "oci")]
    Push(push::PushArgs),
    #[cfg(feature = "oci")]
    Pull(pull::PullArgs),
    #[cfg(feature = "oci")]
    Cache(cache::CacheArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Updates(updates::UpdatesArgs),
    Path(path::PathArgs),
    WhyNot(why_not::WhyNotArgs),
    Graph(graph::GraphArgs),
    Diff(diff::DiffArgs),
    History(history::HistoryArgs),
    CheckGraph(check_graph::CheckGraphArgs),
    Compat(compat::CompatArgs),
    Plan(plan::PlanArgs),
    PlatformPath(platform_path::PlatformPathArgs),
    Lifecycle(lifecycle::LifecycleArgs),
    CrdCheck(crd_check::CrdCheckArgs),
    Bundle(bundle::BundleArgs),
    Template(template::TemplateArgs),
    Release(release::ReleaseArgs),
    Edit(edits::EditArgs),
    Simulate(simulate::SimulateArgs),
    Repo(repo::RepoArgs),
    Init(init::InitArgs),
    Generate(generate::GenerateArgs),
    Lsp(lsp::LspArgs),
    ZStream(z_stream::ZStreamArgs),
    Resolve(resolve::ResolveArgs),
    Why(why::WhyArgs),
    Deps(deps::DepsArgs),
    Provides(provides::ProvidesArgs),
    Requires(requires::RequiresArgs),
    Images(images::ImagesArgs),
    Filter(filter::FilterArgs),
    Mirror(holdings::MirrorArgs),
    Lock(lock::LockArgs),
    Outdated(outdated::OutdatedArgs),
    Renovate(renovate::RenovateArgs),
    ExplainMessage(explain_message::ExplainMessageArgs),
    Sql(sql::SqlArgs),
    #[cfg(feature = "serve")]
    Serve(Box<serve::ServeArgs>),
    Info(info::InfoArgs),
    Completion(completion::CompletionArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    Complete(completion::CompleteArgs),
}

impl Command {
    /// Whether people read what it prints; the others write something.
    fn is_read(&self) -> bool {
        #[cfg(feature = "serve")]
        if matches!(self, Self::Serve(_)) {
            return false;
        }
        if let Self::Validate(args) = self
            && args.writes()
        {
            return false;
        }
        !matches!(
            self,
            Self::Build(_)
                | Self::Migrate(_)
                | Self::Export(_)
                | Self::Legacy(_)
                | Self::ZStream(_)
                | Self::Filter(_)
                | Self::Lock(_)
                | Self::Renovate(_)
                | Self::Release(_)
                | Self::Edit(_)
                | Self::Generate(_)
                | Self::Lsp(_)
                | Self::Image(_)
                | Self::Completion(_)
                | Self::Complete(_)
                | Self::Man(_)
        )
    }
}

/// Version, commit and the SQLite that is built in. Whoever packages the program names the commit, in the environment of the build:
/// a build script that asked git would compile the library again after each `git add`.
fn version() -> String {
    let commit =
        option_env!("OLMDEX_COMMIT").filter(|it| !it.is_empty()).map(|it| format!("commit {it}, ")).unwrap_or_default();
    format!("{} ({commit}SQLite {})", crate::answer::VERSION, crate::index::sqlite_version())
}

fn parse() -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().collect();
    #[cfg(feature = "serve")]
    let words = serving::opm::translated(words);
    Cli::from_arg_matches(&groups::grouped(Cli::command()).try_get_matches_from(words)?)
}

/// Parses the arguments, runs the command, and gives the exit code.
#[must_use]
pub fn run() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(mut error) => {
            let words: Vec<String> = std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
            elsewhere::redirect(&mut error, &words);
            let is_help = !error.use_stderr();
            // Nobody is left to tell if this cannot be printed.
            let _ = error.print();
            return if is_help { Exit::Yes.into() } else { Exit::Usage.into() };
        }
    };
    let reporter = Reporter::new(cli.color, cli.log_format, cli.quiet, cli.verbose);
    screen::look(|is_terminal| reporter.color(is_terminal));
    if let Some(n_threads) = cli.threads {
        // Fails only if the pool exists already, which it cannot this early.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build_global();
    }
    // For tests of what happens between two processes.
    if cfg!(debug_assertions)
        && let Some(delay) = std::env::var("OLMDEX_TEST_LOCK_DELAY_MS").ok().and_then(|it| it.parse().ok())
    {
        crate::file::delay_locks(std::time::Duration::from_millis(delay));
    }
    if cli.command.is_read() && !cli.no_pager {
        pager::start();
    }
    let context = Context { reporter, opener: cli.images.opener() };
    // A panic is a bug, whose message is ours to word; the one that the runtime prints would come on top of it.
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(&context, &cli.command)));
    interrupt::wait_if_interrupted();
    pager::finish();
    match result {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) => {
            if !error.is_broken_pipe() {
                reporter.error(&error);
            }
            error.exit.into()
        }
        Err(panic) => {
            let what = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            let error = CommandError::new(Exit::Bug, format!("internal error: {what}"));
            reporter.error(&error.help("this is a bug in olmdex: please report it with the command and its input"));
            Exit::Bug.into()
        }
    }
}

fn dispatch(context: &Context, command: &Command) -> CommandResult {
    match command {
        Command::Build(args) => build::run(context, args),
        Command::Validate(args) => validate::run(context, args),
        Command::Render(args) => render::run(context, args),
        Command::Image(args) => image::run(context, args),
        Command::Migrate(args) => migrate::run(context, args),
        #[cfg(feature = "oci")]
        Command::Push(args) => push::run(context, args),
        #[cfg(feature = "oci")]
        Command::Pull(args) => pull::run(context, args),
        #[cfg(feature = "oci")]
        Command::Cache(args) => cache::run(context, args),
        Command::Export(args) => export::run(context, args),
        Command::Legacy(args) => edit::run(context, args),
        Command::Doctor(args) => doctor::run(context, args),
        Command::List(args) => list::run(context, args),
        Command::Show(args) => show::run(context, args),
        Command::Search(args) => search::run(context, args),
        Command::Updates(args) => updates::run(context, args),
        Command::Path(args) => path::run(context, args),
        Command::WhyNot(args) => why_not::run(context, args),
        Command::CheckGraph(args) => check_graph::run(context, args),
        Command::Compat(args) => compat::run(context, args),
        Command::Plan(args) => plan::run(context, args),
        Command::PlatformPath(args) => platform_path::run(context, args),
        Command::Lifecycle(args) => lifecycle::run(context, args),
        Command::CrdCheck(args) => crd_check::run(context, args),
        Command::Bundle(args) => bundle::run(context, args),
        Command::Template(args) => template::run(context, args),
        Command::Release(args) => release::run(context, args),
        Command::Edit(args) => edits::run(context, args),
        Command::Simulate(args) => simulate::run(context, args),
        Command::Repo(args) => repo::run(context, args),
        Command::Init(args) => init::run(args),
        Command::Generate(args) => generate::run(context, args),
        Command::Lsp(args) => lsp::run(args),
        Command::ZStream(args) => z_stream::run(context, args),
        Command::Resolve(args) => resolve::run(context, args),
        Command::Why(args) => why::run(context, args),
        Command::Deps(args) => deps::run(context, args),
        Command::Provides(args) => provides::run(context, args),
        Command::Requires(args) => requires::run(context, args),
        Command::Images(args) => images::run(context, args),
        Command::Filter(args) => filter::run(context, args),
        Command::Mirror(args) => holdings::run(context, args),
        Command::Lock(args) => lock::run(context, args),
        Command::Outdated(args) => outdated::run(context, args),
        Command::Renovate(args) => renovate::run(context, args),
        Command::ExplainMessage(args) => explain_message::run(context, args),
        Command::Graph(args) => graph::run(context, args),
        Command::Diff(args) => diff::run(context, args),
        Command::History(args) => history::run(context, args),
        Command::Sql(args) => sql::run(context, args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(context, args),
        Command::Info(args) => info::run(context, args),
        Command::Completion(args) => completion::completion(args),
        Command::Man(args) => man::man(Cli::command(), args),
        Command::Complete(args) => completion::complete(Cli::command(), args),
    }
}
