//! White space before, between and after documents, in the view of opm's reader (`docs/behaviour/fbc.md` 1.3).

use std::sync::Arc;

use olmdex::ask::check_catalog;
use olmdex::fbc::Input;

use crate::support::{olmdex, scratch, write};

/// The characters that Go takes for white space, and those that look like it.
const SPACES: &[char] = &['\t', '\u{b}', '\u{c}', '\r', ' ', '\u{85}', '\u{a0}', '\u{2003}', '\u{2028}', '\u{3000}'];
const OTHERS: &[char] = &['\u{feff}', '\u{200b}', '\0', '\u{1c}'];

const FLOW: &str = "{schema: olm.package, name: a, defaultChannel: s}";
const PACKAGE: &str = r#"{"schema":"olm.package","name":"a","defaultChannel":"s"}"#;
const CHANNEL: &str = r#"{"schema":"olm.channel","package":"a","name":"s","entries":[{"name":"a.v1"}]}"#;
const BUNDLE: &str = r#"{"schema":"olm.bundle","package":"a","name":"a.v1","image":"q.io/a:1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}"#;

/// opm's message about a file; nothing if it takes it.
fn verdict(text: String) -> Option<String> {
    check_catalog(&Input::bytes("f.yaml", Arc::from(text.into_bytes())), None).opm
}

/// The documents that follow the first, as YAML.
fn rest() -> String {
    format!("\n---\n{CHANNEL}\n---\n{BUNDLE}\n")
}

#[test]
fn space_before_a_flow_mapping_or_an_object_is_passed_over() {
    for space in SPACES {
        for first in [FLOW, PACKAGE] {
            for before in [format!("{space}"), format!("{space} {space}"), format!("{space}\n")] {
                let found = verdict(format!("{before}{first}{}", rest()));
                assert_eq!(found, None, "{before:?} before {first}");
            }
        }
    }
}

#[test]
fn what_is_no_space_makes_it_yaml_where_it_counts() {
    for other in OTHERS {
        let found = verdict(format!("{other}{FLOW}{}", rest()));
        // A byte order mark belongs to YAML's stream.
        assert_eq!(found.is_none(), *other == '\u{feff}', "{other:?}: {found:?}");
    }
}

#[test]
fn only_the_first_line_break_is_passed_over() {
    // The next line is YAML, in which a tab cannot start a token, and other spaces belong to a text.
    for space in ['\t', '\u{b}', '\u{a0}', '\u{3000}'] {
        let found = verdict(format!("{space}\n{space}{FLOW}{}", rest()));
        assert!(found.as_ref().is_some_and(|it| it.starts_with("json: offset ")), "{space:?}: {found:?}");
    }
    // Unicode's line separators are line breaks in YAML too.
    for space in [' ', '\r', '\u{85}', '\u{2028}'] {
        assert_eq!(verdict(format!("{space}\n{space}{FLOW}{}", rest())), None, "{space:?}");
    }
}

#[test]
fn space_between_an_object_and_a_flow_mapping_is_passed_over() {
    let channel = "{schema: olm.channel, package: a, name: s, entries: [{name: a.v1}]}";
    for space in SPACES {
        let found = verdict(format!("{PACKAGE}{space}{channel}\n---\n{BUNDLE}\n"));
        assert_eq!(found, None, "{space:?}");
    }
}

#[test]
fn space_that_json_does_not_know_ends_a_stream_of_objects() {
    for space in SPACES.iter().filter(|it| !['\t', '\r', ' '].contains(it)) {
        // After two objects, the reader tries nothing else.
        let found = verdict(format!("{PACKAGE}\n{CHANNEL}\n{BUNDLE}{space}\n"));
        assert!(found.as_ref().is_some_and(|it| it.starts_with("invalid character")), "{space:?}: {found:?}");
        // After one object, fewer than four bytes are ignored.
        for end in ["", "\n"] {
            let found = verdict(format!("{PACKAGE}{space}{end}"));
            assert!(found.as_ref().is_some_and(|it| it.starts_with("json: offset ")), "{space:?}: {found:?}");
        }
    }
    for space in ['\t', '\r', ' '] {
        assert_eq!(verdict(format!("{PACKAGE}\n{CHANNEL}\n{BUNDLE}{space}\n")), None, "{space:?}");
    }
}

#[test]
fn space_behind_a_separator_is_passed_over() {
    for space in SPACES {
        let found =
            verdict(format!("schema: olm.package\nname: a\ndefaultChannel: s\n---{space}\n{CHANNEL}\n---\n{BUNDLE}\n"));
        assert_eq!(found, None, "{space:?}");
    }
    let found = verdict(format!("schema: olm.package\nname: a\n---\u{200b}\n{CHANNEL}\n"));
    assert!(found.as_ref().is_some_and(|it| it.starts_with("invalid Yaml document separator")), "{found:?}");
}

/// A manifest in flow style, which is not JSON, behind white space.
#[test]
fn manifests_are_read_behind_space_too() {
    let manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n";
    let findings = |before: &str| {
        let directory = scratch();
        let copied =
            std::process::Command::new("cp").args(["-r", "fixtures/guides/bundle"]).arg(directory.path()).status();
        assert!(copied.unwrap().success());
        write(directory.path(), "bundle/manifests/settings.yaml", format!("{before}{manifest}"));
        olmdex(["bundle", "validate", "bundle"]).in_directory(directory.path()).answer().out()
    };
    let plain = findings("");
    for before in ["\t", "\u{b}", "\u{a0}", "\n", " \n"] {
        assert_eq!(findings(before), plain, "{before:?}");
    }
}
