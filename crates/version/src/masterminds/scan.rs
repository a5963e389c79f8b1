//! The grammar of constraints: the start and end of items, operators and versions (`docs/behaviour/olm-v1.md` 1.1.2,
//! 1.1.4).
//!
//! The grammar accepts only ASCII, so every position at which something ends is a character boundary. The meaning of a
//! version is decided elsewhere.

use super::Operator;

/// One item of a group.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) operator: Operator,
    pub(super) version: ItemVersion<'a>,
}

/// The version of an item as written.
#[derive(Debug)]
pub(super) struct ItemVersion<'a> {
    /// All of it, with the `v` and the build metadata.
    pub(super) text: &'a str,
    /// Major, minor and patch; empty where absent.
    pub(super) components: [&'a str; 3],
    /// The pre-release without its hyphen; empty if absent.
    pub(super) pre: &'a str,
}

/// Rewrites every hyphen range `A - B`, anywhere in the text, as `>= A, <= B `, and swallows the white space around it.
pub(super) fn rewrite_hyphen_ranges(text: &str) -> String {
    let mut rewritten = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut scanner = Scanner { rest };
        if let Some((from, to)) = scanner.hyphen_range() {
            rewritten.extend([">= ", from, ", <= ", to, " "]);
            rest = scanner.rest;
        } else {
            rewritten.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    rewritten
}

/// The items of a group, or none if it does not follow the grammar as a whole.
pub(super) fn group(text: &str) -> Option<Vec<Item<'_>>> {
    let mut scanner = Scanner { rest: text };
    scanner.white_space();
    let mut items = vec![scanner.item()?];
    loop {
        let is_separated = scanner.white_space();
        if scanner.rest.is_empty() {
            return Some(items);
        }
        if scanner.literal(',') {
            scanner.white_space();
        } else if !is_separated {
            return None;
        }
        items.push(scanner.item()?);
    }
}

#[derive(Clone, Copy)]
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn item(&mut self) -> Option<Item<'a>> {
        let operator = match self.take_while(|c| matches!(c, '=' | '!' | '<' | '>' | '~' | '^')) {
            "" | "=" => Operator::Equal,
            "!=" => Operator::NotEqual,
            ">" => Operator::Greater,
            ">=" | "=>" => Operator::GreaterOrEqual,
            "<" => Operator::Less,
            "<=" | "=<" => Operator::LessOrEqual,
            "~" | "~>" => Operator::Tilde,
            "^" => Operator::Caret,
            _ => return None,
        };
        self.white_space();
        Some(Item { operator, version: self.version()? })
    }

    /// Both ends of a hyphen range, with the white space around it taken too.
    fn hyphen_range(&mut self) -> Option<(&'a str, &'a str)> {
        self.white_space();
        let from = self.version()?.text;
        let is_range = self.white_space() && self.literal('-') && self.white_space();
        let to = self.version().filter(|_| is_range)?.text;
        self.white_space();
        Some((from, to))
    }

    /// The longest version that starts here. A shorter one never helps: the character behind a version is neither white
    /// space nor a comma if the longest one could have gone on.
    fn version(&mut self) -> Option<ItemVersion<'a>> {
        let start = self.rest;
        self.literal('v');
        let major = self.component()?;
        let minor = self.optional('.', Self::component);
        let patch = if minor.is_empty() { "" } else { self.optional('.', Self::component) };
        let pre = self.optional('-', Self::identifiers);
        self.optional('+', Self::identifiers);
        let text = start.strip_suffix(self.rest).unwrap_or_default();
        Some(ItemVersion { text, components: [major, minor, patch], pre })
    }

    fn component(&mut self) -> Option<&'a str> {
        let taken = self.take_while(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X' | '*' | '|'));
        Some(taken).filter(|taken| !taken.is_empty())
    }

    fn identifiers(&mut self) -> Option<&'a str> {
        let start = self.rest;
        self.identifier()?;
        while !self.optional('.', Self::identifier).is_empty() {}
        start.strip_suffix(self.rest)
    }

    fn identifier(&mut self) -> Option<&'a str> {
        let taken = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-');
        Some(taken).filter(|taken| !taken.is_empty())
    }

    /// A mark and the part that must follow it; nothing is taken unless both are there.
    fn optional(&mut self, mark: char, part: fn(&mut Self) -> Option<&'a str>) -> &'a str {
        let before = *self;
        if self.literal(mark) {
            if let Some(taken) = part(self) {
                return taken;
            }
            *self = before;
        }
        ""
    }

    /// Takes white space, of which the grammar knows five kinds, and returns whether there was any.
    fn white_space(&mut self) -> bool {
        !self.take_while(|c| matches!(c, ' ' | '\t' | '\n' | '\x0c' | '\r')).is_empty()
    }

    fn literal(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_while(&mut self, accepts: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accepts(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}
