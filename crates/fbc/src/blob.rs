//! A document as a blob: its head, and its typed form where the schema has one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::defect::{Defect, DefectKind, Spot};
use super::typed::{Bundle, Channel, Deprecations, Fields, Package};
use olmdex_text::json::{self, Kind, Step, Value};

/// A blob that has been read.
#[derive(Debug, Clone)]
pub struct Blob<'d> {
    /// Its schema; never empty.
    pub schema: Cow<'d, str>,
    /// The package that it belongs to; of an `olm.package` its own name. Empty if it has none.
    pub package: Cow<'d, str>,
    /// Its name, or empty.
    pub name: Cow<'d, str>,
    /// The typed form.
    pub typed: Typed<'d>,
    /// The whole document.
    pub value: Value<'d>,
}

/// The typed form of a blob.
#[derive(Debug, Clone)]
pub enum Typed<'d> {
    /// `olm.package`
    Package(Package<'d>),
    /// `olm.channel`
    Channel(Channel<'d>),
    /// `olm.bundle`
    Bundle(Bundle<'d>),
    /// `olm.deprecations`
    Deprecations(Deprecations<'d>),
    /// Any other schema: kept, rendered, never interpreted.
    Other,
}

/// The reason why there is no blob.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The schema, if it could be read.
    pub schema: String,
    /// The package (for an `olm.package` its name), if it could be read.
    pub package: String,
    /// The defects; at least one.
    pub defects: Vec<Defect>,
}

impl Failure {
    /// Makes the failure of a document without any known facts.
    pub(super) fn of(defect: Defect) -> Self {
        Self { schema: String::new(), package: String::new(), defects: vec![defect] }
    }

    /// The same failure without any text of the document.
    pub(super) fn without_words(self) -> Self {
        let defects = self.defects.into_iter().map(|it| Defect { kind: it.kind.without_words(), ..it });
        Self { schema: String::new(), package: String::new(), defects: defects.collect() }
    }
}

/// Makes a blob of a document (`docs/behaviour/fbc.md` 1.5).
///
/// # Errors
/// [`Failure`] with all defects that can be distinguished.
pub fn decode(value: Value<'_>, from_yaml: bool) -> Result<Blob<'_>, Failure> {
    let (schema, package, name) = decode_head(value, from_yaml)?;
    let package_of_head = if schema == "olm.package" { &name } else { &package };
    let package_of_head = package_of_head.as_deref().unwrap_or_default().to_owned();
    let mut defects = Vec::new();
    let mut fields = Fields::of_document(value, &mut defects);
    let typed = match &*schema {
        "olm.package" => Typed::Package(fields.package()),
        "olm.channel" => Typed::Channel(fields.channel()),
        "olm.bundle" => Typed::Bundle(fields.bundle()),
        "olm.deprecations" => Typed::Deprecations(fields.deprecations()),
        _ => Typed::Other,
    };
    if !defects.is_empty() {
        // The real decoder sees keys in byte order and keeps the first error.
        defects.sort_by(|a, b| path_of(a).cmp(path_of(b)));
        return Err(Failure { schema: schema.into_owned(), package: package_of_head, defects });
    }
    let name = name.unwrap_or_default();
    let package = match &typed {
        Typed::Package(it) => it.name.clone(),
        _ => package.unwrap_or_default(),
    };
    Ok(Blob { schema, package, name, typed, value })
}

/// Schema, package and name of a document; the schema is not empty.
type HeadOf<'d> = (Cow<'d, str>, Option<Cow<'d, str>>, Option<Cow<'d, str>>);

/// Reads the head of a document.
///
/// # Errors
/// [`Failure`] with all defects of the head.
pub(super) fn decode_head(value: Value<'_>, from_yaml: bool) -> Result<HeadOf<'_>, Failure> {
    let mut defects = Vec::new();
    match value.kind() {
        Kind::Object => {}
        // A bare null counts as an object without schema.
        Kind::Null => {
            let blob = if from_yaml { "" } else { "null\n" };
            let kind = DefectKind::MissingSchema(blob.to_owned());
            return Err(Failure::of(Defect { kind, at: Spot::Start }));
        }
        kind => {
            let kind = DefectKind::NotAnObject(kind, not_an_object(value, from_yaml));
            return Err(Failure::of(Defect { kind, at: Spot::Start }));
        }
    }
    colliding_keys(value, &mut defects);
    let mut head = Head { value, defects: &mut defects };
    let schema = head.string("schema");
    let package = head.string("package");
    let name = head.string("name");
    let package_of_head = if schema.as_deref() == Some("olm.package") { &name } else { &package };
    let package_of_head = package_of_head.as_deref().unwrap_or_default().to_owned();
    if !defects.is_empty() {
        return Err(Failure { schema: schema.unwrap_or_default().into_owned(), package: package_of_head, defects });
    }
    let schema = schema.unwrap_or_default();
    if schema.is_empty() {
        let blob = value.compact() + "\n";
        let at = if value.get_field("schema").is_some() { Spot::Path(vec!["schema".into()]) } else { Spot::Start };
        let defects = vec![Defect { kind: DefectKind::MissingSchema(blob), at }];
        return Err(Failure { schema: String::new(), package: package_of_head, defects });
    }
    Ok((schema, package, name))
}

fn path_of(defect: &Defect) -> &[Step] {
    match &defect.at {
        Spot::Path(path) | Spot::Key(path) => path,
        _ => &[],
    }
}

/// The three fields that every blob may have.
struct Head<'a, 'd> {
    value: Value<'d>,
    defects: &'a mut Vec<Defect>,
}

impl<'d> Head<'_, 'd> {
    fn string(&mut self, field: &str) -> Option<Cow<'d, str>> {
        // Keys that collide are reported elsewhere; here any of them will do.
        let (key, value) = self.value.get_field_with_key(field)?;
        if let Some(text) = value.as_str() {
            return Some(text);
        }
        let key = key.as_str().unwrap_or_default().into_owned();
        let kind = DefectKind::HeadNotString {
            key: key.clone(),
            found: value.kind(),
            opm: format!("{}: {}", go_verb(value, true), go_verb(value, false)),
        };
        self.defects.push(Defect::at_path(kind, vec![Step::Key(key)]));
        None
    }
}

/// Finds top-level keys that are equal under Unicode full case folding.
fn colliding_keys(value: Value<'_>, defects: &mut Vec<Defect>) {
    // Short lists of ASCII keys are compared in place, without allocating; long ones would cost their square.
    let is_short = value.members().nth(64).is_none();
    if is_short && value.members().all(|(key, _)| key.kind() == Kind::PlainString && key.raw().is_ascii()) {
        let keys = || value.members().map(|(key, _)| key.raw());
        let collides = keys()
            .enumerate()
            .any(|(idx, key)| keys().skip(idx + 1).any(|it| it != key && it.eq_ignore_ascii_case(key)));
        if !collides {
            return;
        }
    }
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, _) in value.members() {
        let key = key.as_str().unwrap_or_default();
        groups.entry(caseless::default_case_fold_str(&key)).or_default().insert(key.into_owned());
    }
    for (folded, keys) in groups {
        if keys.len() > 1 {
            let keys: Vec<String> = keys.into_iter().collect();
            let at = Spot::Key(vec![Step::Key(keys[keys.len() - 1].clone())]);
            defects.push(Defect { kind: DefectKind::CollidingKeys { folded, keys }, at });
        }
    }
}

