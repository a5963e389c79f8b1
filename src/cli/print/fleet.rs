//! A fleet in every format: the table of clusters, then the waves.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::ask::{FleetAsker, FleetQuestion};
use crate::cli::args::fleet::each_cluster;
use crate::cli::args::formats::OutputFormat;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide, write_yaml};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::cli::terminal::progress::Progress;
use crate::diag::envelope::Envelope;
use crate::diag::{counted, printable_line};
use crate::fleet::{self, Fleet, FleetCluster, FleetReason, Wave};
use crate::version::first_of;

/// The codes of reasons, each once, with its number of occurrences.
fn codes(reasons: &[FleetReason]) -> Cow<'_, str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    reasons.iter().for_each(|it| *counts.entry(it.code.as_str()).or_default() += 1);
    let words = counts.into_iter().map(|(code, n)| if n == 1 { code.to_owned() } else { format!("{code} ({n})") });
    words.collect::<Vec<_>>().join(", ").into()
}

impl Row for FleetCluster {
    const BELOW: &'static [&'static [&'static str]] =
        &[&["UNKNOWN", "ERROR"], &["DECISIONS"], &["BLOCKERS"], &["OPERATORS", "STEPS"]];

    const KIND: &'static str = "Fleet";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CLUSTER", |it| Cow::from(&it.cluster)),
        wide("NAME", |it| Cow::from(&it.name)),
        column("OPENSHIFT", |it| Cow::from(&it.openshift)),
        column("VERDICT", |it| it.verdict.as_str().into()),
        column("WAVE", |it| it.wave.map(|it| it.to_string()).unwrap_or_default().into()),
        column("OPERATORS", |it| it.operators.to_string().into()),
        column("STEPS", |it| it.steps.map(|it| it.to_string()).unwrap_or_default().into()),
        column("BLOCKERS", |it| codes(&it.blockers)),
        column("DECISIONS", |it| codes(&it.decisions)),
        column("UNKNOWN", |it| codes(&it.unknowns)),
        column("ERROR", |it| it.error.as_deref().unwrap_or_default().into()),
    ];

    fn name(&self) -> String {
        self.cluster.clone()
    }
}

/// Asks all clusters of a directory, and prints their states.
pub(crate) fn run(
    context: &Context,
    directory: &Path,
    question: FleetQuestion<'_>,
    format: OutputFormat,
) -> CommandResult {
    let progress = Progress::start(context, format!("asking the clusters of {}", directory.display()));
    let mut asker = FleetAsker::new(question);
    each_cluster(context, directory, &mut |name, cluster| match cluster {
        Ok(cluster) => Ok(asker.add(name, cluster)?),
        Err(error) => {
            asker.add_not_judged(name, error);
            Ok(())
        }
    })?;
    drop(progress);
    let fleet = asker.finish();
    let exit = match (fleet.has_not_judged(), fleet.is_ready()) {
        (true, _) => Exit::Input,
        (false, true) => Exit::Yes,
        (false, false) => Exit::No,
    };
    for it in fleet.clusters.iter().filter(|it| it.error.is_some()) {
        let error = it.error.as_deref().unwrap_or_default();
        context.reporter.warning(&printable_line(&format!("no verdict on `{}`: {error}", it.cluster)));
    }
    unless_reader_left(print(fleet, format))?;
    Ok(exit)
}

fn print(fleet: Fleet, format: OutputFormat) -> Result<(), CommandError> {
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        #[cfg(feature = "page")]
        OutputFormat::Html => out.write_all(crate::page::fleet_report(&fleet).as_bytes())?,
        OutputFormat::Markdown => out.write_all(fleet::markdown(&fleet).as_bytes())?,
        OutputFormat::Json => {
            Envelope::with("Fleet", fleet.metadata, fleet.clusters).write(&mut out)?;
        }
        OutputFormat::Yaml => {
            write_yaml(&Envelope::with("Fleet", fleet.metadata, fleet.clusters), &mut out)?;
        }
        format => {
            drop(out);
            let for_people = matches!(format, OutputFormat::Table | OutputFormat::Wide);
            let (waves, summary) = (fleet.metadata.waves.clone(), fleet.summary());
            table::print(fleet.clusters, &RowOptions::of(format))?;
            let mut out = BufWriter::new(io::stdout().lock());
            if for_people {
                write_waves(&waves, format == OutputFormat::Wide, &mut out)?;
                writeln!(out, "\n{summary}")?;
            }
            return Ok(out.flush()?);
        }
    }
    Ok(out.flush()?)
}

/// The number of clusters and reasons of a wave that are listed for people.
const SHOWN: usize = 12;

fn write_waves(waves: &[Wave], is_wide: bool, out: &mut impl Write) -> io::Result<()> {
    for wave in waves {
        let clusters = counted(wave.clusters.len() as u64, "cluster");
        writeln!(out, "\nWave {}: {}, {clusters}", wave.wave, wave.verdict.as_str())?;
        let names = match is_wide {
            true => wave.clusters.join(", "),
            false => first_of(wave.clusters.iter(), wave.clusters.len()),
        };
        writeln!(out, "  {}", printable_line(&names))?;
        for (kind, reasons) in [("blocker", &wave.blockers), ("decision", &wave.decisions), ("unknown", &wave.unknowns)]
        {
            let n_shown = if is_wide { reasons.len() } else { SHOWN };
            for it in reasons.iter().take(n_shown) {
                let clusters = counted(it.n_clusters as u64, "cluster");
                let words = format!("{} ({clusters}): {}", it.reason.short(), it.reason.text);
                writeln!(out, "  {kind} {}", printable_line(&words))?;
            }
            if reasons.len() > n_shown {
                writeln!(out, "  and {} more; `-o wide` names all", reasons.len() - n_shown)?;
            }
        }
    }
    Ok(())
}
