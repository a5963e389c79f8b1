//! Values of manifests as Go's decoder fills typed fields with them: names in any letter case, numbers and truth values
//! as texts.

use olmdex_text::json::{self, Kind, Value};

/// A value, or the absence of one; `null` is absent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a>(pub(super) Option<Value<'a>>);

impl<'a> Field<'a> {
    /// A member by its name.
    pub(super) fn get(self, key: &str) -> Self {
        Self(self.0.and_then(|it| it.get_field(key)).filter(|it| !it.is_null()))
    }

    /// A member of a map, with exact letter case.
    pub(super) fn exact(self, key: &str) -> Self {
        Self(self.0.and_then(|it| it.get(key)).filter(|it| !it.is_null()))
    }

    /// The node that a path such as `spec.install.spec` leads to.
    pub(super) fn at(self, path: &str) -> Self {
        path.split('.').fold(self, Self::get)
    }

    pub(super) fn is_set(self) -> bool {
        self.0.is_some()
    }

    pub(super) fn kind(self) -> Kind {
        self.0.map_or(Kind::Null, |it| it.kind())
    }

    /// The text; numbers and truth values are texts where one is expected.
    pub(super) fn text(self) -> String {
        let Some(value) = self.0 else { return String::new() };
        match value.kind() {
            Kind::True => "true".to_owned(),
            Kind::False => "false".to_owned(),
            Kind::Number => {
                let mut out = Vec::new();
                json::write_unstructured(value, &mut out);
                String::from_utf8(out).unwrap_or_default()
            }
            _ => value.as_str().unwrap_or_default().into_owned(),
        }
    }

    /// The text of a member.
    pub(super) fn text_of(self, key: &str) -> String {
        self.get(key).text()
    }

    /// The text, if the value is a text as it is written.
    pub(super) fn string(self) -> String {
        self.0.and_then(|it| it.as_str()).unwrap_or_default().into_owned()
    }

    pub(super) fn is_true(self) -> bool {
        self.0.and_then(|it| it.as_bool()).unwrap_or(false)
    }

    pub(super) fn items(self) -> impl Iterator<Item = Self> + use<'a> {
        let list = self.0.filter(|it| it.kind() == Kind::Array);
        list.into_iter().flat_map(|it| it.items()).map(|it| Self(Some(it).filter(|it| !it.is_null())))
    }

    pub(super) fn n_items(self) -> usize {
        self.items().count()
    }

    /// The items of a list of texts.
    pub(super) fn texts(self) -> Vec<String> {
        self.items().map(Self::text).collect()
    }

    /// The members of a map of texts.
    pub(super) fn map(self) -> Vec<(String, String)> {
        let object = self.0.filter(|it| it.kind() == Kind::Object);
        let members = object.into_iter().flat_map(|it| it.members());
        members.map(|(key, value)| (key.as_str().unwrap_or_default().into_owned(), Self(Some(value)).text())).collect()
    }

    /// Whether there is an object or a list with something in it, or any other value.
    pub(super) fn is_filled(self) -> bool {
        match self.kind() {
            Kind::Null => false,
            Kind::Object => self.0.is_some_and(|it| it.members().next().is_some()),
            Kind::Array => self.n_items() > 0,
            _ => true,
        }
    }

    /// The text of the value as Go writes it.
    pub(super) fn json(self) -> String {
        let mut out = Vec::new();
        match self.0 {
            Some(value) => json::write_unstructured(value, &mut out),
            None => out.extend_from_slice(b"null"),
        }
        String::from_utf8(out).unwrap_or_default()
    }
}
