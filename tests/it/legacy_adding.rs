//! Adding bundles to legacy files: opm's rows, its refusals, and no half-done work.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use crate::support::image::layout;
use crate::support::legacy::query;
use crate::support::{Answer, olmdex, scratch, write};

/// Writes a bundle `NAME.vVERSION` of package `NAME` (the text before the first dot): channels, default channel, and
/// more of the `spec`.
fn bundle(root: &Path, name: &str, channels: &str, default: &str, spec: &str) -> PathBuf {
    let (package, version) = name.split_once(".v").unwrap();
    let version = if spec.contains("version:") { String::new() } else { format!("version: {version}, ") };
    write(
        root,
        &format!("{name}/manifests/csv.yaml"),
        format!("kind: ClusterServiceVersion\nmetadata: {{name: {name}}}\nspec: {{{version}{spec}}}\n"),
    );
    let key = "operators.operatorframework.io.bundle";
    write(
        root,
        &format!("{name}/metadata/annotations.yaml"),
        format!(
            "annotations:\n  {key}.package.v1: {package}\n  {key}.channels.v1: {channels}\n  \
             {key}.channel.default.v1: \"{default}\"\n"
        ),
    );
    root.join(name)
}

/// Adds bundles in place, with images.
fn add(file: &Path, bundles: &[PathBuf], options: &[&str]) -> Answer {
    let template = ["--in-place", "--image-template", "example.com/{{.Package}}:{{.Version}}"];
    olmdex(["legacy", "add"]).arg(file).args(bundles).args(template).args(options).answer()
}

fn empty(root: &Path) -> PathBuf {
    write(root, "new.db", "")
}

/// The rows of a package's channels: channel, bundle, the targets of its edges, depth.
const ENTRIES: &str =
    "SELECT a.channel_name, a.operatorbundle_name, b.operatorbundle_name, a.depth FROM channel_entry a
                       LEFT JOIN channel_entry b ON a.replaces = b.entry_id ORDER BY a.entry_id";

/// Adds bundles one after another and returns the rows.
fn rows_of(mode: &str, bundles: &[(&str, &str)]) -> String {
    let root = scratch();
    let file = empty(root.path());
    for (name, spec) in bundles {
        let made = bundle(root.path(), name, "stable", "stable", spec);
        add(&file, &[made], &["--mode", mode]).expect_code(0);
    }
    assert_eq!(query(&file, "PRAGMA foreign_key_check"), "", "{mode}");
    query(&file, ENTRIES)
}

#[test]
fn the_rows_of_channels_are_those_of_opm() {
    // Mode, bundles, rows: worked examples of docs/behaviour/legacy-index.md 2.2, 2.3, 4.4 and 8.
    let cases = [
        (
            "replaces",
            vec![
                ("p.v0.0.1", ""),
                ("p.v0.0.2", "replaces: p.v0.0.1, skips: [p.v0.0.1]"),
                ("p.v0.0.3", "replaces: p.v0.0.2, skips: [p.v0.0.2, p.v0.0.1]"),
                ("p.v0.0.4", "replaces: p.v0.0.3, skips: [p.v0.0.3, p.v0.0.2, p.v0.0.1]"),
            ],
            "stable|p.v0.0.4|p.v0.0.3|0\nstable|p.v0.0.3||1\nstable|p.v0.0.4|p.v0.0.3|1\nstable|p.v0.0.2||2\n\
             stable|p.v0.0.4|p.v0.0.2|2\nstable|p.v0.0.1||3\nstable|p.v0.0.4|p.v0.0.1|3\nstable|p.v0.0.3|p.v0.0.2|4\n\
             stable|p.v0.0.2||5\nstable|p.v0.0.3|p.v0.0.2|5\nstable|p.v0.0.1||6\nstable|p.v0.0.3|p.v0.0.1|6\n\
             stable|p.v0.0.2|p.v0.0.1|7\nstable|p.v0.0.1||8\nstable|p.v0.0.2|p.v0.0.1|8\nstable|p.v0.0.1||9",
        ),
        (
            "semver",
            vec![
                ("p.v1.0.0", ""),
                ("p.v2.0.0", ""),
                ("p.v1.1.0", ""),
                ("p.v3.0.0", "replaces: p.v1.0.5, skips: [p.v2.0.0, p.v1.1.0]"),
                ("p.v1.0.5", ""),
            ],
            "stable|p.v3.0.0|p.v2.0.0|0\nstable|p.v2.0.0|p.v1.1.0|1\nstable|p.v1.1.0|p.v1.0.5|2\n\
             stable|p.v1.0.5|p.v1.0.0|3\nstable|p.v1.0.0||4",
        ),
        (
            "Semver-SkipPatch",
            vec![("p.v1.0.0", ""), ("p.v1.0.1", ""), ("p.v1.0.2", "")],
            "stable|p.v1.0.2||0\nstable|p.v1.0.1||1\nstable|p.v1.0.2|p.v1.0.1|1\nstable|p.v1.0.0||2\n\
             stable|p.v1.0.2|p.v1.0.0|2",
        ),
        (
            // A bundle that was skipped in one channel is replaced once another channel gets a bundle.
            "semver-skippatch",
            vec![("p.v1.0.0", ""), ("p.v1.0.1", ""), ("p.v1.1.0", "")],
            "stable|p.v1.1.0|p.v1.0.1|0\nstable|p.v1.0.1|p.v1.0.0|1\nstable|p.v1.0.0||2",
        ),
    ];
    for (mode, bundles, expected) in cases {
        assert_eq!(rows_of(mode, &bundles), expected, "{mode}: {bundles:?}");
    }
}

