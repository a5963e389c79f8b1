//! The past of catalogs as an argument: repositories of git.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::archive::LIFT_LIMITS;
use crate::ask::{CatalogNames, NamedSource, one_of};
use crate::calendar::Day;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::counted;
use crate::fbc::{Input, TreeFile};
use crate::file::Text;
use crate::git::{Every, FileChange, GitError, ObjectLimits, Repository, Revision};
use crate::index::query::PAST_LABEL;
use crate::index::{
    Builder, CatalogSpec, HeldPast, PastChange, PastChanges, PastImport, PastSource, PastState, PastText,
};

/// Which past.
#[derive(Debug, Clone, Args)]
pub(crate) struct PastOptions {
    /// A repository of git that keeps catalogs: a catalog is added with its present and its past states; may be
    /// repeated
    #[arg(long, value_name = "[NAME=]REPO")]
    git: Vec<String>,
    /// The catalog's directory in the repository; `DIR/*` is a catalog NAME-SUBDIR for each of its directories.
    /// Default: the whole
    #[arg(long, value_name = "DIR", requires = "git", default_value = "")]
    git_path: String,
    /// The commits, as git's rev-list takes them: a branch, or `v1.0..main`
    #[arg(long, value_name = "RANGE", requires = "git", default_value = "HEAD")]
    rev_list: String,
    /// Commits that are states: the last of each day, those with tags, or all
    #[arg(long, value_parser = one_of::<Every>(), requires = "git", default_value = "day")]
    every: Every,
}

/// A catalog with its states.
struct PastCatalog {
    name: String,
    directory: String,
    states: Vec<PastState>,
}

impl PastOptions {
    pub(crate) fn is_of_whole_repositories(&self) -> bool {
        self.is_given() && self.git_path.is_empty()
    }

    pub(crate) fn is_given(&self) -> bool {
        !self.git.is_empty()
    }

    /// Adds the catalogs of the repositories. `take` receives the result of each with its name.
    pub(crate) fn add(
        &self,
        context: &Context,
        builder: &mut Builder,
        mut names: CatalogNames,
        mut spec_of: impl FnMut(&str, &str) -> CatalogSpec,
        mut take: impl FnMut(String, PastImport),
    ) -> Result<(), CommandError> {
        for git in &self.git {
            let NamedSource { name, path, .. } = NamedSource::parse(git);
            let images = &context.opener.images;
            let limits = ObjectLimits {
                each: images.limits,
                total: images.image_limit,
                may_lead_out: images.trusts_repositories,
            };
            let mut repository = Repository::open(&path, &std::env::temp_dir(), limits)?;
            builder.begin_repository();
            let choice = self.choice(&repository)?;
            for catalog in self.catalogs(context, builder, &mut repository, (&name, &path), choice.as_deref())? {
                let source = format!("{}#{}", path.display(), catalog.directory);
                names.add(&catalog.name, &source)?;
                let mut spec = spec_of(&catalog.name, &source);
                spec.labels.extend(choice.iter().map(|it| (PAST_LABEL.to_owned(), it.clone())));
                let shown = if catalog.directory.is_empty() { "." } else { &catalog.directory };
                let mut past = RepositoryPast { repository: &mut repository, ignores: None };
                let import = builder.add_past(&spec, shown, &catalog.states, &mut past)?;
                let n_held = import.n_states.saturating_sub(import.n_new);
                let new = counted(import.n_new as u64, "state");
                context
                    .reporter
                    .note(&format!("catalog `{}`: {new} read, {n_held} already in the index", catalog.name));
                take(catalog.name, import);
            }
        }
        Ok(())
    }

    /// The directory that holds the catalogs, and whether each of its directories is a catalog.
    fn directory(&self) -> (&str, bool) {
        let directory = self.git_path.trim_matches('/');
        match directory.strip_suffix("/*") {
            Some(parent) => (parent, true),
            None if directory == "*" => ("", true),
            None => (directory, false),
        }
    }

    /// The choice of commits as the index notes it; `None` if the same choice may have other commits in the past when
    /// they are read again.
    fn choice(&self, repository: &Repository) -> Result<Option<String>, CommandError> {
        if self.every == Every::Tag || repository.is_shallow()? {
            return Ok(None);
        }
        Ok(Some(format!("every {} of {}", self.every.as_str(), self.rev_list)))
    }

