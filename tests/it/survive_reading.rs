//! Inputs that a reader of catalogs must survive: the result for each, and no panic for any.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use olmdex::ask::check_catalog;
use olmdex::check::Report;
use olmdex::fbc::{Format, Input, Level, Rendering, Selection, Sorted};

use crate::support::{Answer, olmdex, scratch, write};

/// A valid catalog of one package, to put beside broken ones.
const GOOD: &str = include_str!("../../fixtures/catalogs/smallest/catalog.yaml");

/// The same as a stream of JSON.
const GOOD_JSON: &str = r#"{"schema": "olm.package", "name": "foo", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "foo", "name": "stable", "entries": [{"name": "foo.v1.0.0"}]}
{"schema": "olm.bundle", "package": "foo", "name": "foo.v1.0.0", "image": "quay.io/foo/foo:v1.0.0",
 "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": "1.0.0"}}]}
"#;

/// Runs both commands on a source and demands the exit codes of `validate` and of `render`.
#[track_caller]
fn both(source: &Path, validate_code: i32, render_code: i32) -> (Answer, Answer) {
    let validate = olmdex(["validate", "--all"]).arg(source).answer();
    validate.expect_code(validate_code);
    let render = olmdex(["render"]).arg(source).answer();
    render.expect_code(render_code);
    if render_code != 0 {
        assert!(render.stdout.is_empty(), "output before an error: {}", render.both());
        assert!(render.err().contains("error"), "{}", render.both());
    }
    (validate, render)
}

/// Runs both commands on a file of this text, and demands that `validate` finds this rule, or nothing.
#[track_caller]
fn both_on_text(text: impl AsRef<[u8]>, rule: Option<&str>) -> (Answer, Answer) {
    let directory = scratch();
    let file = write(directory.path(), "catalog", text);
    let (validate, render) = both(&file, rule.map_or(0, |_| 1), rule.map_or(0, |_| 3));
    if let Some(rule) = rule {
        validate.expect_words(&format!("error[{rule}]"));
        render.expect_words(&format!("error[{rule}]"));
    }
    (validate, render)
}

/// As `both_on_text`, each command within so many seconds of processor time. Returns the output of `validate`.
#[track_caller]
fn in_time(text: &str, rule: Option<&str>, seconds: u32) -> Answer {
    let directory = scratch();
    let file = write(directory.path(), "catalog", text);
    olmdex(["render"]).arg(&file).within(seconds).answer().expect_code(rule.map_or(0, |_| 3));
    let validate = olmdex(["validate", "--all"]).arg(&file).within(seconds).answer();
    validate
        .expect_code(rule.map_or(0, |_| 1))
        .expect_words(&rule.map_or_else(String::new, |it| format!("error[{it}]")));
    validate
}

/// The library's reading of a text, which both commands pass on: the findings, and the rendering unless there are
/// errors.
fn read(text: &[u8]) -> (Report, Option<Vec<u8>>) {
    let input = Input::bytes("catalog", Arc::from(text));
    let (selection, expansion) = (Selection { packages: &[] }, olmdex::json::Expansion::default());
    let mut sorted =
        Sorted::new(Rendering { format: Format::Json, level: Level::None, selection, expansion: &expansion });
    let defects = sorted.read(&input);
    (check_catalog(&input, None), defects.is_empty().then(|| sorted.to_vec().unwrap()))
}

#[test]
fn an_empty_file_is_an_empty_catalog_and_nothing_to_check() {
    let directory = scratch();
    let (validate, render) = both(&write(directory.path(), "catalog", ""), 1, 0);
    validate.expect_words("nothing to check");
    assert!(render.stdout.is_empty());
}

#[test]
fn empty_standard_input_is_an_empty_catalog_and_nothing_to_check() {
    olmdex(["validate", "-"]).answer().expect_code(1).expect_words("nothing to check");
    olmdex(["validate", "--compat", "opm", "-"]).answer().expect_code(0);
    olmdex(["render", "-"]).answer().expect_code(0);
}

#[test]
fn an_empty_directory_is_an_empty_catalog_and_nothing_to_check() {
    let directory = scratch();
    let (validate, render) = both(directory.path(), 1, 0);
    validate.expect_words("nothing to check");
    assert!(render.stdout.is_empty());
}

#[test]
fn a_missing_path_is_named_and_the_alternatives_too() {
    let directory = scratch();
    let (validate, render) = both(&directory.path().join("nothing-here"), 3, 3);
    for answer in [validate, render] {
        answer.expect_words("nothing-here` does not exist").expect_words("help: name a catalog directory");
        assert!(answer.stdout.is_empty());
    }
}

#[test]
fn a_path_below_a_file_cannot_be_opened() {
    let directory = scratch();
    let file = write(directory.path(), "file.yaml", GOOD);
    let (validate, _) = both(&file.join("below"), 3, 3);
    validate.expect_words("cannot read");
}

