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
}
