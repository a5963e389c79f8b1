//! Did-you-mean.

/// The candidate that `name` was most likely meant to be, if any is close: at most a third of it mistyped. Of equally
/// close ones the first in byte order.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 4);
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|it| it.len().abs_diff(name.len()) <= limit * 4)
        .filter_map(|it| {
            let distance = strsim::osa_distance(&lower, &it.to_lowercase());
            (distance <= limit).then_some((distance, it))
        })
        .min()
        .map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let names = ["keda", "prometheus", "strimzi-kafka-operator", "stable"];
        for (typed, meant) in [
            ("prometeus", Some("prometheus")),
            ("stabel", Some("stable")),
            ("KEDA", Some("keda")),
            ("strimzi-kafka-opertor", Some("strimzi-kafka-operator")),
            ("etcd", None),
            ("", None),
        ] {
            assert_eq!(closest(typed, names), meant, "{typed}");
        }
    }
}
