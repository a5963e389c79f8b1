//! The bundles that OLM v1 refuses to install after it has resolved to them (`docs/behaviour/olm-v1.md` 2.14): their
//! install modes are not supported, or the configuration does not fit them. The resolver knows nothing of either.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{InstallModes, KnownCsv, Obstacles};
use olmdex_text::json::{Kind, Reader, Value};
use olmdex_version::Quoted;

/// The feature gates of operator-controller, with their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gates {
    /// Whether each is on, in the order of [`GATES`]: a question is copied at every step of a path.
    states: [bool; GATES.len()],
    /// Whether somebody has named each.
    named: [bool; GATES.len()],
}

/// The gates: name, whether it is on by default, whether it is alpha.
const GATES: [(&str, bool, bool); 6] = [
    ("BoxcutterRuntime", false, true),
    (BUNDLE_RELEASE, false, true),
    (DEPLOYMENT_CONFIG, false, true),
    (SINGLE_OWN_NAMESPACE, false, true),
    ("WebhookProviderCertManager", true, false),
    ("WebhookProviderOpenshiftServiceCA", true, false),
];

const BUNDLE_RELEASE: &str = "BundleReleaseSupport";
const DEPLOYMENT_CONFIG: &str = "DeploymentConfig";
const OPENSHIFT_CERTIFICATES: &str = "WebhookProviderOpenshiftServiceCA";
const CERTIFICATES: [&str; 2] = ["WebhookProviderCertManager", OPENSHIFT_CERTIFICATES];

/// The first version of OpenShift that provides certificates for webhooks by default.
const OWN_CERTIFICATES_SINCE: Minor = Minor { major: 4, minor: 21 };
const SINGLE_OWN_NAMESPACE: &str = Gates::SINGLE_OWN_NAMESPACE;

/// The reasons why feature gates cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// No `=`.
    #[error("missing bool value for {0}: write GATE=true or GATE=false")]
    NoValue(String),
    /// Neither true nor false.
    #[error("invalid value of {gate}={value}: it is true or false")]
    Value { gate: String, value: String },
    /// operator-controller has no such gate.
    #[error("unrecognized feature gate: {0}; there are {known}, AllAlpha and AllBeta", known = GATES.map(|it| it.0).join(", "))]
    Unknown(String),
}

impl Default for Gates {
    fn default() -> Self {
        Self { states: GATES.map(|it| it.1), named: [false; GATES.len()] }
    }
}

impl FromStr for Gates {
    type Err = GateError;

    /// Reads gates as operator-controller's `--feature-gates` does: `GATE=true,GATE=false`.
    fn from_str(text: &str) -> Result<Self, GateError> {
        let mut given: BTreeMap<&str, bool> = BTreeMap::new();
        for pair in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (gate, value) = pair.split_once('=').ok_or_else(|| GateError::NoValue(pair.to_owned()))?;
            let (gate, value) = (gate.trim(), value.trim());
            let is_on = match value {
                "1" | "t" | "T" | "TRUE" | "true" | "True" => true,
                "0" | "f" | "F" | "FALSE" | "false" | "False" => false,
                _ => return Err(GateError::Value { gate: gate.to_owned(), value: value.to_owned() }),
            };
            given.insert(gate, is_on);
        }
        let mut gates = Self::default();
        for (gate, is_on) in &given {
            let is_known = GATES.iter().any(|it| it.0 == *gate) || *gate == "AllAlpha" || *gate == "AllBeta";
            if !is_known {
                return Err(GateError::Unknown((*gate).to_owned()));
            }
            // No gate is beta today.
            if *gate == "AllAlpha" {
                for (state, _) in gates.states.iter_mut().zip(GATES).filter(|it| it.1.2) {
                    *state = *is_on;
                }
            }
        }
        // A gate that is named counts more than its group.
        for ((state, named), (name, _, _)) in gates.states.iter_mut().zip(&mut gates.named).zip(GATES) {
            *named = given.contains_key(name);
            *state = given.get(name).copied().unwrap_or(*state);
        }
        Ok(gates)
    }
}

impl fmt::Display for Gates {
    /// The gates that are not as they are by default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = self.states.iter().zip(GATES).filter(|(is_on, gate)| **is_on != gate.1);
        let words: Vec<String> = changed.map(|(is_on, gate)| format!("{}={is_on}", gate.0)).collect();
        f.write_str(&words.join(","))
    }
}

