//! The hooks for pre-commit and the GitHub action, as they run: on a directory of several catalogs, with the catalogs
//! before a change as base.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

use crate::support::{scratch, without_own};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a script with the program on the path. Returns its exit code, and both of its outputs.
fn run(script: &str, directory: &Path, variables: &[(&str, &str)]) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = without_own(&mut Command::new("bash"))
        .args(["-e", "-c", script])
        .current_dir(directory)
        .env("PATH", path)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
    (output.status.code().unwrap_or(-1), text)
}

/// A repository of two catalogs, of which the second has an old fault. The working tree has a new one.
fn repository() -> tempfile::TempDir {
    let directory = scratch();
    let root = directory.path();
    let fixtures = package().join("fixtures/help");
    let script = format!(
        "mkdir catalogs; cp -r {0}/old-catalog catalogs/v4.19; cp -r {0}/my-catalog catalogs/v4.20
        sed -i 's/, replaces: keda.v2.9.0/, replaces: keda.v2.9.0, skipRange: \"x\"/' catalogs/v4.20/keda.yaml
        git init -q -b main; git add -A; git -c user.name=a -c user.email=a@example.com commit -q -m before
        sed -i 's/ replaces: till.v1.1.0/ skips: [till.v1.1.0]/' catalogs/v4.20/till.yaml",
        fixtures.display()
    );
    let (code, text) = run(&script, root, &[]);
    assert_eq!(code, 0, "{text}");
    directory
}

#[test]
fn hooks_take_directories_of_several_catalogs_and_a_base() {
    let made = repository();
    let hooks = std::fs::read_to_string(package().join(".pre-commit-hooks.yaml")).unwrap();
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries, ["olmdex check", "olmdex check --only valid", "olmdex check --only graph --strict"]);
    for (arguments, has_old) in [
        ("catalogs/", true),
        ("catalogs/v4.19 catalogs/v4.20", true),
        ("catalogs/v4.19 -i catalogs/v4.20", true),
        ("catalogs/ --base git:HEAD:", false),
        ("catalogs/v4.19 catalogs/v4.20 --base git:HEAD:catalogs", false),
    ] {
        for entry in &entries {
            let (code, text) = run(&format!("{entry} {arguments}"), made.path(), &[]);
            assert_eq!(code, 1, "{entry} {arguments}: {text}");
            assert!(text.contains("till"), "{entry} {arguments}: {text}");
            assert_eq!(text.contains("keda.yaml"), has_old && !entry.contains("graph"), "{entry} {arguments}: {text}");
            assert!(text.contains("checked 2 catalogs"), "{entry} {arguments}: {text}");
        }
    }
    // A commit that breaks nothing passes, whatever the catalogs have been.
    let (_, text) = run("git checkout -q .", made.path(), &[]);
    let (code, more) = run("olmdex check catalogs/ --base git:HEAD:", made.path(), &[]);
    assert_eq!(code, 0, "{text}{more}");
}

/// The settings and the script of a step of the action.
fn step(name: &str) -> (String, String) {
    let action = std::fs::read_to_string(package().join("action.yml")).unwrap();
    let (_, step) = action.split_once(&format!("- name: {name}\n")).unwrap();
    let (settings, script) = step.split_once("run: |\n").unwrap();
    let script = script.split("    - name: ").next().unwrap();
    let script = script.lines().map(|line| format!("{}\n", line.strip_prefix("        ").unwrap_or(line))).collect();
    (settings.to_owned(), script)
}

/// The picture of a change: in the summary of the job, and in a comment if there is a pull request.
#[test]
fn the_action_draws_changed_packages_before_and_after() {
    let (settings, script) = step("Picture");
    assert!(settings.contains("inputs.picture == 'true'"), "{settings}");
    let made = repository();
    let root = made.path();
    // A name must not end the code of the picture.
    let (code, text) = run("sed -i 's/till.v1.1.1/\"till.v1.1.1``` @everyone\"/' catalogs/v4.20/till.yaml", root, &[]);
    assert_eq!(code, 0, "{text}");
    let bin = scratch();
    crate::support::write(bin.path(), "gh", "#!/bin/sh\necho \"gh $*\" >>\"$RUNNER_TEMP/gh.log\"\n");
    let (code, text) = run("chmod +x gh", bin.path(), &[]);
    assert_eq!(code, 0, "{text}");
    let script = format!("export PATH={}:$PATH\n{script}", bin.path().display());
    for (sources, base, pull_request, expected) in [
        ("catalogs/\n", "git:main:", "https://example.com/1", true),
        ("catalogs/v4.19\ncatalogs/v4.20\n", "git:main:", "", true),
        ("catalogs/v4.19", "git:main:", "https://example.com/1", false),
    ] {
        let temp = scratch();
        let summary = temp.path().join("summary.md");
        let variables = [
            ("SOURCES", sources),
            ("BASE", base),
            ("PULL_REQUEST", pull_request),
            ("RUNNER_TEMP", temp.path().to_str().unwrap()),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ];
        let (code, text) = run(&script, root, &variables);
        assert_eq!(code, 0, "{text}");
        let drawn = std::fs::read_to_string(&summary).unwrap_or_default();
        assert_eq!(drawn.contains("### till in `catalogs/v4.20`"), expected, "{drawn}{text}");
        assert_eq!(drawn.matches("```mermaid\ngraph ").count(), if expected { 2 } else { 0 }, "{drawn}");
        assert_eq!(drawn.matches("```").count(), if expected { 4 } else { 0 }, "{drawn}");
        let comments = std::fs::read_to_string(temp.path().join("gh.log")).unwrap_or_default();
        assert_eq!(comments.contains("pr comment https://example.com/1"), expected && !pull_request.is_empty());
    }
}

#[test]
fn the_action_takes_directories_of_several_catalogs_and_a_base() {
    let made = repository();
    let (settings, script) = step("Check");
    for name in ["SOURCES", "BASE", "STRICT", "SARIF"] {
        let input = format!("{name}: ${{{{ inputs.{} }}}}", name.to_lowercase());
        assert!(settings.contains(&input), "{settings}");
    }
    for (sources, base, has_old) in [
        ("catalogs/\n", "", true),
        ("catalogs/v4.19\ncatalogs/v4.20\n", "git:main:", false),
        ("catalogs/", "git:main:", false),
    ] {
        let variables = [("SOURCES", sources), ("BASE", base), ("STRICT", "true"), ("SARIF", "findings.sarif")];
        let (code, text) = run(&script, made.path(), &variables);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains("::error file=catalogs/v4.20/till.yaml"), "{text}");
        assert_eq!(text.contains("keda.yaml"), has_old, "{text}");
        let sarif = std::fs::read_to_string(made.path().join("findings.sarif")).unwrap();
        assert!(sarif.contains("till.yaml") && sarif.contains("keda.yaml") == has_old, "{sarif}");
    }
}
