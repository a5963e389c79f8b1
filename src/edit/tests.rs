//! Tests that the work of changes grows with the package, and not with the square of it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Change, PackageDocuments, Target};
use crate::fbc::{Entry, Input};
use crate::tally::assert_grows_with_input;

fn name(at: usize) -> String {
    format!("p.v1.0.{at}")
}

/// A package whose channels `all` and `other` have so many and three entries, on one line of a file.
fn catalog(n_entries: usize) -> Input {
    let channel = |channel: &str, n_entries: usize| {
        let entry = |at: usize| match at.checked_sub(1) {
            Some(before) => format!(r#"{{"name":"{}","replaces":"{}"}}"#, name(at), name(before)),
            None => format!(r#"{{"name":"{}"}}"#, name(at)),
        };
        let entries: Vec<String> = (0..n_entries).map(entry).collect();
        format!(r#"{{"schema":"olm.channel","package":"p","name":"{channel}","entries":[{}]}}"#, entries.join(","))
    };
    let mut text = format!(
        r#"{{"schema":"olm.package","name":"p","defaultChannel":"other"}}{}{}"#,
        channel("all", n_entries),
        channel("other", 3)
    );
    for at in 0..n_entries {
        write!(text, r#"{{"schema":"olm.bundle","package":"p","name":"{}","properties":[]}}"#, name(at)).unwrap();
    }
    let deprecated: Vec<String> = (0..n_entries)
        .map(|at| format!(r#"{{"reference":{{"schema":"olm.bundle","name":"{}"}},"message":"old"}}"#, name(at)))
        .collect();
    write!(text, r#"{{"schema":"olm.deprecations","package":"p","entries":[{}]}}"#, deprecated.join(",")).unwrap();
    Input::bytes("c.json", Arc::from(text.as_bytes()))
}

#[test]
fn changes_are_made_in_so_many_steps() {
    let changes: [fn(usize) -> Change; 4] = [
        |size| {
            let entry = |at: usize| Entry { name: name(at), skips: vec!["x".to_owned()], ..Entry::default() };
            Change::SetEntries { channel: "all".to_owned(), entries: (0..size).map(entry).collect() }
        },
        |size| Change::Promote {
            bundle: name(size - 1),
            from: Some("all".to_owned()),
            to: "other".to_owned(),
            only: false,
        },
        |_| Change::Remove(Target::Channel("all".to_owned())),
        |size| Change::AddProperty {
            bundles: (0..size).map(name).collect(),
            kind: "x".to_owned(),
            value: "1".to_owned(),
        },
    ];
    for change in changes {
        assert_grows_with_input(200, |size| {
            let input = catalog(size);
            let (mut documents, change) = (PackageDocuments::read(&input, "p").unwrap(), change(size));
            move || {
                change.apply(&mut documents).unwrap();
                assert_eq!(documents.file_edits(&input, &input).unwrap().len(), 1);
            }
        });
    }
}
