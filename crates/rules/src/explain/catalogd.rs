//! Messages of catalogd.

use super::builder::Made;
use super::explanation::MessageExplanation;

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
