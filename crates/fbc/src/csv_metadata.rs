//! The `olm.csv.metadata` property that represents a ClusterServiceVersion (`docs/behaviour/fbc.md` 2.1 and 4.6).

use super::objects::{BUNDLE_OBJECT, cluster_service_version};
use super::typed::Bundle;
use olmdex_text::gotype::{Decoder, Expected, Field, FieldKind, GoType, go_type_error};
use olmdex_text::json::{self, Kind, Reader, Step, Value};
use olmdex_text::yaml;
use olmdex_version::Quoted;

/// The forms of the manifests in bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// They stay, as `olm.bundle.object` properties.
    #[default]
    None,
    /// An `olm.csv.metadata` property takes their place.
    CsvMetadata,
}

/// The type of the property that stands for a ClusterServiceVersion.
pub const CSV_METADATA: &str = "olm.csv.metadata";

/// The property's value for a bundle that is migrated, as compact JSON. `None` if the bundle stays as it is: it has no
/// image, no ClusterServiceVersion, or the property already.
///
/// # Errors
/// In opm's words, if the ClusterServiceVersion does not fit its type.
pub(super) fn of_bundle(bundle: &Bundle<'_>) -> Result<Option<String>, String> {
    let has = |kind: &str| bundle.properties.iter().any(|it| it.kind == kind);
    if bundle.image.is_empty() || has(CSV_METADATA) || !has(BUNDLE_OBJECT) {
        return Ok(None);
    }
    let migrate = |error: String| format!("migrate: {error} (bundle {})", Quoted(&bundle.name));
    let Some(csv) = cluster_service_version(bundle).map_err(|defect| migrate(defect.kind.to_string()))? else {
        return Ok(None);
    };
    let mut converted = Vec::new();
    let mut text = json::decode_utf8(&csv);
    let mut reader = Reader::new();
    // A text that starts as an object may be JSON or YAML.
    if reader.read(&text).is_err() && yaml::to_json(&csv, &mut converted).is_ok() {
        text = json::decode_utf8(&converted);
    }
    let value = reader.read(&text).map_err(|error| migrate(error.to_string()))?;
    write(value).map(Some).map_err(migrate)
}

/// Go's decoder's words for the first field that does not fit its type.
pub fn check(csv: Value<'_>) -> Result<(), String> {
    match GoType::SERVICE_VERSION.misfit(csv, Decoder::Library) {
        None => Ok(()),
        Some(misfit) => Err(misfit.go),
    }
}

/// Writes the value of an `olm.csv.metadata` property as compact JSON: the fields of the property, in its order, each
/// with the value in the ClusterServiceVersion (`docs/behaviour/fbc.md` 2.1 and 4.6).
///
/// # Errors
/// Go's decoder's words if the ClusterServiceVersion does not fit.
pub fn write(csv: Value<'_>) -> Result<String, String> {
    check(csv)?;
    let (meta, spec) = (csv.get_field("metadata"), csv.get_field("spec"));
    let definitions = |key| spec.and_then(|it| it.get_field(key));
    write_parts(meta, spec, definitions("apiservicedefinitions"), definitions("customresourcedefinitions"))
}

/// The value of the only property of a bundle that was rendered from a catalog, as compact JSON with its fields in the
/// order in which opm writes them for a bundle's image. `None` if the bundle has manifests, or the order cannot be
/// restored without a loss.
pub(super) fn in_order(bundle: &Bundle<'_>) -> Option<String> {
    let mut of_kind = bundle.properties.iter().filter(|it| it.kind == CSV_METADATA);
    let value = of_kind.next().filter(|_| of_kind.next().is_none())?.value?;
    if bundle.properties.iter().any(|it| it.kind == BUNDLE_OBJECT) {
        return None;
    }
    let field = |key| value.get_field(key);
    let written =
        write_parts(Some(value), Some(value), field("apiServiceDefinitions"), field("crdDescriptions")).ok()?;
    let is_same = Reader::new().read(&written).is_ok_and(|written| written.compact() == value.compact());
    is_same.then_some(written)
}

