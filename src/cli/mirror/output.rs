//! What a filtered catalog is printed as.
//!
//! What it deliberately does not do: it filters nothing, and makes no manifest itself.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};

use clap::ValueEnum;

use super::entries::Entry;
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
use crate::readiness::{BundleTraits, of_bundle};
use crate::upgrade::v1::Gates;

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// The catalog, as `render` prints it
    Json,
    /// The catalog as YAML documents
    Yaml,
    /// An ImageSetConfiguration that gives the same
    Isc,
    /// References of images, one a line
    #[value(alias = "plain")]
    Images,
    /// docker://SOURCE=docker://DESTINATION lines, as mapping.txt of oc-mirror: places have tags, as skopeo needs them
    Mapping,
    /// What `skopeo sync --src yaml` reads
    Skopeo,
    /// ImageDigestMirrorSets
    Idms,
    /// ImageTagMirrorSets
    Itms,
    /// ImageContentSourcePolicies, for OpenShift 4.13 and before
    Icsp,
    /// CatalogSources, for OLM Classic
    CatalogSource,
    /// ClusterCatalogs, for OLM v1
    ClusterCatalog,
    /// Namespaces, OperatorGroups and Subscriptions
    Subscription,
    /// Namespaces and ClusterExtensions, with service accounts where `--openshift` needs them
    ClusterExtension,
}

/// What is kept of a catalog.
pub(super) struct Kept<'e> {
    pub(super) entry: &'e Entry,
    pub(super) filtered: Filtered,
    pub(super) blobs: Blobs,
}

