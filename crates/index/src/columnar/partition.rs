//! Catalogs by month: the bundles of each month, its events, and the findings.
//!
//! The names of directories are those that Hive gave partitions, so that engines read catalog and month from them, and
//! do not open files of other months. A past month changes only if one of its bundles is removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use rusqlite::Row;

use super::columns::{Field, Kind, Value};
use super::error::ColumnarError;
use super::table::{Layout, Table};
use crate::Index;
use crate::query::{BlameRow, Filter};
use olmdex_base::diag::Finding;
use olmdex_base::file::NewDirectory;
use olmdex_text::calendar::Day;
use olmdex_text::encoding::percent;

/// Rows of a group: few enough that an engine which looks for one package skips most groups.
const MAX_ROWS: usize = 10_000;

/// The month of rows without one, as engines understand it.
const NO_MONTH: &str = "__HIVE_DEFAULT_PARTITION__";

const CATALOGS: &str = "SELECT id, name FROM main.catalog ORDER BY name";

/// The packages that a catalog ever had a part of.
const PACKAGES: &str = "SELECT DISTINCT package FROM past_package WHERE catalog = ?1 ORDER BY package";

const NEWEST_STATE: &str = "SELECT max(time) FROM state WHERE catalog = ?1";

/// The bundles that a catalog has, or ever had if it has states, in the order of months, packages and versions.
const BUNDLES: &str = "
WITH held AS (
    SELECT p.document, p.first, p.last FROM past_document p WHERE p.catalog = ?1
    UNION ALL
    SELECT cd.document, NULL, NULL FROM catalog_document cd
    WHERE cd.catalog = ?1 AND NOT EXISTS (SELECT 1 FROM state s WHERE s.catalog = ?1)
), dated AS (
    SELECT h.document, f.time AS came, g.time AS went, h.last IS NULL AS is_current,
           CASE
               WHEN f.time IS NOT NULL THEN strftime('%Y-%m', f.time, 'unixepoch')
               WHEN b.created_at GLOB '[12][0-9][0-9][0-9]-0[1-9]-[0-3][0-9]*' THEN substr(b.created_at, 1, 7)
               WHEN b.created_at GLOB '[12][0-9][0-9][0-9]-1[0-2]-[0-3][0-9]*' THEN substr(b.created_at, 1, 7)
           END AS month
    FROM held h
    JOIN bundle b ON b.document = h.document
    LEFT JOIN state f ON f.catalog = ?1 AND f.number = h.first
    LEFT JOIN state g ON g.catalog = ?1 AND g.number = h.last + 1
)
SELECT d.month, b.package, b.name, b.version, b.version_key, i.reference, b.created_at, d.came, d.went, d.is_current,
       b.display_name, b.provider, b.maturity, b.capability_level, b.min_kube_version, b.openshift_versions,
       b.max_openshift_version, b.repository, b.support,
       (SELECT json_group_array(reference) FROM (
           SELECT DISTINCT x.reference FROM related_image r JOIN image x ON x.id = r.image
           WHERE r.document = d.document AND x.reference != '' ORDER BY x.reference))
FROM dated d
JOIN bundle b ON b.document = d.document
LEFT JOIN image i ON i.id = b.image
ORDER BY d.month, b.package, b.version_key, b.name, d.came, d.document";

fn fields(columns: &[(&str, Kind)]) -> Vec<Field> {
    columns.iter().map(|(name, kind)| Field { name: (*name).to_owned(), kind: *kind }).collect()
}

