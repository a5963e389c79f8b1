//! A plan as a report: one file that needs nothing else, to be mailed, read on any screen and printed.
//!
//! First stands what it comes to, in sentences; then the operators, what is in the way, what must be decided, the steps, and what is not
//! known. Commands are an appendix, for whoever runs them.
//!
//! What it deliberately does not do: no script, no link to elsewhere, no image; nothing foreign becomes markup.

use std::borrow::Cow;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::answer::{Blocker, Decision, OperatorPlan, Plan, PlanStep, PlanVerdict, StepKind, Unknown};
use super::operator_state::OperatorState;
use super::style::style;
use olmdex_base::diag::{counted, printable};
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_rules::openshift::SupportStatus;

/// A text from elsewhere without anything that moves or hides other text.
fn shown(text: &str) -> Cow<'_, str> {
    printable(text)
}

/// The whole report.
#[must_use]
pub fn html(plan: &Plan) -> String {
    let metadata = &plan.metadata;
    let title = format!("OpenShift {} to {}", shown(&metadata.from), shown(&metadata.to));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { "Upgrade plan: " (title) }
                style { (PreEscaped(style())) }
            }
            body {
                a .skip href="#steps" { "Skip to the steps" }
                header {
                    h1 { "Upgrade plan: " (title) }
                    (verdict(plan))
                }
                main { (sections(plan)) }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

/// The report without what makes it a file: for a page that has a frame of its own.
pub fn report(plan: &Plan) -> Markup {
    html! { (verdict(plan)) (sections(plan)) }
}

fn sections(plan: &Plan) -> Markup {
    html! {
        (summary(plan))
        (operators(plan))
        (blockers(&plan.blockers))
        (decisions(&plan.decisions))
        (steps(&plan.steps))
        (unknowns(&plan.unknowns))
        (basis(plan))
        (commands(&plan.steps))
    }
}

fn verdict(plan: &Plan) -> Markup {
    let (mark, words) = match plan.verdict {
        PlanVerdict::Ready => ("✓", "Ready: nothing but the platform must be updated."),
        PlanVerdict::Attention => {
            ("!", "Attention: there is a way, with steps or decisions before or after the platform.")
        }
        PlanVerdict::Blocked => ("✕", "Blocked: no update lifts a blocker."),
        PlanVerdict::Unknown => ("?", "Unknown: something that decides is not known."),
    };
    html! {
        p class={ "verdict " (plan.verdict.as_str()) } { span .mark aria-hidden="true" { (mark) } " " (words) }
    }
}

fn is_of_platform(step: &PlanStep) -> bool {
    matches!(step.kind, StepKind::Platform | StepKind::ChannelOfCluster | StepKind::PausePools | StepKind::ResumePools)
}

fn summary(plan: &Plan) -> Markup {
    let count = |wanted: &dyn Fn(&&PlanStep) -> bool| plan.steps.iter().filter(wanted).count() as u64;
    let n_platform = count(&|it| it.kind == StepKind::Platform);
    let n_required = count(&|it| !it.optional && !is_of_platform(it));
    let n_optional = count(&|it| it.optional);
    let n_at_risk = plan.operators.iter().filter(|it| it.support.status == SupportStatus::Ended).count() as u64;
    let path = plan.metadata.path.iter().map(|it| shown(it)).collect::<Vec<_>>().join(" → ");
    html! {
        section aria-labelledby="summary" {
            h2 #summary { "What it comes to" }
            dl .figures {
                div { dt { "The way" } dd { (path) } }
                div { dt { "Platform" } dd { (counted(n_platform, "update")) } }
                div { dt { "Operators" } dd { (plan.operators.len()) } }
                div { dt { "Required for operators" } dd { (counted(n_required, "step")) } }
                div { dt { "Optional" } dd { (counted(n_optional, "step")) } }
                div { dt { "In the way" } dd { (counted(plan.blockers.len() as u64, "blocker")) } }
                div { dt { "To decide" } dd { (counted(plan.decisions.len() as u64, "decision")) } }
                div { dt { "Not known" } dd { (counted(plan.unknowns.len() as u64, "thing")) } }
            }
            @if n_at_risk > 0 {
                p { "The support of " (counted(n_at_risk, "installed version")) " has ended by " (shown(&plan.metadata.date)) "." }
            }
        }
    }
}

/// A mark and a class for a state, which its words say too.
fn mark(state: OperatorState) -> (&'static str, &'static str) {
    match state {
        OperatorState::Head => ("✓", "good"),
        OperatorState::Behind | OperatorState::NotInCatalogButReachable | OperatorState::Newer => ("↑", "fair"),
        OperatorState::Stranded | OperatorState::ChannelGone | OperatorState::PackageGone => ("✕", "bad"),
        OperatorState::Unmanaged | OperatorState::Unknown => ("?", "open"),
    }
}

fn operators(plan: &Plan) -> Markup {
    let minors = &plan.metadata.path;
    let row = |operator: &OperatorPlan| {
        html! {
            tr {
                td { (shown(operator.namespace.as_deref().unwrap_or("ClusterExtension"))) }
                th scope="row" { (shown(&operator.package)) }
                td { (shown(&operator.version)) }
                @for minor in minors {
                    td { (state_cell(operator, minor)) }
                }
                td {
                    @if operator.support.status != SupportStatus::NoData { (shown(&operator.support.words())) }
                }
                td { (shown(operator.target.as_deref().unwrap_or_default())) }
            }
        }
    };
    html! {
        section aria-labelledby="operators" {
            h2 #operators { "Operators" }
            @if plan.operators.is_empty() {
                p { "Nothing that is installed was found." }
            } @else {
                div .wide {
                    table {
                        caption { "How each operator stands to the catalog of each OpenShift version" }
                        thead {
                            tr {
                                th scope="col" { "Namespace" } th scope="col" { "Package" } th scope="col" { "Installed" }
                                @for minor in minors { th scope="col" { (shown(minor)) } }
                                th scope="col" { "Support" } th scope="col" { "Target" }
                            }
                        }
                        tbody { @for operator in &plan.operators { (row(operator)) } }
                    }
                }
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

fn of(subject: Option<&str>, platform: Option<&str>) -> String {
    let words = [subject, platform].into_iter().flatten().map(shown);
    words.collect::<Vec<_>>().join(", ")
}

fn blockers(blockers: &[Blocker]) -> Markup {
    html! {
        @if !blockers.is_empty() {
            section aria-labelledby="blockers" {
                h2 #blockers { "In the way" }
                @for it in blockers {
                    div class={ "card " (if it.has_way { "fair" } else { "bad" }) } {
                        h3 { (of(it.subject.as_deref(), it.platform.as_deref())) }
                        p { (shown(&it.text)) }
                        p { strong { "Lifted by: " } (shown(&it.lift)) }
                        p .muted { (shown(it.code.as_str())) @if !it.place.is_empty() { " · " (shown(&it.place)) } }
                    }
                }
            }
        }
    }
}

fn decisions(decisions: &[Decision]) -> Markup {
    html! {
        @if !decisions.is_empty() {
            section aria-labelledby="decisions" {
                h2 #decisions { "To decide" }
                @for it in decisions {
                    div .card.fair {
                        h3 { (of(it.subject.as_deref(), it.platform.as_deref())) }
                        p { (shown(&it.text)) }
                        ul .boxes { @for option in &it.options { li { (shown(option)) } } }
                        p .muted { (shown(it.code.as_str())) }
                    }
                }
            }
        }
    }
}

fn steps(steps: &[PlanStep]) -> Markup {
    html! {
        section aria-labelledby="steps" {
            h2 #steps { "Steps" }
            @if steps.is_empty() { p { "There is nothing to do." } }
            ol .steps {
                @for step in steps {
                    li id={ "step-" (step.number) } class=[is_of_platform(step).then_some("platform")] value=(step.number) {
                        p .title { (shown(&step.title())) }
                        @for it in &step.because { p { (shown(&it.text)) } }
                        @if !step.route.is_empty() {
                            ul {
                                @for it in &step.route {
                                    li { (shown(&it.bundle)) span .muted { " · " (shown(&it.because)) @if !it.place.is_empty() { " · " (shown(&it.place)) } } }
                                }
                            }
                        }
                        @for it in &step.warnings { p .note { strong { "Note: " } (shown(it)) } }
                        @if !step.commands.is_empty() { p .muted { a href={ "#commands-" (step.number) } { "Commands of step " (step.number) } } }
                    }
                }
            }
        }
    }
}

fn unknowns(unknowns: &[Unknown]) -> Markup {
    html! {
        @if !unknowns.is_empty() {
            section aria-labelledby="unknowns" {
                h2 #unknowns { "Not known" }
                ul {
                    @for it in unknowns {
                        li {
                            @let of = of(it.subject.as_deref(), it.platform.as_deref());
                            @if !of.is_empty() { strong { (of) } ": " }
                            (shown(&it.text)) span .muted { " · " (shown(it.code.as_str())) }
                        }
                    }
                }
            }
        }
    }
}

/// What the plan was made of.
fn basis(plan: &Plan) -> Markup {
    let metadata = &plan.metadata;
    let catalogs = metadata.catalogs.iter().map(|it| format!("{} ({})", it.name, it.minor));
    let skipped = metadata.skipped.iter().map(|(kind, n)| format!("{n} {kind}"));
    let list = |items: Vec<String>| items.iter().map(|it| shown(it)).collect::<Vec<_>>().join(", ");
    html! {
        section aria-labelledby="basis" {
            h2 #basis { "What this is based on" }
            dl {
                dt { "Support is judged on" } dd { (shown(&metadata.date)) }
                @if !metadata.cluster_changed.is_empty() {
                    dt { "Newest change that is known of the cluster" } dd { (shown(&metadata.cluster_changed)) }
                }
                dt { "Catalogs" } dd { (list(catalogs.collect())) }
                @if !metadata.graph.is_empty() { dt { "Updates of OpenShift" } dd { (shown(&metadata.graph)) }
                    dt { "Channels" } dd { (shown(&format!("{} ({})", metadata.channels.join(", "), metadata.arch))) } }
                @if !metadata.skipped.is_empty() { dt { "Passed over" } dd { (list(skipped.collect())) } }
            }
            @if !metadata.warnings.is_empty() {
                ul { @for it in &metadata.warnings { li .note { (shown(it)) } } }
            }
        }
    }
}

fn commands(steps: &[PlanStep]) -> Markup {
    html! {
        @if steps.iter().any(|it| !it.commands.is_empty()) {
            section .commands aria-labelledby="commands" {
                h2 #commands { "Commands" }
                p { "To be read and run step by step. Nothing has been run." }
                @for step in steps.iter().filter(|it| !it.commands.is_empty()) {
                    h3 id={ "commands-" (step.number) } { a href={ "#step-" (step.number) } { (step.number) ". " (shown(&step.title())) } }
                    pre tabindex="0" { code { @for it in &step.commands { (shown(it)) "\n" } } }
                }
            }
        }
    }
}
