//! The fields of a ClusterServiceVersion: each is read here, for every caller.
//!
//! An `olm.csv.metadata` property has the same fields at other places: `annotations` and `labels` are members of its
//! value, and so are the fields that the object has in `spec` (`docs/behaviour/fbc.md` 2.1).

use std::borrow::Cow;

use olmdex_text::api::Api;
use olmdex_text::json::Value;

/// A ClusterServiceVersion, in one form or the other.
#[derive(Debug, Clone, Copy)]
pub struct CsvView<'d> {
    metadata: Option<Value<'d>>,
    spec: Option<Value<'d>>,
    /// Whether the keys of `spec` are compared with their case.
    is_exact: bool,
}

/// An API that a ClusterServiceVersion owns or requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedApi {
    /// `<plural>.<group>` for a definition, the plural for a service.
    pub name: String,
    /// The API. A definition whose name has no dot has no group.
    pub api: Api,
}

/// Rules that an operator's installation grants to a service account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// Whether they hold in all namespaces (`clusterPermissions`), or only where the operator is installed or watches.
    pub is_cluster_wide: bool,
    /// The service account.
    pub service_account: String,
    /// The rules, in their order.
    pub rules: Vec<PolicyRule>,
}

/// A rule of Kubernetes' role-based access control.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyRule {
    /// Groups; the core group is empty, `*` stands for all.
    pub api_groups: Vec<String>,
    /// Resources, `pods/log` for a part of one; `*` stands for all.
    pub resources: Vec<String>,
    /// The only names that it is about; all names if the list is empty.
    pub resource_names: Vec<String>,
    /// Paths of the API server that are no resources.
    pub non_resource_urls: Vec<String>,
    /// Verbs; `*` stands for all.
    pub verbs: Vec<String>,
}

impl PolicyRule {
    fn read(rule: Value<'_>) -> Self {
        let words = |key: &str| list(Some(rule), &[key]).filter_map(|it| Some(it.as_str()?.into_owned())).collect();
        Self {
            api_groups: words("apiGroups"),
            resources: words("resources"),
            resource_names: words("resourceNames"),
            non_resource_urls: words("nonResourceURLs"),
            verbs: words("verbs"),
        }
    }

    /// Whether it is about a group, by name or by `*`.
    pub fn has_group(&self, group: &str) -> bool {
        self.api_groups.iter().any(|it| it == group || it == "*")
    }

    /// Whether it is about a resource, by name or by `*`.
    pub fn has_resource(&self, resource: &str) -> bool {
        self.resources.iter().any(|it| it == resource || it == "*")
    }
}

/// The resources of OLM Classic whose absence an operator would notice under OLM v1. OLM grants `operatorconditions` to
/// every operator.
const CLASSIC_RESOURCES: [&str; 4] = ["subscriptions", "installplans", "clusterserviceversions", "catalogsources"];
const CLASSIC_GROUP: &str = "operators.coreos.com";
const V1_GROUP: &str = "olm.operatorframework.io";

/// The resources of OLM Classic that an operator may use, unless it may use the APIs of OLM v1 too: then it knows OLM
/// v1. A rule about all groups grants both.
pub fn olm_access(permissions: &[Permission]) -> Vec<&'static str> {
    let rules = || permissions.iter().flat_map(|it| &it.rules).filter(|it| !it.verbs.is_empty());
    if rules().any(|it| it.has_group(V1_GROUP)) {
        return Vec::new();
    }
    let is_granted = |resource: &&str| rules().any(|it| it.has_group(CLASSIC_GROUP) && it.has_resource(resource));
    CLASSIC_RESOURCES.into_iter().filter(is_granted).collect()
}

impl<'d> CsvView<'d> {
    /// The object itself.
    pub fn of_object(object: Value<'d>) -> Self {
        Self { metadata: object.get_field("metadata"), spec: object.get_field("spec"), is_exact: false }
    }

    /// The object as opm's registry reads it from a bundle: `spec` is a map there, so the case of its keys matters.
    pub fn of_manifest(object: Value<'d>) -> Self {
        Self { metadata: object.get_field("metadata"), spec: object.get("spec"), is_exact: true }
    }

    /// The value of an `olm.csv.metadata` property.
    pub fn of_metadata(value: Value<'d>) -> Self {
        Self { metadata: Some(value), spec: Some(value), is_exact: false }
    }

    /// A text of the `spec`; empty without it.
    pub fn text(&self, key: &str) -> String {
        self.field(key).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
    }

