//! A question about files of earlier questions reads none of them, and has the same answer.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::support::legacy::legacy_file;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

/// The age from which on a file's stamps show every change.
const TICK: Duration = Duration::from_millis(2100);

struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { directory: scratch() };
        scene.put("lamp", "1.0.0", "");
        scene.put("shade", "1.0.0", "");
        std::thread::sleep(TICK);
        scene
    }

    /// With one more package, so that a part is less than half of it.
    fn of_three() -> Self {
        let scene = Self::new();
        scene.put("bulb", "1.0.0", "");
        std::thread::sleep(TICK);
        scene
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a package that is large enough to be worth keeping.
    fn put(&self, package: &str, version: &str, edge: &str) {
        let description = "x".repeat(700_000);
        let text = format!(
            "schema: olm.package\nname: {package}\ndefaultChannel: stable\ndescription: {description}\n---\n\
             schema: olm.channel\npackage: {package}\nname: stable\nentries:\n- {{name: {package}.v{version}{edge}}}\n---\n\
             schema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: example.com/{package}:v{version}\n\
             properties:\n- {{type: olm.package, value: {{packageName: {package}, version: {version}}}}}\n"
        );
        write(self.root(), &format!("catalog/{package}/catalog.yaml"), text);
    }

    fn ask(&self, args: &[&str]) -> Answer {
        let cache = self.root().join("cache");
        let list = olmdex(["list", "bundles", "-v", "-o", "name", "-i", "catalog"]).args(args);
        list.in_directory(self.root()).env("XDG_CACHE_HOME", &cache.to_string_lossy()).answer()
    }

    /// Asks, expects these bundles, and returns whether the files were read.
    #[track_caller]
    fn reads(&self, args: &[&str], expected: &str) -> bool {
        let answer = self.ask(args);
        assert_eq!(answer.out().split_whitespace().collect::<Vec<_>>().join(" "), expected, "{}", answer.both());
        answer.err().contains("files of catalog in")
    }

    /// Asks a question, and returns the answer with the command's report of its work.
    fn question(&self, words: &[&str]) -> Answer {
        let cache = self.root().join("cache");
        let question = olmdex(words.iter().copied()).args(["-v"]);
        question.in_directory(self.root()).env("XDG_CACHE_HOME", &cache.to_string_lossy()).answer()
    }

    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.root().join("cache/olmdex/indexes"));
        entries.into_iter().flatten().map(|it| it.unwrap().path()).collect()
    }
}

const OLD: &str = "lamp.v1.0.0 shade.v1.0.0";
const NEW: &str = "lamp.v2.0.0 shade.v1.0.0";

#[test]
fn files_are_read_once_until_they_change() {
    let scene = Scene::new();
    assert!(scene.reads(&[], OLD));
    assert!(!scene.reads(&[], OLD));
    assert!(scene.reads(&["--no-cache"], OLD));
    // Such a young file may change once more without another stamp.
    scene.put("lamp", "2.0.0", "");
    assert!(scene.reads(&[], NEW));
    assert!(scene.reads(&[], NEW));
    std::thread::sleep(TICK);
    assert!(scene.reads(&[], NEW));
    assert!(!scene.reads(&[], NEW));
    // One more file, and one less.
    scene.put("bulb", "1.0.0", "");
    assert!(scene.reads(&[], "bulb.v1.0.0 lamp.v2.0.0 shade.v1.0.0"));
    fs::remove_dir_all(scene.root().join("catalog/bulb")).unwrap();
    assert!(!scene.reads(&[], NEW), "the files are those of the last time");
    let pruned = olmdex(["cache", "prune", "--older-than", "0"]);
    let cache = scene.root().join("cache");
    pruned.env("XDG_CACHE_HOME", &cache.to_string_lossy()).answer().expect_code(0).expect_words("removed 2 files");
    assert!(scene.kept().is_empty());
    assert!(scene.reads(&[], NEW));
}

#[test]
fn what_must_be_said_is_said_each_time() {
    let scene = Scene::new();
    scene.put("lamp", "1.0.0", ", replaces: lamp.v0.1.0}\n- {name: lamp.v0.1.0");
    std::thread::sleep(TICK);
    for _ in 0..2 {
        scene.ask(&[]).expect_words("`catalog` is not valid");
    }
    assert!(scene.kept().is_empty());
}

