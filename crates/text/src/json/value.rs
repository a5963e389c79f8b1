//! Typed access to a document that has been read.

use std::borrow::Cow;

use super::text::{fold_eq, is_other, unescape};

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number, within the range of a double.
    Number,
    /// A string whose text between the quotes is both its value and its written form.
    PlainString,
    /// A string with escape sequences, or with characters that are written as such.
    EscapedString,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The name that Go's library has for the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "bool",
            Self::Number => "number",
            Self::PlainString | Self::EscapedString => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The kind in words for people, with its article.
    pub fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "a boolean",
            Self::Number => "a number",
            Self::PlainString | Self::EscapedString => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }
}

/// One value of the flat document. The content of a container follows it; `next` is the node behind all of that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Whether it is a string whose text between the quotes is its written form.
    pub(super) is_as_written: bool,
    /// The most containers that are open at once, at most 255; only the first node of a document has it.
    pub(super) n_levels: u8,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: u32,
}

impl Node {
    pub(super) fn new(kind: Kind, start: usize) -> Self {
        Self { kind, is_as_written: false, n_levels: 0, start: start as u32, end: 0, next: 0 }
    }
}

/// A value inside a document that a [`super::Reader`] has read. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Value<'d> {
    text: &'d str,
    nodes: &'d [Node],
    idx: u32,
}

impl<'d> Value<'d> {
    pub(super) fn new(text: &'d str, nodes: &'d [Node], idx: u32) -> Self {
        Self { text, nodes, idx }
    }

    #[inline]
    fn node(&self) -> Node {
        self.nodes[self.idx as usize]
    }

    pub(super) fn at(&self, idx: u32) -> Self {
        Self { idx, ..*self }
    }

    pub(super) fn idx(&self) -> u32 {
        self.idx
    }

    /// The kind of the value.
    #[inline]
    pub fn kind(&self) -> Kind {
        self.node().kind
    }

    /// The number of its keys and values, itself included.
    pub(crate) fn n_values(&self) -> u64 {
        match self.kind() {
            Kind::Array | Kind::Object => u64::from(self.node().next - self.idx),
            _ => 1,
        }
    }

    /// The number of blanks before its keys, items and closing brackets, each on a line of its own, with `width` of
    /// them a level.
    pub fn indentation(&self, width: usize) -> u64 {
        self.n_levels(false, |_| 0).saturating_mul(width as u64)
    }

    /// As [`Self::indentation`], of YAML: nothing closes, and the first key or item of an item stands behind its dash.
    /// Texts are wrapped at their blanks and breaks, so deep ones count one line for each.
    pub fn yaml_indentation(&self, width: usize) -> u64 {
        // Each line takes two bytes of text or more, as `1,` and `a ` do. Nearly all documents are so shallow that
        // nothing need be counted, which took 7 % of the time that writing them takes.
        let n_bytes = (self.end() - self.offset()) as u64;
        let most = (n_bytes / 2).saturating_mul(u64::from(self.nodes[0].n_levels) * width as u64);
        match most <= FREE_BLANKS.saturating_mul(n_bytes) {
            true => most,
            false => self.n_levels(true, n_wraps).saturating_mul(width as u64),
        }
    }

    /// The levels of all lines together, at most; `n_wraps` says in how many places a text may be wrapped.
    pub(super) fn n_levels(&self, is_yaml: bool, n_wraps: impl Fn(&[u8]) -> u64) -> u64 {
        // The open containers: where each ends, and whether a key comes next.
        let mut open: Vec<(u32, Option<bool>)> = Vec::new();
        let mut n_levels = 0_u64;
        let mut is_first_of_item = false;
        let last = u64::from(self.idx) + self.n_values();
        for (idx, node) in (self.idx..).zip(&self.nodes[self.idx as usize..last as usize]) {
            while open.last().is_some_and(|container| container.0 == idx) {
                open.pop();
                n_levels += if is_yaml { 0 } else { open.len() as u64 };
            }
            let level = open.len() as u64;
            // A value stands behind its key.
            let is_on_a_line = match open.last_mut() {
                Some((_, Some(is_key_next))) => std::mem::replace(is_key_next, !*is_key_next),
                _ => true,
            };
            let is_behind_a_dash = std::mem::take(&mut is_first_of_item) && is_yaml;
            if is_on_a_line && !is_behind_a_dash {
                n_levels += level;
            }
            if is_yaml && level > WRAPPED_FOR_FREE && matches!(node.kind, Kind::PlainString | Kind::EscapedString) {
                let text = &self.text.as_bytes()[node.start as usize..node.end as usize];
                n_levels = n_levels.saturating_add(level.saturating_mul(n_wraps(text)));
            }
            if matches!(node.kind, Kind::Array | Kind::Object) && node.next > idx + 1 {
                is_first_of_item = open.last().is_some_and(|container| container.1.is_none());
                open.push((node.next, (node.kind == Kind::Object).then_some(true)));
            }
        }
        if !is_yaml {
            n_levels += (0..open.len() as u64).sum::<u64>();
        }
        n_levels
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// Offset of the value's first byte in the text (of a string: its quote).
    pub fn offset(&self) -> usize {
        let node = self.node();
        match node.kind {
            Kind::PlainString | Kind::EscapedString => node.start as usize - 1,
            _ => node.start as usize,
        }
    }

    /// Offset of the byte behind the value.
    pub fn end(&self) -> usize {
        let node = self.node();
        match node.kind {
            Kind::PlainString | Kind::EscapedString => node.end as usize + 1,
            _ => node.end as usize,
        }
    }

    /// Whether this is a string whose text between the quotes is its written form: with the short escapes only, and no
    /// character that would be escaped.
    pub(super) fn is_as_written(&self) -> bool {
        self.node().is_as_written
    }

    /// The value's source text; for a string, the text between its quotes.
    #[inline]
    pub fn raw(&self) -> &'d str {
        let node = self.node();
        &self.text[node.start as usize..node.end as usize]
    }

