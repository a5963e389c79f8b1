//! `olmdex mirror`

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use clap::{Args, Subcommand};
#[cfg(feature = "oci")]
use rayon::prelude::*;

use super::arguments::AskedFor;
use super::deletion;
use super::delta;
use super::entries;
use super::filter::kept_images;
use super::union;
use crate::ask::MirrorCatalog;
use crate::cli::args::lookup::look_up;
use crate::cli::print::table::{self, Column, Row, RowOptions, column};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
use crate::mirror::{self, Dialect, Holding, HoldingStatus, Mirrored, PossibleImages};
#[cfg(feature = "oci")]
use crate::mirror::{Destination, NeededPlaces};
use crate::oci::Layout;

/// Show what a mirror is missing, what it has, and what is no longer needed
///
/// Looks up each image that ImageSetConfigurations ask for in a registry or a layout, and lists the other images there:
/// those that the configurations and their catalogs name are unneeded, and all others are not compared, such as
/// releases of OpenShift. Give all configurations of the mirror. The command deletes nothing. Exits with 1 if something
/// is missing.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  olmdex mirror -c imageset.yaml -i my-catalog/ --at oci:my-layout
  olmdex mirror --package keda/stable -i my-catalog/ --at oci:my-layout
  olmdex mirror -c imageset.yaml -i my-catalog/ --at oci:my-layout -o json
  olmdex mirror delta oci:my-layout oci:next-layout
  olmdex mirror delete -c delete.yaml -c imageset.yaml -i my-catalog/"
)]
pub(crate) struct MirrorArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    asked: AskedFor,
    /// The mirror: docker://HOST[/PATH], or a layout, oci:DIR
    #[arg(long, value_name = "MIRROR", required = true)]
    at: Option<String>,
    /// Highest number of components of a path there; surplus ones are joined with `-`
    #[arg(long, value_name = "N")]
    max_nested_paths: Option<usize>,
    #[command(flatten)]
    rows: RowOptions,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Delta(delta::DeltaArgs),
    Union(union::UnionArgs),
    Delete(deletion::DeletionArgs),
}

impl Row for Holding {
    const KIND: &'static str = "MirrorHolding";

    const COLUMNS: &'static [Column<Self>] = &[
        column("STATUS", |it| it.status.as_str().into()),
        column("IMAGE", |it| Cow::from(&it.image)),
        column("AT", |it| Cow::from(&it.at)),
        column("MIB", |it| match it.size {
            0 => "".into(),
            size => size.div_ceil(1 << 20).to_string().into(),
        }),
        column("MESSAGE", |it| match it.needed_by.as_slice() {
            [] => Cow::from(&it.message),
            who => format!("needed by {}", who.join(", ")).into(),
        }),
    ];

    fn name(&self) -> String {
        // A list of what may go names nothing that must stay.
        let is_kept =
            matches!(self.status, HoldingStatus::StillNeeded | HoldingStatus::MaybeNeeded | HoldingStatus::Absent);
        match (self.at.as_str(), self.image.as_str()) {
            ("", "") => format!("# {}", self.message),
            (_, image) if is_kept => format!("# {}: {image}", self.status.as_str()),
            ("", image) => image.to_owned(),
            (at, _) => at.to_owned(),
        }
    }
}

