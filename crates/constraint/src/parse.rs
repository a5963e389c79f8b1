//! Reads the value of an `olm.constraint` property, as OLM's decoder reads it.
//!
//! OLM stops at the first error; here all errors are found, each with its place, and the first is OLM's.

use std::rc::Rc;

use super::cel::Rule;
use super::tree::{Condition, ConstraintError, MAX_CONSTRAINT, Tree};
use olmdex_text::api::Api;
use olmdex_text::json::{self, Kind, Step, Value};
use olmdex_version::blang::Range;

/// A defect that makes a constraint unusable.
#[derive(Debug)]
pub(crate) struct Defect {
    pub(crate) error: ConstraintError,
    /// The path inside the value.
    pub(crate) path: Vec<Step>,
}

/// A constraint that can be read, with the places of its nodes.
pub(crate) struct Reading<'d> {
    pub(crate) tree: Tree,
    /// The object of each node, and its place.
    pub(crate) objects: Vec<(Value<'d>, Place)>,
    pub(crate) places: Places,
}

/// A place inside a value, by its number.
pub(crate) type Place = usize;

/// Places inside a value: each a step further than another. The first is the value itself.
#[derive(Default)]
pub(crate) struct Places(Vec<(Place, Option<Step>)>);

impl Places {
    fn new() -> Self {
        Self(vec![(0, None)])
    }

    fn below(&mut self, place: Place, step: impl Into<Step>) -> Place {
        self.0.push((place, Some(step.into())));
        self.0.len() - 1
    }

    /// The steps to a place.
    pub(crate) fn path(&self, mut place: Place) -> Vec<Step> {
        let mut path = Vec::new();
        while let Some((above, Some(step))) = self.0.get(place) {
            path.push(step.clone());
            place = *above;
        }
        path.reverse();
        path
    }
}

/// The fields that determine the kind of a constraint, in the order in which OLM looks for them.
pub(crate) const KINDS: [&str; 6] = ["gvk", "package", "all", "any", "not", "cel"];

/// The kind of an object of the format, which decides its fields.
#[derive(Clone, Copy)]
enum Shape {
    Constraint,
    Api,
    Package,
    Cel,
    Compound,
}

impl Shape {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Constraint => &["failureMessage", "gvk", "package", "cel", "all", "any", "not"],
            Self::Api => &["group", "kind", "version"],
            Self::Package => &["packageName", "versionRange"],
            Self::Cel => &["rule"],
            Self::Compound => &["constraints"],
        }
    }
}

/// Reads the text of an `olm.constraint` property.
pub(crate) fn parse(text: &str) -> Result<Tree, ConstraintError> {
    if text.len() > MAX_CONSTRAINT {
        return Err(ConstraintError::TooLarge);
    }
    let mut reader = json::Reader::new();
    // OLM ignores the text after the first value.
    let (value, _) = reader.read_at(text, 0).map_err(|error| ConstraintError::Json(error.to_string()))?;
    match read(value) {
        Ok(reading) => Ok(reading.tree),
        Err(defects) => Err(defects.into_iter().next().map_or(ConstraintError::Empty, |it| it.error)),
    }
}

