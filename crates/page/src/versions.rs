//! All versions of a package and all its channels: versions by minor, with their days, two of their channels, and their
//! catalogs.

use std::collections::{BTreeMap, HashMap, HashSet};

use maud::{Markup, html};

use super::header::{Heading, header};
use super::highest::newest_first;
use super::history;
use super::package_answer::answer;
use super::parts::{Ids, badge, channel_route, commas, deprecated, link, matrix, shown, table, version_link};
use super::reply::PageError;
use super::route::{PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_base::diag::counted;
use olmdex_index::query::{BundleRow, ChannelRow, Filter, PackageDetail};
use olmdex_text::calendar::Day;
use olmdex_version::by_numbers;
use olmdex_version::{Version, version_or_name};

/// The channels that are shown at once; the others can be unfolded.
const SHOWN_CHANNELS: usize = 8;

/// Channels of a version that are named; its own page has all.
const NAMED_CHANNELS: usize = 2;

/// More versions of a group are folded.
const MAX_ROWS: usize = 25;

/// Versions that need no groups.
const FEW: usize = 12;

pub(super) fn page(context: PageContext<'_>, asked: &PackagePage) -> Result<Page, PageError> {
    let package = asked.package.as_str();
    let mut all = answer(context, package)?;
    all.sort_by_key(|it| by_numbers(&it.row.catalog));
    let header = header(context, &Heading::new(package, asked.catalog.as_deref()))?;
    let body = html! {
        (header)
        h2 #channels { "Channels" }
        (channels(context, &all))
        h2 #versions { "Versions" }
        (versions(context, package, &all)?)
        @if context.has_several() {
            h2 #history { "In which catalogs" }
            (history::section(context, package, &history::answer(context, &PackagePage::of(package))?)?)
        }
        p { (link(context, &Route::History(PackagePage::of(package)), "History of these versions")) }
    };
    Ok(Page {
        commands: vec![CommandLine::of("show").names([package])],
        is_data: true,
        data: Some(Route::package_of(package)),
        about: format!("All versions and channels of the operator {package}"),
        ..Page::new(format!("Versions of {package}"), body)
    })
}

/// The channels with their heads in all catalogs.
fn channels(context: PageContext<'_>, all: &[PackageDetail]) -> Markup {
    // The channels by catalog and name; among equal ones the first.
    let mut rows: HashMap<(&str, &str), &ChannelRow> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for detail in all.iter().rev() {
        for channel in &detail.channel_list {
            rows.entry((&detail.row.catalog, &channel.channel)).or_insert(channel);
            if seen.insert(&channel.channel) {
                names.push(&channel.channel);
            }
        }
    }
    // The default channel, and then the newest by name.
    let default = all.last().map_or("", |it| it.row.default_channel.as_str());
    names.sort_by_key(|it| std::cmp::Reverse((*it == default, by_numbers(it))));
    let of = |detail: &PackageDetail, name: &str| rows.get(&(detail.row.catalog.as_str(), name)).copied();
    let mut headers = vec!["Channel"];
    let catalogs: Vec<String> = all.iter().map(|it| shown(&it.row.catalog)).collect();
    match catalogs.as_slice() {
        [_] => headers.extend(["Head", "#Entries"]),
        several => headers.extend(several.iter().map(String::as_str)),
    }
    let line = |name: &str| {
        html! {
            tr {
                th scope="row" {
                    @let last = all.iter().rev().find_map(|it| of(it, name));
                    @if let Some(last) = last {
                        (link(context, &channel_route(context, &last.package, name, &last.catalog), shown(name)))
                        " " (deprecated(last.deprecation.as_ref()))
                    }
                }
                @for detail in all {
                    @match of(detail, name) {
                        Some(it) => {
                            td { @if it.head.is_empty() { span.quiet { "no head" } }
                                @else { (version_link(context, &it.package, (&it.head, &it.head_version), &it.catalog)) }
                                @if it.is_default { " " (badge("", "default")) } }
                            @if all.len() == 1 { td.amount { (it.entries) } }
                        }
                        None => { td { span.quiet title="not in this catalog" { "–" } } }
                    }
                }
            }
        }
    };
    let (first, others) = names.split_at(names.len().min(SHOWN_CHANNELS));
    let of_names =
        |caption: &str, names: &[&str]| matrix(caption, &headers, html! { @for name in names { (line(name)) } });
    html! {
        (of_names("Channels and their heads", first))
        @if !others.is_empty() {
            details { summary { (counted(others.len() as u64, "other channel")) } (of_names("Other channels and their heads", others)) }
        }
    }
}

/// A version, by its bundle, in the catalogs that have it.
struct VersionLine<'b> {
    version: Option<Version>,
    rows: BTreeMap<&'b str, &'b BundleRow>,
}

