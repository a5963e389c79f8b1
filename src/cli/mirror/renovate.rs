//! `olmdex renovate`

use crate::ask::{AskError, PackageName};
use crate::cli::args::formats::words;
use crate::cli::args::name::package;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::diag::counted;
use crate::file::NewDirectory;
use crate::lock::{Reach, Select, releases};
use crate::upgrade::Generation;

/// Print the versions of packages for a custom datasource of Renovate
///
/// One JSON object a package, also `PKG/CHANNEL`: releases, deprecations, image digests, and the heads of channels as tags. With `--installed`, only
/// what OLM upgrades to from there: an empty list if it does not.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex renovate keda/stable -i my-catalog/
  olmdex renovate keda/stable --installed 2.8.1 --next -i my-catalog/
  olmdex renovate keda kiali --into versions -i my-catalog/")]
pub(crate) struct RenovateArgs {
    /// The packages, also as PKG/CHANNEL
    #[arg(value_name = "PKG[/CHANNEL]", required = true)]
    names: Vec<String>,
    /// Only what OLM upgrades to from this version or bundle
    #[arg(long, value_name = "BUNDLE")]
    installed: Option<String>,
    /// With --installed: only the next upgrade
    #[arg(long, requires = "installed")]
    next: bool,
    /// The generation of OLM that upgrades
    #[arg(long, value_parser = words::<Generation>(), default_value = "classic", requires = "installed")]
    olm: Generation,
    /// Hold back so many of the newest versions
    #[arg(long, value_name = "N", default_value_t = 0)]
    lag: usize,
    /// Write PKG.json and PKG/CHANNEL.json into a new directory
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
}

pub(crate) fn run(context: &Context, args: &RenovateArgs) -> CommandResult {
    if args.names.len() > 1 && args.into.is_none() {
        let error = CommandError::usage("Renovate reads one package a file");
        return Err(error.help("write a directory of them with `--into DIR`"));
    }
    let index = args.ask.open_about(context, &args.names)?;
    let reach = if args.next { Reach::Next } else { Reach::Any };
    let mut found = Vec::new();
    for name in &args.names {
        let PackageName { package, installed, channel } = package(&index, name)?;
        if installed.is_some() && args.installed.is_some() {
            return Err(AskError::InstalledTwice(name.clone()).into());
        }
        let select = Select {
            channel: channel.clone(),
            from: args.installed.clone().or(installed).map(|it| (it, args.olm, reach)),
            lag: args.lag,
        };
        let datasource = releases(&index, &args.ask.catalog, &package, &select)?;
        let mut text = serde_json::to_string_pretty(&datasource).map_err(std::io::Error::from)?;
        text.push('\n');
        found.push((package, channel, text));
    }
    let Some(path) = &args.into else {
        found.iter().try_for_each(|it| std::io::stdout().lock().write_all(it.2.as_bytes()))?;
        return Ok(Exit::Yes);
    };
    interrupt::undo_writes(context);
    let mut directory = NewDirectory::begin(path)?;
    for (package, channel, text) in &found {
        let file = match channel {
            None => PathBuf::from(format!("{}.json", element(package)?)),
            Some(channel) => Path::new(element(package)?).join(format!("{}.json", element(channel)?)),
        };
        directory.write(&file, text.as_bytes())?;
    }
    let n_files = directory.finish()?;
    context.reporter.note(&format!("wrote {} to {}", counted(n_files as u64, "file"), path.display()));
    Ok(Exit::Yes)
}

/// A name as a part of a path.
fn element(name: &str) -> Result<&str, CommandError> {
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
        return Err(CommandError::new(Exit::Input, format!("`{name}` cannot be the name of a file")));
    }
    Ok(name)
}
