//! What is remarkable about an image: what clusters see differently, and what was passed over.
//!
//! Identifiers are stable: a rule that goes is never followed by another of its number.

use olmdex_base::diag::rules;

rules! {
    CLIMBING_NAME: "W1701", "climbing-name", Warning,
        "The names in a layer stay below its root.",
        "A name with too many `..` is taken as one at the root, as container engines do. No program that builds images writes such names.",
        "../../configs/till.yaml";
    PASSED_OVER: "W1702", "special-file", Warning,
        "A catalog has files, directories and links.",
        "Devices, pipes and sockets below the directory of the catalog are passed over. opm opens them, and waits for ever for a pipe.",
        "mknod configs/till.yaml p";
    HIDDEN_IN_OPM_ONLY: "W1703", "catalogd-sees-more", Warning,
        "Files of a catalog are removed in its own directory.",
        "catalogd looks at the directory of the catalog only, so it does not notice that a layer removes a directory above it: on clusters with OLM v1 the removed files stay in the catalog.",
        ".wh.configs in the root of a layer";
    TWO_CATALOGS: "W1704", "two-catalogs", Warning,
        "An image holds one catalog.",
        "The image has the labels of a catalog and of a legacy database. Clusters serve the catalog, and so it is read; opm up to v1.73 reads the database.",
        "LABEL operators.operatorframework.io.index.database.v1=/database/index.db";
    WRONG_DIFF_ID: "W1705", "wrong-diff-id", Warning,
        "The configuration of an image has the digest of each layer when it is decompressed.",
        "Container engines refuse such an image; opm and catalogd do not look.",
        "rootfs: {diff_ids: []}";
    WRONG_SIZE: "W1706", "wrong-size", Warning,
        "The manifest of an image says how many bytes each layer has.",
        "The layer is shorter, but its digest is right.",
        "layers: [{size: 4096, …}]   -- of 2048 bytes";
    OUTSIDE_LABEL: "W1707", "label-climbs", Warning,
        "The label names a directory in the image.",
        "A path with too many `..` is taken as one at the root. opm leaves the image for the host's own directories.",
        "LABEL operators.operatorframework.io.index.configs.v1=../../configs";
}
