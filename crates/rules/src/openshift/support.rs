//! The statements of a lifecycle about a version on a day, and about a version of OpenShift
//! (`docs/behaviour/platform.md` 1.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lifecycle::{Lifecycle, LifecycleVersion, Phase, coerce};
use olmdex_text::calendar::Day;

/// Whether a version is supported on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SupportStatus {
    /// In a phase of support.
    Active,
    /// Support begins later.
    NotStarted,
    /// Support has ended.
    Ended,
    /// Between two phases, which valid data do not have.
    Gap,
    /// There is no data.
    NoData,
}

olmdex_base::named!(SupportStatus => as_str);

/// The support of a version on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Support {
    /// Whether it is supported.
    pub status: SupportStatus,
    /// The phase that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The last day of that phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// The last day of the last phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_ends: Option<String>,
    /// Whether the phase is an add-on that is paid for: extended support.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_add_on: bool,
}

/// The phases that count as supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SupportLevel {
    /// Full support only.
    Full,
    /// Full and maintenance support.
    Maintenance,
    /// Full, maintenance and extended support.
    #[default]
    Extended,
}

/// The compatibility of a version with a version of OpenShift, by its lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlatformFit {
    /// It is listed.
    Compatible,
    /// Others are listed.
    Incompatible,
    /// None is listed.
    NoData,
}

olmdex_base::named!(PlatformFit => as_str);

impl Support {
    /// The support of a version without any data.
    pub fn no_data() -> Self {
        Self { status: SupportStatus::NoData, phase: None, ends: None, support_ends: None, is_add_on: false }
    }

    /// Whether it is supported, at a level. Phases are recognized by their names, which begin with `Full`,
    /// `Maintenance` and `Extended`; others count as maintenance.
    pub fn is_active(&self, level: SupportLevel) -> bool {
        let phase = self.phase.as_deref().unwrap_or_default();
        self.status == SupportStatus::Active
            && match level {
                SupportLevel::Full => starts_with(phase, "full"),
                SupportLevel::Maintenance => !self.is_add_on,
                SupportLevel::Extended => true,
            }
    }

    /// A few words for it.
    pub fn words(&self) -> String {
        let ends = self.support_ends.as_deref().unwrap_or_default();
        match (self.status, &self.phase) {
            (SupportStatus::Active, Some(phase)) if self.is_add_on => format!("{phase} (add-on)"),
            (SupportStatus::Active, Some(phase)) => phase.clone(),
            (SupportStatus::Ended, _) => format!("ended {ends}"),
            (status, _) => status.as_str().to_owned(),
        }
    }
}

fn starts_with(phase: &str, word: &str) -> bool {
    phase.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word))
}

impl LifecycleVersion {
    /// The support on a day: the first phase, by last days, that has it.
    pub fn support(&self, day: Day) -> Support {
        let mut phases: Vec<&Phase> = self.phases.iter().collect();
        phases.sort_by_key(|it| it.end);
        let Some(last) = phases.last() else { return Support::no_data() };
        let first = phases.iter().map(|it| it.start).min();
        let mut support = Support { support_ends: Some(last.end.to_string()), ..Support::no_data() };
        support.status = if let Some(phase) = phases.iter().find(|it| it.start <= day && day <= it.end) {
            support.is_add_on = starts_with(&phase.name, "extended");
            support.phase = Some(phase.name.clone());
            support.ends = Some(phase.end.to_string());
            SupportStatus::Active
        } else if first.is_some_and(|first| day < first) {
            SupportStatus::NotStarted
        } else if day > last.end {
            SupportStatus::Ended
        } else {
            SupportStatus::Gap
        };
        support
    }

    /// Its compatibility with a version of OpenShift: its minor must be listed. A list is no range.
    pub fn fit(&self, openshift: &str) -> PlatformFit {
        let Some(listed) = self.openshift() else { return PlatformFit::NoData };
        let Some(wanted) = coerce(openshift) else { return PlatformFit::NoData };
        match listed.iter().any(|it| coerce(it) == Some(wanted)) {
            true => PlatformFit::Compatible,
            false => PlatformFit::Incompatible,
        }
    }
}

impl Lifecycle {
    /// The support of a version of the operator on a day.
    pub fn support(&self, version: &str, day: Day) -> Support {
        self.version(version).map_or_else(Support::no_data, |it| it.support(day))
    }

    /// The compatibility of a version of the operator with a version of OpenShift.
    pub fn fit(&self, version: &str, openshift: &str) -> PlatformFit {
        self.version(version).map_or(PlatformFit::NoData, |it| it.fit(openshift))
    }
}
