//! Things in the order in which they came, each once.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};

use olmdex_text::tally;

/// Things in the order in which they came, each once.
#[derive(Debug)]
pub(super) struct Once<T> {
    list: Vec<T>,
    /// Their places by their hashes, so that none is kept twice.
    places: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { list: Vec::new(), places: HashMap::new(), hasher: RandomState::new() }
    }
}

impl<T: Hash + Eq> Once<T> {
    /// Adds something, unless it is there already.
    pub(super) fn push(&mut self, it: T) {
        let places = self.places.entry(self.hasher.hash_one(&it)).or_default();
        tally::step(1 + places.len());
        if !places.iter().any(|at| self.list[*at] == it) {
            places.push(self.list.len());
            self.list.push(it);
        }
    }
}

impl<'o, T> IntoIterator for &'o Once<T> {
    type Item = &'o T;
    type IntoIter = std::slice::Iter<'o, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_left_out() {
        let mut once = Once::default();
        for it in ["b", "a", "b", "c", "a"] {
            once.push(it.to_owned());
        }
        assert_eq!(once.list, ["b", "a", "c"]);
    }

    #[test]
    fn many_are_kept_in_so_many_steps() {
        tally::assert_grows_with_input(1000, |size| {
            move || {
                let mut once = Once::default();
                for it in 0..size {
                    once.push(("x".to_owned(), it.to_string()));
                }
                assert_eq!(once.list.len(), size);
            }
        });
    }
}
