-- The sentence that tells what an operator is for, which consoles and hubs show in lists.

ALTER TABLE bundle ADD COLUMN summary TEXT NOT NULL DEFAULT '';  -- annotation `description`

DROP VIEW v_bundle;

CREATE VIEW v_bundle AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, nullif(b.release, '') AS release, b.version_key,
       i.reference AS image, nullif(b.display_name, '') AS display_name, nullif(b.summary, '') AS summary,
       nullif(b.provider, '') AS provider,
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
