//! Messages of OLM v1.
//!
//! What it deliberately does not do: what is recognised by its words alone stands in [`super::known`].

use super::explanation::MessageExplanation;
use super::made::{EXTENSIONS, Made, between, command, quoted};
use crate::version::Version;

/// Messages of OLM v1.
pub(super) fn v1(message: &str) -> Option<MessageExplanation> {
    const SYSTEM: &str = "OLM v1";
    let of = |before: &str, after: &str| between(message, before, after).unwrap_or_default();
    let (installed, package) = (of("currently installed version \"", "\""), of("for package \"", "\""));
    if message.contains("found bundles for package ") {
        let catalogs = of("same priority [", "]");
        let meaning = format!(
            "Several catalogs have a bundle of {package} that would do ({catalogs}), and none of them has the highest priority by \
             itself. Give one of them a higher spec.priority, or choose with spec.source.catalog.selector."
        );
        return Made::new(SYSTEM, meaning)
            .about(&[package])
            .about(&catalogs.split(' ').collect::<Vec<_>>())
            .next("kubectl get clustercatalogs")
            .done();
    }
    if message.contains("no bundles found for package ") {
        let (version, channels) = (of("matching version \"", "\""), of("in channels [", "]"));
        let range = if version.is_empty() { String::new() } else { format!(", in the version range {version}") };
        let within = if channels.is_empty() { String::new() } else { format!(", in the channels {channels}") };
        let meaning = if installed.is_empty() {
            format!(
                "No catalog that is selected has a bundle of {package}{range}{within}. OLM does not say whether the package, the channel or the version is missing."
            )
        } else {
            format!(
                "Nothing of {package}{range}{within} may follow the installed version {installed}. The version may exist all the \
                 same: an entry must name the installed bundle in `replaces` or `skips`, or have its version in `skipRange`. OLM \
                 does not say which of these is missing."
            )
        };
        let mut made = Made::new(SYSTEM, meaning).about(&[package, version, installed]);
        let with = if installed.is_empty() { String::new() } else { format!(" --installed {}", quoted(installed)) };
        let name = quoted(package);
        if !version.is_empty() {
            made = made.next(if Version::parse(version).is_ok() {
                format!("olmdex why-not {}{with} --olm v1", quoted(&format!("{package}@{version}")))
            } else {
                format!("olmdex updates {name}{with} --version {} --olm v1", quoted(version))
            });
        }
        return made.next(format!("olmdex updates {name}{with} --olm v1")).done();
    }
    if message.contains("has a dependency declared via property") {
        let (bundle, property) = (of("validating bundle \"", "\""), of("via property \"", "\""));
        let meaning = format!(
            "OLM v1 knows no dependencies: it would take {bundle}, sees its {property}, and gives up; it tries no other bundle. \
             Such an operator cannot be installed with OLM v1 as it is."
        );
        return Made::new(SYSTEM, meaning).about(&[bundle, property]).next(command(["olmdex", "deps", bundle])).done();
    }
    if message.contains("desired version range ") {
        let range = of("desired version range \"", "\"");
        let meaning = format!("spec.source.catalog.version is no version range: {range}.");
        return Made::new(SYSTEM, meaning)
            .about(&[range])
            .next(format!("olmdex updates PACKAGE --version {} --olm v1", quoted(range)))
            .next(EXTENSIONS)
            .done();
    }
    if message.contains("desired catalog selector is invalid") {
        return Made::new(SYSTEM, "spec.source.catalog.selector is no label selector.").next(EXTENSIONS).done();
    }
    if message.contains("error finding upgrade edges") {
        return Made::new(
            SYSTEM,
            "The version that is recorded for the installed bundle cannot be read, so nothing can follow it.",
        )
        .next(EXTENSIONS)
        .done();
    }
    if message.contains("error walking catalogs: error getting package ") {
        let (package, catalog) = (of("error getting package \"", "\""), of("from catalog \"", "\""));
        let meaning = format!(
            "The catalog {catalog} cannot be read. OLM then resolves nothing of {package}, even if another catalog has it."
        );
        return Made::new(SYSTEM, meaning)
            .about(&[catalog, package])
            .next(command(["kubectl", "get", "clustercatalog", catalog, "-o", "yaml"]))
            .done();
    }
    if message.contains("error getting resolved bundle version for bundle") {
        let bundle = of("for bundle \"", "\"");
        return Made::new(SYSTEM, format!("The version of {bundle} cannot be read."))
            .about(&[bundle])
            .next(command(["olmdex", "show", bundle]))
            .done();
    }
    if message.contains("deprecation status unknown") {
        return Made::new(SYSTEM, "Whether something is deprecated cannot be said, because no catalog could be asked.")
            .next("kubectl get clustercatalogs")
            .done();
    }
    if ["package not deprecated", "channel not deprecated", "bundle not deprecated"]
        .iter()
        .any(|it| message.contains(it))
        || message == "not deprecated"
    {
        return Made::new(SYSTEM, "All is well: nothing that is used is deprecated.").done();
    }
    None
}