/// All versions, and the state of each in each catalog.
fn versions(context: PageContext<'_>, package: &str, all: &[PackageDetail]) -> Result<Markup, PageError> {
    let mut lines: HashMap<(&str, &str), VersionLine<'_>> = HashMap::new();
    for row in all.iter().flat_map(|it| &it.bundle_list) {
        let line = lines
            .entry((&row.version, &row.bundle))
            .or_insert_with(|| VersionLine { version: Version::parse(&row.version).ok(), rows: BTreeMap::new() });
        line.rows.insert(&row.catalog, row);
    }
    // Skipped entries cannot be installed any more, although they could be once.
    let graphs = context.index().package_versions(&Filter::default(), package)?;
    let skipped: HashSet<(&str, &str)> = graphs
        .iter()
        .flat_map(|graph| graph.channels.iter().map(|it| (graph.catalog.as_str(), it)))
        .flat_map(|(catalog, channel)| channel.entries.iter().map(move |it| (catalog, it)))
        .flat_map(|(catalog, entry)| entry.skips.iter().map(move |it| (catalog, &**it)))
        .collect();
    let mut lines: Vec<((&str, &str), VersionLine<'_>)> = lines.into_iter().collect();
    lines.sort_by(|(a, one), (b, other)| {
        let key = |it: &VersionLine<'_>| it.version.as_ref().map(Version::sort_key);
        key(other).cmp(&key(one)).then_with(|| b.cmp(a))
    });
    let days: HashMap<String, Day> =
        context.index().dated_of_package(package)?.into_iter().map(|it| (it.bundle, it.day)).collect();
    let catalogs: Vec<&str> = all.iter().map(|it| it.row.catalog.as_str()).collect();
    let mut ids = Ids::default();
    let mut row = |(version, bundle): (&str, &str), line: &VersionLine<'_>| {
        let last = catalogs.iter().rev().find_map(|it| line.rows.get(it));
        let all_deprecated = line.rows.values().all(|it| it.deprecation.is_some());
        html! {
            tr id=(ids.make("v", version_or_name(version, bundle))) {
                th scope="row" {
                    @if let Some(last) = last {
                        @let linked = version_link(context, package, (bundle, version), &last.catalog);
                        @if all_deprecated { s { (linked) } " " (deprecated(last.deprecation.as_ref())) } @else { (linked) }
                    }
                }
                td { @if let Some(day) = days.get(bundle) { time datetime=(day) { (day) } } }
                td { @if let Some(row) = last { (some_channels(context, row)) } }
                @if catalogs.len() > 1 {
                    td.words { (places(&catalogs, line, &|catalog| skipped.contains(&(catalog, bundle)))) }
                }
            }
        }
    };
    let mut headers = vec!["Version", "Created", "Channels"];
    headers.extend((catalogs.len() > 1).then_some("Catalogs"));
    let minor = |line: &VersionLine<'_>| line.version.as_ref().map(|it| (it.major().to_owned(), it.minor().to_owned()));
    let groups: Vec<_> = match lines.len() <= FEW {
        true => vec![lines.as_slice()],
        false => lines.chunk_by(|a, b| minor(&a.1) == minor(&b.1)).collect(),
    };
    let is_one = groups.len() == 1;
    // The group of the newest default head is open.
    let head = all.iter().rev().map(|detail| detail.row.head.as_str()).find(|head| !head.is_empty());
    let opened = groups.iter().position(|group| group.iter().any(|(name, _)| Some(name.1) == head)).unwrap_or(0);
    Ok(html! {
        @for (at, group) in groups.iter().enumerate() {
            @let words = words_of(group);
            @let caption = if is_one { "Versions, highest first".to_owned() } else { format!("Versions {words}") };
            @let (first, others) = group.split_at(group.len().min(MAX_ROWS));
            @let rows = html! { @for (name, line) in first { (row(*name, line)) } };
            @let others = html! { @if !others.is_empty() {
                details { summary { (counted(others.len() as u64, "more version")) }
                    (table(&format!("More of {words}"), &headers, html! { @for (name, line) in others { (row(*name, line)) } })) }
            } };
            @if is_one { (table(&caption, &headers, rows)) (others) }
            @else {
                details.group open[at == opened] {
                    summary { strong { (words) } " " span.quiet { (span_of(group, &days)) } }
                    (table(&caption, &headers, rows)) (others)
                }
            }
        }
    })
}

