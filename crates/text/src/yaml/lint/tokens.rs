//! The tokens of a text with their places, as PyYAML's scanner gives them to yamllint.
//!
//! libyaml's scanner takes tabs between tokens and in plain scalars; PyYAML refuses them.

use libyaml_safer::{ScalarStyle, TokenData};
use memchr::memchr;

use crate::json::MAX_DEPTH;
use crate::tally::step;
use crate::yaml::dialect::{BAD_ESCAPE, scan_while};
use crate::yaml::events::NO_COLON;

/// How deep flow collections may be. libyaml's scanner looks at all that are open for each token. yamllint has no
/// limit.
pub(super) const MAX_FLOW_DEPTH: usize = 256;

/// PyYAML's message for a tab that it refuses.
const BAD_TAB: &str = "found character '\\t' that cannot start any token";

/// PyYAML's message for a block scalar with anything else in its first line.
const BAD_HEADER: &str = "expected a comment or a line break";

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    StreamStart,
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    PlainScalar,
    OtherScalar,
}

impl Kind {
    /// Whether a node may start with it.
    pub(super) fn starts_node(self) -> bool {
        use Kind::*;
        let collection = matches!(self, BlockSequenceStart | BlockMappingStart | FlowSequenceStart | FlowMappingStart);
        collection || matches!(self, BlockEntry | Alias | Anchor | Tag | PlainScalar | OtherScalar)
    }

    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::PlainScalar | Self::OtherScalar)
    }
}

/// A place in a text. Lines and columns count from 0, columns in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) line: u32,
    pub(super) column: u32,
    /// The number of spaces that its line starts with.
    pub(super) indent: u32,
}

/// A token.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: Place,
    pub(super) end: Place,
    /// The value of a scalar that is a key or short; the name of an anchor or alias; a version, or the handle of a tag.
    pub(super) word: String,
    pub(super) is_empty_scalar: bool,
}

/// An error that ends the tokens of a text.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) message: String,
}

/// Hands the tokens of a text over, up to the end or to an error of the scanner. The scanner gets another text of the
/// same length, in which other characters stand for those that it reads differently.
pub(super) fn tokens(text: &str, scanned: &str, mut take: impl FnMut(Token)) -> Option<Fault> {
    let mut cursor = Cursor::new(text);
    let mut fault = None;
    let (mut flow_depth, mut block_depth) = (0_usize, 0_usize);
    let mut last_kind = Kind::StreamStart;
    let found = scan_while(scanned, |data, start, end| {
        step(1);
        let (kind, word) = read(data, last_kind);
        let start = cursor.place.offset.max(start.min(text.len()));
        let end = start.max(end.min(text.len()));
        if let Some(tab) = tab_between(text, cursor.place.offset, start) {
            fault = Some((tab, BAD_TAB));
            return false;
        }
        match kind {
            Kind::FlowSequenceStart | Kind::FlowMappingStart => flow_depth += 1,
            Kind::FlowSequenceEnd | Kind::FlowMappingEnd => flow_depth = flow_depth.saturating_sub(1),
            Kind::BlockSequenceStart | Kind::BlockMappingStart => block_depth += 1,
            Kind::BlockEnd => block_depth = block_depth.saturating_sub(1),
            _ => {}
        }
        if flow_depth > MAX_FLOW_DEPTH || block_depth > MAX_DEPTH {
            fault = Some((start, "nested too deep to be checked"));
            return false;
        }
        let refused = refused_inside(kind, flow_depth > 0, &text[start..end]).map(|at| start + at);
        let end = match refused {
            Some(at) => start + text[start..at].trim_end_matches(' ').len(),
            None => end,
        };
        if refused.is_none() || kind == Kind::PlainScalar {
            let is_empty_scalar = matches!(data, TokenData::Scalar { value, .. } if value.is_empty());
            take(Token { kind, start: cursor.to(start), end: cursor.to(end), word, is_empty_scalar });
        }
        fault = refused.map(|at| (at, if kind == Kind::PlainScalar { BAD_TAB } else { BAD_HEADER }));
        last_kind = kind;
        fault.is_none()
    });
    let may_have_tab = fault.is_none();
    let mut fault = fault.map(|(offset, message)| (offset, message.to_owned()));
    let mut until = text.len();
    if let Some((error, token, problem)) = found {
        // PyYAML is behind the backslash then.
        let problem = problem + usize::from(error.problem() == BAD_ESCAPE);
        fault = Some((problem.min(text.len()), error.problem().to_owned()));
        // A plain scalar that lacks its colon may have its tab.
        let is_plain = text.get(token..).is_some_and(|rest| !rest.starts_with(['"', '\'', '[', '{', '&', '*', '!']));
        until = if error.problem() == NO_COLON && is_plain || token == 0 { problem } else { token };
    }
    if may_have_tab && let Some(tab) = tab_between(text, cursor.place.offset, until.min(text.len())) {
        fault = Some((tab, BAD_TAB.to_owned()));
    }
    if let Some((offset, message)) = fault {
        return Some(Fault { place: cursor.to(offset), message });
    }
    let end = cursor.to(text.len());
    take(Token { kind: Kind::StreamEnd, start: end, end, word: String::new(), is_empty_scalar: false });
    None
}

