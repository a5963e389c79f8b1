//! The first page of a report: a light, three sentences, and a row for each operator.

use super::answer::{Blocker, OperatorPlan, PathElement, Plan, PlanStep, PlanVerdict, StepKind};
use super::code::Code;
use super::prose::{shown, subject_words, times};
use super::short::{is_alike, version_of};
use olmdex_base::diag::{Listed, counted};
use olmdex_rules::openshift::SupportStatus;

/// The light of a verdict: its class, a mark and words, so that colour never carries the meaning alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Light {
    /// The name of the verdict.
    pub class: &'static str,
    /// A sign that shows it without colours.
    pub mark: &'static str,
    /// The verdict in words.
    pub words: &'static str,
    /// The number of the lamp that is on, counted from the red one; `None` if nothing is known.
    pub lamp: Option<usize>,
}

impl Light {
    fn of(verdict: PlanVerdict) -> Self {
        let (mark, words, lamp) = match verdict {
            PlanVerdict::Blocked => ("✕", "Blocked", Some(0)),
            PlanVerdict::Attention => ("!", "Needs attention", Some(1)),
            PlanVerdict::Ready => ("✓", "Ready", Some(2)),
            PlanVerdict::Unknown => ("?", "Unknown", None),
        };
        Self { class: verdict.as_str(), mark, words, lamp }
    }
}

/// The risk of an operator for the update, or of the update for the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// None is known.
    Low,
    /// A fact is missing.
    Unknown,
    /// A step or decision is required, a blocker has a way out, or support has ended.
    Medium,
    /// A blocker has no way out.
    High,
}

impl Risk {
    /// Its mark, its class and its name.
    pub fn shown(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Low => ("✓", "good", "low"),
            Self::Unknown => ("?", "open", "unknown"),
            Self::Medium => ("!", "fair", "medium"),
            Self::High => ("✕", "bad", "high"),
        }
    }
}

/// The row of an operator.
#[derive(Debug, Clone)]
pub struct OverviewRow<'p> {
    /// The operator.
    pub operator: &'p OperatorPlan,
    /// The update or decision that it needs, in words.
    pub needed: String,
    /// The risk.
    pub risk: Risk,
    /// Why the risk is not low.
    pub why: String,
    /// The steps that it takes, in words.
    pub effort: String,
    has_block: bool,
    has_decision: bool,
    has_required: bool,
    /// Whether its catalog or Subscription is not given.
    is_unjudged: bool,
}

/// The first page.
#[derive(Debug, Clone)]
pub struct Overview<'p> {
    /// The light of the verdict.
    pub light: Light,
    /// The name of the cluster, and its identifier.
    pub cluster: String,
    /// The verdict, the operators and the effort.
    pub sentences: [String; 3],
    /// The operators.
    pub rows: Vec<OverviewRow<'p>>,
    /// The effort, with a word for each part: steps, approvals, reboots.
    pub effort: Vec<(&'static str, String)>,
}

impl<'p> Overview<'p> {
    /// The first page of a plan.
    pub fn of(plan: &'p Plan) -> Self {
        let rows: Vec<OverviewRow<'p>> = plan.operators.iter().map(|it| row(plan, it)).collect();
        let unknown = match plan.unknowns.len() as u64 {
            0 => String::new(),
            1 => "; 1 point is unknown".to_owned(),
            n => format!("; {n} points are unknown"),
        };
        Self {
            light: Light::of(plan.verdict),
            cluster: cluster(plan),
            sentences: [headline(plan), operators(&rows), format!("{}{unknown}.", effort_words(plan))],
            rows,
            effort: effort(plan),
        }
    }
}

fn cluster(plan: &Plan) -> String {
    let it = &plan.metadata.cluster;
    match (it.name.as_str(), it.id.as_str()) {
        ("", "") => "the input does not name it".to_owned(),
        ("", id) => shown(id).into_owned(),
        (name, "") => shown(name).into_owned(),
        (name, id) => format!("{} ({})", shown(name), shown(id)),
    }
}