impl Gates {
    /// The gate that lets OLM v1 install bundles which watch one namespace.
    pub(crate) const SINGLE_OWN_NAMESPACE: &'static str = "SingleOwnNamespaceInstallSupport";

    /// The gates as they are on a version of OpenShift, those that somebody has named aside. It never uses
    /// cert-manager, and its own certificates only since 4.21 (cluster-olm-operator, and `features.go` of
    /// openshift/api).
    #[must_use]
    pub fn on_openshift(mut self, version: Option<Minor>) -> Self {
        let Some(version) = version else { return self };
        for ((state, is_named), (gate, _, _)) in self.states.iter_mut().zip(self.named).zip(GATES) {
            if !is_named && CERTIFICATES.contains(&gate) {
                *state = gate == OPENSHIFT_CERTIFICATES && !version.is_before(OWN_CERTIFICATES_SINCE);
            }
        }
        self
    }

    fn is_on(&self, gate: &str) -> bool {
        self.states.iter().zip(GATES).any(|(is_on, it)| *is_on && it.0 == gate)
    }

    /// The reasons why operator-controller cannot render a bundle, in the order in which it looks; it stops at the
    /// first. Facts that the catalog leaves out do not count against the bundle.
    pub fn unsupported(&self, modes: Option<InstallModes>, obstacles: &Obstacles) -> Vec<Unsupported> {
        let mut found = Vec::new();
        if !obstacles.api_services.is_empty() {
            found.push(Unsupported::ApiServices);
        }
        if !obstacles.webhooks.is_empty() && !self.has_certificates() {
            found.push(Unsupported::Webhooks);
        }
        if let Some(modes) = modes {
            if !self.is_on(SINGLE_OWN_NAMESPACE) && !modes.all_namespaces {
                found.push(Unsupported::NotAllNamespaces);
            } else if !modes.all_namespaces && !modes.single_namespace && !modes.own_namespace {
                found.push(Unsupported::NoInstallMode);
            }
        }
        found
    }

    /// Whether operators may watch one namespace (`SingleOwnNamespaceInstallSupport`).
    pub(crate) fn has_watch_namespace(&self) -> bool {
        self.is_on(SINGLE_OWN_NAMESPACE)
    }

    /// Whether anything provides certificates for webhooks.
    pub fn has_certificates(&self) -> bool {
        CERTIFICATES.iter().any(|it| self.is_on(it))
    }

    /// Whether explicit releases count (`BundleReleaseSupport`).
    pub(crate) fn has_explicit_releases(&self) -> bool {
        self.is_on(BUNDLE_RELEASE)
    }
}

/// The reasons why operator-controller cannot render a bundle; displayed in its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// It owns APIs of servers.
    #[error("unsupported bundle: apiServiceDefintions are not supported")]
    ApiServices,
    /// It has webhooks, and nothing provides certificates.
    #[error("unsupported bundle: webhookDefinitions are not supported")]
    Webhooks,
    /// It does not watch all namespaces.
    #[error("unsupported bundle: bundle does not support AllNamespaces install mode")]
    NotAllNamespaces,
    /// It supports none of the install modes that OLM v1 knows.
    #[error(
        "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes"
    )]
    NoInstallMode,
}

/// The settings of an installation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installation {
    /// The feature gates.
    pub gates: Gates,
    /// `spec.config` of the ClusterExtension, if there is one: `inline` as JSON, or empty.
    pub config: Option<String>,
    /// `spec.namespace`, or empty if it is not known.
    pub namespace: String,
}

