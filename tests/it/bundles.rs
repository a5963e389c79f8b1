//! Bundle directories as sources: their recognition, and content that their makers may have planted.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use tar::EntryType;

use crate::support::image::{Layer, image, layout};
use crate::support::registry::Registry;
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
        ("manifests/csv.yaml", "`manifests/` has no Kubernetes object"),
        ("metadata/annotations.yaml", "no file with bundle annotations"),
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
    // Links to both directories make a catalog of files, not a bundle, as in opm.
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
fn a_second_document_of_a_manifest_is_lost_and_said_to_be() {
    let role = |name: &str| {
        format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}}}\nrules: []\n")
    };
    let lost = "has a second document, which opm and OLM do not read";
    for (text, words, line) in [
        (role("a"), None, 0),
        (format!("{}---\n# nothing\n\n", role("a")), None, 0),
        (format!("{}---\n# more\n{}", role("a"), role("b")), Some(lost), 6),
        (format!("# a comment\n---\n{}", role("a")), Some("the text from line 3 on is the first document"), 1),
    ] {
        let directory = bundle();
        write(directory.path(), "manifests/role.yaml", &text);
        let out = validate(directory.path()).out();
        let of_role = out.lines().any(|it| it.trim_end().ends_with(&format!("manifests/role.yaml:{line}:1")));
        assert_eq!((words.is_none_or(|words| out.contains(words)), of_role), (true, words.is_some()), "{text}{out}");
    }
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
    // Content that cannot be compressed.
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

#[test]
fn a_directory_around_bundles_is_refused_with_their_names() {
    let directory = scratch();
    let inner = bundle();
    let copy = |name: &str| {
        for file in ["manifests/csv.yaml", "metadata/annotations.yaml"] {
            let text = std::fs::read(inner.path().join(file)).unwrap();
            write(directory.path(), &format!("{name}/{file}"), text);
        }
    };
    copy("bundle");
    write(directory.path(), "Makefile", "all:\n");
    let one = directory.path().join("bundle");
    let words = format!("name the inner directory: `{}`", one.display());
    for command in [["render"].as_slice(), &["validate"], &["list", "packages", "-i"]] {
        olmdex(command).arg(directory.path()).answer().expect_code(3).expect_words(&words);
    }
    // opm takes it for a catalog, and so does the command that prints opm's words.
    let opm = olmdex(["validate", "--compat", "opm"]).arg(directory.path()).answer();
    assert!(!opm.expect_code(1).both().contains("inner directory"));
    copy("1.0.0");
    let several = render(directory.path());
    several
        .expect_code(3)
        .expect_words("it has 2 bundles")
        .expect_words(&format!("{}/1.0.0", directory.path().display()));
    several.expect_words(&format!("olmdex render {}/*/", directory.path().display()));
    // A directory that hides these files is a catalog.
    write(directory.path(), ".indexignore", "manifests\nmetadata\nMakefile\n");
    write(directory.path(), "catalog.yaml", "schema: olm.package\nname: till\n");
    assert!(render(directory.path()).expect_code(0).out().contains("olm.package"));
}

#[test]
fn a_catalog_with_names_of_bundles_is_a_catalog() {
    let directory = scratch();
    write(directory.path(), "till/manifests/a.yaml", "schema: olm.package\nname: till\n");
    write(directory.path(), "till/metadata/a.yaml", "schema: any\nkind: thing\n");
    render(directory.path()).expect_code(0);
}

const FAULTY: &str = "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: till.v1.0.0}
spec:
  version: 1.0.0
  relatedImages:
  - name: good
    image: quay.io/org/good:v1
  - name: bad
    image: not an image
";

const ANNOTATIONS: &str = "annotations: {operators.operatorframework.io.bundle.package.v1: till}\n";

const PROPERTIES: &str = "properties:
- {type: olm.gvk, value: {group: a.b, kind: C, version: v1}}
- {type: olm.maxOpenShiftVersion, value: four}
";

#[test]
fn findings_of_a_bundle_are_in_its_files() {
    let directory = bundle();
    write(directory.path(), "manifests/csv.yaml", FAULTY);
    write(directory.path(), "metadata/properties.yaml", PROPERTIES);
    let places = ["manifests/csv.yaml:9:5", "metadata/properties.yaml:3:3", "metadata/annotations.yaml:1:14"];
    let answer = olmdex(["validate"]).arg(directory.path()).answer();
    for place in places {
        answer.expect_code(1).expect_words(&directory.path().join(place).display().to_string());
    }
    // An index keeps the place of the bundle.
    let show = olmdex(["show", "till.v1.0.0", "-i"]).arg(directory.path()).answer();
    show.expect_words(&format!("{}/manifests/csv.yaml:1:1", directory.path().display()));
}

