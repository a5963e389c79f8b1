//! The examples of the help: their lines, and a directory in which they run.

use std::path::Path;
use std::process::Command;

use super::{TempDir, olmdex, scratch, without_own};

/// The lines below `Examples:` in the help of a command.
pub fn examples(command: &str) -> Vec<String> {
    let mut words: Vec<&str> = command.split(' ').collect();
    words.push("--help");
    let text = olmdex(words).answer().expect_code(0).out();
    let lines = text.lines().skip_while(|it| *it != "Examples:").skip(1);
    lines.take_while(|it| it.starts_with("  ")).map(|it| it.trim().to_owned()).collect()
}

/// A directory with all that the examples name.
pub fn workspace() -> TempDir {
    let directory = scratch();
    let help = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help");
    let copied = Command::new("cp").arg("-r").arg(help.join(".")).arg(directory.path()).status().unwrap();
    assert!(copied.success());
    let export = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/past/shop.export");
    assert!(export.is_file(), "the script reads it");
    let past = format!("sh '{}/fixtures/past/build.sh'", env!("CARGO_MANIFEST_DIR"));
    assert!(run(&past, directory.path()).status.success());
    for line in [
        "build community=my-catalog -o index.db",
        "build v4.19=old-catalog v4.20=my-catalog -o versions.db",
        "export --legacy my-catalog -o legacy.db -q",
    ] {
        let output = run(&format!("olmdex {line}"), directory.path());
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    directory
}

/// Runs a line in a shell, with the program in its path.
pub fn run(line: &str, directory: &Path) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    without_own(&mut Command::new("sh"))
        .args(["-c", line])
        .current_dir(directory)
        .env("PATH", path)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .output()
        .unwrap()
}
