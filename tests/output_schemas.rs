//! The published schemas of JSON output say what is printed.
//!
//! `OLMDEX_BLESS=1 cargo test --test output_schemas` writes them anew.

use std::path::Path;

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/output");
    for (kind, schema) in olmdex::cli::output::schemas() {
        let path = directory.join(format!("{kind}.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("OLMDEX_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(published, text, "{} is out of date: run the test with OLMDEX_BLESS=1", path.display());
    }
    let n_published = std::fs::read_dir(directory).unwrap().count();
    assert_eq!(n_published, olmdex::cli::output::schemas().len(), "a schema of no output is left in schema/output");
}