#[test]
fn a_link_to_a_directory_among_the_files_is_an_error_with_a_way_out() {
    let directory = scratch();
    write(directory.path(), "catalog/foo.yaml", GOOD);
    write(directory.path(), "elsewhere/bar.yaml", "schema: custom\n");
    symlink("../elsewhere", directory.path().join("catalog/linked")).unwrap();
    let (validate, _) = both(&directory.path().join("catalog"), 1, 3);
    validate.expect_words("error[E0001]").expect_words("linked").expect_words(".indexignore");
    write(directory.path(), "catalog/.indexignore", "linked\n");
    both(&directory.path().join("catalog"), 0, 0);
}

#[test]
fn a_root_that_is_a_link_works() {
    let directory = scratch();
    write(directory.path(), "catalog/foo.yaml", GOOD);
    symlink("catalog", directory.path().join("linked")).unwrap();
    both(&directory.path().join("linked"), 0, 0);
}

#[test]
fn an_unreadable_file_is_found_beside_readable_ones() {
    let directory = scratch();
    crate::support::open_to_all(directory.path());
    write(directory.path(), "foo.yaml", GOOD);
    crate::support::close_to_all(&write(directory.path(), "secret.yaml", GOOD));
    as_nobody(directory.path(), &[("validate", 1), ("render", 3)], "secret.yaml");
    // If it is the source itself, it cannot be opened at all.
    as_nobody(&directory.path().join("secret.yaml"), &[("validate", 3), ("render", 3)], "permission");
}

#[test]
fn an_unreadable_directory_is_found_beside_readable_ones() {
    let directory = scratch();
    crate::support::open_to_all(directory.path());
    write(directory.path(), "foo.yaml", GOOD);
    let closed = directory.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    crate::support::close_to_all(&closed);
    as_nobody(directory.path(), &[("validate", 1), ("render", 3)], "closed");
    as_nobody(&closed, &[("validate", 3), ("render", 3)], "permission");
}

/// Runs commands on a path without rights and demands their exit codes and a word.
#[track_caller]
fn as_nobody(path: &Path, commands: &[(&str, i32)], word: &str) {
    for (command, code) in commands {
        let answer = crate::support::as_nobody(&[OsStr::new(command), path.as_os_str()]);
        answer.expect_code(*code);
        let text = (answer.out() + &answer.err()).to_lowercase();
        assert!(text.contains(word) && text.contains("permission denied"), "{}", answer.both());
    }
}

#[test]
fn links_that_lead_nowhere_are_errors() {
    let directory = scratch();
    write(directory.path(), "foo.yaml", GOOD);
    symlink("b", directory.path().join("a")).unwrap();
    symlink("a", directory.path().join("b")).unwrap();
    symlink("absent.yaml", directory.path().join("dangling.yaml")).unwrap();
    let (validate, _) = both(directory.path(), 1, 3);
    validate.expect_words("dangling.yaml").expect_words("no such file");
    assert_eq!(validate.out().matches("error[E0001]").count(), 3, "{}", validate.both());
    let (validate, _) = both(&directory.path().join("a"), 3, 3);
    validate.expect_words("cannot read");
    both(&directory.path().join("dangling.yaml"), 3, 3);
}

#[test]
fn a_loop_of_directories_ends() {
    let directory = scratch();
    write(directory.path(), "inner/foo.yaml", GOOD);
    symlink("..", directory.path().join("inner/up")).unwrap();
    let (validate, _) = both(directory.path(), 1, 3);
    assert_eq!(validate.out().matches("error[").count(), 1, "{}", validate.both());
}

#[test]
fn a_pipe_among_the_files_is_not_waited_for() {
    let directory = scratch();
    write(directory.path(), "foo.yaml", GOOD);
    let made = std::process::Command::new("mkfifo").arg(directory.path().join("pipe")).status().unwrap();
    assert!(made.success());
    let (validate, _) = both(directory.path(), 1, 3);
    validate.expect_words("not a regular file");
}

#[test]
fn a_pipe_as_the_source_is_read() {
    let answer = olmdex(["validate"]).arg("/dev/stdin").stdin(GOOD).answer();
    answer.expect_code(0);
    let answer = olmdex(["render"]).arg("/dev/stdin").stdin(GOOD_JSON).answer();
    answer.expect_code(0);
    assert_eq!(answer.out().matches("\"schema\"").count(), 3);
}

#[test]
fn a_binary_file_is_refused() {
    both_on_text([0; 5000], Some("E0004"));
    both_on_text(b"\x7fELF\x02\x01\x01\0\0\0\0\0\x03\0>\0\x01\0\0\0", Some("E0004"));
    both_on_text(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xabVJ\xce\xc9\xccM", Some("E0004"));
    both_on_text(b"{\"schema\": \"olm.package\0\", \"name\": \"foo\"}", Some("E0002"));
    // Random bytes: they are not a catalog, and must not cause a crash.
    for seed in 1..200_u64 {
        let noise = noise(seed, 600);
        let (report, rendered) = read(&noise);
        assert!(!report.findings.is_empty() && rendered.is_none(), "seed {seed}");
        if seed % 20 == 0 {
            let directory = scratch();
            both(&write(directory.path(), "noise", &noise), 1, 3);
        }
    }
}

/// Bytes that look random and are the same every time.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    })
    .take(len)
    .collect()
}

