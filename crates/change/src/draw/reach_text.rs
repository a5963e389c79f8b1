//! The reach map as plain text, 80 columns wide.

use std::io::{self, Write};

use super::markup::{columns, cut};
use super::reach::{MapGoal, ReachMap, Scale};
use super::reach_picture::summary;
use olmdex_base::diag::{counted, printable};
use olmdex_olm::upgrade::Standing;

/// A line is at most so wide.
const WIDTH: usize = 80;
/// The longest name of a channel, and of a version.
const MAX_NAME: usize = 26;
const MAX_VERSION: usize = 14;

/// Writes a map. With more channels than a screen has lines, the lowest are counted unless all are wanted.
///
/// # Errors
/// The errors of the writer.
pub(super) fn reach_text(map: &ReachMap, is_full: bool, out: &mut impl Write) -> io::Result<()> {
    let n_shown = if is_full { map.channels.len() } else { MAX_CHANNELS.min(map.channels.len()) };
    writeln!(out, "{}: {}", printable(&map.package), summary(map))?;
    writeln!(out, "Each line is a channel up to its newest version ◆, or ✕ if that is a dead end;")?;
    writeln!(out, "from a version with ○ one may change to the channel.")?;
    writeln!(out)?;
    let shown = map.channels[..n_shown].iter().chain(map.channels[n_shown..].iter().filter(|it| it.is_default));
    let shown: Vec<_> = shown.collect();
    let name = |at: usize| {
        let channel = shown[at];
        let mark = if channel.is_default { " (default)" } else { "" };
        format!("{}{mark}", cut(&channel.name, MAX_NAME))
    };
    let names: Vec<String> = (0..shown.len()).map(name).collect();
    let left = names.iter().map(|name| columns(name)).max().unwrap_or(0).max(7);
    let versions = shown.iter().map(|channel| columns(&cut(map.versions[channel.head].label(), MAX_VERSION)));
    let width = WIDTH.saturating_sub(left + 5 + versions.max().unwrap_or(0)).max(20);
    let scale = Scale::new(map, 0, width);
    let place = |place: usize| scale.middles[place].min(width - 1);
    writeln!(out, "{}", format!("  {:<left$}  {}", "CHANNEL", minors(map, &scale, width)).trim_end())?;
    for (channel, name) in shown.iter().zip(&names) {
        let mut line = vec![' '; width + 1];
        let first = channel.parts.first().map_or(channel.head, |part| part.0);
        if let (Some(&lowest), Some(&highest)) = (channel.joins.first(), channel.joins.last()) {
            line[place(lowest).min(place(first))..=place(highest).max(place(first))].fill('┈');
            channel.joins.iter().for_each(|join| line[place(*join)] = '○');
        }
        for (stroke, lines) in [('─', &channel.parts), ('━', &channel.solid)] {
            for (first, last) in lines {
                line[place(*first)..=place(*last)].fill(stroke);
            }
        }
        let head = place(channel.head);
        line[head] = if channel.standing == Standing::DeadEnd { '✕' } else { '◆' };
        let line: String = line.into_iter().collect();
        let (version, room) = (cut(map.versions[channel.head].label(), MAX_VERSION), left - columns(name));
        let deprecated = if channel.is_deprecated { " deprecated" } else { "" };
        writeln!(out, "  {name}{:room$}  {} {version}{deprecated}", "", line.trim_end())?;
    }
    let n_more = map.channels.len() - shown.len();
    if n_more > 0 {
        writeln!(out, "  ⋯ {}; `--every-entry` shows each", counted(n_more as u64, "more channel"))?;
    }
    if let Some(MapGoal { place: goal, runs }) = map.goal.as_ref().filter(|_| map.versions.len() > 1) {
        writeln!(out)?;
        writeln!(
            out,
            "Can they get to {}, with a change of channel if need be?",
            printable(map.versions[*goal].label())
        )?;
        let n_runs = if is_full { runs.len() } else { MAX_RUNS.min(runs.len()) };
        for (run, standing) in runs[runs.len() - n_runs..].iter().rev() {
            let words = match standing {
                Standing::Reaches => "✓",
                Standing::DeadEnd => "✕",
                Standing::Higher => "higher",
                Standing::Past => "past",
            };
            let (n, span) = (run.len(), map.span(run.start, run.end - 1));
            writeln!(out, "  {words:<6}  {n:>4}  {}", printable(&span))?;
        }
        if n_runs < runs.len() {
            writeln!(out, "  ⋯ {}; `--every-entry` shows each", counted((runs.len() - n_runs) as u64, "more run"))?;
        }
    }
    writeln!(out)
}

/// More channels than these share a line.
const MAX_CHANNELS: usize = 30;
/// More runs of versions than these share a line.
const MAX_RUNS: usize = 20;

/// The names of minor versions above their columns, as many as have room; the newest has.
fn minors(map: &ReachMap, scale: &Scale, width: usize) -> String {
    let mut line = vec![' '; width + 1];
    let mut free = usize::MAX;
    for ((name, _), (x, column)) in map.columns.iter().zip(&scale.columns).rev() {
        let n = name.chars().count();
        let from = (x + column / 2).saturating_sub(n / 2).min((width + 1).saturating_sub(n));
        if from + n >= free {
            continue;
        }
        free = from;
        line[from..from + n].iter_mut().zip(name.chars()).for_each(|(cell, letter)| *cell = letter);
    }
    line.into_iter().collect()
}
