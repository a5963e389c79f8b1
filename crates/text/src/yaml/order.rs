//! The order in which go-yaml writes the keys of a mapping (`docs/behaviour/fbc.md` Appendix B.4).

use std::cmp::Ordering;

/// Compares two keys in "natural" order: numbers inside keys count as numbers, and characters that are not letters come
/// before letters.
///
/// Letters are those that Unicode calls alphabetic, and digits are the ASCII ones: both differ from Go's tables for a
/// few scripts only.
pub(super) fn natural_cmp(a: &str, b: &str) -> Ordering {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let same = a.floor_char_boundary(same).min(b.floor_char_boundary(same));
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    let (Some(first_a), Some(first_b)) = (rest_a.chars().next(), rest_b.chars().next()) else {
        return a.len().cmp(&b.len());
    };
    match (first_a.is_alphabetic(), first_b.is_alphabetic()) {
        (true, true) => return first_a.cmp(&first_b),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero behind other digits is not a leading one.
    let mut digits_before = a[..same].bytes().rev().take_while(u8::is_ascii_digit);
    let start = i64::from((first_a == '0' || first_b == '0') && digits_before.any(|digit| digit != b'0'));
    let (number_a, len_a) = digit_run(rest_a, start);
    let (number_b, len_b) = digit_run(rest_b, start);
    number_a.cmp(&number_b).then(len_a.cmp(&len_b)).then(first_a.cmp(&first_b))
}

/// Value, in 64 bits that wrap around, and length of the digits at the start.
fn digit_run(text: &str, start: i64) -> (i64, usize) {
    text.bytes().take_while(u8::is_ascii_digit).fold((start, 0), |(number, len), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), len + 1)
    })
}

/// Sorts by [`natural_cmp`] and keeps the order of equal keys.
///
/// The standard sort may panic when an order contradicts itself, and this one can: its numbers wrap around.
pub(super) fn sort_by_key<T>(items: &mut Vec<T>, first: usize, key: impl Fn(&T) -> &str) {
    let is_before = |a: &T, b: &T| natural_cmp(key(a), key(b)) != Ordering::Greater;
    if items[first..].windows(2).all(|pair| is_before(&pair[0], &pair[1])) {
        return;
    }
    let mut runs: Vec<Vec<T>> = items.drain(first..).map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut rest = runs.into_iter();
        while let Some(left) = rest.next() {
            merged.push(match rest.next() {
                Some(right) => merge(left, right, is_before),
                None => left,
            });
        }
        runs = merged;
    }
    items.extend(runs.into_iter().flatten());
}

fn merge<T>(left: Vec<T>, right: Vec<T>, is_before: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let from = if is_before(a, b) { &mut left } else { &mut right };
        out.extend(from.next());
    }
    out.extend(left);
    out.extend(right);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_keys_as_the_spec_says() {
        let keys = ["", "-", "1", "2", "10", "K1", "a b", "a-b", "a.b", "a_b", "aB", "ab", "k1", "k2", "k10"];
        for (i, a) in keys.iter().enumerate() {
            for (j, b) in keys.iter().enumerate() {
                assert_eq!(natural_cmp(a, b), i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [("a1", "a01"), ("a100", "a1000"), ("x10", "x11"), ("é", "è"), ("a", "ab"), ("v1.9", "v1.10")] {
            let expected = if a == "é" { Ordering::Greater } else { Ordering::Less };
            assert_eq!(natural_cmp(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn sorts_stably() {
        let mut items = vec![("z", 0), ("b", 1), ("a", 2), ("b", 3), ("a", 4)];
        sort_by_key(&mut items, 1, |item| item.0);
        assert_eq!(items, [("z", 0), ("a", 2), ("a", 4), ("b", 1), ("b", 3)]);
    }
}
