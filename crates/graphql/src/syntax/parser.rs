//! Reads a query. Nested parts (selection sets, values, types) are read with a list of the open ones, so that no depth
//! can end the stack.
//!
//! The definitions of type systems are in `definition`.

use super::ast::{Document, Id, Kind, Name, Node, Verb};
use super::lexer::{Lexer, SyntaxError, Token, TokenKind};

type Parsed<T> = Result<T, SyntaxError>;

/// Reads a query.
#[derive(Debug)]
pub(crate) struct Parser<'q> {
    lexer: Lexer<'q>,
    pub(super) token: Token<'q>,
    pub(super) document: Document<'q>,
    /// The error of the first variable without a type, if there is no other error: graphql-go then ends the request
    /// without an answer.
    without_type: Option<SyntaxError>,
}

impl<'q> Parser<'q> {
    /// Reads a whole document.
    pub(crate) fn parse(text: &'q str) -> Parsed<Document<'q>> {
        let mut lexer = Lexer::new(text);
        let token = lexer.token(0)?;
        let mut parser = Self { lexer, token, document: Document::new(), without_type: None };
        while parser.token.kind != TokenKind::End {
            parser.definition()?;
        }
        match parser.without_type {
            Some(error) => Err(error),
            None => Ok(parser.document),
        }
    }

    fn definition(&mut self) -> Parsed<()> {
        let keyword = match self.token.kind {
            TokenKind::BraceOpen => return self.operation(),
            TokenKind::Name => self.token.clone(),
            // A description stands before the definition that it describes.
            TokenKind::String | TokenKind::BlockString => self.lexer.token(self.token.end)?,
            _ => return Err(self.unexpected(&self.token)),
        };
        if keyword.kind != TokenKind::Name {
            return Err(self.unexpected(&keyword));
        }
        match keyword.text {
            "query" | "mutation" | "subscription" => self.operation(),
            "fragment" => self.fragment(),
            word => match self.type_system(word)? {
                true => Ok(()),
                false => Err(self.unexpected(&keyword)),
            },
        }
    }

    fn operation(&mut self) -> Parsed<()> {
        let start = self.token.start;
        if self.token.kind == TokenKind::BraceOpen {
            let operation = self.add(Document::ROOT, Kind::Operation(Verb::Query), start);
            return self.selection_set(operation);
        }
        let verb = self.verb()?;
        let operation = self.add(Document::ROOT, Kind::Operation(verb), start);
        if self.token.kind == TokenKind::Name {
            self.document.get_mut(operation).name = Some(self.name()?);
        }
        if self.token.kind == TokenKind::ParenOpen {
            self.some(TokenKind::ParenOpen, TokenKind::ParenClose, |parser| parser.variable_definition(operation))?;
        }
        self.directives(operation)?;
        self.selection_set(operation)
    }

    pub(super) fn verb(&mut self) -> Parsed<Verb> {
        let word = self.expect(TokenKind::Name)?;
        match word.text {
            "query" => Ok(Verb::Query),
            "mutation" => Ok(Verb::Mutation),
            "subscription" => Ok(Verb::Subscription),
            _ => Err(self.unexpected(&word)),
        }
    }

    fn variable_definition(&mut self, operation: Id) -> Parsed<()> {
        let definition = self.add(operation, Kind::VariableDefinition, self.token.start);
        self.variable(definition)?;
        self.expect(TokenKind::Colon)?;
        let token = self.token.clone();
        if !self.type_reference(definition)? && self.without_type.is_none() {
            let what = format!("Expected Name, found {}", token.words());
            self.without_type = Some(self.lexer.error(token.start, what.as_bytes()));
        }
        if self.skip(TokenKind::Equals)? {
            self.value(definition, true)?;
        }
        // It has the name of its variable.
        let name = self.document.of_kind(definition, Kind::Variable).next().and_then(|it| self.document[it].name);
        self.document.get_mut(definition).name = name;
        Ok(())
    }

    fn variable(&mut self, parent: Id) -> Parsed<()> {
        let start = self.token.start;
        self.expect(TokenKind::Dollar)?;
        let name = self.name()?;
        let variable = self.add(parent, Kind::Variable, start);
        self.document.get_mut(variable).name = Some(name);
        Ok(())
    }

    /// Reads a selection set and all those nested in it.
    fn selection_set(&mut self, owner: Id) -> Parsed<()> {
        let mut open = vec![self.open_selection_set(owner)?];
        while let Some(set) = open.last().copied() {
            if self.skip(TokenKind::BraceClose)? {
                if self.document.children(set).next().is_none() {
                    return Err(self.empty(self.document[set].at, TokenKind::BraceOpen, TokenKind::BraceClose));
                }
                open.pop();
            } else if let Some(owner) = self.selection(set)? {
                open.push(self.open_selection_set(owner)?);
            }
        }
        Ok(())
    }

    fn open_selection_set(&mut self, owner: Id) -> Parsed<Id> {
        let start = self.expect(TokenKind::BraceOpen)?.start;
        Ok(self.add(owner, Kind::SelectionSet, start))
    }

    /// Reads a selection up to its selection set. Returns the selection if a set follows.
    fn selection(&mut self, set: Id) -> Parsed<Option<Id>> {
        let start = self.token.start;
        if self.token.kind != TokenKind::Spread {
            let name = self.name()?;
            let field = self.add(set, Kind::Field, start);
            self.document.get_mut(field).name = Some(name);
            if self.skip(TokenKind::Colon)? {
                let real = self.name()?;
                let node = self.document.get_mut(field);
                (node.alias, node.name) = (Some(name), Some(real));
            }
            self.arguments(field)?;
            self.directives(field)?;
            return Ok((self.token.kind == TokenKind::BraceOpen).then_some(field));
        }
        self.advance()?;
        if self.token.kind == TokenKind::Name && self.token.text != "on" {
            let spread = self.add(set, Kind::Spread, start);
            self.document.get_mut(spread).name = Some(self.name()?);
            self.directives(spread)?;
            return Ok(None);
        }
        let fragment = self.add(set, Kind::InlineFragment, start);
        // A string may say it too.
        if self.token.value() == "on" {
            self.advance()?;
            self.named(fragment)?;
        }
        self.directives(fragment)?;
        Ok(Some(fragment))
    }

    fn arguments(&mut self, owner: Id) -> Parsed<()> {
        if self.token.kind != TokenKind::ParenOpen {
            return Ok(());
        }
        self.some(TokenKind::ParenOpen, TokenKind::ParenClose, |parser| {
            let start = parser.token.start;
            let name = parser.name()?;
            parser.expect(TokenKind::Colon)?;
            let argument = parser.add(owner, Kind::Argument, start);
            parser.document.get_mut(argument).name = Some(name);
            parser.value(argument, false)
        })
    }

    pub(super) fn directives(&mut self, owner: Id) -> Parsed<()> {
        while self.token.kind == TokenKind::At {
            let directive = self.add(owner, Kind::Directive, self.token.start);
            self.advance()?;
            self.document.get_mut(directive).name = Some(self.name()?);
            self.arguments(directive)?;
        }
        Ok(())
    }

    fn fragment(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.keyword("fragment")?;
        if self.token.value() == "on" {
            return Err(self.unexpected(&self.token));
        }
        let name = self.name()?;
        self.keyword("on")?;
        let fragment = self.add(Document::ROOT, Kind::Fragment, start);
        self.document.get_mut(fragment).name = Some(name);
        self.named(fragment)?;
        self.directives(fragment)?;
        self.selection_set(fragment)
    }

    /// Reads a value and all those nested in it. A constant has no variables.
    pub(super) fn value(&mut self, parent: Id, is_constant: bool) -> Parsed<()> {
        let mut open: Vec<Id> = Vec::new();
        let mut target = parent;
        loop {
            if let Some(container) = self.one_value(target, is_constant)? {
                open.push(container);
            }
            loop {
                let Some(container) = open.last().copied() else { return Ok(()) };
                let is_list = self.document[container].kind == Kind::List;
                if self.skip(if is_list { TokenKind::BracketClose } else { TokenKind::BraceClose })? {
                    open.pop();
                    continue;
                }
                target = if is_list { container } else { self.object_field(container)? };
                break;
            }
        }
    }

    /// A value that is not a container, or the beginning of one.
    fn one_value(&mut self, target: Id, is_constant: bool) -> Parsed<Option<Id>> {
        let kind = match (self.token.kind, self.token.text) {
            (TokenKind::BracketOpen, _) => Kind::List,
            (TokenKind::BraceOpen, _) => Kind::Object,
            (TokenKind::Int, _) => Kind::Int,
            (TokenKind::Float, _) => Kind::Float,
            (TokenKind::String | TokenKind::BlockString, _) => Kind::String,
            (TokenKind::Name, "true" | "false") => Kind::Boolean,
            (TokenKind::Name, text) if text != "null" => Kind::Enum,
            (TokenKind::Dollar, _) if !is_constant => return self.variable(target).map(|()| None),
            _ => return Err(self.unexpected(&self.token)),
        };
        let value = self.add(target, kind, self.token.start);
        self.document.get_mut(value).text = self.token.value().to_owned();
        self.advance()?;
        Ok(matches!(kind, Kind::List | Kind::Object).then_some(value))
    }

    fn object_field(&mut self, object: Id) -> Parsed<Id> {
        let start = self.token.start;
        let name = self.name()?;
        self.expect(TokenKind::Colon)?;
        let field = self.add(object, Kind::ObjectField, start);
        self.document.get_mut(field).name = Some(name);
        Ok(field)
    }

    /// Reads a type; returns whether there is one. Any token behind the type of a list's items is taken for its end,
    /// and a token that is not a type is left for the next step to refuse, as with graphql-go.
    pub(super) fn type_reference(&mut self, parent: Id) -> Parsed<bool> {
        let mut open = Vec::new();
        while self.token.kind == TokenKind::BracketOpen {
            open.push(self.token.start);
            self.advance()?;
        }
        let start = self.token.start;
        let mut inner = None;
        if self.token.kind == TokenKind::Name {
            let name = self.name()?;
            let named = self.document.add(Node::new(Kind::Named, start));
            self.document.get_mut(named).name = Some(name);
            inner = Some(named);
        } else {
            self.skip(TokenKind::BracketClose)?;
        }
        inner = self.non_null(inner, start)?;
        while let Some(start) = open.pop() {
            self.advance()?;
            inner = self.around(inner, Kind::ListType, start);
            inner = self.non_null(inner, start)?;
        }
        if let Some(outer) = inner {
            self.document.attach(parent, outer);
        }
        Ok(inner.is_some())
    }

    fn around(&mut self, inner: Option<Id>, kind: Kind, start: usize) -> Option<Id> {
        let inner = inner?;
        let outer = self.document.add(Node::new(kind, start));
        self.document.attach(outer, inner);
        Some(outer)
    }

    fn non_null(&mut self, inner: Option<Id>, start: usize) -> Parsed<Option<Id>> {
        let is_marked = self.skip(TokenKind::Bang)?;
        Ok(if is_marked { self.around(inner, Kind::NonNullType, start) } else { inner })
    }

    pub(super) fn named(&mut self, parent: Id) -> Parsed<()> {
        let start = self.token.start;
        let name = self.name()?;
        let named = self.add(parent, Kind::Named, start);
        self.document.get_mut(named).name = Some(name);
        Ok(())
    }

    pub(super) fn name(&mut self) -> Parsed<Name<'q>> {
        let token = self.expect(TokenKind::Name)?;
        Ok(Name { text: token.text, at: token.start })
    }

