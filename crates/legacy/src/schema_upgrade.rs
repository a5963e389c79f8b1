//! Bringing the rows of an older schema forward, in memory.
//!
//! There are two ways: [`Fidelity::Kept`] keeps the content of the file and fills in facts that the schema could not
//! hold from the ClusterServiceVersions, as the migrations of the real tool were meant to; [`Fidelity::Opm`] gives the
//! real result of those migrations, losses and failures included (`docs/behaviour/legacy-index.md` 1.5 and 1.6). From
//! schema 9 on both are the same.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::Connection;

use super::cells::{each, text, with_column};
use super::error::LegacyError;
use super::file::{Claim, LegacyFile};
use super::rows::{Attached, Rows};
use super::{rules, service_version};
use olmdex_base::diag::Finding;
use olmdex_fbc::Api;
use olmdex_text::json::{Kind, Reader, Tree, Value};

/// Whether a file below schema 9 is read right, or as the real tool reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fidelity {
    /// Data that the real tool's migrations lose or corrupt is kept.
    #[default]
    Kept,
    /// The same result as the real tool's, its refusals included.
    Opm,
}

/// The first schema whose rows need no completion.
const WHOLE: i64 = 9;

/// Brings rows forward. Findings report the values that were filled in.
pub(super) fn forward(
    file: &LegacyFile,
    rows: &mut Rows,
    fidelity: Fidelity,
    findings: &mut Vec<Finding>,
) -> Result<(), LegacyError> {
    match fidelity {
        Fidelity::Opm => {
            let refused = |text: String| LegacyError::Inconvertible { path: file.path().to_owned(), text };
            let claim = opm_claim(file).map_err(refused)?;
            if let Some(text) = opm_refusal(file, has_references(rows), claim) {
                return Err(refused(text));
            }
            if claim < WHOLE {
                migrate_as_opm(file, rows, claim)?;
            }
        }
        Fidelity::Kept => {
            if file.schema() < WHOLE || !file.has_table("properties") || !file.has_table("dependencies") {
                keep(file, rows, findings)?;
            }
        }
    }
    Ok(())
}

/// The reason why the real tool cannot read a file, in its words, if it cannot. `has_references`: whether any row
/// refers to another.
pub(super) fn opm_failure(file: &LegacyFile, has_references: bool) -> Option<String> {
    match opm_claim(file) {
        Ok(claim) => opm_refusal(file, has_references, claim),
        Err(text) => Some(text),
    }
}

fn opm_claim(file: &LegacyFile) -> Result<i64, String> {
    match file.claim() {
        Claim::Number(number) => Ok(*number),
        Claim::None => Ok(-1),
        Claim::Text(found) => Err(format!(
            "sql: Scan error on column index 0, name \"version\": converting driver.Value type string ({}) to a int: \
             invalid syntax",
            olmdex_version::Quoted(found)
        )),
    }
}

/// The point at which the real tool's migrations stop, or its queries if the schema is not the one that the file
/// claims.
fn opm_refusal(file: &LegacyFile, has_references: bool, claim: i64) -> Option<String> {
    let will_run = |migration: i64| claim < migration;
    let added = [(2, "bundlepath"), (5, "skiprange"), (7, "replaces"), (11, "substitutesfor")];
    for (migration, column) in added {
        if migration > 4 && will_run(4) && has_references {
            return Some("FOREIGN KEY constraint failed".to_owned());
        }
        if will_run(migration) && file.has_column("operatorbundle", column) {
            return Some(format!("duplicate column name: {column}"));
        }
    }
    for (migration, table) in [(1, "related_image"), (8, "dependencies"), (9, "properties")] {
        if !will_run(migration) && !file.has_table(table) {
            return Some(format!("no such table: {table}"));
        }
    }
    for (migration, column) in [(2, "bundlepath"), (5, "skiprange"), (5, "version")] {
        if !will_run(migration) && !file.has_column("operatorbundle", column) {
            return Some(format!("no such column: operatorbundle.{column}"));
        }
    }
    None
}

