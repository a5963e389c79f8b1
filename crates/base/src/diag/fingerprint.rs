//! The identity of a finding across edits of the catalog and releases of the program: its rule, its package and the
//! names in its message, but neither its line nor the words around the names.

use std::collections::HashMap;

use super::Finding;

/// A fingerprint for each finding: 16 hexadecimal digits, and which of those with the same digits it is.
pub fn fingerprints<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<String> {
    let mut seen: HashMap<u64, usize> = HashMap::new();
    findings
        .map(|it| {
            let digits = hash([it.rule.id, it.package.as_deref().unwrap_or_default(), &subject(&it.message)]);
            let number = seen.entry(digits).or_default();
            *number += 1;
            format!("{digits:016x}:{number}")
        })
        .collect()
}

/// The parts of a message that stay when somebody rewrites the sentence: the texts between backticks, and words with
/// digits.
pub(super) fn subject(message: &str) -> String {
    let mut subject = String::new();
    for (number, part) in message.split('`').enumerate() {
        let mut keep = |it: &str| {
            subject.push_str(it);
            subject.push('`');
        };
        if number % 2 == 1 {
            keep(part);
        } else {
            part.split_whitespace().filter(|it| it.bytes().any(|it| it.is_ascii_digit())).for_each(keep);
        }
    }
    subject
}

/// FNV-1a. An attacker who makes two findings collide only hides one of their own.
fn hash(parts: [&str; 3]) -> u64 {
    // No text holds a byte 0xFF, so it ends each of them.
    let bytes = parts.iter().flat_map(|it| it.bytes().chain([0xFF]));
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Place, Rule, Severity};

    #[test]
    fn words_around_names_play_no_part() {
        for (before, after, is_same) in [
            ("bundle `a` does not name a package", "bundle `a` names no package", true),
            ("bundle `a` does not name a package", "bundle `b` does not name a package", false),
            ("channel `a` of `b` is cut", "`b` cuts channel `a`", false),
            ("has 3 entries", "3 entries are there", true),
            ("has 3 entries", "has 4 entries", false),
            ("no names", "none either", true),
            ("an odd ` mark", "an odd ` sign", false),
        ] {
            assert_eq!(subject(before) == subject(after), is_same, "{before} / {after}");
        }
    }

    #[test]
    fn lines_and_files_play_no_part_but_subjects_do() {
        static RULE: Rule =
            Rule { id: "E0001", name: "example", severity: Severity::Error, summary: "", explanation: "", example: "" };
        let finding = |name: &str, line: u32| {
            let finding = RULE.finding(format!("bundle `{name}` is wrong")).of_package("p".to_owned());
            finding.at(Place::at_line("a.yaml", line))
        };
        let prints = |findings: &[Finding]| fingerprints(findings.iter());
        let before = prints(&[finding("a", 1), finding("b", 2), finding("a", 9)]);
        assert_eq!(before, prints(&[finding("a", 4), finding("b", 7), finding("a", 12)]));
        assert_ne!(before[0], before[1]);
        assert_eq!(before[0].trim_end_matches(":1"), before[2].trim_end_matches(":2"));
    }
}
