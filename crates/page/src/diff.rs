//! The differences between two catalogs of the index, breaking changes first.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use maud::{Markup, html};

use super::parts::{badge, capitalized, link, select, shown, table};
use super::reply::PageError;
use super::route::{Comparison, PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask as ask;
use olmdex_ask::{CommandLine, PackageChangeKind, PackageChanges};
use olmdex_base::diag::counted;
use olmdex_index::query::{Change, ChangeKind, Filter, NestedChanges, Side, Subject};
use olmdex_index::{Index, Moment};
use olmdex_olm::upgrade::{PackageView, Standing};
use olmdex_text::calendar::Day;
use olmdex_version::{by_numbers, version_or_name};

/// A catalog of the index as it was a month before its newest state, as `NAME@DAY`.
struct LastMonth {
    /// The catalog.
    name: String,
    /// `NAME@DAY`.
    word: String,
    /// The state of that day.
    number: i64,
}

impl LastMonth {
    /// The states of a month ago that an index knows.
    fn all(context: PageContext<'_>) -> Result<Vec<Self>, PageError> {
        let index = context.index();
        let mut found = Vec::new();
        if index.is_in_memory() || !index.has_states()? {
            return Ok(found);
        }
        for name in context.catalogs() {
            let newest = index.states(name)?.last().and_then(|state| Day::parse(&state.day));
            let Some(day) = newest.map(|day| day.minus_months(1)) else { continue };
            if let Some(state) = index.state_named(name, &day.to_string())? {
                found.push(Self { name: name.to_owned(), word: format!("{name}@{day}"), number: state.number });
            }
        }
        Ok(found)
    }

    /// The state that a word of an address names. Only a month ago is offered: each other day would take the time and
    /// memory of a whole catalog, and anybody may ask.
    fn named(context: PageContext<'_>, word: &str) -> Result<Option<Self>, PageError> {
        if !word.contains('@') || context.catalogs().any(|name| name == word) {
            return Ok(None);
        }
        Ok(Self::all(context)?.into_iter().find(|it| it.word == word))
    }

    /// The index as of that day.
    fn open(&self, context: PageContext<'_>) -> Result<Index, PageError> {
        let mut index = Index::open(context.index().path())?;
        index.set_as_of(Moment::of_state(self.number), std::slice::from_ref(&self.name), None)?;
        Ok(index)
    }
}

/// Both sides of a comparison, each with the index as of its day if it is not that of the newest state.
struct Sides {
    old: (Option<Index>, String),
    new: (Option<Index>, String),
}

impl Sides {
    fn open(context: PageContext<'_>, old: &String, new: &String) -> Result<Self, PageError> {
        let side = |word: &String| -> Result<_, PageError> {
            match LastMonth::named(context, word)? {
                Some(past) => Ok((Some(past.open(context)?), past.name)),
                None => {
                    context.must_have_catalog(Some(word))?;
                    Ok((None, word.clone()))
                }
            }
        };
        Ok(Self { old: side(old)?, new: side(new)? })
    }

    fn of<'s>(context: PageContext<'s>, (index, catalog): &'s (Option<Index>, String)) -> Side<'s> {
        Side { index: index.as_ref().unwrap_or(context.index()), catalog }
    }
}

/// The answer as data: that of `diff` for two catalogs of an index.
pub(super) fn answer(context: PageContext<'_>, comparison: &Comparison) -> Result<Vec<Change>, PageError> {
    let (Some(old), Some(new)) = (&comparison.old, &comparison.new) else {
        let name = if comparison.old.is_none() { "a" } else { "b" };
        return Err(PageError::parameter(name, "required: the name of a catalog"));
    };
    found(context, comparison, &Sides::open(context, old, new)?)
}

fn found(context: PageContext<'_>, comparison: &Comparison, sides: &Sides) -> Result<Vec<Change>, PageError> {
    let (old, new) = (Sides::of(context, &sides.old), Sides::of(context, &sides.new));
    let packages: Vec<String> = comparison.package.iter().cloned().collect();
    if let Some(package) = &comparison.package {
        let has = |side: Side<'_>| -> Result<bool, PageError> {
            Ok(!side.index.packages(&Filter::in_catalog(side.catalog, package))?.is_empty())
        };
        if !has(old)? && !has(new)? {
            return Err(context.unknown_package(package));
        }
    }
    let is_wanted = |it: &&Change| comparison.kind.as_ref().is_none_or(|kind| is_of_kind(it, kind));
    Ok(match packages.as_slice() {
        [] => {
            let words = (comparison.old.as_deref().unwrap_or_default(), comparison.new.as_deref().unwrap_or_default());
            let all = context.cache().changes(words, (old, new))?;
            all.iter().filter(is_wanted).cloned().collect()
        }
        some => {
            let all = ask::changes(old, new, some, NestedChanges::Skipped)?;
            all.into_iter().filter(|it| is_wanted(&it)).collect()
        }
    })
}