impl Installation {
    /// The same installation, but with the gate for bundles that watch one namespace, and with a namespace to watch.
    pub(crate) fn with_own_namespace(&self) -> Self {
        let mut changed = self.clone();
        for (state, _) in changed.gates.states.iter_mut().zip(GATES).filter(|it| it.1.0 == SINGLE_OWN_NAMESPACE) {
            *state = true;
        }
        changed.namespace.clear();
        changed.config = Some(r#"{"watchNamespace":"a"}"#.to_owned());
        changed
    }

    /// The fact that the catalog leaves out and that decides whether operator-controller renders a bundle.
    pub fn unknown(&self, modes: Option<InstallModes>, obstacles: &Obstacles) -> Option<&'static str> {
        if modes.is_none() {
            return Some("whether OLM v1 installs it: the catalog does not state its install modes");
        }
        // `olm.csv.metadata` has no webhooks.
        let is_open = obstacles.known != KnownCsv::Whole && obstacles.webhooks.is_empty();
        (is_open && !self.gates.has_certificates()).then_some(
            "whether it has webhooks, which OLM v1 refuses with these feature gates: the catalog has only a part of its \
             ClusterServiceVersion; look for `webhookdefinitions` in the bundle's image",
        )
    }

    /// The reason why operator-controller refuses a bundle with these install modes and obstacles, in its words; `None`
    /// if it does not, or if the catalog does not say enough.
    pub fn refusal(&self, modes: Option<InstallModes>, obstacles: &Obstacles) -> Option<String> {
        if let Some(unsupported) = self.gates.unsupported(modes, obstacles).first() {
            return Some(unsupported.to_string());
        }
        let has_single_and_own = self.gates.is_on(SINGLE_OWN_NAMESPACE);
        // Without the gate, a configuration is checked only if there is one.
        if !has_single_and_own && self.config.is_none() {
            return None;
        }
        let text = self.config.as_deref().filter(|it| !it.is_empty()).unwrap_or("{}");
        let mut reader = Reader::new();
        // A text that is not JSON was not a Kubernetes object either.
        let config = reader.read(text).ok()?;
        let wrong = self.wrong_in(config, modes);
        let told = match wrong.as_slice() {
            [] => return None,
            [only] => only.clone(),
            several => format!("multiple errors found:\n  - {}", several.join("\n  - ")),
        };
        Some(format!("invalid ClusterExtension configuration: invalid configuration: {told}"))
    }

    /// The errors of a configuration against the schema that the bundle's install modes give.
    fn wrong_in(&self, config: Value<'_>, modes: Option<InstallModes>) -> Vec<String> {
        if Type::of(config) != Type::Object {
            return vec![format!("invalid type: got {}, want object", Type::of(config).name())];
        }
        let mut wrong = Vec::new();
        let members: BTreeMap<String, Value<'_>> =
            config.members().map(|(key, value)| (key.as_str().unwrap_or_default().into_owned(), value)).collect();
        let watched = modes.map(Watched::of);
        if !members.contains_key("watchNamespace") && watched.is_some_and(|it| it == Watched::Required) {
            wrong.push("required field \"watchNamespace\" is missing".to_owned());
        }
        let mut unknown = None;
        for (key, value) in &members {
            match key.as_str() {
                "deploymentConfig" if self.gates.is_on(DEPLOYMENT_CONFIG) => deployment_config(*value, &mut wrong),
                "watchNamespace" if watched != Some(Watched::Never) => {
                    if let (Some(modes), Some(watched)) = (modes, watched) {
                        self.watch_namespace(*value, modes, watched, &mut wrong);
                    }
                }
                // Go walks a map in any order, and names one of several.
                _ => drop(unknown.get_or_insert_with(|| format!("unknown field {}", Quoted(key)))),
            }
        }
        wrong.extend(unknown);
        wrong
    }

    fn watch_namespace(&self, value: Value<'_>, modes: InstallModes, watched: Watched, wrong: &mut Vec<String>) {
        let field = "\"watchNamespace\"";
        let of_string = self.namespace_errors(value, modes);
        match (watched, Type::of(value)) {
            (Watched::Required, Type::Null) => wrong.push(format!("required field {field} is missing")),
            (Watched::Required, Type::String) => wrong.extend(of_string),
            (Watched::Required, _) => wrong.push(type_error(field, value, "string")),
            (_, Type::Null) => {}
            (_, Type::String) if of_string.is_empty() => {}
            // Neither of the alternatives fits: both say why.
            (_, kind) => {
                wrong.push(format!("invalid value for field {field}"));
                wrong.push(type_error(field, value, "null"));
                match kind {
                    Type::String if of_string.len() > 1 => {
                        wrong.push("validation failed".to_owned());
                        wrong.extend(of_string);
                    }
                    Type::String => wrong.extend(of_string),
                    _ => wrong.push(type_error(field, value, "string")),
                }
            }
        }
    }

