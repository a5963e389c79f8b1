//! `olmdex mirror`

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use clap::{Args, Subcommand};
#[cfg(feature = "oci")]
use rayon::prelude::*;

use super::arguments::AskedFor;
use super::delta;
use super::entries;
use super::filter::kept_images;
use crate::ask::MirrorCatalog;
use crate::cli::args::lookup::look_up;
use crate::cli::print::table::{self, Column, Row, RowOptions, column};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
#[cfg(feature = "oci")]
use crate::mirror::{self, Destination, NeededPlaces};
use crate::mirror::{Dialect, Holding, HoldingStatus, Image, Mirrored};
use crate::oci::{Layout, Presence, Status};

/// Show what a mirror is missing, what it has, and what is no longer needed
///
/// Looks up each image that an ImageSetConfiguration asks for in a registry or a layout, and lists the other images
/// there. The command deletes nothing. Exits with 1 if something is missing.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  olmdex mirror -c imageset.yaml -i my-catalog/ --at oci:my-layout
  olmdex mirror --package keda/stable -i my-catalog/ --at oci:my-layout
  olmdex mirror -c imageset.yaml -i my-catalog/ --at oci:my-layout -o json
  olmdex mirror delta oci:my-layout oci:next-layout"
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
        column("MESSAGE", |it| Cow::from(&it.message)),
    ];

    fn name(&self) -> String {
        if self.at.is_empty() { self.image.clone() } else { self.at.clone() }
    }
}

pub(crate) fn run(context: &Context, args: &MirrorArgs) -> CommandResult {
    let at = match (&args.verb, &args.at) {
        (Some(Verb::Delta(args)), _) => return delta::run(context, args),
        (None, Some(at)) => at,
        (None, None) => return Err(CommandError::usage("no mirror given").help("name it with `--at MIRROR`")),
    };
    let configuration = args.asked.configuration(context, Dialect::Named)?;
    let AskedFor { input, catalog, .. } = &args.asked;
    let entries = entries::open(context, configuration.operators.clone(), input, catalog.as_deref())?;
    let mut entries = args.asked.take_bundles(entries)?;
    args.asked.choose_defaults(context, &mut entries);
    let (kept, exit) = kept_images(context, &args.asked, &configuration, &entries)?;
    let mut holdings = if let Some(place) = at.strip_prefix("docker://") {
        in_registry(context, (args, at), place, &kept, &entries)?
    } else {
        in_layout(context, at, &kept)?
    };
    if !configuration.platform.channels.is_empty() {
        context
            .reporter
            .note("the configuration also mirrors releases of OpenShift; olmdex does not compare their images");
    }
    holdings.sort_by(|a, b| (a.status, &a.image, &a.at).cmp(&(b.status, &b.image, &b.at)));
    let count = |status: HoldingStatus| holdings.iter().filter(|it| it.status == status).count() as u64;
    let (missing, unknown) = (count(HoldingStatus::Missing), count(HoldingStatus::Unknown));
    let mut words = vec![
        format!("{} present", counted(count(HoldingStatus::Present), "image")),
        format!("{missing} missing"),
        format!("{} not needed", count(HoldingStatus::Unneeded)),
    ];
    if unknown > 0 {
        words.push(format!("{unknown} unknown"));
    }
    context.reporter.note(&words.join(", "));
    table::print(holdings, &args.rows)?;
    Ok(match exit {
        Exit::Yes if missing > 0 || unknown > 0 => Exit::No,
        other => other,
    })
}

/// A holding of a needed image.
fn needed(image: &Image, at: &str, presence: Presence) -> Holding {
    let status = match presence.status {
        Status::Found => HoldingStatus::Present,
        Status::Missing => HoldingStatus::Missing,
        Status::Unknown => HoldingStatus::Unknown,
    };
    let message = if status == HoldingStatus::Unknown { presence.message } else { String::new() };
    Holding { status, image: image.to_string(), at: at.to_owned(), size: presence.size, message }
}

