//! `olmdex whereis`

use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use crate::ask::{
    AbsenceReason, CatalogPresence, ChannelPresence, FileChange, MirroredCatalog, PackageName, SmallestChange,
    WhereisAnswers, WhereisQuestion,
};
use crate::cli::args::formats::{CSV, Formats, JSON, JSONL, MARKDOWN, OutputFormat, YAML};
use crate::cli::args::name::{of_each, package};
use crate::cli::args::sources::{AskOptions, default_source};
use crate::cli::args::text::configuration_of;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::print::difference::{LineKind, difference};
use crate::cli::print::fit::columns;
use crate::cli::print::paragraph::write_wrapped;
use crate::cli::print::table::{self, Column, Row, apart, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::screen;
use crate::community::{Publications, Repository};
use crate::constraint::openshift::Minor;
use crate::diag::{counted, printable_line};
use crate::index::Index;
use crate::mirror::{Configuration, Dialect};
use crate::version::version_or_name;

/// Show which catalogs have a package, and how to publish it in the others
///
/// The answer is one matrix of channels and catalogs, with the heads and their dates. With `--repo` it also has the
/// reason why a catalog lacks the package, and the smallest change of the repository that publishes it; without
/// `--repo`, only the facts in the catalogs. Exits with 1 if the package is not in the catalog for the `--openshift`
/// version, or in none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex whereis keda -i v4.19=old-catalog/ -i v4.20=my-catalog/
  olmdex whereis shop --repo . --openshift 4.20
  olmdex whereis keda@2.10.1 -i v4.19=old-catalog/ -i v4.20=my-catalog/ -o json")]
pub(crate) struct WhereisArgs {
    /// The package, a version or channel of it, or a bundle
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required = true)]
    names: Vec<String>,
    /// Explain why it is not in the catalog for this version of OpenShift, and how to publish it there
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// Repository of operators that the catalogs are made from; without `-i`, its `catalogs/` are read
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Also report whether this ImageSetConfiguration leaves the package out; `-i REFERENCE=SOURCE` names the source of
    /// one of its catalogs
    #[arg(short = 'c', long = "imageset", value_name = "FILE|-")]
    imageset: Option<PathBuf>,
    /// Change the repository so that the catalog gets a template of its own, if the operator keeps one for each catalog
    #[arg(long, requires = "repo")]
    own_template: bool,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
    #[command(flatten)]
    ask: AskOptions,
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "The matrix, with the reason where a catalog lacks the package"),
    (OutputFormat::Wide, "One row per catalog"),
    JSON,
    JSONL,
    YAML,
    (OutputFormat::Name, "The names of the catalogs that have it, one per line"),
    CSV,
    MARKDOWN,
    (OutputFormat::Patch, "The smallest change, for `git apply`"),
]);

impl Row for CatalogPresence {
    const KIND: &'static str = "Whereis";

    const COLUMNS: &'static [Column<Self>] = &[
        apart("PACKAGE", |it| Cow::from(&it.package)),
        column("CATALOG", |it| Cow::from(&it.catalog)),
        wide("OPENSHIFT", |it| it.openshift.as_deref().unwrap_or_default().into()),
        column("THERE", |it| if it.is_there { "yes" } else { "no" }.into()),
        column("CHANNELS", |it| {
            let channels = it.channels.iter().map(|it| format!("{} {}", it.channel, cell(it)));
            channels.collect::<Vec<_>>().join(", ").into()
        }),
        column("REASON", |it| it.reasons.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("; ").into()),
        column("CHANGE", |it| it.change.iter().flat_map(|it| &it.steps).cloned().collect::<Vec<_>>().join("; ").into()),
    ];

    fn name(&self) -> String {
        self.catalog.clone()
    }
}

impl WhereisArgs {
    /// The wanted change.
    fn change<'i>(&self, item: &'i CatalogPresence) -> Option<&'i SmallestChange> {
        if self.own_template { item.own_template.as_ref() } else { item.change.as_ref() }
    }
}

