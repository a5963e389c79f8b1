//! The old side: a legacy file, by plain queries of its own.
//!
//! Facts for which a schema has no columns are taken from the place where that schema has them
//! (`docs/behaviour/legacy-index.md` 1.5 and 1.7): APIs from the tables of providers and requirers, which up to schema
//! 5 hang at entries of channels; versions, ranges and images from ClusterServiceVersions. The conversion's reader is
//! not used, so that its errors show.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rusqlite::Connection;

use super::forms::{ChannelName, Icon, Link, api, required_package};
use super::manifests::icon;
use super::report::Report;
use crate::cells::{bytes, each, text};
use crate::file::{Claim, LegacyFile};
use crate::rules;
use crate::schema_upgrade::Fidelity;
use olmdex_text::json::{Reader, Tree};

/// The first schema with tables of properties and dependencies that are filled.
const WHOLE: i64 = 9;

/// A row of an edge.
#[derive(Debug)]
pub(super) struct EntryRow {
    pub(super) package: String,
    pub(super) channel: String,
    pub(super) bundle: String,
    /// How it leads where, if it leads anywhere.
    pub(super) from: Option<(Link, String)>,
    /// Whether it leads to a row that is not there.
    pub(super) is_dangling: bool,
}

/// A type and a value.
type Pair = (Arc<str>, Arc<str>);

/// Types and values by name of the bundle. Most values occur many times, and are kept once.
#[derive(Debug, Default)]
pub(super) struct Values {
    of: HashMap<String, BTreeSet<Pair>>,
    known: BTreeSet<Arc<str>>,
}

impl Values {
    fn once(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.known.insert(Arc::clone(&new));
        new
    }

    fn add(&mut self, bundle: String, kind: &str, value: &str) {
        let pair = (self.once(kind), self.once(value));
        self.of.entry(bundle).or_default().insert(pair);
    }

    pub(super) fn of(&self, bundle: &str) -> impl Iterator<Item = (&str, &str)> {
        self.of.get(bundle).into_iter().flatten().map(|(kind, value)| (&**kind, &**value))
    }
}

/// A legacy file, with everything read except the rows of its bundles.
#[derive(Debug)]
pub(super) struct OldSide<'a> {
    pub(super) file: &'a LegacyFile,
    pub(super) gaps: Gaps,
    /// Name and default channel.
    pub(super) packages: BTreeMap<String, String>,
    pub(super) icons: BTreeMap<String, Icon>,
    /// With the head that the row names.
    pub(super) channels: BTreeMap<ChannelName, Option<String>>,
    pub(super) entries: Vec<EntryRow>,
    /// Rows of `bundles` by their numbers.
    pub(super) rowids: Vec<i64>,
    pub(super) properties: Values,
    pub(super) dependencies: Values,
    pub(super) images: HashMap<String, BTreeSet<String>>,
    /// Names in the table of deprecated bundles.
    pub(super) deprecated: BTreeSet<String>,
}

/// The facts that the schema lacks, and whether they are available elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaps {
    /// Versions, ranges and paths that are NULL are filled.
    pub(super) fills_rows: bool,
    pub(super) required_from_csv: bool,
    pub(super) images_from_csv: bool,
    provided_from_apis: bool,
    required_from_apis: bool,
    /// Whether the real tool's migration gives dependencies the value of another one.
    mixes_dependencies: bool,
}

impl Gaps {
    fn of(file: &LegacyFile, fidelity: Fidelity) -> Self {
        let has = |table: &str| file.has_table(table);
        let claim = match file.claim() {
            Claim::Number(number) => *number,
            Claim::None | Claim::Text(_) => -1,
        };
        let (fills_rows, is_older) = match fidelity {
            Fidelity::Kept => {
                let fills = file.schema() < WHOLE || !has("properties") || !has("dependencies");
                (fills, fills)
            }
            // Its migrations fill no row; they make dependencies of required APIs once.
            Fidelity::Opm => (false, claim < 8),
        };
        Self {
            fills_rows,
            required_from_csv: fills_rows && !has("api_requirer") && !has("dependencies"),
            images_from_csv: fills_rows && !has("related_image"),
            provided_from_apis: match fidelity {
                Fidelity::Kept => !has("properties"),
                Fidelity::Opm => claim < WHOLE,
            },
            required_from_apis: is_older,
            mixes_dependencies: fidelity == Fidelity::Opm && claim < WHOLE,
        }
    }
}

