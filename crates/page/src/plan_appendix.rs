//! The appendix of a report: every place, code, reason and command of a plan, for the people who do the work.

use maud::{Markup, html};

use super::parts::{section, shown, worded};
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_plan::plan::{OperatorPlan, OperatorState, Plan, PlanStep, Unknown, about};
use olmdex_rules::openshift::SupportStatus;

pub(super) fn appendix(plan: &Plan, package: &dyn Fn(&OperatorPlan) -> Markup) -> Markup {
    html! {
        div .appendix {
            (operators(plan, package))
            (sources(plan))
            (details(&plan.steps))
            (unknowns(&plan.unknowns))
            (basis(plan))
        }
    }
}

/// A mark and a class for a state, which also has words.
fn mark(state: OperatorState) -> (&'static str, &'static str) {
    match state {
        OperatorState::Head => ("✓", "good"),
        OperatorState::Behind | OperatorState::NotInCatalogButReachable | OperatorState::Newer => ("↑", "fair"),
        OperatorState::Stranded | OperatorState::ChannelGone | OperatorState::PackageGone => ("✕", "bad"),
        OperatorState::Unmanaged | OperatorState::Unknown => ("?", "open"),
    }
}

/// A column of a table: its header, and its cell for an operator.
type Column<'c> = (String, Box<dyn Fn(&OperatorPlan) -> Markup + 'c>);

fn column<'c>(header: &str, cell: impl Fn(&OperatorPlan) -> Markup + 'c) -> Column<'c> {
    (header.to_owned(), Box::new(cell))
}

fn operators<'c>(plan: &'c Plan, package: &'c dyn Fn(&OperatorPlan) -> Markup) -> Markup {
    let text = |it: &str| html! { (shown(it)) };
    let mut columns = vec![
        column("Namespace", move |it| text(it.namespace.as_deref().unwrap_or("ClusterExtension"))),
        column("Package", package),
        column("Installed", move |it| text(&it.installed)),
        column("Channel", move |it| text(&it.channel)),
    ];
    columns.extend(plan.metadata.path.iter().map(|minor| column(&shown(minor), move |it| state_cell(it, minor))));
    columns.push(column("Support", move |it| match it.support.status {
        SupportStatus::NoData => html! {},
        _ => text(&it.support.words()),
    }));
    columns.push(column("Target", move |it| text(it.target.as_deref().unwrap_or_default())));
    columns.push(column("Source", |it| html! { @if !it.place.is_empty() { code { (shown(&it.place)) } } }));
    // A column without any values is left out.
    columns.retain(|(_, cell)| plan.operators.iter().any(|it| !cell(it).0.is_empty()));
    html! {
        @if !plan.operators.is_empty() {
            section aria-labelledby="operators" {
                h2 #operators { "Appendix: operators" }
                div .wide tabindex="0" role="region" aria-label="Operators in detail" {
                    table {
                        caption { "State of each operator in the catalog of each OpenShift version" }
                        thead { tr { @for (header, _) in &columns { th scope="col" { (header) } } } }
                        tbody {
                            @for operator in &plan.operators {
                                tr {
                                    @for (header, cell) in &columns {
                                        @if header == "Package" { th scope="row" { (cell(operator)) } } @else { td { (cell(operator)) } }
                                    }
                                }
                            }
                        }
                    }
                }
                (legend(plan))
            }
        }
    }
}

/// The words of the table that occur.
fn legend(plan: &Plan) -> Markup {
    let occurs = |wanted: &OperatorState| plan.operators.iter().any(|it| it.state.values().any(|it| it == wanted));
    html! {
        dl .words {
            @for state in OperatorState::ALL.into_iter().filter(occurs) {
                div { dt { (state.as_str().replace('-', " ")) } dd { (state.meaning()) } }
            }
        }
    }
}

fn state_cell(operator: &OperatorPlan, minor: &str) -> Markup {
    let Some(state) = operator.state.get(minor).copied() else { return html! {} };
    let (mark, class) = mark(state);
    let fit = operator.compatible.get(minor).map(String::as_str).filter(|it| *it != "unknown");
    let class = if matches!(fit, Some("blocks" | "incompatible")) { "bad" } else { class };
    html! {
        span class=(class) { span aria-hidden="true" { (mark) } " " (state.as_str().replace('-', " ")) }
        @if let Some(fit) = fit { br; span .muted { (Compatibility::of_plan(fit).map_or(fit, |it| it.as_str())) } }
    }
}

