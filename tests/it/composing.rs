//! Compositions: the result is the same at every destination, nothing is written outside of the allowed directories,
//! and changes are noticed.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::{TempDir, olmdex, scratch, write};

fn fixtures() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").display().to_string()
}

/// A directory with the shop as `shop`, the kiln as `kiln`, and a file of options.
fn folder(options: &str) -> TempDir {
    let folder = scratch();
    for (from, to) in [("shop/in", "shop"), ("catalogs/kiln", "kiln")] {
        let from = format!("{}/{from}", fixtures());
        let copied =
            std::process::Command::new("cp").args(["-rL", &from]).arg(folder.path().join(to)).status().unwrap();
        assert!(copied.success());
    }
    write(folder.path(), "olmdex.toml", options);
    folder
}

/// The files below a directory, with their bytes.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                let text = std::fs::read(entry.path()).unwrap();
                found.insert(entry.path().strip_prefix(root).unwrap().to_owned(), text);
            }
        }
    }
    found
}

const TWO: &str = "[catalogs.both]\ndestination = 'out/both'\ncomponents = [\n  { source = 'shop', packages = ['till'] },\n  { source = 'kiln' },\n]\n";

#[test]
fn a_composed_catalog_is_the_same_wherever_it_goes() {
    let folder = folder(TWO);
    let run = |args: &[&str]| {
        let answer = olmdex(args).in_directory(folder.path()).answer();
        answer.expect_code(0);
        answer
    };
    run(&["render"]);
    run(&["build", "-o", "index.db"]);
    let digest = run(&["image", "--to", "oci:image"]).out();
    assert_eq!(digest, run(&["image", "--to", "oci:again"]).out());
    let printed = run(&["render", "--catalog", "both"]).out();
    assert!(printed.contains("\"till\"") && printed.contains("\"kiln\"") && !printed.contains("\"name\": \"ledger\""));
    for source in ["out/both", "index.db", "oci:image"] {
        assert!(run(&["render", source]).out() == printed, "{source} holds something else");
    }
    let names: Vec<PathBuf> = files(&folder.path().join("out/both")).into_keys().collect();
    assert_eq!(names, [".indexignore", "kiln/catalog.json", "till/catalog.json"].map(PathBuf::from));
}

#[test]
fn an_index_is_older_than_any_part_that_has_changed() {
    let folder = folder(TWO);
    let run = |args: &[&str]| olmdex(args).in_directory(folder.path()).answer().expect_code(0).out();
    run(&["build", "-q", "-o", "index.db"]);
    let before = std::fs::metadata(folder.path().join("index.db")).unwrap().modified().unwrap();
    let touch = |name: &str, time: std::time::SystemTime| {
        std::fs::File::options().write(true).open(folder.path().join(name)).unwrap().set_modified(time).unwrap();
    };
    for name in ["olmdex.toml", "shop/till/package.yaml", "shop/ledger/catalog.json", "kiln/catalog.yaml"] {
        let outdated = run(&["info", "index.db", "-o", "json"]);
        assert!(outdated.contains("\"outdated\": []"), "{outdated}");
        touch(name, before + std::time::Duration::from_secs(100));
        let outdated = run(&["info", "index.db", "-o", "json"]);
        assert!(outdated.contains(&format!("/{name}\"")) || outdated.contains(&format!("\"{name}\"")), "{outdated}");
        touch(name, before);
    }
}

#[test]
fn what_a_template_takes_its_bundles_from_has_a_place() {
    let folder = folder("[catalogs.a]\ncomponents = [\n  { template = 't.yaml', from = ['nowhere'] },\n]\n");
    write(folder.path(), "t.yaml", "schema: olm.semver\nstable:\n  bundles:\n  - image: example.com/a:v1\n");
    for key in ["from", "bundles"] {
        let options = format!("[catalogs.a]\ncomponents = [\n  {{ template = 't.yaml', {key} = ['nowhere'] }},\n]\n");
        write(folder.path(), "olmdex.toml", options);
        let answer = olmdex(["render", "--catalog", "a"]).in_directory(folder.path()).answer();
        answer.expect_code(3).expect_words("olmdex.toml:3:16: ").expect_words("nowhere");
    }
}

