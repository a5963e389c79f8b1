//! The past of catalogs: repositories of git that the tests make, honest ones and hostile ones.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

use olmdex::index::Index;

use crate::pages::Pages;
use crate::support::{Answer, olmdex, scratch, write};

/// Runs git in a directory, at a time, and only with the repository's own configuration.
fn git(directory: &Path, date: &str, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_AUTHOR_DATE", date)
        .env("GIT_COMMITTER_DATE", date)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn catalog(versions: &[&str]) -> String {
    let mut text = "schema: olm.package\nname: till\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: till\nname: stable\nentries:\n".to_owned();
    for (at, version) in versions.iter().enumerate() {
        text.push_str(&format!("- name: till.v{version}\n"));
        if at > 0 {
            text.push_str(&format!("  replaces: till.v{}\n", versions[at - 1]));
        }
    }
    for version in versions {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: till\nname: till.v{version}\nimage: registry.example.com/till:v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: till, version: {version}}}\n"
        ));
    }
    text
}

/// A repository whose catalog changes on three days: twice on the second one; a fourth day changes only other files.
fn repository(root: &Path) {
    std::fs::create_dir_all(root).unwrap();
    git(root, "2026-02-01T08:00:00Z", &["init", "-q"]);
    let commit = |date: &str, versions: &[&str]| {
        write(root, "catalogs/v4.20/till/catalog.yaml", catalog(versions));
        git(root, date, &["add", "-A"]);
        git(root, date, &["commit", "-q", "--allow-empty", "-m", "more"]);
    };
    write(root, "README.md", "not yet");
    git(root, "2026-02-01T08:00:00Z", &["add", "-A"]);
    git(root, "2026-02-01T08:00:00Z", &["commit", "-q", "-m", "begin"]);
    commit("2026-02-03T08:00:00Z", &["1.0.0"]);
    git(root, "2026-02-03T08:00:00Z", &["tag", "v10"]);
    commit("2026-03-01T08:00:00Z", &["1.0.0", "1.0.1"]);
    commit("2026-03-01T22:00:00Z", &["1.0.0", "1.0.1", "1.1.0"]);
    git(root, "2026-03-02T08:00:00Z", &["tag", "-a", "-m", "nine", "v9"]);
    write(root, "README.md", "elsewhere");
    commit("2026-03-09T08:00:00Z", &["1.0.0", "1.0.1", "1.1.0"]);
    commit("2026-04-01T08:00:00Z", &["1.0.0", "1.1.0"]);
}

/// The names of the states of all catalogs of an index.
fn states(root: &Path, index: &str) -> Vec<String> {
    let sql = "SELECT state FROM v_state ORDER BY catalog, number";
    let answer = run(root, &["sql", sql, "-i", index, "-o", "json"]);
    let value: serde_json::Value = serde_json::from_str(&answer.expect_code(0).out()).unwrap();
    value["items"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap().to_owned()).collect()
}

fn run(directory: &Path, arguments: &[&str]) -> Answer {
    olmdex(arguments.iter().copied()).in_directory(directory).answer()
}

const BUILD: &[&str] = &["build", "--git", "shop=repo", "--git-path", "catalogs/v4.20", "-o", "past.db"];

#[test]
fn an_index_answers_about_the_past() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    run(root, BUILD).expect_code(0).expect_words("catalog `shop`: 3 states read, 0 already in the index");
    run(root, &["info", "--verify", "past.db"]).expect_code(0).expect_words("verified: ");
    assert_eq!(run(root, &["list", "catalogs", "-i", "past.db", "-o", "name"]).out(), "shop\n");
    assert_eq!(states(root, "past.db"), ["2026-02-03", "2026-03-01", "2026-04-01"]);
    let history = run(root, &["history", "till", "-i", "past.db", "-o", "json"]).out();
    let history: serde_json::Value = serde_json::from_str(&history).unwrap();
    let rows: Vec<String> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {} {}", it["version"], it["first"], it["last"], it["isCurrent"]))
        .collect();
    assert_eq!(
        rows,
        [
            r#""1.0.0" "shop@2026-02-03" "shop" true"#,
            r#""1.0.1" "shop@2026-03-01" "shop@2026-03-01" false"#,
            r#""1.1.0" "shop@2026-03-01" "shop" true"#,
        ]
    );
    // A plan takes the catalogs of its day.
    let of_versions = ["build", "--git", "shop-4.20=repo", "--git-path", "catalogs/v4.20", "-o", "versions.db"];
    run(root, &of_versions).expect_code(0);
    let cluster = "apiVersion: v1\nkind: List\nitems:\n\
                   - {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: till, namespace: ns}, \
                   spec: {name: till, channel: stable, source: shop, sourceNamespace: olm}, status: {installedCSV: till.v1.0.0}}\n\
                   - {apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, \
                   metadata: {name: till.v1.0.0, namespace: ns}, spec: {version: 1.0.0}, status: {phase: Succeeded}}\n";
    write(root, "cluster.yaml", cluster);
    let plan =
        ["plan", "--cluster", "cluster.yaml", "--from", "4.19", "--to", "4.20", "-i", "versions.db", "-o", "json"];
    for (day, catalogs, state) in [
        ("2026-02-02", vec![], "unknown"),
        ("2026-02-10", vec!["shop-4.20"], "head"),
        ("2026-03-15", vec!["shop-4.20"], "behind"),
    ] {
        let answer = run(root, &[&plan[..], &["--date", day]].concat());
        let plan: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
        let names: Vec<&str> =
            plan["metadata"]["catalogs"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(
            (names, &plan["operators"][0]["state"]["4.20"]),
            (catalogs, &state.into()),
            "{day} {}",
            answer.both()
        );
        assert_eq!(answer.err(), "");
    }

    // Once more: nothing is read, and the file does not change.
    let before = std::fs::read(root.join("past.db")).unwrap();
    run(root, BUILD).expect_code(0).expect_words("0 states read, 3 already in the index");
    assert!(std::fs::read(root.join("past.db")).unwrap() == before);
    // A new state is added.
    write(&root.join("repo"), "catalogs/v4.20/till/catalog.yaml", catalog(&["1.0.0", "1.1.0", "1.2.0"]));
    git(&root.join("repo"), "2026-05-01T08:00:00Z", &["commit", "-q", "-a", "-m", "new"]);
    run(root, BUILD).expect_code(0).expect_words("1 state read, 3 already in the index");
    assert_eq!(states(root, "past.db").last().unwrap(), "2026-05-01");
}