/// The codes of blockers and decisions, with which `--assume` takes them as settled, and where blockers are written.
fn sources(plan: &Plan) -> Markup {
    let blockers = plan.blockers.iter().map(|it| (&it.code, &it.subject, &it.platform, it.place.as_str()));
    let decisions = plan.decisions.iter().map(|it| (&it.code, &it.subject, &it.platform, ""));
    let rows: Vec<_> = blockers.chain(decisions).collect();
    let list = html! { @if !rows.is_empty() { ul { @for (code, subject, platform, place) in rows {
        li {
            code { (shown(code.as_str())) } " " (about(subject.as_deref(), platform.as_deref()))
            @if !place.is_empty() { span .muted { " · " (shown(place)) } }
        }
    } } } };
    section("sources", "Appendix: codes and sources", list)
}

fn details(steps: &[PlanStep]) -> Markup {
    html! {
        @if !steps.is_empty() {
            section .details aria-labelledby="details" {
                h2 #details { "Appendix: steps and commands" }
                p { "Read each command before you run it. Nothing has been run." }
                @for step in steps { (detail(step)) }
            }
        }
    }
}

fn detail(step: &PlanStep) -> Markup {
    html! {
        h3 id={ "detail-" (step.number) } {
            a href={ "#step-" (step.number) } { (step.number) ". " (shown(&step.short_title())) }
            @if step.optional { " (optional)" }
        }
        @for it in &step.because { p { (worded(&it.text)) span .muted { " · " (shown(it.code.as_str())) } } }
        @if !step.route.is_empty() {
            ul .route {
                @for it in &step.route {
                    li { (shown(&it.bundle)) span .muted { " · " (shown(&it.because)) @if !it.place.is_empty() { " · " (shown(&it.place)) } } }
                }
            }
        }
        @for it in &step.warnings { p .note { strong { "Note: " } (worded(it)) } }
        @if !step.commands.is_empty() {
            pre .command tabindex="0" { code { @for it in &step.commands { (shown(it)) "\n" } } }
        }
    }
}

fn unknowns(unknowns: &[Unknown]) -> Markup {
    let list = html! { @if !unknowns.is_empty() { ul { @for it in unknowns {
        li {
            @let about = about(it.subject.as_deref(), it.platform.as_deref());
            @if !about.is_empty() { strong { (about) } ": " }
            (worded(&it.text)) span .muted { " · " (shown(it.code.as_str())) }
        }
    } } } };
    section("unknowns", "Appendix: unknown", list)
}

/// The basis of the plan.
fn basis(plan: &Plan) -> Markup {
    let metadata = &plan.metadata;
    let catalogs = metadata.catalogs.iter().map(|it| format!("{} ({})", it.name, it.minor));
    let skipped = metadata.skipped.iter().map(|(kind, n)| format!("{n} {kind}"));
    let list = |items: Vec<String>| items.iter().map(|it| shown(it)).collect::<Vec<_>>().join(", ");
    html! {
        section aria-labelledby="basis" {
            h2 #basis { "Appendix: basis" }
            dl {
                dt { "Support as of" } dd { (shown(&metadata.date)) }
                @if !metadata.cluster_changed.is_empty() {
                    dt { "Newest known change in the cluster" } dd { (shown(&metadata.cluster_changed)) }
                }
                dt { "Catalogs" } dd { (list(catalogs.collect())) }
                @if !metadata.graph.is_empty() {
                    dt { "OpenShift updates" } dd { (shown(&metadata.graph)) }
                    dt { "Channels" } dd { (shown(&format!("{} ({})", metadata.channels.join(", "), metadata.arch))) }
                }
                @if !metadata.skipped.is_empty() { dt { "Objects not used" } dd { (list(skipped.collect())) } }
            }
            @if !metadata.warnings.is_empty() {
                ul { @for it in &metadata.warnings { li .note { (worded(it)) } } }
            }
        }
    }
}
