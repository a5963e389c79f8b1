//! The conditions about deprecations that OLM v1 puts on a ClusterExtension (`docs/behaviour/olm-v1.md` 2.6).

use schemars::JsonSchema;
use serde::Serialize;

use super::resolve::Resolution;
use olmdex_index::query::GraphDeprecation;

/// A condition of a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeprecationCondition {
    /// `Deprecated`, `PackageDeprecated`, `ChannelDeprecated` or `BundleDeprecated`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// `Deprecated`, `NotDeprecated`, `DeprecationStatusUnknown` or `Absent`.
    pub reason: String,
    /// The message for people.
    pub message: String,
}

const UNKNOWN: &str = "deprecation status unknown: catalog data unavailable";

/// The conditions once an answer is rolled out: `installed` is the bundle that is installed then. Without an answer the
/// real system knows nothing of deprecations.
pub fn deprecation_conditions(
    found: Option<&Resolution>,
    channels: &[String],
    installed: Option<&str>,
) -> Vec<DeprecationCondition> {
    let entries: &[GraphDeprecation] = found.and_then(|it| it.deprecations.as_deref()).unwrap_or_default();
    let messages = |schema: &str, counts: &dyn Fn(&str) -> bool| -> Vec<&str> {
        let of_schema = entries.iter().filter(|it| it.schema == schema && counts(&it.name));
        of_schema.map(|it| it.message.as_str()).filter(|it| !it.is_empty()).collect()
    };
    let package = messages("olm.package", &|_| true);
    let channel = messages("olm.channel", &|name| channels.is_empty() || channels.iter().any(|it| it == name));
    let bundle = messages("olm.bundle", &|name| installed == Some(name));
    let all: Vec<&str> = [&package, &channel, &bundle].into_iter().flatten().copied().collect();
    let condition = |kind: &str, subject: &str, messages: &[&str]| {
        let (status, reason, message) = match (found, messages) {
            (_, []) if kind == "BundleDeprecated" && installed.is_none() => {
                ("Unknown", "Absent", "no bundle installed yet".to_owned())
            }
            (None, _) => ("Unknown", "DeprecationStatusUnknown", UNKNOWN.to_owned()),
            (Some(_), []) => ("False", "NotDeprecated", format!("{subject}not deprecated")),
            (Some(_), messages) => ("True", "Deprecated", messages.join("\n")),
        };
        DeprecationCondition { kind: kind.to_owned(), status: status.to_owned(), reason: reason.to_owned(), message }
    };
    vec![
        condition("Deprecated", "", &all),
        condition("PackageDeprecated", "package ", &package),
        condition("ChannelDeprecated", "channel ", &channel),
        condition("BundleDeprecated", "bundle ", &bundle),
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use olmdex_version::{Version, VersionRelease};

    #[test]
    fn conditions_say_what_is_deprecated() {
        let deprecation = |schema: &str, name: &str, message: &str| GraphDeprecation {
            schema: schema.to_owned(),
            name: name.to_owned(),
            message: message.to_owned(),
        };
        let found = Resolution {
            catalog: "c".to_owned(),
            bundle: "p.v1".to_owned(),
            version: VersionRelease::from_build_metadata(Version::new(1, 0, 0)),
            release: None,
            recorded_version: "1.0.0".to_owned(),
            recorded_release: None,
            image: String::new(),
            is_deprecated: true,
            deprecations: Some(Arc::from([
                deprecation("olm.channel", "old", "use new"),
                deprecation("olm.bundle", "p.v1", "broken"),
                deprecation("olm.bundle", "p.v2", ""),
            ])),
        };
        let words = |found: Option<&Resolution>, channels: &[&str], installed: Option<&str>| {
            let channels: Vec<String> = channels.iter().map(|it| (*it).to_owned()).collect();
            let all = deprecation_conditions(found, &channels, installed);
            all.iter().map(|it| format!("{}: {}", it.status, it.message)).collect::<Vec<_>>()
        };
        assert_eq!(
            words(Some(&found), &[], Some("p.v1")),
            ["True: use new\nbroken", "False: package not deprecated", "True: use new", "True: broken"]
        );
        assert_eq!(
            words(Some(&found), &["new"], Some("p.v2")),
            [
                "False: not deprecated",
                "False: package not deprecated",
                "False: channel not deprecated",
                "False: bundle not deprecated"
            ]
        );
        assert_eq!(words(Some(&found), &["new"], None)[3], "Unknown: no bundle installed yet");
        assert!(words(None, &[], Some("p.v1")).iter().all(|it| it == &format!("Unknown: {UNKNOWN}")));
    }
}
