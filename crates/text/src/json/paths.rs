//! Many paths at once, as a tree of their steps, so that one walk over a document finds them all.

use std::collections::HashMap;

use super::step::Step;

/// A set of paths. Each place that one of them leads to or through has a number; 0 is the root.
#[derive(Debug)]
pub struct Paths {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    parent: usize,
    items: HashMap<usize, usize>,
    /// By their keys in [`folded`] form.
    members: HashMap<String, usize>,
}

impl Default for Paths {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Paths {
    /// Adds a path; returns the number of its end.
    pub fn add(&mut self, path: &[Step]) -> usize {
        let mut at = 0;
        for step in path {
            let fresh = self.nodes.len();
            let node = &mut self.nodes[at];
            let next = match step {
                Step::Index(idx) => *node.items.entry(*idx).or_insert(fresh),
                Step::Key(key) => *node.members.entry(folded(key)).or_insert(fresh),
            };
            if next == fresh {
                self.nodes.push(Node { parent: at, ..Node::default() });
            }
            at = next;
        }
        at
    }

    /// The number of places.
    pub(crate) fn n_places(&self) -> usize {
        self.nodes.len()
    }

    /// The place one step above; the root's is itself.
    pub(crate) fn parent(&self, place: usize) -> usize {
        self.nodes[place].parent
    }

    /// The places one step below.
    pub(crate) fn children(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let node = &self.nodes[place];
        node.items.values().chain(node.members.values()).copied()
    }

    /// Whether a path goes on to items or members from here.
    pub(crate) fn goes_on(&self, place: usize) -> bool {
        self.children(place).next().is_some()
    }

    /// The place of an item of the list at a place.
    pub(crate) fn item(&self, place: usize, idx: usize) -> Option<usize> {
        self.nodes[place].items.get(&idx).copied()
    }

    /// The place of the member with this key (or one that differs in case only) of the object at a place.
    pub(crate) fn member(&self, place: usize, key: &str) -> Option<usize> {
        let members = &self.nodes[place].members;
        if members.is_empty() { None } else { members.get(&folded(key)).copied() }
    }
}

/// A form that is the same for all keys that [`super::fold_eq`] takes for equal.
fn folded(key: &str) -> String {
    let fold = |c: char| match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    key.chars().map(fold).collect()
}
