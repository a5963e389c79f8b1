//! `olmdex z-stream`

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{CatalogZStream, PackageName, ZStreamQuestion};
use crate::cli::args::formats::{Formats, OutputFormat};
use crate::cli::args::name::package;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::few;
use crate::cli::print::difference::print_difference;
use crate::cli::print::findings::print_findings;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::screen::screen;
use crate::cli::terminal::write_edits::{remember, write_edits};
use crate::diag::envelope::Envelope;
use crate::edit::{Change, PackageDocuments};
use crate::fbc::{Format, Input};
use crate::index::Index;
use crate::upgrade::{ZStream, rules};

/// Rewrite a channel so that patch releases upgrade to their minor version's latest
///
/// The latest patch releases form the chain; each skips the earlier ones of its minor version, so that every installed
/// version has a single update. The new channel is checked against the old one as `check-graph --old` does. Exits with
/// 1, and writes nothing, if a version cannot be upgraded.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  olmdex z-stream till/stable -i my-catalog/
  olmdex z-stream till/stable -i my-catalog/ -o yaml > channel.yaml
  olmdex z-stream till/stable -i my-catalog/ --dry-run
  olmdex z-stream till/stable -i my-catalog/ --apply")]
pub(crate) struct ZStreamArgs {
    /// The channel of the package; for a package, a version or a bundle the default one
    #[arg(value_name = "PKG/CHANNEL")]
    package: String,
    /// The channel, if the name does not contain it
    #[arg(long, value_name = "CHANNEL", default_value = "", hide = true)]
    channel: String,
    /// Replace the old channel with the new one, in the catalog's file; everything else in it stays as it is
    #[arg(long)]
    apply: bool,
    /// Print the changes that `--apply` would make, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// With `--apply`, also change a file outside of the source that a link in it leads to
    #[arg(long, requires = "apply")]
    follow: bool,
    #[command(flatten)]
    ask: AskOptions,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "The minor versions with their releases"),
    (OutputFormat::Json, "The same as a JSON envelope"),
    (OutputFormat::Yaml, "The channel's blob in YAML"),
    (OutputFormat::Blob, "The channel's blob in JSON"),
]);

impl ZStreamArgs {
    /// The same with the name taken apart.
    fn taken_apart(&self, index: &Index) -> Result<Self, CommandError> {
        let PackageName { package, channel, .. } = package(index, &self.package)?;
        if channel.is_some() && !self.channel.is_empty() {
            let error = CommandError::usage(format!("`{}` and `--channel` both name a channel", self.package));
            return Err(error.help("leave `--channel` out"));
        }
        Ok(Self { package, channel: channel.unwrap_or_else(|| self.channel.clone()), ..self.clone() })
    }
}

pub(crate) fn run(context: &Context, args: &ZStreamArgs) -> CommandResult {
    args.ask.refuse_paths([&args.package])?;
    let sources = args.ask.look(context)?;
    let input = sources.files().map(|it| it.1.clone());
    input.iter().for_each(remember);
    let index = sources.import(context)?;
    let args = args.taken_apart(&index)?;
    if input.is_none() && (args.apply || args.dry_run) {
        let error = CommandError::usage(
            "`--apply` changes the file of one catalog, but the source is an index or several catalogs",
        );
        return Err(error.help("name one directory or file with `-i`"));
    }
    let channel = Some(args.channel.clone()).filter(|it| !it.is_empty());
    let question = ZStreamQuestion { package: args.package.clone(), channel, catalogs: args.ask.catalog.clone() };
    let streams = question.answer(&index)?;
    let mut answers = Vec::with_capacity(streams.len());
    for stream in streams {
        match answer(context, &args, &index, stream, input.as_ref())? {
            Ok(found) => answers.push(found),
            Err(exit) => return Ok(exit),
        }
    }
    print(args.output, answers)?;
    Ok(Exit::Yes)
}

