//! The rules of objects of a cluster, as they are checked before they are applied.

use olmdex_base::diag::rules;

rules! {
    EXTENSION_VERSION: "E1901", "extension-version", Error,
        "The API server takes the version range of a ClusterExtension.",
        "The definition of ClusterExtension has a pattern for `spec.source.catalog.version`. The API server refuses an object that does not match, although OLM v1 could read some of these ranges.",
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nspec:\n  source:\n    catalog: {packageName: foo, version: 1.0 - 2.0}";
    EXTENSION_SELECTOR: "E1902", "extension-selector", Error,
        "The selector of a ClusterExtension can be evaluated.",
        "`spec.source.catalog.selector` chooses ClusterCatalogs by their labels. With an operator, a key or values that Kubernetes does not know, no catalog is chosen and nothing is installed.",
        "selector:\n  matchExpressions: [{key: tier, operator: Is, values: [gold]}]";
    DEFINITION_UNREADABLE: "E1903", "definition-unreadable", Error,
        "A CustomResourceDefinition has a name and versions.",
        "The API server refuses a definition without them, and OLM cannot compare it with the one that it replaces.",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {versions: []}";
    MANIFEST_UNREADABLE: "E1904", "manifest-unreadable", Error,
        "Manifests can be read.",
        "A file that is no YAML or JSON, or a link that leads out of its directory, was not checked. A check that could not run is no success.",
        "apiVersion: v1\nkind: [Secret";
    PIN_MISSING: "E1905", "pin-missing", Error,
        "A pinned version is in the catalog.",
        "OLM installs nothing for a Subscription whose `startingCSV` is not in its channel, or a ClusterExtension whose range no bundle fits; the object is taken by the cluster all the same.",
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nspec: {name: foo, channel: stable, startingCSV: foo.v9.9.9}";
    PIN_UNREACHABLE: "E1906", "pin-unreachable", Error,
        "Upgrades lead from the pin before a change to the new one.",
        "A changed pin does not move an operator that is installed: OLM follows the upgrade edges of the catalog. Where none lead to the new pin, the operator must be removed and installed again.",
        "spec:\n  name: foo\n  channel: stable\n  startingCSV: foo.v2.0.0 # was foo.v1.0.0, and nothing in the channel replaces or skips that";
    PIN_NOT_HELD: "W1907", "pin-not-held", Warning,
        "OLM stays at a pinned version.",
        "`startingCSV` names what is installed first. Without `installPlanApproval: Manual`, OLM upgrades to the head at once; with it and without `startingCSV`, the first approval installs the head.",
        "spec: {name: foo, channel: stable, startingCSV: foo.v1.0.0, installPlanApproval: Automatic}";
    PIN_NOT_KNOWN: "W1908", "pin-not-known", Warning,
        "The catalog of a Subscription is known.",
        "A Subscription names a CatalogSource. Without a catalog that is it, nobody can say whether there is what it pins.",
        "spec: {name: foo, source: internal-catalog, sourceNamespace: openshift-marketplace}";
}
