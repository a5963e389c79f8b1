//! Tests that the work on one package grows with its size, and not with the square of it.

use std::sync::Arc;

use super::answer::{EngineQuestion, PackageView};
use super::check_graph::check_graph;
use super::installed::InstalledBundle;
use super::shortest_path::{Effort, Wish, classic_shortest};
use super::{classic_path, v1_path, z_stream};
use olmdex_fbc::Entry;
use olmdex_index::query::{
    CatalogRank, GraphBundle, GraphChannel, GraphDeprecation, NamesWithoutWay, PackageGraph, Reach,
};
use olmdex_text::tally::assert_grows_with_input;

fn name(number: usize) -> String {
    format!("p.v1.0.{number}")
}

/// A package of one channel in which each entry replaces the one before and skips `n_skips` others; all bundles are
/// deprecated.
fn graph(n_entries: usize, n_skips: usize) -> PackageGraph {
    let entry = |at: usize| Entry {
        name: name(at),
        replaces: at.checked_sub(1).map(name).unwrap_or_default(),
        skips: (at.saturating_sub(n_skips)..at).map(name).collect(),
        skip_range: String::new(),
    };
    let bundle = |at: usize| GraphBundle {
        name: name(at),
        package_property: Some(format!(r#"{{"packageName":"p","version":"1.0.{at}"}}"#)),
        ..GraphBundle::default()
    };
    let deprecation =
        |at: usize| GraphDeprecation { schema: "olm.bundle".to_owned(), name: name(at), message: "old".to_owned() };
    PackageGraph {
        catalog: "c".to_owned(),
        package: "p".to_owned(),
        default_channel: "stable".to_owned(),
        is_valid: true,
        channels: vec![GraphChannel {
            name: "stable".to_owned(),
            entries: (0..n_entries).map(entry).collect(),
            places: Arc::default(),
        }],
        bundles: (0..n_entries).map(bundle).collect(),
        deprecations: vec![(0..n_entries).map(deprecation).collect()],
    }
}

/// A package of `n_channels` channels with the same ten entries.
fn of_channels(n_channels: usize) -> PackageGraph {
    let mut graph = graph(10, 0);
    let entries = Arc::clone(&graph.channels[0].entries);
    let channel =
        |at: usize| GraphChannel { name: format!("c{at}"), entries: Arc::clone(&entries), places: Arc::default() };
    graph.channels = (0..n_channels).map(channel).collect();
    graph
}

#[test]
fn entries_that_skip_many_are_checked_in_so_many_steps() {
    for n_skips in [0, 20] {
        assert_grows_with_input(400, |size| {
            let graph = graph(size, n_skips);
            move || {
                let found = check_graph(&graph, None, &NamesWithoutWay::new());
                assert_eq!(found.is_empty(), n_skips == 0);
            }
        });
    }
}

#[test]
fn a_channel_is_checked_against_what_it_was_in_so_many_steps() {
    assert_grows_with_input(400, |size| {
        let (old, mut new) = (graph(size, 0), graph(size, 0));
        // All but the head have lost their upgrades.
        let bare = |it: &Entry| Entry { name: it.name.clone(), ..Entry::default() };
        let last = size - 1;
        new.channels[0].entries = new.channels[0].entries.iter().map(bare).collect();
        let head = Entry { skips: (1..last).map(name).collect(), ..bare(&new.channels[0].entries[last]) };
        let others = new.channels[0].entries[..last].to_vec();
        new.channels[0].entries = others.into_iter().chain([head]).collect();
        move || assert!(!check_graph(&new, Some(&old), &NamesWithoutWay::new()).is_empty())
    });
    assert_grows_with_input(100, |size| {
        let (old, new) = (of_channels(size), of_channels(size));
        move || assert!(check_graph(&new, Some(&old), &NamesWithoutWay::new()).is_empty())
    });
}

#[test]
fn a_z_stream_is_made_in_so_many_steps() {
    for n_skips in [0, 20] {
        assert_grows_with_input(400, |size| {
            let graph = graph(size, n_skips);
            move || assert!(z_stream(&graph, "stable").unwrap().findings.is_empty())
        });
    }
}

#[test]
fn a_way_over_deprecated_bundles_is_followed_in_so_many_steps() {
    assert_grows_with_input(400, |size| {
        let graph = graph(size, 0);
        let view =
            PackageView::new("p", vec![graph], &[CatalogRank { catalog: "c".to_owned(), ..CatalogRank::default() }]);
        move || {
            let (from, asked) = (InstalledBundle::held(name(0), "1.0.0".to_owned()), EngineQuestion::default());
            let path = classic_path(&view, &view.graphs[0], &asked, &from, None);
            assert!(path.steps.len() == size - 1 && path.steps.iter().all(|it| it.target.is_deprecated));
            let path = v1_path(&view, &asked, &from, None);
            assert_eq!(path.steps.len(), size - 1, "{}", path.reason);
        }
    });
}

#[test]
fn a_short_way_over_many_channels_is_found_in_so_many_steps() {
    assert_grows_with_input(50, |size| {
        let view = PackageView::new("p", vec![of_channels(size)], &[]);
        move || {
            let (from, asked) = (InstalledBundle::held(name(0), "1.0.0".to_owned()), EngineQuestion::default());
            let goal = name(9);
            let (within, effort) = (Reach::Unknown, Effort::default());
            let is_goal = |it: &super::Target| it.bundle == goal;
            let wish = Wish { is_goal: &is_goal, is_allowed: &|_| true, at_most: 1, within: &within, effort: &effort };
            let found = classic_shortest(&view, &view.graphs[0], &asked, &from, &wish);
            assert_eq!(found[0].len(), 9);
        }
    });
}

/// An attack: 300 channels with the same 200 entries.
#[test]
fn ways_of_each_channel_are_followed_in_so_many_steps() {
    assert_grows_with_input(200, |size| {
        let rank = CatalogRank { catalog: "c".to_owned(), ..CatalogRank::default() };
        let view = PackageView::new("p", vec![of_channels(size)], &[rank]);
        move || {
            for number in 0..size {
                let (first, channel) = (InstalledBundle::held(name(0), "1.0.0".to_owned()), format!("c{number}"));
                let route = super::UpgradeRoutes::v1(&view, &channel).route(&first);
                assert_eq!((route.target.name, route.steps), (name(9), 9));
            }
        }
    });
}

#[test]
fn the_way_from_everywhere_to_the_newest_is_found_in_so_many_steps() {
    assert_grows_with_input(300, |size| {
        let view = PackageView::new("p", vec![graph(size, 0)], &[]);
        move || {
            let package = view.as_classic(&view.graphs[0]);
            let goal = super::Goal::newest(&package).unwrap();
            assert!((0..size).all(|at| goal.n_upgrades(&name(at)) == Some(size - 1 - at)));
        }
    });
}
