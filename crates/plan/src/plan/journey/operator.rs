//! An operator on its way: its updates at each version, and their results.

use super::result::{Journey, When, either, route, setting};
use super::trip::Trip;
use crate::plan::answer::{Blocker, PathElement, Reason, StepKind, Unknown};
use crate::plan::code::Code;
use crate::plan::operator_state::OperatorState;
use crate::plan::state::{OperatorPosition, entry_point, state_at, way};
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_olm::catalog_source::SourceName;
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_olm::upgrade::{InstalledBundle, Olm, PackageView, PathStep, Setting, Target};

/// An operator on its way.
pub(super) struct OperatorJourney<'q> {
    pub(super) trip: Trip<'q>,
    pub(super) at: OperatorPosition,
    /// The CatalogSource or ClusterCatalog that it follows there.
    pub(super) source: String,
    /// Whether it is uninstalled, or not managed any more.
    pub(super) is_gone: bool,
    pub(super) journey: Journey,
}

impl OperatorJourney<'_> {
    /// The compatibility of the installed bundle with every version, whatever the plan changes.
    pub(super) fn look_around(&mut self, start: &OperatorPosition) -> Result<(), IndexError> {
        let support = self.trip.judge.support(&start.bundle.version);
        self.journey.support = Some(support);
        for (idx, minor) in self.trip.path.iter().enumerate() {
            let state = match &self.trip.views[idx] {
                _ if self.trip.operator.lacks_subscriptions => OperatorState::Unknown,
                _ if !self.trip.operator.is_managed => OperatorState::Unmanaged,
                None => OperatorState::Unknown,
                Some(view) => state_at(view, self.trip.operator, start),
            };
            if state == OperatorState::Stranded
                && let Some(view) = &self.trip.views[idx]
                && let Some(entry) = entry_point(view, start)
            {
                self.journey.entry_point.insert(*minor, entry);
            }
            self.journey.state.insert(*minor, state);
            if idx > 0 {
                let (fit, reason) = self.trip.judge.fit(&start.bundle.name, &start.bundle.version, *minor)?;
                self.journey.compatible.insert(*minor, fit);
                self.journey.because.insert(*minor, reason);
            }
        }
        if let Some(view) = &self.trip.views[0]
            && self.trip.operator.is_managed
        {
            self.journey.now = way(view, self.trip.operator, start).first().map(|it| it.bundle.clone());
        }
        self.say_what_the_api_server_refuses();
        self.say_what_v1_refuses(start);
        Ok(())
    }

    /// The updates to make after the platform has come to a version.
    pub(super) fn arrive(&mut self, idx: usize) -> Result<(), IndexError> {
        let minor = self.trip.path[idx];
        if self.is_gone {
            return Ok(());
        }
        if idx + 1 == self.trip.path.len() && idx > 0 && self.trip.operator.is_managed {
            let (fit, _) = self.trip.judge.fit(&self.at.bundle.name, &self.at.bundle.version, minor)?;
            // If the installed bundle must be updated anyway, the known facts choose its update.
            let installed = self.journey.compatible.get(&minor);
            if fit == Compatibility::Unknown && installed == Some(&Compatibility::Unknown) {
                let text = format!("neither {} nor a lifecycle mentions OpenShift {minor}", self.at.bundle.name);
                let subject = Some(self.trip.operator.subject());
                self.journey.unknowns.push(Unknown::new(Code::CompatibilityUnstated, subject, Some(minor), text));
            }
        }
        self.change_source(idx);
        let Some(view) = self.trip.views[idx].clone().filter(|_| idx > 0 && self.trip.operator.is_managed) else {
            return Ok(());
        };
        match state_at(&view, self.trip.operator, &self.at) {
            OperatorState::ChannelGone => self.change_channel_after(idx, &view)?,
            OperatorState::PackageGone => self.package_gone(minor)?,
            OperatorState::Stranded => self.stranded(idx, &view),
            _ => {}
        }
        if self.is_gone {
            return Ok(());
        }
        let (fit, reason) = self.trip.judge.fit(&self.at.bundle.name, &self.at.bundle.version, minor)?;
        if fit == Compatibility::Excluded {
            let because = vec![Reason { code: Code::not_compatible_with(minor), text: reason.clone() }];
            let until = self.trip.upto(idx);
            if !self.update(idx, When::After(idx), &view, &self.trip.path[idx..=until], because)? {
                let text = format!("{} does not support OpenShift {minor}: {reason}", self.at.bundle.name);
                let options = vec!["keep it, unsupported there".to_owned(), "uninstall".to_owned()];
                self.decide(Code::NotCompatible, Some(minor), text, options);
            }
        }
        Ok(())
    }

    /// Follows the source of a version, if sources are named after versions: at those versions whose catalog is given,
    /// and at the last.
    pub(super) fn change_source(&mut self, idx: usize) {
        let Some(name) = SourceName::parse(&self.source).filter(|_| self.trip.operator.is_managed) else { return };
        let minor = self.trip.path[idx];
        let is_due = idx > 0 && (self.trip.views[idx].is_some() || idx + 1 == self.trip.path.len());
        if !is_due || !name.minor.is_before(minor) {
            return;
        }
        let (from, to) = (self.source.clone(), name.at(minor));
        let last = |it: &str| it.rsplit('/').next().unwrap_or_default().to_owned();
        let mut step = self.trip.step(StepKind::Source, idx);
        (step.from, step.to) = (Some(last(&from)), Some(last(&to)));
        let text =
            format!("{} is the source of OpenShift {}; that of {minor} has another name", last(&from), name.minor);
        step.because = vec![Reason { code: Code::SourceOfVersion, text }];
        let namespace = to.split_once('/').map(|it| it.0);
        let sources = &self.trip.question.cluster.catalog_sources;
        let is_there = |it: &olmdex_rules::cluster::CatalogSource| {
            Some(it.namespace.as_str()) == namespace && it.name == last(&to)
        };
        if namespace.is_some() && !sources.iter().any(is_there) {
            step.warnings.push(format!("the input lacks {}: mirror the catalog and apply it first", last(&to)));
        }
        self.journey.steps.push((When::After(idx), step));
        self.source = to;
    }

    /// The updates to make before the platform leaves a version.
    pub(super) fn leave(&mut self, idx: usize) -> Result<(), IndexError> {
        if self.is_gone {
            return Ok(());
        }
        let upto = self.trip.upto(idx);
        let ahead = &self.trip.path[idx + 1..=upto];
        let reasons = self.trip.reasons(&self.at, ahead, upto)?;
        let view = self.trip.views[idx].clone().filter(|it| self.trip.operator.is_managed && !it.graphs.is_empty());
        let blocked = self.trip.blocked(&self.at, ahead)?;
        let blocking = self.at.bundle.name.clone();
        if let Some(view) = view.as_ref().filter(|_| !reasons.is_empty()) {
            let start = (self.at.clone(), self.journey.clone());
            self.update(idx, When::Before(idx), view, ahead, reasons.clone())?;
            self.change_channel_before(idx, upto, view, &reasons)?;
            if self.trip.first_unfit(&self.at, ahead)?.is_some() {
                // The bundle that its own channel leads to may have no way on, while the installed bundle has one.
                let own_way = (std::mem::replace(&mut self.at, start.0), std::mem::replace(&mut self.journey, start.1));
                self.leave_channel(idx, view, ahead, &reasons)?;
                if self.trip.first_unfit(&self.at, ahead)?.is_some() {
                    (self.at, self.journey) = own_way;
                }
            }
        }
        let Some(minor) = blocked else { return Ok(()) };
        let highest = self.trip.judge.highest(&blocking)?;
        let lifted_by = (self.trip.blocked(&self.at, ahead)?.is_none()).then(|| self.at.bundle.name.clone());
        let subject = self.trip.operator.subject();
        let lift = match (&lifted_by, view.is_some()) {
            (Some(bundle), _) => format!("update to {bundle} first"),
            (None, true) => {
                format!("no update in the catalog of {} lifts it; uninstall the operator", self.trip.path[idx])
            }
            (None, false) if self.trip.operator.is_managed => {
                let missing = either(&self.trip.path[idx..upto]);
                format!(
                    "no catalog for {missing} is given, where an update may lift it; otherwise uninstall the operator"
                )
            }
            (None, false) if self.trip.operator.lacks_subscriptions => {
                "add `subscriptions` to the input: an update may lift it".to_owned()
            }
            (None, false) => "it gets no updates; uninstall the operator, or subscribe to it".to_owned(),
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
            place: self.trip.operator.place.clone(),
            verified: None,
        });
        if lifted_by.is_none() {
            if view.is_some() || !(self.trip.operator.is_managed || self.trip.operator.lacks_subscriptions) {
                let mut step = self.trip.step(StepKind::Uninstall, idx);
                step.because = vec![Reason { code: highest.code.clone(), text: highest.text }];
                step.because.extend(reasons.into_iter().filter(|it| it.code != highest.code));
                self.journey.steps.push((When::Before(idx), step));
            }
            self.is_gone = true;
        }
        Ok(())
    }

    /// Updates the operator in the catalog of a version as far as that helps. Returns whether it did.
    pub(super) fn update(
        &mut self,
        idx: usize,
        when: When,
        view: &PackageView,
        minors: &[Minor],
        because: Vec<Reason>,
    ) -> Result<bool, IndexError> {
        let own = self.trip.rank(&self.at, idx, minors)?;
        let pinned = self.trip.best(view, &self.at, idx, minors)?;
        let mut found = pinned.map(|it| (it, self.at.range.clone()));
        if self.trip.operator.olm == Olm::V1 && !self.at.range.is_empty() {
            // A pin may keep it from something better.
            let range = format!(">={}", self.at.bundle.version);
            let wide = OperatorPosition { range: range.clone(), ..self.at.clone() };
            let free = self.trip.best(view, &wide, idx, minors)?;
            if let Some(free) = free
                && found.as_ref().is_none_or(|it| it.0.1 < free.1)
            {
                found = Some((free, range));
            }
        }
        let Some(((way, rank), range)) = found.filter(|it| it.0.1 > own) else { return Ok(false) };
        let kind = if self.trip.operator.olm == Olm::V1 { StepKind::Extension } else { StepKind::Operator };
        let mut step = self.trip.step(kind, idx);
        if range != self.at.range {
            step.set.insert("spec.source.catalog.version".to_owned(), vec![range.clone()]);
        }
        step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
        step.route = route(&way);
        step.because = because;
        if !rank.0 {
            step.warnings.push("this does not lift the block".to_owned());
        }
        self.trip.warn(&mut step);
        self.journey.steps.push((when, step));
        self.go(way, setting("spec.source.catalog.version", &range).filter(|_| range != self.at.range));
        self.at.range = range;
        Ok(true)
    }

    /// An operator that refuses updates blocks its required updates, but not the platform by itself.
    pub(super) fn refused(&mut self) {
        let Some(refusal) = &self.trip.operator.refusal else { return };
        let is_update = |kind| matches!(kind, StepKind::Operator | StepKind::Extension);
        if !self.journey.steps.iter().any(|(_, it)| is_update(it.kind)) {
            return;
        }
        let lift = "follow its message; the required update waits for it";
        self.journey.blockers.push(Blocker {
            code: Code::OperatorCondition,
            subject: Some(self.trip.operator.subject()),
            platform: None,
            value: Some("Upgradeable=False".to_owned()),
            text: refusal.clone(),
            lifted_by: None,
            lift: lift.to_owned(),
            place: self.trip.operator.place.clone(),
            has_way: true,
            verified: None,
        });
    }

    /// The updates that are there at the end.
    pub(super) fn at_the_end(&mut self) {
        let last = self.trip.path.len() - 1;
        let Some(view) = self.trip.views[last].clone().filter(|_| !self.is_gone && self.trip.operator.is_managed)
        else {
            return;
        };
        let way = way(&view, self.trip.operator, &self.at);
        if way.is_empty() {
            return;
        }
        let kind = if self.trip.operator.olm == Olm::V1 { StepKind::Extension } else { StepKind::Operator };
        let mut step = self.trip.step(kind, last);
        step.optional = true;
        step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
        step.route = route(&way);
        let text = format!("{} is not the head of its channel", self.at.bundle.name);
        step.because = vec![Reason { code: Code::Behind, text }];
        self.trip.warn(&mut step);
        self.journey.steps.push((When::AtTheEnd, step));
    }

    /// Moves to the end of a way, before whose first step a setting may change.
    pub(super) fn go(&mut self, way: Vec<Target>, set: Option<Setting>) {
        if let Some(last) = way.last() {
            self.journey.target = Some(last.bundle.clone());
            self.journey.target_support = Some(self.trip.judge.support(&last.version));
            self.at.bundle = InstalledBundle::after(last);
        }
        let mut sets = set.into_iter();
        self.journey
            .way
            .extend(way.into_iter().map(|target| PathStep { target, set: sets.next().into_iter().collect() }));
    }
}
