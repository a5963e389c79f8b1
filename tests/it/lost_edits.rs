//! F3: commands that read, compute and write a file lose no edit that somebody else makes in between.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Stdio;

use olmdex::file::{FileError, Replacement, write_over};

use crate::support::{program, scratch, write};

#[test]
fn a_file_that_is_not_what_was_read_is_not_replaced() {
    let directory = scratch();
    let path = directory.path().join("file");
    write_over(&path, None, b"one").unwrap();
    write_over(&path, Some(b"one"), b"two").unwrap();
    for before in [None, Some(&b"one"[..]), Some(b"")] {
        assert!(matches!(write_over(&path, before, b"lost"), Err(FileError::Changed { .. })), "{before:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(write_over(&path, Some(b"two"), b"lost"), Err(FileError::Changed { .. })));
    assert!(!path.exists());
    // Nothing stays behind, and the next writer has its turn.
    Replacement::begin_over(&path, None).unwrap().finish().unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// An operator of which versions 1.1.0 and up are to be released into one template.
fn operator(root: &Path) {
    let put = |name: &str, text: &str| write(root, name, text);
    put(
        "ci.yaml",
        "fbc: {enabled: true, catalog_mapping: [{template_name: t.yaml, type: olm.template.basic, catalog_names: [v4.20]}]}\n",
    );
    put(
        "catalog-templates/t.yaml",
        "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: shop\n  defaultChannel: stable\n\
         - schema: olm.channel\n  package: shop\n  name: stable\n  entries:\n  - name: shop.v1.0.0\n\
         - schema: olm.bundle\n  image: q.io/shop:v1.0.0\n",
    );
    for minor in 1..=WRITERS {
        let wanted = "catalog_templates: [{template_name: t.yaml, channels: [stable], replaces: shop.v1.0.0}]\n";
        put(&format!("1.{minor}.0/release-config.yaml"), wanted);
        put(&format!("1.{minor}.0/metadata/annotations.yaml"), "annotations: {}\n");
        let csv = format!("apiVersion: v1\nkind: ClusterServiceVersion\nmetadata: {{name: shop.v1.{minor}.0}}\n");
        put(&format!("1.{minor}.0/manifests/shop.clusterserviceversion.yaml"), &csv);
    }
}

/// How many processes write at once.
const WRITERS: usize = 4;

fn race(rounds: usize) {
    for round in 0..rounds {
        let directory = scratch();
        let root = directory.path().join("operators/shop");
        std::fs::create_dir_all(&root).unwrap();
        operator(&root);
        let children: Vec<_> = (1..=WRITERS)
            .map(|minor| {
                let image = format!("q.io/shop:v1.{minor}.0");
                let mut command = program();
                command.args(["release", "--templates-only", "--image", &image]).arg(root.join(format!("1.{minor}.0")));
                (image, command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
            })
            .collect();
        let codes: Vec<(String, Option<i32>)> =
            children.into_iter().map(|(image, mut child)| (image, child.wait().unwrap().code())).collect();
        let template = std::fs::read_to_string(root.join("catalog-templates/t.yaml")).unwrap();
        for (image, code) in &codes {
            let is_there = template.contains(image.as_str());
            assert_eq!(is_there, *code == Some(0), "round {round}: {image} with {codes:?} in\n{template}");
            assert!(matches!(code, Some(0 | 1 | 3)), "round {round}: {codes:?}");
        }
        assert!(codes.iter().any(|it| it.1 == Some(0)), "round {round}: {codes:?}");
    }
}

#[test]
fn releases_at_the_same_time_lose_nothing() {
    race(25);
}

#[test]
#[ignore = "needs five minutes"]
fn a_thousand_rounds_of_releases_lose_nothing() {
    race(1000);
}