pub(crate) fn run(context: &Context, args: &WhereisArgs) -> CommandResult {
    if args.output == OutputFormat::Patch && (args.repo.is_none() || args.openshift.is_none()) {
        let error = CommandError::usage("a patch needs one repository and one version of OpenShift");
        return Err(error.help("name both: `--repo DIR --openshift VERSION`"));
    }
    let configuration = match &args.imageset {
        Some(path) => Some(configuration_of(path, Dialect::Named)?),
        None => None,
    };
    let ask = match &configuration {
        Some(configuration) => args.ask.of_configuration(&configuration.operators)?,
        None => args.ask.clone(),
    };
    let has_source = ask.is_given() || (args.repo.is_none() && default_source().is_ok());
    let index = match has_source || args.repo.is_none() {
        true => Some(ask.open_part(context, &args.names)?),
        false => None,
    };
    let (answers, exit) =
        of_each(context, &args.names, |name| presence(context, args, index.as_ref(), configuration.as_ref(), name))?;
    match args.output {
        OutputFormat::Patch => {
            for (_, answers) in &answers {
                print_patch(context, args, answers)?;
            }
            // A patch is the wanted answer, although the package is not there.
            return Ok(if exit == Exit::No { Exit::Yes } else { exit });
        }
        OutputFormat::Table => unless_reader_left(print_all(args, &answers).map_err(CommandError::from))?,
        format => {
            let mut items: Vec<CatalogPresence> = answers.into_iter().flat_map(|it| it.1.items).collect();
            if format == OutputFormat::Name {
                items.retain(|it| it.is_there);
            }
            table::print(items, &table::RowOptions::of(format))?;
        }
    }
    Ok(exit)
}

/// The catalogs that have a package; those of the repository, if no index is given.
fn presence<'n>(
    context: &Context,
    args: &WhereisArgs,
    index: Option<&Index>,
    configuration: Option<&Configuration>,
    text: &'n str,
) -> Result<((&'n str, WhereisAnswers), Exit), CommandError> {
    let publications = match &args.repo {
        Some(path) => {
            let repository = Repository::around(path).ok_or_else(|| {
                let error =
                    CommandError::new(Exit::Input, format!("`{}` is not an operator repository", path.display()));
                error.help("name a checkout that has `operators/` with `--repo`, such as one of certified-operators")
            })?;
            Some(Publications::read(repository, &PackageName::parse(text).package)?)
        }
        None => None,
    };
    let own = match (index, &publications) {
        (None, Some(publications)) => index_of_repository(context, publications)?,
        _ => None,
    };
    let index = index.or(own.as_ref());
    let name = match index {
        Some(index) => package(index, text)?,
        None => PackageName::parse(text),
    };
    let mirrored = match configuration {
        Some(configuration) => MirroredCatalog::of_configuration(configuration, index, &name.package)?,
        None => Vec::new(),
    };
    let question = WhereisQuestion {
        name,
        catalogs: args.ask.catalog.clone(),
        openshift: args.openshift,
        repository: publications,
        mirrored,
    };
    let answers = question.answer(index)?;
    let exit = if answers.is_there { Exit::Yes } else { Exit::No };
    Ok(((text, answers), exit))
}

/// The catalogs of a repository that have a package.
fn index_of_repository(context: &Context, publications: &Publications) -> Result<Option<Index>, CommandError> {
    let own = publications.catalog_directories();
    if own.is_empty() {
        return Ok(None);
    }
    let words: Vec<String> = own.iter().map(|(name, path)| format!("{name}={}", path.display())).collect();
    AskOptions::of_words(&words).open(context).map(Some)
}

/// A version with its day.
fn cell(channel: &ChannelPresence) -> String {
    let version = version_or_name(&channel.version, &channel.bundle);
    match &channel.date {
        Some(date) => format!("{version} ({date})"),
        None => version.to_owned(),
    }
}

/// The width of texts if that of the terminal is unknown.
const WIDTH: usize = 100;

fn print_all(args: &WhereisArgs, answers: &[(&str, WhereisAnswers)]) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, (name, answers)) in answers.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        print_for_people(args, name, answers, &mut out)?;
    }
    out.flush()
}

