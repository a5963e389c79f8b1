//! A fleet as a report in one file: the table, then the waves with their effort.

use maud::{Markup, html};

use super::parts::{shown, worded};
use super::report_style::report;
use olmdex_base::diag::counted;
use olmdex_plan::fleet::{Fleet, FleetCluster, FleetVerdict, Wave, WaveReason};

/// The report of a fleet as one file.
pub fn fleet_report(fleet: &Fleet) -> String {
    let title = &fleet.metadata.question;
    // The policy allows no script and no loading, since texts of clusters may hold scripts.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
    let body = html! {
        a .skip href="#waves" { "Skip to the waves" }
        header { h1 { (shown(title)) } }
        main {
            p .lead { (shown(&fleet.summary())) "." }
            (table(fleet))
            h2 #waves { "Waves" }
            @for wave in &fleet.metadata.waves { (of_wave(wave)) }
            (not_judged(fleet))
        }
    };
    report(&shown(title), policy, &body)
}

fn class(verdict: FleetVerdict) -> &'static str {
    match verdict {
        FleetVerdict::Arrived | FleetVerdict::Ready => "good",
        FleetVerdict::Attention => "fair",
        FleetVerdict::Unknown => "open",
        FleetVerdict::Blocked | FleetVerdict::NotJudged => "bad",
    }
}

fn table(fleet: &Fleet) -> Markup {
    const HEADERS: [&str; 8] =
        ["Cluster", "OpenShift", "Verdict", "Wave", "Operators", "Blockers", "Decisions", "Unknown"];
    html! {
        div.wide.stack tabindex="0" role="region" aria-label="Clusters" {
            table .overview {
                thead { tr { @for it in HEADERS { th scope="col" { (it) } } } }
                tbody { @for it in &fleet.clusters { (row(it)) } }
            }
        }
    }
}

fn row(it: &FleetCluster) -> Markup {
    html! {
        tr {
            th scope="row" { (shown(&it.cluster)) @if !it.name.is_empty() && it.name != it.cluster { " (" (shown(&it.name)) ")" } }
            td { (shown(&it.openshift)) }
            td class=(class(it.verdict)) { strong { (it.verdict.as_str()) } }
            td { @if let Some(wave) = it.wave { a href={ "#wave-" (wave) } { (wave) } } }
            td { (it.operators) }
            td { (it.blockers.len()) }
            td { (it.decisions.len()) }
            td { (it.unknowns.len()) }
        }
    }
}

fn of_wave(wave: &Wave) -> Markup {
    let noun = if wave.clusters.len() == 1 { "cluster" } else { "clusters" };
    html! {
        section id={ "wave-" (wave.wave) } class={ "card " (class(wave.verdict)) } {
            h3 { "Wave " (wave.wave) ": " (wave.verdict.as_str()) ", " (wave.clusters.len()) " " (noun) }
            ul .boxes { @for it in &wave.clusters { li { (shown(it)) } } }
            (reasons("Blockers", &wave.blockers))
            (reasons("Decisions", &wave.decisions))
            (reasons("Unknown", &wave.unknowns))
        }
    }
}

fn reasons(title: &str, reasons: &[WaveReason]) -> Markup {
    html! {
        @if !reasons.is_empty() {
            p { strong { (title) } }
            ul { @for it in reasons { li { (shown(&it.reason.short())) ": " (worded(&it.reason.text)) span .muted { " · " (counted(it.n_clusters as u64, "cluster")) } } } }
        }
    }
}

fn not_judged(fleet: &Fleet) -> Markup {
    let broken: Vec<&FleetCluster> = fleet.clusters.iter().filter(|it| it.error.is_some()).collect();
    html! {
        @if !broken.is_empty() {
            h2 { "Not judged" }
            ul { @for it in broken { li { strong { (shown(&it.cluster)) } ": " (worded(it.error.as_deref().unwrap_or_default())) } } }
        }
    }
}
