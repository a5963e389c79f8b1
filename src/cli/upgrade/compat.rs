//! `olmdex compat`

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::Args;

use crate::ask::{Answer, CompatQuestion, FleetQuestion, Question as _, blocking};
use crate::cli::args::cluster::{read_cluster, shown};
use crate::cli::args::name::refuse_path;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::SourceOptions;
use crate::cli::args::upgrade::{ended, told};
use crate::cli::print::fleet;
use crate::cli::print::headline::{Sign, headline};
use crate::cli::print::sheet::Sheet;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult};
use crate::cli::terminal::screen::screen;
use crate::diag::counted;
use crate::upgrade::compat::Compatibility;
use crate::upgrade::{Move, Olm, Stay, Stop, Target};

/// Check which operators block a cluster upgrade to a later OpenShift version
///
/// Three signals of each bundle decide: olm.maxOpenShiftVersion, com.redhat.openshift.versions and minKubeVersion;
/// every verdict names its signal. The presence of a bundle in a catalog proves nothing. With installed operators,
/// exits with 1 if one of them blocks the cluster, and shows the fewest steps that lift the block.
///
/// With `--fleet DIR`, each file, archive or directory directly in DIR is a cluster: there is one row for each, and the
/// waves in which they are upgraded, as in `olmdex plan --fleet`. A cluster that cannot be read is a row with its
/// error; then the exit code is 3.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex compat --openshift 4.16 --verdict blocks
  olmdex compat keda --openshift 4.16 --to 4.18 -o wide
  olmdex compat --openshift 4.16 --installed keda@2.8.1
  olmdex compat --cluster must-gather/ --to 4.18
  olmdex compat --fleet clusters/ --to 4.17")]
pub(crate) struct CompatArgs {
    #[command(flatten)]
    question: CompatQuestion,
    /// Manifests of the installed operators: ClusterServiceVersions and ClusterExtensions as `kubectl get -o yaml`
    /// prints them, a must-gather, or `@` and a context, which `oc` or `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", conflicts_with = "name")]
    cluster: Vec<PathBuf>,
    /// A directory of many clusters, each a must-gather, an archive or a file of manifests
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "installed", "cluster", "verdict"])]
    fleet: Option<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// Only what blocks the cluster, unless verdicts are named
    #[arg(long, hide = true)]
    blockers: bool,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    rows: RowOptions,
}

