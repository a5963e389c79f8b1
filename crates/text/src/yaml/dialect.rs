//! The differences between the library's libyaml, which is 0.2.5, and libyaml 0.1.4, which go-yaml is made from
//! (`docs/behaviour/fbc.md` 1.4).
//!
//! The scanner gets a text in which other characters of the same length stand for some, and what it reads gets the
//! right ones back:
//!
//! | in the text | go-yaml | the library |
//! |---|---|---|
//! | a byte order mark at the start of a later line | is text | is skipped |
//! | `\'` in double quotes | is `'` | is refused |
//! | `a:` before a bracket, a brace or a comma, in brackets | ends with the colon | is refused |
//! | a comma, `[` or `]` in a tag without angle brackets | belongs to the tag | ends it, and the port panics |
//!
//! The events show what go-yaml refuses and the library takes: `\/` in double quotes, and a question mark in a plain
//! scalar in brackets.

use std::borrow::Cow;

use libyaml_safer::{Encoding, Error, Mark, ScalarStyle, Scanner, Token, TokenData};
use memchr::{memchr, memchr_iter, memmem};

use super::error::YamlError;
use super::fault::long_token;
use super::pieces::Pieces;
use crate::json::{MAX_DEPTH, may_be_token};

/// How often a text is scanned at most to find what stands for what. Each time settles one place that cannot be told
/// from its surroundings.
const MAX_SCANS: usize = 16;

/// The scanner's message for an escape that it does not know.
pub(super) const BAD_ESCAPE: &str = "found unknown escape character";

/// The scanner's message for a colon before a bracket, a brace or a comma.
const BAD_COLON: &str = "found unexpected ':'";

/// The characters that stand for others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StandIns {
    mark: Option<char>,
    quote: Option<char>,
    colon: Option<char>,
}

impl StandIns {
    /// The text for the scanner.
    ///
    /// # Errors
    /// The text is too long for copies.
    pub(super) fn new(text: &str) -> Result<(Self, Cow<'_, str>), YamlError> {
        let has_mark = text.contains('\u{FEFF}');
        let mut text = Cow::Borrowed(text);
        let has_quote = memmem::find(text.as_bytes(), b"\\'").is_some();
        let has_colon = colons(text.as_bytes()).next().is_some();
        if (has_mark || has_quote || has_colon) && !may_be_token(text.len()) {
            return Err(long_token(Mark::default()));
        }
        let mark = has_mark.then(|| absent(&text, '\u{E000}'..='\u{F8FF}')).flatten();
        let mut found = Self { mark, ..Self::default() };
        if let Some(mark) = found.mark {
            text = Cow::Owned(swapped(text.into_owned(), '\u{FEFF}', mark));
        }
        if has_quote {
            found.quote = absent(&text, '\u{700}'..='\u{7BF}');
        }
        if has_colon {
            let mut letters = ('0'..='z').filter(char::is_ascii_alphanumeric);
            found.colon = letters.find(|it| !text.contains(*it)).or_else(|| spare(&text));
        }
        // An error hides the rest from the scanner; the next round finds it.
        for _ in 0..3 {
            let without_ends: fn(&str, Self) -> Option<String> = |text, _| without_ends_of_tags(text, MAX_DEPTH);
            for stand_in in [without_ends, without_escaped_quotes, without_colons] {
                if let Some(replaced) = stand_in(&text, found) {
                    text = Cow::Owned(replaced);
                }
            }
        }
        Ok((found, text))
    }

    /// Puts the right characters into a text that the scanner made.
    pub(super) fn restore(self, text: &mut String, style: ScalarStyle) {
        if let Some(mark) = self.mark.filter(|mark| text.contains(*mark)) {
            *text = swapped(std::mem::take(text), mark, '\u{FEFF}');
        }
        let mut put = |stand_in: Option<char>, real: &str| {
            if let Some(stand_in) = stand_in.filter(|it| text.contains(*it)) {
                *text = text.replace(stand_in, real);
            }
        };
        put(self.quote, if style == ScalarStyle::DoubleQuoted { "'" } else { "\\'" });
        put(self.colon, ":");
    }