    /// The errors in the name of a namespace. If the name is one that the install modes forbid, only that is reported,
    /// and the name is not checked further.
    fn namespace_errors(&self, value: Value<'_>, modes: InstallModes) -> Vec<String> {
        let Some(name) = value.as_str() else { return Vec::new() };
        let field = "\"watchNamespace\"";
        let namespace = &self.namespace;
        let quoted = |text: &str| Quoted(text).to_string();
        if !namespace.is_empty() {
            let format = |format: &str, why: String| {
                format!(
                    "invalid format for field {field}: '{name}' is not valid {format}: invalid value {}: {why}",
                    quoted(&name)
                )
            };
            if modes.own_namespace && !modes.single_namespace && name != *namespace {
                let why = format!(
                    "must be {} (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode",
                    quoted(namespace)
                );
                return vec![format("ownNamespaceInstallMode", why)];
            }
            if modes.single_namespace && !modes.own_namespace && name == *namespace {
                let why = format!(
                    "must be different from {} (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace",
                    quoted(namespace)
                );
                return vec![format("singleNamespaceInstallMode", why)];
            }
        }
        let mut wrong = Vec::new();
        let length = name.chars().count();
        if length == 0 {
            wrong.push(format!("field {field} must have minimum length of 1 (len=0)"));
        }
        if length > 63 {
            wrong.push(format!("field {field} must have maximum length of 63 (len={length})"));
        }
        let is_inner = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        let is_name = !name.is_empty() && name.chars().all(is_inner) && !name.starts_with('-') && !name.ends_with('-');
        if !is_name {
            wrong.push(format!("field {field} must match pattern \"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$\""));
        }
        wrong
    }
}

/// Whether a configuration may name the namespace that an operator watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    /// The operator always watches all.
    Never,
    Optional,
    Required,
}

impl Watched {
    fn of(modes: InstallModes) -> Self {
        match (modes.single_namespace || modes.own_namespace, modes.all_namespaces) {
            (false, _) => Self::Never,
            (true, true) => Self::Optional,
            (true, false) => Self::Required,
        }
    }
}

/// The fields of `deploymentConfig`, with the types of their values and of the items in these.
const DEPLOYMENT_FIELDS: [(&str, Type, Type); 9] = [
    ("affinity", Type::Object, Type::Null),
    ("annotations", Type::Object, Type::String),
    ("env", Type::Array, Type::Object),
    ("envFrom", Type::Array, Type::Object),
    ("nodeSelector", Type::Object, Type::String),
    ("resources", Type::Object, Type::Null),
    ("tolerations", Type::Array, Type::Object),
    ("volumeMounts", Type::Array, Type::Object),
    ("volumes", Type::Array, Type::Object),
];

/// Checks the first two levels of `deploymentConfig`; deeper levels, which Kubernetes' types define, are not checked.
fn deployment_config(value: Value<'_>, wrong: &mut Vec<String>) {
    if Type::of(value) != Type::Object {
        wrong.push(type_or_missing("deploymentConfig", value, "object"));
        return;
    }
    let mut unknown = None;
    for (key, value) in value.members() {
        let key = key.as_str().unwrap_or_default();
        let Some((_, kind, inner)) = DEPLOYMENT_FIELDS.iter().find(|it| it.0 == key) else {
            unknown.get_or_insert_with(|| format!("unknown field {}", Quoted(&key)));
            continue;
        };
        let path = format!("deploymentConfig.{key}");
        if Type::of(value) != *kind {
            wrong.push(type_or_missing(&path, value, kind.name()));
            continue;
        }
        let held: Vec<(String, Value<'_>)> = match kind {
            Type::Array => value.items().enumerate().map(|(at, it)| (at.to_string(), it)).collect(),
            _ => value.members().map(|(key, it)| (key.as_str().unwrap_or_default().into_owned(), it)).collect(),
        };
        for (name, it) in held.iter().filter(|it| *inner != Type::Null && Type::of(it.1) != *inner) {
            wrong.push(type_or_missing(&format!("{path}.{name}"), *it, inner.name()));
        }
    }
    wrong.extend(unknown);
}

