//! The rules of package-manifest directories.
//!
//! Identifiers are never used again.

use olmdex_base::diag::rules;

rules! {
    SEVERAL: "E1111", "package-manifest-several", Error,
        "A directory has one package manifest.",
        "The versions in the directory belong to one package. If there are several manifests, olmdex reads the first.",
        "etcd.package.yaml and old.package.yaml";
    FIELD: "E1112", "package-manifest-field", Error,
        "A package manifest names its package, its channels, and the head of each channel.",
        "None of the names is empty.",
        "packageName: etcd\nchannels: [{name: alpha}]   # no currentCSV";
    DEFAULT_CHANNEL: "E1113", "package-manifest-default-channel", Error,
        "The default channel of a package manifest is one of its channels.",
        "With only one channel, you can leave it out.",
        "packageName: etcd\nchannels: [{name: alpha, currentCSV: etcd.v1}, {name: beta, currentCSV: etcd.v2}]";
    CHANNEL_TWICE: "E1114", "package-manifest-channel-twice", Error,
        "A package manifest lists a channel once.",
        "Otherwise the channel would have two heads. olmdex uses the first.",
        "channels: [{name: alpha, currentCSV: etcd.v1}, {name: alpha, currentCSV: etcd.v2}]";
    HEAD_UNKNOWN: "E1115", "package-manifest-head-unknown", Error,
        "The head of a channel is a ClusterServiceVersion below the directory.",
        "`currentCSV` is its `metadata.name`. A channel without a head has no bundles.",
        "currentCSV: etcd.v3   # and 1.0.0/ and 2.0.0/";
    CSV_TWICE: "E1116", "package-manifest-csv-twice", Error,
        "Each ClusterServiceVersion has a separate directory and a different name.",
        "All files of the directory form its bundle. If the directory has several ClusterServiceVersions, olmdex reads \
        the first by path.",
        "1.0.0/etcd.yaml and 1.0.0-copy/etcd.yaml, both `etcd.v1.0.0`";
    UNREACHED: "W1117", "package-manifest-unreached", Warning,
        "A channel reaches every ClusterServiceVersion.",
        "A channel holds its head, the versions that the head replaces and skips, and so on. The conversion leaves out \
        all others: no cluster could install them.",
        "3.0.0/ whose `etcd.v3` is the head of no channel, and no version replaces it";
    NO_BUNDLE: "E1118", "package-manifest-not-a-bundle", Error,
        "The files of each version form a valid bundle.",
        "Otherwise the conversion leaves out the version.",
        "1.0.0/ whose ClusterServiceVersion owns a definition that is missing";
    PASSED_OVER: "W1119", "package-manifest-passed-over", Warning,
        "Every file below a package-manifest directory is a regular, decodable file.",
        "olmdex skips links, pipes, devices and files that are neither YAML nor JSON. If a ClusterServiceVersion is \
        among them, its version is missing.",
        "1.0.0/etcd.yaml -> ../../shared/etcd.yaml";
}
