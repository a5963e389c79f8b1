//! A legacy catalog as packages, channels and bundles: the meaning of the rows, before anything is written
//! (`docs/behaviour/legacy-index.md` 3.1 to 3.6).
//!
//! The real tool stops at the first part that it cannot convert. Here every problem is kept with the package that it is
//! about, in the order in which the real tool would meet it. The first of them is its verdict, and a package without
//! any can still be converted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::cells::with_column;
use super::error::LegacyError;
use super::file::LegacyFile;
use super::graph::{Edges, Membership, memberships};
use super::package::{BundleModel, PackageModel, Problem};
use super::properties::Values;
use super::rows::{BundleRow, Rows};
use super::schema_upgrade::{self, Fidelity};
use super::service_version;
use super::survey::{Survey, survey};
use super::{rules, verdict};
use olmdex_base::diag::{Finding, Listed};
use olmdex_fbc::{Entry, go_sort};
use olmdex_text::json::Reader;
use olmdex_version::{Quoted, Version};

/// All known facts about a catalog.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) packages: BTreeMap<String, PackageModel>,
    /// In the order of the real tool.
    pub(super) problems: Vec<Problem>,
    pub(super) findings: Vec<Finding>,
    pub(super) rows: Rows,
}

impl Model {
    /// The packages that cannot be written as blobs at all.
    pub(super) fn unwritable(&self) -> BTreeSet<String> {
        let hard = self.problems.iter().filter(|it| !it.is_verdict).filter_map(|it| it.package.clone());
        // A value that is not JSON cannot be in a blob.
        let is_unfit = |it: &&PackageModel| it.bundles.values().any(|bundle| bundle.has_bad_json);
        hard.chain(self.packages.values().filter(is_unfit).map(|it| it.name.clone())).collect()
    }

    /// Reads the rows of a file and makes packages of them.
    pub(super) fn read(file: &LegacyFile, fidelity: Fidelity) -> Result<Self, LegacyError> {
        let mut rows = Rows::read(file)?;
        let lost = file.missing().into_iter().filter(|it| it.is_in_blobs);
        let mut findings: Vec<Finding> = lost.map(|it| rules::SCHEMA_MISMATCH.finding(it.to_string())).collect();
        schema_upgrade::forward(file, &mut rows, fidelity, &mut findings)?;
        let mut model = Self { findings, ..Self::default() };
        model.initialize(&rows);
        let members = memberships(&rows);
        let valid = model.valid(&rows, &members);
        model.populate(file, &rows, &valid)?;
        model.icons(file, &rows)?;
        model.problems.extend(verdict::judge(&model.packages));
        model.remark(&rows, &members);
        model.rows = rows;
        Ok(model)
    }

    fn problem(&mut self, package: Option<&str>, text: String) {
        self.problems.push(Problem { package: package.map(str::to_owned), bundle: None, text, is_verdict: false });
    }

    /// Packages and their channels.
    fn initialize(&mut self, rows: &Rows) {
        let mut channels: HashMap<&str, BTreeMap<String, Vec<Entry>>> = HashMap::new();
        for channel in &rows.channels {
            channels.entry(&channel.package).or_default().insert(channel.name.clone(), Vec::new());
        }
        for (name, default_channel) in &rows.packages {
            let channels = channels.remove(name.as_str()).unwrap_or_default();
            if channels.is_empty() {
                self.problem(Some(name), format!("package {name} not found"));
            }
            let package = PackageModel {
                name: name.clone(),
                default_channel: default_channel.clone(),
                channels,
                ..PackageModel::default()
            };
            self.packages.insert(name.clone(), package);
        }
    }

