//! Manifests and lists about mirrored images (`docs/behaviour/authoring.md` part E): mirror sets, catalogs, lists for
//! skopeo and others, and the configuration itself.

use std::collections::{BTreeMap, BTreeSet};

use super::configuration::{Channel, Configuration, Operator, Others, Range};
use super::document::{ManifestValue, documents};
use super::images::MirrorImages;
use super::place::{Destination, Image, Mirrored, OutputError};
use olmdex_base::diag::printable;

/// The kinds of mirror sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MirrorSet {
    /// `ImageDigestMirrorSet`
    Digest,
    /// `ImageTagMirrorSet`
    Tag,
    /// `ImageContentSourcePolicy`, for OpenShift 4.13 and before.
    ContentSource,
}

/// A source and its mirror: namespaces if the ends of the paths are equal, else repositories.
fn scope(source: &Image, mirror: &Image) -> (String, String) {
    let is_same = mirror.path == source.path || mirror.path.ends_with(&format!("/{}", source.path));
    if !is_same {
        return (source.location(), mirror.location());
    }
    let namespace = |it: &Image| match it.path.rsplit_once('/') {
        Some((above, _)) => format!("{}/{above}", it.host),
        None => it.host.clone(),
    };
    (namespace(source), namespace(mirror))
}

pub(super) fn manifest(api: &str, kind: &str, metadata: ManifestValue, spec: ManifestValue) -> ManifestValue {
    ManifestValue::fields([
        ("apiVersion", ManifestValue::text(api)),
        ("kind", ManifestValue::text(kind)),
        ("metadata", metadata),
        ("spec", spec),
    ])
}

impl MirrorImages {
    /// References for tools that copy, one a line.
    pub fn references(&self) -> String {
        let images: BTreeSet<Image> = self.origins().into_iter().map(Image::copyable).collect();
        self.with_comment(images.into_iter().map(|image| format!("{image}\n")))
    }

    /// Lines, above a comment about what they lack: a loop that takes each line fails only when all is done.
    fn with_comment(&self, lines: impl Iterator<Item = String>) -> String {
        lines.chain([unlisted_comment(&self.unlisted)]).collect()
    }

    /// Lines `docker://SOURCE=docker://DESTINATION`, as in the mapping.txt of oc-mirror.
    pub fn mapping(&self, to: &Destination) -> String {
        let line =
            |mirrored: &Mirrored| format!("docker://{}=docker://{}\n", mirrored.image.copyable(), to.of(mirrored));
        self.with_comment(self.all().into_iter().map(line))
    }

    /// Mirror sets of a kind, one for each category that has images for it, as documents of YAML.
    pub fn mirror_sets(&self, kind: MirrorSet, to: &Destination) -> String {
        let mut sets = Vec::new();
        for (category, images) in [("operator", &self.operator), ("generic", &self.generic)] {
            // The mirrors of each source, those that come first in front.
            let mut mirrors: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let is_meant = |it: &&Mirrored| match kind {
                MirrorSet::Digest | MirrorSet::ContentSource => it.image.digest.is_some(),
                MirrorSet::Tag => it.image.tag.is_some() || it.image.digest.is_none(),
            };
            for it in images.iter().filter(is_meant) {
                let (source, mirror) = scope(&it.image, &to.of(it));
                let of_source = mirrors.entry(source).or_default();
                if !of_source.contains(&mirror) {
                    of_source.push(mirror);
                }
            }
            if mirrors.is_empty() {
                continue;
            }
            let item = |(source, mirrors): (String, Vec<String>)| {
                let mirrors = mirrors.iter().map(|it| ManifestValue::text(it)).collect();
                ManifestValue::fields([
                    ("mirrors", ManifestValue::List(mirrors)),
                    ("source", ManifestValue::Text(source)),
                ])
            };
            let items = ManifestValue::List(mirrors.into_iter().map(item).collect());
            let (api, kind_name, prefix, field) = match kind {
                MirrorSet::Digest => ("config.openshift.io/v1", "ImageDigestMirrorSet", "idms", "imageDigestMirrors"),
                MirrorSet::Tag => ("config.openshift.io/v1", "ImageTagMirrorSet", "itms", "imageTagMirrors"),
                MirrorSet::ContentSource => {
                    ("operator.openshift.io/v1alpha1", "ImageContentSourcePolicy", "icsp", "repositoryDigestMirrors")
                }
            };
            let annotations = ManifestValue::fields([("createdBy", ManifestValue::text("olmdex"))]);
            let metadata = ManifestValue::fields([
                ("annotations", annotations),
                ("name", ManifestValue::Text(format!("{prefix}-{category}-0"))),
            ]);
            sets.push(manifest(api, kind_name, metadata, ManifestValue::fields([(field, items)])));
        }
        unlisted_comment(&self.unlisted) + &documents(&sets)
    }

