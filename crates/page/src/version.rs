//! A version of a package: its provisions, its requirements, and the upgrades to it and from it.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use maud::{Markup, html};

use super::header::{Heading, header};
use super::highest::HighestInChannels;
use super::install;
use super::outlook::note;
use super::parts::{
    address, api_link, badge, by_kind, channel_links, channel_route, commas, deprecation_note, facts, lines, link,
    mirror_list, place, shown, table, version_link, version_route, worded,
};
use super::reply::PageError;
use super::route::{ApiKind, ImageSearch, PackagePage, PackageVersion, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{
    self as ask, BundleNeeds, CommandLine, Dependencies, DepsQuestion, Goal, LeftOutRange, Need, PAGE_WORK, Target,
    WorkOptions, of_version, options_of_work,
};
use olmdex_base::diag::counted;
use olmdex_fbc::Api;
use olmdex_index::query::{BundleDetail, BundleRow, BundleSelector, Edge, Filter, ImageUse, Neighbour, PropertyRow};
use olmdex_olm::upgrade::classic::{Installed, Package};
use olmdex_version::{Version, version_or_name};

/// The answer as data: that of `show PKG@VERSION`.
pub(super) fn answer(context: PageContext<'_>, release: &PackageVersion) -> Result<Vec<BundleDetail>, PageError> {
    context.must_have_catalog(release.catalog.as_ref())?;
    let catalogs: Vec<String> = release.catalog.iter().cloned().collect();
    let found = of_version(context.index(), &catalogs, &release.package, &release.version)?;
    if found.is_empty() {
        return Err(context.unknown_version(&release.package, &release.version, release.catalog.as_ref()));
    }
    Ok(found)
}

/// The requirements of the version: the answer of `deps PKG@VERSION`.
pub(super) fn dependencies(context: PageContext<'_>, release: &PackageVersion) -> Result<Vec<Dependencies>, PageError> {
    let found = answer(context, release)?;
    let Some(bundle) = found.first().map(|it| it.row.bundle.clone()) else { return Ok(Vec::new()) };
    let catalogs: Vec<String> = release.catalog.iter().cloned().collect();
    let target = Target { package: release.package.clone(), bundle };
    let work = WorkOptions { max_work: PAGE_WORK };
    let question = DepsQuestion { work, catalog: catalogs, ..DepsQuestion::default() };
    Ok(question.of_bundle(context.index(), &target)?.items)
}

/// The requirements of a bundle of one catalog, as the page shows them.
fn needed(context: PageContext<'_>, catalog: &str, package: &str, bundle: &str) -> Result<Vec<BundleNeeds>, PageError> {
    match context.shared {
        Some(shared) => shared.demands(catalog, bundle),
        None => {
            let target = Target { package: package.to_owned(), bundle: bundle.to_owned() };
            Ok(ask::needs(context.index(), catalog, &target, &options_of_work(PAGE_WORK))?)
        }
    }
}

/// The images of the version: those of `images PKG@VERSION`.
pub(super) fn images(context: PageContext<'_>, release: &PackageVersion) -> Result<Vec<ImageUse>, PageError> {
    let found = answer(context, release)?;
    let having: Vec<String> = found.iter().map(|it| it.row.catalog.clone()).collect();
    let catalog = context.choose(release.catalog.as_ref(), &having, || {
        context.unknown_version(&release.package, &release.version, release.catalog.as_ref())
    })?;
    let bundle = found.iter().find(|it| it.row.catalog == catalog).map(|it| &it.row);
    let places: Vec<(String, String, String)> =
        bundle.map(|it| (it.catalog.clone(), it.package.clone(), it.bundle.clone())).into_iter().collect();
    Ok(context.index().image_uses(&places)?)
}

fn named(verb: &'static str, release: &PackageVersion, detail: &BundleDetail) -> CommandLine {
    let is_version = detail.row.version == release.version;
    let name = if is_version { format!("{}@{}", release.package, release.version) } else { release.version.clone() };
    CommandLine::of(verb).names([name])
}

pub(super) fn page(context: PageContext<'_>, release: &PackageVersion) -> Result<Page, PageError> {
    let all = answer(context, release)?;
    let having: Vec<String> = all.iter().map(|it| it.row.catalog.clone()).collect();
    let missing = || context.unknown_version(&release.package, &release.version, release.catalog.as_ref());
    let catalog = context.choose(release.catalog.as_ref(), &having, missing)?;
    let Some(detail) = all.iter().find(|it| it.row.catalog == catalog) else { return Err(missing()) };
    let row = &detail.row;
    let everywhere = BundleSelector::of(&[], &row.package, &row.bundle);
    let elsewhere = if context.has_several() { context.index().show_bundle(&everywhere)? } else { Vec::new() };
    let elsewhere: Vec<String> = elsewhere.into_iter().map(|it| it.row.catalog).filter(|it| *it != catalog).collect();
    // In a broken catalog only the requirements can fail, so the error stays in their section of the page.
    let requires = needed(context, &catalog, &row.package, &row.bundle);
    let highest = if detail.upgrades_to.is_empty() { Some(highest_in_channels(context, row)?) } else { None };
    let higher = highest.as_ref().map(|it| it.above(row)).unwrap_or_default();
    // Files do not repeat a text that every version of a package has.
    let described = match context.shared {
        Some(shared) => shared.described(&catalog)?.get(&row.bundle).cloned(),
        None => None,
    };
    let onward = Onward::read(context, row)?;
    let channel = onward.as_ref().and_then(|onward| onward.channel.as_deref());
    let name = if row.display_name.is_empty() { &row.package } else { &row.display_name };
    let title = html! { "Version " (shown(&release.version)) };
    let header = header(context, &Heading::new(&row.package, Some(&catalog)).of_part(title))?;
    let body = html! {
        (header)
        @if !context.is_served() { (neighbours(context, row)?) }
        (deprecation_note("This version", row.deprecation.as_ref()))
        @for message in &detail.other_deprecations { (deprecation_note("Its package or a channel", Some(message))) }
        @if let Some(onward) = &onward { (onward.card) }
        (upgrades(context, detail, &higher, onward.as_ref()))
        (install::section_of_version(context, detail, channel)?)
        (about(context, detail, described.as_ref()))
        h2 #facts { "Facts" }
        (bundle_facts(context, detail, &elsewhere))
        (compared(context, row)?)
        h2 #requires { "Requires" }
        (requirements(context, requires))
        (apis(context, "provides", "Provides", &detail.provides))
        (related_images(context, detail, channel))
        (properties(context, detail))
    };
    let catalog_choice = context.catalog_choice(&catalog);
    let command = |verb| named(verb, release, detail).option("--catalog", catalog_choice.as_ref());
    // The links of the page are about the bundle that it shows.
    let whole = || PackageVersion { catalog: context.catalog_choice(&catalog), ..release.clone() };
    Ok(Page {
        commands: vec![command("show"), command("deps"), command("images")],
        more_data: vec![("what it requires", Route::Deps(whole())), ("its images", Route::VersionImages(whole()))],
        is_data: true,
        data: Some(Route::Version(whole())),
        // In a file this text would only repeat the title.
        about: if context.is_served() { format!("{name} {}", release.version) } else { String::new() },
        ..Page::new(format!("{} {}", row.package, release.version), body)
    })
}

/// Where a version can go.
struct Onward {
    /// The answer in a card; empty for the newest version.
    card: Markup,
    /// The channel that its Subscription has most likely, if that lists it.
    channel: Option<String>,
    /// The versions of the package's bundles.
    versions: HashMap<String, String>,
    /// The bundles to which channels lead that do not list the version, each with its version and channel.
    after_a_change: Vec<(String, String, String)>,
}

impl Onward {
    /// Files say on one page where all versions of a package can go.
    fn read(context: PageContext<'_>, row: &BundleRow) -> Result<Option<Self>, PageError> {
        if !context.is_served() {
            return Ok(None);
        }
        let graphs = context.index().package_graphs(&Filter::of_catalog(&row.catalog), &row.package)?;
        let Some(package) = graphs.first().map(Package::new) else { return Ok(None) };
        let text = |version: &Option<Version>| version.as_ref().map(ToString::to_string).unwrap_or_default();
        let bundles = graphs.iter().flat_map(|graph| &graph.bundles);
        let mut versions: HashMap<String, String> =
            bundles.map(|bundle| (bundle.name.clone(), String::new())).collect();
        for entry in package.channels.iter().flat_map(|channel| &channel.entries) {
            if let Some(version) = versions.get_mut(&entry.fields.name) {
                *version = text(&entry.version);
            }
        }
        let Some(goal) = Goal::newest(&package) else {
            return Ok(Some(Self { card: html! {}, channel: None, versions, after_a_change: Vec::new() }));
        };
        let channel = package.likely_channel(&row.bundle);
        let installed = Installed { name: row.bundle.clone(), version: Version::parse(&row.version).ok() };
        let mut outlook = goal.outlook(&installed, channel);
        if outlook.is_stuck() {
            let range = |head: &str| context.index().csv_annotation(&row.catalog, head, "olm.skipRange");
            outlook.left_out = LeftOutRange::find(&package, &outlook.channel_ends_at_version, range)?;
        }
        let after = goal.after_a_change(&installed).into_iter();
        let after_a_change =
            after.map(|(channel, entry)| (entry.fields.name.clone(), text(&entry.version), channel.to_owned()));
        Ok(Some(Self {
            card: note(context, &outlook, (&row.package, &row.catalog), version_or_name(&row.version, &row.bundle)),
            channel: channel.filter(|name| row.channels.iter().any(|listed| listed == name)).map(str::to_owned),
            versions,
            after_a_change: after_a_change.collect(),
        }))
    }
}

/// The description of the version, which in files may be that of a newer one.
fn about(context: PageContext<'_>, detail: &BundleDetail, described: Option<&Neighbour>) -> Markup {
    let row = &detail.row;
    html! {
        @match described {
            Some(newest) => {
                h2 #description { "About" }
                p { "The description is that of " (version_link(context, &row.package, (&newest.bundle, &newest.version), &row.catalog)) "." }
            }
            None => (super::package::about(&detail.description, Some(&detail.summary))),
        }
    }
}

/// Links to the differences from the version before.
fn compared(context: PageContext<'_>, row: &BundleRow) -> Result<Markup, PageError> {
    if !context.is_served() || row.version.is_empty() {
        return Ok(html! {});
    }
    let (older, _) = context.index().neighbours(&row.catalog, &row.package, &row.bundle)?;
    let catalog = context.catalog_choice(&row.catalog);
    let has_rights = context.cache().catalogs_with_manifests(context.index(), &row.package)?.contains(&row.catalog);
    Ok(html! {
        @if let Some(older) = older.filter(|it| !it.version.is_empty()) {
            @let rights = PackagePage { version: Some(row.version.clone()), against: Some(older.version.clone()), catalog: catalog.clone(), ..PackagePage::of(&row.package) };
            @let way = PackagePage { version: Some(older.version.clone()), to: Some(row.version.clone()), catalog, ..PackagePage::of(&row.package) };
            p { "Compare with " (version_link(context, &row.package, (&older.bundle, &older.version), &row.catalog)) ": "
                @if has_rights { (link(context, &Route::Permissions(rights), "permissions that are new")) ", " }
                (link(context, &Route::Path(way), "the upgrade from it")) "." }
        }
    })
}

/// Links to the next lower and the next higher version of the catalog.
fn neighbours(context: PageContext<'_>, row: &BundleRow) -> Result<Markup, PageError> {
    let (older, newer) = context.index().neighbours(&row.catalog, &row.package, &row.bundle)?;
    let to = |it: &Neighbour| version_link(context, &row.package, (&it.bundle, &it.version), &row.catalog);
    Ok(html! {
        @if older.is_some() || newer.is_some() {
            nav.pages.beside aria-label="Other versions" {
                @if let Some(it) = &older { span { "Lower: " (to(it)) } }
                @if let Some(it) = &newer { span { "Higher: " (to(it)) } }
            }
        }
    })
}

fn bundle_facts(context: PageContext<'_>, detail: &BundleDetail, elsewhere: &[String]) -> Markup {
    let row = &detail.row;
    let modes: Vec<&str> = detail.install_modes.iter().filter(|it| it.supported).map(|it| it.kind.as_str()).collect();
    let (supported, others): (Vec<_>, Vec<_>) = detail.features.iter().partition(|it| it.1 == "true");
    let features = html! {
        (commas(supported.iter().map(|it| html! { (shown(it.0)) })))
        @if !others.is_empty() {
            details { summary { (counted(others.len() as u64, "other")) ", not supported" }
                @for (name, value) in &others { span.line { (shown(name)) @if *value != "false" { " (" (shown(value)) ")" } } } }
        }
    };
    let catalogs = html! {
        @if context.has_several() {
            strong { (shown(&row.catalog)) }
            @for name in elsewhere {
                ", " (link(context, &version_route(context, &row.package, version_or_name(&row.version, &row.bundle), name), shown(name)))
            }
        }
    };
    let text = |it: &str| html! { (shown(it)) };
    facts(&[
        ("Bundle", html! { code { (shown(&row.bundle)) } }),
        ("Image", html! { @if !row.image.is_empty() { code { (shown(&row.image)) } } }),
        ("Channels", channel_links(context, &row.package, &row.channels, &row.catalog)),
        ("Catalogs", catalogs),
        ("Provider", text(&detail.provider)),
        ("Maturity", text(&detail.maturity)),
        ("Capability level", text(&detail.capability_level)),
        ("Categories", text(&detail.categories.join(", "))),
        ("Install modes", text(&modes.join(", "))),
        ("Architectures", text(&detail.architectures_in_words())),
        ("Operating systems", text(&detail.operating_systems_in_words())),
        ("Features", features),
        ("OpenShift versions", text(&detail.openshift_versions)),
        ("Highest OpenShift version", text(&detail.max_openshift_version)),
        ("Lowest Kubernetes version", text(&detail.min_kube_version)),
        ("Repository", address(&detail.repository)),
        ("Support", address(&detail.support)),
        ("Subscription", html! { @if !detail.subscription.is_empty() { (lines(&detail.subscription)) } }),
        ("Created", text(detail.created_at.get(..10).unwrap_or(&detail.created_at))),
        ("File", detail.source.as_ref().map(|it| place(&it.file, it.line)).unwrap_or_default()),
    ])
}

/// Edges from or to one bundle by one field, with the channels that have them.
struct Edges<'d> {
    first: &'d Edge,
    all: Vec<&'d Edge>,
}

