//! The small parts that pages consist of: links, tables, facts, marks.

use std::collections::HashSet;

use maud::{Markup, Render, html};

use super::highest::newest_first;
use super::route::{ApiKind, List, MirrorList, PackageVersion, Route, Stream};
use super::site::PageContext;
use olmdex_base::diag::{counted, printable};
use olmdex_fbc::Api;
use olmdex_index::query::{BundleRow, PackageRow};
use olmdex_plan::plan::message_parts;
use olmdex_version::{by_numbers, version_or_name};

/// A link to a page, or plain words if there is no such page.
pub(super) fn link(context: PageContext<'_>, route: &Route, words: impl Render) -> Markup {
    match context.to(route) {
        Some(address) => html! { a href=(address) { (words) } },
        None => html! { (words) },
    }
}

/// A text of a catalog, with invisible characters made visible.
pub(super) fn shown(text: &str) -> String {
    printable(text).into_owned()
}

/// The place of the icon of a package that has none: the first letters of its name.
pub(super) fn monogram(name: &str) -> Markup {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let letters: String = words.filter_map(|word| word.chars().next()).take(2).flat_map(char::to_uppercase).collect();
    html! { span.no-icon aria-hidden="true" { (letters) } }
}

/// A text that begins with a capital letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A message with names between backticks, as on a terminal: here they are code.
pub(super) fn worded(text: &str) -> Markup {
    html! {
        @for (at, part) in message_parts(text).into_iter().enumerate() {
            @if at.is_multiple_of(2) { (shown(part)) } @else { code { (shown(part)) } }
        }
    }
}

/// A version as a link to its page.
pub(super) fn version_link(
    context: PageContext<'_>,
    package: &str,
    (bundle, version): (&str, &str),
    catalog: &str,
) -> Markup {
    let name = version_or_name(version, bundle);
    link(context, &version_route(context, package, name, catalog), shown(name))
}

/// Versions from the highest to the lowest, as bundles with their versions, in a cell: the only one, or the lowest and
/// the highest with their number.
pub(super) fn version_range(
    context: PageContext<'_>,
    package: &str,
    catalog: &str,
    versions: &[(&str, &str)],
) -> Markup {
    let to = |it: &(&str, &str)| version_link(context, package, *it, catalog);
    html! {
        @match versions {
            [] => {}
            [only] => { (to(only)) }
            [high, .., low] => { (to(low)) " to " (to(high)) span.quiet { " (" (versions.len()) ")" } }
        }
    }
}

/// The page of a version. The preferred catalog that has it need not be named, but it is not known here: a catalog is
/// named if there are several.
pub(super) fn version_route(context: PageContext<'_>, package: &str, version: &str, catalog: &str) -> Route {
    let release = PackageVersion {
        package: package.to_owned(),
        version: version.to_owned(),
        catalog: context.catalog_choice(catalog),
    };
    Route::Version(release)
}

/// The page of a channel.
pub(super) fn channel_route(context: PageContext<'_>, package: &str, channel: &str, catalog: &str) -> Route {
    let (package, channel) = (package.to_owned(), channel.to_owned());
    Route::Channel(Stream { package, channel, catalog: context.catalog_choice(catalog) })
}

/// Catalogs in words, among those that are asked: "all 4", or without the beginning that the names of the whole index
/// share, as in "4.19, 4.20".
pub(super) fn catalogs_in_words(context: PageContext<'_>, names: &[&str], n_asked: usize) -> String {
    if names.len() == n_asked && n_asked > 1 {
        return format!("all {n_asked}");
    }
    let first = context.catalogs().next().unwrap_or_default();
    let is_shared = |text: &&str| context.catalogs().all(|name| name.starts_with(*text));
    let shared = (0..first.len()).rev().filter_map(|end| first.get(..end)).find(is_shared).unwrap_or_default();
    // A version stays whole.
    let shared = shared.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let mut names = names.to_vec();
    names.sort_by_key(|name| by_numbers(name));
    names.iter().map(|name| shown(name.strip_prefix(shared).unwrap_or(name))).collect::<Vec<_>>().join(", ")
}

/// A text as a label of DNS, as names of Kubernetes and repositories of images are; `otherwise` if nothing is left.
pub(super) fn label_of(text: &str, otherwise: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let label: String = text.chars().map(plain).take(63).collect();
    match label.trim_matches('-') {
        "" => otherwise.to_owned(),
        label => label.to_owned(),
    }
}

/// The mirror list of `PKG[/CHANNEL][@RANGE]` of a catalog.
pub(super) fn mirror_list(context: PageContext<'_>, request: &str, catalog: &str) -> MirrorList {
    let item = MirrorList::item(request, context.catalog_choice(catalog).as_deref());
    MirrorList { packages: vec![item], ..MirrorList::default() }
}

