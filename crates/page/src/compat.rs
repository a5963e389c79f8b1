//! The versions of a package that may stay when a cluster goes to the next version of OpenShift, and the end of their
//! support.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::compat_runs::{legend, symbol, verdict, versions};
use super::header::{Heading, header};
use super::package_answer;
use super::parts::{capitalized, channel_route, link, matrix, shown, table, version_link, worded};
use super::reply::PageError;
use super::route::{PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{CatalogsOfVersion, CommandLine, Compatibility, Move, Stay, blocking, mentioned_minors, stays_at};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{Filter, PackageDetail, PackageGraph};
use olmdex_rules::openshift::Lifecycle;
use olmdex_version::Version;

fn minor(text: &str) -> Result<Minor, PageError> {
    let refused = || PageError::parameter("openshift", "write a version as 4.18");
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
        (false, _) => "The versions of its only catalog follow.",
        (true, CatalogsOfVersion::Without(_)) => "The versions of the other catalogs follow.",
        (true, _) => "The versions of all catalogs follow.",
    };
    html! {
        @match scope {
            CatalogsOfVersion::Own(names) => { @if context.has_several() {
                p { "These are the versions in " strong { (shown(&names.join(", "))) } ", the catalog for OpenShift " (openshift) "." }
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

/// The answer as data: that of `compat PKG --openshift VERSION`.
pub(super) fn answer(context: PageContext<'_>, fit: &PackagePage) -> Result<Vec<Stay>, PageError> {
    let Some(openshift) = &fit.openshift else {
        return Err(PageError::parameter("openshift", "required: the current version of the cluster"));
    };
    let from = minor(openshift)?;
    let graphs = context.index().package_graphs(&Filter::default(), &fit.package)?;
    if graphs.is_empty() {
        return Err(context.unknown_package(&fit.package));
    }
    let scope = scope_of(context, &graphs, from);
    let is_meant = |graph: &&PackageGraph| match &scope {
        CatalogsOfVersion::Own(names) => names.contains(&graph.catalog),
        _ => true,
    };
    let step = Move { from, to: from.next() };
    Ok(graphs.iter().filter(is_meant).flat_map(|graph| stays_at(graph, &[step])).flatten().collect())
}

/// The question of a page that has no answer.
pub(super) fn again(context: PageContext<'_>, fit: &PackagePage) -> Result<Markup, PageError> {
    let graphs = context.index().package_graphs(&Filter::default(), &fit.package)?;
    if graphs.is_empty() {
        return Err(context.unknown_package(&fit.package));
    }
    Ok(form(
        context,
        &PackagePage::of(&fit.package),
        &mentioned_minors(context.catalogs(), &graphs, std::iter::empty()),
    ))
}

pub(super) fn page(context: PageContext<'_>, fit: &PackagePage) -> Result<Page, PageError> {
    let package = &fit.package;
    let graphs = context.index().package_graphs(&Filter::default(), package)?;
    if graphs.is_empty() {
        return Err(context.unknown_package(package));
    }
    let lifecycles: Vec<(String, Lifecycle)> =
        context.index().lifecycles(&Filter::default())?.into_iter().filter(|it| it.1.package == *package).collect();
    let minors = mentioned_minors(context.catalogs(), &graphs, lifecycles.iter().map(|it| &it.1));
    let details = package_answer::answer(context, package)?;
    let steps: Vec<Move> = match &fit.openshift {
        Some(text) => {
            let from = minor(text)?;
            vec![Move { from, to: from.next() }]
        }
        // For each version that a bundle mentions, whether a cluster may go there.
        None => minors.iter().rev().filter_map(|to| Some(Move { from: before(*to)?, to: *to })).collect(),
    };
    // The versions that clusters may have, as far as a bundle or a catalog mentions them.
    let current: Vec<Move> = match &fit.openshift {
        Some(_) => steps.clone(),
        None => minors.iter().rev().map(|from| Move { from: *from, to: from.next() }).collect(),
    };
    let header = header(context, &Heading::new(package, fit.catalog.as_deref()))?;
    let body = html! {
        (header)
        @if context.is_served() { (form(context, fit, &minors)) }
        ul.answers { @for step in &current { (you_get(context, &details, &graphs, *step)) } }
        @match &fit.openshift {
            Some(_) => { @for step in &steps {
                (note(context, &scope_of(context, &graphs, step.from), step.from))
                (one_step(context, &answer(context, fit)?, *step))
            } }
            None => {
                @if steps.is_empty() { p { "Neither the bundles nor the catalogs of this package name an OpenShift version." } }
                @else { (all_steps(context, fit, &graphs, &steps)?) }
            }
        }
        (support(&lifecycles))
    };
    let commands = match &fit.openshift {
        Some(openshift) => {
            let command = CommandLine::of("compat").names([package.clone()]).option("--openshift", Some(openshift));
            let named = named(context, &scope_of(context, &graphs, minor(openshift)?));
            vec![command.options("--catalog", named)]
        }
        None => Vec::new(),
    };
    Ok(Page { is_data: fit.openshift.is_some(), commands, ..Page::new(format!("{package} and OpenShift"), body) })
}

/// The minor version before another one; `None` for the first.
fn before(minor: Minor) -> Option<Minor> {
    Some(Minor { minor: minor.minor.checked_sub(1)?, ..minor })
}

fn form(context: PageContext<'_>, fit: &PackagePage, minors: &[Minor]) -> Markup {
    let address = context.to(&Route::Compat(PackagePage::of(&fit.package)));
    html! {
        form.question action=[address] {
            @if let Some(catalog) = &fit.catalog { input type="hidden" name="catalog" value=(catalog); }
            label { span { "Current OpenShift version" }
                select name="openshift" {
                    @if fit.openshift.is_none() { option value="" { "Choose…" } }
                    @if let Some(other) = fit.openshift.as_ref().filter(|it| !minors.iter().any(|minor| minor.to_string() == **it)) {
                        option selected { (shown(other)) }
                    }
                    @for it in minors.iter().rev() {
                        option selected[fit.openshift.as_deref() == Some(it.to_string().as_str())] { (it) }
                    }
                } }
            button { "Check" }
        }
    }
}

/// The head that a cluster on a version gets of the package, and whether it lets the cluster go on, in a sentence for
/// each catalog of the version.
fn you_get(context: PageContext<'_>, details: &[PackageDetail], graphs: &[PackageGraph], step: Move) -> Markup {
    let CatalogsOfVersion::Own(names) = scope_of(context, graphs, step.from) else { return html! {} };
    let own = details.iter().filter(|it| names.contains(&it.row.catalog));
    html! {
        @for detail in own {
            @let row = &detail.row;
            li {
                "On " strong { "OpenShift " (step.from) } " you get "
                @if row.head.is_empty() { "no version: the default channel has no head" } @else {
                    strong { (version_link(context, &row.package, (&row.head, &row.head_version), &row.catalog)) }
                    " from channel "
                    (link(context, &channel_route(context, &row.package, &row.default_channel, &row.catalog), shown(&row.default_channel)))
                }
                @if context.has_several() { " of " (shown(&row.catalog)) } ". "
                (of_head(graphs, &row.catalog, &row.head, step))
            }
        }
    }
}

/// Whether the head of the default channel lets a cluster go on.
fn of_head(graphs: &[PackageGraph], catalog: &str, head: &str, step: Move) -> Markup {
    let Some(graph) = graphs.iter().find(|it| it.catalog == catalog) else { return html! {} };
    let rows = stays_at(graph, &[step]).pop().unwrap_or_default();
    let Some(worst) = rows.iter().filter(|it| it.bundle == head).min_by_key(|it| it.verdict) else { return html! {} };
    html! { "To " (step.to) ": " (verdict(worst.verdict)) " " (worded(&shown(&worst.reason))) "." }
}

/// The verdicts for a cluster that goes from a version to the next: how many versions block it, and the reason of each
/// range of versions.
fn one_step<'r>(context: PageContext<'_>, rows: &'r [Stay], step: Move) -> Markup {
    let has_generations = rows.iter().any(|it| it.olm.len() == 1);
    let mut headers = vec!["Versions", "Verdict", "Reason"];
    if has_generations {
        headers.insert(1, "OLM");
    }
    if context.has_several() {
        headers.insert(0, "Catalog");
    }
    let mut sorted: Vec<&Stay> = rows.iter().collect();
    sorted.sort_by_key(|it| (&it.catalog, &it.olm));
    let key = |row: &'r Stay| (&row.catalog, &row.olm, row.verdict, &row.reason, &row.refusal);
    let lines = html! {
        @for run in sorted.chunk_by(|a, b| key(a) == key(b)) {
            @let Stay { catalog, olm, verdict: of_all, reason, refusal, .. } = run[0];
            tr {
                @if context.has_several() { td { (shown(catalog)) } }
                th scope="row" { (versions(context, run)) }
                @if has_generations { td { (olm.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ")) } }
                td { (verdict(*of_all)) }
                td.words { (worded(&shown(reason))) @if let Some(refusal) = refusal { "; OLM v1 refuses it: " (worded(&shown(refusal))) } }
            }
        }
    };
    html! {
        p { (capitalized(&blocking(rows, step).1)) "." }
        (table(&format!("While the cluster is updated from OpenShift {} to {}", step.from, step.to), &headers, lines))
    }
}

/// Ranges of versions and versions of OpenShift; a sentence if no version mentions OpenShift.
fn all_steps(
    context: PageContext<'_>,
    fit: &PackagePage,
    graphs: &[PackageGraph],
    steps: &[Move],
) -> Result<Markup, PageError> {
    let having: Vec<String> = graphs.iter().map(|graph| graph.catalog.clone()).collect();
    let catalog = context.choose(fit.catalog.as_ref(), &having, || context.unknown_package(&fit.package))?;
    let Some(graph) = graphs.iter().find(|it| it.catalog == catalog) else { return Ok(html! {}) };
    let columns = stays_at(graph, steps);
    let says_something = |it: &Stay| !it.verdict.is_silent();
    let Some(newest) = columns.first().filter(|_| columns.iter().flatten().any(says_something)) else {
        return Ok(silent(context, &catalog, columns.first().map(Vec::as_slice).unwrap_or_default()));
    };
    // If the generations of OLM differ, the worse verdict is shown.
    let worst = |column: &[Stay], bundle: &str| {
        let worst = column.iter().filter(|it| it.bundle == bundle).min_by_key(|it| it.verdict);
        worst.map(|it| (it.verdict, it.reason.clone()))
    };
    let mut seen = BTreeSet::new();
    let each = newest.iter().filter(|it| seen.insert(it.bundle.as_str()));
    let cells = |row: &Stay| columns.iter().map(|column| worst(column, &row.bundle)).collect::<Vec<_>>();
    let all: Vec<(&Stay, _)> = each.map(|row| (row, cells(row))).collect();
    let occurring: BTreeSet<Compatibility> =
        all.iter().flat_map(|(_, cells)| cells.iter().flatten().map(|cell| cell.0)).collect();
    let names: Vec<String> = steps.iter().map(|it| it.to.to_string()).collect();
    let headers: Vec<&str> = ["Versions"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let to = |step: &Move| {
        Route::Compat(PackagePage { openshift: Some(step.from.to_string()), ..PackagePage::of(&fit.package) })
    };
    let rows = html! {
        @for run in all.chunk_by(|a, b| a.1 == b.1) {
            tr {
                th scope="row" { (versions(context, &run.iter().map(|row| row.0).collect::<Vec<_>>())) }
                @for (cell, step) in run[0].1.iter().zip(steps) {
                    td { @if let Some((verdict, reason)) = cell { (link(context, &to(step), symbol(*verdict, reason))) } }
                }
            }
        }
    };
    Ok(html! {
        p { "Whether a version may stay installed when the cluster is updated to a version of OpenShift, according to \
            catalog " strong { (shown(&catalog)) } "." }
        (legend(&occurring.into_iter().collect::<Vec<_>>()))
        (matrix("May it stay when the cluster is updated to…", &headers, rows))
    })
}

/// The remaining facts if no version mentions OpenShift: from which Kubernetes on they work.
fn silent(context: PageContext<'_>, catalog: &str, rows: &[Stay]) -> Markup {
    let lines = html! {
        @for run in rows.chunk_by(|a, b| (a.verdict, &a.reason) == (b.verdict, &b.reason)) {
            tr { th scope="row" { (versions(context, &run.iter().collect::<Vec<_>>())) } td { (verdict(run[0].verdict)) }
                td.words { (worded(&shown(&run[0].reason))) } }
        }
    };
    html! {
        p { "No version of this package in catalog " strong { (shown(catalog)) } " says which OpenShift it supports." }
        @if rows.iter().any(|row| row.verdict == Compatibility::NotExcluded) {
            (table("Kubernetes versions that the versions state", &["Versions", "Verdict", "Reason"], lines))
        }
    }
}

/// The end of support of versions, according to the catalogs.
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
