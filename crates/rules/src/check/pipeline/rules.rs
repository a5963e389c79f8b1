//! The rules of the pipelines that take catalogs: Konflux, and the service that builds index images. Each is off until
//! its pipeline or `--select` chooses it. A refusal of a pipeline is an error here; something that passes it and still
//! goes wrong is a warning.

use olmdex_base::diag::{Rule, rules};

rules! {
    BUNDLE_NOT_PINNED: "E2001", "pipeline-bundle-not-pinned", Error,
        "A bundle names its image by the sha256 digest.",
        "Konflux makes reproducible builds: `validate-fbc` refuses a bundle whose image does not end with `@sha256:` \
        and 64 hexadecimal digits. A tag before the digest is accepted.",
        "image: registry.redhat.io/shop/foo-bundle:v1.0.0";
    BUNDLE_OF_OTHER_REGISTRY: "E2002", "pipeline-bundle-of-other-registry", Error,
        "The image of a bundle is in registry.redhat.io or registry.stage.redhat.io.",
        "`validate-fbc` trusts only these two registries. Templates often still name the registry of a test build; a \
        mirror set finds the image there until it is released.",
        "image: quay.io/shop/foo-bundle@sha256:…";
    METADATA_OF_OTHER_OPENSHIFT: "E2003", "pipeline-metadata-of-other-openshift", Error,
        "No bundle has the metadata for another OpenShift version: `olm.csv.metadata` up to 4.16, `olm.bundle.object` \
        from 4.17 on.",
        "Catalogs for 4.17 and newer do not hold the objects of bundles, but older consoles read nothing else. \
        `validate-fbc` takes the OpenShift version from the tag of the base image, olmdex from `--openshift` or the \
        Dockerfile. For 4.17 and newer, `olmdex render --migrate-level bundle-object-to-csv-metadata` rewrites a \
        catalog; for older versions, render the bundles again.",
        "properties: [{type: olm.bundle.object, value: {data: eyJraW5kIj…}}]   # for OpenShift 4.18";
    METADATA_MISSING: "E2004", "pipeline-metadata-missing", Error,
        "Every bundle has the metadata for its OpenShift version: `olm.bundle.object` up to 4.16, one \
        `olm.csv.metadata` from 4.17 on.",
        "Without it, consoles do not show the operator. `validate-fbc` counts the properties of the whole fragment and \
        compares the sum with the number of bundles, so bundles with several objects can hide bundles without any; \
        only W1808 reports those.",
        "schema: olm.bundle\nproperties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]";
    NO_PACKAGE_DIRECTORY: "E2005", "pipeline-no-package-directory", Error,
        "The directory of a fragment holds a directory for each package, and none is empty.",
        "The pipeline builds index images from these directories: `validate-fbc` refuses a fragment without any, or \
        with an empty one.",
        "catalog/catalog.yaml   # instead of catalog/foo/catalog.yaml";
    NO_CATALOG_FILE: "W2006", "pipeline-no-catalog-file", Warning,
        "The directory of a package holds `catalog.json`, `catalog.yaml` or `catalog.yml`.",
        "The documentation of `validate-fbc` demands it, and its code did until October 2025; today other names pass. \
        The pipelines for community and certified operators accept no other names.",
        "catalog/foo/index.yaml";
    NO_PACKAGE: "E2007", "pipeline-no-package", Error,
        "A fragment has a package.",
        "`validate-fbc` refuses a fragment without an `olm.package`, which would add nothing to an index.",
        "schema: olm.deprecations\npackage: foo";
    PRUNED: "E2008", "pipeline-pruned", Error,
        "A fragment keeps the channels and entries that the target index has for its packages.",
        "Users may have subscribed to released channels. `fbc-target-index-pruning-check` lets only channels whose \
        names contain `dev-preview`, `pre-ga` or `candidate` lose entries. The target index is the \
        redhat-operator-index of the same OpenShift version; name a copy of it with `--target-index`.",
        "entries: [{name: foo.v1.1.0}]   # and the index has foo.v1.0.0 in that channel, too";
    PRUNED_UNSEEN: "W2009", "pipeline-pruned-unseen", Warning,
        "A fragment keeps the channels and entries that the target index has, even where the pipeline does not notice \
        a loss.",
        "`fbc-target-index-pruning-check` searches the list of all names for a name as a word: it finds `stable` if \
        the list has `stable-1.0`. The check passes, and users lose the removed channel.",
        "channel `stable`, which the index has, became `stable-1.0`";
    BASE_IMAGE: "E2010", "pipeline-base-image", Error,
        "A fragment is built on OpenShift's operator registry image.",
        "`validate-fbc` runs the `opm` of the base image, and trusts only these repositories: \
        `registry.redhat.io/openshift4/ose-operator-registry`, `…/openshift4/ose-operator-registry-rhel9`, the two \
        under `openshift5`, and `brew.registry.redhat.io/rh-osbs/openshift-ose-operator-registry-rhel9`.",
        "FROM quay.io/operator-framework/opm:latest";
    NO_OPENSHIFT: "E2011", "pipeline-no-openshift", Error,
        "A Dockerfile states the OpenShift version of a fragment, by the tag of its base image or by a label.",
        "The pipelines read the tag of the base image, or the label `com.redhat.fbc.openshift.version`, a JSON list \
        that is not empty. Versions are `v4.16` or `4.16`. A digest instead of a tag does not state a version.",
        "FROM registry.redhat.io/openshift4/ose-operator-registry-rhel9@sha256:…";
    NO_CONFIGS_LABEL: "W2012", "pipeline-no-configs-label", Warning,
        "A Dockerfile sets the label `operators.operatorframework.io.index.configs.v1`.",
        "The label names the place of the catalog in the image. `validate-fbc` fails without it, unless the base image \
        sets it, which the Dockerfile does not show.",
        "FROM registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.18\nCOPY catalog /configs";
    LIFECYCLE_LOST: "E2013", "pipeline-lifecycle-lost", Error,
        "A Dockerfile for OpenShift 5.0 and newer copies the directory of each package to `/configs` or `/configs/PACKAGE`.",
        "`fbc-inject-lifecycle` writes `lifecycle.json` into the directory of each package before the image is built. \
        The file is lost if the Dockerfile does not copy the directory from the sources as a whole, but copies a \
        single file, a wildcard, from another build stage, or to a deeper target. The task does not replace an \
        existing `lifecycle.json`, and fails.",
        "COPY catalog/foo/catalog.yaml /configs/foo/";
    FILE_BESIDE_PACKAGES: "E2014", "pipeline-file-beside-packages", Error,
        "The directory of a fragment holds directories only, and at least one.",
        "The service that builds index images (IIB) takes each name in `/configs` for the directory of a package, and \
        fails on a file.",
        "catalog/.indexignore   # next to catalog/foo/";
    SAME_STEM: "E2015", "pipeline-same-stem", Error,
        "No two YAML files of one directory differ only in their ending.",
        "IIB converts each YAML file of an index to JSON, and refuses two files that would become the same file.",
        "foo/catalog.yaml and foo/catalog.yml";
    REPLACED_JSON: "W2016", "pipeline-replaced-json", Warning,
        "No JSON file has the name of a YAML file of its directory.",
        "IIB converts each YAML file of an index to JSON, and silently deletes a JSON file of that name.",
        "foo/catalog.yaml and foo/catalog.json";
    BLANK_YAML: "E2017", "pipeline-blank-yaml", Error,
        "Each YAML file of a fragment is readable and has a document.",
        "IIB converts all YAML files of an index, including those that `.indexignore` hides, and refuses empty and \
        unreadable ones.",
        "# only a comment";
    OTHER_DIRECTORY: "E2018", "pipeline-other-directory", Error,
        "A package that the target index has keeps its directory.",
        "IIB replaces directories by name. If the directory has a different name than in the index, the index also \
        keeps the old directory: it has the package twice, and opm cannot build the cache.",
        "catalog/my-foo/   # with package foo, which the index has in foo/";
    DIRECTORY_NAME: "W2019", "pipeline-directory-name", Warning,
        "The directory of a package has the package's name.",
        "IIB and `fbc-inject-lifecycle` use the name of the directory as the name of the package.",
        "catalog/my-foo/   # with package foo";
    BUNDLE_IN_INDEX: "E2020", "pipeline-bundle-in-index", Error,
        "The target index does not have an added bundle under another image.",
        "IIB adds images whose digest the index does not have; `opm` refuses a second bundle with the same name, \
        except in indexes of the scopes dev and stage.",
        "foo.v1.0.0, which the index has";
    REPLACED_NOT_IN_INDEX: "E2021", "pipeline-replaced-not-in-index", Error,
        "An added bundle replaces one that the target index has.",
        "`opm` refuses a bundle if the index does not have the bundle that its `replaces` names.",
        "spec: {replaces: foo.v0.9.0}   # and the index has no such bundle";
    NOT_ADDED: "E2022", "pipeline-not-added", Error,
        "`opm` adds the bundles to the target index.",
        "`opm registry add` checks the resulting channels: heads with the same version, versions without an order, \
        names and images that already exist. olmdex adds the bundles to a copy of their packages.",
        "foo.v1.1.0   # where the channel has a head of version 1.1.0";
}

