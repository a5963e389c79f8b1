//! The breaches in one document by itself, and the facts in it by which others are judged.

use std::collections::HashSet;

use super::super::facts::{Draft, PracticeFacts};
use super::super::inspect::draft;
use super::super::property::draft_at;
use super::rules;
use olmdex_base::diag::{Rule, counted};
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{BUNDLE_OBJECT, Bundle, Channel, Document, Package, Typed};
use olmdex_text::json::Step;
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// Looks at a document by itself. The result does not depend on its place.
pub fn practice_facts(document: &Document<'_>) -> PracticeFacts {
    let mut facts = PracticeFacts {
        package: String::new(),
        default_channel: None,
        deprecated_channels: Vec::new(),
        ranges: Vec::new(),
        csv_range: None,
        drafts: Vec::new(),
    };
    let Ok(blob) = &document.blob else { return facts };
    match &blob.typed {
        Typed::Package(it) => {
            facts.package = it.name.to_string();
            facts.default_channel = Some(it.default_channel.to_string());
            facts.drafts = package(it);
        }
        Typed::Channel(it) => {
            facts.package = it.package.to_string();
            let entries = it.entries.iter().flatten().enumerate().filter(|(_, entry)| !entry.skip_range.is_empty());
            facts.ranges =
                entries.map(|(idx, entry)| (idx, entry.name.to_string(), entry.skip_range.to_string())).collect();
            facts.drafts = channel(it);
        }
        Typed::Bundle(it) => {
            facts.package = it.package.to_string();
            facts.csv_range = csv_range(it).map(|range| (it.name.to_string(), range));
            facts.drafts = bundle(it);
        }
        Typed::Deprecations(it) => {
            facts.package = it.package.to_string();
            let entries = it.entries.iter().flatten().enumerate().filter(|(_, it)| it.schema == "olm.channel");
            facts.deprecated_channels = entries.map(|(idx, it)| (idx, it.name.to_string())).collect();
        }
        Typed::Other => facts.package = blob.package.to_string(),
    }
    facts
}

fn package(package: &Package<'_>) -> Vec<Draft> {
    let name = &package.name;
    let mut found = Vec::new();
    if package.description.trim().is_empty() {
        let message = format!("package `{name}` has no description");
        let it = draft(rules::PACKAGE_WITHOUT_DESCRIPTION, message).at(vec!["description".into()]);
        found.push(it.help("add a `description`, in Markdown"));
    }
    if package.icon.as_ref().is_none_or(|it| it.data.as_ref().is_none_or(Vec::is_empty)) {
        let message = format!("package `{name}` has no icon");
        let it = draft(rules::PACKAGE_WITHOUT_ICON, message).at(vec!["icon".into()]);
        found.push(it.help("add an `icon` with `base64data` and `mediatype`"));
    }
    found
}

fn channel(channel: &Channel<'_>) -> Vec<Draft> {
    let entries = channel.entries.iter().flatten().enumerate();
    let is_open = |range: &str| !range.is_empty() && holds(range, "0.0.0-0") == Some(true);
    let open = entries.filter(|(_, it)| is_open(&it.skip_range));
    let wording = open.map(|(idx, entry)| {
        let message = format!(
            "the skipRange `{}` of `{}` in channel `{}` has no lowest version",
            entry.skip_range, entry.name, channel.name
        );
        let it = draft(rules::OPEN_SKIP_RANGE, message);
        let it = it.at(vec!["entries".into(), idx.into(), "skipRange".into()]);
        it.help("begin it with the oldest version that can upgrade in one step: `>=1.0.0 <…`")
    });
    wording.collect()
}

/// Whether a range holds a version; `None` if it cannot be read.
fn holds(range: &str, version: &str) -> Option<bool> {
    // Another rule reports ranges that crash the real tools.
    let range = Range::parse(range).ok().filter(|it| !it.has_empty_group())?;
    range.contains(&Version::parse(version).ok()?).ok()
}

