//! `olmdex edit add`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask;
use crate::bundle::ImageTemplate;
use crate::bundle::rules::{CatalogClaims, Claim, Validation};
use crate::cli::args::formats::MigrateLevel;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::Finding;
use crate::edit::{CatalogEdit, Change, Edges, EditEffects, Target, at_level, bundles_of, join, rules};
use crate::fbc::{BUNDLE_OBJECT, Input, Level, Name};
use crate::index::{CatalogSpec, Mode};
use crate::json::Tree;
use crate::source::Source;

/// Add a bundle: its blob, and an entry in each channel
///
/// The edges of its entries are those of its ClusterServiceVersion (`replaces`, `skips`, `olm.skipRange`); options take
/// their place one by one. A bundle that names no entry replaces the head of each channel. This command finds
/// everything that `bundle --with` finds.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex edit add my-bundle/ --channel stable --image quay.io/org/new:v1 -i my-catalog/ --dry-run
  olmdex edit add my-bundle/ --channel stable --replaces keda.v2.12.0 -i my-catalog/ --dry-run
  olmdex edit add operators/shop/1.0.0 --create-package --channel v1 --image q.io/s:1 -i my-catalog/")]
pub(crate) struct AddArgs {
    /// The bundle: a directory, an image, or a catalog of one bundle
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// A channel that it joins; may be repeated
    #[arg(long, value_name = "CHANNEL", required = true)]
    channel: Vec<String>,
    /// The reference of its image, if the bundle is a directory
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Begin channels that are not there yet with it
    #[arg(long)]
    create_channel: bool,
    /// Create its package if the catalog does not have it; the first channel is the default
    #[arg(long)]
    create_package: bool,
    /// Overwrite an entry and a bundle of its name; the entry keeps its edges unless options name others
    #[arg(long)]
    replace: bool,
    /// How to store its manifests: `none` or `bundle-object-to-csv-metadata`; default: as in the other bundles of the
    /// package, or of the catalog
    #[arg(long, value_enum, value_name = "LEVEL", hide_possible_values = true)]
    migrate_level: Option<MigrateLevel>,
    #[command(flatten)]
    edges: EdgeArgs,
}

/// The edges of an entry.
#[derive(Debug, Args)]
pub(crate) struct EdgeArgs {
    /// The entry that it replaces: a name, or PKG@VERSION
    #[arg(long, value_name = "ENTRY")]
    replaces: Option<String>,
    /// The entries that it skips, in the same way
    #[arg(long, value_name = "ENTRY,…", value_delimiter = ',')]
    skips: Option<Vec<String>>,
    /// The versions that it skips, as a range
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,
}

impl EdgeArgs {
    /// The edges of an entry of a package, with the names of the entries that the words mean.
    pub(super) fn edges(&self, catalog: &CatalogEdit, package: &str) -> Result<Edges, CommandError> {
        let named = |it: &String| entry_named(catalog, package, it);
        let of_skips = |it: &Vec<String>| it.iter().filter(|it| !it.is_empty()).map(named).collect::<Result<_, _>>();
        let skips = self.skips.as_ref().map(of_skips);
        Ok(Edges {
            replaces: self.replaces.as_ref().map(named).transpose()?,
            skips: skips.transpose()?,
            skip_range: self.skip_range.clone(),
        })
    }
}

/// The name of the entry that a word stands for. An entry has the name of its bundle, whatever that looks like, and may
/// name a removed one; a version that is not an entry's name stands for the entry of that version.
pub(super) fn entry_named(catalog: &CatalogEdit, package: &str, word: &str) -> Result<String, CommandError> {
    let of_version = |name: Name| match catalog.find(&name) {
        Ok((of, Target::Bundle(bundle))) => Ok((of, bundle)),
        Ok((of, _)) => Ok((of, word.to_owned())),
        Err(error) => Err(CommandError::from(error)),
    };
    match Name::parse(word) {
        name @ Name::Version(..) => {
            let (of, bundle) = of_version(name)?;
            if of != package {
                let error = CommandError::usage(format!("`{word}` belongs to package `{of}`, not to `{package}`"));
                return Err(error.help("name an entry of the channel, or `PKG@VERSION`"));
            }
            Ok(bundle)
        }
        name => match (catalog.find(&name), of_version(Name::parse(&format!("{package}@{word}")))) {
            (Err(_), Ok((_, bundle))) => Ok(bundle),
            _ => Ok(word.to_owned()),
        },
    }
}