pub(crate) fn run(context: &Context, args: &MirrorArgs) -> CommandResult {
    let at = match (&args.verb, &args.at) {
        (Some(Verb::Delta(args)), _) => return delta::run(context, args),
        (Some(Verb::Union(args)), _) => return union::run(context, args),
        (Some(Verb::Delete(args)), _) => return deletion::run(context, args),
        (None, Some(at)) => at,
        (None, None) => return Err(CommandError::usage("no mirror given").help("name it with `--at MIRROR`")),
    };
    let configurations = args.asked.configurations(context, Dialect::Named)?;
    let AskedFor { input, catalog, .. } = &args.asked;
    let operators = configurations.iter().flat_map(|it| it.operators.clone()).collect();
    let entries = entries::open(context, operators, input, catalog.as_deref())?;
    let mut entries = args.asked.complete(context, entries)?;
    args.asked.choose_defaults(context, &mut entries);
    let (mut kept, mut exit, mut rest) = (BTreeSet::new(), Exit::Yes, entries.as_slice());
    for configuration in &configurations {
        let (own, others) = rest.split_at(configuration.operators.len());
        let (images, found) = kept_images(context, &args.asked, configuration, own)?;
        kept.extend(images);
        exit = if found == Exit::Yes { exit } else { found };
        rest = others;
    }
    let kept: Vec<Mirrored> = kept.into_iter().collect();
    let names = entries.iter().map(MirrorCatalog::all_images).collect::<Result<Vec<_>, _>>()?;
    let catalogs = entries.iter().map(|entry| &entry.operator);
    let possible = PossibleImages::of(&configurations, names.iter().flatten(), catalogs);
    let mut holdings = if let Some(place) = at.strip_prefix("docker://") {
        in_registry(context, (args, at), place, (&kept, &possible), &entries)?
    } else {
        in_layout(context, at, &kept, &possible)?
    };
    let unlisted: BTreeSet<&str> = configurations.iter().flat_map(|it| it.unlisted.iter().copied()).collect();
    holdings.extend(unlisted.into_iter().map(Holding::of_unlisted));
    holdings.sort_by(|a, b| (a.status, &a.image, &a.at).cmp(&(b.status, &b.image, &b.at)));
    let count = |status: HoldingStatus| holdings.iter().filter(|it| it.status == status).count() as u64;
    let (missing, unknown) = (count(HoldingStatus::Missing), count(HoldingStatus::Unknown));
    let mut words = vec![
        format!("{} present", counted(count(HoldingStatus::Present), "image")),
        format!("{missing} missing"),
        format!("{} not needed", count(HoldingStatus::Unneeded)),
    ];
    for (n, what) in [(unknown, "unknown"), (count(HoldingStatus::NotCompared), "not compared")] {
        words.extend((n > 0).then(|| format!("{n} {what}")));
    }
    context.reporter.note(&words.join(", "));
    table::print(holdings, &args.rows)?;
    Ok(match exit {
        Exit::Yes if missing > 0 || unknown > 0 => Exit::No,
        other => other,
    })
}

/// Compares a layout.
fn in_layout(
    context: &Context,
    place: &str,
    images: &[Mirrored],
    possible: &PossibleImages,
) -> Result<Vec<Holding>, CommandError> {
    let directory = place.strip_prefix("oci:").or_else(|| Path::new(place).is_dir().then_some(place));
    let Some(directory) = directory else {
        let error = CommandError::usage(format!("`{place}` is not a mirror"));
        return Err(error.help("name a registry, `docker://HOST`, or an OCI layout, `oci:DIR`"));
    };
    let cannot = |error| crate::cli::args::destination::cannot("read", place, error);
    let layout = Layout::open(Path::new(directory)).map_err(cannot)?;
    let names: Vec<String> = images.iter().map(|it| it.image.to_string()).collect();
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    let presences = look_up(context, place, &texts)?.into_iter().map(|it| it.presence).collect();
    Ok(mirror::holdings_of_layout(images, presences, &layout, possible))
}

/// Compares a registry.
#[cfg(feature = "oci")]
fn in_registry(
    context: &Context,
    (args, named): (&MirrorArgs, &str),
    place: &str,
    (images, possible): (&[Mirrored], &PossibleImages),
    entries: &[MirrorCatalog],
) -> Result<Vec<Holding>, CommandError> {
    let Some(to) = Destination::parse(place, args.max_nested_paths) else {
        let error = CommandError::usage(format!("`{place}` does not name a registry"));
        return Err(error.help("name a host with a dot or a port: `docker://mirror.example.com:5000/operators`"));
    };
    let places = NeededPlaces::new(images, entries.iter().map(|entry| &entry.operator), possible, &to);
    let presences = look_up(context, "", &places.references())?;
    let mut holdings = places.holdings(presences.into_iter().map(|it| it.presence));
    let cannot = |error| crate::cli::args::destination::cannot("list", named, error);
    let registries = &context.opener.registries;
    let root = registries.image(&format!("{}/x:latest", to.host)).map_err(cannot)?;
    let repositories: Vec<String> =
        root.repositories().map_err(cannot)?.into_iter().filter(|it| to.has_repository(it)).collect();
    let unneeded = |repository: &String| -> Vec<Holding> {
        let location = format!("{}/{repository}", to.host);
        if let Some(holding) = places.not_compared(&location) {
            return vec![holding];
        }
        let tags = registries.image(&format!("{location}:latest")).and_then(|it| it.tags());
        places.unneeded(&location, tags, |at| registries.image(at)?.digest_of_tag())
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().map_err(std::io::Error::other)?;
    let rest: Vec<Vec<Holding>> = pool.install(|| repositories.par_iter().map(unneeded).collect());
    holdings.extend(rest.into_iter().flatten());
    Ok(holdings)
}

/// Compares a registry, which this program is built without.
#[cfg(not(feature = "oci"))]
fn in_registry(
    _: &Context,
    _: (&MirrorArgs, &str),
    _: &str,
    _: (&[Mirrored], &PossibleImages),
    _: &[MirrorCatalog],
) -> Result<Vec<Holding>, CommandError> {
    Err(CommandError::usage("this build of olmdex has no support for registries")
        .help("name an OCI layout: `--at oci:DIR`"))
}
