//! A rule as a tree, kept flat: the parts of a node have lower numbers.

use std::sync::Arc;

use super::functions::Function;
use super::value::Value;

pub(super) type NodeId = usize;

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Literal(Value),
    /// A name. One with a dot before it is never a variable of a macro.
    Name {
        name: Arc<str>,
        is_absolute: bool,
    },
    /// The properties, the only variable there is.
    Properties,
    /// A variable of a macro: its index among the variables that are open there.
    Local(usize),
    /// The name of a type, as a value.
    TypeName(&'static str),
    /// A field of a map, or the question whether there is one.
    Select {
        operand: NodeId,
        field: Arc<str>,
        is_test: bool,
    },
    /// An operator, or a function by its name.
    Call {
        function: Callee,
        target: Option<NodeId>,
        operands: Vec<NodeId>,
    },
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    List(Vec<NodeId>),
    Map(Vec<(NodeId, NodeId)>),
    Fold(Fold),
}

#[derive(Debug, Clone)]
pub(super) enum Callee {
    Known(Function),
    Unknown(Arc<str>),
}

/// A macro that goes over the items of a list, or the keys of a map.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    pub(super) kind: FoldKind,
    pub(super) range: NodeId,
    /// The variable for the item.
    pub(super) variable: Arc<str>,
    /// Whether the variable can be named at all: one that is written with a dot before it cannot.
    pub(super) is_reachable: bool,
    /// `map` with three arguments: which items count.
    pub(super) filter: Option<NodeId>,
    pub(super) body: NodeId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoldKind {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Expr>,
    /// The place of each node in the rule: its operator, or its start.
    pub(super) offsets: Vec<usize>,
    pub(super) root: NodeId,
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