/// The result of adding a bundle.
pub(super) struct Added {
    pub(super) package: String,
    pub(super) verdict: EditEffects,
    /// Findings about the bundle in the catalog.
    pub(super) joined: Vec<Finding>,
}

/// Adds the bundle to a catalog without other changes.
pub(super) fn add(
    context: &Context,
    args: &AddArgs,
    root: &Path,
    input: &Input,
    catalog: &mut CatalogEdit,
) -> Result<Added, CommandError> {
    let blob = read_bundle(context, &args.bundle, args.image.as_deref())?;
    let package = blob.text_of_field("package").to_owned();
    let is_new = !catalog.packages().contains(&package);
    if is_new && !args.create_package {
        let error = match catalog.find(&Name::Plain(package.clone())) {
            Err(error) => CommandError::from(error),
            Ok(_) => CommandError::usage("no such package"),
        };
        let is_guess = |it: &&String| it.starts_with("did you mean");
        let meant = error.help.as_ref().filter(is_guess).map(|it| format!("{it} ")).unwrap_or_default();
        let file = if root.is_file() { root.to_owned() } else { catalog.file_of_new(root, &package)? };
        let help = format!("`--create-package` creates the package with this bundle, in `{}`", file.display());
        return Err(error.help(format!("{meant}{help}")));
    }
    if blob.text_of_field("image").is_empty() {
        let message = "names no image, and OLM v1 needs one: add `--image`";
        context.reporter.warning(&format!("`{}` {message}", args.bundle.display()));
    }
    let (options, stated) = (args.edges.edges(catalog, &package)?, Edges::stated_in(&blob));
    let name = blob.text_of_field("name").to_owned();
    let is_there = catalog.find(&Name::Plain(name)).is_ok();
    let keeps_edges = args.replace && is_there && options == Edges::default();
    report_dropped(context, &options, &stated, keeps_edges);
    let edges = options.or(stated);
    let change = Change::Add {
        bundle: leveled(context, args, catalog, &package, &blob)?,
        channels: args.channel.clone(),
        edges: edges.clone(),
        keeps_edges,
        creates_channels: args.create_channel || is_new,
        replaces_itself: args.replace,
    };
    let near = catalog.files_of(&package);
    let verdict = if is_new {
        catalog.create_package(root, &package, &change)?
    } else {
        catalog.change(&package, std::slice::from_ref(&change))?
    };
    let joined = if keeps_edges { Vec::new() } else { joined(context, args, input, &near, &edges)? };
    Ok(Added { package, verdict, joined })
}

/// Reports the edges of the ClusterServiceVersion that options replace.
fn report_dropped(context: &Context, options: &Edges, stated: &Edges, keeps_edges: bool) {
    let skips = |it: &Edges| it.skips.as_ref().map(|it| it.join(","));
    let edges = [
        ("replaces", "--replaces", options.replaces.clone(), stated.replaces.clone()),
        ("skips", "--skips", skips(options), skips(stated)),
        ("olm.skipRange", "--skip-range", options.skip_range.clone(), stated.skip_range.clone()),
    ];
    for (field, option, given, stated) in edges {
        let Some(stated) = stated else { continue };
        let why = match given {
            Some(given) if given == stated => continue,
            Some(_) => format!("`{option}` overrides it"),
            None if keeps_edges => format!("the entry keeps its edges; `{option}` changes them"),
            None => continue,
        };
        context.reporter.warning(&format!("`{field}: {stated}` of the ClusterServiceVersion is not used: {why}"));
    }
}

