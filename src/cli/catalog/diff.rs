//! `olmdex diff`

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use crate::ask::{
    self, DifferenceWish, Differences, PackageChangeKind, PackageChanges, PackageName, bundle_called, check_catalog,
};
use crate::calendar::Day;
use crate::cli::args::bundle_images::TemplateBundleArgs;
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::name::{of_each, whole_package};
use crate::cli::args::sources::{NamedSource, check_names, default_source, import_files};
use crate::cli::args::two_states::TwoStates;
use crate::cli::args::words::SourceOption;
use crate::cli::print::changes;
use crate::cli::print::fit::without_middle;
use crate::cli::print::headline::{Sign, headline};
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::screen::screen;
use crate::diag::{Tally, counted, grouped};
use crate::fbc::{Input, InputFile};
use crate::index::query::{Change, ChangeKind, Side, Subject};
use crate::index::{Index, Moment};
use crate::source::{STDIN, Source};
use crate::version::first_of;

/// Compare two catalogs: channels, edges, bundles, images, APIs
///
/// Breaking changes are packages and channels that are gone, versions that lose their upgrade in a channel, and bundles
/// with other content under the same name. Order and layout of the catalogs make no difference. Exits with 1 if they
/// differ. OLD and NEW are directories, files, indexes, or `-` for standard input; or `[NAME]@DAY`, a day of the past
/// of the index. Without them, both are $OLMDEX_INDEX, then ./index.db.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex diff old-catalog/ my-catalog/
  olmdex diff index.db my-catalog/ --package keda -o markdown
  olmdex diff old-catalog/ my-catalog/ --breaking --omit metadata-form
  olmdex diff versions.db versions.db --old-catalog v4.19 --new-catalog v4.20 -o json")]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    states: TwoStates,
    #[command(flatten)]
    _source_option: SourceOption,
    #[command(flatten)]
    templates: TemplateBundleArgs,
    /// Name of the old catalog in an index. In an index with a past (`build --git`) also NAME@DAY, as the catalog was
    /// on any day, and NAME, its newest state
    #[arg(long, value_name = "NAME")]
    old_catalog: Option<String>,
    /// Name of the new catalog in an index, in the same way
    #[arg(long, value_name = "NAME")]
    new_catalog: Option<String>,
    /// Only this package; may be repeated
    #[arg(long, short, value_name = "PKG")]
    package: Vec<String>,
    /// Only the packages that this cluster has installed: manifests, a must-gather, `-`, or `@CONTEXT`
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    /// Also show the contents of added and removed packages, channels and bundles
    #[arg(long)]
    details: bool,
    /// Show only breaking changes; the exit code depends only on them then
    #[arg(long)]
    breaking: bool,
    /// Leave out changes of this kind; may be repeated
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', alias = "ignore")]
    omit: Vec<Ignored>,
    #[command(flatten)]
    rows: RowOptions,
}

/// Kinds of changes that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ignored {
    Subject(Subject),
    /// A ClusterServiceVersion that one catalog has as `olm.bundle.object` and the other as `olm.csv.metadata`.
    MetadataForm,
}

impl Ignored {
    fn fits(self, change: &Change) -> bool {
        match self {
            Self::MetadataForm => change.field.as_deref() == Some(Change::METADATA_FORM),
            Self::Subject(subject) => change.subject == subject,
        }
    }
}

impl ValueEnum for Ignored {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::MetadataForm,
            Self::Subject(Subject::Package),
            Self::Subject(Subject::Channel),
            Self::Subject(Subject::Entry),
            Self::Subject(Subject::Bundle),
            Self::Subject(Subject::Image),
            Self::Subject(Subject::Api),
            Self::Subject(Subject::RequiredPackage),
            Self::Subject(Subject::Constraint),
            Self::Subject(Subject::Property),
            Self::Subject(Subject::Deprecation),
            Self::Subject(Subject::Document),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::MetadataForm => "metadata-form".to_owned(),
            Self::Subject(subject) => subject.words().to_lowercase().replace(' ', "-"),
        }))
    }
}

