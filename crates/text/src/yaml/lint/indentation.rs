//! The rule `indentation`, with `spaces: consistent`, `indent-sequences: whatever` and no look into scalars.
//!
//! The first token of each line must stand where the innermost open part wants it. The first step of the file says how
//! wide each step is.

use super::problem::{LintProblem, broken};
use super::tokens::{Kind, Token};

/// The parts of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Root,
    Mapping,
    Sequence,
    /// A block sequence in the column of the keys around it. It has no token of its own.
    Indentless,
    Flow,
    Entry,
    Key {
        is_explicit: bool,
    },
    Value,
}

/// A part that is open.
#[derive(Debug, Clone, Copy)]
struct Open {
    part: Part,
    /// The column where tokens in it stand.
    column: i64,
    /// The column where its end stands.
    end: i64,
}

/// Checks the columns of the tokens of a file.
#[derive(Debug)]
pub(super) struct Indentation {
    open: Vec<Open>,
    step: Option<i64>,
    /// The last line that has a token.
    line: Option<u32>,
}

impl Indentation {
    pub(super) fn new() -> Self {
        Self { open: vec![Open { part: Part::Root, column: 0, end: 0 }], step: None, line: None }
    }

    /// Takes a token and the two behind it.
    pub(super) fn take(&mut self, token: &Token, behind: [&Token; 2], problems: &mut Vec<LintProblem>) {
        let is_visible =
            !matches!(token.kind, Kind::StreamStart | Kind::StreamEnd | Kind::BlockEnd) && !token.is_empty_scalar;
        if is_visible {
            if self.line.is_none_or(|line| token.start.line > line) {
                problems.extend(self.check(token));
            }
            self.line = Some(token.end.line.max(token.start.line));
            if ends_with_line(token) {
                self.line = Some(token.end.line.saturating_sub(1).max(token.start.line));
            }
        }
        if !self.follow(token, behind) {
            let place = token.start;
            problems.push(broken(
                "indentation",
                place.line,
                place.column,
                "cannot infer indentation: unexpected token",
            ));
        }
    }

    fn top(&self) -> Open {
        self.open.last().copied().unwrap_or(Open { part: Part::Root, column: 0, end: 0 })
    }

    fn push(&mut self, part: Part, column: i64, end: i64) {
        self.open.push(Open { part, column, end });
    }

    /// The column one step deeper than another. The first step is the one that a token makes.
    fn deeper(&mut self, column: i64, token: &Token) -> i64 {
        column + *self.step.get_or_insert(i64::from(token.start.column) - column)
    }

    fn check(&mut self, token: &Token) -> Option<LintProblem> {
        let top = self.top();
        let expected = match top.part {
            Part::Flow if matches!(token.kind, Kind::FlowMappingEnd | Kind::FlowSequenceEnd) => top.end,
            Part::Key { is_explicit: true } if token.kind != Kind::Value => self.deeper(top.column, token),
            _ => top.column,
        };
        let found = i64::from(token.start.column);
        (found != expected).then(|| {
            let message = if expected < 0 {
                format!("wrong indentation: expected at least {}", found + 1)
            } else {
                format!("wrong indentation: expected {expected} but found {found}")
            };
            broken("indentation", token.start.line, token.start.column, message)
        })
    }

