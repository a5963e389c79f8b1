-- What OLM v1 looks at in a bundle besides install modes and dependencies.

CREATE TABLE obstacle (
    -- What may keep a bundle from OLM v1. Webhooks and grants are known only of bundles whose bundle.facts_from is olm.bundle.object.
    document INTEGER NOT NULL REFERENCES document (id),
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,  -- apiService: it owns an API of a server; webhook: it has one; olmAccess: its RBAC grants a resource of operators.coreos.com, and none of the APIs of OLM v1
    value    TEXT NOT NULL,  -- the API, the webhook or the resource
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

CREATE VIEW v_obstacle AS
SELECT c.name AS catalog, b.package, b.name AS bundle, b.version, x.kind, x.value, b.document
FROM obstacle x
JOIN bundle b ON b.document = x.document
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog;
