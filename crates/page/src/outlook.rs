//! Where an installed version can go in OLM Classic: the answer in a sentence, the way as a line map, and what to do.

use maud::{Markup, PreEscaped, html};

use super::parts::{api_link, link, shown, worded};
use super::route::{PackagePage, Route};
use super::site::PageContext;
use olmdex_ask::{ChannelChange, LeftOutRange, Outlook, OutlookVerdict, UpgradePath};
use olmdex_base::diag::counted;
use olmdex_change::draw::{LineMap, line_map};
use olmdex_fbc::Api;
use olmdex_index::query::BundleDetail;
use olmdex_olm::namespace::{SUBSCRIPTIONS, merge_patch, plain_name};
use olmdex_version::version_or_name;

/// The most APIs that come or go by name.
const NAMED_APIS: usize = 4;

/// An answer about one installed version.
pub(super) struct Answer<'a> {
    pub(super) path: &'a UpgradePath,
    pub(super) outlook: &'a Outlook,
    /// The channel of the Subscription.
    pub(super) channel: &'a str,
    /// Whether that lists the installed bundle.
    pub(super) is_listed: bool,
    /// Other catalogs in which upgrades lead on, each with a sentence.
    pub(super) elsewhere: Vec<(String, String)>,
}

/// Upgrades in one channel, with the change that comes first.
struct Stage<'a> {
    change: Option<&'a ChannelChange>,
    channel: &'a str,
    versions: Vec<String>,
}

