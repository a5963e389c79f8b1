//! `olmdex lifecycle`

use crate::cli::args::formats::words;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use crate::ask::{guess, no_package};
use crate::calendar::Day;
use crate::cli::args::day::{Span, day, parse_day, parse_span};
use crate::cli::args::formats::choices;
use crate::cli::args::lifecycles::read_lifecycles;
use crate::cli::args::name::bundle_of;
use crate::cli::args::part::Reach;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::constraint::openshift::Minor;
use crate::fbc::{Name, without_v};
use crate::index::Index;
use crate::openshift::{Lifecycle, LifecycleRow, PlatformFit, SupportLevel};

/// Show how long versions are supported, and on which OpenShift versions
///
/// Red Hat's catalogs hold lifecycles: for each minor version of an operator its phases of support, and the OpenShift
/// versions that it is made for. A package or version without a lifecycle may still be supported. Exits with 1 if
/// something in the question is not supported on the day, not made for the OpenShift version, or not known.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex lifecycle --lifecycles lifecycles.yaml --date 2026-08-20
  olmdex lifecycle keda@2.9.0 --lifecycles lifecycles.yaml --openshift 4.18 --date 2026-08-20
  olmdex lifecycle --lifecycles lifecycles.yaml --date 2026-08-20 --ending-within 6m -o json")]
pub(crate) struct LifecycleArgs {
    /// The packages, also as PKG@VERSION. Default: all that have a lifecycle
    #[arg(value_name = "PKG@VERSION")]
    packages: Vec<String>,
    /// Lifecycles in files, in addition to those of the catalogs; may be repeated
    #[arg(long, value_name = "FILE")]
    lifecycles: Vec<PathBuf>,
    /// The day. Default: that of $SOURCE_DATE_EPOCH, else today (UTC)
    #[arg(long, value_name = "DAY", value_parser = parse_day)]
    date: Option<Day>,
    /// Whether they are made for this version of OpenShift
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// Only versions that are supported now and will not be after this time: 90d, 6m, 1y
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    ending_within: Option<Span>,
    /// Phases that count as supported; extended phases are add-ons that are paid for
    #[arg(long, value_parser = words::<SupportLevel>(), default_value = "extended")]
    support: SupportLevel,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

choices! { Words for SupportLevel =>
    Full: "full", "Full support only";
    Maintenance: "maintenance", "Full and maintenance support";
    Extended: "extended", "Full, maintenance and extended support";
}

impl Row for LifecycleRow {
    const KIND: &'static str = "LifecycleList";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("SOURCE", |it| Cow::from(&it.source)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("MINOR", |it| Cow::from(&it.minor)),
        column("SUPPORT", |it| it.support.words().into()),
        column("PHASE ENDS", |it| it.support.ends.as_deref().unwrap_or_default().into()),
        column("SUPPORT ENDS", |it| it.support.support_ends.as_deref().unwrap_or_default().into()),
        column("OPENSHIFT", |it| it.openshift.as_deref().unwrap_or_default().join(", ").into()),
        column("COMPATIBILITY", |it| it.compatibility.map_or("", PlatformFit::as_str).into()),
        wide("DATE", |it| Cow::from(&it.date)),
    ];

    fn name(&self) -> String {
        format!("{}@{}", self.package, self.minor)
    }
}

