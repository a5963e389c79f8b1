//! All versions of a package and all its channels, catalog by catalog.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use maud::{Markup, html};

use super::command::Command;
use super::package_answer::answer;
use super::parts::{Ids, badge, channel_route, deprecated, link, shown, table, tabs, version_link};
use super::reply::PageError;
use super::route::{List, Route};
use super::site::{Page, PageContext};
use olmdex_index::query::{BundleRow, ChannelRow, Filter, PackageDetail};
use olmdex_version::Version;
use olmdex_version::by_numbers;

pub(super) fn page(context: PageContext<'_>, package: &str) -> Result<Page, PageError> {
    let mut all = answer(context, package)?;
    all.sort_by_key(|it| by_numbers(&it.row.catalog));
    let body = html! {
        h1 { "Versions of " (shown(package)) }
        (tabs(context, package))
        h2 #channels { "Channels" }
        (channels(context, &all))
        h2 #versions { "Versions" }
        (versions(context, package, &all)?)
    };
    Ok(Page {
        title: format!("Versions of {package}"),
        trail: vec![
            ("Catalogs".to_owned(), Route::Home),
            ("Packages".to_owned(), Route::Packages(List::default())),
            (package.to_owned(), Route::Package(package.to_owned())),
        ],
        commands: vec![Command::new("show").name(package)],
        more_data: Vec::new(),
        is_data: true,
        data: Some(Route::Package(package.to_owned())),
        about: format!("All versions and channels of the operator {package}"),
        body,
    })
}

/// The channels with their heads in all catalogs.
fn channels(context: PageContext<'_>, all: &[PackageDetail]) -> Markup {
    // By catalog and name; of several the first.
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
    let lines = html! {
        @for name in names {
            tr {
                th scope="row" {
                    @let last = all.iter().rev().find_map(|it| of(it, name));
                    @if let Some(last) = last {
                        (link(context, &channel_route(context, &last.package, name, &last.catalog), shown(name)))
                        @if last.is_default { " " (badge("", "default")) }
                        " " (deprecated(last.deprecation.as_ref()))
                    }
                }
                @for detail in all {
                    @match of(detail, name) {
                        Some(it) => {
                            td { @if it.head.is_empty() { span.quiet { "no head" } }
                                @else { (version_link(context, &it.package, (&it.head, &it.head_version), &it.catalog)) } }
                            @if all.len() == 1 { td.amount { (it.entries) } }
                        }
                        None => { td { span.quiet title="not in this catalog" { "–" } } }
                    }
                }
            }
        }
    };
    table("Channels and their heads", &headers, lines)
}

/// A version, by its bundle, in the catalogs that have it.
struct VersionLine<'b> {
    version: Option<Version>,
    rows: BTreeMap<&'b str, &'b BundleRow>,
}

/// All versions, and how each stands to each catalog.
fn versions(context: PageContext<'_>, package: &str, all: &[PackageDetail]) -> Result<Markup, PageError> {
    let mut lines: HashMap<(&str, &str), VersionLine<'_>> = HashMap::new();
    for row in all.iter().flat_map(|it| &it.bundle_list) {
        let line = lines
            .entry((&row.version, &row.bundle))
            .or_insert_with(|| VersionLine { version: Version::parse(&row.version).ok(), rows: BTreeMap::new() });
        line.rows.insert(&row.catalog, row);
    }
    // What entries skip is not to be had, but was once.
    let graphs = context.index().package_graphs(&Filter::default(), package)?;
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
    let catalogs: Vec<&str> = all.iter().map(|it| it.row.catalog.as_str()).collect();
    let shown_catalogs: Vec<String> = catalogs.iter().map(|it| shown(it)).collect();
    let is_one = catalogs.len() == 1;
    let mut headers = vec!["Version"];
    match is_one {
        true => headers.push("Channels"),
        false => headers.extend(shown_catalogs.iter().map(String::as_str)),
    }
    headers.push("Bundle");
    let mut ids = Ids::default();
    let rows = html! {
        @for ((version, bundle), line) in &lines {
            @let last = catalogs.iter().rev().find_map(|it| line.rows.get(it));
            @let all_deprecated = line.rows.values().all(|it| it.deprecation.is_some());
            tr id=(ids.make("v", if version.is_empty() { bundle } else { version })) {
                th scope="row" {
                    @if let Some(last) = last {
                        @let linked = version_link(context, package, (bundle, version), &last.catalog);
                        @if all_deprecated { s { (linked) } } @else { (linked) }
                        @if is_one || all_deprecated { " " (deprecated(last.deprecation.as_ref())) }
                    }
                }
                @if is_one {
                    td { @if let Some(row) = last { (super::parts::channel_links(context, package, &row.channels, &row.catalog)) } }
                } @else {
                    @for catalog in &catalogs {
                        td { (cell(line.rows.get(catalog).copied(), skipped.contains(&(*catalog, *bundle)))) }
                    }
                }
                td.quiet { (shown(bundle)) }
            }
        }
    };
    let several: BTreeSet<&str> = catalogs.iter().copied().collect();
    Ok(html! {
        @if several.len() > 1 {
            p.quiet { "✓ in the catalog · ↷ skipped by an entry and not in the catalog · – not there · struck through: deprecated" }
        }
        (table("Versions, the highest first", &headers, rows))
    })
}

/// How a version stands to a catalog.
fn cell(row: Option<&BundleRow>, is_skipped: bool) -> Markup {
    match row {
        Some(BundleRow { deprecation: Some(message), .. }) => html! {
            s title={ "deprecated: " (shown(message)) } { "✓" } span.away { " deprecated" }
        },
        Some(row) if row.channels.is_empty() => html! {
            span title="in the catalog, but in no channel" { "(✓)" } span.away { " in no channel" }
        },
        Some(row) => {
            html! { span title={ "in " (shown(&row.channels.join(", "))) } { "✓" } span.away { " in the catalog" } }
        }
        None if is_skipped => html! {
            span title="skipped by an entry, and not in the catalog" { "↷" } span.away { " only skipped" }
        },
        None => html! { span.quiet { "–" } span.away { " not there" } },
    }
}
