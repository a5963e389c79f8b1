//! Bundle directories as sources: what they are taken for, and what whoever made one may have put into it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{olmdex, scratch, write};

const CSV: &str = "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: till.v1.0.0}
spec: {version: 1.0.0}
";

/// A bundle that can be read.
fn bundle() -> tempfile::TempDir {
    let directory = scratch();
    write(directory.path(), "manifests/csv.yaml", CSV);
    let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: till}\n";
    write(directory.path(), "metadata/annotations.yaml", annotations);
    directory
}

fn render(directory: &Path) -> crate::support::Answer {
    olmdex(["render"]).arg(directory).answer()
}

#[test]
fn a_bundle_is_a_source_like_any_other() {
    let directory = bundle();
    assert!(render(directory.path()).expect_code(0).out().contains("\"name\": \"till.v1.0.0\""));
    olmdex(["list", "bundles", "-i"]).arg(directory.path()).answer().expect_code(0).expect_words("till.v1.0.0");
    olmdex(["show", "till.v1.0.0", "-i"]).arg(directory.path()).answer().expect_code(0).expect_words("Version:");
    // Beside a catalog, too.
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    let both = olmdex(["render"]).arg(&catalog).arg(directory.path()).answer();
    assert!(both.expect_code(0).out().contains("\"version\": \"1.0.0\""));
}

#[test]
fn the_reference_of_the_image_is_made_of_a_template() {
    let directory = bundle();
    let with = |template: &str| olmdex(["render", "--image-template", template]).arg(directory.path()).answer();
    let out = with("quay.io/{{ .Package }}/{{.Name}}:v{{- .Version}}").expect_code(0).out();
    assert!(out.contains("\"image\": \"quay.io/till/till.v1.0.0:v1.0.0\""), "{out}");
    with("quay.io/{{.Name").expect_code(2).expect_words("unclosed action");
    with("quay.io/{{.Digest}}").expect_code(2).expect_words("`{{.Digest}}` is not `{{.Package}}`");
}

#[test]
fn what_is_missing_is_named() {
    for (file, words) in [
        ("manifests/csv.yaml", "`manifests/` has no object of Kubernetes"),
        ("metadata/annotations.yaml", "no file with the annotations of a bundle"),
    ] {
        let directory = bundle();
        std::fs::remove_file(directory.path().join(file)).unwrap();
        render(directory.path()).expect_code(3).expect_words(words);
    }
}

