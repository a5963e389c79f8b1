//! Going through a value as a decoder of Go does, without recursion.

use super::Decoder;
use super::scalar;
use super::table::{ANY, Form, Struct, fields_of};
use crate::json::{Kind, Step, Value, fold_eq};
use olmdex_version::Quoted;

/// A value that does not fit its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The path to it.
    pub path: Vec<Step>,
    /// The field as the decoder names it, from the type on that it began with.
    pub go_field: String,
    /// The problem.
    pub problem: Problem,
    /// The decoder's message.
    pub go: String,
}

/// A problem of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It is of another kind.
    Kind {
        /// The wanted form, in our words.
        wanted: &'static str,
        /// The type that Go decodes it into.
        go_type: String,
        /// Whether a text would fit.
        takes_text: bool,
        /// The kind that was found.
        found: Kind,
    },
    /// It is a number that the type cannot hold.
    Number {
        /// The type that Go decodes it into.
        go_type: String,
        /// The bits of the type.
        bits: u8,
        /// The number as it is written.
        found: String,
    },
    /// It is a text with a wrong content; with our words for it.
    Text(String),
    /// The type has no such field.
    Unknown,
}

impl Problem {
    /// The problem in words, for example `must be a string, found a number`; `must_be` is the beginning.
    fn words(&self, must_be: &str) -> String {
        match self {
            Self::Kind { wanted, found, .. } => format!("{must_be} {wanted}, found {}", found.words()),
            Self::Number { bits, found, .. } => format!("{must_be} a whole number of {bits} bits, found {found}"),
            Self::Text(text) => text.clone(),
            Self::Unknown => "is not a field of the type".to_owned(),
        }
    }
}

impl Misfit {
    /// A value that a reader refuses after it was decoded.
    pub fn wording(path: Vec<Step>, message: String, go: String) -> Self {
        Self { path, go_field: String::new(), problem: Problem::Text(message), go }
    }

    /// The problem in our words, for example `must be a string, found a number`.
    pub fn message(&self) -> String {
        self.problem.words("must be")
    }

    /// The same without a field before it: `expected a string, found a number`.
    pub fn expectation(&self) -> String {
        self.problem.words("expected")
    }

    /// Whether it is a text without the quotes that would make it one.
    pub fn wants_quotes(&self) -> bool {
        let is_scalar = |it: Kind| matches!(it, Kind::Number | Kind::True | Kind::False);
        matches!(self.problem, Problem::Kind { takes_text: true, found, .. } if is_scalar(found))
    }

    /// The path in the form `spec.versions[0].name`; empty for the value itself.
    pub fn field(&self) -> String {
        let mut field = String::new();
        for step in &self.path {
            match step {
                Step::Index(idx) => field.push_str(&format!("[{idx}]")),
                Step::Key(key) if field.is_empty() => field.push_str(key),
                Step::Key(key) => field.push_str(&format!(".{key}")),
            }
        }
        field
    }
}

