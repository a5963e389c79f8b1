//! The items of a list that are the same before and after a change.

use std::collections::HashMap;

use olmdex_text::json::{Kind, Value};

/// The fate of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The item at the first place stays, and is the one at the second.
    Keep(usize, usize),
    /// The item at this place goes.
    Drop(usize),
    /// The item at this place is new.
    Add(usize),
}

/// The steps from one list to another, in the order of the new one; a removed item stands before the items that follow
/// it. Items are matched by their names, if they have some.
pub(super) fn align(old: &[Value<'_>], new: &[Value<'_>]) -> Vec<Step> {
    let mut places: HashMap<(String, usize), usize> = HashMap::new();
    for (at, key) in keys(old).into_iter().enumerate() {
        places.insert(key, at);
    }
    let found: Vec<Option<usize>> = keys(new).iter().map(|key| places.get(key).copied()).collect();
    let kept = longest_rising(&found);
    let mut steps = Vec::with_capacity(old.len().max(new.len()));
    let mut next = 0;
    for (at, is_kept) in kept.into_iter().enumerate() {
        match found[at].filter(|_| is_kept) {
            Some(place) => {
                steps.extend((next..place).map(Step::Drop));
                next = place + 1;
                steps.push(Step::Keep(place, at));
            }
            None => steps.push(Step::Add(at)),
        }
    }
    steps.extend((next..old.len()).map(Step::Drop));
    in_place(steps, old, new)
}

/// The same steps, but items are changed in place where as many are removed as are added, and each pair has something
/// in common.
fn in_place(steps: Vec<Step>, old: &[Value<'_>], new: &[Value<'_>]) -> Vec<Step> {
    let is_kept = |step: &Step| matches!(step, Step::Keep(..));
    let mut out = Vec::with_capacity(steps.len());
    for run in steps.chunk_by(|a, b| is_kept(a) == is_kept(b)) {
        let gone: Vec<usize> =
            run.iter().filter_map(|it| if let Step::Drop(at) = it { Some(*at) } else { None }).collect();
        let come: Vec<usize> =
            run.iter().filter_map(|it| if let Step::Add(at) = it { Some(*at) } else { None }).collect();
        let pairs = gone.iter().zip(&come);
        if gone.len() == come.len()
            && pairs.clone().all(|(gone, come)| is_alike(old[*gone], new[*come]))
            && !gone.is_empty()
        {
            out.extend(pairs.map(|(gone, come)| Step::Keep(*gone, *come)));
        } else {
            out.extend_from_slice(run);
        }
    }
    out
}

/// Whether two objects have a member in common.
fn is_alike(a: Value<'_>, b: Value<'_>) -> bool {
    let members = |it: Value<'_>| -> Vec<(String, String)> {
        it.members().map(|(key, value)| (key.as_str().unwrap_or_default().into_owned(), value.compact())).collect()
    };
    let of_b = members(b);
    a.kind() == Kind::Object && members(a).iter().any(|it| of_b.contains(it))
}

/// The keys that tell items apart, with a number for those that are alike.
fn keys(items: &[Value<'_>]) -> Vec<(String, usize)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let key = |item: &Value<'_>| {
        let named = |field: &str| item.get(field).filter(|_| item.kind() == Kind::Object);
        let by = ["name", "reference", "image", "catalog"].into_iter().find_map(named).unwrap_or(*item);
        by.compact()
    };
    items
        .iter()
        .map(|item| {
            let key = key(item);
            let n = seen.entry(key.clone()).or_default();
            *n += 1;
            (key, *n)
        })
        .collect()
}

/// Marks the numbers that belong to a longest series in which they only rise.
fn longest_rising(numbers: &[Option<usize>]) -> Vec<bool> {
    // For each length, the place of the smallest number that a series of that length can end with.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let Some(number) = number else { continue };
        let length = ends.partition_point(|end| numbers[*end].is_some_and(|it| it < *number));
        before[at] = length.checked_sub(1).map(|it| ends[it]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut is_in = vec![false; numbers.len()];
    let mut place = ends.last().copied();
    while let Some(at) = place {
        is_in[at] = true;
        place = before[at];
    }
    is_in
}

/// The members of an object by their keys; if keys are equal, the last. Also whether there are equal ones.
pub(super) fn members<'d>(object: Value<'d>) -> (Vec<(String, Value<'d>)>, bool) {
    let mut found: Vec<(String, Value<'d>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut is_ambiguous = false;
    for (key, value) in object.members() {
        let key = key.as_str().unwrap_or_default().into_owned();
        match places.get(&key) {
            Some(&at) => {
                found[at].1 = value;
                is_ambiguous = true;
            }
            None => {
                places.insert(key.clone(), found.len());
                found.push((key, value));
            }
        }
    }
    (found, is_ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_text::json::Reader;

    #[test]
    fn items_are_told_apart_by_name() {
        let cases: [(&str, &str, &[Step]); 5] = [
            ("[1, 2, 3]", "[1, 3, 4]", &[Step::Keep(0, 0), Step::Drop(1), Step::Keep(2, 1), Step::Add(2)]),
            ("[1, 1]", "[1, 1, 1]", &[Step::Keep(0, 0), Step::Keep(1, 1), Step::Add(2)]),
            (r#"[{"name": "a"}, {"name": "b"}]"#, r#"[{"name": "b", "x": 1}]"#, &[Step::Drop(0), Step::Keep(1, 0)]),
            (r#"[{"name": "a", "x": 1}, 2]"#, r#"[{"name": "b", "x": 1}, 2]"#, &[Step::Keep(0, 0), Step::Keep(1, 1)]),
            ("[1, 2, 3]", "[3, 1, 2]", &[Step::Add(0), Step::Keep(0, 1), Step::Keep(1, 2), Step::Drop(2)]),
        ];
        for (old, new, steps) in cases {
            let (mut first, mut second) = (Reader::new(), Reader::new());
            let old: Vec<_> = first.read(old).unwrap().items().collect();
            let new: Vec<_> = second.read(new).unwrap().items().collect();
            assert_eq!(align(&old, &new), steps);
        }
    }
}
