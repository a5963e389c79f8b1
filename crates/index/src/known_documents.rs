//! The existing content of an index: the documents, the values that are stored once, and the findings of the checks, so
//! that none of it need be read, judged or written again.

use std::hash::Hash;

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension as _, Params, Result, Row, Statement};

use super::entries::EntryRows;
use super::identity::SCHEMA_VERSION;
use super::packed_place::spot_from_json;
use super::prepare::Source;
use super::write::{Interned, Interner};
use olmdex_fbc::{Api, Origin};
use olmdex_rules::check::{
    BundleFacts, ChannelFacts, DeprecationFacts, DeprecationsFacts, Draft, Facts, Inspected, LifecycleFacts, OpmLine,
    PackageFacts, Phase, rules,
};
use olmdex_rules::openshift;
use olmdex_text::calendar::Day;

impl Interned {
    /// Reads the content of `connection`. `with_sources`: whether known texts need not be judged again.
    pub(super) fn read(connection: &Connection, with_sources: bool) -> Result<Self> {
        let mut it = Self { next_document: 1, next_file: 1, ..Self::default() };
        it.next_document = next_id(connection, "document")?;
        it.next_file = next_id(connection, "file")?;
        pairs(connection, "SELECT digest, id FROM document", |digest, id| {
            it.documents.by_digest.insert(digest, id);
        })?;
        if with_sources {
            let mut sources = connection.prepare("SELECT raw_digest, document, layout FROM document_source")?;
            let mut rows = sources.query([])?;
            while let Some(row) = rows.next()? {
                it.documents.by_raw.insert(row.get(0)?, Source { document: row.get(1)?, layout: row.get(2)? });
            }
        }
        interner(connection, "SELECT reference, id FROM image", &mut it.images)?;
        interner(connection, "SELECT digest, id FROM text", &mut it.texts)?;
        interner(connection, "SELECT digest, id FROM profile", &mut it.profiles)?;
        interner(connection, "SELECT digest, id FROM graph", &mut it.graphs)?;
        // Older schemas have none.
        if connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))? == SCHEMA_VERSION {
            interner(connection, "SELECT marks, id FROM layout", &mut it.layouts)?;
        }
        let mut apis = connection.prepare("SELECT \"group\", version, kind, id FROM api")?;
        let mut rows = apis.query([])?;
        while let Some(row) = rows.next()? {
            let api = Api { group: row.get(0)?, version: row.get(1)?, kind: row.get(2)? };
            it.apis.insert(api, row.get(3)?);
        }
        Ok(it)
    }
}

fn next_id(connection: &Connection, table: &str) -> Result<i64> {
    let sql = format!("SELECT coalesce(max(id), 0) FROM {table}");
    connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).map(|it| it.saturating_add(1))
}

fn pairs<K: FromSql>(connection: &Connection, sql: &str, mut each: impl FnMut(K, i64)) -> Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get(1)?);
    }
    Ok(())
}

fn interner<K: FromSql + Hash + Eq>(connection: &Connection, sql: &str, into: &mut Interner<K>) -> Result<()> {
    pairs(connection, sql, |key, id| into.insert(key, id))
}

/// Reads back the facts that the checks found in stored documents.
pub(super) struct Recall<'c> {
    head: Statement<'c>,
    default_channel: Statement<'c>,
    entries: EntryRows<'c>,
    identity: Statement<'c>,
    complaints: Statement<'c>,
    required_packages: Statement<'c>,
    deprecations: Statement<'c>,
    lifecycle: Statement<'c>,
    findings: Statement<'c>,
}

