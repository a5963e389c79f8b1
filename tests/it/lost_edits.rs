//! F3: commands that read, compute and write a file lose no edit of somebody else in between.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use olmdex::file::{FileError, Replacement, finish_together, write_over};

use crate::support::legacy::query;
use crate::support::{olmdex, program, scratch, without_own, write};

#[test]
fn a_file_that_is_not_what_was_read_is_not_replaced() {
    let directory = scratch();
    let path = directory.path().join("file");
    write_over(&path, None, b"one").unwrap();
    write_over(&path, Some(b"one"), b"two").unwrap();
    for before in [None, Some(&b"one"[..]), Some(b"")] {
        assert!(matches!(write_over(&path, before, b"lost"), Err(FileError::Changed { .. })), "{before:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(write_over(&path, Some(b"two"), b"lost"), Err(FileError::Changed { .. })));
    assert!(!path.exists());
    // Nothing stays behind, and the next writer has its turn.
    Replacement::begin_over(&path, None).unwrap().finish().unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn what_an_editor_saves_between_comparing_and_renaming_stays() {
    let directory = scratch();
    let path = |name: &str| write(directory.path(), name, "one");
    let saved: [fn(&Path); 3] = [
        |path| std::fs::write(path, "another").unwrap(),
        |path| {
            let other = path.with_extension("saved");
            std::fs::write(&other, "two").unwrap();
            std::fs::rename(other, path).unwrap();
        },
        |path| std::fs::remove_file(path).unwrap(),
    ];
    for (at, save) in saved.iter().enumerate() {
        let (first, second) = (path(&format!("{at}.a")), path(&format!("{at}.b")));
        let begin = |path: &Path| Replacement::begin_over(path, Some(b"one")).unwrap();
        let alone = begin(&first);
        save(&first);
        assert!(matches!(alone.finish(), Err(FileError::Changed { .. })), "{at}");
        let first = path(&format!("{at}.a"));
        let together = vec![begin(&first), begin(&second)];
        save(&second);
        assert!(matches!(finish_together(together), Err(FileError::Changed { .. })), "{at}");
        assert_eq!(std::fs::read_to_string(&first).unwrap(), "one");
        let new = Replacement::begin_over(&directory.path().join(format!("{at}.new")), None).unwrap();
        path(&format!("{at}.new"));
        assert!(matches!(new.finish(), Err(FileError::Changed { .. })), "{at}");
    }
}

/// An operator whose versions from 1.1.0 on are to be released into one template.
fn operator(root: &Path) {
    let put = |name: &str, text: &str| write(root, name, text);
    put(
        "ci.yaml",
        "fbc: {enabled: true, catalog_mapping: [{template_name: t.yaml, type: olm.template.basic, catalog_names: [v4.20]}]}\n",
    );
    put(
        "catalog-templates/t.yaml",
        "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: shop\n  defaultChannel: stable\n\
         - schema: olm.channel\n  package: shop\n  name: stable\n  entries:\n  - name: shop.v1.0.0\n\
         - schema: olm.bundle\n  image: q.io/shop:v1.0.0\n",
    );
    for minor in 1..=WRITERS {
        let wanted = "catalog_templates: [{template_name: t.yaml, channels: [stable], replaces: shop.v1.0.0}]\n";
        put(&format!("1.{minor}.0/release-config.yaml"), wanted);
        put(&format!("1.{minor}.0/metadata/annotations.yaml"), "annotations: {}\n");
        let csv = format!("apiVersion: v1\nkind: ClusterServiceVersion\nmetadata: {{name: shop.v1.{minor}.0}}\n");
        put(&format!("1.{minor}.0/manifests/shop.clusterserviceversion.yaml"), &csv);
    }
}

/// How many processes write at once.
const WRITERS: usize = 4;

fn race(rounds: usize) {
    for round in 0..rounds {
        let directory = scratch();
        let root = directory.path().join("operators/shop");
        std::fs::create_dir_all(&root).unwrap();
        operator(&root);
        let children: Vec<_> = (1..=WRITERS)
            .map(|minor| {
                let image = format!("q.io/shop:v1.{minor}.0");
                let mut command = program();
                command.args(["release", "--templates-only", "--image", &image]).arg(root.join(format!("1.{minor}.0")));
                (image, command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
            })
            .collect();
        let codes: Vec<(String, Option<i32>)> =
            children.into_iter().map(|(image, mut child)| (image, child.wait().unwrap().code())).collect();
        let template = std::fs::read_to_string(root.join("catalog-templates/t.yaml")).unwrap();
        for (image, code) in &codes {
            let is_there = template.contains(image.as_str());
            assert_eq!(is_there, *code == Some(0), "round {round}: {image} with {codes:?} in\n{template}");
            assert!(matches!(code, Some(0 | 1 | 3)), "round {round}: {codes:?}");
        }
        assert!(codes.iter().any(|it| it.1 == Some(0)), "round {round}: {codes:?}");
    }
}

#[test]
fn releases_at_the_same_time_lose_nothing() {
    race(25);
}

#[test]
#[ignore = "needs minutes"]
fn a_thousand_rounds_of_releases_lose_nothing() {
    race(1000);
}

/// A command with which several processes write one file at once, each with its own change.
struct Race {
    name: &'static str,
    /// Prepares the common start of all writers, below a directory.
    begin: fn(&Path),
    /// The script of writer N.
    script: fn(usize) -> String,
    /// Whether the change of writer N is there.
    is_there: fn(&Path, usize) -> bool,
    /// Whether a change is there only if its own writer made it.
    is_own: bool,
}

/// `olmdex` in a script, and the writers of a race.
const OLMDEX: &str = "\"$OLMDEX\" -q";

fn read(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap_or_default()
}

/// The part of a package's YAML file between its comment and the next one.
fn part(root: &Path, name: &str, n: usize) -> String {
    let text = read(root, name);
    let (_, rest) = text.split_once(&format!("# part {n}\n")).unwrap_or_else(|| panic!("{n} in\n{text}"));
    rest.split("# part").next().unwrap_or_default().to_owned()
}

/// Packages p1 to p4 in one file, with an upgrade to each of these versions from the one before.
fn packages(versions: &[&str]) -> String {
    let package = |n: usize| {
        let mut text = format!("# part {n}\nschema: olm.package\nname: p{n}\ndefaultChannel: stable\n---\n");
        text += &format!("schema: olm.channel\npackage: p{n}\nname: stable\nentries:\n");
        for (at, version) in versions.iter().enumerate() {
            let edges = match at {
                0 => "replaces: \"\"".to_owned(),
                _ => format!("replaces: p{n}.v{}", versions[at - 1]),
            };
            text += &format!("- {{name: p{n}.v{version}, {edges}}}\n");
        }
        for version in versions {
            let digest = "ab".repeat(32);
            text += &format!("---\nschema: olm.bundle\npackage: p{n}\nname: p{n}.v{version}\n");
            text += &format!("image: q.io/p{n}@sha256:{digest}\nproperties:\n");
            text += &format!("- {{type: olm.package, value: {{packageName: p{n}, version: {version}}}}}\n");
            text += "relatedImages:\n- {image: q.io/r:v1, name: r}\n- {image: q.io/r:v1, name: r}\n";
        }
        text
    };
    (1..=WRITERS).map(package).collect::<Vec<_>>().join("---\n")
}

/// Packages p1 to p4 with a second channel, whose head has no way into the default one.
fn stranded() -> String {
    let mut text = packages(&["1.0.0", "2.0.0"]);
    for n in 1..=WRITERS {
        text = text.replace(&format!("- {{name: p{n}.v2.0.0, replaces: p{n}.v1.0.0}}\n"), "");
        text += &format!("---\nschema: olm.channel\npackage: p{n}\nname: other\nentries:\n- name: p{n}.v2.0.0\n");
    }
    text
}

/// Directories b1 to b4, each the only bundle of a package.
fn bundles(root: &Path) {
    for n in 1..=WRITERS {
        let key = "operators.operatorframework.io.bundle";
        let annotations = format!("{key}.package.v1: p{n}\n  {key}.channels.v1: stable\n");
        write(root, &format!("b{n}/metadata/annotations.yaml"), format!("annotations:\n  {annotations}"));
        let head = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n";
        let csv = format!("{head}metadata: {{name: p{n}.v1.0.0}}\nspec: {{version: 1.0.0}}\n");
        write(root, &format!("b{n}/manifests/p{n}.clusterserviceversion.yaml"), csv);
    }
}

fn count(root: &Path, file: &str, sql: &str) -> bool {
    query(&root.join(file), sql) == "1"
}

const RACES: &[Race] = &[
    Race {
        name: "validate --fix",
        begin: |root| drop(write(root, "c/c.yaml", packages(&["1.0.0"]))),
        script: |n| {
            // The first three fix one rule each, the last fixes all of them.
            let rule = ["W1803", "W1804", "W0507", "W1803,W1804,W0507"][n - 1];
            format!("{OLMDEX} validate c --fix --select {rule}")
        },
        is_there: |root, n| {
            let text = read(root, "c/c.yaml");
            let own = text.matches("q.io/p").count() == 2 * WRITERS;
            let once = text.matches("q.io/r:v1").count() == WRITERS;
            let no_edges = !text.contains("replaces: \"\"");
            [own, once, no_edges, once && own && no_edges][n - 1]
        },
        is_own: false,
    },
    Race {
        name: "filter --repair",
        begin: |root| {
            let mut text = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\n".to_owned();
            text += "mirror:\n  operators:\n";
            for n in 1..=WRITERS {
                text += &format!("  # part {n}\n  - catalog: q.io/catalog:v{n}\n    packages:\n");
                text += "    - {name: p1, minVersion: 2.0.0}\n";
            }
            write(root, "set.yaml", text);
            write(root, "new/c.yaml", packages(&["1.0.0", "2.0.0"]));
            write(root, "old/c.yaml", packages(&["1.0.0"]));
        },
        // One catalog has an old state, in which the range is empty.
        script: |n| format!("{OLMDEX} filter -c set.yaml -i new -i q.io/catalog:v{n}=old --repair"),
        is_there: |root, n| !part(root, "set.yaml", n).contains("minVersion: 2.0.0"),
        is_own: true,
    },
    Race {
        name: "lock update",
        begin: |root| {
            write(root, "c/c.yaml", packages(&["1.0.0"]));
            let names: Vec<String> = (1..=WRITERS).map(|n| format!("p{n}")).collect();
            olmdex(["lock", "-q", "-i", "c"]).args(names).in_directory(root).answer().expect_code(0);
            write(root, "c/c.yaml", packages(&["1.0.0", "1.1.0"]));
        },
        script: |n| format!("{OLMDEX} lock update p{n} -i c"),
        is_there: |root, n| read(root, "operators.lock").contains(&format!("p{n}.v1.1.0")),
        is_own: true,
    },
    Race {
        name: "z-stream --apply",
        begin: |root| drop(write(root, "c/c.yaml", packages(&["1.0.0", "1.0.1", "1.1.0"]))),
        script: |n| format!("{OLMDEX} z-stream p{n}/stable --apply -i c"),
        is_there: |root, n| part(root, "c/c.yaml", n).contains("skips:"),
        is_own: true,
    },
    Race {
        name: "edit, packages of one file",
        begin: |root| drop(write(root, "c/c.yaml", packages(&["1.0.0"]))),
        script: |n| format!("{OLMDEX} edit deprecate p{n} -m old-{n} -i c"),
        is_there: |root, n| read(root, "c/c.yaml").contains(&format!("old-{n}")),
        is_own: true,
    },
    Race {
        name: "edit, bundles of one package",
        begin: |root| drop(write(root, "c/c.yaml", packages(&["1.0.1", "1.0.2", "1.0.3", "1.0.4"]))),
        script: |n| format!("{OLMDEX} edit deprecate p1@1.0.{n} -m old-{n} -i c"),
        is_there: |root, n| read(root, "c/c.yaml").contains(&format!("old-{n}")),
        is_own: true,
    },
    Race {
        name: "check-graph --write-baseline",
        begin: |root| drop(write(root, "c/c.yaml", stranded())),
        script: |n| format!("{OLMDEX} check-graph p{n} -i c --baseline known.json --write-baseline"),
        is_there: |root, n| read(root, "known.json").contains(&format!("\"p{n}\"")),
        is_own: true,
    },
    Race {
        name: "validate --write-baseline",
        begin: |root| drop(write(root, "c/c.yaml", packages(&["1.0.0"]))),
        script: |n| {
            let rule = ["W1802", "W1803", "W1804", "W0507"][n - 1];
            format!("{OLMDEX} validate c --select {rule} --baseline known.json --write-baseline")
        },
        is_there: |root, n| read(root, "known.json").contains(["W1802", "W1803", "W1804", "W0507"][n - 1]),
        is_own: true,
    },
    Race {
        name: "render of a composition",
        begin: |root| {
            let catalogs: Vec<String> = (1..=WRITERS).map(|n| format!("{{ source = 'part{n}' }}")).collect();
            let text = format!("[catalogs.all]\ndestination = 'out'\ncomponents = [{}]\n", catalogs.join(", "));
            write(root, "olmdex.toml", text);
            for n in 1..=WRITERS {
                let text = format!("schema: olm.package\nname: p{n}\ndescription: old\n");
                write(root, &format!("part{n}/c.yaml"), text);
            }
        },
        // A change of a part is made before it is rendered, so the final result must contain it.
        script: |n| {
            format!(
                "sed s/old/new-{n}/ part{n}/c.yaml >tmp{n} && mv tmp{n} part{n}/c.yaml && \
                 {OLMDEX} render"
            )
        },
        is_there: |root, n| read(root, &format!("out/p{n}/catalog.json")).contains(&format!("new-{n}")),
        is_own: false,
    },
    Race {
        name: "build",
        begin: |root| drop(write(root, "c/c.yaml", packages(&["1.0.0"]))),
        script: |n| format!("{OLMDEX} build c{n}=c -o all.db"),
        is_there: |root, n| {
            root.join("all.db").exists()
                && count(root, "all.db", &format!("SELECT count(*) FROM catalog WHERE name = 'c{n}'"))
        },
        is_own: true,
    },
    Race {
        name: "legacy add",
        begin: |root| {
            bundles(root);
            write(root, "all.db", "");
        },
        script: |n| format!("{OLMDEX} legacy add all.db b{n} --in-place"),
        is_there: |root, n| {
            count(root, "all.db", &format!("SELECT count(*) FROM operatorbundle WHERE name = 'p{n}.v1.0.0'"))
        },
        is_own: true,
    },
];

impl Race {
    fn run(&self, rounds: usize) {
        for round in 0..rounds {
            let directory = scratch();
            let root = directory.path();
            (self.begin)(root);
            let start = |n: usize| {
                let mut command = Command::new("sh");
                without_own(&mut command).env("OLMDEX", env!("CARGO_BIN_EXE_olmdex")).current_dir(root);
                let output = File::create(root.join(format!("said-{n}"))).unwrap();
                command.args(["-c", &(self.script)(n)]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
                command.spawn().unwrap()
            };
            let children: Vec<Child> = (1..=WRITERS).map(start).collect();
            let codes: Vec<Option<i32>> = children.into_iter().map(|mut it| it.wait().unwrap().code()).collect();
            let said = || (1..=WRITERS).map(|n| read(root, &format!("said-{n}"))).collect::<String>();
            for (at, code) in codes.iter().enumerate() {
                let is_there = (self.is_there)(root, at + 1);
                let is_right = if self.is_own { is_there == (*code == Some(0)) } else { is_there || *code != Some(0) };
                let place = format!("{}, round {round}, writer {} of {codes:?}", self.name, at + 1);
                assert!(is_right, "{place}: there is {is_there}\n{}", said());
                assert!(matches!(code, Some(0 | 1 | 3)), "{place}\n{}", said());
            }
            // A command that has written may still report faults in the edits of others.
            let is_any = codes.contains(&Some(0)) || (1..=WRITERS).any(|n| (self.is_there)(root, n));
            assert!(is_any, "{}, round {round}: {codes:?}\n{}", self.name, said());
        }
    }
}

#[test]
fn writers_of_one_file_lose_nothing() {
    RACES.iter().for_each(|it| it.run(4));
}

/// The variable `RACE` may name one race to run.
#[test]
#[ignore = "needs minutes"]
fn a_thousand_rounds_of_writers_lose_nothing() {
    let wanted = std::env::var("RACE").unwrap_or_default();
    for race in RACES.iter().filter(|it| it.name.contains(&wanted)) {
        race.run(1000);
    }
}
