//! Laws of answers about upgrades, on catalogs with every fault: circles, entries that replace themselves, dangling and
//! doubled names, ranges that hold everything or cannot be read, versions that cannot be read.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::sync::Arc;

use olmdex::draw;
use olmdex::fbc::{ChannelPlaces, Entry};
use olmdex::index::query::{CatalogRank, GraphBundle, GraphChannel, NamesWithoutWay, PackageGraph, Reach};
use olmdex::upgrade::{
    Effort, EngineQuestion, Field, Goal, InstalledBundle, OutlookVerdict, PackageView, PathStep, Standing, Target,
    Verdict, Wish, check_graph, classic_path, classic_shortest, classic_updates, classic_why_not, v1_path, v1_shortest,
    v1_updates, v1_why_not, z_stream,
};
use olmdex::version::Version;
use olmdex::version::blang::Range;
use proptest::prelude::*;

const N_NAMES: usize = 7;

fn name(number: usize) -> String {
    format!("p.v1.{number}.0")
}

fn any_name() -> impl Strategy<Value = String> {
    (0..N_NAMES + 2).prop_map(name)
}

fn entry() -> impl Strategy<Value = Entry> {
    let ranges = ["", "", "<1.3.0", ">=1.1.0 <1.5.0", ">=0.0.0", "no range", "1.2.0 || || 1.3.0"];
    let replaces = prop_oneof![1 => Just(String::new()), 4 => any_name()];
    (any_name(), replaces, prop::collection::vec(any_name(), 0..3), prop::sample::select(ranges.to_vec())).prop_map(
        |(name, replaces, skips, skip_range)| Entry { name, replaces, skips, skip_range: skip_range.to_owned() },
    )
}

/// A chain with a few arbitrary entries, so that not all answers are the same refusal.
fn channel(name: &'static str) -> impl Strategy<Value = GraphChannel> {
    (0..N_NAMES, prop::collection::vec(entry(), 0..3)).prop_map(move |(n_chain, more)| {
        let chain = (0..n_chain).map(|it| Entry {
            name: self::name(it),
            replaces: if it > 0 { self::name(it - 1) } else { String::new() },
            ..Entry::default()
        });
        let entries: Vec<Entry> = chain.chain(more).collect();
        GraphChannel {
            name: name.to_owned(),
            entries: entries.into(),
            places: Arc::new(ChannelPlaces::at_line("catalog.yaml", 1)),
        }
    })
}

