//! The cost of a small input: blanks, aliases and objects of git that unpack to far more than they are. The input
//! bounds work and memory; input beyond a limit ends with 5 and names the option that lifts it.
//!
//! Memory is counted by the limit that the program runs under, not measured.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Answer, olmdex, scratch, write};

/// Runs a command in little memory, on two threads, so that its need is the same everywhere.
fn in_memory(kib: usize, directory: &Path, args: &[&str]) -> Answer {
    let args: Vec<&str> = args.iter().copied().chain(["--threads", "2"]).collect();
    olmdex(args)
        .in_directory(directory)
        .after(&format!("ulimit -v {kib}; ulimit -t 600"))
        .env("MALLOC_ARENA_MAX", "1")
        .answer()
}

/// The addresses that the program takes before it reads anything: its own text, stacks, arenas of its threads.
const BASE: usize = 150_000;

/// Documents whose aliases copy one text over and over.
fn aliases(n_documents: usize, text: usize, n_copies: usize) -> String {
    let mut all = String::new();
    for number in 0..n_documents {
        let copies: Vec<&str> = (0..n_copies).map(|at| if at % 50 == 0 { "1" } else { "*a" }).collect();
        let (text, copies) = ("x".repeat(text), copies.join(","));
        writeln!(all, "---\nschema: olm.x\nname: n{number}\npackage: p\na0: &a [\"{text}\"]\nl: [{copies}]").unwrap();
    }
    all
}

const PACKAGE: &str = "schema: olm.package\nname: p\ndefaultChannel: a\n";

/// Texts with so many bytes of blanks, with their kinds.
fn blanks(n: usize) -> Vec<(&'static str, String)> {
    let json = "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"a\"}";
    vec![
        ("newlines.yaml", "\n".repeat(n)),
        ("comments.yaml", "# c\n".repeat(n / 4)),
        ("inside.yaml", format!("{PACKAGE}{}x: y\n", "\n".repeat(n))),
        ("lines.yaml", format!("{PACKAGE}{}x: y\n", "  \n".repeat(n / 3))),
        ("behind.yaml", format!("{PACKAGE}{}", "\n".repeat(n))),
        ("one-line.yaml", format!("{PACKAGE}x:{}y\n", " ".repeat(n))),
        ("before.json", format!("{}{json}", " ".repeat(n))),
        ("between.json", format!("{json}{}{json}", "\n".repeat(n))),
        ("within.json", format!("{{{}{}", "\n".repeat(n), &json[1..])),
    ]
}

fn cost_little(n: usize) {
    let directory = scratch();
    for (name, text) in blanks(n) {
        write(directory.path(), &format!("{name}.d/{name}"), text);
        // Five times the size for each: the text in a buffer that doubles, the data of the YAML reader, and the text
        // once more for the place of a finding.
        let memory = BASE + 5 * n / 1024;
        let commands: &[&str] = if name.starts_with("in") { &["validate", "render"] } else { &["validate"] };
        for command in commands {
            let answer = in_memory(memory, directory.path(), &[command, &format!("{name}.d")]);
            assert!(matches!(answer.code, Some(0 | 1 | 3)), "{command} {name}: {:?} {}", answer.code, answer.err());
            assert!(!answer.both().contains("internal error"), "{command} {name}: {}", answer.both());
        }
        std::fs::remove_dir_all(directory.path().join(format!("{name}.d"))).unwrap();
    }
}

#[test]
fn blanks_cost_no_more_than_they_are() {
    // Nine bytes for each line break, as an older version took, would exceed the limit.
    cost_little(16 << 20);
}

#[test]
#[ignore = "needs minutes"]
fn many_blanks_cost_no_more_than_they_are() {
    cost_little(250 << 20);
}

