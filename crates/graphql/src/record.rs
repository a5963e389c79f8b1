//! The part of a blob that a query asks for. Only this part is kept while the query is answered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_graphql::{SelectionField, Value as Answer};
use olmdex_text::json::{Kind, Value};

use crate::coerce::coerce;
use crate::discover::{FieldDraft, Plain};
use crate::limits::{Budget, Excess};
use crate::name::field_name;

/// Members of an object by the names of their fields. One that is null is missing.
pub(crate) type Record = BTreeMap<String, Member>;

/// The value of a field.
#[derive(Debug)]
pub(crate) enum Member {
    Leaf(Answer),
    /// A list, which catalogd makes a text of, or something else where a list should be.
    NotIterable,
    /// Objects in a list; none for null.
    Objects(Vec<Option<Arc<Record>>>),
}

/// The names of the fields that are selected, and of those below them.
pub(crate) type Wanted = BTreeMap<String, BTreeSet<String>>;

/// The fields that are selected of a blob.
pub(crate) fn wanted(field: SelectionField<'_>) -> Wanted {
    let mut wanted = Wanted::new();
    for selected in field.selection_set() {
        let inner = wanted.entry(selected.name().to_owned()).or_default();
        inner.extend(selected.selection_set().map(|nested| nested.name().to_owned()));
    }
    wanted
}

/// Reads the blobs of a page.
pub(crate) struct PageReader<'p> {
    pub(crate) fields: &'p BTreeMap<String, FieldDraft>,
    pub(crate) wanted: &'p Wanted,
    pub(crate) budget: &'p Budget,
    /// The length of the page so far.
    pub(crate) n_bytes: usize,
}

impl PageReader<'_> {
    /// The part of a blob that is wanted.
    pub(crate) fn record(&mut self, blob: Value<'_>) -> Result<Arc<Record>, Excess> {
        let mut record = Record::new();
        for (name, inner) in self.wanted {
            let Some(field) = self.fields.get(name) else { continue };
            let Some(value) = self.find(blob, name)? else { continue };
            let member = match value.kind() {
                _ if field.nested.is_empty() => self.leaf(value, field.plain)?,
                Kind::Array => {
                    let items = value.items().map(|item| self.item(item, &field.nested, inner));
                    Member::Objects(items.collect::<Result<_, _>>()?)
                }
                _ => Member::NotIterable,
            };
            record.insert(name.clone(), member);
        }
        Ok(Arc::new(record))
    }

    /// An item of a list of objects.
    fn item(
        &mut self,
        item: Value<'_>,
        fields: &BTreeMap<String, Plain>,
        wanted: &BTreeSet<String>,
    ) -> Result<Option<Arc<Record>>, Excess> {
        self.budget.spend(1)?;
        if item.is_null() {
            return Ok(None);
        }
        let mut record = Record::new();
        for name in wanted {
            let Some(plain) = fields.get(name) else { continue };
            if let Some(value) = self.find(item, name)? {
                record.insert(name.clone(), self.leaf(value, *plain)?);
            }
        }
        Ok(Some(Arc::new(record)))
    }

    /// The member of an object with a field's name, or with a key that becomes that name.
    fn find<'v>(&self, object: Value<'v>, name: &str) -> Result<Option<Value<'v>>, Excess> {
        let mut found = object.get(name);
        let mut members = object.members();
        while found.is_none()
            && let Some((key, value)) = members.next()
        {
            self.budget.look()?;
            found = key.as_str().is_some_and(|key| field_name(&key) == name).then_some(value);
        }
        Ok(found.filter(|value| !value.is_null()))
    }

    fn leaf(&mut self, value: Value<'_>, plain: Plain) -> Result<Member, Excess> {
        if plain.is_list {
            return Ok(Member::NotIterable);
        }
        let answer = coerce(value, plain.scalar)?;
        self.n_bytes += if let Answer::String(text) = &answer { text.len() } else { 8 };
        self.budget.check_bytes(self.n_bytes)?;
        Ok(Member::Leaf(answer))
    }
}
