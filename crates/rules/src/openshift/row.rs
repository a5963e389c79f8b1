//! Lifecycles as rows, a minor version each.

use schemars::JsonSchema;
use serde::Serialize;

use super::lifecycle::{Lifecycle, LifecycleVersion, Phase};
use super::support::{PlatformFit, Support};
use olmdex_text::calendar::Day;

/// A minor version of a package, with its support on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleRow {
    /// The catalog that says it, or the file.
    pub source: String,
    /// The package.
    pub package: String,
    /// The minor version; empty if the package has no lifecycle.
    pub minor: String,
    /// The day that was asked about.
    pub date: String,
    /// Its support on that day.
    pub support: Support,
    /// The OpenShift versions that it is made for; `null` if none are stated.
    pub openshift: Option<Vec<String>>,
    /// Its compatibility with the version of OpenShift that was asked about.
    pub compatibility: Option<PlatformFit>,
}

impl LifecycleRow {
    /// The row of a minor version.
    pub fn new(source: &str, package: &str, version: &LifecycleVersion, day: Day, openshift: Option<&str>) -> Self {
        Self {
            source: source.to_owned(),
            package: package.to_owned(),
            minor: version.name.clone(),
            date: day.to_string(),
            support: version.support(day),
            openshift: version.openshift().map(<[String]>::to_vec),
            compatibility: openshift.map(|it| version.fit(it)),
        }
    }

    /// The row of a version without any data.
    pub fn unknown(package: &str, version: &str, day: Day, openshift: Option<&str>) -> Self {
        Self {
            source: String::new(),
            package: package.to_owned(),
            minor: version.to_owned(),
            date: day.to_string(),
            support: Support::no_data(),
            openshift: None,
            compatibility: openshift.map(|_| PlatformFit::NoData),
        }
    }

    /// The rows of a lifecycle: of the entry of a version of the operator, or of all entries.
    pub fn of(
        source: &str,
        lifecycle: &Lifecycle,
        version: Option<&str>,
        day: Day,
        openshift: Option<&str>,
    ) -> Vec<Self> {
        let row = |it: &LifecycleVersion| Self::new(source, &lifecycle.package, it, day, openshift);
        match version {
            Some(version) => lifecycle.version(version).map(row).into_iter().collect(),
            None => lifecycle.versions.iter().map(row).collect(),
        }
    }
}

/// A minor version with its phases, independent of the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifecyclePhases {
    /// The minor version.
    pub minor: String,
    /// Its phases of support, in the order of the lifecycle.
    pub phases: Vec<PhaseRow>,
    /// The OpenShift versions that it is made for; `null` if none are stated.
    pub openshift: Option<Vec<String>>,
}

/// A phase of support.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhaseRow {
    /// Its name.
    pub name: String,
    /// Its first day.
    pub start: String,
    /// Its last day.
    pub end: String,
}

impl From<&LifecycleVersion> for LifecyclePhases {
    fn from(version: &LifecycleVersion) -> Self {
        let phase =
            |it: &Phase| PhaseRow { name: it.name.clone(), start: it.start.to_string(), end: it.end.to_string() };
        Self {
            minor: version.name.clone(),
            phases: version.phases.iter().map(phase).collect(),
            openshift: version.openshift().map(<[String]>::to_vec),
        }
    }
}
