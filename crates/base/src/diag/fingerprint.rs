//! By what a finding is known again after the catalog was edited: its rule, its package and what it says, but not its line.
//!
//! What it deliberately does not do: no file plays a part, so a document may move to another one.

use std::collections::HashMap;

use super::Finding;

/// A fingerprint for each finding: 16 hexadecimal digits, and which of those with the same digits it is.
#[must_use]
pub fn fingerprints<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<String> {
    let mut seen: HashMap<u64, usize> = HashMap::new();
    findings
        .map(|it| {
            let digits = hash([it.rule.id, it.package.as_deref().unwrap_or_default(), &it.message]);
            let number = seen.entry(digits).or_default();
            *number += 1;
            format!("{digits:016x}:{number}")
        })
        .collect()
}

/// FNV-1a. A stranger who makes two findings collide hides one of his own.
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
    fn lines_and_files_play_no_part_but_subjects_do() {
        static RULE: Rule =
            Rule { id: "E0001", name: "example", severity: Severity::Error, summary: "", explanation: "", example: "" };
        let finding = |message: &str, line: u32| Finding {
            rule: &RULE,
            message: message.to_owned(),
            place: Some(Place::at_line("a.yaml", line)),
            help: None,
            package: Some("p".to_owned()),
            check: None,
        };
        let prints = |findings: &[Finding]| fingerprints(findings.iter());
        let before = prints(&[finding("a", 1), finding("b", 2), finding("a", 9)]);
        assert_eq!(before, prints(&[finding("a", 4), finding("b", 7), finding("a", 12)]));
        assert_ne!(before[0], before[1]);
        assert_eq!(before[0].trim_end_matches(":1"), before[2].trim_end_matches(":2"));
    }
}
