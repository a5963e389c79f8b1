//! `olmdex images`

use std::collections::HashSet;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::ask::WorkOptions;
use crate::ask::{Target, Uninstallable, add_dependencies, bundles_named, bundles_of_cluster, image_warning};
use crate::cli::args::cluster::{Asked, read_cluster_telling};
use crate::cli::args::formats::{Formats, JSON, JSONL, OutputFormat, YAML};
use crate::cli::args::lookup;
use crate::cli::args::name::{of_each, refuse_path};
use crate::cli::args::part::FollowedIndex;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::dependencies::image_asks as asked;
use crate::cli::print::table::{write_data, write_table, write_yaml};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::{counted, printable, printable_line};
use crate::index::LightIndex;
use crate::index::query::{BundlePlace, Filter, ImageUse};
use crate::oci::{Presence, Status};

const FORMATS: Formats = Formats(&[
    (OutputFormat::Name, "One reference per line"),
    (OutputFormat::Table, "With the bundles that use them"),
    (OutputFormat::Wide, "The same, with no cell cut on a terminal"),
    JSON,
    YAML,
    JSONL,
    (OutputFormat::Csv, "The table as comma-separated values"),
    (OutputFormat::Markdown, "The table as GitHub-flavored Markdown"),
    (OutputFormat::Isc, "ImageSetConfiguration of oc-mirror"),
    (
        OutputFormat::Mapping,
        "SOURCE=TARGET lines for `oc image mirror -f`, which keeps digests: the target of a digest has no tag",
    ),
]);

/// List the images of operators: bundle images and related images
///
/// Images with tags instead of digests, and empty references, are reported on standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex images keda@2.10.1 cert-manager kiali
  olmdex images 'keda/stable@>=2.9.0'
  olmdex images alloydb-omni-operator --with-deps -o isc > imageset-config.yaml
  olmdex images keda@2.10.1 --installed 2.8.1 -o mapping --registry mirror.example.com:5000
  olmdex images keda kiali --old old-catalog/")]
pub(crate) struct ImagesArgs {
    /// PKG (the head of its default channel), PKG@VERSION, PKG/CHANNEL (its head), the name of a bundle, or a range of
    /// versions: PKG@RANGE, PKG/CHANNEL@RANGE. If several are given, those that exist are listed, the others are
    /// errors, and the exit code is 4. Default with `--old`: all bundles
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present_any = ["imageset", "cluster", "old"])]
    names: Vec<String>,
    /// Those of all that an ImageSetConfiguration keeps
    #[arg(short = 'c', long = "imageset", value_name = "FILE|-")]
    imageset: Option<PathBuf>,
    /// Only images of the operators that a cluster has installed: its manifests, a must-gather, or `@` and a context,
    /// which `oc` or `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// Only images that are new since then: a lock, a catalog, an index, a list of references, one a line, or a layout
    /// with several images. With `--verify` also how many bytes each adds, with shared blobs counted once
    #[arg(long, value_name = "OLD", alias = "since")]
    old: Option<PathBuf>,
    /// Also list the images that OLM installs with it. If that is impossible, the resolvable part is printed, missing
    /// parts are warnings, and the exit code is 1
    #[arg(long)]
    with_deps: bool,
    /// Installed bundle: also list the bundles that OLM Classic installs in between
    #[arg(long, value_name = "BUNDLE", alias = "path-from")]
    installed: Option<String>,
    /// The Subscription's channel. Default: as a Subscription without one
    #[arg(long, value_name = "CHANNEL", requires = "installed")]
    channel: Option<String>,
    /// Look each image up in its registry, or in a layout: `--verify=oci:DIR`. Shows which images exist, their size and
    /// platforms; missing ones are errors, and the exit code is 1
    #[arg(long, value_name = "oci:DIR", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    verify: Option<String>,
    /// Registry to mirror to, with an optional path, for `-o mapping`
    #[arg(long, value_name = "REGISTRY", alias = "to")]
    registry: Option<String>,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    ask: AskOptions,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "name")]
    output: OutputFormat,
}

