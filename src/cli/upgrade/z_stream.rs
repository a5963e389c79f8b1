//! `olmdex z-stream`

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::answer::Envelope;
use crate::cli::args::name::{unknown_channel, unknown_package};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::few;
use crate::cli::print::findings::{FindingFormat, print_findings};
use crate::cli::print::sheet::Sheet;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::interrupt;
use crate::cli::speak::report::paint;
use crate::diag::printable;
use crate::fbc::{self, Consumer, Document, Entry, Format, Input, Origin, Syntax, Typed};
use crate::index::Index;
use crate::index::query::Filter;
use crate::json;
use crate::upgrade::{ZStream, ZStreamError, rules, z_stream};

/// Make a channel in which every patch release updates to the latest of its minor version
///
/// The latest patch releases form the chain; each skips the earlier ones of its minor version, so that whatever is installed
/// has a single update. The new channel is checked against the old one as `check-graph --old` does. Exits with 1, and
/// writes nothing, if a version has no way on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex z-stream till --channel stable -i my-catalog/
  olmdex z-stream till --channel stable -i my-catalog/ -o yaml > channel.yaml
  olmdex z-stream till --channel stable -i my-catalog/ --dry-run
  olmdex z-stream till --channel stable -i my-catalog/ --apply")]
pub(crate) struct ZStreamArgs {
    /// The package
    #[arg(value_name = "PKG")]
    package: String,
    /// The channel
    #[arg(long, value_name = "CHANNEL")]
    channel: String,
    /// Put the new channel in the place of the old one, in the catalog's file; everything else in it stays as it is
    #[arg(long)]
    apply: bool,
    /// Print what `--apply` would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// With `--apply`, also change a file outside of the source that a link in it leads to
    #[arg(long, requires = "apply")]
    follow: bool,
    #[command(flatten)]
    ask: AskOptions,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = ZStreamFormat::Text)]
    output: ZStreamFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ZStreamFormat {
    /// The minor versions with their releases
    Text,
    /// The same as a JSON envelope
    Json,
    /// The channel's blob in YAML
    Yaml,
    /// The channel's blob in JSON
    Blob,
}

/// The channel's document: where it stands, its text, and its content as JSON.
struct Found {
    origin: Origin,
    raw: Vec<u8>,
    json: String,
    path: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, args: &ZStreamArgs) -> CommandResult {
    let (index, input) = args.ask.open_with_files(context)?;
    let found = match &input {
        Some(input) => find_in_files(args, input)?,
        None if args.apply || args.dry_run => {
            let error =
                CommandError::usage("`--apply` changes a catalog's file, and this is an index, or several catalogs");
            return Err(error.help("name one directory or file with `-i`"));
        }
        None => None,
    };
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let graphs = index.package_graphs(&filter, &args.package)?;
    let graph = match graphs.as_slice() {
        [] => return Err(unknown_package(&index, &args.package)?),
        [only] => only,
        several => {
            let names: Vec<&str> = several.iter().map(|it| it.catalog.as_str()).collect();
            let error = CommandError::usage(format!("`{}` is in several catalogs", args.package));
            return Err(error.help(format!("choose one with `--catalog`: {}", names.join(", "))));
        }
    };
    let made = match z_stream(graph, &args.channel) {
        Ok(made) => made,
        Err(ZStreamError::NoChannel { package, channel }) => return Err(unknown_channel(&index, &package, &channel)?),
        Err(error) => {
            let help = "each entry needs a bundle with a version, and no two the same";
            return Err(CommandError::new(Exit::No, error.to_string()).help(help));
        }
    };
    let found = match found {
        Some(found) => found,
        None => find_in_index(&index, &filter, args)?,
    };
    let is_fine = made.findings.is_empty();
    if !is_fine {
        print_findings(context, FindingFormat::Text, rules::ALL, &made.findings)?;
        return Ok(Exit::No);
    }
    let new = with_entries(&found.json, &made.entries)?;
    let mut written = None;
    if (args.apply || args.dry_run) && !made.is_unchanged {
        let path = apply(context, args, &found, &new)?;
        if args.dry_run {
            return Ok(Exit::Yes);
        }
        written = Some(path);
    } else if args.apply
        && let Some(path) = &found.path
    {
        crate::file::clear_left(path);
    }
    print(args, made, &new, written.as_deref())?;
    Ok(Exit::Yes)
}

