//! `olmdex list`

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{BufWriter, Write as _};

use clap::{Args, ValueEnum};

use crate::ask::{Conditions, PackageName, no_channel, no_package, no_version, one_of};
use crate::cli::args::formats::Compat;
use crate::cli::args::name::{of_each, package};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::release_words;
use crate::cli::print::by_package::{InCatalog, print_by_package};
use crate::cli::print::left_out::limit;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::index::query::{BundleRow, CatalogRow, ChannelRow, Filter, PackageRow, Status};
use crate::index::{Index, ListIndex};

/// List packages, channels, bundles or catalogs
///
/// The default head of a package must meet the conditions, but for APIs and images, which any version may have.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex list packages -i my-catalog/
  olmdex list channels keda
  olmdex list packages --category Database --capability 4 --limit 20
  olmdex list bundles keda/stable -o wide --sort-by VERSION")]
pub(crate) struct ListArgs {
    /// Kind of things to list
    #[arg(value_enum, default_value = "packages")]
    what: ListSubject,
    /// Only this package, or the things in this channel, version or bundle of it
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]")]
    names: Vec<String>,
    #[command(flatten)]
    conditions: Conditions,
    /// Only packages, channels or bundles with this status; if repeated, with any of them
    #[arg(long, value_name = "STATUS", value_parser = one_of::<Status>())]
    status: Vec<Status>,
    /// At most this many rows
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
    /// Print the output of `opm alpha list`
    #[arg(long, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListSubject {
    /// Packages with their default channels
    #[value(aliases = ["package", "operators", "operator", "packagemanifests", "packagemanifest"])]
    Packages,
    /// Channels with their heads
    #[value(alias = "channel")]
    Channels,
    /// Bundles with the channels that list them
    #[value(alias = "bundle")]
    Bundles,
    /// Catalogs of an index
    #[value(alias = "catalog")]
    Catalogs,
}

impl ListArgs {
    /// Whether it asks what bundles hold.
    pub(crate) fn has_conditions(&self) -> bool {
        self.conditions != Conditions::default()
    }
}

pub(crate) fn run(context: &Context, args: &ListArgs) -> CommandResult {
    if args.compat.is_some() {
        return list_as_opm(context, args);
    }
    args.ask.refuse_paths(&args.names)?;
    refuse_options(args)?;
    let whole = named_index(context, args)?;
    let matching = whole.as_ref().map(|index| index.matching(&args.conditions.query(&[], &[]))).transpose()?.flatten();
    let lists;
    let index: &ListIndex = match &whole {
        Some(index) => index,
        None => {
            lists = args.ask.open_lists(context)?;
            &lists
        }
    };
    let is_wanted = |status: Status| args.status.is_empty() || args.status.contains(&status);
    let say_unknown = |is_empty: bool| -> Result<(), CommandError> {
        if let (Some(index), true) = (&whole, is_empty) {
            args.conditions.unknown(index)?.iter().for_each(|text| context.reporter.note(text));
        }
        Ok(())
    };
    match args.what {
        ListSubject::Catalogs => {
            let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
            table::print(index.catalogs(&filter)?, &args.rows)?;
            Ok(Exit::Yes)
        }
        ListSubject::Packages => {
            let (mut rows, exit) = of_names(context, args, (whole.as_ref(), index), packages)?;
            rows.retain(|it| is_wanted(it.status()));
            if let Some(index) = whole.as_ref().filter(|_| args.has_conditions()) {
                let found = index.matches(&args.conditions.query(&[], &[]))?;
                let found: HashSet<_> = found.into_iter().map(|it| (it.catalog, it.package)).collect();
                rows.retain(|it| found.contains(&(it.catalog.clone(), it.package.clone())));
            }
            say_unknown(rows.is_empty())?;
            limit(context, args.limit, &args.rows, &mut rows)?;
            let has_several = rows.windows(2).any(|pair| pair[0].catalog != pair[1].catalog);
            if has_several && args.rows.are_for_people() {
                print_packages(rows)?;
            } else {
                table::print(rows, &args.rows)?;
            }
            Ok(exit)
        }
        ListSubject::Channels => {
            let (mut rows, exit) = of_names(context, args, (whole.as_ref(), index), channels)?;
            rows.retain(|it| is_wanted(it.status()));
            limit(context, args.limit, &args.rows, &mut rows)?;
            table::print(rows, &args.rows)?;
            Ok(exit)
        }
        ListSubject::Bundles => {
            let (mut rows, exit) = of_names(context, args, (whole.as_ref(), index), bundles)?;
            rows.retain(|it| is_wanted(it.status()));
            if let Some(matching) = &matching {
                rows.retain(|it| matching.contains(&(it.catalog.clone(), it.package.clone(), it.bundle.clone())));
            }
            say_unknown(rows.is_empty())?;
            limit(context, args.limit, &args.rows, &mut rows)?;
            table::print(rows, &args.rows)?;
            Ok(exit)
        }
    }
}

