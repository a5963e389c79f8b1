//! The times at which the bundles of a package appeared and disappeared, over catalogs in a given order.

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
    /// Its version.
    pub version: String,
    /// Its release; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub release: String,
    /// The first catalog that has it.
    pub first: String,
    /// The last catalog that has it.
    pub last: String,
    /// Whether the last catalog of a series has it: catalogs whose names differ only in a version are one.
    pub is_current: bool,
    /// The catalogs that have it, in their order.
    pub catalogs: Vec<String>,
    /// The catalogs between the first and the last of a series that do not have it.
    pub missing_in: Vec<String>,
    /// The catalogs in which it is deprecated.
    pub deprecated_in: Vec<String>,
    /// The number of different contents that it has under its name; a bundle should never have more than one.
    pub contents: usize,
    /// The day on which it first appeared, `YYYY-MM-DD` in UTC; only in an index with a past.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_day: Option<String>,
    /// The commit by which it came first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_commit: Option<String>,
    /// The day on which the last catalog lost it; absent while one has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_day: Option<String>,
    /// The commit by which the last catalog lost it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_commit: Option<String>,
}

/// The label of a catalog with its day: `YYYY-MM-DD`.
pub const DATE_LABEL: &str = "date";

/// The label of a catalog with the time of its day at which it had this content: `YYYY-MM-DDTHH:MM:SSZ`. There may be
/// several for one day.
pub const TIME_LABEL: &str = "time";

/// The label of a catalog that says from which commit it is.
pub const COMMIT_LABEL: &str = "commit";

/// The label of a catalog with the repository's digest of its directory.
pub const TREE_LABEL: &str = "tree";

/// The label of a catalog that says which commits of its repository were read, such as `every commit of HEAD`. The next
/// reading with the same choice begins where this one ended.
pub const PAST_LABEL: &str = "past";

/// Bundles with the states from and to which catalogs had them.
const OF_STATES: &str = "
SELECT c.name, b.name, b.version, b.release, b.document, f.name, f.time, fk.digest, l.name, l.time, g.time, gk.digest, g.name
FROM (SELECT * FROM bundle WHERE package = ?1) b
CROSS JOIN past_document p ON p.document = b.document
CROSS JOIN catalog c ON c.id = p.catalog
CROSS JOIN state f ON f.catalog = p.catalog AND f.number = p.first
CROSS JOIN git_commit fk ON fk.id = f.commit_id
LEFT JOIN state l ON l.catalog = p.catalog AND l.number = p.last
LEFT JOIN state g ON g.catalog = p.catalog AND g.number = p.last + 1
LEFT JOIN git_commit gk ON gk.id = g.commit_id
ORDER BY b.version_key, b.name, f.time, c.name";

/// Bundles of catalogs that have no states.
const WITHOUT_STATES: &str = "
SELECT c.name, b.name, b.version, b.release, b.document
FROM (SELECT * FROM bundle WHERE package = ?1) b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE NOT EXISTS (SELECT 1 FROM state s WHERE s.catalog = c.id)
ORDER BY b.version_key, b.name, c.name";

const BUNDLES: &str = "
SELECT c.name, b.name, b.version, b.release, b.document
FROM (SELECT * FROM bundle WHERE package = ?1) b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
ORDER BY b.version_key, b.name, b.document, c.name";

/// A bundle from one state of a catalog to another one.
struct BundleSpan {
    catalog: String,
    bundle: String,
    version: String,
    release: String,
    document: i64,
    /// The first state, its time and its commit; none of a catalog without states.
    first: Option<(String, i64, String)>,
    /// The last state and its time; `None` if the bundle is still there.
    last: Option<(String, i64)>,
    gone: Option<(i64, String, String)>,
}

impl HistoryRow {
    /// The common fate of versions that catalogs took up and dropped together.
    pub fn fate(&self) -> impl PartialEq + '_ {
        (&self.first, &self.last, self.is_current, &self.catalogs, &self.missing_in, &self.deprecated_in)
    }
}

impl Index {
    /// The names of the catalogs in the order of time: by the days and times of their labels, then those without, which
    /// are of the present, by name, with numbers by their value: `v4.9` before `v4.20`.
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