/// A link that adds `PKG[/CHANNEL][@RANGE]` of a catalog to the mirror list; a script keeps the list while one goes
/// from page to page.
pub(super) fn to_mirror(context: PageContext<'_>, request: &str, catalog: &str) -> Markup {
    let list = mirror_list(context, request, catalog);
    let item = list.packages.join(",");
    html! {
        @if let Some(address) = context.to(&Route::Mirror(list)).filter(|_| context.is_served()) {
            a.add rel="nofollow" href=(address) data-add=(item) { "+ Mirror list" span.away { ": " (shown(&item)) } }
        }
    }
}

/// Links to channels, with commas.
pub(super) fn channel_links(context: PageContext<'_>, package: &str, channels: &[String], catalog: &str) -> Markup {
    let to = |name: &String| link(context, &channel_route(context, package, name, catalog), shown(name));
    commas(channels.iter().map(to))
}

/// The highest version of a package with its channel, unless it is the head of the default channel.
pub(super) fn higher_than_head(
    context: PageContext<'_>,
    row: &PackageRow,
    highest: Option<&BundleRow>,
) -> Option<Markup> {
    let highest = highest.filter(|it| it.bundle != row.head)?;
    let channels = newest_first(&highest.channels);
    Some(html! {
        (version_link(context, &row.package, (&highest.bundle, &highest.version), &row.catalog))
        @match channels.as_slice() {
            [] => { " (in no channel)" }
            [first, others @ ..] => {
                " (" (link(context, &channel_route(context, &row.package, first, &row.catalog), shown(first)))
                @if !others.is_empty() { " and " (counted(others.len() as u64, "other")) } ")"
            }
        }
    })
}

/// A highlighted word; colour is never the only highlight.
pub(super) fn badge(kind: &'static str, words: &str) -> Markup {
    html! { span class={ "tag " (kind) } { (words) } }
}

/// The mark of a deprecation, with its message for users.
pub(super) fn deprecated(message: Option<&String>) -> Markup {
    html! { @if let Some(message) = message { span.tag.warn title=(shown(message)) { "deprecated" } } }
}

/// A note about something deprecated, with its message.
pub(super) fn deprecation_note(what: &str, message: Option<&String>) -> Markup {
    html! {
        @if let Some(message) = message {
            div.note.warn role="note" {
                p { strong { (what) " is deprecated." } }
                @if !message.trim().is_empty() { p { (lines(message)) } }
            }
        }
    }
}

/// A text with its line breaks.
pub(super) fn lines(text: &str) -> Markup {
    joined(text.trim().lines().map(|line| html! { (shown(line)) }), &html! { br; })
}

/// Facts with their names; those without a value are left out.
pub(super) fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in rows.iter().filter(|it| !it.1.0.trim().is_empty()) {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// A table with a caption, whose rows are cards on phones. A header that begins with `#` has numbers below it. One with
/// `~` marks a column that a phone has no room for; its cells have the class `aside`.
pub(super) fn table(caption: &str, headers: &[&str], rows: Markup) -> Markup {
    framed("scroll stack", caption, headers, rows)
}

/// A table whose cells need their headers, also on phones.
pub(super) fn matrix(caption: &str, headers: &[&str], rows: Markup) -> Markup {
    framed("scroll matrix", caption, headers, rows)
}

/// A table that can be moved sideways, also by keys, if it is too wide.
fn framed(class: &str, caption: &str, headers: &[&str], rows: Markup) -> Markup {
    html! {
        div class=(class) tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for header in headers { @match header.split_at_checked(1) {
                    Some(("#", words)) => { th.amount scope="col" { (words) } }
                    Some(("~", words)) => { th.aside scope="col" { (words) } }
                    _ => { th scope="col" { (header) } }
                } } } }
                tbody { (rows) }
            }
        }
    }
}

/// A section with its heading; nothing without content.
pub(super) fn section(id: &str, title: &str, content: Markup) -> Markup {
    html! { @if !content.0.is_empty() { section aria-labelledby=(id) { h2 id=(id) { (title) } (content) } } }
}

/// Parts one after another, with something between two.
pub(super) fn joined(parts: impl IntoIterator<Item = Markup>, between: &Markup) -> Markup {
    html! { @for (at, part) in parts.into_iter().enumerate() { @if at > 0 { (between) } (part) } }
}

/// Parts with commas.
pub(super) fn commas(parts: impl IntoIterator<Item = Markup>) -> Markup {
    joined(parts, &html! { ", " })
}

