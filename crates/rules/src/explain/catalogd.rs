//! Messages of catalogd.

use super::builder::Made;
use super::explanation::MessageExplanation;

/// Messages of ClusterCatalogs.
pub(super) fn catalogd(message: &str) -> Option<MessageExplanation> {
    const SYSTEM: &str = "catalogd";
    let meaning = [
        ("Successfully unpacked and stored content from resolved source", "Nothing is wrong: the catalog was read."),
        ("Serving desired content from resolved source", "Nothing is wrong: the catalog is served."),
        (
            "Catalog availability mode is set to Unavailable",
            "Somebody switched the catalog off with spec.availabilityMode.",
        ),
        ("source catalog content:", "The image of the catalog cannot be pulled or read; OLM tries again."),
        ("error storing fbc:", "The catalog is not valid; catalogd still serves the previous one."),
    ];
    let (_, meaning) = meaning.iter().find(|it| message.contains(it.0))?;
    Made::new(SYSTEM, *meaning).next("kubectl get clustercatalogs").done()
}