/// The largest part of a value that an opm-style message repeats. The real tool repeats all of it, however large.
const MAX_QUOTED: usize = 64 * 1024;

/// A value as Go's `%t` (`boolean_verb`) or `%v` prints it. Deep values are cut: the text is for people.
fn go_verb(value: Value<'_>, boolean_verb: bool) -> String {
    fn write(value: Value<'_>, boolean_verb: bool, depth: usize, out: &mut String) {
        if out.len() > MAX_QUOTED || depth > 64 {
            out.push('…');
            return;
        }
        match value.kind() {
            Kind::Null => out.push_str(if boolean_verb && depth == 0 { "%!t(<nil>)" } else { "<nil>" }),
            Kind::True => out.push_str("true"),
            Kind::False => out.push_str("false"),
            Kind::Number => {
                let number = go_float(value.as_f64().unwrap_or(0.0));
                if boolean_verb { out.push_str(&format!("%!t(float64={number})")) } else { out.push_str(&number) }
            }
            Kind::PlainString | Kind::EscapedString => {
                let text = value.as_str().unwrap_or_default();
                if boolean_verb { out.push_str(&format!("%!t(string={text})")) } else { out.push_str(&text) }
            }
            Kind::Array => {
                out.push('[');
                for (idx, item) in value.items().enumerate() {
                    if idx > 0 {
                        out.push(' ');
                    }
                    write(item, boolean_verb, depth + 1, out);
                }
                out.push(']');
            }
            Kind::Object => {
                let mut members: BTreeMap<String, Value<'_>> = BTreeMap::new();
                for (key, member) in value.members() {
                    members.insert(key.as_str().unwrap_or_default().into_owned(), member);
                }
                out.push_str("map[");
                for (idx, (key, member)) in members.into_iter().enumerate() {
                    if idx > 0 {
                        out.push(' ');
                    }
                    if boolean_verb {
                        out.push_str(&format!("%!t(string={key}):"));
                    } else {
                        out.push_str(&format!("{key}:"));
                    }
                    write(member, boolean_verb, depth + 1, out);
                }
                out.push(']');
            }
        }
    }
    let mut out = String::new();
    write(value, boolean_verb, 0, &mut out);
    out
}

/// A double as Go's `%v` prints it: an exponent of at least two digits below 1e-4 and from 1e6 on.
fn go_float(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |it| ('-', it));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{number}")
}

/// Blanks of an indented document in opm's text. With more, the text has the document without them.
const MAX_SHOWN_BLANKS: u64 = 1 << 20;

/// opm's text for a document that is not an object: the decoder's words, then the document with a mark. A document from
/// YAML was made into JSON with HTML escapes.
fn not_an_object(value: Value<'_>, from_yaml: bool) -> String {
    let text = |json: &[u8]| {
        let json = String::from_utf8_lossy(json);
        if !from_yaml {
            return json.into_owned();
        }
        // Outside strings these characters do not occur.
        json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    };
    let mut compact = Vec::new();
    json::write_compact(value, &mut compact);
    let compact = text(&compact);
    let name = value.kind().name();
    let offset = if value.kind() == Kind::Array { 1 } else { compact.len() };
    let shown = if value.kind() == Kind::Array && value.indentation(4) <= MAX_SHOWN_BLANKS {
        let mut pretty = Vec::new();
        json::write_pretty(value, 4, 0, &mut pretty);
        format!("[ <== {}", text(&pretty[1..]))
    } else {
        format!("{compact} <==")
    };
    format!(
        "json: cannot unmarshal {name} into Go value of type map[string]interface {{}} at offset {offset} (indicated by \
         <==)\n{shown}"
    )
}