    /// The memberships that count: those of bundles with a row in which no needed value is NULL.
    fn valid<'a>(&mut self, rows: &Rows, members: &'a BTreeMap<Membership, Edges>) -> Vec<(&'a Membership, &'a Edges)> {
        let mut dropped: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut valid = Vec::new();
        for (member, edges) in members {
            let Some(bundle) = rows.bundle(&member.0) else { continue };
            if bundle.version.is_some() && bundle.image.is_some() {
                valid.push((member, edges));
                continue;
            }
            let lacking = if bundle.version.is_none() { "version" } else { "path" };
            dropped.entry(&member.1).or_default().insert(&member.0);
            let message = format!(
                "bundle `{}` is left out of channel `{}` of package `{}`: its {lacking} is NULL",
                member.0, member.2, member.1
            );
            self.findings.push(rules::ROW_WITHOUT_VALUE.finding(message).of_package(member.1.clone()));
        }
        let n_incomplete = rows
            .entries
            .iter()
            .filter(|it| it.bundle.is_none() || it.channel.is_none() || it.package.is_none())
            .count();
        if n_incomplete > 0 {
            let message =
                format!("{n_incomplete} entries of channels are left out: they name no bundle, channel or package");
            self.findings.push(rules::ROW_WITHOUT_VALUE.finding(message));
        }
        valid
    }

    /// Bundles into channels, in the order of the real tool: first all manifests are read, then all is converted.
    fn populate(&mut self, file: &LegacyFile, rows: &Rows, valid: &[(&Membership, &Edges)]) -> Result<(), LegacyError> {
        let surveys = surveys(file, rows, valid)?;
        let mut wording: HashSet<(&str, &str)> = HashSet::new();
        for ((bundle, package, _), _) in valid {
            if let Some((_, survey)) = surveys.get(bundle.as_str())
                && let Some(broken) = &survey.broken
                && wording.insert((bundle, package))
            {
                self.problems.push(Problem {
                    package: Some(package.clone()).filter(|it| !it.is_empty()),
                    bundle: Some(bundle.clone()),
                    text: format!("populate channels: {broken}"),
                    is_verdict: false,
                });
            }
        }
        let values = Values::new(rows);
        for (member, edges) in valid {
            let Some((bundle, survey)) = surveys.get(member.0.as_str()) else { continue };
            if values.is_deprecated(rows, &member.0) {
                continue;
            }
            let convert = || convert(rows, &values, bundle, &member.1, survey.clone());
            if let Err((package, error)) = self.enter(member, edges, bundle, convert) {
                self.problem(package, format!("populate channels: {error}"));
            }
        }
        Ok(())
    }

    /// Puts a bundle into a channel, and before that into its package, if it is not there yet. The error is about a
    /// package, or about none.
    fn enter<'m>(
        &mut self,
        (name, package, channel): &'m Membership,
        edges: &Edges,
        bundle: &BundleRow,
        convert: impl FnOnce() -> Result<BundleModel, String>,
    ) -> Result<(), (Option<&'m str>, String)> {
        let Some(model) = self.packages.get_mut(package) else {
            return Err((None, format!("unknown package {} for bundle {}", Quoted(package), Quoted(name))));
        };
        let Some(entries) = model.channels.get_mut(channel) else {
            let error = format!("unknown channel {} for bundle {}", Quoted(channel), Quoted(name));
            return Err((Some(package), error));
        };
        if !model.bundles.contains_key(name) {
            let converted = convert()
                .map_err(|error| (Some(package.as_str()), format!("convert bundle {}: {error}", Quoted(name))))?;
            model.bundles.insert(name.clone(), converted);
        }
        entries.push(Entry {
            name: name.clone(),
            replaces: edges.replaces.clone(),
            skips: edges.skips.clone(),
            skip_range: bundle.skip_range.clone().unwrap_or_default(),
        });
        Ok(())
    }

    /// The icon of a package is that of the bundle that its default channel names as its head.
    fn icons(&mut self, file: &LegacyFile, rows: &Rows) -> Result<(), LegacyError> {
        let connection = file.connect()?;
        let mut reader = Reader::new();
        let heads: HashMap<(&str, &str), Option<&str>> =
            rows.channels.iter().map(|it| ((it.package.as_str(), it.name.as_str()), it.head.as_deref())).collect();
        let mut icons = Vec::new();
        for package in self.packages.values() {
            let Some(default) = package.default_channel.as_deref() else { continue };
            let Some(head) = heads.get(&(package.name.as_str(), default)) else { continue };
            let row = head.and_then(|it| rows.bundle(it));
            let icon = match row {
                None => Err(format!(
                    "get default channel head for package {}: no entry found for {} {default}",
                    Quoted(&package.name),
                    package.name
                )),
                Some(row) => {
                    with_column(&connection, "csv", row.rowid, |bytes| service_version::icon(bytes, &mut reader))
                        .map_err(|error| LegacyError::sqlite(file.path(), &error))?
                        .map_err(|error| format!("unmarshal CSV json for bundle {}: {error}", Quoted(&row.name)))
                }
            };
            icons.push((package.name.clone(), icon));
        }
        for (name, icon) in icons {
            match icon {
                Ok(Ok(icon)) => {
                    if let Some(package) = self.packages.get_mut(&name) {
                        package.icon = icon;
                    }
                }
                Ok(Err(error)) => {
                    let message = format!("package `{name}` is converted without its icon: {error}");
                    self.findings.push(rules::UNREADABLE_ICON.finding(message).of_package(name.clone()));
                }
                Err(error) => self.problem(Some(&name), format!("populate package icons: {error}")),
            }
        }
        Ok(())
    }

    /// Reports the parts that are left out, by name.
    fn remark(&mut self, rows: &Rows, members: &BTreeMap<Membership, Edges>) {
        let in_channels: HashSet<&str> = members.keys().map(|it| it.0.as_str()).collect();
        let mut found = Vec::new();
        for bundle in &rows.bundles {
            if !in_channels.contains(bundle.name.as_str()) {
                let message = format!("bundle `{}` is in no channel", bundle.name);
                found.push(rules::STRANDED_BUNDLE.finding(message));
            }
        }
        if rows.n_nameless > 0 {
            let message = format!("{} rows of `operatorbundle` have no name", rows.n_nameless);
            found.push(rules::ROW_WITHOUT_VALUE.finding(message));
        }
        let values = Values::new(rows);
        for (name, package, channel) in members.keys() {
            if values.is_deprecated(rows, name) && rows.bundle(name).is_some() {
                let message =
                    format!("bundle `{name}` is deprecated and left out of channel `{channel}` of package `{package}`");
                found.push(rules::DEPRECATED_BUNDLE.finding(message).of_package(package.to_owned()));
            }
        }
        let mut dependent: Vec<&str> = rows.dependencies.bundles().filter(|it| in_channels.contains(it)).collect();
        dependent.sort_unstable();
        for bundle in dependent {
            for (_, kind, value) in rows.dependencies.values(bundle) {
                if kind != "olm.gvk" && kind != "olm.package" {
                    let value = value.unwrap_or_default();
                    let message = format!("bundle `{bundle}`: the dependency `{kind}` {value} is left out");
                    found.push(rules::LOST_DEPENDENCY.finding(message));
                }
            }
        }
        let tables: [(&str, Vec<&str>); 3] = [
            ("properties", rows.properties.bundles().collect()),
            ("dependencies", rows.dependencies.bundles().collect()),
            ("related_image", rows.images.keys().map(String::as_str).collect()),
        ];
        for (table, names) in tables {
            let mut orphans: Vec<&str> = names.into_iter().filter(|it| rows.bundle(it).is_none()).collect();
            orphans.sort_unstable();
            if !orphans.is_empty() {
                let message = format!("`{table}` has rows for bundles that do not exist: {}", few(&orphans));
                found.push(rules::ORPHAN_ROWS.finding(message));
            }
        }
        self.findings.extend(found);
    }
}

