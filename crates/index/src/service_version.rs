//! The words by which people search for bundles, from the ClusterServiceVersion that a bundle carries in one form or
//! another.
//!
//! Nothing here fails: fields of a wrong kind are left out, since the checks report them.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use olmdex_fbc::service_version::{CsvView, olm_access};
use olmdex_fbc::{self as fbc, BUNDLE_OBJECT, Bundle, PropertyView};
use olmdex_text::json::{Kind, Value};

/// The kinds of obstacles to OLM v1.
pub(super) const API_SERVICE: &str = "apiService";
pub(super) const WEBHOOK: &str = "webhook";
pub(super) const OLM_ACCESS: &str = "olmAccess";

/// The facts of a bundle's ClusterServiceVersion.
#[derive(Debug, Default)]
pub(super) struct CsvFacts {
    pub(super) display_name: String,
    pub(super) provider: String,
    pub(super) maturity: String,
    pub(super) capability_level: String,
    pub(super) min_kube_version: String,
    pub(super) openshift_versions: String,
    pub(super) repository: String,
    pub(super) support: String,
    pub(super) created_at: String,
    /// The annotation `description`: a sentence, while the field of that name is a text of many paragraphs.
    pub(super) summary: String,
    pub(super) subscription: String,
    pub(super) description: String,
    pub(super) keywords: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) install_modes: Vec<(String, bool)>,
    /// The obstacles between the bundle and OLM v1: kind and value.
    pub(super) obstacles: Vec<(&'static str, String)>,
    /// Names and addresses.
    pub(super) maintainers: Vec<(String, String)>,
    /// Names and addresses.
    pub(super) links: Vec<(String, String)>,
    /// Kind (`arch` or `os`) and name to the label's value.
    pub(super) platforms: BTreeMap<(&'static str, String), String>,
    pub(super) features: BTreeMap<String, String>,
}

/// The bundle's ClusterServiceVersion as JSON text, from its `olm.bundle.object` properties.
///
/// They are most of a large catalog, so those that begin as another kind of object are not decoded: writers of
/// catalogs sort the keys, which puts `kind` near the beginning.
pub(super) fn find_object(bundle: &Bundle<'_>) -> Option<Vec<u8>> {
    let objects = || bundle.properties.iter().filter(|it| it.kind == BUNDLE_OBJECT);
    fn data<'d>(of: &PropertyView<'d>) -> Option<Value<'d>> {
        of.value.and_then(|it| it.get_field("data"))
    }
    let is_plain = |it: &PropertyView<'_>| data(it).is_some_and(|it| it.kind() == Kind::PlainString);
    let mut rest = Bundle { properties: objects().cloned().collect(), ..Bundle::default() };
    // A property without data has the data of the one before it, so then all of them count.
    if objects().all(is_plain) {
        rest.properties.retain(|it| !data(it).is_some_and(|it| is_other_kind(it.raw())));
    }
    fbc::cluster_service_version(&rest).ok().flatten()
}

/// Whether the object in some base64 begins with `{"apiVersion":"…","kind":"…"` and is not a ClusterServiceVersion.
fn is_other_kind(base64: &str) -> bool {
    /// Enough for both fields; a multiple of four.
    const PREFIX: usize = 256;
    let Some(prefix) = base64.as_bytes().get(..PREFIX) else { return false };
    let mut object = [0; PREFIX];
    let Ok(len) = STANDARD.decode_slice(prefix, &mut object) else { return false };
    let after_version = object[..len].strip_prefix(b"{\"apiVersion\":\"").and_then(|rest| {
        let end = memchr::memchr2(b'"', b'\\', rest)?;
        rest[end..].strip_prefix(b"\",\"kind\":\"")
    });
    let Some(rest) = after_version else { return false };
    memchr::memchr2(b'"', b'\\', rest).is_some_and(|end| rest[end] == b'"' && &rest[..end] != b"ClusterServiceVersion")
}

/// Facts from one form or the other.
pub(super) fn facts(csv: CsvView<'_>) -> CsvFacts {
    let mut facts = CsvFacts {
        display_name: csv.text("displayName"),
        provider: csv.provider(),
        maturity: csv.text("maturity"),
        min_kube_version: csv.text("minKubeVersion"),
        description: csv.text("description"),
        keywords: csv.keywords().collect(),
        install_modes: csv.install_modes().collect(),
        obstacles: obstacles(&csv),
        maintainers: csv.maintainers().collect(),
        links: csv.links().collect(),
        ..CsvFacts::default()
    };
    for (key, value) in csv.labels() {
        if let Some(name) = key.strip_prefix("operatorframework.io/arch.") {
            facts.platforms.insert(("arch", name.to_owned()), value.into_owned());
        } else if let Some(name) = key.strip_prefix("operatorframework.io/os.") {
            facts.platforms.insert(("os", name.to_owned()), value.into_owned());
        } else if key == "com.redhat.openshift.versions" {
            facts.openshift_versions = value.into_owned();
        }
    }
    let mut older = Vec::new();
    for (key, value) in csv.annotations() {
        if let Some(name) = key.strip_prefix("features.operators.openshift.io/") {
            facts.features.insert(name.to_owned(), feature_value(&value));
            continue;
        }
        match &*key {
            "capabilities" => facts.capability_level = value.into_owned(),
            "categories" => {
                let items = value.split(',').map(str::trim).filter(|it| !it.is_empty());
                facts.categories = items.map(str::to_owned).collect();
            }
            "repository" => facts.repository = value.into_owned(),
            "support" => facts.support = value.into_owned(),
            "createdAt" => facts.created_at = value.into_owned(),
            "description" => value.trim().clone_into(&mut facts.summary),
            "com.redhat.openshift.versions" => facts.openshift_versions = value.into_owned(),
            "operators.openshift.io/valid-subscription" => facts.subscription = value.into_owned(),
            "operators.openshift.io/infrastructure-features" => older = infrastructure_features(&value),
            _ => {}
        }
    }
    for name in older {
        // The newer annotation counts, but only if it says something.
        let value = facts.features.entry(name).or_default();
        if !matches!(value.as_str(), "true" | "false") {
            "true".clone_into(value);
        }
    }
    facts
}

/// The obstacles between a bundle and OLM v1, apart from install modes and dependencies.
pub(super) fn obstacles(csv: &CsvView<'_>) -> Vec<(&'static str, String)> {
    let services = csv.services("owned").map(|it| (API_SERVICE, it.api.to_string()));
    let webhooks = csv.webhooks().map(|it| (WEBHOOK, it));
    let access = olm_access(&csv.permissions()).into_iter().map(|it| (OLM_ACCESS, it.to_owned()));
    services.chain(webhooks).chain(access).collect()
}

/// `true` or `false` however they are written; every other value as it is.
fn feature_value(text: &str) -> String {
    let plain = text.trim().to_lowercase();
    if matches!(plain.as_str(), "true" | "false") { plain } else { text.to_owned() }
}

/// The items of the older annotation, a list in JSON, under the names of the newer annotations.
fn infrastructure_features(text: &str) -> Vec<String> {
    let names: Vec<String> = serde_json::from_str(text).unwrap_or_default();
    let renamed = |name: String| match name.to_lowercase().replace([' ', '_'], "-").as_str() {
        "fips" | "fips-mode" => "fips-compliant".to_owned(),
        "proxy" => "proxy-aware".to_owned(),
        other => other.to_owned(),
    };
    names.into_iter().map(renamed).filter(|it| !it.is_empty()).collect()
}
