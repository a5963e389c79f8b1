//! A channel: its upgrade graph as a picture and as a table, and the findings about the package's upgrades.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use maud::{Markup, PreEscaped, html};

use super::header::{Heading, header};
use super::one_package::{read_drawn, unless_too_large};
use super::outlook::note;
use super::parts::{
    Ids, badge, channel_route, deprecated, deprecation_note, facts, link, place, shown, table, to_mirror, version_link,
    version_route, worded,
};
use super::reply::PageError;
use super::route::{Checked, PackagePage, Route, RuleChecked, Stream};
use super::site::{Page, PageContext};
use olmdex_ask::{CommandLine, Goal};
use olmdex_base::diag::{Finding, counted};
use olmdex_change::draw::{self, Catalog, ChannelGraph, PictureLinks, TooManyMarks};
use olmdex_index::query::{ChannelDetail, EntryDetail, Filter};
use olmdex_olm::upgrade::classic::{Installed, Package};
use olmdex_text::calendar::Day;
use olmdex_version::{Version, version_or_name};

/// The most ends of drawn edges, and the most edges and skipped bundles that are listed one by one.
const MAX_MARKS: usize = 20_000;

/// The parts of a question about a channel, with the catalog that the page shows.
struct ChannelView {
    catalog: String,
    /// All catalogs that have the channel.
    having: Vec<String>,
    detail: ChannelDetail,
    /// The graph, or why it is left out.
    drawn: Result<Catalog, String>,
}

fn find(context: PageContext<'_>, stream: &Stream) -> Result<ChannelView, PageError> {
    let Stream { package, channel, catalog } = stream;
    let all = context.index().show_channel(&[], package, channel)?;
    let having: Vec<String> = all.iter().map(|it| it.row.catalog.clone()).collect();
    let missing = || context.unknown_channel(package, channel);
    let catalog = context.choose(catalog.as_ref(), &having, missing)?;
    let Some(detail) = all.into_iter().find(|it| it.row.catalog == catalog) else { return Err(missing()) };
    let drawn = match context.shared {
        Some(shared) => shared.drawn(&catalog),
        None => read_drawn(context.index(), &catalog, package).map(Rc::new),
    };
    let drawn = unless_too_large(drawn)?.map(|drawn| drawn.only(package, channel));
    Ok(ChannelView { catalog, having, detail, drawn })
}

/// The answer as data: that of `graph PKG/CHANNEL`.
pub(super) fn answer(context: PageContext<'_>, stream: &Stream) -> Result<Vec<ChannelGraph>, PageError> {
    let graphs = draw::channels(&find(context, stream)?.drawn.map_err(PageError::TooLarge)?);
    let n_edges: usize = graphs.iter().map(|it| it.edges.len()).sum();
    if n_edges > MAX_MARKS {
        let message =
            format!("the graph has {n_edges} edges; a page shows at most {MAX_MARKS}; `olmdex graph` draws all");
        return Err(PageError::TooLarge(message));
    }
    Ok(graphs)
}

