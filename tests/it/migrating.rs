//! Catalogs of any kind as files, and the form of their manifests.

use crate::support::{olmdex, scratch, write};

/// A package with one bundle, whose manifests are in objects.
fn catalog(package: &str, image: &str) -> String {
    let csv = format!(
        r#"{{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{{"name":"{package}.v1","annotations":{{"b":"<2>","a":"1"}}}},"spec":{{"version":"1.0.0","displayName":"A & B","icon":[{{"mediatype":"x"}}],"keywords":["k"]}}}}"#
    );
    let encode = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    let object = |text: &str| format!("- type: olm.bundle.object\n  value: {{data: {}}}\n", encode(text));
    format!(
        "schema: olm.package\nname: {package}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: {package}\nname: c\n\
         entries: [{{name: {package}.v1}}]\n---\nschema: olm.bundle\npackage: {package}\nname: {package}.v1\nimage: {image}\n\
         properties:\n- type: olm.package\n  value: {{version: 1.0.0, packageName: {package}}}\n{}{}",
        object(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}"#),
        object(&csv)
    )
}

/// B6: also of catalogs that are files, or in an index.
#[test]
fn manifests_give_way_to_metadata_whatever_the_source() {
    let directory = scratch();
    let root = directory.path();
    write(root, "cat/catalog.yaml", catalog("p", "example.com/p:1"));
    olmdex(["build", "-q", "cat", "-o", "index.db"]).in_directory(root).answer().expect_code(0);
    let level = ["--migrate-level", "bundle-object-to-csv-metadata"];
    let expected = "            \"type\": \"olm.csv.metadata\",\n            \"value\": {\n                \"annotations\": {\n                    \"a\": \"1\",\n                    \"b\": \"<2>\"\n                },\n                \"apiServiceDefinitions\": {},\n                \"crdDescriptions\": {},\n                \"displayName\": \"A & B\",\n                \"keywords\": [\n                    \"k\"\n                ],\n                \"provider\": {}\n            }\n        }\n    ]\n}\n";
    let rendered = olmdex(["render", "cat"]).args(level).in_directory(root).answer();
    rendered.expect_code(0);
    assert!(rendered.out().ends_with(expected), "{}", rendered.out());
    assert!(!rendered.out().contains("olm.bundle.object"));
    for source in ["index.db", "cat"] {
        let again = olmdex(["render", source]).args(level).in_directory(root).answer();
        assert_eq!(again.out(), rendered.out(), "{source}");
        let out = format!("out-{source}");
        olmdex(["migrate", source, &out])
            .args(level)
            .in_directory(root)
            .answer()
            .expect_code(0)
            .expect_words("1 file ");
        assert_eq!(std::fs::read_to_string(root.join(out).join("p/catalog.json")).unwrap(), rendered.out(), "{source}");
    }
    // A bundle without an image keeps its manifests.
    write(root, "none/catalog.yaml", catalog("p", "''"));
    let kept = olmdex(["render", "none"]).args(level).in_directory(root).answer();
    assert!(kept.expect_code(0).out().contains("olm.bundle.object"));
}

#[test]
fn a_manifest_that_cannot_be_migrated_is_named() {
    let directory = scratch();
    let root = directory.path();
    let broken = catalog("p", "example.com/p:1");
    let start = broken.rfind("data: ").unwrap() + 6;
    let csv = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"p.v1"},"spec":{"version":"abc"}}"#;
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, csv);
    write(root, "cat/catalog.yaml", format!("{}{data}}}\n", &broken[..start]));
    olmdex(["render", "cat"]).in_directory(root).answer().expect_code(0);
    let answer = olmdex(["render", "cat", "--migrate-level", "all"]).in_directory(root).answer();
    answer
        .expect_code(3)
        .expect_words("cat/catalog.yaml:10:1")
        .expect_words("Invalid character(s) found in major number");
    assert_eq!(answer.out(), "");
}

/// B1: several catalogs never become one.
#[test]
fn of_an_index_with_several_catalogs_one_is_chosen() {
    let directory = scratch();
    let root = directory.path();
    write(root, "a/catalog.yaml", catalog("p", "example.com/p:1"));
    write(root, "b/catalog.yaml", catalog("p", "example.com/p:2"));
    olmdex(["build", "-q", "a", "b", "-o", "index.db"]).in_directory(root).answer().expect_code(0);
    let answer = olmdex(["migrate", "index.db", "out"]).in_directory(root).answer();
    answer.expect_code(2).expect_words("several catalogs: a, b").expect_words("--catalog");
    assert!(!root.join("out").exists());
    olmdex(["migrate", "index.db", "out", "--catalog", "b"]).in_directory(root).answer().expect_code(0);
    olmdex(["validate", "out"]).in_directory(root).answer().expect_code(0);
    assert!(std::fs::read_to_string(root.join("out/p/catalog.json")).unwrap().contains("example.com/p:2"));
    olmdex(["migrate", "a", "out2", "--catalog", "b"]).in_directory(root).answer().expect_code(2);
}

/// A12: the names that are used while a directory is filled take no package's name away from a catalog.
#[test]
fn a_package_may_have_the_name_of_a_workspace() {
    let directory = scratch();
    let root = directory.path();
    for package in [".olmdex", ".out.olmdex", ".olmdex-migrate", ".indexignore", "moving"] {
        let cat = root.join("cat");
        write(&cat, "catalog.yaml", catalog(package, "example.com/p:1"));
        olmdex(["migrate", "cat", "out"]).in_directory(root).answer().expect_code(0);
        assert!(root.join("out").join(package).join("catalog.json").is_file(), "{package}");
        std::fs::remove_dir_all(root.join("out")).unwrap();
        // In place; another directory has one of the names.
        std::fs::create_dir(root.join("out")).unwrap();
        let answer = olmdex(["migrate", "../cat", "."]).in_directory(root.join("out")).answer();
        match package {
            ".olmdex" => answer.expect_code(2).expect_words("name a directory that does not exist yet"),
            _ => answer.expect_code(0),
        };
        std::fs::remove_dir_all(root.join("out")).unwrap();
    }
}

/// B17: silence leaves errors.
#[test]
fn quiet_prints_no_warnings() {
    let directory = scratch();
    let root = directory.path();
    write(root, "cat/catalog.yaml", format!("{}...\nnobody reads this\n", catalog("p", "example.com/p:1")));
    olmdex(["build", "cat", "-o", "a.db"]).in_directory(root).answer().expect_code(0).expect_words("warning[W0010]");
    for command in [&["build", "cat", "-o", "b.db"][..], &["list", "packages", "-i", "cat"]] {
        let answer = olmdex(command).arg("-q").in_directory(root).answer();
        assert_eq!(answer.expect_code(0).err(), "", "{command:?}");
    }
}