/// A step of the way, which becomes a [`Step`] only if something is wrong.
#[derive(Clone, Copy)]
enum PathSegment<'d> {
    /// A field.
    Key(Value<'d>),
    /// A key of a map.
    Entry(Value<'d>),
    Index(usize),
}

/// A value that is still to be checked.
struct Open<'d> {
    value: Value<'d>,
    form: &'static Form,
    /// The number of steps that lead to it.
    depth: usize,
    segment: Option<PathSegment<'d>>,
    /// The start of the innermost decoder: the type that its messages name, and the depth.
    root: (&'static str, usize),
    /// The innermost type with fields.
    owner: &'static str,
}

/// Calls `on` for each misfit, until it returns `false`.
pub(super) fn walk(value: Value<'_>, form: &'static Form, decoder: Decoder, on: &mut dyn FnMut(Misfit) -> bool) {
    let root = match form {
        Form::Object(number) => fields_of(*number).name,
        _ => "",
    };
    let mut open = vec![Open { value, form, depth: 0, segment: None, root: (root, 0), owner: root }];
    let mut path: Vec<PathSegment<'_>> = Vec::new();
    while let Some(next) = open.pop() {
        path.truncate(next.depth.saturating_sub(1));
        path.extend(next.segment);
        if let Err(wrong) = look(&next, decoder, &mut open)
            && !on(misfit(&next, &path, decoder, wrong))
        {
            return;
        }
    }
}

/// A problem of a value.
enum Wrong {
    /// It is of another kind, or a number that the type cannot hold.
    Kind,
    /// A decoder of its own refuses it.
    Wording(String),
    /// Neither a schema nor a truth value.
    NoSchema,
    /// It is in a field that the type does not have.
    Unknown,
}

/// Checks a value, and puts its parts on the stack, in reverse.
fn look<'d>(it: &Open<'d>, decoder: Decoder, open: &mut Vec<Open<'d>>) -> Result<(), Wrong> {
    let (value, kind) = (it.value, it.value.kind());
    let is_text = matches!(kind, Kind::PlainString | Kind::EscapedString);
    let fits = |fits: bool| if fits { Ok(()) } else { Err(Wrong::Kind) };
    let says = |wording: Result<(), String>| wording.map_err(Wrong::Wording);
    let form = match it.form {
        Form::Pointer(_) if kind == Kind::Null => return Ok(()),
        Form::Pointer(of) => of,
        form => form,
    };
    match (form, kind) {
        (Form::Unknown, _) => Err(Wrong::Unknown),
        (Form::Version, _) => says(scalar::version(value)),
        (Form::Release, _) => says(scalar::release(value)),
        (_, Kind::Null) | (Form::Any(_), _) => Ok(()),
        (Form::Text(_), Kind::Number | Kind::True | Kind::False) => fits(decoder == Decoder::Yaml),
        (Form::Text(_), _) => fits(is_text),
        (Form::Truth, _) => fits(matches!(kind, Kind::True | Kind::False)),
        // The converter takes whole numbers of any kind, and cuts them.
        (Form::Int32(_) | Form::Int64, Kind::Number) if decoder == Decoder::Converter => {
            fits(value.as_f64().is_some_and(|it| it.fract() == 0.0))
        }
        (Form::Int32(_), Kind::Number) if decoder == Decoder::Sorted => {
            fits(value.as_f64().is_some_and(|it| it.fract() == 0.0 && it.abs() < 2_147_483_648.0))
        }
        (Form::Int32(_), _) => fits(kind == Kind::Number && value.raw().parse::<i32>().is_ok()),
        (Form::Int64, _) => fits(kind == Kind::Number && value.raw().parse::<i64>().is_ok()),
        (Form::Float, _) => fits(kind == Kind::Number),
        (Form::Bytes, _) => says(scalar::bytes(value)),
        (Form::Time, _) => says(scalar::time(value)),
        (Form::Quantity, _) => says(scalar::quantity(value)),
        (Form::IntOrString, _) => says(scalar::int_or_string(value)),
        (Form::List(of), Kind::Array) => {
            items(it, of, it.root, open);
            Ok(())
        }
        (Form::Map(of), Kind::Object) => {
            let from = open.len();
            each_member(value, decoder, |key, value| {
                if !plainly_fits(of, value) {
                    open.push(below(it, PathSegment::Entry(key), value, of, it.root, it.owner));
                }
            });
            open[from..].reverse();
            Ok(())
        }
        (Form::Object(number), Kind::Object) => {
            fields(it, fields_of(*number), it.root, decoder, open);
            Ok(())
        }
        (Form::SchemaOrBool(number) | Form::SchemaOrList(number) | Form::SchemaOrTexts(number), Kind::Object) => {
            let schema = fields_of(*number);
            fields(it, schema, (schema.name, it.depth), decoder, open);
            Ok(())
        }
        (Form::SchemaOrBool(_), Kind::True | Kind::False) => Ok(()),
        (Form::SchemaOrBool(_), _) => Err(Wrong::NoSchema),
        (Form::SchemaOrList(number), Kind::Array) => {
            items(it, schema_of(*number), ("", it.depth), open);
            Ok(())
        }
        (Form::SchemaOrTexts(_), Kind::Array) => {
            const TEXT: &Form = &Form::Text("string");
            items(it, TEXT, ("", it.depth), open);
            Ok(())
        }
        // The decoder ignores every other value there.
        (Form::SchemaOrList(_) | Form::SchemaOrTexts(_), _) => Ok(()),
        _ => Err(Wrong::Kind),
    }
}

