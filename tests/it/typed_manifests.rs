//! Manifests that do not fit opm's types: every command that makes a blob of a bundle refuses them, with the place.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{Answer, olmdex, scratch, write};

const CSV: &str = "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: till.v1.0.0}
";

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tills.shop.example.com}
";

/// A bundle with these `spec`s and these dependencies.
fn bundle(spec: &str, definition: &str, dependencies: &str) -> tempfile::TempDir {
    let directory = scratch();
    write(directory.path(), "manifests/csv.yaml", format!("{CSV}spec: {spec}\n"));
    if !definition.is_empty() {
        write(directory.path(), "manifests/crd.yaml", format!("{CRD}spec: {definition}\n"));
    }
    if !dependencies.is_empty() {
        write(directory.path(), "metadata/dependencies.yaml", dependencies);
    }
    let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: till}\n";
    write(directory.path(), "metadata/annotations.yaml", annotations);
    directory
}

fn answer(arguments: &[&str], directory: &Path) -> Answer {
    olmdex(arguments).arg(directory).answer()
}

/// Values that opm refuses, with our words for the place and the reason.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("{version: {a: b}}", "", "", "manifests/csv.yaml:4:17: `spec.version` must be a string, found an object"),
    ("{version: 1.0.0, release: []}", "", "", "`spec.release` must be a string or a number, found a list"),
    ("{version: 1.0.0, relatedImages: x}", "", "", "`spec.relatedImages` must be a list, found a string"),
    (
        "{version: 1.0.0, relatedImages: [{name: 5}]}",
        "",
        "",
        "`spec.relatedImages[0].name` must be a string, found a number",
    ),
    (
        "{version: 1.0.0, install: {spec: {deployments: [{spec: {replicas: 1.5}}]}}}",
        "",
        "",
        "`spec.install.spec.deployments[0].spec.replicas` must be a whole number of 32 bits, found 1.5",
    ),
    (
        "{version: 1.0.0, apiservicedefinitions: {owned: x}}",
        "",
        "",
        "`spec.apiservicedefinitions.owned` must be a list, found a string",
    ),
    (
        "{version: 1.0.0, customresourcedefinitions: {owned: [null]}}",
        "",
        "",
        "`spec.customresourcedefinitions.owned[0]` must be an object, found null",
    ),
    (
        "{version: 1.0.0, customresourcedefinitions: {required: [{name: tills}]}}",
        "",
        "",
        "requires a definition `tills`, whose name is not PLURAL.GROUP",
    ),
    (
        "{version: 1.0.0}",
        "{versions: x}",
        "",
        "manifests/crd.yaml:4:18: `spec.versions` must be a list, found a string",
    ),
    (
        "{version: 1.0.0}",
        "{versions: [{schema: {openAPIV3Schema: {description: 5}}}]}",
        "",
        "`spec.versions[0].schema.openAPIV3Schema.description` must be a string, found a number",
    ),
    (
        "{version: 1.0.0}",
        "",
        "dependencies:\n- {type: olm.package, value: {packageName: a, version: \"1\"}}\n- type: olm.gvk\n",
        "metadata/dependencies.yaml:3:3: the `olm.gvk` has no value",
    ),
    (
        "{version: 1.0.0}",
        "",
        "dependencies:\n- {type: olm.package, value: {packageName: a, version: 1}}\n",
        "metadata/dependencies.yaml:2:56: `version` in the value of the `olm.package` must be a string, found a number",
    ),
];

#[test]
fn render_refuses_what_opm_refuses_and_names_the_field() {
    for (spec, definition, dependencies, words) in REFUSED {
        let directory = bundle(spec, definition, dependencies);
        answer(&["render"], directory.path()).expect_code(3).expect_words(words);
    }
}

#[test]
fn validation_of_a_bundle_refuses_the_same() {
    for (spec, definition, dependencies, words) in REFUSED {
        let directory = bundle(spec, definition, dependencies);
        // The place is in the line below, and the types of opm's validators differ in one word.
        let words = words.rsplit_once(".yaml:").map_or(*words, |(_, it)| it.split_once(": ").unwrap().1);
        let words = words.split_once(" or a number").map_or(words, |it| it.0);
        let answer = answer(&["bundle", "validate"], directory.path());
        let out = answer.expect_code(1).out();
        // A dependency without a value has a rule of its own.
        let is_said = out.contains(words) || (!dependencies.is_empty() && out.contains("metadata/dependencies.yaml"));
        assert!(is_said, "{words}\n{out}");
    }
}

