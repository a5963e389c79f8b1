//! What a ClusterServiceVersion says that older schemas have no columns for, and the `olm.csv.metadata` property that
//! stands for one.
//!
//! What it deliberately does not do: fields that neither needs are not looked at, whatever stands in them.

use base64::Engine as _;

use crate::fbc::{Expected, go_type_error};
use crate::json::{self, Kind, Reader, Step, Value};
use crate::version::Version;

/// Facts of a ClusterServiceVersion.
#[derive(Debug, Default)]
pub(super) struct CsvFacts {
    pub(super) version: String,
    pub(super) skip_range: String,
    /// Required APIs: group, version, kind.
    pub(super) required: Vec<(String, String, String)>,
    /// Images of deployments, and those that are listed.
    pub(super) images: Vec<String>,
}

fn string(of: Option<Value<'_>>, key: &str) -> String {
    of.and_then(|it| it.get_field(key)).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

fn list<'d>(of: Option<Value<'d>>, path: &[&str]) -> impl Iterator<Item = Value<'d>> + use<'d> {
    path.iter().fold(of, |value, key| value.and_then(|it| it.get_field(key))).into_iter().flat_map(|it| it.items())
}

/// Reads facts; `None` if the text is no JSON object.
pub(super) fn facts(bytes: &[u8], reader: &mut Reader) -> Option<CsvFacts> {
    let text = json::decode_utf8(bytes);
    let csv = reader.read(&text).ok().filter(|it| it.kind() == Kind::Object)?;
    let spec = csv.get_field("spec");
    let annotations = csv.get_field("metadata").and_then(|it| it.get_field("annotations"));
    let mut facts = CsvFacts {
        version: string(spec, "version"),
        skip_range: annotations
            .and_then(|it| it.get("olm.skipRange"))
            .and_then(|it| it.as_str())
            .unwrap_or_default()
            .into(),
        ..CsvFacts::default()
    };
    for crd in list(spec, &["customresourcedefinitions", "required"]) {
        let name = string(Some(crd), "name");
        // The name is the plural, a dot and the group.
        let group = name.split_once('.').map_or("", |(_, group)| group).to_owned();
        facts.required.push((group, string(Some(crd), "version"), string(Some(crd), "kind")));
    }
    for service in list(spec, &["apiservicedefinitions", "required"]) {
        let it = Some(service);
        facts.required.push((string(it, "group"), string(it, "version"), string(it, "kind")));
    }
    facts.images = images(spec);
    Some(facts)
}

/// The images of a ClusterServiceVersion's deployments and of its list.
pub(super) fn images(spec: Option<Value<'_>>) -> Vec<String> {
    let mut images = Vec::new();
    let install = spec.and_then(|it| it.get_field("install"));
    if string(install, "strategy") == "deployment" {
        for deployment in list(install, &["spec", "deployments"]) {
            for containers in ["initContainers", "containers"] {
                let containers = list(Some(deployment), &["spec", "template", "spec", containers]);
                images.extend(containers.map(|it| string(Some(it), "image")));
            }
        }
    }
    images.extend(list(spec, &["relatedImages"]).map(|it| string(Some(it), "image")));
    images
}

/// An icon's bytes and media type.
pub(super) type Icon = (Vec<u8>, String);

