//! The past of catalogs: their states, and the times of additions, changes and removals.
//!
//! This module knows no upgrades: an index as of a day answers what OLM would have done on that day.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Index, IndexError};
use olmdex_text::calendar::{Day, rfc3339};

/// A state of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateRow {
    /// The catalog.
    pub catalog: String,
    /// Its number, from 1.
    pub number: i64,
    /// Its name: a day, a tag, or the beginning of the commit's digest.
    pub state: String,
    /// The day of its commit: `YYYY-MM-DD`, in UTC.
    pub day: String,
    /// The moment of its commit: `YYYY-MM-DDTHH:MM:SSZ`.
    pub time: String,
    /// The commit's digest.
    pub commit: String,
    /// The first line of the commit's message.
    pub subject: String,
}

/// The kinds of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It was not there before.
    Appeared,
    /// It was another one before.
    Changed,
    /// It is not there any more.
    Vanished,
    /// Its package has errors, and is left out from here on.
    LeftOut,
    /// The repository lacks a file of its package from here on.
    Unknown,
}

impl Fate {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Appeared => "appeared",
            Self::Changed => "changed",
            Self::Vanished => "vanished",
            Self::LeftOut => "left out",
            Self::Unknown => "unknown",
        }
    }
}

/// An addition, change or removal, with its time and commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlameRow {
    /// The package.
    pub package: String,
    /// The day of the commit: `YYYY-MM-DD`, in UTC.
    pub day: String,
    /// The moment of the commit: `YYYY-MM-DDTHH:MM:SSZ`.
    pub time: String,
    /// The commit's digest.
    pub commit: String,
    /// The first line of the commit's message.
    pub subject: String,
    /// The kind of change.
    pub change: Fate,
    /// The kind of item: `package`, `channel`, `bundle`, `deprecations`, `entry` (of a bundle, in a channel), or
    /// another schema.
    pub what: String,
    /// Its name; for an entry, that of its channel.
    pub name: String,
    /// The version of a bundle; empty for anything else.
    pub version: String,
    /// The catalogs in which it was so, sorted by name.
    pub catalogs: Vec<String>,
}

/// States with their commits, which [`state_row`] reads.
macro_rules! states {
    ($rest:literal) => {
        concat!(
            "
SELECT c.name, s.number, s.name, s.time, k.digest, k.subject
FROM main.catalog c CROSS JOIN state s ON s.catalog = c.id CROSS JOIN git_commit k ON k.id = s.commit_id
",
            $rest
        )
    };
}

const STATES: &str = states!("WHERE c.name = ?1 ORDER BY s.number");

const STATE: &str = states!("WHERE c.id = ?1 AND s.number = ?2");

/// The states in which something of a package came or went.
const STATES_OF_PACKAGE: &str = states!(
    "WHERE c.name = ?1 AND s.number IN (
  SELECT p.first FROM document d CROSS JOIN past_document p ON p.document = d.id AND p.catalog = c.id WHERE d.package = ?2
  UNION SELECT p.last + 1 FROM document d CROSS JOIN past_document p ON p.document = d.id AND p.catalog = c.id WHERE d.package = ?2
  UNION SELECT first FROM past_package p WHERE p.catalog = c.id AND p.package = ?2
  UNION SELECT last + 1 FROM past_package p WHERE p.catalog = c.id AND p.package = ?2
) ORDER BY s.number"
);

const STATUS: &str = "
SELECT p.status FROM main.catalog c CROSS JOIN past_package p ON p.catalog = c.id
WHERE c.name = ?1 AND p.package = ?3 AND p.first <= ?2 AND (p.last IS NULL OR p.last >= ?2)";

const INTERVALS: &str = "
SELECT p.catalog, d.schema, d.name, coalesce(b.version, ''), p.first, p.last, d.id
FROM document d CROSS JOIN past_document p ON p.document = d.id LEFT JOIN bundle b ON b.document = d.id
WHERE d.package = ?1 AND (?2 IS NULL OR p.catalog = ?2) ORDER BY p.catalog, d.schema, d.name, p.first";