fn write_parts(
    meta: Option<Value<'_>>,
    spec: Option<Value<'_>>,
    api_services: Option<Value<'_>>,
    definitions: Option<Value<'_>>,
) -> Result<String, String> {
    let mut out = Vec::new();
    let mut it = Fields::open(&mut out);
    it.strings_map("annotations", meta.and_then(|it| it.get_field("annotations")))?;
    it.definitions("apiServiceDefinitions", api_services, GoType::API_SERVICE_DESCRIPTION)?;
    it.definitions("crdDescriptions", definitions, GoType::CRD_DESCRIPTION)?;
    it.field(spec, &some("description", FieldKind::Text))?;
    it.field(spec, &some("displayName", FieldKind::Text))?;
    it.field(spec, &some("installModes", FieldKind::Objects(GoType::INSTALL_MODE.fields())))?;
    it.field(spec, &some("keywords", FieldKind::Texts))?;
    it.strings_map("labels", meta.and_then(|it| it.get_field("labels")))?;
    it.field(spec, &some("links", FieldKind::Objects(GoType::LINK.fields())))?;
    it.field(spec, &some("maintainers", FieldKind::Objects(GoType::MAINTAINER.fields())))?;
    it.field(spec, &some("maturity", FieldKind::Text))?;
    it.field(spec, &some("minKubeVersion", FieldKind::Text))?;
    it.field(spec, &some("nativeAPIs", FieldKind::Objects(GoType::NATIVE_API.fields())))?;
    it.object("provider", spec.and_then(|it| it.get_field("provider")), GoType::LINK)?;
    it.close();
    Ok(text(out))
}

/// A field of an object.
pub(super) struct FieldForm {
    key: &'static str,
    form: FieldKind,
    /// Whether it is written even if it has the zero value.
    is_always: bool,
}

pub(super) const fn some(key: &'static str, form: FieldKind) -> FieldForm {
    FieldForm { key, form, is_always: false }
}

pub(super) const fn always(key: &'static str, form: FieldKind) -> FieldForm {
    FieldForm { key, form, is_always: true }
}

/// An object that is being written. If writing fails, a part of it is left behind.
pub(super) struct Fields<'o> {
    out: &'o mut Vec<u8>,
    /// The offset of its first field.
    start: usize,
}

