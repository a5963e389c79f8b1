//! Edits of catalogs: an edit and its inverse leave no trace, only lines that must change do, and opm's verdict stays
//! the same.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use olmdex::ask::check_catalog;
use olmdex::edit::{CatalogEdit, Change, Edges, Target};
use olmdex::fbc::Input;
use olmdex::index::query::Filter;
use olmdex::index::{Builder, CatalogSpec, Mode};
use olmdex::json::Tree;

use crate::support::{olmdex, scratch, shared, write};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// A package with its channels and their entries.
struct Package {
    name: String,
    default: String,
    channels: BTreeMap<String, Vec<(String, String)>>,
}

fn packages(input: &Input) -> Vec<Package> {
    let mut builder = Builder::in_memory();
    builder
        .add_catalog(&CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() }, input, Mode::Tolerant)
        .unwrap();
    let index = builder.into_index().unwrap();
    let rows = index.packages(&Filter::default()).unwrap();
    let of = |name: &str| {
        let filter = Filter { package: Some(name.to_owned()), ..Filter::default() };
        let mut channels: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for it in index.entries(&filter).unwrap() {
            channels.entry(it.channel).or_default().push((it.bundle, it.replaces));
        }
        channels
    };
    rows.into_iter()
        .map(|it| Package { channels: of(&it.package), name: it.package, default: it.default_channel })
        .collect()
}

/// The texts of all files, after changes of one package.
fn after(input: &Input, package: &str, changes: &[Change]) -> Vec<String> {
    let mut catalog = CatalogEdit::new(input.clone());
    for change in changes {
        catalog
            .change(package, std::slice::from_ref(change))
            .unwrap_or_else(|error| panic!("{package} {change:?}: {error}"));
    }
    let mut texts = texts(input);
    for edit in catalog.files() {
        texts[edit.file].clone_from(&edit.after);
    }
    texts
}

fn texts(input: &Input) -> Vec<String> {
    input.files.iter().map(|it| String::from_utf8_lossy(&it.whole().unwrap()).into_owned()).collect()
}

/// Changes of a package, each with its inverse.
fn pairs(package: &Package) -> Vec<[Change; 2]> {
    let mut pairs = Vec::new();
    let mut both = |target: Target| {
        let message = "It is: \"old\" # and\ntwo lines".to_owned();
        pairs.push([Change::Deprecate { target: target.clone(), message }, Change::Undeprecate(target)]);
    };
    both(Target::Package);
    for (channel, entries) in &package.channels {
        both(Target::Channel(channel.clone()));
        both(Target::Bundle(entries[0].0.clone()));
    }
    for channel in package.channels.keys() {
        if !package.default.is_empty() && *channel != package.default {
            pairs.push([Change::DefaultChannel(channel.clone()), Change::DefaultChannel(package.default.clone())]);
        }
        let rename = |from: &str, to: &str| Change::RenameChannel { from: from.to_owned(), to: to.to_owned() };
        pairs.push([rename(channel, "an: odd #name"), rename("an: odd #name", channel)]);
    }
    for (channel, entries) in &package.channels {
        for (entry, replaces) in entries.iter().filter(|it| !it.1.is_empty()).take(2) {
            let set = |replaces: &str| Change::SetEdges {
                channel: channel.clone(),
                entry: entry.clone(),
                edges: Edges { replaces: Some(replaces.to_owned()), ..Edges::default() },
            };
            pairs.push([set("another"), set(replaces)]);
        }
    }
    pairs
}

/// Lines of one text that another does not have.
fn lines_gone(before: &str, after: &str) -> usize {
    let mut left: BTreeMap<&str, isize> = BTreeMap::new();
    after.lines().for_each(|it| *left.entry(it).or_default() += 1);
    before
        .lines()
        .filter(|it| {
            let n = left.entry(it).or_default();
            *n -= 1;
            *n < 0
        })
        .count()
}

fn there_and_back(input: &Input, packages: &[Package]) -> usize {
    let before = texts(input);
    let mut n = 0;
    for package in packages {
        // A bundle that is deprecated already would have another message afterwards.
        let is_open = |it: &[Change; 2]| match &it[1] {
            Change::Undeprecate(_) => CatalogEdit::new(input.clone()).change(&package.name, &it[1..]).is_err(),
            _ => true,
        };
        for pair in pairs(package).into_iter().filter(is_open) {
            n += 1;
            let once = after(input, &package.name, &pair[..1]);
            let gone: usize = before.iter().zip(&once).map(|(before, after)| lines_gone(before, after)).sum();
            assert!(once != before, "{}: {pair:?} changes nothing", package.name);
            // A channel's name may occur in the package, the channel and its deprecation; a list may be in one line.
            assert!(gone <= 4, "{}: {pair:?} changes {gone} lines", package.name);
            for (now, before) in after(input, &package.name, &pair).iter().zip(&before) {
                let line = now.lines().zip(before.lines()).find(|it| it.0 != it.1);
                assert!(
                    now == before,
                    "{}: {pair:?} leaves {line:?}, {} and {} bytes",
                    package.name,
                    now.len(),
                    before.len()
                );
            }
        }
    }
    n
}

