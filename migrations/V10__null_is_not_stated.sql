-- What a bundle, an entry or a package does not state is NULL in the views, so that a comparison does not count it.

DROP VIEW v_bundle;
DROP VIEW v_entry;
DROP VIEW v_package;

-- created_at is a day: annotations hold anything, and only a text that begins with a day of ISO 8601 sorts by time.
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

CREATE VIEW v_entry AS
SELECT c.name AS catalog, ch.package, ch.name AS channel, e.name AS bundle, b.version,
       nullif(e.replaces, '') AS replaces, nullif(e.skip_range, '') AS skip_range,
       e.position, n.document, cc.graph, n.number AS node
FROM catalog c
JOIN catalog_channel cc ON cc.catalog = c.id
JOIN channel ch ON ch.document = cc.channel
JOIN entry e ON e.document = ch.document
JOIN node n ON n.graph = cc.graph AND n.number = e.position
LEFT JOIN bundle b ON b.document = n.document;

CREATE VIEW v_package AS
SELECT c.name AS catalog, p.package, nullif(k.default_channel, '') AS default_channel, p.is_valid,
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
