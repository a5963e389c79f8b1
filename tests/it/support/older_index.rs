//! Undoes the migrations of an index, one after another.

/// Bundles without summaries.
const TO_SCHEMA_10: &str = r#"
ALTER TABLE bundle DROP COLUMN summary;
CREATE VIEW v_bundle AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, nullif(b.release, '') AS release, b.version_key,
       i.reference AS image, nullif(b.display_name, '') AS display_name, nullif(b.provider, '') AS provider,
       nullif(b.maturity, '') AS maturity, nullif(b.capability_level, '') AS capability_level,
       nullif(b.min_kube_version, '') AS min_kube_version, nullif(b.openshift_versions, '') AS openshift_versions,
       nullif(b.max_openshift_version, '') AS max_openshift_version, nullif(b.repository, '') AS repository,
       nullif(b.support, '') AS support,
       CASE WHEN b.created_at GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'
                 AND date(substr(b.created_at, 1, 10), '+0 days') = substr(b.created_at, 1, 10)
            THEN substr(b.created_at, 1, 10) END AS created_at,
       nullif(b.subscription, '') AS subscription, b.document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN bundle b ON b.document = cd.document
LEFT JOIN image i ON i.id = b.image;
DELETE FROM refinery_schema_history WHERE version > 10;
PRAGMA user_version = 10;"#;

/// From there to schema 9: the views as they were, with empty texts for what is not stated.
const TO_SCHEMA_9: &str = r#"
DROP VIEW v_bundle;
DROP VIEW v_entry;
DROP VIEW v_package;
CREATE VIEW v_bundle AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, b.release, b.version_key, i.reference AS image,
       b.display_name, b.provider, b.maturity, b.capability_level, b.min_kube_version, b.openshift_versions,
       b.max_openshift_version, b.repository, b.support, b.created_at, b.subscription, b.document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN bundle b ON b.document = cd.document
LEFT JOIN image i ON i.id = b.image;
CREATE VIEW v_entry AS
SELECT c.name AS catalog, ch.package, ch.name AS channel, e.name AS bundle, b.version, e.replaces, e.skip_range,
       e.position, n.document, cc.graph, n.number AS node
FROM catalog c
JOIN catalog_channel cc ON cc.catalog = c.id
JOIN channel ch ON ch.document = cc.channel
JOIN entry e ON e.document = ch.document
JOIN node n ON n.graph = cc.graph AND n.number = e.position
LEFT JOIN bundle b ON b.document = n.document;
CREATE VIEW v_package AS
SELECT c.name AS catalog, p.package, coalesce(k.default_channel, '') AS default_channel, p.is_valid,
       d.message AS deprecation, p.document
FROM catalog c
JOIN catalog_package p ON p.catalog = c.id
LEFT JOIN package k ON k.document = p.document
LEFT JOIN (
    SELECT cd.catalog, b.package, x.message
    FROM deprecation x
    JOIN document b ON b.id = x.document
    JOIN catalog_document cd ON cd.document = x.document
    WHERE x.schema = 'olm.package'
) d ON d.catalog = c.id AND d.package = p.package;
DELETE FROM refinery_schema_history WHERE version = 10;
PRAGMA user_version = 9;
"#;

/// To schema 8: no states, and texts in a table under their old name.
const TO_SCHEMA_8: &str = "
PRAGMA foreign_keys = OFF;
DROP VIEW v_state; DROP VIEW v_past_document; DROP VIEW v_past_package; DROP VIEW v_past_channel;
DROP TABLE past_file; DROP TABLE past_document; DROP TABLE past_package; DROP TABLE past_channel;
DROP TABLE content_defect; DROP TABLE file_content; DROP TABLE state; DROP TABLE git_commit;
DROP VIEW v_document_json;
DROP VIEW document_text;
CREATE TABLE document_text (
    -- The documents' normal form, packed: see v_document_json.
    document INTEGER PRIMARY KEY REFERENCES document (id),
    codec    INTEGER NOT NULL,  -- 0 as it is, 1 zstd
    size     INTEGER NOT NULL,  -- bytes when decompressed
    bytes    BLOB NOT NULL
);
INSERT INTO document_text SELECT document, codec, size, bytes FROM packed_text;
DROP TABLE packed_text;
CREATE VIEW v_document_json AS
SELECT c.name AS catalog, d.schema, d.package, d.name, unpack(t.codec, t.size, t.bytes) AS json, d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN document d ON d.id = cd.document
JOIN document_text t ON t.document = d.id;
DELETE FROM refinery_schema_history WHERE version > 8;
PRAGMA user_version = 8;";