#[test]
fn aliases_are_charged_over_all_documents() {
    let directory = scratch();
    let root = directory.path();
    // 10 documents of 245 MB each; any of them alone would be read.
    write(root, "bomb/c.yaml", aliases(10, 50_000, 5_000));
    for (number, text) in aliases(10, 50_000, 5_000).split("---\n").filter(|it| !it.is_empty()).enumerate() {
        write(root, &format!("files/{number}.yaml"), text);
    }
    // Buffers double; without a limit over all documents they would take gigabytes.
    let memory = BASE + 1_300_000;
    for args in [
        &["render", "bomb"][..],
        &["render", "files"],
        &["render", "files", "-o", "yaml"],
        &["validate", "bomb"],
        &["validate", "files", "-o", "json"],
        &["build", "bomb", "-o", "index.db"],
        &["build", "files", "-o", "index.db", "--keep-going"],
        &["migrate", "bomb", "migrated"],
        &["list", "packages", "-i", "files"],
        &["template", "render", "bomb/c.yaml"],
        &["plan", "--cluster", "bomb/c.yaml", "--to", "4.18"],
        &["plan", "--cluster", "bomb", "--to", "4.18"],
        &["crd-check", "bomb/c.yaml", "files/0.yaml"],
        &["lifecycle", "--lifecycles", "bomb/c.yaml"],
        &["platform-path", "--from", "4.17.1", "--to", "4.18.1", "--graph", "bomb/c.yaml"],
    ] {
        let answer = in_memory(memory, root, args);
        answer.expect_code(5).expect_words("expand to more than 256 MiB").expect_words("`--no-image-limits`");
        assert!(answer.stdout.len() < 4096, "{args:?} prints {} bytes", answer.stdout.len());
    }
    assert!(!root.join("migrated").exists());
    // The findings do not depend on the number of threads.
    let told = |threads: &str| olmdex(["validate", "bomb", "--threads", threads]).in_directory(root).answer().both();
    assert_eq!(told("1"), told("2"));
}

#[test]
fn what_expands_within_the_limit_is_read_and_any_more_if_it_is_trusted() {
    let directory = scratch();
    write(directory.path(), "one/c.yaml", aliases(1, 20_000, 2_000));
    let render = |args: &[&str]| olmdex(["render"]).args(args).in_directory(directory.path()).answer();
    assert!(render(&["one"]).expect_code(0).stdout.len() > 39_000_000);
    // Aliases that only double their document cost nothing, however many there are.
    let mut small = String::new();
    for number in 0..2_000 {
        writeln!(
            small,
            "---\nschema: olm.x\nname: n{number}\na: &a [b, c, d]\nb: *a\nm: {{<<: &m {{x: 1}}, y: 2}}\nn: *m"
        )
        .unwrap();
    }
    write(directory.path(), "small/c.yaml", small);
    render(&["small"]).expect_code(0);
}

#[test]
#[ignore = "needs 2 GB of memory"]
fn a_user_who_trusts_a_catalog_lifts_the_limit() {
    let directory = scratch();
    write(directory.path(), "bomb/c.yaml", aliases(2, 50_000, 5_000));
    write(directory.path(), "one/c.yaml", aliases(1, 50_000, 5_000));
    let render = |args: &[&str]| olmdex(["render"]).args(args).in_directory(directory.path()).answer();
    assert!(render(&["one"]).expect_code(0).stdout.len() > 240_000_000);
    assert!(render(&["bomb", "--no-image-limits"]).expect_code(0).stdout.len() > 480_000_000);
}

/// Finding S19: what JSON cannot read was read as YAML, also if the reason was a limit: a list of many values, and a
/// number of megabytes. Each ends with 5 in the memory of its text and a little more.
#[test]
fn documents_beyond_a_limit_are_not_read_again_as_yaml() {
    let directory = scratch();
    let texts = [("values", format!("{{\"schema\":\"x\",\"a\":[{}0]}}", "0,".repeat(7_000_000)))];
    let texts = texts.into_iter().chain([("number", format!("{{\"schema\":\"x\",\"a\":{}}}", "9".repeat(14_000_000)))]);
    for (name, text) in texts {
        write(directory.path(), &format!("{name}/c.json"), text);
        let answer = in_memory(BASE + 150_000, directory.path(), &["validate", name]);
        answer.expect_code(5).expect_words("--no-image-limits");
    }
}

