//! `olmdex images`

use std::collections::HashSet;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::Args;

use crate::ask::{Answer, ImagesQuestion, Question as _, State};
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::formats::{Formats, JSON, JSONL, OutputFormat, YAML};
use crate::cli::args::images::note_unlisted;
use crate::cli::args::lookup;
use crate::cli::args::name::refuse_path;
use crate::cli::args::part::with_documents;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::SourceOptions;
use crate::cli::args::text::configuration_of;
use crate::cli::args::upgrade::{ended, told};
use crate::cli::dependencies::image_asks as asked;
use crate::cli::print::table::{write_part, write_table};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::{counted, printable, printable_line};
use crate::index::query::{Filter, ImageUse};
use crate::index::{LightIndex, WholeOrLight};
use crate::mirror::{self, AdditionalImage, BlockedImages, Configuration, Destination, Dialect, Image};
use crate::oci::{Presence, Status};

const FORMATS: Formats = Formats(&[
    (OutputFormat::Name, "One reference per line, as skopeo takes it: without the tag if there is a digest"),
    (OutputFormat::Table, "With the bundles that use them"),
    (OutputFormat::Wide, "The same, not cut to fit a terminal"),
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
/// Images with tags instead of digests, and empty references, are reported on standard error. Exits with 4 if one of
/// several names does not exist, and with 1 if OLM cannot install all that `--with-deps` asks for. With `--base` and
/// without a name, the images are those of all bundles.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex images keda@2.10.1 cert-manager kiali
  olmdex images 'keda/stable@>=2.9.0'
  olmdex images alloydb-omni-operator --with-deps -o isc > imageset-config.yaml
  olmdex images keda@2.10.1 --installed 2.8.1 -o mapping --registry mirror.example.com:5000
  olmdex images keda kiali --base old-catalog/")]
pub(crate) struct ImagesArgs {
    #[command(flatten)]
    question: ImagesQuestion,
    /// Those of all that an ImageSetConfiguration keeps, with its `additionalImages`; `-i REFERENCE=SOURCE` names the
    /// source of one of its catalogs, and with `-o isc` alone the image of a catalog
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
    /// Look each image up in its registry, or in a layout: `--verify=oci:DIR`. Shows which images exist, their size and
    /// platforms; missing ones are errors, and the exit code is 1
    #[arg(long, value_name = "oci:DIR", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    verify: Option<String>,
    /// Registry to mirror to, with an optional path, for `-o mapping`
    #[arg(long, value_name = "REGISTRY", alias = "to")]
    registry: Option<String>,
    #[command(flatten)]
    sources: SourceOptions,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "name")]
    output: OutputFormat,
}