    /// Corrects the column of a place: one character stands for two.
    pub(super) fn correct(self, mark: &mut Mark, text: &str) {
        let (Some(quote), Ok(index)) = (self.quote, usize::try_from(mark.index)) else { return };
        // (Behind the newline that the text may lack is another line.)
        let Some(before) = text.get(..index) else { return };
        let line = before.rsplit('\n').next().unwrap_or_default();
        mark.column += line.matches(quote).count() as u64;
    }
}

/// A text with a character in place of another one of as many bytes, without a second text of its size.
fn swapped(text: String, old: char, new: char) -> String {
    let (mut old_bytes, mut new_bytes) = ([0; 4], [0; 4]);
    let (old, new) = (old.encode_utf8(&mut old_bytes).as_bytes(), new.encode_utf8(&mut new_bytes).as_bytes());
    let mut bytes = text.into_bytes();
    let finder = memmem::Finder::new(old);
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
        bytes[at + found..][..new.len()].copy_from_slice(new);
        at += found + new.len();
    }
    String::from_utf8(bytes).expect("whole characters took the place of whole characters")
}

/// A character that a text does not have.
fn absent(text: &str, mut range: std::ops::RangeInclusive<char>) -> Option<char> {
    range.find(|it| !text.contains(*it))
}

/// A character of one byte that means nothing in the middle of a plain scalar, and that a text does not have.
fn spare(text: &str) -> Option<char> {
    "~^+=;$()/_<|.*&%!\\@`".chars().find(|it| !text.contains(*it))
}

/// Hands the tokens of a text over, each with its start and its end, up to the first error. That comes with the places
/// of its context and of the problem.
pub(super) fn scan(text: &str, take: impl FnMut(&TokenData, usize, usize)) -> Option<(Error, usize, usize)> {
    // The parser's events will be too deep too.
    scan_within(text, MAX_DEPTH, take)
}

/// Like [`scan`], until flow collections are deeper than a limit.
fn scan_within(
    text: &str,
    max_depth: usize,
    mut take: impl FnMut(&TokenData, usize, usize),
) -> Option<(Error, usize, usize)> {
    let mut depth = 0_usize;
    scan_while(text, |token, start, end| {
        match token {
            TokenData::FlowSequenceStart | TokenData::FlowMappingStart => depth += 1,
            TokenData::FlowSequenceEnd | TokenData::FlowMappingEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        take(token, start, end);
        depth <= max_depth
    })
}

/// Like [`scan`], until `take` wants no more tokens.
///
/// Where a comma or a bracket may end a tag, the scanner gets a blank before it, lest it panics: a blank ends a tag
/// too, and nothing else begins or ends at it.
pub(super) fn scan_while(
    text: &str,
    mut take: impl FnMut(&TokenData, usize, usize) -> bool,
) -> Option<(Error, usize, usize)> {
    let ends = ends_of_tags(text.as_bytes());
    let copy = if ends.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(with_at(text, &ends, 0, " ")) };
    let real = |mark: Mark| {
        let index = usize::try_from(mark.index).unwrap_or(usize::MAX);
        // The blanks before it: the number of a blank is how far it and all behind it have moved.
        let n_blanks = partition(ends.len(), |number| ends[number] + number < index);
        index - n_blanks
    };
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    let pieces = Pieces::new(&copy);
    let unanswered = pieces.unanswered();
    scanner.set_input(pieces);
    loop {
        // (As a method, `scan` would be the iterator's.)
        match Scanner::scan(&mut scanner) {
            Ok(Token { data: TokenData::StreamEnd, .. }) => return None,
            Ok(token) => {
                unanswered.reset();
                if !take(&token.data, real(token.start_mark), real(token.end_mark)) {
                    return None;
                }
            }
            Err(error) => {
                let problem = error.problem_mark().unwrap_or_default();
                let context = error.context_mark().unwrap_or_default();
                return Some((error, real(context), real(problem)));
            }
        }
    }
}