/// Longest value in a table for people, in characters; wide tables show all.
const MAX_CELL: usize = 44;

/// So many changes of named packages are listed one by one on a terminal.
const FEW_CHANGES: usize = 60;

/// So many versions of a change have their names on a terminal.
const FEW_VERSIONS: usize = 8;

/// The width of a terminal from which on rows have room for their values, in columns.
const ROOM_FOR_ROWS: usize = 160;

/// The highest number of lines for a sentence on a narrower terminal.
const MAX_LINES: usize = 4;

pub(crate) fn run(context: &Context, args: &DiffArgs) -> CommandResult {
    let mut wanted = [args.old_catalog.clone(), args.new_catalog.clone()];
    let mut names = args.package.clone();
    if let Some((cluster, shown)) = named_cluster(context, &args.cluster, Asked::Operators)? {
        let installed: BTreeSet<String> = ask::installed_operators(&cluster).into_iter().map(|it| it.package).collect();
        if installed.is_empty() {
            return Err(CommandError::new(Exit::No, format!("{shown} holds no operator")));
        }
        names.extend(installed);
        let upgrades = "`olmdex upgrades --cluster CLUSTER -i NEW` shows what NEW offers to the installed versions";
        context.reporter.note(&format!("only the packages that {shown} has installed; {upgrades}"));
    }
    let sides = open_sources(context, args, &mut wanted)?;
    let is_whole = names.is_empty() && wanted.iter().all(Option::is_none);
    if is_whole && are_equal_and_valid(&sides) {
        let none = Differences { changes: Vec::new(), n_ignored: 0, n_details: 0, unchecked: BTreeSet::new() };
        let [old, new] = sides.map(|it| it.0.shown());
        return print(context, args, (&old, &new), none);
    }
    let (old, new) = open(context, &wanted, sides)?;
    let new_index = new.index.as_ref().or(old.index.as_ref());
    let (Some(old_index), Some(new_index)) = (old.index.as_ref(), new_index) else {
        return Err(CommandError::new(Exit::Bug, "internal error: no catalog was opened"));
    };
    let (old_side, new_side) =
        (Side { index: old_index, catalog: &old.catalog }, Side { index: new_index, catalog: &new.catalog });
    // Documents are compared by their digests, which somebody may have kept for other texts.
    if !old.is_verified {
        old_index.verify_other_texts(&old.catalog, new_index)?;
    }
    if !new.is_verified {
        new_index.verify_other_texts(&new.catalog, old_index)?;
    }
    let wish = DifferenceWish { breaking: args.breaking, details: args.details };
    let is_omitted = |change: &Change| args.omit.iter().any(|kind| kind.fits(change));
    let (packages, missing) = of_each(context, &names, |text| {
        let package = PackageName::parse(text).package;
        let is_in_new = new_index.package_names()?.contains(&package) || bundle_called(new_index, text)?.is_some();
        let package = whole_package(context, if is_in_new { new_index } else { old_index }, text)?;
        ask::must_be_in_either(old_side, new_side, &package)?;
        Ok((package, Exit::Yes))
    })?;
    if packages.is_empty() && !names.is_empty() {
        return Ok(missing);
    }
    let differences = ask::differences(old_side, new_side, &packages, wish, is_omitted)?;
    // People read a row for each package; a few changes of named packages, and those for programs, one by one.
    let is_for_people = args.rows.are_for_people() && !args.details;
    let is_short = !packages.is_empty() && differences.changes.len() <= FEW_CHANGES;
    if is_for_people && !differences.changes.is_empty() {
        let told = ask::by_package(old_side, new_side, &differences.changes)?;
        print_news(&told)?;
        let is_form_only = told.iter().all(|changes| changes.kind() == PackageChangeKind::FormOnly);
        if is_short && !is_form_only {
            return Ok(print(context, args, (&old.shown, &new.shown), differences)?.max(missing));
        }
        print_packages(&told)?;
        let summary = changes::summary(&differences.changes);
        let rest = left_out(differences.n_ignored, args) + &hidden(differences.n_details);
        context.reporter.note(&format!("{summary}{rest}; `-o wide` lists each"));
        return Ok(Exit::No.max(missing));
    }
    Ok(print(context, args, (&old.shown, &new.shown), differences)?.max(missing))
}