    /// The value of a string.
    #[inline]
    pub fn as_str(&self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Kind::PlainString => Some(Cow::Borrowed(self.raw())),
            Kind::EscapedString => Some(unescape(self.raw())),
            _ => None,
        }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The value of a number.
    pub fn as_f64(&self) -> Option<f64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// The items of an array; none for any other value.
    pub fn items(&self) -> impl Iterator<Item = Self> + use<'d> {
        let (first, last) = match self.kind() {
            Kind::Array => (self.idx + 1, self.node().next),
            _ => (0, 0),
        };
        let it = *self;
        let mut idx = first;
        std::iter::from_fn(move || {
            (idx < last).then(|| {
                let item = it.at(idx);
                idx = item.node().next;
                item
            })
        })
    }

    /// The members of an object in the order of the text, duplicates included; none for any other value. The key is a
    /// value too, so that it has an offset.
    pub fn members(&self) -> impl Iterator<Item = (Self, Self)> + use<'d> {
        let (first, last) = match self.kind() {
            Kind::Object => (self.idx + 1, self.node().next),
            _ => (0, 0),
        };
        let it = *self;
        let mut idx = first;
        std::iter::from_fn(move || {
            (idx < last).then(|| {
                let key = it.at(idx);
                let value = it.at(idx + 1);
                idx = value.node().next;
                (key, value)
            })
        })
    }

    /// The member with exactly this key; of duplicates the last.
    pub fn get(&self, key: &str) -> Option<Self> {
        self.members().filter(|(it, _)| it.key_is(key)).last().map(|(_, value)| value)
    }

    /// The member that a Go struct field named `key` takes its value from: keys are compared without case, and if there
    /// are several, the one that sorts last counts, because the text is read with sorted keys (`docs/behaviour/fbc.md`
    /// 1.5).
    pub fn get_field(&self, key: &str) -> Option<Self> {
        self.get_field_with_key(key).map(|(_, value)| value)
    }

    /// The text of the member with exactly this key; empty without one.
    pub fn text_of(&self, key: &str) -> String {
        self.get(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned()
    }

    /// Like [`Self::text_of`], for the member that [`Self::get_field`] finds.
    pub fn text_of_field(&self, key: &str) -> String {
        self.get_field(key).and_then(|value| value.as_str()).unwrap_or_default().into_owned()
    }

    /// Like [`Self::get_field`], with the key.
    pub fn get_field_with_key(&self, key: &str) -> Option<(Self, Self)> {
        let mut best: Option<(Self, Self)> = None;
        let (text, first) = (self.text.as_bytes(), key.as_bytes().first().copied().unwrap_or_default());
        for (found, value) in self.members() {
            let node = found.node();
            let matches = match node.kind {
                // A key that is shorter than the field is another one, whatever its text.
                Kind::PlainString if ((node.end - node.start) as usize) < key.len() => false,
                // So is one that begins with another letter.
                Kind::PlainString
                    if !key.is_empty() && text.get(node.start as usize).is_some_and(|it| is_other(*it, first)) =>
                {
                    false
                }
                Kind::PlainString => found.raw() == key || fold_eq(found.raw(), key),
                _ => found.as_str().is_some_and(|it| fold_eq(&it, key)),
            };
            if matches && best.is_none_or(|(old, _)| old.as_str() <= found.as_str()) {
                best = Some((found, value));
            }
        }
        best
    }

    fn key_is(&self, key: &str) -> bool {
        match self.kind() {
            Kind::PlainString => self.raw() == key,
            _ => self.as_str().is_some_and(|it| it == key),
        }
    }
}

/// The number of blanks that each byte of text has free. Real catalogs, indented, have fewer than two.
pub(super) const FREE_BLANKS: u64 = 8;

/// The deepest level at which YAML may wrap a text at each byte: two blanks a level are no more than are free.
const WRAPPED_FOR_FREE: u64 = 4;

/// The most places at which YAML goes to the next line within a text: blanks, escaped breaks, and the last bytes of
/// U+0085, U+2028 and U+2029, which other characters have as well.
pub(super) fn n_wraps(text: &[u8]) -> u64 {
    text.iter().filter(|byte| matches!(byte, b' ' | b'\\' | 0x85 | 0xa8 | 0xa9)).count() as u64
}