    /// The catalogs of a repository with their states.
    fn catalogs(
        &self,
        context: &Context,
        builder: &mut Builder,
        repository: &mut Repository,
        (name, path): (&str, &Path),
        choice: Option<&str>,
    ) -> Result<Vec<PastCatalog>, CommandError> {
        let (directory, is_of_each) = self.directory();
        let mut scan = Scan { directory, is_of_each, name, every: self.every, catalogs: BTreeMap::new() };
        if let Some(choice) = choice {
            let held = builder.held_pasts(choice)?;
            if let Some(revisions) = scan.resume(repository, path, &self.rev_list, held)? {
                let new = counted(revisions.len() as u64, "commit");
                context.reporter.detail(&format!("`{}`: {new} after those of the index", path.display()));
                scan.read(repository, &revisions)?;
                return Ok(scan.catalogs.into_values().collect());
            }
        }
        let revisions = repository.revisions(&self.rev_list, self.every, directory)?;
        scan.read(repository, &revisions)?;
        if scan.catalogs.is_empty() {
            let directory = if self.git_path.is_empty() { "." } else { &self.git_path };
            let path = path.display();
            let message = match revisions.len() as u64 {
                0 => format!("`{path}`: no commit has the directory `{directory}`"),
                n => format!("`{path}`: none of {} has the directory `{directory}`", counted(n, "commit")),
            };
            return Err(CommandError::new(Exit::NotFound, message)
                .help("choose the directory with `--git-path`, and the commits with `--rev-list` and `--every`"));
        }
        Ok(scan.catalogs.into_values().collect())
    }
}

/// The states of a repository's catalogs, while they are read.
struct Scan<'s> {
    directory: &'s str,
    is_of_each: bool,
    /// The name of the repository, which the names of catalogs begin with.
    name: &'s str,
    every: Every,
    /// The catalogs by their directories.
    catalogs: BTreeMap<String, PastCatalog>,
}

impl Scan<'_> {
    fn catalog(&self, sub: &str) -> PastCatalog {
        let (name, directory) = (self.name, self.directory);
        if !self.is_of_each {
            return PastCatalog { name: name.to_owned(), directory: directory.to_owned(), states: Vec::new() };
        }
        let directory = format!("{directory}/{sub}").trim_matches('/').to_owned();
        PastCatalog { name: format!("{name}-{sub}"), directory, states: Vec::new() }
    }

    /// The catalogs of a commit, each with the digest of its directory.
    fn trees(&self, repository: &mut Repository, commit: &str) -> Result<Vec<(String, String)>, CommandError> {
        let Some(tree) = repository.tree(commit, self.directory)? else { return Ok(Vec::new()) };
        Ok(if self.is_of_each { repository.directories(&tree)? } else { vec![(String::new(), tree)] })
    }

    /// Adds the states of some revisions, the oldest first.
    fn read(&mut self, repository: &mut Repository, revisions: &[Revision]) -> Result<(), CommandError> {
        for revision in revisions {
            for (sub, tree) in self.trees(repository, &revision.commit)? {
                let catalog = match self.catalogs.get_mut(&sub) {
                    Some(known) => known,
                    None => {
                        let new = self.catalog(&sub);
                        self.catalogs.entry(sub).or_insert(new)
                    }
                };
                if catalog.states.last().is_none_or(|it| it.tree != tree) || self.every == Every::Tag {
                    catalog.states.push(state(revision, tree));
                }
            }
        }
        Ok(())
    }

    /// Takes over the states that an index has, as far as they are final, and returns the revisions after them. `None`
    /// if the repository does not go on where the index ends; then nothing is taken over. The result is always that of
    /// reading all revisions.
    fn resume(
        &mut self,
        repository: &mut Repository,
        path: &Path,
        branch: &str,
        held: Vec<(String, String, HeldPast)>,
    ) -> Result<Option<Vec<Revision>>, CommandError> {
        let mut catalogs: BTreeMap<String, PastCatalog> = BTreeMap::new();
        for (name, source, past) in held {
            let sub = match name.strip_prefix(self.name) {
                Some("") if !self.is_of_each => "",
                Some(rest) if self.is_of_each => rest.strip_prefix('-').unwrap_or_default(),
                _ => continue,
            };
            let catalog = self.catalog(sub);
            if catalog.name == name && source == format!("{}#{}", path.display(), catalog.directory) {
                catalogs.insert(sub.to_owned(), PastCatalog { states: past.states, ..catalog });
            }
        }
        let newest = |catalogs: &BTreeMap<String, PastCatalog>| {
            catalogs.values().filter_map(|it| it.states.last()).max_by_key(|it| it.time).cloned()
        };
        if self.every == Every::Day
            && let Some(last) = newest(&catalogs)
        {
            // More commits may have come on the last day.
            let day = Day::of_unix(last.time);
            catalogs.values_mut().for_each(|it| it.states.retain(|it| Day::of_unix(it.time) < day));
        }
        let Some(last) = newest(&catalogs) else { return Ok(None) };
        let last_trees: BTreeMap<&String, &String> =
            catalogs.iter().filter_map(|(sub, it)| Some((sub, &it.states.last()?.tree))).collect();
        // A catalog that the index has not, or has otherwise, shows in the directory.
        let then = self.trees(repository, &last.commit)?;
        if then.is_empty() || then.iter().any(|(sub, tree)| last_trees.get(sub) != Some(&tree)) {
            return Ok(None);
        }
        let Some(new) = repository.revisions_after(&last.commit, branch, self.every, self.directory)? else {
            return Ok(None);
        };
        // Clocks may go backwards: then the last of a day is another one, and a commit may be older than its parent.
        let states = || catalogs.values().flat_map(|it| &it.states);
        let known: BTreeSet<&str> = states().map(|it| it.commit.as_str()).collect();
        let last_day = states().map(|it| Day::of_unix(it.time)).max();
        let is_behind = |it: &Revision| {
            !known.contains(it.commit.as_str()) && (self.every != Every::Day || Some(it.day) > last_day)
        };
        if !new.iter().all(is_behind) {
            return Ok(None);
        }
        self.catalogs = catalogs;
        Ok(Some(new))
    }
}

