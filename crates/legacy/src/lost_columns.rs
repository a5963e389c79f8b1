//! The columns of a file that file-based blobs cannot hold, so that a migration loses them.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::catalog::LegacyCatalog;
use super::cells::text;
use super::package::PackageModel;
use super::rows::Rows;
use super::rules;
use olmdex_base::diag::Finding;
use olmdex_text::json::Reader;

const DEPRECATED: &str = "olm.deprecated";
const PACKAGE: &str = "olm.package";

/// The findings about the packages that can be converted.
pub(super) fn lost_columns(catalog: &LegacyCatalog, connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    let rows = &catalog.model.rows;
    let column = |name: &'static str| if catalog.file().has_column("operatorbundle", name) { name } else { "NULL" };
    let sql = format!(
        "SELECT {}, {}, {} FROM operatorbundle WHERE rowid = ?1",
        column("replaces"),
        column("skips"),
        column("substitutesfor")
    );
    let mut statement = connection.prepare(&sql)?;
    let mut findings = Vec::new();
    let sound: BTreeSet<&str> = catalog.sound_packages().into_iter().collect();
    for package in catalog.model.packages.values().filter(|it| sound.contains(it.name.as_str())) {
        for (name, bundle) in &package.bundles {
            let Some(row) = rows.bundles.get(bundle.row) else { continue };
            let cells: [Option<String>; 3] =
                statement.query_row([row.rowid], |it| Ok([text(it, 0)?, text(it, 1)?, text(it, 2)?]))?;
            let [replaces, skips, substitutes] = cells.map(Option::unwrap_or_default);
            let mut say = |message: String| {
                findings.push(rules::LOST_COLUMN.finding(message).of_package(package.name.clone()));
            };
            if !substitutes.is_empty() {
                say(format!("bundle `{name}`: its `substitutesfor` `{substitutes}` is lost"));
            }
            // Manifests hold the data that these columns were made of.
            if row.n_manifests == 0 {
                let kept = edges(package, name);
                let named: BTreeSet<&str> = replaces.split(',').chain(skips.split(',')).collect();
                for other in named.into_iter().filter(|it| !it.is_empty() && !kept.contains(it)) {
                    say(format!("bundle `{name}`: `{other}` in its columns `replaces` or `skips` is lost"));
                }
            }
            if has_other_version(rows, name, &bundle.version) {
                let version = &bundle.version;
                say(format!(
                    "bundle `{name}`: the version `{version}` in its column is lost, as a property has another version"
                ));
            }
        }
    }
    for name in rows.deprecated.iter().filter(|name| rows.properties.values(name).all(|it| it.1 != DEPRECATED)) {
        let message = format!("the entry for `{name}` in the table of deprecated bundles is lost");
        findings.push(rules::LOST_COLUMN.finding(message));
    }
    Ok(findings)
}

/// The bundles that the entries of a bundle replace and skip, in any channel.
fn edges<'p>(package: &'p PackageModel, bundle: &str) -> BTreeSet<&'p str> {
    let entries = package.channels.values().flatten().filter(|it| it.name == bundle);
    let of_entry = entries.flat_map(|it| std::iter::once(&it.replaces).chain(&it.skips));
    of_entry.map(String::as_str).collect()
}

/// Whether properties state versions, and none of them the one of the column.
fn has_other_version(rows: &Rows, bundle: &str, version: &str) -> bool {
    let mut reader = Reader::new();
    let mut stated = rows.properties.values(bundle).filter(|it| it.1 == PACKAGE).peekable();
    stated.peek().is_some()
        && stated.all(|(_, _, value)| {
            let value = value.map(|it| it.to_string()).unwrap_or_default();
            let of_property = reader.read(&value).ok().and_then(|it| it.get("version")).and_then(|it| it.as_str());
            of_property.is_none_or(|it| it != version)
        })
}
