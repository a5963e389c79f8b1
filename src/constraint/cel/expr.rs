//! A rule as a tree whose names are resolved.
//!
//! What it deliberately does not do: it has no types and no values.

use std::sync::Arc;

use super::functions::Function;

/// An expression. Its depth is bounded by the reader, so walking it may recurse.
#[derive(Debug)]
pub(super) enum Expr {
    Literal(Literal),
    /// The properties, the only variable there is.
    Properties,
    /// A variable of a macro: its place among those that are open where it stands.
    Local(usize),
    /// The name of a type, as a value.
    TypeName(&'static str),
    /// A field of a map, or the question whether there is one.
    Select {
        operand: Box<Expr>,
        field: Arc<str>,
        is_test: bool,
    },
    /// A function or an operator; the receiver of a method is the first operand.
    Call {
        function: Function,
        is_method: bool,
        operands: Vec<Expr>,
    },
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Fold(Box<Fold>),
}

/// What macros become: a loop over the items of a list, or the keys of a map, with a result that is carried along. The
/// result is the local variable `result_at`, the item the one behind it.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Expr,
    pub(super) result_at: usize,
    pub(super) start: Expr,
    /// Whether to go on; sees the result only.
    pub(super) condition: Expr,
    pub(super) step: Expr,
    /// What the result becomes in the end; sees the result only.
    pub(super) end: Expr,
}

#[derive(Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// The types that have names.
pub(super) const TYPE_NAMES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];
