//! The command line: arguments, formats, exit codes. Each command has one file; the library does the work.
//!
//! Only this module prints, reads the environment and decides how the program ends.

mod args;
mod author;
mod catalog;
mod dependencies;
mod exporting;
mod legacy;
mod limits;
mod lists;
mod mirror;
mod platform;
mod print;
#[cfg(any(feature = "mcp", feature = "serve"))]
mod serving;
mod shell;
mod terminal;
mod upgrade;

pub use lists::{all_rules, schemas};

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::compose::Reach;
use crate::diag::{counted, printable};
use crate::fbc::Sight;
use crate::source::TemplateUse;
use args::images::ImageArgs;
use author::{bundle, edits, init, lsp, onboard, release, repo, simulate, template};
use catalog::{blame, build, check, diff, generate, history, image, info, list, render, search, show, sql, validate};
#[cfg(feature = "oci")]
use catalog::{cache, pull, push};
use dependencies::{crd_check, deps, explain, explain_message, images, provides, requires, resolve, why};
use exporting::export;
use legacy::{doctor, edit, migrate};
use mirror::{filter, holdings, lock, outdated, renovate};
use platform::{diagnose, installed, lifecycle, plan, platform_path, v1, whereis};
#[cfg(feature = "mcp")]
use serving::mcp;
#[cfg(feature = "serve")]
use serving::serve;
use shell::groups::Task;
use shell::{completion, foreign_commands, grammar, help, man, old_words, slips, topics, vocabulary, word_help};
use terminal::context::Context;
use terminal::error::{CommandError, CommandResult, Exit};
use terminal::interrupt;
use terminal::pager;
use terminal::report::{ColorChoice, LogFormat, Reporter};
use terminal::screen;
use upgrade::{bisect, check_graph, compat, graph, path, standings, stranded, updates, why_not, z_stream};

/// Index, check, query and render Operator Lifecycle Manager (OLM) catalogs
#[derive(Debug, Parser)]
#[command(name = "olmdex", version = version(), max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: GlobalArgs,
}

/// The options that every command takes.
#[derive(Debug, Args)]
struct GlobalArgs {
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
    /// Read catalogs in files anew, and cache nothing of them for the next question
    #[arg(long, global = true, help_heading = "Global options")]
    no_cache: bool,
    /// Threads that read catalogs. Default: one per processor
    #[arg(long, global = true, help_heading = "Global options", value_name = "N")]
    threads: Option<usize>,
    /// Seconds to wait for another process that writes the same target. Default: 10
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        default_value_t = 10,
        hide_default_value = true,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(..=86_400)
    )]
    wait: u64,
    /// Let an olmdex.toml that was found, not named, read and write outside of its directory, and read from registries;
    /// let a plan read so for `plan --check`, and a git repository outside of itself
    #[arg(long, global = true, help_heading = "Global options", alias = "anywhere")]
    trust_config: bool,
    #[command(flatten)]
    images: ImageArgs,
}

