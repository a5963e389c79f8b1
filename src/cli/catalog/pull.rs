//! `olmdex pull`

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::cli::args::legacy_source::is_legacy;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::file::Replacement;
use crate::index::Index;
use crate::legacy::LegacyFile;
use crate::oci::{Content, Image};
use crate::source::{self, SourceError};

/// Fetch an index or a legacy catalog from a registry or a layout
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex pull docker://quay.io/org/index:v4.16 -o index.db
  olmdex pull docker://quay.io/org/legacy-index:v4.16 -o legacy.db
  olmdex pull docker://localhost:5000/index --plain-http -o index.db")]
pub(crate) struct PullArgs {
    /// `docker://HOST/NAME[:TAG|@DIGEST]`, `oci:DIR[:TAG]` or `dir:DIR`
    #[arg(value_name = "IMAGE")]
    image: String,
    /// File to write, or index or legacy catalog to replace
    #[arg(short, long, value_name = "FILE", default_value = "index.db")]
    output: PathBuf,
}

pub(crate) fn run(context: &Context, args: &PullArgs) -> CommandResult {
    if args.output.exists() && !source::is_index(&args.output) && !is_legacy(&args.output) {
        let message = format!("`{}` is not an index or a legacy catalog, and would be replaced", args.output.display());
        return Err(CommandError::usage(message).help("name another file, or delete this one first"));
    }
    let wrong = |error| CommandError::from(SourceError::Image { name: args.image.clone(), error });
    let (store, wanted) = context.opener.store(&args.image)?;
    let progress = Progress::start(context, format!("fetching {}", args.image));
    let options = &context.opener.images;
    let image = Image::open(&*store, &wanted, options).map_err(wrong)?;
    let (content, findings) = Content::read(&*store, &image, options, &args.image).map_err(wrong)?;
    drop(progress);
    findings.iter().for_each(|it| context.reporter.finding(it));
    let Content::Database(text) = content else {
        let message = format!("`{}` is a catalog or a bundle, not a database", args.image);
        let help = format!("build an index of it: `olmdex build {} -o {}`", args.image, args.output.display());
        return Err(CommandError::new(Exit::Input, message).help(help));
    };
    let mut new = Replacement::begin(&args.output)?;
    std::io::copy(&mut text.reader(), new.file())?;
    if source::is_index(new.temporary()) {
        Index::open(new.temporary())?;
    } else {
        LegacyFile::open(new.temporary(), context.opener.scratch())?;
    }
    new.finish()?;
    context.reporter.note(&format!("wrote {}", args.output.display()));
    writeln!(std::io::stdout(), "{}", image.digest)?;
    Ok(Exit::Yes)
}
