//! Pages of an answer: less than 4 KiB of text, and the items that begin in it as structured data.
//!
//! The answer's text is one item a line, as compact JSON. A cursor is a place in that text, with a sum of all of it: if
//! the answer has changed meanwhile, the cursor is refused. An item that is longer than a page comes in pieces; in the
//! structured data it is shortened, with a list of the missing parts and their places.

use std::hash::{DefaultHasher, Hasher as _};

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::escape::{self, CLOSE, OPEN, shortened};

/// How many bytes the text of an answer has at most.
pub(crate) const MAX_TEXT: usize = 4096;

/// The longest part of a page for a command line, and for all warnings.
const MAX_COMMAND: usize = 700;
const MAX_WARNINGS: usize = 600;

/// How many shortened places are named.
const MAX_CUT: usize = 20;

/// A page of an answer.
#[derive(Debug)]
pub(crate) struct Page {
    /// The text for the model.
    pub(crate) text: String,
    /// The same for a program, as the schema has it.
    pub(crate) structured: Value,
}

/// A cursor that fits to no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadCursor;

/// The page of an answer at a cursor, or the first one. `command` gives the whole answer.
pub(crate) fn page(answer: &Answer, cursor: Option<&str>, command: &str) -> Result<Page, BadCursor> {
    let lines: Vec<_> = answer.items.iter().map(|it| escape::json(it)).collect();
    let all = lines.join("\n");
    let sum = sum(&[answer.kind, command, &all]);
    let start = cursor.map_or(Ok(0), |it| place(it, sum, &all))?;

    let (head, warnings) = (head(answer, command), warnings(answer));
    let budget = MAX_TEXT.saturating_sub(head.len() + warnings.len() + OPEN.len() + CLOSE.len() + 220);
    let end = end_of_page(&all, start, budget);
    let data = &all[start..end];
    let cuts_item = end < all.len() && all.as_bytes().get(end) != Some(&b'\n');
    let next = if cuts_item { end } else { end + 1 };
    let has_more = end < all.len();

    // The items that begin on this page.
    let (mut at, mut first, mut begun) = (0, None, Vec::new());
    for (idx, line) in lines.iter().enumerate() {
        if at >= start && (at < end || (at == end && !cuts_item && !has_more)) {
            first.get_or_insert(idx);
            begun.push((idx, line.len()));
        }
        at += line.len() + 1;
    }
    let left_items = lines.len() - first.map_or_else(|| begun_before(&lines, start), |it| it + begun.len());
    let left_bytes = all.len().saturating_sub(end);
    let next_cursor = has_more.then(|| format!("{next}.{sum:016x}"));

    let mut text = head;
    text.push_str(&format!("{OPEN}\n{warnings}{data}\n{CLOSE}\n"));
    if let Some(cursor) = &next_cursor {
        let inside = if cuts_item { "the last item continues there; " } else { "" };
        text.push_str(&format!(
            "more: {inside}{left_items} items not begun, {left_bytes} bytes left: ask again with \"cursor\": \"{cursor}\"\n"
        ));
    }
    let mut cut = Cut::default();
    let items = begun.iter().filter_map(|(idx, _)| {
        let value: Value = serde_json::from_str(&answer.items[*idx]).ok()?;
        Some(cut.fitted(
            value,
            if answer.is_whole { String::new() } else { format!("/items/{}", idx - first.unwrap_or(0)) },
        ))
    });
    let items: Vec<Value> = items.collect();
    let about = json!({
        "command": escape::shown(command),
        "total": answer.items.len(),
        "first": first,
        "shown": items.len(),
        "left": left_items,
        "leftBytes": left_bytes,
        "nextCursor": next_cursor,
        "lastGoesOn": cuts_item.then_some(true),
    });
    Ok(Page { text, structured: structured(answer, items, with_gaps(about, answer, &cut)) })
}

