//! The way that OLM takes from a version, and to one: each step with its reason, or why the version is not reachable.

use std::cmp::{Ordering, Reverse};

use maud::{Markup, html};

use super::header::{Heading, header};
use super::outlook::{Answer, ask_publisher, card, drawn};
use super::parts::{
    badge, capitalized, joined, link, place, select, shown, table, version_link, version_range, worded,
};
use super::reply::PageError;
use super::route::{PackagePage, Route};
use super::site::{Page, PageContext};
use olmdex_ask::{
    self as ask, CommandLine, Goal, InstalledBundle, NamedVersion, Olm, Outlook, PackageName, PackageQuestion,
    PathQuestion, PathStep, Setting, State, Step, UpgradeOptions, UpgradePath, VersionStanding, WhyNot, WhyNotQuestion,
    standings,
};
use olmdex_base::diag::counted;
use olmdex_change::draw::LineMap;
use olmdex_index::query::{BundleDetail, BundleSelector, Filter, PackageGraph};
use olmdex_olm::namespace::merge_patch;
use olmdex_olm::upgrade::classic::Package;
use olmdex_text::json::Tree;
use olmdex_version::{Version, by_numbers, version_or_name};

/// The question of an address, about its catalog.
struct Question {
    catalog: String,
    having: Vec<String>,
    asked: PackageQuestion,
    to: Option<NamedVersion>,
}

impl Question {
    fn read(context: PageContext<'_>, query: &PackagePage) -> Result<Self, PageError> {
        let package = &query.package;
        let mut having = context.index().catalogs_of_package(package)?;
        let catalog = context.choose(query.catalog.as_ref(), &having, || context.unknown_package(package))?;
        having.sort_by_key(|it| by_numbers(it));
        let options = UpgradeOptions { catalog: vec![catalog.clone()], ..options(query) };
        let question = PathQuestion { installed: query.version.clone(), options, ..PathQuestion::default() };
        let refused = |error| PageContext::refused("from", error);
        let mut found = question.of_package(&State::of(context.index()), &PackageName::of(package)).map_err(refused)?;
        let Some(asked) = found.pop() else { return Err(context.unknown_package(package)) };
        let to = query.to.as_ref().map(|it| ask::bundle(&asked.view, it)).transpose();
        let to = to.map_err(refused)?;
        Ok(Self { catalog, having, asked, to })
    }

    /// The channel that a Subscription has most likely.
    fn likely_channel(&self) -> Option<String> {
        let from = self.from()?;
        let graph = self.asked.view.graphs.iter().find(|graph| graph.catalog == self.catalog)?;
        self.asked.view.as_classic(graph).likely_channel(&from.name).map(str::to_owned)
    }

    fn from(&self) -> Option<&InstalledBundle> {
        self.asked.asked.installed.as_ref()
    }

    /// Turns to one generation of OLM. A Subscription has a channel; a ClusterExtension has none unless the question is
    /// about OLM v1 alone.
    fn turn_to(&mut self, olm: Olm, query: &PackagePage) -> PackagePage {
        let channel = query.channel.clone();
        let channel = match olm {
            Olm::Classic => channel.or_else(|| self.likely_channel()),
            Olm::V1 => channel.filter(|_| query.olm == Some(Olm::V1)),
        };
        self.asked.olm = olm.into();
        self.asked.asked.channels = channel.iter().cloned().collect();
        PackagePage { olm: Some(olm), channel, ..query.clone() }
    }

    fn paths(&self, context: PageContext<'_>) -> Result<Vec<UpgradePath>, PageError> {
        let to = self.to.as_ref().map(|it| it.name.as_str());
        let paths = self.from().map(|from| self.asked.paths_beyond(context.index(), from, to)).transpose()?;
        Ok(paths.unwrap_or_default())
    }

    /// The upgrades of an outlook, with the channel to set before those that need another one.
    fn steps_of(&self, outlook: &Outlook, own: Option<&str>) -> Vec<PathStep> {
        let mut channel = own.map(str::to_owned);
        let step = |step: &Step| {
            let is_same = channel.as_ref().is_none_or(|channel| *channel == step.channel);
            let field = "spec.channel".to_owned();
            let set = (!is_same).then(|| Setting { field, value: step.channel.clone() });
            channel = channel.take().map(|_| step.channel.clone());
            PathStep {
                target: self.asked.view.step_target(&self.catalog, step.clone()),
                set: set.into_iter().collect(),
            }
        };
        outlook.upgrades.iter().map(step).collect()
    }

