//! The question in the middle: which operators belong together. It is put to the solver, and each change that might
//! help is tried.

use super::NamespaceInquiry;
use crate::obstacle::{Effect, Obstacle, ObstacleCode, Remedy};
use crate::resolve::{
    Behind, Conflict, Failure, Position, Repair, Resolution, failure_repairs, held_repairs, repairs, standings, story,
};
use crate::upgrade::compat::Claims;
use olmdex_base::diag::Place;
use olmdex_index::query::{Filter, GraphBundle};

impl NamespaceInquiry<'_> {
    fn namespace_object(&self) -> String {
        format!("Namespace {}", self.namespace())
    }

    /// Why the namespace cannot be resolved.
    pub(super) fn of_conflict(&self, conflict: &Conflict) -> Result<Obstacle, Failure> {
        // While one operator replaces another, both are there and contradict each other.
        let replacing = self.replacing();
        let stuck = replacing.filter(|(_, next)| self.of_phase(next).is_some_and(|it| it.effect == Effect::Stops));
        let effect = if replacing.is_some() && stuck.is_none() { Effect::Waits } else { Effect::Stops };
        let text = match replacing {
            Some((name, _)) => format!("OLM cannot resolve the namespace while {name} is being replaced"),
            None => "OLM cannot resolve the namespace".to_owned(),
        };
        let place = conflict.facts.first().map(|it| it.place.clone()).unwrap_or_default();
        let code = ObstacleCode::ResolutionFailed;
        let mut found = Obstacle::new(code, effect, self.namespace_object(), text, &place);
        found = found.message(&conflict.olm_text()).since(&self.failing_since()).then(NOTHING);
        found.because = sentences(&story(&conflict.facts));
        if let Some((_, next)) = stuck {
            return Ok(found.remedy(format!("remove what keeps {} from being installed", next.name), Vec::new()));
        }
        if replacing.is_some() {
            return Ok(found.remedy("wait until the upgrade is done", self.commands().list("csv", "")));
        }
        found.remedies = self.remedies(repairs(self.world, self.rows, self.options, conflict)?);
        Ok(found)
    }

    /// Why OLM gets no answer at all.
    pub(super) fn of_failure(&self, failure: Failure) -> Result<Obstacle, Failure> {
        if let Failure::Index(_) | Failure::Limit(_) | Failure::Work(_) = failure {
            return Err(failure);
        }
        let text = "OLM cannot resolve the namespace".to_owned();
        let code = ObstacleCode::ResolutionFailed;
        let found = Obstacle::new(code, Effect::Stops, self.namespace_object(), text, &Place::default());
        let mut found = found.message(&failure.to_string()).since(&self.failing_since()).then(NOTHING);
        if self.may_try(HELD_TRIES) {
            found.remedies = self.remedies(failure_repairs(self.world, self.rows, self.options)?);
        }
        Ok(found)
    }

    /// When the first Subscription reported that resolution fails.
    fn failing_since(&self) -> String {
        let since = self.subscriptions().filter_map(|it| Some(it.failed_resolution()?.since.clone()));
        since.filter(|since| !since.is_empty()).min().unwrap_or_default()
    }

    /// The operators that stay although the namespace is resolved.
    pub(super) fn of_resolution(&self, resolution: &Resolution) -> Result<Vec<Obstacle>, Failure> {
        let mut obstacles = Vec::new();
        for standing in standings(self.world, self.rows, resolution)? {
            let Some(subscription) = self.subscriptions().find(|it| it.name == standing.subscription) else { continue };
            let object = subscription.words();
            let behind = resolution.behind.iter().find(|it| it.subscription == standing.subscription);
            let found = match standing.position {
                Position::Head => continue,
                Position::Stranded => {
                    let code = ObstacleCode::Stranded;
                    let found = Obstacle::new(code, Effect::Stops, object, standing.reason, &subscription.place);
                    found.then("no upgrade will come from this channel as it is")
                }
                Position::Held => self.held(object, &standing.installed, behind, &subscription.place)?,
            };
            obstacles.push(found.of([&standing.subscription]));
        }
        obstacles.extend(self.unexplained());
        Ok(obstacles)
    }

    fn held(
        &self,
        object: String,
        installed: &str,
        behind: Option<&Behind>,
        place: &Place,
    ) -> Result<Obstacle, Failure> {
        let wanted = behind.map_or("the next version", |it| it.wanted.name.as_str());
        let text = format!("{installed} stays, because OLM cannot install {wanted} here");
        let mut found = Obstacle::new(ObstacleCode::HeldBack, Effect::Stops, object, text, place)
            .then("OLM reports no error, and tries it again whenever the namespace changes");
        if let Some(behind) = behind {
            found.because = sentences(&story(&behind.facts));
            match self.may_try(HELD_TRIES) {
                true => found.remedies = self.remedies(held_repairs(self.world, self.rows, self.options, behind)?),
                false => found.because.push("olmdex has tried no more changes for this namespace".to_owned()),
            }
        }
        Ok(found)
    }

    /// Failures that the cluster reports, although the namespace can be resolved with the catalogs that are given.
    fn unexplained(&self) -> Vec<Obstacle> {
        let report = |it: &olmdex_rules::cluster::Subscription| {
            let condition = it.failed_resolution()?;
            let text =
                "OLM reports that it cannot resolve the namespace, and with the given catalogs it can".to_owned();
            let found =
                Obstacle::new(ObstacleCode::SubscriptionCondition, Effect::Unknown, it.words(), text, &it.place);
            let found = found.since(&condition.since).message(&condition.message);
            Some(
                found
                    .remedy("give the catalogs as the cluster has them, or look whether the report is old", Vec::new()),
            )
        };
        // All Subscriptions of a namespace have the same report.
        self.subscriptions().find_map(report).into_iter().collect()
    }

    fn remedies(&self, found: Vec<Repair>) -> Vec<Remedy> {
        let remedy = |it: Repair| Remedy {
            commands: self.commands().of_edit(&it.edit),
            change: it.change,
            installs: Some(it.installs),
        };
        found.into_iter().map(remedy).collect()
    }

    /// The operators that OLM installs and that do not suit the cluster or the OperatorGroup.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    pub fn misfits(&self, resolution: &Resolution) -> Result<Vec<Obstacle>, Failure> {
        let mut obstacles = Vec::new();
        for operator in &resolution.operators {
            let Some(bundle) = self.bundle(&operator.catalog, &operator.package, &operator.name)? else { continue };
            let own = self.world.subscriptions.iter().filter(|it| it.package == operator.package);
            let subjects: Vec<String> = own.map(|it| it.name.clone()).collect();
            let subjects = if subjects.is_empty() { vec![operator.name.clone()] } else { subjects };
            for text in self.facts.misfits(operator, &Claims::from(&bundle)) {
                let object = format!("Bundle {}", operator.name);
                let found = Obstacle::new(ObstacleCode::Misfit, Effect::Later, object, text, &operator.place);
                obstacles.push(found.of(subjects.iter().cloned()));
            }
            obstacles.extend(self.not_stored(operator, &subjects));
            obstacles.extend(self.unsupported(&operator.name, bundle.install_modes, subjects));
        }
        Ok(obstacles)
    }

    /// A bundle of a catalog.
    pub(super) fn bundle(&self, catalog: &str, package: &str, name: &str) -> Result<Option<GraphBundle>, Failure> {
        let graphs = self.index.package_graphs(&Filter::of_catalog(catalog), package)?;
        Ok(graphs.into_iter().flat_map(|graph| graph.bundles).find(|bundle| bundle.name == name))
    }
}

/// How many tries an operator that is held back usually takes.
const HELD_TRIES: usize = 10;

/// The consequence of a namespace that cannot be resolved.
const NOTHING: &str = "OLM changes nothing at all in this namespace";

fn sentences(story: &[crate::resolve::Sentence]) -> Vec<String> {
    let sentence = |it: &crate::resolve::Sentence| match it.place.file.is_empty() {
        true => it.text.clone(),
        false => format!("{} ({})", it.text, it.place),
    };
    story.iter().map(sentence).collect()
}