/// The form of a schema by the number of its type.
fn schema_of(number: usize) -> &'static Form {
    let schema = fields_of(number);
    // A schema has a schema below `not`.
    let field = schema.fields.iter().find(|it| it.name == "not");
    match field.map(|it| &it.form) {
        Some(Form::Pointer(of)) => of,
        _ => &ANY,
    }
}

fn below<'d>(
    it: &Open<'d>,
    segment: PathSegment<'d>,
    value: Value<'d>,
    form: &'static Form,
    root: (&'static str, usize),
    owner: &'static str,
) -> Open<'d> {
    Open { value, form, depth: it.depth + 1, segment: Some(segment), root, owner }
}

fn items<'d>(it: &Open<'d>, of: &'static Form, root: (&'static str, usize), open: &mut Vec<Open<'d>>) {
    let from = open.len();
    let items = it.value.items().enumerate().filter(|item| !plainly_fits(of, item.1));
    open.extend(items.map(|(idx, value)| below(it, PathSegment::Index(idx), value, of, root, it.owner)));
    open[from..].reverse();
}

fn fields<'d>(
    it: &Open<'d>,
    of: &'static Struct,
    root: (&'static str, usize),
    decoder: Decoder,
    open: &mut Vec<Open<'d>>,
) {
    let from = open.len();
    each_member(it.value, decoder, |key, value| {
        let name = key.as_str().unwrap_or_default();
        let exact = of.fields.iter().find(|it| it.name == name);
        let folded = || of.fields.iter().find(|it| decoder.folds_keys() && fold_eq(&name, it.name));
        match exact.or_else(folded) {
            Some(field) if !plainly_fits(&field.form, value) => {
                open.push(below(it, PathSegment::Key(key), value, &field.form, root, of.name));
            }
            None if decoder == Decoder::Strict => {
                open.push(below(it, PathSegment::Key(key), value, &Form::Unknown, root, of.name));
            }
            _ => {}
        }
    });
    open[from..].reverse();
}

/// Whether a value fits without a closer look, as most do: then it need not wait for one.
fn plainly_fits(form: &Form, value: Value<'_>) -> bool {
    match (form, value.kind()) {
        (Form::Version | Form::Release, _) => false,
        (_, Kind::Null) | (Form::Any(_), _) => true,
        (Form::Text(_), kind) => matches!(kind, Kind::PlainString | Kind::EscapedString),
        (Form::Truth, kind) => matches!(kind, Kind::True | Kind::False),
        _ => false,
    }
}

/// Hands over the members of an object in the order in which a decoder meets them.
fn each_member<'d>(value: Value<'d>, decoder: Decoder, mut take: impl FnMut(Value<'d>, Value<'d>)) {
    let text = |key: Value<'d>| key.as_str().unwrap_or_default();
    let is_sorting = matches!(decoder, Decoder::Sorted | Decoder::Strict);
    if !is_sorting || value.members().map(|it| text(it.0)).is_sorted_by(|a, b| a < b) {
        return value.members().for_each(|(key, value)| take(key, value));
    }
    let mut members: Vec<(Value<'d>, Value<'d>)> = value.members().collect();
    // The last of equal keys counts; reversing makes it the one that `dedup` keeps.
    members.reverse();
    members.sort_by(|a, b| text(a.0).cmp(&text(b.0)));
    members.dedup_by(|a, b| text(a.0) == text(b.0));
    members.into_iter().for_each(|(key, value)| take(key, value));
}

