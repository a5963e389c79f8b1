//! Why operators of the cluster that the server was given are stuck.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::parts::{badge, capitalized, link, shown, table, worded};
use super::plans::ServedCluster;
use super::reply::PageError;
use super::route::{ClusterPart, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{DiagnoseQuestion, PAGE_WORK, Question as _, State, WorkOptions};
use olmdex_index::LightIndex;
use olmdex_olm::namespace::{Effect, NamespaceState, Obstacle, ObstacleCode, OperatorStanding, headline};
use olmdex_rules::cluster::Cluster;

/// The states of the namespaces, without directories of this machine.
pub(super) fn answer(context: PageContext<'_>, part: &ClusterPart) -> Result<Vec<NamespaceState>, PageError> {
    let served = served(context)?;
    let question = DiagnoseQuestion {
        name: part.name.clone(),
        work: WorkOptions { max_work: PAGE_WORK },
        ..DiagnoseQuestion::default()
    };
    let state = State {
        index: context.index() as &LightIndex,
        cluster: Some((&served.cluster, "the cluster")),
        source_map: &served.ties,
        are_named: false,
        namespaces: &[],
    };
    let mut states = question.ask(&state)?.items;
    for obstacle in states.iter_mut().flat_map(|state| &mut state.obstacles) {
        served.hide(&mut obstacle.place.file);
        obstacle.because.iter_mut().for_each(|reason| served.hide(reason));
    }
    Ok(states)
}

fn served(context: PageContext<'_>) -> Result<&ServedCluster, PageError> {
    context.cache().cluster.as_deref().ok_or(PageError::NoPage)
}

pub(super) fn page(context: PageContext<'_>, part: &ClusterPart) -> Result<Page, PageError> {
    let served = served(context)?;
    let states = answer(context, part)?;
    let title = match part.name.as_slice() {
        [] => "Diagnosis of the cluster".to_owned(),
        names => format!("Diagnosis: {}", names.join(", ")),
    };
    let body = html! {
        h1 { (shown(&title)) }
        @let (class, sign) = verdict(&states);
        div class={ "outlook " (class) } role="status" {
            span.sign aria-hidden="true" { (sign) }
            strong { (capitalized(&headline(&states))) "." }
        }
        @if !part.name.is_empty() { p { (link(context, &Route::Diagnose(ClusterPart::default()), "All operators of the cluster")) } }
        (without_catalogs(&states))
        (standings("Operators", context, &states))
        @for (idx, state) in states.iter().enumerate() {
            @let own: Vec<&Obstacle> = state.obstacles.iter().filter(|obstacle| !lacks_catalog(obstacle)).collect();
            @if !own.is_empty() {
                section.answer aria-labelledby={ "state-" (idx) } {
                    h2 id={ "state-" (idx) } { (place(state)) }
                    ol.actions { @for obstacle in own { li { (passage(obstacle)) } } }
                }
            }
        }
    };
    let commands = vec![served.command("diagnose").names(part.name.iter().cloned())];
    Ok(Page { commands, is_data: true, ..Page::new(title, body) })
}

fn lacks_catalog(obstacle: &Obstacle) -> bool {
    obstacle.code == ObstacleCode::CatalogNotGiven
}

/// The class and the sign of the worst state of the operators.
fn verdict(states: &[NamespaceState]) -> (&'static str, &'static str) {
    let worst = states.iter().flat_map(|state| state.operators.iter().map(|operator| look(state, operator).0));
    match worst.max_by_key(|class| rank(class)) {
        Some("bad") => ("bad", "✕"),
        Some("warn") => ("warn", "!"),
        _ => ("good", "✓"),
    }
}

/// The place of a class among the classes, the worst last.
fn rank(class: &str) -> Option<usize> {
    ["good", "warn", "bad"].iter().position(|known| *known == class)
}

/// A sentence with a capital letter, unless it begins with the name of a bundle.
fn sentence(text: &str) -> String {
    let begins_with_name = text.split(' ').next().is_some_and(|word| word.contains('.'));
    if begins_with_name { text.to_owned() } else { capitalized(text) }
}

/// The badge of an operator.
fn look(state: &NamespaceState, operator: &OperatorStanding) -> (&'static str, &'static str) {
    match operator.first(state) {
        _ if operator.is_stuck => ("bad", "stuck"),
        Some(obstacle) if obstacle.effect == Effect::Waits => ("warn", "waits"),
        Some(obstacle) if obstacle.effect == Effect::Unknown && operator.next.is_none() => ("warn", "unknown"),
        _ if operator.next.is_some() => ("good", "goes on"),
        _ => ("good", "fine"),
    }
}

/// The catalogs that are not given, each once, with the operators that nobody can judge without it.
fn without_catalogs(states: &[NamespaceState]) -> Markup {
    let mut missing: BTreeMap<&str, (&Obstacle, BTreeSet<&str>)> = BTreeMap::new();
    for obstacle in states.iter().flat_map(|state| &state.obstacles).filter(|obstacle| lacks_catalog(obstacle)) {
        let found = missing.entry(&obstacle.text).or_insert_with(|| (obstacle, BTreeSet::new()));
        found.1.extend(obstacle.subjects.iter().map(String::as_str));
    }
    html! {
        @if !missing.is_empty() {
            div.note.warn role="note" {
                @for (obstacle, subjects) in missing.values() {
                    p { strong { (worded(&sentence(&obstacle.text))) "." } " "
                        @if obstacle.object.starts_with("CatalogSource ") {
                            "Subscriptions of " (shown(&Vec::from_iter(subjects.iter().copied()).join(", "))) " name it. "
                        }
                        @for remedy in &obstacle.remedies { (worded(&capitalized(&remedy.change))) ". " } }
                }
            }
        }
    }
}

/// The state of a package in the cluster, or a link if the diagnosis is too much for this page; empty if the cluster
/// does not have it.
pub(super) fn of_package(context: PageContext<'_>, package: &str) -> Markup {
    let is_there = |cluster: &Cluster| {
        let subscribed = cluster.subscriptions.iter().map(|subscription| &subscription.package);
        subscribed.chain(cluster.extensions.iter().map(|extension| &extension.package)).any(|own| own == package)
    };
    if !context.cache().cluster.as_deref().is_some_and(|served| is_there(&served.cluster)) {
        return Markup::default();
    }
    let part = ClusterPart { name: vec![package.to_owned()] };
    let mut states = answer(context, &part).unwrap_or_default();
    states.iter_mut().for_each(|state| state.operators.retain(|operator| operator.package == package));
    html! {
        @if !states.is_empty() { (standings("In the cluster", context, &states)) }
        p { (link(context, &Route::Diagnose(part), "Diagnosis of this operator")) }
    }
}

fn standings(caption: &str, context: PageContext<'_>, states: &[NamespaceState]) -> Markup {
    table(caption, &["Operator", "State", "~Installed", "~Since", "Next step"], operators(context, states))
}

fn place(state: &NamespaceState) -> String {
    if state.namespace.is_empty() { "OLM v1".to_owned() } else { shown(&state.namespace) }
}

fn operators(context: PageContext<'_>, states: &[NamespaceState]) -> Markup {
    let only = |namespace: &str| Route::Diagnose(ClusterPart { name: vec![namespace.to_owned()] });
    let pairs = states.iter().flat_map(|state| state.operators.iter().map(move |operator| (state, operator)));
    let mut pairs: Vec<(&NamespaceState, &OperatorStanding)> = pairs.collect();
    pairs.sort_by_key(|(state, operator)| std::cmp::Reverse(rank(look(state, operator).0)));
    html! {
        @for (state, operator) in pairs {
            tr {
                th scope="row" {
                    (shown(&operator.package)) " in "
                    @if state.namespace.is_empty() { "OLM v1" } @else { (link(context, &only(&state.namespace), shown(&state.namespace))) }
                }
                @let (class, word) = look(state, operator);
                // The note above says what is missing.
                @let is_told = operator.first(state).is_some_and(lacks_catalog) && operator.next.is_none();
                td.whole { (badge(class, word)) " " @if is_told { "Its catalog is not given" } @else { (worded(&sentence(&operator.state))) } }
                td.aside { @if operator.installed != operator.package { (shown(&operator.installed)) } }
                td.aside { time { (shown(day(&operator.since))) } }
                td.whole { @if !is_told { (worded(&sentence(&operator.step))) } }
            }
        }
    }
}

/// The day of a time.
fn day(since: &str) -> &str {
    since.split('T').next().unwrap_or(since)
}

/// An obstacle with its remedies, and below them how it is known.
fn passage(obstacle: &Obstacle) -> Markup {
    let Obstacle { object, since, message, meaning, because, consequence, remedies, place, .. } = obstacle;
    let tried = |installs: Option<&[String]>| match installs {
        None => String::new(),
        Some([]) => " (tried: the namespace resolves, and nothing more is installed)".to_owned(),
        Some(names) => format!(" (tried: OLM installs {})", shown(&names.join(", "))),
    };
    html! {
        p { strong { (worded(&sentence(&obstacle.text))) } }
        @for (idx, remedy) in remedies.iter().enumerate() {
            p { @if idx == 0 { "Fix: " } @else { "Or: " } (worded(&remedy.change)) (tried(remedy.installs.as_deref())) "." }
            @if !remedy.commands.is_empty() {
                pre.command { code { (remedy.commands.iter().map(|line| shown(line)).collect::<Vec<_>>().join("\n")) } }
            }
        }
        dl.rows {
            dt { "Object" } dd { (shown(object)) @if !since.is_empty() { ", since " (shown(day(since))) }
                @if !place.file.is_empty() { br; code.quiet { (shown(&place.to_string())) } } }
            dt { "Effect" } dd { (obstacle.effect.words()) }
            @if !message.is_empty() { dt { "Message" } dd { code { (shown(message)) } } }
            @if !meaning.is_empty() { dt { "Meaning" } dd { (worded(meaning)) } }
            @for reason in because { dt { "Because" } dd { (worded(reason)) } }
            @if !consequence.is_empty() { dt { "Otherwise" } dd { (worded(consequence)) } }
        }
    }
}
