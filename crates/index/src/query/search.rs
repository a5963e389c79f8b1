//! Finding packages by words and by the APIs, images and platforms of their bundles.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::{DEFAULT_ARCHITECTURE, catalogs_json};
use crate::{Index, IndexError, LightIndex};

/// The search conditions; without any, nothing is found. One bundle must have the words, APIs and images. The default
/// head, which one installs, must meet the others if packages are searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// Words, all of which must occur in the name, display name, provider, keywords, description or APIs of a bundle
    /// or package. The last one may be the beginning of a word.
    pub words: String,
    /// APIs that the bundle provides.
    pub provides: Vec<ApiPattern>,
    /// Parts of references of images. Each must occur in an image of the bundle or its own reference.
    pub images: Vec<String>,
    /// Features and their values; without a value, any value.
    pub features: Vec<(String, Option<String>)>,
    /// Categories, in any letter case.
    pub categories: Vec<String>,
    /// Keywords, in any letter case.
    pub keywords: Vec<String>,
    /// Capability levels, in any letter case, of which the bundle must have one: `Deep Insights`, or its number from 1
    /// to 5.
    pub capabilities: Vec<String>,
    /// Architectures that the bundle supports, as in `arm64`. A bundle that states none supports
    /// [`DEFAULT_ARCHITECTURE`].
    pub architectures: Vec<String>,
    /// Providers, in any letter case, of which the bundle must have one.
    pub providers: Vec<String>,
    /// Install modes that the bundle supports, as in `AllNamespaces`.
    pub install_modes: Vec<String>,
    /// Names of catalogs; empty for all.
    pub catalogs: Vec<String>,
}

impl SearchQuery {
    /// Reads a condition for a feature: `NAME`, or `NAME=VALUE`.
    pub fn feature(text: &str) -> (String, Option<String>) {
        match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (text.to_owned(), None),
        }
    }

    /// Whether it asks for anything of a bundle; the catalogs only say where.
    pub fn has_conditions(&self) -> bool {
        *self != Self { catalogs: self.catalogs.clone(), ..Self::default() }
    }
}

/// The place of a bundle: its catalog, package and name.
pub type BundlePlace = (String, String, String);

/// An API in which parts may be left open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiPattern {
    /// The group; any if empty.
    pub group: String,
    /// The version; any if empty.
    pub version: String,
    /// The kind, in any letter case; any if empty.
    pub kind: String,
}

impl ApiPattern {
    /// Reads `GROUP/VERSION/KIND`, where each part may be empty, or `GROUP/KIND`, `GROUP/VERSION`, `GROUP`, `KIND` or
    /// `KIND.VERSION.GROUP`: a kind starts with a capital letter or has no dot, a version is `v` and a digit.
    pub fn parse(text: &str) -> Self {
        let parts: Vec<&str> = text.splitn(3, '/').map(str::trim).collect();
        let own = |it: &str| it.to_owned();
        let is_version = |it: &str| it.strip_prefix('v').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        match parts[..] {
            [group, version, kind] => Self { group: own(group), version: own(version), kind: own(kind) },
            [group, version] if is_version(version) => {
                Self { group: own(group), version: own(version), kind: String::new() }
            }
            [version, kind] if is_version(version) => {
                Self { group: String::new(), version: own(version), kind: own(kind) }
            }
            [group, kind] => Self { group: own(group), version: String::new(), kind: own(kind) },
            [name] if name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains('.') => {
                let mut parts = name.splitn(3, '.').map(own);
                let mut next = || parts.next().unwrap_or_default();
                let (kind, second, rest) = (next(), next(), next());
                if is_version(&second) {
                    Self { group: rest, version: second, kind }
                } else {
                    let group = if rest.is_empty() { second } else { format!("{second}.{rest}") };
                    Self { group, version: String::new(), kind }
                }
            }
            [group] if group.contains('.') => Self { group: own(group), ..Self::default() },
            [kind] => Self { kind: own(kind), ..Self::default() },
            _ => Self::default(),
        }
    }
}

