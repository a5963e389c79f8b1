//! Searches for packages, by words and conditions.

use std::collections::{BTreeSet, HashSet};

#[cfg(feature = "clap")]
use super::command_line::one_of;
use super::error::AskError;
use super::question::{Answer, Question, State, Verdict};
use olmdex_base::diag::{closest, grouped};
use olmdex_index::query::{ApiPattern, FacetKind, Hit, SearchQuery, Status};
use olmdex_index::{Index, IndexError};
use olmdex_version::first_of;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The wanted bundles, which meet all conditions. Any bundle of a package may have the words, APIs and images; its
/// default head must meet the others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Conditions {
    /// Only bundles that provide this API; parts may be empty; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "GROUP/VERSION/KIND"))]
    pub provides: Vec<String>,
    /// Only bundles with this text in the reference of their image, or of one that they use; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "TEXT"))]
    pub image: Vec<String>,
    /// Only bundles with this feature, for example disconnected=true; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME[=VALUE]"))]
    pub feature: Vec<String>,
    /// Only bundles in this category, for example Database; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "CATEGORY"))]
    pub category: Vec<String>,
    /// Only bundles with this keyword; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "KEYWORD"))]
    pub keyword: Vec<String>,
    /// Only bundles of this capability level, for example `Deep Insights` or 4; if repeated, of any of them
    #[cfg_attr(feature = "clap", arg(long, value_name = "LEVEL"))]
    pub capability: Vec<String>,
    /// Only bundles that support this architecture, for example arm64; amd64 also those that state none. May be
    /// repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "ARCH"))]
    pub arch: Vec<String>,
    /// Only bundles of this provider, by its whole name in any letter case; if repeated, of any of them
    #[cfg_attr(feature = "clap", arg(long, value_name = "PROVIDER"))]
    pub provider: Vec<String>,
    /// Only bundles that support this install mode, for example AllNamespaces; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "MODE"))]
    pub install_mode: Vec<String>,
}

/// How many values a message names.
const SHOWN: usize = 10;

impl Conditions {
    /// The conditions that no bundle can meet, because none has such a feature, category, architecture, provider or
    /// install mode, in words.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn unknown(&self, index: &Index) -> Result<Vec<String>, IndexError> {
        let by_kind = [
            (FacetKind::Feature, "feature", &self.feature),
            (FacetKind::Category, "category", &self.category),
            (FacetKind::Architecture, "architecture", &self.arch),
            (FacetKind::Provider, "provider", &self.provider),
            (FacetKind::InstallMode, "install mode", &self.install_mode),
        ];
        if by_kind.iter().all(|it| it.2.is_empty()) {
            return Ok(Vec::new());
        }
        let facets = index.facets()?;
        let mut found = Vec::new();
        for (kind, what, wanted) in by_kind {
            let mut known: Vec<String> = match kind {
                FacetKind::Feature => index.feature_names()?,
                _ => facets.iter().filter(|it| it.kind == kind).map(|it| it.value.clone()).collect(),
            };
            known.dedup();
            for value in wanted {
                let value =
                    if kind == FacetKind::Feature { value.split('=').next().unwrap_or_default() } else { value };
                if known.iter().any(|it| it.eq_ignore_ascii_case(value)) {
                    continue;
                }
                let help = match closest(value, known.iter().map(String::as_str)) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if known.is_empty() => "the index has none".to_owned(),
                    None => format!("there are {}", first_of(known.iter().take(SHOWN), known.len())),
                };
                let whose = if kind == FacetKind::Feature { "bundle" } else { "default head" };
                found.push(format!("no {whose} has the {what} `{value}`: {help}"));
            }
        }
        Ok(found)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        let all = [
            &self.provides,
            &self.image,
            &self.feature,
            &self.category,
            &self.keyword,
            &self.capability,
            &self.arch,
            &self.provider,
            &self.install_mode,
        ];
        all.iter().all(|it| it.is_empty())
    }

    /// The search for bundles that meet them, and have these words.
    pub fn query(&self, words: &[String], catalogs: &[String]) -> SearchQuery {
        SearchQuery {
            words: words.join(" "),
            provides: self.provides.iter().map(|it| ApiPattern::parse(it)).collect(),
            images: self.image.clone(),
            features: self.feature.iter().map(|it| SearchQuery::feature(it)).collect(),
            categories: self.category.clone(),
            keywords: self.keyword.clone(),
            capabilities: self.capability.clone(),
            architectures: self.arch.clone(),
            providers: self.provider.clone(),
            install_modes: self.install_mode.clone(),
            catalogs: catalogs.to_vec(),
        }
    }
}

/// The packages that words, APIs, images or features find
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct SearchQuestion {
    /// Words that must all occur in the name, display name, provider, keywords, description or APIs of one bundle
    #[cfg_attr(feature = "clap", arg(value_name = "WORDS"))]
    #[serde(deserialize_with = "single_words")]
    pub words: Vec<String>,
    /// The wanted bundles.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub conditions: Conditions,
    /// Only packages with this status; if repeated, with any of them
    #[cfg_attr(feature = "clap", arg(long, value_name = "STATUS", value_parser = one_of::<Status>()))]
    pub status: Vec<Status>,
    /// At most this many packages, the best first
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub limit: Option<usize>,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
}

/// Words that may come as one text.
fn single_words<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    Ok(texts.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect())
}