    /// The places in the configuration that mirror sets of a kind cannot express, in words.
    pub fn lost_in_mirror_sets(&self, kind: MirrorSet) -> Vec<String> {
        let is_lost = |mirrored: &&Mirrored| {
            let has_other_tag =
                !mirrored.target_tag.is_empty() && mirrored.image.tag.as_ref() != Some(&mirrored.target_tag);
            kind == MirrorSet::Tag && mirrored.image.digest.is_none() && has_other_tag
        };
        let words = |mirrored: &Mirrored| {
            format!(
                "an ImageTagMirrorSet keeps tags: clusters that pull {} do not find it at its targetTag `{}`",
                mirrored.image,
                printable(&mirrored.target_tag)
            )
        };
        self.all().into_iter().filter(is_lost).map(words).collect()
    }

    /// The input of `skopeo sync --src yaml`. Without images the text is empty: an empty list would mean all tags.
    pub fn skopeo_sync(&self) -> String {
        let mut hosts: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for image in self.origins() {
            let name = image.digest.as_deref().or(image.tag.as_deref()).unwrap_or("latest");
            hosts.entry(&image.host).or_default().entry(&image.path).or_default().insert(name);
        }
        let host = |(host, paths): (&str, BTreeMap<&str, BTreeSet<&str>>)| {
            let path = |(path, names): (&str, BTreeSet<&str>)| {
                (
                    path.to_owned(),
                    ManifestValue::List(names.into_iter().map(|it| ManifestValue::Quoted(it.to_owned())).collect()),
                )
            };
            let images = ManifestValue::Fields(paths.into_iter().map(path).collect());
            (host.to_owned(), ManifestValue::fields([("tls-verify", ManifestValue::Flag(true)), ("images", images)]))
        };
        if hosts.is_empty() {
            String::new()
        } else {
            let list = ManifestValue::Fields(hosts.into_iter().map(host).collect()).to_yaml();
            unlisted_comment(&self.unlisted) + &list
        }
    }

    /// The places in the configuration that skopeo ignores, and the repositories that it would write to one place, in
    /// words.
    pub fn lost_by_skopeo(&self) -> Vec<String> {
        let ignored = |mirrored: &Mirrored| {
            format!(
                "skopeo copies {} to its own path and tag and ignores targetRepo and targetTag; `-o mapping` uses them",
                mirrored.image
            )
        };
        let overwritten = |(last, locations): (&str, BTreeSet<String>)| {
            let list = locations.into_iter().collect::<Vec<_>>().join(", ");
            format!("without `--scoped`, skopeo writes {list} to the same place, `{last}`, and the last one wins")
        };
        let renamed = self.all().into_iter().filter(|mirrored| mirrored.is_renamed());
        renamed.map(ignored).chain(colliding(&self.origins()).into_iter().map(overwritten)).collect()
    }
}

/// The beginning of the comment of a list about what it lacks.
pub const NOT_LISTED: &str = "# not listed: ";

/// The comment of a list about the wishes that it leaves out; empty if there are none. YAML, `oc image mirror` and
/// olmdex take `#` for comments.
pub fn unlisted_comment(unlisted: &[&str]) -> String {
    if unlisted.is_empty() { String::new() } else { format!("{NOT_LISTED}{}\n", unlisted.join(", ")) }
}

/// The name of a catalog's manifests: `cs-` or `cc-`, the last component of its path, and the beginning of its digest
/// or tag.
///
/// # Errors
/// [`OutputError::Name`] if that is not a label.
pub fn catalog_name(prefix: &str, image: &Image) -> Result<String, OutputError> {
    let last = image.path.rsplit('/').next().unwrap_or_default();
    let raw = match (&image.tag, &image.digest) {
        (Some(tag), _) => tag.as_str(),
        (None, Some(digest)) => digest.split_once(':').map_or(digest.as_str(), |it| it.1),
        (None, None) => "",
    };
    let short: String = raw.chars().take(12).collect();
    let suffix: String = short
        .to_lowercase()
        .chars()
        .map(|it| if it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-' { it } else { '-' })
        .collect();
    let suffix = if suffix.is_empty() { "0" } else { &suffix };
    let name = format!("{prefix}-{last}-{suffix}").replace('.', "-");
    let is_label = name.len() <= 63
        && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
        && !name.ends_with('-');
    if is_label { Ok(name) } else { Err(OutputError::Name(name)) }
}

/// The reference under which the catalog of an entry is mirrored.
pub fn catalog_image(operator: &Operator, to: Option<&Destination>) -> Option<Image> {
    let mut image = Image::parse(&operator.catalog)?;
    let Some(to) = to else { return Some(image) };
    if !operator.target_catalog.is_empty() {
        operator.target_catalog.clone_into(&mut image.path);
    }
    if !operator.target_tag.is_empty() {
        image.tag = Some(operator.target_tag.clone());
    }
    Some(to.of_image(&image))
}

/// A CatalogSource, for OLM Classic. Without a server in the image, opm of the cluster serves the extracted catalog. It
/// makes its own cache: one from the image, named by `cacheDir`, would have to be of the same opm.
///
/// # Errors
/// [`OutputError`].
pub fn catalog_source(image: &Image, has_server: bool) -> Result<ManifestValue, OutputError> {
    let metadata = ManifestValue::fields([
        ("name", ManifestValue::Text(catalog_name("cs", image)?)),
        ("namespace", ManifestValue::text("openshift-marketplace")),
    ]);
    let image = ("image", ManifestValue::Text(image.to_string()));
    let mut spec = ManifestValue::fields([image, ("sourceType", ManifestValue::text("grpc"))]);
    if !has_server {
        let place = ManifestValue::fields([("catalogDir", ManifestValue::text("/configs"))]);
        spec = spec.with("grpcPodConfig", ManifestValue::fields([("extractContent", place)]));
    }
    Ok(manifest("operators.coreos.com/v1alpha1", "CatalogSource", metadata, spec))
}

/// A ClusterCatalog, for OLM v1.
///
/// # Errors
/// [`OutputError`].
pub fn cluster_catalog(image: &Image) -> Result<ManifestValue, OutputError> {
    let metadata = ManifestValue::fields([("name", ManifestValue::Text(catalog_name("cc", image)?))]);
    let source = ManifestValue::fields([
        ("type", ManifestValue::text("Image")),
        ("image", ManifestValue::fields([("ref", ManifestValue::Text(image.to_string()))])),
    ]);
    Ok(manifest("olm.operatorframework.io/v1", "ClusterCatalog", metadata, ManifestValue::fields([("source", source)])))
}

/// Repositories with equal last components of their paths: without `--scoped`, skopeo would overwrite one with the
/// other.
fn colliding<'i>(images: &BTreeSet<&'i Image>) -> Vec<(&'i str, BTreeSet<String>)> {
    let mut by_last: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for image in images {
        by_last.entry(image.path.rsplit('/').next().unwrap_or_default()).or_default().insert(image.location());
    }
    by_last.into_iter().filter(|it| it.1.len() > 1).collect()
}

