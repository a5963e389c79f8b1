//! Tests that the cost of changes is linear in the size of the package, and not quadratic.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{CatalogEdit, Change, PackageDocuments, Target};
use olmdex_fbc::{Entry, Input};
use olmdex_text::json::Tree;
use olmdex_text::tally::assert_grows_with_input;

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
            value: Tree::Raw("1".to_owned()),
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

/// So many packages in one file, each with a bundle and a channel.
fn packages(n_packages: usize) -> Input {
    let mut text = String::new();
    for at in 0..n_packages {
        write!(
            text,
            "---\nschema: olm.package\nname: p{at}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p{at}\nname: stable\nentries:\n- name: p{at}.v1\n---\nschema: olm.bundle\npackage: p{at}\nname: p{at}.v1\nimage: example.com/p:1\nproperties:\n- type: olm.package\n  value: {{packageName: p{at}, version: 1.0.0}}\n"
        )
        .unwrap();
    }
    Input::bytes("c.yaml", Arc::from(text.as_bytes()))
}

#[test]
fn packages_of_one_file_are_changed_in_so_many_steps() {
    let changes: [fn(usize) -> Change; 3] = [
        |at| Change::AddProperty {
            bundles: vec![format!("p{at}.v1")],
            kind: "x".to_owned(),
            value: Tree::Raw("1".to_owned()),
        },
        |_| Change::Remove(Target::Package),
        |at| Change::Deprecate { target: Target::Bundle(format!("p{at}.v1")), message: "old".to_owned() },
    ];
    for change in changes {
        assert_grows_with_input(50, |size| {
            let mut catalog = CatalogEdit::new(packages(size));
            let changes: Vec<_> = (0..size).map(|at| (format!("p{at}"), vec![change(at)])).collect();
            move || {
                let verdicts = catalog.change_all(&changes).unwrap();
                assert_eq!((verdicts.len(), catalog.files().count()), (size, 1));
            }
        });
    }
}

#[test]
fn changes_made_together_are_those_made_one_after_the_other() {
    let property = |at: usize| {
        let bundles = vec![format!("p{at}.v1")];
        Change::AddProperty { bundles, kind: "x".to_owned(), value: Tree::Raw("1".to_owned()) }
    };
    let deprecate = |at: usize, message: &str| Change::Deprecate {
        target: Target::Bundle(format!("p{at}.v1")),
        message: message.to_owned(),
    };
    let changes = [
        (3, property(3)),
        (0, Change::Remove(Target::Package)),
        (1, deprecate(1, "old")),
        (4, Change::Remove(Target::Package)),
        (2, property(2)),
        (1, deprecate(1, "older")),
        (1, property(1)),
        (3, deprecate(3, "old")),
    ];
    let changes: Vec<_> = changes.map(|(at, it)| (format!("p{at}"), vec![it])).into();
    let mut together = CatalogEdit::new(packages(5));
    together.change_all(&changes).unwrap();
    let mut apart = CatalogEdit::new(packages(5));
    for (package, changes) in &changes {
        apart.change_unjudged(package, changes).unwrap();
    }
    let text = |it: &CatalogEdit| it.files().map(|it| it.after.clone()).collect::<String>();
    assert_eq!(text(&together), text(&apart));
    assert!(text(&apart).contains("older") && !text(&apart).contains("p4"));
    // The change that comes first fails first.
    let unknown = |at: usize| (format!("p{at}"), vec![Change::DefaultChannel(format!("c{at}"))]);
    let error = together.change_all(&[unknown(2), unknown(1)]).unwrap_err();
    assert!(error.to_string().contains("c2"), "{error}");
}

#[test]
fn documents_that_are_too_long_are_not_changed() {
    let text = format!(
        r#"{{"schema":"olm.package","name":"p"}}{{"schema":"olm.channel","package":"p","name":"long","x":"{}"}}"#,
        "a".repeat(32 << 20)
    );
    let input = Input::bytes("c.json", Arc::from(text.as_bytes()));
    let error = PackageDocuments::read(&input, "p").unwrap_err();
    assert_eq!(error.to_string(), "cannot change `long`: the document has more than 32 MiB");
}
