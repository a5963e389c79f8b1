//! The frame of each page: head, navigation, the command that gives the same answer.

use maud::{DOCTYPE, Markup, html};

use super::parts::{link, shown};
use super::route::{ApiList, Checked, ClusterPart, Comparison, ImageSearch, Journey, List, MirrorList, Route};
use super::server_path::PLACEHOLDER;
use super::site::{Page, PageContext};

/// The policy of a page: it may load and do only what comes from here.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
                                 base-uri 'none'; frame-ancestors 'none'";

/// The same policy for a file: browsers ignore a rule about frames in it, and it has no server to call `self`.
const FILE_POLICY: &str = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file: data:; \
                           form-action 'self' file:; base-uri 'none'";

/// A whole page.
pub(super) fn framed(context: PageContext<'_>, page: &Page) -> Markup {
    let data = page.is_data.then(|| context.data(page.data.as_ref().unwrap_or(context.here))).flatten();
    let more: Vec<(&str, String)> =
        page.more_data.iter().filter_map(|(word, route)| Some((*word, context.data(route)?))).collect();
    // Each of the many files has only the first command; the help of that command names the others.
    let n_lines = if context.is_served() { usize::MAX } else { 1 };
    let sources = || context.cache().source.iter().filter(|it| *it != "-i");
    let lines: Vec<String> = page.commands.iter().take(n_lines).map(|it| it.about(sources())).collect();
    let body = html! {
        body {
            a.skip href="#main" { "Skip to content" }
            (banner(context, *context.here != Route::Home || !context.is_served()))
            main #main tabindex="-1" {
                @if *context.here != Route::Home {
                    nav.trail aria-label="Breadcrumb" {
                        ol { @for (words, route) in &trail(context.here) { li { (link(context, route, shown(words))) } } }
                    }
                }
                (page.body)
                @if !lines.is_empty() {
                    section.same aria-labelledby="same" {
                        h2 #same { "On the command line" }
                        @for line in &lines {
                            pre.command tabindex="0" { code { (line) } }
                        }
                        @if lines.iter().any(|it| it.contains(PLACEHOLDER)) {
                            p { code { (PLACEHOLDER) } " stands for the directory of your own copy." }
                        }
                        @if data.is_some() || !more.is_empty() {
                            p { "As JSON: "
                                @if let Some(address) = &data { a href=(address) { "this answer" } }
                                @for (idx, (word, address)) in more.iter().enumerate() {
                                    @if idx > 0 || data.is_some() { ", " }
                                    a href=(address) { (word) }
                                }
                            }
                        }
                    }
                }
            }
            footer { p { "Made by olmdex " (olmdex_base::diag::envelope::VERSION) " from "
                @match context.cache().catalogs.len() { 1 => "one catalog", n => { (n) " catalogs" } } "."
                @if let Some(address) = context.to(&Route::Endpoints) { " " a href=(address) { "For programs" } } } }
        }
    };
    document(&head(context, &page.title, &page.about, data.as_deref()), &body)
}

/// The pages above another one than the first: words and their targets.
fn trail(here: &Route) -> Vec<(String, Route)> {
    let mut trail = vec![("Catalogs".to_owned(), Route::Home)];
    let package = here.package();
    if matches!(here, Route::Rules | Route::Rule(_)) || matches!(here, Route::Lint(Checked { package: Some(_), .. })) {
        trail.push(("Checks".to_owned(), Route::Lint(Checked::default())));
    }
    if matches!(here, Route::Rule(_)) {
        trail.push(("Rules".to_owned(), Route::Rules));
    }
    if matches!(here, Route::Api(_)) {
        trail.push(("APIs".to_owned(), Route::Apis(ApiList::default())));
    }
    if package.is_some() || *here == Route::Endpoints {
        trail.push(("Packages".to_owned(), Route::Packages(List::default())));
    }
    let above = package.filter(|_| !matches!(here, Route::Package(_)));
    trail.extend(above.map(|it| (it.clone(), Route::package_of(&it))));
    trail
}

fn document(head: &Markup, body: &Markup) -> Markup {
    html! { (DOCTYPE) html lang="en" { (head) (body) } }
}