const STATUSES: &str = "
SELECT catalog, first, last, status FROM past_package WHERE package = ?1 AND status IN ('broken', 'unknown')";

const ENTRIES: &str = "
SELECT p.catalog, ch.name, p.first, p.last, e.replaces, e.skip_range,
       (SELECT group_concat(k.name, ',') FROM entry_skip k WHERE k.document = e.document AND k.entry = e.position)
FROM channel ch
CROSS JOIN entry e ON e.document = ch.document AND e.name = ?2
CROSS JOIN past_document p ON p.document = ch.document
WHERE ch.package = ?1 ORDER BY p.catalog, ch.name, p.first";

/// Bundles that came into a catalog after its first state, the last one first. The last column is 1 for a bundle that
/// was there before with other content.
const ARRIVALS: &str = "
SELECT d.package, d.name, coalesce(b.version, ''), s.time, k.digest, k.subject,
       EXISTS (
           SELECT 1 FROM document o CROSS JOIN past_document q ON q.document = o.id AND q.catalog = p.catalog
           WHERE o.package = d.package AND o.schema = d.schema AND o.name = d.name AND q.last = p.first - 1
       )
FROM main.catalog c
CROSS JOIN past_document p ON p.catalog = c.id AND p.first > 1
CROSS JOIN document d ON d.id = p.document AND d.schema = 'olm.bundle'
CROSS JOIN state s ON s.catalog = p.catalog AND s.number = p.first
CROSS JOIN git_commit k ON k.id = s.commit_id
LEFT JOIN bundle b ON b.document = d.id
WHERE c.name = ?1
ORDER BY p.first DESC, d.package, b.version_key DESC, d.name
LIMIT ?2";

/// Bundles that a catalog has lost, the last one first.
const DEPARTURES: &str = "
SELECT d.package, d.name, coalesce(b.version, ''), s.time, k.digest, k.subject, 2
FROM main.catalog c
CROSS JOIN past_document p ON p.catalog = c.id AND p.last IS NOT NULL
CROSS JOIN document d ON d.id = p.document AND d.schema = 'olm.bundle'
CROSS JOIN state s ON s.catalog = p.catalog AND s.number = p.last + 1
CROSS JOIN git_commit k ON k.id = s.commit_id
LEFT JOIN bundle b ON b.document = d.id
WHERE c.name = ?1 AND NOT EXISTS (
    SELECT 1 FROM document o CROSS JOIN past_document q ON q.document = o.id AND q.catalog = p.catalog
    WHERE o.package = d.package AND o.schema = d.schema AND o.name = d.name
      AND q.first <= p.last + 1 AND (q.last IS NULL OR q.last > p.last)
)
ORDER BY p.last DESC, d.package, b.version_key DESC, d.name
LIMIT ?2";

/// An item as it was, from one state to another one.
struct Interval {
    catalog: i64,
    what: String,
    name: String,
    version: String,
    first: i64,
    last: Option<i64>,
    /// The value that differs from that of the interval before.
    content: String,
}

/// States of all catalogs, as far as they matter.
type StatesByNumber = HashMap<(i64, i64), (i64, StateRow)>;

