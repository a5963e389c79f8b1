//! The types as a table, made once of `types.txt`.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// The wanted form of a value.
#[derive(Debug, Clone)]
pub enum Form {
    /// A text, with the name of its type.
    Text(&'static str),
    /// `true` or `false`.
    Truth,
    /// A whole number, with the name of its type.
    Int32(&'static str),
    /// A whole number of 64 bits.
    Int64,
    /// A number.
    Float,
    /// Bytes in base64.
    Bytes,
    /// Anything, with the name of its type.
    Any(&'static str),
    /// A field that the type does not have.
    Unknown,
    /// A moment (RFC 3339).
    Time,
    /// A quantity of Kubernetes, such as `100Mi`.
    Quantity,
    /// A whole number or a text.
    IntOrString,
    /// A semantic version.
    Version,
    /// The release of a version.
    Release,
    /// A list.
    List(Box<Form>),
    /// An object with keys of any name.
    Map(Box<Form>),
    /// An object of the type with this number.
    Object(usize),
    /// Something that is null if it is absent.
    Pointer(Box<Form>),
    /// A schema, or a truth value.
    SchemaOrBool(usize),
    /// A schema, or a list of some.
    SchemaOrList(usize),
    /// A schema, or a list of texts.
    SchemaOrTexts(usize),
}

/// A type with fields.
#[derive(Debug)]
pub(super) struct Struct {
    /// The name that Go prints, for example `v1.ObjectMeta`.
    pub(super) go: &'static str,
    /// The same without the package.
    pub(super) name: &'static str,
    pub(super) fields: Vec<Field>,
}

/// A field of a type.
#[derive(Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// The wanted form of its value.
    pub form: Form,
    /// Whether it is written even if it has the zero value.
    pub is_always: bool,
}

/// The ways of writing a field.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// A text.
    Text,
    /// `true` or `false`.
    Truth,
    /// A whole number.
    Int,
    /// Any value, as it is.
    Any,
    /// A list of texts.
    Texts,
    /// A list of objects with these fields.
    Objects(&'static [Field]),
}

impl Field {
    /// The form in which it is written; `Any` if no writer writes it.
    pub fn kind(&self) -> FieldKind {
        match &self.form {
            Form::Text(_) => FieldKind::Text,
            Form::Truth => FieldKind::Truth,
            Form::Int32(_) => FieldKind::Int,
            Form::List(of) => match **of {
                Form::Text(_) => FieldKind::Texts,
                Form::Object(number) => FieldKind::Objects(&fields_of(number).fields),
                _ => FieldKind::Any,
            },
            _ => FieldKind::Any,
        }
    }
}

struct Table {
    structs: Vec<Struct>,
    by_name: HashMap<&'static str, usize>,
}

/// A value that is taken as it is.
pub(super) const ANY: Form = Form::Any("json.RawMessage");

const TYPES: &str = include_str!("types.txt");

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = || TYPES.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
        let names = lines().filter(|it| !it.starts_with(' '));
        let by_name: HashMap<&str, usize> = names.enumerate().map(|(idx, name)| (name, idx)).collect();
        let mut structs: Vec<Struct> = Vec::with_capacity(by_name.len());
        for line in lines() {
            match (line.strip_prefix("  ").and_then(|it| it.split_once(' ')), structs.last_mut()) {
                (Some((name, of)), Some(last)) => {
                    let own = of.strip_suffix(" omitempty");
                    let form = parse(own.unwrap_or(of), &by_name);
                    last.fields.push(Field { name, form, is_always: own.is_none() });
                }
                _ => {
                    let go = printed(line);
                    let name = go.rsplit('.').next().unwrap_or(go);
                    structs.push(Struct { go, name, fields: Vec::new() });
                }
            }
        }
        Table { structs, by_name }
    })
}