    /// The name of the catalog that a name means: a catalog's own; or `NAME@DAY` for the catalog `NAME` of the past on
    /// that day, even if it last changed before; or `NAME` for the newest of the past. `None` if there is none.
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
        if self.has_states()? {
            let rows = self.history_of_states(package, catalogs)?;
            if !rows.is_empty() {
                return Ok(rows);
            }
        }
        let places: HashMap<&str, usize> = catalogs.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let deprecated = self.deprecated("olm.bundle", &Filter::of_package(package))?;
        let rows = self.rows(BUNDLES, [package], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, (row.get(2)?, row.get(3)?), row.get::<_, i64>(4)?))
        })?;
        let mut order: Vec<(String, (String, String))> = Vec::new();
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
        let all_series = series(catalogs);
        let row = |(bundle, (version, release)): (String, (String, String))| {
            let (held_by, contents) = seen.remove(&bundle)?;
            let (first, last) = (*held_by.first()?, *held_by.last()?);
            let is_current = all_series.iter().any(|series| series.last().is_some_and(|last| held_by.contains(last)));
            let missing: BTreeSet<usize> = all_series.iter().flat_map(|series| gaps(series, &held_by)).collect();
            let names = |at: &mut dyn Iterator<Item = usize>| -> Vec<String> {
                at.filter_map(|it| catalogs.get(it).cloned()).collect()
            };
            let has_catalogs = names(&mut held_by.iter().copied());
            let is_deprecated =
                |catalog: &&String| deprecated.contains_key(&((*catalog).clone(), package.to_owned(), bundle.clone()));
            Some(HistoryRow {
                package: package.to_owned(),
                version,
                release,
                first: catalogs.get(first)?.clone(),
                last: catalogs.get(last)?.clone(),
                is_current,
                missing_in: names(&mut missing.into_iter()),
                deprecated_in: has_catalogs.iter().filter(is_deprecated).cloned().collect(),
                catalogs: has_catalogs,
                contents: contents.len(),
                bundle,
                first_day: None,
                first_commit: None,
                gone_day: None,
                gone_commit: None,
            })
        };
        Ok(order.into_iter().filter_map(row).collect())
    }

    /// The history of a package whose catalogs have states.
    fn history_of_states(&self, package: &str, catalogs: &[String]) -> Result<Vec<HistoryRow>, IndexError> {
        let all = self.rows(OF_STATES, [package], |row| {
            let last: Option<String> = row.get(8)?;
            let gone: Option<i64> = row.get(10)?;
            Ok(BundleSpan {
                catalog: row.get(0)?,
                bundle: row.get(1)?,
                version: row.get(2)?,
                release: row.get(3)?,
                document: row.get(4)?,
                first: Some((row.get(5)?, row.get(6)?, row.get(7)?)),
                last: last.map(|it| Ok::<_, rusqlite::Error>((it, row.get(9)?))).transpose()?,
                gone: gone.map(|it| Ok::<_, rusqlite::Error>((it, row.get(11)?, row.get(12)?))).transpose()?,
            })
        })?;
        let present = self.rows(WITHOUT_STATES, [package], |row| {
            let (catalog, bundle, document) = (row.get(0)?, row.get(1)?, row.get(4)?);
            let (version, release) = (row.get(2)?, row.get(3)?);
            Ok(BundleSpan { catalog, bundle, version, release, document, first: None, last: None, gone: None })
        })?;
        let deprecated = self.deprecated("olm.bundle", &Filter::of_package(package))?;
        let mut order: Vec<String> = Vec::new();
        let mut of_bundles: HashMap<String, Vec<BundleSpan>> = HashMap::new();
        for it in all.into_iter().chain(present).filter(|it| catalogs.contains(&it.catalog)) {
            let spans = of_bundles.entry(it.bundle.clone()).or_default();
            if spans.is_empty() {
                order.push(it.bundle.clone());
            }
            spans.push(it);
        }
        let mut rows = Vec::new();
        for bundle in order {
            let spans = of_bundles.remove(&bundle).unwrap_or_default();
            let is_deprecated =
                |it: &&String| deprecated.contains_key(&((*it).clone(), package.to_owned(), bundle.clone()));
            rows.extend(row_of_states(package, &bundle, &spans, catalogs, is_deprecated));
        }
        Ok(rows)
    }
}

