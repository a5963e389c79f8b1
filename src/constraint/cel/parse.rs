//! Reads a rule. The only file that imports the library.
//!
//! The library's reader recurses: over brackets, which it counts, and over chains of operators, which it does not. So the
//! text is surveyed first, and read on a thread with room enough for what the survey lets through.
//!
//! What it deliberately does not do: no types.

use std::sync::Arc;

use cel::common::ast::{self, EntryExpr, IdedExpr, LiteralValue};

use super::RuleError;
use super::check::check;
use super::expr::{Expr, Fold, Literal, TYPE_NAMES};
use super::functions::Function;

/// How many characters a rule may have (cel-go's limit).
const MAX_CHARACTERS: usize = 100_000;
/// How many brackets may be open, and conditionals in one another (cel-go's limit is that they are fewer than this).
const MAX_DEPTH: usize = 250;
/// How deep the tree of a rule may be. cel-go has no such limit; rules in catalogs stay below ten.
const MAX_CHAIN: usize = 6_000;
/// What the reader and the evaluator may use of the stack: several times what they need for the deepest rule.
pub(super) const STACK: usize = 512 << 20;

/// The tree of a rule, checked, and how deep it may be.
pub(super) fn parse(text: &str) -> Result<(Expr, usize), RuleError> {
    let depth = survey(text)?;
    let text = text.to_owned();
    let reader = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let expr = read(&text)?;
        check(&expr).map(|()| (expr, depth))
    });
    let unreadable = |what: &str| RuleError::Syntax(format!("the rule cannot be read: {what}"));
    let reader = reader.map_err(|error| unreadable(&error.to_string()))?;
    reader.join().unwrap_or_else(|_| Err(unreadable("the reader gave up")))
}

