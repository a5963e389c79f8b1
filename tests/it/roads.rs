//! The roads by which the program comes to its users: all that `packaging/release` makes is right, and each package
//! that can be installed here is installed, without a network, and checks a catalog.
//!
//! In the archives, a script stands for the program and starts that of the tests, which takes a minute to compress.
//! `tests/it/hooks.rs` runs the commands of the hooks and of the action.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use olmdex::yaml;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Answer, TempDir, finish, olmdex, scratch, without_own, write};

const VERSION: &str = "0.3.0-rc.1";

/// The version as Python writes it.
const PYTHON_VERSION: &str = "0.3.0rc1";

/// A target, with its words in the names of a wheel and of a package of npm.
struct Target {
    name: &'static str,
    wheel: &'static str,
    npm: &'static str,
}

const TARGETS: &[Target] = &[
    Target { name: "aarch64-apple-darwin", wheel: "macosx_11_0_arm64", npm: "darwin-arm64" },
    Target {
        name: "aarch64-unknown-linux-musl",
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        npm: "linux-arm64",
    },
    Target { name: "x86_64-apple-darwin", wheel: "macosx_10_12_x86_64", npm: "darwin-x64" },
    Target {
        name: "x86_64-unknown-linux-musl",
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        npm: "linux-x64",
    },
];

/// The target of this machine.
fn here() -> &'static Target {
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-musl" };
    let name = format!("{}-{system}", std::env::consts::ARCH);
    TARGETS.iter().find(|target| target.name == name).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn parsed(text: &str) -> Value {
    let mut json = Vec::new();
    yaml::to_json(text.as_bytes(), &mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn sum_of(path: &Path) -> String {
    Sha256::digest(std::fs::read(path).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A shell in a directory that is also its home, so that no settings of the user count.
fn shell(script: &str, directory: &Path) -> Command {
    let mut command = Command::new("bash");
    without_own(&mut command).args(["-e", "-o", "pipefail", "-c", script]).current_dir(directory);
    command.env("HOME", directory).env("ROOT", root()).env_remove("SOURCE_DATE_EPOCH");
    command
}

/// Runs a script that must succeed; returns its output.
#[track_caller]
fn run(script: &str, directory: &Path) -> String {
    let answer = finish(shell(script, directory), Vec::new());
    answer.expect_code(0);
    answer.out()
}

/// A search path that finds the program of the tests first.
fn path_to_program() -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default())
}

/// Archives laid out as `packaging/dist` does it, with their checksums. Only the program for this machine works.
fn archives(targets: &[Target]) -> TempDir {
    let made = scratch();
    for target in targets {
        let name = format!("olmdex-{VERSION}-{}", target.name);
        let stage = made.path().join(&name);
        let program = match target.name == here().name {
            true => format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_olmdex")),
            false => "#!/bin/sh\necho not for this machine; exit 99\n".to_owned(),
        };
        write(&stage, "olmdex", program);
        write(&stage, "LICENSE", read("LICENSE"));
        write(&stage, "man/olmdex.1", ".TH olmdex 1\n");
        for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
            write(&stage, &format!("completions/olmdex.{shell}"), "");
        }
        let script = format!(
            "chmod 755 {name}/olmdex; find {name} -exec touch -t 202311142213 {{}} +
            tar -czf {name}.tar.gz {name}; rm -r {name}"
        );
        run(&script, made.path());
        let archive = format!("{name}.tar.gz");
        let sum = sum_of(&made.path().join(&archive));
        write(made.path(), &format!("{archive}.sha256"), format!("{sum}  {archive}\n"));
    }
    made
}

/// A run of `packaging/release`.
fn release(version: &str, archives: &Path, out: &Path) -> Command {
    let mut command = Command::new(root().join("packaging/release"));
    command.arg(version).args([archives, out]).env_remove("SOURCE_DATE_EPOCH");
    command
}

/// The files that `packaging/release` makes from archives.
fn released(targets: &[Target]) -> (TempDir, TempDir) {
    let (archives, out) = (archives(targets), scratch());
    finish(release(VERSION, archives.path(), out.path()), Vec::new()).expect_code(0);
    (archives, out)
}

/// The names and the contents of the files in a directory.
fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())).collect()
}