/// The versions from which no upgrade leads to the newest in the old catalog, and one does in the new.
fn freed(context: PageContext<'_>, sides: &Sides, package: &str) -> Result<Vec<String>, PageError> {
    let of = |side: Side<'_>, standing: Standing| -> Result<Vec<(String, String)>, PageError> {
        let view = PackageView::read(side.index, &Filter::of_catalog(side.catalog), package)?;
        let all = view.graphs.first().and_then(|graph| ask::standings(&view, graph, None)).unwrap_or_default();
        Ok(all.into_iter().filter(|it| it.standing == standing).map(|it| (it.bundle, it.version)).collect())
    };
    let now = of(Sides::of(context, &sides.new), Standing::Reaches)?;
    let mut stuck = of(Sides::of(context, &sides.old), Standing::DeadEnd)?;
    stuck.retain(|version| now.contains(version));
    Ok(stuck.into_iter().rev().map(|(bundle, version)| version_or_name(&version, &bundle).to_owned()).collect())
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
    let sides = match (&comparison.old, &comparison.new) {
        (Some(old), Some(new)) => Some(Sides::open(context, old, new)?),
        _ => None,
    };
    let is_asked = sides.is_some();
    let found = sides.as_ref().map(|sides| found(context, comparison, sides)).transpose()?;
    let packages = match (&sides, &found) {
        // The list of a kind has no rows of packages.
        (Some(sides), Some(found)) if comparison.kind.is_none() => {
            ask::by_package(Sides::of(context, &sides.old), Sides::of(context, &sides.new), found)?
        }
        _ => Vec::new(),
    };
    let freed = match (&sides, &comparison.package) {
        (Some(sides), Some(package)) => freed(context, sides, package)?,
        _ => Vec::new(),
    };
    let title = match (&comparison.old, &comparison.new, &comparison.package) {
        (Some(old), Some(new), Some(package)) => format!("{package} from {old} to {new}"),
        (Some(old), Some(new), None) => format!("From {old} to {new}"),
        _ => "Compare two catalogs".to_owned(),
    };
    let body = html! {
        h1 { (shown(&title)) }
        @if context.is_served() { (form(context, comparison, &names)) }
        @match &found {
            None => {
                p.lead { "A comparison says for each package which head is new, which channels and versions are gone, and which \
                    clusters get no more updates." }
                (pairs(context)?)
            }
            Some(found) if found.is_empty() => { p { strong { "No differences." } } }
            Some(found) => { (changes(context, comparison, found, &packages, &freed)) }
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
        ..Page::new(title, body)
    })
}

fn form(context: PageContext<'_>, comparison: &Comparison, names: &[String]) -> Markup {
    let likely = ask::successions(context.catalogs()).pop();
    let likely = likely.map(|(old, new)| (old.to_owned(), new.to_owned()));
    let (before_last, last) = (likely.as_ref().map(|it| &it.0), likely.as_ref().map(|it| &it.1));
    html! {
        form.question action=[context.to(&Route::Diff(Comparison::default()))] {
            (select(("a", "Old"), None, names, comparison.old.as_ref().or(before_last)))
            (select(("b", "New"), None, names, comparison.new.as_ref().or(last)))
            label { span { "Package" } input name="package" value=[comparison.package.as_ref()] placeholder="all" autocomplete="off"; }
            button { "Compare" }
        }
    }
}

