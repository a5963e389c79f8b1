//! The checks of a configuration (`docs/behaviour/authoring.md` D.1, the table of checks).

use std::collections::BTreeSet;

use super::configuration::{Configuration, Operator, Package, Range};
use super::error::{ConfigurationError, Fault};
use olmdex_fbc::check_image;
use olmdex_text::json::Step;
use olmdex_text::re2::Pattern;
use olmdex_version::Version;

/// A fault, and its place: the steps to it inside of the field of wishes.
pub(super) type PlacedFault = (Vec<Step>, Fault);

/// Checks a configuration.
///
/// # Errors
/// [`ConfigurationError::Invalid`] with all faults.
pub(super) fn verify(configuration: &Configuration) -> Result<(), ConfigurationError> {
    let groups = faults(configuration).into_iter().filter(|group| !group.is_empty());
    let groups: Vec<Vec<Fault>> = groups.map(|group| group.into_iter().map(|(_, fault)| fault).collect()).collect();
    if groups.is_empty() { Ok(()) } else { Err(ConfigurationError::Invalid(groups)) }
}

/// All faults, in the groups in which oc-mirror reports them.
pub(super) fn faults(configuration: &Configuration) -> [Vec<PlacedFault>; 4] {
    [
        operators(&configuration.operators),
        release_channels(&configuration.platform.channels),
        expressions(&configuration.blocked_images),
        platforms(configuration),
    ]
}

fn release_channels(names: &[String]) -> Vec<PlacedFault> {
    let mut seen = BTreeSet::new();
    let repeated = names.iter().enumerate().find(|(_, name)| !seen.insert(*name));
    let fault = |(at, name): (usize, &String)| {
        (vec!["platform".into(), "channels".into(), at.into()], Fault::ReleaseChannelTwice(name.clone()))
    };
    repeated.map(fault).into_iter().collect()
}

fn expressions(expressions: &[String]) -> Vec<PlacedFault> {
    let fault = |(at, expression): (usize, &String)| {
        let error = Pattern::parse(expression).err()?;
        let fault = Fault::BadExpression { expression: expression.clone(), error };
        Some((vec!["blockedImages".into(), at.into(), "name".into()], fault))
    };
    expressions.iter().enumerate().filter_map(fault).collect()
}

fn platforms(configuration: &Configuration) -> Vec<PlacedFault> {
    let both = configuration.platform.has_architectures && configuration.platform.has_platforms;
    let at = || vec!["platform".into(), "architectures".into()];
    if both { vec![(at(), Fault::PlatformsAndArchitectures)] } else { Vec::new() }
}

/// The steps to a part of a catalog's entry.
pub(super) fn in_operator(number: usize, rest: &[Step]) -> Vec<Step> {
    [&["operators".into(), number.into()], rest].concat()
}

fn operators(operators: &[Operator]) -> Vec<PlacedFault> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, operator) in operators.iter().enumerate() {
        let at = |field: &str| in_operator(number, &[field.into()]);
        if let Some(fault) = reference_fault(&operator.catalog) {
            faults.push((at("catalog"), fault));
            continue;
        }
        if !is_target(&operator.target_catalog) {
            faults.push((at("targetCatalog"), Fault::BadTarget(operator.target_catalog.clone())));
            continue;
        }
        let unique = unique_name(operator);
        if !seen.insert(unique.clone()) {
            faults.push((at("catalog"), Fault::CatalogTwice(unique)));
        }
        let mut packages = BTreeSet::new();
        for (of_package, package) in operator.packages.iter().enumerate() {
            let at = in_operator(number, &["packages".into(), of_package.into()]);
            if !packages.insert(&package.name) {
                let (catalog, package) = (operator.catalog.clone(), package.name.clone());
                faults.push((at.clone(), Fault::PackageTwice { catalog, package }));
            }
            faults.extend(
                faults_of_package(&operator.catalog, package).map(|(rest, fault)| ([&at[..], &rest].concat(), fault)),
            );
        }
    }
    faults
}

/// The faults of a package's entry, each at the steps inside of it.
fn faults_of_package<'p>(catalog: &'p str, package: &'p Package) -> impl Iterator<Item = PlacedFault> + 'p {
    let (catalog_name, package_name) = (|| catalog.to_owned(), || package.name.clone());
    let mut faults = Vec::new();
    let bounds = |range: &Range, above: &[Step], channel: Option<&str>, faults: &mut Vec<PlacedFault>| {
        for (field, version) in [("maxVersion", &range.max), ("minVersion", &range.min)] {
            if !version.is_empty() && Version::parse_tolerant(version).is_err() {
                let fault = Fault::NotAVersion {
                    catalog: catalog_name(),
                    package: package_name(),
                    channel: channel.map(str::to_owned),
                    field,
                    version: version.clone(),
                };
                faults.push(([above, &[field.into()]].concat(), fault));
            }
        }
    };
    bounds(&package.range, &[], None, &mut faults);
    let mut channels = BTreeSet::new();
    for (number, channel) in package.channels.iter().enumerate() {
        let at: Vec<Step> = vec!["channels".into(), number.into()];
        if !channels.insert(&channel.name) {
            let (catalog, package) = (catalog_name(), package_name());
            faults.push((at.clone(), Fault::ChannelTwice { catalog, package, channel: channel.name.clone() }));
        }
        bounds(&channel.range, &at, Some(&channel.name), &mut faults);
        if !package.range.is_empty() && !channel.range.is_empty() {
            faults.push((at, Fault::BothLevels { catalog: catalog_name(), package: package_name() }));
        }
    }
    faults.into_iter()
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