pub(crate) fn run(context: &Context, args: &ImagesArgs) -> CommandResult {
    if args.output == OutputFormat::Mapping && args.registry.is_none() {
        let error = CommandError::usage("a mapping needs a target registry");
        return Err(error.help("name the registry with `--registry REGISTRY`"));
    }
    let configuration = args.imageset.as_ref().map(|path| configuration_of(path, Dialect::Named)).transpose()?;
    let mut question = args.question.clone();
    let sources = args.sources.of_catalogs(&question.catalog);
    let (sources, mut source_map) = match &configuration {
        Some(configuration) => {
            configuration.check_listed()?;
            note_unlisted(context, &configuration.unlisted);
            (sources.of_configuration(&configuration.operators)?, Vec::new())
        }
        None => sources.of_references()?,
    };
    source_map.extend_from_slice(&args.source_map.source_map);
    let is_about_names = args.imageset.is_none() && args.cluster.is_empty() && args.old.is_none();
    let names: &[String] = if is_about_names { &question.names } else { &[] };
    sources.refuse_paths(question.names())?;
    let index = match question.with_deps && is_about_names {
        true => WholeOrLight::Light(sources.open_light(context)?),
        false => WholeOrLight::Whole(sources.open_part(context, names)?),
    };
    question.names().into_iter().try_for_each(|name| refuse_path(&index, name))?;
    let mut is_complete = true;
    let to = args.registry.as_deref().and_then(|it| Destination::parse(it, None));
    if let Some(configuration) = &configuration {
        is_complete &= with_documents(&index, context, &sources, &[], |index| {
            asked::of_configuration(context, index, configuration, to.as_ref(), &mut question)
        })?;
    }
    let mut held = None;
    if let Some(old) = &args.old {
        if question.names.is_empty() && args.imageset.is_none() && args.cluster.is_empty() {
            // Without a name, the question is about the whole catalog.
            let filter = Filter { catalogs: question.catalog.clone(), ..Filter::default() };
            let rows = index.bundles(&filter)?.into_iter();
            question.others = Some(rows.map(|row| (row.catalog, row.package, row.bundle)).collect());
        }
        let known = with_documents(&index, context, &sources, &[], |index| asked::known_since(context, index, old))?;
        (question.known, held) = (known.images, Some(known.blobs));
    }
    let cluster = named_cluster(context, &args.cluster, Asked::Operators)?;
    let state = State { source_map: &source_map, ..args.source_map.state(&*index, &sources, cluster.as_ref()) };
    let Answer { items: mut images, verdict, .. } = told(context, question.ask(&state))?;
    let configuration = configuration.unwrap_or_default();
    let blocked = BlockedImages::of(&configuration, to.as_ref());
    images.retain(|it| Image::parse(&it.image).is_none_or(|image| !blocked.has(&image.into())));
    if images.is_empty() && args.old.is_some() {
        context.reporter.note("no image is new");
    }
    let presences = match &args.verify {
        None => None,
        Some(place) => {
            let named: Vec<&str> = images.iter().map(|it| it.image.as_str()).filter(|it| !it.is_empty()).collect();
            let seen = lookup::look_up(context, place, &named)?;
            Some(weighed(context, seen, held))
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
    let written = written(context, args, &state, &question.catalog, (&configuration, &images))?;
    print(args, images, presences, (&configuration, &written))?;
    let exit = ended(context, verdict)?;
    Ok(if is_complete { exit } else { Exit::No })
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

/// The configuration for `-o isc`: that of the question with what is listed of it, or one for the images.
fn written(
    context: &Context,
    args: &ImagesArgs,
    state: &State<'_, LightIndex>,
    catalogs: &[String],
    (asked, images): (&Configuration, &[ImageUse]),
) -> Result<Configuration, CommandError> {
    if args.output != OutputFormat::Isc {
        return Ok(Configuration::default());
    }
    if args.imageset.is_none() {
        return asked::as_configuration(context, state, catalogs, images);
    }
    let (operators, additional_images) = (asked.operators.clone(), asked.additional_images.clone());
    Ok(Configuration { operators, additional_images, ..Configuration::default() })
}

fn print(
    args: &ImagesArgs,
    images: Vec<ImageUse>,
    presences: Option<Vec<Presence>>,
    (configuration, written): (&Configuration, &Configuration),
) -> Result<(), CommandError> {
    let unlisted = configuration.unlisted.as_slice();
    let not_listed = || unlisted.iter().map(|it| format!("not listed: {it}"));
    let mut out = BufWriter::new(std::io::stdout().lock());
    if let Some(presences) = presences {
        match args.output {
            format if format.is_data() => {
                write_part(format, "ImagePresence", presences, unlisted, &mut out)?;
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
                rows.extend(
                    not_listed().map(|it| [vec![String::new(), it], vec![String::new(); headers.len() - 2]].concat()),
                );
                write_table(args.output, Some(headers), rows, &[], &mut out)?;
                return Ok(out.flush()?);
            }
            _ => {}
        }
    }
    let mut named = images.iter().filter(|it| !it.image.is_empty());
    match args.output {
        format if format.is_data() => write_part(format, "Image", images, unlisted, &mut out)?,
        OutputFormat::Table | OutputFormat::Wide | OutputFormat::Csv | OutputFormat::Markdown => {
            let headers = ["IMAGE", "NAMES", "BUNDLES"].map(str::to_owned).to_vec();
            let row = |it: &ImageUse| vec![it.image.clone(), it.names.join(","), it.bundles.join(",")];
            let not_listed = not_listed().map(|it| vec![String::new(), it, String::new()]);
            let rows: Vec<Vec<String>> = images.iter().map(row).chain(not_listed).collect();
            write_table(args.output, Some(headers), rows, &[], &mut out)?;
        }
        OutputFormat::Isc => {
            out.write_all(mirror::unlisted_comment(unlisted).as_bytes())?;
            out.write_all(written.to_yaml().as_bytes())?;
        }
        OutputFormat::Mapping => {
            let to = args.registry.as_deref().unwrap_or_default().trim_end_matches('/');
            for it in named {
                let target = mirrored(&it.image, to, &configuration.additional_images);
                writeln!(out, "{}={}", printable_line(&Image::copyable_name(&it.image)), printable(&target))?;
            }
        }
        _ => named.try_for_each(|it| writeln!(out, "{}", printable_line(&Image::copyable_name(&it.image))))?,
    }
    if matches!(args.output, OutputFormat::Name | OutputFormat::Mapping) {
        out.write_all(mirror::unlisted_comment(unlisted).as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

/// The destination of an image: the same path in another registry, with its tag; a digest needs none. An additional
/// image may have another path and tag.
fn mirrored(image: &str, to: &str, additional: &[AdditionalImage]) -> String {
    let is_it = |it: &&AdditionalImage| Image::parse(&it.name).is_some_and(|named| named.to_string() == image);
    if let (Some(it), Some(image)) = (additional.iter().find(is_it), Image::parse(image)) {
        let path = if it.target_repo.is_empty() { &image.path } else { &it.target_repo };
        let tag = Some(&it.target_tag).filter(|tag| !tag.is_empty()).or(image.tag.as_ref());
        return tag.map_or_else(|| format!("{to}/{path}"), |tag| format!("{to}/{path}:{tag}"));
    }
    let (name, _) = image.split_once('@').unwrap_or((image, ""));
    // A first component with a dot or a port is a registry.
    let path = match name.split_once('/') {
        Some((registry, path)) if registry.contains(['.', ':']) || registry == "localhost" => path,
        _ => name,
    };
    format!("{to}/{path}")
}