    /// Opens and closes parts. Whether the token fits what is open.
    fn follow(&mut self, token: &Token, behind: [&Token; 2]) -> bool {
        let column = i64::from(token.start.column);
        let next = behind[0].kind;
        let top = self.top();
        match token.kind {
            Kind::BlockMappingStart if next != Kind::Key => return false,
            Kind::BlockMappingStart => self.push(Part::Mapping, column, column),
            Kind::BlockSequenceStart => self.push(Part::Sequence, column, column),
            Kind::FlowMappingStart | Kind::FlowSequenceStart => {
                let line = i64::from(token.start.indent);
                let inside = if behind[0].start.line == token.start.line {
                    i64::from(behind[0].start.column)
                } else {
                    self.deeper(line, behind[0])
                };
                self.push(Part::Flow, inside, line);
            }
            Kind::BlockEntry => {
                if !matches!(top.part, Part::Sequence | Part::Indentless) {
                    self.push(Part::Indentless, column, column);
                }
                self.entry(token, behind[0]);
            }
            Kind::Key => {
                let is_explicit = token.end.offset > token.start.offset;
                self.push(Part::Key { is_explicit }, top.column, top.column);
                if !next.starts_node() {
                    self.end_node(next);
                }
            }
            Kind::Value => {
                let Part::Key { is_explicit } = top.part else { return false };
                self.value(token, behind, top.column, is_explicit);
            }
            Kind::FlowEntry => self.close_values(false),
            Kind::BlockEnd => self.close(true, next),
            Kind::FlowMappingEnd | Kind::FlowSequenceEnd => self.close(false, next),
            Kind::Anchor | Kind::Tag if matches!(top.part, Part::Key { .. }) && !next.starts_node() => {
                self.end_node(next);
            }
            Kind::Alias | Kind::PlainScalar | Kind::OtherScalar => self.end_node(next),
            _ => {}
        }
        if self.top().part == Part::Entry && matches!(next, Kind::BlockEntry | Kind::BlockEnd) {
            self.open.pop();
        }
        true
    }

    /// Sets the column of the node of an entry.
    fn entry(&mut self, token: &Token, next: &Token) {
        let column = self.top().column;
        self.push(Part::Entry, column, column);
        if !next.kind.starts_node() || next.kind == Kind::BlockEntry {
            return self.end_node(next.kind);
        }
        let found = i64::from(next.start.column);
        let column = if next.start.line == token.start.line { found } else { self.deeper(column, next) };
        self.set_column(column);
    }

    /// Sets the column of the node of a value. A block sequence may also stand in the column of its key. The value of
    /// an explicit key is always one step deeper.
    fn value(&mut self, token: &Token, [next, second]: [&Token; 2], column: i64, is_explicit: bool) {
        self.push(Part::Value, column, column);
        // A node whose anchor or tag alone is behind the colon starts on a later line.
        let is_property = matches!(next.kind, Kind::Anchor | Kind::Tag);
        let is_alone = is_property && next.start.line == token.start.line && second.start.line > next.start.line;
        let first = if is_alone && !is_explicit { second } else { next };
        if !first.kind.starts_node() {
            return self.end_node(first.kind);
        }
        let found = i64::from(first.start.column);
        let is_sequence = matches!(first.kind, Kind::BlockEntry | Kind::BlockSequenceStart);
        let may_stay = first.start.line == token.start.line || is_sequence && found == column;
        let column = if may_stay && !is_explicit { found } else { self.deeper(column, first) };
        self.set_column(column);
    }

    fn set_column(&mut self, column: i64) {
        if let Some(top) = self.open.last_mut() {
            top.column = column;
        }
    }

    /// Closes what is open in a collection: yamllint does not see that a node with two properties is empty.
    fn close_values(&mut self, is_block: bool) {
        let is_open = |part| match part {
            Part::Value | Part::Key { .. } => true,
            Part::Entry | Part::Indentless => is_block,
            _ => false,
        };
        while is_open(self.top().part) {
            self.open.pop();
        }
    }

    /// Closes a collection.
    fn close(&mut self, is_block: bool, next: Kind) {
        self.close_values(is_block);
        let fits = match self.top().part {
            Part::Mapping | Part::Sequence => is_block,
            Part::Flow => !is_block,
            _ => false,
        };
        if fits {
            self.open.pop();
            self.end_node(next);
        }
    }

    /// Closes the parts that end with a node. A key that comes where an entry should leaves the entry open.
    fn end_node(&mut self, next: Kind) {
        while let [.., Open { part: around, .. }, Open { part, .. }] = *self.open {
            let n_closed = match part {
                Part::Value => 2,
                Part::Key { .. } if next != Kind::Value => 1,
                Part::Entry if around == Part::Indentless => 1,
                Part::Entry if matches!(next, Kind::BlockEntry | Kind::BlockEnd) => 1,
                Part::Indentless if next != Kind::BlockEntry => 1,
                _ => return,
            };
            self.open.truncate(self.open.len() - n_closed);
        }
    }
}

/// Whether a token is a block scalar, which takes the break of its last line.
fn ends_with_line(token: &Token) -> bool {
    token.kind == Kind::OtherScalar && token.end.column == 0 && token.end.line > token.start.line
}
