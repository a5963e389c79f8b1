//! Messages of OLM v1 and of its catalogd.

use super::builder::{EXTENSIONS, Made, between, command};
use super::explanation::MessageExplanation;
use super::rule::{MessagePattern, Rule, by_rules};
use olmdex_text::encoding::shell::word;
use olmdex_version::Version;

const SYSTEM: &str = "OLM v1";

/// The first that fits counts.
const RULES: &[Rule] = &[
    Rule::Grammar(&["found bundles for package "], several_catalogs),
    Rule::Grammar(&["no bundles found for package "], nothing_found),
    Rule::Grammar(&["has a dependency declared via property"], dependency),
    Rule::Grammar(&["desired version range "], no_range),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["desired catalog selector is invalid"],
        meaning: "spec.source.catalog.selector is not a label selector.",
        names: &[],
        next: &[EXTENSIONS],
    }),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["error finding upgrade edges"],
        meaning: "The recorded version of the installed bundle is unreadable, so OLM cannot upgrade it.",
        names: &[],
        next: &[EXTENSIONS],
    }),
    Rule::Grammar(&["error walking catalogs: error getting package "], unreadable_catalog),
    Rule::Grammar(&["error getting resolved bundle version for bundle"], unreadable_version),
    Rule::Words(MessagePattern {
        system: SYSTEM,
        marks: &["deprecation status unknown"],
        meaning: "The deprecation status is unknown, because OLM could reach no catalog.",
        names: &[],
        next: &["kubectl get clustercatalogs"],
    }),
    Rule::Grammar(&["package not deprecated", "channel not deprecated", "bundle not deprecated"], not_deprecated),
];

/// Messages of OLM v1.
pub(super) fn v1(message: &str) -> Option<MessageExplanation> {
    // As part of another message these words carry no information.
    if message == "not deprecated" {
        return not_deprecated(message).done();
    }
    by_rules(RULES, message)
}

fn several_catalogs(message: &str) -> Made {
    let package = between(message, "for package \"", "\"").unwrap_or_default();
    let catalogs = between(message, "same priority [", "]").unwrap_or_default();
    let meaning = format!(
        "Several catalogs have a bundle of {package} that is suitable ({catalogs}), and no single one has the highest \
         priority. Give one of them a higher spec.priority, or choose with spec.source.catalog.selector."
    );
    Made::new(SYSTEM, meaning)
        .about(&[package])
        .about(&catalogs.split(' ').collect::<Vec<_>>())
        .next("kubectl get clustercatalogs")
}

fn nothing_found(message: &str) -> Made {
    let of = |before: &str, after: &str| between(message, before, after).unwrap_or_default();
    let (installed, package) = (of("currently installed version \"", "\""), of("for package \"", "\""));
    let (version, channels) = (of("matching version \"", "\""), of("in channels [", "]"));
    let range = if version.is_empty() { String::new() } else { format!(", in the version range {version}") };
    let within = if channels.is_empty() { String::new() } else { format!(", in the channels {channels}") };
    let meaning = if installed.is_empty() {
        format!(
            "None of the selected catalogs has a bundle of {package}{range}{within}. OLM does not say whether the package, \
             the channel or the version is missing."
        )
    } else {
        format!(
            "No bundle of {package}{range}{within} may follow the installed version {installed}. One may exist \
             nevertheless: its entry must name the installed bundle in `replaces` or `skips`, or have its version in `skipRange`. OLM \
             does not say which of these is missing."
        )
    };
    let made = Made::new(SYSTEM, meaning).about(&[package, version, installed]);
    ask_for_updates(package, version, installed).into_iter().fold(made, Made::next)
}

/// The commands that show the possible upgrades, and the reason against a version.
fn ask_for_updates(package: &str, version: &str, installed: &str) -> Vec<String> {
    let with = if installed.is_empty() { String::new() } else { format!(" --installed {}", word(installed)) };
    let name = word(package);
    let all = format!("olmdex upgrades {name}{with} --olm v1");
    if version.is_empty() {
        return vec![all];
    }
    let one = if Version::parse(version).is_ok() {
        format!("olmdex upgrades {name}{with} --to {} --olm v1", word(version))
    } else {
        format!("olmdex upgrades {name}{with} --range {} --olm v1", word(version))
    };
    vec![one, all]
}

fn dependency(message: &str) -> Made {
    let bundle = between(message, "validating bundle \"", "\"").unwrap_or_default();
    let property = between(message, "via property \"", "\"").unwrap_or_default();
    let meaning = format!(
        "OLM v1 does not support dependencies: it chooses {bundle}, finds its {property}, and gives up without trying \
        another bundle. OLM v1 cannot install such an operator unchanged."
    );
    Made::new(SYSTEM, meaning).about(&[bundle, property]).next(command(["olmdex", "deps", bundle]))
}

fn no_range(message: &str) -> Made {
    let range = between(message, "desired version range \"", "\"").unwrap_or_default();
    Made::new(SYSTEM, format!("spec.source.catalog.version is not a version range: {range}."))
        .about(&[range])
        .next(format!("olmdex upgrades PACKAGE --range {} --olm v1", word(range)))
        .next(EXTENSIONS)
}

fn unreadable_catalog(message: &str) -> Made {
    let package = between(message, "error getting package \"", "\"").unwrap_or_default();
    let catalog = between(message, "from catalog \"", "\"").unwrap_or_default();
    let meaning = format!(
        "OLM cannot read the catalog {catalog}. It then resolves nothing for {package}, even if another catalog has it."
    );
    Made::new(SYSTEM, meaning).about(&[catalog, package]).next(command([
        "kubectl",
        "get",
        "clustercatalog",
        catalog,
        "-o",
        "yaml",
    ]))
}

fn unreadable_version(message: &str) -> Made {
    let bundle = between(message, "for bundle \"", "\"").unwrap_or_default();
    Made::new(SYSTEM, format!("The version of {bundle} is unreadable."))
        .about(&[bundle])
        .next(command(["olmdex", "show", bundle]))
}

fn not_deprecated(_: &str) -> Made {
    Made::new(SYSTEM, "No problem: the extension uses nothing deprecated.")
}

/// Messages of ClusterCatalogs.
pub(super) fn catalogd(message: &str) -> Option<MessageExplanation> {
    const SYSTEM: &str = "catalogd";
    let meaning = [
        ("Successfully unpacked and stored content from resolved source", "No problem: catalogd has read the catalog."),
        ("Serving desired content from resolved source", "No problem: catalogd serves the catalog."),
        (
            "Catalog availability mode is set to Unavailable",
            "A user has switched off the catalog with spec.availabilityMode.",
        ),
        ("source catalog content:", "catalogd cannot pull or read the image of the catalog; it tries again."),
        ("error storing fbc:", "The catalog is not valid; catalogd still serves the previous one."),
    ];
    let (_, meaning) = meaning.iter().find(|it| message.contains(it.0))?;
    Made::new(SYSTEM, *meaning).next("kubectl get clustercatalogs").done()
}
