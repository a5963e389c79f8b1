//! The differences between two catalogs of the index, breaking changes first.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use maud::{Markup, html};

use super::parts::{badge, link, select, shown, table};
use super::reply::PageError;
use super::route::{Comparison, Route};
use super::site::{Page, PageContext};
use olmdex_ask as ask;
use olmdex_ask::CommandLine;
use olmdex_base::diag::counted;
use olmdex_index::query::{Change, Filter, NestedChanges, Side};
use olmdex_olm::catalog_source::family_and_minor;
use olmdex_version::by_numbers;

/// The answer as data: that of `diff` for two catalogs of an index.
pub(super) fn answer(context: PageContext<'_>, comparison: &Comparison) -> Result<Vec<Change>, PageError> {
    let (Some(old), Some(new)) = (&comparison.old, &comparison.new) else {
        let name = if comparison.old.is_none() { "a" } else { "b" };
        return Err(PageError::parameter(name, "required: the name of a catalog"));
    };
    context.must_have_catalog(Some(old))?;
    context.must_have_catalog(Some(new))?;
    let packages: Vec<String> = comparison.package.iter().cloned().collect();
    if let Some(package) = &comparison.package {
        let catalogs = vec![old.clone(), new.clone()];
        let filter = Filter { catalogs, package: Some(package.clone()), ..Filter::default() };
        if context.index().packages(&filter)?.is_empty() {
            return Err(context.unknown_package(package));
        }
    }
    let is_wanted = |it: &&Change| comparison.kind.as_ref().is_none_or(|kind| is_of_kind(it, kind));
    Ok(match packages.as_slice() {
        [] => {
            let all = context.cache().changes(context.index(), old, new)?;
            all.iter().filter(is_wanted).cloned().collect()
        }
        some => {
            let side = |catalog| Side { index: context.index(), catalog };
            let all = ask::changes(side(old), side(new), some, NestedChanges::Skipped)?;
            all.into_iter().filter(|it| is_wanted(&it)).collect()
        }
    })
}

/// The kind of the changes that break something.
const BREAKING: &str = "breaking";

/// The subject and the kind of a change.
fn kind_of(change: &Change) -> String {
    format!("{} {}", change.subject.words(), change.change.word())
}

fn is_of_kind(change: &Change, kind: &str) -> bool {
    if kind == BREAKING { change.breaking } else { kind_of(change) == kind }
}

pub(super) fn page(context: PageContext<'_>, comparison: &Comparison) -> Result<Page, PageError> {
    let mut names: Vec<String> = context.catalogs().map(str::to_owned).collect();
    names.sort_by_key(|it| by_numbers(it));
    let is_asked = comparison.old.is_some() && comparison.new.is_some();
    let found = if is_asked { Some(answer(context, comparison)?) } else { None };
    let body = html! {
        h1 { @match (&comparison.old, &comparison.new) {
            (Some(old), Some(new)) => { "From " (shown(old)) " to " (shown(new)) }
            _ => "Compare two catalogs",
        } }
        @if context.is_served() { (form(context, comparison, &names)) }
        @match &found {
            None => { (pairs(context)) }
            Some(found) if found.is_empty() => { p { strong { "No differences." } } }
            Some(found) => { (changes(context, comparison, found)) }
        }
    };
    let mut commands = Vec::new();
    if let (Some(old), Some(new)) = (&comparison.old, &comparison.new) {
        let command = CommandLine::of_sources("diff", 2).option("--old-catalog", Some(old));
        commands.push(command.option("--new-catalog", Some(new)).option("--package", comparison.package.as_ref()));
    }
    Ok(Page {
        commands,
        is_data: is_asked,
        data: comparison.kind.as_ref().map(|_| Route::Diff(Comparison { kind: None, ..comparison.clone() })),
        ..Page::new(
            match (&comparison.old, &comparison.new) {
                (Some(old), Some(new)) => format!("From {old} to {new}"),
                _ => "Compare two catalogs".to_owned(),
            },
            body,
        )
    })
}

fn form(context: PageContext<'_>, comparison: &Comparison, names: &[String]) -> Markup {
    let last = names.last();
    let before_last = names.len().checked_sub(2).and_then(|at| names.get(at)).or(last);
    html! {
        form.question action=[context.to(&Route::Diff(Comparison::default()))] {
            (select(("a", "Old"), None, names, comparison.old.as_ref().or(before_last)))
            (select(("b", "New"), None, names, comparison.new.as_ref().or(last)))
            label { span { "Package" } input name="package" value=[comparison.package.as_ref()] placeholder="all" autocomplete="off"; }
            button { "Compare" }
        }
    }
}

