//! `olmdex info`

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cli::args::formats::{Formats, JSON, OutputFormat, YAML};
use crate::cli::args::legacy_source::{FoundDatabase, PathInImage, is_legacy};
use crate::cli::args::sources::{AskOptions, rebuild};
use crate::cli::args::words::SourceOption;
use crate::cli::args::{cache, composition};
use crate::cli::print::table;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
use crate::file::Cache;
use crate::index::query::{Info, UpdateSourceRow};
use crate::index::{Index, Verified};
use crate::legacy::{Fidelity, LegacyCatalog, LegacyInfo};

/// Show what an index holds, and how much space each part takes
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex info index.db
  olmdex info legacy.db
  olmdex info index.db -o json")]
pub(crate) struct InfoArgs {
    /// Index or catalogs; default: $OLMDEX_INDEX, then ./index.db
    #[arg(value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Recompute the digests of all texts of the index, and derive its rows once more. A text or row that does not fit
    /// is an error
    #[arg(long)]
    verify: bool,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
}

const FORMATS: Formats = Formats(&[(OutputFormat::Table, "For people"), JSON, YAML]);

pub(crate) fn run(context: &Context, args: &InfoArgs) -> CommandResult {
    if let [path] = args.sources.as_slice()
        && let opener = context.opener.preferring_databases()
        && let Some(found) = FoundDatabase::look(context, path, &PathInImage::default(), opener)?
        && is_legacy(&found.file)
    {
        return legacy_info(context, args.output, path, &found);
    }
    let index = AskOptions::of_sources(&args.sources).open(context)?;
    let cache = cache::directory().map(|it| Cache::at(&it));
    let mut info = index.info(cache.as_ref(), &composition::parts)?;
    if args.verify {
        info.verified = Some(index.verify()?);
    }
    let verified = info.verified;
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.output {
        format if format.is_data() => table::write_data(format, "IndexInfo", vec![info], &mut out)?,
        _ => print(&index, info, &mut out)?,
    }
    out.flush()?;
    // A comparison that was not made is no success.
    let is_verified = verified.is_none_or(|verified| verified.rows.is_some());
    Ok(if is_verified { Exit::Yes } else { Exit::No })
}

