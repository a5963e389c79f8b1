//! The execution of a query. `async-graphql` has futures, and what it is given must outlive the query; documents are
//! read by one that is here only for its time. So a field that lists documents puts a question, and whoever runs the
//! futures answers one question after the other.

use std::collections::{BTreeSet, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use async_graphql::async_trait::async_trait;
use async_graphql::dynamic::{FieldFuture, FieldValue, ResolverContext};
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextResolve, ResolveInfo};
use async_graphql::{Response, ServerError, ServerResult, Value};
use olmdex_text::json::Reader;

use crate::discover::SchemaDraft;
use crate::documents::Documents;
use crate::limits::{Budget, Excess, Limits};
use crate::measure::Widths;
use crate::record::{Member, PageReader, Record, Wanted, wanted};

/// The number of documents that a list has at most; catalogd's limit.
pub(crate) const MAX_PAGE: usize = 100;

/// About the memory of an error with its path.
const ERROR_BYTES: usize = 512;

/// The blobs of a schema.
type Blobs = Arc<(String, SchemaDraft)>;

/// A question for documents.
#[derive(Debug)]
struct Question {
    blobs: Blobs,
    offset: usize,
    limit: usize,
    wanted: Wanted,
    reply: Arc<Mutex<Option<Vec<Arc<Record>>>>>,
}

/// The state of one query.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) budget: Budget,
    widths: Widths,
    questions: Mutex<VecDeque<(Question, Waker)>>,
    /// The paths of items that are null. The crate takes each item for an object.
    nulls: Mutex<BTreeSet<Vec<String>>>,
}

/// A panic leaves the content intact.
fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    pub(crate) fn new(limits: Limits, widths: Widths) -> Self {
        Self { budget: Budget::new(limits), widths, questions: Mutex::default(), nulls: Mutex::default() }
    }

    /// The documents of a schema.
    async fn ask(&self, blobs: Blobs, offset: usize, limit: usize, wanted: Wanted) -> Vec<Arc<Record>> {
        let reply = Arc::new(Mutex::new(None));
        let mut question = Some(Question { blobs, offset, limit, wanted, reply: Arc::clone(&reply) });
        poll_fn(|context| {
            if let Some(question) = question.take() {
                lock(&self.questions).push_back((question, context.waker().clone()));
            }
            lock(&reply).take().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// The reasons why there is no response.
#[derive(Debug)]
pub(crate) enum Stop<E> {
    Excess(Excess),
    /// The documents cannot be read.
    Documents(E),
}

impl<E> From<Excess> for Stop<E> {
    fn from(excess: Excess) -> Self {
        Self::Excess(excess)
    }
}

/// Runs a query until it ends, and answers its questions. Nothing else wakes its futures, so that no thread must wait.
pub(crate) fn run<D: Documents>(
    response: impl Future<Output = Response>,
    session: &Session,
    documents: &D,
) -> Result<Response, Stop<D::Error>> {
    let mut response = pin!(response);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(response) = response.as_mut().poll(&mut context) {
            session.budget.look()?;
            return Ok(response);
        }
        session.budget.look()?;
        let question = lock(&session.questions).pop_front();
        if let Some((question, waker)) = question {
            let page = page(&question, &session.budget, documents)?;
            *lock(&question.reply) = Some(page);
            waker.wake();
        }
    }
}

fn page<D: Documents>(question: &Question, budget: &Budget, documents: &D) -> Result<Vec<Arc<Record>>, Stop<D::Error>> {
    let (name, draft) = &*question.blobs;
    let ids = documents.page(name, question.offset, question.limit).map_err(Stop::Documents)?;
    let mut page = PageReader { fields: &draft.fields, wanted: &question.wanted, budget, n_bytes: 0 };
    let mut reader = Reader::new();
    let mut records = Vec::with_capacity(ids.len());
    for id in ids {
        let text = documents.text(id).map_err(Stop::Documents)?;
        budget.spend(1 + text.len() / 1024)?;
        // No text in an index is like this.
        let Ok(blob) = reader.read(&text) else { continue };
        records.push(page.record(blob)?);
    }
    Ok(records)
}

/// A function that finds the value of a field.
pub(crate) trait Resolver: for<'a> Fn(ResolverContext<'a>) -> FieldFuture<'a> + Send + Sync + 'static {}

impl<F: for<'a> Fn(ResolverContext<'a>) -> FieldFuture<'a> + Send + Sync + 'static> Resolver for F {}

