//! Tells the program which commit it is built from, for `olmdex --version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Only our own repository counts: the package may be unpacked inside another one.
    if !Path::new(".git").exists() {
        return;
    }
    for file in [".git/HEAD", ".git/index"] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    if let Ok(output) = output
        && output.status.success()
        && let Ok(commit) = String::from_utf8(output.stdout)
    {
        println!("cargo::rustc-env=OLMDEX_COMMIT={}", commit.trim());
    }
}
