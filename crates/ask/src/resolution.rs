//! The resolution of namespaces by OLM Classic as a complete answer, generation after generation: with operators that
//! stand still, bundles that do not suit the cluster, repairs of a refusal, and conflicts between namespaces.

use std::collections::BTreeSet;

use super::error::AskError;
use super::namespace::Worlds;
use olmdex_index::{Index, LightIndex};
use olmdex_olm::namespace::{Effect, MAX_TRIES, NamespaceInquiry, Obstacle, ObstacleCode, OwnObjects};
use olmdex_olm::resolve::{
    ClusterFacts, Course, Failure, IndexRows, Options, Outcome, Position, Resolution, ResolutionAnswer, Round, Steps,
    Verdict, World, across, after, generations, held_repairs, quirks, repairs, resolve, standings, steps,
};
use olmdex_olm::solve::Limits;
use olmdex_olm::upgrade::unsafe_definitions;
use olmdex_rules::cluster::Cluster;

/// How much work an answer may cost by default.
pub const DEFAULT_WORK: u64 = 200_000;

/// For how many operators that are held back changes are tried in one answer.
const MAX_HELD: usize = 10;

/// How much work a page may cost: strangers ask for pages, and many at a time.
pub const PAGE_WORK: u64 = DEFAULT_WORK / 100;

/// How much work an answer may cost: how many conflicts the solver may run into, and a thousandth of the steps that
/// rules may take.
pub fn options_of_work(max_work: u64) -> Options {
    Options { limits: Limits { conflicts: max_work }, steps: max_work.saturating_mul(1000), ..Options::default() }
}

/// The wishes for a resolution.
#[derive(Debug, Clone, Default)]
pub struct ResolutionWish {
    /// Resolve again and again until nothing changes.
    pub until_stable: bool,
    /// Show where OLM itself may give another answer.
    pub shows_quirks: bool,
    /// How much the answer may cost, and whether it has an explanation.
    pub options: Options,
}

/// The resolutions of namespaces.
#[derive(Debug, Default)]
pub struct Resolutions {
    /// An answer for each generation of each namespace.
    pub answers: Vec<ResolutionAnswer>,
    /// Whether all namespaces are resolved, and become stable.
    pub is_good: bool,
    /// Whether they are of several namespaces.
    pub is_of_several: bool,
    /// The reason why there is no further answer, if a limit is in the way.
    pub failure: Option<Failure>,
}

/// Resolves namespaces, each by itself as OLM does it.
///
/// # Errors
/// If the catalogs cannot be read, or a limit ends the work before there is an answer.
pub fn resolutions(index: &LightIndex, asked: Worlds, wish: &ResolutionWish) -> Result<Resolutions, AskError> {
    let Worlds { worlds, facts, cluster, .. } = asked;
    let mut all = Resolutions { is_good: true, is_of_several: worlds.len() > 1, ..Resolutions::default() };
    let mut ends = Vec::new();
    for world in worlds {
        let rows = IndexRows::new(index, &world);
        let inquiry = ResolutionInquiry { index, rows: &rows, cluster: &cluster, facts: &facts, wish };
        let (end, failure) = inquiry.answer(&world, &mut all)?;
        ends.push(end.unwrap_or((world, None)));
        all.failure = all.failure.or(failure);
    }
    if all.is_of_several {
        for crossing in across(&cluster, &ends) {
            // Conflicts between namespaces hold only at the end, so the warning belongs to the last answer.
            for namespace in &crossing.namespaces {
                if let Some(last) = all.answers.iter_mut().rfind(|it| it.namespace == *namespace) {
                    last.warnings.push(crossing.text.clone());
                }
            }
        }
    }
    Ok(all)
}

impl Resolutions {
    /// The packages that are upgraded.
    pub fn upgraded_packages(&self) -> BTreeSet<&String> {
        let operators = self.answers.iter().flat_map(|answer| &answer.operators);
        operators.filter(|operator| operator.is_upgrade).map(|operator| &operator.package).collect()
    }

    /// Adds warnings about upgrades whose definitions lose objects. The index needs to have the documents of the
    /// upgraded packages.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn warn_of_definitions(&mut self, index: &Index) -> Result<(), AskError> {
        for answer in &mut self.answers {
            for operator in answer.operators.iter().filter(|operator| operator.is_upgrade) {
                let changes = unsafe_definitions(index, &operator.catalog, &operator.replaces, &operator.name)?;
                answer.warnings.extend(changes.into_iter().map(|it| format!("the step to {}: {it}", operator.name)));
            }
        }
        Ok(())
    }

    /// The warnings of all answers, each once.
    pub fn warnings(&self) -> Vec<&String> {
        let mut known = BTreeSet::new();
        self.answers.iter().flat_map(|answer| &answer.warnings).filter(|text| known.insert(*text)).collect()
    }
}

/// A namespace before its last resolution, and that resolution.
type End = (World, Option<Resolution>);

/// The common parts of the answers about a namespace.
struct ResolutionInquiry<'a> {
    index: &'a LightIndex,
    rows: &'a IndexRows<'a>,
    cluster: &'a Cluster,
    facts: &'a ClusterFacts,
    wish: &'a ResolutionWish,
}

