//! Reads a pattern into a tree, with a stack of its own.

use super::class::{self, Builder, Groups};
use super::error::{PatternError, PatternErrorKind};
use super::tree::{Assertion, Expr, MAX_REPEAT, Nodes, Parsed, Tree};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Flags {
    folds: bool,
    /// `^` and `$` match at lines too.
    lines: bool,
    /// `.` matches a line feed.
    dot_all: bool,
}

/// A group that is open: the alternatives that are done, and the items of the current one.
struct Open {
    alternatives: Vec<usize>,
    items: Vec<usize>,
    captures: bool,
    /// The flags outside.
    flags: Flags,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    flags: Flags,
    open: Vec<Open>,
    nodes: Nodes<'t>,
    groups: Groups,
}

pub(super) fn parse(text: &str) -> Parsed<Tree> {
    let flags = Flags { folds: false, lines: false, dot_all: false };
    let mut parser = Parser {
        text,
        at: 0,
        flags,
        open: vec![Open { alternatives: Vec::new(), items: Vec::new(), captures: false, flags }],
        nodes: Nodes::new(text),
        groups: Groups::default(),
    };
    let root = parser.all()?;
    Ok(parser.nodes.into_tree(root))
}

fn error<T>(kind: PatternErrorKind, part: &str) -> Parsed<T> {
    Err(PatternError { kind, part: part.to_owned() })
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn all(&mut self) -> Parsed<usize> {
        // The start of the repetition that the last turn has read.
        let mut last_repeat: Option<usize> = None;
        while let Some(c) = self.peek() {
            let start = self.at;
            let mut repeat = None;
            match c {
                '(' if self.rest().starts_with("(?") => self.perl_group()?,
                '(' => {
                    self.at += 1;
                    self.open_group(true);
                }
                '|' => {
                    self.at += 1;
                    let items = self.open.last_mut().map(|it| std::mem::take(&mut it.items)).unwrap_or_default();
                    let alternative = self.nodes.concat(items)?;
                    if let Some(open) = self.open.last_mut() {
                        open.alternatives.push(alternative);
                    }
                }
                ')' => self.close_group()?,
                '^' => {
                    self.at += 1;
                    self.assertion(if self.flags.lines { Assertion::LineStart } else { Assertion::TextStart })?;
                }
                '$' => {
                    self.at += 1;
                    self.assertion(if self.flags.lines { Assertion::LineEnd } else { Assertion::TextEnd })?;
                }
                '.' => {
                    self.at += 1;
                    let all: &[(char, char)] = &[('\0', char::MAX)];
                    let but_lines: &[(char, char)] = &[('\0', '\t'), ('\u{b}', char::MAX)];
                    self.class(if self.flags.dot_all { all } else { but_lines }.to_vec())?;
                }
                '[' => self.bracket()?,
                '*' | '+' | '?' => {
                    self.at += 1;
                    let (min, max) = match c {
                        '*' => (0, None),
                        '+' => (1, None),
                        _ => (0, Some(1)),
                    };
                    self.repeat(min, max, start, last_repeat, false)?;
                    repeat = Some(start);
                }
                '{' => match counts(self.rest()) {
                    Some((min, max, len)) => {
                        self.at += len;
                        let is_valid = min <= MAX_REPEAT && max.is_none_or(|it| it <= MAX_REPEAT && it >= min);
                        if !is_valid {
                            return error(PatternErrorKind::RepeatCount, &self.text[start..self.at]);
                        }
                        // Both are at most 1000.
                        self.repeat(min as u32, max.map(|it| it as u32), start, last_repeat, true)?;
                        repeat = Some(start);
                    }
                    None => {
                        self.at += 1;
                        self.literal('{')?;
                    }
                },
                '\\' => self.escape_outside()?,
                other => {
                    self.at += other.len_utf8();
                    self.literal(other)?;
                }
            }
            last_repeat = repeat;
        }
        let Some(open) = self.open.pop().filter(|_| self.open.is_empty()) else {
            return error(PatternErrorKind::Parenthesis, self.text);
        };
        self.finish(open)
    }

    fn item(&mut self, node: Expr) -> Parsed<()> {
        let number = self.nodes.leaf(node)?;
        if let Some(open) = self.open.last_mut() {
            open.items.push(number);
        }
        Ok(())
    }

    fn assertion(&mut self, assertion: Assertion) -> Parsed<()> {
        self.item(Expr::Assertion(assertion))
    }

    fn class(&mut self, ranges: Vec<(char, char)>) -> Parsed<()> {
        let class = self.nodes.class(ranges);
        self.item(Expr::Class(class))
    }

    fn literal(&mut self, c: char) -> Parsed<()> {
        if !self.flags.folds {
            return self.item(Expr::Char(c));
        }
        let mut builder = Builder::default();
        builder.range(c, c, true);
        self.class(builder.finish(false))
    }

    /// The whole of a group that is done.
    fn finish(&mut self, open: Open) -> Parsed<usize> {
        let mut alternatives = open.alternatives;
        alternatives.push(self.nodes.concat(open.items)?);
        let inside = self.nodes.alternate(alternatives)?;
        if open.captures { self.nodes.group(inside) } else { Ok(inside) }
    }

    fn open_group(&mut self, captures: bool) {
        self.open.push(Open { alternatives: Vec::new(), items: Vec::new(), captures, flags: self.flags });
    }

    fn close_group(&mut self) -> Parsed<()> {
        if self.open.len() < 2 {
            return error(PatternErrorKind::UnexpectedParenthesis, self.text);
        }
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.at += 1;
        self.flags = open.flags;
        let number = self.finish(open)?;
        if let Some(open) = self.open.last_mut() {
            open.items.push(number);
        }
        Ok(())
    }

    /// A repetition from `start` to where we are.
    fn repeat(
        &mut self,
        min: u32,
        max: Option<u32>,
        start: usize,
        last_repeat: Option<usize>,
        is_counted: bool,
    ) -> Parsed<()> {
        if self.peek() == Some('?') {
            self.at += 1;
        }
        if let Some(last) = last_repeat {
            return error(PatternErrorKind::RepeatOperator, &self.text[last..self.at]);
        }
        let part = self.open.last_mut().and_then(|it| it.items.pop());
        let Some(part) = part else {
            return error(PatternErrorKind::RepeatArgument, &self.text[start..self.at]);
        };
        let Some(number) = self.nodes.repeat(part, min, max, is_counted)? else {
            return error(PatternErrorKind::RepeatCount, &self.text[start..self.at]);
        };
        if let Some(open) = self.open.last_mut() {
            open.items.push(number);
        }
        Ok(())
    }

    /// `(?…`: a group with a name, one that does not capture, or flags.
    fn perl_group(&mut self) -> Parsed<()> {
        let start = self.at;
        let rest = self.rest();
        for prefix in ["(?P<", "(?<"] {
            let Some(inside) = rest.strip_prefix(prefix) else { continue };
            let Some(end) = inside.find('>') else {
                return error(PatternErrorKind::NamedCapture, rest);
            };
            let is_name =
                !inside[..end].is_empty() && inside[..end].bytes().all(|it| it == b'_' || it.is_ascii_alphanumeric());
            let whole = &rest[..prefix.len() + end + 1];
            if !is_name {
                return error(PatternErrorKind::NamedCapture, whole);
            }
            self.at += whole.len();
            self.open_group(true);
            return Ok(());
        }
        self.at += 2;
        let mut flags = self.flags;
        let mut is_set = true;
        let mut has_flag = false;
        while let Some(c) = self.next() {
            match c {
                'i' => flags.folds = is_set,
                'm' => flags.lines = is_set,
                's' => flags.dot_all = is_set,
                'U' => {}
                '-' if is_set => {
                    is_set = false;
                    has_flag = false;
                    continue;
                }
                ':' | ')' if is_set || has_flag => {
                    if c == ':' {
                        self.open_group(false);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
            has_flag = true;
        }
        error(PatternErrorKind::PerlSyntax, &self.text[start..self.at])
    }

    /// A backslash outside of brackets.
    fn escape_outside(&mut self) -> Parsed<()> {
        let rest = self.rest();
        match rest[1..].chars().next() {
            Some('A') => {
                self.at += 2;
                self.assertion(Assertion::TextStart)
            }
            Some('z') => {
                self.at += 2;
                self.assertion(Assertion::TextEnd)
            }
            Some('b') => {
                self.at += 2;
                self.assertion(Assertion::WordBoundary)
            }
            Some('B') => {
                self.at += 2;
                self.assertion(Assertion::NotWordBoundary)
            }
            Some('Q') => {
                let inside = &rest[2..];
                let (text, len) = inside.find("\\E").map_or((inside, inside.len()), |it| (&inside[..it], it + 2));
                self.at += 2 + len;
                text.chars().try_for_each(|it| self.literal(it))
            }
            _ => {
                let mut builder = Builder::default();
                if self.group(&mut builder)? {
                    return self.class(builder.finish(false));
                }
                let c = self.escape()?;
                self.literal(c)
            }
        }
    }

    /// Reads a group of characters such as `\d` or `\p{Greek}`, if there is one here.
    fn group(&mut self, builder: &mut Builder) -> Parsed<bool> {
        let rest = self.rest();
        let Some(letter) = rest.strip_prefix('\\').and_then(|it| it.chars().next()) else { return Ok(false) };
        match letter {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                self.at += 2;
                Ok(class::perl(builder, &mut self.groups, letter, self.flags.folds))
            }
            'p' | 'P' => {
                let (name, len) = match rest[2..].chars().next() {
                    Some('{') => match rest.find('}') {
                        Some(end) => (&rest[3..end], end + 1),
                        None => return error(PatternErrorKind::ClassRange, rest),
                    },
                    Some(c) => (&rest[2..2 + c.len_utf8()], 2 + c.len_utf8()),
                    None => return error(PatternErrorKind::ClassRange, rest),
                };
                self.at += len;
                if class::unicode(builder, &mut self.groups, name, letter == 'P', self.flags.folds) {
                    return Ok(true);
                }
                error(PatternErrorKind::ClassRange, &rest[..len])
            }
            _ => Ok(false),
        }
    }

    /// Reads a backslash escape that stands for one character.
    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.next() else {
            return error(PatternErrorKind::TrailingBackslash, "");
        };
        let wrong = |it: &Self| error(PatternErrorKind::Escape, &it.text[start..it.at]);
        let octal = |it: Option<char>| it.and_then(|it| it.to_digit(8));
        match c {
            // Without a second digit it would be a reference to a captured group.
            '1'..='7' if octal(self.peek()).is_none() => wrong(self),
            '0'..='7' => {
                let mut code = octal(Some(c)).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = octal(self.peek()) else { break };
                    self.at += 1;
                    code = code * 8 + digit;
                }
                // At most 0777.
                char::from_u32(code).map_or_else(|| wrong(self), Ok)
            }
            'x' => {
                let Some(first) = self.next() else { return wrong(self) };
                if first == '{' {
                    let mut code: u32 = 0;
                    let mut n_digits = 0;
                    loop {
                        match self.next() {
                            Some('}') if n_digits > 0 => break,
                            Some(c) if c.is_ascii_hexdigit() => {
                                code = code * 16 + c.to_digit(16).unwrap_or_default();
                                n_digits += 1;
                                if code > u32::from(char::MAX) {
                                    return wrong(self);
                                }
                            }
                            _ => return wrong(self),
                        }
                    }
                    // A surrogate is in no text; a noncharacter replaces it, because it does not occur either.
                    return Ok(char::from_u32(code).unwrap_or('\u{fffe}'));
                }
                let second = self.next();
                match (first.to_digit(16), second.and_then(|it| it.to_digit(16))) {
                    (Some(a), Some(b)) => char::from_u32(a * 16 + b).map_or_else(|| wrong(self), Ok),
                    _ => wrong(self),
                }
            }
            'a' => Ok('\u{7}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\u{b}'),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok(c),
            _ => wrong(self),
        }
    }

    /// A class in brackets.
    fn bracket(&mut self) -> Parsed<()> {
        let whole = self.rest();
        let folds = self.flags.folds;
        let mut builder = Builder::default();
        self.at += 1;
        let is_negated = self.peek() == Some('^');
        self.at += usize::from(is_negated);
        let mut is_first = true;
        while is_first || self.peek() != Some(']') {
            is_first = false;
            let rest = self.rest();
            if let Some(end) = rest.strip_prefix("[:").and_then(|it| it.find(":]")).filter(|_| rest.len() > 2) {
                self.at += end + 4;
                if !class::posix(&mut builder, &mut self.groups, &rest[2..2 + end], folds) {
                    return error(PatternErrorKind::ClassRange, &rest[..end + 4]);
                }
                continue;
            }
            if self.group(&mut builder)? {
                continue;
            }
            let start = self.at;
            let low = self.class_char(whole)?;
            let mut high = low;
            let mut ahead = self.rest().chars();
            if ahead.next() == Some('-') && ahead.next().is_some_and(|it| it != ']') {
                self.at += 1;
                high = self.class_char(whole)?;
                if high < low {
                    return error(PatternErrorKind::ClassRange, &self.text[start..self.at]);
                }
            }
            builder.range(low, high, folds);
        }
        self.at += 1;
        self.class(builder.finish(is_negated))
    }

    fn class_char(&mut self, whole: &str) -> Parsed<char> {
        match self.peek() {
            None => error(PatternErrorKind::Bracket, whole),
            Some('\\') => self.escape(),
            Some(c) => {
                self.at += c.len_utf8();
                Ok(c)
            }
        }
    }
}

/// The counts of `{n}`, `{n,}` and `{n,m}` at the start of a text, and the length of the whole. `None` for anything
/// else, which is text; numbers that are far too large are above every limit.
fn counts(text: &str) -> Option<(u64, Option<u64>, usize)> {
    let bytes = text.as_bytes();
    let mut at = 1;
    let number = |at: &mut usize| -> Option<u64> {
        let digits = bytes[*at..].iter().take_while(|it| it.is_ascii_digit()).count();
        let is_number = digits == 1 || (digits > 1 && bytes[*at] != b'0');
        let value = bytes[*at..*at + digits].iter().fold(0u64, |a, d| (a * 10 + u64::from(d - b'0')).min(1 << 32));
        *at += digits;
        is_number.then_some(value)
    };
    let min = number(&mut at)?;
    let mut max = Some(min);
    if bytes.get(at) == Some(&b',') {
        at += 1;
        max = if bytes.get(at) == Some(&b'}') { None } else { Some(number(&mut at)?) };
    }
    (bytes.get(at) == Some(&b'}')).then_some((min, max, at + 1))
}
