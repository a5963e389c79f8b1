//! Types, each kept once, so that equal types have equal numbers.

use std::collections::HashMap;

/// A type, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Type(u32);

/// The form of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// Not known before evaluation.
    Dyn,
    /// The value of a property: as `Dyn`, but cel-go lets no macro go over it.
    Any,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    List(Type),
    Map(Type, Type),
    /// The type of types, and of which type, if that is known.
    Meta(Option<Type>),
    /// A type that is still open.
    Open(u32),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    shape: Shape,
    /// The number of types that are within one another.
    depth: u32,
    /// Whether an open type is in it.
    is_open: bool,
}

#[derive(Debug, Default)]
pub(super) struct Types {
    entries: Vec<Entry>,
    numbers: HashMap<Shape, Type>,
    n_open: u32,
}

impl Types {
    pub(super) fn get(&mut self, shape: Shape) -> Type {
        if let Some(known) = self.numbers.get(&shape) {
            return *known;
        }
        let (inside, is_open): (Vec<Type>, bool) = match shape {
            Shape::List(item) => (vec![item], false),
            Shape::Map(key, value) => (vec![key, value], false),
            Shape::Meta(of) => (of.into_iter().collect(), false),
            Shape::Open(_) => (Vec::new(), true),
            _ => (Vec::new(), false),
        };
        let depth = inside.iter().map(|it| self.entry(*it).depth).max().unwrap_or_default() + 1;
        let is_open = is_open || inside.iter().any(|it| self.entry(*it).is_open);
        // A rule has far fewer types than this can number.
        let number = Type(self.entries.len() as u32);
        self.entries.push(Entry { shape, depth, is_open });
        self.numbers.insert(shape, number);
        number
    }

    fn entry(&self, it: Type) -> Entry {
        self.entries[it.0 as usize]
    }

    pub(super) fn shape(&self, it: Type) -> Shape {
        self.entry(it).shape
    }

    pub(super) fn depth(&self, it: Type) -> u32 {
        self.entry(it).depth
    }

    pub(super) fn is_open(&self, it: Type) -> bool {
        self.entry(it).is_open
    }

    pub(super) fn new_open(&mut self) -> Type {
        self.n_open += 1;
        self.get(Shape::Open(self.n_open))
    }

    pub(super) fn list(&mut self, item: Type) -> Type {
        self.get(Shape::List(item))
    }

    pub(super) fn map(&mut self, key: Type, value: Type) -> Type {
        self.get(Shape::Map(key, value))
    }

    /// A type as cel-go writes it, as far as that is short.
    pub(super) fn text(&self, of: Type) -> String {
        const LONGEST: usize = 200;
        enum Piece {
            Type(Type),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut open = vec![Piece::Type(of)];
        while let Some(piece) = open.pop() {
            if text.len() > LONGEST {
                text.push('…');
                break;
            }
            let plain = match piece {
                Piece::Text(text) => text,
                Piece::Type(it) => match self.shape(it) {
                    Shape::Dyn | Shape::Open(_) => "dyn",
                    Shape::Any => "any",
                    Shape::Null => "null",
                    Shape::Bool => "bool",
                    Shape::Int => "int",
                    Shape::Uint => "uint",
                    Shape::Double => "double",
                    Shape::String => "string",
                    Shape::Bytes => "bytes",
                    Shape::Timestamp => "timestamp",
                    Shape::Duration => "duration",
                    Shape::Meta(None) => "type",
                    Shape::Meta(Some(of)) => {
                        open.extend([Piece::Text(")"), Piece::Type(of)]);
                        "type("
                    }
                    Shape::List(item) => {
                        open.extend([Piece::Text(")"), Piece::Type(item)]);
                        "list("
                    }
                    Shape::Map(key, value) => {
                        open.extend([Piece::Text(")"), Piece::Type(value), Piece::Text(", "), Piece::Type(key)]);
                        "map("
                    }
                },
            };
            text.push_str(plain);
        }
        text
    }
}