fn print(args: &ZStreamArgs, made: ZStream, new: &str, written: Option<&Path>) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.output {
        ZStreamFormat::Json => Envelope::new("ZStream", vec![made]).write(&mut out)?,
        ZStreamFormat::Yaml => out.write_all(&rendered(new, Format::Yaml)?)?,
        ZStreamFormat::Blob => out.write_all(&rendered(new, Format::Json)?)?,
        ZStreamFormat::Text => {
            let mut sheet = Sheet::default();
            sheet.line("package", &made.package);
            sheet.line("channel", &made.channel);
            sheet.line(
                "state",
                &match (made.is_unchanged, written) {
                    (true, _) => "it is a z-stream already".to_owned(),
                    (false, Some(path)) => format!("wrote {}", path.display()),
                    (false, None) => "not written; `--dry-run` shows the change, `--apply` writes it".to_owned(),
                },
            );
            let rows = made
                .streams
                .into_iter()
                .map(|it| vec![it.minor, it.latest, it.replaces, few(&it.skips), it.skip_range]);
            let headers = ["MINOR", "LATEST", "REPLACES", "SKIPS", "SKIP RANGE"];
            sheet.table("Streams", &headers, rows.collect());
            sheet.write(&mut out)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Looks for the channel's document.
struct Finder<'a> {
    args: &'a ZStreamArgs,
}

impl Consumer for Finder<'_> {
    type Output = Option<Found>;

    fn document(&self, document: Document<'_>) -> Self::Output {
        let blob = document.blob.ok()?;
        let Typed::Channel(channel) = &blob.typed else { return None };
        if channel.package != self.args.package || channel.name != self.args.channel {
            return None;
        }
        let mut json = Vec::new();
        json::write_compact(blob.value, &mut json);
        let json = String::from_utf8(json).ok()?;
        Some(Found { origin: document.origin, raw: document.raw.to_vec(), json, path: None })
    }
}

/// `None` if the catalog has no such channel, which another question then finds out.
fn find_in_files(args: &ZStreamArgs, input: &Input) -> Result<Option<Found>, CommandError> {
    let mut all: Vec<Found> = Vec::new();
    let done: Result<(), std::convert::Infallible> = fbc::load(input, &Finder { args }, |found| {
        all.extend(found);
        Ok(())
    });
    match done {
        Ok(()) => {}
    }
    if all.len() > 1 {
        let message = format!("{}/{} is defined {} times", args.package, args.channel, all.len());
        return Err(CommandError::new(Exit::Input, message).help("`olmdex validate` says where"));
    }
    Ok(all.pop().map(|found| {
        let file = input.files.get(found.origin.file as usize);
        Found { path: file.and_then(|it| it.path()).map(PathBuf::from), ..found }
    }))
}

fn find_in_index(index: &Index, filter: &Filter, args: &ZStreamArgs) -> Result<Found, CommandError> {
    let filter = Filter { package: Some(args.package.clone()), ..filter.clone() };
    let mut found = None;
    let mut reader = json::Reader::new();
    index.documents(&filter, |_, text| {
        if let Ok(value) = reader.read(text)
            && let Ok(blob) = fbc::blob::decode(value, false)
            && let Typed::Channel(channel) = &blob.typed
            && channel.name == args.channel
        {
            found = Some(text.to_owned());
        }
        Ok::<(), CommandError>(())
    })?;
    let json = found.ok_or_else(|| CommandError::new(Exit::Input, "the channel's document cannot be read"))?;
    let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Json, offset: 0, len: 0 };
    Ok(Found { origin, raw: Vec::new(), json, path: None })
}

/// The channel's document with other entries.
fn with_entries(document: &str, entries: &[Entry]) -> Result<String, CommandError> {
    let entries: Vec<serde_json::Value> = entries
        .iter()
        .map(|it| {
            let mut entry = serde_json::Map::from_iter([("name".to_owned(), it.name.clone().into())]);
            if !it.replaces.is_empty() {
                entry.insert("replaces".to_owned(), it.replaces.clone().into());
            }
            if !it.skips.is_empty() {
                entry.insert("skips".to_owned(), it.skips.clone().into());
            }
            if !it.skip_range.is_empty() {
                entry.insert("skipRange".to_owned(), it.skip_range.clone().into());
            }
            entry.into()
        })
        .collect();
    let entries = serde_json::Value::from(entries).to_string();
    let mut reader = json::Reader::new();
    let changed = reader.read(document).ok().and_then(|it| fbc::with_field(it, "entries", &entries));
    changed.ok_or_else(|| CommandError::new(Exit::Input, "the channel's document cannot be read"))
}

