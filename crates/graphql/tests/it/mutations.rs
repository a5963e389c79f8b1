//! Queries that are changed at random: each has an answer that is JSON, and the same one each time.

use serde_json::Value;

use crate::documents::{Blobs, asked, recorded};

/// The texts that are put into a query.
const PARTS: &[&str] = &[
    "{", "}", "(", ")", "[", "]", ":", "!", "$", "@", "|", "&", "=", ".", "...", "\"", "\"\"\"", "\\", "\\u",
    "\\\"\"\"", "#", "# é\n", "\n", "\r\n", "\t", " ", ",", "-", "0", "9", "e", "on", "null", "true", "fragment",
    "type", "query", "\u{FEFF}", "\u{0}", "\u{7F}", "é", "😀",
];

/// A generator of numbers without chance: xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(n.max(1)).unwrap()).unwrap()
    }
}

#[test]
fn every_query_has_an_answer() {
    let blobs = Blobs::read(include_str!("catalog.jsonl"));
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for case in recorded(include_str!("answers.jsonl")) {
        let query: Vec<char> = case["query"].as_str().unwrap().chars().collect();
        for _ in 0..40 {
            let mut changed = query.clone();
            for _ in 0..=numbers.below(3) {
                let at = numbers.below(changed.len() + 1);
                let end = (at + numbers.below(3)).min(changed.len());
                let part = PARTS[numbers.below(PARTS.len())];
                changed.splice(at..end, part.chars().filter(|_| part.len() != end));
            }
            let text: String = changed.into_iter().collect();
            let answer = asked(&blobs, &text);
            let parsed: Value =
                serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{text}: {error}: {answer}"));
            assert!(parsed.get("data").is_some(), "{text}");
            assert_eq!(answer, asked(&blobs, &text), "{text}");
        }
    }
}