#[test]
fn findings_of_a_bundle_in_an_image_are_in_its_files() {
    let directory = scratch();
    let layer = Layer::new().file("manifests/csv.yaml", FAULTY).file("metadata/annotations.yaml", ANNOTATIONS);
    let layer = layer.entry(EntryType::Fifo, "manifests/pipe", "", b"").finish();
    layout(&directory.path().join("image"), BUNDLE, std::slice::from_ref(&layer));
    std::fs::write(directory.path().join("bundle.tar"), layer).unwrap();
    for source in ["image", "bundle.tar"] {
        let answer = olmdex(["validate", source]).in_directory(directory.path()).answer();
        answer.expect_code(1).expect_words(&format!("{source}!/manifests/csv.yaml:9:5"));
    }
}

const BUNDLE: (&str, &str) = ("operators.operatorframework.io.bundle.package.v1", "till");

#[test]
fn bundles_below_the_top_of_an_archive_are_named() {
    let directory = scratch();
    let archive = |names: &[&str]| {
        let layer = names.iter().fold(Layer::new(), |layer, name| {
            let layer = layer.file(&format!("{name}/manifests/csv.yaml"), CSV);
            layer.file(&format!("{name}/metadata/annotations.yaml"), ANNOTATIONS)
        });
        std::fs::write(directory.path().join("bundles.tar"), layer.finish()).unwrap();
        olmdex(["render", "bundles.tar"]).in_directory(directory.path()).answer()
    };
    archive(&["1.0.0"]).expect_code(3).expect_words("unpack it, and name `1.0.0`");
    let several = archive(&["1.0.0", "1.1.0"]);
    several.expect_code(3).expect_words("has 2 bundles, `1.0.0` is the first").expect_words("name the bundles");
}

/// Manifests are migrated in every kind of source, as in catalogs.
#[test]
fn manifests_are_migrated_in_whatever_holds_a_bundle() {
    let directory = scratch();
    let root = directory.path();
    let layer = Layer::new().file("manifests/csv.yaml", CSV).file("metadata/annotations.yaml", ANNOTATIONS).finish();
    layout(&root.join("image"), BUNDLE, std::slice::from_ref(&layer));
    std::fs::write(root.join("bundle.tar"), &layer).unwrap();
    write(root, "dir/manifests/csv.yaml", CSV);
    write(root, "dir/metadata/annotations.yaml", ANNOTATIONS);
    write(root, "old/till.package.yaml", "packageName: till\nchannels: [{name: a, currentCSV: till.v1.0.0}]\n");
    write(root, "old/1.0.0/csv.yaml", CSV);
    let registry = Registry::start();
    registry.add("org/till", "v1", image(BUNDLE, std::slice::from_ref(&layer)));
    let name = registry.name("org/till:v1");
    let level = ["--migrate-level", "bundle-object-to-csv-metadata"];
    let home = root.to_str().unwrap();
    let run = |args: &[&str], source: &str| {
        olmdex(args).arg(source).in_directory(root).env("HOME", home).env("XDG_CACHE_HOME", &format!("{home}/cache"))
    };
    let is_migrated = |text: &str| text.contains("olm.csv.metadata") && !text.contains("olm.bundle.object");
    let template = ["render", "--image-template", "quay.io/org/{{.Name}}"];
    for source in ["dir", "image", "oci:image", "bundle.tar", "old"] {
        let plain = run(&template, source).answer().expect_code(0).out();
        assert!(plain.contains("olm.bundle.object") && plain.contains("quay.io/org/till.v1.0.0"), "{source}: {plain}");
        let migrated = run(&template, source).args(level).answer().expect_code(0).out();
        assert!(is_migrated(&migrated), "{source}: {migrated}");
        // opm keeps the manifests of a bundle that has no image.
        let kept = run(&["render"], source).args(level).answer().expect_code(0).out();
        assert!(kept.contains("olm.bundle.object"), "{source}: {kept}");
    }
    // The name in a registry is the reference of the image.
    let migrated = run(&["render", "--plain-http"], &name).args(level).answer().expect_code(0).out();
    assert!(is_migrated(&migrated), "{migrated}");
    run(&["migrate", "--plain-http"], &name).arg("files").args(level).answer().expect_code(0);
    let file = std::fs::read_dir(root.join("files/till")).unwrap().next().unwrap().unwrap().path();
    assert!(is_migrated(&std::fs::read_to_string(file).unwrap()));
}

