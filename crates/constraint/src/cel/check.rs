//! The types of a rule, as cel-go infers them: a rule that it refuses is refused here. Names are replaced by their
//! meanings.
//!
//! A tree is walked with a stack of tasks, in cel-go's order, because the order decides what open types become. One
//! more thing depends on the order: cel-go compares numbers of different types only from the first macro on, since on
//! entering a macro it forgets that it should not.

use std::collections::HashMap;
use std::sync::Arc;

use super::assign::Assignments;
use super::error::{Fault, RuleErrorKind};
use super::functions::Function;
use super::literal::Literal;
use super::overload::call;
use super::tree::{Callee, Expr, FoldKind, NodeId, TYPE_NAMES, Tree};
use super::type_table::{Shape, Type};

/// Checks a whole rule: it must be a yes or no.
pub(super) fn check(tree: &mut Tree) -> Result<(), Fault> {
    let root = tree.root;
    let n_nodes = tree.nodes.len();
    let mut assignments = Assignments::default();
    let unknown = assignments.types.get(Shape::Dyn);
    let mut checker = Checker {
        tree,
        assignments,
        types: vec![unknown; n_nodes],
        variables: Vec::new(),
        compares_across: false,
        joined: HashMap::new(),
        open: vec![Task::Visit(root)],
    };
    while let Some(task) = checker.open.pop() {
        let node = task.node();
        let offset = checker.tree.offsets[node];
        checker.task(task).map_err(|kind| Fault::at(offset, kind))?;
    }
    let of_root = checker.types[root];
    let of_root = checker.assignments.resolve(of_root).map_err(|it| Fault::whole(it.into()))?;
    match checker.assignments.types.shape(of_root) {
        Shape::Bool => Ok(()),
        _ => Err(Fault::whole(RuleErrorKind::NotBool)),
    }
}

/// A step of checking a node.
enum Task {
    /// Its parts first.
    Visit(NodeId),
    /// Its parts are done.
    Leave(NodeId),
    /// The range of a macro is done.
    Enter(NodeId),
    /// The filter and the body of a macro are done.
    Exit(NodeId),
    /// An item of a list, a key or a value of a map is done: which, and whether it is a value.
    Join(NodeId, NodeId, bool),
    /// A part of `&&` or `||` is done, and its neighbour too.
    Bool(NodeId),
}

impl Task {
    fn node(&self) -> NodeId {
        match self {
            Self::Visit(it) | Self::Leave(it) | Self::Enter(it) | Self::Exit(it) | Self::Bool(it) => *it,
            Self::Join(_, part, _) => *part,
        }
    }
}

struct Checker<'t> {
    tree: &'t mut Tree,
    assignments: Assignments,
    /// The type of each node that is done.
    types: Vec<Type>,
    /// The variables of the macros that are open, innermost last: name, type, and whether it can be named.
    variables: Vec<(Arc<str>, Type, bool)>,
    compares_across: bool,
    /// The common type of the items, or of the keys and values, checked so far.
    joined: HashMap<NodeId, (Option<Type>, Option<Type>)>,
    open: Vec<Task>,
}

type Checked<T> = Result<T, RuleErrorKind>;

