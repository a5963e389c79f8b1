-- What catalogs were, state by state.
--
-- A catalog with states is what it was in the last of them: the tables above hold that one as they hold any catalog. A row of a `past_…`
-- table says of what was in a catalog in which states, from the first to the last one, so that a state takes no more than what changed in
-- it. A state is a tree: of the paths of its files, each of which has a content, which is documents with their places. States of one catalog
-- are numbered from 1, in the order of first parents; `last` is NULL of what the last state has.

CREATE TABLE git_commit (
    -- A commit that made states.
    id      INTEGER PRIMARY KEY,
    digest  TEXT NOT NULL UNIQUE,
    time    INTEGER NOT NULL,  -- when it was committed, as it says, in seconds since 1970; within the years 1970 to 9999
    subject TEXT NOT NULL      -- the first line of its message, at most 200 characters, control characters escaped
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

CREATE TABLE file_content (
    -- What a file was, once however many states and catalogs had it.
    id        INTEGER PRIMARY KEY,
    digest    BLOB NOT NULL UNIQUE,  -- SHA-256 of its bytes
    documents BLOB NOT NULL          -- packed: documents in their order with lines, columns and layouts
);

CREATE TABLE content_defect (
    -- Documents of a content that cannot be decoded, and so are none.
    content  INTEGER NOT NULL REFERENCES file_content (id),
    position INTEGER NOT NULL,
    package  TEXT NOT NULL,  -- empty if not even that is known
    PRIMARY KEY (content, position)
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

CREATE TABLE past_document (
    -- The documents of a catalog, of its valid packages.
    document INTEGER NOT NULL REFERENCES document (id),
    catalog  INTEGER NOT NULL REFERENCES catalog (id),
    first    INTEGER NOT NULL,
    last     INTEGER,
    PRIMARY KEY (document, catalog, first)
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

CREATE TABLE past_channel (
    -- Which graph a channel had.
    catalog INTEGER NOT NULL REFERENCES catalog (id),
    channel INTEGER NOT NULL REFERENCES document (id),
    first   INTEGER NOT NULL,
    last    INTEGER,
    graph   INTEGER NOT NULL REFERENCES graph (id),
    PRIMARY KEY (catalog, channel, first)
) WITHOUT ROWID;

-- Versions of a bundle are much alike, so a text may be packed with that of another version as its dictionary. Statements read texts from
-- the view, which has the name and the columns of the table before.

DROP VIEW v_document_json;
ALTER TABLE document_text RENAME TO packed_text;
ALTER TABLE packed_text ADD COLUMN
    base INTEGER REFERENCES document (id) /* whose text is the dictionary, which has none itself; NULL if there is none */;

CREATE VIEW document_text AS
SELECT t.document, CASE WHEN t.base IS NULL THEN t.codec ELSE 0 END AS codec, t.size,
       CASE WHEN t.base IS NULL THEN t.bytes ELSE unpack_with(
           t.size, t.bytes,
           (SELECT b.codec FROM packed_text b WHERE b.document = t.base),
           (SELECT b.size FROM packed_text b WHERE b.document = t.base),
           (SELECT b.bytes FROM packed_text b WHERE b.document = t.base)
       ) END AS bytes
FROM packed_text t;

CREATE VIEW v_document_json AS
SELECT c.name AS catalog, d.schema, d.package, d.name, unpack(t.codec, t.size, t.bytes) AS json, d.id AS document
FROM catalog c
JOIN catalog_document cd ON cd.catalog = c.id
JOIN document d ON d.id = cd.document
JOIN document_text t ON t.document = d.id;

CREATE INDEX state_time ON state (catalog, time, number);
CREATE INDEX state_commit ON state (commit_id);
CREATE INDEX past_file_content ON past_file (content);
CREATE INDEX past_document_catalog ON past_document (catalog, first);
CREATE INDEX past_package_package ON past_package (package);
CREATE INDEX past_channel_graph ON past_channel (graph);

CREATE VIEW v_state AS
SELECT c.name AS catalog, s.number, s.name AS state, date(s.time, 'unixepoch') AS day,
       strftime('%Y-%m-%dT%H:%M:%SZ', s.time, 'unixepoch') AS time, k.digest AS commit_digest, k.subject, s.tree
FROM catalog c JOIN state s ON s.catalog = c.id JOIN git_commit k ON k.id = s.commit_id;

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
