//! The effects of a change on users, and the advice: compared with the result of following the advice.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use olmdex::ask::{OlmSet, RepairQuestion};
use olmdex::check::graph::check_chain;
use olmdex::edit::{
    AFTER, BEFORE, CatalogEdit, Change, Edges, Effect, PackageRepair, Question, RepairEdit, Simulation,
    before_and_after, simulate,
};
use olmdex::fbc::{Entry, Input};
use olmdex::index::query::Filter;
use olmdex::index::{Builder, CatalogSpec, Mode};
use olmdex::upgrade::classic::{Channel, End, Installed, Package};
use olmdex::upgrade::{
    ExtraEdge, InstalledBundle, Olm, PackageView, check_catalog, check_packages, extra_edge, with_edge,
};
use olmdex::version::Version;
use proptest::prelude::*;

/// An entry: its minor version, the distances down to the replaced and to the skipped entries, and the reach of its
/// range.
type Drawn = (u64, usize, Vec<usize>, usize);

fn name(minor: u64) -> String {
    format!("p.v1.{minor}.0")
}

/// A package with one channel.
fn catalog(entries: &[Drawn]) -> String {
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\n".to_owned();
    let minors: Vec<u64> = entries.iter().map(|it| it.0).collect();
    let below = |at: usize, n: usize| at.checked_sub(n).filter(|_| n > 0).map(|it| minors[it]);
    text.push_str("schema: olm.channel\nname: c\npackage: p\nentries:\n");
    for (at, (minor, replaces, skips, range)) in entries.iter().enumerate() {
        let _ = writeln!(text, "- name: {}", name(*minor));
        if let Some(replaced) = below(at, *replaces) {
            let _ = writeln!(text, "  replaces: {}", name(replaced));
        }
        let skips: BTreeSet<u64> = skips.iter().filter_map(|it| below(at, *it)).collect();
        if !skips.is_empty() {
            let names: Vec<String> = skips.into_iter().map(name).collect();
            let _ = writeln!(text, "  skips: [{}]", names.join(", "));
        }
        if let Some(low) = below(at, *range) {
            let _ = writeln!(text, "  skipRange: '>=1.{low}.0 <1.{minor}.0'");
        }
    }
    for minor in minors {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\nname: {}\npackage: p\nimage: example.com/p\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: 1.{minor}.0}}\n",
            name(minor)
        );
    }
    text
}

fn installed(name: &str, version: Option<Version>) -> Installed {
    Installed { name: name.to_owned(), version }
}

/// The channel of [`catalog()`].
fn channel(drawn: &[Drawn]) -> Channel {
    let text = catalog(drawn);
    let mut builder = Builder::in_memory();
    builder
        .add_catalog(&CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() }, &input(&text), Mode::Tolerant)
        .unwrap();
    let graphs = builder.into_index().unwrap().package_graphs(&Filter::default(), "p").unwrap();
    Package::new(&graphs[0]).channels.remove(0)
}

fn input(text: &str) -> Input {
    Input::bytes("p.yaml", Arc::from(text.as_bytes()))
}

/// The versions of the old catalog, some of which the new one may not have.
fn users(minors: &[u64]) -> Vec<InstalledBundle> {
    let user = |it: &u64| InstalledBundle::held(name(*it), format!("1.{it}.0"));
    minors.iter().map(user).collect()
}

fn simulated(old: &Input, new: &Input, generations: &[Olm], users: &[InstalledBundle]) -> Simulation {
    let (index, _) = before_and_after(old, new).unwrap();
    let view = |catalog: &str| {
        PackageView::read(&index, &Filter { catalogs: vec![catalog.to_owned()], ..Filter::default() }, "p").unwrap()
    };
    simulate(&view(BEFORE), &view(AFTER), &Question { generations, installed: users, seen: &[] })
}

fn is_stranding(simulation: &Simulation) -> bool {
    simulation.users.iter().any(|it| it.effect == Effect::Stranded)
}

/// A catalog after its head has got the edge that was advised.
fn advised(new: &Input, simulation: &Simulation) -> Input {
    let [olmdex::edit::Advice { edge, .. }] = simulation.edges.as_slice() else { panic!("{:?}", simulation.edges) };
    let mut catalog = CatalogEdit::new(new.clone());
    let (index, _) = before_and_after(new, new).unwrap();
    let filter = Filter { catalogs: vec![BEFORE.to_owned()], package: Some("p".to_owned()), ..Filter::default() };
    let head = index.entries(&filter).unwrap().into_iter().find(|it| it.bundle == edge.entry).unwrap();
    let skips: Vec<String> = head.skips.iter().chain(&edge.skips).cloned().collect();
    let edges = Edges {
        replaces: None,
        skips: (!edge.skips.is_empty()).then_some(skips),
        skip_range: (!edge.skip_range.is_empty()).then(|| edge.skip_range.clone()),
    };
    let set = Change::SetEdges { channel: "c".to_owned(), entry: edge.entry.clone(), edges };
    catalog.change("p", &[set]).unwrap();
    catalog.input().clone()
}

