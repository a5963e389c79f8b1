//! The schema in its readable form, and the views.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::support::recording::expect_recorded;
use olmdex::fbc::Input;
use olmdex::index::query::{Filter, SqlLimits, SqlValue};
use olmdex::index::{APPLICATION_ID, Builder, CatalogSpec, Index, IndexError, Mode, SCHEMA_VERSION};

/// A catalog of many packages, so that a scan of a whole table shows in the plan.
fn many() -> Input {
    let mut text = String::new();
    for package in 0..200 {
        let p = format!("p{package}");
        let entries: Vec<String> = (1..9)
            .map(|n| format!(r#"{{"name":"{p}.v{n}.0.0","replaces":"{p}.v{}.0.0","skipRange":"<{n}.0.0"}}"#, n - 1))
            .collect();
        let entries = entries.join(",");
        writeln!(text, r#"{{"schema":"olm.package","name":"{p}","defaultChannel":"stable"}}"#).unwrap();
        writeln!(text, r#"{{"schema":"olm.channel","package":"{p}","name":"stable","entries":[{entries}]}}"#).unwrap();
        for n in 1..9 {
            writeln!(
                text,
                r#"{{"schema":"olm.bundle","package":"{p}","name":"{p}.v{n}.0.0","image":"quay.io/{p}/bundle:v{n}","relatedImages":[{{"name":"a","image":"quay.io/{p}/a:v{n}"}},{{"name":"b","image":"quay.io/{p}/b:v{n}"}}],"properties":[{{"type":"olm.package","value":{{"packageName":"{p}","version":"{n}.0.0"}}}},{{"type":"olm.gvk","value":{{"group":"{p}.example.com","version":"v1","kind":"P{package}"}}}}]}}"#
            )
            .unwrap();
        }
    }
    Input::bytes("many.json", Arc::from(text.into_bytes()))
}

fn build(path: &Path, input: &Input) {
    let mut builder = Builder::open(path).unwrap();
    for name in ["a", "b"] {
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        let import = builder.add_catalog(&spec, input, Mode::Strict).unwrap();
        assert!(!import.refused, "{:?}", import.report.findings.first());
    }
    builder.finish().unwrap();
}

fn in_memory() -> Index {
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "a".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &many(), Mode::Tolerant).unwrap();
    builder.into_index().unwrap()
}

#[test]
fn the_snapshot_of_the_schema_is_true() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    build(&path, &many());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let mut text = format!(
        "-- The schema of an index. Made from migrations/ by tests/it/index_schema.rs; do not edit.\n\n\
         PRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {SCHEMA_VERSION};\n"
    );
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_stat%' \
               AND name NOT LIKE 'search\\__%' ESCAPE '\\' \
               ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name";
    let mut statement = connection.prepare(sql).unwrap();
    for sql in statement.query_map([], |row| row.get::<_, String>(0)).unwrap() {
        writeln!(text, "\n{};", sql.unwrap()).unwrap();
    }
    let snapshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/index.sql");
    expect_recorded("index_schema", &[(snapshot, text)]);
}

#[test]
fn every_view_answers() {
    let mut index = in_memory();
    let views = index
        .sql(
            "SELECT name FROM sqlite_schema WHERE type = 'view' AND name LIKE 'v/_%' ESCAPE '/' ORDER BY name",
            SqlLimits::default(),
        )
        .unwrap();
    assert!(views.rows.len() >= 14);
    for view in views.rows {
        let SqlValue::Text(name) = &view[0] else { panic!() };
        let answer = index.sql(&format!("SELECT * FROM {name} LIMIT 5"), SqlLimits::default()).unwrap();
        // Updates of OpenShift belong to no catalog.
        let is_of_platform = ["v_release", "v_update", "v_blocked_edge", "v_build_suggestion"].contains(&name.as_str());
        assert_eq!(answer.columns[0], if is_of_platform { "source" } else { "catalog" }, "{name}");
    }
}

/// Facts that are not stated are NULL, and days are days (first-use f2, mirrors R7).
#[test]
fn views_state_nothing_that_the_catalog_does_not() {
    let csv = |facts: &str| format!(r#","value":{{"annotations":{{{facts}}}}}"#);
    let mut text = String::from(
        r#"{"schema":"olm.package","name":"p"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v0"},{"name":"p.v1","replaces":"p.v0","skipRange":"<1.0.0"},{"name":"p.v2"},{"name":"p.v3"},{"name":"p.v4"}]}
"#,
    );
    let created =
        ["2026-08-21T10:00:00Z", "Wed Oct 20 18:14:05 IST 2021", "05/16/2024", "2021-02-31", "2024-02-29 08:00"];
    for (n, created) in created.iter().enumerate() {
        let max = if n == 1 { r#",{"type":"olm.maxOpenShiftVersion","value":"4.20"}"# } else { "" };
        let facts = csv(&format!(r#""createdAt":"{created}""#));
        writeln!(
            text,
            r#"{{"schema":"olm.bundle","package":"p","name":"p.v{n}","image":"q.io/p:{n}","properties":[{{"type":"olm.package","value":{{"packageName":"p","version":"{n}.0.0"}}}},{{"type":"olm.csv.metadata"{facts}}}{max}]}}"#
        )
        .unwrap();
    }
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "a".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::bytes("p.json", Arc::from(text.into_bytes())), Mode::Tolerant).unwrap();
    let mut index = builder.into_index().unwrap();
    let mut ask = |sql: &str| index.sql(sql, SqlLimits::default()).unwrap().rows;
    let text = |it: &str| SqlValue::Text(it.to_owned());
    let null = || SqlValue::Null;
    let days = [vec![text("2026-08-21")], vec![null()], vec![null()], vec![null()], vec![text("2024-02-29")]];
    assert_eq!(ask("SELECT created_at FROM v_bundle ORDER BY bundle"), days);
    let counted = ask("SELECT count(*) FROM v_bundle WHERE max_openshift_version < '4.21'");
    assert_eq!(counted, [[SqlValue::Integer(1)]]);
    for column in [
        "release",
        "display_name",
        "provider",
        "maturity",
        "capability_level",
        "min_kube_version",
        "openshift_versions",
        "repository",
        "support",
        "subscription",
    ] {
        let counted = ask(&format!("SELECT count(*) FROM v_bundle WHERE {column} IS NOT NULL"));
        assert_eq!(counted, [[SqlValue::Integer(0)]], "{column}");
    }
    let entries = ask("SELECT replaces, skip_range FROM v_entry WHERE bundle IN ('p.v0', 'p.v1') ORDER BY bundle");
    assert_eq!(entries, [[null(), null()], [text("p.v0"), text("<1.0.0")]]);
    assert_eq!(ask("SELECT default_channel FROM v_package"), [[null()]]);
}

#[test]
fn functions_compare_versions() {
    let mut index = in_memory();
    let cases = [
        ("semver_compare('1.0.0-rc.1', '1.0.0')", SqlValue::Integer(-1)),
        ("semver_compare('1.0.0+a', '1.0.0+b')", SqlValue::Integer(0)),
        ("semver_compare('1.0', '1.0.0')", SqlValue::Null),
        ("semver_in_range('1.5.0', '>=1.0.0 <2.0.0')", SqlValue::Integer(1)),
        ("semver_in_range('x', '>=1.0.0 <2.0.0')", SqlValue::Null),
        ("semver_in_range(NULL, NULL)", SqlValue::Null),
        ("range_holds('1.5.0', '>=1.0.0 <2.0.0')", SqlValue::Integer(1)),
        ("range_holds('2.0.0', '>=1.0.0 <2.0.0')", SqlValue::Integer(0)),
        ("range_holds('1.5.0', '>=x')", SqlValue::Integer(0)),
        ("range_holds('x', '>=1.0.0')", SqlValue::Integer(0)),
        ("range_holds(NULL, NULL)", SqlValue::Integer(0)),
        ("range_holds('1.5.0', '1.2.0 || || 1.3.0')", SqlValue::Integer(0)),
        ("semver_satisfies('1.5.0', '~1.4')", SqlValue::Integer(0)),
        ("semver_satisfies('1.5.0', '^1.4')", SqlValue::Integer(1)),
        ("semver_key('1.10.0') > semver_key('1.9.0')", SqlValue::Integer(1)),
        ("(SELECT count(*) FROM bundle WHERE version_key >= semver_key('3.0.0'))", SqlValue::Integer(1200)),
        ("(SELECT json ->> 'name' FROM v_document_json LIMIT 1)", SqlValue::Text("p0".to_owned())),
    ];
    for (expression, expected) in cases {
        let answer = index.sql(&format!("SELECT {expression}"), SqlLimits::default()).unwrap();
        assert_eq!(answer.rows[0][0], expected, "{expression}");
    }
    assert!(matches!(
        index.sql("SELECT semver_in_range('1.0.0', '>=x')", SqlLimits::default()),
        Err(IndexError::Sql(_))
    ));
}

#[test]
fn sql_of_users_can_only_read() {
    let mut index = in_memory();
    let refused = [
        "DELETE FROM catalog",
        "UPDATE catalog SET name = 'x'",
        "DROP TABLE catalog",
        "ATTACH '/etc/passwd' AS x",
        "PRAGMA query_only = 0",
        "PRAGMA journal_mode = WAL",
        "VACUUM INTO '/tmp/x'",
        "BEGIN",
        "CREATE TEMP TABLE x (y)",
        "SELECT 1; SELECT 2",
        "nonsense",
        "SELECT * FROM no_such_table",
        "SELECT load_extension('x')",
        "",
    ];
    for sql in refused {
        match index.sql(sql, SqlLimits::default()) {
            Err(IndexError::Sql(_)) => {}
            other => panic!("{sql}: {other:?}"),
        }
    }
    let limits = SqlLimits { max_rows: 10, ..SqlLimits::default() };
    let answer = index.sql("SELECT * FROM edge", limits).unwrap();
    assert_eq!((answer.rows.len(), answer.is_cut), (10, true));
    let limits = SqlLimits { max_time: std::time::Duration::from_millis(50), ..SqlLimits::default() };
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    assert!(matches!(index.sql(endless, limits), Err(IndexError::Limit(_))));
    // The limits end with the statement.
    assert_eq!(index.packages(&Filter::default()).unwrap().len(), 200);
}

#[test]
fn upgrades_are_reachable_by_a_recursive_query() {
    let mut index = in_memory();
    let sql = "WITH RECURSIVE reached(number) AS (
                 SELECT number FROM node WHERE graph = 1 AND name = 'p0.v1.0.0'
                 UNION SELECT e.target FROM reached r JOIN edge e ON e.graph = 1 AND e.source = r.number
               ) SELECT count(*) FROM reached";
    assert_eq!(index.sql(sql, SqlLimits::default()).unwrap().rows[0][0], SqlValue::Integer(8));
}
