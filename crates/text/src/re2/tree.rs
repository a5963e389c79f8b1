//! The tree of a pattern, and how it grows within Go's limits.

use std::collections::HashMap;

use super::error::{PatternError, PatternErrorKind};

/// The height that a tree may have (Go's limit).
const MAX_HEIGHT: u32 = 1000;
/// The highest count of a repetition, and of repetitions within one another (Go's limit).
pub(super) const MAX_REPEAT: u64 = 1000;
/// The number of states that a pattern may have when it is written out (Go's limit).
const MAX_SIZE: u64 = (128 << 20) / 40;

/// A node of a tree; its parts have lower numbers.
#[derive(Debug)]
pub(super) enum Expr {
    Empty,
    Char(char),
    /// A class by its number.
    Class(usize),
    Assertion(Assertion),
    Concat(Vec<usize>),
    Alternate(Vec<usize>),
    /// A part, how often at least and at most.
    Repeat(usize, u32, Option<u32>),
    /// A group that captures: no more than its part, but a level of the tree.
    Group(usize),
}

/// A condition on a place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub nodes: Vec<Expr>,
    /// The ranges of each class, in order.
    pub(super) classes: Vec<Vec<(char, char)>>,
    pub(super) root: usize,
}

/// The sizes that decide whether a node is within the limits.
#[derive(Clone, Copy)]
struct Measure {
    height: u32,
    /// The number of states that it has when it is written out.
    size: u64,
    /// The product of the counts within one another.
    repeats: u64,
}

pub(super) type Parsed<T> = Result<T, PatternError>;

/// A tree that grows.
pub(super) struct Nodes<'t> {
    /// The pattern, for errors about all of it.
    text: &'t str,
    tree: Tree,
    measures: Vec<Measure>,
    class_numbers: HashMap<Vec<(char, char)>, usize>,
}

impl<'t> Nodes<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, tree: Tree::default(), measures: Vec::new(), class_numbers: HashMap::new() }
    }

    pub(super) fn into_tree(self, root: usize) -> Tree {
        Tree { root, ..self.tree }
    }

    fn refuse<T>(&self, kind: PatternErrorKind) -> Parsed<T> {
        Err(PatternError { kind, part: self.text.to_owned() })
    }

    fn push(&mut self, node: Expr, measure: Measure) -> Parsed<usize> {
        if measure.height > MAX_HEIGHT {
            return self.refuse(PatternErrorKind::Depth);
        }
        if measure.size > MAX_SIZE || self.tree.nodes.len() as u64 > MAX_SIZE {
            return self.refuse(PatternErrorKind::TooLarge);
        }
        self.tree.nodes.push(node);
        self.measures.push(measure);
        Ok(self.tree.nodes.len() - 1)
    }

    /// A node without parts.
    pub(super) fn leaf(&mut self, node: Expr) -> Parsed<usize> {
        self.push(node, Measure { height: 1, size: 1, repeats: 1 })
    }

    /// The number of a class; equal classes have the same number.
    pub(super) fn class(&mut self, ranges: Vec<(char, char)>) -> usize {
        let n_classes = self.tree.classes.len();
        *self.class_numbers.entry(ranges).or_insert_with_key(|ranges| {
            self.tree.classes.push(ranges.clone());
            n_classes
        })
    }

    fn joined(&self, parts: &[usize]) -> Measure {
        let mut joined = Measure { height: 0, size: 0, repeats: 1 };
        for part in parts {
            let it = self.measures[*part];
            joined.height = joined.height.max(it.height);
            joined.size = joined.size.saturating_add(it.size);
            joined.repeats = joined.repeats.max(it.repeats);
        }
        Measure { height: joined.height + 1, ..joined }
    }

    pub(super) fn concat(&mut self, items: Vec<usize>) -> Parsed<usize> {
        match items.as_slice() {
            [] => self.leaf(Expr::Empty),
            [only] => Ok(*only),
            _ => {
                let measure = self.joined(&items);
                self.push(Expr::Concat(items), measure)
            }
        }
    }

    pub(super) fn alternate(&mut self, alternatives: Vec<usize>) -> Parsed<usize> {
        match alternatives.as_slice() {
            [only] => Ok(*only),
            several => {
                let mut measure = self.joined(several);
                measure.size = measure.size.saturating_add(several.len() as u64 - 1);
                self.push(Expr::Alternate(alternatives), measure)
            }
        }
    }

    pub(super) fn group(&mut self, inside: usize) -> Parsed<usize> {
        let it = self.measures[inside];
        let size = it.size.saturating_add(2);
        self.push(Expr::Group(inside), Measure { height: it.height + 1, size, repeats: it.repeats })
    }

    /// A repetition; `None` if counts within one another are too high.
    pub(super) fn repeat(
        &mut self,
        part: usize,
        min: u32,
        max: Option<u32>,
        is_counted: bool,
    ) -> Parsed<Option<usize>> {
        let of = self.measures[part];
        let repeats = match (is_counted, max) {
            (true, Some(0)) => 1,
            (true, max) => of.repeats.saturating_mul(u64::from(max.unwrap_or(min)).max(1)),
            (false, _) => of.repeats,
        };
        if is_counted && (min >= 2 || max.is_some_and(|it| it >= 2)) && repeats > MAX_REPEAT {
            return Ok(None);
        }
        let size = match max {
            None if min == 0 => of.size.saturating_add(2),
            None => of.size.saturating_mul(u64::from(min)).saturating_add(1),
            Some(max) => of.size.saturating_mul(u64::from(max)).saturating_add(u64::from(max - min)),
        };
        let measure = Measure { height: of.height + 1, size: size.max(1), repeats };
        self.push(Expr::Repeat(part, min, max), measure).map(Some)
    }
}