impl<'a> Answer<'a> {
    fn goal(&self) -> &'a str {
        let way = self.outlook.way();
        version_or_name(&way.goal_version, &way.goal)
    }

    /// The installed version.
    fn from(&self) -> &'a str {
        version_or_name(&self.path.from.version, &self.path.from.name)
    }

    /// The upgrades on the way, channel by channel.
    fn stages(&self) -> Vec<Stage<'a>> {
        let mut stages: Vec<Stage<'_>> = Vec::new();
        let mut changes = self.outlook.way().changes.iter().peekable();
        let mut at = self.path.from.name.as_str();
        for step in &self.outlook.way().upgrades {
            let change = changes.next_if(|change| change.at == at && change.channel == step.channel);
            if change.is_some() || stages.is_empty() {
                stages.push(Stage { change, channel: &step.channel, versions: Vec::new() });
            }
            if let Some(stage) = stages.last_mut() {
                stage.versions.push(version_or_name(&step.version, &step.bundle).to_owned());
            }
            at = &step.bundle;
        }
        stages
    }

    /// The versions to which the channel leads if it is not changed.
    fn past(&self) -> Vec<String> {
        let way = self.outlook.way();
        let steps = self.path.steps.iter().map(|step| &step.target);
        let past: Vec<_> = match way.changes.first().and_then(|change| change.before.as_ref()) {
            Some(before) => steps.skip_while(|target| target.bundle != *before).collect(),
            None if way.verdict == OutlookVerdict::DeadEnd => steps.collect(),
            None => Vec::new(),
        };
        past.into_iter().map(|target| version_or_name(&target.version, &target.bundle).to_owned()).collect()
    }

    /// The answer as a card.
    pub(super) fn card(&self) -> Markup {
        let goal = version_or_name(&self.outlook.goal_version, &self.outlook.goal);
        let n = self.outlook.upgrades.len() as u64;
        let end = self.outlook.end();
        let n_own = self.path.steps.len() as u64;
        let (kind, sign) = match self.outlook.verdict {
            OutlookVerdict::Arrived | OutlookVerdict::Upgrades => ("good", "✓"),
            OutlookVerdict::Ahead if self.path.to.is_none() => ("ahead", "•"),
            _ if self.outlook.is_stuck() => ("bad", "✕"),
            _ => ("warn", "!"),
        };
        let change = self.outlook.changes.first();
        card(
            kind,
            sign,
            html! {
                    @match (self.outlook.verdict, change) {
                        (OutlookVerdict::Arrived, _) if self.path.to.is_none() => { (shown(goal)) " is the newest of the default channel." },
                        (OutlookVerdict::Arrived, _) => { (shown(goal)) " is installed." },
                        (OutlookVerdict::Ahead, _) => { (shown(self.from())) " is ahead of " @if self.path.to.is_none() { "the default channel." } @else { (shown(goal)) "." } },
                        (OutlookVerdict::Beyond, _) => { "From " (shown(self.from())) " OLM never gets to " (shown(goal)) ": " code { (shown(self.channel)) } " leads past it, to " (shown(end)) "." },
                        (OutlookVerdict::DeadEnd, _) => { "No upgrade leads to " (shown(goal)) @if self.outlook.is_stuck() { "." } @else { ", but some lead higher." } },
                        (_, Some(change)) => { (shown(goal)) " is " (counted(n, "upgrade")) " away"
                            @if let Some(fewest) = self.outlook.fewest_upgrades { " (" (fewest) ", if you change the channel at once)" }
                            ", and you must change \
                            the channel at " (shown(version_or_name(&change.at_version, &change.at))) "." },
                        (_, None) => { (shown(goal)) " is " (counted(n, "upgrade")) " away." },
                    }
            },
            html! {
                    @match (self.outlook.verdict, change) {
                        (OutlookVerdict::Arrived, _) => { "Channel " code { (shown(self.channel)) } "." },
                        (OutlookVerdict::Ahead | OutlookVerdict::Beyond | OutlookVerdict::DeadEnd | OutlookVerdict::ChangeChannel, _) if !self.is_listed => {
                            code { (shown(self.channel)) } " does not list " (shown(self.from())) "."
                        },
                        (OutlookVerdict::Ahead | OutlookVerdict::Beyond, _) => {
                            @if self.path.to.is_none() { (shown(goal)) " is the newest of the default channel. " } "OLM does not go back."
                            @if n_own == 0 { " " code { (shown(self.channel)) } " has no upgrade left." }
                        },
                        (OutlookVerdict::DeadEnd, _) if n_own > 0 => { "You can still take " (counted(n_own, "upgrade")) " to " (shown(end)) ", where "
                            code { (shown(self.channel)) } " ends. No channel leads from there to " (shown(goal)) "." },
                        (OutlookVerdict::DeadEnd, _) if self.outlook.ends_at_head => { code { (shown(self.channel)) } " ends at " (shown(end)) ", and \
                            no other channel leads there." },
                        (OutlookVerdict::DeadEnd, _) => { (shown(end)) " is stranded in " code { (shown(self.channel)) } ": no upgrade \
                            leads from it, although the channel goes on." },
                        (_, Some(ChannelChange { before: Some(_), .. })) => { "Automatic approval would carry you past it: "
                            code { (shown(self.channel)) } " ends at " (shown(end)) ", from which no upgrade leads to " (shown(goal)) "." },
                        (_, Some(_)) => { code { (shown(self.channel)) } " ends there." },
                        (_, None) => { "OLM takes " @if n == 1 { "it" } @else { "them one after another" } " in channel " code { (shown(self.channel)) } "." },
                    }
                    @if let Some(above) = &self.outlook.above { " " (self.higher(above)) }
            },
        )
    }

    /// A version above the newest of the default channel.
    fn higher(&self, above: &Outlook) -> Markup {
        let version = version_or_name(&above.goal_version, &above.goal);
        html! {
            @match (above.leads_there(), self.outlook.verdict) {
                // The end of the own channel may be the highest of all.
                (_, OutlookVerdict::Ahead | OutlookVerdict::Beyond) if above.goal == self.outlook.channel_ends_at => {}
                (true, _) => { (worded(&shown(&above.sentence()))) "." }
                (false, _) => { (shown(version)) " is higher, and no upgrade leads there." }
            }
        }
    }

    /// The way as a picture.
    pub(super) fn map(&self) -> Markup {
        let stages = self.stages();
        let leaves_at_once = stages.first().is_some_and(|stage| stage.change.is_some());
        let mut lines: Vec<(String, Vec<String>)> =
            stages.into_iter().map(|stage| (stage.channel.to_owned(), stage.versions)).collect();
        if lines.is_empty() && matches!(self.outlook.verdict, OutlookVerdict::Ahead | OutlookVerdict::Beyond) {
            let own = self.path.steps.iter().map(|step| version_or_name(&step.target.version, &step.target.bundle));
            lines.push((self.channel.to_owned(), own.map(str::to_owned).collect()));
        }
        let from = self.from().to_owned();
        drawn(&LineMap { from, lines, past: self.past(), leaves_at_once })
    }

    /// The facts beside the way: the APIs that come and go, and the platforms of the goal.
    pub(super) fn beside(&self, context: PageContext<'_>, from: &BundleDetail, goal: &BundleDetail) -> Markup {
        let kinds = |of: &BundleDetail, other: &BundleDetail| -> Vec<Api> {
            of.provides.iter().filter(|api| !other.provides.contains(api)).cloned().collect()
        };
        let (gone, new) = (kinds(from, goal), kinds(goal, from));
        let n_kept = (goal.provides.len() - new.len()) as u64;
        let line = |words: &str, apis: &[Api]| {
            html! { @for api in apis.iter().take(NAMED_APIS) { span.line { (words) " " (api_link(context, api)) } }
            @if apis.len() > NAMED_APIS { span.line { (words) " " (apis.len() - NAMED_APIS) " more" } } }
        };
        let changed = |old: &str, new: &str| old != new && !new.is_empty();
        let newest = self.goal();
        html! {
            aside.side aria-label="Along the way" {
                dl {
                    @if !from.provides.is_empty() || !goal.provides.is_empty() {
                        dt { "APIs" }
                        dd {
                            (line("no longer", &gone)) (line("new:", &new))
                            @if n_kept > 0 { span.line.quiet { (counted(n_kept, "API")) @if n_kept == 1 { " stays" } @else { " stay" } } }
                        }
                    }
                    dt { "OpenShift" }
                    dd {
                        @if !goal.max_openshift_version.is_empty() { span.line { (shown(newest)) " works up to " (shown(&goal.max_openshift_version)) } }
                        @if !goal.openshift_versions.is_empty() { span.line { (shown(newest)) " is for " (shown(&goal.openshift_versions)) } }
                        @if goal.max_openshift_version.is_empty() && goal.openshift_versions.is_empty() {
                            span.line.quiet { (shown(newest)) " does not say which versions it supports" }
                        }
                    }
                    @if changed(&from.min_kube_version, &goal.min_kube_version) {
                        dt { "Kubernetes" }
                        dd { (shown(newest)) " needs " (shown(&goal.min_kube_version)) " or later" }
                    }
                }
            }
        }
    }

    /// The actions, in their order.
    pub(super) fn actions(&self, context: PageContext<'_>) -> Markup {
        let stages = self.stages();
        let way = self.outlook.way();
        let changes_early = way.changes.iter().any(|change| change.before.is_some());
        html! {
            @match way.verdict {
                OutlookVerdict::Arrived => {}
                OutlookVerdict::Ahead | OutlookVerdict::Beyond if self.path.to.is_some() => {}
                OutlookVerdict::Ahead | OutlookVerdict::Beyond => {
                    h2 { "What to do" }
                    ol.actions {
                        @let n = self.path.steps.len() as u64;
                        @if n > 0 {
                            li { strong { "Stay in " (shown(self.channel)) }
                                p.quiet { (counted(n, "upgrade")) " left, to " (shown(self.outlook.end())) } }
                        }
                        (self.anew(context))
                    }
                }
                OutlookVerdict::DeadEnd => {
                    h2 { "What to do" }
                    ol.actions {
                        @for (catalog, sentence) in &self.elsewhere {
                            @let there = PackagePage { catalog: Some(catalog.clone()), version: Some(self.from().to_owned()), ..PackagePage::of(&self.path.package) };
                            li { strong { "Take the upgrade from catalog " (shown(catalog)) }
                                p { (worded(&shown(sentence))) ". " (link(context, &Route::Path(there), "The way there")) } }
                        }
                        @if let Some(LeftOutRange { version, channel, range, .. }) = &self.outlook.left_out {
                            li { strong { "Ask for a repair of the catalog" }
                                p { (shown(version)) " states in its ClusterServiceVersion that it follows " (shown(self.outlook.end())) ", by the annotation "
                                    code { "olm.skipRange: " (shown(range)) } ". Its entry in " code { (shown(channel)) }
                                    " has no " code { "skipRange" } ", and OLM looks at the entry alone." } }
                        }
                        (ask_publisher(self.goal()))
                        (self.anew(context))
                    }
                }
                OutlookVerdict::Upgrades => {
                    h2 { "What to do" }
                    p { "Nothing, with automatic approval. With manual approval, approve each InstallPlan: "
                        (shown(&list(stages.first().map_or(&[][..], |stage| &stage.versions)))) "." }
                    details { summary { "How to approve one" } (approval()) }
                }
                OutlookVerdict::ChangeChannel => {
                    h2 { "What to do" }
                    ol.actions {
                        @if changes_early {
                            li { strong { "Stop automatic upgrades" }
                                p.quiet { "so that OLM waits for each change of the channel" }
                                (self.patch("installPlanApproval", "Manual")) }
                        }
                        @for stage in &stages {
                            @if let Some(change) = stage.change {
                                li { strong { "At " (shown(version_or_name(&change.at_version, &change.at))) ", change the channel to " (shown(&change.channel)) }
                                    @if let Some(before) = &change.before {
                                        p.quiet { "before " (shown(version_or_name(&change.before_version, before))) " is approved" }
                                    }
                                    (self.patch("channel", &change.channel)) }
                            }
                            li { strong { @if changes_early { "Approve " } @else { "Wait for " } (shown(&list(&stage.versions))) }
                                p.quiet { (counted(stage.versions.len() as u64, "upgrade")) " in " code { (shown(stage.channel)) } }
                                @if changes_early { (approval()) } }
                        }
                    }
                }
            }
            @if let (OutlookVerdict::ChangeChannel, Some(before)) = (way.verdict, self.past().first()) {
                p.quiet { "Already at " (shown(before)) " or later in " code { (shown(self.channel)) } "? Then only a new \
                    installation leads to " (shown(self.goal())) "." }
            }
        }
    }

    /// The way back into the default channel, as an action.
    fn anew(&self, context: PageContext<'_>) -> Markup {
        let install =
            Route::Install(PackagePage { catalog: self.path.catalog.clone(), ..PackagePage::of(&self.path.package) });
        html! {
            li { strong { "Uninstall the operator, and install it anew from the default channel" }
                p { "Its custom resources stay, and nothing manages them in between. "
                    (link(context, &install, "Manifests to install it")) } }
        }
    }

    /// The command that changes a field of the Subscription; none for a package whose name is no plain word.
    fn patch(&self, field: &str, value: &str) -> Markup {
        let patch = merge_patch(&["spec", field], value);
        html! {
            @if let Some(package) = plain_name(&self.path.package) {
                pre.command tabindex="0" { code {
                    "oc -n NAMESPACE patch " (SUBSCRIPTIONS) " " (package) " \\\n  " (shown(&patch))
                } }
            }
        }
    }
}