#[test]
fn nothing_but_regular_files_is_opened() {
    let directory = bundle();
    let fifo = directory.path().join("manifests/a.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", directory.path().join("manifests/b.yaml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", directory.path().join("metadata/c.yaml")).unwrap();
    std::fs::create_dir(directory.path().join("manifests/d")).unwrap();
    render(directory.path()).expect_code(0);
    // Links to both directories make a catalog of files, not a bundle, as with opm.
    let linked = scratch();
    for name in ["manifests", "metadata"] {
        std::os::unix::fs::symlink(directory.path().join(name), linked.path().join(name)).unwrap();
    }
    assert!(!render(linked.path()).out().contains("till.v1.0.0"));
}

#[test]
fn hostile_manifests_end_with_words() {
    let deep = format!("kind: A\nspec: {}1{}\n", "[".repeat(5_000), "]".repeat(5_000));
    let bomb = "kind: A\na: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n";
    let odd: [&[u8]; 5] = [b"\xff\xfe\x00", b"{", b"{\"kind\": 3}", b"kind: [a]", b"--- x\nkind: A\n"];
    for text in odd.into_iter().chain([deep.as_bytes(), bomb.as_bytes()]) {
        let directory = bundle();
        write(directory.path(), "manifests/hostile.yaml", text);
        write(directory.path(), "metadata/hostile.yaml", text);
        render(directory.path()).expect_code(0);
    }
    let directory = bundle();
    let large = std::fs::File::create(directory.path().join("manifests/large.yaml")).unwrap();
    large.set_len(65 << 20).unwrap();
    render(directory.path()).expect_code(3).expect_words("larger than 64 MiB");
}

fn validate(directory: &Path) -> crate::support::Answer {
    olmdex(["bundle", "validate", "--suite", "all"]).arg(directory).answer()
}

#[test]
fn validation_opens_nothing_but_regular_files_of_the_bundle() {
    let directory = bundle();
    let secret = scratch();
    write(secret.path(), "secret.yaml", "kind: Secret\nstringData: {password: hunter2\n");
    let fifo = directory.path().join("manifests/a.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", directory.path().join("manifests/b.yaml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", directory.path().join("metadata/c.yaml")).unwrap();
    std::os::unix::fs::symlink(secret.path().join("secret.yaml"), directory.path().join("manifests/d.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", directory.path().join("manifests/e.yaml")).unwrap();
    let answer = validate(directory.path());
    answer.expect_code(1).expect_words("E1021").expect_words("manifests/d.yaml");
    assert!(!answer.out().contains("hunter2"), "{}", answer.out());
    // Links to both directories are no bundle.
    let linked = scratch();
    for name in ["manifests", "metadata"] {
        std::os::unix::fs::symlink(directory.path().join(name), linked.path().join(name)).unwrap();
    }
    validate(linked.path()).expect_code(1).expect_words("E1001");
}

#[test]
fn a_link_inside_of_the_bundle_is_followed() {
    let directory = bundle();
    std::fs::rename(directory.path().join("manifests/csv.yaml"), directory.path().join("metadata/csv.yaml")).unwrap();
    std::os::unix::fs::symlink("../metadata/csv.yaml", directory.path().join("manifests/csv.yaml")).unwrap();
    let answer = validate(directory.path());
    answer.expect_code(1);
    assert!(!answer.out().contains("E1023"), "{}", answer.out());
}

#[test]
fn validation_of_hostile_manifests_ends_with_words() {
    let deep = format!("kind: A\nspec: {}1{}\n", "[".repeat(5_000), "]".repeat(5_000));
    let bomb = "kind: A\na: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n";
    let csv = "kind: ClusterServiceVersion\nmetadata: [a]\nspec: {installModes: 3, icon: [], relatedImages: {a: b}}\n";
    let nulls =
        "kind: ClusterServiceVersion\nmetadata: null\nspec: {install: {spec: {deployments: [null]}}, icon: [null]}\n";
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {versions: [1, null, {name: [a]}]}\n";
    let odd: [&[u8]; 7] =
        [b"\xff\xfe\x00", b"", b"{", b"{\"kind\": 3}", b"kind: [a]", b"--- x\nkind: A\n", b"\xef\xbb\xbfkind: A\n"];
    let texts = [&deep, bomb, csv, nulls, crd].map(str::as_bytes);
    for text in odd.into_iter().chain(texts) {
        for with_csv in [true, false] {
            let directory = bundle();
            if !with_csv {
                std::fs::remove_file(directory.path().join("manifests/csv.yaml")).unwrap();
            }
            write(directory.path(), "manifests/hostile.yaml", text);
            write(directory.path(), "metadata/hostile.yaml", text);
            write(directory.path(), "metadata/dependencies.yaml", text);
            validate(directory.path()).expect_code(1);
            let compat = ["bundle", "validate", "--compat", "operator-sdk", "--select-optional", "name"];
            olmdex(compat).arg(directory.path()).answer().expect_code(1);
        }
    }
    let directory = bundle();
    let large = std::fs::File::create(directory.path().join("manifests/large.yaml")).unwrap();
    large.set_len(65 << 20).unwrap();
    validate(directory.path()).expect_code(3).expect_words("larger than 64 MiB");
}

#[test]
fn a_bundle_that_is_too_large_for_a_config_map_is_refused() {
    let directory = bundle();
    // What cannot be compressed.
    let mut state = 1_u64;
    let mut noise = String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: noise}\ndata:\n  noise: ");
    while noise.len() < 1_700_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        noise.push_str(&format!("{:x}", state >> 16));
    }
    write(directory.path(), "manifests/noise.yaml", format!("{noise}\n").as_bytes());
    validate(directory.path()).expect_code(1).expect_words("E1045");
    write(directory.path(), "manifests/noise.yaml", format!("{}\n", &noise[..1_420_000]).as_bytes());
    let answer = validate(directory.path());
    answer.expect_words("W1046");
    assert!(!answer.out().contains("E1045"), "{}", answer.out());
}
