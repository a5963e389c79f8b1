//! The rules on what tokens mean: `anchors` and `key-duplicates`.

use std::collections::HashSet;

use super::problem::{LintProblem, broken};
use super::tokens::{Kind, Token};
use crate::tally::step;

/// Checks the values of a file.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// The anchors of the document.
    anchors: HashSet<String>,
    /// The keys of each mapping that is open. A sequence has none.
    keys: Vec<Option<HashSet<String>>>,
}

impl Values {
    /// Takes a token and the one behind it.
    pub(super) fn take(&mut self, token: &Token, after: &Token, problems: &mut Vec<LintProblem>) {
        match token.kind {
            Kind::StreamStart | Kind::DocumentStart | Kind::DocumentEnd => self.anchors.clear(),
            Kind::Anchor => drop(self.anchors.insert(token.word.clone())),
            Kind::Alias if !self.anchors.contains(&token.word) => {
                let (place, message) = (token.start, format!("found undeclared alias \"{}\"", token.word));
                problems.push(broken("anchors", place.line, place.column, message));
            }
            _ => {}
        }
        self.key(token, after, problems);
    }

    fn key(&mut self, token: &Token, after: &Token, problems: &mut Vec<LintProblem>) {
        match token.kind {
            Kind::BlockMappingStart | Kind::FlowMappingStart => self.keys.push(Some(HashSet::new())),
            Kind::BlockSequenceStart | Kind::FlowSequenceStart => self.keys.push(None),
            Kind::BlockEnd | Kind::FlowMappingEnd | Kind::FlowSequenceEnd => drop(self.keys.pop()),
            Kind::Key if after.kind.is_scalar() && after.word != "<<" => {
                let Some(Some(keys)) = self.keys.last_mut() else { return };
                step(1);
                if !keys.insert(after.word.clone()) {
                    let message = format!("duplication of key \"{}\" in mapping", after.word);
                    problems.push(broken("key-duplicates", after.start.line, after.start.column, message));
                }
            }
            _ => {}
        }
    }
}