#[test]
#[ignore = "needs python3"]
fn the_same_archives_give_the_same_files() {
    let (archives, out) = released(TARGETS);
    let again = scratch();
    let mut command = release(VERSION, archives.path(), again.path());
    command.env("TZ", "Asia/Tokyo").env("PYTHONHASHSEED", "7").current_dir(again.path());
    finish(command, Vec::new()).expect_code(0);
    let (first, second) = (contents(out.path()), contents(again.path()));
    let differing: Vec<&String> = first.keys().filter(|name| first.get(*name) != second.get(*name)).collect();
    assert!(differing.is_empty() && first.len() == second.len(), "{differing:?}");

    let mut expected: Vec<String> =
        ["SHA256SUMS", "krew-olmdex.yaml", "olmdex.gitlab-ci.yml", "olmdex.rb", "tekton-olmdex-check.yaml"]
            .map(str::to_owned)
            .into();
    expected.push(format!("olmdex-{VERSION}.tgz"));
    for target in TARGETS {
        expected.push(format!("olmdex-{PYTHON_VERSION}-py3-none-{}.whl", target.wheel));
        expected.push(format!("olmdex-{}-{VERSION}.tgz", target.npm));
    }
    expected.sort();
    assert_eq!(first.keys().cloned().collect::<Vec<_>>(), expected);

    let sums = String::from_utf8(first["SHA256SUMS"].clone()).unwrap();
    let summed: Vec<String> = expected.iter().filter(|name| *name != "SHA256SUMS").cloned().collect();
    let lines: Vec<String> = summed.iter().map(|name| format!("{}  {name}", sum_of(&out.path().join(name)))).collect();
    assert_eq!(sums.lines().collect::<Vec<_>>(), lines);
    // Beside the archives, the checksums are those of the archives too.
    finish(release(VERSION, archives.path(), archives.path()), Vec::new()).expect_code(0);
    let sums = std::fs::read_to_string(archives.path().join("SHA256SUMS")).unwrap();
    assert_eq!(sums.matches(".tar.gz\n").count(), TARGETS.len(), "{sums}");
}

#[test]
#[ignore = "needs python3"]
fn packages_have_the_time_of_the_program_or_the_given_one() {
    let (archives, out) = released(TARGETS);
    let times = format!("tar -tvzf olmdex-{VERSION}.tgz; python3 -m zipfile -l olmdex-*macosx_11*.whl");
    let found = run(&times, out.path());
    assert_eq!(found.matches("2023-11-1").count(), 9, "{found}");
    let given = scratch();
    let mut command = release(VERSION, archives.path(), given.path());
    command.env("SOURCE_DATE_EPOCH", "86400000");
    finish(command, Vec::new()).expect_code(0);
    let found = run(&times, given.path());
    // Zip knows no time before 1980.
    assert_eq!((found.matches("1972-09-2").count(), found.matches("1980-01-01").count()), (4, 5), "{found}");
}

