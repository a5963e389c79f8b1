//! `olmdex mirror delete`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::arguments::AskedFor;
use super::entries;
use super::filter::kept_images;
use crate::ask::{MirrorCatalog, images_of_installed};
use crate::cli::args::cluster::{Asked, read_cluster_telling};
use crate::cli::args::images::layout_of;
use crate::cli::args::lookup::look_up;
use crate::cli::args::text::{misread, text_of};
use crate::cli::print::table::{self, RowOptions};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
use crate::mirror::{
    self, Configuration, ConfigurationError, Deletions, Destination, Dialect, Holding, HoldingStatus, Image, Mirrored,
    Purpose,
};

/// Show what a DeleteImageSetConfiguration deletes from a mirror, and what is still needed
///
/// Lists the images that `oc-mirror delete --generate` would list, and compares them with the images of other
/// configurations and of installed operators. oc-mirror deletes manifests, so all names of a manifest in a repository
/// count; it keeps catalogs. The command deletes nothing. Exits with 1 if something is still needed, or if that is
/// unknown.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex mirror delete -c delete.yaml -c imageset.yaml -i my-catalog/
  olmdex mirror delete -c delete.yaml -i my-catalog/ --cluster must-gather/
  olmdex mirror delete -c delete.yaml -c imageset.yaml -i my-catalog/ --at oci:my-layout -o json")]
pub(super) struct DeletionArgs {
    /// Configuration: a DeleteImageSetConfiguration names what to delete, an ImageSetConfiguration what is still
    /// needed, `-` is standard input; may be repeated
    #[arg(short = 'c', long = "imageset", value_name = "FILE|-", required = true)]
    imageset: Vec<PathBuf>,
    /// Cluster whose installed operators need their images: its manifests, a must-gather, or `@` and a context, which
    /// `oc` or `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    /// Catalog of a configuration: REFERENCE=SOURCE, or SOURCE for all that are not named. Default: the source that
    /// olmdex.toml names with `image`, else the reference is pulled. May be repeated
    #[arg(short, long, value_name = "[REFERENCE=]SOURCE")]
    input: Vec<String>,
    /// The catalog of an index
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
    /// The mirror, to look up which images it has, and which manifests their tags are: docker://HOST[/PATH], or a
    /// layout, oci:DIR
    #[arg(long, value_name = "MIRROR")]
    at: Option<String>,
    /// Highest number of components of a path there; surplus ones are joined with `-`
    #[arg(long, value_name = "N", requires = "at")]
    max_nested_paths: Option<usize>,
    #[command(flatten)]
    rows: RowOptions,
}

impl DeletionArgs {
    /// The configurations with their names; at least one deletes.
    fn configurations(&self) -> Result<Vec<(String, Configuration)>, CommandError> {
        let mut all = Vec::new();
        for path in &self.imageset {
            let text = text_of(path)?;
            let read = match mirror::read_deletion(&text) {
                Err(ConfigurationError::OtherKind(kind, _)) if kind == Purpose::Mirror.kind() => {
                    mirror::read(&text, Dialect::Named)
                }
                read => read,
            };
            let configuration = read.map_err(|error| misread(path, &text, Dialect::Named, &error))?;
            all.push((path.to_string_lossy().into_owned(), configuration));
        }
        if all.iter().all(|(_, configuration)| configuration.purpose != Purpose::Delete) {
            let error = CommandError::usage("none of the configurations deletes anything");
            return Err(
                error.help("give one of `kind: DeleteImageSetConfiguration`, with `delete:` instead of `mirror:`")
            );
        }
        Ok(all)
    }

    /// The images of each configuration.
    fn images(
        &self,
        context: &Context,
        configurations: &[(String, Configuration)],
        entries: &[MirrorCatalog],
    ) -> Result<(Vec<Vec<Mirrored>>, Exit), CommandError> {
        let asked = AskedFor {
            imageset: self.imageset.clone(),
            input: self.input.clone(),
            catalog: self.catalog.clone(),
            ..AskedFor::default()
        };
        let (mut images, mut exit, mut rest) = (Vec::new(), Exit::Yes, entries);
        for (_, configuration) in configurations {
            let (own, others) = rest.split_at(configuration.operators.len());
            let (found, is_whole) = kept_images(context, &asked, configuration, own)?;
            images.push(found);
            exit = exit.max(is_whole);
            rest = others;
        }
        Ok((images, exit))
    }

