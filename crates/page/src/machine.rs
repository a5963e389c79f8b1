//! What programs read beside the answers: feeds, badges, and what search engines ask first.
//!
//! What it deliberately does not do: it has no page; each form is text that another program expects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::reply::PageError;
use super::route::{Machine, PackageVersion, Part, Route, Stream};
use super::site::PageContext;
use olmdex_base::diag::xml_text;
use olmdex_index::query::{ChannelRow, DatedBundle, FacetKind, Filter};
use olmdex_text::calendar::{Day, rfc3339};

/// How many entries a feed has at most, and how many addresses a map of the site: more is not valid.
const MAX_ENTRIES: usize = 100;
const MAX_ADDRESSES: usize = 50_000;

const ATOM: &str = "application/atom+xml; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// What a program asked for: its media type, and its bytes.
pub(super) fn content(context: PageContext<'_>, asked: &Machine) -> Result<(&'static str, Vec<u8>), PageError> {
    let (media_type, text) = match asked {
        Machine::Robots => ("text/plain; charset=utf-8", robots(context)),
        Machine::Sitemap => ("application/xml; charset=utf-8", sitemap(context)?),
        Machine::Favicon => (SVG, super::assets::FAVICON.to_owned()),
        Machine::PackageFeed(package) => (ATOM, feed_of_package(context, package)?),
        Machine::CatalogFeed(catalog) => (ATOM, feed_of_catalog(context, catalog)?),
        Machine::Badge(package) => (SVG, badge(context, package)?),
        Machine::Names => ("text/javascript; charset=utf-8", names(context)?),
    };
    Ok((media_type, text.into_bytes()))
}

fn robots(context: PageContext<'_>) -> String {
    // A query is a question, and there is no end of them.
    let mut text = "User-agent: *\nDisallow: /*?\nDisallow: /plan\nDisallow: /catalogs/\n".to_owned();
    if !context.site.base.is_empty() {
        let _ = writeln!(text, "Sitemap: {}", context.absolute(&Route::Machine(Machine::Sitemap)));
    }
    text
}

fn sitemap(context: PageContext<'_>) -> Result<String, PageError> {
    let packages = context.index().package_names()?.into_iter().map(Route::Package);
    let all = [Route::Home, Route::Packages(super::route::List::default())].into_iter().chain(packages);
    let mut text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
                    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    for route in all.filter(Route::can_be_named).take(MAX_ADDRESSES) {
        let _ = writeln!(text, "<url><loc>{}</loc></url>", xml_text(&context.absolute(&route)));
    }
    Ok(text + "</urlset>\n")
}

/// An entry of a feed.
struct Entry {
    id: String,
    title: String,
    link: String,
    day: Day,
    text: String,
}

/// A feed. Its day is that of its newest entry, so that equal catalogs give equal bytes.
fn feed(context: PageContext<'_>, title: &str, about: &Route, mut entries: Vec<Entry>) -> String {
    entries.sort_by(|a, b| b.day.cmp(&a.day).then_with(|| a.id.cmp(&b.id)));
    entries.truncate(MAX_ENTRIES);
    let moment = |day: Day| rfc3339(day.unix());
    let newest = entries.first().map_or_else(|| rfc3339(0), |it| moment(it.day));
    let here = context.absolute(context.here);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n\
         <id>{}</id>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n<updated>{newest}</updated>\n\
         <author><name>olmdex</name></author>\n",
        xml_text(title),
        xml_text(&urn(&["feed", &title.to_lowercase()])),
        xml_text(&here),
        xml_text(&context.absolute(about)),
    );
    for it in &entries {
        let _ = write!(
            text,
            "<entry>\n<title>{}</title>\n<id>{}</id>\n<link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n\
             <updated>{}</updated>\n<summary>{}</summary>\n</entry>\n",
            xml_text(&it.title),
            xml_text(&it.id),
            xml_text(&it.link),
            moment(it.day),
            xml_text(&it.text),
        );
    }
    text + "</feed>\n"
}

/// A name that is the same wherever the site is.
fn urn(parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|it| super::route::encoded(it)).collect();
    format!("urn:olmdex:{}", parts.join(":"))
}

/// The entry of a version.
fn of_version(context: PageContext<'_>, it: &DatedBundle) -> Entry {
    let version = if it.version.is_empty() { &it.bundle } else { &it.version };
    let page = PackageVersion { package: it.package.clone(), version: version.clone(), catalog: None };
    let name = if it.display_name.is_empty() { &it.package } else { &it.display_name };
    Entry {
        id: urn(&["version", &it.package, &it.bundle]),
        title: format!("{} {version}", it.package),
        link: context.absolute(&Route::Version(page, Part::Whole)),
        day: it.day,
        text: format!("{name} {version} is in the catalog {}.", it.catalog),
    }
}

