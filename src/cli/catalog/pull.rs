//! `olmdex pull`

use std::io::Write as _;
use std::path::Path;

use clap::Args;

use crate::cli::args::legacy_source::{PathInImage, is_legacy};
use crate::cli::args::output_file::OutputFile;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::file::Replacement;
use crate::index::Index;
use crate::legacy::LegacyFile;
use crate::oci::{Content, Image};
use crate::source::{self, SourceError};

/// Fetch an index or a legacy catalog from a registry or a layout
///
/// Writes ./index.db, or the file that `-O` names. An existing index or legacy catalog is replaced.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex pull docker://quay.io/org/index:v4.16 -O index.db
  olmdex pull docker://quay.io/org/legacy-index:v4.16 -O legacy.db
  olmdex pull docker://localhost:5000/index --plain-http -O index.db")]
pub(crate) struct PullArgs {
    /// `docker://HOST/NAME[:TAG|@DIGEST]`, `oci:DIR[:TAG]` or `dir:DIR`; `--path PATH` names the SQLite file in an
    /// image without a label
    #[arg(value_name = "IMAGE")]
    image: String,
    #[command(flatten)]
    within: PathInImage,
    #[command(flatten)]
    output: OutputFile,
}

pub(crate) fn run(context: &Context, args: &PullArgs) -> CommandResult {
    let output = args.output.path()?.unwrap_or(Path::new("index.db"));
    if output.exists() && !source::is_index(output) && !is_legacy(output) {
        let message = format!(
            "`{}` is neither an index nor a legacy catalog, and the output would overwrite it",
            output.display()
        );
        return Err(CommandError::usage(message).help("name another file, or delete this one first"));
    }
    let wrong = |error| CommandError::from(SourceError::Image { name: args.image.clone(), error });
    let (store, wanted) = context.opener.store(&args.image)?;
    let progress = Progress::start(context, format!("fetching {}", args.image));
    let options = &context.opener.with_database(args.within.path.clone()).images;
    let image = Image::open(&*store, &wanted, options).map_err(wrong)?;
    let (content, findings) = Content::read(&*store, &image, options, &args.image).map_err(wrong)?;
    drop(progress);
    findings.iter().for_each(|it| context.reporter.finding(it));
    let Content::Database(text) = content else {
        let message = format!("`{}` is a catalog or a bundle, not a database", args.image);
        let help = format!("build an index from it: `olmdex build {} -O {}`", args.image, output.display());
        return Err(CommandError::new(Exit::Input, message).help(help));
    };
    let mut new = Replacement::begin(output)?;
    std::io::copy(&mut text.reader(), new.file())?;
    if source::is_index(new.temporary()) {
        Index::open(new.temporary())?;
    } else {
        LegacyFile::open(new.temporary(), context.opener.scratch())?;
    }
    new.finish()?;
    context.reporter.note(&format!("wrote {}", output.display()));
    writeln!(std::io::stdout(), "{}", image.digest)?;
    Ok(Exit::Yes)
}
