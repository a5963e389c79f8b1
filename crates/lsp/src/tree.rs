//! A document as nodes with their places, the same for JSON and YAML.

use std::ops::Range;

use olmdex_fbc::Syntax;
use olmdex_text::json::{Kind, Reader, Value};
use olmdex_text::yaml;

/// A node, by its number; the root is 0.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Its bytes in the document, quotes included.
    pub(super) span: Range<usize>,
    pub(super) content: Content,
}

/// The content of a node.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// A text on one line: its meaning, and the quote, which is a blank if there is none.
    Text(String, char),
    List(Vec<usize>),
    /// The numbers of keys and values.
    Map(Vec<(usize, usize)>),
    /// Anything else.
    Other,
}

/// The nodes of a document.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// The tree of a document; `None` if it cannot be read.
    pub(super) fn of(raw: &[u8], syntax: Syntax) -> Option<Self> {
        let text = std::str::from_utf8(raw).ok()?;
        match syntax {
            Syntax::Yaml => {
                let nodes = yaml::nodes(text).ok()?;
                Some(Self { nodes: nodes.into_iter().map(|it| of_yaml(text, it)).collect() })
            }
            Syntax::Json => {
                let mut reader = Reader::new();
                let (value, _) = reader.read_at(text, 0).ok()?;
                Some(of_json(value))
            }
        }
    }

    pub(super) fn node(&self, number: usize) -> Option<&Node> {
        self.nodes.get(number)
    }

    /// The value of a key; if keys are equal, the last counts.
    pub(super) fn get(&self, of: usize, key: &str) -> Option<usize> {
        let Content::Map(members) = &self.nodes.get(of)?.content else { return None };
        members.iter().rev().find(|(it, _)| self.text(*it) == Some(key)).map(|it| it.1)
    }

    pub(super) fn text(&self, of: usize) -> Option<&str> {
        match &self.nodes.get(of)?.content {
            Content::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// The text of a member, or an empty text.
    pub(super) fn text_of(&self, of: usize, key: &str) -> &str {
        self.get(of, key).and_then(|it| self.text(it)).unwrap_or_default()
    }

    pub(super) fn items(&self, of: usize) -> &[usize] {
        match self.nodes.get(of).map(|it| &it.content) {
            Some(Content::List(items)) => items,
            _ => &[],
        }
    }

    /// The items of a list that is a member.
    pub(super) fn items_of(&self, of: usize, key: &str) -> &[usize] {
        self.get(of, key).map_or(&[], |it| self.items(it))
    }
}

fn of_yaml(text: &str, node: yaml::YamlNode) -> Node {
    let span = node.start..node.end;
    let content = match node.kind {
        // A value with an anchor or a tag is left alone, and so is one over several lines.
        yaml::NodeKind::Scalar { .. } if node.is_marked || text[span.clone()].contains('\n') => Content::Other,
        yaml::NodeKind::Scalar { text, quote } => Content::Text(text, quote),
        yaml::NodeKind::Sequence(items, _) => Content::List(items),
        yaml::NodeKind::Mapping(members, _) => Content::Map(members),
        yaml::NodeKind::Block | yaml::NodeKind::Alias => Content::Other,
    };
    Node { span, content }
}

fn of_json(root: Value<'_>) -> Tree {
    let empty = |it: Value<'_>| Node { span: it.offset()..it.end(), content: Content::Other };
    let mut nodes = vec![empty(root)];
    let mut open = vec![(root, 0)];
    while let Some((value, number)) = open.pop() {
        let add = |it: Value<'_>, nodes: &mut Vec<Node>| {
            nodes.push(empty(it));
            nodes.len() - 1
        };
        let content = match value.kind() {
            Kind::PlainString | Kind::EscapedString => {
                Content::Text(value.as_str().unwrap_or_default().into_owned(), '"')
            }
            Kind::Array => {
                let mut items = Vec::new();
                for item in value.items() {
                    let inner = add(item, &mut nodes);
                    items.push(inner);
                    open.push((item, inner));
                }
                Content::List(items)
            }
            Kind::Object => {
                let mut members = Vec::new();
                for (key, member) in value.members() {
                    let inner = (add(key, &mut nodes), add(member, &mut nodes));
                    members.push(inner);
                    open.extend([(key, inner.0), (member, inner.1)]);
                }
                Content::Map(members)
            }
            _ => Content::Other,
        };
        nodes[number].content = content;
    }
    Tree { nodes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_syntaxes_have_the_same_trees() {
        let yaml = "name: a\nentries:\n- name: \"x\"\n  skips: [y, 'z']\n- &b {name: c}\n";
        let json = r#"{"name": "a", "entries": [{"name": "x", "skips": ["y", "z"]}, {"name": "c"}]}"#;
        for (text, syntax) in [(yaml, Syntax::Yaml), (json, Syntax::Json)] {
            let tree = Tree::of(text.as_bytes(), syntax).unwrap();
            assert_eq!(tree.text_of(0, "name"), "a");
            let entries = tree.items_of(0, "entries");
            assert_eq!(entries.len(), 2);
            assert_eq!(tree.text_of(entries[0], "name"), "x");
            let skips: Vec<&str> = tree
                .items_of(entries[0], "skips")
                .iter()
                .map(|it| &text[tree.node(*it).unwrap().span.clone()])
                .collect();
            assert_eq!(skips.iter().map(|it| it.trim_matches(['\'', '"'])).collect::<Vec<_>>(), ["y", "z"]);
            assert_eq!(tree.text_of(entries[1], "name"), "c");
        }
    }

    #[test]
    fn nothing_is_too_deep() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}1{}", open.repeat(9_000), close.repeat(9_000));
            let _ = Tree::of(text.as_bytes(), Syntax::Json);
            let _ = Tree::of(text.as_bytes(), Syntax::Yaml);
        }
        assert!(Tree::of(b"a: [", Syntax::Yaml).is_none());
        assert!(Tree::of(b"\xff", Syntax::Yaml).is_none());
    }
}