impl<'a> OldSide<'a> {
    /// Reads everything but the rows of bundles. Facts that have no place in blobs, or no meaning, are reported.
    pub(super) fn read(file: &'a LegacyFile, fidelity: Fidelity, report: &mut Report) -> rusqlite::Result<Self> {
        let mut side = Self {
            file,
            gaps: Gaps::of(file, fidelity),
            packages: BTreeMap::new(),
            icons: BTreeMap::new(),
            channels: BTreeMap::new(),
            entries: Vec::new(),
            rowids: Vec::new(),
            properties: Values::default(),
            dependencies: Values::default(),
            images: HashMap::new(),
            deprecated: BTreeSet::new(),
        };
        let connection = file.connect_plainly()?;
        side.graph(&connection, report)?;
        side.attached(&connection)?;
        side.names(&connection, report)?;
        Ok(side)
    }

    fn graph(&mut self, connection: &Connection, report: &mut Report) -> rusqlite::Result<()> {
        each(connection, "SELECT name, default_channel FROM package WHERE name IS NOT NULL", |row| {
            self.packages.insert(text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
            Ok(())
        })?;
        let channels = "SELECT package_name, name, head_operatorbundle_name FROM channel
                        WHERE package_name IS NOT NULL AND name IS NOT NULL";
        each(connection, channels, |row| {
            let name = (text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
            self.channels.insert(name, text(row, 2)?);
            Ok(())
        })?;
        // An edge is a `replaces` if its row is on a chain that starts at the least depth of the whole file; all others
        // are skips.
        let edges = "WITH RECURSIVE
                       chain (id) AS (
                         SELECT entry_id FROM channel_entry WHERE depth = (SELECT min(depth) FROM channel_entry)
                         UNION
                         SELECT e.replaces FROM chain JOIN channel_entry e ON e.entry_id = chain.id
                         WHERE e.replaces IS NOT NULL
                       )
                     SELECT e.package_name, e.channel_name, e.operatorbundle_name, r.operatorbundle_name,
                            e.entry_id IN (SELECT id FROM chain),
                            e.replaces IS NOT NULL AND r.entry_id IS NULL
                     FROM channel_entry e LEFT JOIN channel_entry r ON r.entry_id = e.replaces";
        let mut n_incomplete = 0;
        each(connection, edges, |row| {
            let (Some(package), Some(channel), Some(bundle)) = (text(row, 0)?, text(row, 1)?, text(row, 2)?) else {
                n_incomplete += 1;
                return Ok(());
            };
            let link = if row.get(4)? { Link::Replaces } else { Link::Skips };
            let from = text(row, 3)?.map(|from| (link, from));
            self.entries.push(EntryRow { package, channel, bundle, from, is_dangling: row.get(5)? });
            Ok(())
        })?;
        if n_incomplete > 0 {
            let message =
                format!("{n_incomplete} entries of channels name no bundle, channel or package, and are lost");
            report.say(rules::ROW_WITHOUT_VALUE, message, None);
        }
        Ok(())
    }

    fn attached(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        for (table, into) in [("properties", &mut self.properties), ("dependencies", &mut self.dependencies)] {
            if self.file.has_table(table) {
                each(connection, &format!("SELECT operatorbundle_name, type, value FROM {table}"), |row| {
                    if let Some(bundle) = text(row, 0)? {
                        into.add(bundle, &text(row, 1)?.unwrap_or_default(), &text(row, 2)?.unwrap_or_default());
                    }
                    Ok(())
                })?;
            }
        }
        let apis = [
            (self.gaps.provided_from_apis, "api_provider", &mut self.properties),
            (self.gaps.required_from_apis, "api_requirer", &mut self.dependencies),
        ];
        for (_, table, into) in apis.into_iter().filter(|it| it.0) {
            // Before the sixth migration the rows belong to entries of channels.
            let of_bundle = if self.file.has_column(table, "operatorbundle_name") {
                format!("SELECT operatorbundle_name, group_name, version, kind FROM {table}")
            } else if self.file.has_column(table, "channel_entry_id") {
                format!(
                    "SELECT e.operatorbundle_name, a.group_name, a.version, a.kind
                     FROM {table} a JOIN channel_entry e ON e.entry_id = a.channel_entry_id"
                )
            } else {
                continue;
            };
            each(connection, &of_bundle, |row| {
                let columns = (text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?);
                if let (Some(bundle), Some(group), Some(version), Some(kind)) = columns {
                    into.add(
                        bundle,
                        "olm.gvk",
                        &Tree::of_texts([("group", &group), ("kind", &kind), ("version", &version)]).compact(),
                    );
                }
                Ok(())
            })?;
        }
        if self.file.has_table("related_image") {
            let images = "SELECT operatorbundle_name, image FROM related_image
                          WHERE operatorbundle_name IS NOT NULL AND image IS NOT NULL";
            each(connection, images, |row| {
                let (bundle, image) = (text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
                self.images.entry(bundle).or_default().insert(image);
                Ok(())
            })?;
        }
        if self.file.has_table("deprecated") {
            each(connection, "SELECT operatorbundle_name FROM deprecated", |row| {
                self.deprecated.extend(text(row, 0)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Reads the names of bundles, and reports rows that belong to none; and reads the icons of heads.
    fn names(&mut self, connection: &Connection, report: &mut Report) -> rusqlite::Result<()> {
        let mut rowids: HashMap<String, i64> = HashMap::new();
        let mut n_nameless = 0;
        each(connection, "SELECT rowid, name FROM operatorbundle", |row| {
            match text(row, 1)? {
                Some(name) => {
                    rowids.insert(name, row.get(0)?);
                }
                None => n_nameless += 1,
            }
            Ok(())
        })?;
        if n_nameless > 0 {
            let message = format!("{n_nameless} rows of bundles have no name, and are lost");
            report.say(rules::ROW_WITHOUT_VALUE, message, None);
        }
        let attached: [(&str, BTreeSet<&String>); 3] = [
            ("properties", self.properties.of.keys().collect()),
            ("dependencies", self.dependencies.of.keys().collect()),
            ("related_image", self.images.keys().collect()),
        ];
        for (table, names) in attached {
            for name in names.into_iter().filter(|it| !rowids.contains_key(*it)) {
                let message = format!("the rows of `{table}` for `{name}` are lost: the bundle does not exist");
                report.say(rules::ORPHAN_ROWS, message, None);
            }
        }
        for (package, default) in &self.packages {
            let head = self.channels.get(&(package.clone(), default.clone())).and_then(Option::as_ref);
            let Some(rowid) = head.and_then(|it| rowids.get(it)) else { continue };
            let mut found = None;
            connection.prepare_cached("SELECT csv FROM operatorbundle WHERE rowid = ?1")?.query_row(
                [rowid],
                |row| {
                    found = icon(&bytes(row, 0)?);
                    Ok(())
                },
            )?;
            match found {
                Some(Ok(icon)) => {
                    self.icons.insert(package.clone(), icon);
                }
                Some(Err(())) => {
                    let message = format!("the icon of package `{package}` is not base64 and is lost");
                    report.say(rules::UNREADABLE_ICON, message, Some(package));
                }
                None => {}
            }
        }
        self.rowids = rowids.into_values().collect();
        self.rowids.sort_unstable();
        Ok(())
    }

    /// Whether dependencies may be those of another bundle, as the real tool's migration leaves them.
    pub(super) fn mixes_dependencies(&self) -> bool {
        self.gaps.mixes_dependencies
    }

    /// Whether a dependency of any bundle becomes this value.
    pub(super) fn has_dependency(&self, value: &str) -> bool {
        let mut reader = Reader::new();
        let mut is_it = |text: &str| api(text, &mut reader) == value || required_package(text, &mut reader) == value;
        self.dependencies.known.iter().any(|it| is_it(it))
    }
}
