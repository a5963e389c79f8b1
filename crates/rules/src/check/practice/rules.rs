//! The rules of good practice for catalogs: what one place or another demands of its authors, although the real tools accept
//! what breaks them. Each is off until a profile or `--select` chooses it.

use olmdex_base::diag::rules;

rules! {
    BUNDLE_IMAGE_BY_TAG: "W1801", "bundle-image-by-tag", Warning,
        "The image of a bundle is named by its digest.",
        "A tag can be moved: then clusters of one catalog get different bundles. Bundles are meant to be immutable, and a mirror keeps only digests apart.",
        "image: quay.io/shop/foo:v1.0.0   # quay.io/shop/foo@sha256:…";
    RELATED_IMAGE_BY_TAG: "W1802", "related-image-by-tag", Warning,
        "Related images are named by their digests.",
        "ImageDigestMirrorSets redirect digests only: without a connection, an image that is named by a tag is not pulled from the mirror.",
        "relatedImages: [{name: manager, image: 'quay.io/shop/foo-manager:v1.0.0'}]";
    BUNDLE_IMAGE_NOT_RELATED: "W1803", "bundle-image-not-related", Warning,
        "The image of a bundle is one of its related images.",
        "opm lists it when it renders a bundle. Tools that mirror the related images of a catalog miss it otherwise, and the bundle cannot be unpacked.",
        "image: quay.io/shop/foo@sha256:…\nrelatedImages: []";
    REPEATED_RELATED_IMAGE: "W1804", "repeated-related-image", Warning,
        "No related image is listed twice.",
        "A second item with the same name and the same image says nothing, and makes lists of images longer than they are.",
        "relatedImages: [{name: a, image: 'quay.io/shop/a:v1'}, {name: a, image: 'quay.io/shop/a:v1'}]";
    DISCONNECTED_WITH_TAGS: "W1805", "disconnected-with-tags", Warning,
        "A bundle that claims to work without a connection names all images by digests.",
        "`features.operators.openshift.io/disconnected: \"true\"` tells users that the operator can be mirrored. Images that are named by tags are not found on a mirror that is set up for digests.",
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
        "Every bundle has an `olm.csv.metadata` property, or carries its objects.",
        "What consoles show of an operator comes from there: without it, the operator is missing from OperatorHub, or shown without a name.",
        "schema: olm.bundle\nproperties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]";
    BUNDLE_OBJECT_PROPERTIES: "W1809", "bundle-object-properties", Warning,
        "No bundle carries its objects: it has an `olm.csv.metadata` property instead.",
        "Catalogs for OpenShift 4.17 and newer are made without `olm.bundle.object`, which makes them several times larger. Catalogs for 4.16 and older need it. `olmdex render --migrate-level bundle-object-to-csv-metadata` replaces it.",
        "properties: [{type: olm.bundle.object, value: {data: eyJraW5kIj…}}]";
    BUNDLE_NAME_NOT_OF_VERSION: "W1810", "bundle-name-not-of-version", Warning,
        "A bundle is called `PACKAGE.vVERSION`.",
        "Nothing demands it, but people and scripts tell package and version from the name. A `+` of the version may be a `-` in the name.",
        "schema: olm.bundle\nname: foo-1.0.0";
    VERSION_WITH_BUILD_METADATA: "W1811", "version-with-build-metadata", Warning,
        "Versions have no build metadata.",
        "Ranges ignore what is behind `+`: to a `skipRange` or a dependency, `1.0.0+1` and `1.0.0+2` are the same version.",
        "{type: olm.package, value: {packageName: foo, version: 1.0.0+2}}";
    DEPENDENCY_WITHOUT_MINIMUM: "W1812", "dependency-without-minimum", Warning,
        "A dependency on a package has a minimum version.",
        "An API can grow without a new API version. Only a minimum version makes sure that the operator that is installed has what is needed.",
        "{type: olm.package.required, value: {packageName: bar, versionRange: '<2.0.0'}}";
    NARROW_DEPENDENCY: "W1813", "narrow-dependency", Warning,
        "A dependency on a package allows at least the rest of a major version.",
        "A narrow range keeps everybody in the namespace from upgrading the operator that is depended on, and administrators cannot override it. Leave out versions that do not work one by one: `>=1.0.0 !1.2.1`.",
        "{type: olm.package.required, value: {packageName: bar, versionRange: '>=1.2.0 <1.3.0'}}";
    OPEN_SKIP_RANGE: "W1814", "open-skip-range", Warning,
        "A `skipRange` says with which version it begins.",
        "A range that is open below takes in every older version, also those that cannot be upgraded in one step. Whoever means that writes `>=0.0.0`.",
        "entries: [{name: foo.v1.0.3, skipRange: <1.0.3}]";
    DEPRECATED_DEFAULT_CHANNEL: "W1815", "deprecated-default-channel", Warning,
        "The default channel is not deprecated.",
        "New Subscriptions that name no channel get it, and OLM prefers it when it looks for dependencies.",
        "schema: olm.deprecations\npackage: foo\nentries: [{reference: {schema: olm.channel, name: stable}, message: Use fast.}]";
    PACKAGES_IN_ONE_DIRECTORY: "W1816", "packages-in-one-directory", Warning,
        "Each package has a directory of its own.",
        "Then each directory is a catalog by itself: packages are added and removed as directories, and each has its owners.",
        "catalog.yaml with the packages foo and bar";
    PACKAGE_IN_SEVERAL_FRAGMENTS: "E1817", "package-in-several-fragments", Error,
        "No package is in two fragments of one index.",
        "The fragments that a release adds to an index are put together: a package that two of them hold is refused, or one replaces the other. It is checked for several sources of one command.",
        "olmdex validate v4.20/foo v4.20/foo-copy --pipeline konflux";
    BUNDLE_WITH_SEVERAL_IMAGES: "E1818", "bundle-with-several-images", Error,
        "Bundles of one name have the same image.",
        "A cluster tells bundles apart by their names. Where fragments of one index, or packages of one catalog, give a name to two images, users get one or the other; most often one template still names the registry of a test build.",
        "{schema: olm.bundle, package: foo, name: foo.v1.0.0, image: 'quay.io/test/foo@sha256:…'}\n{schema: olm.bundle, package: bar, name: foo.v1.0.0, image: 'registry.redhat.io/foo/foo@sha256:…'}";
}
