//! The rules of the CustomResourceDefinitions in one bundle, by themselves and beside its ClusterServiceVersion.

use olmdex_base::diag::rules;

rules! {
    FIRST_VERSION: "W0907", "crd-first-version", Warning,
        "The `version` of a v1beta1 definition is the first of its `versions`.",
        "`spec.version` is deprecated and optional. If it is set, Kubernetes refuses a definition in which another \
        version comes first, and OLM does not install the operator.",
        "apiVersion: apiextensions.k8s.io/v1beta1\nspec:\n  version: v1beta1\n  versions: [{name: v1alpha1}, {name: v1beta1}]";
    OWNED_WITHOUT_DEFINITION: "W0908", "owned-crd-missing", Warning,
        "A bundle has the CustomResourceDefinitions that its ClusterServiceVersion owns.",
        "OLM waits until every owned definition is on the cluster. Without it the ClusterServiceVersion stays `Pending` with `CRD is not present`.",
        "owned: [{name: things.example.com, version: v1, kind: Thing}]   # and no such definition in the bundle";
    OWNED_VERSION: "W0909", "owned-crd-version", Warning,
        "A ClusterServiceVersion owns a served version of each definition.",
        "OLM waits until the owned version is served. If the definition does not have it or does not serve it, the ClusterServiceVersion stays `Pending` with `CRD version not served`. Change `owned` whenever a version is added or removed.",
        "owned: [{name: things.example.com, version: v1alpha1, kind: Thing}]   # the definition serves v1 only";
    OWNED_KIND: "W0910", "owned-crd-kind", Warning,
        "A ClusterServiceVersion names the kind that the definition has.",
        "OLM derives the API that other operators can depend on from the entry in `owned`. If the kind differs, this \
        operator does not meet dependencies on the real API. Letter case counts.",
        "owned: [{name: things.example.com, version: v1, kind: thing}]   # the definition has kind Thing";
    DEFINITION_NOT_OWNED: "W0911", "crd-not-owned", Warning,
        "A ClusterServiceVersion owns every CustomResourceDefinition of its bundle.",
        "OLM installs the definition, but the operator does not provide its API: operators that depend on it may not \
        find it, and OLM does not notice a conflict if two operators bring it.",
        "the bundle has things.example.com, and `spec.customresourcedefinitions.owned` does not list it";
}