/// Whether a range ends within every major version that it names, or the one before.
fn is_narrow(range: &str) -> bool {
    let ends: Vec<bool> = majors(range)
        .into_iter()
        .flat_map(|it| [Some(it), it.checked_sub(1)])
        .flatten()
        .filter_map(|major| holds(range, &format!("{major}.999999999.0")))
        .collect();
    !ends.is_empty() && ends.iter().all(|it| !it)
}

/// The major versions that a range names.
fn majors(range: &str) -> Vec<u64> {
    let mut majors = Vec::new();
    let mut before = ' ';
    for (at, it) in range.char_indices() {
        let begins = it.is_ascii_digit() && !before.is_ascii_alphanumeric() && !matches!(before, '.' | '-' | '+');
        before = it;
        if begins {
            let digits = range[at..].split(|it: char| !it.is_ascii_digit()).next().unwrap_or_default();
            majors.extend(digits.parse::<u64>());
        }
    }
    majors
}

fn is_by_tag(image: &str) -> bool {
    !image.is_empty() && !image.contains('@')
}

fn bundle(bundle: &Bundle<'_>) -> Vec<Draft> {
    let mut found = Vec::new();
    images(bundle, &mut found);
    test_registries(bundle, &mut found);
    properties(bundle, &mut found);
    found
}

fn images(bundle: &Bundle<'_>, found: &mut Vec<Draft>) {
    let name = &bundle.name;
    let of_image = |idx: usize| -> Vec<Step> { vec!["relatedImages".into(), idx.into(), "image".into()] };
    if is_by_tag(&bundle.image) {
        let message = format!("bundle `{name}` names its image without a digest: `{}`", bundle.image);
        found.push(draft(rules::BUNDLE_IMAGE_BY_TAG, message).at(vec!["image".into()]).help(BY_DIGEST));
    }
    let mut facts = HashSet::new();
    for (idx, related) in bundle.related_images.iter().enumerate() {
        // The image of the bundle itself has been reported.
        if is_by_tag(&related.image) && related.image != bundle.image {
            let message = format!("bundle `{name}` names a related image without a digest: `{}`", related.image);
            found.push(draft(rules::RELATED_IMAGE_BY_TAG, message).at(of_image(idx)).help(BY_DIGEST));
        }
        if !facts.insert((&related.name, &related.image)) {
            let message = match (&*related.name, &*related.image) {
                ("", image) => format!("bundle `{name}` lists the image `{image}` twice"),
                (called, image) => format!("bundle `{name}` lists the image `{image}` twice as `{called}`"),
            };
            let it = draft(rules::REPEATED_RELATED_IMAGE, message).at(vec!["relatedImages".into(), idx.into()]);
            found.push(it.help(format!("remove one of them; {}", fixed_by(rules::REPEATED_RELATED_IMAGE))));
        }
    }
    if !bundle.image.is_empty() && bundle.related_images.iter().all(|it| it.image != bundle.image) {
        let message = format!("the image of bundle `{name}` is not among its related images");
        let it = draft(rules::BUNDLE_IMAGE_NOT_RELATED, message).at(vec!["relatedImages".into()]);
        found.push(it.help(format!(
            "add it to `relatedImages` with an empty name; {}",
            fixed_by(rules::BUNDLE_IMAGE_NOT_RELATED)
        )));
    }
}

/// Registries that only builds and tests reach: hosts, or hosts with the first part of the name.
const TEST_REGISTRIES: [&str; 9] = [
    "registry.stage.redhat.io",
    "registry-proxy.engineering.redhat.com",
    "registry-proxy-stage.engineering.redhat.com",
    "brew.registry.redhat.io",
    "images.paas.redhat.com",
    "quay.io/redhat-user-workloads",
    "quay.io/redhat-user-workloads-stage",
    "quay.io/redhat-pending",
    "localhost",
];