#[test]
fn invalid_utf8_is_an_error_in_yaml_and_replaced_in_json() {
    let (validate, _) = both_on_text(b"schema: custom\nname: caf\xe9\n", Some("E0004"));
    validate.expect_words("catalog:2:10");
    let (_, render) = both_on_text(b"{\"schema\": \"custom\", \"name\": \"caf\xe9\"}", None);
    assert!(render.out().contains("caf\u{FFFD}"), "{}", render.both());
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    both_on_text(format!("\u{FEFF}{GOOD}"), None);
    // As in opm, a file that does not start with a brace is YAML, of which one document is read.
    let (_, render) = both_on_text("\u{FEFF}{\"schema\": \"custom\"}\n", None);
    assert_eq!(render.out(), "{\n    \"schema\": \"custom\"\n}\n");
    both_on_text(b"\xff\xfes\0c\0h\0e\0m\0a\0", Some("E0004"));
}

/// Documents with a field that has this many levels.
fn nested(levels: usize) -> Vec<(&'static str, String)> {
    // The document itself is the first level.
    let inner = levels - 1;
    let (open, close) = ("[".repeat(inner), "]".repeat(inner));
    let mut block = "schema: custom\nx:".to_owned();
    block.push('\n');
    let dashes = "- ".repeat(inner);
    let _ = writeln!(block, "{dashes}1");
    vec![
        ("JSON", format!("{{\"schema\": \"custom\", \"x\": {open}{close}}}")),
        ("YAML flow", format!("schema: custom\nx: {open}{close}\n")),
        ("YAML block", block),
    ]
}

#[test]
fn nesting_has_a_limit_and_no_stack() {
    for levels in [10_001, 100_000] {
        for (what, text) in nested(levels) {
            // The cost of deep blocks of YAML is quadratic, so the limit must come first.
            let rule = if what == "JSON" { "E0002" } else { "E0004" };
            let (validate, _) = both_on_text(&text, Some(rule));
            validate.expect_words("exceeded max depth");
        }
    }
    // Unclosed, and objects instead of lists.
    both_on_text("[".repeat(20_000), Some("E0004"));
    both_on_text("{\"a\":".repeat(20_000), Some("E0002"));
    both_on_text("a: {".repeat(20_000), Some("E0004"));
    both_on_text(format!("schema: custom\nx: {}", "? ".repeat(100_000)), Some("E0004"));
}

#[test]
fn nesting_ends_where_it_ends_for_opm() {
    // 9,999 levels inside the blob pass, and one more does not: these are the words of the specification, with the
    // document as a level. Indented JSON of them has 400 MB, beyond the limit of blanks; YAML of them has 20 KB.
    for (what, text) in nested(10_000) {
        let directory = scratch();
        let file = write(directory.path(), "catalog", text);
        olmdex(["validate"]).arg(&file).answer().expect_code(0);
        let render = olmdex(["render", "-o", "yaml"]).arg(&file).answer();
        render.expect_code(0);
        assert!(render.stdout.len() > 20_000, "{what}");
        olmdex(["render"]).arg(&file).answer().expect_code(5).expect_words("indentation");
    }
}

#[test]
fn an_alias_bomb_is_refused_without_being_expanded() {
    let mut bomb = "schema: custom\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let previous = level - 1;
        let items = vec![format!("*a{previous}"); 10].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{items}]");
    }
    let directory = scratch();
    let file = write(directory.path(), "bomb.yaml", &bomb);
    for command in ["validate", "render"] {
        let answer = olmdex([command]).arg(&file).after("ulimit -v 2000000").answer();
        answer.expect_code(if command == "validate" { 1 } else { 3 }).expect_words("excessive aliasing");
    }
    both_on_text("schema: custom\nx: &a [*a]\n", Some("E0004"));
    both_on_text("schema: custom\nx: *nowhere\n", Some("E0004"));
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    let (_, render) = both_on_text("schema: custom\nname: one\nname: two\n", None);
    assert!(render.out().contains("two") && !render.out().contains("one"), "{}", render.both());
    let (_, render) = both_on_text(r#"{"schema": "custom", "x": {"a": 1, "a": 2}}"#, None);
    assert!(render.out().contains("\"a\": 2") && !render.out().contains("\"a\": 1"), "{}", render.both());
    let (validate, _) = both_on_text("schema: custom\nname: one\nName: two\n", Some("E0006"));
    validate.expect_words("catalog:3:1").expect_words("letter case");
}

#[test]
fn many_keys_are_compared_in_time() {
    let mut text = String::from("{\"schema\": \"custom\"");
    for idx in 0..200_000 {
        let _ = write!(text, ", \"key{idx}\": {idx}");
    }
    text.push('}');
    in_time(&text, None, 30);
}

