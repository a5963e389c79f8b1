//! The four schemas that have a shape: package, channel, bundle, deprecations.
//!
//! Decoding follows `docs/behaviour/fbc.md` 1.5 and section 2: keys without regard to case, `null` is the zero value,
//! unknown fields are dropped, nothing is coerced. A value of the wrong kind is a [`Defect`]; decoding goes on with
//! the zero value, so that one document can have many.

use std::borrow::Cow;

use base64::Engine as _;

use super::defect::{Defect, DefectKind};
use super::entry::EntryView;
use super::property::PropertyView;
use olmdex_text::gotype::{Expected, STANDARD_BASE64 as BASE64};
use olmdex_text::json::{Kind, Step, Value};

/// An `olm.package` blob.
#[derive(Debug, Default, Clone)]
pub struct Package<'d> {
    /// The package's name.
    pub name: Cow<'d, str>,
    /// The channel that new subscriptions take.
    pub default_channel: Cow<'d, str>,
    /// The icon, if there is one.
    pub icon: Option<Icon<'d>>,
    /// Description in Markdown.
    pub description: Cow<'d, str>,
    /// Properties of the package; carried through, never interpreted.
    pub properties: Vec<PropertyView<'d>>,
}

/// A package's icon.
#[derive(Debug, Default, Clone)]
pub struct Icon<'d> {
    /// The image's bytes; `None` if absent or `null`.
    pub data: Option<Vec<u8>>,
    /// Its media type, for example `image/svg+xml`.
    pub mediatype: Cow<'d, str>,
}

/// An `olm.channel` blob.
#[derive(Debug, Default, Clone)]
pub struct Channel<'d> {
    /// The channel's name.
    pub name: Cow<'d, str>,
    /// The package that it belongs to.
    pub package: Cow<'d, str>,
    /// Its entries; `None` if absent or `null`.
    pub entries: Option<Vec<EntryView<'d>>>,
    /// Properties of the channel.
    pub properties: Vec<PropertyView<'d>>,
}

/// An `olm.bundle` blob.
#[derive(Debug, Default, Clone)]
pub struct Bundle<'d> {
    /// The bundle's name.
    pub name: Cow<'d, str>,
    /// The package that it belongs to.
    pub package: Cow<'d, str>,
    /// Reference of its image.
    pub image: Cow<'d, str>,
    /// Its properties, in the order of the blob.
    pub properties: Vec<PropertyView<'d>>,
    /// The images that it uses, in the order of the blob.
    pub related_images: Vec<RelatedImage<'d>>,
}

/// An image that a bundle uses.
#[derive(Debug, Default, Clone)]
pub struct RelatedImage<'d> {
    /// The purpose; often empty.
    pub name: Cow<'d, str>,
    /// Its reference.
    pub image: Cow<'d, str>,
}

/// An `olm.deprecations` blob.
#[derive(Debug, Default, Clone)]
pub struct Deprecations<'d> {
    /// The package that it is about.
    pub package: Cow<'d, str>,
    /// The deprecations; `None` if absent or `null`.
    pub entries: Option<Vec<Deprecation<'d>>>,
}

/// One deprecated thing.
#[derive(Debug, Default, Clone)]
pub struct Deprecation<'d> {
    /// `olm.package`, `olm.channel` or `olm.bundle`.
    pub schema: Cow<'d, str>,
    /// Name of the channel or bundle; empty for a package.
    pub name: Cow<'d, str>,
    /// The message to users.
    pub message: Cow<'d, str>,
}

/// The place of an object: in a field of another one, perhaps in a list. It becomes a path only if there is a defect.
struct Place<'p> {
    above: Option<&'p Place<'p>>,
    name: &'static str,
    idx: Option<usize>,
}

impl Place<'_> {
    /// The path to a place; the path of the document if there is none.
    fn path(place: Option<&Self>) -> Vec<Step> {
        let mut path = Vec::new();
        let mut next = place;
        while let Some(place) = next {
            path.extend(place.idx.map(Step::from));
            path.push(place.name.into());
            next = place.above;
        }
        path.reverse();
        path
    }
}

/// Reads fields of one object and collects the defects.
pub(super) struct Fields<'a, 'd> {
    value: Option<Value<'d>>,
    place: Option<&'a Place<'a>>,
    defects: &'a mut Vec<Defect>,
}

