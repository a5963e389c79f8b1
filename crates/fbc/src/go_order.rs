//! The order in which Go's `sort.Slice` leaves a list.
//!
//! It is not stable: elements of equal rank come out in an order that depends on the routine, a pattern-defeating
//! quicksort, and opm's output shows that order. The routine is deterministic (its "random" numbers follow from the
//! length), so the same list gives the same order with every Go since 1.20, and the steps below give that order too:
//! lists of at most twelve are sorted by insertion; longer ones around a pivot that is a median, from fifty on a median
//! of medians; a list that looks sorted is tried by insertion first; unbalanced cuts are shuffled, and too many of them
//! lead to a heap sort.

/// Lists up to this length are sorted by insertion.
const SHORT: usize = 12;
/// From this length on, the pivot is a median of medians, and a nearly sorted list is repaired.
const LONG: usize = 50;
/// This number of exchanges while a pivot is chosen shows that the list descends.
const ALL_SWAPPED: usize = 12;

/// The order that the choice of a pivot suggests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Unknown,
    Ascending,
    Descending,
}

/// The places of `n` elements in the order of `is_less`, as `sort.Slice` leaves them.
pub fn go_order(n: usize, is_less: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut list = List { order: (0..n).collect(), is_less };
    list.sort();
    list.order
}

/// Sorts a list as `sort.Slice` does.
pub fn go_sort<T: Clone>(list: &mut Vec<T>, is_less: impl Fn(&T, &T) -> bool) {
    // Nothing moves in a sorted list.
    if list.windows(2).all(|pair| !is_less(&pair[1], &pair[0])) {
        return;
    }
    let order = go_order(list.len(), |a, b| is_less(&list[a], &list[b]));
    *list = order.into_iter().map(|idx| list[idx].clone()).collect();
}

struct List<F> {
    order: Vec<usize>,
    is_less: F,
}

impl<F: Fn(usize, usize) -> bool> List<F> {
    /// Whether the element at one place belongs before that at another.
    fn less(&self, a: usize, b: usize) -> bool {
        (self.is_less)(self.order[a], self.order[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
    }

    fn sort(&mut self) {
        let n = self.order.len();
        // The remaining parts, each with the number of bad cuts that it may still have. The order in which they are
        // sorted makes no difference: a part sees beyond itself only the pivot before it, which stays where it is.
        let mut open = vec![(0, n, n.checked_ilog2().map_or(0, |it| it + 1))];
        while let Some((mut from, mut to, mut n_bad)) = open.pop() {
            let (mut is_balanced, mut is_parted) = (true, true);
            loop {
                let length = to - from;
                if length <= SHORT {
                    self.insert_all(from, to);
                    break;
                }
                if n_bad == 0 {
                    self.heap_sort(from, to);
                    break;
                }
                if !is_balanced {
                    self.shuffle(from, to);
                    n_bad -= 1;
                }
                let (mut pivot, mut hint) = self.choose_pivot(from, to);
                if hint == Hint::Descending {
                    self.order[from..to].reverse();
                    pivot = (to - 1) - (pivot - from);
                    hint = Hint::Ascending;
                }
                if is_balanced && is_parted && hint == Hint::Ascending && self.mend(from, to) {
                    break;
                }
                // No element here is less than the one before it: if that one is not less than the pivot, they are
                // equal.
                if from > 0 && !self.less(from - 1, pivot) {
                    from = self.part_equal(from, to, pivot);
                    continue;
                }
                let middle;
                (middle, is_parted) = self.part(from, to, pivot);
                let (left, right) = (middle - from, to - middle);
                is_balanced = left.min(right) >= length / 8;
                if left < right {
                    open.push((from, middle, n_bad));
                    from = middle + 1;
                } else {
                    open.push((middle + 1, to, n_bad));
                    to = middle;
                }
            }
        }
    }

    fn insert_all(&mut self, from: usize, to: usize) {
        for next in from + 1..to {
            self.sink(from, next);
        }
    }

    /// Moves an element towards the front until the one before it is not greater.
    fn sink(&mut self, from: usize, mut at: usize) {
        while at > from && self.less(at, at - 1) {
            self.swap(at, at - 1);
            at -= 1;
        }
    }

    fn heap_sort(&mut self, from: usize, to: usize) {
        let length = to - from;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift(from, root, length);
        }
        for end in (0..length).rev() {
            self.swap(from, from + end);
            self.sift(from, 0, end);
        }
    }

    fn sift(&mut self, from: usize, mut root: usize, end: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(from + child, from + child + 1) {
                child += 1;
            }
            if !self.less(from + root, from + child) {
                return;
            }
            self.swap(from + root, from + child);
            root = child;
        }
    }