    /// A field of the `spec`.
    fn field(&self, key: &str) -> Option<Value<'d>> {
        if self.is_exact { self.spec?.get(key) } else { self.spec?.get_field(key) }
    }

    /// The name of its provider.
    pub fn provider(&self) -> String {
        self.field("provider").map(|value| value.text_of_field("name")).unwrap_or_default()
    }

    /// The keywords.
    pub fn keywords(&self) -> impl Iterator<Item = String> + use<'d> {
        list(self.field("keywords"), &[]).filter_map(|it| it.as_str()).map(Cow::into_owned)
    }

    /// Names and addresses of its maintainers.
    pub fn maintainers(&self) -> impl Iterator<Item = (String, String)> + use<'d> {
        list(self.field("maintainers"), &[]).map(|it| (it.text_of_field("name"), it.text_of_field("email")))
    }

    /// Names and addresses of pages about it.
    pub fn links(&self) -> impl Iterator<Item = (String, String)> + use<'d> {
        list(self.field("links"), &[]).map(|it| (it.text_of_field("name"), it.text_of_field("url")))
    }

    /// Ways to install, and whether they are supported.
    pub fn install_modes(&self) -> impl Iterator<Item = (String, bool)> + use<'d> {
        let is_supported = |it: Value<'_>| it.get_field("supported").and_then(|it| it.as_bool()).unwrap_or(false);
        list(self.field("installModes"), &[]).map(move |it| (it.text_of_field("type"), is_supported(it)))
    }

    /// Labels that are texts.
    pub fn labels(&self) -> impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)> + use<'d> {
        texts(self.metadata, "labels")
    }

    /// Annotations that are texts.
    pub fn annotations(&self) -> impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)> + use<'d> {
        texts(self.metadata, "annotations")
    }

    /// An annotation by its name.
    pub fn annotation(&self, name: &str) -> Option<Cow<'d, str>> {
        self.metadata?.get_field("annotations")?.get(name)?.as_str()
    }

    /// The definitions that it lists as `owned` or `required`.
    pub fn definitions(&self, which: &'static str) -> impl Iterator<Item = ListedApi> + use<'d> {
        list(self.field("customresourcedefinitions"), &[which]).map(|it| {
            let (name, of) = (it.text_of_field("name"), Api::of_fields(it));
            let group = name.split_once('.').map_or("", |(_, group)| group).to_owned();
            ListedApi { name, api: Api { group, ..of } }
        })
    }

    /// The APIs of servers that it lists as `owned` or `required`.
    pub fn services(&self, which: &'static str) -> impl Iterator<Item = ListedApi> + use<'d> {
        list(self.field("apiservicedefinitions"), &[which])
            .map(|it| ListedApi { name: it.text_of_field("name"), api: Api::of_fields(it) })
    }

    /// The bundles that it skips.
    pub fn skips(&self) -> impl Iterator<Item = String> + use<'d> {
        list(self.field("skips"), &[]).filter_map(|it| it.as_str()).map(Cow::into_owned)
    }

    /// The images that it lists: name and reference.
    pub fn related_images(&self) -> impl Iterator<Item = (String, String)> + use<'d> {
        list(self.field("relatedImages"), &[]).map(|it| (it.text_of_field("name"), it.text_of_field("image")))
    }

    /// The images of its deployments.
    pub fn deployed_images(&self) -> Vec<String> {
        let mut images = Vec::new();
        let install = self.spec.and_then(|it| it.get_field("install"));
        if install.is_some_and(|install| install.text_of_field("strategy") == "deployment") {
            for deployment in list(install, &["spec", "deployments"]) {
                for containers in ["initContainers", "containers"] {
                    let containers = list(Some(deployment), &["spec", "template", "spec", containers]);
                    images.extend(containers.map(|it| it.text_of_field("image")));
                }
            }
        }
        images
    }

    /// The permissions that its installation grants: first cluster-wide, then in namespaces.
    pub fn permissions(&self) -> Vec<Permission> {
        let install = self.field("install");
        let of = |key: &'static str, is_cluster_wide: bool| {
            list(install, &["spec", key]).map(move |it| Permission {
                is_cluster_wide,
                service_account: it.text_of_field("serviceAccountName"),
                rules: list(Some(it), &["rules"]).map(PolicyRule::read).collect(),
            })
        };
        of("clusterPermissions", true).chain(of("permissions", false)).collect()
    }

    /// The names of its webhooks.
    pub fn webhooks(&self) -> impl Iterator<Item = String> + use<'d> {
        list(self.field("webhookdefinitions"), &[]).map(|it| it.text_of_field("generateName"))
    }

    /// Its first icon: base64, which may not be any, and media type.
    pub fn icon(&self) -> Option<(String, String)> {
        list(self.field("icon"), &[]).next().map(|it| (it.text_of_field("base64data"), it.text_of_field("mediatype")))
    }
}

fn list<'d>(of: Option<Value<'d>>, path: &[&str]) -> impl Iterator<Item = Value<'d>> + use<'d> {
    path.iter().fold(of, |value, key| value.and_then(|it| it.get_field(key))).into_iter().flat_map(|it| it.items())
}

/// The members of an object that are texts.
fn texts<'d>(of: Option<Value<'d>>, key: &str) -> impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)> + use<'d> {
    let object = of.and_then(|it| it.get_field(key));
    object.into_iter().flat_map(|it| it.members()).filter_map(|(key, value)| Some((key.as_str()?, value.as_str()?)))
}