#[test]
#[ignore = "needs python3"]
fn every_manifest_has_the_archives_with_their_checksums() {
    for targets in [TARGETS, &TARGETS[3..]] {
        let (archives, out) = released(targets);
        let text = |name: &str| std::fs::read_to_string(out.path().join(name)).unwrap();
        let sum = |target: &Target| sum_of(&archives.path().join(format!("olmdex-{VERSION}-{}.tar.gz", target.name)));
        let url = |target: &Target| {
            let page = "https://github.com/olmdex/olmdex/releases/download";
            format!("{page}/v{VERSION}/olmdex-{VERSION}-{}.tar.gz", target.name)
        };

        let (krew, formula) = (parsed(&text("krew-olmdex.yaml")), text("olmdex.rb"));
        assert_eq!(krew["spec"]["version"], format!("v{VERSION}"));
        let platforms = krew["spec"]["platforms"].as_array().unwrap();
        assert_eq!(platforms.len(), targets.len());
        assert_eq!(formula.matches("sha256 \"").count(), targets.len(), "{formula}");
        for target in targets {
            let (system, processor) = target.npm.split_once('-').unwrap();
            let processor = processor.replace("x64", "amd64");
            let labels = json!({"os": system, "arch": processor});
            let is_meant = |platform: &&Value| platform["selector"]["matchLabels"] == labels;
            let platform = platforms.iter().find(is_meant).unwrap();
            assert_eq!((&platform["uri"], &platform["sha256"]), (&json!(url(target)), &json!(sum(target))));
            let inside =
                |found: &Value| found["from"].as_str().unwrap().replace('*', &format!("{VERSION}-{}", target.name));
            for file in platform["files"].as_array().unwrap() {
                let archive = url(target).rsplit('/').next().unwrap().to_owned();
                run(&format!("tar -tzf {archive} 'olmdex-{}'", inside(file)), archives.path());
            }
            let system = format!("on_{} do\n", system.replace("darwin", "macos"));
            let block = formula.split_once(&system).unwrap().1.split("\n  end\n").next().unwrap();
            let on = if processor == "amd64" { "on_intel" } else { "on_arm" };
            let expected = format!("{on} do\n      url \"{}\"\n      sha256 \"{}\"\n", url(target), sum(target));
            assert!(block.contains(&expected), "{expected}{formula}");
        }
        assert!(formula.contains(&format!("  version \"{VERSION}\"\n")), "{formula}");

        let task = parsed(&text("tekton-olmdex-check.yaml"));
        let image = task["spec"]["params"].as_array().unwrap().iter().find(|param| param["name"] == "image").unwrap();
        assert_eq!(image["default"], format!("ghcr.io/olmdex/olmdex:v{VERSION}"));
        let wheels = parsed(&text("olmdex.gitlab-ci.yml"))["olmdex-check"]["variables"]["OLMDEX_WHEELS"].clone();
        let of_linux = targets.iter().filter(|target| target.npm.starts_with("linux"));
        let wheel = |target: &Target| format!("olmdex-{PYTHON_VERSION}-py3-none-{}.whl", target.wheel);
        let hashes = of_linux.map(|target| format!(" --hash=sha256:{}", sum_of(&out.path().join(wheel(target)))));
        assert_eq!(wheels, format!("olmdex=={PYTHON_VERSION}{}", hashes.collect::<String>()));

        for name in ["krew-olmdex.yaml", "olmdex.rb", "tekton-olmdex-check.yaml", "olmdex.gitlab-ci.yml"] {
            for word in ["VERSION", "TARGET", "SHA256", "GOOS", "GOARCH", "BREWARCH", "# each", "# end"] {
                assert!(!text(name).contains(word), "{name}: {word}");
            }
        }
    }
}

#[test]
#[ignore = "needs python3"]
fn a_release_without_archives_or_a_version_fails() {
    let archives = archives(&TARGETS[..1]);
    let out = scratch();
    for (version, expected) in [
        ("0.3.1", "has no archive olmdex-0.3.1-TARGET.tar.gz"),
        ("v0.3.0", "`v0.3.0` is not a version of a release"),
        ("0.3.0-next", "`0.3.0-next` is not a version of a release"),
    ] {
        let answer = finish(release(version, archives.path(), out.path()), Vec::new());
        answer.expect_code(1).expect_words(expected);
    }
    assert!(contents(out.path()).is_empty());
}

/// Checks that a sound catalog passes, and that the exit code of a faulty one comes through. `olmdex` is a command of a
/// shell.
#[track_caller]
fn expect_checks(olmdex: &str, directory: &Path) {
    let check = |catalog: &str| finish(shell(&format!("{olmdex} check \"$ROOT/{catalog}\""), directory), Vec::new());
    check("fixtures/shop/in").expect_code(0).expect_words("checked 1 catalog (2 packages, 5 bundles): no errors");
    check("fixtures/rules/E0106/in").expect_code(1).expect_words("error[E0106]");
    check("fixtures/absent").expect_code(3);
}