/// L2: opm refuses a channel that is not one chain of its bundles, also one that gets nothing, and writes all channels.
#[test]
fn semver_modes_refuse_and_write_what_opm_does() {
    for (bundles, last, words) in [
        // The skipped patches are bundles of the channel again.
        (&["p.v1.0.0", "p.v1.0.1", "p.v1.0.2"][..], "p.v1.1.0", "no path leads from"),
        // Nothing leads to 1.0.0, since 1.1.0 is skipped.
        (&["p.v1.0.0", "p.v1.1.0"], "p.v1.1.1", "several heads: `p.v1.0.0`, `p.v1.1.1`"),
    ] {
        let root = scratch();
        let file = empty(root.path());
        let make = |name: &str| bundle(root.path(), name, "stable", "stable", "");
        for name in bundles {
            add(&file, &[make(name)], &["--mode", "semver-skippatch"]).expect_code(0);
        }
        let before = std::fs::read(&file).unwrap();
        let answer = add(&file, &[make(last)], &["--mode", "semver-skippatch"]);
        answer.expect_code(1).expect_words(words);
        assert_eq!(std::fs::read(&file).unwrap(), before, "{last}");
    }
    let root = scratch();
    let file = empty(root.path());
    let make = |name: &str, channels: &str| bundle(root.path(), name, channels, "stable", "");
    for (name, channels) in [("p.v1.0.0", "stable,beta"), ("p.v1.0.1", "stable,beta")] {
        add(&file, &[make(name, channels)], &["--mode", "semver-skippatch"]).expect_code(0);
    }
    add(&file, &[make("p.v1.1.0", "stable")], &["--mode", "semver"]).expect_code(0);
    let expected = "beta|p.v1.0.1|p.v1.0.0|0\nbeta|p.v1.0.0||1\nstable|p.v1.1.0|p.v1.0.1|0\n\
                    stable|p.v1.0.1|p.v1.0.0|1\nstable|p.v1.0.0||2";
    assert_eq!(query(&file, ENTRIES), expected);
}

