//! A document: one flat vector of nodes that are linked to each other. Neither walking nor dropping it recurses,
//! however deep it is.

use std::ops::Index;

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(u32);

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Query,
    Mutation,
    Subscription,
}

/// The kind of a node. Names are no nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Document,
    Operation(Verb),
    Fragment,
    VariableDefinition,
    SelectionSet,
    Field,
    Spread,
    InlineFragment,
    Argument,
    Directive,
    Variable,
    Int,
    Float,
    String,
    Boolean,
    Enum,
    List,
    Object,
    ObjectField,
    Named,
    ListType,
    NonNullType,
    /// A definition of a type system, or a part of one: no catalog takes one, but the rules look at its directives and
    /// types.
    Defined(Definition),
}

/// A definition of a type system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Definition {
    Schema,
    OperationType,
    Scalar,
    Object,
    Field,
    InputValue,
    Interface,
    Union,
    Enum,
    EnumValue,
    InputObject,
    Extension,
    Directive,
}

/// A name and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'q> {
    pub(crate) text: &'q str,
    pub(crate) at: usize,
}

/// A node with its links.
#[derive(Debug, Clone)]
pub(crate) struct Node<'q> {
    pub(crate) kind: Kind,
    /// Its start, as the lexer counts.
    pub(crate) at: usize,
    pub(crate) name: Option<Name<'q>>,
    pub(crate) alias: Option<Name<'q>>,
    /// The text of a scalar value; for a string its meaning.
    pub(crate) text: String,
    pub(crate) parent: Option<Id>,
    first: Option<Id>,
    last: Option<Id>,
    next: Option<Id>,
}

impl<'q> Node<'q> {
    pub(crate) fn new(kind: Kind, at: usize) -> Self {
        Self {
            kind,
            at,
            name: None,
            alias: None,
            text: String::new(),
            parent: None,
            first: None,
            last: None,
            next: None,
        }
    }

    /// Its name, empty if it has none.
    pub(crate) fn name(&self) -> &'q str {
        self.name.map_or("", |it| it.text)
    }

    /// Under which name a field is answered.
    pub(crate) fn response_name(&self) -> &'q str {
        self.alias.or(self.name).map_or("", |it| it.text)
    }
}

/// A document.
#[derive(Debug)]
pub(crate) struct Document<'q> {
    nodes: Vec<Node<'q>>,
}

impl<'q> Document<'q> {
    pub(crate) const ROOT: Id = Id(0);

    pub(crate) fn new() -> Self {
        Self { nodes: vec![Node::new(Kind::Document, 0)] }
    }

    /// Adds a node that has no parent yet.
    pub(crate) fn add(&mut self, node: Node<'q>) -> Id {
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// Makes a node the last child of another.
    pub(crate) fn attach(&mut self, parent: Id, child: Id) {
        self.get_mut(child).parent = Some(parent);
        match self[parent].last {
            Some(last) => self.get_mut(last).next = Some(child),
            None => self.get_mut(parent).first = Some(child),
        }
        self.get_mut(parent).last = Some(child);
    }

    pub(crate) fn get_mut(&mut self, id: Id) -> &mut Node<'q> {
        &mut self.nodes[id.0 as usize]
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self[id].first, |it| self[*it].next)
    }

    /// The children of a certain kind.
    pub(crate) fn of_kind(&self, id: Id, kind: Kind) -> impl Iterator<Item = Id> + '_ {
        self.children(id).filter(move |it| self[*it].kind == kind)
    }

    /// The selections below a node, if it has a selection set.
    pub(crate) fn selection_set(&self, id: Id) -> Option<Id> {
        self.of_kind(id, Kind::SelectionSet).next()
    }

    /// The default value of a variable.
    pub(crate) fn default_value(&self, id: Id) -> Option<Id> {
        self.children(id).find(|it| self[*it].kind.is_value() && self[*it].kind != Kind::Variable)
    }

    /// The value of an argument or of a field of an object.
    pub(crate) fn value(&self, id: Id) -> Option<Id> {
        self.children(id).find(|it| self[*it].kind.is_value())
    }

    /// The type of a variable or of a list, or the condition of a fragment.
    pub(crate) fn type_of(&self, id: Id) -> Option<Id> {
        self.children(id).find(|it| matches!(self[*it].kind, Kind::Named | Kind::ListType | Kind::NonNullType))
    }

    /// Each node below one, that one included: when it is entered and when it is left.
    pub(crate) fn walk(&self, from: Id) -> Walk<'_, 'q> {
        Walk { document: self, from, next: Some(Step::Enter(from)) }
    }
}

impl<'q> Index<Id> for Document<'q> {
    type Output = Node<'q>;

    fn index(&self, id: Id) -> &Node<'q> {
        &self.nodes[id.0 as usize]
    }
}

impl Kind {
    /// Whether it is a value, variables included.
    pub(crate) fn is_value(self) -> bool {
        matches!(
            self,
            Self::Variable
                | Self::Int
                | Self::Float
                | Self::String
                | Self::Boolean
                | Self::Enum
                | Self::List
                | Self::Object
        )
    }
}

/// A step of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(Id),
    Leave(Id),
}

/// A walk along the links.
#[derive(Debug)]
pub(crate) struct Walk<'d, 'q> {
    document: &'d Document<'q>,
    from: Id,
    next: Option<Step>,
}

impl Walk<'_, '_> {
    /// Continues behind a node that was just entered: neither its children nor its end are visited.
    pub(crate) fn pass_by(&mut self, entered: Id) {
        self.next = self.behind(entered);
    }

    fn behind(&self, left: Id) -> Option<Step> {
        if left == self.from {
            return None;
        }
        let node = &self.document[left];
        node.next.map(Step::Enter).or(node.parent.map(Step::Leave))
    }
}

impl Iterator for Walk<'_, '_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.next?;
        self.next = match step {
            Step::Enter(id) => Some(self.document[id].first.map_or(Step::Leave(id), Step::Enter)),
            Step::Leave(id) => self.behind(id),
        };
        Some(step)
    }
}