#[test]
fn what_is_taken_back_leaves_no_trace() {
    let mut n = 0;
    for folder in ["shop/in", "help/my-catalog", "recorded/authoring/imageset/small/shop"] {
        let input = Input::directory(&fixtures().join(folder)).unwrap();
        n += there_and_back(&input, &packages(&input));
    }
    assert!(n > 40, "{n}");
}

/// A few packages of a real catalog, each with its own files.
fn real(every: usize) -> Vec<Input> {
    let entries = std::fs::read_dir(shared("catalogs/community-v4.20")).unwrap();
    let mut directories: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).filter(|it| it.is_dir()).collect();
    directories.sort();
    directories.iter().step_by(every).map(|it| Input::directory(it).unwrap()).collect()
}

fn real_edits(every: usize) {
    let mut n = 0;
    for input in real(every) {
        let packages = packages(&input);
        n += there_and_back(&input, &packages);
        // opm's verdict afterwards is that of the edit.
        for package in &packages {
            let bundles: Vec<&String> = package.channels.values().flatten().map(|it| &it.0).collect();
            let Some(bundle) = bundles.get(bundles.len() / 2) else { continue };
            for change in [Change::Remove(Target::Bundle((*bundle).clone())), Change::Remove(Target::Package)] {
                let mut catalog = CatalogEdit::new(input.clone());
                let Ok(verdict) = catalog.change(&package.name, std::slice::from_ref(&change)) else { continue };
                let texts = catalog.files().map(|it| (it.file, Arc::from(it.after.as_bytes()))).collect();
                let is_valid = check_catalog(&input.with_texts(&texts), None).opm.is_none();
                assert_eq!(is_valid, verdict.errors.is_empty(), "{}: {change:?}", package.name);
                n += 1;
            }
        }
    }
    assert!(n > 50, "{n}");
}

#[test]
#[ignore = "needs ../shared/catalogs"]
fn edits_of_real_catalogs_touch_what_they_must() {
    real_edits(5);
}

#[test]
#[ignore = "needs ../shared/catalogs and minutes"]
fn all_edits_of_real_catalogs_touch_what_they_must() {
    real_edits(1);
}

/// Numbers that look random, and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }

    fn one_of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        let at = self.below(all.len());
        all.get(at)
    }
}

/// Some change of a package, which need not make sense.
fn any_change(dice: &mut Dice, package: &Package) -> Option<Change> {
    let channels: Vec<&String> = package.channels.keys().collect();
    let channel = (*dice.one_of(&channels)?).clone();
    let entries = &package.channels[&channel];
    let bundle = dice.one_of(entries)?.0.clone();
    let other = dice.one_of(entries)?.0.clone();
    let to = (*dice.one_of(&channels)?).clone();
    let target = match dice.below(3) {
        0 => Target::Package,
        1 => Target::Channel(channel.clone()),
        _ => Target::Bundle(bundle.clone()),
    };
    Some(match dice.below(10) {
        0 => Change::Deprecate { target, message: "Use another one: \"this\" #1".to_owned() },
        1 => Change::Undeprecate(target),
        2 => Change::DefaultChannel(channel),
        3 => Change::RenameChannel { from: channel, to: format!("named-{}", dice.below(1000)) },
        4 | 5 => {
            let skips = (dice.below(2) == 0).then(|| vec![other.clone()]);
            let skip_range = (dice.below(3) == 0).then(|| ">=0.0.1 <0.0.2".to_owned());
            let replaces = (dice.below(2) == 0).then_some(other);
            Change::SetEdges { channel, entry: bundle, edges: Edges { replaces, skips, skip_range } }
        }
        6 => Change::Promote { bundle, from: Some(channel), to, only: dice.below(2) == 0 },
        7 => Change::AddProperty { bundles: vec![bundle], kind: "tested".to_owned(), value: Tree::list([true]) },
        8 => Change::Remove(Target::Bundle(bundle)),
        _ => Change::Remove(target),
    })
}

