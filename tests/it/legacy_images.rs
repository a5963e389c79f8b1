//! Legacy index images: read by their label or by `--path`, written by `push`, and refused with the command to type
//! instead if they hold something else.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use serde_json::json;
use tar::EntryType;

use crate::support::image::{Layer, catalog, image, layout, layout_of};
use crate::support::legacy::{legacy_file, query};
use crate::support::registry::Registry;
use crate::support::{Answer, olmdex, scratch};

const DATABASE: &str = "operators.operatorframework.io.index.database.v1";
const AT: &str = "/database/index.db";

fn run(root: &Path, args: &[&str]) -> Answer {
    let home = root.to_str().unwrap();
    olmdex(args).in_directory(root).env("HOME", home).env("XDG_CACHE_HOME", &format!("{home}/cache")).answer()
}

/// A layer with a database.
fn layer(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).unwrap();
    Layer::new().directory("database").entry(EntryType::Regular, "database/index.db", "", &bytes).finish()
}

/// A directory with `legacy.db`, and the layouts `labelled` and `unlabelled` of it.
fn images() -> tempfile::TempDir {
    let directory = scratch();
    let root = directory.path();
    let layers = [layer(&legacy_file(root, "two-packages", ""))];
    layout(&root.join("labelled"), (DATABASE, AT), &layers);
    layout_of(&root.join("unlabelled"), &json!({}), &layers);
    for name in ["labelled", "unlabelled"] {
        let tar =
            std::process::Command::new("tar").current_dir(root.join(name)).args(["-cf", "../x.tar", "."]).status();
        assert!(tar.unwrap().success());
        std::fs::rename(root.join("x.tar"), root.join(format!("{name}.tar"))).unwrap();
    }
    directory
}

#[test]
fn a_legacy_image_is_examined_converted_and_changed_like_its_file() {
    let directory = images();
    let root = directory.path();
    let registry = Registry::start();
    let layers = [layer(&root.join("legacy.db"))];
    registry.add("org/index", "labelled", image((DATABASE, AT), &layers));
    registry.add("org/index", "unlabelled", image(("other", "label"), &layers));
    let doctor = run(root, &["doctor", "legacy.db"]).expect_code(0).out();
    let proof = run(root, &["migrate", "legacy.db", "of-file", "--prove"]);
    let proof = proof.expect_code(0).out();
    run(root, &["legacy", "prune", "legacy.db", "foo", "-O", "of-file.db"]).expect_code(0);
    let pruned = query(&root.join("of-file.db"), "SELECT name FROM operatorbundle ORDER BY 1");
    let mut n = 0;
    for kind in ["labelled", "unlabelled"] {
        let remote = registry.name(&format!("org/index:{kind}"));
        let forms = [
            kind.to_owned(),
            format!("oci:{kind}:latest"),
            format!("{kind}.tar"),
            format!("oci-archive:{kind}.tar"),
            remote,
        ];
        for form in &forms {
            let with = |args: &[&str]| {
                let path: &[&str] = if kind == "unlabelled" { &["--path", AT] } else { &[] };
                run(root, &[args, path, &["--plain-http"]].concat())
            };
            if kind == "unlabelled" {
                // The error says which option helps (mirrors R14).
                for args in
                    [&["doctor", form][..], &["migrate", form, "none"], &["legacy", "rm", form, "foo", "-O", "none.db"]]
                {
                    let answer = run(root, &[args, &["--plain-http"]].concat());
                    answer.expect_code(3).expect_words("--path /database/index.db");
                }
            }
            let (files, target) = (format!("files-{n}"), format!("pruned-{n}.db"));
            n += 1;
            assert_eq!(with(&["doctor", form]).expect_code(0).out(), doctor, "{form}");
            assert_eq!(with(&["migrate", form, &files, "--prove"]).expect_code(0).out(), proof, "{form}");
            let same = std::process::Command::new("diff").current_dir(root).args(["-r", "of-file", &files]).status();
            assert!(same.unwrap().success(), "{form}");
            with(&["legacy", "prune", form, "foo", "-O", &target]).expect_code(0);
            assert_eq!(query(&root.join(&target), "SELECT name FROM operatorbundle ORDER BY 1"), pruned, "{form}");
            let refused = with(&["legacy", "prune", form, "foo", "--in-place"]);
            refused.expect_code(2).expect_words("is an image").expect_words("`olmdex image push`");
        }
        let name = registry.name(&format!("org/index:{kind}"));
        let path: &[&str] = if kind == "unlabelled" { &["--path", AT] } else { &[] };
        run(root, &[&["pull", &name, "--plain-http", "-O", "pulled.db"], path].concat()).expect_code(0);
        assert_eq!(std::fs::read(root.join("pulled.db")).unwrap(), std::fs::read(root.join("legacy.db")).unwrap());
    }
    // A file has no inside, and an error of an image names the image.
    run(root, &["doctor", "legacy.db", "--path", AT]).expect_code(2).expect_words("is not an image");
    let answer = run(root, &["legacy", "rm", "labelled", "absent", "-O", "none.db"]);
    answer.expect_code(4);
    assert!(!answer.both().contains("/tmp"), "{}", answer.both());
}

