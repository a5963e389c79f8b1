//! The functions and operators, and the types that they take, in cel-go's order: the order of the overloads decides
//! what a type becomes that is still open.

/// A type in a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declared {
    Dyn,
    Any,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    /// Any type, the same in every place.
    A,
    /// Another one.
    B,
    ListOfA,
    MapOfAToB,
    TypeOfA,
}

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

/// The types that a function takes and returns.
pub(super) type Overload = (&'static [Declared], Declared);

use Declared as D;

const ORDERED: &[Overload] = &[
    (&[D::Bool, D::Bool], D::Bool),
    (&[D::Int, D::Int], D::Bool),
    (&[D::Int, D::Double], D::Bool),
    (&[D::Int, D::Uint], D::Bool),
    (&[D::Uint, D::Uint], D::Bool),
    (&[D::Uint, D::Double], D::Bool),
    (&[D::Uint, D::Int], D::Bool),
    (&[D::Double, D::Double], D::Bool),
    (&[D::Double, D::Int], D::Bool),
    (&[D::Double, D::Uint], D::Bool),
    (&[D::String, D::String], D::Bool),
    (&[D::Bytes, D::Bytes], D::Bool),
    (&[D::Timestamp, D::Timestamp], D::Bool),
    (&[D::Duration, D::Duration], D::Bool),
];
const NUMBERS: &[Overload] =
    &[(&[D::Double, D::Double], D::Double), (&[D::Int, D::Int], D::Int), (&[D::Uint, D::Uint], D::Uint)];
const TEXTS: &[Overload] = &[(&[D::String, D::String], D::Bool)];
const OF_TIMESTAMP: &[Overload] = &[(&[D::Timestamp], D::Int), (&[D::Timestamp, D::String], D::Int)];
const OF_TIME: &[Overload] =
    &[(&[D::Timestamp], D::Int), (&[D::Timestamp, D::String], D::Int), (&[D::Duration], D::Int)];

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

    pub(super) fn is_ordering(self) -> bool {
        matches!(self, Self::Less | Self::LessEquals | Self::Greater | Self::GreaterEquals)
    }

    pub(super) fn overloads(self) -> &'static [Overload] {
        match self {
            Self::And | Self::Or => &[(&[D::Bool, D::Bool], D::Bool)],
            Self::Not => &[(&[D::Bool], D::Bool)],
            Self::Conditional => &[(&[D::Bool, D::A, D::A], D::A)],
            Self::Equals | Self::NotEquals => &[(&[D::A, D::A], D::Bool)],
            Self::Less | Self::LessEquals | Self::Greater | Self::GreaterEquals => ORDERED,
            Self::Add => &[
                (&[D::Bytes, D::Bytes], D::Bytes),
                (&[D::Double, D::Double], D::Double),
                (&[D::Duration, D::Duration], D::Duration),
                (&[D::Duration, D::Timestamp], D::Timestamp),
                (&[D::Timestamp, D::Duration], D::Timestamp),
                (&[D::Int, D::Int], D::Int),
                (&[D::ListOfA, D::ListOfA], D::ListOfA),
                (&[D::String, D::String], D::String),
                (&[D::Uint, D::Uint], D::Uint),
            ],
            Self::Subtract => &[
                (&[D::Double, D::Double], D::Double),
                (&[D::Duration, D::Duration], D::Duration),
                (&[D::Int, D::Int], D::Int),
                (&[D::Timestamp, D::Duration], D::Timestamp),
                (&[D::Timestamp, D::Timestamp], D::Duration),
                (&[D::Uint, D::Uint], D::Uint),
            ],
            Self::Multiply | Self::Divide => NUMBERS,
            Self::Modulo => &[(&[D::Int, D::Int], D::Int), (&[D::Uint, D::Uint], D::Uint)],
            Self::Negate => &[(&[D::Double], D::Double), (&[D::Int], D::Int)],
            Self::Index => &[(&[D::ListOfA, D::Int], D::A), (&[D::MapOfAToB, D::A], D::B)],
            Self::In => &[(&[D::A, D::ListOfA], D::Bool), (&[D::A, D::MapOfAToB], D::Bool)],
            Self::Size => {
                &[(&[D::Bytes], D::Int), (&[D::ListOfA], D::Int), (&[D::MapOfAToB], D::Int), (&[D::String], D::Int)]
            }
            Self::Matches | Self::Contains | Self::StartsWith | Self::EndsWith => TEXTS,
            Self::TypeOf => &[(&[D::A], D::TypeOfA)],
            Self::Dyn => &[(&[D::A], D::Dyn)],
            Self::Int => &[
                (&[D::Int], D::Int),
                (&[D::Double], D::Int),
                (&[D::Duration], D::Int),
                (&[D::String], D::Int),
                (&[D::Timestamp], D::Int),
                (&[D::Uint], D::Int),
            ],
            Self::Uint => {
                &[(&[D::Uint], D::Uint), (&[D::Double], D::Uint), (&[D::Int], D::Uint), (&[D::String], D::Uint)]
            }
            Self::Double => {
                &[(&[D::Double], D::Double), (&[D::Int], D::Double), (&[D::String], D::Double), (&[D::Uint], D::Double)]
            }
            Self::Bool => &[(&[D::Bool], D::Bool), (&[D::String], D::Bool)],
            Self::String => &[
                (&[D::String], D::String),
                (&[D::Bool], D::String),
                (&[D::Bytes], D::String),
                (&[D::Double], D::String),
                (&[D::Duration], D::String),
                (&[D::Int], D::String),
                (&[D::Timestamp], D::String),
                (&[D::Uint], D::String),
            ],
            Self::Bytes => &[(&[D::Bytes], D::Bytes), (&[D::String], D::Bytes)],
            Self::Timestamp => {
                &[(&[D::Timestamp], D::Timestamp), (&[D::Int], D::Timestamp), (&[D::String], D::Timestamp)]
            }
            Self::Duration => &[(&[D::Duration], D::Duration), (&[D::String], D::Duration)],
            Self::FullYear | Self::Month | Self::DayOfYear => OF_TIMESTAMP,
            Self::DayOfMonth | Self::Date | Self::DayOfWeek => OF_TIMESTAMP,
            Self::Hours | Self::Minutes | Self::Seconds | Self::Milliseconds => OF_TIME,
            Self::SemverCompare => &[(&[D::Any, D::Any], D::Int)],
        }
    }
}