/// Joins equal edges of several channels.
fn joined(edges: &[Edge]) -> Vec<Edges<'_>> {
    let mut joined: Vec<Edges<'_>> = Vec::new();
    let mut at: HashMap<(&str, &str), usize> = HashMap::new();
    for edge in edges {
        match at.get(&(&*edge.bundle, &*edge.kind)) {
            Some(at) => joined[*at].all.push(edge),
            None => {
                at.insert((&edge.bundle, &edge.kind), joined.len());
                joined.push(Edges { first: edge, all: vec![edge] });
            }
        }
    }
    joined
}

fn channel_link(context: PageContext<'_>, row: &BundleRow, channel: &str) -> Markup {
    link(context, &channel_route(context, &row.package, channel, &row.catalog), shown(channel))
}

/// The channels of an edge that a file names; the page of a channel has its edges with their lines.
const NAMED_IN_FILES: usize = 3;

/// Edges as a short list: most of all files are of versions.
fn edges_of_file(context: PageContext<'_>, row: &BundleRow, caption: &str, edges: &[Edge]) -> Markup {
    html! {
        p.quiet { (caption) }
        ul { @for Edges { first, all } in joined(edges) {
            li {
                @if first.version.is_empty() { (shown(&first.bundle)) }
                @else { (version_link(context, &row.package, (&first.bundle, &first.version), &row.catalog)) }
                " " (shown(&first.kind)) " in "
                (commas(all.iter().take(NAMED_IN_FILES).map(|edge| channel_link(context, row, &edge.channel))))
                @if all.len() > NAMED_IN_FILES { " and " (all.len() - NAMED_IN_FILES) " more" }
            }
        } }
    }
}