pub(crate) fn run(context: &Context, args: &ImagesArgs) -> CommandResult {
    if args.output == OutputFormat::Mapping && args.registry.is_none() {
        let error = CommandError::usage("a mapping needs a target registry");
        return Err(error.help("name the registry with `--registry REGISTRY`"));
    }
    let is_about_names = args.imageset.is_none() && args.cluster.is_empty() && args.old.is_none();
    let names: &[String] = if is_about_names { &args.names } else { &[] };
    args.ask.refuse_paths(&args.names)?;
    let index = match args.with_deps && is_about_names {
        true => FollowedIndex::Light(args.ask.open_light(context)?),
        false => FollowedIndex::Whole(args.ask.open_part(context, names)?),
    };
    let (mut bundles, mut missing) = named_bundles(context, args, &index)?;
    let mut is_complete = true;
    if let Some(path) = &args.imageset {
        is_complete &= index.with_documents(context, &args.ask, &[], |index| {
            asked::of_configuration(context, index, &args.ask.catalog, path, &mut bundles)
        })?;
    }
    if !args.cluster.is_empty() {
        let cluster = read_cluster_telling(context, &args.cluster, Asked::Operators)?;
        let (ties, are_named) = (&args.source_map.source_map, args.ask.names_catalogs());
        for place in bundles_of_cluster(&index, &cluster, &args.ask.catalog, ties, are_named)? {
            match place {
                Ok(place) => bundles.push(place),
                Err(message) => {
                    context.reporter.error(&CommandError::new(Exit::NotFound, message));
                    missing = Some(Exit::NotFound);
                }
            }
        }
    }
    if args.with_deps {
        let uninstallable = add_dependencies(&index, &mut bundles, &args.work.options())?;
        uninstallable.iter().for_each(|it| warn_of(context, it));
        is_complete &= uninstallable.is_empty();
    }
    bundles.sort();
    bundles.dedup();
    let mut images = index.image_uses(&bundles)?;
    let known =
        |old: &PathBuf| index.with_documents(context, &args.ask, &[], |index| asked::known_since(context, index, old));
    let known = args.old.as_ref().map(known).transpose()?;
    if let Some(known) = &known {
        images.retain(|it| !known.has(&it.image));
    }
    images.iter().filter_map(image_warning).for_each(|it| context.reporter.warning(&it));
    let presences = match &args.verify {
        None => None,
        Some(place) => {
            let named: Vec<&str> = images.iter().map(|it| it.image.as_str()).filter(|it| !it.is_empty()).collect();
            let seen = lookup::look_up(context, place, &named)?;
            Some(weighed(context, seen, known.map(|it| it.blobs)))
        }
    };
    if let Some(presences) = &presences {
        for it in presences.iter().filter(|it| it.status != Status::Found) {
            let image = printable(&it.image);
            context
                .reporter
                .error(&CommandError::new(Exit::No, format!("`{image}` is {}: {}", it.status.word(), it.message)));
            is_complete = false;
        }
    }
    print(args, images, presences)?;
    Ok(missing.unwrap_or(if is_complete { Exit::Yes } else { Exit::No }))
}

/// Sums up the found images and their size: a blob counts once. `held` are the blobs that are there already, if the
/// user asked for that.
fn weighed(context: &Context, seen: Vec<lookup::ImageRecord>, held: Option<HashSet<String>>) -> Vec<Presence> {
    let asks_what_is_new = held.is_some();
    let mut held = held.unwrap_or_default();
    let (mut n_blobs, mut bytes, mut n_images) = (0, 0_u64, 0);
    let mut presences = Vec::with_capacity(seen.len());
    for mut it in seen {
        let mut added = 0_u64;
        for (digest, size) in it.blobs {
            if held.insert(digest) {
                n_blobs += 1;
                added = added.saturating_add(size);
            }
        }
        if it.presence.status == Status::Found {
            n_images += 1;
            bytes = bytes.saturating_add(added);
            it.presence.added = asks_what_is_new.then_some(added);
        }
        presences.push(it.presence);
    }
    if n_images > 0 {
        let (images, what) = (counted(n_images, "image"), if asks_what_is_new { "new blob" } else { "blob" });
        let blobs = counted(n_blobs, what);
        context.reporter.note(&format!("{images}: {blobs}, {bytes} bytes; shared blobs count once"));
    }
    presences
}

