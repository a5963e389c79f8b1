//! The choice of findings: rules, baselines and `olmdex.toml`, and files that somebody could plant in their places.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use olmdex::ask::{GraphCheckQuestion, JudgedCatalog, check_catalog};
use olmdex::diag::{Finding, Severity};
use olmdex::fbc::Input;
use olmdex::index::{CatalogSpec, Mode};

use crate::support::recording::expect_recorded;
use crate::support::schema::misfits;
use crate::support::{Answer, olmdex, scratch, write};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn fixture(path: &str) -> String {
    package().join("fixtures").join(path).display().to_string()
}

fn schema_file() -> PathBuf {
    package().join("schema/olmdex.toml.json")
}

/// A catalog with six findings of one rule, which is valid.
fn many() -> String {
    fixture("catalogs/ranges-with-newer-versions")
}

fn check_graph(directory: &Path, options: &[&str]) -> Answer {
    olmdex(["check-graph", "-i", &many()]).args(options).in_directory(directory).answer()
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let text = |schema| format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    let baseline = text(olmdex::diag::baseline::schema());
    let files = [(schema_file(), text(olmdex::compose::schema())), (package().join("schema/baseline.json"), baseline)];
    expect_recorded("choosing", &files);
}

#[test]
fn the_published_schema_takes_what_the_reader_takes() {
    for (name, fits) in [("ignoring", true), ("catalogs", true), ("misspelt", false)] {
        let text = std::fs::read_to_string(fixture(&format!("options/{name}.toml"))).unwrap();
        let value: toml::Table = toml::from_str(&text).unwrap();
        let found = misfits(&schema_file(), &serde_json::to_value(value).unwrap());
        assert_eq!(found.is_empty(), fits, "{name}: {found:?}");
    }
    let known: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(fixture("options/known.json")).unwrap()).unwrap();
    let found = misfits(&package().join("schema/baseline.json"), &known);
    assert!(found.is_empty(), "{found:?}");
}

/// The errors among findings: rules and messages.
fn errors<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> BTreeSet<String> {
    let errors = findings.into_iter().filter(|it| it.rule.severity == Severity::Error);
    errors.map(|it| format!("{} {}", it.rule.id, it.message)).collect()
}

#[test]
fn both_checks_of_a_catalog_agree_about_what_is_invalid() {
    let rules = std::fs::read_dir(fixture("rules")).unwrap().map(|it| it.unwrap().path().join("in"));
    let directories = rules.chain([PathBuf::from(fixture("five-mistakes/in"))]);
    let mut inputs: Vec<(String, Input)> =
        directories.map(|it| (it.display().to_string(), Input::directory(&it).unwrap())).collect();
    inputs.extend(TORN.map(|(name, text)| (name.to_owned(), Input::bytes(name, Arc::from(text.as_bytes())))));
    let mut n_invalid = 0;
    for (name, input) in &inputs {
        let validated = errors(check_catalog(input, None).findings.iter().chain(&input.remarks));
        let mut builder = olmdex::ask::builder();
        let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
        let import = builder.add_catalog(&spec, input, Mode::Tolerant).unwrap();
        let findings = import.report.findings.into_iter().filter(|it| it.rule.severity == Severity::Error);
        let now = JudgedCatalog { index: builder.into_index().unwrap().into(), findings: findings.collect() };
        let graphs = GraphCheckQuestion::default().answer(now, None).unwrap();
        assert_eq!(errors(&graphs.findings), validated, "{name}");
        n_invalid += usize::from(!validated.is_empty());
    }
    assert!(n_invalid > 30, "only {n_invalid} catalogs are invalid");
}

/// Files that are no catalogs.
const TORN: [(&str, &str); 3] = [("torn.json", "{"), ("torn.yaml", "a: [\n"), ("empty.yaml", "")];

#[test]
fn validate_and_check_graph_have_the_same_exit_codes() {
    let scratch = scratch();
    let torn = TORN.map(|(name, text)| write(scratch.path(), name, text));
    for catalog in torn.iter().chain([&PathBuf::from(fixture("five-mistakes/in"))]) {
        // Neither command counts ignored findings; both count the fact that there is nothing to check.
        let is_empty = catalog.ends_with("empty.yaml");
        for (options, code) in [(&[][..], 1), (&["--ignore", "ALL"], i32::from(is_empty))] {
            olmdex(["validate"]).arg(catalog).args(options).answer().expect_code(code);
            olmdex(["check-graph", "-i"]).arg(catalog).args(options).answer().expect_code(code);
        }
    }
}

