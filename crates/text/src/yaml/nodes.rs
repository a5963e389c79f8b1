//! The start and end of every node of a document, for callers that change a text in place.

use libyaml_safer::{Event, EventData, Mark, ScalarStyle};

use super::error::YamlError;
use super::events::{Source, guarded, without_mark};
use super::fast::{self, Declined, Event as FastEvent, EventBody, Sink, Style};

/// A node of a document, by its number; the root is 0.
#[derive(Debug, Clone)]
pub struct YamlNode {
    /// Its kind.
    pub kind: NodeKind,
    /// Offset of its first byte, or that of its anchor or tag if it has one. For a block collection it is that of the
    /// first key or dash.
    pub start: usize,
    /// The same, behind its anchor and its tag.
    pub content: usize,
    /// Offset after its last byte, white space and comments excluded.
    pub end: usize,
    /// Whether it has an anchor or a tag before it.
    pub is_marked: bool,
    /// Whether it has a tag.
    pub is_tagged: bool,
    /// The name of its anchor, or of the anchor that it refers to.
    pub anchor: Option<String>,
}

/// The kind of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// A text in quotes, or plain: its meaning without quotes, and the quote (a blank if there is none).
    Scalar {
        text: String,
        /// `'`, `"`, or a blank.
        quote: char,
    },
    /// A text on lines of its own, after `|` or `>`.
    Block,
    /// The numbers of the items, and whether they are in brackets.
    Sequence(Vec<usize>, bool),
    /// The numbers of keys and values, and whether they are in braces.
    Mapping(Vec<(usize, usize)>, bool),
    /// A reference to another node.
    Alias,
}

/// The nodes of the first document of a text; empty if it has none.
///
/// # Errors
/// The text is not YAML.
pub fn nodes(text: &str) -> Result<Vec<YamlNode>, YamlError> {
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut builder = Builder { text, bom, nodes: Vec::new(), open: Vec::new() };
    if fast::scan(without_mark(text.as_bytes()), &mut builder).is_ok() {
        return Ok(builder.nodes);
    }
    guarded(|| {
        let source = Source::whole(text.as_bytes())?;
        let mut events = source.events();
        let mut builder = Builder { text, bom, nodes: Vec::new(), open: Vec::new() };
        loop {
            let event = events.next()?;
            if matches!(event.data, EventData::DocumentEnd { .. } | EventData::StreamEnd) {
                return Ok(builder.nodes);
            }
            builder.take(&event);
        }
    })
}

struct Builder<'t> {
    text: &'t str,
    /// Bytes before the first one that marks count.
    bom: usize,
    nodes: Vec<YamlNode>,
    open: Vec<Open>,
}

/// A collection whose end was not read yet.
struct Open {
    number: usize,
    children: Vec<usize>,
    is_mapping: bool,
    is_flow: bool,
}

impl Sink for Builder<'_> {
    fn take(&mut self, event: &FastEvent<'_>) -> Result<(), Declined> {
        let (start, mut end) = (self.offset(event.start_mark()), self.offset(event.end_mark()));
        let quoted = |text: &str, quote| NodeKind::Scalar { text: text.to_owned(), quote };
        let kind = match event.body {
            EventBody::Scalar { style: Style::Literal | Style::Folded, .. } => {
                end = start + self.text[start..end].trim_end().len();
                NodeKind::Block
            }
            EventBody::Scalar { text, style: Style::SingleQuoted } => quoted(text, '\''),
            EventBody::Scalar { text, style: Style::DoubleQuoted } => quoted(text, '"'),
            EventBody::Scalar { text, .. } => quoted(text, ' '),
            EventBody::Mapping { is_flow } | EventBody::Sequence { is_flow } => {
                let is_mapping = matches!(event.body, EventBody::Mapping { .. });
                self.open.push(Open { number: self.nodes.len(), children: Vec::new(), is_mapping, is_flow });
                NodeKind::Alias
            }
            EventBody::MappingEnd | EventBody::SequenceEnd => {
                self.close(end);
                return Ok(());
            }
            EventBody::Document { .. } | EventBody::DocumentEnd | EventBody::StreamEnd => return Ok(()),
        };
        self.add(YamlNode { kind, start, content: start, end, is_marked: false, is_tagged: false, anchor: None });
        Ok(())
    }
}

