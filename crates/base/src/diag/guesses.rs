//! Did-you-mean for many words over the same names.

use std::cell::Cell;
use std::collections::HashMap;

use super::similar::{closest, closest_of_same_numbers, sameness, slip_of};
use olmdex_text::tally;

/// The number of comparisons between names for all words together. A comparison takes time by the square of a name's
/// length, and words times names are a square themselves; beyond this number there are no suggestions.
const MAX_COMPARED: usize = 250_000;

/// Names that words may be meant to be. Each question has the answer of the function of the same name.
#[derive(Debug, Clone)]
pub struct Guesses<'a> {
    /// The names that have the same numbers: only among these is another version none.
    alike: HashMap<String, Vec<&'a str>>,
    /// The number of names that may still be compared.
    left: Cell<usize>,
}

impl<'a> Guesses<'a> {
    /// Guesses among these names.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut alike: HashMap<String, Vec<&str>> = HashMap::new();
        for name in names {
            tally::step(1);
            alike.entry(sameness(name)).or_default().push(name);
        }
        Self { alike, left: Cell::new(MAX_COMPARED) }
    }

    /// The answer of [`closest`].
    pub fn closest(&self, name: &str) -> Option<&'a str> {
        let n_names = self.alike.values().map(Vec::len).sum();
        self.may_compare(n_names).then(|| closest(name, self.alike.values().flatten().copied())).flatten()
    }

    /// The answer of [`closest_of_same_numbers`], among the names that may be meant.
    pub fn closest_of_same_numbers(&self, name: &str, may_be: impl Fn(&str) -> bool) -> Option<&'a str> {
        closest_of_same_numbers(name, self.alike(name).iter().copied().filter(|it| may_be(it)))
    }

    /// The answer of [`slip_of`].
    pub fn slip_of(&self, name: &str) -> Option<&'a str> {
        slip_of(name, self.alike(name).iter().copied())
    }

    fn alike(&self, name: &str) -> &[&'a str] {
        let found = self.alike.get(&sameness(name)).map_or(&[][..], Vec::as_slice);
        if self.may_compare(found.len()) { found } else { &[] }
    }

    fn may_compare(&self, n_names: usize) -> bool {
        let left = self.left.get().checked_sub(n_names);
        tally::step(1 + left.map_or(0, |_| n_names));
        self.left.set(left.unwrap_or_default());
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_those_of_the_functions() {
        let names = ["till.v1.0.0", "til.v1.0.0", "till.v1.0.1", "keda", "stable-1", "Stable-1"];
        let words = ["tall.v1.0.0", "till.V1.0.1", "kedda", "stabel-1", "stable-2", "till.v1.0.0", ""];
        for word in words {
            let guesses = Guesses::new(names);
            assert_eq!(guesses.closest(word), closest(word, names), "{word}");
            let of_same = |word| closest_of_same_numbers(word, names.into_iter().filter(|it| *it != "til.v1.0.0"));
            assert_eq!(guesses.closest_of_same_numbers(word, |it| it != "til.v1.0.0"), of_same(word), "{word}");
            assert_eq!(guesses.slip_of(word), slip_of(word, names), "{word}");
        }
    }

    #[test]
    fn names_of_other_versions_are_not_compared_and_equal_ones_only_so_often() {
        tally::assert_grows_with_input(1000, |size| {
            let names: Vec<String> = (0..size).map(|it| format!("till.v1.0.{it}")).collect();
            move || {
                let guesses = Guesses::new(names.iter().map(String::as_str));
                for it in &names {
                    assert_eq!(
                        guesses.closest_of_same_numbers(&it.replace("till", "tall"), |_| true),
                        Some(it.as_str())
                    );
                }
            }
        });
        let names: Vec<String> = (0..1000_u32).map(|it| format!("name{}", "x".repeat(it as usize % 7))).collect();
        let guesses = Guesses::new(names.iter().map(String::as_str));
        assert_eq!(guesses.closest("nome"), Some("name"));
        let all = tally::steps_of(|| {
            for _ in 0..10_000 {
                let _ = guesses.closest("nome");
            }
        });
        assert!(all <= 10_000 + MAX_COMPARED as u64, "{all}");
        assert_eq!(guesses.closest("nome"), None);
    }
}
