//! Changes to catalogs in files, in place.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{olmdex, scratch, write};

/// A channel that is not a z-stream, in a file with the traces of manual edits.
const KILN: &str = include_str!("../../fixtures/catalogs/kiln/catalog.yaml");

fn catalog(root: &Path) -> String {
    write(root, "catalog.yaml", KILN);
    KILN.to_owned()
}

const APPLY: [&str; 5] = ["z-stream", "kiln", "--channel", "stable", "--apply"];

/// B17: comments, order, quotes and indentation stay.
#[test]
fn only_what_changes_is_touched() {
    let directory = scratch();
    let cat = directory.path().join("cat");
    let old = catalog(&cat);
    let shown = olmdex(["z-stream", "kiln", "--channel", "stable", "--dry-run", "-i", "cat"])
        .in_directory(directory.path())
        .answer();
    shown.expect_code(0).expect_words("@@ -").expect_words("--- cat/catalog.yaml");
    assert_eq!(std::fs::read_to_string(cat.join("catalog.yaml")).unwrap(), old, "a dry run changes nothing");
    let answer = olmdex(APPLY).args(["-i", "cat"]).in_directory(directory.path()).answer();
    answer.expect_code(0).expect_words("wrote ").expect_words("cat/catalog.yaml");
    let new = std::fs::read_to_string(cat.join("catalog.yaml")).unwrap();
    for kept in ["# kilns\n", "# the only channel\nname: 'stable'\n", "kiln.v1.0.0 # the first\n", "  # the head\n"] {
        assert!(new.contains(kept), "{kept:?} is gone:\n{new}");
    }
    // The lines that the difference shows as removed or added are all that differs.
    let of = |sign: char| {
        let out = shown.out();
        let lines = out.lines().filter(|it| it.starts_with(sign) && !it.starts_with(&String::from(sign).repeat(3)));
        lines.map(|it| it[1..].to_owned()).collect::<Vec<_>>()
    };
    let missing = |from: &str, of: &str| {
        let mut rest: Vec<&str> = of.lines().collect();
        from.lines()
            .filter(|line| match rest.iter().position(|it| it == line) {
                Some(at) => {
                    rest.remove(at);
                    false
                }
                None => true,
            })
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of('-'), missing(&old, &new));
    assert_eq!(of('+'), missing(&new, &old));
    assert!(of('-').len() + of('+').len() <= 4, "{}", shown.out());
    olmdex(["validate", "cat"]).in_directory(directory.path()).answer().expect_code(0);
}

/// A13: a link out of the tree is followed only if the user says so.
#[test]
fn a_file_outside_of_the_source_is_not_changed() {
    let directory = scratch();
    let root = directory.path();
    let old = catalog(&root.join("elsewhere"));
    std::fs::create_dir(root.join("cat")).unwrap();
    symlink(root.join("elsewhere/catalog.yaml"), root.join("cat/catalog.yaml")).unwrap();
    symlink(root.join("elsewhere/catalog.yaml"), root.join("file.yaml")).unwrap();
    let read = || std::fs::read_to_string(root.join("elsewhere/catalog.yaml")).unwrap();
    for source in ["cat", "file.yaml"] {
        let answer = olmdex(APPLY).args(["-i", source]).in_directory(root).answer();
        answer.expect_code(3).expect_words("is a symbolic link out of the catalog").expect_words("--follow");
        assert_eq!(read(), old, "{source}");
    }
    let answer = olmdex(APPLY).args(["--follow", "-i", "cat"]).in_directory(root).answer();
    answer.expect_code(0).expect_words("elsewhere/catalog.yaml");
    assert_ne!(read(), old);
    assert!(root.join("cat/catalog.yaml").is_symlink());
}

/// Each command in a finding about a channel that is cut, or has several heads, removes the finding.
#[test]
fn commands_in_findings_mend_their_channels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let mut n_commands = 0;
    for rule in ["E0207", "E0209"] {
        for entry in std::fs::read_dir(root.join(rule).join("in")).unwrap() {
            let entry = entry.unwrap();
            let directory = scratch();
            write(directory.path(), &entry.file_name().to_string_lossy(), std::fs::read(entry.path()).unwrap());
            let validate = || olmdex(["validate", "."]).in_directory(directory.path()).answer();
            let found = validate().out();
            for line in found.lines().filter(|line| line.contains("`olmdex edit set-edges ")) {
                let command = line.split("`olmdex ").nth(1).and_then(|it| it.split('`').next()).unwrap();
                let words = command.split(' ').map(|word| word.trim_matches('\''));
                olmdex(words).in_directory(directory.path()).answer().expect_code(0);
                n_commands += 1;
            }
            let rest = validate();
            assert!(!rest.out().contains(rule), "{:?}: {}", entry.path(), rest.both());
        }
    }
    assert_eq!(n_commands, 4);
}

