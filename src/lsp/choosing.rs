//! Which findings are shown, by the `olmdex.toml` that goes with a directory: as on the command line, without its options.
//!
//! What it deliberately does not do: it decides nothing about files; [`crate::compose`] does. It writes no baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answer::all_rules;
use crate::compose::{self, BaselineFile, Choice};
use crate::diag::Finding;
use crate::diag::baseline::Scope;
use crate::diag::selection::Selection;

/// Which file of options is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ConfigFile {
    /// The one in the current directory, or in the nearest directory above it.
    #[default]
    Search,
    /// This one.
    Named(PathBuf),
    /// None.
    Absent,
}

/// The choices of all directories.
#[derive(Debug)]
pub(super) struct Choosing {
    current: PathBuf,
    config: ConfigFile,
    known: BTreeMap<Option<PathBuf>, Choice>,
}

impl Choosing {
    pub(super) fn new(current: PathBuf, config: ConfigFile) -> Self {
        Self { current, config, known: BTreeMap::new() }
    }

    /// Files may have changed.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// The findings that are shown of those of a directory. With it what is wrong with the options, when they are first read.
    pub(super) fn chosen(
        &mut self,
        directory: Option<&Path>,
        findings: Vec<Finding>,
    ) -> (Vec<Finding>, Option<String>) {
        let key = directory.map(Path::to_owned);
        let mut problem = None;
        if !self.known.contains_key(&key) {
            let choice = self.read(directory).unwrap_or_else(|error| {
                problem = Some(error);
                Choice::default()
            });
            self.known.insert(key.clone(), choice);
        }
        let rules = all_rules();
        let scope = Scope { rules: &rules, package: None, is_whole: false };
        let chosen = match self.known.get(&key) {
            // It writes no file, so it cannot fail.
            Some(choice) => choice.apply(findings, &scope).map(|it| it.findings).unwrap_or_default(),
            None => findings,
        };
        (chosen, problem)
    }

    fn read(&self, directory: Option<&Path>) -> Result<Choice, String> {
        let path = match &self.config {
            ConfigFile::Absent => None,
            ConfigFile::Named(path) => Some(path.clone()),
            ConfigFile::Search => {
                let sources: Vec<PathBuf> = directory.into_iter().map(Path::to_owned).collect();
                compose::find(&self.current, &sources).found
            }
        };
        let Some(path) = path else { return Ok(Choice::default()) };
        let rules = all_rules();
        let config = compose::read(&path, &rules).map_err(|error| error.to_string())?;
        let selection = Selection::new(&rules, &[config.layer]).map_err(|error| error.to_string())?;
        let baseline = config.baseline.as_deref().map(BaselineFile::read).transpose();
        Ok(Choice { selection, baseline: baseline.map_err(|error| error.to_string())?, ..Choice::default() })
    }
}
