//! The parameters of `metas`.

use super::path::unescape;
use olmdex_index::query::DocumentFilter;

/// The requested documents. `None` if there is an unknown parameter. If several share a name, the first counts; parts
/// with a bad escape or a semicolon vanish.
pub(super) fn filter(query: &str) -> Option<DocumentFilter> {
    let mut filter = DocumentFilter::default();
    let mut seen: Vec<&str> = Vec::new();
    for part in query.split('&').filter(|it| !it.is_empty() && !it.contains(';')) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (Some(key), Some(value)) = (unescape(key, true), unescape(value, true)) else { continue };
        let (name, field) = match key.as_str() {
            "schema" => ("schema", &mut filter.schema),
            "package" => ("package", &mut filter.package),
            "name" => ("name", &mut filter.name),
            _ => return None,
        };
        if !seen.contains(&name) {
            seen.push(name);
            *field = value;
        }
    }
    Some(filter)
}