impl<'a, 'd> Fields<'a, 'd> {
    /// The fields of the whole document.
    pub(super) fn of_document(value: Value<'d>, defects: &'a mut Vec<Defect>) -> Self {
        Self { value: Some(value), place: None, defects }
    }

    fn field(&self, name: &str) -> Option<Value<'d>> {
        self.value.and_then(|value| value.get_field(name)).filter(|value| !value.is_null())
    }

    fn wrong_kind(&mut self, steps: &[Step], found: Value<'d>, expected: Expected) {
        let mut path = Place::path(self.place);
        path.extend_from_slice(steps);
        self.defects.push(Defect::at_path(DefectKind::WrongKind { found: found.kind(), expected }, path));
    }

    pub(super) fn string(&mut self, name: &'static str) -> Cow<'d, str> {
        let Some(value) = self.field(name) else { return Cow::Borrowed("") };
        value.as_str().unwrap_or_else(|| {
            self.wrong_kind(&[name.into()], value, Expected::String);
            Cow::Borrowed("")
        })
    }

    /// The list at `name`, each item read by `read`; `None` if absent or `null`.
    fn list<T: Default>(
        &mut self,
        name: &'static str,
        item_type: &'static str,
        mut read: impl FnMut(&mut Fields<'_, 'd>) -> T,
    ) -> Option<Vec<T>> {
        let list = self.field(name)?;
        if list.kind() != Kind::Array {
            self.wrong_kind(&[name.into()], list, Expected::ListOf(item_type));
            return None;
        }
        let mut items = Vec::new();
        for (idx, item) in list.items().enumerate() {
            items.push(match item.kind() {
                Kind::Null => T::default(),
                Kind::Object => {
                    let place = Place { above: self.place, name, idx: Some(idx) };
                    read(&mut Fields { value: Some(item), place: Some(&place), defects: self.defects })
                }
                _ => {
                    self.wrong_kind(&[name.into(), idx.into()], item, Expected::Object(item_type));
                    T::default()
                }
            });
        }
        Some(items)
    }

    fn strings(&mut self, name: &'static str) -> Vec<Cow<'d, str>> {
        let Some(list) = self.field(name) else { return Vec::new() };
        if list.kind() != Kind::Array {
            self.wrong_kind(&[name.into()], list, Expected::ListOf("string"));
            return Vec::new();
        }
        let mut items = Vec::new();
        for (idx, item) in list.items().enumerate() {
            items.push(match item.as_str() {
                Some(text) => text,
                None => {
                    if !item.is_null() {
                        self.wrong_kind(&[name.into(), idx.into()], item, Expected::String);
                    }
                    Cow::Borrowed("")
                }
            });
        }
        items
    }

    fn object<T>(
        &mut self,
        name: &'static str,
        go_type: &'static str,
        read: impl FnOnce(&mut Fields<'_, 'd>) -> T,
    ) -> Option<T> {
        let value = self.field(name)?;
        if value.kind() != Kind::Object {
            self.wrong_kind(&[name.into()], value, Expected::Object(go_type));
            return None;
        }
        let place = Place { above: self.place, name, idx: None };
        Some(read(&mut Fields { value: Some(value), place: Some(&place), defects: self.defects }))
    }

    /// Base64 text or a list of byte numbers.
    fn bytes(&mut self, name: &'static str) -> Option<Vec<u8>> {
        let value = self.field(name)?;
        match bytes_of(value) {
            Ok(bytes) => Some(bytes),
            Err(kind) => {
                let mut path = Place::path(self.place);
                path.push(name.into());
                self.defects.push(Defect::at_path(kind, path));
                None
            }
        }
    }

    fn properties(&mut self) -> Vec<PropertyView<'d>> {
        self.list("properties", "property.Property", |it| PropertyView {
            kind: it.string("type"),
            value: it.value.and_then(|value| value.get_field("value")),
        })
        .unwrap_or_default()
    }

    pub(super) fn package(&mut self) -> Package<'d> {
        Package {
            name: self.string("name"),
            default_channel: self.string("defaultChannel"),
            icon: self.object("icon", "declcfg.Icon", |it| Icon {
                data: it.bytes("base64data"),
                mediatype: it.string("mediatype"),
            }),
            description: self.string("description"),
            properties: self.properties(),
        }
    }

    pub(super) fn channel(&mut self) -> Channel<'d> {
        Channel {
            name: self.string("name"),
            package: self.string("package"),
            entries: self.list("entries", "declcfg.ChannelEntry", |it| EntryView {
                name: it.string("name"),
                replaces: it.string("replaces"),
                skips: it.strings("skips"),
                skip_range: it.string("skipRange"),
            }),
            properties: self.properties(),
        }
    }

    pub(super) fn bundle(&mut self) -> Bundle<'d> {
        Bundle {
            name: self.string("name"),
            package: self.string("package"),
            image: self.string("image"),
            properties: self.properties(),
            related_images: self
                .list("relatedImages", "declcfg.RelatedImage", |it| RelatedImage {
                    name: it.string("name"),
                    image: it.string("image"),
                })
                .unwrap_or_default(),
        }
    }

    pub(super) fn deprecations(&mut self) -> Deprecations<'d> {
        Deprecations {
            package: self.string("package"),
            entries: self.list("entries", "declcfg.DeprecationEntry", |it| {
                let (schema, name) = it
                    .object("reference", "declcfg.PackageScopedReference", |it| {
                        (it.string("schema"), it.string("name"))
                    })
                    .unwrap_or_default();
                Deprecation { schema, name, message: it.string("message") }
            }),
        }
    }
}