/// The places of catalogs that follow each other: those with a version in their names, such as `community-v4.20`,
/// follow those of the same words, and all others each other.
fn series(catalogs: &[String]) -> Vec<Vec<usize>> {
    let mut all: Vec<(String, Vec<usize>)> = Vec::new();
    for (place, name) in catalogs.iter().enumerate() {
        let is_digit = |c: char| c.is_ascii_digit();
        let has_version = name
            .split('.')
            .collect::<Vec<_>>()
            .windows(2)
            .any(|it| it[0].ends_with(is_digit) && it[1].starts_with(is_digit));
        let words = if has_version { name.replace(is_digit, "") } else { String::new() };
        match all.iter_mut().find(|it| it.0 == words) {
            Some((_, places)) => places.push(place),
            None => all.push((words, vec![place])),
        }
    }
    all.into_iter().map(|it| it.1).collect()
}

/// The places between the first and the last held one of a series that are not held.
fn gaps(series: &[usize], held_by: &BTreeSet<usize>) -> Vec<usize> {
    let held = |place: &usize| held_by.contains(place);
    let (Some(first), Some(last)) = (series.iter().position(held), series.iter().rposition(held)) else {
        return Vec::new();
    };
    series[first..last].iter().copied().filter(|place| !held(place)).collect()
}

/// The row of a bundle from the times in which catalogs held it, in the order of time.
fn row_of_states(
    package: &str,
    bundle: &str,
    spans: &[BundleSpan],
    catalogs: &[String],
    is_deprecated: impl Fn(&&String) -> bool,
) -> Option<HistoryRow> {
    let time = |it: &BundleSpan| it.first.as_ref().map_or(i64::MAX, |it| it.1);
    let first = spans.iter().min_by_key(|it| time(it))?;
    // The present comes after all of the past, and catalogs without a day come after that.
    let now = spans.iter().filter(|it| it.last.is_none()).max_by_key(|it| it.first.is_none());
    let last = spans.iter().max_by_key(|it| it.last.as_ref().map(|it| it.1))?;
    let gone = spans.iter().filter_map(|it| it.gone.as_ref()).max().filter(|_| now.is_none());
    let comes_back = |it: &&BundleSpan| {
        let Some((gone, _, state)) = &it.gone else { return false };
        let of_same = spans.iter().filter(|next| next.catalog == it.catalog);
        let begins: Vec<(&str, i64)> =
            of_same.filter_map(|it| it.first.as_ref().map(|it| (it.0.as_str(), it.1))).collect();
        begins.iter().all(|it| it.0 != state) && begins.iter().any(|it| it.1 > *gone)
    };
    let has: Vec<String> =
        catalogs.iter().filter(|name| spans.iter().any(|it| it.catalog == **name)).cloned().collect();
    let state = |catalog: &str, state: &str| format!("{catalog}@{state}");
    Some(HistoryRow {
        package: package.to_owned(),
        bundle: bundle.to_owned(),
        version: first.version.clone(),
        release: first.release.clone(),
        first: first.first.as_ref().map_or_else(|| first.catalog.clone(), |it| state(&first.catalog, &it.0)),
        last: match (now, &last.last) {
            (None, Some((name, _))) => state(&last.catalog, name),
            (now, _) => now.unwrap_or(last).catalog.clone(),
        },
        is_current: now.is_some(),
        missing_in: spans
            .iter()
            .filter(comes_back)
            .filter_map(|it| Some(state(&it.catalog, &it.gone.as_ref()?.2)))
            .collect(),
        deprecated_in: has.iter().filter(is_deprecated).cloned().collect(),
        catalogs: has,
        contents: spans.iter().map(|it| it.document).collect::<BTreeSet<_>>().len(),
        first_day: first.first.as_ref().map(|it| Day::of_unix(it.1).to_string()),
        first_commit: first.first.as_ref().map(|it| it.2.clone()),
        gone_day: gone.map(|it| Day::of_unix(it.0).to_string()),
        gone_commit: gone.map(|it| it.1.clone()),
    })
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("history of a package", BUNDLES),
    ("history of a package over states", OF_STATES),
    ("history without states", WITHOUT_STATES),
];
