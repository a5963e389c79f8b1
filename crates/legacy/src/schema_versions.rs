//! The tables and columns that a file of each schema has (`docs/behaviour/legacy-index.md` 1.4 and 1.5), and which of
//! them a file lacks.

use std::fmt;
use std::ops::Range;

use super::file::LegacyFile;

/// The last schema.
const LAST: i64 = 13;

/// The end of a part that every later schema has, too.
const ALWAYS: i64 = i64::MAX;

/// Columns of a table that come and go together.
struct Part {
    table: &'static str,
    columns: &'static [&'static str],
    /// The first schema that has them.
    since: i64,
    /// The first schema that has them no more.
    until: i64,
    /// The first schema in which blobs no longer contain them.
    unread: i64,
    /// The content, in words.
    holds: &'static str,
}

const fn part(table: &'static str, since: i64, columns: &'static [&'static str], holds: &'static str) -> Part {
    Part { table, columns, since, until: ALWAYS, unread: ALWAYS, holds }
}

/// A table in which APIs are kept before properties and dependencies state the same, and for servers afterwards.
const fn apis(table: &'static str, schemas: Range<i64>, columns: &'static [&'static str], holds: &'static str) -> Part {
    Part { table, columns, since: schemas.start, until: schemas.end, unread: 9, holds }
}

const PROVIDED: &str = "the APIs that bundles provide";
const REQUIRED: &str = "the APIs that bundles require";
const DEPENDENCIES: &str = "the dependencies of bundles";
const PROPERTIES: &str = "the properties of bundles";
const KEY: &[&str] = &["operatorbundle_version", "operatorbundle_path"];

/// The first row of each table describes the table as a whole.
const PARTS: &[Part] = &[
    part("package", 0, &["name", "default_channel"], "the packages with their default channels"),
    part("channel", 0, &["name", "package_name", "head_operatorbundle_name"], "the channels with their heads"),
    part(
        "channel_entry",
        0,
        &["entry_id", "channel_name", "package_name", "operatorbundle_name", "replaces", "depth"],
        "the upgrade graphs",
    ),
    part("operatorbundle", 0, &["name", "csv", "bundle"], "the bundles with their manifests"),
    part("operatorbundle", 2, &["bundlepath"], "the images of bundles"),
    part("operatorbundle", 5, &["skiprange"], "the skipRange of bundles"),
    part("operatorbundle", 5, &["version"], "the versions of bundles"),
    part("operatorbundle", 7, &["replaces", "skips"], "the edges that bundles were added with"),
    part("operatorbundle", 11, &["substitutesfor"], "what bundles substitute for"),
    part("related_image", 1, &["image", "operatorbundle_name"], "the related images of bundles"),
    Part { unread: 0, ..part("api", 0, &["group_name", "version", "kind", "plural"], "the names of APIs") },
    apis("api_provider", 0..ALWAYS, &["group_name", "version", "kind"], PROVIDED),
    apis("api_provider", 0..6, &["channel_entry_id"], PROVIDED),
    apis("api_provider", 6..ALWAYS, &["operatorbundle_name"], PROVIDED),
    Part { unread: 0, ..part("api_provider", 6, KEY, PROVIDED) },
    apis("api_requirer", 3..ALWAYS, &["group_name", "version", "kind"], REQUIRED),
    apis("api_requirer", 3..6, &["channel_entry_id"], REQUIRED),
    apis("api_requirer", 6..ALWAYS, &["operatorbundle_name"], REQUIRED),
    Part { unread: 0, ..part("api_requirer", 6, KEY, REQUIRED) },
    part("dependencies", 8, &["type", "value", "operatorbundle_name"], DEPENDENCIES),
    Part { unread: 0, ..part("dependencies", 8, KEY, DEPENDENCIES) },
    part("properties", 9, &["type", "value", "operatorbundle_name"], PROPERTIES),
    Part { unread: 0, ..part("properties", 9, KEY, PROPERTIES) },
    part("deprecated", 12, &["operatorbundle_name"], "the names of deprecated bundles"),
];

/// The tables that a file of some schema has.
pub(super) fn tables() -> Vec<&'static str> {
    let mut tables: Vec<&str> = Vec::new();
    for part in PARTS {
        if !tables.contains(&part.table) {
            tables.push(part.table);
        }
    }
    tables
}

/// The columns that a table has in some schema.
pub(super) fn columns_of(table: &str) -> Vec<&'static str> {
    PARTS.iter().filter(|part| part.table == table).flat_map(|part| part.columns.iter().copied()).collect()
}

/// A table or column that a file's schema has, and the file has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) table: &'static str,
    /// `None` if the table as a whole is missing.
    column: Option<&'static str>,
    schema: i64,
    holds: &'static str,
    /// Whether blobs contain some of its data.
    pub(super) is_in_blobs: bool,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, schema, holds, .. } = self;
        match self.column {
            None => write!(f, "the table `{table}`")?,
            Some(column) => write!(f, "the column `{column}` of the table `{table}`")?,
        }
        write!(f, ", which schema {schema} has, is missing, and with it {holds}")
    }
}

impl LegacyFile {
    /// The parts that its schema has and the file lacks. The schema is the one that it claims, or a later one that its
    /// tables show.
    pub(super) fn missing(&self) -> Vec<Missing> {
        let schema = self.schema().max(self.shape()).min(LAST);
        let mut missing: Vec<Missing> = Vec::new();
        for part in PARTS.iter().filter(|it| (it.since..it.until).contains(&schema)) {
            let found = |column: Option<&'static str>| Missing {
                table: part.table,
                column,
                schema,
                holds: part.holds,
                is_in_blobs: schema < part.unread,
            };
            if self.has_table(part.table) {
                let columns = part.columns.iter().copied().filter(|it| !self.has_column(part.table, it));
                missing.extend(columns.map(|it| found(Some(it))));
            } else if !missing.iter().any(|it| it.table == part.table) {
                missing.push(found(None));
            }
        }
        missing
    }
}
