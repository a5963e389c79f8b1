//! Changing channels, before and after the platform moves.

use std::collections::BTreeSet;

use super::operator::OperatorJourney;
use super::result::{When, route, setting};
use super::trip::Rank;
use crate::plan::answer::{PathElement, Reason, StepKind};
use crate::plan::code::Code;
use crate::plan::detour::{Detour, detour};
use crate::plan::operator_state::OperatorState;
use crate::plan::state::{OperatorPosition, other_channels, state_at, way};
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_olm::upgrade::{NamedVersion, Olm, PackageView, Target};

impl OperatorJourney<'_> {
    /// Changes to a channel that both catalogs have, if the present one is gone in the later one.
    pub(super) fn change_channel_before(
        &mut self,
        idx: usize,
        upto: usize,
        view: &PackageView,
        because: &[Reason],
    ) -> Result<(), IndexError> {
        let Some(later) = self.trip.views[upto].clone() else { return Ok(()) };
        if state_at(&later, self.trip.operator, &self.at) != OperatorState::ChannelGone
            || self.trip.operator.olm == Olm::V1
        {
            return Ok(());
        }
        let has = |name: &str| later.graphs.iter().any(|it| it.channels.iter().any(|it| it.name == name));
        let others = other_channels(view, self.trip.operator, &self.at);
        let Some((channel, _)) = others
            .into_iter()
            .find(|(name, _)| has(name) && state_at(&later, self.trip.operator, &self.at.with_channel(name)).is_good())
        else {
            return Ok(());
        };
        let mut because = because.to_vec();
        because.push(Reason {
            code: Code::ChannelInBoth,
            text: format!("{channel} is in the catalogs of {} and {}", self.trip.path[idx], self.trip.path[upto]),
        });
        let way = way(view, self.trip.operator, &self.at.with_channel(&channel));
        self.change_channel(idx, When::Before(idx), &channel, way, because);
        Ok(())
    }

    /// Changes to another channel of the present catalog, if that leads to a bundle that may stay; if not, goes over
    /// several channels.
    pub(super) fn leave_channel(
        &mut self,
        idx: usize,
        view: &PackageView,
        ahead: &[Minor],
        because: &[Reason],
    ) -> Result<(), IndexError> {
        let own = self.trip.rank(&self.at, idx, ahead)?;
        let mut found: Option<(String, Vec<Target>, Rank)> = None;
        for (channel, _) in other_channels(view, self.trip.operator, &self.at) {
            let there = OperatorPosition { range: String::new(), ..self.at.with_channel(&channel) };
            let Some((way, rank)) = self.trip.best(view, &there, idx, ahead)? else { continue };
            if rank.0 && (rank.0, rank.1) > (own.0, own.1) && found.as_ref().is_none_or(|it| it.2 < rank) {
                found = Some((channel, way, rank));
            }
        }
        let Some((channel, way, _)) = found else { return self.go_by_detour(idx, view, ahead, because) };
        let mut because = because.to_vec();
        because.push(self.no_channel_does(&format!("but one in channel {channel} can")));
        self.change_channel(idx, When::Before(idx), &channel, way, because);
        Ok(())
    }

    pub(super) fn no_channel_does(&self, what_does: &str) -> Reason {
        let text = match self.at.channels.join(", ").as_str() {
            "" => format!("no update that OLM makes automatically can stay installed, {what_does}"),
            own => format!("no update in channel {own} can stay installed, {what_does}"),
        };
        Reason { code: Code::OtherChannel, text }
    }

    /// Takes the fewest updates to a bundle that may stay, over all channels and versions that can be chosen.
    pub(super) fn go_by_detour(
        &mut self,
        idx: usize,
        view: &PackageView,
        ahead: &[Minor],
        because: &[Reason],
    ) -> Result<(), IndexError> {
        let (mut goals, mut allowed) = (BTreeSet::new(), BTreeSet::new());
        for NamedVersion { name, version, .. } in view.bundles() {
            if self.trip.judge.fit(name, version, self.trip.path[idx])?.0.may_stay() {
                allowed.insert(name.clone());
            }
            let mut fits = true;
            for minor in ahead {
                fits = fits && self.trip.judge.fit(name, version, *minor)?.0.may_stay();
            }
            if fits {
                goals.insert(name.clone());
            }
        }
        let catalogs = self.trip.catalogs.names(&self.trip.operator.families, self.trip.path[idx]);
        let wanted = Detour { olm: self.trip.operator.olm, goals: &goals, allowed: &allowed, catalogs: &catalogs };
        for (set, way) in detour(self.trip.catalogs.index(), view, &self.at, &wanted)? {
            let mut because = because.to_vec();
            because.push(self.no_channel_does("but these updates, one after another, lead to one that can"));
            match set {
                Some(set) if self.trip.operator.olm == Olm::Classic => {
                    self.change_channel(idx, When::Before(idx), &set.value, way, because);
                    if let Some((_, step)) = self.journey.steps.last_mut() {
                        let text = "set installPlanApproval: Manual before it, so that OLM makes no further updates in \
                            the channel";
                        step.warnings.push(text.to_owned());
                    }
                }
                set => {
                    let is_v1 = self.trip.operator.olm == Olm::V1;
                    let mut step = self.trip.step(if is_v1 { StepKind::Extension } else { StepKind::Operator }, idx);
                    if let Some(set) = &set {
                        step.set.insert(set.field.clone(), vec![set.value.clone()]);
                        self.at.range.clone_from(&set.value);
                    }
                    step.path = way.iter().map(|it| PathElement::Bundle(it.bundle.clone())).collect();
                    step.route = route(&way);
                    step.because = because;
                    self.trip.warn(&mut step);
                    self.journey.steps.push((When::Before(idx), step));
                    self.go(way, set);
                }
            }
        }
        Ok(())
    }

    /// Changes to a channel of the catalog that the platform has come to.
    pub(super) fn change_channel_after(&mut self, idx: usize, view: &PackageView) -> Result<(), IndexError> {
        let (minor, from) = (self.trip.path[idx], self.at.channels.join(", "));
        let package = self.trip.operator.package.clone();
        let text = format!(
            "in the catalog of {minor}, `{package}` has no channel {from}; until you change this, OLM cannot resolve \
            the namespace"
        );
        let Some((channel, way)) = other_channels(view, self.trip.operator, &self.at).into_iter().next() else {
            let channels: Vec<&str> =
                view.graphs.iter().flat_map(|it| &it.channels).map(|it| it.name.as_str()).collect();
            let options = vec![
                format!("uninstall it, and install it again from {}", channels.join(", ")),
                "uninstall".to_owned(),
                "another catalog".to_owned(),
            ];
            self.decide(Code::ChannelGone, Some(minor), text, options);
            self.is_gone = true;
            return Ok(());
        };
        let mut because = vec![Reason { code: Code::ChannelGone, text }];
        let before = (0..idx).rev().find_map(|it| Some((self.trip.path[it], self.trip.views[it].clone()?)));
        if let Some((earlier, before)) = before {
            if !before.graphs.iter().any(|it| it.channels.iter().any(|it| it.name == channel)) {
                let text = format!("{channel} is not in the catalog of {earlier}, so the change cannot come first");
                because.push(Reason { code: Code::ChannelOnlyLater, text });
            }
            if let Some(target) = way.first()
                && let Some(text) = self.trip.judge.needs_kubernetes(&target.bundle, earlier)?
            {
                because.push(Reason { code: Code::NeedsKubernetes, text: format!("{}: {text}", target.bundle) });
            }
        }
        self.change_channel(idx, When::After(idx), &channel, way, because);
        Ok(())
    }

    pub(super) fn change_channel(
        &mut self,
        idx: usize,
        when: When,
        channel: &str,
        way: Vec<Target>,
        because: Vec<Reason>,
    ) {
        let kind = if self.trip.operator.olm == Olm::V1 { StepKind::Extension } else { StepKind::Channel };
        let mut step = self.trip.step(kind, idx);
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
        self.trip.warn(&mut step);
        let field = if kind == StepKind::Extension { "spec.source.catalog.channels" } else { "spec.channel" };
        self.journey.steps.push((when, step));
        self.at.channels = vec![channel.to_owned()];
        self.go(way, setting(field, channel));
    }
}
