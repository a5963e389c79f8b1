//! Answers a query that is valid. Fields are written in the order of their names, as Go writes maps, straight into the
//! answer.

mod coerce;
mod fields;
mod introspect;
mod operation;

use std::rc::Rc;

use olmdex_text::json::{Kind, Reader, Value, write_string_html};

use self::coerce::Leaf;
use self::fields::{Collected, Fields};
use self::introspect::{Answer, Subject};
use self::operation::{Operation, Written};
use crate::answer::{Fault, PathStep};
use crate::documents::Documents;
use crate::limits::{Budget, Excess, check_nested};
use crate::schema::{Entry, Field, Meta, Origin, Schema, Shape, TypeId, TypeKind, Wrap, field_name};
use crate::syntax::ast::{Document, Id};

/// The number of documents that a list has at most; catalogd's limit.
const MAX_PAGE: usize = 100;

/// The reasons why there is no answer.
#[derive(Debug)]
pub(crate) enum Stop<E> {
    Excess(Excess),
    /// It cannot be executed at all.
    Fault(Fault),
    /// The documents cannot be read.
    Documents(E),
    /// The answer has a number that JSON has no word for.
    NotEncodable,
}

impl<E> From<Excess> for Stop<E> {
    fn from(excess: Excess) -> Self {
        Self::Excess(excess)
    }
}

