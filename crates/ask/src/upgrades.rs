//! The questions about upgrades: the next upgrade of OLM, the path of upgrades, and why OLM does not take a version.

use std::collections::BTreeSet;

use super::bundle::Target;
use super::error::AskError;
use super::name::PackageName;
use super::question::{Answer, Question, State, Verdict, answer, as_text};
use super::upgrade::{PackageQuestion, PackageQuestions, UpgradeInquiry, UpgradeOptions, installed};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Name;
use olmdex_index::query::Reach;
use olmdex_index::{Index, IndexError};
use olmdex_olm::resolve::Failure;
use olmdex_olm::upgrade::{
    Effort, EngineQuestion, FewestSteps, Goal, InstalledBundle, LeftOutRange, NamedVersion, Olm, Updates, UpgradePath,
    WhyNot, classic_path, classic_path_over, classic_updates, classic_updates_as_documented, classic_why_not,
    fewest_steps, v1_path, v1_updates, v1_why_not,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bundles that OLM upgrades to
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct UpdatesQuestion {
    /// The package; a version or bundle is the installed one, a channel is the Subscription's. Default: every operator
    /// of the cluster
    #[cfg_attr(feature = "clap", arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present = "cluster"))]
    pub name: Option<String>,
    /// Installed bundle: a version, a bundle's name, or NAME@VERSION for a bundle that no catalog holds. Default: none
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE"))]
    pub installed: Option<String>,
    /// The version range of a ClusterExtension (OLM v1)
    #[cfg_attr(feature = "clap", arg(long, value_name = "RANGE"))]
    pub version: Option<String>,
    /// Look where OLM Classic's documentation says that it looks: also in other catalogs than the Subscription's, which
    /// `--catalog` names. OLM itself does not
    #[cfg_attr(feature = "clap", arg(long, requires = "name"))]
    pub as_documented: bool,
    /// The options that all questions about upgrades have.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub options: UpgradeOptions,
}

impl Question for UpdatesQuestion {
    const NAME: &'static str = "updates";
    const KIND: &'static str = "Updates";
    const OF_CLUSTER: Option<&'static str> = Some("true");
    const NEEDS_NAMESPACES: bool = true;
    type Index = Index;
    type Item = Updates;

    fn names(&self) -> Vec<&String> {
        self.name.iter().collect()
    }

    /// The next upgrades of OLM, and the alternatives: for each generation of OLM, catalog and object of the cluster in
    /// the question. The verdict is negative if all are stuck, or an object of the cluster was left out.
    fn ask(&self, state: &State<'_>) -> Result<Answer<Updates>, AskError> {
        let mut inquiry = UpgradeInquiry {
            version: self.version.as_deref().unwrap_or_default(),
            ..UpgradeInquiry::new(state, &self.options, self.name.as_ref(), self.installed.as_ref())
        };
        let found = if self.as_documented { inquiry.updates_as_documented() } else { inquiry.updates() };
        answer(found, inquiry.warnings)
    }
}

/// The upgrades that OLM makes from a version, one after another
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct PathQuestion {
    /// The package; a version or bundle is the installed one, a channel is the Subscription's. Default: every operator
    /// of the cluster
    #[cfg_attr(feature = "clap", arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present = "cluster"))]
    pub name: Option<String>,
    /// Installed bundle at which the path begins: a version, a bundle's name, or NAME@VERSION for a bundle that no
    /// catalog holds
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE", alias = "from"))]
    pub installed: Option<String>,
    /// End of the path: a version or a bundle's name. Default: as far as possible
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE"))]
    pub to: Option<String>,
    /// Show the fewest steps. `--channel`, which may be repeated then, names the usable channels, the Subscription's
    /// own first
    #[cfg_attr(feature = "clap", arg(long))]
    pub shortest: bool,
    /// With --shortest: up to this many paths, the shortest first. Default: 1
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", requires = "shortest", value_parser = clap::value_parser!(u16).range(1..)))]
    pub alternatives: Option<u16>,
    /// With --shortest: avoid deprecated bundles
    #[cfg_attr(feature = "clap", arg(long, requires = "shortest"))]
    pub avoid_deprecated: bool,
    /// With --shortest: avoid bundles that state that they do not support this version of OpenShift
    #[cfg_attr(feature = "clap", arg(long, value_name = "VERSION", requires = "shortest"))]
    #[serde(with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub openshift: Option<Minor>,
    /// With --alternatives: highest number of steps to examine. Default: 5000000
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", requires = "alternatives"))]
    pub max_work: Option<u64>,
    /// The options that all questions about upgrades have.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub options: UpgradeOptions,
}

impl PathQuestion {
    /// The highest number of steps that are examined to find alternatives.
    const MAX_WORK: u64 = 5_000_000;

    fn inquiry<'a>(&'a self, state: &State<'a>) -> UpgradeInquiry<'a> {
        UpgradeInquiry {
            may_change_channel: self.shortest,
            ..UpgradeInquiry::new(state, &self.options, self.name.as_ref(), self.installed.as_ref())
        }
    }

    /// The questions about a package whose name is known, one for each catalog that a Subscription may name.
    ///
    /// # Errors
    /// If the question is ambiguous, or the catalogs lack its subject.
    pub fn of_package(&self, state: &State<'_>, name: &PackageName) -> Result<Vec<PackageQuestion>, AskError> {
        self.inquiry(state).of_package(name)
    }
}

impl Question for PathQuestion {
    const NAME: &'static str = "path";
    const KIND: &'static str = "UpgradePath";
    const OF_CLUSTER: Option<&'static str> = Some("true");
    const NEEDS_NAMESPACES: bool = true;
    type Index = Index;
    type Item = UpgradePath;

    fn names(&self) -> Vec<&String> {
        self.name.iter().collect()
    }

    fn check(&self) -> Result<(), AskError> {
        let is_for_shortest = self.avoid_deprecated || self.openshift.is_some() || self.alternatives.is_some();
        match (self.shortest, &self.to, self.alternatives) {
            (true, None, _) => Err(AskError::Unfit {
                what: "`--shortest` needs a target: the fewest steps to which version?",
                help: "add `--to VERSION`; without `--shortest`, the path goes as far as OLM upgrades",
            }),
            (true, _, Some(0)) => {
                Err(AskError::Unfit { what: "no path is wanted", help: "`--alternatives` is at least 1" })
            }
            (false, ..) if is_for_shortest => Err(AskError::Unfit {
                what: "`--alternatives`, `--avoid-deprecated` and `--openshift` need `--shortest`",
                help: "add `--shortest`",
            }),
            _ => Ok(()),
        }
    }

    /// The upgrades from the installed bundle, one after another: for each generation of OLM, catalog and object of the
    /// cluster in the question. The verdict is negative if no path leads to the wanted version, or an object of the
    /// cluster was left out.
    fn ask(&self, state: &State<'_>) -> Result<Answer<UpgradePath>, AskError> {
        self.check()?;
        let mut inquiry = self.inquiry(state);
        let found = inquiry.paths(self, state.index);
        answer(found, inquiry.warnings)
    }
}

/// Why OLM does not take a version, and what would make OLM take it
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct WhyNotQuestion {
    /// The wanted version: PKG@VERSION, the name of a bundle, PKG/CHANNEL (its head) or PKG (the head of its default
    /// channel)
    #[cfg_attr(feature = "clap", arg(value_name = "PKG@VERSION"))]
    pub name: String,
    /// Installed bundle: a version, a bundle's name, or NAME@VERSION for a bundle that no catalog holds. Default: none
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE"))]
    pub installed: Option<String>,
    /// The version range of a ClusterExtension (OLM v1)
    #[cfg_attr(feature = "clap", arg(long, value_name = "RANGE"))]
    pub version: Option<String>,
    /// The options that all questions about upgrades have.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub options: UpgradeOptions,
}

impl Question for WhyNotQuestion {
    const NAME: &'static str = "why-not";
    const KIND: &'static str = "WhyNot";
    const OF_CLUSTER: Option<&'static str> = Some("true");
    const NEEDS_NAMESPACES: bool = true;
    type Index = Index;
    type Item = WhyNot;

    fn names(&self) -> Vec<&String> {
        vec![&self.name]
    }

    /// Why OLM does not take the named version: for each generation of OLM, catalog and object of the cluster in the
    /// question. The verdict is negative if every chosen generation takes it, or OLM v1 resolves to it and refuses it,
    /// or an object of the cluster was left out.
    fn ask(&self, state: &State<'_>) -> Result<Answer<WhyNot>, AskError> {
        let mut inquiry = UpgradeInquiry {
            names_target: true,
            version: self.version.as_deref().unwrap_or_default(),
            ..UpgradeInquiry::new(state, &self.options, Some(&self.name), self.installed.as_ref())
        };
        let found = inquiry.why_not(&self.name, state.index);
        answer(found, inquiry.warnings)
    }
}

/// The items of an answer, and their verdict.
type Found<T> = Result<(Vec<T>, Verdict), AskError>;

impl UpgradeInquiry<'_> {
    fn updates(&mut self) -> Found<Updates> {
        let all = self.questions()?;
        let mut answers = Vec::new();
        for PackageQuestion { olm, view, asked, obstacle, next } in &all.questions {
            if let Some(graph) = view.graphs.first().filter(|_| olm.is_classic()) {
                let mut updates = classic_updates(view, graph, asked);
                updates.put_in(obstacle.as_ref(), next.as_deref());
                answers.push(updates);
            }
            if olm.is_v1() {
                let mut updates = v1_updates(view, asked);
                updates.put_in(obstacle.as_ref(), None);
                answers.push(updates);
            }
        }
        let is_negative = answers.iter().all(Updates::is_negative) || all.has_left_out;
        Ok((answers, Verdict::negative_if(is_negative)))
    }

    /// The upgrades that OLM Classic would make if it looked where its documentation says that it looks.
    fn updates_as_documented(&mut self) -> Found<Updates> {
        let (view, name, source) = self.view_of_all()?;
        let Some(text) = self.installed.or(name.installed.as_deref()) else {
            return Err(AskError::NothingInstalled("`--as-documented` applies only to installed operators".to_owned()));
        };
        let installed = installed(self.state.index, &view, text)?;
        let answer = classic_updates_as_documented(&view, &source, &self.asked(&name, Some(installed)));
        let verdict = Verdict::negative_if(answer.is_negative());
        Ok((vec![answer], verdict))
    }

    fn paths(&mut self, wish: &PathQuestion, index: &Index) -> Found<UpgradePath> {
        let all = self.questions()?;
        let (mut paths, mut gave_up, mut has_left_out) = (Vec::new(), false, all.has_left_out);
        let has_start = |it: &PackageQuestion| it.asked.installed.is_some();
        for question in &all.questions {
            match (&question.asked.installed, &question.asked.managed_by) {
                (Some(from), _) => {
                    let n_before = paths.len();
                    gave_up |= self.add_paths(index, (&all, question), from, wish, &mut paths)?;
                    for path in &mut paths[n_before..] {
                        path.put_in(question.obstacle.as_ref());
                    }
                }
                (None, Some(whose)) if self.name.is_none() || all.questions.iter().any(has_start) => {
                    self.warnings.push(format!("{whose} has installed nothing; left out"));
                    has_left_out = true;
                }
                (None, _) => {
                    let package = &question.view.package;
                    let what = format!("no version of `{package}` is installed, so the path has no start");
                    return Err(AskError::NothingInstalled(what));
                }
            }
        }
        let is_reached = paths.iter().any(|it| it.is_reached);
        let verdict = match gave_up {
            true => Verdict::Part(vec![Failure::Limit(GAVE_UP.to_owned()).into()]),
            false => Verdict::negative_if(!is_reached || has_left_out),
        };
        Ok((paths, verdict))
    }

    /// Adds the paths of one question. Returns whether the search for alternatives reached its limit.
    fn add_paths(
        &self,
        index: &Index,
        (all, question): (&PackageQuestions, &PackageQuestion),
        from: &InstalledBundle,
        wish: &PathQuestion,
        paths: &mut Vec<UpgradePath>,
    ) -> Result<bool, AskError> {
        let PackageQuestion { olm, view, asked, .. } = question;
        let to = wish.to.as_deref().map(|it| all.bundle(question, it)).transpose()?.map(|it| it.name);
        let Some(to) = to.as_ref().filter(|_| wish.shortest) else {
            paths.extend(question.paths_beyond(index, from, to.as_deref())?);
            return Ok(false);
        };
        let (to_it, at_most) = (BTreeSet::from([to.clone()]), wish.alternatives.unwrap_or(1));
        let catalogs = &self.options.catalog;
        let within = view.names_between(index, catalogs, &asked.channels, from, &to_it, at_most)?;
        let mut gave_up = false;
        for &generation in olm.each() {
            let max_work = wish.max_work.unwrap_or(PathQuestion::MAX_WORK);
            let effort = if at_most > 1 { Effort::of(max_work) } else { Effort::default() };
            let wanted = FewestSteps {
                from,
                to,
                at_most: usize::from(at_most),
                avoids_deprecated: wish.avoid_deprecated,
                openshift: wish.openshift,
                within: &within,
                effort: &effort,
            };
            paths.extend(fewest_steps(view, asked, generation, &wanted));
            gave_up |= effort.is_spent();
        }
        Ok(gave_up)
    }

    fn why_not(&mut self, name: &str, index: &Index) -> Found<WhyNot> {
        let all = self.questions()?;
        let catalogs = &self.options.catalog;
        let wanted = match Name::parse(name) {
            Name::Version(_, version) => version,
            _ => Target::find(index, catalogs, name)?.bundle,
        };
        let mut answers = Vec::new();
        for question in &all.questions {
            // A Subscription waits for the head of its own channel.
            let own_head = question.own_head().filter(|_| name == question.view.package);
            let target = all.bundle(question, own_head.as_ref().unwrap_or(&wanted))?;
            let found = question.why_not(index, catalogs, &target)?.into_iter().map(|mut it| {
                it.put_in(question.obstacle.as_ref(), question.next.as_deref());
                it
            });
            answers.extend(found);
        }
        let is_taken = answers.iter().all(|it| it.is_taken) || answers.iter().any(|it| it.refusal.is_some());
        Ok((answers, Verdict::negative_if(is_taken || all.has_left_out)))
    }
}

