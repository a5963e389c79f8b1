//! Images of catalogs, taken apart as a container runtime does it, and started.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::image::{CONFIGS, Layer, digest, layout_of};
use crate::support::server::Server;
use crate::support::{Answer, olmdex, scratch, write};

const TILL: &str = "fixtures/shop/in";

fn run(root: &Path, args: &[&str]) -> Answer {
    let home = root.to_str().unwrap();
    olmdex(args).in_directory(root).env("HOME", home).env("XDG_CACHE_HOME", &format!("{home}/cache")).answer()
}

/// Unpacks a layout below a directory, and returns the configuration of the image.
fn unpacked(layout: &Path, root: &Path) -> Value {
    let blob = |of: &Value| {
        let name = of["digest"].as_str().unwrap();
        let bytes = std::fs::read(layout.join("blobs").join(name.replace(':', "/"))).unwrap();
        assert_eq!(digest(&bytes), name);
        bytes
    };
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    let index = json(&std::fs::read(layout.join("index.json")).unwrap());
    let manifest = json(&blob(&index["manifests"][0]));
    let config = json(&blob(&manifest["config"]));
    for (layer, diff_id) in
        manifest["layers"].as_array().unwrap().iter().zip(config["rootfs"]["diff_ids"].as_array().unwrap())
    {
        let mut tar = blob(layer);
        if layer["mediaType"].as_str().unwrap().ends_with("gzip") {
            let limits = olmdex::archive::Limits::NONE;
            let mut plain = Vec::new();
            let mut bytes = olmdex::archive::Decompressed::new(tar.as_slice(), limits).unwrap();
            std::io::copy(&mut bytes, &mut plain).unwrap();
            tar = plain;
        }
        assert_eq!(digest(&tar), diff_id.as_str().unwrap());
        apply(&tar, root);
    }
    config
}

/// Applies a layer: first what it takes away from those below it.
fn apply(tar: &[u8], root: &Path) {
    let path_of = |entry: &tar::Entry<'_, &[u8]>| root.join(entry.path().unwrap());
    for entry in tar::Archive::new(tar).entries().unwrap() {
        let path = path_of(&entry.unwrap());
        match path.file_name().unwrap().to_str().unwrap().strip_prefix(".wh.") {
            Some(".wh..opq") => drop(std::fs::remove_dir_all(path.parent().unwrap())),
            Some(name) => drop(std::fs::remove_file(path.with_file_name(name))),
            None => {}
        }
    }
    for entry in tar::Archive::new(tar).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = path_of(&entry);
        let mode = std::fs::Permissions::from_mode(entry.header().mode().unwrap());
        if entry.header().entry_type().is_dir() {
            std::fs::create_dir_all(&path).unwrap();
        } else if !path.file_name().unwrap().to_str().unwrap().starts_with(".wh.") {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::io::copy(&mut entry, &mut std::fs::File::create(&path).unwrap()).unwrap();
        } else {
            continue;
        }
        std::fs::set_permissions(path, mode).unwrap();
    }
}

