//! The rules of templates.

use olmdex_base::diag::rules;

rules! {
    UNKNOWN_SCHEMA: "E1401", "template-schema", Error,
        "The schema of a template is `olm.template.basic`, `olm.semver` or `olm.template.substitutes`.",
        "The schema determines how the template is rendered. Composite templates were removed from opm: `olmdex render \
        --config FILE` composes the catalog that one describes, and `olmdex template render FILE` prints it as \
        olmdex.toml.",
        "schema: olm.composite";
    WRONG_KIND: "E1402", "template-wrong-kind", Error,
        "Each field of a template has a value of the right kind.",
        "`entries`, `substitutions` and `bundles` are lists, the streams of a semver template are objects, images and \
        names are strings.",
        "schema: olm.semver\nstable:\n- image: quay.io/example/shop:v1.0.0";
    UNKNOWN_FIELD: "E1403", "template-unknown-field", Error,
        "A semver template has no fields but those of its schema.",
        "opm reads semver templates strictly, since a typo in the name of a stream would lose its bundles.",
        "schema: olm.semver\nstabel:\n  bundles: []";
    REPEATED_KEY: "E1404", "template-repeated-key", Error,
        "A semver template has each key once.",
        "opm reads semver templates strictly: if two keys were equal, one would be lost.",
        "schema: olm.semver\nstable: {bundles: []}\nstable: {bundles: []}";
    BAD_ENTRY: "E1405", "template-bad-entry", Error,
        "Each entry of a template is a blob of a catalog.",
        "opm copies entries into the catalog, so they need a schema and fields of the right kinds.",
        "schema: olm.template.basic\nentries:\n- name: shop";
    BUNDLE_FIELDS: "E1406", "template-bundle-fields", Error,
        "A bundle of a basic template has an image, and no fields that come from the image.",
        "Package, properties and related images come from the image; opm ignores a name. `olmdex template convert \
        basic` writes bundles in this form.",
        "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: quay.io/example/shop:v1.0.0\n  package: shop";
    BAD_IMAGE: "E1407", "template-bad-image", Error,
        "Each image of a template is a reference with a registry.",
        "opm pulls images by the names given, and assumes no default registry.",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: shop:v1.0.0";
    PREFERENCE: "E1408", "template-preference", Error,
        "The default channel's type is one that the template generates.",
        "`defaultChannelTypePreference` is `major` or `minor`. opm generates channels of minor versions unless the \
        template asks only for those of major versions.",
        "schema: olm.semver\ngenerateMajorChannels: true\ndefaultChannelTypePreference: minor";
    NO_BUNDLES: "E1409", "template-no-bundles", Error,
        "A semver template lists at least one bundle.",
        "Package and channels follow from the bundles, so without any there is nothing to generate.",
        "schema: olm.semver\nstable:\n  bundles: []";
    UNAVAILABLE: "E1410", "template-image-unavailable", Error,
        "The content of each image is available.",
        "Bundles come from directories (`--bundle`, `--bundles`), from catalogs that have them (`--with`), from OCI \
        layouts, and from registries with `--pull`.",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: quay.io/example/shop:v9.9.9";
    UNFIT_BUNDLE: "E1411", "template-unfit-bundle", Error,
        "The bundles of a stream are of one package, and their names and versions differ.",
        "Channels and edges follow from versions. Versions that differ only in build metadata have no order.",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: quay.io/example/shop:v1.0.0\n  - image: quay.io/example/bank:v1.0.0";
    SUBSTITUTION: "E1412", "template-substitution", Error,
        "A substitution names a bundle of the catalog and the image of a later one, each once.",
        "The substitute takes over the edges of its base, so its version (or release) must be higher.",
        "substitutions:\n- name: quay.io/example/shop:v1.0.0-1\n  base: shop.v9.9.9";
    NOT_A_CATALOG: "E1413", "template-not-a-catalog", Error,
        "The entries of a substitutes template form a valid catalog, before and after the substitutions.",
        "Unlike a basic template, a substitutes template holds complete bundles: you can use the output of `render` \
        unchanged.",
        "schema: olm.template.substitutes\nentries:\n- schema: olm.package\n  name: shop";
    SECOND_DOCUMENT: "W1414", "template-second-document", Warning,
        "A template is one document.",
        "opm reads the first document of a file and nothing else.",
        "schema: olm.template.basic\nentries: []\n---\nschema: olm.template.basic\nentries: []";
    MIGRATED: "W1415", "template-migrated-bundle", Warning,
        "A bundle that is rendered without migration has its manifests.",
        "The bundle comes from a migrated catalog, in which `olm.csv.metadata` has replaced the manifests. A migration \
        cannot be undone. opm, which reads the image, writes `olm.bundle.object`. Render with `--migrate-level \
        bundle-object-to-csv-metadata`, or from directories or images.",
        "olmdex template render template.yaml --with migrated-catalog/";
    NAMES_OF_TAGS: "W1416", "template-names-of-tags", Warning,
        "A question about bundles is asked of a catalog, or of a basic template.",
        "The channels of a semver template follow from its bundles. A question about it assumes that \
        `quay.io/example/shop-bundle:v1.0.0` is the bundle `shop.v1.0.0` with that version, since no image is read. \
        Render the template to ask about the bundles themselves.",
        "olmdex graph shop -i template.yaml";
}
