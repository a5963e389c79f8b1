//! The rules of a bundle that joins a catalog.

use olmdex_base::diag::rules;

rules! {
    NAME_TAKEN: "E1201", "join-name-taken", Error,
        "The name of a bundle that joins a catalog is not taken.",
        "Names of bundles are unique in a catalog. What has been published under a name stays under it.",
        "metadata: {name: shop.v1.0.0}   # and the catalog has shop.v1.0.0";
    VERSION_TAKEN: "E1202", "join-version-taken", Error,
        "The version of a bundle that joins a package is not taken.",
        "OLM could not tell two bundles of one version apart. Build metadata does not count; a release does.",
        "spec: {version: 1.0.0}   # and the package has a bundle of version 1.0.0";
    NEW_PACKAGE: "W1203", "join-new-package", Warning,
        "The package of a bundle is in the catalog that it joins.",
        "A package that is new to the catalog is added with the bundle. A slip in the annotation looks the same.",
        "operators.operatorframework.io.bundle.package.v1: shpo";
    NEW_CHANNEL: "W1204", "join-new-channel", Warning,
        "The channels of a bundle are in the package that it joins.",
        "A channel that is new to the package begins with this bundle: nobody subscribes to it yet, and nothing leads there.",
        "operators.operatorframework.io.bundle.channels.v1: stabel";
    REPLACES_UNKNOWN: "W1205", "join-replaces-unknown", Warning,
        "What a bundle replaces is in its channels.",
        "OLM follows `replaces` within a channel. If the channel does not hold the name, no upgrade leads to the new bundle that way.",
        "spec: {replaces: shop.v0.9.0}   # which stable does not have";
    SKIPS_UNKNOWN: "W1206", "join-skips-unknown", Warning,
        "What a bundle skips is in the catalog.",
        "Skipping a name that nobody can have installed does nothing.",
        "spec: {skips: [shop.v0.9.9]}   # which was never published";
    SEVERAL_HEADS: "E1207", "join-several-heads", Error,
        "A channel has one head after the bundle has joined it.",
        "A head is what no entry replaces or skips. opm refuses a channel with several, since OLM would not know what is newest. A bundle that states neither `replaces` nor `skips` is taken to replace the head, as `edit add` has it.",
        "spec: {replaces: shop.v1.0.0}   # and stable has shop.v1.1.0, which replaces it too";
    STRANDED: "W1208", "join-stranded", Warning,
        "Whoever could reach the head of a channel can reach the new one.",
        "A new head must be reached by `replaces`, `skips` or `olm.skipRange` from every version that had a way up. `check-graph` asks the same of a whole catalog.",
        "spec: {version: 2.0.0, skips: [shop.v1.0.0]}   # and no way from the versions before";
    API_UNPROVIDED: "E1209", "join-api-unprovided", Error,
        "The catalog provides the APIs that a bundle needs.",
        "OLM does not install an operator whose required API nobody provides. Another catalog of the cluster may; then this can be ignored.",
        "required: [{name: backups.example.com, version: v1, kind: Backup}]";
    PACKAGE_UNPROVIDED: "E1210", "join-package-unprovided", Error,
        "The catalog has the packages that a bundle needs, in a version of the range.",
        "OLM does not install an operator whose required package is not there. Another catalog of the cluster may have it; then this can be ignored.",
        "{type: olm.package, value: {packageName: backup, version: \">=9.0.0\"}}";
    CONSTRAINT_UNMET: "E1211", "join-constraint-unmet", Error,
        "The catalog has a bundle that meets a constraint of a bundle.",
        "A constraint is met by one bundle alone, which has all that it asks for at once. OLM does not install an operator of which a constraint is met by nothing. Another catalog of the cluster may have it; then this can be ignored.",
        "{type: olm.constraint, value: {failureMessage: needs a certified backup, cel: {rule: \"properties.exists(p, p.type == 'certified')\"}}}";
}