/// Prints a row for each package of several catalogs.
fn print_packages(mut rows: Vec<PackageRow>) -> Result<(), CommandError> {
    fn row(it: &PackageRow) -> InCatalog<'_> {
        let PackageRow { package, catalog, head_version: head, display_name, .. } = it;
        InCatalog { package, catalog, head, status: shown(it.status()), display_name }
    }
    rows.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(print_by_package(&rows.iter().map(row).collect::<Vec<_>>())?)
}

/// The rows about each name, and about everything without a name. `rows` makes those of a package, a channel or a
/// version.
fn of_names<T>(
    context: &Context,
    args: &ListArgs,
    (whole, index): (Option<&Index>, &ListIndex),
    rows: impl Fn(&ListIndex, &Filter, Option<&str>) -> Result<Vec<T>, CommandError>,
) -> Result<(Vec<T>, Exit), CommandError> {
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let Some(whole) = whole.filter(|_| !args.names.is_empty()) else {
        return Ok((rows(index, &filter, None)?, Exit::Yes));
    };
    let (found, exit) = of_each(context, &args.names, |name| {
        let PackageName { package, installed: version, channel } = package(whole, name)?;
        let filter = Filter { package: Some(package), channel, ..filter.clone() };
        Ok((rows(index, &filter, version.as_deref())?, Exit::Yes))
    })?;
    Ok((found.into_iter().flatten().collect(), exit))
}

/// The packages. A named part must exist, and stands for its package.
fn packages(index: &ListIndex, filter: &Filter, version: Option<&str>) -> Result<Vec<PackageRow>, CommandError> {
    if filter.channel.is_some() || version.is_some() {
        bundles(index, filter, version)?;
    }
    let filter = Filter { channel: None, ..filter.clone() };
    let rows = index.packages(&filter)?;
    must_be_there(index, &filter, rows.is_empty())?;
    Ok(rows)
}

/// The channels of a package that list a version, if one is named.
fn channels(index: &ListIndex, filter: &Filter, version: Option<&str>) -> Result<Vec<ChannelRow>, CommandError> {
    let mut rows = index.channels(filter)?;
    must_be_there(index, filter, rows.is_empty())?;
    if version.is_some() {
        let listed = bundles(index, filter, version)?;
        let lists = |it: &ChannelRow, row: &BundleRow| row.catalog == it.catalog && row.channels.contains(&it.channel);
        rows.retain(|it| listed.iter().any(|row| lists(it, row)));
    }
    Ok(rows)
}

/// The index that a name or conditions need; lists of everything need none.
fn named_index(context: &Context, args: &ListArgs) -> Result<Option<Index>, CommandError> {
    // The check whether a condition names something that exists needs all packages.
    if !args.conditions.is_empty() {
        return args.ask.open(context).map(Some);
    }
    if args.names.is_empty() { Ok(None) } else { args.ask.open_part(context, &args.names).map(Some) }
}

