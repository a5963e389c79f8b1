//! Remarks about an image: differences from what clusters see, and parts that were skipped.
//!
//! Identifiers are stable: a rule that goes is never followed by another of its number.

use olmdex_base::diag::rules;

rules! {
    CLIMBING_NAME: "W1701", "climbing-name", Warning,
        "The names in a layer stay below its root.",
        "olmdex reads a name with too many `..` as a name at the root, like container engines. No program that builds \
        images writes such names.",
        "../../configs/till.yaml";
    PASSED_OVER: "W1702", "special-file", Warning,
        "A catalog has files, directories and links.",
        "olmdex ignores devices, pipes and sockets below the directory of the catalog. opm opens them, and waits \
        forever on a pipe.",
        "mknod configs/till.yaml p";
    HIDDEN_IN_OPM_ONLY: "W1703", "catalogd-sees-more", Warning,
        "A layer removes files of a catalog in the catalog's own directory.",
        "catalogd reads only the directory of the catalog, so it does not notice that a layer removes a directory \
        above it: on clusters with OLM v1 the removed files stay in the catalog.",
        ".wh.configs in the root of a layer";
    TWO_CATALOGS: "W1704", "two-catalogs", Warning,
        "An image holds one catalog.",
        "The image has the labels of a catalog and of a legacy database. Clusters serve the catalog, so olmdex reads \
        the catalog; opm up to v1.73 reads the database.",
        "LABEL operators.operatorframework.io.index.database.v1=/database/index.db";
    WRONG_DIFF_ID: "W1705", "wrong-diff-id", Warning,
        "The configuration of an image has the digest of each decompressed layer.",
        "Container engines refuse such an image; opm and catalogd do not check.",
        "rootfs: {diff_ids: []}";
    WRONG_SIZE: "W1706", "wrong-size", Warning,
        "The manifest of an image states the size of each layer.",
        "The layer is shorter, but its digest is right.",
        "layers: [{size: 4096, …}]   -- of 2048 bytes";
    OUTSIDE_LABEL: "W1707", "label-climbs", Warning,
        "The label names a directory in the image.",
        "olmdex reads a path with too many `..` as a path at the root. opm leaves the image for the host's own \
        directories.",
        "LABEL operators.operatorframework.io.index.configs.v1=../../configs";
}
