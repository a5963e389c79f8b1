//! `whereis`: the reason why an operator is not in a catalog, and the change that adds it.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and one prints figures")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use olmdex::community::{NewContent, Publication, PublicationChange, Publications, Repository};
use olmdex::constraint::openshift::Minor;

use crate::support::{olmdex, scratch, write};

const CI: &str = "---
# Who is asked about the operator.
reviewers: [shopkeeper]
fbc:
  enabled: true
  catalog_mapping:
    - template_name: old.yaml # before 4.17
      catalog_names: [v4.15, v4.16]
      type: olm.template.basic
    - template_name: new.yaml
      type: olm.template.basic
      catalog_names:
        - \"v4.17\"
        - v4.18
";

fn ci(with: &str) -> String {
    CI.replace("  enabled: true\n", &format!("  enabled: true\n{with}"))
}

/// A repository with the catalogs v4.15 to v4.20, and the operator `shop` in the named ones.
fn repository(root: &Path, ci: &str, catalogs: &[&str]) {
    write(root, "operators/shop/ci.yaml", ci);
    for catalog in ["v4.15", "v4.16", "v4.17", "v4.18", "v4.19", "v4.20", "v5.0"] {
        std::fs::create_dir_all(root.join("catalogs").join(catalog)).unwrap();
    }
    for catalog in catalogs {
        write(root, &format!("catalogs/{catalog}/shop/catalog.yaml"), shop());
    }
}

fn shop() -> &'static str {
    "---\nschema: olm.package\nname: shop\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: shop\nname: stable\nentries:\n- name: \
     shop.v1.0.0\n---\nschema: olm.bundle\npackage: shop\nname: shop.v1.0.0\nimage: q.io/shop:v1.0.0\nproperties:\n- type: olm.package\n  value: \
     {packageName: shop, version: 1.0.0}\n"
}

fn bundle(root: &Path, version: &str, openshift: &str, channels: &str) {
    let directory = format!("operators/shop/{version}");
    let line =
        if openshift.is_empty() { String::new() } else { format!("  com.redhat.openshift.versions: {openshift}\n") };
    let annotations = format!(
        "annotations:\n  operators.operatorframework.io.bundle.package.v1: shop\n  operators.operatorframework.io.bundle.channels.v1: \
         {channels}\n{line}"
    );
    write(root, &format!("{directory}/metadata/annotations.yaml"), annotations);
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: shop.v{version}\n  annotations: \
         {{createdAt: 2026-01-02T00:00:00Z}}\nspec: {{version: {version}}}\n"
    );
    write(root, &format!("{directory}/manifests/shop.clusterserviceversion.yaml"), csv);
}

fn minor(text: &str) -> Minor {
    let (major, minor) = text.split_once('.').unwrap();
    Minor { major: major.parse().unwrap(), minor: minor.parse().unwrap() }
}

fn publication(root: &Path, of: &str, openshift: &str) -> Publication {
    let publications = Publications::read(Repository::around(root).unwrap(), "shop").unwrap();
    match of.split_once('@') {
        Some((_, version)) => publications.of_version(version, minor(openshift)),
        None => publications.of(minor(openshift)),
    }
}

/// The kinds of reasons, the steps of the change, and the paths of its files.
fn told(publication: &Publication) -> (Vec<&'static str>, Vec<String>, Vec<String>) {
    let kinds = publication.reasons.iter().map(|it| it.kind.as_str()).collect();
    let change = publication.change.clone().unwrap_or_default();
    (kinds, [change.steps, change.commands].concat(), change.files.into_iter().map(|it| it.path).collect())
}

struct Case {
    what: &'static str,
    ci: String,
    catalogs: &'static [&'static str],
    openshift: &'static str,
    is_there: bool,
    kinds: &'static [&'static str],
    /// Words that a step or command contains.
    steps: &'static [&'static str],
    files: &'static [&'static str],
}

