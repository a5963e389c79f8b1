//! The rules of catalogs whose bundles can be installed: their requirements are available
//! (`docs/behaviour/olm-classic.md` 2.4).

use olmdex_base::diag::rules;

rules! {
    UNMET_REQUIREMENT: "E0810", "unmet-requirement", Error,
        "Some bundle meets every requirement of a bundle.",
        "OLM Classic installs a bundle only together with bundles that meet all its requirements: \
        `olm.package.required`, `olm.gvk.required`, `olm.label.required` and `olm.constraint`. If no bundle in a \
        channel of the cluster's catalogs does, OLM cannot install the bundle, and never upgrades to it.",
        "{\"type\": \"olm.package.required\", \"value\": {\"packageName\": \"prometheus\", \"versionRange\": \">=9.0.0\"}}   # the catalog ends at 0.65.1";
    COSTLY_REQUIREMENT: "E0811", "costly-requirement", Error,
        "olmdex can determine in reasonable time whether a bundle meets a requirement.",
        "olmdex evaluates a CEL rule for every bundle. It stops at a rule that takes too many steps: whether a bundle \
        meets it stays unknown.",
        "a rule whose macros are nested five levels deep";
}