/// How deep the tree of a rule may be. Refuses what is too long or too deep, by brackets, conditionals and chains of operators. It need not be exact: `||`, `&&`
/// and commas end a chain, because what they join is made a balanced tree.
fn survey(text: &str) -> Result<usize, RuleError> {
    let size = text.chars().count();
    if size > MAX_CHARACTERS {
        return Err(RuleError::Size { size, limit: MAX_CHARACTERS });
    }
    let bytes = text.as_bytes();
    // For each open bracket the operators of the current chain, and the conditionals.
    let mut open: Vec<(usize, usize)> = vec![(0, 0)];
    let (mut n_chained, mut n_conditionals) = (0, 0);
    let mut at = 0;
    let mut deepest = 0;
    while at < bytes.len() {
        let Some(last) = open.last_mut() else { break };
        let two = bytes.get(at..at + 2).unwrap_or_default();
        match bytes[at] {
            b'\'' | b'"' => {
                at = end_of_text(bytes, at);
                continue;
            }
            b'/' if two == b"//" => {
                at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                continue;
            }
            b'(' | b'[' | b'{' => {
                last.0 += 1;
                n_chained += 1;
                open.push((0, 0));
            }
            b')' | b']' | b'}' => {
                n_chained -= last.0;
                n_conditionals -= last.1;
                open.pop();
            }
            b',' | b':' => n_chained -= std::mem::take(&mut last.0),
            b'|' | b'&' if two == b"||" || two == b"&&" => n_chained -= std::mem::take(&mut last.0),
            b'?' => {
                n_chained -= std::mem::take(&mut last.0);
                last.1 += 1;
                n_conditionals += 1;
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'.' | b'=' | b'<' | b'>' | b'!' => {
                last.0 += 1;
                n_chained += 1;
            }
            // The operator `in`, or the end of some name.
            b'i' if two == b"in" => {
                last.0 += 1;
                n_chained += 1;
            }
            _ => {}
        }
        if open.len() + n_conditionals > MAX_DEPTH {
            return Err(RuleError::Depth { limit: MAX_DEPTH });
        }
        deepest = deepest.max(open.len() + n_conditionals + n_chained);
        if deepest > MAX_CHAIN {
            return Err(RuleError::Chain { limit: MAX_CHAIN });
        }
        at += 1;
    }
    Ok(deepest)
}

/// The offset behind the text that starts at `start`. In a raw text a backslash is nothing special.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let prefix = bytes[..start].iter().rev().take(2).take_while(|it| it.is_ascii_alphabetic());
    let is_raw = prefix.into_iter().any(|it| matches!(it, b'r' | b'R'));
    let is_long = bytes.get(start..start + 3) == Some(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if !is_raw => at += 1,
            it if it == quote && !is_long => return at + 1,
            it if it == quote && bytes.get(at..at + 3) == Some(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Runs on a thread of its own.
fn read(text: &str) -> Result<Expr, RuleError> {
    let parser = cel::parser::Parser::default().max_recursion_depth(MAX_DEPTH as u16 + 10);
    let parsed = parser.parse(text).map_err(|errors| RuleError::Syntax(errors.to_string()))?;
    Names::default().expr(parsed)
}

/// The names of the variables that are open, innermost last.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn boxed(&mut self, expr: IdedExpr) -> Result<Box<Expr>, RuleError> {
        self.expr(expr).map(Box::new)
    }

    fn all(&mut self, exprs: impl IntoIterator<Item = IdedExpr>) -> Result<Vec<Expr>, RuleError> {
        exprs.into_iter().map(|it| self.expr(it)).collect()
    }

    fn expr(&mut self, expr: IdedExpr) -> Result<Expr, RuleError> {
        match expr.expr {
            ast::Expr::Literal(literal) => Ok(Expr::Literal(self::literal(literal))),
            ast::Expr::Ident(name) => self.variable(name.trim_start_matches('.')),
            ast::Expr::Select(select) => {
                if let Some(name) = dotted(&select)
                    && let Some(known) = TYPE_NAMES.iter().find(|it| **it == name)
                {
                    return Ok(Expr::TypeName(known));
                }
                let (field, is_test) = (Arc::from(select.field), select.test);
                Ok(Expr::Select { operand: self.boxed(*select.operand)?, field, is_test })
            }
            ast::Expr::Call(call) => {
                let function = Function::by_name(&call.func_name);
                let function = function.ok_or(RuleError::Undeclared(call.func_name))?;
                let is_method = call.target.is_some();
                let operands = self.all(call.target.map(|it| *it).into_iter().chain(call.args))?;
                Ok(Expr::Call { function, is_method, operands })
            }
            ast::Expr::List(list) if list.optional_indices.is_empty() => Ok(Expr::List(self.all(list.elements)?)),
            ast::Expr::Map(map) => {
                let mut entries = Vec::with_capacity(map.entries.len());
                for entry in map.entries {
                    match entry.expr {
                        EntryExpr::MapEntry(it) if !it.optional => {
                            entries.push((self.expr(it.key)?, self.expr(it.value)?));
                        }
                        _ => return Err(RuleError::Syntax("unsupported syntax in a map".to_owned())),
                    }
                }
                Ok(Expr::Map(entries))
            }
            ast::Expr::Comprehension(it) if it.iter_var2.is_none() => self.fold(*it),
            ast::Expr::Struct(it) => Err(RuleError::Undeclared(it.type_name)),
            _ => Err(RuleError::Syntax("unsupported syntax".to_owned())),
        }
    }

    fn variable(&mut self, name: &str) -> Result<Expr, RuleError> {
        if let Some(at) = self.0.iter().rposition(|it| it == name) {
            return Ok(Expr::Local(at));
        }
        match TYPE_NAMES.iter().find(|it| **it == name) {
            _ if name == "properties" => Ok(Expr::Properties),
            Some(known) => Ok(Expr::TypeName(known)),
            None => Err(RuleError::Undeclared(name.to_owned())),
        }
    }

    fn fold(&mut self, fold: ast::ComprehensionExpr) -> Result<Expr, RuleError> {
        let range = self.expr(fold.iter_range)?;
        let start = self.expr(fold.accu_init)?;
        let result_at = self.0.len();
        self.0.push(fold.accu_var);
        // The condition sees the result only, but the library may not know that.
        self.0.push(fold.iter_var);
        let (condition, step) = (self.expr(fold.loop_cond)?, self.expr(fold.loop_step)?);
        self.0.pop();
        let end = self.expr(fold.result)?;
        self.0.pop();
        Ok(Expr::Fold(Box::new(Fold { range, result_at, start, condition, step, end })))
    }
}

/// A name with dots, if that is all there is.
fn dotted(select: &ast::SelectExpr) -> Option<String> {
    let mut parts = vec![select.field.as_str()];
    let mut at = &select.operand.expr;
    if select.test {
        return None;
    }
    loop {
        match at {
            ast::Expr::Ident(name) => {
                parts.push(name);
                parts.reverse();
                return Some(parts.join("."));
            }
            ast::Expr::Select(it) if !it.test && parts.len() < 3 => {
                parts.push(&it.field);
                at = &it.operand.expr;
            }
            _ => return None,
        }
    }
}

fn literal(literal: LiteralValue) -> Literal {
    match literal {
        LiteralValue::Null => Literal::Null,
        LiteralValue::Boolean(it) => Literal::Bool(*it.inner()),
        LiteralValue::Int(it) => Literal::Int(*it.inner()),
        LiteralValue::UInt(it) => Literal::Uint(*it.inner()),
        LiteralValue::Double(it) => Literal::Double(*it.inner()),
        LiteralValue::String(it) => Literal::String(Arc::from(it.inner())),
        LiteralValue::Bytes(it) => Literal::Bytes(Arc::from(it.inner())),
    }
}