#[test]
fn templates_and_their_mapping_decide() {
    let all: &[&str] = &["v4.15", "v4.16", "v4.17", "v4.18"];
    let case = |what, ci, catalogs, openshift| Case {
        what,
        ci,
        catalogs,
        openshift,
        is_there: false,
        kinds: &[],
        steps: &[],
        files: &[],
    };
    let both: &[&str] = &["operators/shop/ci.yaml", "catalogs/v4.19/shop/catalog.yaml"];
    let cases = [
        Case { is_there: true, ..case("it is there", ci(""), all, "4.18") },
        Case {
            is_there: true,
            kinds: &["not-mapped"],
            ..case("it is there, and no template makes it", ci(""), &["v4.18", "v4.19"], "4.19")
        },
        Case {
            kinds: &["not-mapped", "promotion"],
            steps: &["add `v4.19` to the catalogs of template `new.yaml`", "copy `catalogs/v4.18/shop/catalog.yaml`"],
            files: both,
            ..case("the next version", ci(""), all, "4.19")
        },
        Case {
            kinds: &["not-mapped", "promotion"],
            steps: &["template `new.yaml`", "copy `catalogs/v4.18/shop/catalog.yaml` to `catalogs/v4.20/shop/catalog.yaml`"],
            files: &["operators/shop/ci.yaml", "catalogs/v4.20/shop/catalog.yaml"],
            ..case("one later than the next", ci("  version_promotion_strategy: always\n"), all, "4.20")
        },
        Case {
            kinds: &["not-mapped", "promotion"],
            steps: &["template `new.yaml`", "copy `catalogs/v4.18/shop"],
            files: &["operators/shop/ci.yaml", "catalogs/v5.0/shop/catalog.yaml"],
            ..case("after 4.22 comes 5.0", ci("  version_promotion_strategy: never\n"), all, "5.0")
        },
        Case {
            kinds: &["no-catalog", "not-mapped", "promotion"],
            steps: &["template `new.yaml`", "copy"],
            files: &["operators/shop/ci.yaml", "catalogs/v5.1/shop/catalog.yaml"],
            ..case("a version without catalogs", ci(""), all, "5.1")
        },
        Case {
            kinds: &["not-rendered"],
            steps: &["copy `catalogs/v4.17/shop/catalog.yaml` to `catalogs/v4.18/shop/catalog.yaml`"],
            files: &["catalogs/v4.18/shop/catalog.yaml"],
            ..case("mapped and not rendered", ci(""), &["v4.15", "v4.16", "v4.17"], "4.18")
        },
        Case {
            kinds: &["not-rendered"],
            steps: &["render template `new.yaml`", "olmdex template render operators/shop/catalog-templates/new.yaml"],
            ..case("no catalog of the template was rendered", ci(""), &["v4.15", "v4.16"], "4.17")
        },
        Case {
            kinds: &["not-mapped", "promotion"],
            steps: &["template `old.yaml`", "without `olm.bundle.object`", "--migrate-level bundle-object-to-csv-metadata"],
            files: &["operators/shop/ci.yaml"],
            ..case(
                "catalogs from 4.17 on have other metadata",
                "fbc: {enabled: true, catalog_mapping: [{template_name: old.yaml, type: olm.template.basic, catalog_names: [v4.16]}]}\n"
                    .to_owned(),
                &["v4.16"],
                "4.17",
            )
        },
        Case {
            kinds: &["not-mapped", "promotion"],
            steps: &["copy `catalogs/v4.18/shop/catalog.yaml` to `catalogs/v4.19/shop/catalog.yaml`"],
            files: &["catalogs/v4.19/shop/catalog.yaml"],
            ..case("catalogs without a mapping", "fbc: {enabled: true}\n".to_owned(), all, "4.19")
        },
        Case {
            kinds: &["not-mapped", "promotion"],
            steps: &["template `old.yaml`", "render the template"],
            ..case(
                "no catalog can be copied",
                "fbc: {enabled: true, catalog_mapping: [{template_name: old.yaml, type: olm.template.basic, catalog_names: []}]}\n"
                    .to_owned(),
                &[],
                "4.17",
            )
        },
    ];
    for Case { what, ci, catalogs, openshift, is_there, kinds, steps, files } in cases {
        let directory = scratch();
        repository(directory.path(), &ci, catalogs);
        let publication = publication(directory.path(), "shop", openshift);
        assert_eq!(publication.is_there, is_there, "{what}");
        let (found, told, changed) = told(&publication);
        assert_eq!(found, kinds, "{what}");
        assert_eq!(told.len(), steps.len(), "{what}: {told:?}");
        for (told, expected) in told.iter().zip(steps) {
            assert!(told.contains(expected), "{what}: {told}");
        }
        assert_eq!(changed, files, "{what}");
    }
}

