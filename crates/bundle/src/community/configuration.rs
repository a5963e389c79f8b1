//! `ci.yaml` and `release-config.yaml`, as far as they decide something (`docs/behaviour/authoring.md` A.6).

use olmdex_base::diag::closest;
use olmdex_text::json::{Reader, Step, Tree, Value};

/// The content of `ci.yaml`.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) update_graph: Option<String>,
    /// Whether catalogs are made of templates.
    pub(super) is_fbc: bool,
    /// The treatment of the operator when a version of OpenShift gets its catalogs.
    pub(super) promotion: Option<String>,
    pub(super) mapping: Vec<Mapping>,
}

/// The catalogs that are made of a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) template: String,
    pub(super) kind: String,
    pub(super) catalogs: Vec<String>,
}

/// The keys of a release configuration's request for one template.
const KEYS: [&str; 6] = ["template_name", "channels", "defaultChannel", "replaces", "skips", "skipRange"];

/// The unused keys of a release configuration, each with its path and the key that may be meant. The pipelines ignore
/// them.
pub(super) fn unread_keys(json: &str) -> Vec<(Vec<Step>, Option<&'static str>)> {
    let mut reader = Reader::new();
    let Ok(value) = reader.read(json) else { return Vec::new() };
    let items = value.get("catalog_templates").into_iter().flat_map(|it| it.items()).enumerate();
    let keys = items.flat_map(|(number, item)| item.members().map(move |(key, _)| (number, key)));
    keys.filter_map(|(number, key)| {
        let key = key.as_str()?.into_owned();
        let meant = closest(&key, KEYS);
        let path = vec!["catalog_templates".into(), number.into(), Step::Key(key.clone())];
        (!KEYS.contains(&key.as_str())).then_some((path, meant))
    })
    .collect()
}

/// The request of a release configuration for one template.
#[derive(Debug, Clone, Default)]
pub(super) struct TemplateRelease {
    pub(super) template: String,
    pub(super) channels: Vec<String>,
    pub(super) default_channel: Option<String>,
    /// Values of any kind, where they are given.
    pub(super) replaces: Option<Tree>,
    pub(super) skips: Option<Tree>,
    pub(super) skip_range: Option<Tree>,
}

impl Settings {
    pub(super) fn read(json: &str) -> Self {
        let mut reader = Reader::new();
        let Ok(value) = reader.read(json) else { return Self::default() };
        let fbc = value.get("fbc");
        let mapping = fbc.and_then(|it| it.get("catalog_mapping"));
        Self {
            update_graph: text(Some(value), "updateGraph"),
            is_fbc: fbc.and_then(|it| it.get("enabled")).and_then(|it| it.as_bool()).unwrap_or(false),
            promotion: text(fbc, "version_promotion_strategy"),
            mapping: mapping.into_iter().flat_map(|it| it.items()).map(Mapping::of).collect(),
        }
    }
}

impl Mapping {
    fn of(value: Value<'_>) -> Self {
        Self {
            template: text(Some(value), "template_name").unwrap_or_default(),
            kind: text(Some(value), "type").unwrap_or_default(),
            catalogs: texts(value, "catalog_names"),
        }
    }
}

impl TemplateRelease {
    /// All of a release configuration.
    pub(super) fn read(json: &str) -> Vec<Self> {
        let mut reader = Reader::new();
        let Ok(value) = reader.read(json) else { return Vec::new() };
        let of = |it: Value<'_>| {
            let raw = |key: &str| it.get(key).map(Tree::from);
            Self {
                template: text(Some(it), "template_name").unwrap_or_default(),
                channels: texts(it, "channels"),
                default_channel: text(Some(it), "defaultChannel").filter(|it| !it.is_empty()),
                replaces: raw("replaces"),
                skips: raw("skips"),
                skip_range: raw("skipRange"),
            }
        };
        value.get("catalog_templates").into_iter().flat_map(|it| it.items()).map(of).collect()
    }
}

fn text(of: Option<Value<'_>>, key: &str) -> Option<String> {
    of?.get(key)?.as_str().map(|it| it.into_owned())
}

fn texts(of: Value<'_>, key: &str) -> Vec<String> {
    of.get(key).into_iter().flat_map(|it| it.items()).filter_map(|it| it.as_str()).map(|it| it.into_owned()).collect()
}
