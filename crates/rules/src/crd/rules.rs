//! The rules of upgrading a CustomResourceDefinition.

use olmdex_base::diag::rules;

rules! {
    PREFLIGHT: "E0901", "crd-preflight", Error,
        "OLM v1's preflight accepts the new definition.",
        "Before it installs, OLM v1 compares each definition with the one on the cluster, and refuses what could break objects or clients: a field removed or of another type, a narrower enum, a new limit, a default that changes, a served version that lacks what another has. `spec.install.preflight.crdUpgradeSafety.enforcement: None` switches it off.",
        "old: spec.size {type: string}; new: spec.size {type: integer}";
    STORED_VERSION: "E0902", "crd-stored-version", Error,
        "A definition keeps the versions in which objects are stored.",
        "OLM Classic refuses a definition without a version that the cluster's `status.storedVersions` lists: the API \
        server could no longer read objects stored in it. First migrate the objects and remove the version from \
        `status.storedVersions`. The documentation exempts definitions that a single operator owns, and says that OLM \
        removes the version from the list itself; OLM does neither.",
        "status.storedVersions: [v1alpha1, v1]; new: versions: [v1]";
    OBJECT: "E0903", "crd-existing-object", Error,
        "Every existing object fits the new schema.",
        "OLM Classic validates all objects, at each version that both definitions serve, against the new schema of \
        that version, and refuses the definition at the first that does not fit. Definitions that convert by a webhook \
        pass with a warning. The documentation exempts definitions that a single operator owns; OLM does not.",
        "object: spec.replicas: 10; new: spec.replicas {maximum: 9}";
    SERVED_VERSION: "W0904", "crd-served-version", Warning,
        "A definition stops serving a version before it removes the version.",
        "If several operators own a definition, the documentation asks that the new definition keeps every served \
        version of the old one: first set `served: false`, then remove the version in a later release. The \
        documentation does not ask this of a definition with a single owner. OLM no longer checks it in either case, \
        but clients of the version break anyway. `olmdex list apis --several` lists the APIs with several owners.",
        "old: v1beta1 (served); new: v1 only";
    SERVICE: "W0912", "crd-service-ended", Warning,
        "A definition serves the versions that installed operators own.",
        "OLM Classic does not compare served versions, but an installed ClusterServiceVersion that owns a version which \
        is no longer served fails (`requirements no longer met`), and the one that follows it stays in Pending \
        (operator-lifecycle-manager#3388). Stop serving a version one release after the last operator that owns it.",
        "old: v1alpha1 {served: true}; new: v1alpha1 {served: false}";
    OBJECT_CONVERTED: "W0906", "crd-converted-object", Warning,
        "An existing object fits the new schema, even if a webhook converts.",
        "OLM Classic only warns about objects that do not fit, if the new definition converts by a webhook: the webhook may make them fit.",
        "object: spec.replicas: 10; new: spec.replicas {maximum: 9}, conversion {strategy: Webhook}";
    NO_VALIDATOR: "W0905", "crd-schema-unusable", Warning,
        "The new schema is valid, so that it can validate objects.",
        "olmdex cannot check objects against an invalid schema, for example if one of its patterns is not a regular \
        expression.",
        "spec.name {pattern: '('}";
}
