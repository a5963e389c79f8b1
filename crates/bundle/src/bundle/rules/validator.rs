//! The validators by their names, and a bundle that they are asked about.

use std::collections::BTreeSet;

use super::catalog_claims::{self, CatalogClaims};
use super::contents::{Contents, Object};
use super::crd::{self, Definition};
use super::good_practices::Channels;
use super::loader::{self, Loaded};
use super::operator_sdk_csv;
use super::options::Options;
use super::problem::Problem;
use super::service_version::Csv;
use super::{blob, community, content, format, good_practices, hub, multiarch, objects, removed_apis, whole};
use olmdex_base::diag::Finding;

/// A validator that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Validator {
    /// The form of the directory.
    Format,
    /// The files that operator-sdk loads.
    Loader,
    /// The checks of opm on the manifests.
    Content,
    /// ClusterServiceVersion, definitions, and both together.
    Default,
    /// The parts that OperatorHub shows.
    OperatorHubV2,
    /// The annotation `capabilities`.
    Capabilities,
    /// The annotation `categories`.
    Categories,
    /// The three above at once.
    OperatorHub,
    /// Removed APIs.
    DeprecatedApis,
    /// Good practices.
    GoodPractices,
    /// Removed APIs on OpenShift.
    Community,
    /// Architectures.
    Multiarch,
    /// Budgets, priorities and roles.
    Objects,
}

impl Validator {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 13] = [
        Self::Format,
        Self::Loader,
        Self::Content,
        Self::Default,
        Self::OperatorHubV2,
        Self::Capabilities,
        Self::Categories,
        Self::OperatorHub,
        Self::DeprecatedApis,
        Self::GoodPractices,
        Self::Community,
        Self::Multiarch,
        Self::Objects,
    ];

    /// Those of the suite `operatorframework`.
    pub(crate) const OPERATOR_FRAMEWORK: [Self; 5] =
        [Self::OperatorHubV2, Self::Capabilities, Self::Categories, Self::DeprecatedApis, Self::GoodPractices];

    /// Those that every bundle is asked by.
    pub const REQUIRED: [Self; 4] = [Self::Format, Self::Loader, Self::Content, Self::Default];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Loader => "loader",
            Self::Content => "content",
            Self::Default => "default",
            Self::OperatorHubV2 => "operatorhubv2",
            Self::Capabilities => "capabilities",
            Self::Categories => "categories",
            Self::OperatorHub => "operatorhub",
            Self::DeprecatedApis => "alpha-deprecated-apis",
            Self::GoodPractices => "good-practices",
            Self::Community => "community",
            Self::Multiarch => "multiarch",
            Self::Objects => "object",
        }
    }

    /// Whether it is asked only on demand.
    pub fn is_optional(self) -> bool {
        !Self::REQUIRED.contains(&self)
    }
}

/// A bundle that validators are asked about.
pub struct Validation<'a> {
    contents: &'a Contents,
    loaded: Loaded<'a>,
    definitions: Vec<Definition<'a>>,
    channels: Option<Channels>,
    package: Option<String>,
}

impl<'a> Validation<'a> {
    /// Loads a bundle.
    pub fn new(contents: &'a Contents) -> Self {
        let loaded = loader::load(contents);
        let definitions = loaded.objects.iter().filter_map(Definition::of).collect();
        let annotations = format::Annotations::of(contents);
        let channels = annotations.as_ref().map(|it| {
            let listed = it.get("channels.v1").unwrap_or_default().split(',').map(str::to_owned);
            let default = it.get("channel.default.v1").map(str::to_owned);
            Channels { file: it.file, names: listed.chain(default).collect() }
        });
        let package = annotations.as_ref().and_then(|it| it.get("package.v1")).map(str::to_owned);
        Self { contents, loaded, definitions, channels, package }
    }

