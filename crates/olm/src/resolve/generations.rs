//! The future of a namespace: a resolution is carried out, then the next one, until nothing changes.

use super::failure::Failure;
use super::resolution::{Options, Resolution, Verdict, resolve};
use super::rows::{Rows, World};
use super::steps::{Steps, steps};
use olmdex_fbc::Property;
use olmdex_rules::cluster::{ClusterServiceVersion, Subscription};

/// The number of resolutions that may follow each other.
pub const MAX_GENERATIONS: usize = 1000;

/// One resolution, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Its result.
    pub verdict: Verdict,
    /// The steps that OLM takes then; empty if there is no answer.
    pub steps: Steps,
    /// The names of the operators that are installed afterwards.
    pub installed: Vec<String>,
    /// After how many resolutions everything was as it is afterwards, if it was: then it goes round for ever.
    pub repeats: Option<usize>,
}

/// The world after the steps of OLM. Without an InstallPlan nothing changes.
pub fn after(world: &World, resolution: &Resolution, steps: &Steps) -> World {
    let mut next = world.clone();
    if !steps.install_plan {
        return next;
    }
    for operator in steps.operators.iter().filter_map(|it| resolution.operators.get(*it)) {
        next.installed.retain(|it| it.is_copied || (it.name != operator.replaces && it.name != operator.name));
        next.installed.push(ClusterServiceVersion {
            name: operator.name.clone(),
            namespace: world.namespace.clone(),
            version: operator.version.clone(),
            replaces: operator.replaces.clone(),
            phase: "Succeeded".to_owned(),
            properties: Some(operator.properties.clone()),
            place: operator.place.clone(),
            ..ClusterServiceVersion::default()
        });
    }
    for updated in &steps.updated_subscriptions {
        for it in next.subscriptions.iter_mut().filter(|it| it.name == updated.name) {
            it.current.clone_from(&updated.current);
            it.installed.clone_from(&updated.current);
        }
    }
    for new in &steps.new_subscriptions {
        next.subscriptions.push(Subscription {
            name: new.name.clone(),
            namespace: world.namespace.clone(),
            package: new.package.clone(),
            channel: new.channel.clone(),
            source: new.source.clone(),
            source_namespace: new.source_namespace.clone(),
            starting: new.starting.clone(),
            installed: new.starting.clone(),
            current: new.starting.clone(),
            ..Subscription::default()
        });
    }
    next
}

/// The resolutions that follow each other.
#[derive(Debug, Default)]
pub struct Course {
    /// Those that OLM completes.
    pub generations: Vec<Round>,
    /// The reason why the next one fails, if it does: a failure of [`resolve`], or an endless repetition.
    pub failure: Option<Failure>,
}

/// Resolves again and again, until nothing changes, nothing can be resolved, a resolution fails, or the same operators
/// were installed before. The last generation states which.
pub fn generations(world: &World, rows: &dyn Rows, options: &Options) -> Course {
    generations_until(&mut world.clone(), rows, options, |_| false)
}

/// As [`generations`], until a world is as wanted; `at` is the last one then.
pub fn generations_until(
    at: &mut World,
    rows: &dyn Rows,
    options: &Options,
    is_wanted: impl FnMut(&World) -> bool,
) -> Course {
    let mut course = Course::default();
    course.failure = run(at, rows, options, is_wanted, &mut course.generations).err();
    course
}

fn run(
    at: &mut World,
    rows: &dyn Rows,
    options: &Options,
    mut is_wanted: impl FnMut(&World) -> bool,
    generations: &mut Vec<Round>,
) -> Result<(), Failure> {
    let mut seen: Vec<State> = vec![state(at)];
    while generations.len() < MAX_GENERATIONS {
        if is_wanted(at) {
            return Ok(());
        }
        let verdict = resolve(at, rows, options)?;
        let Verdict::Resolved(resolution) = &verdict else {
            let installed = names(at);
            generations.push(Round { verdict, steps: Steps::default(), installed, repeats: None });
            return Ok(());
        };
        let steps = steps(at, resolution);
        if !steps.install_plan {
            generations.push(Round { verdict, steps, installed: names(at), repeats: None });
            return Ok(());
        }
        *at = after(at, resolution, &steps);
        let next = state(at);
        let repeats = seen.iter().position(|it| *it == next);
        generations.push(Round { verdict, steps, installed: names(at), repeats });
        if repeats.is_some() {
            return Ok(());
        }
        seen.push(next);
    }
    Err(Failure::Limit(format!("the namespace is not stable after {MAX_GENERATIONS} resolutions")))
}

/// The state that the next resolution depends on: the installed operators with their properties, and what the
/// Subscriptions have.
type State = (Vec<(String, String, Option<Vec<Property>>)>, Vec<[String; 5]>);

fn state(world: &World) -> State {
    let mut installed: Vec<_> = world.installed.iter().filter(|it| !it.is_copied).collect();
    installed.sort_by(|a, b| a.name.cmp(&b.name));
    let installed = installed.into_iter().map(|it| (it.name.clone(), it.version.clone(), it.properties.clone()));
    let subscriptions = world.subscriptions.iter().map(|it| {
        let (name, channel, source) = (it.name.clone(), it.channel.clone(), it.source.clone());
        [name, channel, source, it.installed.clone(), it.current.clone()]
    });
    (installed.collect(), subscriptions.collect())
}

fn names(world: &World) -> Vec<String> {
    let mut names: Vec<String> = world.installed.iter().filter(|it| !it.is_copied).map(|it| it.name.clone()).collect();
    names.sort();
    names
}
