//! Definitions of type systems. A catalog takes none, but reports that only after the rules of a valid document, so
//! they must be read.

use super::ast::{Definition, Document, Id, Kind};
use super::lexer::{SyntaxError, TokenKind};
use super::parser::Parser;

type Parsed<T> = Result<T, SyntaxError>;

impl Parser<'_> {
    /// Reads the definition that a word begins; `false` if the word begins none.
    pub(super) fn type_system(&mut self, word: &str) -> Parsed<bool> {
        match word {
            "schema" => self.schema()?,
            "extend" => {
                let extension = self.define(Document::ROOT, Definition::Extension);
                self.keyword("extend")?;
                self.object(extension)?;
            }
            "scalar" => {
                self.head(Document::ROOT, Definition::Scalar, word)?;
            }
            "type" => self.object(Document::ROOT)?,
            "interface" => {
                let interface = self.head(Document::ROOT, Definition::Interface, word)?;
                self.fields(interface)?;
            }
            "union" => self.union()?,
            "enum" => {
                let owner = self.head(Document::ROOT, Definition::Enum, word)?;
                self.many(TokenKind::BraceOpen, TokenKind::BraceClose, |parser| {
                    let value = parser.define(owner, Definition::EnumValue);
                    parser.description()?;
                    parser.document.get_mut(value).name = Some(parser.name()?);
                    parser.directives(value)
                })?;
            }
            "input" => {
                let owner = self.head(Document::ROOT, Definition::InputObject, word)?;
                self.many(TokenKind::BraceOpen, TokenKind::BraceClose, |parser| parser.input_value(owner))?;
            }
            "directive" => self.directive_definition()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn define(&mut self, parent: Id, definition: Definition) -> Id {
        self.add(parent, Kind::Defined(definition), self.token.start)
    }

    fn description(&mut self) -> Parsed<()> {
        match self.token.kind {
            TokenKind::String | TokenKind::BlockString => self.advance(),
            _ => Ok(()),
        }
    }

    /// Description, keyword, name and directives.
    fn head(&mut self, parent: Id, definition: Definition, word: &str) -> Parsed<Id> {
        let id = self.beginning(parent, definition, word)?;
        self.directives(id)?;
        Ok(id)
    }

    fn beginning(&mut self, parent: Id, definition: Definition, word: &str) -> Parsed<Id> {
        let id = self.define(parent, definition);
        self.description()?;
        self.keyword(word)?;
        self.document.get_mut(id).name = Some(self.name()?);
        Ok(id)
    }

    fn schema(&mut self) -> Parsed<()> {
        let schema = self.define(Document::ROOT, Definition::Schema);
        self.keyword("schema")?;
        self.directives(schema)?;
        self.some(TokenKind::BraceOpen, TokenKind::BraceClose, |parser| {
            let operation = parser.define(schema, Definition::OperationType);
            parser.verb()?;
            parser.expect(TokenKind::Colon)?;
            parser.named(operation)
        })
    }

    fn object(&mut self, parent: Id) -> Parsed<()> {
        let object = self.beginning(parent, Definition::Object, "type")?;
        if self.token.value() == "implements" {
            self.advance()?;
            self.skip(TokenKind::Ampersand)?;
            self.named(object)?;
            while self.skip(TokenKind::Ampersand)? {
                self.named(object)?;
            }
        }
        self.directives(object)?;
        self.fields(object)
    }

    fn fields(&mut self, owner: Id) -> Parsed<()> {
        self.many(TokenKind::BraceOpen, TokenKind::BraceClose, |parser| {
            let field = parser.define(owner, Definition::Field);
            parser.description()?;
            parser.document.get_mut(field).name = Some(parser.name()?);
            parser.argument_definitions(field)?;
            parser.expect(TokenKind::Colon)?;
            parser.type_reference(field)?;
            parser.directives(field)
        })?;
        Ok(())
    }

    fn argument_definitions(&mut self, owner: Id) -> Parsed<()> {
        match self.token.kind {
            TokenKind::ParenOpen => {
                self.some(TokenKind::ParenOpen, TokenKind::ParenClose, |parser| parser.input_value(owner))
            }
            _ => Ok(()),
        }
    }

    fn input_value(&mut self, owner: Id) -> Parsed<()> {
        let value = self.define(owner, Definition::InputValue);
        self.description()?;
        self.document.get_mut(value).name = Some(self.name()?);
        self.expect(TokenKind::Colon)?;
        self.type_reference(value)?;
        if self.skip(TokenKind::Equals)? {
            self.value(value, true)?;
        }
        self.directives(value)
    }

    fn union(&mut self) -> Parsed<()> {
        let union = self.head(Document::ROOT, Definition::Union, "union")?;
        self.expect(TokenKind::Equals)?;
        self.named(union)?;
        while self.skip(TokenKind::Pipe)? {
            self.named(union)?;
        }
        Ok(())
    }

    fn directive_definition(&mut self) -> Parsed<()> {
        let directive = self.define(Document::ROOT, Definition::Directive);
        self.description()?;
        self.keyword("directive")?;
        self.expect(TokenKind::At)?;
        self.document.get_mut(directive).name = Some(self.name()?);
        self.argument_definitions(directive)?;
        self.keyword("on")?;
        self.name()?;
        while self.skip(TokenKind::Pipe)? {
            self.name()?;
        }
        Ok(())
    }
}
