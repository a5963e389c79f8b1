//! The journey of one operator along the minor versions of the platform: what must be done where, so that it gets there.
//!
//! Between two versions whose catalogs are given, everything that the later ones demand must be done in the catalog of the first: what is not
//! given cannot help. What can be done only in the later catalog is done after the platform has come there.
//!
//! What it deliberately does not do: it looks at one operator, so what they do together is for `order`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::answer::{Blocker, Decision, PathElement, PlanStep, Reason, RouteStep, StepKind, Unknown};
use super::catalogs::Catalogs;
use super::code::Code;
use super::detour::{Detour, detour};
use super::fit::{Fit, Judge};
use super::inventory::Operator;
use super::question::PlanQuestion;
use super::standing::OperatorState;
use super::state::{Standing, entry_point, other_channels, refused, state_at, way};
use crate::catalog_source::name::SourceName;
use crate::constraint::openshift::Minor;
use crate::index::IndexError;
use crate::platform::{Support, SupportStatus};
use crate::upgrade::{Generation, InstalledBundle, PackageView, PathStep, Setting, Target};

/// When a step is taken, relative to a version of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum When {
    /// After the platform has come to it.
    After(usize),
    /// Before the platform leaves it.
    Before(usize),
    /// At the end, if somebody likes.
    AtTheEnd,
}

/// What comes of a journey.
#[derive(Clone, Default)]
pub(super) struct Journey {
    pub(super) state: BTreeMap<Minor, OperatorState>,
    pub(super) compatible: BTreeMap<Minor, Fit>,
    pub(super) because: BTreeMap<Minor, String>,
    pub(super) support: Option<Support>,
    pub(super) now: Option<String>,
    pub(super) target: Option<String>,
    pub(super) target_support: Option<Support>,
    pub(super) entry_point: BTreeMap<Minor, String>,
    pub(super) steps: Vec<(When, PlanStep)>,
    /// The updates of all required steps, one after another, with what is set before each.
    pub(super) way: Vec<PathStep>,
    pub(super) blockers: Vec<Blocker>,
    pub(super) decisions: Vec<Decision>,
    pub(super) unknowns: Vec<Unknown>,
}

/// Takes an operator along the way.
pub(super) fn travel<'q>(
    question: &'q PlanQuestion<'q>,
    catalogs: &'q Catalogs<'q>,
    path: &'q [Minor],
    operator: &'q Operator,
) -> Result<Journey, IndexError> {
    let mut views = Vec::new();
    for minor in path {
        views.push(catalogs.view(&operator.families, *minor, &operator.package)?);
    }
    let bundle = InstalledBundle::held(operator.installed.clone(), operator.version.clone());
    let start = Standing {
        bundle,
        channels: operator.channels.clone(),
        range: operator.range.clone(),
        installation: operator.installation.clone(),
    };
    let mut traveller = Traveller {
        judge: Judge::new(question, catalogs, path, operator),
        question,
        catalogs,
        path,
        operator,
        views,
        at: start.clone(),
        source: operator.source.clone(),
        is_gone: false,
        journey: Journey::default(),
    };
    traveller.look_around(&start)?;
    for idx in 0..path.len() {
        traveller.arrive(idx)?;
        if idx + 1 < path.len() {
            traveller.leave(idx)?;
        }
    }
    traveller.refused();
    traveller.at_the_end();
    Ok(traveller.journey)
}

struct Traveller<'q> {
    judge: Judge<'q>,
    question: &'q PlanQuestion<'q>,
    catalogs: &'q Catalogs<'q>,
    path: &'q [Minor],
    operator: &'q Operator,
    views: Vec<Option<Rc<PackageView>>>,
    at: Standing,
    /// The CatalogSource or ClusterCatalog that it follows there.
    source: String,
    /// Whether it is uninstalled, or nobody manages it any more.
    is_gone: bool,
    journey: Journey,
}

/// How good a bundle is to go on with: what decides first stands first.
type Rank = (bool, u8, bool, u8);

