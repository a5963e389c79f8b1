//! Images and archives as sources: their forms, and content that their makers may have planted.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use tar::EntryType;

use crate::support::image::{CONFIGS, Layer, catalog, image, layout};
use crate::support::{Answer, olmdex, scratch, write};

const TILL: &str = "schema: olm.package\nname: till\n";
const BELL: &str = "schema: olm.package\nname: bell\n";

fn till() -> Layer {
    Layer::new().file("configs/till.yaml", TILL)
}

fn render(source: impl AsRef<Path>) -> Answer {
    olmdex(["render"]).arg(source.as_ref()).answer()
}

/// The names of packages that an image of these layers has.
fn packages(layers: &[Layer]) -> Vec<String> {
    let directory = scratch();
    catalog(directory.path(), &layers.iter().map(|it| it.clone().finish()).collect::<Vec<_>>());
    let answer = olmdex(["list", "packages", "-o", "name", "-i"]).arg(directory.path()).answer();
    answer.expect_code(0).out().lines().map(str::to_owned).collect()
}

fn refused(layers: &[Layer], code: i32, words: &str) {
    let directory = scratch();
    catalog(directory.path(), &layers.iter().map(|it| it.clone().finish()).collect::<Vec<_>>());
    let answer = render(directory.path());
    answer.expect_code(code).expect_words(words);
    assert!(answer.stdout.is_empty());
}