pub(super) fn page(context: PageContext<'_>, stream: &Stream) -> Result<Page, PageError> {
    let ChannelView { catalog, having, detail, drawn } = find(context, stream)?;
    let Stream { package, channel, .. } = stream;
    let findings = match context.shared {
        Some(shared) => shared.findings(&catalog),
        None => context.cache().upgrade_findings(context.index(), &catalog, package),
    };
    let findings = unless_too_large(findings)?;
    let row = &detail.row;
    let head = (row.head.as_str(), row.head_version.as_str());
    let way = PackagePage {
        channel: Some(channel.clone()),
        catalog: context.catalog_choice(&catalog),
        ..PackagePage::of(package)
    };
    let onward = if context.is_served() {
        of_head(context, &detail, &catalog)?
    } else {
        html! {}
    };
    // A file has no room for the days of all versions in each channel.
    let dated = if context.is_served() { context.index().dated_of_package(package)? } else { Vec::new() };
    let days: HashMap<String, Day> = dated.into_iter().map(|it| (it.bundle, it.day)).collect();
    let mut others = having;
    others.retain(|it| *it != catalog);
    let title = html! { "Channel " (shown(channel)) };
    let header = header(context, &Heading::new(package, Some(&catalog)).of_part(title))?;
    let body = html! {
        (header)
        (deprecation_note("This channel", row.deprecation.as_ref()))
        (onward)
        (facts(&[
            ("Head", html! { @if row.head.is_empty() { (badge("bad", "not exactly one")) }
                @else { (version_link(context, package, head, &catalog)) } }),
            ("Entries", html! { (row.entries) }),
            ("Default channel", html! { @if row.is_default { "yes" } @else { "no" } }),
            ("Catalogs", html! { @if context.has_several() {
                strong { (shown(&catalog)) }
                @for name in &others { ", " (link(context, &channel_route(context, package, channel, name), shown(name))) }
            } }),
            ("Upgrades", html! { (link(context, &Route::Path(way), "Find a path in this channel")) }),
            ("Mirror", to_mirror(context, &format!("{package}/{channel}"), &catalog)),
            ("File", detail.source.as_ref().map(|it| place(&it.file, it.line)).unwrap_or_default()),
        ]))
        h2 #graph { "Upgrade graph" }
        (picture(context, drawn.as_ref(), (package, &catalog), |drawn, links, max| draw::picture_for_page(drawn, SIZE, links, max)))
        h2 #entries { "Entries" }
        (entries(context, &detail, &catalog, &days))
        h2 #findings { "Checks" }
        @match &findings { Ok(findings) => { (own_findings(context, findings, stream, &catalog)) } Err(why) => { p { (why) "." } } }
    };
    let catalog_choice = context.catalog_choice(&catalog);
    let name = format!("{package}/{channel}");
    Ok(Page {
        commands: vec![
            CommandLine::of("graph").names([name.clone()]).option("--catalog", catalog_choice.as_ref()),
            CommandLine::of("show").names([name]).option("--catalog", catalog_choice.as_ref()),
            CommandLine::of("check-graph").names([package.clone()]).option("--catalog", catalog_choice.as_ref()),
        ],
        is_data: drawn
            .is_ok_and(|drawn| draw::channels(&drawn).iter().map(|it| it.edges.len()).sum::<usize>() <= MAX_MARKS),
        ..Page::new(format!("{package}/{channel}"), body)
    })
}

/// Where the head of the channel can go.
fn of_head(context: PageContext<'_>, detail: &ChannelDetail, catalog: &str) -> Result<Markup, PageError> {
    let row = &detail.row;
    let graphs = context.index().package_graphs(&Filter::of_catalog(catalog), &row.package)?;
    let Some(package) = graphs.first().map(Package::new).filter(|_| !row.head.is_empty()) else {
        return Ok(html! {});
    };
    let Some(goal) = Goal::newest(&package) else { return Ok(html! {}) };
    let installed = Installed { name: row.head.clone(), version: Version::parse(&row.head_version).ok() };
    let outlook = goal.outlook(&installed, Some(&row.channel));
    Ok(note(context, &outlook, (&row.package, catalog), version_or_name(&row.head_version, &row.head)))
}

/// The most lines of a picture, and the most versions that can be opened in it.
const SIZE: (usize, usize) = (40, 300);

