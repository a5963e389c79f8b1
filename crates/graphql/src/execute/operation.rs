//! The operation that is executed, and the meaning of its arguments. A request has no variables, so a variable means
//! its default value.

use std::collections::HashMap;

use crate::answer::Fault;
use crate::schema::{Argument, Scalar};
use crate::syntax::ast::{Definition, Document, Id, Kind, Verb};
use crate::syntax::print::print;

/// A value that a query writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    Int(i64),
    Bool(bool),
    Text(String),
}

/// An operation.
#[derive(Debug)]
pub(super) struct Operation<'d, 'q> {
    document: &'d Document<'q>,
    pub(super) id: Id,
    /// The variables with their default values.
    variables: HashMap<&'q str, Option<Id>>,
}

impl<'d, 'q> Operation<'d, 'q> {
    /// The only operation of a document.
    pub(super) fn of(document: &'d Document<'q>) -> Result<Self, Fault> {
        let mut operation = None;
        for definition in document.children(Document::ROOT) {
            match document[definition].kind {
                Kind::Operation(_) if operation.is_some() => {
                    let text = "Must provide operation name if query contains multiple operations.";
                    return Err(Fault::new(text, Vec::new()));
                }
                Kind::Operation(verb) => operation = Some((definition, verb)),
                Kind::Defined(it) => {
                    let text = format!("GraphQL cannot execute a request containing a {}", words(it));
                    return Err(Fault::new(text, Vec::new()));
                }
                _ => {}
            }
        }
        let Some((id, verb)) = operation else {
            return Err(Fault::new("Must provide an operation.", Vec::new()));
        };
        let mut variables = HashMap::new();
        for definition in document.of_kind(id, Kind::VariableDefinition) {
            let name = document[definition].name();
            if let Some(written) = document.type_of(definition).filter(|it| document[*it].kind == Kind::NonNullType) {
                let shown = print(document, written);
                let text = format!("Variable \"${name}\" of required type \"{shown}\" was not provided.");
                return Err(Fault::new(text, vec![document[definition].at]));
            }
            variables.insert(name, document.default_value(definition));
        }
        let what = match verb {
            Verb::Query => return Ok(Self { document, id, variables }),
            Verb::Mutation => "mutations",
            Verb::Subscription => "subscriptions",
        };
        Err(Fault::new(format!("Schema is not configured for {what}"), vec![document[id].at]))
    }

    /// The value of a field's argument; the first place that asks for the field decides.
    pub(super) fn argument(&self, nodes: &[Id], known: &[Argument], name: &str) -> Option<Written> {
        let known = known.iter().find(|it| it.name == name)?;
        self.written(*nodes.first()?, name, known.scalar)
    }

    /// The value of an argument of a field or directive, if it is there.
    pub(super) fn written(&self, owner: Id, name: &str, scalar: Scalar) -> Option<Written> {
        let document = self.document;
        let argument = document.of_kind(owner, Kind::Argument).filter(|it| document[*it].name() == name).last()?;
        let mut value = document.value(argument)?;
        if document[value].kind == Kind::Variable {
            value = self.variables.get(document[value].name()).copied().flatten()?;
        }
        let node = &document[value];
        match (scalar, node.kind) {
            (Scalar::Int, Kind::Int) => node.text.parse().ok().map(Written::Int),
            (Scalar::Boolean, Kind::Boolean) => Some(Written::Bool(node.text == "true")),
            (Scalar::String, Kind::String) => Some(Written::Text(node.text.clone())),
            _ => None,
        }
    }
}

/// The name of a type system's definition in messages.
fn words(definition: Definition) -> &'static str {
    match definition {
        Definition::Schema => "SchemaDefinition",
        Definition::OperationType => "OperationTypeDefinition",
        Definition::Scalar => "ScalarDefinition",
        Definition::Object => "ObjectDefinition",
        Definition::Field => "FieldDefinition",
        Definition::InputValue => "InputValueDefinition",
        Definition::Interface => "InterfaceDefinition",
        Definition::Union => "UnionDefinition",
        Definition::Enum => "EnumDefinition",
        Definition::EnumValue => "EnumValueDefinition",
        Definition::InputObject => "InputObjectDefinition",
        Definition::Extension => "TypeExtensionDefinition",
        Definition::Directive => "DirectiveDefinition",
    }
}