#[test]
fn the_rest_of_a_broken_stream_is_read_in_time() {
    let mut text = GOOD_JSON.to_owned();
    text.push_str(&"1 ".repeat(500_000));
    in_time(&text, Some("E0005"), 5);
}

#[test]
fn many_findings_of_one_document_are_placed_in_time() {
    for is_yaml in [true, false] {
        let mut text = if is_yaml {
            "schema: olm.channel\nname: stable\npackage: foo\nentries:\n".to_owned()
        } else {
            "{\"schema\": \"olm.channel\", \"name\": \"stable\", \"package\": \"foo\", \"entries\": [\n".to_owned()
        };
        for idx in 0..20_000 {
            if is_yaml {
                let _ = writeln!(text, "- name: {idx}");
            } else {
                let comma = if idx > 0 { "," } else { "" };
                let _ = writeln!(text, "{comma}{{\"name\": {idx}}}");
            }
        }
        text.push_str(if is_yaml { "" } else { "]}" });
        let validate = in_time(&text, Some("E0009"), 10);
        let last = if is_yaml { "catalog:20004:9" } else { "catalog:20001:11" };
        validate.expect_words(last);
    }
}

#[test]
fn a_stream_cut_anywhere_never_loses_documents_in_silence() {
    for text in [GOOD, GOOD_JSON] {
        let schemas = |text: &[u8]| text.windows(8).filter(|it| it.starts_with(b"\"schema\"")).count();
        for end in 0..text.len() {
            let cut = &text.as_bytes()[..end];
            let (_, rendered) = read(cut);
            // The program adds nothing but its standard input.
            if end % 100 == 50 {
                let validate = olmdex(["validate", "-"]).stdin(cut).answer();
                assert!(matches!(validate.code, Some(0 | 1)), "cut at {end}: {}", validate.both());
                let render = olmdex(["render", "-"]).stdin(cut).answer();
                assert_eq!(
                    render.code,
                    Some(if rendered.is_some() { 0 } else { 3 }),
                    "cut at {end}: {}",
                    render.both()
                );
                assert_eq!(render.stdout, rendered.clone().unwrap_or_default(), "cut at {end}: {}", render.both());
            }
            let Some(rendered) = rendered else { continue };
            // Every document that has begun is there; a cut line of YAML may be a complete line with another meaning.
            let begun = cut.windows(4).filter(|it| it == b"olm.").count();
            let (written, shown) = (schemas(&rendered), String::from_utf8_lossy(&rendered));
            let known = String::from_utf8_lossy(cut).matches("schema: ").count().max(schemas(cut));
            assert!(written <= begun.max(known) && written + 1 >= known, "cut at {end}: {shown}");
            if text == GOOD_JSON {
                assert_eq!(written, schemas(cut), "cut at {end}: {shown}");
            }
        }
    }
}

/// Values of every kind, as JSON.
const KINDS: &[(&str, &str)] = &[
    ("null", "null"),
    ("boolean", "true"),
    ("number", "1.5"),
    ("string", "\"text\""),
    ("list", "[[]]"),
    ("object", "{\"a\": {}}"),
];

/// Blobs, each with a hole (`@`) for one field.
const FIELDS: &[&str] = &[
    r#"{"schema": @}"#,
    r#"{"schema": "olm.package", "name": @}"#,
    r#"{"schema": "olm.package", "name": "foo", "package": @}"#,
    r#"{"schema": "olm.package", "name": "foo", "defaultChannel": @}"#,
    r#"{"schema": "olm.package", "name": "foo", "description": @}"#,
    r#"{"schema": "olm.package", "name": "foo", "icon": @}"#,
    r#"{"schema": "olm.package", "name": "foo", "icon": {"base64data": @}}"#,
    r#"{"schema": "olm.package", "name": "foo", "icon": {"mediatype": @}}"#,
    r#"{"schema": "olm.package", "name": "foo", "properties": @}"#,
    r#"{"schema": "olm.package", "name": "foo", "properties": [@]}"#,
    r#"{"schema": "olm.package", "name": "foo", "properties": [{"type": @}]}"#,
    r#"{"schema": "olm.package", "name": "foo", "properties": [{"type": "a", "value": @}]}"#,
    r#"{"schema": "olm.channel", "name": @}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": @}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": @}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [@]}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [{"name": @}]}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [{"name": "a", "replaces": @}]}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [{"name": "a", "skips": @}]}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [{"name": "a", "skips": [@]}]}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [{"name": "a", "skipRange": @}]}"#,
    r#"{"schema": "olm.channel", "name": "stable", "package": "foo", "properties": @}"#,
    r#"{"schema": "olm.bundle", "name": @}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": @}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "image": @}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "properties": @}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "properties": [@]}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "properties": [{"type": @, "value": 1}]}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "relatedImages": @}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "relatedImages": [@]}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "relatedImages": [{"name": @}]}"#,
    r#"{"schema": "olm.bundle", "name": "a", "package": "foo", "relatedImages": [{"image": @}]}"#,
    r#"{"schema": "olm.deprecations", "package": @}"#,
    r#"{"schema": "olm.deprecations", "package": "foo", "entries": @}"#,
    r#"{"schema": "olm.deprecations", "package": "foo", "entries": [@]}"#,
    r#"{"schema": "olm.deprecations", "package": "foo", "entries": [{"reference": @}]}"#,
    r#"{"schema": "olm.deprecations", "package": "foo", "entries": [{"reference": {"schema": @}}]}"#,
    r#"{"schema": "olm.deprecations", "package": "foo", "entries": [{"reference": {"name": @}}]}"#,
    r#"{"schema": "olm.deprecations", "package": "foo", "entries": [{"message": @}]}"#,
];

