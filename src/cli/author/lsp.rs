//! `olmdex lsp`

use std::io::BufWriter;
use std::path::PathBuf;

use clap::Args;

use crate::cli::lists::all_rules;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::lsp::{self, ConfigFile, End, LspError, Options};

/// Answer an editor, over standard input and output
///
/// A server of the Language Server Protocol for catalogs, templates and bundles: findings while you write, definitions
/// and references of packages, channels and bundles, completion of names, versions and fields, what an edge does,
/// another name for a bundle or a channel. The editor starts it. Findings are chosen by olmdex.toml. It writes no file.
///
/// It exits with 0 if the editor has shut it down, with 1 otherwise.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex lsp
  olmdex lsp --config olmdex.toml
  olmdex lsp --no-config")]
pub(crate) struct LspArgs {
    /// Read options from this file; by default, from olmdex.toml in the current directory or the nearest one above it
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Read no olmdex.toml
    #[arg(long)]
    no_config: bool,
    /// Speak over standard input and output, which is the only way; editors may say so
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) fn run(context: &Context, args: &LspArgs) -> CommandResult {
    let config = match &args.config {
        Some(path) => ConfigFile::Named(path.clone()),
        None if args.no_config => ConfigFile::Absent,
        None => ConfigFile::Search(context.found_config),
    };
    // If there is no current directory, there is nothing above it.
    let current = std::env::current_dir().unwrap_or_default();
    let mut output = BufWriter::new(std::io::stdout().lock());
    match lsp::serve(std::io::stdin(), &mut output, Options { current, config, rules: all_rules() }) {
        Ok(End::Orderly) => Ok(Exit::Yes),
        Ok(End::Early) => Ok(Exit::No),
        Err(LspError::Write(error)) => Err(error.into()),
        Err(error @ LspError::Analysis) => Err(CommandError::new(Exit::Bug, error.to_string())),
        Err(error) => Err(CommandError::new(Exit::No, error.to_string()).help("editors start this server themselves")),
    }
}
