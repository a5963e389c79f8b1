//! An index of many ranges that finds those which hold a version.
//!
//! A channel may have ten thousand entries with ranges that all hold each other, so the code here never looks at pairs:
//! the bounds of the ranges cut the order of versions into cells, and a tree over the cells keeps each range in the few
//! nodes that cover it. A version is looked up along one way down.

use super::Version;
use super::blang::Range;

/// Numbered ranges, ready to be asked which of them hold a version.
#[derive(Debug, Clone, Default)]
pub struct Holding {
    /// The starts and ends of ranges, ascending, each once.
    bounds: Vec<Version>,
    /// The number of leaves that the tree has; the first is at this place.
    n_leaves: usize,
    /// The ranges that cover a node, but not the one above it: ascending numbers.
    nodes: Vec<Vec<u32>>,
}

impl Holding {
    /// Takes ranges with their numbers, which ascend.
    pub fn new<'r>(ranges: impl Iterator<Item = (u32, &'r Range)> + Clone) -> Self {
        let mut bounds: Vec<&Version> = ranges.clone().flat_map(|(_, range)| range.bounds()).collect();
        bounds.sort();
        bounds.dedup();
        let bounds: Vec<Version> = bounds.into_iter().cloned().collect();
        let n_cells = 2 * bounds.len() + 1;
        let n_leaves = n_cells.next_power_of_two();
        let mut holding = Self { bounds, n_leaves, nodes: vec![Vec::new(); 2 * n_leaves] };
        for (number, range) in ranges {
            let spans = range.spans(n_cells, |bound| {
                let cell = holding.cell(bound);
                (cell, cell + 1)
            });
            for span in spans {
                let (mut low, mut high) = (span.start + n_leaves, span.end + n_leaves);
                while low < high {
                    if low % 2 == 1 {
                        holding.nodes[low].push(number);
                        low += 1;
                    }
                    if high % 2 == 1 {
                        high -= 1;
                        holding.nodes[high].push(number);
                    }
                    low /= 2;
                    high /= 2;
                }
            }
        }
        holding
    }

    /// The number of a version's cell: bounds have odd numbers, the versions between them even ones.
    fn cell(&self, version: &Version) -> usize {
        let below = self.bounds.partition_point(|it| it < version);
        2 * below + usize::from(self.bounds.get(below) == Some(version))
    }

    /// The nodes whose lists together have every range that holds a version, each once.
    pub fn nodes_of(&self, version: &Version) -> impl Iterator<Item = usize> + use<> {
        let leaf = if self.nodes.is_empty() { 0 } else { self.cell(version) + self.n_leaves };
        std::iter::successors(Some(leaf).filter(|it| *it > 0), |it| Some(it / 2).filter(|it| *it > 0))
    }

    /// The list of a node: ascending numbers.
    pub fn list(&self, node: usize) -> &[u32] {
        self.nodes.get(node).map_or(&[], Vec::as_slice)
    }

    /// The number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The lowest number of a range that holds a version.
    pub fn first(&self, version: &Version) -> Option<u32> {
        self.nodes_of(version).filter_map(|it| self.list(it).first().copied()).min()
    }

    /// The numbers of all ranges that hold a version, in no order.
    pub fn all(&self, version: &Version) -> impl Iterator<Item = u32> {
        self.nodes_of(version).flat_map(|it| self.list(it).iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::Holding;
    use crate::Version;
    use crate::blang::Range;

    #[test]
    fn the_same_ranges_are_found_as_by_asking_each() {
        let texts = [
            ">=0.0.0",
            ">=1.0.0 <2.0.0",
            "<1.0.0 || >2.0.0",
            "1.x",
            "!=1.5.0",
            "<=1.5.0",
            "=1.5.0",
            ">1.5.0 <1.5.0",
            ">=1.0.0 !1.2.0 <3.0.0 || 4.0.0",
            ">=1.0.0-rc.1 <1.0.0",
            "<0.0.0",
            ">=2.0.0 ||  || <1.0.0",
            "=1.0.0+a",
        ];
        let ranges: Vec<Range> = texts.iter().filter_map(|it| Range::parse(it).ok()).collect();
        assert!(ranges.len() >= 12);
        let numbered = || ranges.iter().enumerate().map(|(at, it)| (at as u32, it));
        let holding = Holding::new(numbered());
        let versions = [
            "0.0.0",
            "0.9.9",
            "1.0.0-alpha",
            "1.0.0-rc.1",
            "1.0.0-rc.2",
            "1.0.0",
            "1.0.0+b",
            "1.2.0",
            "1.4.9",
            "1.5.0",
            "1.5.1",
            "2.0.0",
            "2.0.1",
            "3.0.0",
            "4.0.0",
            "99.0.0",
        ];
        for text in versions {
            let version = Version::parse(text).unwrap();
            let holds = |it: &(u32, &Range)| it.1.contains(&version).unwrap_or(false);
            let wanted: Vec<u32> = numbered().filter(holds).map(|it| it.0).collect();
            let mut found: Vec<u32> = holding.all(&version).collect();
            found.sort_unstable();
            assert_eq!(found, wanted, "{text}");
            assert_eq!(holding.first(&version), wanted.first().copied(), "{text}");
        }
        assert_eq!(Holding::default().first(&Version::new(1, 0, 0)), None);
        assert_eq!(Holding::new(std::iter::empty()).first(&Version::new(1, 0, 0)), None);
    }

    #[test]
    fn spans_of_sorted_versions_are_what_the_range_contains() {
        let mut versions: Vec<Version> = ["1.0.0", "1.0.0+a", "1.1.0-rc.1", "1.1.0", "1.1.0+x", "1.1.0+y", "2.0.0"]
            .map(|it| Version::parse(it).unwrap())
            .into();
        versions.sort();
        for text in [
            ">=0.0.0",
            "!=1.1.0",
            "<1.1.0 || >=2.0.0",
            "1.1.0",
            ">1.0.0 <=1.1.0 || 1.0.0",
            ">3.0.0",
            ">=1.0.0 || <9.0.0",
        ] {
            let range = Range::parse(text).unwrap();
            let found: Vec<usize> = range.spans_of(&versions).into_iter().flatten().collect();
            let wanted: Vec<usize> =
                (0..versions.len()).filter(|&it| range.contains(&versions[it]).unwrap_or(false)).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