/// A picture of one package, or why it is left out; `draw` draws it with at most so many marks.
pub(super) fn picture(
    context: PageContext<'_>,
    drawn: Result<&Catalog, &String>,
    (package, catalog): (&str, &str),
    draw: impl FnOnce(&Catalog, &PictureLinks<'_>, usize) -> Result<String, TooManyMarks>,
) -> Markup {
    let drawn = match drawn {
        Ok(drawn) => drawn,
        Err(why) => return html! { p { (why) "." } },
    };
    let links = PictureLinks {
        bundle: &|bundle, version| {
            context.to(&version_route(context, package, version_or_name(version, bundle), catalog))
        },
        channel: &|channel| context.to(&channel_route(context, package, channel, catalog)),
    };
    match draw(drawn, &links, MAX_MARKS) {
        Ok(picture) => html! {
            figure.graph { div.scroll tabindex="0" role="region" aria-label="Upgrade graph" { (PreEscaped(picture)) } }
        },
        Err(error) => html! { p { "The graph cannot be drawn: " (error) "." } },
    }
}

/// The text before the versions in the names of bundles, if it is the same for all.
fn common_prefix(all: &[&EntryDetail]) -> Option<String> {
    let mut prefixes = all.iter().map(|it| it.name.strip_suffix(&*it.version).filter(|_| !it.version.is_empty()));
    let first = prefixes.next()??;
    (!first.is_empty() && prefixes.all(|it| it == Some(first))).then(|| first.to_owned())
}

/// All entries, the highest version first. The common beginning of their names is printed once.
fn entries(context: PageContext<'_>, detail: &ChannelDetail, catalog: &str, days: &HashMap<String, Day>) -> Markup {
    let mut ids = Ids::default();
    let package = &detail.row.package;
    let mut all: Vec<&EntryDetail> = detail.entry_list.iter().collect();
    all.sort_by_cached_key(|it| std::cmp::Reverse(Version::parse(&it.version).ok().map(|it| it.sort_key())));
    let prefix = common_prefix(&all);
    let short = |it: &str| {
        let rest = prefix.as_ref().and_then(|prefix| it.strip_prefix(prefix.as_str()));
        shown(rest.filter(|it| !it.is_empty()).unwrap_or(it))
    };
    let n_left = Cell::new(MAX_MARKS);
    let skips = |entry: &EntryDetail| {
        let listed = n_left.get().checked_sub(entry.skips.len());
        n_left.set(listed.unwrap_or_default());
        match (entry.skips.as_slice(), listed) {
            ([], _) => html! {},
            ([one], Some(_)) => html! { code { (short(one)) } },
            (several, Some(_)) => html! {
                details { summary { (counted(several.len() as u64, "bundle")) }
                    ul { @for name in several { li { code { (short(name)) } } } } }
            },
            // The command of the page lists all.
            (several, None) => html! { (counted(several.len() as u64, "bundle")) },
        }
    };
    let has = |holds: fn(&EntryDetail) -> bool| all.iter().any(|it| holds(it));
    let (has_skips, has_ranges) = (has(|it| !it.skips.is_empty()), has(|it| !it.skip_range.is_empty()));
    // In an index of indexes all entries have the line of their document.
    let has_lines = all.windows(2).any(|pair| pair[0].line != pair[1].line);
    let belows = all.iter().skip(1).map(Some).chain([None]);
    let rows = html! {
        @for (it, below) in all.iter().zip(belows) {
            tr id=(ids.make("e", &it.name)) {
                th scope="row" {
                    @if it.version.is_empty() { (shown(&it.name)) }
                    @else { (version_link(context, package, (&it.name, &it.version), catalog)) }
                    " " (deprecated(it.deprecation.as_ref()))
                    @if it.name == detail.row.head { " " (badge("good", "head")) }
                }
                @if prefix.is_none() { td { code { (shown(&it.name)) } } }
                @if !days.is_empty() { td { @if let Some(day) = days.get(&it.name) { time datetime=(day) { (day) } } } }
                // The usual upgrade is that from the row below.
                @let is_next = below.is_some_and(|below| below.name == it.replaces);
                td class=[is_next.then_some("quiet")] { @if !it.replaces.is_empty() { code { (short(&it.replaces)) } } }
                @if has_skips { td { (skips(it)) } }
                @if has_ranges { td { @if !it.skip_range.is_empty() { code { (shown(&it.skip_range)) } } } }
                @if has_lines { td.amount.aside { (it.line) } }
            }
        }
    };
    let mut headers = vec!["Version"];
    headers.extend(prefix.is_none().then_some("Entry"));
    headers.extend((!days.is_empty()).then_some("Created"));
    headers.push("Replaces");
    headers.extend(has_skips.then_some("Skips"));
    headers.extend(has_ranges.then_some("Skip range"));
    headers.extend(has_lines.then_some("~Line"));
    html! {
        @if let Some(prefix) = &prefix { p { "All bundles are named " code { (shown(prefix)) "VERSION" } "." } }
        (table("Entries, highest version first", &headers, rows))
    }
}

/// The most findings of a page: real channels have some tens.
const MAX_FOUND: usize = 100;

/// The findings about the upgrades of a channel, and the number of those about the rest of the package.
fn own_findings(context: PageContext<'_>, findings: &[Finding], stream: &Stream, catalog: &str) -> Markup {
    let name = format!("{}/{}", stream.package, stream.channel);
    let (own, others): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|it| mentions(&it.message, &name));
    let n_more = own.len().saturating_sub(MAX_FOUND);
    let first: Vec<Finding> = own.into_iter().take(MAX_FOUND).cloned().collect();
    let checked = Checked { catalog: Some(catalog.to_owned()), package: Some(stream.package.clone()) };
    html! {
        @if first.is_empty() { p { "Nothing is wrong with the upgrades of this channel." } } @else { (found(context, &first)) }
        @if n_more > 0 { p { "And " (counted(n_more as u64, "more finding")) ", which " code { "olmdex check --only graph" } " lists." } }
        @if !others.is_empty() {
            p { (link(context, &Route::Lint(checked), counted(others.len() as u64, "finding"))) " about the rest of the package." }
        }
    }
}

