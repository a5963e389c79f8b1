//! The order that Go's `sort.Slice` leaves equal items in.
//!
//! Related images are sorted by their reference only, and several names may share one. The real tool sorts them with a
//! pattern-defeating quicksort (Orson Peters), which is not stable but repeats itself: the same list ends in the same
//! order. To write what the real tool writes, the same comparisons and exchanges are made here.
//!
//! What it deliberately does not do: it is for short lists; where stability is wanted, the standard library has it.

/// Lists up to this length are sorted by insertion, which is stable.
const SHORT: usize = 12;

/// From this length on, the pivot is the median of medians, and shifting pays.
const LONG: usize = 50;

/// Sorts as Go does.
pub(super) fn sort_as_go<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let limit = usize::BITS - items.len().leading_zeros();
    let len = items.len();
    Sorting { items, less }.sort(0, len, limit);
}

struct Sorting<'a, T, F> {
    items: &'a mut [T],
    less: F,
}

/// What the choice of a pivot says about the order that is there.
#[derive(PartialEq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

impl<T, F: Fn(&T, &T) -> bool> Sorting<'_, T, F> {
    fn less(&self, a: usize, b: usize) -> bool {
        (self.less)(&self.items[a], &self.items[b])
    }

    fn sort(&mut self, mut start: usize, mut end: usize, mut limit: u32) {
        let (mut is_balanced, mut is_partitioned) = (true, true);
        loop {
            let len = end - start;
            if len <= SHORT {
                return self.insert(start, end);
            }
            if limit == 0 {
                return self.heap(start, end);
            }
            if !is_balanced {
                self.break_patterns(start, end);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(start, end);
            if hint == Hint::Decreasing {
                self.items[start..end].reverse();
                pivot = end - 1 - (pivot - start);
                hint = Hint::Increasing;
            }
            if is_balanced && is_partitioned && hint == Hint::Increasing && self.is_nearly_sorted(start, end) {
                return;
            }
            // Everything here is at least as large as what stands before it; if the pivot is equal, so are many.
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.partition_equal(start, end, pivot);
                continue;
            }
            let (middle, was_partitioned) = self.partition(start, end, pivot);
            is_partitioned = was_partitioned;
            let (left, right) = (middle - start, end - middle);
            is_balanced = left.min(right) >= len / 8;
            if left < right {
                self.sort(start, middle, limit);
                start = middle + 1;
            } else {
                self.sort(middle + 1, end, limit);
                end = middle;
            }
        }
    }

    fn insert(&mut self, start: usize, end: usize) {
        for idx in start + 1..end {
            let mut at = idx;
            while at > start && self.less(at, at - 1) {
                self.items.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap(&mut self, start: usize, end: usize) {
        let len = end - start;
        for root in (0..len / 2).rev() {
            self.sift_down(root, len, start);
        }
        for last in (0..len).rev() {
            self.items.swap(start, start + last);
            self.sift_down(0, last, start);
        }
    }

    fn sift_down(&mut self, mut root: usize, len: usize, start: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= len {
                return;
            }
            if child + 1 < len && self.less(start + child, start + child + 1) {
                child += 1;
            }
            if !self.less(start + root, start + child) {
                return;
            }
            self.items.swap(start + root, start + child);
            root = child;
        }
    }

    /// Scatters three items, at places that depend on the length only.
    fn break_patterns(&mut self, start: usize, end: usize) {
        let len = end - start;
        if len < 8 {
            return;
        }
        let mut random = len as u64;
        let modulus = 1_u64 << (u64::BITS - (len as u64).leading_zeros());
        let middle = start + (len / 4) * 2 - 1;
        for idx in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = (random & (modulus - 1)) as usize;
            if other >= len {
                other -= len;
            }
            self.items.swap(middle - 1 + idx, start + other);
        }
    }

    fn choose_pivot(&self, start: usize, end: usize) -> (usize, Hint) {
        /// Exchanges that finding the median of three medians takes at most.
        const MAX_SWAPS: usize = 12;
        let len = end - start;
        let mut n_swaps = 0;
        let [mut first, mut second, mut third] = [1, 2, 3].map(|quarter| start + len / 4 * quarter);
        if len >= 8 {
            if len >= LONG {
                for place in [&mut first, &mut second, &mut third] {
                    *place = self.median([*place - 1, *place, *place + 1], &mut n_swaps);
                }
            }
            second = self.median([first, second, third], &mut n_swaps);
        }
        let hint = match n_swaps {
            0 => Hint::Increasing,
            MAX_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (second, hint)
    }

    fn median(&self, [mut a, mut b, mut c]: [usize; 3], n_swaps: &mut usize) -> usize {
        let order = |x: &mut usize, y: &mut usize, n_swaps: &mut usize| {
            if self.less(*y, *x) {
                *n_swaps += 1;
                std::mem::swap(x, y);
            }
        };
        order(&mut a, &mut b, n_swaps);
        order(&mut b, &mut c, n_swaps);
        order(&mut a, &mut b, n_swaps);
        b
    }

    /// Whether the items were sorted but for a few, which are now in their places.
    fn is_nearly_sorted(&mut self, start: usize, end: usize) -> bool {
        const STEPS: usize = 5;
        let mut idx = start + 1;
        for _ in 0..STEPS {
            while idx < end && !self.less(idx, idx - 1) {
                idx += 1;
            }
            if idx == end {
                return true;
            }
            if end - start < LONG {
                return false;
            }
            self.items.swap(idx, idx - 1);
            if idx - start >= 2 {
                let mut at = idx - 1;
                while at >= 1 && self.less(at, at - 1) {
                    self.items.swap(at, at - 1);
                    at -= 1;
                }
            }
            if end - idx >= 2 {
                let mut at = idx + 1;
                while at < end && self.less(at, at - 1) {
                    self.items.swap(at, at - 1);
                    at += 1;
                }
            }
        }
        false
    }

    /// Moves what equals the pivot to the front, and gives the place behind it.
    fn partition_equal(&mut self, start: usize, end: usize, pivot: usize) -> usize {
        self.items.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        loop {
            while low <= high && !self.less(start, low) {
                low += 1;
            }
            while low <= high && self.less(start, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.items.swap(low, high);
            low += 1;
            high -= 1;
        }
    }

    /// Moves what is less than the pivot before it. Gives the pivot's place, and whether nothing had to move.
    fn partition(&mut self, start: usize, end: usize, pivot: usize) -> (usize, bool) {
        self.items.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        let mut was_partitioned = true;
        loop {
            while low <= high && self.less(low, start) {
                low += 1;
            }
            while low <= high && !self.less(high, start) {
                high -= 1;
            }
            if low > high {
                break;
            }
            self.items.swap(low, high);
            low += 1;
            high -= 1;
            was_partitioned = false;
        }
        self.items.swap(high, start);
        (high, was_partitioned)
    }
}

#[cfg(test)]
mod tests {
    use super::sort_as_go;

    #[test]
    fn every_list_is_sorted_and_short_ones_stably() {
        let mut random = 7_u64;
        for len in 0..300_usize {
            let mut items: Vec<(u64, usize)> = (0..len)
                .map(|idx| {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    (random % (1 + len as u64 / 3), idx)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort();
            sort_as_go(&mut items, |a, b| a.0 < b.0);
            assert!(items.is_sorted_by_key(|it| it.0), "{len}");
            if len <= 12 {
                assert_eq!(items, expected);
            }
            items.sort();
            assert_eq!(items, expected, "nothing is lost");
        }
    }
}