/// Finding S3: indented, a document grows with the square of its nesting.
#[test]
fn indentation_is_charged_over_all_documents() {
    let directory = scratch();
    let root = directory.path();
    let nested = format!("{}1{}", "{\"a\":".repeat(2_000), "}".repeat(2_000));
    let document =
        |number: usize| format!("{{\"schema\":\"olm.x\",\"package\":\"p\",\"name\":\"n{number}\",\"a\":{nested}}}\n");
    let package = "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"a\"}\n{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"a\",\"entries\":[{\"name\":\"p.v1\"}]}\n{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1\",\"image\":\"q.io/p:1\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}\n";
    let catalog = |n: usize| package.to_owned() + &(0..n).map(document).collect::<String>();
    write(root, "few/c.json", catalog(1));
    write(root, "many/c.json", catalog(60));
    write(root, "list/c.json", format!("{}{}", "[".repeat(9_000), "]".repeat(9_000)));
    olmdex(["build", "many", "-O", "many.db"]).in_directory(root).answer().expect_code(0);
    let memory = BASE + 400_000;
    for args in [&["render", "few"][..], &["render", "few", "-o", "yaml"], &["filter", "-p", "p", "-i", "few"]] {
        assert!(in_memory(memory, root, args).expect_code(0).stdout.len() > 4_000_000, "{args:?}");
    }
    for args in [
        &["render", "many"][..],
        &["render", "many", "-o", "yaml"],
        &["render", "many.db"],
        &["migrate", "many", "migrated"],
        &["filter", "-p", "p", "-i", "many", "--into", "filtered"],
    ] {
        let answer = in_memory(memory, root, args);
        answer.expect_code(5).expect_words("expand to more than 256 MiB").expect_words("`--no-image-limits`");
    }
    assert!(!root.join("migrated").exists() && !root.join("filtered").exists());
    in_memory(memory, root, &["validate", "many"]).expect_code(0);
    in_memory(memory, root, &["validate", "list"]).expect_code(1);
}

