//! A YAML text with another value: only the lines of changed parts are touched, so comments, order, quotes and
//! indentation stay.
//!
//! A node with an anchor is changed in its place, and an alias is left alone: the caller checks whether the text then
//! has the right value.

use std::collections::BTreeSet;
use std::ops::Range;

use super::align::{Step, align, members};
use olmdex_text::json::{Kind, Reader, Value, quoted};
use olmdex_text::yaml::{self, NodeKind, YamlNode};

/// The numbers of a key and of its value.
type Pair = (usize, usize);

/// The reason why a text cannot be changed in place.
pub(super) type Refusal = &'static str;

pub(super) const MARKED: Refusal = "it has an anchor, an alias, a tag or a merge key";
const SHARED_LINE: Refusal = "it shares its line with something else";
const LONG_FLOW: Refusal = "brackets span several lines";
const TWICE: Refusal = "a key occurs twice";
const COMMENT: Refusal = "a comment stands between a key and its value";

/// The text of a document with another value, and whether something with an anchor, or an alias, had to do with it.
/// `old` is the value of the text.
pub(super) fn with_value(text: &str, old: Value<'_>, new: Value<'_>) -> Result<(String, bool), Refusal> {
    let nodes = yaml::nodes(text).map_err(|_| "it is unreadable")?;
    let mut splicer = Splicer { text, dash: dash_of(text, &nodes), nodes, splices: Vec::new(), met_mark: false };
    splicer.change(0, old, new)?;
    splicer.splices.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, with) in &splicer.splices {
        if range.start < at {
            return Err(SHARED_LINE);
        }
        out.push_str(&text[at..range.start]);
        out.push_str(with);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Ok((out, splicer.met_mark))
}

/// The distance in this document from the column of a key to the column of its list's dashes.
fn dash_of(text: &str, nodes: &[YamlNode]) -> usize {
    for node in nodes {
        let NodeKind::Mapping(pairs, false) = &node.kind else { continue };
        for (key, value) in pairs {
            if matches!(&nodes[*value].kind, NodeKind::Sequence(items, false) if !items.is_empty()) {
                return column(text, nodes[*value].content).saturating_sub(column(text, nodes[*key].start));
            }
        }
    }
    0
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |it| it + 1)
}

/// Characters before a place on its line.
fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

struct Splicer<'t> {
    text: &'t str,
    nodes: Vec<YamlNode>,
    dash: usize,
    splices: Vec<(Range<usize>, String)>,
    /// Whether something with an anchor, or an alias, has another value.
    met_mark: bool,
}