impl<'o> Fields<'o> {
    pub(super) fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { start: out.len(), out }
    }

    pub(super) fn close(self) {
        self.out.push(b'}');
    }

    /// Begins a field; its value is to follow.
    pub(super) fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if self.out.len() > self.start {
            self.out.push(b',');
        }
        json::write_string(key, self.out);
        self.out.push(b':');
        self.out
    }

    /// A field of `of`, unless it has the zero value and may be left out.
    pub(super) fn field(&mut self, of: Option<Value<'_>>, field: &FieldForm) -> Result<(), String> {
        let value = of.and_then(|it| it.get_field(field.key));
        // A value of any kind is there even if it is null.
        let value = if matches!(field.form, FieldKind::Any) { value } else { value.filter(|it| !it.is_null()) };
        let misfit = |value: Value<'_>, expected| {
            Err(go_type_error(value.kind(), expected, "ClusterServiceVersion", &[field.key.into()]))
        };
        match field.form {
            FieldKind::Text => {
                let text = match value.map(|it| (it, it.as_str())) {
                    Some((value, None)) => return misfit(value, Expected::String),
                    Some((_, Some(text))) => text,
                    None => "".into(),
                };
                if field.is_always || !text.is_empty() {
                    json::write_string(&text, self.key(field.key));
                }
            }
            FieldKind::Truth => {
                let is_set = match value.map(|it| (it, it.as_bool())) {
                    Some((value, None)) => return misfit(value, Expected::Object("bool")),
                    Some((_, Some(is_set))) => is_set,
                    None => false,
                };
                if field.is_always || is_set {
                    self.key(field.key).extend_from_slice(if is_set { b"true" } else { b"false" });
                }
            }
            FieldKind::Int => match value.map(|it| (it, it.raw().parse::<i32>())) {
                Some((value, Err(_))) => return misfit(value, Expected::Object("int32")),
                Some((_, Ok(number))) if number != 0 => {
                    self.key(field.key).extend_from_slice(number.to_string().as_bytes());
                }
                _ => {}
            },
            FieldKind::Any => {
                if let Some(value) = value {
                    self.key(field.key).extend_from_slice(compact(&value).as_bytes());
                }
            }
            FieldKind::Texts | FieldKind::Objects(_) => {
                let Some(list) = value else { return Ok(()) };
                if list.kind() != Kind::Array {
                    let of = if matches!(field.form, FieldKind::Texts) { "string" } else { "struct" };
                    return misfit(list, Expected::ListOf(of));
                }
                let mut written = self.list(field.key);
                for item in list.items() {
                    match field.form {
                        FieldKind::Objects(fields) => object(written.item(), Some(item), fields, field.key)?,
                        _ => match item.as_str() {
                            Some(text) => json::write_string(&text, written.item()),
                            None if item.is_null() => json::write_string("", written.item()),
                            None => return misfit(item, Expected::String),
                        },
                    }
                }
                written.close();
            }
        }
        Ok(())
    }

    /// A list, which is left out while it has no item.
    pub(super) fn list<'f>(&'f mut self, key: &'static str) -> List<'f, 'o> {
        List { fields: self, key, is_open: false }
    }

    /// An object, which is written even if it is empty.
    pub(super) fn object(&mut self, key: &str, value: Option<Value<'_>>, of: GoType) -> Result<(), String> {
        object(self.key(key), value, of.fields(), key)
    }

    /// A map of texts with sorted keys, unless it is empty.
    pub(super) fn strings_map(&mut self, key: &str, value: Option<Value<'_>>) -> Result<(), String> {
        let Some(map) = value.filter(|it| !it.is_null()) else { return Ok(()) };
        if map.kind() != Kind::Object {
            return Err(go_type_error(map.kind(), Expected::Object("map[string]string"), "", &[]));
        }
        let mut members = std::collections::BTreeMap::new();
        for (key, value) in map.members() {
            let text = match value.as_str() {
                Some(text) => text,
                None if value.is_null() => "".into(),
                None => {
                    return Err(go_type_error(
                        value.kind(),
                        Expected::String,
                        "ObjectMeta",
                        &[Step::Key(key.raw().to_owned())],
                    ));
                }
            };
            members.insert(key.as_str().unwrap_or_default(), text);
        }
        if members.is_empty() {
            return Ok(());
        }
        let mut written = Fields::open(self.key(key));
        for (key, value) in &members {
            json::write_string(value, written.key(key));
        }
        written.close();
        Ok(())
    }

    /// The lists of owned and required definitions; the object around them is always written.
    pub(super) fn definitions(&mut self, key: &str, value: Option<Value<'_>>, of: GoType) -> Result<(), String> {
        let mut lists = Fields::open(self.key(key));
        for list in ["owned", "required"] {
            lists.field(value, &some(list, FieldKind::Objects(of.fields())))?;
        }
        lists.close();
        Ok(())
    }
}

/// A list that is being written.
pub(super) struct List<'f, 'o> {
    fields: &'f mut Fields<'o>,
    key: &'static str,
    is_open: bool,
}

impl List<'_, '_> {
    /// Begins an item, which is to follow.
    pub(super) fn item(&mut self) -> &mut Vec<u8> {
        if !self.is_open {
            self.fields.key(self.key);
        }
        self.fields.out.push(if self.is_open { b',' } else { b'[' });
        self.is_open = true;
        self.fields.out
    }

    pub(super) fn close(self) {
        if self.is_open {
            self.fields.out.push(b']');
        }
    }
}

