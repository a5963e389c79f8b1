//! The rules of lifecycle blobs (`docs/behaviour/platform.md` 1). The real tools accept every blob of a schema that
//! they do not know, so all of these are warnings.

use olmdex_base::diag::rules;

rules! {
    PACKAGE_MISSING: "W1601", "lifecycle-package-missing", Warning,
        "A lifecycle names its package.",
        "Consumers look up lifecycles by package, and never find one without `package`.",
        "schema: io.openshift.operators.lifecycles.v1alpha1\nversions: []";
    PACKAGE_UNKNOWN: "W1602", "lifecycle-package-unknown", Warning,
        "The package of a lifecycle is in the catalog.",
        "Red Hat makes lifecycles for all products at once, so a lifecycle without its package is harmless. But it may \
        also be a typo, and then the package has no lifecycle.",
        "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: tlil";
    VERSIONS_MISSING: "W1603", "lifecycle-versions-missing", Warning,
        "A lifecycle has `versions`.",
        "Without versions it states nothing.",
        "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: till";
    VERSIONS_EMPTY: "W1604", "lifecycle-versions-empty", Warning,
        "A lifecycle has at least one version.",
        "Without a version it states nothing. If you know nothing about a package, leave out the blob.",
        "versions: []";
    VERSION_NAME: "W1605", "lifecycle-version-name", Warning,
        "The versions of a lifecycle are strings of the form `MAJOR.MINOR`.",
        "Each names one minor version of the operator. In YAML it needs quotes: without them, `1.10` is the number \
        1.1.",
        "versions: [{name: 1.2.3}]";
    VERSION_TWICE: "W1606", "lifecycle-version-twice", Warning,
        "A lifecycle lists each version once.",
        "Consumers use the first entry of a version and never read a second one.",
        "versions: [{name: \"1.2\"}, {name: \"1.2\"}]";
    PHASES_EMPTY: "W1607", "lifecycle-phases-empty", Warning,
        "Each version of a lifecycle has at least one phase.",
        "A version without phases states no support.",
        "{name: \"1.2\", phases: []}";
    PHASE_NAME: "W1608", "lifecycle-phase-name", Warning,
        "Each phase has a name.",
        "Users see the name, for example `Full support`.",
        "{startDate: \"2026-01-01\", endDate: \"2026-12-31\"}";
    DATE: "W1609", "lifecycle-date", Warning,
        "Dates are strings of the form `YYYY-MM-DD` and name real days.",
        "Consumers ignore a phase with another date, as if it gave no support.",
        "{name: Full support, startDate: \"2026-02-30\", endDate: \"2026-12-31\"}";
    PHASE_ORDER: "W1610", "lifecycle-phase-order", Warning,
        "A phase ends after it starts.",
        "Both days belong to the phase. A phase that ends before it starts never applies.",
        "{name: Full support, startDate: \"2026-12-31\", endDate: \"2026-01-01\"}";
    PHASE_GAP: "W1611", "lifecycle-phase-gap", Warning,
        "A phase starts on the day after the one before it ends.",
        "On the days between them, consumers show the version as unsupported.",
        "{endDate: \"2026-06-30\"}, {startDate: \"2026-07-02\"}";
    PHASE_OVERLAP: "W1612", "lifecycle-phase-overlap", Warning,
        "No day belongs to two phases.",
        "The phase that ends first counts on such a day. The last day of a phase belongs to it, so the next one starts on the day after.",
        "{endDate: \"2026-06-30\"}, {startDate: \"2026-06-30\"}";
    PHASE_SEQUENCE: "W1613", "lifecycle-phase-sequence", Warning,
        "Phases are listed in chronological order.",
        "Consumers that take the last phase as the end of support get a wrong date.",
        "[{startDate: \"2027-01-01\"}, {startDate: \"2026-01-01\"}]";
    PLATFORM_VERSIONS_EMPTY: "W1614", "lifecycle-platform-versions-empty", Warning,
        "A platform of a lifecycle has at least one version.",
        "An empty list makes the operator incompatible with every version of the platform. If you know nothing, leave \
        out the platform.",
        "{name: openshift, versions: []}";
    PLATFORM_VERSION: "W1615", "lifecycle-platform-version", Warning,
        "The versions of a platform are strings of the form `MAJOR.MINOR`.",
        "Each names one minor version; ranges are not allowed. In YAML it needs quotes: without them, `4.20` is the \
        number 4.2.",
        "{name: openshift, versions: [\"4.18.1\"]}";
    PLATFORM_TWICE: "W1616", "lifecycle-platform-twice", Warning,
        "A version of a lifecycle lists each platform once.",
        "Consumers use the first entry of a platform and never read a second one.",
        "[{name: openshift, versions: [\"4.18\"]}, {name: openshift, versions: [\"4.19\"]}]";
    UNKNOWN_FIELD: "W1617", "lifecycle-unknown-field", Warning,
        "Lifecycles hold only fields of their schema.",
        "The schema allows no others at any level, so a reader that checks it refuses the blob; and a misspelled field \
        has no effect.",
        "{name: \"1.2\", phase: []}";
    LIFECYCLE_TWICE: "W1618", "lifecycle-twice", Warning,
        "A package has one lifecycle.",
        "The console shows no lifecycle at all of a package that has two.",
        "two documents of the schema io.openshift.operators.lifecycles.v1alpha1 with `package: till`";
    MINOR_WITHOUT_LIFECYCLE: "W1619", "minor-without-lifecycle", Warning,
        "The lifecycle of a package lists every minor version that its channels hold.",
        "The support of a minor version that the lifecycle does not list is unknown.",
        "a bundle with version 1.3.0 in a channel, and versions: [{name: \"1.2\", …}]";
    HEAD_SUPPORT_ENDED: "W1620", "head-support-ended", Warning,
        "The head of a channel is supported.",
        "A cluster that follows the channel to its head gets a version whose support has ended. `validate` reports \
        this only with a day, `--date`.",
        "the head has version 1.2.3, and the last phase of \"1.2\" ends before the day";
}
