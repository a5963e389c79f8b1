//! Writing the legacy format: its content comes back, losses are named, and no work is half-done.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::support::legacy::{legacy_file, query};
use crate::support::{Answer, olmdex, program, scratch, write};
use proptest::prelude::*;

fn export(catalog: &Path, file: &Path) -> Answer {
    olmdex(["export", "--legacy", "-q"]).arg(catalog).arg("-o").arg(file).answer()
}

fn render(source: &Path) -> String {
    let answer = olmdex(["render", "-q"]).arg(source).answer();
    answer.expect_code(0).out()
}

/// A package whose channels are chains with skips: each entry replaces and skips only older ones.
fn package(name: &str, channels: &[Vec<(usize, Vec<usize>)>]) -> String {
    let mut text = format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: c0\n");
    let mut versions: BTreeSet<usize> = BTreeSet::new();
    for (idx, entries) in channels.iter().enumerate() {
        write!(text, "---\nschema: olm.channel\npackage: {name}\nname: c{idx}\nentries:\n").unwrap();
        let mut previous: Option<usize> = None;
        for (version, skips) in entries {
            versions.insert(*version);
            writeln!(text, "- name: {name}.v{version}.0.0").unwrap();
            if let Some(previous) = previous {
                writeln!(text, "  replaces: {name}.v{previous}.0.0").unwrap();
            }
            // Names that are not there are skipped too.
            if !skips.is_empty() {
                writeln!(text, "  skips:").unwrap();
                for skip in skips {
                    writeln!(text, "  - {name}.v{version}.0.0-skipped{skip}").unwrap();
                }
            }
            previous = Some(*version);
        }
    }
    for version in versions {
        let csv = format!(
            "{{\"apiVersion\":\"operators.coreos.com/v1alpha1\",\"kind\":\"ClusterServiceVersion\",\"metadata\":{{\"name\":\"{name}.v{version}.0.0\"}},\"spec\":{{\"version\":\"{version}.0.0\"}}}}"
        );
        let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, csv);
        let of = if version % 2 == 0 {
            format!("- type: olm.bundle.object\n  value: {{data: {data}}}\n")
        } else {
            String::new()
        };
        write!(
            text,
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}.0.0\nimage: example.com/{name}:v{version}\nproperties:\n\
             - type: custom\n  value: {{b: [1, 2], a: '<{version}>'}}\n\
             - type: olm.gvk\n  value: {{group: {name}.io, kind: Kind{version}, version: v1}}\n\
             - type: olm.gvk.required\n  value: {{group: other.io, kind: Other, version: v1}}\n\
             - type: olm.package\n  value: {{packageName: {name}, version: {version}.0.0}}\n\
             - type: olm.package.required\n  value: {{packageName: other, versionRange: '>={version}.0.0'}}\n{of}"
        )
        .unwrap();
    }
    text
}

