//! The checks of a configuration (`docs/behaviour/authoring.md` D.1, the table of checks).

use std::collections::BTreeSet;

use super::configuration::{Configuration, Operator, Package, Range};
use super::error::{ConfigurationError, Fault};
use olmdex_fbc::check_image;
use olmdex_text::re2::Pattern;
use olmdex_version::Version;

/// Checks a configuration.
///
/// # Errors
/// [`ConfigurationError::Invalid`] with all faults.
pub(super) fn verify(configuration: &Configuration) -> Result<(), ConfigurationError> {
    let groups = [
        operators(&configuration.operators),
        release_channels(&configuration.platform.channels),
        expressions(&configuration.blocked_images),
        platforms(configuration),
    ];
    let groups: Vec<Vec<Fault>> = groups.into_iter().filter(|it| !it.is_empty()).collect();
    if groups.is_empty() { Ok(()) } else { Err(ConfigurationError::Invalid(groups)) }
}

fn release_channels(names: &[String]) -> Vec<Fault> {
    let mut seen = BTreeSet::new();
    names.iter().find(|it| !seen.insert(*it)).map(|it| Fault::ReleaseChannelTwice(it.clone())).into_iter().collect()
}

fn expressions(expressions: &[String]) -> Vec<Fault> {
    let fault = |it: &String| {
        let error = Pattern::parse(it).err()?;
        Some(Fault::BadExpression { expression: it.clone(), error })
    };
    expressions.iter().filter_map(fault).collect()
}

fn platforms(configuration: &Configuration) -> Vec<Fault> {
    let both = configuration.platform.has_architectures && configuration.platform.has_platforms;
    if both { vec![Fault::PlatformsAndArchitectures] } else { Vec::new() }
}

fn operators(operators: &[Operator]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for operator in operators {
        if let Some(fault) = reference_fault(&operator.catalog) {
            faults.push(fault);
            continue;
        }
        if !is_target(&operator.target_catalog) {
            faults.push(Fault::BadTarget(operator.target_catalog.clone()));
            continue;
        }
        let unique = unique_name(operator);
        if !seen.insert(unique.clone()) {
            faults.push(Fault::CatalogTwice(unique));
        }
        let mut packages = BTreeSet::new();
        for package in &operator.packages {
            if !packages.insert(&package.name) {
                let (catalog, package) = (operator.catalog.clone(), package.name.clone());
                faults.push(Fault::PackageTwice { catalog, package });
            }
            of_package(&operator.catalog, package, &mut faults);
        }
    }
    faults
}

fn of_package(catalog: &str, package: &Package, faults: &mut Vec<Fault>) {
    let (catalog_name, package_name) = (|| catalog.to_owned(), || package.name.clone());
    let bounds = |range: &Range, channel: Option<&str>, faults: &mut Vec<Fault>| {
        for (field, version) in [("maxVersion", &range.max), ("minVersion", &range.min)] {
            if !version.is_empty() && Version::parse_tolerant(version).is_err() {
                faults.push(Fault::NotAVersion {
                    catalog: catalog_name(),
                    package: package_name(),
                    channel: channel.map(str::to_owned),
                    field,
                    version: version.clone(),
                });
            }
        }
    };
    bounds(&package.range, None, faults);
    let mut channels = BTreeSet::new();
    for channel in &package.channels {
        if !channels.insert(&channel.name) {
            let (catalog, package) = (catalog_name(), package_name());
            faults.push(Fault::ChannelTwice { catalog, package, channel: channel.name.clone() });
        }
        bounds(&channel.range, Some(&channel.name), faults);
        if !package.range.is_empty() && !channel.range.is_empty() {
            faults.push(Fault::BothLevels { catalog: catalog_name(), package: package_name() });
        }
    }
}

/// A reference without its transport, and whether it names a layout.
pub(super) fn without_transport(reference: &str) -> (&str, bool) {
    match reference.strip_prefix("oci://") {
        Some(path) => (path, true),
        None => (reference.strip_prefix("docker://").unwrap_or(reference), false),
    }
}

/// The tag and the digest of a reference.
pub(super) fn tag_and_digest(reference: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, digest) = match reference.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (reference, None),
    };
    let last = rest.rfind('/').map_or(0, |it| it + 1);
    match rest[last..].split_once(':') {
        Some((name, tag)) => (&rest[..last + name.len()], Some(tag), digest),
        None => (rest, None, digest),
    }
}

fn reference_fault(reference: &str) -> Option<Fault> {
    let (name, is_layout) = without_transport(reference);
    if name.is_empty() {
        return Some(Fault::NoReference);
    }
    if is_layout {
        return None;
    }
    let (_, tag, digest) = tag_and_digest(name);
    match digest {
        Some(digest) => {
            let hex = digest.rsplit(':').next().unwrap_or_default();
            let is_digest =
                digest.contains(':') && check_image(&format!("localhost/x@{digest}")).is_ok() && !hex.is_empty();
            (!is_digest).then(|| Fault::BadDigest(reference.to_owned()))
        }
        None if tag.is_none_or(str::is_empty) => Some(Fault::NoTag(reference.to_owned())),
        None => None,
    }
}

/// Whether a name at the destination consists of path components only. An empty name does not.
pub(super) fn is_target(target: &str) -> bool {
    let (name, tag, digest) = tag_and_digest(target);
    target.is_empty() || (tag.is_none() && digest.is_none() && check_image(&format!("localhost/{name}")).is_ok())
}

/// The name of an entry at the destination: two entries of one name would overwrite each other.
fn unique_name(operator: &Operator) -> String {
    let (name, is_layout) = without_transport(&operator.catalog);
    if operator.target_catalog.is_empty() && operator.target_tag.is_empty() {
        return if is_layout { operator.catalog.clone() } else { name.to_owned() };
    }
    let (path, tag, digest) = if is_layout { (name, None, None) } else { tag_and_digest(name) };
    let path = if operator.target_catalog.is_empty() {
        path.to_owned()
    } else {
        match path.split_once('/') {
            Some((host, _)) if !is_layout => format!("{host}/{}", operator.target_catalog),
            _ => operator.target_catalog.clone(),
        }
    };
    match (operator.target_tag.as_str(), tag, digest) {
        ("", _, Some(digest)) => format!("{path}@{digest}"),
        ("", Some(tag), None) => format!("{path}:{tag}"),
        ("", None, None) => path,
        (tag, ..) => format!("{path}:{tag}"),
    }
}
