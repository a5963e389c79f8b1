-- Where entries, edges and properties stand, so that an answer can name their lines without the file at hand.

CREATE TABLE layout (
    -- How the parts of documents are laid out in their texts, each distinct one once: of a channel its entries with their edges, of a
    -- bundle its properties. Lines count from the document's first line with content, which is catalog_document.line.
    id    INTEGER PRIMARY KEY,
    marks BLOB NOT NULL  -- packed: numbers of lines since the last place, and columns where they differ
) STRICT;

ALTER TABLE catalog_document ADD COLUMN
    layout INTEGER REFERENCES layout (id) /* NULL if nothing in it is pointed to, or it is not known */;
ALTER TABLE document_source ADD COLUMN
    layout INTEGER REFERENCES layout (id) /* as catalog_document.layout: equal texts have equal layouts */;

-- Schema 2 did not know layouts: the next build reads everything once more.
DELETE FROM document_source;
UPDATE catalog SET source_digest = x'';