/// A blob as `render` writes it.
fn rendered(document: &str, format: Format) -> Result<Vec<u8>, CommandError> {
    let unreadable = || CommandError::new(Exit::Input, "the channel's document cannot be read");
    let mut reader = json::Reader::new();
    let value = reader.read(document).map_err(|_| unreadable())?;
    let blob = fbc::blob::decode(value, false).map_err(|_| unreadable())?;
    let mut out = Vec::new();
    fbc::write_blob(&blob, format, &mut out).map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
    Ok(out)
}

/// The file that a document is in, which is changed only if it is part of the source that was named.
fn file_to_change<'f>(args: &ZStreamArgs, found: &'f Found) -> Result<&'f Path, CommandError> {
    let Some(path) = &found.path else {
        let error = CommandError::usage("`--apply` changes a catalog's file, and this source is not one");
        return Err(error.help("name a directory or a file with `-i`"));
    };
    let real = std::fs::canonicalize(path)?;
    let root = args.ask.sources()?.into_iter().map(|it| it.path).find(|it| it.is_dir());
    let is_inside = match root {
        Some(root) => std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root)),
        None => !path.is_symlink(),
    };
    if is_inside || args.follow {
        return Ok(path);
    }
    let message = format!("{} is a link to {}, which is not part of the source", path.display(), real.display());
    Err(CommandError::new(Exit::Input, message).help("`--follow` changes the file that it leads to"))
}

/// Writes the channel's new document into its file, or shows what that would change.
fn apply(context: &Context, args: &ZStreamArgs, found: &Found, new: &str) -> Result<PathBuf, CommandError> {
    let path = file_to_change(args, found)?;
    let edited = fbc::edit_document(&found.raw, found.origin.syntax, new)
        .map_err(|error| CommandError::new(Exit::Input, format!("cannot change {}: {error}", path.display())))?;
    if let Some(why) = edited.rewritten {
        let message = format!("{}: the channel is written anew, without its comments: {why}", path.display());
        context.reporter.warning(&message);
    }
    if args.dry_run {
        let old = String::from_utf8_lossy(&found.raw);
        difference(context, path, found.origin.line, &old, &edited.text)?;
        return Ok(path.to_owned());
    }
    interrupt::undo_writes(context);
    fbc::replace_document(path, found.origin, &found.raw, edited.text.as_bytes())?;
    Ok(std::fs::canonicalize(path)?)
}

/// Prints the difference between two texts that start on a line of a file, as `diff -u` does.
fn difference(context: &Context, path: &Path, first: u32, old: &str, new: &str) -> Result<(), CommandError> {
    let color = context.reporter.stdout_color();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let shown = path.display().to_string();
    let shown = printable(&shown);
    writeln!(out, "--- {shown}\n+++ {shown}")?;
    let diff = similar::TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(3) {
        let (Some(start), Some(end)) = (group.first(), group.last()) else { continue };
        let range = |range: std::ops::Range<usize>| format!("{},{}", range.start + first as usize, range.len());
        let (old, new) = (start.old_range().start..end.old_range().end, start.new_range().start..end.new_range().end);
        writeln!(out, "{}", paint(color, "36", &format!("@@ -{} +{} @@", range(old), range(new))))?;
        for change in group.iter().flat_map(|it| diff.iter_changes(it)) {
            let (sign, code) = match change.tag() {
                similar::ChangeTag::Delete => ("-", "31"),
                similar::ChangeTag::Insert => ("+", "32"),
                similar::ChangeTag::Equal => (" ", "0"),
            };
            let line = format!("{sign}{}", printable(change.value().trim_end_matches(['\n', '\r'])));
            writeln!(out, "{}", if code == "0" { line } else { paint(color, code, &line) })?;
        }
    }
    out.flush()?;
    Ok(())
}