fn test_registry(image: &str) -> Option<&str> {
    let mut parts = image.split('/');
    let host = parts.next().filter(|_| image.contains('/'))?;
    let first = parts.next()?;
    let bare = host.split(':').next().unwrap_or(host);
    let with_first = image.get(..host.len() + 1 + first.len())?;
    // Names of services and the loopback mean another thing on each machine.
    let is_local = bare.ends_with(".svc") || bare.ends_with(".svc.cluster.local") || bare == "127.0.0.1";
    let listed = TEST_REGISTRIES.into_iter().find(|name| [bare, with_first].contains(name));
    listed.or(is_local.then_some(host))
}

fn test_registries(bundle: &Bundle<'_>, found: &mut Vec<Draft>) {
    let of_bundle = test_registry(&bundle.image).map(|registry| (vec!["image".into()], registry, &bundle.image));
    let related = bundle.related_images.iter().enumerate().filter(|(_, related)| related.image != bundle.image);
    let of_related = related.filter_map(|(idx, related)| {
        let at: Vec<Step> = vec!["relatedImages".into(), idx.into(), "image".into()];
        Some((at, test_registry(&related.image)?, &related.image))
    });
    let mut images = of_bundle.into_iter().chain(of_related);
    let Some((at, registry, image)) = images.next() else { return };
    let others = match images.count() {
        0 => String::new(),
        n => format!(", and {} of that kind", counted(n as u64, "more image")),
    };
    let name = &bundle.name;
    let message =
        format!("bundle `{name}` names an image in {registry}, which only builds and tests reach: `{image}`{others}");
    let help = "name images as customers pull them, with the same digest";
    found.push(draft(rules::TEST_REGISTRY, message).at(at).help(help));
}

/// The range in the ClusterServiceVersion, if the catalog holds it as metadata.
fn csv_range(bundle: &Bundle<'_>) -> Option<String> {
    let metadata = bundle.properties.iter().find(|property| &*property.kind == "olm.csv.metadata")?;
    let range = CsvView::of_metadata(metadata.value?).annotation("olm.skipRange")?;
    Some(range.trim().to_owned()).filter(|range| !range.is_empty())
}

const BY_DIGEST: &str = "write `NAME@sha256:…`; `skopeo inspect` prints the digest";

/// The annotation which tells users that an operator can be mirrored.
const DISCONNECTED: &str = "features.operators.openshift.io/disconnected";

fn properties(bundle: &Bundle<'_>, found: &mut Vec<Draft>) {
    let name = &bundle.name;
    let mut has_metadata = false;
    let mut first_object = None;
    for (idx, property) in bundle.properties.iter().enumerate() {
        let text = |field: &str| property.value.and_then(|it| it.get_field(field)).and_then(|it| it.as_str());
        match &*property.kind {
            "olm.csv.metadata" => {
                has_metadata = true;
                let view = property.value.map(CsvView::of_metadata);
                let claims = view.and_then(|it| it.annotation(DISCONNECTED)).is_some_and(|it| it == "true");
                let mut images = bundle.related_images.iter().map(|it| &it.image).chain([&bundle.image]);
                if let Some(image) = images.find(|it| is_by_tag(it)).filter(|_| claims) {
                    let message = format!(
                        "bundle `{name}` claims to work on disconnected clusters, but names `{image}` without a digest"
                    );
                    let it = draft_at(draft(rules::DISCONNECTED_WITH_TAGS, message), idx, Vec::new());
                    found.push(it.help("name all images by digests, or remove the claim"));
                }
            }
            BUNDLE_OBJECT => first_object = first_object.or(Some(idx)),
            "olm.package" if text("release").is_none_or(|it| it.is_empty()) => {
                if let Some(version) = text("version") {
                    version_of(bundle, idx, &version, found);
                }
            }
            "olm.package.required" => {
                let (package, range) = (text("packageName"), text("versionRange"));
                if let (Some(package), Some(range)) = (package, range) {
                    dependency(bundle, idx, &package, &range, found);
                }
            }
            _ => {}
        }
    }
    match first_object {
        Some(idx) => {
            let message = format!("bundle `{name}` holds its objects in `{BUNDLE_OBJECT}` properties");
            let it = draft_at(draft(rules::BUNDLE_OBJECT_PROPERTIES, message), idx, Vec::new());
            found.push(it.help("replace them: `olmdex render --migrate-level bundle-object-to-csv-metadata`"));
        }
        None if !has_metadata => {
            let message = format!("bundle `{name}` has no `olm.csv.metadata` property, and holds no objects");
            let it = draft(rules::BUNDLE_WITHOUT_CSV_METADATA, message).at(vec!["properties".into()]);
            found.push(it.help("render the bundle again from its image"));
        }
        None => {}
    }
}