/// The edits that strand nobody in a catalog of one package.
fn repaired(input: &Input, olm: OlmSet) -> Option<PackageRepair> {
    let (index, _) = before_and_after(input, input).unwrap();
    let question = RepairQuestion { olm, packages: Vec::new(), catalogs: vec![BEFORE.to_owned()] };
    let mut items = question.answer(&index).unwrap().items;
    assert!(items.len() <= 1);
    items.pop()
}

/// A catalog after the edits of a repair.
fn with_edits(input: &Input, repair: &PackageRepair) -> Input {
    let (index, _) = before_and_after(input, input).unwrap();
    let filter = Filter { catalogs: vec![BEFORE.to_owned()], package: Some("p".to_owned()), ..Filter::default() };
    let entries = index.entries(&filter).unwrap();
    let edit = |it: &RepairEdit| {
        let old = entries.iter().find(|entry| entry.bundle == it.entry).unwrap();
        let skips: Vec<String> = old.skips.iter().chain(&it.skips).cloned().collect();
        let edges = Edges {
            replaces: it.replaces_no_more.as_ref().map(|_| String::new()),
            skips: (!it.skips.is_empty()).then_some(skips),
            skip_range: it.skip_range.clone(),
        };
        Change::SetEdges { channel: it.channel.clone(), entry: it.entry.clone(), edges }
    };
    let mut catalog = CatalogEdit::new(input.clone());
    let edits: Vec<Change> = repair.edits.iter().map(edit).collect();
    catalog.change_unjudged("p", &edits).unwrap();
    catalog.input().clone()
}

/// Channels of up to eight entries, each with its generated targets.
fn entries() -> impl Strategy<Value = Vec<Drawn>> {
    let one = (1..3_u64, 0..3_usize, prop::collection::vec(0..4_usize, 0..2), 0..4_usize);
    prop::collection::vec(one, 1..8).prop_map(|mut all| {
        let mut minor = 0;
        for it in &mut all {
            minor += it.0;
            it.0 = minor;
        }
        all
    })
}

