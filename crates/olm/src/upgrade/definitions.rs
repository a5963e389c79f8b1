//! Whether a step changes definitions in a way that OLM Classic refuses, by the objects that a catalog carries for
//! bundles.

use olmdex_base::olm::OlmSet;
use olmdex_index::{Index, IndexError};
use olmdex_rules::crd::findings::{LocatedCrd, judge_schemas};

/// The errors and warnings of OLM Classic about the definitions that a step from one bundle of a catalog to another
/// changes.
///
/// # Errors
/// If the index is damaged.
pub fn unsafe_definitions(index: &Index, catalog: &str, from: &str, to: &str) -> Result<Vec<String>, IndexError> {
    let definitions = |bundle: &str| -> Result<Vec<LocatedCrd>, IndexError> {
        let objects = index.carried_objects(catalog, bundle)?;
        Ok(objects.iter().filter_map(|(json, place)| LocatedCrd::read(json, place)).collect())
    };
    let old = definitions(from)?;
    if old.is_empty() {
        return Ok(Vec::new());
    }
    let mut words = Vec::new();
    for next in definitions(to)? {
        if let Some(before) = old.iter().find(|it| it.crd.name == next.crd.name) {
            let found = judge_schemas(OlmSet::Classic, before, &next);
            words.extend(found.into_iter().map(|it| it.message));
        }
    }
    Ok(words)
}