fn misfit(it: &Open<'_>, segments: &[PathSegment<'_>], decoder: Decoder, wrong: Wrong) -> Misfit {
    let form = match it.form {
        Form::Pointer(of) => of,
        form => form,
    };
    let kind = it.value.kind();
    let step = |segment: &PathSegment<'_>| match segment {
        PathSegment::Key(key) | PathSegment::Entry(key) => Step::Key(key.as_str().unwrap_or_default().into_owned()),
        PathSegment::Index(idx) => Step::Index(*idx),
    };
    let path: Vec<Step> = segments.iter().map(step).collect();
    let field = go_field(it, segments, decoder);
    let go = |found: &str| refused(path.get(it.root.1..).unwrap_or_default(), &field, decoder, found, &form.go());
    let of_kind = |wanted: &'static str| {
        let takes_text = matches!(form, Form::Text(_) | Form::Version | Form::Release | Form::Time);
        Problem::Kind { wanted, go_type: form.go(), takes_text, found: kind }
    };
    let bits = match form {
        Form::Int32(_) => Some(32),
        Form::Int64 => Some(64),
        _ => None,
    };
    let (problem, go) = match (wrong, bits) {
        (Wrong::Kind, _) if decoder == Decoder::Converter => (of_kind(form.words()), unconverted(form, it.value)),
        (Wrong::Kind, Some(bits)) if kind == Kind::Number && decoder != Decoder::Sorted => {
            let found = it.value.raw().to_owned();
            let go = go(&format!("number {found}"));
            (Problem::Number { go_type: form.go(), bits, found }, go)
        }
        (Wrong::Kind, _) => (of_kind(form.words()), go(kind.name())),
        (Wrong::Wording(wording), _) => (own_words(form, kind, &wording).map_or_else(of_kind, Problem::Text), wording),
        (Wrong::NoSchema, _) => (of_kind("a schema or a boolean"), "boolean or JSON schema expected".to_owned()),
        (Wrong::Unknown, _) => {
            let key = if let Some(Step::Key(key)) = path.last() { key.as_str() } else { "" };
            (Problem::Unknown, format!("json: unknown field {}", Quoted(key)))
        }
    };
    Misfit { path, go_field: field, problem, go }
}

/// The message for a text that has a decoder of its own, or the wanted form if the value is not a text.
fn own_words(form: &Form, kind: Kind, wording: &str) -> Result<String, &'static str> {
    let is_text = matches!(kind, Kind::PlainString | Kind::EscapedString);
    match form {
        Form::Version | Form::Release | Form::Time if !is_text => Err("a string"),
        Form::Version => Ok(format!("is not a version: {wording}")),
        Form::Release => Ok(format!("is not a release: {wording}")),
        Form::Time => Ok("is not a time such as `2026-01-31T12:00:00Z`".to_owned()),
        Form::Quantity => Ok("is not a quantity such as `10Mi`".to_owned()),
        Form::IntOrString => Err("a whole number of 32 bits or a string"),
        Form::Bytes if is_text => Ok("is not base64 text".to_owned()),
        _ => Err(form.words()),
    }
}

/// The words of the converter.
fn unconverted(form: &Form, value: Value<'_>) -> String {
    let (kind, of) = match value.kind() {
        Kind::Number if value.raw().parse::<i64>().is_ok() => ("int64", "int64"),
        Kind::Number => ("float64", "float64"),
        Kind::Array => ("slice", "[]interface {}"),
        Kind::Object => ("map", "map[string]interface {}"),
        Kind::PlainString | Kind::EscapedString => ("string", "string"),
        _ => ("bool", "bool"),
    };
    match form {
        Form::List(_) => format!("cannot restore slice from {kind}"),
        Form::Map(_) => format!("cannot restore map from {kind}"),
        Form::Object(_) => format!("cannot restore struct from: {kind}"),
        form => format!("cannot convert {of} to {}", form.go()),
    }
}