impl Builder<'_> {
    /// Marks count bytes. (A newline that the text lacks at its end is counted too.)
    fn offset(&self, mark: Mark) -> usize {
        let offset = usize::try_from(mark.index).unwrap_or(usize::MAX).saturating_add(self.bom).min(self.text.len());
        (0..=offset).rev().find(|it| self.text.is_char_boundary(*it)).unwrap_or_default()
    }

    /// The start of a node behind its prefix: an anchor and a tag, and then blanks, line breaks and comments.
    fn content(&self, start: usize) -> usize {
        let mut at = start;
        loop {
            let rest = &self.text[at..];
            let len = match rest.as_bytes().first() {
                Some(b'&' | b'!') => rest.find(char::is_whitespace).unwrap_or(rest.len()),
                Some(b' ' | b'\t' | b'\r' | b'\n') => 1,
                Some(b'#') => rest.find('\n').unwrap_or(rest.len()),
                _ => return at,
            };
            at += len;
        }
    }

    fn take(&mut self, event: &Event) {
        let (start, mut end) = (self.offset(event.start_mark), self.offset(event.end_mark));
        let (kind, anchor, tag) = match &event.data {
            EventData::Alias { anchor } => (NodeKind::Alias, Some(anchor.clone()), None),
            EventData::Scalar { value, anchor, tag, style, .. } => {
                let kind = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => NodeKind::Block,
                    ScalarStyle::SingleQuoted => NodeKind::Scalar { text: value.clone(), quote: '\'' },
                    ScalarStyle::DoubleQuoted => NodeKind::Scalar { text: value.clone(), quote: '"' },
                    _ => NodeKind::Scalar { text: value.clone(), quote: ' ' },
                };
                (kind, anchor.clone(), tag.clone())
            }
            EventData::SequenceStart { anchor, tag, .. } | EventData::MappingStart { anchor, tag, .. } => {
                let is_mapping = matches!(event.data, EventData::MappingStart { .. });
                let is_marked = anchor.is_some() || tag.is_some();
                let content = if is_marked { self.content(start) } else { start };
                let is_flow = self.text[content..].starts_with(['[', '{']);
                self.open.push(Open { number: self.nodes.len(), children: Vec::new(), is_mapping, is_flow });
                // Its kind becomes clear at its end.
                (NodeKind::Alias, anchor.clone(), tag.clone())
            }
            EventData::SequenceEnd | EventData::MappingEnd => {
                self.close(end);
                return;
            }
            _ => return,
        };
        if kind == NodeKind::Block {
            end = start + self.text[start..end].trim_end().len();
        }
        let is_open = self.open.last().is_some_and(|it| it.number == self.nodes.len());
        let is_marked = (is_open || kind != NodeKind::Alias) && (anchor.is_some() || tag.is_some());
        let content = if is_marked { self.content(start) } else { start };
        self.add(YamlNode { kind, start, content, end, is_marked, is_tagged: tag.is_some(), anchor });
    }

    /// Adds a node to the collection that is open around it.
    fn add(&mut self, node: YamlNode) {
        let number = self.nodes.len();
        let is_open = self.open.last().is_some_and(|it| it.number == number);
        self.nodes.push(node);
        let above = if is_open { self.open.len().checked_sub(2) } else { self.open.len().checked_sub(1) };
        if let Some(above) = above {
            self.open[above].children.push(number);
        }
    }

    /// Ends a collection: at the end of its last child, unless it has a bracket of its own.
    fn close(&mut self, end: usize) {
        let Some(Open { number, children, is_mapping, is_flow }) = self.open.pop() else { return };
        let last = children.last().map(|it| self.nodes[*it].end);
        let node = &mut self.nodes[number];
        node.end = if is_flow { end } else { last.unwrap_or(node.content) };
        node.kind = if is_mapping {
            NodeKind::Mapping(children.chunks_exact(2).map(|it| (it[0], it[1])).collect(), is_flow)
        } else {
            NodeKind::Sequence(children, is_flow)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_where_they_stand() {
        let text = "---\n# top\nname: ä\nlist:\n- 'x' # one\n- {a: [1, 2]}\n-\ntext: |\n  a\n  b\n\nend: *no\n";
        let text = text.replace("*no", "\"q\"");
        let nodes = nodes(&text).unwrap();
        let shown: Vec<&str> = nodes.iter().map(|it| &text[it.start..it.end]).collect();
        assert!(shown[0].starts_with("name") && shown[0].ends_with("\"q\""), "{shown:?}");
        assert_eq!(
            shown[1..],
            [
                "name",
                "ä",
                "list",
                "- 'x' # one\n- {a: [1, 2]}\n-",
                "'x'",
                "{a: [1, 2]}",
                "a",
                "[1, 2]",
                "1",
                "2",
                "",
                "text",
                "|\n  a\n  b",
                "end",
                "\"q\"",
            ]
        );
    }

    #[test]
    fn anchors_stand_before_what_they_name() {
        let text = "a: &x\n  b: 1\nc: &y [1, *x]\nd: &z # why\n- &w 'q'\ne: !!str 5\nf: *y\n";
        let nodes = nodes(text).unwrap();
        let of = |name: &str| nodes.iter().find(|it| it.anchor.as_deref() == Some(name)).unwrap();
        let shown = |name: &str| &text[of(name).content..of(name).end];
        assert_eq!((shown("x"), shown("y"), shown("z"), shown("w")), ("b: 1", "[1, *x]", "- &w 'q'", "'q'"));
        assert!(
            matches!(of("x").kind, NodeKind::Mapping(_, false)) && matches!(of("y").kind, NodeKind::Sequence(_, true))
        );
        assert!(of("x").is_marked && !of("x").is_tagged && text[of("x").start..].starts_with("&x"));
        let aliases: Vec<&str> =
            nodes.iter().filter(|it| it.kind == NodeKind::Alias).filter_map(|it| it.anchor.as_deref()).collect();
        assert_eq!(aliases, ["x", "y"]);
        assert_eq!(nodes.iter().filter(|it| it.is_tagged).count(), 1);
    }
}