/// A chain from the first version to the last.
fn chain(minors: &[u64]) -> Vec<Drawn> {
    minors.iter().map(|it| (*it, 1, Vec::new(), 0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    /// The published channel is a chain; the new one has some of its versions, and any edges.
    #[test]
    fn what_is_advised_strands_nobody_and_is_valid(drawn in entries(), older in 0..4_u64, which in 0..3_usize) {
        let generations: &[Olm] =
            [&[Olm::Classic][..], &[Olm::V1], &[Olm::Classic, Olm::V1]][which];
        let mut minors: Vec<u64> = drawn.iter().map(|it| it.0 + older).collect();
        minors.extend(0..older);
        minors.sort_unstable();
        let new: Vec<Drawn> = drawn.into_iter().map(|it| (it.0 + older, it.1, it.2, it.3)).collect();
        let (old, new) = (input(&catalog(&chain(&minors))), input(&catalog(&new)));
        let users = users(&minors);
        let simulation = simulated(&old, &new, generations, &users);
        prop_assert_eq!(simulation.stranded_before, 0, "a chain strands nobody");
        // A bundle that is newer than the head helps only if it stays.
        if simulation.edges.is_empty() || !simulation.keep.is_empty() {
            return Ok(());
        }
        prop_assert!(is_stranding(&simulation));
        let after = advised(&new, &simulation);
        prop_assert!(check_catalog(&after, None).opm.is_none(), "{:?}: {:?}", simulation.edges, check_catalog(&after, None).opm);
        let again = simulated(&old, &after, generations, &users);
        prop_assert!(!is_stranding(&again), "{:?} leaves {:?}", simulation.edges, again.users);
    }

    /// After the edits are made in the files, only the users that the answer named are stranded.
    #[test]
    fn repairs_strand_nobody_but_those_whom_they_name(drawn in entries(), which in 0..3_usize) {
        let olm = [OlmSet::Classic, OlmSet::V1, OlmSet::Both][which];
        let before = input(&catalog(&drawn));
        let Some(repair) = repaired(&before, olm) else { return Ok(()) };
        prop_assert!(repair.stranded_before > 0);
        prop_assert_eq!(repair.left.is_empty(), repair.stranded_after == 0);
        // One channel needs at least one edit.
        prop_assert!(!repair.is_fewest || repair.edits.len() <= 1, "{:?}", repair.edits);
        prop_assert!(!repair.edits.is_empty() || repair.stranded_after == repair.stranded_before);
        let after = repaired(&with_edits(&before, &repair), olm).map_or(0, |it| it.stranded_before);
        prop_assert!(after <= repair.stranded_after, "{:?} leaves {after}", repair);
    }

    /// A proposal is valid and strands nobody, according to engines that do not know of it; and if skipping everything
    /// below the head would be enough, there is a proposal.
    #[test]
    fn an_edge_is_verified_and_found_where_there_is_one(drawn in entries(), older in 0..3_u64) {
        let shifted: Vec<Drawn> = drawn.into_iter().map(|it| (it.0 + older, it.1, it.2, it.3)).collect();
        let channel = channel(&shifted);
        let mut users: Vec<Installed> = channel.entries.iter().map(|it| installed(&it.fields.name, it.version.clone())).collect();
        users.extend((0..older).map(|it| installed(&name(it), Version::parse(&format!("1.{it}.0")).ok())));
        let is_fine = |channel: &Channel| {
            let fields: Vec<_> = channel.entries.iter().map(|it| Entry::clone(&it.fields)).collect();
            let package = Package { name: "p".to_owned(), channels: vec![channel.clone()], ..Package::default() };
            let head = users.iter().filter_map(|it| it.version.clone()).max();
            let arrives = |it: &Installed| {
                let path = package.path(Some("c"), it).unwrap();
                path.end == End::Head && (path.steps.last().map_or(it.version.clone(), |it| Version::parse(&it.version).ok()) == head)
            };
            check_chain(&fields).is_ok() && users.iter().all(arrives)
        };
        match extra_edge(&channel, &users, &[], |_| true) {
            Some(edge) => prop_assert!(is_fine(&with_edge(&channel, &edge)), "{:?}", edge),
            None => {
                let head = &channel.entries.as_slice().last().unwrap().fields.name;
                let skips = users.iter().map(|it| it.name.clone()).filter(|it| it != head).collect();
                let all = ExtraEdge {
                    channel: "c".to_owned(), entry: head.clone(), skips, skip_range: String::new(), old_range: String::new(),
                };
                prop_assert!(is_fine(&channel) || !is_fine(&with_edge(&channel, &all)), "{:?}", channel.entries);
            }
        }
    }

    /// The advice of `validate` about a cut chain is that of `check-graph`, and repairs it.
    #[test]
    fn a_cut_chain_is_advised_by_one_sentence(drawn in entries()) {
        let catalog = input(&catalog(&drawn));
        let cut: Vec<_> = check_catalog(&catalog, None).findings.into_iter().filter(|it| it.rule.id == "E0209").collect();
        let Some(help) = cut.first().and_then(|it| it.help.clone()) else { return Ok(()) };
        prop_assert!(help.contains(" to the skips of "), "a chain of rising versions is mended by its head: {help}");
        let mut builder = Builder::in_memory();
        builder.add_catalog(&CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() }, &catalog, Mode::Tolerant).unwrap();
        let found = check_packages(&builder.into_index().unwrap(), &Filter::default(), None, &["p".to_owned()]).unwrap();
        let stranded: Vec<_> = found[0].iter().flatten().filter(|it| it.rule.id == "W0802").collect();
        prop_assert!(stranded.iter().all(|it| it.help.as_ref() == Some(&help)), "{:?} {:?}", help, stranded);
        let edge = extra_edge(&channel(&drawn), &channel(&drawn).entries.iter().map(|it| installed(&it.fields.name, it.version.clone())).collect::<Vec<_>>(), &[], |_| true).unwrap();
        prop_assert!(help.starts_with(&edge.request()), "{} {}", help, edge.request());
    }

    /// `check-graph` has the same advice for all stranded users of a channel, and it works.
    #[test]
    fn one_suggestion_for_a_cut_history(n in 2..9_u64, kept in 1..4_u64, older in 0..3_u64) {
        let all: Vec<u64> = (0..n + older).collect();
        let kept: Vec<u64> = all.iter().copied().skip(all.len().saturating_sub(usize::try_from(kept).unwrap())).collect();
        let (old, new) = (input(&catalog(&chain(&all))), input(&catalog(&chain(&kept))));
        let index = |it: &Input| {
            let mut builder = Builder::in_memory();
            let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
            builder.add_catalog(&spec, it, Mode::Strict).unwrap();
            builder.into_index().unwrap()
        };
        let found = |new: &Input| {
            let old = index(&old);
            check_packages(&index(new), &Filter::default(), Some(&old), &["p".to_owned()]).unwrap().remove(0).unwrap()
        };
        let lost: Vec<_> = found(&new).into_iter().filter(|it| it.rule.id == "W0806").collect();
        prop_assert_eq!(lost.len(), all.len() - kept.len());
        let helps: BTreeSet<Option<String>> = lost.iter().map(|it| it.help.clone()).collect();
        prop_assert!(lost.is_empty() || helps.len() == 1 && !helps.contains(&None), "{:?}", helps);
        let simulation = simulated(&old, &new, &[Olm::Classic], &[]);
        if !lost.is_empty() {
            let after = advised(&new, &simulation);
            prop_assert_eq!(found(&after).iter().filter(|it| it.rule.id == "W0806").count(), 0);
        }
    }
}