#[test]
fn a_bundle_has_the_rows_of_opm() {
    let root = scratch();
    let file = empty(root.path());
    let made = bundle(
        root.path(),
        "p.v1.0.0",
        "a, b",
        "a",
        "version: 1.0.0, skips: [p.v0.9.0, p.v0.8.0], relatedImages: [{name: x, image: example.com/x}], customresourcedefinitions: \
         {owned: [{name: foos.example.com, version: v1, kind: Foo}], required: [{name: bars.example.com, version: v1, \
         kind: Bar}]}",
    );
    write(
        root.path(),
        "p.v1.0.0/manifests/crd.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n\
         spec: {group: example.com, names: {kind: Foo, plural: foos}, versions: [{name: v1}]}\n",
    );
    write(
        root.path(),
        "p.v1.0.0/metadata/dependencies.yaml",
        "dependencies: [{type: olm.package, value: {packageName: q, version: '>1.0.0'}}]",
    );
    write(root.path(), "p.v1.0.0/metadata/properties.yaml", "properties: [{type: my.prop, value: {b: '<', a: 1}}]");
    add(&file, &[made], &[]).expect_code(0);
    let has = |sql: &str, expected: &str| assert_eq!(query(&file, sql), expected, "{sql}");
    has(
        "SELECT bundlepath, version, skips, replaces, substitutesfor FROM operatorbundle",
        "example.com/p:1.0.0|1.0.0|p.v0.9.0,p.v0.8.0||",
    );
    has("SELECT typeof(csv), typeof(bundle), csv = substr(bundle, -length(csv)) FROM operatorbundle", "blob|blob|1");
    // Names of channels are not trimmed.
    has("SELECT '<' || name || '>' FROM channel ORDER BY 1", "< b>\n<a>");
    has(
        "SELECT type, value, typeof(value) FROM properties WHERE type <> 'olm.package' ORDER BY 1",
        "my.prop|{\"a\":1,\"b\":\"\\u003c\"}|text\nolm.gvk|{\"group\":\"example.com\",\"kind\":\"Foo\",\"version\":\"v1\"}|text",
    );
    // Once for the bundle, and once for each rebuilt channel.
    has("SELECT count(*) FROM properties WHERE type = 'olm.package'", "3");
    has(
        "SELECT type, value, typeof(value) FROM dependencies ORDER BY rowid",
        "olm.package|{\"packageName\":\"q\",\"version\":\"\\u003e1.0.0\"}|blob\n\
         olm.gvk|{\"group\":\"example.com\",\"kind\":\"Bar\",\"version\":\"v1\"}|blob",
    );
    has("SELECT kind, plural FROM api ORDER BY 1", "Bar|bars\nFoo|foos");
    has("SELECT kind, operatorbundle_path FROM api_provider", "Foo|example.com/p:1.0.0");
    has("SELECT kind FROM api_requirer", "Bar");
    has("SELECT image FROM related_image ORDER BY 1", "example.com/p:1.0.0\nexample.com/x");
    olmdex(["doctor"]).arg(&file).answer().expect_code(0);
    olmdex(["render"]).arg(&file).answer().expect_code(0);
}

#[test]
fn the_default_channel_follows_the_highest_version() {
    let root = scratch();
    let file = empty(root.path());
    // Version, default channel of the bundle, and the package's default afterwards or the message.
    let steps = [
        ("1.0.0", "", Err("package `p` has no default channel")),
        ("1.0.0", "beta", Ok("beta")),
        ("2.0.0", "", Ok("beta")),
        ("3.0.0", "alpha", Ok("alpha")),
        ("4.0.0", "zeta", Err("the default channel `zeta` does not exist")),
    ];
    let mut last = String::new();
    for (version, default, expected) in steps {
        let name = format!("p.v{version}");
        let replaces = if last.is_empty() { String::new() } else { format!("replaces: {last}") };
        let made = bundle(root.path(), &name, "alpha,beta", default, &replaces);
        let answer = add(&file, &[made], &[]);
        match expected {
            Ok(default) => {
                answer.expect_code(0);
                assert_eq!(query(&file, "SELECT default_channel FROM package"), default, "{version}");
                last = name;
            }
            Err(words) => drop(answer.expect_code(1).expect_words(words)),
        }
    }
}

