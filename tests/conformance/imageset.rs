//! `authoring/imageset`: ImageSetConfigurations with oc-mirror's results for catalogs.
//!
//! A folder has `cases.jsonl` and its small catalogs, or is an archive of both. The record is that of the filter
//! library 0.0.4, also for ranges with two equal bounds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use olmdex::ask::check_catalog;
use olmdex::fbc::{Format, Input};
use olmdex::mirror::{
    Catalog, Dialect, FilterVersion, Filtered, Operator, PackageExtent, bundles, filter, images, read, write,
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::bundles::unpacked;
use crate::inputs::{shared, shared_in_area};
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "authoring/imageset", run };

#[derive(Deserialize)]
struct Recorded {
    id: String,
    catalog: String,
    isc: String,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    config_error: Option<String>,
    #[serde(default)]
    operators: Vec<Answer>,
}

/// The result for one catalog of the configuration.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    catalog: String,
    error: Option<String>,
    #[serde(default)]
    packages: usize,
    #[serde(default)]
    bundles: usize,
    // A large result is recorded only by its digest, and a record that was written by hand has none.
    selected: Option<BTreeMap<String, Vec<String>>>,
    channels: Option<BTreeMap<String, Vec<String>>>,
    default_channels: Option<BTreeMap<String, String>>,
    #[serde(default)]
    warnings: Vec<String>,
    related_images: Option<usize>,
    related_images_sha256: Option<String>,
    json_sha256: Option<String>,
    json_bytes: Option<usize>,
    opm_validate: Option<String>,
}

/// Catalogs that have been read.
type Catalogs = BTreeMap<String, (Input, Catalog)>;

fn run(root: &Path) -> Vec<Case> {
    unpacked(root, "imageset", |folder, _| cases(root, folder))
}

fn cases(root: &Path, folder: &Path) -> Vec<Case> {
    let Ok(text) = std::fs::read_to_string(folder.join("cases.jsonl")) else { return Vec::new() };
    let mut catalogs = Catalogs::new();
    let mut cases = Vec::new();
    for line in text.lines() {
        let recorded: Recorded = serde_json::from_str(line).expect("a recording");
        if !catalogs.contains_key(&recorded.catalog) {
            let own = shared_in_area(folder, "imageset", &recorded.catalog);
            // The large catalogs of the archive are beside the record.
            let path = if own.is_dir() { own } else { shared(root, &format!("../{}", recorded.catalog)) };
            let input = Input::directory(&path).expect("a readable catalog");
            let catalog = Catalog::read(&input, None);
            catalogs.insert(recorded.catalog.clone(), (input, catalog));
        }
        let (input, catalog) = &catalogs[&recorded.catalog];
        let id = format!("authoring/imageset/{}", recorded.id);
        cases.push(Case::run(id, || check_case(&recorded, input, catalog)));
    }
    cases
}

