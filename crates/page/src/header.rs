//! The header of all pages of a package: its icon and name, a choice of versions, and the tabs, which keep the version.

use maud::{Markup, html};

use super::markdown::first_words;
use super::one_package::read_rows;
use super::parts::{monogram, provider_link, shown};
use super::reply::PageError;
use super::route::{Form, PackagePage, PackageVersion, Route};
use super::site::PageContext;
use olmdex_index::query::{Neighbour, PackageRow};
use olmdex_version::{by_numbers, version_or_name};

/// The header of a page of a package.
pub(super) struct Heading<'h> {
    pub(super) package: &'h str,
    /// The catalog of the page; `None` for the preferred one.
    pub(super) catalog: Option<&'h str>,
    /// The part of the package that the page is about, if no tab says so.
    pub(super) part: Option<Markup>,
    /// The content below the names of the package.
    pub(super) more: Markup,
}

impl<'h> Heading<'h> {
    pub(super) fn new(package: &'h str, catalog: Option<&'h str>) -> Self {
        Self { package, catalog, part: None, more: html! {} }
    }

    /// The same for a part of the package.
    pub(super) fn of_part(self, part: Markup) -> Self {
        Self { part: Some(part), ..self }
    }
}

/// The version that a visitor has chosen, among all of its catalog.
struct Looked {
    row: PackageRow,
    /// The other catalogs that have the package, the highest name first.
    others: Vec<String>,
    /// All versions of the catalog, the highest first; empty in a file, which cannot answer questions.
    all: Vec<Neighbour>,
    /// The place of the version among them; that of the default head, if the address names none.
    at: Option<usize>,
    /// Whether the address names it.
    is_named: bool,
}

pub(super) fn name(it: &Neighbour) -> &str {
    version_or_name(&it.version, &it.bundle)
}

impl Looked {
    fn find(context: PageContext<'_>, heading: &Heading<'_>) -> Result<Option<Self>, PageError> {
        let rows = match context.shared {
            Some(shared) => shared.rows()?,
            None => read_rows(context.index(), heading.package)?,
        };
        let named: Vec<String> = heading.catalog.map(str::to_owned).into_iter().collect();
        let having = || rows.iter().map(|it| it.catalog.as_str());
        let chosen = context.cache().choose(&named, having()).or_else(|| context.cache().choose(&[], having()));
        let Some(row) = chosen.and_then(|name| rows.iter().find(|it| it.catalog == name)).cloned() else {
            return Ok(None);
        };
        let mut others: Vec<String> =
            rows.iter().map(|other| other.catalog.clone()).filter(|name| *name != row.catalog).collect();
        others.sort_by_cached_key(|name| std::cmp::Reverse(by_numbers(name)));
        let all =
            if context.is_served() { context.index().version_list(&row.catalog, &row.package)? } else { Vec::new() };
        let version = context.here.value("version");
        let is_it = |it: &Neighbour, text: &str| it.version == text || it.bundle == text;
        let found = version.and_then(|text| all.iter().position(|it| is_it(it, &text)));
        let at = found.or_else(|| all.iter().position(|it| it.bundle == row.head));
        Ok(Some(Self { row, others, at, is_named: found.is_some(), all }))
    }

    fn of(&self, context: PageContext<'_>, it: &Neighbour) -> PackageVersion {
        PackageVersion {
            package: self.row.package.clone(),
            version: name(it).to_owned(),
            catalog: context.catalog_choice(&self.row.catalog),
        }
    }

    /// The version that other pages keep.
    fn kept(&self, context: PageContext<'_>) -> Option<PackageVersion> {
        let at = self.at.filter(|_| self.is_named)?;
        self.all.get(at).map(|it| self.of(context, it))
    }

    /// The catalog of the page, and the same page about the others.
    fn catalogs(&self, context: PageContext<'_>) -> Markup {
        let beside = |name: &String| Some((name.clone(), context.to(&context.here.in_catalog(name)?)?));
        let others: Vec<(String, String)> = self.others.iter().filter_map(beside).collect();
        html! {
            @if context.has_several() {
                " in " (shown(&self.row.catalog))
                @for (at, (name, address)) in others.iter().enumerate() {
                    @if at == 0 { ", also in " } @else { ", " }
                    a href=(address) { (shown(name)) }
                }
            }
        }
    }