/// Whether any row refers to another one, which makes the fourth migration fail.
pub(super) fn has_references(rows: &Rows) -> bool {
    !rows.channels.is_empty() || !rows.entries.is_empty() || !rows.images.is_empty()
}

fn migrate_as_opm(file: &LegacyFile, rows: &mut Rows, claim: i64) -> Result<(), LegacyError> {
    let provided = apis(file, rows, "api_provider")?;
    if claim < 8 {
        let required = apis(file, rows, "api_requirer")?;
        for (bundle, api) in &required {
            rows.dependencies.add(bundle, Some("olm.gvk".to_owned()), Some(gvk(api)));
        }
    }
    // One statement was to strip a key from every value, and gives every row the value of the first.
    let first = first_dependency(file, rows, claim)?;
    let dependencies = std::mem::take(&mut rows.dependencies);
    rows.dependencies = dependencies.map(|_, _| first.clone());
    let bundles: BTreeSet<&String> = provided.iter().map(|(bundle, _)| bundle).collect();
    for bundle in bundles {
        let package = rows.entries.iter().find(|it| it.bundle.as_deref() == Some(bundle.as_str()));
        let package = package.and_then(|it| it.package.clone()).unwrap_or_default();
        let version = rows.bundle(bundle).and_then(|it| it.version.clone()).unwrap_or_default();
        let value = package_property(&package, &version);
        rows.properties.add(bundle, Some("olm.package".to_owned()), Some(value));
    }
    for (bundle, api) in &provided {
        rows.properties.add(bundle, Some("olm.gvk".to_owned()), Some(gvk(api)));
    }
    Ok(())
}

/// The value of the file's first dependency, without its type.
fn first_dependency(file: &LegacyFile, rows: &Rows, claim: i64) -> Result<Option<String>, LegacyError> {
    if claim < 8 {
        // The rows were made a moment ago; in the real tool their order is chance.
        return Ok(rows.dependencies.pool.first().and_then(|(_, value)| value.clone()));
    }
    let connection = file.connect()?;
    let mut first = None;
    let sql = "SELECT value FROM dependencies ORDER BY rowid LIMIT 1";
    let read = each(&connection, sql, |row| {
        first = text(row, 0)?;
        Ok(())
    });
    read.map_err(|error| LegacyError::sqlite(file.path(), &error))?;
    Ok(first.map(|it| without_type(&it)))
}

/// A JSON object without its member `type`; any other value as it is.
fn without_type(value: &str) -> String {
    let mut reader = Reader::new();
    let Ok(object) = reader.read(value) else { return value.to_owned() };
    if object.kind() != Kind::Object || object.get("type").is_none() {
        return value.to_owned();
    }
    let raw = |member: Value<'_>| Tree::Raw(value[member.offset()..member.end()].to_owned());
    let members = object.members().map(|(key, member)| (key.as_str().unwrap_or_default().into_owned(), raw(member)));
    Tree::Object(members.filter(|(key, _)| key != "type").collect()).compact()
}

/// The value of an API, as every release writes it.
pub(super) fn gvk(Api { group, version, kind }: &Api) -> String {
    let object = Tree::object().with("group", Tree::html(group)).with("kind", Tree::html(kind));
    object.with("version", Tree::html(version)).compact()
}

/// The value of a bundle's own package or of a dependency on one, as every release writes it.
pub(super) fn package_property(package: &str, version: &str) -> String {
    Tree::object().with("packageName", Tree::html(package)).with("version", Tree::html(version)).compact()
}