/// Konflux's tasks.
pub const VALIDATE_FBC: &str = "validate-fbc";
/// See [`VALIDATE_FBC`].
pub const PRUNING_CHECK: &str = "fbc-target-index-pruning-check";
/// See [`VALIDATE_FBC`].
pub const INJECT_LIFECYCLE: &str = "fbc-inject-lifecycle";

/// The checks of IIB.
pub const FBC_OPERATIONS: &str = "fbc-operations";
/// See [`FBC_OPERATIONS`].
pub const JSON_CONFIG_DIR: &str = "enforce_json_config_dir";
/// See [`FBC_OPERATIONS`].
pub const REGISTRY_ADD: &str = "opm registry add";

/// The pipeline's name for the check behind a rule of this module.
pub fn check_of(rule: &Rule) -> Option<&'static str> {
    match rule.id {
        "E2008" | "W2009" => Some(PRUNING_CHECK),
        "E2013" => Some(INJECT_LIFECYCLE),
        "E2014" | "E2018" | "W2019" => Some(FBC_OPERATIONS),
        "E2015" | "W2016" | "E2017" => Some(JSON_CONFIG_DIR),
        "E2020" | "E2021" | "E2022" => Some(REGISTRY_ADD),
        _ => ALL.iter().any(|it| it.id == rule.id).then_some(VALIDATE_FBC),
    }
}
