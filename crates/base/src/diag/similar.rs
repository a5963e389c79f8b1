//! Did-you-mean.

/// A common ending of package names: it does not show which of them is meant.
const ENDING: &str = "operator";

/// The candidate that `name` was most likely meant to be, if any is close: at most a third of it mistyped. Letter case,
/// dashes, the ending `operator` and a version that both have do not count. If none is close, the answer is the only
/// candidate that has all words of `name`, at least two, in their order. Among equally close candidates the most
/// similar spelling counts, then one that only adds to `name`, then the first in byte order.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let typed = Telling::of(&lower);
    // The parts that are left out of a candidate make it at most this long.
    let longest = name.len() + ENDING.len() + 16;
    let words = words(&lower);
    let mut best: Option<(usize, usize, bool, &str)> = None;
    let mut having: Vec<&str> = Vec::new();
    for candidate in candidates {
        if words.len() > 1 && candidate.len() > name.len() && has_words(candidate, &words) {
            having.push(candidate);
        }
        if candidate.len() > longest || name.len() > candidate.len() + ENDING.len() + 16 {
            continue;
        }
        let other = candidate.to_lowercase();
        if let Some(distance) = typed.distance(&Telling::of(&other)) {
            let found = (distance, strsim::osa_distance(&lower, &other), !other.starts_with(&lower), candidate);
            best = Some(best.map_or(found, |it| it.min(found)));
        }
    }
    let only = having.first().filter(|first| having.iter().all(|it| it == *first));
    best.map(|it| it.3).or_else(|| only.copied())
}

/// The parts by which a name in lower case is compared.
struct Telling<'n> {
    /// Without version, ending and dashes.
    core: String,
    has_ending: bool,
    version: &'n str,
}

impl<'n> Telling<'n> {
    fn of(lower: &'n str) -> Self {
        const SEPARATORS: [char; 3] = ['.', '-', '_'];
        let version = version_part(lower);
        let mut before = lower.strip_suffix(version).unwrap_or(lower);
        if !version.is_empty() {
            before = before.trim_end_matches(SEPARATORS);
            before = before.strip_suffix('v').filter(|it| it.is_empty() || it.ends_with(SEPARATORS)).unwrap_or(before);
        }
        let mut core = before.trim_end_matches(SEPARATORS).replace(['-', '_'], "");
        let rest = core.strip_suffix(ENDING).filter(|it| !it.is_empty()).map(str::len);
        core.truncate(rest.unwrap_or(core.len()));
        Self { core, has_ending: rest.is_some(), version }
    }

    /// The number of differing letters, if it is so small that one may be meant for the other.
    fn distance(&self, other: &Self) -> Option<usize> {
        let is_same_version = self.version == other.version;
        let text = |it: &Self, with_ending: bool| {
            let ending = if with_ending && it.has_ending { ENDING } else { "" };
            let version = if is_same_version { String::new() } else { it.version.replace(['-', '_'], "") };
            format!("{}{ending}{version}", it.core)
        };
        let plain = near(&text(self, false), &text(other, false));
        // The ending itself may be misspelt.
        let is_ending_open = self.has_ending != other.has_ending && self.core != ENDING;
        plain.or_else(|| is_ending_open.then(|| near(&text(self, true), &text(other, true))).flatten())
    }
}

/// The number of differing letters of two texts, if it is at most a third.
fn near(a: &str, b: &str) -> Option<usize> {
    let (n_a, n_b) = (a.chars().count(), b.chars().count());
    let limit = (n_a / 3).clamp(1, 4);
    if n_a.abs_diff(n_b) > limit {
        return None;
    }
    let distance = strsim::osa_distance(a, b);
    // Texts without a common letter are not similar, however short they are.
    (distance <= limit && (distance == 0 || distance < n_a.min(n_b))).then_some(distance)
}

/// The words of a name in lower case that say something.
fn words(lower: &str) -> Vec<&str> {
    lower.split(['-', '_', ' ']).filter(|it| !it.is_empty() && *it != ENDING).collect()
}

/// Whether a name has all these words, in this order.
fn has_words(name: &str, wanted: &[&str]) -> bool {
    let mut wanted = wanted.iter().peekable();
    for word in name.split(['-', '_', ' ']) {
        if wanted.peek().is_some_and(|it| it.eq_ignore_ascii_case(word)) {
            wanted.next();
        }
    }
    wanted.peek().is_none()
}

/// Like [`closest`] for names that end with versions: the guess has the numbers of `name`, since one with others is
/// another version, not a slip. It is never `name` itself.
pub fn closest_of_same_numbers<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_other = |it: &&str| *it != name && has_same_version(it, name);
    closest(name, candidates.into_iter().filter(is_other))
}

/// Like [`closest_of_same_numbers`], but nearer: such a name is hardly a name of its own. One letter is wrong, left out
/// or added, or two change places; in names of ten letters or more, that may happen twice. Letter case and separators
/// of words do not count.
pub fn slip_of<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |it: &str| it.to_lowercase().replace(['-', '_', '.'], "");
    let meant = plain(name);
    let limit = if meant.chars().count() < 10 { 1 } else { 2 };
    let distance = |it: &str| strsim::osa_distance(&meant, &plain(it));
    let is_other = |it: &&str| *it != name && it.len().abs_diff(name.len()) <= 16 && has_same_version(it, name);
    let lower = name.to_lowercase();
    let typed = Telling::of(&lower);
    let is_near = |it: &(usize, &str)| it.0 <= limit && typed.distance(&Telling::of(&it.1.to_lowercase())).is_some();
    candidates.into_iter().filter(is_other).map(|it| (distance(it), it)).filter(is_near).min().map(|(_, it)| it)
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

/// The part before the version in a name that ends with one.
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
        let names = [
            "cert-manager",
            "etcd",
            "tempo-product",
            "3scale-operator.v0.5.0",
            "a.v1.0.0-alpha1",
            "till.v2",
            "b-operator",
        ];
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
            ("c-operator", None),
            ("b-opertor", Some("b-operator")),
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
        let names = ["keda", "prometheus", "strimzi-kafka-operator", "stable", "stable-1.0", "stable-1.30"];
        for (typed, meant) in [
            ("prometeus", Some("prometheus")),
            ("stabel", Some("stable")),
            ("KEDA", Some("keda")),
            ("strimzi-kafka-opertor", Some("strimzi-kafka-operator")),
            ("etcd", None),
            ("stable-1.3", Some("stable-1.30")),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(typed, names), meant, "{typed}");
        }
    }

    #[test]
    fn only_what_tells_names_apart_counts() {
        let names = [
            "hive-operator",
            "koku-metrics-operator",
            "b-operator",
            "multiple-channel-heads",
            "amq-streams-console",
            "amq-broker-console",
            "shop-operator.v1.0.0",
        ];
        for (typed, meant) in [
            ("widget-operator", None),
            ("kokumetrics", Some("koku-metrics-operator")),
            ("koku-metrics", Some("koku-metrics-operator")),
            ("kokumetricsoperator", Some("koku-metrics-operator")),
            ("hvie-operator", Some("hive-operator")),
            ("hive", Some("hive-operator")),
            ("live", Some("hive-operator")),
            ("c-operator", None),
            ("multiple-heads", Some("multiple-channel-heads")),
            ("heads-multiple", None),
            ("amq-console", None),
            ("heads", None),
            ("shpo-operator.v1.0.0", Some("shop-operator.v1.0.0")),
            ("desk-operator.v1.0.0", None),
            ("operator", None),
            ("-operator", None),
        ] {
            assert_eq!(closest(typed, names), meant, "{typed}");
        }
    }
}