/// Makes edits one after the other, each on the result of the last valid one. A result that is invalid is so for opm,
/// too, and only documents of the package change. Returns the number of edits.
fn random_edits(inputs: &[Input], n: usize, seed: u64) -> usize {
    let mut dice = Dice(seed);
    let mut n_made = 0;
    for input in inputs.iter().cycle().take(n.div_ceil(5)) {
        let mut catalog = CatalogEdit::new(input.clone());
        for _ in 0..5 {
            let before = catalog.clone();
            let all = packages(catalog.input());
            let Some(package) = dice.one_of(&all) else { break };
            let Some(change) = any_change(&mut dice, package) else { continue };
            let Ok(verdict) = catalog.change(&package.name, std::slice::from_ref(&change)) else { continue };
            n_made += 1;
            let opm = check_catalog(catalog.input(), None).opm;
            assert_eq!(opm.is_none(), verdict.errors.is_empty(), "{}: {change:?}: {opm:?}", package.name);
            let of_others = |input: &Input| {
                let mut found = Vec::new();
                for (file, text) in input.files.iter().zip(texts(input)) {
                    let parts = text.split("\n---\n").map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
                    found.extend(parts.filter(|it| !it.contains(&package.name)).map(|it| (file.shown.clone(), it)));
                }
                found
            };
            assert_eq!(of_others(before.input()), of_others(catalog.input()), "{}: {change:?}", package.name);
            if opm.is_some() {
                catalog = before;
            }
        }
    }
    n_made
}

#[test]
fn random_edits_are_judged_as_opm_does_and_stay_in_their_package() {
    let inputs = ["shop/in", "help/my-catalog"].map(|it| Input::directory(&fixtures().join(it)).unwrap());
    let n = random_edits(&inputs, 150, 1);
    assert!(n > 80, "{n}");
}

#[test]
#[ignore = "needs ../shared/catalogs and minutes"]
fn a_thousand_random_edits_of_real_catalogs_are_judged_as_opm_does() {
    let n = random_edits(&real(2), 1600, 2);
    assert!(n > 1000, "{n}");
}

/// Neighbouring documents go together, wherever a file has its separators.
#[test]
fn neighbours_go_together() {
    let package = |name: &str| {
        let bundle = |it: &str| {
            format!(
                "schema: olm.bundle\nname: {it}\npackage: {name}\nimage: i\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: {}.0.0}}\n",
                &it[it.len() - 1..]
            )
        };
        let channel = |it: &str, entry: &str| {
            format!("schema: olm.channel\npackage: {name}\nname: {it}\nentries:\n- name: {entry}\n")
        };
        [
            format!("schema: olm.package\nname: {name}\ndefaultChannel: a\n"),
            channel("a", &format!("{name}.v1")),
            channel("b", &format!("{name}.v2")),
            bundle(&format!("{name}.v1")),
            bundle(&format!("{name}.v2")),
        ]
    };
    let joined = |start: &str, documents: &[String]| format!("{start}{}", documents.join("---\n"));
    let (one, other) = (package("p"), package("q"));
    let without_channel = |it: &[String; 5]| [it[0].clone(), it[1].clone(), it[3].clone()].to_vec();
    for start in ["", "---\n"] {
        for whole in [[&one[..], &other[..]].concat(), [&other[..], &one[..]].concat()] {
            let input = Input::bytes("c.yaml", Arc::from(joined(start, &whole).as_bytes()));
            let gone = after(&input, "p", &[Change::Remove(Target::Package)]);
            let left = if whole[0] == one[0] && !start.is_empty() { "---\n" } else { start };
            assert_eq!(gone, [joined(left, &other)]);
            let channel = Change::Remove(Target::Channel("b".to_owned()));
            let left: Vec<String> = [without_channel(&one), other.to_vec()].concat();
            let right: Vec<String> = [other.to_vec(), without_channel(&one)].concat();
            let wanted = if whole[0] == one[0] { left } else { right };
            assert_eq!(after(&input, "p", &[channel]), [joined(start, &wanted)]);
        }
        let alone = Input::bytes("c.yaml", Arc::from(joined(start, &one).as_bytes()));
        let left = after(&alone, "p", &[Change::Remove(Target::Package)]);
        assert!(left[0].trim().trim_start_matches("---").is_empty(), "{left:?}");
    }
}

