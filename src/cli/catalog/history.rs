//! `olmdex history`

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write as _;

use clap::Args;

use crate::ask::{PackageName, no_channel, no_package, no_version};
use crate::calendar::Day;
use crate::cli::args::name::{of_each, package};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::release_words;
use crate::cli::print::sheet::Sheet;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::screen::screen;
use crate::diag::counted;
use crate::index::Index;
use crate::index::query::{Filter, HistoryRow};
use crate::version::{Version, version_or_name};

/// Show when each version of a package appeared and disappeared
///
/// The order of catalogs is that of `--catalog`, else that of `-i`; those of an index come by their days
/// (`build --git`), then by name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex history keda -i old-catalog/ -i my-catalog/
  olmdex history keda -i index.db
  olmdex history keda -i versions.db --catalog v4.19 --catalog v4.20 -o json")]
pub(crate) struct HistoryArgs {
    /// The package, one version of it, or the versions of a channel
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required = true)]
    packages: Vec<String>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &HistoryArgs) -> CommandResult {
    args.ask.refuse_paths(&args.packages)?;
    args.ask.refuse_day("`history` covers all days")?;
    let (index, order) = args.ask.look(context)?.import_in_order(context)?;
    let (rows, exit) = of_each(context, &args.packages, |name| Ok((history(&index, &order, name)?, Exit::Yes)))?;
    let rows: Vec<HistoryRow> = rows.into_iter().flatten().collect();
    if args.rows.are_for_people() && rows.len() > FEW {
        print_runs(&index, &rows)?;
    } else {
        table::print(rows, &args.rows)?;
    }
    Ok(exit)
}

/// More versions are printed as runs on a terminal.
const FEW: usize = 24;

/// Prints a row for each run of versions with the same history, the highest first.
fn print_runs(index: &Index, rows: &[HistoryRow]) -> Result<(), CommandError> {
    let minor = |row: &HistoryRow| Version::parse(&row.version).ok().map(|version| (version.major(), version.minor()));
    let is_same = |a: &HistoryRow, b: &HistoryRow| {
        a.package == b.package
            && minor(a) == minor(b)
            && a.fate() == b.fate()
            && (&a.first_day, &a.gone_day) == (&b.first_day, &b.gone_day)
    };
    let mut created: HashMap<&str, HashMap<String, Day>> = HashMap::new();
    for row in rows {
        if !created.contains_key(row.package.as_str()) {
            let dated = index.dated_of_package(&row.package)?.into_iter();
            created.insert(&row.package, dated.map(|bundle| (bundle.bundle, bundle.day)).collect());
        }
    }
    let day = |row: &HistoryRow| created.get(row.package.as_str())?.get(&row.bundle);
    let newest: Vec<&HistoryRow> = rows.iter().rev().collect();
    let name = |row: &HistoryRow| version_or_name(&row.version, &row.bundle).to_owned();
    let line = |run: &[&HistoryRow]| {
        let (Some(high), Some(low)) = (run.first(), run.last()) else { return Vec::new() };
        let versions = match run.len() {
            1 => name(high),
            _ => format!("{} – {}", name(low), name(high)),
        };
        let days = || run.iter().filter_map(|row| day(row));
        let created = match days().min().zip(days().max()) {
            Some((first, last)) if first != last => format!("{first} – {last}"),
            Some((only, _)) => only.to_string(),
            None => String::new(),
        };
        let catalogs =
            if high.catalogs.len() > 3 { format!("{} to {}", high.first, high.last) } else { high.catalogs.join(", ") };
        let days = [&high.first_day, &high.gone_day].map(|day| day.clone().unwrap_or_default());
        let [came, went] = days;
        let status = if high.is_current { "" } else { "gone" }.to_owned();
        let (missing, deprecated) = (high.missing_in.join(", "), high.deprecated_in.join(", "));
        vec![
            high.package.clone(),
            versions,
            run.len().to_string(),
            created,
            catalogs,
            came,
            went,
            status,
            missing,
            deprecated,
        ]
    };
    let mut lines: Vec<Vec<String>> = newest.chunk_by(|a, b| is_same(a, b)).map(line).collect();
    if lines.windows(2).all(|pair| pair[0].first() == pair[1].first()) {
        lines.iter_mut().filter_map(|line| line.first_mut()).for_each(String::clear);
    }
    let mut sheet = Sheet::default();
    let headers =
        ["PACKAGE", "VERSIONS", "N", "CREATED", "CATALOGS", "CAME", "WENT", "STATUS", "MISSING IN", "DEPRECATED IN"];
    sheet.table(&format!("{}, the highest first", counted(rows.len() as u64, "version")), &headers, lines);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    sheet.write(screen().width, &mut out)?;
    writeln!(out, "{}; `-o wide` lists each", counted(rows.len() as u64, "row"))?;
    out.flush()?;
    Ok(())
}

fn history(index: &Index, order: &[String], name: &str) -> Result<Vec<HistoryRow>, CommandError> {
    let PackageName { package, installed: version, channel } = package(index, name)?;
    let package = &package;
    let mut rows = index.history(package, order)?;
    if rows.is_empty() {
        if index.package_names()?.contains(package) {
            let message = format!("`{package}` has no version in {}", order.join(", "));
            return Err(CommandError::new(Exit::NotFound, message));
        }
        return Err(no_package(index, package)?.into());
    }
    if let Some(channel) = channel {
        let filter = Filter { package: Some(package.clone()), channel: Some(channel.clone()), ..Filter::default() };
        let listed = index.bundles(&filter)?;
        let lists =
            |it: &HistoryRow| listed.iter().any(|row| row.bundle == it.bundle && row.channels.contains(&channel));
        rows.retain(lists);
        if rows.is_empty() {
            return Err(no_channel(index, package, &channel)?.into());
        }
    }
    if let Some(version) = version {
        let is_wanted = |row: &HistoryRow| {
            row.version == version || row.bundle == version || format!("{}-{}", row.version, row.release) == version
        };
        rows.retain(is_wanted);
        if rows.is_empty() {
            return Err(no_version(index, order, package, &version)?.into());
        }
    }
    Ok(rows)
}

impl Row for HistoryRow {
    const KIND: &'static str = "History";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |row| format!("{}{}", row.version, release_words(Some(&row.release))).into()),
        column("BUNDLE", |it| Cow::from(&it.bundle)),
        column("FIRST", |it| Cow::from(&it.first)),
        column("LAST", |it| Cow::from(&it.last)),
        wide("FIRST DAY", |it| it.first_day.as_deref().unwrap_or_default().into()),
        wide("FIRST COMMIT", |it| it.first_commit.as_deref().unwrap_or_default().into()),
        wide("GONE DAY", |it| it.gone_day.as_deref().unwrap_or_default().into()),
        wide("GONE COMMIT", |it| it.gone_commit.as_deref().unwrap_or_default().into()),
        column("STATUS", |it| Cow::from(if it.is_current { "" } else { "gone" })),
        column("MISSING IN", |it| it.missing_in.join(",").into()),
        column("DEPRECATED IN", |it| it.deprecated_in.join(",").into()),
        wide("CONTENTS", |it| it.contents.to_string().into()),
        wide("CATALOGS", |it| it.catalogs.join(",").into()),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