/// Compares the hashes and sizes in the RECORD of each wheel with its files.
const CHECK_RECORDS: &str = r#"
import base64, csv, hashlib, pathlib, zipfile
for path in pathlib.Path().glob("*.whl"):
    with zipfile.ZipFile(path) as wheel:
        [record] = [name for name in wheel.namelist() if name.endswith(".dist-info/RECORD")]
        rows = {name: row for name, *row in csv.reader(wheel.read(record).decode().splitlines())}
        assert list(rows) == wheel.namelist(), rows
        for name in wheel.namelist():
            content = wheel.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            expected = ["", ""] if name == record else [f"sha256={digest}", str(len(content))]
            assert rows[name] == expected, name
            mode = 0o755 if name.endswith(".data/scripts/olmdex") else 0o644
            assert wheel.getinfo(name).external_attr >> 16 == 0o100000 | mode, name
        tags = wheel.read(record.replace("RECORD", "WHEEL")).decode().split("Tag: ")[1:]
        assert ".".join(tag.strip().removeprefix("py3-none-") for tag in tags) in path.name, tags
    print("right")
"#;

#[test]
#[ignore = "needs python3 with venv"]
fn pip_installs_the_wheel_and_gitlab_does_it_too() {
    let (_archives, out) = released(TARGETS);
    let home = scratch();
    write(home.path(), "check.py", CHECK_RECORDS);
    let checked = run(&format!("python3 '{}/check.py'", home.path().display()), out.path());
    assert_eq!(checked.matches("right").count(), TARGETS.len());

    run("python3 -m venv by-name && python3 -m venv by-gitlab", home.path());
    let found = format!("export PIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS='{}'", out.path().display());
    run(&format!("{found}; by-name/bin/pip install --quiet --no-deps olmdex=={PYTHON_VERSION}"), home.path());
    expect_checks("by-name/bin/olmdex", home.path());

    let job = parsed(&std::fs::read_to_string(out.path().join("olmdex.gitlab-ci.yml")).unwrap());
    let job = &job["olmdex-check"];
    let install = job["before_script"][0].as_str().unwrap();
    let install = format!("{found}; export PATH=\"$PWD/by-gitlab/bin:$PATH\"; {install}");
    let installed = |wheels: &str| {
        let mut command = shell(&install, home.path());
        command.env("OLMDEX_WHEELS", wheels);
        finish(command, Vec::new())
    };
    let wheels = job["variables"]["OLMDEX_WHEELS"].as_str().unwrap();
    let other = format!("olmdex=={PYTHON_VERSION} --hash=sha256:{}", "0".repeat(64));
    installed(&other).expect_code(1).expect_words("DO NOT MATCH");
    installed(wheels).expect_code(0);
    expect_checks("by-gitlab/bin/olmdex", home.path());
}

/// A directory in which npm has installed the packages of the release for this machine.
fn installed_by_npm() -> TempDir {
    let (_archives, out) = released(TARGETS);
    let home = scratch();
    let packages = ["".to_owned(), format!("-{}", here().npm)]
        .map(|middle| format!("'{}/olmdex{middle}-{VERSION}.tgz'", out.path().display()));
    let install = "npm install --offline --no-audit --no-fund --no-update-notifier --silent";
    run(&format!("echo '{{}}' >package.json; {install} {}", packages.join(" ")), home.path());
    home
}

#[test]
#[ignore = "needs npm and python3"]
fn npm_installs_the_program_of_this_machine() {
    let home = installed_by_npm();
    expect_checks("npx --no-install --offline --no-update-notifier olmdex", home.path());
    let manifest = read(home.path().join("node_modules/olmdex/package.json"));
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let expected: BTreeMap<String, &str> =
        TARGETS.iter().map(|target| (format!("@olmdex/{}", target.npm), VERSION)).collect();
    assert_eq!(manifest["optionalDependencies"], json!(expected));
    let (system, processor) = here().npm.split_once('-').unwrap();
    let manifest = read(home.path().join(format!("node_modules/@olmdex/{}/package.json", here().npm)));
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["os"], &manifest["cpu"]), (&json!([system]), &json!([processor])));
}

