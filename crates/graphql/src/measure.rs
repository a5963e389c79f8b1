//! The checks that run before all others: first of the text, so that reading it needs little stack and memory, then of
//! the document, as catalogd does it, and of the work that its fragments cause.

use std::collections::{HashMap, HashSet};

use async_graphql::parser::types::{BaseType, Directive, ExecutableDocument, Selection, SelectionSet, Type};
use async_graphql::{Pos, Positioned};

use crate::limits::{
    Excess, MAX_ALIASES, MAX_AT_ONE_PLACE, MAX_DEPTH, MAX_FIELDS, MAX_NAME, MAX_NESTED, MAX_SELECTIONS, MAX_TOKENS,
    at_most,
};

/// Whether a text may be read.
pub(crate) fn check_text(text: &str) -> Result<(), Excess> {
    let (mut n_tokens, mut nested) = (0_usize, 0_usize);
    let mut rest = text.as_bytes();
    while let Some(first) = rest.first() {
        let len = match first {
            b'#' => rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len()),
            b'"' => string_len(rest).ok_or(Excess::Has("a string without an end"))?,
            byte if is_of_name(*byte) => rest.iter().position(|byte| !is_of_name(*byte)).unwrap_or(rest.len()),
            _ => 1,
        };
        match first {
            b'{' | b'[' | b'(' => nested += 1,
            b'}' | b']' | b')' => nested = nested.saturating_sub(1),
            byte if is_of_name(*byte) => at_most(len, MAX_NAME, "length of a name")?,
            _ => {}
        }
        at_most(nested, MAX_NESTED, "nesting")?;
        n_tokens += usize::from(!matches!(first, b'#' | b' ' | b'\t' | b'\n' | b'\r' | b','));
        at_most(n_tokens, MAX_TOKENS, "token count")?;
        rest = &rest[len..];
    }
    Ok(())
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of the string at the beginning of a text, if it has an end.
fn string_len(text: &[u8]) -> Option<usize> {
    let is_block = text.starts_with(b"\"\"\"");
    let (mark, escape, skipped): (&[u8], &[u8], usize) =
        if is_block { (b"\"\"\"", b"\\\"\"\"", 4) } else { (b"\"", b"\\", 2) };
    let mut at = mark.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(mark) {
            return Some(at + mark.len());
        }
        if !is_block && matches!(rest.first()?, b'\n' | b'\r') {
            return None;
        }
        at += if rest.starts_with(escape) { skipped } else { 1 };
    }
}

/// The number of fields below each field that has some, by the place of its name.
pub(crate) type Widths = HashMap<Pos, usize>;

/// Checks a document.
pub(crate) fn measure(document: &ExecutableDocument) -> Result<Widths, Excess> {
    let (seen, widths) = (HashSet::new(), Widths::new());
    let mut walk = Walk { document, seen, n_aliases: 0, n_fields: 0, n_selections: 0, widths };
    for (_, operation) in document.operations.iter() {
        walk.seen.clear();
        walk.selection_set(&operation.node.selection_set.node, 1, true)?;
    }
    // Rules look at fragments for themselves, those that are not used too.
    for fragment in document.fragments.values() {
        check_directives(&fragment.node.directives)?;
        walk.selection_set(&fragment.node.selection_set.node, 1, false)?;
    }
    // None can be chosen, since catalogd does not read the name of one.
    if document.operations.iter().count() > 1 {
        return Err(Excess::Has("more than one operation"));
    }
    for definition in document.operations.iter().flat_map(|(_, operation)| &operation.node.variable_definitions) {
        let (written, default) = (&definition.node.var_type.node, &definition.node.default_value);
        if !is_scalar(written) {
            return Err(Excess::Has("a variable of a type that no argument has"));
        }
        // catalogd reads no values of variables.
        if !written.nullable && default.is_none() {
            return Err(Excess::Has("a variable without a value"));
        }
    }
    Ok(walk.widths)
}

/// Whether a type is a scalar, perhaps in lists. The crate panics at the default value of a list of unknown things.
fn is_scalar(written: &Type) -> bool {
    match &written.base {
        BaseType::Named(name) => matches!(name.as_str(), "Boolean" | "Float" | "ID" | "Int" | "String"),
        BaseType::List(inner) => is_scalar(inner),
    }
}

/// A walk through a document that follows a fragment wherever it is spread, as rules and execution do. For catalogd's
/// limits, a fragment counts at the place where it is spread first.
struct Walk<'d> {
    document: &'d ExecutableDocument,
    seen: HashSet<&'d str>,
    n_aliases: usize,
    n_fields: usize,
    n_selections: usize,
    widths: Widths,
}

impl<'d> Walk<'d> {
    /// The number of fields of a set. A fragment that spreads itself ends at the greatest depth.
    fn selection_set(&mut self, set: &'d SelectionSet, depth: usize, is_first: bool) -> Result<usize, Excess> {
        at_most(depth, MAX_DEPTH, "depth")?;
        let mut width = 0;
        for selection in &set.items {
            self.n_selections += 1;
            at_most(self.n_selections, MAX_SELECTIONS, "selection count")?;
            check_directives(selection.node.directives())?;
            width += match &selection.node {
                Selection::Field(field) => {
                    self.n_fields += usize::from(is_first);
                    at_most(self.n_fields, MAX_FIELDS, "field count")?;
                    self.n_aliases += usize::from(is_first && field.node.alias.is_some());
                    at_most(self.n_aliases, MAX_ALIASES, "alias count")?;
                    at_most(field.node.arguments.len(), MAX_AT_ONE_PLACE, "argument count")?;
                    let inner = &field.node.selection_set.node;
                    if !inner.items.is_empty() {
                        let inner = self.selection_set(inner, depth + 1, is_first)?;
                        // Behind a lone carriage return, two places have one number.
                        let width = self.widths.entry(field.node.name.pos).or_default();
                        *width = inner.max(*width);
                    }
                    1
                }
                Selection::InlineFragment(fragment) => {
                    self.selection_set(&fragment.node.selection_set.node, depth + 1, is_first)?
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    let is_first = self.seen.insert(name) && is_first;
                    match self.document.fragments.get(name) {
                        Some(fragment) => self.selection_set(&fragment.node.selection_set.node, depth + 1, is_first)?,
                        None => 0,
                    }
                }
            };
        }
        Ok(width)
    }
}

fn check_directives(directives: &[Positioned<Directive>]) -> Result<(), Excess> {
    at_most(directives.len(), MAX_AT_ONE_PLACE, "directive count")?;
    let mut counts = directives.iter().map(|directive| directive.node.arguments.len());
    counts.try_for_each(|n| at_most(n, MAX_AT_ONE_PLACE, "argument count"))
}
