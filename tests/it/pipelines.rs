//! `check --pipeline`: the verdict of each pipeline, for cases of our own. The expected verdicts are those of the
//! pipelines' sources on the same files (`docs/behaviour/authoring.md` F.3 and F.4).

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{Answer, olmdex, scratch, write};

const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// A catalog with packages, channels as `PACKAGE/CHANNEL=ENTRY,…`, and bundles as `NAME IMAGE PROPERTY,…`.
fn catalog(package: &str, channels: &[&str], bundles: &[(&str, &str, &str)]) -> String {
    let mut text = format!("schema: olm.package\nname: {package}\ndefaultChannel: stable\n");
    for channel in channels {
        let (name, entries) = channel.split_once('=').unwrap();
        text.push_str(&format!("---\nschema: olm.channel\npackage: {package}\nname: {name}\nentries:\n"));
        let mut before: Option<&str> = None;
        for entry in entries.split(',') {
            let replaces = before.map(|it| format!(", replaces: {it}")).unwrap_or_default();
            text.push_str(&format!("- {{name: {entry}{replaces}}}\n"));
            before = Some(entry);
        }
    }
    for (name, image, kinds) in bundles {
        let version = name.split_once(".v").unwrap().1;
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: {package}\nname: {name}\nimage: {image}\nrelatedImages: [{{name: '', image: {image}}}]\nproperties:\n- {{type: olm.package, value: {{packageName: {package}, version: {version}}}}}\n"
        ));
        for kind in kinds.split(',').filter(|it| !it.is_empty()) {
            text.push_str(match kind {
                "object" => "- {type: olm.bundle.object, value: {data: eyJraW5kIjoiQ29uZmlnTWFwIiwibWV0YWRhdGEiOnsibmFtZSI6ImEifX0=}}\n",
                "metadata" => "- {type: olm.csv.metadata, value: {displayName: Foo}}\n",
                other => panic!("{other}"),
            });
        }
    }
    text
}

fn released(name: &str) -> String {
    format!("registry.redhat.io/foo/{}-bundle@{DIGEST}", name.replace('.', "-"))
}

/// A fragment of `foo` with these kinds of properties for each bundle.
fn fragment(kinds: &[&str]) -> String {
    let names: Vec<String> = (0..kinds.len()).map(|it| format!("foo.v1.{it}.0")).collect();
    let images: Vec<String> = names.iter().map(|it| released(it)).collect();
    let bundles: Vec<(&str, &str, &str)> = names
        .iter()
        .zip(&images)
        .zip(kinds)
        .map(|((name, image), kinds)| (name.as_str(), image.as_str(), *kinds))
        .collect();
    catalog("foo", &[&format!("stable={}", names.join(","))], &bundles)
}

/// The found rules of E15, E20, W15 and W20, and the exit code. Every other error is unexpected.
fn found(answer: &Answer) -> (BTreeSet<String>, i32) {
    let json: serde_json::Value = serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
    let mut rules = BTreeSet::new();
    for item in json["items"].as_array().unwrap() {
        let rule = item["rule"].as_str().unwrap();
        if ["E15", "E20", "W15", "W20"].iter().any(|it| rule.starts_with(it)) {
            assert!(item["check"].is_string(), "{item}");
            rules.insert(rule.to_owned());
        } else {
            assert_ne!(item["severity"], "error", "{item}");
        }
    }
    (rules, answer.code.unwrap())
}

fn check(root: &Path, args: &[&str], expected: &[&str], title: &str) {
    let answer = olmdex(["check", "-o", "json", "--no-config"]).args(args).in_directory(root).answer();
    let (rules, code) = found(&answer);
    let expected: BTreeSet<String> = expected.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(rules, expected, "{title}\n{}", answer.both());
    assert_eq!(code, i32::from(expected.iter().any(|it| it.starts_with('E'))), "{title}");
}

#[test]
fn konflux_judges_the_metadata_of_bundles_by_the_openshift() {
    for (openshift, kinds, expected) in [
        ("4.17", &["metadata", "metadata"][..], &[][..]),
        ("4.18", &["metadata"], &[]),
        ("5.0", &["metadata"], &[]),
        ("4.17", &["metadata", ""], &["E2004"]),
        ("4.17", &["object"], &["E2003", "E2004"]),
        ("4.17", &["metadata,object"], &["E2003"]),
        ("5.0", &["object"], &["E2003", "E2004"]),
        ("4.16", &["object", "object"], &[]),
        ("4.9", &["object,object"], &[]),
        ("4.16", &["metadata"], &["E2003", "E2004"]),
        ("4.16", &["object,metadata"], &["E2003"]),
        ("4.16", &["object", ""], &["E2004"]),
        // The pipeline counts objects, not bundles that have some.
        ("4.16", &["object,object", ""], &[]),
        ("4.16", &["", ""], &["E2004"]),
    ] {
        let root = scratch();
        write(root.path(), "catalog/foo/catalog.yaml", fragment(kinds));
        let args = ["catalog", "--pipeline", "konflux", "--openshift", openshift];
        check(root.path(), &args, expected, &format!("{openshift} {kinds:?}"));
    }
    // Without the version it is not judged, and the report says so.
    let root = scratch();
    write(root.path(), "catalog/foo/catalog.yaml", fragment(&["object"]));
    check(root.path(), &["catalog", "--pipeline", "konflux"], &[], "no version");
    let answer = olmdex(["check", "catalog", "--pipeline", "konflux"]).in_directory(root.path()).answer();
    answer.expect_code(0).expect_words("not checked: whether bundles have the metadata for their OpenShift version");
    answer
        .expect_words("fbc-target-index-pruning-check   not checked: no index")
        .expect_words("none of its 6 tasks was checked completely");
}

