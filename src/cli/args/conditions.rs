//! Conditions on bundles, for searches and lists.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::diag::closest;
use crate::index::query::{ApiPattern, FacetKind, SearchQuery, Status};
use crate::index::{Index, IndexError};
use crate::version::first_of;

/// The wanted bundles. All conditions must hold for one bundle.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Conditions {
    /// Only bundles that provide this API; parts may be empty; may be repeated
    #[arg(long, value_name = "GROUP/VERSION/KIND")]
    provides: Vec<String>,
    /// Only bundles with this text in the reference of their image, or of one that they use; may be repeated
    #[arg(long, value_name = "TEXT")]
    image: Vec<String>,
    /// Only bundles with this feature, for example disconnected=true; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    feature: Vec<String>,
    /// Only bundles in this category, for example Database; may be repeated
    #[arg(long, value_name = "CATEGORY")]
    category: Vec<String>,
    /// Only bundles with this keyword; may be repeated
    #[arg(long, value_name = "KEYWORD")]
    keyword: Vec<String>,
    /// Only bundles of this capability level, for example `Deep Insights` or 4; if repeated, of any of them
    #[arg(long, value_name = "LEVEL")]
    capability: Vec<String>,
    /// Only bundles that support this architecture, for example arm64; amd64 also those that state none. May be
    /// repeated
    #[arg(long, value_name = "ARCH")]
    arch: Vec<String>,
    /// Only bundles of this provider, by its whole name in any letter case; if repeated, of any of them
    #[arg(long, value_name = "PROVIDER")]
    provider: Vec<String>,
    /// Only bundles that support this install mode, for example AllNamespaces; may be repeated
    #[arg(long, value_name = "MODE")]
    install_mode: Vec<String>,
}

/// How many values a message names.
const SHOWN: usize = 10;

impl Conditions {
    /// The conditions that no bundle can meet, because none has such a feature, category, architecture, provider or
    /// install mode, in words.
    pub(crate) fn unknown(&self, index: &Index) -> Result<Vec<String>, IndexError> {
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
                found.push(format!("no bundle has the {what} `{value}`: {help}"));
            }
        }
        Ok(found)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
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
    pub(crate) fn query(&self, words: &[String], catalogs: &[String]) -> SearchQuery {
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

/// Reads a status by its word.
pub(crate) fn statuses() -> impl TypedValueParser<Value = Status> {
    let about = |it: Status| match it {
        Status::Current => "neither deprecated nor invalid",
        Status::Deprecated => "deprecated by its own entry",
        Status::Invalid => "a package with errors",
    };
    let words = PossibleValuesParser::new(Status::ALL.map(|it| PossibleValue::new(it.word()).help(about(it))));
    words.try_map(|it| Status::from_word(&it).ok_or("no such status"))
}