#[test]
fn a_destination_leads_nowhere_else() {
    for (destination, words) in [
        ("../out", "outside"),
        ("a/../../out", "outside"),
        ("/tmp/olmdex-composed-nowhere", "outside"),
        (".git/hooks", "hidden"),
        ("a/.github/workflows", "hidden"),
        (".", "outside"),
        ("link/out", "leads through a link"),
        ("link", "leads through a link"),
        ("dangling", "leads through a link"),
    ] {
        let above = scratch();
        let folder = folder(&format!("[catalogs.a]\nsource = 'kiln'\ndestination = '{destination}'\n"));
        std::fs::create_dir(above.path().join("elsewhere")).unwrap();
        symlink(above.path().join("elsewhere"), folder.path().join("link")).unwrap();
        symlink(above.path().join("nowhere"), folder.path().join("dangling")).unwrap();
        let before = std::fs::read_dir(folder.path()).unwrap().count();
        for command in ["render", "image"] {
            let answer = olmdex([command]).in_directory(folder.path()).answer();
            answer.expect_code(2).expect_words(words).expect_words("olmdex.toml:3:15");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before, "{destination}");
        assert_eq!(files(above.path()).len(), 0, "{destination}");
        assert!(!folder.path().join("../out").exists() && !Path::new("/tmp/olmdex-composed-nowhere").exists());
    }
}

#[test]
fn who_trusts_the_file_may_write_anywhere() {
    let above = scratch();
    let options = format!("[catalogs.a]\nsource = 'kiln'\ndestination = '{}'\n", above.path().join("a").display());
    let folder = folder(&options);
    olmdex(["render", "--anywhere"]).in_directory(folder.path()).answer().expect_code(0);
    assert!(above.path().join("a/kiln/catalog.json").exists());
    olmdex(["image", "--anywhere"]).in_directory(folder.path()).answer().expect_code(0);
    assert!(above.path().join("a.Dockerfile").exists());
}

#[test]
fn nothing_is_replaced_that_a_run_has_not_written() {
    let folder = folder(TWO);
    let root = folder.path().join("out/both");
    let render = || olmdex(["render"]).in_directory(folder.path()).answer();
    // Foreign files, also with a record that is not ours.
    std::fs::create_dir_all(root.join("till")).unwrap();
    for (name, text) in [("till/catalog.json", "{}"), (".indexignore", "*.md\n")] {
        write(&root, name, text);
        render().expect_code(2).expect_words("in the way");
        assert_eq!(std::fs::read_to_string(root.join(name)).unwrap(), text);
    }
    std::fs::remove_dir_all(&root).unwrap();
    render().expect_code(0);
    let good = files(&root);
    // A file that was added, one that was changed, and a link that replaces one.
    write(&root, "till/notes.md", "mine");
    render().expect_code(2).expect_words("till/notes.md` is in the way");
    std::fs::remove_file(root.join("till/notes.md")).unwrap();
    write(&root, "till/catalog.json", "{}");
    render().expect_code(2).expect_words("was changed");
    assert_eq!(std::fs::read_to_string(root.join("till/catalog.json")).unwrap(), "{}");
    std::fs::remove_file(root.join("till/catalog.json")).unwrap();
    symlink("../../../shop/till", root.join("till/catalog.json")).unwrap();
    render().expect_code(2).expect_words("in the way");
    std::fs::remove_file(root.join("till/catalog.json")).unwrap();
    // A missing file comes back, and an equal one stays as it is.
    render().expect_code(0).expect_words("wrote 2 files");
    assert_eq!(files(&root), good);
    render().expect_code(0).expect_words("is up to date");
    assert_eq!(std::fs::read_dir(folder.path().join("out")).unwrap().count(), 1, "something was left");
}

#[test]
fn what_is_wrong_with_one_catalog_keeps_all_as_they_are() {
    let folder = folder(TWO);
    let render = || olmdex(["render"]).in_directory(folder.path()).answer();
    render().expect_code(0);
    let before = files(&folder.path().join("out"));
    write(folder.path(), "torn.yaml", "schema: olm.package\nname: [\n");
    let more = "[catalogs.zz]\nsource = 'torn.yaml'\ndestination = 'out/zz'\n";
    write(folder.path(), "olmdex.toml", TWO.replace("'till'", "'ledger'") + more);
    render().expect_code(3).expect_words("torn.yaml:3:");
    assert_eq!(files(&folder.path().join("out")), before);
    // Packages from a torn file do not count as whole.
    write(folder.path(), "olmdex.toml", more.to_owned() + "packages = ['till']\n");
    assert_ne!(render().code, Some(0));
    assert_eq!(files(&folder.path().join("out")), before);
}