/// The rows of the bundles in channels, by name, each with the survey of its manifests.
fn surveys<'r>(
    file: &LegacyFile,
    rows: &'r Rows,
    valid: &[(&Membership, &Edges)],
) -> Result<HashMap<&'r str, (&'r BundleRow, Survey)>, LegacyError> {
    let mut seen: HashSet<&str> = HashSet::new();
    let names = valid.iter().map(|(member, _)| member.0.as_str()).filter(|it| seen.insert(*it));
    let order: Vec<&BundleRow> = names.filter_map(|it| rows.bundle(it)).collect();
    let surveys = survey(file, &order)?;
    Ok(order.into_iter().zip(surveys).map(|(bundle, survey)| (bundle.name.as_str(), (bundle, survey))).collect())
}

/// The first names of a long list.
pub(super) fn few(names: &[&str]) -> String {
    Listed::quoted(names).at_most(5).to_string()
}

/// A row as a bundle of a package.
fn convert(
    rows: &Rows,
    values: &Values,
    bundle: &BundleRow,
    package: &str,
    survey: Survey,
) -> Result<BundleModel, String> {
    let version = bundle.version.clone().unwrap_or_default();
    let (properties, mut complaints) = values.of_bundle(rows, &bundle.name, package, &version, survey.objects.len())?;
    if let Some(error) = &survey.broken_images {
        return Err(format!("get related iamges: {error}"));
    }
    Version::parse(&version).map_err(|error| format!("parse version {}: {error}", Quoted(&version)))?;
    let image = bundle.image.clone().unwrap_or_default();
    if bundle.name.is_empty() {
        complaints.push((31, "name must be set".to_owned()));
    }
    if image.is_empty() && survey.objects.is_empty() {
        complaints.push((33, "bundle image must be set".to_owned()));
    }
    let mut related_images = survey.images.clone();
    if let Some(images) = rows.images.get(&bundle.name) {
        let listed: HashSet<&str> = survey.images.iter().map(|(_, image)| image.as_str()).collect();
        related_images
            .extend(images.iter().filter(|it| !listed.contains(it.as_str())).map(|it| (String::new(), it.clone())));
    }
    // Equal ones stay in the order in which the real tool leaves them.
    go_sort(&mut related_images, |a, b| a.1 < b.1);
    Ok(BundleModel {
        row: rows.by_name.get(&bundle.name).copied().unwrap_or_default(),
        name: bundle.name.clone(),
        image,
        version,
        properties,
        related_images,
        survey,
        complaints,
        has_bad_json: values.has_bad_json(rows, &bundle.name),
    })
}