#[test]
#[ignore = "needs npm and python3"]
fn the_launcher_of_npm_passes_all_through() {
    let home = installed_by_npm();
    let program = PathBuf::from(format!("node_modules/@olmdex/{}/bin/olmdex", here().npm));
    // The loops end by themselves, so a signal that is lost fails the test.
    let stand_in = format!(
        "cat >{0} <<'END'
#!/bin/sh
case $1 in
  args) shift; printf '<%s>' \"$@\"; cat; echo problem >&2; exit 42 ;;
  wait)
    trap 'exit 7' HUP INT QUIT TERM
    : >ready
    for _ in $(seq 100); do sleep 0.1; done ;;
  *) kill -s \"$1\" $$ ;;
esac
END
        chmod 755 {0}",
        program.display()
    );
    run(&stand_in, home.path());
    let start = |script: &str| -> Answer { finish(shell(script, home.path()), b"input".to_vec()) };
    let answer = start("npx --no-install --offline --no-update-notifier olmdex args a 'b  c' '' '*'");
    assert_eq!((answer.code, answer.out().as_str()), (Some(42), "<a><b  c><><*>input"), "{}", answer.both());
    answer.expect_words("problem");
    for signal in ["HUP", "INT", "QUIT", "TERM"] {
        let script = format!(
            "rm -f ready; node node_modules/.bin/olmdex wait & launcher=$!
            for _ in $(seq 300); do if [ -e ready ]; then break; fi; sleep 0.1; done
            kill -s {signal} $launcher; wait $launcher"
        );
        start(&script).expect_code(7);
    }
    start("node node_modules/.bin/olmdex TERM || exit $?").expect_code(128 + 15);
    start("node node_modules/.bin/olmdex KILL || exit $?").expect_code(128 + 9);

    let other =
        "Object.defineProperty(process, 'arch', { value: 'riscv64' }); require('./node_modules/olmdex/bin/olmdex.js')";
    let answer = start(&format!("node -e \"{other}\""));
    answer.expect_code(127).expect_words("there is no package @olmdex/").expect_words("@olmdex/linux-x64");
    answer.expect_words("cargo install --locked --git https://github.com/olmdex/olmdex");
    run(&format!("rm {}", program.display()), home.path());
    let answer = start("node node_modules/.bin/olmdex check");
    answer.expect_code(127).expect_words("install olmdex again, with optional dependencies");
}

#[test]
#[ignore = "needs ruby and python3"]
fn ruby_reads_the_formula() {
    let (_archives, out) = released(TARGETS);
    assert_eq!(run("ruby -cw olmdex.rb 2>&1", out.path()), "Syntax OK\n");
}

#[test]
fn the_formula_tests_the_program_with_a_sound_catalog() {
    let formula = read("packaging/homebrew/olmdex.rb");
    let home = scratch();
    write(home.path(), "till.yaml", catalog_of(&formula));
    assert!(formula.contains("YAML\n    system bin/\"olmdex\", \"check\", \"till.yaml\"\n"), "{formula}");
    let answer = olmdex(["check", "till.yaml"]).in_directory(home.path()).answer();
    answer.expect_code(0).expect_words("checked 1 catalog (1 package, 1 bundle): no errors");
}

/// The catalog in the formula, without the indentation that Ruby takes away.
fn catalog_of(formula: &str) -> String {
    let lines = formula.lines().skip_while(|line| !line.ends_with("<<~YAML")).skip(1);
    let lines = lines.take_while(|line| line.trim() != "YAML");
    lines.map(|line| format!("{}\n", line.strip_prefix("      ").unwrap())).collect()
}

