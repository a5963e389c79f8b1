//! The forms in which a filtered catalog is printed.

use std::io::{BufWriter, Write as _};

use crate::ask::{KeptPart, MirrorCatalog, v1_install_warnings};
use crate::cli::args::formats::{Formats, OutputFormat};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cluster::needs_service_account;
use crate::constraint::openshift::Minor;
use crate::diag::printable;
use crate::fbc::Format;
use crate::mirror::{
    self, Configuration, Destination, FilterExplanation, ManifestValue, MirrorImages, MirrorSet, OutputError,
};

/// Formats of a filtered catalog, and of the files that a mirror needs for it.
pub(super) const FORMATS: Formats = Formats(&[
    (OutputFormat::Json, "The catalog, as `render` prints it"),
    (OutputFormat::Yaml, "The catalog as YAML documents"),
    (OutputFormat::Isc, "An ImageSetConfiguration that gives the same"),
    (OutputFormat::Images, "References of images, one a line"),
    (
        OutputFormat::Mapping,
        "docker://SOURCE=docker://DESTINATION lines, like mapping.txt of oc-mirror: destinations have tags, as skopeo \
            needs them",
    ),
    (OutputFormat::Skopeo, "The input of `skopeo sync --src yaml`"),
    (OutputFormat::Idms, "ImageDigestMirrorSets"),
    (OutputFormat::Itms, "ImageTagMirrorSets"),
    (OutputFormat::Icsp, "ImageContentSourcePolicies, for OpenShift 4.13 and before"),
    (OutputFormat::CatalogSource, "CatalogSources, for OLM Classic"),
    (OutputFormat::ClusterCatalog, "ClusterCatalogs, for OLM v1"),
    (OutputFormat::Subscription, "Namespaces, OperatorGroups and Subscriptions"),
    (
        OutputFormat::ClusterExtension,
        "Namespaces and ClusterExtensions, with service accounts if `--openshift` needs them",
    ),
]);

/// Whether a form names the image of the catalog.
pub(super) fn needs_references(format: OutputFormat) -> bool {
    matches!(format, OutputFormat::Isc | OutputFormat::CatalogSource | OutputFormat::ClusterCatalog)
}

/// A catalog, and its kept part.
pub(super) type Kept<'e> = (&'e MirrorCatalog, KeptPart);

/// Prints it. `of_cluster` are the version of OpenShift, and whether the image of the catalog has a server. Returns
/// whether nothing had to be left out.
pub(super) fn print(
    context: &Context,
    to: Option<&Destination>,
    format: OutputFormat,
    configuration: &Configuration,
    kept: &[Kept<'_>],
    of_cluster: (Option<Minor>, bool),
) -> Result<bool, CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut is_complete = true;
    match format {
        OutputFormat::Yaml => {
            for (of, part) in kept {
                let blobs = part.blobs_in(of, Format::Yaml)?;
                is_complete &= blobs.defects.is_empty();
                blobs.texts().try_for_each(|(_, text)| out.write_all(text))?;
            }
        }
        OutputFormat::Isc => {
            let catalogs = kept.iter().map(|(of, _)| (&of.catalog, &of.operator));
            let (text, losses) = mirror::equivalent(configuration, catalogs)?;
            losses.iter().for_each(|text| context.reporter.warning(text));
            out.write_all(text.as_bytes())?;
        }
        OutputFormat::Images
        | OutputFormat::Mapping
        | OutputFormat::Skopeo
        | OutputFormat::Idms
        | OutputFormat::Itms
        | OutputFormat::Icsp => {
            let (text, is_whole) = text_of_images(context, to, format, configuration, kept)?;
            is_complete = is_whole;
            out.write_all(text.as_bytes())?;
        }
        OutputFormat::CatalogSource
        | OutputFormat::ClusterCatalog
        | OutputFormat::Subscription
        | OutputFormat::ClusterExtension => {
            let mut nodes = Vec::new();
            for it in kept {
                nodes.extend(manifests(context, to, format, it, of_cluster)?);
            }
            // Several packages may go to one namespace.
            let mut seen = Vec::new();
            nodes.retain(|it| {
                let is_new = !seen.contains(it);
                seen.push(it.clone());
                is_new
            });
            out.write_all(mirror::documents(&nodes).as_bytes())?;
        }
        _ => {
            for (_, part) in kept {
                part.blobs.texts().try_for_each(|(_, text)| out.write_all(text))?;
            }
        }
    }
    out.flush()?;
    Ok(is_complete)
}