#[test]
fn konflux_judges_images_of_bundles() {
    for (image, expected) in [
        (format!("registry.redhat.io/foo/b@{DIGEST}"), &[][..]),
        (format!("registry.stage.redhat.io/foo/b@{DIGEST}"), &[]),
        (format!("registry.redhat.io/foo/b:v1@{DIGEST}"), &[]),
        ("registry.redhat.io/foo/b:v1".to_owned(), &["E2001"]),
        (format!("quay.io/foo/b@{DIGEST}"), &["E2002"]),
        (format!("registry.redhat.io.evil/foo/b@{DIGEST}"), &["E2002"]),
        (format!("brew.registry.redhat.io/foo/b@{DIGEST}"), &["E2002"]),
        ("quay.io/foo/b:v1".to_owned(), &["E2001", "E2002"]),
    ] {
        let root = scratch();
        let text = catalog("foo", &["stable=foo.v1.0.0"], &[("foo.v1.0.0", &image, "metadata")]);
        write(root.path(), "catalog/foo/catalog.yaml", text);
        check(root.path(), &["catalog", "--pipeline", "konflux", "--openshift", "4.18"], expected, &image);
    }
}

#[test]
fn konflux_judges_the_directories_of_a_fragment() {
    let text = fragment(&["metadata"]);
    for (files, directories, expected) in [
        (&["c/foo/catalog.yaml"][..], &[][..], &[][..]),
        (&["c/foo/catalog.yml"], &[], &[]),
        (&["c/foo/a/catalog.yaml"], &[], &["W2006"]),
        (&["c/foo/index.yaml"], &[], &["W2006"]),
        (&["c/catalog.yaml"], &[], &["E2005"]),
        (&["c/foo/catalog.yaml"], &["c/bar"], &["E2005"]),
    ] {
        let root = scratch();
        for file in files {
            write(root.path(), file, &text);
        }
        for directory in directories {
            std::fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        check(root.path(), &["c", "--pipeline", "konflux", "--openshift", "4.18"], expected, &format!("{files:?}"));
    }
    // The finding names the files that are needed.
    let root = scratch();
    write(root.path(), "c/foo/index.yaml", &text);
    let answer = olmdex(["check", "c", "--pipeline", "konflux"]).in_directory(root.path()).answer();
    answer.expect_words("`c/foo` has no `catalog.json`, `catalog.yaml` or `catalog.yml`");
    // A single file is in no directory of a package, which is reported.
    let answer = olmdex(["check", "c/foo/index.yaml", "--pipeline", "konflux,iib"]).in_directory(root.path()).answer();
    answer
        .expect_code(0)
        .expect_words("              the directories of the packages: `c/foo/index.yaml` is not a directory");
    answer.expect_words("fbc-operations            not checked: the directories of the packages");
    // Several packages, one of which has another name.
    write(root.path(), "c/bar/catalog.yaml", text.replace("foo", "bar"));
    check(root.path(), &["c", "--pipeline", "konflux", "--openshift", "4.18"], &["W2006"], "two packages");
}

#[test]
fn konflux_keeps_a_fragment_from_pruning_the_index() {
    let image = |name: &str| released(name);
    let of = |channels: &[&str]| {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for channel in channels {
            names.extend(channel.split_once('=').unwrap().1.split(',').map(str::to_owned));
        }
        let images: Vec<String> = names.iter().map(|it| image(it)).collect();
        let bundles: Vec<(&str, &str, &str)> =
            names.iter().zip(&images).map(|(name, image)| (name.as_str(), image.as_str(), "metadata")).collect();
        catalog("foo", channels, &bundles)
    };
    for (index, fragment, expected) in [
        (&["stable=foo.v1.0.0"][..], &["stable=foo.v1.0.0,foo.v1.1.0"][..], &[][..]),
        (&["stable=foo.v1.0.0,foo.v1.1.0"], &["stable=foo.v1.1.0"], &["E2008"]),
        (&["stable=foo.v1.0.0", "fast=foo.v1.0.0"], &["stable=foo.v1.0.0"], &["E2008"]),
        (&["stable=foo.v1.0.0", "candidate-1=foo.v1.0.0"], &["stable=foo.v1.0.0"], &[]),
        (&["stable=foo.v1.0.0", "my-dev-preview=foo.v1.0.0"], &["stable=foo.v1.0.0"], &[]),
        (&["stable=foo.v1.0.0", "pre-ga=foo.v1.0.0,foo.v1.1.0"], &["stable=foo.v1.0.0", "pre-ga=foo.v1.0.0"], &[]),
        // A name that is a part of another name's text counts as found; but the entries of such a channel are still
        // missed.
        (&["stable=foo.v1.0.0", "x=foo.v1.0.0"], &["stable=foo.v1.0.0", "x-1=foo.v1.0.0"], &["E2008", "W2009"]),
        (&["stable=foo.v1.0.0"], &["stable=foo.v1.0.0-1"], &["W2009"]),
    ] {
        let root = scratch();
        write(root.path(), "index/foo/catalog.yaml", of(index));
        write(root.path(), "index/bar/catalog.yaml", fragment_of_bar());
        write(root.path(), "c/foo/catalog.yaml", of(fragment));
        let args = ["c", "--pipeline", "konflux", "--openshift", "4.18", "--target-index", "index"];
        check(root.path(), &args, expected, &format!("{index:?} {fragment:?}"));
    }
}

fn fragment_of_bar() -> String {
    fragment(&["metadata"]).replace("foo", "bar")
}

const BASE: &str = "registry.redhat.io/openshift4/ose-operator-registry-rhel9";

#[test]
fn konflux_judges_the_dockerfile() {
    let label = "LABEL operators.operatorframework.io.index.configs.v1=/configs\n";
    for (text, expected) in [
        (format!("FROM {BASE}:v4.18\nCOPY c /configs\n{label}"), &[][..]),
        (format!("FROM {BASE}:v4.18\nCOPY c /configs\n"), &["W2012"]),
        (format!("ARG TAG=v4.18\nFROM {BASE}:${{TAG}} AS serve\nFROM serve\nCOPY c /configs\n{label}"), &[]),
        (format!("FROM quay.io/operator-framework/opm:v1.60.0\nCOPY c /configs\n{label}"), &["E2010", "E2011"]),
        (format!("FROM {BASE}@{DIGEST}\nCOPY c /configs\n{label}"), &["E2011"]),
        (format!("FROM {BASE}:latest\nCOPY c /configs\n{label}"), &["E2011"]),
        (
            format!(
                "FROM {BASE}:v4.18\nCOPY c /configs\n{label}LABEL com.redhat.fbc.openshift.version='[\"v4.18\", \"v4.19\"]'\n"
            ),
            &[],
        ),
        (
            format!(
                "FROM {BASE}@{DIGEST}\nCOPY c /configs\n{label}LABEL com.redhat.fbc.openshift.version='[\"v4.18\"]'\n"
            ),
            &[],
        ),
        (
            format!("FROM {BASE}:v4.18\nCOPY c /configs\n{label}LABEL com.redhat.fbc.openshift.version='v4.18'\n"),
            &["E2011"],
        ),
        (
            format!("FROM {BASE}:v4.18\nCOPY c /configs\n{label}LABEL com.redhat.fbc.openshift.version='[]'\n"),
            &["E2011"],
        ),
        // The tag decides which metadata bundles must have.
        (format!("FROM {BASE}:v4.16\nCOPY c /configs\n{label}"), &["E2003", "E2004"]),
        // Before 5.0, the place of lifecycle data is not checked.
        (format!("FROM {BASE}:v4.18\nCOPY c/foo/catalog.yaml /configs/foo/\n{label}"), &[]),
    ] {
        let root = scratch();
        write(root.path(), "c/foo/catalog.yaml", fragment(&["metadata"]));
        write(root.path(), "c.Dockerfile", &text);
        check(root.path(), &["c", "--pipeline", "konflux"], expected, &text);
    }
}

#[test]
fn lifecycle_data_needs_a_place() {
    let head = format!("FROM {BASE}:v5.0\nLABEL operators.operatorframework.io.index.configs.v1=/configs\n");
    for (copy, expected) in [
        ("COPY c /configs", &[][..]),
        ("ADD c /configs/", &[]),
        ("COPY c/foo /configs/foo", &[]),
        // In this case the catalog is at `/configs/foo/foo`.
        ("COPY c /configs/foo", &["W2006"]),
        ("ARG NAME=foo\nCOPY c/$NAME /configs/${NAME}", &[]),
        ("", &["E2013"]),
        ("COPY c /catalogs", &["E2013"]),
        ("COPY c/foo/catalog.yaml /configs/foo/", &["E2013"]),
        // A directory that a wildcard names is copied without its name.
        ("COPY c/* /configs/", &["E2005", "E2013"]),
        ("COPY --from=builder /c /configs", &["E2013"]),
        ("COPY c/foo /configs/foo/deep", &["E2013", "W2006"]),
        ("COPY c/foo /configs/bar", &["E2013"]),
        ("COPY elsewhere /configs", &["E2013"]),
        ("COPY ../c /configs", &["E2013"]),
    ] {
        let root = scratch();
        write(root.path(), "c/foo/catalog.yaml", fragment(&["metadata"]));
        write(root.path(), "Dockerfile", format!("{head}{copy}\n"));
        check(root.path(), &["c", "--pipeline", "konflux", "--dockerfile", "Dockerfile"], expected, copy);
    }
    // An existing file is not replaced.
    let root = scratch();
    write(root.path(), "c/foo/catalog.yaml", fragment(&["metadata"]));
    write(root.path(), "c/foo/lifecycle.json", "{\"schema\": \"x.y\", \"package\": \"foo\"}");
    write(root.path(), "Dockerfile", format!("{head}COPY c /configs\n"));
    check(root.path(), &["c", "--pipeline", "konflux"], &["E2013"], "lifecycle.json");
    // The files that reach `/configs` decide, from whatever directory they are copied.
    for (file, copy, expected) in [
        ("Dockerfile", "COPY c/foo/catalog.yaml /configs/foo/catalog.yaml", &["E2013"][..]),
        ("Dockerfile", "COPY c/foo/catalog.yaml /configs/", &["E2005", "E2013"]),
        (".konflux/Dockerfile.catalog", "COPY c/foo/ /configs/foo", &[]),
        ("c/foo/Dockerfile", "COPY catalog.yaml /configs/foo/", &["E2013"]),
    ] {
        let root = scratch();
        write(root.path(), ".git/HEAD", "");
        write(root.path(), "c/foo/catalog.yaml", fragment(&["metadata"]));
        write(root.path(), "c/foo/README.md", "a catalog");
        write(root.path(), ".dockerignore", "**/*.md\n");
        write(root.path(), file, format!("{head}{copy}\n"));
        for source in ["c/foo", file] {
            check(root.path(), &[source, "--pipeline", "konflux"], expected, &format!("{source}: {copy}"));
        }
    }
    // If the Dockerfile copies the directory of a package, the target is not a directory of packages.
    let root = scratch();
    write(root.path(), "c/foo/catalog.yaml", fragment(&["metadata"]));
    write(root.path(), "c/Dockerfile", format!("{head}COPY foo /configs/foo\n"));
    check(root.path(), &["c/foo", "--pipeline", "konflux"], &[], "a package's own directory");
}

#[test]
fn iib_judges_files_and_directories() {
    let text = fragment(&["metadata"]);
    for (files, expected) in [
        (&[("c/foo/catalog.yaml", text.as_str())][..], &[][..]),
        (&[("c/foo/catalog.yaml", &text), ("c/.indexignore", "x\n")], &["E2014"]),
        (&[("c/catalog.yaml", &text)], &["E2014"]),
        (&[("c/foo/catalog.yaml", &text), ("c/foo/catalog.yml", "---\nschema: x.y\npackage: foo\n")], &["E2015"]),
        (&[("c/foo/catalog.yaml", &text), ("c/foo/a/catalog.yml", "---\nschema: x.y\npackage: foo\n")], &[]),
        (
            &[("c/foo/catalog.yaml", &text), ("c/foo/catalog.json", "{\"schema\": \"x.y\", \"package\": \"foo\"}")],
            &["W2016"],
        ),
        (
            &[("c/foo/catalog.yaml", &text), ("c/foo/.indexignore", "more.yaml\n"), ("c/foo/more.yaml", "# nothing\n")],
            &["E2017"],
        ),
        (&[("c/foo/catalog.yaml", &text), ("c/foo/more.yaml", "")], &["E2017"]),
        (
            &[("c/foo/catalog.yaml", &text), ("c/foo/.indexignore", "bad.yaml\n"), ("c/foo/bad.yaml", "a: [\n")],
            &["E2017"],
        ),
        (&[("c/foo/catalog.yaml", &text), ("c/foo/.indexignore", "good.yaml\n"), ("c/foo/good.yaml", "a: 1\n")], &[]),
        (&[("c/my-foo/catalog.yaml", &text)], &["W2019"]),
    ] {
        let root = scratch();
        for (name, text) in files {
            write(root.path(), name, text);
        }
        let names: Vec<&str> = files.iter().map(|it| it.0).collect();
        check(root.path(), &["c", "--pipeline", "iib"], expected, &format!("{names:?}"));
    }
    let root = scratch();
    write(root.path(), "c/my-foo/catalog.yaml", &text);
    write(root.path(), "index/foo/catalog.yaml", &text);
    check(
        root.path(),
        &["c", "--pipeline", "iib", "--target-index", "index"],
        &["E2018"],
        "the index has it elsewhere",
    );
}

fn bundle(root: &Path, directory: &str, name: &str, replaces: Option<&str>, annotations: &str) {
    let version = name.split_once(".v").unwrap().1;
    let replaces = replaces.map(|it| format!("  replaces: {it}\n")).unwrap_or_default();
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {name}\n  annotations:\n    capabilities: Basic Install\n{annotations}spec:\n  version: {version}\n  displayName: Foo\n  description: Foo.\n  minKubeVersion: 1.25.0\n  provider: {{name: Foo}}\n  icon: [{{base64data: aGk=, mediatype: image/svg+xml}}]\n{replaces}  installModes:\n  - {{type: OwnNamespace, supported: true}}\n  - {{type: SingleNamespace, supported: true}}\n  - {{type: MultiNamespace, supported: false}}\n  - {{type: AllNamespaces, supported: true}}\n  install:\n    strategy: deployment\n    spec:\n      deployments:\n      - name: foo\n        spec:\n          selector: {{matchLabels: {{app: foo}}}}\n          template:\n            metadata: {{labels: {{app: foo}}}}\n            spec: {{containers: [{{name: foo, image: 'quay.io/foo/foo@{DIGEST}'}}]}}\n  relatedImages: [{{name: foo, image: 'quay.io/foo/foo@{DIGEST}'}}]\n"
    );
    write(root, &format!("{directory}/manifests/foo.clusterserviceversion.yaml"), csv);
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: foo\n  operators.operatorframework.io.bundle.channels.v1: stable\n  operators.operatorframework.io.bundle.channel.default.v1: stable\n  com.redhat.openshift.versions: v4.12\n";
    write(root, &format!("{directory}/metadata/annotations.yaml"), annotations);
}

