//! The effects of a change on users and on operators that depend on a package, as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use crate::cli::args::formats::OutputFormat;
use crate::cli::print::table::write_table;
use crate::cli::terminal::error::CommandError;
use crate::diag::counted;
use crate::edit::{Advice, Effect, Simulated, Simulation, Way};
use crate::resolve::{Dependant, RefusedByV1};
use crate::upgrade::{ExtraEdge, Field, LostEdge, Olm};
use crate::version::first_of;

/// The columns that move below a row if the terminal has no room for them.
const BELOW: &[&[&str]] = &[&["BEFORE", "AFTER"], &["BECAUSE"]];

/// The number of versions in channels for each effect; if the generations of OLM differ, the worse effect counts.
pub(crate) fn counts(simulations: &[Simulation]) -> BTreeMap<Effect, u64> {
    let mut worst: BTreeMap<(&str, &str, &str, &str), Effect> = BTreeMap::new();
    for it in simulations.iter().flat_map(|it| &it.users) {
        let key = (it.package.as_str(), it.channel.as_str(), it.installed.as_str(), it.version.as_str());
        let effect = worst.entry(key).or_insert(it.effect);
        *effect = (*effect).min(it.effect);
    }
    let mut counts: BTreeMap<Effect, u64> = BTreeMap::new();
    worst.into_values().for_each(|it| *counts.entry(it).or_default() += 1);
    counts
}

/// Prints simulations: the affected users and their number, the edges that would help, and the operators that depend on
/// the package.
pub(crate) fn print(
    format: OutputFormat,
    simulations: &[Simulation],
    counts: &BTreeMap<Effect, u64>,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let users: Vec<Row<'_>> = simulations.iter().flat_map(|it| rows(&it.users)).collect();
    write_users(format, &users, out)?;
    let said = counts.iter().filter(|it| *it.0 != Effect::StrandedBefore);
    let mut summary: Vec<String> = said.map(|(effect, n)| format!("{n} {}", effect.word())).collect();
    if let Some(n) = counts.get(&Effect::StrandedBefore) {
        summary.push(format!("{n} stranded already"));
    }
    writeln!(
        out,
        "{}",
        if summary.is_empty() { "no installed version is affected".to_owned() } else { summary.join(", ") }
    )?;
    for it in simulations {
        for Advice { edge, olm } in &it.edges {
            let keep = kept(it, &edge.channel).map(|it| format!(" and {it}")).unwrap_or_default();
            let is_partial = it.users.iter().any(|user| user.channel == edge.channel && !olm.contains(&user.olm));
            let with = if is_partial { " with OLM Classic" } else { "" };
            writeln!(out, "no version in {} is stranded{with} if {}{keep}", edge.channel, condition(edge))?;
        }
        let mut alone: Vec<&str> = it.keep.iter().map(|it| it.channel.as_str()).collect();
        alone.dedup();
        for channel in alone.into_iter().filter(|channel| it.edges.iter().all(|it| it.edge.channel != *channel)) {
            let keep = kept(it, channel).unwrap_or_default();
            writeln!(out, "no version in {channel} is stranded if {keep}")?;
        }
    }
    let dependants: Vec<&Dependant> = simulations.iter().flat_map(|it| &it.dependants).collect();
    write_dependants(format, &dependants, out)?;
    write_refused(simulations, out)
}

/// Reports what OLM v1 does with the dependants of the packages for whose users, or dependants, something changes.
fn write_refused(simulations: &[Simulation], out: &mut impl Write) -> Result<(), CommandError> {
    let is_told = |it: &&Simulation| simulations.len() == 1 || !it.users.is_empty() || !it.dependants.is_empty();
    let refused: Vec<&RefusedByV1> = simulations.iter().filter(is_told).flat_map(|it| &it.refused_by_v1).collect();
    let bundles: BTreeSet<(&str, &str)> = refused.iter().map(|it| (it.package.as_str(), it.bundle.as_str())).collect();
    let packages: BTreeSet<&str> = bundles.iter().map(|it| it.0).collect();
    let providers: BTreeSet<&str> = refused.iter().map(|it| it.provider.as_str()).collect();
    if bundles.is_empty() {
        return Ok(());
    }
    let listed = |names: &BTreeSet<&str>| first_of(names.iter(), names.len());
    let what = match bundles.len() {
        1 => "does not install the bundle of".to_owned(),
        n => format!("installs none of the {n} bundles of"),
    };
    let requires = if bundles.len() == 1 { "requires" } else { "require" };
    writeln!(
        out,
        "\nOLM v1 resolves no dependencies: before and after the change, it {what} {} that {requires} something of {}",
        listed(&packages),
        listed(&providers)
    )?;
    Ok(())
}

/// The bundles that would have to stay in a channel.
fn kept(simulation: &Simulation, channel: &str) -> Option<String> {
    let names: Vec<&str> =
        simulation.keep.iter().filter(|it| it.channel == channel).map(|it| it.bundle.as_str()).collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("{only} is kept")),
        several => Some(format!("{} are kept", named(several))),
    }
}

/// The names in an instruction. The reader needs all of them to follow it, so a shortened list says where the rest is.
fn named(names: &[&str]) -> String {
    let text = first_of(names.iter(), names.len());
    if text.ends_with(" more") { format!("{text} (`-o json` names all)") } else { text }
}

/// An edge as a condition.
fn condition(edge: &ExtraEdge) -> String {
    let names: Vec<&str> = edge.skips.iter().map(String::as_str).collect();
    let skips = (!names.is_empty()).then(|| format!("skips {}", named(&names)));
    let range = (!edge.skip_range.is_empty()).then(|| format!("has the skipRange `{}`", edge.skip_range));
    format!("{} {}", edge.entry, skips.into_iter().chain(range).collect::<Vec<_>>().join(" and "))
}