#[test]
fn what_opm_refuses_is_refused_and_leaves_the_file_as_it_was() {
    let root = scratch();
    let file = empty(root.path());
    let make = |name: &str, spec: &str| bundle(root.path(), name, "stable", "stable", spec);
    let first = [make("p.v1.0.0", ""), make("p.v1.1.0", "replaces: p.v1.0.0"), make("q.v1.0.0", "")];
    add(&file, &first, &[]).expect_code(0);
    let before = std::fs::read(&file).unwrap();
    let new = "p.v1.2.0";
    // Bundle, spec, options, words.
    let cases: [(&str, &str, &[&str], &str); 12] = [
        ("p.v1.1.0", "replaces: p.v1.0.0", &[], "the file already has image `example.com/p:1.1.0`"),
        (
            "p.v1.1.0",
            "version: 1.1.0+1, replaces: p.v1.0.0",
            &[],
            "the file already has bundle `p.v1.1.0`, in package `p`",
        ),
        ("p.v1.0.0", "version: 1.0.0+1", &["--overwrite-latest"], "`p.v1.1.0` replaces it in channel `stable`"),
        (new, "replaces: p.v1.1.5", &[], "`p.v1.2.0` replaces `p.v1.1.5`, which is not in the file"),
        (new, "replaces: p.v1.2.0", &[], "the edges form a cycle: `p.v1.2.0` replaces `p.v1.2.0`"),
        (new, "skips: [q.v1.0.0]", &[], "names `q.v1.0.0`, which belongs to package `q`"),
        (new, "version: one, replaces: p.v1.1.0", &[], "has the version `one`, which is not a semantic version"),
        (new, "version: '', replaces: p.v1.1.0", &["--mode", "semver"], "bundle `p.v1.2.0` has no version"),
        (new, "version: 1.1.0+1", &["--mode", "semver"], "already has version 1.1.0+1, in `p.v1.1.0`"),
        ("p.v0.9.0", "", &[], "`p.v0.9.0` would not be in channel `stable` of package `p`"),
        (new, "version: 1.1.0, replaces: p.v1.1.0", &["--image-template", "x"], "both have the highest version, 1.1.0"),
        (new, "version: 1.2.1, replaces: p.v1.1.0", &["-b", "x", "--mode", "sideways"], "sideways"),
    ];
    for (name, spec, options, words) in cases {
        let made = make(name, spec);
        let options: Vec<&str> = options.to_vec();
        let template = "example.com/{{.Package}}:{{.Version}}";
        let mut run = olmdex(["legacy", "add", "--in-place"]).arg(&file).arg(&made).args(&options);
        if !options.contains(&"--image-template") {
            run = run.args(["--image-template", template]);
        }
        let answer = run.answer();
        answer.expect_words(words);
        assert!(matches!(answer.code, Some(1 | 2)), "{spec}: {}", answer.both());
        assert!(before == std::fs::read(&file).unwrap(), "{spec}: the file was changed");
    }
    // The other bundles are added if an option allows that.
    let both = [make("p.v1.3.0", "replaces: p.v1.2.9"), make("q.v1.1.0", "replaces: q.v1.0.0")];
    add(&file, &both, &["--permissive"]).expect_code(0).expect_words("which is not in the file");
    assert_eq!(query(&file, "SELECT name FROM operatorbundle WHERE version > '1.1' ORDER BY 1"), "p.v1.1.0\nq.v1.1.0");
    let alpha = write(
        root.path(),
        "s.v1.0.0/manifests/csv.yaml",
        "kind: ClusterServiceVersion\nmetadata: {name: s.v1.0.0, annotations: {olm.substitutesFor: s.v0}}\nspec: {}\n",
    );
    let of = bundle(root.path(), "s.v1.0.1", "stable", "stable", "");
    std::fs::copy(alpha, of.join("manifests/csv.yaml")).unwrap();
    add(&file, &[of], &[]).expect_code(1).expect_words("olm.substitutesFor");
}

#[test]
fn the_head_is_overwritten() {
    let root = scratch();
    let file = empty(root.path());
    let make = |name: &str, channels: &str, spec: &str| bundle(root.path(), name, channels, "stable", spec);
    let old = [make("p.v1.0.0", "stable,fast", ""), make("p.v1.1.0", "stable,fast", "replaces: p.v1.0.0")];
    add(&file, &old, &[]).expect_code(0);
    let again = make("p.v1.1.0", "stable", "replaces: p.v1.0.0, displayName: Again");
    let run = |options: &[&str]| {
        let template = ["--image-template", "example.com/again", "--in-place"];
        olmdex(["legacy", "add"]).arg(&file).arg(&again).args(template).args(options).answer()
    };
    run(&[]).expect_code(1);
    run(&["--overwrite-latest"]).expect_code(0);
    // A channel that has lost the bundle falls back to the bundle that it replaced.
    assert_eq!(
        query(&file, "SELECT name, head_operatorbundle_name FROM channel ORDER BY 1"),
        "fast|p.v1.0.0\nstable|p.v1.1.0"
    );
    assert_eq!(
        query(&file, "SELECT bundlepath FROM operatorbundle ORDER BY name"),
        "example.com/p:1.0.0\nexample.com/again"
    );
    assert_eq!(query(&file, "SELECT count(*) FROM related_image WHERE operatorbundle_name = 'p.v1.1.0'"), "1");
    assert_eq!(query(&file, "SELECT default_channel FROM package"), "stable");
    assert_eq!(query(&file, "PRAGMA foreign_key_check"), "");
}