impl Question for SearchQuestion {
    const NAME: &'static str = "search";
    const KIND: &'static str = "SearchResult";
    type Index = Index;
    type Item = Hit;

    /// Every package may be found.
    fn names(&self) -> Vec<&String> {
        Vec::new()
    }

    fn check(&self) -> Result<(), AskError> {
        match self.words.iter().all(|it| it.trim().is_empty()) && self.conditions.is_empty() {
            true => Err(AskError::Unfit {
                what: "nothing to search for",
                help: "give search words, or a condition such as `--provides`, `--category` or `--feature`",
            }),
            false => Ok(()),
        }
    }

    /// The packages that are found, the best first. The verdict is negative if there is none.
    fn ask(&self, state: &State<'_>) -> Result<Answer<Hit>, AskError> {
        self.check()?;
        let query = self.conditions.query(&self.words, &self.catalog);
        let mut items = search(state.index, &query, &self.status)?;
        let mut notes = Vec::new();
        if let Some(limit) = self.limit.filter(|it| *it < items.len()) {
            let more = grouped((items.len() - limit) as u64);
            items.truncate(limit);
            notes.push(format!("{more} more; raise `--limit` to list them"));
        }
        if items.is_empty() {
            notes.extend(self.conditions.unknown(state.index)?);
        }
        let verdict = Verdict::negative_if(items.is_empty());
        Ok(Answer { items, verdict, warnings: Vec::new(), notes })
    }
}

/// The packages that are found, the best first; only those of these statuses, if any are named.
///
/// # Errors
/// If the index cannot be read.
pub fn search(index: &Index, query: &SearchQuery, statuses: &[Status]) -> Result<Vec<Hit>, AskError> {
    let mut hits = index.search(query)?;
    index.retain_with_status(&mut hits, statuses)?;
    Ok(hits)
}

/// Another search to try if a search finds nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retry {
    /// These words, all of them.
    Words(String),
    /// One of these words.
    Any(Vec<String>),
}

/// The searches to try if words find nothing, in this order: the words as one, neighbours as one, the words without
/// slips, one of the words. `known` are the words of names.
pub fn retries(words: &str, known: &BTreeSet<String>) -> Vec<Retry> {
    let lower = words.to_lowercase();
    let all: Vec<&str> = lower.split_whitespace().collect();
    let mut found = Vec::new();
    if all.len() > 1 {
        found.push(Retry::Words(all.concat()));
        for at in 0..all.len().saturating_sub(1) {
            let joined = format!("{}{}", all[at], all[at + 1]);
            if all.len() > 2 && known.contains(&joined) {
                let mut words: Vec<&str> = all[..at].to_vec();
                words.push(&joined);
                words.extend(&all[at + 2..]);
                found.push(Retry::Words(words.join(" ")));
            }
        }
    }
    let nearest = |word: &str| closest(word, known.iter().map(String::as_str));
    let better: Vec<&str> =
        all.iter().map(|it| if known.contains(*it) { it } else { nearest(it).unwrap_or(it) }).collect();
    if better != all {
        found.push(Retry::Words(better.join(" ")));
    }
    if all.len() > 1 {
        found.push(Retry::Any(all.iter().map(|it| (*it).to_owned()).collect()));
    }
    found.retain(|it| *it != Retry::Words(lower.clone()));
    found
}

/// The names that have the most groups of three letters in common with words, the best first, at most so many; names
/// with too few such groups are left out.
pub fn nearest_names<'n>(words: &str, names: impl IntoIterator<Item = &'n str>, n_most: usize) -> Vec<&'n str> {
    let wanted = trigrams(words);
    let mut scored: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let other = trigrams(name);
        let n_common = wanted.intersection(&other).count();
        let per_mille = 2000 * n_common / (wanted.len() + other.len()).max(1);
        if per_mille >= MIN_LIKENESS {
            scored.push((per_mille, name));
        }
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup();
    scored.into_iter().take(n_most).map(|it| it.1).collect()
}

/// The least similarity of a name, in thousandths.
const MIN_LIKENESS: usize = 300;

fn trigrams(text: &str) -> HashSet<[char; 3]> {
    let plain: Vec<char> = text.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect();
    plain.windows(3).map(|it| [it[0], it[1], it[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_tried_again_with_other_words() {
        let known: BTreeSet<String> = ["gitops", "kafka", "redhat"].iter().map(|it| (*it).to_owned()).collect();
        let words = |it: &str| Retry::Words(it.to_owned());
        let any = |all: &[&str]| Retry::Any(all.iter().map(|it| (*it).to_owned()).collect());
        for (typed, expected) in [
            ("Git Ops", vec![words("gitops"), any(&["git", "ops"])]),
            ("kafak", vec![words("kafka")]),
            ("red hat kafka", vec![words("redhatkafka"), words("redhat kafka"), any(&["red", "hat", "kafka"])]),
            ("kafka", vec![]),
        ] {
            let found = retries(typed, &known);
            assert!(expected.iter().all(|it| found.contains(it)), "{typed}: {found:?}");
            assert_eq!(found.first(), expected.first(), "{typed}");
        }
    }

    #[test]
    fn names_are_near_by_their_letters() {
        let names = ["strimzi-kafka-operator", "kiali", "prometheus"];
        assert_eq!(nearest_names("strimsi kafka operators", names, 3), ["strimzi-kafka-operator"]);
        assert!(nearest_names("xy", names, 3).is_empty());
    }
}
