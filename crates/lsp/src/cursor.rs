//! The position of a place in a document while it is being written: the path to it, the fields beside it, and the word
//! there.
//!
//! Nothing is parsed, since an unfinished text cannot be: YAML is read by its indentation, JSON and brackets by their
//! marks, both up to the place only. Unusual text (a key over several lines, tabs) leads to an unusual path, and so to
//! no answer.

use std::collections::BTreeMap;
use std::ops::Range;

/// A place in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The keys that lead to it; `-` is an item of a list.
    pub(super) path: Vec<String>,
    /// Whether it is behind the colon of the last key.
    pub(super) is_value: bool,
    /// The word that it is in, without quotes.
    pub(super) word: Range<usize>,
    /// Whether a quote is open before the word.
    pub(super) is_quoted: bool,
    /// Whether the document is JSON or the place is in brackets.
    pub(super) is_flow: bool,
    /// Whether the document is JSON.
    pub(super) is_json: bool,
    /// The members of the mappings on the way, by the number of steps that lead to each.
    levels: BTreeMap<usize, BTreeMap<String, String>>,
}

impl Cursor {
    /// The place at a byte of a text.
    pub(super) fn at(text: &str, offset: usize) -> Self {
        let offset = text.floor_char_boundary(offset);
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            let mut cursor = Self { is_flow: true, is_json: true, ..Self::default() };
            cursor.flow(text, 0, offset);
            return cursor;
        }
        let (start, end) = chunk(text, offset);
        let mut cursor = Self::default();
        cursor.block(text, (start, end), offset);
        cursor
    }

    /// The value of a key in the mapping after `n_steps` steps; empty if there is none.
    pub(super) fn member(&self, n_steps: usize, key: &str) -> &str {
        self.levels.get(&n_steps).and_then(|it| it.get(key)).map_or("", String::as_str)
    }

    /// The mapping that the place is in, by the steps to it.
    pub(super) fn mapping(&self) -> usize {
        if self.is_value { self.path.len() - 1 } else { self.path.len() }
    }

    /// Whether the mapping that the place is in has a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.levels.get(&self.mapping()).is_some_and(|it| it.contains_key(key))
    }

    fn block(&mut self, text: &str, (start, end): (usize, usize), offset: usize) {
        let mut lines = lines(text, start, end);
        // The line of the place counts, whether or not it says something.
        let line_start = text[..offset].rfind('\n').map_or(0, |it| it + 1);
        let line_end = text[offset..].find(['\n', '\r']).map_or(text.len(), |it| offset + it);
        let at = lines.partition_point(|it| it.start < line_start);
        if lines.get(at).is_none_or(|it| it.start != line_start) {
            lines.insert(at, Line { start: line_start, end: line_end });
        }
        let Some(line) = lines.get(at) else { return };
        let own = Tokens::of(text, line);
        // A dash or a key is there when its mark is behind the place.
        let dashes: Vec<usize> = own.dashes.iter().copied().filter(|it| line.start + it < offset).collect();
        let key = own.key.filter(|it| it.value <= offset);
        let content = own.content.min(offset.saturating_sub(line.start));
        let column = if key.is_some() { own.content } else { content };
        // From the innermost level outwards, each with its column.
        let mut steps: Vec<String> = Vec::new();
        let mut levels: Vec<Level> = vec![Level { column, is_list: false, members: BTreeMap::new() }];
        for &dash in dashes.iter().rev() {
            steps.push("-".to_owned());
            levels.push(Level { column: dash, is_list: true, members: BTreeMap::new() });
        }
        for line in lines[..at].iter().rev() {
            let tokens = Tokens::of(text, line);
            if let Some(key) = &tokens.key {
                climb(&mut steps, &mut levels, tokens.content, Some((&key.name, &text[key.value..line.end])));
            }
            for &dash in tokens.dashes.iter().rev() {
                climb(&mut steps, &mut levels, dash, None);
            }
        }
        add_following(&mut levels, text, &lines[at + 1..]);
        steps.reverse();
        let n_steps = steps.len();
        let mut depth = n_steps;
        for level in levels {
            if !level.is_list {
                self.levels.entry(depth).or_insert(level.members);
            }
            depth = depth.saturating_sub(1);
        }
        self.path = steps;
        let Some(key) = key else {
            self.scalar(text, line.start + content, line.end, offset);
            return;
        };
        self.path.push(key.name.clone());
        self.is_value = true;
        let value = key.value + (text[key.value..line.end].len() - text[key.value..line.end].trim_start().len());
        if offset > value && text[value..].starts_with(['[', '{']) {
            self.is_flow = true;
            self.is_value = false;
            self.flow(text, value, offset);
            return;
        }
        self.scalar(text, value.min(offset), line.end, offset);
    }

    /// The word of a line that starts there.
    fn scalar(&mut self, text: &str, start: usize, end: usize, offset: usize) {
        let rest = &text[start..end];
        if start < offset && rest.starts_with(['[', '{']) {
            self.is_flow = true;
            self.flow(text, start, offset);
            return;
        }
        let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\'') && start < offset);
        let (word, len) = match quote {
            Some(quote) => (start + 1, rest[1..].find(quote).unwrap_or(rest.len() - 1)),
            None => {
                let comment = rest.find(" #").unwrap_or(rest.len());
                let colon = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len)).unwrap_or(rest.len());
                let len = comment.min(if self.is_value { rest.len() } else { colon });
                (start, rest[..len].trim_end().len())
            }
        };
        self.is_quoted = quote.is_some();
        self.word = word.min(offset)..(word + len).max(offset);
    }

    /// Brackets from a byte on, up to the place.
    fn flow(&mut self, text: &str, start: usize, offset: usize) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut at = start;
        let mut word = offset..offset;
        let bytes = text.as_bytes();
        while at < offset {
            match bytes[at] {
                b'{' => frames.push(Frame::default()),
                b'[' => frames.push(Frame { is_list: true, ..Frame::default() }),
                b'}' | b']' => drop(frames.pop()),
                b',' => {
                    if let Some(frame) = frames.last_mut() {
                        frame.key = None;
                    }
                }
                quote @ (b'"' | b'\'') => {
                    let end = quoted(bytes, at, quote, offset);
                    let Some(end) = end else {
                        self.is_quoted = true;
                        word = at + 1..offset;
                        break;
                    };
                    at = take(&mut frames, text, at + 1..end, end + 1);
                    continue;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b':' => {}
                _ => {
                    let len = text[at..].find([',', '[', ']', '{', '}', '\n', '"']).unwrap_or(text.len() - at);
                    let len = text[at..at + len].find(": ").unwrap_or(len);
                    let len = text[at..at + len].strip_suffix(':').map_or(len, str::len);
                    if at + len >= offset {
                        word = at..offset;
                        break;
                    }
                    let end = at + text[at..at + len].trim_end().len();
                    at = take(&mut frames, text, at..end, at + len);
                    continue;
                }
            }
            at += 1;
        }
        let stop: &[char] = if self.is_quoted { &['"', '\'', '\n'] } else { &[',', ']', '}', '\n', ' ', ':', '\r'] };
        let rest = text[word.end..].find(stop).unwrap_or(text.len() - word.end);
        self.word = word.start..word.end + rest;
        // If documents follow each other, only the last is open.
        let n = frames.len();
        for (number, frame) in frames.into_iter().enumerate() {
            let is_last = number + 1 == n;
            if frame.is_list {
                self.path.push("-".to_owned());
                continue;
            }
            self.levels.insert(self.path.len(), frame.members);
            if let Some(key) = frame.key {
                self.path.push(key);
                self.is_value = is_last;
            }
        }
    }
}