fn state(revision: &Revision, tree: String) -> PastState {
    PastState { name: revision.name.clone(), commit: revision.commit.clone(), time: revision.time, tree }
}

/// A repository, for an index.
struct RepositoryPast<'r> {
    repository: &'r mut Repository,
    /// The paths of the ignore files in the last state, once they are known.
    ignores: Option<BTreeSet<String>>,
}

/// The name of the file that lists hidden paths.
const IGNORE_FILE: &str = ".indexignore";

fn is_ignore_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(IGNORE_FILE)
}

impl RepositoryPast<'_> {
    /// The differences between two directories, as the repository has them.
    fn plain_changes(&mut self, old: Option<&str>, new: &str) -> Result<Vec<PastChange>, GitError> {
        let change = |it: FileChange| {
            let components = it.components.iter().map(|it| String::from_utf8_lossy(it).into_owned());
            let content = it.file.map(|it| if it.is_link { format!("{LINK}{}", it.digest) } else { it.digest });
            PastChange { path: components.collect::<Vec<_>>().join("/"), content }
        };
        let all = self.repository.changes(old, new)?.into_iter().map(change);
        // git itself never puts such a path into a repository.
        Ok(all.filter(|it| it.path != ".git" && !it.path.starts_with(".git/")).collect())
    }

    /// Notes the ignore files of a state. Returns whether there are any, or were.
    fn note_ignores(&mut self, before: Option<&PastState>, changes: &[PastChange]) -> Result<bool, GitError> {
        let mut ignores = match (self.ignores.take(), before) {
            (Some(known), _) => known,
            (None, None) => BTreeSet::new(),
            (None, Some(before)) => {
                let all = self.plain_changes(None, &before.tree)?;
                all.into_iter().map(|it| it.path).filter(|it| is_ignore_file(it)).collect()
            }
        };
        let had_any = !ignores.is_empty();
        for it in changes.iter().filter(|it| is_ignore_file(&it.path)) {
            if it.content.is_some() {
                ignores.insert(it.path.clone());
            } else {
                ignores.remove(&it.path);
            }
        }
        let has_any = had_any || !ignores.is_empty();
        self.ignores = Some(ignores);
        Ok(has_any)
    }

    /// The files of a directory that nothing hides.
    fn visible(&mut self, tree: &str) -> Result<Vec<PastChange>, CommandError> {
        let all = self.plain_changes(None, tree)?;
        let mut files = Vec::with_capacity(all.len());
        for it in &all {
            let text = match &it.content {
                Some(content) if is_ignore_file(&it.path) => match self.text(content)? {
                    PastText::Text(text) => Ok(text),
                    PastText::Refused(error) => Err(error),
                    PastText::Missing => Err(std::io::ErrorKind::NotFound.into()),
                },
                _ => Ok(Text::Bytes(Arc::default())),
            };
            let components = it.path.split('/').map(|it| it.as_bytes().to_vec()).collect();
            files.push(TreeFile { components, text });
        }
        let kept = Input::tree("", files, true);
        let kept: BTreeSet<&str> = kept.files.iter().map(|it| it.shown.trim_start_matches('/')).collect();
        Ok(all.into_iter().filter(|it| kept.contains(it.path.as_str())).collect())
    }
}