#[test]
fn tags_and_ranges_choose_commits() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    let build = |more: &[&str], db: &str| {
        let fixed = ["build", "--git", "shop=repo", "--git-path", "/catalogs/v4.20/", "-o", db];
        run(root, &[fixed.as_slice(), more].concat())
    };
    build(&["--every", "tag"], "tags.db").expect_code(0);
    // By time, not by name.
    let history = run(root, &["history", "till", "-i", "tags.db", "-o", "json"]).out();
    assert!(history.contains("\"first\": \"shop@v10\""), "{history}");
    let first = history.find("shop@v10").unwrap();
    assert!(first < history.find("shop@v9").unwrap());
    build(&["--rev-list", "v10..main", "--every", "commit"], "range.db").expect_code(0);
    assert_eq!(states(root, "range.db").len(), 3, "a commit that changes nothing of it is passed over");
    build(&["--rev-list", "--output=x"], "bad.db").expect_code(2);
    build(&["--rev-list", "no-such-branch"], "bad.db")
        .expect_code(3)
        .expect_words("takes a branch, a commit or a range");
    run(root, &["build", "--git", "repo", "--git-path", "nowhere", "-o", "bad.db"])
        .expect_code(4)
        .expect_words("no commit has the directory `nowhere`");
    run(root, &["build", "--git", "repo", "--git-path", "../repo", "-o", "bad.db"]).expect_code(2);
    write(root, "plain/file", "no repository");
    let outside = olmdex(["build", "--git", "plain", "-o", "bad.db"])
        .in_directory(root)
        .env("GIT_CEILING_DIRECTORIES", root.to_str().unwrap());
    outside.answer().expect_code(3).expect_words("takes the directory of a git repository");
    assert!(!root.join("bad.db").exists() && !root.join("x").exists());
}

#[test]
fn nothing_of_a_hostile_repository_runs() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    repository(&repo);
    let flag = root.join("ran");
    let script = write(root, "evil.sh", format!("#!/bin/sh\ntouch {}\ncat\n", flag.display()));
    let mut permissions = std::fs::metadata(&script).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&script, permissions).unwrap();
    let evil = script.to_str().unwrap();
    write(&repo, ".gitattributes", "* filter=evil diff=evil\n");
    git(&repo, "2026-05-01T08:00:00Z", &["add", "-A"]);
    git(&repo, "2026-05-01T08:00:00Z", &["commit", "-q", "-m", "attributes"]);
    for (key, value) in [
        ("core.fsmonitor", evil),
        ("core.pager", evil),
        ("pager.rev-list", "true"),
        ("core.sshCommand", evil),
        ("core.alternateRefsCommand", evil),
        ("core.hooksPath", root.to_str().unwrap()),
        ("filter.evil.smudge", evil),
        ("filter.evil.clean", evil),
        ("diff.evil.textconv", evil),
        ("diff.external", evil),
        ("gpg.program", evil),
        ("log.showSignature", "true"),
        ("credential.helper", evil),
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ext::sh -c evil"),
        ("remote.origin.uploadpack", evil),
        ("remote.origin.promisor", "true"),
        ("alias.rev-list", &format!("!{evil}")),
        ("alias.cat-file", &format!("!{evil}")),
    ] {
        git(&repo, "2026-05-01T08:00:00Z", &["config", key, value]);
    }
    for hook in ["post-checkout", "reference-transaction", "pre-auto-gc"] {
        std::fs::copy(&script, repo.join(".git/hooks").join(hook)).unwrap();
    }
    let _ = std::fs::remove_file(&flag);
    run(root, BUILD).expect_code(0);
    assert!(!flag.exists(), "something ran");

    // A missing object is not fetched.
    let blob = Command::new("git")
        .args(["rev-parse", "HEAD:catalogs/v4.20/till/catalog.yaml"])
        .current_dir(&repo)
        .output()
        .unwrap();
    let blob = String::from_utf8(blob.stdout).unwrap();
    let _ = std::fs::remove_file(&flag);
    std::fs::remove_file(repo.join(".git/objects").join(&blob[..2]).join(blob[2..].trim())).unwrap();
    run(root, &["build", "--git", "shop=repo", "--git-path", "catalogs/v4.20", "-o", "other.db"])
        .expect_code(3)
        .expect_words("a partial clone lacks objects");
    assert!(!flag.exists() && !root.join("other.db").exists());

    // Nor is it fetched by a git that is too old for GIT_NO_LAZY_FETCH, in a repository that allows a protocol that
    // runs a command.
    let trap = write(root, "trap.sh", format!("#!/bin/sh\ntouch {}\n", flag.display()));
    std::fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (key, value) in [
        ("protocol.ext.allow", "always"),
        ("remote.origin.url", &format!("ext::{}", trap.display())),
        ("remote.origin.partialclonefilter", "blob:none"),
    ] {
        git(&repo, "2026-05-01T08:00:00Z", &["config", key, value]);
    }
    git(&repo, "2026-05-01T08:00:00Z", &["config", "--unset", "remote.origin.uploadpack"]);
    let old_git = write(root, "bin/git", "#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nPATH=${PATH#*:} exec git \"$@\"\n");
    std::fs::set_permissions(&old_git, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    // The trap works: a program that only forbids protocols in general runs into it.
    let _ = Command::new("git")
        .args(["-c", "protocol.allow=never", "cat-file", "-p", blob.trim()])
        .current_dir(&repo)
        .output()
        .unwrap();
    assert!(flag.exists(), "the trap is no trap");
    std::fs::remove_file(&flag).unwrap();
    let answer = olmdex(["build", "--git", "shop=repo", "--git-path", "catalogs/v4.20", "-o", "other.db"])
        .in_directory(root)
        .env("PATH", &path)
        .answer();
    answer.expect_code(3);
    assert!(!flag.exists(), "a command of the repository ran");
}