/// The first thing to do where no upgrade leads on.
pub(super) fn ask_publisher(version: &str) -> Markup {
    html! {
        li { strong { "Read what the publisher says about " (shown(version)) }
            p.quiet { "Some publishers want a version in between that another catalog has, or a migration." } }
    }
}

/// An answer: a sign, a sentence, and what it means.
pub(super) fn card(kind: &str, sign: &str, sentence: Markup, words: Markup) -> Markup {
    html! {
        div class={ "outlook " (kind) } role="status" {
            span.sign aria-hidden="true" { (sign) }
            strong { (sentence) }
            p { (words) }
        }
    }
}

/// A way as a picture; nothing if there is no upgrade.
pub(super) fn drawn(map: &LineMap) -> Markup {
    let drawn = line_map(map);
    html! {
        @if !drawn.is_empty() {
            figure.graph { div.scroll tabindex="0" role="region" aria-label="The way" { (PreEscaped(drawn)) } }
        }
    }
}

/// Whether and how upgrades lead from a version to the newest of the default channel, in a note; nothing if it is that.
pub(super) fn note(
    context: PageContext<'_>,
    outlook: &Outlook,
    (package, catalog): (&str, &str),
    version: &str,
) -> Markup {
    let kind = match outlook.verdict {
        OutlookVerdict::Arrived => return html! {},
        OutlookVerdict::Upgrades | OutlookVerdict::Ahead => "note",
        _ if outlook.is_stuck() => "note bad",
        _ => "note warn",
    };
    let way = Route::Path(PackagePage {
        version: Some(version.to_owned()),
        catalog: context.catalog_choice(catalog),
        ..PackagePage::of(package)
    });
    let left_out = html! { @if let Some(LeftOutRange { version, channel, range, .. }) = &outlook.left_out {
        " " (shown(version)) " states that it follows, by " code { "olm.skipRange: " (shown(range)) } ", which its entry in "
        code { (shown(channel)) } " lacks."
    } };
    html! { div class=(kind) role="note" { p {
        (worded(&shown(&outlook.sentence().replacen("a dead end", "A dead end", 1)))) "." (left_out) " " (link(context, &way, html! { "Where " (shown(version)) " can go" }))
    } } }
}

/// The commands that approve the next upgrade.
fn approval() -> Markup {
    html! {
        pre.command tabindex="0" { code {
            "oc -n NAMESPACE get installplans.operators.coreos.com\n"
            "oc -n NAMESPACE patch installplans.operators.coreos.com NAME \\\n  " (merge_patch(&["spec", "approved"], true))
        } }
    }
}

/// Versions in words: all of a few, the first and the last of many.
fn list(versions: &[String]) -> String {
    match versions {
        [] => String::new(),
        [only] => only.clone(),
        [one, other] => format!("{one}, then {other}"),
        [first, .., last] => format!("{first} to {last}, one after another"),
    }
}