fn channel() -> impl Strategy<Value = Vec<(usize, Vec<usize>)>> {
    let entry = (10..22_usize, prop::collection::vec(0..3_usize, 0..3));
    prop::collection::vec(entry, 1..6).prop_map(|mut entries| {
        entries.sort();
        entries.dedup_by_key(|it| it.0);
        entries
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn from_the_second_pass_on_nothing_changes(
        packages in prop::collection::vec(prop::collection::vec(channel(), 1..4), 1..4)
    ) {
        let directory = scratch();
        let mut text = String::new();
        for (idx, channels) in packages.iter().enumerate() {
            text.push_str(&package(&format!("p{idx}"), channels));
        }
        let first = write(directory.path(), "catalog/catalog.yaml", text);
        let path = |name: &str| directory.path().join(name);
        export(&first, &path("1.db")).expect_code(0);
        olmdex(["migrate", "-q", "--prove"]).arg(path("1.db")).arg(path("2")).answer().expect_code(0);
        export(&path("2"), &path("2.db")).expect_code(0);
        prop_assert_eq!(query(&path("2.db"), "PRAGMA foreign_key_check"), "");
        prop_assert_eq!(query(&path("2.db"), "PRAGMA integrity_check"), "ok");
        olmdex(["migrate", "-q"]).arg(path("2.db")).arg(path("3")).answer().expect_code(0);
        prop_assert_eq!(render(&path("2")), render(&path("3")));
        export(&path("3"), &path("3.db")).expect_code(0);
        prop_assert!(std::fs::read(path("2.db")).unwrap() == std::fs::read(path("3.db")).unwrap(), "the same bytes");
        // Even the first pass loses only absent things: only manifests of heads are made up.
        prop_assert_eq!(render(&first), render(&path("2")));
    }
}

#[test]
fn rows_are_as_old_servers_expect_them() {
    let directory = scratch();
    let catalog = legacy_file(directory.path(), "two-packages", "");
    let out = directory.path().join("out.db");
    olmdex(["export", "--legacy"]).arg(&catalog).arg("-o").arg(&out).answer().expect_code(0);
    let checks = [
        ("SELECT version FROM schema_migrations", "13"),
        (
            "SELECT DISTINCT typeof(csv), typeof(bundle), typeof(bundlepath), typeof(substitutesfor) FROM operatorbundle",
            "blob|blob|text|text",
        ),
        ("SELECT DISTINCT typeof(value) FROM properties", "text"),
        ("SELECT DISTINCT typeof(value) FROM dependencies", "blob"),
        (
            "SELECT value FROM properties WHERE type = 'olm.gvk'",
            "{\"group\":\"foo.example.com\",\"kind\":\"Foo\",\"version\":\"v1\"}",
        ),
        (
            "SELECT value FROM dependencies WHERE type = 'olm.package'",
            "{\"packageName\":\"foo\",\"version\":\"\\u003e=1.0.0\"}",
        ),
        (
            "SELECT name, package_name, head_operatorbundle_name FROM channel ORDER BY package_name",
            "alpha|bar|bar.v0.1.0\nstable|foo|foo.v1.1.0",
        ),
        (
            "SELECT operatorbundle_name, replaces, depth FROM channel_entry WHERE package_name = 'foo' ORDER BY entry_id",
            "foo.v1.1.0|3|0\nfoo.v1.0.0||1",
        ),
        ("SELECT kind, operatorbundle_name FROM api_provider", "Foo|foo.v1.1.0"),
        ("SELECT kind, operatorbundle_name FROM api_requirer", "Foo|bar.v0.1.0"),
        ("SELECT count(*) FROM related_image", "6"),
        ("PRAGMA foreign_key_check", ""),
    ];
    for (sql, expected) in checks {
        assert_eq!(query(&out, sql), expected, "{sql}");
    }
    // Keys of values have another order, as in any catalog that is read and written.
    let blobs = |text: String| -> Vec<serde_json::Value> {
        serde_json::Deserializer::from_str(&text).into_iter().collect::<Result<_, _>>().unwrap()
    };
    assert_eq!(blobs(render(&catalog)), blobs(render(&out)));
}

#[test]
fn what_has_no_place_is_named_and_strict_writes_nothing() {
    let directory = scratch();
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/catalogs/more-than-legacy-files-say");
    let out = directory.path().join("out.db");
    let strict = olmdex(["export", "--legacy", "--strict", "--verbose"]).arg(&catalog).arg("-o").arg(&out).answer();
    strict.expect_code(1);
    assert!(!out.exists());
    for words in [
        "the legacy format cannot store the description of package `foo`",
        "the legacy format cannot store the deprecations of package `foo`: `foo.v1`",
        "the legacy format cannot store a blob of schema `example.com/other` `thing`",
        "the skipRange `<1.0.0` in channel `b` and `<2.0.0` elsewhere",
        "`foo.v1` is off the chain; it replaces `foo.v0`, which is written as a skip",
        "the names of its related images (1) are lost",
        "without a ClusterServiceVersion; one was made from its blob",
    ] {
        strict.expect_words(words);
    }
    olmdex(["export", "--legacy"]).arg(&catalog).arg("-o").arg(&out).answer().expect_code(0);
    // The icon comes back through the head's ClusterServiceVersion.
    let back = render(&out);
    assert!(back.contains("\"base64data\": \"PHN2Zy8+\"") && back.contains("\"displayName\": \"Foo\""), "{back}");
    assert!(
        query(&out, "SELECT CAST(csv AS TEXT) FROM operatorbundle WHERE name = 'foo.v2'")
            .contains("\"displayName\":\"Foo\"")
    );
}

#[test]
fn an_invalid_catalog_is_refused() {
    let directory = scratch();
    let catalog = write(
        directory.path(),
        "catalog.yaml",
        "schema: olm.package\nname: foo\ndefaultChannel: a\n---\nschema: olm.channel\npackage: foo\nname: a\nentries: [{name: foo.v2}, {name: foo.v1}]\n",
    );
    let out = directory.path().join("out.db");
    let answer = olmdex(["export", "--legacy"]).arg(&catalog).arg("-o").arg(&out).answer();
    answer.expect_code(1).expect_words("multiple channel heads");
    assert!(!out.exists());
}

#[test]
fn a_full_disk_leaves_nothing() {
    let directory = scratch();
    let catalog = legacy_file(
        directory.path(),
        "two-packages",
        "UPDATE operatorbundle SET csv = CAST('{\"x\":\"' || hex(zeroblob(300000)) || '\"}' AS BLOB)",
    );
    for (command, target) in [("export --legacy -o", "out.db"), ("migrate", "out")] {
        let out = directory.path().join(target);
        let words: Vec<&str> = command.split(' ').collect();
        let run = if command == "migrate" {
            olmdex(words).arg(&catalog).arg(&out)
        } else {
            olmdex(words).arg(&out).arg(&catalog)
        };
        // Blocks of 1024 bytes; the signal of the limit is turned into an error.
        let answer = run.after("trap '' XFSZ && ulimit -f 2").answer();
        answer.expect_code(3);
        assert!(!out.exists(), "{command}");
        let left = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, 1, "{command}: nothing else is left");
    }
}

#[test]
fn a_killed_command_leaves_all_or_nothing() {
    let directory = scratch();
    let big = "UPDATE operatorbundle SET bundle = CAST(bundle AS TEXT) || '{\"kind\":\"X\",\"x\":\"' || hex(zeroblob(2000000)) || '\"}'";
    let catalog = legacy_file(directory.path(), "two-packages", big);
    let whole = render(&catalog);
    let (tree, file) = (directory.path().join("out"), directory.path().join("out.db"));
    for milliseconds in [2, 8, 20, 40, 80] {
        for is_migration in [true, false] {
            let mut command = program();
            match is_migration {
                true => command.args(["migrate", "-q"]).arg(&catalog).arg(&tree),
                false => command.args(["export", "--legacy", "-q", "-o"]).arg(&file).arg(&catalog),
            };
            let mut child = command.spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(milliseconds));
            let _ = child.kill();
            child.wait().unwrap();
            for result in [&tree, &file].into_iter().filter(|it| it.exists()) {
                assert_eq!(render(result).len(), whole.len(), "{}", result.display());
            }
            let _ = std::fs::remove_dir_all(&tree);
            let _ = std::fs::remove_file(&file);
        }
    }
    // Killed processes leave workspaces, which are used again and removed.
    olmdex(["migrate", "-q"]).arg(&catalog).arg(&tree).answer().expect_code(0);
    export(&catalog, &file).expect_code(0);
    let left = std::fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().file_name());
    let left: Vec<_> = left.filter(|it| it.to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// This needs disk and time: the largest known catalog, there and back.
#[test]
#[ignore = "needs ../shared/catalogs and minutes"]
fn the_full_community_catalog_comes_back() {
    let packed = crate::support::shared("catalogs/community-full.index.db.zst");
    let directory = scratch();
    let path = |name: &str| directory.path().join(name);
    let mut file = std::fs::File::create(path("0.db")).unwrap();
    zstd::stream::copy_decode(std::fs::File::open(packed).unwrap(), &mut file).unwrap();
    olmdex(["migrate", "-q", "--prove"]).arg(path("0.db")).arg(path("1")).answer().expect_code(0);
    export(&path("1"), &path("1.db")).expect_code(0);
    olmdex(["migrate", "-q", "--prove"]).arg(path("1.db")).arg(path("2")).answer().expect_code(0);
    export(&path("2"), &path("2.db")).expect_code(0);
    assert!(std::fs::read(path("1.db")).unwrap() == std::fs::read(path("2.db")).unwrap(), "the same bytes");
}

#[test]
fn what_is_wrong_with_a_source_keeps_its_rule_and_place() {
    // The name of the file, its text, rule and place.
    let package = "{\"schema\": \"olm.package\", \"name\": \"p\", \"defaultChannel\": \"stable\"}\n";
    let cases = [
        ("catalog.yaml", "schema: olm.package\nname: [p\n".to_owned(), "E0004", ":3:1"),
        ("catalog.json", format!("{package}{{\"schema\": 5}}\n"), "E0007", ":2:12"),
        (
            "catalog.json",
            format!("{package}{{\"schema\": \"olm.channel\", \"package\": \"p\", \"name\": \"c\", \"entries\": 5}}\n"),
            "E0009",
            ":2:",
        ),
        (
            "catalog.json",
            format!("{package}{{\"schema\": \"olm.bundle\", \"package\": \"p\", \"name\": \"p.v1\", \"image\": 5}}\n"),
            "E0009",
            ":2:",
        ),
        ("catalog.yaml", "schema: olm.bundle\npackage: p\nname: p.v1\nimage: 5\n".to_owned(), "E0009", ":4:"),
    ];
    for (name, text, rule, place) in cases {
        let directory = scratch();
        let file = write(directory.path(), &format!("catalog/{name}"), &text);
        let out = directory.path().join("out.db");
        let answer = olmdex(["export", "--legacy"]).arg(directory.path().join("catalog")).arg("-o").arg(&out).answer();
        answer.expect_code(1).expect_words(&format!("{}{place}", file.display()));
        assert_eq!(answer.both().matches(&format!("[{rule}]")).count(), 1, "{text}\n{}", answer.both());
        assert!(!out.exists());
    }
}