/// Puts the channel of one catalog into its file, if the user wants that. An exit code ends the command: there is
/// nothing more to print.
fn answer(
    context: &Context,
    args: &ZStreamArgs,
    index: &Index,
    stream: CatalogZStream,
    input: Option<&Input>,
) -> Result<Result<Answer, Exit>, CommandError> {
    let CatalogZStream { catalog, stream: made } = stream;
    if !made.findings.is_empty() {
        print_findings(context, OutputFormat::Table, rules::ALL, &made.findings)?;
        return Ok(Err(Exit::No));
    }
    let input = match input {
        Some(input) => input.clone(),
        None => index.packages_input(&catalog, std::iter::once(args.package.as_str()))?,
    };
    let mut documents = PackageDocuments::read(&input, &args.package)?;
    if args.apply {
        // Finish an edit that was killed first.
        let files = documents.files();
        crate::file::finish_left(files.iter().filter_map(|it| input.files.get(*it)?.path()));
    }
    let change = Change::SetEntries { channel: made.channel.clone(), entries: made.entries.clone() };
    change.apply(&mut documents)?;
    let mut written = None;
    if (args.apply || args.dry_run) && !made.is_unchanged {
        written = apply(context, args, &input, &documents)?;
        if args.dry_run {
            return Ok(Err(Exit::Yes));
        }
    }
    Ok(Ok(Answer { catalog, made, documents, written }))
}

/// The answer about one catalog.
struct Answer {
    catalog: String,
    made: ZStream,
    documents: PackageDocuments,
    written: Option<PathBuf>,
}

fn print(output: OutputFormat, answers: Vec<Answer>) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if output == OutputFormat::Json {
        Envelope::new("ZStream", answers.into_iter().map(|it| it.made).collect()).write(&mut out)?;
        out.flush()?;
        return Ok(());
    }
    let has_several = answers.len() > 1;
    for (number, Answer { catalog, made, mut documents, written }) in answers.into_iter().enumerate() {
        match output {
            OutputFormat::Yaml => out.write_all(&documents.channel_text(&made.channel, Format::Yaml)?)?,
            OutputFormat::Blob => out.write_all(&documents.channel_text(&made.channel, Format::Json)?)?,
            _ => {
                if number > 0 {
                    writeln!(out)?;
                }
                sheet(has_several.then_some(catalog.as_str()), made, written.as_deref())
                    .write(screen().width, &mut out)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn sheet(catalog: Option<&str>, made: ZStream, written: Option<&Path>) -> Sheet {
    let mut sheet = Sheet::default();
    if let Some(catalog) = catalog {
        sheet.line("catalog", catalog);
    }
    sheet.line("package", &made.package);
    sheet.line("channel", &made.channel);
    sheet.line(
        "state",
        &match (made.is_unchanged, written) {
            (true, _) => "it is already a z-stream".to_owned(),
            (false, Some(path)) => format!("wrote {}", path.display()),
            (false, None) => "not written; `--dry-run` shows the change, `--apply` writes it".to_owned(),
        },
    );
    let rows = made.streams.into_iter().map(|it| vec![it.minor, it.latest, it.replaces, few(&it.skips), it.skip_range]);
    let headers = ["MINOR", "LATEST", "REPLACES", "SKIPS", "SKIP RANGE"];
    sheet.table("Streams", &headers, rows.collect());
    sheet
}

/// Writes the channel's new document into its file, or shows the changes. Returns the written file.
fn apply(
    context: &Context,
    args: &ZStreamArgs,
    input: &Input,
    documents: &PackageDocuments,
) -> Result<Option<PathBuf>, CommandError> {
    let edits = documents.file_edits(input, input)?;
    if edits.iter().any(|it| input.files.get(it.file).is_none_or(|it| it.path().is_none())) {
        let error = CommandError::usage("`--apply` changes the file of a catalog, but this source is not one");
        return Err(error.help("name a directory or a file with `-i`"));
    }
    for edit in &edits {
        if let Some(why) = edit.rewritten {
            let message = format!("{}: rewriting the channel drops its comments: {why}", edit.path.display());
            context.reporter.warning(&message);
        }
    }
    let paths: Vec<PathBuf> = args.ask.sources()?.into_iter().map(|it| it.path).collect();
    if args.dry_run {
        for edit in &edits {
            print_difference(context, &edit.path, 1, &edit.before, &edit.after)?;
        }
        return Ok(None);
    }
    interrupt::undo_writes(context);
    write_edits(
        paths.first().map_or(Path::new("."), PathBuf::as_path),
        input,
        &edits.iter().collect::<Vec<_>>(),
        args.follow,
    )?;
    // A write through a link changes the file that the link names.
    Ok(edits.first().map(|it| it.path.canonicalize().unwrap_or_else(|_| it.path.clone())))
}