/// Reads the value of an `olm.constraint` property.
pub(crate) fn read(value: Value<'_>) -> Result<Reading<'_>, Vec<Defect>> {
    let defects = wrong_fields(value);
    if defects.is_empty() { convert(value) } else { Err(defects) }
}

/// Fields that OLM does not know, or whose values are of another kind, in the order of the text; including those that
/// have no effect.
fn wrong_fields(value: Value<'_>) -> Vec<Defect> {
    let mut places = Places::new();
    let mut defects = Vec::new();
    let mut open = vec![(value, Shape::Constraint, 0)];
    while let Some((value, shape, place)) = open.pop() {
        let mut wrong = |places: &Places, error, place| defects.push(Defect { error, path: places.path(place) });
        match value.kind() {
            Kind::Null => continue,
            Kind::Object => {}
            other => {
                let what = format!("cannot unmarshal {} into Go value", other.name());
                wrong(&places, ConstraintError::Json(what), place);
                continue;
            }
        }
        let mut inside = Vec::new();
        for (key, value) in value.members() {
            let name = key.as_str().unwrap_or_default();
            let here = places.below(place, Step::Key(name.clone().into_owned()));
            let field = shape.fields().iter().find(|it| json::fold_eq(&name, it));
            let Some(field) = field else {
                wrong(&places, ConstraintError::UnknownField(name.into_owned()), here);
                continue;
            };
            let next = match *field {
                "gvk" => Some(Shape::Api),
                "package" => Some(Shape::Package),
                "cel" => Some(Shape::Cel),
                "all" | "any" | "not" => Some(Shape::Compound),
                _ => None,
            };
            match (next, value.kind()) {
                (_, Kind::Null) => {}
                (Some(next), _) => inside.push((value, next, here)),
                (None, Kind::Array) if *field == "constraints" => {
                    for (idx, item) in value.items().enumerate() {
                        inside.push((item, Shape::Constraint, places.below(here, idx)));
                    }
                }
                (None, Kind::PlainString | Kind::EscapedString) if *field != "constraints" => {}
                (None, other) => {
                    let what = format!("cannot unmarshal {} into Go struct field {field}", other.name());
                    wrong(&places, ConstraintError::Json(what), here);
                }
            }
        }
        open.extend(inside.into_iter().rev());
    }
    defects
}

fn convert(value: Value<'_>) -> Result<Reading<'_>, Vec<Defect>> {
    let mut tree = Tree { nodes: Vec::new(), messages: Vec::new() };
    let mut places = Places::new();
    let mut objects = Vec::new();
    let mut defects = Vec::new();
    // With the number of the node that the constraint is a part of.
    let mut open: Vec<(Value<'_>, Option<usize>, Place)> = vec![(value, None, 0)];
    while let Some((value, parent, place)) = open.pop() {
        let idx = tree.nodes.len();
        let present = |name: &str| value.get_field(name).filter(|it| !it.is_null());
        let Some((kind, of)) = KINDS.iter().find_map(|kind| Some((*kind, present(kind)?))) else {
            defects.push(Defect { error: ConstraintError::Empty, path: places.path(place) });
            continue;
        };
        let node = match kind {
            "gvk" | "package" | "cel" => match leaf(kind, of, value) {
                Ok(node) => node,
                Err((error, field)) => {
                    let of_kind = places.below(place, kind);
                    let at = places.below(of_kind, field);
                    defects.push(Defect { error, path: places.path(at) });
                    continue;
                }
            },
            compound => {
                let of_kind = places.below(place, compound);
                let list = places.below(of_kind, "constraints");
                let items = of.get_field("constraints").into_iter().flat_map(|it| it.items());
                let parts: Vec<_> = items.enumerate().map(|(at, it)| (it, Some(idx), places.below(list, at))).collect();
                open.extend(parts.into_iter().rev());
                match compound {
                    "all" => Condition::All(Vec::new()),
                    "any" => Condition::Any(Vec::new()),
                    _ => Condition::Not(Vec::new()),
                }
            }
        };
        tree.nodes.push(node);
        tree.messages.push(value.text_of_field("failureMessage"));
        objects.push((value, place));
        if let Some(Condition::All(parts) | Condition::Any(parts) | Condition::Not(parts)) =
            parent.and_then(|it| tree.nodes.get_mut(it))
        {
            parts.push(idx);
        }
    }
    if defects.is_empty() { Ok(Reading { tree, objects, places }) } else { Err(defects) }
}

/// A constraint without parts, from the value of its kind and the whole; or the error, with the field of its kind.
fn leaf(kind: &str, of: Value<'_>, whole: Value<'_>) -> Result<Condition, (ConstraintError, &'static str)> {
    match kind {
        "gvk" => Ok(Condition::Api(Api::of_fields(of))),
        "package" => {
            let (name, text) = (of.text_of_field("packageName"), of.text_of_field("versionRange"));
            match Range::parse(&text) {
                Ok(range) => Ok(Condition::Package { name, text, range }),
                Err(error) => Err((ConstraintError::Range(error), "versionRange")),
            }
        }
        _ => {
            let (text, message) = (of.text_of_field("rule"), whole.text_of_field("failureMessage"));
            match Rule::compile(&text) {
                Ok(rule) => Ok(Condition::Cel { rule: Rc::new(rule), text, message }),
                Err(error) => Err((ConstraintError::Rule(error), "rule")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Reach;
    use super::*;

    #[test]
    fn nothing_is_too_deep() {
        let deep = |n: usize| {
            let open = "{\"all\":{\"constraints\":[".repeat(n);
            format!("{open}{{\"gvk\":{{\"kind\":\"K\"}}}}{}", "]}}".repeat(n))
        };
        let tree = parse(&deep(3000)).unwrap();
        assert_eq!(tree.nodes.len(), 3001);
        assert_eq!(tree.text(), "providing an API with group: , version: , kind: K");
        assert_eq!(tree.reach(), Reach::Leaves(vec![3000]));
        assert_eq!(parse(&deep(6000)).unwrap_err(), ConstraintError::TooLarge);
    }

    #[test]
    fn fields_are_those_of_olm() {
        for (text, error) in [
            (
                r#"{"package":{"name":"blue","versionRange":"1.0.0"}}"#,
                "parse olm.constraint: json: unknown field \"name\"",
            ),
            (r#"{"gvk":{"kind":"K"},"all":{"x":1}}"#, "parse olm.constraint: json: unknown field \"x\""),
            (r#"{"any":{"constraints":[{}]}}"#, "convert olm.constraint to resolver predicate: constraint is empty"),
            ("null", "convert olm.constraint to resolver predicate: constraint is empty"),
            (
                r#"{"cel":{"rule":"1"}}"#,
                "convert olm.constraint to resolver predicate: cel expressions must have type Bool",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), error, "{text}");
        }
        let tree = parse(r#"{"GVK":{"Kind":"K"},"cel":{"rule":"nonsense"}} trailing"#).unwrap();
        assert_eq!(tree.nodes.len(), 1);
    }
}
