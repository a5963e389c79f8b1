//! Suggestions for misspelt names.

/// The number of names that are named.
const MAX_NAMED: usize = 5;

/// The question at the end of a message, or an empty text.
pub(super) fn did_you_mean<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut near: Vec<(usize, &str)> = names.filter_map(|it| Some((near(written, it)?, it))).collect();
    near.sort_by_key(|it| it.0);
    let quoted: Vec<String> = near.iter().take(MAX_NAMED).map(|it| format!("\"{}\"", it.1)).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => format!(" Did you mean {last}?"),
        Some((last, [first])) => format!(" Did you mean {first} or {last}?"),
        Some((last, rest)) => format!(" Did you mean {}, or {last}?", rest.join(", ")),
    }
}

/// The number of steps that it takes at most to compare a text with names.
pub(super) fn cost(written: &str) -> usize {
    1 + written.len() / 4
}

/// The distance between a name and the written one, if it is near: no more than half of the longer one has to change.
fn near(written: &str, name: &str) -> Option<usize> {
    let most = (written.len() / 2).max(name.len() / 2).max(1);
    if written.len().abs_diff(name.len()) > most {
        return None;
    }
    Some(distance(written.as_bytes(), name.as_bytes())).filter(|it| *it <= most)
}

/// The number of bytes that have to be added, removed or replaced.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        let names = ["name", "names", "game", "nobody", "a"];
        assert_eq!(did_you_mean("nam", names.into_iter()), " Did you mean \"name\", \"names\", or \"game\"?");
        assert_eq!(did_you_mean("namee", names.into_iter()), " Did you mean \"name\", \"names\", or \"game\"?");
        assert_eq!(did_you_mean("zzzzzz", names.into_iter()), "");
        assert_eq!(did_you_mean("a", ["b", "c"].into_iter()), " Did you mean \"b\" or \"c\"?");
        assert_eq!(distance(b"kitten", b"sitting"), 3);
    }
}