/// A git that only prints its version: any other use of it shows.
/// Finding S15: git waited for ever for the writer of a pipe.
#[test]
fn special_files_of_a_repository_are_refused() {
    let directory = scratch();
    let root = directory.path();
    let pipe = |path: &Path| {
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        }
        let _ = std::fs::remove_file(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe(&root.join("outside"));
    for name in
        ["HEAD", "config", "packed-refs", "refs/heads/x", "objects/info/alternates", "info/grafts", "shallow", ""]
    {
        let repo = root.join("repo");
        repository(&repo);
        pipe(&if name.is_empty() { repo.join(".git") } else { repo.join(".git").join(name) });
        let answer = run(root, &["build", "--git", "repo", "--git-path", "catalogs/v4.20", "-O", "index.db"]);
        answer.expect_code(3).expect_words("is a named pipe, not a regular file");
        std::fs::remove_dir_all(&repo).unwrap();
    }
    for section in ["include", "includeIf.gitdir:/**"] {
        let repo = root.join("repo");
        repository(&repo);
        git(&repo, "2026-02-01T08:00:00Z", &["config", &format!("{section}.path"), "more"]);
        write(&repo, ".git/more", "[include]\n path = ../../outside\n");
        let answer = run(root, &["build", "--git", "repo/catalogs", "--git-path", "catalogs/v4.20", "-O", "index.db"]);
        answer.expect_code(3).expect_words("outside is a named pipe, not a regular file");
        std::fs::remove_dir_all(&repo).unwrap();
    }
}

/// The maker of a repository may be somebody else: git read another repository of the user, and quoted lines of files.
#[test]
fn a_repository_does_not_lead_out_of_itself() {
    use std::os::unix::fs::symlink;

    let directory = scratch();
    let root = directory.path();
    let other = root.join("other");
    repository(&other);
    write(root, "secret", "SECRET_TOKEN=abc\n");
    let main = root.join("main");
    repository(&main);
    git(&main, "2026-02-01T08:00:00Z", &["worktree", "add", "-q", "../tree"]);
    let clone = |options: &[&str], to: &str| {
        let options = [&["-c", "protocol.file.allow=always", "clone", "-q"][..], options, &["main", to]].concat();
        git(root, "2026-02-01T08:00:00Z", &options);
    };
    clone(&["--shared"], "shared");
    let link = |target: &str, name: &str| {
        let path = root.join(name);
        if path.is_dir() {
            std::fs::remove_dir_all(&path).unwrap();
        }
        let _ = std::fs::remove_file(&path);
        symlink(target, path).unwrap();
    };
    let copy = |name: &str| clone(&[], name);
    copy("linked-refs");
    link("../../secret", "linked-refs/.git/packed-refs");
    copy("linked-shallow");
    link("../../secret", "linked-shallow/.git/shallow");
    copy("linked-objects");
    link("../../other/.git/objects", "linked-objects/.git/objects");
    copy("linked");
    link("../other/.git", "linked/.git");
    copy("common");
    write(root, "common/.git/commondir", "../../other/.git\n");
    write(root, "pointer/.git", "gitdir: ../other/.git\n");
    write(root, "worktree/.git", "gitdir: ../main/.git/worktrees/tree\n");
    let build = |path: &str, more: &[&str]| {
        let args = ["build", "--git", path, "--git-path", "catalogs/v4.20", "-q", "-O", "index.db"];
        let _ = std::fs::remove_file(root.join("index.db"));
        run(root, &[&args[..], more].concat())
    };
    for name in ["shared", "linked-refs", "linked-shallow", "linked-objects", "linked", "common", "pointer", "worktree"]
    {
        let answer = build(name, &[]);
        answer.expect_code(3).expect_words("leads out of the repository, to ").expect_words("--trust-config");
        assert!(!answer.both().contains("SECRET"), "{name}: {}", answer.both());
    }
    for name in ["shared", "linked", "pointer"] {
        build(name, &["--trust-config"]).expect_code(0);
    }
    // A work tree of git's own is known to its repository, hooks do not run, and what is inside may be linked.
    copy("plain");
    link("../../../secret", "plain/.git/hooks/pre-commit");
    std::fs::rename(root.join("plain/.git/packed-refs"), root.join("plain/.git/packed")).unwrap();
    symlink("packed", root.join("plain/.git/packed-refs")).unwrap();
    for name in ["main", "tree", "plain"] {
        build(name, &[]).expect_code(0);
    }
}

/// Finding S17: a file beside the objects gave commits other parents.
#[test]
fn only_objects_say_what_the_history_is() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    let build = |index: &str| {
        run(root, &["build", "--git", "a=repo", "--git-path", "catalogs/v4.20", "-q", "-O", index]).expect_code(0);
        states(root, index)
    };
    let honest = build("honest.db");
    let commits = Command::new("git").args(["rev-list", "HEAD"]).current_dir(root.join("repo")).output().unwrap();
    let commits = String::from_utf8(commits.stdout).unwrap();
    let commits: Vec<&str> = commits.lines().collect();
    git(&root.join("repo"), "2026-02-01T08:00:00Z", &["commit-graph", "write", "--reachable"]);
    assert_eq!(build("with-graph.db"), honest);
    write(root, "repo/.git/info/grafts", format!("{} {}\n", commits[0], commits[commits.len() - 1]));
    assert!(honest.len() > 2);
    assert_eq!(build("with-grafts.db"), honest);
}

#[test]
fn a_git_that_is_too_old_is_asked_for_nothing_else() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    for (says, words) in [
        (
            "echo git version 2.34.1",
            "error: git 2.34.1 is too old to read untrusted repositories: use 2.45.0, or 2.39.4",
        ),
        (
            "case \"$*\" in *--no-lazy-fetch*) exit 129;; esac; echo 'git version 2.39.3 (Apple Git-146)'",
            "git 2.39.3 is too old",
        ),
        ("printf 'hub 1\\033[2J\\n'", "git of the version `hub 1\\u{1b}[2J` is too old"),
        ("exit 7", "git of the version `` is too old"),
    ] {
        let script = format!(
            "#!/bin/sh\nfor last; do :; done\n[ \"$last\" = version ] || touch '{}/asked'\n{says}\n",
            root.display()
        );
        let git = write(root, "bin/git", script);
        std::fs::set_permissions(&git, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let answer = olmdex(BUILD).in_directory(root).env("PATH", &path).answer();
        answer.expect_code(3).expect_words(words).expect_words("install a newer git");
        assert!(!root.join("asked").exists(), "{says}");
        assert!(!root.join("past.db").exists(), "{says}");
    }
    // A distribution may have repaired an older version of git.
    let real =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).map(|it| it.join("git")).find(|it| it.is_file());
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\n[ \"$last\" != version ] || {{ echo git version 2.43.0; exit; }}\nexec '{}' \"$@\"\n",
        real.unwrap().display()
    );
    write(root, "bin/git", script);
    olmdex(BUILD).in_directory(root).env("PATH", &path).answer().expect_code(0);
}

#[test]
fn what_was_broken_once_is_left_out_or_refused() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    repository(&repo);
    write(&repo, "catalogs/v4.20/till/catalog.yaml", "schema: olm.package\nname: till\n");
    git(&repo, "2026-05-01T08:00:00Z", &["commit", "-q", "-a", "-m", "broken"]);
    write(&repo, "catalogs/v4.20/till/catalog.yaml", catalog(&["1.1.0"]));
    std::os::unix::fs::symlink("/etc/passwd", repo.join("catalogs/v4.20/till/link.yaml")).unwrap();
    git(&repo, "2026-05-02T08:00:00Z", &["add", "-A"]);
    git(&repo, "2026-05-02T08:00:00Z", &["commit", "-q", "-m", "link"]);
    run(root, BUILD).expect_code(1).expect_words("olmdex follows no links");
    assert!(!root.join("past.db").exists());
    run(root, &[BUILD, &["--keep-going"]].concat()).expect_code(1);
    assert_eq!(states(root, "past.db").len(), 5);
    let blame = run(root, &["blame", "till", "-i", "past.db", "-o", "csv"]).out();
    assert!(blame.contains("2026-05-01") && blame.contains("left out"), "{blame}");
    let bundles = run(root, &["list", "bundles", "till", "-i", "past.db", "--on", "2026-05-02", "-o", "name"]).out();
    assert!(!bundles.contains("root"), "{bundles}");
}