#[test]
fn what_others_could_have_written_is_not_used() {
    let scene = Scene::new();
    assert!(scene.reads(&[], OLD));
    let [kept] = scene.kept().try_into().unwrap();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let directory = kept.parent().unwrap();
    for (path, others, own) in [(kept.as_path(), 0o666, 0o600), (directory, 0o777, 0o700)] {
        set(path, others);
        assert!(scene.reads(&[], OLD), "{}", path.display());
        set(path, own);
        assert!(!scene.reads(&[], OLD), "{}", path.display());
    }
    // A link does not count, and neither does a damaged file.
    let elsewhere = scene.root().join("elsewhere");
    fs::rename(&kept, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &kept).unwrap();
    assert!(scene.reads(&[], OLD));
    assert!(!kept.is_symlink(), "the next copy takes its place");
    fs::write(&kept, "no index").unwrap();
    assert!(scene.reads(&[], OLD));
    assert!(!scene.reads(&[], OLD));
}

#[test]
fn small_catalogs_are_not_kept() {
    let directory = scratch();
    write(directory.path(), "catalog/catalog.yaml", include_str!("../../fixtures/catalogs/smallest/catalog.yaml"));
    std::thread::sleep(TICK);
    let cache = directory.path().join("cache");
    let list = olmdex(["list", "packages", "-i", "catalog"]).in_directory(directory.path());
    list.env("XDG_CACHE_HOME", &cache.to_string_lossy()).answer().expect_code(0);
    assert!(!cache.exists());
}

#[test]
fn legacy_files_are_kept_too() {
    let directory = scratch();
    let content = "UPDATE operatorbundle SET bundle = CAST(bundle AS TEXT) || '{\"kind\":\"X\",\"x\":\"' || hex(zeroblob(300000)) || '\"}'";
    legacy_file(directory.path(), "two-packages", content);
    std::thread::sleep(TICK);
    let cache = directory.path().join("cache");
    let list = || {
        let list = olmdex(["list", "packages", "-v", "-o", "name", "-i", "legacy.db"]).in_directory(directory.path());
        list.env("XDG_CACHE_HOME", &cache.to_string_lossy()).answer()
    };
    let (first, second) = (list(), list());
    assert_eq!(first.out(), second.out());
    assert!(first.err().contains("of legacy.db in"), "{}", first.both());
    assert!(!second.err().contains("of legacy.db in"), "{}", second.both());
}

/// The work that a command reported: how many files its words have been looked for in and read, and how many documents
/// it read.
fn work(answer: &Answer) -> (Option<String>, Option<String>) {
    let said = answer.err();
    let between = |before: &str, after: &str| {
        let mut lines = said.lines().rev();
        lines.find_map(|it| it.split_once(before)?.1.split_once(after).map(|it| it.0.to_owned()))
    };
    (between("looked through ", " of 3 files of catalog in"), between("read ", " of catalog in"))
}

#[test]
fn a_question_about_a_package_reads_its_documents_only() {
    let scene = Scene::of_three();
    let documents = Some("3 documents".to_owned());
    let files = |number: &str| Some(number.to_owned());
    // A question about a package that was asked about reads no file.
    let cases: [(&[&str], Option<String>, &Option<String>); 7] = [
        (&["show", "lamp"], files("1"), &documents),
        (&["updates", "lamp@1.0.0"], None, &None),
        (&["list", "channels", "lamp"], None, &None),
        (&["show", "shade"], files("1"), &documents),
        // A bundle's name is another word than its package's.
        (&["show", "shade.v1.0.0"], files("1"), &documents),
        (&["list", "bundles", "shade"], None, &None),
        (&["show", "lamp", "--no-cache"], files("1"), &documents),
    ];
    for (words, expected, expected_read) in cases {
        let answer = scene.question(&[words, &["-i", "catalog"]].concat());
        answer.expect_code(0);
        let (looked_through, read) = work(&answer);
        assert_eq!(looked_through, expected, "{words:?} {}", answer.both());
        assert_eq!(read, *expected_read, "{words:?} {}", answer.both());
    }
    // A new file is read.
    scene.put("lamp", "2.0.0", "");
    let answer = scene.question(&["show", "lamp", "-i", "catalog"]);
    answer.expect_code(0).expect_words("lamp.v2.0.0");
    assert_eq!(work(&answer), (files("1"), documents));
    // A search for a name that no document has reads all of them, so all are known then.
    std::thread::sleep(TICK);
    let answer = scene.question(&["show", "lam", "-i", "catalog"]);
    answer.expect_code(4).expect_words("did you mean `lamp`?");
    assert_eq!(work(&scene.question(&["show", "lamp", "-i", "catalog"])), (None, None));
}