/// Whether both sides are files of the same bytes, without errors, which would have to be reported. Nothing else can
/// differ then.
fn are_equal_and_valid([old, new]: &Sides) -> bool {
    let (Source::Catalog(old), Source::Catalog(new)) = (&old.1, &new.1) else { return false };
    let is_plain =
        |it: &Input| it.remarks.is_empty() && it.image.is_none() && it.files.iter().all(|it| it.path().is_some());
    if !is_plain(old) || !is_plain(new) || old.files.len() != new.files.len() {
        return false;
    }
    let is_same = |(old, new): (&InputFile, &InputFile)| match (old.size(), new.size()) {
        (Some(a), Some(b)) if a == b => old.whole().is_ok_and(|a| new.whole().is_ok_and(|b| a == b)),
        _ => false,
    };
    if !old.files.par_iter().zip(&new.files).all(is_same) {
        return false;
    }
    let report = check_catalog(old, None);
    report.opm.is_none() && Tally::of(&report.findings).errors == 0
}

/// Prints the differences. `shown` are the names of both sides for people.
fn print(context: &Context, args: &DiffArgs, shown: (&str, &str), differences: Differences) -> CommandResult {
    let is_same = differences.is_same();
    let Differences { changes: mut found, n_ignored, n_details, unchecked } = differences;
    if args.rows.output == OutputFormat::Markdown {
        let mut out = BufWriter::new(std::io::stdout().lock());
        changes::write_markdown(shown.0, shown.1, &found, &mut out)?;
        out.flush()?;
    }
    let summary = changes::summary(&found);
    let mut n_forms = 0;
    match args.rows.output {
        OutputFormat::Markdown => {}
        OutputFormat::Table | OutputFormat::Wide => {
            let is_for_people = args.rows.are_for_people();
            let shown = |text: &String| match (args.rows.output, screen().width) {
                (OutputFormat::Wide, _) => one_line(text, usize::MAX),
                // On a narrower terminal, long values go below their rows, and sentences are wrapped.
                (_, Some(width)) if width < ROOM_FOR_ROWS => one_line(text, width * MAX_LINES),
                _ => one_line(text, MAX_CELL),
            };
            if is_for_people {
                // Another form is no other bundle, and there may be hundreds of such rows.
                let n_all = found.len();
                found.retain(|it| it.field.as_deref() != Some(Change::METADATA_FORM));
                n_forms = (n_all - found.len()) as u64;
            }
            for change in &mut found {
                change.old = change.old.as_ref().map(shown);
                change.new = change.new.as_ref().map(shown);
            }
            match is_same {
                true => {}
                false if is_for_people => print_folded(&found)?,
                false => table::print(found, &args.rows)?,
            }
        }
        OutputFormat::Name => {
            let mut seen = HashSet::new();
            found.retain(|it| seen.insert(it.name()));
            table::print(found, &args.rows)?;
        }
        _ => table::print(found, &args.rows)?,
    }
    let ignored = left_out(n_ignored, args);
    if is_same && !unchecked.is_empty() {
        let names = first_of(unchecked.iter().map(|it| format!("`{it}`")), unchecked.len());
        let of = if unchecked.len() == 1 { "package" } else { "packages" };
        let error =
            CommandError::new(Exit::No, format!("found no breaking change, but {of} {names} could not be checked"));
        return Err(error.help("`olmdex validate` shows why it is not valid"));
    }
    if is_same {
        let what = if args.breaking { "no breaking change" } else { "no difference" };
        context.reporter.note(&format!("{what}{ignored}"));
        return Ok(Exit::Yes);
    }
    let hidden = hidden(n_details);
    let forms = match n_forms {
        0 => String::new(),
        n => format!(", {} in the form of metadata alone", grouped(n)),
    };
    let rest = format!("{forms}{ignored}{hidden}");
    context.reporter.note(&format!("{summary}{rest}"));
    Ok(Exit::No)
}

