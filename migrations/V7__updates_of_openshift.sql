-- Known updates of OpenShift: saved answers of the update service, and copies of the graph data.

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

CREATE TABLE update_risk (
    -- What speaks against updates, each distinct risk once.
    id             INTEGER PRIMARY KEY,
    name           TEXT NOT NULL,
    url            TEXT NOT NULL,
    message        TEXT NOT NULL,
    matching_rules TEXT NOT NULL  -- JSON, as answers have it: who is exposed; of a blocked edge without rules []
);

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

CREATE VIEW v_release AS
SELECT s.source, r.channel, r.version, r.version_key, r.arch, r.url
FROM update_source s JOIN platform_release r ON r.source = s.id;

CREATE VIEW v_update AS
SELECT s.source, u.from_version, u.to_version, k.name AS risk, k.url, k.message, k.matching_rules
FROM update_source s
JOIN platform_update u ON u.source = s.id
LEFT JOIN platform_update_risk r ON r.source = u.source AND r."update" = u.position
LEFT JOIN update_risk k ON k.id = r.risk;

CREATE VIEW v_blocked_edge AS
SELECT s.source, b.to_version, b.from_pattern, k.name AS risk, k.url, k.message, k.matching_rules, b.file
FROM update_source s JOIN blocked_edge b ON b.source = s.id JOIN update_risk k ON k.id = b.risk;

CREATE VIEW v_build_suggestion AS
SELECT s.source, b.minor, b.arch, b.minor_min, b.minor_max, b.z_min, b.z_max, b.minor_block_list, b.z_block_list
FROM update_source s JOIN build_suggestion b ON b.source = s.id;
