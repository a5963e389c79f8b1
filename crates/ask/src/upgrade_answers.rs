//! The answers about upgrades: the next upgrade of OLM, the path of upgrades, and why OLM does not take a version.

use std::collections::{BTreeSet, HashSet};

use super::bundle::Target;
use super::error::AskError;
use super::upgrade::{PackageQuestion, PackageQuestions, UpgradeQuestion, Warn, installed};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Name;
use olmdex_index::Index;
use olmdex_index::query::Reach;
use olmdex_olm::upgrade::{
    Effort, EngineQuestion, FewestSteps, InstalledBundle, NamedVersion, Olm, Updates, UpgradePath, WhyNot,
    classic_path, classic_paths, classic_updates, classic_updates_as_documented, classic_why_not, fewest_steps,
    v1_path, v1_updates, v1_why_not,
};

/// The next upgrades of OLM.
#[derive(Debug)]
pub struct UpdateAnswers {
    /// An answer for each generation of OLM, catalog and object of the cluster in the question.
    pub answers: Vec<Updates>,
    /// Whether all are stuck, or an object of the cluster was left out.
    pub is_negative: bool,
}

/// The wishes for paths.
#[derive(Debug, Clone, Default)]
pub struct PathWish {
    /// The end: a version or a bundle's name. Without it, as far as possible.
    pub to: Option<String>,
    /// The fewest steps, if they are wanted.
    pub fewest: Option<FewestWish>,
}

/// The wishes for the fewest steps.
#[derive(Debug, Clone, Copy)]
pub struct FewestWish {
    /// The most paths to list; the shortest come first.
    pub at_most: u16,
    /// Whether deprecated bundles are avoided.
    pub avoids_deprecated: bool,
    /// The version of OpenShift that bundles must support.
    pub openshift: Option<Minor>,
    /// The highest number of steps that are examined if there may be several paths.
    pub max_work: u64,
}

/// The ways that OLM goes.
#[derive(Debug, Default)]
pub struct Paths {
    /// An answer for each generation of OLM, catalog and object of the cluster in the question.
    pub answers: Vec<UpgradePath>,
    /// Whether an object of the cluster was left out, with a warning.
    pub has_left_out: bool,
    /// Whether the search for alternatives reached its limit.
    pub gave_up: bool,
}

/// Why OLM does not take a version.
#[derive(Debug)]
pub struct WhyNotAnswers {
    /// An answer for each generation of OLM, catalog and object of the cluster in the question.
    pub answers: Vec<WhyNot>,
    /// Whether every chosen generation takes it, or OLM v1 resolves to it and refuses it, or an object of the cluster
    /// was left out.
    pub is_negative: bool,
}

impl UpgradeQuestion {
    /// The next upgrades of OLM, and the alternatives.
    ///
    /// # Errors
    /// The errors of [`Self::questions`].
    pub fn updates(&self, index: &Index, warn: Warn<'_>) -> Result<UpdateAnswers, AskError> {
        let all = self.questions(index, warn)?;
        let mut answers = Vec::new();
        for PackageQuestion { olm, view, asked } in &all.questions {
            if olm.is_classic() {
                answers.extend(view.graphs.first().map(|it| classic_updates(view, it, asked)));
            }
            if olm.is_v1() {
                answers.push(v1_updates(view, asked));
            }
        }
        let is_negative = answers.iter().all(Updates::is_negative) || all.has_left_out;
        Ok(UpdateAnswers { answers, is_negative })
    }

    /// The upgrades that OLM Classic would make if it looked where its documentation says that it looks.
    ///
    /// # Errors
    /// The errors of [`Self::questions`], and [`AskError::NothingInstalled`].
    pub fn updates_as_documented(&self, index: &Index, warn: Warn<'_>) -> Result<UpdateAnswers, AskError> {
        let (view, name, source) = self.view_of_all(index, warn)?;
        let Some(text) = self.installed.as_deref().or(name.installed.as_deref()) else {
            return Err(AskError::NothingInstalled("`--as-documented` applies only to installed operators".to_owned()));
        };
        let installed = installed(index, &view, text)?;
        let answer = classic_updates_as_documented(&view, &source, &self.asked(&name, Some(installed)));
        Ok(UpdateAnswers { is_negative: answer.is_negative(), answers: vec![answer] })
    }

    /// The upgrades from the installed bundle, one after another.
    ///
    /// # Errors
    /// The errors of [`Self::questions`], and [`AskError::NothingInstalled`].
    pub fn paths(&self, index: &Index, wish: &PathWish, warn: Warn<'_>) -> Result<Paths, AskError> {
        let all = self.questions(index, warn)?;
        let mut paths = Paths { has_left_out: all.has_left_out, ..Paths::default() };
        for question in &all.questions {
            match (&question.asked.installed, &question.asked.managed_by) {
                (Some(from), _) => self.add_paths(index, (&all, question), from, wish, &mut paths)?,
                (None, Some(whose)) if self.name.is_none() => {
                    warn(&format!("{whose} has installed nothing; left out"));
                    paths.has_left_out = true;
                }
                (None, _) => {
                    let package = &question.view.package;
                    let what = format!("no version of `{package}` is installed, so the path has no start");
                    return Err(AskError::NothingInstalled(what));
                }
            }
        }
        Ok(paths)
    }

