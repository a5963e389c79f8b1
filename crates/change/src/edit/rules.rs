//! The rules of a bundle that joins a catalog.

use olmdex_base::diag::rules;

rules! {
    NAME_TAKEN: "E1201", "join-name-taken", Error,
        "A bundle that joins a catalog has a new name.",
        "Names of bundles are unique in a catalog. A published bundle keeps its name.",
        "metadata: {name: shop.v1.0.0}   # and the catalog has shop.v1.0.0";
    VERSION_TAKEN: "E1202", "join-version-taken", Error,
        "A bundle that joins a package has a new version.",
        "OLM cannot distinguish two bundles of the same version. Build metadata does not make versions differ; a \
        release does.",
        "spec: {version: 1.0.0}   # and the package has a bundle of version 1.0.0";
    NEW_PACKAGE: "W1203", "join-new-package", Warning,
        "The catalog has the package of a bundle that joins it.",
        "You add a new package together with its first bundle. A typo in the annotation looks the same.",
        "operators.operatorframework.io.bundle.package.v1: shpo";
    NEW_CHANNEL: "W1204", "join-new-channel", Warning,
        "The package has the channels of a bundle that joins it.",
        "A channel that is new to the package begins with this bundle: no cluster subscribes to it yet, and no upgrade \
        leads to it.",
        "operators.operatorframework.io.bundle.channels.v1: stabel";
    REPLACES_UNKNOWN: "W1205", "join-replaces-unknown", Warning,
        "The channels of a new bundle hold the bundle that its `replaces` names.",
        "OLM follows `replaces` within a channel. If the channel does not hold the name, `replaces` leads no upgrade \
        to the new bundle.",
        "spec: {replaces: shop.v0.9.0}   # which stable does not have";
    SKIPS_UNKNOWN: "W1206", "join-skips-unknown", Warning,
        "The catalog has the bundles that `skips` names.",
        "A skip has no effect if no cluster can have the skipped bundle installed.",
        "spec: {skips: [shop.v0.9.9]}   # which was never published";
    SEVERAL_HEADS: "E1207", "join-several-heads", Error,
        "A channel has one head after the bundle has joined it.",
        "A head is an entry that no other entry replaces or skips. opm refuses a channel with several heads, since OLM \
        could not tell which one is newest. If a bundle states neither `replaces` nor `skips`, olmdex lets it replace \
        the head, like `edit add`.",
        "spec: {replaces: shop.v1.0.0}   # and stable has shop.v1.1.0, which replaces it too";
    STRANDED: "W1208", "join-stranded", Warning,
        "Every version that leads to the head of a channel leads to the new head.",
        "Every version that had an upgrade before must reach the new head by `replaces`, `skips` or `olm.skipRange`. \
        `olmdex check NEW --base OLD` checks the same for a whole catalog.",
        "spec: {version: 2.0.0, skips: [shop.v1.0.0]}   # and no edge from the versions before";
    API_UNPROVIDED: "E1209", "join-api-unprovided", Error,
        "The catalog provides the APIs that a bundle needs.",
        "OLM does not install an operator if no operator provides an API that it requires. If another catalog of the \
        cluster provides the API, ignore this finding.",
        "required: [{name: backups.example.com, version: v1, kind: Backup}]";
    PACKAGE_UNPROVIDED: "E1210", "join-package-unprovided", Error,
        "The catalog has the packages that a bundle needs, in a version of the range.",
        "OLM does not install an operator if its required package is missing. If another catalog of the cluster has \
        the package, ignore this finding.",
        "{type: olm.package, value: {packageName: backup, version: \">=9.0.0\"}}";
    CONSTRAINT_UNMET: "E1211", "join-constraint-unmet", Error,
        "The catalog has a bundle that meets a constraint of a bundle.",
        "A single bundle must meet the whole constraint. OLM does not install an operator if no bundle meets one of \
        its constraints. If another catalog of the cluster has such a bundle, ignore this finding.",
        "{type: olm.constraint, value: {failureMessage: needs a certified backup, cel: {rule: \"properties.exists(p, p.type == 'certified')\"}}}";
}