    /// Exchanges three elements around the middle with others, by numbers that follow from the length.
    fn shuffle(&mut self, from: usize, to: usize) {
        let length = to - from;
        let mut random = length as u64;
        let mask = (1_u64 << (length.ilog2() + 1)) - 1;
        let middle = from + length / 4 * 2 - 1;
        for at in middle - 1..middle + 2 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // The mask is below twice the length.
            let other = (random & mask) as usize;
            self.swap(at, from + if other >= length { other - length } else { other });
        }
    }

    fn choose_pivot(&self, from: usize, to: usize) -> (usize, Hint) {
        let length = to - from;
        let mut n_swaps = 0;
        let mut thirds = [1, 2, 3].map(|it| from + length / 4 * it);
        if length >= LONG {
            thirds = thirds.map(|it| self.median([it - 1, it, it + 1], &mut n_swaps));
        }
        let pivot = self.median(thirds, &mut n_swaps);
        let hint = match n_swaps {
            0 => Hint::Ascending,
            ALL_SWAPPED => Hint::Descending,
            _ => Hint::Unknown,
        };
        (pivot, hint)
    }

    /// The place of the median of three; counts how often two of them are the wrong way round.
    fn median(&self, mut places: [usize; 3], n_swaps: &mut usize) -> usize {
        for (a, b) in [(0, 1), (1, 2), (0, 1)] {
            if self.less(places[b], places[a]) {
                *n_swaps += 1;
                places.swap(a, b);
            }
        }
        places[1]
    }

    /// Repairs a list in which a few neighbours are in the wrong order. Returns whether it is sorted then.
    fn mend(&mut self, from: usize, to: usize) -> bool {
        let mut at = from + 1;
        for _ in 0..5 {
            while at < to && !self.less(at, at - 1) {
                at += 1;
            }
            if at == to {
                return true;
            }
            if to - from < LONG {
                return false;
            }
            self.swap(at, at - 1);
            if at - from >= 2 {
                // The real routine looks back to the very front of the list.
                self.sink(0, at - 1);
            }
            if to - at >= 2 {
                let mut next = at + 1;
                while next < to && self.less(next, next - 1) {
                    self.swap(next, next - 1);
                    next += 1;
                }
            }
        }
        false
    }

    /// Puts the elements that are less than the pivot before it, and the rest behind it. Returns the pivot's place, and
    /// whether all were in order already.
    fn part(&mut self, from: usize, to: usize, pivot: usize) -> (usize, bool) {
        self.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        let mut n_swaps = 0;
        loop {
            while low <= high && self.less(low, from) {
                low += 1;
            }
            while low <= high && !self.less(high, from) {
                high -= 1;
            }
            if low > high {
                break;
            }
            self.swap(low, high);
            n_swaps += 1;
            low += 1;
            high -= 1;
        }
        self.swap(high, from);
        (high, n_swaps == 0)
    }

    /// Puts the elements equal to the pivot first, when none is less. Returns the place behind them.
    fn part_equal(&mut self, from: usize, to: usize, pivot: usize) -> usize {
        self.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        loop {
            while low <= high && !self.less(from, low) {
                low += 1;
            }
            while low <= high && self.less(from, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.swap(low, high);
            low += 1;
            high -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::go_order;

    fn sorted(keys: &[usize]) -> Vec<usize> {
        go_order(keys.len(), |a, b| keys[a] < keys[b])
    }

    #[test]
    fn every_list_is_sorted_whatever_its_pattern() {
        for n in [0, 1, 2, 12, 13, 49, 50, 51, 200, 1000, 5000] {
            let patterns: [Box<dyn Fn(usize) -> usize>; 8] = [
                Box::new(|it| it),
                Box::new(move |it| n - it),
                Box::new(|_| 7),
                Box::new(|it| it % 3),
                Box::new(move |it| (it * 7919) % (n + 1)),
                Box::new(move |it| it.min(n - it)),
                Box::new(|it| it ^ 1),
                Box::new(|it| (it * it * 31 + 17) % 11),
            ];
            for (number, key) in patterns.iter().enumerate() {
                let keys: Vec<usize> = (0..n).map(key).collect();
                let order = sorted(&keys);
                assert!(order.windows(2).all(|it| keys[it[0]] <= keys[it[1]]), "{n}, pattern {number}");
                let mut places = order.clone();
                places.sort_unstable();
                assert_eq!(places, (0..n).collect::<Vec<_>>(), "{n}, pattern {number}");
            }
        }
    }

    #[test]
    fn short_lists_and_lists_in_order_keep_the_order_of_equals() {
        assert_eq!(sorted(&[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]), [1, 3, 5, 7, 9, 11, 0, 2, 4, 6, 8, 10]);
        let equal = vec![0; 100];
        assert_eq!(sorted(&equal), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_list_that_descends_is_reversed_with_its_equals() {
        // Fifty elements, all exchanges the same way: the whole list is turned round, so of equals the later comes
        // first.
        let keys: Vec<usize> = (0..50).map(|it| if it < 40 { 100 - it } else { 60 - it.min(48) }).collect();
        let order = sorted(&keys);
        assert_eq!(order[..3], [49, 48, 47]);
    }
}