/// Properties, each with a hole for one field of its value.
const PROPERTIES: &[(&str, &str)] = &[
    ("olm.package", r"@"),
    ("olm.package", r#"{"packageName": @}"#),
    ("olm.package", r#"{"version": @}"#),
    ("olm.package", r#"{"release": @}"#),
    ("olm.package.required", r"@"),
    ("olm.package.required", r#"{"packageName": @}"#),
    ("olm.package.required", r#"{"versionRange": @}"#),
    ("olm.gvk", r"@"),
    ("olm.gvk", r#"{"group": @}"#),
    ("olm.gvk", r#"{"version": @}"#),
    ("olm.gvk.required", r#"{"kind": @}"#),
    ("olm.channel", r"@"),
    ("olm.channel", r#"{"channelName": @}"#),
    ("olm.channel", r#"{"priority": @}"#),
    ("olm.bundle.object", r"@"),
    ("olm.bundle.object", r#"{"data": @}"#),
    ("olm.csv.metadata", r"@"),
    ("olm.csv.metadata", r#"{"annotations": @}"#),
    ("olm.csv.metadata", r#"{"annotations": {"a": @}}"#),
    ("olm.csv.metadata", r#"{"keywords": [@]}"#),
    ("olm.csv.metadata", r#"{"installModes": [{"supported": @}]}"#),
    ("olm.csv.metadata", r#"{"crdDescriptions": {"owned": [{"resources": [{"name": @}]}]}}"#),
    ("olm.csv.metadata", r#"{"crdDescriptions": {"owned": [{"specDescriptors": [{"x-descriptors": @}]}]}}"#),
    ("olm.csv.metadata", r#"{"apiServiceDefinitions": {"required": [{"containerPort": @}]}}"#),
    ("olm.csv.metadata", r#"{"provider": {"url": @}}"#),
    ("olm.constraint", r"@"),
];

#[test]
fn values_of_the_wrong_kind_are_findings_wherever_they_stand() {
    let mut blobs: Vec<String> = FIELDS.iter().map(|it| (*it).to_owned()).collect();
    for (property, value) in PROPERTIES {
        blobs.push(format!(
            r#"{{"schema": "olm.bundle", "name": "a", "package": "foo", "image": "a", "properties": [{{"type": "{property}", "value": {value}}}]}}"#
        ));
    }
    for blob in blobs {
        // Each is a catalog of its own: the values, as JSON and as YAML.
        let directory = scratch();
        let mut files = Vec::new();
        for (kind, value) in KINDS {
            let text = blob.replace('@', value);
            for (form, text) in [("json", format!("{text}\n")), ("yaml", format!("---\n{text}\n"))] {
                read(text.as_bytes());
                files.push((*kind, write(directory.path(), &format!("{kind}.{form}"), &text), text));
            }
        }
        let paths = files.iter().map(|it| it.1.as_os_str());
        let answer = olmdex(["validate", "-o", "json"]).args(paths).answer();
        answer.expect_code(1);
        let findings: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
        for (kind, path, text) in &files {
            let of_file = |it: &&serde_json::Value| it["file"].as_str().is_some_and(|it| Path::new(it) == path);
            let items: Vec<_> = findings["items"].as_array().unwrap().iter().filter(of_file).collect();
            // None of these is a complete catalog, so there is always a finding, and never a crash.
            assert_eq!(items.is_empty(), blob.starts_with(r#"{"schema": @"#) && *kind == "string", "{text}");
            for item in items {
                let line = item["line"].as_u64().unwrap();
                let last = text.lines().count() as u64;
                assert!((1..=last).contains(&line) && item["column"].as_u64().unwrap() >= 1, "{text}: {item}");
            }
        }
    }
}

/// Names that somebody may put into a catalog to attack readers of our output.
const HOSTILE: &[&str] = &[
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31m",
    "a\rb",
    "a\nb",
    "a\u{8}\u{8}b",
    "\u{202e}gpj.exe",
    "'; DROP TABLE document; --",
    "\"quoted\" and 'quoted'",
    "<script>alert(1)</script>",
    "%0A::error::x",
    "../../etc/passwd",
    "a\u{2028}b",
];

#[test]
fn hostile_names_cannot_steer_a_terminal() {
    for name in HOSTILE {
        let quoted = serde_json::to_string(name).unwrap();
        // Put the name in every place from which a message may take it.
        let text = format!(
            r#"{{"schema": "olm.package", "name": {quoted}, "defaultChannel": {quoted}}}
{{"schema": "olm.channel", "name": {quoted}, "package": "foo", "entries": [{{"name": {quoted}, "skipRange": {quoted}}}, {{"name": {quoted}}}]}}
{{"schema": "olm.bundle", "name": {quoted}, "package": {quoted}, "image": {quoted}, "properties": [{{"type": {quoted}, "value": null}}, {{"type": "olm.gvk", "value": [{quoted}]}}]}}
{{"schema": "olm.deprecations", "package": {quoted}, "entries": [{{"reference": {{"schema": {quoted}, "name": {quoted}}}}}]}}
{{"schema": {quoted}, "package": {quoted}, {quoted}: 1}}
"#
        );
        let directory = scratch();
        // The file's name is hostile too, as far as the file system allows.
        let file_name = name.replace('/', "_");
        let file = write(directory.path(), &file_name, &text);
        for arguments in [&["validate"][..], &["validate", "--compat", "opm"], &["validate", "-o", "github"]] {
            let answer = olmdex(arguments).arg(directory.path()).answer();
            answer.expect_code(1);
            no_control_characters(name, &answer);
        }
        // JSON is data and has its own escapes, so no terminal gets the first byte of a sequence.
        for format in ["json", "sarif"] {
            let answer = olmdex(["validate", "-o", format]).arg(directory.path()).answer();
            assert!(answer.stdout.iter().all(|&byte| byte >= b' ' || byte == b'\n'), "{}", answer.both());
        }
        no_control_characters(name, &olmdex(["validate", "--explain"]).arg(name).answer());
        no_control_characters(name, &olmdex(["validate"]).arg(directory.path().join(name)).arg("absent").answer());
        // JSON carries the name whole.
        let answer = olmdex(["render"]).arg(&file).answer();
        answer.expect_code(0);
        assert!(!answer.stdout.contains(&0x1b));
        let blobs: Vec<serde_json::Value> =
            serde_json::Deserializer::from_slice(&answer.stdout).into_iter().map(Result::unwrap).collect();
        assert!(blobs.iter().any(|it| it["name"] == **name), "{name:?}: {}", answer.both());
    }
    // In YAML as the source line of a finding too.
    let (validate, _) =
        both_on_text("schema: olm.package\nname: \"a\rb\u{85}c\"\nicon: 1 # \u{202e}\r\n", Some("E0009"));
    no_control_characters("source line", &validate);
}

#[track_caller]
fn no_control_characters(what: &str, answer: &Answer) {
    for text in [answer.out(), answer.err()] {
        let found = text.chars().find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202A}'..='\u{202E}'));
        assert_eq!(found, None, "{what:?}: {}", answer.both());
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let directory = scratch();
    let mut text = String::new();
    for idx in 0..20_000 {
        let _ = writeln!(text, "{{\"schema\": \"custom\", \"name\": \"name-{idx}\"}}");
    }
    let file = write(directory.path(), "large.json", &text);
    let answer = olmdex(["render"]).arg(&file).piped("| head -1").answer();
    assert_eq!((answer.out(), answer.err()), ("{\n".to_owned(), String::new()));
    answer.expect_code(0);
    let broken = write(directory.path(), "broken.yaml", "---\nschema: olm.package\n".repeat(5_000));
    let answer = olmdex(["validate", "-q"]).arg(&broken).piped("| head -1").answer();
    assert_eq!(answer.err(), "");
    assert!(matches!(answer.code, Some(0 | 1)), "{}", answer.both());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn a_full_disk_is_an_error() {
    let answer = olmdex(["render", "-"]).stdin(GOOD).piped("> /dev/full").answer();
    answer.expect_words("cannot write the output");
    assert!(answer.code.is_some_and(|it| it != 0 && it != 70), "{}", answer.both());
    let answer = olmdex(["validate", "-"]).stdin("schema: olm.package\n").piped("> /dev/full").answer();
    answer.expect_words("cannot write the output");
    assert!(answer.code.is_some_and(|it| it != 0 && it != 70), "{}", answer.both());
}

#[test]
fn closed_standard_streams_do_no_harm() {
    for redirection in [">&-", "2>&-", ">&- 2>&-"] {
        let answer = olmdex(["validate", "-"]).stdin("schema: olm.package\n").piped(redirection).answer();
        assert!(answer.code.is_some_and(|it| it != 70 && it < 100), "{redirection}: {}", answer.both());
    }
}

#[test]
fn ten_thousand_files_are_one_catalog() {
    let directory = scratch();
    for idx in 0..10_000 {
        let name = format!("{}/{idx}.json", idx % 100);
        write(directory.path(), &name, format!("{{\"schema\": \"custom\", \"package\": \"p\", \"name\": \"{idx}\"}}"));
    }
    // Fewer files may be open than there are.
    let answer = olmdex(["render"]).arg(directory.path()).after("ulimit -n 64").answer();
    answer.expect_code(0);
    assert_eq!(answer.out().matches("\"schema\"").count(), 10_000);
    olmdex(["validate"]).arg(directory.path()).after("ulimit -n 64").answer().expect_code(0);
}

#[test]
fn deep_directories_are_walked() {
    let directory = scratch();
    let deep = "d/".repeat(500);
    write(directory.path(), &format!("{deep}foo.yaml"), GOOD);
    both(directory.path(), 0, 0);
}

#[test]
fn names_of_files_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt as _;
    let directory = scratch();
    std::fs::write(directory.path().join(OsStr::from_bytes(b"caf\xe9.yaml")), "schema: olm.package\n").unwrap();
    let answer = olmdex(["validate"]).arg(directory.path()).answer();
    answer.expect_code(1);
    answer.expect_words("caf\u{FFFD}.yaml:1:1");
}

/// Writes `count` times `block` to a file and runs a command on it with bounded memory.
fn on_large_file(command: &str, head: &str, block: &str, count: usize, tail: &str, kilobytes: usize) -> Answer {
    use std::io::Write as _;
    let directory = scratch();
    let path = directory.path().join("large");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    file.write_all(head.as_bytes()).unwrap();
    for _ in 0..count {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.write_all(tail.as_bytes()).unwrap();
    file.into_inner().unwrap();
    olmdex([command]).arg(&path).after(&format!("ulimit -v {kilobytes}")).answer()
}

#[test]
#[ignore = "needs 500 MB of disk and minutes"]
fn a_line_of_500_megabytes_is_read_once_in_bounded_memory() {
    // The document is one value, so it is kept as text twice, once as input and once as output.
    let block = "x".repeat(1 << 20);
    let answer = on_large_file("validate", "{\"schema\": \"custom\", \"x\": \"", &block, 500, "\"}\n", 2_500_000);
    answer.expect_code(0);
    let answer = on_large_file("validate", "{\"schema\": \"custom\", \"x\": \"", &block, 500, "", 2_500_000);
    // It is no JSON, and a token of YAML may have 32 MiB.
    answer.expect_code(5).expect_words("long tokens expand");
    let answer = on_large_file("validate", "schema: custom\nx: ", &block, 500, "\n", 4_500_000);
    answer.expect_code(5).expect_words("long tokens expand");
}

#[test]
#[ignore = "needs 2 GB of disk and minutes"]
fn two_gigabytes_of_documents_are_read_in_the_memory_of_a_few() {
    let blob = format!("{{\"schema\": \"custom\", \"name\": \"x\", \"text\": \"{}\"}}\n", "x".repeat(1 << 16));
    let answer = on_large_file("validate", "", &blob, 33_000, "", 500_000);
    answer.expect_code(0);
}

/// A catalog file of this text, and what `validate --compat opm` prints about it.
#[track_caller]
fn as_opm(text: impl AsRef<[u8]>) -> String {
    let directory = scratch();
    let file = write(directory.path(), "catalog", text);
    let answer = olmdex(["validate", "--compat", "opm"]).arg(&file).answer();
    answer.expect_code(1);
    answer.err().trim_end().trim_start_matches("error: ").to_owned()
}

// B12: opm's output, word for word.
#[test]
fn the_words_for_broken_files_are_those_of_opm() {
    let icon = |data: &str| format!(r#"{{"schema": "olm.package", "name": "p", "icon": {{"base64data": "{data}"}}}}"#);
    let base64 = |at: usize| {
        format!(
            "parse package: json: cannot unmarshal string into Go struct field Package.icon.base64data of type []uint8: \
             illegal base64 data at input byte {at}"
        )
    };
    let name = |number: &str, printed: &str| {
        let told = format!("expected value for key \"name\" to be a string, got %!t(float64={printed}): {printed}");
        (format!("schema: x\nname: {number}\n"), format!("error unmarshaling JSON: while decoding JSON: {told}"))
    };
    let yaml = |text: &str, problem: &str| (text.to_owned(), format!("error converting YAML to JSON: yaml: {problem}"));
    let object = |found: &str, offset: usize, shown: &str| {
        format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value of type \
             map[string]interface {{}} at offset {offset} (indicated by <==)\n{shown}"
        )
    };
    let key = |offset: usize, shown: &str| {
        format!("json: offset {offset}: invalid character {shown} looking for beginning of object key string")
    };
    let cases = [
        // Characters as Go quotes them.
        ("{\0}".to_owned(), key(2, r"'\x00'")),
        ("{\x07}".to_owned(), key(2, r"'\a'")),
        ("{\x7f}".to_owned(), key(2, r"'\x7f'")),
        ("{\u{9b}}".to_owned(), key(3, r"'\u009b'")),
        ("{\u{301}\0}".to_owned(), key(3, "'\u{301}'")),
        // The place at which Go stops in invalid base64: the start of a group that is cut off, with line breaks
        // counted.
        (icon("aGk"), base64(0)),
        (icon("aGlvaG"), base64(4)),
        (icon("aGlv\\naGk"), base64(5)),
        (icon("aGlva"), base64(4)),
        (icon("aG=="), String::new()),
        (icon("aG="), base64(3)),
        (icon("aG=k"), base64(2)),
        (icon("aG==k"), base64(4)),
        (icon("aGk=aGk="), base64(4)),
        (icon("a==="), base64(1)),
        (icon("=aGk"), base64(0)),
        (icon("aG k"), base64(2)),
        // Numbers as `%v` prints them.
        name("123456789.12345679", "1.2345678912345679e+08"),
        name("999999", "999999"),
        name("1000000", "1e+06"),
        name("-1234567", "-1.234567e+06"),
        name("0.0001", "0.0001"),
        name("0.00001", "1e-05"),
        // Items of lists, whatever their type.
        (
            r#"{"schema": "olm.bundle", "name": "b", "properties": [5]}"#.to_owned(),
            "parse bundle: json: cannot unmarshal number into Bundle.properties.0 of type property.Property".to_owned(),
        ),
        (
            r#"{"schema": "olm.channel", "name": "c", "entries": [{}, true]}"#.to_owned(),
            "parse channel: json: cannot unmarshal bool into Channel.entries.1 of type declcfg.ChannelEntry".to_owned(),
        ),
        (
            r#"{"schema": "olm.channel", "name": "c", "entries": [{"skips": 1}]}"#.to_owned(),
            "parse channel: json: cannot unmarshal number into Go struct field Channel.entries.0.skips of type []string"
                .to_owned(),
        ),
        // A value that is not an object is shown as JSON for HTML.
        ("- '>=1 <2 & x'\n".to_owned(), object("array", 1, "[ <== \n    \"\\u003e=1 \\u003c2 \\u0026 x\"\n]")),
        ("a<b\n".to_owned(), object("string", 10, "\"a\\u003cb\" <==")),
        // Empty collections where a key belongs.
        yaml("schema: x\n[]\n", "line 1: did not find expected key"),
        yaml("---\na: b\nc:\n- d\n{ # e\n}\n", "line 4: did not find expected key"),
        yaml("a:\n  - b\n  []\n", "line 2: did not find expected '-' indicator"),
        yaml("schema: x\n[a]\n", "line 3: could not find expected ':'"),
        // UTF-16 that is cut off: the newline behind the last line is half a character.
        (String::from("utf-16"), "error converting YAML to JSON: yaml: incomplete UTF-16 character".to_owned()),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases.into_iter().filter(|(_, expected)| !expected.is_empty()) {
        let bytes = if text == "utf-16" { utf16("schema: x", u16::to_be_bytes) } else { text.clone().into_bytes() };
        let told = as_opm(bytes);
        if !told.ends_with(&expected) {
            wrong.push(format!("{text:?}\n  expected {expected:?}\n  found    {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A text in UTF-16 with its byte order mark.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
}

// B12: opm reads big-endian UTF-16 with a mark and a newline at the end; in little-endian text it cuts the last
// newline.
#[test]
fn utf_16_is_read_where_opm_reads_it() {
    let document = "schema: example.com/x\npackage: foo\nnote: ü😀Ċ\n";
    let (_, render) = both_on_text(utf16(document, u16::to_be_bytes), None);
    assert!(render.out().contains("ü😀Ċ"), "{}", render.both());
    both_on_text(utf16(document, u16::to_le_bytes), Some("E0004"));
    both_on_text(utf16("schema: example.com/x", u16::to_be_bytes), Some("E0004"));
    // A line splitter takes the last byte of this letter for a newline, so it adds none behind it.
    both_on_text(utf16(document.trim_end(), u16::to_be_bytes), None);
    // Places are shown in the text, not in its bytes.
    let broken = utf16("schema: olm.package\nname: foo\ndefaultChannel: [1]\n", u16::to_be_bytes);
    let (validate, _) = both_on_text(broken, Some("E0009"));
    validate.expect_words("catalog:3:17").expect_words(" 3 | defaultChannel: [1]");
}

// A12: the limit of open files is not a lack of permission.
#[test]
fn too_many_open_files_are_told_as_such() {
    let directory = scratch();
    let catalog = directory.path().join("catalog");
    write(&catalog, "a/catalog.yaml", GOOD);
    let file = write(directory.path(), "catalog.yaml", GOOD);
    for limit in 4..12 {
        for source in [&catalog, &file] {
            let answer = olmdex(["validate"]).arg(source).after(&format!("ulimit -n {limit}")).answer();
            assert!(!answer.err().contains("permission"), "{limit}: {}", answer.both());
        }
    }
}
