//! A fleet as a page of Markdown: the table, the waves, and the effort of each wave.

use super::row::FleetCluster;
use super::waves::{Wave, WaveReason};
use super::whole::Fleet;
use crate::plan::plain as line;
use olmdex_base::diag::counted;

/// The page.
pub fn markdown(fleet: &Fleet) -> String {
    let mut text = format!("# {}\n\n{}.\n\n", line(&fleet.metadata.question), line(&fleet.summary()));
    text.push_str("| Cluster | OpenShift | Verdict | Wave | Operators | Blockers | Decisions | Unknown |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for it in &fleet.clusters {
        text.push_str(&row(it));
    }
    for wave in &fleet.metadata.waves {
        text.push_str(&of_wave(wave));
    }
    let broken: Vec<&FleetCluster> = fleet.clusters.iter().filter(|it| it.error.is_some()).collect();
    if !broken.is_empty() {
        text.push_str("\n## Not judged\n\n");
        for it in broken {
            let error = it.error.as_deref().unwrap_or_default();
            text.push_str(&format!("- {}: {}\n", line(&it.cluster), line(error)));
        }
    }
    text
}

fn row(it: &FleetCluster) -> String {
    let wave = it.wave.map(|it| it.to_string()).unwrap_or_default();
    let cells = [
        line(&it.cluster),
        line(&it.openshift),
        it.verdict.as_str().to_owned(),
        wave,
        it.operators.to_string(),
        count(it.blockers.len()),
        count(it.decisions.len()),
        count(it.unknowns.len()),
    ];
    format!("| {} |\n", cells.join(" | "))
}

fn count(n: usize) -> String {
    if n == 0 { String::new() } else { n.to_string() }
}

fn of_wave(wave: &Wave) -> String {
    let noun = if wave.clusters.len() == 1 { "cluster" } else { "clusters" };
    let mut text = format!("\n## Wave {}: {}, {} {noun}\n\n", wave.wave, wave.verdict.as_str(), wave.clusters.len());
    for it in &wave.clusters {
        text.push_str(&format!("- [ ] {}\n", line(it)));
    }
    for (title, reasons) in [("Blockers", &wave.blockers), ("Decisions", &wave.decisions), ("Unknown", &wave.unknowns)]
    {
        if !reasons.is_empty() {
            text.push_str(&format!("\n{title}:\n\n"));
            text.extend(reasons.iter().map(item));
        }
    }
    text
}

fn item(it: &WaveReason) -> String {
    let clusters = counted(it.n_clusters as u64, "cluster");
    format!("- {} ({clusters}): {}\n", line(&it.reason.short()), line(&it.reason.text))
}