/// The named bundles, and the exit code if a name does not exist.
fn named_bundles(
    context: &Context,
    args: &ImagesArgs,
    index: &LightIndex,
) -> Result<(Vec<BundlePlace>, Option<Exit>), CommandError> {
    let mut bundles = Vec::new();
    if args.old.is_some() && args.names.is_empty() && args.imageset.is_none() && args.cluster.is_empty() {
        // Without a name, the question is about the whole catalog.
        let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
        let rows = index.bundles(&filter)?.into_iter();
        bundles.extend(rows.map(|row| (row.catalog, row.package, row.bundle)));
    }
    let (found, exit) = of_each(context, &args.names, |name| {
        refuse_path(index, name)?;
        let installed = args.installed.as_deref();
        Ok((bundles_named(index, &args.ask.catalog, name, installed, args.channel.as_ref())?, Exit::Yes))
    })?;
    bundles.extend(found.into_iter().flatten());
    Ok((bundles, Some(exit).filter(|exit| *exit != Exit::Yes)))
}

/// Warns that a bundle cannot be installed with all its requirements.
fn warn_of(context: &Context, bundle: &Uninstallable) {
    context.reporter.warning(&bundle.words());
    let Target { package, bundle } = &bundle.target;
    // The same version, or another would be resolved.
    context.reporter.note(&format!("`olmdex resolve --install {package}@{bundle}` shows why"));
}

/// An ImageSetConfiguration with nothing but images.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImageSet<'i> {
    api_version: &'static str,
    kind: &'static str,
    mirror: Mirror<'i>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mirror<'i> {
    additional_images: Vec<ImageName<'i>>,
}

#[derive(Serialize)]
struct ImageName<'i> {
    name: &'i str,
}

fn print(args: &ImagesArgs, images: Vec<ImageUse>, presences: Option<Vec<Presence>>) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if let Some(presences) = presences {
        match args.output {
            format if format.is_data() => {
                write_data(format, "ImagePresence", presences, &mut out)?;
                out.flush()?;
                return Ok(());
            }
            OutputFormat::Table | OutputFormat::Wide | OutputFormat::Csv | OutputFormat::Markdown => {
                let mut headers = ["IMAGE", "STATUS", "MIB", "PLATFORMS"].map(str::to_owned).to_vec();
                let row = |it: &Presence| {
                    let size =
                        if it.status == Status::Found { it.size.div_ceil(1 << 20).to_string() } else { String::new() };
                    vec![it.image.clone(), it.status.word().to_owned(), size, it.platforms.join(",")]
                };
                let mut rows: Vec<Vec<String>> = presences.iter().map(row).collect();
                if args.old.is_some() {
                    headers.insert(3, "NEW BYTES".to_owned());
                    for (row, it) in rows.iter_mut().zip(&presences) {
                        row.insert(3, it.added.map(|it| it.to_string()).unwrap_or_default());
                    }
                }
                write_table(args.output, Some(headers), rows, &[], &mut out)?;
                return Ok(out.flush()?);
            }
            _ => {}
        }
    }
    let mut named = images.iter().filter(|it| !it.image.is_empty());
    match args.output {
        format if format.is_data() => write_data(format, "Image", images, &mut out)?,
        OutputFormat::Table | OutputFormat::Wide | OutputFormat::Csv | OutputFormat::Markdown => {
            let headers = ["IMAGE", "NAMES", "BUNDLES"].map(str::to_owned).to_vec();
            let row = |it: &ImageUse| vec![it.image.clone(), it.names.join(","), it.bundles.join(",")];
            let rows: Vec<Vec<String>> = images.iter().map(row).collect();
            write_table(args.output, Some(headers), rows, &[], &mut out)?;
        }
        OutputFormat::Isc => {
            let additional_images = named.map(|it| ImageName { name: &it.image }).collect();
            let set = ImageSet {
                api_version: "mirror.openshift.io/v2alpha1",
                kind: "ImageSetConfiguration",
                mirror: Mirror { additional_images },
            };
            write_yaml(&set, &mut out)?;
        }
        OutputFormat::Mapping => {
            let to = args.registry.as_deref().unwrap_or_default().trim_end_matches('/');
            for it in named {
                writeln!(out, "{}={}", printable_line(&it.image), printable(&mirrored(&it.image, to)))?;
            }
        }
        _ => named.try_for_each(|it| writeln!(out, "{}", printable_line(&it.image)))?,
    }
    out.flush()?;
    Ok(())
}

/// The destination of an image: the same path in another registry, with its tag; a digest needs none.
fn mirrored(image: &str, to: &str) -> String {
    let (name, _) = image.split_once('@').unwrap_or((image, ""));
    // A first component with a dot or a port is a registry.
    let path = match name.split_once('/') {
        Some((registry, path)) if registry.contains(['.', ':']) || registry == "localhost" => path,
        _ => name,
    };
    format!("{to}/{path}")
}
