//! The forms in which a filtered catalog is printed.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};

use super::entries::Entry;
use crate::ask::{BundleTraits, refusals_of_v1};
use crate::cli::args::formats::{Formats, OutputFormat};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cluster::needs_service_account;
use crate::constraint::openshift::Minor;
use crate::diag::printable;
use crate::fbc::Format;
use crate::mirror::{
    self, AdditionalImage, Blobs, Configuration, Destination, FilterExplanation, Filtered, Image, ManifestValue,
    MirrorSet, Mirrored, OutputError,
};
use crate::re2::Pattern;

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

/// The kept part of a catalog.
pub(super) struct FilteredCatalog<'e> {
    pub(super) entry: &'e Entry,
    pub(super) filtered: Filtered,
    pub(super) blobs: Blobs,
}

/// Prints it. Returns whether nothing had to be left out.
pub(super) fn print(
    context: &Context,
    to: Option<&Destination>,
    format: OutputFormat,
    configuration: &Configuration,
    kept: &[FilteredCatalog<'_>],
    openshift: Option<Minor>,
) -> Result<bool, CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut is_complete = true;
    match format {
        OutputFormat::Yaml => {
            for it in kept {
                let Entry { input, catalog, .. } = it.entry;
                let blobs = mirror::write(input, catalog, &it.filtered, Format::Yaml)?;
                is_complete &= blobs.defects.is_empty();
                blobs.texts().try_for_each(|(_, text)| out.write_all(text))?;
            }
        }
        OutputFormat::Isc => {
            out.write_all(configuration_of(context, configuration, kept)?.as_bytes())?;
        }
        OutputFormat::Images
        | OutputFormat::Mapping
        | OutputFormat::Skopeo
        | OutputFormat::Idms
        | OutputFormat::Itms
        | OutputFormat::Icsp => {
            let text = text_of_images(context, to, format, configuration, kept, &mut is_complete)?;
            out.write_all(text.as_bytes())?;
        }
        OutputFormat::CatalogSource
        | OutputFormat::ClusterCatalog
        | OutputFormat::Subscription
        | OutputFormat::ClusterExtension => {
            let mut nodes = Vec::new();
            for it in kept {
                nodes.extend(manifests(context, to, format, it, openshift)?);
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
            for it in kept {
                it.blobs.texts().try_for_each(|(_, text)| out.write_all(text))?;
            }
        }
    }
    out.flush()?;
    Ok(is_complete)
}

/// The configuration that keeps the same, as YAML.
fn configuration_of(
    context: &Context,
    configuration: &Configuration,
    kept: &[FilteredCatalog<'_>],
) -> Result<String, CommandError> {
    let mut operators = Vec::new();
    for it in kept {
        let operator = &it.entry.operator;
        if operator.previous == 0 {
            operators.push(operator.clone());
            continue;
        }
        let (ranged, inexact) = mirror::as_ranges(&it.entry.catalog, operator)
            .map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
        for package in inexact {
            let message = format!(
                "package `{package}`: version ranges in a configuration keep other versions than `--previous` does"
            );
            context.reporter.warning(&format!("{message}; `-o json` writes the catalog itself"));
        }
        operators.push(ranged);
    }
    let written = Configuration { operators, ..configuration.clone() };
    if let Err(error) = mirror::verify(&written) {
        let error = CommandError::new(Exit::Input, format!("the configuration would not be valid: {error}"));
        return Err(error.help("name the reference of the catalog's image: `-i REFERENCE=SOURCE`"));
    }
    // The reader of the file has reported the fate of `minBundle` already.
    for it in written.old_fields.iter().filter(|it| !it.to_ascii_lowercase().ends_with(".minbundle")) {
        context
            .reporter
            .warning(&format!("`{it}` is a field of v1alpha2 that v2alpha1 does not have: olmdex does not write it"));
    }
    Ok(mirror::configuration(&written).to_yaml())
}

/// The images, in one of the formats for images.
fn text_of_images(
    context: &Context,
    to: Option<&Destination>,
    format: OutputFormat,
    configuration: &Configuration,
    kept: &[FilteredCatalog<'_>],
    is_complete: &mut bool,
) -> Result<String, CommandError> {
    let to_needed = if matches!(format, OutputFormat::Images | OutputFormat::Skopeo) {
        None
    } else {
        {
            let error = CommandError::usage("this format needs a target");
            Some(to.ok_or_else(|| error.help("name the registry to mirror to with `--registry REGISTRY`"))?)
        }
    };
    let categories = images(context, to, configuration, kept, is_complete)?;
    let all: BTreeSet<Mirrored> = categories.iter().flat_map(|it| it.1.iter().cloned()).collect();
    let all: Vec<Mirrored> = all.into_iter().collect();
    let sources: BTreeSet<Image> = all.iter().map(|it| it.image.clone()).collect();
    let sources: Vec<Image> = sources.into_iter().collect();
    warn_of_targets(context, format, &all);
    let sets =
        |kind| to_needed.map(|to| mirror::documents(&mirror::mirror_sets(kind, &categories, to))).unwrap_or_default();
    Ok(match format {
        OutputFormat::Images => sources.iter().map(|it| format!("{it}\n")).collect(),
        OutputFormat::Mapping => to_needed.map(|to| mirror::mapping(&all, to)).unwrap_or_default(),
        OutputFormat::Skopeo => {
            for (last, locations) in mirror::colliding(&sources) {
                let list = locations.into_iter().collect::<Vec<_>>().join(", ");
                context.reporter.warning(&format!(
                    "without `--scoped`, skopeo writes {list} to the same place, `{last}`, and the last one wins"
                ));
            }
            mirror::skopeo_sync(&sources)
        }
        OutputFormat::Idms => sets(MirrorSet::Digest),
        OutputFormat::Itms => sets(MirrorSet::Tag),
        _ => sets(MirrorSet::ContentSource),
    })
}

impl From<OutputError> for CommandError {
    fn from(error: OutputError) -> Self {
        Self::new(Exit::Input, error.to_string())
    }
}

/// Warns of targets in the configuration that the format cannot express.
fn warn_of_targets(context: &Context, format: OutputFormat, images: &[Mirrored]) {
    for it in images.iter().filter(|it| it.is_renamed()) {
        let has_other_tag = !it.target_tag.is_empty() && it.image.tag.as_ref() != Some(&it.target_tag);
        match format {
            OutputFormat::Skopeo => context.reporter.warning(&format!(
                "skopeo copies {} to its own path and tag and ignores targetRepo and targetTag; `-o mapping` uses them",
                it.image
            )),
            OutputFormat::Itms if it.image.digest.is_none() && has_other_tag => context.reporter.warning(&format!(
                "an ImageTagMirrorSet keeps tags: clusters that pull {} do not find it at its targetTag `{}`",
                it.image,
                printable(&it.target_tag)
            )),
            _ => {}
        }
    }
}

/// The images by category, with their places, without the blocked ones.
pub(super) fn images(
    context: &Context,
    to: Option<&Destination>,
    configuration: &Configuration,
    kept: &[FilteredCatalog<'_>],
    is_complete: &mut bool,
) -> Result<Vec<(&'static str, Vec<Mirrored>)>, CommandError> {
    // The reader of the configuration has refused invalid expressions already.
    let blocked: Vec<Pattern> = configuration.blocked_images.iter().filter_map(|it| Pattern::parse(it).ok()).collect();
    let mut parse = |text: &str, target: Option<&AdditionalImage>| {
        let Some(image) = Image::parse(text) else {
            let error = OutputError::Reference(printable(text).into_owned());
            context.reporter.error(&CommandError::from(error));
            *is_complete = false;
            return None;
        };
        let mut mirrored = Mirrored::from(image);
        if let Some(target) = target {
            // oc-mirror leaves this image out, too, and reports it when it collects images.
            if !mirror::is_target(&target.target_repo) {
                let (repo, name) = (printable(&target.target_repo), printable(text));
                let error = CommandError::new(Exit::Input, format!("invalid targetRepo {repo} for image {name}"));
                context
                    .reporter
                    .error(&error.help("targetRepo is a path without registry, tag and digest, such as `team/app`"));
                *is_complete = false;
                return None;
            }
            target.target_repo.clone_into(&mut mirrored.target_repo);
            target.target_tag.clone_into(&mut mirrored.target_tag);
        }
        let destination = to.map(|to| to.of(&mirrored).to_string()).unwrap_or_default();
        let is_blocked = |it: &Pattern| {
            it.is_match(&mirrored.image.to_string()) || (!destination.is_empty() && it.is_match(&destination))
        };
        (!blocked.iter().any(is_blocked)).then_some(mirrored)
    };
    let mut operator: BTreeSet<Mirrored> = BTreeSet::new();
    for it in kept {
        let images = mirror::images(&it.entry.catalog, &it.filtered);
        operator.extend(images.into_iter().filter_map(|it| parse(it, None)));
    }
    let additional = configuration.additional_images.iter();
    let generic: BTreeSet<Mirrored> = additional.filter_map(|it| parse(&it.name, Some(it))).collect();
    let listed = |it: BTreeSet<Mirrored>| it.into_iter().collect();
    Ok(vec![("operator", listed(operator)), ("generic", listed(generic))])
}

/// The manifests of a catalog, or of its installed operators.
fn manifests(
    context: &Context,
    to: Option<&Destination>,
    format: OutputFormat,
    kept: &FilteredCatalog<'_>,
    openshift: Option<Minor>,
) -> Result<Vec<ManifestValue>, CommandError> {
    let Entry { operator, input, catalog, .. } = kept.entry;
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
        OutputFormat::CatalogSource => vec![mirror::catalog_source(&image.ok_or_else(unnamed)?)?],
        OutputFormat::ClusterCatalog => vec![mirror::cluster_catalog(&image.ok_or_else(unnamed)?)?],
        _ => {
            let installs = mirror::installs(input, catalog, &kept.filtered, operator)?;
            if format == OutputFormat::Subscription {
                let source = mirror::catalog_name("cs", &image.ok_or_else(unnamed)?)?;
                installs.iter().flat_map(|it| it.subscription(&source)).collect()
            } else {
                for it in installs.iter().filter(|it| it.is_ambiguous()) {
                    let (bundle, package) = (&it.bundle, &it.package);
                    context.reporter.warning(&format!(
                        "the version of {bundle} has build metadata, and OLM v1 cannot distinguish versions of package \
                        `{package}` by build metadata"
                    ));
                }
                warn_of_refusals(context, &installs);
                for (package, refusal) in installs.iter().filter_map(|it| Some((&it.package, it.version_refusal()?))) {
                    context.reporter.warning(&format!("package `{package}`: {refusal}"));
                }
                let needs_account = needs_service_account(openshift);
                installs.iter().flat_map(|it| it.extension(needs_account)).collect()
            }
        }
    })
}

/// Warns of bundles that OLM v1 does not install, by the conditions of `olmdex v1 check` that cannot be acknowledged.
fn warn_of_refusals(context: &Context, installs: &[mirror::Install]) {
    for it in installs {
        let traits = BundleTraits {
            name: it.bundle.clone(),
            install_modes: it.modes.stated,
            obstacles: it.modes.obstacles.clone(),
            dependencies: Some(it.modes.dependencies.iter().cloned().collect()),
            ..BundleTraits::default()
        };
        for reason in refusals_of_v1(&traits) {
            context.reporter.warning(&format!("OLM v1 does not install {}: {reason}", it.bundle));
        }
    }
}

/// Prints explanations for people.
pub(super) fn explanations(answers: &[FilterExplanation]) -> Result<(), CommandError> {
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
