//! The packages of a list: searched by words, narrowed by the values of their bundles.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::reply::PageError;
use super::route::List;
use super::site::PageContext;
use olmdex_ask::{CommandLine, Conditions, Question as _, SearchQuestion, State};
use olmdex_index::query::{Hit, PackageRow, Status};

/// The answer as data: that of `search` for words, and that of `list packages` without.
pub(super) enum Answer {
    Found(Vec<Hit>),
    Listed(Vec<PackageRow>),
}

pub(super) fn answer(context: PageContext<'_>, list: &List) -> Result<Answer, PageError> {
    if list.words.is_empty() {
        return Ok(Answer::Listed(listing(context, list)?.rows.into_iter().cloned().collect()));
    }
    must_have_catalogs(context, list)?;
    Ok(Answer::Found(question(list).ask(&State::of(context.index()))?.items))
}

fn must_have_catalogs(context: PageContext<'_>, list: &List) -> Result<(), PageError> {
    list.catalogs.iter().try_for_each(|it| context.must_have_catalog(Some(it)))
}

fn status(list: &List) -> Option<Status> {
    list.status.as_deref().and_then(Status::from_word)
}

/// The packages of a list, in all catalogs that it asks for.
#[derive(Debug, Default)]
pub(super) struct Listing<'c> {
    /// By catalog and name.
    pub(super) rows: Vec<&'c PackageRow>,
    /// How well packages match; empty without words and other conditions.
    scores: Scores,
}

/// The scores of packages, by catalog and package.
type Scores = HashMap<String, HashMap<String, f64>>;

impl<'c> Listing<'c> {
    /// How well a package matches the words.
    pub(super) fn score(&self, row: &PackageRow) -> f64 {
        self.scores.get(&row.catalog).and_then(|it| it.get(&row.package)).copied().unwrap_or(0.0)
    }

    /// The names of the packages.
    pub(super) fn names(&self) -> BTreeSet<&'c str> {
        self.rows.iter().map(|it| it.package.as_str()).collect()
    }

    /// The names of the packages, those that match best first.
    pub(super) fn best_names(&self) -> Vec<&'c str> {
        let mut rows: Vec<(f64, &str)> = self.rows.iter().map(|it| (self.score(it), it.package.as_str())).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let mut seen: HashSet<&str> = HashSet::new();
        rows.into_iter().map(|it| it.1).filter(|it| seen.insert(it)).collect()
    }

    /// Adds the packages of another list.
    pub(super) fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.rows.sort_by(|a, b| (&a.catalog, &a.package).cmp(&(&b.catalog, &b.package)));
        self.rows.dedup_by(|a, b| (&a.catalog, &a.package) == (&b.catalog, &b.package));
        for (catalog, scores) in other.scores {
            self.scores.entry(catalog).or_default().extend(scores);
        }
    }
}

pub(super) fn listing<'c>(context: PageContext<'c>, list: &List) -> Result<Listing<'c>, PageError> {
    must_have_catalogs(context, list)?;
    let question = question(list);
    let query = question.conditions.query(&question.words, &question.catalog);
    let status = status(list);
    let is_listed = |it: &&PackageRow| {
        (list.catalogs.is_empty() || list.catalogs.contains(&it.catalog))
            && status.is_none_or(|status| it.status() == status)
    };
    let rows = context.cache().packages(context.index())?.iter().filter(is_listed);
    if !query.has_conditions() {
        return Ok(Listing { rows: rows.collect(), scores: Scores::new() });
    }
    let mut scores = Scores::new();
    for it in context.index().matches(&query)? {
        scores.entry(it.catalog).or_default().insert(it.package, it.score);
    }
    let is_match = |it: &&PackageRow| scores.get(&it.catalog).is_some_and(|scores| scores.contains_key(&it.package));
    Ok(Listing { rows: rows.filter(is_match).collect(), scores })
}

/// The question of a list.
fn question(list: &List) -> SearchQuestion {
    let conditions = Conditions {
        category: list.categories.clone(),
        provider: list.providers.clone(),
        capability: list.capabilities.clone(),
        feature: list.features.iter().map(|it| format!("{it}=true")).collect(),
        arch: list.archs.clone(),
        install_mode: list.modes.clone(),
        ..Conditions::default()
    };
    let words = list.words.split_whitespace().map(str::to_owned).collect();
    let status = status(list).into_iter().collect();
    SearchQuestion { words, conditions, status, limit: None, catalog: list.catalogs.clone() }
}

pub(super) fn command(list: &List) -> CommandLine {
    let command = match list.words.as_str() {
        "" => CommandLine::of("list").names(["packages"]),
        _ => CommandLine::of("search"),
    };
    command.question(&question(list))
}
