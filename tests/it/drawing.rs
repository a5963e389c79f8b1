//! Drawings and checks of upgrade graphs, as users see them.

use std::fmt::Write as _;

use crate::support::{olmdex, scratch, write};

/// A package `p` with a chain of `n` entries in one channel. After each minor version in `twice` comes an entry of the same
/// precedence, which skips the one before.
fn chain(n: usize, twice: &[usize]) -> String {
    let (mut entries, mut bundles) = (String::new(), String::new());
    let mut add = |name: &str, version: &str, fields: &str| {
        let _ = writeln!(entries, "- name: {name}\n{fields}");
        let _ = write!(
            bundles,
            "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: example.com/p:1\nproperties:\n- type: olm.package\n  \
             value: {{packageName: p, version: {version}}}\n"
        );
    };
    let mut before = None;
    for minor in 0..n {
        let name = format!("p.v2.{minor}.0");
        let replaces = before.map(|it| format!("  replaces: {it}")).unwrap_or_default();
        add(&name, &format!("2.{minor}.0"), &replaces);
        before = Some(if twice.contains(&minor) {
            let twin = format!("{name}-b");
            add(&twin, &format!("2.{minor}.0+b"), &format!("{replaces}\n  skips: [{name}]"));
            twin
        } else {
            name
        });
    }
    format!(
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{entries}{bundles}"
    )
}

// B11: opm sorts with Go's unstable sort, whose order of equals depends on how long the list is.
#[test]
fn entries_of_equal_precedence_stand_in_the_order_of_opm() {
    for (n, twice, expected, classes) in [
        (8, [3, 6], ["p.v2.6.0 p.v2.6.0-b", "p.v2.3.0 p.v2.3.0-b"], vec![]),
        (14, [3, 9], ["p.v2.9.0-b p.v2.9.0", "p.v2.3.0-b p.v2.3.0"], vec!["class p-c-p.v2.3.0,p-c-p.v2.9.0 skipped"]),
    ] {
        let directory = scratch();
        let file = write(directory.path(), "catalog.yaml", chain(n, &twice));
        let nodes = |more: &[&str]| {
            let answer = olmdex(["graph", "p", "-i"]).arg(&file).args(more).answer();
            answer.expect_code(0);
            answer.out()
        };
        let plain = nodes(&[]);
        let order: Vec<&str> = plain
            .lines()
            .filter_map(|it| it.trim().strip_prefix("p-c-")?.split_once('[')?.1.strip_suffix("\"]"))
            .collect();
        let order: Vec<&str> = order.into_iter().filter(|it| !it.contains("--")).map(|it| &it[1..]).collect();
        let of_twins: Vec<&str> =
            order.iter().copied().filter(|it| twice.iter().any(|minor| it.contains(&format!(".{minor}.0")))).collect();
        assert_eq!(of_twins.join(" "), expected.join(" "), "{n} entries:\n{plain}");
        let semantics = nodes(&["--draw-v0-semantics"]);
        // Which of the two is marked follows from the order.
        let marked: Vec<&str> = semantics.lines().filter(|it| it.trim().starts_with("class ")).collect();
        assert_eq!(marked.iter().map(|it| it.trim()).collect::<Vec<_>>(), classes, "{n} entries:\n{semantics}");
    }
}

/// A package `foo` with one channel of these entries, and bundles of these names and versions; without a version, a bundle
/// has no `olm.package`.
fn package(entries: &str, bundles: &[(&str, Option<&str>)]) -> String {
    let mut text = format!(
        "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\n\
         entries:\n{entries}"
    );
    for (name, version) in bundles {
        let _ = write!(text, "---\nschema: olm.bundle\npackage: foo\nname: {name}\nimage: example.com/foo:1\n");
        if let Some(version) = version {
            let _ =
                write!(text, "properties:\n- type: olm.package\n  value: {{packageName: foo, version: {version}}}\n");
        }
    }
    text
}

// B16: the real tool speaks of several packages where there is none.
#[test]
fn a_bundle_without_a_package_has_none_and_not_several() {
    let directory = scratch();
    let file = write(directory.path(), "catalog.yaml", package("- name: foo.v1.0.0\n", &[("foo.v1.0.0", None)]));
    let answer = olmdex(["graph", "-i"]).arg(&file).answer();
    answer.expect_code(3).expect_words("bundle `foo.v1.0.0` has no `olm.package` property");
    let answer = olmdex(["graph", "--compat", "opm", "-i"]).arg(&file).answer();
    answer
        .expect_code(3)
        .expect_words("bundle \"foo.v1.0.0\" has multiple \"olm.package\" properties, expected exactly 1");
}

// B16: a newer entry that replaces itself is not helped by an older head that skips it.
#[test]
fn an_older_head_is_never_told_to_skip_a_newer_entry() {
    let directory = scratch();
    let text = package(
        "- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v2.0.0\n",
        &[("foo.v1.0.0", Some("1.0.0")), ("foo.v2.0.0", Some("2.0.0"))],
    );
    let file = write(directory.path(), "catalog.yaml", text);
    let answer = olmdex(["check-graph", "foo", "-i"]).arg(&file).answer();
    answer.expect_code(1).expect_words("take foo.v2.0.0 out of its own replaces and skips");
    assert!(!answer.both().contains("to the skips of foo.v1.0.0"), "{}", answer.both());
}

// B16: what `validate` refuses has no good graph.
#[test]
fn an_invalid_catalog_fails_the_check_of_its_graph() {
    let cases = [
        ("- name: foo.v1.0.0\n  skipRange: no range\n", Some("1.0.0")),
        ("- name: foo.v1.0.0\n- name: foo.v0.9.0\n", Some("1.0.0")),
        ("- name: foo.v1.0.0\n", None),
    ];
    for (entries, version) in cases {
        let directory = scratch();
        let file = write(directory.path(), "catalog.yaml", package(entries, &[("foo.v1.0.0", version)]));
        let answer = olmdex(["check-graph", "-i"]).arg(&file).answer();
        answer.expect_code(1).expect_words("is not valid");
    }
}

// B12: opm lists what `olm.package` names; other documents may name packages that the catalog does not have.
#[test]
fn packages_without_a_document_of_their_own_are_not_listed_as_opm_lists_them() {
    let directory = scratch();
    let text = package("- name: foo.v1.0.0\n", &[("foo.v1.0.0", Some("1.0.0"))]);
    write(directory.path(), "catalog.yaml", text);
    write(directory.path(), "other.yaml", "schema: example.com/note\npackage: elsewhere\n");
    let answer = olmdex(["list", "packages", "--compat", "opm", "-i"]).arg(directory.path()).answer();
    answer.expect_code(0).expect_words("foo");
    assert!(!answer.out().contains("elsewhere"), "{}", answer.both());
}