/// Compares a layout.
fn in_layout(context: &Context, place: &str, images: &[Mirrored]) -> Result<Vec<Holding>, CommandError> {
    let directory = place.strip_prefix("oci:").or_else(|| Path::new(place).is_dir().then_some(place));
    let Some(directory) = directory else {
        let error = CommandError::usage(format!("`{place}` is not a mirror"));
        return Err(error.help("name a registry, `docker://HOST`, or an OCI layout, `oci:DIR`"));
    };
    let cannot = |error| crate::cli::args::destination::cannot("read", place, error);
    let layout = Layout::open(Path::new(directory)).map_err(cannot)?;
    let names: Vec<String> = images.iter().map(|it| it.image.to_string()).collect();
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    let presences: Vec<Presence> = look_up(context, place, &texts)?.into_iter().map(|it| it.presence).collect();
    let found: BTreeMap<String, ()> =
        presences.iter().filter(|it| it.status == Status::Found).map(|it| (it.digest.clone(), ())).collect();
    let mut holdings: Vec<Holding> =
        images.iter().zip(presences).map(|(it, presence)| needed(&it.image, "", presence)).collect();
    for (digest, name) in layout.images() {
        let digest = digest.to_string();
        if !found.contains_key(&digest) {
            let at = if name.is_empty() { format!("@{digest}") } else { name };
            let status = HoldingStatus::Unneeded;
            holdings.push(Holding { status, image: String::new(), at, size: 0, message: String::new() });
        }
    }
    Ok(holdings)
}

/// Compares a registry.
#[cfg(feature = "oci")]
fn in_registry(
    context: &Context,
    (args, named): (&MirrorArgs, &str),
    place: &str,
    images: &[Mirrored],
    entries: &[MirrorCatalog],
) -> Result<Vec<Holding>, CommandError> {
    let Some(to) = Destination::parse(place, args.max_nested_paths) else {
        let error = CommandError::usage(format!("`{place}` does not name a registry"));
        return Err(error.help("name a host with a dot or a port: `docker://mirror.example.com:5000/operators`"));
    };
    let mut places = NeededPlaces::new(images, &to);
    // Clusters pull images by digest. A filtered catalog has another digest than its original, so it is named by its
    // tag.
    let mut wanted: Vec<(Image, String)> = Vec::new();
    for it in images {
        let at = to.of(it);
        let text = match &it.image.digest {
            Some(digest) => format!("{}@{digest}", at.location()),
            None => at.to_string(),
        };
        wanted.push((it.image.clone(), text));
    }
    for entry in entries {
        if let (Some(at), Some(image)) =
            (mirror::catalog_image(&entry.operator, Some(&to)), mirror::catalog_image(&entry.operator, None))
        {
            places.add(&at, None);
            wanted.push((image, at.to_string()));
        }
    }
    let texts: Vec<&str> = wanted.iter().map(|it| it.1.as_str()).collect();
    let presences = look_up(context, "", &texts)?.into_iter().map(|it| it.presence);
    let mut holdings: Vec<Holding> =
        wanted.iter().zip(presences).map(|((image, at), presence)| needed(image, at, presence)).collect();
    let cannot = |error| crate::cli::args::destination::cannot("list", named, error);
    let registries = &context.opener.registries;
    let root = registries.image(&format!("{}/x:latest", to.host)).map_err(cannot)?;
    let prefix = if to.prefix.is_empty() { String::new() } else { format!("{}/", to.prefix) };
    let repositories: Vec<String> =
        root.repositories().map_err(cannot)?.into_iter().filter(|it| it.starts_with(&prefix)).collect();
    let unneeded = |repository: &String| -> Vec<Holding> {
        let location = format!("{}/{repository}", to.host);
        let holding = |status: HoldingStatus, at: String, message: String| Holding {
            status,
            image: String::new(),
            at,
            size: 0,
            message,
        };
        let tags = match registries.image(&format!("{location}:latest")).and_then(|it| it.tags()) {
            Ok(tags) => tags,
            // A repository whose images have been deleted is still listed.
            Err(crate::oci::OciError::Unknown(_)) => Vec::new(),
            Err(error) => return vec![holding(HoldingStatus::Unknown, location, error.to_string())],
        };
        let mut found = Vec::new();
        for tag in tags.iter().filter(|it| !places.has_tag(&location, it)) {
            let at = format!("{location}:{tag}");
            let is_needed = places.has_location(&location)
                && match registries.image(&at).and_then(|it| it.digest_of_tag()) {
                    Ok(digest) => digest.is_some_and(|it| places.has_digest_at(&location, &it.to_string())),
                    Err(error) => {
                        found.push(holding(HoldingStatus::Unknown, at, error.to_string()));
                        continue;
                    }
                };
            if !is_needed {
                found.push(holding(HoldingStatus::Unneeded, at, String::new()));
            }
        }
        found
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
    _: &[Mirrored],
    _: &[MirrorCatalog],
) -> Result<Vec<Holding>, CommandError> {
    Err(CommandError::usage("this build of olmdex has no support for registries")
        .help("name an OCI layout: `--at oci:DIR`"))
}