/// The icon in a ClusterServiceVersion, as the real tool takes it; `Ok(None)` if there is none or it is empty.
///
/// # Errors
/// The words of Go's decoder if the text is no ClusterServiceVersion; and `Ok(Err(…))` if only the icon's base64 is
/// wrong, which the real tool takes for no icon.
pub(super) fn icon(bytes: &[u8], reader: &mut Reader) -> Result<Result<Option<Icon>, String>, String> {
    let text = json::decode_utf8(bytes);
    if text.trim().is_empty() {
        return Err("unexpected end of JSON input".to_owned());
    }
    let csv = reader.read(&text).map_err(|error| super::survey::go_words(&error))?;
    check(csv)?;
    let Some(icon) = list(csv.get_field("spec"), &["icon"]).next() else { return Ok(Ok(None)) };
    let data = string(Some(icon), "base64data");
    let mediatype = string(Some(icon), "mediatype");
    let engine = &base64::engine::general_purpose::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let decode = |text: &str| engine.decode(text.replace(['\r', '\n'], ""));
    let Ok(data) = decode(&data).or_else(|_| decode(&data.replace(' ', ""))) else {
        return Ok(Err("the icon is not base64".to_owned()));
    };
    Ok(Ok((!data.is_empty()).then_some((data, mediatype))))
}

/// Go's decoder's words for the first field that does not have its kind, among those that are looked at.
pub(super) fn check(csv: Value<'_>) -> Result<(), String> {
    if !matches!(csv.kind(), Kind::Object | Kind::Null) {
        return Err(go_type_error(csv.kind(), Expected::Object("v1alpha1.ClusterServiceVersion"), "", &[]));
    }
    let field = |of: Option<Value<'_>>, key: &str, fits: fn(Kind) -> bool, expected: Expected| match of
        .and_then(|it| it.get_field(key))
    {
        Some(value) if !value.is_null() && !fits(value.kind()) => {
            Err(go_type_error(value.kind(), expected, "ClusterServiceVersion", &[Step::Key(key.to_owned())]))
        }
        _ => Ok(()),
    };
    let is_object: fn(Kind) -> bool = |kind| kind == Kind::Object;
    let is_list: fn(Kind) -> bool = |kind| kind == Kind::Array;
    let is_text: fn(Kind) -> bool = |kind| matches!(kind, Kind::PlainString | Kind::EscapedString);
    field(Some(csv), "metadata", is_object, Expected::Object("v1.ObjectMeta"))?;
    field(Some(csv), "spec", is_object, Expected::Object("v1alpha1.ClusterServiceVersionSpec"))?;
    let spec = csv.get_field("spec");
    for key in ["description", "displayName", "maturity", "minKubeVersion"] {
        field(spec, key, is_text, Expected::String)?;
    }
    for key in ["keywords", "links", "maintainers", "installModes", "nativeAPIs", "icon", "relatedImages"] {
        field(spec, key, is_list, Expected::ListOf("string"))?;
    }
    for key in ["provider", "customresourcedefinitions", "apiservicedefinitions", "install"] {
        field(spec, key, is_object, Expected::Object("struct"))?;
    }
    // The version is read by a decoder of its own.
    match spec.and_then(|it| it.get_field("version")) {
        Some(version) if !version.is_null() => match version.as_str() {
            Some(text) => Version::parse_tolerant(&text).map(drop).map_err(|error| error.to_string()),
            None => Err(format!("json: cannot unmarshal {} into Go value of type string", version.kind().name())),
        },
        _ => Ok(()),
    }
}

/// Writes the value of an `olm.csv.metadata` property as compact JSON: the fields of the property, in its order, each
/// with what the ClusterServiceVersion says (`spec/fbc.md` 2.1 and 4.6).
///
/// # Errors
/// Go's decoder's words if the ClusterServiceVersion does not fit.
pub(super) fn metadata(csv: Value<'_>) -> Result<String, String> {
    check(csv)?;
    let (meta, spec) = (csv.get_field("metadata"), csv.get_field("spec"));
    let mut it = Fields::open();
    it.strings_map("annotations", meta.and_then(|it| it.get_field("annotations")))?;
    it.definitions("apiServiceDefinitions", spec.and_then(|it| it.get_field("apiservicedefinitions")), API_SERVICE)?;
    it.definitions("crdDescriptions", spec.and_then(|it| it.get_field("customresourcedefinitions")), CRD)?;
    for key in ["description", "displayName"] {
        it.field(spec, &FieldForm { key, form: Form::Text, is_always: false })?;
    }
    it.field(spec, &FieldForm { key: "installModes", form: Form::List(INSTALL_MODE), is_always: false })?;
    it.field(spec, &FieldForm { key: "keywords", form: Form::Texts, is_always: false })?;
    it.strings_map("labels", meta.and_then(|it| it.get_field("labels")))?;
    it.field(spec, &FieldForm { key: "links", form: Form::List(LINK), is_always: false })?;
    it.field(spec, &FieldForm { key: "maintainers", form: Form::List(MAINTAINER), is_always: false })?;
    for key in ["maturity", "minKubeVersion"] {
        it.field(spec, &FieldForm { key, form: Form::Text, is_always: false })?;
    }
    it.field(spec, &FieldForm { key: "nativeAPIs", form: Form::List(NATIVE_API), is_always: false })?;
    it.key("provider");
    let provider = object(spec.and_then(|it| it.get_field("provider")), LINK, "provider")?;
    it.out.push_str(&provider);
    Ok(it.close())
}

