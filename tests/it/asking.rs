//! What the asking commands print, on the shop's catalog, in every format: each file of `fixtures/asking` is a command with
//! its exit code and both of its outputs.
//!
//! `OLMDEX_BLESS=1 cargo test --test it asking` writes them anew; new cases need the first line only.

use std::path::Path;
use std::process::Command;

#[test]
fn every_command_prints_what_is_recorded() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let scratch = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(package.join("fixtures"), scratch.path().join("fixtures")).unwrap();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let run = |command: &str| {
        Command::new("sh")
            .args(["-c", command])
            .current_dir(scratch.path())
            .env("PATH", &path)
            .env("OLMDEX_INDEX", "shop.db")
            .env_remove("NO_COLOR")
            .output()
            .unwrap()
    };
    assert!(
        run("olmdex build shop=fixtures/shop/in -o shop.db --priority shop=5 --label shop:tier=demo").status.success()
    );
    let mut n_cases = 0;
    let mut files: Vec<_> =
        std::fs::read_dir(package.join("fixtures/asking")).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    for file in files {
        let recorded = std::fs::read_to_string(&file).unwrap();
        let command =
            recorded.lines().next().and_then(|it| it.strip_prefix("$ ")).expect("the first line is a command");
        let output = run(command);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = format!(
            "$ {command}\n--- exit code {}\n--- standard output\n{}--- standard error\n{}",
            output.status.code().unwrap_or(-1),
            text(&output.stdout),
            text(&output.stderr)
        );
        if std::env::var_os("OLMDEX_BLESS").is_some() {
            std::fs::write(&file, &found).unwrap();
        } else {
            assert_eq!(recorded, found, "{}", file.display());
        }
        n_cases += 1;
    }
    assert!(n_cases > 30, "only {n_cases} cases are left");
}