/// Each catalog with the one that follows it, and with itself a month ago if the index knows that.
fn pairs(context: PageContext<'_>) -> Result<Markup, PageError> {
    let pairs = ask::successions(context.catalogs());
    let past = if context.is_served() { LastMonth::all(context)? } else { Vec::new() };
    let to = |old: &str, new: &str| {
        Route::Diff(Comparison { old: Some(old.to_owned()), new: Some(new.to_owned()), ..Comparison::default() })
    };
    Ok(html! {
        @if pairs.is_empty() && past.is_empty() { p { "No catalog follows another one: nothing to compare." } }
        ul {
            @for (old, new) in pairs { li { (link(context, &to(old, new), html! { (shown(old)) " → " (shown(new)) })) } }
        }
        @if !past.is_empty() {
            h2 { "What changed since last month" }
            ul { @for it in &past { li { (link(context, &to(&it.word, &it.name), shown(&it.name))) } } }
        }
    })
}

/// A link to the changes of a package between a catalog and the one before it.
pub(super) fn of_package(context: PageContext<'_>, package: &str, catalog: &str, having: &[&str]) -> Markup {
    let before = ask::successions(having.iter().copied()).into_iter().find(|(_, new)| *new == catalog);
    let Some((old, new)) = before.filter(|_| context.is_served()) else { return html! {} };
    let (a, b) = (Some(old.to_owned()), Some(new.to_owned()));
    let comparison = Comparison { old: a, new: b, package: Some(package.to_owned()), ..Comparison::default() };
    link(context, &Route::Diff(comparison), html! { "since " (shown(old)) })
}

/// The changes of all packages: a row for each, or for several with the same changes; or those of a kind or of a
/// package, one by one.
fn changes(
    context: PageContext<'_>,
    comparison: &Comparison,
    found: &[Change],
    packages: &[PackageChanges],
    freed: &[String],
) -> Markup {
    if comparison.kind.is_some() {
        let all: Vec<&Change> = found.iter().collect();
        return html! { (kinds(context, comparison, found)) (rows(context, Some(comparison), "Changes", &all)) };
    }
    if comparison.package.is_some() {
        return html! { @for changes in packages { (one_package(context, comparison, changes, found, freed)) } };
    }
    let of_kind = |kind: PackageChangeKind| -> Vec<&PackageChanges> {
        packages.iter().filter(|changes| changes.kind() == kind).collect()
    };
    let n = |kind| PackageChanges::n_of(packages, kind);
    let has_other_head = |changes: &PackageChanges| changes.heads.1.is_some() && changes.heads.0 != changes.heads.1;
    // Rows of the first section may have a new head, too.
    let heads = match of_kind(PackageChangeKind::Breaking).into_iter().any(has_other_head) {
        true => "more with a new default head",
        false => "with a new default head",
    };
    let n_forms = packages.iter().map(|changes| changes.n_forms).sum::<usize>() as u64;
    let sections = [
        (PackageChangeKind::Breaking, "breaking", "bad", "that break something", "Breaking"),
        (
            PackageChangeKind::OtherContent,
            "content",
            "warn",
            "with other content",
            "Other content under the same names",
        ),
        (PackageChangeKind::OtherHead, "heads", "", heads, "With a new default head"),
        (PackageChangeKind::New, "new", "good", "new", "New"),
        (PackageChangeKind::Other, "others", "", "with other changes", "Other changes"),
    ];
    html! {
        p.lead { strong { (capitalized(&PackageChanges::news(packages))) "." } }
        ul.counters {
            @for (kind, id, look, words, _) in sections {
                @if n(kind) > 0 { li { a href={ "#" (id) } { strong.large { (n(kind)) } " " span class=[(!look.is_empty()).then_some(look)] { (words) } } } }
            }
        }
        @for (kind, id, _, _, title) in sections {
            @let of_kind = of_kind(kind);
            @if !of_kind.is_empty() {
                h2 id=(id) { (title) }
                (summaries(context, comparison, title, &of_kind))
            }
        }
        @if n_forms > 0 {
            p.quiet { "Besides, " (counted(n_forms, "bundle")) " state the same in another form, as "
                code { "opm render --migrate-level" } " writes them." }
        }
        @if context.is_served() {
            @let n = counted(found.len() as u64, "change");
            details { summary { @if n_forms > 0 { (n) " one by one, " (n_forms) " of them only another form" } @else { "All " (n) } ", by kind" }
                (kinds(context, comparison, found)) }
        }
    }
}