/// Prints a row for changes that differ in the channel or bundle alone; those that break something come first.
fn print_folded(changes: &[Change]) -> Result<(), CommandError> {
    let mut groups: Vec<Vec<&Change>> = Vec::new();
    let key = |it: &Change| (it.breaking, it.change, it.subject);
    for change in changes {
        let is_same = |group: &&mut Vec<&Change>| {
            let first = group[0];
            key(first) == key(change) && (&first.package, &first.field) == (&change.package, &change.field)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(change),
            None => groups.push(vec![change]),
        }
    }
    groups.sort_by_key(|group| !group[0].breaking);
    let row = |group: &Vec<&Change>| {
        let first = group[0];
        let breaking = if first.breaking { "yes" } else { "" };
        let cells = [&first.package, breaking, first.change.word(), &what_field(first), &which(group)];
        cells.map(str::to_owned).to_vec()
    };
    let headers = ["PACKAGE", "BREAKING", "CHANGE", "WHAT", "WHICH"].map(str::to_owned).to_vec();
    let rows = groups.iter().map(row).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    table::write_table(OutputFormat::Table, Some(headers), rows, &[&["WHICH"]], &mut out)?;
    out.flush()?;
    Ok(())
}

/// The subject of a change with its field, in words.
fn what_field(change: &Change) -> String {
    let what = what(change);
    match (change.field.as_deref(), what.strip_prefix("field of ")) {
        (Some(field), Some(subject)) => format!("{field} of {subject}"),
        (Some(field), None) if change.change != ChangeKind::Stranded && field != what => format!("{what} {field}"),
        _ => what.into_owned(),
    }
}

/// The channels and versions that changes are about, and the values if there is only one.
fn which(changes: &[&Change]) -> String {
    let joined = |parts: [String; 2]| parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(": ");
    let version = |it: &&Change| it.version.clone().or_else(|| it.bundle.clone());
    let of_channel = |run: &[&Change]| {
        let versions: Vec<String> = run.iter().filter_map(version).collect();
        joined([run[0].channel.clone().unwrap_or_default(), some_of(&versions)])
    };
    let names: Vec<String> = changes.chunk_by(|a, b| a.channel == b.channel).map(of_channel).collect();
    let values = match changes {
        [Change { old: Some(old), new: Some(new), .. }] => format!("{old} → {new}"),
        [Change { old: Some(only), .. } | Change { new: Some(only), .. }] => only.clone(),
        _ => String::new(),
    };
    joined([some_of(&names), values])
}

/// The first of many names, the last one, and how many there are.
fn some_of(names: &[String]) -> String {
    match names {
        [first @ .., last] if names.len() > FEW_VERSIONS => {
            format!("{}, … {last} ({} in all)", first[..FEW_VERSIONS - 1].join(", "), names.len())
        }
        all => all.join(", "),
    }
}