#[test]
fn special_files_are_refused_as_options_and_as_baselines() {
    let scratch = scratch();
    let directory = scratch.path();
    std::fs::create_dir(directory.join("directory")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(directory.join("pipe")).status().unwrap().success());
    symlink("/dev/zero", directory.join("link")).unwrap();
    symlink("nowhere", directory.join("dangling")).unwrap();
    std::fs::File::create(directory.join("huge")).unwrap().set_len(100_000_000).unwrap();
    for name in ["directory", "pipe", "link", "dangling", "huge", "/dev/zero", "missing"] {
        check_graph(directory, &["--config", name]).expect_code(3).expect_words("cannot read");
        check_graph(directory, &["--baseline", name]).expect_code(3);
    }
    for name in ["directory", "pipe", "link", "dangling", "huge", "/dev/zero"] {
        let answer = check_graph(directory, &["--baseline", name, "--write-baseline"]);
        answer.expect_code(3);
        assert!(answer.err().contains(name), "{}", answer.both());
    }
    let mut left: Vec<_> = std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["dangling", "directory", "huge", "link", "pipe"]);
    assert_eq!(directory.join("huge").metadata().unwrap().len(), 100_000_000);
}

#[test]
fn a_special_file_that_is_found_is_an_error() {
    let scratch = scratch();
    assert!(std::process::Command::new("mkfifo").arg(scratch.path().join("olmdex.toml")).status().unwrap().success());
    check_graph(scratch.path(), &[]).expect_code(3).expect_words("a named pipe, not a regular file");
    check_graph(scratch.path(), &["--no-config"]).expect_code(1);
}

const HIDING: &[u8] = b"[findings]\nignore = ['ALL']\n";

#[test]
fn a_catalog_cannot_hide_its_own_findings() {
    let scratch = scratch();
    let directory = scratch.path();
    let inner = directory.join("download/catalog");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::copy(Path::new(&many()).join("catalog.yaml"), inner.join("catalog.yaml")).unwrap();
    write(&inner, ".indexignore", b"olmdex.toml\n");
    let run = |from: &Path, source: &str| olmdex(["check-graph", "-i", source]).in_directory(from).answer();
    for (place, why) in
        [("download/catalog", "part of an input catalog"), ("download", "neither in the current directory")]
    {
        let planted = directory.join(place).join("olmdex.toml");
        std::fs::write(&planted, HIDING).unwrap();
        run(directory, "download/catalog").expect_code(1).expect_words(why).expect_words("`--config download");
        std::fs::remove_file(planted).unwrap();
    }
    // It does not apply to users in that directory either.
    write(&inner, "olmdex.toml", HIDING);
    run(&inner, ".").expect_code(1).expect_words("part of an input catalog");
    symlink(&inner, directory.join("link")).unwrap();
    run(&inner, "../../link").expect_code(1).expect_words("part of an input catalog");
    // One above still counts, and is named.
    write(directory, "olmdex.toml", HIDING);
    run(&inner, ".").expect_code(0).expect_words("hidden by ../../olmdex.toml: 6 warnings");
    run(directory, "download/catalog").expect_code(0).expect_words("hidden by olmdex.toml: 6 warnings");
}

#[test]
#[ignore = "needs root"]
fn options_of_another_user_are_not_used() {
    let scratch = scratch();
    let below = scratch.path().join("below");
    std::fs::create_dir(&below).unwrap();
    let path = scratch.path().join("olmdex.toml");
    std::fs::write(&path, HIDING).unwrap();
    check_graph(&below, &[]).expect_code(0);
    chown(&path, Some(65_534), None).unwrap();
    check_graph(&below, &[]).expect_code(1).expect_words("belongs to another user");
    check_graph(&below, &["--config", "../olmdex.toml"]).expect_code(0);
    // A user in a directory of another user trusts that user.
    chown(&below, Some(65_534), None).unwrap();
    check_graph(&below, &[]).expect_code(0);
}

#[test]
fn a_link_to_options_is_followed_and_read_from_its_own_place() {
    let scratch = scratch();
    std::fs::create_dir(scratch.path().join("elsewhere")).unwrap();
    write(&scratch.path().join("elsewhere"), "o.toml", b"[findings]\nbaseline = 'known.json'\n");
    symlink("elsewhere/o.toml", scratch.path().join("olmdex.toml")).unwrap();
    check_graph(scratch.path(), &[]).expect_code(3).expect_words("cannot read known.json");
    check_graph(scratch.path(), &["--write-baseline"]).expect_code(0);
    assert!(scratch.path().join("known.json").exists());
    check_graph(scratch.path(), &[]).expect_code(0).expect_words("hidden by the baseline known.json: 6 warnings");
}

#[test]
fn processes_that_write_one_baseline_leave_a_whole_file() {
    let scratch = scratch();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let answer = check_graph(scratch.path(), &["--baseline", "b.json", "--write-baseline"]);
                    let is_busy = answer.code == Some(3) && answer.err().contains("another process is writing");
                    assert!(answer.code == Some(0) || is_busy, "{}", answer.both());
                }
            });
        }
    });
    check_graph(scratch.path(), &["--baseline", "b.json"]).expect_code(0);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[test]