    fn why_not(&self, context: PageContext<'_>) -> Result<Vec<WhyNot>, PageError> {
        let Some(to) = &self.to else { return Ok(Vec::new()) };
        Ok(self.asked.why_not(context.index(), std::slice::from_ref(&self.catalog), to)?)
    }

    /// The way with the fewest steps to a bundle, if fields are set on it.
    fn fewest(&self, context: PageContext<'_>, olm: Olm, to: &str) -> Result<Option<UpgradePath>, PageError> {
        let Some(from) = self.from() else { return Ok(None) };
        Ok(self.asked.fewest(context.index(), std::slice::from_ref(&self.catalog), olm, (from, to))?)
    }

    /// The newest version of the default channel, which OLM Classic may know already, and how the end of a way of OLM
    /// v1 stands to it.
    fn newest(&self, path: &UpgradePath, classic: Option<&UpgradePath>) -> Option<(NamedVersion, Ordering)> {
        let known = classic.and_then(|classic| classic.outlook.as_ref()).map(|outlook| {
            let (name, version) = (outlook.goal.clone(), outlook.goal_version.clone());
            NamedVersion { name, version, release: None }
        });
        let newest = known.or_else(|| {
            let graph = self.asked.view.graphs.iter().find(|graph| graph.catalog == self.catalog)?;
            Some(Goal::newest(&self.asked.view.as_classic(graph))?.named())
        })?;
        let end = path.steps.last().map_or(&path.from.version, |step| &step.target.version);
        let order = Version::parse(end).ok()?.cmp(&Version::parse(&newest.version).ok()?);
        Some((newest, order))
    }
}

/// The options of an address, without its catalog.
fn options(query: &PackagePage) -> UpgradeOptions {
    let olm = query.olm.map(ask::OlmSet::from).unwrap_or_default();
    UpgradeOptions { channel: query.channel.iter().cloned().collect(), olm, ..UpgradeOptions::default() }
}

/// The answer as data: that of `path`; empty without a start.
pub(super) fn answer(context: PageContext<'_>, query: &PackagePage) -> Result<Vec<UpgradePath>, PageError> {
    if query.version.is_none() {
        return Err(PageError::parameter("from", "required: the installed version or bundle"));
    }
    Question::read(context, query)?.paths(context)
}

/// The answer as data: that of `why-not`.
pub(super) fn why_not(context: PageContext<'_>, query: &PackagePage) -> Result<Vec<WhyNot>, PageError> {
    if query.to.is_none() {
        return Err(PageError::parameter("to", "required: the target version or bundle"));
    }
    Question::read(context, query)?.why_not(context)
}

pub(super) fn page(context: PageContext<'_>, query: &PackagePage) -> Result<Page, PageError> {
    let mut question = Question::read(context, query)?;
    let package = &query.package;
    let header = header(context, &Heading::new(package, Some(&question.catalog)))?;
    let form = form(context, query, &question);
    let catalog_choice = context.catalog_choice(&question.catalog);
    let (mut answers, mut reasons) = (Vec::new(), Vec::new());
    let (mut commands, mut data, mut more_data) = (Vec::new(), None, Vec::new());
    for olm in [Olm::Classic, Olm::V1].into_iter().filter(|it| query.olm.is_none_or(|olm| olm == *it)) {
        let asked = question.turn_to(olm, query);
        let paths = question.paths(context)?;
        let refused = match question.from().is_some() && paths.iter().all(|it| it.is_reached) {
            true => Vec::new(),
            false => question.why_not(context)?,
        };
        let options = UpgradeOptions { catalog: catalog_choice.clone().into_iter().collect(), ..options(&asked) };
        let installed = asked.version.clone();
        if installed.is_some() {
            let (name, to) = (Some(package.clone()), asked.to.clone());
            let (installed, options) = (installed.clone(), options.clone());
            let question = PathQuestion { name, installed, to, options, ..PathQuestion::default() };
            commands.push(CommandLine::of("path").question(&question));
            match data {
                None => data = Some(Route::Path(asked.clone())),
                Some(_) => more_data.push((olm_words(olm), Route::Path(asked.clone()))),
            }
        }
        if let (Some(to), false) = (&asked.to, refused.is_empty()) {
            let name = format!("{package}@{to}");
            let question = WhyNotQuestion { name, installed, options, ..WhyNotQuestion::default() };
            commands.push(CommandLine::of("why-not").question(&question));
            more_data.push(("why not", Route::WhyNot(asked)));
        }
        answers.extend(paths);
        reasons.extend(refused);
    }
    let (classic, others): (Vec<&UpgradePath>, Vec<&UpgradePath>) =
        answers.iter().partition(|path| path.outlook.is_some());
    let body = html! {
        (header)
        @if context.is_served() {
            (form)
            @if question.from().is_none() {
                @if question.to.is_none() { (all_outlooks(context, &question)) } @else {
                    p { "Enter the installed version to see whether it gets to the wanted one. The conditions of the wanted one are below." }
                }
            }
            @for path in &classic { (with_outlook(context, &question, path, !others.is_empty())?) }
            @for path in &others { (result(context, &question, path, classic.first().copied())?) }
            @if !reasons.is_empty() {
                details open[question.from().is_none()] {
                    summary { "All conditions, and why not in one step" }
                    (refusals(&reasons))
                }
            }
        } @else {
            (all_outlooks(context, &question))
        }
    };
    let title = format!("Upgrade paths of {package}");
    Ok(Page { commands, more_data, is_data: data.is_some(), data, ..Page::new(title, body) })
}