fn package() -> impl Strategy<Value = PackageView> {
    let versions = prop::collection::vec(0..8_usize, N_NAMES);
    (channel("a"), channel("b"), versions).prop_map(|(a, b, versions)| {
        let bundles = versions.iter().enumerate().filter(|it| *it.1 != 0).map(|(number, kind)| {
            let version = if *kind == 1 { "one".to_owned() } else { format!("1.{number}.0") };
            let package_property = Some(format!(r#"{{"packageName":"p","version":"{version}"}}"#));
            GraphBundle { name: name(number), package_property, ..GraphBundle::default() }
        });
        let graph = PackageGraph {
            catalog: "c".to_owned(),
            package: "p".to_owned(),
            default_channel: "b".to_owned(),
            is_valid: true,
            channels: vec![a, b],
            bundles: bundles.collect(),
            deprecations: Vec::new(),
        };
        let rank = CatalogRank { catalog: "c".to_owned(), ..CatalogRank::default() };
        PackageView::new("p", vec![graph], &[rank])
    })
}

fn installed(number: usize) -> InstalledBundle {
    InstalledBundle::named(name(number), format!("1.{number}.0"), number < N_NAMES)
}

/// A field of the catalog must permit each step, from the end of the step before it.
fn assert_legal(view: &PackageView, from: &InstalledBundle, steps: &[PathStep]) {
    let mut at = from.clone();
    for PathStep { target: step, .. } in steps {
        assert!(!step.permits.is_empty(), "{} has no permit", step.bundle);
        for permit in &step.permits {
            let channel = view.graphs[0].channels.iter().find(|it| it.name == permit.channel).unwrap();
            let is_true = channel.entries.iter().filter(|it| it.name == step.bundle).any(|entry| match permit.field {
                Field::Replaces => entry.replaces == at.name,
                Field::Skips => entry.skips.contains(&at.name),
                Field::SkipRange => {
                    let version = Version::parse(&at.version).unwrap();
                    Range::parse(&entry.skip_range).is_ok_and(|it| it.contains(&version).unwrap_or(false))
                }
            });
            assert!(is_true, "{permit:?} does not lead from {at:?}");
        }
        at = InstalledBundle::held(step.bundle.clone(), step.version.clone());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn answers_agree_with_each_other(view in package(), number in 0..N_NAMES + 1, channel in 0..3_usize) {
        let channels = ["a", "b"].get(channel).map(|it| vec![(*it).to_owned()]).unwrap_or_default();
        let from = installed(number);
        let asked = EngineQuestion { installed: Some(from.clone()), channels, ..EngineQuestion::default() };
        let graph = &view.graphs[0];

        // A path equals the result of repeated updates.
        let classic = classic_path(&view, graph, &asked, &from, None);
        assert_legal(&view, &from, &classic.steps);
        let mut at = from.clone();
        let mut seen = BTreeSet::from([at.name.clone()]);
        for PathStep { target: step, .. } in &classic.steps {
            let now = classic_updates(&view, graph, &EngineQuestion { installed: Some(at.clone()), ..asked.clone() });
            prop_assert_eq!(now.verdict, Verdict::Update);
            prop_assert_eq!(now.target.as_ref(), Some(step));
            at = InstalledBundle::held(step.bundle.clone(), step.version.clone());
            if !seen.insert(at.name.clone()) {
                break;
            }
        }
        let way = v1_path(&view, &asked, &from, None);
        assert_legal(&view, &from, &way.steps);
        let mut at = from.clone();
        for PathStep { target: step, .. } in &way.steps {
            let now = v1_updates(&view, &EngineQuestion { installed: Some(at.clone()), ..asked.clone() });
            prop_assert_eq!(now.target.as_ref(), Some(step));
            at = InstalledBundle::held(step.bundle.clone(), step.version.clone());
        }

        // A bundle that is not taken has a reason, and one that is taken has none.
        let (classic_now, v1_now) = (classic_updates(&view, graph, &asked), v1_updates(&view, &asked));
        for target in view.bundles() {
            for (why, now) in [
                (classic_why_not(&view, graph, &asked, target), &classic_now),
                (v1_why_not(&view, &asked, target, &Reach::Unknown), &v1_now),
            ] {
                let is_target = now.target.as_ref().is_some_and(|it| it.bundle == target.name);
                if target.name != from.name {
                    prop_assert_eq!(why.is_taken, is_target, "{:?}", why);
                }
                prop_assert!(why.is_taken || why.conditions.iter().any(|it| !it.is_met), "{:?}", why);
            }
            // The shortest way is legal, and no longer than OLM's own.
            let wish = Wish { is_goal: &|it| it.bundle == target.name, is_allowed: &|_| true, at_most: 1, within: &Reach::Unknown, effort: &Effort::default() };
            let short = v1_shortest(&view, &asked, &from, &wish).pop();
            if let Some(steps) = &short {
                assert_legal(&view, &from, steps);
            }
            if let Some(at) = way.steps.iter().position(|it| it.target.bundle == target.name) {
                prop_assert!(short.is_some_and(|it| it.len() <= at + 1));
            }
        }
    }

    #[test]
    fn what_is_stuck_is_found(view in package()) {
        let graph = &view.graphs[0];
        let findings = check_graph(graph, None, &NamesWithoutWay::new());
        for channel in &graph.channels {
            for entry in channel.entries.iter() {
                let version = view.find(&entry.name).filter(|it| it.name == entry.name).map(|it| it.version).unwrap_or_default();
                let installed = InstalledBundle::held(entry.name.clone(), version);
                let channels = vec![channel.name.clone()];
                let asked = EngineQuestion { installed: Some(installed), channels, ..EngineQuestion::default() };
                let now = classic_updates(&view, graph, &asked);
                let id = format!("p/{} has no upgrade from {}", channel.name, entry.name);
                let is_found = findings.iter().any(|it| it.message.split(':').next().is_some_and(|it| it.ends_with(&id)));
                prop_assert_eq!(now.verdict == Verdict::Stuck, is_found, "{:?} {:?}", now, findings);
            }
        }
        // A catalog cannot lose a way against itself.
        let lost = check_graph(graph, Some(graph), &NamesWithoutWay::new()).into_iter().filter(|it| it.rule.id == "W0806").count();
        prop_assert_eq!(lost, 0);
    }

    #[test]
    fn the_shortest_ways_are_legal_and_short(view in package(), number in 0..N_NAMES, goal in 0..N_NAMES) {
        let (from, to) = (installed(number), name(goal));
        let graph = &view.graphs[0];
        let asked = EngineQuestion { installed: Some(from.clone()), ..EngineQuestion::default() };
        for at_most in [1, 4] {
            let wish = Wish { is_goal: &|it| it.bundle == to, is_allowed: &|_| true, at_most, within: &Reach::Unknown, effort: &Effort::default() };
            for ways in [classic_shortest(&view, graph, &asked, &from, &wish), v1_shortest(&view, &asked, &from, &wish)] {
                prop_assert!(ways.len() <= at_most);
                prop_assert!(ways.windows(2).all(|pair| pair[0].len() <= pair[1].len() && pair[0] != pair[1]));
                for way in &ways {
                    assert_legal(&view, &from, way);
                    prop_assert_eq!(&way.last().unwrap().target.bundle, &to);
                    let names: BTreeSet<&str> = way.iter().map(|it| it.target.bundle.as_str()).collect();
                    prop_assert!(names.len() == way.len() && !names.contains(from.name.as_str()), "a circle");
                }
            }
        }
        // No path in a single channel has fewer steps than the shortest path over all channels.
        let wish = Wish { is_goal: &|it| it.bundle == to, is_allowed: &|_| true, at_most: 1, within: &Reach::Unknown, effort: &Effort::default() };
        let shortest = classic_shortest(&view, graph, &asked, &from, &wish).pop();
        for channel in ["a", "b"] {
            let asked = EngineQuestion { channels: vec![channel.to_owned()], ..asked.clone() };
            let path = classic_path(&view, graph, &asked, &from, Some(&to));
            if path.is_reached && from.name != to {
                prop_assert!(shortest.as_ref().is_some_and(|it| it.len() <= path.steps.len()));
            }
        }
        let v1 = v1_path(&view, &asked, &from, Some(&to));
        if v1.is_reached && from.name != to {
            prop_assert!(v1_shortest(&view, &asked, &from, &wish).pop().is_some_and(|it| it.len() <= v1.steps.len()));
        }
    }

    #[test]
    fn a_z_stream_leads_every_release_to_the_latest_of_its_minor(releases in prop::collection::btree_set((0..3_u64, 0..4_u64), 1..9), skips in prop::collection::vec((0..9_usize, 0..3_u64, 0..6_u64), 0..4)) {
        let name = |(minor, patch): (u64, u64)| format!("p.v1.{minor}.{patch}");
        let releases: Vec<(u64, u64)> = releases.into_iter().collect();
        let entries = releases.iter().enumerate().map(|(at, release)| Entry {
            name: name(*release),
            replaces: at.checked_sub(1).map(|it| name(releases[it])).unwrap_or_default(),
            skips: skips.iter().filter(|it| it.0 == at).map(|it| name((it.1, it.2))).filter(|it| it != &name(*release)).collect(),
            ..Entry::default()
        });
        let bundles = releases.iter().map(|it| GraphBundle {
            name: name(*it),
            package_property: Some(format!(r#"{{"packageName":"p","version":"1.{}.{}"}}"#, it.0, it.1)),
            ..GraphBundle::default()
        });
        let mut graph = PackageGraph {
            package: "p".to_owned(),
            default_channel: "a".to_owned(),
            bundles: bundles.collect(),
            channels: vec![GraphChannel { name: "a".to_owned(), entries: entries.collect(), places: Arc::default() }],
            ..PackageGraph::default()
        };
        let mentioned: BTreeSet<String> =
            graph.channels[0].entries.iter().flat_map(|it| it.skips.iter().chain([&it.name]).cloned()).collect();
        let made = z_stream(&graph, "a").unwrap();
        prop_assert!(made.findings.is_empty(), "{:?}", made.findings);
        graph.channels[0].entries = made.entries.into();
        let package = olmdex::upgrade::classic::Package::new(&graph);
        let latest = |minor: u64| releases.iter().filter(|it| it.0 == minor).max().copied();
        for installed in mentioned {
            let step = package.next(Some("a"), &olmdex::upgrade::classic::Installed { name: installed.clone(), version: None }).unwrap();
            let is_release = releases.iter().find(|it| name(**it) == installed);
            match is_release.and_then(|it| latest(it.0).filter(|latest| latest != it)) {
                // An earlier release: straight to the latest of its minor version.
                Some(latest) => prop_assert_eq!(step.unwrap().bundle, name(latest)),
                None => {
                    let is_head = is_release.is_some_and(|it| releases.iter().max() == Some(it));
                    prop_assert_eq!(step.is_none(), is_head, "{}", installed);
                }
            }
        }
        prop_assert!(z_stream(&graph, "a").unwrap().is_unchanged);
    }

    /// The outlook of a version is what the searches for the shortest way and along the channel find.
    #[test]
    fn an_outlook_is_the_answer_of_the_searches(view in package(), number in 0..N_NAMES + 1, to in 0..N_NAMES, channel in 0..3_usize) {
        let from = installed(number);
        let graph = &view.graphs[0];
        let package = view.as_classic(graph);
        let Some(goal) = Goal::to(&package, &name(to)) else { return Ok(()) };
        let own = ["a", "b"].get(channel).copied();
        let is_goal = |target: &Target| target.bundle == name(to);
        let wish = Wish { is_goal: &is_goal, is_allowed: &|_| true, at_most: 1, within: &Reach::Unknown, effort: &Effort::default() };
        let shortest = classic_shortest(&view, graph, &EngineQuestion::default(), &from, &wish).pop();
        let asked = EngineQuestion { channels: own.iter().map(|it| (*it).to_owned()).collect(), ..EngineQuestion::default() };
        let along = classic_path(&view, graph, &asked, &from, Some(&name(to)));
        let outlook = goal.outlook(&from.as_classic(), own);
        let is_there = from.name == name(to);
        prop_assert_eq!(outlook.verdict == OutlookVerdict::Arrived, is_there);
        let has_none = matches!(outlook.verdict, OutlookVerdict::DeadEnd | OutlookVerdict::Beyond | OutlookVerdict::Ahead);
        prop_assert_eq!(has_none, !is_there && !along.is_reached && shortest.is_none());
        prop_assert_eq!(outlook.verdict == OutlookVerdict::Upgrades, !is_there && along.is_reached);
        let version = |text: &str| Version::parse(text).ok();
        let is_higher = |target: &Target| version(&target.version) > version(&goal.named().version);
        let higher = Wish { is_goal: &is_higher, is_allowed: &|_| true, at_most: 1, within: &Reach::Unknown, effort: &Effort::default() };
        let leads_higher = !classic_shortest(&view, graph, &EngineQuestion::default(), &from, &higher).is_empty();
        // Ranges hold for the version, which the catalog may not know.
        let listed = package.channels.iter().find_map(|channel| channel.entry(&from.name));
        let listed = listed.filter(|entry| entry.version == version(&from.version));
        if let Some(listed) = listed {
            let expected = match listed.version.clone() {
                _ if is_there || shortest.is_some() => Standing::Reaches,
                own if own.is_some() && own >= version(&goal.named().version) => Standing::Higher,
                _ if leads_higher && version(&goal.named().version).is_some() => Standing::Past,
                _ => Standing::DeadEnd,
            };
            prop_assert_eq!(goal.standing(&from.name, listed.version.as_ref()), expected);
        }
        if let Some(shortest) = shortest.filter(|_| !is_there && number < N_NAMES) {
            prop_assert!(outlook.upgrades.len() >= shortest.len());
            if outlook.verdict == OutlookVerdict::ChangeChannel {
                prop_assert_eq!(outlook.fewest_upgrades.unwrap_or(outlook.upgrades.len()), shortest.len());
            }
            prop_assert_eq!(outlook.upgrades.last().map(|step| step.bundle.clone()), Some(name(to)));
            // Each step is one that the engine takes in its channel.
            let mut at = from.clone();
            for step in &outlook.upgrades {
                let channel = (own.is_some() || !outlook.changes.is_empty()).then_some(step.channel.as_str());
                let next = package.next(channel, &at.as_classic()).unwrap().unwrap();
                prop_assert_eq!(&next.bundle, &step.bundle);
                at = InstalledBundle::held(step.bundle.clone(), step.version.clone());
            }
        }
    }

    #[test]
    fn everything_can_be_drawn(view in package(), minimum in 0..N_NAMES) {
        let Ok(mut catalog) = draw::Catalog::from_graphs(&view.graphs) else { return Ok(()) };
        let graphs = draw::channels(&catalog);
        let names: BTreeSet<&str> = graphs.iter().flat_map(|it| it.nodes.iter().map(|it| it.name.as_str())).collect();
        for edge in graphs.iter().flat_map(|it| it.edges.iter()) {
            prop_assert!(names.contains(edge.source) && names.contains(edge.target));
        }
        let written = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
            let mut text = Vec::new();
            write(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        };
        prop_assert_eq!(written(&|out| draw::dot(&graphs, out)).lines().filter(|it| it.contains(" -> ")).count(),
            graphs.iter().map(|it| it.edges.len()).sum::<usize>());
        prop_assert!(written(&|out| draw::text(&graphs, draw::Detail::Full, out)).is_empty() == graphs.is_empty());
        for detail in [draw::Detail::Collapsed, draw::Detail::Full] {
            let way: Vec<String> = (0..minimum).map(name).collect();
            let picture = draw::svg(&catalog, &way, detail, usize::MAX).unwrap();
            for tag in ["g", "svg", "text", "title"] {
                let opened = picture.matches(&format!("<{tag}>")).count() + picture.matches(&format!("<{tag} ")).count();
                prop_assert_eq!(opened, picture.matches(&format!("</{tag}>")).count(), "{}", tag);
            }
            // Every name is there, whatever is collapsed.
            for name in names.iter().filter(|_| detail == draw::Detail::Full) {
                prop_assert!(picture.contains(*name), "{} is missing", name);
            }
        }
        let page = draw::html(&catalog, &[], draw::Detail::Collapsed, usize::MAX).unwrap();
        if let [only] = graphs.as_slice() {
            prop_assert_eq!(page.contains("class=\"flag "), only.nodes.iter().any(|it| it.is_head));
        }
        let options = draw::MermaidOptions { v0_semantics: true, raw_names: false };
        let whole = written(&|out| draw::Mermaid::new(&catalog, options).write(out)).lines().count();
        if catalog.keep_from(&name(minimum)).is_ok() {
            prop_assert!(written(&|out| draw::Mermaid::new(&catalog, options).write(out)).lines().count() <= whole);
        }
    }
}

/// A long chain, in which every step is one entry.
#[test]
fn a_long_chain_is_walked_to_its_end() {
    let n_entries = 10_000;
    let entries: Vec<Entry> = (0..n_entries)
        .map(|it| Entry {
            name: name(it),
            replaces: if it > 0 { name(it - 1) } else { String::new() },
            ..Entry::default()
        })
        .collect();
    let entries: Arc<[Entry]> = entries.into();
    let bundles = (0..n_entries).map(|it| GraphBundle {
        name: name(it),
        package_property: Some(format!(r#"{{"packageName":"p","version":"1.{it}.0"}}"#)),
        ..GraphBundle::default()
    });
    let graph = PackageGraph {
        catalog: "c".to_owned(),
        package: "p".to_owned(),
        channels: vec![GraphChannel { name: "a".to_owned(), entries, places: Arc::default() }],
        bundles: bundles.collect(),
        ..PackageGraph::default()
    };
    let rank = CatalogRank { catalog: "c".to_owned(), ..CatalogRank::default() };
    let view = PackageView::new("p", vec![graph], &[rank]);
    let from = InstalledBundle::held(name(0), "1.0.0".to_owned());
    let path = v1_path(&view, &EngineQuestion::default(), &from, None);
    assert!(path.is_reached, "{}", path.reason);
    assert_eq!(path.steps.len(), n_entries - 1);
    let goal = name(n_entries - 1);
    let wish = Wish {
        is_goal: &|it| it.bundle == goal,
        is_allowed: &|_| true,
        at_most: 1,
        within: &Reach::Unknown,
        effort: &Effort::default(),
    };
    assert_eq!(v1_shortest(&view, &EngineQuestion::default(), &from, &wish)[0].len(), n_entries - 1);
    assert_eq!(
        classic_shortest(&view, &view.graphs[0], &EngineQuestion::default(), &from, &wish)[0].len(),
        n_entries - 1
    );
    let path = classic_path(&view, &view.graphs[0], &EngineQuestion::default(), &from, None);
    assert!(path.is_reached);
    assert_eq!(path.steps.len(), n_entries - 1);
    assert_eq!(check_graph(&view.graphs[0], None, &NamesWithoutWay::new()), []);
}