fn feed_of_package(context: PageContext<'_>, package: &str) -> Result<String, PageError> {
    let index = context.index();
    let versions = index.dated_of_package(package)?;
    let filter = Filter { package: Some(package.to_owned()), ..Filter::default() };
    let channels = index.channels(&filter)?;
    if channels.is_empty() && versions.is_empty() {
        return Err(context.unknown_package(package));
    }
    let days: std::collections::HashMap<&str, Day> = versions.iter().map(|it| (it.bundle.as_str(), it.day)).collect();
    let mut entries: Vec<Entry> = versions.iter().map(|it| of_version(context, it)).collect();
    for row in index.bundles(&filter)? {
        let (Some(message), Some(day)) = (&row.deprecation, days.get(row.bundle.as_str())) else { continue };
        let version = if row.version.is_empty() { &row.bundle } else { &row.version };
        let page = PackageVersion { package: package.to_owned(), version: version.clone(), catalog: None };
        entries.push(Entry {
            id: urn(&["deprecated", package, &row.bundle]),
            title: format!("{package} {version} is deprecated"),
            link: context.absolute(&Route::Version(page, Part::Whole)),
            day: *day,
            text: message.clone(),
        });
    }
    entries.extend(channels.iter().filter_map(|it| of_channel(context, it, &days)));
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    entries.dedup_by(|a, b| a.id == b.id);
    Ok(feed(context, &format!("What is new in {package}"), &Route::Package(package.to_owned()), entries))
}

/// The entry of a channel: it is as old as its head, if that has a day.
fn of_channel(
    context: PageContext<'_>,
    row: &ChannelRow,
    days: &std::collections::HashMap<&str, Day>,
) -> Option<Entry> {
    let head = row.head.as_str();
    let page = Stream { package: row.package.clone(), channel: row.channel.clone(), catalog: None };
    Some(Entry {
        id: urn(&["channel", &row.package, &row.channel, head]),
        title: format!("{} is the head of channel {}", head, row.channel),
        link: context.absolute(&Route::Channel(page)),
        day: *days.get(head)?,
        text: format!("In the catalog {}, OLM installs {head} from channel {}.", row.catalog, row.channel),
    })
}

fn feed_of_catalog(context: PageContext<'_>, catalog: &str) -> Result<String, PageError> {
    if !context.catalogs().any(|it| it == catalog) {
        return Err(PageError::Unknown {
            what: "catalog",
            name: catalog.to_owned(),
            meant: None,
            near: context.catalogs().take(10).collect::<Vec<_>>().join(", "),
        });
    }
    let newest = context.index().newest_of_catalog(Some(catalog), MAX_ENTRIES)?;
    let entries = newest.iter().map(|it| of_version(context, it)).collect();
    let list = super::route::List { catalogs: vec![catalog.to_owned()], ..super::route::List::default() };
    Ok(feed(context, &format!("What is new in the catalog {catalog}"), &Route::Packages(list), entries))
}

/// The packages as a call with a list: of each its name, its display name, and its values by the names of facets.
fn names(context: PageContext<'_>) -> Result<String, PageError> {
    let mut all: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for it in context.cache().facets(context.index())? {
        let kind = match it.kind {
            FacetKind::Category => "Category",
            FacetKind::Capability => "Capability level",
            FacetKind::Architecture => "Architecture",
            FacetKind::Feature => "Feature",
            FacetKind::Provider => "Provider",
            _ => continue,
        };
        all.entry(&it.package).or_default().entry(kind).or_default().insert(&it.value);
    }
    let rows = context.index().packages(&Filter::default())?;
    let mut display: BTreeMap<&str, &str> = BTreeMap::new();
    for row in rows.iter().filter(|it| context.to(&Route::Package(it.package.clone())).is_some()) {
        display.insert(&row.package, &row.display_name);
    }
    let items: Vec<Value> = display
        .iter()
        .map(|(name, display)| json!([name, display, all.get(name).unwrap_or(&BTreeMap::new())]))
        .collect();
    Ok(format!("olmdexPackages({});\n", Value::from(items)))
}

/// How wide a text is about, in pixels, in a sans-serif font of 11 pixels.
fn width_of(text: &str) -> usize {
    text.chars().count() * 7
}

/// The longest text of a badge, in characters.
const MAX_BADGE: usize = 40;

/// A picture with the version that OLM installs by default, for a README.
fn badge(context: PageContext<'_>, package: &str) -> Result<String, PageError> {
    let filter = Filter { package: Some(package.to_owned()), ..Filter::default() };
    let all = context.index().packages(&filter)?;
    let preferred = context.cache().choose(&[], all.iter().map(|it| it.catalog.as_str())).unwrap_or_default();
    let main = all.iter().find(|it| it.catalog == preferred).ok_or_else(|| context.unknown_package(package))?;
    let version = if main.head_version.is_empty() { "no version" } else { main.head_version.as_str() };
    let cut = |text: &str| -> String { text.chars().take(MAX_BADGE).collect() };
    let (left, right) = (cut(package), cut(version));
    let (left_width, right_width) = (width_of(&left) + 14, width_of(&right) + 14);
    let width = left_width + right_width;
    let (name, value) = (xml_text(&left), xml_text(&right));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"20\" role=\"img\" aria-label=\"{name}: {value}\">\
         <title>{name}: {value}</title><rect width=\"{width}\" height=\"20\" rx=\"3\" fill=\"#3c4043\"/>\
         <path d=\"M{left_width} 0h{}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{}z\" fill=\"#0b57a4\"/>\
         <g fill=\"#ffffff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         <text x=\"{}\" y=\"14\">{name}</text><text x=\"{}\" y=\"14\">{value}</text></g></svg>",
        right_width - 3,
        right_width - 3,
        left_width / 2,
        left_width + right_width / 2,
    ))
}