#[test]
fn annotations_decide_where_there_are_no_templates() {
    let directory = scratch();
    let root = directory.path();
    write(root, "operators/shop/ci.yaml", "reviewers: [shopkeeper]\n");
    bundle(root, "1.0.0", "v4.12", "stable");
    bundle(root, "1.1.0", "v4.12-v4.18", "stable");
    bundle(root, "1.2.0", "v4.14-v4.18", "stable,fast");
    let older = publication(root, "shop", "4.20");
    assert!(older.is_there);
    let (kinds, steps, _) = told(&older);
    assert_eq!((kinds.as_slice(), steps.len()), (&["annotation"][..], 0));
    assert!(older.reasons[0].text.contains("version 1.2.0 is for OpenShift `v4.14-v4.18`"), "{older:?}");
    let place = older.reasons[0].place.as_ref().unwrap();
    assert!(place.file.ends_with("operators/shop/1.2.0/metadata/annotations.yaml") && place.line == 4, "{place:?}");

    let publications = Publications::read(Repository::around(root).unwrap(), "shop").unwrap();
    let heads = |openshift: &str| -> Vec<(String, String)> {
        publications.heads(minor(openshift)).into_iter().map(|it| (it.channel, it.version)).collect()
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(heads("4.18"), [pair("fast", "1.2.0"), pair("stable", "1.2.0")]);
    assert_eq!(heads("4.13"), [pair("stable", "1.1.0")]);
    assert_eq!(heads("4.20"), [pair("stable", "1.0.0")]);
    assert_eq!(heads("4.11"), []);

    let none = publication(root, "shop", "4.11");
    let (kinds, steps, files) = told(&none);
    assert!(!none.is_there && files.is_empty());
    assert_eq!(kinds, ["annotation", "annotation"]);
    assert!(
        steps[0].contains("publish a version after 1.2.0 with `com.redhat.openshift.versions: v4.11-v4.18`"),
        "{steps:?}"
    );
    let one = publication(root, "shop@1.1.0", "4.20");
    assert!(told(&one).1[0].contains("v4.12-v4.20"), "{one:?}");
    assert_eq!(told(&publication(root, "shop@9.0.0", "4.20")).0, ["no-version"]);
}

#[test]
fn a_version_is_released_into_templates() {
    let cases = [
        ("", "has no release-config.yaml", "write `operators/shop/1.1.0/release-config.yaml`"),
        ("old.yaml", "none of these produces `v4.18`", "add the template `new.yaml`, which produces `v4.18`"),
        ("new.yaml", "the catalog has not been rendered since", "release the version again"),
    ];
    for (template, reason, step) in cases {
        let directory = scratch();
        let root = directory.path();
        repository(root, &ci(""), &["v4.15", "v4.16", "v4.17", "v4.18"]);
        bundle(root, "1.1.0", "", "stable");
        if !template.is_empty() {
            let text = format!("catalog_templates: [{{template_name: {template}, channels: [stable]}}]\n");
            write(root, "operators/shop/1.1.0/release-config.yaml", text);
        }
        let found = publication(root, "shop@1.1.0", "4.18");
        let (kinds, steps, _) = told(&found);
        assert_eq!(kinds, ["release-configuration"], "{template}");
        assert!(found.reasons[0].text.contains(reason), "{template}: {found:?}");
        assert!(
            steps[0].contains(step) && steps[1].starts_with("olmdex edit release operators/shop/1.1.0"),
            "{steps:?}"
        );
    }
}

#[test]
fn names_lead_nowhere_else() {
    let directory = scratch();
    let root = directory.path();
    repository(root, &ci(""), &["v4.18"]);
    write(root, "outside/ci.yaml", ci(""));
    for name in ["../outside", "..", ".", "", "shop/../shop", "/etc"] {
        let repository = Repository::around(root).unwrap();
        let error = Publications::read(repository, name).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("has no operator"), "{name}: {error}");
    }
    // A link that replaces a file leads nowhere.
    std::fs::remove_file(root.join("operators/shop/ci.yaml")).unwrap();
    std::os::unix::fs::symlink(root.join("outside/ci.yaml"), root.join("operators/shop/ci.yaml")).unwrap();
    bundle(root, "1.0.0", "v4.12-v4.18", "stable");
    assert!(!Publications::read(Repository::around(root).unwrap(), "shop").unwrap().has_templates());
}

