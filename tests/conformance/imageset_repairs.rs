//! `authoring/repairs`: configurations that do not work, with their changes and results; and random ones, broken on
//! purpose.
//!
//! A recorded repair must be among the offered ones, and every offered repair must work: the filter takes it, and opm's
//! rules take the catalog.

use std::collections::BTreeSet;
use std::path::Path;

use olmdex::ask::check_catalog;
use olmdex::fbc::{Format, Input};
use olmdex::mirror::{
    Catalog, Channel, FilterVersion, Operator, Package, PackageFacts, Range, Request, RequestProblem, filter, mend,
    repairs, trouble, write,
};
use serde::Deserialize;

use crate::inputs::{area_of, shared, shared_in_area};
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "authoring/repairs", run };

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    n: usize,
    catalog: String,
    before: PackageForm,
    before_full: bool,
    after: PackageForm,
    after_full: bool,
    #[serde(default)]
    after_result: String,
    why: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PackageForm {
    name: String,
    default_channel: String,
    min_version: String,
    max_version: String,
    channels: Vec<ChannelForm>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ChannelForm {
    name: String,
    min_version: String,
    max_version: String,
}

impl PackageForm {
    fn request(&self, is_full: bool) -> Request {
        let channel = |it: &ChannelForm| Channel {
            name: it.name.clone(),
            range: Range::new(&it.min_version, &it.max_version),
            ..Channel::default()
        };
        let package = Package {
            name: self.name.clone(),
            default_channel: self.default_channel.clone(),
            range: Range::new(&self.min_version, &self.max_version),
            channels: self.channels.iter().map(channel).collect(),
            ..Package::default()
        };
        Request { package, is_full, previous: 0 }
    }
}

fn run(root: &Path) -> Vec<Case> {
    let folder = root.join("authoring");
    let Ok(text) = std::fs::read_to_string(folder.join("repairs.json")) else { return Vec::new() };
    let recorded: Vec<Recorded> = serde_json::from_str(&text).expect("a recording");
    let small = area_of(root, "imageset").unwrap_or_else(|| folder.join("imageset"));
    let mut cases: Vec<Case> = recorded
        .iter()
        .map(|it| Case::run(format!("authoring/repairs/{} {}", it.n, it.why), || check_case(it, &small)))
        .collect();
    let large = shared(root, "../catalogs/community-v4.20");
    if large.is_dir() {
        cases.extend(random(&large));
    }
    cases
}

fn check_case(recorded: &Recorded, small: &Path) -> Outcome {
    let input = Input::directory(&shared_in_area(small, "imageset", &recorded.catalog)).expect("a readable catalog");
    let catalog = Catalog::read(&input, None);
    let name = &recorded.before.name;
    let facts = &catalog.packages[name];
    let before = recorded.before.request(recorded.before_full);
    let after = recorded.after.request(recorded.after_full);
    // The older library lets a skipped version bring its skipper.
    let release = FilterVersion::V0_0_4;
    let offered = repairs(name, facts, &before, release);
    for it in &offered {
        if let Err(difference) = works(&input, &catalog, name, &it.request, release) {
            return Outcome::Failed(format!("{:?}: {difference}", it.changes));
        }
    }
    if before == after {
        // Our writer repairs faults that the configuration cannot.
        return Outcome::of_equal(&trouble(name, facts, &before, release), &None);
    }
    if recorded.after_result.contains("opm:") {
        // A fault of the catalog: no offered repair copies it.
        return Outcome::of_equal(&offered.iter().any(|it| it.request == after), &false);
    }
    if offered.iter().any(|it| it.request == after) {
        Outcome::Passed
    } else {
        Outcome::Failed(format!(
            "{after:#?}\nis not among {:#?}",
            offered.iter().map(|it| &it.changes).collect::<Vec<_>>()
        ))
    }
}

/// Whether a request passes the filter and leaves a valid catalog.
fn works(
    input: &Input,
    catalog: &Catalog,
    name: &str,
    request: &Request,
    release: FilterVersion,
) -> Result<(), String> {
    let operator = Operator { full: request.is_full, packages: vec![request.package.clone()], ..Operator::default() };
    let mut filtered = filter(catalog, &operator, release).map_err(|error| error.to_string())?;
    if let Some(error) = filtered.first_error() {
        return Err(error.to_string());
    }
    mend(catalog, &mut filtered);
    if !filtered.packages.contains_key(name) {
        return Err("nothing is left".to_owned());
    }
    let blobs = write(input, catalog, &filtered, Format::Json).map_err(|error| error.to_string())?;
    match check_catalog(&Input::bytes("filtered", blobs.to_vec().into()), None).opm {
        None => Ok(()),
        Some(text) => Err(text),
    }
}

/// How many random configurations are tried.
const N_RANDOM: usize = 500;

/// Numbers that are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // The multiplier and increment of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    fn one<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// Configurations of packages of a real catalog, each broken in one way that can be repaired.
fn random(directory: &Path) -> Vec<Case> {
    let input = Input::directory(directory).expect("a readable catalog");
    let catalog = Catalog::read(&input, None);
    let release = FilterVersion::V0_0_5;
    let sound = |name: &str, facts: &PackageFacts| {
        let heads =
            Request { package: Package { name: name.to_owned(), ..Package::default() }, is_full: false, previous: 0 };
        facts.is_there && trouble(name, facts, &heads, release).is_none()
    };
    let names: Vec<&String> =
        catalog.packages.iter().filter(|(name, facts)| sound(name, facts)).map(|it| it.0).collect();
    let mut random = Random(15);
    let mut cases = Vec::new();
    let mut n_tried = 0;
    while cases.len() < N_RANDOM && n_tried < N_RANDOM * 20 {
        n_tried += 1;
        let name = *random.one(&names);
        let facts = &catalog.packages[name];
        let kind = random.below(9);
        let Some(request) = broken(&mut random, kind, name, facts) else { continue };
        let Some(found) = trouble(name, facts, &request, release).filter(|it| !matches!(it, RequestProblem::Wider(_)))
        else {
            continue;
        };
        let id = format!("authoring/repairs/random {} {name}", cases.len());
        cases.push(Case::run(id, || {
            let started = std::time::Instant::now();
            let offered = repairs(name, facts, &request, release);
            let took = started.elapsed();
            if offered.is_empty() {
                return Outcome::Failed(format!("nothing is offered for {request:#?}\n{found:?}"));
            }
            if took.as_secs() >= 2 {
                return Outcome::Failed(format!("{took:?} for {request:#?}"));
            }
            for it in &offered {
                if let Err(difference) = works(&input, &catalog, name, &it.request, release) {
                    return Outcome::Failed(format!("{:?} of {request:#?}: {difference}", it.changes));
                }
            }
            Outcome::Passed
        }));
    }
    cases
}

/// A request that is broken in one way; `None` if the package does not allow that.
fn broken(random: &mut Random, kind: usize, name: &str, facts: &PackageFacts) -> Option<Request> {
    let versions = facts.versions();
    let of_channel = |channel: &str| -> Vec<String> {
        let entries = facts.channel(channel).map(|it| it.entries.as_slice()).unwrap_or_default();
        let found: BTreeSet<_> = entries.iter().filter_map(|it| versions.get(it.name.as_str())).collect();
        found.into_iter().map(ToString::to_string).collect()
    };
    let channels: Vec<&str> = facts.channels.iter().map(|it| it.name.as_str()).collect();
    let channel = *random.one(&channels);
    let own = of_channel(channel);
    let (low, high) = (own.first()?.clone(), own.last()?.clone());
    let version = random.one(&own).clone();
    let named = |name: &str, range: Range| Channel { name: name.to_owned(), range, ..Channel::default() };
    let mut package = Package { name: name.to_owned(), ..Package::default() };
    let mut is_full = false;
    match kind {
        // A slip in the name of a channel.
        0 | 1 => {
            let mut typo = channel.to_owned();
            typo.remove(random.below(typo.len() - 1));
            if typo.is_empty() || channels.contains(&typo.as_str()) {
                return None;
            }
            package.default_channel = if kind == 0 { typo.clone() } else { String::new() };
            package.channels = vec![named(&typo, Range::default())];
        }
        // Bounds on both levels.
        2 => {
            package.range = Range::new(&low, "");
            package.channels = vec![named(channel, Range::new(&version, ""))];
            package.default_channel = channel.to_owned();
        }
        3 => {
            is_full = true;
            package.range = Range::new(&version, "");
        }
        // The wrong way round.
        4 if low != high => package.range = Range::new(&high, &low),
        // The default channel is left out.
        5 if channel != facts.default_channel => package.channels = vec![named(channel, Range::default())],
        // The default channel ends up empty.
        6 if channel != facts.default_channel => package.range = Range::new(&high, ""),
        7 if channel != facts.default_channel => package.range = Range::new("", &low),
        8 => package.range = Range::new("999.0.0", ""),
        _ => return None,
    }
    Some(Request { package, is_full, previous: 0 })
}