/// Small texts with a fault in every few bytes.
fn rubbish(n: usize) -> [(&'static str, String); 4] {
    let entries = vec!["{}"; n].join(",");
    let channel = "{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":";
    [
        ("objects.json", "{}\n".repeat(n)),
        ("separators.yaml", "---\n".repeat(2 * n)),
        ("texts.yaml", "a\n---\n".repeat(n)),
        ("entries.json", format!("{channel}[{entries}]}}")),
    ]
}

#[test]
fn rubbish_is_judged_up_to_a_limit() {
    let directory = scratch();
    let root = directory.path();
    for (name, text) in rubbish(60_000) {
        write(root, &format!("{name}.d/{name}"), text);
        let source = format!("{name}.d");
        let mut lines = vec![vec!["validate", &source], vec!["build", &source, "--keep-going", "-o", "index.db"]];
        if name != "entries.json" {
            lines.push(vec!["render", &source]);
        }
        for args in lines {
            // A finding takes a kilobyte, and the limit bounds their number.
            let answer = in_memory(BASE + 200_000, root, &args);
            answer.expect_code(5).expect_words("more than 50,000 findings").expect_words("`--no-image-limits`");
            assert!(answer.both().len() < 4096 && !root.join("index.db").exists(), "{args:?}");
        }
        std::fs::remove_dir_all(root.join(source)).unwrap();
    }
    write(root, "fewer/c.json", "{}\n".repeat(1_000));
    let answer = olmdex(["validate", "fewer"]).in_directory(root).answer();
    answer.expect_code(1).expect_words("1,000 errors");
}

/// Texts of `n` bytes that take far more memory: every few bytes are a value, an item of a list, a document.
fn tiny(n: usize) -> Vec<(&'static str, String)> {
    let list = |item: &str| vec![item; n / (item.len() + 1)].join(",");
    let blob = |inner: &str| format!("{{\"schema\":\"olm.x\",\"package\":\"p\",\"name\":\"n\",\"a\":{inner}}}");
    let bundle = "{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"n\",\"image\":\"i\"";
    let numbered = |n_bytes: usize, text: &dyn Fn(usize) -> String| (0..n / n_bytes).map(text).collect::<String>();
    vec![
        ("values.json", blob(&format!("[{}]", list("0")))),
        ("maps.json", blob(&format!("[{}]", list("{}")))),
        ("values.yaml", format!("schema: olm.x\nname: x\na: [{}]\n", list("0"))),
        ("lines.yaml", format!("schema: olm.x\nname: x\na:\n{}", "- a\n".repeat(n / 4))),
        ("anchors.yaml", format!("schema: olm.x\nname: x\na: [{}]\n", list("&a 0"))),
        ("documents.json", "{\"schema\":\"a\"}".repeat(n / 14)),
        ("documents.yaml", "schema: a\n---\n".repeat(n / 14)),
        (
            "packages.json",
            numbered(60, &|it| format!("{{\"schema\":\"olm.package\",\"name\":\"p{it}\",\"defaultChannel\":\"a\"}}")),
        ),
        (
            "entries.json",
            format!(
                "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{}{{\"name\":\"a\"}}]}}",
                numbered(20, &|it| format!("{{\"name\":\"a{it}\"}},"))
            ),
        ),
        (
            "skips.json",
            format!(
                "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{{\"name\":\"a\",\"skips\":[{}\"b\"]}}]}}",
                numbered(16, &|it| format!("\"a.v0.{it}.0\","))
            ),
        ),
        (
            "ranges.json",
            format!(
                "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{}{{\"name\":\"a\"}}]}}",
                numbered(130_000, &|it| {
                    let range: Vec<String> = (0..5000).map(|at| format!(">=1.0.{at} <1.1.{at}")).collect();
                    format!("{{\"name\":\"a{it}\",\"skip\\u0052ange\":\"{}\"}},", range.join(" || "))
                })
            ),
        ),
        ("properties.json", format!("{bundle},\"properties\":[{}]}}", list("{\"type\":\"a\",\"value\":1}"))),
        ("images.json", format!("{bundle},\"relatedImages\":[{}]}}", list("{\"image\":\"a\"}"))),
    ]
}

/// They are either read or refused in little memory.
fn take_no_more_than_their_share(n: usize, names: &[&str], commands: &[&str]) {
    let directory = scratch();
    let root = directory.path();
    for (name, text) in tiny(n).into_iter().filter(|it| names.is_empty() || names.contains(&it.0)) {
        write(root, &format!("{name}.d/{name}"), text);
        let source = format!("{name}.d");
        for command in commands {
            let output: &[&str] = if *command == "build" { &["--keep-going", "-o", "index.db"] } else { &[] };
            let args: Vec<&str> = command.split(' ').chain([source.as_str()]).chain(output.iter().copied()).collect();
            // The text in a buffer that doubles, and as much as the limit allows.
            let answer = in_memory(BASE + 2 * n / 1024 + 300_000, root, &args);
            assert!(matches!(answer.code, Some(0 | 1 | 5)), "{args:?}: {:?} {}", answer.code, answer.err());
            if answer.code == Some(5) {
                answer.expect_words("expand to more than 256 MiB").expect_words("`--no-image-limits`");
                assert!(
                    answer.out().is_empty() && answer.both().len() < 4096 && !root.join("index.db").exists(),
                    "{args:?}"
                );
            }
            let _ = std::fs::remove_file(root.join("index.db"));
        }
        std::fs::remove_dir_all(root.join(source)).unwrap();
    }
}

#[test]
fn tiny_values_take_no_more_than_their_share() {
    take_no_more_than_their_share(16 << 20, &["maps.json", "values.yaml"], &["validate"]);
    take_no_more_than_their_share(10 << 20, &["skips.json", "ranges.json"], &["check-graph -i"]);
    take_no_more_than_their_share(10 << 20, &["skips.json"], &["simulate --remove p/c -i"]);
}

#[test]
#[ignore = "needs minutes"]
fn many_tiny_values_take_no_more_than_their_share() {
    take_no_more_than_their_share(100 << 20, &[], &["validate", "render", "build"]);
}

/// The value of a bundle's property for an object.
fn carried(object: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(object)
}

/// The ClusterServiceVersion that replaces manifests is in no document: the one of a blob alone was charged.
#[test]
fn indentation_of_migrated_manifests_is_charged() {
    let directory = scratch();
    let nested = format!("{}1{}{}", "[".repeat(4_000), ",1".repeat(20_000), "]".repeat(4_000));
    let csv = format!(
        "{{\"kind\":\"ClusterServiceVersion\",\"spec\":{{\"customresourcedefinitions\":{{\"owned\":[{{\"name\":\"a.b\",\"version\":\"v1\",\"kind\":\"A\",\"specDescriptors\":[{{\"path\":\"x\",\"value\":{nested}}}]}}]}}}}}}"
    );
    let object = carried(&csv);
    let text = format!(
        "{PACKAGE}---\nschema: olm.channel\npackage: p\nname: a\nentries: [{{name: p.v1.0.0}}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: i\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: 1.0.0}}\n- type: olm.bundle.object\n  value: {{data: {object}}}\n"
    );
    write(directory.path(), "c/c.yaml", text);
    let level = ["--migrate-level", "bundle-object-to-csv-metadata", "-o"];
    for format in ["yaml", "json"] {
        let args = [&["render", "c"][..], &level, &[format]].concat();
        let answer = in_memory(BASE + 400_000, directory.path(), &args);
        answer.expect_code(5).expect_words("expand to more than 256 MiB");
    }
    in_memory(BASE, directory.path(), &["render", "c"]).expect_code(0);
}

#[test]
fn objects_of_bundles_are_charged_too() {
    let directory = scratch();
    let mut text = format!("{PACKAGE}---\nschema: olm.channel\npackage: p\nname: a\nentries: [{{name: p.v1.0.0}}]\n");
    let (text_of_object, copies) = ("x".repeat(50_000), vec!["*a"; 2_500].join(","));
    let object =
        carried(&format!("kind: ConfigMap\nmetadata: {{name: c}}\na: &a [\"{text_of_object}\"]\nl: [1,{copies}]\n"));
    for number in 0..4 {
        writeln!(
            text,
            "---\nschema: olm.bundle\npackage: p\nname: p.v{number}.0.0\nimage: i\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {number}.0.0}}\n- type: olm.bundle.object\n  value: {{data: {object}}}"
        )
        .unwrap();
    }
    write(directory.path(), "objects/c.yaml", text);
    // A property without data takes that of the one before it.
    let empty = "{\"type\":\"olm.bundle.object\",\"value\":{}},".repeat(20_000);
    let object = carried(&format!("{{\"kind\":\"ConfigMap\",\"a\":\"{}\"}}", "x".repeat(1_000_000)));
    let text = format!(
        "{{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"i\",\"properties\":[{{\"type\":\"olm.bundle.object\",\"value\":{{\"data\":\"{object}\"}}}},{empty}{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p\",\"version\":\"1.0.0\"}}}}]}}"
    );
    write(directory.path(), "again/c.json", text);
    for args in [["render", "objects"], ["validate", "objects"], ["render", "again"], ["validate", "again"]] {
        let answer = in_memory(BASE + 800_000, directory.path(), &args);
        answer.expect_code(5).expect_words("`--no-image-limits`");
    }
}

#[test]
fn files_of_a_bundle_are_charged_together() {
    let directory = scratch();
    let root = directory.path();
    write(root, "b/metadata/annotations.yaml", "annotations: {operators.operatorframework.io.bundle.package.v1: p}\n");
    for number in 0..10 {
        let copies = vec!["*a"; 1_000].join(",");
        let text = format!(
            "kind: ConfigMap\napiVersion: v1\nmetadata: {{name: c{number}}}\na: &a [\"{}\"]\nl: [1,{copies}]\n",
            "x".repeat(50_000)
        );
        write(root, &format!("b/manifests/{number}.yaml"), text);
    }
    let answer = in_memory(BASE + 900_000, root, &["bundle", "validate", "b"]);
    answer.expect_code(5).expect_words("`--no-image-limits`");
}

/// Runs git with an input, and only with the repository's own configuration.
fn git(directory: &Path, arguments: &[&str], input: impl FnOnce(&mut dyn std::io::Write)) -> String {
    let mut child = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "core.bigFileThreshold=1m",
        ])
        .args(arguments)
        .current_dir(directory)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    input(&mut child.stdin.take().unwrap());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn blob(repository: &Path, mib: usize) -> String {
    git(repository, &["hash-object", "-w", "--stdin"], |out| {
        let piece = vec![b'\n'; 1 << 20];
        (0..mib).for_each(|_| out.write_all(&piece).unwrap());
    })
}

