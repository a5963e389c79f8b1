//! The published schemas of JSON output agree with the output.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::asking::cases;
use crate::support::recording::expect_recorded;
use crate::support::schema::misfits;

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/output");
    let files: Vec<_> = olmdex::cli::schemas()
        .into_iter()
        .map(|(kind, schema)| {
            let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
            (directory.join(format!("{kind}.json")), text)
        })
        .collect();
    expect_recorded("output_schemas", &files);
    let n_published = std::fs::read_dir(directory).unwrap().count();
    assert_eq!(n_published, files.len(), "a schema of no output is left in schema/output");
}

#[test]
fn what_is_printed_fits_the_published_schemas() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = std::collections::BTreeSet::new();
    let mut check = |name: &str, text: &str| {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
        let Some(kind) = value["kind"].as_str() else { return };
        let schema = package.join(format!("schema/output/{kind}.json"));
        let found = misfits(&schema, &value);
        assert!(found.is_empty(), "{name}: {found:?}");
        seen.insert(kind.to_owned());
    };
    for case in cases() {
        let text = std::fs::read_to_string(&case.file).unwrap();
        let output = text.split("--- standard output\n").nth(1).and_then(|it| it.split("--- standard error\n").next());
        check(&case.file.display().to_string(), output.unwrap_or_default());
    }
    let findings = package.join("fixtures/five-mistakes/out/validate.json");
    check("findings", &std::fs::read_to_string(findings).unwrap());
    let info = crate::support::olmdex(["info", "fixtures/shop/in", "-o", "json"]).in_directory(package).answer();
    check("info", &info.out());
    let scratch = crate::support::scratch();
    let legacy = scratch.path().join("legacy.db");
    let export = crate::support::olmdex(["export", "--legacy", "fixtures/shop/in", "-q", "-o"]).arg(&legacy);
    export.in_directory(package).answer().expect_code(0);
    let info = crate::support::olmdex(["info", "-o", "json"]).arg(&legacy).answer();
    check("info of a legacy file", &info.out());
    let kinds: std::collections::BTreeSet<String> =
        olmdex::cli::schemas().into_iter().map(|(kind, _)| kind.to_owned()).collect();
    assert_eq!(seen, kinds, "every kind of output is recorded somewhere");
}
