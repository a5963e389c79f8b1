//! Profiles: the rules of good practice for each destination of a catalog.

use super::super::pipeline::rules as p;
use super::rules::{self as r};
use olmdex_base::diag::Rule;

/// The destinations of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// To OperatorHub.io, and into the community catalog.
    Community,
    /// Into the catalog of certified operators.
    Certified,
    /// To clusters without a connection.
    Disconnected,
    /// Through the pipelines that build catalogs from fragments.
    Konflux,
    /// Into an index image, by the service that builds these.
    Iib,
}

/// The rules of Konflux and of the releases behind it, by identifier.
const OF_KONFLUX: &[&Rule] = &[
    r::PACKAGE_IN_SEVERAL_FRAGMENTS,
    r::BUNDLE_WITH_SEVERAL_IMAGES,
    p::BUNDLE_NOT_PINNED,
    p::BUNDLE_OF_OTHER_REGISTRY,
    p::METADATA_OF_OTHER_OPENSHIFT,
    p::METADATA_MISSING,
    p::NO_PACKAGE_DIRECTORY,
    p::NO_PACKAGE,
    p::PRUNED,
    p::BASE_IMAGE,
    p::NO_OPENSHIFT,
    p::LIFECYCLE_LOST,
    r::BUNDLE_IMAGE_BY_TAG,
    r::RELATED_IMAGE_BY_TAG,
    r::BUNDLE_IMAGE_NOT_RELATED,
    r::REPEATED_RELATED_IMAGE,
    r::BUNDLE_WITHOUT_CSV_METADATA,
    r::BUNDLE_OBJECT_PROPERTIES,
    r::DEPRECATED_DEFAULT_CHANNEL,
    r::PACKAGES_IN_ONE_DIRECTORY,
    r::RANGE_NOT_OF_CSV,
    r::TEST_REGISTRY,
    r::VERSION_LACKING_BETWEEN,
    r::TEMPLATE_NOT_RENDERED,
    p::NO_CATALOG_FILE,
    p::PRUNED_UNSEEN,
    p::NO_CONFIGS_LABEL,
];

olmdex_base::named!(Profile => name);

impl Profile {
    /// All of them, by name.
    pub const ALL: [Self; 5] = [Self::Certified, Self::Community, Self::Disconnected, Self::Iib, Self::Konflux];

    /// Its purpose.
    pub fn about(self) -> &'static str {
        match self {
            Self::Community => "catalogs of community operators",
            Self::Certified => "catalogs of certified operators",
            Self::Disconnected => "catalogs that are mirrored to disconnected clusters",
            Self::Konflux => "fragments that a Konflux pipeline builds catalogs from",
            Self::Iib => "fragments and bundles that are added to an index image",
        }
    }

    /// The profile of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The rules that it holds, by identifier.
    pub fn rules(self) -> &'static [&'static Rule] {
        match self {
            Self::Community => &[
                r::REPEATED_RELATED_IMAGE,
                r::PACKAGE_WITHOUT_DESCRIPTION,
                r::PACKAGE_WITHOUT_ICON,
                r::BUNDLE_WITHOUT_CSV_METADATA,
                r::BUNDLE_NAME_NOT_OF_VERSION,
                r::VERSION_WITH_BUILD_METADATA,
                r::DEPENDENCY_WITHOUT_MINIMUM,
                r::NARROW_DEPENDENCY,
                r::OPEN_SKIP_RANGE,
                r::DEPRECATED_DEFAULT_CHANNEL,
                r::RANGE_NOT_OF_CSV,
                r::TEST_REGISTRY,
            ],
            Self::Certified => &[
                r::BUNDLE_IMAGE_BY_TAG,
                r::RELATED_IMAGE_BY_TAG,
                r::REPEATED_RELATED_IMAGE,
                r::DISCONNECTED_WITH_TAGS,
                r::PACKAGE_WITHOUT_DESCRIPTION,
                r::PACKAGE_WITHOUT_ICON,
                r::BUNDLE_WITHOUT_CSV_METADATA,
                r::DEPENDENCY_WITHOUT_MINIMUM,
                r::NARROW_DEPENDENCY,
                r::DEPRECATED_DEFAULT_CHANNEL,
                r::RANGE_NOT_OF_CSV,
                r::TEST_REGISTRY,
            ],
            Self::Disconnected => &[
                r::BUNDLE_IMAGE_BY_TAG,
                r::RELATED_IMAGE_BY_TAG,
                r::BUNDLE_IMAGE_NOT_RELATED,
                r::REPEATED_RELATED_IMAGE,
                r::DISCONNECTED_WITH_TAGS,
                r::TEST_REGISTRY,
            ],
            Self::Konflux => OF_KONFLUX,
            Self::Iib => &[
                r::PACKAGE_IN_SEVERAL_FRAGMENTS,
                r::BUNDLE_WITH_SEVERAL_IMAGES,
                p::FILE_BESIDE_PACKAGES,
                p::SAME_STEM,
                p::BLANK_YAML,
                p::OTHER_DIRECTORY,
                p::BUNDLE_IN_INDEX,
                p::REPLACED_NOT_IN_INDEX,
                p::NOT_ADDED,
                p::REPLACED_JSON,
                p::DIRECTORY_NAME,
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_hold_rules_in_order_and_each_rule_is_in_one() {
        for profile in Profile::ALL {
            assert!(profile.rules().is_sorted_by(|a, b| a.id < b.id), "{}", profile.name());
            assert_eq!(Profile::find(profile.name()), Some(profile));
        }
        for rule in r::ALL.iter().chain(p::ALL) {
            assert!(Profile::ALL.iter().any(|it| it.rules().contains(rule)), "{}", rule.id);
        }
    }
}
