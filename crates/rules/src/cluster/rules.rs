//! The rules of objects of a cluster, as they are checked before they are applied.

use olmdex_base::diag::rules;

rules! {
    EXTENSION_VERSION: "E1901", "extension-version", Error,
        "The API server accepts the version range of a ClusterExtension.",
        "The definition of ClusterExtension has a pattern for `spec.source.catalog.version`. The API server refuses an object that does not match, although OLM v1 could read some of these ranges.",
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nspec:\n  source:\n    catalog: {packageName: foo, version: 1.0 - 2.0}";
    EXTENSION_SELECTOR: "E1902", "extension-selector", Error,
        "The selector of a ClusterExtension is valid.",
        "`spec.source.catalog.selector` chooses ClusterCatalogs by their labels. If Kubernetes does not accept its \
        operator, key or values, OLM v1 chooses no catalog and installs nothing.",
        "selector:\n  matchExpressions: [{key: tier, operator: Is, values: [gold]}]";
    DEFINITION_UNREADABLE: "E1903", "definition-unreadable", Error,
        "A CustomResourceDefinition has a name and versions.",
        "The API server refuses a definition without them, and OLM cannot compare it with the one that it replaces.",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {versions: []}";
    MANIFEST_UNREADABLE: "E1904", "manifest-unreadable", Error,
        "Manifests are readable.",
        "olmdex did not check a file that is neither YAML nor JSON, or a symbolic link out of its directory. A check \
        that could not run is not a success.",
        "apiVersion: v1\nkind: [Secret";
    PIN_MISSING: "E1905", "pin-missing", Error,
        "The catalog has the pinned version.",
        "OLM installs nothing for a Subscription whose `startingCSV` is not in its channel, or for a ClusterExtension \
        whose range no bundle fits. The cluster accepts the object anyway.",
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nspec: {name: foo, channel: stable, startingCSV: foo.v9.9.9}";
    PIN_UNREACHABLE: "E1906", "pin-unreachable", Error,
        "Upgrades lead from the pin before a change to the new one.",
        "A changed pin does not move an installed operator: OLM follows the upgrade edges of the catalog. If no edges \
        lead to the new pin, remove the operator and install it again.",
        "spec:\n  name: foo\n  channel: stable\n  startingCSV: foo.v2.0.0 # was foo.v1.0.0, and no entry in the \
        channel replaces or skips that";
    PIN_NOT_HELD: "W1907", "pin-not-held", Warning,
        "OLM stays at a pinned version.",
        "`startingCSV` names the first version to install. Without `installPlanApproval: Manual`, OLM upgrades to the \
        head at once; with it and without `startingCSV`, the first approval installs the head.",
        "spec: {name: foo, channel: stable, startingCSV: foo.v1.0.0, installPlanApproval: Automatic}";
    PIN_NOT_KNOWN: "W1908", "pin-not-known", Warning,
        "The catalog of a Subscription is known.",
        "A Subscription names a CatalogSource. Without that catalog, olmdex cannot determine whether the pinned \
        version exists.",
        "spec: {name: foo, source: internal-catalog, sourceNamespace: openshift-marketplace}";
}