impl Configuration {
    /// As a file.
    pub fn to_yaml(&self) -> String {
        configuration(self).to_yaml()
    }
}

/// An ImageSetConfiguration.
pub fn configuration(configuration: &Configuration) -> ManifestValue {
    let range = |mut node: ManifestValue, range: &Range| {
        for (name, bound) in [("minVersion", &range.min), ("maxVersion", &range.max)] {
            if !bound.is_empty() {
                node = node.with(name, ManifestValue::Quoted(bound.clone()));
            }
        }
        node
    };
    let text = |node: ManifestValue, name: &str, it: &str| {
        if it.is_empty() { node } else { node.with(name, ManifestValue::text(it)) }
    };
    let mut operators = Vec::new();
    for operator in &configuration.operators {
        let mut node = ManifestValue::fields([("catalog", ManifestValue::text(&operator.catalog))]);
        node = text(node, "targetCatalog", &operator.target_catalog);
        node = text(node, "targetTag", &operator.target_tag);
        if operator.full {
            node = node.with("full", ManifestValue::Flag(true));
        }
        let mut packages = Vec::new();
        for package in &operator.packages {
            let mut node = ManifestValue::fields([("name", ManifestValue::text(&package.name))]);
            node = range(text(node, "defaultChannel", &package.default_channel), &package.range);
            let channel =
                |it: &Channel| range(ManifestValue::fields([("name", ManifestValue::text(&it.name))]), &it.range);
            if !package.channels.is_empty() {
                node = node.with("channels", ManifestValue::List(package.channels.iter().map(channel).collect()));
            }
            packages.push(node);
        }
        if !packages.is_empty() {
            node = node.with("packages", ManifestValue::List(packages));
        }
        operators.push(with_all(node, &operator.others));
    }
    let mut mirror = ManifestValue::Fields(Vec::new());
    if !operators.is_empty() {
        mirror = mirror.with("operators", ManifestValue::List(operators));
    }
    let named = |name: &str| ManifestValue::fields([("name", ManifestValue::text(name))]);
    let additional = configuration.additional_images.iter().map(|it| {
        let node = text(named(&it.name), "targetRepo", &it.target_repo);
        with_all(text(node, "targetTag", &it.target_tag), &it.others)
    });
    let additional: Vec<ManifestValue> = additional.collect();
    if !additional.is_empty() {
        mirror = mirror.with("additionalImages", ManifestValue::List(additional));
    }
    if !configuration.blocked_images.is_empty() {
        let blocked = configuration.blocked_images.iter().map(|it| named(it)).collect();
        mirror = mirror.with("blockedImages", ManifestValue::List(blocked));
    }
    let file = ManifestValue::fields([
        ("apiVersion", ManifestValue::text("mirror.openshift.io/v2alpha1")),
        ("kind", ManifestValue::text("ImageSetConfiguration")),
    ]);
    with_all(file, &configuration.others).with("mirror", with_all(mirror, &configuration.others_to_mirror))
}

/// Puts fields behind the others.
fn with_all(node: ManifestValue, others: &Others) -> ManifestValue {
    others.iter().fold(node, |node, (name, it)| node.with(name, it.clone()))
}