#[test]
fn nothing_outside_of_an_image_is_read_as_its_database() {
    let directory = images();
    let root = directory.path();
    let bytes = std::fs::read(root.join("legacy.db")).unwrap();
    let outside = root.join("legacy.db");
    let layer = Layer::new().directory("database").directory("d");
    let layer = layer.entry(EntryType::Regular, "database/real.db", "", &bytes);
    let layer =
        layer.link("database/out.db", outside.to_str().unwrap()).link("database/up.db", "../../../../etc/passwd");
    let layer = layer.link("database/in.db", "/database/real.db").link("database/self.db", "self.db");
    let layer = layer.file("database/text.db", "nothing of SQLite").file("database/empty.db", "");
    layout_of(&root.join("hostile"), &json!({}), &[layer.finish()]);
    for (path, code, words) in [
        ("/database/real.db", 0, ""),
        ("database//./real.db", 0, ""),
        ("../../database/real.db", 0, "which olmdex reads as `/database/real.db`"),
        ("/database/in.db", 0, ""),
        (outside.to_str().unwrap(), 3, "`--path` names"),
        ("/database/out.db", 3, "`--path` names"),
        ("/database/up.db", 3, "`--path` names"),
        ("/database/self.db", 3, "`--path` names"),
        ("/database", 3, "it is not a file"),
        ("/d/none.db", 3, "`--path` names"),
        ("", 3, "it is not a file"),
        ("/database/text.db", 3, "file is not a database"),
        ("/database/empty.db", 3, "empty"),
    ] {
        let answer = run(root, &["doctor", "hostile", "--path", path]);
        answer.expect_code(code).expect_words(words);
        assert!(!answer.both().contains("index.db:") && !answer.both().contains("root:"), "{}", answer.both());
    }
}

#[test]
fn what_is_no_legacy_catalog_is_answered_with_what_to_type() {
    let directory = scratch();
    let root = directory.path();
    let till = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    let text = std::fs::read_to_string(till.join("till/catalog.yaml"));
    let text = text.unwrap_or_else(|_| run(root, &["render", till.to_str().unwrap()]).out());
    catalog(&root.join("files"), &[Layer::new().directory("configs").file("configs/c.json", &text).finish()]);
    for source in ["files", "oci:files", till.to_str().unwrap()] {
        for (args, words) in [
            (&["doctor", source][..], format!("`olmdex validate {source}`")),
            (
                &["legacy", "prune", source, "till", "a b", "-O", "x.db"],
                format!("`olmdex mirror filter -p till -p 'a b' --full -i {source} --into TARGET`"),
            ),
            (&["legacy", "rm", source, "till", "-O", "x.db"], "`olmdex edit remove till -i DIR`".to_owned()),
            (&["legacy", "add", source, "-O", "x.db"], "`olmdex edit add BUNDLE --channel CHANNEL -i DIR`".to_owned()),
            (&["legacy", "prune-stranded", source, "-O", "x.db"], format!("`olmdex validate {source}`")),
            (
                &["legacy", "deprecate-truncate", source, "-b", "till.v1", "-O", "x.db"],
                "`olmdex edit deprecate".to_owned(),
            ),
        ] {
            run(root, args).expect_code(3).expect_words("is not a legacy SQLite catalog").expect_words(&words);
        }
        let files = format!("out-{}", source.len());
        run(root, &["migrate", source, &files]).expect_code(0);
    }
}

#[test]
fn a_legacy_catalog_is_sent_as_an_index_image() {
    let directory = images();
    let root = directory.path();
    let whole = std::fs::read(root.join("legacy.db")).unwrap();
    let answer = run(root, &["push", "legacy.db", "oci:plain", "--label", "a=b"]);
    answer.expect_code(0).expect_words("nothing in the image serves the database");
    let again = run(root, &["push", "legacy.db", "oci:again", "--label", "a=b"]);
    assert_eq!(answer.out(), again.expect_code(0).out());
    run(root, &["doctor", "plain"]).expect_code(0);
    run(root, &["pull", "oci:plain", "-O", "pulled.db"]).expect_code(0);
    assert_eq!(std::fs::read(root.join("pulled.db")).unwrap(), whole);
    run(root, &["list", "packages", "-i", "oci:plain"]).expect_code(0).expect_words("foo");
    // With the options of artifacts, an artifact as before.
    run(root, &["push", "legacy.db", "oci:artifact", "--image-spec", "v1.1"]).expect_code(0);
    run(root, &["doctor", "artifact"]).expect_code(0);
    run(root, &["push", "legacy.db", "oci:not", "--image-spec", "v1.1", "--base", "oci:plain"]).expect_code(2);
    // A damaged file is not sent.
    std::fs::write(root.join("torn.db"), &whole[..whole.len() / 2]).unwrap();
    run(root, &["push", "torn.db", "oci:torn"]).expect_code(3).expect_words("damaged");
    assert!(!root.join("torn").exists() && !root.join("not").exists());
    let refused = run(root, &["legacy", "add", "new.db", "-O", "other.db"]);
    refused.expect_code(3).expect_words("--in-place");
}
