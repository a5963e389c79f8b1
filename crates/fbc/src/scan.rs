//! A search for the files that have some words, without decoding them: reading a catalog costs ten times as much.
//!
//! JSON and YAML can spell a word in several ways. A file in which a word could be spelled with escapes, or in base64
//! with the tag `!!binary`, counts as one that has it, so that a file without a word is certain to lack it.

use std::collections::BTreeSet;
use std::io::{self, Read};

use aho_corasick::AhoCorasick;
use memchr::memchr_iter;
use memchr::memmem::{self, Finder};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

use super::Input;
use super::input_file::{InputFile, OpenFile};

/// The size of a piece that is searched at once: it fits into the cache of a core, so that each byte is read from
/// memory once.
const PIECE: usize = 256 << 10;

/// The bytes of the longest escape: `\U` and eight digits.
const LONGEST_ESCAPE: usize = 10;

/// The line breaks of YAML beyond ASCII.
const YAML_BREAKS: [&str; 3] = ["\u{85}", "\u{2028}", "\u{2029}"];

/// The numbers of the files that may have at least one of some words. A file that cannot be read is among them: reading
/// it will give the reason.
pub(super) fn files_with(input: &Input, words: &[&str]) -> BTreeSet<usize> {
    files_with_in_pieces(input, words, PIECE)
}

fn files_with_in_pieces(input: &Input, words: &[&str], piece: usize) -> BTreeSet<usize> {
    let words = Words::new(words);
    let has_one = |text: &[u8]| words.are_in(text);
    // A word may begin in one piece and end in the next.
    let overlap = words.longest.max(LONGEST_ESCAPE) - 1;
    let buffer = || vec![0; overlap + piece];
    let has = |buffer: &mut Vec<u8>, file: &InputFile| match file.open() {
        Ok(OpenFile::Bytes(text)) => has_one(text),
        Ok(OpenFile::Made(made)) => made.text().map_or(true, |text| has_one(&text)),
        Ok(OpenFile::File(mut source, _)) => is_found(&mut source, buffer, overlap, has_one).unwrap_or(true),
        Err(_) => true,
    };
    let files = input.files.par_iter().enumerate();
    let found = files.map_init(buffer, |buffer, (number, file)| has(buffer, file).then_some(number));
    found.flatten().collect()
}

/// So many words are searched one after another: each search is many times as fast as one for all of them.
const FEW: usize = 16;

enum WordFinder {
    Few(Vec<Finder<'static>>),
    Many(AhoCorasick),
    /// There are too many to search for, so every file may have one.
    TooMany,
}

impl WordFinder {
    fn new(words: &[&str]) -> Self {
        if words.len() <= FEW {
            return Self::Few(words.iter().map(|it| Finder::new(it).into_owned()).collect());
        }
        AhoCorasick::new(words).map_or(Self::TooMany, Self::Many)
    }

    fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Self::Few(finders) => finders.iter().any(|it| it.find(text).is_some()),
            Self::Many(all) => all.is_match(text),
            Self::TooMany => true,
        }
    }
}

/// The words of a search.
struct Words {
    finder: WordFinder,
    longest: usize,
    /// The ASCII characters of the words.
    characters: [bool; 128],
    has_other_characters: bool,
}

impl Words {
    fn new(words: &[&str]) -> Self {
        let parts: Vec<&str> = words.iter().map(|it| plain_part(it)).collect();
        let mut characters = [false; 128];
        for byte in parts.iter().flat_map(|it| it.bytes()).filter(u8::is_ascii) {
            characters[usize::from(byte)] = true;
        }
        Self {
            longest: parts.iter().map(|it| it.len()).max().unwrap_or_default(),
            has_other_characters: parts.iter().any(|it| !it.is_ascii()),
            finder: WordFinder::new(&parts),
            characters,
        }
    }

    /// Whether a text has one of the words, or may have one in another spelling.
    fn are_in(&self, text: &[u8]) -> bool {
        let has_escape = || memchr_iter(b'\\', text).any(|at| self.is_part_of_word(&text[at + 1..]));
        self.finder.is_match(text) || is_wide(text) || has_tag(text) || has_escape()
    }

    /// Whether the escape after a backslash may stand within a word.
    fn is_part_of_word(&self, escape: &[u8]) -> bool {
        let number = |len: usize| {
            let digits = escape.get(1..=len).and_then(|it| std::str::from_utf8(it).ok());
            digits.and_then(|it| u32::from_str_radix(it, 16).ok())
        };
        let number = match escape.first() {
            Some(b'/') => Some(u32::from(b'/')),
            // A line of a double-quoted text may be broken anywhere, even within a word.
            Some(b'\n' | b'\r') => return true,
            _ if YAML_BREAKS.iter().any(|it| escape.starts_with(it.as_bytes())) => return true,
            Some(b'x') => number(2),
            Some(b'u') => number(4),
            Some(b'U') => number(8),
            _ => None,
        };
        match number.map(|it| usize::try_from(it).unwrap_or(usize::MAX)) {
            Some(number) => self.characters.get(number).copied().unwrap_or(self.has_other_characters),
            None => false,
        }
    }
}

