//! A plan as a report: one self-contained file, to be mailed, read on any screen and printed.
//!
//! The first page is for the people who decide: a light, three sentences, and the needs of each operator. Short lists
//! of blockers, decisions and steps follow. Places, codes and commands are in an appendix, for the people who do the
//! work.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::assets::COPY;
use super::parts::{section, shown, worded};
use super::plan_appendix::appendix;
use super::report_style::report;
use olmdex_plan::plan::{
    Blocker, Decision, Light, OperatorPlan, Overview, OverviewRow, Plan, PlanStep, Unknown, about,
};

/// The address of the page of an operator's package, if there is one.
pub(super) type PackageAddress<'l> = &'l dyn Fn(&OperatorPlan) -> Option<String>;

/// The report of a plan as one file.
pub fn plan_report(plan: &Plan) -> String {
    let metadata = &plan.metadata;
    let title = format!("OpenShift {} to {}", shown(&metadata.from), shown(&metadata.to));
    // The policy allows only this script, since texts of a cluster may hold others.
    let digest = STANDARD.encode(Sha256::digest(&*COPY));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    );
    let body = html! {
        a .skip href="#steps" { "Skip to the steps" }
        header { h1 { "Upgrade plan: " (title) } }
        main { (sections(plan, &|_| None)) }
        script { (PreEscaped(&*COPY)) }
    };
    report(&format!("Upgrade plan: {title}"), &policy, &body)
}

/// The report without the parts that make it a file: for a page that has a frame of its own.
pub(super) fn sections(plan: &Plan, address: PackageAddress<'_>) -> Markup {
    let overview = Overview::of(plan);
    html! {
        (summary(plan, &overview, address))
        (blockers(&plan.blockers))
        (decisions(&plan.decisions))
        (open_points(&plan.unknowns))
        (steps(&plan.steps))
        (appendix(plan, &|it| package(it, address)))
    }
}

/// Three lamps, one of which is on. The words beside them say the same to people who do not see them.
fn lamps(light: Light) -> Markup {
    html! {
        svg .lamps width="62" height="20" viewBox="0 0 62 20" aria-hidden="true" {
            @for lamp in 0..3_usize {
                @let x = 10 + 21 * lamp;
                @if light.lamp == Some(lamp) {
                    circle cx=(x) cy="10" r="9" fill="currentColor" {}
                } @else {
                    circle cx=(x) cy="10" r="8" fill="none" stroke="currentColor" stroke-opacity="0.4" {}
                }
            }
        }
    }
}

fn summary(plan: &Plan, overview: &Overview<'_>, address: PackageAddress<'_>) -> Markup {
    let light = overview.light;
    let path = plan.metadata.path.iter().map(|it| shown(it)).collect::<Vec<_>>().join(" → ");
    let [first, more @ ..] = &overview.sentences;
    html! {
        section aria-labelledby="summary" {
            h2 #summary { "Summary" }
            p class={ "verdict " (light.class) } {
                (lamps(light)) " " span .mark aria-hidden="true" { (light.mark) } " " strong { (light.words) }
            }
            p .lead { (worded(first)) }
            @for it in more { p { (worded(it)) } }
            dl .figures {
                div { dt { "Cluster" } dd { (overview.cluster) } }
                div { dt { "Date" } dd { (shown(&plan.metadata.date)) } }
                div { dt { "From → to" } dd { (path) } }
                @for (name, value) in &overview.effort { div { dt { (name) } dd { (value) } } }
            }
            @if !overview.rows.is_empty() { (operators(&overview.rows, address)) }
        }
    }
}

/// The name of a package, as a link if it has a page.
fn package(operator: &OperatorPlan, address: PackageAddress<'_>) -> Markup {
    match address(operator) {
        Some(address) => html! { a href=(address) { (shown(&operator.package)) } },
        None => html! { (shown(&operator.package)) },
    }
}

fn operators(rows: &[OverviewRow<'_>], address: PackageAddress<'_>) -> Markup {
    let place = |it: &OperatorPlan| match &it.namespace {
        Some(namespace) if *namespace == it.package => None,
        Some(namespace) => Some(shown(namespace)),
        None => Some("ClusterExtension".to_owned()),
    };
    html! {
        div.wide.stack tabindex="0" role="region" aria-label="Operators" {
            table .overview {
                caption { "Needs of each operator" }
                thead { tr { @for it in ["Operator", "Today", "Needed", "Risk", "Effort"] { th scope="col" { (it) } } } }
                tbody {
                    @for row in rows {
                        @let (mark, class, risk) = row.risk.shown();
                        tr {
                            th scope="row" {
                                (package(row.operator, address))
                                @if let Some(place) = place(row.operator) { br; span .muted { "in " (place) } }
                            }
                            td { (shown(&row.operator.version)) }
                            td { (row.needed) }
                            td {
                                span class=(class) { span aria-hidden="true" { (mark) } " " (risk) }
                                @if !row.why.is_empty() { br; span .muted { (row.why) } }
                            }
                            td { (row.effort) }
                        }
                    }
                }
            }
        }
    }
}

fn blockers(blockers: &[Blocker]) -> Markup {
    let cards = html! { @for it in blockers {
        div class={ "card " (if it.has_way { "fair" } else { "bad" }) } {
            h3 { (about(it.subject.as_deref(), it.platform.as_deref())) }
            p { (worded(&it.text)) }
            p { strong { "Lifted by: " } (worded(&it.lift)) }
        }
    } };
    section("blockers", "Blockers", cards)
}

fn decisions(decisions: &[Decision]) -> Markup {
    let cards = html! { @for it in decisions {
        div .card.fair {
            h3 { (about(it.subject.as_deref(), it.platform.as_deref())) }
            p { (worded(&it.text)) }
            ul .boxes { @for option in &it.options { li { (worded(option)) } } }
        }
    } };
    section("decisions", "Decisions needed", cards)
}

/// The unknown facts that keep the verdict from being better.
fn open_points(unknowns: &[Unknown]) -> Markup {
    let deciding: Vec<&Unknown> = unknowns.iter().filter(|it| it.decides()).collect();
    let list = html! { @if !deciding.is_empty() { ul { @for it in deciding { li { (worded(&it.text)) } } } } };
    section("open", "Open questions", list)
}

fn steps(steps: &[PlanStep]) -> Markup {
    html! {
        section aria-labelledby="steps" {
            h2 #steps { "Steps" }
            @if steps.is_empty() { p { "Nothing to do." } }
            ol .steps {
                @for step in steps {
                    li id={ "step-" (step.number) } class=[step.is_of_platform().then_some("platform")] value=(step.number) {
                        p {
                            a .title href={ "#detail-" (step.number) } { strong { (shown(&step.short_title())) } }
                            @if step.optional { span .muted { " (optional)" } }
                        }
                        @if let Some(it) = step.because.first() { p .muted { (worded(&it.text)) } }
                    }
                }
            }
        }
    }
}
