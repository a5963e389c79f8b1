//! An owned document, to be made and to be changed.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::text::{fold_eq, write_string, write_string_html};
use super::value::{Kind, Value};
use super::write::{Layout, new_line, written};
use super::{ReadError, Reader};
use crate::tally;

/// The levels that are taken apart. No file that olmdex changes has more, and nothing recurses deeper.
const MAX_LEVELS: usize = 200;

/// The levels that [`Tree::open`] takes apart.
const OPENED_LEVELS: usize = 4;

/// A document of its own. Members keep their order, keys may occur twice, and numbers keep their form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Tree {
    /// The JSON text of a value that nobody looks into: a number, `null`, `true`, `false`, or anything as it was given.
    Raw(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// An object.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Reads a text.
    ///
    /// # Errors
    /// [`ReadError`] if it is not one value.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        Reader::new().read(text).map(Self::from)
    }

    /// The normal form of a value: see [`Value::compact`].
    pub fn normal_of(value: Value<'_>) -> Self {
        let text = value.compact();
        Self::read(&text).unwrap_or(Self::Raw(text))
    }

    /// A list.
    pub fn list<T: Into<Self>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// An object without members, for [`Self::with`].
    pub fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// An object of texts.
    pub fn of_texts<K: AsRef<str>, V: AsRef<str>>(members: impl IntoIterator<Item = (K, V)>) -> Self {
        let member = |(key, text): (K, V)| (key.as_ref().to_owned(), text.as_ref().into());
        Self::Object(members.into_iter().map(member).collect())
    }

    /// A text that is written with `<`, `>` and `&` escaped, as Go's library does by default.
    pub fn html(text: &str) -> Self {
        Self::Raw(written(|out| write_string_html(text, out)))
    }

    /// Puts a member behind the others.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Self>) -> Self {
        if let Self::Object(members) = &mut self {
            members.push((key.to_owned(), value.into()));
        }
        self
    }

    /// Like [`Self::with`], if there is a value.
    #[must_use]
    pub fn with_some(self, key: &str, value: Option<impl Into<Self>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Like [`Self::with`], unless the text is empty.
    #[must_use]
    pub fn with_text(self, key: &str, text: &str) -> Self {
        self.with_some(key, (!text.is_empty()).then_some(text))
    }

    /// The tree, taken apart if it was the text of a document so far: down to the fields of items, since large values
    /// are below those.
    pub fn open(&mut self) -> &mut Self {
        if let Self::Raw(text) = self
            && let Some(opened) = Reader::new().read(text).ok().map(|value| Self::of(value, OPENED_LEVELS))
        {
            *self = opened;
        }
        self
    }

    fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; none of any other value.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The value of a text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The member with exactly this key; of duplicates the last.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().rfind(|member| member.0 == key).map(|member| &member.1)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Object(members) => members.iter_mut().rfind(|member| member.0 == key).map(|member| &mut member.1),
            _ => None,
        }
    }

    /// The place of the member that a Go struct field takes its value from, as [`Value::get_field`] finds it.
    fn place_of(&self, key: &str) -> Option<usize> {
        tally::step(1);
        let fitting = self.members().iter().enumerate().filter(|(_, member)| fold_eq(&member.0, key));
        fitting.max_by(|a, b| a.1.0.cmp(&b.1.0)).map(|(at, _)| at)
    }

    /// The member that a Go struct field named `key` takes its value from.
    pub fn get_field(&self, key: &str) -> Option<&Self> {
        self.get_field_with_key(key).map(|(_, value)| value)
    }

    /// The same, with its key.
    pub fn get_field_with_key(&self, key: &str) -> Option<(&str, &Self)> {
        self.members().get(self.place_of(key)?).map(|(key, value)| (key.as_str(), value))
    }

    /// [`Self::get_field`], to be changed.
    pub fn get_field_mut(&mut self, key: &str) -> Option<&mut Self> {
        let at = self.place_of(key)?;
        match self {
            Self::Object(members) => members.get_mut(at).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of the member with exactly this key; empty without one.
    pub fn text_of(&self, key: &str) -> &str {
        self.get(key).and_then(Self::as_str).unwrap_or_default()
    }

    /// Like [`Self::text_of`], for the member that [`Self::get_field`] finds.
    pub fn text_of_field(&self, key: &str) -> &str {
        self.get_field(key).and_then(Self::as_str).unwrap_or_default()
    }

    /// The items of the list that [`Self::get_field`] finds.
    pub fn items_of(&self, key: &str) -> &[Self] {
        self.get_field(key).map(Self::items).unwrap_or_default()
    }

    /// The texts among them.
    pub fn texts_of(&self, key: &str) -> impl Iterator<Item = &str> {
        self.items_of(key).iter().filter_map(Self::as_str)
    }

    /// Changes the list that [`Self::get_field`] finds; any other value becomes a list, which comes last if it is new.
    pub fn change_list<T>(&mut self, key: &str, change: impl FnOnce(&mut Vec<Self>) -> T) -> T {
        let mut items = match self.get_field_mut(key) {
            Some(Self::List(items)) => std::mem::take(items),
            _ => Vec::new(),
        };
        let found = change(&mut items);
        self.set(key, Self::List(items));
        found
    }

    /// Gives the member with exactly this key another value; a new one comes last. Any other value than an object
    /// becomes one.
    pub fn put(&mut self, key: &str, value: impl Into<Self>) {
        match (self.get_mut(key), value.into()) {
            (Some(old), value) => *old = value,
            (None, value) => match self {
                Self::Object(members) => members.push((key.to_owned(), value)),
                _ => *self = Self::object().with(key, value),
            },
        }
    }

    /// Gives all fields that Go takes for `key` this value; without one, a new field comes last.
    pub fn set(&mut self, key: &str, value: impl Into<Self>) {
        let Self::Object(members) = self else { return };
        let value = value.into();
        let mut fitting = members.iter_mut().filter(|member| fold_eq(&member.0, key)).peekable();
        if fitting.peek().is_none() {
            members.push((key.to_owned(), value));
        } else {
            fitting.for_each(|member| member.1.clone_from(&value));
        }
    }

    /// Takes the fields away that Go takes for `key`.
    pub fn remove(&mut self, key: &str) {
        if let Self::Object(members) = self {
            members.retain(|member| !fold_eq(&member.0, key));
        }
    }

    /// [`Self::set`], or [`Self::remove`] for an empty text.
    pub fn set_text(&mut self, key: &str, text: &str) {
        match text {
            "" => self.remove(key),
            _ => self.set(key, text),
        }
    }

    /// [`Self::set`], or [`Self::remove`] for an empty list.
    pub fn set_texts<S: AsRef<str>>(&mut self, key: &str, texts: &[S]) {
        match texts {
            [] => self.remove(key),
            _ => self.set(key, Self::list(texts.iter().map(AsRef::as_ref))),
        }
    }

    /// Puts an item at the end of a list. Any other value becomes a list of it.
    pub fn push(&mut self, item: impl Into<Self>) {
        match self {
            Self::List(items) => items.push(item.into()),
            _ => *self = Self::List(vec![item.into()]),
        }
    }

    /// Its text without white space, as it is.
    pub fn compact(&self) -> String {
        written(|out| {
            out.reserve(self.size());
            self.write(Layout::Compact, out);
        })
    }

    /// The text of its normal form, as [`Value::compact`] writes it: equal values have equal ones.
    pub fn normal(&self) -> String {
        let text = self.compact();
        let normal = Reader::new().read(&text).ok().map(|value| value.compact());
        normal.unwrap_or(text)
    }

    /// Its text with a member or an item a line, and so many blanks a level. Raw texts stay as they are.
    pub fn indented(&self, width: usize) -> String {
        written(|out| self.write(Layout::Indented { width, level: 0 }, out))
    }

    /// About the bytes of [`Self::compact`].
    fn size(&self) -> usize {
        match self {
            Self::Raw(text) | Self::Text(text) => text.len() + 3,
            Self::List(items) => items.iter().map(Self::size).sum::<usize>() + 3,
            Self::Object(members) => members.iter().map(|(key, value)| key.len() + 3 + value.size()).sum::<usize>() + 3,
        }
    }

    fn write(&self, layout: Layout, out: &mut Vec<u8>) {
        let inner = match layout {
            Layout::Compact => layout,
            Layout::Indented { width, level } => Layout::Indented { width, level: level + 1 },
        };
        match self {
            Self::Raw(text) => out.extend_from_slice(text.as_bytes()),
            Self::Text(text) => write_string(text, out),
            Self::List(items) if items.is_empty() => out.extend_from_slice(b"[]"),
            Self::Object(members) if members.is_empty() => out.extend_from_slice(b"{}"),
            Self::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    out.push(if at == 0 { b'[' } else { b',' });
                    new_line(inner, 0, out);
                    item.write(inner, out);
                }
                new_line(layout, 0, out);
                out.push(b']');
            }
            Self::Object(members) => {
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push(if at == 0 { b'{' } else { b',' });
                    new_line(inner, 0, out);
                    write_string(key, out);
                    out.extend_from_slice(if layout == Layout::Compact { b":" } else { b": " });
                    value.write(inner, out);
                }
                new_line(layout, 0, out);
                out.push(b'}');
            }
        }
    }

    fn of(value: Value<'_>, levels: usize) -> Self {
        match value.kind() {
            Kind::Array if levels > 0 => Self::List(value.items().map(|item| Self::of(item, levels - 1)).collect()),
            Kind::Object if levels > 0 => {
                let member = |(key, value): (Value<'_>, Value<'_>)| {
                    (key.as_str().unwrap_or_default().into_owned(), Self::of(value, levels - 1))
                };
                Self::Object(value.members().map(member).collect())
            }
            Kind::PlainString | Kind::EscapedString => Self::Text(value.as_str().unwrap_or_default().into_owned()),
            _ => Self::Raw(value.raw().to_owned()),
        }
    }
}

