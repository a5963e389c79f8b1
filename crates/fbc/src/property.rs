//! A property: a type and a value, which is any JSON.

use std::borrow::Cow;
use std::sync::Arc;

use olmdex_text::json::Value;

/// A typed piece of metadata with texts of its own. Cheap to copy: catalogs say the same of bundle after bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Property {
    /// What the value means.
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
    /// What the value means.
    pub kind: Cow<'d, str>,
    /// Any JSON; `None` if the blob has none.
    pub value: Option<Value<'d>>,
}
