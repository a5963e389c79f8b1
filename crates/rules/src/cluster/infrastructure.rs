//! The Infrastructure of a cluster, as far as it names the cluster.

use super::object::Object;

/// The name that people use for the cluster: the host of its API without `api.`, or else the prefix of its machines'
/// names, or empty.
pub(super) fn cluster_name(object: &Object<'_>) -> String {
    let address = object.text(&["status", "apiServerURL"]);
    let host = address.split_once("://").map_or(address.as_str(), |it| it.1);
    let host = host.split([':', '/']).next().unwrap_or_default();
    let name = host.strip_prefix("api.").unwrap_or(host);
    if name.is_empty() { object.text(&["status", "infrastructureName"]) } else { name.to_owned() }
}