fn a_baseline_keeps_what_another_command_has_found() {
    let scratch = scratch();
    let run = |command: &str, options: &[&str]| {
        let source = fixture("catalogs/misspelt-constraint");
        let source: &[&str] = if command == "validate" { &[&source] } else { &["-i", &many()] };
        let all = [&[command], source, options].concat();
        olmdex(all).in_directory(scratch.path()).answer()
    };
    let writing = ["--baseline", "b.json", "--write-baseline"];
    run("check-graph", &writing).expect_code(0);
    run("validate", &writing).expect_code(0);
    let both = std::fs::read(scratch.path().join("b.json")).unwrap();
    run("check-graph", &["--baseline", "b.json"]).expect_code(0);
    let answer = run("validate", &["--baseline", "b.json", "--strict"]);
    answer.expect_code(0);
    assert!(!answer.err().contains("fixed"), "{}", answer.both());
    run("check-graph", &writing).expect_code(0);
    assert_eq!(std::fs::read(scratch.path().join("b.json")).unwrap(), both, "the same findings, the same bytes");
}

#[test]
fn data_always_has_each_finding() {
    let scratch = scratch();
    for (format, sign) in [("json", "\"rule\": \"W0808\""), ("sarif", "\"ruleId\": \"W0808\""), ("github", "W0808")] {
        let answer = check_graph(scratch.path(), &["-o", format]);
        assert_eq!(answer.out().matches(sign).count(), 6, "{format}");
    }
    assert_eq!(check_graph(scratch.path(), &[]).out().matches("warning[W0808]").count(), 3);
    assert_eq!(check_graph(scratch.path(), &["--all"]).out().matches("warning[W0808]").count(), 6);
}

#[test]
fn build_takes_catalogs_from_the_file_wherever_it_is_run() {
    let scratch = scratch();
    let below = scratch.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    symlink(package().join("fixtures"), scratch.path().join("fixtures")).unwrap();
    std::fs::copy(fixture("options/catalogs.toml"), scratch.path().join("olmdex.toml")).unwrap();
    let build = |args: &[&str]| olmdex(["build", "--priority", "shop=9"]).args(args).in_directory(&below).answer();
    // The fixtures are behind a link.
    build(&[]).expect_code(2).expect_words("--trust-config");
    build(&["--trust-config"]).expect_code(0);
    let answer = olmdex(["list", "catalogs", "-i", "index.db", "-o", "json"]).in_directory(&below).answer();
    let value: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let of = |name: &str| value["items"].as_array().unwrap().iter().find(|it| it["catalog"] == name).unwrap().clone();
    assert_eq!((of("shop")["priority"].as_i64(), of("shop")["labels"]["tier"].as_str()), (Some(9), Some("demo")));
    assert_eq!(of("kiln")["priority"].as_i64(), Some(0));
}

#[test]
fn commands_about_legacy_catalogs_choose_too() {
    let scratch = scratch();
    let run = |words: &[&str]| olmdex(words).in_directory(scratch.path()).answer();
    run(&["export", "--legacy", &fixture("shop/in"), "-o", "legacy.db"]).expect_code(0);
    run(&["doctor", "legacy.db", "--select", "E"]).expect_code(0);
    run(&["doctor", "legacy.db", "--ignore", "ALL", "--strict"]).expect_code(0);
    run(&["migrate", "legacy.db", "out", "--ignore", "ALL"]).expect_code(2).expect_words("`--prove`");
    assert!(!scratch.path().join("out").exists());
    run(&["migrate", "legacy.db", "out", "--prove", "--ignore", "ALL", "--strict"]).expect_code(0);
}

#[test]
fn a_baseline_keeps_what_other_catalogs_have() {
    let scratch = scratch();
    let (many, shop) = (format!("many={}", many()), format!("shop={}", fixture("shop/in")));
    let run = |options: &[&str]| {
        let all = [&["check-graph", "-i", &many, "-i", &shop, "--baseline", "b.json"], options].concat();
        olmdex(all).in_directory(scratch.path()).answer()
    };
    run(&["--write-baseline"]).expect_code(0);
    let both = std::fs::read(scratch.path().join("b.json")).unwrap();
    let answer = run(&["--catalog", "shop"]);
    answer.expect_code(0);
    assert!(!answer.err().contains("fixed"), "{}", answer.both());
    run(&["--catalog", "shop", "--write-baseline"]).expect_code(0);
    run(&["oven", "--write-baseline"]).expect_code(0);
    assert_eq!(std::fs::read(scratch.path().join("b.json")).unwrap(), both);
}