/// The situation of a user who forgets that a repository has more than a catalog.
#[test]
fn a_whole_repository_that_is_no_catalog_is_told_in_a_line() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    repository(&repo);
    for day in 10..20 {
        write(&repo, "config/deployment.yaml", format!("kind: Deployment\nreplicas: {day}\n"));
        git(&repo, &format!("2026-05-{day}T08:00:00Z"), &["add", "-A"]);
        git(&repo, &format!("2026-05-{day}T08:00:00Z"), &["commit", "-q", "-m", "config"]);
    }
    let answer = run(root, &["build", "--git", "shop=repo", "-o", "past.db"]);
    answer.expect_code(1).expect_words("not stored").expect_words("--git-path");
    let error = answer.err();
    let error = error.lines().find(|it| it.starts_with("error: `shop`")).unwrap();
    assert!(error.len() < 300, "{error}");
}

#[test]
fn names_of_versions_are_in_the_order_of_versions() {
    let directory = scratch();
    let index = directory.path().join("index.db");
    let shop = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/shop/in");
    let named = ["v4.20", "v4.9", "v4.10"].map(|it| format!("{it}={shop}"));
    olmdex(["build", "-q"]).args(&named).arg("-o").arg(&index).answer().expect_code(0);
    let rows = olmdex(["history", "till", "-o", "csv", "-i"]).arg(&index).answer().out();
    assert!(rows.contains(",v4.9,v4.20,"), "{rows}");
}

/// The head on a day. The statement is that of the guide.
fn head_on(root: &Path, before: &str) -> String {
    let sql = format!(
        "SELECT head FROM v_past_channel WHERE catalog = 'shop' AND package = 'till' AND channel = 'stable'
         AND first_day < '{before}' AND (gone_day IS NULL OR gone_day >= '{before}') ORDER BY first DESC LIMIT 1"
    );
    let answer = run(root, &["sql", &sql, "-i", "past.db", "-o", "json"]);
    let value: serde_json::Value = serde_json::from_str(&answer.expect_code(0).out()).unwrap();
    value["items"][0]["head"].as_str().unwrap_or("none").to_owned()
}

/// Any two days of one history can be compared, and `NAME` alone is the newest state.
#[test]
fn days_of_a_history_are_compared() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    repository(&repo);
    run(root, BUILD).expect_code(0);
    let diff = |old: &str, new: &str| {
        let names = ["--old-catalog", old, "--new-catalog", new, "-o", "json"];
        run(root, &[&["diff", "past.db", "past.db"][..], &names].concat())
    };
    let bundles = |answer: &Answer| -> Vec<String> {
        let value: serde_json::Value =
            serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
        let rows = value["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["subject"] == "bundle" && it["change"] != "stranded");
        rows.map(|it| format!("{} {}", it["change"].as_str().unwrap(), it["bundle"].as_str().unwrap())).collect()
    };
    // Nothing changed between the ninth of March and the first, nor on a day without a commit.
    diff("shop@2026-03-01", "shop@2026-03-31")
        .expect_code(0)
        .expect_words("the new catalog `shop@2026-03-31` is `shop@2026-03-01`");
    let spring = diff("shop@2026-02-10", "shop@2026-03-15");
    assert_eq!(bundles(spring.expect_code(1)), ["added till.v1.0.1", "added till.v1.1.0"]);
    let until_now = diff("shop@2026-03-01", "shop");
    until_now.expect_code(1);
    assert_eq!(bundles(&until_now), ["removed till.v1.0.1"]);
    // A day before the first state, and a catalog that never existed.
    diff("shop@2026-02-02", "shop").expect_code(4);
    diff("stall", "shop").expect_code(4);
    diff("shop@2026-13-01", "shop").expect_code(4);

    // A removed package has no head any more.
    git(&repo, "2026-06-01T08:00:00Z", &["rm", "-q", "-r", "catalogs"]);
    write(
        &repo,
        "catalogs/v4.20/other.yaml",
        "schema: olm.package\nname: other\ndefaultChannel: a\n---\nschema: olm.channel\npackage: other\nname: a\nentries: [{name: o.v1}]\n---\nschema: olm.bundle\npackage: other\nname: o.v1\nimage: registry.example.com/o:1\nproperties: [{type: olm.package, value: {packageName: other, version: 1.0.0}}]\n",
    );
    git(&repo, "2026-06-01T08:00:00Z", &["add", "-A"]);
    git(&repo, "2026-06-01T08:00:00Z", &["commit", "-q", "-m", "gone"]);
    run(root, BUILD).expect_code(0);
    for (before, head) in [
        ("2026-02-02", "none"),
        ("2026-02-04", "till.v1.0.0"),
        ("2026-03-02", "till.v1.1.0"),
        ("2026-03-20", "till.v1.1.0"),
        ("2026-07-01", "none"),
    ] {
        assert_eq!(head_on(root, before), head, "{before}");
    }
}

/// The order is that of time even within a day, and the present comes after the whole past.
#[test]
fn history_is_in_the_order_of_time() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    std::fs::create_dir_all(&repo).unwrap();
    git(&repo, "2026-02-01T00:00:00Z", &["init", "-q"]);
    let versions: Vec<String> = (0..12).map(|it| format!("1.{it}.0")).collect();
    for n in 1..=versions.len() {
        let known: Vec<&str> = versions[..n].iter().map(String::as_str).collect();
        write(&repo, "catalogs/v4.20/till/catalog.yaml", catalog(&known));
        let date = format!("2026-02-03T{n:02}:00:00Z");
        git(&repo, &date, &["add", "-A"]);
        git(&repo, &date, &["commit", "-q", "-m", "more"]);
    }
    write(root, "now/catalog.yaml", catalog(&["1.0.0", "1.11.0", "2.0.0"]));
    let build = [&["build", "now=now"][..], &BUILD[1..], &["--every", "commit"]].concat();
    run(root, &build).expect_code(0);
    let answer = run(root, &["history", "till", "-i", "past.db", "-o", "json"]);
    let history: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
    let rows = history["items"].as_array().unwrap();
    // The digests of commits have no order, but their contents have one.
    for (n, row) in rows.iter().take(versions.len()).enumerate() {
        assert_eq!(row["version"], versions[n].as_str());
        let is_here = n == 0 || n + 1 == versions.len();
        assert_eq!(row["catalogs"].as_array().unwrap().len(), 1 + usize::from(is_here), "{row}");
        assert_eq!(row["last"], if is_here { "now" } else { "shop" }, "{row}");
        assert_eq!((&row["missingIn"], &row["isCurrent"]), (&serde_json::json!([]), &true.into()), "{row}");
        assert_eq!(row["firstDay"], "2026-02-03");
    }
    assert_eq!((&rows[12]["version"], &rows[12]["first"]), (&"2.0.0".into(), &"now".into()));
    // A plan takes the last of several catalogs of a day.
    let versions =
        ["build", "--git", "shop-4.20=repo", "--git-path", "catalogs/v4.20", "--every", "commit", "-o", "versions.db"];
    run(root, &versions).expect_code(0);
    write(
        root,
        "cluster.yaml",
        "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {desired: {version: 4.19.1}}\n",
    );
    let plan = [
        "plan",
        "--cluster",
        "cluster.yaml",
        "--to",
        "4.20",
        "-i",
        "versions.db",
        "--date",
        "2026-02-03",
        "-o",
        "json",
    ];
    let plan: serde_json::Value = serde_json::from_str(&run(root, &plan).out()).unwrap();
    assert_eq!(plan["metadata"]["catalogs"].as_array().unwrap().len(), 1, "{plan}");
    assert_eq!(plan["metadata"]["catalogs"][0]["name"], "shop-4.20");
}