/// The APIs in one of the two tables with their bundles, in the order of the rows. Up to schema 5 they hang at entries
/// of channels.
fn apis(file: &LegacyFile, rows: &Rows, table: &str) -> Result<Vec<(String, Api)>, LegacyError> {
    let mut found = Vec::new();
    let mut seen: HashSet<(String, Api)> = HashSet::new();
    let by_bundle = file.has_column(table, "operatorbundle_name");
    let by_entry = file.has_column(table, "channel_entry_id");
    if !by_bundle && !by_entry {
        return Ok(found);
    }
    let key = if by_bundle { "operatorbundle_name" } else { "channel_entry_id" };
    let bundle_of: HashMap<String, &str> =
        rows.entries.iter().filter_map(|it| Some((it.id.to_string(), it.bundle.as_deref()?))).collect();
    let connection = file.connect()?;
    let sql = format!("SELECT {key}, group_name, version, kind FROM {table} ORDER BY rowid");
    let read = each(&connection, &sql, |row| {
        let (Some(key), Some(group), Some(version), Some(kind)) =
            (text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?)
        else {
            return Ok(());
        };
        let bundle = if by_bundle { Some(key.as_str()) } else { bundle_of.get(&key).copied() };
        if let Some(bundle) = bundle {
            let item = (bundle.to_owned(), Api { group, version, kind });
            if seen.insert(item.clone()) {
                found.push(item);
            }
        }
        Ok(())
    });
    read.map_err(|error| LegacyError::sqlite(file.path(), &error))?;
    Ok(found)
}

/// Does what the migrations were meant to do.
fn keep(file: &LegacyFile, rows: &mut Rows, findings: &mut Vec<Finding>) -> Result<(), LegacyError> {
    let connection = file.connect()?;
    let n_filled = fill_bundles(file, rows, &connection)?;
    if n_filled > 0 {
        let message = format!("{n_filled} bundles take their version, skipRange or images from their manifests");
        findings.push(rules::FILLED_FROM_MANIFESTS.finding(message));
    }
    let n_before = rows.dependencies.pool.len();
    let dependencies: Attached = std::mem::take(&mut rows.dependencies);
    rows.dependencies = dependencies.map(|_, value| value.map(|it| without_type(&it)));
    if !file.has_table("properties") {
        for (bundle, api) in apis(file, rows, "api_provider")? {
            rows.properties.add(&bundle, Some("olm.gvk".to_owned()), Some(gvk(&api)));
        }
    }
    for (bundle, api) in apis(file, rows, "api_requirer")? {
        rows.dependencies.add(&bundle, Some("olm.gvk".to_owned()), Some(gvk(&api)));
    }
    let n_dependencies = rows.dependencies.pool.len();
    if n_dependencies > 1 {
        let message = format!(
            "the file has {n_dependencies} different dependencies ({} of them from its table of required APIs); opm would \
             give every one of them the value of the first",
            n_dependencies.saturating_sub(n_before)
        );
        findings.push(rules::OPM_WOULD_LOSE.finding(message));
    }
    Ok(())
}

/// Fills in values that the row of a bundle lacks from its ClusterServiceVersion. Returns the number of bundles that
/// lacked some.
fn fill_bundles(file: &LegacyFile, rows: &mut Rows, connection: &Connection) -> Result<usize, LegacyError> {
    let needs_requirers = !file.has_table("api_requirer") && !file.has_table("dependencies");
    let needs_images = !file.has_table("related_image");
    let mut reader = Reader::new();
    let mut n_filled = 0;
    for idx in 0..rows.bundles.len() {
        let bundle = &rows.bundles[idx];
        let is_whole = bundle.version.is_some() && bundle.skip_range.is_some();
        if bundle.image.is_none() {
            rows.bundles[idx].image = Some(String::new());
        }
        if is_whole && !needs_requirers && !needs_images {
            continue;
        }
        let (rowid, name) = (rows.bundles[idx].rowid, rows.bundles[idx].name.clone());
        let facts = with_column(connection, "csv", rowid, |bytes| service_version::facts(bytes, &mut reader));
        let Some(facts) = facts.map_err(|error| LegacyError::sqlite(file.path(), &error))? else { continue };
        n_filled += 1;
        let bundle = &mut rows.bundles[idx];
        bundle.version.get_or_insert(facts.version);
        bundle.skip_range.get_or_insert(facts.skip_range);
        if needs_requirers {
            for api in facts.required {
                rows.dependencies.add(&name, Some("olm.gvk".to_owned()), Some(gvk(&api)));
            }
        }
        if needs_images {
            rows.images.entry(name).or_default().extend(facts.images);
        }
    }
    Ok(n_filled)
}