fn commit(repository: &Path, tree: &str) {
    let commit = git(repository, &["commit-tree", tree, "-m", "bomb"], |_| {});
    git(repository, &["update-ref", "refs/heads/main", &commit], |_| {});
}

fn tree(repository: &Path, entries: &str) -> String {
    git(repository, &["mktree"], |out| out.write_all(entries.as_bytes()).unwrap())
}

#[test]
fn objects_of_git_have_the_limits_of_images() {
    let directory = scratch();
    let root = directory.path();
    let repository = root.join("repo");
    std::fs::create_dir_all(&repository).unwrap();
    git(&repository, &["init", "-q"], |_| {});
    let build = || in_memory(BASE + 300_000, root, &["build", "--git", "repo", "-o", "past.db"]);
    // Trees that name each other: a billion files in a few objects.
    let blob_of_text =
        git(&repository, &["hash-object", "-w", "--stdin"], |out| out.write_all(PACKAGE.as_bytes()).unwrap());
    let mut inner =
        tree(&repository, &(0..10).map(|it| format!("100644 blob {blob_of_text}\tf{it}.yaml\n")).collect::<String>());
    for _ in 0..8 {
        inner = tree(&repository, &(0..10).map(|it| format!("040000 tree {inner}\td{it}\n")).collect::<String>());
    }
    commit(&repository, &inner);
    build().expect_code(5).expect_words("`--no-image-limits`");
    // One object that is a hundred files.
    let large = blob(&repository, 24);
    let many = (0..100).map(|it| format!("100644 blob {large}\tf{it}.yaml\n")).collect::<String>();
    commit(&repository, &tree(&repository, &many));
    build().expect_code(5).expect_words("`--no-image-limits`").expect_words("2048 MiB");
    assert!(!root.join("past.db").exists());
}