#[test]
fn every_command_that_takes_a_bundle_refuses_it() {
    let directory = bundle("{version: 1.0.0, relatedImages: x}", "", "");
    let words = "`spec.relatedImages` must be a list, found a string";
    let catalog = scratch();
    let text = "schema: olm.package\nname: till\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: till\nname: stable\nentries: []\n";
    write(catalog.path(), "catalog.yaml", text);
    let index = catalog.path().join("index.db");
    let output = index.to_str().unwrap();
    for arguments in [
        &["build", "-o", output] as &[&str],
        &["validate"],
        &["list", "bundles", "-i"],
        &["edit", "add", "--channel", "stable", "--image", "q.io/a:1", "-i", catalog.path().to_str().unwrap()],
    ] {
        // `validate` lists all faults of a bundle.
        let code = if arguments == ["validate"] { 1 } else { 3 };
        answer(arguments, directory.path()).expect_code(code).expect_words(words);
    }
    let template = catalog.path().join("template.yaml");
    let entries = "schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: q.io/till:v1.0.0}\n";
    std::fs::write(&template, entries).unwrap();
    let tree = scratch();
    let inner = tree.path().join("till/1.0.0");
    std::fs::create_dir_all(inner.parent().unwrap()).unwrap();
    std::fs::rename(directory.path(), &inner).unwrap();
    let rendered = olmdex(["template", "render"]).arg(&template).arg("--bundles").arg(tree.path()).answer();
    rendered.expect_words(words);
    // The directory is at the place at which its guard looks for it.
    std::fs::rename(&inner, directory.path()).unwrap();
}

#[test]
fn a_version_with_a_leading_zero_cannot_be_migrated() {
    let migrated = |spec: &str| {
        let directory = bundle(spec, "", "");
        let arguments = ["render", "--migrate-level", "bundle-object-to-csv-metadata", "--image-template", "q.io/a:1"];
        (answer(&arguments, directory.path()), directory)
    };
    let words = "Numeric PreRelease version must not contain leading zeroes \"01\"";
    for spec in ["{version: 1.0.0-01}", "{version: 1.0.0, release: \"01\"}"] {
        migrated(spec).0.expect_code(3).expect_words(words);
    }
    migrated("{version: 1.0.0-1, release: \"1\"}").0.expect_code(0);
    // All fields are decoded, even those that the property does not have.
    let words = "cannot unmarshal number into Go struct field ClusterServiceVersion.spec.replaces of type string";
    migrated("{version: 1.0.0, replaces: 5}").0.expect_code(3).expect_words(words);
}

#[test]
fn a_version_without_a_name_is_provided() {
    let definition = "{group: shop.example.com, names: {kind: Till, plural: tills}, version: v0, versions: [{served: true}, {name: v1}]}";
    let directory = bundle("{version: 1.0.0}", definition, "");
    let out = answer(&["render", "-o", "yaml"], directory.path()).expect_code(0).out();
    assert!(out.contains("version: \"\"\n") && out.contains("version: v1\n"), "{out}");
    // Only v1beta1 has a single version.
    assert!(!out.contains("version: v0"), "{out}");
}

#[test]
fn what_begins_as_json_and_does_not_decode_is_read_as_yaml() {
    let directory = bundle("{version: 1.0.0}", "", "");
    let annotations = "{\"annotations\": {\"operators.operatorframework.io.bundle.package.v1\": 0.1}}";
    write(directory.path(), "metadata/annotations.yaml", annotations);
    write(
        directory.path(),
        "manifests/map.json",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: -0}}",
    );
    let out = answer(&["render", "-o", "json"], directory.path()).expect_code(0).out();
    assert!(out.contains("\"package\": \"0.1\""), "{out}");
    assert_eq!(out.matches("olm.bundle.object").count(), 2, "{out}");
}

#[test]
fn an_owned_definition_that_states_its_group_is_refused_as_opm_does() {
    let definition = "{group: shop.example.com, names: {kind: Till, plural: tills}, scope: Namespaced, versions: [{name: v1, served: true, storage: true}]}";
    let validate = |owned: &str| {
        let spec = format!("{{version: 1.0.0, customresourcedefinitions: {{owned: [{owned}]}}}}");
        let directory = bundle(&spec, definition, "");
        answer(&["bundle", "validate", "--select", "E1042"], directory.path())
    };
    let entry = "{name: tills.shop.example.com, version: v1, kind: Till";
    validate(&format!("{entry}}}")).expect_words("hidden");
    let words = "`group` that the ClusterServiceVersion states for the definition `tills.shop.example.com`";
    validate(&format!("{entry}, group: shop.example.com}}")).expect_code(1).expect_words(words);
    validate(&format!("{entry}}}, {entry}}}")).expect_code(1).expect_words("or is owned twice");
}

#[test]
fn the_warning_about_disruption_budgets_has_a_type_of_its_own() {
    use olmdex::bundle::rules::{Contents, Options, Validation, Validator};

    let directory = bundle("{version: 1.0.0}", "", "");
    let role = "apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: a}
rules:
- {apiGroups: [security.openshift.io], resources: [securitycontextconstraints], resourceNames: [privileged], verbs: ['*']}
- {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create]}
";
    write(directory.path(), "manifests/role.yaml", role);
    let contents = Contents::read(directory.path()).unwrap();
    let found = Validation::new(&contents).ask(Validator::Objects, &Options::default());
    let kinds: Vec<&str> = found.into_iter().filter_map(|it| it.kind).collect();
    assert_eq!(kinds, ["ValidationFailed", "ObjectFailedValidation"]);
}