/// The catalogs that follow each other: those of a family by their versions of OpenShift, and those of no family by
/// their names; if there are none, all by their names.
pub(super) fn successions<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(&'n str, &'n str)> {
    let mut all: Vec<&str> = names.collect();
    all.sort_by_key(|name| by_numbers(name));
    let mut families: BTreeMap<Option<String>, Vec<&str>> = BTreeMap::new();
    for name in all.iter().copied() {
        families.entry(family_and_minor(name).map(|it| it.0)).or_default().push(name);
    }
    let mut pairs = Vec::new();
    for names in families.values_mut() {
        names.sort_by_key(|name| (family_and_minor(name).map(|it| (it.1.major, it.1.minor)), by_numbers(name)));
        pairs.extend(names.windows(2).map(|pair| (pair[0], pair[1])));
    }
    if pairs.is_empty() {
        pairs.extend(all.windows(2).map(|pair| (pair[0], pair[1])));
    }
    pairs
}

/// Each catalog with the one that follows it.
fn pairs(context: PageContext<'_>) -> Markup {
    let pairs = successions(context.catalogs());
    html! {
        @if pairs.is_empty() { p { "No catalog follows another one: nothing to compare." } }
        ul {
            @for (old, new) in pairs {
                @let route = Comparison { old: Some(old.to_owned()), new: Some(new.to_owned()), ..Comparison::default() };
                li { (link(context, &Route::Diff(route), html! { (shown(old)) " → " (shown(new)) })) }
            }
        }
    }
}

/// A link to the changes of a package between a catalog and the one before it.
pub(super) fn of_package(context: PageContext<'_>, package: &str, catalog: &str, having: &[&str]) -> Markup {
    let before = successions(having.iter().copied()).into_iter().find(|(_, new)| *new == catalog);
    let Some((old, new)) = before.filter(|_| context.is_served()) else { return html! {} };
    let (a, b) = (Some(old.to_owned()), Some(new.to_owned()));
    let comparison = Comparison { old: a, new: b, package: Some(package.to_owned()), ..Comparison::default() };
    link(context, &Route::Diff(comparison), html! { "since " (shown(old)) })
}

/// More changes than these are counted by package on a server, which has a page for each package.
const MAX_ROWS: usize = 300;

fn changes(context: PageContext<'_>, comparison: &Comparison, found: &[Change]) -> Markup {
    let n_packages = found.chunk_by(|a, b| a.package == b.package).count() as u64;
    // Another form is no other bundle: certified catalogs have hundreds of such rows, and a visitor may ask for them.
    let is_form = |it: &&Change| it.field.as_deref() == Some(Change::METADATA_FORM) && comparison.kind.is_none();
    let n_forms = found.iter().filter(is_form).count() as u64;
    let others = found.iter().filter(|it| !is_form(it));
    let (breaking, others): (Vec<&Change>, Vec<&Change>) = others.partition(|it| it.breaking);
    html! {
        p.lead { (counted(found.len() as u64, "change")) " in " (counted(n_packages, "package")) ", "
            strong { (breaking.len()) " breaking" } "." }
        (kinds(context, comparison, found))
        @if !breaking.is_empty() {
            h2 #breaking { "Breaking" }
            (listed(context, comparison, "Breaking changes", &breaking))
        }
        @if !others.is_empty() {
            h2 #others { "Other changes" }
            (listed(context, comparison, "Other changes", &others))
        }
        @if n_forms > 0 {
            p.quiet { "Besides, " (counted(n_forms, "bundle")) " state the same in another form, as "
                code { "opm render --migrate-level" } " writes them." }
        }
    }
}

/// The kinds of changes with their counts, each as a link to only these.
fn kinds(context: PageContext<'_>, comparison: &Comparison, found: &[Change]) -> Markup {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for it in found {
        *counts.entry(kind_of(it)).or_default() += 1;
    }
    let to = |kind: Option<&str>| Route::Diff(Comparison { kind: kind.map(str::to_owned), ..comparison.clone() });
    let n_breaking = found.iter().filter(|it| it.breaking).count();
    html! {
        @if context.is_served() {
            @if let Some(kind) = &comparison.kind {
                p { "Only " strong { (shown(kind)) } ". " (link(context, &to(None), "Show all kinds")) }
            } @else if counts.len() > 1 {
                ul.chips aria-label="Kinds of changes" {
                    @if n_breaking > 0 { li { (link(context, &to(Some(BREAKING)), BREAKING)) " " span.quiet { (n_breaking) } } }
                    @for (kind, n) in &counts { li { (link(context, &to(Some(kind)), kind)) " " span.quiet { (n) } } }
                }
            }
        }
    }
}

