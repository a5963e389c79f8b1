//! `olmdex info`

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Context;
use super::ask::AskOptions;
use super::error::{CommandError, CommandResult, Exit};
use super::output::Envelope;
use super::table;
use crate::index::query::Info;

/// Say what an index holds, and what takes how much room in it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex info index.db
  olmdex info my-catalog/
  olmdex info index.db -o json")]
pub(crate) struct InfoArgs {
    /// Index or catalogs; default: $OLMDEX_INDEX, then ./index.db
    #[arg(value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = InfoFormat::Table)]
    output: InfoFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InfoFormat {
    /// For people
    Table,
    /// JSON envelope
    Json,
    /// YAML of the JSON envelope
    Yaml,
}

pub(crate) fn run(context: &Context, args: &InfoArgs) -> CommandResult {
    let index = AskOptions::of_sources(&args.sources).open(context)?;
    let info = index.info()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.output {
        InfoFormat::Json => Envelope::new("IndexInfo", vec![info]).write(&mut out)?,
        InfoFormat::Yaml => table::write_yaml(&Envelope::new("IndexInfo", vec![info]), &mut out)?,
        InfoFormat::Table => print(&index.path().display().to_string(), info, &mut out)?,
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn print(path: &str, info: Info, out: &mut impl std::io::Write) -> Result<(), CommandError> {
    writeln!(out, "{path}: schema {}, {}\n", info.schema_version, bytes(info.file_bytes))?;
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
    table::write_aligned(Some(headers.map(str::to_owned).to_vec()), &rows, 3, out)?;
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
