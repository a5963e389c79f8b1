//! Reads a rule into a tree.
//!
//! cel-go's parser recurses and limits its depth: by the nesting of one rule of the grammar within itself, and by the
//! number of operators within one another. Rules at these limits are accepted or refused here as they are there,
//! although no function here recurses: open parts are kept in [`Level`]s.

use std::sync::Arc;

use super::error::{Fault, RuleErrorKind};
use super::functions::Function;
use super::literal::Literal;
use super::nodes::{MAX_DEPTH, Nodes, Part, too_deep};
use super::token::{Kind, Token, tokens};
use super::tree::{Callee, Expr, Tree};

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

/// The construct that contains an expression.
enum Within {
    Rule,
    Parentheses,
    Call {
        function: Arc<str>,
        is_absolute: bool,
        target: Option<Part>,
        operands: Vec<Part>,
        offset: usize,
    },
    Index {
        target: Part,
        offset: usize,
    },
    List {
        items: Vec<Part>,
        offset: usize,
    },
    Key {
        entries: Vec<(Part, Part)>,
        offset: usize,
    },
    Value {
        entries: Vec<(Part, Part)>,
        key: Part,
        offset: usize,
    },
    /// Between `?` and `:`.
    Then {
        condition: Part,
        offset: usize,
    },
    Else {
        condition: Part,
        then: Part,
        offset: usize,
    },
}

/// An expression that is being read: the operators that wait for their right side.
struct Level {
    within: Within,
    or: Vec<Part>,
    or_offset: usize,
    and: Vec<Part>,
    and_offset: usize,
    relation: Option<(Function, Part, usize)>,
    calculation: Vec<(Function, Part, usize)>,
    /// `!` or `-`, if it occurs there an odd number of times.
    unary: Option<(Function, usize)>,
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    nodes: Nodes,
    levels: Vec<Level>,
    /// How many expressions, relations and calculations are within one another.
    n_expressions: usize,
    n_relations: usize,
    n_calculations: usize,
}

/// The next step of the parser.
enum Next {
    Operand,
    /// A part that may be followed by a selection or a call.
    Suffix(Part),
    /// An operator, or the end of the expression.
    Operator(Part),
    /// The expression in the innermost level is complete.
    Complete(Part),
    Done,
}

pub(super) fn parse(text: &str) -> Result<Tree, Fault> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        nodes: Nodes::default(),
        levels: Vec::new(),
        n_expressions: 0,
        n_relations: 0,
        n_calculations: 0,
    };
    parser.open(Within::Rule)?;
    let mut next = Next::Operand;
    loop {
        next = match next {
            Next::Operand => parser.operand()?,
            Next::Suffix(part) => parser.suffix(part)?,
            Next::Operator(part) => parser.operator(part)?,
            Next::Complete(part) => parser.complete(part)?,
            Next::Done => return Ok(parser.nodes.tree),
        };
    }
}

fn calculation(text: &str) -> Option<(Function, u8)> {
    Some(match text {
        "+" => (Function::Add, 1),
        "-" => (Function::Subtract, 1),
        "*" => (Function::Multiply, 2),
        "/" => (Function::Divide, 2),
        "%" => (Function::Modulo, 2),
        _ => return None,
    })
}

