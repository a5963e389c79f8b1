//! Compares the bundles of both sides: images, properties, manifests, and facts that only columns state.

use std::collections::{BTreeSet, HashMap};

use super::forms::{BundleFacts, PACKAGE, text_in};
use super::metadata;
use super::new::NewSide;
use super::old::OldSide;
use super::old_bundle::{OldBundle, Standing};
use super::report::Report;
use crate::rules;
use olmdex_base::diag::Finding;
use olmdex_fbc::CSV_METADATA;
use olmdex_text::json::{Reader, Tree};

/// The result for a bundle's row.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) standing: Standing,
    /// The losses, and the differences in the blobs.
    pub(super) report: Report,
}

/// The bundles of both sides.
pub(super) struct Bundles<'a> {
    old: &'a OldSide<'a>,
    new: &'a NewSide,
    /// The packages in which a bundle has entries.
    packages_of: HashMap<&'a str, BTreeSet<&'a str>>,
    /// The bundles that any entry of a bundle replaces or skips.
    edges_of: HashMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Bundles<'a> {
    pub(super) fn new(old: &'a OldSide<'a>, new: &'a NewSide) -> Self {
        let mut packages_of: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        let mut edges_of: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for entry in &old.entries {
            packages_of.entry(&entry.bundle).or_default().insert(&entry.package);
            edges_of.entry(&entry.bundle).or_default().extend(entry.from.iter().map(|it| it.1.as_str()));
        }
        Self { old, new, packages_of, edges_of }
    }

    /// Compares a bundle with the blobs of the packages that it is in.
    pub(super) fn compare(&self, standing: Standing, mut bundle: OldBundle, losses: Report) -> Outcome {
        let mut report = Report::default();
        let name = std::mem::take(&mut bundle.name);
        let packages = self.packages_of.get(name.as_str());
        let converted: Vec<&str> =
            packages.into_iter().flatten().copied().filter(|it| self.new.graph.packages.contains_key(*it)).collect();
        match &standing {
            _ if packages.is_none() => {
                report.say(rules::STRANDED_BUNDLE, format!("bundle `{name}` is in no channel, and lost"), None);
            }
            Standing::Counts { .. } => {
                if let [package, ..] = converted.as_slice() {
                    let of_package = |mut it: Finding| {
                        it.package = Some((*package).to_owned());
                        it
                    };
                    report.findings.extend(losses.findings.into_iter().map(of_package));
                }
                for package in converted {
                    if let Some(new) = self.new.bundles.get(&(package.to_owned(), name.clone())) {
                        self.compare_bundle(&name, package, &bundle, new, &mut report);
                    } else {
                        report.differs(format!("bundle `{name}` of package `{package}` is missing"), package);
                    }
                }
            }
            Standing::Lacks(lacking) => {
                let message = format!("bundle `{name}` is lost: its {lacking} is NULL");
                report.say(rules::ROW_WITHOUT_VALUE, message, None);
            }
            Standing::Deprecated => {
                report.say(rules::DEPRECATED_BUNDLE, format!("bundle `{name}` is deprecated, and lost"), None);
            }
        }
        Outcome { name, standing, report }
    }

    fn compare_bundle(&self, name: &str, package: &str, old: &OldBundle, new: &BundleFacts, report: &mut Report) {
        if old.facts.image != new.image {
            let (old, new) = (&old.facts.image, &new.image);
            let message = format!("bundle `{name}` has the image `{old}` in the old file and `{new}` in the new");
            report.differs(message, package);
        }
        self.compare_properties(name, package, old, new, report);
        for (images, how) in [
            (old.facts.images.difference(&new.images), "is missing"),
            (new.images.difference(&old.facts.images), "is not in the old file"),
        ] {
            for (title, image) in images {
                let title = if title.is_empty() { String::new() } else { format!(" (`{title}`)") };
                report.differs(format!("bundle `{name}`: the related image `{image}`{title} {how}"), package);
            }
        }
        let n_lost = old.facts.manifests.difference(&new.manifests).count();
        if n_lost > 0 {
            let message = format!("bundle `{name}`: {} lost", counted(n_lost, "manifest is", "manifests are"));
            if is_metadata_made(&old.facts, new) {
                report.say(rules::LOST_MANIFESTS, message, Some(package));
            } else {
                report.differs(message, package);
            }
        }
        let n_more = new.manifests.difference(&old.facts.manifests).count();
        if n_more > 0 {
            let are = counted(n_more, "manifest is", "manifests are");
            report.differs(format!("bundle `{name}`: {are} not in the old file"), package);
        }
        if new.manifests.is_empty() {
            let none = BTreeSet::new();
            let edges = self.edges_of.get(name).unwrap_or(&none);
            for other in old.column_edges.iter().filter(|it| !edges.contains(it.as_str())) {
                let message = format!("bundle `{name}`: `{other}` in its columns `replaces` or `skips` is lost");
                report.say(rules::LOST_COLUMN, message, Some(package));
            }
        }
    }

    fn compare_properties(&self, name: &str, package: &str, old: &OldBundle, new: &BundleFacts, report: &mut Report) {
        // One that names the package is made for bundles that have none.
        let made = Tree::of_texts([("packageName", package), ("version", &old.version)]).compact();
        let made = (PACKAGE.to_owned(), made);
        let mut expected = old.facts.properties.clone();
        if !old.facts.has(PACKAGE) {
            expected.insert(made);
        } else if old.facts.properties.iter().all(|it| it.0 != PACKAGE || !has_version(&it.1, &old.version)) {
            let message = format!(
                "bundle `{name}`: the version `{}` in its column is lost, as a property has another version",
                old.version
            );
            report.say(rules::LOST_COLUMN, message, Some(package));
        }
        let is_mixed = |kind: &str| self.old.mixes_dependencies() && kind.ends_with(".required");
        for (kind, value) in expected.difference(&new.properties) {
            if is_mixed(kind) {
                let message = format!("bundle `{name}`: the dependency `{kind}` {value} is lost, as opm loses it");
                report.say(rules::OPM_WOULD_LOSE, message, Some(package));
            } else {
                report.differs(format!("bundle `{name}`: the property `{kind}` {value} is missing"), package);
            }
        }
        let csv = old.csv.as_deref().unwrap_or_default();
        for (kind, value) in new.properties.difference(&expected) {
            let mut message = format!("bundle `{name}`: the property `{kind}` {value} is not in the old file");
            if is_mixed(kind) && self.old.has_dependency(value) {
                let message = format!(
                    "bundle `{name}`: the dependency `{kind}` {value} is that of another bundle, as opm mixes them up"
                );
                report.say(rules::OPM_WOULD_LOSE, message, Some(package));
                continue;
            }
            if kind == CSV_METADATA && is_metadata_made(&old.facts, new) {
                let (mut of_property, mut of_csv) = (Reader::new(), Reader::new());
                let field = match (of_property.read(value), of_csv.read(csv)) {
                    (Ok(property), Ok(csv)) => metadata::misfit(property, csv),
                    _ => Some(String::new()),
                };
                let Some(field) = field else { continue };
                message =
                    format!("bundle `{name}`: the field `{field}` of `{kind}` differs from its ClusterServiceVersion");
            }
            report.differs(message, package);
        }
    }
}

/// Whether an `olm.csv.metadata` property has taken the place of all manifests.
fn is_metadata_made(old: &BundleFacts, new: &BundleFacts) -> bool {
    !old.has(CSV_METADATA) && new.has(CSV_METADATA) && new.manifests.is_empty() && !new.image.is_empty()
}

/// Whether a property that names the package has a version.
fn has_version(value: &str, version: &str) -> bool {
    let mut reader = Reader::new();
    reader.read(value).is_ok_and(|it| text_in(it, "version") == version)
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