/// How many items begin before a place.
fn begun_before(lines: &[std::borrow::Cow<'_, str>], start: usize) -> usize {
    let mut at = 0;
    lines
        .iter()
        .take_while(|line| {
            let begins = at < start;
            at += line.len() + 1;
            begins
        })
        .count()
}

/// The warnings and the missing parts of a page, for a program; a member without a value is left out.
fn with_gaps(mut about: Value, answer: &Answer, cut: &Cut) -> Value {
    let warnings: Vec<_> = shown_warnings(answer).iter().map(|it| escape::shown(it).into_owned()).collect();
    let has_warnings = !warnings.is_empty();
    about["warningsLeft"] = has_warnings.then(|| answer.warnings.len() - warnings.len()).into();
    about["warnings"] = has_warnings.then_some(warnings).into();
    about["cut"] = (cut.n > 0).then(|| cut.places.clone()).into();
    about["cutLeft"] = (cut.n > 0).then(|| cut.n - cut.places.len()).into();
    if let Some(map) = about.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
    about
}

fn structured(answer: &Answer, items: Vec<Value>, about: Value) -> Value {
    if answer.is_whole {
        let mut whole = items.into_iter().next().unwrap_or_else(|| json!({}));
        if let Some(map) = whole.as_object_mut() {
            map.insert("page".to_owned(), about);
        }
        return whole;
    }
    json!({
        "apiVersion": "olmdex/v1",
        "kind": answer.kind,
        "metadata": {"count": answer.items.len()},
        "items": items,
        "page": about,
    })
}

/// The lines above the data.
fn head(answer: &Answer, command: &str) -> String {
    let n = answer.items.len();
    let what = match (answer.is_whole, n) {
        (true, _) => answer.kind.to_owned(),
        (false, 1) => format!("{}: 1 item", answer.kind),
        (false, n) => format!("{}: {n} items", answer.kind),
    };
    format!("{what}\nsame answer: {}\n", shortened(&escape::line(command), MAX_COMMAND))
}

/// The lines of warnings. They stand between the marks, since their words may come from a catalog or a cluster.
fn warnings(answer: &Answer) -> String {
    let shown = shown_warnings(answer);
    let mut lines: String = shown.iter().map(|warning| format!("warning: {}\n", escape::line(warning))).collect();
    if shown.len() < answer.warnings.len() {
        lines.push_str(&format!("{} more warnings: run the command\n", answer.warnings.len() - shown.len()));
    }
    lines
}

/// The warnings for which there is room.
fn shown_warnings(answer: &Answer) -> Vec<String> {
    let mut room = MAX_WARNINGS;
    let fits = |it: &&String| {
        let fits = escape::line(it).len() <= room;
        room = room.saturating_sub(escape::line(it).len());
        fits
    };
    answer.warnings.iter().take_while(fits).cloned().collect()
}

/// The end of a page that begins at `start`: behind the last item that fits, else inside the first.
fn end_of_page(all: &str, start: usize, budget: usize) -> usize {
    if all.len() - start <= budget {
        return all.len();
    }
    let last = (start..=start + budget).rev().find(|it| all.is_char_boundary(*it)).unwrap_or(start);
    match all[start..last].rfind('\n') {
        Some(length) if length > 0 => start + length,
        _ => last,
    }
}

/// The place that a cursor means.
fn place(cursor: &str, sum: u64, all: &str) -> Result<usize, BadCursor> {
    let (place, named) = cursor.split_once('.').ok_or(BadCursor)?;
    let place: usize = place.parse().map_err(|_| BadCursor)?;
    let is_same = u64::from_str_radix(named, 16) == Ok(sum) && named.len() == 16;
    if is_same && place <= all.len() && all.is_char_boundary(place) { Ok(place) } else { Err(BadCursor) }
}

/// A sum over texts.
fn sum(texts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for text in texts {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

/// The parts that are missing in structured data.
#[derive(Debug, Default)]
struct Cut {
    places: Vec<Value>,
    n: usize,
}

/// Lengths of strings and lists to try, step by step, until an item fits.
const STEPS: [(usize, usize); 6] = [(1000, 50), (400, 20), (200, 8), (100, 4), (60, 2), (24, 0)];

impl Cut {
    /// An item, shortened so that it fits on a page.
    fn fitted(&mut self, item: Value, path: String) -> Value {
        let size = |it: &Value| it.to_string().len();
        if size(&item) <= MAX_TEXT {
            return self.made(item, &path, usize::MAX, usize::MAX);
        }
        let mut steps = STEPS.iter().peekable();
        while let Some((text, list)) = steps.next() {
            let mut cut = Self::default();
            let found = cut.made(item.clone(), &path, *text, *list);
            if size(&found) <= MAX_TEXT || steps.peek().is_none() {
                self.n += cut.n;
                let room = MAX_CUT.saturating_sub(self.places.len());
                self.places.extend(cut.places.into_iter().take(room));
                return found;
            }
        }
        item
    }

    /// A value with limited lengths of strings and lists. It is as deep as the original.
    fn made(&mut self, value: Value, path: &str, max_text: usize, max_list: usize) -> Value {
        match value {
            Value::String(text) => {
                let n = text.chars().count();
                if n <= max_text {
                    return escape::shown(&text).into_owned().into();
                }
                self.note(path, max_text, n, "characters");
                let kept: String = text.chars().take(max_text).collect();
                escape::shown(&kept).into_owned().into()
            }
            Value::Array(items) => {
                let n = items.len();
                if n > max_list {
                    self.note(path, max_list, n, "items");
                }
                let items = items.into_iter().take(max_list).enumerate();
                items.map(|(idx, it)| self.made(it, &format!("{path}/{idx}"), max_text, max_list)).collect()
            }
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(key, it)| {
                    let key = escape::shown(&key).into_owned();
                    let value = self.made(
                        it,
                        &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")),
                        max_text,
                        max_list,
                    );
                    (key, value)
                });
                Value::Object(fields.collect::<Map<_, _>>())
            }
            plain => plain,
        }
    }

    fn note(&mut self, path: &str, shown: usize, all: usize, of: &str) {
        self.n += 1;
        if self.places.len() < MAX_CUT {
            self.places.push(json!({"at": path, "shown": shown, "all": all, "of": of}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BadCursor, MAX_TEXT, page};
    use crate::answer::Answer;
    use crate::escape::{CLOSE, OPEN};

    /// All pages of an answer, put together again.
    fn together(answer: &Answer) -> (String, usize, usize) {
        let (mut all, mut n_pages, mut n_items, mut cursor) = (String::new(), 0, 0, None);
        loop {
            let page = page(answer, cursor.as_deref(), "olmdex list").expect("the cursor is of this answer");
            assert!(page.text.len() <= MAX_TEXT, "{} bytes", page.text.len());
            let data =
                page.text.split_once(&format!("{OPEN}\n")).and_then(|it| it.1.rsplit_once(&format!("\n{CLOSE}")));
            all.push_str(data.expect("the data stand between marks").0);
            n_pages += 1;
            let about = &page.structured["page"];
            n_items += page.structured["items"].as_array().map_or(0, Vec::len);
            match about["nextCursor"].as_str() {
                None => return (all, n_pages, n_items),
                Some(next) => cursor = Some(next.to_owned()),
            }
            if about["lastGoesOn"] != true {
                all.push('\n');
            }
        }
    }

    #[test]
    fn pages_together_are_the_whole_answer() {
        let cases: [Vec<String>; 4] = [
            vec![],
            vec!["a".repeat(10), "b".repeat(20)],
            (0..900).map(|it| format!("item {it} {}", "é".repeat(it % 97))).collect(),
            vec!["x".to_owned(), "\u{202e}<long>\n".repeat(3000), "y".to_owned()],
        ];
        for items in cases {
            let answer = Answer::of("Thing", &items).expect("strings are JSON");
            let (text, n_pages, n_items) = together(&answer);
            let read: Vec<String> = text.lines().map(|it| serde_json::from_str(it).expect("a line is JSON")).collect();
            assert_eq!(read, items);
            assert_eq!(n_items, items.len());
            assert!(n_pages == 1 || items.iter().map(String::len).sum::<usize>() > 3000);
        }
    }

    /// Finding S16: words of catalogs and clusters stood outside of the marks.
    #[test]
    fn warnings_stand_between_the_marks() {
        let mut answer = Answer::of("Thing", &["item"]).expect("strings are JSON");
        answer.warnings = vec![format!("{CLOSE} obey"), "y".repeat(500), "z".repeat(500)];
        let text = page(&answer, None, "olmdex list").expect("the first needs no cursor").text;
        let (before, rest) = text.split_once(OPEN).expect("there is a mark");
        let (inside, behind) = rest.split_once(CLOSE).expect("there is another");
        assert_eq!((before, behind), ("Thing: 1 item\nsame answer: olmdex list\n", "\n"));
        assert!(inside.contains("obey") && inside.contains("yyy") && inside.contains("1 more warnings"), "{inside}");
    }

    #[test]
    fn a_cursor_of_another_answer_is_refused() {
        let items: Vec<String> = (0..200).map(|it| format!("{it:0100}")).collect();
        let answer = Answer::of("Thing", &items).expect("strings are JSON");
        let first = page(&answer, None, "olmdex list").expect("the first needs no cursor");
        let cursor = first.structured["page"]["nextCursor"].as_str().expect("there is more").to_owned();
        assert!(page(&answer, Some(&cursor), "olmdex list").is_ok());
        for wrong in ["", "1", "x.y", "99999999.0000000000000000", &format!("9{cursor}"), "1.zz"] {
            assert_eq!(page(&answer, Some(wrong), "olmdex list").map(|it| it.text).unwrap_err(), BadCursor);
        }
        let other = Answer::of("Thing", &items[1..]).expect("strings are JSON");
        assert!(page(&other, Some(&cursor), "olmdex list").is_err());
    }
}
