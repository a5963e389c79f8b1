//! Texts as rows hold them, unpacked and compared with their digests.

use rayon::prelude::*;
use rusqlite::{Params, Row};

use super::compression::{self, digest};
use super::error::IndexError;
use super::open::Index;

/// The texts that are unpacked at a time at most, and their stored bytes.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 20;

/// The reason why a text cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrongText {
    /// It cannot be unpacked, or is no text.
    Damaged,
    /// Its digest is that of another one.
    Another,
}

struct StoredText {
    digest: Vec<u8>,
    codec: i64,
    size: i64,
    bytes: Vec<u8>,
}

impl StoredText {
    /// The first four columns of a row.
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        // A value of another type is no text of ours.
        let blob = |column| row.get_ref(column).map(|value| value.as_blob().unwrap_or_default().to_vec());
        Ok(Self { digest: blob(0)?, codec: row.get(1)?, size: row.get(2)?, bytes: blob(3)? })
    }

    fn text(&self) -> Result<String, WrongText> {
        let text = compression::load(self.codec, self.size, &self.bytes).ok_or(WrongText::Damaged)?;
        if digest(&text)[..] != self.digest[..] {
            return Err(WrongText::Another);
        }
        String::from_utf8(text.into_owned()).map_err(|_| WrongText::Damaged)
    }
}

impl Index {
    /// Hands the texts of a statement out in its order, each with what `head` makes of its row; it passes over rows for
    /// which `head` has nothing. The first columns are the digest, the codec, the size and the stored bytes of the
    /// text.
    ///
    /// # Errors
    /// If the index is damaged, and the errors of `each`.
    pub(super) fn stored_texts<H: Sync, E: From<IndexError>>(
        &self,
        sql: &str,
        parameters: impl Params,
        mut head: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<H>>,
        mut each: impl FnMut(H, Result<String, WrongText>) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(self.failed(&error));
        let mut statement = self.connection().prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query(parameters).map_err(failed)?;
        let (mut batch, mut n_bytes) = (Vec::new(), 0);
        loop {
            let row = rows.next().map_err(failed)?;
            let is_last = row.is_none();
            if let Some(row) = row {
                let Some(head) = head(row).map_err(failed)? else { continue };
                let stored = StoredText::of(row).map_err(failed)?;
                n_bytes += stored.bytes.len();
                batch.push((head, stored));
            }
            if !is_last && batch.len() < BATCH && n_bytes < BATCH_BYTES {
                continue;
            }
            // Unpacking and hashing are most of the work.
            let texts: Vec<_> = batch.par_iter().map(|(_, stored)| stored.text()).collect();
            for ((head, _), text) in batch.drain(..).zip(texts) {
                each(head, text)?;
            }
            n_bytes = 0;
            if is_last {
                return Ok(());
            }
        }
    }
}