// G12: a partial clone lacks blobs of some states; all others are kept.
#[test]
fn states_whose_objects_are_missing_are_left_out() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    repository(&repo);
    let all = run(root, &[&BUILD[..BUILD.len() - 1], &["all.db"]].concat());
    all.expect_code(0);
    let n_all = states(root, "all.db").len();
    // The blob of a state in the middle goes.
    let output = Command::new("git")
        .args(["rev-list", "-1", "--before=2026-03-01T23:59:59Z", "HEAD"])
        .current_dir(&repo)
        .output()
        .unwrap();
    let commit = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    let output = Command::new("git")
        .args(["rev-parse", &format!("{commit}:catalogs/v4.20/till/catalog.yaml")])
        .current_dir(&repo)
        .output()
        .unwrap();
    let blob = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    std::fs::remove_file(repo.join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    let refused = run(root, BUILD);
    refused.expect_code(3).expect_words(&blob).expect_words("`--keep-going` skips such files");
    assert!(!root.join("past.db").exists());
    let kept = run(root, &[BUILD, &["--keep-going"]].concat());
    kept.expect_code(1)
        .expect_words("left out 1 text of `till/catalog.yaml`")
        .expect_words("left out 1 text of the history");
    assert_eq!(states(root, "past.db").len(), n_all);
    // The package is unknown in this state, which does not mean that it had vanished.
    let bundles = |day: &str| run(root, &["list", "bundles", "-i", "past.db", "--on", day, "-o", "name"]).out();
    assert_eq!((bundles("2026-02-10").lines().count(), bundles("2026-03-15").lines().count()), (1, 0));
    let blame = run(root, &["blame", "till", "-i", "past.db", "-o", "csv"]).out();
    assert!(blame.contains("unknown") && !blame.contains("vanished"), "{blame}");
}

/// A repository of two catalogs that change on many days, with every feature of a catalog: several files, a package
/// that moves to another file, ignored files, deprecations, and a package that goes and comes back.
fn restless(root: &Path) {
    std::fs::create_dir_all(root).unwrap();
    git(root, "2026-01-01T00:00:00Z", &["init", "-q"]);
    let other = "schema: olm.package\nname: other\ndefaultChannel: a\n---\nschema: olm.channel\npackage: other\nname: a\nentries: [{name: o.v1}]\n---\nschema: olm.bundle\npackage: other\nname: o.v1\nimage: registry.example.com/o:1\nproperties: [{type: olm.package, value: {packageName: other, version: 1.0.0}}]\n";
    let deprecated = "---\nschema: olm.deprecations\npackage: till\nentries: [{reference: {schema: olm.bundle, name: till.v1.0.0}, message: old}]\n";
    for (day, versions) in
        [(2, "1.0.0"), (3, "1.0.0 1.0.1"), (5, "1.0.0 1.0.1 1.1.0"), (6, "1.0.1 1.1.0"), (8, "1.0.1 1.1.0 2.0.0")]
    {
        let versions: Vec<&str> = versions.split(' ').collect();
        let text = catalog(&versions);
        for minor in ["v4.19", "v4.20"] {
            if minor == "v4.20" || day < 6 {
                let text = if day == 5 { format!("{text}{deprecated}") } else { text.clone() };
                write(root, &format!("catalogs/{minor}/till/catalog.yaml"), text);
            }
        }
        match day {
            3 => write(root, "catalogs/v4.20/z.yaml", other),
            5 => {
                std::fs::remove_file(root.join("catalogs/v4.20/z.yaml")).unwrap();
                write(root, "catalogs/v4.20/a/other.yaml", other)
            }
            6 => write(root, "catalogs/v4.20/.indexignore", "a/\n"),
            8 => write(root, "catalogs/v4.20/.indexignore", "nothing\n"),
            _ => root.to_owned(),
        };
        let date = format!("2026-01-0{day}T10:00:00Z");
        git(root, &date, &["add", "-A"]);
        git(root, &date, &["commit", "-q", "-m", &format!("day {day}")]);
        git(root, &date, &["tag", &format!("day-{day}")]);
    }
}