    /// One or more of something between two marks.
    pub(super) fn some(
        &mut self,
        opening: TokenKind,
        closing: TokenKind,
        mut read: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        let start = self.token.start;
        match self.many(opening, closing, &mut read)? {
            0 => Err(self.empty(start, opening, closing)),
            _ => Ok(()),
        }
    }

    /// Any number of something between two marks.
    pub(super) fn many(
        &mut self,
        opening: TokenKind,
        closing: TokenKind,
        mut read: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<usize> {
        self.expect(opening)?;
        let mut n = 0;
        while !self.skip(closing)? {
            read(self)?;
            n += 1;
        }
        Ok(n)
    }

    pub(super) fn add(&mut self, parent: Id, kind: Kind, at: usize) -> Id {
        let id = self.document.add(Node::new(kind, at));
        self.document.attach(parent, id);
        id
    }

    pub(super) fn advance(&mut self) -> Parsed<()> {
        self.token = self.lexer.token(self.token.end)?;
        Ok(())
    }

    pub(super) fn skip(&mut self, kind: TokenKind) -> Parsed<bool> {
        let is_there = self.token.kind == kind;
        if is_there {
            self.advance()?;
        }
        Ok(is_there)
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Parsed<Token<'q>> {
        let token = self.token.clone();
        if token.kind != kind {
            let what = format!("Expected {}, found {}", kind.words(), token.words());
            return Err(self.lexer.error(token.start, what.as_bytes()));
        }
        self.advance()?;
        Ok(token)
    }

    pub(super) fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.token.kind == TokenKind::Name && self.token.text == word {
            return self.advance();
        }
        let what = format!("Expected \"{word}\", found {}", self.token.words());
        Err(self.lexer.error(self.token.start, what.as_bytes()))
    }

    fn unexpected(&self, token: &Token<'_>) -> SyntaxError {
        self.lexer.error(token.start, format!("Unexpected {}", token.words()).as_bytes())
    }

    fn empty(&self, at: usize, opening: TokenKind, closing: TokenKind) -> SyntaxError {
        let what = format!("Unexpected empty IN {}{}", opening.words(), closing.words());
        self.lexer.error(at, what.as_bytes())
    }
}