/// All changes of a list at once have the same result and verdict as one after the other; several changes of a package
/// are judged by their joint result.
#[test]
fn many_changes_at_once_are_what_they_are_one_after_the_other() {
    let mut dice = Dice(3);
    let (mut n_made, mut n_said) = (0, 0);
    for input in ["shop/in", "help/my-catalog"].map(|it| Input::directory(&fixtures().join(it)).unwrap()) {
        for round in 0..60 {
            let all = packages(&input);
            let drawn = all.iter().flat_map(|it| {
                (0..=round % 2).filter_map(|_| Some((it, any_change(&mut dice, it)?))).collect::<Vec<_>>()
            });
            let changes: Vec<(String, Vec<Change>)> =
                drawn.map(|(it, change)| (it.name.clone(), vec![change])).collect();
            let mut one_by_one = CatalogEdit::new(input.clone());
            let verdicts: Result<Vec<_>, _> =
                changes.iter().map(|(package, it)| one_by_one.change(package, it)).collect();
            let mut at_once = CatalogEdit::new(input.clone());
            let judged = at_once.change_all(&changes);
            assert_eq!(verdicts.is_ok(), judged.is_ok(), "{changes:?}");
            let (Ok(verdicts), Ok(judged)) = (verdicts, judged) else {
                assert_eq!(texts(at_once.input()), texts(&input), "{changes:?}");
                continue;
            };
            n_made += 1;
            assert_eq!(texts(at_once.input()), texts(one_by_one.input()), "{changes:?}");
            let opm = check_catalog(at_once.input(), None).opm;
            assert_eq!(opm.is_none(), judged.iter().all(|it| it.1.errors.is_empty()), "{changes:?}: {opm:?}");
            if judged.len() < changes.len() {
                continue;
            }
            let words = |all: &[olmdex::diag::Finding]| all.iter().map(|it| it.message.clone()).collect::<Vec<_>>();
            for (((package, _), one), (named, it)) in changes.iter().zip(&verdicts).zip(&judged) {
                n_said += it.upgrades.len();
                assert_eq!((package, words(&one.upgrades)), (named, words(&it.upgrades)), "{changes:?}");
                assert_eq!(one.is_package_gone, it.is_package_gone, "{changes:?}");
            }
        }
    }
    assert!(n_made > 20 && n_said > 20, "{n_made} {n_said}");
}

#[test]
fn files_outside_of_the_catalog_and_files_that_change_are_left_alone() {
    let directory = scratch();
    let root = directory.path();
    let text = std::fs::read_to_string(fixtures().join("help/my-catalog/till.yaml")).unwrap();
    write(root, "elsewhere/till.yaml", &text);
    std::fs::create_dir(root.join("catalog")).unwrap();
    std::os::unix::fs::symlink("../elsewhere/till.yaml", root.join("catalog/till.yaml")).unwrap();
    let edit = |more: &[&str]| {
        let args = ["edit", "deprecate", "till", "-m", "old", "-i", "catalog"];
        olmdex(args).args(more.iter().copied()).in_directory(root).answer()
    };
    edit(&[]).expect_code(3).expect_words("is a symbolic link out of the catalog");
    assert_eq!(std::fs::read_to_string(root.join("elsewhere/till.yaml")).unwrap(), text);
    edit(&["--follow"]).expect_code(0);
    assert!(std::fs::read_to_string(root.join("elsewhere/till.yaml")).unwrap().contains("olm.deprecations"));
    assert!(root.join("catalog/till.yaml").is_symlink());
}

/// The replacement of a file needs several open ones, and all are replaced at once.
#[test]
fn more_files_change_than_may_be_open_at_first() {
    let directory = scratch();
    for number in 0..120 {
        let name = format!("p{number}");
        let text = format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\nname: a\npackage: {name}\nentries: [{{name: {name}.v1}}]\n---\nschema: olm.bundle\nname: {name}.v1\npackage: {name}\nimage: i\nproperties:\n- {{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}\n"
        );
        write(directory.path(), &format!("catalog/{name}.yaml"), text);
    }
    let line = "ulimit -Sn 150; exec \"$0\" edit add-property tested=true --where 1 -i catalog -q";
    let mut shell = std::process::Command::new("sh");
    let ended = shell.args(["-c", line, env!("CARGO_BIN_EXE_olmdex")]).current_dir(directory.path()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let files = std::fs::read_dir(directory.path().join("catalog")).unwrap().map(|it| it.unwrap().path());
    let changed = files.filter(|it| std::fs::read_to_string(it).unwrap().contains("tested"));
    assert_eq!(changed.count(), 120);
    assert_eq!(std::fs::read_dir(directory.path().join("catalog")).unwrap().count(), 120, "something was left");
}