/// The answer to a question as of a day is that of an index of the catalog that was checked out on that day.
#[test]
fn a_day_is_the_catalog_of_that_day() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    restless(&repo);
    run(root, &["build", "--git", "shop=repo", "--git-path", "catalogs/*", "-o", "past.db"]).expect_code(0);
    assert_eq!(run(root, &["list", "catalogs", "-i", "past.db", "-o", "name"]).out(), "shop-v4.19\nshop-v4.20\n");
    let questions: [&[&str]; 18] = [
        &["list", "catalogs", "-o", "json"],
        &["list", "packages", "-o", "json"],
        &["list", "channels", "-o", "json"],
        &["list", "bundles", "-o", "json"],
        &["show", "till", "-o", "json"],
        &["updates", "till", "--installed", "1.0.1", "-o", "json"],
        // A name of another day, one of no day, and those of bundles.
        &["show", "other", "-o", "json"],
        &["show", "tlil", "-o", "json"],
        &["show", "till.v1.1.0", "-o", "json"],
        &["list", "bundles", "other", "-o", "json"],
        &["path", "till", "--installed", "1.0.0", "-o", "json"],
        &["images", "till", "-o", "json"],
        &["deps", "till", "-o", "json"],
        &["compat", "till", "--openshift", "4.19", "-o", "json"],
        &["graph", "till", "-o", "json"],
        &["search", "till", "-o", "json"],
        &["sql", "SELECT catalog, position, schema, name, line FROM v_document ORDER BY 1, 2", "-o", "json"],
        &["sql", "SELECT * FROM v_edge ORDER BY 1, 2, 3, 4, 5", "-o", "json"],
    ];
    for day in [2, 3, 5, 6, 8] {
        git(&repo, "2026-02-01T00:00:00Z", &["checkout", "-q", &format!("day-{day}")]);
        let sources = ["shop-v4.19=repo/catalogs/v4.19", "shop-v4.20=repo/catalogs/v4.20"];
        let _ = std::fs::remove_file(root.join("then.db"));
        run(root, &[&["build"], &sources[..], &["-o", "then.db"]].concat()).expect_code(0);
        for question in questions {
            let asked = |index: &str, more: &[&str]| {
                let answer = run(root, &[question, &["-i", index], more].concat());
                // A version that was not there yet is an error of both.
                let mut value: serde_json::Value =
                    serde_json::from_str(&answer.out()).unwrap_or_else(|_| answer.err().into());
                strip(&mut value);
                value
            };
            let day = format!("2026-01-0{day}");
            assert_eq!(asked("past.db", &["--on", &day]), asked("then.db", &[]), "{question:?} on {day}");
        }
    }
    git(&repo, "2026-02-01T00:00:00Z", &["checkout", "-q", "main"]);
    run(root, &["list", "bundles", "-i", "past.db", "--on", "2026-01-01"])
        .expect_code(4)
        .expect_words("the first state is from 2026-01-02");
    run(root, &["list", "bundles", "-i", "then.db", "--on", "2026-01-03"])
        .expect_code(2)
        .expect_words("`then.db` holds no history");
    run(root, &["blame", "till", "-i", "repo/catalogs/v4.20"])
        .expect_code(2)
        .expect_words("catalogs in files hold no history");
}

/// The value without the origin of a catalog and the time of its reading.
fn strip(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            for key in ["source", "labels", "document", "graph", "source_document", "target_document", "score"] {
                fields.remove(key);
            }
            fields.values_mut().for_each(strip);
            // Documents are numbered as they came.
            fields.remove("node");
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(strip),
        serde_json::Value::String(text) => *text = text.replace("repo/catalogs", "catalogs"),
        _ => {}
    }
}

/// One build of all states has the same result as builds that each take a few.
#[test]
fn states_that_come_day_by_day_are_those_that_come_at_once() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    restless(&repo);
    let build = |index: &str, until: &str| {
        let words = ["build", "--git", "shop=repo", "--git-path", "catalogs/*", "--rev-list", until, "-q", "-o", index];
        run(root, &words).expect_code(0);
    };
    build("once.db", "main");
    build("again.db", "main");
    assert!(std::fs::read(root.join("once.db")).unwrap() == std::fs::read(root.join("again.db")).unwrap());
    for day in [2, 3, 5, 6, 8] {
        build("daily.db", &format!("day-{day}"));
    }
    build("daily.db", "main");
    must_be_equal(root, "once.db", "daily.db", "day by day");
}

/// Two indexes must say the same about the past and the present.
fn must_be_equal(root: &Path, first: &str, second: &str, when: &str) {
    for sql in [
        "SELECT catalog, number, state, day, \"commit\", subject, tree FROM v_state ORDER BY 1, 2",
        "SELECT catalog, schema, package, name, first, last, first_commit, gone_commit FROM v_past_document ORDER BY 1, 2, 3, 4, 5",
        "SELECT catalog, package, status, first, last FROM v_past_package ORDER BY 1, 2, 4",
        "SELECT catalog, package, channel, head, first, last FROM v_past_channel ORDER BY 1, 2, 3, 5",
        "SELECT catalog, position, schema, name, line FROM v_document ORDER BY 1, 2",
        "SELECT catalog, key, value FROM v_label WHERE key <> 'past' ORDER BY 1, 2",
    ] {
        let rows = |index: &str| run(root, &["sql", sql, "-i", index, "-o", "csv"]).expect_code(0).out();
        assert_eq!(rows(first), rows(second), "{when}: {sql}");
    }
}

/// A repository that grows at random: commits on one day or several, clocks that go back, catalogs that go and return,
/// merges, and branches that are thrown away. A reading that resumes has the result of one that reads everything.
#[test]
fn a_reading_goes_on_where_the_last_one_ended() {
    let directory = scratch();
    let root = directory.path();
    let mut n_resumed = 0;
    for seed in 0..8_u64 {
        let mut chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |n: u64| {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            chance % n
        };
        let name = format!("repo{seed}");
        let repo = root.join(&name);
        std::fs::create_dir_all(&repo).unwrap();
        git(&repo, "2026-01-01T00:00:00Z", &["init", "-q", "-b", "main"]);
        let mut minutes = 0;
        let build = |index: &str, every: &str| {
            let source = format!("shop={name}");
            let words = ["build", "-v", "--git", &source, "--git-path", "catalogs/*", "--every", every, "-o", index];
            run(root, &words).expect_code(0).err().contains("after those of the index")
        };
        for step in 0..9 {
            for _ in 0..=next(2) {
                minutes = (minutes + next(2000)).saturating_sub(if next(8) == 0 { 1500 } else { 0 });
                let date =
                    format!("2026-01-{:02}T{:02}:{:02}:00Z", 1 + minutes / 1440, minutes / 60 % 24, minutes % 60);
                if step > 3 && next(6) == 0 {
                    git(&repo, &date, &["reset", "-q", "--hard", "HEAD~1"]);
                }
                let is_side = step > 1 && next(4) == 0;
                if is_side {
                    git(&repo, &date, &["checkout", "-q", "-B", "side", "HEAD~1"]);
                }
                let minor = ["v4.19", "v4.20"][next(2) as usize];
                if next(5) == 0 {
                    let _ = std::fs::remove_dir_all(repo.join("catalogs").join(minor));
                } else {
                    let versions: Vec<String> = (0..=next(3)).map(|it| format!("1.{it}.0")).collect();
                    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
                    write(&repo, &format!("catalogs/{minor}/till/catalog.yaml"), catalog(&versions));
                }
                git(&repo, &date, &["add", "-A"]);
                git(&repo, &date, &["commit", "-q", "--allow-empty", "-m", &format!("step {step}")]);
                if is_side {
                    git(&repo, &date, &["checkout", "-q", "main"]);
                    git(&repo, &date, &["merge", "-q", "-s", "ours", "-m", "merge", "side"]);
                }
            }
            if !repo.join("catalogs").exists() {
                continue;
            }
            for every in ["day", "commit"] {
                let (resumed, whole) = (format!("{name}-{every}.db"), format!("{name}-{every}-whole.db"));
                n_resumed += usize::from(build(&resumed, every));
                // Without the note of what was read, everything is read again.
                if root.join(&whole).exists() {
                    let connection = rusqlite::Connection::open(root.join(&whole)).unwrap();
                    connection.execute("DELETE FROM catalog_label WHERE key = 'past'", []).unwrap();
                }
                assert!(!build(&whole, every));
                must_be_equal(root, &whole, &resumed, &format!("seed {seed}, step {step}, every {every}"));
            }
        }
    }
    assert!(n_resumed > 40, "{n_resumed} readings went on");
}

