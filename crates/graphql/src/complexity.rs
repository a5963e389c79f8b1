//! The check that catalogd runs before all others: how deep a query is, and how many aliases and fields it has. A
//! fragment counts once for each operation, at the place where it is spread first.

use std::collections::{HashMap, HashSet};

use crate::limits::{Excess, MAX_ALIASES, MAX_DEPTH, MAX_FIELDS};
use crate::syntax::ast::{Document, Id, Kind};

/// # Errors
/// The limit that the operations of a document exceed.
pub(crate) fn check(document: &Document<'_>) -> Result<(), Excess> {
    let fragments = document.of_kind(Document::ROOT, Kind::Fragment);
    let fragments: HashMap<&str, Id> = fragments.map(|it| (document[it].name(), it)).collect();
    let mut count = Count { document, fragments, seen: HashSet::new(), n_aliases: 0, n_fields: 0 };
    for operation in document.children(Document::ROOT) {
        if let (Kind::Operation(_), Some(set)) = (document[operation].kind, document.selection_set(operation)) {
            count.seen.clear();
            count.selection_set(set, 1)?;
        }
    }
    Ok(())
}

struct Count<'d, 'q> {
    document: &'d Document<'q>,
    fragments: HashMap<&'q str, Id>,
    seen: HashSet<&'q str>,
    n_aliases: usize,
    n_fields: usize,
}

impl Count<'_, '_> {
    fn selection_set(&mut self, set: Id, depth: usize) -> Result<(), Excess> {
        if depth > MAX_DEPTH {
            return Err(Excess::Depth);
        }
        let document = self.document;
        for selection in document.children(set) {
            let node = &document[selection];
            let mut owner = Some(selection);
            match node.kind {
                Kind::Field => {
                    self.n_fields += 1;
                    if self.n_fields > MAX_FIELDS {
                        return Err(Excess::Fields);
                    }
                    if node.alias.is_some() {
                        self.n_aliases += 1;
                        if self.n_aliases > MAX_ALIASES {
                            return Err(Excess::Aliases);
                        }
                    }
                }
                Kind::Spread => {
                    let is_first = self.seen.insert(node.name());
                    owner = self.fragments.get(node.name()).copied().filter(|_| is_first);
                }
                _ => {}
            }
            if let Some(set) = owner.and_then(|it| document.selection_set(it)) {
                self.selection_set(set, depth + 1)?;
            }
        }
        Ok(())
    }
}