impl<'c> Recall<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let prepare = |sql| connection.prepare(sql);
        Ok(Self {
            head: prepare("SELECT schema, package, name FROM document WHERE id = ?")?,
            default_channel: prepare("SELECT default_channel FROM package WHERE document = ?")?,
            entries: EntryRows::new(connection)?,
            identity: prepare("SELECT identity, release FROM bundle WHERE document = ?")?,
            complaints: prepare("SELECT rank, message FROM complaint WHERE document = ? ORDER BY position")?,
            required_packages: prepare(
                "SELECT position, package FROM required_package WHERE document = ? AND package <> '' ORDER BY position",
            )?,
            deprecations: prepare(
                "SELECT schema, name, message <> '' FROM deprecation WHERE document = ? ORDER BY position",
            )?,
            lifecycle: prepare(
                "SELECT minor, (SELECT max(end_date) FROM lifecycle_phase p WHERE p.document = v.document AND p.version = v.position)
                 FROM lifecycle_version v WHERE document = ? ORDER BY position",
            )?,
            findings: prepare(
                "SELECT rule, message, help, spot, opm_phase, opm_step, opm_text FROM finding WHERE document = ? ORDER BY position",
            )?,
        })
    }

    /// The findings and facts of a stored document, which is now at `origin`.
    pub(super) fn inspected(&mut self, document: i64, origin: Origin) -> Result<Inspected> {
        let head = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let (schema, package, name): (String, String, String) = self.head.query_row([document], head)?;
        let facts = match schema.as_str() {
            "olm.package" => {
                let default_channel = self.default_channel.query_row([document], |row| row.get(0)).optional()?;
                Facts::Package(PackageFacts { name: package, default_channel: default_channel.unwrap_or_default() })
            }
            "olm.channel" => Facts::Channel(ChannelFacts { package, name, entries: self.entries.of(document)?.into() }),
            "olm.bundle" => {
                let identity = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
                let (version, release) = self.identity.query_row([document], identity).optional()?.unwrap_or_default();
                let complaints = all(&mut self.complaints, [document], |row| Ok((row.get(0)?, row.get(1)?)))?;
                let required_packages =
                    all(&mut self.required_packages, [document], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Facts::Bundle(BundleFacts { package, name, version, release, complaints, required_packages })
            }
            "olm.deprecations" => {
                let entries = all(&mut self.deprecations, [document], |row| {
                    Ok(DeprecationFacts { schema: row.get(0)?, name: row.get(1)?, has_message: row.get(2)? })
                })?;
                Facts::Deprecations(DeprecationsFacts { package, entries })
            }
            openshift::SCHEMA => Facts::Lifecycle(LifecycleFacts { package, versions: self.lifecycle(document)? }),
            _ => Facts::Other { package },
        };
        let drafts = all(&mut self.findings, [document], draft)?;
        Ok(Inspected {
            origin,
            facts,
            drafts: drafts.into_iter().flatten().collect(),
            image: String::new(),
            practice: None,
        })
    }

    fn lifecycle(&mut self, document: i64) -> Result<Vec<(String, Option<Day>)>> {
        all(&mut self.lifecycle, [document], |row| {
            let ends: Option<String> = row.get(1)?;
            Ok((row.get(0)?, ends.as_deref().and_then(Day::parse)))
        })
    }
}

/// All rows of a statement.
fn all<T>(
    statement: &mut Statement<'_>,
    parameters: impl Params,
    row: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    statement.query_map(parameters, row)?.collect()
}

/// A stored finding; `None` if this version has no such rule any more.
fn draft(row: &Row<'_>) -> Result<Option<Draft>> {
    let id: String = row.get(0)?;
    let Some(rule) = rules::find(&id) else { return Ok(None) };
    let spot: String = row.get(3)?;
    let phase: Option<i64> = row.get(4)?;
    let opm = match phase {
        Some(phase) => Some(OpmLine { phase: phase_of(phase), step: row.get(5)?, text: row.get(6)? }),
        None => None,
    };
    Ok(Some(Draft { rule, message: row.get(1)?, help: row.get(2)?, spot: spot_from_json(&spot), opm }))
}

fn phase_of(number: i64) -> Phase {
    let all = [Phase::Load, Phase::Packages, Phase::Channels, Phase::Bundles, Phase::Entries, Phase::Deprecations];
    all.into_iter().find(|&it| it as i64 == number).unwrap_or(Phase::Load)
}