/// Describes a legacy file itself; `list` shows the catalog that an import makes of it.
fn legacy_info(context: &Context, output: OutputFormat, path: &Path, found: &FoundDatabase) -> CommandResult {
    let opened = LegacyCatalog::open(&found.file, context.opener.scratch(), Fidelity::Kept);
    let info = LegacyInfo { path: path.display().to_string(), ..opened.map_err(|error| found.called(error))?.info() };
    let mut out = BufWriter::new(std::io::stdout().lock());
    match output {
        format if format.is_data() => table::write_data(format, "LegacyInfo", vec![info], &mut out)?,
        _ => {
            let schema = info.schema.map_or("no schema".to_owned(), |it| format!("schema {it}"));
            writeln!(out, "{}: legacy SQLite catalog, {schema}, {}\n", info.path, bytes(info.bytes))?;
            let number = |n: usize| n.to_string();
            let mut rows = vec![
                ("written by", info.written_by.clone()),
                ("writer was interrupted", if info.interrupted { "yes" } else { "no" }.to_owned()),
                ("packages", number(info.packages)),
                ("convertible", number(info.convertible_packages)),
                ("channels", number(info.channels)),
                ("rows of edges", number(info.entries)),
                ("bundles", number(info.bundles)),
                ("with manifests", number(info.bundles_with_manifests)),
                ("manifests", bytes(info.manifest_bytes)),
                ("rows of properties", number(info.property_rows)),
                ("rows of dependencies", number(info.dependency_rows)),
            ];
            if let Some(schema) = info.other_shape() {
                rows.insert(1, ("tables show", format!("schema {schema}")));
            }
            if let Some(failure) = info.opm_failure {
                rows.push(("opm's error", failure));
            }
            let rows: Vec<Vec<String>> = rows.into_iter().map(|(what, value)| vec![what.to_owned(), value]).collect();
            table::write_aligned(None, &rows, 3, &mut out)?;
        }
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn print(index: &Index, info: Info, out: &mut impl std::io::Write) -> Result<(), CommandError> {
    let age = index.written().and_then(|it| it.elapsed().ok()).map(|it| format!(", written {} ago", age(it)));
    let path = index.path().display();
    writeln!(out, "{path}: schema {}, {}{}", info.schema_version, bytes(info.file_bytes), age.unwrap_or_default())?;
    match info.verified {
        Some(Verified { documents, rows: None }) => {
            let documents = counted(documents, "document");
            writeln!(out, "verified: {documents}; another version wrote the rows, so they were not compared")?;
        }
        Some(Verified { documents, rows: Some(rows) }) => {
            writeln!(out, "verified: {} and {}", counted(documents, "document"), counted(rows, "row"))?;
        }
        None => writeln!(out, "not verified: `--verify` compares its texts and rows with its digests")?,
    }
    for it in &info.outdated {
        writeln!(out, "catalog `{}` has changed since: {}; {}", it.catalog, it.newest, rebuild(index, it))?;
    }
    writeln!(out)?;
    let headers = ["CATALOG", "PRIORITY", "PACKAGES", "CHANNELS", "BUNDLES", "SOURCE"];
    let rows: Vec<Vec<String>> = info
        .catalogs
        .iter()
        .map(|it| {
            vec![
                it.catalog.clone(),
                it.priority.to_string(),
                it.packages.to_string(),
                it.channels.to_string(),
                it.bundles.to_string(),
                it.source.clone(),
            ]
        })
        .collect();
    table::write_fitted(Some(headers.map(str::to_owned).to_vec()), rows, 3, &[], out)?;
    let of_images = info.catalogs.iter().filter(|it| !it.image.is_empty());
    let rows: Vec<Vec<String>> = of_images.map(|it| vec![it.catalog.clone(), it.image.clone()]).collect();
    if !rows.is_empty() {
        writeln!(out)?;
        table::write_aligned(Some(["CATALOG", "IMAGE"].map(str::to_owned).to_vec()), &rows, 3, out)?;
    }
    print_update_sources(&info, out)?;
    writeln!(
        out,
        "\n{} documents, {} distinct; {} of text, {} distinct\n",
        info.references,
        info.documents,
        bytes(info.referenced_bytes),
        bytes(info.document_bytes)
    )?;
    let rows: Vec<Vec<String>> = info.schemas.iter().map(|(schema, n)| vec![schema.clone(), n.to_string()]).collect();
    table::write_aligned(Some(vec!["SCHEMA".to_owned(), "DOCUMENTS".to_owned()]), &rows, 3, out)?;
    writeln!(out)?;
    let rows: Vec<Vec<String>> = info
        .sizes
        .iter()
        .map(|it| {
            let share = if info.file_bytes == 0 { 0.0 } else { it.bytes as f64 * 100.0 / info.file_bytes as f64 };
            vec![it.kind.clone(), bytes(it.bytes), format!("{share:.1} %")]
        })
        .collect();
    table::write_aligned(Some(["ROOM FOR", "SIZE", "SHARE"].map(str::to_owned).to_vec()), &rows, 3, out)?;
    Ok(())
}

fn print_update_sources(info: &Info, out: &mut impl std::io::Write) -> Result<(), CommandError> {
    if info.update_sources.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let headers = ["OPENSHIFT UPDATES", "KIND", "AS OF", "RELEASES", "NEWEST", "UPDATES", "BLOCKED EDGES"];
    let row = |it: &UpdateSourceRow| {
        vec![
            it.source.clone(),
            it.kind.clone(),
            it.as_of.clone().unwrap_or_default(),
            it.releases.to_string(),
            it.newest.clone(),
            it.updates.to_string(),
            it.blocked_edges.to_string(),
        ]
    };
    let rows = info.update_sources.iter().map(row).collect();
    table::write_fitted(Some(headers.map(str::to_owned).to_vec()), rows, 3, &[], out)?;
    Ok(())
}

/// A time for people: `5 minutes`, in the largest unit that it fills.
fn age(time: Duration) -> String {
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)];
    let (unit, seconds) = units.into_iter().find(|it| time.as_secs() >= it.1).unwrap_or(("second", 1));
    counted(time.as_secs() / seconds, unit)
}

/// Bytes for people: `40.3 MB`, in powers of 1000.
fn bytes(n: u64) -> String {
    let mut value = n as f64;
    for unit in ["B", "kB", "MB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{n} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} GB")
}
