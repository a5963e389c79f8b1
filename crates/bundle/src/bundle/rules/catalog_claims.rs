//! The claims of a bundle about its place in a catalog: name, version, channels, the bundles that it replaces, and its
//! needs.

use super::contents::Contents;
use super::format::PREFIX;
use super::node::Field;
use super::problem::{At, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Place;
use olmdex_fbc::{Api, Spot};

/// A bundle that is to join a catalog.
#[derive(Debug, Clone)]
pub struct CatalogClaims {
    /// `metadata.name` of its ClusterServiceVersion.
    pub name: Claim<String>,
    /// Its package.
    pub package: Claim<String>,
    /// Its version, as it is written.
    pub version: Claim<String>,
    /// The channels of its annotations.
    pub channels: Claim<Vec<String>>,
    /// The bundle that it replaces, if it names one.
    pub replaces: Option<Claim<String>>,
    /// The bundles that it skips.
    pub skips: Vec<Claim<String>>,
    /// The range of versions that it skips, or empty.
    pub skip_range: String,
    /// The APIs that it brings itself.
    pub provided: Vec<Api>,
    /// The APIs that it needs.
    pub required: Vec<Claim<Api>>,
    /// The packages that it needs, with ranges of versions.
    pub packages: Vec<Claim<(String, String)>>,
    /// The values of its constraints, as JSON.
    pub constraints: Vec<Claim<String>>,
    /// Its definitions, as JSON.
    pub definitions: Vec<Claim<String>>,
}

/// A value with its place in the bundle.
#[derive(Debug, Clone)]
pub struct Claim<T> {
    /// The claim.
    pub it: T,
    /// Its place.
    pub place: Place,
}

/// The APIs of a list of the ClusterServiceVersion, with their paths.
fn listed(csv: &Csv<'_>, which: &str) -> Vec<(Api, String)> {
    let definitions = csv.definitions(which).into_iter();
    let mut all: Vec<(Api, String)> =
        definitions.map(|it| (it.gvk, format!("spec.customresourcedefinitions.{which}.{}", it.idx))).collect();
    for (idx, it) in csv.spec("apiservicedefinitions").get(which).items().enumerate() {
        let api = Api { group: it.text_of("group"), version: it.text_of("version"), kind: it.text_of("kind") };
        all.push((api, format!("spec.apiservicedefinitions.{which}.{idx}")));
    }
    all
}

/// The claims of a bundle. `channels` are those of its annotations, with the file that has them.
pub(super) fn of(
    contents: &Contents,
    csv: &Csv<'_>,
    package: &str,
    channels: Option<(usize, &[String])>,
    definitions: &[(usize, Field<'_>)],
) -> CatalogClaims {
    // The place of a finding is made where all places are.
    let place = |at: At| Problem::new(rules::DIRECTORIES, at, "", "").finding(contents).place.unwrap_or_default();
    let at = |path: &str| place(csv.at(path));
    let (file, names) = channels.unwrap_or_default();
    let in_annotations = |name: &str| {
        let key = format!("{PREFIX}{name}");
        place(At::File(file, Spot::Path(vec!["annotations".into(), key.as_str().into()])))
    };
    let mut unique: Vec<String> = Vec::new();
    for name in names.iter().map(|it| it.trim()).filter(|it| !it.is_empty()) {
        if !unique.iter().any(|it| it == name) {
            unique.push(name.to_owned());
        }
    }
    let replaces = csv.spec("replaces").text();
    let skips = csv.spec("skips").texts().into_iter().enumerate();
    let mut required: Vec<Claim<Api>> =
        listed(csv, "required").into_iter().map(|(it, path)| Claim { it, place: at(&path) }).collect();
    let (mut packages, mut constraints) = (Vec::new(), Vec::new());
    for (file, idx, kind, value) in dependencies(contents) {
        let place = place(At::File(file, Spot::Path(vec!["dependencies".into(), idx.into(), "value".into()])));
        let text = |key: &str| value.text_of(key);
        match kind.as_str() {
            "olm.package" => packages.push(Claim { it: (text("packageName"), text("version")), place }),
            "olm.gvk" => {
                let it = Api { group: text("group"), version: text("version"), kind: text("kind") };
                required.push(Claim { it, place });
            }
            "olm.constraint" => constraints.push(Claim { it: value.json(), place }),
            _ => {}
        }
    }
    CatalogClaims {
        name: Claim { it: csv.name(), place: at("metadata.name") },
        package: Claim { it: package.to_owned(), place: in_annotations("package.v1") },
        version: Claim { it: csv.spec("version").text(), place: at("spec.version") },
        channels: Claim { it: unique, place: in_annotations("channels.v1") },
        replaces: (!replaces.is_empty()).then(|| Claim { it: replaces, place: at("spec.replaces") }),
        skips: skips.map(|(idx, it)| Claim { it, place: at(&format!("spec.skips.{idx}")) }).collect(),
        skip_range: csv.annotation("olm.skipRange").unwrap_or_default(),
        provided: listed(csv, "owned").into_iter().map(|(it, _)| it).collect(),
        required,
        packages,
        constraints,
        definitions: definitions
            .iter()
            .map(|(file, node)| Claim { it: node.json(), place: place(At::File(*file, Spot::Start)) })
            .collect(),
    }
}

/// The dependencies of the first file that has some: its number, theirs, their types and values.
fn dependencies(contents: &Contents) -> Vec<(usize, usize, String, Field<'_>)> {
    for (number, file) in contents.metadata() {
        let Ok(document) = &file.document else { continue };
        let listed = Field(Some(document.value())).get("dependencies");
        if listed.n_items() > 0 {
            let one = |(idx, it): (usize, Field<'_>)| (number, idx, it.text_of("type"));
            let values = listed.items().map(|it| it.get("value"));
            let all = listed.items().enumerate().map(one).zip(values);
            return all.map(|((number, idx, kind), value)| (number, idx, kind, value)).collect();
        }
    }
    Vec::new()
}