    /// The media type of a bundle with these files; `None` if opm cannot recognize it.
    pub fn media_type(&self) -> Option<&'static str> {
        format::media_type(self.contents)
    }

    /// The name of the bundle: that of its ClusterServiceVersion, or an empty text.
    pub fn name(&self) -> String {
        self.loaded.csv.map(|object| object.name()).unwrap_or_default()
    }

    /// The claims of the bundle about its place in a catalog; `None` without a ClusterServiceVersion and a package.
    pub fn newcomer(&self) -> Option<CatalogClaims> {
        let csv = Csv::new(self.loaded.csv?);
        let package = self.package.as_deref().filter(|it| !it.is_empty())?;
        let channels = self.channels.as_ref().map(|it| (it.file, it.names.as_slice()));
        let definitions: Vec<_> = self.definitions.iter().map(|it| (it.file, it.node)).collect();
        Some(catalog_claims::of(self.contents, &csv, package, channels, &definitions))
    }

    pub(super) fn objects(&self) -> &[Object<'a>] {
        &self.loaded.objects
    }

    /// The findings of the checks for every bundle, and of these validators: each once, by file and line.
    pub fn findings(&self, optional: &[Validator], options: &Options) -> Vec<Finding> {
        let asked = Validator::REQUIRED.iter().chain(optional);
        let mut all: Vec<Problem> = asked.flat_map(|it| self.ask(*it, options)).filter(|it| it.is_ours).collect();
        all.extend(blob::check(self.contents, &all));
        let mut seen = BTreeSet::new();
        let each = all.iter().map(|problem| problem.finding(self.contents));
        let mut findings: Vec<Finding> =
            each.filter(|it| seen.insert((it.rule.id, it.message.clone(), it.place.clone()))).collect();
        findings.sort_by(|a, b| a.place.cmp(&b.place).then_with(|| a.rule.id.cmp(b.rule.id)));
        findings
    }

    /// Asks one validator.
    pub fn ask(&self, validator: Validator, options: &Options) -> Vec<Problem> {
        match validator {
            Validator::Format => return format::check(self.contents),
            Validator::Loader => return self.loaded.found.clone(),
            Validator::Content => return content::check(self.contents),
            Validator::Objects => return objects::check(&self.loaded.objects),
            _ => {}
        }
        let Some(object) = self.loaded.csv else { return self.without_csv(validator) };
        let csv = Csv::new(object);
        let objects = &self.loaded.objects;
        let removed = |options: &Options| removed_apis::check(&csv, &self.definitions, objects, options);
        match validator {
            Validator::Default => {
                let mut found = operator_sdk_csv::check(&csv);
                self.definitions.iter().for_each(|it| crd::check(it, &mut found));
                let package = self.package.clone();
                let parts =
                    whole::Parts { contents: self.contents, csv, objects, definitions: &self.definitions, package };
                found.extend(whole::check(&parts));
                found
            }
            Validator::OperatorHubV2 => hub::check(&csv).into_iter().chain(removed(options)).collect(),
            Validator::Capabilities => hub::capabilities(&csv),
            Validator::Categories => hub::categories(&csv, options),
            Validator::OperatorHub => {
                let mut found = hub::check(&csv);
                found.extend(hub::capabilities(&csv));
                found.extend(hub::categories(&csv, options));
                found.extend(removed(options));
                found
            }
            Validator::DeprecatedApis => removed(options),
            Validator::GoodPractices => good_practices::check(&csv, self.channels.as_ref()),
            Validator::Community => community::check(&csv, &removed_apis::of_1_22(&self.definitions, objects), options),
            Validator::Multiarch => multiarch::check(&csv),
            Validator::Format | Validator::Loader | Validator::Content | Validator::Objects => Vec::new(),
        }
    }

    /// Definitions are checked without a ClusterServiceVersion, too.
    fn without_csv(&self, validator: Validator) -> Vec<Problem> {
        let mut found = Vec::new();
        if validator == Validator::Default {
            self.definitions.iter().for_each(|it| crd::check(it, &mut found));
        }
        found
    }
}
