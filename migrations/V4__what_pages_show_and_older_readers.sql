-- What pages about operators show and search by, and a schema that every SQLite since 3.34 can read.

CREATE TABLE maintainer (
    -- spec.maintainers
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    email    TEXT NOT NULL,
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

CREATE INDEX bundle_capability ON bundle (capability_level COLLATE NOCASE);
CREATE INDEX category_name ON category (category COLLATE NOCASE);
CREATE INDEX keyword_name ON keyword (keyword COLLATE NOCASE);

CREATE VIEW v_icon AS
SELECT c.name AS catalog, k.name AS package, i.mediatype, i.bytes, i.document
FROM package_icon i
JOIN package k ON k.document = i.document
JOIN catalog_document cd ON cd.document = i.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_category AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.category, b.document
FROM category x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_keyword AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.keyword, b.document
FROM keyword x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_install_mode AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.type, x.supported, b.document
FROM install_mode x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_platform AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.kind, x.name, x.value, b.document
FROM platform x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_maintainer AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.name, x.email, b.document
FROM maintainer x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

CREATE VIEW v_link AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.position, x.name, x.url, b.document
FROM link x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;

-- `contentless_delete` needs SQLite 3.43. What is no longer needed is deleted by its text. The program fills the table again.
DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (
    name, display_name, provider, keywords, description, api,
    content = '', tokenize = 'unicode61'
);

-- STRICT tables need SQLite 3.37. Their files are the same but for that word.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT, WITHOUT ROWID', ') WITHOUT ROWID'), ') STRICT', ')')
WHERE type = 'table' AND sql LIKE '%) STRICT%';
PRAGMA writable_schema = RESET;