#[test]
fn iib_judges_bundles_by_the_index() {
    for (name, replaces, expected) in [
        ("foo.v1.1.0", Some("foo.v1.0.0"), &[][..]),
        ("foo.v1.1.0", None, &[]),
        ("foo.v1.0.0", None, &["E2020"]),
        ("foo.v1.1.0", Some("foo.v0.9.0"), &["E2021"]),
    ] {
        let root = scratch();
        bundle(root.path(), "b", name, replaces, "");
        write(root.path(), "index/foo/catalog.yaml", fragment(&["metadata"]));
        check(
            root.path(),
            &["b", "--pipeline", "iib", "--target-index", "index"],
            expected,
            &format!("{name} {replaces:?}"),
        );
    }
    // The channel would have two heads of one version.
    let root = scratch();
    bundle(root.path(), "b", "foo.v1.1.0", None, "");
    let other = fragment(&["metadata"]).replace("foo.v1.0.0", "foo.other").replace("version: 1.0.0", "version: 1.1.0");
    write(root.path(), "index/foo/catalog.yaml", other);
    let args = ["b", "--pipeline", "iib", "--target-index", "index"];
    check(root.path(), &args, &["E2022"], "two heads of one version");
    // In another mode the edges come from the versions.
    let root = scratch();
    bundle(root.path(), "b", "foo.v0.9.0", None, "");
    write(root.path(), "index/foo/catalog.yaml", fragment(&["metadata"]));
    let args = ["b", "--pipeline", "iib", "--target-index", "index", "--update-mode", "semver"];
    check(root.path(), &args, &[], "an older version is put below");
    // One may replace the other if both are added.
    let root = scratch();
    bundle(root.path(), "a", "foo.v1.1.0", Some("foo.v1.0.0"), "");
    bundle(root.path(), "b", "foo.v1.2.0", Some("foo.v1.1.0"), "");
    write(root.path(), "index/foo/catalog.yaml", fragment(&["metadata"]));
    check(root.path(), &["a", "b", "--pipeline", "iib", "--target-index", "index"], &[], "two bundles");
    let answer = olmdex(["check", "a", "--pipeline", "iib"]).in_directory(root.path()).answer();
    answer
        .expect_words("opm registry add          not checked: no index")
        .expect_words("verify_labels             not checked");
}