/// Changes in a table; if there are too many for a page, the count for each package.
fn listed(context: PageContext<'_>, comparison: &Comparison, caption: &str, changes: &[&Change]) -> Markup {
    let by_package = || changes.chunk_by(|a, b| a.package == b.package);
    let is_long = changes.len() > MAX_ROWS && context.is_served() && comparison.package.is_none();
    if !is_long {
        return rows(context, Some(comparison), caption, changes);
    }
    let lines = html! {
        @for of_package in by_package() {
            @let name = of_package.first().map_or("", |it| it.package.as_str());
            @let kinds: BTreeSet<String> = of_package.iter().map(|it| kind_of(it)).collect();
            tr {
                th scope="row" {
                    @if name.is_empty() { "No package" }
                    @else { (link(context, &package_route(context, comparison, name), shown(name))) }
                }
                td.amount { (of_package.len()) }
                td { (kinds.into_iter().collect::<Vec<_>>().join(", ")) }
            }
        }
    };
    table(caption, &["Package", "#Changes", "Kinds"], lines)
}

/// A field of a change that is a column.
type Column = (&'static str, fn(&Change) -> &Option<String>);

/// Joins changes that differ only in their bundles, with the names of these, in the order of the first of each.
fn merged<'c>(changes: &[&'c Change]) -> Vec<(&'c Change, Vec<&'c str>)> {
    let mut rows: Vec<(&Change, Vec<&str>)> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for &it in changes {
        // A bundle that comes or goes is a change of its own.
        let (Some(bundle), Some(field)) = (&it.bundle, &it.field) else {
            rows.push((it, it.bundle.as_deref().into_iter().collect()));
            continue;
        };
        let kind = (&it.package, it.subject.words(), it.change.word(), it.breaking);
        match known.entry((kind, &it.channel, field, &it.old, &it.new)) {
            Entry::Occupied(at) => {
                if let Some(row) = rows.get_mut(*at.get()) {
                    row.1.push(bundle);
                }
            }
            Entry::Vacant(vacant) => {
                vacant.insert(rows.len());
                rows.push((it, vec![bundle]));
            }
        }
    }
    rows
}

/// The bundles of a row: the only one, or one of several with a way to see the others.
fn bundles(names: &[&str]) -> Markup {
    html! {
        @match names {
            [] => {}
            [one] => (shown(one)),
            [first, others @ ..] => details {
                summary { (shown(first)) " and " (counted(others.len() as u64, "other")) }
                @for it in others { span.line { (shown(it)) } }
            }
        }
    }
}

/// Changes as rows; with links to the packages if there are several.
fn rows(context: PageContext<'_>, comparison: Option<&Comparison>, caption: &str, changes: &[&Change]) -> Markup {
    let text = |it: &Option<String>| shown(it.as_deref().unwrap_or_default());
    // A column that no change has a value for is left out.
    let has = |get: fn(&Change) -> &Option<String>| changes.iter().any(|it| get(it).is_some());
    let columns: [Column; 5] = [
        ("Channel", |it| &it.channel),
        ("Bundle", |it| &it.bundle),
        ("Field", |it| &it.field),
        ("Old", |it| &it.old),
        ("New", |it| &it.new),
    ];
    let columns: Vec<_> = columns.into_iter().filter(|it| has(it.1)).collect();
    let package = comparison.map(|_| "Package");
    let headers: Vec<&str> = package.into_iter().chain(["Change"]).chain(columns.iter().map(|it| it.0)).collect();
    let rows = html! {
        @for (it, names) in merged(changes) {
            tr {
                @if let Some(comparison) = comparison {
                    th scope="row" { (link(context, &package_route(context, comparison, &it.package), shown(&it.package))) }
                }
                td { (it.subject.words()) " " (it.change.word()) @if it.breaking { " " (badge("bad", "breaking")) } }
                @for (name, get) in &columns {
                    td class=[matches!(*name, "Old" | "New").then_some("long")] { @if get(it).is_some() {
                        @match *name {
                            "Bundle" => (bundles(&names)),
                            "Old" | "New" => code { (text(get(it))) },
                            _ => (text(get(it))),
                        }
                    } }
                }
            }
        }
    };
    table(caption, &headers, rows)
}

/// The page of the differences in a package; in files, which have no such page, the page of the package.
fn package_route(context: PageContext<'_>, comparison: &Comparison, package: &str) -> Route {
    let only = Route::Diff(Comparison { package: Some(package.to_owned()), ..comparison.clone() });
    if context.is_served() && comparison.package.is_none() { only } else { Route::Package(package.to_owned()) }
}