/// A row of users: equal effects in both generations of OLM are one row.
struct Row<'a> {
    it: &'a Simulated,
    is_both: bool,
}

fn rows(users: &[Simulated]) -> Vec<Row<'_>> {
    let is_same = |a: &Simulated, b: &Simulated| {
        (&a.channel, &a.installed, &a.version, a.effect, &a.before, &a.after)
            == (&b.channel, &b.installed, &b.version, b.effect, &b.before, &b.after)
    };
    let (classic, v1): (Vec<&Simulated>, Vec<&Simulated>) = users.iter().partition(|it| it.olm == Olm::Classic);
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut left = v1;
    for it in classic {
        let place = left.iter().position(|other| is_same(it, other));
        if let Some(place) = place {
            left.remove(place);
        }
        rows.push(Row { it, is_both: place.is_some() });
    }
    rows.extend(left.into_iter().map(|it| Row { it, is_both: false }));
    rows
}

fn write_users(format: OutputFormat, rows: &[Row<'_>], out: &mut impl Write) -> Result<(), CommandError> {
    if rows.is_empty() {
        return Ok(());
    }
    let generations: Vec<&str> = rows.iter().map(|it| if it.is_both { "both" } else { it.it.olm.as_str() }).collect();
    // A value that is the same in all rows gets no column.
    let differ = generations.windows(2).any(|it| it[0] != it[1]);
    let is_lost = rows.iter().any(|it| it.it.effect == Effect::Stranded);
    let mut headers = vec!["CHANNEL", "INSTALLED"];
    headers.extend(differ.then_some("OLM"));
    headers.extend(["EFFECT", "BEFORE", "AFTER"]);
    headers.extend(is_lost.then_some("BECAUSE"));
    let cells = rows.iter().zip(generations).map(|(row, olm)| {
        let it = row.it;
        let mut cells = vec![format!("{}/{}", it.package, it.channel), it.installed.clone()];
        cells.extend(differ.then(|| olm.to_owned()));
        cells.extend([it.effect.word().to_owned(), way(&it.before), way(&it.after)]);
        cells.extend(is_lost.then(|| because(it)));
        cells
    });
    let cells: Vec<Vec<String>> = cells.collect();
    write(format, &headers, cells, out)?;
    writeln!(out)?;
    Ok(())
}

fn write(
    format: OutputFormat,
    headers: &[&str],
    rows: Vec<Vec<String>>,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let headers = headers.iter().map(|it| (*it).to_owned()).collect();
    Ok(write_table(format, Some(headers), rows, BELOW, out)?)
}

fn way(it: &Way) -> String {
    if it.target.is_empty() {
        return "nowhere".to_owned();
    }
    let deprecated = if it.is_deprecated { ", deprecated" } else { "" };
    let end = if it.is_head { "" } else { ", head not reachable" };
    match it.steps {
        0 => format!("stays{deprecated}{end}"),
        n => format!("{} ({}{deprecated}{end})", it.target, counted(n as u64, "step")),
    }
}

/// The reason why somebody cannot reach the head any more.
fn because(it: &Simulated) -> String {
    if it.effect != Effect::Stranded {
        return String::new();
    }
    match &it.lost {
        _ if !it.reason.is_empty() => it.reason.clone(),
        Some(LostEdge { from, permit }) => match permit.field {
            Field::Replaces => format!("{} no longer replaces {from}", permit.entry),
            Field::Skips => format!("{} no longer skips {from}", permit.entry),
            Field::SkipRange => {
                format!("the skipRange `{}` of {} no longer includes {from}", permit.value, permit.entry)
            }
        },
        None => String::new(),
    }
}

fn write_dependants(format: OutputFormat, dependants: &[&Dependant], out: &mut impl Write) -> Result<(), CommandError> {
    if dependants.is_empty() {
        return Ok(());
    }
    // Many versions in a row require the same and get the same.
    let mut alike: Vec<(&Dependant, Vec<&str>)> = Vec::new();
    for it in dependants {
        let key = |it: &Dependant| (it.package.clone(), it.requirement.clone(), it.before.clone(), it.after.clone());
        match alike.iter_mut().find(|other| key(other.0) == key(it)) {
            Some((_, bundles)) => bundles.push(&it.bundle),
            None => alike.push((it, vec![&it.bundle])),
        }
    }
    let bundles_of = |is_lost: bool| -> BTreeSet<(&str, &str)> {
        let of_kind = dependants.iter().filter(|it| it.is_lost() == is_lost);
        of_kind.map(|it| (it.package.as_str(), it.bundle.as_str())).collect()
    };
    let (n_lost, n_other) = (bundles_of(true).len() as u64, bundles_of(false).len() as u64);
    let rows = alike.into_iter().map(|(it, bundles)| {
        let after = if it.is_lost() { "nothing: OLM cannot install it".to_owned() } else { it.after.clone() };
        vec![first_of(bundles.iter(), bundles.len()), it.requirement.clone(), it.before.clone(), after]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    writeln!(out)?;
    write(format, &["DEPENDANT", "REQUIRES", "BEFORE", "AFTER"], rows, out)?;
    writeln!(out)?;
    let lost = (n_lost > 0).then(|| format!("OLM can no longer install {}", counted(n_lost, "dependent bundle")));
    let other =
        (n_other > 0).then(|| format!("{} installed with another bundle", counted(n_other, "dependent bundle")));
    writeln!(out, "{}", lost.into_iter().chain(other).collect::<Vec<_>>().join(", "))?;
    Ok(())
}