impl LightIndex {
    /// The pattern by which bundles have an API: the same if an API has its group and kind; else the kind of which the
    /// pattern has the plural, as the names of definitions and the paths of the API server do. `None` if none fits.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn api_meant(&self, pattern: &ApiPattern) -> Result<Option<ApiPattern>, IndexError> {
        let all = self.api_names()?;
        let apis = || all.iter().filter_map(|it| Some((it.split('/').next()?, it.rsplit('/').next()?)));
        let fits = |wanted: &str, text: &str| wanted.is_empty() || text == wanted;
        let ApiPattern { group, version, kind } = pattern;
        if apis().any(|it| fits(group, it.0) && (kind.is_empty() || kind.eq_ignore_ascii_case(it.1))) {
            return Ok(Some(pattern.clone()));
        }
        let name = if kind.is_empty() { group } else { kind };
        let (plural, group) = name.split_once('.').unwrap_or((kind, group));
        let found = apis().find(|it| fits(group, it.0) && is_plural(plural, &it.1.to_ascii_lowercase()));
        Ok(found.map(|it| ApiPattern { group: group.to_owned(), version: version.clone(), kind: it.1.to_owned() }))
    }
}

/// Whether a word is the plural of a kind in lower case, or the kind itself.
fn is_plural(word: &str, kind: &str) -> bool {
    let by_ending = |(one, many)| kind.strip_suffix(one).is_some_and(|stem| word.strip_suffix(many) == Some(stem));
    [("", ""), ("", "s"), ("", "es"), ("y", "ies")].into_iter().any(by_ending)
}

/// A package that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The head of its default channel; empty if there is not exactly one.
    pub head: String,
    /// Version of that bundle.
    pub head_version: String,
    /// The highest version of the package, whether it matches or not.
    #[serde(skip)]
    pub highest_version: String,
    /// The newest bundle that matches; `null` if only the package itself does.
    pub bundle: Option<String>,
    /// Its version; `null` without a bundle.
    pub version: Option<String>,
    /// Its display name.
    pub display_name: String,
    /// Its provider.
    pub provider: String,
    /// The number of bundles of the package that match.
    pub bundles: u64,
    /// How well it matches the words; higher is better, 0 without words.
    pub score: f64,
}

/// A package that matches, without the data of its bundles.
#[derive(Debug, Clone, PartialEq)]
pub struct PackageMatch {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// How well it matches the words; higher is better, 0 without words.
    pub score: f64,
}

/// Weights: name, display name, provider, keywords, description, API.
const WORDS: &str = "
WITH hit AS MATERIALIZED (
    SELECT rowid AS profile, -bm25(search, 10.0, 8.0, 4.0, 5.0, 1.0, 3.0) AS score FROM search WHERE search MATCH ?1
)
SELECT b.document, h.score FROM hit h CROSS JOIN bundle b ON b.profile = h.profile
UNION ALL
SELECT k.document, h.score FROM hit h CROSS JOIN package k ON k.profile = h.profile";

/// The table of APIs is small; the table of their providers is not.
const PROVIDES: &str = "
SELECT DISTINCT p.document
FROM (SELECT id FROM api
      WHERE (?1 = '' OR \"group\" = ?1) AND (?2 = '' OR version = ?2) AND (?3 = '' OR kind = ?3 COLLATE NOCASE)) a
CROSS JOIN provided_api p ON p.api = a.id";

const IMAGE: &str = "
WITH found AS MATERIALIZED (SELECT id FROM image WHERE instr(reference, ?1) > 0)
SELECT b.document FROM found f CROSS JOIN bundle b ON b.image = f.id
UNION
SELECT r.document FROM found f CROSS JOIN related_image r ON r.image = f.id";

const FEATURE: &str = "SELECT document FROM feature WHERE name = ?1 AND (?2 IS NULL OR value = ?2)";

const CATEGORY: &str = "SELECT document FROM category WHERE category = ?1 COLLATE NOCASE";

const KEYWORD: &str = "SELECT document FROM keyword WHERE keyword = ?1 COLLATE NOCASE";

const CAPABILITY: &str = "SELECT document FROM bundle WHERE capability_level = ?1 COLLATE NOCASE";

const ARCHITECTURE: &str = "SELECT document FROM platform WHERE kind = 'arch' AND name = ?1 AND value = 'supported'";

/// Bundles that state no architecture. Reads every bundle.
const STATES_NO_ARCHITECTURE: &str = "
SELECT document FROM bundle b
WHERE NOT EXISTS (SELECT 1 FROM platform p WHERE p.document = b.document AND p.kind = 'arch')";

/// Reads every bundle: searches for a provider are too rare for an index.
const PROVIDER: &str = "SELECT document FROM bundle WHERE provider = ?1 COLLATE NOCASE";

/// Reads every bundle too: this search is too rare for an index.
const INSTALL_MODE: &str = "SELECT document FROM install_mode WHERE type = ?1 COLLATE NOCASE AND supported";

const MATCHING: &str = "
SELECT c.name, b.package, b.name
FROM json_each(?1) j
CROSS JOIN bundle b ON b.document = j.value
CROSS JOIN catalog_document cd INDEXED BY catalog_document_document ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog";

/// The levels of the Operator Capability Model, in their order.
const CAPABILITIES: [&str; 5] = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

/// The name of a capability level that was given by its number.
fn capability(text: &str) -> &str {
    let number = text.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
    number.and_then(|it| CAPABILITIES.get(it)).copied().unwrap_or(text)
}

/// The documents come as a list in JSON.
const PLACES: &str = "
SELECT c.id, d.package, d.id, b.version_key
FROM json_each(?1) j
CROSS JOIN document d ON d.id = j.value
CROSS JOIN catalog_document cd INDEXED BY catalog_document_document ON cd.document = d.id
CROSS JOIN catalog c ON c.id = cd.catalog
LEFT JOIN bundle b ON b.document = d.id
WHERE ?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2))";

