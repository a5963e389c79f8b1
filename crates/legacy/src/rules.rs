//! Remarks about a legacy catalog: parts that its conversion leaves out, facts that an older schema could not hold, and
//! facts that the other format cannot express.
//!
//! Identifiers are stable: a rule that goes is never followed by another of its number.

use olmdex_base::diag::rules;

rules! {
    INCONVERTIBLE: "E0601", "inconvertible-package", Error,
        "Every package of a legacy catalog is a valid package of file-based blobs.",
        "The legacy format allows graphs that file-based catalogs do not: several heads, chains that run through \
        skipped bundles, channels without bundles. One such package keeps opm from converting any package; with \
        `--keep-going`, olmdex converts the others.",
        "INSERT INTO channel VALUES ('empty', 'foo', 'foo.v1')   -- a channel without entries";
    NOT_PROVED: "E0602", "not-proved", Error,
        "The blobs hold the same content as the legacy file.",
        "Two readers that share no code have read both sides, and no known loss explains the difference. This is a bug \
        in olmdex: please report it with the file.",
        "the legacy file says foo.v2 replaces foo.v1, but the blobs do not";
    DAMAGED: "E0603", "damaged-file", Error,
        "SQLite can read the whole file, and the file has every table and column of its schema.",
        "Pages are missing or corrupt, or tables or columns of the schema are missing along with their data. Fetch the file again from the image that it came from.",
        "an interrupted download";
    IMPOSSIBLE_DEPTH: "E0604", "impossible-depth", Error,
        "The depth of every entry is its distance from the head of its channel, counted from 0 or 1.",
        "The conversion starts every chain at the smallest depth in the whole file, so one depth that is too small \
        turns the edges of all other channels into skips. Servers order entries by depth.",
        "UPDATE channel_entry SET depth = -5 WHERE entry_id = 7";
    ROW_WITHOUT_VALUE: "W0601", "row-without-value", Warning,
        "Every bundle has a version and a path, and every entry a bundle and a channel.",
        "Tools silently ignore a row with NULL there: the bundle is in no channel. An empty string is not NULL.",
        "UPDATE operatorbundle SET version = NULL WHERE name = 'foo.v1'";
    STRANDED_BUNDLE: "W0602", "stranded-bundle", Warning,
        "Every bundle is in a channel.",
        "No tool converts or serves a bundle that has no entry in a channel. A failed `registry add` leaves such \
        rows; `olmdex edit prune-stranded` removes them.",
        "INSERT INTO operatorbundle (name) VALUES ('foo.v9')   -- no channel_entry";
    DEPRECATED_BUNDLE: "W0603", "deprecated-bundle", Warning,
        "Bundles with an `olm.deprecated` property are not converted.",
        "Truncating a channel leaves a marked bundle as its end, which other bundles may still name in `replaces`. \
        File-based catalogs do not need it.",
        "opm registry deprecatetruncate -b quay.io/foo:v1";
    LOST_DEPENDENCY: "W0604", "lost-dependency", Warning,
        "Every dependency is an API or a package.",
        "Servers of the legacy format serve labels, constraints and other kinds of dependencies, but the conversion \
        drops them, like opm's. Write them as `olm.constraint` properties.",
        "INSERT INTO dependencies VALUES ('olm.label', '{\"label\":\"x\"}', 'foo.v1', …)";
    ORPHAN_ROWS: "W0605", "orphan-rows", Warning,
        "Every property, dependency and image belongs to a bundle.",
        "If the keys of a deleted bundle's rows are NULL, no cascade finds the rows, and they remain without effect.",
        "DELETE FROM operatorbundle WHERE name = 'foo.v1'   -- properties without path stay";
    UNREADABLE_ICON: "W0606", "unreadable-icon", Warning,
        "Every icon is valid base64.",
        "A package takes its icon from the head of its default channel. The conversion leaves out an icon that it \
        cannot decode.",
        "spec: {icon: [{base64data: '!!!', mediatype: image/svg+xml}]}";
    FILLED_FROM_MANIFESTS: "W0607", "filled-from-manifests", Warning,
        "The schema has columns for versions and ranges.",
        "Files of early releases lack these columns, or left them empty. olmdex reads versions and ranges from the \
        ClusterServiceVersions; opm would drop the bundles.",
        "a file written by v1.5.3";
    OPM_WOULD_LOSE: "W0608", "opm-would-lose", Warning,
        "Migrating the schema loses nothing.",
        "One of opm's migrations gives every dependency in a file below schema 9 the value of the first. In olmdex, \
        each keeps its own; `--as opm` shows opm's result.",
        "a file written by v1.10.0";
    GRAPH_IGNORES_COLUMN: "W0609", "head-is-not-the-head", Warning,
        "The head that a channel names is the head of its graph.",
        "Servers answer with the head that the channel's row names; the conversion derives the head from the edges. \
        Both should be the same bundle.",
        "UPDATE channel SET head_operatorbundle_name = 'foo.v1'";
    OLD_SCHEMA: "W0610", "old-schema", Warning,
        "The schema is the latest, 13.",
        "opm migrates an older file in place while reading it, and leaves it broken when the migration fails. olmdex \
        does not change the file.",
        "a file written before August 2021";
    SCHEMA_MISMATCH: "W0611", "schema-mismatch", Warning,
        "The schema is the one that the file claims.",
        "If `schema_migrations` claims less than the tables show, opm migrates again and stops at the first column \
        that already exists; if it claims more, its queries fail.",
        "DELETE FROM schema_migrations";
    INTERRUPTED: "W0612", "interrupted-writer", Warning,
        "No journal lies next to the file.",
        "Its writer was interrupted, or opm failed to migrate it. olmdex played the journal back into a copy, and \
        reads the copy.",
        "index.db-journal next to index.db";
    LOST_EDGE: "W0613", "lost-edge", Warning,
        "Every edge between bundles survives.",
        "An entry of a file-based channel has one `replaces`. The conversion loses further edges, and the edges of \
        bundles that it does not convert.",
        "two rows of foo.v2 on the chain, one replacing foo.v1, one replacing foo.v0";
    LOST_COLUMN: "W0614", "lost-column", Warning,
        "Every column can be stored in file-based blobs.",
        "The upgrade graph that a bundle's own columns describe (`replaces`, `skips`, `substitutesfor`) is the input \
        of a later `registry add`. Blobs hold the resulting graph, not the input.",
        "substitutesfor = 'foo.v1'";
    LOST_MANIFESTS: "W0615", "lost-manifests", Warning,
        "Every manifest survives.",
        "`--migrate-level bundle-object-to-csv-metadata` drops the manifests, except for the parts of the \
        ClusterServiceVersion that the property keeps. Blobs cannot store a `csv` column without manifests at all.",
        "a bundle whose `bundle` column is NULL and whose `csv` column is not";
    UNUSABLE_HEAD: "W0616", "unusable-head", Warning,
        "The head of every channel exists, with its ClusterServiceVersion.",
        "The server of packages reads name, icon and description from the `csv` column of every channel's head. The \
        server leaves out a channel whose head has none, and a package without channels.",
        "UPDATE operatorbundle SET csv = NULL WHERE name = 'foo.v2'   -- a head";
    UNSEARCHABLE_API: "W0617", "unsearchable-api", Warning,
        "Provided APIs are stored as TEXT in the form that servers compare with.",
        "Servers search for providers of an API by comparing values byte for byte, and a BLOB never equals a TEXT. \
        Such rows come from migrations of old files.",
        "INSERT INTO properties VALUES ('olm.gvk', CAST('{…}' AS BLOB), …)";
    BROKEN_REFERENCE: "W0618", "broken-reference", Warning,
        "Every reference between rows has a target.",
        "Servers skip rows whose bundle, channel or entry does not exist, but they may make a later change of the file \
        by opm fail.",
        "DELETE FROM channel WHERE name = 'alpha'   -- with foreign keys off";
    LOST_IN_LEGACY: "W0620", "not-in-legacy-format", Warning,
        "The legacy format can hold the whole catalog.",
        "It cannot store deprecations other than truncation, descriptions and properties of packages and channels, a skipRange that differs between channels, or blobs of other schemas.",
        "schema: olm.deprecations";
    INEXPRESSIBLE_GRAPH: "W0621", "graph-not-in-legacy-format", Warning,
        "Every entry is on the chain of its channel's head, or skipped.",
        "A row of the legacy format is an edge. The format cannot store an entry that the chain does not reach as a \
        member of the channel.",
        "entries: [{name: foo.v2, replaces: foo.v1}, {name: foo.v1}, {name: foo.v0}]";
    SYNTHETIC_CSV: "W0622", "synthetic-csv", Warning,
        "Every bundle carries its ClusterServiceVersion.",
        "Package servers read it from the file. If a bundle has only `olm.csv.metadata`, olmdex makes a \
        ClusterServiceVersion from that; if it has neither, it makes one with name and version only.",
        "a bundle without olm.bundle.object";
}
