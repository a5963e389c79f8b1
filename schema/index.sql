-- The schema of an index. Made from migrations/ by tests/it/index_schema.rs; do not edit.

PRAGMA application_id = 1869376868;
PRAGMA user_version = 11;

CREATE TABLE api (
    -- A Kubernetes API that bundles provide or require.
    id      INTEGER PRIMARY KEY,
    "group" TEXT NOT NULL,
    version TEXT NOT NULL,
    kind    TEXT NOT NULL,
    UNIQUE ("group", version, kind)
);

CREATE TABLE blocked_edge (
    -- What the graph data say against updates.
    source       INTEGER NOT NULL REFERENCES update_source (id),
    position     INTEGER NOT NULL,
    to_version   TEXT NOT NULL,
    from_pattern TEXT NOT NULL,  -- regular expression, searched in the version with its architecture, as in 4.17.16+amd64
    risk         INTEGER NOT NULL REFERENCES update_risk (id),  -- without matching rules the update does not exist
    file         TEXT NOT NULL,
    PRIMARY KEY (source, position)
) WITHOUT ROWID;

CREATE TABLE build_suggestion (
    -- From which releases builds of a minor version accept updates: which updates are likely.
    source     INTEGER NOT NULL REFERENCES update_source (id),
    minor      TEXT NOT NULL,
    arch       TEXT NOT NULL,  -- default for all that have none of their own
    minor_min  TEXT,           -- the lowest and the highest release of the minor version before
    minor_max  TEXT,
    z_min      TEXT,           -- the lowest release of the own minor version, and the one before which it ends
    z_max      TEXT,
    minor_block_list TEXT NOT NULL,  -- JSON: releases that are left out, of the minor version before
    z_block_list     TEXT NOT NULL,  -- JSON: releases that are left out, of the own minor version
    PRIMARY KEY (source, minor, arch)
) WITHOUT ROWID;

CREATE TABLE bundle (
    -- olm.bundle, with the facts of its ClusterServiceVersion: from its olm.csv.metadata property, or else from the
    -- ClusterServiceVersion in its olm.bundle.object properties.
    document         INTEGER PRIMARY KEY REFERENCES document (id),
    package          TEXT NOT NULL,
    name             TEXT NOT NULL,
    version          TEXT NOT NULL,  -- of its olm.package property
    release          TEXT NOT NULL,
    version_key      BLOB,           -- bytes that order as version and release do; semver_key(version) without release
    identity         TEXT,           -- <version> or <version>-<release>, unique in a package; NULL if not valid
    image            INTEGER REFERENCES image (id),
    facts_from       TEXT NOT NULL,  -- olm.csv.metadata, olm.bundle.object, or empty: nothing is known
    display_name     TEXT NOT NULL,
    provider         TEXT NOT NULL,
    maturity         TEXT NOT NULL,
    capability_level TEXT NOT NULL,  -- annotation `capabilities`
    min_kube_version TEXT NOT NULL,
    openshift_versions     TEXT NOT NULL,  -- annotation or label com.redhat.openshift.versions
    max_openshift_version  TEXT NOT NULL,  -- property olm.maxOpenShiftVersion, as JSON if it is not a text
    repository       TEXT NOT NULL,  -- annotation
    support          TEXT NOT NULL,  -- annotation
    created_at       TEXT NOT NULL,  -- annotation createdAt
    subscription     TEXT NOT NULL,  -- annotation operators.openshift.io/valid-subscription
    description      INTEGER REFERENCES text (id),
    profile          INTEGER REFERENCES profile (id)
, summary TEXT NOT NULL DEFAULT '');