impl Traveller<'_> {
    /// How what is installed stands to every version, whatever the plan changes.
    fn look_around(&mut self, start: &Standing) -> Result<(), IndexError> {
        let support = self.judge.support(&start.bundle.version);
        self.journey.support = Some(support);
        for (idx, minor) in self.path.iter().enumerate() {
            let state = match &self.views[idx] {
                _ if !self.operator.is_managed => OperatorState::Unmanaged,
                None => OperatorState::Unknown,
                Some(view) => state_at(view, self.operator, start),
            };
            if state == OperatorState::Stranded
                && let Some(view) = &self.views[idx]
                && let Some(entry) = entry_point(view, start)
            {
                self.journey.entry_point.insert(*minor, entry);
            }
            self.journey.state.insert(*minor, state);
            if idx > 0 {
                let (fit, reason) = self.judge.fit(&start.bundle.name, &start.bundle.version, *minor)?;
                self.journey.compatible.insert(*minor, fit);
                self.journey.because.insert(*minor, reason);
            }
        }
        if let Some(view) = &self.views[0]
            && self.operator.is_managed
        {
            self.journey.now = way(view, self.operator, start).first().map(|it| it.bundle.clone());
        }
        self.say_what_v1_refuses(start);
        Ok(())
    }

    /// What OLM v1 resolves to and does not install: it stays where it is, and reports an error.
    fn say_what_v1_refuses(&mut self, start: &Standing) {
        let mut told: Vec<String> = Vec::new();
        for (view, minor) in self.views.iter().zip(self.path) {
            let Some(text) = view.as_ref().and_then(|it| refused(it, self.operator, start)) else { continue };
            if told.contains(&text) {
                continue;
            }
            self.journey.decisions.push(Decision {
                code: Code::RefusedByOlmV1,
                subject: Some(self.operator.subject()),
                platform: Some(minor.to_string()),
                text: text.clone(),
                options: vec![
                    "pin spec.source.catalog.version to a bundle that OLM v1 installs".to_owned(),
                    "uninstall, and subscribe with OLM Classic".to_owned(),
                ],
            });
            told.push(text);
        }
    }

    /// What there is to do after the platform has come to a version.
    fn arrive(&mut self, idx: usize) -> Result<(), IndexError> {
        let minor = self.path[idx];
        if self.is_gone {
            return Ok(());
        }
        if idx + 1 == self.path.len() && idx > 0 && self.operator.is_managed {
            let (fit, _) = self.judge.fit(&self.at.bundle.name, &self.at.bundle.version, minor)?;
            // Where what is installed must go anyway, its update is chosen by what is known.
            let installed = self.journey.compatible.get(&minor);
            if fit == Fit::Unknown && installed == Some(&Fit::Unknown) {
                let text =
                    format!("neither {} nor a lifecycle says anything of OpenShift {minor}", self.at.bundle.name);
                let subject = Some(self.operator.subject());
                self.journey.unknowns.push(Unknown::new(Code::CompatibilityUnstated, subject, Some(minor), text));
            }
        }
        self.change_source(idx);
        let Some(view) = self.views[idx].clone().filter(|_| idx > 0 && self.operator.is_managed) else { return Ok(()) };
        match state_at(&view, self.operator, &self.at) {
            OperatorState::ChannelGone => self.change_channel_after(idx, &view)?,
            OperatorState::PackageGone => self.package_gone(minor)?,
            OperatorState::Stranded => self.stranded(idx, &view),
            _ => {}
        }
        if self.is_gone {
            return Ok(());
        }
        let (fit, reason) = self.judge.fit(&self.at.bundle.name, &self.at.bundle.version, minor)?;
        if fit == Fit::Incompatible {
            let because = vec![Reason { code: Code::not_compatible_with(minor), text: reason.clone() }];
            let until = self.upto(idx);
            if !self.update(idx, When::After(idx), &view, &self.path[idx..=until], because)? {
                let subject = self.operator.subject();
                self.journey.decisions.push(Decision {
                    code: Code::NotCompatible,
                    subject: Some(subject),
                    platform: Some(minor.to_string()),
                    text: format!("{} is not made for OpenShift {minor}: {reason}", self.at.bundle.name),
                    options: vec!["keep it, unsupported there".to_owned(), "uninstall".to_owned()],
                });
            }
        }
        Ok(())
    }

    /// Follows the source of a version, if sources are named after versions: at those whose catalog is given, and at the last.
    fn change_source(&mut self, idx: usize) {
        let Some(name) = SourceName::parse(&self.source).filter(|_| self.operator.is_managed) else { return };
        let minor = self.path[idx];
        let is_due = idx > 0 && (self.views[idx].is_some() || idx + 1 == self.path.len());
        if !is_due || !name.minor.is_before(minor) {
            return;
        }
        let (from, to) = (self.source.clone(), name.at(minor));
        let last = |it: &str| it.rsplit('/').next().unwrap_or_default().to_owned();
        let mut step = self.step(StepKind::Source, idx);
        (step.from, step.to) = (Some(last(&from)), Some(last(&to)));
        let text =
            format!("{} is the source of OpenShift {}; that of {minor} has another name", last(&from), name.minor);
        step.because = vec![Reason { code: Code::SourceOfVersion, text }];
        let namespace = to.split_once('/').map(|it| it.0);
        let sources = &self.question.cluster.catalog_sources;
        let is_there =
            |it: &crate::cluster::CatalogSource| Some(it.namespace.as_str()) == namespace && it.name == last(&to);
        if namespace.is_some() && !sources.iter().any(is_there) {
            step.warnings
                .push(format!("{} is not in what was given: mirror the catalog and apply it first", last(&to)));
        }
        self.journey.steps.push((When::After(idx), step));
        self.source = to;
    }

    /// The last version that steps at another one must reckon with: the next one whose catalog is given, else the last.
    fn upto(&self, idx: usize) -> usize {
        (idx + 1..self.path.len()).find(|it| self.views[*it].is_some()).unwrap_or(self.path.len() - 1)
    }

    /// What must be done before the platform leaves a version.
    fn leave(&mut self, idx: usize) -> Result<(), IndexError> {
        if self.is_gone {
            return Ok(());
        }
        let upto = self.upto(idx);
        let ahead = &self.path[idx + 1..=upto];
        let reasons = self.reasons(ahead, upto)?;
        let view = self.views[idx].clone().filter(|it| self.operator.is_managed && !it.graphs.is_empty());
        let blocked = self.blocked(ahead)?;
        let blocking = self.at.bundle.name.clone();
        if let Some(view) = view.as_ref().filter(|_| !reasons.is_empty()) {
            let start = (self.at.clone(), self.journey.clone());
            self.update(idx, When::Before(idx), view, ahead, reasons.clone())?;
            self.change_channel_before(idx, upto, view, &reasons)?;
            if self.first_unfit(ahead)?.is_some() {
                // What its own channel leads to may have no way on, where what is installed has one.
                let own_way = (std::mem::replace(&mut self.at, start.0), std::mem::replace(&mut self.journey, start.1));
                self.leave_channel(idx, view, ahead, &reasons)?;
                if self.first_unfit(ahead)?.is_some() {
                    (self.at, self.journey) = own_way;
                }
            }
        }
        let Some(minor) = blocked else { return Ok(()) };
        let highest = self.judge.highest(&blocking)?;
        let lifted_by = (self.blocked(ahead)?.is_none()).then(|| self.at.bundle.name.clone());
        let subject = self.operator.subject();
        let lift = match (&lifted_by, view.is_some()) {
            (Some(bundle), _) => format!("update to {bundle} first"),
            (None, true) => format!("no update in the catalog of {} lifts it; uninstall the operator", self.path[idx]),
            (None, false) if self.operator.is_managed => {
                let missing = either(&self.path[idx..upto]);
                format!("no catalog for {missing} is given, where an update may lift it; else uninstall the operator")
            }
            (None, false) => "nothing updates it; uninstall the operator, or subscribe to it".to_owned(),
        };
        self.journey.blockers.push(Blocker {
            code: highest.code.clone(),
            subject: Some(subject.clone()),
            platform: Some(minor.to_string()),
            value: Some(highest.value),
            text: highest.text.clone(),
            has_way: lifted_by.is_some(),
            lifted_by: lifted_by.clone(),
            lift,
            place: self.operator.place.clone(),
            verified: None,
        });
        if lifted_by.is_none() {
            if view.is_some() || !self.operator.is_managed {
                let mut step = self.step(StepKind::Uninstall, idx);
                step.because = vec![Reason { code: highest.code.clone(), text: highest.text }];
                step.because.extend(reasons.into_iter().filter(|it| it.code != highest.code));
                self.journey.steps.push((When::Before(idx), step));
            }
            self.is_gone = true;
        }
        Ok(())
    }

    /// The first of some versions that what is installed keeps the cluster from.
    fn blocked(&self, minors: &[Minor]) -> Result<Option<Minor>, IndexError> {
        for minor in minors {
            if self.judge.fit(&self.at.bundle.name, &self.at.bundle.version, *minor)?.0 == Fit::Blocks {
                return Ok(Some(*minor));
            }
        }
        Ok(None)
    }

    /// The first of some versions at which what is installed must not stay.
    fn first_unfit(&self, minors: &[Minor]) -> Result<Option<Minor>, IndexError> {
        for minor in minors {
            if !self.judge.fit(&self.at.bundle.name, &self.at.bundle.version, *minor)?.0.may_stay() {
                return Ok(Some(*minor));
            }
        }
        Ok(None)
    }

    /// Why what is installed cannot stay until the platform has come to a version.
    fn reasons(&self, ahead: &[Minor], upto: usize) -> Result<Vec<Reason>, IndexError> {
        let mut reasons: Vec<Reason> = Vec::new();
        let Standing { bundle, .. } = &self.at;
        for minor in ahead {
            let (fit, text) = self.judge.fit(&bundle.name, &bundle.version, *minor)?;
            let code = match fit {
                Fit::Blocks => self.judge.highest(&bundle.name)?.code,
                Fit::Incompatible => Code::not_compatible_with(*minor),
                _ => continue,
            };
            if !reasons.iter().any(|it| it.code == code) {
                reasons.push(Reason { code, text });
            }
        }
        if let Some(view) = self.views[upto].as_ref().filter(|_| self.operator.is_managed) {
            let state = state_at(view, self.operator, &self.at);
            if !state.is_good() {
                let text = match state {
                    OperatorState::PackageGone => {
                        format!("the catalog of {} does not have `{}`", self.path[upto], self.operator.package)
                    }
                    OperatorState::ChannelGone => {
                        format!(
                            "in the catalog of {}, `{}` has no channel {}",
                            self.path[upto],
                            self.operator.package,
                            self.at.channels.join(", ")
                        )
                    }
                    _ => format!("in the catalog of {}, nothing leads on from {}", self.path[upto], bundle.name),
                };
                reasons.push(Reason { code: state.as_str().into(), text });
            }
        }
        if !reasons.is_empty() && self.judge.support(&bundle.version).status == SupportStatus::Ended {
            let ends = self.judge.support(&bundle.version).support_ends.unwrap_or_default();
            let text = format!("the support of {} ended on {ends}", bundle.version);
            reasons.insert(0, Reason { code: Code::SupportEnded, text });
        }
        Ok(reasons)
    }

    /// How good a bundle is to stay with over some versions.
    fn rank(&self, at: &Standing, idx: usize, minors: &[Minor]) -> Result<Rank, IndexError> {
        let mut worst = Fit::Stated;
        for minor in minors.iter().filter(|it| **it != self.path[idx]) {
            worst = worst.min(self.judge.fit(&at.bundle.name, &at.bundle.version, *minor)?.0);
        }
        let here = self.judge.fit(&at.bundle.name, &at.bundle.version, self.path[idx])?.0;
        if minors.contains(&self.path[idx]) && here != Fit::Blocks {
            worst = worst.min(here);
        }
        let fits = match worst {
            Fit::Blocks | Fit::Incompatible => 0,
            Fit::Unknown => 1,
            Fit::NotExcluded | Fit::Stated => 2,
        };
        let last = minors.last().and_then(|minor| self.path.iter().position(|it| it == minor)).unwrap_or(idx);
        let leads_on = self.views[last].as_ref().is_none_or(|it| state_at(it, self.operator, at).is_good());
        let support = self.judge.support(&at.bundle.version);
        let support = match support.status {
            SupportStatus::Active if support.is_active(self.question.level) => 2,
            SupportStatus::NoData | SupportStatus::Active => 1,
            _ => 0,
        };
        Ok((worst != Fit::Blocks, fits, leads_on, support))
    }

    /// Updates the operator in the catalog of a version as far as that helps; whether it did.
    fn update(
        &mut self,
        idx: usize,
        when: When,
        view: &PackageView,
        minors: &[Minor],
        because: Vec<Reason>,
    ) -> Result<bool, IndexError> {
        let own = self.rank(&self.at, idx, minors)?;
        let pinned = self.best(view, &self.at, idx, minors)?;
        let mut found = pinned.map(|it| (it, self.at.range.clone()));
        if self.operator.olm == Generation::V1 && !self.at.range.is_empty() {
            // A pin may stand in the way of something better.
            let range = format!(">={}", self.at.bundle.version);
            let wide = Standing { range: range.clone(), ..self.at.clone() };
            let free = self.best(view, &wide, idx, minors)?;
            if let Some(free) = free
                && found.as_ref().is_none_or(|it| it.0.1 < free.1)
            {
                found = Some((free, range));
            }
        }
        let Some(((way, rank), range)) = found.filter(|it| it.0.1 > own) else { return Ok(false) };
        let kind = if self.operator.olm == Generation::V1 { StepKind::Extension } else { StepKind::Operator };
        let mut step = self.step(kind, idx);
        if range != self.at.range {
            step.set.insert("spec.source.catalog.version".to_owned(), vec![range.clone()]);
        }
        step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
        step.route = route(&way);
        step.because = because;
        if !rank.0 {
            step.warnings.push("this does not lift the block".to_owned());
        }
        self.warn(&mut step);
        self.journey.steps.push((when, step));
        self.go(way, setting("spec.source.catalog.version", &range).filter(|_| range != self.at.range));
        self.at.range = range;
        Ok(true)
    }

    /// The lowest of the best bundles on a way, as the way there; the head if all are equal.
    fn best(
        &self,
        view: &PackageView,
        from: &Standing,
        idx: usize,
        minors: &[Minor],
    ) -> Result<Option<(Vec<Target>, Rank)>, IndexError> {
        let mut way = way(view, self.operator, from);
        let mut ranks = Vec::new();
        for target in &way {
            let bundle = InstalledBundle::held(target.bundle.clone(), target.version.clone());
            ranks.push(self.rank(&Standing { bundle, ..from.clone() }, idx, minors)?);
        }
        let Some(best) = ranks.iter().max().copied() else { return Ok(None) };
        let first = ranks.iter().position(|it| *it == best).unwrap_or_default();
        let chosen = if ranks.iter().all(|it| *it == best) { ranks.len() - 1 } else { first };
        way.truncate(chosen + 1);
        Ok(Some((way, best)))
    }

    /// Is now at the end of a way, before whose first step something may have been set.
    fn go(&mut self, way: Vec<Target>, set: Option<Setting>) {
        if let Some(last) = way.last() {
            let (name, version) = (last.bundle.clone(), last.version.clone());
            self.journey.target = Some(name.clone());
            self.journey.target_support = Some(self.judge.support(&version));
            self.at.bundle = InstalledBundle::held(name, version);
        }
        let mut sets = set.into_iter();
        self.journey
            .way
            .extend(way.into_iter().map(|target| PathStep { target, set: sets.next().into_iter().collect() }));
    }

    fn step(&self, kind: StepKind, idx: usize) -> PlanStep {
        let approval = if self.operator.is_manual { "Manual" } else { "Automatic" };
        PlanStep {
            subject: Some(self.operator.subject()),
            catalog: Some(self.path[idx].to_string()),
            approval: (self.operator.olm == Generation::Classic).then(|| approval.to_owned()),
            ..PlanStep::new(kind)
        }
    }

    /// An operator that refuses updates blocks those that are required, not the platform by itself.
    fn refused(&mut self) {
        let Some(refusal) = &self.operator.refusal else { return };
        let is_update = |kind| matches!(kind, StepKind::Operator | StepKind::Extension);
        if !self.journey.steps.iter().any(|(_, it)| is_update(it.kind)) {
            return;
        }
        let lift = "as its message says; the required update waits for it";
        self.journey.blockers.push(Blocker {
            code: Code::OperatorCondition,
            subject: Some(self.operator.subject()),
            platform: None,
            value: Some("Upgradeable=False".to_owned()),
            text: refusal.clone(),
            lifted_by: None,
            lift: lift.to_owned(),
            place: self.operator.place.clone(),
            has_way: true,
            verified: None,
        });
    }

    /// What else stands in the way of an update of the operator.
    fn warn(&self, step: &mut PlanStep) {
        if let Some(refusal) = &self.operator.refusal {
            step.warnings.push(format!(
                "the operator itself refuses updates now (OperatorCondition Upgradeable=False): {refusal}"
            ));
        }
    }

    /// Changes to a channel that both catalogs have, if the present one is gone in the later one.
    fn change_channel_before(
        &mut self,
        idx: usize,
        upto: usize,
        view: &PackageView,
        because: &[Reason],
    ) -> Result<(), IndexError> {
        let Some(later) = self.views[upto].clone() else { return Ok(()) };
        if state_at(&later, self.operator, &self.at) != OperatorState::ChannelGone
            || self.operator.olm == Generation::V1
        {
            return Ok(());
        }
        let has = |name: &str| later.graphs.iter().any(|it| it.channels.iter().any(|it| it.name == name));
        let others = other_channels(view, self.operator, &self.at);
        let Some((channel, _)) = others
            .into_iter()
            .find(|(name, _)| has(name) && state_at(&later, self.operator, &self.at.with_channel(name)).is_good())
        else {
            return Ok(());
        };
        let mut because = because.to_vec();
        because.push(Reason {
            code: Code::ChannelInBoth,
            text: format!("{channel} is in the catalogs of {} and {}", self.path[idx], self.path[upto]),
        });
        let way = way(view, self.operator, &self.at.with_channel(&channel));
        self.change_channel(idx, When::Before(idx), &channel, way, because);
        Ok(())
    }

    /// Changes to another channel of the present catalog, if that leads to a bundle that may stay; else goes over several of them.
    fn leave_channel(
        &mut self,
        idx: usize,
        view: &PackageView,
        ahead: &[Minor],
        because: &[Reason],
    ) -> Result<(), IndexError> {
        let own = self.rank(&self.at, idx, ahead)?;
        let mut found: Option<(String, Vec<Target>, Rank)> = None;
        for (channel, _) in other_channels(view, self.operator, &self.at) {
            let there = Standing { range: String::new(), ..self.at.with_channel(&channel) };
            let Some((way, rank)) = self.best(view, &there, idx, ahead)? else { continue };
            if rank.0 && (rank.0, rank.1) > (own.0, own.1) && found.as_ref().is_none_or(|it| it.2 < rank) {
                found = Some((channel, way, rank));
            }
        }
        let Some((channel, way, _)) = found else { return self.go_by_detour(idx, view, ahead, because) };
        let mut because = because.to_vec();
        because.push(self.no_channel_does(&format!("one of channel {channel} is")));
        self.change_channel(idx, When::Before(idx), &channel, way, because);
        Ok(())
    }

    fn no_channel_does(&self, what_does: &str) -> Reason {
        let text = match self.at.channels.join(", ").as_str() {
            "" => format!("no update that OLM makes by itself may stay, {what_does}"),
            own => format!("no update of channel {own} may stay, {what_does}"),
        };
        Reason { code: Code::OtherChannel, text }
    }

    /// Takes the fewest updates to a bundle that may stay, over whichever channels and versions can be chosen.
    fn go_by_detour(
        &mut self,
        idx: usize,
        view: &PackageView,
        ahead: &[Minor],
        because: &[Reason],
    ) -> Result<(), IndexError> {
        let (mut goals, mut allowed) = (BTreeSet::new(), BTreeSet::new());
        for (name, version) in view.bundles() {
            if self.judge.fit(name, version, self.path[idx])?.0.may_stay() {
                allowed.insert(name.clone());
            }
            let mut fits = true;
            for minor in ahead {
                fits = fits && self.judge.fit(name, version, *minor)?.0.may_stay();
            }
            if fits {
                goals.insert(name.clone());
            }
        }
        let catalogs = self.catalogs.names(&self.operator.families, self.path[idx]);
        let wanted = Detour { olm: self.operator.olm, goals: &goals, allowed: &allowed, catalogs: &catalogs };
        for (set, way) in detour(self.catalogs.index(), view, &self.at, &wanted)? {
            let mut because = because.to_vec();
            because.push(self.no_channel_does("these updates, one after another, lead to one that is"));
            match set {
                Some(set) if self.operator.olm == Generation::Classic => {
                    self.change_channel(idx, When::Before(idx), &set.value, way, because);
                    if let Some((_, step)) = self.journey.steps.last_mut() {
                        let text = "set installPlanApproval: Manual before it, so that OLM does not go on in the channel by itself";
                        step.warnings.push(text.to_owned());
                    }
                }
                set => {
                    let is_v1 = self.operator.olm == Generation::V1;
                    let mut step = self.step(if is_v1 { StepKind::Extension } else { StepKind::Operator }, idx);
                    if let Some(set) = &set {
                        step.set.insert(set.field.clone(), vec![set.value.clone()]);
                        self.at.range.clone_from(&set.value);
                    }
                    step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
                    step.route = route(&way);
                    step.because = because;
                    self.warn(&mut step);
                    self.journey.steps.push((When::Before(idx), step));
                    self.go(way, set);
                }
            }
        }
        Ok(())
    }

    /// Changes to a channel of the catalog that the platform has come to.
    fn change_channel_after(&mut self, idx: usize, view: &PackageView) -> Result<(), IndexError> {
        let (minor, from) = (self.path[idx], self.at.channels.join(", "));
        let package = self.operator.package.clone();
        let text = format!(
            "in the catalog of {minor}, `{package}` has no channel {from}; until that is changed, the namespace does not resolve"
        );
        let Some((channel, way)) = other_channels(view, self.operator, &self.at).into_iter().next() else {
            let channels: Vec<&str> =
                view.graphs.iter().flat_map(|it| &it.channels).map(|it| it.name.as_str()).collect();
            self.journey.decisions.push(Decision {
                code: Code::ChannelGone,
                subject: Some(self.operator.subject()),
                platform: Some(minor.to_string()),
                text,
                options: vec![
                    format!("uninstall and install anew from {}", channels.join(", ")),
                    "uninstall".to_owned(),
                    "another catalog".to_owned(),
                ],
            });
            self.is_gone = true;
            return Ok(());
        };
        let mut because = vec![Reason { code: Code::ChannelGone, text }];
        let before = (0..idx).rev().find_map(|it| Some((self.path[it], self.views[it].clone()?)));
        if let Some((earlier, before)) = before {
            if !before.graphs.iter().any(|it| it.channels.iter().any(|it| it.name == channel)) {
                let text = format!("{channel} is not in the catalog of {earlier}, so the change cannot come first");
                because.push(Reason { code: Code::ChannelOnlyLater, text });
            }
            if let Some(target) = way.first()
                && let Some(text) = self.judge.needs_kubernetes(&target.bundle, earlier)?
            {
                because.push(Reason { code: Code::NeedsKubernetes, text: format!("{}: {text}", target.bundle) });
            }
        }
        self.change_channel(idx, When::After(idx), &channel, way, because);
        Ok(())
    }

    fn change_channel(&mut self, idx: usize, when: When, channel: &str, way: Vec<Target>, because: Vec<Reason>) {
        let kind = if self.operator.olm == Generation::V1 { StepKind::Extension } else { StepKind::Channel };
        let mut step = self.step(kind, idx);
        step.because = because;
        step.then = way.iter().map(|it| it.bundle.clone()).collect();
        step.route = route(&way);
        if kind == StepKind::Extension {
            step.set.insert("spec.source.catalog.channels".to_owned(), vec![channel.to_owned()]);
            step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
            step.then.clear();
        } else {
            step.from = Some(self.at.channels.join(", "));
            step.to = Some(channel.to_owned());
        }
        self.warn(&mut step);
        let field = if kind == StepKind::Extension { "spec.source.catalog.channels" } else { "spec.channel" };
        self.journey.steps.push((when, step));
        self.at.channels = vec![channel.to_owned()];
        self.go(way, setting(field, channel));
    }

    fn package_gone(&mut self, minor: Minor) -> Result<(), IndexError> {
        let elsewhere = self.catalogs.elsewhere(&self.operator.families, minor, &self.operator.package)?;
        let mut options = vec![
            "keep it without updates (the Subscription gets the condition ResolutionFailed and holds up its namespace)"
                .to_owned(),
            "uninstall".to_owned(),
        ];
        options.push(match elsewhere.as_slice() {
            [] => "another catalog".to_owned(),
            found => format!("another catalog: {} has the package", found.join(", ")),
        });
        self.journey.decisions.push(Decision {
            code: Code::PackageGone,
            subject: Some(self.operator.subject()),
            platform: Some(minor.to_string()),
            text: format!("the catalog of {minor} does not have the package `{}`", self.operator.package),
            options,
        });
        self.is_gone = true;
        Ok(())
    }

    fn stranded(&mut self, idx: usize, view: &PackageView) {
        let minor = self.path[idx];
        let missing: Vec<String> =
            (0..idx).filter(|it| self.views[*it].is_none()).map(|it| self.path[it].to_string()).collect();
        let mut options = Vec::new();
        match missing.as_slice() {
            [] => {}
            [only] => options.push(format!("find a way in the catalog of {only}")),
            [first, .., last] => options.push(format!("find a way in the catalogs of {first} to {last}")),
        }
        let mut channels = other_channels(view, self.operator, &self.at).into_iter();
        if let Some((channel, way)) = channels.find(|it| !it.1.is_empty()) {
            let to = way.last().map(|it| it.bundle.clone()).unwrap_or_default();
            options.push(format!("change to channel {channel}, which leads on to {to}"));
        }
        options.push(format!(
            "uninstall and install anew from {}",
            self.at.channels.first().map_or("its default channel", String::as_str)
        ));
        self.journey.decisions.push(Decision {
            code: Code::Stranded,
            subject: Some(self.operator.subject()),
            platform: Some(minor.to_string()),
            text: format!(
                "in the catalog of {minor}, nothing leads on from {}, which gets no updates",
                self.at.bundle.name
            ),
            options,
        });
        self.is_gone = true;
    }

    /// The updates that are there at the end.
    fn at_the_end(&mut self) {
        let last = self.path.len() - 1;
        let Some(view) = self.views[last].clone().filter(|_| !self.is_gone && self.operator.is_managed) else { return };
        let way = way(&view, self.operator, &self.at);
        if way.is_empty() {
            return;
        }
        let kind = if self.operator.olm == Generation::V1 { StepKind::Extension } else { StepKind::Operator };
        let mut step = self.step(kind, last);
        step.optional = true;
        step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
        step.route = route(&way);
        let text = format!("{} is not the head of its channel", self.at.bundle.name);
        step.because = vec![Reason { code: Code::Behind, text }];
        self.warn(&mut step);
        self.journey.steps.push((When::AtTheEnd, step));
    }
}

/// Any of some versions, in words.
fn either(minors: &[Minor]) -> String {
    minors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

fn setting(field: &str, value: &str) -> Option<Setting> {
    Some(Setting { field: field.to_owned(), value: value.to_owned() })
}

/// What leads from bundle to bundle.
fn route(way: &[Target]) -> Vec<RouteStep> {
    let step = |it: &Target| {
        let fields: Vec<String> = it.permits.iter().map(|it| format!("{} {}", it.field.as_str(), it.value)).collect();
        RouteStep {
            bundle: it.bundle.clone(),
            catalog: it.catalog.clone(),
            because: fields.join("; "),
            place: it.permits.first().map(crate::upgrade::Permit::place).unwrap_or_default(),
        }
    };
    way.iter().map(step).collect()
}