impl From<Value<'_>> for Tree {
    fn from(value: Value<'_>) -> Self {
        Self::of(value, MAX_LEVELS)
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Tree {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Tree {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<Vec<Tree>> for Tree {
    fn from(items: Vec<Tree>) -> Self {
        Self::List(items)
    }
}

impl From<i64> for Tree {
    fn from(number: i64) -> Self {
        Self::Raw(number.to_string())
    }
}

impl From<usize> for Tree {
    fn from(number: usize) -> Self {
        Self::Raw(number.to_string())
    }
}

impl From<u32> for Tree {
    fn from(number: u32) -> Self {
        Self::from(i64::from(number))
    }
}

impl From<bool> for Tree {
    fn from(is_true: bool) -> Self {
        Self::Raw(is_true.to_string())
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(text) => serde_json::from_str::<&RawValue>(text).map_err(S::Error::custom)?.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, value))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Tree {
        Tree::read(text).unwrap()
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let text = r#"{"name":"a","n":1.50,"replaces":"b","n":[1e2,{"x":null}],"\u00e9":true}"#;
        type Change = fn(&mut Tree);
        let cases: [(Change, &str); 9] = [
            (|_| (), r#"{"name":"a","n":1.50,"replaces":"b","n":[1e2,{"x":null}],"é":true}"#),
            (
                |it| it.set_text("Replaces", "c"),
                r#"{"name":"a","n":1.50,"replaces":"c","n":[1e2,{"x":null}],"é":true}"#,
            ),
            (|it| it.set_text("replaces", ""), r#"{"name":"a","n":1.50,"n":[1e2,{"x":null}],"é":true}"#),
            (|it| it.set("n", false), r#"{"name":"a","n":false,"replaces":"b","n":false,"é":true}"#),
            (|it| it.put("n", false), r#"{"name":"a","n":1.50,"replaces":"b","n":false,"é":true}"#),
            (
                |it| it.get_mut("n").unwrap().push("d"),
                r#"{"name":"a","n":1.50,"replaces":"b","n":[1e2,{"x":null},"d"],"é":true}"#,
            ),
            (
                |it| it.set_texts("name", &["d"]),
                r#"{"name":["d"],"n":1.50,"replaces":"b","n":[1e2,{"x":null}],"é":true}"#,
            ),
            (
                |it| it.change_list("new", |new| new.push(Tree::html("<"))),
                r#"{"name":"a","n":1.50,"replaces":"b","n":[1e2,{"x":null}],"é":true,"new":["\u003c"]}"#,
            ),
            (|it| *it = read(&it.normal()), r#"{"n":[100,{"x":null}],"name":"a","replaces":"b","é":true}"#),
        ];
        for (change, changed) in cases {
            let mut tree = read(text);
            change(&mut tree);
            assert_eq!(tree.compact(), changed);
        }
    }

    #[test]
    fn values_of_another_kind_become_what_is_put_into_them() {
        let mut tree = read("3");
        tree.set("a", "b");
        assert_eq!((tree.get("a"), tree.text_of("a"), tree.items_of("a").len()), (None, "", 0));
        tree.put("a", Tree::of_texts([("b", "c")]));
        tree.get_mut("a").unwrap().push(true);
        assert_eq!(tree.compact(), r#"{"a":[true]}"#);
    }

    #[test]
    fn the_field_is_the_one_that_go_takes() {
        let tree = read(r#"{"Name":"upper","name":"lower","NAME":"all","other":["a",1]}"#);
        assert_eq!((tree.text_of("Name"), tree.text_of_field("Name")), ("upper", "lower"));
        assert_eq!(tree.get_field_with_key("OTHER").map(|it| it.0), Some("other"));
        assert_eq!(tree.texts_of("other").collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_member_or_an_item_has_a_line() {
        let tree = read(r#"{"a":[1,{"b":{}}],"c":[]}"#).with("d", Tree::Raw("[1,2]".to_owned()));
        let lines = [
            "{",
            "  \"a\": [",
            "    1,",
            "    {",
            "      \"b\": {}",
            "    }",
            "  ],",
            "  \"c\": [],",
            "  \"d\": [1,2]",
            "}",
        ];
        assert_eq!(tree.indented(2), lines.join("\n"));
    }

    #[test]
    fn deep_documents_stay_texts() {
        let text = format!("{}{}", "[".repeat(9_999), "]".repeat(9_999));
        let tree = read(&text);
        assert_eq!(read(&tree.normal()), tree);
        assert_eq!(tree.compact(), text);
    }
}