    /// The place of images in the mirror, and whether it is a registry. Without a mirror, only paths count.
    fn destination(&self) -> Result<(Destination, bool), CommandError> {
        let nowhere = Destination { host: String::new(), prefix: String::new(), max_nested: None };
        let Some(at) = &self.at else { return Ok((nowhere, false)) };
        let Some(place) = at.strip_prefix("docker://") else {
            let error = CommandError::usage(format!("`{at}` is not a mirror"));
            let is_layout = layout_of(Path::new(at)).is_some();
            let help = "name a registry, `docker://HOST`, or an OCI layout, `oci:DIR`";
            return if is_layout { Ok((nowhere, false)) } else { Err(error.help(help)) };
        };
        if cfg!(not(feature = "oci")) {
            let error = CommandError::usage("this build of olmdex has no support for registries");
            return Err(error.help("name an OCI layout: `--at oci:DIR`"));
        }
        let wrong = || {
            let error = CommandError::usage(format!("`{at}` does not name a registry"));
            error.help("name a host with a dot or a port: `docker://mirror.example.com:5000/operators`")
        };
        Destination::parse(place, self.max_nested_paths).map(|to| (to, true)).ok_or_else(wrong)
    }
}

pub(super) fn run(context: &Context, args: &DeletionArgs) -> CommandResult {
    let configurations = args.configurations()?;
    let (to, is_registry) = args.destination()?;
    let operators = configurations.iter().flat_map(|(_, configuration)| configuration.operators.clone()).collect();
    let entries = entries::open(context, operators, &args.input, args.catalog.as_deref())?;
    let (images, exit) = args.images(context, &configurations, &entries)?;
    let of = |purpose: Purpose| {
        let all = configurations.iter().zip(&images);
        all.filter(move |((_, configuration), _)| configuration.purpose == purpose)
    };
    let deleted: BTreeSet<&Mirrored> = of(Purpose::Delete).flat_map(|(_, images)| images).collect();
    let mut deletions = Deletions::new(deleted, &to);
    for ((name, _), images) in of(Purpose::Mirror) {
        deletions.need(images, name);
    }
    let mut remarks: BTreeSet<String> = BTreeSet::new();
    if !args.cluster.is_empty() {
        let cluster = read_cluster_telling(context, &args.cluster, Asked::Operators)?;
        for (who, images) in images_of_installed(&cluster, &entries)? {
            let Some(images) = images else {
                remarks.insert(format!("no catalog here has the bundle of {who}"));
                continue;
            };
            let images: Vec<Mirrored> =
                images.iter().filter_map(|image| Image::parse(image)).map(Mirrored::from).collect();
            deletions.need(&images, &who);
        }
    } else if of(Purpose::Mirror).next().is_none() {
        remarks.insert("no ImageSetConfiguration and no cluster shows what is still needed".to_owned());
    }
    if let Some(at) = &args.at {
        let references = deletions.references(is_registry);
        let references: Vec<&str> = references.iter().map(String::as_str).collect();
        let place = if is_registry { "" } else { at };
        let seen = look_up(context, place, &references)?;
        deletions.found(seen.into_iter().map(|record| record.presence));
    }
    let is_known = remarks.is_empty();
    let mut holdings = deletions.holdings();
    let unlisted = configurations.iter().flat_map(|(_, configuration)| configuration.unlisted.iter().copied());
    holdings.extend(unlisted.collect::<BTreeSet<_>>().into_iter().map(Holding::of_unlisted));
    holdings.extend(remarks.into_iter().map(Holding::not_compared));
    holdings.sort_by(|a, b| (a.status, &a.image, &a.at).cmp(&(b.status, &b.image, &b.at)));
    let count = |status: HoldingStatus| holdings.iter().filter(|it| it.status == status).count() as u64;
    let (needed, unknown) = (count(HoldingStatus::StillNeeded), count(HoldingStatus::MaybeNeeded));
    let mut words = vec![
        format!("{} to delete", counted(count(HoldingStatus::Deletable), "image")),
        format!("{needed} still needed"),
    ];
    let others = [
        (unknown, "maybe needed"),
        (count(HoldingStatus::Absent), "absent"),
        (count(HoldingStatus::NotCompared), "not compared"),
    ];
    for (n, what) in others {
        words.extend((n > 0).then(|| format!("{n} {what}")));
    }
    context.reporter.note(&words.join(", "));
    table::print(holdings, &args.rows)?;
    Ok(if exit == Exit::Yes && (needed + unknown > 0 || !is_known) { Exit::No } else { exit })
}
