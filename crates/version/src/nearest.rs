//! The versions that exist, in words for a user who asked for another one.

use super::Version;

/// The versions nearest to a wanted one, the number of versions, and their range:
/// `the nearest is 2.7.1; there are 12 versions, 2.1.0 to 2.7.1`. Without a wanted one, only number and range. `None`
/// if there is no version.
pub fn nearest<'v>(wanted: Option<&Version>, versions: impl Iterator<Item = &'v str>) -> Option<String> {
    let mut all: Vec<Version> = versions.filter_map(|it| Version::parse(it).ok()).collect();
    all.sort();
    all.dedup();
    let (first, last) = (all.first()?, all.last()?);
    let span = match all.len() {
        1 => format!("the only version is {first}"),
        n => format!("there are {n} versions, {first} to {last}"),
    };
    let Some(wanted) = wanted.filter(|_| all.len() > 1) else { return Some(span) };
    let at = all.partition_point(|it| it < wanted);
    let (below, above) = (at.checked_sub(1).and_then(|it| all.get(it)), all.get(at).filter(|it| *it != wanted));
    Some(match (below, above) {
        (Some(below), Some(above)) => format!("the nearest are {below} and {above}; {span}"),
        (Some(only), None) | (None, Some(only)) => format!("the nearest is {only}; {span}"),
        (None, None) => span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_and_span_are_named() {
        let versions = ["2.10.0", "2.2.0", "2.1.0", "2.7.1", "x", "2.2.0"];
        for (wanted, wording) in [
            ("2.12.1", "the nearest is 2.10.0; there are 4 versions, 2.1.0 to 2.10.0"),
            ("2.8.0", "the nearest are 2.7.1 and 2.10.0; there are 4 versions, 2.1.0 to 2.10.0"),
            ("1.0.0", "the nearest is 2.1.0; there are 4 versions, 2.1.0 to 2.10.0"),
            ("", "there are 4 versions, 2.1.0 to 2.10.0"),
        ] {
            assert_eq!(nearest(Version::parse(wanted).ok().as_ref(), versions.into_iter()).as_deref(), Some(wording));
        }
        let one = Version::parse("1.0.0").ok();
        assert_eq!(nearest(one.as_ref(), ["2.0.0"].into_iter()).as_deref(), Some("the only version is 2.0.0"));
        assert_eq!(nearest(one.as_ref(), ["x"].into_iter()), None);
    }
}