/// Declares the commands: the typed word, the arguments, the function that runs the command, its task and place in the
/// help, and whether people read its output. A hidden command belongs to a word of [`grammar`], or programs call it.
macro_rules! commands {
    ($($(#[$when:meta])* $name:literal => $variant:ident($args:ty), $run:path, $task:ident $place:literal, $is_read:path;)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$when])* #[command(name = $name)] $variant($args),)*
        }

        /// The place of each command in the help.
        const PLACES: &[(Task, u8, &str)] = &[$($(#[$when])* (Task::$task, $place, $name),)*];

        impl Command {
            fn run(&self, context: &Context) -> CommandResult {
                match self {
                    $($(#[$when])* Self::$variant(args) => $run(context, args),)*
                }
            }

            /// Whether people read its output; the other commands write something.
            fn is_read(&self) -> bool {
                match self {
                    $($(#[$when])* Self::$variant(args) => $is_read(args),)*
                }
            }
        }

        /// The arguments of one command; `None` if there is no command of this name.
        fn arguments_of(name: &str) -> Option<clap::Command> {
            match name {
                $($(#[$when])* $name => Some(vocabulary::with_other_names(<$args as Args>::augment_args(clap::Command::new($name)))),)*
                _ => None,
            }
        }
    };
}

commands! {
    "build" => Build(build::BuildArgs), build::run, Catalogs 1, writes;
    "check" => Check(check::CheckArgs), check::run, Catalogs 2, reads;
    "validate" => Validate(validate::ValidateArgs), validate::run, Catalogs 3, validate::ValidateArgs::is_read;
    "render" => Render(render::RenderArgs), render::run, Catalogs 4, reads;
    "image" => Image(image::ImageCommandArgs), image::run, Mirroring 4, writes;
    "migrate" => Migrate(migrate::MigrateArgs), migrate::run, Serving 3, writes;
    "export" => Export(export::ExportArgs), export::run, Serving 2, writes;
    "legacy" => Legacy(edit::LegacyArgs), edit::run, Hidden 0, writes;
    "doctor" => Doctor(doctor::DoctorArgs), doctor::run, Hidden 0, reads;
    #[cfg(feature = "oci")]
    "push" => Push(push::PushArgs), push::run, Hidden 0, reads;
    #[cfg(feature = "oci")]
    "pull" => Pull(pull::PullArgs), pull::run, Hidden 0, reads;
    #[cfg(feature = "oci")]
    "cache" => Cache(cache::CacheArgs), cache::run, Mirroring 5, reads;
    "list" => List(list::ListArgs), list::run, Catalogs 5, reads;
    "show" => Show(show::ShowArgs), show::run, Catalogs 6, reads;
    "search" => Search(search::SearchArgs), search::run, Catalogs 7, reads;
    "updates" => Updates(updates::UpdatesArgs), updates::run, Hidden 0, reads;
    "path" => Path(path::PathArgs), path::run, Hidden 0, reads;
    "standings" => Standings(standings::StandingsArgs), standings::run, Hidden 0, reads;
    "why-not" => WhyNot(why_not::WhyNotArgs), why_not::run, Hidden 0, reads;
    "graph" => Graph(graph::GraphArgs), graph::run, Upgrades 3, reads;
    "diff" => Diff(diff::DiffArgs), diff::run, Catalogs 8, reads;
    "history" => History(history::HistoryArgs), history::run, Hidden 0, reads;
    "blame" => Blame(blame::BlameArgs), blame::run, Hidden 0, reads;
    "bisect" => Bisect(bisect::BisectArgs), bisect::run, Hidden 0, reads;
    "stranded" => Stranded(stranded::StrandedArgs), stranded::run, Hidden 0, reads;
    "check-graph" => CheckGraph(check_graph::CheckGraphArgs), check_graph::run, Hidden 0, reads;
    "compat" => Compat(compat::CompatArgs), compat::run, Hidden 0, reads;
    "diagnose" => Diagnose(diagnose::DiagnoseArgs), diagnose::run, Upgrades 2, reads;
    "plan" => Plan(plan::PlanArgs), plan::run, Upgrades 6, reads;
    "whereis" => Whereis(whereis::WhereisArgs), whereis::run, Hidden 0, reads;
    "v1" => V1(v1::V1Args), v1::run, Hidden 0, reads;
    "platform-path" => PlatformPath(platform_path::PlatformPathArgs), platform_path::run, Hidden 0, reads;
    "installed" => Installed(installed::InstalledArgs), installed::run, Hidden 0, reads;
    "lifecycle" => Lifecycle(lifecycle::LifecycleArgs), lifecycle::run, Hidden 0, reads;
    "crd-check" => CrdCheck(crd_check::CrdCheckArgs), crd_check::run, Hidden 0, reads;
    "bundle" => Bundle(bundle::BundleArgs), bundle::run, Hidden 0, reads;
    "template" => Template(template::TemplateArgs), template::run, Authoring 2, reads;
    "onboard" => Onboard(onboard::OnboardArgs), onboard::run, Hidden 0, writes;
    "release" => Release(release::ReleaseArgs), release::run, Hidden 0, writes;
    "edit" => Edit(edits::EditArgs), edits::run, Authoring 1, writes;
    "simulate" => Simulate(simulate::SimulateArgs), simulate::run, Hidden 0, reads;
    "repo" => Repo(repo::RepoArgs), repo::run, Hidden 0, reads;
    "init" => Init(init::InitArgs), init::run, Hidden 0, reads;
    "generate" => Generate(generate::GenerateArgs), generate::run, Hidden 0, writes;
    "lsp" => Lsp(lsp::LspArgs), lsp::run, Hidden 0, writes;
    "z-stream" => ZStream(z_stream::ZStreamArgs), z_stream::run, Hidden 0, writes;
    "resolve" => Resolve(resolve::ResolveArgs), resolve::run, Upgrades 4, reads;
    "why" => Why(why::WhyArgs), why::run, Hidden 0, reads;
    "deps" => Deps(deps::DepsArgs), deps::run, Upgrades 5, reads;
    "provides" => Provides(provides::ProvidesArgs), provides::run, Hidden 0, reads;
    "requires" => Requires(requires::RequiresArgs), requires::run, Hidden 0, reads;
    "images" => Images(images::ImagesArgs), images::run, Mirroring 1, reads;
    "filter" => Filter(filter::FilterArgs), filter::run, Hidden 0, writes;
    "mirror" => Mirror(holdings::MirrorArgs), holdings::run, Mirroring 2, reads;
    "lock" => Lock(lock::LockArgs), lock::run, Mirroring 3, writes;
    "outdated" => Outdated(outdated::OutdatedArgs), outdated::run, Hidden 0, reads;
    "renovate" => Renovate(renovate::RenovateArgs), renovate::run, Hidden 0, writes;
    "explain" => Explain(explain::ExplainArgs), explain::run, Upgrades 7, reads;
    "explain-message" => ExplainMessage(explain_message::ExplainMessageArgs), explain_message::run, Hidden 0, reads;
    "sql" => Sql(sql::SqlArgs), sql::run, Catalogs 10, reads;
    #[cfg(feature = "serve")]
    "serve" => Serve(Box<serve::ServeArgs>), serve::run, Serving 1, writes;
    #[cfg(feature = "mcp")]
    "mcp" => Mcp(mcp::McpArgs), mcp::run, Hidden 0, writes;
    "info" => Info(info::InfoArgs), info::run, Hidden 0, reads;
    "completion" => Completion(completion::CompletionArgs), completion::completion, Hidden 0, writes;
    "man" => Man(man::ManArgs), print_manual, Hidden 0, writes;
    "complete" => Complete(completion::CompleteArgs), complete, Hidden 0, writes;
}

/// The commands, with all words that they understand.
fn plain() -> clap::Command {
    vocabulary::with_other_names(Cli::command())
}

/// The whole command line as the help shows it.
fn whole() -> clap::Command {
    word_help::described(plain(), PLACES)
}

fn reads<A>(_: &A) -> bool {
    true
}

fn writes<A>(_: &A) -> bool {
    false
}

fn print_manual(_: &Context, args: &man::ManArgs) -> CommandResult {
    man::man(whole(), args)
}

fn complete(_: &Context, args: &completion::CompleteArgs) -> CommandResult {
    completion::complete(whole(), args)
}

impl Command {
    /// Whether it behaves like opm, even in its idea of a catalog.
    fn is_opm(&self) -> bool {
        match self {
            Self::Validate(args) => args.compat.is_some(),
            Self::Render(args) => args.compat.is_some(),
            Self::List(args) => args.compat.is_some(),
            Self::Graph(args) => args.compat.is_some(),
            #[cfg(feature = "serve")]
            Self::Serve(args) => args.as_opm,
            _ => false,
        }
    }

    /// How it opens a template of a catalog.
    fn template_use(&self) -> TemplateUse {
        match self {
            Self::Graph(_) | Self::Updates(_) | Self::Path(_) | Self::WhyNot(_) | Self::CheckGraph(_) => {
                TemplateUse::Graph
            }
            Self::List(args) if args.has_conditions() => TemplateUse::Refused,
            Self::List(_) | Self::Show(_) | Self::Diff(_) | Self::Simulate(_) | Self::Edit(_) => TemplateUse::Graph,
            // They judge it by the rules of templates; opm renders it as a blob of an unknown schema.
            Self::Validate(_)
            | Self::Check(_)
            | Self::Template(_)
            | Self::Lsp(_)
            | Self::Bundle(_)
            | Self::Render(_) => TemplateUse::Text,
            _ => TemplateUse::Refused,
        }
    }

    /// Whether it goes on when something could not be read.
    fn goes_on(&self) -> bool {
        #[cfg(feature = "serve")]
        if matches!(self, Self::Serve(_)) {
            return true;
        }
        #[cfg(feature = "mcp")]
        if matches!(self, Self::Mcp(_)) {
            return true;
        }
        matches!(self, Self::Lsp(_) | Self::Complete(_))
    }
}

/// Version, commit and the built-in SQLite. Packagers name the commit in the environment of the build: a build script
/// that asked git would compile the library again after each `git add`.
fn version() -> String {
    let commit =
        option_env!("OLMDEX_COMMIT").filter(|it| !it.is_empty()).map(|it| format!("commit {it}, ")).unwrap_or_default();
    format!("{} ({commit}SQLite {})", crate::diag::envelope::VERSION, crate::index::sqlite_version())
}

fn parse(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    #[cfg(feature = "serve")]
    let words = serving::opm::translated(words);
    let globals = || GlobalArgs::augment_args(clap::Command::new("olmdex"));
    let words = vocabulary::translated(grammar::translated(words, PLACES, arguments_of, globals));
    // clap's `help` takes names of commands only.
    let is_flag = |it: &OsString| ["--all", "-h", "--help"].iter().any(|flag| it == flag);
    let is_help = words.get(1).is_some_and(|it| it == "help");
    let words: Vec<OsString> = words.into_iter().filter(|it| !is_help || !is_flag(it)).collect();
    let is_of_help = is_help && words.get(2).is_some_and(|it| it == "help");
    let words = if is_of_help { words[..2].to_vec() } else { words };
    let words = args::words::placed(words, arguments_of, globals);
    if is_help || grammar::asks_for_help(&words) {
        return Cli::from_arg_matches(&whole().try_get_matches_from(words)?);
    }
    match parse_for_one(&words) {
        Some(cli) => Ok(cli),
        None => match plain().try_get_matches_from(&words) {
            Ok(matches) => Cli::from_arg_matches(&matches),
            // The help and the proposals are about the words that are shown.
            Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
                Err(whole().try_get_matches_from(words).err().unwrap_or(error))
            }
            Err(error) => Err(error),
        },
    }
}

/// Parses an error-free command line whose first word is a command. clap gets a description of this command only: those
/// of the fifty others take longer than many an answer. Help and messages need them all.
fn parse_for_one(words: &[OsString]) -> Option<Cli> {
    let command = arguments_of(words.get(1)?.to_str()?)?;
    let root = GlobalArgs::augment_args(clap::Command::new("olmdex")).subcommand_required(true).subcommand(command);
    Cli::from_arg_matches(&root.try_get_matches_from(words).ok()?).ok()
}

/// The error of a command line in a printable form: clap repeats words as they are, and a script may have taken them
/// from a catalog. `words` are all its words in printable form. The second value is false if clap must not print the
/// error.
fn printable_error(error: clap::Error, words: &[String]) -> (clap::Error, bool) {
    let is_printable = std::env::args_os().zip(words).all(|(it, shown)| it.to_string_lossy() == *shown);
    if is_printable {
        return (error, true);
    }
    match parse(words.iter().map(OsString::from).collect()) {
        Err(error) => (error, true),
        Ok(_) => (error, false),
    }
}

/// Whether a command line that could not be parsed asks for messages as JSON.
fn wants_json(words: &[String]) -> bool {
    let before_values = words.split(|it| it == "--").next().unwrap_or_default();
    before_values.iter().any(|it| it == "--log-format=json")
        || before_values
            .windows(2)
            .any(|it| matches!(it, [option, value] if option == "--log-format" && value == "json"))
}

/// Lets writes wait for other processes, and tells somebody at a terminal why nothing happens.
fn wait_in_turn(reporter: Reporter, at_most: Duration) {
    crate::file::wait_for_writers(at_most, move |target| {
        if std::io::stderr().is_terminal() {
            let seconds = counted(at_most.as_secs(), "second");
            let target = target.display();
            reporter.note(&format!("waiting up to {seconds} for another process that is writing {target}"));
        }
    });
}

/// Prints the help that a command line asks for, or what is wrong with it.
fn end_of_arguments(error: clap::Error) -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|it| printable(&it.to_string_lossy()).into_owned()).collect();
    let (mut error, is_printable) = printable_error(error, &words);
    let words = words.get(1..).unwrap_or_default();
    foreign_commands::redirect(&mut error, words);
    args::words::propose_source(&mut error);
    slips::in_typed_words(&mut error, &std::env::args_os().collect::<Vec<_>>(), &plain(), &whole());
    let error = help::page(whole(), &grammar::places(PLACES), error, words);
    let is_help = !error.use_stderr();
    let format = if wants_json(words) { LogFormat::Json } else { LogFormat::Text };
    if is_help || (is_printable && format == LogFormat::Text) {
        // If this cannot be printed, there is no other way to report it.
        let _ = error.print();
    } else {
        let reporter = Reporter::new(ColorChoice::Never, format, false, false);
        reporter.error(&CommandError::of_arguments(&error));
    }
    if is_help { Exit::Yes.into() } else { Exit::Usage.into() }
}

/// Parses the arguments, runs the command, and returns the exit code.
#[must_use]
pub fn run() -> ExitCode {
    limits::fail_to_write_instead_of_dying();
    if let Some(text) = topics::asked(&std::env::args_os().collect::<Vec<_>>(), plain) {
        // A reader that has gone needs no message.
        let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
        return Exit::Yes.into();
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let shown: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let format = if wants_json(&shown) { LogFormat::Json } else { LogFormat::Text };
    if let Some(exit) = foreign_commands::instead_of_old(&words, format) {
        return exit.into();
    }
    let cli = match parse(words.clone()) {
        Ok(cli) => cli,
        Err(error) => return end_of_arguments(error),
    };
    let reporter = Reporter::new(cli.global.color, cli.global.log_format, cli.global.quiet, cli.global.verbose);
    interrupt::undo_all_writes(reporter);
    wait_in_turn(reporter, Duration::from_secs(cli.global.wait));
    screen::look(|is_terminal| reporter.color(is_terminal), cli.global.verbose);
    if let Some(n_threads) = cli.global.threads.or_else(limits::threads_for_addresses) {
        // This fails only if the pool exists already, which is impossible this early.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build_global();
    }
    // Lets tests interfere between two processes.
    if cfg!(debug_assertions)
        && let Some(delay) = std::env::var("OLMDEX_TEST_LOCK_DELAY_MS").ok().and_then(|it| it.parse().ok())
    {
        crate::file::delay_locks(Duration::from_millis(delay));
    }
    if cli.command.is_read() && !cli.global.no_pager {
        pager::start();
    }
    let mut opener = cli.global.images.opener();
    opener.images.trusts_repositories = cli.global.trust_config;
    opener.templates = cli.command.template_use();
    let opener = Arc::new(if cli.command.is_opm() { opener.keeping_git() } else { opener });
    let found_config = if cli.global.trust_config { Reach::Anywhere } else { Reach::Inside };
    let context = Context { reporter, opener, sight: Sight::Named, keeps_indexes: !cli.global.no_cache, found_config };
    // A panic is a bug, and this program has its own message for it. The message of the runtime would be printed in
    // addition.
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cli.command.run(&context)));
    interrupt::wait_if_interrupted();
    pager::finish();
    old_words::name_the_new(&words, reporter);
    // A document was not read because of the limit, whatever the command made of that.
    let limit = CommandError::of_limit().filter(|_| !cli.command.goes_on());
    if let (Ok(_), Some(error)) = (&result, limit) {
        reporter.error(&error);
        return error.exit.into();
    }
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
            reporter.error(&error.help("this is a bug in olmdex: please report it, with the command and its input"));
            Exit::Bug.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use olmdex_text::encoding::shell::split;

    use super::*;

    fn files_below(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => files_below(&path, found),
                false => found.push(path),
            }
        }
    }

    /// The commands in backquotes of a text, with each placeholder of a format as a word; those in quotes, too, of a
    /// source with tables of commands.
    fn proposed(text: &str, is_source: bool, has_commands: bool) -> Vec<String> {
        let mut joined = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            // A literal goes on behind the indentation of the next line.
            match line.strip_suffix('\\').filter(|_| is_source) {
                Some(first) => {
                    joined.push_str(first);
                    let rest = lines.next().unwrap_or_default();
                    joined.push_str(rest.trim_start());
                }
                None => joined.push_str(line),
            }
            joined.push('\n');
        }
        let mut found = Vec::new();
        let in_backquotes = joined.split("`olmdex ").skip(1).filter_map(|part| part.split_once('`'));
        // Tables of commands to run next.
        let in_quotes = joined.split("\"olmdex ").skip(1).filter_map(|part| part.split_once('"'));
        let in_quotes = in_quotes.filter(|_| has_commands);
        for (command, _) in in_backquotes.chain(in_quotes) {
            if command.contains('\n') {
                continue;
            }
            let mut words = String::new();
            let mut depth = 0;
            for letter in command.chars() {
                match letter {
                    '{' if is_source => {
                        depth += 1;
                        words.push_str(if depth == 1 { "PLACEHOLDER" } else { "" });
                    }
                    '}' if is_source => depth -= 1,
                    _ if depth > 0 => {}
                    letter => words.push(letter),
                }
            }
            found.push(words.replace("\\\"", "\""));
        }
        found
    }

    /// The fault of a proposed command: an unknown word or option, options that exclude each other, or too few words if
    /// it is more than the name of a command.
    fn fault(command: &str) -> Option<String> {
        let words = split(command).into_iter();
        let words = words.take_while(|word| !["|", ">", ";", "<"].contains(&word.as_str()));
        let words: Vec<String> = words.filter(|word| word != "…" && !word.is_empty()).collect();
        let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let is_name = words.iter().all(|word| word.chars().all(is_letter));
        // Topics of the help are no commands.
        let is_command =
            |word: &String| !["PLACEHOLDER", "COMMAND", "help"].contains(&word.as_str()) && !word.contains('…');
        let is_named = words.first().is_some_and(is_command);
        let all = ["olmdex"].into_iter().map(OsString::from).chain(words.into_iter().map(OsString::from)).collect();
        let error = parse(all).err().filter(|_| is_named)?;
        let is_missing = matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        );
        // A value that stands for others may have no valid form.
        let is_of_value = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
        let is_open = command.contains('…');
        let stands_for_others = command.chars().any(char::is_uppercase) || is_open || is_name;
        let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        // A build without a feature lacks its words.
        let is_left_out = !cfg!(feature = "mcp") && command.contains("mcp");
        let is_fine =
            is_help || is_left_out || (is_missing && (is_name || is_open)) || (is_of_value && stands_for_others);
        (!is_fine).then(|| format!("`olmdex {command}`: {}", error.to_string().lines().next().unwrap_or_default()))
    }

    /// The lines that take the place of old commands, with all of their options (mirrors R10).
    #[test]
    fn what_takes_the_place_of_old_commands_can_be_typed() {
        let index = "-f q.io/o/i:v1 -t l:5000/i:v2 -i q.io/o/opm:v1 -c podman --permissive --skip-tls-verify";
        let lines = [
            format!("opm index prune {index} -p a,b"),
            "opm index prune -f=q.io/o/i:v1 --packages a --packages=b --generate -d index.Dockerfile".to_owned(),
            "opm index prune".to_owned(),
            format!("opm index rm {index} -o a,b --pull-tool none"),
            format!("opm index add {index} -b q.io/b:1,q.io/b:2 --mode semver --overwrite-latest --enable-alpha"),
            "opm index add --bundles q.io/b:1 --tag q.io/i:v1".to_owned(),
            format!("opm index prune-stranded {index}"),
            format!("opm index deprecatetruncate {index} -b q.io/b:1 --allow-package-removal"),
            "opm index export -i q.io/o/i:v1 -p a,b -f dir --use-http".to_owned(),
            "opm index export --index q.io/o/i:v1".to_owned(),
            "opm registry add -d b.db -b q.io/b:1 --mode semver-skippatch --use-http --ca-file ca.pem".to_owned(),
            "opm registry rm -d b.db -o a,b --permissive".to_owned(),
            "opm registry prune --database b.db --packages a".to_owned(),
            "opm registry prune-stranded".to_owned(),
            "opm registry deprecatetruncate -b q.io/b:1 --allow-package-removal".to_owned(),
            "opm registry serve -d b.db -p 50052 --skip-migrate --timeout-seconds 9".to_owned(),
            "opm alpha list packages q.io/o/i:v1".to_owned(),
            "opm alpha list channels my-catalog a".to_owned(),
            "opm alpha list bundles localhost/i a".to_owned(),
            "oc-mirror list operators --catalogs --version=4.20".to_owned(),
            "oc-mirror list operators --catalog q.io/o/i:v1 --package a --channel stable".to_owned(),
            "oc mirror list operators --catalog=oci:///tmp/i --package=a --v2".to_owned(),
            "oc-mirror list releases --channel stable-4.20 --filter-by-archs amd64,arm64".to_owned(),
            "oc-mirror list updates imageset.yaml".to_owned(),
        ];
        for line in lines {
            let explained = crate::explain::decode(&line).expect("it is known");
            let parts = [&explained].into_iter().chain(&explained.others);
            let commands: Vec<&String> = parts.flat_map(|part| &part.next).collect();
            assert!(!commands.is_empty(), "{line}");
            for command in commands {
                let words = command.strip_prefix("olmdex ").expect("it is ours");
                assert_eq!(fault(words), None, "{line}\n{command}");
                // A fault of a value counts, too, if nothing in it stands for something else.
                let stands = words.chars().any(char::is_uppercase) && !words.contains(" -O ");
                let all = ["olmdex".into()].into_iter().chain(split(words).into_iter().map(OsString::from)).collect();
                assert!(stands || parse(all).is_ok(), "{line}\n{command}");
            }
        }
    }

    #[test]
    fn every_proposed_command_can_be_typed() {
        assert!(fault("validat catalog").is_some() && fault("list packages --nowhere").is_some());
        assert!(fault("diff").is_none() && fault("diff OLD NEW").is_none() && fault("lock -o nothing x").is_some());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for directory in ["src", "crates", "docs", "fixtures/asking", "fixtures/rules"] {
            files_below(&root.join(directory), &mut files);
        }
        files.push(root.join("README.md"));
        let (mut faults, mut n_commands) = (std::collections::BTreeSet::new(), 0);
        for file in files.into_iter().filter(|file| !file.ends_with(file!())) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let is_source = file.extension().is_some_and(|it| it == "rs");
            let name = file.file_name().unwrap().to_string_lossy();
            let has_commands = name.ends_with("_messages.rs") || name == "builder.rs";
            for command in proposed(&text, is_source, has_commands) {
                n_commands += 1;
                let shown = file.strip_prefix(root).unwrap().display().to_string();
                faults.extend(fault(&command).map(|fault| format!("{shown}: {fault}")));
            }
        }
        assert!(n_commands > 500, "{n_commands}");
        let faults: Vec<String> = faults.into_iter().collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