/// Whether a message names a channel, and not only one whose name begins like it.
fn mentions(message: &str, channel: &str) -> bool {
    message.match_indices(channel).any(|(at, _)| {
        let after = message[at + channel.len()..].trim_start_matches('.').chars().next();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        // A point within a name goes on; one at the end of a sentence does not.
        !after.is_some_and(is_name)
    })
}

/// The findings, with their help. Findings with the same sentence share it.
pub(super) fn found(context: PageContext<'_>, findings: &[Finding]) -> Markup {
    if findings.is_empty() {
        return html! { p { "None." } };
    }
    let place_of = |finding: &Finding| finding.place.as_ref().map(|it| place(&it.file, it.line)).unwrap_or_default();
    let rule_of = |finding: &Finding| {
        let rule = finding.rule;
        html! {
            (badge(if rule.severity == olmdex_base::diag::Severity::Error { "bad" } else { "warn" }, rule.severity.word()))
            " " (link(context, &Route::Rule(RuleChecked::of(rule.id)), html! { code title=(rule.summary) { (rule.id) } })) " "
        }
    };
    html! {
        ul.findings {
            @for run in findings.chunk_by(|a, b| (a.rule.id, &a.help) == (b.rule.id, &b.help)) {
                @match repeated(run) {
                    Some((before, after, parts)) => li {
                        (rule_of(&run[0])) (run.len()) " × " (worded(&before)) " … " (worded(&after)) ":"
                        ul.chosen { @for (finding, part) in run.iter().zip(&parts) { li {
                            (worded(part)) @if let Some(at) = &finding.place { " " span.quiet title=(shown(&at.file)) { "line " (at.line) } }
                        } } }
                        @if let Some(help) = &run[0].help { p.quiet { "Help: " (worded(help)) } }
                    },
                    None => @for it in run { li {
                        (rule_of(it)) (worded(&it.message)) " " span.quiet { (place_of(it)) }
                        @if let Some(help) = &it.help { p.quiet { "Help: " (worded(help)) } }
                    } },
                }
            }
        }
    }
}

/// So many findings with the same sentence are folded.
const REPEATED: usize = 4;

/// The words that the messages of findings share before and after what differs in them, and what differs.
fn repeated(run: &[Finding]) -> Option<(String, String, Vec<String>)> {
    let all: Vec<Vec<&str>> = run.iter().map(|finding| finding.message.split(' ').collect()).collect();
    let first = all.first().filter(|_| run.len() >= REPEATED)?;
    let is_shared = |get: &dyn Fn(&[&str]) -> Option<String>| all.iter().all(|words| get(words) == get(first));
    let n_before =
        (0..first.len()).take_while(|at| is_shared(&|words| words.get(*at).map(ToString::to_string))).count();
    let from_end = |words: &[&str], at: usize| words.iter().nth_back(at).map(ToString::to_string);
    let n_after = (0..first.len()).take_while(|at| is_shared(&|words| from_end(words, *at))).count();
    let is_told = n_before > 1 && n_after > 1 && all.iter().all(|words| words.len() > n_before + n_after);
    let part = |words: &Vec<&str>| words[n_before..words.len() - n_after].join(" ").trim_end_matches(',').to_owned();
    let after = first.len().checked_sub(n_after)?;
    is_told.then(|| (first[..n_before].join(" "), first[after..].join(" "), all.iter().map(part).collect()))
}

#[cfg(test)]
mod tests {
    use super::repeated;
    use olmdex_base::diag::Finding;

    #[test]
    fn a_sentence_that_many_repeat_is_said_once() {
        let of = |message: String| olmdex_olm::upgrade::rules::OUTSIDE_DEFAULT.finding(message);
        let run: Vec<Finding> =
            (0..4).map(|n| of(format!("no way leads from a.v{n}, the head of {n}, into the last"))).collect();
        let (before, after, parts) = repeated(&run).unwrap();
        assert_eq!((before.as_str(), after.as_str()), ("no way leads from", "into the last"));
        assert_eq!(parts[3], "a.v3, the head of 3");
        assert_eq!(repeated(&run[..3]), None);
        assert_eq!(repeated(&[run, vec![of("something else".to_owned())]].concat()), None);
    }
}
