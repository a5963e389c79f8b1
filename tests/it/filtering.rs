//! The output of `filter`, the sources of its catalogs, and the inputs that it survives.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::Path;

use olmdex::json::Reader;
use olmdex::mirror::{Dialect, read};
use olmdex::yaml;

use crate::support::{olmdex, scratch};

const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/recorded/authoring/imageset/small/shop");

/// A catalog of one package with one bundle, with names that need care.
fn odd_catalog(package: &str, channel: &str, bundle: &str) -> String {
    let text = |it: &str| serde_json::to_string(it).unwrap();
    let (package, channel, bundle) = (text(package), text(channel), text(bundle));
    format!(
        r#"{{"schema": "olm.package", "name": {package}, "defaultChannel": {channel}}}
{{"schema": "olm.channel", "package": {package}, "name": {channel}, "entries": [{{"name": {bundle}}}]}}
{{"schema": "olm.bundle", "package": {package}, "name": {bundle}, "image": "quay.io/a/b:1.0", "properties": [
  {{"type": "olm.package", "value": {{"packageName": {package}, "version": "1.0.0"}}}}]}}
"#
    )
}

#[test]
fn a_filtered_catalog_is_written_and_read_again() {
    let directory = scratch();
    for target in ["out", "out.db", "oci:image"] {
        let written = olmdex(["filter", "-p", "till/stable", "-i", SHOP, "--into", target]);
        written.in_directory(directory.path()).answer().expect_code(0);
        let rendered = olmdex(["render", target]).in_directory(directory.path()).answer().expect_code(0).out();
        let printed = olmdex(["filter", "-p", "till/stable", "-i", SHOP, "-q"]).answer().expect_code(0).out();
        if target == "out.db" {
            // An index holds blobs without the order of their keys.
            assert_eq!(rendered.matches("\"schema\"").count(), printed.matches("\"schema\"").count(), "{target}");
        } else {
            assert_eq!(rendered, printed, "{target}");
        }
    }
    // Once more, into the existing directory.
    let again = olmdex(["filter", "-p", "till", "-i", SHOP, "--into", "out"]);
    again.in_directory(directory.path()).answer().expect_code(2);
}

#[test]
fn references_are_looked_up_in_the_file_of_options() {
    let directory = scratch();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("olmdex.toml"), format!("[catalogs.shop]\nsource = {SHOP:?}\nimage = \"quay.io/a/shop:v1\"\n"))
        .unwrap();
    let configuration = "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: docker://quay.io/a/shop:v1\n    packages: [{name: ledger}]\n";
    std::fs::write(path("set.yaml"), configuration).unwrap();
    let answer = olmdex(["filter", "-c", "set.yaml", "-o", "images"]).in_directory(directory.path()).answer();
    answer.expect_code(2).expect_words("--trust-config");
    let answer = olmdex(["filter", "-c", "set.yaml", "-o", "images", "--trust-config"]).in_directory(directory.path());
    let answer = answer.answer();
    assert!(answer.expect_code(0).out().contains("quay.io/shop/ledger:0.1.0"));
    // Without the file the image would be pulled.
    std::fs::remove_file(path("olmdex.toml")).unwrap();
    let answer = olmdex(["filter", "-c", "set.yaml", "--offline"]).in_directory(directory.path()).answer();
    assert_ne!(answer.code, Some(0));
    // One source stands for all that have no name.
    let answer =
        olmdex(["filter", "-c", "set.yaml", "-i", SHOP, "-o", "images"]).in_directory(directory.path()).answer();
    answer.expect_code(0);
}