fn print_for_people(
    args: &WhereisArgs,
    name: &str,
    answers: &WhereisAnswers,
    mut out: &mut impl Write,
) -> std::io::Result<()> {
    let width = screen().width.unwrap_or(WIDTH);
    let items = &answers.items;
    let n_there = items.iter().filter(|it| it.is_there).count();
    let all = counted(items.len() as u64, "catalog");
    let head = format!("{}: in {n_there} of {all}", printable_line(name));
    writeln!(out, "{}", paint(screen().color, "1", &head))?;
    let groups = groups(items);
    if n_there > 0 {
        writeln!(out)?;
        print_matrix(&mut out, &groups, width)?;
    }
    for item in items.iter().filter(|it| it.deprecation.is_some()) {
        let message = item.deprecation.as_deref().unwrap_or_default();
        write_wrapped(&mut out, "", "  ", &format!("{}: deprecated: {message}", item.catalog), width.min(WIDTH))?;
    }
    let newest = items.iter().rposition(|it| it.is_there);
    let is_asked = |at: usize, it: &CatalogPresence| match args.openshift {
        Some(wanted) => it.openshift.as_deref() == Some(wanted.to_string().as_str()),
        // Without a version, people ask about the newest catalogs.
        None => at >= newest.unwrap_or(items.len().saturating_sub(1)),
    };
    for (at, item) in items.iter().enumerate() {
        if is_asked(at, item) && (!item.is_there || !item.reasons.is_empty()) {
            writeln!(out)?;
            print_reasons(&mut out, args, item, width.min(WIDTH))?;
        }
    }
    let others: Vec<&str> = items
        .iter()
        .enumerate()
        .filter(|(at, it)| args.openshift.is_none() && !it.is_there && !is_asked(*at, it))
        .map(|it| it.1.catalog.as_str())
        .collect();
    if !others.is_empty() {
        let text = format!("Not in {} either; `--openshift VERSION` shows why", others.join(", "));
        writeln!(out)?;
        write_wrapped(&mut out, "", "", &text, width.min(WIDTH))?;
    }
    Ok(())
}

/// Catalogs that follow each other and have the same.
struct Group<'a> {
    header: String,
    channels: &'a [ChannelPresence],
}

fn groups(items: &[CatalogPresence]) -> Vec<Group<'_>> {
    let there = items.iter().filter(|it| it.is_there).collect::<Vec<_>>();
    let chunks = there.chunk_by(|a, b| a.channels == b.channels);
    let group = |chunk: &[&'_ CatalogPresence]| match chunk {
        [first, .., last] => format!("{} to {}", first.catalog, last.catalog),
        [only] => only.catalog.clone(),
        [] => String::new(),
    };
    // Each chunk has at least one catalog.
    chunks.filter_map(|it| Some(Group { header: group(it), channels: &it.first()?.channels })).collect()
}

/// The distance between two columns.
const GAP: usize = 3;

