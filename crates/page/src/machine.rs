//! Data for programs besides the answers: feeds, badges, and the files that search engines ask for first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::header::name;
use super::reply::PageError;
use super::route::{List, PackageVersion, Route};
use super::site::PageContext;
use olmdex_base::diag::xml_text;
use olmdex_index::query::{FacetKind, Filter};

/// The most addresses in a map of the site: more would not be valid.
const MAX_ADDRESSES: usize = 50_000;

pub(super) fn robots(context: PageContext<'_>) -> String {
    // Robots stay away from queries: their number has no limit.
    let mut text = "User-agent: *\nDisallow: /*?\nDisallow: /plan\nDisallow: /catalogs/\n".to_owned();
    if !context.site.base.is_empty() {
        let _ = writeln!(text, "Sitemap: {}", context.absolute(&Route::Sitemap));
    }
    text
}

pub(super) fn sitemap(context: PageContext<'_>) -> Result<String, PageError> {
    let packages = context.index().package_names()?.into_iter().map(|name| Route::package_of(&name));
    let all = [Route::Home, Route::Packages(List::default())].into_iter().chain(packages);
    let mut text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
                    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    for route in all.filter(Route::can_be_named).take(MAX_ADDRESSES) {
        let _ = writeln!(text, "<url><loc>{}</loc></url>", xml_text(&context.absolute(&route)));
    }
    Ok(text + "</urlset>\n")
}

/// The packages as a call with a list: the name of each, its display name, its values by the names of facets, and its
/// keywords.
pub(super) fn names(context: PageContext<'_>) -> Result<String, PageError> {
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
    let rows = context.cache().packages(context.index())?;
    let mut display: BTreeMap<&str, &str> = BTreeMap::new();
    for row in rows.iter().filter(|it| context.to(&Route::package_of(&it.package)).is_some()) {
        display.insert(&row.package, &row.display_name);
    }
    let keywords = context.index().keywords()?;
    let items: Vec<Value> = display
        .iter()
        .map(|(name, display)| {
            json!([
                name,
                display,
                all.get(name).unwrap_or(&BTreeMap::new()),
                keywords.get(*name).unwrap_or(&BTreeSet::new())
            ])
        })
        .collect();
    Ok(format!("olmdexPackages({});\n", Value::from(items)))
}

/// A version and the address of its page.
type Named = (String, String);

/// Catalogs and the versions that each of them has.
type VersionList<'c> = (Vec<&'c str>, Vec<Named>);

/// The versions of a package, the highest first, each with the address of its page: as a call with lists, each with the
/// catalogs that have it.
pub(super) fn versions(context: PageContext<'_>, package: &str) -> Result<String, PageError> {
    let mut lists: Vec<VersionList<'_>> = Vec::new();
    for catalog in context.catalogs() {
        let all = context.index().version_list(catalog, package)?;
        let with_page = all.iter().map(name).filter_map(|version| {
            let of = PackageVersion {
                package: package.to_owned(),
                version: version.to_owned(),
                catalog: context.catalog_choice(catalog),
            };
            Some((version.to_owned(), context.to(&Route::Version(of))?))
        });
        let list: Vec<Named> = with_page.collect();
        if list.is_empty() {
            continue;
        }
        match lists.iter_mut().find(|it| it.1 == list) {
            Some(same) => same.0.push(catalog),
            None => lists.push((vec![catalog], list)),
        }
    }
    if lists.is_empty() {
        return Err(context.unknown_package(package));
    }
    Ok(format!("olmdexVersions({});\n", json!(lists)))
}

/// The approximate width of a text, in pixels, in a sans-serif font of 11 pixels.
fn width_of(text: &str) -> usize {
    text.chars().count() * 7
}

/// The longest text of a badge, in characters.
const MAX_BADGE: usize = 40;

/// A picture with the version that OLM installs by default, for a README.
pub(super) fn badge(context: PageContext<'_>, package: &str) -> Result<String, PageError> {
    let all = context.index().packages(&Filter::of_package(package))?;
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