/// The edges that lead to it, and those that lead on.
fn upgrades(context: PageContext<'_>, detail: &BundleDetail, higher: &[&BundleRow], onward: Option<&Onward>) -> Markup {
    let row = &detail.row;
    let own_file = detail.source.as_ref().map_or("", |it| &it.file);
    let table_of = |caption: &str, edges: &[Edge]| {
        let rows = html! {
            @for Edges { first, all } in joined(edges) {
                tr {
                    th scope="row" {
                        // A name that an entry only mentions may have a page in another channel.
                        @if first.version.is_empty() {
                            @match onward.and_then(|onward| onward.versions.get(&first.bundle)) {
                                Some(version) => { (version_link(context, &row.package, (&first.bundle, version), &row.catalog)) " " span.of { "not in this channel" } }
                                None => { (shown(&first.bundle)) " " span.of { "not in the catalog" } }
                            }
                        } @else { (version_link(context, &row.package, (&first.bundle, &first.version), &row.catalog)) }
                    }
                    td { (shown(&first.kind)) }
                    td {
                        (commas(all.iter().map(|edge| html! {
                            (channel_link(context, row, &edge.channel)) " "
                            @if edge.file == own_file { span.quiet { "line " (edge.line) } } @else { (place(&edge.file, edge.line)) }
                        })))
                    }
                }
            }
        };
        match context.is_served() {
            true => table(caption, &["Version", "Field", "Channels"], rows),
            false => edges_of_file(context, row, caption, edges),
        }
    };
    html! {
        h2 #upgrades { "Upgrades" }
        div.halves {
            div {
                @if detail.upgrades_from.is_empty() { p { "No version upgrades to this one." } }
                @else { (table_of("Upgrades to this version", &detail.upgrades_from)) }
            }
            div {
                @if detail.upgrades_to.is_empty() { (no_way_on(context, detail, higher)) }
                @else { (table_of("Upgrades from this version", &detail.upgrades_to)) }
                @for (bundle, version, channel) in onward.iter().flat_map(|onward| &onward.after_a_change).take(NAMED) {
                    p { (version_link(context, &row.package, (bundle, version), &row.catalog)) " after a change of the channel to " (channel_link(context, row, channel)) "." }
                }
            }
        }
    }
}