/// The bytes of a base64 string or of a list of byte numbers.
///
/// # Errors
/// [`DefectKind::Base64`] if the text is not base64, [`DefectKind::WrongKind`] if the value is something else.
pub(crate) fn bytes_of(value: Value<'_>) -> Result<Vec<u8>, DefectKind> {
    let wrong_kind =
        |found: Value<'_>| DefectKind::WrongKind { found: found.kind(), expected: Expected::ListOf("uint8") };
    match value.kind() {
        Kind::PlainString | Kind::EscapedString => {
            let text = value.as_str().unwrap_or_default();
            let has_breaks = memchr::memchr2(b'\r', b'\n', text.as_bytes()).is_some();
            let joined = if has_breaks { text.replace(['\r', '\n'], "").into() } else { Cow::Borrowed(&*text) };
            BASE64.decode(joined.as_bytes()).map_err(|_| DefectKind::Base64 { offset: base64_offset(text.as_bytes()) })
        }
        Kind::Array => value
            .items()
            .map(|item| match (item.kind(), item.as_f64()) {
                (Kind::Null, _) => Ok(0),
                (_, Some(number)) if number.fract() == 0.0 && (0.0..256.0).contains(&number) => Ok(number as u8),
                _ => Err(wrong_kind(item)),
            })
            .collect(),
        _ => Err(wrong_kind(value)),
    }
}

/// The byte at which Go's decoder stops in a text that is not base64: the one that does not belong, with line breaks
/// counted. If the text ends within a group of four, it is as many bytes before the end as the group has.
fn base64_offset(text: &[u8]) -> usize {
    let mut in_group = 0;
    let mut bytes = text.iter().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, &byte)) = bytes.next() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => in_group = (in_group + 1) % 4,
            b'=' if in_group == 3 => return bytes.next().map_or(text.len(), |(at, _)| at),
            b'=' if in_group == 2 => {
                return match bytes.next() {
                    None => text.len(),
                    Some((_, b'=')) => bytes.next().map_or(text.len(), |(at, _)| at),
                    // Go tells the byte before the one that should have been padding.
                    Some((at, _)) => at - 1,
                };
            }
            _ => return at,
        }
    }
    text.len() - in_group
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Spot;
    use olmdex_text::json::Reader;

    #[test]
    fn what_does_not_fit_has_its_path() {
        let text = r#"{"entries": [null, 1, {"reference": {"name": 2}, "message": []}], "icon": {"base64data": "?"}, "name": {}}"#;
        let mut reader = Reader::new();
        let value = reader.read(text).unwrap();
        let mut defects = Vec::new();
        let mut fields = Fields::of_document(value, &mut defects);
        fields.deprecations();
        fields.package();
        let paths: Vec<String> = defects
            .iter()
            .map(|it| match &it.at {
                Spot::Path(path) => path.iter().map(|step| format!("/{step:?}")).collect(),
                other => format!("{other:?}"),
            })
            .collect();
        let key = |name: &str| format!("/Key({name:?})");
        let expected = [
            key("entries") + "/Index(1)",
            key("entries") + "/Index(2)" + &key("reference") + &key("name"),
            key("entries") + "/Index(2)" + &key("message"),
            key("name"),
            key("icon") + &key("base64data"),
        ];
        assert_eq!(paths, expected);
    }
}
