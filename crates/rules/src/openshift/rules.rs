//! The rules of lifecycle blobs (`docs/behaviour/platform.md` 1). The real tools accept every blob of a schema that they do not know, so all
//! of these are warnings.

use olmdex_base::diag::rules;

rules! {
    PACKAGE_MISSING: "W1601", "lifecycle-package-missing", Warning,
        "A lifecycle names its package.",
        "Whoever asks for the lifecycle of a package never gets one without `package`.",
        "schema: io.openshift.operators.lifecycles.v1alpha1\nversions: []";
    PACKAGE_UNKNOWN: "W1602", "lifecycle-package-unknown", Warning,
        "The package of a lifecycle is in the catalog.",
        "Lifecycles are made for all products at once, so one without a package harms nobody. It may also be a typo, and then the package has no lifecycle.",
        "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: tlil";
    VERSIONS_MISSING: "W1603", "lifecycle-versions-missing", Warning,
        "A lifecycle has `versions`.",
        "Without them it says nothing.",
        "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: till";
    VERSIONS_EMPTY: "W1604", "lifecycle-versions-empty", Warning,
        "A lifecycle has at least one version.",
        "Without one it says nothing. If nothing is known of a package, leave the blob out.",
        "versions: []";
    VERSION_NAME: "W1605", "lifecycle-version-name", Warning,
        "The versions of a lifecycle are strings of the form `MAJOR.MINOR`.",
        "Each names one minor version of the operator. In YAML it needs quotes: `1.10` without them is the number 1.1.",
        "versions: [{name: 1.2.3}]";
    VERSION_TWICE: "W1606", "lifecycle-version-twice", Warning,
        "A lifecycle has each version once.",
        "The first entry of a version counts; a second one is never looked at.",
        "versions: [{name: \"1.2\"}, {name: \"1.2\"}]";
    PHASES_EMPTY: "W1607", "lifecycle-phases-empty", Warning,
        "Each version of a lifecycle has at least one phase.",
        "A version without phases has no support to show.",
        "{name: \"1.2\", phases: []}";
    PHASE_NAME: "W1608", "lifecycle-phase-name", Warning,
        "Each phase has a name.",
        "The name is what users see, for example `Full support`.",
        "{startDate: \"2026-01-01\", endDate: \"2026-12-31\"}";
    DATE: "W1609", "lifecycle-date", Warning,
        "Dates are strings of the form `YYYY-MM-DD`, and days of the calendar.",
        "A phase with another date is left out, as if there were no support.",
        "{name: Full support, startDate: \"2026-02-30\", endDate: \"2026-12-31\"}";
    PHASE_ORDER: "W1610", "lifecycle-phase-order", Warning,
        "A phase ends after it starts.",
        "Both days belong to the phase. One that ends before it starts never holds.",
        "{name: Full support, startDate: \"2026-12-31\", endDate: \"2026-01-01\"}";
    PHASE_GAP: "W1611", "lifecycle-phase-gap", Warning,
        "A phase starts on the day after the one before it ends.",
        "On the days between them the version is shown as unsupported.",
        "{endDate: \"2026-06-30\"}, {startDate: \"2026-07-02\"}";
    PHASE_OVERLAP: "W1612", "lifecycle-phase-overlap", Warning,
        "No day belongs to two phases.",
        "The phase that ends first counts on such a day. The last day of a phase belongs to it, so the next one starts on the day after.",
        "{endDate: \"2026-06-30\"}, {startDate: \"2026-06-30\"}";
    PHASE_SEQUENCE: "W1613", "lifecycle-phase-sequence", Warning,
        "Phases are listed in the order of time.",
        "Readers that take the last one as the end of support are misled.",
        "[{startDate: \"2027-01-01\"}, {startDate: \"2026-01-01\"}]";
    PLATFORM_VERSIONS_EMPTY: "W1614", "lifecycle-platform-versions-empty", Warning,
        "A platform of a lifecycle has at least one version.",
        "An empty list makes the operator incompatible with every version of the platform. If nothing is known, leave the platform out.",
        "{name: openshift, versions: []}";
    PLATFORM_VERSION: "W1615", "lifecycle-platform-version", Warning,
        "The versions of a platform are strings of the form `MAJOR.MINOR`.",
        "Each names one minor version; there are no ranges. In YAML it needs quotes: `4.20` without them is the number 4.2.",
        "{name: openshift, versions: [\"4.18.1\"]}";
    PLATFORM_TWICE: "W1616", "lifecycle-platform-twice", Warning,
        "A version of a lifecycle has each platform once.",
        "The first entry of a platform counts; a second one is never looked at.",
        "[{name: openshift, versions: [\"4.18\"]}, {name: openshift, versions: [\"4.19\"]}]";
    UNKNOWN_FIELD: "W1617", "lifecycle-unknown-field", Warning,
        "Lifecycles hold only fields that their schema has.",
        "The schema allows no others at any level, so a reader that checks it refuses the blob; and a misspelt field says nothing.",
        "{name: \"1.2\", phase: []}";
    LIFECYCLE_TWICE: "W1618", "lifecycle-twice", Warning,
        "A package has one lifecycle.",
        "The console shows no lifecycle at all of a package that has two.",
        "two documents of the schema io.openshift.operators.lifecycles.v1alpha1 with `package: till`";
    MINOR_WITHOUT_LIFECYCLE: "W1619", "minor-without-lifecycle", Warning,
        "The lifecycle of a package knows every minor version that its channels hold.",
        "Of a minor version that it does not list, nobody can tell whether it is supported.",
        "a bundle with version 1.3.0 in a channel, and versions: [{name: \"1.2\", …}]";
    HEAD_SUPPORT_ENDED: "W1620", "head-support-ended", Warning,
        "The head of a channel is supported.",
        "Whoever follows the channel to its head gets a version whose support has ended. Reported if `validate` is given a day, with `--date`.",
        "the head has version 1.2.3, and the last phase of \"1.2\" ends before the day";
}
