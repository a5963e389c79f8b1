//! Questions to the index on threads that may wait. Pages, catalogd's API and gRPC each have turns of their own, so
//! that none of them waits for the clients of another; a queue has a limit; and nothing is computed for a client that
//! has gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::snapshot::{CONNECTIONS, Snapshot};
use olmdex_index::Index;

/// Pages that are made at once.
const PAGES: usize = 2;
/// Answers of catalogd's API that are made at once.
const API: usize = 2;
/// Answers of GraphQL that are made at once. One may take seconds.
const GRAPHQL: usize = if cfg!(feature = "graphql") { 1 } else { 0 };
/// Answers of gRPC that are made at once: there is a connection to the index for each of all turns.
const GRPC: usize = CONNECTIONS - PAGES - API - GRAPHQL;
/// Pages that wait for a turn, and questions of GraphQL. A page may take long.
const MAX_WAITING_PAGES: usize = 32;
/// Other questions that wait for a turn.
const MAX_WAITING: usize = 4096;

/// The reasons why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// Too many wait already.
    Busy,
    /// A bug: the question panicked.
    Failed,
}

/// A queue of questions, with as many threads as there are turns. If these threads were shared with other questions,
/// each question would soon run on another thread than the one before, and one thread would free the memory that
/// another allocated, for which they wait for each other.
#[derive(Debug)]
pub(super) struct Turns {
    /// `None` once this is dropped.
    threads: Option<Runtime>,
    turns: Arc<Semaphore>,
    n_waiting: AtomicUsize,
    max_waiting: usize,
}

/// The turns of all offers.
#[derive(Debug)]
pub(super) struct Queues {
    pub(super) pages: Turns,
    pub(super) api: Turns,
    #[cfg(feature = "graphql")]
    pub(super) graphql: Turns,
    pub(super) grpc: Turns,
}

impl Queues {
    /// Makes the queues.
    ///
    /// # Errors
    /// If the system refuses something that a runtime needs.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            pages: Turns::new(PAGES, MAX_WAITING_PAGES)?,
            api: Turns::new(API, MAX_WAITING)?,
            #[cfg(feature = "graphql")]
            graphql: Turns::new(GRAPHQL, MAX_WAITING_PAGES)?,
            grpc: Turns::new(GRPC, MAX_WAITING)?,
        })
    }
}

impl Turns {
    fn new(n: usize, max_waiting: usize) -> io::Result<Self> {
        let threads = Some(Builder::new_current_thread().max_blocking_threads(n).build()?);
        Ok(Self { threads, turns: Arc::new(Semaphore::new(n)), n_waiting: AtomicUsize::new(0), max_waiting })
    }

    async fn take(&self) -> Result<OwnedSemaphorePermit, NoAnswer> {
        if let Ok(turn) = Arc::clone(&self.turns).try_acquire_owned() {
            return Ok(turn);
        }
        if self.n_waiting.fetch_add(1, Ordering::Relaxed) >= self.max_waiting {
            self.n_waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(NoAnswer::Busy);
        }
        let _leaves = Leaves(&self.n_waiting);
        Arc::clone(&self.turns).acquire_owned().await.map_err(|_| NoAnswer::Failed)
    }

    /// Asks when there is a turn. If this future is dropped, because its client has gone, the question ends soon.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        snapshot: &Arc<Snapshot>,
        question: impl FnOnce(&Index) -> T + Send + 'static,
    ) -> Result<T, NoAnswer> {
        // The turn belongs to the thread: if the client goes, the turn is not free while the thread still works.
        let turn = self.take().await?;
        let client = Client::default();
        let (snapshot, is_gone) = (Arc::clone(snapshot), Arc::clone(&client.is_gone));
        let threads = self.threads.as_ref().ok_or(NoAnswer::Failed)?;
        let asked = threads.spawn_blocking(move || {
            let _turn = turn;
            if is_gone.load(Ordering::Relaxed) {
                return None;
            }
            snapshot.ask_until(is_gone, question).ok()
        });
        let answer = asked.await;
        drop(client);
        answer.ok().flatten().ok_or(NoAnswer::Failed)
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        // A server that ends waits for no question, and may drop this on a thread that must not wait.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

struct Leaves<'n>(&'n AtomicUsize);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A client that waits for an answer, until this is dropped.
#[derive(Debug, Default)]
struct Client {
    is_gone: Arc<AtomicBool>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use olmdex_fbc::Input;
    use olmdex_index::{self as index, CatalogSpec, Mode};

    fn snapshot() -> Arc<Snapshot> {
        let mut builder = index::Builder::in_memory();
        let catalog = r#"{"schema": "olm.package", "name": "till", "defaultChannel": "stable"}"#;
        let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("catalog.json", Arc::from(catalog.as_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
        Arc::new(Snapshot::in_memory(builder.into_index().unwrap()).unwrap())
    }

    #[test]
    fn a_queue_has_an_end_and_nothing_is_asked_for_a_client_that_has_gone() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (snapshot, turns) = (snapshot(), Turns::new(1, 2).unwrap());
            let (go, going) = mpsc::channel::<()>();
            let (say, wording) = mpsc::channel::<bool>();
            // The client of the first question goes while it is being answered: its statements on the index then fail.
            let first = turns.ask(&snapshot, move |index| {
                let _ = going.recv();
                say.send(index.package_names().is_err()).unwrap();
            });
            let is_late = tokio::time::timeout(std::time::Duration::from_millis(50), first).await.is_err();
            assert!(is_late);
            // Its turn is not over yet. Two may wait, and one of these goes.
            let gone = turns.ask(&snapshot, |_| panic!("its client has gone"));
            let waits = turns.ask(&snapshot, |index| index.package_names().unwrap().len());
            let mut gone = Box::pin(gone);
            let mut waits = Box::pin(waits);
            assert!(tokio::time::timeout(std::time::Duration::from_millis(10), &mut gone).await.is_err());
            assert!(tokio::time::timeout(std::time::Duration::from_millis(10), &mut waits).await.is_err());
            assert_eq!(turns.ask(&snapshot, |_| ()).await.unwrap_err(), NoAnswer::Busy);
            drop(gone);
            go.send(()).unwrap();
            assert!(waits.await.is_ok());
            assert!(wording.recv().unwrap());
            // The index forgets the client that has gone.
            assert!(turns.ask(&snapshot, |index| index.package_names().is_ok()).await.unwrap());
            assert_eq!(turns.n_waiting.load(Ordering::Relaxed), 0);
        });
    }
}
