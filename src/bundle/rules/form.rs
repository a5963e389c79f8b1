//! Whether a ClusterServiceVersion fits its type, in the words of Go's decoder.
//!
//! What it deliberately does not do: the deployments' pods, webhooks and status are not looked into.

use super::node::Node;
use crate::json::{Kind, Value};
use crate::version::{Release, ReleaseErrorReason, Version};

/// What a field has to be.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Truth,
    /// A list of the named type.
    List(&'static str, &'static Form),
    /// An object of the named type with fields.
    Object(&'static str, &'static [(&'static str, Form)]),
    /// Texts by name.
    Map,
    Version,
    Release,
}

const TEXTS: Form = Form::List("string", &Form::Text);
const NAMED: Form = Form::Object("v1alpha1.AppLink", &[("name", Form::Text), ("url", Form::Text)]);

const DESCRIBED: Form = Form::Object(
    "v1alpha1.CRDDescription",
    &[
        ("name", Form::Text),
        ("version", Form::Text),
        ("kind", Form::Text),
        ("displayName", Form::Text),
        ("description", Form::Text),
        ("resources", Form::List("v1alpha1.APIResourceReference", &RESOURCE)),
    ],
);

const RESOURCE: Form = Form::Object(
    "v1alpha1.APIResourceReference",
    &[("name", Form::Text), ("kind", Form::Text), ("version", Form::Text)],
);

const SERVED: Form = Form::Object(
    "v1alpha1.APIServiceDescription",
    &[
        ("name", Form::Text),
        ("group", Form::Text),
        ("version", Form::Text),
        ("kind", Form::Text),
        ("deploymentName", Form::Text),
        ("displayName", Form::Text),
        ("description", Form::Text),
    ],
);

const RULE: Form = Form::Object(
    "v1.PolicyRule",
    &[
        ("verbs", TEXTS),
        ("apiGroups", TEXTS),
        ("resources", TEXTS),
        ("resourceNames", TEXTS),
        ("nonResourceURLs", TEXTS),
    ],
);

const PERMISSION: Form = Form::Object(
    "v1alpha1.StrategyDeploymentPermissions",
    &[("serviceAccountName", Form::Text), ("rules", Form::List("v1.PolicyRule", &RULE))],
);

const DEPLOYMENT: Form = Form::Object("v1alpha1.StrategyDeploymentSpec", &[("name", Form::Text)]);

const STRATEGY: Form = Form::Object(
    "v1alpha1.StrategyDetailsDeployment",
    &[
        ("deployments", Form::List("v1alpha1.StrategyDeploymentSpec", &DEPLOYMENT)),
        ("permissions", Form::List("v1alpha1.StrategyDeploymentPermissions", &PERMISSION)),
        ("clusterPermissions", Form::List("v1alpha1.StrategyDeploymentPermissions", &PERMISSION)),
    ],
);

const CSV: Form = Form::Object(
    "v1alpha1.ClusterServiceVersion",
    &[
        ("kind", Form::Text),
        ("apiVersion", Form::Text),
        (
            "metadata",
            Form::Object(
                "v1.ObjectMeta",
                &[
                    ("name", Form::Text),
                    ("generateName", Form::Text),
                    ("namespace", Form::Text),
                    ("labels", Form::Map),
                    ("annotations", Form::Map),
                ],
            ),
        ),
        (
            "spec",
            Form::Object(
                "v1alpha1.ClusterServiceVersionSpec",
                &[
                    (
                        "install",
                        Form::Object("v1alpha1.NamedInstallStrategy", &[("strategy", Form::Text), ("spec", STRATEGY)]),
                    ),
                    ("version", Form::Version),
                    ("release", Form::Release),
                    ("maturity", Form::Text),
                    (
                        "customresourcedefinitions",
                        Form::Object(
                            "v1alpha1.CustomResourceDefinitions",
                            &[
                                ("owned", Form::List("v1alpha1.CRDDescription", &DESCRIBED)),
                                ("required", Form::List("v1alpha1.CRDDescription", &DESCRIBED)),
                            ],
                        ),
                    ),
                    (
                        "apiservicedefinitions",
                        Form::Object(
                            "v1alpha1.APIServiceDefinitions",
                            &[
                                ("owned", Form::List("v1alpha1.APIServiceDescription", &SERVED)),
                                ("required", Form::List("v1alpha1.APIServiceDescription", &SERVED)),
                            ],
                        ),
                    ),
                    ("minKubeVersion", Form::Text),
                    ("displayName", Form::Text),
                    ("description", Form::Text),
                    ("keywords", TEXTS),
                    (
                        "maintainers",
                        Form::List(
                            "v1alpha1.Maintainer",
                            &Form::Object("v1alpha1.Maintainer", &[("name", Form::Text), ("email", Form::Text)]),
                        ),
                    ),
                    ("provider", NAMED),
                    ("links", Form::List("v1alpha1.AppLink", &NAMED)),
                    (
                        "icon",
                        Form::List(
                            "v1alpha1.Icon",
                            &Form::Object("v1alpha1.Icon", &[("base64data", Form::Text), ("mediatype", Form::Text)]),
                        ),
                    ),
                    (
                        "installModes",
                        Form::List(
                            "v1alpha1.InstallMode",
                            &Form::Object("v1alpha1.InstallMode", &[("type", Form::Text), ("supported", Form::Truth)]),
                        ),
                    ),
                    ("replaces", Form::Text),
                    ("labels", Form::Map),
                    ("annotations", Form::Map),
                    (
                        "relatedImages",
                        Form::List(
                            "v1alpha1.RelatedImage",
                            &Form::Object("v1alpha1.RelatedImage", &[("name", Form::Text), ("image", Form::Text)]),
                        ),
                    ),
                    ("skips", TEXTS),
                ],
            ),
        ),
    ],
);

/// Why a value does not fit: Go's words, and the path.
#[derive(Debug)]
pub(super) struct Misfit {
    pub(super) go: String,
    pub(super) path: String,
}

/// The first field of a ClusterServiceVersion that does not fit. Of YAML, numbers and truth values are texts where one is expected.
pub(super) fn misfit(csv: Value<'_>, is_json: bool) -> Option<Misfit> {
    look(Node(Some(csv)), CSV, "", is_json)
}

/// No deeper than the table.
fn look(node: Node<'_>, form: Form, path: &str, is_json: bool) -> Option<Misfit> {
    let kind = node.kind();
    let wrong = |wanted: String| {
        let found = kind.name();
        let (is_item, inside) = (path.rsplit('.').next().is_some_and(|it| it.parse::<usize>().is_ok()), path);
        let go = match (path.is_empty(), is_item) {
            (true, _) => format!("json: cannot unmarshal {found} into Go value of type {wanted}"),
            (_, true) => format!("json: cannot unmarshal {found} into ClusterServiceVersion.{inside} of type {wanted}"),
            _ => {
                format!(
                    "json: cannot unmarshal {found} into Go struct field ClusterServiceVersion.{inside} of type {wanted}"
                )
            }
        };
        Some(Misfit { go, path: path.to_owned() })
    };
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let is_scalar = matches!(kind, Kind::Number | Kind::True | Kind::False) && !is_json;
    let is_text = matches!(kind, Kind::PlainString | Kind::EscapedString);
    match (form, kind) {
        (_, Kind::Null) => None,
        (Form::Text, _) if is_text || is_scalar => None,
        (Form::Text, _) => wrong("string".to_owned()),
        (Form::Truth, Kind::True | Kind::False) => None,
        (Form::Truth, _) => wrong("bool".to_owned()),
        (Form::List(_, form), Kind::Array) => {
            node.items().enumerate().find_map(|(idx, it)| look(it, *form, &below(&idx.to_string()), is_json))
        }
        (Form::List(name, _), _) => wrong(format!("[]{name}")),
        (Form::Object(_, fields), Kind::Object) => {
            fields.iter().find_map(|(name, form)| look(node.get(name), *form, &below(name), is_json))
        }
        (Form::Object(name, _), _) => wrong(name.to_owned()),
        (Form::Map, Kind::Object) => {
            let members = node.0.into_iter().flat_map(|it| it.members());
            members.into_iter().find_map(|(key, value)| {
                let name = key.as_str().unwrap_or_default();
                look(Node(Some(value)), Form::Text, &below(&name), is_json)
            })
        }
        (Form::Map, _) => wrong("map[string]string".to_owned()),
        (Form::Version | Form::Release, _) if !is_text => {
            let go = format!("json: cannot unmarshal {} into Go value of type string", kind.name());
            Some(Misfit { go, path: path.to_owned() })
        }
        (Form::Version, _) => {
            let error = Version::parse_tolerant(&node.text()).err()?;
            Some(Misfit { go: error.to_string(), path: path.to_owned() })
        }
        (Form::Release, _) => {
            let go = match Release::parse(&node.text()).err()?.reason {
                ReleaseErrorReason::Segments(bad) => bad.first()?.error.to_string(),
                // Only catalogs have a limit.
                _ => return None,
            };
            Some(Misfit { go, path: path.to_owned() })
        }
    }
}
