//! When the bundles of a package appeared and disappeared, over catalogs in a given order.
//!
//! What it deliberately does not do: it does not know which catalog is older; the order is the caller's.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::{CatalogRank, Filter};
use crate::{Index, IndexError};
use olmdex_text::calendar::Day;
use olmdex_version::by_numbers;

/// A bundle over several catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRow {
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version, with its release if it has one.
    pub version: String,
    /// The first catalog that has it.
    pub first: String,
    /// The last catalog that has it.
    pub last: String,
    /// Whether the last catalog of all has it.
    pub is_current: bool,
    /// The catalogs that have it, in their order.
    pub catalogs: Vec<String>,
    /// The catalogs between the first and the last that do not have it.
    pub missing_in: Vec<String>,
    /// The catalogs in which it is deprecated.
    pub deprecated_in: Vec<String>,
    /// How many different contents it has under its name; a bundle should never have more than one.
    pub contents: usize,
}

/// The label of a catalog that says of which day it is: `YYYY-MM-DD`.
pub const DATE_LABEL: &str = "date";

/// The label of a catalog that says when on its day it was so: `YYYY-MM-DDTHH:MM:SSZ`. Of one day there may be several.
pub const TIME_LABEL: &str = "time";

const BUNDLES: &str = "
SELECT c.name, b.name, b.version, b.release, b.document
FROM (SELECT * FROM bundle WHERE package = ?1) b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
ORDER BY b.version_key, b.name, b.document, c.name";

pub(super) const STATEMENTS: &[(&str, &str)] = &[("history of a package", BUNDLES)];

impl Index {
    /// The names of the catalogs in the order of time: by the days and times of their labels, then those without, which are of the present, by
    /// name, with numbers by their value: `v4.9` before `v4.20`.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn catalog_names_in_time(&self) -> Result<Vec<String>, IndexError> {
        Ok(self.ranks_in_time()?.into_iter().map(|it| it.catalog).collect())
    }

    fn ranks_in_time(&self) -> Result<Vec<CatalogRank>, IndexError> {
        let mut ranks = self.catalog_ranks(&Filter::default())?;
        ranks.sort_by_cached_key(|it| {
            let label = |key: &str| it.labels.get(key).cloned();
            (label(DATE_LABEL).is_none(), label(DATE_LABEL), label(TIME_LABEL), by_numbers(&it.catalog))
        });
        Ok(ranks)
    }

    /// The name of the catalog that is meant by a name: a catalog's own, or `NAME@DAY` for what the catalog `NAME` of the past was on that day,
    /// whenever it had changed before, or `NAME` for the newest of the past. `None` if there is none.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn catalog_as_of(&self, wanted: &str) -> Result<Option<String>, IndexError> {
        let ranks = self.ranks_in_time()?;
        if ranks.iter().any(|it| it.catalog == wanted) {
            return Ok(Some(wanted.to_owned()));
        }
        let of_day = wanted.rsplit_once('@').and_then(|(name, day)| Some((name, Day::parse(day)?.to_string())));
        let (name, day) = of_day.map_or((wanted, None), |(name, day)| (name, Some(day)));
        let is_meant = |it: &&CatalogRank| {
            let is_its = it.catalog.rsplit_once('@').is_some_and(|it| it.0 == name);
            let date = it.labels.get(DATE_LABEL);
            is_its && date.is_some_and(|date| day.as_ref().is_none_or(|day| date <= day))
        };
        Ok(ranks.iter().rfind(is_meant).map(|it| it.catalog.clone()))
    }

    /// The bundles of a package by version and name, with the catalogs of `catalogs` that have them. Those without a
    /// valid version come first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn history(&self, package: &str, catalogs: &[String]) -> Result<Vec<HistoryRow>, IndexError> {
        let places: HashMap<&str, usize> = catalogs.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let deprecated =
            self.deprecated("olm.bundle", &Filter { package: Some(package.to_owned()), ..Filter::default() })?;
        let rows = self.rows(BUNDLES, [package], |row| {
            let (version, release): (String, String) = (row.get(2)?, row.get(3)?);
            let version = if release.is_empty() { version } else { format!("{version}-{release}") };
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, version, row.get::<_, i64>(4)?))
        })?;
        let mut order: Vec<(String, String)> = Vec::new();
        let mut seen: HashMap<String, (BTreeSet<usize>, BTreeSet<i64>)> = HashMap::new();
        for (catalog, bundle, version, document) in rows {
            let Some(place) = places.get(catalog.as_str()) else { continue };
            if !seen.contains_key(&bundle) {
                order.push((bundle.clone(), version));
            }
            let (held_by, contents) = seen.entry(bundle).or_default();
            held_by.insert(*place);
            contents.insert(document);
        }
        let row = |(bundle, version): (String, String)| {
            let (held_by, contents) = seen.remove(&bundle)?;
            let (first, last) = (*held_by.first()?, *held_by.last()?);
            let names = |at: &mut dyn Iterator<Item = usize>| -> Vec<String> {
                at.filter_map(|it| catalogs.get(it).cloned()).collect()
            };
            let has_catalogs = names(&mut held_by.iter().copied());
            let is_deprecated =
                |catalog: &&String| deprecated.contains_key(&((*catalog).clone(), package.to_owned(), bundle.clone()));
            Some(HistoryRow {
                package: package.to_owned(),
                version,
                first: catalogs.get(first)?.clone(),
                last: catalogs.get(last)?.clone(),
                is_current: last + 1 == catalogs.len(),
                missing_in: names(&mut (first..last).filter(|it| !held_by.contains(it))),
                deprecated_in: has_catalogs.iter().filter(is_deprecated).cloned().collect(),
                catalogs: has_catalogs,
                contents: contents.len(),
                bundle,
            })
        };
        Ok(order.into_iter().filter_map(row).collect())
    }
}
