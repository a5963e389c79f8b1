//! The rules of good practice for catalogs: demands that one destination or another makes of authors, although the real
//! tools accept catalogs that break them. Each is off until a profile or `--select` chooses it.

use olmdex_base::diag::rules;

rules! {
    BUNDLE_IMAGE_BY_TAG: "W1801", "bundle-image-by-tag", Warning,
        "A bundle names its image by the digest.",
        "A tag can move: then clusters with the same catalog get different bundles. Bundles are meant to be immutable, \
        and a mirror distinguishes only digests.",
        "image: quay.io/shop/foo:v1.0.0   # quay.io/shop/foo@sha256:…";
    RELATED_IMAGE_BY_TAG: "W1802", "related-image-by-tag", Warning,
        "A bundle names its related images by their digests.",
        "ImageDigestMirrorSets redirect only digests: a disconnected cluster does not pull an image that is named by a \
        tag from the mirror.",
        "relatedImages: [{name: manager, image: 'quay.io/shop/foo-manager:v1.0.0'}]";
    BUNDLE_IMAGE_NOT_RELATED: "W1803", "bundle-image-not-related", Warning,
        "The image of a bundle is one of its related images.",
        "opm lists it when it renders a bundle. Otherwise, tools that mirror the related images of a catalog miss it, \
        and OLM cannot unpack the bundle.",
        "image: quay.io/shop/foo@sha256:…\nrelatedImages: []";
    REPEATED_RELATED_IMAGE: "W1804", "repeated-related-image", Warning,
        "No bundle lists a related image twice.",
        "A second item with the same name and the same image adds nothing, and makes lists of images look longer than \
        they are.",
        "relatedImages: [{name: a, image: 'quay.io/shop/a:v1'}, {name: a, image: 'quay.io/shop/a:v1'}]";
    DISCONNECTED_WITH_TAGS: "W1805", "disconnected-with-tags", Warning,
        "A bundle that claims to work on disconnected clusters names all images by digests.",
        "`features.operators.openshift.io/disconnected: \"true\"` tells users that the operator can be mirrored. A \
        cluster does not find images that are named by tags on a mirror that is set up for digests.",
        "annotations: {features.operators.openshift.io/disconnected: 'true'}   # and an image quay.io/shop/foo:v1";
    PACKAGE_WITHOUT_DESCRIPTION: "W1806", "package-without-description", Warning,
        "Every package has a description.",
        "Users who look through a catalog read it before anything else.",
        "schema: olm.package\nname: foo\ndefaultChannel: stable";
    PACKAGE_WITHOUT_ICON: "W1807", "package-without-icon", Warning,
        "Every package has an icon.",
        "Consoles show a placeholder for a package without one.",
        "schema: olm.package\nname: foo\ndefaultChannel: stable\ndescription: Foo.";
    BUNDLE_WITHOUT_CSV_METADATA: "W1808", "bundle-without-csv-metadata", Warning,
        "Every bundle has an `olm.csv.metadata` property, or holds its objects.",
        "Consoles read their data about an operator from there: without it, the operator is missing from OperatorHub, \
        or has no name there.",
        "schema: olm.bundle\nproperties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]";
    BUNDLE_OBJECT_PROPERTIES: "W1809", "bundle-object-properties", Warning,
        "No bundle holds its objects: it has an `olm.csv.metadata` property instead.",
        "Catalogs for OpenShift 4.17 and newer do not hold `olm.bundle.object`, which would make them several times \
        larger. Catalogs for 4.16 and older need it. `olmdex render --migrate-level bundle-object-to-csv-metadata` \
        replaces it.",
        "properties: [{type: olm.bundle.object, value: {data: eyJraW5kIj…}}]";
    BUNDLE_NAME_NOT_OF_VERSION: "W1810", "bundle-name-not-of-version", Warning,
        "A bundle has the name `PACKAGE.vVERSION`.",
        "No tool demands this, but people and scripts derive package and version from the name. A `+` of the version \
        may be a `-` in the name.",
        "schema: olm.bundle\nname: foo-1.0.0";
    VERSION_WITH_BUILD_METADATA: "W1811", "version-with-build-metadata", Warning,
        "Versions have no build metadata.",
        "Ranges ignore the part after `+`: to a `skipRange` or a dependency, `1.0.0+1` and `1.0.0+2` are the same \
        version.",
        "{type: olm.package, value: {packageName: foo, version: 1.0.0+2}}";
    DEPENDENCY_WITHOUT_MINIMUM: "W1812", "dependency-without-minimum", Warning,
        "A dependency on a package has a minimum version.",
        "An API can grow without a new API version. Only a minimum version ensures that the installed operator has the \
        needed features.",
        "{type: olm.package.required, value: {packageName: bar, versionRange: '<2.0.0'}}";
    NARROW_DEPENDENCY: "W1813", "narrow-dependency", Warning,
        "A dependency on a package allows at least the rest of a major version.",
        "A narrow range blocks upgrades of the required operator for the whole namespace, and administrators cannot \
        override it. Exclude single versions that do not work: `>=1.0.0 !1.2.1`.",
        "{type: olm.package.required, value: {packageName: bar, versionRange: '>=1.2.0 <1.3.0'}}";
    OPEN_SKIP_RANGE: "W1814", "open-skip-range", Warning,
        "A `skipRange` states its lowest version.",
        "A range without a lowest version includes every older version, even those that cannot upgrade in one step. If \
        you intend this, write `>=0.0.0`.",
        "entries: [{name: foo.v1.0.3, skipRange: <1.0.3}]";
    DEPRECATED_DEFAULT_CHANNEL: "W1815", "deprecated-default-channel", Warning,
        "The default channel is not deprecated.",
        "New Subscriptions that name no channel get it, and OLM prefers it when it looks for dependencies.",
        "schema: olm.deprecations\npackage: foo\nentries: [{reference: {schema: olm.channel, name: stable}, message: Use fast.}]";
    PACKAGES_IN_ONE_DIRECTORY: "W1816", "packages-in-one-directory", Warning,
        "Each package has a separate directory.",
        "Then each directory is a catalog by itself: you add and remove packages as directories, and each directory \
        can have its own owners.",
        "catalog.yaml with the packages foo and bar";
    PACKAGE_IN_SEVERAL_FRAGMENTS: "E1817", "package-in-several-fragments", Error,
        "No package is in two fragments of one index.",
        "A release merges its fragments into one index. If two of them hold the same package, the pipeline refuses it, \
        or one replaces the other. olmdex checks this for several sources of one command; those whose \
        Dockerfiles are built on different versions of OpenShift, or whose paths or names end with different ones, as \
        `v4.18/foo` and `v4.19/foo`, are for different indexes.",
        "olmdex validate v4.20/foo v4.20/foo-copy --pipeline konflux";
    BUNDLE_WITH_SEVERAL_IMAGES: "E1818", "bundle-with-several-images", Error,
        "Bundles with the same name have the same image.",
        "A cluster distinguishes bundles by their names. If fragments of one index, or packages of one catalog, give \
        the same name to two images, users get one or the other. Most often, one template still names the registry of \
        a test build.",
        "{schema: olm.bundle, package: foo, name: foo.v1.0.0, image: 'quay.io/test/foo@sha256:…'}\n{schema: olm.bundle, package: bar, name: foo.v1.0.0, image: 'registry.redhat.io/foo/foo@sha256:…'}";
    RANGE_NOT_OF_CSV: "W1819", "entry-range-not-of-csv", Warning,
        "The `skipRange` of an entry is the `olm.skipRange` of the ClusterServiceVersion.",
        "OLM reads the entry. The annotation is the source from which templates, `opm registry add` and the next release \
        take the range, so one of the two was left behind.",
        "entries: [{name: foo.v1.1.0, skipRange: '>=1.0.0 <1.1.0'}]   # and olm.skipRange: '>=1.0.5 <1.1.0'";
    TEST_REGISTRY: "W1820", "test-registry", Warning,
        "Bundles name images in registries that clusters of customers reach.",
        "Stage registries and those of builds are open to few, and delete images after some weeks. Releases replace \
        such names, but not those that a template or a list of related images still has.",
        "relatedImages: [{name: manager, image: 'registry.stage.redhat.io/foo/manager@sha256:…'}]";
    VERSION_LACKING_BETWEEN: "W1821", "version-lacking-between", Warning,
        "A version that catalogs for two versions of OpenShift have is in those between them, too.",
        "A cluster is updated from one OpenShift to the next. A version that it has installed, and that the next \
        catalog lacks, has no entry there, so no upgrade may lead from it.",
        "v4.17/catalog.yaml and v4.19/catalog.yaml with foo.v1.1.0, and v4.18/catalog.yaml without it";
    TEMPLATE_NOT_RENDERED: "W1822", "template-not-rendered", Warning,
        "A catalog beside or below a template is what the template renders.",
        "The next rendering changes what was edited in the catalog alone, and a change of the template alone reaches \
        nobody. olmdex compares packages, channels, deprecations, and the images of bundles by their digests.",
        "template.yaml whose channel stable has foo.v1.1.0, and catalog/foo/catalog.yaml without it";
}
