//! The choice of findings by the `olmdex.toml` that goes with a directory: as on the command line, without its options.
//!
//! This module decides nothing about files; [`olmdex_compose::compose`] does. It writes no baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use olmdex_base::diag::baseline::Scope;
use olmdex_base::diag::selection::{Selection, Verdict};
use olmdex_base::diag::{Finding, Rule};
use olmdex_bundle::bundle::rules::{Validator, selector};
use olmdex_compose::compose::{self, BaselineFile, Choice, Reach};
use olmdex_rules::check::practice;

/// The file of options that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigFile {
    /// The one in the current directory, or in the nearest directory above it, and the files that it may reach.
    Search(Reach),
    /// This one.
    Named(PathBuf),
    /// None.
    Absent,
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self::Search(Reach::Inside)
    }
}

/// The settings for starting a server.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The current directory, from the root.
    pub current: PathBuf,
    /// The options that choose findings.
    pub config: ConfigFile,
    /// All rules that the options may name.
    pub rules: Vec<&'static Rule>,
}

/// The choices of all directories.
#[derive(Debug)]
pub(super) struct Choosing {
    options: Options,
    known: BTreeMap<Option<PathBuf>, Chosen>,
}

/// The choices for a directory.
#[derive(Debug, Default)]
struct Chosen {
    choice: Choice,
    besides: Besides,
}

/// The checks in addition to the rules that always hold, by the profiles of the options.
#[derive(Debug, Clone, Default)]
pub(super) struct Besides {
    /// Rules of good practice.
    pub(super) practices: Vec<&'static Rule>,
    /// Optional validators of bundles.
    pub(super) validators: Vec<Validator>,
}

impl Choosing {
    pub(super) fn new(options: Options) -> Self {
        Self { options, known: BTreeMap::new() }
    }

    /// Files may have changed.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// The additional checks in a directory. When the options are first read, the error in them is returned too.
    pub(super) fn besides(&mut self, directory: Option<&Path>) -> (Besides, Option<String>) {
        let key = directory.map(Path::to_owned);
        let mut problem = None;
        if !self.known.contains_key(&key) {
            let chosen = self.read(directory).unwrap_or_else(|error| {
                problem = Some(error);
                Chosen::default()
            });
            self.known.insert(key.clone(), chosen);
        }
        (self.known.get(&key).map(|it| it.besides.clone()).unwrap_or_default(), problem)
    }

    /// The findings that are shown of those of a directory.
    pub(super) fn chosen(&self, directory: Option<&Path>, findings: Vec<Finding>) -> Vec<Finding> {
        let scope = Scope { rules: &self.options.rules, packages: &[], is_whole: false };
        match self.known.get(&directory.map(Path::to_owned)) {
            // It writes no file, so it cannot fail.
            Some(it) => it.choice.apply(findings, &scope).map(|it| it.findings).unwrap_or_default(),
            None => findings,
        }
    }

    fn read(&self, directory: Option<&Path>) -> Result<Chosen, String> {
        let (path, reach) = match &self.options.config {
            ConfigFile::Absent => (None, Reach::Inside),
            ConfigFile::Named(path) => (Some(path.clone()), Reach::Anywhere),
            ConfigFile::Search(reach) => {
                let sources: Vec<PathBuf> = directory.into_iter().map(Path::to_owned).collect();
                (compose::find(&self.options.current, &sources).found, *reach)
            }
        };
        let Some(path) = path else { return Ok(Chosen::default()) };
        let config = compose::read_found(&path, &self.options.rules, reach).map_err(|error| match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        })?;
        let layers = [config.layer.clone()];
        let mut selection = Selection::new(&self.options.rules, &layers).map_err(|error| error.to_string())?;
        let on: Vec<&'static Rule> = config.profiles.iter().flat_map(|it| it.rules()).copied().collect();
        selection.off_by_default(practice::rules::ALL, &on, &layers);
        let is_wanted = |it: &&'static Rule| matches!(selection.verdict(it), Verdict::Shown(_));
        let besides = Besides {
            practices: practice::rules::ALL.iter().copied().filter(is_wanted).collect(),
            validators: selector::of_profiles(&config.profiles.iter().map(|it| it.name()).collect::<Vec<_>>()),
        };
        let baseline = config.baseline().map_err(|error| format!("{error}; {}", error.help()))?;
        let baseline = baseline.map(BaselineFile::read).transpose();
        let baseline = baseline.map_err(|error| error.to_string())?;
        Ok(Chosen { choice: Choice { selection, baseline, ..Choice::default() }, besides })
    }
}