/// A field as a decoder names it.
fn go_field(it: &Open<'_>, segments: &[PathSegment<'_>], decoder: Decoder) -> String {
    let (root, depth) = it.root;
    let is_library = decoder != Decoder::Kubernetes;
    let mut field = if is_library { root } else { it.owner }.to_owned();
    for segment in segments.iter().skip(depth) {
        match segment {
            // The decoder of Kubernetes names neither items nor keys of maps.
            PathSegment::Entry(_) | PathSegment::Index(_) if !is_library => {}
            PathSegment::Key(key) | PathSegment::Entry(key) => {
                field.push_str(&format!(".{}", key.as_str().unwrap_or_default()));
            }
            PathSegment::Index(idx) => field.push_str(&format!(".{idx}")),
        }
    }
    field
}

/// The words of a decoder about a value of another kind, by its path from where the decoder began.
fn refused(path: &[Step], field: &str, decoder: Decoder, found: &str, wanted: &str) -> String {
    match path.last() {
        None => format!("json: cannot unmarshal {found} into Go value of type {wanted}"),
        // An item of a list is reported without the words "Go struct field".
        Some(Step::Index(_)) if decoder != Decoder::Kubernetes => {
            format!("json: cannot unmarshal {found} into {field} of type {wanted}")
        }
        Some(_) => format!("json: cannot unmarshal {found} into Go struct field {field} of type {wanted}"),
    }
}

impl Decoder {
    /// Whether the case of keys does not matter.
    fn folds_keys(self) -> bool {
        matches!(self, Self::Library | Self::Yaml | Self::Sorted | Self::Strict)
    }
}

#[cfg(test)]
mod tests {
    use crate::gotype::{Decoder, GoType};
    use crate::json::Reader;

    fn wording(of: GoType, decoder: Decoder, text: &str) -> Vec<(String, String, String)> {
        let mut reader = Reader::new();
        let found = of.misfits(reader.read(text).unwrap(), decoder);
        found.into_iter().map(|it| (it.field(), it.message(), it.go)).collect()
    }

    #[test]
    fn a_misfit_has_its_path_and_both_words() {
        let crd = r#"{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"description":5,"properties":{"a":{"type":[]}}}}}]}}"#;
        let go = "json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.description of type string";
        let found = wording(GoType::DEFINITION, Decoder::Kubernetes, crd);
        assert_eq!(found[0].0, "spec.versions[0].schema.openAPIV3Schema.description");
        assert_eq!(found[0].1, "must be a string, found a number");
        assert_eq!(found[0].2, go);
        let go = "json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.type of type string";
        assert_eq!(found[1].2, go);
        assert_eq!(found.len(), 2);

        let spec = r#"{"install":{"spec":{"deployments":[{"name":"x","spec":"oops"}]}}}"#;
        let found = wording(GoType::DEPLOYMENTS, Decoder::Library, spec);
        assert_eq!(found[0].0, "install.spec.deployments[0].spec");
        let go = "json: cannot unmarshal string into Go struct field csvSpec.install.spec.deployments.0.spec of type v1.DeploymentSpec";
        assert_eq!(found[0].2, go);
    }

    #[test]
    fn decoders_differ_in_keys_and_in_scalars() {
        let crd = r#"{"SPEC":5,"metadata":{"labels":{"a":null}}}"#;
        assert!(GoType::DEFINITION.misfit(Reader::new().read(crd).unwrap(), Decoder::Kubernetes).is_none());
        assert_eq!(wording(GoType::DEFINITION, Decoder::Library, crd).len(), 1);
        let csv = r#"{"metadata":{"name":5,"labels":{"a":true}},"spec":{"version":1.0}}"#;
        let fields = |decoder| -> Vec<String> {
            wording(GoType::SERVICE_VERSION, decoder, csv).into_iter().map(|it| it.0).collect()
        };
        assert_eq!(fields(Decoder::Library), ["metadata.name", "metadata.labels.a", "spec.version"]);
        assert_eq!(fields(Decoder::Yaml), ["spec.version"]);
    }

