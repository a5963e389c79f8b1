//! The difference between two states of a mirror: bytes as the layouts have them, an order that is safe, and unknown
//! blobs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::image::{CONFIGS, Layer, digest, image};
#[cfg(feature = "oci")]
use crate::support::registry::Registry;
use crate::support::{Answer, olmdex, scratch, write};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// A layer of so many bytes.
fn layer(name: &str, size: usize) -> Vec<u8> {
    Layer::new().file(name, &name.repeat(size / name.len())).finish()
}

/// A layout in progress.
#[derive(Debug, Clone, Default)]
struct Mirror {
    blobs: BTreeMap<String, Vec<u8>>,
    entries: Vec<Value>,
}

impl Mirror {
    /// Adds an image without a name.
    fn image(&mut self, layers: &[Vec<u8>]) -> Value {
        let (blobs, digest, size) = image((CONFIGS, "/configs"), layers);
        self.blobs.extend(blobs);
        json!({"mediaType": MANIFEST, "digest": digest, "size": size})
    }

    /// Adds a manifest, or anything else that is JSON.
    fn document(&mut self, kind: &str, value: &Value) -> Value {
        let text = value.to_string().into_bytes();
        let (digest, size) = (digest(&text), text.len());
        self.blobs.insert(digest.clone(), text);
        json!({"mediaType": kind, "digest": digest, "size": size})
    }

    /// Adds images for several platforms as one.
    fn index(&mut self, images: &[(&str, Value)]) -> Value {
        let of = |(architecture, it): &(&str, Value)| {
            let mut it = it.clone();
            it["platform"] = json!({"os": "linux", "architecture": architecture});
            it
        };
        let manifests: Vec<Value> = images.iter().map(of).collect();
        self.document(INDEX, &json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}))
    }

    /// Lists an image; returns its digest.
    fn list(&mut self, name: &str, descriptor: &Value) -> String {
        let mut entry = descriptor.clone();
        if !name.is_empty() {
            entry["annotations"] = json!({"org.opencontainers.image.ref.name": name});
        }
        self.entries.push(entry);
        descriptor["digest"].as_str().unwrap().to_owned()
    }

    fn write(&self, directory: &Path) -> String {
        for (digest, bytes) in &self.blobs {
            write(directory, &format!("blobs/{}", digest.replace(':', "/")), bytes);
        }
        write(directory, "oci-layout", "{\"imageLayoutVersion\": \"1.0.0\"}");
        write(directory, "index.json", json!({"schemaVersion": 2, "manifests": self.entries}).to_string());
        format!("oci:{}", directory.display())
    }

    fn sizes(&self) -> BTreeMap<&str, u64> {
        self.blobs.iter().map(|(digest, it)| (digest.as_str(), it.len() as u64)).collect()
    }
}

/// Two states: an operator that keeps its base layer, one that stays, one that goes, and one for two platforms.
fn two_states() -> (Mirror, Mirror) {
    let (base, tool) = (layer("base", 40_000), layer("tool", 9_000));
    let (mut old, mut new) = (Mirror::default(), Mirror::default());
    for (mirror, version) in [(&mut old, "v1"), (&mut new, "v2")] {
        let operator = mirror.image(&[base.clone(), layer(&format!("operator {version}"), 7_000)]);
        mirror.list(&format!("quay.io/shop/operator:{version}"), &operator);
        let stays = mirror.image(&[base.clone(), tool.clone()]);
        mirror.list("quay.io/shop/stays:v1", &stays);
        let images = ["amd64", "arm64"].map(|it| {
            let own = if it == "arm64" { layer("arm", 3_000) } else { layer(&format!("amd {version}"), 5_000) };
            (it, mirror.image(&[own, tool.clone()]))
        });
        let both = mirror.index(&images);
        mirror.list(&format!("quay.io/shop/both:{version}"), &both);
    }
    let gone = old.image(&[base, layer("gone", 2_000)]);
    old.list("quay.io/shop/gone:v1", &gone);
    (old, new)
}