pub(crate) fn run(context: &Context, args: &LifecycleArgs) -> CommandResult {
    let day = day(args.date)?;
    // A file is enough.
    let index = if args.lifecycles.is_empty() || args.ask.is_given() {
        Some(args.ask.open_part(context, &args.packages, Reach::Own)?)
    } else {
        None
    };
    let all = read_lifecycles(context, index.as_ref(), &args.ask.catalog, &args.lifecycles)?;
    let openshift = args.openshift.map(|it| it.to_string());
    let mut rows = Vec::new();
    if args.packages.is_empty() {
        let mut seen = BTreeSet::new();
        for (source, lifecycle) in &all {
            if seen.insert((source, &lifecycle.package)) {
                rows.extend(LifecycleRow::of(source, lifecycle, None, day, openshift.as_deref()));
            }
        }
    }
    for name in &args.packages {
        let (package, version) = named(name, index.as_ref(), &all)?;
        let of_package = all.iter().filter(|it| it.1.package == package);
        let found: Vec<LifecycleRow> = of_package
            .flat_map(|(source, it)| LifecycleRow::of(source, it, version.as_deref(), day, openshift.as_deref()))
            .collect();
        if found.is_empty() {
            must_be_known(context, index.as_ref(), &package, &all)?;
            let version = version.as_deref().unwrap_or_default();
            rows.push(LifecycleRow::unknown(&package, version, day, openshift.as_deref()));
        }
        rows.extend(found);
    }
    if let Some(span) = args.ending_within {
        let end = span.after(day).to_string();
        rows.retain(|it| {
            it.support.is_active(args.support) && it.support.support_ends.as_ref().is_some_and(|ends| *ends <= end)
        });
    }
    let is_bad = |it: &LifecycleRow| {
        let is_incompatible = it.compatibility.is_some_and(|it| it != PlatformFit::Compatible);
        !it.support.is_active(args.support) || is_incompatible
    };
    // A list of everything includes old versions, which are no reason to exit with 1; a user who names a package wants
    // to know about its support.
    let is_no = if args.packages.is_empty() {
        args.ending_within.is_some() && !rows.is_empty()
    } else {
        rows_say_no(&rows, &is_bad)
    };
    if rows.is_empty() && args.packages.is_empty() && args.ending_within.is_none() {
        let error = CommandError::new(Exit::No, "the catalogs hold no lifecycles");
        return Err(error.help("only Red Hat's catalogs hold them; add others with `--lifecycles FILE`"));
    }
    table::print(rows, &args.rows)?;
    if args.date.is_none() {
        context.reporter.note(&format!("support as of {day} (choose another day with `--date`)"));
    }
    Ok(if is_no { Exit::No } else { Exit::Yes })
}

/// The package and version of a word. A bundle has the version from the catalogs; without catalogs, the one in its
/// name.
fn named(
    word: &str,
    index: Option<&Index>,
    lifecycles: &[(String, Lifecycle)],
) -> Result<(String, Option<String>), CommandError> {
    let name = match Name::parse(word) {
        Name::Version(package, version) => return Ok((package, Some(version))),
        Name::Channel(package, _) => return Ok((package, None)),
        Name::Plain(name) => name,
    };
    if let Some(index) = index
        && let Some((package, version)) = bundle_of(index, &name)?
    {
        return Ok((package, Some(version)));
    }
    let mut packages = lifecycles.iter().map(|it| it.1.package.as_str());
    let version_of = |package: &str| {
        let version = without_v(name.strip_prefix(package)?.strip_prefix('.')?);
        version.starts_with(|it: char| it.is_ascii_digit()).then(|| (package.to_owned(), Some(version.to_owned())))
    };
    Ok(packages.find_map(version_of).unwrap_or((name.clone(), None)))
}

/// A package that neither the catalogs nor the lifecycles have is more likely a slip than intended. Lifecycles alone do
/// not tell which packages exist.
fn must_be_known(
    context: &Context,
    index: Option<&Index>,
    package: &str,
    lifecycles: &[(String, Lifecycle)],
) -> Result<(), CommandError> {
    if lifecycles.iter().any(|it| it.1.package == package) {
        return Ok(());
    }
    let Some(index) = index else {
        let names: Vec<String> = lifecycles.iter().map(|it| it.1.package.clone()).collect();
        let meant = guess(package, &names, "");
        if !meant.is_empty() {
            context.reporter.note(&format!("no lifecycle of `{package}`; {meant}"));
        }
        return Ok(());
    };
    if index.package_names()?.iter().any(|it| it == package) { Ok(()) } else { Err(no_package(index, package)?.into()) }
}

/// Whether the answer about something named is no: for a package as a whole, if none of its versions is good.
fn rows_say_no(rows: &[LifecycleRow], is_bad: &dyn Fn(&LifecycleRow) -> bool) -> bool {
    let packages: BTreeSet<&str> = rows.iter().map(|it| it.package.as_str()).collect();
    packages.into_iter().any(|package| rows.iter().filter(|it| it.package == package).all(is_bad))
}
