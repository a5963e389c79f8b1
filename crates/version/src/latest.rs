//! The latest of rows that have versions.

use std::collections::HashMap;
use std::hash::Hash;

use super::Version;

/// Keeps, for each key, only the rows with its highest version, in their order; a text that is not a version is below
/// all versions.
pub fn latest_only<T, K: Hash + Eq>(rows: Vec<T>, key: impl Fn(&T) -> K, version: impl Fn(&T) -> &str) -> Vec<T> {
    let sort_key = |row: &T| {
        let version = version(row);
        (Version::parse(version).ok().map(|it| it.sort_key()), version.to_owned())
    };
    let mut highest = HashMap::new();
    for row in &rows {
        let found = sort_key(row);
        let best = highest.entry(key(row)).or_insert_with(|| found.clone());
        if found > *best {
            *best = found;
        }
    }
    rows.into_iter().filter(|row| highest.get(&key(row)).is_some_and(|best| *best == sort_key(row))).collect()
}

#[cfg(test)]
mod tests {
    use super::latest_only;

    #[test]
    fn the_highest_version_of_each_key_is_left() {
        let rows = vec![("a", "1.9.0"), ("b", "0.1.0"), ("a", "1.10.0"), ("b", "odd"), ("c", "odd"), ("a", "1.10.0")];
        let left = latest_only(rows, |it| it.0, |it| it.1);
        assert_eq!(left, [("b", "0.1.0"), ("a", "1.10.0"), ("c", "odd"), ("a", "1.10.0")]);
    }
}