/// The question of a page that has no answer.
pub(super) fn again(context: PageContext<'_>, query: &PackagePage) -> Result<Markup, PageError> {
    let plain = PackagePage { version: None, to: None, channel: None, ..query.clone() };
    Ok(form(context, query, &Question::read(context, &plain)?))
}

/// The question as a sentence.
fn form(context: PageContext<'_>, query: &PackagePage, question: &Question) -> Markup {
    let address = context.to(&Route::Path(PackagePage::of(&query.package)));
    let mut channels: Vec<String> =
        question.asked.view.graphs.iter().flat_map(|it| &it.channels).map(|it| it.name.clone()).collect();
    channels.sort_by_key(|name| Reverse(by_numbers(name)));
    channels.dedup();
    let olm = query.olm.map(|it| it.as_str().to_owned());
    let likely = question.likely_channel().map(|it| format!("{it} · its own"));
    let (words, none) = match query.olm {
        Some(Olm::V1) => ("in channels", "all"),
        _ => ("from channel", likely.as_deref().unwrap_or("of the version")),
    };
    html! {
        form.question.sentence action=[address] {
            label { span { "I run" } input name="from" list="known" value=[query.version.as_ref()] placeholder="version or bundle" autocomplete="off"; }
            (select(("channel", words), Some(none), &channels, query.channel.as_ref()))
            @if question.having.len() > 1 {
                (select(("catalog", "of"), None, &question.having, Some(&question.catalog)))
            }
            (select(("olm", "with"), Some("both OLMs"), &["classic".to_owned(), "v1".to_owned()], olm.as_ref()))
            label { span { "and want" } input name="to" list="known" value=[query.to.as_ref()] placeholder="the newest" autocomplete="off"; }
            datalist #known { @for it in question.asked.view.bundles() { option value=(it.version) {} } }
            button { "Show" }
        }
    }
}

/// The other catalogs in which upgrades lead from the installed bundle to the newest version, each with a sentence.
fn elsewhere(
    context: PageContext<'_>,
    question: &Question,
    path: &UpgradePath,
) -> Result<Vec<(String, String)>, PageError> {
    let catalogs: Vec<String> = question.having.iter().filter(|name| **name != question.catalog).cloned().collect();
    if catalogs.is_empty() {
        return Ok(Vec::new());
    }
    let graphs = context.index().package_graphs(&Filter { catalogs, ..Filter::default() }, &path.package)?;
    let leads_on = |graph: &PackageGraph| {
        let package = Package::new(graph);
        let installed = path.from.as_classic();
        let outlook = Goal::newest(&package)?.outlook(&installed, package.likely_channel(&installed.name));
        let leads_on = outlook.way().leads_there() && !outlook.way().upgrades.is_empty();
        leads_on.then(|| (graph.catalog.clone(), outlook.way().sentence()))
    };
    Ok(graphs.iter().filter_map(leads_on).collect())
}