fn is(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// Whether the update is possible, and what it waits for.
fn headline(plan: &Plan) -> String {
    let (from, to) = (shown(&plan.metadata.from), shown(&plan.metadata.to));
    let required = plan.steps.iter().filter(|it| !it.optional && !it.is_of_platform()).count();
    let counts = [
        (plan.blockers.len(), "blocker", "lifted"),
        (plan.decisions.len(), "decision", "made"),
        (required, "required step", "done"),
    ];
    let listed = |words: &dyn Fn(usize, &str) -> String| {
        let parts = counts.into_iter().filter(|it| it.0 > 0);
        let parts = parts.map(|(n, what, done)| counted(n as u64, what) + &words(n, done));
        Listed::of(parts).last_word("and").to_string()
    };
    let unknown = plan.unknowns.iter().find(|it| it.decides());
    match (plan.verdict, unknown) {
        (PlanVerdict::Ready, _) => {
            format!("OpenShift {from} can be updated to {to} now: no operator must change first.")
        }
        (PlanVerdict::Blocked, _) => blocked(plan),
        (PlanVerdict::Attention, None) => {
            format!("OpenShift {from} can be updated to {to} once {}.", listed(&|n, done| format!(" {} {done}", is(n))))
        }
        // The known part is never the whole condition.
        (_, unknown) => {
            let reason = unknown.map(|it| format!(": {}", shown(&it.text))).unwrap_or_default();
            let known = Some(listed(&|_, _| String::new())).filter(|it| !it.is_empty());
            let known = known.map(|it| format!(" Known so far: {it}.")).unwrap_or_default();
            format!("Whether OpenShift {from} can be updated to {to} is unknown{reason}.{known}")
        }
    }
}

/// How many blockers a sentence names.
const MAX_NAMED: usize = 3;

/// The blockers, and those of them that no update lifts.
fn blocked(plan: &Plan) -> String {
    let is_uninstalled =
        |it: &&&Blocker| plan.steps.iter().any(|step| step.kind == StepKind::Uninstall && step.subject == it.subject);
    let hopeless: Vec<&Blocker> = plan.blockers.iter().filter(|it| !it.has_way).collect();
    let named = |blockers: &[&Blocker]| {
        let names = blockers.iter().map(|it| shown(subject_words(it.subject.as_deref().unwrap_or("the platform"))));
        let mut names: Vec<String> = names.map(|it| it.into_owned()).collect();
        names.dedup();
        let more = names.len().saturating_sub(MAX_NAMED);
        names.truncate(MAX_NAMED);
        names.extend((more > 0).then(|| format!("{more} more")));
        Listed::of(&names).last_word("and").to_string()
    };
    let (gone, kept): (Vec<&Blocker>, Vec<&Blocker>) = hopeless.iter().partition(|it| is_uninstalled(it));
    let (from, to) = (shown(&plan.metadata.from), shown(&plan.metadata.to));
    let at = gone.first().and_then(|it| it.platform.as_deref()).unwrap_or(&plan.metadata.to);
    // The target version is named already.
    let first = if at == plan.metadata.to { "first".to_owned() } else { format!("before {}", shown(at)) };
    let uninstall = format!("{} must be uninstalled {first}", named(&gone));
    let words = match (gone.is_empty(), kept.is_empty()) {
        (false, true) => uninstall,
        (false, false) => format!("{uninstall}, and no update lifts the blocker of {}", named(&kept)),
        (true, _) => format!("no update lifts the blocker of {}", named(&kept)),
    };
    format!("OpenShift {from} cannot be updated to {to}: {words}.")
}

/// The states of the operators, each with its count.
fn operators(rows: &[OverviewRow<'_>]) -> String {
    let mut counts = [0_u64; 6];
    for row in rows {
        let at = match row {
            it if it.has_block => 0,
            it if it.has_decision => 1,
            it if it.has_required => 2,
            it if it.is_unjudged => 3,
            it if it.risk == Risk::Unknown => 4,
            _ => 5,
        };
        counts[at] += 1;
    }
    const WORDS: [(&str, &str); 6] = [
        ("blocks the update", "block the update"),
        ("needs a decision", "need a decision"),
        ("must change", "must change"),
        ("is not judged", "are not judged"),
        ("does not state its support", "do not state their support"),
        ("can stay as it is", "can stay as they are"),
    ];
    let parts = counts.into_iter().zip(WORDS).filter(|it| it.0 > 0);
    match rows.len() {
        0 => "The input has no installed operators.".to_owned(),
        1 => format!("The one operator {}.", parts.map(|(_, (one, _))| one).collect::<String>()),
        n => {
            let parts = parts.map(|(n, (one, many))| format!("{n} {}", if n == 1 { one } else { many }));
            format!("{n} operators: {}.", Listed::of(parts).last_word("and"))
        }
    }
}

fn n_steps(plan: &Plan, wanted: impl Fn(&PlanStep) -> bool) -> usize {
    plan.steps.iter().filter(|it| wanted(it)).count()
}

/// The nodes that reboot, and how often. An update of a minor version replaces the operating system of each node, so
/// each reboots; the patches on its way are not all known, so it may be more often.
fn reboots(plan: &Plan) -> Option<String> {
    let of_kind = |kind: StepKind| n_steps(plan, |it| it.kind == kind);
    let n = of_kind(StepKind::Platform);
    (n > 0).then(|| match of_kind(StepKind::PausePools) {
        0 => format!("each node at least {}", times(n)),
        n_pauses => format!("control plane nodes at least {}, workers {}", times(n), times(n_pauses)),
    })
}

fn n_approvals(plan: &Plan) -> usize {
    plan.steps.iter().map(PlanStep::n_approvals).sum()
}

fn effort(plan: &Plan) -> Vec<(&'static str, String)> {
    let (n, optional, by_itself) = plan.steps_words();
    let mut found = vec![("Steps", format!("{n}{optional}{by_itself}")), ("Approvals", n_approvals(plan).to_string())];
    found.extend(reboots(plan).map(|it| ("Reboots", it)));
    found
}

/// The effort of the plan, as the beginning of a sentence.
fn effort_words(plan: &Plan) -> String {
    if plan.steps.is_empty() {
        return "Nothing to do".to_owned();
    }
    let (n, optional, by_itself) = plan.steps_words();
    let mut parts = vec![format!("has {}{optional}{by_itself}", counted(n as u64, "step"))];
    parts.push(match n_approvals(plan) {
        0 => "needs no approval".to_owned(),
        n => format!("needs {}", counted(n as u64, "approval")),
    });
    parts.extend(reboots(plan).map(|it| format!("reboots {it}")));
    format!("The plan {}", Listed::of(&parts).last_word("and"))
}

/// The steps that are about an operator.
fn steps_of<'p>(plan: &'p Plan, operator: &'p OperatorPlan) -> impl Iterator<Item = (usize, &'p PlanStep)> {
    let subject = operator.subject();
    plan.steps.iter().enumerate().filter(move |(_, it)| {
        let is_together =
            it.kind == StepKind::Operators && it.subject == operator.namespace && it.order.contains(&operator.package);
        !it.is_of_platform() && (it.subject.as_deref() == Some(&subject) || is_together)
    })
}

fn row<'p>(plan: &'p Plan, operator: &'p OperatorPlan) -> OverviewRow<'p> {
    let subject = operator.subject();
    let is_mine = |it: &Option<String>| it.as_deref() == Some(&subject);
    let steps: Vec<(usize, &PlanStep)> = steps_of(plan, operator).collect();
    let has_decision = plan.decisions.iter().any(|it| is_mine(&it.subject));
    let (risk, why) = risk(plan, operator, &steps);
    // Nobody has looked for what is needed.
    let known = if risk == Risk::Unknown { " known" } else { "" };
    OverviewRow {
        operator,
        needed: needed(plan, operator, &steps, has_decision).unwrap_or_else(|| format!("nothing{known}")),
        risk,
        why,
        effort: effort_of(&steps).unwrap_or_else(|| format!("none{known}")),
        has_block: plan.blockers.iter().any(|it| is_mine(&it.subject)),
        has_decision,
        has_required: steps.iter().any(|it| !it.1.optional),
        is_unjudged: plan.unknowns.iter().any(|it| it.decides() && is_mine(&it.subject)),
    }
}

/// The outcome of a step for an operator.
fn outcome(operator: &OperatorPlan, step: &PlanStep) -> String {
    let to = shown(step.to.as_deref().unwrap_or_default());
    match step.kind {
        StepKind::Uninstall => "uninstall".to_owned(),
        StepKind::Mend => "repair".to_owned(),
        StepKind::Channel => match step.then.last() {
            Some(last) => format!("channel {to}, {}", shown(version_of(last))),
            None => format!("channel {to}"),
        },
        StepKind::Source => format!("catalog {to}"),
        _ => {
            let bundles = step.path.iter().rev().flat_map(PathElement::bundles);
            let is_together = step.kind == StepKind::Operators;
            let mut own = bundles.filter(|it| !is_together || is_alike(it, &operator.installed));
            let bundle = own.next().or(operator.target.as_ref());
            bundle.map_or_else(|| "an update".to_owned(), |it| shown(version_of(it)).into_owned())
        }
    }
}

/// The needs of an operator, and their deadline.
fn needed(plan: &Plan, operator: &OperatorPlan, steps: &[(usize, &PlanStep)], has_decision: bool) -> Option<String> {
    let when = |at: usize| {
        let platform =
            |steps: &'_ [PlanStep]| steps.iter().find(|it| it.kind == StepKind::Platform).and_then(|it| it.to.clone());
        match platform(&plan.steps[at..]) {
            Some(to) => format!("before {}", shown(&to)),
            None => format!("after {}", shown(&plan.metadata.to)),
        }
    };
    let mut parts: Vec<String> = Vec::new();
    for (at, step) in steps.iter().filter(|it| !it.1.optional) {
        parts.push(format!("{} {}", outcome(operator, step), when(*at)));
    }
    if has_decision {
        parts.push("a decision".to_owned());
    }
    let optional = steps.iter().rfind(|it| it.1.optional);
    parts.extend(optional.map(|(_, step)| format!("{}{}", outcome(operator, step), step.suffix())));
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn effort_of(steps: &[(usize, &PlanStep)]) -> Option<String> {
    let n_approvals: usize = steps.iter().map(|it| it.1.n_approvals()).sum();
    let n_steps = steps.iter().filter(|it| !it.1.is_by_itself()).count();
    let counts = [(n_steps, "step"), (n_approvals, "approval")];
    let words: Vec<String> = counts.iter().filter(|it| it.0 > 0).map(|(n, what)| counted(*n as u64, what)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The gravest risk in a plan for an operator.
fn risk(plan: &Plan, operator: &OperatorPlan, steps: &[(usize, &PlanStep)]) -> (Risk, String) {
    let subject = operator.subject();
    let of_csv = operator.namespace.as_ref().map(|it| format!("{it}/{}", operator.installed));
    let is_mine = |it: &Option<String>| it.is_some() && (it.as_deref() == Some(&subject) || *it == of_csv);
    let at = |it: &Option<String>| it.clone().unwrap_or_else(|| plan.metadata.to.clone());
    let blockers = plan.blockers.iter().filter(|it| is_mine(&it.subject));
    let blockers =
        blockers.map(|it| (if it.has_way { Risk::Medium } else { Risk::High }, words(&it.code, &at(&it.platform))));
    let decisions = plan.decisions.iter().filter(|it| is_mine(&it.subject));
    let decisions = decisions.map(|it| (Risk::Medium, words(&it.code, &at(&it.platform))));
    let support = (operator.support.status == SupportStatus::Ended)
        .then(|| (Risk::Medium, format!("support ended by {}", plan.metadata.date)));
    let required = steps.iter().filter(|it| !it.1.optional).filter_map(|(_, it)| it.because.first());
    let required = required.map(|it| (Risk::Medium, words(&it.code, &plan.metadata.to)));
    let unknowns = plan.unknowns.iter().filter(|it| is_mine(&it.subject));
    let unknowns = unknowns.map(|it| (Risk::Unknown, words(&it.code, &at(&it.platform))));
    let all = blockers.chain(decisions).chain(support).chain(required).chain(unknowns);
    all.fold((Risk::Low, String::new()), |worst, it| if it.0 > worst.0 { it } else { worst })
}

/// A code in words for readers who do not know it.
fn words(code: &Code, platform: &str) -> String {
    let platform = shown(platform);
    match code {
        Code::MaxOpenShiftVersion => format!("keeps the cluster below {platform}"),
        Code::InvalidMaxVersion => format!("its highest OpenShift version is unreadable, which blocks {platform}"),
        Code::OperatorCondition => "it currently refuses updates".to_owned(),
        Code::Stranded => format!("no further updates on {platform}"),
        Code::ChannelGone => format!("its channel ends before {platform}"),
        Code::PackageGone => format!("not in the catalog of {platform}"),
        Code::NotCompatible => format!("does not support {platform}"),
        Code::RefusedByOlmV1 | Code::RefusedByApiServer => "OLM refuses to install it".to_owned(),
        Code::CompatibilityUnstated => format!("support for {platform} is not stated"),
        Code::SourceUnknown => "no catalog is tied to its CatalogSource".to_owned(),
        Code::CatalogMissing => "its catalog was not given".to_owned(),
        Code::NoSubscription => "it gets no updates".to_owned(),
        Code::SubscriptionsMissing => "its Subscription was not given".to_owned(),
        Code::SupportEnded => "its support has ended".to_owned(),
        Code::Unhealthy => "it is not healthy".to_owned(),
        Code::Unresolved => "OLM cannot resolve its namespace".to_owned(),
        Code::UpdateInFlight => "an update is in progress".to_owned(),
        Code::NeedsKubernetes => "its update needs a newer Kubernetes".to_owned(),
        Code::SourceOfVersion => format!("its catalog has another name on {platform}"),
        Code::SubscriptionTwice => "it has two Subscriptions".to_owned(),
        Code::PackageContradicts => "its package is in doubt".to_owned(),
        Code::OtherChannel => "only another channel has updates".to_owned(),
        Code::Behind => "it is behind its channel".to_owned(),
        other => shown(&other.as_str().replace('-', " ")).into_owned(),
    }
}