const CATALOGS: &str = "SELECT id, name FROM catalog";

const HIT: &str = concat!(
    "
SELECT c.name, d.package, coalesce(b.name, ''), coalesce(b.version, ''), coalesce(b.display_name, ''),
       coalesce(b.provider, ''), coalesce(n.name, ''), coalesce(h.version, ''), ",
    highest_version!("d.package"),
    "
FROM catalog c CROSS JOIN document d LEFT JOIN bundle b ON b.document = d.id
LEFT JOIN catalog_package p ON p.catalog = c.id AND p.package = d.package
",
    default_head!(),
    "WHERE c.id = ?1 AND d.id = ?2"
);

/// Documents and their scores.
type Scores = BTreeMap<i64, f64>;

/// The packages that fit, by catalog and name. If only one bundle of a package counts, its document.
type Fitting = HashMap<(i64, String), Option<i64>>;

/// The bundle of each package that one installs by default.
const HEADS: &str = concat!(heads!(), " SELECT catalog, package, document FROM head WHERE document IS NOT NULL");

/// The documents that both have, with the scores of the first.
fn narrowed(found: Option<Scores>, matching: Scores) -> Option<Scores> {
    Some(match found {
        None => matching,
        Some(mut found) => {
            found.retain(|document, _| matching.contains_key(document));
            found
        }
    })
}

/// The newest bundle of a package so far (or the package itself, which has no version), and the best score.
struct Best {
    document: i64,
    score: f64,
    version_key: Option<Vec<u8>>,
    bundles: u64,
}