/// A text; an address of the web or of mail becomes a link.
pub(super) fn address(text: &str) -> Markup {
    html! {
        @if is_web_address(text) { a rel="noopener nofollow ugc" href=(text.trim()) { (shown(text)) } }
        @else { (shown(text)) }
    }
}

/// Whether a link may lead to a text.
pub(super) fn is_web_address(text: &str) -> bool {
    let text = text.trim();
    let is_clean = !text.chars().any(|it| it.is_control() || it.is_whitespace());
    let has_scheme = |scheme: &str| text.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme));
    is_clean && ["https://", "http://", "mailto:"].into_iter().any(has_scheme)
}

/// An API as a link to its providers and dependants.
pub(super) fn api_link(context: PageContext<'_>, api: &Api) -> Markup {
    let route = Route::Api(ApiKind { group: api.group.clone(), kind: api.kind.clone() });
    html! {
        (link(context, &route, html! { strong { (shown(&api.kind)) } })) " "
        span.quiet { (shown(&api.group)) "/" (shown(&api.version)) }
    }
}

/// A place in the catalog's files.
pub(super) fn place(file: &str, line: u32) -> Markup {
    html! { @if !file.is_empty() { code { (shown(file)) ":" (line) } } }
}

/// A provider as a link to the packages that it provides.
pub(super) fn provider_link(context: PageContext<'_>, provider: &str) -> Markup {
    link(context, &Route::Packages(List { providers: vec![provider.to_owned()], ..List::default() }), shown(provider))
}

/// Marks of elements that others lead to, each once on a page.
#[derive(Default)]
pub(super) struct Ids(HashSet<String>);

impl Ids {
    /// A mark that begins with a kind and is made of a name.
    pub(super) fn make(&mut self, kind: &str, name: &str) -> String {
        let is_blank = |c: char| c.is_whitespace() || c.is_control();
        let blank: String = name.chars().map(|c| if is_blank(c) { '_' } else { c }).collect();
        let plain = printable(&blank);
        let first = format!("{kind}-{plain}");
        let mut id = first.clone();
        let mut n = 2;
        while !self.0.insert(id.clone()) {
            id = format!("{first}-{n}");
            n += 1;
        }
        id
    }
}

/// A choice in a form. If there are words for it, the first option, without a value, stands for no choice.
pub(super) fn select(
    (name, label): (&str, &str),
    none: Option<&str>,
    options: &[String],
    chosen: Option<&String>,
) -> Markup {
    html! {
        label { span { (label) }
            select name=(name) {
                @if let Some(words) = none { option value="" { (words) } }
                @for option in options {
                    option value=(option) selected[Some(option) == chosen] { (shown(option)) }
                }
            }
        }
    }
}

/// Links between the pages of a list, counted from 0.
pub(super) fn pages(context: PageContext<'_>, page: usize, n_pages: usize, route: impl Fn(usize) -> Route) -> Markup {
    html! {
        @if n_pages > 1 {
            nav.pages aria-label="Pages of the list" {
                @if page > 0 { (link(context, &route(page - 1), "‹ Previous")) }
                span { "Page " (page + 1) " of " (n_pages) }
                @if page + 1 < n_pages { (link(context, &route(page + 1), "Next ›")) }
            }
        }
    }
}

/// APIs by kind and group, each with its versions; the page of all APIs has the groups.
pub(super) fn by_kind(all: &[Api]) -> Vec<(&Api, Vec<&str>)> {
    let mut kinds: Vec<(&Api, Vec<&str>)> = Vec::new();
    for api in all {
        match kinds.iter_mut().find(|(it, _)| (&it.group, &it.kind) == (&api.group, &api.kind)) {
            Some((_, versions)) => versions.push(&api.version),
            None => kinds.push((api, vec![&api.version])),
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::{Ids, is_web_address, worded};

    #[test]
    fn only_the_web_and_mail_are_linked() {
        for good in ["https://a.b", "HTTP://a", "mailto:a@b", " https://a "] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in ["javascript:alert(1)", "data:text/html,x", "//a.b", "/x", "https", "https://a\nb", "ftp://a", "é"]
        {
            assert!(!is_web_address(bad), "{bad}");
        }
    }

    #[test]
    fn names_between_backticks_are_code() {
        for (text, expected) in
            [("no `a<b` in `c`", "no <code>a&lt;b</code> in <code>c</code>"), ("a ` b", "a ` b"), ("plain", "plain")]
        {
            assert_eq!(worded(text).into_string(), expected);
        }
    }

    #[test]
    fn marks_are_made_once() {
        let mut ids = Ids::default();
        assert_eq!(ids.make("v", "1 0"), "v-1_0");
        assert_eq!(ids.make("v", "1\t0"), "v-1_0-2");
        assert!(ids.make("v", "1\u{202e}0").is_ascii());
    }
}