#[test]
fn manifests_stay_where_they_are_needed() {
    let root = scratch();
    let file = empty(root.path());
    let make = |name: &str| bundle(root.path(), name, "stable", "stable", "");
    add(&file, &[make("q.v1.0.0"), make("p.v1.0.0")], &[]).expect_code(0);
    add(&file, &[make("p.v1.1.0")], &["--mode", "semver"]).expect_code(0);
    let cleared = "SELECT name FROM operatorbundle WHERE csv IS NULL AND bundle IS NULL";
    assert_eq!(query(&file, cleared), "p.v1.0.0");
    // Without an image there is no other source for them.
    let inline = make("p.v1.2.0");
    olmdex(["legacy", "add", "--mode", "semver", "--in-place"]).arg(&file).arg(&inline).answer().expect_code(0);
    add(&file, &[make("p.v1.3.0")], &["--mode", "semver"]).expect_code(0);
    assert_eq!(query(&file, cleared), "p.v1.0.0\np.v1.1.0");
    // A bundle that the new head does not lead to is in no channel any more, which is reported.
    add(&file, &[make("q.v2.0.0")], &[]).expect_code(0).expect_words("bundle `q.v1.0.0` is no longer in any channel");
}

#[test]
fn images_and_empty_files_and_dry_runs() {
    let root = scratch();
    let file = empty(root.path());
    // Even without any bundle, a server gets a catalog.
    let out = root.path().join("out.db");
    olmdex(["legacy", "add", "-b", ""]).arg(&file).arg("-o").arg(&out).answer().expect_code(0);
    assert_eq!(query(&out, "SELECT version FROM schema_migrations"), "13");
    let made = bundle(root.path(), "p.v1.0.0", "stable", "", "");
    let before = std::fs::read(&out).unwrap();
    let dry = olmdex(["legacy", "add", "--dry-run"]).arg(&out).arg(&made).answer();
    dry.expect_code(0).expect_words("added 1 bundle; dry run: no file was written");
    assert!(before == std::fs::read(&out).unwrap());
    // The image of a bundle is a bundle.
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all(".", &made).unwrap();
    let image = root.path().join("image");
    std::fs::create_dir(&image).unwrap();
    layout(&image, ("operators.operatorframework.io.bundle.package.v1", "p"), &[tar.into_inner().unwrap()]);
    let source = format!("oci:{}", image.display());
    olmdex(["legacy", "add"]).arg(&out).arg(&source).arg("--in-place").answer().expect_code(0);
    assert_eq!(query(&out, "SELECT name, bundlepath FROM operatorbundle"), "p.v1.0.0|");
    olmdex(["legacy", "add"]).arg(&out).arg(&out).arg("--in-place").answer().expect_words("is not a bundle");
}

/// Section 5, row 2: whether a bundle has a release is asked of its property, not of the text of that.
#[test]
fn a_package_may_be_called_release() {
    let properties = |package: &str| {
        let root = scratch();
        let file = empty(root.path());
        for version in ["v1.0.0", "v1.0.1"] {
            let made = bundle(root.path(), &format!("{package}.{version}"), "stable", "stable", "");
            add(&file, &[made], &[]).expect_code(0);
        }
        let all = query(&file, "SELECT operatorbundle_name, type, value FROM properties ORDER BY 1, 2, 3");
        all.replace(package, "PACKAGE")
    };
    assert_eq!(properties("release"), properties("relief"));
}