/// A catalog of `till` with these versions, each replacing the one before.
fn till(versions: &[&str], header: &str, indent: &str) -> String {
    let name = |version: &str| format!("till.v{version}");
    let mut text = format!("{header}{indent}schema: olm.package\n  name: till\n  defaultChannel: stable\n");
    text.push_str(&format!("{indent}schema: olm.channel\n  package: till\n  name: stable\n  entries:\n"));
    for (number, version) in versions.iter().enumerate() {
        text.push_str(&format!("  - name: {}\n", name(version)));
        if let Some(before) = number.checked_sub(1) {
            text.push_str(&format!("    replaces: {}\n", name(versions[before])));
        }
    }
    text
}

fn till_catalog(versions: &[&str]) -> String {
    let mut text = till(versions, "", "---\n  ");
    for version in versions {
        text.push_str(&format!(
            "---\n  schema: olm.bundle\n  package: till\n  name: till.v{version}\n  image: quay.io/till/till:v{version}\n  properties:\n  - {{type: olm.package, value: {{packageName: till, version: {version}}}}}\n"
        ));
    }
    text
}

/// One change of a package has as many catalogs as there are versions of OpenShift, and their template.
#[test]
fn several_catalogs_and_templates_are_changed_together() {
    let made = || {
        let directory = scratch();
        let root = directory.path();
        write(root, "v4.19/till.yaml", till_catalog(&["1.0.0", "1.1.0"]));
        write(root, "v4.20/till.yaml", till_catalog(&["1.1.0", "1.2.0"]));
        let template = till(&["1.0.0", "1.1.0", "1.2.0"], "schema: olm.template.basic\nentries:\n", "- ");
        write(root, "template.yaml", template);
        directory
    };
    let read = |root: &Path| {
        ["v4.19/till.yaml", "v4.20/till.yaml", "template.yaml"]
            .map(|name| std::fs::read_to_string(root.join(name)).unwrap())
    };
    let all = ["-i", "v4.19", "-i", "v4.20", "-i", "template.yaml", "-i", "./v4.19"];
    for (change, code, changed, words) in [
        (&["deprecate", "till@1.1.0", "-m", "Upgrade."][..], 0, [true, true, true], "wrote "),
        (&["deprecate", "till@1.2.0", "-m", "Upgrade."], 0, [false, true, true], "v4.19 stays as it is: "),
        // Each name is somewhere.
        (&["deprecate", "till@1.0.0", "till@1.2.0", "-m", "Old."], 0, [true, true, true], "v4.20 stays as it is: "),
        (&["deprecate", "till@1.1.0", "till@9.0.0", "-m", "Old."], 4, [false; 3], "v4.19: "),
        (&["rename-channel", "till/stable", "fast"], 0, [true; 3], "wrote "),
        (&["default-channel", "till/fast"], 4, [false; 3], "v4.19: package `till` has no channel `fast`"),
        // The last entry of the first catalog would be gone.
        (&["remove", "till@1.0.0", "till@1.1.0"], 1, [false; 3], "v4.19: channel `stable` would be empty"),
        (&["set-edges", "till/stable", "till@1.2.0", "--skips", "till.v1.0.0"], 0, [false, true, true], "v4.19 stays"),
        (&["add-property", "a=1", "--where", "bundle = 'till.v1.1.0'"], 2, [false; 3], "is a template"),
        (&["deprecate", "till@1.1.0", "-m", ""], 2, [false; 3], "needs a message"),
    ] {
        let directory = made();
        let before = read(directory.path());
        let line = || olmdex(["edit"]).args(change).args(all).in_directory(directory.path());
        line().args(["--dry-run"]).answer().expect_code(code);
        assert_eq!(read(directory.path()), before, "{change:?}");
        line().answer().expect_code(code).expect_words(words);
        let after = read(directory.path());
        let differ: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
        assert_eq!(differ, changed, "{change:?}");
    }
    let directory = made();
    let edit = |more: &[&str]| {
        let line = ["edit", "deprecate", "till@1.1.0", "-m", "Upgrade."];
        olmdex(line).args(more).in_directory(directory.path()).answer()
    };
    edit(&["-i", "v4.19", "-i", "v4.19/till.yaml"]).expect_code(2).expect_words("is in two of the named catalogs");
    edit(&["-i", "v4.19", "-i", "v4.21"]).expect_code(3);
    edit(&["-i", "v4.19", "-i", "v4.20", "--impact"]).expect_code(0).expect_words("v4.20:");
    assert_eq!(read(directory.path()), read(made().path()));
}