/// The minor version that a group shares.
fn words_of(group: &[((&str, &str), VersionLine<'_>)]) -> String {
    match group.first().and_then(|it| it.1.version.as_ref()) {
        Some(version) => format!("{}.{}", version.major(), version.minor()),
        None => "without a version".to_owned(),
    }
}

/// The number of versions in a group, and the release day of the newest.
fn span_of(group: &[((&str, &str), VersionLine<'_>)], days: &HashMap<String, Day>) -> Markup {
    let newest = group.iter().filter_map(|it| days.get(it.0.1)).max();
    html! {
        (counted(group.len() as u64, "version"))
        @if let Some(day) = newest { ", " time datetime=(day) { (day) } }
    }
}

/// The newest channels of a version, and the number of the others.
fn some_channels(context: PageContext<'_>, row: &BundleRow) -> Markup {
    let names = newest_first(&row.channels);
    html! {
        (commas(names.iter().take(NAMED_CHANNELS).map(|name| link(context, &channel_route(context, &row.package, name, &row.catalog), shown(name)))))
        @if names.len() > NAMED_CHANNELS { span.quiet { " and " (names.len() - NAMED_CHANNELS) " more" } }
    }
}

/// The catalogs of a version, with its state in each.
fn places(catalogs: &[&str], line: &VersionLine<'_>, is_skipped: &dyn Fn(&str) -> bool) -> Markup {
    let is_there = |it: &&BundleRow| it.deprecation.is_none() && !it.channels.is_empty();
    let with = |holds: &dyn Fn(&&BundleRow) -> bool| -> Vec<String> {
        catalogs.iter().filter(|it| line.rows.get(**it).is_some_and(holds)).map(|it| shown(it)).collect()
    };
    let skipping: Vec<String> =
        catalogs.iter().filter(|it| !line.rows.contains_key(**it) && is_skipped(it)).map(|it| shown(it)).collect();
    let parts = [
        ("", with(&is_there)),
        ("deprecated in ", with(&|it| it.deprecation.is_some())),
        ("in no channel of ", with(&|it| it.deprecation.is_none() && it.channels.is_empty())),
        ("only skipped in ", skipping),
    ];
    let parts = parts.into_iter().filter(|it| !it.1.is_empty());
    html! {
        @for (idx, (words, names)) in parts.enumerate() {
            @if idx > 0 { "; " }
            @if words.is_empty() { (among(&names, catalogs.len())) } @else { span.quiet { (words) } (among(&names, catalogs.len())) }
        }
    }
}

/// Names of catalogs; all of them in a word.
fn among(names: &[String], n_all: usize) -> String {
    if names.len() == n_all { format!("all {n_all}") } else { names.join(", ") }
}