    fn add_paths(
        &self,
        index: &Index,
        (all, question): (&PackageQuestions, &PackageQuestion),
        from: &InstalledBundle,
        wish: &PathWish,
        paths: &mut Paths,
    ) -> Result<(), AskError> {
        let PackageQuestion { olm, view, asked } = question;
        let to = wish.to.as_deref().map(|it| all.bundle(question, it)).transpose()?.map(|it| it.name);
        let (Some(to), Some(fewest)) = (&to, wish.fewest) else {
            paths.answers.extend(question.paths(from, to.as_deref()));
            return Ok(());
        };
        let to_it = BTreeSet::from([to.clone()]);
        let within = view.names_between(index, &self.catalogs, &asked.channels, from, &to_it, fewest.at_most)?;
        for &generation in olm.each() {
            let effort = if fewest.at_most > 1 { Effort::of(fewest.max_work) } else { Effort::default() };
            let wanted = FewestSteps {
                from,
                to,
                at_most: usize::from(fewest.at_most),
                avoids_deprecated: fewest.avoids_deprecated,
                openshift: fewest.openshift,
                within: &within,
                effort: &effort,
            };
            paths.answers.extend(fewest_steps(view, asked, generation, &wanted));
            paths.gave_up |= effort.is_spent();
        }
        Ok(())
    }

    /// Why OLM does not take the named version, and what would make it.
    ///
    /// # Errors
    /// The errors of [`Self::questions`].
    pub fn why_not(&self, index: &Index, warn: Warn<'_>) -> Result<WhyNotAnswers, AskError> {
        let all = self.questions(index, warn)?;
        let name = self.name.as_deref().ok_or(AskError::NothingAsked)?;
        let wanted = match Name::parse(name) {
            Name::Version(_, version) => version,
            _ => Target::find(index, &self.catalogs, name)?.bundle,
        };
        let mut answers = Vec::new();
        for question in &all.questions {
            // A Subscription waits for the head of its own channel.
            let own_head = question.own_head().filter(|_| name == question.view.package);
            let target = all.bundle(question, own_head.as_ref().unwrap_or(&wanted))?;
            answers.extend(question.why_not(index, &self.catalogs, &target)?);
        }
        let is_taken = answers.iter().all(|it| it.is_taken) || answers.iter().any(|it| it.refusal.is_some());
        Ok(WhyNotAnswers { answers, is_negative: is_taken || all.has_left_out })
    }
}

impl PackageQuestion {
    /// The head of the channel that the asker names.
    fn own_head(&self) -> Option<String> {
        let graph = self.view.graphs.first()?;
        let package = self.view.as_classic(graph);
        let channel = package.channels.iter().find(|it| Some(it.name.as_str()) == self.asked.channel())?;
        channel.order().ok()?.live.first().map(|it| it.fields.name.clone())
    }

    /// The ways that the generations of OLM go by themselves.
    #[must_use]
    pub fn paths(&self, from: &InstalledBundle, to: Option<&str>) -> Vec<UpgradePath> {
        let Self { olm, view, asked } = self;
        let classic = view.graphs.first().filter(|_| olm.is_classic());
        let classic = classic.map(|it| classic_path(view, it, asked, from, to));
        classic.into_iter().chain(olm.is_v1().then(|| v1_path(view, asked, from, to))).collect()
    }

    /// Why the generations of OLM do not take a bundle, given by name and version. Ways to it may lead through all
    /// channels of the catalogs.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    pub fn why_not(&self, index: &Index, catalogs: &[String], target: &NamedVersion) -> Result<Vec<WhyNot>, AskError> {
        let Self { olm, view, asked } = self;
        let mut answers = Vec::new();
        if let Some(graph) = view.graphs.first().filter(|_| olm.is_classic()) {
            answers.push(classic_why_not(view, graph, asked, target).look_up(index)?);
        }
        if olm.is_v1() {
            let within = match &asked.installed {
                Some(from) => {
                    view.names_between(index, catalogs, &[], from, &BTreeSet::from([target.name.clone()]), 1)?
                }
                None => Reach::Unknown,
            };
            answers.push(v1_why_not(view, asked, target, &within));
        }
        Ok(answers)
    }

    /// The way with the fewest steps over all channels, with the field to set before each; `None` if there is none.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    pub fn fewest(
        &self,
        index: &Index,
        catalogs: &[String],
        olm: Olm,
        (from, to): (&InstalledBundle, &str),
    ) -> Result<Option<UpgradePath>, AskError> {
        let within = self.view.names_between(index, catalogs, &[], from, &BTreeSet::from([to.to_owned()]), 1)?;
        let wanted = FewestSteps {
            from,
            to,
            at_most: 1,
            avoids_deprecated: false,
            openshift: None,
            within: &within,
            effort: &Effort::default(),
        };
        let asked = EngineQuestion { channels: Vec::new(), ..self.asked.clone() };
        Ok(fewest_steps(&self.view, &asked, olm, &wanted).into_iter().find(|it| it.is_reached))
    }

    /// The ways of OLM Classic from every entry of the default channel of the first catalog, highest version first;
    /// each with whether it continues after so many steps.
    pub fn of_default_channel(&self, max_steps: usize, each: impl FnMut(UpgradePath, bool)) {
        let Some(graph) = self.view.graphs.first() else { return };
        let channel = graph.channels.iter().find(|it| it.name == graph.default_channel);
        let entries: HashSet<&str> =
            channel.iter().flat_map(|it| it.entries.iter()).map(|it| it.name.as_str()).collect();
        let bundles = self.view.bundles().iter().filter(|it| entries.contains(it.name.as_str()));
        let froms = bundles.map(|it| InstalledBundle::held(it.name.clone(), it.version.clone()));
        let asked = EngineQuestion { channels: vec![graph.default_channel.clone()], ..EngineQuestion::default() };
        classic_paths(&self.view, graph, &asked, froms, max_steps, each);
    }
}
