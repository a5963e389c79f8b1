//! `olmdex` under the name `opm`, as images of catalogs start it: caches, read-only places, logs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{scratch, write};

/// The log and the exit code of `opm serve --cache-only`.
fn cached(directory: &Path, cache: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .arg0("/bin/opm")
        .args(["serve", "fixtures/shop/in", "--cache-only", "--pprof-addr", "localhost:6060"])
        .arg(format!("--cache-dir={}", directory.join(cache).display()))
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A pipe gets what opm writes; the log names what opm names.
#[test]
fn words_of_opm_are_its_own_under_its_name_only() {
    let directory = scratch();
    write(
        directory.path(),
        "steers/c.json",
        r#"{"schema":"olm.package","name":"p","defaultChannel":"s"}
{"schema":"olm.channel","package":"p","name":"s","entries":[{"name":"p\u001b[2Jv1"}]}"#,
    );
    let run = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_olmdex"));
        let output = command.arg0(name).args(arguments).current_dir(directory.path()).output().unwrap();
        (output.status.code(), output.stdout.contains(&0x1b), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(!run("olmdex", &["graph", "-i", "steers"]).1);
    let (code, is_raw, log) = run("olmdex", &["graph", "-i", "steers", "--compat", "opm"]);
    assert!(code == Some(0) && is_raw, "{log}");
    let (code, _, log) = run("opm", &["serve", "nope", "--cache-only"]);
    assert!(code == Some(1) && log.contains("failed to rebuild cache: stat .: no such file or directory"), "{log}");
    let (_, _, log) = run("olmdex", &["serve", "nope", "--cache-only"]);
    assert!(log.contains("`nope` does not exist"), "{log}");
    let (code, _, log) = run("olmdex", &["render", "steers/c.json", "--compat", "opm"]);
    assert!(
        code == Some(1) && log.contains(r#"ref "steers/c.json" has unsupported file type: {{  } unknown}"#),
        "{log}"
    );
    assert_eq!(run("olmdex", &["render", "steers/c.json"]).0, Some(0));
}

#[test]
fn caches_are_made_found_and_never_put_into_a_directory_of_something_else() {
    let directory = scratch();
    let (code, log) = cached(directory.path(), "new");
    assert!(code == Some(0) && log.contains("cache directory is empty"), "{log}");
    assert!(log.contains("--pprof-capture-profiles have no effect"), "{log}");
    assert!(directory.path().join("new/olmdex.v1/index.db").exists());
    let (code, log) = cached(directory.path(), "new");
    assert!(code == Some(0) && log.contains("found existing cache contents"), "{log}");
    // The caches of opm stay unchanged, and ours is made beside them.
    write(directory.path(), "pogreb/pogreb.v1/digest", "0");
    write(directory.path(), "json/cache/packages.json", "{}");
    write(directory.path(), "json/digest", "0");
    for cache in ["pogreb", "json"] {
        let (code, log) = cached(directory.path(), cache);
        assert!(code == Some(0) && log.contains("not using opm's cache"), "{log}");
    }
    assert!(directory.path().join("pogreb/pogreb.v1/digest").exists());
    write(directory.path(), "home/letters.txt", "dear");
    let (code, log) = cached(directory.path(), "home");
    assert!(code == Some(1) && log.contains("cache directory has unexpected contents: letters.txt"), "{log}");
    assert!(!directory.path().join("home/olmdex.v1").exists());
}

#[test]
fn a_server_starts_where_nothing_can_be_written_and_logs_its_calls_if_it_is_asked_to() {
    let directory = scratch();
    for name in ["tmp", "cache"] {
        std::fs::create_dir(directory.path().join(name)).unwrap();
        std::fs::set_permissions(directory.path().join(name), std::fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .arg0("/bin/opm")
        .args(["serve", "fixtures/shop/in", "-p", "0", "--debug", "-t", "/dev/termination-log/x"])
        .arg(format!("--cache-dir={}", directory.path().join("cache").display()))
        .env("TMPDIR", directory.path().join("tmp"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let port = loop {
        let line = lines.next().expect("it serves").unwrap();
        if let Some((_, port)) = line.split_once("port=") {
            break port.to_owned();
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(format!("localhost:{port}")).await.unwrap();
        let (status, _) = crate::support::server::call_over(stream, "/api.Registry/ListPackages", b"", None).await;
        assert_eq!(status, "0");
    });
    // Without this, the server would wait for a client that is gone.
    drop(runtime);
    let line = lines.next().unwrap().unwrap();
    assert!(line.contains("finished call") && line.contains("/api.Registry/ListPackages"), "{line}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// The log and the exit code of `opm serve --cache-only` in an environment of its own.
fn cached_of(source: &Path, environment: &[(&str, &str)], more: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .arg0("/bin/opm")
        .arg("serve")
        .arg(source)
        .arg("--cache-only")
        .args(more)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_bundle_that_clients_refuse_is_told_at_the_start() {
    let directory = scratch();
    let name = "wide.v1.0.0";
    // The message has the manifest twice.
    for (len, is_told) in [(2 << 20, true), (1 << 20, false)] {
        let csv = format!(
            r#"{{"kind":"ClusterServiceVersion","metadata":{{"name":"{name}"}},"spec":{{"description":"{}"}}}}"#,
            "x".repeat(len)
        );
        let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, csv);
        let catalog = format!(
            r#"{{"schema":"olm.package","name":"wide","defaultChannel":"stable"}}
{{"schema":"olm.channel","package":"wide","name":"stable","entries":[{{"name":"{name}"}}]}}
{{"schema":"olm.bundle","package":"wide","name":"{name}","image":"example.com/wide:1","properties":[
{{"type":"olm.package","value":{{"packageName":"wide","version":"1.0.0"}}}},{{"type":"olm.bundle.object","value":{{"data":"{data}"}}}}]}}"#
        );
        let source = format!("of-{len}/catalog.json");
        write(directory.path(), &source, &catalog);
        let (code, log) = cached_of(&directory.path().join(source), &[], &[]);
        assert_eq!(code, Some(0), "{log}");
        assert_eq!(log.contains("level=warning msg=\"bundle `wide.v1.0.0` of package `wide` takes"), is_told, "{log}");
    }
}

#[test]
fn a_limit_of_memory_that_is_none_is_told() {
    for (limit, is_told) in [("50MiB", false), ("off", false), ("", false), ("50MB", true)] {
        let (code, log) = cached_of(Path::new("fixtures/shop/in"), &[("GOMEMLIMIT", limit)], &[]);
        assert!(code == Some(0) && log.contains("GOMEMLIMIT") == is_told, "{limit}: {log}");
    }
}

#[test]
fn why_the_server_did_not_start_stands_where_kubernetes_looks() {
    let directory = scratch();
    let path = directory.path().join("termination-log");
    let option = format!("--termination-log={}", path.display());
    let (code, log) = cached_of(Path::new("fixtures/five-mistakes/in"), &[], &[&option]);
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(code == Some(1) && log.contains("level=fatal"), "{log}");
    assert!(written.starts_with("failed to load or rebuild cache"), "{written}");
    let (code, log) = cached_of(Path::new("fixtures/shop/in"), &[], &[&option]);
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
    let (_, log) = cached_of(Path::new("fixtures/five-mistakes/in"), &[], &["--termination-log=/dev/null/x"]);
    assert!(log.contains("level=warning") && log.contains("cannot write /dev/null/x"), "{log}");
}