#[test]
fn a_name_in_another_spelling_is_found() {
    let scene = Scene::of_three();
    let text = r#"{"schema": "olm.bundle", "package": "\u006camp", "name": "la\u006dp.v0.9.0", "image": "example.com/x:v1",
        "properties": [{"type": "olm.package", "value": {"packageName": "\u006camp", "version": "0.9.0"}}]}"#;
    write(scene.root(), "catalog/shade/more.json", text);
    scene.put("lamp", "1.0.0", ", replaces: lamp.v0.9.0}\n- {name: lamp.v0.9.0");
    scene.question(&["list", "bundles", "lamp", "-i", "catalog"]).expect_code(0).expect_words("lamp.v0.9.0");
}

#[test]
fn a_bundle_of_one_catalog_tells_the_package_in_all() {
    let scene = Scene::of_three();
    fs::rename(scene.root().join("catalog"), scene.root().join("old")).unwrap();
    for package in ["lamp", "shade", "bulb"] {
        scene.put(package, "2.0.0", "");
    }
    std::thread::sleep(TICK);
    // The bundle is in one catalog, and its package in both.
    let questions: [&[&str]; 3] = [&["show", "lamp.v1.0.0"], &["whereis", "lamp.v2.0.0"], &["deps", "lamp.v2.0.0"]];
    expect_as_from_an_index(&scene, &["old=old", "new=catalog"], &questions);
}

/// Asks files and an index of them, and expects the same.
#[track_caller]
fn expect_as_from_an_index(scene: &Scene, sources: &[&str], questions: &[&[&str]]) {
    let build = olmdex(["build", "-O", "index.db"]).args(sources).in_directory(scene.root());
    build.answer().expect_code(0);
    let files: Vec<&str> = sources.iter().flat_map(|it| ["-i", it]).collect();
    for question in questions {
        let of_files = scene.question(&[question, &files[..], &["-o", "json"]].concat());
        let of_index = scene.question(&[question, &["-i", "index.db", "-o", "json"][..]].concat());
        assert_eq!((of_files.out(), of_files.code), (of_index.out(), of_index.code), "{question:?}");
    }
}

/// A bundle with one more property, in a file of its own.
fn bundle(package: &str, property: &str) -> String {
    format!(
        "schema: olm.bundle\npackage: {package}\nname: {package}.v1.0.0\nimage: example.com/{package}:v1\nproperties:\n\
         - {{type: olm.package, value: {{packageName: {package}, version: 1.0.0}}}}\n- {property}\n"
    )
}

fn package_and_channel(package: &str) -> String {
    format!(
        "schema: olm.package\nname: {package}\ndefaultChannel: stable\n---\n\
         schema: olm.channel\npackage: {package}\nname: stable\nentries:\n- {{name: {package}.v1.0.0}}\n"
    )
}

#[test]
fn a_rule_depends_on_every_package() {
    let scene = Scene::of_three();
    write(scene.root(), "catalog/rule/package.yaml", package_and_channel("rule"));
    let rule = "{type: olm.constraint, value: {failureMessage: any, \
                cel: {rule: \"properties.exists(p, p.type == 'olm.package')\"}}}";
    write(scene.root(), "catalog/rule/bundle.yaml", bundle("rule", rule));
    let questions: [&[&str]; 2] = [&["deps", "lamp", "--invert"], &["deps", "rule"]];
    expect_as_from_an_index(&scene, &["catalog"], &questions);
    scene.question(&["deps", "lamp", "--invert", "-i", "catalog"]).expect_words("rule.v1.0.0");
}

