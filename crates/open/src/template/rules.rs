//! The rules of templates.

use olmdex_base::diag::rules;

rules! {
    UNKNOWN_SCHEMA: "E1401", "template-schema", Error,
        "The schema of a template is `olm.template.basic`, `olm.semver` or `olm.template.substitutes`.",
        "The schema says how the template is rendered. Composite templates were removed from opm: `olmdex render --config FILE` composes what one describes, and `olmdex template render FILE` prints it as olmdex.toml.",
        "schema: olm.composite";
    WRONG_KIND: "E1402", "template-wrong-kind", Error,
        "Each field of a template has a value of its kind.",
        "`entries`, `substitutions` and `bundles` are lists, the streams of a semver template are objects, images and names are texts.",
        "schema: olm.semver\nstable:\n- image: quay.io/example/shop:v1.0.0";
    UNKNOWN_FIELD: "E1403", "template-unknown-field", Error,
        "A semver template has no fields but those of its schema.",
        "opm reads semver templates strictly, since a slip in the name of a stream would lose its bundles.",
        "schema: olm.semver\nstabel:\n  bundles: []";
    REPEATED_KEY: "E1404", "template-repeated-key", Error,
        "A semver template has each key once.",
        "opm reads semver templates strictly: of two keys that are equal, one would be lost.",
        "schema: olm.semver\nstable: {bundles: []}\nstable: {bundles: []}";
    BAD_ENTRY: "E1405", "template-bad-entry", Error,
        "Each entry of a template is a blob of a catalog.",
        "Entries are copied into the catalog, so they have a schema and fields of the right kinds.",
        "schema: olm.template.basic\nentries:\n- name: shop";
    BUNDLE_FIELDS: "E1406", "template-bundle-fields", Error,
        "A bundle of a basic template has an image and nothing that comes from it.",
        "Package, properties and related images are those of the image; a name is tolerated and ignored. `olmdex template convert basic` writes bundles so.",
        "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: quay.io/example/shop:v1.0.0\n  package: shop";
    BAD_IMAGE: "E1407", "template-bad-image", Error,
        "Each image of a template is a reference with a registry.",
        "Images are pulled as they are named, and no default registry is assumed.",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: shop:v1.0.0";
    PREFERENCE: "E1408", "template-preference", Error,
        "The default channel's type is one that the template generates.",
        "`defaultChannelTypePreference` is `major` or `minor`. Channels of minor versions are generated unless only those of major versions are asked for.",
        "schema: olm.semver\ngenerateMajorChannels: true\ndefaultChannelTypePreference: minor";
    NO_BUNDLES: "E1409", "template-no-bundles", Error,
        "A semver template lists at least one bundle.",
        "Package and channels follow from the bundles, so without any there is nothing to generate.",
        "schema: olm.semver\nstable:\n  bundles: []";
    UNAVAILABLE: "E1410", "template-image-unavailable", Error,
        "The content of each image is available.",
        "Bundles come from directories (`--bundle`, `--bundles`), from catalogs that have them (`--with`), from layouts, and from registries with `--pull`.",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: quay.io/example/shop:v9.9.9";
    UNFIT_BUNDLE: "E1411", "template-unfit-bundle", Error,
        "The bundles of a stream are of one package, and their names and versions differ.",
        "Channels and edges follow from versions. Versions that differ in build metadata only have no order.",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: quay.io/example/shop:v1.0.0\n  - image: quay.io/example/bank:v1.0.0";
    SUBSTITUTION: "E1412", "template-substitution", Error,
        "A substitution names a bundle of the catalog and the image of a later one, each once.",
        "The substitute takes over the edges of its base, so its version (or release) must be higher.",
        "substitutions:\n- name: quay.io/example/shop:v1.0.0-1\n  base: shop.v9.9.9";
    NOT_A_CATALOG: "E1413", "template-not-a-catalog", Error,
        "The entries of a substitutes template are a valid catalog, before and after the substitutions.",
        "Unlike in a basic template, bundles are there as a whole: the output of `render` can be used as it is.",
        "schema: olm.template.substitutes\nentries:\n- schema: olm.package\n  name: shop";
    SECOND_DOCUMENT: "W1414", "template-second-document", Warning,
        "A template is one document.",
        "opm reads the first document of a file and nothing else.",
        "schema: olm.template.basic\nentries: []\n---\nschema: olm.template.basic\nentries: []";
    MIGRATED: "W1415", "template-migrated-bundle", Warning,
        "A bundle that is rendered without migration has its manifests.",
        "It came from a catalog that was migrated: there, `olm.csv.metadata` took the place of the manifests, which cannot be undone. opm, which reads the image, writes `olm.bundle.object`. Render with `--migrate-level bundle-object-to-csv-metadata`, or from directories or images.",
        "olmdex template render template.yaml --with migrated-catalog/";
}
