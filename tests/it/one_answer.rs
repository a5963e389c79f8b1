//! A thousand questions to the library, to the program and to a page as data: all three give one answer.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use olmdex::ask::{
    AskError, Catalogs, CatalogsOfVersion, CompatQuestion, DepsQuestion, OlmSet, PathQuestion, Question as _, State,
    Target, UpgradeOptions, WhyNotQuestion, of_version,
};
use olmdex::constraint::openshift::Minor;
use olmdex::index::Index;
use olmdex::index::query::Filter;
use olmdex::page::{Ask, Form, IndexCache, Links, PackagePage, PackageVersion, Route, Site, answer};
use serde_json::{Value, json};

use crate::support::{olmdex, scratch, write};

/// A generator of numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

const PACKAGES: [&str; 4] = ["oven", "till", "scales", "mixer"];
const N_VERSIONS: usize = 7;

/// A catalog whose channels replace, skip and leave gaps, and whose bundles require each other.
fn catalog(numbers: &mut Numbers) -> String {
    let mut text = String::new();
    for (at, package) in PACKAGES.iter().enumerate() {
        let n_versions = N_VERSIONS - numbers.below(3);
        writeln!(text, "---\nschema: olm.package\nname: {package}\ndefaultChannel: stable").unwrap();
        for channel in ["stable", "fast"] {
            writeln!(text, "---\nschema: olm.channel\npackage: {package}\nname: {channel}\nentries:").unwrap();
            let first = if channel == "stable" { 0 } else { numbers.below(3) };
            for version in first..n_versions {
                writeln!(text, "- name: {package}.v1.{version}.0").unwrap();
                if version > first {
                    let back = 1 + numbers.below(2).min(version - first - 1);
                    writeln!(text, "  replaces: {package}.v1.{}.0", version - back).unwrap();
                    if back == 2 {
                        writeln!(text, "  skips: [{package}.v1.{}.0]", version - 1).unwrap();
                    }
                    if numbers.below(4) == 0 {
                        writeln!(text, "  skipRange: '>=1.0.0 <1.{version}.0'").unwrap();
                    }
                }
            }
        }
        for version in 0..n_versions {
            writeln!(
                text,
                "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v1.{version}.0\nimage: example.com/{package}:{version}\nrelatedImages:\n- {{name: main, image: 'example.com/{package}-main:{version}'}}\nproperties:\n- {{type: olm.package, value: {{packageName: {package}, version: 1.{version}.0}}}}\n- {{type: olm.gvk, value: {{group: {package}.example.com, kind: {}, version: v1}}}}",
                package.to_uppercase()
            )
            .unwrap();
            if at > 0 && numbers.below(2) == 0 {
                let other = PACKAGES[numbers.below(at)];
                writeln!(
                    text,
                    "- {{type: olm.package.required, value: {{packageName: {other}, versionRange: '>=1.{}.0'}}}}",
                    numbers.below(8)
                )
                .unwrap();
            }
            if numbers.below(3) == 0 {
                writeln!(text, "- {{type: olm.maxOpenShiftVersion, value: '4.{}'}}", 15 + numbers.below(4)).unwrap();
            }
        }
        if numbers.below(2) == 0 {
            let version = numbers.below(n_versions);
            writeln!(
                text,
                "---\nschema: olm.deprecations\npackage: {package}\nentries:\n- reference: {{schema: olm.bundle, name: {package}.v1.{version}.0}}\n  message: It is old."
            )
            .unwrap();
        }
    }
    text
}

/// A question.
#[derive(Debug, Clone)]
enum Question {
    Path(PackagePage),
    WhyNot(PackagePage),
    Compat(PackagePage),
    Show(PackageVersion),
    Deps(PackageVersion),
    Images(PackageVersion),
}

fn questions(numbers: &mut Numbers, catalogs: &[&str]) -> Vec<Question> {
    let version = |numbers: &mut Numbers| format!("1.{}.0", numbers.below(N_VERSIONS + 1));
    let some = |numbers: &mut Numbers, names: &[&str]| Some(names[numbers.below(names.len())].to_owned());
    let mut all = Vec::new();
    for number in 0..1_000 {
        let package = PACKAGES[numbers.below(PACKAGES.len())].to_owned();
        let catalog = if numbers.below(3) == 0 { some(numbers, catalogs) } else { None };
        let way = PackagePage {
            version: Some(version(numbers)),
            to: Some(version(numbers)).filter(|_| number % 6 != 0),
            channel: if numbers.below(3) == 0 { some(numbers, &["stable", "fast", "none"]) } else { None },
            olm: [None, Some(olmdex::ask::Olm::Classic), Some(olmdex::ask::Olm::V1)][numbers.below(3)],
            catalog: catalog.clone(),
            ..PackagePage::of(&package)
        };
        let release = PackageVersion { package: package.clone(), version: version(numbers), catalog };
        all.push(match number % 6 {
            0 | 1 => Question::Path(way),
            2 => Question::WhyNot(way),
            3 => Question::Compat(PackagePage {
                openshift: Some(format!("4.{}", 14 + numbers.below(5))),
                ..PackagePage::of(&package)
            }),
            4 => Question::Show(release),
            _ if number % 2 == 0 => Question::Deps(release),
            _ => [Question::Deps(release.clone()), Question::Images(release)][numbers.below(2)].clone(),
        });
    }
    all
}

