//! The past of catalogs as an argument: repositories of git.
//!
//! What it deliberately does not do: it builds nothing.

use crate::cli::args::formats::words;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;

use crate::archive::LIFT_LIMITS;
use crate::calendar::rfc3339;
use crate::cli::args::formats::choices;
use crate::cli::args::sources::NamedSource;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::counted;
use crate::git::{Every, GitError, ObjectLimits, Repository, Revision};
use crate::index::query::{DATE_LABEL, Filter, TIME_LABEL};
use crate::index::{CatalogSpec, Index};

/// The label of a catalog that holds the commit that it is from.
const COMMIT_LABEL: &str = "commit";
/// The label that holds the digest of its directory there.
const TREE_LABEL: &str = "tree";

/// Which past.
#[derive(Debug, Clone, Args)]
pub(crate) struct PastOptions {
    /// A repository of git that keeps a catalog: what it was is added, a catalog `NAME@DAY` for each day on which it changed
    #[arg(long, value_name = "[NAME=]REPO")]
    git: Option<String>,
    /// The catalog's directory in the repository. Default: the whole
    #[arg(long, value_name = "DIR", requires = "git", default_value = "")]
    git_path: String,
    /// The commits, as git's rev-list takes them: a branch, or `v1.0..main`
    #[arg(long, value_name = "RANGE", requires = "git", default_value = "HEAD")]
    rev_list: String,
    /// Which of them: the last of each day, those with tags, or all
    #[arg(long, value_parser = words::<Every>(), requires = "git", default_value = "day")]
    every: Every,
}

choices! { Words for Every =>
    Day: "day", "The last commit of each day (UTC)";
    Tag: "tag", "Commits with tags";
    Commit: "commit", "All commits";
}

/// A catalog as it was, to be read when its turn comes.
pub(crate) struct PastCatalog {
    pub(crate) repository: Rc<RefCell<Repository>>,
    pub(crate) revision: Revision,
    /// Whether it is the last one, whose warnings are worth reading.
    pub(crate) is_newest: bool,
}

impl PastOptions {
    pub(crate) fn is_of_whole_repositories(&self) -> bool {
        self.is_given() && self.git_path.is_empty()
    }

    pub(crate) fn is_given(&self) -> bool {
        self.git.is_some()
    }

    /// The catalogs that the index does not have yet, the oldest first.
    pub(crate) fn catalogs(
        &self,
        context: &Context,
        target: &Path,
    ) -> Result<Vec<(CatalogSpec, PastCatalog)>, CommandError> {
        let Some(git) = &self.git else { return Ok(Vec::new()) };
        let NamedSource { name, path, .. } = NamedSource::parse(git);
        let images = &context.opener.images;
        let limits = ObjectLimits { each: images.limits, total: images.image_limit };
        let mut repository = Repository::open(&path, &self.git_path, &temporary(), limits)?;
        let revisions = repository.revisions(&self.rev_list, self.every)?;
        let n_revisions = revisions.len();
        let held = held(target);
        let mut found: Vec<(CatalogSpec, Revision)> = Vec::new();
        let (mut before, mut n_held) = (None, 0);
        for revision in revisions {
            let Some(tree) = repository.tree(&revision)? else { continue };
            if before.as_ref() == Some(&tree) && self.every != Every::Tag {
                continue;
            }
            before = Some(tree.clone());
            let name = format!("{name}@{}", revision.name);
            let labels = BTreeMap::from([
                (COMMIT_LABEL.to_owned(), revision.commit.clone()),
                (DATE_LABEL.to_owned(), revision.day.to_string()),
                (TIME_LABEL.to_owned(), rfc3339(revision.time)),
                (TREE_LABEL.to_owned(), tree),
            ]);
            if held.get(&name) == Some(&labels) {
                n_held += 1;
                continue;
            }
            let source = format!("{}@{}", path.display(), revision.commit);
            found.push((CatalogSpec { name, priority: 0, labels, source }, revision));
        }
        if found.is_empty() && n_held == 0 {
            let directory = if self.git_path.is_empty() { "." } else { &self.git_path };
            let commits = counted(n_revisions as u64, "commit");
            let message = format!("`{}`: none of {commits} has a directory `{directory}`", path.display());
            return Err(
                CommandError::new(Exit::NotFound, message).help("`--git-path`, `--rev-list` and `--every` say which")
            );
        }
        let changed = counted(found.len() as u64, "catalog");
        context.reporter.note(&format!("{changed} of the past to read, {n_held} in the index already"));
        let repository = Rc::new(RefCell::new(repository));
        let last = found.len().saturating_sub(1);
        let catalog = |(number, (spec, revision)): (usize, (CatalogSpec, Revision))| {
            (spec, PastCatalog { repository: Rc::clone(&repository), revision, is_newest: number == last })
        };
        Ok(found.into_iter().enumerate().map(catalog).collect())
    }
}

fn temporary() -> PathBuf {
    std::env::temp_dir()
}

/// The labels of the catalogs that the target has. Whatever is wrong with it is said when it is written.
fn held(target: &Path) -> BTreeMap<String, BTreeMap<String, String>> {
    let ranks = Index::open(target).and_then(|it| it.catalog_ranks(&Filter::default())).unwrap_or_default();
    ranks.into_iter().map(|it| (it.catalog, it.labels)).collect()
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        let text = error.to_string();
        match error {
            GitError::NotRunnable(_) => Self::new(Exit::Input, text).help("`--git` needs the program git"),
            GitError::TooOld { .. } => {
                Self::new(Exit::Input, text).help("install a newer git, or put it first in `PATH`")
            }
            GitError::NotPlain { .. } => Self::usage(text),
            GitError::Limit(_) => Self::new(Exit::Limit, text).help(LIFT_LIMITS),
            _ => Self::new(Exit::Input, text),
        }
    }
}
