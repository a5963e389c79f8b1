//! The overloads of a function that fit the types of its operands.

use super::assign::Assignments;
use super::error::RuleErrorKind;
use super::functions::{Declared, Function};
use super::type_table::{Shape, Type};

/// The type of a call: that of the overloads that fit, if they agree. With `compares_across`, numbers of different
/// types may be compared.
pub(super) fn call(
    assignments: &mut Assignments,
    compares_across: bool,
    function: Function,
    is_method: bool,
    operands: &[Type],
) -> Result<Type, RuleErrorKind> {
    let (as_method, as_function) = function.styles();
    let mut found: Option<Type> = None;
    let overloads = if is_method && as_method || !is_method && as_function { function.overloads() } else { &[] };
    for (wanted, result) in overloads {
        if function.is_ordering() && wanted[0] != wanted[1] && !compares_across {
            continue;
        }
        // Each overload has open types of its own.
        let is_generic = wanted.iter().any(|it| is_generic(*it));
        let (a, b) = if is_generic {
            (assignments.types.new_open(), assignments.types.new_open())
        } else {
            let dynamic = assignments.shape(Shape::Dyn);
            (dynamic, dynamic)
        };
        if wanted.len() != operands.len() {
            continue;
        }
        let wanted: Vec<Type> = wanted.iter().map(|it| declared(assignments, *it, a, b)).collect();
        if !assignments.fit(operands.iter().copied().zip(wanted))? {
            continue;
        }
        let result = declared(assignments, *result, a, b);
        let result = assignments.resolve(result)?;
        found = Some(match found {
            None => result,
            Some(before) => {
                let is_dynamic = matches!(assignments.types.shape(before), Shape::Dyn | Shape::Any);
                if is_dynamic || before == result { before } else { assignments.shape(Shape::Dyn) }
            }
        });
    }
    found.map_or_else(|| Err(no_overload(assignments, function, is_method, operands)), Ok)
}

fn no_overload(assignments: &mut Assignments, function: Function, is_method: bool, operands: &[Type]) -> RuleErrorKind {
    let texts: Vec<String> = operands.iter().map(|it| assignments.text(*it)).collect();
    let operands = match texts.split_first() {
        Some((receiver, rest)) if is_method => format!("{receiver}.({})", rest.join(", ")),
        _ => format!("({})", texts.join(", ")),
    };
    RuleErrorKind::NoOverload { function: function.name().to_owned(), operands }
}

fn declared(assignments: &mut Assignments, it: Declared, a: Type, b: Type) -> Type {
    let shape = match it {
        Declared::A => return a,
        Declared::B => return b,
        Declared::ListOfA => Shape::List(a),
        Declared::MapOfAToB => Shape::Map(a, b),
        Declared::TypeOfA => Shape::Meta(Some(a)),
        Declared::Dyn => Shape::Dyn,
        Declared::Any => Shape::Any,
        Declared::Bool => Shape::Bool,
        Declared::Int => Shape::Int,
        Declared::Uint => Shape::Uint,
        Declared::Double => Shape::Double,
        Declared::String => Shape::String,
        Declared::Bytes => Shape::Bytes,
        Declared::Timestamp => Shape::Timestamp,
        Declared::Duration => Shape::Duration,
    };
    assignments.shape(shape)
}

fn is_generic(it: Declared) -> bool {
    matches!(it, Declared::A | Declared::B | Declared::ListOfA | Declared::MapOfAToB | Declared::TypeOfA)
}