fn read(data: &TokenData, last: Kind) -> (Kind, String) {
    let plain = |kind| (kind, String::new());
    match data {
        TokenData::StreamStart { .. } => plain(Kind::StreamStart),
        TokenData::StreamEnd => plain(Kind::StreamEnd),
        TokenData::VersionDirective { major, minor } => (Kind::VersionDirective, format!("{major}.{minor}")),
        TokenData::TagDirective { handle, .. } => (Kind::TagDirective, handle.clone()),
        TokenData::DocumentStart => plain(Kind::DocumentStart),
        TokenData::DocumentEnd => plain(Kind::DocumentEnd),
        TokenData::BlockSequenceStart => plain(Kind::BlockSequenceStart),
        TokenData::BlockMappingStart => plain(Kind::BlockMappingStart),
        TokenData::BlockEnd => plain(Kind::BlockEnd),
        TokenData::FlowSequenceStart => plain(Kind::FlowSequenceStart),
        TokenData::FlowSequenceEnd => plain(Kind::FlowSequenceEnd),
        TokenData::FlowMappingStart => plain(Kind::FlowMappingStart),
        TokenData::FlowMappingEnd => plain(Kind::FlowMappingEnd),
        TokenData::BlockEntry => plain(Kind::BlockEntry),
        TokenData::FlowEntry => plain(Kind::FlowEntry),
        TokenData::Key => plain(Kind::Key),
        TokenData::Value => plain(Kind::Value),
        TokenData::Alias { value } => (Kind::Alias, value.clone()),
        TokenData::Anchor { value } => (Kind::Anchor, value.clone()),
        TokenData::Tag { handle, .. } => (Kind::Tag, handle.clone()),
        TokenData::Scalar { value, style } => {
            let kind = if *style == ScalarStyle::Plain { Kind::PlainScalar } else { Kind::OtherScalar };
            let is_wanted = last == Kind::Key || kind == Kind::PlainScalar && value.len() <= "false".len();
            (kind, if is_wanted { value.clone() } else { String::new() })
        }
    }
}

/// The first tab between two tokens that is not in a comment.
fn tab_between(text: &str, from: usize, to: usize) -> Option<usize> {
    let gap = text.get(from..to).filter(|gap| memchr(b'\t', gap.as_bytes()).is_some())?;
    let before_comment = |line: &str| {
        let comment = if line.starts_with('#') { Some(0) } else { line.find(" #") };
        memchr(b'\t', &line.as_bytes()[..comment.unwrap_or(line.len())])
    };
    let mut start = from;
    gap.split_inclusive(is_break).find_map(|line| {
        let tab = before_comment(line).map(|tab| start + tab);
        start += line.len();
        tab
    })
}

/// The first character in a token that PyYAML refuses: in a plain scalar a tab, and in a flow collection a question
/// mark too; in the first line of a block scalar a tab, and a comment without a space before it.
fn refused_inside(kind: Kind, is_in_flow: bool, source: &str) -> Option<usize> {
    match kind {
        Kind::PlainScalar => source.find(|c| c == '\t' || is_in_flow && c == '?'),
        Kind::OtherScalar if source.starts_with(['|', '>']) => {
            let rest = source[1..].trim_start_matches(|c: char| c == '+' || c == '-' || c.is_ascii_digit());
            let blanks = rest.trim_start_matches(' ');
            let is_refused = blanks.starts_with('\t') || blanks.len() == rest.len() && rest.starts_with('#');
            is_refused.then(|| source.len() - blanks.len())
        }
        _ => None,
    }
}

/// Whether a character ends a line for YAML 1.1.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A place that moves forward through a text.
struct Cursor<'t> {
    text: &'t str,
    place: Place,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, place: Place { indent: indent_of(text), ..Place::default() } }
    }

    /// Moves to an offset, and not back.
    fn to(&mut self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let Some(passed) = self.text.get(self.place.offset..offset) else { return self.place };
        step(passed.len());
        let bytes = self.text.as_bytes();
        for (at, c) in passed.char_indices() {
            let next = self.place.offset + at + c.len_utf8();
            let is_first_of_two = c == '\r' && bytes.get(next) == Some(&b'\n');
            if is_break(c) && !is_first_of_two {
                self.place.line = self.place.line.saturating_add(1);
                self.place.column = 0;
            } else if c != '\u{FEFF}' {
                self.place.column = self.place.column.saturating_add(1);
            }
            // (Only a newline starts a line for the indentation of yamllint.)
            if c == '\n' {
                self.place.indent = indent_of(&self.text[next..]);
            }
        }
        self.place.offset = offset;
        self.place
    }
}

/// The number of spaces that a text starts with.
pub(super) fn indent_of(text: &str) -> u32 {
    let len = text.bytes().take_while(|byte| *byte == b' ').count();
    u32::try_from(len).unwrap_or(u32::MAX)
}