/// From there to schema 7: no facts that keep bundles from OLM v1.
const TO_SCHEMA_7: &str = "
DROP VIEW v_obstacle;
DROP TABLE obstacle;
DELETE FROM refinery_schema_history WHERE version > 7;
PRAGMA user_version = 7;";

/// From there to schema 6: no updates of OpenShift.
const TO_SCHEMA_6: &str = "
DROP VIEW v_release; DROP VIEW v_update; DROP VIEW v_blocked_edge; DROP VIEW v_build_suggestion;
DROP TABLE update_warning; DROP TABLE platform_release; DROP TABLE platform_update_risk; DROP TABLE platform_update;
DROP TABLE blocked_edge; DROP TABLE build_suggestion; DROP TABLE update_risk; DROP TABLE update_source;
DELETE FROM refinery_schema_history WHERE version > 6;
PRAGMA user_version = 6;";

/// From there to schema 5: no lifecycles.
const TO_SCHEMA_5: &str = "
DROP VIEW v_lifecycle; DROP VIEW v_platform_compatibility; DROP VIEW v_label;
DROP TABLE lifecycle_version; DROP TABLE lifecycle_phase; DROP TABLE lifecycle_platform;
DELETE FROM refinery_schema_history WHERE version > 5;
PRAGMA user_version = 5;";

/// From there to schema 4: catalogs know no images.
const TO_SCHEMA_4: &str = "
DROP TABLE catalog_image;
DELETE FROM refinery_schema_history WHERE version > 4;
PRAGMA user_version = 4;";

/// From there to schema 3: STRICT tables, a full-text table that needs a newer SQLite, and none of the data for pages.
const TO_SCHEMA_3: &str = "
DROP VIEW v_icon; DROP VIEW v_category; DROP VIEW v_keyword; DROP VIEW v_install_mode; DROP VIEW v_platform;
DROP VIEW v_maintainer; DROP VIEW v_link;
DROP TABLE maintainer; DROP TABLE link;
DROP INDEX bundle_capability; DROP INDEX category_name; DROP INDEX keyword_name;
DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (
    name, display_name, provider, keywords, description, api,
    content = '', contentless_delete = 1, tokenize = 'unicode61'
);
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = CASE WHEN sql LIKE '%) WITHOUT ROWID'
    THEN substr(sql, 1, length(sql) - length('WITHOUT ROWID')) || 'STRICT, WITHOUT ROWID' ELSE sql || ' STRICT' END
WHERE type = 'table' AND name NOT LIKE 'search%' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'refinery%';
PRAGMA writable_schema = RESET;
DELETE FROM refinery_schema_history WHERE version > 3;
PRAGMA user_version = 3;";

/// From there to schema 2: no places inside documents.
const TO_SCHEMA_2: &str = "
ALTER TABLE catalog_document DROP COLUMN layout;
ALTER TABLE document_source DROP COLUMN layout;
DROP TABLE layout;
DELETE FROM refinery_schema_history WHERE version > 2;
PRAGMA user_version = 2;";

/// From there to schema 1.
const TO_SCHEMA_1: &str = "
DROP INDEX node_name;
ALTER TABLE graph DROP COLUMN range_edges;
DELETE FROM refinery_schema_history WHERE version > 1;
PRAGMA user_version = 1;";

/// Turns an index into one of an older schema.
pub fn downgrade(path: &std::path::Path, version: usize) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let steps = [
        TO_SCHEMA_10,
        TO_SCHEMA_9,
        TO_SCHEMA_8,
        TO_SCHEMA_7,
        TO_SCHEMA_6,
        TO_SCHEMA_5,
        TO_SCHEMA_4,
        TO_SCHEMA_3,
        TO_SCHEMA_2,
        TO_SCHEMA_1,
    ];
    // SQLite drops a column only if it knows the functions of all views.
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid";
    let mut statement = connection.prepare(sql).unwrap();
    let views = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let views: Vec<(String, String)> = views.map(Result::unwrap).collect();
    for (name, _) in &views {
        connection.execute_batch(&format!("DROP VIEW {name}")).unwrap();
    }
    let (first, steps) = steps.split_first().unwrap();
    connection.execute_batch(first).unwrap();
    for (_, sql) in views.iter().filter(|(name, _)| name != "v_bundle") {
        connection.execute_batch(sql).unwrap();
    }
    for sql in steps.iter().take(10 - version) {
        connection.execute_batch(sql).unwrap();
    }
}
