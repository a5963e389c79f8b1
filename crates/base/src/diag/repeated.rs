//! Many findings with the same message: the first few stand for all.

use std::collections::BTreeMap;

use super::Finding;

/// The number of findings of a kind that are shown.
const SHOWN: usize = 3;

/// A finding that is shown.
#[derive(Debug, Clone, Copy)]
pub struct Representative<'f> {
    /// The finding.
    pub finding: &'f Finding,
    /// The number of others that it stands for.
    pub n_more: usize,
}

/// The findings that are shown to people, in their order: the first three of one rule with the same advice, the last of
/// which stands for the others. Advice is the same if it differs in nothing but names and numbers.
pub fn shown(findings: &[Finding]) -> Vec<Representative<'_>> {
    let kinds: Vec<(&str, String)> = findings.iter().map(|it| (it.rule.id, outline(it.help.as_deref()))).collect();
    let mut n_of: BTreeMap<&(&str, String), usize> = BTreeMap::new();
    for kind in &kinds {
        *n_of.entry(kind).or_default() += 1;
    }
    let mut n_seen: BTreeMap<&(&str, String), usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for (finding, kind) in findings.iter().zip(&kinds) {
        let n = n_of[kind];
        let seen = n_seen.entry(kind).or_default();
        *seen += 1;
        // A line that says `1 more` would take as much room as the finding.
        let is_whole = n <= SHOWN + 1;
        if is_whole || *seen <= SHOWN {
            let n_more = if !is_whole && *seen == SHOWN { n - SHOWN } else { 0 };
            shown.push(Representative { finding, n_more });
        }
    }
    shown
}

/// Advice without the names and numbers in it.
fn outline(help: Option<&str>) -> String {
    let mut outline = String::new();
    for (at, part) in help.unwrap_or_default().split('`').enumerate() {
        // Between backticks are names.
        if at % 2 == 1 {
            outline.push('`');
            continue;
        }
        for word in part.split_inclusive(' ') {
            let is_name = word.bytes().any(|it| it.is_ascii_digit());
            // However many names there are in a list.
            if !is_name || !outline.ends_with("0 ") {
                outline.push_str(if is_name { "0 " } else { word });
            }
        }
    }
    outline
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Rule, Severity};

    static RULE: Rule =
        Rule { id: "W0001", name: "example", severity: Severity::Warning, summary: "", explanation: "", example: "" };

    fn findings(helps: &[&str]) -> Vec<Finding> {
        helps.iter().map(|help| RULE.finding("").help(*help)).collect()
    }

    fn n_more(helps: &[&str]) -> Vec<usize> {
        shown(&findings(helps)).iter().map(|it| it.n_more).collect()
    }

    #[test]
    fn the_last_that_is_shown_stands_for_the_others() {
        assert_eq!(n_more(&["a"; 5]), [0, 0, 2]);
        assert_eq!(n_more(&["a", "b", "a", "a", "a", "b", "a"]), [0, 0, 0, 2, 0]);
    }

    #[test]
    fn four_of_a_kind_are_shown() {
        assert_eq!(n_more(&["a"; 4]), [0; 4]);
        assert!(n_more(&[]).is_empty());
    }

    #[test]
    fn names_and_numbers_make_no_other_advice() {
        assert_eq!(
            n_more(&["end with <1.0.0", "end with <2", "end with <3-x", "end with <4", "end with <5"]),
            [0, 0, 2]
        );
        assert_eq!(n_more(&["mean `a`?", "mean `b`?", "mean `c c`?", "mean `4`?", "mean `5`?"]), [0, 0, 2]);
        assert_eq!(n_more(&["one", "two", "three", "four", "five"]), [0; 5]);
    }
}