/// Whether a text is in UTF-16 or UTF-32: nothing else has NUL, or begins with such a mark.
fn is_wide(text: &[u8]) -> bool {
    memchr::memchr(0, text).is_some() || text.starts_with(&[0xFE, 0xFF]) || text.starts_with(&[0xFF, 0xFE])
}

/// Whether a text may have a YAML tag that changes the value of a scalar.
fn has_tag(text: &[u8]) -> bool {
    let is_global = |at: usize| matches!(text.get(at + 1), Some(b'!' | b'<'));
    memchr_iter(b'!', text).any(is_global) || memmem::find(text, b"%TAG").is_some()
}

/// The longest part of a word that no quoting or folding of lines changes, and that stands for no byte that is not
/// UTF-8.
fn plain_part(word: &str) -> &str {
    let is_changed = |it: char| {
        it.is_whitespace() || it.is_control() || matches!(it, '\'' | '"' | '\\' | char::REPLACEMENT_CHARACTER)
    };
    let parts = word.split(is_changed);
    parts.max_by_key(|it| it.len()).unwrap_or_default()
}

/// Whether something is found in a text that is read piece by piece, each with the last bytes of the one before it.
fn is_found(
    text: &mut impl Read,
    buffer: &mut [u8],
    overlap: usize,
    has_one: impl Fn(&[u8]) -> bool,
) -> io::Result<bool> {
    let mut kept = 0;
    loop {
        let mut end = kept;
        while end < buffer.len() {
            match text.read(&mut buffer[end..]) {
                Ok(0) => break,
                Ok(n) => end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if has_one(&buffer[..end]) {
            return Ok(true);
        }
        if end < buffer.len() {
            return Ok(false);
        }
        kept = overlap;
        buffer.copy_within(end - kept.., 0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn files_are_found_by_any_of_the_words() {
        let mut input = Input::default();
        for text in ["a till", "a ledger", "", "till and ledger"] {
            input.files.extend(Input::bytes("f", Arc::from(text.as_bytes())).files);
        }
        let found = |words: &[&str]| files_with(&input, words).into_iter().collect::<Vec<_>>();
        assert_eq!(found(&["till"]), [0, 3]);
        assert_eq!(found(&["ledger", "till"]), [0, 1, 3]);
        assert_eq!(found(&["shelf"]), [0_usize; 0]);
        let many: Vec<String> = (0..2 * FEW).map(|it| format!("word {it}")).collect();
        let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(found(&many), [0_usize; 0]);
        many.push("ledger");
        assert_eq!(found(&many), [1, 3]);
    }

    #[test]
    fn a_word_in_another_spelling_is_not_missed() {
        let cases: &[(&str, &str, bool)] = &[
            (r#""\u0074ill""#, "till", true),
            (r#""\U00000074ill""#, "till", true),
            (r#""\x74ill""#, "till", true),
            ("\"ti\\\n  ll\"", "till", true),
            ("\"ti\\\r\n  ll\"", "till", true),
            ("\"ti\\\u{85}  ll\"", "till", true),
            ("\"ti\\\u{2028}  ll\"", "till", true),
            ("\"ti\\\u{2029}  ll\"", "till", true),
            ("till", "till\u{fffd}", true),
            (r#""shop\/till""#, "shop/till", true),
            (r#""shop\/till""#, "tills", false),
            // The escapes of Go's encoder are in every catalog.
            (r#""\u003ca\u003e \u0026 \n \" \\""#, "till", false),
            (r#""k\u00e4se""#, "käse", true),
            (r#""k\u00e4se""#, "till", false),
            ("'two\n  lines'", "two lines", true),
            ("'it''s'", "it's", true),
            ("\u{0}t\u{0}i\u{0}l\u{0}l", "till", true),
            ("!!binary dGlsbA==", "till", true),
            ("!<tag:yaml.org,2002:binary> dGlsbA==", "till", true),
            ("%TAG !y! tag:yaml.org,2002:\n---\n!y!binary dGlsbA==", "till", true),
            ("note: hello!", "till", false),
        ];
        for (text, word, expected) in cases {
            let found = files_with(&Input::bytes("f", Arc::from(text.as_bytes())), &[word]);
            assert_eq!(found.len() == 1, *expected, "{text} {word}");
        }
    }

    #[test]
    fn words_are_found_wherever_pieces_begin() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        for before in 0..24 {
            std::fs::write(&path, format!("{}till{}", "-".repeat(before), "-".repeat(9))).unwrap();
            let input = Input::file(&path);
            for piece in 1..12 {
                assert_eq!(files_with_in_pieces(&input, &["till", "-x"], piece).len(), 1, "{before} {piece}");
                assert_eq!(files_with_in_pieces(&input, &["tilt", "x"], piece).len(), 0, "{before} {piece}");
            }
        }
    }
}
