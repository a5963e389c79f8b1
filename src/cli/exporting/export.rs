//! `olmdex export`

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::legacy;
use crate::cli::args::output_file::OutputFileAndFormat;
use crate::cli::args::sources::NamedSource;
use crate::cli::args::words::SourceOption;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult};

/// Write catalogs in another form: pages for a browser, or the legacy SQLite file
///
/// `--site` writes all pages that need no question into a new directory: they need no server, no network and no script,
/// and the same catalogs give the same bytes. `--legacy` writes the file that old servers and tools read; it reports by
/// name the things that this format cannot hold: deprecations, descriptions, properties of packages and channels, a
/// skipRange that differs between channels, blobs of other schemas. The output appears whole, or not at all.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("form").required(true))]
#[command(after_help = "Examples:
  olmdex export --site site/ index.db
  olmdex export --site site/ v4.19=old-catalog/ v4.20=my-catalog/ -p 'k*'
  olmdex export --legacy my-catalog/ -O new.db
  olmdex export --legacy index.db --catalog community -O new.db --strict")]
pub(crate) struct ExportArgs {
    /// Index or catalogs: directories, files, an index.db, or `-` for standard input; one with `--legacy`. Default
    /// without it: $OLMDEX_INDEX, then ./index.db
    #[arg(value_name = "[NAME=]SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Pages, into a new or empty directory
    #[cfg(feature = "page")]
    #[arg(long, value_name = "DIR", group = "form")]
    site: Option<PathBuf>,
    /// Only packages with such a name; `*` and `?` match any characters; may be repeated
    #[cfg(feature = "page")]
    #[arg(short, long, alias = "packages", value_name = "GLOB", requires = "site")]
    package: Vec<String>,
    /// Parquet files, into a new or empty directory: the documented views, and for each catalog and month bundles,
    /// history and findings in catalog=NAME/month=YYYY-MM
    #[arg(long, value_name = "DIR", group = "form")]
    parquet: Option<PathBuf>,
    /// The legacy SQLite format, schema 13
    #[arg(long, group = "form")]
    legacy: bool,
    #[command(flatten)]
    output: OutputFileAndFormat,
    /// With --legacy: which catalog of an index
    #[arg(long, value_name = "NAME", requires = "legacy")]
    catalog: Option<String>,
    /// With --legacy: write nothing if anything would be lost
    #[arg(long, requires = "legacy")]
    strict: bool,
}

pub(crate) fn run(context: &Context, args: &ExportArgs) -> CommandResult {
    if !args.legacy && args.output.path().is_some() {
        let error = CommandError::usage("nothing says what to write");
        return Err(error.help("name it: `--to files`, `--to legacy`, `--to site` or `--to parquet`"));
    }
    #[cfg(feature = "page")]
    if let Some(target) = &args.site {
        return super::site::run(context, &args.sources, &args.package, target);
    }
    #[cfg(feature = "parquet")]
    if let Some(target) = &args.parquet {
        return super::views::run(context, &args.sources, target);
    }
    #[cfg(not(feature = "parquet"))]
    if args.parquet.is_some() {
        return Err(CommandError::lacks_feature("export --to parquet", "parquet"));
    }
    let ([source], Some(output)) = (args.sources.as_slice(), args.output.path()) else {
        return Err(CommandError::usage("`--to legacy` needs one catalog, and a file to write")
            .help("name both: `olmdex export CATALOG --to legacy -O FILE`"));
    };
    let (catalog, strict, message_format) = (args.catalog.as_ref(), args.strict, args.output.format());
    let source = NamedSource::parse(source).path;
    legacy::run(context, &legacy::LegacyExportArgs { source: &source, output, catalog, strict, message_format })
}