/// Refuses options that do not fit the kind of list.
fn refuse_options(args: &ListArgs) -> Result<(), CommandError> {
    if args.what == ListSubject::Catalogs && !args.names.is_empty() {
        return Err(CommandError::usage("`list catalogs` takes no name").help("choose one with `--catalog NAME`"));
    }
    if !args.conditions.is_empty() && !matches!(args.what, ListSubject::Packages | ListSubject::Bundles) {
        let error = CommandError::usage("conditions such as `--category` apply to packages and bundles");
        return Err(error.help("`olmdex list bundles` shows the channels of each bundle"));
    }
    if !args.status.is_empty() && args.what == ListSubject::Catalogs {
        return Err(CommandError::usage("catalogs have no status")
            .help("list packages instead, as in `olmdex list packages --status deprecated`"));
    }
    Ok(())
}

/// The bundles of a package, of a channel, or of one version.
fn bundles(index: &ListIndex, filter: &Filter, version: Option<&str>) -> Result<Vec<BundleRow>, CommandError> {
    let mut rows = index.bundles(filter)?;
    if let Some(channel) = &filter.channel {
        rows.retain(|it| it.channels.contains(channel));
    }
    must_be_there(index, filter, rows.is_empty())?;
    if let Some(version) = version {
        rows.retain(|it| it.version == version || it.bundle == version);
        if rows.is_empty() {
            let package = filter.package.as_deref().unwrap_or_default();
            return Err(no_version(index, &filter.catalogs, package, version)?.into());
        }
    }
    Ok(rows)
}

/// An empty answer about a name is an error if the name does not exist.
fn must_be_there(index: &ListIndex, filter: &Filter, is_empty: bool) -> Result<(), CommandError> {
    let Some(package) = &filter.package else { return Ok(()) };
    if !is_empty {
        return Ok(());
    }
    let only_package = Filter { channel: None, ..filter.clone() };
    if index.packages(&only_package)?.is_empty() {
        return Err(no_package(index, package)?.into());
    }
    match &filter.channel {
        Some(channel) if index.channels(filter)?.is_empty() => Err(no_channel(index, package, channel)?.into()),
        _ => Ok(()),
    }
}

/// The text of a status in its column: empty for the normal status.
fn shown(status: Status) -> &'static str {
    if status == Status::Current { "" } else { status.word() }
}

impl Row for CatalogRow {
    const KIND: &'static str = "CatalogList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PRIORITY", |it| it.priority.to_string().into()),
        column("PACKAGES", |it| it.packages.to_string().into()),
        column("CHANNELS", |it| it.channels.to_string().into()),
        column("BUNDLES", |it| it.bundles.to_string().into()),
        wide("DOCUMENTS", |it| it.documents.to_string().into()),
        wide("LABELS", |it| {
            let labels: Vec<String> = it.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
            labels.join(",").into()
        }),
        column("SOURCE", |it| Cow::from(&it.source)),
    ];

    fn name(&self) -> String {
        self.catalog.clone()
    }
}

impl Row for PackageRow {
    const KIND: &'static str = "PackageList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("DEFAULT CHANNEL", |it| Cow::from(&it.default_channel)),
        column("DEFAULT HEAD", |it| Cow::from(&it.head_version)),
        wide("HIGHEST VERSION", |it| Cow::from(&it.highest_version)),
        wide("HEAD", |it| Cow::from(&it.head)),
        wide("CHANNELS", |it| it.channels.to_string().into()),
        wide("BUNDLES", |it| it.bundles.to_string().into()),
        wide("PROVIDER", |it| Cow::from(&it.provider)),
        column("STATUS", |it| shown(it.status()).into()),
        column("DISPLAY NAME", |it| Cow::from(&it.display_name)),
    ];

    const FORMER: &'static [(&'static str, &'static str)] = &[("VERSION", "DEFAULT HEAD")];

    fn name(&self) -> String {
        self.package.clone()
    }
}

impl Row for ChannelRow {
    const KIND: &'static str = "ChannelList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("CHANNEL", |it| Cow::from(&it.channel)),
        column("DEFAULT", |it| Cow::from(if it.is_default { "yes" } else { "" })),
        column("VERSION", |it| Cow::from(&it.head_version)),
        wide("ENTRIES", |it| it.entries.to_string().into()),
        column("STATUS", |it| shown(it.status()).into()),
        column("HEAD", |it| Cow::from(&it.head)),
    ];

    fn name(&self) -> String {
        format!("{}/{}", self.package, self.channel)
    }
}

