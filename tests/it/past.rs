//! The past of catalogs: repositories of git that are made here, honest ones and hostile ones.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

use crate::support::{Answer, olmdex, scratch, write};

/// Runs git in a directory, at a time, and with no configuration but the repository's own.
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

/// A repository whose catalog changes on three days: twice on the second one, and elsewhere only on a fourth.
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

fn run(directory: &Path, arguments: &[&str]) -> Answer {
    olmdex(arguments.iter().copied()).in_directory(directory).answer()
}

const BUILD: &[&str] = &["build", "--git", "shop=repo", "--git-path", "catalogs/v4.20", "-o", "past.db"];

#[test]
fn an_index_answers_about_the_past() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    run(root, BUILD).expect_code(0).expect_words("3 catalogs of the past to read, 0 in the index already");
    let names = |db: &str| run(root, &["list", "catalogs", "-i", db, "-o", "name"]).out();
    assert_eq!(names("past.db").lines().collect::<Vec<_>>(), ["shop@2026-02-03", "shop@2026-03-01", "shop@2026-04-01"]);
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
            r#""1.0.0" "shop@2026-02-03" "shop@2026-04-01" true"#,
            r#""1.0.1" "shop@2026-03-01" "shop@2026-03-01" false"#,
            r#""1.1.0" "shop@2026-03-01" "shop@2026-04-01" true"#,
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
        ("2026-02-10", vec!["shop-4.20@2026-02-03"], "head"),
        ("2026-03-15", vec!["shop-4.20@2026-03-01"], "behind"),
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

    // Once more: nothing is read, and the file stays as it is.
    let before = std::fs::read(root.join("past.db")).unwrap();
    run(root, BUILD).expect_code(0).expect_words("0 catalogs of the past to read, 3 in the index already");
    assert!(std::fs::read(root.join("past.db")).unwrap() == before);
    // What is new is added.
    write(&root.join("repo"), "catalogs/v4.20/till/catalog.yaml", catalog(&["1.0.0", "1.1.0", "1.2.0"]));
    git(&root.join("repo"), "2026-05-01T08:00:00Z", &["commit", "-q", "-a", "-m", "new"]);
    run(root, BUILD).expect_code(0).expect_words("1 catalog of the past to read, 3 in the index already");
    assert!(names("past.db").contains("shop@2026-05-01"));
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
    let names = run(root, &["list", "catalogs", "-i", "range.db", "-o", "name"]).out();
    assert_eq!(names.lines().count(), 3, "a commit that changes nothing of it is passed over: {names}");
    build(&["--rev-list", "--output=x"], "bad.db").expect_code(2);
    build(&["--rev-list", "no-such-branch"], "bad.db").expect_code(3);
    run(root, &["build", "--git", "repo", "--git-path", "nowhere", "-o", "bad.db"]).expect_code(4);
    run(root, &["build", "--git", "repo", "--git-path", "../repo", "-o", "bad.db"]).expect_code(2);
    write(root, "plain/file", "no repository");
    let outside = olmdex(["build", "--git", "plain", "-o", "bad.db"])
        .in_directory(root)
        .env("GIT_CEILING_DIRECTORIES", root.to_str().unwrap());
    outside.answer().expect_code(3);
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

    // An object that is not there is not fetched.
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

    // Nor is it where git is too old for GIT_NO_LAZY_FETCH, and the repository allows a protocol that runs a command.
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
    // The trap works: whoever only forbids protocols in general steps into it.
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

