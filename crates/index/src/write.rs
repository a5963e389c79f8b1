//! Rows of documents into the database, by the one thread that may write.

use std::collections::HashMap;
use std::hash::Hash;

use rusqlite::{Connection, Result, Statement, params};

use super::compression::{Compressor, Digest};
use super::lifecycle;
use super::packed_place::spot_to_json;
use super::prepare::{
    BundleRows, DESCRIPTION, KnownDocuments, Layout, NewDocument, Profile, PropertyRow, Rows, Source,
};
use super::service_version::CsvFacts;
use olmdex_fbc::Api;
use olmdex_rules::check::{Facts, Inspected, rules};
use olmdex_text::yaml::Position;

/// Values that have a table of their own and are stored once.
#[derive(Debug)]
pub(super) struct Interner<K> {
    ids: HashMap<K, i64>,
    next: i64,
}

impl<K> Default for Interner<K> {
    fn default() -> Self {
        Self { ids: HashMap::new(), next: 1 }
    }
}

impl<K: Hash + Eq> Interner<K> {
    /// Takes over a row that exists.
    pub(super) fn insert(&mut self, key: K, id: i64) {
        self.ids.insert(key, id);
        self.next = self.next.max(id + 1);
    }

    pub(super) fn get(&self, key: &K) -> Option<i64> {
        self.ids.get(key).copied()
    }

    /// A new number for `key`.
    pub(super) fn add(&mut self, key: K) -> i64 {
        let id = self.next;
        self.insert(key, id);
        id
    }
}

/// The place of a document in a catalog.
pub(super) struct DocumentPlace {
    pub(super) catalog: i64,
    pub(super) position: usize,
    pub(super) document: i64,
    pub(super) file: i64,
    pub(super) start: Position,
    pub(super) layout: Option<i64>,
}

/// All values that are stored once.
#[derive(Debug, Default)]
pub(super) struct Interned {
    pub(super) documents: KnownDocuments,
    pub(super) next_document: i64,
    pub(super) next_file: i64,
    pub(super) images: Interner<String>,
    pub(super) apis: Interner<Api>,
    pub(super) texts: Interner<Digest>,
    pub(super) profiles: Interner<Digest>,
    pub(super) graphs: Interner<Digest>,
    pub(super) layouts: Interner<Vec<u8>>,
}

/// Writes the rows of documents. Its statements are prepared once for an import.
pub(super) struct Writer<'c> {
    document: Statement<'c>,
    document_text: Statement<'c>,
    document_source: Statement<'c>,
    catalog_document: Statement<'c>,
    layout: Statement<'c>,
    finding: Statement<'c>,
    forget_findings: Statement<'c>,
    forget_complaints: Statement<'c>,
    identify: Statement<'c>,
    complaint: Statement<'c>,
    text: Statement<'c>,
    profile: Statement<'c>,
    search: Statement<'c>,
    image: Statement<'c>,
    api: Statement<'c>,
    package: Statement<'c>,
    package_icon: Statement<'c>,
    channel: Statement<'c>,
    entry: Statement<'c>,
    entry_skip: Statement<'c>,
    bundle: Statement<'c>,
    keyword: Statement<'c>,
    category: Statement<'c>,
    install_mode: Statement<'c>,
    obstacle: Statement<'c>,
    maintainer: Statement<'c>,
    link: Statement<'c>,
    platform: Statement<'c>,
    feature: Statement<'c>,
    property: Statement<'c>,
    provided_api: Statement<'c>,
    required_api: Statement<'c>,
    required_package: Statement<'c>,
    bundle_constraint: Statement<'c>,
    related_image: Statement<'c>,
    deprecation: Statement<'c>,
    lifecycle: lifecycle::Statements<'c>,
    compressor: Compressor,
}

/// `INSERT INTO table VALUES (?, …)`.
fn insert<'c>(connection: &'c Connection, table: &str, n_columns: usize) -> Result<Statement<'c>> {
    let places = vec!["?"; n_columns].join(", ");
    connection.prepare(&format!("INSERT INTO {table} VALUES ({places})"))
}

