//! OpenShift's own catalogs: the CatalogSource, the ClusterCatalog and the image that usually have one.

use super::family::family_and_minor;
use olmdex_constraint::openshift::Minor;
use olmdex_rules::openshift::coerce;

/// OpenShift's own CatalogSources. A ClusterCatalog holds the same as each of them, and has its name behind a prefix.
const OWN: [&str; 4] = ["redhat-operators", "certified-operators", "community-operators", "redhat-marketplace"];

/// The namespace of OpenShift's own CatalogSources.
const NAMESPACE: &str = "openshift-marketplace";

/// The CatalogSource among OpenShift's own that has a family of catalogs, which may go without `-operators`.
fn own_of(family: &str) -> Option<&'static str> {
    OWN.into_iter().find(|own| *own == family || own.strip_suffix("-operators") == Some(family))
}

/// The repository of the images of one of OpenShift's own catalogs.
fn repository(own: &str) -> String {
    format!("registry.redhat.io/redhat/{}-index", own.strip_suffix('s').unwrap_or(own))
}

/// The CatalogSource that usually has a catalog, with its namespace: a tie of the user or a label of the catalog names
/// it, or the catalog is called like one of OpenShift's own, as `community-v4.20` is. `None` if neither does.
pub fn usual_source(catalog: &str, label: Option<&str>, ties: &[String]) -> Option<(String, String)> {
    let family = family_and_minor(catalog).map(|it| it.0);
    let family = family.as_deref().unwrap_or(catalog);
    let mut tied = ties.iter().filter_map(|tie| tie.split_once('='));
    let tied = tied.find(|tie| tie.1 == catalog || tie.1 == family).map(|tie| tie.0.to_owned());
    let full = tied.or_else(|| label.map(str::to_owned)).or_else(|| own_of(family).map(str::to_owned))?;
    Some(match full.split_once('/') {
        Some((namespace, name)) => (namespace.to_owned(), name.to_owned()),
        None => (NAMESPACE.to_owned(), full),
    })
}

/// The image that usually has a catalog which is called like one of OpenShift's own, as `community-v4.20` is; `None`
/// for other names.
pub fn usual_image(catalog: &str) -> Option<String> {
    let (family, minor) = family_and_minor(catalog)?;
    Some(format!("{}:v{minor}", repository(own_of(&family)?)))
}

/// The name of a catalog that comes from an image: that of OpenShift's own, or else that of the repository, with the
/// tag.
pub fn name_of_image(image: &str) -> String {
    let tagged = image.split('@').next().unwrap_or(image);
    let last = tagged.rsplit('/').next().unwrap_or(tagged);
    let (repository, tag) = last.split_once(':').unwrap_or((last, ""));
    let name = own_source("", Some(tagged)).unwrap_or(repository);
    if tag.is_empty() { name.to_owned() } else { format!("{name}-{tag}") }
}

/// The CatalogSource among OpenShift's own that has the same catalog as a source: that of its image, or that of its
/// name if its manifest is not given. A mirror may hold a part of a catalog, so its image is none of them.
pub(super) fn own_source(source: &str, image: Option<&str>) -> Option<&'static str> {
    let Some(image) = image else { return own_name(source) };
    let is_its = |own: &&str| image.strip_prefix(&repository(own)).is_some_and(|it| it.starts_with([':', '@']));
    OWN.into_iter().find(is_its)
}

/// The version of OpenShift whose catalog a source has on a cluster of a version. The tag of its image says so; those
/// of OpenShift's own sources follow the cluster.
pub(super) fn minor_of(source: &str, image: Option<&str>, openshift: Option<Minor>) -> Option<Minor> {
    let tag = || coerce(own_source(source, image).and(image)?.rsplit_once(":v")?.1);
    if own_name(source).is_some() { openshift.or_else(tag) } else { tag().or(openshift) }
}

/// The CatalogSource among OpenShift's own that has the name of a source, or whose ClusterCatalog has it.
pub(super) fn own_name(source: &str) -> Option<&'static str> {
    let name = source.strip_prefix("openshift-marketplace/").or_else(|| source.strip_prefix("openshift-"))?;
    OWN.into_iter().find(|own| *own == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogs_of_openshift_have_their_usual_images() {
        for (catalog, image) in [
            ("community-v4.20", Some("registry.redhat.io/redhat/community-operator-index:v4.20")),
            ("redhat-operators-4.19", Some("registry.redhat.io/redhat/redhat-operator-index:v4.19")),
            ("redhat-marketplace-v4.18", Some("registry.redhat.io/redhat/redhat-marketplace-index:v4.18")),
            ("community", None),
            ("mine-v4.20", None),
            ("4.20", None),
        ] {
            assert_eq!(usual_image(catalog).as_deref(), image, "{catalog}");
        }
    }

    #[test]
    fn catalogs_are_named_after_their_images() {
        for (image, name) in [
            ("registry.redhat.io/redhat/community-operator-index:v4.20", "community-operators-v4.20"),
            ("registry.redhat.io/redhat/redhat-marketplace-index:v4.18@sha256:1", "redhat-marketplace-v4.18"),
            ("registry.redhat.io/redhat/community-operator-index@sha256:1", "community-operator-index"),
            ("mirror.example.com:5000/redhat/community-operator-index:v4.20", "community-operator-index-v4.20"),
            ("localhost:5000/my-catalog", "my-catalog"),
            ("quay.io/team/my-catalog:latest", "my-catalog-latest"),
        ] {
            assert_eq!(name_of_image(image), name, "{image}");
        }
    }

    #[test]
    fn catalogs_have_their_usual_sources() {
        let ties = ["olm/sellers=shop".to_owned(), "mine/all=redhat".to_owned()];
        for (catalog, label, expected) in [
            ("community-v4.20", None, Some("openshift-marketplace/community-operators")),
            ("certified-operators-4.19", None, Some("openshift-marketplace/certified-operators")),
            ("redhat-marketplace", None, Some("openshift-marketplace/redhat-marketplace")),
            ("redhat-v4.20", None, Some("mine/all")),
            ("shop", Some("other"), Some("olm/sellers")),
            ("bakery", Some("ns/bread"), Some("ns/bread")),
            ("bakery", Some("bread"), Some("openshift-marketplace/bread")),
            ("bakery", None, None),
            ("v4.20", None, None),
        ] {
            let found = usual_source(catalog, label, &ties).map(|(namespace, name)| format!("{namespace}/{name}"));
            assert_eq!(found.as_deref(), expected, "{catalog}");
        }
    }
}
