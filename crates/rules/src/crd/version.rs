//! The order of API versions in Kubernetes.

use std::cmp::Ordering;

/// A version's place: those of the form `v1`, `v1beta2`, `v1alpha1` by stability and then by numbers, others below.
fn rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let major: u64 = rest[..digits].parse().ok().filter(|_| !rest.starts_with('0'))?;
    let (stability, minor) = match &rest[digits..] {
        "" => (2, ""),
        tail => match (tail.strip_prefix("beta"), tail.strip_prefix("alpha")) {
            (Some(minor), _) => (1, minor),
            (_, Some(minor)) => (0, minor),
            _ => return None,
        },
    };
    let minor = match minor {
        "" if stability == 2 => 0,
        minor if minor.starts_with('0') || !minor.bytes().all(|c| c.is_ascii_digit()) => return None,
        minor => minor.parse().ok()?,
    };
    Some((stability, major, minor))
}

/// The lesser version first. Versions of another form come first of all, the last in the alphabet before the first.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (None, None) => b.cmp(a),
        (a, b) => a.cmp(&b),
    }
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn versions_are_ordered_as_kubernetes_orders_them() {
        let ascending =
            ["zoo", "foo1", "v1alpha1", "v2alpha1", "v2alpha2", "v1beta1", "v1beta10", "v3beta1", "v1", "v2", "v10"];
        let mut sorted = ascending;
        sorted.reverse();
        sorted.sort_by(|a, b| compare(a, b));
        assert_eq!(sorted, ascending);
    }
}