/// An answer: its items, or that something is not there.
#[derive(Debug, PartialEq)]
enum Answered {
    Items(Value),
    NotFound,
}

/// The catalogs that have a package.
fn having(index: &Index, package: &str) -> Vec<String> {
    let filter = Filter { package: Some(package.to_owned()), ..Filter::default() };
    index.packages(&filter).unwrap().into_iter().map(|it| it.catalog).collect()
}

fn minor(fit: &PackagePage) -> Minor {
    let (major, minor) = fit.openshift.as_deref().unwrap().split_once('.').unwrap();
    Minor { major: major.parse().unwrap(), minor: minor.parse().unwrap() }
}

fn items_of(text: &[u8]) -> Answered {
    let value: Value = serde_json::from_slice(text).unwrap();
    Answered::Items(value["items"].clone())
}

impl Question {
    fn route(&self) -> Route {
        match self.clone() {
            Self::Path(way) => Route::Path(way),
            Self::WhyNot(way) => Route::WhyNot(way),
            Self::Compat(fit) => Route::Compat(fit),
            Self::Show(release) => Route::Version(release),
            Self::Deps(release) => Route::Deps(release),
            Self::Images(release) => Route::VersionImages(release),
        }
    }

    fn by_page(&self, site: Site<'_>) -> Answered {
        let target = self.route().address(Form::Json);
        let reply = answer(site, &Ask { method: "GET", target: &target, if_none_match: None });
        match reply.status {
            200 => items_of(&reply.body),
            404 => Answered::NotFound,
            status => panic!("{target}: {status} {}", String::from_utf8_lossy(&reply.body)),
        }
    }

    /// The catalog of a page whose address names none; a command must name it, since it answers for each.
    fn catalogs(&self, index: &Index) -> Vec<String> {
        let (named, package, version) = match self {
            Self::Path(way) | Self::WhyNot(way) => (way.catalog.clone(), &way.package, None),
            Self::Show(of) | Self::Deps(of) => return of.catalog.clone().into_iter().collect(),
            Self::Images(of) => (of.catalog.clone(), &of.package, Some(&of.version)),
            Self::Compat(fit) => {
                let having = having(index, &fit.package);
                let of_version = Catalogs::of(index).unwrap().of_version(having.iter().map(String::as_str), minor(fit));
                return if let CatalogsOfVersion::Own(names) = of_version { names } else { Vec::new() };
            }
        };
        if named.is_some() {
            return named.into_iter().collect();
        }
        let having: Vec<String> = match version {
            Some(version) => {
                let found = of_version(index, &[], package, version).unwrap();
                found.into_iter().map(|it| it.row.catalog).collect()
            }
            None => having(index, package),
        };
        let chosen = Catalogs::of(index).unwrap();
        chosen.choose(&[], having.iter().map(String::as_str)).map(str::to_owned).into_iter().collect()
    }

    fn by_program(&self, index: &Index, file: &Path) -> Answered {
        let mut args: Vec<String> = Vec::new();
        let mut option = |name: &str, value: Option<&String>| match value {
            Some(value) => vec![name.to_owned(), value.clone()],
            None => Vec::new(),
        };
        let of_way = |way: &PackagePage, option: &mut dyn FnMut(&str, Option<&String>) -> Vec<String>| {
            let olm = way.olm.map(|it| it.as_str().to_owned());
            [
                option("--installed", way.version.as_ref()),
                option("--channel", way.channel.as_ref()),
                option("--olm", olm.as_ref()),
            ]
            .concat()
        };
        match self {
            Self::Path(way) => {
                args.extend(["path".to_owned(), way.package.clone()]);
                args.extend(of_way(way, &mut option));
                args.extend(option("--to", way.to.as_ref()));
            }
            Self::WhyNot(way) => {
                args.extend(["why-not".to_owned(), format!("{}@{}", way.package, way.to.as_deref().unwrap())]);
                args.extend(of_way(way, &mut option));
            }
            Self::Compat(fit) => {
                args.extend(["compat".to_owned(), fit.package.clone()]);
                args.extend(option("--openshift", fit.openshift.as_ref()));
            }
            Self::Show(of) => args.extend(["show".to_owned(), format!("{}@{}", of.package, of.version)]),
            Self::Deps(of) => args.extend(["deps".to_owned(), format!("{}@{}", of.package, of.version)]),
            Self::Images(of) => args.extend(["images".to_owned(), format!("{}@{}", of.package, of.version)]),
        }
        args.extend(self.catalogs(index).iter().flat_map(|it| ["--catalog".to_owned(), it.clone()]));
        let run = olmdex(&args).args(["-o", "json", "-i"]).arg(file).answer();
        match run.code {
            Some(0 | 1) => items_of(&run.stdout),
            Some(4) => Answered::NotFound,
            code => panic!("{args:?}: {code:?} {}", run.err()),
        }
    }

