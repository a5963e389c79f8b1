//! `olmdex renovate`

use crate::ask::{AskError, PackageName, one_of};
use crate::cli::args::name::package;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::diag::counted;
use crate::file::NewDirectory;
use crate::index::Index;
use crate::lock::{Datasource, Reach, Select, releases_by_catalog};
use crate::upgrade::Olm;

/// Print the versions of packages for a custom datasource of Renovate
///
/// One JSON object a package, also `PKG/CHANNEL`: releases, deprecations, image digests, and the heads of channels as
/// tags. With `--installed`, only the versions that OLM upgrades to from there, or an empty list. A package of several
/// catalogs is printed as a list, `catalogs`, and written into a directory for each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex renovate keda/stable -i my-catalog/
  olmdex renovate keda/stable --installed 2.8.1 --next -i my-catalog/
  olmdex renovate keda kiali --into versions -i my-catalog/
  olmdex renovate --into versions -i my-catalog/")]
pub(crate) struct RenovateArgs {
    /// The packages, also as PKG/CHANNEL; with `--into` all by default
    #[arg(value_name = "PKG[/CHANNEL]", required_unless_present = "into")]
    names: Vec<String>,
    /// Only versions that OLM upgrades to from this version or bundle
    #[arg(long, value_name = "BUNDLE")]
    installed: Option<String>,
    /// With --installed: only the next upgrade
    #[arg(long, requires = "installed")]
    next: bool,
    /// The generation of OLM that upgrades
    #[arg(long, value_parser = one_of::<Olm>(), default_value = "classic", requires = "installed")]
    olm: Olm,
    /// Hold back so many of the newest versions
    #[arg(long, value_name = "N", default_value_t = 0)]
    lag: usize,
    /// Write PKG.json and PKG/CHANNEL.json into a new directory
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
}

/// The offers of all catalogs for one of the names.
struct PackageOffers {
    package: String,
    channel: Option<String>,
    /// The offer of each catalog, by the catalog's name.
    offers: Vec<(String, Datasource)>,
}

/// The output for a package that several catalogs have: Renovate's `transformTemplates` can choose one.
#[derive(Serialize)]
struct Several<'f> {
    catalogs: Vec<InOne<'f>>,
}

#[derive(Serialize)]
struct InOne<'f> {
    catalog: &'f str,
    #[serde(flatten)]
    offer: &'f Datasource,
}

impl PackageOffers {
    /// The JSON of one catalog as Renovate reads it; several catalogs are a list.
    fn text(&self) -> Result<String, CommandError> {
        match self.offers.as_slice() {
            [(_, only)] => text_of(only),
            several => text_of(&Several {
                catalogs: several.iter().map(|(catalog, offer)| InOne { catalog, offer }).collect(),
            }),
        }
    }

    /// The files to write: with several catalogs, each has a directory.
    fn files(&self) -> Result<Vec<(PathBuf, String)>, CommandError> {
        let file = match &self.channel {
            None => PathBuf::from(format!("{}.json", element(&self.package)?)),
            Some(channel) => Path::new(element(&self.package)?).join(format!("{}.json", element(channel)?)),
        };
        match self.offers.as_slice() {
            [(_, only)] => Ok(vec![(file, text_of(only)?)]),
            several => several
                .iter()
                .map(|(catalog, offer)| Ok((Path::new(element(catalog)?).join(&file), text_of(offer)?)))
                .collect(),
        }
    }
}

fn text_of(value: &impl Serialize) -> Result<String, CommandError> {
    Ok(serde_json::to_string_pretty(value).map_err(std::io::Error::from)? + "\n")
}

pub(crate) fn run(context: &Context, args: &RenovateArgs) -> CommandResult {
    if args.names.len() > 1 && args.into.is_none() {
        let error = CommandError::usage("Renovate reads one package per file");
        return Err(error.help("write one file per package with `--into DIR`"));
    }
    let found = match args.names.as_slice() {
        [] => all(context, args)?,
        names => {
            let index = args.ask.open_part(context, names)?;
            names.iter().map(|name| find(context, args, &index, name)).collect::<Result<Vec<_>, _>>()?
        }
    };
    let Some(path) = &args.into else {
        for it in &found {
            std::io::stdout().lock().write_all(it.text()?.as_bytes())?;
        }
        return Ok(Exit::Yes);
    };
    interrupt::undo_writes(context);
    let mut directory = NewDirectory::begin(path)?;
    for it in &found {
        for (file, text) in it.files()? {
            directory.write(&file, text.as_bytes())?;
        }
    }
    let n_files = directory.finish()?;
    context.reporter.note(&format!("wrote {} to {}", counted(n_files as u64, "file"), path.display()));
    Ok(Exit::Yes)
}

/// The offers for all packages. One that has none is a warning.
fn all(context: &Context, args: &RenovateArgs) -> Result<Vec<PackageOffers>, CommandError> {
    let index = args.ask.open(context)?;
    let mut found = Vec::new();
    for name in index.package_names()? {
        match find(context, args, &index, &name) {
            Ok(offers) => found.push(offers),
            Err(error) => context.reporter.warning(&format!("left out package `{name}`: {}", error.message())),
        }
    }
    Ok(found)
}

/// Asks the catalogs for their offers for a name. A catalog that cannot answer is a warning, as long as another one
/// can.
fn find(context: &Context, args: &RenovateArgs, index: &Index, name: &str) -> Result<PackageOffers, CommandError> {
    let PackageName { package, installed, channel } = package(index, name)?;
    if installed.is_some() && args.installed.is_some() {
        return Err(AskError::InstalledTwice(name.to_owned()).into());
    }
    let reach = if args.next { Reach::Next } else { Reach::Any };
    let select = Select {
        channel: channel.clone(),
        from: args.installed.clone().or(installed).map(|it| (it, args.olm, reach)),
        lag: args.lag,
    };
    let mut offers = Vec::new();
    for (catalog, found) in releases_by_catalog(index, &args.ask.catalog, &package, &select)? {
        match found {
            Ok(offer) => offers.push((catalog, offer)),
            Err(error) => context.reporter.warning(&format!("left out catalog `{catalog}`: {error}")),
        }
    }
    Ok(PackageOffers { package, channel, offers })
}

/// A name as a part of a path.
fn element(name: &str) -> Result<&str, CommandError> {
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
        return Err(CommandError::new(Exit::Input, format!("`{name}` is not a valid file name")));
    }
    Ok(name)
}
