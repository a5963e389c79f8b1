//! The compatibility of types, and the types that open types become on the way, as in cel-go.
//!
//! A type that is open is bound when it first meets another, and may be made more general later. Two types are tried as
//! a whole: if they do not fit, the bindings made on the way are undone.
//!
//! Functions here recurse over types, whose depth is bounded when they are made ([`MAX_TYPE_DEPTH`]), and through
//! bindings, which is counted.

use std::collections::HashMap;

use super::error::RuleErrorKind;
use super::type_table::{Shape, Type, Types};

/// The number of types that may be within one another. cel-go has no such limit; no rule in a catalog comes near.
const MAX_TYPE_DEPTH: u32 = 400;
/// The number of bindings that may lead from one to the next.
const MAX_BINDINGS_DEEP: usize = 600;
/// The number of pairs of types that may be compared for one rule.
const MAX_STEPS: usize = 20_000_000;

/// It would take too long or too much to say.
pub(super) struct TooComplex(&'static str);

impl From<TooComplex> for RuleErrorKind {
    fn from(error: TooComplex) -> Self {
        Self::TooComplex(error.0)
    }
}

type Checked<T> = Result<T, TooComplex>;

#[derive(Default)]
pub(super) struct Assignments {
    pub(super) types: Types,
    bound: HashMap<Type, Type>,
    /// The earlier bindings, newest last.
    undo: Vec<(Type, Option<Type>)>,
    steps: usize,
}

impl Assignments {
    /// The type of a shape.
    pub(super) fn shape(&mut self, shape: Shape) -> Type {
        self.types.get(shape)
    }

    /// A type in words, as far as it is known.
    pub(super) fn text(&mut self, it: Type) -> String {
        match self.resolve(it) {
            Ok(resolved) => self.types.text(resolved),
            Err(_) => self.types.text(it),
        }
    }

    /// Whether all pairs fit.
    pub(super) fn fit(&mut self, pairs: impl IntoIterator<Item = (Type, Type)>) -> Checked<bool> {
        self.undo.clear();
        for (a, b) in pairs {
            if !self.fits(a, b, 0)? {
                while let Some((open, before)) = self.undo.pop() {
                    match before {
                        Some(before) => self.bound.insert(open, before),
                        None => self.bound.remove(&open),
                    };
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn step(&mut self, depth: usize) -> Checked<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(TooComplex("its types take too long to check"));
        }
        if depth > MAX_BINDINGS_DEEP { Err(TooComplex("its types are nested too deeply")) } else { Ok(()) }
    }

    fn bind(&mut self, open: Type, to: Type) {
        let before = self.bound.insert(open, to);
        self.undo.push((open, before));
    }

    /// A new type that is not too deep.
    pub(super) fn check_depth(&self, it: Type) -> Checked<Type> {
        if self.types.depth(it) > MAX_TYPE_DEPTH {
            return Err(TooComplex("its types are nested too deeply"));
        }
        Ok(it)
    }

    fn fits(&mut self, a: Type, b: Type, depth: usize) -> Checked<bool> {
        self.step(depth)?;
        if a == b && !self.types.is_open(a) {
            return Ok(true);
        }
        let (shape_a, shape_b) = (self.types.shape(a), self.types.shape(b));
        if matches!(shape_b, Shape::Open(_)) {
            match self.binds(a, b, depth)? {
                (true, _) => return Ok(true),
                (false, true) => return Ok(false),
                (false, false) => {}
            }
        }
        if matches!(shape_a, Shape::Open(_)) {
            return Ok(self.binds(b, a, depth)?.0);
        }
        let is_any = |it| matches!(it, Shape::Dyn | Shape::Any);
        let can_be_null = |it| matches!(it, Shape::Null | Shape::Timestamp | Shape::Duration);
        Ok(match (shape_a, shape_b) {
            (a, b) if is_any(a) || is_any(b) => true,
            (Shape::Null, other) | (other, Shape::Null) => can_be_null(other),
            (Shape::Meta(_), Shape::Meta(_)) => true,
            (Shape::List(a), Shape::List(b)) => self.fits(a, b, depth + 1)?,
            (Shape::Map(a_key, a), Shape::Map(b_key, b)) => {
                self.fits(a_key, b_key, depth + 1)? && self.fits(a, b, depth + 1)?
            }
            (a, b) => a == b,
        })
    }

    /// Whether an open type can be another, and whether it was bound before.
    fn binds(&mut self, to: Type, open: Type, depth: usize) -> Checked<(bool, bool)> {
        if to == open {
            return Ok((true, true));
        }
        if let Some(&bound) = self.bound.get(&open) {
            if to == bound {
                return Ok((true, true));
            }
            if !self.fits(to, bound, depth + 1)? {
                return Ok((false, true));
            }
            let general = if self.is_as_general(to, bound) { to } else { bound };
            if !self.occurs(open, general, depth)? {
                self.bind(open, general);
            }
            return Ok((true, true));
        }
        let can_be = !self.occurs(open, to, depth)?;
        if can_be {
            self.bind(open, to);
        }
        Ok((can_be, false))
    }

    /// Whether a type says no more than another.
    fn is_as_general(&self, a: Type, b: Type) -> bool {
        let is_open = |it| matches!(it, Shape::Dyn | Shape::Any | Shape::Open(_));
        match (self.types.shape(a), self.types.shape(b)) {
            _ if a == b => true,
            (a, _) if is_open(a) => true,
            (_, b) if is_open(b) => false,
            (Shape::List(a), Shape::List(b)) => self.is_as_general(a, b),
            (Shape::Map(a_key, a), Shape::Map(b_key, b)) => {
                self.is_as_general(a_key, b_key) && self.is_as_general(a, b)
            }
            (Shape::Meta(_), Shape::Meta(_)) => true,
            (a, b) => a == b,
        }
    }

    /// The more general of two types that fit.
    pub(super) fn more_general(&self, a: Type, b: Type) -> Type {
        if self.is_as_general(a, b) { a } else { b }
    }

    /// Whether a type is within another, directly or through bindings.
    fn occurs(&mut self, open: Type, within: Type, depth: usize) -> Checked<bool> {
        let mut within = vec![within];
        while let Some(it) = within.pop() {
            self.step(depth)?;
            if it == open {
                return Ok(true);
            }
            if !self.types.is_open(it) {
                continue;
            }
            match self.types.shape(it) {
                Shape::Open(_) => within.extend(self.bound.get(&it).copied()),
                Shape::List(item) => within.push(item),
                Shape::Map(key, value) => within.extend([key, value]),
                Shape::Meta(of) => within.extend(of),
                _ => {}
            }
        }
        Ok(false)
    }

    /// A type with its open types replaced by their bindings.
    pub(super) fn resolve(&mut self, it: Type) -> Checked<Type> {
        let resolved = self.resolve_at(it, 0)?;
        self.check_depth(resolved)
    }

    fn resolve_at(&mut self, mut it: Type, depth: usize) -> Checked<Type> {
        self.step(depth)?;
        while let Some(bound) = self.bound.get(&it) {
            it = *bound;
            self.step(depth)?;
        }
        if !self.types.is_open(it) {
            return Ok(it);
        }
        let shape = match self.types.shape(it) {
            Shape::List(item) => Shape::List(self.resolve_at(item, depth + 1)?),
            Shape::Map(key, value) => {
                let key = self.resolve_at(key, depth + 1)?;
                Shape::Map(key, self.resolve_at(value, depth + 1)?)
            }
            Shape::Meta(Some(of)) => Shape::Meta(Some(self.resolve_at(of, depth + 1)?)),
            other => other,
        };
        Ok(self.types.get(shape))
    }
}