/// A collection that is open, in brackets.
#[derive(Debug, Default)]
struct Frame {
    is_list: bool,
    key: Option<String>,
    members: BTreeMap<String, String>,
}

/// Takes a word into the innermost collection; returns the byte behind it, and behind its colon.
fn take(frames: &mut [Frame], text: &str, word: Range<usize>, behind: usize) -> usize {
    let rest = &text[behind..];
    let colon = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let is_key = rest[colon..].starts_with(':');
    let word = text[word].to_owned();
    if let Some(frame) = frames.last_mut().filter(|it| !it.is_list) {
        match (&frame.key, is_key) {
            (_, true) => {
                frame.members.entry(word.clone()).or_default();
                frame.key = Some(word);
            }
            (Some(key), false) => drop(frame.members.insert(key.clone(), word)),
            (None, false) => {}
        }
    }
    if is_key { behind + colon + 1 } else { behind }
}

/// The byte of the quote that ends a text, if it comes before the place.
fn quoted(bytes: &[u8], start: usize, quote: u8, offset: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < offset {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\n' if quote == b'\'' => return None,
            it if it == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// A level of indentation.
#[derive(Debug)]
struct Level {
    column: usize,
    is_list: bool,
    members: BTreeMap<String, String>,
}

impl Level {
    fn add(&mut self, key: &str, value: &str) {
        let value = value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']);
        self.members.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }
}

/// Adds the keys of the lines behind the place to the levels that they are in.
fn add_following(levels: &mut [Level], text: &str, lines: &[Line]) {
    let mut open = 0;
    for line in lines {
        let tokens = Tokens::of(text, line);
        for column in tokens.dashes.iter().copied() {
            while levels.get(open).is_some_and(|it| column < it.column) {
                open += 1;
            }
        }
        if let Some(key) = &tokens.key {
            let is_left = |it: &Level| tokens.content < it.column || (it.is_list && tokens.content <= it.column);
            while levels.get(open).is_some_and(is_left) {
                open += 1;
            }
            // A dash before the key means another item.
            if let Some(level) = levels.get_mut(open)
                && level.column == tokens.content
                && !level.is_list
                && tokens.dashes.is_empty()
            {
                level.add(&key.name, &text[key.value..line.end]);
            }
        }
    }
}

/// Takes a key or a dash above the place: it is beside the outermost level, above it, or inside of another part.
fn climb(steps: &mut Vec<String>, levels: &mut Vec<Level>, column: usize, key: Option<(&str, &str)>) {
    let Some(level) = levels.last_mut() else { return };
    match key {
        Some((name, value)) if !level.is_list && column == level.column => level.add(name, value),
        Some((name, value)) if column < level.column || (level.is_list && column == level.column) => {
            steps.push(name.to_owned());
            let mut above = Level { column, is_list: false, members: BTreeMap::new() };
            above.add(name, value);
            levels.push(above);
        }
        None if !level.is_list && column < level.column => {
            steps.push("-".to_owned());
            levels.push(Level { column, is_list: true, members: BTreeMap::new() });
        }
        _ => {}
    }
}

/// A line with content.
#[derive(Debug)]
struct Line {
    start: usize,
    end: usize,
}

/// The key of a line.
#[derive(Debug)]
struct KeyToken {
    name: String,
    /// The byte behind the colon.
    value: usize,
}

/// The beginning of a line. Columns are bytes.
#[derive(Debug)]
struct Tokens {
    dashes: Vec<usize>,
    /// The column behind the dashes.
    content: usize,
    key: Option<KeyToken>,
}

impl Tokens {
    fn of(text: &str, line: &Line) -> Self {
        let content = &text[line.start..line.end];
        let mut at = content.len() - content.trim_start_matches(' ').len();
        let mut dashes = Vec::new();
        while content[at..].starts_with("- ") || &content[at..] == "-" {
            dashes.push(at);
            at += 1;
            at += content[at..].len() - content[at..].trim_start_matches(' ').len();
        }
        let rest = &content[at..];
        let (quote, name_end) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => (1, rest[1..].find(quote).map(|it| it + 1)),
            Some('#' | '[' | '{') | None => (0, None),
            Some(_) => (0, rest.find(": ").or_else(|| rest.trim_end().strip_suffix(':').map(str::len))),
        };
        let key = name_end.and_then(|end| {
            let behind = end + quote;
            let is_key = rest[behind..].starts_with(": ") || rest[behind..].trim_end() == ":";
            is_key.then(|| KeyToken { name: rest[quote..end].to_owned(), value: line.start + at + behind + 1 })
        });
        Self { dashes, content: at, key }
    }
}

/// The lines of a part of a text, except comments and separators of documents.
fn lines(text: &str, start: usize, end: usize) -> Vec<Line> {
    let mut found = Vec::new();
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let says = content.trim_start();
        if !says.starts_with('#') && !content.starts_with("---") {
            found.push(Line { start: at, end: at + content.len() });
        }
        at += line.len();
    }
    found
}