/// The blob at the requested level, or at that of the other bundles.
fn leveled(
    context: &Context,
    args: &AddArgs,
    catalog: &CatalogEdit,
    package: &str,
    blob: &Tree,
) -> Result<Tree, CommandError> {
    let others = catalog.level_of(package);
    let level = args.migrate_level.map(Level::from).or(others).unwrap_or_default();
    let bundle = at_level(blob, level)?;
    let has = |kind: &str| bundle.items_of("properties").iter().any(|it| it.text_of_field("type") == kind);
    let has_metadata = has("olm.csv.metadata");
    let shown = args.bundle.display();
    if level == Level::CsvMetadata && !has_metadata && has(BUNDLE_OBJECT) {
        let message = "keeps its manifests, although the other bundles have `olm.csv.metadata`: olmdex can migrate \
            only bundles with an image";
        context.reporter.warning(&format!("`{shown}` {message}"));
    } else if args.migrate_level.is_none() && others == Some(Level::None) && has_metadata {
        let message = "has `olm.csv.metadata`, although the other bundles have their manifests: to add manifests too, \
            name the bundle itself";
        context.reporter.warning(&format!("`{shown}` {message}"));
    }
    Ok(bundle)
}

/// The findings about the bundle in the catalog, as in `bundle --with`, with the edges that its entries get.
fn joined(
    context: &Context,
    args: &AddArgs,
    input: &Input,
    near: &std::collections::BTreeSet<usize>,
    edges: &Edges,
) -> Result<Vec<Finding>, CommandError> {
    let Some(contents) = context.opener.contents_of_bundle(&args.bundle)? else { return Ok(Vec::new()) };
    let Some(newcomer) = Validation::new(&contents).newcomer() else { return Ok(Vec::new()) };
    let needs_others =
        !(newcomer.required.is_empty() && newcomer.packages.is_empty() && newcomer.constraints.is_empty());
    let mut builder = ask::builder();
    let spec = CatalogSpec { name: "catalog".to_owned(), ..CatalogSpec::default() };
    // A bundle that needs nothing meets its own package only.
    let input = if needs_others { input.clone() } else { input.only(near) };
    builder.add_catalog(&spec, &input, Mode::Tolerant)?;
    let index = builder.into_index()?;
    let mut findings: Vec<Finding> = Vec::new();
    for channel in &args.channel {
        for finding in join(&index, &as_entry(&newcomer, channel, edges))? {
            let is_meant = [
                (rules::NEW_PACKAGE.id, args.create_package),
                (rules::NEW_CHANNEL.id, true),
                (rules::NAME_TAKEN.id, args.replace),
                (rules::VERSION_TAKEN.id, args.replace),
            ];
            let is_meant = is_meant.iter().any(|(id, is_meant)| finding.rule.id == *id && *is_meant);
            let is_same = |it: &Finding| it.message == finding.message && it.place == finding.place;
            if !is_meant && !findings.iter().any(is_same) {
                findings.push(finding);
            }
        }
    }
    Ok(findings)
}

/// A bundle as the entry of a channel that it becomes.
fn as_entry(newcomer: &CatalogClaims, channel: &str, edges: &Edges) -> CatalogClaims {
    let place = newcomer.replaces.as_ref().map_or(&newcomer.name.place, |it| &it.place).clone();
    let replaces = edges.replaces.clone().filter(|it| !it.is_empty());
    let skip = |it: &String| {
        let stated = newcomer.skips.iter().find(|stated| stated.it == *it);
        let place = stated.map_or(&newcomer.name.place, |it| &it.place).clone();
        Claim { it: it.clone(), place }
    };
    CatalogClaims {
        channels: Claim { it: vec![channel.to_owned()], place: newcomer.channels.place.clone() },
        replaces: replaces.map(|it| Claim { it, place }),
        skips: edges.skips.iter().flatten().map(skip).collect(),
        skip_range: edges.skip_range.clone().unwrap_or_default(),
        ..newcomer.clone()
    }
}

/// The package of a bundle, and its blob.
fn read_bundle(context: &Context, path: &Path, image: Option<&str>) -> Result<Tree, CommandError> {
    let template =
        image.map(ImageTemplate::parse).transpose().map_err(|error| CommandError::usage(error.to_string()))?;
    let opener = context.opener.with_bundle_image(template);
    let not_one = || {
        let error = CommandError::new(Exit::Input, format!("`{}` is not one bundle", path.display()));
        error.help("name a bundle directory, the image of a bundle, or a file with its blob")
    };
    let Source::Catalog(input) = opener.open(path, &mut std::io::stdin().lock())? else { return Err(not_one()) };
    let mut bundles = bundles_of(&input);
    match (bundles.pop(), bundles.is_empty()) {
        (Some(found), true) => Ok(found),
        _ => Err(not_one()),
    }
}
