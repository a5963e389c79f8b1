//! The packages of a list: searched by words, narrowed by the values of their bundles.

use std::collections::{BTreeSet, HashSet};

use super::command::Command;
use super::reply::PageError;
use super::route::List;
use super::site::PageContext;
use olmdex_index::query::{Filter, Hit, PackageRow, SearchQuery, Status};

/// The answer as data: that of `search` for words, and that of `list packages` without.
pub(super) enum Answer {
    Found(Vec<Hit>),
    Listed(Vec<PackageRow>),
}

pub(super) fn answer(context: PageContext<'_>, list: &List) -> Result<Answer, PageError> {
    for catalog in &list.catalogs {
        context.must_have_catalog(Some(catalog))?;
    }
    let query = query(list);
    let status = list.status.as_deref().and_then(Status::from_word);
    if !list.words.is_empty() {
        let mut hits = context.index().search(&query)?;
        context.index().retain_with_status(&mut hits, status.as_slice())?;
        return Ok(Answer::Found(hits));
    }
    let mut rows = context.index().packages(&Filter { catalogs: query.catalogs.clone(), ..Filter::default() })?;
    rows.retain(|it| status.is_none_or(|status| it.status() == status));
    if let Some(matching) = context.index().matching(&query)? {
        let packages: HashSet<(&str, &str)> = matching.iter().map(|it| (&*it.0, &*it.1)).collect();
        rows.retain(|it| packages.contains(&(it.catalog.as_str(), it.package.as_str())));
    }
    Ok(Answer::Listed(rows))
}

/// The names of the packages of an answer.
pub(super) fn names(answer: &Answer) -> BTreeSet<&str> {
    match answer {
        Answer::Found(hits) => hits.iter().map(|it| it.package.as_str()).collect(),
        Answer::Listed(rows) => rows.iter().map(|it| it.package.as_str()).collect(),
    }
}

fn query(list: &List) -> SearchQuery {
    SearchQuery {
        words: list.words.clone(),
        features: list.features.iter().map(|it| (it.clone(), Some("true".to_owned()))).collect(),
        categories: list.categories.clone(),
        capabilities: list.capabilities.clone(),
        architectures: list.archs.clone(),
        providers: list.providers.clone(),
        install_modes: list.modes.clone(),
        catalogs: list.catalogs.clone(),
        ..SearchQuery::default()
    }
}

pub(super) fn command(list: &List) -> Command {
    let command = match list.words.as_str() {
        "" => Command::new("list").name("packages"),
        words => words.split(' ').fold(Command::new("search"), |command, word| command.name(word)),
    };
    let features: Vec<String> = list.features.iter().map(|it| format!("{it}=true")).collect();
    let several = [
        ("--category", &list.categories),
        ("--provider", &list.providers),
        ("--capability", &list.capabilities),
        ("--feature", &features),
        ("--arch", &list.archs),
        ("--install-mode", &list.modes),
        ("--catalog", &list.catalogs),
    ];
    let command = several.into_iter().fold(command, |command, (option, values)| {
        values.iter().fold(command, |command, value| command.option(option, value))
    });
    command.given("--status", list.status.as_ref())
}
