//! Images and artifacts that are made and sent: they read back unchanged, and the same input gives the same digest.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::registry::{Registry, Response, certified};
use crate::support::{Answer, olmdex, scratch, write};

fn shop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in")
}

fn run(root: &Path, args: &[&str]) -> Answer {
    let home = root.to_str().unwrap();
    let run = olmdex(args).in_directory(root).env("HOME", home).env("XDG_CACHE_HOME", &format!("{home}/cache"));
    run.env("OLMDEX_TEST_RETRY_MS", "1").env("CONTAINERS_REGISTRIES_CONF", &format!("{home}/none")).answer()
}

/// The output of a run, which is a digest.
fn digest(answer: &Answer) -> String {
    answer.expect_code(0).out().trim().to_owned()
}

#[test]
fn a_catalog_is_sent_as_an_image_and_read_back() {
    let directory = scratch();
    let root = directory.path();
    let catalog = shop();
    let catalog = catalog.to_str().unwrap();
    let expected = run(root, &["render", catalog]).expect_code(0).out();
    let first = digest(&run(root, &["push", catalog, "oci:image:v1", "--label", "maintainer=me"]));
    let second = digest(&run(root, &["push", catalog, "oci:again:v1", "--label", "maintainer=me"]));
    assert_eq!(first, second);
    assert_eq!(run(root, &["render", "oci:image:v1"]).expect_code(0).out(), expected);
    assert_eq!(run(root, &["render", &format!("oci:image@{first}")]).expect_code(0).out(), expected);
    let registry = Registry::start();
    let name = registry.name("org/shop:v1");
    let sent = digest(&run(root, &["push", "--plain-http", catalog, &name, "--label", "maintainer=me"]));
    assert_eq!(sent, first);
    assert_eq!(run(root, &["render", "--plain-http", &name]).expect_code(0).out(), expected);
    // Nothing is sent twice.
    registry.forget_requests();
    run(root, &["push", "--plain-http", catalog, &name, "--label", "maintainer=me"])
        .expect_code(0)
        .expect_words("sent 0 blobs");
    assert!(registry.requests().iter().all(|it| it.method == "HEAD" || it.target.contains("/manifests/")));
    // On top of a base image, for all of its platforms.
    digest(&run(root, &["push", catalog, "oci:base:v1", "--platforms", "linux/amd64,linux/arm64"]));
    digest(&run(root, &["push", catalog, "oci:above:v1", "--base", "oci:base:v1"]));
    for platform in ["linux/amd64", "linux/arm64"] {
        let answer = run(root, &["render", "--platform", platform, "oci:above:v1"]);
        assert_eq!(answer.expect_code(0).out(), expected);
    }
    run(root, &["render", "--platform", "linux/s390x", "oci:above:v1"]).expect_code(3);
    // A source that is not a directory is packed by package.
    run(root, &["build", &format!("shop={catalog}"), "-o", "index.db"]).expect_code(0);
    run(root, &["export", "--legacy", "index.db", "-o", "legacy.db"]).expect_code(0);
    run(root, &["render", "legacy.db"]).expect_code(0);
    let tar = std::process::Command::new("tar")
        .current_dir(root)
        .arg("-cf")
        .arg("shop.tar")
        .arg("-C")
        .arg(catalog)
        .arg(".")
        .status();
    assert!(tar.unwrap().success());
    digest(&run(root, &["push", "shop.tar", "oci:packed"]));
    assert_eq!(run(root, &["render", "oci:packed"]).expect_code(0).out(), expected);
}

