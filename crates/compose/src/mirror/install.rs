//! The manifests that install the operators of a mirrored catalog (`docs/behaviour/authoring.md` E.4).

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Catalog, Kind};
use super::configuration::{Operator, Package, Range};
use super::document::ManifestValue;
use super::filter::{Filtered, PackageExtent};
use super::installer::installer;
use super::outputs::manifest;
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{Document, Input, Origin, RereadError, Typed, cluster_service_version, load_again};
use olmdex_index::query::{InstallModes, KnownCsv, Obstacles};
use olmdex_text::json::Reader;
use olmdex_version::Version;
use olmdex_version::masterminds::api_server_refusal;

/// A package to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle at its head.
    pub bundle: String,
    /// Its version, if it has one.
    pub version: Option<Version>,
    /// The requested range.
    pub range: Range,
    /// The bundle's statements about its installation.
    pub modes: Modes,
}

/// A bundle's statements about its installation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Modes {
    /// The namespace that it suggests.
    pub namespace: Option<String>,
    /// The install modes that it states; `None` if it states none.
    pub stated: Option<InstallModes>,
    /// Other obstacles to an installation by OLM v1.
    pub obstacles: Obstacles,
    /// The types of its properties that declare dependencies, each once.
    pub dependencies: BTreeSet<String>,
}

/// Finds the bundles to install from the kept parts: the head of each package's default channel.
///
/// # Errors
/// [`RereadError`] if a file of the catalog has changed.
pub fn installs(
    input: &Input,
    catalog: &Catalog,
    filtered: &Filtered,
    operator: &Operator,
) -> Result<Vec<Install>, RereadError> {
    let asked: BTreeMap<&str, &Package> = operator.packages.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut found: Vec<(Install, Origin)> = Vec::new();
    for (name, kept) in &filtered.packages {
        let (Ok(kept), Some(facts)) = (kept, catalog.packages.get(name)) else { continue };
        let channel = match kept {
            PackageExtent::Whole => &facts.default_channel,
            PackageExtent::Part(part) => &part.default_channel,
        };
        let Some(of_channel) = facts.channel(channel) else { continue };
        let is_kept = |it: &&olmdex_fbc::Entry| match kept {
            PackageExtent::Whole => true,
            PackageExtent::Part(part) => part.channels.get(channel).is_some_and(|kept| kept.contains(&it.name)),
        };
        let entries: Vec<_> = of_channel.entries.iter().filter(is_kept).cloned().collect();
        let Some(head) = super::graph::heads(&entries).first().copied() else { continue };
        let idx = facts.bundles.iter().position(|it| it.name == head);
        let document = facts.documents.iter().find(|it| matches!(it.1, Kind::Bundle(at) if Some(at) == idx));
        let (Some(idx), Some((origin, _))) = (idx, document) else { continue };
        let package = asked.get(name.as_str());
        let own = package.and_then(|it| it.channels.iter().find(|it| it.name == *channel)).map(|it| it.range.clone());
        let range = own.filter(|it| !it.is_empty()).or_else(|| package.map(|it| it.range.clone())).unwrap_or_default();
        let install = Install {
            package: name.clone(),
            channel: channel.clone(),
            bundle: head.to_owned(),
            version: facts.bundles.get(idx).and_then(|it| it.version().cloned()),
            range,
            modes: Modes::default(),
        };
        found.push((install, *origin));
    }
    let origins: Vec<Origin> = found.iter().map(|it| it.1).collect();
    let mut modes = Vec::new();
    load_again(input, &origins, &modes_of, |it| {
        modes.push(it);
        Ok::<(), RereadError>(())
    })?;
    Ok(found.into_iter().zip(modes).map(|((it, _), modes)| Install { modes, ..it }).collect())
}

fn modes_of(document: Document<'_>) -> Modes {
    let Ok(blob) = document.blob else { return Modes::default() };
    let Typed::Bundle(bundle) = &blob.typed else { return Modes::default() };
    let metadata = bundle.properties.iter().find(|it| it.kind == "olm.csv.metadata").and_then(|it| it.value);
    let found = match metadata {
        Some(metadata) => modes(&CsvView::of_metadata(metadata), KnownCsv::Metadata),
        None => {
            let text = cluster_service_version(bundle).ok().flatten().unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let mut reader = Reader::new();
            reader.read(&text).map(|it| modes(&CsvView::of_object(it), KnownCsv::Whole)).unwrap_or_default()
        }
    };
    let is_dependency = |it: &&str| matches!(*it, "olm.package.required" | "olm.gvk.required" | "olm.constraint");
    let kinds = bundle.properties.iter().map(|it| &*it.kind).filter(is_dependency);
    Modes { dependencies: kinds.map(str::to_owned).collect(), ..found }
}

fn modes(csv: &CsvView<'_>, known: KnownCsv) -> Modes {
    Modes {
        namespace: csv.annotation("operatorframework.io/suggested-namespace").map(|it| it.into_owned()),
        stated: InstallModes::of_csv(csv),
        obstacles: Obstacles::of_csv(csv, known),
        dependencies: BTreeSet::new(),
    }
}

