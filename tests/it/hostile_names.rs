//! Names and texts of a catalog with line breaks and escape sequences: they must not begin a line of an answer, which
//! GitHub would take for a command, nor steer a terminal.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::{Value, json};

use crate::support::{olmdex, scratch, write};

/// Begins a line that GitHub would run, and changes colours.
const ATTACK: &str = "x\n::error file=a::pwned\r::warning ::pwned\u{2028}::notice ::pwned\u{1b}[31m";

/// An attack that names its member.
fn hostile(name: &str) -> String {
    format!("{name}{ATTACK}")
}

/// A package with two versions in two channels. Each unchecked text is an attack, and so are the names if `has_names`.
fn documents(has_names: bool, requires: &str) -> Vec<Value> {
    let name = |it: &str| if has_names { hostile(it) } else { it.to_owned() };
    let (package, stable, candidate) = (name("p"), name("stable"), name("candidate"));
    let bundle = |version: &str| name(&format!("p.v{version}."));
    let blob = |version: &str| {
        json!({"schema": "olm.bundle", "package": package, "name": bundle(version), "image": hostile("q.io/p:"), "properties": [
            {"type": "olm.package", "value": {"packageName": package, "version": version}},
            {"type": "olm.gvk", "value": {"group": hostile("g"), "kind": hostile("K"), "version": "v1"}},
            {"type": "olm.package.required", "value": {"packageName": requires, "versionRange": ">=1.0.0"}},
            {"type": "olm.constraint", "value": {"failureMessage": hostile("fails"), "cel": {"rule": "false"}}},
            {"type": hostile("type"), "value": hostile("value")},
            {"type": "olm.maxOpenShiftVersion", "value": "4.15"},
            {"type": "olm.csv.metadata", "value": {
                "displayName": hostile("shown"), "description": hostile("long"), "provider": {"name": hostile("by")},
                "links": [{"name": hostile("link"), "url": hostile("https://x/")}],
                "maintainers": [{"name": hostile("who"), "email": hostile("a@b")}], "keywords": [hostile("word")],
                "annotations": {"capabilities": hostile("c"), "categories": hostile("c"), "description": hostile("d")},
                "installModes": [{"type": "AllNamespaces", "supported": true}], "minKubeVersion": "1.20.0",
                "crdDescriptions": {"owned": [{"name": hostile("ks.g"), "version": "v1", "kind": hostile("K")}]}}}],
            "relatedImages": [{"name": hostile("image"), "image": hostile("q.io/x:")}]})
    };
    vec![
        json!({"schema": "olm.package", "name": package, "defaultChannel": stable, "description": hostile("d")}),
        json!({"schema": "olm.channel", "package": package, "name": stable, "entries": [
            {"name": bundle("1.1.0"), "replaces": bundle("1.0.0"), "skips": [hostile("gone")], "skipRange": "<1.1.0"}, {"name": bundle("1.0.0")}]}),
        json!({"schema": "olm.channel", "package": package, "name": candidate, "entries": [{"name": bundle("1.1.0")}]}),
        blob("1.0.0"),
        blob("1.1.0"),
        json!({"schema": "olm.deprecations", "package": package, "entries": [
            {"reference": {"schema": "olm.package"}, "message": hostile("old")},
            {"reference": {"schema": "olm.channel", "name": stable}, "message": hostile("old")},
            {"reference": {"schema": "olm.bundle", "name": bundle("1.0.0")}, "message": hostile("old")}]}),
    ]
}

fn catalog(documents: &[Value]) -> String {
    documents.iter().map(|it| it.to_string() + "\n").collect()
}

/// Fails if a line begins like a command, or if a control character is printed. A command runs even with white space
/// before it.
fn assert_tame(what: &str, text: &str) {
    for line in text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        assert!(!line.trim_start().starts_with("::"), "{what}\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{what}\n{text}");
}