fn check_case(recorded: &Recorded, input: &Input, catalog: &Catalog) -> Outcome {
    let configuration = match read(recorded.isc.as_bytes(), Dialect::OcMirror) {
        Ok(configuration) => configuration,
        Err(error) => return Outcome::of_equal(&Some(error.to_string()), &recorded.expected.config_error),
    };
    if let Some(error) = &recorded.expected.config_error {
        return Outcome::Failed(format!("expected {error}"));
    }
    let expected = &recorded.expected.operators;
    if configuration.operators.len() != expected.len() {
        return Outcome::Failed(format!("{} catalogs, not {}", configuration.operators.len(), expected.len()));
    }
    for (operator, expected) in configuration.operators.iter().zip(expected) {
        if let Err(difference) = compare(operator, expected, input, catalog) {
            return Outcome::Failed(difference);
        }
    }
    Outcome::Passed
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: expected {expected:?}\n     got {found:?}")) }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn compare(operator: &Operator, expected: &Answer, input: &Input, catalog: &Catalog) -> Result<(), String> {
    equal("catalog", &operator.catalog, &expected.catalog)?;
    let filtered = match filter(catalog, operator, FilterVersion::V0_0_4) {
        Ok(filtered) => filtered,
        Err(error) => {
            let error = format!("failed to validate catalog filter: {error}");
            return equal("error", Some(error), expected.error.clone());
        }
    };
    if let Some(error) = filtered.first_error() {
        return equal("error", Some(format!("failed to filter catalog: {error}")), expected.error.clone());
    }
    equal("error", None, expected.error.clone())?;
    let n_packages = filtered.packages.keys().filter(|it| catalog.packages[*it].is_there).count();
    equal("packages", n_packages, expected.packages)?;
    let mut selected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (package, bundle) in bundles(catalog, &filtered) {
        selected.entry(package.to_owned()).or_default().push(bundle.name.clone());
    }
    equal("bundles", selected.values().map(Vec::len).sum::<usize>(), expected.bundles)?;
    if let Some(wanted) = &expected.selected {
        let sets = |it: &BTreeMap<String, Vec<String>>| -> Vec<(String, BTreeSet<String>)> {
            it.iter().map(|it| (it.0.clone(), it.1.iter().cloned().collect())).collect()
        };
        equal("selected", sets(&selected), sets(wanted))?;
    }
    let (channels, defaults) = channels(catalog, &filtered);
    if let Some(wanted) = &expected.channels {
        equal("channels", &channels, wanted)?;
    }
    if let Some(wanted) = &expected.default_channels {
        equal("default channels", &defaults, wanted)?;
    }
    let warnings: Vec<String> = filtered.warnings.iter().map(ToString::to_string).collect();
    equal("warnings", &warnings, &expected.warnings)?;
    let images = images(catalog, &filtered);
    let lines: String = images.iter().map(|it| format!("{it}\n")).collect();
    if let Some(wanted) = expected.related_images {
        equal("number of images", images.len(), wanted)?;
    }
    if let Some(wanted) = &expected.related_images_sha256 {
        equal("images", &hex(lines.as_bytes()), wanted)?;
    }
    let blobs = write(input, catalog, &filtered, Format::Json).map_err(|error| error.to_string())?;
    let text = blobs.to_vec();
    if let Some(wanted) = expected.json_bytes {
        equal("bytes", text.len(), wanted)?;
    }
    if let Some(wanted) = &expected.json_sha256 {
        equal("text", &hex(&text), wanted)?;
    }
    let report = check_catalog(&Input::bytes("filtered", text.into()), None);
    equal("validity", report.opm.is_none(), expected.opm_validate.as_ref().is_none_or(String::is_empty))
}

/// The entries of each channel, and the default channels.
fn channels(catalog: &Catalog, filtered: &Filtered) -> (BTreeMap<String, Vec<String>>, BTreeMap<String, String>) {
    let (mut channels, mut defaults) = (BTreeMap::new(), BTreeMap::new());
    for (name, kept) in &filtered.packages {
        let (Ok(kept), facts) = (kept, &catalog.packages[name]) else { continue };
        if facts.is_there {
            let default = match kept {
                PackageExtent::Whole => &facts.default_channel,
                PackageExtent::Part(part) => &part.default_channel,
            };
            defaults.insert(name.clone(), default.clone());
        }
        for channel in &facts.channels {
            let is_kept = |it: &&String| match kept {
                PackageExtent::Whole => true,
                PackageExtent::Part(part) => part.channels.get(&channel.name).is_some_and(|kept| kept.contains(*it)),
            };
            if matches!(kept, PackageExtent::Part(part) if !part.channels.contains_key(&channel.name)) {
                continue;
            }
            let entries = channel.entries.iter().map(|it| &it.name).filter(is_kept).cloned().collect();
            channels.insert(format!("{name}/{}", channel.name), entries);
        }
    }
    (channels, defaults)
}