/// A name as Go prints it.
fn printed(name: &'static str) -> &'static str {
    name.rsplit_once('/').map_or(name, |(_, name)| name)
}

fn parse(text: &'static str, by_name: &HashMap<&'static str, usize>) -> Form {
    let inner = |it: &'static str| Box::new(parse(it, by_name));
    let named = |it: &'static str| by_name.get(it).copied().unwrap_or_default();
    if let Some(of) = text.strip_prefix('*') {
        return Form::Pointer(inner(of));
    }
    if let Some(of) = text.strip_prefix("[]") {
        return Form::List(inner(of));
    }
    match text.split_once('=') {
        Some((name, "string")) => return Form::Text(printed(name)),
        Some((name, _)) => return Form::Any(printed(name)),
        None => {}
    }
    match text.split_once(':') {
        Some(("map", of)) => return Form::Map(inner(of)),
        Some(("schemaOrBool", of)) => return Form::SchemaOrBool(named(of)),
        Some(("schemaOrList", of)) => return Form::SchemaOrList(named(of)),
        Some(("schemaOrStrings", of)) => return Form::SchemaOrTexts(named(of)),
        _ => {}
    }
    match text {
        "string" => Form::Text("string"),
        "bool" => Form::Truth,
        "int32" | "int" => Form::Int32(text),
        "int64" => Form::Int64,
        "float64" => Form::Float,
        "bytes" => Form::Bytes,
        "any" => ANY,
        "time" => Form::Time,
        "quantity" => Form::Quantity,
        "intOrString" => Form::IntOrString,
        "version" => Form::Version,
        "release" => Form::Release,
        name => Form::Object(named(name)),
    }
}

/// The form of a type.
pub(super) fn form(text: &'static str) -> &'static Form {
    static FORMS: OnceLock<Mutex<HashMap<&'static str, &'static Form>>> = OnceLock::new();
    let table = table();
    let mut forms = FORMS.get_or_init(Mutex::default).lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // There are as many as `GoType` has constants.
    forms.entry(text).or_insert_with(|| Box::leak(Box::new(parse(text, &table.by_name))))
}

/// The fields of a type by its name.
pub(super) fn fields(name: &str) -> &'static [Field] {
    let table = table();
    table.by_name.get(name).map_or(&[], |number| table.structs[*number].fields.as_slice())
}

/// A type with fields, by its number.
pub(super) fn fields_of(number: usize) -> &'static Struct {
    &table().structs[number]
}

impl Form {
    /// The fields of an object, or of the items of a list.
    pub fn fields(&self) -> &'static [Field] {
        match self {
            Self::Object(number) => &fields_of(*number).fields,
            Self::List(of) | Self::Pointer(of) => of.fields(),
            _ => &[],
        }
    }

    /// The type as Go prints it.
    pub(super) fn go(&self) -> String {
        match self {
            Self::Text(name) | Self::Int32(name) | Self::Any(name) => (*name).to_owned(),
            Self::Unknown => String::new(),
            Self::Truth => "bool".to_owned(),
            Self::Int64 => "int64".to_owned(),
            Self::Float => "float64".to_owned(),
            Self::Bytes => "[]uint8".to_owned(),
            Self::Time => "v1.Time".to_owned(),
            Self::Quantity => "resource.Quantity".to_owned(),
            Self::IntOrString => "intstr.IntOrString".to_owned(),
            Self::Version => "version.OperatorVersion".to_owned(),
            Self::Release => "release.OperatorRelease".to_owned(),
            Self::List(of) => format!("[]{}", of.go()),
            Self::Map(of) => format!("map[string]{}", of.go()),
            Self::Object(number) => fields_of(*number).go.to_owned(),
            Self::Pointer(of) => format!("*{}", of.go()),
            Self::SchemaOrBool(_) => "v1.JSONSchemaPropsOrBool".to_owned(),
            Self::SchemaOrList(_) => "v1.JSONSchemaPropsOrArray".to_owned(),
            Self::SchemaOrTexts(_) => "v1.JSONSchemaPropsOrStringArray".to_owned(),
        }
    }

    /// The wanted form in words for people.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Truth | Self::SchemaOrBool(_) => "a boolean",
            Self::Int32(_) | Self::Int64 => "a whole number",
            Self::Float => "a number",
            Self::Bytes => "base64 text",
            Self::List(_) => "a list",
            Self::Pointer(of) => of.words(),
            _ => "an object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_a_type_of_the_table() {
        let basic = [
            "string",
            "bool",
            "int",
            "int32",
            "int64",
            "float64",
            "bytes",
            "any",
            "time",
            "quantity",
            "intOrString",
            "version",
            "release",
        ];
        let table = table();
        assert_eq!(table.structs.len(), table.by_name.len(), "a type occurs twice");
        for line in TYPES.lines().filter_map(|it| it.strip_prefix("  ")) {
            let (_, of) = line.split_once(' ').unwrap();
            let mut of = of.strip_suffix(" omitempty").unwrap_or(of);
            while let Some(inner) = of.strip_prefix('*').or(of.strip_prefix("[]")).or(of.strip_prefix("map:")) {
                of = inner;
            }
            let is_schema = of
                .split_once(':')
                .is_some_and(|(prefix, of)| prefix.starts_with("schemaOr") && table.by_name.contains_key(of));
            let is_known = basic.contains(&of)
                || of.ends_with("=string")
                || of.ends_with("=any")
                || table.by_name.contains_key(of);
            assert!(is_known || is_schema, "{line}");
        }
    }
}