/// Builds the last stage of the Containerfile. The program of the tests stands for the one that the first stage
/// compiles without libraries, so its libraries come with it.
const BUILD_IMAGE: &str = r#"
install -D -m 0755 "$PROGRAM" out/usr/bin/olmdex
install -d -m 1777 out/tmp
for library in $(ldd "$PROGRAM" | grep -o '/[^ ]*'); do install -D "$library" "out$library"; done
in_store() { buildah --root "$PWD/root" --runroot "$PWD/run" --storage-driver vfs "$@"; }
in_store build --quiet --isolation chroot --tag olmdex . >/dev/null
in_store from --name olmdex olmdex >/dev/null
words=$(in_store inspect --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}' --type image olmdex)
echo "$(in_store inspect --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.WorkingDir}}' --type image olmdex)"
in_image() { in_store run --isolation chroot -v "$ROOT/fixtures:/work:ro" olmdex -- $words "$@"; }
in_image check shop/in 2>&1
in_image check rules/E0106/in >/dev/null 2>&1 || echo "code $?"
in_image build shop/in -O /tmp/index.db 2>&1
in_image build shop/in -O /index.db 2>&1 || echo "code $?"
"#;

#[test]
#[ignore = "needs buildah"]
fn the_image_checks_a_catalog_as_nobodys_user() {
    let home = scratch();
    let image = read("packaging/Containerfile");
    let (_, last) = image.split_once("\nFROM scratch\n").unwrap();
    assert!(last.contains("\nCOPY --from=build /out/ /\n"), "{last}");
    write(home.path(), "Containerfile", format!("FROM scratch\n{}", last.replace("--from=build /out/", "out/")));
    let mut command = shell(BUILD_IMAGE, home.path());
    command.env("PROGRAM", env!("CARGO_BIN_EXE_olmdex"));
    let answer = finish(command, Vec::new());
    answer.expect_code(0);
    let out = answer.out();
    assert!(out.starts_with("1001:0 /work\n"), "{out}");
    for words in [
        "checked 1 catalog (2 packages, 5 bundles): no errors, 1 warning\ncode 1\n",
        "wrote /tmp/index.db\n",
        "error: cannot write /index.db: permission denied\n",
    ] {
        assert!(out.contains(words), "{out}");
    }
    assert!(out.ends_with("code 3\n"), "{out}");
}

#[test]
fn the_task_of_tekton_runs_as_its_parameters_say() {
    let task = parsed(&read("packaging/tekton/olmdex-check.yaml"));
    assert_eq!((&task["apiVersion"], &task["kind"]), (&json!("tekton.dev/v1"), &json!("Task")));
    let step = &task["spec"]["steps"][0];
    assert!(step.get("script").is_none(), "the image has no shell");
    assert!(read("packaging/Containerfile").contains(&format!("ENTRYPOINT {}", step["command"]).replace('\'', "\"")));
    let params = task["spec"]["params"].as_array().unwrap();
    let default = |name: &str| params.iter().find(|param| param["name"] == name).unwrap()["default"].clone();
    // As Tekton puts arrays in: each element is an argument.
    let check = |values: &BTreeMap<&str, Vec<&str>>| {
        let mut arguments: Vec<String> = Vec::new();
        for argument in step["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap()) {
            let name = argument.strip_prefix("$(params.").and_then(|rest| rest.strip_suffix("[*])"));
            match (name, name.and_then(|name| values.get(name))) {
                (Some(_), Some(given)) => arguments.extend(given.iter().map(|value| (*value).to_owned())),
                (Some(name), None) => {
                    let values = serde_json::from_value::<Vec<String>>(default(name));
                    arguments.extend(values.unwrap());
                }
                _ => arguments.push(argument.to_owned()),
            }
        }
        olmdex(arguments).in_directory(root().join("fixtures")).answer()
    };
    check(&BTreeMap::from([("sources", vec!["shop/in"])])).expect_code(0);
    let both = vec!["shop/in", "rules/E0106/in"];
    check(&BTreeMap::from([("sources", both)])).expect_code(1).expect_words("checked 2 catalogs");
    let base = [("sources", vec!["rules/E0106/in"]), ("base", vec!["--base=rules/E0106/in"])];
    check(&BTreeMap::from(base)).expect_code(0);
}