/// A template gives the same catalog wherever its bundles come from, with and without manifests.
#[test]
fn a_template_takes_its_bundles_from_layouts_and_registries() {
    let directory = scratch();
    let root = directory.path();
    let layer = Layer::new().file("manifests/csv.yaml", CSV).file("metadata/annotations.yaml", ANNOTATIONS).finish();
    write(root, "dir/manifests/csv.yaml", CSV);
    write(root, "dir/metadata/annotations.yaml", ANNOTATIONS);
    let registry = Registry::start();
    let digest = registry.add("org/till", "v1", image(BUNDLE, std::slice::from_ref(&layer)));
    let name = |image: &str| registry.name(image).trim_start_matches("docker://").to_owned();
    let (by_tag, by_digest) = (name("org/till:v1"), name(&format!("org/till@{digest}")));
    // Images of a layout have their references as names.
    layout(&root.join("layout"), BUNDLE, std::slice::from_ref(&layer));
    let index = std::fs::read_to_string(root.join("layout/index.json")).unwrap();
    write(root, "layout/index.json", index.replace("\"latest\"", &format!("\"{by_tag}\"")));
    let home = root.to_str().unwrap();
    let cache = format!("{home}/cache");
    for (image, level) in [(&by_tag, "none"), (&by_digest, "bundle-object-to-csv-metadata")] {
        let template =
            format!("schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: {image}\n");
        write(root, "template.yaml", template);
        let run = |args: &[&str]| {
            let render = ["template", "render", "template.yaml", "--migrate-level", level];
            let run = olmdex(render).args(args.iter().copied()).in_directory(root).env("HOME", home);
            run.env("XDG_CACHE_HOME", &cache).answer()
        };
        let expected = run(&["--bundle", &format!("{image}=dir")]).expect_code(0).out();
        assert!(expected.contains("olm.csv.metadata") == (level != "none"), "{expected}");
        for args in [&["--bundles", "oci:layout"][..], &["--bundles", "layout"], &["--pull", "--plain-http"]] {
            assert_eq!(run(args).expect_code(0).out(), expected, "{image} {args:?}");
        }
        // An image that was fetched once needs no registry.
        registry.forget_requests();
        run(&["--pull", "--plain-http", "--offline"]).expect_code(0);
        assert_eq!(registry.requests().len(), 0);
        run(&[]).expect_code(4).expect_words("--pull");
        // The same in a composition, which chooses the form of manifests.
        let config = format!(
            "[catalogs.ours]\ntemplate = \"template.yaml\"\nbundles = [\"oci:layout\"]\nmigrate-level = \"{level}\"\n"
        );
        write(root, "olmdex.toml", config);
        let render = ["render", "--catalog", "ours", "-o", "json"];
        let composed = olmdex(render).in_directory(root).env("HOME", home).answer().expect_code(0).out();
        assert_eq!(composed, expected);
        std::fs::remove_file(root.join("olmdex.toml")).unwrap();
    }
}

/// A bundle is the same in each source of a template: a directory, an index and a catalog.
#[test]
fn a_template_takes_the_same_bundles_from_directories_indexes_and_catalogs() {
    let directory = scratch();
    let root = directory.path();
    let mut template = "schema: olm.semver\ngenerateMinorChannels: true\nstable:\n  bundles:\n".to_owned();
    for minor in 0..3 {
        let bundle = format!("operators/till/1.{minor}.0");
        write(root, &format!("{bundle}/manifests/csv.yaml"), CSV.replace("1.0.0", &format!("1.{minor}.0")));
        write(root, &format!("{bundle}/metadata/annotations.yaml"), ANNOTATIONS);
        template.push_str(&format!("  - image: quay.io/org/till:v1.{minor}.0\n"));
    }
    write(root, "template.yaml", template);
    let render = |args: &[&str]| {
        let render = ["template", "render", "template.yaml", "--migrate-level", "all"];
        olmdex(render).args(args).in_directory(root).answer().expect_code(0).out()
    };
    let values = |text: &str| -> Vec<serde_json::Value> {
        serde_json::Deserializer::from_str(text).into_iter().map(Result::unwrap).collect()
    };
    let catalog = render(&["--bundles", "operators"]);
    assert_eq!(catalog.matches("\"olm.bundle\"").count(), 3, "{catalog}");
    write(root, "catalog.json", &catalog);
    olmdex(["build", "-q", "c=catalog.json", "-o", "index.db"]).in_directory(root).answer().expect_code(0);
    for source in ["index.db", "catalog.json"] {
        // An index keeps the values, and not the order of fields in properties.
        assert_eq!(values(&render(&["--from", source])), values(&catalog), "{source}");
    }
}

