//! Reads a rule into a tree.
//!
//! cel-go's parser recurses and limits its depth: by the nesting of one rule of the grammar within itself, and by the
//! number of operators within one another. Rules at these limits are accepted or refused here as they are there.

use std::sync::Arc;

use super::error::{Fault, RuleErrorKind};
use super::functions::Function;
use super::literal;
use super::nodes::{MAX_DEPTH, Part, too_deep};
use super::token::{Kind, Token, tokens};
use super::tree::{Callee, Expr, NodeId, Tree};
use super::value::Value;

/// Names that are kept for other languages.
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    tree: Tree,
    /// How many expressions, relations and calculations are within one another.
    n_expressions: usize,
    n_relations: usize,
    n_calculations: usize,
}

pub(super) fn parse(text: &str) -> Result<Tree, Fault> {
    let tokens = tokens(text)?;
    let mut parser =
        Parser { tokens, at: 0, tree: Tree::default(), n_expressions: 0, n_relations: 0, n_calculations: 0 };
    parser.tree.root = parser.rule().map_err(|fault| *fault)?.node;
    Ok(parser.tree)
}

/// How tightly operators bind.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Strength {
    Or,
    And,
    Relation,
    Sum,
    Product,
    Operand,
}

/// An operator between parts; `||` and `&&` are no functions.
fn operator(token: Token<'_>) -> Option<(Strength, Option<Function>)> {
    let Kind::Mark(mark) = token.kind else { return None };
    Some(match mark {
        "||" => (Strength::Or, None),
        "&&" => (Strength::And, None),
        "==" => (Strength::Relation, Some(Function::Equals)),
        "!=" => (Strength::Relation, Some(Function::NotEquals)),
        "<" => (Strength::Relation, Some(Function::Less)),
        "<=" => (Strength::Relation, Some(Function::LessEquals)),
        ">" => (Strength::Relation, Some(Function::Greater)),
        ">=" => (Strength::Relation, Some(Function::GreaterEquals)),
        "in" => (Strength::Relation, Some(Function::In)),
        "+" => (Strength::Sum, Some(Function::Add)),
        "-" => (Strength::Sum, Some(Function::Subtract)),
        "*" => (Strength::Product, Some(Function::Multiply)),
        "/" => (Strength::Product, Some(Function::Divide)),
        "%" => (Strength::Product, Some(Function::Modulo)),
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        // The last token is the end, and no reader goes past it.
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn ahead(&self) -> Token<'t> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn skip(&mut self, mark: &'static str) -> bool {
        let is_there = self.peek().kind == Kind::Mark(mark);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, mark: &'static str) -> Result<(), Box<Fault>> {
        if self.skip(mark) {
            return Ok(());
        }
        self.unexpected(&format!("'{mark}'"))
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, Box<Fault>> {
        let found = self.peek();
        let what = format!("mismatched input '{}' expecting {wanted}", found.text);
        Err(Fault::at(found.offset, RuleErrorKind::Syntax(what)).into())
    }

    fn unsupported<T>(&self, what: &str, offset: usize) -> Result<T, Box<Fault>> {
        Err(Fault::at(offset, RuleErrorKind::Invalid(format!("unsupported syntax '{what}'"))).into())
    }

    fn check_depth(&self) -> Result<(), Box<Fault>> {
        let deepest = self.n_expressions.max(self.n_relations).max(self.n_calculations);
        if deepest > MAX_DEPTH { Err(too_deep().into()) } else { Ok(()) }
    }

    fn rule(&mut self) -> Result<Part, Box<Fault>> {
        let part = self.expression()?;
        if self.peek().kind == Kind::End { Ok(part) } else { self.unexpected("<EOF>") }
    }

    /// A rule, or a part of one in parentheses, brackets or braces.
    fn expression(&mut self) -> Result<Part, Box<Fault>> {
        self.n_expressions += 1;
        let mut part = self.condition()?;
        let token = self.peek();
        if self.skip("?") {
            // The text between `?` and `:` is part of the same expression.
            let then = self.condition()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            part = self.tree.apply(Function::Conditional, &[part, then, otherwise], token.offset)?;
        }
        self.n_expressions -= 1;
        Ok(part)
    }

    fn condition(&mut self) -> Result<Part, Box<Fault>> {
        self.n_relations += 1;
        self.n_calculations += 1;
        self.check_depth()?;
        let part = self.operation(Strength::Or)?;
        self.n_relations -= 1;
        self.n_calculations -= 1;
        Ok(part)
    }

    /// Parts with operators between them that bind at least as tightly as `least`.
    fn operation(&mut self, least: Strength) -> Result<Part, Box<Fault>> {
        let mut part = self.operand()?;
        while let Some((strength, function)) = operator(self.peek()).filter(|it| it.0 >= least) {
            part = match function {
                None => self.chain(part, strength)?,
                Some(function) => self.binary(part, strength, function)?,
            };
        }
        Ok(part)
    }

    /// The rest of parts with `||` or `&&` between them.
    fn chain(&mut self, first: Part, strength: Strength) -> Result<Part, Box<Fault>> {
        let (mark, next, make): (_, _, fn(Vec<NodeId>) -> Expr) = match strength {
            Strength::Or => ("||", Strength::And, Expr::Or),
            _ => ("&&", Strength::Relation, Expr::And),
        };
        let (mut parts, mut height, mut offset) = (vec![first.node], first.height, 0);
        while self.peek().kind == Kind::Mark(mark) {
            offset = self.next().offset;
            let part = self.operation(next)?;
            parts.push(part.node);
            height = height.max(part.height);
        }
        Ok(self.tree.add(make(parts), offset, height)?)
    }

    /// A relation or calculation with its right side.
    fn binary(&mut self, left: Part, strength: Strength, function: Function) -> Result<Part, Box<Fault>> {
        let offset = self.next().offset;
        let (next, n_relations, n_calculations) = match strength {
            Strength::Sum => (Strength::Product, 0, 1),
            Strength::Product => (Strength::Operand, 0, 1),
            _ => (Strength::Sum, 1, 0),
        };
        self.n_relations += n_relations;
        self.n_calculations += n_calculations;
        self.check_depth()?;
        let right = self.operation(next)?;
        self.n_relations -= n_relations;
        self.n_calculations -= n_calculations;
        Ok(self.tree.apply(function, &[left, right], offset)?)
    }

    /// A part with the operators before it, and the selections and calls behind it.
    fn operand(&mut self) -> Result<Part, Box<Fault>> {
        let start = self.peek();
        let is_signed =
            |it: &Self| it.peek().kind == Kind::Mark("-") && matches!(it.ahead().kind, Kind::Int | Kind::Float);
        let (mark, function) = match start.kind {
            Kind::Mark("-") => ("-", Function::Negate),
            _ => ("!", Function::Not),
        };
        let mut unary = None;
        // A single minus before a number belongs to the number.
        if !is_signed(self) {
            while self.skip(mark) {
                unary = unary.is_none().then_some(function);
            }
        }
        let is_negative = is_signed(self);
        self.at += usize::from(is_negative);
        let mut part = self.primary(is_negative, start.offset)?;
        while let Some(longer) = self.suffix(part)? {
            part = longer;
        }
        match unary {
            // It is not an operator within others: cel-go does not count it.
            Some(function) => {
                let node = Expr::Call { function: Callee::Known(function), target: None, operands: vec![part.node] };
                Ok(self.tree.add(node, start.offset, part.height)?)
            }
            None => Ok(part),
        }
    }

    fn primary(&mut self, is_negative: bool, start: usize) -> Result<Part, Box<Fault>> {
        let token = self.next();
        match token.kind {
            Kind::Mark("(") => {
                let part = self.expression()?;
                self.expect(")")?;
                Ok(part)
            }
            Kind::Mark("[") => self.list(token.offset),
            Kind::Mark("{") => self.map(token.offset),
            Kind::Mark(".") if self.peek().kind == Kind::Name => {
                let name = self.next();
                self.name(name, true)
            }
            Kind::Name => self.name(token, false),
            _ => self.literal(token, is_negative, start),
        }
    }

    fn literal(&mut self, token: Token<'t>, is_negative: bool, start: usize) -> Result<Part, Box<Fault>> {
        let (value, fault) = match token.kind {
            Kind::Int => (literal::int(token.text, is_negative), "invalid int literal"),
            Kind::Float => (literal::double(token.text, is_negative), "invalid double literal"),
            Kind::Uint => (literal::uint(token.text), "invalid uint literal"),
            Kind::Text => (literal::text(token.text), "unable to unescape string"),
            Kind::Bytes => (literal::bytes(token.text), "unable to unescape string"),
            Kind::True => (Some(Value::Bool(true)), ""),
            Kind::False => (Some(Value::Bool(false)), ""),
            Kind::Null => (Some(Value::Null), ""),
            _ => {
                self.at -= 1;
                return self.unexpected("an expression");
            }
        };
        let value = value.ok_or_else(|| Fault::at(start, RuleErrorKind::Invalid(fault.to_owned())))?;
        Ok(self.tree.add(Expr::Literal(value), start, 0)?)
    }

    fn name(&mut self, token: Token<'t>, is_absolute: bool) -> Result<Part, Box<Fault>> {
        if RESERVED.contains(&token.text) {
            let what = format!("reserved identifier: {}", token.text);
            return Err(Fault::at(token.offset, RuleErrorKind::Invalid(what)).into());
        }
        self.refuse_message(token)?;
        let name: Arc<str> = Arc::from(token.text);
        if self.peek().kind == Kind::Mark("(") {
            let offset = self.next().offset;
            return self.call(name, is_absolute, None, offset);
        }
        Ok(self.tree.add(Expr::Name { name, is_absolute }, token.offset, 0)?)
    }

    /// A name with braces behind it builds a message.
    fn refuse_message(&self, first: Token<'t>) -> Result<(), Box<Fault>> {
        let mut at = self.at;
        let kind = |at: usize| self.tokens.get(at).map(|it| it.kind);
        while kind(at) == Some(Kind::Mark(".")) && kind(at + 1) == Some(Kind::Name) {
            at += 2;
        }
        if kind(at) != Some(Kind::Mark("{")) {
            return Ok(());
        }
        let parts = self.tokens[self.at..at].iter().map(|it| it.text);
        let name: String = std::iter::once(first.text).chain(parts).collect();
        Err(Fault::at(self.tokens[at].offset, RuleErrorKind::Undeclared(name)).into())
    }

    fn list(&mut self, offset: usize) -> Result<Part, Box<Fault>> {
        let is_empty = match (self.peek().kind, self.ahead().kind) {
            (Kind::Mark("]"), _) => 1,
            (Kind::Mark(","), Kind::Mark("]")) => 2,
            _ => 0,
        };
        if is_empty > 0 {
            self.at += is_empty;
            return Ok(self.tree.add(Expr::List(Vec::new()), offset, 0)?);
        }
        let (mut items, mut height) = (Vec::new(), 0);
        loop {
            self.refuse_optional()?;
            let item = self.expression()?;
            items.push(item.node);
            height = height.max(item.height);
            if !self.skip(",") || self.peek().kind == Kind::Mark("]") {
                break;
            }
        }
        self.expect("]")?;
        Ok(self.tree.add(Expr::List(items), offset, height)?)
    }

    fn refuse_optional(&self) -> Result<(), Box<Fault>> {
        let token = self.peek();
        if token.kind == Kind::Mark("?") { self.unsupported("?", token.offset) } else { Ok(()) }
    }

    /// After the brace of a map.
    fn map(&mut self, offset: usize) -> Result<Part, Box<Fault>> {
        let (mut entries, mut height) = (Vec::new(), 0);
        loop {
            let n_end = match (self.peek().kind, self.ahead().kind) {
                (Kind::Mark("}"), _) => 1,
                (Kind::Mark(","), Kind::Mark("}")) if entries.is_empty() => 2,
                _ => 0,
            };
            if n_end > 0 {
                self.at += n_end;
                return Ok(self.tree.add(Expr::Map(entries), offset, height)?);
            }
            self.refuse_optional()?;
            let key = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            entries.push((key.node, value.node));
            height = height.max(key.height).max(value.height);
            if !self.skip(",") && self.peek().kind != Kind::Mark("}") {
                return self.unexpected("'}'");
            }
        }
    }

    /// After the parenthesis of a call.
    fn call(
        &mut self,
        function: Arc<str>,
        is_absolute: bool,
        target: Option<Part>,
        offset: usize,
    ) -> Result<Part, Box<Fault>> {
        let mut operands = Vec::new();
        if !self.skip(")") {
            operands.push(self.expression()?);
            while self.skip(",") {
                operands.push(self.expression()?);
            }
            self.expect(")")?;
        }
        Ok(self.tree.called(function, is_absolute, target, &operands, offset)?)
    }

    /// A part with the selection, index or call behind it, if there is one.
    fn suffix(&mut self, part: Part) -> Result<Option<Part>, Box<Fault>> {
        let token = self.peek();
        let longer = match token.kind {
            Kind::Mark(".") => {
                self.at += 1;
                let name = self.next();
                match name.kind {
                    Kind::Name if self.peek().kind == Kind::Mark("(") => {
                        let offset = self.next().offset;
                        self.call(Arc::from(name.text), false, Some(part), offset)
                    }
                    Kind::Name | Kind::QuotedName => {
                        let field = Arc::from(name.text.trim_matches('`'));
                        let node = Expr::Select { operand: part.node, field, is_test: false };
                        Ok(self.tree.add(node, token.offset, part.height + 1)?)
                    }
                    Kind::Mark("?") => self.unsupported(".?", token.offset),
                    _ => {
                        self.at -= 1;
                        self.unexpected("IDENTIFIER")
                    }
                }
            }
            Kind::Mark("[") => {
                self.at += 1;
                if self.peek().kind == Kind::Mark("?") {
                    return self.unsupported("[?", token.offset);
                }
                let key = self.expression()?;
                self.expect("]")?;
                Ok(self.tree.apply(Function::Index, &[part, key], token.offset)?)
            }
            _ => return Ok(None),
        };
        longer.map(Some)
    }
}