/// Prints channels as rows and catalogs as columns; columns that do not fit follow in a table of their own.
fn print_matrix(out: &mut impl Write, groups: &[Group<'_>], width: usize) -> std::io::Result<()> {
    let mut names: Vec<(&str, bool)> = Vec::new();
    // The newest catalog decides about the order.
    for channel in groups.iter().rev().flat_map(|it| it.channels) {
        if !names.iter().any(|it| it.0 == channel.channel) {
            names.push((&channel.channel, channel.is_default));
        }
    }
    names.sort_by_key(|it| !it.1);
    let label = |it: &(&str, bool)| if it.1 { format!("{} (default)", it.0) } else { it.0.to_owned() };
    let of = |group: &Group<'_>, name: &str| {
        group.channels.iter().find(|it| it.channel == name).map_or_else(|| "-".to_owned(), cell)
    };
    let width_of = |group: &Group<'_>| {
        let cells = names.iter().map(|it| columns(&of(group, it.0)));
        cells.chain([columns(&group.header)]).max().unwrap_or_default()
    };
    let first = names.iter().map(|it| columns(&label(it))).max().unwrap_or_default().max("CHANNEL".len());
    let mut rest = groups;
    while !rest.is_empty() {
        let mut used = first;
        let fitting = rest.iter().take_while(|it| {
            used += GAP + width_of(it);
            used <= width
        });
        let (shown, later) = rest.split_at(fitting.count().max(1));
        let headers = [("CHANNEL".to_owned())].into_iter().chain(shown.iter().map(|it| it.header.clone())).collect();
        let row = |it: &(&str, bool)| -> Vec<String> {
            [label(it)].into_iter().chain(shown.iter().map(|group| of(group, it.0))).collect()
        };
        table::write_aligned(Some(headers), &names.iter().map(row).collect::<Vec<_>>(), GAP, out)?;
        rest = later;
        if !rest.is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

fn print_reasons(
    out: &mut impl Write,
    args: &WhereisArgs,
    item: &CatalogPresence,
    width: usize,
) -> std::io::Result<()> {
    let color = screen().color;
    let first = item.reasons.first().map(|it| it.kind.as_str());
    let (code, verdict) = match (item.is_there, first) {
        (false, _) => ("31", "not available"),
        (true, Some("annotation")) => ("33", "without its newest version"),
        (true, Some("mirror")) => ("33", "available, but not mirrored"),
        (true, _) => ("33", "available, but not in the next render"),
    };
    let verdict = paint(color, code, verdict);
    writeln!(out, "{}: {verdict}", paint(color, "1", &printable_line(&item.catalog)))?;
    for AbsenceReason { text, file, line, .. } in &item.reasons {
        let place = match (file, line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            _ => String::new(),
        };
        write_wrapped(out, "  - ", "    ", &format!("{place}{text}"), width)?;
    }
    let Some(SmallestChange { steps, files, commands }) = args.change(item) else { return Ok(()) };
    writeln!(out, "  To publish it:")?;
    for (at, step) in steps.iter().enumerate() {
        write_wrapped(out, &format!("  {}. ", at + 1), "     ", step, width)?;
    }
    for command in commands {
        writeln!(out, "     {}", printable_line(command))?;
    }
    if item.own_template.is_some() && !args.own_template {
        let text = "Or give it a separate template, like the other catalogs: `--own-template`.";
        write_wrapped(out, "  ", "  ", text, width)?;
    }
    if !files.is_empty() && args.openshift.is_some() {
        write_wrapped(out, "  ", "  ", "`-o patch` prints the change for `git apply`.", width)?;
    }
    Ok(())
}

/// Prints the change as a patch.
fn print_patch(context: &Context, args: &WhereisArgs, answers: &WhereisAnswers) -> Result<(), CommandError> {
    let wanted = args.openshift.map(|it| it.to_string());
    let item = answers.items.iter().find(|it| it.openshift == wanted);
    let change = item.and_then(|it| args.change(it));
    let Some(change) = change.filter(|it| !it.files.is_empty()) else {
        let (exit, message) = match (answers.is_there, change) {
            (true, _) => (Exit::Yes, "it is already there: nothing to change".to_owned()),
            (false, Some(change)) => {
                (Exit::No, format!("no change to a file publishes it: {}", change.steps.join("; ")))
            }
            (false, None) => (Exit::No, "no change is known that publishes it".to_owned()),
        };
        if exit == Exit::Yes {
            context.reporter.note(&message);
            return Ok(());
        }
        return Err(CommandError::new(exit, message).help("without `-o patch`, the command shows why it is missing"));
    };
    unless_reader_left(std::io::stdout().write_all(patch(&change.files).as_bytes()).map_err(CommandError::from))?;
    for command in &change.commands {
        context.reporter.note(&format!("then run `{command}`"));
    }
    Ok(())
}

/// The text of a patch.
fn patch(files: &[FileChange]) -> String {
    let mut text = String::new();
    for FileChange { path, copy_of, before, after } in files {
        match (copy_of, before, after) {
            (Some(from), ..) => text.push_str(&format!(
                "diff --git a/{from} b/{path}\nsimilarity index 100%\ncopy from {from}\ncopy to {path}\n"
            )),
            (None, Some(before), Some(after)) => {
                text.push_str(&format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"));
                for (kind, line) in difference(1, before, after) {
                    text.push_str(match kind {
                        LineKind::Range => "",
                        LineKind::Kept => " ",
                        LineKind::Removed => "-",
                        LineKind::Added => "+",
                    });
                    text.push_str(&line);
                    match kind {
                        LineKind::Range => text.push('\n'),
                        _ if line.ends_with('\n') => {}
                        // The last line of a file may have no end.
                        _ => text.push_str("\n\\ No newline at end of file\n"),
                    }
                }
            }
            (None, ..) => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{FileChange, patch};

    #[test]
    fn a_patch_says_where_a_file_has_no_last_line_end() {
        let text = |it: &str| Some(it.to_owned());
        let edited = FileChange {
            path: "ci.yaml".to_owned(),
            copy_of: None,
            before: text("a: 1\nb: 2"),
            after: text("a: 1\nb: 2\nc: 3"),
        };
        let copied = FileChange { path: "new".to_owned(), copy_of: text("old"), before: None, after: None };
        assert_eq!(
            patch(&[edited, copied]),
            "diff --git a/ci.yaml b/ci.yaml\n--- a/ci.yaml\n+++ b/ci.yaml\n@@ -1,2 +1,3 @@\n a: 1\n-b: 2\n\\ No newline at end of \
             file\n+b: 2\n+c: 3\n\\ No newline at end of file\ndiff --git a/old b/new\nsimilarity index 100%\ncopy from \
             old\ncopy to new\n"
        );
    }
}