/// The reason why there may be more paths.
const GAVE_UP: &str = "the search reached its limit before it found all alternatives";

impl PackageQuestion {
    /// The head of the channel that the asker names.
    fn own_head(&self) -> Option<String> {
        let graph = self.view.graphs.first()?;
        let package = self.view.as_classic(graph);
        let channel = package.channels.iter().find(|it| Some(it.name.as_str()) == self.asked.channel())?;
        channel.order().ok()?.live.first().map(|it| it.fields.name.clone())
    }

    /// The ways that the generations of OLM go by themselves.
    pub fn paths(&self, from: &InstalledBundle, to: Option<&str>) -> Vec<UpgradePath> {
        let Self { olm, view, asked, .. } = self;
        let classic = view.graphs.first().filter(|_| olm.is_classic());
        let classic = classic.map(|graph| match &self.next {
            Some(next) if asked.installed.as_ref() == Some(from) => {
                classic_path_over(next, view, graph, asked, (from, to))
            }
            _ => classic_path(view, graph, asked, from, to),
        });
        classic.into_iter().chain(olm.is_v1().then(|| v1_path(view, asked, from, to))).collect()
    }

    /// The same ways, those of OLM Classic with where the bundle can go: to the wanted end, or to the newest version of
    /// the default channel. One without a wanted end ends well only there, or where another channel leads there.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn paths_beyond(
        &self,
        index: &Index,
        from: &InstalledBundle,
        to: Option<&str>,
    ) -> Result<Vec<UpgradePath>, IndexError> {
        let mut paths = self.paths(from, to);
        let Some(graph) = self.view.graphs.first() else { return Ok(paths) };
        for path in paths.iter_mut().filter(|path| path.olm == Olm::Classic) {
            let package = self.view.as_classic(graph);
            let goal = match to {
                Some(to) => Goal::to(&package, to),
                None => Goal::newest(&package),
            };
            // A Subscription always has a channel: the console writes one.
            let installed = from.as_classic();
            let channel = self.asked.channel().or_else(|| package.likely_channel(&installed.name));
            path.outlook = goal.map(|goal| goal.outlook(&installed, channel));
            if let Some(outlook) = path.outlook.as_mut().filter(|outlook| outlook.is_stuck()) {
                outlook.left_out = LeftOutRange::find(&package, &outlook.channel_ends_at_version, |head| {
                    index.csv_annotation(&graph.catalog, head, "olm.skipRange")
                })?;
            }
            path.look_beyond(&graph.default_channel);
        }
        Ok(paths)
    }

    /// Why the generations of OLM do not take a bundle, given by name and version. Ways to it may lead through all
    /// channels of the catalogs.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    pub fn why_not(&self, index: &Index, catalogs: &[String], target: &NamedVersion) -> Result<Vec<WhyNot>, AskError> {
        let Self { olm, view, asked, .. } = self;
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
}
