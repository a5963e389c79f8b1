//! Every form of a name works in every command: `PKG@VERSION`, `PKG VERSION`, `PKG/CHANNEL` and a bundle's name, each
//! as a typed line in `fixtures/help`.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::olmdex;

/// A command line, its exit code, and words of its answer.
type Line = (&'static str, i32, &'static str);

const LINES: &[Line] = &[
    ("lifecycle keda.v2.9.0 --lifecycles lifecycles.yaml --date 2026-02-01", 0, "2026-12-31"),
    ("lifecycle keda.v2.9.0 --lifecycles lifecycles.yaml --date 2026-02-01 -i my-catalog", 0, "2026-12-31"),
    ("lifecycle keda v2.9.0 --lifecycles lifecycles.yaml --date 2026-02-01", 0, "2026-12-31"),
    ("lifecycle keda.v2.8.1 --lifecycles lifecycles.yaml --date 2026-02-01", 1, "2025-12-31"),
    ("lifecycle kedaa --lifecycles lifecycles.yaml --date 2026-02-01", 1, "did you mean `keda`?"),
    ("lifecycle kedaa --lifecycles lifecycles.yaml --date 2026-02-01 -i my-catalog", 4, "did you mean `keda`?"),
    ("lifecycle kafka-bridge --lifecycles lifecycles.yaml --date 2026-02-01 -i my-catalog", 1, "kafka-bridge"),
    ("diff old-catalog my-catalog -p keda@2.10.1", 1, "`keda@2.10.1` is a part of package `keda`"),
    ("diff old-catalog my-catalog -p keda v2.10.1", 1, "is a part of package `keda`"),
    ("diff old-catalog my-catalog -p keda/stable", 1, "`keda/stable` is a part of package `keda`"),
    ("diff old-catalog my-catalog -p keda.v2.10.1", 1, "`keda.v2.10.1` is a part of package `keda`"),
    ("diff old-catalog my-catalog -p kedaa", 4, "did you mean `keda`?"),
    ("render my-catalog -p keda@2.10.1", 0, "`keda@2.10.1` is a part of package `keda`"),
    ("render my-catalog -p keda/stable", 0, "`keda/stable` is a part of package `keda`"),
    ("export --site site my-catalog -p kedaa", 4, "did you mean `keda`?"),
    ("edit set-edges till/stable till 1.1.1 --skips till.v1.0.1 -i my-catalog --dry-run", 1, "till.v1.0.1"),
    ("edit set-edges till/stable till.v1.1.1 --skips till.v1.0.1 -i my-catalog --dry-run", 1, "till.v1.0.1"),
    ("edit set-edges stable till.v1.1.1 --skips till.v1.0.1 -i my-catalog --dry-run", 1, "till.v1.0.1"),
    ("edit set-edges stable till 1.1.1 --skips till.v1.0.1 -i my-catalog --dry-run", 1, "till.v1.0.1"),
    ("edit set-edges till stable 1.1.1 --skips till.v1.0.1 -i my-catalog --dry-run", 1, "till.v1.0.1"),
    ("edit default-channel till.v1.1.0 stable -i my-catalog --dry-run", 0, ""),
    ("edit default-channel till.v1.1.0/stable -i my-catalog --dry-run", 0, ""),
    ("edit default-channel tilll stable -i my-catalog --dry-run", 4, "did you mean `till`?"),
    ("filter -p keda 2.9.0 -i my-catalog -o images", 0, "quay.io/org/keda:v2.9.0"),
    ("filter -p keda@2.9.0 -i my-catalog -o images", 0, "quay.io/org/keda:v2.9.0"),
    ("z-stream till 1.1.0 -i my-catalog", 0, "till"),
    ("z-stream till stable -i my-catalog", 0, "till"),
];

#[test]
fn every_form_of_a_name_works_in_every_command() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help");
    let mut wrong = Vec::new();
    for (line, code, words) in LINES {
        let answer = olmdex(line.split(' ')).in_directory(&home).answer();
        if answer.code != Some(*code) || !answer.both().contains(words) {
            wrong.push(format!("{line}: {:?}\n{}", answer.code, answer.both()));
        }
    }
    // Quoted as one word of a shell.
    let quoted =
        olmdex(["filter", "-p", "keda 2.9.0", "-i", "my-catalog", "-o", "images"]).in_directory(&home).answer();
    quoted.expect_code(0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
