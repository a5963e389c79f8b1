//! Whether a written value can have a type. No catalog has input objects or enumerations as arguments.

use super::place::is_literal_of;
use crate::limits::{Excess, check_nested};
use crate::schema::{Schema, Shape, TypeKind, Wrap};
use crate::syntax::ast::{Document, Id, Kind};
use crate::syntax::print::print;

/// The faults of a value; none if it is valid. A variable counts as valid.
pub(super) fn misfits(
    document: &Document<'_>,
    schema: &Schema,
    shape: Option<Shape<'_>>,
    value: Id,
    depth: usize,
) -> Result<Vec<String>, Excess> {
    check_nested(depth)?;
    let Some(shape) = shape else { return Ok(Vec::new()) };
    match shape.opened() {
        Some((Wrap::NonNull, inner)) if inner.wraps.is_empty() && inner.base.is_none() => {
            Ok(vec!["Can only create NonNull of a Nullable Type but got: <nil>.".to_owned()])
        }
        Some((Wrap::NonNull, inner)) => misfits(document, schema, Some(inner), value, depth + 1),
        _ if document[value].kind == Kind::Variable => Ok(Vec::new()),
        Some((Wrap::List, inner)) if document[value].kind == Kind::List => {
            let mut all = Vec::new();
            for item in document.children(value) {
                let found = misfits(document, schema, Some(inner), item, depth + 1)?;
                // The number is that of the fault, not that of the item.
                all.extend(found.iter().zip(1..).map(|(it, number)| format!("In element #{number}: {it}")));
            }
            Ok(all)
        }
        Some((Wrap::List, inner)) => misfits(document, schema, Some(inner), value, depth + 1),
        None => Ok(scalar_misfit(document, schema, shape, value).into_iter().collect()),
    }
}

fn scalar_misfit(document: &Document<'_>, schema: &Schema, shape: Shape<'_>, value: Id) -> Option<String> {
    let found = schema.get(shape.base?);
    let fits = match &found.kind {
        TypeKind::Scalar(scalar) => is_literal_of(document, value, *scalar),
        TypeKind::Enum(values) => {
            let node = &document[value];
            node.kind == Kind::Enum && values.iter().any(|it| it.name == node.text)
        }
        TypeKind::Object(_) | TypeKind::Missing => true,
    };
    (!fits).then(|| format!("Expected type \"{}\", found {}.", found.name, print(document, value)))
}
