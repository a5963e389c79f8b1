//! `olmdex man`

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::topics;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::file::write_whole;

/// Print manual pages, or write one for each command
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex man > olmdex.1
  olmdex man --dir .
  olmdex man show > olmdex-show.1")]
pub(crate) struct ManArgs {
    /// Print the page of this command
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Option<String>,
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// `root` is the whole command line.
pub(crate) fn man(mut root: clap::Command, args: &ManArgs) -> CommandResult {
    root.build();
    if let Some(dir) = &args.dir {
        write_pages(root, dir)?;
        return Ok(Exit::Yes);
    }
    let page = match &args.command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(command) => command.clone().name(format!("olmdex-{name}")),
            None => {
                let names = root.get_subcommands().map(clap::Command::get_name);
                let error = CommandError::new(Exit::NotFound, format!("no command `{name}`"));
                return Err(match crate::diag::closest(name, names) {
                    Some(meant) => error.help(format!("did you mean `{meant}`?")),
                    None => error,
                });
            }
        },
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    render(&clap_mangen::Man::new(page), &mut out)?;
    out.flush()?;
    Ok(Exit::Yes)
}

/// A page with the sections that all pages have.
fn render(page: &clap_mangen::Man, out: &mut impl Write) -> std::io::Result<()> {
    page.render(out)?;
    out.write_all(topics::sections().as_bytes())
}

/// Writes the page of each command that help shows into a directory.
fn write_pages(root: clap::Command, dir: &Path) -> Result<(), CommandError> {
    let mut open = vec![root];
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help").cloned());
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        render(&page, &mut text)?;
        write_whole(&dir.join(page.get_filename()), &text)?;
    }
    Ok(())
}