#[test]
fn an_index_notices_each_change_of_a_component() {
    let operators = format!("{}/help/operators", fixtures());
    let options = format!(
        "[catalogs.all]\ncomponents = [\n  {{ source = 'shop', packages = ['till'] }},\n  {{ source = 'kiln' }},\n  \
         {{ template = 'template.yaml', bundles = ['{operators}'] }},\n]\n"
    );
    let folder = folder(&options);
    let template = std::fs::read_to_string(format!("{}/help/shop-template.yaml", fixtures())).unwrap();
    write(folder.path(), "template.yaml", &template);
    let cache = folder.path().join("cache").display().to_string();
    let build = |words: &str| {
        let answer =
            olmdex(["build", "--trust-config"]).in_directory(folder.path()).env("XDG_CACHE_HOME", &cache).answer();
        answer.expect_code(0).expect_words(words);
    };
    build("wrote index.db");
    let is_untouched = || build("index.db is up to date");
    is_untouched();
    let replace = |name: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.contains(from), "{name}: {text}");
        write(folder.path(), name, text.replacen(from, to, 1));
        build("wrote index.db");
        is_untouched();
    };
    replace("kiln/catalog.yaml", "schema: olm.package", "schema: olm.package\ndescription: Another one.");
    replace("template.yaml", "generateMajorChannels: true", "generateMajorChannels: false");
    replace("olmdex.toml", "['till']", "['till', 'ledger']");
    replace("olmdex.toml", "['till', 'ledger']", "['till/stable']");
    replace("olmdex.toml", "{ source = 'kiln' },", "");
    replace("olmdex.toml", "[catalogs.all]", "[catalogs.all]\npriority = 3");
}

#[test]
fn findings_are_where_the_source_has_them() {
    let folder = folder("[catalogs.a]\nsource = 'shop'\npackages = ['till']\n");
    let name = std::fs::read_dir(folder.path().join("shop/till")).unwrap().map(|it| it.unwrap().path());
    let path = name.filter(|it| it.extension().is_some_and(|it| it == "yaml" || it == "json")).min().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    write(
        folder.path(),
        path.strip_prefix(folder.path()).unwrap().to_str().unwrap(),
        text + "\n---\nschema: olm.channel\npackage: till\nname: empty\nentries: []\n",
    );
    let shown = path.strip_prefix(folder.path()).unwrap().display().to_string();
    let answer = olmdex(["validate"]).in_directory(folder.path()).answer();
    answer.expect_code(1).expect_words(&format!("--> {shown}:"));
}

#[test]
fn no_name_gets_out_of_the_record() {
    let catalog = "schema: olm.package\nname: \"a\\n*\"\ndefaultChannel: s\n---\nschema: olm.channel\npackage: \"a\\n*\"\nname: s\nentries: []\n";
    let folder = folder("[catalogs.a]\nsource = 'odd.yaml'\ndestination = 'out'\n");
    for name in ["a\\n*", "../../a", "a/../b", "/a", "."] {
        write(folder.path(), "odd.yaml", catalog.replace("a\\n*", name));
        let answer = olmdex(["render"]).in_directory(folder.path()).answer();
        answer.expect_code(3).expect_words("is not a valid directory name for a package");
        assert!(!folder.path().join("out").exists(), "{name}");
    }
}

#[test]
fn a_directory_that_cannot_be_exchanged_is_filled_once() {
    let folder = folder("");
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let options = format!("[catalogs.a]\nsource = 'kiln'\ndestination = '{}'\n", out.display());
    write(folder.path(), "options.toml", options);
    // The current directory does not change.
    let render = || {
        let args = ["render", "--anywhere", "--config", "../options.toml"];
        olmdex(args).in_directory(&out).answer()
    };
    render().expect_code(0);
    assert_eq!(files(&out).len(), 2);
    render().expect_code(2).expect_words("olmdex cannot replace");
    assert_eq!(files(&out).len(), 2);
}
