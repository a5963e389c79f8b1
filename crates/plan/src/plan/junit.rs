//! A plan as results for CI: a suite for operators, blockers, decisions and unknown facts.
//!
//! A case fails if and only if the verdict is not `ready`, so that CI and the exit code agree.

use super::answer::{OperatorPlan, Plan, PlanStep, StepKind};
use olmdex_base::diag::junit::{JunitCase, JunitReason, JunitReport, JunitResult, JunitSuite};

/// A plan as JUnit XML. An operator fails if something is required for it before or after the platform's update.
/// Blockers and decisions fail, too, and so do unknown facts that decide the verdict; other unknown facts are skipped.
pub fn junit(plan: &Plan) -> String {
    let blockers = plan.blockers.iter().map(|it| {
        let name = named(it.code.as_str(), it.subject.as_deref(), it.platform.as_deref());
        let mut detail = vec![it.text.clone(), format!("lifted by: {}", it.lift)];
        detail.extend((!it.place.is_empty()).then(|| format!("at {}", it.place)));
        failed("blockers", name, it.code.as_str(), &it.text, detail)
    });
    let decisions = plan.decisions.iter().map(|it| {
        let name = named(it.code.as_str(), it.subject.as_deref(), it.platform.as_deref());
        let options = it.options.iter().map(|it| format!("option: {it}"));
        failed("decisions", name, it.code.as_str(), &it.text, std::iter::once(it.text.clone()).chain(options).collect())
    });
    let unknowns = plan.unknowns.iter().map(|it| {
        let name = named(it.code.as_str(), it.subject.as_deref(), it.platform.as_deref());
        match it.decides() {
            true => failed("unknowns", name, it.code.as_str(), &it.text, vec![it.text.clone()]),
            false => case("unknowns", name, JunitResult::Skipped(it.text.clone())),
        }
    });
    let suite = |name: &str, cases: Vec<JunitCase>| JunitSuite { name: name.to_owned(), cases };
    let report = JunitReport {
        name: format!("olmdex plan: {}", plan.summary()),
        suites: vec![
            suite("operators", plan.operators.iter().map(|it| operator(plan, it)).collect()),
            suite("blockers", blockers.collect()),
            suite("decisions", decisions.collect()),
            suite("unknowns", unknowns.collect()),
        ],
    };
    report.to_xml()
}

fn case(area: &str, name: String, result: JunitResult) -> JunitCase {
    JunitCase { class: format!("olmdex.plan.{area}"), name, result }
}

fn failed(area: &str, name: String, kind: &str, message: &str, detail: Vec<String>) -> JunitCase {
    let reason = JunitReason { kind: kind.to_owned(), message: message.to_owned(), detail };
    case(area, name, JunitResult::Failed(reason))
}

fn named(code: &str, subject: Option<&str>, platform: Option<&str>) -> String {
    let of = subject.map(|it| format!(": {it}")).unwrap_or_default();
    let at = platform.map(|it| format!(" at {it}")).unwrap_or_default();
    format!("{code}{of}{at}")
}

/// An operator fails if the platform's update requires a step for it.
fn operator(plan: &Plan, operator: &OperatorPlan) -> JunitCase {
    let (subject, namespace) = (operator.subject(), operator.namespace.as_deref());
    let is_about = |it: &&PlanStep| {
        let of_step = it.subject.as_deref();
        let is_together =
            it.kind == StepKind::Operators && of_step == namespace && it.order.contains(&operator.package);
        !it.optional && (of_step == Some(&subject) || is_together)
    };
    let steps: Vec<&PlanStep> = plan.steps.iter().filter(is_about).collect();
    let name = format!("{subject} {}", operator.installed);
    let Some(first) = steps.first() else { return case("operators", name, JunitResult::Passed) };
    let mut detail = Vec::new();
    for step in &steps {
        detail.push(format!("step {}: {}", step.number, step.title()));
        detail.extend(step.because.iter().map(|it| format!("because: {}", it.text)));
        detail.extend(step.commands.iter().cloned());
    }
    let kind = first.because.first().map_or_else(|| first.kind.as_str().to_owned(), |it| it.code.to_string());
    failed("operators", name, &kind, &first.title(), detail)
}
