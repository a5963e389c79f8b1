//! `olmdex edit add`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::bundle::ImageTemplate;
use crate::cli::args::formats::MigrateLevel;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::Finding;
use crate::edit::{Addition, CatalogEdit, Edges, EditEffects, bundle_in};
use crate::fbc::Level;
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
    /// The edges, in words.
    pub(super) fn words(&self) -> Edges {
        Edges { replaces: self.replaces.clone(), skips: self.skips.clone(), skip_range: self.skip_range.clone() }
    }
}

/// Adds the bundle to a catalog without other changes, and returns its package, the effects, and the findings about the
/// bundle in the catalog.
pub(super) fn add(
    context: &Context,
    args: &AddArgs,
    root: &Path,
    catalog: &mut CatalogEdit,
) -> Result<(String, EditEffects, Vec<Finding>), CommandError> {
    let addition = Addition {
        shown: args.bundle.display().to_string(),
        bundle: read_bundle(context, &args.bundle, args.image.as_deref())?,
        channels: args.channel.clone(),
        edges: args.edges.words(),
        level: args.migrate_level.map(Level::from),
        creates_channels: args.create_channel,
        creates_package: args.create_package,
        replaces: args.replace,
    };
    let mut remarks = Vec::new();
    let added = addition.make(root, catalog, &mut remarks);
    remarks.iter().for_each(|it| context.reporter.warning(it));
    let added = added?;
    let contents = if added.keeps_edges() { None } else { context.opener.contents_of_bundle(&args.bundle)? };
    let findings = contents.map(|it| addition.findings(&added, catalog, &it)).transpose()?;
    Ok((added.package, added.effects, findings.unwrap_or_default()))
}

/// The blob of a bundle.
fn read_bundle(context: &Context, path: &Path, image: Option<&str>) -> Result<Tree, CommandError> {
    let template =
        image.map(ImageTemplate::parse).transpose().map_err(|error| CommandError::usage(error.to_string()))?;
    let opener = context.opener.with_bundle_image(template);
    let found = match opener.open(path, &mut std::io::stdin().lock())? {
        Source::Catalog(input) => bundle_in(&input),
        _ => None,
    };
    found.ok_or_else(|| {
        let error = CommandError::new(Exit::Input, format!("`{}` is not one bundle", path.display()));
        error.help("name a bundle directory, the image of a bundle, or a file with its blob")
    })
}
