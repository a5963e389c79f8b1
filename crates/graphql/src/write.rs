//! An answer as JSON, in which members are sorted by name, as Go writes maps.

use std::convert::Infallible;

use async_graphql::{Response, ServerError, Value, to_value};
use olmdex_text::json::{write_number, write_string_html};

use crate::limits::{Budget, Excess};

/// Errors that are written. More help nobody.
const MAX_ERRORS: usize = 100;
/// Characters of a message.
const MAX_MESSAGE: usize = 1_000;

/// An answer without data.
pub(crate) fn refusal(error: ServerError) -> Vec<u8> {
    let mut out = b"{\"data\":null".to_vec();
    end(vec![error], &mut out);
    out
}

/// The answer of a query that was run, or at least read.
pub(crate) fn write(response: Response, budget: &Budget) -> Result<Vec<u8>, Excess> {
    let mut out = b"{\"data\":".to_vec();
    match &response.data {
        // A directive has left no field.
        Value::Null if response.errors.is_empty() => out.extend_from_slice(b"{}"),
        data => write_value(data, &mut out, &|out| budget.check_bytes(out.len()))?,
    }
    end(response.errors, &mut out);
    budget.check_bytes(out.len())?;
    Ok(out)
}

/// Writes a value; a check may end it.
fn write_value<E>(value: &Value, out: &mut Vec<u8>, check: &impl Fn(&[u8]) -> Result<(), E>) -> Result<(), E> {
    match value {
        Value::Null | Value::Binary(_) => out.extend_from_slice(b"null"),
        Value::Boolean(known) => out.extend_from_slice(if *known { b"true" } else { b"false" }),
        Value::Number(number) if number.is_f64() => write_number(&number.to_string(), out),
        Value::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::String(text) => write_string_html(text, out),
        Value::Enum(name) => write_string_html(name, out),
        Value::List(items) => {
            out.push(b'[');
            for item in items {
                write_value(item, out, check)?;
                out.push(b',');
            }
            close(b']', out);
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push(b'{');
            for (name, value) in members {
                write_string_html(name, out);
                out.push(b':');
                write_value(value, out, check)?;
                out.push(b',');
            }
            close(b'}', out);
        }
    }
    check(out)
}

/// Ends a list or an object whose members have commas behind them.
fn close(mark: u8, out: &mut Vec<u8>) {
    out.pop_if(|last| *last == b',');
    out.push(mark);
}

/// Writes the errors behind the data.
fn end(mut errors: Vec<ServerError>, out: &mut Vec<u8>) {
    if !errors.is_empty() {
        // The crate finds some of them in a map, whose order is chance.
        errors.sort_by_cached_key(|error| {
            (error.locations.first().map(|at| (at.line, at.column)), error.message.clone())
        });
        errors.truncate(MAX_ERRORS);
        for error in &mut errors {
            error.message = error.message.chars().take(MAX_MESSAGE).collect();
        }
        out.extend_from_slice(b",\"errors\":");
        let errors = to_value(&errors).unwrap_or_default();
        let Ok(()) = write_value(&errors, out, &|_| Ok::<_, Infallible>(()));
    }
    out.extend_from_slice(b"}\n");
}