#[test]
fn an_installation_reads_light_rows_of_all_files() {
    let scene = Scene::of_three();
    let [api, owned] = ["olm.gvk.required", "olm.gvk"]
        .map(|it| format!("{{type: {it}, value: {{group: example.com, version: v1, kind: Wick}}}}"));
    let on = |package: &str| {
        format!("{{type: olm.package.required, value: {{packageName: {package}, versionRange: '>=1.0.0'}}}}")
    };
    let any = "{type: olm.constraint, value: {failureMessage: one, any: {constraints: [\
        {failureMessage: a, package: {packageName: absent, versionRange: '>0.0.1'}}, \
        {failureMessage: b, package: {packageName: socket, versionRange: '>0.0.1'}}]}}}";
    let label = "{type: olm.label.required, value: {label: bright}}";
    let rule = "{type: olm.constraint, value: {failureMessage: any, \
                cel: {rule: \"properties.exists(p, p.type == 'olm.package')\"}}}";
    for (package, property) in [
        ("needing", api.as_str()),
        ("giving", owned.as_str()),
        ("also-giving", owned.as_str()),
        ("dependant", on("needing").as_str()),
        ("ruling", rule),
        ("either", any),
        ("socket", label),
        ("sun", "{type: olm.label, value: {label: bright}}"),
    ] {
        let text = package_and_channel(package) + "---\n" + &bundle(package, property);
        write(scene.root(), &format!("catalog/{package}.yaml"), text);
    }
    let questions: [&[&str]; 8] = [
        &["resolve", "--install", "needing"],
        &["resolve", "--install", "either"],
        &["resolve", "--install", "ruling"],
        &["resolve", "--install", "giving", "--install", "dependant"],
        &["why", "giving", "--install", "needing"],
        &["why", "sun", "--install", "either"],
        &["deps", "needing"],
        &["deps", "either", "--closure"],
    ];
    expect_as_from_an_index(&scene, &["catalog"], &questions);
    // A question that follows dependencies reads all files, and the next one none.
    let question = ["resolve", "--install", "needing", "-i", "catalog"];
    // On a slow machine the questions before have kept what they read.
    scene.put("lamp", "1.0.0", "");
    std::thread::sleep(TICK);
    scene.question(&question).expect_code(0).expect_words("read 11 files of catalog");
    let again = scene.question(&["deps", "either", "-i", "catalog"]);
    assert!(!again.err().contains("read 11 files"), "{}", again.both());
}

/// F1: package and channel are in other files than the bundle, which a word names.
#[test]
fn a_bundle_with_a_rule_tells_the_package_in_other_files() {
    let scene = Scene::of_three();
    let rule = "cel: {rule: \"properties.exists(p, p.type == 'olm.package')\"}";
    let needs = "{type: olm.package.required, value: {packageName: ruling, versionRange: '>0.0.1'}}".to_owned();
    for (package, property) in [
        ("ruling", format!("{{type: olm.constraint, value: {{failureMessage: m, {rule}}}}}")),
        (
            "within",
            format!(
                "{{type: olm.constraint, value: {{failureMessage: m, \
                all: {{constraints: [{{failureMessage: n, {rule}}}]}}}}}}"
            ),
        ),
        ("through", needs),
    ] {
        write(scene.root(), &format!("catalog/{package}/bundle.yaml"), bundle(package, &property));
        for (number, text) in package_and_channel(package).split("---\n").enumerate() {
            write(scene.root(), &format!("catalog/{package}/{number}.yaml"), text);
        }
        let name = format!("{package}.v1.0.0");
        let questions: [&[&str]; 6] = [
            &["resolve", "--install", &name],
            &["deps", &name],
            &["deps", &name, "--closure"],
            &["images", &name, "--with-deps"],
            &["why", "lamp", "--install", &name],
            &["v1", "check", &name],
        ];
        expect_as_from_an_index(&scene, &["catalog"], &questions);
    }
}

#[test]
fn what_anything_can_meet_is_looked_for_everywhere() {
    let api = "gvk: {group: example.com, version: v1, kind: Bright}";
    let not = format!("not: {{constraints: [{{failureMessage: x, {api}}}]}}");
    let absent = "{failureMessage: a, package: {packageName: absent, versionRange: '>0.0.1'}}";
    for wish in [
        not.clone(),
        format!("all: {{constraints: [{{failureMessage: n, {not}}}]}}"),
        format!("any: {{constraints: [{absent}, {{failureMessage: n, {not}}}]}}"),
        "all: {constraints: []}".to_owned(),
    ] {
        let scene = Scene::of_three();
        let owned = "{type: olm.gvk, value: {group: example.com, version: v1, kind: Bright}}";
        let properties = format!("{owned}\n- {{type: olm.constraint, value: {{failureMessage: m, {wish}}}}}");
        let text = package_and_channel("needing") + "---\n" + &bundle("needing", &properties);
        write(scene.root(), "catalog/needing.yaml", text);
        let questions: [&[&str]; 6] = [
            &["resolve", "--install", "needing"],
            &["deps", "needing"],
            &["deps", "needing", "--closure"],
            &["deps", "lamp", "--invert"],
            &["why", "lamp", "--install", "needing"],
            &["v1", "check", "needing"],
        ];
        expect_as_from_an_index(&scene, &["catalog"], &questions);
    }
}