impl Splicer<'_> {
    /// Collects the splices that make a node's value another one. The recursion is as deep as the new value.
    fn change(&mut self, number: usize, old: Value<'_>, new: Value<'_>) -> Result<(), Refusal> {
        if old.compact() == new.compact() {
            return Ok(());
        }
        let node = self.nodes[number].clone();
        if node.is_tagged {
            return Err(MARKED);
        }
        self.met_mark |= node.is_marked || node.kind == NodeKind::Alias;
        match (&node.kind, old.kind(), new.kind()) {
            // Its value changes at the anchor.
            (NodeKind::Alias, ..) => Ok(()),
            (NodeKind::Mapping(pairs, false), Kind::Object, Kind::Object) => self.mapping(pairs, old, new),
            (NodeKind::Sequence(items, false), Kind::Array, Kind::Array) => self.sequence(items, old, new),
            (NodeKind::Scalar { quote, .. }, _, kind) if !matches!(kind, Kind::Object | Kind::Array) => {
                // Nodes in brackets are never reached: those are written as a whole.
                // Quotes that the old text could not do without are no matter of style.
                let needs_quotes = old.as_str().is_some_and(|it| plain_or_quoted(&it, false) != *it);
                let with = scalar(new, if needs_quotes { ' ' } else { *quote }, false);
                self.splices.push((node.content..node.end, with));
                Ok(())
            }
            (NodeKind::Sequence(items, true), Kind::Array, Kind::Array) if self.appended(&node, items, old, new) => {
                Ok(())
            }
            (NodeKind::Mapping(_, true) | NodeKind::Sequence(_, true), ..) => {
                self.must_be_free_inside(number)?;
                if self.text[node.content..node.end].contains('\n') {
                    return Err(LONG_FLOW);
                }
                let with = flow(new);
                self.splices.push((node.content..node.end, with));
                Ok(())
            }
            _ => Err(SHARED_LINE),
        }
    }

    /// Puts items at the end of a list in brackets, if that is all that is new.
    fn appended(&mut self, node: &YamlNode, items: &[usize], old: Value<'_>, new: Value<'_>) -> bool {
        let (before, now): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
        let is_same = |(a, b): (&Value<'_>, &Value<'_>)| a.compact() == b.compact();
        if now.len() <= before.len() || items.len() != before.len() || !before.iter().zip(&now).all(is_same) {
            return false;
        }
        let added: Vec<String> = now[before.len()..].iter().map(|it| flow(*it)).collect();
        let (at, comma) = match items.last() {
            Some(last) => (self.nodes[*last].end, ", "),
            None => (node.content + 1, ""),
        };
        self.splices.push((at..at, format!("{comma}{}", added.join(", "))));
        true
    }

    /// Checks that neither a node nor anything in it is an alias, or has an anchor.
    fn must_be_free(&self, number: usize) -> Result<(), Refusal> {
        if self.nodes[number].is_marked { Err(MARKED) } else { self.must_be_free_inside(number) }
    }

    /// Checks the same for the inside of a node.
    fn must_be_free_inside(&self, number: usize) -> Result<(), Refusal> {
        if self.nodes[number].kind == NodeKind::Alias {
            return Err(MARKED);
        }
        let Range { start, end } = self.nodes[number].start..self.nodes[number].end;
        let is_inside = |it: &&YamlNode| it.start >= start && it.end <= end;
        match self.nodes[number + 1..].iter().take_while(is_inside).any(|it| it.is_marked || it.kind == NodeKind::Alias)
        {
            true => Err(MARKED),
            false => Ok(()),
        }
    }

    fn mapping(&mut self, pairs: &[(usize, usize)], old: Value<'_>, new: Value<'_>) -> Result<(), Refusal> {
        let ((before, is_ambiguous), (now, _)) = (members(old), members(new));
        // The node and the value disagree about keys of a merge key, and about keys that are no text.
        let key_of = |number: usize| match &self.nodes[number].kind {
            NodeKind::Scalar { text, .. } => Some(text.clone()),
            _ => None,
        };
        let is_merge = |pair: &&Pair| match &self.nodes[pair.0] {
            YamlNode { kind: NodeKind::Scalar { text, quote: ' ' }, is_tagged: false, .. } => text == "<<",
            _ => false,
        };
        let (merges, pairs): (Vec<&Pair>, Vec<&Pair>) = pairs.iter().partition(is_merge);
        let keys: Vec<Option<String>> = pairs.iter().map(|it| key_of(it.0)).collect();
        // A key may be its own and come in through a merge key as well.
        let own: BTreeSet<&Option<String>> = keys.iter().collect();
        if own.len() != keys.len() || (merges.is_empty() && (is_ambiguous || keys.len() != before.len())) {
            return Err(TWICE);
        }
        if keys.iter().any(|key| !before.iter().any(|it| Some(&it.0) == key.as_ref())) {
            return Err(MARKED);
        }
        let is_own = |name: &String| own.contains(&Some(name.clone()));
        let is_kept =
            |(name, old): &(String, Value<'_>)| now.iter().any(|it| it.0 == *name && it.1.compact() == old.compact());
        // Keys that a merge key brings in have no place here.
        if !merges.is_empty() && before.iter().any(|it| !is_own(&it.0) && !is_kept(it)) {
            return Err(MARKED);
        }
        let mut last_kept = merges.last().map(|it| (it.0, it.1));
        for ((key_number, value_number), key) in pairs.iter().zip(&keys) {
            let Some((key, old)) = before.iter().find(|it| Some(&it.0) == key.as_ref()) else { return Err(MARKED) };
            match now.iter().find(|it| it.0 == *key) {
                Some((_, new)) => {
                    self.member(*key_number, *value_number, *old, *new)?;
                    last_kept = Some((*key_number, *value_number));
                }
                None => {
                    self.must_be_free(*value_number)?;
                    self.delete(self.nodes[*key_number].start, self.nodes[*value_number].end)?;
                }
            }
        }
        let added = now.iter().filter(|it| !before.iter().any(|old| old.0 == it.0));
        let mut text = String::new();
        for (key, value) in added {
            let Some((key_number, _)) = last_kept else { return Err(SHARED_LINE) };
            let indent = column(self.text, self.nodes[key_number].start);
            text.push_str(&" ".repeat(indent));
            self.write_member(key, *value, indent, &mut text);
            text.push('\n');
        }
        if let Some((key, value)) = last_kept.filter(|_| !text.is_empty()) {
            self.insert_after(self.nodes[value].end.max(self.nodes[key].end), &text);
        }
        Ok(())
    }

    /// Gives a member another value: inside it, or as a whole.
    fn member(&mut self, key: usize, value: usize, old: Value<'_>, new: Value<'_>) -> Result<(), Refusal> {
        let (n_splices, first) = (self.splices.len(), self.change(value, old, new));
        match first {
            Err(SHARED_LINE) => self.splices.truncate(n_splices),
            other => return other,
        }
        self.must_be_free(value)?;
        let (start, end) = (self.nodes[key].end, self.nodes[value].end.max(self.nodes[key].end));
        if self.text[start..self.nodes[value].start.max(start)].contains('#') {
            return Err(COMMENT);
        }
        let mut text = ":".to_owned();
        self.write_value(new, column(self.text, self.nodes[key].start), &mut text);
        // A colon there is removed too.
        let end = if end == start { start + self.text[start..].find(':').map_or(0, |it| it + 1) } else { end };
        self.splices.push((start..end, text));
        Ok(())
    }

    fn sequence(&mut self, items: &[usize], old: Value<'_>, new: Value<'_>) -> Result<(), Refusal> {
        let (before, now): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
        let steps = align(&before, &now);
        let first_kept = steps.iter().find_map(|it| match it {
            Step::Keep(at, _) => Some(*at),
            _ => None,
        });
        let Some(first_kept) = first_kept.filter(|_| items.len() == before.len()) else { return Err(SHARED_LINE) };
        let dash = self.dash_before(items[first_kept])?;
        let indent = column(self.text, dash);
        let mut last = None;
        let mut text = String::new();
        for step in steps {
            if let Step::Add(at) = step {
                text.push_str(&" ".repeat(indent));
                text.push_str("- ");
                self.write_item(now[at], indent + 2, &mut text);
                text.push('\n');
                continue;
            }
            if let Step::Keep(at, _) = step {
                self.insert_items(last, dash, &std::mem::take(&mut text));
                last = Some(self.nodes[items[at]].end);
            }
            match step {
                Step::Keep(at, now_at) => self.item(items[at], before[at], now[now_at])?,
                Step::Drop(at) => {
                    self.must_be_free(items[at])?;
                    let start = self.dash_before(items[at])?;
                    self.delete(start, self.nodes[items[at]].end.max(start + 1))?;
                }
                Step::Add(_) => {}
            }
        }
        self.insert_items(last, dash, &text);
        Ok(())
    }

    /// Inserts lines after an item's end, or before the first item.
    fn insert_items(&mut self, after: Option<usize>, first_dash: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        match after {
            Some(end) => self.insert_after(end, text),
            None => {
                let at = line_start(self.text, first_dash);
                let text = self.with_line_ends(text);
                self.splices.push((at..at, text));
            }
        }
    }

    fn item(&mut self, number: usize, old: Value<'_>, new: Value<'_>) -> Result<(), Refusal> {
        let n_splices = self.splices.len();
        match self.change(number, old, new) {
            Err(SHARED_LINE) => self.splices.truncate(n_splices),
            other => return other,
        }
        self.must_be_free(number)?;
        let node = self.nodes[number].clone();
        let mut text = String::new();
        self.write_item(new, column(self.text, node.start), &mut text);
        self.splices.push((node.start..node.end, self.with_line_ends(&text)));
        Ok(())
    }

    /// The offset of an item's dash, if the dash has the line to itself.
    fn dash_before(&self, number: usize) -> Result<usize, Refusal> {
        let start = line_start(self.text, self.nodes[number].start);
        let before = &self.text[start..self.nodes[number].start];
        let at = before.find('-').ok_or(SHARED_LINE)?;
        let is_alone = before[..at].bytes().all(|it| it == b' ') && before[at + 1..].bytes().all(|it| it == b' ');
        if is_alone { Ok(start + at) } else { Err(SHARED_LINE) }
    }

    /// Deletes the lines from one place to another, with the comments right before them at the same indentation.
    fn delete(&mut self, start: usize, end: usize) -> Result<(), Refusal> {
        let mut from = line_start(self.text, start);
        let indent = &self.text[from..start];
        if !indent.bytes().all(|it| it == b' ') {
            return Err(SHARED_LINE);
        }
        while let Some(above) = from.checked_sub(1).map(|it| line_start(self.text, it)) {
            let line = &self.text[above..from];
            if !line.strip_prefix(indent).is_some_and(|it| it.starts_with('#')) {
                break;
            }
            from = above;
        }
        let rest = &self.text[end..];
        let line_end = rest.find('\n').map_or(rest.len(), |it| it + 1);
        let after = rest[..line_end].trim_start_matches([' ', '\t']).trim_end();
        if !after.is_empty() && !after.starts_with('#') {
            return Err(SHARED_LINE);
        }
        if !rest[..line_end].ends_with('\n') {
            // The last line, which does not end: the one before it becomes that.
            from = from.saturating_sub(1);
        }
        self.splices.push((from..end + line_end, String::new()));
        Ok(())
    }

    /// Inserts lines after the one on which something ends.
    fn insert_after(&mut self, end: usize, lines: &str) {
        let mut lines = self.with_line_ends(lines);
        let at = match self.text[end..].find('\n') {
            Some(found) => end + found + 1,
            None => {
                lines = format!("\n{}", lines.trim_end_matches(['\r', '\n']));
                self.text.len()
            }
        };
        self.splices.push((at..at, lines));
    }

    /// Lines that end as those of the document do.
    fn with_line_ends(&self, lines: &str) -> String {
        if self.text.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines.to_owned() }
    }

    fn write_member(&self, key: &str, value: Value<'_>, indent: usize, out: &mut String) {
        out.push_str(&plain_or_quoted(key, false));
        out.push(':');
        self.write_value(value, indent, out);
    }

    /// Writes the part after the colon of a key at `indent`.
    fn write_value(&self, value: Value<'_>, indent: usize, out: &mut String) {
        match value.kind() {
            Kind::Object if value.members().next().is_some() => {
                out.push('\n');
                out.push_str(&" ".repeat(indent + 2));
                self.write_item(value, indent + 2, out);
            }
            Kind::Array if value.items().next().is_some() => {
                for item in value.items() {
                    out.push('\n');
                    out.push_str(&" ".repeat(indent + self.dash));
                    out.push_str("- ");
                    self.write_item(item, indent + self.dash + 2, out);
                }
            }
            _ => {
                out.push(' ');
                out.push_str(&scalar(value, ' ', false));
            }
        }
    }

    /// Writes a value whose first line is begun, at `indent`.
    fn write_item(&self, value: Value<'_>, indent: usize, out: &mut String) {
        let line = |at: usize, out: &mut String| {
            if at > 0 {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
            }
        };
        match value.kind() {
            Kind::Object if value.members().next().is_some() => {
                for (at, (key, value)) in value.members().enumerate() {
                    line(at, out);
                    self.write_member(&key.as_str().unwrap_or_default(), value, indent, out);
                }
            }
            Kind::Array if value.items().next().is_some() => {
                for (at, value) in value.items().enumerate() {
                    line(at, out);
                    out.push_str("- ");
                    self.write_item(value, indent + 2, out);
                }
            }
            _ => out.push_str(&scalar(value, ' ', false)),
        }
    }
}

