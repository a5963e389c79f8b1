//! The rules of a repository of operators: the checks of its pipelines before they take a change.

use olmdex_base::diag::rules;

rules! {
    UNREADABLE: "E1501", "repository-unreadable", Error,
        "The files of a version are readable.",
        "A version has a ClusterServiceVersion in `manifests/*.clusterserviceversion.yaml`, whose name is NAME.VERSION, and `metadata/annotations.yaml`.",
        "metadata: {name: shop-v1}";
    NAME: "E1502", "repository-operator-name", Error,
        "An operator has one name: in the annotations, in the ClusterServiceVersions, and as its directory.",
        "The annotations hold the name of the package. A new version must have the same name as the versions before \
        it, and a first version also the name of its directory.",
        "operators.operatorframework.io.bundle.package.v1: shpo";
    OTHER_NAME: "W1503", "repository-other-name", Warning,
        "The names of an operator are the same in the annotations, in the ClusterServiceVersions, and as the \
        directory.",
        "The pipelines only warn about operators that are already published under several names.",
        "operators/shop/1.0.0   # whose package is shop-operator";
    NAMES: "E1504", "repository-several-names", Error,
        "The ClusterServiceVersions of an operator have the same name before the version.",
        "The part before the first dot is the name of the operator.",
        "metadata: {name: other.v1.0.0}   # next to shop.v0.9.0";
    DIRECTORY: "E1505", "repository-version-directory", Error,
        "The directory of a version has the name in `spec.version`.",
        "Tools find a version by its directory.",
        "operators/shop/1.0   # whose version is 1.0.0";
    REQUIRED_FIELD: "E1506", "repository-required-field", Error,
        "A ClusterServiceVersion has the fields that the community requires.",
        "The required fields are `spec.displayName`, `description`, `icon`, `version`, `maintainers`, `provider.name` \
        and `links`.",
        "spec: {version: 1.0.0}";
    RECOMMENDED_FIELD: "W1507", "repository-recommended-field", Warning,
        "A ClusterServiceVersion has the fields that the community recommends.",
        "The recommended fields are the keywords and the annotations that catalogs show: capabilities, categories, \
        containerImage, createdAt, repository, support, description.",
        "metadata: {annotations: {categories: Shops}}";
    DANGLING: "E1508", "repository-dangling", Error,
        "Each version of a channel but the head has an upgrade.",
        "In replaces mode, an upgrade is a `replaces`, a `skips` or an `olm.skipRange` of a later version in the \
        channel; in semver mode, it is the next version.",
        "spec: {replaces: shop.v1.0.0}   # of both 1.1.0 and 1.1.1";
    LOOP: "E1509", "repository-upgrade-loop", Error,
        "Upgrades do not form loops.",
        "An `olm.skipRange` that includes the version itself is also a loop.",
        "metadata: {annotations: {olm.skipRange: '>=0.0.1'}}   # of version 1.0.0";
    BAD_REPLACES: "E1510", "repository-bad-replaces", Error,
        "`replaces` and `skips` name versions as NAME.VERSION.",
        "The pipelines find versions by the part after the first dot. Without one, some of their checks crash.",
        "spec: {replaces: shop-1.0.0}";
    REPLACES: "E1511", "repository-replaces-absent", Error,
        "A version replaces an earlier version of the operator that goes to the same catalogs.",
        "A catalog without the replaced version would have an upgrade from nowhere. `com.redhat.openshift.versions` \
        determines the catalogs of a version.",
        "spec: {replaces: shop.v0.9.9}   # which was never published";
    PRUNED: "W1512", "repository-pruned-graph", Warning,
        "A version with `olm.skipRange` also replaces the one before it.",
        "Without `replaces`, the catalog may lose versions outside the range.",
        "metadata: {annotations: {olm.skipRange: '<1.0.0'}}";
    KUBERNETES: "E1513", "repository-kubernetes", Error,
        "The OpenShift versions of a bundle have the Kubernetes version that it needs.",
        "`minKubeVersion` and `com.redhat.openshift.versions` must agree, and the first requires the second.",
        "spec: {minKubeVersion: 1.25.0}   # and com.redhat.openshift.versions: v4.10";
    OPENSHIFT_LIST: "W1514", "repository-openshift-list", Warning,
        "OpenShift versions are a version, a range, or `=` and a version.",
        "The pipelines tolerate a list only for `v4.5,v4.6`; any other list means its lowest version and all later \
        ones.",
        "com.redhat.openshift.versions: v4.10,v4.12";
    UPDATE_GRAPH: "E1515", "repository-update-graph", Error,
        "`updateGraph` is `replaces-mode` or `semver-mode`, and absent if catalogs are made of templates.",
        "The mode determines how the pipelines find upgrades. With `fbc.enabled`, templates hold them.",
        "updateGraph: replaces";
    NO_UPDATE_GRAPH: "W1516", "repository-no-update-graph", Warning,
        "`ci.yaml` states how the pipelines find upgrades.",
        "Without `updateGraph`, the mode is `replaces-mode`.",
        "reviewers: [ada]";
    RELEASE: "E1517", "repository-release", Error,
        "A release configuration names templates that `ci.yaml` maps to catalogs.",
        "`fbc.enabled` must be set. A semver template has only the channels Fast, Candidate and Stable.",
        "catalog_templates: [{template_name: other.yaml, channels: [stable]}]";
    SCHEMA: "E1518", "repository-schema", Error,
        "`ci.yaml` and `release-config.yaml` match their schemas.",
        "The pipelines refuse fields with wrong types, and, in `fbc` and in release configurations, also unknown \
        fields.",
        "catalog_templates: []";
    CATALOG_TWICE: "E1519", "repository-catalog-twice", Error,
        "One template produces each catalog.",
        "With two templates, the later one would overwrite the output of the earlier one.",
        "catalog_mapping:\n- {template_name: a.yaml, type: olm.semver, catalog_names: [v4.20]}\n- {template_name: b.yaml, type: olm.semver, catalog_names: [v4.20]}";
    NETWORK_POLICY: "E1520", "repository-network-policy", Error,
        "A bundle has no NetworkPolicy.",
        "The pipelines refuse such a bundle.",
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy";
    CATALOG_REGISTRY: "E1521", "repository-catalog-registry", Error,
        "The bundle images in `catalogs/` are in registries that the repository allows.",
        "`allowed_bundle_registries` in `config.yaml` lists the allowed prefixes. The catalog of a release names the \
        published image, not that of a test build.",
        "catalogs/v4.20/shop/catalog.yaml: image: quay.io/test/shop-bundle@sha256:…";
    CATALOG_OBJECTS: "E1522", "repository-catalog-objects", Error,
        "The first bundle of a catalog for OpenShift 4.17 and newer has no `olm.bundle.object`.",
        "Objects make catalogs several times larger. The pipelines check only the first bundle of each file. `olmdex \
        render --migrate-level bundle-object-to-csv-metadata` rewrites a catalog.",
        "catalogs/v4.18/shop/catalog.yaml: properties: [{type: olm.bundle.object, value: {data: eyJraW5kIj…}}]";
    CATALOG_OBJECTS_LATER: "W1523", "repository-catalog-objects-later", Warning,
        "No bundle of a catalog for OpenShift 4.17 and newer has `olm.bundle.object`.",
        "The pipelines check only the first bundle of each file, so this passes until the bundle comes first.",
        "catalogs/v4.18/shop/catalog.yaml, whose second bundle has an olm.bundle.object";
    NOT_FBC: "W1524", "repository-not-fbc", Warning,
        "An operator keeps its catalogs in the repository (`fbc.enabled`).",
        "The community pipelines recommend this for all operators, and may require it for new ones.",
        "updateGraph: replaces-mode   # in ci.yaml, without fbc";
    MARKETPLACE: "E1525", "repository-marketplace", Error,
        "In the repository of redhat-marketplace, a ClusterServiceVersion has the two URLs of the marketplace.",
        "Consoles link to them. The URLs are \
        `https://marketplace.redhat.com/en-us/operators/PACKAGE/pricing?utm_source=openshift_console` in \
        `marketplace.openshift.io/remote-workflow`, and the same with `support` in \
        `marketplace.openshift.io/support-workflow`.",
        "metadata: {annotations: {}}   # and organization: redhat-marketplace in config.yaml";
    BUNDLE_AND_CATALOG: "E1526", "repository-bundle-and-catalog", Error,
        "A change adds or modifies a bundle, or changes catalogs, but never both.",
        "A catalog names the image of a bundle, which exists only after the bundle's change is merged. Send two changes.",
        "operators/shop/1.1.0/ and catalogs/v4.20/shop/catalog.yaml in one pull request";
    SEVERAL_CHANGED: "E1527", "repository-several-changed", Error,
        "A change adds one bundle of one operator, and deletes none at the same time.",
        "The pipelines test, sign and release one bundle at a time.",
        "operators/shop/1.1.0/ and operators/shop/1.2.0/ in one pull request";
    BUNDLE_MODIFIED: "E1528", "repository-bundle-modified", Error,
        "A change does not touch published bundles.",
        "Bundles are immutable: users have them. Publish a new version.",
        "a pull request that edits operators/shop/1.0.0/manifests/shop.clusterserviceversion.yaml";
    BUNDLE_DELETED: "E1529", "repository-bundle-deleted", Error,
        "A change deletes a bundle only if its operator has `fbc.enabled` and no catalog holds the bundle.",
        "Otherwise catalogs would name a removed bundle.",
        "a pull request that deletes operators/shop/1.0.0/, which catalogs/v4.20/shop holds";
    OUTSIDE: "E1530", "repository-outside", Error,
        "A change affects only files of operators and of their catalogs.",
        "The directory of an operator has `ci.yaml` or a bundle; that of its catalog has `catalog.yaml`, `catalog.yml` or `catalog.json`.",
        "README.md next to operators/shop/1.1.0/ in one pull request";
    YAML_LINT: "E1531", "repository-yaml-lint", Error,
        "The YAML files of a bundle pass `yamllint`.",
        "The hosted pipelines run `yamllint` 1.38 over the directory of the bundle: its default rules, with lines of 180 \
        characters and any indentation of lists. Its errors end the pipeline before a test runs; its warnings do not.",
        "  name: shop   # with a space at the end of the line";
    UNPINNED: "E1532", "repository-image-not-pinned", Error,
        "A ClusterServiceVersion of a certified operator names all images by their digests.",
        "The pipeline runs `operator-manifest pin`, and refuses a bundle that this changes. It looks at \
        `relatedImages`, containers, variables `RELATED_IMAGE_…`, and annotations.",
        "image: registry.connect.redhat.com/shop/shop:v1.0.0";
    UNRELATED: "E1533", "repository-image-not-related", Error,
        "`relatedImages` of a certified operator lists all images, each by another name.",
        "The pipeline counts the images of the ClusterServiceVersion, and compares the number with that of \
        `relatedImages`.",
        "spec: {relatedImages: []}   # and a deployment with an image";
    NO_OPENSHIFT_VERSIONS: "E1534", "repository-no-openshift-versions", Error,
        "A bundle of a certified operator states its versions of OpenShift.",
        "`com.redhat.openshift.versions` in `metadata/annotations.yaml` chooses the catalogs that get the bundle. Only \
        community operators may leave it out.",
        "annotations: {}   # in metadata/annotations.yaml";
    NO_PROJECT: "E1535", "repository-no-project", Error,
        "`ci.yaml` of a certified operator names its certification project.",
        "The pipeline looks up the project by `cert_project_id`, and ends without it.",
        "merge: true   # without cert_project_id";
    RELEASE_NAME: "W1536", "repository-release-name", Warning,
        "The release configuration of a version is called `release-config.yaml`.",
        "The pipelines look for this name only: a version with `release-config.yml` gets into no catalog.",
        "catalog_templates: []   # in release-config.yml";
}
