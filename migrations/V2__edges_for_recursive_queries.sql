-- What recursive queries over upgrade graphs need: which graphs lack edges, and nodes by their names.

ALTER TABLE graph ADD COLUMN
    range_edges INTEGER /* how many edges it has by skipRange; NULL if they are left out, being over 250,000 */;

-- Schema 1 did not say whether they are left out. Where a channel has ranges and no such edges, they may be.
UPDATE graph SET range_edges = (SELECT count(*) FROM edge e WHERE e.graph = graph.id AND e.kind = 'skipRange');
UPDATE graph SET range_edges = NULL
WHERE range_edges = 0 AND EXISTS (SELECT 1 FROM entry e WHERE e.document = graph.channel AND e.skip_range <> '');

CREATE INDEX node_name ON node (name);