fn version_of(bundle: &Bundle<'_>, idx: usize, version: &str, found: &mut Vec<Draft>) {
    let name = &bundle.name;
    let usual = format!("{}.v{version}", bundle.package);
    if !name.is_empty() && **name != usual && **name != usual.replace('+', "-") {
        let message = format!("bundle `{name}` has version {version}, so its usual name would be `{usual}`");
        found.push(draft(rules::BUNDLE_NAME_NOT_OF_VERSION, message).at(vec!["name".into()]));
    }
    if version.contains('+') {
        let message = format!("the version {version} of bundle `{name}` has build metadata, which ranges ignore");
        let it = draft_at(draft(rules::VERSION_WITH_BUILD_METADATA, message), idx, vec!["version".into()]);
        found.push(it.help("raise the patch version instead"));
    }
}

fn dependency(bundle: &Bundle<'_>, idx: usize, package: &str, range: &str, found: &mut Vec<Draft>) {
    let name = &bundle.name;
    let at = || vec!["versionRange".into()];
    if holds(range, "0.0.0") == Some(true) {
        let message = format!("bundle `{name}` requires `{package}` without a minimum version: `{range}`");
        let it = draft_at(draft(rules::DEPENDENCY_WITHOUT_MINIMUM, message), idx, at());
        found.push(it.help("begin the range with the oldest version that works: `>=1.0.0`"));
    }
    if is_narrow(range) {
        let message = format!("bundle `{name}` requires `{package}` in a narrow range: `{range}`");
        let it = draft_at(draft(rules::NARROW_DEPENDENCY, message), idx, at());
        found.push(it.help("leave out the maximum, or end the range with the major version"));
    }
}

/// How to correct what a rule finds that is off unless it is asked for.
fn fixed_by(rule: &Rule) -> String {
    format!("`olmdex validate --select {} --fix` does this", rule.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_narrow_if_it_ends_within_a_major_version() {
        for (range, expected) in [
            ("1.2.3", true),
            (">=1.2.0 <1.3.0", true),
            ("=1.2.3 || =1.2.4", true),
            (">=1.2.0 <1.3.0 || >=2.0.0 <2.1.0", true),
            (">1.0.0 <2.0.0", false),
            (">=1.0.0", false),
            ("<2.0.0", false),
            (">1.0.0 !1.2.1", false),
            (">=1.2.0-rc.7 <1.3.0", true),
            ("1.x", false),
            (">=18446744073709551615.0.0", false),
            ("no range 1", false),
            ("", false),
        ] {
            assert_eq!(is_narrow(range), expected, "{range}");
        }
    }

    #[test]
    fn a_range_that_names_its_beginning_is_not_open() {
        for (range, expected) in [
            ("<1.0.3", Some(true)),
            (">=0.0.0 <1.0.3", Some(false)),
            (">=1.0.0", Some(false)),
            ("<1.0.0 || >=2.0.0 <2.1.0", Some(true)),
            ("nonsense", None),
        ] {
            assert_eq!(holds(range, "0.0.0-0"), expected, "{range}");
        }
    }
}