/// The part of a YAML text that is one document.
fn chunk(text: &str, offset: usize) -> (usize, usize) {
    let start = if text[..offset].starts_with("---") { 0 } else { usize::MAX };
    let start = text[..offset].rfind("\n---").map(|it| it + 1).or((start == 0).then_some(0)).unwrap_or(0);
    let end = text[offset..].find("\n---").map_or(text.len(), |it| offset + it + 1);
    (start, end.max(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cursor at the `|` of a text.
    fn at(text: &str) -> (Cursor, String) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let cursor = Cursor::at(&text, offset);
        let word = text[cursor.word.clone()].to_owned();
        (cursor, word)
    }

    #[test]
    fn paths_are_those_of_the_indentation() {
        let cases = [
            ("schema: olm.channel\n|", "", false, ""),
            ("schema: olm.cha|nnel\nname: x\n", "schema", true, "olm.channel"),
            ("entries:\n- name: a\n  repl|\n", "entries -", false, "repl"),
            ("entries:\n- name: a\n  replaces: |\n- name: b\n", "entries - replaces", true, ""),
            ("entries:\n  - name: a\n    skips:\n      - b\n      - |\n", "entries - skips -", false, ""),
            ("entries:\n- name: a\n  skips:\n  - b|\n", "entries - skips -", false, "b"),
            ("entries:\n- name: a\n  skips: [b, |]\n", "entries - skips -", false, ""),
            ("entries:\n- {name: a, replaces: b|}\n", "entries - replaces", true, "b"),
            ("entries:\n- {name: a, |}\n", "entries -", false, ""),
            ("entries:\n- name: \"a|\"\n", "entries - name", true, "a"),
            ("properties:\n- type: olm.gvk\n  value:\n    gr|\n", "properties - value", false, "gr"),
            ("properties:\n- |\n", "properties -", false, ""),
            ("a:\n  b:\n    c: 1\nd|: 2\n", "", false, "d"),
            ("a: 1\n---\nb:\n  c|\n---\nd: 1\n", "b", false, "c"),
            ("---\na:\n  b: x # c |\n", "a b", true, "x # c "),
            ("{\"entries\": [{\"name\": \"a\", \"repl|\"}]}", "entries -", false, "repl"),
            ("{\"entries\": [{\"name\": \"a|\"", "entries - name", true, "a"),
            ("{\"a\": 1}\n{\"b\": {\"c\": |}}", "b c", true, ""),
            ("|", "", false, ""),
        ];
        for (text, path, is_value, word) in cases {
            let (cursor, found) = at(text);
            assert_eq!((cursor.path.join(" ").as_str(), cursor.is_value), (path, is_value), "{text}");
            if !word.contains('#') {
                assert_eq!(found, word, "{text}");
            }
        }
    }

    #[test]
    fn what_stands_beside_is_known_from_both_sides() {
        let text = "entries:\n- name: a\n  replaces: |\n  skipRange: x\n- name: b\n  skips: []\nname: stable\npackage: till # c\nschema: 'olm.channel'\n";
        let (cursor, _) = at(text);
        assert_eq!(cursor.member(0, "schema"), "olm.channel");
        assert_eq!(cursor.member(0, "package"), "till");
        assert_eq!(cursor.member(2, "name"), "a");
        assert_eq!(cursor.member(2, "skipRange"), "x");
        assert!(cursor.has("skipRange") && !cursor.has("skips"));
        let (cursor, _) = at("properties:\n- value:\n    |\n  type: olm.gvk\n- type: other\n");
        assert_eq!(cursor.member(2, "type"), "olm.gvk");
        let (cursor, _) = at("{\"schema\": \"olm.channel\", \"name\": \"stable\", \"entries\": [{\"|");
        assert_eq!((cursor.member(0, "schema"), cursor.member(0, "name")), ("olm.channel", "stable"));
    }

    #[test]
    fn no_text_is_too_strange() {
        let parts =
            ["- ", "a:", " ", "\n", "\"", "'", "[", "{", "}", "]", ",", "---", "#", "é", "\t", "\r\n", "|", ":", "\\"];
        let mut state = 1_u32;
        for _ in 0..3_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push_str(parts[(state >> 16) as usize % parts.len()]);
            }
            for offset in 0..=text.len() + 1 {
                let cursor = Cursor::at(&text, offset);
                assert!(text.get(cursor.word.clone()).is_some(), "{text:?} {offset} {cursor:?}");
            }
        }
    }
}