#[test]
fn a_patch_changes_what_it_says_and_no_comment() {
    let directory = scratch();
    let root = directory.path();
    // The last line has no end, which a patch must show.
    repository(root, ci("").trim_end(), &["v4.15", "v4.16", "v4.17", "v4.18"]);
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args).current_dir(root);
        let done = git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", root).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "before"]);
    let answer =
        olmdex(["whereis", "shop", "--repo", ".", "--openshift", "4.19", "-o", "patch"]).in_directory(root).answer();
    answer.expect_code(0);
    write(root, "../change.patch", answer.out());
    let patch = root.parent().unwrap().join("change.patch");
    git(&["apply", "--index", patch.to_str().unwrap()]);
    std::fs::remove_file(&patch).unwrap();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    assert_eq!(read("operators/shop/ci.yaml"), format!("{}\n        - v4.19", ci("").trim_end()));
    assert_eq!(read("catalogs/v4.19/shop/catalog.yaml"), shop());
    let after = olmdex(["whereis", "shop", "--repo", ".", "--openshift", "4.19"]).in_directory(root).answer();
    after.expect_code(0);
}

/// A commit that adds the catalog of a later version than all that the operator has.
struct Promotion {
    commit: String,
    operator: String,
    catalog: String,
}

struct History<'a>(&'a Path);

impl History<'_> {
    fn git(&self, args: &[&str]) -> Option<Vec<u8>> {
        let done = Command::new("git").arg("-C").arg(self.0).args(args).output().unwrap();
        done.status.success().then_some(done.stdout)
    }

    fn lines(&self, args: &[&str]) -> Vec<String> {
        let text = self.git(args).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }

    fn mapping(&self, commit: &str, operator: &str) -> BTreeMap<String, BTreeSet<String>> {
        let text = self.git(&["show", &format!("{commit}:operators/{operator}/ci.yaml")]).unwrap_or_default();
        mapping(&text)
    }

    /// The catalogs of an operator: names, with file and blob.
    fn catalogs(&self, commit: &str, operator: &str) -> BTreeMap<String, (String, String)> {
        let names = self.lines(&["ls-tree", "--name-only", commit, "catalogs/"]);
        let paths: Vec<String> = names.iter().map(|it| format!("{it}/{operator}/")).collect();
        let args: Vec<&str> = ["ls-tree", commit].into_iter().chain(paths.iter().map(String::as_str)).collect();
        let rows = self.lines(&args).into_iter().filter_map(|line| {
            let (head, path) = line.split_once('\t')?;
            let catalog = path.split('/').nth(1)?.to_owned();
            Some((catalog, (path.to_owned(), head.split(' ').next_back()?.to_owned())))
        });
        rows.collect()
    }

    fn promotions(&self) -> Vec<Promotion> {
        let mut found = Vec::new();
        for commit in self.lines(&["log", "--no-merges", "--diff-filter=A", "--format=%H", "--", "catalogs/"]) {
            let args =
                ["diff-tree", "--no-commit-id", "--name-only", "--diff-filter=A", "-r", &commit, "--", "catalogs/"];
            for path in self.lines(&args) {
                let [_, catalog, operator, _] = path.split('/').collect::<Vec<_>>()[..] else { continue };
                let had = self.catalogs(&format!("{commit}^"), operator);
                let newest = had.keys().filter_map(|it| number(it)).max();
                if newest.is_some() && number(catalog) > newest {
                    let (operator, catalog) = (operator.to_owned(), catalog.to_owned());
                    found.push(Promotion { commit: commit.clone(), operator, catalog });
                }
            }
        }
        found
    }

    /// Finds the advice before the commit that equals the merged change, or describes the difference.
    fn compare(&self, it: &Promotion) -> Result<&'static str, &'static str> {
        let Promotion { commit, operator, catalog } = it;
        let before = format!("{commit}^");
        let directory = scratch();
        let root = directory.path();
        let ci = self.git(&["show", &format!("{before}:operators/{operator}/ci.yaml")]).unwrap_or_default();
        write(root, &format!("operators/{operator}/ci.yaml"), String::from_utf8_lossy(&ci).into_owned());
        let old = self.catalogs(&before, operator);
        for (path, _) in old.values() {
            write(root, path, "");
        }
        let Ok(publications) = Publications::read(Repository::around(root).unwrap(), operator) else {
            return Err("the operator has no ci.yaml before");
        };
        let advice = publications.of(minor(catalog.strip_prefix('v').unwrap()));
        let ways = [("one more catalog for a template", advice.change), ("a template of its own", advice.own_template)];
        let mut why = "there is no advice";
        for (words, change) in ways.into_iter().filter_map(|(words, it)| Some((words, it?))) {
            match self.difference(it, &change, &ci, &old) {
                None => return Ok(words),
                Some(_) if why == OTHER_VERSIONS => {}
                Some(difference) => why = difference,
            }
        }
        Err(why)
    }

    fn difference(
        &self,
        it: &Promotion,
        change: &PublicationChange,
        ci: &[u8],
        old: &BTreeMap<String, (String, String)>,
    ) -> Option<&'static str> {
        let Promotion { commit, operator, catalog } = it;
        let maker = |mapping: &BTreeMap<String, BTreeSet<String>>| {
            mapping.iter().find(|it| it.1.contains(catalog)).map(|it| it.0.clone())
        };
        let edited = change.files.iter().find_map(|it| match &it.content {
            NewContent::Edited { after, .. } => Some(mapping(after)),
            NewContent::CopyOf(_) => None,
        });
        let merged = maker(&self.mapping(commit, operator));
        if maker(&edited.unwrap_or_else(|| mapping(ci))) != merged {
            return Some(match merged {
                None => "the commit maps no template to the new catalog",
                Some(template) if mapping(ci).contains_key(&template) => "another template makes the new catalog",
                Some(_) => "the commit renames the templates",
            });
        }
        let new = self.catalogs(commit, operator);
        let (_, blob) = new.get(catalog)?;
        let copied = change.files.iter().find_map(|it| match &it.content {
            NewContent::CopyOf(from) if from.starts_with("catalogs/") => Some(from.clone()),
            _ => None,
        });
        let Some(from) = copied else { return Some("the catalog must be rendered, which needs the bundles") };
        // The commit may also add a version to the catalog that is copied; then both are the output of the template.
        let is_copy = |all: &BTreeMap<String, (String, String)>| all.values().any(|it| it.0 == from && it.1 == *blob);
        if is_copy(old) || is_copy(&new) { None } else { Some(OTHER_VERSIONS) }
    }
}

