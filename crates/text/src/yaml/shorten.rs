//! Takes the middle out of long runs of letters and digits before the scanner sees a text, and puts it back behind it.
//!
//! Catalogs are largely base64, and the scanner handles every character several times, although there is nothing to
//! find inside a run of base64 characters. The ends of a run stay, because a run may start in an escape sequence. More
//! characters stay than a key may have, so that a run that was too long for a key still is.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use libyaml_safer::Mark;
use memchr::{memchr, memmem, memrchr};

use crate::json::may_be_token;

/// The number of characters that stay at the start of a run: more than the 1,024 characters that a key in one line can
/// have.
const HEAD: usize = 1100;
/// The number of characters that stay at its end.
const TAIL: usize = 32;
/// Shorter runs are not worth it.
const LEAST: usize = 2 * HEAD;

/// A text without the middles of its long runs.
pub(super) struct Shortened<'t> {
    original: Cow<'t, str>,
    pub(super) text: Cow<'t, str>,
    /// The mark that replaces a middle, followed by its number in eight hexadecimal digits.
    marker: String,
    cuts: Vec<Cut>,
}

/// A middle that was removed.
struct Cut {
    /// The place of its marker in the shortened text.
    at: usize,
    /// Its former place.
    middle: Range<usize>,
}

impl<'t> Shortened<'t> {
    pub(super) fn new(original: Cow<'t, str>) -> Self {
        let middles = middles(original.as_bytes());
        // The scanner refuses a run that is too long for a token.
        if middles.is_empty() || middles.iter().any(|middle| !may_be_token(middle.len())) {
            return Self::untouched(original);
        }
        let marker = marker_for(&original);
        let mut text = String::with_capacity(original.len() / 2);
        let mut cuts = Vec::with_capacity(middles.len());
        let mut start = 0;
        for (idx, middle) in middles.into_iter().enumerate() {
            text.push_str(&original[start..middle.start]);
            start = middle.end;
            cuts.push(Cut { at: text.len(), middle });
            text.push_str(&format!("{marker}{idx:08x}"));
        }
        text.push_str(&original[start..]);
        Self { original, text: Cow::Owned(text), marker, cuts }
    }

    /// The text as it is.
    fn untouched(original: Cow<'t, str>) -> Self {
        Self { text: original.clone(), original, marker: String::new(), cuts: Vec::new() }
    }

    /// The same text, as it was.
    pub(super) fn undone(self) -> Self {
        Self::untouched(self.original)
    }

    /// Puts the middles back into a text that the scanner made.
    pub(super) fn restore(&self, text: &mut String) {
        if self.cuts.is_empty() || text.len() < HEAD {
            return;
        }
        let mut restored = String::new();
        let mut start = 0;
        for at in memmem::find_iter(text.as_bytes(), self.marker.as_bytes()) {
            let number = at + self.marker.len()..at + self.marker.len() + 8;
            let idx = text.get(number.clone()).and_then(|it| usize::from_str_radix(it, 16).ok());
            if let Some(cut) = idx.and_then(|idx| self.cuts.get(idx)) {
                restored.push_str(&text[start..at]);
                restored.push_str(&self.original[cut.middle.clone()]);
                start = number.end;
            }
        }
        if start > 0 {
            restored.push_str(&text[start..]);
            *text = restored;
        }
    }

    /// Corrects the column of a place on a line that middles were taken from.
    pub(super) fn correct(&self, mark: &mut Mark) {
        let Ok(index) = usize::try_from(mark.index) else { return };
        let before = &self.cuts[..self.cuts.partition_point(|cut| cut.at < index)];
        if before.is_empty() {
            return;
        }
        let text = self.text.as_bytes();
        let line_start = memrchr(b'\n', &text[..index.min(text.len())]).map_or(0, |at| at + 1);
        for cut in before.iter().rev().take_while(|cut| cut.at >= line_start) {
            mark.column += (cut.middle.len() - (self.marker.len() + 8)) as u64;
        }
    }
}

/// A word that is not in the text. It is made from the text, so that no author can write it into one as escapes.
fn marker_for(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let mut number = hasher.finish();
    loop {
        let marker = format!("x{number:016x}");
        if memmem::find(text.as_bytes(), marker.as_bytes()).is_none() {
            return marker;
        }
        number = number.wrapping_add(1);
    }
}

/// The middles of all long runs. Only long lines are searched.
fn middles(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut line_start = 0;
    while line_start < text.len() {
        let line_end = memchr(b'\n', &text[line_start..]).map_or(text.len(), |at| line_start + at);
        let mut start = line_start;
        while line_end - start >= LEAST {
            // If there is a long run at all, it holds every LEAST-th byte; so look for its ends from there.
            let probe = start + LEAST - 1;
            let Some(last_other) = text[start..=probe].iter().rposition(|&byte| !is_inert(byte)) else {
                let len = text[start..line_end].iter().position(|&byte| !is_inert(byte)).unwrap_or(line_end - start);
                found.push(start + HEAD..start + len - TAIL);
                start += len;
                continue;
            };
            start += last_other + 1;
        }
        line_start = line_end + 1;
    }
    found
}

/// Letters and digits of base64: YAML gives them no meaning behind the first few of a scalar.
fn is_inert(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_too_long_for_a_token_stays() {
        let [short, long] = [31, 33].map(|mib: usize| format!("a: {}\n", "x".repeat(mib << 20)));
        assert!(Shortened::new(Cow::Borrowed(&short)).text.len() < 4096);
        assert_eq!(Shortened::new(Cow::Borrowed(&long)).text.len(), long.len());
    }

    #[test]
    fn restores_what_it_takes_out() {
        let run = |c: &str, len: usize| c.repeat(len);
        let texts = [
            String::new(),
            run("a", LEAST - 1),
            run("a", LEAST),
            format!("k: {}", run("a", LEAST)),
            format!("k: {}, {} {}\n- \"{}\"\n", run("a", 9000), run("b", 2000), run("c", 4000), run("d", 2300)),
            format!("{} {}é", run("a", 1500), run("b", 2200)),
        ];
        for (n, text) in texts.iter().enumerate() {
            let short = Shortened::new(text.into());
            assert_eq!(short.cuts.len(), [0, 0, 1, 1, 3, 1][n]);
            assert!(short.cuts.is_empty() || short.text.len() < text.len());
            let mut restored = short.text.clone().into_owned();
            short.restore(&mut restored);
            assert_eq!(restored, *text);
        }
    }

    #[test]
    fn corrects_columns() {
        let text = format!("a\n{} x {} y\nz", "a".repeat(5000), "b".repeat(5000));
        let short = Shortened::new((&*text).into());
        for (c, column) in [("x", 5001), ("y", 10_004), ("z", 0)] {
            // The letters occur in the marker too, but not alone.
            let at = short.text.find(&format!(" {c}")).map_or(short.text.len() - 1, |it| it + 1);
            let mut mark = Mark::default();
            mark.index = at as u64;
            mark.column = (at - short.text[..at].rfind('\n').unwrap() - 1) as u64;
            short.correct(&mut mark);
            assert_eq!(mark.column, column, "{c}");
        }
    }
}
