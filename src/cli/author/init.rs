//! `olmdex init`

use crate::cli::args::formats::blob_format;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::fbc::Format;
use crate::file::{read_regular_of, system_words};
use crate::scaffold::{PackageError, package};

/// Print the blob of a new package, byte for byte as `opm init` does
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex init shop --default-channel stable
  olmdex init shop --default-channel stable -o yaml > shop.yaml
  olmdex init shop --default-channel stable --description my-catalog/keda.yaml -o yaml")]
pub(crate) struct InitArgs {
    /// The name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// The channel that new subscriptions take
    #[arg(short_alias = 'c', long, value_name = "CHANNEL", default_value = "", hide_default_value = true)]
    default_channel: String,
    /// A file with the description, in Markdown
    #[arg(short, long, value_name = "FILE")]
    description: Option<PathBuf>,
    /// A file with the icon: SVG, PNG, JPEG, GIF, …
    #[arg(short, long, value_name = "FILE")]
    icon: Option<PathBuf>,
    /// Format of the blob
    #[arg(short, long, value_parser = blob_format(), default_value = "json")]
    output: Format,
}

/// No description or icon is larger: OLM could not store it.
const MAX_FILE: u64 = 16 << 20;

pub(crate) fn run(_: &Context, args: &InitArgs) -> CommandResult {
    let read = |path: &Path| {
        read_regular_of(path, MAX_FILE).map_err(|error| {
            CommandError::new(Exit::Input, format!("cannot read `{}`: {}", path.display(), system_words(&error)))
                .help("check the path")
        })
    };
    let description = args.description.as_deref().map(read).transpose()?.unwrap_or_default();
    let icon = args.icon.as_deref().map(read).transpose()?;
    let description = String::from_utf8_lossy(&description);
    let text =
        package(&args.package, &args.default_channel, &description, icon.as_deref(), args.output).map_err(|error| {
            let help = match error {
                PackageError::EmptyIcon | PackageError::NotAnImage => "use an SVG, PNG, JPEG or GIF",
                PackageError::NoName => "name the package",
                _ => "use `-o json`, which can represent every character",
            };
            CommandError::new(Exit::Input, error.to_string()).help(help)
        })?;
    std::io::stdout().lock().write_all(&text)?;
    Ok(Exit::Yes)
}