fn highest_in_channels(context: PageContext<'_>, row: &BundleRow) -> Result<Rc<HighestInChannels>, PageError> {
    match context.shared {
        Some(shared) => shared.highest(&row.catalog),
        None => {
            let bundles = context.cache().bundles(context.index(), &row.catalog, &row.package)?;
            Ok(Rc::new(HighestInChannels::of(&bundles)))
        }
    }
}

/// Channels with higher versions that are named.
const NAMED: usize = 8;

/// Reports that no upgrade leads on, and the places of higher versions.
fn no_way_on(context: PageContext<'_>, detail: &BundleDetail, higher: &[&BundleRow]) -> Markup {
    let row = &detail.row;
    let name = version_or_name(&row.version, &row.bundle);
    let way = PackagePage {
        version: Some(name.to_owned()),
        catalog: context.catalog_choice(&row.catalog),
        ..PackagePage::of(&row.package)
    };
    html! {
        @if higher.is_empty() {
            p { "No upgrade leads from this version, and no channel holds a higher one." }
        } @else {
            p { "No upgrade leads from this version in its channels: it is the head, or the end of a channel. Higher \
                versions are in "
                (commas(higher.iter().flat_map(|it| it.channels.iter().map(move |channel| html! {
                    (channel_link(context, row, channel)) " (" (version_link(context, &row.package, (&it.bundle, &it.version), &row.catalog)) ")"
                })).take(NAMED)))
                @if higher.len() > NAMED { " and " (counted((higher.len() - NAMED) as u64, "other channel")) }
                "."
                @if let Some(address) = context.to(&Route::Path(way)) { " " a href=(address) { "Upgrade paths from this version" } }
            }
        }
    }
}