impl Row for BundleRow {
    const KIND: &'static str = "BundleList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |row| format!("{}{}", row.version, release_words(Some(&row.release))).into()),
        column("BUNDLE", |it| Cow::from(&it.bundle)),
        wide("DISPLAY NAME", |it| Cow::from(&it.display_name)),
        wide("IMAGE", |it| Cow::from(&it.image)),
        column("STATUS", |it| shown(it.status()).into()),
        wide("SUPPORT ENDS", |it| it.support_ends.as_deref().unwrap_or_default().into()),
        wide("OPENSHIFT", |it| it.openshift.as_deref().unwrap_or_default().join(", ").into()),
        column("CHANNELS", |it| match it.channels.as_slice() {
            [only] => Cow::from(only),
            several => Cow::from(several.join(",")),
        }),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}

/// Prints what `opm alpha list` prints: it refuses invalid catalogs, and knows display names from bundle objects only.
fn list_as_opm(context: &Context, args: &ListArgs) -> CommandResult {
    if !args.conditions.is_empty() || !args.status.is_empty() {
        let error = CommandError::usage("`--as opm` prints what opm prints, and opm lists everything");
        return Err(error.help("leave out `--as` or the conditions"));
    }
    let sources = args.ask.look(context)?;
    if let Some(refusal) = sources.refusal() {
        context.reporter.plain(&refusal);
        return Ok(Exit::No);
    }
    let index = sources.import(context)?;
    // A catalog that opm accepts has a default channel for each `olm.package`; opm does not count a package that only
    // other blobs name.
    let has_document = |it: &PackageRow| !it.default_channel.is_empty();
    let package = match &args.names[..] {
        [] => None,
        [only] => Some(only.as_str()),
        _ => return Err(CommandError::usage("opm lists one package at a time")),
    };
    let filter = Filter { catalogs: args.ask.catalog.clone(), package: package.map(str::to_owned), channel: None };
    if let Some(package) = package
        && !index.packages(&filter)?.iter().any(has_document)
    {
        context.reporter.plain(&format!("package {} not found", crate::version::Quoted(package)));
        return Ok(Exit::No);
    }
    let (headers, mut rows): (&[&str], Vec<Vec<String>>) = match args.what {
        ListSubject::Catalogs => return Err(CommandError::usage("opm lists packages, channels and bundles only")),
        ListSubject::Packages => {
            let names = index.display_names_in_objects(&filter)?;
            let rows = index.packages(&filter)?.into_iter().filter(has_document);
            let display =
                |it: &PackageRow| names.get(&(it.catalog.clone(), it.head.clone())).cloned().unwrap_or_default();
            let rows = rows.map(|it| vec![it.package.clone(), display(&it), it.default_channel]);
            (&["NAME", "DISPLAY NAME", "DEFAULT CHANNEL"], rows.collect())
        }
        ListSubject::Channels => {
            let rows = index.channels(&filter)?.into_iter().map(|it| vec![it.package, it.channel, it.head]);
            (&["PACKAGE", "CHANNEL", "HEAD"], rows.collect())
        }
        ListSubject::Bundles => {
            let rows = index.entries(&filter)?.into_iter();
            let rows = rows.map(|it| {
                vec![it.package, it.channel, it.bundle, it.replaces, it.skips.join(","), it.skip_range, it.image]
            });
            (&["PACKAGE", "CHANNEL", "BUNDLE", "REPLACES", "SKIPS", "SKIP RANGE", "IMAGE"], rows.collect())
        }
    };
    // By package, then channel, then the bundle's name.
    let n_keys = if args.what == ListSubject::Bundles { 3 } else { 2 };
    rows.sort_by(|a, b| a[..n_keys].cmp(&b[..n_keys]));
    let mut out = BufWriter::new(std::io::stdout().lock());
    let headers = headers.iter().map(|it| (*it).to_owned()).collect();
    table::write_aligned(Some(headers), &rows, 2, &mut out)?;
    out.flush()?;
    Ok(Exit::Yes)
}