/// The way out, by the steps of the cluster: the bundles that must be installed before each of them.
fn stops_in_words(row: &Stay) -> String {
    let mut stops: Vec<(&Stop, &str)> = Vec::new();
    for stop in &row.stops {
        match stops.last_mut() {
            Some((first, last)) if first.bundle == stop.bundle => *last = &stop.openshift,
            _ => stops.push((stop, &stop.openshift)),
        }
    }
    let words = stops.into_iter().map(|(stop, last)| {
        let steps = counted(stop.steps as u64, "step");
        let Stop { openshift, version, .. } = stop;
        match last == openshift {
            true => format!("before {openshift}: {version} ({steps})"),
            false => format!("before {openshift} to {last}: {version} ({steps})"),
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

impl Row for Stay {
    const BELOW: &'static [&'static [&'static str]] = &[&["BECAUSE", "WAY OUT"], &["SIGNAL"]];

    const KIND: &'static str = CompatQuestion::KIND;

    const COLUMNS: &'static [Column<Self>] = &[
        wide("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |it| Cow::from(&it.version)),
        wide("BUNDLE", |it| Cow::from(&it.bundle)),
        column("OLM", |it| it.olm.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(",").into()),
        column("VERDICT", |it| it.verdict.as_str().into()),
        column("SIGNAL", |it| {
            let decisive = it.evidence.iter().filter(|evidence| evidence.verdict == it.verdict);
            decisive.map(|it| it.signal.as_str()).collect::<Vec<_>>().join(",").into()
        }),
        column("BECAUSE", |it| match &it.refusal {
            None => Cow::from(&it.reason),
            Some(refusal) => format!("{}; OLM v1 refuses it: {}", it.reason, refusal.replace('\n', " ")).into(),
        }),
        column("WAY OUT", |it| stops_in_words(it).into()),
        wide("STEPS", |it| {
            let way = it.way.iter().flatten().map(|step| {
                let Target { catalog, version, .. } = &step.target;
                // The catalog that holds the bundle needs no words.
                if it.catalog.is_empty() || *catalog == it.catalog {
                    version.clone()
                } else {
                    format!("{version} of {catalog}")
                }
            });
            way.collect::<Vec<_>>().join(" > ").into()
        }),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}

pub(crate) fn run(context: &Context, args: &CompatArgs) -> CommandResult {
    let question = &args.question;
    let sources = args.sources.of_catalogs(&question.catalog);
    if let Some(directory) = &args.fleet {
        let index = sources.open(context)?;
        let state = args.source_map.state(&index, &sources, None);
        let asked = FleetQuestion::Compat(Box::new(question.clone()), state);
        return fleet::run(context, directory, asked, args.rows.output);
    }
    let cluster = match args.cluster.as_slice() {
        [] => None,
        paths => Some((read_cluster(context, paths)?, shown(paths))),
    };
    let step = question.step(cluster.as_ref().map(|(cluster, words)| (cluster, words.as_str())))?;
    let index = sources.open_part(context, &question.name)?;
    question.name.iter().try_for_each(|name| refuse_path(&index, name))?;
    let state = args.source_map.state(&index, &sources, cluster.as_ref());
    let found = question.ask_counting(&state);
    let n_unjudged = found.as_ref().map_or(0, |found| found.1);
    let Answer { items: rows, verdict, .. } = told(context, found.map(|found| found.0))?;
    let is_of_package = question.installed.is_empty() && cluster.is_none();
    let words = if is_of_package { of_versions(&rows, step) } else { of_installed(&rows, n_unjudged, step) };
    match step.from == step.to {
        true => table::print(rows, &args.rows)?,
        false => show(context, args, rows, (words, is_of_package), step)?,
    }
    ended(context, verdict)
}

/// Shows the rows that are wanted; `verdict` is about all of them.
fn show(
    context: &Context,
    args: &CompatArgs,
    mut rows: Vec<Stay>,
    ((sign, verdict), is_of_package): ((Sign, String), bool),
    step: Move,
) -> Result<(), CommandError> {
    // Programs read the verdicts.
    let only_blockers = args.blockers && args.question.verdict.is_empty() && !args.rows.output.is_data();
    let n_all = rows.len();
    rows.retain(|row| !only_blockers || is_blocker(row, is_of_package));
    let (is_for_people, n_rows) = (args.rows.are_for_people(), rows.len());
    let is_long = is_for_people && is_of_package && n_rows > MANY_ROWS;
    let has_headline = is_long || (is_for_people && only_blockers);
    if has_headline {
        headline(sign, &verdict, screen().width, &mut std::io::stdout().lock())?;
    }
    if is_long {
        print_runs(&rows, step)?;
        context.reporter.note(&format!("{}; `-o wide` lists each", counted(n_rows as u64, "row")));
    } else if !(has_headline && rows.is_empty()) {
        table::print(rows, &args.rows)?;
    }
    if only_blockers && n_rows < n_all && !args.rows.is_data() {
        let said = if has_headline { String::new() } else { format!("{verdict}; ") };
        context.reporter.note(&format!("{said}`--verdict` lists others"));
    }
    Ok(())
}

/// Whether a bundle blocks the cluster. One that OLM v1 refuses does so only if it is installed.
fn is_blocker(row: &Stay, is_of_package: bool) -> bool {
    let is_refused = !is_of_package && row.olm == [Olm::V1] && row.refusal.is_some();
    row.verdict == Compatibility::Blocks || is_refused
}

/// How many of the installed operators block an update.
fn of_installed(rows: &[Stay], n_unjudged: usize, step: Move) -> (Sign, String) {
    let Move { from, to } = step;
    let operators = counted(rows.len() as u64, "installed operator");
    let n_blocking = rows.iter().filter(|row| is_blocker(row, false)).count();
    let unjudged = match n_unjudged {
        0 => String::new(),
        n => format!("; {n} cannot be judged by a catalog"),
    };
    let (sign, words) = match n_blocking {
        0 if n_unjudged > 0 => (Sign::Fair, format!("none of {operators} is known to block")),
        0 => (Sign::Good, format!("none of {operators} blocks")),
        1 => (Sign::Bad, format!("1 of {operators} blocks")),
        n => (Sign::Bad, format!("{n} of {operators} block")),
    };
    (sign, format!("{words} the update from {from} to {to}{unjudged}"))
}

/// How many versions of packages block an update.
fn of_versions(rows: &[Stay], step: Move) -> (Sign, String) {
    let is_blocking = |row: &&Stay| row.verdict == Compatibility::Blocks;
    let (n_blocking, blocked) = blocking(rows, step);
    let is_one_package =
        rows.windows(2).all(|pair| pair[0].package == pair[1].package && pair[0].catalog == pair[1].catalog);
    // The highest versions come first.
    let free = rows.iter().take_while(|row| !is_blocking(row)).last().filter(|_| is_one_package && n_blocking > 0);
    let free = free.map(|row| format!("; {} and later do not", row.version)).unwrap_or_default();
    let sign = match n_blocking {
        0 if rows.iter().all(|row| row.verdict.is_silent()) => Sign::Fair,
        0 => Sign::Good,
        _ => Sign::Bad,
    };
    (sign, format!("{blocked}{free}"))
}

/// The reason of a verdict without what the verdict says already.
fn short_reason(row: &Stay) -> &str {
    row.reason.split(", so it blocks").next().unwrap_or_default()
}

/// Two texts with the same beginning as one.
fn both(low: &str, high: &str) -> String {
    let same = low.split(' ').zip(high.split(' ')).take_while(|(a, b)| a == b).map(|(word, _)| word.len() + 1).sum();
    match (low.get(same..), high.get(same..)) {
        (Some(low_rest), Some(high_rest)) if same > 0 => format!("{}{low_rest} … {high_rest}", &low[..same]),
        _ => format!("{low} … {high}"),
    }
}

/// More rows than these are printed as runs of versions on a terminal.
const MANY_ROWS: usize = 10;

/// Prints a row for each run of versions with the same verdict and reason.
fn print_runs(rows: &[Stay], step: Move) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let Move { from, to } = step;
    let mut sorted: Vec<&Stay> = rows.iter().collect();
    sorted.sort_by_key(|row| (&row.catalog, &row.package, &row.olm));
    // If there are many reasons, those of a verdict share a row.
    let is_same = |a: &&Stay, b: &&Stay| {
        let is_about_same = a.catalog == b.catalog && a.package == b.package && a.olm == b.olm;
        is_about_same && a.verdict == b.verdict && a.refusal == b.refusal
    };
    let by_reason = || sorted.chunk_by(|a, b| is_same(a, b) && short_reason(a) == short_reason(b));
    let runs: Vec<&[&Stay]> = match by_reason().count() {
        n if n <= MANY_ROWS => by_reason().collect(),
        _ => sorted.chunk_by(is_same).collect(),
    };
    let line = |run: &&[&Stay]| {
        let (Some(high), Some(low)) = (run.first(), run.last()) else { return Vec::new() };
        let versions = match run.len() {
            1 => high.version.clone(),
            _ => format!("{} – {}", low.version, high.version),
        };
        let olm = high.olm.iter().map(|olm| olm.as_str()).collect::<Vec<_>>().join(",");
        let reasons: BTreeSet<&str> = run.iter().map(|row| short_reason(row)).collect();
        let reason = match reasons.len() {
            1 => short_reason(high).to_owned(),
            _ => both(short_reason(low), short_reason(high)),
        };
        let refusal = high.refusal.as_deref().map(|why| why.rsplit("bundle: ").next().unwrap_or(why));
        let refused = refusal.map(|why| format!("; OLM v1 refuses it: {why}")).unwrap_or_default();
        let (number, reason) = (run.len().to_string(), format!("{reason}{refused}"));
        vec![
            high.catalog.clone(),
            high.package.clone(),
            versions,
            number,
            olm,
            high.verdict.as_str().to_owned(),
            reason,
        ]
    };
    let mut sheet = Sheet::default();
    let mut lines: Vec<Vec<String>> = runs.iter().map(line).collect();
    // Cells that are the same everywhere say nothing.
    for column in [0, 1, 4] {
        if lines.windows(2).all(|pair| pair[0][column] == pair[1][column]) {
            lines.iter_mut().for_each(|line| line[column].clear());
        }
    }
    sheet.table_with_below(
        &format!("While OpenShift is updated from {from} to {to}"),
        &["CATALOG", "PACKAGE", "VERSIONS", "N", "OLM", "VERDICT", "BECAUSE"],
        lines,
        &[&["BECAUSE"]],
    );
    sheet.write(screen().width, &mut out)?;
    out.flush()?;
    Ok(())
}
