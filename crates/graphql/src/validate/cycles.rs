//! Fragments that spread themselves.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::fragments::Fragments;
use crate::answer::Fault;
use crate::limits::{Budget, Excess};
use crate::syntax::ast::{Document, Id};

/// Looks for circles.
#[derive(Debug, Default)]
pub(super) struct Cycles<'q> {
    seen: HashSet<&'q str>,
}

/// A fragment that is being visited.
struct Frame<'q> {
    name: &'q str,
    spreads: Rc<[Id]>,
    next: usize,
}

impl<'q> Cycles<'q> {
    /// The circles that are reached from a fragment and that were not found before.
    pub(super) fn find(
        &mut self,
        document: &Document<'q>,
        fragments: &Fragments<'q, '_>,
        fragment: Id,
        budget: &Budget,
    ) -> Result<Vec<Fault>, Excess> {
        let mut faults = Vec::new();
        let name = document[fragment].name();
        if !self.seen.insert(name) {
            return Ok(faults);
        }
        // The spreads that lead here, and how many of them led to each fragment on the way.
        let mut path: Vec<Id> = Vec::new();
        let mut begins: HashMap<&str, usize> = HashMap::from([(name, 0)]);
        let mut frames = vec![Frame { name, spreads: fragments.spreads(fragment), next: 0 }];
        while let Some(frame) = frames.last_mut() {
            budget.spend(1)?;
            let Some(spread) = frame.spreads.get(frame.next).copied() else {
                begins.remove(frame.name);
                frames.pop();
                path.pop();
                continue;
            };
            frame.next += 1;
            let name = document[spread].name();
            if let Some(begin) = begins.get(name) {
                let way = path.get(*begin..).unwrap_or_default();
                budget.spend(way.len())?;
                faults.push(fault(document, way, spread));
            } else if let Some(inner) = fragments.get(name).filter(|_| self.seen.insert(name)) {
                path.push(spread);
                begins.insert(name, path.len());
                frames.push(Frame { name, spreads: fragments.spreads(inner), next: 0 });
            }
        }
        Ok(faults)
    }
}

fn fault(document: &Document<'_>, way: &[Id], spread: Id) -> Fault {
    let names: Vec<&str> = way.iter().map(|it| document[*it].name()).collect();
    let via = if names.is_empty() { String::new() } else { format!(" via {}", names.join(", ")) };
    let message = format!("Cannot spread fragment \"{}\" within itself{via}.", document[spread].name());
    Fault::new(message, way.iter().chain([&spread]).map(|it| document[*it].at).collect())
}
