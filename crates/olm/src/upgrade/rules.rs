//! The rules of a good upgrade graph (`docs/behaviour/olm-classic.md` 6.1). A catalog that breaks them loads, and
//! strands clusters.

use olmdex_base::diag::rules;

rules! {
    NO_ORDER: "W0801", "channel-without-order", Warning,
        "A channel has one chain of entries from one head.",
        "OLM Classic orders the entries of a channel along `replaces`, from the entry that no other entry replaces or \
        skips. Without such an order, OLM installs and upgrades nothing from the channel, and every Subscription of \
        the namespace fails.",
        "entries: [{name: foo.v1}, {name: foo.v2}]   # two heads";
    STRANDED: "W0802", "stranded-version", Warning,
        "Every version but the head has an upgrade.",
        "OLM Classic silently keeps the installed version if no entry that counts replaces or skips the installed \
        name, or includes the installed version in its skipRange. Skipped entries do not count. OLM v1 reports an \
        error instead, or takes an entry that Classic would not.",
        "entries: [{name: foo.v1}, {name: foo.v2, skips: [foo.v1]}, {name: foo.v3, skips: [foo.v2]}]   # foo.v1";
    AMBIGUOUS: "W0803", "ambiguous-replacement", Note,
        "One entry of a channel replaces or skips a name.",
        "OLM Classic upgrades to the entry that is nearest to the head, and OLM v1 to the highest version, so this \
        changes no upgrade. Only clients that ask the catalog's server for the replacement get any of them.",
        "entries: [{name: foo.v2, replaces: foo.v1}, {name: foo.v3, replaces: foo.v2, skips: [foo.v1]}]   # foo.v1";
    CIRCLE: "W0804", "circular-upgrade", Warning,
        "A path through a channel reaches its head.",
        "A skipRange that includes versions newer than its entry leads back. OLM Classic would then replace the operator again and again.",
        "entries: [{name: foo.v1, skipRange: '>=1.0.0'}, {name: foo.v2, replaces: foo.v1}]";
    OUTSIDE_DEFAULT: "W0805", "head-without-way-to-default", Warning,
        "The head of a channel has an upgrade into the default channel.",
        "A cluster that follows this channel to its head cannot change to the default channel later: no entry there replaces or skips the head, or includes its version in a skipRange.",
        "channel old ends with foo.v1.9, channel stable (default) starts with foo.v2.0 and replaces nothing";
    LOST: "W0806", "lost-version", Warning,
        "Every version of the old catalog can be upgraded in the new one.",
        "A cluster with the version installed sees the new catalog next. Keep the version as an entry, or name it in the `replaces` or `skips` of an entry, or include it in a skipRange.",
        "old: foo.v1.1 is an entry of stable; new: no entry of stable knows foo.v1.1";
    DEAD_ENTRY: "W0807", "entry-for-v1-only", Warning,
        "Both generations of OLM upgrade to the same entries.",
        "OLM Classic never installs an entry that another one skips. OLM v1 has no notion of skipped entries: if such \
        an entry is the highest that can follow a version, OLM v1 upgrades to it.",
        "entries: [{name: foo.v2, skipRange: '<2.0.0'}, {name: foo.v3, skips: [foo.v2]}]   # foo.v1 goes to foo.v2 with OLM v1";
    RANGE_BEYOND: "W0808", "range-beyond-entry", Warning,
        "A skipRange includes only versions below its entry's own.",
        "A range is meant for the versions that the entry replaces. If it includes newer versions, OLM Classic offers a \
        downgrade.",
        "entries: [{name: foo.v1.1.0, skipRange: '>=1.0.0 <=1.2.0'}, {name: foo.v1.2.0}]";
    PRUNED: "W0809", "pruned-history", Warning,
        "The chain of replacement reaches down to the oldest entry.",
        "OLM Classic installs entries below the end of the chain only for a Subscription that names one as startingCSV, and a Subscription never falls back to one: they are an entrance to the channel, not part of it.",
        "entries: [{name: foo.v1}, {name: foo.v2, skips: [foo.v1], skipRange: '<2.0.0'}]   # foo.v1";
    DEFAULT_BEHIND: "W0812", "default-channel-behind", Warning,
        "No other channel has a newer release than the default channel.",
        "A Subscription that names no channel follows the default channel, and clusters that follow a newer channel \
        cannot change to it. Pre-releases and channels called `candidate` or `fast` are ahead on purpose.",
        "defaultChannel: v26.3   # and channel v26.7 has foo.v26.7.0";
    OWN_VERSION_IN_RANGE: "W0813", "own-version-in-range", Note,
        "A skipRange does not include its entry's own version.",
        "OLM Classic finds the installed entry as its own update, and takes no step.",
        "entries: [{name: foo.v1.1.0, skipRange: '>=1.0.0 <=1.1.0'}]";
}