fn requirements(context: PageContext<'_>, found: Result<Vec<BundleNeeds>, PageError>) -> Markup {
    let found = match found {
        Ok(found) => found,
        Err(error) => return html! { p { "olmdex cannot determine this: " (worded(&shown(&error.to_string()))) "." } },
    };
    let all: Vec<&Need> = found.iter().flat_map(|it| &it.needs).collect();
    if all.is_empty() {
        return html! { p { "Nothing." } };
    }
    let rows = html! {
        @for it in all {
            tr {
                th scope="row" { (shown(&it.text)) @if !it.message.is_empty() { span.quiet { (shown(&it.message)) } } }
                td {
                    @let packages = &it.met.packages;
                    @if it.is_broken { (badge("bad", "cannot be read")) }
                    @else if packages.is_empty() { (badge("bad", if it.is_all { "no single operator" } else { "no \
                        operator provides it" })) }
                    @else { (commas(packages.iter().map(|name| link(context, &Route::package_of(name), shown(name))))) @if it.met.n_packages > packages.len() {
                        " and " (counted((it.met.n_packages - packages.len()) as u64, "other package"))
                    } }
                }
                td { @if let Some(first) = &it.met.first { code { (shown(&first.name)) } " " span.quiet { (shown(&first.channel)) } } }
                td.aside { (place(&it.place.file, it.place.line)) }
            }
        }
    };
    table("Requirements and their providers", &["Requirement", "Provided by", "Preferred", "~Source"], rows)
}

