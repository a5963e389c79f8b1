//! The memory of `build`, so that unchanged files of a catalog are not read again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Mode};

use crate::support::{Answer, TempDir, olmdex, scratch, write};

const CATALOG: &str = include_str!("../../fixtures/catalogs/smallest/catalog.yaml");

/// The age from which on a file's stamps show every change.
const TICK: Duration = Duration::from_millis(2100);

struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Self {
        let directory = scratch();
        write(directory.path(), "catalog/catalog.yaml", CATALOG);
        Self { directory }
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    fn build(&self, args: &[&str]) -> Answer {
        let cache = self.root().join("cache");
        let build = olmdex(["build", "-v", "catalog", "-o", "index.db"]).args(args);
        build.in_directory(self.root()).env("XDG_CACHE_HOME", &cache.to_string_lossy()).answer()
    }

    /// Builds, and returns whether the files were read and whether the index changed.
    #[track_caller]
    fn did(&self, args: &[&str]) -> (bool, bool) {
        let answer = self.build(args);
        answer.expect_code(0);
        let is_one = |a: &str, b: &str| {
            let (a, b) = (answer.err().contains(a), answer.err().contains(b));
            assert!(a != b, "{}", answer.both());
            a
        };
        (is_one("read 1 file of catalog in", "skipped 1 file"), is_one("wrote index.db", "index.db is up to date"))
    }

    fn remembered(&self) -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(self.root().join("cache/olmdex"));
        entries.into_iter().flatten().map(|it| it.unwrap().path()).collect()
    }
}

const READ: bool = true;
const WRITTEN: bool = true;

#[test]
fn files_that_nobody_changed_are_not_read_again() {
    let scene = Scene::new();
    assert_eq!(scene.did(&[]), (READ, WRITTEN));
    assert!(scene.remembered().is_empty(), "a file of this moment could be changed once more under the same stamp");
    std::thread::sleep(TICK);
    assert_eq!(scene.did(&[]), (READ, !WRITTEN));
    assert_eq!(scene.remembered().len(), 1);
    let index = fs::read(scene.root().join("index.db")).unwrap();
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN));
    assert_eq!(scene.did(&["--verify"]), (READ, !WRITTEN));
    // An index that lacks the catalog, or has it with other labels, needs the files.
    assert_eq!(scene.did(&["--label", "catalog:a=b"]), (READ, WRITTEN));
    fs::remove_file(scene.root().join("index.db")).unwrap();
    assert_eq!(scene.did(&[]), (READ, WRITTEN));
    assert!(fs::read(scene.root().join("index.db")).unwrap() == index, "what is remembered is not in the index");
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN));
}

/// Everything that changes a file, or could have, makes it read again: even a change that keeps the old size and time.
#[test]
fn every_change_is_seen() {
    let scene = Scene::new();
    let file = scene.root().join("catalog/catalog.yaml");
    let with_old_time = |text: &str| {
        let old = fs::metadata(&file).unwrap().modified().unwrap();
        fs::write(&file, text).unwrap();
        fs::File::options().append(true).open(&file).unwrap().set_modified(old).unwrap();
    };
    std::thread::sleep(TICK);
    assert_eq!(scene.did(&[]), (READ, WRITTEN));
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN));

    let other = CATALOG.replacen("1.0.0", "1.0.1", CATALOG.matches("1.0.0").count());
    assert_eq!(other.len(), CATALOG.len());
    with_old_time(&other);
    assert_eq!(scene.did(&[]), (READ, WRITTEN), "same size, same time");
    with_old_time(CATALOG);
    assert_eq!(scene.did(&[]), (READ, WRITTEN));

    std::thread::sleep(TICK);
    assert_eq!(scene.did(&[]), (READ, !WRITTEN));
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN));
    write(scene.root(), "catalog/.indexignore", "nothing\n");
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN), "which files there are is always looked up");
    write(scene.root(), "catalog/.indexignore", "*.yaml\n");
    assert!(scene.build(&[]).err().contains("nothing to build"));
    fs::remove_file(scene.root().join("catalog/.indexignore")).unwrap();
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN), "a catalog that hides all of its files takes nothing from the index");

    // Another file gets the same name.
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN));
    let copy = scene.root().join("copy.yaml");
    assert!(Command::new("cp").arg("-p").args([&file, &copy]).status().unwrap().success());
    fs::rename(&copy, &file).unwrap();
    assert_eq!(scene.did(&[]), (READ, !WRITTEN));
}