/// So many changes are shown at once.
const FEW: usize = 10;

/// So many versions, the highest, are named.
const NAMED: usize = 6;

/// A row for each package: its head, what breaks, its versions.
fn summaries(context: PageContext<'_>, comparison: &Comparison, caption: &str, all: &[&PackageChanges]) -> Markup {
    let of_package = |name: &str| link(context, &package_route(context, comparison, name), shown(name));
    let has = |get: fn(&PackageChanges) -> bool| all.iter().any(|changes| get(changes));
    let has_words = has(|it| !it.breaks.is_empty() || it.packages.len() > 1 || has_remarks(it));
    let has_versions = has(|it| it.versions != (0, 0));
    let lines = html! {
        @for changes in all {
            tr {
                th scope="row" {
                    @match changes.packages.as_slice() {
                        [only] if only.is_empty() => "No package",
                        [only] => (of_package(only)),
                        _ => { (shown(&changes.name())) span.line.quiet { "the same change in each" } },
                    }
                }
                td { (heads(&changes.heads)) }
                @if has_words { td.words.whole {
                    @for (what, how) in &changes.breaks { span.line { strong { (shown(what)) } ": " (shown(how)) } }
                    (remarks(changes))
                    @if changes.packages.len() > 1 {
                        details { summary { (counted(changes.packages.len() as u64, "package")) }
                            ul.chips { @for name in &changes.packages { li { (of_package(name)) } } } }
                    }
                } }
                @if has_versions { td { (changes.versions_in_words()) } }
            }
        }
    };
    let mut headers = vec!["Package", "Default head"];
    headers.extend(has_words.then_some("What changes"));
    headers.extend(has_versions.then_some("Versions"));
    html! { (table(caption, &headers, lines)) }
}

/// Whether there is something to say besides the breaks.
fn has_remarks(changes: &PackageChanges) -> bool {
    changes.default_channel.is_some() || !changes.new_channels.is_empty() || changes.n_deprecated > 0
}

/// The changes besides the breaks.
fn remarks(changes: &PackageChanges) -> Markup {
    html! {
        @if let Some((old, new)) = &changes.default_channel { span.line { "default channel " code { (shown(old)) } " → " code { (shown(new)) } } }
        @if !changes.new_channels.is_empty() { span.line { "new " @if changes.new_channels.len() == 1 { "channel " } @else { "channels " } (shown(&changes.new_channels.join(", "))) } }
        @if changes.n_deprecated > 0 { span.line { (counted(changes.n_deprecated as u64, "new deprecation")) } }
    }
}

/// The heads of the default channel.
fn heads((old, new): &(Option<String>, Option<String>)) -> Markup {
    let text = |head: &Option<String>| head.as_deref().map_or_else(|| "–".to_owned(), shown);
    html! { @if old == new || old.is_none() { (text(new)) } @else { (text(old)) " → " (text(new)) } }
}