#[test]
fn a_label_is_found_in_every_spelling() {
    for (label, said) in [
        ("bright", "\"bri\\\u{85}  ght\"".as_bytes()),
        ("bright", "\"bri\\\u{2028}  ght\"".as_bytes()),
        ("bright", "\"bri\\\u{2029}  ght\"".as_bytes()),
        ("a\u{fffd}b", b"a\xffb".as_slice()),
    ] {
        let scene = Scene::of_three();
        let demand = format!("{{type: olm.label.required, value: {{label: {label}}}}}");
        let text = package_and_channel("needing") + "---\n" + &bundle("needing", &demand);
        write(scene.root(), "catalog/needing.yaml", text);
        if said.contains(&0xFF) {
            let property = r#"{"schema": "olm.package", "name": "giving", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "giving", "name": "stable", "entries": [{"name": "giving.v1.0.0"}]}
{"schema": "olm.bundle", "package": "giving", "name": "giving.v1.0.0", "image": "example.com/giving:v1", "properties": [
{"type": "olm.package", "value": {"packageName": "giving", "version": "1.0.0"}},
{"type": "olm.label", "value": {"label": "SAID"}}]}"#;
            let (before, after) = property.split_once("SAID").unwrap();
            write(scene.root(), "catalog/giving.json", [before.as_bytes(), said, after.as_bytes()].concat());
        } else {
            let property = format!("{{type: olm.label, value: {{label: {}}}}}", str::from_utf8(said).unwrap());
            let text = package_and_channel("giving") + "---\n" + &bundle("giving", &property);
            write(scene.root(), "catalog/giving.yaml", text);
        }
        expect_as_from_an_index(&scene, &["catalog"], &[&["resolve", "--install", "needing"], &["deps", "needing"]]);
    }
}

#[test]
fn a_colon_may_belong_to_a_name() {
    let scene = Scene::of_three();
    let text = (package_and_channel("odd") + "---\n" + &bundle("odd", "{type: note, value: a}"))
        .replace("odd.v1.0.0", "\"tools:lamp\"");
    write(scene.root(), "catalog/odd.yaml", text);
    let questions: [&[&str]; 3] = [
        &["resolve", "--install", "tools:lamp"],
        &["resolve", "--installed", "tools:lamp"],
        &["resolve", "--install", "tools:shade"],
    ];
    expect_as_from_an_index(&scene, &["catalog"], &questions);
}

#[test]
fn demands_lead_from_one_catalog_to_another() {
    let scene = Scene::of_three();
    for (catalog, package, property) in [
        ("a", "needing", "{type: olm.gvk.required, value: {group: example.com, version: v1, kind: Wick}}"),
        ("b", "giving", "{type: olm.gvk, value: {group: example.com, version: v1, kind: Wick}}"),
        ("b", "besides", "{type: olm.package.required, value: {packageName: needing, versionRange: '>=1.0.0'}}"),
    ] {
        let text = package_and_channel(package) + "---\n" + &bundle(package, property);
        write(scene.root(), &format!("{catalog}/{package}.yaml"), text);
    }
    for catalog in ["a", "b"] {
        let large = fs::read_to_string(scene.root().join("catalog/lamp/catalog.yaml")).unwrap();
        write(
            scene.root(),
            &format!("{catalog}/{catalog}-large.yaml"),
            large.replace("lamp", &format!("large-{catalog}")),
        );
    }
    let questions: [&[&str]; 4] = [
        &["resolve", "--install", "needing"],
        &["deps", "needing", "--closure"],
        &["deps", "needing", "--invert"],
        &["deps", "giving", "--invert"],
    ];
    expect_as_from_an_index(&scene, &["a=a", "b=b"], &questions);
    scene
        .question(&["resolve", "--install", "needing", "-i", "a=a", "-i", "b=b"])
        .expect_code(0)
        .expect_words("giving");
}