/// The answer of OLM Classic: where the version can go, the way, and what to do.
fn with_outlook(
    context: PageContext<'_>,
    question: &Question,
    path: &UpgradePath,
    is_named: bool,
) -> Result<Markup, PageError> {
    let Some(outlook) = &path.outlook else { return Ok(html! {}) };
    let own = path.channels.first().map(String::as_str);
    let elsewhere = if outlook.is_stuck() { elsewhere(context, question, path)? } else { Vec::new() };
    let graph = question.asked.view.graphs.iter().find(|graph| graph.catalog == question.catalog);
    let package = graph.map(|graph| question.asked.view.as_classic(graph));
    let lists = |channel| package.as_ref().is_some_and(|package| package.lists(channel, &path.from.name));
    let is_listed = own.is_none_or(lists);
    let answer = Answer { path, outlook, channel: own.unwrap_or("any channel"), is_listed, elsewhere };
    let way = if outlook.way().upgrades.is_empty() {
        path.clone()
    } else {
        UpgradePath { steps: question.steps_of(outlook.way(), own), ..path.clone() }
    };
    let shown = |bundle: &str| -> Result<Option<BundleDetail>, PageError> {
        let selector = BundleSelector::of(std::slice::from_ref(&question.catalog), &path.package, bundle);
        Ok(context.index().show_bundle(&selector)?.into_iter().next())
    };
    let beside = match outlook.way() {
        way if way.upgrades.is_empty() => None,
        way => shown(&path.from.name)?.zip(shown(&way.goal)?),
    };
    Ok(html! {
        section.answer aria-labelledby="path-classic" {
            h2 #path-classic class=[(!is_named).then_some("away")] { "OLM Classic" }
            (answer.card())
            (answer.map())
            div.columns {
                div {
                    (answer.actions(context))
                    @if !way.steps.is_empty() {
                        details {
                            summary { "Each upgrade, with the fields that make it" }
                            (steps(context, &way, "Upgrades of OLM Classic"))
                        }
                    }
                }
                @if let Some((from, goal)) = &beside { (answer.beside(context, from, goal)) }
            }
        }
    })
}

fn olm_words(olm: Olm) -> &'static str {
    match olm {
        Olm::Classic => "OLM Classic",
        Olm::V1 => "OLM v1",
    }
}

/// Whether both generations of OLM take the same steps.
fn is_same_way(one: &UpgradePath, other: &UpgradePath) -> bool {
    let is_same = |(a, b): (&PathStep, &PathStep)| {
        let of = |it: &PathStep| (it.target.bundle.clone(), it.target.refused_for.clone(), it.target.refusal.clone());
        of(a) == of(b) && a.set == b.set
    };
    one.is_reached == other.is_reached
        && one.steps.len() == other.steps.len()
        && one.steps.iter().zip(&other.steps).all(is_same)
}