/// Columns of `bundles.parquet`: sorted by package, version and name.
const OF_BUNDLES: &[(&str, Kind)] = &[
    ("package", Kind::Text),
    ("version_key", Kind::Bytes),
    ("bundle", Kind::Text),
    ("version", Kind::Text),
    ("image", Kind::Text),
    ("images", Kind::Texts),
    ("channels", Kind::Texts),
    ("deprecation", Kind::Text),
    ("created", Kind::Day),
    ("first_day", Kind::Day),
    ("gone_day", Kind::Day),
    ("is_current", Kind::Flag),
    ("display_name", Kind::Text),
    ("provider", Kind::Text),
    ("maturity", Kind::Text),
    ("capability_level", Kind::Text),
    ("min_kube_version", Kind::Text),
    ("openshift_versions", Kind::Text),
    ("max_openshift_version", Kind::Text),
    ("repository", Kind::Text),
    ("support", Kind::Text),
];

/// Columns of `history.parquet`: sorted by day, package, kind and name.
const OF_HISTORY: &[(&str, Kind)] = &[
    ("day", Kind::Day),
    ("package", Kind::Text),
    ("what", Kind::Text),
    ("name", Kind::Text),
    ("version", Kind::Text),
    ("change", Kind::Text),
    ("commit", Kind::Text),
    ("subject", Kind::Text),
];

/// Columns of `findings.parquet`: sorted by package, rule and place.
const OF_FINDINGS: &[(&str, Kind)] = &[
    ("package", Kind::Text),
    ("rule", Kind::Text),
    ("file", Kind::Text),
    ("line", Kind::Integer),
    ("column", Kind::Integer),
    ("message", Kind::Text),
    ("name", Kind::Text),
    ("severity", Kind::Text),
    ("help", Kind::Text),
];

/// Writes all catalogs. How many months of them there are.
pub(super) fn write_catalogs<E: From<ColumnarError>>(
    index: &Index,
    directory: &mut NewDirectory,
    mut findings: impl FnMut(&str) -> Result<Vec<Finding>, E>,
) -> Result<usize, E> {
    let catalogs: Vec<(i64, String)> =
        index.rows(CATALOGS, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(ColumnarError::from)?;
    let mut n_months = 0;
    for (id, name) in catalogs {
        let found = findings(&name)?;
        n_months += Catalog { index, id, name: &name }.write(directory, found)?;
    }
    Ok(n_months)
}

/// A catalog that is written.
struct Catalog<'i> {
    index: &'i Index,
    id: i64,
    name: &'i str,
}