/// A repository with `foo` 1.0.0 and a catalog for it.
fn repository(root: &Path, catalog: &str, kinds: &[&str], config: &str, ci: &str) {
    bundle(root, "operators/foo/1.0.0", "foo.v1.0.0", None, "");
    write(root, "operators/foo/ci.yaml", ci);
    if !catalog.is_empty() {
        write(root, &format!("{catalog}/catalog.yaml"), fragment(kinds));
    }
    if !config.is_empty() {
        write(root, "config.yaml", config);
    }
}

const FBC: &str = "cert_project_id: 5f0c\nfbc: {enabled: true, catalog_mapping: []}\n";

#[test]
fn repositories_have_their_say_about_catalogs() {
    let allowed = "allowed_bundle_registries: [registry.redhat.io/foo/]\n";
    for (catalog, kinds, config, expected) in [
        ("catalogs/v4.18/foo", &["metadata"][..], allowed, &[][..]),
        ("catalogs/v4.18/foo", &["metadata"], "allowed_bundle_registries: [quay.io/foo/]\n", &["E1521"]),
        ("catalogs/v4.18/foo", &["metadata"], "allowed_bundle_registries: [quay.io/, registry.]\n", &[]),
        ("catalogs/v4.18/foo", &["metadata"], "", &[]),
        ("catalogs/v4.17/foo", &["object"], allowed, &["E1522"]),
        ("catalogs/v4.16/foo", &["object"], allowed, &[]),
        ("catalogs/v4.9/foo", &["object"], allowed, &[]),
        ("catalogs/v5.0/foo", &["object"], allowed, &["E1522"]),
        // Only the first bundle is checked.
        ("catalogs/v4.18/foo", &["metadata", "object"], allowed, &["W1523"]),
        ("catalogs/v4.18/foo", &["object", "object"], allowed, &["E1522", "W1523"]),
        ("catalogs/latest/foo", &["object"], allowed, &[]),
    ] {
        let root = scratch();
        repository(root.path(), catalog, kinds, config, FBC);
        let title = format!("{catalog} {kinds:?} {config}");
        check(root.path(), &[".", "--pipeline", "certified"], expected, &title);
        check(root.path(), &["operators/foo", "--pipeline", "certified"], expected, &title);
        check(root.path(), &[catalog, "--pipeline", "certified"], expected, &title);
        check(root.path(), &[catalog, "--pipeline", "certified", "--openshift", "4.30"], &[], &title);
    }
    // A contribution that looks like a repository does not bring its own settings.
    let root = scratch();
    repository(root.path(), "catalogs/v4.18/foo", &["metadata"], "allowed_bundle_registries: [quay.io/foo/]\n", FBC);
    for contribution in ["operators/foo", "operators/foo/1.0.0", "catalogs/v4.18/foo"] {
        std::fs::create_dir(root.path().join(contribution).join("operators")).unwrap();
    }
    write(root.path(), "operators/foo/config.yaml", "allowed_bundle_registries: []\n");
    for path in [".", "operators/foo", "catalogs/v4.18/foo"] {
        check(root.path(), &[path, "--pipeline", "certified"], &["E1521"], path);
    }
    // An operator in an operator does not take its place.
    bundle(root.path(), "operators/foo/operators/bar/1.0.0", "bar.v1.0.0", None, "");
    write(root.path(), "operators/foo/1.0.0/tests/a.yaml", "a: 1 \n");
    check(root.path(), &["operators/foo", "--pipeline", "certified"], &["E1521", "E1531"], "an operator within");
    let root = scratch();
    repository(root.path(), "catalogs/v4.18/foo", &["metadata"], "", FBC);
    let answer = olmdex(["check", ".", "--pipeline", "certified"]).in_directory(root.path()).answer();
    answer
        .expect_code(0)
        .expect_words("static-tests                   passed")
        .expect_words("detect-changes                 not checked");
    // Outside of a repository, the checks do not run, which is reported.
    let root = scratch();
    write(root.path(), "c/foo/catalog.yaml", fragment(&["object"]));
    let answer = olmdex(["check", "c", "--pipeline", "certified"]).in_directory(root.path()).answer();
    answer.expect_words("`c` does not lie in an operator repository");
}

