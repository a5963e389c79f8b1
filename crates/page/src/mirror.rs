//! A mirror list that visitors compose: packages, channels and ranges, the parts that oc-mirror keeps, and the files
//! that ask for it.
//!
//! The address holds the whole list, so the page works without a script, and a list can be kept as a bookmark.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use maud::{Markup, html};

use super::install::shown_lines;
use super::parts::{badge, label_of, link, select, shown, table, worded};
use super::reply::PageError;
use super::route::{MirrorList, PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{CommandLine, LockQuestion, Olm, PAGE_WORK, Target, asked_of_lock, needs, options_of_work};
use olmdex_base::diag::counted;
use olmdex_compose::mirror::{
    self, AskedError, Catalog, ChannelExplanation, ChosenDefault, Configuration, Explained, FilterExplanation,
    FilterVersion, Image, Missing, Operator,
};
use olmdex_olm::catalog_source::usual_image;
use olmdex_plan::lock::Ask;
use olmdex_version::by_numbers;

/// The filtered catalog of a list.
struct Composed {
    catalog: String,
    /// The items of the list about it, without its name.
    requests: Vec<String>,
    operator: Operator,
    explained: Explained,
    defaults: Vec<ChosenDefault>,
    images: BTreeSet<String>,
    /// The requested packages that the catalog has.
    found: Catalog,
}

impl Composed {
    /// Whether its catalog has a package of the list. A package that no catalog has cannot be mirrored.
    fn has(&self, package: &str) -> bool {
        self.explained.packages.iter().any(|found| found.package == package)
    }

    /// The requests for packages that the catalog has.
    fn known_requests(&self) -> impl Iterator<Item = &String> {
        self.requests.iter().filter(|request| self.has(package_of(request)))
    }
}

/// The answer as data: that of `filter --package … --explain`.
pub(super) fn answer(context: PageContext<'_>, list: &MirrorList) -> Result<Vec<FilterExplanation>, PageError> {
    Ok(composed(context, list)?.into_iter().flat_map(|found| found.explained.packages).collect())
}

/// The images of a list, one a line.
pub(super) fn images(context: PageContext<'_>, list: &MirrorList) -> Result<String, PageError> {
    let found = composed(context, list)?;
    Ok(all_images(&found).into_iter().fold(String::new(), |text, image| text + image + "\n"))
}

/// The lock file of a list: the output of `lock PKG…`.
pub(super) fn lock(context: PageContext<'_>, list: &MirrorList) -> Result<String, PageError> {
    let (catalog, requests) = match <[_; 1]>::try_from(by_catalog(context, list)?) {
        Ok([only]) => only,
        Err(parts) if parts.is_empty() => {
            return Err(PageError::parameter("p", "required: packages, as PKG[/CHANNEL][@RANGE]"));
        }
        Err(_) => return Err(PageError::parameter("p", "a lock file is about one catalog; the list names several")),
    };
    let wishes: Vec<Ask> = requests.iter().filter_map(|request| asked_of_lock(request, Olm::Classic)).collect();
    let question = LockQuestion { catalogs: &[catalog], wishes, ..LockQuestion::default() };
    let answer = question.answer(context.index()).map_err(|error| PageError::parameter("p", &error.to_string()))?;
    match answer.missing.first() {
        Some(missing) => Err(PageError::parameter("p", missing)),
        None => Ok(answer.lock.text()),
    }
}

/// The images of all catalogs of a list.
fn all_images(found: &[Composed]) -> BTreeSet<&str> {
    found.iter().flat_map(|it| &it.images).map(String::as_str).collect()
}

/// The requests of a list by catalog: that of the item, that of the list, or for a package that it does not have the
/// preferred one that has it.
fn by_catalog(context: PageContext<'_>, list: &MirrorList) -> Result<Vec<(String, Vec<String>)>, PageError> {
    let chosen = chosen_catalog(context, list.catalog.as_ref())?;
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for item in &list.packages {
        let (request, named) = MirrorList::request_and_catalog(item);
        let catalog = match named {
            Some(named) => chosen_catalog(context, Some(&named.to_owned()))?,
            None => {
                let having = context.index().catalogs_of_package(package_of(request))?;
                let other = context.cache().choose(&[], having.iter().map(String::as_str));
                other.filter(|_| !having.contains(&chosen)).unwrap_or(&chosen).to_owned()
            }
        };
        match parts.iter_mut().find(|part| part.0 == catalog) {
            Some((_, requests)) => requests.push(request.to_owned()),
            None => parts.push((catalog, vec![request.to_owned()])),
        }
    }
    Ok(parts)
}

fn composed(context: PageContext<'_>, list: &MirrorList) -> Result<Vec<Composed>, PageError> {
    let parts = by_catalog(context, list)?.into_iter();
    parts.map(|(catalog, requests)| of_catalog(context, list, catalog, requests)).collect()
}

/// Stands for the image of a catalog that the index does not know. One for all would make two catalogs one.
fn placeholder(catalog: &str) -> String {
    format!("registry.example.com/{}:latest", label_of(catalog, "catalog"))
}

fn of_catalog(
    context: PageContext<'_>,
    list: &MirrorList,
    name: String,
    requests: Vec<String>,
) -> Result<Composed, PageError> {
    let refused = |error: AskedError| PageError::parameter("p", &error.to_string());
    let packages = mirror::packages(&requests).map_err(refused)?;
    let image = context.cache().catalogs.iter().find(|it| it.catalog == name).map(|it| it.image.clone());
    let image = image.filter(|it| !it.is_empty()).or_else(|| usual_image(&name)).unwrap_or_else(|| placeholder(&name));
    let mut operator = Operator { catalog: image, full: list.is_full, packages, ..Operator::default() };
    let names: Vec<&str> = operator.packages.iter().map(|it| it.name.as_str()).collect();
    let input = context.index().packages_without_manifests(&name, names.iter().copied())?;
    let catalog = Catalog::read(&input, None);
    let defaults = mirror::choose_defaults(&catalog, &mut operator);
    let release = FilterVersion::default();
    let explained = mirror::explained(&name, &catalog, &operator, release)
        .map_err(|error| PageError::parameter("p", &error.to_string()))?;
    let images = mirror::images(&catalog, &explained.filtered);
    let images = BTreeSet::from_iter(images.into_iter().map(|it| Image::copyable_name(it).into_owned()));
    Ok(Composed { catalog: name, requests, operator, explained, defaults, images, found: catalog })
}

/// The named catalog, or the preferred one.
fn chosen_catalog(context: PageContext<'_>, named: Option<&String>) -> Result<String, PageError> {
    let having: Vec<String> = context.catalogs().map(str::to_owned).collect();
    context.choose(named, &having, || PageError::Failed("the index has no catalog".to_owned()))
}

pub(super) fn page(context: PageContext<'_>, list: &MirrorList) -> Result<Page, PageError> {
    let refused = by_catalog(context, list)?.iter().find_map(|(_, requests)| mirror::packages(requests).err());
    let found = if refused.is_none() { composed(context, list)? } else { Vec::new() };
    let catalog = chosen_catalog(context, list.catalog.as_ref())?;
    let body = html! {
        h1 { "Mirror list" }
        p.lead { "Choose packages, channels and versions, and copy the configuration that mirrors them." }
        (form(context, list, &catalog)?)
        (chosen(context, list, &catalog))
        @if let Some(error) = &refused {
            div.note.bad role="note" { p { (worded(&error.to_string())) ": " (worded(error.help())) "." } }
        }
        @if !found.is_empty() {
            @let all = found.iter().flat_map(|it| &it.explained.packages);
            @let (kept, refused): (Vec<_>, Vec<_>) = all.partition(|it| it.problem.is_empty());
            @for it in &found { (notes(context, list, it)?) }
            @for it in refused { (package(context, list, it)) }
            (results(context, list, &found))
            @if let [only] = found.as_slice() { (locked(context, list, only)) }
            @for it in kept { (package(context, list, it)) }
        }
    };
    let commands = found.iter().flat_map(|found| {
        let catalog = context.catalog_choice(&found.catalog);
        let requests = || found.known_requests().cloned();
        let of = |verb| CommandLine::of(verb).options("--package", requests()).option("--catalog", catalog.as_ref());
        let all = [
            of("filter").flag("--explain", true).flag("--full", list.is_full),
            of("filter").option("-o", Some("images")).flag("--full", list.is_full),
            CommandLine::of("lock").names(requests()).option("--catalog", catalog.as_ref()),
        ];
        // Where nothing is kept, only the first has an answer: why.
        all.into_iter().take(if found.images.is_empty() { 1 } else { 3 })
    });
    Ok(Page { commands: commands.collect(), is_data: !found.is_empty(), ..Page::new("Mirror list".to_owned(), body) })
}

fn form(context: PageContext<'_>, list: &MirrorList, catalog: &String) -> Result<Markup, PageError> {
    let mut names: Vec<String> = context.catalogs().map(str::to_owned).collect();
    names.sort_by_key(|it| by_numbers(it));
    let known = context.index().packages_of_catalog(catalog)?;
    Ok(html! {
        form.question action=[context.to(&Route::Mirror(MirrorList::default()))] {
            @if !list.packages.is_empty() { input type="hidden" name="p" value=(list.packages.join(",")); }
            @if names.len() > 1 { (select(("catalog", "Catalog"), None, &names, Some(catalog))) }
            label { span { "Package" } input name="package" list="known" placeholder="keda" autocomplete="off" autofocus[!list.packages.is_empty()]; }
            datalist #known { @for it in &known { option value=(it) {} } }
            label { span { "Channel" } input name="channel" placeholder="all" autocomplete="off"; }
            label { span { "Lowest version" } input name="min" autocomplete="off"; }
            label { span { "Highest version" } input name="max" autocomplete="off"; }
            label { span { "Versions" } select name="full" {
                option value="" { "heads of channels" }
                option value="yes" selected[list.is_full] { "all" }
            } }
            button { "Add" }
        }
    })
}

/// The items of the list, each with a way to take it out. They name their catalogs if there are several.
fn chosen(context: PageContext<'_>, list: &MirrorList, catalog: &str) -> Markup {
    let without = |at: usize| {
        let mut packages = list.packages.clone();
        packages.remove(at);
        Route::Mirror(MirrorList { packages, ..list.clone() })
    };
    html! {
        @if list.packages.is_empty() {
            p data-list="" { "The list is empty. Lists and pages of packages, channels and versions add to it." }
        } @else {
            ul.chosen aria-label="The list" data-list=(list.packages.join(",")) data-catalog=[context.catalog_choice(catalog)] {
                @for (at, item) in list.packages.iter().enumerate() {
                    @let (request, catalog) = MirrorList::request_and_catalog(item);
                    li { (shown(request)) @if let Some(catalog) = catalog { " " span.quiet { "in " (shown(catalog)) } } " "
                        @if let Some(address) = context.to(&without(at)) { a rel="nofollow" href=(address) {
                            span aria-hidden="true" { "×" } span.away { "Remove " (shown(item)) }
                        } }
                    }
                }
            }
        }
    }
}

/// The parts of a list that a catalog does not have, and what else its reader should know.
fn notes(context: PageContext<'_>, list: &MirrorList, found: &Composed) -> Result<Markup, PageError> {
    let catalog = &found.catalog;
    let known = context.index().packages_of_catalog(catalog)?;
    let missing = mirror::missing(&found.found, &found.operator, known.iter().map(String::as_str));
    // The same list, with a package from another catalog.
    let moved = |package: &str, other: &str| {
        let items = list.packages.iter().map(|item| match is_about(item, package, catalog) {
            true => MirrorList::item(MirrorList::request_and_catalog(item).0, Some(other)),
            false => item.clone(),
        });
        Route::Mirror(MirrorList { packages: items.collect(), ..list.clone() })
    };
    Ok(html! {
        @for it in &missing {
            div.note.bad role="note" { p {
                @match it {
                    Missing::Package { package, meant } => {
                        "Catalog " strong { (shown(catalog)) } " has no package " strong { (shown(package)) } "."
                        @let others = context.index().catalogs_of_package(package)?;
                        @for other in &others { " " (link(context, &moved(package, other), format!("Take it from {}", shown(other)))) "." }
                        @if let Some(meant) = meant.as_ref().filter(|_| others.is_empty()) { " Did you mean " strong { (shown(meant)) } "?" }
                    }
                    Missing::Channel { package, channel, meant, known } => {
                        "Package " strong { (shown(package)) } " has no channel " strong { (shown(channel)) } "."
                        @if let Some(meant) = meant { " Did you mean " strong { (shown(meant)) } "?" }
                        @else { " It has " (shown(&known.join(", "))) "." }
                    }
                }
            } }
        }
        @for ChosenDefault { package, old, new } in &found.defaults {
            div.note.warn role="note" { p { "Channel " strong { (shown(new)) } " becomes the default of " strong { (shown(package)) }
                ", because its own default channel, " strong { (shown(old)) } ", is not in the list." } }
        }
        @for (package, need, providers) in &missed(context, found)? {
            div.note.warn role="note" { p { strong { (shown(package)) } " requires " (worded(&shown(need))) ", which nothing in the list provides."
                @if providers.is_empty() { " No package of the catalog does." }
                @for provider in providers.iter().take(OFFERED) {
                    @let item = MirrorList::item(provider, context.catalog_choice(catalog).as_deref());
                    @let with = MirrorList { packages: list.packages.iter().cloned().chain([item]).collect(), ..list.clone() };
                    " " (link(context, &Route::Mirror(with), format!("Add {}", shown(provider)))) "."
                } } }
        }
        @for it in &found.explained.mends { div.note.warn role="note" { p { (worded(&it.to_string())) "." } } }
    })
}

/// The most providers of a requirement that are offered.
const OFFERED: usize = 4;

/// The requirements of the kept default heads that no package of the list meets: the package, what it requires, and the
/// packages of the catalog that meet it.
fn missed(context: PageContext<'_>, found: &Composed) -> Result<Vec<(String, String, Vec<String>)>, PageError> {
    let mut missed = Vec::new();
    for it in found.explained.packages.iter().filter(|it| it.problem.is_empty()) {
        let head = it.channels.iter().find(|channel| channel.channel == it.new_default_channel).map(|it| &it.head);
        let Some(head) = head.filter(|head| !head.is_empty()) else { continue };
        let bundles = context.cache().bundles(context.index(), &found.catalog, &it.package)?;
        let Some(row) = bundles.iter().find(|row| row.bundle == *head || row.version == *head) else { continue };
        let target = Target { package: it.package.clone(), bundle: row.bundle.clone() };
        // In a broken catalog its own page says what is wrong.
        let needs = needs(context.index(), &found.catalog, &target, &options_of_work(PAGE_WORK)).unwrap_or_default();
        for need in needs.iter().flat_map(|it| &it.needs) {
            let providers = &need.met.packages;
            // Only the first of very many are known.
            if providers.len() == need.met.n_packages && !providers.iter().any(|name| found.has(name)) {
                missed.push((it.package.clone(), need.text.clone(), providers.clone()));
            }
        }
    }
    Ok(missed)
}

/// The kept part of a package, or why nothing is kept.
fn package(context: PageContext<'_>, list: &MirrorList, it: &FilterExplanation) -> Markup {
    let mut kept: Vec<&ChannelExplanation> = it.channels.iter().filter(|it| !it.kept.is_empty()).collect();
    kept.sort_by_cached_key(|row| (row.channel != it.new_default_channel, Reverse(by_numbers(&row.channel))));
    // The same list, with one channel of the package.
    let only = |channel: &str| {
        let narrowed = format!("{}/{channel}", it.package);
        let narrowed = MirrorList::item(&narrowed, context.catalog_choice(&it.catalog).as_deref());
        let others = list.packages.iter().filter(|item| !is_about(item, &it.package, &it.catalog)).cloned();
        Route::Mirror(MirrorList { packages: others.chain([narrowed]).collect(), ..list.clone() })
    };
    let has_more = kept.iter().any(|it| !it.along.is_empty());
    let mut headers = vec!["Channel", "Head", "Versions"];
    headers.extend(has_more.then_some("Also kept"));
    headers.extend((kept.len() > 1).then_some("Narrow down"));
    let rows = html! {
        @for channel in &kept {
            tr {
                th scope="row" { (shown(&channel.channel)) @if channel.channel == it.new_default_channel { " " (badge("", "default")) } }
                td { (shown(&channel.head)) }
                td { (channel.kept.len()) " of " (channel.of) }
                @if has_more { td { (shown(&channel.along.join(", "))) } }
                @if kept.len() > 1 { td { @if let Some(address) = context.to(&only(&channel.channel)) { a rel="nofollow" href=(address) { "only this channel" } } } }
            }
        }
    };
    html! {
        @let page = PackagePage { catalog: context.catalog_choice(&it.catalog), ..PackagePage::of(&it.package) };
        h2 { (link(context, &Route::Package(page), shown(&it.package)))
            @if context.has_several() { span.quiet { " in " (shown(&it.catalog)) } } }
        @if it.problem.is_empty() {
            (table(&format!("Versions kept of {}", shown(&it.package)), &headers, rows))
        } @else {
            div.note.bad role="note" {
                p { strong { "oc-mirror cannot mirror this package: " (worded(&it.problem)) "." } }
                @for reason in &it.reasons { p { (worded(reason)) } }
            }
            @if !it.repairs.is_empty() {
                p { "Any of these helps:" }
                ul { @for repair in &it.repairs {
                    li { (worded(&repair.changes.join("; "))) span.quiet { " (keeps " (counted(repair.bundles as u64, "bundle")) ")" } }
                } }
            }
        }
    }
}

/// Whether an item asks for a package, and for no other catalog than this.
fn is_about(item: &str, package: &str, catalog: &str) -> bool {
    let (request, named) = MirrorList::request_and_catalog(item);
    package_of(request) == package && named.is_none_or(|named| named == catalog)
}

/// The package of an item of a list.
fn package_of(item: &str) -> &str {
    item.split(['/', '@']).next().unwrap_or_default()
}

/// The files that ask for it, and the images.
fn results(context: PageContext<'_>, list: &MirrorList, found: &[Composed]) -> Markup {
    let operator = |it: &Composed| {
        let packages = it.operator.packages.iter().filter(|package| it.has(&package.name)).cloned().collect();
        Operator { packages, ..it.operator.clone() }
    };
    // An entry without packages would ask for all.
    let operators = found.iter().map(operator).filter(|it| !it.packages.is_empty()).collect();
    let configuration = Configuration { operators, ..Configuration::default() };
    let images = all_images(found);
    let text = Route::MirrorImages(list.clone());
    let copied = |text: &str| html! { pre.command.manifest { code { (shown_lines(text)) } } };
    html! {
        @if !images.is_empty() {
            h2 #imageset { "ImageSetConfiguration" }
            @for it in found.iter().filter(|it| !it.images.is_empty()) {
                @if it.operator.catalog == placeholder(&it.catalog) {
                    p { "Replace " code { (it.operator.catalog) } " with the image of catalog " (shown(&it.catalog)) ", which this index does not know." }
                } @else if usual_image(&it.catalog).as_ref() == Some(&it.operator.catalog) {
                    p { code { (shown(&it.operator.catalog)) } " is the image that catalogs of this name usually have." }
                }
            }
            (copied(&mirror::configuration(&configuration).to_yaml()))
            h2 #composition { "olmdex.toml" }
            (copied(&composition(found)))
            h2 #images { (counted(images.len() as u64, "image")) }
            p { (link(context, &text, "As text, one per line")) }
            details { summary { "Show them" } (copied(&Vec::from_iter(images).join("\n"))) }
        }
    }
}

/// A link to the lock file of the list, which is made on demand.
fn locked(context: PageContext<'_>, list: &MirrorList, found: &Composed) -> Markup {
    // A name that a command line would read differently cannot be in its command.
    let kept = |name: &str| found.explained.packages.iter().any(|it| it.package == name && it.problem.is_empty());
    if !found.requests.iter().all(|it| asked_of_lock(it, Olm::Classic).is_some_and(|ask| kept(&ask.package))) {
        return html! {};
    }
    let file = Route::MirrorLock(list.clone());
    html! {
        h2 #lock { "operators.lock" }
        p { (link(context, &file, "The lock file")) " pins each package of the list to the newest bundle that the list \
            permits, as OLM Classic installs it." }
    }
}

/// A catalog of an `olmdex.toml` that holds the list.
fn composition(found: &[Composed]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!("[catalogs.{}]\ncomponents = [\n", quoted("mirror"));
    for it in found.iter().filter(|it| it.known_requests().next().is_some()) {
        // Writing into a text cannot fail.
        let _ = write!(text, "    {{ source = {}, packages = [", quoted(&format!("docker://{}", it.operator.catalog)));
        for request in it.known_requests() {
            let _ = write!(text, "\n        {},", quoted(request));
        }
        text.push_str("\n    ] },\n");
    }
    text.push_str("]\n");
    text
}
