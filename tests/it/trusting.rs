//! The author of an `olmdex.toml` or of a link decides what is read. A found file of options reads nothing outside of
//! its directory, and no message shows a line of a file that a link leads to.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::editor::{Editor, uri};
use crate::support::registry::Registry;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

const SECRET: &str = "hunter2";

/// A checkout `repo` with a catalog and a file of options, and foreign files beside it.
fn checkout(options: &str) -> TempDir {
    let folder = scratch();
    let catalog = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries: [{name: p.v1.0.0}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: registry.example.com/p:v1\nproperties:\n- {type: olm.package, value: {packageName: p, version: 1.0.0}}\n";
    for directory in ["repo/inside", "secret/catalog", "repo/sub"] {
        std::fs::create_dir_all(folder.path().join(directory)).unwrap();
    }
    write(folder.path(), "repo/inside/catalog.yaml", catalog);
    write(folder.path(), "secret/catalog/catalog.yaml", catalog);
    write(folder.path(), "secret/token.yaml", format!("password {SECRET}\n"));
    write(folder.path(), "secret/template.yaml", format!("schema: olm.semver\npassword: {SECRET}\n"));
    write(folder.path(), "secret/baseline.json", "{\"version\":1,\"findings\":[]}\n");
    write(folder.path(), "repo/olmdex.toml", options);
    folder
}

fn run(folder: &Path, args: &[&str]) -> Answer {
    olmdex(args).in_directory(folder.join("repo")).answer()
}

/// Paths out of the directory, for each key that names something to read.
fn leading_out(out: &str) -> Vec<String> {
    vec![
        format!("source = '{out}'"),
        format!("components = [{{ source = 'inside' }}, {{ source = '{out}', path = 'x' }}]"),
        format!("components = [{{ source = '{out}', packages = ['p'] }}]"),
        format!("template = '{out}'"),
        format!("template = 't.yaml'\nbundles = ['{out}']"),
        format!("template = 't.yaml'\nfrom = ['inside', '{out}']"),
        format!("source = '{out}'\ncatalog = 'c'"),
    ]
}

#[test]
fn a_found_file_reads_nothing_outside_of_its_directory() {
    let folder = checkout("");
    let secret = folder.path().join("secret");
    symlink(&secret, folder.path().join("repo/link")).unwrap();
    symlink(secret.join("token.yaml"), folder.path().join("repo/token.yaml")).unwrap();
    std::fs::create_dir(folder.path().join("repo/linked")).unwrap();
    symlink("../../secret/token.yaml", folder.path().join("repo/linked/x.yaml")).unwrap();
    symlink("/proc/self/environ", folder.path().join("repo/environ")).unwrap();
    write(folder.path(), "repo/t.yaml", "schema: olm.semver\nstable: {bundles: [{image: example.com/a:v1}]}\n");
    let absolute = secret.join("token.yaml").display().to_string();
    for out in [
        absolute.as_str(),
        "../secret/token.yaml",
        "inside/../../secret/catalog",
        "inside/../inside",
        "link/catalog",
        "link",
        "token.yaml",
        "linked",
        "environ",
        "/proc/self/environ",
        "/dev/stdin",
        "oci:../secret:v1",
        "oci:link:v1",
        "dir:/tmp",
        "oci-archive:../secret/token.yaml",
        "docker://registry.example.com/a:v1",
        "containers-storage:a",
    ] {
        for keys in leading_out(out) {
            write(folder.path(), "repo/olmdex.toml", format!("[catalogs.a]\ndestination = 'out'\n{keys}\n"));
            let build = ["build", "-o", "index.db"];
            for args in [
                &["validate"][..],
                &["validate", "-o", "json"],
                &["render"],
                &["render", "--catalog", "a"],
                &build,
                &["image", "--to", "oci:made"],
            ] {
                let answer = run(folder.path(), args);
                let told = answer.both();
                assert_eq!(answer.code, Some(2), "{args:?} {keys}: {told}");
                assert!(told.contains("--trust-config") && told.contains("olmdex.toml:"), "{args:?} {keys}: {told}");
                assert!(!told.contains(SECRET), "{args:?} {keys}: {told}");
            }
        }
    }
    assert!(!folder.path().join("repo/out").exists() && !folder.path().join("repo/index.db").exists());
}

#[test]
fn what_is_inside_is_read_and_a_trusted_file_reads_anything() {
    let folder = checkout("[catalogs.a]\nsource = 'inside'\n");
    write(folder.path(), "repo/inside/shared/x.yaml", "schema: x\nname: x\n");
    symlink("shared/x.yaml", folder.path().join("repo/inside/y.yaml")).unwrap();
    run(folder.path(), &["validate"]).expect_code(0);
    olmdex(["validate"]).in_directory(folder.path().join("repo/sub")).answer().expect_code(0);
    for out in ["../secret/catalog", "link", folder.path().join("secret/catalog").to_str().unwrap()] {
        write(folder.path(), "repo/olmdex.toml", format!("[catalogs.a]\nsource = '{out}'\n"));
        let _ = symlink("../secret/catalog", folder.path().join("repo/link"));
        run(folder.path(), &["validate"]).expect_code(2);
        olmdex(["validate"]).in_directory(folder.path().join("repo/sub")).answer().expect_code(2);
        for args in [
            &["--trust-config"][..],
            &["--anywhere"],
            &["--config", "olmdex.toml"],
            &["--config", "../repo/olmdex.toml"],
        ] {
            run(folder.path(), &[&["validate"], args].concat()).expect_code(0);
        }
    }
    // Its choice of findings is used, whatever else it names.
    write(
        folder.path(),
        "repo/olmdex.toml",
        "[findings]\nignore = ['W0805']\n[catalogs.a]\nsource = 'docker://registry.example.com/a'\n",
    );
    run(folder.path(), &["validate", "inside"]).expect_code(0);
}

#[test]
fn no_registry_is_asked_that_only_a_found_file_names() {
    let registry = Registry::start();
    let name = registry.name("shop:v1");
    let folder = checkout("");
    write(folder.path(), "repo/t.yaml", format!("schema: olm.semver\nstable: {{bundles: [{{image: '{name}'}}]}}\n"));
    let image = format!("[catalogs.a]\nimage = '{name}'\nsource = 'docker://{name}'\n");
    let isc = format!(
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: {name}\n"
    );
    write(folder.path(), "isc.yaml", isc);
    for options in [
        format!("[catalogs.a]\nsource = 'docker://{name}'\n"),
        format!("[catalogs.a]\ncomponents = [{{ source = 'docker://{name}', path = 'x' }}]\n"),
        "[catalogs.a]\ntemplate = 't.yaml'\npull = true\n".to_owned(),
        format!("[catalogs.a]\ntemplate = 't.yaml'\nfrom = ['docker://{name}']\n"),
        image,
    ] {
        write(folder.path(), "repo/olmdex.toml", options.as_str());
        for args in [
            &["validate"][..],
            &["build", "-o", "index.db"],
            &["render", "--catalog", "a"],
            &["filter", "-c", "../isc.yaml"],
        ] {
            if args[0] == "filter" && !options.contains("image = ") {
                continue;
            }
            run(folder.path(), args).expect_code(2).expect_words("--trust-config");
        }
        assert!(registry.requests().is_empty(), "{options}");
    }
}

/// Finding S1: the author of a saved plan decided which files are read, and which registry gets the credentials.
#[test]
fn a_saved_plan_reads_nothing_outside_of_its_directory() {
    let registry = Registry::start();
    let image = format!("docker://{}", registry.name("shop:v1"));
    let folder = checkout("");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help");
    let cluster = fixtures.join("must-gather").display().to_string();
    let (old, new) = (fixtures.join("old-catalog"), fixtures.join("my-catalog"));
    let inputs = [format!("4.16={}", old.display()), format!("4.17={}", new.display())];
    let first = ["plan", "--cluster", &cluster, "--to", "4.17", "-i", &inputs[0], "-i", &inputs[1], "-o", "json"];
    let saved: serde_json::Value = serde_json::from_str(&run(folder.path(), &first).out()).unwrap();
    let secret = folder.path().join("secret/token.yaml").display().to_string();
    symlink("../secret/token.yaml", folder.path().join("repo/token.yaml")).unwrap();
    let mut pipe = std::process::Command::new("mkfifo");
    assert!(pipe.arg(folder.path().join("repo/pipe")).status().unwrap().success());
    write(folder.path(), "repo/notes.txt", format!("password {SECRET}\n"));
    std::fs::create_dir(folder.path().join("repo/.docker")).unwrap();
    write(folder.path(), "repo/.docker/config.json", format!("{{\"auth\": \"{SECRET}\"\n"));
    let check = ["plan", "--check", "plan.json", "--cluster", &cluster];
    let outs = [
        "/proc/self/environ",
        &secret,
        "../secret/token.yaml",
        "token.yaml",
        "pipe",
        "notes.txt",
        ".docker/config.json",
        ".docker",
    ];
    for out in outs.into_iter().chain([image.as_str(), "oci:../secret", "/dev/stdin"]) {
        for option in ["input", "graph", "lifecycles"] {
            let mut plan = saved.clone();
            let word = if option == "input" { format!("4.16={out}") } else { out.to_owned() };
            plan["metadata"]["options"][option] = serde_json::json!([word, word.replace("4.16", "4.17")]);
            write(folder.path(), "repo/plan.json", plan.to_string());
            // The catalogs are those that the user names, or in the plan.
            let named: &[&str] = if option == "input" { &[] } else { &["-i", &inputs[0], "-i", &inputs[1]] };
            let answer = olmdex([&check[..], named].concat())
                .in_directory(folder.path().join("repo"))
                .env("TOKEN", SECRET)
                .answer();
            let told = answer.both();
            assert!(!told.contains(SECRET), "{option} {out}: {told}");
            let is_below = out == "notes.txt";
            assert_eq!(answer.code == Some(2), !is_below, "{option} {out}: {told}");
            assert_eq!(told.contains("--trust-config"), !is_below, "{option} {out}: {told}");
        }
    }
    assert!(registry.requests().is_empty());
    // The user names the same sources, or trusts the plan.
    write(folder.path(), "repo/plan.json", saved.to_string());
    run(folder.path(), &check).expect_code(2);
    for more in [&["--trust-config"][..], &["-i", &inputs[0], "-i", &inputs[1]]] {
        run(folder.path(), &[&check[..], more].concat()).expect_code(1);
    }
}

#[test]
fn a_baseline_is_inside_too() {
    let folder = checkout("");
    symlink("../secret/baseline.json", folder.path().join("repo/known.json")).unwrap();
    for out in ["../secret/baseline.json", "known.json", "/dev/null", "/proc/self/environ"] {
        write(folder.path(), "repo/olmdex.toml", format!("[findings]\nbaseline = '{out}'\n"));
        for args in [
            &["validate", "inside"][..],
            &["validate", "inside", "--write-baseline"],
            &["build", "inside", "-o", "index.db"],
            &["check-graph", "p", "-i", "inside"],
        ] {
            let answer = run(folder.path(), args);
            answer.expect_code(2).expect_words("olmdex.toml:2:12").expect_words("--trust-config");
        }
    }
    let before = std::fs::read_to_string(folder.path().join("secret/baseline.json")).unwrap();
    assert_eq!(before, "{\"version\":1,\"findings\":[]}\n");
}

#[test]
fn a_found_file_is_no_link_that_leads_out() {
    let folder = checkout("");
    let path = folder.path().join("repo/olmdex.toml");
    write(folder.path(), "secret/options.toml", format!("{SECRET} = 1\n"));
    std::fs::remove_file(&path).unwrap();
    symlink("../secret/options.toml", &path).unwrap();
    let answer = run(folder.path(), &["validate", "inside"]);
    answer.expect_code(2).expect_words("--trust-config");
    assert!(!answer.both().contains(SECRET));
    run(folder.path(), &["validate", "inside", "--no-config"]).expect_code(0);
    run(folder.path(), &["validate", "inside", "--trust-config"]).expect_code(2).expect_words(SECRET);
}

#[test]
fn an_editor_reads_nothing_outside_either() {
    let folder = checkout("[findings]\nbaseline = '../secret/baseline.json'\n");
    let root = folder.path().join("repo").canonicalize().unwrap();
    let path = root.join("inside/catalog.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    for (args, is_told) in [(&[][..], true), (&["--trust-config"], false), (&["--config", "olmdex.toml"], false)] {
        let mut editor = Editor::initialized(&root, args, &["utf-16"]);
        editor.open(&uri(&path), 1, &text);
        let mut told = false;
        loop {
            let message = editor.next();
            told |= message["method"] == "window/showMessage" && message.to_string().contains("--trust-config");
            if message["method"] == "textDocument/publishDiagnostics" {
                break;
            }
        }
        assert_eq!(told, is_told, "{args:?}");
    }
}

#[test]
fn no_message_shows_a_line_behind_a_link() {
    let folder = checkout("");
    let root = folder.path();
    std::fs::remove_file(root.join("repo/olmdex.toml")).unwrap();
    let secrets = [
        ("plain.yaml", format!("password {SECRET}\n")),
        ("object.yaml", format!("password: {SECRET}\n")),
        ("object.json", format!("{{\"password\": \"{SECRET}\"}}\n")),
        ("broken.yaml", format!("a: {SECRET}: b\n")),
        ("tagged.yaml", format!("a: !!int {SECRET}\n")),
        ("alias.yaml", format!("a: *{SECRET}\n")),
        ("separator.yaml", format!("a: b\n--- {SECRET}\n")),
        ("keys.yaml", format!("{SECRET}: b\n{}: c\n", SECRET.to_uppercase())),
        ("number.json", "{\"a\": 19283e999}\n".to_owned()),
        ("head.yaml", format!("schema: {{a: {SECRET}}}\n")),
        ("typed.yaml", format!("schema: olm.package\nname: [{SECRET}]\n")),
    ];
    for (name, text) in &secrets {
        write(root, &format!("secret/{name}"), text);
        std::fs::create_dir_all(root.join("repo/linking")).unwrap();
        let link = root.join(format!("repo/linking/{name}"));
        symlink(format!("../../secret/{name}"), &link).unwrap();
        let lines = [
            &["validate", "linking"][..],
            &["validate", link.to_str().unwrap()],
            &["validate", "linking", "-o", "json"],
            &["validate", "linking", "-o", "sarif"],
            &["validate", "linking", "-o", "junit"],
            &["validate", "linking", "-o", "github"],
            &["validate", "linking", "--compat", "opm"],
            &["render", "linking", "--log-format", "json"],
            &["build", "linking", "-o", "index.db"],
            &["list", "packages", "-i", "linking"],
            &["check-graph", "p", "-i", "linking"],
        ];
        for args in lines {
            let answer = run(root, args);
            let told = answer.both().to_lowercase();
            assert_ne!(answer.code, Some(0), "{args:?} {name}: {told}");
            assert!(!told.contains(SECRET) && !told.contains("19283"), "{args:?} {name}: {told}");
        }
        // The same file, named by the user, who may see it.
        if ["plain.yaml", "broken.yaml"].contains(name) {
            run(root, &["validate", &format!("../secret/{name}")]).expect_words(SECRET);
        }
        std::fs::remove_file(&link).unwrap();
    }
    // A link that stays inside leads to the named file.
    write(root, "repo/linking/deep/plain.yaml", format!("password {SECRET}\n"));
    symlink("deep/plain.yaml", root.join("repo/linking/a.yaml")).unwrap();
    run(root, &["validate", "linking"]).expect_words(SECRET);
}

/// Finding S20: `check .` showed the first line of `.docker/config.json`.
#[test]
fn no_message_shows_a_line_of_a_hidden_file() {
    let texts = [
        format!("{{\"auths\": {{\"a\": \"{SECRET}\"}}}}\n"),
        format!("password {SECRET}\n"),
        format!("{SECRET}: b\n{SECRET}: c\n"),
        format!("schema: olm.package\nname: [{SECRET}]\n"),
    ];
    for name in [".docker/config.json", ".netrc", "inside/.npmrc", "inside/.aws/credentials"] {
        for text in &texts {
            let folder = checkout("");
            let root = folder.path();
            std::fs::remove_file(root.join("repo/olmdex.toml")).unwrap();
            std::fs::create_dir_all(root.join("repo").join(name).parent().unwrap()).unwrap();
            write(root, &format!("repo/{name}"), text);
            symlink(name, root.join("repo/link.yaml")).unwrap();
            for args in [
                &["check", "."][..],
                &["validate", "."],
                &["validate", ".", "-o", "sarif"],
                &["build", ".", "-o", "index.db"],
                &["list", "packages", "-i", "."],
                &["render", "."],
            ] {
                let answer = run(root, args);
                assert!(!answer.both().contains(SECRET), "{args:?} {name}: {}", answer.both());
            }
            std::fs::remove_file(root.join("repo/link.yaml")).unwrap();
            let check = run(root, &["check", "."]);
            check.expect_code(0).expect_words("olmdex does not check 1 hidden file in `.`");
            // The user names the file.
            run(root, &["validate", name]).expect_words(SECRET);
        }
    }
}

/// Messages show only what is about OLM of the files that a found `olmdex.toml` names.
#[test]
fn a_found_file_shows_no_secret_below_its_directory() {
    let folder = checkout("");
    let root = folder.path();
    let isc = "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: q.io/a:v1\n";
    write(root, "isc.yaml", isc);
    let lines = [
        &["validate"][..],
        &["validate", "-o", "json"],
        &["build", "-o", "index.db"],
        &["render", "--catalog", "a"],
        &["filter", "-c", "../isc.yaml"],
    ];
    for text in [
        format!("password {SECRET}\n"),
        format!("password: {SECRET}\n"),
        format!("{{\"password\": \"{SECRET}\"}}\n"),
        format!("a: {SECRET}: b\n"),
        format!("schema: [{SECRET}]\n"),
    ] {
        write(root, "repo/sub/notes.yaml", &text);
        for source in [
            "source = 'sub'",
            "source = 'sub/notes.yaml'",
            "components = [{ source = 'sub' }, { source = 'inside', path = 'x' }]",
            "template = 'sub/notes.yaml'",
            "components = [{ template = 'sub/notes.yaml' }, { source = 'inside', path = 'x' }]",
            "source = 'inside'\n[findings]\nbaseline = 'sub/notes.yaml'",
        ] {
            write(root, "repo/olmdex.toml", format!("[catalogs.a]\nimage = 'q.io/a:v1'\n{source}\n"));
            for args in lines {
                if args[0] == "filter" && !source.starts_with("source = 'sub") {
                    continue;
                }
                let answer = run(root, args);
                assert!(!answer.both().contains(SECRET), "{args:?} {source} {text}: {}", answer.both());
            }
        }
    }
    // The author of a catalog sees it, and the user who trusts the file sees anything.
    write(root, "repo/sub/notes.yaml", format!("password {SECRET}\n"));
    write(root, "repo/olmdex.toml", "[catalogs.a]\nsource = 'sub'\n");
    run(root, &["validate", "--trust-config"]).expect_code(1).expect_words(SECRET);
    write(root, "repo/sub/notes.yaml", format!("schema: olm.package\nname: {SECRET}: b\n"));
    run(root, &["validate"]).expect_code(1).expect_words(SECRET);
}

#[test]
fn a_link_into_what_the_system_makes_up_is_not_read() {
    let folder = checkout("");
    std::fs::remove_file(folder.path().join("repo/olmdex.toml")).unwrap();
    for target in ["/proc/self/environ", "/proc/version", "/dev/zero", "/sys/kernel/notes"] {
        for name in ["x.yaml", ".indexignore"] {
            let link = folder.path().join("repo/inside").join(name);
            symlink(target, &link).unwrap();
            let answer =
                olmdex(["validate", "inside"]).in_directory(folder.path().join("repo")).env("TOKEN", SECRET).answer();
            answer.expect_code(1).expect_words("E0001");
            assert!(!answer.both().contains(SECRET) && !answer.both().contains("Linux version"), "{}", answer.both());
            std::fs::remove_file(&link).unwrap();
        }
    }
}
