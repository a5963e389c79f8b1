//! Lanes: edges by one field that share a line from top to bottom.
//!
//! Edges into different entries share a lane wherever that has the same meaning: a lane leads from each of its sources
//! up to each of its targets above. Chains of ranges ("from everything older") and growing lists of skips have this
//! form. It makes no difference whether ends are counted in rows or in lines of several rows.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use olmdex_olm::upgrade::Field;

/// The edges that lead to one target by one field.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) target: usize,
    pub(super) field: Field,
    /// Its sources: ranges in order, none of which touches the next.
    pub(super) sources: Vec<Range<usize>>,
    /// The same with the target itself, if its own range holds it.
    pub(super) held: Vec<Range<usize>>,
    pub(super) words: Words,
}

/// The text of a lane under the pointer; of a long list only the beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words {
    shown: Vec<String>,
    n_more: usize,
}

impl Words {
    const MAX: usize = 5;

    pub(super) fn add(&mut self, line: impl FnOnce() -> String) {
        if self.shown.len() < Self::MAX { self.shown.push(line()) } else { self.n_more += 1 }
    }

    fn join(&mut self, other: Self) {
        let n_free = Self::MAX - self.shown.len();
        self.n_more += other.n_more + other.shown.len().saturating_sub(n_free);
        self.shown.extend(other.shown.into_iter().take(n_free));
    }

    /// Line by line.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let more = (self.n_more > 0).then(|| format!("… and {} more", self.n_more));
        self.shown.iter().cloned().chain(more)
    }
}

/// Edges by one field that share a line from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) field: Field,
    pub(super) sources: Vec<Range<usize>>,
    /// Its targets, ascending.
    pub(super) targets: Vec<usize>,
    /// Counted from the boxes outwards.
    pub(super) column: usize,
    /// Whether each source leads to each target, those below it included; if not, only to those above it.
    pub(super) is_mutual: bool,
    pub(super) words: Words,
}

impl Lane {
    /// From its topmost end to its lowest.
    pub(super) fn span(&self) -> (usize, usize) {
        let sources = self.sources.iter().flat_map(|it| [it.start, it.end - 1]);
        let ends = sources.chain(self.targets.iter().copied());
        ends.fold((usize::MAX, 0), |(low, high), it| (low.min(it), high.max(it)))
    }

    /// How many ends a picture shows.
    pub(super) fn n_ends(&self) -> usize {
        self.targets.len() + self.sources.iter().map(ExactSizeIterator::len).sum::<usize>()
    }
}

/// Lanes while they grow.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    pub(super) all: Vec<Lane>,
    /// Lanes by field and lowest source.
    by_bottom: HashMap<(Field, usize), Vec<usize>>,
    /// Mutual lanes by field and sources.
    mutual: HashMap<(Field, Vec<Range<usize>>), usize>,
}

impl Lanes {
    /// Adds edges to a lane with the same meaning, or gives them their own. Targets come from the top down.
    pub(super) fn add(&mut self, ends: Ends) {
        let Ends { target, field, sources, held, words } = ends;
        let (Some(first), Some(last)) = (sources.first(), sources.last()) else { return };
        if sources.len() == 1 && first.len() == 1 && first.start == target {
            // It leads to itself.
            return;
        }
        let bottom = (field, last.end);
        let next = self.all.len();
        let is_below = first.start > target;
        let at = if is_below {
            let lanes = self.by_bottom.entry(bottom).or_default();
            let same = lanes.iter().copied().find(|&at| {
                let lane = &self.all[at];
                lane.sources[0].start > lane.targets[0] && is_tail(&lane.sources, target + 1, &sources)
            });
            if same.is_none() {
                lanes.push(next);
            }
            same.unwrap_or(next)
        } else {
            // A range connects each entry in it with every entry that has the same range, above and below.
            *self.mutual.entry((field, held)).or_insert(next)
        };
        match self.all.get_mut(at) {
            Some(lane) => {
                if !is_below {
                    lane.is_mutual = true;
                    // The first of them held all but its own.
                    lane.sources = joined(lane.sources.iter().chain(&sources));
                }
                lane.targets.push(target);
                lane.words.join(words);
            }
            None => {
                self.all.push(Lane { field, sources, targets: vec![target], column: 0, is_mutual: false, words });
            }
        }
    }
}

/// Gives every lane the innermost column that is free over its whole length; short ones come first.
pub(super) fn in_columns(mut lanes: Vec<Lane>) -> Vec<Lane> {
    lanes.sort_by_cached_key(|it| {
        let (top, bottom) = it.span();
        (bottom - top, it.field, top)
    });
    // The taken spans of each column, by their tops; they do not overlap.
    let mut taken: Vec<BTreeMap<usize, usize>> = Vec::new();
    for lane in &mut lanes {
        let (top, bottom) = lane.span();
        let is_free = |spans: &BTreeMap<usize, usize>| spans.range(..=bottom).next_back().is_none_or(|it| *it.1 < top);
        lane.column = taken.iter().position(is_free).unwrap_or(taken.len());
        if lane.column == taken.len() {
            taken.push(BTreeMap::new());
        }
        taken[lane.column].insert(top, bottom);
    }
    lanes
}

/// Ranges in order, none of which touches the next.
pub(super) fn joined<'r>(ranges: impl Iterator<Item = &'r Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = ranges.cloned().collect();
    all.sort_unstable_by_key(|it| it.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for it in all {
        match joined.last_mut() {
            Some(last) if it.start <= last.end => last.end = last.end.max(it.end),
            _ => joined.push(it),
        }
    }
    joined
}

/// Whether `tail` is the part of `all` at `from` or behind.
fn is_tail(all: &[Range<usize>], from: usize, tail: &[Range<usize>]) -> bool {
    let rest = &all[all.partition_point(|it| it.end <= from)..];
    rest.len() == tail.len() && rest.iter().zip(tail).all(|(a, b)| a.start.max(from) == b.start && a.end == b.end)
}
