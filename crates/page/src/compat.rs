//! Which versions of a package may stay when a cluster goes to the next version of OpenShift, and how long they are supported.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::command::Command;
use super::parts::{Ids, badge, link, shown, table, tabs, version_link};
use super::reply::PageError;
use super::route::{Fit, List, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{CatalogsOfVersion, CompatQuestion, Compatibility, Move, Stay, stays_at};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{Filter, PackageGraph};
use olmdex_rules::openshift::Lifecycle;
use olmdex_version::Version;

fn minor(text: &str) -> Result<Minor, PageError> {
    let refused = || PageError::parameter("openshift", "a version looks like 4.18");
    if !text.contains('.') {
        return Err(refused());
    }
    Version::parse_tolerant(text).map(|it| Minor::of(&it)).map_err(|_| refused())
}

/// The catalogs that a command names.
fn named(context: PageContext<'_>, scope: &CatalogsOfVersion) -> Vec<String> {
    match scope {
        CatalogsOfVersion::Own(names) if context.has_several() => names.clone(),
        _ => Vec::new(),
    }
}

fn scope_of(context: PageContext<'_>, graphs: &[PackageGraph], openshift: Minor) -> CatalogsOfVersion {
    context.cache().ranks.of_version(graphs.iter().map(|it| it.catalog.as_str()), openshift)
}

fn note(context: PageContext<'_>, scope: &CatalogsOfVersion, openshift: Minor) -> Markup {
    let rest = match (context.has_several(), scope) {
        (false, _) => "The bundles of its only catalog follow.",
        (true, CatalogsOfVersion::Without(_)) => "The bundles of the other catalogs follow.",
        (true, _) => "The bundles of all catalogs follow.",
    };
    html! {
        @match scope {
            CatalogsOfVersion::Own(names) => { @if context.has_several() {
                p { "The bundles of " strong { (shown(&names.join(", "))) } ", the catalog for OpenShift " (openshift) "." }
            } }
            CatalogsOfVersion::Without(names) => {
                div.note.warn role="note" { p { "The catalog for OpenShift " (openshift) ", " strong { (shown(&names.join(", "))) }
                    ", does not have this package. " (rest) } }
            }
            CatalogsOfVersion::Missing => {
                div.note.warn role="note" { p { "No catalog of this index is for OpenShift " (openshift) ", by its name. " (rest) } }
            }
        }
    }
}

/// The answer as data: what `compat PKG --openshift VERSION` gives.
pub(super) fn answer(context: PageContext<'_>, fit: &Fit) -> Result<Vec<Stay>, PageError> {
    let Some(openshift) = &fit.openshift else {
        return Err(PageError::parameter("openshift", "required: the current version of the cluster"));
    };
    let from = minor(openshift)?;
    let graphs = context.index().package_graphs(&Filter::default(), &fit.package)?;
    if graphs.is_empty() {
        return Err(context.unknown_package(&fit.package));
    }
    let catalogs = match scope_of(context, &graphs, from) {
        CatalogsOfVersion::Own(names) => names,
        _ => Vec::new(),
    };
    let step = Move { from, to: from.next() };
    let question = CompatQuestion::of_package(&fit.package, step, catalogs);
    Ok(question.answer(context.index(), &mut |_| {})?.rows)
}

/// The versions of OpenShift that bundles and names of catalogs speak of, the lowest first.
fn spoken_of(
    context: PageContext<'_>,
    package: &str,
    lifecycles: &[(String, Lifecycle)],
) -> Result<Vec<Minor>, PageError> {
    let mut texts: Vec<String> = context.catalogs().map(str::to_owned).collect();
    for graph in context.index().package_graphs(&Filter::default(), package)? {
        for bundle in graph.bundles {
            texts.extend(bundle.openshift_versions.split([',', '-', '|', ' ', '"']).map(str::to_owned));
            texts.extend(bundle.max_openshift_versions);
        }
    }
    texts.extend(
        lifecycles.iter().flat_map(|it| &it.1.versions).flat_map(|it| it.openshift().unwrap_or_default().to_vec()),
    );
    let mut found = BTreeSet::new();
    for text in texts {
        let numbers = text.trim_matches(|c: char| !c.is_ascii_digit());
        // Names such as `2024.1` are not of OpenShift.
        if let Some((major, rest)) = numbers.split_once('.')
            && let Ok(major @ 4..=5) = major.parse()
            && let Ok(minor) = rest.split('.').next().unwrap_or_default().parse()
        {
            found.insert(Minor { major, minor });
        }
    }
    Ok(found.into_iter().collect())
}

pub(super) fn page(context: PageContext<'_>, fit: &Fit) -> Result<Page, PageError> {
    let package = &fit.package;
    let graphs = context.index().package_graphs(&Filter::default(), package)?;
    if graphs.is_empty() {
        return Err(context.unknown_package(package));
    }
    let lifecycles: Vec<(String, Lifecycle)> =
        context.index().lifecycles(&Filter::default())?.into_iter().filter(|it| it.1.package == *package).collect();
    let minors = spoken_of(context, package, &lifecycles)?;
    let steps: Vec<Move> = match &fit.openshift {
        Some(text) => {
            let from = minor(text)?;
            vec![Move { from, to: from.next() }]
        }
        // Of each version that is spoken of, whether a cluster may go there.
        None => minors.iter().filter_map(|to| Some(Move { from: before(*to)?, to: *to })).collect(),
    };
    let body = html! {
        h1 { (shown(package)) " and OpenShift" }
        (tabs(context, package))
        @if context.is_served() { (form(context, fit, &minors)) }
        @match &fit.openshift {
            Some(_) => { @for step in &steps {
                (note(context, &scope_of(context, &graphs, step.from), step.from))
                (one_step(context, &answer(context, fit)?, *step))
            } }
            None => {
                @if steps.is_empty() { p { "Neither the bundles nor the catalogs of this package name an OpenShift version." } }
                @else { (matrix(context, package, &graphs, &steps)) }
            }
        }
        (support(&lifecycles))
    };
    let commands = match &fit.openshift {
        Some(openshift) => {
            let command = Command::new("compat").name(package.clone()).option("--openshift", openshift);
            let named = named(context, &scope_of(context, &graphs, minor(openshift)?));
            vec![named.into_iter().fold(command, |command, name| command.option("--catalog", name))]
        }
        None => Vec::new(),
    };
    Ok(Page {
        title: format!("{package} and OpenShift"),
        trail: vec![
            ("Catalogs".to_owned(), Route::Home),
            ("Packages".to_owned(), Route::Packages(List::default())),
            (package.clone(), Route::Package(package.clone())),
        ],
        is_data: fit.openshift.is_some(),
        data: None,
        commands,
        more_data: Vec::new(),
        about: String::new(),
        body,
    })
}

/// The minor version before another one; `None` for the first.
fn before(minor: Minor) -> Option<Minor> {
    Some(Minor { minor: minor.minor.checked_sub(1)?, ..minor })
}

fn form(context: PageContext<'_>, fit: &Fit, minors: &[Minor]) -> Markup {
    let address = context.to(&Route::Compat(Fit { package: fit.package.clone(), openshift: None }));
    html! {
        form.question action=[address] {
            label { span { "Current OpenShift version" }
                input name="openshift" list="minors" value=[fit.openshift.as_ref()] placeholder="4.18" autocomplete="off" inputmode="decimal"; }
            datalist #minors { @for it in minors { option value=(it) {} } }
            button { "Show what may stay" }
        }
    }
}

fn verdict(verdict: Compatibility) -> Markup {
    match verdict {
        Compatibility::Blocks => badge("bad", "blocks"),
        Compatibility::Excluded => badge("warn", "excluded"),
        Compatibility::Unknown => badge("", "unknown"),
        Compatibility::NotExcluded => badge("", "not excluded"),
        Compatibility::Stated => badge("good", "stated"),
    }
}

/// What holds when a cluster goes from a version to the next.
fn one_step(context: PageContext<'_>, rows: &[Stay], step: Move) -> Markup {
    let mut headers = vec!["Version", "OLM", "Verdict", "Because"];
    if context.has_several() {
        headers.insert(0, "Catalog");
    }
    let rows = html! {
        @for it in rows {
            tr {
                @if context.has_several() { td { (shown(&it.catalog)) } }
                th scope="row" { (version_link(context, &it.package, (&it.bundle, &it.version), &it.catalog)) }
                td { (it.olm.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ")) }
                td { (verdict(it.verdict)) }
                td { (shown(&it.reason)) @if let Some(refusal) = &it.refusal { "; OLM v1 refuses it: " (shown(refusal)) } }
            }
        }
    };
    table(&format!("While the cluster goes from OpenShift {} to {}", step.from, step.to), &headers, rows)
}

/// Versions and versions of OpenShift.
fn matrix(context: PageContext<'_>, package: &str, graphs: &[PackageGraph], steps: &[Move]) -> Markup {
    let preferred = context.cache().choose(&[], graphs.iter().map(|it| it.catalog.as_str())).unwrap_or_default();
    let Some(graph) = graphs.iter().find(|it| it.catalog == preferred) else { return html! {} };
    let columns = stays_at(graph, steps);
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for it in columns.iter().flatten() {
        if !seen.contains(&(&*it.bundle, &*it.version)) {
            seen.push((&it.bundle, &it.version));
        }
    }
    let names: Vec<String> = steps.iter().map(|it| it.to.to_string()).collect();
    let headers: Vec<&str> = ["Version"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut ids = Ids::default();
    // Where the generations of OLM differ, the worse verdict is shown.
    let cell = |column: &[Stay], bundle: &str| {
        let worst = column.iter().filter(|it| it.bundle == bundle).min_by_key(|it| it.verdict);
        html! { @if let Some(it) = worst { span title=(shown(&it.reason)) { (verdict(it.verdict)) } } }
    };
    let rows = html! {
        @for (bundle, version) in &seen {
            tr id=(ids.make("v", version)) {
                th scope="row" { (version_link(context, package, (bundle, version), preferred)) }
                @for (column, step) in columns.iter().zip(steps) {
                    td { (link(context, &Route::Compat(Fit { package: package.to_owned(), openshift: Some(step.from.to_string()) }), cell(column, bundle))) }
                }
            }
        }
    };
    html! {
        p { "Whether each version may stay when the cluster goes to a version of OpenShift, as catalog " strong { (shown(preferred)) }
            " says: what blocks keeps the cluster from going there; what is excluded says that it is not made for it." }
        (table("May it stay when the cluster goes to…", &headers, rows))
    }
}

/// Until when versions are supported, as the catalogs say it.
fn support(lifecycles: &[(String, Lifecycle)]) -> Markup {
    let rows = html! {
        @for (catalog, lifecycle) in lifecycles {
            @for version in &lifecycle.versions {
                @for phase in &version.phases {
                    tr {
                        th scope="row" { (shown(&version.name)) }
                        td { (shown(&phase.name)) }
                        td { (phase.start) }
                        td { (phase.end) }
                        td { (shown(&version.openshift().unwrap_or_default().join(", "))) }
                        td.quiet { (shown(catalog)) }
                    }
                }
            }
        }
    };
    html! {
        @if !lifecycles.is_empty() {
            h2 #support { "Support" }
            (table("Support phases", &["Version", "Phase", "From", "Until", "OpenShift", "Catalog"], rows))
        }
    }
}