impl ResolutionInquiry<'_> {
    /// Adds the answers about a namespace, generation after generation. Returns its end, and the reason why there is no
    /// further answer.
    fn answer(&self, world: &World, all: &mut Resolutions) -> Result<(Option<End>, Option<Failure>), AskError> {
        let Course { generations, failure } = self.course(world);
        let mut at = world.clone();
        let (mut answers, mut end) = (Vec::new(), None);
        for (number, generation) in generations.iter().enumerate() {
            let mut answer = ResolutionAnswer::new(&at, generation, number + 1);
            match &generation.verdict {
                Verdict::Resolved(resolution) => {
                    answer.add_standings(standings(&at, self.rows, resolution)?);
                    answer.afterwards = self.namespace_inquiry(&at).misfits(resolution)?;
                    answer.warnings.extend(answer.afterwards.iter().map(misfit_words));
                    for (behind, it) in answer.behind.iter_mut().zip(&resolution.behind).take(MAX_HELD) {
                        behind.repairs = held_repairs(&at, self.rows, &self.wish.options, it)?;
                    }
                    if self.wish.shows_quirks {
                        answer.quirks = quirks(&at, self.rows, &self.wish.options, resolution)?;
                    } else if !resolution.otherwise.is_empty() {
                        answer.warnings.push(
                            "a preferred choice is impossible, and OLM's own search may come to another answer; \
                            `--show-olm-quirks` shows which"
                                .to_owned(),
                        );
                    }
                    end = Some((at.clone(), Some(resolution.clone())));
                    at = after(&at, resolution, &generation.steps);
                }
                Verdict::Unsatisfiable(conflict) => {
                    answer.add_repairs(repairs(&at, self.rows, &self.wish.options, conflict)?);
                }
            }
            answers.push(answer);
        }
        let failure = match failure {
            // Steps before a failed resolution remain in the answer.
            Some(failure @ (Failure::Refused(_) | Failure::Constraint(_) | Failure::Several(_))) => {
                answers.push(ResolutionAnswer::of_failure(&at, &failure, answers.len() + 1));
                None
            }
            Some(failure) if answers.is_empty() => return Err(failure.into()),
            failure => failure,
        };
        if let Some(first) = answers.first_mut() {
            let resolution = match generations.first().map(|it| &it.verdict) {
                Some(Verdict::Resolved(resolution)) => Some(resolution),
                _ => None,
            };
            let mut obstacles = self.namespace_inquiry(world).of_objects(resolution)?;
            let later = obstacles.extract_if(.., |it| !it.is_now()).filter(|it| it.effect == Effect::Later);
            first.afterwards.extend(later);
            first.obstacles = obstacles;
        }
        let is_stuck = answers.iter().flat_map(|it| &it.obstacles).any(|it| it.effect == Effect::Stops);
        all.is_good &= answers.last().is_none_or(is_good) && !is_stuck;
        all.answers.extend(answers);
        Ok((end, failure))
    }

    fn course(&self, world: &World) -> Course {
        if self.wish.until_stable {
            return generations(world, self.rows, &self.wish.options);
        }
        match resolve(world, self.rows, &self.wish.options) {
            Ok(verdict) => Course { generations: vec![only_generation(world, verdict)], failure: None },
            Err(failure) => Course { generations: Vec::new(), failure: Some(failure) },
        }
    }

    fn namespace_inquiry<'w>(&'w self, world: &'w World) -> NamespaceInquiry<'w> {
        let Self { index, rows, cluster, facts, wish } = *self;
        NamespaceInquiry {
            cluster,
            world,
            rows,
            index,
            facts,
            options: &wish.options,
            tries: MAX_TRIES.into(),
            own: OwnObjects::default(),
        }
    }
}

/// A warning about an operator to be installed that does not suit the cluster or the OperatorGroup.
fn misfit_words(it: &Obstacle) -> String {
    match (it.message.as_str(), it.code) {
        ("", _) => it.text.clone(),
        (message, ObstacleCode::UnsupportedOperatorGroup) => {
            format!("{}: OLM installs it, and its ClusterServiceVersion becomes Failed: {message}", it.text)
        }
        (message, _) => format!("{}: {}: {message}", it.text, it.consequence),
    }
}

/// Whether a namespace is resolved, becomes stable, and leaves nothing stranded.
fn is_good(last: &ResolutionAnswer) -> bool {
    let is_stranded = last.standings.iter().any(|it| it.position == Position::Stranded);
    last.outcome == Outcome::Resolved && last.installed_before.is_none() && !is_stranded
}

fn only_generation(world: &World, verdict: Verdict) -> Round {
    let (steps, next) = match &verdict {
        Verdict::Resolved(resolution) => {
            let steps = steps(world, resolution);
            let next = after(world, resolution, &steps);
            (steps, next)
        }
        Verdict::Unsatisfiable(_) => (Steps::default(), world.clone()),
    };
    let mut installed: Vec<String> =
        next.installed.iter().filter(|it| !it.is_copied).map(|it| it.name.clone()).collect();
    installed.sort();
    Round { verdict, steps, installed, repeats: None }
}
