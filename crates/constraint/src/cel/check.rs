//! The types of a rule, as cel-go infers them: a rule that it refuses is refused here. Names are replaced by their
//! meanings.
//!
//! A tree is walked in cel-go's order, because the order decides what open types become. One
//! more thing depends on the order: cel-go compares numbers of different types only from the first macro on, since on
//! entering a macro it forgets that it should not.

use std::sync::Arc;

use super::assign::Assignments;
use super::error::{Fault, RuleErrorKind};
use super::functions::Function;
use super::overload::call;
use super::tree::{Callee, Expr, Fold, FoldKind, NodeId, TYPE_NAMES, Tree};
use super::type_table::{Shape, Type};
use super::value::Value;

/// Checks a rule, and gives names their meanings.
pub(super) fn check(tree: &mut Tree) -> Result<(), Fault> {
    let (root, n_nodes) = (tree.root, tree.nodes.len());
    let mut assignments = Assignments::default();
    let unknown = assignments.types.get(Shape::Dyn);
    let (variables, types) = (Vec::new(), vec![unknown; n_nodes]);
    let mut checker = Checker { tree, assignments, types, variables, compares_across: false };
    checker.visit(root).map_err(|fault| *fault)?;
    let of_root = checker.types[root];
    let of_root = checker.assignments.resolve(of_root).map_err(|it| Fault::whole(it.into()))?;
    match checker.assignments.types.shape(of_root) {
        Shape::Bool => checker.tree.nodes.iter().try_for_each(|node| refuse_key(checker.tree, node)),
        _ => Err(Fault::whole(RuleErrorKind::NotBool)),
    }
}

/// Refuses keys that cel-go cannot plan.
fn refuse_key(tree: &Tree, node: &Expr) -> Result<(), Fault> {
    let Expr::Call { function: Callee::Known(Function::Index), operands, .. } = node else { return Ok(()) };
    let [_, key] = operands.as_slice() else { return Ok(()) };
    let what = match &tree.nodes[*key] {
        Expr::Literal(Value::Null) => "types.Null",
        Expr::Literal(Value::Bytes(_)) => "types.Bytes",
        Expr::TypeName(_) => "*types.Type",
        _ => return Ok(()),
    };
    let what = format!("invalid qualifier type: {what}");
    Err(Fault::at(tree.offsets[*key], RuleErrorKind::Invalid(what)))
}

struct Checker<'t> {
    tree: &'t mut Tree,
    assignments: Assignments,
    /// The types of the nodes that were visited.
    types: Vec<Type>,
    /// The variables of the macros around, with their types, and whether they can be named.
    variables: Vec<(Arc<str>, Type, bool)>,
    /// Whether numbers of different types are compared.
    compares_across: bool,
}

type Checked<T> = Result<T, RuleErrorKind>;

