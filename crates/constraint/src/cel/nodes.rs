//! Makes the nodes of a tree: computes the height of each, and expands macros.

use std::sync::Arc;

use super::error::{Fault, RuleErrorKind};
use super::functions::Function;
use super::tree::{Callee, Expr, Fold, FoldKind, NodeId, Tree};

/// The number of times that a rule of the grammar may be within itself, and an operator within others (cel-go's limit).
pub(super) const MAX_DEPTH: usize = 250;

pub(super) fn too_deep() -> Fault {
    Fault::whole(RuleErrorKind::Depth { limit: MAX_DEPTH })
}

/// A part that has been read, and how many operators are within one another in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) node: NodeId,
    pub(super) height: usize,
}

impl Tree {
    pub(super) fn add(&mut self, node: Expr, offset: usize, height: usize) -> Result<Part, Fault> {
        if height > MAX_DEPTH {
            return Err(too_deep());
        }
        self.nodes.push(node);
        self.offsets.push(offset);
        Ok(Part { node: self.nodes.len() - 1, height })
    }

    /// An operator on parts: one more within one another.
    pub(super) fn apply(&mut self, function: Function, parts: &[Part], offset: usize) -> Result<Part, Fault> {
        let height = parts.iter().map(|it| it.height).max().unwrap_or_default() + 1;
        let operands = parts.iter().map(|it| it.node).collect();
        self.add(Expr::Call { function: Callee::Known(function), target: None, operands }, offset, height)
    }

    /// A call of a name, or the expansion of the macro of that name.
    pub(super) fn called(
        &mut self,
        name: Arc<str>,
        is_absolute: bool,
        target: Option<Part>,
        operands: &[Part],
        offset: usize,
    ) -> Result<Part, Fault> {
        let height = target.iter().chain(operands).map(|it| it.height).max().unwrap_or_default();
        let height = height + usize::from(target.is_some());
        let node = match (target, operands) {
            (None, [operand]) if &*name == "has" && !is_absolute => self.has(*operand, offset)?,
            (Some(range), [variable, rest @ ..]) => match fold_kind(&name, rest.len()) {
                Some(kind) => self.fold(kind, range, *variable, rest)?,
                None => called_node(name, target, operands),
            },
            _ => called_node(name, target, operands),
        };
        self.add(node, offset, height)
    }

    fn has(&self, operand: Part, offset: usize) -> Result<Expr, Fault> {
        match &self.nodes[operand.node] {
            Expr::Select { operand, field, is_test: false } => {
                Ok(Expr::Select { operand: *operand, field: Arc::clone(field), is_test: true })
            }
            _ => Err(Fault::at(offset, RuleErrorKind::Invalid("invalid argument to has() macro".to_owned()))),
        }
    }

    fn fold(&self, kind: FoldKind, range: Part, variable: Part, rest: &[Part]) -> Result<Expr, Fault> {
        let invalid = |what: &str| Err(Fault::at(self.offsets[variable.node], RuleErrorKind::Invalid(what.to_owned())));
        let Expr::Name { name, is_absolute } = &self.nodes[variable.node] else {
            return invalid(match kind {
                FoldKind::Map | FoldKind::Filter => "argument is not an identifier",
                _ => "argument must be a simple name",
            });
        };
        if &**name == "__result__" && !is_absolute {
            return invalid("iteration variable overwrites accumulator variable");
        }
        let (filter, body) = match rest {
            [filter, body] => (Some(filter.node), body.node),
            [body] => (None, body.node),
            _ => return invalid("argument must be a simple name"),
        };
        Ok(Expr::Fold(Fold {
            kind,
            range: range.node,
            variable: Arc::clone(name),
            is_reachable: !is_absolute,
            filter,
            body,
        }))
    }
}

fn called_node(name: Arc<str>, target: Option<Part>, operands: &[Part]) -> Expr {
    let function = Function::by_name(&name).map_or(Callee::Unknown(name), Callee::Known);
    Expr::Call { function, target: target.map(|it| it.node), operands: operands.iter().map(|it| it.node).collect() }
}

/// The macro of a name with `n_arguments` arguments after its variable.
fn fold_kind(name: &str, n_arguments: usize) -> Option<FoldKind> {
    Some(match (name, n_arguments) {
        ("all", 1) => FoldKind::All,
        ("exists", 1) => FoldKind::Exists,
        ("exists_one" | "existsOne", 1) => FoldKind::ExistsOne,
        ("map", 1 | 2) => FoldKind::Map,
        ("filter", 1) => FoldKind::Filter,
        _ => return None,
    })
}