fn apis(context: PageContext<'_>, id: &str, title: &str, all: &[Api]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 id=(id) { (title) }
            ul.apis {
                @if context.is_served() { @for api in all { li { (api_link(context, api)) } } }
                @else { @for (api, versions) in by_kind(all) {
                    @let route = Route::Api(ApiKind { group: api.group.clone(), kind: api.kind.clone() });
                    li { (link(context, &route, shown(&api.kind))) " " (shown(&versions.join(", "))) }
                } }
            }
        }
    }
}

fn related_images(context: PageContext<'_>, detail: &BundleDetail, channel: Option<&str>) -> Markup {
    let rows = html! {
        @for it in &detail.related_images {
            tr {
                th scope="row" { @if it.name.is_empty() { span.quiet { "–" } } @else { (shown(&it.name)) } }
                td { code { (link(context, &Route::Images(ImageSearch { text: it.image.clone(), ..ImageSearch::default() }), shown(&it.image))) } }
            }
        }
    };
    html! {
        @if !detail.related_images.is_empty() {
            h2 #images { "Images" }
            // Files have the references in the table alone.
            @if context.is_served() { (to_mirror(context, detail, channel)) }
            @if context.is_served() { (table("Related images", &["Name", "Image"], rows)) }
            @else { ul { @for it in &detail.related_images {
                li { @if !it.name.is_empty() { (shown(&it.name)) ": " } code { (shown(&it.image)) } }
            } } }
        }
    }
}

/// A link to the mirror list of a version, and its references to copy.
fn to_mirror(context: PageContext<'_>, detail: &BundleDetail, channel: Option<&str>) -> Markup {
    let row = &detail.row;
    // A version of another channel than the default one leaves the package without its default.
    let part = channel.map(|name| format!("/{name}")).unwrap_or_default();
    let list = mirror_list(context, &format!("{}{part}@{}", row.package, row.version), &row.catalog);
    let related = detail.related_images.iter().map(|it| it.image.as_str());
    let references: BTreeSet<&str> = related.chain([row.image.as_str()]).filter(|it| !it.is_empty()).collect();
    html! {
        @if !row.version.is_empty() {
            p { (link(context, &Route::Mirror(list), "Mirror list of this version")) ": its ImageSetConfiguration, and its images as text." }
        }
        details { summary { "All " (references.len()) " references, to copy" }
            pre.command.manifest { code { (references.iter().map(|it| shown(it)).collect::<Vec<_>>().join("\n")) } } }
    }
}

/// Properties without a section of their own on the page.
fn properties(context: PageContext<'_>, detail: &BundleDetail) -> Markup {
    const TOLD: [&str; 5] = ["olm.package", "olm.gvk", "olm.gvk.required", "olm.package.required", "olm.constraint"];
    // Files have no JSON of a version for values that are too large for a page, so these are shown.
    let is_shown = |it: &PropertyRow| context.is_served() || it.value.is_some();
    let others: Vec<_> =
        detail.properties.iter().filter(|it| !TOLD.contains(&&*it.kind)).filter(|it| is_shown(it)).collect();
    let rows = html! {
        @for it in &others {
            tr {
                th scope="row" { code { (shown(&it.kind)) } }
                td { @match &it.value {
                    Some(value) => { code.wide { (shown(value.get())) } }
                    None => { span.quiet { "too large to show: see the JSON, or " code { "olmdex render" } } }
                } }
            }
        }
    };
    html! {
        @if !others.is_empty() {
            h2 #properties { "Other properties" }
            details { summary { @if others.len() == 1 { "One property" } @else { (others.len()) " properties" } }
                (table("Other properties", &["Type", "Value"], rows)) }
        }
    }
}