/// How many of the first numbers below a limit have a property that none has behind one that lacks it.
fn partition(limit: usize, has: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = usize::midpoint(low, high);
        if has(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// A text with something else at some places.
fn with_at(text: &str, places: &[usize], len: usize, instead: &str) -> String {
    let mut copy = String::with_capacity(text.len());
    let mut done = 0;
    for &at in places {
        copy.push_str(&text[done..at]);
        copy.push_str(instead);
        done = at + len;
    }
    copy.push_str(&text[done..]);
    copy
}

/// The text with a stand-in for each escaped single quote. Those in single quotes, where a backslash is no escape,
/// stay: the quote ends the scalar. All other places get theirs back in [`StandIns::restore`].
fn without_escaped_quotes(text: &str, stand_ins: StandIns) -> Option<String> {
    let bytes = text.as_bytes();
    let is_escape = |at: &usize| bytes[..*at].iter().rev().take_while(|it| **it == b'\\').count() % 2 == 0;
    let mut places: Vec<usize> = memmem::find_iter(bytes, b"\\'").filter(is_escape).collect();
    let instead = stand_ins.quote.filter(|_| !places.is_empty())?.to_string();
    if scan(text, |_, _, _| {}).is_none_or(|it| it.0.problem() != BAD_ESCAPE) {
        return None;
    }
    for _ in 0..MAX_SCANS {
        let copy = with_at(text, &places, 2, &instead);
        let first_in = |start: usize, end: usize| places.iter().position(|at| (start..end).contains(at));
        let mut wrong = None;
        let error = scan(&copy, |token, start, end| {
            if let TokenData::Scalar { style: ScalarStyle::SingleQuoted, .. } = token {
                wrong = wrong.or_else(|| first_in(start, end));
            }
        });
        // The scalar that does not end lacks its quote.
        let start = error.map(|it| it.1).filter(|it| copy.as_bytes().get(*it) == Some(&b'\''));
        match wrong.or_else(|| start.and_then(|it| first_in(it, usize::MAX))) {
            None => return (!places.is_empty()).then_some(copy),
            Some(wrong) => drop(places.remove(wrong)),
        }
    }
    None
}

/// The text with `~` for the characters in tags that end a tag only for the library, as far as it is not too deep.
pub(super) fn without_ends_of_tags(text: &str, max_depth: usize) -> Option<String> {
    let mut replaced: Option<String> = None;
    for _ in 0..MAX_SCANS {
        let now = replaced.as_deref().unwrap_or(text);
        let runs = tags_with_ends(now.as_bytes());
        if runs.is_empty() {
            break;
        }
        let mut found = Vec::new();
        let mut has_bracket = false;
        scan_within(now, max_depth, |token, _, end| {
            if let (TokenData::Tag { .. }, false) = (token, has_bracket)
                && let Ok(number) = runs.binary_search_by_key(&end, |it| it.0)
            {
                let (end, last) = runs[number];
                // The text behind a bracket of a tag was scanned as in a collection.
                has_bracket = now[end..last].contains(['[', ']']);
                found.push((end, last));
            }
        });
        if found.is_empty() {
            break;
        }
        let mut bytes = now.as_bytes().to_vec();
        for (end, last) in found {
            bytes[end..last].iter_mut().filter(|it| b",[]".contains(it)).for_each(|it| *it = b'~');
        }
        replaced = String::from_utf8(bytes).ok();
        if !has_bracket {
            break;
        }
    }
    replaced
}

/// Whether a tag may start at an exclamation mark.
fn may_be_tag(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    before.is_none_or(|before| before.is_ascii_whitespace() || b",[]{}:?\"'".contains(before))
}

fn is_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_;/?:@&=+$.%!~*'()".contains(&byte)
}

/// Where tags without angle brackets may be that a comma or a bracket ends: that end, and the end for go-yaml.
fn tags_with_ends(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in memchr_iter(b'!', text) {
        let is_in_last = found.last().is_some_and(|it| at < it.1);
        if is_in_last || text.get(at + 1) == Some(&b'<') || !may_be_tag(text, at) {
            continue;
        }
        let end = at + text[at..].iter().take_while(|it| is_uri(**it)).count();
        let last = at + text[at..].iter().take_while(|it| is_uri(**it) || b",[]".contains(it)).count();
        // (A blank behind a colon would make it an indicator. If it is still a tag that ends so, the panic is caught.)
        if end < last && text[end - 1] != b':' {
            found.push((end, last));
        }
    }
    found
}

/// Where commas and brackets may follow a tag directly.
pub(super) fn ends_of_tags(text: &[u8]) -> Vec<usize> {
    let mut ends = commas_behind_tags(text);
    let in_tag = |(end, last)| (end..last).filter(|at| b",[]".contains(&text[*at]) && text[*at - 1] != b':');
    ends.extend(tags_with_ends(text).into_iter().flat_map(in_tag));
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The places of commas that may follow a tag in angle brackets directly.
fn commas_behind_tags(text: &[u8]) -> Vec<usize> {
    let mut commas = Vec::new();
    for at in memmem::find_iter(text, b"!<").filter(|at| may_be_tag(text, *at)) {
        let rest = text.get(at..).unwrap_or_default();
        let tag = &rest[..rest.iter().take_while(|it| is_uri(**it) || b"<,[]>".contains(it)).count()];
        commas.extend(memmem::find_iter(tag, b">,").map(|found| at + found + 1));
    }
    commas
}

/// The colons that the library may refuse: behind a character of a plain scalar, and before a character that ends one
/// in brackets.
fn colons(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_refused = |at: &usize| {
        let before = at.checked_sub(1).map_or(b' ', |before| text[before]);
        let behind = text.get(at + 1).is_some_and(|it| b",[]{}?".contains(it));
        behind && !before.is_ascii_whitespace() && !b",[]{}\"'".contains(&before)
    };
    memchr_iter(b':', text).filter(is_refused)
}

/// The text with a stand-in for each colon that the library refuses and go-yaml takes for a part of a plain scalar.
/// `None` if there is none.
fn without_colons(text: &str, stand_ins: StandIns) -> Option<String> {
    let instead = stand_ins.colon?.to_string();
    // Behind an anchor, an alias or a tag it may be the colon of a key.
    let is_plain = |at: &usize| {
        let start = text[..*at].rfind([' ', '\t', '\n', ',', '[', ']', '{', '}']).map_or(0, |before| before + 1);
        !text[start..].starts_with(['&', '*', '!'])
    };
    let mut places: Vec<usize> = Vec::new();
    for _ in 0..MAX_SCANS {
        let copy = with_at(text, &places, 1, &instead);
        let error = scan(&copy, |_, _, _| {});
        let Some((_, _, at)) = error.filter(|it| it.0.problem() == BAD_COLON) else {
            return (!places.is_empty()).then_some(copy);
        };
        let Err(new) = places.binary_search(&at) else { return None };
        if places.is_empty() {
            places = colons(text.as_bytes()).filter(|it| *it == at || is_plain(it)).collect();
        } else {
            places.insert(new, at);
        }
    }
    None
}

/// The place of the first escaped slash in the source of a scalar in double quotes.
pub(super) fn escaped_slash(source: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = memchr(b'\\', source.as_bytes().get(from..)?) {
        let at = from + found;
        if source.as_bytes().get(at + 1) == Some(&b'/') {
            return Some(at);
        }
        from = at + 2;
    }
    None
}
