//! The answers that were given last, kept for the next visitor within bounds of number and size.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The two names that an answer is about.
pub(super) type Names = (String, String);

/// Lists, each about two names, the last ones first.
#[derive(Debug)]
pub(super) struct Recent<T> {
    kept: Mutex<VecDeque<(Names, Arc<[T]>)>>,
    /// The number of lists: the fewest are kept whatever their size.
    n_lists: RangeInclusive<usize>,
    /// The most items of all lists together.
    max_items: usize,
    /// The most items of one list that is kept.
    max_of_one: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self::new(0..=0, 0)
    }
}

impl<T> Recent<T> {
    pub(super) fn new(n_lists: RangeInclusive<usize>, max_items: usize) -> Self {
        Self { kept: Mutex::default(), n_lists, max_items, max_of_one: usize::MAX }
    }

    /// The same without lists of more items than this: a few large ones must not take the room of all others.
    pub(super) fn at_most(self, max_of_one: usize) -> Self {
        Self { max_of_one, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Names, Arc<[T]>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The list about two names, made if it is not kept. Other visitors do not wait meanwhile.
    pub(super) fn get<E>(
        &self,
        names: (&str, &str),
        make: impl FnOnce() -> Result<Arc<[T]>, E>,
    ) -> Result<Arc<[T]>, E> {
        let kept = self.lock().iter().find(|((a, b), _)| (a.as_str(), b.as_str()) == names).map(|it| Arc::clone(&it.1));
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let made = make()?;
        if made.len() > self.max_of_one {
            return Ok(made);
        }
        let mut kept = self.lock();
        kept.push_front(((names.0.to_owned(), names.1.to_owned()), Arc::clone(&made)));
        kept.truncate(*self.n_lists.end());
        while kept.len() > *self.n_lists.start() && n_items(&kept) > self.max_items {
            kept.pop_back();
        }
        Ok(made)
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// Whether half of the room for items is taken.
    pub(super) fn is_half_full(&self) -> bool {
        n_items(&self.lock()) > self.max_items / 2
    }
}

fn n_items<T>(kept: &VecDeque<(Names, Arc<[T]>)>) -> usize {
    kept.iter().map(|it| it.1.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for lists of these lengths, and returns those that are made in a second round, the last one first.
    fn made_again(recent: &Recent<u8>, lengths: &[usize]) -> Vec<usize> {
        let ask = |length: usize| {
            let mut is_made = false;
            let list = recent.get(("a", &length.to_string()), || {
                is_made = true;
                Ok::<_, ()>(vec![0; length].into())
            });
            assert_eq!(list.unwrap().len(), length);
            is_made
        };
        assert!(lengths.iter().all(|it| ask(*it)));
        // A list that is made goes in front, so the kept ones are asked for first.
        lengths.iter().rev().copied().filter(|it| ask(*it)).collect()
    }

    #[test]
    fn the_last_lists_are_kept_within_bounds() {
        for (n_lists, lengths, expected) in [
            (1..=3, &[1, 2, 3][..], &[][..]),
            // One too many.
            (1..=3, &[1, 2, 3, 4], &[1]),
            // Ten items at the most.
            (1..=3, &[4, 5, 6], &[5, 4]),
            (1..=3, &[20], &[]),
            (0..=3, &[20], &[20]),
        ] {
            assert_eq!(made_again(&Recent::new(n_lists, 10), lengths), expected, "{lengths:?}");
        }
    }

    #[test]
    fn a_large_list_takes_no_room() {
        let recent = Recent::new(0..=3, 10).at_most(4);
        assert_eq!(made_again(&recent, &[3, 4, 5]), [5]);
    }

    #[test]
    fn an_error_keeps_nothing() {
        let recent = Recent::<u8>::new(1..=3, 10);
        assert_eq!(recent.get(("a", "b"), || Err("no")), Err("no"));
        assert!(recent.get(("a", "b"), || Ok::<_, ()>(Arc::new([1]))).is_ok());
    }
}