/// A file that others could have written, or that nobody can read, does not count and does no harm.
#[test]
fn a_bad_memory_is_no_memory() {
    let scene = Scene::new();
    std::thread::sleep(TICK);
    assert_eq!(scene.did(&[]), (READ, WRITTEN));
    assert_eq!(scene.did(&[]), (!READ, !WRITTEN));
    let [file] = scene.remembered().try_into().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    for bad in ["", "{", "[]", "\0", &text[..text.len() / 2], &text.replace("\"program\":\"", "\"program\":\"0.")] {
        fs::write(&file, bad).unwrap();
        assert_eq!(scene.did(&[]), (READ, !WRITTEN), "{bad}");
        assert_eq!(scene.did(&[]), (!READ, !WRITTEN), "{bad}");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(scene.did(&[]), (READ, !WRITTEN), "everybody could have written it");
    let cache = scene.root().join("cache/olmdex");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(scene.did(&[]), (READ, !WRITTEN), "everybody could have put it there");
    // If nothing can be kept, nothing is.
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "").unwrap();
    assert_eq!(scene.did(&[]), (READ, !WRITTEN));
    assert_eq!(fs::read(&cache).unwrap(), b"");
}

/// Warnings are repeated word for word; a catalog with errors is read each time.
#[test]
fn what_was_found_is_said_again() {
    let scene = Scene::new();
    let with_warning = include_str!("../../fixtures/rules/W0501/in/foo.yaml");
    write(scene.root(), "catalog/catalog.yaml", with_warning);
    std::thread::sleep(TICK);
    let findings = |answer: &Answer| {
        let text = answer.err();
        text.lines()
            .take_while(|it| !it.starts_with("catalog `"))
            .filter(|it| !it.contains("1 file of catalog"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (first, again) = (scene.build(&[]), scene.build(&[]));
    assert!(again.err().contains("skipped"), "{}", again.both());
    assert!(first.err().contains("warning"), "{}", first.both());
    assert_eq!(findings(&first), findings(&again));

    let scene = Scene::new();
    write(scene.root(), "catalog/catalog.yaml", format!("{CATALOG}---\nschema: olm.bundle\n"));
    std::thread::sleep(TICK);
    for _ in 0..2 {
        let answer = scene.build(&["--keep-going"]);
        assert!(!answer.err().contains("skipped"), "{}", answer.both());
        assert!(scene.remembered().is_empty());
    }
}

/// The findings of a document are kept with it, whatever the rule: a second build, which parses nothing, repeats all of
/// them.
#[test]
fn every_warning_survives_in_the_index() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let mut n_warnings = 0;
    for rule in fs::read_dir(rules).unwrap().map(|it| it.unwrap().path()) {
        // Findings that depend on the day are not kept.
        if !rule.file_name().unwrap().to_string_lossy().starts_with('W') || !rule.join("out/findings.txt").exists() {
            continue;
        }
        let directory = scratch();
        let index = directory.path().join("index.db");
        let input = Input::directory(&rule.join("in")).unwrap();
        let build = |label: &str| {
            let labels = [("label".to_owned(), label.to_owned())].into();
            let spec = CatalogSpec { name: "c".to_owned(), labels, ..CatalogSpec::default() };
            let mut builder = Builder::open(&index).unwrap();
            let import = builder.add_catalog(&spec, &input, Mode::Strict).unwrap();
            builder.finish().unwrap();
            let findings = import.report.findings.into_iter();
            findings.map(|it| (it.rule.id, it.message, it.place, it.help)).collect::<Vec<_>>()
        };
        let first = build("a");
        n_warnings += first.len();
        assert!(!first.is_empty(), "{}", rule.display());
        assert_eq!(first, build("a"), "{}", rule.display());
        assert_eq!(first, build("b"), "{}", rule.display());
    }
    assert!(n_warnings > 30, "{n_warnings}");
}