impl Index {
    /// The states of a catalog, the first one first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn states(&self, catalog: &str) -> Result<Vec<StateRow>, IndexError> {
        self.rows(STATES, [catalog], state_row)
    }

    /// The state of a catalog that a word names: a day stands for the state at its end; any other word is a state's
    /// name or the beginning of its commit's digest.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn state_named(&self, catalog: &str, word: &str) -> Result<Option<StateRow>, IndexError> {
        let states = self.states(catalog)?;
        if let Some(day) = Day::parse(word) {
            let until = day.to_string();
            let not_later = states.into_iter().filter(|it| it.day <= until);
            return Ok(not_later.max_by(|a, b| (&a.time, a.number).cmp(&(&b.time, b.number))));
        }
        const SHORTEST: usize = 7;
        let is_it = |it: &StateRow| it.state == word || word.len() >= SHORTEST && it.commit.starts_with(word);
        Ok(states.into_iter().rfind(is_it))
    }

    /// The states of a catalog in which something of a package came, changed or went, the first one first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn states_of_package(&self, catalog: &str, package: &str) -> Result<Vec<StateRow>, IndexError> {
        self.rows(STATES_OF_PACKAGE, [catalog, package], state_row)
    }

    /// Whether a package was valid in a state of a catalog: `valid`, `mentioned`, `broken` or `unknown`; `None` if it
    /// was not there.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_status(&self, catalog: &str, number: i64, package: &str) -> Result<Option<String>, IndexError> {
        Ok(self.rows(STATUS, params![catalog, number, package], |row| row.get(0))?.pop())
    }

    /// The additions, changes and removals in a package, with their commits; for one bundle also those of its entries
    /// in channels. They are in the order of time.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn blame(&self, package: &str, bundle: Option<&str>, catalogs: &[String]) -> Result<Vec<BlameRow>, IndexError> {
        let names: HashMap<i64, String> = self
            .rows("SELECT id, name FROM main.catalog", [], |row| Ok((row.get(0)?, row.get(1)?)))?
            .into_iter()
            .collect();
        let is_wanted =
            |catalog: i64| names.get(&catalog).is_some_and(|it| catalogs.is_empty() || catalogs.contains(it));
        // If one catalog of many is asked, the states of the others are not even read.
        let only = match catalogs {
            [only] => names.iter().find(|it| it.1 == only).map(|it| *it.0),
            _ => None,
        };
        let mut intervals = self.rows(INTERVALS, params![package, only], interval)?;
        if let Some(bundle) = bundle {
            intervals.retain(|it| it.what == "bundle" && it.name == bundle);
            intervals.extend(self.rows(ENTRIES, [package, bundle], entry_interval)?);
        }
        intervals.retain(|it| is_wanted(it.catalog));
        let left_out: Vec<(i64, i64, Option<i64>, String)> =
            self.rows(STATUSES, [package], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let status = |catalog: i64, number: i64| {
            let is_it = |it: &&(i64, i64, Option<i64>, String)| {
                it.0 == catalog && it.1 <= number && it.2.is_none_or(|last| number <= last)
            };
            left_out.iter().find(is_it).map(|it| if it.3 == "broken" { Fate::LeftOut } else { Fate::Unknown })
        };
        let states = self.states_by_number(&intervals)?;
        let mut rows: BTreeMap<(i64, String, Fate, String, String, String), BlameRow> = BTreeMap::new();
        let mut note = |it: &Interval, number: i64, change: Fate| {
            let Some((time, state)) = states.get(&(it.catalog, number)) else { return };
            let Some(catalog) = names.get(&it.catalog) else { return };
            let key = (*time, state.commit.clone(), change, it.what.clone(), it.name.clone(), it.version.clone());
            let row = rows.entry(key).or_insert_with(|| BlameRow {
                package: package.to_owned(),
                day: state.day.clone(),
                time: state.time.clone(),
                commit: state.commit.clone(),
                subject: state.subject.clone(),
                change,
                what: it.what.clone(),
                name: it.name.clone(),
                version: it.version.clone(),
                catalogs: Vec::new(),
            });
            if !row.catalogs.contains(catalog) {
                row.catalogs.push(catalog.clone());
                row.catalogs.sort();
            }
        };
        for of_one in intervals.chunk_by(|a, b| (a.catalog, &a.what, &a.name) == (b.catalog, &b.what, &b.name)) {
            for it in of_one {
                let before: Vec<&Interval> = of_one.iter().filter(|old| old.last == Some(it.first - 1)).collect();
                let is_there = of_one.iter().any(|old| {
                    old.first < it.first && old.last.is_none_or(|last| last >= it.first) && old.content == it.content
                });
                if before.is_empty() && !is_there {
                    note(it, it.first, Fate::Appeared);
                } else if !before.is_empty() && before.iter().all(|old| old.content != it.content) {
                    note(it, it.first, Fate::Changed);
                }
                let Some(end) = it.last.map(|last| last + 1) else { continue };
                let goes_on = |next: &Interval| next.first <= end && next.last.is_none_or(|last| last >= end);
                if !of_one.iter().any(goes_on) {
                    note(it, end, status(it.catalog, end).unwrap_or(Fate::Vanished));
                }
            }
        }
        Ok(rows.into_values().collect())
    }

    /// The last bundles that came into a catalog, changed in it, or left it, at most `n_most` of each, the last one
    /// first. Those of the first state were there when the past begins, and are left out.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn recent_bundles(&self, catalog: &str, n_most: usize) -> Result<Vec<BlameRow>, IndexError> {
        let row = |row: &Row<'_>| {
            let time: i64 = row.get(3)?;
            let change = match row.get(6)? {
                0 => Fate::Appeared,
                1 => Fate::Changed,
                _ => Fate::Vanished,
            };
            let row = BlameRow {
                package: row.get(0)?,
                day: Day::of_unix(time).to_string(),
                time: rfc3339(time),
                commit: row.get(4)?,
                subject: row.get(5)?,
                change,
                what: "bundle".to_owned(),
                name: row.get(1)?,
                version: row.get(2)?,
                catalogs: vec![catalog.to_owned()],
            };
            Ok((time, row))
        };
        let mut rows: Vec<(i64, BlameRow)> = self.rows(ARRIVALS, params![catalog, n_most], row)?;
        rows.extend(self.rows(DEPARTURES, params![catalog, n_most], row)?);
        rows.sort_by_key(|it| std::cmp::Reverse(it.0));
        Ok(rows.into_iter().map(|it| it.1).collect())
    }

    /// The states in which one of these begins or has ended.
    fn states_by_number(&self, intervals: &[Interval]) -> Result<StatesByNumber, IndexError> {
        let mut found = HashMap::new();
        for it in intervals {
            for number in [Some(it.first), it.last.map(|last| last + 1)].into_iter().flatten() {
                if found.contains_key(&(it.catalog, number)) {
                    continue;
                }
                let row = |row: &Row<'_>| Ok((row.get(3)?, state_row(row)?));
                for row in self.rows(STATE, params![it.catalog, number], row)? {
                    found.insert((it.catalog, number), row);
                }
            }
        }
        Ok(found)
    }
}