/// The images, in one of the formats for images, and whether nothing had to be left out.
fn text_of_images(
    context: &Context,
    to: Option<&Destination>,
    format: OutputFormat,
    configuration: &Configuration,
    kept: &[Kept<'_>],
) -> Result<(String, bool), CommandError> {
    let warn = |warnings: Vec<String>| warnings.iter().for_each(|text| context.reporter.warning(text));
    let target = || {
        let error = CommandError::usage("this format needs a target");
        to.ok_or_else(|| error.help("name the registry to mirror to with `--registry REGISTRY`"))
    };
    if !matches!(format, OutputFormat::Images | OutputFormat::Skopeo) {
        target()?;
    }
    let images = images(context, to, configuration, kept);
    let text = match format {
        OutputFormat::Images => images.references(),
        OutputFormat::Mapping => images.mapping(target()?),
        OutputFormat::Skopeo => {
            warn(images.lost_by_skopeo());
            images.skopeo_sync()
        }
        _ => {
            let kind = match format {
                OutputFormat::Idms => MirrorSet::Digest,
                OutputFormat::Itms => MirrorSet::Tag,
                _ => MirrorSet::ContentSource,
            };
            warn(images.lost_in_mirror_sets(kind));
            images.mirror_sets(kind, target()?)
        }
    };
    Ok((text, images.refused.is_empty()))
}

impl From<OutputError> for CommandError {
    fn from(error: OutputError) -> Self {
        let help = error.help().map(str::to_owned);
        // A request without a reference is the fault of the command line, in every format.
        let exit = if matches!(error, OutputError::Configuration(_)) { Exit::Usage } else { Exit::Input };
        Self::new(exit, error.to_string()).with_help(help)
    }
}

/// The images that a mirror needs; those that are left out are reported.
pub(super) fn images(
    context: &Context,
    to: Option<&Destination>,
    configuration: &Configuration,
    kept: &[Kept<'_>],
) -> MirrorImages {
    let parts = kept.iter().map(|(of, part)| (&of.catalog, &part.filtered));
    let images = MirrorImages::of(configuration, parts, to);
    for error in &images.refused {
        context.reporter.error(&CommandError::from(error.clone()));
    }
    images
}

/// The manifests of a catalog, or of its installed operators.
fn manifests(
    context: &Context,
    to: Option<&Destination>,
    format: OutputFormat,
    kept: &Kept<'_>,
    (openshift, has_server): (Option<Minor>, bool),
) -> Result<Vec<ManifestValue>, CommandError> {
    let (MirrorCatalog { operator, input, catalog, .. }, part) = kept;
    let image = mirror::catalog_image(operator, to);
    let unnamed = || {
        let error = CommandError::usage("the image of the catalog has no name");
        error.help("name it: `-i REFERENCE=SOURCE`")
    };
    let template = operator.others.iter().find(|it| it.0 == "targetCatalogSourceTemplate");
    if let (OutputFormat::CatalogSource, Some((field, ManifestValue::Text(file)))) = (format, template) {
        let file = printable(file);
        context.reporter.warning(&format!(
            "olmdex does not read `{field}: {file}`; oc-mirror fills its name, image and source type into that file"
        ));
    }
    Ok(match format {
        OutputFormat::CatalogSource => vec![mirror::catalog_source(&image.ok_or_else(unnamed)?, has_server)?],
        OutputFormat::ClusterCatalog => vec![mirror::cluster_catalog(&image.ok_or_else(unnamed)?)?],
        _ => {
            let installs = mirror::installs(input, catalog, &part.filtered, operator)?;
            if format == OutputFormat::Subscription {
                let source = mirror::catalog_name("cs", &image.ok_or_else(unnamed)?)?;
                installs.iter().flat_map(|it| it.subscription(&source)).collect()
            } else {
                v1_install_warnings(&installs).iter().for_each(|text| context.reporter.warning(text));
                let needs_account = needs_service_account(openshift);
                installs.iter().flat_map(|it| it.extension(needs_account)).collect()
            }
        }
    })
}

/// Prints explanations for people.
pub(super) fn explanations(answers: &[FilterExplanation], unlisted: &[&str]) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (idx, it) in answers.iter().enumerate() {
        if idx > 0 {
            writeln!(out)?;
        }
        writeln!(out, "package {} of {}", printable(&it.package), printable(&it.catalog))?;
        let default = match (it.default_channel.as_str(), it.new_default_channel.as_str()) {
            (old, new) if old == new => old.to_owned(),
            ("", new) => format!("{new} (the catalog has none)"),
            (old, "") => format!("{old} in the catalog"),
            (old, new) => format!("{new} ({old} in the catalog)"),
        };
        if !default.is_empty() {
            writeln!(out, "  default channel: {}", printable(&default))?;
        }
        for channel in &it.channels {
            let (n, of) = (channel.kept.len(), channel.of);
            let head = if channel.head.is_empty() { String::new() } else { format!(", head {}", channel.head) };
            writeln!(
                out,
                "  channel {}: {}: keeps {n} of {of}{}",
                printable(&channel.channel),
                printable(&channel.asked),
                printable(&head)
            )?;
            for along in &channel.along {
                writeln!(out, "    along: {}", printable(along))?;
            }
            if !channel.dropped.is_empty() && channel.asked != "head" && channel.asked != "not requested" {
                writeln!(out, "    dropped: {}", printable(&shortened(&channel.dropped)))?;
            }
        }
        if !it.problem.is_empty() {
            writeln!(out, "  problem: {}", printable(&it.problem))?;
        }
        for reason in &it.reasons {
            writeln!(out, "    because: {}", printable(reason))?;
        }
        for repair in &it.repairs {
            writeln!(out, "  fix: {}", printable(&repair_text(repair)))?;
        }
    }
    if !unlisted.is_empty() {
        writeln!(out, "\nnot listed: {}", unlisted.join(", "))?;
    }
    out.flush()?;
    Ok(())
}

/// A change with its effect.
pub(super) fn repair_text(repair: &mirror::RepairAnswer) -> String {
    let mut text =
        format!("{} (keeps {}", repair.changes.join("; "), crate::diag::counted(repair.bundles as u64, "bundle"));
    if repair.added > 0 {
        text.push_str(&format!(", {} more than requested", repair.added));
    }
    if repair.dropped > 0 {
        text.push_str(&format!(", {} fewer than requested", repair.dropped));
    }
    text.push(')');
    text
}

/// Names; of a long list only the first and the last ones.
fn shortened(names: &[String]) -> String {
    match names {
        [first, second, .., last] if names.len() > 8 => {
            format!("{first}, {second} … {last} ({} in all)", names.len())
        }
        _ => names.join(", "),
    }
}