/// A page with the reason why there is no other.
pub(super) fn refusal(context: PageContext<'_>, title: &str, body: &Markup) -> Markup {
    let body = html! {
        body {
            a.skip href="#main" { "Skip to content" }
            (banner(context, true))
            main #main tabindex="-1" { h1 { (title) } (body) }
        }
    };
    document(&head(context, title, "", None), &body)
}

/// The feed that goes with a page.
fn feed(context: PageContext<'_>) -> Option<(String, String)> {
    let has_feed =
        matches!(context.here, Route::Package(_) | Route::History(_) | Route::Version(_) | Route::Channel(_));
    let package = context.here.package().filter(|_| has_feed)?;
    let words = format!("New versions of {}", shown(&package));
    Some((words, context.to(&Route::PackageFeed(package))?))
}

fn head(context: PageContext<'_>, title: &str, about: &str, data: Option<&str>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            // Ten thousand files leave out data that their style sheet has too.
            @if context.is_served() { meta name="color-scheme" content="light dark"; }
            @else { meta http-equiv="Content-Security-Policy" content=(FILE_POLICY); }
            title { (shown(title)) @if *context.here != Route::Home { " · olmdex" } }
            @if let Some(address) = context.to(&Route::Style) { link rel="stylesheet" href=(address); }
            @if let Some(address) = context.to(&Route::Favicon) {
                link rel="icon" type=[context.is_served().then_some("image/svg+xml")] href=(address);
            } @else {
                link rel="icon" href="data:,";
            }
            @if let Some((words, address)) = feed(context) {
                link rel="alternate" type="application/atom+xml" title=(words) href=(address);
            }
            // The preview on other sites needs the address of the page, which a file does not know.
            @if context.is_served() {
                meta property="og:title" content=(shown(title));
                meta property="og:type" content="website";
                meta property="og:site_name" content="olmdex";
            }
            @if !about.is_empty() {
                meta name="description" content=(shown(about));
                @if context.is_served() { meta property="og:description" content=(shown(about)); }
            }
            @if let Some(address) = data { link rel="alternate" type="application/json" href=(address); }
            @if let Some(address) = context.to(&Route::Script) { script src=(address) defer {} }
        }
    }
}

/// The links to all pages, with a search unless the page has one.
fn banner(context: PageContext<'_>, has_search: bool) -> Markup {
    let packages = Route::Packages(List::default());
    let words = match context.here {
        Route::Packages(list) => list.words.clone(),
        _ => String::new(),
    };
    let mut all = vec![("Packages", packages.clone())];
    if context.has_several() {
        all.push(("Compare", Route::Diff(Comparison::default())));
    }
    if context.cache().cluster.is_some() {
        all.push(("Diagnosis", Route::Diagnose(ClusterPart::default())));
    }
    if context.cache().plans.is_some() {
        all.push(("Plan", Route::Plan(Journey::default())));
    }
    if context.is_served() {
        all.push(("Mirror list", Route::Mirror(MirrorList::default())));
    }
    all.extend([("Images", Route::Images(ImageSearch::default())), ("Checks", Route::Lint(Checked::default()))]);
    let is_here = |route: &Route| std::mem::discriminant(route) == std::mem::discriminant(context.here);
    html! {
        header.banner {
            div.inner {
                @if let Some(address) = context.to(&Route::Home) { a.brand href=(address) { "olmdex" } }
                nav aria-label="Main" {
                    @for (words, route) in &all {
                        @if let Some(address) = context.to(route) {
                            a href=(address) aria-current=[is_here(route).then_some("page")] { (words) }
                        }
                    }
                }
                @if let Some(address) = context.to(&packages).filter(|_| has_search) {
                    // A file cannot ask for data, but load a script.
                    @let names = match context.is_served() {
                        true => context.data(&packages),
                        false => context.to(&Route::Names),
                    };
                    form role="search" action=(address) {
                        input type="search" name="q" value=[Some(&words).filter(|it| !it.is_empty())] placeholder="Search packages   /" aria-label="Search packages"
                            data-names=[names] autocomplete="off";
                        button { "Search" }
                    }
                }
            }
        }
    }
}
