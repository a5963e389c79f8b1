//! A package: its description, installation and contents.

use std::collections::BTreeSet;
use std::rc::Rc;

use maud::{Markup, html};

use super::channel::picture;
use super::diagnose;
use super::diff;
use super::header::{Heading, header};
use super::install;
use super::markdown::{first_words, markdown};
use super::one_package::{read_drawn, unless_too_large};
use super::package_answer::answer;
use super::parts::{
    address, api_link, badge, by_kind, channel_route, deprecation_note, higher_than_head, is_web_address, link, place,
    shown, to_mirror, version_link,
};
use super::reply::PageError;
use super::route::{ApiKind, Checked, List, PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{CommandLine, openshift_of_catalog};
use olmdex_change::draw::{Catalog, map_for_page};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{BundleDetail, BundleSelector, Contacts, PackageDetail, PackageRow};
use olmdex_text::calendar::Day;
use olmdex_version::blang::Range;
use olmdex_version::{Version, by_numbers};

/// How many channels can be opened in the picture; the list of all versions has a page of its own.
const MAX_OPENED: usize = 80;

/// How many provided APIs the page names.
const NAMED_APIS: usize = 6;

/// The most characters of a description that is shown whole: the manifests are above the fold, too.
const SHORT: usize = 320;

pub(super) fn page(context: PageContext<'_>, asked: &PackagePage) -> Result<Page, PageError> {
    let package = asked.package.as_str();
    let mut all = answer(context, package)?;
    all.sort_by_key(|it| by_numbers(&it.row.catalog));
    let having: Vec<String> = all.iter().map(|detail| detail.row.catalog.clone()).collect();
    let catalog = context.choose(asked.catalog.as_ref(), &having, || context.unknown_package(package))?;
    let Some(main) = all.iter().find(|it| it.row.catalog == catalog) else {
        return Err(context.unknown_package(package));
    };
    let head = head(context, main)?;
    let row = &main.row;
    let description = head.as_ref().map(|it| it.description.as_str()).filter(|it| !it.trim().is_empty());
    let description = description.unwrap_or(&main.description);
    let summary = head.as_ref().map(|it| it.summary.as_str()).filter(|it| !it.is_empty());
    let drawn = match context.shared {
        Some(shared) => shared.drawn(&row.catalog),
        None => read_drawn(context.index(), &row.catalog, package).map(Rc::new),
    };
    let drawn = unless_too_large(drawn)?;
    let heading = Heading { more: chips(context, head.as_ref()), ..Heading::new(package, Some(&row.catalog)) };
    let header = header(context, &heading)?;
    let body = html! {
        (header)
        (deprecation_note("This package", row.deprecation.as_ref()))
        @if !row.is_valid {
            div.note.bad role="note" { p { strong { "This package has errors." } " "
                "See the " (link(context, &Route::Lint(Checked { catalog: context.catalog_choice(&catalog), package: Some(package.to_owned()) }), "findings")) "." } }
        }
        (diagnose::of_package(context, package))
        @let (key, side) = sidebar(context, &all, main, head.as_ref())?;
        div.columns.package {
            (facts_aside("Key facts", "side key", &key))
            div.main {
                (about(description, summary))
                (install::section(context, main, head.as_ref())?)
                (versions(context, &all, main, drawn.as_deref()))
            }
            (facts_aside("Facts", "side", &side))
        }
    };
    let title =
        if row.display_name.is_empty() { package.to_owned() } else { format!("{package}: {}", row.display_name) };
    Ok(Page {
        commands: vec![CommandLine::of("show").names([package]).option("--catalog", asked.catalog.as_ref())],
        is_data: true,
        about: first_words(summary.unwrap_or(description), MAX_ABOUT),
        ..Page::new(title, body)
    })
}

/// The most characters of a description that other sites show.
const MAX_ABOUT: usize = 200;

/// The traits that tell the operator apart at a glance.
fn chips(context: PageContext<'_>, head: Option<&BundleDetail>) -> Markup {
    let one = |it: &str| vec![it.to_owned()];
    html! {
        @if let Some(head) = head {
            ul.chips {
                @if !head.capability_level.is_empty() {
                    li { (chip(context, List { capabilities: one(&head.capability_level), ..List::default() }, &head.capability_level)) }
                }
                @for it in &head.categories {
                    li { (chip(context, List { categories: one(it), ..List::default() }, it)) }
                }
                @if !head.states_architecture { li { (badge("", "amd64 (not stated)")) } }
                @for it in &head.architectures { li { (badge("", it)) } }
                @for (name, _) in head.features.iter().filter(|it| it.1 == "true") { li { (badge("good", &shown(name))) } }
            }
        }
    }
}

fn chip(context: PageContext<'_>, list: List, words: &str) -> Markup {
    html! {
        @match context.to(&Route::Packages(list)) {
            Some(address) => a.tag href=(address) { (shown(words)) },
            None => (badge("", &shown(words))),
        }
    }
}

/// The description; a long one shows its first paragraph, and hides the rest.
pub(super) fn about(description: &str, summary: Option<&str>) -> Markup {
    let text = description.trim();
    // The heading says it already.
    let is_said = summary.is_some_and(|summary| summary.trim().trim_end_matches('.') == text.trim_end_matches('.'));
    html! {
        @if !text.is_empty() && !is_said {
            h2 #description { "About" }
            @if text.chars().count() <= SHORT {
                div.prose dir="auto" { (markdown(text)) }
            } @else {
                p.prose dir="auto" { (first_words(text, SHORT)) }
                details { summary { "The whole description" } div.prose dir="auto" { (markdown(text)) } }
            }
        }
    }
}

/// The versions and channels of a catalog as a picture, and a link to the page of all.
fn versions(
    context: PageContext<'_>,
    all: &[PackageDetail],
    main: &PackageDetail,
    drawn: Result<&Catalog, &String>,
) -> Markup {
    let row = &main.row;
    let n = main.bundle_list.len();
    let everywhere: BTreeSet<&str> = all.iter().flat_map(|it| &it.bundle_list).map(|it| it.bundle.as_str()).collect();
    let n = match everywhere.len() {
        n_all if n_all == n => n.to_string(),
        n_all => format!("{n} in {}, {n_all} in all catalogs", shown(&row.catalog)),
    };
    let all = Route::Versions(PackagePage::of(&row.package));
    html! {
        h2 #versions { "Versions and channels" }
        (picture(context, drawn, (&row.package, &row.catalog), |drawn, links, max| map_for_page(drawn, MAX_OPENED, links, max)))
        @if context.is_served() {
            p { (to_mirror(context, &row.package, &row.catalog)) }
        }
        p { (link(context, &all, format!("Versions ({n}) and channels ({})", main.channel_list.len()))) }
    }
}

/// Facts beside the text.
fn facts_aside(label: &str, class: &str, rows: &[Fact]) -> Markup {
    html! {
        aside class=(class) aria-label=(label) {
            dl { @for (name, value) in rows.iter().filter(|fact| !fact.1.0.trim().is_empty()) { dt { (name) } dd { (value) } } }
        }
    }
}

/// A fact with its name.
type Fact = (&'static str, Markup);

/// The sidebar: the facts that phones show before the text, and the others, the source last.
fn sidebar(
    context: PageContext<'_>,
    all: &[PackageDetail],
    main: &PackageDetail,
    head: Option<&BundleDetail>,
) -> Result<(Vec<Fact>, Vec<Fact>), PageError> {
    let row = &main.row;
    let highest = main.bundle_list.last();
    let mut rows: Vec<Fact> = Vec::new();
    if !row.head.is_empty() {
        rows.push(("Default head", html! {
            strong.large { (version_link(context, &row.package, (&row.head, &row.head_version), &row.catalog)) }
            span.line { "channel " (link(context, &channel_route(context, &row.package, &row.default_channel, &row.catalog), shown(&row.default_channel))) }
            @if let Some(head) = head { (released(&head.created_at)) }
        }));
    }
    if let Some(markup) = higher_than_head(context, row, highest) {
        rows.push(("Highest version", markup));
    }
    rows.extend(you_get(context, all, &row.catalog));
    let compat =
        Route::Compat(PackagePage { catalog: context.catalog_choice(&row.catalog), ..PackagePage::of(&row.package) });
    if let Some(address) = context.to(&compat).or_else(|| context.to(&Route::Compat(PackagePage::of(&row.package)))) {
        rows.push(("OpenShift", html! { a href=(address) { "Which versions support which OpenShift" } }));
    }
    let key = std::mem::take(&mut rows);
    if let Some(head) = head {
        rows.push(("Needs", needs(context, head)));
        rows.push(("Provides", provides(context, head)));
    }
    rows.push(("Used by", used_by(context, row)?));
    let having: Vec<&str> = all.iter().map(|it| it.row.catalog.as_str()).collect();
    rows.push(("Changes", diff::of_package(context, &row.package, &row.catalog, &having)));
    if let Some(head) = head {
        let contacts = context.index().contacts(&row.catalog, &row.package, &head.row.bundle)?;
        rows.push(("Links", links(head, &contacts)));
        rows.push(("Maintainers", maintainers(&contacts)));
    }
    rows.push(("For programs", html! {
        @if let Some(it) = context.to(&Route::PackageFeed(row.package.clone())) { span.line { a href=(it) { "Atom feed" } } }
        @if let Some(it) = context.data(&Route::package_of(&row.package)) { span.line { a href=(it) { "JSON" } } }
    }));
    rows.push(("Source", main.source.as_ref().map(|it| place(&it.file, it.line)).unwrap_or_default()));
    Ok((key, rows))
}

/// The head in each catalog: catalogs for a version of OpenShift by that version, the highest first, and the others by
/// their names. Several catalogs can be for one version, and are named where they give different heads.
fn you_get(context: PageContext<'_>, all: &[PackageDetail], catalog: &str) -> Vec<Fact> {
    let given = |it: &PackageDetail| {
        html! {
            @if it.row.head.is_empty() { "no head" }
            @else { (version_link(context, &it.row.package, (&it.row.head, &it.row.head_version), &it.row.catalog)) }
        }
    };
    let mut minors: Vec<Minor> = context.catalogs().filter_map(openshift_of_catalog).collect();
    minors.sort_by_key(|it| std::cmp::Reverse((it.major, it.minor)));
    minors.dedup();
    let of = |minor: Minor| -> Vec<&PackageDetail> {
        all.iter().filter(|it| openshift_of_catalog(&it.row.catalog) == Some(minor)).collect()
    };
    let (having, missing): (Vec<_>, Vec<_>) =
        minors.into_iter().map(|it| (it, of(it))).partition(|(_, details)| !details.is_empty());
    let is_other = |it: &&PackageDetail| openshift_of_catalog(&it.row.catalog).is_none() && it.row.catalog != catalog;
    let others: Vec<&PackageDetail> = all.iter().filter(is_other).collect();
    let mut rows = Vec::new();
    if !having.is_empty() || !missing.is_empty() {
        rows.push(("On OpenShift you get", html! {
            @for (minor, details) in &having {
                @if details.iter().all(|it| it.row.head == details[0].row.head) {
                    span.line { strong { (minor) } ": " (given(details[0])) }
                } @else {
                    @for it in details { span.line { strong { (minor) } ": " (given(it)) span.of { " in " (shown(&it.row.catalog)) } } }
                }
            }
            @if !missing.is_empty() {
                @let missing: Vec<String> = missing.iter().map(|it| it.0.to_string()).collect();
                span.line.quiet { "not in the catalogs for " (missing.join(", ")) }
            }
        }));
    }
    if !others.is_empty() && context.has_several() {
        rows.push((
            "Other catalogs give",
            html! { @for it in &others { span.line { (shown(&it.row.catalog)) ": " (given(it)) } } },
        ));
    }
    rows
}

/// How many names a list of the sidebar has.
const NAMED: usize = 6;

/// The packages that require this one, and the versions that they need if the default head is none of these.
fn used_by(context: PageContext<'_>, row: &PackageRow) -> Result<Markup, PageError> {
    let names = context.cache().dependents(context.index())?.of(&row.package);
    let head = Version::parse(&row.head_version).ok();
    let fits = |range: &&str| match (&head, Range::parse(range)) {
        (Some(head), Ok(range)) => range.contains(head).unwrap_or(true),
        _ => true,
    };
    Ok(html! {
        @for (name, ranges) in names.iter().take(NAMED) {
            span.line { (link(context, &Route::package_of(name), shown(name)))
                @if !ranges.is_empty() && !ranges.iter().any(fits) { span.of { " needs " (shown(&ranges.join(" or "))) } } }
        }
        @if names.len() > NAMED { span.line { (names.len() - NAMED) " more" } }
    })
}

/// Links to texts about the operator: those of its authors, and those that annotations name.
fn links(head: &BundleDetail, contacts: &Contacts) -> Markup {
    let linked = contacts.links.iter().filter(|it| is_web_address(&it.1));
    let is_listed = |it: &str| contacts.links.iter().any(|link| link.1.trim() == it.trim());
    html! {
        @for (name, url) in linked.take(NAMED) {
            span.line { a rel="noopener nofollow ugc" href=(url.trim()) { (shown(if name.is_empty() { url } else { name })) } }
        }
        @if is_web_address(&head.repository) && !is_listed(&head.repository) {
            span.line { a rel="noopener nofollow ugc" href=(head.repository.trim()) { "Repository" } }
        }
        @if !head.support.is_empty() && !is_listed(&head.support) { span.line { "Support: " (address(&head.support)) } }
    }
}

fn maintainers(contacts: &Contacts) -> Markup {
    html! {
        @for (name, email) in contacts.maintainers.iter().take(NAMED) {
            @let mail = format!("mailto:{}", email.trim());
            span.line {
                @if email.contains('@') && is_web_address(&mail) {
                    a rel="noopener nofollow ugc" href=(mail) { (shown(if name.is_empty() { email } else { name })) }
                } @else { (shown(if name.is_empty() { email } else { name })) }
            }
        }
        @if contacts.maintainers.len() > NAMED { span.line { (contacts.maintainers.len() - NAMED) " more" } }
    }
}

/// When a version was made, by the annotation `createdAt`.
fn released(created_at: &str) -> Markup {
    let day = created_at.get(..10).filter(|it| Day::parse(it).is_some());
    html! { @if let Some(day) = day { span.line { "created " time datetime=(day) { (day) } } } }
}

fn needs(context: PageContext<'_>, head: &BundleDetail) -> Markup {
    html! {
        @if !head.min_kube_version.is_empty() { span.line { "Kubernetes " (shown(&head.min_kube_version)) " or later" } }
        @if !head.max_openshift_version.is_empty() { span.line { "OpenShift " (shown(&head.max_openshift_version)) " at most" } }
        @for it in &head.required_packages {
            span.line { (link(context, &Route::package_of(&it.package), shown(&it.package))) " " (shown(&it.range)) }
        }
        @for it in &head.requires { span.line { (api_link(context, it)) } }
    }
}

/// The APIs by kind and group, each with its versions.
fn provides(context: PageContext<'_>, head: &BundleDetail) -> Markup {
    let kinds = by_kind(&head.provides);
    let n_more = kinds.len().saturating_sub(NAMED_APIS);
    html! {
        @for (api, versions) in kinds.iter().take(NAMED_APIS) {
            @let route = Route::Api(ApiKind { group: api.group.clone(), kind: api.kind.clone() });
            span.line { (link(context, &route, shown(&api.kind))) " " span.quiet { (shown(&versions.join(", "))) } }
        }
        @if n_more > 0 {
            span.line { (n_more) " more on the page of "
                (version_link(context, &head.row.package, (&head.row.bundle, &head.row.version), &head.row.catalog)) }
        }
    }
}

/// The head of the default channel.
fn head(context: PageContext<'_>, package: &PackageDetail) -> Result<Option<BundleDetail>, PageError> {
    let PackageRow { catalog, package, head, .. } = &package.row;
    let selector = BundleSelector::of(std::slice::from_ref(catalog), package, head);
    Ok(context.index().show_bundle(&selector)?.into_iter().next())
}
