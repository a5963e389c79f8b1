//! The rules of a repository of operators: what its pipelines check before they take a change.

use olmdex_base::diag::rules;

rules! {
    UNREADABLE: "E1501", "repository-unreadable", Error,
        "The files of a version can be read.",
        "A version has a ClusterServiceVersion in `manifests/*.clusterserviceversion.yaml`, whose name is NAME.VERSION, and `metadata/annotations.yaml`.",
        "metadata: {name: shop-v1}";
    NAME: "E1502", "repository-operator-name", Error,
        "An operator has one name: in the annotations, in the ClusterServiceVersions, and as a directory.",
        "The name in the annotations is that of the package. A new version must have the name of those before it, a first version also that of its directory.",
        "operators.operatorframework.io.bundle.package.v1: shpo";
    OTHER_NAME: "W1503", "repository-other-name", Warning,
        "The names of an operator are the same in the annotations, in the ClusterServiceVersions, and as a directory.",
        "Of operators that were published with several names, the pipelines only warn.",
        "operators/shop/1.0.0   # whose package is shop-operator";
    NAMES: "E1504", "repository-several-names", Error,
        "The ClusterServiceVersions of an operator have one name before the version.",
        "What stands before the first dot of the name is that of the operator.",
        "metadata: {name: other.v1.0.0}   # beside shop.v0.9.0";
    DIRECTORY: "E1505", "repository-version-directory", Error,
        "The directory of a version is called as `spec.version`.",
        "Tools that look for a version look for its directory.",
        "operators/shop/1.0   # whose version is 1.0.0";
    REQUIRED_FIELD: "E1506", "repository-required-field", Error,
        "A ClusterServiceVersion has the fields that the community requires.",
        "These are `spec.displayName`, `description`, `icon`, `version`, `maintainers`, `provider.name` and `links`.",
        "spec: {version: 1.0.0}";
    RECOMMENDED_FIELD: "W1507", "repository-recommended-field", Warning,
        "A ClusterServiceVersion has the fields that the community recommends.",
        "These are the keywords and the annotations that catalogs show: capabilities, categories, containerImage, createdAt, repository, support, description.",
        "metadata: {annotations: {categories: Shops}}";
    DANGLING: "E1508", "repository-dangling", Error,
        "Each version of a channel but the head can be upgraded.",
        "In replaces mode an upgrade is a `replaces`, a `skips` or an `olm.skipRange` of a later version in the channel; in semver mode the next version.",
        "spec: {replaces: shop.v1.0.0}   # of both 1.1.0 and 1.1.1";
    LOOP: "E1509", "repository-upgrade-loop", Error,
        "Upgrades do not lead back to where they began.",
        "An `olm.skipRange` that includes the version itself is a loop too.",
        "metadata: {annotations: {olm.skipRange: '>=0.0.1'}}   # of version 1.0.0";
    BAD_REPLACES: "E1510", "repository-bad-replaces", Error,
        "What a version replaces or skips is NAME.VERSION.",
        "The pipelines find versions by what stands after the first dot. Without one, some of their checks crash.",
        "spec: {replaces: shop-1.0.0}";
    REPLACES: "E1511", "repository-replaces-absent", Error,
        "What a version replaces is an earlier version of the operator that goes to the same catalogs.",
        "In a catalog that does not have the replaced version, the upgrade would lead from nowhere. `com.redhat.openshift.versions` says which catalogs a version goes to.",
        "spec: {replaces: shop.v0.9.9}   # which was never published";
    PRUNED: "W1512", "repository-pruned-graph", Warning,
        "A version with `olm.skipRange` also replaces the one before it.",
        "Without `replaces`, versions that are not in the range may be dropped from the catalog.",
        "metadata: {annotations: {olm.skipRange: '<1.0.0'}}";
    KUBERNETES: "E1513", "repository-kubernetes", Error,
        "The OpenShift versions that a bundle is for have the Kubernetes that it needs.",
        "`minKubeVersion` and `com.redhat.openshift.versions` must agree, and the first needs the second.",
        "spec: {minKubeVersion: 1.25.0}   # and com.redhat.openshift.versions: v4.10";
    OPENSHIFT_LIST: "W1514", "repository-openshift-list", Warning,
        "OpenShift versions are a version, a range, or `=` and a version.",
        "A list is tolerated for `v4.5,v4.6` only; others mean the smallest and later.",
        "com.redhat.openshift.versions: v4.10,v4.12";
    UPDATE_GRAPH: "E1515", "repository-update-graph", Error,
        "`updateGraph` is `replaces-mode` or `semver-mode`.",
        "It says how the pipelines find upgrades.",
        "updateGraph: replaces";
    NO_UPDATE_GRAPH: "W1516", "repository-no-update-graph", Warning,
        "`ci.yaml` says how upgrades are found.",
        "Without `updateGraph` it is `replaces-mode`.",
        "reviewers: [ada]";
    RELEASE: "E1517", "repository-release", Error,
        "A release configuration names templates that `ci.yaml` maps to catalogs.",
        "`fbc.enabled` must be set. A semver template has the channels Fast, Candidate and Stable only.",
        "catalog_templates: [{template_name: other.yaml, channels: [stable]}]";
    SCHEMA: "E1518", "repository-schema", Error,
        "`ci.yaml` and `release-config.yaml` have the form of their schemas.",
        "Fields with other types, and in `fbc` and in release configurations also unknown ones, are refused.",
        "catalog_templates: []";
    CATALOG_TWICE: "E1519", "repository-catalog-twice", Error,
        "Each catalog is made of one template.",
        "Of two templates the later would overwrite what the earlier one gave.",
        "catalog_mapping:\n- {template_name: a.yaml, type: olm.semver, catalog_names: [v4.20]}\n- {template_name: b.yaml, type: olm.semver, catalog_names: [v4.20]}";
    NETWORK_POLICY: "E1520", "repository-network-policy", Error,
        "A bundle has no NetworkPolicy.",
        "The pipelines refuse it.",
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy";
    CATALOG_REGISTRY: "E1521", "repository-catalog-registry", Error,
        "The images of bundles in `catalogs/` are in registries that the repository allows.",
        "`allowed_bundle_registries` in `config.yaml` lists the beginnings that are allowed. The catalog of a release names the published image, not that of a test build.",
        "catalogs/v4.20/shop/catalog.yaml: image: quay.io/test/shop-bundle@sha256:…";
    CATALOG_OBJECTS: "E1522", "repository-catalog-objects", Error,
        "The first bundle of a catalog for OpenShift 4.17 and newer has no `olm.bundle.object`.",
        "Objects make catalogs several times larger. The pipelines look at the first bundle of each file only. `olmdex render --migrate-level bundle-object-to-csv-metadata` rewrites a catalog.",
        "catalogs/v4.18/shop/catalog.yaml: properties: [{type: olm.bundle.object, value: {data: eyJraW5kIj…}}]";
    CATALOG_OBJECTS_LATER: "W1523", "repository-catalog-objects-later", Warning,
        "No bundle of a catalog for OpenShift 4.17 and newer has `olm.bundle.object`.",
        "The pipelines look at the first bundle of each file only, so this passes, until a bundle is put before it.",
        "catalogs/v4.18/shop/catalog.yaml, whose second bundle has an olm.bundle.object";
    NOT_FBC: "W1524", "repository-not-fbc", Warning,
        "An operator keeps its catalogs in the repository (`fbc.enabled`).",
        "The pipelines of the community recommend it for all operators, and may demand it for new ones.",
        "updateGraph: replaces-mode   # in ci.yaml, without fbc";
    MARKETPLACE: "E1525", "repository-marketplace", Error,
        "In the repository of redhat-marketplace, a ClusterServiceVersion has the two addresses of the marketplace.",
        "Consoles link to them. They are `https://marketplace.redhat.com/en-us/operators/PACKAGE/pricing?utm_source=openshift_console` in `marketplace.openshift.io/remote-workflow`, and the same with `support` in `marketplace.openshift.io/support-workflow`.",
        "metadata: {annotations: {}}   # and organization: redhat-marketplace in config.yaml";
    BUNDLE_AND_CATALOG: "E1526", "repository-bundle-and-catalog", Error,
        "A change adds or modifies a bundle, or changes catalogs, and never both.",
        "A catalog names the image of a bundle, which exists only after the bundle's change is merged. Send two changes.",
        "operators/shop/1.1.0/ and catalogs/v4.20/shop/catalog.yaml in one pull request";
    SEVERAL_CHANGED: "E1527", "repository-several-changed", Error,
        "A change adds one bundle of one operator, and deletes none with it.",
        "The pipelines test, sign and release one bundle at a time.",
        "operators/shop/1.1.0/ and operators/shop/1.2.0/ in one pull request";
    BUNDLE_MODIFIED: "E1528", "repository-bundle-modified", Error,
        "A change leaves bundles alone that were published.",
        "Bundles are immutable: users have them. Publish a new version.",
        "a pull request that edits operators/shop/1.0.0/manifests/shop.clusterserviceversion.yaml";
    BUNDLE_DELETED: "E1529", "repository-bundle-deleted", Error,
        "A change deletes a bundle only if its operator has `fbc.enabled` and no catalog holds the bundle.",
        "Otherwise catalogs would name what is gone.",
        "a pull request that deletes operators/shop/1.0.0/, which catalogs/v4.20/shop holds";
    OUTSIDE: "E1530", "repository-outside", Error,
        "A change affects only files of operators and of their catalogs.",
        "The directory of an operator has `ci.yaml` or a bundle; that of its catalog has `catalog.yaml`, `catalog.yml` or `catalog.json`.",
        "README.md beside operators/shop/1.1.0/ in one pull request";
}
