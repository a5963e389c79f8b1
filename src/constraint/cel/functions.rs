//! The functions and operators that there are, and the types that they take.
//!
//! What it deliberately does not do: it computes nothing.

use super::check::Type;

macro_rules! functions {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A function or operator.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Function { $($variant),+ }

        impl Function {
            /// The function of a name, as cel-go names operators too.
            pub(super) fn by_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }

            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

functions! {
    Conditional = "_?_:_",
    And = "_&&_",
    Or = "_||_",
    Not = "!_",
    NotStrictlyFalse = "@not_strictly_false",
    Equals = "_==_",
    NotEquals = "_!=_",
    Less = "_<_",
    LessEquals = "_<=_",
    Greater = "_>_",
    GreaterEquals = "_>=_",
    Add = "_+_",
    Subtract = "_-_",
    Multiply = "_*_",
    Divide = "_/_",
    Modulo = "_%_",
    Negate = "-_",
    Index = "_[_]",
    In = "@in",
    Size = "size",
    Matches = "matches",
    Contains = "contains",
    StartsWith = "startsWith",
    EndsWith = "endsWith",
    TypeOf = "type",
    Dyn = "dyn",
    Int = "int",
    Uint = "uint",
    Double = "double",
    Bool = "bool",
    String = "string",
    Bytes = "bytes",
    Timestamp = "timestamp",
    Duration = "duration",
    FullYear = "getFullYear",
    Month = "getMonth",
    DayOfYear = "getDayOfYear",
    DayOfMonth = "getDayOfMonth",
    Date = "getDate",
    DayOfWeek = "getDayOfWeek",
    Hours = "getHours",
    Minutes = "getMinutes",
    Seconds = "getSeconds",
    Milliseconds = "getMilliseconds",
    SemverCompare = "semver_compare",
}

/// What a function takes and gives.
pub(super) type Overload = (&'static [Type], Type);

use Type as T;

const ORDERED: &[Overload] = &[
    (&[T::Bool, T::Bool], T::Bool),
    (&[T::Int, T::Int], T::Bool),
    (&[T::Uint, T::Uint], T::Bool),
    (&[T::Double, T::Double], T::Bool),
    (&[T::String, T::String], T::Bool),
    (&[T::Bytes, T::Bytes], T::Bool),
    (&[T::Timestamp, T::Timestamp], T::Bool),
    (&[T::Duration, T::Duration], T::Bool),
];
const NUMBERS: &[Overload] =
    &[(&[T::Int, T::Int], T::Int), (&[T::Uint, T::Uint], T::Uint), (&[T::Double, T::Double], T::Double)];
const TEXTS: &[Overload] = &[(&[T::String, T::String], T::Bool)];
const OF_TIMESTAMP: &[Overload] = &[(&[T::Timestamp], T::Int), (&[T::Timestamp, T::String], T::Int)];
const OF_TIME: &[Overload] =
    &[(&[T::Timestamp], T::Int), (&[T::Timestamp, T::String], T::Int), (&[T::Duration], T::Int)];

impl Function {
    /// Whether it may be called as a method, and whether it may be called as a function.
    pub(super) fn styles(self) -> (bool, bool) {
        match self {
            Self::Size | Self::Matches => (true, true),
            Self::Contains | Self::StartsWith | Self::EndsWith => (true, false),
            it if it as u8 >= Self::FullYear as u8 && it as u8 <= Self::Milliseconds as u8 => (true, false),
            _ => (false, true),
        }
    }

    /// The overloads without type parameters; those with parameters are the checker's own matter.
    pub(super) fn overloads(self) -> &'static [Overload] {
        match self {
            Self::And | Self::Or => &[(&[T::Bool, T::Bool], T::Bool)],
            Self::Not | Self::NotStrictlyFalse => &[(&[T::Bool], T::Bool)],
            Self::Less | Self::LessEquals | Self::Greater | Self::GreaterEquals => ORDERED,
            Self::Add => &[
                (&[T::Int, T::Int], T::Int),
                (&[T::Uint, T::Uint], T::Uint),
                (&[T::Double, T::Double], T::Double),
                (&[T::String, T::String], T::String),
                (&[T::Bytes, T::Bytes], T::Bytes),
                (&[T::Timestamp, T::Duration], T::Timestamp),
                (&[T::Duration, T::Timestamp], T::Timestamp),
                (&[T::Duration, T::Duration], T::Duration),
            ],
            Self::Subtract => &[
                (&[T::Int, T::Int], T::Int),
                (&[T::Uint, T::Uint], T::Uint),
                (&[T::Double, T::Double], T::Double),
                (&[T::Timestamp, T::Timestamp], T::Duration),
                (&[T::Timestamp, T::Duration], T::Timestamp),
                (&[T::Duration, T::Duration], T::Duration),
            ],
            Self::Multiply | Self::Divide => NUMBERS,
            Self::Modulo => &[(&[T::Int, T::Int], T::Int), (&[T::Uint, T::Uint], T::Uint)],
            Self::Negate => &[(&[T::Int], T::Int), (&[T::Double], T::Double)],
            Self::Size => &[(&[T::String], T::Int), (&[T::Bytes], T::Int)],
            Self::Matches | Self::Contains | Self::StartsWith | Self::EndsWith => TEXTS,
            Self::Int => &[
                (&[T::Int], T::Int),
                (&[T::Uint], T::Int),
                (&[T::Double], T::Int),
                (&[T::String], T::Int),
                (&[T::Timestamp], T::Int),
                (&[T::Duration], T::Int),
            ],
            Self::Uint => {
                &[(&[T::Uint], T::Uint), (&[T::Int], T::Uint), (&[T::Double], T::Uint), (&[T::String], T::Uint)]
            }
            Self::Double => {
                &[(&[T::Double], T::Double), (&[T::Int], T::Double), (&[T::Uint], T::Double), (&[T::String], T::Double)]
            }
            Self::Bool => &[(&[T::Bool], T::Bool), (&[T::String], T::Bool)],
            Self::String => &[
                (&[T::String], T::String),
                (&[T::Bool], T::String),
                (&[T::Int], T::String),
                (&[T::Uint], T::String),
                (&[T::Double], T::String),
                (&[T::Bytes], T::String),
                (&[T::Timestamp], T::String),
                (&[T::Duration], T::String),
            ],
            Self::Bytes => &[(&[T::Bytes], T::Bytes), (&[T::String], T::Bytes)],
            Self::Timestamp => {
                &[(&[T::Timestamp], T::Timestamp), (&[T::String], T::Timestamp), (&[T::Int], T::Timestamp)]
            }
            Self::Duration => &[(&[T::Duration], T::Duration), (&[T::String], T::Duration), (&[T::Int], T::Duration)],
            Self::FullYear | Self::Month | Self::DayOfYear => OF_TIMESTAMP,
            Self::DayOfMonth | Self::Date | Self::DayOfWeek => OF_TIMESTAMP,
            Self::Hours | Self::Minutes | Self::Seconds | Self::Milliseconds => OF_TIME,
            Self::SemverCompare => &[(&[T::Dyn, T::Dyn], T::Int)],
            Self::Conditional | Self::Equals | Self::NotEquals | Self::Index | Self::In => &[],
            Self::TypeOf | Self::Dyn => &[],
        }
    }
}