#[test]
fn catalogs_of_an_index_have_the_references_of_their_images() {
    let directory = scratch();
    let run = |line: &str| olmdex(line.split(' ')).in_directory(directory.path()).answer();
    let build = format!("build a={SHOP} b={SHOP} c={SHOP} -O two.db --label a:image=quay.io/a/shop:v1");
    run(&build).expect_code(0);
    let line = "filter -p till/stable -i two.db -o isc";
    run(line).expect_code(2).expect_words("-i REFERENCE=SOURCE");
    let options = format!(
        "[catalogs.b]\nsource = {SHOP:?}\nimage = \"quay.io/b/shop:v2\"\n\
         [catalogs.c]\nsource = {SHOP:?}\nimage = \"quay.io/c/shop:v3\"\n"
    );
    std::fs::write(directory.path().join("olmdex.toml"), options).unwrap();
    let text = run(line).expect_code(0).out();
    let catalogs: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("- catalog: ")).collect();
    assert_eq!(catalogs, ["quay.io/a/shop:v1", "quay.io/b/shop:v2", "quay.io/c/shop:v3"], "{text}");
    assert_eq!(text.matches("name: till").count(), 3, "{text}");
    let text = run("images till -i two.db --catalog a -o isc").expect_code(0).out();
    std::fs::write(directory.path().join("set.yaml"), &text).unwrap();
    assert!(text.contains("- catalog: quay.io/a/shop:v1") && !text.contains("additionalImages"), "{text}");
    let images = |words: &str| run(&format!("images -i two.db --catalog a {words}")).expect_code(0).out();
    assert_eq!(images("till"), images("-c set.yaml"), "{text}");
    let sources = run("filter -p till/stable -i two.db --catalog a -o catalog-source --registry m.example.com");
    assert!(sources.expect_code(0).out().contains("image: m.example.com/a/shop:v1"));
    // The command line and the cluster come before all of them.
    let tied = "--source-map quay.io/z/shop:v9=b -i two.db";
    let text = run(&format!("filter -p till/stable {tied} -o isc")).expect_code(0).out();
    assert!(
        text.contains("- catalog: quay.io/z/shop:v9\n") && text.contains("- catalog: quay.io/a/shop:v1\n"),
        "{text}"
    );
    let text = run(&format!("images till {tied} --catalog b -o isc")).expect_code(0).out();
    assert!(text.contains("- catalog: quay.io/z/shop:v9\n") && !text.contains("additionalImages"), "{text}");
    run("filter -p till --source-map quay.io/z/shop:v9=nothing -i two.db -o isc")
        .expect_code(4)
        .expect_words("`nothing`");
    let lone = format!("filter -p till --source-map quay.io/z/shop:v9=shop -i {SHOP} -o isc");
    run(&lone).expect_code(2).expect_words("-i REFERENCE=SOURCE");
    let source = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: sellers, namespace: olm}\nspec: {sourceType: grpc, image: 'quay.io/mine/sellers:v7'}\n\
        ---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: till.v1.0.0, namespace: olm}\nspec: {version: 1.0.0}\n";
    std::fs::write(directory.path().join("cluster.yaml"), source).unwrap();
    let text = run("images till -i two.db --catalog b --cluster cluster.yaml --source-map olm/sellers=b -o isc");
    let text = text.expect_code(0).out();
    assert!(text.contains("- catalog: quay.io/mine/sellers:v7\n"), "{text}");
}

#[test]
fn several_catalogs_of_one_name_are_kept_apart() {
    let directory = scratch();
    let text = "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - {catalog: 'quay.io/a/shop:v1', packages: [{name: till}]}\n  - {catalog: 'quay.io/a/shop:v2', packages: [{name: ledger}]}\n";
    std::fs::write(directory.path().join("set.yaml"), text).unwrap();
    let run = |args: &[&str]| {
        let all = [&["filter", "-c", "set.yaml", "-i", SHOP], args].concat();
        olmdex(all).in_directory(directory.path()).answer()
    };
    run(&["--into", "out"]).expect_code(0);
    assert!(directory.path().join("out/shop-v1/till").exists() && directory.path().join("out/shop-v2/ledger").exists());
    run(&["--into", "new.db"]).expect_code(0);
    let listed = olmdex(["list", "packages", "-i", "new.db"]).in_directory(directory.path()).answer().out();
    assert!(listed.contains("shop-v1") && listed.contains("shop-v2"), "{listed}");
    run(&["--into", "oci:image"]).expect_code(2);
}

#[test]
fn odd_names_are_the_same_in_every_format() {
    let names = ["1.0", "yes", "a: b", "#", "- x", "a\nb", "é\u{1b}[31m", "\"'", "{a}", "*a", "null", "a'b\\c"];
    for name in names {
        let directory = scratch();
        std::fs::write(directory.path().join("catalog.json"), odd_catalog("odd", name, "b.v1")).unwrap();
        for format in ["isc", "yaml", "subscription", "cluster-extension", "catalog-source"] {
            let answer = olmdex(["filter", "-i", "quay.io/a/x:v1=catalog.json", "-q", "-o", format, "-c", "-"]);
            let text = format!(
                "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: quay.io/a/x:v1\n    packages: [{{name: odd, channels: [{{name: {}}}]}}]\n",
                serde_json::to_string(name).unwrap()
            );
            let out = answer.in_directory(directory.path()).stdin(text).answer().expect_code(0).out();
            let mut found = 0;
            for document in yaml::split(out.as_bytes(), 1) {
                let mut json = Vec::new();
                yaml::to_json(&document.unwrap().text, &mut json).unwrap();
                let json = String::from_utf8(json).unwrap();
                let mut reader = Reader::new();
                let value = reader.read(&json).unwrap();
                let spec = value.get("spec");
                let channel = match format {
                    "subscription" => spec.and_then(|it| it.get("channel")),
                    "cluster-extension" => spec
                        .and_then(|it| it.get("source")?.get("catalog")?.get("channels"))
                        .and_then(|it| it.items().next()),
                    _ => None,
                };
                found += usize::from(channel.and_then(|it| it.as_str()).as_deref() == Some(name));
            }
            assert!(found == 1 || !matches!(format, "subscription" | "cluster-extension"), "{name:?} {format}: {out}");
            if format == "isc" {
                let again = read(out.as_bytes(), Dialect::OcMirror).unwrap();
                assert_eq!(again.operators[0].packages[0].channels[0].name, name, "{out}");
            }
        }
    }
}