#[test]
fn an_image_is_a_source_like_any_other_however_it_is_kept() {
    let directory = scratch();
    let root = directory.path();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    let mut layer = Layer::new();
    let mut open = vec![files.clone()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = Path::new("configs").join(path.strip_prefix(&files).unwrap());
                layer = layer.file(name.to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let layer = layer.finish();
    catalog(&root.join("image"), std::slice::from_ref(&layer));
    let expected = render(&files).expect_code(0).out();
    let tar = |name: &str, options: &[&str], from: &str| {
        let mut tar = std::process::Command::new("tar");
        let done =
            tar.current_dir(root).arg("-C").arg(from).args(options).arg("-f").arg(root.join(name)).arg(".").status();
        assert!(done.unwrap().success());
    };
    tar("image.tar", &["-c"], "image");
    tar("image.tar.gz", &["-cz"], "image");
    tar("files.tar", &["-c"], files.to_str().unwrap());
    tar("files.tar.gz", &["-cz"], files.to_str().unwrap());
    // The name of a file does not matter.
    std::fs::copy(root.join("files.tar.gz"), root.join("catalog.yaml")).unwrap();
    let digest = std::fs::read_to_string(root.join("image/index.json")).unwrap();
    let digest = digest.split("\"digest\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    for source in [
        "image",
        "oci:image",
        "oci:image:latest",
        "image.tar",
        "image.tar.gz",
        "oci-archive:image.tar:latest",
        "files.tar",
        "files.tar.gz",
        "catalog.yaml",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([format!("oci:image@{digest}"), format!("oci:image:latest@{digest}")])
    {
        let answer = olmdex(["render", &source]).in_directory(root).answer();
        assert_eq!(answer.expect_code(0).out(), expected, "{source}");
    }
    let validate = olmdex(["validate", "image.tar"]).in_directory(root).answer();
    validate.expect_code(0);
    olmdex(["build", "shop=oci:image", "-o", "index.db"]).in_directory(root).answer().expect_code(0);
    olmdex(["show", "till", "-i", "oci:image"]).in_directory(root).answer().expect_code(0).expect_words("till");
    for (source, words) in [
        ("oci:image:other", "there is no image `other`"),
        ("oci:nowhere", "cannot read the image `oci:nowhere`"),
        ("containers-storage:catalog", "olmdex does not read images from `containers-storage:`"),
    ] {
        olmdex(["render", source]).in_directory(root).answer().expect_code(3).expect_words(words);
    }
}

#[test]
fn places_are_those_in_the_image() {
    let directory = scratch();
    catalog(
        directory.path(),
        &[Layer::new()
            .file("configs/a/till.yaml", "schema: olm.channel\nname: stable\npackage: till\nentries: [{name: a}]\n")
            .finish()],
    );
    let answer = olmdex(["validate"]).arg(directory.path()).answer();
    answer.expect_code(1).expect_words("!/configs/a/till.yaml:3:10");
}

/// Layers go over each other as container engines put them.
#[test]
fn layers_go_over_each_other() {
    let both = || till().file("configs/bell.yaml", BELL);
    let cases: Vec<(Vec<Layer>, &[&str])> = vec![
        (vec![both(), Layer::new().file("configs/.wh.bell.yaml", "")], &["till"]),
        (vec![both(), Layer::new().file("configs/.wh..wh..opq", ""), till()], &["till"]),
        // Names with `./`, `/` and `..` are the same, and none leads out of the image.
        (vec![Layer::new().file("./configs/till.yaml", TILL).file("/configs/bell.yaml", BELL)], &["bell", "till"]),
        (vec![Layer::new().file("../../../configs/till.yaml", TILL)], &["till"]),
        // Through a link to a directory.
        (vec![Layer::new().directory("data").link("configs", "data").file("configs/till.yaml", TILL)], &["till"]),
        (vec![Layer::new().link("configs", "/data/../data"), Layer::new().file("data/till.yaml", TILL)], &["till"]),
        // The content is outside of the catalog's directory.
        (vec![Layer::new().file("opt/till", TILL), Layer::new().link("configs/till.yaml", "../opt/till")], &["till"]),
        (vec![Layer::new().file("opt/till", TILL), Layer::new().hard_link("configs/till.yaml", "opt/till")], &["till"]),
        (vec![Layer::new().link("a", "b").file("b/till", TILL).link("configs/x.yaml", "/a/till")], &["till"]),
        // The removal of one name of a file leaves the other.
        (
            vec![
                till().hard_link("configs/t.yaml", "configs/till.yaml"),
                Layer::new().file("configs/.wh.till.yaml", ""),
            ],
            &["till"],
        ),
        // Entries that no catalog has are skipped.
        (
            vec![till().entry(EntryType::Fifo, "configs/pipe", "", b"").entry(
                EntryType::Char,
                "configs/null",
                "",
                b"",
            )],
            &["till"],
        ),
        (vec![till().entry(EntryType::XGlobalHeader, "pax", "", b"13 comment=x\n")], &["till"]),
    ];
    for (number, (layers, expected)) in cases.iter().enumerate() {
        assert_eq!(packages(layers), *expected, "case {number}");
    }
}

#[test]
fn nothing_of_the_host_is_opened() {
    let host = scratch();
    write(host.path(), "secret.yaml", "schema: olm.package\nname: secret\n");
    let path = host.path().join("secret.yaml");
    let target = path.to_str().unwrap();
    let up = "../".repeat(40);
    for layer in [
        Layer::new().link("configs/x.yaml", target),
        Layer::new().link("configs/x.yaml", &format!("{up}{target}")),
        Layer::new().link("configs", host.path().to_str().unwrap()),
        Layer::new().link("up", "/../../../..").link("configs/x.yaml", &format!("../up{target}")),
    ] {
        refused(std::slice::from_ref(&layer), 3, "no such file or directory");
    }
    refused(&[Layer::new().hard_link("configs/x.yaml", target)], 3, "is a hard link");
    // The same in a layout: its files are not links to others.
    let directory = scratch();
    catalog(directory.path(), &[till().finish()]);
    for entry in std::fs::read_dir(directory.path().join("blobs/sha256")).unwrap() {
        let path = entry.unwrap().path();
        let elsewhere = host.path().join(path.file_name().unwrap());
        std::fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    }
    render(directory.path()).expect_code(3).expect_words("cannot read");
}

#[test]
fn an_image_that_is_damaged_or_hostile_is_refused_in_words() {
    let long = "n".repeat(300);
    let cases: Vec<(Layer, i32, &str)> = vec![
        (
            Layer::new().link("configs/a.yaml", "b.yaml").link("configs/b.yaml", "a.yaml"),
            3,
            "too many levels of symbolic links",
        ),
        (till().file(&format!("configs/{long}"), ""), 3, "longer than 255 bytes"),
        (till().file(&"d/".repeat(2100), ""), 3, "longer than 4096 bytes"),
        (till().file("configs/.wh.", ""), 3, "is a whiteout without a name"),
        (till().file("configs/till.yaml/x", ""), 3, "leads nowhere"),
        (till().entry(EntryType::GNUSparse, "configs/s", "", b""), 3, "sparse"),
        (till().entry(EntryType::new(b'V'), "configs/v", "", b""), 3, "unknown type"),
        (Layer::new().file("other/till.yaml", TILL), 3, "no such file or directory"),
        (Layer::new().file("configs", TILL), 3, "it is not a directory"),
        (Layer::new().file("configs/\u{1b}[31mx.yaml", "a: ["), 3, "\\u{1b}[31mx.yaml"),
    ];
    for (layer, code, words) in cases {
        refused(std::slice::from_ref(&layer), code, words);
    }
    let directory = scratch();
    let root = directory.path();
    // Archives that end too early get a message, wherever they end.
    let whole = till().finish();
    for end in [1, 511, 512, 520] {
        layout(&root.join(format!("cut{end}")), (CONFIGS, "/configs"), &[whole[..end].to_vec()]);
        render(root.join(format!("cut{end}"))).expect_code(3).expect_words("layer 1 of 1: it ends too early");
    }
    layout(&root.join("text"), (CONFIGS, "/configs"), &[b"just a text that is no archive".repeat(40)]);
    render(root.join("text")).expect_code(3).expect_words("it is not a tar archive");
    layout(&root.join("other"), ("maintainer", "me"), &[whole]);
    render(root.join("other")).expect_code(3).expect_words("its labels are `maintainer`");
    // A size that no file has.
    let mut huge = till().finish();
    huge[124..136].copy_from_slice(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff");
    let sum: u32 = huge[..148].iter().chain(&[b' '; 8]).chain(&huge[156..512]).map(|it| u32::from(*it)).sum();
    huge[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    layout(&root.join("huge"), (CONFIGS, "/configs"), &[huge]);
    render(root.join("huge")).expect_code(5).expect_words("`--no-image-limits`");
    let lifted = olmdex(["render", "--no-image-limits"]).arg(root.join("huge")).answer();
    lifted.expect_code(3).expect_words("it ends too early");
}

#[test]
fn what_is_remarkable_about_an_image_is_said() {
    let directory = scratch();
    let layers = [
        till().file("configs/old.yaml", BELL).finish(),
        Layer::new().file(".wh.configs", "").file("configs/till.yaml", TILL).file("../up.txt", "").finish(),
    ];
    layout(directory.path(), (CONFIGS, "../configs"), &layers);
    let answer = olmdex(["validate"]).arg(directory.path()).answer();
    for words in ["W1701", "`../up.txt` leads out of the root", "W1703", "catalogd still serves", "W1707"] {
        answer.expect_words(words);
    }
}

#[test]
fn an_index_of_images_is_read_for_the_platform_that_is_asked_for() {
    let directory = scratch();
    let root = directory.path();
    let mut manifests = Vec::new();
    std::fs::create_dir_all(root.join("blobs/sha256")).unwrap();
    let put = |blobs: std::collections::BTreeMap<String, Vec<u8>>| {
        for (digest, bytes) in blobs {
            std::fs::write(root.join("blobs").join(digest.replace(':', "/")), bytes).unwrap();
        }
    };
    for (name, architecture) in [("till", "amd64"), ("bell", "s390x")] {
        let layer = Layer::new().file("configs/x.yaml", &format!("schema: olm.package\nname: {name}\n"));
        let (blobs, digest, size) = image((CONFIGS, "/configs"), &[layer.finish()]);
        put(blobs);
        let platform = serde_json::json!({"os": "linux", "architecture": architecture});
        manifests.push(serde_json::json!({"digest": digest, "size": size, "platform": platform}));
    }
    let inner = serde_json::json!({"schemaVersion": 2, "manifests": manifests}).to_string().into_bytes();
    let digest = crate::support::image::digest(&inner);
    let index = serde_json::json!({"manifests": [{"digest": digest, "size": inner.len()}]});
    put([(digest.clone(), inner)].into());
    std::fs::write(root.join("oci-layout"), "{}").unwrap();
    std::fs::write(root.join("index.json"), index.to_string()).unwrap();
    let of = |platform: &str| olmdex(["render", "--platform", platform]).arg(root).answer();
    of("linux/amd64").expect_code(0).expect_words("till");
    of("linux/s390x").expect_code(0).expect_words("bell");
    of("linux/arm64").expect_code(3).expect_words("linux/amd64, linux/s390x");
    of("linux").expect_code(2).expect_words("OS/ARCHITECTURE");
}

#[test]
fn manifests_of_a_cluster_may_be_in_an_archive() {
    let directory = scratch();
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a, namespace: ns}\nspec: {name: till, channel: stable, source: shop, sourceNamespace: olm}\n";
    let mut archive = Layer::new().file("must-gather/namespaces/ns/sub.yaml", csv);
    archive = archive
        .file("must-gather/logs/x.log", "a: [")
        .file("must-gather/broken.yaml", "a: [")
        .link("must-gather/l.yaml", "/etc/passwd");
    let path = directory.path().join("must-gather.tar.zst");
    std::fs::write(&path, zstd::encode_all(&*archive.finish(), 0).unwrap()).unwrap();
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    let answer =
        olmdex(["resolve", "--cluster"]).arg(&path).arg("-i").arg(format!("shop={}", catalog.display())).answer();
    answer.expect_words("till").expect_words("must-gather/broken.yaml");
    assert!(answer.code.is_some_and(|it| it <= 1), "{}", answer.both());
}

#[test]
fn names_of_all_layers_count_together() {
    let directory = scratch();
    let layer = |number: usize| {
        let files = (0..20).map(|it| format!("var/{number}-{it}"));
        files.fold(Layer::new(), |layer, name| layer.file(&name, "")).finish()
    };
    catalog(&directory.path().join("image"), &[till().finish(), layer(1), layer(2)]);
    let open = |names: u64| {
        let mut opener = olmdex::source::Opener::new(directory.path());
        opener.images.limits.names = names;
        opener.open(&directory.path().join("image"), &mut std::io::empty()).map(drop).map_err(|it| it.to_string())
    };
    // Two layers of twenty names, each of which takes its bytes and 128 more.
    open(10_000).unwrap();
    for names in [5000, 2000] {
        assert!(open(names).unwrap_err().contains("the names of its files"), "{names}");
    }
}