/// The kind of a field.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Bool,
    Int,
    Any,
    Texts,
    List(&'static [FieldForm]),
}

/// A field of an object.
struct FieldForm {
    key: &'static str,
    form: Form,
    /// Whether it is written even if it has the zero value.
    is_always: bool,
}

const fn some(key: &'static str, form: Form) -> FieldForm {
    FieldForm { key, form, is_always: false }
}

const fn always(key: &'static str, form: Form) -> FieldForm {
    FieldForm { key, form, is_always: true }
}

const LINK: &[FieldForm] = &[some("name", Form::Text), some("url", Form::Text)];
const MAINTAINER: &[FieldForm] = &[some("name", Form::Text), some("email", Form::Text)];
const INSTALL_MODE: &[FieldForm] = &[always("type", Form::Text), always("supported", Form::Bool)];
const NATIVE_API: &[FieldForm] =
    &[always("group", Form::Text), always("version", Form::Text), always("kind", Form::Text)];
const RESOURCE: &[FieldForm] = &[always("name", Form::Text), always("kind", Form::Text), always("version", Form::Text)];
const DESCRIPTOR: &[FieldForm] = &[
    always("path", Form::Text),
    some("displayName", Form::Text),
    some("description", Form::Text),
    some("x-descriptors", Form::Texts),
    some("value", Form::Any),
];
const CRD: &[FieldForm] = &[
    always("name", Form::Text),
    always("version", Form::Text),
    always("kind", Form::Text),
    some("displayName", Form::Text),
    some("description", Form::Text),
    some("resources", Form::List(RESOURCE)),
    some("statusDescriptors", Form::List(DESCRIPTOR)),
    some("specDescriptors", Form::List(DESCRIPTOR)),
    some("actionDescriptors", Form::List(DESCRIPTOR)),
];
const API_SERVICE: &[FieldForm] = &[
    always("name", Form::Text),
    always("group", Form::Text),
    always("version", Form::Text),
    always("kind", Form::Text),
    some("deploymentName", Form::Text),
    some("containerPort", Form::Int),
    some("displayName", Form::Text),
    some("description", Form::Text),
    some("resources", Form::List(RESOURCE)),
    some("statusDescriptors", Form::List(DESCRIPTOR)),
    some("specDescriptors", Form::List(DESCRIPTOR)),
    some("actionDescriptors", Form::List(DESCRIPTOR)),
];

/// An object that is being written.
struct Fields {
    out: String,
}

impl Fields {
    fn open() -> Self {
        Self { out: "{".to_owned() }
    }

    fn close(mut self) -> String {
        self.out.push('}');
        self.out
    }

    fn key(&mut self, key: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        self.out.push_str(&quoted(key));
        self.out.push(':');
    }