/// Starts a command line of an image on its own files, and returns the packages that it serves. `OLMDEX_OPM` names a
/// real opm, which replaces that of the image.
fn served(words: &[String], root: &Path) -> String {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let real = std::env::var("OLMDEX_OPM").ok().filter(|_| words[0].ends_with("/opm"));
    let mut command = Command::new(real.as_deref().unwrap_or(env!("CARGO_BIN_EXE_olmdex")));
    let inside = |word: &String| match word.as_str() {
        "/configs" | "/database/index.db" => root.join(&word[1..]).to_str().unwrap().to_owned(),
        word => word.to_owned(),
    };
    command.arg0(&words[0]).args(words[1..].iter().map(inside)).args(["--port", &port.to_string()]);
    let mut child = command.env("TMPDIR", root.join("tmp")).stderr(Stdio::null()).spawn().map(Ended).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert_eq!(child.0.try_wait().unwrap(), None, "{words:?} ends");
        assert!(Instant::now() < deadline, "{words:?} does not answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (status, names) = Server::call_at(&format!("127.0.0.1:{port}"), "/api.Registry/ListPackages", b"");
    assert_eq!(status, "0");
    String::from_utf8_lossy(&names).into_owned()
}

/// A process that ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A base image as a layout: with its own catalog and cache, in which the package `till` is another one.
fn base(directory: &Path, container: &Value, program: &str) {
    let stale = "{schema: olm.package, name: till, defaultChannel: old}\n---\n{schema: olm.package, name: gone}\n";
    let layer = Layer::new().directory("tmp").directory("configs").directory("configs/all").directory("tmp/cache");
    let layer = layer.file("configs/all/catalog.yaml", stale).file("tmp/cache/pogreb.v1/digest", "stale");
    layout_of(directory, container, &[layer.file(program, "x").finish()]);
}

/// The ways that make an image of the package `till` from a base.
fn ways(root: &Path) -> [Vec<String>; 3] {
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join(TILL);
    let catalog = catalog.to_str().unwrap();
    write(root, "olmdex.toml", format!("[catalogs.till]\nsource = {catalog:?}\npackages = [\"till\"]\n"));
    run(root, &["filter", "-p", "till", "--full", "-i", catalog, "--into", "part"]).expect_code(0);
    let ways = [
        vec!["push", "part", "oci:out"],
        vec!["filter", "-p", "till", "--full", "-i", catalog, "--into", "oci:out"],
        vec!["image", "till", "--destination", "oci:out", "--config", "olmdex.toml"],
    ];
    ways.map(|words| words.into_iter().map(str::to_owned).collect())
}

#[test]
fn an_image_of_a_catalog_starts_with_nothing_stale() {
    let of_opm = json!({
        "Entrypoint": ["/bin/opm"], "Cmd": ["serve", "/configs", "--cache-dir=/tmp/cache"],
        "Labels": {CONFIGS: "/configs", "operators.operatorframework.io.index.database.v1": "/database/index.db"},
    });
    let without_command = json!({"Entrypoint": ["/bin/opm"]});
    let serve = |program: &str, more: &[&str]| -> Vec<String> {
        [&[program, "serve", "/configs"], more].concat().into_iter().map(str::to_owned).collect()
    };
    let cases = [
        (of_opm, "bin/opm", Some(serve("/bin/opm", &[]))),
        (without_command, "bin/opm", Some(serve("/bin/opm", &[]))),
        (json!(null), "usr/bin/opm", Some(serve("/usr/bin/opm", &[]))),
        (
            json!({"Entrypoint": ["/usr/bin/olmdex"], "Cmd": ["--help"]}),
            "usr/bin/olmdex",
            Some(serve("/usr/bin/olmdex", &["--as-opm"])),
        ),
        (json!({"Entrypoint": ["/bin/opm"]}), "bin/sh", None),
    ];
    for (container, program, words) in &cases {
        let directory = scratch();
        let root = directory.path();
        base(&root.join("base"), container, program);
        for way in ways(root) {
            let args = [way.iter().map(String::as_str).collect(), vec!["--base", "oci:base"]].concat();
            let answer = run(root, &args);
            let told = match words {
                Some(words) => format!("the image serves its catalog: `{}`", words.join(" ")),
                None => "catalogDir: /configs".to_owned(),
            };
            answer.expect_code(0).expect_words(&told);
            let inside = root.join("inside");
            let config = unpacked(&root.join("out"), &inside);
            check(&config["config"], &inside, words.as_deref(), program);
            for left in ["out", "inside"] {
                std::fs::remove_dir_all(root.join(left)).unwrap();
            }
        }
    }
}

/// Checks an unpacked image, and starts it.
fn check(config: &Value, inside: &Path, words: Option<&[String]>, program: &str) {
    assert_eq!(config["Labels"], json!({CONFIGS: "/configs"}));
    let files = |at: &str| -> Vec<PathBuf> {
        std::fs::read_dir(inside.join(at)).unwrap().map(|it| it.unwrap().path()).collect()
    };
    assert!(inside.join(program).is_file() && !files("configs").is_empty());
    assert!(!inside.join("configs/all").exists() && files("tmp/cache").is_empty());
    assert_eq!(inside.join("tmp").metadata().unwrap().permissions().mode() & 0o7777, 0o1777);
    let Some(words) = words else { return };
    let own = ["Entrypoint", "Cmd"].iter().flat_map(|it| config[*it].as_array().unwrap());
    let own: Vec<String> = own.map(|it| it.as_str().unwrap().to_owned()).collect();
    assert_eq!(own, words);
    let names = served(&own, inside);
    assert!(names.contains("till") && !names.contains("gone"), "{names}");
}

/// A legacy index image is served as `opm index` had it, and nothing of the base's catalog is named any more.
#[test]
fn an_image_of_a_legacy_catalog_starts() {
    const DATABASE: &str = "operators.operatorframework.io.index.database.v1";
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let of_opm = json!({
        "Entrypoint": ["/bin/opm"], "Cmd": ["serve", "/configs", "--cache-dir=/tmp/cache"],
        "Labels": {CONFIGS: "/configs"},
    });
    let cases = [
        (of_opm, "bin/opm", words(&["/bin/opm", "registry", "serve", "--database", "/database/index.db"])),
        (json!(null), "usr/bin/olmdex", words(&["/usr/bin/olmdex", "serve", "/database/index.db", "--as-opm"])),
    ];
    for (container, program, words) in &cases {
        let directory = scratch();
        let root = directory.path();
        base(&root.join("base"), container, program);
        let till = Path::new(env!("CARGO_MANIFEST_DIR")).join(TILL);
        run(root, &["export", till.to_str().unwrap(), "--legacy", "-q", "-O", "old.db"]).expect_code(0);
        let answer = run(root, &["push", "old.db", "oci:out", "--base", "oci:base", "--label", "a=b"]);
        answer.expect_code(0).expect_words(&format!("the image serves its catalog: `{}`", words.join(" ")));
        let inside = root.join("inside");
        let config = unpacked(&root.join("out"), &inside);
        assert_eq!(config["config"]["Labels"], json!({DATABASE: "/database/index.db", "a": "b"}));
        assert_eq!(
            std::fs::read(inside.join("database/index.db")).unwrap(),
            std::fs::read(root.join("old.db")).unwrap()
        );
        let own = ["Entrypoint", "Cmd"].iter().flat_map(|it| config["config"][*it].as_array().unwrap());
        let own: Vec<String> = own.map(|it| it.as_str().unwrap().to_owned()).collect();
        assert_eq!(&own, words);
        let names = served(&own, &inside);
        assert!(names.contains("till") && !names.contains("gone"), "{names}");
    }
}

/// OLM starts opm of the cluster on the extracted catalog, with no cache.
#[test]
fn an_image_without_server_is_served_by_its_catalog_source() {
    let directory = scratch();
    let root = directory.path();
    for way in ways(root) {
        let args: Vec<&str> = way.iter().map(String::as_str).collect();
        run(root, &args).expect_code(0).expect_words("extractContent: {catalogDir: /configs}");
        let config = unpacked(&root.join("out"), &root.join("inside"));
        assert_eq!(config["config"], json!({"Labels": {CONFIGS: "/configs"}}));
        let words = ["opm", "serve", "/configs"].map(str::to_owned);
        std::fs::create_dir(root.join("inside/tmp")).unwrap();
        assert!(served(&words, &root.join("inside")).contains("till"));
        for left in ["out", "inside"] {
            std::fs::remove_dir_all(root.join(left)).unwrap();
        }
    }
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join(TILL);
    let source = format!("quay.io/a/b:v1={}", catalog.display());
    let named = ["filter", "-p", "till", "-i", &source, "-o", "catalog-source"];
    let text = run(root, &named).expect_code(0).out();
    assert!(text.ends_with("  grpcPodConfig:\n    extractContent:\n      catalogDir: /configs\n"), "{text}");
    base(&root.join("base"), &json!(null), "bin/opm");
    let made = run(root, &[&named[..], &["--into", "oci:out", "--base", "oci:base"]].concat()).expect_code(0).out();
    assert!(made.contains("CatalogSource") && !made.contains("grpcPodConfig"), "{made}");
    run(root, &["filter", "-p", "till", "-i", &source, "--into", "d", "--base", "oci:base"])
        .expect_code(2)
        .expect_words("`--base` is for images");
}

/// The command of the base says where its cache is, and may lie.
#[test]
fn the_cache_that_a_base_names_is_hidden_and_nothing_above_its_program() {
    let directory = scratch();
    let root = directory.path();
    let [push, ..] = ways(root);
    for (cache, is_hidden) in
        [("--cache-dir=/var/tmp/opm", true), ("--cache-dir=/", false), ("--cache-dir=/bin", false)]
    {
        let container = json!({"Entrypoint": ["/bin/opm"], "Cmd": ["serve", "/configs", cache]});
        let layer = Layer::new().directory("var/tmp").directory("var/tmp/opm").file("var/tmp/opm/digest", "stale");
        layout_of(&root.join("base"), &container, &[layer.directory("bin").file("bin/opm", "x").finish()]);
        let args = [push.iter().map(String::as_str).collect(), vec!["--base", "oci:base"]].concat();
        run(root, &args).expect_code(0).expect_words("`/bin/opm serve /configs`");
        let inside = root.join("inside");
        unpacked(&root.join("out"), &inside);
        assert!(inside.join("bin/opm").exists() && inside.join("configs").is_dir(), "{cache}");
        assert_eq!(inside.join("var/tmp/opm/digest").exists(), !is_hidden, "{cache}");
        if is_hidden {
            assert_eq!(inside.join("var/tmp").metadata().unwrap().permissions().mode() & 0o7777, 0o1777);
        }
        for left in ["out", "inside", "base"] {
            std::fs::remove_dir_all(root.join(left)).unwrap();
        }
    }
}

/// The result is what is checked, with the labels that were asked for.
#[test]
fn an_image_whose_catalog_would_not_be_valid_is_refused() {
    let directory = scratch();
    let root = directory.path();
    write(root, "broken/a.json", "{\"schema\": \"olm.package\", \"name\": \"a\"}");
    let push = |more: &[&str]| run(root, &[&["push", "broken", "oci:out"], more].concat());
    let refused = push(&[]);
    refused.expect_code(1).expect_words("`oci:out` is not sent").expect_words("oci:out!/configs/a.json:1");
    assert!(!root.join("out").exists());
    push(&["--no-check"]).expect_code(0);
    // A name that takes away what lies below it.
    write(root, "hiding/a.json", "");
    write(root, "hiding/.wh..wh..opq", "");
    run(root, &["push", "hiding", "oci:hiding"]).expect_code(3).expect_words("its name takes others away");
    write(root, "good/a.json", "");
    let elsewhere = ["push", "good", "oci:other", "--label", &format!("{CONFIGS}=/elsewhere")];
    run(root, &elsewhere).expect_code(3).expect_words("/elsewhere");
}