/// The source of fields.
#[derive(Debug, Clone, Copy)]
enum Source<'v, 's> {
    Root,
    /// A document, or something in one.
    Blob(Value<'v>),
    Summary,
    Entry(&'s Entry),
    Subject(Subject<'s>),
}

/// A step of the path to a field.
#[derive(Debug, Clone, Copy)]
enum Step<'q> {
    Name(&'q str),
    Number(usize),
}

/// Data, and the errors in it.
type Executed = (Vec<u8>, Vec<Fault>);

/// Executes the only operation of a document.
pub(crate) fn execute<D: Documents>(
    document: &Document<'_>,
    schema: &Schema,
    documents: &D,
    budget: &Budget,
) -> Result<Executed, Stop<D::Error>> {
    let operation = Operation::of(document).map_err(Stop::Fault)?;
    let fields = Fields::new(document, schema, &operation, budget);
    let (out, path, faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut executor = Executor { schema, documents, budget, operation: &operation, fields, out, path, faults };
    executor.object(schema.query, Source::Root, &Rc::from([operation.id]))?;
    Ok((executor.out, executor.faults))
}

struct Executor<'d, 'q, 's, D> {
    schema: &'s Schema,
    documents: &'d D,
    budget: &'d Budget,
    operation: &'d Operation<'d, 'q>,
    fields: Fields<'d, 'q, 's>,
    out: Vec<u8>,
    path: Vec<Step<'q>>,
    faults: Vec<Fault>,
}

/// A field that is being answered.
#[derive(Clone, Copy)]
struct FieldSelection<'c, 's> {
    parent: TypeId,
    field: &'s Field,
    /// The places that ask for it.
    nodes: &'c Rc<[Id]>,
}

impl<'q, 's, D: Documents> Executor<'_, 'q, 's, D> {
    /// Writes an object: the selection below some nodes.
    fn object(&mut self, id: TypeId, source: Source<'_, 's>, nodes: &Rc<[Id]>) -> Result<(), Stop<D::Error>> {
        check_nested(self.path.len())?;
        let collected: Rc<[Collected<'q, 's>]> = self.fields.of(id, nodes)?;
        self.out.push(b'{');
        let mut is_first = true;
        for Collected { name, nodes, field } in collected.iter() {
            self.budget.spend(1)?;
            if !std::mem::take(&mut is_first) {
                self.out.push(b',');
            }
            write_string_html(name, &mut self.out);
            self.out.push(b':');
            self.path.push(Step::Name(name));
            self.field(FieldSelection { parent: id, field, nodes }, source)?;
            self.path.pop();
            self.budget.check_bytes(self.out.len())?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn field(&mut self, selection: FieldSelection<'_, 's>, source: Source<'_, 's>) -> Result<(), Stop<D::Error>> {
        let shape = selection.field.shape.shape();
        match (selection.field.origin, source) {
            (Origin::Documents(number), _) => self.page(selection, number),
            (Origin::Member, Source::Blob(blob)) => self.member(selection, self.find(blob, &selection.field.name)?),
            (Origin::Objects, Source::Blob(blob)) => self.objects(selection, self.find(blob, &selection.field.name)?),
            (Origin::Summary, _) => self.one(shape, Source::Summary, selection.nodes),
            (Origin::TotalSchemas, _) => {
                let n = self.schema.entries.len();
                self.number(n);
                Ok(())
            }
            (Origin::SummarySchemas, _) => {
                let schema = self.schema;
                self.list(shape, schema.entries.iter().map(Source::Entry), selection.nodes)
            }
            (Origin::SchemaName, Source::Entry(entry)) => {
                write_string_html(&entry.name, &mut self.out);
                Ok(())
            }
            (Origin::TotalObjects, Source::Entry(entry)) => {
                self.number(entry.n_objects);
                Ok(())
            }
            (Origin::TotalFields, Source::Entry(entry)) => {
                self.number(entry.n_fields);
                Ok(())
            }
            (Origin::Meta(meta), source) => self.meta(selection, meta, source),
            // An item of a list of objects that is not an object, for example.
            _ => self.null(),
        }
    }

    /// The documents of a schema from one number to before another.
    fn page(&mut self, selection: FieldSelection<'_, 's>, number: usize) -> Result<(), Stop<D::Error>> {
        let argument = |name: &str| match self.operation.argument(selection.nodes, selection.field.arguments, name) {
            Some(Written::Int(number)) => Some(number),
            _ => None,
        };
        let limit = argument("limit").and_then(|it| usize::try_from(it).ok());
        let limit = limit.filter(|it| (1..=MAX_PAGE).contains(it)).unwrap_or(MAX_PAGE);
        let offset = argument("offset").and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        let schema = self.schema.entries.get(number).map_or("", |it| it.name.as_str());
        self.budget.look()?;
        let ids = self.documents.page(schema, offset, limit).map_err(Stop::Documents)?;
        let shape = inner(selection.field.shape.shape());
        let mut reader = Reader::new();
        self.out.push(b'[');
        for (number, id) in ids.iter().enumerate() {
            self.budget.look()?;
            if number > 0 {
                self.out.push(b',');
            }
            let text = self.documents.text(*id).map_err(Stop::Documents)?;
            self.budget.spend(1 + text.len() / 1024)?;
            self.path.push(Step::Number(number));
            match reader.read(&text) {
                Ok(blob) => self.one(shape, Source::Blob(blob), selection.nodes)?,
                // No text in an index is like this.
                Err(_) => self.null()?,
            }
            self.path.pop();
        }
        self.out.push(b']');
        Ok(())
    }

    /// The member of an object with a field's name, or with a key that becomes that name.
    fn find<'v>(&self, blob: Value<'v>, name: &str) -> Result<Option<Value<'v>>, Stop<D::Error>> {
        if let Some(value) = blob.get(name) {
            return Ok(Some(value));
        }
        for (key, value) in blob.members() {
            self.budget.spend(1)?;
            if key.as_str().is_some_and(|it| field_name(&it) == name) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn member(&mut self, selection: FieldSelection<'_, 's>, value: Option<Value<'_>>) -> Result<(), Stop<D::Error>> {
        let Some(leaf) = value.and_then(Leaf::of) else { return self.null() };
        let shape = selection.field.shape.shape();
        // A list has become text, which is no longer a list.
        match (shape.wraps.is_empty(), shape.base.map(|it| &self.schema.get(it).kind)) {
            (true, Some(TypeKind::Scalar(scalar))) => {
                leaf.write(*scalar, &mut self.out).map_err(|_| Stop::NotEncodable)
            }
            _ => self.not_iterable(selection),
        }
    }

    fn objects(&mut self, selection: FieldSelection<'_, 's>, value: Option<Value<'_>>) -> Result<(), Stop<D::Error>> {
        match value.map(|it| (it.kind(), it)) {
            None | Some((Kind::Null, _)) => self.null(),
            Some((Kind::Array, list)) => {
                let shape = inner(selection.field.shape.shape());
                self.out.push(b'[');
                for (number, item) in list.items().enumerate() {
                    if number > 0 {
                        self.out.push(b',');
                    }
                    self.path.push(Step::Number(number));
                    match item.is_null() {
                        true => self.null()?,
                        false => self.one(shape, Source::Blob(item), selection.nodes)?,
                    }
                    self.path.pop();
                }
                self.out.push(b']');
                Ok(())
            }
            Some(_) => self.not_iterable(selection),
        }
    }

    fn not_iterable(&mut self, selection: FieldSelection<'_, 's>) -> Result<(), Stop<D::Error>> {
        let parent = &self.schema.get(selection.parent).name;
        let message =
            format!("User Error: expected iterable, but did not find one for field {parent}.{}.", selection.field.name);
        let path = self.path.iter().map(|it| match it {
            Step::Name(name) => PathStep::Name((*name).to_owned()),
            Step::Number(number) => PathStep::Number(*number),
        });
        let path = path.collect();
        let mut fault = Fault::new(message, self.fields.places(selection.nodes));
        self.budget.spend(fault.size() / 16)?;
        fault.path = path;
        // Errors are a part of the answer.
        self.budget.check_bytes(self.out.len() + (self.faults.len() + 1) * fault.size())?;
        self.faults.push(fault);
        self.null()
    }

    /// An object, or null if there is none of that type.
    fn one(&mut self, shape: Shape<'_>, source: Source<'_, 's>, nodes: &Rc<[Id]>) -> Result<(), Stop<D::Error>> {
        match shape.base {
            Some(id) => self.object(id, source, nodes),
            None => self.null(),
        }
    }

    fn list<'v>(
        &mut self,
        shape: Shape<'_>,
        sources: impl Iterator<Item = Source<'v, 's>>,
        nodes: &Rc<[Id]>,
    ) -> Result<(), Stop<D::Error>> {
        self.out.push(b'[');
        for (number, source) in sources.enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            self.path.push(Step::Number(number));
            self.one(shape, source, nodes)?;
            self.path.pop();
        }
        self.out.push(b']');
        Ok(())
    }

    fn meta(
        &mut self,
        selection: FieldSelection<'_, 's>,
        meta: Meta,
        source: Source<'_, 's>,
    ) -> Result<(), Stop<D::Error>> {
        let schema = self.schema;
        let subject = match (meta, source) {
            (Meta::TypeName, _) => {
                write_string_html(&schema.get(selection.parent).name, &mut self.out);
                return Ok(());
            }
            (Meta::Schema, _) => Some(Subject::Schema),
            (Meta::TypeByName, _) => {
                match self.operation.argument(selection.nodes, selection.field.arguments, "name") {
                    Some(Written::Text(name)) => schema.find(&name).map(|it| Subject::Type(Shape::of(it))),
                    _ => None,
                }
            }
            (_, Source::Subject(subject)) => {
                let with_deprecated = matches!(
                    self.operation.argument(selection.nodes, selection.field.arguments, "includeDeprecated"),
                    Some(Written::Bool(true))
                );
                return self.introspection(selection, subject.tell(schema, meta, with_deprecated));
            }
            _ => None,
        };
        match subject {
            Some(subject) => self.one(selection.field.shape.shape(), Source::Subject(subject), selection.nodes),
            None => self.null(),
        }
    }

    fn introspection(&mut self, selection: FieldSelection<'_, 's>, answer: Answer<'s>) -> Result<(), Stop<D::Error>> {
        let shape = selection.field.shape.shape();
        match answer {
            Answer::Nothing => self.null(),
            Answer::Bool(it) => {
                self.out.extend_from_slice(if it { b"true" } else { b"false" });
                Ok(())
            }
            Answer::Text(text) => {
                write_string_html(text, &mut self.out);
                Ok(())
            }
            Answer::Texts(texts) => {
                self.out.push(b'[');
                for (number, text) in texts.iter().enumerate() {
                    if number > 0 {
                        self.out.push(b',');
                    }
                    write_string_html(text, &mut self.out);
                }
                self.out.push(b']');
                Ok(())
            }
            Answer::One(subject) => self.one(shape, Source::Subject(subject), selection.nodes),
            Answer::Many(subjects) => self.list(shape, subjects.into_iter().map(Source::Subject), selection.nodes),
        }
    }

    fn number(&mut self, n: usize) {
        self.out.extend_from_slice(n.to_string().as_bytes());
    }

    fn null(&mut self) -> Result<(), Stop<D::Error>> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }
}

/// The type of the items of a list.
fn inner(shape: Shape<'_>) -> Shape<'_> {
    match shape.opened() {
        Some((Wrap::List | Wrap::NonNull, inner)) => inner,
        None => shape,
    }
}
