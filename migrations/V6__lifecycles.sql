-- Support phases and platforms of minor versions, from blobs of the schema io.openshift.operators.lifecycles.v1alpha1.

CREATE TABLE lifecycle_version (
    -- Minor versions of a lifecycle, in its order. Of two entries of one minor version the first counts.
    document      INTEGER NOT NULL REFERENCES document (id),
    position      INTEGER NOT NULL,
    minor         TEXT NOT NULL,     -- as it is written
    minor_key     BLOB,              -- the beginning of the bundle.version_key of its versions; NULL if it has no number
    has_platforms INTEGER NOT NULL,  -- 0 if it says nothing of platforms
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE lifecycle_phase (
    -- Phases of support that have both dates. Both days belong to the phase.
    document   INTEGER NOT NULL REFERENCES document (id),
    version    INTEGER NOT NULL,  -- lifecycle_version.position
    position   INTEGER NOT NULL,
    phase      TEXT NOT NULL,
    start_date TEXT NOT NULL,     -- YYYY-MM-DD
    end_date   TEXT NOT NULL,
    PRIMARY KEY (document, version, position)
) WITHOUT ROWID;

CREATE TABLE lifecycle_platform (
    -- Platforms that a minor version is made for.
    document INTEGER NOT NULL REFERENCES document (id),
    version  INTEGER NOT NULL,  -- lifecycle_version.position
    platform INTEGER NOT NULL,  -- place among the platforms
    position INTEGER NOT NULL,  -- place among the platform's versions
    name     TEXT NOT NULL,     -- openshift
    listed   TEXT,              -- a minor version of the platform; NULL for a platform without any
    PRIMARY KEY (document, version, platform, position)
) WITHOUT ROWID;

CREATE INDEX lifecycle_version_key ON lifecycle_version (minor_key);

CREATE VIEW v_lifecycle AS
SELECT c.name AS catalog, d.package, v.minor, v.minor_key, p.position, p.phase, p.start_date, p.end_date, d.id AS document
FROM lifecycle_version v
JOIN lifecycle_phase p ON p.document = v.document AND p.version = v.position
JOIN document d ON d.id = v.document
JOIN catalog_document cd ON cd.document = d.id
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_platform_compatibility AS
SELECT c.name AS catalog, d.package, v.minor, v.minor_key, p.name AS platform, p.listed AS version, d.id AS document
FROM lifecycle_version v
JOIN lifecycle_platform p ON p.document = v.document AND p.version = v.position
JOIN document d ON d.id = v.document
JOIN catalog_document cd ON cd.document = d.id
JOIN catalog c ON c.id = cd.catalog
WHERE p.listed IS NOT NULL;

CREATE VIEW v_label AS
SELECT c.name AS catalog, l.key, l.value FROM catalog c JOIN catalog_label l ON l.catalog = c.id;