/// A value of another type; `null` counts as a field that is missing.
fn type_or_missing(path: &str, value: Value<'_>, want: &str) -> String {
    let field = Quoted(path).to_string();
    if value.is_null() { format!("required field {field} is missing") } else { type_error(&field, value, want) }
}

fn type_error(field: &str, value: Value<'_>, want: &str) -> String {
    format!("invalid type for field {field}: got {}, want {want}", Type::of(value).name())
}

/// A type of JSON, as the schema names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum Type {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    fn of(value: Value<'_>) -> Self {
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::True | Kind::False => Self::Boolean,
            Kind::Number => Self::Number,
            Kind::PlainString | Kind::EscapedString => Self::String,
            Kind::Array => Self::Array,
            Kind::Object => Self::Object,
        }
    }

    fn name(self) -> &'static str {
        olmdex_base::variant_name(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(text: &str) -> Option<InstallModes> {
        let has = |it: &str| text.split(' ').any(|word| word == it);
        (text != "unknown").then(|| InstallModes {
            own_namespace: has("own"),
            single_namespace: has("single"),
            multi_namespace: has("multi"),
            all_namespaces: has("all"),
        })
    }

    fn refusal(stated: &str, gates: &str, config: Option<&str>) -> String {
        let gates = gates.parse::<Gates>().unwrap();
        let installation = Installation { gates, config: config.map(str::to_owned), namespace: "here".to_owned() };
        installation.refusal(modes(stated), &Obstacles::default()).unwrap_or_default()
    }

    #[test]
    fn a_version_of_openshift_decides_about_certificates_that_nobody_names() {
        for (minor, given, has_certificates) in [
            (18, "", false),
            (20, "", false),
            (21, "", true),
            (20, "WebhookProviderOpenshiftServiceCA=true", true),
            (22, "WebhookProviderOpenshiftServiceCA=false", false),
            (20, "SingleOwnNamespaceInstallSupport=true", false),
        ] {
            let gates = given.parse::<Gates>().unwrap().on_openshift(Some(Minor { major: 4, minor }));
            assert_eq!(gates.has_certificates(), has_certificates, "4.{minor} {given}");
        }
        assert!(Gates::default().on_openshift(None).has_certificates());
    }

    #[test]
    fn what_cannot_be_rendered_is_refused_in_their_order() {
        const SERVICES: &str = "unsupported bundle: apiServiceDefintions are not supported";
        const WEBHOOKS: &str = "unsupported bundle: webhookDefinitions are not supported";
        const OFF: &str = "WebhookProviderCertManager=false,WebhookProviderOpenshiftServiceCA=false";
        const ONE: &str = "WebhookProviderCertManager=false";
        for (services, webhooks, gates, refused) in [
            (0, 0, "", ""),
            (1, 0, "", SERVICES),
            (0, 1, "", ""),
            (0, 1, ONE, ""),
            (0, 1, OFF, WEBHOOKS),
            (1, 1, OFF, SERVICES),
            (0, 0, OFF, ""),
        ] {
            let named = |n: usize| vec!["a".to_owned(); n];
            let obstacles =
                Obstacles { api_services: named(services), webhooks: named(webhooks), ..Obstacles::default() };
            let installation = Installation { gates: gates.parse::<Gates>().unwrap(), ..Installation::default() };
            let found = installation.refusal(modes("all"), &obstacles).unwrap_or_default();
            assert_eq!(found, refused, "{services} {webhooks} {gates}");
        }
    }

    #[test]
    fn bundles_that_do_not_support_all_namespaces_are_refused() {
        const ALL: &str = "unsupported bundle: bundle does not support AllNamespaces install mode";
        const OWN: &str = "SingleOwnNamespaceInstallSupport=true";
        const ANY: &str = "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes";
        const MISSING: &str = "invalid ClusterExtension configuration: invalid configuration: required field \"watchNamespace\" is missing";
        for (stated, gates, refused) in [
            ("all", "", ""),
            ("all own", "", ""),
            ("own single", "", ALL),
            ("multi", "", ALL),
            ("", "", ALL),
            ("unknown", "", ""),
            ("multi", OWN, ANY),
            ("own", OWN, MISSING),
            ("own", "AllAlpha=true", MISSING),
            ("own", "AllAlpha=true,SingleOwnNamespaceInstallSupport=false", ALL),
            ("all own", OWN, ""),
            ("unknown", OWN, ""),
        ] {
            assert_eq!(refusal(stated, gates, None), refused, "{stated} with {gates}");
        }
    }

    #[test]
    fn a_configuration_must_fit_the_install_modes() {
        const OWN: &str = "SingleOwnNamespaceInstallSupport=true";
        const PREFIX: &str = "invalid ClusterExtension configuration: invalid configuration: ";
        let pattern = "field \"watchNamespace\" must match pattern \"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$\"";
        let several = format!(
            "multiple errors found:\n  - invalid value for field \"watchNamespace\"\n  - invalid type for field \"watchNamespace\": got string, want null\n  - {pattern}"
        );
        for (stated, gates, config, wrong) in [
            ("all", "", "{}", ""),
            ("all", "", r#"{"bogus":1}"#, r#"unknown field "bogus""#),
            ("all", "", r#"{"watchNamespace":"a","bogus":1}"#, r#"unknown field "bogus""#),
            ("all", "", r#"{"watchNamespace":"a"}"#, r#"unknown field "watchNamespace""#),
            ("all own", "", r#"{"watchNamespace":"here"}"#, ""),
            ("all own", "", r#"{"watchNamespace":null}"#, ""),
            ("all own single", "", r#"{"watchNamespace":"A"}"#, several.as_str()),
            ("own", OWN, r#"{"watchNamespace":"here"}"#, ""),
            (
                "own",
                OWN,
                r#"{"watchNamespace":"there"}"#,
                r#"invalid format for field "watchNamespace": 'there' is not valid ownNamespaceInstallMode: invalid value "there": must be "here" (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode"#,
            ),
            (
                "single",
                OWN,
                r#"{"watchNamespace":"here"}"#,
                r#"invalid format for field "watchNamespace": 'here' is not valid singleNamespaceInstallMode: invalid value "here": must be different from "here" (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace"#,
            ),
            ("single", OWN, r#"{"watchNamespace":null}"#, r#"required field "watchNamespace" is missing"#),
            (
                "single",
                OWN,
                r#"{"watchNamespace":123}"#,
                r#"invalid type for field "watchNamespace": got number, want string"#,
            ),
            ("all", "", r#"{"deploymentConfig":{}}"#, r#"unknown field "deploymentConfig""#),
            (
                "all",
                "DeploymentConfig=true",
                r#"{"deploymentConfig":{"env":[{"name":"A"}],"nodeSelector":{"a":"b"}}}"#,
                "",
            ),
            ("all", "DeploymentConfig=true", r#"{"deploymentConfig":{"selector":{}}}"#, r#"unknown field "selector""#),
            (
                "all",
                "DeploymentConfig=true",
                r#"{"deploymentConfig":{"nodeSelector":{"a":1}}}"#,
                r#"invalid type for field "deploymentConfig.nodeSelector.a": got number, want string"#,
            ),
            ("unknown", "", r#"{"watchNamespace":"a"}"#, ""),
            ("unknown", "", r#"{"bogus":1}"#, r#"unknown field "bogus""#),
        ] {
            let expected = if wrong.is_empty() { String::new() } else { format!("{PREFIX}{wrong}") };
            assert_eq!(refusal(stated, gates, Some(config)), expected, "{stated} with {gates} and {config}");
        }
    }

    #[test]
    fn gates_are_read_as_upstream_reads_them() {
        for (text, error) in [
            (
                "Nope=true",
                "unrecognized feature gate: Nope; there are BoxcutterRuntime, BundleReleaseSupport, DeploymentConfig, SingleOwnNamespaceInstallSupport, WebhookProviderCertManager, WebhookProviderOpenshiftServiceCA, AllAlpha and AllBeta",
            ),
            ("BoxcutterRuntime", "missing bool value for BoxcutterRuntime: write GATE=true or GATE=false"),
            ("BoxcutterRuntime=yes", "invalid value of BoxcutterRuntime=yes: it is true or false"),
        ] {
            assert_eq!(text.parse::<Gates>().unwrap_err().to_string(), error);
        }
        assert!(" BundleReleaseSupport = T , ".parse::<Gates>().unwrap().has_explicit_releases());
        assert!(!"".parse::<Gates>().unwrap().has_explicit_releases());
    }
}
