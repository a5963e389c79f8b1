//! A property: a type and a value, which is any JSON.

use std::borrow::Cow;
use std::sync::Arc;

use olmdex_text::json::Value;

/// A typed piece of metadata with texts of its own. It is cheap to copy: catalogs have the same properties in many
/// bundles.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Property {
    /// The meaning of the value.
    pub kind: Arc<str>,
    /// Its value, as JSON.
    pub value: Arc<str>,
}

impl Property {
    /// A property.
    pub fn new(kind: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        Self { kind: kind.into(), value: value.into() }
    }
}

/// A property as its document has it.
#[derive(Debug, Default, Clone)]
pub struct PropertyView<'d> {
    /// The meaning of the value.
    pub kind: Cow<'d, str>,
    /// Any JSON; `None` if the blob has none.
    pub value: Option<Value<'d>>,
}
