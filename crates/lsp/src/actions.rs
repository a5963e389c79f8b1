//! The actions that an editor offers for a finding: to explain its rule, as `explain` does, and to fix a problem with
//! one safe answer, as `validate --fix` does.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::catalog::{Catalog, Key, OpenText};
use super::findings::bytes_of;
use olmdex_ask::{Explained, check_catalog_noting, explain};
use olmdex_base::diag::{Finding, Rule};
use olmdex_change::edit::{CatalogEdit, Change, PackageFix};
use olmdex_fbc::Input;
use olmdex_rules::check::practice::rules;
use olmdex_rules::explain::RuleExplanation;

/// The command of the server that explains a rule.
pub(super) const EXPLAIN: &str = "olmdex.explain";

/// The largest catalog for which a fix is offered, in bytes; `validate --fix` repairs larger ones.
const MAX_MENDED: usize = 16 << 20;

/// So many findings of one request are answered; an editor asks about a line.
pub(super) const MAX_FINDINGS: usize = 50;

/// The replacement of some bytes of a document.
pub(super) type Replaced = (Range<usize>, String);

/// The replacements in each document.
pub(super) type Changed = Vec<(Key, Vec<Replaced>)>;

/// The rule of an identifier.
pub(super) fn rule_of(id: &str) -> Option<&'static Rule> {
    match explain(id) {
        Ok(Explained::Rules(found)) => found.into_iter().find(|it| it.id == id),
        _ => None,
    }
}

/// The action that explains a finding.
pub(super) fn explaining(rule: &Rule, diagnostic: &Value) -> Value {
    let title = format!("Explain {} ({})", rule.id, rule.name);
    let command = json!({"title": title, "command": EXPLAIN, "arguments": [rule.id]});
    json!({"title": title, "diagnostics": [diagnostic], "command": command})
}

/// The explanation of a rule: as data, and in words.
pub(super) fn explained(rule: &Rule) -> (Value, String) {
    let explanation = RuleExplanation::from(rule);
    let words = format!("{} {}: {}\n\n{}", rule.id, rule.name, rule.summary, rule.explanation);
    (json!(explanation), words)
}

/// The fix for the findings of a rule in the package of one of them: its title, and the changes in each document.
pub(super) fn mending(
    catalog: &Catalog,
    open: &BTreeMap<Key, OpenText>,
    (key, line): (&Key, u32),
    rule: &'static Rule,
) -> Option<(String, Changed)> {
    let fix = PackageFix::of(rule)?;
    let keys: Vec<&Key> = catalog.files.keys().collect();
    let mut n_bytes = 0;
    let mut input = Input::default();
    for key in &keys {
        let text = bytes_of(key, open);
        n_bytes += text.len();
        if n_bytes > MAX_MENDED {
            return None;
        }
        input.files.extend(Input::bytes(&key.shown(), Arc::clone(&text)).files);
    }
    let practice: Option<&'static Rule> = rules::ALL.iter().copied().find(|known| known.id == rule.id);
    let report = check_catalog_noting(&input, None, practice.as_slice(), &mut |_| {});
    let found = [report.findings, report.practices].concat();
    let shown = key.shown();
    let is_it = |it: &&Finding| {
        it.rule.id == rule.id && it.place.as_ref().is_some_and(|place| place.file == shown && place.line == line)
    };
    let package = found.iter().find(is_it)?.package.clone()?;
    let mut edit = CatalogEdit::new(input);
    let effects = edit.change(&package, &[Change::PackageFix(fix)]).ok()?;
    if !effects.errors.is_empty() {
        return None;
    }
    let changed = edit.files().filter_map(|it| {
        let key = (*keys.get(it.file)?).clone();
        Some((key, vec![difference(&it.before, &it.after)]))
    });
    let changed: Changed = changed.collect();
    let title = format!("Fix {} ({}) in package {package}", rule.id, rule.name);
    (!changed.is_empty()).then_some((title, changed))
}

/// The bytes between the equal start and the equal end of two texts, and their replacement.
fn difference(before: &str, after: &str) -> Replaced {
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let start: usize = before.chars().zip(after.chars()).take_while(same).map(|it| it.0.len_utf8()).sum();
    let (old, new) = (&before[start..], &after[start..]);
    let end: usize = old.chars().rev().zip(new.chars().rev()).take_while(same).map(|it| it.0.len_utf8()).sum();
    (start..before.len() - end, new[..new.len() - end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn only_what_differs_is_replaced() {
        for (before, after, replaced, with) in [
            ("abc", "abc", 3..3, ""),
            ("abc", "axc", 1..2, "x"),
            ("aaa", "aa", 2..3, ""),
            ("aé", "aè", 1..3, "è"),
            ("", "x", 0..0, "x"),
        ] {
            let (range, text) = difference(before, after);
            assert_eq!((range.clone(), text.as_str()), (replaced, with), "{before} {after}");
            assert_eq!([&before[..range.start], &text, &before[range.end..]].concat(), after);
        }
    }
}