/// The prefix that marks the digest of a link.
const LINK: &str = "link:";

impl PastSource for RepositoryPast<'_> {
    type Error = CommandError;

    fn changes(&mut self, before: Option<&PastState>, state: &PastState) -> Result<PastChanges, CommandError> {
        let known = match before {
            // A shallow clone lacks it.
            Some(before) => match self.plain_changes(Some(&before.tree), &state.tree) {
                Err(GitError::Missing { digest }) if digest == before.tree => None,
                found => Some(found?),
            },
            None => None,
        };
        let is_whole = known.is_none();
        let files = match known {
            Some(files) => files,
            None => self.plain_changes(None, &state.tree)?,
        };
        if self.note_ignores(before.filter(|_| !is_whole), &files)? {
            return Ok(PastChanges { files: self.visible(&state.tree)?, is_whole: true });
        }
        Ok(PastChanges { files, is_whole })
    }

    fn text(&mut self, content: &str) -> Result<PastText, CommandError> {
        if content.starts_with(LINK) {
            let message = "it is a symbolic link, and olmdex follows no links in the history of a repository";
            return Ok(PastText::Refused(std::io::Error::other(message)));
        }
        match self.repository.text(content) {
            Ok(text) => Ok(PastText::Text(text)),
            Err(GitError::Missing { .. }) => Ok(PastText::Missing),
            Err(error) => Err(error.into()),
        }
    }

    fn weigh(&self, changes: &PastChanges) -> Result<(), CommandError> {
        Ok(self.repository.weigh(changes.files.iter().filter_map(|it| it.content.as_deref()))?)
    }

    fn subject(&mut self, commit: &str) -> Result<String, CommandError> {
        Ok(self.repository.subject(commit)?)
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        let text = error.to_string();
        match error {
            GitError::NotRunnable(_) => Self::new(Exit::Input, text).help("`--git` needs the program `git`"),
            GitError::TooOld { .. } => {
                Self::new(Exit::Input, text).help("install a newer git, or put it first in `PATH`")
            }
            GitError::Failed { command, .. } if command == "rev-parse" => {
                Self::new(Exit::Input, text).help("`--git` takes the directory of a git repository")
            }
            GitError::Failed { command, .. } if command == "rev-list" => Self::new(Exit::Input, text)
                .help("`--rev-list` takes a branch, a commit or a range such as `v1.0..main`"),
            GitError::NotPlain { .. } => Self::usage(text),
            GitError::TooSlow { .. } => {
                Self::new(Exit::Limit, text).help("the repository may be damaged, or its disk may not answer")
            }
            GitError::Special { .. } => Self::new(Exit::Input, text).help("git would wait for it; remove it"),
            GitError::LeadsOut { .. } => Self::new(Exit::Input, text)
                .help("if you trust the repository, use `--trust-config` to let git follow it"),
            GitError::TooManyFiles { .. } => Self::new(Exit::Limit, text).help("`git gc` packs its objects"),
            GitError::Limit(_) => Self::new(Exit::Limit, text).help(LIFT_LIMITS),
            _ => Self::new(Exit::Input, text),
        }
    }
}
