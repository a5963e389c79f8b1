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

/// As [`closest`] for names that end with versions: the guess has the numbers of `name`, since one with others is another version, not a
/// slip. It is never `name` itself.
pub fn closest_of_same_numbers<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_other = |it: &&str| *it != name && has_same_version(it, name);
    closest(name, candidates.into_iter().filter(is_other))
}

/// As [`closest_of_same_numbers`], but nearer: what is so close is hardly a name of its own. One letter is wrong, left out or added, or
/// two change places; in names of ten letters or more, that may happen twice. Letter case and what separates words do not count.
pub fn slip_of<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |it: &str| it.to_lowercase().replace(['-', '_', '.'], "");
    let meant = plain(name);
    let limit = if meant.chars().count() < 10 { 1 } else { 2 };
    let distance = |it: &str| strsim::osa_distance(&meant, &plain(it));
    let is_other = |it: &&str| *it != name && it.len().abs_diff(name.len()) <= 16 && has_same_version(it, name);
    let near = candidates.into_iter().filter(is_other).map(|it| (distance(it), it)).filter(|it| it.0 <= limit);
    near.min().map(|(_, it)| it)
}

/// Whether two names have the same numbers, and the same text from where a version seems to begin.
fn has_same_version(a: &str, b: &str) -> bool {
    numbers(a).eq(numbers(b)) && version_part(a).eq_ignore_ascii_case(version_part(b))
}

/// A text that names have in common if they have the same version, and only then.
pub(super) fn sameness(name: &str) -> String {
    let mut text = version_part(name).to_ascii_lowercase();
    for number in numbers(name) {
        text.push('\n');
        text.push_str(number);
    }
    text
}

/// What stands before the version in a name that ends with one.
pub fn before_version(name: &str) -> Option<&str> {
    name.strip_suffix(version_part(name)).filter(|it| !it.is_empty() && it.len() < name.len())
}

/// A text from its first number on that a point and another number follow; empty if it has none.
fn version_part(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let point = (1..bytes.len()).find(|&at| bytes[at] == b'.' && is_digit(at - 1) && is_digit(at + 1));
    point.and_then(|it| (0..it).rev().take_while(|&at| is_digit(at)).last()).map_or("", |it| &text[it..])
}

/// The numbers in a text, as they are written.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{closest, closest_of_same_numbers, slip_of};

    #[test]
    fn a_slip_is_nearer_than_what_looks_alike() {
        let names = ["cert-manager", "etcd", "tempo-product", "3scale-operator.v0.5.0", "a.v1.0.0-alpha1", "till.v2"];
        for (typed, meant) in [
            ("certmanager", Some("cert-manager")),
            ("cert-manger", Some("cert-manager")),
            ("cert-utils", None),
            ("etdc", Some("etcd")),
            ("tempo-operator", None),
            ("3scale-opertor.v0.5.0", Some("3scale-operator.v0.5.0")),
            ("3scale-operator.v0.5.1", None),
            ("a.v1.0.0-beta1", None),
            ("a.v1.0.0-alpah1", None),
            ("til.v2", Some("till.v2")),
            ("till.v3", None),
        ] {
            assert_eq!(slip_of(typed, names), meant, "{typed}");
        }
    }

    #[test]
    fn another_version_is_no_guess() {
        let names = ["till.v1.0.0", "till.v1.1.0", "till.v1.10.0"];
        for (typed, meant) in [
            ("til.v1.1.0", Some("till.v1.1.0")),
            ("till.V1.1.0", Some("till.v1.1.0")),
            ("till-v1.1.0", Some("till.v1.1.0")),
            ("till.v.1.1.0", Some("till.v1.1.0")),
            ("till.v1.1.0", None),
            ("till.v1.1.1", None),
            ("till.v11.0", None),
            ("till.v1.1.0-rc.1", None),
        ] {
            assert_eq!(closest_of_same_numbers(typed, names), meant, "{typed}");
        }
    }

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