impl Checker<'_> {
    fn fits(&mut self, a: Type, b: Type) -> Checked<bool> {
        Ok(self.assignments.fit([(a, b)])?)
    }

    fn task(&mut self, task: Task) -> Checked<()> {
        match task {
            Task::Visit(node) => self.visit(node),
            Task::Leave(node) => {
                let of_node = self.leave(node)?;
                self.types[node] = self.assignments.check_depth(of_node)?;
                Ok(())
            }
            Task::Enter(node) => self.enter(node),
            Task::Exit(node) => {
                let of_node = self.exit(node)?;
                self.types[node] = self.assignments.resolve(of_node)?;
                Ok(())
            }
            Task::Join(node, part, is_value) => {
                let (key, value) = self.joined.get(&node).copied().unwrap_or_default();
                let of_part = self.types[part];
                let joined = self.join(if is_value { value } else { key }, of_part)?;
                let both = if is_value { (key, Some(joined)) } else { (Some(joined), value) };
                self.joined.insert(node, both);
                Ok(())
            }
            Task::Bool(part) => {
                let (of_part, bool) = (self.types[part], self.assignments.shape(Shape::Bool));
                if self.fits(of_part, bool)? {
                    return Ok(());
                }
                let found = self.assignments.text(of_part);
                Err(RuleErrorKind::Type(format!("expected type 'bool' but found '{found}'")))
            }
        }
    }

    fn visit(&mut self, node: NodeId) -> Checked<()> {
        if let Some(name) = self.type_name(node) {
            self.tree.nodes[node] = Expr::TypeName(name);
        }
        let parts: Vec<NodeId> = match &self.tree.nodes[node] {
            Expr::Select { operand, .. } => vec![*operand],
            // The operands come before the receiver.
            Expr::Call { target, operands, .. } => operands.iter().copied().chain(*target).collect(),
            Expr::And(parts) | Expr::Or(parts) => {
                let tasks = balanced(parts);
                self.open.push(Task::Leave(node));
                self.open.extend(tasks.into_iter().rev());
                return Ok(());
            }
            // The common type of items is settled item by item.
            Expr::List(items) => {
                let tasks: Vec<Task> =
                    items.iter().flat_map(|it| [Task::Visit(*it), Task::Join(node, *it, false)]).collect();
                self.open.push(Task::Leave(node));
                self.open.extend(tasks.into_iter().rev());
                return Ok(());
            }
            Expr::Map(entries) => {
                let of_part = |part: NodeId, is_value| [Task::Visit(part), Task::Join(node, part, is_value)];
                let of_entry =
                    |(key, value): &(NodeId, NodeId)| of_part(*key, false).into_iter().chain(of_part(*value, true));
                let tasks: Vec<Task> = entries.iter().flat_map(of_entry).collect();
                self.open.push(Task::Leave(node));
                self.open.extend(tasks.into_iter().rev());
                return Ok(());
            }
            Expr::Fold(fold) => {
                let range = fold.range;
                self.open.extend([Task::Enter(node), Task::Visit(range)]);
                return Ok(());
            }
            _ => Vec::new(),
        };
        self.open.push(Task::Leave(node));
        self.open.extend(parts.into_iter().rev().map(Task::Visit));
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

    fn leave(&mut self, node: NodeId) -> Checked<Type> {
        let shape = match &self.tree.nodes[node] {
            Expr::Literal(literal) => match literal {
                Literal::Null => Shape::Null,
                Literal::Bool(_) => Shape::Bool,
                Literal::Int(_) => Shape::Int,
                Literal::Uint(_) => Shape::Uint,
                Literal::Double(_) => Shape::Double,
                Literal::String(_) => Shape::String,
                Literal::Bytes(_) => Shape::Bytes,
            },
            Expr::Name { name, is_absolute } => {
                let (name, is_absolute) = (Arc::clone(name), *is_absolute);
                return self.name(node, &name, is_absolute);
            }
            Expr::TypeName(name) => {
                let name = *name;
                return Ok(self.type_of_type(name));
            }
            Expr::Select { operand, is_test, .. } => {
                let (operand, is_test) = (*operand, *is_test);
                return self.select(operand, is_test);
            }
            Expr::Call { function, target, operands } => {
                let (function, target, operands) = (function.clone(), *target, operands.clone());
                return match function {
                    Callee::Known(function) => {
                        let types: Vec<Type> =
                            target.iter().chain(&operands).map(|operand| self.types[*operand]).collect();
                        call(&mut self.assignments, self.compares_across, function, target.is_some(), &types)
                    }
                    Callee::Unknown(name) => Err(RuleErrorKind::Undeclared(name.to_string())),
                };
            }
            Expr::And(_) | Expr::Or(_) => Shape::Bool,
            Expr::List(_) => {
                let (item, _) = self.joined.remove(&node).unwrap_or_default();
                Shape::List(item.unwrap_or_else(|| self.assignments.types.new_open()))
            }
            Expr::Map(_) => {
                let (key, value) = self.joined.remove(&node).unwrap_or_default();
                let key = key.unwrap_or_else(|| self.assignments.types.new_open());
                let value = value.unwrap_or_else(|| self.assignments.types.new_open());
                Shape::Map(key, value)
            }
            Expr::Properties | Expr::Local(_) | Expr::Fold(_) => return Ok(self.types[node]),
        };
        Ok(self.assignments.shape(shape))
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

    /// Opens the variable of a macro.
    fn enter(&mut self, node: NodeId) -> Checked<()> {
        let Expr::Fold(fold) = &self.tree.nodes[node] else { return Ok(()) };
        let fold = fold.clone();
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
        self.variables.push((fold.variable, item, fold.is_reachable));
        self.open.push(Task::Exit(node));
        self.open.push(Task::Visit(fold.body));
        self.open.extend(fold.filter.map(Task::Visit));
        Ok(())
    }

    /// The type of a macro, by its use of each item.
    fn exit(&mut self, node: NodeId) -> Checked<Type> {
        let variable = self.variables.pop();
        let Expr::Fold(fold) = &self.tree.nodes[node] else { return Ok(self.types[node]) };
        let fold = fold.clone();
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
                    _ => (variable.map_or(body, |(_, item, _)| item), Some(body)),
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

/// The tasks of the parts of a chain of `&&` or `||`. cel-go makes a balanced tree of it; the types of two parts that
/// are joined there are compared before later parts are visited.
fn balanced(parts: &[NodeId]) -> Vec<Task> {
    enum Step {
        /// Operators, by their numbers: each joins the part before it with the part after it.
        Operators(usize, usize),
        Part(usize),
        Bool(usize),
    }
    let mut tasks = Vec::new();
    let mut open = vec![Step::Operators(0, parts.len().saturating_sub(2))];
    while let Some(step) = open.pop() {
        match step {
            Step::Part(at) => tasks.push(Task::Visit(parts[at])),
            Step::Bool(at) => tasks.push(Task::Bool(parts[at])),
            Step::Operators(first, last) => {
                let middle = (first + last).div_ceil(2);
                let (is_left, is_right) = (middle == first, middle == last);
                open.extend(is_right.then_some(Step::Bool(middle + 1)));
                open.extend(is_left.then_some(Step::Bool(middle)));
                open.push(if is_right { Step::Part(middle + 1) } else { Step::Operators(middle + 1, last) });
                open.push(if is_left { Step::Part(middle) } else { Step::Operators(first, middle - 1) });
            }
        }
    }
    tasks
}