    /// The choice among the versions, and links to the next ones: the same page about them.
    fn switch(&self, context: PageContext<'_>) -> Markup {
        let beside = |step: isize| {
            let at = self.at?.checked_add_signed(step)?;
            let it = self.all.get(at)?;
            // With an equal version, the other entry is not another version.
            Some((name(it), context.to(&context.here.at(&self.of(context, it)))?))
        };
        let tab = context.here.tab();
        let action = Route::package_of(&self.row.package).address(Form::Page) + "/v";
        html! {
            @if self.all.len() > 1 {
                div.switch {
                    form action=(action) {
                        @if let Some(tab) = tab { input type="hidden" name="tab" value=(tab); }
                        @if context.has_several() { input type="hidden" name="catalog" value=(self.row.catalog); }
                        select name="version" aria-label="Version of the package" {
                            @for (at, it) in self.all.iter().enumerate() {
                                option value=(name(it)) selected[self.at == Some(at)] {
                                    (shown(name(it))) @if it.bundle == self.row.head { " (default)" }
                                }
                            }
                        }
                        button { "Go" }
                    }
                    nav aria-label="Other versions" {
                        @if let Some((words, address)) = beside(1) { a href=(address) { "‹ " span.away { "Lower: " } (shown(words)) } }
                        @if let Some((words, address)) = beside(-1) { a href=(address) { span.away { "Higher: " } (shown(words)) " ›" } }
                    }
                }
            }
        }
    }
}

/// The head of a page of a package.
pub(super) fn header(context: PageContext<'_>, heading: &Heading<'_>) -> Result<Markup, PageError> {
    let looked = Looked::find(context, heading)?;
    let icon = match &looked {
        Some(it) => context.cache().icon_of(context.index(), &it.row.catalog, heading.package)?,
        None => None,
    };
    let icon = icon.and_then(|it| context.to(&Route::Icon(it)));
    let provider = looked.as_ref().map_or("", |it| &it.row.provider);
    let name = looked.as_ref().map(|it| it.row.display_name.as_str()).filter(|it| !it.is_empty());
    let name = name.unwrap_or(heading.package);
    let summary = looked.as_ref().map(|it| context.index().head_summary(&it.row)).transpose()?.unwrap_or_default();
    let summary = shown(&first_words(&summary, MAX_SUMMARY));
    let kept = looked.as_ref().and_then(|it| it.kept(context));
    Ok(html! {
        div.about {
            @if let Some(address) = icon { img src=(address) alt="" width="64" height="64"; }
            @else { (monogram(name)) }
            div.titles {
                h1 dir="auto" { (shown(name)) }
                p.quiet { code { (shown(heading.package)) }
                    @if !provider.is_empty() { " by " (provider_link(context, provider)) }
                    @if let Some(looked) = &looked { (looked.catalogs(context)) } }
                @if !summary.is_empty() { p.summary dir="auto" { (summary) } }
                (heading.more)
            }
            @if let Some(looked) = &looked {
                @if context.is_served() { (looked.switch(context)) }
                @else if let Some(address) = context.to(&Route::VersionNames(heading.package.to_owned())) {
                    div.switch data-versions=(address) data-catalog=(looked.row.catalog) {}
                }
            }
        }
        (tabs(context, heading.package, kept.as_ref())?)
        @if let Some(part) = &heading.part { h2.part dir="auto" { (part) } }
    })
}

/// The most characters of a summary: some are whole descriptions.
const MAX_SUMMARY: usize = 240;

/// The pages about a package, for the chosen version and catalog.
fn tabs(context: PageContext<'_>, package: &str, kept: Option<&PackageVersion>) -> Result<Markup, PageError> {
    // The address of the preferred catalog needs no name.
    let catalog = context.here.value("catalog").filter(|_| context.has_several() && context.is_served());
    let of = || PackagePage::of(package);
    let mut all = vec![
        ("Overview", Route::package_of(package)),
        ("Install", Route::Install(of())),
        ("Versions", Route::Versions(of())),
        ("Upgrade", Route::Path(of())),
        ("OpenShift", Route::Compat(of())),
    ];
    if !context.cache().catalogs_with_manifests(context.index(), package)?.is_empty() {
        all.push(("Permissions", Route::Permissions(of())));
    }
    let is_here = |route: &Route| match (route, context.here) {
        (Route::Versions(_), Route::History(_) | Route::Channel(_)) => true,
        (route, here) => std::mem::discriminant(route) == std::mem::discriminant(here),
    };
    // The overview of a version is its own page, and one installs a channel.
    let kept = |route: &Route| kept.filter(|_| !matches!(route, Route::Install(_))).map(|it| route.at(it));
    Ok(html! {
        nav.tabs aria-label={ "Pages about " (shown(package)) } {
            @for (words, route) in &all {
                @let chosen = || catalog.as_ref().and_then(|catalog| route.in_catalog(catalog));
                @let route = kept(route).or_else(chosen).unwrap_or_else(|| route.clone());
                @if let Some(address) = context.to(&route) {
                    a href=(address) aria-current=[is_here(&route).then_some("page")] { (words) }
                }
            }
        }
    })
}