impl Catalog<'_> {
    fn write(&self, directory: &mut NewDirectory, findings: Vec<Finding>) -> Result<usize, ColumnarError> {
        let [of_bundles, of_history, of_findings] = [OF_BUNDLES, OF_HISTORY, OF_FINDINGS].map(fields);
        let layout = |name, fields, sorted_by| Layout { name, fields, sorted_by, max_rows: MAX_ROWS };
        let of_bundles = layout("bundles", &of_bundles, &[0, 1, 2]);
        let of_history = layout("history", &of_history, &[0, 1, 2, 3]);
        let of_findings = layout("findings", &of_findings, &[0, 1, 2, 3]);
        let mut months = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
        let newest = self.write_bundles(directory, &of_bundles, &mut months[0])?;
        self.write_history(directory, &of_history, &mut months[1])?;
        let states: Vec<Option<i64>> = self.index.rows(NEWEST_STATE, [self.id], |row| row.get(0))?;
        let newest = match states.first().copied().flatten() {
            Some(time) => month_of(Day::of_unix(time)),
            None => newest.unwrap_or_else(|| NO_MONTH.to_owned()),
        };
        self.write_findings(directory, &of_findings, &newest, findings)?;
        months[2].insert(newest);
        // Each month has all three, so that a pattern of names finds something wherever one is asked about.
        let all: BTreeSet<String> = months.iter().flatten().cloned().collect();
        for (layout, written) in [of_bundles, of_history, of_findings].iter().zip(&months) {
            for month in all.difference(written) {
                Table::begin(directory, self.path(month, layout.name), layout)?.finish()?;
            }
        }
        Ok(all.len())
    }

    /// The file of a month. A catalog's name cannot point to another directory: characters that are not plain are
    /// written as `%` and their number.
    fn path(&self, month: &str, name: &str) -> PathBuf {
        let catalog = match self.name {
            "" => NO_MONTH.to_owned(),
            name => percent::encoded(name, percent::RESERVED),
        };
        PathBuf::from(format!("catalog={catalog}/month={month}/{name}.parquet"))
    }

    /// Writes bundles, month by month. The newest month.
    fn write_bundles(
        &self,
        directory: &mut NewDirectory,
        layout: &Layout<'_>,
        months: &mut BTreeSet<String>,
    ) -> Result<Option<String>, ColumnarError> {
        let mut current: HashMap<String, HashMap<String, Current>> = HashMap::new();
        for it in self.index.bundles(&Filter::of_catalog(self.name))? {
            current.entry(it.package).or_default().insert(it.bundle, (it.channels, it.deprecation));
        }
        let mut statement =
            self.index.connection().prepare(BUNDLES).map_err(|it| ColumnarError::Index(self.index.failed(&it)))?;
        let failed = |error: rusqlite::Error| ColumnarError::Index(self.index.failed(&error));
        let mut rows = statement.query([self.id]).map_err(failed)?;
        let mut next = rows.next().map_err(failed)?.map(BundleOfMonth::read).transpose().map_err(failed)?;
        let mut newest = None;
        while let Some(first) = next.take() {
            let month = first.month.clone();
            let name = month.clone().unwrap_or_else(|| NO_MONTH.to_owned());
            let mut table = Table::begin(directory, self.path(&name, layout.name), layout)?;
            let mut one = Some(first);
            while let Some(bundle) = one.take() {
                let of_package = current.get(&bundle.package).filter(|_| bundle.is_current);
                let known = of_package.and_then(|it| it.get(&bundle.bundle));
                table.push(bundle.values(known).into_iter())?;
                match rows.next().map_err(failed)?.map(BundleOfMonth::read).transpose().map_err(failed)? {
                    Some(it) if it.month == month => one = Some(it),
                    other => next = other,
                }
            }
            table.finish()?;
            months.insert(name);
            newest = newest.max(month);
        }
        Ok(newest)
    }

    fn write_history(
        &self,
        directory: &mut NewDirectory,
        layout: &Layout<'_>,
        months: &mut BTreeSet<String>,
    ) -> Result<(), ColumnarError> {
        let packages: Vec<String> = self.index.rows(PACKAGES, [self.id], |row| row.get(0))?;
        let mut by_month: BTreeMap<String, Vec<BlameRow>> = BTreeMap::new();
        for package in packages {
            for row in self.index.blame(&package, None, std::slice::from_ref(&self.name.to_owned()))? {
                let month = row.day.get(..7).unwrap_or(NO_MONTH).to_owned();
                by_month.entry(month).or_default().push(row);
            }
        }
        for (month, mut rows) in by_month {
            let key =
                |it: &BlameRow| (it.day.clone(), it.package.clone(), it.what.clone(), it.name.clone(), it.time.clone());
            rows.sort_by_cached_key(key);
            let mut table = Table::begin(directory, self.path(&month, layout.name), layout)?;
            for it in &rows {
                let texts = [&it.package, &it.what, &it.name].map(|it| Value::Text(it));
                let version = if it.version.is_empty() { Value::Null } else { Value::Text(&it.version) };
                let rest = [version, Value::Text(it.change.word()), Value::Text(&it.commit), Value::Text(&it.subject)];
                table.push([day(&it.day)].into_iter().chain(texts).chain(rest))?;
            }
            table.finish()?;
            months.insert(month);
        }
        Ok(())
    }

    fn write_findings(
        &self,
        directory: &mut NewDirectory,
        layout: &Layout<'_>,
        month: &str,
        mut findings: Vec<Finding>,
    ) -> Result<(), ColumnarError> {
        findings.sort_by(|a, b| facts(a).cmp(&facts(b)));
        findings.dedup_by(|a, b| facts(a) == facts(b));
        let mut table = Table::begin(directory, self.path(month, layout.name), layout)?;
        for it in &findings {
            let number = |it: u32| if it == 0 { Value::Null } else { Value::Integer(i64::from(it)) };
            let (package, rule, file, line, column, message, help) = facts(it);
            let head = [optional(package), Value::Text(rule), optional(file), number(line), number(column)];
            let texts = [message, it.rule.name, it.rule.severity.word()].map(Value::Text);
            table.push(head.into_iter().chain(texts).chain([optional(help)]))?;
        }
        table.finish().map(drop)
    }
}

