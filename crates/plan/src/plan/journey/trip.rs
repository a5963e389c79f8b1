//! The constants of an operator's journey, and the judgement of its positions.

use std::rc::Rc;

use crate::plan::answer::{PlanStep, Reason, StepKind};
use crate::plan::catalogs::Catalogs;
use crate::plan::code::Code;
use crate::plan::fit::Judge;
use crate::plan::operator::Operator;
use crate::plan::operator_state::OperatorState;
use crate::plan::question::PlanQuestion;
use crate::plan::state::{OperatorPosition, state_at, way};
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_olm::upgrade::{InstalledBundle, Olm, PackageView, Target};
use olmdex_rules::openshift::SupportStatus;

/// The way of the platform, the operator, and the known facts about both.
pub(super) struct Trip<'q> {
    pub(super) judge: Judge<'q>,
    pub(super) question: &'q PlanQuestion<'q>,
    pub(super) catalogs: &'q Catalogs<'q>,
    pub(super) path: &'q [Minor],
    pub(super) operator: &'q Operator,
    /// The package in the catalog of each version, if that is given.
    pub(super) views: Vec<Option<Rc<PackageView>>>,
}

/// The rank of a bundle as a base for the rest of the way: the deciding fact comes first.
pub(super) type Rank = (bool, u8, bool, u8);

impl Trip<'_> {
    /// The last version that steps at another one must take into account: the next one whose catalog is given, else the
    /// last.
    pub(super) fn upto(&self, idx: usize) -> usize {
        (idx + 1..self.path.len()).find(|it| self.views[*it].is_some()).unwrap_or(self.path.len() - 1)
    }

    /// The first of some versions that the installed bundle keeps the cluster from.
    pub(super) fn blocked(&self, at: &OperatorPosition, minors: &[Minor]) -> Result<Option<Minor>, IndexError> {
        for minor in minors {
            if self.judge.fit(&at.bundle.name, &at.bundle.version, *minor)?.0 == Compatibility::Blocks {
                return Ok(Some(*minor));
            }
        }
        Ok(None)
    }

    /// The first of some versions at which the installed bundle must not stay.
    pub(super) fn first_unfit(&self, at: &OperatorPosition, minors: &[Minor]) -> Result<Option<Minor>, IndexError> {
        for minor in minors {
            if !self.judge.fit(&at.bundle.name, &at.bundle.version, *minor)?.0.may_stay() {
                return Ok(Some(*minor));
            }
        }
        Ok(None)
    }

    /// The reasons why the installed bundle cannot stay until the platform has come to a version.
    pub(super) fn reasons(
        &self,
        at: &OperatorPosition,
        ahead: &[Minor],
        upto: usize,
    ) -> Result<Vec<Reason>, IndexError> {
        let mut reasons: Vec<Reason> = Vec::new();
        let OperatorPosition { bundle, .. } = at;
        for minor in ahead {
            let (fit, text) = self.judge.fit(&bundle.name, &bundle.version, *minor)?;
            let code = match fit {
                Compatibility::Blocks => self.judge.highest(&bundle.name)?.code,
                Compatibility::Excluded => Code::not_compatible_with(*minor),
                _ => continue,
            };
            if !reasons.iter().any(|it| it.code == code) {
                reasons.push(Reason { code, text });
            }
        }
        if let Some(view) = self.views[upto].as_ref().filter(|_| self.operator.is_managed) {
            let state = state_at(view, self.operator, at);
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
                            at.channels.join(", ")
                        )
                    }
                    _ => format!("in the catalog of {}, no update leads from {}", self.path[upto], bundle.name),
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

    /// Ranks a bundle that stays installed over some versions.
    pub(super) fn rank(&self, at: &OperatorPosition, idx: usize, minors: &[Minor]) -> Result<Rank, IndexError> {
        let mut worst = Compatibility::Stated;
        for minor in minors.iter().filter(|it| **it != self.path[idx]) {
            worst = worst.min(self.judge.fit(&at.bundle.name, &at.bundle.version, *minor)?.0);
        }
        let here = self.judge.fit(&at.bundle.name, &at.bundle.version, self.path[idx])?.0;
        if minors.contains(&self.path[idx]) && here != Compatibility::Blocks {
            worst = worst.min(here);
        }
        let fits = match worst {
            Compatibility::Blocks | Compatibility::Excluded => 0,
            Compatibility::Unknown => 1,
            Compatibility::NotExcluded | Compatibility::Stated => 2,
        };
        let last = minors.last().and_then(|minor| self.path.iter().position(|it| it == minor)).unwrap_or(idx);
        let leads_on = self.views[last].as_ref().is_none_or(|it| state_at(it, self.operator, at).is_good());
        let support = self.judge.support(&at.bundle.version);
        let support = match support.status {
            SupportStatus::Active if support.is_active(self.question.level) => 2,
            SupportStatus::NoData | SupportStatus::Active => 1,
            _ => 0,
        };
        Ok((worst != Compatibility::Blocks, fits, leads_on, support))
    }

    /// The way to the lowest of the best bundles on it; to the head if all are equal.
    pub(super) fn best(
        &self,
        view: &PackageView,
        from: &OperatorPosition,
        idx: usize,
        minors: &[Minor],
    ) -> Result<Option<(Vec<Target>, Rank)>, IndexError> {
        let mut way = way(view, self.operator, from);
        let mut ranks = Vec::new();
        for target in &way {
            let bundle = InstalledBundle::after(target);
            ranks.push(self.rank(&OperatorPosition { bundle, ..from.clone() }, idx, minors)?);
        }
        let Some(best) = ranks.iter().max().copied() else { return Ok(None) };
        let first = ranks.iter().position(|it| *it == best).unwrap_or_default();
        let chosen = if ranks.iter().all(|it| *it == best) { ranks.len() - 1 } else { first };
        way.truncate(chosen + 1);
        Ok(Some((way, best)))
    }

    pub(super) fn step(&self, kind: StepKind, idx: usize) -> PlanStep {
        let approval = if self.operator.is_manual { "Manual" } else { "Automatic" };
        PlanStep {
            subject: Some(self.operator.subject()),
            catalog: Some(self.path[idx].to_string()),
            approval: (self.operator.olm == Olm::Classic).then(|| approval.to_owned()),
            ..PlanStep::new(kind)
        }
    }

    /// Other obstacles to an update of the operator.
    pub(super) fn warn(&self, step: &mut PlanStep) {
        if let Some(refusal) = &self.operator.refusal {
            step.warnings.push(format!(
                "the operator itself refuses updates now (OperatorCondition Upgradeable=False): {refusal}"
            ));
        }
    }
}