impl<'c> Writer<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let insert = |table, n_columns| insert(connection, table, n_columns);
        Ok(Self {
            document: insert("document", 5)?,
            document_text: connection.prepare("INSERT INTO packed_text VALUES (?, ?, ?, ?, NULL)")?,
            // The same text may occur in a catalog twice.
            document_source: connection.prepare("INSERT OR IGNORE INTO document_source VALUES (?, ?, ?)")?,
            catalog_document: insert("catalog_document", 7)?,
            layout: insert("layout", 2)?,
            finding: insert("finding", 9)?,
            forget_findings: connection.prepare("DELETE FROM finding WHERE document = ?")?,
            forget_complaints: connection.prepare("DELETE FROM complaint WHERE document = ?")?,
            identify: connection.prepare("UPDATE bundle SET identity = ?2 WHERE document = ?1")?,
            complaint: insert("complaint", 4)?,
            text: insert("text", 5)?,
            profile: insert("profile", 2)?,
            search: connection.prepare(
                "INSERT INTO search (rowid, name, display_name, provider, keywords, description, api) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?,
            image: insert("image", 2)?,
            api: insert("api", 4)?,
            package: insert("package", 5)?,
            package_icon: insert("package_icon", 3)?,
            channel: insert("channel", 3)?,
            entry: insert("entry", 5)?,
            entry_skip: insert("entry_skip", 4)?,
            bundle: insert("bundle", 23)?,
            keyword: insert("keyword", 3)?,
            category: insert("category", 3)?,
            install_mode: insert("install_mode", 4)?,
            obstacle: insert("obstacle", 4)?,
            maintainer: insert("maintainer", 4)?,
            link: insert("link", 4)?,
            platform: insert("platform", 4)?,
            feature: insert("feature", 3)?,
            property: insert("property", 4)?,
            provided_api: insert("provided_api", 2)?,
            required_api: insert("required_api", 2)?,
            required_package: insert("required_package", 4)?,
            bundle_constraint: insert("bundle_constraint", 3)?,
            related_image: insert("related_image", 4)?,
            deprecation: insert("deprecation", 5)?,
            lifecycle: lifecycle::Statements::new(connection)?,
            compressor: Compressor::new(),
        })
    }

    /// The place of a document in a catalog.
    pub(super) fn place(&mut self, row: &DocumentPlace) -> Result<()> {
        let DocumentPlace { catalog, position, document, file, start, layout } = row;
        self.catalog_document
            .execute(params![catalog, position, document, file, start.line, start.column, layout])
            .map(drop)
    }

    /// Writes which document the text `raw` is.
    pub(super) fn source(&mut self, raw: &Digest, source: Source) -> Result<()> {
        self.document_source.execute(params![raw, source.document, source.layout]).map(drop)
    }

    /// The number of a layout.
    pub(super) fn layout(&mut self, layout: Layout, interned: &mut Interned) -> Result<Option<i64>> {
        let Some(marks) = layout else { return Ok(None) };
        if let Some(id) = interned.layouts.get(&marks) {
            return Ok(Some(id));
        }
        let id = interned.layouts.add(marks.clone());
        self.layout.execute(params![id, marks])?;
        Ok(Some(id))
    }

    /// Writes a document with all rows that are derived from it.
    pub(super) fn document(
        &mut self,
        id: i64,
        document: &NewDocument,
        inspected: &Inspected,
        interned: &mut Interned,
    ) -> Result<()> {
        let NewDocument { digest, schema, package, name, text, rows } = document;
        self.document.execute(params![id, digest, schema, package, name])?;
        if let Some(text) = text {
            self.document_text.execute(params![id, text.codec, text.size, text.bytes])?;
        }
        match rows {
            Rows::Package(rows) => {
                let (description, profile) = self.profile(rows.profile.as_ref(), interned)?;
                self.package.execute(params![id, package, rows.default_channel, description, profile])?;
                if let Some((mediatype, bytes)) = &rows.icon {
                    self.package_icon.execute(params![id, mediatype, bytes])?;
                }
                self.properties(id, &rows.properties)?;
            }
            Rows::Channel(rows) => {
                self.channel.execute(params![id, package, name])?;
                for (position, entry) in rows.entries.iter().enumerate() {
                    self.entry.execute(params![id, position, entry.name, entry.replaces, entry.skip_range])?;
                    for (idx, skip) in entry.skips.iter().enumerate() {
                        self.entry_skip.execute(params![id, position, idx, skip])?;
                    }
                }
                self.properties(id, &rows.properties)?;
            }
            Rows::Bundle(rows) => {
                let identity = match &inspected.facts {
                    Facts::Bundle(facts) => facts.version.as_deref(),
                    _ => None,
                };
                self.bundle(id, document, rows, identity, interned)?;
            }
            Rows::Deprecations(list) => {
                for (position, [schema, name, message]) in list.iter().enumerate() {
                    self.deprecation.execute(params![id, position, schema, name, message])?;
                }
            }
            Rows::Lifecycle(it) => self.lifecycle.write(id, it)?,
            Rows::Other => {}
        }
        self.findings(id, inspected)
    }

    /// Writes the findings of the checks about a document by itself.
    pub(super) fn findings(&mut self, id: i64, inspected: &Inspected) -> Result<()> {
        // Unread text is a property of the file, not of the document, so it is not stored.
        let of_file = [rules::UNREAD_TEXT.id, rules::SEVERAL_IN_UTF16.id];
        let drafts = inspected.drafts.iter().filter(|it| !of_file.contains(&it.rule.id));
        for (position, draft) in drafts.enumerate() {
            let (phase, step, text) = match &draft.opm {
                Some(line) => (Some(line.phase as i64), Some(line.step), Some(&line.text)),
                None => (None, None, None),
            };
            let spot = spot_to_json(&draft.spot);
            let (rule, message, help) = (draft.rule.id, &draft.message, &draft.help);
            self.finding.execute(params![id, position, rule, message, help, spot, phase, step, text])?;
        }
        if let Facts::Bundle(facts) = &inspected.facts {
            for (position, (rank, complaint)) in facts.complaints.iter().enumerate() {
                self.complaint.execute(params![id, position, rank, complaint])?;
            }
        }
        Ok(())
    }

    /// Replaces the findings about a stored document: another program version may have made them, or the text has
    /// another syntax.
    pub(super) fn judged_again(&mut self, id: i64, inspected: &Inspected) -> Result<()> {
        self.forget_findings.execute([id])?;
        self.forget_complaints.execute([id])?;
        if let Facts::Bundle(facts) = &inspected.facts {
            self.identify.execute(params![id, facts.version])?;
        }
        self.findings(id, inspected)
    }

    fn bundle(
        &mut self,
        id: i64,
        document: &NewDocument,
        rows: &BundleRows,
        identity: Option<&str>,
        interned: &mut Interned,
    ) -> Result<()> {
        let image = if rows.image.is_empty() { None } else { Some(self.image(&rows.image, interned)?) };
        let (description, profile) = self.profile(rows.profile.as_ref(), interned)?;
        let csv = &rows.csv;
        self.bundle.execute(params![
            id,
            document.package,
            document.name,
            rows.version,
            rows.release,
            rows.version_key,
            identity,
            image,
            rows.facts_from,
            csv.display_name,
            csv.provider,
            csv.maturity,
            csv.capability_level,
            csv.min_kube_version,
            csv.openshift_versions,
            rows.max_openshift_version,
            csv.repository,
            csv.support,
            csv.created_at,
            csv.subscription,
            description,
            profile,
            csv.summary,
        ])?;
        self.facts(id, csv)?;
        self.properties(id, &rows.properties)?;
        self.dependencies(id, rows, interned)?;
        for (position, (name, reference)) in rows.related_images.iter().enumerate() {
            let image = self.image(reference, interned)?;
            self.related_image.execute(params![id, position, name, image])?;
        }
        Ok(())
    }

    /// Writes the lists of a ClusterServiceVersion.
    fn facts(&mut self, id: i64, csv: &CsvFacts) -> Result<()> {
        for (position, keyword) in csv.keywords.iter().enumerate() {
            self.keyword.execute(params![id, position, keyword])?;
        }
        for (position, category) in csv.categories.iter().enumerate() {
            self.category.execute(params![id, position, category])?;
        }
        for (position, (kind, supported)) in csv.install_modes.iter().enumerate() {
            self.install_mode.execute(params![id, position, kind, supported])?;
        }
        for (position, (kind, value)) in csv.obstacles.iter().enumerate() {
            self.obstacle.execute(params![id, position, kind, value])?;
        }
        for (position, (name, email)) in csv.maintainers.iter().enumerate() {
            self.maintainer.execute(params![id, position, name, email])?;
        }
        for (position, (name, url)) in csv.links.iter().enumerate() {
            self.link.execute(params![id, position, name, url])?;
        }
        for ((kind, name), value) in &csv.platforms {
            self.platform.execute(params![id, kind, name, value])?;
        }
        for (name, value) in &csv.features {
            self.feature.execute(params![id, name, value])?;
        }
        Ok(())
    }

    /// Writes the APIs and packages that a bundle provides and needs.
    fn dependencies(&mut self, id: i64, rows: &BundleRows, interned: &mut Interned) -> Result<()> {
        for api in self.apis(&rows.provided, interned)? {
            self.provided_api.execute([id, api])?;
        }
        for api in self.apis(&rows.required, interned)? {
            self.required_api.execute([id, api])?;
        }
        for (position, package, range) in &rows.required_packages {
            self.required_package.execute(params![id, position, package, range])?;
        }
        for (position, (kind, value)) in rows.properties.iter().enumerate() {
            if let ("olm.constraint", Some(value)) = (kind.as_str(), value) {
                self.bundle_constraint.execute(params![id, position, value])?;
            }
        }
        Ok(())
    }

    fn properties(&mut self, id: i64, list: &[PropertyRow]) -> Result<()> {
        for (position, (kind, value)) in list.iter().enumerate() {
            self.property.execute(params![id, position, kind, value])?;
        }
        Ok(())
    }

    fn image(&mut self, reference: &String, interned: &mut Interned) -> Result<i64> {
        if let Some(id) = interned.images.get(reference) {
            return Ok(id);
        }
        let id = interned.images.add(reference.clone());
        self.image.execute(params![id, reference])?;
        Ok(id)
    }

    /// The numbers of distinct APIs, ascending.
    fn apis(&mut self, list: &[Api], interned: &mut Interned) -> Result<Vec<i64>> {
        let mut ids = Vec::with_capacity(list.len());
        for api in list {
            ids.push(match interned.apis.get(api) {
                Some(id) => id,
                None => {
                    let id = interned.apis.add(api.clone());
                    self.api.execute(params![id, api.group, api.version, api.kind])?;
                    id
                }
            });
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// The numbers of a description and of a profile.
    fn profile(&mut self, profile: Option<&Profile>, interned: &mut Interned) -> Result<(Option<i64>, Option<i64>)> {
        let Some(profile) = profile else { return Ok((None, None)) };
        let text = &profile.columns[DESCRIPTION];
        let description = match interned.texts.get(&profile.description) {
            _ if text.is_empty() => None,
            Some(id) => Some(id),
            None => {
                let id = interned.texts.add(profile.description);
                let stored = self.compressor.store(text.as_bytes());
                self.text.execute(params![id, profile.description, stored.codec, stored.size, stored.bytes])?;
                Some(id)
            }
        };
        if let Some(id) = interned.profiles.get(&profile.digest) {
            return Ok((description, Some(id)));
        }
        let id = interned.profiles.add(profile.digest);
        self.profile.execute(params![id, profile.digest])?;
        let [name, display_name, provider, keywords, text, api] = &profile.columns;
        self.search.execute(params![id, name, display_name, provider, keywords, text, api])?;
        Ok((description, Some(id)))
    }
}