/// The facts of a finding in the order of their columns, without those of its rule: package, rule, file, line, column,
/// message and remedy. A missing text is empty, and a missing number is 0.
type FindingFacts<'f> = (&'f str, &'f str, &'f str, u32, u32, &'f str, &'f str);

fn facts(finding: &Finding) -> FindingFacts<'_> {
    let place = finding.place.as_ref();
    let (file, line, column) = place.map_or(("", 0, 0), |place| (place.file.as_str(), place.line, place.column));
    let [package, help] = [&finding.package, &finding.help].map(|it| it.as_deref().unwrap_or_default());
    (package, finding.rule.id, file, line, column, &finding.message, help)
}

/// The channels of a bundle that a catalog has now, and its deprecation.
type Current = (Vec<String>, Option<String>);

/// A row of [`BUNDLES`].
struct BundleOfMonth {
    month: Option<String>,
    package: String,
    bundle: String,
    version: String,
    version_key: Option<Vec<u8>>,
    image: Option<String>,
    created_at: String,
    came: Option<i64>,
    went: Option<i64>,
    is_current: bool,
    /// From `display_name` to `support`.
    facts: Vec<String>,
    images: Vec<String>,
}

impl BundleOfMonth {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let images: String = row.get(19)?;
        Ok(Self {
            month: row.get(0)?,
            package: row.get(1)?,
            bundle: row.get(2)?,
            version: row.get(3)?,
            version_key: row.get(4)?,
            image: row.get(5)?,
            created_at: row.get(6)?,
            came: row.get(7)?,
            went: row.get(8)?,
            is_current: row.get(9)?,
            facts: (10..19).map(|it| row.get(it)).collect::<Result<_, _>>()?,
            // SQLite made it.
            images: serde_json::from_str(&images).unwrap_or_default(),
        })
    }

    fn values<'r>(&'r self, known: Option<&'r Current>) -> Vec<Value<'r>> {
        let day_of = |it: Option<i64>| it.map_or(Value::Null, |it| days(Day::of_unix(it)));
        let mut values = vec![
            Value::Text(&self.package),
            self.version_key.as_deref().map_or(Value::Null, Value::Bytes),
            Value::Text(&self.bundle),
            optional(&self.version),
            optional(self.image.as_deref().unwrap_or_default()),
            Value::Texts(&self.images),
            Value::Texts(known.map_or(&[], |it| &it.0)),
            known.and_then(|it| it.1.as_deref()).map_or(Value::Null, Value::Text),
            self.created_at.get(..10).map_or(Value::Null, day),
            day_of(self.came),
            day_of(self.went),
            Value::Flag(self.is_current),
        ];
        values.extend(self.facts.iter().map(|it| optional(it)));
        values
    }
}

/// A text, or NULL if it is empty.
fn optional(text: &str) -> Value<'_> {
    if text.is_empty() { Value::Null } else { Value::Text(text) }
}

/// A day as a value; NULL if the text is not a day.
fn day(text: &str) -> Value<'static> {
    Day::parse(text).map_or(Value::Null, days)
}

fn days(day: Day) -> Value<'static> {
    i32::try_from(day.unix().div_euclid(86_400)).map_or(Value::Null, Value::Day)
}

fn month_of(day: Day) -> String {
    let day = day.to_string();
    day.get(..7).unwrap_or(NO_MONTH).to_owned()
}
