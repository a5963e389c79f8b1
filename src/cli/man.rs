//! `olmdex man`

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::{Args, CommandFactory as _};

use super::Cli;
use super::error::{CommandError, CommandResult, Exit};

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