impl Install {
    /// The namespace that it goes to.
    pub fn namespace(&self) -> String {
        let suggested = self.modes.namespace.as_deref().filter(|it| is_label(it));
        suggested.map_or_else(|| label(&self.package), str::to_owned)
    }

    /// Namespace, OperatorGroup and Subscription, for OLM Classic.
    pub fn subscription(&self, source: &str) -> Vec<ManifestValue> {
        let namespace = self.namespace();
        let named = |name: &str| {
            ManifestValue::fields([("name", ManifestValue::text(name)), ("namespace", ManifestValue::text(&namespace))])
        };
        let ns = ManifestValue::fields([
            ("apiVersion", ManifestValue::text("v1")),
            ("kind", ManifestValue::text("Namespace")),
            ("metadata", ManifestValue::fields([("name", ManifestValue::text(&namespace))])),
        ]);
        let group_spec = if self.modes.stated.is_some_and(|it| it.own_namespace) {
            ManifestValue::fields([("targetNamespaces", ManifestValue::List(vec![ManifestValue::text(&namespace)]))])
        } else {
            ManifestValue::Fields(Vec::new())
        };
        let group = manifest("operators.coreos.com/v1", "OperatorGroup", named(&label(&self.package)), group_spec);
        let mut spec = ManifestValue::fields([
            ("name", ManifestValue::text(&self.package)),
            ("channel", ManifestValue::text(&self.channel)),
            ("source", ManifestValue::text(source)),
            ("sourceNamespace", ManifestValue::text("openshift-marketplace")),
        ]);
        // Automatic approval would immediately go beyond the named bundle.
        let approval = if self.range.exact().is_some() {
            spec = spec.with("startingCSV", ManifestValue::text(&self.bundle));
            "Manual"
        } else {
            "Automatic"
        };
        let spec = spec.with("installPlanApproval", ManifestValue::text(approval));
        vec![ns, group, manifest("operators.coreos.com/v1alpha1", "Subscription", named(&label(&self.package)), spec)]
    }

    /// A Namespace and a ClusterExtension, for OLM v1; with a service account if it needs one, which the version of
    /// OpenShift decides.
    pub fn extension(&self, needs_account: bool) -> Vec<ManifestValue> {
        let namespace = self.namespace();
        let ns = ManifestValue::fields([
            ("apiVersion", ManifestValue::text("v1")),
            ("kind", ManifestValue::text("Namespace")),
            ("metadata", ManifestValue::fields([("name", ManifestValue::text(&namespace))])),
        ]);
        let mut catalog = ManifestValue::fields([("packageName", ManifestValue::text(&self.package))]);
        let version = self.extension_version();
        if !version.is_empty() {
            catalog = catalog.with("version", ManifestValue::Quoted(version));
        }
        catalog = catalog.with("channels", ManifestValue::List(vec![ManifestValue::text(&self.channel)]));
        let source = ManifestValue::fields([("sourceType", ManifestValue::text("Catalog")), ("catalog", catalog)]);
        let mut spec = ManifestValue::fields([("namespace", ManifestValue::text(&namespace))]);
        let mut objects = vec![ns];
        if needs_account {
            let (account, rights) = installer(&label(&self.package), &namespace);
            objects.extend(rights);
            spec = spec.with("serviceAccount", ManifestValue::fields([("name", ManifestValue::Text(account))]));
        }
        let metadata = ManifestValue::fields([("name", ManifestValue::text(&label(&self.package)))]);
        let spec = spec.with("source", source);
        objects.push(manifest("olm.operatorframework.io/v1", "ClusterExtension", metadata, spec));
        objects
    }

    /// The `version` of the ClusterExtension, or empty.
    fn extension_version(&self) -> String {
        match (self.range.exact(), &self.version) {
            (Some(_), Some(version)) => version.to_string(),
            _ => self.range.text().trim().to_owned(),
        }
    }

    /// The reason why the API server refuses the ClusterExtension for its `version`.
    pub fn version_refusal(&self) -> Option<String> {
        api_server_refusal(&self.extension_version())
    }

    /// Whether another version differs only in its build metadata.
    pub fn is_ambiguous(&self) -> bool {
        self.range.exact().is_some() && self.version.as_ref().is_some_and(|it| !it.build().is_empty())
    }
}

fn is_label(text: &str) -> bool {
    let is_word = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    text.len() <= 63
        && text.bytes().all(|it| is_word(it) || it == b'-')
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().last().is_some_and(is_word)
}

/// A name that Kubernetes accepts for namespaces: other characters become `-`.
fn label(text: &str) -> String {
    let mapped: String = text
        .to_lowercase()
        .chars()
        .take(52)
        .map(|it| if it.is_ascii_lowercase() || it.is_ascii_digit() { it } else { '-' })
        .collect();
    let trimmed = mapped.trim_matches('-');
    if trimmed.is_empty() { "operator".to_owned() } else { trimmed.to_owned() }
}
