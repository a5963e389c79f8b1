-- The tables of a legacy catalog at its last schema, 13 (`docs/behaviour/legacy-index.md` 1.4).
--
-- The two triggers differ from those of the real tool, which lose APIs that other bundles still provide; nothing depends
-- on that.
CREATE TABLE schema_migrations (version bigint NOT NULL, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE operatorbundle (
    name TEXT PRIMARY KEY,
    csv TEXT,
    bundle TEXT,
    bundlepath TEXT,
    skiprange TEXT,
    version TEXT,
    replaces TEXT,
    skips TEXT,
    substitutesfor TEXT
);
CREATE TABLE package (
    name TEXT PRIMARY KEY,
    default_channel TEXT,
    FOREIGN KEY (name, default_channel) REFERENCES channel (package_name, name) ON DELETE CASCADE
);
CREATE TABLE channel (
    name TEXT,
    package_name TEXT,
    head_operatorbundle_name TEXT,
    PRIMARY KEY (name, package_name),
    FOREIGN KEY (head_operatorbundle_name) REFERENCES operatorbundle (name) ON DELETE CASCADE
);
CREATE TABLE channel_entry (
    entry_id INTEGER PRIMARY KEY,
    channel_name TEXT,
    package_name TEXT,
    operatorbundle_name TEXT,
    replaces INTEGER,
    depth INTEGER,
    FOREIGN KEY (replaces) REFERENCES channel_entry (entry_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (channel_name, package_name) REFERENCES channel (name, package_name) ON DELETE CASCADE
);
CREATE TABLE api (
    group_name TEXT,
    version TEXT,
    kind TEXT,
    plural TEXT NOT NULL,
    PRIMARY KEY (group_name, version, kind)
);
CREATE TABLE api_provider (
    group_name TEXT,
    version TEXT,
    kind TEXT,
    operatorbundle_name TEXT,
    operatorbundle_version TEXT,
    operatorbundle_path TEXT,
    FOREIGN KEY (operatorbundle_name, operatorbundle_version, operatorbundle_path)
        REFERENCES operatorbundle (name, version, bundlepath) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_name, version, kind) REFERENCES api (group_name, version, kind) ON DELETE CASCADE
);
CREATE TABLE api_requirer (
    group_name TEXT,
    version TEXT,
    kind TEXT,
    operatorbundle_name TEXT,
    operatorbundle_version TEXT,
    operatorbundle_path TEXT,
    FOREIGN KEY (operatorbundle_name, operatorbundle_version, operatorbundle_path)
        REFERENCES operatorbundle (name, version, bundlepath) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_name, version, kind) REFERENCES api (group_name, version, kind) ON DELETE CASCADE
);
CREATE TABLE related_image (
    image TEXT,
    operatorbundle_name TEXT,
    FOREIGN KEY (operatorbundle_name) REFERENCES operatorbundle (name) ON DELETE CASCADE
);
CREATE TABLE dependencies (
    type TEXT,
    value TEXT,
    operatorbundle_name TEXT,
    operatorbundle_version TEXT,
    operatorbundle_path TEXT,
    FOREIGN KEY (operatorbundle_name, operatorbundle_version, operatorbundle_path)
        REFERENCES operatorbundle (name, version, bundlepath) ON DELETE CASCADE
);
CREATE TABLE properties (
    type TEXT,
    value TEXT,
    operatorbundle_name TEXT,
    operatorbundle_version TEXT,
    operatorbundle_path TEXT,
    FOREIGN KEY (operatorbundle_name, operatorbundle_version, operatorbundle_path)
        REFERENCES operatorbundle (name, version, bundlepath) ON DELETE CASCADE
);
CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY);
CREATE UNIQUE INDEX pk ON operatorbundle (name, version, bundlepath);
CREATE TRIGGER api_provider_cleanup AFTER DELETE ON api_provider
WHEN NOT EXISTS (SELECT 1 FROM api_provider
                 WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind)
 AND NOT EXISTS (SELECT 1 FROM api_requirer
                 WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind)
BEGIN
    DELETE FROM api WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind;
END;
CREATE TRIGGER api_requirer_cleanup AFTER DELETE ON api_requirer
WHEN NOT EXISTS (SELECT 1 FROM api_provider
                 WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind)
 AND NOT EXISTS (SELECT 1 FROM api_requirer
                 WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind)
BEGIN
    DELETE FROM api WHERE group_name = OLD.group_name AND version = OLD.version AND kind = OLD.kind;
END;
-- A fixed time: the same catalog gives the same bytes.
INSERT INTO schema_migrations VALUES (13, '2021-08-11 00:00:00');