/// Prints how many packages break something, and how many are new.
fn print_news(packages: &[PackageChanges]) -> Result<(), CommandError> {
    let has = |kind| PackageChanges::n_of(packages, kind) > 0;
    let sign = match has(PackageChangeKind::Breaking) {
        true => Sign::Bad,
        false if has(PackageChangeKind::OtherContent) => Sign::Fair,
        false => Sign::Good,
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    headline(sign, &PackageChanges::news(packages), screen().width, &mut out)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Prints a row for each package, or for several with the same changes.
fn print_packages(packages: &[PackageChanges]) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let row = |changes: &PackageChanges| {
        let head = |head: &Option<String>| head.clone().unwrap_or_else(|| "–".to_owned());
        let (old, new) = &changes.heads;
        let heads = if old == new { head(new) } else { format!("{} → {}", head(old), head(new)) };
        let mut words: Vec<String> = changes.breaks.iter().map(|(what, how)| format!("{what}: {how}")).collect();
        if let Some((old, new)) = &changes.default_channel {
            words.push(format!("default channel {old} → {new}"));
        }
        if !changes.new_channels.is_empty() {
            words.push(format!("new channels {}", changes.new_channels.join(", ")));
        }
        if changes.packages.len() > 1 {
            words.push(changes.packages.join(", "));
        }
        vec![changes.name(), heads, changes.versions_in_words(), words.join("; ")]
    };
    let told: Vec<Vec<String>> =
        packages.iter().filter(|it| it.kind() != PackageChangeKind::FormOnly).map(row).collect();
    let headers = ["PACKAGE", "DEFAULT HEAD", "BUNDLES", "WHAT CHANGES"].map(str::to_owned).to_vec();
    if !told.is_empty() {
        table::write_table(OutputFormat::Table, Some(headers), told, &[&["WHAT CHANGES"]], &mut out)?;
        writeln!(out)?;
    }
    let n_forms = packages.iter().map(|it| it.n_forms).sum::<usize>() as u64;
    if n_forms > 0 {
        writeln!(out, "{} state the same in another form.", counted(n_forms, "bundle"))?;
    }
    out.flush()?;
    Ok(())
}

/// How many changes are not wanted.
fn left_out(n_ignored: usize, args: &DiffArgs) -> String {
    match (n_ignored, args.breaking, args.omit.is_empty()) {
        (0, ..) => String::new(),
        (n, true, true) => format!("; {} not breaking", counted(n as u64, "other change")),
        (n, ..) => format!("; {} left out", counted(n as u64, "change")),
    }
}

/// How many changes are parts of others, and not shown.
fn hidden(n_details: usize) -> String {
    if n_details == 0 {
        return String::new();
    }
    format!("; {} hidden, use `--details`", counted(n_details as u64, "nested change"))
}

/// An open source: the catalog and its index.
struct DiffSide {
    /// Absent if the catalog is in the index of the old one.
    index: Option<Index>,
    catalog: String,
    /// How people call it.
    shown: String,
    /// Whether its texts have their digests.
    is_verified: bool,
}

/// Both sides, the old one first.
type Sides = [(NamedSource, Source); 2];

fn open_sources(context: &Context, args: &DiffArgs, wanted: &mut [Option<String>; 2]) -> Result<Sides, CommandError> {
    let (old_source, new_source) = match args.states.both() {
        Some((old, new)) => (of_day(old.clone())?, of_day(new.clone())?),
        None => {
            let index = (default_source()?, None);
            (index.clone(), index)
        }
    };
    let (old_source, new_source) = (named_of(old_source, &mut wanted[0])?, named_of(new_source, &mut wanted[1])?);
    if [&old_source, &new_source].into_iter().all(|it| it.path.as_os_str() == STDIN) {
        return Err(CommandError::usage("standard input cannot be both catalogs"));
    }
    let context = &context.with_bundles(args.templates.places());
    let old = context.open(&old_source.path)?;
    let new = context.open(&new_source.path)?;
    let is_template = |source: &Source| matches!(source, Source::Catalog(Input { is_template: true, .. }));
    if is_template(&old) != is_template(&new) {
        let (template, other) = if is_template(&old) { (&old_source, &new_source) } else { (&new_source, &old_source) };
        let message = format!("`{}` is a template, and `{}` is none", template.shown(), other.shown());
        let help = "compare two templates, or render it first: its bundles are in images";
        return Err(CommandError::usage(message).help(help));
    }
    Ok([(old_source, old), (new_source, new)])
}

/// The source; its day becomes a part of the wanted state.
fn named_of(
    (source, day): (NamedSource, Option<String>),
    wanted: &mut Option<String>,
) -> Result<NamedSource, CommandError> {
    match (day, &wanted) {
        (None, _) => {}
        (Some(day), None) => *wanted = Some(day),
        (Some(day), Some(name)) if day.starts_with('@') => *wanted = Some(format!("{name}{day}")),
        (Some(day), Some(name)) => {
            return Err(CommandError::usage(format!("`{day}` and `{name}` both name the catalog")));
        }
    }
    Ok(source)
}

/// A source of the form `[NAME]@DAY`: that catalog in the default index.
fn of_day(source: NamedSource) -> Result<(NamedSource, Option<String>), CommandError> {
    let text = source.path.to_string_lossy().into_owned();
    match text.rsplit_once('@') {
        Some((_, day)) if !source.path.exists() && Day::parse(day).is_some() => Ok((default_source()?, Some(text))),
        _ => Ok((source, None)),
    }
}

/// Opens both sources. Catalogs in files are imported into one index, so that common documents are read once.
fn open(context: &Context, wanted: &[Option<String>; 2], sides: Sides) -> Result<(DiffSide, DiffSide), CommandError> {
    let [(old_source, old), (new_source, new)] = sides;
    let mut builder = ask::builder();
    let mut has_files = false;
    let mut take = |source: Source, given: &NamedSource, side: &str, wanted: Option<&String>| match source {
        Source::Index(file) => {
            let opened = open_index(context, &file, side, wanted)?;
            let shown = if given.is_named { given.shown() } else { opened.shown.clone() };
            Ok(DiffSide { shown, ..opened })
        }
        Source::Catalog(input) => {
            if wanted.is_some() {
                let path = given.path.display();
                let message = format!("`--{side}-catalog` chooses from an index, and `{path}` is not one");
                return Err(CommandError::usage(message));
            }
            let named = NamedSource { name: side.to_owned(), is_named: true, path: given.path.clone() };
            import_files(context, &mut builder, &named, &input)?;
            has_files = true;
            Ok(DiffSide { index: None, catalog: side.to_owned(), shown: given.shown(), is_verified: true })
        }
    };
    let mut old = take(old, &old_source, "old", wanted[0].as_ref())?;
    let mut new = take(new, &new_source, "new", wanted[1].as_ref())?;
    if has_files {
        let imported = Some(builder.into_index()?);
        if old.index.is_none() {
            old.index = imported;
        } else {
            new.index = imported;
        }
    }
    Ok((old, new))
}

fn open_index(context: &Context, file: &Path, side: &str, wanted: Option<&String>) -> Result<DiffSide, CommandError> {
    let mut index = Index::open(file)?;
    let names = index.catalog_names()?;
    if let Some((name, state)) = wanted.filter(|it| !names.contains(it)).and_then(|it| it.rsplit_once('@'))
        && let Some(name) = names.iter().find(|it| *it == name || name.is_empty() && names.len() == 1)
        && index.has_states()?
    {
        let Some(found) = index.state_named(name, state)? else {
            let error = CommandError::new(Exit::NotFound, format!("catalog `{name}` has no state `{state}`"));
            let first = index.states(name)?.into_iter().next();
            return Err(match first {
                Some(first) => error.help(format!("the first state is `{}`, from {}", first.state, first.day)),
                None => error,
            });
        };
        let shown = format!("{name}@{}", found.state);
        if state != found.state {
            context.reporter.note(&format!("the {side} catalog `{name}@{state}` is `{shown}`"));
        }
        // The documents of a state are any of the index.
        index.verify_texts(None)?;
        index.set_as_of(Moment::of_state(found.number), std::slice::from_ref(name), None)?;
        return Ok(DiffSide { catalog: name.clone(), index: Some(index), shown, is_verified: true });
    }
    let catalog = match (wanted, names.as_slice()) {
        (Some(wanted), _) => {
            let Some(found) = index.catalog_as_of(wanted)? else {
                check_names(std::slice::from_ref(wanted), &names)?;
                return Err(CommandError::new(Exit::NotFound, format!("no catalog `{wanted}`")));
            };
            if found != *wanted {
                context.reporter.note(&format!("the {side} catalog `{wanted}` is `{found}`"));
            }
            found
        }
        (None, [only]) => only.clone(),
        (None, []) => {
            return Err(CommandError::new(Exit::Input, format!("`{}` has no catalog", file.display())));
        }
        (None, _) => {
            let message = format!("`{}` has {} catalogs", file.display(), names.len());
            let help = format!("choose the {side} one with `--{side}-catalog NAME`: {}", names.join(", "));
            return Err(CommandError::usage(message).help(help));
        }
    };
    Ok(DiffSide { index: Some(index), shown: catalog.clone(), catalog, is_verified: false })
}

/// A value on one line, its middle left out if it is longer than `width`: references of images differ at both ends.
fn one_line(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    without_middle(&text, width)
}

impl Row for Change {
    const KIND: &'static str = "CatalogDiff";

    const COLUMNS: &'static [Column<Self>] = &[
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("CHANGE", |it| it.change.word().into()),
        column("BREAKING", |it| Cow::from(if it.breaking { "yes" } else { "" })),
        column("WHAT", what),
        column("CHANNEL", |it| or_empty(&it.channel)),
        column("BUNDLE", |it| or_empty(&it.bundle)),
        wide("VERSION", |it| or_empty(&it.version)),
        column("FIELD", |it| or_empty(&it.field)),
        column("OLD", |it| or_empty(&it.old)),
        column("NEW", |it| or_empty(&it.new)),
    ];

    const BELOW: &'static [&'static [&'static str]] =
        &[&["OLD", "NEW"], &["BUNDLE"], &["FIELD"], &["CHANNEL"], &["WHAT"]];

    /// The name of the changed thing: the bundle, the channel or the package.
    fn name(&self) -> String {
        match (&self.bundle, &self.channel) {
            (Some(bundle), None) => bundle.clone(),
            (Some(bundle), _) if self.change == ChangeKind::Stranded => bundle.clone(),
            (_, Some(channel)) => format!("{}/{channel}", self.package),
            _ => self.package.clone(),
        }
    }
}

/// The subject of a change. A changed field is named as a field, since "removed, channel, stable, head" reads as if the
/// channel were removed.
fn what(change: &Change) -> Cow<'static, str> {
    let is_whole = matches!(change.field.as_deref(), None | Some(Change::CONTENT | Change::METADATA_FORM));
    match change.subject {
        Subject::Package | Subject::Channel | Subject::Entry | Subject::Bundle
            if !is_whole && change.change != ChangeKind::Stranded =>
        {
            format!("field of {}", change.subject.words()).into()
        }
        subject => subject.words().into(),
    }
}

fn or_empty(value: &Option<String>) -> Cow<'_, str> {
    Cow::from(value.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{hidden, one_line};

    #[test]
    fn one_hidden_change_is_no_plural() {
        assert_eq!(hidden(0), "");
        assert_eq!(hidden(1), "; 1 nested change hidden, use `--details`");
        assert_eq!(hidden(2437), "; 2,437 nested changes hidden, use `--details`");
    }

    #[test]
    fn long_values_lose_their_middle() {
        assert_eq!(one_line("a\n b", 10), "a b");
        assert_eq!(one_line("0123456789abcdef", 10), "012345…def");
        assert_eq!(one_line("ääääääääääää", 7), "ääää…ää");
    }
}