    fn by_library(&self, index: &Index) -> Answered {
        match self.asked(index) {
            Ok(items) => Answered::Items(items),
            Err(error) if error.is_not_found() => Answered::NotFound,
            Err(error) => panic!("{self:?}: {error}"),
        }
    }

    fn asked(&self, index: &Index) -> Result<Value, AskError> {
        let catalogs = self.catalogs(index);
        let of_way = |way: &PackagePage| UpgradeOptions {
            channel: way.channel.iter().cloned().collect(),
            olm: match way.olm {
                None => OlmSet::Both,
                Some(olmdex::ask::Olm::Classic) => OlmSet::Classic,
                Some(olmdex::ask::Olm::V1) => OlmSet::V1,
            },
            catalog: catalogs.clone(),
            ..UpgradeOptions::default()
        };
        Ok(match self {
            Self::Path(way) => {
                let (name, installed) = (Some(way.package.clone()), way.version.clone());
                let question = PathQuestion {
                    name,
                    installed,
                    to: way.to.clone(),
                    options: of_way(way),
                    ..PathQuestion::default()
                };
                json!(question.ask(&State::of(index))?.items)
            }
            Self::WhyNot(way) => {
                let name = format!("{}@{}", way.package, way.to.as_deref().unwrap());
                let (installed, options) = (way.version.clone(), of_way(way));
                let question = WhyNotQuestion { name, installed, options, ..WhyNotQuestion::default() };
                json!(question.ask(&State::of(index))?.items)
            }
            Self::Compat(fit) => {
                let (name, openshift) = (vec![fit.package.clone()], Some(minor(fit)));
                let question = CompatQuestion { name, openshift, catalog: catalogs, ..CompatQuestion::default() };
                json!(question.ask(&State::of(index))?.items)
            }
            Self::Show(of) => {
                let found = of_version(index, &catalogs, &of.package, &of.version)?;
                if found.is_empty() {
                    Target::find(index, &catalogs, &format!("{}@{}", of.package, of.version))?;
                }
                json!(found)
            }
            Self::Deps(of) => {
                let target = Target::find(index, &catalogs, &format!("{}@{}", of.package, of.version))?;
                json!(DepsQuestion { catalog: catalogs, ..DepsQuestion::default() }.of_bundle(index, &target)?.items)
            }
            Self::Images(of) => {
                let target = Target::find(index, &catalogs, &format!("{}@{}", of.package, of.version))?;
                let catalog = target.catalog(index, &catalogs)?.unwrap();
                json!(index.image_uses(&[(catalog, target.package, target.bundle)])?)
            }
        })
    }
}

fn index_of(directory: &Path, numbers: &mut Numbers) -> (PathBuf, Vec<&'static str>) {
    let names = vec!["v4.15", "v4.16", "mine"];
    let file = directory.join("index.db");
    for name in &names {
        write(directory, &format!("{name}/catalog.yaml"), catalog(numbers));
    }
    // Pages shorten the names of files on a server, but not those below its directory.
    let build = olmdex(["build", "-q", "--keep-going", "-o", "index.db"]).args(&names).in_directory(directory);
    build.answer();
    assert!(file.exists());
    (file, names)
}

#[test]
fn the_library_the_program_and_pages_give_one_answer() {
    let directory = scratch();
    let mut numbers = Numbers(1);
    let (file, names) = index_of(directory.path(), &mut numbers);
    let questions = questions(&mut numbers, &names);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let index = Index::open(&file).unwrap();
                let cache = IndexCache::new(&index, vec!["-i".to_owned(), "index.db".to_owned()]).unwrap();
                let site = Site { index: &index, cache: &cache, links: &Links::Served, base: "" };
                while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let by_library = question.by_library(&index);
                    assert_eq!(by_library, question.by_program(&index, &file), "the program, {question:?}");
                    assert_eq!(by_library, question.by_page(site), "the page, {question:?}");
                    *found.lock().unwrap() += usize::from(matches!(by_library, Answered::Items(_)));
                }
            });
        }
    });
    // Most of them ask about existing things.
    assert!(*found.lock().unwrap() > 600, "{found:?}");
}