/// The changes of one package: what breaks, what is gained, and what the channels are; and all of them.
fn one_package(
    context: PageContext<'_>,
    comparison: &Comparison,
    changes: &PackageChanges,
    found: &[Change],
    freed: &[String],
) -> Markup {
    let names = |subject: Subject, change: ChangeKind| -> Vec<String> {
        let is_it = |it: &&Change| it.subject == subject && it.change == change && it.field.is_none() && !it.detail;
        let name = |it: &Change| match subject {
            Subject::Bundle => it.version.clone().or_else(|| it.bundle.clone()),
            _ => it.new.clone().or_else(|| it.old.clone()),
        };
        let names: BTreeSet<String> = found.iter().filter(is_it).filter_map(name).collect();
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_by_cached_key(|name| by_numbers(name));
        names
    };
    let line = |what: &str, names: &[String]| {
        let first = names.iter().rev().take(NAMED).rev().map(|it| shown(it)).collect::<Vec<_>>().join(", ");
        html! { @if !names.is_empty() { p { strong { (what) } span.quiet { " (" (names.len()) ")" } ": "
        @if names.len() > NAMED { "… " } (first) } } }
    };
    let stuck = ask::stranded(found);
    let all: Vec<&Change> = found.iter().collect();
    let package =
        || link(context, &Route::package_of(&changes.packages.concat()), html! { strong { (shown(&changes.name())) } });
    if changes.kind() == PackageChangeKind::New {
        return html! { p.lead { (package()) " is new: " @match &comparison.old { Some(old) => (shown(old)), None => "the old catalog" }
        " does not have it. Its default head is " strong { (heads(&changes.heads)) } "." } };
    }
    if let (true, Some(head)) = (changes.breaks.iter().any(|it| it.0 == "removed"), &changes.heads.0) {
        return html! { p.lead { (package()) " is gone: " @match &comparison.new { Some(new) => (shown(new)), None => "the new catalog" }
        " does not have it. Its default head was " strong { (shown(head)) } "." } };
    }
    let (new, apis) = (names(Subject::Bundle, ChangeKind::Added), names(Subject::Api, ChangeKind::Added));
    let (dropped, lost) = (names(Subject::Bundle, ChangeKind::Removed), names(Subject::Api, ChangeKind::Removed));
    html! {
        p.lead { (package()) ": default head " strong { (heads(&changes.heads)) } ", "
            @match (changes.n_changes as u64, changes.n_forms as u64) {
                (0, n_forms) => { "and nothing changes but the form of " (counted(n_forms, "bundle")) }
                (n, 0) => (counted(n, "change")),
                (n, n_forms) => { (counted(n, "change")) ", and another form of " (counted(n_forms, "bundle")) }
            } "." }
        div.thirds {
            section { h2 { "What breaks" }
                @if changes.breaks.is_empty() && dropped.is_empty() && lost.is_empty() { p { "Nothing." } }
                @for (what, how) in &changes.breaks { p { strong { (shown(&capitalized(what))) } ": " (shown(how)) } }
                @if let (Some(version), Some(new)) = (stuck.first(), &comparison.new) {
                    @let way = PackagePage { catalog: Some(new.clone()), version: Some(version.clone()), ..PackagePage::of(&changes.packages.concat()) };
                    p { (link(context, &Route::Path(way), html! { "Where " (shown(version)) " can go" })) }
                }
                (line("Dropped versions", &dropped)) (line("APIs no longer provided or required", &lost))
            }
            section { h2 { "What is gained" }
                @if new.is_empty() && apis.is_empty() && freed.is_empty() && changes.new_channels.is_empty() { p { "Nothing." } }
                (line("New versions", &new)) (line("Versions that now get to the newest", freed)) (line("New APIs", &apis))
                (line("New channels", &changes.new_channels))
            }
            section { h2 { "Channels" }
                (remarks(&PackageChanges { new_channels: Vec::new(), ..changes.clone() }))
                @let heads: Vec<&Change> = found.iter().filter(|it| it.subject == Subject::Channel && it.field.as_deref() == Some("head")).collect();
                @for change in &heads { span.line {
                    code { (shown(change.channel.as_deref().unwrap_or_default())) } ": "
                    (shown(change.old.as_deref().unwrap_or("no head"))) " → " (shown(change.new.as_deref().unwrap_or("no head"))) } }
                @if heads.is_empty() && changes.default_channel.is_none() { p { "Those of both catalogs have the same heads." } }
                @if changes.n_forms > 0 { p.quiet { (counted(changes.n_forms as u64, "bundle")) " state the same in another form." } }
            }
        }
        details open[all.len() <= FEW] { summary { (counted(all.len() as u64, "change")) } (rows(context, None, "All changes", &all)) }
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
    if context.is_served() && comparison.package.is_none() { only } else { Route::package_of(package) }
}