#[test]
fn a_database_is_sent_as_an_artifact_and_fetched_again() {
    let directory = scratch();
    let root = directory.path();
    let catalog = shop();
    run(root, &["build", &format!("shop={}", catalog.display()), "-o", "index.db"]).expect_code(0);
    run(root, &["export", "--legacy", "index.db", "-o", "legacy.db"]).expect_code(0);
    let registry = Registry::start();
    for (file, spec) in [("index.db", "v1.1"), ("legacy.db", "v1.0")] {
        let name = registry.name(&format!("org/{file}:v1"));
        let sent = digest(&run(root, &["push", "--plain-http", "--image-spec", spec, file, &name]));
        assert_eq!(digest(&run(root, &["push", "--plain-http", "--image-spec", spec, file, &name])), sent);
        assert_eq!(digest(&run(root, &["pull", "--plain-http", &name, "-o", "fetched.db"])), sent);
        assert_eq!(std::fs::read(root.join("fetched.db")).unwrap(), std::fs::read(root.join(file)).unwrap());
        run(root, &["list", "packages", "--plain-http", "-i", &name]).expect_code(0).expect_words("till");
        // In the form that registries show.
        let content = registry.content.lock().unwrap();
        let manifest = content.manifests.get(&format!("org/{file}/v1")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap();
        assert_eq!(manifest["layers"][0]["mediaType"], "application/vnd.sqlite");
        assert_eq!(manifest["layers"][0]["annotations"]["org.opencontainers.image.title"], file);
        assert_eq!(manifest["artifactType"].as_str(), (spec == "v1.1").then_some("application/vnd.sqlite"));
        assert!(manifest["annotations"]["org.opencontainers.image.created"].is_null());
        if file == "index.db" {
            assert_eq!(manifest["annotations"]["io.github.olmdex.catalogs"], "shop");
        }
    }
    let dated = |seconds: &str| {
        let home = root.to_str().unwrap();
        let out = format!("oci:dated-{seconds}");
        olmdex(["push", "index.db", &out])
            .in_directory(root)
            .env("HOME", home)
            .env("SOURCE_DATE_EPOCH", seconds)
            .answer()
    };
    dated("1787220000").expect_code(0);
    let blobs = std::fs::read_dir(root.join("dated-1787220000/blobs/sha256")).unwrap();
    let texts = blobs.map(|it| String::from_utf8_lossy(&std::fs::read(it.unwrap().path()).unwrap()).into_owned());
    assert!(texts.into_iter().any(|it| it.contains("\"org.opencontainers.image.created\":\"2026-08-20T10:00:00Z\"")));
    dated("soon").expect_code(2).expect_words("not a number of seconds");
}

#[test]
fn what_belongs_to_an_image_is_noted_there() {
    let directory = scratch();
    let root = directory.path();
    let catalog = shop();
    let registry = Registry::start();
    let subject =
        digest(&run(root, &["push", "--plain-http", catalog.to_str().unwrap(), &registry.name("org/shop:v1")]));
    run(root, &["build", &format!("shop={}", catalog.display()), "-o", "index.db"]).expect_code(0);
    let name = registry.name("org/shop:index");
    let sent = digest(&run(root, &["push", "--plain-http", "index.db", &name, "--subject", &subject]));
    let list = format!("org/shop/{}", subject.replace(':', "-"));
    let list = registry.content.lock().unwrap().manifests.get(&list).cloned().unwrap();
    assert!(String::from_utf8(list).unwrap().contains(&sent));
}

#[test]
fn a_registry_that_takes_little_at_once_gets_parts() {
    let registry = Registry::start_with(|request, content| {
        let is_upload = request.target.contains("/blobs/uploads/");
        if !is_upload || !matches!(request.method.as_str(), "PUT" | "PATCH") {
            return None;
        }
        let path = request.target.split('?').next().unwrap_or_default().to_owned();
        if request.method == "PATCH" {
            content.blobs.entry(path.clone()).or_default().extend_from_slice(&request.body);
            return Some(Response::of(202, "").with("location", format!("{path}?part=1")));
        }
        if !request.body.is_empty() {
            return Some(Response::of(413, ""));
        }
        let whole = content.blobs.remove(&path).unwrap_or_default();
        let digest = crate::support::image::digest(&whole);
        assert!(request.target.contains(&digest.replace(':', "%3A")));
        content.blobs.insert(digest, whole);
        Some(Response::of(201, ""))
    });
    let directory = scratch();
    let root = directory.path();
    let catalog = shop();
    let name = registry.name("org/shop:v1");
    digest(&run(root, &["push", "--plain-http", catalog.to_str().unwrap(), &name]));
    run(root, &["render", "--plain-http", &name]).expect_code(0).expect_words("till");
}

#[test]
fn what_cannot_be_sent_or_fetched_is_told() {
    let directory = scratch();
    let root = directory.path();
    let catalog = shop();
    let catalog = catalog.to_str().unwrap();
    let broken = write(root, "broken/catalog.yaml", "schema: olm.channel\nname: a\npackage: p\nentries: [{name: a}]\n");
    let broken = broken.parent().unwrap().to_str().unwrap();
    run(root, &["build", &format!("shop={catalog}"), "-o", "index.db"]).expect_code(0);
    write(root, "text", "text");
    digest(&run(root, &["push", catalog, "oci:image"]));
    let some = format!("sha256:{}", "a".repeat(64));
    for (args, code, words) in [
        (&["push", catalog, "image"][..], 2, "is not a valid destination for an image"),
        (&["push", catalog, "oci:image"], 2, "must be empty"),
        (&["push", catalog, "docker://catalog:v1"], 3, "name the registry too"),
        (&["push", catalog, &format!("docker://quay.io/a@{some}")], 2, "leave `@sha256:…` out"),
        (&["push", "--offline", catalog, "docker://quay.io/a:1"], 2, "`--offline` forbids sending"),
        (&["push", broken, "oci:broken"], 1, "which is not in the catalog"),
        (&["push", catalog, "oci:x", "--label", "a"], 2, "is not KEY=VALUE"),
        (&["push", "index.db", "oci:x", "--label", "a=b"], 2, "`--label` is for images"),
        (&["push", catalog, "oci:x", "--subject", &some], 2, "`--subject` is for databases"),
        (&["push", catalog, "oci:x", "--base", "nowhere"], 3, "it is not `oci:DIR`"),
        (&["push", "nowhere", "oci:x"], 3, "does not exist"),
        (&["pull", "oci:image", "-o", "new.db"], 3, "build an index from it: `olmdex build oci:image -O new.db`"),
        (&["pull", "oci:nowhere", "-o", "new.db"], 3, "cannot read"),
        (
            &["pull", "oci:image", "-O", "text"],
            2,
            "is neither an index nor a legacy catalog, and the output would overwrite it",
        ),
    ] {
        run(root, args).expect_code(code).expect_words(words);
    }
    assert!(!root.join("x").exists() && !root.join("new.db").exists());
    digest(&run(root, &["push", "--no-check", broken, "oci:unchecked"]));
    // The registry refuses uploads.
    let registry = Registry::start_with(|request, _| (request.method == "POST").then(|| Response::of(403, "")));
    run(root, &["push", "--plain-http", catalog, &registry.name("x:1")])
        .expect_code(3)
        .expect_words("refuses access to `x`");
}

#[test]
fn the_cache_is_shown_and_emptied() {
    let directory = scratch();
    let root = directory.path();
    let catalog = shop();
    let registry = Registry::start();
    let name = registry.name("org/shop:v1");
    digest(&run(root, &["push", "--plain-http", catalog.to_str().unwrap(), &name]));
    run(root, &["cache", "list"]).expect_code(0).expect_words("0 files");
    run(root, &["render", "--plain-http", &name]).expect_code(0);
    run(root, &["cache", "list"]).expect_code(0).expect_words("sha256:").expect_words("DAYS SINCE LAST USE");
    write(root, "cache/olmdex/blobs/mine", "mine");
    run(root, &["cache", "prune"]).expect_code(0).expect_words("removed 0 files");
    run(root, &["cache", "prune", "--older-than", "0"]).expect_code(0).expect_words("removed 4 files");
    assert!(root.join("cache/olmdex/blobs/mine").exists());
}

/// F1: a registry behind a proxy that ends TLS names an upload address without TLS. Neither credentials nor blobs go
/// there in plain text.
#[test]
fn what_is_sent_stays_within_tls() {
    let (_, config) = certified(&["127.0.0.1"]);
    // A listener without TLS, which would see everything.
    let elsewhere = Registry::start();
    let other = elsewhere.address.clone();
    for (location, code) in [("http://HOST", 0), ("http://OTHER", 3), ("https://OTHER", 3)] {
        let (other, given) = (other.clone(), location.to_owned());
        let registry = Registry::start_with_tls_and(config.clone(), move |request, _| {
            // user:secret
            if request.header("authorization") != "Basic dXNlcjpzZWNyZXQ=" {
                return Some(Response::of(401, "").with("www-authenticate", "Basic realm=\"x\""));
            }
            let is_begin = request.method == "POST" && request.target.contains("/blobs/uploads/");
            let base = given.replace("HOST", request.header("host")).replace("OTHER", &other);
            is_begin.then(|| Response::of(202, "").with("location", format!("{base}{}1?state=a", request.target)))
        });
        let home = crate::support::scratch();
        let auths = format!("{{\"auths\": {{\"{}\": {{\"auth\": \"dXNlcjpzZWNyZXQ=\"}}}}}}", registry.address);
        write(home.path(), ".docker/config.json", auths);
        let catalog = shop();
        let args = ["push", "--tls-verify=false", catalog.to_str().unwrap(), &registry.name("x/y:1")];
        let answer = run(home.path(), &args);
        answer.expect_code(code);
        assert!(elsewhere.requests().is_empty(), "{location}");
        // All requests that arrived came over TLS: the registry understands nothing else.
        let n_sent = registry.requests().iter().filter(|it| it.method == "PUT").count();
        assert_eq!(n_sent > 0, code == 0, "{location}: {}", answer.both());
    }
}

/// The connection may end at any request: nothing is reported as sent, no tag names half an image, and the next run
/// sends the rest.
#[test]
fn a_push_that_is_interrupted_is_completed_by_the_next() {
    let catalog = shop();
    for at in 1.. {
        let left = Arc::new(AtomicUsize::new(at));
        let counted = Arc::clone(&left);
        let registry = Registry::start_with(move |request, _| {
            if !matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
                return None;
            }
            match counted.load(Ordering::Relaxed) {
                // It stays away until the test brings it back.
                1 => Some(Response::of(0, "")),
                usize::MAX => None,
                n => {
                    counted.store(n - 1, Ordering::Relaxed);
                    None
                }
            }
        });
        let directory = scratch();
        let root = directory.path();
        let name = registry.name("org/shop:v1");
        let push = || run(root, &["push", "--plain-http", catalog.to_str().unwrap(), &name]);
        let first = push();
        if first.code == Some(0) {
            assert_eq!(at, 6, "two requests for each of two blobs, and one for the manifest");
            return;
        }
        first.expect_code(3);
        assert!(first.out().is_empty() && !first.err().contains("sent"), "{at}: {}", first.both());
        assert!(!registry.content.lock().unwrap().manifests.contains_key("org/shop/v1"), "{at}");
        left.store(usize::MAX, Ordering::Relaxed);
        let n_before = registry.content.lock().unwrap().blobs.len();
        registry.forget_requests();
        let second = digest(&push());
        // Blobs that had arrived are not sent again.
        let n_begun = registry.requests().iter().filter(|it| it.method == "POST").count();
        let n_blobs = registry.content.lock().unwrap().blobs.len();
        assert!(n_begun <= n_blobs - n_before, "{at}: {n_begun} uploads, {n_before} of {n_blobs} blobs were there");
        assert!(second.starts_with("sha256:"));
        run(root, &["render", "--plain-http", &name]).expect_code(0).expect_words("till");
    }
}
