//! Feeds: what is new in a package or a catalog.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::parts::{channel_route, version_route};
use super::reply::PageError;
use super::route::{List, Route};
use super::site::PageContext;
use olmdex_base::diag::xml_text;
use olmdex_index::query::{BlameRow, BundleRow, ChannelRow, DatedBundle, Fate, Filter};
use olmdex_text::calendar::{Day, rfc3339};
use olmdex_text::encoding::hex::short;
use olmdex_version::version_or_name;

/// The most entries of a feed.
const MAX_ENTRIES: usize = 100;

/// An entry of a feed.
struct Entry {
    id: String,
    title: String,
    link: String,
    day: Day,
    text: String,
}

/// A link to a page; empty for a page that is not among the files of a site.
fn alternate(address: &str) -> String {
    match address {
        "" => String::new(),
        address => format!("<link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n", xml_text(address)),
    }
}

/// A feed. Its day is that of its newest entry, so that equal catalogs give equal bytes.
fn feed(context: PageContext<'_>, title: &str, about: &Route, mut entries: Vec<Entry>) -> String {
    entries.sort_by(|a, b| b.day.cmp(&a.day).then_with(|| a.id.cmp(&b.id)));
    // Feed readers know entries by their identifiers, so a version that came twice is one entry.
    let mut seen = HashSet::new();
    entries.retain(|it| seen.insert(it.id.clone()));
    entries.truncate(MAX_ENTRIES);
    let moment = |day: Day| rfc3339(day.unix());
    let newest = entries.first().map_or_else(|| rfc3339(0), |it| moment(it.day));
    let here = context.absolute(context.here);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n\
         <id>{}</id>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>\n{}<updated>{newest}</updated>\n\
         <author><name>olmdex</name></author>\n",
        xml_text(title),
        xml_text(&urn(&["feed", &title.to_lowercase()])),
        xml_text(&here),
        alternate(&context.absolute(about)),
    );
    for it in &entries {
        let _ = write!(
            text,
            "<entry>\n<title>{}</title>\n<id>{}</id>\n{}<updated>{}</updated>\n<summary>{}</summary>\n</entry>\n",
            xml_text(&it.title),
            xml_text(&it.id),
            alternate(&it.link),
            moment(it.day),
            xml_text(&it.text),
        );
    }
    text + "</feed>\n"
}

/// A name that does not depend on the address of the site.
fn urn(parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|it| super::question::encoded(it)).collect();
    format!("urn:olmdex:{}", parts.join(":"))
}

/// The entry of a version.
fn of_version(context: PageContext<'_>, it: &DatedBundle) -> Entry {
    let version = version_or_name(&it.version, &it.bundle);
    let name = if it.display_name.is_empty() { &it.package } else { &it.display_name };
    Entry {
        id: urn(&["version", &it.package, &it.bundle]),
        title: format!("{} {version}", it.package),
        link: context.absolute(&version_route(context, &it.package, version, &it.catalog)),
        day: it.day,
        text: format!("{name} {version} is in the catalog {}.", it.catalog),
    }
}

/// The bundles that have pages, by package and name, each with its first catalog.
type Present<'r> = HashMap<(&'r str, &'r str), &'r str>;

fn present(rows: &[BundleRow]) -> Present<'_> {
    // The first catalog of a bundle stays.
    rows.iter().rev().map(|it| ((it.package.as_str(), it.bundle.as_str()), it.catalog.as_str())).collect()
}

/// The entry of a bundle that came, changed or left, from an index with a past.
fn of_change(context: PageContext<'_>, present: &Present<'_>, it: &BlameRow) -> Option<Entry> {
    let version = version_or_name(&it.version, &it.name);
    // A version that is gone has no page.
    let catalog = present.get(&(it.package.as_str(), it.name.as_str()));
    let link = catalog.map(|catalog| context.absolute(&version_route(context, &it.package, version, catalog)));
    let (package, catalogs) = (&it.package, it.catalogs.join(", "));
    let (kind, title, text) = match it.change {
        Fate::Appeared => ("version", format!("{package} {version}"), format!("{version} came into {catalogs}")),
        Fate::Changed => (
            "changed",
            format!("{package} {version} has other content"),
            format!("{version} has other content in {catalogs}"),
        ),
        Fate::Vanished => {
            ("removed", format!("{package} {version} was removed"), format!("{version} was removed from {catalogs}"))
        }
        Fate::LeftOut | Fate::Unknown => (
            "unreadable",
            format!("{package} {version} cannot be read"),
            format!("The package has errors or lacks files in {catalogs}, so {version} is left out"),
        ),
    };
    let commit = short(&it.commit);
    let subject = if it.subject.is_empty() { String::new() } else { format!(": {}", it.subject) };
    let mut id = vec![kind, package, &it.name];
    // A version comes once, as in an index without a past; anything else may come again.
    if kind != "version" {
        id.push(commit);
    }
    Some(Entry {
        id: urn(&id),
        title,
        link: link.unwrap_or_default(),
        day: Day::parse(&it.day)?,
        text: format!("{text} with commit {commit}{subject}."),
    })
}