#[test]
fn the_community_recommends_catalogs_in_the_repository() {
    for (ci, pipeline, expected) in [
        ("updateGraph: replaces-mode\n", "community", true),
        (FBC, "community", false),
        ("cert_project_id: 5f0c\nupdateGraph: replaces-mode\n", "certified", false),
    ] {
        let root = scratch();
        repository(root.path(), "", &[], "", ci);
        let answer = olmdex(["check", ".", "-o", "json", "--pipeline", pipeline]).in_directory(root.path()).answer();
        assert_eq!(answer.out().contains("\"W1524\""), expected, "{ci} {pipeline}");
        assert_eq!(answer.out().contains("\"check_using_fbc\""), expected, "{ci} {pipeline}");
    }
}

#[test]
fn the_marketplace_wants_its_addresses() {
    let address = |kind: &str, page: &str, package: &str| {
        format!(
            "    marketplace.openshift.io/{kind}-workflow: https://marketplace.redhat.com/en-us/operators/{package}/{page}?utm_source=openshift_console\n"
        )
    };
    let both = format!("{}{}", address("remote", "pricing", "foo"), address("support", "support", "foo"));
    for (annotations, organization, expected) in [
        (both.clone(), "redhat-marketplace", &[][..]),
        (String::new(), "redhat-marketplace", &["E1525"]),
        (address("remote", "pricing", "foo"), "redhat-marketplace", &["E1525"]),
        (both.replace("/foo/", "/bar/"), "redhat-marketplace", &["E1525"]),
        (String::new(), "certified-operators", &[]),
    ] {
        let root = scratch();
        bundle(root.path(), "operators/foo/1.0.0", "foo.v1.0.0", None, &annotations);
        write(root.path(), "operators/foo/ci.yaml", FBC);
        write(root.path(), "config.yaml", format!("organization: {organization}\n"));
        check(root.path(), &[".", "--pipeline", "certified"], expected, &format!("{organization} {annotations}"));
    }
}