/// A value that is not a collection with something in it, on one line.
fn scalar(value: Value<'_>, quote: char, is_in_flow: bool) -> String {
    let Some(text) = value.as_str() else { return value.compact() };
    match quote {
        '\'' if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', "''")),
        '"' => quoted(&text),
        _ => plain_or_quoted(&text, is_in_flow),
    }
}

/// A text in the form for the place after a key: without quotes if it stays a text that way.
fn plain_or_quoted(text: &str, is_in_flow: bool) -> String {
    let json = quoted(text);
    let mut reader = Reader::new();
    let mut written = Vec::new();
    let is_written = reader.read(&json).is_ok_and(|it| yaml::write(it, &mut written).is_ok());
    let line = String::from_utf8_lossy(&written).trim_end_matches('\n').to_owned();
    let is_bare = line == text;
    let is_free = !is_in_flow || !text.contains(['[', ']', '{', '}', ',', ':', '#']);
    let is_one_line = is_written && !line.is_empty() && !line.contains('\n') && !line.starts_with(['|', '>']);
    if is_one_line && (!is_bare || is_free) { line } else { json }
}

/// A value in brackets on one line.
fn flow(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Object => {
            let member = |(key, value): (Value<'_>, Value<'_>)| {
                format!("{}: {}", plain_or_quoted(&key.as_str().unwrap_or_default(), true), flow(value))
            };
            format!("{{{}}}", value.members().map(member).collect::<Vec<_>>().join(", "))
        }
        Kind::Array => format!("[{}]", value.items().map(flow).collect::<Vec<_>>().join(", ")),
        _ => scalar(value, ' ', true),
    }
}