#[test]
fn the_job_of_gitlab_writes_both_reports_and_fails_for_errors() {
    let job = parsed(&read("packaging/gitlab/olmdex.gitlab-ci.yml"))["olmdex-check"].clone();
    let script = job["script"][0].as_str().unwrap();
    let reports = &job["artifacts"]["reports"];
    assert_eq!(job["artifacts"]["when"], "always");
    for (sources, base, code, n_findings) in [
        ("fixtures/shop/in", "", 0, 1),
        ("fixtures/shop/in fixtures/rules/E0106/in", "", 1, 2),
        ("fixtures/rules/E0106/in", "fixtures/rules/E0106/in", 0, 0),
    ] {
        let home = scratch();
        let mut command = shell(&format!("ln -s \"$ROOT/fixtures\" fixtures\n{script}"), home.path());
        command.env("PATH", path_to_program()).env("OLMDEX_SOURCES", sources).env("OLMDEX_BASE", base);
        finish(command, Vec::new()).expect_code(code);
        let report = |name: &str| read(home.path().join(reports[name].as_str().unwrap()));
        let found: Value = serde_json::from_str(&report("codequality")).unwrap();
        let found = found.as_array().unwrap();
        assert_eq!(found.len(), n_findings, "{found:?}");
        // GitLab shows a finding beside its line only if the path begins in the repository.
        assert!(
            found.iter().all(|finding| finding["location"]["path"].as_str().unwrap().starts_with("fixtures/")),
            "{found:?}"
        );
        let junit = report("junit");
        let n_cases = junit.matches("<skipped ").count() + junit.matches("<failure ").count();
        assert_eq!(n_cases, n_findings, "{junit}");
    }
}

/// The first step of the action, with a `gh` that has the archives of a release.
#[test]
fn the_action_installs_an_archive_whose_checksum_is_right() {
    let action = parsed(&read("action.yml"));
    let script = action["runs"]["steps"][0]["run"].as_str().unwrap();
    let archives = archives(TARGETS);
    let gh = "gh() { case \"$1 $2\" in
        'release download') echo \"$@\" >\"$RUNNER_TEMP/asked\"; cp \"$ARCHIVES\"/olmdex-*-\"$target\".tar.gz* . ;;
        'attestation verify') test -e \"$3\" ;;
        *) false ;;
    esac; }";
    let install = |system: &str, processor: &str, temp: &Path| {
        let mut command = shell(&format!("{gh}\n{script}"), temp);
        command.envs([("RUNNER_OS", system), ("RUNNER_ARCH", processor), ("ACTION_REF", "v0.3.0-rc.1")]);
        command.env("RUNNER_TEMP", temp).env("GITHUB_PATH", temp.join("path")).env("ARCHIVES", archives.path());
        finish(command, Vec::new())
    };
    for target in TARGETS {
        let (system, processor) = target.npm.split_once('-').unwrap();
        let system = if system == "darwin" { "macOS" } else { "Linux" };
        let temp = scratch();
        install(system, &processor.to_uppercase(), temp.path()).expect_code(0);
        let asked = read(temp.path().join("asked"));
        assert!(asked.contains(&format!("v{VERSION} --repo olmdex/olmdex")), "{asked}");
        let installed = read(temp.path().join("path"));
        let program = format!("'{}/olmdex'", installed.trim_end());
        if target.name == here().name {
            expect_checks(&program, temp.path());
        } else {
            finish(shell(&program, temp.path()), Vec::new()).expect_code(99);
        }
    }
    let temp = scratch();
    install("Windows", "X64", temp.path()).expect_code(1).expect_words("olmdex has no release for Windows on X64");
    let archive = archives.path().join(format!("olmdex-{VERSION}-{}.tar.gz", TARGETS[0].name));
    std::fs::write(archive, "another one").unwrap();
    install("macOS", "ARM64", temp.path()).expect_code(1).expect_words("FAILED");
}

#[test]
fn the_jobs_that_publish_packages_may_do_nothing_else() {
    let workflow = parsed(&read(".github/workflows/release.yml"));
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    let jobs = &workflow["jobs"];
    for name in ["pypi", "npm"] {
        assert_eq!(jobs[name]["permissions"], json!({"id-token": "write"}), "{name}");
        assert_eq!(jobs[name]["needs"], "publish");
    }
    assert!(jobs["roads"].get("permissions").is_none());
    let steps = jobs["roads"]["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["run"] == "packaging/release \"${GITHUB_REF_NAME#v}\" packages packages"));
}