/// The way of a generation of OLM in a few words; if it does not reach the version, the way with changed fields.
fn result(
    context: PageContext<'_>,
    question: &Question,
    path: &UpgradePath,
    classic: Option<&UpgradePath>,
) -> Result<Markup, PageError> {
    let id = format!("path-{}", path.olm.as_str());
    let newest = if question.to.is_some() { None } else { question.newest(path, classic) };
    let missed = newest.as_ref().filter(|(_, order)| order.is_lt()).map(|(newest, _)| newest);
    let wanted = question.to.as_ref().filter(|_| !path.is_reached).or(missed);
    let other = match wanted {
        Some(to) => question.fewest(context, path.olm, &to.name)?,
        None => None,
    };
    let words = olm_words(path.olm);
    let is_same = classic.is_some_and(|classic| is_same_way(path, classic) && !path.steps.is_empty());
    let goal = question.to.as_ref().or(newest.as_ref().map(|(newest, _)| newest));
    let goal = goal.map_or_else(|| "the newest".to_owned(), |it| shown(version_or_name(&it.version, &it.name)));
    let way = other.as_ref().unwrap_or(path);
    let named = |it: &PathStep| version_or_name(&it.target.version, &it.target.bundle).to_owned();
    let versions: Vec<String> = way.steps.iter().map(named).collect();
    let from = version_or_name(&path.from.version, &path.from.name).to_owned();
    let end = path.steps.last().map_or_else(|| from.clone(), named);
    let n = counted(way.steps.len() as u64, "upgrade");
    let is_past = newest.as_ref().is_some_and(|(_, order)| order.is_gt());
    let (kind, sign, headline) = match (path.is_reached && missed.is_none(), path.steps.is_empty()) {
        _ if is_past && path.steps.is_empty() => ("ahead", "•", format!("{from} is ahead of the default channel.")),
        _ if is_past => ("warn", "!", format!("{words} goes past {goal}, to {end}.")),
        (true, true) if question.to.is_some() => ("good", "✓", format!("{goal} is installed.")),
        (true, true) => ("good", "✓", format!("{goal} is the newest of the default channel.")),
        (true, false) => ("good", "✓", format!("{goal} is {n} away.")),
        _ if other.is_some() => ("warn", "!", format!("{goal} is {n} away, and you must set fields on the way.")),
        _ => ("bad", "✕", format!("No upgrade leads to {goal}.")),
    };
    let channels = match path.channels.as_slice() {
        [] => html! { "No channel binds the ClusterExtension." },
        channels => html! { "Channels " code { (shown(&channels.join(", "))) } " bind the ClusterExtension." },
    };
    let map = LineMap { from, lines: vec![(String::new(), versions)], ..LineMap::default() };
    Ok(html! {
        section.answer aria-labelledby=(id) {
            h2 class=[classic.is_none().then_some("away")] id=(id) { (words) }
            (card(kind, sign, html! { (headline) }, html! {
                @if kind != "good" { "By itself, " (words) " takes " (counted(path.steps.len() as u64, "upgrade")) ": " (worded(&shown(&path.reason))) ". " }
                @else if is_same { "These upgrades are those of OLM Classic in its channel. " }
                @else if !path.steps.is_empty() { (words) " takes them by itself. " }
                (channels)
            }))
            @if !is_same { (drawn(&map)) }
            @if let Some(way) = &other {
                h3 { "What to do" }
                @let leaves = way.steps.iter().any(|step| !step.target.channels.iter().any(|name| path.channels.contains(name)));
                p {
                    @if !path.channels.is_empty() && leaves {
                        "Remove " code { "spec.source.catalog.channels" } " from the ClusterExtension first. "
                    }
                    (worded(&capitalized(&shown(&way.reason)))) "."
                }
                (steps(context, way, &format!("Upgrades of {words}, with the fields to set before each")))
            } @else if let (true, Some(to)) = (kind == "bad", wanted) {
                (without_edges(to))
            }
            @if other.is_none() && !path.steps.is_empty() && !is_same {
                details { summary { "Each upgrade, with the fields that permit it" }
                    (steps(context, path, &format!("Upgrades that {words} takes automatically"))) }
            }
        }
    })
}

/// The way of a ClusterExtension where no upgrade leads on.
fn without_edges(to: &NamedVersion) -> Markup {
    let wish = Tree::object().with("upgradeConstraintPolicy", "SelfCertified").with("version", to.version.as_str());
    html! {
        h3 { "What to do" }
        ol.actions {
            (ask_publisher(&to.version))
            li { strong { "Ask for " (shown(&to.version)) " without the upgrades of the catalog" }
                p.quiet { "OLM v1 then installs it over any version, and the publisher promises nothing." }
                pre.command tabindex="0" { code {
                    "kubectl patch clusterextensions.olm.operatorframework.io NAME \\\n  " (merge_patch(&["spec", "source", "catalog"], wish))
                } } }
        }
    }
}

fn steps(context: PageContext<'_>, path: &UpgradePath, caption: &str) -> Markup {
    let has_settings = path.steps.iter().any(|it| !it.set.is_empty());
    let row = |number: usize, step: &PathStep| {
        let target = &step.target;
        html! {
            tr {
                td.amount { (number + 1) }
                th scope="row" {
                    (version_link(context, &path.package, (&target.bundle, &target.version), &target.catalog))
                    @if target.is_deprecated { " " (badge("warn", "deprecated")) }
                    @if let Some(refused) = &target.refused_for { " " (badge("bad", "refused")) " for its " code { (shown(refused)) } }
                    @if let Some(refusal) = &target.refusal { " " (badge("bad", "refused by OLM v1")) " " (worded(&shown(refusal))) }
                }
                td { (shown(&target.channels.join(", "))) }
                td { (because(step)) }
                @if has_settings {
                    td { (joined(step.set.iter().map(|it| html! { code { (shown(&it.field)) ": " (shown(&it.value)) } }), &html! { br; })) }
                }
                td.aside { @if let Some(first) = target.permits.first() { (place(&first.file, first.line)) } }
            }
        }
    };
    let mut headers = vec!["#Step", "Version", "Channel", "Reason"];
    if has_settings {
        headers.push("Set first");
    }
    headers.push("~Source");
    table(caption, &headers, html! { @for (number, step) in path.steps.iter().enumerate() { (row(number, step)) } })
}