#[test]
fn certified_operators_pin_their_images_and_name_their_openshift() {
    let related = format!("  relatedImages: [{{name: foo, image: 'quay.io/foo/foo@{DIGEST}'}}]");
    let other = format!("quay.io/foo/bar@{DIGEST}");
    let annotated = |text: &str| {
        (String::from("    capabilities: Basic"), format!("    example: '{text}'\n    capabilities: Basic"))
    };
    let environment = |value: &str| {
        let container = String::from("containers: [{name: foo, ");
        (
            container.clone(),
            format!("{container}env: [{{name: RELATED_IMAGE_BAR, value: '{value}'}}, {{name: X, value: 'a:b'}}], "),
        )
    };
    let of_elsewhere = || {
        let container = String::from("containers: [{name: foo, ");
        let variable = "{name: RELATED_IMAGE_BAR, valueFrom: {fieldRef: {fieldPath: a}}}";
        (container.clone(), format!("{container}env: [{variable}], "))
    };
    let listed =
        |name: &str| (related.clone(), related.replace("]", &format!(", {{name: {name}, image: '{other}'}}]")));
    for (edits, expected) in [
        (vec![], &[][..]),
        (vec![(format!("foo@{DIGEST}'}}]}}"), "foo:v1'}]}".to_owned())], &["E1532", "E1533"]),
        (vec![(format!("{related}\n"), String::new())], &["E1533"]),
        (vec![(related.clone(), related.replace(&format!("@{DIGEST}"), ":v1"))], &["E1532", "E1533"]),
        (vec![environment(&other)], &["E1533"]),
        (vec![environment(&other), listed("bar")], &[]),
        (vec![environment("quay.io/foo/bar:v1")], &["E1532", "E1533"]),
        // Both would be `foo` in the list that `operator-manifest` writes.
        (vec![environment(&other), listed("foo")], &["E1533"]),
        (vec![annotated("see registry.example.com/foo/bar:v1.")], &["E1532", "E1533"]),
        (vec![annotated("see https://example.com/foo:8080/bar and 12:30")], &[]),
        (vec![annotated("localhost/foo:v1")], &[]),
        (vec![annotated(&format!("[{other}]")), listed("bar")], &[]),
        (vec![of_elsewhere()], &["E1532"]),
        // The names are `a/img-…` and `b/img-…`, and both lack in the list.
        (vec![annotated(&format!("quay.io/o/a/img@{DIGEST} quay.io/o/b/img@{DIGEST}"))], &["E1533"]),
    ] {
        let root = scratch();
        bundle(root.path(), "operators/foo/1.0.0", "foo.v1.0.0", None, "");
        write(root.path(), "operators/foo/ci.yaml", FBC);
        let csv = root.path().join("operators/foo/1.0.0/manifests/foo.clusterserviceversion.yaml");
        let mut text = std::fs::read_to_string(&csv).unwrap();
        for (from, to) in &edits {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        std::fs::write(&csv, text).unwrap();
        check(root.path(), &[".", "--pipeline", "certified"], expected, &format!("{edits:?}"));
        check(root.path(), &[".", "--pipeline", "community"], &["E1506", "W1507"], "the community pins nothing");
    }
    let root = scratch();
    bundle(root.path(), "b", "foo.v1.0.0", None, "");
    let annotations = root.path().join("b/metadata/annotations.yaml");
    let text = std::fs::read_to_string(&annotations).unwrap();
    check(root.path(), &["b", "--pipeline", "certified"], &[], "a bundle by itself");
    std::fs::write(&annotations, text.replace("  com.redhat.openshift.versions: v4.12\n", "")).unwrap();
    check(root.path(), &["b", "--pipeline", "certified"], &["E1534"], "no OpenShift");
    bundle(root.path(), "operators/foo/1.0.0", "foo.v1.0.0", None, "");
    for (ci, expected) in [(None, &["E1535"][..]), (Some("merge: true\n"), &["E1535"]), (Some(FBC), &[])] {
        if let Some(ci) = ci {
            write(root.path(), "operators/foo/ci.yaml", ci);
        }
        check(root.path(), &["operators/foo", "--pipeline", "certified"], expected, &format!("{ci:?}"));
    }
}

/// The verdict of a pipeline, and the results of some of its tasks.
fn tasks(root: &Path, args: &[&str], names: &[&str]) -> (String, Vec<String>) {
    let answer = olmdex(["check", "-o", "json", "--no-config"]).args(args).in_directory(root).answer();
    let json: serde_json::Value = serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
    let pipeline = &json["metadata"]["pipelines"][0];
    let result = |name: &&str| {
        let all = pipeline["tasks"].as_array().unwrap();
        all.iter().find(|task| task["task"] == *name).unwrap()["result"].as_str().unwrap().to_owned()
    };
    (pipeline["verdict"].as_str().unwrap().to_owned(), names.iter().map(result).collect())
}

#[test]
fn tasks_say_what_was_looked_at() {
    let made = || {
        let root = scratch();
        bundle(root.path(), "operators/foo/1.0.0", "foo.v1.0.0", None, "");
        write(root.path(), "operators/foo/ci.yaml", FBC);
        root
    };
    const NAMES: [&str; 4] = ["read-config", "static-tests", "digest-pinning", "yaml-lint"];
    let certified = |root: &Path, more: &[&str]| {
        let args = [&["operators/foo", "--pipeline", "certified"], more].concat();
        tasks(root, &args, &NAMES).1.join(" ")
    };
    let root = made();
    assert_eq!(certified(root.path(), &[]), "passed passed passed passed");
    // The pipelines look at new bundles.
    let old = made();
    let base = old.path().to_str().unwrap();
    assert_eq!(certified(root.path(), &["--base", base]), "passed passed notRun notRun");
    // A new bundle is one, also if it looks like a repository itself.
    let added = made();
    bundle(added.path(), "operators/foo/1.1.0", "foo.v1.1.0", Some("foo.v1.0.0"), "");
    write(added.path(), "operators/foo/1.1.0/operators/a.yaml", "a: 1 \n");
    assert!(certified(added.path(), &["--base", base]).ends_with(" failed"));
    write(root.path(), "operators/foo/1.0.0/tests/a.yaml", "a: 1 \n");
    assert_eq!(certified(root.path(), &[]), "passed passed passed failed");
    // Errors that a user lowers fail all the same.
    assert_eq!(certified(root.path(), &["--severity", "E1531=note"]), "passed passed passed failed");
    write(root.path(), "operators/foo/ci.yaml", "a: [\n");
    assert_eq!(certified(root.path(), &[]), "failed passed passed failed");
    // The ClusterServiceVersion may have any name, and there is one.
    let manifests = root.path().join("operators/foo/1.0.0/manifests");
    let (csv, other) = (manifests.join("foo.clusterserviceversion.yaml"), manifests.join("foo.yaml"));
    let text = std::fs::read_to_string(&csv).unwrap();
    std::fs::remove_file(&csv).unwrap();
    let bundle = |root: &Path| tasks(root, &["operators/foo/1.0.0", "--pipeline", "certified"], &NAMES).1[2].clone();
    assert_eq!(bundle(root.path()), "notChecked");
    std::fs::write(&other, &text).unwrap();
    assert_eq!(bundle(root.path()), "passed");
    std::fs::write(&other, text.replace(&format!("foo@{DIGEST}"), "foo:v1")).unwrap();
    assert_eq!(bundle(root.path()), "failed");
    std::fs::write(&csv, &text).unwrap();
    assert_eq!(bundle(root.path()), "failed");

    // A pipeline runs `opm validate`, whatever else is wanted.
    let root = scratch();
    write(root.path(), "c/foo/catalog.yaml", fragment(&["metadata"]).replace("name: foo.v1.0.0}", "name: foo.v9.0.0}"));
    for more in [&[][..], &["--only", "graph"], &["--only", "closure"]] {
        let args = [&["c", "--pipeline", "iib"], more].concat();
        let (verdict, results) = tasks(root.path(), &args, &["opm_validate"]);
        assert_eq!((verdict.as_str(), results[0].as_str()), ("iib: would fail in opm_validate (2 errors)", "failed"));
    }
    // Rules that a user leaves out are not checked, or fail as before.
    let root = scratch();
    let text = catalog("foo", &["stable=foo.v1.0.0"], &[("foo.v1.0.0", "quay.io/a/b:v1", "metadata")]);
    write(root.path(), "c/foo/catalog.yaml", text);
    let konflux = |more: &[&str]| {
        let args = [&["c", "--pipeline", "konflux", "--openshift", "4.18"], more].concat();
        tasks(root.path(), &args, &["validate-fbc"]).1.concat()
    };
    assert_eq!(konflux(&["--ignore", "E2001,E2002"]), "notChecked");
    assert_eq!(konflux(&["--severity", "E2001=warning"]), "failed");
    let baseline = root.path().join("b.json");
    assert_eq!(konflux(&["--baseline", baseline.to_str().unwrap(), "--write-baseline"]), "failed");
    assert_eq!(konflux(&["--baseline", baseline.to_str().unwrap()]), "failed");
}

#[test]
fn yaml_files_of_bundles_are_linted_as_the_hosted_pipelines_do() {
    const FILE: &str = "operators/foo/1.0.0/tests/scorecard/config.yaml";
    for (file, text, expected) in [
        (FILE, "---\na: 1\n", &[][..]),
        (FILE, "---\na: 1 \n", &["E1531"]),
        (FILE, "---\na: 1", &["E1531"]),
        (FILE, "a: yes\n", &[]),
        (FILE, "a: [\n", &["E1531"]),
        ("operators/foo/1.0.0/tests/readme.txt", "a: 1 ", &[]),
        ("operators/foo/ci-of-others.yaml", "a: 1 ", &[]),
    ] {
        let root = scratch();
        bundle(root.path(), "operators/foo/1.0.0", "foo.v1.0.0", None, "");
        write(root.path(), "operators/foo/ci.yaml", FBC);
        write(root.path(), file, text);
        check(root.path(), &["operators/foo", "--pipeline", "certified"], expected, &format!("{file} {text:?}"));
        let bundle = ["operators/foo/1.0.0", "--pipeline", "certified"];
        check(root.path(), &bundle, expected, &format!("{file} {text:?} of a bundle"));
    }
    // A link leads nowhere, and is not followed.
    let root = scratch();
    bundle(root.path(), "operators/foo/1.0.0", "foo.v1.0.0", None, "");
    write(root.path(), "operators/foo/ci.yaml", FBC);
    write(root.path(), "outside/a.yaml", "a: 1 \n");
    std::os::unix::fs::symlink("../../../outside", root.path().join("operators/foo/1.0.0/tests")).unwrap();
    std::os::unix::fs::symlink("../../../outside/a.yaml", root.path().join("operators/foo/1.0.0/b.yaml")).unwrap();
    check(root.path(), &["operators/foo", "--pipeline", "certified"], &[], "links");
}

/// Something that a change does to a repository.
type Edit = fn(&Path);

#[test]
fn a_change_is_about_one_thing() {
    let add: Edit = |root| bundle(root, "operators/foo/1.1.0", "foo.v1.1.0", None, "");
    let add_second: Edit = |root| bundle(root, "operators/foo/1.2.0", "foo.v1.2.0", None, "");
    let edit_catalog: Edit =
        |root| drop(write(root, "catalogs/v4.18/foo/catalog.yaml", fragment(&["metadata", "metadata"])));
    let add_catalog: Edit = |root| drop(write(root, "catalogs/v4.19/foo/catalog.yaml", fragment(&["metadata"])));
    let modify: Edit = |root| {
        drop(write(
            root,
            "operators/foo/1.0.0/manifests/more.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        ));
    };
    let delete: Edit = |root| std::fs::remove_dir_all(root.join("operators/foo/1.0.0")).unwrap();
    let free_catalog: Edit = |root| std::fs::remove_dir_all(root.join("catalogs")).unwrap();
    let settings: Edit = |root| drop(write(root, "operators/foo/ci.yaml", format!("{FBC}reviewers: [ada]\n")));
    let outside: Edit = |root| drop(write(root, "README.md", "Hello\n"));
    let other: Edit = |root| drop(write(root, "operators/bar/ci.yaml", FBC));
    let unknown_catalog: Edit = |root| drop(write(root, "catalogs/v4.18/bar/index.yaml", fragment_of_bar()));
    for (title, edits, expected) in [
        ("nothing", &[][..], &[][..]),
        ("a bundle", &[add], &[]),
        ("a bundle and settings", &[add, settings], &[]),
        ("catalogs", &[edit_catalog, add_catalog], &[]),
        ("catalogs and settings", &[edit_catalog, settings], &[]),
        ("a bundle and a catalog", &[add, edit_catalog], &["E1526"]),
        ("a modified bundle and a catalog", &[modify, edit_catalog], &["E1526", "E1528"]),
        ("two bundles", &[add, add_second], &["E1527"]),
        ("a bundle and another operator", &[add, other], &["E1527"]),
        ("settings of two operators", &[settings, other], &[]),
        ("a modified bundle", &[modify], &["E1528"]),
        ("a deleted bundle that a catalog holds", &[add, delete], &["E1527", "E1529"]),
        ("a deleted bundle and its catalogs", &[settings, free_catalog, delete], &[]),
        ("a file outside", &[add, outside], &["E1530"]),
        ("a catalog that is none", &[unknown_catalog], &["E1530"]),
    ] {
        let (old, new) = (scratch(), scratch());
        for root in [old.path(), new.path()] {
            repository(root, "catalogs/v4.18/foo", &["metadata"], "", FBC);
        }
        for edit in edits {
            edit(new.path());
        }
        let old = old.path().to_str().unwrap();
        check(new.path(), &[".", "--pipeline", "certified", "--old", old], expected, title);
    }
    // If the repository has no catalogs, nothing may be deleted.
    let (old, new) = (scratch(), scratch());
    for root in [old.path(), new.path()] {
        repository(root, "", &[], "", "cert_project_id: 5f0c\nupdateGraph: replaces-mode\n");
        bundle(root, "operators/foo/1.1.0", "foo.v1.1.0", Some("foo.v1.0.0"), "");
    }
    std::fs::remove_dir_all(new.path().join("operators/foo/1.1.0")).unwrap();
    check(new.path(), &[".", "--pipeline", "certified", "--old", old.path().to_str().unwrap()], &["E1529"], "no fbc");
}

#[test]
fn a_rule_of_a_pipeline_can_be_chosen_by_itself() {
    let root = scratch();
    write(
        root.path(),
        "c/foo/catalog.yaml",
        catalog("foo", &["stable=foo.v1.0.0"], &[("foo.v1.0.0", "quay.io/a/b:v1", "")]),
    );
    check(root.path(), &["c"], &[], "none is on by itself");
    check(root.path(), &["c", "--select", "E2002"], &["E2002"], "one by itself");
    check(root.path(), &["c", "--pipeline", "konflux", "--ignore", "E2002"], &["E2001"], "one is ignored");
    let answer = olmdex(["check", "c", "--pipeline", "konflux"]).in_directory(root.path()).answer();
    answer
        .expect_code(1)
        .expect_words("error[E2001, validate-fbc]")
        .expect_words("konflux: would fail in validate-fbc");
    let answer = olmdex(["validate", "c", "--pipeline", "konflux"]).in_directory(root.path()).answer();
    answer.expect_code(1).expect_words("error[E2002, validate-fbc]").expect_words("not checked: fbc-target-index");
}
