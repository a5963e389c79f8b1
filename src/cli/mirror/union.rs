//! `olmdex mirror union`

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{entries, filter, target};
use crate::ask::MirrorCatalog;
use crate::cli::print::table::{self, Column, Row, RowOptions, column};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::mirror::{Operator, Package, UnionEdge};

/// Unite what a mirror held before with what it holds now, in one valid catalog
///
/// STATEs are filtered catalogs whose images are in the mirror, the oldest first. The result has all of their bundles,
/// so a cluster sees the old and the new versions. Channels, edges and the default channel are those of the full
/// catalog. opm refuses a channel whose entries are not connected. If the full catalog leads from one mirrored version
/// to another only through versions that the mirror lacks, an edge is added, with a warning: mirror those versions, or
/// make sure that the operator can skip them. Lists all edges; `--into` writes the catalog.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex mirror union old-catalog/ my-catalog/ --full index.db
  olmdex mirror union old-catalog/ my-catalog/ --full index.db --into united/
  olmdex mirror union old-catalog/ my-catalog/ --full index.db -o json")]
pub(super) struct UnionArgs {
    /// A state of the mirror: a catalog in a directory, file, index, image or layout
    #[arg(value_name = "STATE", required = true, num_args = 2..)]
    states: Vec<PathBuf>,
    /// The catalog that the states were filtered from
    #[arg(long, value_name = "CATALOG")]
    full: PathBuf,
    /// Write the catalog: to a directory, FILE.db, docker://HOST/NAME:TAG or oci:DIR:TAG
    #[arg(long, value_name = "TARGET")]
    into: Option<String>,
    /// Image whose program serves the catalog of `--into docker://…` or `oci:…`
    #[arg(long, value_name = "IMAGE", requires = "into")]
    base: Option<String>,
    #[command(flatten)]
    rows: RowOptions,
}

impl Row for UnionEdge {
    const KIND: &'static str = "MirrorUnion";

    const COLUMNS: &'static [Column<Self>] = &[
        column("STATUS", |edge| if edge.is_added { "added" } else { "kept" }.into()),
        column("PACKAGE", |edge| Cow::from(&edge.package)),
        column("CHANNEL", |edge| Cow::from(&edge.channel)),
        column("FROM", |edge| Cow::from(&edge.from)),
        column("TO", |edge| Cow::from(&edge.to)),
        column("FIELD", |edge| edge.field.into()),
        column("MESSAGE", |edge| Cow::from(&edge.message)),
    ];

    const BELOW: &'static [&'static [&'static str]] = &[&["MESSAGE"], &["FIELD"]];

    fn name(&self) -> String {
        self.to.clone()
    }
}

pub(super) fn run(context: &Context, args: &UnionArgs) -> CommandResult {
    let open = |path: &Path, packages: Vec<Package>| {
        let operator = Operator { packages, ..Operator::default() };
        entries::open_one(context, operator, path.to_string_lossy().into_owned(), path, None)
    };
    let states = args.states.iter().map(|path| open(path, Vec::new())).collect::<Result<Vec<_>, _>>()?;
    let names = states.iter().flat_map(|state| state.catalog.packages.keys()).filter(|name| !name.is_empty());
    let names: BTreeSet<&String> = names.collect();
    let asked: Vec<Package> =
        names.into_iter().map(|name| Package { name: name.clone(), ..Package::default() }).collect();
    if asked.is_empty() {
        return Err(CommandError::new(Exit::No, "the states have no package, so nothing is united"));
    }
    let full = open(&args.full, asked)?;
    let (united, kept, mut edges) = MirrorCatalog::united("the union".to_owned(), states, full)?;
    edges.retain(|edge| kept.filtered.packages.contains_key(&edge.package));
    let exit = filter::report(context, &united, &kept, ("kept", ""));
    if kept.filtered.packages.keys().all(String::is_empty) && exit != Exit::Yes {
        return Err(CommandError::new(exit, "no package is left, so nothing was written"));
    }
    if let Some(into) = &args.into {
        target::write(context, into, args.base.as_deref(), &[(&united, kept)])?;
    }
    table::print(edges, &args.rows)?;
    Ok(exit)
}