#[test]
fn no_text_of_a_catalog_begins_a_line() {
    let directory = scratch();
    let base = directory.path();
    let package = hostile("p");
    write(base, "named/c.json", catalog(&documents(true, "other")));
    write(base, "plain/c.json", catalog(&documents(false, "other")));
    let mut broken = documents(true, &hostile("other"));
    broken.push(json!({"schema": "olm.channel", "package": hostile("q"), "name": hostile("c"), "entries": [{"name": hostile("b")}, {"name": hostile("b")}]}));
    write(base, "broken/c.json", catalog(&broken));
    write(
        base,
        "broken/d.yaml",
        "schema: \"olm.bundle\\n::error ::x\"\nname: \"a\\n::error ::x\"\n---\n- \"\\n::error ::x\"\n",
    );
    write(base, "old/c.json", catalog(&documents(true, "other")).replace("1.0.0", "0.9.0"));
    let old = hostile("p.v1.0.0.");
    let new = hostile("p.v1.1.0.");
    let stable = hostile("stable");
    let of = format!("{package}@1.0.0");
    let (kind, message) = (hostile("K"), hostile("m"));
    let mut n_asked = 0;
    let mut ask = |words: &[&str]| {
        let answer = olmdex(words).in_directory(base).answer();
        assert!(!matches!(answer.code, Some(70) | None), "{words:?}: {}", answer.both());
        assert_tame(&format!("{words:?}, standard output"), &answer.out());
        assert_tame(&format!("{words:?}, standard error"), &answer.err());
        n_asked += 1;
    };
    ask(&["build", "named", "--keep-going", "-o", "named.db"]);
    ask(&["build", "broken", "--keep-going", "-o", "broken.db"]);
    ask(&["build", "broken", "-o", "none.db"]);
    ask(&["build", "plain", "-o", "plain.db"]);
    for catalog in ["named", "broken", "plain", "named.db", "broken.db", "plain.db"] {
        let (p, at, from, to, channel) = match catalog.starts_with("plain") {
            true => ("p", "p@1.0.0", "p.v1.0.0.", "p.v1.1.0.", "stable"),
            false => (package.as_str(), of.as_str(), old.as_str(), new.as_str(), stable.as_str()),
        };
        let input = ["-i", catalog];
        for words in [
            &["list", "packages"][..],
            &["list", "channels"],
            &["list", "bundles"],
            &["list", "bundles", p],
            &["show", p],
            &["show", at],
            &["show", from],
            &["search", "shown"],
            &["search", "nothing\n::error ::x"],
            &["updates", at],
            &["updates", from],
            &["path", at],
            &["why-not", p, "--installed", "1.0.0"],
            &["graph", p, "-o", "mermaid"],
            &["graph", p, "-o", "dot"],
            &["check-graph"],
            &["check-graph", p],
            &["compat", p, "--openshift", "4.16"],
            &["resolve", "--install", p],
            &["resolve", "--install", "other", "--installed", at],
            &["deps", at],
            &["deps", from],
            &["provides", &kind],
            &["requires", p],
            &["images", p],
            &["simulate", "--deprecate", from],
            &["lock", p, "--dry-run"],
            &["edit", "deprecate", from, "--message", &message, "--dry-run"],
        ] {
            ask(&[words, &input].concat());
        }
        ask(&["why-not", p, "--installed", "1.0.0", "--channel", channel, "-i", catalog]);
        ask(&["why-not", to, "--installed", "1.0.0", "-i", catalog]);
        ask(&["export", "--site", &format!("{catalog}.site"), catalog]);
        ask(&["diff", "old", catalog]);
        ask(&["diff", "old", catalog, "-o", "markdown"]);
        ask(&["export", "--legacy", "-o", &format!("{catalog}.legacy.db"), catalog]);
    }
    for catalog in ["named", "broken", "plain"] {
        ask(&["validate", catalog]);
        ask(&["validate", catalog, "--profile", "community,certified"]);
        ask(&["info", &format!("{catalog}.db")]);
        ask(&["migrate", catalog, &format!("{catalog}.migrated"), "--keep-going"]);
    }
    let no = "no bundles found for package \"x\n::error ::x\"";
    ask(&["explain-message", no]);
    ask(&["explain-message", "constraints not satisfiable: \n::error ::x"]);
    ask(&["list", "rubbish\n::error ::x"]);
    ask(&["show", "x", "--rubbish\n::error ::x"]);
    // A workflow command counts only at the beginning of a line, so each form of white space before it is tried.
    write(base, "said.txt", "\t::error ::x\r::error ::x\u{b}::error ::x\n::error ::x");
    ask(&["explain-message", &std::fs::read_to_string(base.join("said.txt")).unwrap()]);
    assert!(n_asked > 150, "{n_asked}");
}

/// Finding S20: a cell of CSV put `::error` at the beginning of a line, and so did lists of names and tables.
#[test]
fn no_cell_begins_a_command() {
    let directory = scratch();
    let base = directory.path();
    let package = "::error file=a::pwned";
    let documents = [
        json!({"schema": "olm.package", "name": package, "defaultChannel": "c", "description": "a\n::error ::x\n  ::y"}),
        json!({"schema": "olm.channel", "package": package, "name": "c", "entries": [{"name": "  ::warning ::x.v1.0.0"}]}),
        json!({"schema": "olm.bundle", "package": package, "name": "  ::warning ::x.v1.0.0", "image": "::notice ::x",
            "properties": [{"type": "olm.package", "value": {"packageName": package, "version": "1.0.0"}}]}),
    ];
    write(base, "c/c.json", catalog(&documents));
    let selected = "SELECT '', ' ', package, description FROM v_package";
    let names = "SELECT bundle, image FROM v_bundle";
    for command in [
        &["list", "packages"][..],
        &["list", "bundles"],
        &["list", "channels"],
        &["sql", selected],
        &["sql", names],
        &["sql", "SELECT description FROM v_package"],
        &["images", package],
        &["search", "x"],
        &["show", package],
    ] {
        for form in ["csv", "name", "table", "wide", "markdown"] {
            let answer = olmdex([command, &["-i", "::catalog=c", "-i", "c", "-o", form, "--no-headers"]].concat());
            let plain = olmdex([command, &["-i", "c", "-o", form]].concat());
            for answer in [answer, plain] {
                let answer = answer.in_directory(base).answer();
                assert_tame(&format!("{command:?} {form}"), &answer.out());
                assert_tame(&format!("{command:?} {form}"), &answer.err());
            }
        }
    }
    // Data stay as they are where quotes are enough.
    let csv = olmdex(["list", "packages", "-i", "c", "-o", "csv"]).in_directory(base).answer().out();
    assert!(csv.contains("\"::error file=a::pwned\""), "{csv}");
}

/// Finding S20: an error of SQL repeated a token of 120 KB.
#[test]
fn errors_of_sql_are_short() {
    let directory = scratch();
    write(directory.path(), "c/c.json", catalog(&documents(false, "other")));
    let long = "x".repeat(120_000);
    for statement in [
        format!("SELECT {long}"),
        format!("SELECT 1 FROM {long}"),
        format!("SELECT {long}(1)"),
        long.clone(),
        format!("SELECT 1 AS a ORDER BY \"{long}\" 'x'"),
        format!("SELECT json('{long}')"),
        format!("SELECT semver_compare('{long}', '1')"),
        format!("SELECT semver_in_range('1.0.0', '{long}')"),
    ] {
        let answer = olmdex(["sql", &statement, "-i", "c"]).in_directory(directory.path()).answer();
        assert!(answer.err().len() < 2000, "{} bytes: {}", answer.err().len(), &answer.err()[..300]);
    }
}