/// The field that lists the documents of a schema.
pub(crate) fn documents(schema: String, draft: SchemaDraft) -> impl Resolver {
    let blobs = Arc::new((schema, draft));
    move |context: ResolverContext<'_>| {
        let blobs = Arc::clone(&blobs);
        FieldFuture::new(async move {
            let session = context.data::<Arc<Session>>()?;
            let argument = |name: &str| context.args.get(name).and_then(|value| value.i64().ok());
            let limit = argument("limit").and_then(|limit| usize::try_from(limit).ok());
            let limit = limit.filter(|limit| (1..=MAX_PAGE).contains(limit)).unwrap_or(MAX_PAGE);
            let offset = argument("offset").and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
            let page = session.ask(blobs, offset, limit, wanted(context.field())).await;
            Ok(Some(FieldValue::list(page.into_iter().map(FieldValue::owned_any))))
        })
    }
}

/// The field that describes the content of a catalog.
pub(crate) fn summary(content: Arc<Record>) -> impl Resolver {
    move |_: ResolverContext<'_>| FieldFuture::Value(Some(FieldValue::owned_any(Arc::clone(&content))))
}

/// A field of an object.
pub(crate) fn member(context: ResolverContext<'_>) -> FieldFuture<'_> {
    let record = context.parent_value.downcast_ref::<Arc<Record>>();
    let member = record.and_then(|record| record.get(context.field().name()));
    let Some((member, session)) = member.zip(context.data_opt::<Arc<Session>>()) else {
        return FieldFuture::Value(None);
    };
    FieldFuture::Value(match member {
        Member::Leaf(value) => Some(FieldValue::value(value.clone())),
        Member::Objects(items) => objects(&context, items, session),
        Member::NotIterable => {
            let message = "User Error: expected iterable, but did not find one";
            if session.budget.keep(ERROR_BYTES).is_ok() {
                context.add_error(context.set_error_path(ServerError::new(message, Some(context.item.pos))));
            }
            None
        }
    })
}

fn objects<'a>(
    context: &ResolverContext<'a>,
    items: &[Option<Arc<Record>>],
    session: &Session,
) -> Option<FieldValue<'a>> {
    // The crate makes the futures of all items before it runs the first.
    let width = session.widths.get(&context.item.node.name.pos).copied().unwrap_or(0);
    session.budget.has_room(items.len().saturating_mul(1 + width)).ok()?;
    if let Some(node) = context.path_node.filter(|_| items.iter().any(Option::is_none)) {
        let path = node.to_string_vec();
        let nulls = items.iter().enumerate().filter(|(_, item)| item.is_none());
        lock(&session.nulls).extend(nulls.map(|(number, _)| [&path[..], &[number.to_string()]].concat()));
    }
    let value = |item: &Option<Arc<Record>>| {
        item.as_ref().map_or(FieldValue::NULL, |record| FieldValue::owned_any(Arc::clone(record)))
    };
    Some(FieldValue::list(items.iter().map(value)))
}

/// Counts the steps of a query, those of introspection included.
pub(crate) struct Meter;

impl ExtensionFactory for Meter {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait]
impl Extension for Meter {
    async fn resolve(
        &self,
        context: &ExtensionContext<'_>,
        info: ResolveInfo<'_>,
        next: NextResolve<'_>,
    ) -> ServerResult<Option<Value>> {
        let Some(session) = context.data_opt::<Arc<Session>>() else { return next.run(context, info).await };
        let stopped = |excess: Excess| ServerError::new(excess.to_string(), None);
        let width = session.widths.get(&info.field.name.pos).copied().unwrap_or(0);
        // An object pays for its fields, of which the crate does not show each.
        session.budget.spend(if width > 0 { 1 + width } else { 0 }).map_err(stopped)?;
        let is_object = width > 0 && !info.is_for_introspection && !info.return_type.starts_with('[');
        if is_object && lock(&session.nulls).contains(&info.path_node.to_string_vec()) {
            return Ok(None);
        }
        let value = next.run(context, info).await?;
        if let Some(Value::String(text)) = &value {
            session.budget.keep(text.len()).map_err(stopped)?;
        }
        // The crate takes an object for null if a directive leaves none of its fields.
        let is_empty = is_object && value.as_ref().is_none_or(|value| *value == Value::Null);
        Ok(if is_empty { Some(Value::Object(Default::default())) } else { value })
    }
}