    #[test]
    fn properties_are_read_with_sorted_keys_of_which_the_last_counts() {
        let wording = |kind: &str, text: &str| {
            let mut reader = Reader::new();
            let found = GoType::of_property(kind).unwrap().misfit_of_sorted(reader.read(text).unwrap());
            found.map(|it| it.go)
        };
        let refused = |words: &str| Some(format!("json: cannot unmarshal number into Go struct field {words}"));
        let unsorted = r#"{"version":5,"packageName":6}"#;
        assert_eq!(wording("olm.package", unsorted), refused("Package.packageName of type string"));
        assert_eq!(wording("olm.package", r#"{"version":5,"version":"1.0.0"}"#), None);
        assert_eq!(
            wording("olm.package", r#"{"version":"1.0.0","version":5}"#),
            refused("Package.version of type string")
        );
        assert_eq!(wording("olm.channel", r#"{"priority":1.0}"#), None);
        assert_eq!(wording("olm.channel", r#"{"priority":1.5}"#), refused("Channel.priority of type int"));
        let modes = r#"{"installModes":[{"type":5}]}"#;
        let go = refused("CSVMetadata.installModes.0.type of type v1alpha1.InstallModeType");
        assert_eq!(wording("olm.csv.metadata", modes), go);
        assert!(GoType::of_property("olm.bundle.object").is_none());
    }

    #[test]
    fn schemas_stand_where_other_things_may() {
        let schema = |text: &str| {
            let crd = format!(r#"{{"spec":{{"versions":[{{"schema":{{"openAPIV3Schema":{text}}}}}]}}}}"#);
            wording(GoType::DEFINITION, Decoder::Kubernetes, &crd).into_iter().map(|it| it.2).collect::<Vec<_>>()
        };
        for good in [
            r#"{"items":5,"additionalProperties":true,"dependencies":{"a":["b"],"c":{"type":"object"},"d":5}}"#,
            r#"{"items":[{"type":"string"}],"additionalProperties":null,"default":{"a":[]},"enum":[1,"a",null]}"#,
        ] {
            assert_eq!(schema(good), Vec::<String>::new(), "{good}");
        }
        assert_eq!(schema(r#"{"additionalProperties":[]}"#), ["boolean or JSON schema expected"]);
        let go = "json: cannot unmarshal number into Go struct field JSONSchemaProps.type of type string";
        assert_eq!(schema(r#"{"additionalProperties":{"type":5}}"#), [go]);
        assert_eq!(schema(r#"{"items":[{"type":5}]}"#), [go]);
        let go = "json: cannot unmarshal number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maxLength of type int64";
        assert_eq!(schema(r#"{"maxLength":1.5}"#), [go]);
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = format!("{}{}{}", r#"{"not":"#.repeat(4_000), r#"{"type":5}"#, "}".repeat(4_000));
        let crd = format!(r#"{{"spec":{{"versions":[{{"schema":{{"openAPIV3Schema":{deep}}}}}]}}}}"#);
        assert_eq!(wording(GoType::DEFINITION, Decoder::Kubernetes, &crd).len(), 1);
    }

    #[test]
    fn the_strict_decoder_refuses_unknown_fields_where_it_meets_them() {
        let text = r#"{"mirror":{"operators":[{"nope":1,"Catalog":5}],"helm":{"zz":1}},"kind":"a"}"#;
        let found = wording(GoType::IMAGE_SET, Decoder::Strict, text);
        let fields: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(fields, ["mirror.helm.zz", "mirror.operators[0].Catalog", "mirror.operators[0].nope"]);
        assert_eq!(found[0].2, r#"json: unknown field "zz""#);
        assert!(wording(GoType::IMAGE_SET, Decoder::Sorted, text).len() == 1);
    }
}
