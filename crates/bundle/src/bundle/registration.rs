//! A bundle as a legacy catalog keeps it: the data that `registry add` takes from its files
//! (`docs/behaviour/legacy-index.md` 2.4 and 4.1).

use std::collections::BTreeSet;
use std::path::Path;

use super::directory::read_files;
use super::error::BundleError;
use super::parts::Parts;
use super::properties::{Origin, api_text, candidates, properties, required, version};
use olmdex_fbc::Api;
use olmdex_fbc::service_version::CsvView;
use olmdex_text::gotype::{Decoder, GoType};
use olmdex_text::json::Reader;

/// The facts in the files of a bundle that a legacy catalog stores.
#[derive(Debug, Clone, Default)]
pub struct Registration {
    /// `metadata.name` of its ClusterServiceVersion.
    pub name: String,
    /// Its package, which may be empty.
    pub package: String,
    /// Its channels. Blanks beside a comma belong to the name.
    pub channels: Vec<String>,
    /// The default channel, or empty.
    pub default_channel: String,
    /// `spec.version`, or empty.
    pub version: String,
    /// The annotation `olm.skipRange`, or empty.
    pub skip_range: String,
    /// `spec.replaces`, or empty.
    pub replaces: String,
    /// `spec.skips`.
    pub skips: Vec<String>,
    /// The annotation `olm.substitutesFor`, or empty.
    pub substitutes_for: String,
    /// The ClusterServiceVersion, as JSON without a newline.
    pub csv: String,
    /// All objects, the same way, in the order of their files.
    pub manifests: Vec<String>,
    /// Type and value of each property, each once.
    pub properties: Vec<(String, String)>,
    /// Type and value of each dependency.
    pub dependencies: Vec<(String, String)>,
    /// The APIs that it provides, with their plural names.
    pub provided: BTreeSet<(Api, String)>,
    /// The APIs that its ClusterServiceVersion requires, with their plural names.
    pub required: BTreeSet<(Api, String)>,
    /// The images that it uses, its own aside.
    pub images: BTreeSet<String>,
}

impl Registration {
    /// Reads a bundle directory.
    ///
    /// # Errors
    /// [`BundleError`] for bundles that opm refuses too.
    pub fn read(directory: &Path) -> Result<Self, BundleError> {
        let files = read_files(directory)?;
        Self::of_files(&files.manifests, &files.metadata)
    }

    /// Makes one from the files of `manifests/` and `metadata/`, with their names, sorted by these.
    ///
    /// # Errors
    /// [`BundleError`] for bundles that opm refuses too.
    pub fn of_files(
        manifest_files: &[(String, Vec<u8>)],
        metadata_files: &[(String, Vec<u8>)],
    ) -> Result<Self, BundleError> {
        let parts = Parts::read(manifest_files, metadata_files)?;
        let manifest = parts.csv().ok_or(BundleError::NoCsv)?;
        let (text, csv) = (manifest.json.clone(), manifest.value());
        let origin = Origin::of(&parts, csv, metadata_files);
        // Values that readers of catalogs could not decode are refused while it is easy to correct them.
        properties(&origin)?;
        parts.refuse_images(manifest_files)?;
        parts.refuse_edges(manifest_files)?;
        let view = CsvView::of_manifest(csv);
        let annotation = |key: &str| view.annotation(key).unwrap_or_default().into_owned();
        refuse_bad_list(&parts.name, &annotation("olm.properties"))?;
        let required = required(&parts.name, &view)?;
        let properties = distinct(candidates(&origin));
        let listed = parts.metadata.dependencies.iter().map(|(kind, value)| (kind.clone(), stored(value)));
        let apis: BTreeSet<&Api> = required.iter().map(|it| &it.0).collect();
        let of_csv = apis.into_iter().map(|it| ("olm.gvk".to_owned(), with_html_escapes(&api_text(it))));
        let dependencies = listed.chain(of_csv).collect();
        let listed_images = view.related_images().map(|it| it.1);
        Ok(Self {
            channels: parts.metadata.channels.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
            default_channel: parts.metadata.default_channel.clone(),
            version: version(csv),
            skip_range: annotation("olm.skipRange"),
            replaces: view.text("replaces"),
            skips: view.skips().collect(),
            substitutes_for: annotation("olm.substitutesFor"),
            manifests: parts.manifests.iter().map(|it| it.json.clone()).collect(),
            properties,
            dependencies,
            provided: parts.provided.iter().map(|it| (it.api.clone(), it.plural.clone())).collect(),
            required,
            images: view.deployed_images().into_iter().chain(listed_images).collect(),
            name: parts.name.clone(),
            package: parts.package.clone(),
            csv: text,
        })
    }
}

/// Refuses an `olm.properties` that is not a list of properties.
fn refuse_bad_list(bundle: &str, text: &str) -> Result<(), BundleError> {
    let mut reader = Reader::new();
    let is_list = reader.read(text).is_ok_and(|it| GoType::PROPERTIES.misfit(it, Decoder::Library).is_none());
    if text.is_empty() || is_list {
        return Ok(());
    }
    Err(BundleError::Property {
        bundle: bundle.to_owned(),
        place: None,
        message: "the annotation `olm.properties` is not a JSON list of properties".to_owned(),
        opm: "failed to add properties".to_owned(),
    })
}

/// Properties as they are stored, each once.
fn distinct(all: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let all = all.into_iter().map(|(kind, value)| (kind, stored(&value)));
    all.filter(|it| seen.insert(it.clone())).collect()
}

/// A value as it is stored; one that is not there is null.
fn stored(json: &str) -> String {
    if json.is_empty() { "null".to_owned() } else { with_html_escapes(json) }
}

/// Compact JSON with the escapes that Go adds. The escaped characters occur in texts only.
fn with_html_escapes(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            other => out.push(other),
        }
    }
    out
}
