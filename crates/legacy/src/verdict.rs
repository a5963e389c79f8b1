//! Whether the packages of a legacy catalog are valid file-based ones: the same rules as for catalogs in files, applied
//! to facts.

use std::collections::BTreeMap;

use super::package::{PackageModel, Problem};
use olmdex_fbc::{Input, Origin, Syntax};
use olmdex_rules::check::{BundleFacts, ChannelFacts, Checker, Facts, Inspected, PackageFacts};

/// The problems of packages. The first has the real tool's words about all of them, the others repeat the words about
/// one.
pub(super) fn judge(packages: &BTreeMap<String, PackageModel>) -> Vec<Problem> {
    let broken: Vec<(&PackageModel, String)> =
        packages.values().filter_map(|package| Some((package, tree([package])?))).collect();
    let all = match broken.len() {
        0 | 1 => None,
        _ => tree(broken.iter().map(|(package, _)| *package)),
    };
    let whole = all.map(|text| Problem { package: None, bundle: None, text, is_verdict: true });
    let each = broken.into_iter().map(|(package, text)| Problem {
        package: Some(package.name.clone()),
        bundle: None,
        text,
        is_verdict: true,
    });
    whole.into_iter().chain(each).collect()
}

fn tree<'a>(packages: impl IntoIterator<Item = &'a PackageModel>) -> Option<String> {
    let mut checker = Checker::new();
    for package in packages {
        add(package, &mut checker);
    }
    checker.finish(&Input::default()).opm
}

fn add(package: &PackageModel, checker: &mut Checker) {
    let mut fact = |facts: Facts| {
        let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Json, offset: 0, len: 0 };
        checker.add(Inspected { origin, facts, drafts: Vec::new(), image: String::new(), practice: None });
    };
    fact(Facts::Package(PackageFacts {
        name: package.name.clone(),
        default_channel: package.default_channel.clone().unwrap_or_default(),
    }));
    for (name, entries) in &package.channels {
        fact(Facts::Channel(ChannelFacts {
            package: package.name.clone(),
            name: name.clone(),
            entries: entries.as_slice().into(),
        }));
    }
    for bundle in package.bundles.values() {
        fact(Facts::Bundle(BundleFacts {
            package: package.name.clone(),
            name: bundle.name.clone(),
            version: Some(bundle.version.clone()),
            release: String::new(),
            complaints: bundle.complaints.clone(),
            required_packages: Vec::new(),
        }));
    }
}