#[test]
fn a_part_is_answered_as_the_whole() {
    let scene = Scene::of_three();
    let build = olmdex(["build", "catalog", "-O", "index.db"]).in_directory(scene.root());
    build.answer().expect_code(0);
    let questions: [&[&str]; 12] = [
        &["show", "lamp", "-o", "json"],
        &["show", "lamp/stable", "-o", "json"],
        &["show", "lamp@1.0.0", "-o", "json"],
        &["list", "bundles", "shade", "-o", "json"],
        &["list", "packages", "shade", "-o", "json"],
        &["updates", "lamp.v1.0.0", "-o", "json"],
        &["path", "lamp@1.0.0", "-o", "json"],
        &["why-not", "lamp", "1.0.0", "-o", "json"],
        &["deps", "lamp", "-o", "json"],
        &["images", "lamp"],
        &["resolve", "--install", "lamp", "-o", "json"],
        &["v1", "check", "lamp", "-o", "json"],
    ];
    for question in questions {
        let of = |source: &str| {
            let answer = scene.question(&[question, &["-i", source]].concat());
            (answer.out(), answer.code)
        };
        assert_eq!(of("catalog"), of("index.db"), "{question:?}");
    }
}

#[test]
fn lists_are_those_of_an_index() {
    let scene = Scene::new();
    write(
        scene.root(),
        "catalog/lamp/old.yaml",
        "schema: olm.deprecations\npackage: lamp\nentries:\n\
        - {reference: {schema: olm.bundle, name: lamp.v1.0.0}, message: too dim}\n",
    );
    let questions: [&[&str]; 5] = [
        &["list", "packages"],
        &["list", "channels"],
        &["list", "bundles"],
        &["list", "catalogs"],
        &["list", "bundles", "--status", "deprecated"],
    ];
    expect_as_from_an_index(&scene, &["catalog"], &questions);
}

#[test]
fn lists_know_what_is_there_twice() {
    let scene = Scene::new();
    let shade = fs::read_to_string(scene.root().join("catalog/shade/catalog.yaml")).unwrap();
    write(scene.root(), "catalog/shade/again.yaml", shade);
    let listed = scene.question(&["list", "bundles", "-o", "json", "-i", "catalog"]);
    listed.expect_code(0).expect_words("`catalog` is not valid");
    let rows: serde_json::Value = serde_json::from_str(&listed.out()).unwrap();
    let channels: Vec<&serde_json::Value> =
        rows["items"].as_array().unwrap().iter().map(|it| &it["channels"][0]).collect();
    assert_eq!(channels, ["stable", "stable", "stable"]);
}

#[test]
fn what_is_wrong_elsewhere_is_said_if_it_cannot_be_read() {
    let scene = Scene::of_three();
    let ask = |name: &str| scene.question(&["show", name, "-i", "catalog"]);
    // `shade` is not valid, which matters only to a question about it.
    scene.put("shade", "1.0.0", ", replaces: shade.v0.1.0}\n- {name: shade.v0.1.0");
    let lamp = ask("lamp");
    lamp.expect_code(0);
    assert!(!lamp.err().contains("not valid"), "{}", lamp.both());
    ask("shade").expect_code(0).expect_words("`catalog` is not valid");
    // A document without schema could be anything.
    write(scene.root(), "catalog/shade/more.yaml", "name: lamp\n");
    ask("lamp").expect_code(3).expect_words("`catalog` is not a readable catalog");
}

/// An upgrade needs the definitions that its bundles carry, which a light index does not have.
#[test]
fn definitions_that_lose_objects_are_found_in_files_and_standard_input() {
    let scene = Scene::of_three();
    let mut text = "schema: olm.package\nname: kiln\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: kiln\n\
         name: stable\nentries:\n- {name: kiln.v1.0.0}\n- {name: kiln.v2.0.0, replaces: kiln.v1.0.0}\n"
        .to_owned();
    for (version, stored) in [("1.0.0", "v1"), ("2.0.0", "v2")] {
        let crd = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"kilns.example.com"}},
            "spec":{{"group":"example.com","scope":"Namespaced","names":{{"kind":"Kiln","plural":"kilns"}},
            "versions":[{{"name":"{stored}","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}]}}}}"#
        );
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: example.com/kiln:v{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: kiln, version: {version}}}}}\n\
             - {{type: olm.bundle.object, value: {{data: {}}}}}\n",
            STANDARD.encode(crd)
        );
    }
    write(scene.root(), "catalog/kiln/catalog.yaml", &text);
    let question = ["resolve", "--installed", "kiln.v1.0.0"];
    expect_as_from_an_index(&scene, &["catalog"], &[&question]);
    let of_files = scene.question(&[&question[..], &["-i", "catalog"]].concat());
    of_files.expect_words("the step to kiln.v2.0.0: ");
    let of_input = olmdex(question).args(["-i", "-"]).stdin(text).in_directory(scene.root()).answer();
    of_input.expect_words("the step to kiln.v2.0.0: ");
}