#[test]
fn ten_thousand_packages_and_broken_documents_are_survived() {
    let directory = scratch();
    let mut catalog = String::new();
    let mut configuration =
        "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: quay.io/a/x:v1\n    packages:\n".to_owned();
    for number in 0..10_000 {
        let name = format!("p{number}");
        catalog.push_str(&odd_catalog(&name, "stable", &format!("{name}.v1")));
        // Each third has a range that nothing satisfies.
        let range = if number % 3 == 0 { "\n      minVersion: 9.0.0" } else { "" };
        writeln!(configuration, "    - name: {name}{range}").unwrap();
    }
    catalog.push_str(r#"{"schema": "olm.channel", "package": "p1", "name": 7}"#);
    std::fs::write(directory.path().join("catalog.json"), catalog).unwrap();
    std::fs::write(directory.path().join("set.yaml"), configuration).unwrap();
    let answer = olmdex(["filter", "-c", "set.yaml", "-i", "catalog.json", "-o", "isc"]);
    // Three seconds are expected.
    let message = answer.in_directory(directory.path()).within(30).answer().expect_code(1).err();
    assert!(message.contains("left out package `p0`") && message.contains("E0"), "{}", &message[..500]);
    assert!(message.contains("kept 6,666 packages"), "{}", &message[message.len() - 500..]);
}

#[test]
fn hostile_configurations_are_refused() {
    let bomb = {
        let mut text = "kind: ImageSetConfiguration\na: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            writeln!(text, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 10].join(", ")).unwrap();
        }
        text + "mirror: {}\n"
    };
    let deep = format!("kind: ImageSetConfiguration\nmirror: {}", "[".repeat(20_000));
    for text in
        [bomb.as_str(), &deep, "\0", "\u{feff}", "kind: [", "- a", "1", "", "kind: ImageSetConfiguration\nmirror: 1\n"]
    {
        assert!(read(text.as_bytes(), Dialect::OcMirror).is_err(), "{}", text.chars().take(40).collect::<String>());
    }
    assert!(Path::new(SHOP).is_dir());
}

/// A channel whose way down leads over `replaces`, over an entry without a bundle, and at its end only over `skips`.
const WAY_DOWN: &str = r#"{"schema": "olm.package", "name": "till", "defaultChannel": "a"}
{"schema": "olm.channel", "package": "till", "name": "a", "entries": [
  {"name": "till.v5", "replaces": "till.v3", "skips": ["till.v4"]}, {"name": "till.v4", "replaces": "till.v3"},
  {"name": "till.v3", "replaces": "till.gone"}, {"name": "till.gone", "replaces": "till.v2"},
  {"name": "till.v2", "skips": ["till.v0", "till.v1"]}, {"name": "till.v1"}, {"name": "till.v0"}]}
"#;

#[test]
fn heads_are_kept_with_as_many_versions_before_them() {
    let directory = scratch();
    let mut catalog = WAY_DOWN.to_owned();
    for version in 0..=5 {
        catalog.push_str(&format!(
            r#"{{"schema": "olm.bundle", "package": "till", "name": "till.v{version}", "image": "quay.io/a/till:v{version}", "properties": [
  {{"type": "olm.package", "value": {{"packageName": "till", "version": "{version}.0.0"}}}}]}}
"#
        ));
    }
    std::fs::write(directory.path().join("till.json"), catalog).unwrap();
    for (previous, kept) in [
        ("0", vec![5]),
        ("1", vec![5, 3]),
        // The entry without a bundle does not count, and its neighbours are joined.
        ("2", vec![5, 3, 2]),
        ("3", vec![5, 3, 2, 1]),
        ("4", vec![5, 3, 2, 1]),
        ("99", vec![5, 3, 2, 1]),
    ] {
        let run = olmdex(["filter", "-p", "till", "--previous", previous, "-i", "till.json"]);
        let filtered = run.in_directory(directory.path()).answer().expect_code(0).out();
        let has = |version: &i32| filtered.contains(&format!("\"image\": \"quay.io/a/till:v{version}\""));
        assert_eq!((0..=5).rev().filter(has).collect::<Vec<i32>>(), kept, "{previous}");
        std::fs::write(directory.path().join("filtered.json"), &filtered).unwrap();
        let path = |name: &str| olmdex(name.split(' ')).in_directory(directory.path()).answer();
        path("validate filtered.json").expect_code(0);
        // Each of them still upgrades to the head.
        for version in kept.iter().filter(|it| **it != 5) {
            path(&format!("path till@{version}.0.0 --to 5.0.0 -i filtered.json --olm classic")).expect_code(0);
        }
        let run = olmdex(["filter", "-p", "till", "--previous", previous]).args([
            "-i",
            "quay.io/a/shop:v1=till.json",
            "-o",
            "isc",
        ]);
        let answer = run.in_directory(directory.path()).answer();
        answer.expect_code(0);
        std::fs::write(directory.path().join("set.yaml"), answer.out()).unwrap();
        let ranged = olmdex(["filter", "-c", "set.yaml", "-i", "till.json"]).in_directory(directory.path()).answer();
        // Where ranges keep skipped entries that the filter does not, the answer says so.
        let is_said = answer.err().contains("version ranges in a configuration keep other versions");
        assert_eq!(ranged.out() != filtered, is_said, "{previous}: {}", answer.err());
    }
}