    /// A field of `of`, unless it has the zero value and may be left out.
    fn field(&mut self, of: Option<Value<'_>>, field: &FieldForm) -> Result<(), String> {
        let value = of.and_then(|it| it.get_field(field.key));
        // A value of any kind is there even if it is null.
        let value = if matches!(field.form, Form::Any) { value } else { value.filter(|it| !it.is_null()) };
        let misfit = |value: Value<'_>, expected| {
            Err(go_type_error(value.kind(), expected, "ClusterServiceVersion", &[field.key.into()]))
        };
        let written = match (field.form, value) {
            (Form::Text, None) => field.is_always.then(|| "\"\"".to_owned()),
            (Form::Text, Some(value)) => match value.as_str() {
                Some(text) => (field.is_always || !text.is_empty()).then(|| quoted(&text)),
                None => return misfit(value, Expected::String),
            },
            (Form::Bool, value) => match value.map(|it| (it, it.as_bool())) {
                Some((_, Some(it))) => (field.is_always || it).then(|| it.to_string()),
                Some((value, None)) => return misfit(value, Expected::Object("bool")),
                None => field.is_always.then(|| "false".to_owned()),
            },
            (Form::Int, value) => match value.map(|it| (it, it.raw().parse::<i32>())) {
                Some((_, Ok(0))) | None => None,
                Some((_, Ok(number))) => Some(number.to_string()),
                Some((value, Err(_))) => return misfit(value, Expected::Object("int32")),
            },
            (Form::Any, value) => value.map(|it| compact(&it)),
            (Form::Texts, value) => match value {
                Some(list) if list.kind() != Kind::Array => return misfit(list, Expected::ListOf("string")),
                list => {
                    let mut items = Vec::new();
                    for item in list.into_iter().flat_map(|it| it.items()) {
                        match item.as_str() {
                            Some(text) => items.push(quoted(&text)),
                            None if item.is_null() => items.push("\"\"".to_owned()),
                            None => return misfit(item, Expected::String),
                        }
                    }
                    (!items.is_empty()).then(|| format!("[{}]", items.join(",")))
                }
            },
            (Form::List(fields), value) => match value {
                Some(list) if list.kind() != Kind::Array => return misfit(list, Expected::ListOf("struct")),
                list => {
                    let mut items = Vec::new();
                    for item in list.into_iter().flat_map(|it| it.items()) {
                        items.push(object(Some(item), fields, field.key)?);
                    }
                    (!items.is_empty()).then(|| format!("[{}]", items.join(",")))
                }
            },
        };
        if let Some(written) = written {
            self.key(field.key);
            self.out.push_str(&written);
        }
        Ok(())
    }

    /// A map of texts with sorted keys, unless it is empty.
    fn strings_map(&mut self, key: &str, value: Option<Value<'_>>) -> Result<(), String> {
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
        self.key(key);
        let members: Vec<String> =
            members.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value))).collect();
        self.out.push_str(&format!("{{{}}}", members.join(",")));
        Ok(())
    }

    /// The lists of owned and required definitions; the object around them is always written.
    fn definitions(&mut self, key: &str, value: Option<Value<'_>>, fields: &'static [FieldForm]) -> Result<(), String> {
        let mut lists = Self::open();
        for list in ["owned", "required"] {
            lists.field(value, &FieldForm { key: list, form: Form::List(fields), is_always: false })?;
        }
        self.key(key);
        self.out.push_str(&lists.close());
        Ok(())
    }
}

fn object(value: Option<Value<'_>>, fields: &[FieldForm], key: &str) -> Result<String, String> {
    let value = value.filter(|it| !it.is_null());
    if let Some(it) = value.filter(|it| it.kind() != Kind::Object) {
        return Err(go_type_error(it.kind(), Expected::Object("struct"), "", &[Step::Key(key.to_owned())]));
    }
    let mut out = Fields::open();
    for field in fields {
        out.field(value, field)?;
    }
    Ok(out.close())
}

fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    json::write_string(text, &mut out);
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
pub(super) fn squeeze(text: &str) -> String {
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