impl Checker<'_> {
    fn fits(&mut self, a: Type, b: Type) -> Checked<bool> {
        Ok(self.assignments.fit([(a, b)])?)
    }

    /// The type of a node, or its fault.
    fn typed(&self, node: NodeId, found: Checked<Type>) -> Result<Type, Box<Fault>> {
        found.map_err(|kind| Fault::at(self.tree.offsets[node], kind).into())
    }

    /// Finds the type of a node, after those of its parts.
    fn visit(&mut self, node: NodeId) -> Result<(), Box<Fault>> {
        if let Some(name) = self.type_name(node) {
            self.tree.nodes[node] = Expr::TypeName(name);
        }
        let expr = self.tree.nodes[node].clone();
        if let Expr::Fold(fold) = &expr {
            return self.fold(node, fold);
        }
        self.visit_parts(node, &expr)?;
        let found = self.leave(node, expr);
        let checked = found.and_then(|of_node| Ok(self.assignments.check_depth(of_node)?));
        self.types[node] = self.typed(node, checked)?;
        Ok(())
    }

    /// Visits the parts of a node. The type of a list or map is then that of the node, since its items are joined.
    fn visit_parts(&mut self, node: NodeId, expr: &Expr) -> Result<(), Box<Fault>> {
        match expr {
            Expr::Select { operand, .. } => self.visit(*operand)?,
            Expr::Call { target, operands, .. } => {
                // The operands come before the receiver.
                for part in operands.iter().chain(target) {
                    self.visit(*part)?;
                }
            }
            Expr::And(parts) | Expr::Or(parts) => self.balanced(parts)?,
            Expr::List(items) => {
                let mut item = None;
                for part in items {
                    self.visit_joined(*part, &mut item)?;
                }
                let item = item.unwrap_or_else(|| self.assignments.types.new_open());
                self.types[node] = self.assignments.shape(Shape::List(item));
            }
            Expr::Map(entries) => {
                let (mut key, mut value) = (None, None);
                for (of_key, of_value) in entries {
                    self.visit_joined(*of_key, &mut key)?;
                    self.visit_joined(*of_value, &mut value)?;
                }
                let key = key.unwrap_or_else(|| self.assignments.types.new_open());
                let value = value.unwrap_or_else(|| self.assignments.types.new_open());
                self.types[node] = self.assignments.shape(Shape::Map(key, value));
            }
            _ => {}
        }
        Ok(())
    }

    /// Visits an item, and joins its type with that of the items before it: their common type is settled item by item.
    fn visit_joined(&mut self, part: NodeId, common: &mut Option<Type>) -> Result<(), Box<Fault>> {
        self.visit(part)?;
        let joined = self.join(*common, self.types[part]);
        *common = Some(self.typed(part, joined)?);
        Ok(())
    }

    /// The type of a node whose parts have theirs.
    fn leave(&mut self, node: NodeId, expr: Expr) -> Checked<Type> {
        match expr {
            Expr::Literal(value) => Ok(self.assignments.shape(shape_of(&value))),
            Expr::Name { name, is_absolute } => self.name(node, &name, is_absolute),
            Expr::TypeName(name) => Ok(self.type_of_type(name)),
            Expr::Select { operand, is_test, .. } => self.select(operand, is_test),
            Expr::Call { function, target, operands } => self.call(function, target, &operands),
            Expr::And(_) | Expr::Or(_) => Ok(self.assignments.shape(Shape::Bool)),
            Expr::List(_) | Expr::Map(_) | Expr::Fold(_) | Expr::Properties | Expr::Local(_) => Ok(self.types[node]),
        }
    }

    fn call(&mut self, function: Callee, target: Option<NodeId>, operands: &[NodeId]) -> Checked<Type> {
        let function = match function {
            Callee::Known(function) => function,
            Callee::Unknown(name) => return Err(RuleErrorKind::Undeclared(name.to_string())),
        };
        let types: Vec<Type> = target.iter().chain(operands).map(|operand| self.types[*operand]).collect();
        call(&mut self.assignments, self.compares_across, function, target.is_some(), &types)
    }

    /// Visits the parts of `||` or `&&`, which cel-go balances as a tree of operators with two operands each.
    fn balanced(&mut self, parts: &[NodeId]) -> Result<(), Box<Fault>> {
        let (left, right) = parts.split_at(parts.len().div_ceil(2));
        for half in [left, right] {
            match half {
                [] => {}
                [part] => self.visit(*part)?,
                _ => self.balanced(half)?,
            }
        }
        for half in [left, right] {
            let [part] = half else { continue };
            let (of_part, bool) = (self.types[*part], self.assignments.shape(Shape::Bool));
            let fits = self.fits(of_part, bool).and_then(|fits| match fits {
                true => Ok(bool),
                false => {
                    let found = self.assignments.text(of_part);
                    Err(RuleErrorKind::Type(format!("expected type 'bool' but found '{found}'")))
                }
            });
            self.typed(*part, fits)?;
        }
        Ok(())
    }

    fn fold(&mut self, node: NodeId, fold: &Fold) -> Result<(), Box<Fault>> {
        self.visit(fold.range)?;
        let item = self.enter(node, fold);
        let item = self.typed(node, item)?;
        self.variables.push((Arc::clone(&fold.variable), item, fold.is_reachable));
        for part in fold.filter.iter().chain([&fold.body]) {
            self.visit(*part)?;
        }
        self.variables.pop();
        let of_node = self.exit(node, fold, item).and_then(|of_node| Ok(self.assignments.resolve(of_node)?));
        self.types[node] = self.typed(node, of_node)?;
        Ok(())
    }

    /// The type that a name with dots stands for. A variable of a macro hides it.
    fn type_name(&self, node: NodeId) -> Option<&'static str> {
        let mut parts = Vec::new();
        let mut at = node;
        loop {
            match &self.tree.nodes[at] {
                Expr::Select { operand, field, is_test: false } if parts.len() < 3 => {
                    parts.push(&**field);
                    at = *operand;
                }
                Expr::Name { name, is_absolute } if !parts.is_empty() => {
                    if !is_absolute && self.variable(name).is_some() {
                        return None;
                    }
                    parts.push(name);
                    parts.reverse();
                    let name = parts.join(".");
                    return TYPE_NAMES.iter().find(|it| **it == name).copied();
                }
                _ => return None,
            }
        }
    }

    fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().rposition(|(it, _, is_reachable)| *is_reachable && **it == *name)
    }

    fn name(&mut self, node: NodeId, name: &str, is_absolute: bool) -> Checked<Type> {
        if !is_absolute && let Some(at) = self.variable(name) {
            self.tree.nodes[node] = Expr::Local(at);
            return Ok(self.variables[at].1);
        }
        if name == "properties" {
            self.tree.nodes[node] = Expr::Properties;
            let (text, any) = (self.assignments.shape(Shape::String), self.assignments.shape(Shape::Any));
            let property = self.assignments.types.map(text, any);
            return Ok(self.assignments.types.list(property));
        }
        match TYPE_NAMES.iter().find(|it| **it == name) {
            Some(known) => {
                self.tree.nodes[node] = Expr::TypeName(known);
                Ok(self.type_of_type(known))
            }
            None => {
                let dot = if is_absolute { "." } else { "" };
                Err(RuleErrorKind::Undeclared(format!("{dot}{name}")))
            }
        }
    }

    fn type_of_type(&mut self, name: &str) -> Type {
        let shape = match name {
            "bool" => Shape::Bool,
            "bytes" => Shape::Bytes,
            "double" => Shape::Double,
            "google.protobuf.Duration" => Shape::Duration,
            "google.protobuf.Timestamp" => Shape::Timestamp,
            "int" => Shape::Int,
            "null_type" => Shape::Null,
            "string" => Shape::String,
            "uint" => Shape::Uint,
            "type" => Shape::Meta(None),
            // All types of types fit, so the inner type does not matter.
            _ => Shape::Dyn,
        };
        let of = self.assignments.shape(shape);
        self.assignments.shape(Shape::Meta(Some(of)))
    }

    fn select(&mut self, operand: NodeId, is_test: bool) -> Checked<Type> {
        let operand = self.types[operand];
        let of_operand = self.assignments.resolve(operand)?;
        let dynamic = self.assignments.shape(Shape::Dyn);
        let found = match self.assignments.types.shape(of_operand) {
            Shape::Map(_, value) => value,
            Shape::Open(_) => {
                self.fits(dynamic, of_operand)?;
                dynamic
            }
            Shape::Dyn | Shape::Any => dynamic,
            _ => {
                let found = self.assignments.text(of_operand);
                return Err(RuleErrorKind::Type(format!("type '{found}' does not support field selection")));
            }
        };
        let found = if is_test { self.assignments.shape(Shape::Bool) } else { found };
        Ok(self.assignments.resolve(found)?)
    }

    /// The common type of a type and those before it.
    fn join(&mut self, before: Option<Type>, next: Type) -> Checked<Type> {
        let Some(before) = before else { return Ok(next) };
        if self.fits(before, next)? {
            return Ok(self.assignments.more_general(before, next));
        }
        Ok(self.assignments.shape(Shape::Dyn))
    }

    /// The type of the items that a macro goes over.
    fn enter(&mut self, node: NodeId, fold: &Fold) -> Checked<Type> {
        // The intermediate result of `map` and `filter` is an empty list, whose items may still be of any type.
        if matches!(fold.kind, FoldKind::Map | FoldKind::Filter) {
            let item = self.assignments.types.new_open();
            self.types[node] = self.assignments.types.list(item);
        }
        let range = self.types[fold.range];
        let of_range = self.assignments.resolve(range)?;
        let dynamic = self.assignments.shape(Shape::Dyn);
        let item = match self.assignments.types.shape(of_range) {
            Shape::List(item) => item,
            Shape::Map(key, _) => key,
            Shape::Dyn | Shape::Open(_) => {
                self.fits(dynamic, of_range)?;
                dynamic
            }
            _ => {
                let found = self.assignments.text(of_range);
                let what = format!("expression of type '{found}' cannot be range of a comprehension");
                return Err(RuleErrorKind::Type(format!("{what} (must be list, map, or dynamic)")));
            }
        };
        self.compares_across = true;
        Ok(item)
    }

    /// The type of a macro, by its use of each item.
    fn exit(&mut self, node: NodeId, fold: &Fold, item: Type) -> Checked<Type> {
        let (body, filter) = (self.types[fold.body], fold.filter.map(|it| self.types[it]));
        let (bool, int) = (self.assignments.shape(Shape::Bool), self.assignments.shape(Shape::Int));
        match fold.kind {
            FoldKind::All | FoldKind::Exists => {
                if !self.fits(body, bool)? {
                    let found = self.assignments.text(body);
                    return Err(RuleErrorKind::Type(format!("expected type 'bool' but found '{found}'")));
                }
                Ok(bool)
            }
            FoldKind::ExistsOne => {
                call(&mut self.assignments, self.compares_across, Function::Conditional, false, &[body, int, int])?;
                Ok(bool)
            }
            FoldKind::Map | FoldKind::Filter => {
                let so_far = self.types[node];
                let (added, condition) = match fold.kind {
                    FoldKind::Map => (body, filter),
                    _ => (item, Some(body)),
                };
                let added = self.assignments.types.list(added);
                let added = self.assignments.check_depth(added)?;
                let mut step =
                    call(&mut self.assignments, self.compares_across, Function::Add, false, &[so_far, added])?;
                if let Some(condition) = condition {
                    step = call(
                        &mut self.assignments,
                        self.compares_across,
                        Function::Conditional,
                        false,
                        &[condition, step, so_far],
                    )?;
                }
                if !self.fits(so_far, step)? {
                    let (expected, found) = (self.assignments.text(so_far), self.assignments.text(step));
                    return Err(RuleErrorKind::Type(format!("expected type '{expected}' but found '{found}'")));
                }
                Ok(so_far)
            }
        }
    }
}

fn shape_of(literal: &Value) -> Shape {
    match literal {
        Value::Null => Shape::Null,
        Value::Bool(_) => Shape::Bool,
        Value::Int(_) => Shape::Int,
        Value::Uint(_) => Shape::Uint,
        Value::Double(_) => Shape::Double,
        Value::String(_) => Shape::String,
        Value::Bytes(_) => Shape::Bytes,
        // No literal has another type.
        _ => Shape::Dyn,
    }
}