fn relation(text: &str) -> Option<Function> {
    Some(match text {
        "==" => Function::Equals,
        "!=" => Function::NotEquals,
        "<" => Function::Less,
        "<=" => Function::LessEquals,
        ">" => Function::Greater,
        ">=" => Function::GreaterEquals,
        "in" => Function::In,
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

    fn expect(&mut self, mark: &'static str) -> Result<(), Fault> {
        if self.skip(mark) {
            return Ok(());
        }
        self.unexpected(&format!("'{mark}'"))
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, Fault> {
        let found = self.peek();
        let what = format!("mismatched input '{}' expecting {wanted}", found.text);
        Err(Fault::at(found.offset, RuleErrorKind::Syntax(what)))
    }

    fn unsupported<T>(&self, what: &str, offset: usize) -> Result<T, Fault> {
        Err(Fault::at(offset, RuleErrorKind::Invalid(format!("unsupported syntax '{what}'"))))
    }

    fn level(&mut self) -> &mut Level {
        // The level of the rule stays until the end.
        self.levels.last_mut().expect("a level is open until the rule is read")
    }

    fn check_depth(&self) -> Result<(), Fault> {
        let deepest = self.n_expressions.max(self.n_relations).max(self.n_calculations);
        if deepest > MAX_DEPTH { Err(too_deep()) } else { Ok(()) }
    }

    fn open(&mut self, within: Within) -> Result<(), Fault> {
        // The text between `?` and `:` is part of the same expression.
        self.n_expressions += usize::from(!matches!(within, Within::Then { .. }));
        self.n_relations += 1;
        self.n_calculations += 1;
        self.levels.push(Level {
            within,
            or: Vec::new(),
            or_offset: 0,
            and: Vec::new(),
            and_offset: 0,
            relation: None,
            calculation: Vec::new(),
            unary: None,
        });
        self.check_depth()
    }

    fn operand(&mut self) -> Result<Next, Fault> {
        let start = self.peek();
        let mut is_negative = false;
        if start.kind == Kind::Mark("!") {
            let mut is_odd = false;
            while self.skip("!") {
                is_odd = !is_odd;
            }
            self.level().unary = is_odd.then_some((Function::Not, start.offset));
            if self.peek().kind == Kind::Mark("-") && matches!(self.ahead().kind, Kind::Int | Kind::Float) {
                self.at += 1;
                is_negative = true;
            }
        } else if start.kind == Kind::Mark("-") {
            // A single minus before a number belongs to the number.
            if matches!(self.ahead().kind, Kind::Int | Kind::Float) {
                self.at += 1;
                is_negative = true;
            } else {
                let mut is_odd = false;
                while self.skip("-") {
                    is_odd = !is_odd;
                }
                self.level().unary = is_odd.then_some((Function::Negate, start.offset));
            }
        }
        self.primary(is_negative, start.offset)
    }

    fn primary(&mut self, is_negative: bool, start: usize) -> Result<Next, Fault> {
        let token = self.next();
        let literal = |it: Option<Literal>, what: &str| {
            it.ok_or_else(|| Fault::at(start, RuleErrorKind::Invalid(what.to_owned())))
        };
        let literal = match token.kind {
            Kind::Int => literal(Literal::int(token.text, is_negative), "invalid int literal")?,
            Kind::Float => literal(Literal::double(token.text, is_negative), "invalid double literal")?,
            Kind::Uint => literal(Literal::uint(token.text), "invalid uint literal")?,
            Kind::Text => literal(Literal::text(token.text), "unable to unescape string")?,
            Kind::Bytes => literal(Literal::bytes(token.text), "unable to unescape string")?,
            Kind::True => Literal::Bool(true),
            Kind::False => Literal::Bool(false),
            Kind::Null => Literal::Null,
            Kind::Mark("(") => {
                self.open(Within::Parentheses)?;
                return Ok(Next::Operand);
            }
            Kind::Mark("[") => return self.list(token.offset),
            Kind::Mark("{") => return self.map(Vec::new(), token.offset),
            Kind::Mark(".") if self.peek().kind == Kind::Name => {
                let name = self.next();
                return self.name(name, true);
            }
            Kind::Name => return self.name(token, false),
            _ => {
                self.at -= 1;
                return self.unexpected("an expression");
            }
        };
        Ok(Next::Suffix(self.nodes.add(Expr::Literal(literal), start, 0)?))
    }

    fn name(&mut self, token: Token<'t>, is_absolute: bool) -> Result<Next, Fault> {
        if RESERVED.contains(&token.text) {
            let what = format!("reserved identifier: {}", token.text);
            return Err(Fault::at(token.offset, RuleErrorKind::Invalid(what)));
        }
        self.refuse_message(token)?;
        let name: Arc<str> = Arc::from(token.text);
        if self.peek().kind == Kind::Mark("(") {
            let offset = self.next().offset;
            return self.call(name, is_absolute, None, offset);
        }
        Ok(Next::Suffix(self.nodes.add(Expr::Name { name, is_absolute }, token.offset, 0)?))
    }

    /// A name with braces behind it builds a message.
    fn refuse_message(&self, first: Token<'t>) -> Result<(), Fault> {
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
        Err(Fault::at(self.tokens[at].offset, RuleErrorKind::Undeclared(name)))
    }

    fn list(&mut self, offset: usize) -> Result<Next, Fault> {
        let is_empty = match (self.peek().kind, self.ahead().kind) {
            (Kind::Mark("]"), _) => 1,
            (Kind::Mark(","), Kind::Mark("]")) => 2,
            _ => 0,
        };
        if is_empty > 0 {
            self.at += is_empty;
            return Ok(Next::Suffix(self.nodes.add(Expr::List(Vec::new()), offset, 0)?));
        }
        self.refuse_optional()?;
        self.open(Within::List { items: Vec::new(), offset })?;
        Ok(Next::Operand)
    }

    fn refuse_optional(&self) -> Result<(), Fault> {
        let token = self.peek();
        if token.kind == Kind::Mark("?") { self.unsupported("?", token.offset) } else { Ok(()) }
    }

    /// After the brace or comma of a map.
    fn map(&mut self, entries: Vec<(Part, Part)>, offset: usize) -> Result<Next, Fault> {
        let is_end = match (self.peek().kind, self.ahead().kind) {
            (Kind::Mark("}"), _) => 1,
            (Kind::Mark(","), Kind::Mark("}")) if entries.is_empty() => 2,
            _ => 0,
        };
        if is_end > 0 {
            self.at += is_end;
            let height = entries.iter().map(|(key, value)| key.height.max(value.height)).max().unwrap_or_default();
            let entries = entries.into_iter().map(|(key, value)| (key.node, value.node)).collect();
            return Ok(Next::Suffix(self.nodes.add(Expr::Map(entries), offset, height)?));
        }
        self.refuse_optional()?;
        self.open(Within::Key { entries, offset })?;
        Ok(Next::Operand)
    }

    /// After the parenthesis of a call.
    fn call(
        &mut self,
        function: Arc<str>,
        is_absolute: bool,
        target: Option<Part>,
        offset: usize,
    ) -> Result<Next, Fault> {
        if self.skip(")") {
            return Ok(Next::Suffix(self.nodes.called(function, is_absolute, target, &[], offset)?));
        }
        self.open(Within::Call { function, is_absolute, target, operands: Vec::new(), offset })?;
        Ok(Next::Operand)
    }

    fn suffix(&mut self, part: Part) -> Result<Next, Fault> {
        let token = self.peek();
        match token.kind {
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
                        Ok(Next::Suffix(self.nodes.add(node, token.offset, part.height + 1)?))
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
                self.open(Within::Index { target: part, offset: token.offset })?;
                Ok(Next::Operand)
            }
            _ => match self.level().unary.take() {
                // It is not an operator within others: cel-go does not count it.
                Some((function, offset)) => {
                    let callee = Callee::Known(function);
                    let node = Expr::Call { function: callee, target: None, operands: vec![part.node] };
                    Ok(Next::Operator(self.nodes.add(node, offset, part.height)?))
                }
                None => Ok(Next::Operator(part)),
            },
        }
    }

    fn operator(&mut self, mut part: Part) -> Result<Next, Fault> {
        let token = self.peek();
        let Kind::Mark(mark) = token.kind else { return self.end_of_or(part) };
        let next = calculation(mark);
        // Operators that bind at least as tightly are complete.
        let is_done = |(function, ..): &mut (Function, Part, usize)| {
            let binds = matches!(function, Function::Multiply | Function::Divide | Function::Modulo);
            next.is_none_or(|(_, strength)| binds || strength == 1)
        };
        while let Some((function, left, offset)) = self.level().calculation.pop_if(is_done) {
            self.n_calculations -= 1;
            part = self.nodes.apply(function, &[left, part], offset)?;
        }
        if let Some((function, _)) = next {
            self.at += 1;
            self.level().calculation.push((function, part, token.offset));
            self.n_calculations += 1;
            self.check_depth()?;
            return Ok(Next::Operand);
        }
        if let Some(function) = relation(mark) {
            part = self.end_of_relation(part)?;
            self.at += 1;
            self.level().relation = Some((function, part, token.offset));
            self.n_relations += 1;
            self.check_depth()?;
            return Ok(Next::Operand);
        }
        match mark {
            "&&" => {
                part = self.end_of_relation(part)?;
                self.at += 1;
                let level = self.level();
                level.and.push(part);
                level.and_offset = token.offset;
                Ok(Next::Operand)
            }
            "||" => {
                part = self.end_of_and(part)?;
                self.at += 1;
                let level = self.level();
                level.or.push(part);
                level.or_offset = token.offset;
                Ok(Next::Operand)
            }
            _ => self.end_of_or(part),
        }
    }

    fn end_of_relation(&mut self, mut part: Part) -> Result<Part, Fault> {
        while let Some((function, left, offset)) = self.level().calculation.pop() {
            self.n_calculations -= 1;
            part = self.nodes.apply(function, &[left, part], offset)?;
        }
        if let Some((function, left, offset)) = self.level().relation.take() {
            self.n_relations -= 1;
            part = self.nodes.apply(function, &[left, part], offset)?;
        }
        Ok(part)
    }

    fn end_of_and(&mut self, part: Part) -> Result<Part, Fault> {
        let part = self.end_of_relation(part)?;
        let level = self.level();
        let offset = level.and_offset;
        let mut parts = std::mem::take(&mut level.and);
        if parts.is_empty() {
            return Ok(part);
        }
        parts.push(part);
        let height = parts.iter().map(|it| it.height).max().unwrap_or_default();
        self.nodes.add(Expr::And(parts.into_iter().map(|it| it.node).collect()), offset, height)
    }

    fn end_of_or(&mut self, part: Part) -> Result<Next, Fault> {
        let mut part = self.end_of_and(part)?;
        let level = self.level();
        let offset = level.or_offset;
        let mut parts = std::mem::take(&mut level.or);
        if !parts.is_empty() {
            parts.push(part);
            let height = parts.iter().map(|it| it.height).max().unwrap_or_default();
            part = self.nodes.add(Expr::Or(parts.into_iter().map(|it| it.node).collect()), offset, height)?;
        }
        self.n_relations -= 1;
        self.n_calculations -= 1;
        let token = self.peek();
        let is_then = matches!(self.level().within, Within::Then { .. });
        if is_then {
            self.expect(":")?;
            // The level is closed; the part between `?` and `:` is the condition's expression.
            if let Some(Level { within: Within::Then { condition, offset }, .. }) = self.levels.pop() {
                self.open(Within::Else { condition, then: part, offset })?;
            }
            return Ok(Next::Operand);
        }
        if token.kind == Kind::Mark("?") {
            self.at += 1;
            self.open(Within::Then { condition: part, offset: token.offset })?;
            return Ok(Next::Operand);
        }
        Ok(Next::Complete(part))
    }

    /// Continues with the part that contains the expression.
    fn complete(&mut self, part: Part) -> Result<Next, Fault> {
        let Some(level) = self.levels.pop() else { return Ok(Next::Done) };
        self.n_expressions -= 1;
        match level.within {
            Within::Rule => {
                if self.peek().kind != Kind::End {
                    return self.unexpected("<EOF>");
                }
                self.nodes.tree.root = part.node;
                Ok(Next::Done)
            }
            Within::Parentheses => {
                self.expect(")")?;
                Ok(Next::Suffix(part))
            }
            Within::Call { function, is_absolute, target, mut operands, offset } => {
                operands.push(part);
                if self.skip(",") {
                    self.open(Within::Call { function, is_absolute, target, operands, offset })?;
                    return Ok(Next::Operand);
                }
                self.expect(")")?;
                Ok(Next::Suffix(self.nodes.called(function, is_absolute, target, &operands, offset)?))
            }
            Within::Index { target, offset } => {
                self.expect("]")?;
                let part = self.nodes.apply(Function::Index, &[target, part], offset)?;
                Ok(Next::Suffix(part))
            }
            Within::List { mut items, offset } => {
                items.push(part);
                if self.skip(",") && self.peek().kind != Kind::Mark("]") {
                    self.refuse_optional()?;
                    self.open(Within::List { items, offset })?;
                    return Ok(Next::Operand);
                }
                self.expect("]")?;
                let height = items.iter().map(|it| it.height).max().unwrap_or_default();
                let items = items.into_iter().map(|it| it.node).collect();
                Ok(Next::Suffix(self.nodes.add(Expr::List(items), offset, height)?))
            }
            Within::Key { entries, offset } => {
                self.expect(":")?;
                self.open(Within::Value { entries, key: part, offset })?;
                Ok(Next::Operand)
            }
            Within::Value { mut entries, key, offset } => {
                entries.push((key, part));
                if !self.skip(",") && self.peek().kind != Kind::Mark("}") {
                    return self.unexpected("'}'");
                }
                self.map(entries, offset)
            }
            Within::Else { condition, then, offset } => {
                let part = self.nodes.apply(Function::Conditional, &[condition, then, part], offset)?;
                Ok(Next::Complete(part))
            }
            // Ends at its colon.
            Within::Then { .. } => self.unexpected("':'"),
        }
    }
}