/// The fields that permit a step, each once.
fn because(step: &PathStep) -> Markup {
    let mut texts: Vec<String> = Vec::new();
    for permit in &step.target.permits {
        let text = format!("{} {}", permit.field.as_str(), permit.value);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    joined(texts.iter().map(|text| html! { code { (shown(text)) } }), &html! { br; })
}

/// Why a version is not taken.
fn refusals(reasons: &[WhyNot]) -> Markup {
    html! {
        @for it in reasons {
            section.answer {
                h2 { "Why " (olm_words(it.olm)) @if it.is_taken { " takes " } @else { " does not take " } (shown(&it.bundle)) }
                p {
                    @match &it.instead {
                        _ if it.is_taken => "It does.",
                        _ if it.refusal.is_some() => { "It resolves to this bundle and refuses it: " (worded(&shown(it.refusal.as_deref().unwrap_or_default()))) "." },
                        Some(instead) if it.installed.as_ref().is_some_and(|now| now.name == *instead) => { "It keeps " code { (shown(instead)) } "." },
                        Some(instead) => { "It takes " code { (shown(instead)) } " instead." },
                        None => "It takes no version.",
                    }
                }
                @if !it.ways.is_empty() {
                    h3 { "How to make it possible" }
                    ul { @for way in &it.ways { li { (worded(&shown(way))) } } }
                }
                (table(&format!("Conditions, in the order in which {} checks \
                    them", olm_words(it.olm)), &["Condition", "Met", "Reason"], html! {
                    @for condition in &it.conditions {
                        tr {
                            th scope="row" { (worded(&shown(&condition.condition))) }
                            td { @if condition.is_met { (badge("good", "yes")) } @else { (badge("bad", "no")) } }
                            td.words { (worded(&shown(&condition.fact))) }
                        }
                    }
                }))
            }
        }
    }
}

/// For a page that cannot answer questions: where every version can go. Neighbours with the same answer share a row.
fn all_outlooks(context: PageContext<'_>, question: &Question) -> Markup {
    let Some(graph) = question.asked.view.graphs.first() else { return html! {} };
    let Some(answers) = standings(&question.asked.view, graph, None) else {
        return html! { p { "The default channel has no single head, or the package is too large for this page." } };
    };
    let Some(VersionStanding { goal, goal_version, .. }) = answers.first() else { return html! {} };
    let package = &question.asked.view.package;
    let versions = |run: &[VersionStanding]| {
        let versions: Vec<(&str, &str)> = run.iter().map(|it| (it.bundle.as_str(), it.version.as_str())).collect();
        version_range(context, package, &question.catalog, &versions)
    };
    let rows = html! {
        // A server answers for each version, so that the standings alone need rows.
        @for run in answers.chunk_by(|a, b| a.is_like(b) && (context.is_served() || a.n_upgrades == b.n_upgrades)) {
                tr {
                    th scope="row" { (versions(run)) }
                    td {
                        @let words = VersionStanding::in_words(run);
                        @match words.strip_prefix("stuck: ") {
                            Some(rest) => { (badge("bad", "stuck")) " " (rest) }
                            None => (words),
                        }
                    }
                }
        }
    };
    html! {
        p { "Whether each version gets to " strong { (version_link(context, package, (goal, goal_version), &question.catalog)) } ", the newest of the default channel "
            (link(context, &super::parts::channel_route(context, package, &graph.default_channel, &question.catalog), shown(&graph.default_channel)))
            ", with the fewest upgrades of OLM Classic and with changes of the channel."
            @if !context.is_served() { " " code { "olmdex upgrades" } " and " code { "olmdex serve" } " answer any other question." } }
        (table("Where each version can go", &["Version", "Fewest upgrades to the newest"], rows))
    }
}
