//! A JSON text with another value: brackets, commas and white space are kept, and those of new parts are copied from
//! their neighbours.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::align::{Step, align, members};
use olmdex_text::json::{Kind, Value, quoted};
use olmdex_text::tally;

/// The text of a document with another value. `old` is the value of `text`.
pub(super) fn with_value(text: &str, old: Value<'_>, new: Value<'_>) -> String {
    let line_starts: Vec<usize> = text.match_indices('\n').map(|it| it.0 + 1).collect();
    let writer = Writer { text, is_one_line: !text.trim().contains('\n'), line_starts, unit: OnceCell::new() };
    let mut out = text[..old.offset()].to_owned();
    writer.changed(old, new, &mut out);
    out.push_str(&text[old.end()..]);
    out
}

struct Writer<'t> {
    text: &'t str,
    is_one_line: bool,
    /// The starts of lines, except the first.
    line_starts: Vec<usize>,
    /// The indent of a level.
    unit: OnceCell<String>,
}

/// An element of an object or a list in the old text: its start and its end (a member starts with its key), and its
/// value.
struct Element<'d> {
    start: usize,
    end: usize,
    value: Value<'d>,
}

impl Writer<'_> {
    /// Writes the new value, with the old one's text where they are the same. The recursion is as deep as the new
    /// value.
    fn changed(&self, old: Value<'_>, new: Value<'_>, out: &mut String) {
        if old.compact() == new.compact() {
            out.push_str(&self.text[old.offset()..old.end()]);
            return;
        }
        match (old.kind(), new.kind()) {
            (Kind::Object, Kind::Object) => {
                let (now, _) = members(new);
                let (before, is_ambiguous) = members(old);
                if before.is_empty() || now.is_empty() || is_ambiguous {
                    self.fresh(new, old.offset(), out);
                    return;
                }
                let elements: Vec<Element<'_>> = old
                    .members()
                    .map(|(key, value)| Element { start: key.offset(), end: value.end(), value })
                    .collect();
                let places = |all: &[(String, Value<'_>)]| -> HashMap<String, usize> {
                    all.iter().enumerate().rev().map(|(at, it)| (it.0.clone(), at)).collect()
                };
                let (place_before, place_now) = (places(&before), places(&now));
                // Members stay in their order; new ones come last.
                let mut steps: Vec<Step> =
                    (0..before.len()).filter_map(|at| Some(Step::Keep(at, *place_now.get(&before[at].0)?))).collect();
                steps.extend((0..now.len()).filter(|at| !place_before.contains_key(&now[*at].0)).map(Step::Add));
                self.container(old, &elements, &steps, out, |writer, step, out| match step {
                    Step::Keep(at, now_at) => {
                        let element = &elements[at];
                        out.push_str(&writer.text[element.start..element.value.offset()]);
                        writer.changed(element.value, now[now_at].1, out);
                    }
                    Step::Add(at) => {
                        let (key, value) = &now[at];
                        out.push_str(&quoted(key));
                        // The colon is written as elsewhere.
                        let first = &elements[0];
                        let text = &writer.text[first.start..first.value.offset()];
                        out.push_str(text.rsplit_once('"').map_or(": ", |it| it.1));
                        writer.fresh(*value, first.start, out);
                    }
                    Step::Drop(_) => {}
                });
            }
            (Kind::Array, Kind::Array) => {
                let (before, now): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
                if before.is_empty() || now.is_empty() {
                    self.fresh(new, old.offset(), out);
                    return;
                }
                let elements: Vec<Element<'_>> =
                    before.iter().map(|it| Element { start: it.offset(), end: it.end(), value: *it }).collect();
                let steps = align(&before, &now);
                self.container(old, &elements, &steps, out, |writer, step, out| match step {
                    Step::Keep(at, now_at) => writer.changed(elements[at].value, now[now_at], out),
                    Step::Add(at) => writer.fresh(now[at], elements[0].start, out),
                    Step::Drop(_) => {}
                });
            }
            _ => self.fresh(new, old.offset(), out),
        }
    }

    /// Writes brackets and the separators between elements; `write` writes the elements.
    fn container(
        &self,
        old: Value<'_>,
        elements: &[Element<'_>],
        steps: &[Step],
        out: &mut String,
        write: impl Fn(&Self, Step, &mut String),
    ) {
        let (first, last) = (&elements[0], &elements[elements.len() - 1]);
        let lead = &self.text[old.offset()..first.start];
        out.push_str(lead);
        let usual = match elements {
            [first, second, ..] => self.text[first.end..second.start].to_owned(),
            _ => format!(",{}", &lead[1..]),
        };
        let mut previous: Option<usize> = None;
        let mut is_first = true;
        for step in steps.iter().filter(|it| !matches!(it, Step::Drop(_))) {
            let at = match step {
                Step::Keep(at, _) => Some(*at),
                _ => None,
            };
            if !std::mem::take(&mut is_first) {
                match (previous, at) {
                    (Some(previous), Some(at)) if previous + 1 == at => {
                        out.push_str(&self.text[elements[previous].end..elements[at].start]);
                    }
                    _ => out.push_str(&usual),
                }
            }
            write(self, *step, out);
            previous = at;
        }
        out.push_str(&self.text[last.end..old.end()]);
    }

    /// Writes a value that has no text yet, in the form for the line of `place`.
    fn fresh(&self, value: Value<'_>, place: usize, out: &mut String) {
        tally::step(1);
        let before = self.line_starts.partition_point(|it| *it <= place);
        let line = before.checked_sub(1).map_or(0, |it| self.line_starts[it]);
        let indent: &str = &self.text[line..];
        let indent = &indent[..indent.len() - indent.trim_start_matches([' ', '\t']).len()];
        let unit = self.unit.get_or_init(|| self.first_indent());
        write_fresh(value, indent, unit, self.is_one_line, out);
    }

    /// The indent of a level: that of the first line with an indent.
    fn first_indent(&self) -> String {
        tally::step(self.line_starts.len() + 1);
        let blank = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let line = self.text.lines().find(|it| blank(it) > 0 && !it.trim().is_empty());
        line.map_or_else(|| "    ".to_owned(), |it| it[..blank(it)].to_owned())
    }
}

fn write_fresh(value: Value<'_>, indent: &str, unit: &str, is_one_line: bool, out: &mut String) {
    let inner = format!("{indent}{unit}");
    let line = |indent: &str, out: &mut String| {
        if !is_one_line {
            out.push('\n');
            out.push_str(indent);
        }
    };
    match value.kind() {
        Kind::Object if value.members().next().is_some() => {
            out.push('{');
            for (at, (key, value)) in value.members().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(&inner, out);
                out.push_str(&quoted(&key.as_str().unwrap_or_default()));
                out.push_str(if is_one_line { ":" } else { ": " });
                write_fresh(value, &inner, unit, is_one_line, out);
            }
            line(indent, out);
            out.push('}');
        }
        Kind::Array if value.items().next().is_some() => {
            out.push('[');
            for (at, value) in value.items().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(&inner, out);
                write_fresh(value, &inner, unit, is_one_line, out);
            }
            line(indent, out);
            out.push(']');
        }
        _ => out.push_str(&value.compact()),
    }
}
