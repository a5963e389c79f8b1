//! What can be wrong with a package-manifest directory.
//!
//! Identifiers are never used again.

use olmdex_base::diag::rules;

rules! {
    SEVERAL: "E1111", "package-manifest-several", Error,
        "A directory has one package manifest.",
        "The versions in the directory belong to one package. The first manifest is read.",
        "etcd.package.yaml and old.package.yaml";
    FIELD: "E1112", "package-manifest-field", Error,
        "A package manifest names its package, its channels, and the head of each channel.",
        "None of the names is empty.",
        "packageName: etcd\nchannels: [{name: alpha}]   # no currentCSV";
    DEFAULT_CHANNEL: "E1113", "package-manifest-default-channel", Error,
        "The default channel of a package manifest is one of its channels.",
        "It may be left out if there is one channel.",
        "packageName: etcd\nchannels: [{name: alpha, currentCSV: etcd.v1}, {name: beta, currentCSV: etcd.v2}]";
    CHANNEL_TWICE: "E1114", "package-manifest-channel-twice", Error,
        "A package manifest lists a channel once.",
        "Otherwise the channel has two heads. The first is taken.",
        "channels: [{name: alpha, currentCSV: etcd.v1}, {name: alpha, currentCSV: etcd.v2}]";
    HEAD_UNKNOWN: "E1115", "package-manifest-head-unknown", Error,
        "The head of a channel is a ClusterServiceVersion below the directory.",
        "`currentCSV` is its `metadata.name`. A channel without a head has no bundles.",
        "currentCSV: etcd.v3   # and 1.0.0/ and 2.0.0/";
    CSV_TWICE: "E1116", "package-manifest-csv-twice", Error,
        "A ClusterServiceVersion is in a directory of its own, under a name of its own.",
        "All files of the directory make its bundle. Of several the first by path is read.",
        "1.0.0/etcd.yaml and 1.0.0-copy/etcd.yaml, both `etcd.v1.0.0`";
    UNREACHED: "W1117", "package-manifest-unreached", Warning,
        "A channel reaches every ClusterServiceVersion.",
        "A channel holds its head and what that replaces and skips, and so on. Others are left out: no cluster could install them.",
        "3.0.0/ whose `etcd.v3` is the head of no channel and replaced by nothing";
    NO_BUNDLE: "E1118", "package-manifest-not-a-bundle", Error,
        "The files of each version make a bundle.",
        "The version is left out otherwise.",
        "1.0.0/ whose ClusterServiceVersion owns a definition that is missing";
    PASSED_OVER: "W1119", "package-manifest-passed-over", Warning,
        "What lies below a package-manifest directory is a regular file that can be decoded.",
        "Links, pipes, devices and what is no YAML or JSON are passed over. If a ClusterServiceVersion is among them, its version is missing.",
        "1.0.0/etcd.yaml -> ../../shared/etcd.yaml";
}