/// The feed of a package. In an index with a past, days are those of commits; else those that bundles state.
pub(super) fn of_package(context: PageContext<'_>, package: &str) -> Result<String, PageError> {
    let index = context.index();
    let versions = index.dated_of_package(package)?;
    let filter = Filter::of_package(package);
    let channels = index.channels(&filter)?;
    let mut past = if index.has_states()? { index.blame(package, None, &[])? } else { Vec::new() };
    past.retain(|it| it.what == "bundle");
    if channels.is_empty() && versions.is_empty() && past.is_empty() {
        return Err(context.unknown_package(package));
    }
    // The first commit that brought a version decides, so it comes last here.
    let arrivals = past.iter().rev().filter(|it| it.change == Fate::Appeared);
    let arrivals: HashMap<&str, Day> =
        arrivals.filter_map(|it| Some((it.name.as_str(), Day::parse(&it.day)?))).collect();
    let of_present = versions.iter().filter(|it| !arrivals.contains_key(it.bundle.as_str()));
    let of_present = of_present.map(|it| of_version(context, it));
    let mut days: HashMap<&str, Day> = versions.iter().map(|it| (it.bundle.as_str(), it.day)).collect();
    days.extend(&arrivals);
    let rows = index.bundles(&filter)?;
    let present = present(&rows);
    let of_past = past.iter().filter_map(|it| of_change(context, &present, it));
    let mut entries: Vec<Entry> = of_past.chain(of_present).collect();
    for row in &rows {
        let (Some(message), Some(day)) = (&row.deprecation, days.get(row.bundle.as_str())) else { continue };
        let version = version_or_name(&row.version, &row.bundle);
        entries.push(Entry {
            id: urn(&["deprecated", package, &row.bundle]),
            title: format!("{package} {version} is deprecated"),
            link: context.absolute(&version_route(context, package, version, &row.catalog)),
            day: *day,
            text: message.clone(),
        });
    }
    entries.extend(channels.iter().filter_map(|it| of_channel(context, it, &days)));
    // A version that came into one catalog after another has the day of the first.
    entries.sort_by(|a, b| (&a.id, a.day).cmp(&(&b.id, b.day)));
    entries.dedup_by(|a, b| a.id == b.id);
    Ok(feed(context, &format!("What is new in {package}"), &Route::package_of(package), entries))
}

/// The entry of a channel: it has the day of its head, if there is one.
fn of_channel(context: PageContext<'_>, row: &ChannelRow, days: &HashMap<&str, Day>) -> Option<Entry> {
    let head = row.head.as_str();
    Some(Entry {
        id: urn(&["channel", &row.package, &row.channel, head]),
        title: format!("{} is the head of channel {}", head, row.channel),
        link: context.absolute(&channel_route(context, &row.package, &row.channel, &row.catalog)),
        day: *days.get(head)?,
        text: format!("In the catalog {}, OLM installs {head} from channel {}.", row.catalog, row.channel),
    })
}

/// The feed of a catalog.
pub(super) fn of_catalog(context: PageContext<'_>, catalog: &str) -> Result<String, PageError> {
    if !context.catalogs().any(|it| it == catalog) {
        return Err(PageError::Unknown {
            what: "catalog",
            name: catalog.to_owned(),
            meant: None,
            near: format!("; {}", context.catalogs().take(10).collect::<Vec<_>>().join(", ")),
        });
    }
    let index = context.index();
    // Commits tell when a version came; else its author does.
    let entries = match index.recent_bundles(catalog, MAX_ENTRIES)? {
        past if past.is_empty() => {
            index.newest_of_catalog(Some(catalog), MAX_ENTRIES)?.iter().map(|it| of_version(context, it)).collect()
        }
        past => {
            let rows = index.bundles(&Filter::of_catalog(catalog))?;
            let present = present(&rows);
            past.iter().filter_map(|it| of_change(context, &present, it)).collect()
        }
    };
    let list = List { catalogs: vec![catalog.to_owned()], ..List::default() };
    Ok(feed(context, &format!("What is new in the catalog {catalog}"), &Route::Packages(list), entries))
}