#[test]
fn blame_says_who_did_what_and_when() {
    let directory = scratch();
    let root = directory.path();
    restless(&root.join("repo"));
    run(root, &["build", "--git", "shop=repo", "--git-path", "catalogs/*", "-o", "past.db"]).expect_code(0);
    let rows = |words: &[&str]| -> Vec<String> {
        let answer = run(root, &[words, &["-i", "past.db", "-o", "json"]].concat());
        let value: serde_json::Value =
            serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
        let text = |it: &serde_json::Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
        let catalogs = |it: &serde_json::Value| it["catalogs"].to_string().replace('"', "");
        let row = |it: &serde_json::Value| {
            let words = ["day", "change", "what", "name", "subject"].map(|key| text(it, key)).join(" ");
            format!("{words} {}", catalogs(it))
        };
        value["items"].as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(
        rows(&["blame", "till@1.0.1"]),
        [
            "2026-01-03 appeared bundle till.v1.0.1 day 3 [shop-v4.19,shop-v4.20]",
            "2026-01-03 appeared entry stable day 3 [shop-v4.19,shop-v4.20]",
            "2026-01-06 changed entry stable day 6 [shop-v4.20]",
        ]
    );
    assert_eq!(
        rows(&["blame", "other"]),
        [
            "2026-01-03 appeared bundle o.v1 day 3 [shop-v4.20]",
            "2026-01-03 appeared channel a day 3 [shop-v4.20]",
            "2026-01-03 appeared package other day 3 [shop-v4.20]",
            "2026-01-06 vanished bundle o.v1 day 6 [shop-v4.20]",
            "2026-01-06 vanished channel a day 6 [shop-v4.20]",
            "2026-01-06 vanished package other day 6 [shop-v4.20]",
            "2026-01-08 appeared bundle o.v1 day 8 [shop-v4.20]",
            "2026-01-08 appeared channel a day 8 [shop-v4.20]",
            "2026-01-08 appeared package other day 8 [shop-v4.20]",
        ]
    );
    // Removed things can be asked about.
    assert_eq!(rows(&["blame", "till@1.0.0", "--catalog", "shop-v4.20"]).len(), 4);
    run(root, &["blame", "nothing", "-i", "past.db"]).expect_code(4);
    // Days are compared with each other, by days, states and commits.
    let diff = |old: &str, new: &str| {
        run(root, &["diff", old, new, "-o", "name"]).expect_code(1).out().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    std::fs::rename(root.join("past.db"), root.join("index.db")).unwrap();
    assert!(diff("shop-v4.20@2026-01-06", "shop-v4.20@2026-01-31").contains(&"till.v2.0.0".to_owned()));
    run(root, &["diff", "shop-v4.20@2026-01-06", "shop-v4.20@2026-01-07"]).expect_code(0);
    run(root, &["diff", "shop-v4.20@2026-01-01", "shop-v4.20@2026-01-07"]).expect_code(4);
}

#[test]
fn stranded_and_bisect_name_the_day_and_the_commit() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    std::fs::create_dir_all(&repo).unwrap();
    git(&repo, "2026-01-01T00:00:00Z", &["init", "-q"]);
    let commit = |day: u32, text: String| {
        write(&repo, "c/till.yaml", text);
        let date = format!("2026-01-{day:02}T10:00:00Z");
        git(&repo, &date, &["add", "-A"]);
        git(&repo, &date, &["commit", "-q", "-m", &format!("day {day}")]);
    };
    commit(2, catalog(&["1.0.0"]));
    commit(4, catalog(&["1.0.0", "1.1.0"]));
    // The edge from 1.0.0 is lost, and comes back.
    commit(6, catalog(&["1.1.0", "1.2.0"]).replace("  replaces: till.v1.0.0\n", ""));
    // A field that opm drops comes, and stays.
    let with_field =
        |text: String| text.replace("defaultChannel: stable\n", "defaultChannel: stable\nmaintainer: me\n");
    commit(9, with_field(catalog(&["1.0.0", "1.1.0", "1.2.0"])));
    commit(12, with_field(catalog(&["1.2.0", "1.3.0"])));
    run(root, &["build", "--git", "shop=repo", "--git-path", "c", "-o", "past.db"]).expect_code(0);
    let stranded = run(root, &["stranded", "till", "-i", "past.db", "-o", "json"]);
    let value: serde_json::Value = serde_json::from_str(&stranded.expect_code(1).out()).unwrap();
    let row = |it: &serde_json::Value| {
        format!("{} {} {} {}", it["bundle"], it["from"]["day"], it["until"]["day"], it["from"]["subject"])
            .replace('"', "")
    };
    let rows: Vec<String> = value["items"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        rows,
        [
            "till.v1.0.0 2026-01-06 2026-01-09 day 6",
            "till.v1.0.0 2026-01-12 null day 12",
            "till.v1.1.0 2026-01-12 null day 12",
        ]
    );
    let bisect = |words: &[&str]| {
        let answer = run(root, &[&["bisect"], words, &["-i", "past.db", "-o", "json"]].concat());
        let value: serde_json::Value =
            serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{}", answer.both()));
        let it = &value["items"][0];
        format!("{} {} {}", it["isGood"], it["lastGood"]["day"], it["firstBad"]["day"]).replace('"', "")
    };
    assert_eq!(bisect(&["till@1.2.0", "--installed", "till.v1.1.0"]), "false 2026-01-09 2026-01-12");
    assert_eq!(bisect(&["till@1.3.0", "--installed", "till.v1.2.0"]), "true 2026-01-12 null");
    assert_eq!(bisect(&["till@9.9.9", "--installed", "till.v1.2.0"]), "false null 2026-01-02");
    let good = bisect(&["till", "--rule", "W0802"]);
    assert!(good.starts_with("true") || good.starts_with("false"), "{good}");
    // Rules about documents, beside those about upgrades.
    assert_eq!(bisect(&["till", "--rule", "unknown-field"]), "false 2026-01-06 2026-01-09");
    assert_eq!(bisect(&["till", "--rule", "w0527", "--rule", "W0803"]), "false 2026-01-06 2026-01-09");
    assert_eq!(bisect(&["till", "--rule", "E0105"]), "true 2026-01-12 null");
    run(root, &["bisect", "till", "--rule", "W9999", "-i", "past.db"]).expect_code(4);
    run(root, &["bisect", "till", "--installed", "1.0.0", "-i", "past.db"]).expect_code(2);
}

/// The author of a repository chose its dates, messages and paths, so they may be hostile.
#[test]
fn dates_and_messages_of_a_hostile_repository_do_no_harm() {
    let directory = scratch();
    let root = directory.path();
    let repo = root.join("repo");
    std::fs::create_dir_all(&repo).unwrap();
    git(&repo, "2026-01-01T00:00:00Z", &["init", "-q"]);
    let long = "x".repeat(100_000);
    for (n, (date, message)) in [
        ("@0 +0000", "\u{1b}[2Jclear"),
        ("@253402300800 +0000", "the year 10000"),
        ("@1767225600 -9900", "a zone of its own"),
        ("@99999999999999 +0000", "\u{202e}backwards"),
        ("@1767225601 +0000", long.as_str()),
        ("@1767225601 +0000", "line\rone\n\nline two"),
    ]
    .into_iter()
    .enumerate()
    {
        let versions: Vec<String> = (0..=n).map(|it| format!("1.{it}.0")).collect();
        let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
        write(&repo, "c/till.yaml", catalog(&versions));
        git(&repo, "2026-01-01T00:00:00Z", &["add", "-A"]);
        git(&repo, date, &["commit", "-q", "-m", message]);
    }
    let build = ["build", "--git", "shop=repo", "--git-path", "c", "--every", "commit", "-o", "past.db"];
    run(root, &build).expect_code(0);
    let blame = run(root, &["blame", "till", "-i", "past.db", "-o", "wide"]).expect_code(0).out();
    assert!(!blame.contains(['\u{1b}', '\u{202e}', '\r']), "{blame:?}");
    assert!(blame.lines().all(|it| it.chars().count() < 600), "{blame}");
    let days = |sql: &str| run(root, &["sql", sql, "-i", "past.db", "-o", "csv"]).expect_code(0).out();
    let days = days("SELECT day FROM v_state ORDER BY number");
    let days: Vec<&str> = days.lines().skip(1).collect();
    assert_eq!(days, ["1970-01-01", "9999-12-31", "2026-01-01", "9999-12-31", "2026-01-01", "2026-01-01"]);
    // A date decides the place of its own state, and of no other one.
    let bundles = |day: &str| {
        let answer = run(root, &["list", "bundles", "-i", "past.db", "--on", day, "-o", "name"]);
        answer.expect_code(0).out().lines().count()
    };
    assert_eq!(
        (bundles("1970-01-01"), bundles("2025-12-31"), bundles("2026-01-01"), bundles("9999-12-31")),
        (1, 1, 6, 4)
    );
    run(root, &["list", "bundles", "-i", "past.db", "--on", "0000-01-01"]).expect_code(4);
}

/// Feeds and the page of a history have the days and commits of the repository.
#[test]
fn pages_and_feeds_have_the_days_of_commits() {
    let directory = scratch();
    let root = directory.path();
    restless(&root.join("repo"));
    run(root, &["build", "--git", "shop=repo", "--git-path", "catalogs/*", "-o", "past.db"]).expect_code(0);
    run(root, &["export", "--site", "site", "past.db"]).expect_code(0);
    let read = |name: &str| std::fs::read_to_string(root.join("site").join(name)).unwrap();
    let entries = |feed: &str| -> Vec<[String; 3]> {
        let part = |text: &str, tag: &str| {
            let text = text.split_once(&format!("<{tag}>")).map_or("", |it| it.1);
            text.split_once(&format!("</{tag}>")).map_or("", |it| it.0).to_owned()
        };
        let entry = |it: &str| ["title", "updated", "summary"].map(|tag| part(it, tag));
        let found: Vec<_> = read(feed).split("<entry>").skip(1).map(entry).collect();
        let ids = read(feed).split("<entry>").skip(1).map(|it| part(it, "id")).collect::<Vec<_>>();
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len(), "{ids:?}");
        // A feed leads to pages that exist.
        let below = root.join("site").join(feed);
        for link in read(feed).split("href=\"").skip(1).filter_map(|it| it.split('"').next()) {
            assert!(below.parent().unwrap().join(link.split(['?', '#']).next().unwrap()).exists(), "{link}");
        }
        found
    };
    let of_package = entries("p/till/feed.atom");
    let day = |feed: &[[String; 3]], title: &str| {
        let found = feed.iter().find(|it| it[0] == title);
        found.map_or_else(|| format!("no {title}: {feed:?}"), |it| it[1][..10].to_owned())
    };
    for (title, when) in [
        ("till 1.0.0", "2026-01-02"),
        ("till 1.0.1", "2026-01-03"),
        ("till 1.1.0", "2026-01-05"),
        ("till 2.0.0", "2026-01-08"),
        ("till 1.0.0 was removed", "2026-01-06"),
    ] {
        assert_eq!(day(&of_package, title), when);
    }
    let feed = "feeds/shop-v4.20.atom";
    let of_catalog = entries(feed);
    assert_eq!(day(&of_catalog, "till 2.0.0"), "2026-01-08");
    assert_eq!(day(&of_catalog, "till 1.0.0 was removed"), "2026-01-06");
    assert!(of_catalog.iter().any(|it| it[2].contains(": day 8.")), "{of_catalog:?}");
    // The first state brought all that it had.
    assert!(!of_catalog.iter().any(|it| it[0] == "till 1.0.0"), "{of_catalog:?}");
    let page = read("p/till/history.html");
    for words in
        ["day 8", "bundle 2.0.0 appeared", "bundle 1.0.0 vanished", "deprecations appeared", "shop-v4.19, shop-v4.20"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
}

/// The portal compares a catalog with itself a month before its newest state, and with no other day (pages F6).
#[test]
fn the_portal_shows_what_changed_since_last_month() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    run(root, BUILD).expect_code(0);
    let pages = Pages::new(Index::open(&root.join("past.db")).unwrap());
    let (_, page) = pages.get("/diff");
    assert!(
        page.contains("What changed since last month") && page.contains("a=shop%402026-03-01&amp;b=shop"),
        "{page}"
    );
    let (status, page) = pages.get("/diff?a=shop%402026-03-01&b=shop");
    assert!(status == 200 && page.contains("1 dropped"), "{page}");
    let (_, page) = pages.get("/diff?a=shop%402026-03-01&b=shop&package=till");
    assert!(page.contains("<strong>Stranded</strong>: 1.0.1"), "{page}");
    assert_eq!(pages.get("/diff?a=shop%402026-02-03&b=shop").0, 404);
    assert_eq!(pages.get("/diff?a=shop%40x&b=shop").0, 404);
}