/// A git that only says its version: whatever else it is asked to do shows.
#[test]
fn a_git_that_is_too_old_is_asked_for_nothing_else() {
    let directory = scratch();
    let root = directory.path();
    repository(&root.join("repo"));
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    for (says, words) in [
        ("echo git version 2.34.1", "error: git 2.34.1 is too old to read repositories of others: 2.45.0, or 2.39.4"),
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
    // A distribution may have repaired the version that it has.
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
    run(root, BUILD).expect_code(1).expect_words("links are not followed");
    assert!(!root.join("past.db").exists());
    run(root, &[BUILD, &["--keep-going"]].concat()).expect_code(1);
    let names = run(root, &["list", "catalogs", "-i", "past.db", "-o", "name"]).out();
    assert_eq!(names.lines().count(), 5, "{names}");
    let bundles =
        run(root, &["list", "bundles", "till", "-i", "past.db", "--catalog", "shop@2026-05-02", "-o", "name"]).out();
    assert!(!bundles.contains("root"), "{bundles}");
}

/// As somebody sees who forgets that a repository has more than a catalog.
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
    answer.expect_code(1).expect_words("more not stored").expect_words("--git-path");
    let error = answer.err();
    let error = error.lines().find(|it| it.starts_with("error: `shop@")).unwrap();
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

/// What was the head on a day? The statement is that of the guide.
fn head_on(root: &Path, before: &str) -> String {
    let sql = format!(
        "SELECT head FROM v_channel WHERE package = 'till' AND channel = 'stable' AND catalog =
         (SELECT catalog FROM v_label WHERE key = 'time' AND catalog LIKE 'shop@%' AND value < '{before}' ORDER BY value DESC LIMIT 1)"
    );
    let answer = run(root, &["sql", &sql, "-i", "past.db", "-o", "json"]);
    let value: serde_json::Value = serde_json::from_str(&answer.expect_code(0).out()).unwrap();
    value["items"][0]["head"].as_str().unwrap_or("none").to_owned()
}

/// Two days of one history are compared, whichever days they are, and `NAME` alone is the newest.
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
    until_now.expect_code(1).expect_words("the new catalog `shop` is `shop@2026-04-01`");
    assert_eq!(bundles(&until_now), ["removed till.v1.0.1"]);
    // Before there was anything, and what never was.
    diff("shop@2026-02-02", "shop").expect_code(4);
    diff("stall", "shop").expect_code(4);
    diff("shop@2026-13-01", "shop").expect_code(4);

    // A package that is gone has no head any more.
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

/// The order is that of time also within a day, and what is there now comes after all that was.
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
    let build = [&["build", "shop=now"][..], &BUILD[1..], &["--every", "commit"]].concat();
    run(root, &build).expect_code(0);
    let answer = run(root, &["history", "till", "-i", "past.db", "-o", "json"]);
    let history: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
    let rows = history["items"].as_array().unwrap();
    // The digests of commits have no order, but what they hold has.
    for (n, row) in rows.iter().take(versions.len()).enumerate() {
        assert_eq!(row["version"], versions[n].as_str());
        let held_by = row["catalogs"].as_array().unwrap().len();
        let is_here = usize::from(n == 0 || n + 1 == versions.len());
        assert_eq!(held_by, versions.len() - n + is_here, "{row}");
        assert_eq!(row["missingIn"], serde_json::json!([]), "{row}");
        assert_eq!(row["isCurrent"], is_here == 1, "{row}");
    }
    assert_eq!((&rows[12]["version"], &rows[12]["first"]), (&"2.0.0".into(), &"shop".into()));
    // Of several catalogs of a day a plan takes the last.
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
    let newest = rows[11]["first"].as_str().unwrap().replace("shop@", "shop-4.20@");
    assert_eq!(plan["metadata"]["catalogs"].as_array().unwrap().len(), 1, "{plan}");
    assert_eq!(plan["metadata"]["catalogs"][0]["name"], newest.as_str());
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
    let names = |index: &str| run(root, &["list", "catalogs", "-i", index, "-o", "name"]).out();
    let n_all = names("all.db").lines().count();
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
    refused.expect_code(3).expect_words(&blob).expect_words("`--keep-going` leaves such states out");
    assert!(!root.join("past.db").exists());
    let kept = run(root, &[BUILD, &["--keep-going"]].concat());
    kept.expect_code(1).expect_words("left out `shop@").expect_words("1 state of the past left out");
    assert_eq!(names("past.db").lines().count(), n_all - 1);
}