fn delta(directory: &Path, args: &[&str]) -> Answer {
    let home = directory.to_str().unwrap();
    let run = olmdex(["mirror", "delta"]).args(args).in_directory(directory).env("HOME", home);
    run.env("XDG_CACHE_HOME", &format!("{home}/cache")).env("XDG_RUNTIME_DIR", &format!("{home}/run")).answer()
}

fn parsed(answer: &Answer) -> Value {
    serde_json::from_str(&answer.out()).unwrap()
}

/// The digests of steps with an action.
fn digests(answer: &Value, action: &str) -> BTreeSet<String> {
    let steps = answer["items"].as_array().unwrap().iter();
    let steps = steps.filter(|it| it["action"] == action && it["kind"] != "tag");
    steps.map(|it| it["digest"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_copied_is_what_the_layouts_differ_in() {
    let directory = scratch();
    let (old, new) = two_states();
    let (from, to) = (old.write(&directory.path().join("old")), new.write(&directory.path().join("new")));
    let answer = delta(directory.path(), &[&from, &to, "-o", "json"]);
    answer.expect_code(0);
    let answer = parsed(&answer);
    let (before, after) = (old.sizes(), new.sizes());
    let only = |of: &BTreeMap<&str, u64>, others: &BTreeMap<&str, u64>| -> (BTreeSet<String>, u64) {
        let found = of.iter().filter(|it| !others.contains_key(it.0));
        (found.clone().map(|it| (*it.0).to_owned()).collect(), found.map(|it| it.1).sum())
    };
    let (copied, bytes) = only(&after, &before);
    assert_eq!(digests(&answer, "pull"), copied);
    assert_eq!(answer["metadata"]["pull"]["bytes"], bytes);
    assert_eq!(answer["metadata"]["pull"]["blobs"], copied.len());
    let (gone, bytes) = only(&before, &after);
    assert_eq!(digests(&answer, "remove"), gone);
    assert_eq!(answer["metadata"]["remove"]["bytes"], bytes);
    let stays: u64 = before.iter().filter(|it| after.contains_key(it.0)).map(|it| it.1).sum();
    assert_eq!(answer["metadata"]["keep"]["bytes"], stays);
    // A layer is named once, with all images that need it.
    let tags: Vec<&Value> = answer["items"].as_array().unwrap().iter().filter(|it| it["kind"] == "tag").collect();
    let named = |action: &str| -> Vec<&str> {
        tags.iter().filter(|it| it["action"] == action).map(|it| it["images"][0].as_str().unwrap()).collect()
    };
    assert_eq!(named("pull"), ["quay.io/shop/both:v2", "quay.io/shop/operator:v2"]);
    assert_eq!(named("remove"), ["quay.io/shop/both:v1", "quay.io/shop/gone:v1", "quay.io/shop/operator:v1"]);
    let same = delta(directory.path(), &[&from, &from, "-o", "json"]);
    same.expect_code(0);
    assert_eq!(parsed(&same)["items"], json!([]));
}

/// Blobs that a manifest, an index or a list names.
fn named_by(text: &[u8]) -> Vec<String> {
    let Ok(document) = serde_json::from_slice::<Value>(text) else { return Vec::new() };
    let mut found: Vec<&Value> = Vec::new();
    for key in ["layers", "manifests"] {
        found.extend(document[key].as_array().into_iter().flatten());
    }
    found.extend(document.get("config").filter(|it| it.get("digest").is_some()));
    found.into_iter().map(|it| it["digest"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_mirror_that_stops_at_any_step_serves_what_it_lists() {
    let directory = scratch();
    let (old, new) = two_states();
    let (from, to) = (old.write(&directory.path().join("old")), new.write(&directory.path().join("new")));
    let answer = parsed(&delta(directory.path(), &[&from, &to, "-o", "json"]));
    let mut blobs = old.blobs.clone();
    let tags_of = |mirror: &Mirror| -> BTreeMap<String, String> {
        let name = |it: &Value| it["annotations"]["org.opencontainers.image.ref.name"].as_str().unwrap().to_owned();
        mirror.entries.iter().map(|it| (name(it), it["digest"].as_str().unwrap().to_owned())).collect()
    };
    let mut tags = tags_of(&old);
    let steps = answer["items"].as_array().unwrap();
    assert!(steps.len() > 15, "{}", steps.len());
    for step in steps {
        let (digest, is_pull) = (step["digest"].as_str().unwrap().to_owned(), step["action"] == "pull");
        match (is_pull, step["kind"] == "tag") {
            (true, true) => drop(tags.insert(step["images"][0].as_str().unwrap().to_owned(), digest)),
            (false, true) => drop(tags.remove(step["images"][0].as_str().unwrap())),
            (true, false) => drop(blobs.insert(digest.clone(), new.blobs[&digest].clone())),
            (false, false) => drop(blobs.remove(&digest).unwrap()),
        }
        for digest in tags.values() {
            let mut open = vec![digest.clone()];
            while let Some(digest) = open.pop() {
                let bytes = blobs.get(&digest).unwrap_or_else(|| panic!("{step}: {digest} is not there"));
                open.extend(named_by(bytes));
            }
        }
        // A registry refuses a manifest before the blobs in it.
        if is_pull && step["kind"] != "tag" {
            for named in named_by(&new.blobs[step["digest"].as_str().unwrap()]) {
                assert!(blobs.contains_key(&named), "{step}");
            }
        }
    }
    assert_eq!((blobs, tags), (new.blobs.clone(), tags_of(&new)));
}

#[test]
fn what_nobody_knows_is_said_and_nothing_goes_that_it_may_need() {
    let directory = scratch();
    let (old, _) = two_states();
    let from = old.write(&directory.path().join("old"));
    let stays = &old.entries[1]["digest"].as_str().unwrap();
    let strange = format!("quay.io/shop/strange@sha256:{}", "1".repeat(64));
    write(directory.path(), "wanted.txt", format!("# a list\nquay.io/shop/stays@{stays}\n{strange}\n"));
    let answer = delta(directory.path(), &[&from, "wanted.txt", "-o", "json"]);
    answer
        .expect_code(1)
        .expect_words("no manifest is available for 1 image of NEW")
        .expect_words("name the place of the manifests with `--at`");
    let answer = parsed(&answer);
    assert_eq!(answer["metadata"]["pull"], json!({"blobs": 0, "bytes": 0, "unknownImages": 1}));
    assert_eq!(answer["metadata"]["remove"]["blobs"], 0);
    assert!(answer["metadata"]["heldBack"].as_u64().unwrap() > 5, "{}", answer["metadata"]);
    let image = &answer["items"].as_array().unwrap()[0];
    assert_eq!((&image["kind"], &image["size"]), (&json!("image"), &Value::Null));
    assert_eq!((&image["images"][0], &image["message"]), (&json!(strange), &json!("no manifest is available")));
    // The same without the strange image: the compared layout identifies an image by its digest.
    write(directory.path(), "wanted.txt", format!("quay.io/elsewhere/stays@{stays}\n"));
    let answer = delta(directory.path(), &[&from, "wanted.txt", "-o", "json"]);
    answer.expect_code(0);
    let answer = parsed(&answer);
    assert_eq!(answer["metadata"]["pull"]["blobs"], 0);
    assert_eq!(answer["metadata"]["keep"]["blobs"], 4);
}

#[test]
fn what_belongs_to_an_image_stays_and_what_belongs_to_none_goes() {
    let directory = scratch();
    let (mut old, mut new) = (Mirror::default(), Mirror::default());
    for mirror in [&mut old, &mut new] {
        let image = mirror.image(&[layer("kept", 1_000)]);
        mirror.list("kept:v1", &image);
    }
    let kept = new.entries[0]["digest"].as_str().unwrap().to_owned();
    let gone = old.image(&[layer("gone", 1_000)]);
    let gone_digest = old.list("gone:v1", &gone);
    let signature = |old: &mut Mirror, of: &str| {
        let it = old.image(&[layer(&format!("signature of {of}"), 500)]);
        old.list(&format!("{}.sig", of.replace(':', "-")), &it);
        it["digest"].as_str().unwrap().to_owned()
    };
    let (stays, goes) = (signature(&mut old, &kept), signature(&mut old, &gone_digest));
    let empty = old.document("application/vnd.oci.empty.v1+json", &json!({}));
    let about = |old: &mut Mirror, of: &str| {
        let it = json!({
            "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": "application/vnd.example", "config": empty,
            "layers": [empty], "subject": {"mediaType": MANIFEST, "digest": of, "size": 1},
        });
        let it = old.document(MANIFEST, &it);
        old.list("", &it)
    };
    let (attested, forgotten) = (about(&mut old, &kept), about(&mut old, &gone_digest));
    let stray = layer("stray", 700);
    old.blobs.insert(digest(&stray), stray.clone());
    let (from, to) = (old.write(&directory.path().join("old")), new.write(&directory.path().join("new")));
    let answer = delta(directory.path(), &[&from, &to, "-o", "json"]);
    answer.expect_code(0);
    let answer = parsed(&answer);
    let removed = digests(&answer, "remove");
    for (digest, is_removed) in
        [(&kept, false), (&stays, false), (&attested, false), (&gone_digest, true), (&goes, true), (&forgotten, true)]
    {
        assert_eq!(removed.contains(digest), is_removed, "{digest}");
    }
    // The empty configuration of the staying image is that of the removed one.
    assert!(!removed.contains(empty["digest"].as_str().unwrap()));
    let last = answer["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["digest"], &last["images"]), (&json!(digest(&stray)), &json!([])));
}

#[test]
fn a_blob_that_an_interrupted_copy_lacks_is_copied() {
    let directory = scratch();
    let (_, new) = two_states();
    let mut cut = new.clone();
    let lost = new.blobs.keys().next().unwrap().clone();
    cut.blobs.remove(&lost);
    let (from, to) = (cut.write(&directory.path().join("old")), new.write(&directory.path().join("new")));
    let answer = parsed(&delta(directory.path(), &[&from, &to, "-o", "json"]));
    assert_eq!(digests(&answer, "pull"), BTreeSet::from([lost]));
}

#[test]
fn one_platform_is_followed_if_it_is_asked_for() {
    let directory = scratch();
    let mut new = Mirror::default();
    let images = [("amd64", new.image(&[layer("amd", 900)])), ("arm64", new.image(&[layer("arm", 900)]))];
    let both = new.index(&images);
    new.list("both", &both);
    let to = new.write(&directory.path().join("new"));
    let from = Mirror::default().write(&directory.path().join("old"));
    for (platform, blobs) in [(None, 7), (Some("linux/arm64"), 4)] {
        let option = platform.map(|it| vec!["--platform", it]).unwrap_or_default();
        let answer = delta(directory.path(), &[&[&*from, &*to, "-o", "json"], &option[..]].concat());
        answer.expect_code(0);
        assert_eq!(parsed(&answer)["metadata"]["pull"]["blobs"], blobs, "{platform:?}");
    }
    // A copy for one platform lacks the other one, which the index lists.
    for (digest, _) in new.sizes() {
        if digest == images[0].1["digest"] {
            std::fs::remove_file(directory.path().join("new/blobs").join(digest.replace(':', "/"))).unwrap();
        }
    }
    let answer = delta(directory.path(), &[&from, &to, "-o", "json"]);
    answer.expect_code(0).expect_words("it lacks 1 manifest of its index");
    assert_eq!(parsed(&answer)["metadata"]["pull"]["blobs"], 4);
}

/// A catalog of one bundle.
fn catalog(directory: &Path, name: &str, version: &str, image: &str) -> String {
    let text = format!(
        "schema: olm.package\nname: till\ndefaultChannel: a\n---\nschema: olm.channel\nname: a\npackage: till\nentries: [{{name: till.v{version}}}]\n---\nschema: olm.bundle\nname: till.v{version}\npackage: till\nimage: {image}\nproperties: [{{type: olm.package, value: {{packageName: till, version: {version}}}}}]\n"
    );
    write(directory, &format!("{name}/till.yaml"), text).parent().unwrap().to_str().unwrap().to_owned()
}

#[cfg(feature = "oci")]
#[test]
fn catalogs_locks_and_configurations_are_compared_over_registries() {
    let directory = scratch();
    let registry = Registry::start();
    let base = layer("base", 4_000);
    let images = ["1.0.0", "1.1.0"].map(|version| {
        let own = layer(&format!("till {version}"), 2_000);
        let size = own.len() as u64;
        let image = image((CONFIGS, "/configs"), &[base.clone(), own]);
        let all: u64 = image.0.values().map(|it| it.len() as u64).sum();
        let digest = registry.add("m/shop/till", version, image);
        (version, format!("quay.io/shop/till@{digest}"), size, all)
    });
    let [old, new] = ["old", "new"].map(|it| (it, &images[usize::from(it == "new")]));
    let [old, new] = [old, new].map(|(name, it)| catalog(directory.path(), name, it.0, &it.1));
    let at = format!("docker://{}/m", registry.address);
    let common = ["--at", &at, "--plain-http", "-o", "json"];
    let run = |args: &[&str]| delta(directory.path(), &[args, &common[..]].concat());
    let answer = run(&[&old, &new]);
    answer.expect_code(0);
    let answer = parsed(&answer);
    // All of the new image but the layer that it shares.
    assert_eq!(answer["metadata"]["pull"]["bytes"], images[1].3 - base.len() as u64);
    assert_eq!(answer["metadata"]["keep"]["bytes"], base.len() as u64);
    let isc = "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: quay.io/shop/catalog:v1\n    packages: [{name: till}]\n";
    write(directory.path(), "isc.yaml", isc);
    assert_eq!(parsed(&run(&[&old, &new, "-c", "isc.yaml"])), answer);
    let lock = |catalog: &str, more: &[&str]| {
        let name = format!("{}.lock", Path::new(catalog).file_name().unwrap().to_str().unwrap());
        let run = olmdex(["lock", "till", "--lock-file", &name, "-i", &format!("shop={catalog}")]).args(more);
        run.in_directory(directory.path()).answer().expect_code(0);
        name
    };
    let (listed, by_digest) = (lock(&old, &["--list-images"]), lock(&new, &[]));
    assert_eq!(parsed(&run(&[&listed, &by_digest, "-i", &format!("shop={new}")])), answer);
    assert_eq!(parsed(&run(&[&listed, "isc.yaml", "-i", &new])), answer);
    assert!(!registry.requests().iter().any(|it| it.method == "DELETE" || it.method == "PUT"));
    assert!(!registry.requests().iter().any(|it| it.target.contains("/blobs/")), "layers are not fetched");
    // Without a place, each image has a row of its own.
    let answer = delta(directory.path(), &[&old, &new, "--no-headers"]);
    answer.expect_code(1).expect_words("no manifest is available for 1 image of NEW");
    let rows: Vec<String> =
        answer.out().lines().map(|it| it.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(rows, ["pull image", "remove image"]);
}

/// A catalog whose one bundle uses these images.
fn catalog_of(directory: &Path, images: &[&str]) -> String {
    let path = catalog(directory, "shop", "1.0.0", images[0]);
    let related: Vec<String> = images[1..].iter().map(|it| format!("{{name: a, image: '{it}'}}")).collect();
    let file = Path::new(&path).join("till.yaml");
    let text = std::fs::read_to_string(&file).unwrap() + &format!("relatedImages: [{}]\n", related.join(", "));
    std::fs::write(file, text).unwrap();
    path
}

#[test]
fn new_images_weigh_what_they_add() {
    let directory = scratch();
    let (old, new) = two_states();
    let (from, to) = (old.write(&directory.path().join("old")), new.write(&directory.path().join("new")));
    let shop = catalog_of(directory.path(), &["quay.io/shop/operator:v2", "quay.io/shop/stays:v1"]);
    let images = |more: &[&str]| {
        let verify = format!("--verify={to}");
        let args = [&["images", "till", "-i", &shop, &verify, "-o", "json"], more].concat();
        let answer = olmdex(args).in_directory(directory.path()).answer();
        answer.expect_code(0);
        answer
    };
    let sum = |answer: &Answer, field: &str| -> u64 {
        parsed(answer)["items"].as_array().unwrap().iter().map(|it| it[field].as_u64().unwrap()).sum()
    };
    let blobs = |mirror: &Mirror, name: &str| -> BTreeMap<String, u64> {
        let entry = mirror.entries.iter().find(|it| it["annotations"]["org.opencontainers.image.ref.name"] == name);
        let root = entry.unwrap()["digest"].as_str().unwrap().to_owned();
        let named = named_by(&mirror.blobs[&root]);
        named.into_iter().chain([root]).map(|it| (it.clone(), mirror.blobs[&it].len() as u64)).collect()
    };
    let (operator, stays) = (blobs(&new, "quay.io/shop/operator:v2"), blobs(&new, "quay.io/shop/stays:v1"));
    let both: BTreeMap<&String, &u64> = operator.iter().chain(&stays).collect();
    let all = images(&[]);
    all.expect_words(&format!("2 images: 7 blobs, {} bytes", both.values().copied().sum::<u64>()));
    assert!(!all.out().contains("added"), "only what is asked is answered");
    assert_eq!(sum(&all, "size"), operator.values().sum::<u64>() + stays.values().sum::<u64>());
    // A list has no layers, so everything that it lacks is new; for a layout, new is what the layout lacks.
    write(directory.path(), "none.txt", "");
    let since_list = images(&["--since", "none.txt"]);
    assert_eq!(sum(&since_list, "added"), both.values().copied().sum::<u64>());
    let since_layout = images(&["--since", &from]);
    assert_eq!(parsed(&since_layout)["items"].as_array().unwrap().len(), 1);
    let held = old.sizes();
    let added = operator.iter().filter(|it| !held.contains_key(it.0.as_str())).map(|it| it.1).sum::<u64>();
    assert_eq!(sum(&since_layout, "added"), added);
    since_layout.expect_words(&format!("1 image: 3 new blobs, {added} bytes"));
}

/// Bytes of all blobs of a layout.
fn bytes_of(layout: &Path) -> u64 {
    let files = std::fs::read_dir(layout.join("blobs/sha256")).unwrap();
    files.map(|it| it.unwrap().metadata().unwrap().len()).sum()
}

#[test]
#[ignore = "needs skopeo"]
fn skopeo_copies_as_many_bytes() {
    let directory = scratch();
    let (old, new) = two_states();
    let path = |name: &str| directory.path().join(name);
    let (from, to): (String, String) = (old.write(&path("old")), new.write(&path("new")));
    let copied: PathBuf = path("copy");
    let skopeo = |layout: &str, mirror: &Mirror| {
        for entry in &mirror.entries {
            let name = entry["annotations"]["org.opencontainers.image.ref.name"].as_str().unwrap();
            let mut command = std::process::Command::new("skopeo");
            command.args(["copy", "--quiet", "--all", "--insecure-policy", "--preserve-digests"]);
            command.arg(format!("{layout}:{name}")).arg(format!("oci:{}:{name}", copied.display()));
            let run = command.output().unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        }
        bytes_of(&copied)
    };
    let before = skopeo(&from, &old);
    let after = skopeo(&to, &new);
    let answer = parsed(&delta(directory.path(), &[&from, &to, "-o", "json"]));
    let (counted, copied) = (answer["metadata"]["pull"]["bytes"].as_u64().unwrap(), after - before);
    assert!(counted.abs_diff(copied) * 100 <= copied, "{counted} {copied}");
}