#[test]
#[ignore = "needs minutes"]
fn blanks_in_git_are_refused_by_their_ratio() {
    let directory = scratch();
    let root = directory.path();
    let repository = root.join("repo");
    std::fs::create_dir_all(&repository).unwrap();
    git(&repository, &["init", "-q"], |_| {});
    let two = [blob(&repository, 200), blob(&repository, 201)];
    let entries: String = two.iter().map(|it| format!("100644 blob {it}\tf{it}.yaml\n")).collect();
    commit(&repository, &tree(&repository, &entries));
    let build = || in_memory(BASE + 300_000, root, &["build", "--git", "repo", "-o", "past.db"]);
    build().expect_code(5).expect_words("more than 200 times").expect_words("`--no-image-limits`");
    let one = blob(&repository, 250);
    commit(
        &repository,
        &tree(
            &repository,
            &format!("100644 blob {one}\tf.yaml\n100644 blob {}\tp.yaml\n", {
                git(&repository, &["hash-object", "-w", "--stdin"], |out| out.write_all(PACKAGE.as_bytes()).unwrap())
            }),
        ),
    );
    // Within the limits it has its normal answer.
    in_memory(BASE + 900_000, root, &["build", "--git", "repo", "-o", "past.db", "--keep-going"]);
}

#[test]
fn a_simulation_follows_as_many_names_as_it_says() {
    let directory = scratch();
    let skips: Vec<String> = (0..250_000).map(|number| format!("\"p.v0.{number}.0\"")).collect();
    let entries = format!("[{{\"name\":\"p.v1.0.0\",\"skips\":[{}]}}]", skips.join(","));
    let bundle = "{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"r/p:1\",\"properties\":\
        [{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}";
    let package = "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"a\"}";
    let channel = format!("{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"a\",\"entries\":{entries}}}");
    write(directory.path(), "c/c.json", format!("{package}\n{channel}\n{bundle}\n"));
    let answer = olmdex(["simulate", "--deprecate", "p.v1.0.0", "-i", "c"]).in_directory(directory.path()).answer();
    answer.expect_code(5).expect_words("name 250001 bundles; a simulation takes 250000");
}

#[test]
#[ignore = "needs minutes"]
fn each_of_many_channels_costs_the_same() {
    let directory = scratch();
    let channel = |at: usize| format!("---\nschema: olm.channel\npackage: p\nname: c{at}\nentries: []\n");
    let text: String = (0..40_000).map(channel).collect();
    write(directory.path(), "c/c.yaml", format!("{PACKAGE}{text}"));
    for (code, line) in
        [(0, "edit repair -i c"), (1, "check-graph -i c --old c"), (0, "edit remove p/c1 -i c --dry-run")]
    {
        // Unoptimised, each takes 4 to 8 seconds; the first two took 40 when each channel looked at all.
        let answer = olmdex(line.split(' ')).in_directory(directory.path()).after("ulimit -t 30").answer();
        assert_eq!(answer.code, Some(code), "{line}: {}", answer.err());
    }
}