CREATE TABLE bundle_constraint (
    -- Properties olm.constraint.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    value    TEXT NOT NULL,  -- JSON
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE catalog (
    -- A named catalog, for example one per OpenShift version.
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    priority      INTEGER NOT NULL,  -- higher is preferred, as spec.priority of a CatalogSource
    source        TEXT NOT NULL,     -- what it was built from, as given
    source_digest BLOB NOT NULL      -- SHA-256 over the documents' raw texts and places: equal means nothing to do; empty: not known
);

CREATE TABLE catalog_channel (
    -- Which graph a channel has in a catalog.
    catalog INTEGER NOT NULL REFERENCES catalog (id),
    channel INTEGER NOT NULL REFERENCES document (id),
    graph   INTEGER NOT NULL REFERENCES graph (id),
    PRIMARY KEY (catalog, channel)
) WITHOUT ROWID;

CREATE TABLE catalog_document (
    -- Which documents a catalog holds, and where.
    catalog  INTEGER NOT NULL REFERENCES catalog (id),
    position INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES document (id),
    file     INTEGER NOT NULL REFERENCES file (id),
    line     INTEGER NOT NULL,  -- from 1
    "column" INTEGER NOT NULL, layout INTEGER REFERENCES layout (id) /* NULL if nothing in it is pointed to, or it is not known */,  -- from 1, in characters
    PRIMARY KEY (catalog, position)
) WITHOUT ROWID;

CREATE TABLE catalog_image (
    -- Only of catalogs that came from images.
    catalog INTEGER PRIMARY KEY REFERENCES catalog (id),
    digest  TEXT NOT NULL  -- of the index of the image if it has one, else of its manifest: `sha256:…`
);

CREATE TABLE catalog_label (
    -- Labels of a catalog, as metadata.labels of a ClusterCatalog.
    catalog INTEGER NOT NULL REFERENCES catalog (id),
    key     TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (catalog, key)
) WITHOUT ROWID;

CREATE TABLE catalog_package (
    -- The packages that a catalog speaks of.
    catalog  INTEGER NOT NULL REFERENCES catalog (id),
    package  TEXT NOT NULL,
    document INTEGER REFERENCES document (id),  -- its olm.package; NULL if there is none
    is_valid INTEGER NOT NULL,                  -- 0 if it has errors: such packages are only in indexes in memory
    PRIMARY KEY (catalog, package)
) WITHOUT ROWID;

CREATE TABLE category (
    -- Annotation `categories`, split at commas.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    category TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE channel (
    -- olm.channel
    document INTEGER PRIMARY KEY REFERENCES document (id),
    package  TEXT NOT NULL,
    name     TEXT NOT NULL
);

CREATE TABLE complaint (
    -- What opm says of a bundle under each channel that lists it.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    rank     INTEGER NOT NULL,  -- its place among what opm says of the bundle
    message  TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE content_defect (
    -- Documents of a content that cannot be decoded, and so are none.
    content  INTEGER NOT NULL REFERENCES file_content (id),
    position INTEGER NOT NULL,
    package  TEXT NOT NULL,  -- empty if not even that is known
    PRIMARY KEY (content, position)
) WITHOUT ROWID;

CREATE TABLE deprecation (
    -- Entries of olm.deprecations.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    schema   TEXT NOT NULL,  -- olm.package, olm.channel or olm.bundle
    name     TEXT NOT NULL,
    message  TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE document (
    -- A document (blob), once however many catalogs hold it.
    id      INTEGER PRIMARY KEY,
    digest  BLOB NOT NULL UNIQUE,  -- SHA-256 of its normal form: compact JSON with sorted keys
    schema  TEXT NOT NULL,         -- for example olm.bundle
    package TEXT NOT NULL,         -- of an olm.package its own name
    name    TEXT NOT NULL
);

CREATE TABLE document_source (
    -- The texts that documents were read from: a text that is known need not be parsed again.
    raw_digest BLOB NOT NULL PRIMARY KEY,  -- SHA-256 of 'J' (JSON) or 'Y' (YAML) and the text as it stands in the file
    document   INTEGER NOT NULL REFERENCES document (id)
, layout INTEGER REFERENCES layout (id) /* as catalog_document.layout: equal texts have equal layouts */) WITHOUT ROWID;

CREATE TABLE edge (
    -- An upgrade from `source` to `target`, because of a field of the target's entry.
    graph  INTEGER NOT NULL REFERENCES graph (id),
    source INTEGER NOT NULL,  -- node.number
    target INTEGER NOT NULL,  -- node.number
    kind   TEXT NOT NULL,     -- replaces, skips or skipRange
    PRIMARY KEY (graph, source, target, kind)
) WITHOUT ROWID;

CREATE TABLE entry (
    -- An entry of a channel.
    document   INTEGER NOT NULL REFERENCES document (id),
    position   INTEGER NOT NULL,
    name       TEXT NOT NULL,  -- of the bundle
    replaces   TEXT NOT NULL,
    skip_range TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE entry_skip (
    -- One name in the `skips` of an entry.
    document INTEGER NOT NULL REFERENCES document (id),
    entry    INTEGER NOT NULL,  -- entry.position
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    PRIMARY KEY (document, entry, position),
    FOREIGN KEY (document, entry) REFERENCES entry (document, position)
) WITHOUT ROWID;

CREATE TABLE feature (
    -- Annotations features.operators.openshift.io/<name>, and the older list in
    -- operators.openshift.io/infrastructure-features, whose items have the value `true` here.
    document INTEGER NOT NULL REFERENCES document (id),
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (document, name)
) WITHOUT ROWID;

CREATE TABLE file (
    -- A file of a catalog.
    id       INTEGER PRIMARY KEY,
    catalog  INTEGER NOT NULL REFERENCES catalog (id),
    position INTEGER NOT NULL,  -- in the order in which the catalog is read
    path     TEXT NOT NULL
);

CREATE TABLE file_content (
    -- What a file was, once however many states and catalogs had it.
    id        INTEGER PRIMARY KEY,
    digest    BLOB NOT NULL UNIQUE,  -- SHA-256 of its bytes
    documents BLOB NOT NULL          -- packed: documents in their order with lines, columns and layouts
);

CREATE TABLE finding (
    -- What the checks found in a document by itself, kept so that a document that is known is reported again.
    document  INTEGER NOT NULL REFERENCES document (id),
    position  INTEGER NOT NULL,
    rule      TEXT NOT NULL,  -- identifier, for example W0503
    message   TEXT NOT NULL,
    help      TEXT,
    spot      TEXT NOT NULL,  -- where in the document, as JSON
    opm_phase INTEGER,        -- which step of opm stops there, if one does
    opm_step  INTEGER,
    opm_text  TEXT,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE git_commit (
    -- A commit that made states.
    id      INTEGER PRIMARY KEY,
    digest  TEXT NOT NULL UNIQUE,
    time    INTEGER NOT NULL,  -- when it was committed, as it says, in seconds since 1970; within the years 1970 to 9999
    subject TEXT NOT NULL      -- the first line of its message, at most 200 characters, control characters escaped
);

CREATE TABLE graph (
    -- The upgrade graph of a channel. It depends on the channel's document and, for skipRange, on the versions of the
    -- bundles that the catalog has for its entries; catalogs that agree on both share it.
    id      INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL REFERENCES document (id),
    digest  BLOB NOT NULL UNIQUE,  -- SHA-256 over the channel's document and those of its entries' bundles
    head    INTEGER                -- node.number of the only entry that nothing replaces or skips; else NULL
, range_edges INTEGER /* how many edges it has by skipRange; NULL if they are left out, being over 250,000 */);

CREATE TABLE image (
    -- An image reference.
    id        INTEGER PRIMARY KEY,
    reference TEXT NOT NULL UNIQUE
);

CREATE TABLE install_mode (
    -- spec.installModes
    document  INTEGER NOT NULL REFERENCES document (id),
    position  INTEGER NOT NULL,
    type      TEXT NOT NULL,
    supported INTEGER NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE keyword (
    -- spec.keywords
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    keyword  TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE layout (
    -- How the parts of documents are laid out in their texts, each distinct one once: of a channel its entries with their edges, of a
    -- bundle its properties. Lines count from the document's first line with content, which is catalog_document.line.
    id    INTEGER PRIMARY KEY,
    marks BLOB NOT NULL  -- packed: numbers of lines since the last place, and columns where they differ
);

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

CREATE TABLE lifecycle_version (
    -- Minor versions of a lifecycle, in its order. Of two entries of one minor version the first counts.
    document      INTEGER NOT NULL REFERENCES document (id),
    position      INTEGER NOT NULL,
    minor         TEXT NOT NULL,     -- as it is written
    minor_key     BLOB,              -- the beginning of the bundle.version_key of its versions; NULL if it has no number
    has_platforms INTEGER NOT NULL,  -- 0 if it says nothing of platforms
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE link (
    -- spec.links
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    url      TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE maintainer (
    -- spec.maintainers
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    email    TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE meta (
    -- Facts of the index itself: `olmdex`, the version that wrote it last.
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE node (
    -- A name in a graph: first the entries in their order, then names that only `replaces` and `skips` mention.
    graph    INTEGER NOT NULL REFERENCES graph (id),
    number   INTEGER NOT NULL,
    name     TEXT NOT NULL,
    entry    INTEGER,                             -- entry.position; NULL for a name that is only mentioned
    document INTEGER REFERENCES document (id),    -- the bundle; NULL if the catalog has none
    PRIMARY KEY (graph, number)
) WITHOUT ROWID;

CREATE TABLE obstacle (
    -- What may keep a bundle from OLM v1. Webhooks and grants are known only of bundles whose bundle.facts_from is olm.bundle.object.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,  -- apiService: it owns an API of a server; webhook: it has one; olmAccess: its RBAC grants a resource of operators.coreos.com, and none of the APIs of OLM v1
    value    TEXT NOT NULL,  -- the API, the webhook or the resource
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE package (
    -- olm.package
    document        INTEGER PRIMARY KEY REFERENCES document (id),
    name            TEXT NOT NULL,
    default_channel TEXT NOT NULL,
    description     INTEGER REFERENCES text (id),
    profile         INTEGER REFERENCES profile (id)
);

CREATE TABLE package_icon (
    -- The icon of a package.
    document  INTEGER PRIMARY KEY REFERENCES document (id),
    mediatype TEXT NOT NULL,
    bytes     BLOB NOT NULL
);

CREATE TABLE "packed_text" (
    -- The documents' normal form, packed: see v_document_json.
    document INTEGER PRIMARY KEY REFERENCES document (id),
    codec    INTEGER NOT NULL,  -- 0 as it is, 1 zstd
    size     INTEGER NOT NULL,  -- bytes when decompressed
    bytes    BLOB NOT NULL
, base INTEGER REFERENCES document (id) /* whose text is the dictionary, which has none itself; NULL if there is none */);

CREATE TABLE past_channel (
    -- Which graph a channel had.
    catalog INTEGER NOT NULL REFERENCES catalog (id),
    channel INTEGER NOT NULL REFERENCES document (id),
    first   INTEGER NOT NULL,
    last    INTEGER,
    graph   INTEGER NOT NULL REFERENCES graph (id),
    PRIMARY KEY (catalog, channel, first)
) WITHOUT ROWID;

CREATE TABLE past_document (
    -- The documents of a catalog, of its valid packages.
    document INTEGER NOT NULL REFERENCES document (id),
    catalog  INTEGER NOT NULL REFERENCES catalog (id),
    first    INTEGER NOT NULL,
    last     INTEGER,
    PRIMARY KEY (document, catalog, first)
) WITHOUT ROWID;

CREATE TABLE past_file (
    -- The contents of a catalog's files.
    catalog INTEGER NOT NULL REFERENCES catalog (id),
    path    TEXT NOT NULL,
    first   INTEGER NOT NULL,
    last    INTEGER,
    content INTEGER REFERENCES file_content (id),  -- NULL if it is not known: a link, or an object that the repository lacked
    PRIMARY KEY (catalog, path, first)
) WITHOUT ROWID;

CREATE TABLE past_package (
    -- The packages of a catalog.
    catalog  INTEGER NOT NULL REFERENCES catalog (id),
    package  TEXT NOT NULL,
    first    INTEGER NOT NULL,
    last     INTEGER,
    status   TEXT NOT NULL,                     -- valid; mentioned: only lifecycles are about it; broken, unknown (a content is not known): left out
    document INTEGER REFERENCES document (id),  -- its olm.package; NULL if there is none
    PRIMARY KEY (catalog, package, first)
) WITHOUT ROWID;

CREATE TABLE platform (
    -- Labels operatorframework.io/arch.<name> and operatorframework.io/os.<name>.
    document INTEGER NOT NULL REFERENCES document (id),
    kind     TEXT NOT NULL,  -- arch or os
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,  -- `supported`
    PRIMARY KEY (document, kind, name)
) WITHOUT ROWID;

CREATE TABLE platform_release (
    -- Releases, once for each channel.
    source      INTEGER NOT NULL REFERENCES update_source (id),
    position    INTEGER NOT NULL,
    channel     TEXT,             -- NULL if it is not known
    version     TEXT NOT NULL,
    version_key BLOB,             -- as bundle.version_key
    arch        TEXT,             -- NULL if the entry is for all
    url         TEXT NOT NULL,    -- its errata
    PRIMARY KEY (source, position)
) WITHOUT ROWID;

CREATE TABLE platform_update (
    -- Updates; of answers only.
    source       INTEGER NOT NULL REFERENCES update_source (id),
    position     INTEGER NOT NULL,
    from_version TEXT NOT NULL,
    to_version   TEXT NOT NULL,
    PRIMARY KEY (source, position)
) WITHOUT ROWID;

CREATE TABLE platform_update_risk (
    -- What speaks against an update; nothing if it is recommended to all.
    source        INTEGER NOT NULL REFERENCES update_source (id),
    "update"      INTEGER NOT NULL,  -- platform_update.position
    position      INTEGER NOT NULL,
    risk          INTEGER NOT NULL REFERENCES update_risk (id),
    PRIMARY KEY (source, "update", position)
) WITHOUT ROWID;

CREATE TABLE profile (
    -- A distinct set of searchable texts, shared by the bundles (and package) that have the same; rowid of `search`.
    id     INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE
);

CREATE TABLE property (
    -- Properties of packages, channels and bundles.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    type     TEXT NOT NULL,
    value    TEXT,  -- compact JSON; NULL if absent, and for the large olm.csv.metadata and olm.bundle.object
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE provided_api (
    -- Properties olm.gvk.
    document INTEGER NOT NULL REFERENCES document (id),
    api      INTEGER NOT NULL REFERENCES api (id),
    PRIMARY KEY (document, api)
) WITHOUT ROWID;

CREATE TABLE refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));

CREATE TABLE related_image (
    -- relatedImages of a bundle.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    image    INTEGER NOT NULL REFERENCES image (id),
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE TABLE required_api (
    -- Properties olm.gvk.required.
    document INTEGER NOT NULL REFERENCES document (id),
    api      INTEGER NOT NULL REFERENCES api (id),
    PRIMARY KEY (document, api)
) WITHOUT ROWID;

CREATE TABLE required_package (
    -- Properties olm.package.required.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    package  TEXT NOT NULL,
    range    TEXT NOT NULL,  -- in the syntax of blang/semver
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5 (
    name, display_name, provider, keywords, description, api,
    content = '', tokenize = 'unicode61'
);

CREATE TABLE state (
    -- A state of a catalog.
    catalog   INTEGER NOT NULL REFERENCES catalog (id),
    number    INTEGER NOT NULL,
    name      TEXT NOT NULL,     -- its day, tag, or the beginning of the commit's digest
    time      INTEGER NOT NULL,  -- of the commit
    commit_id INTEGER NOT NULL REFERENCES git_commit (id),
    tree      TEXT NOT NULL,     -- git's digest of the catalog's directory: equal means equal
    PRIMARY KEY (catalog, number)
) WITHOUT ROWID;

CREATE TABLE text (
    -- Long texts for people, packed, each distinct one once: see v_description.
    id     INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,  -- SHA-256
    codec  INTEGER NOT NULL,      -- as document_text.codec
    size   INTEGER NOT NULL,
    bytes  BLOB NOT NULL
);

CREATE TABLE update_risk (
    -- What speaks against updates, each distinct risk once.
    id             INTEGER PRIMARY KEY,
    name           TEXT NOT NULL,
    url            TEXT NOT NULL,
    message        TEXT NOT NULL,
    matching_rules TEXT NOT NULL  -- JSON, as answers have it: who is exposed; of a blocked edge without rules []
);

CREATE TABLE update_source (
    -- Where updates are known from.
    id     INTEGER PRIMARY KEY,  -- in the order in which they were given
    source TEXT NOT NULL,        -- as given
    kind   TEXT NOT NULL,        -- answer: of the update service, its updates are exact; data: a copy of the graph data, which has no updates
    as_of  TEXT,                 -- the day of the newest of its files, not after that of SOURCE_DATE_EPOCH: what came later it does not know; NULL if not known
    digest BLOB NOT NULL         -- SHA-256 of what was read: equal means nothing to do
);

CREATE TABLE update_warning (
    -- What could not be read, kept so that a source that is known is reported again.
    source   INTEGER NOT NULL REFERENCES update_source (id),
    position INTEGER NOT NULL,
    message  TEXT NOT NULL,
    PRIMARY KEY (source, position)
) WITHOUT ROWID;

CREATE INDEX api_kind ON api (kind);

CREATE INDEX bundle_capability ON bundle (capability_level COLLATE NOCASE);

CREATE INDEX bundle_image ON bundle (image);

CREATE INDEX bundle_name ON bundle (name);

CREATE INDEX bundle_package ON bundle (package, version_key);

CREATE INDEX bundle_profile ON bundle (profile);

CREATE INDEX catalog_channel_graph ON catalog_channel (graph);

CREATE INDEX catalog_document_document ON catalog_document (document, catalog);

CREATE INDEX category_name ON category (category COLLATE NOCASE);

CREATE INDEX channel_package ON channel (package, name);

CREATE INDEX document_package ON document (package, schema, name);

CREATE INDEX document_source_document ON document_source (document);

CREATE INDEX edge_target ON edge (graph, target);

CREATE INDEX entry_name ON entry (name);

CREATE INDEX feature_name ON feature (name, value);

CREATE INDEX file_catalog ON file (catalog, position);

CREATE INDEX graph_channel ON graph (channel);

CREATE INDEX keyword_name ON keyword (keyword COLLATE NOCASE);

CREATE INDEX lifecycle_version_key ON lifecycle_version (minor_key);

CREATE INDEX node_document ON node (document);

CREATE INDEX node_name ON node (name);

CREATE INDEX package_name ON package (name);

CREATE INDEX package_profile ON package (profile);

CREATE INDEX past_channel_graph ON past_channel (graph);

CREATE INDEX past_document_catalog ON past_document (catalog, first);

CREATE INDEX past_file_content ON past_file (content);

CREATE INDEX past_package_package ON past_package (package);

CREATE INDEX platform_name ON platform (kind, name);

CREATE INDEX property_type ON property (type) WHERE type NOT IN ('olm.gvk', 'olm.package', 'olm.bundle.object');

CREATE INDEX provided_api_api ON provided_api (api, document);

CREATE INDEX related_image_image ON related_image (image);

CREATE INDEX required_api_api ON required_api (api, document);

CREATE INDEX required_package_package ON required_package (package);

CREATE INDEX state_commit ON state (commit_id);

CREATE INDEX state_time ON state (catalog, time, number);

CREATE VIEW document_text AS
SELECT t.document, CASE WHEN t.base IS NULL THEN t.codec ELSE 0 END AS codec, t.size,
       CASE WHEN t.base IS NULL THEN t.bytes ELSE unpack_with(
           t.size, t.bytes,
           (SELECT b.codec FROM packed_text b WHERE b.document = t.base),
           (SELECT b.size FROM packed_text b WHERE b.document = t.base),
           (SELECT b.bytes FROM packed_text b WHERE b.document = t.base)
       ) END AS bytes
FROM packed_text t;

CREATE VIEW v_api AS
SELECT c.name AS catalog, a."group", a.version, a.kind, 'provides' AS relation, b.package, b.name AS bundle,
       b.version AS bundle_version, b.document
FROM api a
JOIN provided_api p ON p.api = a.id
JOIN bundle b ON b.document = p.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog
UNION ALL
SELECT c.name, a."group", a.version, a.kind, 'requires', b.package, b.name, b.version, b.document
FROM api a
JOIN required_api p ON p.api = a.id
JOIN bundle b ON b.document = p.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_blocked_edge AS
SELECT s.source, b.to_version, b.from_pattern, k.name AS risk, k.url, k.message, k.matching_rules, b.file
FROM update_source s JOIN blocked_edge b ON b.source = s.id JOIN update_risk k ON k.id = b.risk;

CREATE VIEW v_build_suggestion AS
SELECT s.source, b.minor, b.arch, b.minor_min, b.minor_max, b.z_min, b.z_max, b.minor_block_list, b.z_block_list
FROM update_source s JOIN build_suggestion b ON b.source = s.id;

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

CREATE VIEW v_catalog AS
SELECT c.name AS catalog, c.priority, c.source,
       (SELECT count(*) FROM catalog_package p WHERE p.catalog = c.id) AS packages,
       (SELECT count(*) FROM catalog_document d WHERE d.catalog = c.id) AS documents
FROM catalog c;

CREATE VIEW v_category AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.category, b.document
FROM category x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_channel AS
SELECT c.name AS catalog, ch.package, ch.name AS channel, n.name AS head, h.version AS head_version,
       (SELECT count(*) FROM entry e WHERE e.document = ch.document) AS entries,
       coalesce(k.default_channel = ch.name, 0) AS is_default,
       ch.document, cc.graph
FROM catalog c
JOIN catalog_channel cc ON cc.catalog = c.id
JOIN channel ch ON ch.document = cc.channel
JOIN graph g ON g.id = cc.graph
LEFT JOIN node n ON n.graph = g.id AND n.number = g.head
LEFT JOIN bundle h ON h.document = n.document
LEFT JOIN catalog_package p ON p.catalog = c.id AND p.package = ch.package
LEFT JOIN package k ON k.document = p.document;

CREATE VIEW v_dependency AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, r.kind, r.required, r.range, b.document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN bundle b ON b.document = cd.document
JOIN (
    SELECT document, 'package' AS kind, package AS required, range FROM required_package
    UNION ALL
    SELECT q.document, 'api', a."group" || '/' || a.version || '/' || a.kind, ''
    FROM required_api q JOIN api a ON a.id = q.api
    UNION ALL
    SELECT document, 'constraint', value, '' FROM bundle_constraint
) r ON r.document = b.document;

CREATE VIEW v_deprecation AS
SELECT c.name AS catalog, d.package, x.schema, x.name, x.message, d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN deprecation x ON x.document = cd.document
JOIN document d ON d.id = x.document;

CREATE VIEW v_description AS
SELECT c.name AS catalog, d.schema, d.package, d.name, unpack(t.codec, t.size, t.bytes) AS description,
       d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN document d ON d.id = cd.document
JOIN text t ON t.id = coalesce(
    (SELECT b.description FROM bundle b WHERE b.document = d.id),
    (SELECT p.description FROM package p WHERE p.document = d.id)
);

CREATE VIEW v_document AS
SELECT c.name AS catalog, cd.position, d.schema, d.package, d.name, f.path AS file, cd.line, cd."column",
       lower(hex(d.digest)) AS digest, d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN document d ON d.id = cd.document
JOIN file f ON f.id = cd.file;

CREATE VIEW v_document_json AS
SELECT c.name AS catalog, d.schema, d.package, d.name, unpack(t.codec, t.size, t.bytes) AS json, d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN document d ON d.id = cd.document
JOIN document_text t ON t.document = d.id;

CREATE VIEW v_edge AS
SELECT c.name AS catalog, ch.package, ch.name AS channel, s.name AS source, t.name AS target, e.kind,
       sb.version AS source_version, tb.version AS target_version,
       s.document AS source_document, t.document AS target_document
FROM catalog c
JOIN catalog_channel cc ON cc.catalog = c.id
JOIN channel ch ON ch.document = cc.channel
JOIN edge e ON e.graph = cc.graph
JOIN node s ON s.graph = e.graph AND s.number = e.source
JOIN node t ON t.graph = e.graph AND t.number = e.target
LEFT JOIN bundle sb ON sb.document = s.document
LEFT JOIN bundle tb ON tb.document = t.document;

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

CREATE VIEW v_feature AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.name AS feature, x.value, b.document
FROM feature x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_icon AS
SELECT c.name AS catalog, k.name AS package, i.mediatype, i.bytes, i.document
FROM package_icon i
JOIN package k ON k.document = i.document
JOIN catalog_document cd ON cd.document = i.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_image AS
SELECT c.name AS catalog, i.reference AS image, 'bundle' AS kind, '' AS name, b.package, b.name AS bundle, b.version,
       b.document
FROM image i
JOIN bundle b ON b.image = i.id
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog
UNION ALL
SELECT c.name, i.reference, 'related', r.name, b.package, b.name, b.version, b.document
FROM image i
JOIN related_image r ON r.image = i.id
JOIN bundle b ON b.document = r.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_install_mode AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.type, x.supported, b.document
FROM install_mode x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_keyword AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.keyword, b.document
FROM keyword x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_label AS
SELECT c.name AS catalog, l.key, l.value FROM catalog c JOIN catalog_label l ON l.catalog = c.id;

CREATE VIEW v_lifecycle AS
SELECT c.name AS catalog, d.package, v.minor, v.minor_key, p.position, p.phase, p.start_date, p.end_date, d.id AS document
FROM lifecycle_version v
JOIN lifecycle_phase p ON p.document = v.document AND p.version = v.position
JOIN document d ON d.id = v.document
JOIN catalog_document cd ON cd.document = d.id
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_link AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.name, x.url, b.document
FROM link x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_maintainer AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.name, x.email, b.document
FROM maintainer x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_obstacle AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.kind, x.value, b.document
FROM obstacle x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

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

CREATE VIEW v_past_channel AS
SELECT c.name AS catalog, ch.package, ch.name AS channel, n.name AS head, h.version AS head_version, p.first, p.last,
       date(f.time, 'unixepoch') AS first_day, date(g.time, 'unixepoch') AS gone_day, p.channel AS document, p.graph
FROM past_channel p
JOIN catalog c ON c.id = p.catalog
JOIN channel ch ON ch.document = p.channel
JOIN graph gr ON gr.id = p.graph
LEFT JOIN node n ON n.graph = gr.id AND n.number = gr.head
LEFT JOIN bundle h ON h.document = n.document
JOIN state f ON f.catalog = p.catalog AND f.number = p.first
LEFT JOIN state g ON g.catalog = p.catalog AND g.number = p.last + 1;

CREATE VIEW v_past_document AS
SELECT c.name AS catalog, d.schema, d.package, d.name, b.version, p.first, p.last,
       date(f.time, 'unixepoch') AS first_day, fk.digest AS first_commit,
       date(g.time, 'unixepoch') AS gone_day, gk.digest AS gone_commit, d.id AS document
FROM past_document p
JOIN catalog c ON c.id = p.catalog
JOIN document d ON d.id = p.document
LEFT JOIN bundle b ON b.document = d.id
JOIN state f ON f.catalog = p.catalog AND f.number = p.first
JOIN git_commit fk ON fk.id = f.commit_id
LEFT JOIN state g ON g.catalog = p.catalog AND g.number = p.last + 1
LEFT JOIN git_commit gk ON gk.id = g.commit_id;

CREATE VIEW v_past_package AS
SELECT c.name AS catalog, p.package, p.status, k.default_channel, p.first, p.last,
       date(f.time, 'unixepoch') AS first_day, date(g.time, 'unixepoch') AS gone_day, p.document
FROM past_package p
JOIN catalog c ON c.id = p.catalog
LEFT JOIN package k ON k.document = p.document
JOIN state f ON f.catalog = p.catalog AND f.number = p.first
LEFT JOIN state g ON g.catalog = p.catalog AND g.number = p.last + 1;

CREATE VIEW v_platform AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.kind, x.name, x.value, b.document
FROM platform x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_platform_compatibility AS
SELECT c.name AS catalog, d.package, v.minor, v.minor_key, p.name AS platform, p.listed AS version, d.id AS document
FROM lifecycle_version v
JOIN lifecycle_platform p ON p.document = v.document AND p.version = v.position
JOIN document d ON d.id = v.document
JOIN catalog_document cd ON cd.document = d.id
JOIN catalog c ON c.id = cd.catalog
WHERE p.listed IS NOT NULL;

CREATE VIEW v_property AS
SELECT c.name AS catalog, d.schema, d.package, d.name, p.position, p.type, p.value, d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN document d ON d.id = cd.document
JOIN property p ON p.document = d.id;

CREATE VIEW v_release AS
SELECT s.source, r.channel, r.version, r.version_key, r.arch, r.url
FROM update_source s JOIN platform_release r ON r.source = s.id;

CREATE VIEW v_state AS
SELECT c.name AS catalog, s.number, s.name AS state, date(s.time, 'unixepoch') AS day,
       strftime('%Y-%m-%dT%H:%M:%SZ', s.time, 'unixepoch') AS time, k.digest AS commit_digest, k.subject, s.tree
FROM catalog c JOIN state s ON s.catalog = c.id JOIN git_commit k ON k.id = s.commit_id;

CREATE VIEW v_update AS
SELECT s.source, u.from_version, u.to_version, k.name AS risk, k.url, k.message, k.matching_rules
FROM update_source s
JOIN platform_update u ON u.source = s.id
LEFT JOIN platform_update_risk r ON r.source = u.source AND r."update" = u.position
LEFT JOIN update_risk k ON k.id = r.risk;
