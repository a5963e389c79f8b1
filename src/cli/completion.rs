//! `olmdex completion` and `olmdex man`

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::error::{CommandError, CommandResult, Exit};
use super::name::NameArgument;
use super::{Cli, Context, ask};
use crate::index::Index;
use crate::index::query::Filter;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex completion bash > /etc/bash_completion.d/olmdex
  olmdex completion zsh > ~/.zfunc/_olmdex
  source <(olmdex completion bash)")]
pub(crate) struct CompletionArgs {
    /// Shell: bash, elvish, fish, powershell or zsh
    #[arg(value_enum)]
    shell: Shell,
}

/// Print manual pages, or write one for each command
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex man | man -l -
  olmdex man --dir /usr/local/share/man/man1
  olmdex man show | man -l -")]
pub(crate) struct ManArgs {
    /// Print the page of this command
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Option<String>,
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// List the names that can stand where a command wants one
///
/// The completion scripts call this; it knows packages, channels, versions and bundles from the index.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// What has been typed
    #[arg(default_value = "")]
    typed: String,
    #[command(flatten)]
    ask: ask::AskOptions,
}

/// Completes names for `show` and its like from the index, behind what clap's script knows of options.
const BASH_NAMES: &str = r#"
_olmdex_names() {
    local command="${COMP_WORDS[1]}" cur="${COMP_WORDS[COMP_CWORD]}"
    case "$command" in
        show|list|search|graph|check-graph|history|updates|path|why-not)
            if [[ "$cur" != -* ]]; then
                local names
                names="$(olmdex complete -- "$cur" 2>/dev/null)"
                if [[ -n "$names" ]]; then
                    COMPREPLY=($(compgen -W "$names" -- "$cur"))
                    return 0
                fi
            fi
            ;;
    esac
    _olmdex "$@"
}
complete -F _olmdex_names -o nosort -o bashdefault -o default olmdex
"#;

pub(crate) fn completion(args: &CompletionArgs) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "olmdex", &mut script);
    if args.shell == Shell::Bash {
        script.extend_from_slice(BASH_NAMES.as_bytes());
    } else if args.shell == Shell::Fish {
        script.extend_from_slice(
            b"complete -c olmdex -n \"__fish_seen_subcommand_from show list search graph check-graph history updates path why-not\" -f -a \"(olmdex complete -- (commandline -ct) 2>/dev/null)\"\n",
        );
    }
    let mut out = std::io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Exit::Yes)
}

pub(crate) fn man(args: &ManArgs) -> CommandResult {
    let mut root = Cli::command();
    root.build();
    if let Some(dir) = &args.dir {
        clap_mangen::generate_to(root, dir)
            .map_err(|error| CommandError::new(Exit::Input, format!("cannot write to `{}`: {error}", dir.display())))?;
        return Ok(Exit::Yes);
    }
    let page = match &args.command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(command) => command.clone().name(format!("olmdex-{name}")),
            None => {
                let names = root.get_subcommands().map(clap::Command::get_name);
                let error = CommandError::new(Exit::NotFound, format!("there is no command `{name}`"));
                return Err(match crate::diag::closest(name, names) {
                    Some(meant) => error.help(format!("did you mean `{meant}`?")),
                    None => error,
                });
            }
        },
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    clap_mangen::Man::new(page).render(&mut out)?;
    out.flush()?;
    Ok(Exit::Yes)
}

/// At most this many names are offered.
const MAX_NAMES: usize = 500;

pub(crate) fn complete(context: &Context, args: &CompleteArgs) -> CommandResult {
    let index = args.ask.open(context)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for name in candidates(&index, &args.typed)?.into_iter().filter(|it| it.starts_with(&args.typed)).take(MAX_NAMES) {
        writeln!(out, "{name}")?;
    }
    out.flush()?;
    Ok(Exit::Yes)
}

/// What could stand where `typed` has been begun: packages, versions or channels of a package, bundles.
fn candidates(index: &Index, typed: &str) -> Result<Vec<String>, CommandError> {
    Ok(match NameArgument::parse(typed) {
        NameArgument::Version(package, _) => {
            let filter = Filter { package: Some(package.clone()), ..Filter::default() };
            index.bundles(&filter)?.into_iter().map(|it| format!("{package}@{}", it.version)).collect()
        }
        NameArgument::Channel(package, _) => {
            index.names(Some(&package))?.channels.into_iter().map(|it| format!("{package}/{it}")).collect()
        }
        NameArgument::Plain(_) => {
            let names = index.names(None)?;
            [names.packages, names.bundles].concat()
        }
    })
}