/// A digest is that of the same bundle in each repository, as after a release.
#[test]
fn a_bundle_is_known_by_its_digest_in_another_repository() {
    let directory = scratch();
    let root = directory.path();
    let digest = "1b".repeat(32);
    let catalog = format!(
        "schema: olm.package\nname: till\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: till\nname: stable\nentries: [{{name: till.v1.0.0}}]\n---\nschema: olm.bundle\npackage: till\nname: till.v1.0.0\nimage: registry.example.com/till@sha256:{digest}\nproperties: [{{type: olm.package, value: {{packageName: till, version: 1.0.0}}}}]\nrelatedImages:\n- {{name: '', image: 'registry.example.com/till@sha256:{digest}'}}\n- {{name: a, image: 'quay.io/org/a@sha256:{digest}'}}\n"
    );
    write(root, "catalog.yaml", catalog);
    olmdex(["build", "-q", "c=catalog.yaml", "-o", "index.db"]).in_directory(root).answer().expect_code(0);
    let render = |image: &str, source: &str| {
        let template = format!(
            "schema: olm.template.basic\nentries:\n- {{schema: olm.package, name: till, defaultChannel: stable}}\n- {{schema: olm.channel, package: till, name: stable, entries: [{{name: till.v1.0.0}}]}}\n- {{schema: olm.bundle, image: '{image}'}}\n"
        );
        write(root, "template.yaml", template);
        olmdex(["template", "render", "template.yaml", "-o", "json", "--with", source]).in_directory(root).answer()
    };
    for source in ["catalog.yaml", "index.db"] {
        for tag in ["", ":v1.0.0"] {
            let image = format!("quay.io/builds/till{tag}@sha256:{digest}");
            let out = render(&image, source).expect_code(0).out();
            let blobs = serde_json::Deserializer::from_str(&out).into_iter::<serde_json::Value>();
            let bundle = blobs.map(Result::unwrap).find(|blob| blob["schema"] == "olm.bundle").unwrap();
            assert_eq!(bundle["image"], image.as_str(), "{source}");
            assert_eq!(bundle["relatedImages"][0]["image"], image.as_str(), "{source}");
            assert_eq!(bundle["relatedImages"][1]["image"], format!("quay.io/org/a@sha256:{digest}"), "{source}");
        }
        let other = format!("quay.io/builds/till@sha256:{}", "2b".repeat(32));
        render(&other, source).expect_code(4).expect_words("not known offline");
        render("quay.io/builds/till:v1.0.0", source).expect_code(4);
    }
}

/// The form of the older documentation: opm does not know the field `property`, and takes each item for a property
/// without type and value, and equal ones count as one.
#[test]
fn properties_in_the_older_form_are_empty_and_said_to_be() {
    let directory = bundle();
    let nested =
        "properties:\n- property:\n    type: color\n    value: red\n- property: {type: shape, value: square}\n";
    let new = "- type: size\n  value: small\n";
    write(directory.path(), "metadata/properties.yaml", format!("{nested}{new}"));
    let blob: serde_json::Value = serde_json::from_str(&render(directory.path()).expect_code(0).out()).unwrap();
    let own = blob["properties"].as_array().unwrap().iter().filter(|it| it["type"] != "olm.bundle.object");
    let expected = serde_json::json!([
        {"type": "", "value": null},
        {"type": "olm.package", "value": {"packageName": "till", "version": "1.0.0"}},
        {"type": "size", "value": "small"},
    ]);
    assert_eq!(serde_json::Value::from_iter(own.cloned()), expected);
    let answer = olmdex(["bundle", "validate", "--select", "W1012"]).arg(directory.path()).answer();
    let out = answer.expect_code(0).expect_words("`color`").expect_words("`shape`").out();
    assert!(out.contains("properties.yaml:2:3") && out.contains("properties.yaml:5:3"), "{out}");
    assert_eq!(out.matches("warning[W1012]").count(), 2, "{out}");
    write(directory.path(), "metadata/properties.yaml", format!("properties:\n{new}"));
    let answer = olmdex(["bundle", "validate", "--select", "W1012"]).arg(directory.path()).answer();
    assert!(!answer.expect_code(0).out().contains("W1012"));
}
