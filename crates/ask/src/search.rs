//! Searches for packages, by words and conditions.

use std::collections::{BTreeSet, HashSet};

use super::error::AskError;
use olmdex_base::diag::closest;
use olmdex_index::Index;
use olmdex_index::query::{Hit, SearchQuery, Status};

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
#[must_use]
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
#[must_use]
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