/// The change is the advised one, and the commit also gives the new catalog other versions of the operator.
const OTHER_VERSIONS: &str = "the same template and catalog, with other versions of the operator in it";

/// The number of a catalog such as `v4.20`.
fn number(catalog: &str) -> Option<(u64, u64)> {
    let (major, minor) = catalog.strip_prefix('v')?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn mapping(text: &[u8]) -> BTreeMap<String, BTreeSet<String>> {
    let mut json = Vec::new();
    let mut all = BTreeMap::new();
    if olmdex::yaml::to_json(text, &mut json).is_err() {
        return all;
    }
    let value: serde_json::Value = serde_json::from_slice(&json).unwrap_or_default();
    for item in value["fbc"]["catalog_mapping"].as_array().into_iter().flatten() {
        let names = item["catalog_names"].as_array().into_iter().flatten();
        let names = names.filter_map(|it| it.as_str()).map(str::to_owned);
        all.entry(item["template_name"].as_str().unwrap_or_default().to_owned())
            .or_insert_with(BTreeSet::new)
            .extend(names);
    }
    all
}

/// The advice before each merged promotion of a repository equals the merged change. `OLMDEX_OPERATORS` names the git
/// directory of `redhat-openshift-ecosystem/certified-operators`, or of another repository of its kind.
#[test]
#[ignore = "needs a clone of certified-operators"]
fn advice_is_what_was_merged() {
    let git =
        std::env::var("OLMDEX_OPERATORS").expect("OLMDEX_OPERATORS names the git directory of certified-operators");
    let history = History(Path::new(&git));
    let promotions = history.promotions();
    let mut ways: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for it in &promotions {
        match history.compare(it) {
            Ok(way) => *ways.entry(way).or_default() += 1,
            Err(why) => {
                differences.entry(why).or_default().push(format!("{} {} {}", &it.commit[..9], it.operator, it.catalog));
            }
        }
    }
    let equal: usize = ways.values().sum();
    println!("{equal} of {} promotions are as advised, byte for byte: {ways:?}", promotions.len());
    for (why, of) in &differences {
        println!("{} × {why}", of.len());
        of.iter().for_each(|it| println!("    {it}"));
    }
    assert!(promotions.len() > 20, "{} promotions", promotions.len());
    let as_advised = equal + differences.get(OTHER_VERSIONS).map_or(0, Vec::len);
    assert!(as_advised * 100 >= promotions.len() * 80, "{as_advised} of {}", promotions.len());
}