/// Prints it. Gives whether nothing had to be left out.
pub(super) fn print(
    context: &Context,
    to: Option<&Destination>,
    format: Output,
    configuration: &Configuration,
    kept: &[Kept<'_>],
    openshift: Option<Minor>,
) -> Result<bool, CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut is_complete = true;
    match format {
        Output::Json => {
            for it in kept {
                it.blobs.texts().try_for_each(|(_, text)| out.write_all(text))?;
            }
        }
        Output::Yaml => {
            for it in kept {
                let Entry { input, catalog, .. } = it.entry;
                let blobs = mirror::write(input, catalog, &it.filtered, Format::Yaml)?;
                is_complete &= blobs.defects.is_empty();
                blobs.texts().try_for_each(|(_, text)| out.write_all(text))?;
            }
        }
        Output::Isc => {
            out.write_all(configuration_of(context, configuration, kept)?.as_bytes())?;
        }
        Output::Images | Output::Mapping | Output::Skopeo | Output::Idms | Output::Itms | Output::Icsp => {
            let text = text_of_images(context, to, format, configuration, kept, &mut is_complete)?;
            out.write_all(text.as_bytes())?;
        }
        Output::CatalogSource | Output::ClusterCatalog | Output::Subscription | Output::ClusterExtension => {
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
    }
    out.flush()?;
    Ok(is_complete)
}

/// The configuration with what it keeps, as YAML.
fn configuration_of(
    context: &Context,
    configuration: &Configuration,
    kept: &[Kept<'_>],
) -> Result<String, CommandError> {
    let operators = kept.iter().map(|it| it.entry.operator.clone()).collect();
    let written = Configuration { operators, ..configuration.clone() };
    if let Err(error) = mirror::verify(&written) {
        let error = CommandError::new(Exit::Input, format!("the configuration would not be valid: {error}"));
        return Err(error.help("name the reference of the catalog's image: `-i REFERENCE=SOURCE`"));
    }
    // What becomes of `minBundle` was said when the file was read.
    for it in written.old_fields.iter().filter(|it| !it.to_ascii_lowercase().ends_with(".minbundle")) {
        context
            .reporter
            .warning(&format!("`{it}` is a field of v1alpha2 that v2alpha1 does not have: it is not written"));
    }
    Ok(mirror::configuration(&written).to_yaml())
}

/// The images, in a format that is about them.
fn text_of_images(
    context: &Context,
    to: Option<&Destination>,
    format: Output,
    configuration: &Configuration,
    kept: &[Kept<'_>],
    is_complete: &mut bool,
) -> Result<String, CommandError> {
    let to_needed = if matches!(format, Output::Images | Output::Skopeo) {
        None
    } else {
        {
            let error = CommandError::usage("this needs a target");
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
        Output::Images => sources.iter().map(|it| format!("{it}\n")).collect(),
        Output::Mapping => to_needed.map(|to| mirror::mapping(&all, to)).unwrap_or_default(),
        Output::Skopeo => {
            for (last, locations) in mirror::colliding(&sources) {
                let list = locations.into_iter().collect::<Vec<_>>().join(", ");
                context
                    .reporter
                    .warning(&format!("without `--scoped`, skopeo writes {list} over each other, as `{last}`"));
            }
            mirror::skopeo_sync(&sources)
        }
        Output::Idms => sets(MirrorSet::Digest),
        Output::Itms => sets(MirrorSet::Tag),
        _ => sets(MirrorSet::ContentSource),
    })
}

impl From<OutputError> for CommandError {
    fn from(error: OutputError) -> Self {
        Self::new(Exit::Input, error.to_string())
    }
}

/// Says which targets of the configuration the format has no place for.
fn warn_of_targets(context: &Context, format: Output, images: &[Mirrored]) {
    for it in images.iter().filter(|it| it.is_renamed()) {
        let has_other_tag = !it.target_tag.is_empty() && it.image.tag.as_ref() != Some(&it.target_tag);
        match format {
            Output::Skopeo => context.reporter.warning(&format!(
                "skopeo copies {} to its own path and tag, not to its targetRepo and targetTag; `-o mapping` has them",
                it.image
            )),
            Output::Itms if it.image.digest.is_none() && has_other_tag => context.reporter.warning(&format!(
                "an ImageTagMirrorSet keeps tags: clusters that pull {} do not find it under its targetTag `{}`",
                it.image,
                printable(&it.target_tag)
            )),
            _ => {}
        }
    }
}

/// The images by category, with their places, without those that are blocked.
pub(super) fn images(
    context: &Context,
    to: Option<&Destination>,
    configuration: &Configuration,
    kept: &[Kept<'_>],
    is_complete: &mut bool,
) -> Result<Vec<(&'static str, Vec<Mirrored>)>, CommandError> {
    // Expressions that are not ones were refused when the configuration was read.
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
            // As oc-mirror does it, which says so when it collects images and leaves this one out.
            if !mirror::is_target(&target.target_repo) {
                let (repo, name) = (printable(&target.target_repo), printable(text));
                let error = CommandError::new(Exit::Input, format!("invalid targetRepo {repo} for image {name}"));
                context.reporter.error(&error.help("it is a path without registry, tag and digest: `team/app`"));
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

/// The manifests of a catalog, or of what is installed from it.
fn manifests(
    context: &Context,
    to: Option<&Destination>,
    format: Output,
    kept: &Kept<'_>,
    openshift: Option<Minor>,
) -> Result<Vec<ManifestValue>, CommandError> {
    let Entry { operator, input, catalog, .. } = kept.entry;
    let image = mirror::catalog_image(operator, to);
    let unnamed = || {
        let error = CommandError::usage("the image of the catalog has no name");
        error.help("name it: `-i REFERENCE=SOURCE`")
    };
    let template = operator.others.iter().find(|it| it.0 == "targetCatalogSourceTemplate");
    if let (Output::CatalogSource, Some((field, ManifestValue::Text(file)))) = (format, template) {
        let file = printable(file);
        context.reporter.warning(&format!(
            "`{field}: {file}` is not read: oc-mirror puts its name, image and source type into that file"
        ));
    }
    Ok(match format {
        Output::CatalogSource => vec![mirror::catalog_source(&image.ok_or_else(unnamed)?)?],
        Output::ClusterCatalog => vec![mirror::cluster_catalog(&image.ok_or_else(unnamed)?)?],
        _ => {
            let installs = mirror::installs(input, catalog, &kept.filtered, operator)?;
            if format == Output::Subscription {
                let source = mirror::catalog_name("cs", &image.ok_or_else(unnamed)?)?;
                installs.iter().flat_map(|it| it.subscription(&source)).collect()
            } else {
                for it in installs.iter().filter(|it| it.is_ambiguous()) {
                    let (bundle, package) = (&it.bundle, &it.package);
                    context.reporter.warning(&format!(
                        "the version of {bundle} has build metadata, by which OLM v1 cannot tell it from others of package `{package}`"
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

/// Says which bundles OLM v1 does not install, by the conditions of `olmdex v1 check` that cannot be acknowledged.
fn warn_of_refusals(context: &Context, installs: &[mirror::Install]) {
    for it in installs {
        let traits = BundleTraits {
            name: it.bundle.clone(),
            install_modes: it.modes.stated,
            obstacles: it.modes.obstacles.clone(),
            dependencies: Some(it.modes.dependencies.iter().cloned().collect()),
            ..BundleTraits::default()
        };
        let found = of_bundle(&traits, &Gates::default(), false);
        for condition in found.iter().filter(|it| it.is_refusal()) {
            context.reporter.warning(&format!("OLM v1 does not install {}: {}", it.bundle, condition.reason));
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
            if !channel.dropped.is_empty() && channel.asked != "head" && channel.asked != "not asked for" {
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

/// A change with what it does.
pub(super) fn repair_text(repair: &mirror::RepairAnswer) -> String {
    let mut text =
        format!("{} (keeps {}", repair.changes.join("; "), crate::diag::counted(repair.bundles as u64, "bundle"));
    if repair.added > 0 {
        text.push_str(&format!(", {} more than asked for", repair.added));
    }
    if repair.dropped > 0 {
        text.push_str(&format!(", {} less than asked for", repair.dropped));
    }
    text.push(')');
    text
}

/// Names, of many the first and the last ones.
fn shortened(names: &[String]) -> String {
    match names {
        [first, second, .., last] if names.len() > 8 => {
            format!("{first}, {second} … {last} ({} in all)", names.len())
        }
        _ => names.join(", "),
    }
}