impl Index {
    /// Packages that match, best first; with equal scores, by package and catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn search(&self, query: &SearchQuery) -> Result<Vec<Hit>, IndexError> {
        let Some((found, fitting)) = self.of_packages(query)? else { return Ok(Vec::new()) };
        let mut hits = self.hits(&found, fitting.as_ref(), &query.catalogs)?;
        // Stable, so that equal scores keep the order of names.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(hits)
    }

    /// The packages that match, in no order; none without conditions. Pages need no more of a hit, and this takes a
    /// third of the time of [`Self::search`].
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn matches(&self, query: &SearchQuery) -> Result<Vec<PackageMatch>, IndexError> {
        let Some((found, fitting)) = self.of_packages(query)? else { return Ok(Vec::new()) };
        let best = self.best(&found, fitting.as_ref(), &query.catalogs)?;
        let names: HashMap<i64, String> =
            self.rows(CATALOGS, [], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect();
        let matches = best.into_iter().filter_map(|((catalog, package), best)| {
            Some(PackageMatch { catalog: names.get(&catalog)?.clone(), package, score: best.score })
        });
        Ok(matches.collect())
    }

    /// The bundles that meet all conditions, by catalog, package and name; `None` if there are no conditions.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn matching(&self, query: &SearchQuery) -> Result<Option<BTreeSet<BundlePlace>>, IndexError> {
        let found = match self.fitting(query)? {
            Some(fitting) => narrowed(self.found(query)?, fitting),
            None => self.found(query)?,
        };
        let Some(found) = found else { return Ok(None) };
        let documents: Vec<i64> = found.into_keys().collect();
        let documents = serde_json::to_string(&documents).unwrap_or_default();
        let rows = self.rows(MATCHING, [documents], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(Some(rows.into_iter().collect()))
    }

    /// The documents of packages that match, and the packages that may have them; `None` if there are no conditions.
    fn of_packages(&self, query: &SearchQuery) -> Result<Option<(Scores, Option<Fitting>)>, IndexError> {
        let found = self.found(query)?;
        let Some(fitting) = self.fitting(query)? else { return Ok(found.map(|found| (found, None))) };
        let heads = self.rows(HEADS, [], |row| Ok(((row.get(0)?, row.get(1)?), row.get::<_, i64>(2)?)))?;
        let counts = |document: i64| found.is_none().then_some(document);
        let heads = heads.into_iter().filter(|(_, document)| fitting.contains_key(document));
        let packages = heads.map(|(package, document)| (package, counts(document))).collect();
        Ok(Some((found.unwrap_or(fitting), Some(packages))))
    }

    /// The documents with the words, APIs and images, with their scores; `None` if the query has none of these.
    fn found(&self, query: &SearchQuery) -> Result<Option<Scores>, IndexError> {
        let mut found: Option<Scores> = None;
        let mut narrow = |matching| found = narrowed(found.take(), matching);
        let plain = |documents: Vec<i64>| documents.into_iter().map(|it| (it, 0.0)).collect::<Scores>();
        let provided =
            |api: &ApiPattern| self.rows(PROVIDES, [&api.group, &api.version, &api.kind], |row| row.get(0)).map(plain);
        if let Some(words) = match_expression(&query.words) {
            let mut matching = self.with_words(&words)?;
            // No text has the name of a definition.
            if matching.is_empty()
                && let Some(api) = self.api_meant(&ApiPattern::parse(query.words.trim()))?
            {
                matching = provided(&api)?;
            }
            narrow(matching);
        } else if !query.words.trim().is_empty() {
            return Ok(Some(Scores::new()));
        }
        for api in &query.provides {
            narrow(provided(self.api_meant(api)?.as_ref().unwrap_or(api))?);
        }
        for image in &query.images {
            narrow(plain(self.rows(IMAGE, [image], |row| row.get(0))?));
        }
        Ok(found)
    }

    /// The documents that meet the other conditions; `None` if there are none.
    fn fitting(&self, query: &SearchQuery) -> Result<Option<Scores>, IndexError> {
        let mut found: Option<Scores> = None;
        let mut narrow = |documents: Vec<i64>| {
            found = narrowed(found.take(), documents.into_iter().map(|it| (it, 0.0)).collect());
        };
        for (name, value) in &query.features {
            narrow(self.rows(FEATURE, params![name, value], |row| row.get(0))?);
        }
        let facts = [(CATEGORY, &query.categories), (KEYWORD, &query.keywords), (INSTALL_MODE, &query.install_modes)];
        for (sql, wanted) in facts {
            for name in wanted {
                narrow(self.rows(sql, [name], |row| row.get(0))?);
            }
        }
        for name in &query.architectures {
            let mut any = self.rows(ARCHITECTURE, [name], |row| row.get(0))?;
            if name == DEFAULT_ARCHITECTURE {
                any.extend(self.rows(STATES_NO_ARCHITECTURE, [], |row| row.get::<_, i64>(0))?);
            }
            narrow(any);
        }
        let levels: Vec<&str> = query.capabilities.iter().map(|it| capability(it)).collect();
        let providers = query.providers.iter().map(String::as_str).collect();
        for (sql, wanted) in [(CAPABILITY, levels), (PROVIDER, providers)].into_iter().filter(|it| !it.1.is_empty()) {
            let mut any: Vec<i64> = Vec::new();
            for name in wanted {
                any.extend(self.rows(sql, [name], |row| row.get::<_, i64>(0))?);
            }
            narrow(any);
        }
        Ok(found)
    }

    fn with_words(&self, words: &str) -> Result<Scores, IndexError> {
        Ok(self.rows(WORDS, [words], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
    }

    /// The best match of each package of documents.
    fn best(
        &self,
        found: &Scores,
        fitting: Option<&Fitting>,
        catalogs: &[String],
    ) -> Result<HashMap<(i64, String), Best>, IndexError> {
        let documents: Vec<i64> = found.keys().copied().collect();
        let documents = serde_json::to_string(&documents).unwrap_or_default();
        let mut packages: HashMap<(i64, String), Best> = HashMap::new();
        self.rows(PLACES, params![documents, catalogs_json(catalogs)], |row| {
            let (package, document) = ((row.get(0)?, row.get(1)?), row.get(2)?);
            let is_one = |of: &Option<i64>| of.is_none_or(|head| head == document);
            if !fitting.is_none_or(|fitting| fitting.get(&package).is_some_and(is_one)) {
                return Ok(());
            }
            let version_key: Option<Vec<u8>> = row.get(3)?;
            let bundles = u64::from(version_key.is_some());
            let score = found.get(&document).copied().unwrap_or(0.0);
            let candidate = Best { document, score, version_key, bundles };
            match packages.entry(package) {
                Entry::Vacant(entry) => {
                    entry.insert(candidate);
                }
                Entry::Occupied(mut entry) => {
                    let best = entry.get_mut();
                    let bundles = best.bundles + candidate.bundles;
                    let score = best.score.max(candidate.score);
                    if candidate.version_key > best.version_key {
                        *best = candidate;
                    }
                    (best.bundles, best.score) = (bundles, score);
                }
            }
            Ok(())
        })?;
        Ok(packages)
    }

    /// The packages of documents, by package and catalog.
    fn hits(&self, found: &Scores, fitting: Option<&Fitting>, catalogs: &[String]) -> Result<Vec<Hit>, IndexError> {
        let packages = self.best(found, fitting, catalogs)?;
        let mut hits = Vec::with_capacity(packages.len());
        for ((catalog, _), best) in packages {
            let is_bundle = best.version_key.is_some();
            hits.extend(self.rows(HIT, [catalog, best.document], |row| {
                Ok(Hit {
                    catalog: row.get(0)?,
                    package: row.get(1)?,
                    bundle: is_bundle.then(|| row.get(2)).transpose()?,
                    version: is_bundle.then(|| row.get(3)).transpose()?,
                    display_name: row.get(4)?,
                    provider: row.get(5)?,
                    head: row.get(6)?,
                    head_version: row.get(7)?,
                    highest_version: row.get(8)?,
                    bundles: best.bundles,
                    score: best.score,
                })
            })?);
        }
        hits.sort_by(|a, b| (&a.package, &a.catalog).cmp(&(&b.package, &b.catalog)));
        Ok(hits)
    }
}

/// The words as an expression of FTS5: each one quoted, so that no character in it is an operator, the last one a
/// prefix. `None` if there are no words.
fn match_expression(words: &str) -> Option<String> {
    let quoted: Vec<String> = words
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| format!("\"{}\"", word.replace('\0', "").replace('"', "\"\"")))
        .collect();
    if quoted.is_empty() { None } else { Some(format!("{} *", quoted.join(" "))) }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("documents with words", WORDS),
    ("who provides an API", PROVIDES),
    ("who uses an image", IMAGE),
    ("who has a feature", FEATURE),
    ("who is in a category", CATEGORY),
    ("who has a keyword", KEYWORD),
    ("who has a capability level", CAPABILITY),
    ("who supports an architecture", ARCHITECTURE),
    ("names of bundles", MATCHING),
    ("places of documents", PLACES),
    ("default heads", HEADS),
    ("hit", HIT),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_become_operators() {
        assert_eq!(
            match_expression("kafka OR \"x y\" -- 3.1*").as_deref(),
            Some(r#""kafka" "OR" """x" "y""" "3.1*" *"#)
        );
        assert_eq!(match_expression(" -- ' "), None);
    }

    #[test]
    fn parts_of_an_api_may_be_left_out() {
        let api = |group: &str, version: &str, kind: &str| ApiPattern {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        };
        assert_eq!(ApiPattern::parse("a.b/v1/Foo"), api("a.b", "v1", "Foo"));
        assert_eq!(ApiPattern::parse("//Foo"), api("", "", "Foo"));
        assert_eq!(ApiPattern::parse("a.b/Foo"), api("a.b", "", "Foo"));
        assert_eq!(ApiPattern::parse("a.b/v1beta1"), api("a.b", "v1beta1", ""));
        assert_eq!(ApiPattern::parse("v1/Foo"), api("", "v1", "Foo"));
        assert_eq!(ApiPattern::parse("a.b"), api("a.b", "", ""));
        assert_eq!(ApiPattern::parse("Foo"), api("", "", "Foo"));
    }
}