fn state_row(row: &Row<'_>) -> rusqlite::Result<StateRow> {
    let time: i64 = row.get(3)?;
    Ok(StateRow {
        catalog: row.get(0)?,
        number: row.get(1)?,
        state: row.get(2)?,
        day: Day::of_unix(time).to_string(),
        time: rfc3339(time),
        commit: row.get(4)?,
        subject: row.get(5)?,
    })
}

fn interval(row: &Row<'_>) -> rusqlite::Result<Interval> {
    let schema: String = row.get(1)?;
    let document: i64 = row.get(6)?;
    Ok(Interval {
        catalog: row.get(0)?,
        what: schema.strip_prefix("olm.").unwrap_or(&schema).to_owned(),
        name: row.get(2)?,
        version: row.get(3)?,
        first: row.get(4)?,
        last: row.get(5)?,
        content: document.to_string(),
    })
}

fn entry_interval(row: &Row<'_>) -> rusqlite::Result<Interval> {
    let (replaces, range, skips): (String, String, Option<String>) = (row.get(4)?, row.get(5)?, row.get(6)?);
    Ok(Interval {
        catalog: row.get(0)?,
        what: "entry".to_owned(),
        name: row.get(1)?,
        version: String::new(),
        first: row.get(2)?,
        last: row.get(3)?,
        content: format!("{replaces}\0{range}\0{}", skips.unwrap_or_default()),
    })
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("bundles that came into a catalog", ARRIVALS),
    ("bundles that a catalog has lost", DEPARTURES),
    ("states of a catalog", STATES),
    ("a state by its number", STATE),
    ("states of a package", STATES_OF_PACKAGE),
    ("intervals of documents", INTERVALS),
    ("intervals of entries", ENTRIES),
    ("packages that are left out", STATUSES),
    ("status of a package", STATUS),
];
