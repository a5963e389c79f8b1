//! The plan of a cluster that the server was given.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::parts::{select, shown};
use super::plan_report::sections;
use super::plans::Plans;
use super::reply::PageError;
use super::route::{Journey, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{self as ask, Gates, Move};
use olmdex_constraint::openshift::Minor;
use olmdex_plan::plan::{OperatorPlan, Plan, PlanWish, architecture, channels_of};
use olmdex_rules::openshift::{ClusterChannels, SupportLevel, coerce};
use olmdex_text::calendar::Day;

fn plans(context: PageContext<'_>) -> Result<&Plans, PageError> {
    context.cache().plans.as_ref().ok_or(PageError::NoPage)
}

/// The wish of a question, with defaults for missing parts; `None` if there is no later version to go to.
fn wish(plans: &Plans, journey: &Journey) -> Result<Option<PlanWish>, PageError> {
    let later = || plans.basis.catalogs.iter().map(|it| it.minor).filter(|it| plans.from.is_before(*it));
    let to = match &journey.to {
        Some(text) => {
            let is_form = text.contains('.') && text.starts_with(|c: char| c.is_ascii_digit());
            let to = coerce(text).filter(|_| is_form);
            Some(to.ok_or_else(|| PageError::parameter("to", "write a version as 4.18"))?)
        }
        None => plans.to.or_else(|| later().max()),
    };
    let Some(to) = to else { return Ok(None) };
    ask::must_lead_on(Move { from: plans.from, to })
        .map_err(|_| PageError::parameter("to", &format!("choose a later version than {}", plans.from)))?;
    let day = match &journey.date {
        Some(text) => Day::parse(text).ok_or_else(|| PageError::parameter("date", "write a date as 2026-01-31"))?,
        None => (plans.today)(),
    };
    let is_word =
        |it: &String| it.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    if !journey.channel.iter().all(is_word) {
        return Err(PageError::parameter("channel", "write a channel as fast or fast-4.18"));
    }
    if !journey.arch.iter().all(is_word) {
        return Err(PageError::parameter("arch", "write an architecture as arm64"));
    }
    Ok(Some(PlanWish {
        from: plans.from,
        to,
        eus: false,
        day,
        level: SupportLevel::default(),
        channel: journey.channel.clone(),
        arch: journey.arch.clone(),
        scope: journey.scope.clone(),
        gates: Gates::default(),
        assume: Vec::new(),
    }))
}

fn planned(context: PageContext<'_>, plans: &Plans, wish: PlanWish) -> Result<Plan, PageError> {
    let (mut plan, _) = ask::plan_of(&plans.basis, &plans.of.cluster, context.index(), wish)?;
    let cut = |text: &mut String| plans.of.hide(text);
    plan.metadata.warnings.iter_mut().for_each(cut);
    plan.operators.iter_mut().for_each(|it| cut(&mut it.place));
    plan.blockers.iter_mut().for_each(|it| [&mut it.text, &mut it.place].into_iter().for_each(cut));
    plan.unknowns.iter_mut().for_each(|it| cut(&mut it.text));
    for step in &mut plan.steps {
        step.warnings.iter_mut().for_each(cut);
        step.because.iter_mut().for_each(|it| cut(&mut it.text));
        step.route.iter_mut().for_each(|it| cut(&mut it.place));
    }
    Ok(plan)
}

/// The plan as data.
pub(super) fn answer(context: PageContext<'_>, journey: &Journey) -> Result<Plan, PageError> {
    let plans = plans(context)?;
    match wish(plans, journey)? {
        Some(wish) => planned(context, plans, wish),
        None => Err(PageError::parameter("to", "required: the target version")),
    }
}

pub(super) fn page(context: PageContext<'_>, journey: &Journey) -> Result<Page, PageError> {
    let plans = plans(context)?;
    let wish = wish(plans, journey)?;
    let title = match &wish {
        Some(wish) => format!("Upgrade plan: OpenShift {} to {}", wish.from, wish.to),
        None => format!("Upgrade plan: from OpenShift {}", plans.from),
    };
    let mut commands = Vec::new();
    if let Some(wish) = &wish {
        let options = plans.of.command("plan").option("--to", Some(wish.to)).option("--channel", wish.channel.as_ref());
        let options = options.option("--arch", wish.arch.as_ref()).options("--scope", &wish.scope);
        commands.push(options.option("--date", Some(wish.day)));
    }
    let is_data = wish.is_some();
    let known: BTreeSet<String> = context.index().package_names()?.into_iter().collect();
    let address = |it: &OperatorPlan| {
        let package = known.get(&it.package)?;
        context.to(&Route::package_of(package))
    };
    let body = html! {
        h1 { (title) }
        // The answer comes first, also on a phone.
        @if is_data { details { summary { "Another target, date or part of the cluster" } (form(context, plans, journey)) } }
        @else { (form(context, plans, journey)) }
        @match wish {
            Some(wish) => { div.plan { (sections(&planned(context, plans, wish)?, &address)) } }
            None => { p { "No catalog is for a later version. Enter a version to see what is known about the upgrade \
                to it." } }
        }
    };
    Ok(Page { commands, is_data, ..Page::new(title, body) })
}

fn form(context: PageContext<'_>, plans: &Plans, journey: &Journey) -> Markup {
    let mut minors: Vec<Minor> = plans.basis.catalogs.iter().map(|it| it.minor).collect();
    minors.retain(|it| plans.from.is_before(*it));
    minors.dedup();
    let present_arch = architecture(&plans.of.cluster, None);
    html! {
        form.question action=[context.to(&Route::Plan(Journey::default()))] {
            label { span { "Target OpenShift version" }
                input name="to" list="minors" value=[journey.to.as_ref()] autocomplete="off" inputmode="decimal"; }
            datalist #minors { @for it in minors { option value=(it) {} } }
            label { span { "Only these namespaces" }
                input name="scope" value=[(!journey.scope.is_empty()).then(|| shown(&journey.scope.join(",")))] autocomplete="off"; }
            (select(("channel", "Channels of the cluster"), Some(&format!("as now ({})", kind_of(plans))), &channels(plans, journey), journey.channel.as_ref()))
            (select(("arch", "Architecture"), Some(&format!("as now ({present_arch})")), &arches(journey), journey.arch.as_ref()))
            label { span { "Support as of" } input type="date" name="date" value=[journey.date.as_ref()]; }
            button { "Plan" }
        }
    }
}

/// The kinds of channels that the update service has.
const KINDS: [&str; 4] = ["stable", "fast", "candidate", "eus"];
/// The architectures that OpenShift is released for.
const ARCHES: [&str; 5] = ["amd64", "arm64", "ppc64le", "s390x", "multi"];

fn kind_of(plans: &Plans) -> String {
    match channels_of(&plans.of.cluster) {
        ClusterChannels::Kind(kind) => kind,
        ClusterChannels::Named(names) => names.join(", "),
    }
}

/// The channels to choose from: kinds, and the one in the address.
fn channels(plans: &Plans, journey: &Journey) -> Vec<String> {
    with(KINDS.iter().map(|it| (*it).to_owned()).chain([kind_of(plans)]), journey.channel.as_ref())
}

fn arches(journey: &Journey) -> Vec<String> {
    with(ARCHES.iter().map(|it| (*it).to_owned()), journey.arch.as_ref())
}

/// All values, each once, in their order.
fn with(known: impl Iterator<Item = String>, asked: Option<&String>) -> Vec<String> {
    let mut all = Vec::new();
    for it in known.chain(asked.cloned()) {
        if !all.contains(&it) {
            all.push(it);
        }
    }
    all
}
