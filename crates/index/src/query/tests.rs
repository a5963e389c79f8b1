//! The plans of the most frequent questions.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::sync::Arc;

use crate::{Builder, CatalogSpec, Mode};
use olmdex_fbc::Input;

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

/// The sources that a plan may read as a whole: catalogs, results of an earlier step, and tables that stay small.
const MAY_SCAN: &[&str] = &["c", "json_each", "j", "api", "image", "f", "h", "hit", "search", "x", "cc"];

/// Tables that recursive queries make on the way, and a row without a table.
const ARE_MADE: &[&str] = &[
    "asked", "ranged", "reached", "leading", "held", "headed", "chain", "live", "u", "found", "ids", "head", "CONSTANT",
];

const IMAGES: &str = "images with the bundles that use them";

#[test]
fn hot_questions_read_no_big_table_as_a_whole() {
    let mut builder = Builder::in_memory();
    for name in ["a", "b"] {
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        assert!(!builder.add_catalog(&spec, &many(), Mode::Strict).unwrap().refused);
    }
    let index = builder.into_index().unwrap();
    let statements = [
        super::list::STATEMENTS,
        super::bundles::STATEMENTS,
        super::contacts::STATEMENTS,
        super::content::STATEMENTS,
        super::image_users::STATEMENTS,
        super::images::STATEMENTS,
        super::show::STATEMENTS,
        super::search::STATEMENTS,
        super::documents::STATEMENTS,
        super::upgrade::STATEMENTS,
        super::reach::STATEMENTS,
        super::dependencies::STATEMENTS,
        super::uses::STATEMENTS,
        super::demand_places::STATEMENTS,
        super::diff::STATEMENTS,
        super::history::STATEMENTS,
        super::served::STATEMENTS,
        super::lifecycles::STATEMENTS,
        super::v1_facts::STATEMENTS,
        super::permissions::STATEMENTS,
        super::past::STATEMENTS,
    ];
    for (name, sql) in statements.into_iter().flatten() {
        let mut statement = index.connection().prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let nulls = vec![None::<i64>; statement.parameter_count()];
        let plan: Vec<String> = statement
            .query_map(rusqlite::params_from_iter(nulls), |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for step in &plan {
            let scanned = step.strip_prefix("SCAN ").map(|it| it.split(' ').next().unwrap());
            // A list of all bundles reads all bundles. A server reads all images once, when it starts.
            let of_all = [("all bundles", "b"), (IMAGES, "bundle"), (IMAGES, "related_image")];
            let is_asked_for = scanned.is_some_and(|it| of_all.contains(&(name, it)));
            let may_scan = scanned.is_none_or(|it| MAY_SCAN.contains(&it) || ARE_MADE.contains(&it));
            assert!(is_asked_for || may_scan, "{name}: {plan:#?}");
            assert!(!step.contains("AUTOMATIC") && !step.starts_with("MATERIALIZE (join"), "{name}: {plan:#?}");
        }
    }
}