fn object(out: &mut Vec<u8>, value: Option<Value<'_>>, fields: &[Field], key: &str) -> Result<(), String> {
    let value = value.filter(|it| !it.is_null());
    if let Some(it) = value.filter(|it| it.kind() != Kind::Object) {
        return Err(go_type_error(it.kind(), Expected::Object("struct"), "", &[Step::Key(key.to_owned())]));
    }
    let mut written = Fields::open(out);
    for field in fields {
        written.field(value, &FieldForm { key: field.name, form: field.kind(), is_always: field.is_always })?;
    }
    written.close();
    Ok(())
}

/// The written bytes as text.
pub(super) fn text(out: Vec<u8>) -> String {
    // Written from text, so it is text.
    String::from_utf8(out).unwrap_or_default()
}

/// A value's own text without the white space between its parts.
fn compact(value: &Value<'_>) -> String {
    match value.kind() {
        Kind::PlainString | Kind::EscapedString => format!("\"{}\"", value.raw()),
        _ => squeeze(value.raw()),
    }
}

/// JSON text without the white space between its parts; keys, numbers and strings stay as they are written.
pub fn squeeze(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    if !bytes.iter().any(is_blank) {
        return text.to_owned();
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut is_string = false;
    let mut is_escaped = false;
    for byte in bytes {
        if is_string {
            is_string = *byte != b'"' || is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            out.push(*byte);
        } else if !is_blank(byte) {
            is_string = *byte == b'"';
            out.push(*byte);
        }
    }
    // Only blanks, which are characters of one byte, were left out.
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Rendering, Selection, blob, render_blob, render_blob_of_image};
    use super::{Level, write};
    use olmdex_text::json::{Expansion, Reader};

    /// The blob of a bundle with some metadata, as it is rendered.
    fn rendered(metadata: &str, is_of_image: bool) -> String {
        let text = format!(
            r#"{{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[
            {{"type":"olm.package","value":{{"packageName":"p","version":"1.0.0"}}}},
            {{"type":"olm.csv.metadata","value":{metadata}}}]}}"#
        );
        let mut reader = Reader::new();
        let blob = blob::decode(reader.read(&text).unwrap(), false).unwrap();
        let (selection, expansion) = (Selection { packages: &[] }, Expansion::default());
        let how = Rendering { format: Format::Json, level: Level::None, selection, expansion: &expansion };
        let render = if is_of_image { render_blob_of_image } else { render_blob };
        String::from_utf8(render(&blob, how).unwrap().unwrap().1).unwrap()
    }

    #[test]
    fn the_order_of_fields_is_restored_if_nothing_is_lost() {
        let csv = r#"{"metadata":{"annotations":{"b":"1","a":"2"}},"spec":{
            "customresourcedefinitions":{"owned":[{"name":"a","version":"v1","kind":"A","displayName":"d","description":"e"}]},
            "installModes":[{"type":"OwnNamespace","supported":true}],"provider":{"name":"n","url":"u"}}}"#;
        let mut reader = Reader::new();
        let metadata = write(reader.read(csv).unwrap()).unwrap();
        let mut reader = Reader::new();
        let sorted = reader.read(&metadata).unwrap().compact();
        assert_ne!(sorted, metadata);
        let order = |text: &str| {
            let found = ["\"name\": \"a\"", "\"kind\": \"A\"", "\"description\"", "\"type\": \"OwnN", "\"supported\""];
            found.map(|it| text.find(it).unwrap())
        };
        let of_image = rendered(&sorted, true);
        assert!(order(&of_image).is_sorted(), "{of_image}");
        assert_eq!(of_image, rendered(&metadata, true));
        assert!(!order(&rendered(&metadata, false)).is_sorted());
        // A field that opm does not write stays, in the order of keys.
        let other = sorted.replacen("\"kind\":", "\"other\":1,\"kind\":", 1);
        assert_eq!(rendered(&other, true), rendered(&other, false));
    }
}
